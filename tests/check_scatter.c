/* check_scatter.c: the position form and gather against the plain nested loop: every dtype x reduction, with random
   shapes, layouts, index dtypes, modes, include_self, numbers for src and larger src, bit for bit, on 1, 2, 3 and 7
   threads. */
#include "oracle.h"

#include <inttypes.h>

/* ------------------------------------------------------------------------------------------------- random calls */

struct random_call {
  struct scatter_case c;
  strew_tensor *self, *index, *src;
  strew_operand operand;
};

static enum layout layout_for(int64_t i) { return (enum layout)(i % LAYOUT_COUNT); }

/* Rank 0 to 4, small sizes, sometimes empty. src is sometimes larger than index; self always is, except along dim. */
static void draw_shapes(struct scatter_case *c) {
  int64_t most = draw_below(8) == 0 ? 1 : 5;
  c->rank = (int)draw_below(5);
  c->dim = c->rank ? (int)draw_below(c->rank) : 0;
  bool larger = draw_below(2);
  for (int d = 0; d < c->rank; d++) {
    c->index_sizes[d] = draw_below(12) == 0 ? 0 : 1 + draw_below(d == c->dim ? 2 * most : most);
    c->src_sizes[d] = c->index_sizes[d] + (larger ? draw_below(3) : 0);
    c->self_sizes[d] = d == c->dim ? 1 + draw_below(6) : c->index_sizes[d] + draw_below(2);
  }
}

static int64_t draw_limits(const struct scatter_case *c, int64_t *low) {
  int64_t size = c->rank ? c->self_sizes[c->dim] : 1;
  *low = c->mode == STREW_ERROR ? 0 : c->mode == STREW_WRAP ? -size : -3;
  return c->mode == STREW_ERROR || c->mode == STREW_WRAP ? size : size + 3;
}

static struct random_call draw_call(strew_dtype dtype, strew_reduction reduction) {
  struct random_call call = {.c = {.dtype = dtype, .reduction = reduction}};
  struct scatter_case *c = &call.c;
  c->mode = (strew_mode)draw_below(STREW_MODE_COUNT);
  c->exclude_self = draw_below(2);
  draw_shapes(c);
  int64_t low, high = draw_limits(c, &low);
  strew_dtype index_dtype = draw_below(2) ? STREW_INT64 : STREW_INT32;
  call.index = random_integers(index_dtype, c->rank, c->index_sizes, layout_for(draw_below(4)), low, high);
  call.self = random_tensor(dtype, c->rank, c->self_sizes, layout_for(draw_below(3)));
  if (draw_below(4)) {
    call.src = random_tensor(dtype, c->rank, c->src_sizes, layout_for(draw_below(4)));
    call.operand = strew_of(call.src);
  } else {
    c->number = strew_int(draw_below(2));
    call.operand = strew_number(c->number);
  }
  return call;
}

static void run_call(const struct random_call *call, const char *what) {
  const struct scatter_case *c = &call->c;
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self, .mode = c->mode};
  void *self = host_of(call->self), *index = host_of(call->index), *src = call->src ? host_of(call->src) : NULL;
  void *expected = oracle_scatter(c, self, strew_tensor_dtype(call->index), index, src);
  strew_tensor *out = NULL;
  ok(strew_scatter(call->self, c->dim, call->index, call->operand, &options, &out, &failure));
  assert_elements(out, c->dtype, expected, "%s, out of place, rank %d dim %d mode %s", what, c->rank, c->dim,
                  strew_enum_name(STREW_WORDS_MODE, c->mode));
  assert_elements(call->self, c->dtype, self, "%s: self after a call out of place", what);
  strew_release(out);
  out = call->self;
  ok(strew_scatter(call->self, c->dim, call->index, call->operand, &options, &out, &failure));
  ck_assert_ptr_eq(out, call->self);
  assert_elements(call->self, c->dtype, expected, "%s, in place, rank %d dim %d mode %s", what, c->rank, c->dim,
                  strew_enum_name(STREW_WORDS_MODE, c->mode));
  free(self), free(index), free(src), free(expected);
}

