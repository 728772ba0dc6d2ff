/* number.c: see number.h.

   A decimal is digits * 10^q. With at most 19 digits and q in -27..27, 5^|q| and the digits are 64-bit integers.
   Rounding needs only their 128-bit product, or their quotient and whether it has a remainder. Writing works the same
   way: 15, 16 or 17 digits of a double are an integer product, shifted and rounded. Numbers that are longer or farther
   from 1 go through the C library. */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POWER = 27 };
static const uint64_t powers_of_five[MAX_POWER + 1] = {
    0x0000000000000001, 0x0000000000000005, 0x0000000000000019, 0x000000000000007d, 0x0000000000000271,
    0x0000000000000c35, 0x0000000000003d09, 0x000000000001312d, 0x000000000005f5e1, 0x00000000001dcd65,
    0x00000000009502f9, 0x0000000002e90edd, 0x000000000e8d4a51, 0x0000000048c27395, 0x000000016bcc41e9,
    0x000000071afd498d, 0x0000002386f26fc1, 0x000000b1a2bc2ec5, 0x000003782dace9d9, 0x00001158e460913d,
    0x000056bc75e2d631, 0x0001b1ae4d6e2ef5, 0x000878678326eac9, 0x002a5a058fc295ed, 0x00d3c21bcecceda1,
    0x0422ca8b0a00a425, 0x14adf4b7320334b9, 0x6765c793fa10079d};

/* 10^n, for n in 0..19. */
static inline uint64_t power_of_ten(int n) { return powers_of_five[n] << n; }

/* What a float dtype needs: every decimal of min_digits digits survives conversion to it, but for subnormals;
   max_digits digits distinguish all its elements. */
struct float_form {
  int min_digits, max_digits;
  int dropped_bits; /* of a double's significand */
  double normal;    /* the least normal number */
};
static const struct float_form float_forms[] = {[STREW_FLOAT64] = {15, 17, 0, 0x1p-1022},
                                                [STREW_FLOAT32] = {6, 9, 29, 0x1p-126},
                                                [STREW_FLOAT16] = {3, 5, 42, 0x1p-14},
                                                [STREW_BFLOAT16] = {2, 4, 45, 0x1p-126}};

/* ----------------------------------------------------------------------------------------------------- to doubles */

static double with_sign(double value, bool negative) { return negative ? -value : value; }

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;

/* Returns significand * 2^exponent, ties to even. The significand's highest bit is set; `more`: nonzero bits follow it.
   The result must be a normal double. */
