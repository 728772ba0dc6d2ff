/* strew_print.c: tostring(t), which the prompt shows, too, by the print options (tables/printing.lua).

     float32[2, 2, 3] cpu           dtype, shape, device; and the value of a tensor without dimensions
     [0, :, :]                      a label per slice, with more than two dimensions
      1.5000  2.0000  3.0000        one format for all elements, right-aligned
     ...

   A tensor with more elements than the threshold is summarised: a few elements at both ends of each dimension. Only
   those are read, slice by slice, through a strided view in which a shortened dimension becomes two: the end (0 or 1)
   and the position in it. Of a matrix whose rows are longer than a line, the columns in the middle are left out. */
#include "strew_bind.h"
#include "strew_lua.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_LINE_WIDTH = 80, NUMBER_BYTES = 64, WORD_BYTES = 160, MOST_SHOWN = 100000000 };

/* A word of a text, in quotes, shortened. */
struct shown_word {
  int width; /* in columns */
  char text[WORD_BYTES];
};

enum format { WORDS, TIMES, TEXTS, INTEGERS, WHOLE, FIXED, SCIENTIFIC };

struct page {
  struct script_call *call;
  strew_dtype dtype;
  int rank, precision;
  int64_t line_width, edge;
  bool shows_all; /* no threshold: all elements are shown */
  bool is_long;   /* more elements than the threshold */
  int64_t sizes[STREW_MAX_RANK];
  int64_t shown[STREW_MAX_RANK]; /* positions shown of each dimension */
  bool is_cut[STREW_MAX_RANK];   /* the first and the last `edge` of them */
  int leading;                   /* dimensions before rows and columns */
  int64_t slices;                /* number of slices ... */
  int64_t slices_shown;          /* ... and of those shown: half of them first, half last */
  int64_t rows, columns;         /* elements read of each slice */
  int64_t head, tail;            /* elements shown of a row: the first and the last ones */
  enum format format;
  int width, dots_width;          /* width of an element, and of the dots in a row */
  const unsigned char *elements;  /* of all slices shown */
  const struct shown_word *words; /* of text: of each element */
};

/* ---------------------------------------------------------------------------------------------------- what is shown */

int64_t bind_line_width(const struct print_options *options) {
  int64_t columns = options->at[LINEWIDTH];
  if (!columns && options->columns) columns = options->columns(options->user);
  return columns > 0 ? columns : USUAL_LINE_WIDTH;
}

static void plan_layout(struct page *page, const strew_tensor *tensor, const struct print_options *options) {
  page->dtype = strew_tensor_dtype(tensor);
  page->rank = strew_tensor_rank(tensor);
  page->precision = (int)options->at[PRECISION];
  page->line_width = bind_line_width(options);
  page->edge = options->at[EDGEITEMS];
  page->shows_all = options->at[THRESHOLD] == INT64_MAX;
  page->is_long = strew_tensor_numel(tensor) > options->at[THRESHOLD];
  page->leading = page->rank > 2 ? page->rank - 2 : 0;
  page->slices = 1;
  for (int d = 0; d < page->rank; d++) {
    page->sizes[d] = strew_tensor_sizes(tensor)[d];
    page->is_cut[d] = page->is_long && page->sizes[d] > 2 * page->edge;
    page->shown[d] = page->is_cut[d] ? 2 * page->edge : page->sizes[d];
    if (d < page->leading) page->slices *= page->shown[d];
  }
  int64_t most_slices = 4 * page->edge * page->edge;
  page->slices_shown = page->is_long && page->slices > most_slices ? most_slices : page->slices;
  page->columns = page->rank > 0 ? page->shown[page->rank - 1] : 1;
  page->head = page->rank > 0 && page->is_cut[page->rank - 1] ? page->edge : page->columns;
  page->tail = page->columns - page->head;
  page->rows = page->rank > 1 ? page->shown[page->rank - 2] : 1;
}

/* Returns the index of the k-th slice shown. */
static int64_t slice_at(const struct page *page, int64_t k) {
  return k < page->slices_shown / 2 ? k : page->slices - page->slices_shown + k;
}

/* Returns the position in dimension d of its `nth`-th position shown. */
static int64_t position_of(const struct page *page, int d, int64_t nth) {
  return page->is_cut[d] && nth >= page->edge ? page->sizes[d] - page->shown[d] + nth : nth;
}

