/* check_segment.c: reductions of segments against the plain loop, and against the group form: ends, lengths, sorted
   indices, uneven segments on several threads, positions of winners, the way back, errors. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A call: src, and the ends of segments along dim, as a tensor and as dense numbers with src's leading sizes. */
struct segment_case {
  strew_dtype dtype;
  strew_reduction reduction;
  int rank, dim;
  int64_t sizes[STREW_MAX_RANK], out_sizes[STREW_MAX_RANK]; /* of src; of the result */
  int64_t segments, lines;
  int64_t *ends; /* lines x (segments + 1) */
  strew_tensor *src, *given, *lengths;
  char *elements; /* src's, dense */
};

static bool is_extreme(strew_reduction reduction) { return reduction == STREW_AMAX || reduction == STREW_AMIN; }

static int compare_integers(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sorted ends of one line; if `whole`, from 0 to size. */
static void draw_ends(int64_t *ends, int64_t segments, int64_t size, bool whole) {
  for (int64_t i = 0; i <= segments; i++) ends[i] = draw_below(size + 1);
  if (whole) ends[0] = segments ? 0 : size, ends[segments] = size;
  qsort(ends, (size_t)segments + 1, sizeof *ends, compare_integers);
}

/* A tensor of integers as int64 or int32, of any layout. */
static strew_tensor *index_of(int rank, const int64_t *sizes, const int64_t *values) {
  int64_t count = count_of(rank, sizes);
  enum layout layout = (enum layout)draw_below(3);
  if (draw_below(2)) return tensor_of(STREW_INT64, rank, sizes, layout, values);
  int32_t *narrow = malloc((size_t)(count + 1) * sizeof *narrow);
  for (int64_t i = 0; i < count; i++) narrow[i] = (int32_t)values[i];
  strew_tensor *made = tensor_of(STREW_INT32, rank, sizes, layout, narrow);
  free(narrow);
  return made;
}

/* Makes the tensors of a case whose sizes are known; some leading dimensions of the ends are 1. */
static void make_case(struct segment_case *c, bool whole) {
  int64_t sizes[STREW_MAX_RANK], small = 1, width = c->segments + 1, at[STREW_MAX_RANK];
  c->lines = count_of(c->dim, c->sizes);
  for (int d = 0; d < c->dim; d++) small *= sizes[d] = draw_below(3) ? c->sizes[d] : 1;
  sizes[c->dim] = width;
  int64_t *drawn = malloc((size_t)(small * width + 1) * sizeof *drawn);
  int64_t *lengths = malloc((size_t)(small * width + 1) * sizeof *lengths);
  for (int64_t i = 0; i < small; i++) {
    draw_ends(drawn + i * width, c->segments, c->sizes[c->dim], whole);
    for (int64_t s = 0; s < c->segments; s++)
      lengths[i * c->segments + s] = drawn[i * width + s + 1] - drawn[i * width + s];
  }
  c->ends = malloc((size_t)(c->lines * width + 1) * sizeof *c->ends);
  for (int64_t i = 0; i < c->lines; i++) {
    int64_t line = 0;
    coordinates(i, c->dim, c->sizes, at);
    for (int d = 0; d < c->dim; d++) line = line * sizes[d] + (sizes[d] == 1 ? 0 : at[d]);
    memcpy(c->ends + i * width, drawn + line * width, (size_t)width * sizeof *drawn);
  }
  c->given = index_of(c->dim + 1, sizes, drawn);
  sizes[c->dim] = c->segments;
  c->lengths = index_of(c->dim + 1, sizes, lengths);
  free(drawn), free(lengths);
  memcpy(c->out_sizes, c->sizes, sizeof c->sizes);
  c->out_sizes[c->dim] = c->segments;
  c->src = random_tensor(c->dtype, c->rank, c->sizes, (enum layout)draw_below(4));
  c->elements = host_of(c->src);
}

static struct segment_case draw_case(strew_dtype dtype, strew_reduction reduction, bool whole) {
  struct segment_case c = {.dtype = dtype, .reduction = reduction, .rank = 1 + (int)draw_below(4)};
  c.dim = (int)draw_below(c.rank);
  for (int d = 0; d < c.rank; d++) c.sizes[d] = draw_below(12) == 0 ? 0 : 1 + draw_below(d == c.dim ? 60 : 5);
  if (draw_below(4) == 0 && c.dim < c.rank - 1) c.sizes[c.rank - 1] = 1 + draw_below(40);
  c.segments = draw_below(10) + whole;
  make_case(&c, whole);
  return c;
}

static void end_case(struct segment_case *c) {
  strew_release(c->src), strew_release(c->given), strew_release(c->lengths);
  free(c->ends), free(c->elements);
}

/* The segment of an element of the result: its first element's number, and the number behind the last one. */
static void segment_of(const struct segment_case *c, const int64_t *at, int64_t *begin, int64_t *end) {
  int64_t line = 0;
  for (int d = 0; d < c->dim; d++) line = line * c->sizes[d] + at[d];
  const int64_t *ends = c->ends + line * (c->segments + 1) + at[c->dim];
  *begin = ends[0], *end = ends[1];
}

static const char *element_at(const struct segment_case *c, const int64_t *at, int64_t i) {
  int64_t place = 0;
  for (int d = 0; d < c->rank; d++) place = place * c->sizes[d] + (d == c->dim ? i : at[d]);
  return c->elements + (size_t)place * strew_dtype_size_bytes(c->dtype);
}

/* The plain loop. Without `initial`, segments without elements are `empty`. arg NULL: no positions. */
static char *oracle_segments(const struct segment_case *c, const void *initial, const void *empty, int64_t *arg) {
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t count = count_of(c->rank, c->out_sizes), at[STREW_MAX_RANK], begin, end;
  char *result = malloc((size_t)count * size + 1);
  for (int64_t k = 0; k < count; k++) {
    char *to = result + (size_t)k * size;
    coordinates(k, c->rank, c->out_sizes, at);
    segment_of(c, at, &begin, &end);
    struct cell cell = initial ? oracle_load(c->dtype, initial) : oracle_identity(c->reduction, c->dtype);
    for (int64_t i = begin; i < end; i++) {
      struct cell element = oracle_load(c->dtype, element_at(c, at, i));
      oracle_join(c->reduction, c->dtype, &cell, &element);
    }
    if (c->reduction == STREW_MEAN && begin < end) oracle_divide(c->dtype, &cell, 0);
    oracle_store(c->dtype, &cell, to);
    if (begin == end) memcpy(to, initial ? initial : empty, size);
    if (!arg) continue;
    arg[k] = begin < end ? begin : c->sizes[c->dim];
    while (arg[k] < end && !same_element(c->dtype, element_at(c, at, arg[k]), to)) arg[k]++;
  }
  return result;
}

/* Bytes of a number as dtype. */
static void store(strew_scalar number, strew_dtype dtype, char *element) {
  ok(strew_scalar_store(number, STREW_SATURATE, dtype, element, &failure));
}

static void run_csr(const struct segment_case *c, const char *what) {
  char empty[8];
  bool with_arg = is_extreme(c->reduction) && draw_below(3), is_given = draw_below(2);
  store(strew_int(c->reduction == STREW_PROD), c->dtype, empty);
  int64_t *winners = malloc((size_t)(count_of(c->rank, c->out_sizes) + 1) * sizeof *winners);
  char *expected = oracle_segments(c, NULL, empty, with_arg ? winners : NULL);
  strew_tensor *out = NULL, *arg = NULL;
  if (is_given) out = random_tensor(c->dtype, c->rank, c->out_sizes, (enum layout)draw_below(3));
  ok(strew_group_reduce(strew_by_ends(c->given), group_reduction_of(c->reduction), c->src, NULL, &out,
                        with_arg ? &arg : NULL, &failure));
  assert_sizes(out, c->rank, c->out_sizes);
  assert_elements(out, c->dtype, expected, "%s: csr, dim %d of %d, %s", what, c->dim, c->rank,
                  is_given ? "given" : "new");
  if (with_arg) assert_elements(arg, STREW_INT64, winners, "%s: arg, dim %d of %d", what, c->dim, c->rank);
  strew_release(out), strew_release(arg);
  free(expected), free(winners);
}

/* PyTorch's values of segments without elements. */
static void store_empty(strew_reduction reduction, strew_dtype dtype, char *empty) {
  struct cell cell = oracle_identity(reduction, dtype);
  oracle_store(dtype, &cell, empty);
  if (reduction == STREW_MEAN && is_float_dtype(dtype)) store(strew_float(NAN), dtype, empty);
}

static void run_reduce(const struct segment_case *c, const char *what) {
  char empty[8], first[8];
  strew_scalar initial = c->dtype == STREW_BOOL ? strew_bool(draw_below(2)) : strew_int(draw_below(5));
  bool has_initial = draw_below(2), by_lengths = draw_below(2), is_given = draw_below(2);
  store_empty(c->reduction, c->dtype, empty);
  store(initial, c->dtype, first);
  char *expected = oracle_segments(c, has_initial ? first : NULL, empty, NULL);
  strew_tensor *out = is_given ? random_tensor(c->dtype, c->rank, c->out_sizes, (enum layout)draw_below(3)) : NULL;
  ok(strew_segment_reduce_with(c->src, by_lengths ? c->lengths : NULL, by_lengths ? NULL : c->given,
                               c->dim - (draw_below(2) ? c->rank : 0), group_reduction_of(c->reduction),
                               has_initial ? &initial : NULL, NULL, &out, &failure));
  assert_elements(out, c->dtype, expected, "%s: by %s, dim %d of %d, %s", what, by_lengths ? "lengths" : "offsets",
                  c->dim, c->rank, has_initial ? "initial" : "no initial");
  strew_release(out);
  free(expected);
}

START_TEST(test_random_segments) {
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN) || lacks(dtype)) return;
  if (!chosen(_i, 4)) return;
  char what[64];
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    snprintf(what, sizeof what, "%s %s on %d threads", strew_dtype_name(dtype),
             strew_enum_name(STREW_WORDS_REDUCTION, reduction), strew_context_threads(context));
    for (int n = 0; n < some(80); n++) {
      struct segment_case c = draw_case(dtype, reduction, n % 2);
      run_csr(&c, what);
      if (n % 2) run_reduce(&c, what);
      end_case(&c);
    }
  }
}
END_TEST

