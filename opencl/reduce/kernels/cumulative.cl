/* cumulative.cl: cumulative products, and positions of cumulative extremes, of lines of dtype S. SPACE and the
   operands' strides are those of the lines; elements of a line are out_run and in_run apart. Elements begin .. end - 1
   of each line are taken in order, after those before them, whose last result an earlier launch has written.
     products    S is f32, f64 or i64. in and out may be the same elements
     extremes    of equal elements the last one wins; of NaN, which win, too
   The host defines S, OUTER and WAY. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"

#define PRODUCTS 0
#define LARGEST  1
#define SMALLEST 2

typedef CAT(T_, S) element;

#define RANGE const long lines, const long begin, const long end, const long out_run, const long in_run
#define FIRSTS                                                                                                         \
  const long line = (long)get_global_id(0);                                                                            \
  if (line >= lines) return;                                                                                           \
  PLACE_OF(line);                                                                                                      \
  const long in_first = AT(in), out_first = AT(out)

#if WAY == PRODUCTS
__kernel void products(SPACE, OPERAND(element, out), OPERAND(const element, in), RANGE) {
  FIRSTS;
  element product = 1;
  if (begin) product = out[out_first + (begin - 1) * out_run];
  IN_ORDER for (long i = begin; i < end; i++) {
    product = CAT(times_, S)(product, in[in_first + i * in_run]);
    out[out_first + i * out_run] = product;
  }
}
#else
#define EXACT      CAT(EXACT_, S)
#define ELEMENT(i) CAT(exact_, S)(in[in_first + (i)*in_run])
#define LESS       CAT(less_, EXACT)
#define IS_NAN     CAT(isnan_, EXACT)

__kernel void extremes(SPACE, OPERAND(long, out), OPERAND(const element, in), OPERAND(element, values), RANGE,
                       const long value_run) {
  FIRSTS;
  const long value_first = AT(values);
  long position = 0;
  if (begin) position = out[out_first + (begin - 1) * out_run];
  CAT(T_, EXACT) best = ELEMENT(position);
  IN_ORDER for (long i = begin; i < end; i++) {
    const CAT(T_, EXACT) x = ELEMENT(i);
    const bool is_worse = WAY == LARGEST ? LESS(x, best) : LESS(best, x);
    if (IS_NAN(x) || (!IS_NAN(best) && !is_worse)) best = x, position = i;
    out[out_first + i * out_run] = position;
    values[value_first + i * value_run] = in[in_first + position * in_run];
  }
}
#endif
