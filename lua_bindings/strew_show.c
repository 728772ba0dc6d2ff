/* strew_show.c: strew.show(t) draws a tensor with characters: two dimensions (or three, the last one red, green, blue)
   as a picture, one as a line of blocks, any number as a histogram.

   A tensor larger than the screen is drawn as means of equal parts, computed on its device part by part
   (family/showing.lua); only the means are read. The text is printed by Lua's print. strew.image(t) converts numbers to
   colours. */
#include "draw.h"
#include "strew_bind.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
  LARGEST = 1000, /* most columns and lines */
  DEFAULT_BINS = 10,
  MOST_BINS = 10000
};

struct show {
  struct script_call *call;
  strew_tensor *tensor; /* may be freed once Lua code has run; what is needed then follows */
  strew_dtype dtype;
  int rank; /* of a single number: 1 */
  int64_t sizes[STREW_MAX_RANK], numel;
  int64_t width, height; /* in characters; 0: the terminal's */
  double min, max;       /* NaN: from the elements */
  strew_colormap colormap;
  enum terminal_style style;
  bool histogram;
  int64_t bins; /* 0: not given */
};

/* -------------------------------------------------------------------------------------------------------- arguments */

static bool bind_extent(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  int64_t *extent = out, most = strcmp(name, "bins") == 0 ? MOST_BINS : LARGEST;
  if (!bind_integer(L, call, i, name, out)) return false;
  if (*extent < 1 || *extent > most)
    return bind_fail(call, STREW_EVALUE, name, "is %" PRId64 ", expected 1..%" PRId64, *extent, most), false;
  return true;
}

static bool bind_style(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  static const char *const words[] = {[TERMINAL_ASCII] = "ascii",
                                      [TERMINAL_BLOCKS] = "blocks",
                                      [TERMINAL_256] = "256",
                                      [TERMINAL_TRUECOLOR] = "truecolor"};
  const char *word;
  if (!bind_string(L, call, i, name, &word)) return false;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(words[k], word) == 0) return *(enum terminal_style *)out = (enum terminal_style)k, true;
  return bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\", expected ascii, blocks, 256 or truecolor", word), false;
}

static bool bind_bound(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  char text[TEXT_BYTES];
  if (!bind_float(L, call, i, name, out)) return false;
  if (isfinite(*(double *)out)) return true;
  return bind_fail(call, STREW_EVALUE, name, "is %s, expected a finite number", bind_text(L, call, i, text)), false;
}

/* Defaults: the width of printed tensors, the height of the terminal. A given width takes at least the lines of a
   square. */
static void ask_terminal(struct show *show, const struct terminal *terminal) {
  bool is_wide = show->width != 0;
  if (!show->width) show->width = bind_line_width(&show->call->binding->print);
  if (show->width > LARGEST) show->width = LARGEST;
  if (show->height) return;
  int64_t square = (show->width + 1) / 2, lines = terminal->lines - 2; /* lines for the caption and the prompt */
  show->height = terminal->lines > 0 && !(is_wide && lines < square) ? lines : square;
  if (show->height < 1) show->height = 1;
}

/* A tensor without dimensions is shown as one with one element. */
static void describe(struct show *show) {
  const int rank = strew_tensor_rank(show->tensor);
  show->dtype = strew_tensor_dtype(show->tensor);
  show->numel = strew_tensor_numel(show->tensor);
  show->rank = rank ? rank : 1;
  show->sizes[0] = 1;
  memcpy(show->sizes, strew_tensor_sizes(show->tensor), (size_t)rank * sizeof *show->sizes);
}

static bool read_arguments(lua_State *L, struct show *show) {
  struct script_call *call = show->call;
  struct terminal terminal = terminal_at(STDOUT_FILENO);
  show->style = terminal.style;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &show->tensor}, {"width", KEYED, bind_extent, &show->width},
      {"height", KEYED, bind_extent, &show->height},  {"min", KEYED, bind_bound, &show->min},
      {"max", KEYED, bind_bound, &show->max},         {"colormap", KEYED, bind_colormap, &show->colormap},
      {"style", KEYED, bind_style, &show->style},     {"histogram", KEYED, bind_boolean, &show->histogram},
      {"bins", KEYED, bind_extent, &show->bins},      LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return false;
  describe(show);
  char least[DRAWN_BYTES], most[DRAWN_BYTES];
  if (show->min >= show->max)
    return bind_fail(call, STREW_EVALUE, "min", "is %s, expected less than 'max', which is %s",
                     draw_number(least, show->min), draw_number(most, show->max)),
           false;
  if (show->bins && !show->histogram)
    return bind_fail(call, STREW_EARGUMENT, "bins", "is given without histogram = true"), false;
  if (!show->bins) show->bins = DEFAULT_BINS;
  ask_terminal(show, &terminal);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Pushes an operation of family/showing.lua and the shown tensor; its other arguments are to be pushed. */
