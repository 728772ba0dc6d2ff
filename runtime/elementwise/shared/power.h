/* power.h: x^y = e^(y log x) for any x and y. It uses only + - * / and integers, all correctly rounded, so every device
   gives the same bits; it has no branch and no table, so loops of it are vectorised. C11 and OpenCL C.

   x^3 is a product.

   An error of y log x is one of the result, multiplied by up to 745. So log |x| and its product with y are sums of two
   floats, high and low, with twice the digits. log(1 + f) is 2 artanh t, where t = f / (2 + f): see logarithm.h.

   Largest error of a million random powers of each kind in check_functions.c, in units in the last place: 0.53, and
   0.76 if the result is denormal, which rounds twice. */
#ifndef STREW_POWER_H
#define STREW_POWER_H

#include "double_sums.h"
#include "exponential.h"
#include "logarithm.h"

/* 2/3 as a sum; the first float after which all are whole */
#define TWO_THIRDS_f32 0x1.555556p-1f, -0x1.555556p-26f
#define WHOLES_f32     0x1p23f
/* e^x is 0 below and infinite above. */
#define EXP_RANGE_f32 -105, 90
/* Above, y log x is out of that range. */
#define POW_LIMIT_f32 200
/* Cubes of numbers from here to there are products. */
#define LEAST_CUBE_f32 0x1p-33f
#define MOST_CUBE_f32  0x1p42f

/* (2 artanh(t) - 2 t - 2/3 t^3) / t^3, where z = t^2 < 0.0296 */
INLINED pair_f32 pow_series_f32(pair_f32 z) {
  const float series = horner_f32(horner_f32(0.234321713f, z.high, 0.28546533f), z.high, 0.400001585f);
  return make_pair_f32(times_f32(z.high, series), 0);
}

#ifdef HAS_FLOAT64
#define TWO_THIRDS_f64 0x1.5555555555555p-1, 0x1.5555555555555p-55
#define WHOLES_f64     0x1p52
#define EXP_RANGE_f64  -750, 710
#define POW_LIMIT_f64  1000
#define LEAST_CUBE_f64 0x1p-300
#define MOST_CUBE_f64  0x1p341

/* The term of 2/5, too, is a sum of two. */
INLINED pair_f64 pow_series_f64(pair_f64 z) {
  double series = horner_f64(0.11924953345359929, z.high, 0.11683401197079549);
  series = horner3_f64(series, z.high, 0.13335841096792511, 0.15384570985718735, 0.18181818630859575);
  series = horner_f64(horner_f64(series, z.high, 0.22222222219840237), z.high, 0.28571428571433621);
  series = times_f64(series, z.high);
  const double sum = plus_f64(0x1.999999999999ap-2, series);
  const double rest = plus_f64(rest_of_sum_f64(0x1.999999999999ap-2, series, sum), -0x1.999999999999ap-56);
  return times_pairs_f64(z, make_pair_f64(sum, rest));
}
#endif

