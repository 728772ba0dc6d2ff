/* check_statistics.c: softmax and quantiles, along a dimension and within groups, against plain loops, bit for bit; and
   the failures. */
#include "testing.h"

#include <math.h>
#include <string.h>

/* Dense elements of any dtype as float64, NULL-safe to free. */
static double *doubles_of(const strew_tensor *tensor) {
  const int64_t count = strew_tensor_numel(tensor);
  const strew_dtype dtype = strew_tensor_dtype(tensor);
  char *elements = host_of(tensor);
  double *made = malloc((size_t)(count + 1) * sizeof *made);
  for (int64_t i = 0; i < count; i++) {
    const strew_scalar x = strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype));
    made[i] = x.dtype == STREW_FLOAT64 ? x.as.f : (double)x.as.i;
  }
  free(elements);
  return made;
}

/* One operation in the dtype that is computed: doubles hold float32, so that each result is rounded once. */
static double rounded(strew_dtype dtype, double x) { return dtype == STREW_FLOAT64 ? x : (double)(float)x; }

/* The tensor has these elements, converted to its dtype. */
static void assert_doubles(const strew_tensor *tensor, const double *expected, const char *what) {
  const int64_t count = strew_tensor_numel(tensor);
  const strew_dtype dtype = strew_tensor_dtype(tensor);
  const size_t bytes = strew_dtype_size_bytes(dtype);
  char *elements = malloc((size_t)count * bytes + 1);
  for (int64_t i = 0; i < count; i++)
    ok(strew_scalar_store(strew_float(expected[i]), STREW_SATURATE, dtype, elements + (size_t)i * bytes, &failure));
  assert_elements(tensor, dtype, elements, "%s of %s on %d threads", what, strew_dtype_name(dtype),
                  strew_context_threads(context));
  free(elements);
}

/* ----------------------------------------------------------------------------------------------- operands of groups */

struct group_case {
  strew_tensor *src, *index;
  struct group_form options;
  int64_t lines, n, inner; /* src's sizes before dim, along it, and behind it */
  int64_t groups;
  int64_t *group; /* of each element of src, -1: none */
};

/* src of rank 1..3; the index has its shape, or one dimension. */
static struct group_case draw_case(strew_dtype dtype, int64_t longest) {
  struct group_case c = {.lines = 1, .inner = 1, .groups = 1 + draw_below(6)};
  const int rank = 1 + (int)draw_below(3), dim = (int)draw_below(rank);
  int64_t sizes[3];
  for (int d = 0; d < rank; d++) sizes[d] = draw_below(12) ? 1 + draw_below(d == dim ? longest : 4) : 0;
  for (int d = 0; d < dim; d++) c.lines *= sizes[d];
  for (int d = dim + 1; d < rank; d++) c.inner *= sizes[d];
  c.n = sizes[dim];
  const strew_mode mode = (strew_mode)draw_below(STREW_MODE_COUNT);
  const int64_t low = mode == STREW_ERROR ? 0 : mode == STREW_WRAP ? -c.groups : -2;
  const int64_t high = mode == STREW_ERROR || mode == STREW_WRAP ? c.groups : c.groups + 2;
  const bool is_line = draw_below(2);
  c.src = random_tensor(dtype, rank, sizes, (enum layout)draw_below(LAYOUT_COUNT));
  c.index = random_integers(draw_below(2) ? STREW_INT64 : STREW_INT32, is_line ? 1 : rank, is_line ? &c.n : sizes,
                            (enum layout)draw_below(LAYOUT_COUNT), low, high);
  c.options = (struct group_form){.dim = draw_below(2) ? dim : dim - rank, .dim_size = c.groups, .mode = mode};
  double *values = doubles_of(c.index);
  c.group = malloc((size_t)(c.lines * c.n * c.inner + 1) * sizeof *c.group);
  for (int64_t i = 0; i < c.lines * c.n * c.inner; i++) {
    int64_t value = (int64_t)values[is_line ? i / c.inner % c.n : i];
    if (mode == STREW_WRAP && value < 0) value += c.groups;
    if (mode == STREW_CLIP) value = value < 0 ? 0 : value < c.groups ? value : c.groups - 1;
    c.group[i] = value >= 0 && value < c.groups ? value : -1;
  }
  free(values);
  return c;
}

