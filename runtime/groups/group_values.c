/* group_values.c: of the elements of each group the squares about their mean, and the first few by value. A device that
   has walks over the ids makes them in one or two; on others they are composed. */
#include "groups.h"
#include "runtime/base/device.h"

#include <inttypes.h>

/* ---------------------------------------------------------------------------------------------------------- squares */

/* Elements minus what their groups have. */
static strew_status subtract(strew_grouping *grouping, strew_tensor *values, strew_tensor *of_groups,
                             strew_tensor **out, strew_error *error) {
  strew_tensor *ids = NULL, *own = NULL;
  strew_status status = strew_grouping_ids(grouping, &ids, error);
  if (status == STREW_OK) status = strew_gather(of_groups, 0, ids, STREW_DROP, &own, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(values), strew_of(own), out, error);
  strew_release(ids);
  strew_release(own);
  return status;
}

static strew_status compose_sums(strew_grouping *grouping, strew_tensor *src, strew_tensor *means, strew_tensor **out,
                                 strew_error *error) {
  strew_group_options options = STREW_GROUP_OPTIONS;
  strew_tensor *values = NULL, *gaps = NULL;
  strew_status status = strew_to(src, src->storage->device, STREW_FLOAT64, &values, error);
  options.reduction = STREW_SUM;
  if (status == STREW_OK && means) status = subtract(grouping, values, means, &gaps, error);
  if (status == STREW_OK && means) status = strew_binary(STREW_MUL, strew_of(gaps), strew_of(gaps), &gaps, error);
  if (status == STREW_OK) status = strew_grouping_reduce(grouping, means ? gaps : values, &options, out, NULL, error);
  strew_release(values);
  strew_release(gaps);
  return status;
}

/* Sums of src's elements in each group; with means, of the squares of their differences from them. */
static strew_status sum_groups(const struct call *call, strew_grouping *grouping, strew_tensor *src,
                               strew_tensor *means, strew_tensor **out) {
  const struct device_ops *walks = groups_walks(&grouping->groups);
  struct aggregate_column column = {.src = src, .computed = STREW_FLOAT64, .about = means};
  const struct group_ids ids = groups_narrow(&grouping->groups);
  strew_device *device = strew_grouping_device(grouping);
  if (!walks->group_aggregate) return compose_sums(grouping, src, means, out, call->error);
  strew_status status = tensor_create(call, device, STREW_FLOAT64, 1, &ids.size, &column.out[STREW_SUM]);
  if (status == STREW_OK) status = walks->group_aggregate(call, device, &ids, 1, &column);
  if (status != STREW_OK) return strew_release(column.out[STREW_SUM]), status;
  return *out = column.out[STREW_SUM], STREW_OK;
}

/* float64 elements minus the first one of their group: what all have in common would take digits of the mean. Sums of
   narrower ones have digits to spare. */
static strew_status shift(strew_grouping *grouping, strew_tensor *src, strew_tensor **out, strew_error *error) {
  strew_tensor *positions = NULL, *firsts = NULL;
  if (src->dtype != STREW_FLOAT64) return *out = strew_retain(src), STREW_OK;
  strew_status status = strew_grouping_positions(grouping, &positions, error);
  if (status == STREW_OK) status = strew_gather(src, 0, positions, STREW_DROP, &firsts, error);
  if (status == STREW_OK) status = subtract(grouping, src, firsts, out, error);
  strew_release(positions);
  strew_release(firsts);
  return status;
}

static strew_status make_squares(const struct call *call, strew_grouping *grouping, strew_tensor *src,
                                 strew_tensor **out) {
  strew_error *error = call->error;
  strew_tensor *values = NULL, *counts = NULL, *divisors = NULL, *means = NULL;
  strew_status status = strew_grouping_counts(grouping, &counts, error);
  if (status == STREW_OK) status = shift(grouping, src, &values, error);
  if (status == STREW_OK) status = sum_groups(call, grouping, values, NULL, &means);
  if (status == STREW_OK) status = strew_to(counts, src->storage->device, STREW_FLOAT64, &divisors, error);
  if (status == STREW_OK) status = strew_binary(STREW_DIV, strew_of(means), strew_of(divisors), &means, error);
  if (status == STREW_OK) status = sum_groups(call, grouping, values, means, out);
  strew_release(values);
  strew_release(counts);
  strew_release(divisors);
  strew_release(means);
  return status;
}