static void release_call(struct random_call *call) {
  strew_release(call->self);
  strew_release(call->index);
  strew_release(call->src);
}

START_TEST(test_random_scatter) {
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (dtype == STREW_BOOL && reduction == STREW_MEAN) return; /* an error: see check_scatter_errors */
  if (lacks(dtype) || !chosen(_i, 4)) return;
  char what[64];
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    snprintf(what, sizeof what, "%s %s on %d threads", strew_dtype_name(dtype),
             strew_enum_name(STREW_WORDS_REDUCTION, reduction), strew_context_threads(context));
    for (int n = 0; n < some(60); n++) {
      struct random_call call = draw_call(dtype, reduction);
      run_call(&call, what);
      release_call(&call);
    }
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------------ recognised shapes */

/* The shapes that the engine recognises, larger than its blocks: plain 1-D, rows, rows of a full index, the inner
   dimension, truncated columns, an index expanded along dim itself. */
static const struct {
  const char *name;
  int rank, dim;
  int64_t self[3], index[3];
  int expanded; /* dimension along which index is expanded; -1: none */
} shapes[] = {
    {"1-D", 1, 0, {700}, {5000}, -1},
    {"1-D into one place", 1, 0, {1}, {3000}, -1},
    {"rows", 2, 0, {50, 64}, {1500, 64}, 1},
    {"rows of three", 2, 0, {50, 3}, {2500, 3}, 1},
    {"rows of seven", 2, 0, {20, 7}, {400, 7}, 1},
    {"rows of eight", 2, 0, {20, 8}, {400, 8}, 1},
    {"wide rows", 2, 0, {4, 1024}, {12, 1024}, 1},
    {"wider rows", 2, 0, {4, 1025}, {12, 1025}, 1},
    {"rows, full index", 2, 0, {40, 130}, {300, 130}, -1},
    {"inner dimension", 2, 1, {37, 20}, {37, 300}, -1},
    {"inner dimension, expanded rows", 2, 1, {9, 1100}, {9, 1300}, 0},
    {"short lines", 2, 1, {300, 9}, {300, 7}, -1},
    {"short lines, several dimensions", 3, 2, {3, 31, 5}, {3, 29, 40}, -1},
    {"short full rows", 2, 0, {30, 6}, {300, 6}, -1},
    {"middle dimension", 3, 1, {5, 11, 70}, {5, 90, 70}, 2},
    {"outer dimension of rows", 3, 0, {5, 100, 24}, {6, 100, 24}, 2},
    {"outer dimension of three", 3, 0, {6, 20, 30}, {41, 20, 30}, -1},
    {"expanded along dim", 1, 0, {5}, {2000}, 0},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

static strew_tensor *index_of_shape(int i, const struct scatter_case *c, strew_dtype dtype) {
  int64_t sizes[3], low, high = draw_limits(c, &low);
  memcpy(sizes, c->index_sizes, sizeof sizes);
  if (shapes[i].expanded >= 0) sizes[shapes[i].expanded] = 1;
  strew_tensor *narrow = random_integers(dtype, c->rank, sizes, CONTIGUOUS, low, high), *index = NULL;
  ok(strew_expand(narrow, c->rank, c->index_sizes, &index, &failure));
  strew_release(narrow);
  return index;
}

START_TEST(test_shapes) {
  int shape = _i / STREW_REDUCTION_COUNT;
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_BFLOAT16, STREW_INT16, STREW_FLOAT64, STREW_FLOAT16};
  char what[96];
  if (!chosen(_i, 4)) return;
  for (int k = 0; k < some(8); k++) {
    if (k % 4 == 0) use_turn(k / 4, _i);
    struct random_call call = {.c = {.dtype = dtype_here(dtypes[(k + _i) % 5]),
                                     .reduction = reduction,
                                     .rank = shapes[shape].rank,
                                     .dim = shapes[shape].dim,
                                     .mode = (strew_mode)((k + k / 4 + _i / 4) % 4),
                                     .exclude_self = k / 2 % 2}};
    memcpy(call.c.self_sizes, shapes[shape].self, sizeof shapes[shape].self);
    memcpy(call.c.index_sizes, shapes[shape].index, sizeof shapes[shape].index);
    memcpy(call.c.src_sizes, shapes[shape].index, sizeof shapes[shape].index);
    call.self = random_tensor(call.c.dtype, call.c.rank, call.c.self_sizes, CONTIGUOUS);
    call.index = index_of_shape(shape, &call.c, k % 3 ? STREW_INT64 : STREW_INT32);
    call.src = random_tensor(call.c.dtype, call.c.rank, call.c.src_sizes, k % 5 ? CONTIGUOUS : EXPANDED);
    call.operand = strew_of(call.src);
    snprintf(what, sizeof what, "%s: %s %s on %d threads", shapes[shape].name, strew_dtype_name(call.c.dtype),
             strew_enum_name(STREW_WORDS_REDUCTION, reduction), strew_context_threads(context));
    run_call(&call, what);
    release_call(&call);
  }
}
END_TEST

/* Every pair of special numbers: NaN wins, -0 is less than +0, in either order. */
START_TEST(test_extremes) {
  enum { KINDS = 7, PAIRS = KINDS * KINDS };
  static const double kinds[KINDS] = {-0.0, 0.0, NAN, 1, -1, INFINITY, -INFINITY};
  double held[PAIRS], coming[PAIRS];
  int64_t places[PAIRS];
  for (int i = 0; i < PAIRS; i++) held[i] = kinds[i / KINDS], coming[i] = kinds[i % KINDS], places[i] = i;
  for (int i = 0; i < 4 * 2 * 2; i++) {
    if (lacks((strew_dtype)(i % 4))) continue;
    struct random_call call = {.c = {.dtype = (strew_dtype)(i % 4),
                                     .reduction = i / 4 % 2 ? STREW_AMAX : STREW_AMIN,
                                     .exclude_self = i / 8,
                                     .rank = 1,
                                     .self_sizes = {PAIRS},
                                     .index_sizes = {PAIRS},
                                     .src_sizes = {PAIRS}}};
    call.self = tensor_from_doubles(call.c.dtype, PAIRS, held);
    call.src = tensor_from_doubles(call.c.dtype, PAIRS, coming);
    call.index = tensor_from_integers(STREW_INT64, PAIRS, places);
    call.operand = strew_of(call.src);
    run_call(&call, strew_enum_name(STREW_WORDS_REDUCTION, call.c.reduction));
    release_call(&call);
  }
}
END_TEST

/* Every 16-bit number in self and in src, beside the special numbers; one by one and in rows; destinations in order,
   and not. */
START_TEST(test_extremes_of_halves) {
  enum { PATTERNS = 1 << 16, KINDS = 6, COUNT = 2 * KINDS * PATTERNS };
  if (!chosen(_i, 16)) return;
  strew_dtype dtype = _i % 2 ? STREW_FLOAT16 : STREW_BFLOAT16;
  const uint16_t infinity = dtype == STREW_FLOAT16 ? 0x7c00 : 0x7f80;
  const uint16_t kinds[KINDS] = {0, 0x8000, infinity, (uint16_t)(infinity | 0x8000), 0x7fff, 0x3c00};
  const int64_t columns = _i / 8 ? 64 : 1, rows = COUNT / columns, sizes[] = {rows, columns}, column[] = {rows, 1};
  uint16_t *held = malloc(COUNT * sizeof *held), *coming = malloc(COUNT * sizeof *coming);
  int64_t *values = malloc((size_t)rows * sizeof *values);
  for (int64_t i = 0; i < COUNT; i++) {
    const uint16_t number = (uint16_t)(i % PATTERNS), other = kinds[i / PATTERNS % KINDS];
    const bool holds = i / PATTERNS < KINDS;
    const int64_t row = i / columns;
    values[row] = _i / 4 % 2 ? row * 5 % rows : row;
    held[values[row] * columns + i % columns] = holds ? number : other;
    coming[i] = holds ? other : number;
  }
  struct random_call call = {.c = {.dtype = dtype,
                                   .reduction = _i / 2 % 2 ? STREW_AMAX : STREW_AMIN,
                                   .rank = 2,
                                   .self_sizes = {rows, columns},
                                   .index_sizes = {rows, columns},
                                   .src_sizes = {rows, columns}}};
  call.self = tensor_of(dtype, 2, sizes, CONTIGUOUS, held);
  call.src = tensor_of(dtype, 2, sizes, CONTIGUOUS, coming);
  strew_tensor *narrow = tensor_of(STREW_INT64, 2, column, CONTIGUOUS, values);
  ok(strew_expand(narrow, 2, sizes, &call.index, &failure));
  call.operand = strew_of(call.src);
  run_call(&call, strew_enum_name(STREW_WORDS_REDUCTION, call.c.reduction));
  strew_release(narrow);
  release_call(&call);
  free(held), free(coming), free(values);
}
END_TEST

/* ---------------------------------------------------------------------------------------- index values out of range */

/* A call whose index holds `value` at `place` (of its different values), and worse values after it. */
struct bad_call {
  struct random_call call;
  int64_t different[3], count; /* sizes of the index before it is expanded */
  int64_t place, value;
};

static void store_index(const struct bad_call *bad, int64_t place, int64_t value) {
  int64_t at[STREW_MAX_RANK];
  coordinates(place, bad->call.c.rank, bad->different, at);
  ok(strew_set(bad->call.index, bad->call.c.rank, at, strew_int(value), &failure));
}

/* The same elements in wrapped host memory, if the device supports it. */
static strew_tensor *wrapped(strew_tensor *tensor) {
  const strew_dtype dtype = strew_tensor_dtype(tensor);
  const size_t bytes = (size_t)strew_tensor_numel(tensor) * strew_dtype_size_bytes(dtype);
  void *memory = host_of(tensor);
  strew_tensor *out = NULL;
  const strew_status status = strew_wrap(device, dtype, strew_tensor_rank(tensor), strew_tensor_sizes(tensor), NULL,
                                         memory, bytes, free, memory, &out, &failure);
  if (status == STREW_EDEVICE) return free(memory), tensor;
  ok(status);
  return strew_release(tensor), out;
}

static struct bad_call draw_bad_call(int shape, bool large, strew_reduction reduction, int which) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_BFLOAT16, STREW_INT16, STREW_FLOAT64, STREW_FLOAT16};
  struct bad_call bad = {.call.c = {.dtype = dtype_here(dtypes[draw_below(5)]), .reduction = reduction}};
  struct scatter_case *c = &bad.call.c;
  c->rank = shapes[shape].rank, c->dim = shapes[shape].dim;
  c->mode = draw_below(2) ? STREW_ERROR : STREW_WRAP;
  c->exclude_self = draw_below(2);
  for (int d = 0; d < c->rank; d++) {
    c->self_sizes[d] = shapes[shape].self[d] * (large && d == c->dim ? 16 : 1);
    c->index_sizes[d] = c->src_sizes[d] = shapes[shape].index[d];
    bad.different[d] = d == shapes[shape].expanded ? 1 : c->index_sizes[d];
  }
  bad.count = count_of(c->rank, bad.different);
  bad.place = which == 0 ? 0 : which == 1 ? draw_below(bad.count) : bad.count - 1;
  int64_t size = c->self_sizes[c->dim], below = c->mode == STREW_WRAP ? -size - 1 : -1;
  bad.value = draw_below(2) ? size + draw_below(3) : below - draw_below(3);
  bad.call.self = random_tensor(c->dtype, c->rank, c->self_sizes, layout_for(draw_below(3)));
  if (draw_below(4) == 0) bad.call.self = wrapped(bad.call.self);
  bad.call.src = random_tensor(c->dtype, c->rank, c->src_sizes, layout_for(draw_below(4)));
  bad.call.index = index_of_shape(shape, c, draw_below(2) ? STREW_INT64 : STREW_INT32);
  store_index(&bad, bad.place, bad.value);
  if (bad.place + 1 < bad.count && draw_below(2))
    store_index(&bad, bad.place + 1 + draw_below(bad.count - bad.place - 1), size + 1000000);
  return bad;
}