static double round_to_double(uint64_t significand, int exponent, bool more) {
  enum { DROPPED = 11, HALF = 1 << (DROPPED - 1) };
  uint64_t kept = significand >> DROPPED, rest = significand & (2 * HALF - 1);
  kept += rest > HALF || (rest == HALF && (more || kept & 1));
  /* A carry out of the significand increments the exponent. */
  uint64_t bits = ((uint64_t)(exponent + DROPPED + 52 + 1023) << 52) + (kept - ((uint64_t)1 << 52));
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Returns digits * 10^power, for power in -27..27. One division rounds correctly, if doubles hold both operands. */
static double scale(uint64_t digits, int power) {
  static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (power <= 0 && power >= -22 && digits <= (uint64_t)1 << 53) return (double)digits / powers_of_ten[-power];
  uint64_t five = powers_of_five[power < 0 ? -power : power];
  int digits_shift = __builtin_clzll(digits), five_shift = __builtin_clzll(five);
  digits <<= digits_shift;
  five <<= five_shift;
  if (power >= 0) {
    uint128 product = (uint128)digits * five;
    int shift = !(product >> 127);
    product <<= shift;
    return round_to_double((uint64_t)(product >> 64), power - digits_shift - five_shift + 64 - shift,
                           (uint64_t)product != 0);
  }
  int shift = digits < five ? 64 : 63;
  uint128 dividend = (uint128)digits << shift;
  uint64_t quotient = (uint64_t)(dividend / five);
  return round_to_double(quotient, power - digits_shift + five_shift - shift, dividend != (uint128)quotient * five);
}

double decimal_of_digits(uint64_t digits, int exponent, bool negative) {
  return with_sign(digits ? scale(digits, exponent) : 0, negative);
}

/* Computes the first `count` digits of value > 0, ties to even: value is about *digits * 10^*exponent. False if that
   needs more than 128 bits. */
static bool usual_digits(double value, int count, uint64_t *digits, int *exponent) {
  const uint64_t limit = power_of_ten(count);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent2 = (int)(bits >> 52) - 1075;
  uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  int exponent10 = (int)floor((exponent2 + 52) * 0.30102999566398120) - count + 1; /* estimate, at most 1 too low */
  for (int tries = 0; tries < 3; tries++, exponent10++) {
    int right = exponent10 - exponent2; /* value / 10^exponent10 = significand * 5^-exponent10 / 2^right */
    if (exponent2 == -1075 || exponent10 > 0 || exponent10 < -MAX_POWER || right < 0 || right > 120) return false;
    uint128 product = (uint128)significand * powers_of_five[-exponent10], whole = product >> right;
    uint128 rest = product - (whole << right), half = right ? (uint128)1 << (right - 1) : 1;
    *digits = (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
    *exponent = exponent10;
    if (*digits < limit) return true;
  }
  return false;
}

/* Finds a decimal of at most 15 digits, of which 6 follow the point, that reads back as the double value > 0: no other
   one does, so that it is the shortest but for zeros at its end. */
static inline bool short_decimal(double value, struct decimal *out) {
  enum { PLACES = 6 };
  const double scaled = value * 1e6;
  if (scaled > 999999999999999 || scaled < 1) return false;
  const uint64_t digits = (uint64_t)(scaled + 0.5);
  if ((double)digits / 1e6 != value) return false;
  return out->digits = digits, out->exponent = -PLACES, true;
}

/* Finds the shortest decimal that reads back as value > 0, a normal number of the dtype. Its unit is the power of ten
   of which one to ten fit between the midpoints to the neighbours: the one multiple of ten units that lies there, or
   else the nearest multiple of one, ties to even. False if that needs more bits, or for powers of two, whose neighbours
   are not equally far, and, in dtypes narrower than float64, for decimals near a midpoint, because they are read as
   float64 first. Without branches, which foresee no digits. */
static inline bool usual_shortest(const struct float_form *form, double value, struct decimal *out) {
  enum { CLOSE = 20, STORED = 52, MOST_BITS = 61 /* of a fraction: five units have 64 */ };
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t significand = bits & (((uint64_t)1 << STORED) - 1);
  if (!significand) return false;
  significand = (significand | (uint64_t)1 << STORED) >> form->dropped_bits;
  const int exponent2 = (int)(bits >> STORED) - 1023 - STORED + form->dropped_bits;
  const int exponent10 = exponent2 * 1233 >> 12; /* rounded down: 1233 / 4096 is log10(2) */
  const int right = exponent10 - exponent2;      /* value / 10^exponent10 = significand * 5^-exponent10 / 2^right */
  if (exponent10 > 0 || exponent10 < -MAX_POWER || right < 0 || right > MOST_BITS) return false;
  const uint64_t width = powers_of_five[-exponent10], half = width / 2; /* between the midpoints, which is odd */
  const uint128 product = (uint128)significand * width;
  const uint64_t whole = (uint64_t)(product >> right), one = (uint64_t)1 << right, digit = whole % 10;
  const uint64_t below = (uint64_t)product & (one - 1), above = one - below;
  const uint64_t ten_below = digit << right | below, ten_above = 10 * one - ten_below; /* the less one is exact */
  const bool is_up = (below > above) | ((below == above) & (whole & 1)), is_ten_up = digit >= 5;
  const uint64_t error = is_up ? above : below, ten_error = is_ten_up ? ten_above : ten_below;
  const uint64_t close = form->dropped_bits ? width >> CLOSE : 0;
  const bool fits = ten_error <= half, is_unsure = ten_error - half + close < 2 * close;
  const uint64_t tens = whole - digit + (is_ten_up ? 10 : 0), ones = whole + is_up;
  out->digits = fits ? tens : ones, out->exponent = exponent10;
  return !(is_unsure | (!fits & (error - half + close < 2 * close)));
}
#else
static bool short_decimal(double value, struct decimal *out) { return (void)value, (void)out, false; }

static bool usual_shortest(const struct float_form *form, double value, struct decimal *out) {
  return (void)form, (void)value, (void)out, false;
}

double decimal_of_digits(uint64_t digits, int exponent, bool negative) {
  char text[NUMBER_BYTES]; /* without a point, which would depend on the locale */
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
  return with_sign(strtod(text, NULL), negative);
}

static bool usual_digits(double value, int count, uint64_t *digits, int *exponent) {
  (void)value, (void)count, (void)digits, (void)exponent;
  return false;
}
#endif

/* -------------------------------------------------------------------------------------------------------- to text */

/* The same through the C library. Its decimal point depends on the locale. */
static void rare_digits(double value, int count, uint64_t *digits, int *exponent) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", count - 1, value);
  const char *at = text;
  *digits = 0;
  for (; *at != 'e'; at++)
    if ((unsigned char)(*at - '0') < 10) *digits = *digits * 10 + (uint64_t)(*at - '0');
  *exponent = (int)strtol(at + 1, NULL, 10) - count + 1;
}

/* True if the decimal reads back as this element. */
static bool reads_back(strew_dtype dtype, const void *element, struct decimal *decimal) {
  union element read = {.i64 = 0};
  char text[NUMBER_BYTES]; /* without a point, which would depend on the locale */
  sprintf(text, "%s%llue%d", decimal->negative ? "-" : "", (unsigned long long)decimal->digits, (int)decimal->exponent);
  const double value = decimal_is_usual(decimal)
                           ? decimal_of_digits(decimal->digits, (int)decimal->exponent, decimal->negative)
                           : strtod(text, NULL);
  dtype_saturate(strew_float(value), dtype, read.bytes);
  return memcmp(read.bytes, element, dtype_bytes(dtype)) == 0;
}

/* The same for any element that is finite and not 0, by trial. */
__attribute__((noinline)) static void rare_shortest(strew_dtype dtype, const void *element, double value,
                                                    struct decimal *out) {
  const struct float_form *form = &float_forms[dtype];
  const bool is_normal = value >= form->normal;
  for (int count = is_normal ? form->min_digits : 1; count <= form->max_digits; count++) {
    int exponent;
    if (!usual_digits(value, count, &out->digits, &exponent)) rare_digits(value, count, &out->digits, &exponent);
    out->exponent = exponent;
    if (reads_back(dtype, element, out)) return;
    out->digits++; /* above a power of two more decimals read back as it than below */
    if (reads_back(dtype, element, out)) return;
  }
}

/* Strips zeros from the end of the digits, by a power of ten that has that many. */
static inline void strip_zeros(struct decimal *decimal, uint64_t power, int zeros) {
  while (decimal->digits % power == 0) decimal->digits /= power, decimal->exponent += zeros;
}

/* Finds the shortest decimal that reads back as the element, without trailing zeros. */
static inline void shortest(strew_dtype dtype, const void *element, double value, struct decimal *out) {
  const bool is_normal = value >= float_forms[dtype].normal,
             is_short = dtype == STREW_FLOAT64 && short_decimal(value, out);
  if (!is_short && (!is_normal || !usual_shortest(&float_forms[dtype], value, out)))
    rare_shortest(dtype, element, value, out);
  if (out->digits % 10) return;
  strip_zeros(out, 100000000, 8);
  strip_zeros(out, 10000, 4);
  strip_zeros(out, 100, 2);
  strip_zeros(out, 10, 1);
}

/* The number of a number's decimal digits; 1 for 0. */
static inline int count_digits(uint64_t number) {
  const int estimate = (64 - __builtin_clzll(number | 1)) * 1233 >> 12; /* exact, or 1 too low */
  return estimate + (estimate == 0 || number >= power_of_ten(estimate));
}

static inline void put_pair(uint32_t number, char *to) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
      "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  memcpy(to, &pairs[2 * number], 2);
}

