/* check_reduce.c: every fold, cumsum and cumprod x dtypes x layouts x dimensions against plain loops, bit for bit, on
   1, 2, 3 and 7 threads. The loops follow the documented order of sums in the plainest way. */
#include "ordered.h"
#include "testing.h"

#include <inttypes.h>

enum { RANKS = 4 };

enum takes { ANY, FLOATS };
enum gives { WIDE, SAME, PLACE, TRUTH };
static const struct {
  const char *name;
  enum takes takes;
  enum gives gives;
} fold_rows[] = {
#define ROW(ENUM, f, takes, gives, ...) [STREW_FOLD_##ENUM] = {#f, takes, gives},
    STREW_FOLDS(ROW)
#undef ROW
};
static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* -------------------------------------------------------------------------------------------------- folds of floats */

#define FOLD(T)                                                                                                        \
  /* sum, prod, mean, var, std */                                                                                      \
  static T plain_##T(strew_fold fold, T *x, int64_t n, double correction) {                                            \
    if (fold == STREW_FOLD_SUM || fold == STREW_FOLD_PROD) return ordered_##T(x, n, fold == STREW_FOLD_PROD);          \
    const T first = fold == STREW_FOLD_MEAN ? 0 : x[0];                                                                \
    for (int64_t i = 0; first != 0 && i < n; i++) x[i] -= first;                                                       \
    T mean = ordered_##T(x, n, false) / (T)n;                                                                          \
    if (fold == STREW_FOLD_MEAN) return mean;                                                                          \
    for (int64_t i = 0; i < n; i++) x[i] = (x[i] - mean) * (x[i] - mean);                                              \
    double divisor = (double)n - correction;                                                                           \
    T var = ordered_##T(x, n, false) / (T)(divisor > 0 ? divisor : 0);                                                 \
    return fold == STREW_FOLD_STD ? (T)(sizeof(T) == 4 ? sqrtf((float)var) : sqrt((double)var)) : var;                 \
  }                                                                                                                    \
  /* The same; of a var or std without squares that overflow or underflow: of elements scaled by a power of two. */    \
  static T fold_##T(strew_fold fold, const T *x, int64_t n, double correction, T least, T most) {                      \
    T *copy = malloc((size_t)(n + 1) * sizeof *copy), largest = 0;                                                     \
    memcpy(copy, x, (size_t)n * sizeof *copy);                                                                         \
    T result = plain_##T(fold, copy, n, correction);                                                                   \
    for (int64_t i = 0; i < n; i++) largest = fabs((double)x[i]) <= (double)largest ? largest : (T)fabs((double)x[i]); \
    bool is_spread = fold == STREW_FOLD_VAR || fold == STREW_FOLD_STD;                                                 \
    if (is_spread && !(result >= least && result <= most) && isfinite(largest) && largest > 0) {                       \
      const int exponent = ilogb((double)largest);                                                                     \
      for (int64_t i = 0; i < n; i++) copy[i] = (T)ldexp((double)x[i], -exponent);                                     \
      result = plain_##T(fold, copy, n, correction);                                                                   \
      result = (T)ldexp((double)result, fold == STREW_FOLD_STD ? exponent : 2 * exponent);                             \
    }                                                                                                                  \
    free(copy);                                                                                                        \
    return result;                                                                                                     \
  }
FOLD(float)
FOLD(double)

/* ------------------------------------------------------------------------------------------------ one output */

static double float_at(strew_dtype dtype, const char *elements, int64_t i) {
  return strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype)).as.f;
}
static int64_t integer_at(strew_dtype dtype, const char *elements, int64_t i) {
  return strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype)).as.i;
}

static void expected_float(strew_fold fold, strew_dtype dtype, const char *elements, int64_t n, double correction,
                           void *to) {
  double *doubles = malloc((size_t)(n + 1) * sizeof *doubles);
  float *floats = malloc((size_t)(n + 1) * sizeof *floats);
  for (int64_t i = 0; i < n; i++) floats[i] = (float)(doubles[i] = float_at(dtype, elements, i));
  double result = dtype == STREW_FLOAT64 ? fold_double(fold, doubles, n, correction, 0x1p-400, 1e300)
                                         : (double)fold_float(fold, floats, n, correction, 0x1p-50f, 1e38f);
  ok(strew_scalar_store(strew_float(result), STREW_SATURATE, dtype, to, &failure));
  free(doubles);
  free(floats);
}

static void expected_integer(strew_fold fold, strew_dtype dtype, const char *elements, int64_t n, void *to) {
  uint64_t result = fold == STREW_FOLD_PROD;
  for (int64_t i = 0; i < n; i++) {
    uint64_t x = (uint64_t)integer_at(dtype, elements, i);
    result = fold == STREW_FOLD_PROD ? result * x : result + x;
  }
  memcpy(to, &result, sizeof result);
}

/* True if element i wins over element k. */
static bool beats(strew_dtype dtype, const char *elements, int64_t i, int64_t k, bool greatest) {
  if (!is_float_dtype(dtype)) {
    int64_t a = integer_at(dtype, elements, i), b = integer_at(dtype, elements, k);
    return greatest ? a > b : a < b;
  }
  double a = float_at(dtype, elements, i), b = float_at(dtype, elements, k);
  if (isnan(a) || isnan(b)) return isnan(a) && !isnan(b);
  if (a == 0 && b == 0) return greatest ? signbit(b) && !signbit(a) : signbit(a) && !signbit(b);
  return greatest ? a > b : a < b;
}

