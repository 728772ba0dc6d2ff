/* check_index.c: the calls that read and write through an index along a dimension, through several indices, positions,
   coordinates and masks, against the plain loop: every dtype x reduction, with random shapes, layouts, index dtypes and
   modes, bit for bit, into new tensors, given ones and in place, on 1, 2, 3 and 7 threads; and their errors. */
#include "oracle.h"

#include <inttypes.h>

enum kind {
  SELECT,
  ADD,
  COPY,
  FILL,
  REDUCE,
  ALONG_DIM,
  INDEX_PUT,
  TAKE,
  PUT,
  SCATTER_ND,
  GATHER_ND,
  MASKED_SELECT,
  MASKED_SCATTER,
  KINDS
};
static const char *const kind_names[KINDS] = {
    "index_select", "index_add", "index_copy", "index_fill", "index_reduce",  "take_along_dim", "index_put",
    "take",         "put",       "scatter_nd", "gather_nd",  "masked_select", "masked_scatter"};
enum { MOST_INDICES = 6 };

static bool reads(enum kind kind) {
  return kind == SELECT || kind == ALONG_DIM || kind == TAKE || kind == GATHER_ND || kind == MASKED_SELECT;
}

/* A call. `count` indices (one: index) address self's dimensions from `first` on; of coordinates, columns of
   indices. */
struct trial {
  enum kind kind;
  strew_dtype dtype;
  strew_scatter_options options;
  int dim, batches;
  strew_tensor *self, *index, *source; /* source NULL: number */
  int count, first;
  strew_tensor *indices[MOST_INDICES];
  strew_scalar number, alpha;
  int rank; /* of what the call addresses */
  int64_t sizes[STREW_MAX_RANK];
  int64_t lead_sizes[STREW_MAX_RANK];
  int lead; /* of the index's shape */
};

static strew_status run(const struct trial *t, strew_tensor **out) {
  const strew_operand source = t->source ? strew_of(t->source) : strew_number(t->number);
  const strew_mode mode = t->options.mode;
  switch (t->kind) {
  case SELECT:
    return strew_index_select_with(t->self, t->dim, t->index, &(strew_index_options){.mode = mode}, out, &failure);
  case ADD:
    return strew_index_add_with(t->self, t->dim, t->index, t->source, t->alpha, &(strew_index_options){.mode = mode},
                                out, &failure);
  case COPY:
    return strew_index_reduce(t->self, t->dim, t->index, t->source, &(strew_scatter_options){.mode = mode}, out,
                              &failure);
  case FILL:
    return strew_index_fill_with(t->self, t->dim, t->index, source, &(strew_index_options){.mode = mode}, out,
                                 &failure);
  case REDUCE: return strew_index_reduce(t->self, t->dim, t->index, t->source, &t->options, out, &failure);
  case ALONG_DIM:
    return strew_take_along_dim_with(t->self, t->dim, t->index, &(strew_index_options){.mode = mode}, out, &failure);
  case INDEX_PUT: return strew_index_put(t->self, t->count, t->indices, source, &t->options, out, &failure);
  case TAKE: return strew_take_with(t->self, t->index, &(strew_index_options){.mode = mode}, out, &failure);
  case PUT: return strew_put(t->self, t->index, t->source, &t->options, out, &failure);
  case SCATTER_ND: return strew_scatter_nd(t->self, t->index, t->source, &t->options, out, &failure);
  case GATHER_ND:
    return strew_gather_nd_with(t->self, t->index, t->batches, &(strew_index_options){.mode = mode}, out, &failure);
  case MASKED_SELECT: return strew_masked_select(t->self, t->index, out, &failure);
  case MASKED_SCATTER: return strew_masked_scatter(t->self, t->index, t->source, out, &failure);
  case KINDS: break;
  }
  return STREW_EARGUMENT;
}

/* ------------------------------------------------------------------------------------------------- random calls */

static enum layout layout_for(int64_t i) { return (enum layout)(i % LAYOUT_COUNT); }
static strew_dtype index_dtype(void) { return draw_below(2) ? STREW_INT64 : STREW_INT32; }
static int64_t draw_size(void) { return draw_below(14) == 0 ? 0 : 1 + draw_below(5); }
static int64_t self_size(const struct trial *t, int d) {
  return strew_tensor_rank(t->self) ? strew_tensor_sizes(t->self)[d] : 1;
}

/* Values that the mode takes for a dimension of that size. */
static strew_tensor *draw_index(const struct trial *t, int rank, const int64_t *sizes, int64_t size) {
  const strew_mode mode = t->options.mode;
  int64_t low = mode == STREW_ERROR ? 0 : mode == STREW_WRAP ? -size : -3;
  int64_t high = mode == STREW_ERROR || mode == STREW_WRAP ? size : size + 3;
  return random_integers(index_dtype(), rank, sizes, layout_for(draw_below(4)), low, high);
}

/* A source for what the call addresses; narrow: sizes of 1, or fewer dimensions, broadcast. */
static void draw_source(struct trial *t, bool narrow) {
  int64_t sizes[STREW_MAX_RANK];
  int skipped = narrow && t->rank ? (int)draw_below(2) : 0;
  for (int d = skipped; d < t->rank; d++) sizes[d - skipped] = narrow && draw_below(3) == 0 ? 1 : t->sizes[d];
  t->source = random_tensor(t->dtype, t->rank - skipped, sizes, layout_for(draw_below(4)));
}

static void draw_self(struct trial *t, int least, int most, bool may_be_empty) {
  int64_t sizes[STREW_MAX_RANK];
  int rank = least + (int)draw_below(most - least + 1);
  for (int d = 0; d < rank; d++) sizes[d] = may_be_empty ? draw_size() : 1 + draw_below(5);
  t->self = random_tensor(t->dtype, rank, sizes, layout_for(draw_below(3)));
}

