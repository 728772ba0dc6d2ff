/* draw.c: draws numbers with characters: pictures of coloured half blocks or of ASCII characters by density, and lines
   of block characters. */
#include "draw.h"
#include "strew.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void range_include(struct range *range, const double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) continue;
    range->low = fmin(range->low, values[i]);
    range->high = fmax(range->high, values[i]);
  }
}

double range_level(struct range range, double value) {
  if (isnan(value)) return value;
  if (range.low > range.high) range = (struct range){0, 0}; /* nothing is finite: the signs are visible */
  if (value <= range.low) return 0;
  if (value >= range.high) return 1;
  double part = isfinite(range.high - range.low) ? 1 : 0.25; /* the extent may overflow a double */
  return (value * part - range.low * part) / (range.high * part - range.low * part);
}

/* ---------------------------------------------------------------------------------------------------------- colours */

struct color {
  unsigned char red, green, blue;
};

/* The level of red, green or blue; NaN is in the middle. */
static unsigned char byte_of(double level) { return (unsigned char)lround((isnan(level) ? 0.5 : level) * 255); }

static struct color color_at(const struct picture *picture, int64_t row, int64_t column) {
  int64_t cell = row * picture->columns + column;
  const double *value = picture->values + cell * picture->channels;
  const unsigned char *bytes = picture->colors + cell * 3;
  if (picture->channels == 1) return (struct color){bytes[0], bytes[1], bytes[2]};
  return (struct color){byte_of(range_level(picture->range, value[0])), byte_of(range_level(picture->range, value[1])),
                        byte_of(range_level(picture->range, value[2]))};
}

/* xterm's 256 colours: 16 system colours, a 6 x 6 x 6 cube with uneven steps, 24 greys. */
static int cube_step(int byte) { return byte < 48 ? 0 : byte < 115 ? 1 : (byte - 35) / 40; }
static int cube_byte(int step) { return step == 0 ? 0 : 55 + 40 * step; }

static int distance(struct color color, int red, int green, int blue) {
  int r = color.red - red, g = color.green - green, b = color.blue - blue;
  return r * r + g * g + b * b;
}

static int nearest_of_256(struct color color) {
  int red = cube_step(color.red), green = cube_step(color.green), blue = cube_step(color.blue);
  int mean = (color.red + color.green + color.blue) / 3, step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
  int grey = 8 + 10 * step;
  bool is_grey = distance(color, grey, grey, grey) < distance(color, cube_byte(red), cube_byte(green), cube_byte(blue));
  return is_grey ? 232 + step : 16 + 36 * red + 6 * green + blue;
}

/* --------------------------------------------------------------------------------------------------------- pictures */

enum { ESCAPE_BYTES = 64 };

/* "38;2;R;G;B" or "38;5;N": layer 38 is the foreground, 48 the background. */
static void select_color(char *text, int layer, struct color color, enum terminal_style style) {
  if (style == TERMINAL_TRUECOLOR)
    snprintf(text, ESCAPE_BYTES, "\033[%d;2;%d;%d;%dm", layer, color.red, color.green, color.blue);
  else
    snprintf(text, ESCAPE_BYTES, "\033[%d;5;%dm", layer, nearest_of_256(color));
}

/* Appends the sequence that selects the colour, unless it is selected already. */
static void add_color(luaL_Buffer *out, char *selected, int layer, struct color color, enum terminal_style style) {
  char text[ESCAPE_BYTES];
  select_color(text, layer, color, style);
  if (strcmp(selected, text) == 0) return;
  luaL_addstring(out, text);
  strcpy(selected, text);
}

static void add_half_blocks(luaL_Buffer *out, const struct picture *picture, int64_t row) {
  char upper[ESCAPE_BYTES] = "", lower[ESCAPE_BYTES] = "";
  for (int64_t column = 0; column < picture->columns; column++) {
    add_color(out, upper, 38, color_at(picture, row, column), picture->style);
    if (row + 1 < picture->rows) add_color(out, lower, 48, color_at(picture, row + 1, column), picture->style);
    luaL_addstring(out, "▀");
  }
  luaL_addstring(out, "\033[0m");
}

/* Returns the perceived brightness of an element, 0..1. */
static double brightness(const struct picture *picture, int64_t row, int64_t column) {
  const double *value = picture->values + (row * picture->columns + column) * picture->channels;
  if (picture->channels == 1) return range_level(picture->range, value[0]);
  return 0.299 * range_level(picture->range, value[0]) + 0.587 * range_level(picture->range, value[1]) +
         0.114 * range_level(picture->range, value[2]);
}

static char ascii_of(const char *ramp, double level) {
  int count = (int)strlen(ramp), i = isnan(level) ? 0 : (int)(level * count);
  return isnan(level) ? '?' : ramp[i < count ? i : count - 1];
}

static void add_ascii(luaL_Buffer *out, const struct picture *picture, int64_t row) {
  for (int64_t column = 0; column < picture->columns; column++)
    for (int i = 0; i < picture->repeat; i++)
      luaL_addchar(out, ascii_of(" .:-=+*#%@", brightness(picture, row, column)));
}

void draw_picture(luaL_Buffer *out, const struct picture *picture) {
  bool has_colors = picture->style >= TERMINAL_256;
  for (int64_t row = 0; row < picture->rows; row += has_colors ? 2 : 1) {
    if (row) luaL_addchar(out, '\n');
    if (has_colors)
      add_half_blocks(out, picture, row);
    else
      add_ascii(out, picture, row);
  }
}

/* --------------------------------------------------------------------------------------------------- ------- lines */

void draw_line(luaL_Buffer *out, const double *values, int64_t count, struct range range, enum terminal_style style) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  for (int64_t i = 0; i < count; i++) {
    double level = range_level(range, values[i]);
    if (style == TERMINAL_ASCII || isnan(level))
      luaL_addchar(out, ascii_of("_.:-=+*#%@", level));
    else
      luaL_addstring(out, blocks[level < 1 ? (int)(level * 8) : 7]);
  }
}

char *draw_number(char *text, double number) {
  bool is_long = fabs(number) >= 1e4 && fabs(number) < 1e8;
  return strew_format_float(text, DRAWN_BYTES, is_long ? "%.*f" : "%.*g", is_long ? 0 : 4, number);
}