static void expected_extreme(strew_fold fold, strew_dtype dtype, const char *elements, int64_t n, void *to) {
  bool greatest = fold == STREW_FOLD_AMAX || fold == STREW_FOLD_ARGMAX;
  bool position = fold == STREW_FOLD_ARGMIN || fold == STREW_FOLD_ARGMAX;
  size_t size = strew_dtype_size_bytes(dtype);
  int64_t best = 0;
  for (int64_t i = 1; i < n; i++)
    if (beats(dtype, elements, i, best, greatest)) best = i;
  if (position)
    memcpy(to, &best, sizeof best);
  else
    memcpy(to, elements + (size_t)best * size, size);
}

static void expected_truth(strew_fold fold, strew_dtype dtype, const char *elements, int64_t n, void *to) {
  unsigned char result = fold == STREW_FOLD_ALL;
  for (int64_t i = 0; i < n; i++) {
    bool is_true = is_float_dtype(dtype) ? float_at(dtype, elements, i) != 0 : integer_at(dtype, elements, i) != 0;
    result = fold == STREW_FOLD_ALL ? result && is_true : result || is_true;
  }
  memcpy(to, &result, 1);
}

static bool needs_float(strew_fold fold) { return fold_rows[fold].takes == FLOATS; }

static strew_dtype dtype_of_fold(strew_fold fold, strew_dtype dtype) {
  switch (fold_rows[fold].gives) {
  case SAME: return dtype;
  case TRUTH: return STREW_BOOL;
  case WIDE: return dtype_of_sums(dtype);
  default: return STREW_INT64;
  }
}

static void expected_of(strew_fold fold, strew_dtype dtype, const char *elements, int64_t n, double correction,
                        void *to) {
  if (fold_rows[fold].gives == TRUTH)
    expected_truth(fold, dtype, elements, n, to);
  else if (fold_rows[fold].gives != WIDE)
    expected_extreme(fold, dtype, elements, n, to);
  else if (is_float_dtype(dtype))
    expected_float(fold, dtype, elements, n, correction, to);
  else
    expected_integer(fold, dtype, elements, n, to);
}

/* --------------------------------------------------------------------------------------------- whole tensors */

/* The elements of each output, one output after the other, each in row-major order. */
struct lines {
  strew_dtype dtype;
  int64_t outputs, n;
  char *elements;
};

static struct lines gather_lines(const strew_tensor *tensor, unsigned folded) {
  struct lines lines = {strew_tensor_dtype(tensor), 1, 1, NULL};
  size_t size = strew_dtype_size_bytes(lines.dtype);
  int rank = strew_tensor_rank(tensor);
  const int64_t *sizes = strew_tensor_sizes(tensor);
  int64_t count = strew_tensor_numel(tensor);
  for (int d = 0; d < rank; d++) *(folded >> d & 1 ? &lines.n : &lines.outputs) *= sizes[d];
  char *elements = host_of(tensor);
  int64_t *filled = calloc((size_t)lines.outputs + 1, sizeof *filled);
  lines.elements = malloc((size_t)count * size + 1);
  for (int64_t i = 0; i < count; i++) {
    int64_t output = 0, rest = i, step = 1;
    for (int d = rank - 1; d >= 0; d--) {
      if (!(folded >> d & 1)) output += rest % sizes[d] * step, step *= sizes[d];
      rest /= sizes[d];
    }
    memcpy(lines.elements + (size_t)(output * lines.n + filled[output]++) * size, elements + (size_t)i * size, size);
  }
  free(elements);
  free(filled);
  return lines;
}

static char *expected_fold(strew_fold fold, const struct lines *lines, double correction) {
  size_t size = strew_dtype_size_bytes(lines->dtype),
         out_size = strew_dtype_size_bytes(dtype_of_fold(fold, lines->dtype));
  char *expected = calloc((size_t)lines->outputs + 1, out_size);
  for (int64_t i = 0; i < lines->outputs; i++)
    expected_of(fold, lines->dtype, lines->elements + (size_t)(i * lines->n) * size, lines->n, correction,
                expected + (size_t)i * out_size);
  return expected;
}

static int dims_of(unsigned folded, int rank, int64_t *dims) {
  int count = 0;
  for (int d = 0; d < rank; d++)
    if (folded >> d & 1) dims[count++] = d % 2 ? d - rank : d; /* both ways of counting */
  return count;
}

static void check_fold(strew_fold fold, strew_tensor *tensor, const struct lines *lines, unsigned folded, bool keepdim,
                       const char *layout) {
  int64_t dims[RANKS];
  int rank = strew_tensor_rank(tensor), count = dims_of(folded, rank, dims), kept = 0;
  double correction = (double)(fold == STREW_FOLD_VAR ? draw_below(3) : 1);
  strew_dtype dtype = strew_tensor_dtype(tensor);
  int64_t sizes[RANKS];
  for (int d = 0; d < rank; d++)
    if (!(folded >> d & 1) || keepdim) sizes[kept++] = folded >> d & 1 ? 1 : strew_tensor_sizes(tensor)[d];
  char *expected = expected_fold(fold, lines, correction);
  strew_tensor *out = NULL;
  ok(strew_reduce_with(fold, tensor,
                       &(strew_reduce_options){
                           .dim_count = count, .dims = dims, .keepdim = keepdim, .correction = &(double){correction}},
                       &out, &failure));
  assert_sizes(out, kept, sizes);
  assert_elements(out, dtype_of_fold(fold, dtype), expected, "%s of %s (%s), dimensions %u, %d threads",
                  fold_rows[fold].name, strew_dtype_name(dtype), layout, folded, strew_context_threads(context));
  strew_release(out);
  free(expected);
}