/* The same for a device without float64. */
static strew_status make_squares_on_cpu(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                        strew_error *error) {
  strew_device *cpu = &tensor_context(src)->cpu;
  strew_tensor *near_src = NULL;
  strew_grouping *copy = NULL;
  strew_status status = strew_grouping_to(grouping, cpu, &copy, error);
  if (status == STREW_OK) status = strew_to(src, cpu, src->dtype, &near_src, error);
  if (status == STREW_OK) status = strew_grouping_squares(copy, near_src, out, error);
  strew_release(near_src);
  strew_grouping_release(copy);
  return status;
}

strew_status strew_grouping_squares(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                    strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping_squares")};
  CALL(call, "grouping_squares", &inner, {"src", src}, IDS_OF(grouping));
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK) status = check_float(&call, "src", src);
  if (status == STREW_OK && src->storage->device->lacks_float64)
    status = make_squares_on_cpu(grouping, src, out, &inner);
  else if (status == STREW_OK)
    status = make_squares(&call, grouping, src, out);
  return report_inner(status, &inner, error);
}

/* ------------------------------------------------------------------------------------------------------------- topk */

/* The rank of each element of the order within its group. */
static strew_status rank_order(strew_grouping *grouping, strew_tensor *order, strew_tensor **groups,
                               strew_tensor **ranks, strew_error *error) {
  strew_tensor *ids = NULL, *starts = NULL, *begins = NULL, *all = NULL;
  strew_status status = strew_grouping_ids(grouping, &ids, error);
  if (status == STREW_OK) status = strew_grouping_starts(grouping, &starts, error);
  if (status == STREW_OK) status = strew_gather(ids, 0, order, STREW_ERROR, groups, error);
  if (status == STREW_OK) status = strew_gather(starts, 0, *groups, STREW_ERROR, &begins, error);
  if (status == STREW_OK)
    status = strew_arange(strew_grouping_device(grouping), STREW_INT64, strew_int(0), strew_int(order->sizes[0]),
                          strew_int(1), &all, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(all), strew_of(begins), ranks, error);
  strew_release(ids);
  strew_release(starts);
  strew_release(begins);
  strew_release(all);
  return status;
}

/* Of the order of all elements those of a rank below k. */
static strew_status keep_first(strew_grouping *grouping, strew_tensor *order, int64_t k, strew_tensor **positions,
                               strew_tensor **groups, strew_error *error) {
  strew_tensor *all = NULL, *ranks = NULL, *is_first = NULL, *found = NULL, *kept = NULL;
  strew_status status = rank_order(grouping, order, &all, &ranks, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_LT, strew_of(ranks), strew_number(strew_int(k)), &is_first, error);
  if (status == STREW_OK) status = strew_nonzero(is_first, &found, error);
  if (status == STREW_OK) status = strew_flatten(found, 0, -1, &kept, error);
  if (status == STREW_OK) status = strew_gather(order, 0, kept, STREW_ERROR, positions, error);
  if (status == STREW_OK && groups) status = strew_gather(all, 0, kept, STREW_ERROR, groups, error);
  strew_release(all);
  strew_release(ranks);
  strew_release(is_first);
  strew_release(found);
  strew_release(kept);
  return status;
}

static strew_status topk(const struct call *call, strew_grouping *grouping, strew_tensor *src, int64_t k, bool largest,
                         strew_tensor **positions, strew_tensor **groups) {
  const struct device_ops *walks = groups_walks(&grouping->groups);
  const struct group_ids ids = groups_narrow(&grouping->groups);
  strew_tensor *order = NULL;
  strew_status status = STREW_DECLINED;
  if (walks->group_topk && k > 0)
    status = walks->group_topk(call, src->storage->device, &ids, src, k, largest, positions, groups);
  if (status != STREW_DECLINED) return status;
  status = strew_grouping_argsort(grouping, src, largest, &order, call->error);
  if (status == STREW_OK) status = keep_first(grouping, order, k, positions, groups, call->error);
  strew_release(order);
  return status;
}

strew_status strew_grouping_topk(strew_grouping *grouping, strew_tensor *src, int64_t k, bool largest,
                                 strew_tensor **positions, strew_tensor **groups, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping_topk")};
  CALL(call, "grouping_topk", &inner, {"src", src}, IDS_OF(grouping));
  strew_tensor *at = NULL, *of = NULL;
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK && k < 0)
    status =
        fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "k"}, "is %" PRId64 ", expected 0 or more", k);
  if (status == STREW_OK) status = topk(&call, grouping, src, k, largest, &at, groups ? &of : NULL);
  if (status == STREW_OK) {
    *positions = at;
    if (groups) *groups = of;
  } else {
    strew_release(at);
    strew_release(of);
  }
  return report_inner(status, &inner, error);
}