/* --------------------------------------------------------------------------------------------------- large operands */

/* Ends of `segments` segments of 0..size - 1: one has half of the elements, many have one, others any number. */
static void draw_uneven(int64_t *ends, int64_t segments, int64_t size) {
  int64_t large = draw_below(segments), at = 0, rest = size - size / 2 - segments;
  for (int64_t s = 0; s < segments; s++) {
    ends[s] = at;
    int64_t length = s == large ? size / 2 : draw_below(3) ? draw_below(2) : draw_below(1 + 8 * rest / segments);
    if (length > size - at) length = size - at;
    at += length;
  }
  ends[segments] = draw_below(2) ? size : at;
}

/* The reduction of one long src on all numbers of threads; and the group form of it. */
static void run_large(strew_dtype dtype, strew_reduction reduction, int64_t size, int64_t columns, int64_t segments) {
  struct segment_case c = {.dtype = dtype, .reduction = reduction, .rank = columns > 1 ? 2 : 1, .segments = segments};
  const bool with_arg = is_extreme(reduction) && draw_below(2);
  c.sizes[0] = c.out_sizes[0] = size, c.sizes[1] = c.out_sizes[1] = columns;
  c.out_sizes[0] = segments;
  c.src = random_tensor(dtype, c.rank, c.sizes, draw_below(2) ? CONTIGUOUS : (enum layout)draw_below(3));
  c.elements = host_of(c.src);
  c.ends = malloc((size_t)(segments + 1) * sizeof *c.ends);
  draw_uneven(c.ends, segments, size);
  c.given = index_of(1, (int64_t[]){segments + 1}, c.ends);
  c.lengths = index_of(1, (int64_t[]){segments}, c.ends);
  char empty[8];
  store(strew_int(reduction == STREW_PROD), dtype, empty);
  int64_t *winners = malloc((size_t)(segments * columns) * sizeof *winners);
  char *expected = oracle_segments(&c, NULL, empty, with_arg ? winners : NULL);
  for (int turn = 0; turn < sweep(4); turn++) {
    strew_tensor *out = NULL, *arg = NULL;
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    ok(strew_group_reduce(strew_by_ends(c.given), group_reduction_of(reduction), c.src, NULL, &out,
                          with_arg ? &arg : NULL, &failure));
    assert_elements(out, dtype, expected, "%s of %s, %" PRId64 " columns, on %d threads",
                    strew_enum_name(STREW_WORDS_REDUCTION, reduction), strew_dtype_name(dtype), columns,
                    strew_context_threads(context));
    if (arg) assert_elements(arg, STREW_INT64, winners, "arg, %" PRId64 " columns", columns);
    strew_release(out), strew_release(arg);
  }
  free(expected), free(winners);
  end_case(&c);
}

