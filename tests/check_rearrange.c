/* check_rearrange.c: elements in another order or several times, diagonals and triangles, parts, rows at several
   indices, differences, membership, points in bins: of random shapes and layouts, against plain loops, bit for bit; and
   the failures. */
#include "testing.h"

#include <math.h>
#include <string.h>

enum { TIMES = 60 };

/* A call: a source of up to four dimensions, and the call's numbers. */
struct work {
  strew_tensor *self;
  strew_dtype dtype;
  int rank;
  int64_t sizes[4];
  int dim, other;
  int64_t numbers[4];
};

static struct work draw_work(int least, int most) {
  struct work w = {.dtype = dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT))};
  w.rank = least + (int)draw_below(most - least + 1);
  for (int d = 0; d < w.rank; d++) w.sizes[d] = draw_below(10) ? 1 + draw_below(5) : 0;
  for (int k = 0; k < 4; k++) w.numbers[k] = draw_below(11) - 5;
  w.dim = w.rank ? (int)draw_below(w.rank) : 0;
  w.other = w.rank ? (int)draw_below(w.rank) : 0;
  w.self = random_tensor(w.dtype, w.rank, w.sizes, (enum layout)draw_below(LAYOUT_COUNT));
  return w;
}

/* Sets the coordinates of the source's element at those of the result; false: there is a zero. */
typedef bool source_of(const struct work *w, const int64_t *at, int64_t *from);

/* The result has this shape, and the elements that `source` names. Releases it. */
static void check(const struct work *w, strew_tensor **out, int rank, const int64_t *sizes, source_of *source,
                  const char *what) {
  const size_t bytes = strew_dtype_size_bytes(w->dtype);
  const int64_t count = count_of(rank, sizes);
  char *elements = host_of(w->self), *expected = calloc((size_t)count + 1, bytes);
  for (int64_t i = 0; i < count; i++) {
    int64_t at[8], from[8], number = 0;
    coordinates(i, rank, sizes, at);
    if (!source(w, at, from)) continue;
    for (int d = 0; d < w->rank; d++) number = number * w->sizes[d] + from[d];
    memcpy(expected + (size_t)i * bytes, elements + (size_t)number * bytes, bytes);
  }
  assert_sizes(*out, rank, sizes);
  assert_elements(*out, w->dtype, expected, "%s of %s", what, strew_dtype_name(w->dtype));
  free(elements), free(expected);
  strew_release(*out), *out = NULL;
}

static bool flipped(const struct work *w, const int64_t *at, int64_t *from) {
  for (int d = 0; d < w->rank; d++) {
    const bool turns = w->numbers[3] < 0 || d == w->dim || d == w->other;
    from[d] = turns ? w->sizes[d] - 1 - at[d] : at[d];
  }
  return true;
}

static bool rolled(const struct work *w, const int64_t *at, int64_t *from) {
  memcpy(from, at, sizeof w->sizes);
  from[w->dim] = ((from[w->dim] - w->numbers[0]) % w->sizes[w->dim] + w->sizes[w->dim]) % w->sizes[w->dim];
  from[w->other] = ((from[w->other] - w->numbers[1]) % w->sizes[w->other] + w->sizes[w->other]) % w->sizes[w->other];
  return true;
}

static bool rolled_flat(const struct work *w, const int64_t *at, int64_t *from) {
  const int64_t count = count_of(w->rank, w->sizes);
  int64_t number = 0;
  for (int d = 0; d < w->rank; d++) number = number * w->sizes[d] + at[d];
  coordinates(((number - w->numbers[0]) % count + count) % count, w->rank, w->sizes, from);
  return true;
}

static bool repeated(const struct work *w, const int64_t *at, int64_t *from) { /* one more dimension */
  for (int d = 0; d < w->rank; d++) from[d] = at[d + 1] % w->sizes[d];
  return true;
}

static bool stretched(const struct work *w, const int64_t *at, int64_t *from) {
  memcpy(from, at, sizeof w->sizes);
  from[w->dim] /= w->numbers[0];
  return true;
}

static bool counted(const struct work *w, const int64_t *at, int64_t *from) { /* 1, 3, 0, 2, ... times */
  memcpy(from, at, sizeof w->sizes);
  int64_t left = at[w->dim];
  for (from[w->dim] = 0; left >= from[w->dim] * 3 % 5 % 4 + (from[w->dim] == 0); from[w->dim]++)
    left -= from[w->dim] * 3 % 5 % 4 + (from[w->dim] == 0);
  return true;
}