static void draw_along(struct trial *t) {
  draw_self(t, 0, 4, false);
  const int rank = strew_tensor_rank(t->self);
  t->rank = rank ? rank : 1;
  t->dim = (int)draw_below(t->rank);
  int64_t count = draw_below(4) ? draw_below(9) : 1;
  for (int d = 0; d < t->rank; d++) t->sizes[d] = self_size(t, d);
  if (t->kind == ALONG_DIM) {
    int64_t sizes[STREW_MAX_RANK];
    for (int d = 0; d < rank; d++) sizes[d] = d == t->dim ? count : draw_below(3) ? self_size(t, d) : 1;
    t->index = draw_index(t, rank, sizes, self_size(t, t->dim));
    if (rank) t->sizes[t->dim] = count;
  } else {
    if (rank == 0 && t->kind == SELECT) count = 1, t->rank = 0;
    t->index = draw_index(t, count == 1 ? (int)draw_below(2) : 1, &count, self_size(t, t->dim));
    t->sizes[t->dim] = count;
    draw_source(t, false);
  }
  t->number = strew_int(draw_below(2));
  if (t->kind == FILL && draw_below(2)) {
    char element[8];
    random_element(t->dtype, element);
    strew_release(t->source);
    t->source = scalar_tensor(t->dtype, strew_scalar_load(t->dtype, element));
  } else if (t->kind == FILL) {
    strew_release(t->source), t->source = NULL;
  }
}

/* The shape of what components of shape lead_sizes address, `count` dimensions from `first` on. */
static void set_shape(struct trial *t) {
  const int inner = strew_tensor_rank(t->self) - t->first - t->count;
  t->rank = t->lead + inner;
  for (int d = 0; d < t->lead; d++) t->sizes[d] = t->lead_sizes[d];
  for (int d = 0; d < inner; d++) t->sizes[t->lead + d] = self_size(t, t->first + t->count + d);
}

static void draw_index_put(struct trial *t) {
  draw_self(t, 1, 6, false);
  t->count = 1 + (int)draw_below(strew_tensor_rank(t->self));
  t->lead = (int)draw_below(3);
  for (int d = 0; d < t->lead; d++) t->lead_sizes[d] = draw_size();
  for (int i = 0; i < t->count; i++) {
    int64_t sizes[STREW_MAX_RANK];
    int skipped = i && t->lead ? (int)draw_below(2) : 0;
    for (int d = skipped; d < t->lead; d++) sizes[d - skipped] = i && draw_below(3) == 0 ? 1 : t->lead_sizes[d];
    t->indices[i] = draw_index(t, t->lead - skipped, sizes, self_size(t, i));
  }
  set_shape(t);
  t->number = strew_int(draw_below(2));
  if (draw_below(4)) draw_source(t, true);
}

static void draw_positions(struct trial *t) {
  draw_self(t, 0, 3, false);
  t->rank = (int)draw_below(3);
  for (int d = 0; d < t->rank; d++) t->sizes[d] = draw_size();
  t->index = draw_index(t, t->rank, t->sizes, strew_tensor_numel(t->self));
  t->source = random_tensor(t->dtype, t->rank, t->sizes, layout_for(draw_below(4)));
}

static void draw_coordinates(struct trial *t) {
  int64_t sizes[STREW_MAX_RANK], smallest = INT64_MAX;
  draw_self(t, t->kind == GATHER_ND ? 1 : 0, 5, false);
  const int rank = strew_tensor_rank(t->self);
  t->batches = t->first = t->kind == GATHER_ND ? (int)draw_below(rank < 3 ? rank : 3) : 0;
  t->count = (int)draw_below(rank - t->first + 1);
  t->lead = t->first + (int)draw_below(3);
  for (int d = 0; d < t->lead; d++) t->lead_sizes[d] = d < t->first ? self_size(t, d) : draw_size();
  for (int k = 0; k < t->count; k++)
    if (self_size(t, t->first + k) < smallest) smallest = self_size(t, t->first + k);
  memcpy(sizes, t->lead_sizes, sizeof sizes);
  sizes[t->lead] = t->count;
  t->index = draw_index(t, t->lead + 1, sizes, t->count ? smallest : 1);
  set_shape(t);
  draw_source(t, false);
}

static void draw_mask(struct trial *t) {
  int64_t sizes[STREW_MAX_RANK], chosen = 0;
  draw_self(t, 0, 4, true);
  const int rank = strew_tensor_rank(t->self), skipped = rank ? (int)draw_below(2) : 0;
  for (int d = skipped; d < rank; d++) sizes[d - skipped] = draw_below(3) ? self_size(t, d) : 1;
  t->index = random_integers(STREW_BOOL, rank - skipped, sizes, layout_for(draw_below(4)), 0, 2);
  strew_tensor *wide = NULL;
  ok(strew_expand(t->index, rank, strew_tensor_sizes(t->self), &wide, &failure));
  char *mask = host_of(wide);
  for (int64_t i = 0; i < strew_tensor_numel(wide); i++) chosen += mask[i];
  free(mask), strew_release(wide);
  t->rank = 1, t->sizes[0] = chosen;
  int64_t longer = chosen + draw_below(3);
  t->source = random_tensor(t->dtype, 1, &longer, layout_for(draw_below(4)));
}

