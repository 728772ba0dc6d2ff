/* check_search.c: searches in sorted lines and counts of values against plain loops: all dtypes and layouts, lines in
   batches, numbers; and the failures. */
#include "testing.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- searches */

/* Order of two elements, NaN the largest: -1, 0 or 1. */
static int compare(strew_dtype dtype, const void *a, const void *b) {
  const strew_scalar x = strew_scalar_load(dtype, a), y = strew_scalar_load(dtype, b);
  if (x.dtype != STREW_FLOAT64) return (x.as.i > y.as.i) - (x.as.i < y.as.i);
  if (isnan(x.as.f) || isnan(y.as.f)) return isnan(x.as.f) - isnan(y.as.f);
  return (x.as.f > y.as.f) - (x.as.f < y.as.f);
}

/* The number of elements of a line that are before the value. */
static int64_t count_before(strew_dtype dtype, const char *line, int64_t size, const void *value, bool right) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; i++)
    count += compare(dtype, line + (size_t)i * strew_dtype_size_bytes(dtype), value) < right;
  return count;
}

static strew_tensor *sorted_lines(strew_dtype dtype, int rank, const int64_t *sizes) {
  strew_tensor *random = random_tensor(dtype, rank, sizes, CONTIGUOUS), *sorted = NULL;
  ok(strew_sort_with(random, -1, NULL, &sorted, NULL, &failure));
  void *elements = host_of(sorted);
  strew_tensor *laid = tensor_of(dtype, rank, sizes, (enum layout)draw_below(3), elements);
  free(elements);
  strew_release(random), strew_release(sorted);
  return laid;
}

/* Compares a search with the loop; `lines` lines of sorted, as many values for each. */
static void check_search(strew_tensor *sorted, strew_tensor *values, const char *what) {
  const strew_dtype dtype = strew_tensor_dtype(sorted);
  const size_t bytes = strew_dtype_size_bytes(dtype);
  const int rank = strew_tensor_rank(sorted);
  const int64_t size = strew_tensor_sizes(sorted)[rank - 1], count = strew_tensor_numel(values);
  const int64_t lines = count_of(rank - 1, strew_tensor_sizes(sorted));
  char *line = host_of(sorted), *value = host_of(values);
  int64_t *expected = malloc((size_t)(count + 1) * sizeof *expected);
  for (int right = 0; right < 2; right++) {
    strew_tensor *out = NULL, *given = NULL;
    for (int64_t i = 0; i < count; i++)
      expected[i] = count_before(dtype, line + (size_t)(i / (count / lines) * size) * bytes, size,
                                 value + (size_t)i * bytes, right);
    ok(strew_searchsorted_with(sorted, strew_of(values), &(strew_searchsorted_options){.right = right}, &out,
                               &failure));
    assert_elements(out, STREW_INT64, expected, "%s of %s, right %d", what, strew_dtype_name(dtype), right);
    given =
        random_tensor(STREW_INT64, strew_tensor_rank(values), strew_tensor_sizes(values), (enum layout)draw_below(3));
    ok(strew_searchsorted_with(sorted, strew_of(values), &(strew_searchsorted_options){.right = right}, &given,
                               &failure));
    assert_elements(given, STREW_INT64, expected, "%s of %s, right %d, given", what, strew_dtype_name(dtype), right);
    if (rank == 1) {
      ok(strew_bucketize_with(strew_of(values), sorted, &(strew_searchsorted_options){.right = right}, &given,
                              &failure));
      assert_same(given, out, "bucketize");
    }
    strew_release(out), strew_release(given);
  }
  free(line), free(value), free(expected);
}

START_TEST(test_random_searches) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(60); n++) {
      int64_t sizes[4] = {0}, shape[4] = {0};
      int rank = 1 + (int)draw_below(3), values_rank = rank > 1 ? rank : (int)draw_below(4);
      for (int d = 0; d < rank; d++) sizes[d] = shape[d] = 1 + draw_below(4);
      for (int d = rank > 1 ? rank - 1 : 0; d < values_rank; d++) shape[d] = draw_below(8) ? 1 + draw_below(20) : 0;
      sizes[rank - 1] = draw_below(6) ? draw_below(40) : draw_below(3);
      strew_tensor *sorted = sorted_lines(dtype, rank, sizes);
      strew_tensor *values = random_tensor(dtype, values_rank, shape, (enum layout)draw_below(LAYOUT_COUNT));
      check_search(sorted, values, rank > 1 ? "lines" : "line");
      strew_release(sorted), strew_release(values);
    }
  }
}
END_TEST