static void case_end(struct group_case *c) {
  free(c->group);
  strew_release(c->src), strew_release(c->index);
}

/* The number of element i of a line. */
static int64_t element_at(const struct group_case *c, int64_t line, int64_t i) {
  return (line / c->inner * c->n + i) * c->inner + line % c->inner;
}

/* ---------------------------------------------------------------------------------------------------------- softmax */

/* exp, or log, of doubles as the device computes it. */
static void apply(strew_unary_op op, strew_dtype dtype, double *values, int64_t count) {
  strew_tensor *tensor = tensor_from_doubles(dtype, count, values);
  ok(strew_unary(op, tensor, &tensor, &failure));
  double *results = doubles_of(tensor);
  memcpy(values, results, (size_t)count * sizeof *values);
  free(results);
  strew_release(tensor);
}

/* The softmax of elements at `places`, of one group. */
static void soften(strew_dtype dtype, bool logarithm, const double *x, const int64_t *places, int64_t count,
                   double *out) {
  double largest = -INFINITY, sum = 0;
  double *powers = malloc((size_t)(count + 1) * sizeof *powers);
  for (int64_t i = 0; i < count; i++)
    largest = isnan(x[places[i]]) || isnan(largest) ? (double)NAN : fmax(largest, x[places[i]]);
  for (int64_t i = 0; i < count; i++) out[places[i]] = powers[i] = rounded(dtype, x[places[i]] - largest);
  apply(STREW_EXP, dtype, powers, count);
  for (int64_t i = 0; i < count; i++) sum = rounded(dtype, sum + powers[i]);
  if (logarithm) apply(STREW_LOG, dtype, &sum, 1);
  for (int64_t i = 0; i < count; i++)
    out[places[i]] = rounded(dtype, logarithm ? out[places[i]] - sum : powers[i] / sum);
  free(powers);
}

static void check_group_softmax(struct group_case *c, bool logarithm) {
  const strew_dtype dtype = strew_tensor_dtype(c->src);
  const strew_dtype wide = dtype == STREW_FLOAT64 ? STREW_FLOAT64 : STREW_FLOAT32;
  double *x = doubles_of(c->src), *expected = calloc((size_t)(c->lines * c->n * c->inner + 1), sizeof *expected);
  int64_t *places = malloc((size_t)(c->n + 1) * sizeof *places);
  strew_tensor *out = NULL;
  for (int64_t line = 0; line < c->lines * c->inner; line++)
    for (int64_t group = 0; group < c->groups; group++) {
      int64_t count = 0;
      for (int64_t i = 0; i < c->n; i++)
        if (c->group[element_at(c, line, i)] == group) places[count++] = element_at(c, line, i);
      soften(wide, logarithm, x, places, count, expected);
    }
  const strew_group_softmax_options options = {.dim = &c->options.dim,
                                               .dim_size = c->options.dim_size == -1 ? NULL : &c->options.dim_size,
                                               .mode = c->options.mode,
                                               .logarithm = logarithm};
  ok(strew_group_softmax_with(strew_by_index(c->index), c->src, &options, &out, &failure));
  assert_sizes(out, strew_tensor_rank(c->src), strew_tensor_sizes(c->src));
  assert_doubles(out, expected, logarithm ? "group log_softmax" : "group softmax");
  free(x), free(expected), free(places);
  strew_release(out);
}

START_TEST(test_random_group_softmax) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(25); n++) {
      struct group_case c = draw_case(dtype, 20);
      check_group_softmax(&c, n % 2);
      case_end(&c);
    }
  }
}
END_TEST

