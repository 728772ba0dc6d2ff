/* cumprod.cl: cumulative products of lines of dtype S: f32, f64 or i64. SPACE and the operands' strides are those of the
   lines; elements of a line are out_run and in_run apart. Elements begin .. end - 1 of each line are multiplied in order,
   starting with the product before them, which an earlier launch has written. in and out may be the same elements. */
#include "prelude.h"
#include "scalar.h"
#include "space.h"

#ifndef S
#define S f32
#endif

typedef CAT(T_, S) element;

__kernel void cumprod(SPACE, OPERAND(element, out), OPERAND(const element, in), const long lines, const long begin,
                      const long end, const long out_run, const long in_run) {
  const long line = (long)get_global_id(0);
  if (line >= lines) return;
  const long row = quotient(line, columns), column = line - row * columns;
  const coordinates at = coordinates_of(row, rows, sizes);
  const long in_first = AT(in), out_first = AT(out);
  element product = 1;
  if (begin) product = out[out_first + (begin - 1) * out_run];
  IN_ORDER for (long i = begin; i < end; i++) {
    product = CAT(times_, S)(product, in[in_first + i * in_run]);
    out[out_first + i * out_run] = product;
  }
}
