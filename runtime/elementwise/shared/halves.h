/* halves.h: functions of 16-bit floats, correctly rounded. Each is computed as float32 and rounded once, which gives the
   nearest 16-bit float unless the float32 is a tie of two. Of one argument of float16, the table has the inputs, of all
   65,536, where that gives the farther one; of bfloat16 there are none. C11 and OpenCL C. */
#ifndef STREW_HALVES_H
#define STREW_HALVES_H

#include "erf.h"
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

/* --------------------------------------------------------------------------------------------------- of two arguments

   A float32 result that is a tie of two 16-bit floats is compared with the function by integers of 64 bits, and moved by
   one float32 to the function's side. Others are within one float32 of the function, so they round as it does. */

/* Positive floats of 64 bits, of which the highest is set. A product loses what is below. */
static inline struct unpacked long_float(uint64_t significand, int exponent) {
  const int spare = 63 - highest_bit(significand);
  return (struct unpacked){significand << spare, exponent - spare};
}
static inline struct unpacked magnitude_parts(float x) { return unpack(bits_of_magnitude_f32(x), FORMAT_FLOAT32); }
static inline struct unpacked long_magnitude(float x) {
  const struct unpacked parts = magnitude_parts(x);
  return long_float(parts.significand, parts.exponent);
}
static inline struct unpacked long_product(struct unpacked a, struct unpacked b) {
  return long_float(upper_product(a.significand, b.significand), a.exponent + b.exponent + 64);
}
static inline struct unpacked long_power(struct unpacked x, uint32_t n) {
  struct unpacked power = long_float(1, 0);
  for (; n; n >>= 1, x = long_product(x, x))
    if (n & 1) power = long_product(power, x);
  return power;
}
/* 1 if a > b, -1 if a < b, else 0 */
static inline int long_order(struct unpacked a, struct unpacked b) {
  if (a.exponent != b.exponent) return a.exponent > b.exponent ? 1 : -1;
  return (a.significand > b.significand) - (a.significand < b.significand);
}

/* a - b > 0 */
static inline uint64_t aligned(float x, int exponent) {
  const struct unpacked parts = magnitude_parts(x);
  const int up = parts.exponent - exponent;
  const uint64_t size = up < 0 ? shift_sticky(parts.significand, -up) : parts.significand << up;
  return is_negative_f32(x) ? 0 - size : size;
}
static inline struct unpacked long_difference(float a, float b) {
  const int of_a = magnitude_parts(a).exponent, of_b = magnitude_parts(b).exponent;
  const int exponent = (of_a < of_b ? of_b : of_a) - 38;
  return long_float(aligned(a, exponent) - aligned(b, exponent), exponent);
}

/* 1 - x/d (1 - x/d (1 - ...)), where x < 10; in two's complement, 2^62 is 1. The divisors are 1, 2, 3, ... (e^-x),
   2, 3, 4, ... ((1 - e^-x) / x), or products of each two of these (cos z, sin z / z, where x is z^2). */
enum { SERIES_EXP = 0, SERIES_EXPM1 = 1, SERIES_COS = 0, SERIES_SIN = 1 };
static inline uint64_t alternating_series(struct unpacked x, int first, int step) {
  const uint64_t one = (uint64_t)1 << 62, fixed = shift_sticky(x.significand, -60 - x.exponent);
  uint64_t sum = one;
  for (int n = first + 20 * step; n > first; n -= step)
    sum = one - (upper_product(fixed, sum) / (uint64_t)(step == 2 ? n * (n - 1) : n) << 4);
  return sum;
}
static inline struct unpacked long_series(struct unpacked x, int first, int step) {
  return long_float(integer_magnitude((int64_t)alternating_series(x, first, step)), -62);
}

/* Whether |f(a, b)| is above the tie |t|: 1, -1 below, 0 at it. */

/* |a|^b, where b is n / 2^k or n 2^k: |a|^n and |t|^(2^k), or |a|^(n 2^k) and |t|. Powers that are equal have at most 64
   bits. As |a| and t, a tie, are at least 2^-12 from 1, 2^-17 < |b| < 2^16: n < 2^11 is shifted by less than 32. */