static void slice_positions(const struct page *page, int64_t slice, int64_t *indices) {
  for (int d = page->leading - 1; d >= 0; d--) {
    indices[d] = slice % page->shown[d];
    slice /= page->shown[d];
  }
}

struct shape {
  int rank;
  int64_t sizes[4], strides[4];
};

static void add_dimension(struct shape *shape, int64_t size, int64_t stride) {
  shape->sizes[shape->rank] = size;
  shape->strides[shape->rank++] = stride;
}

static strew_status read_slice(const struct page *page, strew_tensor *tensor, int64_t slice, unsigned char *to,
                               size_t size_bytes, strew_error *error) {
  const int64_t *strides = strew_tensor_strides(tensor);
  int64_t offset = strew_tensor_offset(tensor), indices[STREW_MAX_RANK];
  struct shape shape = {0};
  strew_tensor *view = NULL;
  slice_positions(page, slice, indices);
  for (int d = 0; d < page->leading; d++) offset += position_of(page, d, indices[d]) * strides[d];
  for (int d = page->leading; d < page->rank; d++) {
    if (page->is_cut[d]) add_dimension(&shape, 2, (page->sizes[d] - page->edge) * strides[d]);
    add_dimension(&shape, page->is_cut[d] ? page->edge : page->sizes[d], strides[d]);
  }
  strew_status status = strew_as_strided(tensor, shape.rank, shape.sizes, shape.strides, offset, &view, error);
  if (status == STREW_OK) status = strew_read(view, to, size_bytes, error);
  strew_release(view);
  return status;
}

static int64_t count_shown(const struct page *page) { return page->slices_shown * page->rows * page->columns; }

