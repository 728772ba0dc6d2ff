/* exact_ops.h: exact sums: plans, and the functions of a device. */
#ifndef EXACT_OPS_H
#define EXACT_OPS_H

#include "runtime/core/base/device.h"

/* What exact sums of a tensor's elements, floats, need to know of them: places of their bits, and kinds
   (elementwise/shared/exact.h). */
struct exact_survey {
  int low, top; /* low EXACT_NONE: no element is finite and not zero */
  unsigned kinds;
};

enum { MOST_CUT_PARTS = 4 }; /* of a term that are joined in one pass */

/* Results of exact sums. EXACT_LIMBS is the first of `limbs` sums of limbs, `step` elements apart: int64, it counts
   2^exponent, each other one 2^width times the one before; or float64, with these factors. `square_limbs` of the squares, which count the square of
   that, follow. A mean is divided by EXACT_COUNTS (int64), of none it is NaN; a variance is (n * squares - sum^2) / n /
   EXACT_DIVISORS (float64), NaN by NaN or of no terms. One rounding, to the dtype of EXACT_OUT. A number stands for an
   operand that is not needed. */
enum exact_result { EXACT_SUM, EXACT_MEAN, EXACT_VARIANCE, EXACT_DEVIATION };
static inline bool exact_is_spread(enum exact_result result) { return result >= EXACT_VARIANCE; }
enum exact_operand { EXACT_OUT, EXACT_LIMBS, EXACT_COUNTS, EXACT_DIVISORS };
struct exact_plan {
  struct plan plan;
  enum exact_result result;
  int exponent, width, limbs, square_limbs;
  int64_t step;
};

/* Exact sums or means of lines, the plan's last dimension, of floats: operand 0 out, which stands still along it, 1 the
   elements, adjacent. A mean divides by the length. Signed zeros as in Math.sumPrecise, but +0 of no elements. */
struct exact_lines_plan {
  struct plan plan;
  enum exact_result result;
};

/* A float dtype: its bytes, binary digits, the power of two of its least denormal, the bits of infinity. */
struct exact_format {
  int bytes, digits, least;
  uint64_t infinity;
};
static inline struct exact_format exact_format_of(strew_dtype dtype) {
  switch (dtype) {
  case STREW_FLOAT64: return (struct exact_format){8, 53, -1074, UINT64_C(0x7ff) << 52};
  case STREW_FLOAT16: return (struct exact_format){2, 11, -24, 0x7c00};
  case STREW_BFLOAT16: return (struct exact_format){2, 8, -133, 0x7f80};
  default: return (struct exact_format){4, 24, -149, 0x7f800000};
  }
}

/* Exact sums or means by number: a term at coordinates c of `terms` is one of the result whose number is the sum of c[d] *
   stride[d] of BY_NUMBER, which has no storage, and with BY_INDEX also of index value * step. Results have numbers 0 ..
   count - 1 in the same way. With BY_FACTOR, in place of BY_INDEX, terms are products. BY_START is one more term, or with
   from_start (and counts) the result of no terms; it and BY_COUNTS, of means and variances, are numbers if not needed.
   `counts`: the number of terms + extra is counted, of means at least 1. */
enum exact_by_operand { BY_NUMBER, BY_TERM, BY_INDEX, BY_FACTOR = BY_INDEX, BY_OUT = 1, BY_START, BY_COUNTS };
/* A variance of n terms is divided by n - correction, or `otherwise` if that is at most `least`; and `plus`. */
struct exact_divisor {
  double correction, least, otherwise, plus;
};
struct exact_by_plan {
  struct plan terms, results;
  int64_t count;
  int64_t step, size, lowest; /* of BY_INDEX; values are checked to be lowest .. size - 1 if `checks` */
  strew_mode mode;
  bool checks, counts, from_start, signs_zero, is_product;
  enum exact_result result;
  struct exact_divisor divisor;
  int64_t extra;
  int low, width, exponent, limbs, square_limbs; /* see exact_window, after a survey; width of variances EXACT_DIGIT */
  unsigned kinds;                                /* that results depend on */
};
enum { EXACT_MOST_SPREAD = 1 << 30 }; /* terms of a variance by number */

/* Words of 64 bits that a result by number has: limbs; squares' limbs from squares_at on; a count of terms at count_at and
   kinds at kinds_at, unless these are negative. The sum of a variance has a limb more; its squares have room for n *
   squares - sum^2. */
struct exact_layout {
  int squares_at, count_at, kinds_at;
  int64_t stride;
};
static inline struct exact_layout exact_layout_of(const struct exact_by_plan *by) {
  const int sums = by->limbs + (by->square_limbs > 0), squares = by->square_limbs ? by->square_limbs + 2 : 0;
  struct exact_layout layout = {sums, -1, -1, sums + (squares && squares < 2 * sums ? 2 * sums : squares)};
  if (by->counts) layout.count_at = (int)layout.stride++;
  if (by->kinds) layout.kinds_at = (int)layout.stride++;
  return layout;
}

/* Its functions; see DEVICE_ENTRIES.

     survey           *out: of the elements of operand 0, floats
     exact            see exact_plan. Optional
     exact_lines      see exact_lines_plan. Optional */
#define EXACT_ENTRIES(X, OPTIONAL)                                                                                     \
  X(strew_status, survey, (ON_DEVICE, const struct plan *plan, struct exact_survey *out))                              \
  OPTIONAL(strew_status, exact, (ON_DEVICE, const struct exact_plan *plan))                                            \
  OPTIONAL(strew_status, exact_lines, (ON_DEVICE, const struct exact_lines_plan *plan))

struct exact_ops {
  EXACT_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
  const struct exact_by_ops *by; /* NULL: such sums are composed of the others */
};
struct exact_by_ops {
  bool (*suits)(const strew_device *device); /* false: the others are faster */
  /* *out: of the terms, and of BY_START where it is one; *factor: of BY_FACTOR; *bad as for scatter. */
  strew_status (*survey)(ON_DEVICE, const struct exact_by_plan *plan, struct exact_survey *out,
                         struct exact_survey *factor, bool *bad);
  strew_status (*run)(ON_DEVICE, const struct exact_by_plan *plan, int64_t *words); /* words NULL, or what is read */
};

#endif
