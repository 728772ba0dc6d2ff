/* check_scatter_ways.c: index patterns (random, sorted, runs, constant, skewed, nearly sorted) through every way of a
   scatter: long enough for several blocks, turns and owners, against the plain nested loop, bit for bit. */
#include "oracle.h"
#include "tuned.h"

#include <inttypes.h>

/* Contributions: more than a turn of a partition, and fewer; not a multiple of any block. */
enum { LONG = 71700, SHORT = 30740, COLUMNS = 20 };

/* ---------------------------------------------------------------------------------------------------------- indices */

static int64_t any(int64_t i, int64_t n, int64_t size) { return (void)i, (void)n, draw_below(size); }
static int64_t rising(int64_t i, int64_t n, int64_t size) { return i * size / n; }
static int64_t falling(int64_t i, int64_t n, int64_t size) { return size - 1 - i * size / n; }
static int64_t last_place(int64_t i, int64_t n, int64_t size) { return (void)i, (void)n, size - 1; }
static int64_t mostly_one(int64_t i, int64_t n, int64_t size) { return draw_below(10) ? size / 2 : any(i, n, size); }
static int64_t nearly_rising(int64_t i, int64_t n, int64_t size) {
  return draw_below(500) ? i * size / n : any(i, n, size);
}
/* Sorted, except for the values at which threads begin. */
static int64_t dipping(int64_t i, int64_t n, int64_t size) {
  return i && i % (n / 8) == 0 ? (i - 8) * size / n : i * size / n;
}
static int64_t rising_by_pieces(int64_t i, int64_t n, int64_t size) { return i % 5000 * size / 5000 + 0 * n; }
static int64_t long_runs(int64_t i, int64_t n, int64_t size) { return (void)n, i / 700 * 13 % size; }

static const struct {
  const char *name;
  int64_t (*value)(int64_t i, int64_t n, int64_t size);
} looks[] = {{"random", any},         {"sorted", rising},
             {"falling", falling},    {"one place", last_place},
             {"skewed", mostly_one},  {"nearly sorted", nearly_rising},
             {"dipping", dipping},    {"sorted by pieces", rising_by_pieces},
             {"long runs", long_runs}};
enum { LOOKS = sizeof looks / sizeof *looks };

static const int64_t places[] = {1, 7, 900, 40000};
enum { PLACES = sizeof places / sizeof *places };

/* n values of that pattern, as a dense tensor of rank 1, int64 or int32. If the mode allows it, a third are too
   large. */