static bool lower(const struct work *w, const int64_t *at, int64_t *from) {
  memcpy(from, at, sizeof w->sizes);
  return at[w->rank - 1] - at[w->rank - 2] <= w->numbers[0];
}

static bool upper(const struct work *w, const int64_t *at, int64_t *from) {
  memcpy(from, at, sizeof w->sizes);
  return at[w->rank - 1] - at[w->rank - 2] >= w->numbers[0];
}

static bool on_diagonal(const struct work *w, const int64_t *at, int64_t *from) {
  for (int d = 0, k = 0; d < w->rank; d++)
    if (d != w->dim && d != w->other) from[d] = at[k++];
  from[w->dim] = at[w->rank - 2] + (w->numbers[0] < 0 ? -w->numbers[0] : 0);
  from[w->other] = at[w->rank - 2] + (w->numbers[0] > 0 ? w->numbers[0] : 0);
  return true;
}

START_TEST(test_moved_elements) {
  seed_draws(71);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    struct work w = draw_work(0, 4);
    strew_tensor *out = NULL;
    int64_t dims[] = {w.dim, w.other - w.rank}, sizes[8];
    if (w.rank && w.dim != w.other && w.numbers[3] >= 0) {
      ok(strew_flip(w.self, 2, dims, &out, &failure));
      check(&w, &out, w.rank, w.sizes, flipped, "flip of two");
    }
    w.numbers[3] = -1;
    ok(strew_flip(w.self, 0, NULL, &out, &failure));
    check(&w, &out, w.rank, w.sizes, flipped, "flip of all");
    if (w.rank) {
      ok(strew_roll(w.self, 2, w.numbers, dims, &out, &failure));
      if (w.dim == w.other) w.numbers[0] += w.numbers[1], w.numbers[1] = 0;
      check(&w, &out, w.rank, w.sizes, rolled, "roll");
    }
    w.numbers[0] = draw_below(3) ? w.numbers[0] : draw_below(2) ? INT64_MAX : INT64_MIN;
    ok(strew_roll(w.self, 1, w.numbers, NULL, &out, &failure));
    w.numbers[0] %= count_of(w.rank, w.sizes) + !count_of(w.rank, w.sizes);
    check(&w, &out, w.rank, w.sizes, rolled_flat, "roll of all");
    const int64_t repeats[] = {draw_below(3), draw_below(3), draw_below(3), draw_below(3), draw_below(3)};
    for (int d = 0; d <= w.rank; d++) sizes[d] = repeats[d] * (d ? w.sizes[d - 1] : 1);
    ok(strew_repeat(w.self, w.rank + 1, repeats, &out, &failure));
    check(&w, &out, w.rank + 1, sizes, repeated, "repeat");
    strew_release(w.self);
  }
}
END_TEST

START_TEST(test_repeated_positions) {
  seed_draws(72);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    struct work w = draw_work(1, 4);
    strew_tensor *out = NULL, *one = NULL;
    int64_t sizes[4], counts[5], n = w.sizes[w.dim], total = 0;
    memcpy(sizes, w.sizes, sizeof sizes);
    w.numbers[0] = draw_below(4);
    sizes[w.dim] = n * w.numbers[0];
    ok(strew_repeat_interleave(w.self, strew_number(strew_int(w.numbers[0])), w.dim - w.rank, &out, &failure));
    check(&w, &out, w.rank, sizes, stretched, "repeat_interleave of a number");
    one = scalar_tensor(STREW_INT64, strew_int(w.numbers[0]));
    ok(strew_repeat_interleave(w.self, strew_of(one), w.dim, &out, &failure));
    check(&w, &out, w.rank, sizes, stretched, "repeat_interleave of one count");
    strew_release(one);
    for (int64_t i = 0; i < n; i++) total += counts[i] = i * 3 % 5 % 4 + (i == 0);
    sizes[w.dim] = total;
    one = tensor_of(STREW_INT64, 1, &n, STRIDED, counts);
    ok(strew_repeat_interleave(w.self, strew_of(one), w.dim, &out, &failure));
    check(&w, &out, w.rank, sizes, counted, "repeat_interleave of counts");
    strew_release(one), strew_release(w.self);
  }
}
END_TEST

