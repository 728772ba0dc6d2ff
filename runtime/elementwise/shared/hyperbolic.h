/* hyperbolic.h: hyperbolic functions and their inverses, 2^x, log(e^a + e^b), cube roots and hypotenuses. They use only
   + - * / sqrt and integers, all correctly rounded, so every device gives the same bits; they have no branch and no
   table, so loops of them are vectorised. C11 and OpenCL C.

   Exponentials, arguments of logarithms, quotients and roots are sums of two floats, so nearly all of the error comes
   from the last sum, which is rounded once.

   Largest error in units in the last place, of every float32 and of a million float64; of hypot and logaddexp, of a
   million pairs:
     sinh 0.79, 0.79   cosh 0.53, 0.53   asinh 0.65, 0.64   acosh 0.63, 0.62   atanh 0.65, 0.59   cbrt 0.51, 0.50
     exp2 0.78, 0.77, both if denormal   hypot 0.75, 0.75   logaddexp 0.95, 0.95, unless the sum cancels */
#ifndef STREW_HYPERBOLIC_H
#define STREW_HYPERBOLIC_H

#include "arcs.h"
#include "power.h"

/* log 2; from which x the square root of x^2 + 1 is x to the last bit of its logarithm; the range of 2^x; a third of
   the exponent's bias in the upper 32 bits, less what makes the first cube root best. */
#define LN2_PAIR_f32    make_pair_f32(0x1.62e43p-1f, -0x1.05c61p-29f)
#define LARGE_ROOT_f32  0x1p14f
#define EXP2_RANGE_f32  -152, 130
#define COSH_RANGE_f32  0, 91
#define CBRT_START_f32  0x2a5137a0u
#define CBRT_LARGE_f32  0x1p90f, 0x1p60f, 0x1p-20f
#define RSQRT_SMALL_f32 0x1p-90f, 0x1p60f, 0x1p30f

/* (sinh x - x) / x^3, where z = x^2 <= 1 */
INLINED float sinh_series_f32(float z) {
  return horner3_f32(2.75910747e-6f, z, 1.98463589e-4f, 8.3332984e-3f, 0.166666672f);
}

#ifdef HAS_FLOAT64
#define LN2_PAIR_f64    make_pair_f64(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
#define LARGE_ROOT_f64  0x1p28
#define EXP2_RANGE_f64  -1078, 1026
#define COSH_RANGE_f64  0, 712
#define CBRT_START_f64  0x2a9f7893u
#define CBRT_LARGE_f64  0x1p900, 0x1p600, 0x1p-200
#define RSQRT_SMALL_f64 0x1p-900, 0x1p600, 0x1p300

INLINED double sinh_series_f64(double z) {
  double series = horner_f64(7.7161000810765488e-13, z, 1.6058657399470231e-10);
  series = horner3_f64(series, z, 2.5052105469960139e-8, 2.7557319264769368e-6, 1.984126984111000816e-4);
  return horner_f64(horner_f64(series, z, 8.3333333333335674e-3), z, 0.16666666666666666);
}
#endif

