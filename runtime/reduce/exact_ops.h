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
};

#endif