/* Large tensors are computed in pieces: the same bits as in one piece. */
START_TEST(test_large_softmax) {
  const int64_t sizes[] = {1000, 700}, count = sizes[0] * sizes[1];
  strew_tensor *x = NULL, *flat = NULL;
  if (on_device()) return;
  ok(strew_randn(device, STREW_FLOAT32, 2, sizes, &x, &failure));
  ok(strew_view(x, 1, &count, &flat, &failure));
  for (int turn = 0; turn < 8; turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn / 2]);
    int dim = turn % 2;
    strew_tensor *out = NULL, *expected = NULL, *part = NULL;
    ok(strew_reduce_with(STREW_FOLD_AMAX, x,
                         &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}, .keepdim = true},
                         &part, &failure));
    ok(strew_binary(STREW_SUB, strew_of(x), strew_of(part), &expected, &failure));
    ok(strew_unary(STREW_EXP, expected, &expected, &failure));
    strew_release(part), part = NULL;
    ok(strew_reduce_with(STREW_FOLD_SUM, expected,
                         &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}, .keepdim = true},
                         &part, &failure));
    ok(strew_binary(STREW_DIV, strew_of(expected), strew_of(part), &expected, &failure));
    ok(strew_softmax_with(x, dim, NULL, &out, &failure));
    assert_same(out, expected, "softmax in pieces");
    strew_release(out), strew_release(expected), strew_release(part);
  }
  strew_release(x), strew_release(flat);
}
END_TEST

