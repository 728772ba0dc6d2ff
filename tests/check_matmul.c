/* check_matmul.c: products x dtypes x shapes x layouts against three plain loops. Integers wrap and are exact. Floats
   hold small integers, whose products are exact in any order of addition, except in tests of rounding. */
#include "ordered.h"
#include "testing.h"

#include <inttypes.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

static const struct shape {
  strew_product kind;
  int rank_a, rank_b;
  int64_t a[5], b[5];
} shapes[] = {
    {STREW_MM, 2, 2, {3, 4}, {4, 5}},
    {STREW_MM, 2, 2, {1, 7}, {7, 1}},
    {STREW_MM, 2, 2, {1, 7}, {7, 9}},
    {STREW_MM, 2, 2, {8, 1}, {1, 6}},
    {STREW_MM, 2, 2, {33, 17}, {17, 40}},
    {STREW_MM, 2, 2, {3, 0}, {0, 2}},
    {STREW_MM, 2, 2, {0, 3}, {3, 2}},
    {STREW_MV, 2, 1, {6, 5}, {5}},
    {STREW_MV, 2, 1, {1, 1}, {1}},
    {STREW_DOT, 1, 1, {9}, {9}},
    {STREW_DOT, 1, 1, {0}, {0}},
    {STREW_MATMUL, 1, 1, {5}, {5}},
    {STREW_MATMUL, 2, 1, {4, 5}, {5}},
    {STREW_MATMUL, 1, 2, {4}, {4, 3}},
    {STREW_MATMUL, 3, 2, {2, 3, 4}, {4, 5}},
    {STREW_MATMUL, 2, 3, {3, 4}, {2, 4, 5}},
    {STREW_MATMUL, 3, 3, {2, 3, 4}, {2, 4, 1}},
    {STREW_MATMUL, 3, 1, {2, 3, 4}, {4}},
    {STREW_MATMUL, 1, 3, {4}, {2, 4, 3}},
    {STREW_MATMUL, 4, 3, {2, 1, 3, 4}, {5, 4, 2}},
    {STREW_MATMUL, 5, 4, {2, 1, 2, 3, 2}, {3, 1, 2, 4}},
    {STREW_MATMUL, 3, 3, {2, 0, 4}, {2, 4, 3}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ------------------------------------------------------------------------------------------------- the oracle */

/* Returns the element at dense batch `batch` (already broadcast), row and column of the matrices. */
struct matrices {
  strew_dtype dtype;
  const char *elements;
  int64_t rows, columns;
  int batch_rank;
  int64_t batch_sizes[5];
};

static strew_scalar at(const struct matrices *m, int rank, const int64_t *batch, int64_t row, int64_t column) {
  int64_t place = 0;
  for (int d = 0; d < m->batch_rank; d++) {
    int64_t position = m->batch_sizes[d] == 1 ? 0 : batch[rank - m->batch_rank + d];
    place = place * m->batch_sizes[d] + position;
  }
  place = (place * m->rows + row) * m->columns + column;
  return strew_scalar_load(m->dtype, m->elements + (size_t)place * strew_dtype_size_bytes(m->dtype));
}

static struct matrices matrices_of(strew_tensor *tensor, const char *elements, bool is_left) {
  int rank = strew_tensor_rank(tensor);
  const int64_t *sizes = strew_tensor_sizes(tensor);
  struct matrices m = {.dtype = strew_tensor_dtype(tensor), .elements = elements};
  m.rows = rank > 1 ? sizes[rank - 2] : is_left ? 1 : sizes[0];
  m.columns = rank > 1 ? sizes[rank - 1] : is_left ? sizes[0] : 1;
  m.batch_rank = rank > 2 ? rank - 2 : 0;
  memcpy(m.batch_sizes, sizes, (size_t)m.batch_rank * sizeof *sizes);
  return m;
}

static void expected_element(const struct matrices *a, const struct matrices *b, int rank, const int64_t *batch,
                             int64_t row, int64_t column, void *to) {
  double sum = 0;
  uint64_t wrapping = 0;
  for (int64_t i = 0; i < a->columns; i++) {
    strew_scalar x = at(a, rank, batch, row, i), y = at(b, rank, batch, i, column);
    if (is_float_dtype(a->dtype))
      sum += x.as.f * y.as.f;
    else
      wrapping += (uint64_t)x.as.i * (uint64_t)y.as.i;
  }
  strew_scalar result = is_float_dtype(a->dtype) ? strew_float(sum) : strew_int((int64_t)wrapping);
  ok(strew_scalar_store(result, STREW_SATURATE, a->dtype, to, &failure));
}

/* Returns all elements in row-major order, and the result's shape. */
static char *expected_product(strew_tensor *a, strew_tensor *b, int *rank, int64_t *sizes) {
  char *left = host_of(a), *right = host_of(b);
  struct matrices x = matrices_of(a, left, true), y = matrices_of(b, right, false);
  int batch_rank = x.batch_rank > y.batch_rank ? x.batch_rank : y.batch_rank;
  int64_t batches = 1, batch[5];
  for (int d = 0; d < batch_rank; d++) {
    int in_x = d - batch_rank + x.batch_rank, in_y = d - batch_rank + y.batch_rank;
    sizes[d] = in_x >= 0 ? x.batch_sizes[in_x] : 1;
    if (in_y >= 0 && sizes[d] == 1) sizes[d] = y.batch_sizes[in_y];
    batches *= sizes[d];
  }
  size_t size = strew_dtype_size_bytes(x.dtype);
  char *expected = malloc((size_t)(batches * x.rows * y.columns + 1) * size), *next = expected;
  for (int64_t i = 0; i < batches; i++) {
    int64_t rest = i;
    for (int d = batch_rank - 1; d >= 0; d--) batch[d] = rest % sizes[d], rest /= sizes[d];
    for (int64_t row = 0; row < x.rows; row++)
      for (int64_t column = 0; column < y.columns; column++, next += size)
        expected_element(&x, &y, batch_rank, batch, row, column, next);
  }
  *rank = batch_rank;
  if (strew_tensor_rank(a) > 1) sizes[(*rank)++] = x.rows;
  if (strew_tensor_rank(b) > 1) sizes[(*rank)++] = y.columns;
  free(left);
  free(right);
  return expected;
}

/* --------------------------------------------------------------------------------------------------- the tests */

static void check_product(strew_product kind, strew_tensor *a, strew_tensor *b, const char *layouts) {
  int rank;
  int64_t sizes[8];
  char *expected = expected_product(a, b, &rank, sizes);
  strew_dtype dtype = strew_tensor_dtype(a);
  strew_tensor *out = NULL;
  ok(strew_matmul(kind, a, b, &out, &failure));
  assert_sizes(out, rank, sizes);
  assert_elements(out, dtype, expected, "product %d of %s, ranks %d and %d, %s", (int)kind, strew_dtype_name(dtype),
                  strew_tensor_rank(a), strew_tensor_rank(b), layouts);
  strew_release(out);
  for (int layout = CONTIGUOUS; layout <= STRIDED; layout++) { /* into given tensors, whose old values are ignored */
    out = random_tensor(dtype, rank, sizes, (enum layout)layout);
    ok(strew_matmul(kind, a, b, &out, &failure));
    assert_elements(out, dtype, expected, "product %d of %s into a %s tensor", (int)kind, strew_dtype_name(dtype),
                    layout_name((enum layout)layout));
    strew_release(out);
  }
  free(expected);
}

START_TEST(products) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_BOOL);
  int64_t low = dtype == STREW_UINT8 ? 0 : -6;
  if (lacks(dtype)) return;
  use_turn(_i / STREW_BOOL, _i);
  for (int s = 0; s < SHAPES; s++)
    for (int la = 0; la < LAYOUT_COUNT; la++)
      for (int lb = 0; lb < LAYOUT_COUNT; lb++) {
        if (!chosen((_i * SHAPES + s) * 16 + la * 4 + lb, 24)) continue;
        const struct shape *shape = &shapes[s];
        strew_tensor *a = random_integers(dtype, shape->rank_a, shape->a, (enum layout)la, low, 7);
        strew_tensor *b = random_integers(dtype, shape->rank_b, shape->b, (enum layout)lb, low, 7);
        char layouts[64];
        snprintf(layouts, sizeof layouts, "%s and %s", layout_name((enum layout)la), layout_name((enum layout)lb));
        check_product(shape->kind, a, b, layouts);
        strew_release(a);
        strew_release(b);
      }
}
END_TEST

