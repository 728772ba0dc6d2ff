/* scalar.h: values of each dtype: their C types, loads into the computed type and stores from it, conversions, and the
   arithmetic in which dtypes differ (wrapping, NaN, signed zeros, floor division). C11 and OpenCL C. Float arithmetic
   uses the functions below, never operators, since a device's own arithmetic may differ.
   For every suffix S of the dtype table:
     T_S, W_S, B_S                        stored type, computed type, unsigned type of the stored width
     load_S, store_S                      between them; storing rounds 16-bit floats to nearest even, makes bool 0 or 1
     exact_S                              a stored value as EXACT_S: float32, float64, int64 or uint64, whichever
                                          holds it
     S_from_f64, S_from_f32, S_from_i64, S_from_u64   conversions by the rule STREW_SATURATE
     plus_S, minus_S, times_S, maximum_S, minimum_S, less_S, equal_S, isnan_S, differs_S, divide_by_count_S
   For floats:
     divide_S, root_S, negate_S, magnitude_S, is_negative_S (the sign bit), fused_S (a * b + c, rounded once)
   For 16-bit floats, of stored values:
     higher_S, stored_isnan_S, turned_S (an integer that increases with the value, or falls)
   The host of a device defines what integers must compute instead (see softfloat.h):
     SOFT_FLOAT32_SUM, _PRODUCT, _DIVIDE, _ROOT   if results are not correctly rounded, denormals included
     SOFT_FLOAT32_FUSED, SOFT_FLOAT64_FUSED       if fma() is not
     SOFT_FLOAT32_COMPARE                         if denormals count as 0; floor, ceil and round, too
     SOFT_FLOAT32_CONVERT                         if integers and float64 are not rounded to the nearest float32 */
#ifndef STREW_SCALAR_H
#define STREW_SCALAR_H

#include "softfloat.h"
#include "tables.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#endif

/* Pastes two names after expanding each. */
#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

#define SCALAR_TYPES(ENUM, s, name, stored, bits, wide, wrap, category, digits, highest, lowest)                       \
  typedef stored T_##s;                                                                                                \
  typedef bits B_##s;                                                                                                  \
  typedef T_##wide W_##s;                                                                                              \
  typedef wrap U_##s;                                                                                                  \
  static inline W_##s highest_##s(void) { return highest; }                                                            \
  static inline W_##s lowest_##s(void) { return lowest; }
STREW_DTYPES(SCALAR_TYPES)

/* Numbers of dtypes: those of strew.h, with or without a float64. */
enum {
  CODE_f32,
  CODE_f64,
  CODE_f16,
  CODE_bf16,
  CODE_i64,
  CODE_i32,
  CODE_i16,
  CODE_i8,
  CODE_u8,
  CODE_b8,
  CODE_u16,
  CODE_u32,
  CODE_u64
};

/* ------------------------------------------------------------------------------------------------ bits of floats */

