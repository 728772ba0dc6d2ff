/* check_sort.c: sort, topk, unique and nonzero x dtypes x layouts x dimensions against qsort and plain loops, on 1, 2,
   3 and 7 threads. */
#include "testing.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { RANKS = 4 };

/* ------------------------------------------------------------------------------------------------- the oracle */

static struct {
  strew_dtype dtype;
  bool descending;
} order;

struct item {
  int64_t position;
  char element[8];
};

/* NaN is the greatest, -0 equals +0. */
static int compare_elements(const void *a, const void *b) {
  strew_scalar x = strew_scalar_load(order.dtype, a), y = strew_scalar_load(order.dtype, b);
  if (x.dtype != STREW_FLOAT64) return (x.as.i > y.as.i) - (x.as.i < y.as.i);
  if (isnan(x.as.f) || isnan(y.as.f)) return isnan(x.as.f) - isnan(y.as.f);
  return (x.as.f > y.as.f) - (x.as.f < y.as.f);
}

static int compare_items(const void *a_, const void *b_) {
  const struct item *a = a_, *b = b_;
  int result = compare_elements(a->element, b->element);
  if (order.descending) result = -result;
  return result ? result : (a->position > b->position) - (a->position < b->position);
}

/* The first `keep` elements of each sorted line of dimension dim, dense. */
static void expected_sort(strew_tensor *tensor, int dim, int64_t keep, bool descending, char *values,
                          int64_t *positions) {
  strew_dtype dtype = strew_tensor_dtype(tensor);
  size_t size = strew_dtype_size_bytes(dtype);
  int rank = strew_tensor_rank(tensor);
  const int64_t *sizes = strew_tensor_sizes(tensor);
  int64_t n = rank ? sizes[dim] : 1, step = 1, lines = n ? strew_tensor_numel(tensor) / n : 0;
  for (int d = dim + 1; d < rank; d++) step *= sizes[d];
  char *elements = host_of(tensor);
  struct item *items = malloc((size_t)(n + 1) * sizeof *items);
  order.dtype = dtype, order.descending = descending;
  for (int64_t line = 0; line < lines; line++) {
    int64_t from = line / step * step * n + line % step, to = line / step * step * keep + line % step;
    for (int64_t i = 0; i < n; i++) {
      items[i].position = i;
      memcpy(items[i].element, elements + (size_t)(from + i * step) * size, size);
    }
    qsort(items, (size_t)n, sizeof *items, compare_items);
    for (int64_t i = 0; i < keep; i++) {
      memcpy(values + (size_t)(to + i * step) * size, items[i].element, size);
      positions[to + i * step] = items[i].position;
    }
  }
  free(items);
  free(elements);
}

/* -------------------------------------------------------------------------------------------- sort and topk */