START_TEST(test_large_group_softmax) {
  const int64_t count = 400000;
  struct group_case c = {.lines = 1, .n = count, .inner = 1, .groups = 50};
  if (on_device()) return;
  ok(strew_randn(device, STREW_FLOAT32, 1, &count, &c.src, &failure));
  ok(strew_randint(device, STREW_INT64, 0, c.groups, 1, &count, &c.index, &failure));
  c.options = (struct group_form){.dim = 0, .dim_size = -1};
  c.group = host_of(c.index);
  for (int turn = 0; turn < 4; turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    check_group_softmax(&c, turn % 2);
  }
  case_end(&c);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- quantiles */

static int by_value(const void *a_, const void *b_) {
  const double a = *(const double *)a_, b = *(const double *)b_;
  if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

/* The rank of a quantile, whose product with q is rounded to a dtype. */
static double rank_of_q(strew_dtype dtype, double q, int64_t count, strew_interpolation interpolation) {
  if (interpolation != STREW_INVERTED_CDF) return rounded(dtype, q * rounded(dtype, (double)(count - 1)));
  return fmax(ceil(rounded(dtype, q * rounded(dtype, (double)count))) - 1, 0);
}

/* The quantile of sorted values at a rank. */
static double at_rank(strew_dtype dtype, const double *sorted, int64_t count, double rank,
                      strew_interpolation interpolation) {
  if (isnan(sorted[count - 1])) return (double)NAN;
  const double below = floor(rank), part = rank - below;
  if (interpolation == STREW_LOWER) return sorted[(int64_t)below];
  if (interpolation == STREW_HIGHER) return sorted[(int64_t)ceil(rank)];
  if (interpolation == STREW_NEAREST) return sorted[(int64_t)nearbyint(rank)];
  const double a = sorted[(int64_t)below], b = sorted[(int64_t)ceil(rank)], gap = rounded(dtype, b - a);
  const double t = interpolation == STREW_MIDPOINT && part > 0 ? 0.5 : rounded(dtype, part);
  if (t == 0 || a == b) return a;
  if (t < 0.5) return rounded(dtype, a + rounded(dtype, gap * t));
  return rounded(dtype, b - rounded(dtype, gap * rounded(dtype, 1 - t)));
}

static const double some_q[] = {0, -0.0, 1, 0.5, 0.25, 0.3, 1.0 / 3, 0.9, 0.1, 1e-300};
enum { QS = sizeof some_q / sizeof *some_q };

static strew_dtype computed(strew_dtype dtype) { return dtype == STREW_FLOAT64 ? STREW_FLOAT64 : STREW_FLOAT32; }

static void check_group_quantile(struct group_case *c, double q, strew_interpolation interpolation) {
  const strew_dtype dtype = strew_tensor_dtype(c->src);
  double *x = doubles_of(c->src), *values = malloc((size_t)(c->n + 1) * sizeof *values);
  double *expected = malloc((size_t)(c->lines * c->groups * c->inner + 1) * sizeof *expected);
  strew_tensor *out = NULL;
  strew_scalar fill = strew_int(1);
  const bool fills = draw_below(2);
  c->options.skip_nan = draw_below(2);
  c->options.fill = fills ? &fill : NULL;
  for (int64_t line = 0; line < c->lines * c->inner; line++)
    for (int64_t group = 0; group < c->groups; group++) {
      int64_t count = 0;
      for (int64_t i = 0; i < c->n; i++) {
        const int64_t at = element_at(c, line, i);
        if (c->group[at] == group && !(c->options.skip_nan && isnan(x[at]))) values[count++] = x[at];
      }
      qsort(values, (size_t)count, sizeof *values, by_value);
      const double empty = fills ? 1 : is_float_dtype(dtype) ? (double)NAN : 0;
      expected[(line / c->inner * c->groups + group) * c->inner + line % c->inner] =
          count ? at_rank(computed(dtype), values, count, rank_of_q(STREW_FLOAT64, q, count, interpolation),
                          interpolation)
                : empty;
    }
  strew_group_reduce_options options = reduce_options_of(&c->options);
  options.q = q, options.interpolation = interpolation;
  ok(strew_group_reduce(strew_by_index(c->index), STREW_GROUP_QUANTILE, c->src, &options, &out, NULL, &failure));
  assert_doubles(out, expected, "group quantile");
  free(x), free(values), free(expected);
  strew_release(out);
}

START_TEST(test_random_group_quantiles) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(40); n++) {
      struct group_case c = draw_case(dtype, 30);
      if (dtype == STREW_INT64 || dtype == STREW_UINT64) { /* doubles hold these */
        strew_release(c.src);
        int64_t sizes[3] = {c.lines, c.n, c.inner};
        c.options.dim = 1;
        c.src = random_integers(dtype, 3, sizes, PERMUTED, dtype == STREW_INT64 ? -9 : 0, 9);
        if (strew_tensor_rank(c.index) > 1) {
          strew_tensor *flat = NULL;
          ok(strew_reshape(c.index, 3, sizes, &flat, &failure));
          strew_release(c.index), c.index = flat;
        }
      }
      strew_interpolation interpolation = (strew_interpolation)draw_below(STREW_INTERPOLATION_COUNT);
      if (!is_float_dtype(dtype))
        interpolation = (strew_interpolation[]){STREW_LOWER, STREW_HIGHER, STREW_NEAREST, STREW_INVERTED_CDF}[n % 4];
      check_group_quantile(&c, some_q[draw_below(QS)], interpolation);
      case_end(&c);
    }
  }
}
END_TEST

START_TEST(test_large_group_quantile) {
  const int64_t count = on_device() ? 30000 : 300000;
  struct group_case c = {.lines = 1, .n = count, .inner = 1, .groups = 40};
  ok(strew_randn(device, STREW_FLOAT32, 1, &count, &c.src, &failure));
  ok(strew_randint(device, STREW_INT64, 0, c.groups, 1, &count, &c.index, &failure));
  c.options = (struct group_form){.dim = 0, .dim_size = -1};
  c.group = host_of(c.index);
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    check_group_quantile(&c, 0.3, STREW_LINEAR);
  }
  case_end(&c);
}
END_TEST