static const struct shape {
  int rank;
  int64_t sizes[RANKS];
} shapes[] = {{0, {0}},       {1, {1}},       {1, {15}},        {1, {1023}},      {1, {1024}},      {1, {1025}},
              {1, {5000}},    {2, {7, 3}},    {2, {300, 5}},    {2, {5, 300}},    {2, {2100, 3}},   {2, {3, 2100}},
              {2, {40, 300}}, {3, {5, 1, 6}}, {3, {2, 35, 33}}, {3, {3, 4, 600}}, {4, {2, 9, 3, 5}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Numbers whose sums and products stay finite, and depend on the order. */
static void tame_element(strew_dtype dtype, void *element) {
  if (!is_float_dtype(dtype)) {
    random_element(dtype, element);
    return;
  }
  double fraction = (double)(draw() >> 11) * 0x1p-53, x = 0.9 + fraction / 5;
  ok(strew_scalar_store(strew_float(draw_below(2) ? -x : x), STREW_SATURATE, dtype, element, &failure));
}

static strew_tensor *tame_tensor(strew_dtype dtype, const struct shape *shape, enum layout layout) {
  int64_t count = 1, sizes[RANKS];
  size_t size = strew_dtype_size_bytes(dtype);
  for (int d = 0; d < shape->rank; d++) {
    sizes[d] = layout == EXPANDED && draw_below(2) ? 1 : shape->sizes[d];
    count *= sizes[d];
  }
  char *elements = malloc((size_t)count * size + 1);
  for (int64_t i = 0; i < count; i++) tame_element(dtype, elements + (size_t)i * size);
  strew_tensor *made = tensor_of(dtype, shape->rank, sizes, layout == EXPANDED ? CONTIGUOUS : layout, elements);
  strew_tensor *expanded = NULL;
  free(elements);
  if (layout != EXPANDED) return made;
  ok(strew_expand(made, shape->rank, shape->sizes, &expanded, &failure));
  strew_release(made);
  return expanded;
}

static void check_folds(strew_tensor *tensor, const char *layout) {
  unsigned all = (1u << strew_tensor_rank(tensor)) - 1;
  for (unsigned folded = 0; folded <= all; folded++) {
    struct lines lines = gather_lines(tensor, folded);
    for (int fold = 0; fold < STREW_FOLD_COUNT; fold++)
      if ((!needs_float((strew_fold)fold) || is_float_dtype(lines.dtype)) &&
          chosen(((int)lines.dtype * 16 + (int)folded) * STREW_FOLD_COUNT + fold, 6))
        check_fold((strew_fold)fold, tensor, &lines, folded, draw_below(2), layout);
    free(lines.elements);
  }
}

/* Changing the thread count is slow, so it is the outermost loop. */
START_TEST(folds) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (int s = 0; s < SHAPES; s++) {
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      strew_tensor *tensor;
      if (!chosen(_i * SHAPES * LAYOUT_COUNT + s * LAYOUT_COUNT + layout, 48)) continue;
      if (!is_float_dtype(dtype) || _i < STREW_DTYPE_COUNT) { /* infinities and NaN, on one thread */
        tensor = random_tensor(dtype, shapes[s].rank, shapes[s].sizes, (enum layout)layout);
        check_folds(tensor, layout_name((enum layout)layout));
        strew_release(tensor);
      }
      if (!is_float_dtype(dtype)) continue;
      tensor = tame_tensor(dtype, &shapes[s], (enum layout)layout);
      check_folds(tensor, layout_name((enum layout)layout));
      strew_release(tensor);
    }
  }
}
END_TEST

/* Long enough that a few outputs are folded in chunks of several blocks each; their number depends on the threads. */
static const struct shape long_shapes[] = {{1, {70001}}, {2, {70001, 2}}, {2, {2, 50000}}};

