/* order.c: running sums and the order of values within groups, and what this gives: quantiles. Elements are sorted by value
   and, stably, by group; for a quantile the CPU collects those of each group and selects instead. */
#include "reduce.h"

#include "runtime/base/copy.h"
#include "runtime/base/device.h"
#include "runtime/shared/tables.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- running sums */

/* A dense tensor of that dtype on that device: the argument itself, retained, if it is one. */
static strew_status dense_on(strew_tensor *tensor, strew_device *device, strew_dtype dtype, strew_tensor **out,
                             strew_error *error) {
  strew_tensor *moved = NULL;
  strew_status status = strew_to(tensor, device, dtype, &moved, error);
  if (status == STREW_OK) status = strew_contiguous(moved, out, error);
  strew_release(moved);
  return status;
}

/* The CPU adds up: one element after the other, which no device does faster. */
static strew_status cumsum(const struct call *call, const struct groups *groups, strew_tensor *src,
                           strew_tensor **out) {
  strew_device *device = src->storage->device, *cpu = &device->context->cpu;
  const strew_dtype dtype = dtype_is_float(src->dtype) ? src->dtype : STREW_INT64, computed = dtype_wide(dtype);
  const int64_t length = src->sizes[0];
  strew_tensor *values = NULL, *ids = NULL, *sums = NULL, *rounded = NULL;
  strew_error *error = call->error;
  strew_status status = dense_on(src, cpu, computed, &values, error);
  if (status == STREW_OK) status = groups_ids_on(call, groups, cpu, &ids);
  if (status == STREW_OK) status = tensor_create(call, cpu, computed, 1, &length, &sums);
  if (status == STREW_OK && length) status = cpu->ops->group_cumsum(call, cpu, ids, groups_size(groups), values, sums);
  if (status == STREW_OK) status = strew_to(sums, cpu, dtype, &rounded, error);
  if (status == STREW_OK) status = strew_to(rounded, device, dtype, out, error);
  strew_release(values);
  strew_release(ids);
  strew_release(sums);
  strew_release(rounded);
  return status;
}

strew_status strew_grouping_cumsum(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                   strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping_cumsum")};
  CALL(call, "grouping_cumsum", &inner, {"src", src}, IDS_OF(grouping));
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK) status = cumsum(&call, &grouping->groups, src, out);
  return report_inner(status, &inner, error);
}

/* ---------------------------------------------------------------------------------------------- order within groups */

/* By sorting all elements, then, stably, their groups. Those without one, -1, come first. */
static strew_status sort_twice(const struct call *call, struct groups *groups, strew_tensor *src, bool descending,
                               int64_t members, strew_tensor **out) {
  strew_error *error = call->error;
  strew_tensor *by_value = NULL, *ids = NULL, *by_group = NULL, *order = NULL;
  strew_status status = groups_widen(call, groups);
  if (status == STREW_OK) status = strew_sort(src, 0, descending, NULL, &by_value, error);
  if (status == STREW_OK) status = strew_gather(groups->wide, 0, by_value, STREW_DROP, &ids, error);
  if (status == STREW_OK) status = strew_sort(ids, 0, false, NULL, &by_group, error);
  if (status == STREW_OK) status = strew_gather(by_value, 0, by_group, STREW_DROP, &order, error);
  if (status == STREW_OK) status = groups_keep_last(call, order, members, out);
  strew_release(by_value);
  strew_release(ids);
  strew_release(by_group);
  strew_release(order);
  return status;
}

/* By the device, which may decline. */
static strew_status order_members(const struct call *call, struct groups *groups, strew_tensor *src, bool descending,
                                  const strew_tensor *order, strew_tensor **out) {
  strew_device *device = src->storage->device;
  strew_tensor *starts = NULL, *made = NULL;
  if (!device->ops->group_order_within) return STREW_DECLINED;
  strew_status status = groups_starts(call, groups, &starts);
  if (status == STREW_OK) status = tensor_create(call, device, STREW_INT64, 1, order->sizes, &made);
  if (status == STREW_OK) status = device->ops->group_order_within(call, device, src, order, starts, descending, made);
  strew_release(starts);
  if (status != STREW_OK) return strew_release(made), status;
  return *out = made, STREW_OK;
}

static strew_status argsort(const struct call *call, struct groups *groups, strew_tensor *src, bool descending,
                            strew_tensor **out) {
  const bool has_entry = src->storage->device->ops->group_order_within;
  strew_tensor *order = NULL;
  int64_t members = src->sizes[0];
  strew_status status = STREW_OK;
  if (has_entry || groups_drop(groups)) status = groups_order(call, groups, &order);
  if (status == STREW_OK && order) members = order->sizes[0];
  if (status == STREW_OK && !members)
    status = tensor_create(call, src->storage->device, STREW_INT64, 1, &members, out);
  else if (status == STREW_OK)
    status = order_members(call, groups, src, descending, order, out);
  if (status == STREW_DECLINED) status = sort_twice(call, groups, src, descending, members, out);
  strew_release(order);
  return status;
}