#ifdef __OPENCL_VERSION__
static inline uint32_t bits_of_float(float x) { return as_uint(x); }
static inline float float_of_bits(uint32_t bits) { return as_float(bits); }
#ifdef HAS_FLOAT64
static inline uint64_t bits_of_double(double x) { return as_ulong(x); }
static inline double double_of_bits(uint64_t bits) { return as_double(bits); }
#endif
#else
static inline uint32_t bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint64_t bits_of_double(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double double_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#endif

/* ------------------------------------------------------------------------------------------------- float arithmetic */

#define SOFT(operation, a, b)                                                                                          \
  float_of_bits((uint32_t)soft_##operation(bits_of_float(a), bits_of_float(b), FORMAT_FLOAT32))

#ifdef SOFT_FLOAT32_SUM
static inline float plus_f32(float a, float b) { return SOFT(plus, a, b); }
static inline float minus_f32(float a, float b) { return SOFT(plus, a, float_of_bits(bits_of_float(b) ^ 0x80000000u)); }
#else
static inline float plus_f32(float a, float b) { return a + b; }
static inline float minus_f32(float a, float b) { return a - b; }
#endif
#ifdef SOFT_FLOAT32_PRODUCT
static inline float times_f32(float a, float b) { return SOFT(times, a, b); }
#else
static inline float times_f32(float a, float b) { return a * b; }
#endif
#ifdef SOFT_FLOAT32_DIVIDE
static inline float divide_f32(float a, float b) { return SOFT(divide, a, b); }
#else
static inline float divide_f32(float a, float b) { return a / b; }
#endif
#ifdef SOFT_FLOAT32_ROOT
static inline float root_f32(float x) { return float_of_bits((uint32_t)soft_root(bits_of_float(x), FORMAT_FLOAT32)); }
#elif defined(__OPENCL_VERSION__)
static inline float root_f32(float x) { return sqrt(x); }
#else
static inline float root_f32(float x) { return sqrtf(x); }
#endif
#ifdef SOFT_FLOAT32_FUSED
static inline float fused_f32(float a, float b, float c) {
  return float_of_bits((uint32_t)soft_fused(bits_of_float(a), bits_of_float(b), bits_of_float(c), FORMAT_FLOAT32));
}
#elif defined(__OPENCL_VERSION__)
static inline float fused_f32(float a, float b, float c) { return fma(a, b, c); }
#elif defined(FP_FAST_FMAF)
static inline float fused_f32(float a, float b, float c) { return fmaf(a, b, c); }
#else
/* The product is exact in float64. Its sum with c is rounded to odd: the last bit is set if the sum is inexact, so that
   rounding it again, to float32, gives what one rounding does (Boldo and Melquiond 2008). */
static inline float fused_f32(float a, float b, float c) {
  const double product = (double)a * b, sum = product + c, part = sum - product;
  const double error = (product - (sum - part)) + (c - part); /* NaN if the sum is not finite */
  const bool is_inexact = error < 0 || error > 0, is_too_small = (error > 0) == (sum > 0);
  const uint64_t bits = bits_of_double(sum);
  return (float)double_of_bits(bits + (is_inexact && !(bits & 1) ? (is_too_small ? 1 : UINT64_MAX) : 0));
}
#endif
#ifdef SOFT_FLOAT32_COMPARE
static inline bool less_f32(float a, float b) { return soft_less(bits_of_float(a), bits_of_float(b), FORMAT_FLOAT32); }
static inline bool equal_f32(float a, float b) {
  return soft_equal(bits_of_float(a), bits_of_float(b), FORMAT_FLOAT32);
}
#else
static inline bool less_f32(float a, float b) { return a < b; }
static inline bool equal_f32(float a, float b) { return a == b; }
#endif
#ifdef SOFT_FLOAT32_CONVERT
static inline float f32_from_i64(int64_t x) { return float_of_bits((uint32_t)round_integer(x, FORMAT_FLOAT32)); }
static inline float f32_from_u64(uint64_t x) { return float_of_bits((uint32_t)round_unsigned(x, FORMAT_FLOAT32)); }
static inline float f32_from_u32(uint32_t x) { return f32_from_i64((int64_t)x); }
#else
static inline float f32_from_i64(int64_t x) { return (float)x; }
static inline float f32_from_u64(uint64_t x) { return (float)x; }
static inline float f32_from_u32(uint32_t x) { return (float)x; }
#endif
#undef SOFT

/* OpenCL requires IEEE 754 arithmetic of float64. */
#ifdef HAS_FLOAT64
static inline double plus_f64(double a, double b) { return a + b; }
static inline double minus_f64(double a, double b) { return a - b; }
static inline double times_f64(double a, double b) { return a * b; }
static inline double divide_f64(double a, double b) { return a / b; }
static inline double root_f64(double x) { return sqrt(x); }
#ifdef SOFT_FLOAT64_FUSED
static inline double fused_f64(double a, double b, double c) {
  return double_of_bits(soft_fused(bits_of_double(a), bits_of_double(b), bits_of_double(c), FORMAT_FLOAT64));
}
#else
static inline double fused_f64(double a, double b, double c) { return fma(a, b, c); }
#endif
static inline bool less_f64(double a, double b) { return a < b; }
static inline bool equal_f64(double a, double b) { return a == b; }
static inline double f64_from_i64(int64_t x) { return (double)x; }
static inline double f64_from_u64(uint64_t x) { return (double)x; }
#endif

/* 16-bit floats are computed as float32. */
#define SCALAR_HALF(s)                                                                                                 \
  static inline float plus_##s(float a, float b) { return plus_f32(a, b); }                                            \
  static inline float minus_##s(float a, float b) { return minus_f32(a, b); }                                          \
  static inline float times_##s(float a, float b) { return times_f32(a, b); }                                          \
  static inline float divide_##s(float a, float b) { return divide_f32(a, b); }                                        \
  static inline float root_##s(float x) { return root_f32(x); }                                                        \
  static inline bool less_##s(float a, float b) { return less_f32(a, b); }                                             \
  static inline bool equal_##s(float a, float b) { return equal_f32(a, b); }
SCALAR_HALF(f16)
SCALAR_HALF(bf16)

/* ------------------------------------------------------------------------------------------------- 16-bit floats */

/* The shift moves the fraction into place; the product adjusts the exponent, and normalises denormals. */
static inline float load_f16(T_f16 h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = (uint32_t)(h & 0x7fffu) << 13;
  uint32_t bits = bits_of_float(times_f32(float_of_bits(magnitude), 0x1p112f)) | sign;
  return float_of_bits((h & 0x7c00u) == 0x7c00u ? bits | 0x7f800000u : bits);
}
/* Ties to even: adds half a unit in the last kept place, or slightly less. Below 2^-14 that place is fixed, and a
   sum with 1/2 has the same one. */
static inline T_f16 store_f16(float x) {
  uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  uint32_t denormal = bits_of_float(plus_f32(float_of_bits(magnitude), 0.5f)) - 0x3f000000u;
  uint32_t infinite = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  uint32_t result = magnitude < 0x38800000u ? denormal : magnitude < 0x477ff000u ? normal : infinite;
  return (T_f16)((bits >> 16 & 0x8000u) | result);
}
static inline float load_bf16(T_bf16 h) { return float_of_bits((uint32_t)h << 16); }
static inline T_bf16 store_bf16(float x) {
  uint32_t bits = bits_of_float(x);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40u;
  return (T_bf16)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/* ---------------------------------------------------------------------------------------------- load and store */

#define SCALAR_PLAIN(s)                                                                                                \
  static inline W_##s load_##s(T_##s x) { return x; }                                                                  \
  static inline T_##s store_##s(W_##s x) { return x; }
SCALAR_PLAIN(f32)
#ifdef HAS_FLOAT64
SCALAR_PLAIN(f64)
#endif
SCALAR_PLAIN(i64)
SCALAR_PLAIN(i32)
SCALAR_PLAIN(i16)
SCALAR_PLAIN(i8)
SCALAR_PLAIN(u8)
SCALAR_PLAIN(u64)
static inline W_u16 load_u16(T_u16 x) { return x; }
static inline T_u16 store_u16(W_u16 x) { return (T_u16)x; }
static inline W_u32 load_u32(T_u32 x) { return x; }
static inline T_u32 store_u32(W_u32 x) { return (T_u32)x; }
static inline W_b8 load_b8(T_b8 x) { return x != 0; }
static inline T_b8 store_b8(W_b8 x) { return x != 0; }

/* ------------------------------------------------------------------------------------- conversion, STREW_SATURATE

   EXACT_S is the dtype of float32, float64, int64 and uint64 that holds every value of S. So each dtype needs four
   conversions to it, and each rounds once. */
#define EXACT_f32  f32
#define EXACT_f64  f64
#define EXACT_f16  f32
#define EXACT_bf16 f32
#define EXACT_i64  i64
#define EXACT_i32  i64
#define EXACT_i16  i64
#define EXACT_i8   i64
#define EXACT_u8   i64
#define EXACT_b8   i64
#define EXACT_u16  i64
#define EXACT_u32  i64
#define EXACT_u64  u64

/* Some OpenCL compilers assume that a widened int32 is not negative in comparisons with constants: widen it by
   halves. */
#ifdef WIDEN_BY_HALVES
static inline int64_t widen(int32_t x) { return as_long((int2)(x, x >> 31)); }
#else
static inline int64_t widen(int32_t x) { return x; }
#endif

/* A stored value, as EXACT_S. */
#define SCALAR_EXACT(s, type)                                                                                          \
  static inline type exact_##s(T_##s x) { return load_##s(x); }
SCALAR_EXACT(f32, float)
SCALAR_EXACT(f16, float)
SCALAR_EXACT(bf16, float)
#ifdef HAS_FLOAT64
SCALAR_EXACT(f64, double)
#endif
SCALAR_EXACT(i64, int64_t)
SCALAR_EXACT(i16, int64_t)
SCALAR_EXACT(i8, int64_t)
SCALAR_EXACT(u8, int64_t)
SCALAR_EXACT(b8, int64_t)
SCALAR_EXACT(u16, int64_t)
SCALAR_EXACT(u32, int64_t)
SCALAR_EXACT(u64, uint64_t)
static inline int64_t exact_i32(T_i32 x) { return widen(x); }

/* NaN becomes 0. (float)INT64_MAX is 2^63, itself out of range. */
#define SCALAR_SATURATE(s, type)                                                                                       \
  static inline int64_t saturate_##s(type x, int64_t lowest, int64_t highest) {                                        \
    if (!(x >= (type)lowest)) return x == x ? lowest : 0;                                                              \
    return x >= (type)highest ? highest : (int64_t)x;                                                                  \
  }                                                                                                                    \
  static inline uint64_t saturate_unsigned_##s(type x) {                                                               \
    if (!(x >= 1)) return 0;                                                                                           \
    return x >= (type)0x1p64f ? ~(uint64_t)0 : (uint64_t)x;                                                            \
  }
SCALAR_SATURATE(f32, float)
#ifdef HAS_FLOAT64
SCALAR_SATURATE(f64, double)
#endif

static inline T_f32 f32_from_f32(float x) { return x; }
static inline T_f16 f16_from_f32(float x) { return store_f16(x); }
static inline T_f16 f16_from_i64(int64_t x) { return (T_f16)round_integer(x, FORMAT_FLOAT16); }
static inline T_bf16 bf16_from_f32(float x) { return store_bf16(x); }
static inline T_bf16 bf16_from_i64(int64_t x) { return (T_bf16)round_integer(x, FORMAT_BFLOAT16); }
static inline T_f16 f16_from_u64(uint64_t x) { return (T_f16)round_unsigned(x, FORMAT_FLOAT16); }
static inline T_bf16 bf16_from_u64(uint64_t x) { return (T_bf16)round_unsigned(x, FORMAT_BFLOAT16); }
static inline T_b8 b8_from_f32(float x) { return (bits_of_float(x) & 0x7fffffffu) != 0; }
static inline T_b8 b8_from_i64(int64_t x) { return x != 0; }
static inline T_b8 b8_from_u64(uint64_t x) { return x != 0; }
static inline T_u64 u64_from_f32(float x) { return saturate_unsigned_f32(x); }
static inline T_u64 u64_from_i64(int64_t x) { return (T_u64)x; }
static inline T_u64 u64_from_u64(uint64_t x) { return x; }
#define SCALAR_INTEGER(s)                                                                                              \
  static inline T_##s s##_from_f32(float x) { return (T_##s)saturate_f32(x, lowest_##s(), highest_##s()); }            \
  static inline T_##s s##_from_i64(int64_t x) { return (T_##s)x; }                                                     \
  static inline T_##s s##_from_u64(uint64_t x) { return (T_##s)x; }
SCALAR_INTEGER(i64)
SCALAR_INTEGER(i32)
SCALAR_INTEGER(i16)
SCALAR_INTEGER(i8)
SCALAR_INTEGER(u8)
SCALAR_INTEGER(u16)
SCALAR_INTEGER(u32)
#undef SCALAR_INTEGER

#ifdef HAS_FLOAT64
#ifdef SOFT_FLOAT32_CONVERT
static inline T_f32 f32_from_f64(double x) {
  return float_of_bits((uint32_t)convert_format(bits_of_double(x), FORMAT_FLOAT64, FORMAT_FLOAT32));
}
static inline T_f64 f64_from_f32(float x) {
  return double_of_bits(convert_format(bits_of_float(x), FORMAT_FLOAT32, FORMAT_FLOAT64));
}
#else
static inline T_f32 f32_from_f64(double x) { return (float)x; }
static inline T_f64 f64_from_f32(float x) { return (double)x; }
#endif
static inline T_f64 f64_from_f64(double x) { return x; }
/* Rounds to odd: of the two floats next to x, the one whose last bit is set. A second rounding, to fewer bits, then
   gives what rounding x once would. */
static inline float odd_f32_from_f64(double x) {
  float nearest = f32_from_f64(x);
  double back = f64_from_f32(nearest);
  uint32_t bits = bits_of_float(nearest), too_far = fabs(back) > fabs(x), inexact = back != x;
  return float_of_bits((bits - too_far) | inexact);
}
static inline T_f16 f16_from_f64(double x) { return store_f16(odd_f32_from_f64(x)); }
static inline T_bf16 bf16_from_f64(double x) { return store_bf16(odd_f32_from_f64(x)); }
static inline T_b8 b8_from_f64(double x) { return x != 0; }
static inline T_u64 u64_from_f64(double x) { return saturate_unsigned_f64(x); }
#define SCALAR_INTEGER(s)                                                                                              \
  static inline T_##s s##_from_f64(double x) { return (T_##s)saturate_f64(x, lowest_##s(), highest_##s()); }
SCALAR_INTEGER(i64)
SCALAR_INTEGER(i32)
SCALAR_INTEGER(i16)
SCALAR_INTEGER(i8)
SCALAR_INTEGER(u8)
SCALAR_INTEGER(u16)
SCALAR_INTEGER(u32)
#endif

/* ---------------------------------------------------------------------------------------------------- arithmetic */

#define SCALAR_FLOAT(s, wide, bits, bits_of, of_bits, sign)                                                            \
  static inline bool isnan_##s(W_##s x) { return x != x; }                                                             \
  /* true if the bits differ; all NaNs count as equal */                                                               \
  static inline bool differs_##s(W_##s a, W_##s b) {                                                                   \
    return (int)(bits_of(a) != bits_of(b)) & !((int)isnan_##s(a) & (int)isnan_##s(b));                                 \
  }                                                                                                                    \
  static inline bool is_negative_##s(W_##s x) { return (bits_of(x) & (sign)) != 0; }                                   \
  static inline W_##s negate_##s(W_##s x) { return of_bits(bits_of(x) ^ (sign)); }                                     \
  static inline W_##s magnitude_##s(W_##s x) { return of_bits(bits_of(x) & ~(sign)); }                                 \
  /* IEEE 754-2019: NaN wins, the first of two; of equals only zeros differ: -0 < +0. No branches: which one is \
     greater is unpredictable. */      \
  static inline W_##s maximum_##s(W_##s a, W_##s b) {                                                                  \
    const bits same = equal_##s(a, b) ? ~(bits)0 : 0;                                                                  \
    const W_##s greater = less_##s(b, a) ? a : b;                                                                      \
    return isnan_##s(a) ? a : of_bits(bits_of(greater) & (bits_of(a) | ~same));                                        \
  }                                                                                                                    \
  static inline W_##s minimum_##s(W_##s a, W_##s b) {                                                                  \
    const bits same = equal_##s(a, b) ? ~(bits)0 : 0;                                                                  \
    const W_##s lesser = less_##s(a, b) ? a : b;                                                                       \
    return isnan_##s(a) ? a : of_bits(bits_of(lesser) | (bits_of(a) & same));                                          \
  }                                                                                                                    \
  static inline W_##s divide_by_count_##s(W_##s a, int64_t count) { return divide_##s(a, wide##_from_i64(count)); }