static struct trial draw_trial(enum kind kind, strew_dtype dtype, strew_reduction reduction) {
  struct trial t = {.kind = kind, .dtype = dtype, .alpha = strew_int(1)};
  const bool reduces = kind == REDUCE || kind == INDEX_PUT || kind == PUT || kind == SCATTER_ND;
  t.options.mode = (strew_mode)draw_below(STREW_MODE_COUNT);
  t.options.reduction = reduces ? reduction : kind == ADD ? STREW_SUM : STREW_ASSIGN;
  t.options.exclude_self = reduces && draw_below(2);
  switch (kind) {
  case INDEX_PUT: draw_index_put(&t); break;
  case TAKE:
  case PUT: draw_positions(&t); break;
  case SCATTER_ND:
  case GATHER_ND: draw_coordinates(&t); break;
  case MASKED_SELECT:
  case MASKED_SCATTER: draw_mask(&t); break;
  default: draw_along(&t); break;
  }
  return t;
}

static void release_trial(struct trial *t) {
  strew_release(t->self), strew_release(t->index), strew_release(t->source);
  for (int i = 0; i < MOST_INDICES; i++) strew_release(t->indices[i]);
}

/* --------------------------------------------------------------------------------------------------- plain loops */

/* The elements of a tensor, or of a number's, broadcast to the call's shape. */
static void *wide_host(const struct trial *t, strew_tensor *tensor, int rank, const int64_t *sizes) {
  strew_tensor *wide = NULL;
  if (!tensor) {
    char *elements = malloc((size_t)count_of(rank, sizes) * 8 + 8);
    size_t bytes = strew_dtype_size_bytes(t->dtype);
    for (int64_t i = 0; i < count_of(rank, sizes); i++)
      ok(strew_scalar_store(t->number, STREW_EXACT, t->dtype, elements + (size_t)i * bytes, &failure));
    return elements;
  }
  ok(strew_expand(tensor, rank, sizes, &wide, &failure));
  void *host = host_of(wide);
  strew_release(wide);
  return host;
}

static int64_t *index_host(const struct trial *t, strew_tensor *index, int rank, const int64_t *sizes) {
  const strew_dtype dtype = strew_tensor_dtype(index);
  const int64_t count = count_of(rank, sizes);
  char *elements = wide_host(t, index, rank, sizes);
  int64_t *values = malloc(((size_t)count + 1) * sizeof *values);
  for (int64_t i = 0; i < count; i++)
    values[i] = strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype)).as.i;
  free(elements);
  return values;
}

static int64_t number_of(int rank, const int64_t *sizes, const int64_t *at) {
  int64_t number = 0;
  for (int d = 0; d < rank; d++) number = number * sizes[d] + at[d];
  return number;
}

/* The coordinate in self's dimension `dim` for what the call addresses at `at`; -1: dropped. Values of all indices, or
   columns, follow one another. */
static int64_t component(const struct trial *t, const int64_t *values, int k, const int64_t *at) {
  const int64_t i = number_of(t->lead, t->lead_sizes, at), n = count_of(t->lead, t->lead_sizes);
  const int64_t value = t->kind == INDEX_PUT ? values[k * n + i] : values[i * t->count + k];
  return oracle_place(t->options.mode, self_size(t, t->first + k), value);
}

static int64_t row_target(const struct trial *t, const int64_t *values, const int64_t *at) {
  const int rank = strew_tensor_rank(t->self), inner = rank - t->first - t->count;
  int64_t to[STREW_MAX_RANK] = {0};
  for (int d = 0; d < t->first; d++) to[d] = at[d];
  for (int k = 0; k < t->count; k++) {
    to[t->first + k] = component(t, values, k, at);
    if (to[t->first + k] < 0) return -1;
  }
  for (int d = 0; d < inner; d++) to[t->first + t->count + d] = at[t->lead + d];
  return number_of(rank, strew_tensor_sizes(t->self), to);
}

static int64_t *row_values(const struct trial *t) {
  if (t->kind != INDEX_PUT) {
    int64_t sizes[STREW_MAX_RANK];
    memcpy(sizes, t->lead_sizes, sizeof sizes);
    sizes[t->lead] = t->count;
    return index_host(t, t->index, t->lead + 1, sizes);
  }
  const int64_t n = count_of(t->lead, t->lead_sizes);
  int64_t *values = malloc(((size_t)(n * t->count) + 1) * sizeof *values);
  for (int k = 0; k < t->count; k++) {
    int64_t *own = index_host(t, t->indices[k], t->lead, t->lead_sizes);
    memcpy(values + k * n, own, (size_t)n * sizeof *values);
    free(own);
  }
  return values;
}

/* For each element that the call addresses, in row-major order, the number of self's element, or -1. */
static int64_t *targets_of(const struct trial *t) {
  const int64_t count = count_of(t->rank, t->sizes), numel = strew_tensor_numel(t->self);
  int64_t *targets = malloc(((size_t)count + 1) * sizeof *targets), at[STREW_MAX_RANK] = {0}, found = 0;
  const bool along = t->kind <= ALONG_DIM, masked = t->kind >= MASKED_SELECT, flat = t->kind == TAKE || t->kind == PUT;
  int64_t sizes[STREW_MAX_RANK];
  for (int d = 0; d < t->rank && along; d++) sizes[d] = d == t->dim ? self_size(t, d) : t->sizes[d];
  int64_t *values = NULL;
  if (masked) values = index_host(t, t->index, strew_tensor_rank(t->self), strew_tensor_sizes(t->self));
  if (along && t->kind != ALONG_DIM) values = index_host(t, t->index, 1, &t->sizes[t->dim]);
  if (t->kind == ALONG_DIM || flat) values = index_host(t, t->index, t->rank, t->sizes);
  if (!values) values = row_values(t);
  for (int64_t i = 0; i < numel && masked; i++)
    if (values[i]) targets[found++] = i;
  for (int64_t i = 0; i < count && !masked; i++) {
    coordinates(i, t->rank, t->sizes, at);
    if (flat) {
      targets[i] = oracle_place(t->options.mode, numel, values[i]);
    } else if (along) {
      const int64_t value = values[t->kind == ALONG_DIM ? i : at[t->dim]];
      at[t->dim] = oracle_place(t->options.mode, self_size(t, t->dim), value);
      targets[i] = at[t->dim] < 0 ? -1 : number_of(t->rank, sizes, at);
    } else {
      targets[i] = row_target(t, values, at);
    }
  }
  free(values);
  return targets;
}

