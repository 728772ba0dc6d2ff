/* grouping.c: groupings: an index that is copied and checked once, and what is derived from it. Reductions are those of
   the group form: the ids, which no call can write, are not checked again (base/index_checks.c). */
#include "grouping.h"
#include "group.h"
#include "runtime/base/copy.h"
#include "runtime/base/device.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------- creation and release */

static size_t bytes_of(int key_count) { return sizeof(strew_grouping) + (size_t)key_count * sizeof(strew_tensor *); }

static void grouping_give_back(strew_context *context, struct released *released) {
  strew_grouping *grouping = (strew_grouping *)(void *)((char *)released - offsetof(strew_grouping, released));
  memory_free(context, grouping, bytes_of(grouping->key_count));
}

strew_status grouping_create(const struct call *call, strew_tensor *ids, int64_t size, int key_count,
                             strew_grouping **out) {
  strew_context *context = tensor_context(ids);
  strew_grouping *grouping = memory_allocate(context, bytes_of(key_count));
  if (!grouping) {
    strew_status status = fail_memory(call, context, bytes_of(key_count));
    return strew_release(ids), status;
  }
  *grouping = (strew_grouping){.references = 1,
                               .released = {NULL, grouping_give_back},
                               .size = size,
                               .narrow = ids,
                               .shown = *ids,
                               .key_count = key_count};
  grouping->shown.dtype = STREW_INT64;
  if (ids->dtype == STREW_INT64) grouping->ids = strew_retain(ids);
  for (int i = 0; i < key_count; i++) grouping->keys[i] = NULL;
  *out = grouping;
  return STREW_OK;
}

strew_tensor *grouping_seal(strew_tensor *tensor) {
  tensor->storage->constant = true;
  return tensor;
}

static void complete_ids(strew_grouping *grouping) {
  if (!grouping->ids) return;
  grouping_seal(grouping->ids);
  if (!grouping->drops) grouping->ids->storage->index_size = grouping->size;
}

void grouping_complete(strew_grouping *grouping) {
  complete_ids(grouping);
  for (int i = 0; i < grouping->key_count; i++) grouping_seal(grouping->keys[i]);
}

strew_grouping *strew_grouping_retain(strew_grouping *grouping) {
  atomic_fetch_add_explicit(&grouping->references, 1, memory_order_relaxed);
  return grouping;
}

void strew_grouping_release(strew_grouping *grouping) {
  if (!grouping || !drop_reference(&grouping->references)) return;
  strew_context *context = strew_context_retain(tensor_context(grouping->narrow));
  strew_release(grouping->narrow);
  strew_release(grouping->ids);
  strew_release(grouping->counts);
  strew_release(grouping->positions);
  strew_release(grouping->order);
  strew_release(grouping->starts);
  for (int i = 0; i < grouping->key_count; i++) strew_release(grouping->keys[i]);
  context_give_back(context, &grouping->released);
  strew_context_release(context);
}

/* --------------------------------------------------------------------------------------------------------- from ids */

/* The number of groups: dim_size, or the largest value + 1. */
static strew_status find_size(const struct call *call, const strew_tensor *index, int64_t dim_size, int64_t *size) {
  struct plan values;
  struct index_range range = {0, -1};
  strew_device *device = index->storage->device;
  strew_status status = STREW_OK;
  if (dim_size >= 0) return *size = dim_size, STREW_OK;
  plan_index_values(&values, index);
  if (strew_tensor_numel(index)) status = device->ops->index_range(call, device, &values, &range);
  *size = range.highest < 0 ? 0 : range.highest < INT64_MAX ? range.highest + 1 : INT64_MAX;
  return status;
}

static strew_status check_ids(const struct call *call, const strew_tensor *index, int64_t dim_size, strew_mode mode) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "index", .hint = "index:flatten()"};
  strew_status status = check_words(call, STREW_ASSIGN, mode);
  if (status == STREW_OK && strew_tensor_numel(index)) status = check_index_dtype(call, index, "index");
  if (status != STREW_OK) return status;
  if (index->rank > 1) return fail(call, fault, "has %d dimensions, expected 1", index->rank);
  fault = (struct fault){.code = STREW_ESHAPE, .argument = "dim_size"};
  return dim_size < -1 ? fail(call, fault, "is %" PRId64 ", expected 0 or more", dim_size) : STREW_OK;
}