static void push_operation(lua_State *L, const struct show *show, const struct script_function *row) {
  bind_push_function(L, lua_upvalueindex(1), row, show->call->error.alias, FUNCTION);
  bind_push_given(L, show->call, 0, "self");
}

/* Pushes the means of rows x columns parts, or of `columns` parts of one dimension. */
static const double *push_means(lua_State *L, const struct show *show, int64_t rows, int64_t columns,
                                strew_tensor **out) {
  push_operation(L, show, &bind_means_row);
  lua_pushinteger(L, rows);
  lua_pushinteger(L, columns);
  lua_call(L, 3, 1);
  void *data = NULL;
  *out = bind_to_box(L, show->call->binding, lua_gettop(L))->tensor; /* contiguous, on the CPU */
  strew_data(*out, &data, NULL);
  return data;
}

/* ----------------------------------------------------------------------------------------------- pictures and lines */

/* The range from darkest to brightest: given bounds, else those of the dtype, else those of the elements. */
static struct range range_of(const struct show *show, const double *values, int64_t count, bool is_color) {
  struct range range = {INFINITY, -INFINITY};
  if (is_color || show->dtype == STREW_BOOL)
    range = (struct range){0, show->dtype == STREW_UINT8 ? 255 : 1};
  else
    range_include(&range, values, count);
  if (!isnan(show->min)) range = (struct range){show->min, fmax(show->min, range.high)};
  if (!isnan(show->max)) range = (struct range){fmin(show->max, range.low), show->max};
  return range;
}

static void add_number(luaL_Buffer *out, double number) {
  char text[DRAWN_BYTES];
  luaL_addstring(out, draw_number(text, number));
}

/* Appends "0 .. 1.5", and "12.5 x 4" if each cell stands for that many elements. */
static void add_caption(luaL_Buffer *out, struct range range, int rank, const int64_t *sizes, const int64_t *cells) {
  bool is_shrunk = false;
  for (int d = 0; d < rank; d++) is_shrunk = is_shrunk || cells[d] < sizes[d];
  luaL_addchar(out, '\n');
  if (range.low <= range.high) {
    add_number(out, range.low);
    luaL_addstring(out, " .. ");
    add_number(out, range.high);
  } else {
    luaL_addstring(out, "no finite element");
  }
  for (int d = 0; d < rank && is_shrunk; d++) {
    luaL_addstring(out, d ? " x " : ", a cell is the mean of ");
    add_number(out, (double)sizes[d] / (double)cells[d]);
  }
}

static int64_t at_least_1(double x) { return x < 1 ? 1 : (int64_t)llround(x); }

/* A cell of a coloured picture is one column wide and half a line high; one of an ASCII picture is a line high, and two
   columns wide if all fit. */
static void fit_picture(const struct show *show, struct picture *picture) {
  double height = (double)show->sizes[0], width = (double)show->sizes[1];
  double scale = fmin(1, fmin((double)show->width / width, 2 * (double)show->height / height));
  bool is_ascii = show->style < TERMINAL_256;
  bool is_double = is_ascii && 2 * width <= (double)show->width && height <= (double)show->height;
  picture->repeat = is_double ? 2 : 1;
  picture->columns = at_least_1(is_double ? width : width * scale);
  picture->rows = at_least_1(is_double ? height : is_ascii ? height * scale / 2 : height * scale);
}

/* Computes the colours of a picture with one channel. Without finite elements the runtime chooses a range. */
static strew_status color_picture(const struct show *show, strew_tensor *values, struct range range, strew_tensor **out,
                                  strew_error *error) {
  bool has_range = range.low <= range.high;
  const strew_image_options options = {
      .colormap = show->colormap, .min = has_range ? &range.low : NULL, .max = has_range ? &range.high : NULL};
  return strew_image(values, &options, out, error);
}