/* All elements, or lines along a dimension; a number, or several. */
static void check_quantile(strew_tensor *tensor, int dim, bool whole, int64_t count, bool keepdim,
                           strew_interpolation interpolation) {
  const strew_dtype dtype = strew_tensor_dtype(tensor), wide = computed(dtype);
  const int rank = strew_tensor_rank(tensor);
  const int64_t *sizes = strew_tensor_sizes(tensor), numel = strew_tensor_numel(tensor);
  struct group_case c = {.lines = 1, .inner = 1, .n = whole ? numel : sizes[dim]};
  for (int d = 0; !whole && d < dim; d++) c.lines *= sizes[d];
  for (int d = dim + 1; !whole && d < rank; d++) c.inner *= sizes[d];
  const int64_t lines = c.lines * c.inner;
  double list[4], *x = doubles_of(tensor), *values = malloc((size_t)(c.n + 1) * sizeof *values);
  double *expected = malloc((size_t)(lines * 4 + 1) * sizeof *expected);
  for (int64_t k = 0; k < count; k++) list[k] = some_q[draw_below(QS)];
  strew_tensor *q = tensor_from_doubles(dtype, count, list), *out = NULL, *single = NULL;
  double *rounded_q = doubles_of(q);
  for (int64_t k = 0; k < count; k++)
    for (int64_t line = 0; line < lines; line++) {
      for (int64_t i = 0; i < c.n; i++) values[i] = x[element_at(&c, line, i)];
      qsort(values, (size_t)c.n, sizeof *values, by_value);
      const double at = rank_of_q(wide, rounded_q[k], c.n, interpolation);
      expected[k * lines + line] = at_rank(wide, values, c.n, at, interpolation);
    }
  ok(strew_quantile_with(
      tensor, strew_of(q),
      &(strew_quantile_options){.dim = whole ? NULL : &dim, .keepdim = keepdim, .interpolation = interpolation}, &out,
      &failure));
  ck_assert(strew_tensor_is_contiguous(out));
  int64_t shape[STREW_MAX_RANK] = {count};
  int shape_rank = 1;
  for (int d = 0; d < rank; d++)
    if (keepdim || (!whole && d != dim)) shape[shape_rank++] = whole || d == dim ? 1 : sizes[d];
  assert_sizes(out, shape_rank, shape);
  assert_doubles(out, expected, "quantiles");
  if (count) {
    ok(strew_quantile_with(
        tensor, strew_number(strew_float(list[0])),
        &(strew_quantile_options){.dim = whole ? NULL : &dim, .keepdim = keepdim, .interpolation = interpolation},
        &single, &failure));
    assert_sizes(single, shape_rank - 1, shape + 1);
    assert_doubles(single, expected, "a quantile");
    char *selected = host_of(single), *sorted = host_of(out); /* the same zeros and NaN */
    ck_assert_mem_eq(selected, sorted, (size_t)lines * strew_dtype_size_bytes(dtype));
    free(selected), free(sorted);
  }
  free(x), free(values), free(expected), free(rounded_q);
  strew_release(q), strew_release(out), strew_release(single);
}

START_TEST(test_random_quantiles) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(60); n++) {
      const int rank = 1 + (int)draw_below(4), dim = (int)draw_below(rank);
      int64_t sizes[4];
      for (int d = 0; d < rank; d++) sizes[d] = 1 + draw_below(d == dim ? 20 : 4);
      strew_tensor *tensor = random_tensor(dtype, rank, sizes, (enum layout)draw_below(LAYOUT_COUNT));
      check_quantile(tensor, dim, draw_below(3) == 0, draw_below(4), draw_below(2),
                     (strew_interpolation)draw_below(STREW_INTERPOLATION_COUNT));
      strew_release(tensor);
    }
  }
}
END_TEST

/* Of one long line, from which the elements between two of a sample are kept, and which stays as it is: any numbers,
   equal ones, zeros of both signs, infinities, near ones with two outliers, those of a period of the sample, and a NaN. */
enum form { PLAIN, EQUAL, ZEROS, INFINITE, NEAR, PERIODIC, WITH_NAN, FORMS };

