/* check_elementwise.c: every operation x dtypes x layouts x broadcasting x numbers against plain loops, bit for bit, on
   several thread counts, into new tensors and in place. */
#include "elementwise_oracle.h"

#include <inttypes.h>

/* ------------------------------------------------------------------------------------------------ binary operations */

static const char *text_of_operand(strew_operand x, char *text) {
  if (x.tensor) {
    sprintf(text, "%s of rank %d", strew_dtype_name(strew_tensor_dtype(x.tensor)), strew_tensor_rank(x.tensor));
    return text;
  }
  if (x.number.dtype == STREW_FLOAT64)
    sprintf(text, "%g", x.number.as.f);
  else
    sprintf(text, "%" PRId64, x.number.as.i);
  return text;
}

static void check_binary(strew_binary_op op, strew_operand a, strew_operand b) {
  strew_tensor *out = NULL;
  char left[64], right[64];
  text_of_operand(a, left), text_of_operand(b, right);
  if (is_refused(op, a, b)) {
    assert_fails(strew_binary(op, a, b, &out, &failure), STREW_EDTYPE, NULL);
    ck_assert_ptr_null(out);
    return;
  }
  ok(strew_binary(op, a, b, &out, &failure));
  strew_dtype dtype = result_of(op, a, b);
  char *expected = expected_of(op, a, b, out, dtype);
  assert_elements(out, dtype, expected, "%s of %s and %s", binary_rows[op].name, left, right);
  free(expected);
  strew_release(out);
}

/* A random second operand: divisors of integers are not 0, exponents not negative. */
static strew_tensor *random_second(strew_binary_op op, strew_dtype dtype, int rank, const int64_t *sizes,
                                   enum layout layout) {
  const bool is_power = op == STREW_POW;
  if (!(is_power || divides(op)) || is_float_dtype(dtype)) return random_tensor(dtype, rank, sizes, layout);
  if (is_power) return random_integers(dtype, rank, sizes, layout, 0, dtype == STREW_BOOL ? 2 : 100);
  if (dtype == STREW_BOOL) return random_integers(dtype, rank, sizes, layout, 1, 2);
  if (is_unsigned_dtype(dtype) || draw_below(2)) return random_integers(dtype, rank, sizes, layout, 1, 9);
  return random_integers(dtype, rank, sizes, layout, -5, 0);
}