/* Every place of a line of any length: values below, at and between the elements. */
/* Values that rise, and fall back once. */
START_TEST(test_rising_values) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int n = 0; n < some(20); n++) {
    seed_draws((uint64_t)n + 1);
    const int64_t size = 17 + draw_below(300), count = size + draw_below(400);
    strew_tensor *line = sorted_lines(dtype, 1, &size), *values = sorted_lines(dtype, 1, &count);
    check_search(line, values, "line, values that rise,");
    strew_tensor *halves[] = {values, values}, *again = NULL;
    ok(strew_cat(2, halves, 0, &again, &failure));
    check_search(line, again, "line, values that rise twice,");
    strew_release(line), strew_release(values), strew_release(again);
  }
}
END_TEST

START_TEST(test_every_place) {
  for (int64_t size = 0; size < (on_device() ? 20 : 130); size++) {
    int64_t elements[130], wanted[400];
    for (int64_t i = 0; i < size; i++) elements[i] = 3 * i;
    for (int64_t i = 0; i < 3 * size + 2; i++) wanted[i] = i - 1;
    strew_tensor *sorted = tensor_from_integers(STREW_INT32, size, elements);
    strew_tensor *values = tensor_from_integers(STREW_INT32, 3 * size + 2, wanted);
    check_search(sorted, values, "every place");
    strew_release(sorted), strew_release(values);
  }
}
END_TEST

static void check_number(strew_tensor *sorted, strew_scalar number, bool right, int64_t expected) {
  strew_tensor *out = NULL;
  strew_scalar place;
  ok(strew_searchsorted_with(sorted, strew_number(number), &(strew_searchsorted_options){.right = right}, &out,
                             &failure));
  ck_assert_int_eq(strew_tensor_rank(out), 0);
  ok(strew_item(out, &place, &failure));
  ck_assert_int_eq(place.as.i, expected);
  strew_release(out);
}

START_TEST(test_numbers) {
  strew_tensor *bytes = tensor_from_integers(STREW_UINT8, 4, (int64_t[]){0, 5, 5, 255});
  strew_tensor *floats = tensor_from_doubles(STREW_FLOAT32, 5, (double[]){-INFINITY, 0.1, 2, INFINITY, (double)NAN});
  const struct {
    strew_tensor *sorted;
    strew_scalar number;
    int64_t left, right;
  } cases[] = {{bytes, strew_int(5), 1, 3},
               {bytes, strew_float(5), 1, 3},
               {bytes, strew_float(4.5), 1, 1},
               {bytes, strew_float(5.5), 3, 3},
               {bytes, strew_int(-1), 0, 0},
               {bytes, strew_float(-0.5), 0, 0},
               {bytes, strew_int(256), 4, 4},
               {bytes, strew_float(255), 3, 4},
               {bytes, strew_float((double)NAN), 4, 4},
               {bytes, strew_bool(true), 1, 1},
               {floats, strew_float(0.1), 1, 2},
               {floats, strew_float(1e300), 3, 3},
               {floats, strew_float(-1e300), 1, 1},
               {floats, strew_float(INFINITY), 3, 4},
               {floats, strew_float((double)NAN), 4, 5},
               {floats, strew_int(2), 2, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_number(cases[i].sorted, cases[i].number, false, cases[i].left);
    check_number(cases[i].sorted, cases[i].number, true, cases[i].right);
  }
  strew_release(bytes), strew_release(floats);
}
END_TEST

/* Many values in a long line: the threads share them. */
START_TEST(test_large_search) {
  const int64_t size = 70000, count = on_device() ? 20000 : 300000;
  strew_tensor *sorted = NULL, *values = NULL, *first = NULL;
  ok(strew_arange(device, STREW_FLOAT32, strew_int(0), strew_int(size), strew_int(1), &sorted, &failure));
  ok(strew_rand(device, STREW_FLOAT32, 1, &count, &values, &failure));
  ok(strew_binary(STREW_MUL, strew_of(values), strew_number(strew_int(size)), &values, &failure));
  float *value = host_of(values);
  int64_t *expected = malloc((size_t)count * sizeof *expected);
  for (int64_t i = 0; i < count; i++) expected[i] = (int64_t)ceilf(value[i]);
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    ok(strew_searchsorted_with(sorted, strew_of(values), NULL, &first, &failure));
    assert_elements(first, STREW_INT64, expected, "large search on %d threads", strew_context_threads(context));
  }
  free(value), free(expected);
  strew_release(sorted), strew_release(values), strew_release(first);
}
END_TEST