/* The report names the first invalid value in row-major order, and its position. */
static void check_report(const struct bad_call *bad) {
  const struct scatter_case *c = &bad->call.c;
  int64_t at[STREW_MAX_RANK], size = c->self_sizes[c->dim];
  char expected[256], place[64] = "";
  coordinates(bad->place, c->rank, bad->different, at);
  for (int d = 0; d < c->rank; d++)
    snprintf(place + strlen(place), sizeof place - strlen(place), "%s%" PRId64, d ? ", " : "", at[d]);
  snprintf(expected, sizeof expected,
           "scatter: 'index' has value %" PRId64 " at [%s], out of range for dim %d of self (size %" PRId64
           ", valid %" PRId64 "..%" PRId64 ")\n",
           bad->value, place, c->dim, size, c->mode == STREW_WRAP ? -size : 0, size - 1);
  if (strncmp(failure.message, expected, strlen(expected)) != 0)
    ck_abort_msg("%s\nis not\n%s", failure.message, expected);
  ck_assert(failure.has_value && failure.value.as.i == bad->value && failure.position_rank == c->rank);
  for (int d = 0; d < c->rank; d++) ck_assert_int_eq(failure.position[d], at[d]);
}

/* Nothing is written: in place, into a new tensor or into another one. */
static void run_bad_call(const struct bad_call *bad, const char *name) {
  const struct scatter_case *c = &bad->call.c;
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self, .mode = c->mode};
  strew_tensor *self = bad->call.self, *other = NULL;
  ok(strew_full(device, c->dtype, c->rank, c->self_sizes, strew_int(7), &other, &failure));
  void *before = host_of(self), *other_before = host_of(other);
  strew_tensor *const outs[] = {NULL, self, other};
  for (int i = 0; i < 3; i++) {
    strew_tensor *out = outs[i];
    assert_fails(strew_scatter(self, c->dim, bad->call.index, strew_of(bad->call.src), &options, &out, &failure),
                 STREW_EINDEX, NULL);
    check_report(bad);
    ck_assert_ptr_eq(out, outs[i]);
    assert_elements(self, c->dtype, before, "%s: self after a bad index", name);
    assert_elements(other, c->dtype, other_before, "%s: another target after a bad index", name);
  }
  strew_release(other);
  free(before), free(other_before);
}

