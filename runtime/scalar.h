/* scalar.h: one value of each dtype: its C types, how it is read into what it is computed in and stored back, how it is
   converted, and the arithmetic in which dtypes differ (wrapping, NaN, signed zeros, floor division).
   For every suffix S of the dtype table:
     T_S, W_S         stored and computed type; B_S, the unsigned one of the stored width
     load_S, store_S  between them; storing rounds 16-bit floats to nearest even and makes bool 0 or 1
     S_from_f64, S_from_i64, f64_from_S / i64_from_S   conversions by the rule STREW_SATURATE */
#ifndef STREW_SCALAR_H
#define STREW_SCALAR_H

#include "tables.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One name of two, each expanded first. */
#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

#define SCALAR_TYPES(ENUM, s, name, stored, bits, wide, wrap, category, highest, lowest)                               \
  typedef stored T_##s;                                                                                                \
  typedef bits B_##s;                                                                                                  \
  typedef T_##wide W_##s;                                                                                              \
  typedef wrap U_##s;                                                                                                  \
  static inline W_##s highest_##s(void) { return highest; }                                                            \
  static inline W_##s lowest_##s(void) { return lowest; }
STREW_DTYPES(SCALAR_TYPES)
#undef SCALAR_TYPES

/* ------------------------------------------------------------------------------------------------- 16-bit floats */

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

/* The float with `fraction` bits of fraction and exponents from lowest_exponent (of the smallest normal number) to
   1 - lowest_exponent that is nearest to x, ties to even, denormals kept, as its bits in 16. Every float32 is a
   float64, so that this one function rounds both, once. */
static inline uint16_t narrow_double(double x, int fraction, int lowest_exponent) {
  uint64_t bits = bits_of_double(x), magnitude = bits & 0x7fffffffffffffffu;
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
  uint16_t infinite = (uint16_t)(((1u << (15 - fraction)) - 1) << fraction);
  if (magnitude > 0x7ff0000000000000u) return (uint16_t)(sign | infinite | 1u << (fraction - 1));
  int exponent = (int)(magnitude >> 52) - 1023;
  int lost = 52 - fraction; /* bits that do not fit; more of them below the smallest normal number */
  uint64_t significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
  uint64_t base = 0; /* of the exponent field; the significand's leading bit adds one to it */
  if (exponent < lowest_exponent) {
    lost += lowest_exponent - exponent;
    if (lost > 54) return sign;
  } else {
    base = (uint64_t)(exponent - lowest_exponent) << fraction;
  }
  uint64_t kept = significand >> lost, rest = significand & ((1ull << lost) - 1), half = 1ull << (lost - 1);
  kept += rest > half || (rest == half && (kept & 1));
  uint64_t result = base + kept;
  return (uint16_t)(sign | (result < infinite ? result : infinite));
}