static const struct shapes {
  int rank_a, rank_b;
  int64_t a[4], b[4];
} shapes[] = {
    {1, 1, {7}, {7}},
    {2, 2, {3, 5}, {3, 5}},
    {2, 1, {4, 3}, {3}},
    {3, 2, {2, 1, 4}, {3, 1}},
    {0, 2, {0}, {2, 3}},
    {1, 0, {5}, {0}},
    {0, 0, {0}, {0}},
    {2, 2, {0, 3}, {1, 3}},
    {4, 3, {2, 1, 3, 2}, {2, 1, 2}},
    {3, 3, {2, 3, 4}, {2, 3, 4}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void check_tensors(strew_binary_op op, strew_dtype da, strew_dtype db) {
  for (int s = 0; s < SHAPES; s++) {
    const struct shapes *shape = &shapes[s];
    enum layout la = (enum layout)draw_below(LAYOUT_COUNT), lb = (enum layout)draw_below(LAYOUT_COUNT);
    strew_tensor *a = random_tensor(da, shape->rank_a, shape->a, la);
    strew_tensor *b = random_second(op, db, shape->rank_b, shape->b, lb);
    check_binary(op, strew_of(a), strew_of(b));
    strew_release(a);
    strew_release(b);
  }
}

/* Many rows that are too short for a loop of their own, with stride 0 along some dimensions; thread ranges and blocks
   begin and end inside of rows. */
START_TEST(short_rows_match_the_loop) {
  static const struct shapes shapes_short[] = {
      {2, 1, {1100, 5}, {5}},           {2, 2, {2300, 1}, {2300, 3}},  {3, 3, {3, 400, 7}, {3, 1, 7}},
      {3, 3, {1, 90, 17}, {20, 90, 1}}, {3, 2, {2, 40, 127}, {40, 1}}, {4, 4, {2, 1, 300, 2}, {1, 3, 1, 2}},
  };
  static const strew_dtype dtypes_a[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_BFLOAT16, STREW_INT64, STREW_INT8},
                           dtypes_b[] = {STREW_FLOAT32, STREW_INT16, STREW_BFLOAT16, STREW_INT64, STREW_BOOL};
  const struct shapes *shape = &shapes_short[_i];
  use_turn(_i % TURNS, _i / TURNS);
  seed_draws((uint64_t)_i);
  for (int layout = 0; layout < LAYOUT_COUNT; layout++)
    for (int d = 0; d < 5; d++) {
      if (lacks(dtypes_a[d]) || !chosen(d + layout, 7)) continue;
      strew_tensor *a = random_tensor(dtypes_a[d], shape->rank_a, shape->a, CONTIGUOUS);
      strew_tensor *b = random_tensor(dtypes_b[d], shape->rank_b, shape->b, (enum layout)layout);
      check_binary(d % 2 ? STREW_MUL : STREW_MAXIMUM, strew_of(a), strew_of(b));
      check_binary(STREW_LT, strew_of(b), strew_of(a));
      strew_release(a);
      strew_release(b);
    }
}
END_TEST

static void check_numbers(strew_binary_op op, strew_dtype dtype) {
  const strew_scalar numbers[] = {strew_bool(true), strew_int(1),     strew_int(3),      strew_int(7),
                                  strew_float(2.5), strew_float(0.1), strew_float(-0.0), strew_float(INFINITY),
                                  strew_float(NAN), strew_float(-3)};
  /* numbers that few dtypes or none can hold; comparisons accept them */
  const strew_scalar any[] = {
      strew_int(300),        strew_int(-300),        strew_int(INT64_MAX),   strew_int(INT64_MIN),
      strew_int(70000),      strew_float(0.5),       strew_float(-0.5),      strew_float(0x1p63),
      strew_float(-0x1p63),  strew_float(-0x1.8p63), strew_float(1e300),     strew_float(-1e300),
      strew_float(65519.9),  strew_float(65520),     strew_float(-65520),    strew_float(1e39),
      strew_float(16777216), strew_float(1e-300),    strew_float(127.5),     strew_float(-128.5),
      strew_float(255.5),    strew_int(16777217),    strew_float(-INFINITY), strew_float(0x1.fffffffffffffp62)};
  const int64_t sizes[] = {3, 5};
  for (size_t i = 0; binary_rows[op].gives != GIVES_COMMON && i < sizeof any / sizeof *any; i++) {
    strew_tensor *x = random_tensor(dtype, 2, sizes, (enum layout)draw_below(LAYOUT_COUNT));
    check_binary(op, strew_of(x), strew_number(any[i]));
    check_binary(op, strew_number(any[i]), strew_of(x));
    strew_release(x);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    for (int rank = 0; rank <= 2; rank += 2) {
      enum layout layout = (enum layout)draw_below(LAYOUT_COUNT);
      strew_tensor *x = random_tensor(dtype, rank, sizes, layout);
      strew_tensor *divisor = random_second(op, dtype, rank, sizes, layout);
      check_binary(op, strew_of(x), strew_number(numbers[i]));
      check_binary(op, strew_number(numbers[i]), strew_of(divisor));
      strew_release(x);
      strew_release(divisor);
    }
  }
}

/* _i: operation x first dtype */
START_TEST(binary_matches_the_loop) {
  strew_binary_op op = (strew_binary_op)(_i / STREW_DTYPE_COUNT);
  strew_dtype da = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  use_threads(1 + _i % 2);
  seed_draws((uint64_t)_i);
  if (lacks(da) || !chosen(_i, 12)) return;
  for (int db = 0; db < STREW_DTYPE_COUNT; db++)
    if (!lacks((strew_dtype)db) && chosen(_i + db, 5)) check_tensors(op, da, (strew_dtype)db);
  check_numbers(op, da);
}
END_TEST

/* Rows longer than a block, and the tails of vector loops. */
START_TEST(long_rows_match_the_loop) {
  strew_binary_op op = (strew_binary_op)_i;
  use_threads(1); /* which would split the rows */
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
    strew_dtype dtype = (strew_dtype)d;
    if (lacks(dtype) || !chosen(_i + 7 * d, 20)) continue;
    const int64_t sizes[] = {2, 2500 + draw_below(17)};
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      strew_tensor *a = random_tensor(dtype, 2, sizes, (enum layout)layout);
      strew_tensor *b = random_second(op, dtype, 2, sizes, CONTIGUOUS);
      check_binary(op, strew_of(a), strew_of(b));
      check_binary(op, strew_of(a), strew_number(strew_int(2)));
      strew_release(a);
      strew_release(b);
    }
  }
}
END_TEST

