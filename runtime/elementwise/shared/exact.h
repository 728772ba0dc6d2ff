/* exact.h: floats as whole numbers, for sums that are exact: x = digits * 2^place units. A unit is the least denormal,
   2^-149 of float32, as which 16-bit floats are computed, and 2^-1074 of float64. A limb is what a term has at bits
   `from` .. `from` + width - 1 of its magnitude, in units, with the term's sign. Integers alone: the same on every
   device. C11 and OpenCL C. */
#ifndef STREW_EXACT_H
#define STREW_EXACT_H

#include "runtime/core/shared/scalar.h"

/* What a survey finds: places of the lowest and the highest bit of all terms, and which kinds of terms there are. */
enum { EXACT_NAN = 1, EXACT_POSITIVE = 2, EXACT_NEGATIVE = 4, EXACT_MINUS_ZERO = 8, EXACT_NONE = 1 << 30 };
enum { EXACT_PLACES = 2046 + 64 }; /* of bits that a finite float64 may have */
enum { EXACT_OTHER = 16 };         /* than -0; known by devices that note kinds by result */
enum { EXACT_DIGIT = 32 };         /* the width of the limbs of variances by number */
#define EXACT_INFINITIES (EXACT_POSITIVE | EXACT_NEGATIVE)

/* `from` and width as one number, which a float holds. */
enum { EXACT_WIDTHS = 64 };

/* Bits 0 .. width - 1 of (high * 2^64 + low) * 2^up. */
static inline uint64_t exact_bits(uint64_t high, uint64_t low, int up, int width) {
  const int down = -up;
  const uint64_t raised = up < 64 ? low << (up & 63) : 0, lowered = down < 64 ? low >> (down & 63) : 0;
  const uint64_t carried = down < 64 ? high << (up & 63) : down < 128 ? high >> (down & 63) : 0;
  return (up >= 0 ? raised : lowered | carried) & (((uint64_t)1 << width) - 1);
}
static inline int64_t exact_signed(uint64_t magnitude, uint64_t sign) {
  return (int64_t)((magnitude ^ ((uint64_t)0 - sign)) + sign);
}

static inline uint32_t exact_digits_f32(uint32_t bits) {
  const uint32_t exponent = bits >> 23 & 255, fraction = bits & 0x7fffffu;
  return (fraction | (uint32_t)(exponent != 0) << 23) & ((uint32_t)(exponent == 255) - 1);
}
static inline int exact_place_f32(uint32_t bits) {
  const int exponent = (int)(bits >> 23 & 255);
  return exponent - (exponent != 0);
}
static inline int64_t exact_limb_f32(float x, int from, int width) {
  const uint32_t bits = bits_of_float(x);
  const int up = exact_place_f32(bits) - from;
  const uint64_t digits = exact_digits_f32(bits);
  const uint64_t raised = up < 64 ? digits << (up & 63) : 0, lowered = up > -64 ? digits >> (-up & 63) : 0;
  return exact_signed((up >= 0 ? raised : lowered) & (((uint64_t)1 << width) - 1), bits >> 31);
}
static inline int64_t exact_product_limb_f32(float x, float y, int from, int width) {
  const uint32_t a = bits_of_float(x), b = bits_of_float(y);
  const uint64_t digits = (uint64_t)exact_digits_f32(a) * exact_digits_f32(b);
  return exact_signed(exact_bits(0, digits, exact_place_f32(a) + exact_place_f32(b) - from, width), (a ^ b) >> 31);
}

#ifdef HAS_FLOAT64
static inline uint64_t exact_digits_f64(uint64_t bits) {
  const uint64_t exponent = bits >> 52 & 2047, fraction = bits & 0xfffffffffffffu;
  return (fraction | (uint64_t)(exponent != 0) << 52) & ((uint64_t)(exponent == 2047) - 1);
}
static inline int exact_place_f64(uint64_t bits) {
  const int exponent = (int)(bits >> 52 & 2047);
  return exponent - (exponent != 0);
}
static inline int64_t exact_limb_f64(double x, int from, int width) {
  const uint64_t bits = bits_of_double(x), digits = exact_digits_f64(bits);
  const int up = exact_place_f64(bits) - from;
  const uint64_t raised = up < 64 ? digits << (up & 63) : 0, lowered = up > -64 ? digits >> (-up & 63) : 0;
  return exact_signed((up >= 0 ? raised : lowered) & (((uint64_t)1 << width) - 1), bits >> 63);
}
/* The upper half of a product of 53 bits each, by halves of 32 bits. */
static inline uint64_t exact_high(uint64_t a, uint64_t b) {
  const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}
static inline int64_t exact_product_limb_f64(double x, double y, int from, int width) {
  const uint64_t a = bits_of_double(x), b = bits_of_double(y);
  const uint64_t p = exact_digits_f64(a), q = exact_digits_f64(b);
  const int up = exact_place_f64(a) + exact_place_f64(b) - from;
  return exact_signed(exact_bits(exact_high(p, q), p * q, up, width), (a ^ b) >> 63);
}
#endif

/* The bits of the float nearest to top * 2^exponent, whose highest bit is set, and a bit more if there is a rest; ties to
   even. The dtype has `digits` binary digits, a least denormal of 2^least, and these bits of infinity. */
static inline uint64_t exact_nearest(uint64_t top, int exponent, bool rest, int digits, int least, uint64_t infinity) {
  const int normal = exponent + 64 - digits, lowest = normal < least ? least : normal;
  const int drop = lowest - exponent; /* 11 or more */
  if (drop > 64) return 0;
  uint64_t kept = drop < 64 ? top >> drop : 0;
  const uint64_t tie = (uint64_t)1 << (drop - 1);
  kept += top & tie && (rest || top & (tie - 1) || kept & 1);
  const int above = lowest - least;
  const uint64_t bits = ((uint64_t)above << (digits - 1)) + kept;
  return above > 2 * 1100 || bits > infinity ? infinity : bits;
}

/* As an instruction, whose last input is from * EXACT_WIDTHS + width. */
#define EXACT_FROM(code)  ((int)(code) / EXACT_WIDTHS)
#define EXACT_WIDTH(code) ((int)(code) % EXACT_WIDTHS)
static inline int64_t limb_f32(float x, float code) { return exact_limb_f32(x, EXACT_FROM(code), EXACT_WIDTH(code)); }
static inline int64_t product_limb_f32(float x, float y, float code) {
  return exact_product_limb_f32(x, y, EXACT_FROM(code), EXACT_WIDTH(code));
}
#ifdef HAS_FLOAT64
static inline int64_t limb_f64(double x, double code) { return exact_limb_f64(x, EXACT_FROM(code), EXACT_WIDTH(code)); }
static inline int64_t product_limb_f64(double x, double y, double code) {
  return exact_product_limb_f64(x, y, EXACT_FROM(code), EXACT_WIDTH(code));
}
#endif

#endif
