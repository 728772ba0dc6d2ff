/* exponential.h: e^x, e^x - 1, and tanh, which uses them. They use only + - * / and integers, all correctly rounded, so
   every device gives the same bits; they have no branch and no table, so loops of them are vectorised. C11 and OpenCL
   C.

   x = k ln 2 + r, where |r| <= ln 2 / 2, and e^x = 2^k e^r. k ln 2 is subtracted in two parts, the first of which is
   exact. The rounding error of the second is added later, where it is not negligible, and so is that of 1 + r. So
   nearly all of the error comes from the last sum, which is rounded once. */
#ifndef STREW_EXPONENTIAL_H
#define STREW_EXPONENTIAL_H

#include "float_parts.h"

/* ------------------------------------------------------------------------------------------------------- float32 */

/* e^(x + more) is (sum + rest) 2^k; |rest| is below 0.1. */
typedef struct {
  float sum, rest;
  uint32_t k;
} exp_sum_f32;
INLINED exp_sum_f32 sum_of_exp_f32(float x, float more) {
  exp_sum_f32 result;
  float shifted = plus_f32(times_f32(x, 0x1.715476p0f), 0x1.8p23f); /* its low bits are k, rounded */
  float k = minus_f32(shifted, 0x1.8p23f);
  float rest = minus_f32(x, times_f32(k, 0x1.62e4p-1f)), second = minus_f32(times_f32(k, 0x1.7f7d1cp-20f), more);
  float r = minus_f32(rest, second), lost = minus_f32(minus_f32(rest, r), second);
  float series = horner_f32(0.00138145985f, r, 0.00836871688f);
  series = horner3_f32(series, r, 0.0416683880f, 0.166665206f, 0.499999934f);
  result.sum = plus_f32(1, r);
  lost = plus_f32(lost, minus_f32(r, minus_f32(result.sum, 1)));
  result.rest = plus_f32(lost, times_f32(times_f32(r, r), series));
  result.k = bits_of_float(shifted) - 0x4b400000u;
  return result;
}
INLINED float exp_f32(float x) {
  /* Outside, the result is 0 or infinity; NaN stays. */
  x = less_f32(x, -105) ? -105 : x;
  const exp_sum_f32 e = sum_of_exp_f32(less_f32(90, x) ? 90 : x, 0);
  return scale_f32(plus_f32(e.sum, e.rest), e.k);
}

/* 1 - 2 / (e^2x + 1); near 0, where that cancels, a polynomial. */
INLINED float tanh_f32(float x) {
  float a = magnitude_f32(x), z = times_f32(a, a);
  float series = horner_f32(-5.69645869e-4f, z, 2.84771255e-3f);
  series = horner3_f32(series, z, -8.50490169e-3f, 0.0217705818f, -0.0539533320f);
  series = horner_f32(horner_f32(series, z, 0.133332252f), z, -0.333333307f);
  float near = plus_f32(a, times_f32(a, times_f32(z, series)));
  float far = minus_f32(1, divide_f32(2, plus_f32(exp_f32(plus_f32(a, a)), 1)));
  float result = less_f32(a, 0.8f) ? near : far;
  return is_negative_f32(x) ? negate_f32(result) : result;
}

/* ------------------------------------------------------------------------------------------------------- float64 */

#ifdef HAS_FLOAT64
typedef struct {
  double sum, rest;
  uint64_t k;
} exp_sum_f64;
INLINED exp_sum_f64 sum_of_exp_f64(double x, double more) {
  exp_sum_f64 result;
  double shifted = plus_f64(times_f64(x, 0x1.71547652b82fep0), 0x1.8p52);
  double k = minus_f64(shifted, 0x1.8p52);
  double rest = minus_f64(x, times_f64(k, 0x1.62e42fefa4p-1));
  double second = minus_f64(times_f64(k, -0x1.8432a1b0e2634p-43), more);
  double r = minus_f64(rest, second), lost = minus_f64(minus_f64(rest, r), second);
  double series = horner_f64(2.0826627449866923e-9, r, 2.5112036852469264e-8);
  series = horner3_f64(series, r, 2.7557581846648346e-7, 2.7557234861912322e-6, 2.4801586926635664e-5);
  series = horner3_f64(series, r, 1.9841269896383779e-4, 1.3888888889115626e-3, 8.3333333333170343e-3);
  series = horner3_f64(series, r, 4.1666666666666094e-2, 0.16666666666666683, 0.5);
  result.sum = plus_f64(1, r);
  lost = plus_f64(lost, minus_f64(r, minus_f64(result.sum, 1)));
  result.rest = plus_f64(lost, times_f64(times_f64(r, r), series));
  result.k = bits_of_double(shifted) - 0x4338000000000000u;
  return result;
}
INLINED double exp_f64(double x) {
  x = less_f64(x, -750) ? -750 : x;
  const exp_sum_f64 e = sum_of_exp_f64(less_f64(710, x) ? 710 : x, 0);
  return scale_f64(plus_f64(e.sum, e.rest), e.k);
}
#endif

/* --------------------------------------------------------------------------------------------------- e^x - 1

   2^k e^r - 1 = 2^k ((1 - 2^-k) + r + r^2/2 + r^3 series(r)), where the sums of the first three keep their errors.
   Largest error in units in the last place: 0.59 of every float32, 0.61 of 25 million float64; of tanh of float64
   0.57. */