#define HYPERBOLIC(s)                                                                                                  \
  /* (e^a + sign e^-a) / 2, where a >= 0; times 2^(1 - k). */                                                          \
  INLINED W_##s half_of_exps_##s(W_##s a, W_##s sign) {                                                                \
    const exp_parts_##s parts = parts_of_exp_##s(a, 0, false, COSH_RANGE_##s, LN2_##s);                                \
    const pair_##s power = settle_pair_##s(make_pair_##s(parts.high, parts.low));                                      \
    const W_##s above = parts.k < BIAS_##s / 2 ? power_of_two_##s(0 - 2 * parts.k) : 0;                                \
    const pair_##s inverse = divide_pairs_##s(make_pair_##s(times_##s(above, sign), 0), power);                        \
    const W_##s sum = plus_##s(power.high, inverse.high), rest = rest_of_sum_##s(power.high, inverse.high, sum);       \
    return scale_##s(plus_##s(sum, plus_##s(rest, plus_##s(power.low, inverse.low))), parts.k - 1);                    \
  }                                                                                                                    \
  INLINED W_##s sinh_##s(W_##s x) {                                                                                    \
    const W_##s a = magnitude_##s(x), z = times_##s(a, a), far = half_of_exps_##s(a, -1);                              \
    const W_##s near = plus_##s(a, times_##s(times_##s(a, z), sinh_series_##s(z)));                                    \
    return signed_as_##s(less_##s(a, 1) ? near : far, x);                                                              \
  }                                                                                                                    \
  INLINED W_##s cosh_##s(W_##s x) { return half_of_exps_##s(magnitude_##s(x), 1); }                                    \
  /* log(2 x) of large x, else log(1 + f) */                                                                           \
  INLINED W_##s log_of_root_##s(pair_##s f, W_##s x, bool large) {                                                     \
    const W_##s less = minus_##s(x, 1);                                                                                \
    f = either_pair_##s(large, make_pair_##s(less, minus_##s(-1, minus_##s(less, x))), f);                             \
    return log_or_special_##s(sum_of_pair_##s(log1p_of_pair_##s(f, large ? 1 : 0)), plus_##s(1, f.high));              \
  }                                                                                                                    \
  /* log(1 + a + a^2 / (1 + sqrt(1 + a^2))) */                                                                         \
  INLINED W_##s asinh_##s(W_##s x) {                                                                                   \
    const W_##s a = magnitude_##s(x);                                                                                  \
    const bool large = less_##s(LARGE_ROOT_##s, a);                                                                    \
    const W_##s t = large ? 1 : a, square = times_##s(t, t), rest = rest_of_product_##s(t, t, square);                 \
    const W_##s sum = plus_##s(1, square), sum_rest = plus_##s(rest_of_any_sum_##s(1, square, sum), rest);             \
    const pair_##s root = root_of_pair_##s(settle_pair_##s(make_pair_##s(sum, sum_rest)));                             \
    const W_##s below = plus_##s(1, root.high),                                                                        \
                below_rest = plus_##s(rest_of_any_sum_##s(1, root.high, below), root.low);                             \
    const pair_##s more = divide_pairs_##s(make_pair_##s(square, rest), make_pair_##s(below, below_rest));             \
    const W_##s f = plus_##s(t, more.high), f_rest = plus_##s(rest_of_any_sum_##s(t, more.high, f), more.low);         \
    const W_##s result = log_of_root_##s(make_pair_##s(f, f_rest), a, large);                                          \
    return bits_of_##s(a) < TINY_##s ? x : signed_as_##s(result, x);                                                   \
  }                                                                                                                    \
  /* log(1 + (x - 1) + sqrt(x^2 - 1)) */                                                                               \
  INLINED W_##s acosh_##s(W_##s x) {                                                                                   \
    const bool large = less_##s(LARGE_ROOT_##s, x);                                                                    \
    const W_##s t = large ? 1 : x, square = times_##s(t, t), rest = rest_of_product_##s(t, t, square);                 \
    const W_##s sum = minus_##s(square, 1), sum_rest = plus_##s(rest_of_any_sum_##s(square, -1, sum), rest);           \
    const pair_##s root = root_of_pair_##s(settle_pair_##s(make_pair_##s(sum, sum_rest)));                             \
    const W_##s less = minus_##s(t, 1), f = plus_##s(root.high, less);                                                 \
    const W_##s f_rest = plus_##s(rest_of_any_sum_##s(root.high, less, f), root.low);                                  \
    const W_##s result = log_of_root_##s(make_pair_##s(f, f_rest), x, large);                                          \
    return less_##s(x, 1) ? (W_##s)NAN : result;                                                                       \
  }                                                                                                                    \
  /* log(1 + 2 a / (1 - a)) / 2 */                                                                                     \
  INLINED W_##s atanh_##s(W_##s x) {                                                                                   \
    const W_##s a = magnitude_##s(x), below = minus_##s(1, a);                                                         \
    const pair_##s f = divide_pairs_##s(make_pair_##s(plus_##s(a, a), 0),                                              \
                                        make_pair_##s(below, rest_of_sum_##s(1, negate_##s(a), below)));               \
    const W_##s result = times_##s(log_of_root_##s(f, 1, false), (W_##s)0.5f);                                         \
    return bits_of_##s(a) < TINY_##s ? x : signed_as_##s(result, x);                                                   \
  }                                                                                                                    \
  INLINED W_##s exp2_within_##s(W_##s x, W_##s lowest, W_##s highest) {                                                \
    x = less_##s(x, lowest) ? lowest : x;                                                                              \
    x = less_##s(highest, x) ? highest : x;                                                                            \
    const W_##s shifted = plus_##s(x, UNIT_##s), r = minus_##s(x, minus_##s(shifted, UNIT_##s));                       \
    const pair_##s y = times_pairs_##s(make_pair_##s(r, 0), LN2_PAIR_##s);                                             \
    const W_##s sum = plus_##s(1, y.high), square = times_##s(y.high, y.high);                                         \
    const W_##s series = plus_##s((W_##s)0.5f, times_##s(y.high, expm1_series_##s(y.high)));                           \
    const W_##s low = plus_##s(rest_of_sum_##s(1, y.high, sum), plus_##s(y.low, times_##s(square, series)));           \
    return scale_##s(plus_##s(sum, low), bits_of_##s(shifted) - bits_of_##s(UNIT_##s));                                \
  }                                                                                                                    \
  INLINED W_##s exp2_##s(W_##s x) { return exp2_within_##s(x, EXP2_RANGE_##s); }                                       \
  /* The larger number and log(1 + e^-|a - b|). */                                                                     \
  INLINED W_##s logaddexp_##s(W_##s a, W_##s b) {                                                                      \
    const bool less = less_##s(a, b);                                                                                  \
    const W_##s high = less ? b : a, low = less ? a : b, x = minus_##s(low, high);                                     \
    const W_##s rest = rest_of_any_sum_##s(low, negate_##s(high), x);                                                  \
    const exp_parts_##s parts = parts_of_exp_##s(x, rest, false, EXP_RANGE_##s, LN2_##s);                              \
    const pair_##s settled = settle_pair_##s(make_pair_##s(parts.high, parts.low));                                    \
    const pair_##s power = make_pair_##s(scale_##s(settled.high, parts.k), scale_##s(settled.low, parts.k));           \
    const pair_##s more = log1p_of_pair_##s(power, 0);                                                                 \
    const W_##s sum = plus_##s(high, more.high), lost = rest_of_any_sum_##s(high, more.high, sum);                     \
    const W_##s result = plus_##s(sum, plus_##s(lost, more.low));                                                      \
    const bool alone = bits_of_magnitude_##s(high) == INFINITE_##s || less_##s(x, EXP_LOWEST_##s);                     \
    const W_##s bound = bits_of_magnitude_##s(high) ? high : 0; /* -0 and nothing are 0 */                             \
    return isnan_##s(low) || isnan_##s(high) ? (W_##s)NAN : alone ? bound : result;                                    \
  }                                                                                                                    \
  INLINED W_##s scaled_cbrt_##s(W_##s x, W_##s large, W_##s factor, W_##s root) {                                      \
    const W_##s a = magnitude_##s(x);                                                                                  \
    const bool down = less_##s(large, a), up = less_##s(a, divide_##s(1, large));                                      \
    const W_##s t = down ? times_##s(a, divide_##s(1, factor)) : up ? times_##s(a, factor) : a;                        \
    W_##s r = first_cbrt_##s(t);                                                                                       \
    const W_##s square = times_##s(r, r), cube = times_##s(square, r);                                                 \
    const W_##s rest =                                                                                                 \
        plus_##s(rest_of_product_##s(square, r, cube), times_##s(rest_of_product_##s(r, r, square), r));               \
    const W_##s off = minus_##s(minus_##s(t, cube), rest);                                                             \
    r = plus_##s(r, divide_##s(off, times_##s(3, square)));                                                            \
    r = down ? times_##s(r, divide_##s(1, root)) : up ? times_##s(r, root) : r;                                        \
    return either_##s(bits_of_##s(a) - 1 < INFINITE_##s - 1, signed_as_##s(r, x), x);                                  \
  }                                                                                                                    \
  INLINED W_##s cbrt_##s(W_##s x) { return scaled_cbrt_##s(x, CBRT_LARGE_##s); }                                       \
  /* q = 1 / r, where r is the root; r^2 is off by e, and q r by t. */                                                 \
  INLINED W_##s scaled_rsqrt_##s(W_##s x, W_##s small, W_##s factor, W_##s root) {                                     \
    const bool up = less_##s(x, small);                                                                                \
    const W_##s a = up ? times_##s(x, factor) : x, r = root_##s(a), q = divide_##s(1, r), square = times_##s(r, r);    \
    const W_##s e = minus_##s(minus_##s(a, square), rest_of_product_##s(r, r, square));                                \
    const W_##s one = times_##s(q, r), t = minus_##s(minus_##s(1, one), rest_of_product_##s(q, r, one));               \
    const W_##s more = times_##s(q, minus_##s(t, times_##s(times_##s(e, q), times_##s(q, (W_##s)0.5f))));              \
    const W_##s result = isnan_##s(more) ? q : plus_##s(q, more);                                                      \
    return up ? times_##s(result, root) : result;                                                                      \
  }                                                                                                                    \
  INLINED W_##s rsqrt_##s(W_##s x) { return scaled_rsqrt_##s(x, RSQRT_SMALL_##s); }                                    \
  INLINED W_##s scaled_hypot_##s(W_##s n, W_##s d, W_##s limit, W_##s factor) {                                        \
    const W_##s x = scaled_as_##s(n, d, limit, factor), y = scaled_as_##s(d, d, limit, factor);                        \
    const W_##s x2 = times_##s(x, x), y2 = times_##s(y, y), sum = plus_##s(y2, x2);                                    \
    const W_##s rest = plus_##s(rest_of_product_##s(x, x, x2), rest_of_product_##s(y, y, y2));                         \
    const pair_##s squares = make_pair_##s(sum, plus_##s(rest_of_sum_##s(y2, x2, sum), rest));                         \
    const W_##s root = sum_of_pair_##s(root_of_pair_##s(settle_pair_##s(squares)));                                    \
    return scaled_as_##s(root, divide_##s(1, d), limit, factor);                                                       \
  }                                                                                                                    \
  INLINED W_##s hypot_##s(W_##s x, W_##s y) {                                                                          \
    const B_##s a = bits_of_magnitude_##s(x), b = bits_of_magnitude_##s(y);                                            \
    const W_##s n = s##_of_bits(a < b ? a : b), d = s##_of_bits(a < b ? b : a);                                        \
    const W_##s result = scaled_hypot_##s(n, d, LARGE_##s);                                                            \
    const bool infinite = a == INFINITE_##s || b == INFINITE_##s;                                                      \
    return infinite ? (W_##s)INFINITY : bits_of_##s(d) > INFINITE_##s ? (W_##s)NAN : bits_of_##s(n) == 0 ? d : result; \
  }

