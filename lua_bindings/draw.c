/* draw.c: draws numbers with characters: pictures of coloured half blocks or of ASCII characters by density, lines and
   bars of block characters. */
#include "draw.h"
#include "strew.h"

#include <inttypes.h>
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

/* ------------------------------------------------------------------------------------------------------- histograms */

/* Draws a bar of `level` (0..1) times `width` characters. */
static void add_bar(luaL_Buffer *out, double level, int64_t width, enum terminal_style style) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  bool is_ascii = style == TERMINAL_ASCII;
  int64_t length = (int64_t)ceil(level * (double)width * (is_ascii ? 1 : 8)); /* a non-zero value stays visible */
  int64_t whole = is_ascii ? length : length / 8, rest = is_ascii ? 0 : length % 8;
  for (int64_t i = 0; i < whole; i++) luaL_addstring(out, is_ascii ? "#" : "█");
  luaL_addstring(out, eighths[rest]);
}

static void text_of_edge(const struct histogram *histogram, int64_t i, char *text) {
  double part = (double)i / (double)histogram->bins;
  double edge =
      i == histogram->bins ? histogram->range.high : histogram->range.low * (1 - part) + histogram->range.high * part;
  draw_number(text, edge);
}

/* The columns that edges and counts take, and the largest count. */
struct widths {
  int edge, count;
  int64_t most, sum;
};

static struct widths measure(const struct histogram *histogram) {
  const int64_t *counts = histogram->counts;
  struct widths widths = {0};
  char text[DRAWN_BYTES];
  for (int64_t i = 0; i <= histogram->bins; i++) {
    text_of_edge(histogram, i, text);
    if ((int)strlen(text) > widths.edge) widths.edge = (int)strlen(text);
    if (i == histogram->bins) break;
    if (counts[i] > widths.most) widths.most = counts[i];
    widths.sum += counts[i];
  }
  widths.count = snprintf(text, sizeof text, "%" PRId64, widths.most);
  return widths;
}

/* "[ 0.5,   1)  count bar" */
static void add_bin(luaL_Buffer *out, const struct histogram *histogram, int64_t i, int64_t count,
                    const struct widths *widths, int64_t width, enum terminal_style style) {
  char low[DRAWN_BYTES], high[DRAWN_BYTES], text[4 * DRAWN_BYTES];
  text_of_edge(histogram, i, low);
  text_of_edge(histogram, i + 1, high);
  int length = snprintf(text, sizeof text, "[%*s, %*s%c  %*" PRId64 "  ", widths->edge, low, widths->edge, high,
                        i + 1 < histogram->bins ? ')' : ']', widths->count, count);
  luaL_addlstring(out, text, (size_t)(count ? length : length - 2));
  int64_t room = width - length > 1 ? width - length : 1;
  if (count) add_bar(out, (double)count / (double)widths->most, room, style);
}

void draw_histogram(luaL_Buffer *out, const struct histogram *histogram, int64_t width, enum terminal_style style) {
  char text[2 * DRAWN_BYTES];
  const int64_t *count = histogram->counts;
  struct widths widths = measure(histogram);
  int64_t others = histogram->numel - widths.sum;
  for (int64_t i = 0; i < histogram->bins; i++) {
    if (i) luaL_addchar(out, '\n');
    add_bin(out, histogram, i, count[i], &widths, width, style);
  }
  if (others) {
    snprintf(text, sizeof text, "\n%" PRId64 " outside, or not finite", others);
    luaL_addstring(out, text);
  }
}
