/* order.c: what the order of values within groups gives: quantiles, numbers of different values, the order itself, and
   running sums. Elements are sorted by value and, stably, by group; for quantiles the CPU collects those of each group
   and selects instead. */
#include "group_ops.h"
#include "reduce.h"
#include "runtime/order/order_ops.h"

#include <inttypes.h>

/* Elements in the order of their groups and, within each, of values or positions; and their groups' numbers. */
struct ordered {
  strew_tensor *values, *numbers;
};

/* The groups' numbers, of src's shape; for elements that have none: size. */
static strew_tensor *number_groups(struct group_call *g) {
  struct steps *steps = g->steps;
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *index = &g->groups.index;
  const int64_t size = group_size(g);
  const strew_dtype dtype = size < INT32_MAX ? STREW_INT32 : STREW_INT64;
  if (g->groups.addressing.limits.mode != STREW_DROP)
    return dtype == index->dtype ? index : step_to(steps, index, NULL, dtype);
  STEP_INTO(steps, is_out, groups_mark_outside(steps->call, index, size, is_out));
  return step_where(steps, *is_out, size, step_to(steps, index, NULL, dtype));
}

static strew_tensor *sort(struct group_call *g, strew_tensor *tensor, strew_tensor **values) {
  return step_argsort(g->steps, tensor, group_dim(g), false, values);
}

static strew_tensor *take(struct group_call *g, strew_tensor *tensor, strew_tensor *order) {
  return step_gather(g->steps, tensor, group_dim(g), order, STREW_DROP);
}

/* Sorts by value, then, stably, by group. Scratch is freed as soon as it is used. */
static void order_values(struct group_call *g, struct ordered *ordered) {
  struct steps *steps = g->steps;
  strew_tensor **values = steps_place(steps), **numbers = steps_place(steps);
  const int mark = steps->count;
  strew_tensor *order = sort(g, g->groups.src, values);
  strew_tensor *moved = steps_keep(steps, mark, take(g, number_groups(g), order));
  strew_tensor *by_group = steps_keep(steps, mark, sort(g, moved, numbers));
  ordered->values = steps_keep(steps, mark, take(g, *values, by_group));
  ordered->numbers = *numbers;
}

/* -------------------------------------------------------------------------------------------------------- quantiles */

/* Sorts by group alone, stably. */
static strew_tensor *collect_values(struct group_call *g) {
  const int mark = g->steps->count;
  strew_tensor *by_group = steps_keep(g->steps, mark, sort(g, number_groups(g), NULL));
  return steps_keep(g->steps, mark, take(g, g->groups.src, by_group));
}

static strew_status pick(const struct call *call, struct quantile_plan *plan, strew_tensor *values,
                         strew_tensor *starts, strew_tensor *counts, int dim, strew_tensor *out) {
  strew_tensor lines = *values;
  plan->step = lines.strides[dim];
  lines.sizes[dim] = 1;
  PLAN(&plan->plan, out->rank, out->sizes, out, &lines, starts, counts);
  plan_simplify_any_order(&plan->plan);
  return strew_tensor_numel(out) ? RUN_ON(out, order->quantile, call, plan) : STREW_OK;
}

/* The CPU selects from unsorted values. */
static void pick_groups(struct group_call *g, struct quantile_plan *plan, strew_tensor *out) {
  struct steps *steps = g->steps;
  const strew_tensor *src = g->groups.src;
  struct ordered ordered;
  if (src->storage->device == &src->storage->device->context->cpu) plan->unsorted = strew_tensor_numel(src);
  strew_tensor *counts = step_join(steps, g, STREW_SUM, NULL), *starts = step_cumsum(steps, counts, group_dim(g));
  step_binary(steps, STREW_SUB, starts, counts, starts);
  if (plan->unsorted)
    ordered.values = collect_values(g);
  else
    order_values(g, &ordered);
  STEP(steps, pick(steps->call, plan, ordered.values, starts, counts, group_dim(g), out));
}

/* The quantiles, or `empty` everywhere if there are no elements. */
static strew_tensor *quantiles_of_groups(struct group_call *g, struct quantile_plan *plan) {
  struct steps *steps = g->steps;
  group_open(g, NULL);
  if (steps->status != STREW_OK) return NULL;
  strew_tensor rows = *g->groups.src;
  rows.sizes[group_dim(g)] = group_size(g);
  strew_tensor *made = step_new(steps, rows.storage->device, rows.dtype, rows.rank, rows.sizes);
  if (strew_tensor_numel(g->groups.src) == 0)
    STEP(steps, fill_tensor(steps->call, made, plan->empty));
  else
    pick_groups(g, plan, made);
  return made;
}

