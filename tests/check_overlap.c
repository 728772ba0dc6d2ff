/* check_overlap.c: whether views share elements, against sets of offsets: never wrong for small views, exact for views
   made by slicing and transposing, fast for difficult strides. */
#include "runtime/core/base/tensor.h"
#include "testing.h"

#include <time.h>

enum { LENGTH = 96, MANY = 4 << 20 };

static strew_tensor *strided(strew_tensor *base, int rank, const int64_t *sizes, const int64_t *strides,
                             int64_t offset) {
  strew_tensor *view = NULL;
  ok(strew_as_strided(base, rank, sizes, strides, offset, &view, &failure));
  return view;
}

static strew_tensor *block_of(int64_t length) {
  strew_tensor *base = NULL;
  ok(strew_empty(device, STREW_INT8, 1, &length, &base, &failure));
  return base;
}

/* ----------------------------------------------------------------------------------------- against sets of offsets */

/* A view that fits into LENGTH elements. */
static strew_tensor *draw_view(strew_tensor *base) {
  int64_t sizes[4], strides[4], last = 0;
  int rank = (int)draw_below(5);
  for (int d = 0; d < rank; d++) {
    sizes[d] = draw_below(20) ? 1 + draw_below(4) : 0;
    strides[d] = draw_below(draw_below(2) ? 5 : 14);
    if (sizes[d] && last + (sizes[d] - 1) * strides[d] >= LENGTH) strides[d] = 0;
    if (sizes[d]) last += (sizes[d] - 1) * strides[d];
  }
  return strided(base, rank, sizes, strides, draw_below(LENGTH - last));
}

/* Counts the coordinates of each offset. */
static void count_offsets(const strew_tensor *view, int *counts) {
  for (int64_t i = 0; i < strew_tensor_numel(view); i++) counts[offset_of(view, i)]++;
}

START_TEST(small_views_are_never_mistaken) {
  strew_tensor *base = block_of(LENGTH);
  int disjoint = 0, alone = 0;
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 10000; n++) {
    strew_tensor *a = draw_view(base), *b = draw_view(base);
    int in_a[LENGTH] = {0}, in_b[LENGTH] = {0};
    bool shares = false, repeats = false;
    count_offsets(a, in_a), count_offsets(b, in_b);
    for (int i = 0; i < LENGTH; i++) shares |= in_a[i] && in_b[i], repeats |= in_a[i] > 1;
    if (tensors_overlap(a, b) != shares) ck_abort_msg("pair %d: should be %s", n, shares ? "found" : "let pass");
    if (tensors_overlap(b, a) != shares) ck_abort_msg("pair %d with swapped arguments", n);
    if (tensor_overlaps_itself(a) != repeats) ck_abort_msg("view %d: should be %s", n, repeats ? "found" : "let pass");
    disjoint += !shares, alone += !repeats;
    strew_release(a), strew_release(b);
  }
  ck_assert(disjoint > 1000 && disjoint < 9000 && alone > 1000 && alone < 9000);
  strew_release(base);
}
END_TEST