static inline int pow_order(float a, float b, float t) {
  struct unpacked n = magnitude_parts(b);
  for (; !(n.significand & 1); n.significand >>= 1) n.exponent++;
  const int up = n.exponent > 0 ? n.exponent : 0, down = up - n.exponent;
  const struct unpacked power = long_power(long_magnitude(a), (uint32_t)n.significand << up);
  const struct unpacked bound = long_power(long_magnitude(t), (uint32_t)1 << down);
  return is_negative_f32(b) ? long_order(long_float(1, 0), long_product(power, bound)) : long_order(power, bound);
}
/* |y cos t| and |x sin t|; an angle is no tie. */
static inline int atan2_order(float y, float x, float t) {
  const struct unpacked angle = long_magnitude(t), square = long_product(angle, angle);
  const struct unpacked sine = long_product(angle, long_series(square, SERIES_SIN, 2));
  const struct unpacked above = long_product(long_magnitude(y), long_series(square, SERIES_COS, 2));
  const bool is_above = long_order(above, long_product(long_magnitude(x), sine)) > 0;
  return is_above == is_negative_f32(x) ? -1 : 1;
}
/* The square of the smaller and t^2 less that of the larger, which t exceeds by less than half. */
static inline int hypot_order(float a, float b, float t) {
  const bool less = bits_of_magnitude_f32(a) < bits_of_magnitude_f32(b);
  const struct unpacked large = magnitude_parts(less ? b : a), small = long_magnitude(less ? a : b);
  struct unpacked bound = magnitude_parts(t);
  bound.significand <<= bound.exponent - large.exponent;
  return long_order(long_product(small, small),
                    long_product(long_float(bound.significand - large.significand, large.exponent),
                                 long_float(bound.significand + large.significand, large.exponent)));
}
/* e^(low - t), by its 128th root, and 1 - e^(high - t); t, a tie, exceeds the larger. */
static inline int logaddexp_order(float a, float b, float t) {
  const bool less = less_f32(a, b);
  const struct unpacked near = long_difference(t, less ? b : a);
  struct unpacked far = long_difference(t, less ? a : b);
  far.exponent -= 7;
  const struct unpacked rest = long_product(near, long_series(near, SERIES_EXPM1, 1));
  const int order = long_order(long_power(long_series(far, SERIES_EXP, 1), 128), rest);
  return is_negative_f32(t) ? -order : order;
}

/* Bits that 16-bit floats lack. */
#define DROPPED_f16  0x1fffu
#define DROPPED_bf16 0xffffu
/* The tie of two 16-bit floats that |y| is, or is closer to than `tolerance`; 0: none. A sum with 2^-14 has the last place
   of denormal float16. */
static inline float tie_near(float y, float tolerance, uint32_t dropped) {
  const uint32_t normal = dropped == DROPPED_f16 ? 0x38800000u : 0;
  const float a = magnitude_f32(y), up = bits_of_float(a) < normal ? 0x1p-14f : 0, sum = plus_f32(a, up);
  const float tie = float_of_bits(((bits_of_float(sum) & ~dropped) + (dropped >> 1)) + 1);
  const bool is_near = less_f32(magnitude_f32(minus_f32(sum, tie)), tolerance);
  return is_near || bits_of_float(sum) == bits_of_float(tie) ? minus_f32(tie, up) : 0;
}
/* logaddexp of negative numbers may cancel: its error is below 2^-25 of the larger. */
static inline float tolerance_of_sum(float a, float b, bool cancels) {
  const float large = less_f32(a, b) ? b : a;
  return cancels && is_negative_f32(large) ? times_f32(large, -0x1p-25f) : 0;
}

/* Enumerator; name; true if it may cancel. */
#define STREW_TIED(X)                                                                                                  \
  X(POW, pow, false)                                                                                                   \
  X(ATAN2, atan2, false)                                                                                               \
  X(HYPOT, hypot, false)                                                                                               \
  X(LOGADDEXP, logaddexp, true)

#define HALF(ENUM, name, cancels)                                                                                      \
  /* The float32 result y, moved off a tie. */                                                                         \
  static inline float name##_off_tie(float a, float b, float y, uint32_t dropped) {                                    \
    const float tie = tie_near(y, tolerance_of_sum(a, b, cancels), dropped), t = signed_as_f32(tie, y);                \
    return bits_of_float(tie) == 0 ? y : float_of_bits(bits_of_float(t) + (uint32_t)name##_order(a, b, t));            \
  }                                                                                                                    \
  static inline float name##_f16(float a, float b) { return name##_off_tie(a, b, name##_f32(a, b), DROPPED_f16); }     \
  static inline float name##_bf16(float a, float b) { return name##_off_tie(a, b, name##_f32(a, b), DROPPED_bf16); }
STREW_TIED(HALF)
#undef HALF

#endif