/* Writes the values that the mode makes of *ids: with STREW_DROP -1 for those out of range. */
static strew_status apply_mode_to_ids(strew_mode mode, int64_t size, strew_tensor **ids, strew_error *error) {
  strew_tensor *below = NULL, *above = NULL, *kept = NULL;
  const strew_operand given = strew_of(*ids), zero = strew_number(strew_int(0)), n = strew_number(strew_int(size)),
                      last = strew_number(strew_int(size - 1));
  if (mode == STREW_CLIP) return strew_clamp(*ids, &zero, &last, ids, error);
  if (mode == STREW_WRAP) return strew_binary(STREW_REMAINDER, given, n, ids, error);
  strew_status status = strew_binary(STREW_LT, given, zero, &below, error);
  if (status == STREW_OK) status = strew_binary(STREW_GE, given, n, &above, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(below), strew_of(above), &below, error);
  if (status == STREW_OK) status = strew_where(below, strew_number(strew_int(-1)), given, &kept, error);
  strew_release(below);
  strew_release(above);
  if (status == STREW_OK) strew_release(*ids), *ids = kept;
  return status;
}

/* A new dense int64 tensor of the values. */
static strew_status copy_ids(const struct call *call, const strew_tensor *index, strew_tensor **out) {
  strew_tensor *copy = NULL;
  const int64_t length = strew_tensor_numel(index);
  strew_status status = tensor_create(call, index->storage->device, STREW_INT64, 1, &length, &copy);
  if (status == STREW_OK && length) status = copy_tensor(call, copy, index);
  if (status != STREW_OK) return strew_release(copy), status;
  return *out = copy, STREW_OK;
}

/* Checks *ids, a copy, which nobody else can change (others may write to memory that a file is mapped to), and writes
   the values that the mode makes of them. */
static strew_status settle_ids(const struct call *call, strew_tensor **ids, int64_t size, strew_mode mode) {
  struct addressing addressing = ADDRESSING(*ids, *ids, {size, 0, "the grouping", mode, false});
  if (!strew_tensor_numel(*ids)) return STREW_OK;
  strew_status status = addressing_check(call, &addressing);
  return status == STREW_OK && mode != STREW_ERROR ? apply_mode_to_ids(mode, size, ids, call->error) : status;
}

static strew_status find_drops(const struct call *call, strew_grouping *grouping) {
  struct plan values;
  struct index_range range = {0, 0};
  strew_device *device = strew_grouping_device(grouping);
  if (!strew_tensor_numel(grouping->ids)) return STREW_OK;
  plan_index_values(&values, grouping->ids);
  strew_status status = device->ops->index_range(call, device, &values, &range);
  grouping->drops = range.lowest < 0;
  return status;
}

static strew_status group_ids(const struct call *call, strew_tensor *index, int64_t dim_size, strew_mode mode,
                              strew_grouping **out) {
  int64_t size = 0;
  strew_tensor *ids = NULL;
  strew_grouping *made = NULL;
  strew_status status = check_ids(call, index, dim_size, mode);
  if (status == STREW_OK) status = copy_ids(call, index, &ids);
  if (status == STREW_OK) status = find_size(call, ids, dim_size, &size);
  if (status == STREW_OK) status = settle_ids(call, &ids, size, mode);
  if (status != STREW_OK) return strew_release(ids), status;
  if (status == STREW_OK) status = grouping_create(call, ids, size, 0, &made);
  if (status == STREW_OK && mode == STREW_DROP) status = find_drops(call, made);
  if (status != STREW_OK) return strew_grouping_release(made), status;
  grouping_complete(made);
  return *out = made, STREW_OK;
}