START_TEST(long_folds) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_BFLOAT16, STREW_INT16};
  use_threads(thread_counts[_i]);
  for (int s = 0; s < 3; s++)
    for (int i = (s + _i) % 2; i < 4; i += 2) {
      if (!on_device() && !chosen(12 * _i + 4 * s + i, 2)) continue;
      strew_tensor *tensor = tame_tensor(dtype_here(dtypes[i]), &long_shapes[s], s ? CONTIGUOUS : STRIDED);
      check_folds(tensor, "long");
      strew_release(tensor);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- special cases */

static double reduce_all(strew_fold fold, strew_tensor *tensor) {
  strew_tensor *out = NULL;
  strew_scalar result;
  ok(strew_reduce_with(fold, tensor, NULL, &out, &failure));
  ok(strew_item(out, &result, &failure));
  strew_release(out);
  return result.dtype == STREW_FLOAT64 ? result.as.f : (double)result.as.i;
}

/* Stride 0 gives large tensors without memory. */
START_TEST(a_hundred_million_ones) {
  strew_tensor *one = scalar_tensor(STREW_FLOAT32, strew_float(1)), *ones = NULL;
  ok(strew_expand(one, 1, (int64_t[]){100000000}, &ones, &failure));
  for (int t = 0; t < sweep(2); t++) {
    use_threads(thread_counts[t]);
    ck_assert_double_eq(reduce_all(STREW_FOLD_SUM, ones), 1e8);
    ck_assert_double_eq(reduce_all(STREW_FOLD_MEAN, ones), 1);
  }
  strew_release(one);
  strew_release(ones);
}
END_TEST

/* Elements of the largest magnitude, as many as narrow lanes and blocks hold, and a few more or less: whole, in rows and
   in columns, from an odd address on. */
START_TEST(sums_of_the_largest_integers) {
  static const struct {
    strew_dtype dtype;
    int64_t value;
  } cases[] = {{STREW_BOOL, 1},      {STREW_UINT8, 255},    {STREW_INT8, 127},    {STREW_INT8, -128},
               {STREW_INT16, 32767}, {STREW_INT16, -32768}, {STREW_UINT16, 65535}};
  static const int64_t lengths[] = {1,   15,  16,   17,   31,    100,   255,   257,
                                    511, 513, 1025, 8200, 32769, 65535, 65537, 140001};
  use_threads(thread_counts[_i]);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (lacks(cases[i].dtype)) continue;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      const int64_t n = lengths[l], columns = n > 1024 ? 3 : 17;
      strew_tensor *value = scalar_tensor(cases[i].dtype, strew_int(cases[i].value)), *spread = NULL, *made = NULL;
      ok(strew_expand(value, 1, (int64_t[]){n * columns + 1}, &spread, &failure));
      ok(strew_clone(spread, &made, &failure));
      strew_release(spread), strew_release(value);
      for (int dim = 0; dim < 3; dim++) {
        strew_tensor *part = NULL, *shaped = NULL, *out = NULL;
        const int64_t sizes[] = {dim == 1 ? columns : n, dim == 1 ? n : columns}, outputs = dim < 2 ? columns : 1;
        ok(strew_narrow(made, 0, 1, n * (dim < 2 ? columns : 1), &part, &failure));
        ok(strew_view(part, dim < 2 ? 2 : 1, sizes, &shaped, &failure));
        ok(strew_reduce_with(STREW_FOLD_SUM, shaped,
                             &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim % 2}}, &out,
                             &failure));
        int64_t *sums = (int64_t *)(void *)host_of(out);
        for (int64_t k = 0; k < outputs; k++)
          ck_assert_msg(sums[k] == n * cases[i].value, "%s: %" PRId64 " of %" PRId64 ", dim %d, give %" PRId64,
                        strew_dtype_name(cases[i].dtype), n, cases[i].value, dim, sums[k]);
        free(sums);
        strew_release(part), strew_release(shaped), strew_release(out);
      }
      strew_release(made);
    }
  }
}
END_TEST

START_TEST(extremes_of_zeros_and_nans) {
  const double zeros[] = {-1, -0.0, 0.0, -0.0}, nans[] = {1, 2, NAN, 3, NAN};
  static const strew_dtype floats[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_FLOAT16, STREW_BFLOAT16};
  for (int i = 0; i < 4; i++) {
    if (lacks(floats[i])) continue;
    strew_tensor *z = tensor_from_doubles(floats[i], 4, zeros), *n = tensor_from_doubles(floats[i], 5, nans);
    ck_assert(!signbit(reduce_all(STREW_FOLD_AMAX, z)));
    ck_assert_double_eq(reduce_all(STREW_FOLD_ARGMAX, z), 2); /* -0 < +0 in the order of values */
    ck_assert_double_eq(reduce_all(STREW_FOLD_ARGMIN, z), 0);
    ck_assert(isnan(reduce_all(STREW_FOLD_AMAX, n)) && isnan(reduce_all(STREW_FOLD_AMIN, n)));
    ck_assert_double_eq(reduce_all(STREW_FOLD_ARGMAX, n), 2);
    ck_assert_double_eq(reduce_all(STREW_FOLD_ARGMIN, n), 2);
    ck_assert_double_eq(reduce_all(STREW_FOLD_ALL, n), 1);
    strew_release(z);
    strew_release(n);
  }
}
END_TEST

/* Both zeros, sometimes a NaN, no greater (or smaller) values: the value is the element at the reported position, bit
   for bit, and both agree with the scatter family. */
static void check_zeros(strew_dtype dtype, int64_t rows, int64_t columns, bool greatest) {
  const int64_t count = rows * columns, sizes[] = {rows, columns};
  double *zeros = malloc((size_t)count * sizeof *zeros);
  for (int64_t i = 0; i < count; i++) {
    zeros[i] = draw_below(columns) ? greatest ? -0.0 : 0.0 : draw_below(3) ? greatest ? 0.0 : -0.0 : greatest ? -1 : 1;
    if (draw_below(9 * count) == 0) zeros[i] = NAN;
  }
  strew_tensor *flat = tensor_from_doubles(dtype, count, zeros), *tensor = NULL, *one_row = NULL;
  free(zeros);
  ok(strew_view(flat, 2, sizes, &tensor, &failure));
  for (int dim = 0; dim < 2; dim++) {
    strew_tensor *values = NULL, *positions = NULL, *taken = NULL, *joined = NULL, *winners = NULL;
    ok(strew_reduce_with(
        greatest ? STREW_FOLD_AMAX : STREW_FOLD_AMIN, tensor,
        &(strew_reduce_options){
            .dim_count = 1, .dims = (const int64_t[]){dim}, .keepdim = true, .correction = &(double){0}},
        &values, &failure));
    ok(strew_reduce_with(
        greatest ? STREW_FOLD_ARGMAX : STREW_FOLD_ARGMIN, tensor,
        &(strew_reduce_options){
            .dim_count = 1, .dims = (const int64_t[]){dim}, .keepdim = true, .correction = &(double){0}},
        &positions, &failure));
    ok(strew_gather_with(tensor, dim, positions, NULL, &taken, &failure));
    assert_same(taken, values, "what stands at the position");
    one_row = random_integers(STREW_INT64, 1, &sizes[dim], CONTIGUOUS, 0, 1);
    struct group_form options = {.dim = dim, .dim_size = 1, .reduction = greatest ? STREW_AMAX : STREW_AMIN};
    ok(group_form(strew_by_index(one_row), tensor, &options, &joined, &winners, &failure));
    assert_same(joined, values, "what the scatter family joins");
    assert_same(winners, positions, "where it found that");
    strew_release(values), strew_release(positions), strew_release(taken), strew_release(joined),
        strew_release(winners);
    strew_release(one_row);
  }
  strew_release(flat), strew_release(tensor);
}