static const struct shape {
  int rank;
  int64_t sizes[RANKS];
} shapes[] = {{0, {0}},     {1, {1}},     {1, {5}},       {1, {48}},     {1, {49}},     {1, {400}}, {1, {3000}},
              {2, {7, 60}}, {2, {60, 7}}, {3, {3, 4, 5}}, {2, {2, 700}}, {2, {700, 3}}, {2, {0, 3}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* k < 0: sort, else topk. */
static void check_sort(strew_tensor *tensor, int dim, int64_t k, bool descending, const char *layout) {
  strew_dtype dtype = strew_tensor_dtype(tensor);
  int rank = strew_tensor_rank(tensor);
  int64_t n = rank ? strew_tensor_sizes(tensor)[dim] : 1, keep = k < 0 ? n : k;
  size_t room = (size_t)(strew_tensor_numel(tensor) + 1);
  char *values_expected = malloc(room * strew_dtype_size_bytes(dtype));
  int64_t *positions_expected = malloc(room * sizeof *positions_expected);
  strew_tensor *values = NULL, *positions = NULL;
  expected_sort(tensor, dim, keep, descending, values_expected, positions_expected);
  if (k < 0)
    ok(strew_sort_with(tensor, dim, &(strew_sort_options){.descending = descending}, &values, &positions, &failure));
  else
    ok(strew_topk_with(tensor, k, dim, &(strew_topk_options){.smallest = !descending}, &values, &positions, &failure));
  char what[160];
  snprintf(what, sizeof what, "%s %s of %s (%s), dimension %d of %d, keep %" PRId64 " of %" PRId64 ", %d threads",
           descending ? "descending" : "ascending", k < 0 ? "sort" : "topk", strew_dtype_name(dtype), layout, dim, rank,
           keep, n, strew_context_threads(context));
  assert_elements(positions, STREW_INT64, positions_expected, "%s: positions", what);
  assert_elements(values, dtype, values_expected, "%s: values", what);
  strew_release(values);
  strew_release(positions);
  positions = NULL; /* no values */
  if (k < 0)
    ok(strew_sort_with(tensor, dim, &(strew_sort_options){.descending = descending}, NULL, &positions, &failure));
  else
    ok(strew_topk_with(tensor, k, dim, &(strew_topk_options){.smallest = !descending}, NULL, &positions, &failure));
  assert_elements(positions, STREW_INT64, positions_expected, "%s: positions alone", what);
  strew_release(positions);
  free(values_expected);
  free(positions_expected);
}

static void check_dimension(strew_tensor *tensor, int dim, const char *layout) {
  int rank = strew_tensor_rank(tensor);
  int64_t n = rank ? strew_tensor_sizes(tensor)[dim] : 1;
  const int64_t ks[] = {n ? 1 : 0, n / 16, n / 2, n};
  for (int descending = 0; descending < 2; descending++) {
    check_sort(tensor, dim, -1, descending, layout);
    for (int i = 0; i < 4; i++)
      if (ks[i] || rank) check_sort(tensor, dim, ks[i], descending, layout);
  }
}

START_TEST(sorts) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (int s = 0; s < SHAPES; s++)
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      if (!chosen((_i * SHAPES + s) * LAYOUT_COUNT + layout, 16)) continue;
      const struct shape *shape = &shapes[s];
      strew_tensor *tensor = random_tensor(dtype, shape->rank, shape->sizes, (enum layout)layout);
      for (int dim = 0; dim < (shape->rank ? shape->rank : 1); dim++)
        check_dimension(tensor, dim, layout_name((enum layout)layout));
      strew_release(tensor);
    }
}
END_TEST

/* Short lines: any elements, equal ones, ones in descending order, ones that rise but for few, some of them neighbours,
   or twice, ones that rise and fall, few different ones, zeros of both signs and NaN among them, and neighbours between
   the least and the greatest element, whose keys differ in the last of 64 bits alone: few of them, or all. */
enum form { ANY, EQUAL, FALLING, RISING, RISING_TWICE, PIPES, FEW, FEW_NEAR, NEAR, FORMS };

static strew_tensor *short_lines(strew_dtype dtype, int64_t lines, int64_t n, enum layout layout, enum form form) {
  if (form == ANY) return random_tensor(dtype, 2, (int64_t[]){lines, n}, layout);
  size_t size = strew_dtype_size_bytes(dtype);
  char *elements = malloc((size_t)(lines * n) * size);
  for (int64_t i = 0; i < lines * n; i++) {
    const int64_t at = i % n, drawn = draw_below(1000);
    strew_scalar number = strew_int(form == EQUAL ? 7 : form == FALLING ? n - at : drawn);
    if (form == RISING && drawn % 25 > 1) number = strew_int(at * 1000 / n);
    if (form == RISING_TWICE) number = strew_int(at * 2 % n + drawn / 999);
    if (form == PIPES) number = strew_int(at < n / 2 ? at : n - at);
    if (form == FEW) number = strew_int(drawn % 5);
    if (form == FEW && is_float_dtype(dtype) && drawn % 5 < 2) number = strew_float(drawn % 5 ? NAN : -0.0);
    if (form >= FEW_NEAR && is_float_dtype(dtype)) number = strew_float(1 + (double)drawn * 0x1p-52);
    if (form >= FEW_NEAR && at < 2) number = strew_int(at ? INT64_MAX : is_unsigned_dtype(dtype) ? 0 : INT64_MIN);
    if (form == FEW_NEAR && at % 8) number = strew_int(drawn << 52);
    ok(strew_scalar_store(number, STREW_SATURATE, dtype, elements + (size_t)i * size, &failure));
  }
  strew_tensor *made = tensor_of(dtype, 2, (int64_t[]){lines, n}, layout, elements);
  free(elements);
  return made;
}