static strew_status read_page(struct page *page, strew_tensor *tensor, unsigned char *buffer, strew_error *error) {
  size_t slice_bytes = (size_t)(page->rows * page->columns) * strew_dtype_size_bytes(page->dtype);
  strew_status status = STREW_OK;
  page->elements = buffer;
  if (!page->is_long) return strew_read(tensor, buffer, (size_t)page->slices * slice_bytes, error);
  for (int64_t k = 0; k < page->slices_shown && status == STREW_OK; k++)
    status = read_slice(page, tensor, slice_at(page, k), buffer + (size_t)k * slice_bytes, slice_bytes, error);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- one format */

static strew_scalar element_at(const struct page *page, int64_t i) {
  return strew_scalar_load(page->dtype, page->elements + (size_t)i * strew_dtype_size_bytes(page->dtype));
}

/* True if a positive value would show only zeros in the fixed format. */
static bool rounds_to_zero(const struct page *page, double value) {
  char text[NUMBER_BYTES];
  if (value >= 1) return false;
  strew_format_float(text, sizeof text, "%.*f", page->precision, value);
  return strpbrk(text, "123456789") == NULL;
}

/* The limits up to which numbers keep all their digits before the decimal point: as long as float64 has more digits,
   and PyTorch's for others. */
static double largest_whole(const struct page *page) { return page->dtype == STREW_FLOAT64 ? 0x1p53 : 1e8; }
static double largest_fixed(const struct page *page) {
  return page->dtype == STREW_FLOAT64 ? fmax(1e8, 0x1p53 / pow(10, page->precision)) : 1e8;
}

/* Numbers are written out unless they are too long or one would be shown as zero. (PyTorch and NumPy change to
   scientific notation at a ratio of 1000 of the largest to the smallest: that takes digits from the large ones.) */
static bool choose_float_format(struct page *page) {
  double smallest = INFINITY, largest = 0;
  bool is_whole = true;
  for (int64_t i = 0; i < count_shown(page); i++) {
    if (!bind_may_continue(page->call, i + 1)) return false;
    double value = element_at(page, i).as.f, size = fabs(value);
    if (!isfinite(value) || value == 0) continue;
    is_whole = is_whole && value == floor(value);
    if (size < smallest) smallest = size;
    if (size > largest) largest = size;
  }
  if (is_whole)
    page->format = largest > largest_whole(page) ? SCIENTIFIC : WHOLE;
  else if (largest > largest_fixed(page) || smallest < 1e-4 || rounds_to_zero(page, smallest))
    page->format = SCIENTIFIC;
  else
    page->format = FIXED;
  return true;
}

/* A point without digits after it says that a number may be rounded. */
static void text_of_float(const struct page *page, double value, char *text) {
  if (isnan(value))
    strcpy(text, "nan"); /* whatever its sign */
  else if (page->format == WHOLE || isinf(value))
    strew_format_float(text, NUMBER_BYTES, "%.*f", 0, value);
  else if (page->format == FIXED)
    strew_format_float(text, NUMBER_BYTES, "%#.*f", page->precision, value);
  else
    strew_format_float(text, NUMBER_BYTES, "%.*e", page->precision, value);
}

/* Writes the element to text (WORD_BYTES); returns its columns. */
static int text_of(const struct page *page, int64_t i, char *text) {
  strew_scalar element = element_at(page, i);
  switch (page->format) {
  case TEXTS: strcpy(text, page->words[i].text); return page->words[i].width;
  case TIMES: strew_scalar_text(element, STREW_TIME, text); break;
  case WORDS: strcpy(text, element.as.i ? "true" : "false"); break;
  case INTEGERS:
    snprintf(text, NUMBER_BYTES, element.dtype == STREW_UINT64 ? "%" PRIu64 : "%" PRId64, element.as.i);
    break;
  default: text_of_float(page, element.as.f, text);
  }
  return (int)strlen(text);
}

enum { DOTS = 3 };

static bool has_dots(const struct page *page) {
  return page->rank > 0 && page->head + page->tail < page->sizes[page->rank - 1];
}

/* Width of a line of `count` elements of a row. */
static int64_t line_of(const struct page *page, int64_t count, bool has_dots) {
  return count * (page->width + 2) - 1 + (has_dots ? DOTS + 2 : 0);
}

/* Leaves out as many columns in the middle as a line needs, unless all elements are to be shown or not even one
   fits. */
static void fit_columns(struct page *page) {
  int64_t most = (page->line_width + 1 - DOTS - 2) / (page->width + 2);
  bool fits = line_of(page, page->columns, has_dots(page)) <= page->line_width;
  if (page->rank < 2 || page->shows_all || fits || most < 1 || most >= page->columns) return;
  page->head = (most + 1) / 2;
  page->tail = most / 2;
}

/* In rows of several lines the dots are as wide as an element, so that columns stay aligned. */
static int choose_dots_width(const struct page *page) {
  bool fits = line_of(page, page->head + page->tail, true) <= page->line_width;
  return fits || page->width < DOTS ? DOTS : page->width;
}

static bool choose_width(struct page *page) {
  char text[WORD_BYTES];
  page->width = 0;
  for (int64_t i = 0; i < count_shown(page); i++) {
    if (!bind_may_continue(page->call, i + 1)) return false;
    int length = text_of(page, i, text);
    if (length > page->width) page->width = length;
  }
  fit_columns(page);
  page->dots_width = choose_dots_width(page);
  return true;
}

/* False: the call must stop, call->error is filled. (A thread of the host may flush denormals to zero.) */
static bool choose_format(struct page *page) {
  fenv_t host;
  fegetenv(&host);
  fesetenv(FE_DFL_ENV);
  strew_dtype kind = element_at(page, 0).dtype;
  page->format = kind == STREW_BOOL ? WORDS : kind == STREW_TIME ? TIMES : kind == STREW_TEXT ? TEXTS : INTEGERS;
  bool is_fine = (kind != STREW_FLOAT64 || choose_float_format(page)) && choose_width(page);
  fesetenv(&host);
  return is_fine;
}

/* ---------------------------------------------------------------------------------------------------------- as text */

/* Appends "[0, 1, :, :]", after a line of dots if slices before it are omitted. */
static void add_label(luaL_Buffer *out, const struct page *page, int64_t k) {
  char number[NUMBER_BYTES];
  int64_t indices[STREW_MAX_RANK], before[STREW_MAX_RANK], slice = slice_at(page, k);
  bool has_gap = k && slice_at(page, k - 1) != slice - 1;
  slice_positions(page, slice, indices);
  slice_positions(page, slice ? slice - 1 : 0, before);
  for (int d = 0; d < page->leading; d++)
    has_gap = has_gap || (page->is_cut[d] && indices[d] == page->edge && before[d] == page->edge - 1);
  luaL_addstring(out, has_gap ? "\n...\n[" : "\n[");
  for (int d = 0; d < page->leading; d++) {
    snprintf(number, sizeof number, "%" PRId64 ", ", position_of(page, d, indices[d]));
    luaL_addstring(out, number);
  }
  luaL_addstring(out, ":, :]");
}

/* A row being printed: on one or more lines, the later ones indented if there are other rows. */
struct row_text {
  luaL_Buffer *out;
  int64_t line_width, column;
  int indent;
  bool is_line_start;
};

/* The later lines of a row begin below its second element, so that all columns are aligned. */
static int indent_of(const struct page *page) {
  if (page->rank < 2) return 0;
  return line_of(page, 2, false) <= page->line_width ? page->width + 2 : 2;
}

/* One space before a line, two between items; a line has at least one item. */
static void add_item(struct row_text *row, int width, const char *text, int columns) {
  char item[2 * WORD_BYTES];
  if (!row->is_line_start && row->column + 2 + width > row->line_width) {
    luaL_addchar(row->out, '\n');
    for (int i = 0; i < row->indent; i++) luaL_addchar(row->out, ' ');
    row->column = row->indent;
    row->is_line_start = true;
  }
  const int space = width > columns ? width - columns : 0, before = row->is_line_start ? 1 : 2;
  int length = snprintf(item, sizeof item, "%*s%s", before + space, "", text);
  luaL_addlstring(row->out, item, (size_t)length);
  row->column += before + space + columns;
  row->is_line_start = false;
}

/* Appends the row that starts at element `first`; false: the call must stop. */
static bool add_row(luaL_Buffer *out, const struct page *page, int64_t first) {
  struct row_text row = {out, page->line_width, 0, indent_of(page), true};
  int64_t skipped = page->columns - page->head - page->tail;
  char text[WORD_BYTES];
  luaL_addchar(out, '\n');
  for (int64_t i = 0; i < page->head + page->tail; i++) {
    if (!bind_may_continue(page->call, first + i + 1)) return false;
    if (i == page->head) add_item(&row, page->dots_width, "...", DOTS);
    const int columns = text_of(page, first + i + (i < page->head ? 0 : skipped), text);
    add_item(&row, page->width, text, columns);
  }
  if (page->tail == 0 && has_dots(page)) add_item(&row, page->dots_width, "...", DOTS);
  return true;
}

static bool add_page(luaL_Buffer *out, const struct page *page) {
  int64_t first = 0;
  for (int64_t k = 0; k < page->slices_shown; k++) {
    if (page->leading) add_label(out, page, k);
    for (int64_t row = 0; row < page->rows; row++, first += page->columns) {
      /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): an edge is 1 or more, so there are two dimensions */
      if (row == page->edge && page->is_cut[page->rank - 2]) luaL_addstring(out, "\n ...");
      if (!add_row(out, page, first)) return false;
    }
  }
  return true;
}