#define EXP_LOWEST_f32 -105
#define EXP_LOWEST_f64 -750
#define HALLEY(s)                                                                                                      \
  /* r closer to the cube root of x: three times as many digits. */                                                    \
  INLINED W_##s halley_##s(W_##s r, W_##s x) {                                                                         \
    const W_##s cube = times_##s(times_##s(r, r), r), above = plus_##s(cube, plus_##s(x, x));                          \
    return times_##s(r, divide_##s(above, plus_##s(plus_##s(cube, cube), x)));                                         \
  }
/* A third of an unsigned number. */
INLINED uint32_t third_of(uint32_t x) { return (uint32_t)((uint64_t)x * 0xaaaaaaabu >> 33); }
HALLEY(f32)
INLINED float first_cbrt_f32(float x) { return halley_f32(f32_of_bits(third_of(bits_of_f32(x)) + CBRT_START_f32), x); }
HYPERBOLIC(f32)
#ifdef HAS_FLOAT64
HALLEY(f64)
INLINED double first_cbrt_f64(double x) {
  const uint32_t upper = (uint32_t)(bits_of_f64(x) >> 32);
  return halley_f64(halley_f64(f64_of_bits((uint64_t)(third_of(upper) + CBRT_START_f64) << 32), x), x);
}
HYPERBOLIC(f64)
#endif
#undef HALLEY
#undef HYPERBOLIC

#endif