START_TEST(values_stand_at_their_positions) {
  static const strew_dtype floats[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_FLOAT16, STREW_BFLOAT16};
  static const int64_t sizes[][2] = {{1, 2}, {3, 5}, {40, 70}, {2, 3000}, {3000, 2}, {70, 200}};
  seed_draws((uint64_t)_i);
  use_threads(thread_counts[_i]);
  for (int i = 0; i < 4; i++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !lacks(floats[i]); s++)
      if (chosen(i + (int)s, 4)) check_zeros(floats[i], sizes[s][0], sizes[s][1], (s + (size_t)_i) % 2);
}
END_TEST

/* One NaN, zero or winner in a long line, at any position: the fast loops over blocks must find it. */
START_TEST(one_special_among_many) {
  enum { N = 2300 };
  float *values = malloc(N * sizeof *values);
  for (int64_t at = 0; at < N; at += at < 40 || at > N - 40 ? 1 : 61) {
    for (int i = 0; i < N; i++) values[i] = _i == 1 ? -0.0f : 1.0f + (float)(i % 7);
    values[at] = _i == 0 ? NAN : _i == 1 ? 0.0f : 100.0f;
    strew_tensor *tensor = tensor_of(STREW_FLOAT32, 1, (int64_t[]){N}, CONTIGUOUS, values);
    double most = reduce_all(STREW_FOLD_AMAX, tensor);
    ck_assert_msg(_i == 0 ? isnan(most) : _i == 1 ? !signbit(most) : most == 100, "case %d at %" PRId64, _i, at);
    ck_assert_double_eq(reduce_all(STREW_FOLD_ARGMAX, tensor), (double)at);
    strew_release(tensor);
  }
  free(values);
}
END_TEST

/* The first NaN wins, whatever the bits of the others are. */
START_TEST(first_of_different_nans) {
  enum { N = 200, FIRST = 67 };
  static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7fc00001, 0xffffffff};
  for (int k = 0; k < 4 * 4; k++) {
    uint32_t bits[N] = {0};
    const int64_t sizes[] = {1, N}, columns[] = {N, 1};
    bits[FIRST] = nans[k % 4], bits[FIRST + 1] = bits[N - 1] = nans[k / 4];
    for (int64_t dim = 0; dim < 2; dim++)
      for (int least = 0; least < 2; least++) {
        strew_tensor *x = tensor_of(STREW_FLOAT32, 2, dim ? sizes : columns, CONTIGUOUS, bits), *out = NULL;
        const strew_reduce_options options = {.dims = &dim, .dim_count = 1};
        ok(strew_reduce_with(least ? STREW_FOLD_ARGMIN : STREW_FOLD_ARGMAX, x, &options, &out, &failure));
        assert_elements(out, STREW_INT64, (int64_t[]){FIRST}, "NaN %d, dimension %" PRId64, k, dim);
        strew_release(x), strew_release(out);
      }
  }
}
END_TEST

START_TEST(of_nothing) {
  const int64_t sizes[] = {2, 0}, two[] = {2};
  strew_tensor *empty = random_tensor(STREW_FLOAT32, 2, sizes, CONTIGUOUS), *out = NULL;
  ck_assert_double_eq(reduce_all(STREW_FOLD_SUM, empty), 0);
  ck_assert_double_eq(reduce_all(STREW_FOLD_PROD, empty), 1);
  ck_assert_double_eq(reduce_all(STREW_FOLD_ALL, empty), 1);
  ck_assert_double_eq(reduce_all(STREW_FOLD_ANY, empty), 0);
  ck_assert(isnan(reduce_all(STREW_FOLD_MEAN, empty)) && isnan(reduce_all(STREW_FOLD_STD, empty)));
  ok(strew_reduce_with(STREW_FOLD_PROD, empty, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){1}},
                       &out, &failure));
  assert_sizes(out, 1, two);
  assert_elements(out, STREW_FLOAT32, (float[]){1, 1}, "product of nothing");
  strew_release(out), out = NULL;
  ok(strew_reduce_with(STREW_FOLD_AMAX, empty, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){0}},
                       &out, &failure));
  assert_sizes(out, 1, (int64_t[]){0});
  strew_release(out), out = NULL;
  assert_fails(strew_reduce_with(STREW_FOLD_AMAX, empty,
                                 &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){1}}, &out, &failure),
               STREW_ESHAPE,
               "amax: 'self' has size 0 in dimension 1, expected at least one element\n  self  float32[2, 0] cpu");
  assert_fails(strew_reduce_with(STREW_FOLD_ARGMIN, empty, NULL, &out, &failure), STREW_ESHAPE, NULL);
  strew_release(empty);
}
END_TEST