static inline float load_f16(T_f16 h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = (uint32_t)(h & 0x7fffu) << 13;
  /* shifting puts the fraction in place; the product moves the exponent, and makes denormals normal */
  float x = float_of_bits(rest) * 0x1p112f;
  uint32_t bits = bits_of_float(x) | sign;
  return float_of_bits((h & 0x7c00u) == 0x7c00u ? bits | 0x7f800000u : bits);
}
static inline float load_bf16(T_bf16 h) { return float_of_bits((uint32_t)h << 16); }
static inline T_f16 store_f16(float x) { return narrow_double(x, 10, -14); }
static inline T_bf16 store_bf16(float x) {
  uint32_t bits = bits_of_float(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (T_bf16)(bits >> 16 | 0x40u);
  return (T_bf16)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* ---------------------------------------------------------------------------------------------- load and store */

#define SCALAR_PLAIN(s)                                                                                                \
  static inline W_##s load_##s(T_##s x) { return x; }                                                                  \
  static inline T_##s store_##s(W_##s x) { return x; }
SCALAR_PLAIN(f32)
SCALAR_PLAIN(f64)
SCALAR_PLAIN(i64)
SCALAR_PLAIN(i32)
SCALAR_PLAIN(i16)
SCALAR_PLAIN(i8)
SCALAR_PLAIN(u8)
#undef SCALAR_PLAIN
static inline W_b8 load_b8(T_b8 x) { return x != 0; }
static inline T_b8 store_b8(W_b8 x) { return x != 0; }

/* ------------------------------------------------------------------------------------- conversion, STREW_SATURATE */

static inline int64_t saturate_double(double x, int64_t lowest, int64_t highest) {
  if (!(x >= (double)lowest)) return x == x ? lowest : 0; /* NaN becomes 0 */
  return x >= (double)highest ? highest : (int64_t)x;     /* (double)INT64_MAX is 2^63, itself out of range */
}

/* A 64-bit integer with its last 11 bits folded into one that only says "not zero": a float64 holds it exactly, and it
   rounds to any narrower float as the integer would, so that it is rounded once. */
static inline double double_of_int_sticky(int64_t i) {
  uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  if (u >> 53) u = (u & ~(uint64_t)0x7ff) | (u & 0x7ff ? 0x800u : 0);
  return i < 0 ? -(double)u : (double)u;
}

static inline T_f32 f32_from_f64(double x) { return (float)x; }
static inline T_f32 f32_from_i64(int64_t x) { return (float)x; }
static inline T_f64 f64_from_f64(double x) { return x; }
static inline T_f64 f64_from_i64(int64_t x) { return (double)x; }
static inline T_f16 f16_from_f64(double x) { return narrow_double(x, 10, -14); }
static inline T_f16 f16_from_i64(int64_t x) { return f16_from_f64(double_of_int_sticky(x)); }
static inline T_bf16 bf16_from_f64(double x) { return narrow_double(x, 7, -126); }
static inline T_bf16 bf16_from_i64(int64_t x) { return bf16_from_f64(double_of_int_sticky(x)); }
static inline T_b8 b8_from_f64(double x) { return x != 0; }
static inline T_b8 b8_from_i64(int64_t x) { return x != 0; }
#define SCALAR_INTEGER(s)                                                                                              \
  static inline T_##s s##_from_f64(double x) { return (T_##s)saturate_double(x, lowest_##s(), highest_##s()); }        \
  static inline T_##s s##_from_i64(int64_t x) { return (T_##s)x; }
SCALAR_INTEGER(i64)
SCALAR_INTEGER(i32)
SCALAR_INTEGER(i16)
SCALAR_INTEGER(i8)
SCALAR_INTEGER(u8)
#undef SCALAR_INTEGER

/* ---------------------------------------------------------------------------------------------------- arithmetic */

#define SCALAR_FLOAT(s, bits_of)                                                                                       \
  static inline bool isnan_##s(W_##s x) { return x != x; }                                                             \
  /* other bits, but for NaNs, which are all one */                                                                    \
  static inline bool differs_##s(W_##s a, W_##s b) {                                                                   \
    return isnan_##s(a) || isnan_##s(b) ? isnan_##s(a) != isnan_##s(b) : bits_of(a) != bits_of(b);                     \
  }                                                                                                                    \
  static inline W_##s plus_##s(W_##s a, W_##s b) { return a + b; }                                                     \
  static inline W_##s minus_##s(W_##s a, W_##s b) { return a - b; }                                                    \
  static inline W_##s times_##s(W_##s a, W_##s b) { return a * b; }                                                    \
  /* IEEE 754-2019: NaN wins, and among equals only zeros differ: -0 < +0 */                                           \
  static inline W_##s maximum_##s(W_##s a, W_##s b) {                                                                  \
    if (isnan_##s(a) || isnan_##s(b)) return isnan_##s(a) ? a : b;                                                     \
    if (a == b) return signbit(a) ? b : a;                                                                             \
    return a > b ? a : b;                                                                                              \
  }                                                                                                                    \
  static inline W_##s minimum_##s(W_##s a, W_##s b) {                                                                  \
    if (isnan_##s(a) || isnan_##s(b)) return isnan_##s(a) ? a : b;                                                     \
    if (a == b) return signbit(a) ? a : b;                                                                             \
    return a < b ? a : b;                                                                                              \
  }
SCALAR_FLOAT(f32, bits_of_float)
SCALAR_FLOAT(f64, bits_of_double)
SCALAR_FLOAT(f16, bits_of_float)
SCALAR_FLOAT(bf16, bits_of_float)
#undef SCALAR_FLOAT

/* Signed overflow is undefined in C: sums and products go through the unsigned type and wrap. */
#define SCALAR_WRAPPING(s)                                                                                             \
  static inline bool isnan_##s(W_##s x) { return (void)x, false; }                                                     \
  static inline bool differs_##s(W_##s a, W_##s b) { return a != b; }                                                  \
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
#undef SCALAR_WRAPPING

/* bool: sum is or, product is and */
static inline bool isnan_b8(W_b8 x) { return (void)x, false; }
static inline bool differs_b8(W_b8 a, W_b8 b) { return a != b; }
static inline W_b8 plus_b8(W_b8 a, W_b8 b) { return a | b; }
static inline W_b8 minus_b8(W_b8 a, W_b8 b) { return a ^ b; }
static inline W_b8 times_b8(W_b8 a, W_b8 b) { return a & b; }
static inline W_b8 maximum_b8(W_b8 a, W_b8 b) { return a | b; }
static inline W_b8 minimum_b8(W_b8 a, W_b8 b) { return a & b; }

/* a / b rounded toward minus infinity; b > 0 (a count). */
static inline int64_t floor_divide_by_count(int64_t a, int64_t b) { return a / b - (a % b < 0); }

#endif