static inline void put_eight(uint32_t number, char *to) {
  const uint32_t high = number / 10000, low = number % 10000;
  put_pair(high / 100, to);
  put_pair(high % 100, to + 2);
  put_pair(low / 100, to + 4);
  put_pair(low % 100, to + 6);
}

/* Writes the last `count` digits of a number, and zeros for which there is room; returns the digits' end. */
static inline char *put_digits(uint64_t number, int count, char *to) {
  enum { EIGHT = 100000000 };
  if (count > 16) { /* up to four digits */
    const uint64_t high = number / power_of_ten(16);
    put_eight((uint32_t)(high * power_of_ten(24 - count)), to);
    number -= high * power_of_ten(16), to += count - 16, count = 16;
  }
  if (count <= 8) return put_eight((uint32_t)(number * power_of_ten(8 - count)), to), to + count;
  number *= power_of_ten(16 - count);
  put_eight((uint32_t)(number / EIGHT), to);
  put_eight((uint32_t)(number % EIGHT), to + 8);
  return to + count;
}

int write_integer(uint64_t magnitude, bool negative, char *to) {
  *to = '-';
  char *end = put_digits(magnitude, count_digits(magnitude), to + negative);
  return *end = '\0', (int)(end - to);
}

/* Writes digits * 10^exponent as d.ddde-05; returns the end. */
__attribute__((noinline)) static char *put_scientific(uint64_t digits, int count, int exponent, char *to) {
  char text[NUMBER_BYTES];
  write_integer(digits, false, text);
  return to + sprintf(to, count > 1 ? "%.1s.%se%+03d" : "%.1s%se%+03d", text, text + 1, exponent + count - 1);
}