SCALAR_FLOAT(f32, f32, uint32_t, bits_of_float, float_of_bits, 0x80000000u)
SCALAR_FLOAT(f16, f32, uint32_t, bits_of_float, float_of_bits, 0x80000000u)
SCALAR_FLOAT(bf16, f32, uint32_t, bits_of_float, float_of_bits, 0x80000000u)
#ifdef HAS_FLOAT64
SCALAR_FLOAT(f64, f64, uint64_t, bits_of_double, double_of_bits, 0x8000000000000000u)
#endif

/* Extremes of stored 16-bit floats: the higher of two, in the order that `flip` gives (order_flip of dtype.h). Their
   bits are in order once those of negative numbers are inverted. NaN results are those of storing. */
#define SCALAR_HALF_EXTREMES(s, infinity, quiet)                                                                       \
  static inline bool stored_isnan_##s(T_##s x) { return (x & 0x7fff) > (infinity); }                                   \
  static inline T_##s number_or_nan_##s(T_##s a, T_##s b, T_##s number) {                                              \
    const T_##s other = stored_isnan_##s(b) ? (T_##s)(quiet(b)) : number;                                              \
    return stored_isnan_##s(a) ? (T_##s)(quiet(a)) : other;                                                            \
  }                                                                                                                    \
  static inline int16_t turned_##s(T_##s x, const int64_t flip) {                                                      \
    return (int16_t)((int16_t)(x ^ flip) ^ ((int16_t)x >> 15 & 0x7fff));                                               \
  }                                                                                                                    \
  static inline T_##s higher_##s(T_##s a, T_##s b, const int64_t flip) {                                               \
    return number_or_nan_##s(a, b, turned_##s(a, flip) > turned_##s(b, flip) ? a : b);                                 \
  }