static double long_element(enum form form, int64_t i, int64_t n) {
  const double drawn = (double)draw_below(1 << 20) - (1 << 19);
  if (form == EQUAL) return (double)draw_below(3);
  if (form == ZEROS) return drawn > 3e5 ? drawn : draw_below(2) ? 0.0 : -0.0;
  if (form == INFINITE && draw_below(3)) return draw_below(2) ? (double)INFINITY : -(double)INFINITY;
  if (form == NEAR) return i < 2 ? (i ? 6e4 : -6e4) : 1 + drawn * 0x1p-30;
  if (form == PERIODIC) return (double)(i * 128 / n % 2 ? i % 7 : 9);
  return form == WITH_NAN && i == n / 3 ? (double)NAN : drawn / 16;
}

START_TEST(test_selected_quantiles) {
  static const int64_t lengths[] = {49, 255, 256, 257, 1000, 8191, 8192, 20000};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < LENGTHS * FORMS; k++) {
    if (!chosen(k, 16)) continue;
    const int64_t n = lengths[k % LENGTHS];
    double *numbers = malloc((size_t)n * sizeof *numbers);
    for (int64_t i = 0; i < n; i++) numbers[i] = long_element((enum form)(k / LENGTHS), i, n);
    use_threads((const int[]){1, 2, 7}[k % 3]);
    strew_tensor *tensor = tensor_from_doubles(dtype, n, numbers);
    char *before = host_of(tensor);
    for (int turn = 0; turn < 6; turn++)
      check_quantile(tensor, 0, turn % 2, 1 + draw_below(3), false,
                     (strew_interpolation)draw_below(STREW_INTERPOLATION_COUNT));
    char *after = host_of(tensor);
    ck_assert_mem_eq(before, after, (size_t)n * strew_dtype_size_bytes(dtype));
    free(before), free(after), free(numbers);
    strew_release(tensor);
  }
}
END_TEST

