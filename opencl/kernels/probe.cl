/* probe.cl: the device's own arithmetic operators, applied to chosen operands. */
#include "prelude.h"

enum { SUM, PRODUCT, SUM_OF_PRODUCT, QUOTIENT, ROOT, FUSED, LESS, NEGATIVE, FROM_INT64, RESULTS };

__kernel void probe_float32(__global const float *operands, __global uint *results, const int count) {
  const int i = (int)get_global_id(0);
  if (i >= count) return;
  const float a = operands[3 * i], b = operands[3 * i + 1], c = operands[3 * i + 2];
  __global uint *result = results + RESULTS * i;
  result[SUM] = as_uint(a + b);
  result[PRODUCT] = as_uint(a * b);
  result[SUM_OF_PRODUCT] = as_uint(a * b + c);
  result[QUOTIENT] = as_uint(a / b);
  result[ROOT] = as_uint(sqrt(a));
  result[FUSED] = as_uint(fma(a, b, c));
  result[LESS] = a < b;
  result[NEGATIVE] = (long)as_int(a) < 0; /* an int32, widened */
  result[FROM_INT64] = as_uint((float)as_long((uint2)(as_uint(a), as_uint(b))));
}

#ifdef HAS_FLOAT64
__kernel void probe_float64(__global const double *operands, __global ulong *results, const int count) {
  const int i = (int)get_global_id(0);
  if (i >= count) return;
  const double a = operands[3 * i], b = operands[3 * i + 1], c = operands[3 * i + 2];
  __global ulong *result = results + RESULTS * i;
  result[SUM] = as_ulong(a + b);
  result[PRODUCT] = as_ulong(a * b);
  result[SUM_OF_PRODUCT] = as_ulong(a * b + c);
  result[QUOTIENT] = as_ulong(a / b);
  result[ROOT] = as_ulong(sqrt(a));
  result[FUSED] = as_ulong(fma(a, b, c));
  result[LESS] = a < b;
  result[NEGATIVE] = as_long(a) < 0;
  result[FROM_INT64] = as_ulong((double)as_long(a));
}
#endif

/* Some devices silently stop a work-item after a number of loop iterations. */
__kernel void probe_loop(__global uint *state, const int turns) {
  uint x = *state;
  for (int i = 0; i < turns; i++) x = x * 1664525u + 1013904223u ^ x >> 7;
  *state = x;
}