strew_status strew_grouping_argsort(strew_grouping *grouping, strew_tensor *src, bool descending, strew_tensor **out,
                                    strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping_argsort")};
  CALL(call, "grouping_argsort", &inner, {"src", src}, IDS_OF(grouping));
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK) status = argsort(&call, &grouping->groups, src, descending, out);
  return report_inner(status, &inner, error);
}

/* -------------------------------------------------------------------------------------------------------- quantiles */

/* Scratch of a call. */
struct ordered {
  strew_tensor *values; /* in the order of their groups and, within each, ascending, or in order of position */
  strew_tensor *counts, *starts;
};

/* The groups' numbers, of src's shape; -1 or more, and less than `size`, for elements that have none: size. */
static strew_status number_groups(const struct call *call, const struct groups *groups, strew_tensor **out) {
  strew_error *error = call->error;
  const struct index_limits *limits = &groups->addressing.limits;
  strew_tensor index = groups->index, *outside = NULL, *narrow = NULL;
  strew_device *device = index.storage->device;
  const strew_dtype dtype = limits->size < INT32_MAX ? STREW_INT32 : STREW_INT64;
  const strew_operand size = strew_number(strew_int(limits->size));
  strew_status status = STREW_OK;
  if (limits->mode != STREW_DROP) /* strew_to may return its argument, which lives no longer than this call */
    return dtype == index.dtype ? strew_clone(&index, out, error) : strew_to(&index, device, dtype, out, error);
  status = groups_mark_outside(call, &index, limits->size, &outside);
  if (status == STREW_OK) status = strew_to(&index, device, dtype, &narrow, error);
  if (status == STREW_OK) status = strew_where(outside, size, strew_of(narrow), out, error);
  strew_release(outside);
  strew_release(narrow);
  return status;
}

/* Sorts by value, then, stably, by group. */
static strew_status order_values(const struct call *call, struct groups *groups, strew_tensor **out) {
  strew_error *error = call->error;
  const int dim = groups->addressing.limits.dim;
  strew_tensor *sorted = NULL, *order = NULL, *number = NULL, *moved = NULL, *by_group = NULL;
  strew_status status = strew_sort(groups->src, dim, false, &sorted, &order, error);
  if (status == STREW_OK) status = number_groups(call, groups, &number);
  if (status == STREW_OK) status = strew_gather(number, dim, order, STREW_DROP, &moved, error);
  strew_release(number);
  strew_release(order);
  if (status == STREW_OK) status = strew_sort(moved, dim, false, NULL, &by_group, error);
  strew_release(moved);
  if (status == STREW_OK) status = strew_gather(sorted, dim, by_group, STREW_DROP, out, error);
  strew_release(by_group);
  strew_release(sorted);
  return status;
}

/* Sorts by group alone, stably. */
static strew_status collect_values(const struct call *call, struct groups *groups, strew_tensor **out) {
  strew_error *error = call->error;
  const int dim = groups->addressing.limits.dim;
  strew_tensor *number = NULL, *by_group = NULL;
  strew_status status = number_groups(call, groups, &number);
  if (status == STREW_OK) status = strew_sort(number, dim, false, NULL, &by_group, error);
  strew_release(number);
  if (status == STREW_OK) status = strew_gather(groups->src, dim, by_group, STREW_DROP, out, error);
  strew_release(by_group);
  return status;
}

static strew_status order_groups(const struct call *call, struct groups *groups, bool is_unsorted,
                                 struct ordered *ordered) {
  const int dim = groups->addressing.limits.dim;
  strew_tensor *ends = NULL;
  strew_status status = groups_join(call, groups, STREW_SUM, NULL, &ordered->counts);
  if (status == STREW_OK) status = strew_cumsum(ordered->counts, dim, &ends, call->error);
  if (status == STREW_OK)
    status = strew_binary(STREW_SUB, strew_of(ends), strew_of(ordered->counts), &ordered->starts, call->error);
  strew_release(ends);
  if (status != STREW_OK) return status;
  return (is_unsorted ? collect_values : order_values)(call, groups, &ordered->values);
}

static void release_ordered(struct ordered *ordered) {
  strew_release(ordered->values);
  strew_release(ordered->counts);
  strew_release(ordered->starts);
}

