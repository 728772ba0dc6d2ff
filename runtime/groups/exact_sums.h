/* exact_sums.h: strew_exact_sums: n numbers that grow by what is added to them (exact_sums.c, exact_state.c). */
#ifndef STREW_EXACT_SUMS_H
#define STREW_EXACT_SUMS_H

#include "runtime/core/base/device.h"
#include "runtime/strew.h"

/* Numbers in two's complement: words of 32 bits, the lowest first; a row of words first .. first + count - 1 for each.
   Words from `used` on have copies of the sign alone. Word 0 begins at the least bit of the square, or the sum, of floats. */
struct numbers {
  int first, count, used;
  uint32_t *word;
};
enum { NUMBER_WORD = 32, SUM_UNIT = -1074, SQUARE_UNIT = 2 * SUM_UNIT, SUM_BITS = 2098, SQUARE_BITS = 2 * SUM_BITS };

/* kinds: 0; EXACT_NAN, EXACT_POSITIVE or EXACT_NEGATIVE of a sum that is not finite, and has no words; EXACT_MINUS_ZERO:
   all terms are -0, and came without an index (elementwise/shared/exact.h). */
struct strew_exact_sums {
  strew_device *device; /* of results; its context is retained */
  int64_t n;
  bool has_dtype, is_given, has_squares; /* dtype: of terms so far, or given */
  strew_dtype dtype;
  struct numbers sums, squares;
  int64_t *counts, most; /* the greatest count */
  uint8_t *kinds;
};

strew_status exact_sums_create(const struct call *call, strew_device *device, int64_t n, strew_exact_sums **out);
static inline const uint32_t *number_at(const struct numbers *numbers, int64_t i) {
  return numbers->word + i * numbers->count;
}
/* Makes room for words first .. end - 1 of n numbers, beside those that there are. */
strew_status numbers_widen(const struct call *call, strew_context *context, int64_t n, struct numbers *numbers,
                           int first, int end);
/* The words of a number below those that have copies of its sign alone, at least one word. */
int number_length(const uint32_t *words, int count);
static inline uint32_t number_sign(const uint32_t *words, int count) {
  return count && words[count - 1] >> 31 ? UINT32_MAX : 0;
}

#endif
