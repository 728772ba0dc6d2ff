/* dtype.c: rows of the tables of dtypes and reductions, by number; type promotion. */
#include "dtype.h"
#include "context.h"
#include "runtime/shared/scalar.h"

#include <stdio.h>
#include <string.h>

static const enum category categories[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = category,
    STREW_DTYPES(ROW)
#undef ROW
};
_Static_assert(sizeof categories / sizeof *categories == STREW_DTYPE_COUNT, "strew.h and the dtype table differ");

static const char *const reductions[][WORDS_PER_REDUCTION] = {
#define ROW(ENUM, r, name, second, third, ordered, ...) [STREW_##ENUM] = {name, second, third},
    STREW_REDUCTIONS(ROW)
#undef ROW
};
_Static_assert(sizeof reductions / sizeof *reductions == STREW_REDUCTION_COUNT,
               "strew.h and the reduction table differ");

size_t strew_dtype_size_bytes(strew_dtype dtype) {
  return (unsigned)dtype < STREW_DTYPE_COUNT ? dtype_bytes(dtype) : 0;
}
const char *strew_dtype_name(strew_dtype dtype) {
  static const char *const names[] = {
#define ROW(ENUM, s, name, ...) [STREW_##ENUM] = name,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return (unsigned)dtype < STREW_DTYPE_COUNT ? names[dtype] : NULL;
}
const char *strew_reduction_name(strew_reduction reduction) {
  return (unsigned)reduction < STREW_REDUCTION_COUNT ? reductions[reduction][0] : NULL;
}
const char *reduction_word(strew_reduction reduction, int which) {
  return which < WORDS_PER_REDUCTION ? reductions[reduction][which] : NULL;
}

bool reduction_is_ordered(strew_reduction reduction) {
  static const bool is_ordered[] = {
#define ROW(ENUM, r, name, second, third, ordered, ...) [STREW_##ENUM] = ordered,
      STREW_REDUCTIONS(ROW)
#undef ROW
  };
  return is_ordered[reduction];
}

bool reduction_widens_halves(strew_reduction reduction) {
  enum { BITS, SUMS, PAIRS, COMPUTED, OWN };
  static const bool widens[] = {
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops)                                            \
  [STREW_##ENUM] = loops != BITS && loops != OWN,
      STREW_REDUCTIONS(ROW)
#undef ROW
  };
  return widens[reduction];
}

enum category dtype_category(strew_dtype dtype) { return categories[dtype]; }

/* --------------------------------------------------------------------------------------------------- promotion */

/* The higher category wins; the wider float wins, and the two 16-bit floats give float32; the wider integer wins, and
   uint8 with int8 gives int16. */
strew_dtype dtype_promote(strew_dtype a, strew_dtype b) {
  if (a == b) return a;
  if (categories[a] != categories[b]) return categories[a] > categories[b] ? a : b;
  if (dtype_bytes(a) != dtype_bytes(b)) return dtype_bytes(a) > dtype_bytes(b) ? a : b;
  return categories[a] == FLOATING ? STREW_FLOAT32 : STREW_INT16;
}

strew_dtype dtype_with_number(int dtype, strew_scalar number) {
  const strew_dtype its = number.dtype == STREW_FLOAT64 ? STREW_FLOAT32 : number.dtype;
  return dtype < 0 || categories[its] > categories[dtype] ? its : (strew_dtype)dtype;
}

strew_dtype dtype_of_operands(int count, const strew_operand *operands) {
  int dtype = -1;
  for (int i = 0; i < count; i++) {
    const strew_tensor *tensor = operands[i].tensor;
    if (tensor) dtype = (int)(dtype < 0 ? tensor->dtype : dtype_promote((strew_dtype)dtype, tensor->dtype));
  }
  for (int i = 0; i < count; i++)
    if (!operands[i].tensor) dtype = (int)dtype_with_number(dtype, operands[i].number);
  return (strew_dtype)dtype;
}