static strew_status pick_quantiles(const struct call *call, struct quantile_plan *plan, const struct ordered *ordered,
                                   int dim, strew_tensor *out) {
  strew_tensor lines = *ordered->values;
  strew_device *device = out->storage->device;
  plan->step = lines.strides[dim];
  lines.sizes[dim] = 1;
  plan_start(&plan->plan, out->rank, out->sizes);
  plan_add(&plan->plan, out);
  plan_add(&plan->plan, &lines);
  plan_add(&plan->plan, ordered->starts);
  plan_add(&plan->plan, ordered->counts);
  plan_simplify_any_order(&plan->plan);
  return strew_tensor_numel(out) ? device->ops->quantile(call, device, plan) : STREW_OK;
}

/* Makes the result: quantiles, or `empty` everywhere if there are no elements. */
static strew_status quantiles_of_groups(const struct call *call, struct groups *groups, struct quantile_plan *plan,
                                        strew_tensor **out) {
  const int dim = groups->addressing.limits.dim;
  const bool is_empty = strew_tensor_numel(groups->src) == 0;
  struct ordered ordered = {NULL, NULL, NULL};
  strew_tensor rows = *groups->src, *made = NULL;
  rows.sizes[dim] = groups->addressing.limits.size;
  if (rows.storage->device == &rows.storage->device->context->cpu) plan->unsorted = strew_tensor_numel(groups->src);
  strew_status status = is_empty ? STREW_OK : order_groups(call, groups, plan->unsorted > 0, &ordered);
  if (status == STREW_OK) status = tensor_create(call, rows.storage->device, rows.dtype, rows.rank, rows.sizes, &made);
  if (status == STREW_OK)
    status = is_empty ? fill_tensor(call, made, plan->empty) : pick_quantiles(call, plan, &ordered, dim, made);
  release_ordered(&ordered);
  if (status == STREW_OK)
    *out = made;
  else
    strew_release(made);
  return status;
}

/* Of 1-D elements that all have a group, on a device that collects them. */
static strew_status quantiles_of_members(struct group_call *g, struct quantile_plan *plan, strew_tensor **out) {
  strew_device *device = g->src->storage->device;
  const struct group_ids ids = groups_narrow(&g->grouping->groups);
  struct ordered ordered = {NULL, NULL, NULL};
  strew_tensor *starts = NULL, *made = NULL;
  strew_error *error = g->call->error;
  plan->unsorted = strew_tensor_numel(g->src);
  strew_status status = groups_starts(g->call, &g->grouping->groups, &starts);
  if (status == STREW_OK) status = tensor_create(g->call, device, g->src->dtype, 1, g->src->sizes, &ordered.values);
  if (status == STREW_OK) status = device->ops->group_collect(g->call, device, &ids, starts, g->src, ordered.values);
  if (status == STREW_OK) status = strew_narrow(starts, 0, 0, ids.size, &ordered.starts, error);
  if (status == STREW_OK) status = groups_counts(g->call, &g->grouping->groups, &ordered.counts);
  if (status == STREW_OK) status = tensor_create(g->call, device, g->src->dtype, 1, &ids.size, &made);
  if (status == STREW_OK) status = pick_quantiles(g->call, plan, &ordered, 0, made);
  strew_release(starts);
  release_ordered(&ordered);
  if (status == STREW_OK)
    *out = made;
  else
    strew_release(made);
  return status;
}

static bool collects(const struct group_call *g) {
  const strew_grouping *grouping = g->grouping;
  const strew_tensor *src = g->src;
  const bool skips = g->options.skip_nan && dtype_is_float(src->dtype);
  if (!grouping || !groups_walks(&grouping->groups)->group_collect ||
      src->storage->device != strew_grouping_device(grouping))
    return false;
  return src->rank == 1 && !skips && !strew_grouping_drops(grouping) && src->sizes[0] > 0;
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

static strew_status pick(struct group_call *g, double q, strew_interpolation interpolation, strew_tensor **out) {
  struct groups groups = {.src = NULL};
  struct quantile_plan plan = {.q = q, .interpolation = interpolation};
  const strew_dtype dtype = g->src->dtype;
  const strew_scalar empty = g->options.fill ? *g->options.fill : group_empty(g->row, false, dtype);
  strew_status status = check_rank(g->call, q, interpolation);
  if (status == STREW_OK) status = check_interpolated(g->call, interpolation, g->src);
  if (status == STREW_OK) status = element_from(g->call, "fill", empty, STREW_EXACT, dtype, &plan.empty);
  if (status != STREW_OK) return status;
  if (collects(g)) return quantiles_of_members(g, &plan, out);
  status = group_call_open(g, NULL, &groups);
  if (status == STREW_OK) status = quantiles_of_groups(g->call, &groups, &plan, out);
  groups_close(&groups);
  return status;
}

strew_status group_quantile(struct group_call *g, strew_tensor **out) {
  return pick(g, g->given->q, g->given->interpolation, out);
}

strew_status group_median(struct group_call *g, strew_tensor **out) { return pick(g, 0.5, STREW_LOWER, out); }
