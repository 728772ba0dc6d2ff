/* draw.h: numbers as characters. */
#ifndef STREW_DRAW_H
#define STREW_DRAW_H

#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>

#include "terminal.h"

/* The values that are drawn darkest and brightest; those beyond are drawn as these. */
struct range {
  double low, high;
};

/* Widens the range to the finite values among these; it may start as {INFINITY, -INFINITY}. */
void range_include(struct range *range, const double *values, int64_t count);
/* Where in the range a value is, 0..1; NaN stays NaN. Of a range without extent everything is at its low end. */
double range_level(struct range range, double value);

/* A picture: rows x columns x channels values. One channel comes with its colours, rows x columns x 3 bytes, unless the
   style has none; channels 3 or 4 are red, green, blue (and alpha, which is left out), each in the range. */
struct picture {
  const double *values;
  const unsigned char *colors;
  int64_t rows, columns, channels;
  struct range range;
  enum terminal_style style;
  int repeat; /* columns of characters for each place of an ASCII picture */
};

/* With colours two rows in each line of text, as upper halves of character cells and what lies behind them; else one.
   No newline at the end. */
void draw_picture(luaL_Buffer *out, const struct picture *picture);
/* One line, a character for each value. */
void draw_line(luaL_Buffer *out, const double *values, int64_t count, struct range range, enum terminal_style style);
/* "-1.25", "100000", "1e+20": four digits, or all those before the point of numbers that are not too long. `text` has
   DRAWN_BYTES. The decimal separator is the locale's. */
enum { DRAWN_BYTES = 32 };
char *draw_number(char *text, double number);
/* A bar of at most `width` characters, as long as level (0..1) says. */
void draw_bar(luaL_Buffer *out, double level, int64_t width, enum terminal_style style);

#endif