START_TEST(test_large_segments) {
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN) || lacks(dtype)) return;
  if (!chosen(_i, 6)) return;
  seed_draws((uint64_t)_i + 1);
  run_large(dtype, reduction, 290000, 1, 5000);
  run_large(dtype, reduction, 21000, 17, 700);
  run_large(dtype, reduction, 1100, 300, 40);
  run_large(dtype, reduction, 200000, 1, 6);
  for (int64_t columns = 2; columns < 10; columns++) run_large(dtype, reduction, 4000, columns, 900);
  run_large(dtype, reduction, 150000, 3, 5);
}
END_TEST

/* Several lines of uneven segments, and columns in front of which src's elements are adjacent. */
START_TEST(test_large_lines) {
  seed_draws((uint64_t)_i + 1);
  struct segment_case c = {.dtype = STREW_FLOAT32, .reduction = STREW_SUM, .rank = 3, .dim = 1, .segments = 3000};
  const int64_t sizes[] = {3, 30000, 4};
  memcpy(c.sizes, sizes, sizeof sizes);
  make_case(&c, false);
  char empty[8] = {0};
  char *expected = oracle_segments(&c, NULL, empty, NULL);
  for (int turn = 0; turn < sweep(4); turn++) {
    strew_tensor *out = NULL;
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    ok(strew_group_reduce(strew_by_ends(c.given), group_reduction_of(c.reduction), c.src, NULL, &out, NULL, &failure));
    assert_elements(out, c.dtype, expected, "lines on %d threads", strew_context_threads(context));
    strew_release(out);
  }
  free(expected);
  end_case(&c);
}
END_TEST

