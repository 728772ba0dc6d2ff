/* logarithm.h: logarithms to base e, 2 and 10, and of 1 + x. They use only + - * / and integers, all correctly rounded,
   so every device gives the same bits; they have no branch and no table, so loops of them are vectorised. C11 and
   OpenCL C.

   x = 2^k (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2). With t = f / (2 + f), log(1 + f) = 2 artanh t
   = f - f^2/2 + t (f^2/2 + t^2 series(t^2)). f - f^2/2 is kept without error, as a sum. Of it the upper half is split
   off, whose products with the upper halves of constants have no error. So nearly all of the error comes from the last
   sum, which is rounded once.

   Largest error in units in the last place, of every float32 and of 25 million float64:
     log 0.66, 0.66   log2 0.77, 0.72   log10 0.69, 0.66   log1p 0.66, 0.66 */
#ifndef STREW_LOGARITHM_H
#define STREW_LOGARITHM_H

#include "double_sums.h"
#include "horner.h"

/* sqrt(1/2), rounded down */
#define ROOT_OF_HALF_f32 0x3f3504f3u

/* In base b: log 2 and log e as sums of two, the first of so few bits that its products have no error; log e. */
#define IN_E_f32  0x1.62e4p-1f, 0x1.7f7d1cp-20f, 1, 0, 1
#define IN_2_f32  1, 0, 0x1.716p0f, -0x1.7135a8p-13f, 0x1.715476p0f
#define IN_10_f32 0x1.3442p-2f, -0x1.95ec1p-19f, 0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.bcb7b2p-2f

/* (2 artanh(t) - 2 t) / t, where z = t^2 < 0.0296 */
INLINED float log_series_f32(float z) {
  return times_f32(horner3_f32(0.24028334f, z, 0.285101622f, 0.4000085f, 0.666666627f), z);
}

#ifdef HAS_FLOAT64
#define ROOT_OF_HALF_f64 0x3fe6a09e667f3bccu
#define IN_E_f64         0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45, 1, 0, 1
#define IN_2_f64         1, 0, 0x1.7154768p0, -0x1.6a3e80f444178p-27, 0x1.71547652b82fep0
#define IN_10_f64                                                                                                      \
  0x1.34413509f78p-2, 0x1.fef311f12b358p-46, 0x1.bcb7b18p-2, -0x1.6c8d78e6acaa4p-29, 0x1.bcb7b1526e50ep-2

INLINED double log_series_f64(double z) {
  double series = horner_f64(0.14806476550030362, z, 0.15313024763447428);
  series = horner3_f64(series, z, 0.18183603499020431, 0.22222197833440932, 0.28571428749527999);
  return times_f64(horner_f64(horner_f64(series, z, 0.39999999999382257), z, 0.66666666666667396), z);
}
#endif

