/* strew_show.c: strew.show(t) draws a tensor with characters: two dimensions (or three, the last one red, green, blue)
   as a picture, one as a line of blocks, any number as a histogram.

   A tensor larger than the screen is drawn as means of equal parts, computed on its device chunk by chunk; only the
   means are read. They are read before text is made (that may run a finalizer, which may free the shown tensor), into a
   tensor whose box stays on the stack. The text is printed by Lua's print. */
#include "strew_show.h"
#include "draw.h"
#include "strew_bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
  LARGEST = 1000, /* most columns and lines */
  DEFAULT_BINS = 10,
  MOST_BINS = 10000
};

struct show {
  struct script_call *call;
  strew_tensor *tensor;
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

/* Returns the dtype in which a device computes means. */
static strew_status exact_dtype(strew_device *device, strew_dtype *out, strew_error *error) {
  strew_capabilities can;
  strew_status status = strew_device_capabilities(device, &can, error);
  *out = status == STREW_OK && can.float64 ? STREW_FLOAT64 : STREW_FLOAT32;
  return status;
}

/* What cells are means of: the elements, with 0 for NaN, or 1 for each that is none and 0 for NaN. */
enum content { ELEMENTS, WITHOUT_NAN, NUMBERS };

static strew_status convert(strew_tensor *tensor, strew_dtype dtype, enum content content, strew_tensor **out,
                            strew_error *error) {
  strew_device *device = strew_tensor_device(tensor);
  strew_tensor *exact = NULL, *is_number = NULL;
  if (content == ELEMENTS) return strew_to(tensor, device, dtype, out, error);
  strew_status status = strew_to(tensor, device, dtype, &exact, error);
  if (status == STREW_OK) status = strew_binary(STREW_EQ, strew_of(exact), strew_of(exact), &is_number, error);
  if (status == STREW_OK && content == WITHOUT_NAN)
    status = strew_where(is_number, strew_of(exact), strew_number(strew_float(0)), out, error);
  else if (status == STREW_OK)
    status = strew_to(is_number, device, dtype, out, error);
  strew_release(exact);
  strew_release(is_number);
  return status;
}

/* Stores the mean of positions start..start + length - 1 of dimension dim in `out`, which has size 1 there. */
static strew_status store_mean(strew_tensor *tensor, int dim, int64_t start, int64_t length, enum content content,
                               strew_tensor *out, strew_error *error) {
  strew_tensor *part = NULL, *exact = NULL;
  strew_status status = strew_narrow(tensor, dim, start, length, &part, error);
  if (status == STREW_OK) status = convert(part, strew_tensor_dtype(out), content, &exact, error);
  const strew_reduce_options options = {.dim_count = 1, .dims = &(int64_t){dim}, .keepdim = true};
  if (status == STREW_OK) status = strew_reduce_with(STREW_FOLD_MEAN, exact, &options, &out, error);
  strew_release(part);
  strew_release(exact);
  return status;
}

/* Computes the means of `count` equal parts of dimension dim, in dtype; a dimension no larger than that is kept. */
static strew_status shrink(strew_tensor *tensor, int dim, int64_t count, strew_dtype dtype, enum content content,
                           strew_tensor **out, strew_error *error) {
  int64_t sizes[STREW_MAX_RANK], size = strew_tensor_sizes(tensor)[dim];
  strew_device *device = strew_tensor_device(tensor);
  if (size <= count) return convert(tensor, dtype, content, out, error);
  for (int d = 0; d < strew_tensor_rank(tensor); d++) sizes[d] = strew_tensor_sizes(tensor)[d];
  sizes[dim] = count;
  strew_tensor *means = NULL, *target = NULL;
  strew_status status = strew_empty(device, dtype, strew_tensor_rank(tensor), sizes, &means, error);
  for (int64_t i = 0, start = 0; i < count && status == STREW_OK; i++) {
    int64_t end = size / count * (i + 1) + size % count * (i + 1) / count; /* size * (i + 1) may overflow */
    status = strew_narrow(means, dim, i, 1, &target, error);
    if (status == STREW_OK) status = store_mean(tensor, dim, start, end - start, content, target, error);
    strew_release(target);
    target = NULL;
    start = end;
  }
  if (status == STREW_OK)
    *out = means;
  else
    strew_release(means);
  return status;
}

/* Returns the tensor as float64 on the CPU, shrunk to rows x columns, or to `columns` if it has one dimension. */
static strew_status read_means(const struct show *show, int64_t rows, int64_t columns, enum content content,
                               strew_tensor **out, strew_error *error) {
  strew_tensor *tensor = show->tensor, *lower = NULL, *small = NULL, *read = NULL;
  strew_device *cpu = strew_device_at(strew_device_context(strew_tensor_device(tensor)), 0);
  int last = strew_tensor_rank(tensor) > 1;
  strew_dtype dtype;
  strew_status status = exact_dtype(strew_tensor_device(tensor), &dtype, error);
  if (status == STREW_OK) status = shrink(tensor, 0, last ? rows : columns, dtype, content, &lower, error);
  if (status == STREW_OK) status = shrink(lower, last, columns, dtype, ELEMENTS, &small, error);
  if (status == STREW_OK) status = strew_to(small, cpu, STREW_FLOAT64, &read, error);
  if (status == STREW_OK) status = strew_contiguous(read, out, error);
  strew_release(lower);
  strew_release(small);
  strew_release(read);
  return status;
}

/* Returns the elements of a contiguous tensor on the CPU. */
static const void *elements_of(strew_tensor *tensor) {
  void *data = NULL;
  strew_data(tensor, &data, NULL);
  return data;
}

static bool has_nan(strew_tensor *means) {
  const double *values = elements_of(means);
  for (int64_t i = 0, count = strew_tensor_numel(means); i < count; i++)
    if (isnan(values[i])) return true;
  return false;
}

/* The same without NaN, unless a cell has nothing else: the mean with 0 for NaN, divided by the part of numbers. */
static strew_status read_shrunk(const struct show *show, int64_t rows, int64_t columns, strew_tensor **out,
                                strew_error *error) {
  strew_status status = read_means(show, rows, columns, ELEMENTS, out, error);
  if (status != STREW_OK || !has_nan(*out) || strew_tensor_numel(*out) == strew_tensor_numel(show->tensor))
    return status;
  strew_tensor *means = NULL, *parts = NULL;
  status = read_means(show, rows, columns, WITHOUT_NAN, &means, error);
  if (status == STREW_OK) status = read_means(show, rows, columns, NUMBERS, &parts, error);
  if (status == STREW_OK) status = strew_binary(STREW_DIV, strew_of(means), strew_of(parts), out, error);
  strew_release(means);
  strew_release(parts);
  return status;
}

/* ----------------------------------------------------------------------------------------------- pictures and lines */

/* The range from darkest to brightest: given bounds, else those of the dtype, else those of the elements. */
static struct range range_of(const struct show *show, const double *values, int64_t count, bool is_color) {
  struct range range = {INFINITY, -INFINITY};
  strew_dtype dtype = strew_tensor_dtype(show->tensor);
  if (is_color || dtype == STREW_BOOL)
    range = (struct range){0, dtype == STREW_UINT8 ? 255 : 1};
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
  const int64_t *sizes = strew_tensor_sizes(show->tensor);
  double height = (double)sizes[0], width = (double)sizes[1];
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

static int show_picture(lua_State *L, const struct show *show, struct box *values, struct box *colors) {
  int rank = strew_tensor_rank(show->tensor);
  int64_t sizes[STREW_MAX_RANK] = {0};
  memcpy(sizes, strew_tensor_sizes(show->tensor), (size_t)rank * sizeof *sizes);
  struct picture picture = {.channels = rank == 3 ? sizes[2] : 1, .style = show->style};
  luaL_Buffer out;
  fit_picture(show, &picture);
  if (read_shrunk(show, picture.rows, picture.columns, &values->tensor, &show->call->error) != STREW_OK) return -1;
  picture.values = elements_of(values->tensor);
  picture.range = range_of(show, picture.values, picture.rows * picture.columns, rank == 3);
  if (rank == 2 && show->style >= TERMINAL_256) {
    if (color_picture(show, values->tensor, picture.range, &colors->tensor, &show->call->error) != STREW_OK) return -1;
    picture.colors = elements_of(colors->tensor);
  }
  luaL_buffinit(L, &out);
  draw_picture(&out, &picture);
  if (rank == 2) add_caption(&out, picture.range, 2, sizes, (int64_t[]){picture.rows, picture.columns});
  luaL_pushresult(&out);
  return 0;
}

static int show_line(lua_State *L, const struct show *show, struct box *box) {
  int64_t size = strew_tensor_sizes(show->tensor)[0], count = size < show->width ? size : show->width;
  luaL_Buffer out;
  if (read_shrunk(show, 0, count, &box->tensor, &show->call->error) != STREW_OK) return -1;
  const double *values = elements_of(box->tensor);
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
  const int64_t *sizes = strew_tensor_sizes(show->tensor);
  int rank = strew_tensor_rank(show->tensor);
  strew_dtype dtype = strew_tensor_dtype(show->tensor);
  bool is_color = rank == 3 && (sizes[2] == 3 || sizes[2] == 4);
  if (rank > 2 && !is_color) {
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

static int show_empty(lua_State *L, const struct show *show) {
  char text[DESCRIPTION_BYTES];
  lua_pushfstring(L, "%s  (empty)", bind_describe(show->tensor, text));
  return 0;
}

/* Pushes the text. A tensor without dimensions is shown as one with one element. */
static int push_text(lua_State *L, struct show *show, struct box *values, struct box *other) {
  if (strew_tensor_numel(show->tensor) == 0) return show_empty(L, show);
  if (show->histogram) {
    struct histogram histogram = {.tensor = show->tensor, .bins = show->bins, .range = {show->min, show->max}};
    if (exact_dtype(strew_tensor_device(show->tensor), &histogram.dtype, &show->call->error) != STREW_OK ||
        histogram_count(&histogram, &values->tensor, &show->call->error) != STREW_OK)
      return -1;
    histogram_push(L, &histogram, values->tensor, show->width, show->style);
    return 0;
  }
  if (!check_shape(show)) return -1;
  if (strew_tensor_rank(show->tensor) > 1) return show_picture(L, show, values, other);
  if (strew_view(show->tensor, 1, (int64_t[]){-1}, &other->tensor, &show->call->error) != STREW_OK) return -1;
  show->tensor = other->tensor;
  return show_line(L, show, values);
}

/* show(t [, opts]) */
static int show(lua_State *L, struct script_call *call) {
  struct show show = {.call = call, .min = NAN, .max = NAN};
  struct box *other = bind_push_box(L, call->binding), *values = bind_push_box(L, call->binding);
  if (!read_arguments(L, &show) || push_text(L, &show, values, other) < 0) return -1;
  lua_getglobal(L, "print");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  return 0;
}

const struct script_function bind_show_rows[] = {{"show", show, 0, ALWAYS | CONSTANT}, {NULL, NULL, 0, 0}};