/* Between the largest finite numbers of both signs, whose difference overflows. */
START_TEST(test_wide_gaps) {
  static const double largest[STREW_DTYPE_COUNT] = {[STREW_FLOAT32] = 0x1.fffffep127,
                                                    [STREW_FLOAT64] = 0x1.fffffffffffffp1023,
                                                    [STREW_FLOAT16] = 65504,
                                                    [STREW_BFLOAT16] = 0x1.fep127};
  static const double q[] = {-0.0, 0.25, 0.5, 0.75, 1}, parts[] = {-1, -0.5, 0, 0.5, 1}, middle[] = {-1, 0, 0, 0, 1};
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  strew_tensor *tensor = tensor_from_doubles(dtype, 2, (double[]){largest[dtype], -largest[dtype]});
  strew_tensor *index = tensor_from_doubles(STREW_INT64, 2, (double[]){0, 0});
  for (int k = 0; k < 10; k++) {
    const bool mixes = k % 2;
    const double at = q[k / 2], expected = largest[dtype] * (mixes ? parts : middle)[k / 2];
    const strew_interpolation interpolation = mixes ? STREW_LINEAR : STREW_MIDPOINT;
    strew_tensor *whole = NULL, *grouped = NULL;
    ok(strew_quantile_with(tensor, strew_number(strew_float(at)),
                           &(strew_quantile_options){.interpolation = interpolation}, &whole, &failure));
    const strew_group_reduce_options options = {.q = at, .interpolation = interpolation};
    ok(strew_group_reduce(strew_by_index(index), STREW_GROUP_QUANTILE, tensor, &options, &grouped, NULL, &failure));
    assert_doubles(whole, &expected, "a quantile"), assert_doubles(grouped, &expected, "a group's quantile");
    strew_release(whole), strew_release(grouped);
  }
  strew_release(tensor), strew_release(index);
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- failures */

START_TEST(test_refused) {
  strew_tensor *floats = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3}), *out = NULL;
  strew_tensor *ints = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 1, 4});
  strew_tensor *qs = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){0.5, 2});
  strew_tensor *half = tensor_from_doubles(STREW_FLOAT16, 1, (double[]){0.5});
  const int64_t three = 3;
  const strew_operand q = strew_number(strew_float(0.5));
  int dim = 1;
  assert_fails(
      strew_softmax_with(ints, 0, NULL, &out, &failure), STREW_EDTYPE,
      lacks(STREW_FLOAT64)
          ? "softmax: 'self' is int64, expected a float dtype\n  self  int64[3] cpu\n  hint  strew_to(self, float32)"
          : "softmax: 'self' is int64, expected a float dtype\n  self  int64[3] cpu\n  hint  strew_to(self, float64)");
  assert_fails(strew_softmax_with(floats, 1, &(strew_softmax_options){.logarithm = true}, &out, &failure), STREW_ESHAPE,
               NULL);
  assert_fails(strew_group_softmax_with(strew_by_index(ints), ints, NULL, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(
      strew_group_softmax_with(strew_by_index(ints), floats, &(strew_group_softmax_options){.dim_size = &three}, &out,
                               &failure),
      STREW_EINDEX,
      "scatter_softmax: 'index' has value 4 at [2], out of range for dim 0 of the result (size 3, valid 0..2)\n"
      "  src    float32[3] cpu\n  index  int64[3] cpu");
  assert_fails(strew_group_reduce(strew_by_index(ints), STREW_GROUP_QUANTILE, floats,
                                  &(strew_group_reduce_options){.q = 1.5}, &out, NULL, &failure),
               STREW_EVALUE, NULL);
  assert_fails(strew_group_reduce(strew_by_index(ints), STREW_GROUP_QUANTILE, ints,
                                  &(strew_group_reduce_options){.q = 0.5}, &out, NULL, &failure),
               STREW_EDTYPE, NULL);
  assert_fails(strew_group_reduce(strew_by_index(ints), STREW_GROUP_QUANTILE, floats,
                                  &(strew_group_reduce_options){.interpolation = (strew_interpolation)9}, &out, NULL,
                                  &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_group_reduce(strew_by_index(ints), STREW_GROUP_QUANTILE, floats,
                                  &(strew_group_reduce_options){.q = 0.5, .dim_size = &three}, &out, NULL, &failure),
               STREW_EINDEX, NULL);
  assert_fails(strew_quantile_with(ints, q, NULL, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_quantile_with(floats, q, &(strew_quantile_options){.dim = &dim}, &out, &failure), STREW_ESHAPE,
               NULL);
  assert_fails(strew_quantile_with(floats, strew_of(half), NULL, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_quantile_with(floats, strew_number(strew_int(2)), NULL, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_quantile_with(floats, strew_of(qs), NULL, &out, &failure), STREW_EVALUE,
               "quantile: 'q' has value 2.0 at [1], expected numbers from 0 to 1\n"
               "  self  float32[3] cpu\n  q     float32[2] cpu");
  ck_assert_int_eq(failure.position[0], 1);
  int word;
  ok(strew_enum_from_word(STREW_WORDS_INTERPOLATION, "midpoint", &word, &failure));
  ck_assert_int_eq(word, STREW_MIDPOINT);
  assert_fails(strew_enum_from_word(STREW_WORDS_INTERPOLATION, "cubic", &word, &failure), STREW_EARGUMENT, NULL);
  ck_assert_ptr_null(out);
  strew_release(floats), strew_release(ints), strew_release(qs), strew_release(half);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("statistics");
  TCase *softmax = new_case(suite, "softmax");
  tcase_add_loop_test(softmax, test_random_group_softmax, 0, STREW_DTYPE_COUNT);
  tcase_add_test(softmax, test_large_softmax);
  tcase_add_test(softmax, test_large_group_softmax);
  TCase *quantiles = new_case(suite, "quantiles");
  tcase_add_loop_test(quantiles, test_random_group_quantiles, 0, STREW_DTYPE_COUNT);
  tcase_add_test(quantiles, test_large_group_quantile);
  tcase_add_loop_test(quantiles, test_random_quantiles, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(quantiles, test_selected_quantiles, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(quantiles, test_wide_gaps, 0, STREW_DTYPE_COUNT);
  tcase_add_test(quantiles, test_refused);
  return suite;
}