START_TEST(threads_do_not_matter) {
  strew_binary_op op = (strew_binary_op)_i;
  const int64_t sizes[] = {37, 211}, column[] = {37, 1};
  strew_tensor *a[STREW_DTYPE_COUNT] = {NULL}, *b[STREW_DTYPE_COUNT] = {NULL}, *first[STREW_DTYPE_COUNT] = {NULL};
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
    if (!chosen(_i * STREW_DTYPE_COUNT + d, 2)) continue;
    a[d] = random_tensor((strew_dtype)d, 2, sizes, STRIDED);
    b[d] = random_second(op, (strew_dtype)d, 2, column, CONTIGUOUS);
  }
  const int threads[] = {1, 2, 3, 7};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    use_threads(threads[t]);
    for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
      strew_tensor *out = NULL;
      if (!a[d] || is_refused(op, strew_of(a[d]), strew_of(b[d]))) continue;
      ok(strew_binary(op, strew_of(a[d]), strew_of(b[d]), &out, &failure));
      if (first[d])
        assert_same(out, first[d], binary_rows[op].name);
      else
        first[d] = strew_retain(out);
      strew_release(out);
    }
  }
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) strew_release(a[d]), strew_release(b[d]), strew_release(first[d]);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- unary */

static void check_unary(strew_unary_op op, strew_tensor *x) {
  strew_dtype dtype = strew_tensor_dtype(x);
  const struct table_row *row = &unary_rows[op];
  strew_tensor *out = NULL;
  if ((row->takes == TAKES_NUMBERS && dtype == STREW_BOOL) || (row->takes == TAKES_BITS && is_float_dtype(dtype))) {
    assert_fails(strew_unary(op, x, &out, &failure), STREW_EDTYPE, NULL);
    return;
  }
  strew_dtype common = row->takes == TAKES_FLOATS && !is_float_dtype(dtype) ? STREW_FLOAT32 : dtype;
  strew_dtype compute = is_half(common) ? STREW_FLOAT32 : common;
  strew_dtype gives = row->gives != GIVES_COMMON ? STREW_BOOL : common;
  int64_t count = strew_tensor_numel(x);
  char *host = host_of(x), *expected = malloc((size_t)count * 8 + 8);
  for (int64_t i = 0; i < count; i++) {
    strew_scalar from = convert(strew_scalar_load(dtype, host + (size_t)i * strew_dtype_size_bytes(dtype)), compute);
    strew_scalar result = apply_unary(op, common, from);
    ok(strew_scalar_store(result, STREW_SATURATE, gives, expected + (size_t)i * strew_dtype_size_bytes(gives),
                          &failure));
  }
  ok(strew_unary(op, x, &out, &failure));
  assert_sizes(out, strew_tensor_rank(x), strew_tensor_sizes(x));
  assert_elements(out, gives, expected, "%s of %s", row->name, strew_dtype_name(dtype));
  free(host);
  free(expected);
  strew_release(out);
}

START_TEST(unary_matches_the_loop) {
  strew_unary_op op = (strew_unary_op)(_i / STREW_DTYPE_COUNT);
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  const struct {
    int rank;
    int64_t sizes[3];
  } shapes_1[] = {{0, {0}}, {1, {1}}, {1, {2311}}, {2, {0, 4}}, {3, {5, 6, 7}}, {2, {40, 3}}};
  if (lacks(dtype) || !chosen(_i, 12)) return;
  use_threads(1 + _i % 2);
  seed_draws((uint64_t)_i);
  for (size_t s = 0; s < sizeof shapes_1 / sizeof *shapes_1; s++) {
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      strew_tensor *x = random_tensor(dtype, shapes_1[s].rank, shapes_1[s].sizes, (enum layout)layout);
      check_unary(op, x);
      strew_release(x);
    }
  }
}
END_TEST

/* ------------------------------------------------------------------------------------- where, masked_fill, clamp */