/* The group form's bits, by a sorted index. */
START_TEST(test_group_form) {
  strew_dtype dtype = dtype_here((strew_dtype)(_i / STREW_REDUCTION_COUNT));
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN)) return;
  if (!chosen(_i, 6)) return;
  enum { COUNT = 4000, GROUPS = 300 };
  const int64_t sizes[] = {COUNT, 3};
  int64_t values[COUNT], ends[GROUPS + 1];
  bool has_arg = is_extreme(reduction);
  seed_draws((uint64_t)_i + 1);
  for (int i = 0; i < COUNT; i++) values[i] = draw_below(GROUPS);
  values[0] = GROUPS - 1;
  qsort(values, COUNT, sizeof *values, compare_integers);
  for (int s = 0, i = 0; s <= GROUPS; s++) {
    while (i < COUNT && values[i] < s) i++;
    ends[s] = i;
  }
  struct group_form options = {.dim = 0, .dim_size = -1, .reduction = reduction};
  strew_tensor *src = random_tensor(dtype, 2, sizes, (enum layout)draw_below(4)), *group = NULL, *coo = NULL,
               *csr = NULL;
  strew_tensor *index = index_of(1, sizes, values), *indptr = index_of(1, (int64_t[]){GROUPS + 1}, ends);
  strew_tensor *arg[3] = {NULL};
  ok(group_form(strew_by_index(index), src, &options, &group, has_arg ? &arg[0] : NULL, &failure));
  ok(strew_group_reduce(strew_by_sorted(index), group_reduction_of(reduction), src, NULL, &coo,
                        has_arg ? &arg[1] : NULL, &failure));
  ok(strew_group_reduce(strew_by_ends(indptr), group_reduction_of(reduction), src, NULL, &csr, has_arg ? &arg[2] : NULL,
                        &failure));
  assert_same(group, coo, "coo");
  assert_same(group, csr, "csr");
  if (has_arg) assert_same(arg[0], arg[1], "coo's arg"), assert_same(arg[0], arg[2], "csr's arg");
  strew_release(src), strew_release(index), strew_release(indptr);
  strew_release(group), strew_release(coo), strew_release(csr);
  for (int i = 0; i < 3; i++) strew_release(arg[i]);
}
END_TEST

/* ----------------------------------------------------------------------------------------------- every reduction */

/* The segment of each element of a case, -1: none; of src's leading sizes. */
static strew_tensor *ids_of(const struct segment_case *c) {
  const int64_t size = c->sizes[c->dim], width = c->segments + 1;
  int64_t *ids = malloc((size_t)(c->lines * size + 1) * sizeof *ids);
  for (int64_t i = 0; i < c->lines; i++)
    for (int64_t k = 0; k < size; k++) {
      const int64_t *ends = c->ends + i * width;
      int64_t id = -1;
      for (int64_t s = 0; s < c->segments; s++)
        if (ends[s] <= k && k < ends[s + 1]) id = s;
      ids[i * size + k] = id;
    }
  strew_tensor *made = tensor_of(STREW_INT64, c->dim + 1, c->sizes, CONTIGUOUS, ids);
  free(ids);
  return made;
}

