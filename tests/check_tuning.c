/* check_tuning.c: every row of tuned numbers on any machine: scatter, gather, index checks, folds and sorts give what
   the oracle gives, whatever the row and the caches; and the rule that chooses a scatter's way, without running one.
   (devices: no, these numbers are the CPU's.) */
#include "runtime/core/cpu/scatter/scattering.h"

#include "oracle.h"
#include "tuned.h"

/* ---------------------------------------------------------------------------------------------------- comparisons */

enum { ROUNDS = 40 };
static const int64_t caches[] = {64, 4096, 1 << 18};
enum { CACHES = sizeof caches / sizeof *caches };

/* Random shapes: a line, rows of several columns, or a full index; in some the index ascends. */
static struct scatter_case draw_case(strew_tensor **index) {
  static const int64_t widths[] = {1, 2, 3, 17, 64, 100};
  const int64_t width = widths[draw_below(6)], count = (1 + draw_below(draw_below(2) ? 300 : 6000)) / width + 1;
  const int64_t size = 1 + draw_below(draw_below(2) ? 20 : 3000), sizes[] = {count, width};
  struct scatter_case c = {.dtype = (strew_dtype)draw_below(STREW_DTYPE_COUNT),
                           .reduction = (strew_reduction)draw_below(STREW_REDUCTION_COUNT),
                           .exclude_self = draw_below(4) == 0,
                           .rank = width > 1 ? 2 : 1,
                           .index_sizes = {count, width},
                           .src_sizes = {count, width},
                           .self_sizes = {size, width}};
  if (c.dtype == STREW_BOOL && c.reduction == STREW_MEAN) c.reduction = STREW_SUM;
  strew_tensor *column = random_integers(STREW_INT64, c.rank, (int64_t[]){count, 1}, CONTIGUOUS, 0, size);
  if (width > 1 && draw_below(2)) {
    *index = random_integers(draw_below(2) ? STREW_INT64 : STREW_INT32, c.rank, sizes, CONTIGUOUS, 0, size);
  } else if (c.rank == 1 && draw_below(2)) {
    strew_tensor *positions = NULL;
    *index = NULL;
    ok(strew_sort_with(column, 0, NULL, index, &positions, &failure));
    strew_release(positions);
  } else {
    *index = NULL;
    ok(strew_expand(column, c.rank, sizes, index, &failure));
  }
  strew_release(column);
  return c;
}

static void check_scatter(const struct scatter_case *c, strew_tensor *index, const char *what) {
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = self;
  strew_tensor *src = random_tensor(c->dtype, c->rank, c->src_sizes, draw_below(4) ? CONTIGUOUS : STRIDED);
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self, .mode = c->mode};
  void *held = host_of(self), *values = host_of(index), *contributions = host_of(src);
  void *expected = oracle_scatter(c, held, strew_tensor_dtype(index), values, contributions);
  ok(strew_scatter(self, c->dim, index, strew_of(src), &options, &out, &failure));
  assert_elements(self, c->dtype, expected, "%s, scattered by %s", what,
                  strew_enum_name(STREW_WORDS_REDUCTION, c->reduction));
  strew_release(self), strew_release(src);
  free(held), free(values), free(contributions), free(expected);
}

static void check_gather(const struct scatter_case *c, strew_tensor *index, const char *what) {
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = NULL;
  void *held = host_of(self), *values = host_of(index);
  void *expected = oracle_gather(c, held, strew_tensor_dtype(index), values);
  ok(strew_gather_with(self, c->dim, index, &(strew_index_options){.mode = c->mode}, &out, &failure));
  assert_elements(out, c->dtype, expected, "%s, gathered", what);
  strew_release(self), strew_release(out);
  free(held), free(values), free(expected);
}

/* One index value out of range: scatter and gather fail, and self stays. */
static void check_index(const struct scatter_case *c, strew_tensor *index, const char *what) {
  int64_t at[2];
  coordinates(draw_below(count_of(c->rank, c->index_sizes)), c->rank, c->index_sizes, at);
  strew_tensor *wrong = NULL, *src = random_tensor(c->dtype, c->rank, c->src_sizes, CONTIGUOUS), *gathered = NULL;
  ok(strew_clone(index, &wrong, &failure));
  ok(strew_set(wrong, c->rank, at, strew_int(draw_below(2) ? -1 : c->self_sizes[0]), &failure));
  strew_tensor *self = random_tensor(c->dtype, c->rank, c->self_sizes, CONTIGUOUS), *out = self;
  strew_scatter_options options = {.reduction = c->reduction, .exclude_self = c->exclude_self};
  void *before = host_of(self);
  assert_fails(strew_scatter(self, 0, wrong, strew_of(src), &options, &out, &failure), STREW_EINDEX, NULL);
  assert_elements(self, c->dtype, before, "%s, after a bad index", what);
  assert_fails(strew_gather_with(self, 0, wrong, NULL, &gathered, &failure), STREW_EINDEX, NULL);
  strew_release(wrong), strew_release(src), strew_release(self);
  free(before);
}

