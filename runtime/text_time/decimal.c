/* decimal.c: see decimal.h. */
#define _GNU_SOURCE /* strtod_l */
#include "decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

enum { MAX_DIGITS = 19 };
static const int64_t MAX_EXPONENT = 100000000000000000; /* more than the digits of any text can offset */

/* Appends the digits at `at` to *digits and returns their end. With too many digits *digits wraps: see scan_long. */
static inline const char *scan_digits(const char *at, uint64_t *digits) {
  for (; is_digit(*at); at++) *digits = *digits * 10 + (uint64_t)(*at - '0');
  return at;
}

/* Reads the digits and the optional point from `at` to `end` again: there may be too many digits. */
static void scan_long(const char *at, const char *end, int point, struct decimal *out) {
  bool is_fraction = false;
  int count = 0;
  out->digits = 0;
  out->exponent = 0;
  for (; at < end; at++) {
    if (*at == point) {
      is_fraction = true;
      continue;
    }
    bool fits = count < MAX_DIGITS;
    if (fits)
      out->digits = out->digits * 10 + (uint64_t)(*at - '0');
    else if (*at != '0')
      out->is_truncated = true;
    count += fits && out->digits; /* leading zeros do not count */
    out->exponent += !fits - is_fraction;
  }
}

/* Reads an exponent like "e-5" and returns its end; `at`, at its e, if digits are missing. */
static const char *scan_exponent(const char *at, struct decimal *out) {
  const char *next = at + 1;
  bool negative = *next == '-';
  int64_t exponent = 0;
  if (*next == '-' || *next == '+') next++;
  if (!is_digit(*next)) return at;
  for (; is_digit(*next); next++)
    if (exponent < MAX_EXPONENT) exponent = exponent * 10 + (*next - '0');
  out->exponent += negative ? -exponent : exponent;
  out->is_whole = false;
  return next;
}

static const char *scan_word(const char *text, const char *at, struct decimal *out) {
  static const struct {
    const char *word;
    int length, kind;
  } words[] = {{"infinity", 8, DECIMAL_INFINITE}, {"inf", 3, DECIMAL_INFINITE}, {"nan", 3, DECIMAL_NAN}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncasecmp(at, words[i].word, (size_t)words[i].length) == 0) {
      out->kind = words[i].kind;
      out->is_whole = false;
      return at + words[i].length;
    }
  return text;
}

const char *decimal_scan(const char *text, int point, struct decimal *out) {
  const char *at = text;
  *out = (struct decimal){.kind = DECIMAL_FINITE, .negative = *text == '-', .is_whole = true, .text = text};
  if (*at == '-' || *at == '+') at++;
  if (!is_digit(*at) && *at != point) return scan_word(text, at, out);
  const char *first = at;
  at = scan_digits(at, &out->digits);
  if (*at == point) {
    const char *end = at;
    if (at == first && !is_digit(at[1])) return text;
    out->is_whole = false;
    at = scan_digits(at + 1, &out->digits);
    out->exponent = end + 1 - at;
  }
  if (at - first > MAX_DIGITS) scan_long(first, at, point, out);
  return (*at | 0x20) == 'e' ? scan_exponent(at, out) : at;
}

bool decimal_to_integer(const struct decimal *decimal, int64_t *out) {
  uint64_t max = (uint64_t)INT64_MAX + decimal->negative;
  if (!decimal->is_whole || decimal->exponent || decimal->is_truncated || decimal->digits > max) return false;
  *out = decimal->negative ? (int64_t)(0 - decimal->digits) : (int64_t)decimal->digits;
  return true;
}

/* The same number with an exponent of 0, if its digits fit; it counts as an integer. */
static struct decimal without_exponent(struct decimal whole) {
  if (!whole.digits && !whole.is_truncated) whole.exponent = 0;
  for (; whole.exponent < 0 && whole.digits % 10 == 0 && whole.digits; whole.exponent++) whole.digits /= 10;
  for (; whole.exponent > 0 && whole.digits <= UINT64_MAX / 10; whole.exponent--) whole.digits *= 10;
  whole.is_whole = true;
  return whole;
}

bool decimal_value_to_integer(const struct decimal *decimal, int64_t *out) {
  const struct decimal whole = without_exponent(*decimal);
  return decimal->kind == DECIMAL_FINITE &&
         decimal_to_integer(&whole, out); /* refuses omitted digits and a remaining exponent */
}

bool decimal_value_to_unsigned(const struct decimal *decimal, uint64_t *out) {
  const struct decimal whole = without_exponent(*decimal);
  if (decimal->kind != DECIMAL_FINITE || decimal->negative) return false;
  *out = whole.digits;
  if (!decimal->is_whole) return !whole.exponent && !whole.is_truncated;
  errno = 0; /* there may be 20 digits */
  return *out = strtoull(decimal->text, NULL, 10), errno == 0;
}

double decimal_to_double(const struct decimal *decimal, locale_t c_locale) {
  if (decimal->kind == DECIMAL_NAN) return NAN;
  if (decimal->kind == DECIMAL_INFINITE) return decimal->negative ? -INFINITY : INFINITY;
  if (decimal->digits == 0 && !decimal->is_truncated) return decimal->negative ? -0.0 : 0;
  if (!decimal_is_usual(decimal)) return strtod_l(decimal->text, NULL, c_locale);
  return decimal_of_digits(decimal->digits, (int)decimal->exponent, decimal->negative);
}