#define QUIET_F16(x)  (((x)&0x8000) | 0x7e00)
#define QUIET_BF16(x) ((x) | 0x40)
SCALAR_HALF_EXTREMES(f16, 0x7c00, QUIET_F16)
SCALAR_HALF_EXTREMES(bf16, 0x7f80, QUIET_BF16)

/* a / b rounded toward minus infinity; b > 0 (a count). */
static inline int64_t floor_divide_by_count_i64(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline uint64_t floor_divide_by_count_u64(uint64_t a, int64_t b) { return a / (uint64_t)b; }

#define SCALAR_WHOLE(s)                                                                                                \
  static inline bool isnan_##s(W_##s x) { return (void)x, false; }                                                     \
  static inline bool differs_##s(W_##s a, W_##s b) { return a != b; }                                                  \
  static inline bool less_##s(W_##s a, W_##s b) { return a < b; }                                                      \
  static inline bool equal_##s(W_##s a, W_##s b) { return a == b; }                                                    \
  static inline W_##s divide_by_count_##s(W_##s a, int64_t count) {                                                    \
    return (W_##s)CAT(floor_divide_by_count_, EXACT_##s)(exact_##s(store_##s(a)), count);                              \
  }
/* Signed overflow is undefined in C: sums and products go through the unsigned type and wrap. */
#define SCALAR_WRAPPING(s)                                                                                             \
  SCALAR_WHOLE(s)                                                                                                      \
  static inline W_##s plus_##s(W_##s a, W_##s b) { return (W_##s)((U_##s)a + (U_##s)b); }                              \
  static inline W_##s minus_##s(W_##s a, W_##s b) { return (W_##s)((U_##s)a - (U_##s)b); }                             \
  static inline W_##s times_##s(W_##s a, W_##s b) { return (W_##s)((U_##s)a * (U_##s)b); }                             \
  static inline W_##s maximum_##s(W_##s a, W_##s b) { return a > b ? a : b; }                                          \
  static inline W_##s minimum_##s(W_##s a, W_##s b) { return a < b ? a : b; }
SCALAR_WRAPPING(i64)
SCALAR_WRAPPING(i32)
SCALAR_WRAPPING(i16)
SCALAR_WRAPPING(i8)
SCALAR_WRAPPING(u8)
SCALAR_WRAPPING(u16)
SCALAR_WRAPPING(u32)
SCALAR_WRAPPING(u64)

/* bool: sum is or, product is and */
SCALAR_WHOLE(b8)
static inline W_b8 plus_b8(W_b8 a, W_b8 b) { return a | b; }
static inline W_b8 minus_b8(W_b8 a, W_b8 b) { return a ^ b; }
static inline W_b8 times_b8(W_b8 a, W_b8 b) { return a & b; }
static inline W_b8 maximum_b8(W_b8 a, W_b8 b) { return a | b; }
static inline W_b8 minimum_b8(W_b8 a, W_b8 b) { return a & b; }

#endif