/* Sums and maxima of int64 along both dimensions. */
static void check_folds(const char *what) {
  const int64_t sizes[] = {1 + draw_below(200), 1 + draw_below(200)};
  strew_tensor *tensor = random_integers(STREW_INT64, 2, sizes, CONTIGUOUS, -1000, 1000);
  const int64_t *in = host_of(tensor);
  for (int dim = 0; dim < 2; dim++) {
    const int64_t n = sizes[1 - dim], step = dim ? sizes[1] : 1, along = dim ? 1 : sizes[1];
    int64_t sums[200] = {0}, greatest[200];
    for (int64_t i = 0; i < n; i++) {
      greatest[i] = in[i * step];
      for (int64_t k = 0; k < sizes[dim]; k++) {
        const int64_t x = in[i * step + k * along];
        sums[i] += x;
        if (x > greatest[i]) greatest[i] = x;
      }
    }
    strew_tensor *out[2] = {NULL, NULL};
    ok(strew_reduce_with(STREW_FOLD_SUM, tensor,
                         &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}}, &out[0], &failure));
    ok(strew_reduce_with(STREW_FOLD_AMAX, tensor,
                         &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}}, &out[1], &failure));
    assert_elements(out[0], STREW_INT64, sums, "%s, sums over %d", what, dim);
    assert_elements(out[1], STREW_INT64, greatest, "%s, maxima over %d", what, dim);
    strew_release(out[0]), strew_release(out[1]);
  }
  strew_release(tensor);
  free((void *)in);
}

/* Sorted, stable, and each position named once: then it is the sorted line. */
static void check_sort(const char *what) {
  const int64_t n = 1 + draw_below(draw_below(2) ? 100 : 9000);
  strew_tensor *tensor = random_integers(STREW_INT32, 1, &n, CONTIGUOUS, 0, 1 + draw_below(5000));
  strew_tensor *values = NULL, *positions = NULL;
  ok(strew_sort_with(tensor, 0, NULL, &values, &positions, &failure));
  int32_t *in = host_of(tensor), *sorted = host_of(values);
  int64_t *from = host_of(positions);
  char *seen = calloc((size_t)n, 1);
  for (int64_t i = 0; i < n; i++) {
    ck_assert_msg(from[i] >= 0 && from[i] < n && !seen[from[i]], "%s: position %d", what, (int)from[i]);
    seen[from[i]] = 1;
    ck_assert_msg(sorted[i] == in[from[i]], "%s: value %d", what, (int)i);
    if (i)
      ck_assert_msg(sorted[i] > sorted[i - 1] || (sorted[i] == sorted[i - 1] && from[i] > from[i - 1]), "%s", what);
  }
  strew_release(tensor), strew_release(values), strew_release(positions);
  free(in), free(sorted), free(from), free(seen);
}

