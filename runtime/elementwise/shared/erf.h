/* erf.h: the error function, its complement, and x Phi(x) (gelu), where Phi is the normal distribution. They use
   only + - * / and integers, all correctly rounded, so every device gives the same bits; they have no branch and no
   table, so loops of them are vectorised. C11 and OpenCL C.

   Below 1/2 erf(x) is x times a polynomial. Above, erfc(x) is e^(-x^2) / (1 + 2 x) times one of q = (x - K) / (x + K),
   a number between -1 and 1 (Shepherd and Laframboise 1981). All factors are sums of two floats, so nearly all of the
   error comes from the last sum, which is rounded once.

   Largest error in units in the last place, of every float32 and of 300,000 float64, denormal ones included:
     erf 0.80, 0.71   erfc 0.81, 0.79   gelu 0.80, 0.64 */
#ifndef STREW_ERF_H
#define STREW_ERF_H

#include "power.h"

/* K, and the second polynomial at q = 0; 2 / sqrt(pi); sqrt(1/2); ends, from which erfc and gelu of -x are 0. Then the
   polynomials: (erf(x) / x - 2 / sqrt(pi)) / z, where z = x^2 <= 1/4, and the other. */
#define ERFC_MIDDLE_f32      2, 0x1.46e80ep0f, 0x1.0379ep-27f
#define TWO_OVER_ROOT_PI_f32 make_pair_f32(0x1.20dd76p0f, -0x1.f7ac92p-25f)
#define ROOT_HALF_f32        make_pair_f32(0x1.6a09e6p-1f, 0x1.9fcef4p-27f)
#define FAR_BELOW_1_f32      0x17800000u /* 2^-80 */
#define ERFC_END_f32         10.3f
#define GELU_END_f32         14.8f
INLINED float erf_series_f32(float z) {
  float series = horner_f32(0.0048253625f, z, -0.026807263f);
  series = horner_f32(horner_f32(series, z, 0.112835266f), z, -0.37612638f);
  return series;
}
INLINED float erfc_series_f32(float q) {
  float series = horner_f32(2.4074124e-4f, q, -3.235658e-4f);
  series = horner3_f32(series, q, -0.0014913116f, 0.0012255533f, 0.008733911f);
  series = horner3_f32(series, q, -0.008026804f, -0.05422146f, 0.16405082f);
  series = horner_f32(horner_f32(series, q, -0.16603033f), q, -0.09276382f);
  return series;
}
INLINED float erfc_slope_f32(float q) { return horner3_f32(-0.202f, q, 0.479f, -0.332f, -0.0922f); }

#ifdef HAS_FLOAT64
#define ERFC_MIDDLE_f64      3, 0x1.40c522d7e4987p0, 0x1.86bd699897348p-55
#define TWO_OVER_ROOT_PI_f64 make_pair_f64(0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56)
#define ROOT_HALF_f64        make_pair_f64(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55)
#define FAR_BELOW_1_f64      0x1770000000000000u /* 2^-648 */
#define ERFC_END_f64         27.5
#define GELU_END_f64         39
INLINED double erf_series_f64(double z) {
  double series = horner_f64(-1.5135832421522592e-07, z, 1.6426463889796547e-06);
  series = horner3_f64(series, z, -1.4925448892624566e-05, 0.00012055343878797771, -0.0008548327290057735);
  series = horner3_f64(series, z, 0.005223977628050876, -0.026866170645252242, 0.11283791670955365);
  series = horner_f64(series, z, -0.37612638903183754);
  return series;
}
INLINED double erfc_series_f64(double q) {
  double series = horner_f64(-1.467973430651285e-08, q, 2.2330058824883665e-08);
  series = horner3_f64(series, q, 1.0979605256051553e-07, -1.2013724067077697e-07, -6.275983113691295e-07);
  series = horner3_f64(series, q, 3.430936617990697e-07, 3.4801575711009728e-06, -7.259925820000533e-07);
  series = horner3_f64(series, q, -2.0103827954806248e-05, 4.948055839056283e-06, 0.00012510020860592613);
  series = horner3_f64(series, q, -0.00010515956066182034, -0.0007798324123757512, 0.001888690333789242);
  series = horner3_f64(series, q, 0.0025293918298620556, -0.02377051491700955, 0.06830802734323194);
  series = horner3_f64(series, q, -0.11927366341536591, 0.12964515870277918, -0.04756229435344993);
  series = horner_f64(series, q, -0.1356211061245813);
  return series;
}
INLINED double erfc_slope_f64(double q) { return horner3_f64(-0.494, q, 0.579, -0.107, -0.149); }
#endif

