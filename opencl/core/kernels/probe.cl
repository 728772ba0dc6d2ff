/* probe.cl: the device's own arithmetic operators, applied to chosen operands. */
#include "prelude.h"

enum { SUM, PRODUCT, SUM_OF_PRODUCT, QUOTIENT, ROOT, LESS, NEGATIVE, FROM_INT64, FUSED, BY_ZERO, OF_TRUTH, RESULTS };

#define PROBE(name, real, word, as_word, negative, whole)                                                              \
  __kernel void name(__global const real *operands, __global word *results, const int count) {                         \
    const int i = (int)get_global_id(0);                                                                               \
    if (i >= count) return;                                                                                            \
    const real a = operands[3 * i], b = operands[3 * i + 1], c = operands[3 * i + 2];                                  \
    __global word *result = results + RESULTS * i;                                                                     \
    result[SUM] = as_word(a + b);                                                                                      \
    result[PRODUCT] = as_word(a * b);                                                                                  \
    result[SUM_OF_PRODUCT] = as_word(a * b + c);                                                                       \
    result[QUOTIENT] = as_word(a / b);                                                                                 \
    result[ROOT] = as_word(sqrt(a));                                                                                   \
    result[FUSED] = as_word(fma(a, b, c));                                                                             \
    result[LESS] = a < b;                                                                                              \
    result[NEGATIVE] = (negative) < 0;                                                                                 \
    result[FROM_INT64] = as_word((real)(whole));                                                                       \
    result[BY_ZERO] = as_word(a * (real)(i > i)); /* which the compiler knows */                                       \
    result[OF_TRUTH] = as_word((real)-(long)(a < b));                                                                  \
  }
PROBE(probe_float32, float, uint, as_uint, (long)as_int(a) /* an int32, widened */,
      as_long((uint2)(as_uint(a), as_uint(b))))
#ifdef HAS_FLOAT64
PROBE(probe_float64, double, ulong, as_ulong, as_long(a), as_long(a))
#endif

/* Some devices silently stop a work-item after a number of loop iterations. */
__kernel void probe_loop(__global uint *state, const int turns) {
  uint x = *state;
  for (int i = 0; i < turns; i++) x = x * 1664525u + 1013904223u ^ x >> 7;
  *state = x;
}