/* Long lines of every width, by several threads: no count or one above those that are written at once. */
START_TEST(test_long_repeats) {
  seed_draws(78);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    const strew_dtype dtype = dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT));
    const int64_t n = 1 + draw_below(draw_below(2) ? 40 : 3000), most = 1 + draw_below(12);
    const size_t bytes = strew_dtype_size_bytes(dtype);
    int64_t *counts = malloc((size_t)n * sizeof *counts), total = 0;
    const int64_t often = draw_below(8) ? -1 : draw_below(n); /* more than a chunk */
    for (int64_t i = 0; i < n; i++)
      total += counts[i] = i == often        ? 140000 + draw_below(140000)
                           : draw_below(200) ? draw_below(most)
                                             : draw_below(300);
    strew_tensor *line = random_tensor(dtype, 1, &n, (enum layout)draw_below(LAYOUT_COUNT)), *out = NULL;
    strew_tensor *repeats = tensor_of(STREW_INT64, 1, &n, draw_below(2) ? CONTIGUOUS : STRIDED, counts);
    char *elements = host_of(line), *expected = malloc((size_t)(total + 1) * bytes), *to = expected;
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k < counts[i]; k++, to += bytes) memcpy(to, elements + (size_t)i * bytes, bytes);
    ok(strew_repeat_interleave(line, strew_of(repeats), 0, &out, &failure));
    assert_sizes(out, 1, &total);
    assert_elements(out, dtype, expected, "repeat_interleave of %s", strew_dtype_name(dtype));
    free(counts), free(elements), free(expected);
    strew_release(line), strew_release(repeats), strew_release(out);
  }
}
END_TEST

START_TEST(test_diagonals_and_triangles) {
  seed_draws(73);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    struct work w = draw_work(2, 4);
    strew_tensor *out = NULL, *copy = NULL;
    ok(strew_tril(w.self, w.numbers[0], &out, &failure));
    check(&w, &out, w.rank, w.sizes, lower, "tril");
    ok(strew_clone(w.self, &copy, &failure));
    ok(strew_triu(copy, w.numbers[0], &copy, &failure));
    check(&w, &copy, w.rank, w.sizes, upper, "triu in place");
    if (w.dim != w.other) {
      int64_t sizes[4] = {0}, most = w.sizes[w.numbers[0] < 0 ? w.dim : w.other];
      const int64_t least = w.sizes[w.numbers[0] < 0 ? w.other : w.dim];
      most -= w.numbers[0] < 0 ? -w.numbers[0] : w.numbers[0];
      int rank = 0;
      for (int d = 0; d < w.rank; d++)
        if (d != w.dim && d != w.other) sizes[rank++] = w.sizes[d];
      sizes[rank++] = most < 0 ? 0 : most < least ? most : least;
      ok(strew_diagonal(w.self, w.numbers[0], w.dim, w.other - w.rank, &out, &failure));
      ck_assert_ptr_eq(strew_tensor_storage(out), strew_tensor_storage(w.self));
      check(&w, &out, rank, sizes, on_diagonal, "diagonal");
      ok(strew_diagonal(w.self, t & 1 ? INT64_MIN : INT64_MAX, w.dim, w.other, &out, &failure));
      ck_assert_int_eq(strew_tensor_sizes(out)[rank - 1], 0);
      strew_release(out);
    }
    strew_release(w.self);
  }
}
END_TEST