START_TEST(refusals) {
  strew_tensor *t = random_tensor(STREW_INT32, 2, (int64_t[]){2, 3}, CONTIGUOUS), *out = NULL;
  strew_tensor *wrong = random_tensor(STREW_INT32, 1, (int64_t[]){3}, CONTIGUOUS);
  assert_fails(strew_reduce_with(STREW_FOLD_SUM, t,
                                 &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){2}}, &out, &failure),
               STREW_ESHAPE, "sum: 'dim' is 2, out of range for 2 dimensions (valid -2..1)\n  self  int32[2, 3] cpu");
  assert_fails(strew_reduce_with(STREW_FOLD_SUM, t,
                                 &(strew_reduce_options){.dim_count = 2, .dims = (const int64_t[]){0, -2}}, &out,
                                 &failure),
               STREW_ESHAPE, "sum: 'dim' names dimension 0 twice\n  self  int32[2, 3] cpu");
  assert_fails(
      strew_reduce_with(STREW_FOLD_MEAN, t, NULL, &out, &failure), STREW_EDTYPE,
      lacks(STREW_FLOAT64)
          ? "mean: 'self' is int32, expected a float dtype\n  self  int32[2, 3] cpu\n  hint  strew_to(self, float32)"
          : "mean: 'self' is int32, expected a float dtype\n  self  int32[2, 3] cpu\n  hint  strew_to(self, float64)");
  assert_fails(strew_reduce_with(STREW_FOLD_SUM, t,
                                 &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){0}}, &wrong,
                                 &failure),
               STREW_EDTYPE, "sum: 'out' is int32, expected int64\n  self  int32[2, 3] cpu\n  out   int32[3] cpu");
  assert_fails(strew_reduce_with(STREW_FOLD_SUM, t,
                                 &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){1}}, &wrong,
                                 &failure),
               STREW_ESHAPE, NULL);
  ck_assert_ptr_null(out);
  ok(strew_select(t, 0, 1, &out, &failure));
  assert_fails(strew_reduce_with(STREW_FOLD_AMAX, t,
                                 &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){0}}, &out, &failure),
               STREW_EOVERLAP, NULL);
  strew_release(out), out = NULL;
  assert_fails(strew_cumsum_with(t, 2, NULL, &out, &failure), STREW_ESHAPE,
               "cumsum: 'dim' is 2, out of range for 2 dimensions (valid -2..1)\n  self  int32[2, 3] cpu");
  strew_release(t);
  strew_release(wrong);
}
END_TEST

/* Into a given tensor of any layout. */
START_TEST(into_given) {
  const int64_t sizes[] = {4, 3, 30}, kept[] = {4, 30};
  strew_tensor *tensor = random_tensor(STREW_FLOAT16, 3, sizes, PERMUTED);
  for (int layout = CONTIGUOUS; layout <= STRIDED; layout++) {
    strew_tensor *out = random_tensor(STREW_FLOAT16, 2, kept, (enum layout)layout), *given = out;
    struct lines lines = gather_lines(tensor, 2);
    char *expected = expected_fold(STREW_FOLD_AMIN, &lines, 1);
    free(lines.elements);
    ok(strew_reduce_with(STREW_FOLD_AMIN, tensor, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){1}},
                         &out, &failure));
    ck_assert_ptr_eq(out, given);
    assert_elements(out, STREW_FLOAT16, expected, "amin into %s", layout_name((enum layout)layout));
    free(expected);
    strew_release(out);
  }
  strew_release(tensor);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- cumsum */

/* Sums as pairs of floats: the rounding error of the high part is added to the low part. */
#define RUNNING(T, lost)                                                                                               \
  static void add_pair_##T(T *high, T *low, T more_high, T more_low) {                                                 \
    T sum = *high + more_high;                                                                                         \
    *low = *low + more_low + lost(*high, more_high, sum);                                                              \
    *high = sum;                                                                                                       \
  }                                                                                                                    \
  static void running_##T(const T *x, int64_t n, int64_t step, T *to) {                                                \
    T blocks = 0, blocks_low = 0, runs = 0, runs_low = 0, first = 0, sum = 0;                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      if (i % ORDER_RUN == 0) add_pair_##T(&runs, &runs_low, first + sum, 0), first = sum = 0;                         \
      if (i % ORDER_RUN == ORDER_RUN / 2) first = sum, sum = 0;                                                        \
      if (i % ORDER_BLOCK == 0) add_pair_##T(&blocks, &blocks_low, runs, runs_low), runs = runs_low = 0;               \
      sum += x[i * step];                                                                                              \
      T high = blocks, low = blocks_low;                                                                               \
      add_pair_##T(&high, &low, runs, runs_low);                                                                       \
      to[i * step] = high + (low + first + sum);                                                                       \
    }                                                                                                                  \
  }
#define LOST(T)                                                                                                        \
  static T lost_##T(T a, T b, T sum) {                                                                                 \
    T of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);                                                          \
    return isfinite(lost) ? lost : 0;                                                                                  \
  }
LOST(float)
LOST(double)
#define NOTHING(a, b, sum) 0
RUNNING(float, lost_float)
RUNNING(double, lost_double)
RUNNING(uint64_t, NOTHING)

#define PRODUCTS(T)                                                                                                    \
  static void products_##T(const T *x, int64_t n, int64_t step, T *to) {                                               \
    T product = 1;                                                                                                     \
    for (int64_t i = 0; i < n; i++) to[i * step] = product *= x[i * step];                                             \
  }
PRODUCTS(float)
PRODUCTS(double)
PRODUCTS(uint64_t)

