/* logistic.h: the logistic function (sigmoid), and x times it: silu, and gelu with tanh. They use only + - * / and
   integers, all correctly rounded, so every device gives the same bits; they have no branch and no table, so loops of
   them are vectorised. C11 and OpenCL C.

   Exponential and quotient are sums of two floats, the first of which has half the bits, so that its products have no
   error. So nearly all of the error comes from the last sum, which is rounded once, or twice if the result is denormal.
   check_functions.c has the largest errors. */
#ifndef STREW_LOGISTIC_H
#define STREW_LOGISTIC_H

#include "exponential.h"

/* Below LOWEST, results are 0; from -FAR on, they are 1 to the last bit. For z of gelu_tanh: 2 sqrt(2 / pi) as a sum,
   and 0.044715 times that, whose first part has half the bits. */
#define LOGISTIC_LOWEST_f32  -112
#define LOGISTIC_FAR_f32     -40
#define GELU_TANH_LOWEST_f32 -16
#define GELU_TANH_f32        0x1.988454p0f, -0x1.857936p-25f, 0x1.244p-4f, 0x1.3ca936p-18f
#ifdef HAS_FLOAT64
#define LOGISTIC_LOWEST_f64  -760
#define LOGISTIC_FAR_f64     -80
#define GELU_TANH_LOWEST_f64 -32
#define GELU_TANH_f64        0x1.9884533d43651p0, -0x1.cbc0d30ebfd15p-54, 0x1.2444f28p-4, 0x1.26c5a57a4def1p-31
#endif