/* Integers that all dtypes with their sign hold. */
static strew_tensor *small_integers(strew_dtype dtype, int64_t size) {
  const int64_t least = dtype == STREW_UINT8 || dtype == STREW_BOOL ? 0 : -9;
  return random_integers(dtype, 1, &size, STRIDED, least, dtype == STREW_BOOL ? 2 : 9);
}

/* A line and values of two dtypes. */
START_TEST(test_two_dtypes) {
  const strew_dtype dtype = (strew_dtype)_i;
  const int64_t size = 20, count = 40;
  if (lacks(dtype)) return;
  for (int d = 0; d < STREW_DTYPE_COUNT; d++) {
    if (lacks((strew_dtype)d)) continue;
    strew_tensor *random = small_integers(dtype, size);
    strew_tensor *values = small_integers((strew_dtype)d, count);
    strew_tensor *sorted = NULL, *sorted_64 = NULL, *values_64 = NULL, *out = NULL, *expected = NULL;
    ok(strew_sort_with(random, -1, NULL, &sorted, NULL, &failure));
    ok(strew_to(sorted, device, STREW_INT64, &sorted_64, &failure));
    ok(strew_to(values, device, STREW_INT64, &values_64, &failure));
    check_search(sorted_64, values_64, "small integers");
    for (int right = 0; right < 2; right++) {
      ok(strew_searchsorted_with(sorted_64, strew_of(values_64), &(strew_searchsorted_options){.right = right},
                                 &expected, &failure));
      ok(strew_searchsorted_with(sorted, strew_of(values), &(strew_searchsorted_options){.right = right}, &out,
                                 &failure));
      assert_same(out, expected, strew_dtype_name((strew_dtype)d));
      ok(strew_bucketize_with(strew_of(values), sorted, &(strew_searchsorted_options){.right = right}, &out, &failure));
      assert_same(out, expected, strew_dtype_name((strew_dtype)d));
    }
    strew_tensor *all[] = {random, values, sorted, sorted_64, values_64, out, expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
  }
}
END_TEST

/* float32's 0.1 is above 0.1: data of float64 are not rounded to it. */
START_TEST(test_promoted_search) {
  if (lacks(STREW_FLOAT64)) return;
  strew_tensor *prices = tensor_from_doubles(STREW_FLOAT64, 3, (double[]){0.1, 0.1f, 0.2}), *out = NULL;
  strew_tensor *limits = tensor_from_doubles(STREW_FLOAT32, 1, (double[]){0.1f});
  ok(strew_bucketize_with(strew_of(prices), limits, &(strew_searchsorted_options){.right = true}, &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){0, 1, 1}, "bucketize");
  strew_release(prices), strew_release(limits), strew_release(out);
}
END_TEST

START_TEST(test_refused_searches) {
  strew_tensor *line = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 2, 3}), *out = NULL;
  strew_tensor *number = scalar_tensor(STREW_INT64, strew_int(1));
  const int64_t sizes[] = {2, 3}, others[] = {3, 3};
  strew_tensor *wide = random_integers(STREW_INT64, 2, sizes, CONTIGUOUS, 0, 9);
  strew_tensor *tall = random_integers(STREW_INT64, 2, others, CONTIGUOUS, 0, 9);
  assert_fails(strew_searchsorted_with(number, strew_of(line), NULL, &out, &failure), STREW_ESHAPE,
               "searchsorted: 'sorted' has no dimension, expected at least 1\n"
               "  sorted  int64[] cpu\n"
               "  values  int64[3] cpu");
  assert_fails(strew_searchsorted_with(wide, strew_of(tall), NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_searchsorted_with(wide, strew_of(line), NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_searchsorted_with(wide, strew_number(strew_int(1)), NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_bucketize_with(strew_of(line), wide, NULL, &out, &failure), STREW_ESHAPE,
               "bucketize: 'boundaries' has 2 dimensions, expected 1\n"
               "  values      int64[3] cpu\n"
               "  boundaries  int64[2, 3] cpu");
  strew_tensor *given = line;
  assert_fails(strew_searchsorted_with(line, strew_of(line), NULL, &given, &failure), STREW_EOVERLAP, NULL);
  strew_tensor *floats = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3});
  assert_fails(strew_searchsorted_with(line, strew_of(floats), NULL, &given, &failure), STREW_EOVERLAP, NULL);
  assert_fails(strew_bucketize_with(strew_of(line), floats, NULL, &given, &failure), STREW_EOVERLAP, NULL);
  strew_release(floats);
  given = wide;
  assert_fails(strew_searchsorted_with(line, strew_of(line), NULL, &given, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_null(out);
  strew_tensor *all[] = {line, number, wide, tall};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- counts */

START_TEST(test_random_bincounts) {
  const strew_dtype dtype = _i < STREW_DTYPE_COUNT ? (strew_dtype)_i : STREW_INT64;
  if (lacks(dtype) || dtype == STREW_BOOL) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(40); n++) {
      const int64_t count = draw_below(9) ? 1 + draw_below(n % 8 ? 200 : under_qemu(90000, 10)) : 0,
                    most = 1 + draw_below(50);
      const int64_t minlength = draw_below(2) * draw_below(80);
      strew_tensor *self = random_integers(draw_below(2) ? STREW_INT64 : STREW_INT32, 1, &count,
                                           (enum layout)draw_below(LAYOUT_COUNT), 0, most);
      strew_tensor *weights = random_integers(dtype, 1, &count, (enum layout)draw_below(LAYOUT_COUNT), 0, 3);
      strew_tensor *out = NULL, *summed = NULL, *again = NULL;
      ok(strew_to(self, device, STREW_INT64, &again, &failure));
      int64_t *values = host_of(again), length = minlength;
      int64_t *wide = calloc(200, sizeof *wide);
      for (int64_t i = 0; i < count; i++) {
        wide[values[i]]++;
        if (values[i] >= length) length = values[i] + 1;
      }
      ok(strew_bincount(self, NULL, minlength, &out, &failure));
      assert_sizes(out, 1, &length);
      assert_elements(out, STREW_INT64, wide, "bincount of %d", (int)count);
      /* the sum of weights is that of the group form */
      const struct group_form options = {.dim = -1, .dim_size = length, .reduction = STREW_SUM};
      strew_release(out), out = NULL;
      ok(strew_bincount(self, weights, minlength, &out, &failure));
      ok(group_form(strew_by_index(self), weights, &options, &summed, NULL, &failure));
      assert_same(out, summed, "bincount with weights");
      free(values), free(wide);
      strew_tensor *all[] = {self, weights, out, summed, again};
      for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
    }
  }
}
END_TEST

/* Bounds and elements are such that every dtype computes the bins exactly. */
START_TEST(test_random_histograms) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(40); n++) {
      const int64_t sizes[] = {draw_below(30), n % 10 ? 1 + draw_below(9) : under_qemu(30000, 10)},
                    bins = 1 + draw_below(9);
      const double min = (double)draw_below(9) - 4, max = min + (double)(1 << draw_below(4));
      strew_tensor *self = random_integers(dtype, 2, sizes, (enum layout)draw_below(LAYOUT_COUNT), -8, 9), *out = NULL;
      int64_t counts[9] = {0};
      char *elements = host_of(self);
      for (int64_t i = 0; i < strew_tensor_numel(self); i++) {
        const double x = strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype)).as.f;
        const int64_t bin = x >= min && x <= max ? (int64_t)((x - min) * (double)bins / (max - min)) : -1;
        if (bin >= 0) counts[bin < bins ? bin : bins - 1]++;
      }
      strew_tensor *whole = tensor_from_integers(STREW_INT64, bins, counts), *expected = NULL;
      ok(strew_to(whole, device, dtype, &expected, &failure));
      ok(strew_histc(self, bins, min, max, &out, &failure));
      assert_same(out, expected, "histc");
      free(elements);
      strew_release(self), strew_release(out), strew_release(whole), strew_release(expected);
    }
  }
}
END_TEST