static strew_status cumsum(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  return strew_cumsum_with(tensor, dim, NULL, out, error);
}

/* The two operations, and their loops. */
static const struct cumulative {
  const char *name;
  strew_status (*run)(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error);
  void (*of_float)(const float *x, int64_t n, int64_t step, float *to);
  void (*of_double)(const double *x, int64_t n, int64_t step, double *to);
  void (*of_integer)(const uint64_t *x, int64_t n, int64_t step, uint64_t *to);
} cumulatives[] = {{"cumsum", cumsum, running_float, running_double, running_uint64_t},
                   {"cumprod", strew_cumprod, products_float, products_double, products_uint64_t}};
enum { CUMULATIVES = sizeof cumulatives / sizeof *cumulatives };

static strew_dtype dtype_of_cumsum(strew_dtype dtype) { return dtype_of_sums(dtype); }

/* Dense copies in the accumulator's dtype, converted in both directions by the library's scalars. */
static char *expected_by(const struct cumulative *by, strew_tensor *tensor, int dim) {
  strew_dtype dtype = strew_tensor_dtype(tensor), out = dtype_of_cumsum(dtype);
  const int64_t *sizes = strew_tensor_sizes(tensor);
  int rank = strew_tensor_rank(tensor);
  int64_t count = strew_tensor_numel(tensor), n = rank ? sizes[dim] : 1, step = 1;
  for (int d = dim + 1; d < rank; d++) step *= sizes[d];
  size_t size = strew_dtype_size_bytes(dtype), out_size = strew_dtype_size_bytes(out);
  char *elements = host_of(tensor), *expected = malloc((size_t)count * out_size + 1);
  strew_dtype sums = out == STREW_INT64 || out == STREW_UINT64 || out == STREW_FLOAT64 ? out : STREW_FLOAT32;
  size_t sum_size = strew_dtype_size_bytes(sums);
  char *from = malloc((size_t)count * 8 + 1), *to = malloc((size_t)count * 8 + 1);
  for (int64_t i = 0; i < count; i++)
    ok(strew_scalar_store(strew_scalar_load(dtype, elements + (size_t)i * size), STREW_SATURATE, sums,
                          from + (size_t)i * sum_size, &failure));
  for (int64_t line = 0; line < count / (n ? n : 1); line++) {
    int64_t first = line / step * step * n + line % step;
    size_t at = (size_t)first * sum_size;
    if (sums == STREW_FLOAT32)
      by->of_float((float *)(void *)(from + at), n, step, (float *)(void *)(to + at));
    else if (sums == STREW_FLOAT64)
      by->of_double((double *)(void *)(from + at), n, step, (double *)(void *)(to + at));
    else
      by->of_integer((uint64_t *)(void *)(from + at), n, step, (uint64_t *)(void *)(to + at));
  }
  for (int64_t i = 0; i < count; i++)
    ok(strew_scalar_store(strew_scalar_load(sums, to + (size_t)i * sum_size), STREW_SATURATE, out,
                          expected + (size_t)i * out_size, &failure));
  free(elements);
  free(from);
  free(to);
  return expected;
}

static void check_cumulative(strew_tensor *tensor, int dim, const char *layout) {
  strew_dtype dtype = strew_tensor_dtype(tensor);
  for (int i = 0; i < CUMULATIVES; i++) {
    char *expected = expected_by(&cumulatives[i], tensor, dim);
    strew_tensor *out = NULL;
    ok(cumulatives[i].run(tensor, dim, &out, &failure));
    assert_elements(out, dtype_of_cumsum(dtype), expected, "%s of %s (%s), dimension %d of %d, %d threads",
                    cumulatives[i].name, strew_dtype_name(dtype), layout, dim, strew_tensor_rank(tensor),
                    strew_context_threads(context));
    strew_release(out);
    free(expected);
  }
}

START_TEST(running_sums) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  static const struct shape more[] = {{1, {9000}}, {2, {5200, 2}}, {2, {2, 5200}}, {2, {1030, 300}}, {2, {300, 10}}};
  for (int s = 0; s < SHAPES + 5; s++) {
    const struct shape *shape = s < SHAPES ? &shapes[s] : &more[s - SHAPES];
    bool is_large = shape->rank == 2 && shape->sizes[0] * shape->sizes[1] > 100000;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      if (is_large && layout != _i % LAYOUT_COUNT) continue; /* each layout with some of the dtypes */
      if (!chosen(_i * SHAPES * LAYOUT_COUNT + s * LAYOUT_COUNT + layout, 24)) continue;
      strew_tensor *tame = tame_tensor(dtype, shape, (enum layout)layout);
      strew_tensor *wild = random_tensor(dtype, shape->rank, shape->sizes, (enum layout)layout);
      for (int dim = 0; dim < (shape->rank ? shape->rank : 1); dim++) {
        check_cumulative(tame, dim, layout_name((enum layout)layout));
        check_cumulative(wild, dim, layout_name((enum layout)layout));
      }
      strew_release(tame);
      strew_release(wild);
    }
  }
}
END_TEST

START_TEST(long_running_sums) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_BFLOAT16, STREW_INT16};
  use_threads(thread_counts[_i]);
  for (int s = 0; s < 3; s++)
    for (int i = on_device() ? s % 2 : 0; i < 4; i += on_device() ? 2 : 1) { /* there half of the dtypes each */
      if (!on_device() && !chosen(12 * _i + 4 * s + i, 3)) continue;
      strew_tensor *tensor = tame_tensor(dtype_here(dtypes[i]), &long_shapes[s], s ? CONTIGUOUS : STRIDED);
      for (int dim = 0; dim < long_shapes[s].rank; dim++) check_cumulative(tensor, dim, "long");
      strew_release(tensor);
    }
}
END_TEST