#define LOGARITHM(s)                                                                                                       \
  /* 2^k (1 + f), of positive bits: k with its bias, and 1 + f. */                                                         \
  INLINED B_##s log_exponent_##s(B_##s bits) { return (bits + (ONE_##s - ROOT_OF_HALF_##s)) >> FRACTION_##s; }             \
  INLINED W_##s log_significand_##s(B_##s bits) {                                                                          \
    return s##_of_bits(bits - ((log_exponent_##s(bits) - BIAS_##s) << FRACTION_##s));                                      \
  }                                                                                                                        \
  /* The logarithm of 2^k (1 + f), and rest, which is small. */                                                            \
  INLINED pair_##s log_sum_##s(W_##s k, W_##s f, W_##s rest, W_##s two_high, W_##s two_low, W_##s e_high, W_##s e_low,     \
                               W_##s e) {                                                                                  \
    const W_##s t = divide_##s(f, plus_##s(2, f)), halved = half_square_##s(f), more = rest_of_half_square_##s(f);         \
    const W_##s first = minus_##s(f, halved), upper = upper_##s(first);                                                    \
    const W_##s series = times_##s(t, plus_##s(plus_##s(halved, more), log_series_##s(times_##s(t, t))));                  \
    rest = plus_##s(rest, minus_##s(minus_##s(minus_##s(f, first), halved), more));                                        \
    rest = plus_##s(plus_##s(rest, minus_##s(first, upper)), series);                                                      \
    const W_##s whole = times_##s(k, two_high), part = times_##s(upper, e_high), sum = plus_##s(whole, part);              \
    const W_##s low = plus_##s(times_##s(rest, e), plus_##s(times_##s(upper, e_low), times_##s(k, two_low)));              \
    return make_pair_##s(sum, plus_##s(rest_of_sum_##s(whole, part, sum), low));                                           \
  }                                                                                                                        \
  /* `result`, except for arguments without a finite logarithm. */                                                         \
  INLINED W_##s log_or_special_##s(W_##s result, W_##s x) {                                                                \
    const B_##s bits = bits_of_##s(x);                                                                                     \
    result = bits < INFINITE_##s ? result : bits == INFINITE_##s ? x : (W_##s)NAN;                                         \
    return (bits & ~SIGN_##s) == 0 ? -(W_##s)INFINITY : result;                                                            \
  }                                                                                                                        \
  /* k and f of a positive x. Denormals are multiplied by 2^FRACTION. */                                                   \
  INLINED B_##s log_normal_##s(W_##s x) {                                                                                  \
    const W_##s large = times_##s(x, s##_of_bits(ONE_##s + ((B_##s)FRACTION_##s << FRACTION_##s)));                        \
    return bits_of_##s(bits_of_##s(x) < (B_##s)1 << FRACTION_##s ? large : x);                                             \
  }                                                                                                                        \
  INLINED W_##s log_count_##s(W_##s x) {                                                                                   \
    const B_##s less = bits_of_##s(x) < (B_##s)1 << FRACTION_##s ? BIAS_##s + FRACTION_##s : BIAS_##s;                     \
    return whole_##s(log_exponent_##s(log_normal_##s(x)) - less);                                                          \
  }                                                                                                                        \
  INLINED W_##s log_fraction_##s(W_##s x) { return minus_##s(log_significand_##s(log_normal_##s(x)), 1); }                 \
  INLINED W_##s log_in_base_##s(W_##s x, W_##s two_high, W_##s two_low, W_##s e_high, W_##s e_low, W_##s e) {              \
    const W_##s k = log_count_##s(x), f = log_fraction_##s(x);                                                             \
    const pair_##s sum = log_sum_##s(k, f, 0, two_high, two_low, e_high, e_low, e);                                        \
    return log_or_special_##s(sum_of_pair_##s(sum), x);                                                                    \
  }                                                                                                                        \
  INLINED W_##s log_##s(W_##s x) { return log_in_base_##s(x, IN_E_##s); }                                                  \
  INLINED W_##s log2_##s(W_##s x) { return log_in_base_##s(x, IN_2_##s); }                                                 \
  INLINED W_##s log10_##s(W_##s x) { return log_in_base_##s(x, IN_10_##s); }                                               \
  /* log(2^more (1 + x)), where more is 0 unless x is large. The rounding error of u = 1 + x is divided by u:            \
     log(u + rest) = log u + rest / u. Where k is 0, f is x. */ \
  INLINED pair_##s log1p_of_pair_##s(pair_##s x, W_##s more) {                                                             \
    const W_##s u = plus_##s(1, x.high), lost = plus_##s(rest_of_any_sum_##s(1, x.high, u), x.low);                        \
    const B_##s bits = bits_of_##s(u), k = log_exponent_##s(bits) - BIAS_##s;                                              \
    const W_##s f = minus_##s(log_significand_##s(bits), 1), rest = divide_##s(k == 0 ? x.low : lost, u);                  \
    return log_sum_##s(plus_##s(whole_##s(k), more), k == 0 ? x.high : f, rest, IN_E_##s);                                 \
  }                                                                                                                        \
  INLINED W_##s log1p_##s(W_##s x) {                                                                                       \
    const pair_##s sum = log1p_of_pair_##s(make_pair_##s(x, 0), 0);                                                        \
    const bool tiny = bits_of_magnitude_##s(x) < TINY_##s;                                                                 \
    return tiny ? x : log_or_special_##s(sum_of_pair_##s(sum), plus_##s(1, x));                                            \
  }
LOGARITHM(f32)
#ifdef HAS_FLOAT64
LOGARITHM(f64)
#endif
#undef LOGARITHM

#endif