/* alpha * source, rounded to the dtype. */
static void scale(const struct trial *t, char *source, int64_t count) {
  strew_tensor *dense = tensor_of(t->dtype, 1, &count, CONTIGUOUS, source), *product = NULL;
  strew_operand factor = strew_number(t->alpha);
  if (strew_scalar_load(STREW_INT64, &t->alpha.as.i).as.i != 1 && !is_float_dtype(t->dtype)) {
    char element[8];
    ok(strew_scalar_store(t->alpha, STREW_SATURATE, t->dtype, element, &failure));
    factor = strew_number(strew_scalar_load(t->dtype, element));
  }
  ok(strew_binary(STREW_MUL, strew_of(dense), factor, &product, &failure));
  void *host = host_of(product);
  memcpy(source, host, (size_t)count * strew_dtype_size_bytes(t->dtype));
  free(host), strew_release(dense), strew_release(product);
}

static void *expected_of(const struct trial *t, const void *self) {
  const int64_t count = count_of(t->rank, t->sizes), numel = strew_tensor_numel(t->self);
  int64_t *targets = targets_of(t);
  struct scatter_case c = {.dtype = t->dtype, .reduction = t->options.reduction, .mode = STREW_DROP, .rank = 1};
  c.exclude_self = t->options.exclude_self && t->options.reduction != STREW_ASSIGN;
  c.self_sizes[0] = numel, c.index_sizes[0] = c.src_sizes[0] = count;
  void *expected;
  if (reads(t->kind)) {
    expected = oracle_gather(&c, self, STREW_INT64, targets);
  } else {
    const bool as_it_is = t->kind == PUT || t->kind == MASKED_SCATTER;
    char *source = as_it_is ? host_of(t->source) : wide_host(t, t->source, t->rank, t->sizes);
    if (t->kind == ADD && t->alpha.as.i != 1) scale(t, source, count);
    expected = oracle_scatter(&c, self, STREW_INT64, targets, source);
    free(source);
  }
  free(targets);
  return expected;
}

/* -------------------------------------------------------------------------------------------------- comparisons */

static void check_trial(const struct trial *t, const char *what) {
  void *self = host_of(t->self), *expected = expected_of(t, self);
  const bool is_read = reads(t->kind);
  strew_tensor *out = NULL, *given;
  ok(run(t, &out));
  assert_elements(out, t->dtype, expected, "%s: a new tensor", what);
  assert_elements(t->self, t->dtype, self, "%s: self after it", what);
  given = random_tensor(t->dtype, strew_tensor_rank(out), strew_tensor_sizes(out), layout_for(draw_below(3)));
  strew_release(out);
  out = given;
  ok(run(t, &out));
  ck_assert_ptr_eq(out, given);
  assert_elements(given, t->dtype, expected, "%s: a given tensor", what);
  assert_elements(t->self, t->dtype, self, "%s: self after a given tensor", what);
  strew_release(given);
  if (!is_read) {
    out = t->self;
    ok(run(t, &out));
    ck_assert_ptr_eq(out, t->self);
    assert_elements(t->self, t->dtype, expected, "%s: in place", what);
  }
  free(self), free(expected);
}

START_TEST(test_random_calls) {
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (lacks(dtype) || !chosen(_i, 6)) return;
  if (dtype == STREW_BOOL && reduction == STREW_MEAN) return; /* an error */
  char what[128];
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(20) * KINDS; n++) {
      struct trial t = draw_trial((enum kind)(n % KINDS), dtype, reduction);
      snprintf(what, sizeof what, "%s %d of %s %s, mode %s, %d threads", kind_names[t.kind], n, strew_dtype_name(dtype),
               strew_enum_name(STREW_WORDS_REDUCTION, t.options.reduction),
               strew_enum_name(STREW_WORDS_MODE, t.options.mode), strew_context_threads(context));
      check_trial(&t, what);
      release_trial(&t);
    }
  }
}
END_TEST

/* Enough elements for all threads and for several blocks, with repeated positions. */
START_TEST(test_large_calls) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_BFLOAT16, STREW_INT16, STREW_FLOAT64};
  char what[128];
  const int64_t n = on_device() ? 3000 : 30011, shape[] = {7, 5, 6}, all = 210;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    for (int k = 0; k < some(16); k++) {
      struct trial t = {.kind = k % 2 ? SCATTER_ND : INDEX_PUT, .dtype = dtype_here(dtypes[k % 4]), .count = 3};
      t.options.reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
      t.options.mode = (strew_mode)(k / 4);
      t.self = random_tensor(t.dtype, 3, shape, k % 3 ? CONTIGUOUS : PERMUTED);
      t.lead = t.rank = 1, t.lead_sizes[0] = t.sizes[0] = n;
      t.source = random_tensor(t.dtype, 1, &n, k % 5 ? CONTIGUOUS : STRIDED);
      for (int d = 0; d < 3 && t.kind == INDEX_PUT; d++) t.indices[d] = draw_index(&t, 1, &n, shape[d]);
      if (t.kind == SCATTER_ND) t.index = draw_index(&t, 2, (int64_t[]){n, 3}, 5);
      snprintf(what, sizeof what, "large %s %d, %s", kind_names[t.kind], k,
               strew_enum_name(STREW_WORDS_REDUCTION, t.options.reduction));
      check_trial(&t, what);
      release_trial(&t);
      t = (struct trial){.kind = k % 2 ? PUT : TAKE, .dtype = t.dtype, .options = t.options, .rank = 1, .sizes = {n}};
      t.self = random_tensor(t.dtype, 3, shape, k % 3 ? CONTIGUOUS : PERMUTED);
      t.source = random_tensor(t.dtype, 1, &n, CONTIGUOUS);
      t.index = draw_index(&t, 1, &n, all);
      if (t.kind == TAKE) t.options.reduction = STREW_ASSIGN;
      snprintf(what, sizeof what, "large %s %d", kind_names[t.kind], k);
      check_trial(&t, what);
      release_trial(&t);
    }
  }
}
END_TEST