START_TEST(sorts_short_lines) {
  static const int64_t lengths[] = {2,   3,   4,   5,   15,  16,  17,  31,   63,   64,   65,   127,  128,  129,
                                    255, 256, 257, 511, 512, 513, 700, 1023, 1024, 1025, 2049, 4096, 8193, 20000};
  static const int64_t counts[] = {1, 2, 3, 5, 8, 9, 10, 11, 17};
  enum { LENGTHS = sizeof lengths / sizeof *lengths, COUNTS = sizeof counts / sizeof *counts };
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < LENGTHS * FORMS; k++) {
    if (draw_below(8) || !chosen(_i * LENGTHS * FORMS + k, 16)) continue;
    use_turn((int)draw_below(TURNS), _i + k);
    const enum layout layout = draw_below(2) ? STRIDED : CONTIGUOUS;
    const int64_t count = counts[draw_below(lengths[k / FORMS] > 10000 ? 2 : COUNTS)];
    strew_tensor *tensor = short_lines(dtype, count, lengths[k / FORMS], layout, (enum form)(k % FORMS));
    check_sort(tensor, 1, -1, draw_below(2), layout_name(layout));
    check_sort(tensor, 1, 1 + draw_below(lengths[k / FORMS]), draw_below(2), layout_name(layout));
    check_sort(tensor, 0, -1, draw_below(2), layout_name(layout));
    strew_release(tensor);
  }
}
END_TEST

/* Adjacent columns, of which eight at a time are sorted side by side; others are left over. */
START_TEST(sorts_columns) {
  static const int64_t lengths[] = {1, 2, 9, 40, 130, 600, 3000, 4100}, counts[] = {7, 8, 11, 16, 29};
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < 8 * 5; k++) {
    const int64_t n = lengths[k / 5], columns = counts[k % 5];
    if (!chosen(_i * 40 + k, n > 100 ? 8 : 2)) continue;
    use_turn((int)draw_below(TURNS), _i + k);
    strew_tensor *rows = short_lines(dtype, n, columns, CONTIGUOUS, (enum form)draw_below(FORMS));
    strew_tensor *planes = random_tensor(dtype, 3, (int64_t[]){2, n, columns}, CONTIGUOUS);
    check_sort(rows, 0, -1, draw_below(2), "columns");
    check_sort(rows, 0, 1 + draw_below(n), draw_below(2), "columns");
    check_sort(planes, 1, -1, draw_below(2), "planes");
    strew_release(rows);
    strew_release(planes);
  }
}
END_TEST

/* Parts of a line have fewer elements than are kept of them all. */
START_TEST(selects_in_small_parts) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  use_turn(1, 2);
  for (int64_t keep = 12; keep <= 20; keep++) {
    strew_tensor *tensor = short_lines(dtype, 1 + keep % 3, 17 * keep, CONTIGUOUS, keep % 2 ? ANY : FEW);
    check_sort(tensor, 1, keep, false, "contiguous");
    check_sort(tensor, 1, keep, true, "contiguous");
    strew_release(tensor);
  }
}
END_TEST

/* Of a long line's buckets some are empty, most small, and one holds more than half of the elements: a narrow cluster
   among others of all sizes. */
static strew_tensor *clustered_tensor(strew_dtype dtype, int64_t lines, int64_t n, enum layout layout) {
  enum { STEPS = 1 << 20 };
  size_t size = strew_dtype_size_bytes(dtype);
  char *elements = malloc((size_t)(lines * n) * size);
  strew_tensor *any = random_tensor(dtype, 1, (int64_t[]){lines * n}, CONTIGUOUS);
  ok(strew_read(any, elements, (size_t)(lines * n) * size, &failure));
  for (int64_t i = 0; i < lines * n; i++) {
    char *element = elements + (size_t)i * size;
    int64_t step = draw_below(STEPS);
    bool is_float = strew_scalar_load(dtype, element).dtype == STREW_FLOAT64;
    strew_scalar near = is_float ? strew_float(1 + (double)step / STEPS) : strew_int(1000 + step % 500);
    if (step % 8 > 2) ok(strew_scalar_store(near, STREW_SATURATE, dtype, element, &failure));
  }
  strew_tensor *made = tensor_of(dtype, 2, (int64_t[]){lines, n}, layout, elements);
  free(elements);
  strew_release(any);
  return made;
}

START_TEST(sorts_by_buckets) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(1, _i);
  for (int k = 0; k < some(6); k++) {
    enum layout layout = k % 2 ? STRIDED : CONTIGUOUS;
    strew_tensor *tensor = clustered_tensor(dtype, 1 + k % 3, 1000 + draw_below(8000), layout);
    check_dimension(tensor, 1, layout_name(layout));
    strew_release(tensor);
  }
}
END_TEST

