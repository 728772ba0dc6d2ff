/* decimal.h: decimal numbers read from text, independently of the locale and correctly rounded. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include "runtime/core/base/number.h"

#include <locale.h>

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

#endif
