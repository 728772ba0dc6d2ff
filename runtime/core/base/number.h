/* number.h: numbers written as decimals, independently of the locale and correctly rounded: they read back as the same
   bits (text_time/decimal.h). */
#ifndef NUMBER_H
#define NUMBER_H

#include "dtype.h"

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

/* The nearest double to (-1)^negative * digits * 10^exponent, ties to even, with an exponent of -27..27. */
double decimal_of_digits(uint64_t digits, int exponent, bool negative);
/* True if it does so without the C library: that takes integers of 128 bits. */
static inline bool decimal_is_usual(const struct decimal *decimal) {
#ifdef __SIZEOF_INT128__
  return !decimal->is_truncated && decimal->exponent >= -27 && decimal->exponent <= 27;
#else
  return decimal->kind != DECIMAL_FINITE;
#endif
}

/* Writes the shortest decimal that reads back as the same element of a float dtype, in the format of Python's repr:
   "0.1", "1e-05", "12.0", "nan", "-inf". It never looks like an integer. Returns its length. */
enum { NUMBER_BYTES = 40 };
int write_float(strew_dtype dtype, const void *element, char *to);
int write_integer(uint64_t magnitude, bool negative, char *to);
/* The same for an element of any dtype of numbers; bools are 1 and 0. */
int write_number(strew_dtype dtype, const void *element, char *to);

#endif