/* _i: shape x whether self is too large for a backup copy. The invalid value comes first, anywhere, last. */
START_TEST(test_bad_index) {
  if (!chosen(_i, 3)) return;
  int shape = _i % SHAPE_COUNT;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    for (int i = 0; i < some(STREW_REDUCTION_COUNT); i++) {
      strew_reduction reduction = (strew_reduction)((i + _i) % STREW_REDUCTION_COUNT);
      struct bad_call bad = draw_bad_call(shape, _i / SHAPE_COUNT, reduction, (i + turn + shape) % 3);
      run_bad_call(&bad, shapes[shape].name);
      release_call(&bad.call);
    }
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- gather */

START_TEST(test_random_gather) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 3)) return;
  for (int n = 0; n < some(200) * sweep(TURNS); n++) {
    if (n % 200 == 0) use_turn(n / 200, _i);
    struct random_call call = draw_call(dtype, STREW_ASSIGN);
    void *self = host_of(call.self), *index = host_of(call.index);
    void *expected = oracle_gather(&call.c, self, strew_tensor_dtype(call.index), index);
    strew_tensor *out = NULL;
    ok(strew_gather_with(call.self, call.c.dim, call.index, &(strew_index_options){.mode = call.c.mode}, &out,
                         &failure));
    assert_sizes(out, call.c.rank, call.c.index_sizes);
    assert_elements(out, dtype, expected, "gather %s mode %s", strew_dtype_name(dtype),
                    strew_enum_name(STREW_WORDS_MODE, call.c.mode));
    strew_release(out);
    release_call(&call);
    free(self), free(index), free(expected);
  }
}
END_TEST