/* One thread uses buckets, too, if a line is longer than a million. */
START_TEST(sorts_longest_lines) {
  strew_dtype dtype = (const strew_dtype[]){STREW_FLOAT32, STREW_INT64}[_i];
  if (lacks(dtype) || !chosen(_i, 2)) return;
  use_turn(_i, _i);
  strew_tensor *tensor = clustered_tensor(dtype, 2 - _i, (1 << 20) + 1, CONTIGUOUS);
  check_sort(tensor, 1, -1, _i, "longest");
  strew_release(tensor);
}
END_TEST

/* Lines that rise or fall, also with equal elements, and with one element out of place: in the first and the last block,
   and about the ends of chunks and of the parts of three threads. */
START_TEST(sorts_what_is_in_order) {
  static const int64_t lengths[] = {100, 1025, 140000};
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_INT64, STREW_INT8};
  strew_dtype dtype = dtypes[_i % 3];
  int64_t n = lengths[_i / 3];
  const int64_t places[] = {-1, 0, 14, 15, 511, 512, n / 3 - 1, n / 3, n / 3 + 1, n - 2};
  for (size_t k = 0; k < 2 * sizeof places / sizeof *places; k++) {
    if (!chosen(20 * _i + (int)k, 4)) continue;
    use_turn((int)k, _i);
    int64_t *numbers = malloc((size_t)n * sizeof *numbers), at = places[k / 2];
    for (int64_t i = 0; i < n; i++) numbers[i] = ((k % 2 ? n - 1 - i : i) >> _i % 2) * 100 / n;
    if (at >= 0 && at < n - 1) numbers[at] = 101;
    strew_tensor *drawn = tensor_from_integers(STREW_INT64, n, numbers), *line = NULL;
    ok(strew_to(drawn, device, dtype, &line, &failure));
    check_sort(line, 0, -1, false, "in order");
    check_sort(line, 0, n - 1, true, "in order");
    strew_release(drawn), strew_release(line);
    free(numbers);
  }
}
END_TEST

/* Long lines of few different elements, zeros of both signs and NaN among them, which get codes while they are no more
   than 255; the one too many is among the last elements. */
START_TEST(sorts_few_keys) {
  static const int64_t kinds[] = {1, 2, 10, 60, 200, 251, 252, 255, 300};
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  const size_t size = strew_dtype_size_bytes(dtype);
  for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
    if (!chosen(_i + k, 2)) continue;
    const int64_t lines = 1 + k % 3, n = (1 << 14) + 1 + draw_below(3000);
    const enum layout layout = draw_below(2) ? STRIDED : CONTIGUOUS;
    use_turn((int)draw_below(TURNS), _i);
    char *elements = malloc((size_t)(lines * n) * size);
    for (int64_t i = 0; i < lines * n; i++) {
      const int64_t drawn = i % n < n - 100 ? draw_below(kinds[k] < 251 ? kinds[k] : 251) : draw_below(kinds[k]);
      strew_scalar number = strew_int(drawn * (size > 1 ? 101 : 1));
      if (is_float_dtype(dtype) && drawn < 2) number = strew_float(drawn ? NAN : draw_below(2) ? -0.0 : 0.0);
      ok(strew_scalar_store(number, STREW_SATURATE, dtype, elements + (size_t)i * size, &failure));
    }
    strew_tensor *tensor = tensor_of(dtype, 2, (int64_t[]){lines, n}, layout, elements);
    check_sort(tensor, 1, -1, draw_below(2), layout_name(layout));
    check_sort(tensor, 1, n - 1, draw_below(2), layout_name(layout));
    check_sort(tensor, 1, 1 + draw_below(n / 16), draw_below(2), layout_name(layout));
    strew_release(tensor);
    free(elements);
  }
}
END_TEST

