/* arithmetic.h: numbers of the elementwise operations, and what the bodies in arithmetic.inc share. C11 and OpenCL
   C. */
#ifndef STREW_ARITHMETIC_H
#define STREW_ARITHMETIC_H

#include "runtime/core/shared/scalar.h"

#ifndef __OPENCL_VERSION__
#include <tgmath.h> /* floor, ceil, ... for the type of the argument, as in OpenCL */
#else               /* of dtype S, for arithmetic.inc */
#define FLOATING     CAT(FLOATING_, S)
#define IS_BOOL      CAT(IS_BOOL_, S)
#define FLOATING_f32 1
#define FLOATING_f64 1
#define IS_BOOL_b8   1
#endif
#define IS_UNSIGNED64     CAT(IS_UNSIGNED64_, S) /* whose values int64 does not hold */
#define IS_UNSIGNED64_u64 1

#include "halves.h"

/* Numbers of operations in kernels that choose one at run time: those of strew.h. */
#define ROW(ENUM, name, function, takes, gives, work, asks) CODE_##ENUM,
enum { STREW_UNARY(ROW) UNARY_CODES };
enum { STREW_BINARY(ROW) BINARY_CODES };
#undef ROW

/* --------------------------------------------------------------------------------------------------------- integers */

/* Integers of every width are divided as int64: the quotient fits except for -INT_MIN, which wraps. b is not 0, which
   is checked before; the test avoids undefined behaviour nevertheless. */
static inline int64_t integer_floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return minus_i64(0, a);
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t integer_remainder(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t integer_fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

static inline uint64_t unsigned_gcd(uint64_t x, uint64_t y) {
  while (y) {
    const uint64_t rest = x % y;
    x = y, y = rest;
  }
  return x;
}
/* That of the least integer, 2^63, wraps at the end. */
static inline int64_t integer_gcd(int64_t a, int64_t b) {
  return (int64_t)unsigned_gcd(integer_magnitude(a), integer_magnitude(b));
}
static inline int64_t integer_lcm(int64_t a, int64_t b) {
  const uint64_t divisor = (uint64_t)integer_gcd(a, b);
  return divisor ? (int64_t)(integer_magnitude(a) / divisor * integer_magnitude(b)) : 0;
}

/* Wraps, to any narrower width too; exponent >= 0. */
static inline int64_t integer_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (uint64_t rest = (uint64_t)exponent; rest; rest >>= 1) {
    if (rest & 1) result = times_i64(result, base);
    base = times_i64(base, base);
  }
  return result;
}

/* ------------------------------------------------------------------------------------------------------- floats */

/* fmod is exact in both languages, but not in every driver; this is no slower than the C library's. */
static inline float fmod_f32(float a, float b) {
  return float_of_bits((uint32_t)soft_fmod(bits_of_float(a), bits_of_float(b), FORMAT_FLOAT32));
}
/* Devices flush denormals alone, which are between 0 and 1. */
#ifdef SOFT_FLOAT32_COMPARE
static inline bool is_denormal(float x) { return (bits_of_float(x) & 0x7f800000u) == 0; }
static inline float zero_like(float x) { return float_of_bits(bits_of_float(x) & 0x80000000u); }
static inline float floor_f32(float x) { return !is_denormal(x) ? floor(x) : less_f32(x, 0) ? -1.0f : zero_like(x); }
static inline float ceil_f32(float x) { return !is_denormal(x) ? ceil(x) : less_f32(0, x) ? 1.0f : zero_like(x); }
static inline float round_f32(float x) { return is_denormal(x) ? zero_like(x) : rint(x); }
#else
static inline float floor_f32(float x) { return floor(x); }
static inline float ceil_f32(float x) { return ceil(x); }
static inline float round_f32(float x) { return rint(x); }
#endif
#ifdef HAS_FLOAT64
static inline double fmod_f64(double a, double b) { return fmod(a, b); }
static inline double floor_f64(double x) { return floor(x); }
static inline double ceil_f64(double x) { return ceil(x); }
static inline double round_f64(double x) { return rint(x); }
#endif

/* The next value is the next integer: bits in the order of values, where zeros are equal. */
#define NEXTAFTER(s, whole, infinite, nan, bits_of, of_bits)                                                           \
  static inline whole order_of_##s(B_##s x) {                                                                          \
    const B_##s magnitude = x & (B_##s) ~(B_##s)0 >> 1;                                                                \
    return x == magnitude ? (whole)x : (whole) - (whole)magnitude;                                                     \
  }                                                                                                                    \
  static inline T_##s nextafter_##s(T_##s a, T_##s b) {                                                                \
    const B_##s sign = (B_##s)1 << (8 * sizeof(B_##s) - 1), x = bits_of(a), y = bits_of(b);                            \
    const whole from = order_of_##s(x), to = order_of_##s(y), next = (whole)(from + (from < to) - (from > to));        \
    const B_##s magnitude = (B_##s)(next < 0 ? -next : next), kept = next ? 0 : x & sign;                              \
    const B_##s moved = (B_##s)(magnitude | (next < 0 ? sign : kept));                                                 \
    const bool undefined = (x & ~sign) > (infinite) || (y & ~sign) > (infinite);                                       \
    return of_bits((B_##s)(undefined ? (nan) : from == to ? y : moved));                                               \
  }
#define AS_STORED(x) (x)
NEXTAFTER(f32, int32_t, 0x7f800000u, 0x7fc00000u, bits_of_float, float_of_bits)
NEXTAFTER(f16, int16_t, 0x7c00u, 0x7e00u, AS_STORED, AS_STORED)
NEXTAFTER(bf16, int16_t, 0x7f80u, 0x7fc0u, AS_STORED, AS_STORED)
#ifdef HAS_FLOAT64
NEXTAFTER(f64, int64_t, 0x7ff0000000000000u, 0x7ff8000000000000u, bits_of_double, double_of_bits)
#endif
#undef AS_STORED
#undef NEXTAFTER

#endif