static void check_histogram(strew_dtype dtype, int count, const double *elements, double min, double max, int bins,
                            const double *counts) {
  strew_tensor *self = tensor_from_doubles(dtype, count, elements), *out = NULL;
  strew_tensor *expected = tensor_from_doubles(dtype, bins, counts);
  ok(strew_histc(self, bins, min, max, &out, &failure));
  assert_same(out, expected, "a histogram");
  strew_release(self), strew_release(out), strew_release(expected);
}

/* Ranges, and products of ranges and bins, that overflow; and ranges of one value, to which 1 adds nothing. */
START_TEST(test_histograms_of_large_numbers) {
  static const double largest[STREW_DTYPE_COUNT] = {[STREW_FLOAT32] = 0x1.fffffep127,
                                                    [STREW_FLOAT64] = 0x1.fffffffffffffp1023,
                                                    [STREW_FLOAT16] = 65504,
                                                    [STREW_BFLOAT16] = 0x1.fep127};
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  const double most = largest[dtype], hundred[100] = {[0] = 1, [25] = 1, [50] = 2, [99] = 1};
  const double ends[] = {-most, most, 0, (double)NAN}, quarters[] = {0, most / 4, most / 2, most / 2, most};
  check_histogram(dtype, 3, ends, 0, 0, 4, (double[]){1, 0, 1, 1});
  check_histogram(dtype, 4, ends, -most, most, 4, (double[]){1, 0, 1, 1});
  check_histogram(dtype, 4, ends, -most / 2, most, 3, (double[]){0, 1, 1});
  check_histogram(dtype, 5, quarters, 0, 0, 100, hundred);
  check_histogram(dtype, 5, quarters, 0, most, 100, hundred);
  check_histogram(dtype, 2, (double[]){most, most}, 0, 0, 3, (double[]){0, 2, 0});
  check_histogram(dtype, 2, (double[]){0.3, 0.3}, 7, 7, 4, (double[]){0, 0, 2, 0});
  check_histogram(dtype, 0, NULL, 0, 0, 3, (double[]){0, 0, 0});
}
END_TEST