/* alpha multiplies source first, in the dtype. */
START_TEST(test_alpha) {
  static const int64_t alphas[] = {2, -3, 0, 1000003, INT64_MIN};
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || dtype == STREW_BOOL) return;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < 5 * some(6); k++) {
    struct trial t = draw_trial(ADD, dtype, STREW_SUM);
    t.alpha = strew_int(is_float_dtype(dtype) ? alphas[k % 3] : alphas[k % 5]);
    check_trial(&t, strew_dtype_name(dtype));
    release_trial(&t);
  }
}
END_TEST

START_TEST(test_new_zeros) {
  const int64_t sizes[] = {2, 3};
  strew_tensor *flat = tensor_from_integers(STREW_INT64, 6, (int64_t[]){1, 2, 0, 0, 1, 2}), *indices = NULL,
               *out = NULL;
  strew_tensor *updates = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 4});
  const float sum[] = {2, 0, 0, 0, 0, 5}, last[] = {2, 0, 0, 0, 0, 4};
  strew_scatter_options options = {.reduction = STREW_SUM};
  ok(strew_view(flat, 2, (int64_t[]){3, 2}, &indices, &failure));
  ok(strew_scatter_nd_new(2, sizes, indices, updates, &options, &out, &failure));
  assert_sizes(out, 2, sizes);
  assert_elements(out, STREW_FLOAT32, sum, "zeros plus updates");
  strew_release(out), out = NULL;
  ok(strew_scatter_nd_new(2, sizes, indices, updates, NULL, &out, &failure));
  assert_elements(out, STREW_FLOAT32, last, "zeros with updates");
  strew_release(out), out = NULL;
  assert_fails(strew_scatter_nd_new(2, (int64_t[]){2, 2}, indices, updates, NULL, &out, &failure), STREW_EINDEX, NULL);
  ck_assert_ptr_null(out);
  strew_release(flat), strew_release(indices), strew_release(updates);
}
END_TEST

/* One index, or mask, as coordinates of gather_nd and as the only index of index_put. */
static void check_rows(strew_dtype dtype, bool is_mask) {
  int64_t sizes[4], index_sizes[4];
  const int rank = !is_mask + (int)draw_below(4), index_rank = (int)draw_below(is_mask ? rank + 1 : 3);
  for (int d = 0; d < rank; d++) sizes[d] = draw_size() + (d == 0 && !is_mask);
  for (int d = 0; d < index_rank; d++) index_sizes[d] = is_mask ? sizes[d] : draw_size();
  strew_tensor *self = random_tensor(dtype, rank, sizes, layout_for(draw_below(4))), *written = NULL, *put = NULL;
  strew_tensor *index = random_integers(is_mask ? STREW_BOOL : index_dtype(), index_rank, index_sizes,
                                        layout_for(draw_below(4)), 0, is_mask ? 2 : sizes[0]);
  strew_tensor *places = NULL, *rows = NULL, *expected = NULL, *source = NULL;
  ok(is_mask ? strew_nonzero(index, &places, &failure) : strew_unsqueeze(index, -1, &places, &failure));
  ok(strew_get_rows(self, index, &rows, &failure));
  ok(strew_gather_nd_with(self, places, 0, NULL, &expected, &failure));
  assert_same(rows, expected, "get_rows");
  source = random_tensor(dtype, strew_tensor_rank(rows), strew_tensor_sizes(rows), layout_for(draw_below(4)));
  const strew_operand value = draw_below(2) ? strew_of(source) : strew_number(strew_int(1));
  ok(strew_clone(self, &written, &failure));
  ok(strew_set_rows(written, index, value, &failure));
  ok(strew_index_put(self, 1, &index, value, NULL, &put, &failure));
  assert_same(written, put, "set_rows");
  strew_tensor *all[] = {self, written, put, index, places, rows, expected, source};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}

START_TEST(test_rows) {
  if (lacks((strew_dtype)_i)) return;
  seed_draws((uint64_t)_i + 500);
  for (int n = 0; n < some(60); n++) {
    use_turn(n, _i);
    check_rows((strew_dtype)_i, n % 2);
  }
  strew_tensor *self = random_tensor(STREW_INT32, 2, (int64_t[]){3, 2}, CONTIGUOUS), *rows = NULL;
  strew_tensor *mask = random_tensor(STREW_BOOL, 1, (int64_t[]){2}, CONTIGUOUS), *index = NULL;
  ok(strew_from(device, STREW_INT64, 1, (int64_t[]){2}, (int64_t[]){0, 3}, &index, &failure));
  char *before = host_of(self);
  assert_fails(
      strew_get_rows(self, index, &rows, &failure), STREW_EINDEX,
      "get_rows: 'index' has value 3 at [1], out of range for dim 0 of self (size 3, valid 0..2)\n"
      "  self   int32[3, 2] cpu\n  index  int64[2] cpu\n  hint   was it counted from 1? index - 1 counts from 0");
  assert_fails(
      strew_set_rows(self, index, strew_number(strew_int(1)), &failure), STREW_EINDEX,
      "set_rows: 'index' has value 3 at [1], out of range for dim 0 of self (size 3, valid 0..2)\n"
      "  self   int32[3, 2] cpu\n  index  int64[2] cpu\n  hint   was it counted from 1? index - 1 counts from 0");
  assert_fails(strew_set_rows(self, mask, strew_number(strew_int(1)), &failure), STREW_ESHAPE,
               "set_rows: 'mask' has shape [2], expected [3]\n  self  int32[3, 2] cpu\n  mask  bool[2] cpu");
  strew_tensor *wide = NULL;
  ok(strew_full(device, STREW_INT64, 1, (int64_t[]){2}, strew_int(INT64_MAX), &wide, &failure));
  assert_fails(strew_set_row(self, 1, strew_of(wide), &failure), STREW_EVALUE,
               "set_row: 'value' is 9223372036854775807, which int32 cannot hold: expected an integer in its range\n"
               "  self   int32[3, 2] cpu\n  value  int64[2] cpu");
  strew_release(wide);
  assert_elements(self, STREW_INT32, before, "self of calls that failed");
  free(before);
  strew_release(self), strew_release(mask), strew_release(index);
}
END_TEST

