/* search.cl: the places of values of dtype S in sorted lines of `size` elements, `step` apart; see search_plan in
   order_ops.h. The host defines S, OUTER, and RIGHT: 1 if elements equal to the value are before it. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"

#define EXACT  CAT(EXACT_, S)
#define LESS   CAT(less_, EXACT)
#define IS_NAN CAT(isnan_, EXACT)
typedef CAT(T_, S) element;

static inline bool is_before(CAT(T_, EXACT) x, CAT(T_, EXACT) value) {
  if (IS_NAN(value)) return RIGHT || !IS_NAN(x);
  return RIGHT ? !IS_NAN(x) && !LESS(value, x) : LESS(x, value);
}

__kernel void search(SPACE, OPERAND(long, out), OPERAND(const element, values), OPERAND(const element, sorted),
                     const long size, const long step) {
  ROW_AND_COLUMN;
  const CAT(T_, EXACT) value = CAT(exact_, S)(values[AT(values)]);
  const long first = AT(sorted);
  long place = 0, n = size;
  while (n > 0) {
    const long half_size = n > 1 ? n / 2 : 1;
    if (is_before(CAT(exact_, S)(sorted[first + (place + half_size - 1) * step]), value)) place += half_size;
    n = n > 1 ? n - half_size : 0;
  }
  out[AT(out)] = place;
}
