/* check_plan.c: iteration spaces before and after simplification visit the same elements, in the same order where the
   order matters; and shapes that broadcast. (devices: no, plans are made before a device gets them.) */
#include "runtime/core/base/plan.h"
#include "testing.h"

enum { OPERANDS = 3, MOST = 1024 };

/* The offsets of all operands at one position of a plan. */
struct spot {
  int64_t offsets[OPERANDS];
};

/* All positions, in row-major order. */
static int64_t places_of(const struct plan *plan, struct spot *places) {
  int64_t count = plan_numel(plan);
  ck_assert(count <= MOST);
  for (int64_t i = 0; i < count; i++) {
    int64_t at[MAX_RANK];
    coordinates(i, plan->rank, plan->sizes, at);
    for (int k = 0; k < plan->count; k++) {
      places[i].offsets[k] = plan->operands[k].offset;
      for (int d = 0; d < plan->rank; d++) places[i].offsets[k] += at[d] * plan->operands[k].strides[d];
    }
  }
  return count;
}

/* Many adjacent dimensions can be merged, because their strides continue. */
static struct plan draw_plan(int most_dims) {
  struct plan plan;
  int64_t sizes[MAX_RANK];
  int rank = (int)draw_below(most_dims + 1);
  for (int d = 0; d < rank; d++) sizes[d] = 1 + draw_below(3);
  plan_start(&plan, rank, sizes);
  for (int k = 0; k < OPERANDS; k++)
    plan_add_number(&plan, STREW_INT8, (union element){.i64 = 0})->offset = draw_below(9);
  for (int k = 0; k < OPERANDS; k++)
    for (int d = rank - 1; d >= 0; d--) {
      int64_t even = d == rank - 1 ? 1 : plan.operands[k].strides[d + 1] * sizes[d + 1];
      plan.operands[k].strides[d] = draw_below(4) ? even : draw_below(5);
    }
  return plan;
}

/* Swaps two dimensions, so that memory order differs from the order of dimensions. */
static void turn(struct plan *plan) {
  if (plan->rank < 2) return;
  int a = (int)draw_below(plan->rank), b = (int)draw_below(plan->rank);
  int64_t size = plan->sizes[a];
  plan->sizes[a] = plan->sizes[b], plan->sizes[b] = size;
  for (int k = 0; k < plan->count; k++) {
    int64_t *strides = plan->operands[k].strides, stride = strides[a];
    strides[a] = strides[b], strides[b] = stride;
  }
}

static int by_offsets(const void *a, const void *b) {
  const struct spot *x = a, *y = b;
  for (int k = 0; k < OPERANDS; k++)
    if (x->offsets[k] != y->offsets[k]) return x->offsets[k] < y->offsets[k] ? -1 : 1;
  return 0;
}

static void expect_places(const struct plan *plan, const struct plan *whole, bool ordered, const char *what) {
  static struct spot is[MOST], expected[MOST];
  int64_t count = places_of(whole, expected);
  ck_assert_int_eq(places_of(plan, is), count);
  if (!ordered)
    qsort(is, (size_t)count, sizeof *is, by_offsets), qsort(expected, (size_t)count, sizeof *expected, by_offsets);
  if (memcmp(is, expected, (size_t)count * sizeof *is) != 0) ck_abort_msg("%s does not visit the same elements", what);
}

/* No dimension of size 1 is left, and no two adjacent dimensions that all operands could merge. */
static void expect_simple(const struct plan *plan) {
  for (int d = 0; d < plan->rank; d++) {
    ck_assert_int_ne(plan->sizes[d], 1);
    bool even = d > 0;
    for (int k = 0; k < plan->count && d > 0; k++) {
      const int64_t *strides = plan->operands[k].strides;
      even &= strides[d - 1] == strides[d] * plan->sizes[d];
    }
    ck_assert(!even);
  }
}

START_TEST(simplified_in_order) {
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 2000; n++) {
    struct plan whole = draw_plan(6), plan = whole;
    plan_simplify(&plan);
    expect_places(&plan, &whole, true, "plan_simplify");
    expect_simple(&plan);
  }
}
END_TEST

START_TEST(simplified_in_any_order) {
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 2000; n++) {
    struct plan whole = draw_plan(6);
    turn(&whole);
    struct plan plan = whole;
    plan_simplify_any_order(&plan);
    expect_places(&plan, &whole, false, "plan_simplify_any_order");
    expect_simple(&plan);
    for (int d = 1; d < plan.rank; d++) /* the first operand is walked in memory order */
      ck_assert(plan.operands[0].strides[d - 1] >= plan.operands[0].strides[d]);
  }
}
END_TEST