/* The same, without an exponent where that is short. */
static inline char *put_decimal(uint64_t digits, int exponent, char *to) {
  enum { LEAST_EXPONENT = -4, MOST_EXPONENT = 15 };
  const int count = count_digits(digits), whole = exponent + count; /* digits before the point */
  if (whole <= LEAST_EXPONENT || whole > MOST_EXPONENT + 1) return put_scientific(digits, count, exponent, to);
  if (exponent >= 0) {
    to = put_digits(digits, count, to);
    for (; exponent; exponent--) *to++ = '0';
    return (char *)memcpy(to, ".0", 2) + 2;
  }
  if (whole <= 0) return memcpy(to, "0.000", 5), put_digits(digits, count, to + 2 - whole);
  char *end = put_digits(digits, count, to + 1);
  for (int i = 0; i < whole; i++) to[i] = to[i + 1];
  return to[whole] = '.', end;
}

int write_float(strew_dtype dtype, const void *element, char *to) {
  double value;
  if (dtype == STREW_FLOAT64)
    memcpy(&value, element, sizeof value);
  else
    value = dtype_load(dtype_stored(dtype), element).as.f;
  const int sign = signbit(value) != 0;
  struct decimal decimal = {.negative = sign};
  *to = '-';
  if (isnan(value)) return sprintf(to, "nan");
  if (isinf(value)) return sign + sprintf(to + sign, "inf");
  if (value == 0) return sign + sprintf(to + sign, "0.0");
  shortest(dtype, element, fabs(value), &decimal);
  char *end = put_decimal(decimal.digits, (int)decimal.exponent, to + sign);
  return *end = '\0', (int)(end - to);
}

int write_number(strew_dtype dtype, const void *element, char *to) {
  strew_scalar number = {.dtype = STREW_INT64};
  if (dtype_is_float(dtype)) return write_float(dtype, element, to);
  if (dtype == STREW_INT64)
    memcpy(&number.as.i, element, sizeof number.as.i);
  else
    number = dtype_load(dtype_stored(dtype), element);
  const bool negative = number.dtype != STREW_UINT64 && number.as.i < 0;
  return write_integer(negative ? 0 - (uint64_t)number.as.i : (uint64_t)number.as.i, negative, to);
}