/* Makes the words of the shown elements (tables/printing.lua), in Lua memory, which is pushed. */
static bool read_words(lua_State *L, struct script_call *call, struct page *page) {
  const int64_t count = count_shown(page);
  struct shown_word *words = lua_newuserdatauv(L, (size_t)count * sizeof *words, 0);
  strew_tensor *self;
  bind_use(L, lua_upvalueindex(1), "printing.lua");
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1) || !bind_tensor(L, call, 1, "self", &self)) return false;
    lua_getfield(L, -1, "word");
    bind_push_word(L, self, element_at(page, i).as.i);
    lua_call(L, 1, 2);
    words[i].width = (int)lua_tointeger(L, -1) + 2;
    snprintf(words[i].text, WORD_BYTES, "\"%.*s\"", WORD_BYTES - 3, lua_tostring(L, -2));
    lua_pop(L, 2);
  }
  page->words = words;
  return lua_pop(L, 1), true;
}

/* Reads the shown elements of a non-empty tensor into Lua memory, which is pushed. Allocating that may run a finalizer,
   so the tensor is read from its box again. */
static bool read_shown(lua_State *L, struct script_call *call, struct page *page, strew_tensor *self) {
  int64_t count = count_shown(page);
  if (count > MOST_SHOWN) {
    bind_fail(call, STREW_EMEMORY, "self", "has %" PRId64 " elements to show, expected at most %d", count, MOST_SHOWN);
    bind_hint(call, "strew.set_printoptions{profile = \"default\"} shows a summary");
    return false;
  }
  void *elements = lua_newuserdatauv(L, (size_t)count * strew_dtype_size_bytes(page->dtype), 0);
  if (!bind_tensor(L, call, 1, "self", &self) || read_page(page, self, elements, &call->error) != STREW_OK)
    return false;
  return page->dtype != STREW_TEXT || read_words(L, call, page);
}