static void check_where(strew_tensor *condition, strew_operand a, strew_operand b) {
  strew_tensor *out = NULL;
  ok(strew_where(condition, a, b, &out, &failure));
  strew_dtype common = a.tensor || b.tensor              ? common_of(a, b)
                       : a.number.dtype == STREW_FLOAT64 ? STREW_FLOAT32
                                                         : a.number.dtype;
  int rank = strew_tensor_rank(out);
  const int64_t *sizes = strew_tensor_sizes(out);
  struct opened c = open_operand(strew_of(condition), rank), x = open_operand(a, rank), y = open_operand(b, rank);
  int64_t count = strew_tensor_numel(out);
  char *expected = malloc((size_t)count * 8 + 8);
  for (int64_t i = 0; i < count; i++) {
    bool first = element_at(&c, rank, sizes, i).as.i != 0;
    ok(strew_scalar_store(element_at(first ? &x : &y, rank, sizes, i), STREW_SATURATE, common,
                          expected + (size_t)i * strew_dtype_size_bytes(common), &failure));
  }
  assert_elements(out, common, expected, "where, %s", strew_dtype_name(common));
  free(c.host), free(x.host), free(y.host), free(expected);
  strew_release(out);
}

START_TEST(where_matches_the_loop) {
  strew_dtype da = (strew_dtype)(_i / STREW_DTYPE_COUNT), db = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(da) || lacks(db) || !chosen(_i, 24)) return;
  use_threads(1 + _i % 2);
  seed_draws((uint64_t)_i);
  for (int s = 0; s < SHAPES; s++) {
    const struct shapes *shape = &shapes[s];
    bool outer = shape->rank_a >= shape->rank_b;
    strew_tensor *condition = random_tensor(STREW_BOOL, outer ? shape->rank_b : shape->rank_a,
                                            outer ? shape->b : shape->a, (enum layout)draw_below(LAYOUT_COUNT));
    strew_tensor *a = random_tensor(da, shape->rank_a, shape->a, (enum layout)draw_below(LAYOUT_COUNT));
    strew_tensor *b = random_tensor(db, shape->rank_b, shape->b, (enum layout)draw_below(LAYOUT_COUNT));
    check_where(condition, strew_of(a), strew_of(b));
    check_where(condition, strew_of(a), strew_number(strew_int(1)));
    check_where(condition, strew_number(strew_float(0.25)), strew_of(b));
    check_where(condition, strew_number(strew_int(3)), strew_number(strew_int(4)));
    strew_release(condition);
    strew_release(a);
    strew_release(b);
  }
}
END_TEST

START_TEST(masked_fill_matches_where) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 3)) return;
  const int64_t sizes[] = {4, 6};
  strew_tensor *x = random_tensor(dtype, 2, sizes, STRIDED), *mask = random_tensor(STREW_BOOL, 1, sizes + 1, STRIDED);
  strew_tensor *one = scalar_tensor(STREW_BOOL, strew_bool(true)), *expected = NULL, *out = NULL, *again = NULL;
  ok(strew_where(mask, strew_of(one), strew_of(x), &expected, &failure));
  ok(strew_masked_fill(x, mask, strew_number(strew_int(1)), &out, &failure));
  assert_same(out, expected, "masked_fill with a number");
  ck_assert_int_eq(strew_tensor_dtype(out), dtype);
  ok(strew_masked_fill(x, mask, strew_of(one), &again, &failure));
  assert_same(again, expected, "masked_fill with a tensor");
  ok(strew_masked_fill(x, mask, strew_number(strew_int(1)), &x, &failure));
  assert_same(x, expected, "masked_fill_");
  strew_release(x), strew_release(mask), strew_release(one);
  strew_release(expected), strew_release(out), strew_release(again);
}
END_TEST

static void check_clamp(strew_tensor *x, const strew_operand *low, const strew_operand *high) {
  strew_tensor *out = NULL, *expected = NULL, *step = NULL;
  ok(strew_clamp_with(x, low ? *low : strew_no_operand(), high ? *high : strew_no_operand(), &out, &failure));
  /* both bounds take part in promotion */
  strew_dtype dtype = strew_tensor_dtype(out);
  ok(strew_to(x, device, dtype, &step, &failure));
  if (low) {
    ok(strew_binary(STREW_MAXIMUM, strew_of(step), *low, &expected, &failure));
    strew_release(step);
    step = expected, expected = NULL;
  }
  if (high) {
    ok(strew_binary(STREW_MINIMUM, strew_of(step), *high, &expected, &failure));
    strew_release(step);
    step = expected, expected = NULL;
  }
  assert_same(out, step, "clamp");
  strew_release(step);
  strew_release(out);
}