/* Few whole numbers, of a part of which a sample finds few bits; also with one of many bits that it misses. */
START_TEST(sorts_narrow_keys) {
  const strew_dtype dtype = (const strew_dtype[]){STREW_FLOAT32, STREW_INT32, STREW_FLOAT16}[_i];
  if (lacks(dtype)) return;
  for (int k = 0; k < 8; k++) {
    const int64_t n = k % 2 ? 20000 : 5000;
    use_turn(k / 4, _i);
    int64_t *numbers = malloc((size_t)n * sizeof *numbers);
    for (int64_t i = 0; i < n; i++) numbers[i] = draw_below(10) - 3;
    if (k / 2 % 2) numbers[1] = dtype == STREW_FLOAT16 ? 2047 : (1 << 24) - 1, numbers[n - 2] = -numbers[1];
    strew_tensor *drawn = tensor_from_integers(STREW_INT64, n, numbers), *line = NULL;
    ok(strew_to(drawn, device, dtype, &line, &failure));
    check_sort(line, 0, -1, k % 2, "narrow");
    check_sort(line, 0, n - 1, !(k % 2), "narrow");
    strew_release(drawn), strew_release(line);
    free(numbers);
  }
}
END_TEST

/* Into given tensors, which keep their layouts. */
static void check_given(int dim, const int64_t *sizes, enum layout given) {
  strew_tensor *tensor = random_tensor(STREW_FLOAT32, 2, sizes, given);
  for (int layout = 0; layout < 4; layout++) {
    strew_tensor *values = random_tensor(STREW_FLOAT32, 2, sizes, layout % 2 ? STRIDED : CONTIGUOUS);
    strew_tensor *positions = random_tensor(STREW_INT64, 2, sizes, layout / 2 ? STRIDED : CONTIGUOUS);
    strew_tensor *v = NULL, *p = NULL;
    ok(strew_sort_with(tensor, dim, &(strew_sort_options){.descending = true}, &values, &positions, &failure));
    ok(strew_sort_with(tensor, dim, &(strew_sort_options){.descending = true}, &v, &p, &failure));
    assert_same(values, v, "values");
    assert_same(positions, p, "positions");
    strew_release(values);
    strew_release(positions);
    strew_release(v);
    strew_release(p);
  }
  strew_release(tensor);
}

START_TEST(sorts_into_given) {
  for (int layout = 0; layout < 2; layout++) {
    const enum layout given = layout ? STRIDED : CONTIGUOUS;
    check_given(0, (int64_t[]){30, 4}, given);
    check_given(0, (int64_t[]){1, 16}, given);
    check_given(0, (int64_t[]){30, 16}, given);
    check_given(0, (int64_t[]){3000, 2}, given);
    check_given(1, (int64_t[]){2, 3000}, given);
  }
}
END_TEST

/* If a host changes its memory meanwhile, the result is some order of some elements, each of them once. */
static struct {
  atomic_bool done;
  int32_t elements[20000];
} changing;

static void *change_elements(void *argument) {
  for (unsigned turn = 0; !changing.done; turn++)
    memset(changing.elements, turn % 2 ? 0x7f : 0x01, sizeof changing.elements);
  return argument;
}

START_TEST(sorts_what_changes) {
  enum { COUNT = sizeof changing.elements / sizeof *changing.elements };
  static bool met[COUNT];
  const int64_t count = COUNT;
  pthread_t other;
  strew_tensor *tensor = NULL;
  ok(strew_wrap(device, STREW_INT32, 1, &count, NULL, changing.elements, sizeof changing.elements, NULL, NULL, &tensor,
                &failure));
  ck_assert(!pthread_create(&other, NULL, change_elements, NULL));
  for (int k = 0; k < some(100); k++) {
    strew_tensor *values = NULL, *positions = NULL;
    ok(strew_sort_with(tensor, 0, &(strew_sort_options){.descending = k % 2}, &values, &positions, &failure));
    int64_t *taken = host_of(positions);
    memset(met, 0, sizeof met);
    for (int i = 0; i < COUNT; i++) {
      ck_assert(taken[i] >= 0 && taken[i] < COUNT && !met[taken[i]]);
      met[taken[i]] = true;
    }
    free(taken);
    strew_release(values);
    strew_release(positions);
  }
  changing.done = true;
  pthread_join(other, NULL);
  strew_release(tensor);
}
END_TEST