strew_status strew_grouping_create(strew_tensor *index, int64_t dim_size, strew_mode mode, strew_grouping **out,
                                   strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping")};
  CALL(call, "grouping", &inner, {"index", index});
  return report_inner(group_ids(&call, index, dim_size, mode, out), &inner, error);
}

/* ------------------------------------------------------------------------------------------------------- properties */

int64_t strew_grouping_size(const strew_grouping *grouping) { return grouping->size; }
int64_t strew_grouping_length(const strew_grouping *grouping) { return grouping->narrow->sizes[0]; }
int strew_grouping_key_count(const strew_grouping *grouping) { return grouping->key_count; }
bool strew_grouping_drops(const strew_grouping *grouping) { return grouping->drops; }
strew_device *strew_grouping_device(const strew_grouping *grouping) { return grouping->narrow->storage->device; }

const struct device_ops *grouping_walks(const strew_grouping *grouping) {
  static const struct device_ops none;
  const bool fits = grouping->size && grouping->size <= INT32_MAX && strew_grouping_length(grouping);
  return fits ? strew_grouping_device(grouping)->ops : &none;
}

struct group_ids grouping_narrow(const strew_grouping *grouping) {
  return (struct group_ids){grouping->narrow, grouping->size, grouping->drops};
}

static strew_mode mode_of(const strew_grouping *grouping) { return grouping->drops ? STREW_DROP : STREW_ERROR; }

/* Makes the ids as int64, if there are none yet: for what reads an index. */
strew_status grouping_widen(const struct call *call, strew_grouping *grouping) {
  strew_status status = grouping->ids ? STREW_OK : copy_ids(call, grouping->narrow, &grouping->ids);
  if (status == STREW_OK) complete_ids(grouping);
  return status;
}

/* The sum or an extreme of `values`, broadcast to the ids, in each group; `fill` where there are none. */
static strew_status reduce_values(const struct call *call, strew_grouping *grouping, strew_tensor *values,
                                  strew_reduction reduction, int64_t fill, strew_tensor **out) {
  const strew_scalar empty = strew_int(fill);
  const strew_group_options options = {
      .dim = 0, .dim_size = grouping->size, .reduction = reduction, .mode = mode_of(grouping), .fill = &empty};
  strew_status status = grouping_widen(call, grouping);
  return status == STREW_OK ? strew_group(values, grouping->ids, &options, out, NULL, call->error) : status;
}

/* By a walk over the ids, or as the sums of ones. */
static strew_status make_counts(const struct call *call, strew_grouping *grouping) {
  strew_error *error = call->error;
  strew_device *device = strew_grouping_device(grouping);
  const struct device_ops *walks = grouping_walks(grouping);
  if (walks->group_aggregate) {
    struct aggregate_column column = {.computed = STREW_INT64};
    const struct group_ids ids = grouping_narrow(grouping);
    strew_status made = tensor_create(call, device, STREW_INT64, 1, &grouping->size, &column.out[STREW_SUM]);
    if (made == STREW_OK) made = walks->group_aggregate(call, device, &ids, 1, &column);
    if (made != STREW_OK) return strew_release(column.out[STREW_SUM]), made;
    return grouping->counts = column.out[STREW_SUM], STREW_OK;
  }
  const int64_t length = strew_grouping_length(grouping);
  strew_tensor *one = NULL, *ones = NULL;
  strew_status status =
      strew_full(strew_grouping_device(grouping), STREW_INT64, 1, (int64_t[]){1}, strew_int(1), &one, error);
  if (status == STREW_OK) status = strew_expand(one, 1, &length, &ones, error);
  if (status == STREW_OK) status = reduce_values(call, grouping, ones, STREW_SUM, 0, &grouping->counts);
  strew_release(one);
  strew_release(ones);
  return status;
}