START_TEST(clamp_is_minimum_of_maximum) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 3)) return;
  const int64_t sizes[] = {5, 301}, column[] = {5, 1};
  strew_operand one = strew_number(strew_int(1)), half = strew_number(strew_float(1.5)),
                three = strew_number(strew_int(3));
  for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
    strew_tensor *x = random_tensor(dtype, 2, sizes, (enum layout)layout);
    strew_tensor *bound = random_tensor(dtype, 2, column, STRIDED);
    strew_operand tensor = strew_of(bound);
    check_clamp(x, &one, &three);
    check_clamp(x, NULL, &half);
    check_clamp(x, &one, NULL);
    check_clamp(x, &tensor, &three);
    check_clamp(x, &one, &tensor);
    check_clamp(x, &three, &one);
    if (layout != EXPANDED) {
      strew_tensor *expected = NULL;
      ok(strew_clamp_with(x, tensor, three, &expected, &failure));
      if (strew_tensor_dtype(expected) == dtype) {
        ok(strew_clamp_with(x, tensor, three, &x, &failure));
        assert_same(x, expected, "clamp_");
      }
      strew_release(expected);
    }
    strew_release(x);
    strew_release(bound);
  }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- in place */

/* A view in the middle of a larger tensor: the surrounding elements do not change. */
START_TEST(in_place_writes_just_the_view) {
  strew_binary_op op = (strew_binary_op)(_i / STREW_DTYPE_COUNT);
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  const int64_t sizes[] = {9, 11}, view_sizes[] = {3, 4}, view_strides[] = {22, 2};
  if (lacks(dtype) || !chosen(_i, 24)) return;
  use_threads(1 + _i % 2);
  seed_draws((uint64_t)_i);
  strew_tensor *base = random_tensor(dtype, 2, sizes, CONTIGUOUS), *view = NULL;
  strew_tensor *other = random_second(op, dtype, 1, view_sizes + 1, STRIDED);
  ok(strew_as_strided(base, 2, view_sizes, view_strides, 13, &view, &failure));
  strew_operand a = strew_of(view), b = strew_of(other);
  size_t size = strew_dtype_size_bytes(dtype);
  const bool gives_float = binary_rows[op].takes == TAKES_FLOATS;
  const bool fits = !gives_float || is_float_dtype(dtype);
  if (is_refused(op, a, b) || !fits) {
    assert_fails(strew_binary(op, a, b, &view, &failure), STREW_EDTYPE, NULL);
  } else {
    char *expected = expected_of(op, a, b, view, dtype), *before = host_of(base);
    strew_tensor *out = view;
    ok(strew_binary(op, a, b, &out, &failure));
    ck_assert_ptr_eq(out, view);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 4; c++)
        memcpy(before + (size_t)(13 + 22 * r + 2 * c) * size, expected + (size_t)(4 * r + c) * size, size);
    assert_elements(base, dtype, before, "%s_ and the surrounding elements", binary_rows[op].name);
    free(expected), free(before);
  }
  strew_release(base), strew_release(view), strew_release(other);
}
END_TEST

START_TEST(in_place_with_itself) {
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
    if (lacks((strew_dtype)d)) continue;
    const int64_t size = 3001;
    strew_tensor *x = random_tensor((strew_dtype)d, 1, &size, CONTIGUOUS), *out = x;
    char *expected = expected_of(STREW_ADD, strew_of(x), strew_of(x), x, (strew_dtype)d);
    ok(strew_binary(STREW_ADD, strew_of(x), strew_of(x), &out, &failure));
    assert_elements(x, (strew_dtype)d, expected, "x:add_(x)");
    free(expected);
    strew_release(x);
  }
}
END_TEST

