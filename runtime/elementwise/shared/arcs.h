/* arcs.h: inverse functions of sine, cosine and tangent. They use only + - * / sqrt and integers, correctly rounded,
   so every device gives the same bits; they have no branch and no table, so loops of them are vectorised. C11 and
   OpenCL C.

   atan(n / d), where n <= d, is that of t = n / d below tan(pi / 8), else pi / 4 plus that of (n - d) / (n + d). Other
   octants follow by symmetry. asin(x) above 1/2 is pi / 2 - 2 asin(sqrt((1 - x) / 2)). Quotients, roots and multiples
   of pi are sums of two floats, so nearly all of the error comes from the last sum, which is rounded once.

   Largest error in units in the last place, of every float32 and of a million float64; of atan2, of a million pairs:
     asin 0.64, 0.71   acos 0.62, 0.66   atan 0.68, 0.67   atan2 0.75, 0.75 */
#ifndef STREW_ARCS_H
#define STREW_ARCS_H

#include "trigonometric.h"

/* (atan t - t) / t^3 and (asin t - t) / t^3, where z = t^2 is at most 0.172, and 1/4 */
INLINED float atan_series_f32(float z) {
  float series = horner_f32(-0.0644957125f, z, 0.107422084f);
  return horner3_f32(series, z, -0.142636538f, 0.19999519f, -0.333333313f);
}
INLINED float asin_series_f32(float z) {
  float series = horner_f32(0.0345158055f, z, 0.0165968481f);
  return horner_f32(horner3_f32(series, z, 0.0312341619f, 0.0445854440f, 0.0750015303f), z, 0.166666657f);
}
/* Beyond, atan2's arguments are divided or multiplied by the second number. */
#define LARGE_f32 0x1p40f, 0x1p90f

#ifdef HAS_FLOAT64
INLINED double atan_series_f64(double z) {
  double series = horner_f64(-0.019252756993400444, z, 0.039297886138136964);
  series = horner3_f64(series, z, -0.050879153647411670, 0.058586595402901081, -0.066645757805873384);
  series = horner3_f64(series, z, 0.076921882567205043, -0.090909048247225114, 0.11111111022333398);
  return horner3_f64(series, z, -0.14285714284775005, 0.19999999999996249, -0.33333333333333331);
}
INLINED double asin_series_f64(double z) {
  double series = horner_f64(0.029058483275533790, z, -0.015306036065440696);
  series = horner3_f64(series, z, 0.017701448371947097, 0.0053430252138134141, 0.010350533394223217);
  series = horner3_f64(series, z, 0.011474729578592723, 0.013971691375606206, 0.017352358601504102);
  series = horner3_f64(series, z, 0.022372174502857439, 0.030381944095536746, 0.044642857146993003);
  return horner_f64(horner_f64(series, z, 0.074999999999980221), z, 0.16666666666666669);
}
#define LARGE_f64 0x1p400, 0x1p600
#endif