static strew_status make_positions(const struct call *call, strew_grouping *grouping) {
  strew_error *error = call->error;
  const int64_t length = strew_grouping_length(grouping);
  strew_tensor *all = NULL;
  strew_status status = strew_arange(strew_grouping_device(grouping), STREW_INT64, strew_int(0), strew_int(length),
                                     strew_int(1), &all, error);
  if (status == STREW_OK) status = reduce_values(call, grouping, all, STREW_AMIN, length, &grouping->positions);
  strew_release(all);
  return status;
}

static strew_status make_starts(const struct call *call, strew_grouping *grouping) {
  strew_error *error = call->error;
  int64_t size = 0;
  strew_tensor *counts = NULL, *rest = NULL, *made = NULL;
  strew_status status = strew_grouping_counts(grouping, &counts, error);
  if (status == STREW_OK) {
    size = grouping->size + 1; /* no overflow: there are counts */
    status = strew_full(strew_grouping_device(grouping), STREW_INT64, 1, &size, strew_int(0), &made, error);
  }
  if (status == STREW_OK) status = strew_narrow(made, 0, 1, grouping->size, &rest, error);
  if (status == STREW_OK) status = strew_cumsum(counts, 0, &rest, error);
  strew_release(counts);
  strew_release(rest);
  if (status != STREW_OK) return strew_release(made), status;
  return grouping->starts = made, STREW_OK;
}

/* Elements without a group, whose id is -1, come first in a stable sort. */
static strew_status sort_ids(const struct call *call, strew_grouping *grouping, int64_t members) {
  strew_error *error = call->error;
  const int64_t length = strew_grouping_length(grouping);
  strew_tensor *order = NULL, *kept = NULL;
  strew_status status = grouping_widen(call, grouping);
  if (status == STREW_OK) status = strew_sort(grouping->ids, 0, false, NULL, &order, error);
  if (status == STREW_OK && members < length) {
    status = strew_narrow(order, 0, length - members, members, &kept, error);
    if (status == STREW_OK) status = strew_clone(kept, &grouping->order, error);
  } else if (status == STREW_OK) {
    grouping->order = strew_retain(order);
  }
  strew_release(order);
  strew_release(kept);
  return status;
}

static strew_status place_ids(const struct call *call, strew_grouping *grouping, const strew_tensor *starts,
                              int64_t members) {
  strew_device *device = strew_grouping_device(grouping);
  const struct group_ids ids = grouping_narrow(grouping);
  strew_tensor *made = NULL;
  strew_status status = tensor_create(call, device, STREW_INT64, 1, &members, &made);
  if (status == STREW_OK && members) status = device->ops->group_order(call, device, &ids, starts, made);
  if (status != STREW_OK) return strew_release(made), status;
  return grouping->order = made, STREW_OK;
}

static strew_status make_order(const struct call *call, strew_grouping *grouping) {
  const bool is_placed = grouping_walks(grouping)->group_order;
  strew_tensor *starts = NULL;
  strew_scalar members = strew_int(strew_grouping_length(grouping));
  strew_status status = STREW_OK;
  if (is_placed || grouping->drops) status = strew_grouping_starts(grouping, &starts, call->error);
  if (status == STREW_OK && grouping->drops) status = strew_get(starts, 1, &grouping->size, &members, call->error);
  if (status == STREW_OK)
    status = is_placed ? place_ids(call, grouping, starts, members.as.i) : sort_ids(call, grouping, members.as.i);
  strew_release(starts);
  return status;
}

/* Passes on *kept, which `make` makes if it is NULL. */
static strew_status pass_kept(strew_grouping *grouping, strew_tensor **kept, const char *name,
                              strew_status (*make)(const struct call *call, strew_grouping *grouping),
                              strew_tensor **out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, name)};
  CALL(call, name, &inner, {"ids", &grouping->shown});
  strew_status status = *kept ? STREW_OK : make(&call, grouping);
  if (*kept) *out = strew_retain(grouping_seal(*kept)); /* else making it failed */
  return report_inner(status, &inner, error);
}

strew_status strew_grouping_ids(strew_grouping *grouping, strew_tensor **out, strew_error *error) {
  return pass_kept(grouping, &grouping->ids, "ids", grouping_widen, out, error);
}