/* By ends, or by lengths, what the group form gives by each element's number. */
static void run_reduction(const struct segment_case *c, strew_group_reduction what, bool whole) {
  strew_dtype wide = STREW_FLOAT64;
  const double correction = 0.5;
  const bool is_float = is_float_dtype(c->dtype), with_arg = what == STREW_GROUP_MIN || what == STREW_GROUP_MAX;
  const bool adds = what == STREW_GROUP_SUM || what == STREW_GROUP_MEAN,
             spreads = what == STREW_GROUP_VAR || what == STREW_GROUP_STD;
  strew_group_reduce_options options = {.skip_nan = draw_below(2),
                                        .exact = (adds || spreads) && is_float && draw_below(3) == 0};
  if (spreads || (adds && draw_below(3) == 0)) options.dtype = is_float && draw_below(2) ? NULL : &wide;
  if (options.dtype && lacks(STREW_FLOAT64)) return;
  if (spreads && draw_below(2)) options.correction = &correction;
  if (what == STREW_GROUP_QUANTILE) options.q = 0.3, options.interpolation = is_float ? STREW_LINEAR : STREW_LOWER;
  if (what == STREW_GROUP_LOGSUMEXP && !is_float) return;
  if (what == STREW_GROUP_MEAN && c->dtype == STREW_BOOL && !options.dtype) return;
  strew_group_reduce_options by_ids = options;
  by_ids.dim = &c->dim, by_ids.dim_size = &c->segments, by_ids.mode = STREW_DROP;
  strew_tensor *ids = ids_of(c), *expected = NULL, *places = NULL, *out = NULL, *arg = NULL;
  ok(strew_group_reduce(strew_by_index(ids), what, c->src, &by_ids, &expected, with_arg ? &places : NULL, &failure));
  if (draw_below(2))
    out = random_tensor(strew_tensor_dtype(expected), c->rank, c->out_sizes, (enum layout)draw_below(3));
  ok(strew_group_reduce(strew_by_ends(c->given), what, c->src, &options, &out, with_arg ? &arg : NULL, &failure));
  assert_same(expected, out, strew_enum_name(STREW_WORDS_GROUP_REDUCTION, what));
  if (with_arg) assert_same(places, arg, "arg");
  strew_release(out), out = NULL;
  const bool is_joined = adds || with_arg || what == STREW_GROUP_PROD; /* of which empty ones differ */
  if (whole && !is_joined) {
    ok(strew_segment_reduce_with(c->src, c->lengths, NULL, c->dim, what, NULL, &options, &out, &failure));
    assert_same(expected, out, "by lengths");
  }
  strew_release(ids), strew_release(expected), strew_release(places), strew_release(out), strew_release(arg);
}

START_TEST(test_every_reduction) {
  const strew_group_reduction what = (strew_group_reduction)(_i % STREW_GROUP_REDUCTION_COUNT);
  const strew_dtype dtype = (strew_dtype)(_i / STREW_GROUP_REDUCTION_COUNT);
  if (lacks(dtype) || !chosen(_i, 3)) return;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(24); n++) {
      struct segment_case c = draw_case(dtype, STREW_SUM, n % 2);
      run_reduction(&c, what, n % 2);
      end_case(&c);
    }
  }
}
END_TEST