/* Of 1-D elements that all have a group, on a device that collects them. */
static strew_tensor *quantiles_of_members(struct group_call *g, struct quantile_plan *plan) {
  struct steps *steps = g->steps;
  strew_device *device = g->src->storage->device;
  struct groups *groups = &g->grouping->groups;
  const struct group_ids ids = groups_narrow(groups);
  strew_tensor *starts = step_derived(steps, groups_starts, groups);
  strew_tensor *counts = step_derived(steps, groups_counts, groups);
  plan->unsorted = strew_tensor_numel(g->src);
  strew_tensor *values = step_new(steps, device, g->src->dtype, 1, g->src->sizes);
  strew_tensor *made = step_new(steps, device, g->src->dtype, 1, &ids.size);
  STEP(steps, device->ops->groups->group_collect(steps->call, device, &ids, starts, g->src, values));
  strew_tensor *begins = step_narrow(steps, starts, 0, 0, ids.size);
  STEP(steps, pick(steps->call, plan, values, begins, counts, 0, made));
  return made;
}

static bool collects(const struct group_call *g) {
  if (!group_is_line(g) || !groups_walks(&g->grouping->groups)->group_collect || strew_grouping_drops(g->grouping))
    return false;
  return g->src->storage->device == strew_grouping_device(g->grouping) && g->src->sizes[0] > 0;
}

static strew_status check_interpolated(const struct call *call, strew_interpolation interpolation,
                                       const strew_tensor *src) {
  static const char *const mixes[STREW_INTERPOLATION_COUNT] = {
      [STREW_LINEAR] = "linear", [STREW_MIDPOINT] = "midpoint"};
  if (!mixes[interpolation] || dtype_is_float(src->dtype)) return STREW_OK;
  return fail(call,
              HINTED(STREW_EDTYPE, call->operands[0].name,
                     "interpolation = STREW_LOWER, STREW_HIGHER, STREW_NEAREST and STREW_INVERTED_CDF take all dtypes"),
              "is %s, expected a float dtype for interpolation = \"%s\"", strew_dtype_name(src->dtype),
              mixes[interpolation]);
}

static strew_tensor *quantile(struct group_call *g, double q, strew_interpolation interpolation) {
  struct steps *steps = g->steps;
  struct quantile_plan plan = {.q = q, .interpolation = interpolation};
  const strew_dtype dtype = g->src->dtype;
  const strew_scalar empty = g->options.fill ? *g->options.fill : group_empty(g->row, false, dtype);
  STEP(steps, check_rank(steps->call, q, interpolation));
  STEP(steps, check_interpolated(steps->call, interpolation, g->src));
  STEP(steps, element_from(steps->call, "fill", empty, STREW_EXACT, dtype, &plan.empty));
  return collects(g) ? quantiles_of_members(g, &plan) : quantiles_of_groups(g, &plan);
}

strew_tensor *group_quantile(struct group_call *g, strew_tensor *out) {
  return (void)out, quantile(g, g->given->q, g->given->interpolation);
}

strew_tensor *group_median(struct group_call *g, strew_tensor *out) { return (void)out, quantile(g, 0.5, STREW_LOWER); }

/* ---------------------------------------------------------------------------------------------- order within groups */

/* By sorting all elements, then, stably, their groups. Those without one, -1, come first. */
static strew_tensor *sort_twice(struct steps *steps, struct groups *groups, strew_tensor *src, bool descending,
                                int64_t members) {
  strew_tensor **kept = steps_place(steps);
  STEP(steps, groups_widen(steps->call, groups));
  strew_tensor *by_value = step_argsort(steps, src, 0, descending, NULL);
  strew_tensor *ids = step_gather(steps, groups->wide, 0, by_value, STREW_DROP);
  strew_tensor *order = step_gather(steps, by_value, 0, step_argsort(steps, ids, 0, false, NULL), STREW_DROP);
  STEP(steps, groups_keep_last(steps->call, order, members, kept));
  return *kept;
}

