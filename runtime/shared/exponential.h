/* exponential.h: e^x, and tanh, which uses it. They use only + - * / and integers, all correctly rounded, so every
   device gives the same bits; they have no branch and no table, so loops of them are vectorised. C11 and OpenCL C.

   x = k ln 2 + r, where |r| <= ln 2 / 2, and e^x = 2^k e^r. k ln 2 is subtracted in two parts, the first of which is
   exact. The rounding error of the second is added later, where it is not negligible, and so is that of 1 + r. So
   nearly all of the error comes from the last sum, which is rounded once. */
#ifndef STREW_EXPONENTIAL_H
#define STREW_EXPONENTIAL_H

#include "horner.h"

/* ------------------------------------------------------------------------------------------------------- float32 */

/* x * 2^k for k in -160..160, in two steps; the first is exact. */
static inline float scale_f32(float x, uint32_t k) {
  uint32_t biased = k + 2 * 127, first = biased >> 1;
  return times_f32(times_f32(x, float_of_bits(first << 23)), float_of_bits((biased - first) << 23));
}

static inline float exp_f32(float x) {
  /* Outside, the result is 0 or infinity; NaN stays. */
  x = less_f32(x, -105) ? -105 : x;
  x = less_f32(90, x) ? 90 : x;
  float shifted = plus_f32(times_f32(x, 0x1.715476p0f), 0x1.8p23f); /* its low bits are k, rounded */
  float k = minus_f32(shifted, 0x1.8p23f);
  float rest = minus_f32(x, times_f32(k, 0x1.62e4p-1f)), second = times_f32(k, 0x1.7f7d1cp-20f);
  float r = minus_f32(rest, second), lost = minus_f32(minus_f32(rest, r), second);
  float series = horner_f32(0.00138145985f, r, 0.00836871688f);
  series = horner3_f32(series, r, 0.0416683880f, 0.166665206f, 0.499999934f);
  float sum = plus_f32(1, r);
  lost = plus_f32(lost, minus_f32(r, minus_f32(sum, 1)));
  sum = plus_f32(sum, plus_f32(lost, times_f32(times_f32(r, r), series)));
  return scale_f32(sum, bits_of_float(shifted) - 0x4b400000u);
}

/* 1 - 2 / (e^2x + 1); near 0, where that cancels, a polynomial. */
static inline float tanh_f32(float x) {
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
static inline double scale_f64(double x, uint64_t k) {
  uint64_t biased = k + 2 * 1023, first = biased >> 1;
  return times_f64(times_f64(x, double_of_bits(first << 52)), double_of_bits((biased - first) << 52));
}

static inline double exp_f64(double x) {
  x = less_f64(x, -750) ? -750 : x;
  x = less_f64(710, x) ? 710 : x;
  double shifted = plus_f64(times_f64(x, 0x1.71547652b82fep0), 0x1.8p52);
  double k = minus_f64(shifted, 0x1.8p52);
  double rest = minus_f64(x, times_f64(k, 0x1.62e42fefa4p-1)), second = times_f64(k, -0x1.8432a1b0e2634p-43);
  double r = minus_f64(rest, second), lost = minus_f64(minus_f64(rest, r), second);
  double series = horner_f64(2.0826627449866923e-9, r, 2.5112036852469264e-8);
  series = horner3_f64(series, r, 2.7557581846648346e-7, 2.7557234861912322e-6, 2.4801586926635664e-5);
  series = horner3_f64(series, r, 1.9841269896383779e-4, 1.3888888889115626e-3, 8.3333333333170343e-3);
  series = horner3_f64(series, r, 4.1666666666666094e-2, 0.16666666666666683, 0.5);
  double sum = plus_f64(1, r);
  lost = plus_f64(lost, minus_f64(r, minus_f64(sum, 1)));
  sum = plus_f64(sum, plus_f64(lost, times_f64(times_f64(r, r), series)));
  return scale_f64(sum, bits_of_double(shifted) - 0x4338000000000000u);
}

/* The platform's function: the last bits may differ elsewhere. */
static inline double tanh_f64(double x) { return tanh(x); }
#endif

#endif