/* What else takes groups: the softmax, and the elements' numbers. Options that are not those of the ends are errors. */
START_TEST(test_ends_elsewhere) {
  for (int n = 0; n < 40; n++) {
    seed_draws((uint64_t)n + 1);
    struct segment_case c = draw_case(STREW_FLOAT32, STREW_SUM, false);
    strew_tensor *ids = ids_of(&c), *expected = NULL, *out = NULL;
    const strew_group_softmax_options softmax = {.dim = &c.dim, .dim_size = &c.segments, .mode = STREW_DROP};
    const strew_group_reduce_options numbers = {.dim = &c.dim, .dim_size = &c.segments, .mode = STREW_DROP};
    ok(strew_group_softmax_with(strew_by_index(ids), c.src, &softmax, &expected, &failure));
    ok(strew_group_softmax_with(strew_by_ends(c.given), c.src, NULL, &out, &failure));
    assert_same(expected, out, "softmax");
    strew_release(expected), strew_release(out), expected = out = NULL;
    ok(strew_group_ids(strew_by_index(ids), c.src, &numbers, &expected, &failure));
    ok(strew_group_ids(strew_by_ends(c.given), c.src, NULL, &out, &failure));
    assert_same(expected, out, "ids");
    strew_release(out), out = NULL;
    const int64_t more = c.segments + 1;
    const int wrong = c.dim ? 0 : c.rank;
    const strew_group_reduce_options bad[] = {
        {.dim_size = &more}, {.mode = STREW_DROP}, {.dim = &wrong}, {.q = 0.5}, {.exact = true}};
    const char *const names[] = {"dim_size", "mode", "dim", "q", "exact"};
    for (int i = 0; i < 5; i++) {
      strew_status status =
          strew_group_reduce(strew_by_ends(c.given), STREW_GROUP_COUNT, c.src, &bad[i], &out, NULL, &failure);
      ck_assert(status == STREW_ESHAPE || status == STREW_EARGUMENT);
      ck_assert_str_eq(failure.argument, names[i]);
      ck_assert_str_eq(failure.op, "segment_csr");
    }
    const strew_scalar initial = strew_int(1);
    assert_fails(
        strew_segment_reduce_with(c.src, NULL, c.given, c.dim, STREW_GROUP_VAR, &initial, NULL, &out, &failure),
        STREW_EARGUMENT, NULL);
    assert_fails(strew_group_reduce(strew_by_ends(c.given), STREW_GROUP_COUNT, NULL, NULL, &out, NULL, &failure),
                 STREW_EARGUMENT, NULL);
    strew_release(ids), strew_release(expected);
    end_case(&c);
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- the way back */

/* Values of segments, of out_sizes, to elements, of sizes. */
static char *oracle_spread(const struct segment_case *c, const char *values) {
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t count = count_of(c->rank, c->sizes), at[STREW_MAX_RANK], begin, end;
  char *result = malloc((size_t)count * size + 1);
  for (int64_t k = 0; k < count; k++) {
    coordinates(k, c->rank, c->sizes, at);
    int64_t i = at[c->dim], place = 0;
    for (at[c->dim] = 0; segment_of(c, at, &begin, &end), i >= end; at[c->dim]++) {
    }
    for (int d = 0; d < c->rank; d++) place = place * c->out_sizes[d] + at[d];
    memcpy(result + (size_t)k * size, values + (size_t)place * size, size);
  }
  return result;
}

START_TEST(test_random_spreads) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 3)) return;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(60); n++) {
      struct segment_case c = draw_case(dtype, STREW_SUM, true);
      strew_tensor *values = random_tensor(dtype, c.rank, c.out_sizes, (enum layout)draw_below(4)), *out = NULL;
      char *dense = host_of(values);
      if (!strew_tensor_numel(c.given)) c.sizes[c.dim] = 0; /* without lines there are no ends */
      char *expected = oracle_spread(&c, dense);
      if (draw_below(2)) out = random_tensor(dtype, c.rank, c.sizes, (enum layout)draw_below(3));
      ok(strew_gather_csr(values, c.given, &out, &failure));
      assert_sizes(out, c.rank, c.sizes);
      assert_elements(out, dtype, expected, "spread of %s, dim %d of %d", strew_dtype_name(dtype), c.dim, c.rank);
      strew_release(values), strew_release(out);
      free(dense), free(expected);
      end_case(&c);
    }
  }
}
END_TEST

/* An indptr of size 0 has no segment: the results have size 0 along its dimension. */
START_TEST(test_no_ends) {
  const int64_t sizes[] = {2, 5, 3}, none[] = {2, 0, 3}, ends[] = {1, 0};
  strew_tensor *src = random_tensor(STREW_INT64, 3, sizes, CONTIGUOUS), *empty = NULL, *indptr = NULL;
  ok(strew_empty(device, STREW_INT32, 2, ends, &indptr, &failure));
  ok(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &empty, NULL, &failure));
  assert_sizes(empty, 3, none);
  strew_tensor *out = NULL, *given = empty;
  ok(strew_gather_csr(empty, indptr, &out, &failure));
  assert_sizes(out, 3, none);
  ok(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &given, NULL, &failure));
  ok(strew_gather_csr(empty, indptr, &out, &failure));
  strew_release(out), out = NULL;
  assert_fails(strew_gather_csr(src, indptr, &out, &failure), STREW_ESHAPE,
               "gather_csr: 'src' has size 5 in dim 1, expected 0, the number of segments of indptr\n"
               "  src     int64[2, 5, 3] cpu\n"
               "  indptr  int32[1, 0] cpu");
  strew_release(src), strew_release(empty), strew_release(indptr);
}
END_TEST