static int show_picture(lua_State *L, const struct show *show, struct box *colors) {
  const int rank = show->rank;
  struct picture picture = {.channels = rank == 3 ? show->sizes[2] : 1, .style = show->style};
  luaL_Buffer out;
  strew_tensor *means;
  fit_picture(show, &picture);
  picture.values = push_means(L, show, picture.rows, picture.columns, &means);
  picture.range = range_of(show, picture.values, picture.rows * picture.columns, rank == 3);
  if (rank == 2 && show->style >= TERMINAL_256) {
    if (color_picture(show, means, picture.range, &colors->tensor, &show->call->error) != STREW_OK) return -1;
    void *data = NULL;
    strew_data(colors->tensor, &data, NULL);
    picture.colors = data;
  }
  luaL_buffinit(L, &out);
  draw_picture(&out, &picture);
  if (rank == 2) add_caption(&out, picture.range, 2, show->sizes, (int64_t[]){picture.rows, picture.columns});
  luaL_pushresult(&out);
  return 0;
}

static int show_line(lua_State *L, const struct show *show) {
  const int64_t size = show->sizes[0], count = size < show->width ? size : show->width;
  luaL_Buffer out;
  strew_tensor *means;
  const double *values = push_means(L, show, 1, count, &means);
  struct range range = range_of(show, values, count, false);
  luaL_buffinit(L, &out);
  draw_line(&out, values, count, range, show->style);
  add_caption(&out, range, 1, &size, &count);
  luaL_pushresult(&out);
  return 0;
}

/* --------------------------------------------------------------------------------------------------------- the call */

/* True if the shape and dtype can be drawn; else fails. */
static bool check_shape(const struct show *show) {
  char text[DESCRIPTION_BYTES];
  const strew_dtype dtype = show->dtype;
  bool is_color = show->rank == 3 && (show->sizes[2] == 3 || show->sizes[2] == 4);
  if (show->rank > 2 && !is_color) {
    bind_fail(show->call, STREW_ESHAPE, "self",
              "is %s, expected [h, w], [h, w, 3] (red, green, blue), [h, w, 4] (and alpha) or [n]",
              bind_describe(show->tensor, text));
    bind_hint(show->call, "a part of it: self[0]; or how its values spread: {histogram = true}");
    return false;
  }
  if (is_color && !bind_is_float(dtype) && dtype != STREW_UINT8) {
    bind_fail(show->call, STREW_EDTYPE, "self", "is %s, colours are uint8, or floats in 0..1", strew_dtype_name(dtype));
    bind_hint(show->call, "self:to(\"uint8\")");
    return false;
  }
  return true;
}

static void push_bound(lua_State *L, double bound) {
  if (isnan(bound))
    lua_pushnil(L);
  else
    lua_pushnumber(L, bound);
}

static int show_histogram(lua_State *L, const struct show *show) {
  push_operation(L, show, &bind_histogram_row);
  lua_pushinteger(L, show->bins);
  lua_pushinteger(L, show->width);
  lua_pushboolean(L, show->style == TERMINAL_ASCII);
  push_bound(L, show->min);
  push_bound(L, show->max);
  lua_call(L, 6, 1);
  return 0;
}

/* Pushes the text. */
static int push_text(lua_State *L, struct show *show, struct box *colors) {
  char text[DESCRIPTION_BYTES];
  if (show->numel == 0) return lua_pushfstring(L, "%s  (empty)", bind_describe(show->tensor, text)), 0;
  if (show->histogram) return show_histogram(L, show);
  if (!check_shape(show)) return -1;
  return show->rank > 1 ? show_picture(L, show, colors) : show_line(L, show);
}

/* show(t [, opts]) */
static int show(lua_State *L, struct script_call *call) {
  struct show show = {.call = call, .min = NAN, .max = NAN};
  struct box *colors = bind_push_box(L, call->binding);
  if (!read_arguments(L, &show) || push_text(L, &show, colors) < 0) return -1;
  lua_getglobal(L, "print");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  return 0;
}

/* drawn(number): its text, for Lua. */
static int drawn(lua_State *L, struct script_call *call) {
  char text[DRAWN_BYTES];
  (void)call;
  lua_pushstring(L, draw_number(text, lua_tonumber(L, 1)));
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
    {"image", bind_one, 0, ALWAYS | OUTSIDE | CONSTANT, IMAGE, image},
    {"drawn", drawn, 0, INNER | CONSTANT},
    {NULL},
};