#define POWER(s)                                                                                                       \
  INLINED pair_##s log_pair_##s(W_##s x, W_##s two_high, W_##s two_low, W_##s third, W_##s third_low) {                \
    const W_##s k = log_count_##s(x), f = log_fraction_##s(x);                                                         \
    const W_##s below = plus_##s(2, f), inverse = divide_##s(1, below), high = times_##s(f, inverse);                  \
    const W_##s product = times_##s(high, below);                                                                      \
    W_##s low = minus_##s(minus_##s(f, product), rest_of_product_##s(high, below, product));                           \
    low = times_##s(minus_##s(low, times_##s(high, rest_of_sum_##s(2, f, below))), inverse);                           \
    const pair_##s t = make_pair_##s(high, low), z = times_pairs_##s(t, t), series = pow_series_##s(z);                \
    const W_##s sum = plus_##s(third, series.high);                                                                    \
    low = plus_##s(rest_of_sum_##s(third, series.high, sum), plus_##s(third_low, series.low));                         \
    const pair_##s cube = times_pairs_##s(times_pairs_##s(t, z), make_pair_##s(sum, low));                             \
    const W_##s whole = times_##s(k, two_high), twice = plus_##s(high, high), first = plus_##s(whole, twice);          \
    const W_##s second = plus_##s(first, cube.high);                                                                   \
    low = plus_##s(rest_of_sum_##s(whole, twice, first), rest_of_sum_##s(first, cube.high, second));                   \
    low = plus_##s(low, plus_##s(plus_##s(t.low, t.low), plus_##s(cube.low, times_##s(k, two_low))));                  \
    const W_##s result = plus_##s(second, low);                                                                        \
    return make_pair_##s(result, rest_of_sum_##s(second, low, result));                                                \
  }                                                                                                                    \
  /* x^y of zeros, infinities and 1: 1, or infinity if it grows, or 0. */                                              \
  INLINED W_##s end_of_pow_##s(B_##s a, B_##s y_sign) {                                                                \
    const B_##s shrinks = (B_##s)(a < ONE_##s) ^ ((B_##s)(y_sign != 0));                                               \
    return either_##s(a == ONE_##s, 1, either_##s(shrinks == 0, (W_##s)INFINITY, 0));                                  \
  }                                                                                                                    \
  /* x^3: a product of which both rounding errors are added, which have no error in that range. */                     \
  INLINED bool is_cube_##s(W_##s x, W_##s y) {                                                                         \
    const B_##s least = bits_of_##s(LEAST_CUBE_##s), most = bits_of_##s(MOST_CUBE_##s);                                \
    return (int)equal_##s(y, 3) & (int)(bits_of_magnitude_##s(x) - least < most - least);                              \
  }                                                                                                                    \
  INLINED W_##s cube_##s(W_##s x) {                                                                                    \
    const W_##s square = times_##s(x, x), product = times_##s(square, x);                                              \
    const W_##s rest = times_##s(rest_of_product_##s(x, x, square), x);                                                \
    return plus_##s(product, plus_##s(rest, rest_of_product_##s(square, x, product)));                                 \
  }                                                                                                                    \
  /* x^y of others */                                                                                                  \
  INLINED W_##s any_pow_##s(W_##s x, W_##s y) {                                                                        \
    const B_##s a = bits_of_magnitude_##s(x), b = bits_of_magnitude_##s(y);                                            \
    const B_##s x_sign = bits_of_##s(x) ^ a, y_sign = bits_of_##s(y) ^ b;                                              \
    const pair_##s logarithm = log_pair_##s(s##_of_bits(a), LN2_##s, TWO_THIRDS_##s);                                  \
    const W_##s product = times_##s(y, logarithm.high);                                                                \
    W_##s rest = plus_##s(rest_of_product_##s(y, logarithm.high, product), times_##s(y, logarithm.low));               \
    rest = either_##s(less_##s(magnitude_##s(product), POW_LIMIT_##s), rest, 0);                                       \
    const exp_parts_##s parts = parts_of_exp_##s(product, rest, false, EXP_RANGE_##s, LN2_##s);                        \
    W_##s result = scale_##s(plus_##s(parts.high, parts.low), parts.k);                                                \
    const B_##s ends = (B_##s)(b == INFINITE_##s) | (B_##s)(a == 0) | (B_##s)(a == INFINITE_##s);                      \
    result = either_##s(ends != 0, end_of_pow_##s(a, y_sign), result);                                                 \
    /* Whether y is whole, and odd: all are whole from WHOLES on, and even from twice that on. */                      \
    const B_##s wholes = bits_of_##s(WHOLES_##s), small = b < wholes,                                                  \
                odd_wholes = b - wholes < (B_##s)1 << FRACTION_##s;                                                    \
    const W_##s sum = plus_##s(s##_of_bits(b), WHOLES_##s);                                                            \
    const B_##s whole = bits_of_##s(minus_##s(sum, WHOLES_##s)) == b;                                                  \
    const B_##s odd = ((small & whole & bits_of_##s(sum)) | (odd_wholes & b)) & 1;                                     \
    result = s##_of_bits(bits_of_##s(result) | (x_sign & (0 - odd)));                                                  \
    /* Negative numbers, except -0 and -infinity, have only whole powers. */                                           \
    const B_##s undefined = small & (whole ^ 1) & (B_##s)(a - 1 < INFINITE_##s - 1);                                   \
    result = either_##s((x_sign & (0 - undefined)) != 0, (W_##s)NAN, result);                                          \
    result = either_##s(a > INFINITE_##s, x, result);                                                                  \
    result = either_##s(b > INFINITE_##s, y, result);                                                                  \
    const B_##s one = (B_##s)(b == 0) | (B_##s)(bits_of_##s(x) == ONE_##s);                                            \
    return either_##s(one != 0, 1, result);                                                                            \
  }                                                                                                                    \
  INLINED W_##s pow_##s(W_##s x, W_##s y) { return is_cube_##s(x, y) ? cube_##s(x) : any_pow_##s(x, y); }
POWER(f32)
#ifdef HAS_FLOAT64
POWER(f64)
#endif
#undef POWER

#endif