static strew_tensor *index_of(int look, int64_t n, const struct scatter_case *c, strew_dtype dtype) {
  int64_t size = c->self_sizes[c->dim], above = c->mode == STREW_DROP || c->mode == STREW_CLIP ? (size + 2) / 3 : 0;
  int64_t *values = malloc((size_t)n * sizeof *values);
  int32_t *narrow = malloc((size_t)n * sizeof *narrow);
  for (int64_t i = 0; i < n; i++) values[i] = looks[look].value(i, n, size) + above, narrow[i] = (int32_t)values[i];
  strew_tensor *index =
      tensor_of(dtype, 1, &n, CONTIGUOUS, dtype == STREW_INT64 ? (const void *)values : (const void *)narrow);
  free(values), free(narrow);
  return index;
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* LINES, each with destinations of its own, and BLOCKS of rows with destinations of their own. */
enum shape { LINE, EXPANDED_ROWS, FULL_ROWS, COPIED_ROWS, LINES, BLOCKS };
static const char *const shape_names[] = {"a line", "rows", "a full index", "a copied index", "lines", "blocks"};

static void set_sizes(struct scatter_case *c, int rank, const int64_t *sizes, int64_t size) {
  c->rank = rank;
  for (int d = 0; d < rank; d++) {
    c->index_sizes[d] = c->src_sizes[d] = sizes[d];
    c->self_sizes[d] = d == c->dim ? size : sizes[d];
  }
}

static void sizes_of(enum shape shape, int64_t count, int64_t size, struct scatter_case *c) {
  static const int64_t lengths[] = {1, 2, 3, 8, 30, 70, 900, 1500}, most = 300;
  static const int64_t heights[] = {2, 5, 30, 100}, widths[] = {2, COLUMNS, 70, 120};
  const int64_t rows = draw_below(4) ? 600 : 2000; /* enough of them for 16 threads' means */
  const int64_t length = lengths[draw_below(sizeof lengths / sizeof *lengths)];
  const int64_t height = heights[draw_below(sizeof heights / sizeof *heights)];
  const int64_t width = widths[draw_below(sizeof widths / sizeof *widths)];
  if (shape == LINES || shape == BLOCKS) c->dim = 1;
  if (shape == LINES)
    set_sizes(c, 2, (int64_t[]){count / length < rows ? count / length : rows, length}, size < most ? size : most);
  else if (shape == BLOCKS)
    set_sizes(c, 3, (int64_t[]){(count - 1) / height / width + 1, height, width}, size < most ? size : most);
  else
    set_sizes(c, shape == LINE ? 1 : 2, (int64_t[]){shape == LINE ? count : count / COLUMNS, COLUMNS}, size);
}

static strew_tensor *index_for(enum shape shape, int look, const struct scatter_case *c, strew_dtype dtype) {
  int64_t rows = c->index_sizes[0], column[] = {rows, 1};
  const bool full = shape != EXPANDED_ROWS && shape != COPIED_ROWS;
  int64_t n = full ? count_of(c->rank, c->index_sizes) : rows;
  strew_tensor *values = index_of(look, n, c, dtype), *standing = NULL, *index = NULL;
  if (shape == LINE) return values;
  if (full) {
    ok(strew_reshape(values, c->rank, c->index_sizes, &index, &failure));
  } else {
    ok(strew_reshape(values, 2, column, &standing, &failure));
    ok(strew_expand(standing, 2, c->index_sizes, &index, &failure));
  }
  strew_release(values), strew_release(standing);
  if (shape != COPIED_ROWS) return index;
  strew_tensor *copied = NULL;
  ok(strew_contiguous(index, &copied, &failure));
  strew_release(index);
  return copied;
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static void check_call(const struct scatter_case *c, strew_tensor *index, enum layout layout, const char *what) {
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = NULL;
  strew_tensor *src = random_tensor(c->dtype, c->rank, c->src_sizes, layout);
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self, .mode = c->mode};
  void *held = host_of(self), *values = host_of(index), *coming = host_of(src);
  void *expected = oracle_scatter(c, held, strew_tensor_dtype(index), values, coming);
  ok(strew_scatter(self, c->dim, index, strew_of(src), &options, &out, &failure));
  assert_elements(out, c->dtype, expected, "%s, out of place", what);
  strew_release(out);
  out = self;
  ok(strew_scatter(self, c->dim, index, strew_of(src), &options, &out, &failure));
  assert_elements(self, c->dtype, expected, "%s, in place", what);
  strew_release(self), strew_release(src);
  free(held), free(values), free(coming), free(expected);
}

static int64_t bad_value(int64_t size, strew_dtype dtype) {
  const int64_t values[] = {-1, size, dtype == STREW_INT32 ? INT32_MIN : INT64_MIN,
                            dtype == STREW_INT32 ? INT32_MAX : INT64_MAX};
  return values[draw_below(4)];
}

/* The same with one value out of range, at a random position: nothing is written. */
static void check_bad(const struct scatter_case *c, strew_tensor *index, const char *what) {
  int64_t at[3], bad = bad_value(c->self_sizes[c->dim], strew_tensor_dtype(index));
  coordinates(draw_below(count_of(c->rank, c->index_sizes)), c->rank, c->index_sizes, at);
  strew_tensor *spoilt = NULL, *src = random_tensor(c->dtype, c->rank, c->src_sizes, CONTIGUOUS);
  ok(strew_clone(index, &spoilt, &failure));
  ok(strew_set(spoilt, c->rank, at, strew_int(bad), &failure));
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = self;
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self};
  void *before = host_of(self);
  assert_fails(strew_scatter(self, c->dim, spoilt, strew_of(src), &options, &out, &failure), STREW_EINDEX, NULL);
  assert_elements(self, c->dtype, before, "%s, after a bad index", what);
  strew_release(spoilt), strew_release(src), strew_release(self);
  free(before);
}

/* _i: pattern x shape, up to LINES. Each reduction gets another number of destinations, dtype, mode and number of
   threads in turn. */