START_TEST(views_that_are_the_same) {
  strew_tensor *base = block_of(LENGTH), *one = strided(base, 1, (int64_t[]){1}, (int64_t[]){7}, 5);
  strew_tensor *also = strided(base, 1, (int64_t[]){1}, (int64_t[]){3}, 5), *none = strided(base, 0, NULL, NULL, 5);
  strew_tensor *pair = strided(base, 1, (int64_t[]){2}, (int64_t[]){3}, 5);
  strew_tensor *wider = strided(base, 1, (int64_t[]){2}, (int64_t[]){4}, 5),
               *next = strided(base, 1, (int64_t[]){2}, (int64_t[]){3}, 6);
  ck_assert(tensors_are_same_view(one, also)); /* the stride of a dimension of size 1 does not matter */
  ck_assert(tensors_are_same_view(pair, pair));
  ck_assert(!tensors_are_same_view(one, none));
  ck_assert(!tensors_are_same_view(one, pair));
  ck_assert(!tensors_are_same_view(pair, wider));
  ck_assert(!tensors_are_same_view(pair, next));
  strew_release(base), strew_release(one), strew_release(also), strew_release(none), strew_release(pair);
  strew_release(wider), strew_release(next);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- larger views */

struct shape {
  int rank;
  int64_t sizes[4], strides[4], offset;
};

/* Of a block of MANY elements: a matrix of 2048 x 2048, a volume of 128 x 128 x 256, an image of 1024 x 1024 x 4. */
static const struct {
  const char *what;
  struct shape a, b;
  bool overlap;
} pairs[] = {
    {"columns", {1, {2048}, {2048}, 5}, {1, {2048}, {2048}, 6}, false},
    {"a column twice", {1, {2048}, {2048}, 5}, {1, {2047}, {2048}, 2053}, true},
    {"a column and a row", {1, {2048}, {2048}, 5}, {1, {2048}, {1}, 4096}, true},
    {"a column and the row's part beside it", {1, {2048}, {2048}, 5}, {1, {2042}, {1}, 4102}, false},
    {"even and odd columns", {2, {2048, 1024}, {2048, 2}, 0}, {2, {2048, 1024}, {2048, 2}, 1}, false},
    {"even and odd rows", {2, {1024, 2048}, {4096, 1}, 0}, {2, {1024, 2048}, {4096, 1}, 2048}, false},
    {"every second and every third", {1, {1000}, {2}, 0}, {1, {1000}, {3}, 0}, true},
    {"left and right half", {2, {2048, 1024}, {2048, 1}, 0}, {2, {2048, 1024}, {2048, 1}, 1024}, false},
    {"left half and one column more", {2, {2048, 1025}, {2048, 1}, 0}, {2, {2048, 1024}, {2048, 1}, 1024}, true},
    {"upper left and lower right block", {2, {512, 512}, {2048, 1}, 0}, {2, {512, 512}, {2048, 1}, 1049088}, false},
    {"blocks that meet in a corner", {2, {512, 512}, {2048, 1}, 0}, {2, {512, 512}, {2048, 1}, 1047039}, true},
    {"a block and its transpose", {2, {512, 512}, {2048, 1}, 0}, {2, {512, 512}, {1, 2048}, 0}, true},
    {"a block and the transpose of the next", {2, {512, 512}, {2048, 1}, 0}, {2, {512, 512}, {1, 2048}, 512}, false},
    {"channels of an image", {2, {1024, 1024}, {4096, 4}, 0}, {2, {1024, 1024}, {4096, 4}, 3}, false},
    {"two channels and a third", {3, {1024, 1024, 2}, {4096, 4, 1}, 0}, {2, {1024, 1024}, {4096, 4}, 2}, false},
    {"two channels and one of them", {3, {1024, 1024, 2}, {4096, 4, 1}, 0}, {2, {1024, 1024}, {4096, 4}, 1}, true},
    {"planes of a volume", {2, {128, 256}, {32768, 1}, 0}, {2, {128, 256}, {32768, 1}, 256}, false},
    {"planes that cross", {2, {128, 256}, {32768, 1}, 0}, {2, {128, 128}, {32768, 256}, 7}, true},
    {"cells of a volume, turned", {3, {64, 64, 64}, {256, 1, 32768}, 0}, {3, {64, 64, 64}, {1, 32768, 256}, 64}, false},
    {"the diagonal and the one above", {1, {2048}, {2049}, 0}, {1, {2047}, {2049}, 1}, false},
    {"the diagonal and a row below", {1, {1024}, {2049}, 0}, {1, {2048}, {1}, 4192256}, false},
    {"the diagonal and the columns right of it", {1, {1024}, {2049}, 0}, {2, {1024, 1024}, {2048, 1}, 1024}, false},
    {"what came before and what comes after", {1, {2097152}, {1}, 0}, {1, {2097152}, {1}, 2097152}, false},
    {"one element of both", {1, {2097153}, {1}, 0}, {1, {2097152}, {1}, 2097152}, true},
    {"an element of a row", {0, {0}, {0}, 4098}, {1, {2048}, {1}, 4096}, true},
    {"nothing of a row", {1, {0}, {1}, 4098}, {1, {2048}, {1}, 4096}, false},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

START_TEST(larger_views_are_told_apart) {
  const struct shape *a = &pairs[_i].a, *b = &pairs[_i].b;
  strew_tensor *base = block_of(MANY), *one = strided(base, a->rank, a->sizes, a->strides, a->offset);
  strew_tensor *other = strided(base, b->rank, b->sizes, b->strides, b->offset);
  ck_assert_msg(tensors_overlap(one, other) == pairs[_i].overlap, "%s", pairs[_i].what);
  ck_assert_msg(tensors_overlap(other, one) == pairs[_i].overlap, "%s, with swapped arguments", pairs[_i].what);
  strew_release(base), strew_release(one), strew_release(other);
}
END_TEST

static const struct {
  const char *what;
  struct shape shape;
  bool overlap;
} singles[] = {
    {"a block", {2, {512, 512}, {2048, 1}, 9}, false},
    {"its transpose", {2, {512, 512}, {1, 2048}, 9}, false},
    {"every third of every second row", {2, {1000, 600}, {4096, 3}, 0}, false},
    {"a volume's cells, turned", {3, {64, 64, 64}, {1, 32768, 256}, 0}, false},
    {"a row that was expanded", {2, {4, 2048}, {0, 1}, 0}, true},
    {"a size 1 that stands still", {2, {1, 2048}, {0, 1}, 0}, false},
    {"nothing that was expanded", {2, {4, 0}, {0, 1}, 0}, false},
    {"windows that slide", {2, {2000, 3}, {1, 1}, 0}, true},
    {"windows that slide by their length", {2, {2000, 3}, {3, 1}, 0}, false},
    {"windows that slide by less", {2, {2000, 4}, {3, 1}, 0}, true},
    {"strides that cross once", {2, {8, 6}, {5, 7}, 0}, true},
    {"strides that do not cross", {2, {7, 5}, {5, 7}, 0}, false},
};
enum { SINGLES = sizeof singles / sizeof *singles };

START_TEST(larger_views_alone) {
  const struct shape *shape = &singles[_i].shape;
  strew_tensor *base = block_of(MANY);
  strew_tensor *view = strided(base, shape->rank, shape->sizes, shape->strides, shape->offset);
  ck_assert_msg(tensor_overlaps_itself(view) == singles[_i].overlap, "%s", singles[_i].what);
  strew_release(base), strew_release(view);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ difficult strides */

/* Many dimensions with similar strides: too many sums to try. Undecided cases count as overlaps, so that none is
   missed. */
START_TEST(hard_strides_take_no_time) {
  strew_tensor *base = block_of(MANY);
  seed_draws((uint64_t)_i + 1);
  clock_t start = clock();
  for (int n = 0; n < 200; n++) {
    int64_t sizes[STREW_MAX_RANK], strides[2][STREW_MAX_RANK], even = draw_below(2);
    for (int d = 0; d < STREW_MAX_RANK; d++) {
      sizes[d] = 2 + draw_below(3);
      for (int k = 0; k < 2; k++) strides[k][d] = (1 + even) * (20000 + draw_below(3000));
    }
    strew_tensor *a = strided(base, STREW_MAX_RANK, sizes, strides[0], 0);
    strew_tensor *b = strided(base, STREW_MAX_RANK, sizes, strides[1], even);
    bool overlap = tensors_overlap(a, b);
    ck_assert(overlap || even); /* from offset 0 both start at the same element */
    strew_release(a), strew_release(b);
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  ck_assert_msg(seconds < 1, "200 pairs took %g s", seconds);
  strew_release(base);
}
END_TEST

/* ------------------------------------------------------------------------------------------ other kinds of sharing */

START_TEST(storages_are_apart) {
  strew_tensor *a = block_of(8), *b = block_of(8);
  ck_assert(!tensors_overlap(a, b));
  ck_assert(tensors_overlap(a, a));
  strew_release(a), strew_release(b);
}
END_TEST

/* A host may wrap the same memory twice, also with other dtypes: the byte ranges decide. */
START_TEST(memory_wrapped_twice) {
  double memory[8] = {0};
  const int64_t four = 4, two = 2;
  strew_tensor *low = NULL, *high = NULL, *bytes = NULL, *owned = block_of(8);
  ok(strew_wrap(device, STREW_FLOAT64, 1, &four, NULL, memory, 32, NULL, NULL, &low, &failure));
  ok(strew_wrap(device, STREW_FLOAT64, 1, &four, NULL, memory + 4, 32, NULL, NULL, &high, &failure));
  ok(strew_wrap(device, STREW_INT16, 1, &two, NULL, (char *)memory + 28, 36, NULL, NULL, &bytes, &failure));
  ck_assert(!tensors_overlap(low, high));
  ck_assert(tensors_overlap(low, bytes));
  ck_assert(!tensors_overlap(high, bytes));
  ck_assert(!tensors_overlap(low, owned));
  strew_release(low), strew_release(high), strew_release(bytes), strew_release(owned);
}
END_TEST

/* Their offsets count from different addresses. */
START_TEST(views_of_memory_wrapped_twice) {
  double memory[8] = {0};
  const int64_t all = 8, two = 2, step = 2;
  strew_tensor *whole = NULL, *thin = NULL, *one = NULL;
  ok(strew_wrap(device, STREW_FLOAT64, 1, &all, NULL, memory, 64, NULL, NULL, &whole, &failure));
  ok(strew_wrap(device, STREW_FLOAT64, 1, &two, &step, memory + 2, 48, NULL, NULL, &thin, &failure));
  ok(strew_narrow(whole, 0, 4, 1, &one, &failure));
  ck_assert(tensors_overlap(thin, one));
  strew_release(whole), strew_release(thin), strew_release(one);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("overlap");
  TCase *all = new_case(suite, "overlap");
  tcase_add_loop_test(all, small_views_are_never_mistaken, 0, 8);
  tcase_add_test(all, views_that_are_the_same);
  tcase_add_loop_test(all, larger_views_are_told_apart, 0, PAIRS);
  tcase_add_loop_test(all, larger_views_alone, 0, SINGLES);
  tcase_add_loop_test(all, hard_strides_take_no_time, 0, 4);
  tcase_add_test(all, storages_are_apart);
  if (on_device()) return suite;
  tcase_add_test(all, memory_wrapped_twice);
  tcase_add_test(all, views_of_memory_wrapped_twice);
  return suite;
}
