/* softfloat.h: IEEE 754 binary floats by integer arithmetic: rounded to nearest even, with denormals; NaN is the
   quiet positive one. 16-bit floats are rounded by it everywhere; it replaces a device's arithmetic if that flushes
   denormals, rounds in another way, or lacks float64.

   A float is its bits, in the low places of 64. C11 and OpenCL C; under OpenCL prelude.h comes first. */
#ifndef STREW_SOFTFLOAT_H
#define STREW_SOFTFLOAT_H

#ifndef __OPENCL_VERSION__
#include <stdbool.h>
#include <stdint.h>
#endif

/* Bits of the fraction, and exponent of the smallest normal number; that of the largest is 1 - lowest. */
struct float_format {
  int fraction, lowest;
};
#define FORMAT_FLOAT32  ((struct float_format){23, -126})
#define FORMAT_FLOAT64  ((struct float_format){52, -1022})
#define FORMAT_FLOAT16  ((struct float_format){10, -14})
#define FORMAT_BFLOAT16 ((struct float_format){7, -126})

static inline uint64_t infinity_of(struct float_format f) { return (uint64_t)(3 - 2 * f.lowest) << f.fraction; }
static inline uint64_t sign_of(struct float_format f) { return (uint64_t)(4 - 2 * f.lowest) << f.fraction; }
static inline uint64_t nan_of(struct float_format f) { return infinity_of(f) | (uint64_t)1 << (f.fraction - 1); }
static inline uint64_t magnitude_in(uint64_t bits, struct float_format f) { return bits & (sign_of(f) - 1); }

/* That of the least integer is 2^63. */
#ifdef __OPENCL_VERSION__ /* Oclgrind lacks the instruction that compilers make of the other */
static inline uint64_t integer_magnitude(int64_t x) { return abs(x); }
#else
static inline uint64_t integer_magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
#endif

/* Position of the highest set bit; x is not 0. */
static inline int highest_bit(uint64_t x) {
#ifdef __OPENCL_VERSION__
  return 63 - (int)clz(x);
#else
  return 63 - __builtin_clzll(x);
#endif
}

/* x / 2^count, where a set last bit may also stand for nonzero bits below it (sticky bit), as later rounding needs.
   count >= 0. */
static inline uint64_t shift_sticky(uint64_t x, int count) {
  if (count > 63) return x != 0;
  return x >> count | ((x & (((uint64_t)1 << count) - 1)) != 0);
}

/* One instruction, but for vectors of AVX-512. */
#if defined(__SIZEOF_INT128__) && !defined(__AVX512F__) && !defined(__OPENCL_VERSION__)
__extension__ typedef unsigned __int128 uint128;
static inline uint64_t upper_product(uint64_t a, uint64_t b) { return (uint64_t)((uint128)a * b >> 64); }
#else
static inline uint64_t upper_product(uint64_t a, uint64_t b) {
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint32_t)middle) >> 32);
}
#endif

/* significand * 2^exponent, rounded. */
static inline uint64_t round_to(struct float_format f, uint64_t significand, int exponent) {
  if (significand == 0) return 0;
  int leading = highest_bit(significand) + exponent;
  int place = leading < f.lowest ? f.lowest : leading; /* position of the leading bit; below `lowest` it is a
                                                          denormal */
  int lost = place - f.fraction - exponent;
  if (lost > 64) return 0;
  uint64_t kept = significand << (lost < 0 ? -lost : 0);
  if (lost > 0) {
    kept = lost < 64 ? significand >> lost : 0;
    uint64_t middle = (uint64_t)1 << (lost - 1), rest = significand & (middle * 2 - 1);
    kept += rest > middle || (rest == middle && (kept & 1));
  }
  uint64_t result = ((uint64_t)(place - f.lowest) << f.fraction) + kept; /* the leading bit adds 1 to the exponent */
  return result < infinity_of(f) ? result : infinity_of(f);
}

/* A finite magnitude: significand * 2^exponent. */
struct unpacked {
  uint64_t significand;
  int exponent;
};
static inline struct unpacked unpack(uint64_t magnitude, struct float_format f) {
  uint64_t leading = (uint64_t)1 << f.fraction;
  int field = (int)(magnitude >> f.fraction);
  struct unpacked x = {magnitude & (leading - 1), f.lowest - f.fraction + (field ? field - 1 : 0)};
  if (field) x.significand |= leading;
  return x;
}

/* ------------------------------------------------------------------------------------------------- arithmetic */