START_TEST(test_ways) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_INT32, STREW_BFLOAT16, STREW_UINT8, STREW_FLOAT64};
  static const int threads[] = {2, 1, 7, 3, 16};
  int look = _i % LOOKS;
  enum shape shape = (enum shape)(_i / LOOKS);
  char what[160];
  if (!chosen(_i, 8)) return;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < some(PLACES * STREW_REDUCTION_COUNT); k++) {
    struct scatter_case c = {.dtype = dtype_here(dtypes[(k + _i) % 5]),
                             .reduction = (strew_reduction)(k % STREW_REDUCTION_COUNT),
                             .mode = (strew_mode)((k + _i / 2) % STREW_MODE_COUNT),
                             .exclude_self = k % 5 == 4};
    if (k % STREW_REDUCTION_COUNT == 0) use_threads(threads[(k / STREW_REDUCTION_COUNT + _i) % 5]);
    sizes_of(shape, k % 2 ? LONG : SHORT, places[k / STREW_REDUCTION_COUNT], &c);
    strew_tensor *index = index_for(shape, look, &c, k % 4 == 3 ? STREW_INT32 : STREW_INT64);
    snprintf(what, sizeof what, "%s, %s, %" PRId64 " places: %s %s on %d threads", shape_names[shape], looks[look].name,
             c.self_sizes[c.dim], strew_dtype_name(c.dtype), strew_enum_name(STREW_WORDS_REDUCTION, c.reduction),
             strew_context_threads(context));
    check_call(&c, index, k % 7 == 5 ? STRIDED : CONTIGUOUS, what);
    if (k % 3 == 0) check_bad(&c, index, what);
    strew_release(index);
  }
}
END_TEST

/* With the fixture's caches a turn of a partition is one block: here it is several, and a call several turns, so that
   workers share blocks. */
static void make_coarser_context(void) {
  enum { COARSE = 4096 };
  strew_options options = {.grain_bytes = COARSE, .allocator = test_allocator};
  use_tuning(NULL, COARSE);
  strew_context_release(context);
  ok(strew_context_create(&options, &context, &failure));
  ok(strew_device_find(context, NULL, &device, &failure));
}

START_TEST(test_partitions) {
  enum { COUNT = 530100, TARGET = 400000 };
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_INT8, STREW_FLOAT64, STREW_BFLOAT16, STREW_INT16};
  static const int threads[] = {3, 1, 16, 2, 7};
  char what[160];
  if (!chosen(_i, 2)) return;
  make_coarser_context();
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < some(5); k++) {
    enum shape shape = k % 3 == 2 ? FULL_ROWS : LINE;
    struct scatter_case c = {.dtype = dtypes[(k + _i) % 5],
                             .reduction = (strew_reduction)(k % STREW_REDUCTION_COUNT),
                             .mode = (strew_mode)((k + _i) % STREW_MODE_COUNT)};
    use_threads(threads[(k + _i) % 5]);
    sizes_of(shape, COUNT, shape == LINE ? TARGET : TARGET / COLUMNS, &c);
    strew_tensor *index = index_for(shape, _i, &c, k % 4 == 3 ? STREW_INT32 : STREW_INT64);
    snprintf(what, sizeof what, "turns, %s, %s: %s %s on %d threads", shape_names[shape], looks[_i].name,
             strew_dtype_name(c.dtype), strew_enum_name(STREW_WORDS_REDUCTION, c.reduction),
             strew_context_threads(context));
    check_call(&c, index, k % 5 == 4 ? STRIDED : CONTIGUOUS, what);
    check_bad(&c, index, what);
    strew_release(index);
  }
  strew_context_release(context), context = NULL;
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- lines */

static void check_gather(const struct scatter_case *c, strew_tensor *index, const char *what) {
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = NULL;
  void *held = host_of(self), *values = host_of(index);
  void *expected = oracle_gather(c, held, strew_tensor_dtype(index), values);
  ok(strew_gather_with(self, c->dim, index, &(strew_index_options){.mode = c->mode}, &out, &failure));
  assert_elements(out, c->dtype, expected, "%s, gathered", what);
  strew_release(self), strew_release(out);
  free(held), free(values), free(expected);
}