/* By the device; NULL if it declines. order: of all members. */
static strew_tensor *order_by_device(struct steps *steps, struct groups *groups, strew_tensor *src, bool descending,
                                     const strew_tensor *order) {
  strew_device *device = src->storage->device;
  const int mark = steps->count;
  strew_tensor *starts = step_derived(steps, groups_starts, groups), *made = NULL;
  if (steps->status == STREW_OK) made = step_new(steps, device, STREW_INT64, 1, order->sizes);
  if (steps->status != STREW_OK) return NULL;
  const strew_status status =
      device->ops->groups->group_order_within(steps->call, device, src, order, starts, descending, made);
  if (status == STREW_DECLINED) return steps_keep(steps, mark, NULL);
  return STEP(steps, status), made;
}

static strew_tensor *order_line(struct steps *steps, struct groups *groups, strew_tensor *src, bool descending) {
  const bool has_entry = src->storage->device->ops->groups->group_order_within != NULL;
  strew_tensor **order = steps_place(steps), *made = NULL;
  if (steps->status != STREW_OK) return NULL;
  if (has_entry || groups_drop(groups)) STEP(steps, groups_order(steps->call, groups, order));
  const int64_t members = *order ? (*order)->sizes[0] : src->sizes[0];
  if (!members) return step_new(steps, src->storage->device, STREW_INT64, 1, &members);
  if (has_entry) made = order_by_device(steps, groups, src, descending, *order);
  return made ? made : sort_twice(steps, groups, src, descending, members);
}

strew_status strew_grouping_argsort_with(strew_grouping *grouping, strew_tensor *src, const strew_sort_options *options,
                                         strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "grouping_argsort", error, {"src", src}, IDS_OF(grouping));
  OPTIONS(strew_sort_options);
  STEP(&steps, grouping_check_line(&call, grouping, src));
  return steps_give(&steps, order_line(&steps, &grouping->groups, src, options->descending), out);
}

/* ------------------------------------------------------------------------------------------------- different values */

/* The same for a line of a grouping: without elements that have no group. */
static void order_members(struct group_call *g, struct ordered *ordered) {
  strew_tensor *order = order_line(g->steps, &g->grouping->groups, g->groups.src, false);
  ordered->values = take(g, g->groups.src, order);
  ordered->numbers = take(g, &g->groups.index, order);
}

/* The number of elements that differ from the one before them in the order of values. */
strew_tensor *group_nunique(struct group_call *g, strew_tensor *out) {
  struct steps *steps = g->steps;
  struct ordered ordered = {NULL, NULL};
  (void)out;
  group_open(g, NULL);
  if (steps->status != STREW_OK) return NULL;
  if (group_is_line(g))
    order_members(g, &ordered);
  else
    order_values(g, &ordered);
  if (steps->status != STREW_OK) return NULL;
  const strew_tensor *values = ordered.values;
  const int dim = group_dim(g);
  strew_tensor *is_new =
      step_full(steps, values->storage->device, STREW_BOOL, values->rank, values->sizes, strew_bool(true));
  if (values->sizes[dim] > 1) {
    strew_tensor *rest = step_narrow(steps, is_new, dim, 1, values->sizes[dim] - 1);
    find_changes(steps, ordered.values, dim, rest);
    step_binary(steps, STREW_LOGICAL_OR, rest, find_changes(steps, ordered.numbers, dim, NULL), rest);
  }
  const struct group_options options = {
      .dim = dim, .dim_size = group_size(g), .reduction = STREW_SUM, .mode = STREW_DROP};
  return step_group(steps, step_to(steps, is_new, NULL, STREW_INT64), ordered.numbers, &options, NULL);
}

/* --------------------------------------------------------------------------------------------------- ranks and topk */

/* For each element of an order its group and its rank there. */
static void rank_order(struct steps *steps, struct groups *groups, strew_tensor *order, strew_tensor **own,
                       strew_tensor **ranks) {
  *own = step_gather(steps, step_derived(steps, groups_ids, groups), 0, order, STREW_ERROR);
  strew_tensor *begins = step_gather(steps, step_derived(steps, groups_starts, groups), 0, *own, STREW_ERROR);
  if (steps->status != STREW_OK) return;
  *ranks = step_binary(steps, STREW_SUB, step_count(steps, order->storage->device, order->sizes[0]), begins, begins);
}

strew_status strew_grouping_rank(strew_grouping *grouping, strew_tensor *src, const strew_sort_options *options,
                                 strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "grouping_rank", error, {"src", src}, IDS_OF(grouping));
  const int64_t length = strew_grouping_length(grouping);
  strew_tensor *own = NULL, *ranks = NULL;
  STEP(&steps, grouping_check_line(&call, grouping, src));
  if (options) STEP(&steps, check_options(&call, options));
  strew_tensor *order = order_line(&steps, &grouping->groups, src, options && options->descending);
  rank_order(&steps, &grouping->groups, order, &own, &ranks);
  strew_tensor *all = step_full(&steps, src->storage->device, STREW_INT64, 1, &length, strew_int(-1));
  STEP(&steps, strew_scatter(all, 0, order, strew_of(ranks), NULL, &all, steps.error));
  return steps_give(&steps, all, out);
}