static inline uint64_t soft_plus(uint64_t a, uint64_t b, struct float_format f) {
  uint64_t large = magnitude_in(a, f), small = magnitude_in(b, f), sign = a & sign_of(f);
  bool opposite = ((a ^ b) & sign_of(f)) != 0;
  if (large > infinity_of(f) || small > infinity_of(f)) return nan_of(f);
  if (large < small) {
    uint64_t swapped = large;
    large = small, small = swapped, sign = b & sign_of(f);
  }
  if (large == infinity_of(f)) return opposite && small == large ? nan_of(f) : sign | large;
  if (large == small && opposite) return 0;
  struct unpacked x = unpack(large, f), y = unpack(small, f);
  int spare = 62 - f.fraction; /* a sum of two needs one more bit */
  x.significand <<= spare, y.significand <<= spare;
  y.significand = shift_sticky(y.significand, x.exponent - y.exponent);
  uint64_t sum = opposite ? x.significand - y.significand : x.significand + y.significand;
  return sign | round_to(f, sum, x.exponent - spare);
}

static inline uint64_t soft_times(uint64_t a, uint64_t b, struct float_format f) {
  uint64_t left = magnitude_in(a, f), right = magnitude_in(b, f), sign = (a ^ b) & sign_of(f);
  if (left > infinity_of(f) || right > infinity_of(f)) return nan_of(f);
  if (left == infinity_of(f) || right == infinity_of(f)) return left && right ? sign | infinity_of(f) : nan_of(f);
  struct unpacked x = unpack(left, f), y = unpack(right, f);
  if (f.fraction < 32) return sign | round_to(f, x.significand * y.significand, x.exponent + y.exponent);
  if (!left || !right) return sign;
  /* normalised, so that the upper half of the product holds all significant bits */
  int x_spare = 63 - highest_bit(x.significand), y_spare = 63 - highest_bit(y.significand);
  x.significand <<= x_spare, y.significand <<= y_spare;
  uint64_t product = upper_product(x.significand, y.significand);
  product |= x.significand * y.significand != 0;
  return sign | round_to(f, product, x.exponent - x_spare + y.exponent - y_spare + 64);
}