strew_status strew_grouping_counts(strew_grouping *grouping, strew_tensor **out, strew_error *error) {
  return pass_kept(grouping, &grouping->counts, "counts", make_counts, out, error);
}

strew_status strew_grouping_positions(strew_grouping *grouping, strew_tensor **out, strew_error *error) {
  return pass_kept(grouping, &grouping->positions, "positions", make_positions, out, error);
}

strew_status strew_grouping_starts(strew_grouping *grouping, strew_tensor **out, strew_error *error) {
  return pass_kept(grouping, &grouping->starts, "starts", make_starts, out, error);
}

strew_status strew_grouping_order(strew_grouping *grouping, strew_tensor **out, strew_error *error) {
  return pass_kept(grouping, &grouping->order, "order", make_order, out, error);
}

strew_status strew_grouping_key(strew_grouping *grouping, int which, strew_tensor **out, strew_error *error) {
  CALL(call, "key", error, {"ids", &grouping->shown});
  if (which < 0 || which >= grouping->key_count)
    return fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "which"}, "is %d, the grouping has %d key%s",
                which, grouping->key_count, grouping->key_count == 1 ? "" : "s");
  return *out = strew_retain(grouping->keys[which]), STREW_OK;
}

/* ------------------------------------------------------------------------------------------------ to another device */

/* The ids as int64 on a device: a new tensor, or the grouping's own, retained. Ids that a device with memory of its own
   returns are checked: with a faulty driver they would choose addresses on the host. */
static strew_status ids_on(const struct call *call, const strew_grouping *grouping, strew_device *device,
                           strew_tensor **out) {
  const strew_device *from = strew_grouping_device(grouping);
  struct plan values;
  strew_tensor *ids = NULL;
  int64_t bad = -1;
  strew_status status = strew_to(grouping->narrow, device, STREW_INT64, &ids, call->error);
  if (status == STREW_OK && !from->ops->host_memory && strew_tensor_numel(ids)) {
    plan_index_values(&values, ids);
    status = device->ops->index_check(call, device, &values, -(int64_t)grouping->drops, grouping->size - 1, &bad);
  }
  if (status == STREW_OK && bad >= 0)
    status = fail(call, (struct fault){.code = STREW_EDEVICE, .argument = "ids"},
                  "returned by %s have a value out of range at [%" PRId64 "]: its driver is faulty", from->name, bad);
  if (status != STREW_OK) return strew_release(ids), status;
  return *out = ids, STREW_OK;
}

/* Copies a tensor, unless it is NULL. */
static strew_status move(const struct call *call, strew_tensor *tensor, strew_device *device, strew_tensor **out) {
  if (!tensor) return STREW_OK;
  strew_status status = strew_to(tensor, device, tensor->dtype, out, call->error);
  if (status == STREW_OK) grouping_seal(*out);
  return status;
}

static strew_status move_derived(const struct call *call, const strew_grouping *from, strew_device *device,
                                 strew_grouping *to) {
  strew_status status = move(call, from->counts, device, &to->counts);
  if (status == STREW_OK) status = move(call, from->positions, device, &to->positions);
  if (status == STREW_OK) status = move(call, from->order, device, &to->order);
  if (status == STREW_OK) status = move(call, from->starts, device, &to->starts);
  return status;
}

/* What a device with memory of its own has derived is not trusted elsewhere, but derived again. */
static strew_status move_all(const struct call *call, const strew_grouping *from, strew_device *device,
                             strew_grouping *to) {
  strew_status status = STREW_OK;
  const bool is_trusted = strew_grouping_device(from)->ops->host_memory;
  if (is_trusted) status = move_derived(call, from, device, to);
  for (int i = 0; i < from->key_count && status == STREW_OK; i++)
    status = move(call, from->keys[i], device, &to->keys[i]);
  return status;
}