/* Any strides, among them overlapping windows and rows of stride 0. */
START_TEST(windows) {
  strew_dtype dtype = _i % 2 ? STREW_FLOAT32 : STREW_INT32;
  strew_tensor *memory = random_integers(dtype, 1, (int64_t[]){64}, CONTIGUOUS, -6, 7);
  seed_draws((uint64_t)_i);
  for (int n = 0; n < some(300); n++) {
    int64_t batches = 1 + draw_below(3), k = 1 + draw_below(3), strides[6];
    int64_t left[] = {batches, 1 + draw_below(3), k}, right[] = {draw_below(2) ? batches : 1, k, 1 + draw_below(3)};
    for (int d = 0; d < 6; d++) strides[d] = draw_below(5);
    strew_tensor *a = NULL, *b = NULL;
    ok(strew_as_strided(memory, 3, left, strides, draw_below(3), &a, &failure));
    ok(strew_as_strided(memory, 3, right, strides + 3, draw_below(3), &b, &failure));
    check_product(STREW_MATMUL, a, b, "windows");
    strew_release(a);
    strew_release(b);
  }
  strew_release(memory);
}
END_TEST

/* Integers of the whole range wrap. */
START_TEST(integers_wrap) {
  static const int64_t sizes[][3] = {{9, 11, 8}, {1, 40, 70}, {13, 300, 1}, {6, 70, 67}, {70, 9, 3}};
  strew_dtype dtype = (strew_dtype)_i;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int layout = 0; layout < 4; layout++) {
      strew_tensor *a = random_tensor(dtype, 2, sizes[s], layout & 1 ? PERMUTED : CONTIGUOUS);
      strew_tensor *b = random_tensor(dtype, 2, sizes[s] + 1, layout & 2 ? PERMUTED : CONTIGUOUS);
      check_product(STREW_MM, a, b, "wrapping");
      strew_release(a);
      strew_release(b);
    }
}
END_TEST

