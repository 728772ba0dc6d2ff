/* strew_show.c: strew.show(t): what files/showing.lua has laid out is drawn with characters here, pictures of coloured
   half blocks or of ASCII characters by density, and lines of block characters, and printed by Lua's print.
   strew.image(t) converts numbers to colours. */
#include "lua_bindings/core/hosting.h"
#include "lua_bindings/core/strew_bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* show(t [, opts]) */
static int show(lua_State *L, struct script_call *call) { return bind_print_text(L, call, &bind_drawing_row); }

/* plot([path,] ...): printed unless it is written to a file. */
static int plot(lua_State *L, struct script_call *call) { return bind_print_text(L, call, &bind_plot_row); }

/* terminal() -> the style and the lines (0: unknown) of standard output's terminal. */
static strew_status terminal(struct arguments *a) {
  const struct terminal at = terminal_at(STDOUT_FILENO);
  lua_pushinteger(a->L, at.style);
  lua_pushinteger(a->L, at.lines);
  return STREW_OK;
}

/* drawn(number): "-1.25", "100000", "1e+20": four significant digits, or all integer digits of numbers that are not too
   long. */
static int drawn(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  const double number = lua_tonumber(L, 1);
  const bool is_long = fabs(number) >= 1e4 && fabs(number) < 1e8;
  (void)call;
  lua_pushstring(L, strew_format_float(text, sizeof text, is_long ? "%.*f" : "%.*g", is_long ? 0 : 4, number));
  return 1;
}

/* --------------------------------------------------------------------------------------------------------- drawings */

/* The values drawn darkest and brightest; values outside are clamped. */
struct range {
  double low, high;
};

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

/* range(cells, most, min, max) -> the values drawn darkest and brightest: given bounds, else 0 and `most`, else the
   finite extremes of the cells. */
static int range(lua_State *L, struct script_call *call) {
  strew_tensor *cells = bind_to_box(L, call->binding, 1)->tensor;
  struct range range = {lua_isnil(L, 2) ? INFINITY : 0, lua_isnil(L, 2) ? -INFINITY : lua_tonumber(L, 2)};
  void *data = NULL;
  strew_data(cells, &data, NULL);
  const double *values = data;
  for (int64_t i = 0; lua_isnil(L, 2) && i < strew_tensor_numel(cells); i++) {
    if (!isfinite(values[i])) continue;
    range.low = fmin(range.low, values[i]);
    range.high = fmax(range.high, values[i]);
  }
  if (!lua_isnil(L, 3)) range = (struct range){lua_tonumber(L, 3), fmax(lua_tonumber(L, 3), range.high)};
  if (!lua_isnil(L, 4)) range = (struct range){fmin(lua_tonumber(L, 4), range.low), lua_tonumber(L, 4)};
  lua_pushnumber(L, range.low);
  lua_pushnumber(L, range.high);
  return 2;
}

/* Returns the position of a value in the range, 0..1; NaN stays NaN. Every value of an empty range is at its low end.
   */
static double range_level(struct range range, double value) {
  if (isnan(value)) return value;
  if (range.low > range.high) range = (struct range){0, 0}; /* nothing is finite: the signs are visible */
  if (value <= range.low) return 0;
  if (value >= range.high) return 1;
  double part = isfinite(range.high - range.low) ? 1 : 0.25; /* the extent may overflow a double */
  return (value * part - range.low * part) / (range.high * part - range.low * part);
}

/* ---------------------------------------------------------------------------------------------------------- colours */

struct rgb {
  unsigned char red, green, blue;
};

/* The level of red, green or blue; NaN is in the middle. */
static unsigned char byte_of(double level) { return (unsigned char)lround((isnan(level) ? 0.5 : level) * 255); }

static struct rgb color_at(const struct picture *picture, int64_t row, int64_t column) {
  int64_t cell = row * picture->columns + column;
  const double *value = picture->values + cell * picture->channels;
  const unsigned char *bytes = picture->colors + cell * 3;
  if (picture->channels == 1) return (struct rgb){bytes[0], bytes[1], bytes[2]};
  return (struct rgb){byte_of(range_level(picture->range, value[0])), byte_of(range_level(picture->range, value[1])),
                      byte_of(range_level(picture->range, value[2]))};
}

/* xterm's 256 colours: 16 system colours, a 6 x 6 x 6 cube with uneven steps, 24 greys. */
static int cube_step(int byte) { return byte < 48 ? 0 : byte < 115 ? 1 : (byte - 35) / 40; }
static int cube_byte(int step) { return step == 0 ? 0 : 55 + 40 * step; }

static int distance(struct rgb color, int red, int green, int blue) {
  int r = color.red - red, g = color.green - green, b = color.blue - blue;
  return r * r + g * g + b * b;
}

static int nearest_of_256(struct rgb color) {
  int red = cube_step(color.red), green = cube_step(color.green), blue = cube_step(color.blue);
  int mean = (color.red + color.green + color.blue) / 3, step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
  int grey = 8 + 10 * step;
  bool is_grey = distance(color, grey, grey, grey) < distance(color, cube_byte(red), cube_byte(green), cube_byte(blue));
  return is_grey ? 232 + step : 16 + 36 * red + 6 * green + blue;
}