/* Masks about the length of words of bits and of threads' parts, of which no, one in 40, in 5, in 2 or all elements are
   true; elements, and rows of 2 and 3. */
START_TEST(test_long_masks) {
  if (lacks((strew_dtype)_i)) return;
  seed_draws((uint64_t)_i + 700);
  for (int n = 0; n < some(60); n++) {
    const strew_dtype dtype = (strew_dtype)_i;
    const int64_t wide = 1 + draw_below(3), count = draw_below(5) ? draw_below(300) : 20000 + draw_below(100000);
    const int64_t sizes[] = {count, wide}, one_in[] = {count + 1, 40, 5, 2, 1};
    const int rank = wide > 1 ? 2 : 1;
    const int64_t rare = one_in[draw_below(5)];
    use_turn(n, _i);
    strew_tensor *self = random_tensor(dtype, rank, sizes, CONTIGUOUS), *mask = NULL, *rows = NULL, *chosen = NULL;
    bool *flags = calloc((size_t)count + 1, 1);
    for (int64_t i = 0; i < count; i++) flags[i] = draw_below(rare) == 0;
    ok(strew_from(device, STREW_BOOL, 1, sizes, flags, &mask, &failure));
    const size_t bytes = (size_t)wide * strew_dtype_size_bytes(dtype);
    char *all = host_of(self), *expected = malloc((size_t)count * bytes + 1), *to = expected;
    for (int64_t i = 0; i < count; i++)
      if (flags[i]) memcpy(to, all + (size_t)i * bytes, bytes), to += bytes;
    ok(strew_get_rows(self, mask, &rows, &failure));
    ck_assert_int_eq(strew_tensor_numel(rows), (to - expected) / (int64_t)strew_dtype_size_bytes(dtype));
    assert_elements(rows, dtype, expected, "%" PRId64 " rows of %" PRId64 ", one in %" PRId64, count, wide, rare);
    if (rank == 1) {
      ok(strew_masked_select(self, mask, &chosen, &failure));
      assert_same(chosen, rows, "masked_select");
    }
    free(flags), free(all), free(expected);
    strew_release(self), strew_release(mask), strew_release(rows), strew_release(chosen);
  }
}
END_TEST