static void check_gather(const struct scatter_case *c, strew_tensor *self, strew_tensor *index, const char *name) {
  strew_tensor *out = NULL;
  strew_dtype dtype = strew_tensor_dtype(index);
  void *host = host_of(self), *values = host_of(index), *expected = oracle_gather(c, host, dtype, values);
  ok(strew_gather_with(self, c->dim, index, &(strew_index_options){.mode = c->mode}, &out, &failure));
  assert_elements(out, c->dtype, expected, "gather, %s, mode %s", name, strew_enum_name(STREW_WORDS_MODE, c->mode));
  free(host), free(values), free(expected);
  strew_release(out);
}

/* Values allowed by the mode, and a few others if it allows them; the index is expanded from `sizes`. */
static strew_tensor *index_to_gather(const struct scatter_case *c, strew_dtype dtype, const int64_t *sizes) {
  int64_t low, high = draw_limits(c, &low);
  strew_tensor *values = random_integers(dtype, c->rank, sizes, CONTIGUOUS, low, high), *index = NULL;
  ok(strew_expand(values, c->rank, c->index_sizes, &index, &failure));
  strew_release(values);
  return index;
}

/* More rows than the engine processes at once. */
START_TEST(test_gather_rows) {
  if (lacks((strew_dtype)_i) || !chosen(_i, 3)) return;
  int64_t self_sizes[] = {90, 33}, index_sizes[] = {1200, 1}, wide[] = {1200, 33};
  struct scatter_case c = {.dtype = (strew_dtype)_i,
                           .rank = 2,
                           .dim = 0,
                           .mode = STREW_DROP,
                           .self_sizes = {90, 33},
                           .index_sizes = {1200, 33}};
  strew_tensor *self = random_tensor(c.dtype, 2, self_sizes, PERMUTED), *index = NULL;
  strew_tensor *column = random_integers(STREW_INT64, 2, index_sizes, CONTIGUOUS, -2, 92);
  ok(strew_expand(column, 2, wide, &index, &failure));
  check_gather(&c, self, index, "many rows");
  strew_release(self), strew_release(column), strew_release(index);
}
END_TEST