/* 16-bit floats: the sum of exact products in float32, rounded once. */
START_TEST(rounded_once) {
  enum { N = 2051 };
  double x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = 1, y[i] = 1;
  strew_tensor *a = tensor_from_doubles(STREW_FLOAT16, N, x), *b = tensor_from_doubles(STREW_FLOAT16, N, y);
  strew_tensor *row = NULL, *column = NULL, *out = NULL;
  const uint16_t expected = 0x6802; /* 2052: 2051 is halfway between two values, and rounds to even */
  ok(strew_view(a, 2, (int64_t[]){1, N}, &row, &failure));
  ok(strew_view(b, 2, (int64_t[]){N, 1}, &column, &failure));
  ok(strew_matmul(STREW_DOT, a, b, &out, &failure));
  assert_elements(out, STREW_FLOAT16, &expected, "dot");
  strew_release(out), out = NULL;
  ok(strew_matmul(STREW_MM, row, column, &out, &failure));
  assert_elements(out, STREW_FLOAT16, &expected, "mm");
  strew_release(out);
  strew_release(a);
  strew_release(b);
  strew_release(row);
  strew_release(column);
}
END_TEST

/* dot adds in the order of sum. */
START_TEST(dot_in_order) {
  if (lacks(STREW_FLOAT64)) return;
  enum { N = 5000 };
  const int64_t n = 2 * N;
  use_threads(thread_counts[_i]);
  for (int step = 1; step <= 2; step++) {
    strew_tensor *a = NULL, *b = NULL, *every_a = NULL, *every_b = NULL, *out = NULL;
    ok(strew_randn(device, STREW_FLOAT32, 1, &n, &a, &failure));
    ok(strew_randn(device, STREW_FLOAT64, 1, &n, &b, &failure));
    ok(strew_slice(a, 0, 0, N * step, step, &every_a, &failure));
    ok(strew_slice(b, 0, 0, N * step, step, &every_b, &failure));
    float *p = host_of(every_a), expected_single;
    double *q = host_of(every_b), expected_double;
    for (int i = 0; i < N; i++) p[i] *= p[i], q[i] *= q[i];
    expected_single = ordered_float(p, N, false), expected_double = ordered_double(q, N, false);
    ok(strew_matmul(STREW_DOT, every_a, every_a, &out, &failure));
    assert_elements(out, STREW_FLOAT32, &expected_single, "dot of float32, step %d", step);
    strew_release(out), out = NULL;
    ok(strew_matmul(STREW_DOT, every_b, every_b, &out, &failure));
    assert_elements(out, STREW_FLOAT64, &expected_double, "dot of float64, step %d", step);
    free(p);
    free(q);
    strew_release(a);
    strew_release(b);
    strew_release(every_a);
    strew_release(every_b);
    strew_release(out);
  }
}
END_TEST