/* Dense operands become one row, in any order of dimensions. */
START_TEST(dense_operands_become_a_row) {
  const int64_t sizes[] = {3, 1, 4, 2};
  strew_tensor *a = random_tensor(STREW_INT8, 4, sizes, CONTIGUOUS), *turned = NULL;
  ok(strew_permute(a, 4, (const int64_t[]){2, 0, 3, 1}, &turned, &failure));
  struct plan plan;
  plan_start(&plan, 4, strew_tensor_sizes(turned));
  plan_add(&plan, turned), plan_add(&plan, turned);
  plan_simplify_any_order(&plan);
  ck_assert_int_eq(plan.rank, 1);
  ck_assert_int_eq(plan.sizes[0], 24);
  ck_assert_int_eq(plan.operands[1].strides[0], 1);
  strew_release(a), strew_release(turned);
}
END_TEST

START_TEST(lines_stay_whole) {
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 2000; n++) {
    struct plan whole = draw_plan(6);
    turn(&whole);
    struct plan plan = whole;
    int dim = whole.rank ? (int)draw_below(whole.rank) : 0;
    plan_lines(&plan, dim);
    expect_places(&plan, &whole, false, "plan_lines");
    ck_assert_int_ge(plan.rank, 1);
    ck_assert_int_eq(plan.sizes[plan.rank - 1], whole.rank ? whole.sizes[dim] : 1);
    for (int k = 0; k < OPERANDS && whole.rank; k++)
      ck_assert_int_eq(plan.operands[k].strides[plan.rank - 1], whole.operands[k].strides[dim]);
  }
}
END_TEST

/* Stride-0 dimensions are visited once, also with more dimensions than a plan keeps. */
START_TEST(values_of_an_operand) {
  const int64_t column[] = {3, 1}, wide[] = {2, 3, 4};
  strew_tensor *a = random_tensor(STREW_INT8, 2, column, CONTIGUOUS), *expanded = NULL;
  ok(strew_expand(a, 3, wide, &expanded, &failure));
  struct plan plan, values;
  plan_start(&plan, 3, wide);
  plan_add(&plan, expanded), plan_add(&plan, a);
  for (int k = 0; k < 2; k++) {
    plan_operand_values(&values, &plan, k);
    ck_assert_int_eq(values.count, 1);
    ck_assert_int_eq(plan_numel(&values), 3);
    ck_assert_int_eq(values.operands[0].strides[1], 1);
  }
  strew_release(a), strew_release(expanded);
}
END_TEST

/* Sizes are equal, or one of them is 1, or missing on the left. */
START_TEST(shapes_broadcast) {
  int fitting = 0;
  for (int n = 0; n < 5000; n++) {
    int64_t a[MAX_RANK] = {0}, b[4] = {0}, expected[4];
    int rank_a = (int)draw_below(5), rank_b = (int)draw_below(5), rank = rank_a > rank_b ? rank_a : rank_b;
    for (int d = 0; d < rank_a; d++) a[d] = draw_below(8) ? 1 + draw_below(2) : 0;
    for (int d = 0; d < rank_b; d++) b[d] = draw_below(8) ? 1 + draw_below(2) : 0;
    bool fits = true;
    for (int d = 1; d <= rank; d++) { /* from the right */
      int64_t size_a = d <= rank_a ? a[rank_a - d] : 1, size_b = d <= rank_b ? b[rank_b - d] : 1;
      fits &= size_a == size_b || size_a == 1 || size_b == 1;
      expected[rank - d] = size_a == 1 ? size_b : size_a;
    }
    ck_assert(broadcast_sizes(&rank_a, a, rank_b, b) == fits);
    fitting += fits;
    if (!fits) continue;
    ck_assert_int_eq(rank_a, rank);
    ck_assert_mem_eq(a, expected, (size_t)rank * sizeof *expected);
  }
  ck_assert(fitting > 500 && fitting < 4500);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("plan");
  TCase *all = new_case(suite, "plans");
  tcase_add_loop_test(all, simplified_in_order, 0, 4);
  tcase_add_loop_test(all, simplified_in_any_order, 0, 4);
  tcase_add_test(all, dense_operands_become_a_row);
  tcase_add_loop_test(all, lines_stay_whole, 0, 4);
  tcase_add_test(all, values_of_an_operand);
  tcase_add_test(all, shapes_broadcast);
  return suite;
}