START_TEST(test_large_spread) {
  enum { SEGMENTS = 3000, SIZE = 280000 };
  int64_t ends[SEGMENTS + 1], values[SEGMENTS];
  int64_t *expected = malloc(SIZE * sizeof *expected);
  const int64_t count = SEGMENTS + 1;
  seed_draws(7);
  draw_uneven(ends, SEGMENTS, SIZE);
  ends[SEGMENTS] = SIZE;
  for (int64_t s = 0; s < SEGMENTS; s++) {
    values[s] = s * s;
    for (int64_t i = ends[s]; i < ends[s + 1]; i++) expected[i] = values[s];
  }
  strew_tensor *src = tensor_from_integers(STREW_INT64, SEGMENTS, values), *indptr = index_of(1, &count, ends);
  for (int turn = 0; turn < sweep(4); turn++) {
    strew_tensor *out = NULL;
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    ok(strew_gather_csr(src, indptr, &out, &failure));
    assert_elements(out, STREW_INT64, expected, "a large spread");
    strew_release(out);
  }
  strew_release(src), strew_release(indptr);
  free(expected);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- errors */

/* The call fails with the value at the position, and writes nothing. */
#define refuses(call, code_, value_, rank, ...)                                                                        \
  do {                                                                                                                 \
    const int64_t expected_[] = {__VA_ARGS__};                                                                         \
    assert_fails(call, code_, NULL);                                                                                   \
    ck_assert_msg(failure.position_rank == (rank), "%s", failure.message);                                             \
    for (int d_ = 0; d_ < (rank); d_++) ck_assert_int_eq(failure.position[d_], expected_[d_]);                         \
    ck_assert(failure.has_value &&failure.value.as.i == (value_));                                                     \
  } while (0)

/* Bad ends anywhere in long lines, of both dtypes. */
START_TEST(test_bad_ends) {
  enum { COUNT = 3000 };
  const int64_t sizes[] = {2, COUNT}, src_sizes[] = {2, 10 * COUNT}, out_sizes[] = {2, COUNT - 1};
  int64_t ends[2 * COUNT];
  strew_tensor *src = random_tensor(STREW_FLOAT32, 2, src_sizes, CONTIGUOUS);
  strew_tensor *out = random_tensor(STREW_FLOAT32, 2, out_sizes, STRIDED);
  void *before = host_of(out);
  for (int n = 0; n < some(40); n++) {
    for (int64_t i = 0; i < 2 * COUNT; i++) ends[i] = 10 * (i % COUNT);
    const int64_t line = draw_below(2), at = draw_below(3) ? draw_below(COUNT) : draw_below(2) * (COUNT - 1);
    const int64_t bad = at == 0 || draw_below(2) ? (draw_below(2) ? -1 : 10 * COUNT + 1) : ends[at] - 11;
    ends[line * COUNT + at] = bad;
    if (line == 0) ends[COUNT + 5] = -3; /* a later one */
    strew_tensor *indptr = index_of(2, sizes, ends);
    refuses(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &out, NULL, &failure), STREW_EINDEX,
            bad, 2, line, at);
    refuses(strew_segment_reduce_with(src, NULL, indptr, 1, STREW_GROUP_SUM, NULL, NULL, &out, &failure), STREW_EINDEX,
            bad, 2, line, at);
    assert_elements(out, STREW_FLOAT32, before, "bad ends");
    strew_release(indptr);
  }
  strew_release(src), strew_release(out);
  free(before);
}
END_TEST

static strew_tensor *integers(int64_t count, const int64_t *values) {
  return tensor_from_integers(STREW_INT64, count, values);
}