/* Every pair of dtypes: self's is kept if both are promoted to it, else nothing is written. */
START_TEST(in_place_keeps_the_promoted_dtype) {
  const strew_dtype dtype = (strew_dtype)_i;
  const int64_t sizes[] = {3, 5};
  if (lacks(dtype)) return;
  seed_draws((uint64_t)_i);
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
    if (lacks((strew_dtype)d)) continue;
    for (int rank = 0; rank <= 2; rank++) {
      strew_tensor *x = random_tensor(dtype, 2, sizes, CONTIGUOUS), *out = x;
      strew_tensor *y = random_tensor((strew_dtype)d, rank, sizes + 2 - rank, STRIDED);
      const bool fits = promoted_of(dtype, (strew_dtype)d) == dtype;
      char *expected = fits ? expected_of(STREW_MAXIMUM, strew_of(x), strew_of(y), x, dtype) : host_of(x);
      const strew_status status = strew_binary(STREW_MAXIMUM, strew_of(x), strew_of(y), &out, &failure);
      ck_assert_int_eq(status, fits ? STREW_OK : STREW_EDTYPE);
      if (!fits) ck_assert_ptr_nonnull(strstr(failure.hint, "strew_to("));
      assert_elements(x, dtype, expected, "maximum_ of %s", strew_dtype_name((strew_dtype)d));
      ok(strew_binary(STREW_EQ, strew_of(x), strew_of(y), &out, &failure)); /* a bool fits everywhere */
      free(expected);
      strew_release(x), strew_release(y);
    }
  }
}
END_TEST

START_TEST(out_of_another_dtype) {
  if (lacks(STREW_FLOAT64)) return;
  const double left[] = {1.25, -2.5, 3}, right[] = {1, 2, 300}, sum[] = {2.25, -0.5, 303};
  strew_tensor *a = tensor_from_doubles(STREW_FLOAT32, 3, left), *b = tensor_from_doubles(STREW_INT16, 3, right);
  strew_tensor *out = tensor_from_doubles(STREW_FLOAT64, 3, right), *kept = out;
  ok(strew_binary(STREW_ADD, strew_of(a), strew_of(b), &out, &failure));
  ck_assert_ptr_eq(out, kept);
  assert_elements(out, STREW_FLOAT64, sum, "float64 out");
  strew_tensor *narrow = tensor_from_doubles(STREW_INT8, 3, (const double[]){1, 2, 3});
  assert_fails(strew_binary(STREW_MUL, strew_of(b), strew_of(b), &narrow, &failure), STREW_EDTYPE, NULL);
  assert_elements(narrow, STREW_INT8, (int8_t[]){1, 2, 3}, "int8 does not hold int16");
  strew_tensor *ones = tensor_from_doubles(STREW_FLOAT16, 3, right);
  ok(strew_binary(STREW_EQ, strew_of(b), strew_number(strew_int(2)), &ones, &failure));
  assert_elements(ones, STREW_FLOAT16, (uint16_t[]){0, 0x3c00, 0}, "a comparison into float16");
  strew_release(a), strew_release(b), strew_release(out), strew_release(narrow), strew_release(ones);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- suite */

Suite *make_suite(void) {
  Suite *suite = suite_create("elementwise");
  TCase *loops = new_case(suite, "against plain loops");
  tcase_add_loop_test(loops, binary_matches_the_loop, 0, STREW_BINARY_COUNT * STREW_DTYPE_COUNT);
  tcase_add_loop_test(loops, long_rows_match_the_loop, 0, STREW_BINARY_COUNT);
  if (!on_device()) tcase_add_loop_test(loops, threads_do_not_matter, 0, STREW_BINARY_COUNT);
  tcase_add_loop_test(loops, short_rows_match_the_loop, 0, 6);
  tcase_add_loop_test(loops, unary_matches_the_loop, 0, STREW_UNARY_COUNT * STREW_DTYPE_COUNT);
  tcase_add_loop_test(loops, where_matches_the_loop, 0, STREW_DTYPE_COUNT * STREW_DTYPE_COUNT);
  tcase_add_loop_test(loops, masked_fill_matches_where, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(loops, clamp_is_minimum_of_maximum, 0, STREW_DTYPE_COUNT);
  TCase *places = new_case(suite, "in place");
  tcase_add_loop_test(places, in_place_writes_just_the_view, 0, STREW_BINARY_COUNT * STREW_DTYPE_COUNT);
  tcase_add_test(places, in_place_with_itself);
  tcase_add_loop_test(places, in_place_keeps_the_promoted_dtype, 0, STREW_DTYPE_COUNT);
  tcase_add_test(places, out_of_another_dtype);
  return suite;
}
