/* halves.h: functions of float16, correctly rounded. Each is computed as float32 and rounded once, which gives the nearest
   float16 unless the float32 is a tie of two: the table has the inputs, of all 65,536, where that gives the farther one.
   C11 and OpenCL C. */
#ifndef STREW_HALVES_H
#define STREW_HALVES_H

#include "errors.h"
#include "hyperbolic.h"
#include "logistic.h"

/* Enumerator; name; bits of the input that are compared: all, those of the magnitude, or (cbrt) of the significand;
   float32 inputs, to which 1 is added if the result's magnitude is to grow by one float32, 2 if it is to shrink; 0: none.
   From long double: check_functions.c tells a wrong row. */
#define STREW_TIES(X)                                                                                                  \
  X(EXP, exp, 0xffffffffu, 0x3bef2002u, 0x3cb9e002u, 0, 0, 0, 0, 0)                                                    \
  X(LOG, log, 0xffffffffu, 0x3baf0002u, 0, 0, 0, 0, 0, 0)                                                              \
  X(RSQRT, rsqrt, 0, 0, 0, 0, 0, 0, 0, 0)                                                                              \
  X(SIN, sin, 0x7fffffffu, 0x3e566001u, 0x43960002u, 0, 0, 0, 0, 0)                                                    \
  X(COS, cos, 0x7fffffffu, 0x3d6f8001u, 0, 0, 0, 0, 0, 0)                                                              \
  X(TANH, tanh, 0, 0, 0, 0, 0, 0, 0, 0)                                                                                \
  X(SIGMOID, sigmoid, 0xffffffffu, 0x3b400002u, 0x3be00002u, 0x3c300002u, 0xbac00001u, 0xbb600001u, 0xbbb00001u,       \
    0xbbf00001u)                                                                                                       \
  X(LOG2, log2, 0, 0, 0, 0, 0, 0, 0, 0)                                                                                \
  X(LOG10, log10, 0xffffffffu, 0x3e71e002u, 0x3e7f0001u, 0x42fc2002u, 0x453a0001u, 0x4633a002u, 0, 0)                  \
  X(LOG1P, log1p, 0xffffffffu, 0x3bc06001u, 0xbbbfa002u, 0, 0, 0, 0, 0)                                                \
  X(EXPM1, expm1, 0xffffffffu, 0x3a350001u, 0, 0, 0, 0, 0, 0)                                                          \
  X(TAN, tan, 0x7fffffffu, 0x3d128001u, 0x42bda002u, 0x46e94001u, 0, 0, 0, 0)                                          \
  X(ASIN, asin, 0, 0, 0, 0, 0, 0, 0, 0)                                                                                \
  X(ACOS, acos, 0xffffffffu, 0xb6960001u, 0xbd95e002u, 0xbf0e8001u, 0, 0, 0, 0)                                        \
  X(ATAN, atan, 0x7fffffffu, 0x3ce8a001u, 0x3e56a001u, 0x40cdc001u, 0, 0, 0, 0)                                        \
  X(SINH, sinh, 0x7fffffffu, 0x401e4001u, 0, 0, 0, 0, 0, 0)                                                            \
  X(COSH, cosh, 0x7fffffffu, 0x3d000001u, 0, 0, 0, 0, 0, 0)                                                            \
  X(ASINH, asinh, 0x7fffffffu, 0x3e57a001u, 0x4163e002u, 0, 0, 0, 0, 0)                                                \
  X(ACOSH, acosh, 0xffffffffu, 0x3f9c8001u, 0, 0, 0, 0, 0, 0)                                                          \
  X(ATANH, atanh, 0, 0, 0, 0, 0, 0, 0, 0)                                                                              \
  X(EXP2, exp2, 0xffffffffu, 0x3a38a001u, 0, 0, 0, 0, 0, 0)                                                            \
  X(ERF, erf, 0x7fffffffu, 0x3ac24002u, 0, 0, 0, 0, 0, 0)                                                              \
  X(ERFC, erfc, 0xffffffffu, 0x3962e002u, 0xb9e2e001u, 0, 0, 0, 0, 0)                                                  \
  X(GELU, gelu, 0xffffffffu, 0x33800001u, 0x3aaf8002u, 0xbaaf8001u, 0, 0, 0, 0)                                        \
  X(CBRT, cbrt, 0x7fffffu, 0x2a2001u, 0, 0, 0, 0, 0, 0)                                                                \
  X(SILU, silu, 0xffffffffu, 0x33800001u, 0xc02e6002u, 0, 0, 0, 0, 0)                                                  \
  X(GELU_TANH, gelu_tanh, 0xffffffffu, 0x33800001u, 0x3aaf8002u, 0x3eb4e001u, 0xbaaf8001u, 0xbeb4e002u, 0, 0)

static inline float break_tie(float x, float y, uint32_t compared, uint32_t tie) {
  const uint32_t change = (tie & 1) - (tie >> 1 & 1);
  return float_of_bits(bits_of_float(y) + ((bits_of_float(x) & compared) == (tie & ~3u) ? change : 0));
}

#define HALF(ENUM, name, compared, a, b, c, d, e, f, g)                                                                \
  static inline float name##_f16(float x) {                                                                            \
    float y = break_tie(x, name##_f32(x), compared, a);                                                                \
    y = break_tie(x, break_tie(x, break_tie(x, y, compared, b), compared, c), compared, d);                            \
    return break_tie(x, break_tie(x, break_tie(x, y, compared, e), compared, f), compared, g);                         \
  }
STREW_TIES(HALF)
#undef HALF

#endif