/* Near destinations, as they are with the usual caches: with the smallest ones all are far. */
START_TEST(test_lines) {
  static const int threads[] = {1, 2, 3, 7, 16};
  char what[160];
  if (!chosen(_i, 4)) return;
  make_coarser_context();
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < some(2 * STREW_DTYPE_COUNT); k++) {
    enum shape shape = k % 3 ? LINES : BLOCKS;
    struct scatter_case c = {.dtype = (strew_dtype)(k % STREW_DTYPE_COUNT),
                             .reduction = (strew_reduction)draw_below(STREW_REDUCTION_COUNT),
                             .mode = (strew_mode)(k % 7 ? STREW_ERROR : draw_below(STREW_MODE_COUNT)),
                             .exclude_self = draw_below(4) == 0};
    if (c.dtype == STREW_BOOL && c.reduction == STREW_MEAN) c.reduction = STREW_SUM;
    use_threads(threads[draw_below(5)]);
    sizes_of(shape, k % 2 ? LONG : SHORT, places[draw_below(PLACES)], &c);
    strew_tensor *index = index_for(shape, _i, &c, k % 9 ? STREW_INT64 : STREW_INT32);
    snprintf(what, sizeof what, "%s of %" PRId64 ", %s, %" PRId64 " places: %s %s on %d threads", shape_names[shape],
             c.index_sizes[c.rank - 1], looks[_i].name, c.self_sizes[c.dim], strew_dtype_name(c.dtype),
             strew_enum_name(STREW_WORDS_REDUCTION, c.reduction), strew_context_threads(context));
    check_call(&c, index, k % 11 ? CONTIGUOUS : STRIDED, what);
    check_bad(&c, index, what);
    check_gather(&c, index, what);
    strew_release(index);
  }
  strew_context_release(context), context = NULL;
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- winners */

/* The first maximum of each group, and its position: `count` for an empty group. */
static void check_winners(enum shape shape, int look, int64_t size) {
  int64_t columns = shape == LINE ? 1 : COLUMNS, count = SHORT / columns, sizes[] = {count, columns};
  struct scatter_case c = {.rank = 1, .self_sizes = {size}};
  strew_tensor *index = index_of(look, count, &c, STREW_INT64), *out = NULL, *arg = NULL;
  strew_tensor *src = random_integers(STREW_INT32, shape == LINE ? 1 : 2, sizes, CONTIGUOUS, 0, 50);
  struct group_form options = {.reduction = STREW_AMAX, .dim = 0, .dim_size = size, .mode = STREW_ERROR};
  ok(group_form(strew_by_index(index), src, &options, &out, &arg, &failure));
  int64_t *values = host_of(index), *places_expected = malloc((size_t)(size * columns) * sizeof *places_expected);
  int32_t *coming = host_of(src), *expected = calloc((size_t)(size * columns), sizeof *expected);
  for (int64_t i = 0; i < size * columns; i++) places_expected[i] = count;
  for (int64_t i = 0; i < count * columns; i++) {
    int64_t at = values[i / columns] * columns + i % columns;
    if (places_expected[at] != count && coming[i] <= expected[at]) continue;
    expected[at] = coming[i];
    places_expected[at] = i / columns;
  }
  assert_elements(out, STREW_INT32, expected, "winners of %s, %s", shape_names[shape], looks[look].name);
  assert_elements(arg, STREW_INT64, places_expected, "winners' places of %s, %s, %d threads", shape_names[shape],
                  looks[look].name, strew_context_threads(context));
  strew_release(index), strew_release(src), strew_release(out), strew_release(arg);
  free(values), free(coming), free(expected), free(places_expected);
}

START_TEST(test_winners) {
  if (!chosen(_i, 4)) return;
  seed_draws((uint64_t)_i + 1);
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    for (int k = 0; k < PLACES; k++) check_winners(_i % 2 ? EXPANDED_ROWS : LINE, _i / 2, places[k]);
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("scatter ways");
  TCase *cases = new_case(suite, "ways");
  tcase_add_loop_test(cases, test_ways, 0, LOOKS * LINES);
  if (!on_device()) tcase_add_loop_test(cases, test_partitions, 0, LOOKS); /* CPU only */
  if (!on_device()) tcase_add_loop_test(cases, test_lines, 0, LOOKS);
  tcase_add_loop_test(cases, test_winners, 0, 2 * LOOKS);
  return suite;
}
