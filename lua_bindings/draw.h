/* draw.h: numbers drawn with characters. */
#ifndef STREW_DRAW_H
#define STREW_DRAW_H

#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>

#include "terminal.h"

/* The values drawn darkest and brightest; values outside are clamped. */
struct range {
  double low, high;
};

/* Widens the range to the finite values among these; it may start as {INFINITY, -INFINITY}. */
void range_include(struct range *range, const double *values, int64_t count);
/* Returns the position of a value in the range, 0..1; NaN stays NaN. Every value of an empty range is at its low end.
   */
double range_level(struct range range, double value);

/* A picture of rows x columns x channels values. One channel needs `colors`, rows x columns x 3 bytes, unless the style
   has no colour; channels 3 or 4 are red, green, blue (and alpha, which is ignored), each in the range. */
struct picture {
  const double *values;
  const unsigned char *colors;
  int64_t rows, columns, channels;
  struct range range;
  enum terminal_style style;
  int repeat; /* characters per column of an ASCII picture */
};

/* With colours, each line of text holds two rows: upper half blocks before a background. Without, one row. No newline
   at the end. */
void draw_picture(luaL_Buffer *out, const struct picture *picture);
/* Draws one line, a character per value. */
void draw_line(luaL_Buffer *out, const double *values, int64_t count, struct range range, enum terminal_style style);
/* Writes "-1.25", "100000", "1e+20": four significant digits, or all integer digits of numbers that are not too long.
   `text` has DRAWN_BYTES. The decimal separator is the locale's. */
enum { DRAWN_BYTES = 32 };
char *draw_number(char *text, double number);

#endif
