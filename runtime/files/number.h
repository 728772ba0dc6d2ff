/* number.h: decimal numbers in text, read and written without regard to the locale, both correctly rounded: what is
   written reads back as the same bits. */
#ifndef NUMBER_H
#define NUMBER_H

#include "runtime/dtype.h"

#include <locale.h>

/* A number as its text has it: (-1)^negative * digits * 10^exponent. */
struct decimal {
  enum { DECIMAL_FINITE, DECIMAL_INFINITE, DECIMAL_NAN } kind;
  bool negative;
  bool is_whole; /* digits alone, no point and no exponent: what integers look like */
  bool is_cut;   /* there are more digits than fit below */
  uint64_t digits;
  int64_t exponent;
  const char *text; /* where it stands */
};

/* Reads the longest number that `text` begins with: digits with a point among or beside them, then maybe an exponent;
   or nan, inf, infinity, in any case; after a sign or none. Returns its end, or `text` where there is no number. Such
   text ends in a byte that no number has. */
const char *decimal_scan(const char *text, struct decimal *out);
/* Is it an int64, written as one? */
bool decimal_to_integer(const struct decimal *decimal, int64_t *out);
/* Is its value an int64, however it is written ("2.50e1")? Exact: nothing is rounded first. */
bool decimal_value_to_integer(const struct decimal *decimal, int64_t *out);
/* The nearest double, halves to even. Its text is still there; `plain` is the locale "C", for rare numbers. */
double decimal_to_double(const struct decimal *decimal, locale_t plain);

/* The shortest decimal that reads back as the same element of a float dtype, as Python's repr lays it out: "0.1",
   "1e-05", "12.0", "nan", "-inf"; always to be told from an integer's. Returns its length. */
enum { NUMBER_BYTES = 40 };
int write_float(strew_dtype dtype, const void *element, locale_t plain, char *to);

#endif