START_TEST(test_parts) {
  seed_draws(74);
  for (int t = 0; t < some(TIMES); t++) {
    struct work w = draw_work(1, 4);
    strew_tensor *parts[8] = {NULL}, *joined = NULL, *whole = NULL;
    int64_t sizes[8], left = w.sizes[w.dim];
    int count = 0;
    for (; count < 6 || left; count++) left -= sizes[count] = count == 6 ? left : draw_below(left + 1);
    ok(strew_split(w.self, w.dim - w.rank, count, sizes, parts, &failure));
    for (int k = 0; k < count; k++) {
      ck_assert_ptr_eq(strew_tensor_storage(parts[k]), strew_tensor_storage(w.self));
      ck_assert_int_eq(strew_tensor_sizes(parts[k])[w.dim], sizes[k]);
    }
    ok(strew_cat(count, parts, w.dim, &joined, &failure));
    ok(strew_clone(w.self, &whole, &failure));
    if (count_of(w.rank, w.sizes)) assert_same(joined, whole, "split");
    for (int k = 0; k < count; k++) strew_release(parts[k]);
    strew_release(joined), strew_release(whole), strew_release(w.self);
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------- rows at several indices */

START_TEST(test_rows_at_indices) {
  seed_draws(75);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    struct work w = draw_work(3, 3);
    for (int d = 0; d < 3; d++) w.sizes[d] = 1 + draw_below(4);
    strew_release(w.self);
    w.self = random_tensor(w.dtype, 3, w.sizes, (enum layout)draw_below(LAYOUT_COUNT));
    strew_tensor *column = random_integers(STREW_INT64, 2, (int64_t[]){3, 1}, CONTIGUOUS, -w.sizes[0], w.sizes[0]);
    strew_tensor *line = random_integers(STREW_INT32, 1, (int64_t[]){2}, STRIDED, 0, w.sizes[1]), *out = NULL;
    strew_tensor *indices[] = {column, line}, *zeros = NULL, *ones = NULL, *sums = NULL;
    const strew_index_options wrap = {.mode = STREW_WRAP};
    ok(strew_index_get(w.self, 2, indices, &wrap, &out, &failure));
    assert_sizes(out, 3, (int64_t[]){3, 2, w.sizes[2]});
    int64_t *rows = host_of(column);
    int32_t *columns = host_of(line);
    for (int64_t i = 0; i < 3; i++)
      for (int64_t j = 0; j < 2; j++)
        for (int64_t k = 0; k < w.sizes[2]; k++) {
          strew_scalar found, expected;
          ok(strew_get(out, 3, (int64_t[]){i, j, k}, &found, &failure));
          ok(strew_get(w.self, 3, (int64_t[]){rows[i], columns[j], k}, &expected, &failure));
          ck_assert(found.dtype == expected.dtype && found.as.i == expected.as.i);
        }
    /* a mask stands for the positions of its true elements: as index_put writes */
    strew_tensor *mask = random_integers(STREW_BOOL, 2, w.sizes, CONTIGUOUS, 0, 2);
    ok(strew_index_get(w.self, 1, &mask, NULL, &sums, &failure));
    ok(strew_get_rows(w.self, mask, &ones, &failure));
    assert_same(sums, ones, "index_get of a mask");
    free(rows), free(columns);
    strew_tensor *all[] = {column, line, out, zeros, ones, sums, mask, w.self};
    for (int i = 0; i < 8; i++) strew_release(all[i]);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------- differences, kinds */

START_TEST(test_differences) {
  const int64_t two[] = {2, 4}, three[] = {2, 3}, none[] = {2, 0};
  const int32_t numbers[] = {1, 4, 9, 16, 5, 3, 3, INT32_MIN};
  strew_tensor *x = tensor_of(STREW_INT32, 2, two, PERMUTED, numbers), *out = NULL, *bools = NULL, *point = NULL;
  ok(strew_diff(x, 1, -1, &out, &failure));
  assert_sizes(out, 2, three);
  assert_elements(out, STREW_INT32, (int32_t[]){3, 5, 7, -2, 0, INT32_MAX - 2}, "diff");
  strew_release(out), out = NULL;
  ok(strew_diff(x, 2, 1, &out, &failure));
  assert_elements(out, STREW_INT32, (int32_t[]){2, 2, 2, INT32_MAX - 2}, "second differences");
  strew_release(out), out = NULL;
  ok(strew_diff(x, 1, 0, &out, &failure));
  assert_elements(out, STREW_INT32, (int32_t[]){4, -1, -6, INT32_MAX - 15}, "diff of rows");
  strew_release(out), out = NULL;
  ok(strew_diff(x, INT64_MAX, 1, &out, &failure));
  assert_sizes(out, 2, none);
  strew_release(out), out = NULL;
  ok(strew_diff(x, 0, 1, &out, &failure));
  ck_assert(strew_tensor_storage(out) != strew_tensor_storage(x));
  assert_elements(out, STREW_INT32, numbers, "no difference");
  strew_release(out), out = NULL;
  bools = tensor_from_integers(STREW_BOOL, 4, (int64_t[]){1, 1, 0, 1});
  ok(strew_diff(bools, 1, 0, &out, &failure));
  assert_elements(out, STREW_BOOL, (bool[]){false, true, true}, "diff of bools");
  strew_release(out), out = NULL;
  point = scalar_tensor(STREW_FLOAT32, strew_float(1));
  assert_fails(strew_diff(point, 1, 0, &out, &failure), STREW_ESHAPE,
               "diff: 'self' has no dimension, expected at least 1\n  self  float32[] cpu");
  assert_fails(strew_diff(x, -1, 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_diff(x, 1, 2, &out, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_null(out);
  strew_release(x), strew_release(bools), strew_release(point);
}
END_TEST

static strew_status apply(const char *text, strew_tensor *x, strew_tensor **out) {
  strew_expr *expr = NULL;
  ok(strew_expr_parse(context, text, strlen(text), &expr, &failure));
  const strew_status status =
      strew_expr_evaluate(expr, &(strew_expr_values){.inputs = (strew_operand[]){strew_of(x)}}, out, &failure);
  strew_expr_release(expr);
  return status;
}

START_TEST(test_kinds_of_numbers) {
  for (int dtype = 0; dtype < STREW_DTYPE_COUNT; dtype++) {
    if (lacks((strew_dtype)dtype)) continue;
    const double values[] = {0, 1, NAN, INFINITY, -INFINITY};
    const bool is_float = is_float_dtype((strew_dtype)dtype);
    strew_tensor *x = tensor_from_doubles((strew_dtype)dtype, 5, values), *out = NULL, *point = NULL;
    ok(apply("isnan(x)", x, &out));
    assert_elements(out, STREW_BOOL, (bool[]){0, 0, is_float, 0, 0}, "isnan");
    ok(apply("isinf(x)", x, &out)); /* into the same */
    assert_elements(out, STREW_BOOL, (bool[]){0, 0, 0, is_float, is_float}, "isinf");
    strew_release(out), out = NULL;
    ok(apply("isfinite(x)", x, &out));
    assert_elements(out, STREW_BOOL, (bool[]){1, 1, !is_float, !is_float, !is_float}, "isfinite");
    strew_release(out), out = NULL;
    ok(strew_select(x, 0, 3, &point, &failure));
    ok(apply("isinf(x)", point, &out));
    assert_sizes(out, 0, NULL);
    assert_elements(out, STREW_BOOL, &is_float, "isinf of one");
    strew_release(out), strew_release(point), strew_release(x);
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------------- membership, bins */

START_TEST(test_members) {
  seed_draws(76);
  for (int t = 0; t < some(6 * TIMES); t++) {
    use_turn(t & 1, t);
    struct work w = draw_work(0, 3), set = draw_work(0, 2);
    strew_tensor *out = NULL, *kept = NULL;
    if (t % 3 == 0 && !lacks(STREW_FLOAT64)) { /* neighbours that the other dtype rounds together */
      const double floats[] = {0x1p53, 0x1p53 + 2, -0x1p63, 0x1p63, 0.5, NAN};
      const int64_t whole[] = {((int64_t)1 << 53) + 1, ((int64_t)1 << 53) + 2, INT64_MAX, INT64_MIN, 0};
      strew_release(w.self), strew_release(set.self);
      w.rank = set.rank = 1;
      w.dtype = STREW_FLOAT64, w.sizes[0] = 6, w.self = tensor_from_doubles(w.dtype, 6, floats);
      set.dtype = STREW_INT64, set.sizes[0] = 5 - t % 2 * 2,
      set.self = tensor_from_integers(set.dtype, 5 - t % 2 * 2, whole);
      if (t % 4 > 1) {
        const struct work swapped = w;
        w = set, set = swapped;
      }
    }
    const strew_isin_options options = {.invert = t % 2};
    ok(strew_isin(w.self, set.self, &options, &out, &failure));
    assert_sizes(out, w.rank, w.sizes);
    const int64_t count = count_of(w.rank, w.sizes), others = count_of(set.rank, set.sizes);
    char *elements = host_of(w.self), *tests = host_of(set.self);
    bool *expected = calloc((size_t)count + 1, 1);
    for (int64_t i = 0; i < count; i++) {
      for (int64_t j = 0; j < others; j++)
        expected[i] |=
            order_of(strew_scalar_load(w.dtype, elements + (size_t)i * strew_dtype_size_bytes(w.dtype)),
                     strew_scalar_load(set.dtype, tests + (size_t)j * strew_dtype_size_bytes(set.dtype))) == 0;
      expected[i] ^= options.invert;
    }
    assert_elements(out, STREW_BOOL, expected, "isin of %s in %s", strew_dtype_name(w.dtype),
                    strew_dtype_name(set.dtype));
    free(elements), free(tests), free(expected);
    strew_release(out), strew_release(kept), strew_release(w.self), strew_release(set.self);
  }
}
END_TEST

START_TEST(test_points_in_bins) {
  seed_draws(77);
  for (int t = 0; t < some(TIMES); t++) {
    use_turn(t & 1, t);
    const int count = 1 + (int)draw_below(3), n = (int)draw_below(30);
    const int64_t shape[] = {2, n};
    float xs[3][60], lines[3][6];
    int64_t sizes[3], weights[60], numbers[60], expected[125] = {0}, sums[125] = {0};
    strew_tensor *points[3], *edges[3], *weighted = NULL, *counts = NULL, *bins = NULL;
    for (int i = 0; i < 2 * n; i++) weights[i] = draw_below(9) - 4;
    for (int d = 0; d < count; d++) {
      sizes[d] = 1 + draw_below(5);
      for (int i = 0; i < 2 * n; i++) xs[d][i] = draw_below(20) ? (float)(draw_below(24) - 4) / 2 : (float)NAN;
      for (int64_t k = 0; k <= sizes[d]; k++) lines[d][k] = (k ? lines[d][k - 1] : 0) + (float)draw_below(3);
      points[d] = tensor_of(STREW_FLOAT32, 2, shape, d ? STRIDED : PERMUTED, xs[d]);
      edges[d] = tensor_of(STREW_FLOAT32, 1, (int64_t[]){sizes[d] + 1}, CONTIGUOUS, lines[d]);
    }
    for (int i = 0; i < 2 * n; i++) {
      numbers[i] = 0;
      for (int d = 0; d < count && numbers[i] >= 0; d++) {
        int64_t bin = -1; /* the last one whose lower edge is not above; of the last edge the last bin */
        for (int64_t k = 0; k < sizes[d]; k++)
          if (lines[d][k] <= xs[d][i] && xs[d][i] <= lines[d][sizes[d]]) bin = k;
        numbers[i] = bin < 0 ? -1 : numbers[i] * sizes[d] + bin;
      }
      if (numbers[i] >= 0) expected[numbers[i]]++, sums[numbers[i]] += weights[i];
    }
    ok(strew_histogram(count, points, edges, NULL, &counts, &bins, &failure));
    assert_sizes(counts, count, sizes);
    assert_elements(counts, STREW_INT64, expected, "counts of %d dimensions", count);
    assert_sizes(bins, 2, shape);
    assert_elements(bins, STREW_INT64, numbers, "bins of %d dimensions", count);
    strew_release(counts), strew_release(bins), counts = NULL;
    weighted = tensor_of(STREW_INT64, 2, shape, STRIDED, weights);
    ok(strew_histogram(count, points, edges, weighted, &counts, NULL, &failure));
    assert_elements(counts, STREW_INT64, sums, "weights of %d dimensions", count);
    for (int d = 0; d < count; d++) strew_release(points[d]), strew_release(edges[d]);
    strew_release(counts), strew_release(weighted);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- failures */

START_TEST(test_refused) {
  strew_tensor *x = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3}), *matrix = NULL, *out = NULL;
  strew_tensor *bad = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, -2, 1}), *parts[2] = {NULL};
  strew_tensor *huge = tensor_from_integers(STREW_INT64, 3, (int64_t[]){INT64_MAX, 1, 0});
  strew_tensor *down = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){0, 2, 1}), *doubles = NULL, *wide = NULL;
  ok(strew_unsqueeze(x, 0, &matrix, &failure));
  assert_fails(strew_flip(matrix, 2, (int64_t[]){1, -1}, &out, &failure), STREW_ESHAPE,
               "flip: 'dims' names dimension 1 twice\n  self  float32[1, 3] cpu");
  assert_fails(strew_flip(matrix, 1, (int64_t[]){(int64_t)1 << 32}, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_flip(matrix, -1, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_roll(matrix, 2, (int64_t[]){1, 1}, NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_roll(matrix, 1, (int64_t[]){1}, (int64_t[]){2}, &out, &failure), STREW_ESHAPE,
               "roll: 'dims' is 2, out of range for 2 dimensions (valid -2..1)\n  self  float32[1, 3] cpu");
  assert_fails(strew_repeat(matrix, 1, (int64_t[]){1}, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_repeat(x, 1, (int64_t[]){-1}, &out, &failure), STREW_EVALUE,
               "repeat: 'repeats' has value -1 at [1], expected 0 or more\n  self  float32[3] cpu");
  assert_fails(strew_repeat(x, 17, (int64_t[17]){0}, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_repeat(x, 1, (int64_t[]){INT64_MAX}, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_repeat_interleave(x, strew_of(bad), 0, &out, &failure), STREW_EVALUE,
               "repeat_interleave: 'repeats' has value -2 at [1], expected 0 or more\n  self     float32[3] cpu\n"
               "  repeats  int64[3] cpu");
  assert_fails(strew_repeat_interleave(x, strew_of(huge), 0, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_repeat_interleave(x, strew_of(x), 0, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_repeat_interleave(x, strew_number(strew_float(1.5)), 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_repeat_interleave(matrix, strew_of(huge), 0, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_tril(x, 0, &out, &failure), STREW_ESHAPE,
               "tril: 'self' has 1 dimension, expected at least 2\n  self  float32[3] cpu");
  ok(strew_expand(matrix, 2, (int64_t[]){2, 3}, &wide, &failure));
  assert_fails(strew_triu(wide, 0, &wide, &failure), STREW_EOVERLAP, NULL);
  assert_fails(strew_diagonal(matrix, 0, 1, -1, &out, &failure), STREW_ESHAPE,
               "diagonal: 'dim2' is dimension 1, as dim1 is\n  self  float32[1, 3] cpu");
  assert_fails(strew_diagonal(x, 0, 0, 1, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_split(x, 0, 2, (int64_t[]){1, 1}, parts, &failure), STREW_ESHAPE,
               "split: 'sizes' sum to 2, expected 3, the size of dim 0\n  self  float32[3] cpu");
  assert_fails(strew_split(x, 0, 2, (int64_t[]){1, 3}, parts, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_split(x, 0, 2, (int64_t[]){-1, 4}, parts, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_split(x, 1, 2, (int64_t[]){1, 2}, parts, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_index_get(x, 1, &bad, NULL, &out, &failure), STREW_EINDEX, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "index_get: 'indices[1]' has value -2 at [1], out of range for dim 0"));
  assert_fails(strew_index_get(x, 1, &x, NULL, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_index_get(x, 0, &x, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_histogram(1, &x, &down, NULL, &out, NULL, &failure), STREW_EVALUE, NULL);
  ck_assert_ptr_nonnull(
      strstr(failure.message, "histogram: 'edges[1]' has value 1.0 at [2], expected values in ascending"));
  assert_fails(strew_histogram(1, &matrix, &x, down, &out, NULL, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_histogram(1, &x, &matrix, NULL, &out, NULL, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_histogram(2, (strew_tensor *[]){x, matrix}, (strew_tensor *[]){x, x}, NULL, &out, NULL, &failure),
               STREW_ESHAPE, NULL);
  assert_fails(strew_histogram(1, &x, &bad, NULL, &out, NULL, &failure), STREW_EDTYPE, NULL);
  /* 2^21 bins in each of three dimensions */
  ok(strew_arange(device, STREW_FLOAT32, strew_int(0), strew_int((1 << 21) + 1), strew_int(1), &doubles, &failure));
  strew_tensor *many[] = {doubles, doubles, doubles}, *same[] = {x, x, x};
  assert_fails(strew_histogram(3, same, many, NULL, &out, NULL, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'edges' make more bins than int64 can count"));
  ck_assert(!out && !parts[0] && !parts[1]);
  strew_tensor *all[] = {x, matrix, bad, huge, down, doubles, wide};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("rearrange");
  TCase *moved = new_case(suite, "moved");
  tcase_add_test(moved, test_moved_elements);
  tcase_add_test(moved, test_repeated_positions);
  tcase_add_test(moved, test_long_repeats);
  tcase_add_test(moved, test_diagonals_and_triangles);
  tcase_add_test(moved, test_parts);
  tcase_add_test(moved, test_rows_at_indices);
  TCase *counted_case = new_case(suite, "counted");
  tcase_add_test(counted_case, test_differences);
  tcase_add_test(counted_case, test_kinds_of_numbers);
  tcase_add_test(counted_case, test_members);
  tcase_add_test(counted_case, test_points_in_bins);
  tcase_add_test(counted_case, test_refused);
  return suite;
}
