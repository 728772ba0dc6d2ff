/* order.c: running sums within groups, and the order of elements within groups. */
#include "groups.h"

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

/* Each group's elements are collected, and selected from. */
static strew_status quantiles_of_members(const struct call *call, struct groups *groups, strew_tensor *src, double q,
                                         strew_interpolation interpolation, const strew_scalar *fill,
                                         strew_tensor **out) {
  strew_device *device = src->storage->device;
  const struct group_ids ids = groups_narrow(groups);
  strew_tensor *values = NULL, *starts = NULL, *begins = NULL, *counts = NULL;
  strew_status status = groups_starts(call, groups, &starts);
  if (status == STREW_OK) status = tensor_create(call, device, src->dtype, 1, src->sizes, &values);
  if (status == STREW_OK) status = device->ops->group_collect(call, device, &ids, starts, src, values);
  if (status == STREW_OK) status = strew_narrow(starts, 0, 0, ids.size, &begins, call->error);
  if (status == STREW_OK) status = groups_counts(call, groups, &counts);
  if (status == STREW_OK) status = quantiles_of_collected(call, values, begins, counts, q, interpolation, fill, out);
  strew_release(values);
  strew_release(starts);
  strew_release(begins);
  strew_release(counts);
  return status;
}

/* True if src is one line on the grouping's device, and all its elements have a group. */
static bool collects(const struct groups *groups, const strew_tensor *src, const strew_group_options *options) {
  const bool skips = options->skip_nan && dtype_is_float(src->dtype);
  if (!groups_walks(groups)->group_collect || src->storage->device != groups->ids->storage->device) return false;
  return src->rank == 1 && !skips && !groups_drop(groups) && src->sizes[0] > 0;
}

strew_status strew_grouping_quantile(strew_grouping *grouping, strew_tensor *src, double q,
                                     strew_interpolation interpolation, const strew_group_options *options,
                                     strew_tensor **out, strew_error *error) {
  struct groups *groups = &grouping->groups;
  strew_error inner = {.alias = alias_of(error, "grouping_quantile")};
  CALL(call, "grouping_quantile", &inner, {"src", src}, IDS_OF(grouping));
  strew_group_options own;
  strew_status status = grouping_take_options(&call, grouping, src, options, &own);
  if (status == STREW_OK) status = check_options(&call, &own);
  const bool collected = status == STREW_OK && collects(groups, src, &own);
  if (collected) status = quantiles_of_members(&call, groups, src, q, interpolation, own.fill, out);
  if (status == STREW_OK && !collected) status = groups_widen(&call, groups);
  if (status == STREW_OK && !collected)
    status = strew_group_quantile(src, groups->wide, q, interpolation, &own, out, &inner);
  return report_inner(status, &inner, error);
}