/* A mask beside an index stands for its true positions, one dimension after the other. */
START_TEST(test_masks_among_indices) {
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < some(40); k++) {
    int64_t sizes[4];
    const int masked = 1 + (int)draw_below(3), rank = masked + (int)draw_below(2);
    for (int d = 0; d < rank; d++) sizes[d] = 1 + draw_below(5);
    const strew_dtype dtype = (strew_dtype)_i;
    if (lacks(dtype)) return;
    strew_tensor *self = random_tensor(dtype, rank, sizes, layout_for(draw_below(3)));
    strew_tensor *mask = random_integers(STREW_BOOL, masked, sizes, layout_for(draw_below(4)), 0, 2);
    strew_tensor *where = NULL, *columns[4] = {NULL}, *by_mask = NULL, *by_indices = NULL;
    ok(strew_nonzero(mask, &where, &failure));
    for (int d = 0; d < masked; d++) ok(strew_select(where, 1, d, &columns[d], &failure));
    const int64_t count = strew_tensor_sizes(where)[0], one = 1;
    int entries = 1;
    strew_tensor *indices[2] = {mask, NULL};
    if (rank > masked && draw_below(2)) {
      indices[1] = columns[masked] = random_integers(index_dtype(), 1, &one, CONTIGUOUS, 0, sizes[masked]);
      entries = 2;
    }
    int64_t value_sizes[] = {count, sizes[rank - 1]};
    const int addressed = masked + entries - 1;
    strew_tensor *values = random_tensor(dtype, rank > addressed ? 2 : 1, value_sizes, layout_for(draw_below(4)));
    strew_scatter_options options = {.mode = (strew_mode)draw_below(4)};
    ok(strew_index_put(self, entries, indices, strew_of(values), &options, &by_mask, &failure));
    ok(strew_index_put(self, addressed, columns, strew_of(values), &options, &by_indices, &failure));
    assert_same(by_mask, by_indices, "a mask and its positions");
    for (int d = 0; d < 4; d++) strew_release(columns[d]);
    strew_release(self), strew_release(mask), strew_release(where), strew_release(values);
    strew_release(by_mask), strew_release(by_indices);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- errors */

/* Puts a bad value into index `k` of the trial, at the element `place`, and another behind it. Returns it. */
static int64_t spoil(struct trial *t, strew_tensor **index, int64_t size, int64_t place, int64_t *position) {
  strew_tensor *dense = NULL;
  ok(strew_clone(*index, &dense, &failure));
  strew_release(*index);
  *index = dense;
  const int64_t below = t->options.mode == STREW_WRAP ? -size - 1 : -1;
  const int64_t value = draw_below(2) ? size + draw_below(3) : below - draw_below(3);
  coordinates(place, strew_tensor_rank(dense), strew_tensor_sizes(dense), position);
  ok(strew_set(dense, strew_tensor_rank(dense), position, strew_int(value), &failure));
  return value;
}

START_TEST(test_values_out_of_range) {
  static const enum kind kinds[] = {SELECT,    ADD,  COPY, FILL,       REDUCE,   ALONG_DIM,
                                    INDEX_PUT, TAKE, PUT,  SCATTER_ND, GATHER_ND};
  enum { COUNT = sizeof kinds / sizeof *kinds };
  int tried = 0;
  seed_draws((uint64_t)_i + 1);
  use_turn(_i % 2, _i);
  for (int n = 0; n < some(20) * COUNT; n++) {
    struct trial t = draw_trial(kinds[n % COUNT], STREW_FLOAT32, (strew_reduction)draw_below(STREW_REDUCTION_COUNT));
    strew_tensor **index = t.kind == INDEX_PUT ? &t.indices[draw_below(t.count)] : &t.index;
    const int entry = t.kind == INDEX_PUT ? (int)(index - t.indices) : 0;
    const int64_t count = strew_tensor_numel(*index), whole = count_of(t.lead, t.lead_sizes);
    const bool checks = t.options.mode == STREW_ERROR || t.options.mode == STREW_WRAP;
    if (count && checks && !(t.kind == INDEX_PUT && whole == 0)) {
      const int64_t place = draw_below(count);
      const int column = t.kind == SCATTER_ND || t.kind == GATHER_ND ? (int)(place % t.count) : 0;
      const int64_t size = t.kind == TAKE || t.kind == PUT ? strew_tensor_numel(t.self)
                           : t.kind <= ALONG_DIM           ? self_size(&t, t.dim)
                                                           : self_size(&t, t.first + entry + column);
      int64_t position[STREW_MAX_RANK] = {0};
      const int64_t value = spoil(&t, index, size, place, position);
      char name[32] = "index", what[64];
      if (t.kind == INDEX_PUT) snprintf(name, sizeof name, "indices[%d]", entry + 1);
      if (t.kind == SCATTER_ND || t.kind == GATHER_ND) snprintf(name, sizeof name, "indices");
      snprintf(what, sizeof what, "%s %d", kind_names[t.kind], n);
      void *self = host_of(t.self);
      for (int in_place = 0; in_place < 2; in_place++) {
        strew_tensor *out = in_place && !reads(t.kind) ? t.self : NULL, *before = out;
        assert_fails(run(&t, &out), STREW_EINDEX, NULL);
        ck_assert_ptr_eq(out, before);
        ck_assert_msg(!strcmp(failure.argument, name), "%s: %s", what, failure.message);
        ck_assert_msg(failure.has_value && failure.value.as.i == value, "%s: %s", what, failure.message);
        ck_assert_msg(failure.position_rank == strew_tensor_rank(*index), "%s: %s", what, failure.message);
        for (int d = 0; d < failure.position_rank; d++)
          ck_assert_msg(failure.position[d] == position[d], "%s: %s", what, failure.message);
        assert_elements(t.self, t.dtype, self, "%s: self after an error", what);
      }
      free(self);
      tried++;
    }
    release_trial(&t);
  }
  ck_assert_int_gt(tried, some(20));
}
END_TEST

/* Rows without elements: index values are checked nevertheless. */
START_TEST(test_rows_without_elements) {
  strew_tensor *self = NULL, *source = NULL, *out = NULL, *column = NULL;
  strew_tensor *good = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 2});
  strew_tensor *bad = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 3});
  const strew_operand seven = strew_number(strew_int(7));
  ok(strew_empty(device, STREW_FLOAT32, 2, (int64_t[]){3, 0}, &self, &failure));
  ok(strew_empty(device, STREW_FLOAT32, 2, (int64_t[]){2, 0}, &source, &failure));
  for (int is_bad = 0; is_bad < 2; is_bad++) {
    strew_tensor *index = is_bad ? bad : good;
    const strew_status expected = is_bad ? STREW_EINDEX : STREW_OK;
    ok(strew_view(index, 2, (int64_t[]){2, 1}, &column, &failure));
    for (int in_place = 0; in_place < 2; in_place++) {
      strew_tensor *const before = in_place ? self : NULL;
#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    out = before;                                                                                                      \
    ck_assert_msg((call) == expected, "%s: %s", #call, failure.message);                                               \
    if (is_bad) ck_assert(failure.position[0] == 1 && failure.value.as.i == 3);                                        \
    if (!before) strew_release(out);                                                                                   \
  } while (0)
      CHECK(strew_index_add_with(self, 0, index, source, strew_int(1), NULL, &out, &failure));
      CHECK(strew_index_reduce(self, 0, index, source, NULL, &out, &failure));
      CHECK(strew_index_fill_with(self, 0, index, seven, NULL, &out, &failure));
      CHECK(strew_index_put(self, 1, &index, strew_of(source), NULL, &out, &failure));
      CHECK(strew_scatter_nd(self, column, source, NULL, &out, &failure));
      if (in_place) continue;
      CHECK(strew_index_select_with(self, 0, index, NULL, &out, &failure));
      CHECK(strew_take_along_dim_with(self, 0, column, NULL, &out, &failure));
      CHECK(strew_gather_nd_with(self, column, 0, NULL, &out, &failure));
#undef CHECK
    }
    strew_release(column), column = NULL;
  }
  strew_release(self), strew_release(source), strew_release(good), strew_release(bad);
}
END_TEST