#define ARCS(s)                                                                                                        \
  /* quarters * pi / 2 + x + rest, where |x| is smaller if quarters is not 0. */                                       \
  INLINED W_##s add_quarters_##s(W_##s quarters, W_##s x, W_##s rest, W_##s first, W_##s second, W_##s quarter) {      \
    const W_##s whole = times_##s(quarters, first), sum = plus_##s(whole, x);                                          \
    (void)quarter;                                                                                                     \
    rest = plus_##s(plus_##s(rest_of_sum_##s(whole, x, sum), times_##s(quarters, second)), rest);                      \
    return plus_##s(sum, rest);                                                                                        \
  }                                                                                                                    \
  /* atan(n / d), where 0 <= n <= d and ratio is n / d; of d / n if `steep`; pi less that if `behind`. */              \
  INLINED W_##s arc_##s(W_##s n, W_##s d, W_##s ratio, bool steep, bool behind) {                                      \
    const bool infinite = bits_of_##s(n) == INFINITE_##s, zero = equal_##s(n, 0);                                      \
    const bool large = infinite || less_##s(times_##s(d, (W_##s)0.41421356f), n);                                      \
    const bool level = zero || bits_of_##s(d) == INFINITE_##s;                                                         \
    const W_##s sum = plus_##s(d, n), difference = minus_##s(n, d);                                                    \
    const pair_##s sums = make_pair_##s(sum, rest_of_sum_##s(d, n, sum));                                              \
    const pair_##s differences = make_pair_##s(difference, minus_##s(n, plus_##s(difference, d)));                     \
    const pair_##s above = either_pair_##s(large, differences, make_pair_##s(n, 0));                                   \
    const pair_##s below = either_pair_##s(large, sums, make_pair_##s(d, 0)), t = divide_pairs_##s(above, below);      \
    const W_##s z = times_##s(t.high, t.high), low = minus_##s(t.low, times_##s(t.low, z));                            \
    const W_##s rest = plus_##s(low, times_##s(times_##s(t.high, z), atan_series_##s(z)));                             \
    W_##s quarters = large ? (W_##s)0.5f : 0;                                                                          \
    quarters = steep ? minus_##s(1, quarters) : quarters;                                                              \
    quarters = behind ? minus_##s(2, quarters) : quarters;                                                             \
    const B_##s sign = steep != behind ? SIGN_##s : 0;                                                                 \
    const W_##s first = level ? 0 : s##_of_bits(bits_of_##s(t.high) ^ sign);                                           \
    const W_##s second = level ? 0 : s##_of_bits(bits_of_##s(rest) ^ sign);                                            \
    const W_##s result = add_quarters_##s(quarters, first, second, QUARTER_##s);                                       \
    const bool tiny = equal_##s(quarters, 0) && bits_of_##s(ratio) < TINY_##s;                                         \
    return tiny ? ratio : result;                                                                                      \
  }                                                                                                                    \
  INLINED W_##s atan_##s(W_##s x) {                                                                                    \
    const W_##s a = magnitude_##s(x);                                                                                  \
    const bool steep = less_##s(1, a);                                                                                 \
    const W_##s n = either_##s(steep, 1, a), d = either_##s(steep, a, 1);                                              \
    const W_##s result = arc_##s(n, d, n, steep, false);                                                               \
    return signed_as_##s(bits_of_##s(a) > INFINITE_##s ? a : result, x);                                               \
  }                                                                                                                    \
  INLINED W_##s scaled_as_##s(W_##s x, W_##s largest, W_##s limit, W_##s factor) {                                     \
    x = less_##s(limit, largest) ? times_##s(x, divide_##s(1, factor)) : x;                                            \
    return less_##s(largest, divide_##s(1, limit)) ? times_##s(x, factor) : x;                                         \
  }                                                                                                                    \
  INLINED W_##s atan2_##s(W_##s y, W_##s x) {                                                                          \
    const W_##s a = magnitude_##s(y), b = magnitude_##s(x);                                                            \
    const bool steep = less_##s(b, a), undefined = bits_of_##s(a) > INFINITE_##s || bits_of_##s(b) > INFINITE_##s;     \
    const W_##s n = steep ? b : a, d = steep ? a : b, ratio = divide_##s(n, d);                                        \
    const W_##s scaled = scaled_as_##s(n, d, LARGE_##s);                                                               \
    const W_##s result = arc_##s(scaled, scaled_as_##s(d, d, LARGE_##s), ratio, steep, is_negative_##s(x));            \
    return either_##s(undefined, (W_##s)NAN, signed_as_##s(result, y));                                                \
  }                                                                                                                    \
  /* quarters * pi / 2 + factor * asin(a); above 1/2 the far ones, of asin(sqrt((1 - a) / 2)). */                      \
  INLINED W_##s asin_or_acos_##s(W_##s a, W_##s quarters, W_##s factor, W_##s far_quarters, W_##s far_factor) {        \
    const bool far = less_##s((W_##s)0.5f, a);                                                                         \
    const W_##s z = far ? times_##s(minus_##s(1, a), (W_##s)0.5f) : times_##s(a, a);                                   \
    const pair_##s root = root_of_pair_##s(make_pair_##s(z, 0));                                                       \
    const W_##s t = far ? root.high : a, low = far ? root.low : 0;                                                     \
    const W_##s rest = plus_##s(low, times_##s(times_##s(t, z), asin_series_##s(z)));                                  \
    factor = far ? far_factor : factor;                                                                                \
    return add_quarters_##s(far ? far_quarters : quarters, times_##s(factor, t), times_##s(factor, rest),              \
                            QUARTER_##s);                                                                              \
  }                                                                                                                    \
  INLINED W_##s asin_##s(W_##s x) { return signed_as_##s(asin_or_acos_##s(magnitude_##s(x), 0, 1, 1, -2), x); }        \
  INLINED W_##s acos_##s(W_##s x) {                                                                                    \
    const bool negative = is_negative_##s(x);                                                                          \
    return asin_or_acos_##s(magnitude_##s(x), 1, negative ? 1 : -1, negative ? 2 : 0, negative ? -2 : 2);              \
  }
ARCS(f32)
#ifdef HAS_FLOAT64
ARCS(f64)
#endif
#undef ARCS

#endif