/* A call of topk, and its results; NULL: they are not made yet. */
struct topk {
  struct groups *groups;
  strew_tensor *src;
  int64_t k;
  bool largest;
  strew_tensor *positions, *own;
};

STEP_MAKES(step_select, NULL, strew_masked_select(x, mask, out, steps->error), strew_tensor *x, strew_tensor *mask)

/* Of the order of all elements those of a rank below k. */
static void keep_first(struct steps *steps, struct topk *t) {
  strew_tensor *own = NULL, *ranks = NULL, *order = order_line(steps, t->groups, t->src, t->largest);
  rank_order(steps, t->groups, order, &own, &ranks);
  strew_tensor *is_first = step_binary(steps, STREW_LT, ranks, t->k, NULL);
  t->positions = step_select(steps, order, is_first);
  t->own = step_select(steps, own, is_first);
}

enum { MOST_ROUNDS = 8 };

/* True if a device finds the k extremes of each group sooner than an order. The least of floats leave NaN last, which a
   minimum puts first. */
static bool takes_rounds(const struct topk *t) {
  const strew_device *device = t->src->storage->device;
  if (device == &device->context->cpu || t->k < 1 || t->k > MOST_ROUNDS) return false;
  return groups_size(t->groups) <= t->src->sizes[0] / t->k && (t->largest || !dtype_is_float(t->src->dtype));
}

/* In each of k rounds the extremes of what those before have left. */
static void take_rounds(struct steps *steps, struct topk *t) {
  const int64_t n = groups_size(t->groups), length = t->src->sizes[0];
  const struct group_options options = {
      .dim_size = n, .reduction = t->largest ? STREW_AMAX : STREW_AMIN, .mode = STREW_DROP};
  const strew_scatter_options dropping = {.mode = STREW_DROP};
  strew_tensor *taken[MOST_ROUNDS], *left = NULL, *src = t->src, **all = steps_place(steps);
  if (dtype_is_float(src->dtype))
    src = step_binary(steps, STREW_ADD, src, 0.0, NULL); /* -0 becomes 0, which it equals */
  left = step_derived(steps, groups_ids, t->groups);
  for (int round = 0; round < t->k; round++) {
    strew_tensor **values = steps_place(steps), **at = steps_place(steps), **rest = steps_place(steps);
    STEP(steps, group_by_index(src, left, &options, values, at, steps->error));
    if (round + 1 < t->k)
      STEP(steps, strew_scatter(left, 0, *at, strew_number(strew_int(-1)), &dropping, rest, steps->error));
    taken[round] = *at;
    left = *rest;
  }
  STEP(steps, strew_stack((int)t->k, taken, 1, all, steps->error));
  strew_tensor *positions = step_reshape(steps, *all, 1, (int64_t[]){n * t->k});
  strew_tensor *is_there = step_binary(steps, STREW_LT, positions, length, NULL);
  strew_tensor *own = step_count(steps, t->src->storage->device, n * t->k);
  t->positions = step_select(steps, positions, is_there);
  t->own = step_select(steps, step_binary(steps, STREW_FLOOR_DIVIDE, own, t->k, own), is_there);
}

/* By the device, if it has a way and does not decline. */
static bool ask_device(struct steps *steps, struct topk *t, bool wants_own) {
  const struct group_ops *walks = groups_walks(t->groups);
  const struct group_ids ids = groups_narrow(t->groups);
  strew_tensor **positions = steps_place(steps), **own = steps_place(steps);
  if (!walks->group_topk || t->k < 1) return false;
  strew_status status = walks->group_topk(steps->call, t->src->storage->device, &ids, t->src, t->k, t->largest,
                                          positions, wants_own ? own : NULL);
  if (status == STREW_DECLINED) return false;
  t->positions = *positions;
  t->own = *own;
  return STEP(steps, status), true;
}