START_TEST(refusals) {
  strew_tensor *t = random_tensor(STREW_INT32, 2, (int64_t[]){2, 3}, CONTIGUOUS), *values = NULL, *positions = NULL;
  assert_fails(strew_sort_with(t, -3, NULL, &values, &positions, &failure), STREW_ESHAPE,
               "sort: 'dim' is -3, out of range for 2 dimensions (valid -2..1)\n  self  int32[2, 3] cpu");
  assert_fails(strew_topk_with(t, 4, 1, NULL, &values, &positions, &failure), STREW_EARGUMENT,
               "topk: 'k' is 4, out of range for dim 1 of self (size 3, valid 0..3)\n  self  int32[2, 3] cpu");
  assert_fails(strew_topk_with(t, -1, 0, NULL, &values, &positions, &failure), STREW_EARGUMENT, NULL);
  ck_assert(!values && !positions);
  values = strew_retain(t);
  assert_fails(strew_sort_with(t, 0, NULL, &values, &positions, &failure), STREW_EOVERLAP, NULL);
  ck_assert_ptr_null(positions);
  strew_release(values);
  strew_release(t);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- unique */

/* The elements of each value equal it, and values ascend; each NaN is distinct. */
static void check_unique(strew_tensor *tensor) {
  strew_dtype dtype = strew_tensor_dtype(tensor);
  size_t size = strew_dtype_size_bytes(dtype);
  strew_tensor *values = NULL, *inverse = NULL, *counts = NULL, *alone = NULL;
  ok(strew_unique(tensor, &values, &inverse, &counts, &failure));
  ok(strew_unique(tensor, &alone, NULL, NULL, &failure));
  assert_same(alone, values, "values alone");
  assert_sizes(inverse, strew_tensor_rank(tensor), strew_tensor_sizes(tensor));
  assert_sizes(counts, 1, strew_tensor_sizes(values));
  int64_t n = strew_tensor_numel(tensor), different = strew_tensor_numel(values);
  char *elements = host_of(tensor), *found = host_of(values);
  int64_t *to = host_of(inverse), *times = host_of(counts);
  order.dtype = dtype;
  for (int64_t i = 1; i < different; i++) {
    const char *a = found + (size_t)(i - 1) * size, *b = found + (size_t)i * size;
    ck_assert(compare_elements(a, b) < 0 || (is_nan_element(dtype, a) && is_nan_element(dtype, b)));
  }
  for (int64_t i = 0; i < n; i++) {
    ck_assert(to[i] >= 0 && to[i] < different);
    ck_assert_int_eq(compare_elements(elements + (size_t)i * size, found + (size_t)to[i] * size), 0);
    times[to[i]]--;
  }
  for (int64_t i = 0; i < different; i++) ck_assert_int_eq(times[i], 0);
  for (int64_t i = 0; i < different; i++) /* each position occurs, a NaN's only once */
    if (is_nan_element(dtype, found + (size_t)i * size)) {
      int64_t takers = 0;
      for (int64_t k = 0; k < n; k++) takers += to[k] == i;
      ck_assert_int_eq(takers, 1);
    }
  free(elements);
  free(found);
  free(to);
  free(times);
  strew_release(values);
  strew_release(inverse);
  strew_release(counts);
  strew_release(alone);
}

START_TEST(uniques) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (int s = 0; s < SHAPES; s++)
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      if (!chosen((_i * SHAPES + s) * LAYOUT_COUNT + layout, 16)) continue;
      strew_tensor *tensor = random_tensor(dtype, shapes[s].rank, shapes[s].sizes, (enum layout)layout);
      check_unique(tensor);
      strew_release(tensor);
    }
}
END_TEST

START_TEST(unique_of_few) {
  strew_tensor *t = tensor_from_doubles(STREW_FLOAT32, 6, (double[]){3, -0.0, 2, 0.0, 3, 2});
  strew_tensor *values = NULL, *inverse = NULL, *counts = NULL;
  failure = (strew_error){0};
  ok(strew_unique(t, &values, &inverse, &counts, &failure));
  ck_assert_ptr_null(failure.op);
  assert_elements(values, STREW_FLOAT32, (float[]){-0.0f, 2, 3}, "values: of equals the first in the tensor");
  assert_elements(inverse, STREW_INT64, (int64_t[]){2, 0, 1, 0, 2, 1}, "inverse");
  assert_elements(counts, STREW_INT64, (int64_t[]){2, 2, 2}, "counts");
  strew_release(t);
  strew_release(values);
  strew_release(inverse);
  strew_release(counts);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- nonzero */

static void check_nonzero(strew_tensor *tensor, const char *layout) {
  strew_dtype dtype = strew_tensor_dtype(tensor);
  int rank = strew_tensor_rank(tensor);
  int64_t n = strew_tensor_numel(tensor), found = 0;
  char *elements = host_of(tensor);
  int64_t *expected = malloc((size_t)(n * rank + 1) * sizeof *expected);
  for (int64_t i = 0; i < n; i++) {
    strew_scalar x = strew_scalar_load(dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype));
    if (x.dtype == STREW_FLOAT64 ? x.as.f == 0 : x.as.i == 0) continue;
    int64_t rest = i;
    for (int d = rank - 1; d >= 0; d--) {
      expected[found * rank + d] = rest % strew_tensor_sizes(tensor)[d];
      rest /= strew_tensor_sizes(tensor)[d];
    }
    found++;
  }
  strew_tensor *out = NULL;
  ok(strew_nonzero(tensor, &out, &failure));
  assert_sizes(out, 2, (int64_t[]){found, rank});
  assert_elements(out, STREW_INT64, expected, "nonzero of %s (%s), rank %d, %d threads", strew_dtype_name(dtype),
                  layout, rank, strew_context_threads(context));
  strew_release(out);
  free(elements);
  free(expected);
}