/* c[i, j] of rows x inner x columns: s = fma(a[k], b[k], s) in order of k, in float32 or float64, rounded once. */
static void chain(strew_dtype dtype, const char *a, const char *b, const int64_t *sizes, int64_t i, int64_t j,
                  void *to) {
  size_t size = strew_dtype_size_bytes(dtype);
  double wide = 0;
  float narrow = 0;
  for (int64_t k = 0; k < sizes[1]; k++) {
    double x = strew_scalar_load(dtype, a + (size_t)(i * sizes[1] + k) * size).as.f;
    double y = strew_scalar_load(dtype, b + (size_t)(k * sizes[2] + j) * size).as.f;
    if (dtype == STREW_FLOAT64)
      wide = fma(x, y, wide);
    else
      narrow = fmaf((float)x, (float)y, narrow);
  }
  double sum = dtype == STREW_FLOAT64 ? wide : (double)narrow;
  ok(strew_scalar_store(strew_float(sum), STREW_SATURATE, dtype, to, &failure));
}

static void check_chains(strew_dtype dtype, const int64_t *sizes, enum layout la, enum layout lb) {
  const int64_t left[] = {sizes[0], sizes[1]}, right[] = {sizes[1], sizes[2]}, result[] = {sizes[0], sizes[2]};
  strew_tensor *a = random_tensor(dtype, 2, left, la), *b = random_tensor(dtype, 2, right, lb), *out = NULL;
  char *x = host_of(a), *y = host_of(b);
  size_t size = strew_dtype_size_bytes(dtype);
  char *expected = malloc((size_t)(result[0] * result[1] + 1) * size);
  for (int64_t i = 0; i < result[0]; i++)
    for (int64_t j = 0; j < result[1]; j++)
      chain(dtype, x, y, sizes, i, j, expected + (size_t)(i * result[1] + j) * size);
  ok(strew_matmul(STREW_MM, a, b, &out, &failure));
  assert_elements(out, dtype, expected, "%s %d x %d x %d, %s and %s", strew_dtype_name(dtype), (int)sizes[0],
                  (int)sizes[1], (int)sizes[2], layout_name(la), layout_name(lb));
  strew_release(out);
  free(x);
  free(y);
  free(expected);
  strew_release(a);
  strew_release(b);
}

/* Of any values, infinities, NaN, denormals and signed zeros among them; small, thin and larger than blocks. */
START_TEST(chains_of_fused_products) {
  static const int64_t shapes_of_chains[][3] = {
      {1, 1, 1},   {4, 4, 4},    {1, 700, 3},  {1, 65, 300}, {300, 65, 1}, {70, 300, 1},  {50, 9, 5},  {13, 300, 33},
      {12, 1, 32}, {90, 40, 17}, {7, 70, 130}, {3, 600, 10}, {100, 20, 2}, {25, 513, 65}, {3, 600, 3}, {16, 300, 16}};
  strew_dtype dtype = (strew_dtype)(_i % 4);
  if (lacks(dtype)) return;
  use_turn(_i / 4, _i);
  for (size_t s = 0; s < sizeof shapes_of_chains / sizeof *shapes_of_chains; s++)
    for (int layout = 0; layout < 4; layout++)
      if (chosen((int)s * 4 + layout + _i, 4))
        check_chains(dtype, shapes_of_chains[s], layout & 1 ? PERMUTED : CONTIGUOUS, layout & 2 ? PERMUTED : STRIDED);
  /* rows that share sets of L1, and others, all of them in place */
  for (int64_t k = 263; k <= 512; k += 249) {
    strew_tensor *a = random_integers(dtype, 2, (int64_t[]){500, k}, CONTIGUOUS, -1, 2);
    strew_tensor *b = random_integers(dtype, 2, (int64_t[]){k, 1}, CONTIGUOUS, -1, 2);
    check_product(STREW_MM, a, b, "a column");
    strew_release(a);
    strew_release(b);
  }
  for (int n = 0; n < some(12); n++) {
    const int64_t sizes[] = {1 + draw_below(60), draw_below(100), 1 + draw_below(80)};
    check_chains(dtype, sizes, (enum layout)draw_below(LAYOUT_COUNT), (enum layout)draw_below(LAYOUT_COUNT));
  }
}
END_TEST