strew_status strew_grouping_topk_with(strew_grouping *grouping, strew_tensor *src, int64_t k,
                                      const strew_topk_options *options, strew_tensor **positions,
                                      strew_tensor **groups, strew_error *error) {
  CALL_STEPS(call, steps, "grouping_topk", error, {"src", src}, IDS_OF(grouping));
  OPTIONS(strew_topk_options);
  struct topk t = {.groups = &grouping->groups, .src = src, .k = k, .largest = !options->smallest};
  STEP(&steps, grouping_check_line(&call, grouping, src));
  if (k < 0) STEP(&steps, fail(&call, FAULT(STREW_EARGUMENT, "k"), "is %" PRId64 ", expected 0 or more", k));
  if (steps.status == STREW_OK && !ask_device(&steps, &t, groups != NULL))
    (takes_rounds(&t) ? take_rounds : keep_first)(&steps, &t);
  if (groups && steps.status == STREW_OK) *groups = strew_retain(t.own);
  *positions = NULL;
  return steps_give(&steps, t.positions, positions);
}

/* ----------------------------------------------------------------------------------------------------- running sums */

/* The CPU adds up: one element after the other, which no device does faster. */
static strew_tensor *sum_up(struct steps *steps, const struct groups *groups, strew_tensor *src) {
  strew_device *device = src->storage->device, *cpu = &device->context->cpu;
  const strew_dtype dtype = dtype_table_sums(src->dtype), computed = dtype_wide(dtype);
  const int64_t length = src->sizes[0];
  strew_tensor *moved = step_to(steps, src, cpu, computed), **values = steps_place(steps), **ids = steps_place(steps);
  STEP(steps, strew_contiguous(moved, values, steps->error));
  STEP(steps, groups_ids_on(steps->call, groups, cpu, ids));
  strew_tensor *sums = step_new(steps, cpu, computed, 1, &length);
  if (length) STEP(steps, cpu->ops->groups->group_cumsum(steps->call, cpu, *ids, groups_size(groups), *values, sums));
  return step_to(steps, step_to(steps, sums, cpu, dtype), device, dtype);
}

strew_status strew_grouping_cumsum(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                   strew_error *error) {
  CALL_STEPS(call, steps, "grouping_cumsum", error, {"src", src}, IDS_OF(grouping));
  STEP(&steps, grouping_check_line(&call, grouping, src));
  return steps_give(&steps, steps.status == STREW_OK ? sum_up(&steps, &grouping->groups, src) : NULL, out);
}

/* ------------------------------------------------------------------------------------------------------- neighbours */

/* As sum_up. */
static strew_tensor *shift(struct steps *steps, strew_grouping *grouping, strew_tensor *src, int64_t n,
                           strew_scalar fill) {
  strew_device *device = src->storage->device, *cpu = &device->context->cpu;
  const int64_t length = src->sizes[0], one = 1;
  strew_tensor *moved = step_to(steps, src, cpu, src->dtype), **values = steps_place(steps), **ids = steps_place(steps),
               **none = steps_place(steps), **starts = steps_place(steps);
  STEP(steps, strew_contiguous(moved, values, steps->error));
  STEP(steps, groups_ids_on(steps->call, &grouping->groups, cpu, ids));
  STEP(steps, strew_grouping_starts(grouping, starts, steps->error));
  STEP(steps, strew_full(cpu, src->dtype, 1, &one, fill, none, steps->error));
  strew_tensor *ends = step_to(steps, *starts, cpu, STREW_INT64), *out = step_new(steps, cpu, src->dtype, 1, &length);
  if (length) STEP(steps, cpu->ops->groups->group_shift(steps->call, cpu, *ids, ends, *values, n, *none, out));
  return step_to(steps, out, device, src->dtype);
}

strew_status strew_grouping_shift(strew_grouping *grouping, strew_tensor *src, int64_t n, strew_scalar fill,
                                  strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "grouping_shift", error, {"src", src}, IDS_OF(grouping));
  STEP(&steps, check_scalar(&call, "fill", fill));
  STEP(&steps, grouping_check_line(&call, grouping, src));
  if (n > INT64_MAX / 2 || n < -INT64_MAX / 2)
    STEP(&steps, fail(&call, FAULT(STREW_EARGUMENT, "n"), "is %" PRId64 ", expected fewer elements", n));
  if (src->dtype == STREW_TEXT || src->dtype == STREW_TIME)
    STEP(&steps, fail(&call, FAULT(STREW_EDTYPE, "src"), "is %s, expected numbers", strew_dtype_name(src->dtype)));
  return steps_give(&steps, steps.status == STREW_OK ? shift(&steps, grouping, src, n, fill) : NULL, out);
}