START_TEST(nonzeros) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (int s = 0; s < SHAPES; s++)
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
      if (!chosen((_i * SHAPES + s) * LAYOUT_COUNT + layout, 16)) continue;
      const struct shape *shape = &shapes[s];
      strew_tensor *any = random_tensor(dtype, shape->rank, shape->sizes, (enum layout)layout);
      strew_tensor *few = random_integers(dtype, shape->rank, shape->sizes, (enum layout)layout, 0, 2);
      check_nonzero(any, layout_name((enum layout)layout));
      check_nonzero(few, layout_name((enum layout)layout));
      strew_release(any);
      strew_release(few);
    }
  for (int rank = 1; rank < 3; rank++) { /* of several blocks of flags, for several threads */
    strew_tensor *long_lines =
        random_integers(dtype, rank, (int64_t[]){40011 / rank, 2}, CONTIGUOUS, 0, dtype == STREW_BOOL ? 2 : 40);
    check_nonzero(long_lines, "long");
    strew_release(long_lines);
  }
}
END_TEST

/* Lines about the length of a word of bits and of a block; one element in 40, in 5 and in 2 is nonzero. */
START_TEST(few_nonzeros) {
  static const int64_t lengths[] = {1, 63, 64, 65, 200, 511, 512, 513, 1500};
  static const int64_t one_in[] = {40, 5, 2};
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  for (size_t k = 0; k < 3 * sizeof lengths / sizeof *lengths; k++) {
    strew_tensor *drawn = random_integers(STREW_INT32, 1, &lengths[k / 3], CONTIGUOUS, 0, one_in[k % 3]);
    strew_tensor *is_zero = NULL, *few = NULL;
    ok(strew_binary(STREW_EQ, strew_of(drawn), strew_number(strew_int(0)), &is_zero, &failure));
    ok(strew_to(is_zero, device, dtype, &few, &failure));
    check_nonzero(few, "few");
    strew_release(drawn), strew_release(is_zero), strew_release(few);
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("sort");
  TCase *sorting = new_case(suite, "sort and topk");
  tcase_add_loop_test(sorting, sorts, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_loop_test(sorting, sorts_short_lines, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(sorting, sorts_columns, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(sorting, selects_in_small_parts, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(sorting, sorts_by_buckets, 0, STREW_DTYPE_COUNT);
  if (!on_device()) tcase_add_loop_test(sorting, sorts_longest_lines, 0, 2); /* CPU only */
  tcase_add_loop_test(sorting, sorts_what_is_in_order, 0, 9);
  tcase_add_loop_test(sorting, sorts_narrow_keys, 0, 3);
  tcase_add_loop_test(sorting, sorts_few_keys, 0, STREW_DTYPE_COUNT);
  tcase_add_test(sorting, sorts_into_given);
#ifdef __SANITIZE_THREAD__
  (void)sorts_what_changes; /* ThreadSanitizer would rightly report the test's data race */
#else
  if (!on_device()) tcase_add_test(sorting, sorts_what_changes); /* other devices cannot wrap */
#endif
  tcase_add_test(sorting, refusals);
  TCase *others = new_case(suite, "unique and nonzero");
  tcase_add_loop_test(others, uniques, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_test(others, unique_of_few);
  tcase_add_loop_test(others, nonzeros, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_loop_test(others, few_nonzeros, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  return suite;
}