/* texts(t, precision): a sequence of strings, one for each element, in one format for all. */
static int push_texts(lua_State *L, struct script_call *call) {
  struct page page = {.call = call};
  struct print_options options = call->binding->print;
  char text[WORD_BYTES];
  strew_tensor *self;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  int64_t count = strew_tensor_numel(self);
  options.at[THRESHOLD] = INT64_MAX;
  options.at[PRECISION] = lua_tointeger(L, 2);
  plan_layout(&page, self, &options);
  if (count && (!read_shown(L, call, &page, self) || !choose_format(&page))) return -1;
  lua_createtable(L, (int)count, 0);
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1)) return -1;
    text_of(&page, i, text);
    lua_pushstring(L, text);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* All elements are read before any text is made, which may run a finalizer. */
static int push_text(lua_State *L, struct script_call *call) {
  struct page page = {.call = call};
  strew_tensor *self;
  char header[DESCRIPTION_BYTES], text[NUMBER_BYTES];
  luaL_Buffer out;
  struct box *box = bind_to_box(L, call->binding, 1);
  if (box && !box->tensor) {
    lua_pushliteral(L, "tensor (freed)");
    return 1;
  }
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  bind_describe(self, header);
  plan_layout(&page, self, &call->binding->print);
  bool is_empty = strew_tensor_numel(self) == 0;
  if (!is_empty) {
    if (!read_shown(L, call, &page, self) || !choose_format(&page)) return -1;
  }
  luaL_buffinit(L, &out);
  luaL_addstring(&out, header);
  if (is_empty) {
    luaL_addstring(&out, "  (empty)");
  } else if (page.rank == 0) {
    text_of(&page, 0, text);
    luaL_addstring(&out, "  ");
    luaL_addstring(&out, text);
  } else if (!add_page(&out, &page)) {
    return -1;
  }
  luaL_pushresult(&out);
  return 1;
}

const struct script_function bind_tostring_row = {"tostring", push_text, 0, FUNCTION | CONSTANT};

/* ---------------------------------------------------------------------------------------------------------- options */

void bind_print_defaults(struct print_options *options) {
  *options = (struct print_options){.at = {[PRECISION] = 4, [THRESHOLD] = 1000, [EDGEITEMS] = 3, [LINEWIDTH] = 0}};
}

/* print_options([values]): all of them; sets them first. */
static int print_options(lua_State *L, struct script_call *call) {
  int64_t *at = call->binding->print.at;
  for (int k = 0; k < PRINT_OPTIONS; k++) {
    if (call->arguments) at[k] = lua_tointeger(L, k + 1);
    lua_pushinteger(L, at[k]);
  }
  return PRINT_OPTIONS;
}

const struct script_function bind_print_rows[] = {
    {"print_options", print_options, 0, INNER | CONSTANT | CHECKED, "NNNN"},
    {"texts", push_texts, 0, INNER | CONSTANT | CHECKED, "Tn"}, /* of t and a precision: the elements as strings */
    {NULL},
};

/* ------------------------------------------------------------------------------------------------ print of scripts */

/* print(value, ...), for the host. Upvalues: the binding, and tostring, which hides addresses in a sandbox. */
static int print_to_host(lua_State *L) {
  const struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  const int count = lua_gettop(L);
  luaL_Buffer line;
  size_t length;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    if (!lua_isstring(L, -1)) return luaL_error(L, "'tostring' must return a string");
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  const char *text = lua_tolstring(L, -1, &length);
  if (binding->write) binding->write(binding->write_user, text, length);
  return 0;
}

void strew_set_print(lua_State *L, void (*write)(void *user, const char *text, size_t length), void *user) {
  bind_stack(L, 2);
  struct binding *binding = bind_push_binding(L);
  lua_getglobal(L, "tostring");
  lua_pushcclosure(L, print_to_host, 2);
  lua_setglobal(L, "print");
  binding->write = write;
  binding->write_user = user;
}
