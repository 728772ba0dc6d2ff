/* order.c: what the order of values within groups gives: quantiles and numbers of different values. Elements are sorted by
   value and, stably, by group; for quantiles the CPU collects those of each group and selects instead. */
#include "reduce.h"

#include "runtime/base/copy.h"
#include "runtime/base/device.h"

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
  strew_tensor *is_out = step_binary(steps, STREW_LT, index, 0, NULL);
  step_binary(steps, STREW_LOGICAL_OR, is_out, step_binary(steps, STREW_GE, index, size, NULL), is_out);
  return step_where(steps, is_out, size, step_to(steps, index, NULL, dtype));
}

/* The order along dim of a tensor; values: NULL, or receives its elements in this order. */
static strew_tensor *sort(struct group_call *g, strew_tensor *tensor, strew_tensor **values) {
  strew_tensor **order = steps_place(g->steps);
  STEP(g->steps, strew_sort(tensor, group_dim(g), false, values, order, g->steps->error));
  return *order;
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
  strew_device *device = out->storage->device;
  plan->step = lines.strides[dim];
  lines.sizes[dim] = 1;
  plan_start(&plan->plan, out->rank, out->sizes);
  plan_add(&plan->plan, out);
  plan_add(&plan->plan, &lines);
  plan_add(&plan->plan, starts);
  plan_add(&plan->plan, counts);
  plan_simplify_any_order(&plan->plan);
  return strew_tensor_numel(out) ? device->ops->quantile(call, device, plan) : STREW_OK;
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
  strew_tensor *made = steps_out(steps, rows.storage->device, rows.dtype, rows.rank, rows.sizes, NULL);
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
  const struct group_ids ids = grouping_narrow(g->grouping);
  strew_tensor **starts = steps_place(steps), **counts = steps_place(steps);
  plan->unsorted = strew_tensor_numel(g->src);
  STEP(steps, strew_grouping_starts(g->grouping, starts, steps->error));
  STEP(steps, strew_grouping_counts(g->grouping, counts, steps->error));
  strew_tensor *values = steps_out(steps, device, g->src->dtype, 1, g->src->sizes, NULL);
  strew_tensor *made = steps_out(steps, device, g->src->dtype, 1, &ids.size, NULL);
  STEP(steps, device->ops->group_collect(steps->call, device, &ids, *starts, g->src, values));
  strew_tensor *begins = step_narrow(steps, *starts, 0, 0, ids.size);
  STEP(steps, pick(steps->call, plan, values, begins, *counts, 0, made));
  return made;
}

static bool collects(const struct group_call *g) {
  if (!group_is_line(g) || !grouping_walks(g->grouping)->group_collect || strew_grouping_drops(g->grouping))
    return false;
  return g->src->storage->device == strew_grouping_device(g->grouping) && g->src->sizes[0] > 0;
}

static strew_status check_interpolated(const struct call *call, strew_interpolation interpolation,
                                       const strew_tensor *src) {
  static const char *const mixes[STREW_INTERPOLATION_COUNT] = {
      [STREW_LINEAR] = "linear", [STREW_MIDPOINT] = "midpoint"};
  if (!mixes[interpolation] || dtype_is_float(src->dtype)) return STREW_OK;
  return fail(call,
              (struct fault){.code = STREW_EDTYPE,
                             .argument = "src",
                             .hint = "interpolation = \"lower\", \"higher\" and \"nearest\" take all dtypes"},
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

/* ------------------------------------------------------------------------------------------------- different values */

/* The same for a line of a grouping: without elements that have no group. */
static void order_members(struct group_call *g, struct ordered *ordered) {
  strew_tensor **order = steps_place(g->steps);
  STEP(g->steps, strew_grouping_argsort(g->grouping, g->groups.src, false, order, g->steps->error));
  ordered->values = take(g, g->groups.src, *order);
  ordered->numbers = take(g, &g->groups.index, *order);
}

/* Where an element along dim, from the second one on, differs from the one before it; all NaN are equal. */
static strew_tensor *differences(struct group_call *g, strew_tensor *tensor, strew_tensor *into) {
  struct steps *steps = g->steps;
  const int dim = group_dim(g);
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *after = step_narrow(steps, tensor, dim, 1, tensor->sizes[dim] - 1);
  strew_tensor *before = step_narrow(steps, tensor, dim, 0, tensor->sizes[dim] - 1);
  strew_tensor *differs = step_binary(steps, STREW_NE, after, before, into);
  if (!dtype_is_float(tensor->dtype)) return differs;
  strew_tensor *is_number = step_binary(steps, STREW_EQ, after, after, NULL);
  step_binary(steps, STREW_LOGICAL_OR, is_number, step_binary(steps, STREW_EQ, before, before, NULL), is_number);
  return step_binary(steps, STREW_LOGICAL_AND, differs, is_number, differs);
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
    differences(g, ordered.values, rest);
    step_binary(steps, STREW_LOGICAL_OR, rest, differences(g, ordered.numbers, NULL), rest);
  }
  const strew_group_options options = {
      .dim = dim, .dim_size = group_size(g), .reduction = STREW_SUM, .mode = STREW_DROP};
  return step_group(steps, step_to(steps, is_new, NULL, STREW_INT64), ordered.numbers, &options, NULL);
}