/* --------------------------------------------------------------------------------------------------------- pictures */

enum { ESCAPE_BYTES = 64 };

/* "38;2;R;G;B" or "38;5;N": layer 38 is the foreground, 48 the background. */
static void select_color(char *text, int layer, struct rgb color, enum terminal_style style) {
  if (style == TERMINAL_TRUECOLOR)
    snprintf(text, ESCAPE_BYTES, "\033[%d;2;%d;%d;%dm", layer, color.red, color.green, color.blue);
  else
    snprintf(text, ESCAPE_BYTES, "\033[%d;5;%dm", layer, nearest_of_256(color));
}

/* Appends the sequence that selects the colour, unless it is selected already. */
static void add_color(luaL_Buffer *out, char *selected, int layer, struct rgb color, enum terminal_style style) {
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

static void draw_picture(luaL_Buffer *out, const struct picture *picture) {
  bool has_colors = picture->style >= TERMINAL_256;
  for (int64_t row = 0; row < picture->rows; row += has_colors ? 2 : 1) {
    if (row) luaL_addchar(out, '\n');
    if (has_colors)
      add_half_blocks(out, picture, row);
    else
      add_ascii(out, picture, row);
  }
}

static void draw_line(luaL_Buffer *out, const struct picture *picture) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  for (int64_t i = 0; i < picture->columns; i++) {
    double level = range_level(picture->range, picture->values[i]);
    if (picture->style == TERMINAL_ASCII || isnan(level))
      luaL_addchar(out, ascii_of("_.:-=+*#%@", level));
    else
      luaL_addstring(out, blocks[level < 1 ? (int)(level * 8) : 7]);
  }
}

/* draw(cells, colors or nil, low, high, style, repeat) -> the text of a line or a picture. */
static int draw(lua_State *L, struct script_call *call) {
  const struct box *cells = bind_to_box(L, call->binding, 1), *colors = bind_to_box(L, call->binding, 2);
  const int64_t *sizes = strew_tensor_sizes(cells->tensor);
  const int rank = strew_tensor_rank(cells->tensor);
  struct picture picture = {.rows = sizes[0],
                            .columns = sizes[rank > 1],
                            .channels = rank > 2 ? sizes[2] : 1,
                            .range = {lua_tonumber(L, 3), lua_tonumber(L, 4)},
                            .style = (enum terminal_style)lua_tointeger(L, 5),
                            .repeat = (int)lua_tointeger(L, 6)};
  void *values = NULL, *bytes = NULL;
  luaL_Buffer out;
  strew_data(cells->tensor, &values, NULL);
  if (colors) strew_data(colors->tensor, &bytes, NULL);
  picture.values = values;
  picture.colors = bytes;
  luaL_buffinit(L, &out);
  (rank > 1 ? draw_picture : draw_line)(&out, &picture);
  luaL_pushresult(&out);
  return 1;
}

/* ----------------------------------------------------------------------------------------------------------- images */

bool bind_color(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct color *color = out;
  struct list list = {0};
  int ignored;
  if (!bind_table(L, call, i, name, &ignored) || !bind_list(L, call, i, name, &list)) return false;
  if (list.count != 3)
    return bind_fail(call, STREW_EARGUMENT, name, "has %d entries, expected red, green and blue", list.count), false;
  for (int c = 0; c < 3; c++) {
    if (list.at[c] < 0 || list.at[c] > 255)
      return bind_fail(call, STREW_EVALUE, name, "has %" PRId64 ", expected 0..255", list.at[c]), false;
    color->channels[c] = (unsigned char)list.at[c];
  }
  color->given = color->channels;
  return true;
}

enum { IMAGE_MIN = 3, IMAGE_MAX };
#define IMAGE "self:tensor colormap=colormap scale=integer(1) min=number max=number nan=color"

static strew_status image(struct arguments *a) {
  const int *given = a->call->given;
  if (a->scale < 1) { /* the runtime takes 0 for "not given" */
    bind_fail(a->call, STREW_EVALUE, "scale", "is %" PRId64 ", expected 1 or more", a->scale);
    return STREW_EVALUE;
  }
  const strew_image_options options = {.colormap = a->colormap,
                                       .scale = a->scale,
                                       .min = given[IMAGE_MIN] ? &a->min : NULL,
                                       .max = given[IMAGE_MAX] ? &a->max : NULL,
                                       .nan = a->nan.given};
  return strew_image(a->self, &options, a->out, a->error);
}

const struct script_function bind_show_rows[] = {
    {"show", show, 0, ALWAYS | CONSTANT},
    {"plot", plot, 0, ALWAYS | CONSTANT},
    {"image", bind_one, 0, ALWAYS | OUTSIDE | CONSTANT | INNER, IMAGE, image},
    {"terminal", bind_values, 0, INNER | CONSTANT, "", terminal},
    {"range", range, 0, INNER | CONSTANT | CHECKED, "TNNN"},
    {"draw", draw, 0, INNER | CONSTANT | CHECKED, "TUnnnN"},
    {"drawn", drawn, 0, INNER | CONSTANT | CHECKED, "n"},
    {NULL},
};