#define LOG2_E_f32 0x1.715476p0f
#define LN2_f32    0x1.62e4p-1f, 0x1.7f7d1cp-20f /* as a sum; products of the first with k have no error */

/* (e^r - 1 - r - r^2/2) / r^3 */
INLINED float expm1_series_f32(float r) {
  float series = horner_f32(1.99584712e-4f, r, 1.39336975e-3f);
  return horner3_f32(series, r, 8.33319221e-3f, 0.0416664779f, 0.166666672f);
}
/* The result is -1 below and infinite above. */
#define EXPM1_RANGE_f32 -18, 90

#ifdef HAS_FLOAT64
#define LOG2_E_f64 0x1.71547652b82fep0
#define LN2_f64    0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43

INLINED double expm1_series_f64(double r) {
  double series = horner_f64(2.0919494996596841e-9, r, 2.5109169541356204e-8);
  series = horner3_f64(series, r, 2.75572592197061e-7, 2.7557243807518892e-6, 2.4801587340607243e-5);
  series = horner3_f64(series, r, 1.9841269886554226e-4, 1.3888888888877447e-3, 8.3333333333214452e-3);
  return horner_f64(horner_f64(series, r, 0.041666666666666678), r, 0.16666666666666677);
}
#define EXPM1_RANGE_f64 -38, 710
#endif

#define EXPM1(s)                                                                                                       \
  /* 2^k * (high + low) */                                                                                             \
  typedef struct {                                                                                                     \
    W_##s high, low;                                                                                                   \
    B_##s k;                                                                                                           \
  } exp_parts_##s;                                                                                                     \
  /* e^(x + more), and minus 1, where |more| is small and x is clamped to lowest..highest.  */                         \
  INLINED exp_parts_##s parts_of_exp_##s(W_##s x, W_##s more, bool minus_one, W_##s lowest, W_##s highest,             \
                                         W_##s ln2_high, W_##s ln2_low) {                                              \
    exp_parts_##s result;                                                                                              \
    x = less_##s(x, lowest) ? lowest : x;                                                                              \
    x = less_##s(highest, x) ? highest : x;                                                                            \
    const W_##s shifted = plus_##s(times_##s(x, LOG2_E_##s), UNIT_##s), k = minus_##s(shifted, UNIT_##s);              \
    result.k = bits_of_##s(shifted) - bits_of_##s(UNIT_##s);                                                           \
    const W_##s rest = minus_##s(x, times_##s(k, ln2_high)), second = minus_##s(times_##s(k, ln2_low), more);          \
    const W_##s r = minus_##s(rest, second), square = times_##s(r, r);                                                 \
    W_##s low = minus_##s(minus_##s(rest, r), second);                                                                 \
    low = plus_##s(low, times_##s(low, r));                                                                            \
    const W_##s power = less_##s(BIAS_##s - 1, k) ? 0 : negate_##s(power_of_two_##s(0 - result.k));                    \
    const W_##s one = minus_one ? power : 0, first = plus_##s(1, one), sum = plus_##s(first, r);                       \
    const W_##s halved = half_square_##s(r);                                                                           \
    low = plus_##s(low, plus_##s(rest_of_any_sum_##s(1, one, first), rest_of_sum_##s(first, r, sum)));                 \
    result.high = plus_##s(sum, halved);                                                                               \
    low = plus_##s(low, rest_of_sum_##s(sum, halved, result.high));                                                    \
    low = plus_##s(low, rest_of_half_square_##s(r));                                                                   \
    result.low = plus_##s(low, times_##s(times_##s(square, r), expm1_series_##s(r)));                                  \
    return result;                                                                                                     \
  }                                                                                                                    \
  INLINED W_##s expm1_##s(W_##s x) {                                                                                   \
    const exp_parts_##s parts = parts_of_exp_##s(x, 0, true, EXPM1_RANGE_##s, LN2_##s);                                \
    const bool tiny = bits_of_magnitude_##s(x) < TINY_##s;                                                             \
    return tiny ? x : scale_##s(plus_##s(parts.high, parts.low), parts.k);                                             \
  }
EXPM1(f32)
#ifdef HAS_FLOAT64
EXPM1(f64)
#endif
#undef EXPM1

#ifdef HAS_FLOAT64
/* d / (d + 2), where d = e^2x - 1; all three as sums of two. */
INLINED double tanh_f64(double x) {
  const double a = magnitude_f64(x);
  const double twice = plus_f64(a, a);
  const exp_parts_f64 parts = parts_of_exp_f64(twice, 0, true, 0, 44, LN2_f64);
  const double sum = plus_f64(parts.high, parts.low), power = power_of_two_f64(parts.k);
  const double high = times_f64(sum, power), low = times_f64(rest_of_sum_f64(parts.high, parts.low, sum), power);
  const double below = plus_f64(high, 2), rest = plus_f64(rest_of_any_sum_f64(high, 2, below), low);
  const double quotient = divide_f64(high, below), product = times_f64(quotient, below);
  double more = minus_f64(minus_f64(high, product), rest_of_product_f64(quotient, below, product));
  more = plus_f64(more, minus_f64(low, times_f64(quotient, rest)));
  const double result = plus_f64(quotient, divide_f64(more, below));
  return bits_of_magnitude_f64(x) < TINY_f64 ? x : signed_as_f64(result, x);
}
#endif

#endif