START_TEST(test_histograms_by_hand) {
  strew_tensor *self = tensor_from_doubles(STREW_FLOAT32, 5, (double[]){0, 1, 2, (double)NAN, -INFINITY}), *out = NULL;
  strew_tensor *own = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 4, 3.5});
  ok(strew_histc(self, 2, 0, 2, &out, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){1, 2}, "NaN and infinities are not in range");
  strew_release(out), out = NULL;
  ok(strew_histc(own, 3, 0, 0, &out, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){1, 0, 2}, "the elements' range");
  strew_release(out), out = NULL;
  assert_fails(strew_histc(self, 2, 0, 0, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_histc(self, 0, 0, 1, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_histc(self, 1, 1, 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_histc(own, 1, -1e39, 0, &out, &failure), STREW_EVALUE,
               "histc: 'min' is -1e+39, which float32 cannot hold: the number is too large\n"
               "  self  float32[3] cpu");
  ck_assert_ptr_null(out);
  strew_release(self), strew_release(own);
}
END_TEST

START_TEST(test_refused_counts) {
  strew_tensor *bad = tensor_from_integers(STREW_INT64, 4, (int64_t[]){0, 1, -7, -9}), *out = NULL;
  strew_tensor *huge = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, INT64_MAX});
  strew_tensor *floats = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){1, 2});
  assert_fails(strew_bincount(bad, NULL, 0, &out, &failure), STREW_EINDEX,
               "bincount: 'self' has value -7 at [2], expected 0 or more\n  self  int64[4] cpu");
  ck_assert_int_eq(failure.position[0], 2);
  clear_failure();
  const strew_status status = strew_bincount(huge, NULL, 0, &out, &failure);
  ck_assert(status == STREW_EMEMORY || status == STREW_ESHAPE);
  ck_assert_ptr_nonnull(strstr(failure.message, "has value 9223372036854775807 at [1]"));
  assert_fails(strew_bincount(floats, NULL, 0, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_bincount(huge, floats, -1, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_bincount(bad, floats, 0, &out, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_null(out);
  strew_release(bad), strew_release(huge), strew_release(floats);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("search");
  TCase *searches = new_case(suite, "searches");
  tcase_add_loop_test(searches, test_random_searches, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(searches, test_rising_values, 0, STREW_DTYPE_COUNT);
  tcase_add_test(searches, test_every_place);
  tcase_add_test(searches, test_numbers);
  tcase_add_test(searches, test_large_search);
  tcase_add_loop_test(searches, test_two_dtypes, 0, STREW_DTYPE_COUNT);
  tcase_add_test(searches, test_promoted_search);
  tcase_add_test(searches, test_refused_searches);
  TCase *counts = new_case(suite, "counts");
  tcase_add_loop_test(counts, test_random_bincounts, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(counts, test_random_histograms, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(counts, test_histograms_of_large_numbers, 0, STREW_DTYPE_COUNT);
  tcase_add_test(counts, test_histograms_by_hand);
  tcase_add_test(counts, test_refused_counts);
  return suite;
}