START_TEST(refusals) {
  if (lacks(STREW_FLOAT64)) return;
  strew_tensor *m = random_tensor(STREW_FLOAT32, 2, (int64_t[]){2, 3}, CONTIGUOUS), *out = NULL;
  strew_tensor *v = random_tensor(STREW_FLOAT32, 1, (int64_t[]){3}, CONTIGUOUS);
  strew_tensor *d = random_tensor(STREW_FLOAT64, 1, (int64_t[]){3}, CONTIGUOUS);
  strew_tensor *flags = random_tensor(STREW_BOOL, 1, (int64_t[]){3}, CONTIGUOUS);
  strew_tensor *number = scalar_tensor(STREW_FLOAT32, strew_float(1));
  strew_tensor *x = random_tensor(STREW_FLOAT32, 3, (int64_t[]){2, 2, 3}, CONTIGUOUS);
  strew_tensor *y = random_tensor(STREW_FLOAT32, 3, (int64_t[]){3, 3, 2}, CONTIGUOUS);
  assert_fails(strew_matmul(STREW_MM, m, m, &out, &failure), STREW_ESHAPE,
               "mm: 'other' has size 2 in dimension 0, expected 3, as self's last\n"
               "  self   float32[2, 3] cpu\n  other  float32[2, 3] cpu");
  assert_fails(strew_matmul(STREW_MM, m, v, &out, &failure), STREW_ESHAPE,
               "mm: 'other' has 1 dimension, expected 2\n  self   float32[2, 3] cpu\n  other  float32[3] cpu");
  assert_fails(strew_matmul(STREW_MV, m, d, &out, &failure), STREW_EDTYPE,
               "mv: 'other' is float64, self is float32: dtypes must be equal\n"
               "  self   float32[2, 3] cpu\n  other  float64[3] cpu\n  hint   strew_to(self, float64)");
  assert_fails(strew_matmul(STREW_DOT, flags, flags, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_matmul(STREW_MATMUL, number, m, &out, &failure), STREW_ESHAPE,
               "matmul: 'self' has no dimension, expected at least 1\n"
               "  self   float32[] cpu\n  other  float32[2, 3] cpu");
  assert_fails(strew_matmul(STREW_MATMUL, x, y, &out, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_null(out);
  out = strew_retain(m);
  strew_tensor *square = random_tensor(STREW_FLOAT32, 2, (int64_t[]){3, 3}, CONTIGUOUS);
  assert_fails(strew_matmul(STREW_MM, m, square, &out, &failure), STREW_EOVERLAP, NULL);
  strew_tensor *all[] = {m, v, d, flags, number, x, y, out, square};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("matmul");
  TCase *cases = new_case(suite, "products");
  tcase_add_loop_test(cases, products, 0, sweep(TURNS) * STREW_BOOL);
  tcase_add_loop_test(cases, windows, 0, 4);
  tcase_add_loop_test(cases, integers_wrap, STREW_INT64, STREW_BOOL);
  tcase_add_test(cases, rounded_once);
  tcase_add_loop_test(cases, dot_in_order, 0, sweep(THREAD_COUNTS));
  tcase_add_loop_test(cases, chains_of_fused_products, 0, sweep(TURNS) * 4);
  tcase_add_test(cases, refusals);
  return suite;
}