START_TEST(test_bad_lengths) {
  strew_tensor *data = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1, 2, 3, 4}), *out = NULL;
  strew_tensor *negative = integers(3, (int64_t[]){2, -1, 3}), *few = integers(2, (int64_t[]){2, 1});
  strew_tensor *fine = integers(2, (int64_t[]){2, 2});
  strew_scalar half = strew_float(0.5);
  refuses(strew_segment_reduce_with(data, negative, NULL, 0, STREW_GROUP_SUM, NULL, NULL, &out, &failure), STREW_EINDEX,
          -1, 1, 1);
  assert_fails(strew_segment_reduce_with(data, few, NULL, 0, STREW_GROUP_SUM, NULL, NULL, &out, &failure), STREW_ESHAPE,
               "segment_reduce: 'lengths' adds up to 3, expected 4, the size of data in dim 0\n"
               "  data     float32[4] cpu\n  lengths  int64[2] cpu");
  assert_fails(strew_segment_reduce_with(data, fine, fine, 0, STREW_GROUP_SUM, NULL, NULL, &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_segment_reduce_with(data, NULL, NULL, 0, STREW_GROUP_SUM, NULL, NULL, &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_segment_reduce_with(data, fine, NULL, 1, STREW_GROUP_SUM, NULL, NULL, &out, &failure),
               STREW_ESHAPE, NULL);
  strew_tensor *whole = integers(4, (int64_t[]){1, 2, 3, 4});
  assert_fails(strew_segment_reduce_with(whole, fine, NULL, 0, STREW_GROUP_SUM, &half, NULL, &out, &failure),
               STREW_EVALUE, NULL);
  ck_assert_ptr_null(out);
  strew_release(data), strew_release(negative), strew_release(few), strew_release(fine), strew_release(whole);
}
END_TEST

START_TEST(test_bad_segments) {
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1, 2, 3, 4}), *out = NULL, *arg = NULL,
               *view = NULL;
  strew_tensor *indptr = integers(3, (int64_t[]){0, 2, 4}),
               *bools = tensor_from_integers(STREW_BOOL, 4, (int64_t[]){0, 0, 0, 0});
  strew_tensor *unsorted = integers(4, (int64_t[]){0, 2, 1, 3}), *number = scalar_tensor(STREW_INT64, strew_int(0));
  assert_fails(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &out, &arg, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_group_reduce(strew_by_ends(indptr), (strew_group_reduction)77, src, NULL, &out, NULL, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_MEAN, bools, NULL, &out, NULL, &failure),
               STREW_EDTYPE, NULL);
  assert_fails(strew_group_reduce(strew_by_ends(src), STREW_GROUP_SUM, src, NULL, &out, NULL, &failure), STREW_EDTYPE,
               NULL);
  assert_fails(strew_group_reduce(strew_by_ends(number), STREW_GROUP_SUM, src, NULL, &out, NULL, &failure),
               STREW_ESHAPE, NULL);
  refuses(strew_group_reduce(strew_by_sorted(unsorted), STREW_GROUP_SUM, src, NULL, &out, NULL, &failure), STREW_EINDEX,
          1, 1, 2);
  refuses(strew_gather_coo(src, unsorted, &out, &failure), STREW_EINDEX, 1, 1, 2);
  ok(strew_narrow(src, 0, 1, 3, &view, &failure));
  refuses(strew_gather_csr(view, unsorted, &out, &failure), STREW_EINDEX, 1, 1, 2);
  ck_assert(!out && !arg);
  strew_release(view), view = NULL;

  ok(strew_narrow(src, 0, 1, 2, &view, &failure));
  assert_fails(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &view, NULL, &failure),
               STREW_EOVERLAP, NULL);
  assert_fails(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, src, NULL, &src, NULL, &failure),
               STREW_ESHAPE, NULL);
  strew_release(view), view = NULL;
  strew_tensor *counts = integers(4, (int64_t[]){1, 2, 3, 4});
  ok(strew_narrow(indptr, 0, 0, 2, &view, &failure));
  assert_fails(strew_group_reduce(strew_by_ends(indptr), STREW_GROUP_SUM, counts, NULL, &view, NULL, &failure),
               STREW_EOVERLAP, NULL);
  strew_release(src), strew_release(view), strew_release(indptr), strew_release(bools), strew_release(unsorted);
  strew_release(number), strew_release(counts);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("segment");
  TCase *all = new_case(suite, "segments");
  tcase_add_loop_test(all, test_random_segments, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_large_segments, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_test(all, test_large_lines);
  tcase_add_loop_test(all, test_group_form, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_every_reduction, 0, STREW_DTYPE_COUNT * STREW_GROUP_REDUCTION_COUNT);
  tcase_add_test(all, test_ends_elsewhere);
  tcase_add_loop_test(all, test_random_spreads, 0, STREW_DTYPE_COUNT);
  tcase_add_test(all, test_large_spread);
  tcase_add_test(all, test_no_ends);
  tcase_add_test(all, test_bad_ends);
  tcase_add_test(all, test_bad_lengths);
  tcase_add_test(all, test_bad_segments);
  return suite;
}