/* One value out of range, at any position, is reported. */
static void check_bad_gather(const struct scatter_case *c, strew_tensor *self, const int64_t *sizes) {
  int64_t at[3], size = c->self_sizes[c->dim];
  strew_tensor *values = random_integers(STREW_INT64, c->rank, sizes, CONTIGUOUS, 0, size), *index = NULL, *out = NULL;
  coordinates(draw_below(count_of(c->rank, sizes)), c->rank, sizes, at);
  ok(strew_set(values, c->rank, at, strew_int(draw_below(2) ? -1 : size), &failure));
  ok(strew_expand(values, c->rank, c->index_sizes, &index, &failure));
  assert_fails(strew_gather_with(self, c->dim, index, NULL, &out, &failure), STREW_EINDEX, NULL);
  strew_release(values), strew_release(index);
}

/* Lines and rows of every length that selects another loop. _i: dtype. */
START_TEST(test_gather_shapes) {
  static const struct {
    const char *name;
    int rank, dim;
    int64_t self[3], index[3];
  } kinds[] = {
      {"a line", 1, 0, {700}, {5003}},           {"full rows", 2, 0, {50, 7}, {900, 7}},
      {"short lines", 2, 1, {300, 9}, {300, 7}}, {"short lines, several dimensions", 3, 2, {3, 40, 5}, {3, 37, 41}},
      {"long lines", 2, 1, {6, 90}, {6, 1500}},  {"middle dimension", 3, 1, {5, 11, 30}, {5, 90, 30}},
  };
  enum { KINDS = sizeof kinds / sizeof *kinds, WIDTHS = 70, CASES = STREW_MODE_COUNT * (KINDS + WIDTHS) };
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 3)) return;
  for (int k = 0; k < some(CASES) * sweep(TURNS); k++) {
    const int kind = k / STREW_MODE_COUNT % (KINDS + WIDTHS), width = kind - KINDS + 1;
    const bool rows = kind >= KINDS;
    if (k % CASES == 0) use_turn(k / CASES, _i);
    struct scatter_case c = {.dtype = dtype, .mode = (strew_mode)(k % STREW_MODE_COUNT)};
    c.rank = rows ? 2 : kinds[kind].rank, c.dim = rows ? 0 : kinds[kind].dim;
    memcpy(c.self_sizes, rows ? (int64_t[]){90, width, 0} : kinds[kind].self, sizeof kinds->self);
    memcpy(c.index_sizes, rows ? (int64_t[]){70, width, 0} : kinds[kind].index, sizeof kinds->index);
    const int64_t *sizes = rows ? (const int64_t[]){70, 1} : c.index_sizes;
    strew_tensor *self = random_tensor(dtype, c.rank, c.self_sizes, k % 5 ? CONTIGUOUS : PERMUTED);
    strew_tensor *index = index_to_gather(&c, k % 3 ? STREW_INT64 : STREW_INT32, sizes);
    check_gather(&c, self, index, rows ? "rows" : kinds[kind].name);
    check_bad_gather(&c, self, sizes);
    strew_release(self), strew_release(index);
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------- memory during the call */

/* In place and through an expanded index, no call allocates memory proportional to index or src. */
START_TEST(test_in_place_allocates_nothing_that_grows) {
  strew_reduction reduction = (strew_reduction)_i;
  int64_t self_sizes[] = {10, 8}, column_sizes[] = {20000, 1}, sizes[] = {20000, 8};
  strew_tensor *self = random_tensor(STREW_BFLOAT16, 2, self_sizes, CONTIGUOUS), *index = NULL;
  strew_tensor *column = random_integers(STREW_INT32, 2, column_sizes, CONTIGUOUS, 0, 10);
  strew_tensor *src = random_tensor(STREW_BFLOAT16, 2, sizes, STRIDED);
  ok(strew_expand(column, 2, sizes, &index, &failure));
  size_t before = strew_context_bytes(context), peak = strew_context_peak_bytes(context);
  ck_assert_uint_eq(before, peak);
  strew_tensor *out = self;
  strew_scatter_options options = {.reduction = reduction, .exclude_self = true};
  ok(strew_scatter(self, 0, index, strew_of(src), &options, &out, &failure));
  size_t held = strew_context_peak_bytes(context) - before, self_bytes = 10 * 8 * 2;
  ck_assert_msg(held <= 6 * self_bytes, "%s allocated %zu bytes", strew_enum_name(STREW_WORDS_REDUCTION, reduction),
                held);
  strew_release(self), strew_release(column), strew_release(index), strew_release(src);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("scatter");
  TCase *cases = new_case(suite, "sweep");
  tcase_add_loop_test(cases, test_random_scatter, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(cases, test_shapes, 0, SHAPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_test(cases, test_extremes);
  tcase_add_loop_test(cases, test_extremes_of_halves, 0, 16);
  tcase_add_loop_test(cases, test_bad_index, 0, 2 * SHAPE_COUNT);
  tcase_add_loop_test(cases, test_random_gather, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(cases, test_gather_rows, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(cases, test_gather_shapes, 0, STREW_DTYPE_COUNT);
  if (!on_device()) /* whose scratch memory is not the context's */
    tcase_add_loop_test(cases, test_in_place_allocates_nothing_that_grows, 0, STREW_REDUCTION_COUNT);
  return suite;
}