#define LOGISTIC(s)                                                                                                    \
  /* 1 / (1 + e^-(z + more)) is (upper + rest) 2^k; upper has half the bits. The exponential is one of -|z|. */        \
  typedef struct {                                                                                                     \
    W_##s upper, rest;                                                                                                 \
    B_##s k;                                                                                                           \
  } logistic_parts_##s;                                                                                                \
  INLINED exp_sum_##s exp_of_logistic_##s(W_##s z, W_##s more) {                                                       \
    const B_##s flip = (bits_of_##s(z) & SIGN_##s) ^ SIGN_##s;                                                         \
    const W_##s a = s##_of_bits(bits_of_##s(z) | SIGN_##s);                                                            \
    return sum_of_exp_##s(less_##s(a, LOGISTIC_LOWEST_##s) ? LOGISTIC_LOWEST_##s : a,                                  \
                          s##_of_bits(bits_of_##s(more) ^ flip));                                                      \
  }                                                                                                                    \
  INLINED logistic_parts_##s parts_of_quotient_##s(W_##s z, exp_sum_##s e) {                                           \
    logistic_parts_##s result;                                                                                         \
    const B_##s sign = bits_of_##s(z) & SIGN_##s;                                                                      \
    const W_##s a = s##_of_bits(bits_of_##s(z) | SIGN_##s);                                                            \
    const W_##s factor = less_##s(a, LOGISTIC_FAR_##s) ? 0 : power_of_two_##s(e.k), part = times_##s(e.sum, factor);   \
    const W_##s whole = plus_##s(1, part), low = plus_##s(rest_of_sum_##s(1, part, whole), times_##s(e.rest, factor)); \
    const W_##s below = plus_##s(whole, low), inverse = divide_##s(1, below);                                          \
    const W_##s below_upper = upper_##s(below);                                                                        \
    const W_##s below_rest = plus_##s(minus_##s(whole, below_upper), low);                                             \
    const W_##s above = sign ? e.sum : 1, above_rest = sign ? e.rest : 0;                                              \
    result.upper = upper_##s(times_##s(plus_##s(above, above_rest), inverse));                                         \
    const W_##s left = minus_##s(above, times_##s(result.upper, below_upper));                                         \
    result.rest = plus_##s(left, minus_##s(above_rest, times_##s(result.upper, below_rest)));                          \
    result.rest = times_##s(result.rest, inverse);                                                                     \
    result.k = sign ? e.k : 0;                                                                                         \
    return result;                                                                                                     \
  }                                                                                                                    \
  INLINED logistic_parts_##s parts_of_logistic_##s(W_##s z, W_##s more) {                                              \
    return parts_of_quotient_##s(z, exp_of_logistic_##s(z, more));                                                     \
  }                                                                                                                    \
  INLINED W_##s sigmoid_of_exp_##s(W_##s x, exp_sum_##s e) {                                                           \
    const logistic_parts_##s parts = parts_of_quotient_##s(x, e);                                                      \
    return scale_##s(plus_##s(parts.upper, parts.rest), parts.k);                                                      \
  }                                                                                                                    \
  INLINED W_##s sigmoid_##s(W_##s x) { return sigmoid_of_exp_##s(x, exp_of_logistic_##s(x, 0)); }                      \
  /* x sigmoid(z) of x within the range, else x or -0; of tiny x it is x / 2. */                                       \
  INLINED W_##s gated_##s(W_##s x, W_##s within, logistic_parts_##s parts, W_##s lowest) {                             \
    const W_##s upper = upper_##s(within), product = times_##s(upper, parts.upper);                                    \
    const W_##s rest = times_##s(minus_##s(within, upper), parts.upper);                                               \
    W_##s result = plus_##s(product, plus_##s(rest, times_##s(within, parts.rest)));                                   \
    result = scale_##s(result, parts.k);                                                                               \
    result = less_##s(negate_##s(lowest), x) ? x : result;                                                             \
    return bits_of_magnitude_##s(x) < TINY_##s ? times_##s(x, (W_##s)0.5f) : result;                                   \
  }                                                                                                                    \
  INLINED W_##s within_##s(W_##s x, W_##s lowest) {                                                                    \
    x = less_##s(x, lowest) ? lowest : x;                                                                              \
    return less_##s(negate_##s(lowest), x) ? negate_##s(lowest) : x;                                                   \
  }                                                                                                                    \
  INLINED W_##s silu_##s(W_##s x) {                                                                                    \
    const W_##s within = within_##s(x, LOGISTIC_LOWEST_##s);                                                           \
    return gated_##s(x, within, parts_of_logistic_##s(within, 0), LOGISTIC_LOWEST_##s);                                \
  }                                                                                                                    \
  /* z is x (first + second + (third + fourth) x^2). */                                                                \
  INLINED W_##s gelu_tanh_with_##s(W_##s x, W_##s first, W_##s second, W_##s third, W_##s fourth) {                    \
    const W_##s t = within_##s(x, GELU_TANH_LOWEST_##s), upper = upper_##s(t), lower = minus_##s(t, upper);            \
    const W_##s square = times_##s(upper, upper), rest = times_##s(lower, plus_##s(t, upper));                         \
    const W_##s square_upper = upper_##s(square);                                                                      \
    const W_##s square_rest = plus_##s(minus_##s(square, square_upper), rest);                                         \
    const W_##s cubic = times_##s(third, square_upper), sum = plus_##s(first, cubic);                                  \
    W_##s low = plus_##s(times_##s(third, square_rest), times_##s(fourth, plus_##s(square, rest)));                    \
    low = plus_##s(plus_##s(low, second), rest_of_any_sum_##s(first, cubic, sum));                                     \
    const W_##s slope = upper_##s(sum), slope_rest = plus_##s(minus_##s(sum, slope), low);                             \
    const W_##s first_part = times_##s(upper, slope);                                                                  \
    const W_##s more = plus_##s(times_##s(upper, slope_rest), times_##s(lower, plus_##s(sum, low)));                   \
    const W_##s z = plus_##s(first_part, more), z_rest = rest_of_sum_##s(first_part, more, z);                         \
    return gated_##s(x, t, parts_of_logistic_##s(z, z_rest), GELU_TANH_LOWEST_##s);                                    \
  }                                                                                                                    \
  INLINED W_##s gelu_tanh_##s(W_##s x) { return gelu_tanh_with_##s(x, GELU_TANH_##s); }
LOGISTIC(f32)
#ifdef HAS_FLOAT64
LOGISTIC(f64)
#endif
#undef LOGISTIC

#endif
