/* float_parts.h: floats taken apart by integers, without branches, for functions like the logarithm. Each is made for
   float32 and float64. C11 and OpenCL C. */
#ifndef STREW_FLOAT_PARTS_H
#define STREW_FLOAT_PARTS_H

#include "runtime/core/shared/scalar.h"

/* Functions of loops that are to be vectorised: compilers do not inline long ones that are called twice.
   (long_functions.c defines it.) */
#ifdef INLINED
#elif defined(__OPENCL_VERSION__)
#define INLINED static inline
#else
#define INLINED static inline __attribute__((always_inline))
#endif

/* Bits of the fraction; the exponent's bias; 1, infinity and the sign as bits; bits of a number
   below which x + x^2 is x, of the lower half of the significand; 1.5 times the float whose last bit is 1. */
#define FRACTION_f32 23
#define BIAS_f32     127
#define ONE_f32      0x3f800000u
#define INFINITE_f32 0x7f800000u
#define SIGN_f32     0x80000000u
#define TINY_f32     0x32800000u /* 2^-26 */
#define LOWER_f32    0xfffu
#define UNIT_f32     0x1.8p23f
static inline uint32_t bits_of_f32(float x) { return bits_of_float(x); }
static inline float f32_of_bits(uint32_t bits) { return float_of_bits(bits); }

#ifdef HAS_FLOAT64
#define FRACTION_f64 52
#define BIAS_f64     1023
#define ONE_f64      0x3ff0000000000000u
#define INFINITE_f64 0x7ff0000000000000u
#define SIGN_f64     0x8000000000000000u
#define TINY_f64     0x3c80000000000000u /* 2^-55 */
#define LOWER_f64    0x7ffffffu
#define UNIT_f64     0x1.8p52
static inline uint64_t bits_of_f64(double x) { return bits_of_double(x); }
static inline double f64_of_bits(uint64_t bits) { return double_of_bits(bits); }
#endif

#define PARTS(s)                                                                                                       \
  /* `chosen ? a : b` without a branch, where compilers make branches of many of those. */                             \
  INLINED W_##s either_##s(bool chosen, W_##s a, W_##s b) {                                                            \
    const B_##s mask = 0 - (B_##s)chosen;                                                                              \
    return s##_of_bits((bits_of_##s(a) & mask) | (bits_of_##s(b) & ~mask));                                            \
  }                                                                                                                    \
  /* The bits of |x|. */                                                                                               \
  INLINED B_##s bits_of_magnitude_##s(W_##s x) { return bits_of_##s(x) & ~SIGN_##s; }                                  \
  /* x with the sign of y; x is not negative. */                                                                       \
  INLINED W_##s signed_as_##s(W_##s x, W_##s y) { return s##_of_bits(bits_of_##s(x) | (bits_of_##s(y) & SIGN_##s)); }  \
  /* The float of an integer k in two's complement; |k| is below 2^(FRACTION - 2). */                                  \
  INLINED W_##s whole_##s(B_##s k) { return minus_##s(s##_of_bits(bits_of_##s(UNIT_##s) + k), UNIT_##s); }             \
  /* 2^k, a normal number. */                                                                                          \
  INLINED W_##s power_of_two_##s(B_##s k) { return s##_of_bits((k + BIAS_##s) << FRACTION_##s); }                      \
  /* x * 2^k, rounded once if normal, where |k| is at most 2 * BIAS; in two steps. */                                  \
  INLINED W_##s scale_##s(W_##s x, B_##s k) {                                                                          \
    const B_##s biased = k + 2 * BIAS_##s, first = biased >> 1;                                                        \
    return times_##s(times_##s(x, s##_of_bits(first << FRACTION_##s)), s##_of_bits((biased - first) << FRACTION_##s)); \
  }                                                                                                                    \
  /* The upper half of x: products of two have no error. */                                                            \
  INLINED W_##s upper_##s(W_##s x) { return s##_of_bits(bits_of_##s(x) & ~(B_##s)LOWER_##s); }                         \
  /* x^2 / 2 as a sum, whose first number has no error. */                                                             \
  INLINED W_##s half_square_##s(W_##s x) { return times_##s(times_##s(upper_##s(x), upper_##s(x)), (W_##s)0.5f); }     \
  INLINED W_##s rest_of_half_square_##s(W_##s x) {                                                                     \
    return times_##s(times_##s(minus_##s(x, upper_##s(x)), plus_##s(x, upper_##s(x))), (W_##s)0.5f);                   \
  }                                                                                                                    \
  /* The rounding error of sum = a + b, where a is 0 or |a| >= |b|: exact. */                                          \
  INLINED W_##s rest_of_sum_##s(W_##s a, W_##s b, W_##s sum) { return minus_##s(b, minus_##s(sum, a)); }               \
  /* The same for any finite a and b. */                                                                               \
  INLINED W_##s rest_of_any_sum_##s(W_##s a, W_##s b, W_##s sum) {                                                     \
    const W_##s of_b = minus_##s(sum, a);                                                                              \
    return plus_##s(minus_##s(a, minus_##s(sum, of_b)), minus_##s(b, of_b));                                           \
  }                                                                                                                    \
  /* The rounding error of product = a * b (Dekker), unless it underflows. */                                          \
  INLINED W_##s rest_by_halves_##s(W_##s a, W_##s b, W_##s product) {                                                  \
    const W_##s a_upper = upper_##s(a), a_lower = minus_##s(a, a_upper);                                               \
    const W_##s b_upper = upper_##s(b), b_lower = minus_##s(b, b_upper);                                               \
    W_##s rest = minus_##s(times_##s(a_upper, b_upper), product);                                                      \
    rest = plus_##s(plus_##s(rest, times_##s(a_upper, b_lower)), times_##s(a_lower, b_upper));                         \
    return plus_##s(rest, times_##s(a_lower, b_lower));                                                                \
  }
PARTS(f32)
/* Products of halves of float32, of twelve bits each, are exact, so that this is the rest of a fused product; halves of
   float64 have one bit too many for that. */
INLINED float rest_of_product_f32(float a, float b, float product) {
#if defined(FP_FAST_FMAF) && !defined(__OPENCL_VERSION__)
  return fused_f32(a, b, negate_f32(product));
#else
  return rest_by_halves_f32(a, b, product);
#endif
}
#ifdef HAS_FLOAT64
PARTS(f64)
INLINED double rest_of_product_f64(double a, double b, double product) { return rest_by_halves_f64(a, b, product); }
#endif
#undef PARTS

/* Polynomials by Horner's rule. */
#define HORNER(s)                                                                                                      \
  /* sum * r + a; and on with b and c */                                                                               \
  INLINED W_##s horner_##s(W_##s sum, W_##s r, W_##s a) { return plus_##s(times_##s(sum, r), a); }                     \
  INLINED W_##s horner3_##s(W_##s sum, W_##s r, W_##s a, W_##s b, W_##s c) {                                           \
    return horner_##s(horner_##s(horner_##s(sum, r, a), r, b), r, c);                                                  \
  }
HORNER(f32)
#ifdef HAS_FLOAT64
HORNER(f64)
#endif
#undef HORNER

#endif