#define ERRORS(s)                                                                                                      \
  /* erf(x) of x < 1/2, else erfc(x), times 2^k; x >= 0; square is x^2. */                                             \
  typedef struct {                                                                                                     \
    pair_##s value;                                                                                                    \
    B_##s k;                                                                                                           \
    bool is_near;                                                                                                      \
  } erf_parts_##s;                                                                                                     \
  INLINED erf_parts_##s parts_of_erf_##s(pair_##s x, pair_##s square, W_##s middle, W_##s first, W_##s second) {       \
    erf_parts_##s result;                                                                                              \
    const W_##s n = minus_##s(x.high, middle), d = plus_##s(x.high, middle), q = divide_##s(n, d);                     \
    const W_##s n_rest = rest_of_any_sum_##s(x.high, negate_##s(middle), n), product = times_##s(q, d);                \
    W_##s lost = minus_##s(minus_##s(n, product), rest_of_product_##s(q, d, product));                                 \
    const W_##s d_rest = plus_##s(rest_of_any_sum_##s(x.high, middle, d), x.low);                                      \
    lost = minus_##s(plus_##s(lost, plus_##s(n_rest, x.low)), times_##s(q, d_rest));                                   \
    lost = times_##s(divide_##s(lost, d), erfc_slope_##s(q)); /* by the error of q */                                  \
    const W_##s step = times_##s(q, erfc_series_##s(q)), sum = plus_##s(first, step);                                  \
    const pair_##s above = make_pair_##s(sum, plus_##s(rest_of_sum_##s(first, step, sum), plus_##s(second, lost)));    \
    const W_##s twice = plus_##s(x.high, x.high), whole = plus_##s(twice, 1);                                          \
    const W_##s rest = plus_##s(rest_of_any_sum_##s(twice, 1, whole), plus_##s(x.low, x.low));                         \
    const pair_##s below = make_pair_##s(whole, rest), quotient = divide_pairs_##s(above, below);                      \
    const exp_parts_##s e =                                                                                            \
        parts_of_exp_##s(negate_##s(square.high), negate_##s(square.low), false, EXP_RANGE_##s, LN2_##s);              \
    const pair_##s power = settle_pair_##s(make_pair_##s(e.high, e.low)), far = times_pairs_##s(quotient, power);      \
    const pair_##s scaled = times_pairs_##s(x, TWO_OVER_ROOT_PI_##s);                                                  \
    const W_##s more = times_##s(times_##s(x.high, square.high), erf_series_##s(square.high));                         \
    const pair_##s near = make_pair_##s(scaled.high, plus_##s(scaled.low, more));                                      \
    result.is_near = less_##s(x.high, (W_##s)0.5f);                                                                    \
    result.value.high = either_##s(result.is_near, near.high, far.high);                                               \
    result.value.low = either_##s(result.is_near, near.low, far.low);                                                  \
    result.k = e.k & ((B_##s)result.is_near - 1);                                                                      \
    return result;                                                                                                     \
  }                                                                                                                    \
  INLINED erf_parts_##s parts_of_error_##s(W_##s x) {                                                                  \
    const W_##s square = times_##s(x, x);                                                                              \
    return parts_of_erf_##s(make_pair_##s(x, 0), make_pair_##s(square, rest_of_product_##s(x, x, square)),             \
                            ERFC_MIDDLE_##s);                                                                          \
  }                                                                                                                    \
  /* base, and the value times a sign (a bit) */                                                                       \
  INLINED W_##s add_error_##s(W_##s base, pair_##s value, B_##s k, B_##s sign) {                                       \
    const W_##s high = s##_of_bits(bits_of_##s(value.high) ^ sign), low = s##_of_bits(bits_of_##s(value.low) ^ sign);  \
    const W_##s alone = scale_##s(plus_##s(high, low), k), part = scale_##s(high, k), sum = plus_##s(base, part);      \
    const W_##s rest = plus_##s(rest_of_any_sum_##s(base, part, sum), scale_##s(low, k));                              \
    return either_##s(equal_##s(base, 0), alone, plus_##s(sum, rest));                                                 \
  }                                                                                                                    \
  INLINED W_##s at_most_##s(W_##s x, W_##s end) { return less_##s(end, x) ? end : x; }                                 \
  INLINED W_##s erf_##s(W_##s x) {                                                                                     \
    const W_##s a = at_most_##s(magnitude_##s(x), ERFC_END_##s);                                                       \
    const bool tiny = bits_of_##s(a) < FAR_BELOW_1_##s; /* multiplied by a power of 2: products must not underflow */  \
    const erf_parts_##s parts = parts_of_error_##s(either_##s(tiny, scale_##s(a, BIAS_##s / 2), a));                   \
    const B_##s k = tiny ? 0 - (B_##s)(BIAS_##s / 2) : parts.k, sign = parts.is_near ? 0 : SIGN_##s;                   \
    return signed_as_##s(add_error_##s(either_##s(parts.is_near, 0, 1), parts.value, k, sign), x);                     \
  }                                                                                                                    \
  INLINED W_##s erfc_##s(W_##s x) {                                                                                    \
    const bool negative = less_##s(x, 0);                                                                              \
    const erf_parts_##s parts = parts_of_error_##s(at_most_##s(magnitude_##s(x), ERFC_END_##s));                       \
    const B_##s sign = (bits_of_##s(x) & SIGN_##s) ^ (B_##s)parts.is_near * SIGN_##s;                                  \
    const W_##s base = either_##s(parts.is_near, 1, either_##s(negative, 2, 0));                                       \
    return add_error_##s(base, parts.value, parts.k, sign);                                                            \
  }                                                                                                                    \
  INLINED W_##s gelu_##s(W_##s x) {                                                                                    \
    const bool negative = less_##s(x, 0);                                                                              \
    const W_##s a = at_most_##s(magnitude_##s(x), GELU_END_##s), halved = times_##s(a, (W_##s)0.5f);                   \
    const W_##s square = half_square_##s(a), rest = rest_of_half_square_##s(a), sum = plus_##s(square, rest);          \
    const pair_##s squares = make_pair_##s(sum, rest_of_sum_##s(square, rest, sum));                                   \
    const pair_##s y = settle_pair_##s(times_pairs_##s(make_pair_##s(a, 0), ROOT_HALF_##s));                           \
    const erf_parts_##s parts = parts_of_erf_##s(y, squares, ERFC_MIDDLE_##s);                                         \
    const pair_##s value = times_pairs_##s(settle_pair_##s(parts.value), make_pair_##s(halved, 0));                    \
    const W_##s base = either_##s(parts.is_near, times_##s(x, (W_##s)0.5f), either_##s(negative, 0, x));               \
    W_##s result = add_error_##s(base, value, parts.k, (B_##s) !parts.is_near * SIGN_##s);                             \
    result = either_##s(less_##s(GELU_END_##s, x), x, result);                                                         \
    /* x / 2 of tiny x */                                                                                              \
    return either_##s(bits_of_magnitude_##s(x) < TINY_##s, times_##s(x, (W_##s)0.5f), result);                         \
  }
ERRORS(f32)
#ifdef HAS_FLOAT64
ERRORS(f64)
#endif
#undef ERRORS

#endif