strew_status strew_grouping_to(strew_grouping *grouping, strew_device *device, strew_grouping **out,
                               strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "to")};
  CALL(call, "to", &inner, {"ids", &grouping->shown});
  strew_tensor *ids = NULL;
  strew_grouping *made = NULL;
  if (device == strew_grouping_device(grouping)) return *out = strew_grouping_retain(grouping), STREW_OK;
  strew_status status = ids_on(&call, grouping, device, &ids);
  if (status == STREW_OK) status = grouping_create(&call, ids, grouping->size, grouping->key_count, &made);
  if (status == STREW_OK) made->drops = grouping->drops;
  if (status == STREW_OK) status = move_all(&call, grouping, device, made);
  if (status == STREW_OK) {
    grouping_complete(made);
    *out = made;
  } else {
    strew_grouping_release(made);
  }
  return report_inner(status, &inner, error);
}

/* ------------------------------------------------------------------------------------------------------- reductions */

/* The options of a call of the group form by the ids. Fails if they say anything else, or if src has another length. */
strew_status grouping_take_options(const struct call *call, const strew_grouping *grouping, const strew_tensor *src,
                                   const strew_group_options *options, strew_group_options *own) {
  struct fault fault = {
      .code = STREW_EARGUMENT, .argument = "dim_size", .hint = "begin with STREW_GROUP_OPTIONS: its dim_size is -1"};
  const int64_t length = strew_grouping_length(grouping);
  if (options)
    *own = *options;
  else
    *own = (strew_group_options)STREW_GROUP_OPTIONS;
  if (own->dim_size != -1 && own->dim_size != grouping->size)
    return fail(call, fault, "is %" PRId64 ", the grouping has %" PRId64 " groups", own->dim_size, grouping->size);
  fault = (struct fault){.code = STREW_EARGUMENT, .argument = "mode"};
  if (own->mode != STREW_ERROR)
    return fail(call, fault, "cannot be combined with a grouping, which has checked its ids");
  int dim = own->dim;
  strew_status status = check_dim(call, src->rank, &dim);
  if (status != STREW_OK) return status;
  const int64_t size = src->rank ? src->sizes[dim] : 1;
  fault = (struct fault){.code = STREW_ESHAPE, .argument = "src"};
  if (size != length)
    return fail(call, fault, "has size %" PRId64 " in dim %d, the grouping has %" PRId64 " elements", size, dim,
                length);
  own->dim_size = grouping->size;
  own->mode = mode_of(grouping);
  return STREW_OK;
}

strew_status strew_grouping_softmax(strew_grouping *grouping, strew_tensor *src, const strew_group_options *options,
                                    bool logarithm, strew_tensor **out, strew_error *error) {
  CALL(call, "grouping_softmax", error, {"src", src}, {"ids", &grouping->shown});
  strew_group_options own;
  strew_status status = grouping_take_options(&call, grouping, src, options, &own);
  if (status == STREW_OK) status = grouping_widen(&call, grouping);
  return status == STREW_OK ? strew_group_softmax(src, grouping->ids, &own, logarithm, out, error) : status;
}

/* ----------------------------------------------------------------------------------------------------- running sums */

strew_status grouping_check_line(const struct call *call, const strew_grouping *grouping, const strew_tensor *src) {
  const int64_t length = strew_grouping_length(grouping);
  struct fault fault = {.code = STREW_ESHAPE, .argument = "src"};
  if (src->rank != 1) return fail(call, fault, "has %d dimensions, expected 1", src->rank);
  if (src->sizes[0] == length) return check_devices(call);
  return fail(call, fault, "has %" PRId64 " elements, the grouping has %" PRId64, src->sizes[0], length);
}

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
static strew_status cumsum(const struct call *call, const strew_grouping *grouping, strew_tensor *src,
                           strew_tensor **out) {
  strew_device *device = src->storage->device, *cpu = &device->context->cpu;
  const strew_dtype dtype = dtype_is_float(src->dtype) ? src->dtype : STREW_INT64, computed = dtype_wide(dtype);
  const int64_t length = src->sizes[0];
  strew_tensor *values = NULL, *ids = NULL, *sums = NULL, *rounded = NULL;
  strew_error *error = call->error;
  strew_status status = dense_on(src, cpu, computed, &values, error);
  if (status == STREW_OK) status = ids_on(call, grouping, cpu, &ids);
  if (status == STREW_OK) status = tensor_create(call, cpu, computed, 1, &length, &sums);
  if (status == STREW_OK && length) status = cpu->ops->group_cumsum(call, cpu, ids, grouping->size, values, sums);
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
  CALL(call, "grouping_cumsum", &inner, {"src", src}, {"ids", &grouping->shown});
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK) status = cumsum(&call, grouping, src, out);
  return report_inner(status, &inner, error);
}