/* 128 bits: high * 2^64 + low. */
struct wide {
  uint64_t high, low;
};
static inline struct wide shift_wide_sticky(struct wide x, int count) {
  if (count == 0) return x;
  if (count > 127) return (struct wide){0, (x.high | x.low) != 0};
  if (count > 63) return (struct wide){0, shift_sticky(x.high, count - 64) | (x.low != 0)};
  uint64_t low = shift_sticky(x.low, count) | x.high << (64 - count);
  return (struct wide){x.high >> count, low};
}
static inline bool is_less_wide(struct wide a, struct wide b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* a * b + c, rounded once. Product and addend are shifted to 127 bits, of which the product has 106 at most: bits lost
   by a shift lie far below the last bit of a sum that cancels. */
static inline uint64_t soft_fused(uint64_t a, uint64_t b, uint64_t c, struct float_format f) {
  uint64_t left = magnitude_in(a, f), right = magnitude_in(b, f), third = magnitude_in(c, f);
  uint64_t sign = (a ^ b) & sign_of(f), sign_of_c = c & sign_of(f);
  if (left >= infinity_of(f) || right >= infinity_of(f) || !left || !right) return soft_plus(soft_times(a, b, f), c, f);
  if (third >= infinity_of(f)) return soft_plus(0, c, f);
  struct unpacked x = unpack(left, f), y = unpack(right, f), z = unpack(third, f);
  int x_spare = 63 - highest_bit(x.significand), y_spare = 63 - highest_bit(y.significand);
  x.significand <<= x_spare, y.significand <<= y_spare;
  struct wide product = {upper_product(x.significand, y.significand), x.significand * y.significand};
  product = shift_wide_sticky(product, 1); /* its last bit is 0; a sum needs one more bit */
  int exponent = x.exponent - x_spare + y.exponent - y_spare + 1;
  if (third) {
    int z_spare = 62 - highest_bit(z.significand);
    struct wide addend = {z.significand << z_spare, 0};
    int apart = exponent - (z.exponent - z_spare - 64);
    if (apart < 0)
      product = shift_wide_sticky(product, -apart), exponent -= apart;
    else
      addend = shift_wide_sticky(addend, apart);
    if (sign == sign_of_c) {
      product.low += addend.low;
      product.high += addend.high + (product.low < addend.low);
    } else {
      struct wide large = product;
      if (is_less_wide(product, addend)) large = addend, addend = product, sign = sign_of_c;
      product.low = large.low - addend.low;
      product.high = large.high - addend.high - (large.low < addend.low);
      if ((product.high | product.low) == 0) return 0;
    }
  }
  if (product.high == 0) return sign | round_to(f, product.low, exponent);
  int spare = 63 - highest_bit(product.high);
  uint64_t joined = spare ? product.high << spare | product.low >> (64 - spare) : product.high;
  joined |= (product.low << spare) != 0;
  return sign | round_to(f, joined, exponent + 64 - spare);
}

/* For formats of at most 30 bits of fraction. */
static inline uint64_t soft_divide(uint64_t a, uint64_t b, struct float_format f) {
  uint64_t left = magnitude_in(a, f), right = magnitude_in(b, f), sign = (a ^ b) & sign_of(f);
  if (left > infinity_of(f) || right > infinity_of(f)) return nan_of(f);
  if (left == infinity_of(f)) return right == infinity_of(f) ? nan_of(f) : sign | left;
  if (right == infinity_of(f)) return sign;
  if (right == 0) return left ? sign | infinity_of(f) : nan_of(f);
  if (left == 0) return sign;
  struct unpacked x = unpack(left, f), y = unpack(right, f);
  int spare = 63 - highest_bit(x.significand);
  x.significand <<= spare;
  uint64_t quotient = x.significand / y.significand;
  quotient |= quotient * y.significand != x.significand;
  return sign | round_to(f, quotient, x.exponent - spare - y.exponent);
}

/* Bit by bit, the root of a number of 62 or 63 bits. For formats of at most 29 bits of fraction. */
static inline uint64_t soft_root(uint64_t a, struct float_format f) {
  uint64_t magnitude = magnitude_in(a, f);
  if (magnitude == 0) return a;
  if (magnitude != a || a > infinity_of(f)) return nan_of(f);
  if (a == infinity_of(f)) return a;
  struct unpacked x = unpack(a, f);
  int spare = 62 - highest_bit(x.significand);
  if ((x.exponent - spare) & 1) spare--;
  uint64_t rest = x.significand << spare, root = 0;
  for (uint64_t bit = (uint64_t)1 << 62; bit; bit >>= 2) {
    bool fits = rest >= root + bit;
    rest -= fits ? root + bit : 0;
    root = root >> 1 | (fits ? bit : 0);
  }
  return round_to(f, root | (rest != 0), (x.exponent - spare) / 2);
}

/* a < b, a == b; -0 equals 0, and NaN compares false. (Words compare as floats do, or reversed if a sign is set.
   LLVM 18, and so PoCL 6, aborts on a `less` by cases of signs, once `maximum` and `minimum` are made of it.) */
static inline bool soft_less(uint64_t a, uint64_t b, struct float_format f) {
  uint64_t left = magnitude_in(a, f), right = magnitude_in(b, f);
  if (left > infinity_of(f) || right > infinity_of(f) || (left | right) == 0) return false;
  return a != b && (a < b) != (((a | b) & sign_of(f)) != 0);
}
static inline bool soft_equal(uint64_t a, uint64_t b, struct float_format f) {
  if (magnitude_in(a, f) > infinity_of(f)) return false;
  return a == b || (magnitude_in(a, f) | magnitude_in(b, f)) == 0;
}

/* Remainder of a / b with the sign of a: exact. The remainder has 24 bits, so each step finds 40 bits of the
   quotient. For formats of at most 23 bits of fraction. */
static inline uint64_t soft_fmod(uint64_t a, uint64_t b, struct float_format f) {
  uint64_t left = magnitude_in(a, f), right = magnitude_in(b, f);
  if (left >= infinity_of(f) || right > infinity_of(f) || right == 0) return nan_of(f);
  if (left < right) return a;
  struct unpacked x = unpack(left, f), y = unpack(right, f);
  uint64_t rest = x.significand % y.significand;
  for (int apart = x.exponent - y.exponent; apart > 0; apart -= 40)
    rest = (rest << (apart < 40 ? apart : 40)) % y.significand;
  return (a & sign_of(f)) | round_to(f, rest, y.exponent);
}

/* ------------------------------------------------------------------------------------------------ conversion */

/* Converts a float from one format to another. */
static inline uint64_t convert_format(uint64_t bits, struct float_format from, struct float_format to) {
  uint64_t magnitude = magnitude_in(bits, from), sign = magnitude == bits ? 0 : sign_of(to);
  if (magnitude >= infinity_of(from)) return sign | (magnitude > infinity_of(from) ? nan_of(to) : infinity_of(to));
  struct unpacked x = unpack(magnitude, from);
  return sign | round_to(to, x.significand, x.exponent);
}

static inline uint64_t round_unsigned(uint64_t i, struct float_format to) { return round_to(to, i, 0); }
static inline uint64_t round_integer(int64_t i, struct float_format to) {
  return i < 0 ? sign_of(to) | round_unsigned(0 - (uint64_t)i, to) : round_unsigned((uint64_t)i, to);
}

/* Truncates; values out of range become the nearest int64, and NaN becomes 0. */
static inline int64_t truncate_float(uint64_t bits, struct float_format from) {
  uint64_t magnitude = magnitude_in(bits, from);
  bool negative = magnitude != bits;
  if (magnitude > infinity_of(from)) return 0;
  struct unpacked x = unpack(magnitude, from);
  if (x.exponent < -63 || x.significand == 0) return 0;
  if (x.exponent > 0 && (x.exponent > 63 || highest_bit(x.significand) + x.exponent > 62))
    return negative ? -9223372036854775807 - 1 : 9223372036854775807;
  int64_t whole = (int64_t)(x.exponent < 0 ? x.significand >> -x.exponent : x.significand << x.exponent);
  return negative ? -whole : whole;
}

#endif