/* In place, what is written shares no element with itself or an operand. */
START_TEST(test_overlap) {
  const int64_t n = 6;
  strew_tensor *whole = random_integers(STREW_INT64, 1, (int64_t[]){24}, CONTIGUOUS, 0, 3), *self = NULL, *part = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT64, n, (int64_t[]){0, 1, 2, 2, 1, 0}), *wide = NULL, *out;
  ok(strew_narrow(whole, 0, 0, n, &self, &failure));
  ok(strew_narrow(whole, 0, 3, n, &part, &failure));
  out = self;
  assert_fails(strew_index_add_with(self, 0, index, part, strew_int(2), NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ck_assert_str_eq(failure.argument, "source");
  assert_fails(strew_index_reduce(self, 0, part, index, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ck_assert_str_eq(failure.argument, "index");
  assert_fails(strew_put(self, index, part, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  assert_fails(strew_put(self, part, index, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  assert_fails(strew_index_put(self, 1, &part, strew_of(index), NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ck_assert_str_eq(failure.argument, "indices[1]");
  assert_fails(strew_index_put(self, 1, &index, strew_of(part), NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ck_assert_str_eq(failure.argument, "values");
  out = part;
  assert_fails(strew_take_with(self, index, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  assert_fails(strew_index_reduce(self, 0, index, index, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ok(strew_expand(part, 2, (int64_t[]){4, 6}, &wide, &failure));
  out = wide;
  assert_fails(strew_put(wide, index, index, NULL, &out, &failure), STREW_EOVERLAP, NULL);
  ck_assert_str_eq(failure.argument, "self");
  strew_release(whole), strew_release(self), strew_release(part), strew_release(index), strew_release(wide);
}
END_TEST

/* Whole messages, and checks that no script reaches. */
START_TEST(test_messages) {
  strew_tensor *self = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3}), *out = NULL, *none = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT32, 2, (int64_t[]){1, 3});
  strew_tensor *twenty[20];
  for (int i = 0; i < 20; i++) twenty[i] = index;
  assert_fails(strew_index_select_with(self, 0, index, NULL, &out, &failure), STREW_EINDEX,
               "index_select: 'index' has value 3 at [1], out of range for dim 0 of self (size 3, valid 0..2)\n"
               "  self   float32[3] cpu\n"
               "  index  int32[2] cpu\n"
               "  hint   all values lie in 1..3: were they counted from 1? index - 1 counts from 0");
  assert_fails(strew_index_put(self, 0, NULL, strew_number(strew_int(1)), NULL, &out, &failure), STREW_EARGUMENT,
               "index_put: 'indices' is empty, expected a sequence of tensors\n"
               "  self  float32[3] cpu");
  assert_fails(strew_index_put(self, 20, twenty, strew_number(strew_int(1)), NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_index_select_with(self, 0, index, &(strew_index_options){.mode = (strew_mode)9}, &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_masked_select(self, self, &out, &failure), STREW_EDTYPE,
               "masked_select: 'mask' is float32, expected bool\n"
               "  self  float32[3] cpu\n"
               "  mask  float32[3] cpu\n"
               "  hint  strew_binary(STREW_NE, x, 0) makes a bool tensor");
  const int64_t no_size = 0;
  ok(strew_empty(device, STREW_FLOAT32, 1, &no_size, &none, &failure));
  assert_fails(strew_take_with(none, index, &(strew_index_options){.mode = STREW_CLIP}, &out, &failure), STREW_EINDEX,
               "take: 'mode' is \"clip\", but self has no elements: there is nothing to clip to\n"
               "  self   float32[0] cpu\n"
               "  index  int32[2] cpu");
  ck_assert_ptr_null(out);
  strew_release(self), strew_release(index), strew_release(none);
}
END_TEST

/* ------------------------------------------------------------------------------------------- memory during the call */

/* Along a dimension in place nothing is copied; several indices need an int64 for each row. */
START_TEST(test_scratch) {
  const int64_t n = 20000, sizes[] = {20000, 8}, self_sizes[] = {10, 8};
  strew_tensor *self = random_tensor(STREW_FLOAT32, 2, self_sizes, CONTIGUOUS), *out = self;
  strew_tensor *index = random_integers(STREW_INT32, 1, &n, STRIDED, 0, 8);
  strew_tensor *source = random_tensor(STREW_FLOAT32, 2, sizes, STRIDED), *values = NULL;
  ok(strew_select(source, 1, 0, &values, &failure));
  strew_tensor *const indices[] = {index, index};
  size_t before = strew_context_bytes(context);
  ok(strew_index_add_with(self, 0, index, source, strew_int(1), NULL, &out, &failure));
  ok(strew_put(self, index, values, NULL, &out, &failure));
  ok(strew_index_put(self, 1, indices, strew_of(source), NULL, &out, &failure));
  ck_assert_uint_le(strew_context_peak_bytes(context) - before, 4096);
  ok(strew_index_put(self, 2, indices, strew_of(values), NULL, &out, &failure));
  ck_assert_uint_le(strew_context_peak_bytes(context) - before, (size_t)n * 8 + 4096);
  strew_release(self), strew_release(index), strew_release(source), strew_release(values);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("index");
  TCase *cases = new_case(suite, "sweep");
  tcase_add_loop_test(cases, test_random_calls, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(cases, test_large_calls, 0, STREW_REDUCTION_COUNT);
  tcase_add_loop_test(cases, test_alpha, 0, STREW_DTYPE_COUNT);
  tcase_add_test(cases, test_new_zeros);
  tcase_add_loop_test(cases, test_rows, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(cases, test_long_masks, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(cases, test_masks_among_indices, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(cases, test_values_out_of_range, 0, 8);
  tcase_add_test(cases, test_rows_without_elements);
  tcase_add_test(cases, test_overlap);
  tcase_add_test(cases, test_messages);
  if (!on_device()) tcase_add_test(cases, test_scratch); /* elsewhere scratch is not the context's */
  return suite;
}