/* Adjacent lines of more than two blocks each, enough of them that every processor has whole lines. */
START_TEST(running_sums_of_many_lines) {
  static const struct shape many = {3, {40, 2100, 9}};
  strew_tensor *tensor = tame_tensor(STREW_FLOAT32, &many, CONTIGUOUS);
  check_cumulative(tensor, 1, "many lines");
  strew_release(tensor);
}
END_TEST

/* In place, integers wrap in their own dtype. */
START_TEST(running_sums_in_place) {
  if (!chosen(_i, 3)) return;
  static const struct shape some[] = {{1, {5000}}, {2, {1500, 3}}, {2, {3, 1500}}};
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (int s = 0; s < 3; s++)
    for (int layout = CONTIGUOUS; layout <= STRIDED; layout++)
      for (int i = 0; i < some[s].rank * CUMULATIVES; i++) {
        const struct cumulative *by = &cumulatives[i % CUMULATIVES];
        int dim = i / CUMULATIVES;
        strew_tensor *tensor = tame_tensor(dtype, &some[s], (enum layout)layout), *expected = NULL, *narrowed = NULL;
        if (dtype == STREW_BOOL) {
          assert_fails(by->run(tensor, dim, &tensor, &failure), STREW_EDTYPE, NULL);
          strew_release(tensor);
          continue;
        }
        ok(by->run(tensor, dim, &expected, &failure));
        ok(strew_to(expected, device, dtype, &narrowed, &failure));
        ok(by->run(tensor, dim, &tensor, &failure));
        assert_same(tensor, narrowed, "cumsum or cumprod in place");
        strew_release(tensor);
        strew_release(expected);
        strew_release(narrowed);
      }
}
END_TEST

/* As exact as a sum: 0.1, whose rounding errors all have one sign, and numbers of both signs, where large sums cancel.
   Each result is compared with exact sums of integers. */
START_TEST(running_sums_are_exact) {
  enum { N = 3000000 };
  float *x = malloc(N * sizeof *x);
  for (int which = 0; which < 3; which++) {
    for (int64_t i = 0; i < N; i++)
      x[i] = which == 0 ? 0.1f : which == 1 ? (float)(draw() >> 40) * 0x1p-24f : i < N / 2 ? 0.1f : -0.1f;
    strew_tensor *tensor = tensor_of(STREW_FLOAT32, 1, (int64_t[]){N}, CONTIGUOUS, x), *out = NULL;
    ok(strew_cumsum_with(tensor, 0, NULL, &out, &failure));
    float *sums = (float *)(void *)host_of(out);
    int64_t exact = 0, most = 0; /* in units of 2^-28: 0.1f and its sums are multiples */
    for (int64_t i = 0; i < N; i++) {
      exact += (int64_t)ldexp((double)x[i], 28);
      if (exact > most) most = exact;
      double error = fabs(ldexp((double)sums[i], 28) - (double)exact);
      if (!(error <= 3e-7 * (double)most)) ck_abort_msg("case %d: sum %" PRId64 " is %g", which, i, (double)sums[i]);
    }
    free(sums);
    strew_release(tensor), strew_release(out);
  }
  free(x);
}
END_TEST

START_TEST(running_sum_of_nothing) {
  strew_tensor *empty = random_tensor(STREW_INT8, 2, (int64_t[]){0, 3}, CONTIGUOUS), *out = NULL;
  ok(strew_cumsum_with(empty, 0, NULL, &out, &failure));
  assert_sizes(out, 2, (int64_t[]){0, 3});
  strew_release(out), out = NULL;
  strew_tensor *base = random_tensor(STREW_FLOAT32, 1, (int64_t[]){1}, CONTIGUOUS), *expanded = NULL;
  ok(strew_expand(base, 1, (int64_t[]){4}, &expanded, &failure));
  assert_fails(strew_cumsum_with(expanded, 0, NULL, &expanded, &failure), STREW_EOVERLAP, NULL);
  strew_release(empty);
  strew_release(base);
  strew_release(expanded);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("reduce");
  TCase *all = new_case(suite, "folds");
  tcase_add_loop_test(all, folds, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, long_folds, 0, sweep(THREAD_COUNTS));
  TCase *chosen = new_case(suite, "special cases");
  tcase_add_test(chosen, a_hundred_million_ones);
  tcase_add_loop_test(chosen, sums_of_the_largest_integers, 0, sweep(THREAD_COUNTS));
  tcase_add_test(chosen, extremes_of_zeros_and_nans);
  tcase_add_loop_test(chosen, values_stand_at_their_positions, 0, sweep(THREAD_COUNTS));
  tcase_add_loop_test(chosen, one_special_among_many, 0, 3);
  tcase_add_test(chosen, first_of_different_nans);
  tcase_add_test(chosen, of_nothing);
  tcase_add_test(chosen, refusals);
  tcase_add_test(chosen, into_given);
  TCase *running = new_case(suite, "cumsum");
  tcase_add_loop_test(running, running_sums, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_loop_test(running, long_running_sums, 0, sweep(THREAD_COUNTS));
  tcase_add_test(running, running_sums_of_many_lines);
  tcase_add_loop_test(running, running_sums_in_place, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_test(running, running_sums_are_exact);
  tcase_add_test(running, running_sum_of_nothing);
  return suite;
}