/* ---------------------------------------------------------------------------------------------- order within groups */

/* By sorting all elements, then, stably, their groups. Those without one, -1, come first. */
static strew_status sort_twice(const struct call *call, strew_grouping *grouping, strew_tensor *src, bool descending,
                               int64_t members, strew_tensor **out) {
  strew_error *error = call->error;
  strew_tensor *by_value = NULL, *groups = NULL, *by_group = NULL, *order = NULL, *kept = NULL;
  const int64_t length = src->sizes[0];
  strew_status status = grouping_widen(call, grouping);
  if (status == STREW_OK) status = strew_sort(src, 0, descending, NULL, &by_value, error);
  if (status == STREW_OK) status = strew_gather(grouping->ids, 0, by_value, STREW_DROP, &groups, error);
  if (status == STREW_OK) status = strew_sort(groups, 0, false, NULL, &by_group, error);
  if (status == STREW_OK) status = strew_gather(by_value, 0, by_group, STREW_DROP, &order, error);
  if (status == STREW_OK && members < length) {
    status = strew_narrow(order, 0, length - members, members, &kept, error);
    if (status == STREW_OK) status = strew_clone(kept, out, error);
  } else if (status == STREW_OK) {
    *out = strew_retain(order);
  }
  strew_release(by_value);
  strew_release(groups);
  strew_release(by_group);
  strew_release(order);
  strew_release(kept);
  return status;
}

/* By the device; STREW_DECLINED: it cannot. `order` NULL: it has no entry. */
static strew_status order_members(const struct call *call, strew_grouping *grouping, strew_tensor *src, bool descending,
                                  const strew_tensor *order, int64_t members, strew_tensor **out) {
  strew_device *device = src->storage->device;
  strew_tensor *starts = NULL, *made = NULL;
  if (members && !device->ops->group_order_within) return STREW_DECLINED;
  strew_status status = tensor_create(call, device, STREW_INT64, 1, &members, &made);
  if (status == STREW_OK && members) status = strew_grouping_starts(grouping, &starts, call->error);
  if (status == STREW_OK && members)
    status = device->ops->group_order_within(call, device, src, order, starts, descending, made);
  strew_release(starts);
  if (status != STREW_OK) return strew_release(made), status;
  return *out = made, STREW_OK;
}

static strew_status argsort(const struct call *call, strew_grouping *grouping, strew_tensor *src, bool descending,
                            strew_tensor **out) {
  const bool has_entry = src->storage->device->ops->group_order_within;
  strew_tensor *order = NULL;
  int64_t members = src->sizes[0];
  strew_status status = STREW_OK;
  if (has_entry || grouping->drops) status = strew_grouping_order(grouping, &order, call->error);
  if (status == STREW_OK && order) members = order->sizes[0];
  if (status == STREW_OK) status = order_members(call, grouping, src, descending, order, members, out);
  if (status == STREW_DECLINED) status = sort_twice(call, grouping, src, descending, members, out);
  strew_release(order);
  return status;
}

strew_status strew_grouping_argsort(strew_grouping *grouping, strew_tensor *src, bool descending, strew_tensor **out,
                                    strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping_argsort")};
  CALL(call, "grouping_argsort", &inner, {"src", src}, {"ids", &grouping->shown});
  strew_status status = grouping_check_line(&call, grouping, src);
  if (status == STREW_OK) status = argsort(&call, grouping, src, descending, out);
  return report_inner(status, &inner, error);
}
