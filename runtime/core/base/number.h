/* number.h: decimal numbers in text, read and written independently of the locale and correctly rounded: a written
   number reads back as the same bits. */
#ifndef NUMBER_H
#define NUMBER_H

#include "dtype.h"

#include <locale.h>

/* A number as written: (-1)^negative * digits * 10^exponent. */
struct decimal {
  enum { DECIMAL_FINITE, DECIMAL_INFINITE, DECIMAL_NAN } kind;
  bool negative;
  bool is_whole;     /* digits alone, no point and no exponent: an integer */
  bool is_truncated; /* more digits than fit below */
  uint64_t digits;
  int64_t exponent;
  const char *text; /* its first character */
};

/* Reads the longest number at the beginning of `text`. A number has an optional sign, then digits with an optional
   `point` (a character, or NO_POINT) and exponent, or nan, inf, infinity, ignoring case. Returns its end, or `text` if
   there is no number. The text must end in a byte that no number has. */
enum { NO_POINT = 256 };
const char *decimal_scan(const char *text, int point, struct decimal *out);
/* True if it is an int64, written as one. */
bool decimal_to_integer(const struct decimal *decimal, int64_t *out);
/* True if its value is an int64, however written ("2.50e1"). Exact: nothing is rounded first. */
bool decimal_value_to_integer(const struct decimal *decimal, int64_t *out);
/* The same for uint64; decimal->text must still exist. */
bool decimal_value_to_unsigned(const struct decimal *decimal, uint64_t *out);
/* Returns the nearest double, ties to even. decimal->text must still exist, with '.' as its point; `c_locale` is the
   locale "C", for rare numbers. */
double decimal_to_double(const struct decimal *decimal, locale_t c_locale);

/* The same for (-1)^negative * digits * 10^exponent, with an exponent of -27..27. */
double decimal_of_digits(uint64_t digits, int exponent, bool negative);

/* Writes the shortest decimal that reads back as the same element of a float dtype, in the format of Python's repr:
   "0.1", "1e-05", "12.0", "nan", "-inf". It never looks like an integer. Returns its length. */
enum { NUMBER_BYTES = 40 };
int write_float(strew_dtype dtype, const void *element, char *to);
int write_integer(uint64_t magnitude, bool negative, char *to);
/* The same for an element of any dtype of numbers; bools are 1 and 0. */
int write_number(strew_dtype dtype, const void *element, char *to);

#endif