/* _i: row x cache. */
START_TEST(rows_agree) {
  const struct tuning *row = &tuning_rows[_i / CACHES];
  const int64_t l2_bytes = caches[_i % CACHES];
  char what[80];
  use_tuning(row, l2_bytes);
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < some(ROUNDS); k++) {
    strew_tensor *index = NULL;
    use_threads(1 + k % 3);
    snprintf(what, sizeof what, "row %s, L2 of %d bytes, round %d", row->name, (int)l2_bytes, k);
    const struct scatter_case c = draw_case(&index);
    check_scatter(&c, index, what);
    check_gather(&c, index, what);
    check_index(&c, index, what);
    strew_release(index);
    check_folds(what);
    check_sort(what);
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- the rule */

/* 10 M contributions, by default sums of float32, to `size` destinations: no tensor is read. */
enum { MANY = 10000000 };
static struct storage nothing;

static struct scatter_plan plan_of(int64_t size, strew_reduction reduction, strew_dtype dtype) {
  nothing.device = device;
  struct scatter_plan plan = {.plan = {.rank = 1, .count = 3, .sizes = {MANY}}, .size = size, .step = 1};
  plan.reduction = reduction;
  for (int k = SELF; k <= SRC; k++)
    plan.plan.operands[k] = (struct operand){&nothing, 0, {k != SELF}, k == INDEX ? STREW_INT64 : dtype, {{0}}};
  return plan;
}

static enum way_kind decided(const struct scatter_plan *plan, int threads, bool one_value, bool sorted) {
  struct sample sample = {.count = LEAST_SAMPLE, .ascends = sorted || one_value, .all_ascend = sorted && threads > 1};
  struct scatter_way way;
  use_threads(threads);
  const struct shape shape = scatter_shape(context, plan);
  if (shape.alone) return WAY_ALONE;
  for (int64_t i = 0; i < sample.count; i++)
    sample.values[i] = one_value ? 0 : (sorted ? i : i * 37 % sample.count) * plan->size / sample.count;
  scatter_decide(plan, &shape, &sample, &way);
  return way.kind;
}

/* _i: row, with the caches that it has in earnest. */
START_TEST(ways_are_chosen) {
  const bool vectors = isa_in_use() != ISA_PLAIN;
  strew_options options = {.allocator = test_allocator};
  strew_context_release(context);
  ok(strew_context_create(&options, &context, &failure));
  ok(strew_device_find(context, NULL, &device, &failure));
  tuning_force(&tuning_rows[_i]);
  const struct scatter_plan few = plan_of(100, STREW_SUM, STREW_FLOAT32),
                            some = plan_of(1000000, STREW_SUM, STREW_FLOAT32);
  const struct scatter_plan many = plan_of(MANY, STREW_SUM, STREW_FLOAT32), any = plan_of(100, STREW_AMAX, STREW_INT32);
  ck_assert_int_eq(decided(&many, 1, false, false), WAY_PARTITION);
  ck_assert_int_eq(decided(&many, 2, false, false), WAY_PARTITION);
  ck_assert_int_eq(decided(&many, 1, false, true), WAY_ALONE);
  ck_assert_int_eq(decided(&many, 2, false, true), WAY_POSITIONS);
  ck_assert_int_eq(decided(&some, 1, false, false), WAY_ALONE);
  ck_assert_int_eq(decided(&some, 1, true, false), WAY_ALONE);
  ck_assert_int_eq(decided(&some, 2, true, false), WAY_HOT);
  ck_assert_int_eq(decided(&some, 16, false, false), WAY_PARTITION);
  ck_assert_int_eq(decided(&some, 2, false, false), _i == PROCESSOR_ZEN5 || !vectors ? WAY_ALONE : WAY_OWNERS);
  ck_assert_int_eq(decided(&few, 1, false, false), WAY_ALONE);
  ck_assert_int_eq(decided(&any, 2, false, false), WAY_COPIES);
  struct scatter_plan slices = plan_of(1000, STREW_SUM, STREW_FLOAT32);
  slices.plan.rank = 2, slices.plan.sizes[0] = 1000, slices.plan.sizes[1] = MANY / 1000;
  for (int k = SELF; k <= SRC; k++)
    slices.plan.operands[k].strides[1] = 1, slices.plan.operands[k].strides[0] = MANY / 1000;
  ck_assert_int_eq(decided(&slices, 2, false, false), WAY_SLICES);
  struct scatter_plan small = many;
  small.plan.sizes[0] = LEAST_SAMPLE - 1;
  ck_assert_int_eq(decided(&small, 2, false, false), WAY_ALONE);
}
END_TEST

/* A forced row is in use until the machine's is back. */
START_TEST(rows_are_forced) {
  tuning_force(NULL);
  const struct tuning *own = tuning_in_use();
  ck_assert(own >= tuning_rows && own < tuning_rows + PROCESSOR_COUNT);
  for (int i = 0; i < PROCESSOR_COUNT; i++) {
    tuning_force(&tuning_rows[i]);
    ck_assert_ptr_eq(tuning_in_use(), &tuning_rows[i]);
  }
  tuning_force(NULL);
  ck_assert_ptr_eq(tuning_in_use(), own);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("tuning");
  TCase *tcase = new_case(suite, "rows");
  tcase_add_loop_test(tcase, rows_agree, 0, PROCESSOR_COUNT * CACHES);
  tcase_add_loop_test(tcase, ways_are_chosen, 0, PROCESSOR_COUNT);
  tcase_add_test(tcase, rows_are_forced);
  return suite;
}
