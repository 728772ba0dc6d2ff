/* groups.c: groupings, which are groups of one line of ids, copied and checked once; and what is derived from groups.
   The ids, which no call can write, are not checked again (core/base/index_checks.c). */
#include "groups.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>

/* --------------------------------------------------------------------------------------------- creation and release */

static size_t bytes_of(int key_count) { return sizeof(strew_grouping) + (size_t)key_count * sizeof(strew_tensor *); }

static void grouping_give_back(strew_context *context, struct released *released) {
  strew_grouping *grouping = (strew_grouping *)(void *)((char *)released - offsetof(strew_grouping, released));
  memory_free(context, grouping, bytes_of(grouping->key_count));
}

strew_status grouping_create(const struct call *call, strew_tensor *ids, int64_t size, bool drops, int key_count,
                             strew_grouping **out) {
  strew_context *context = tensor_context(ids);
  strew_grouping *grouping = memory_allocate(context, bytes_of(key_count));
  if (!grouping) {
    strew_status status = fail_memory(call, context, bytes_of(key_count));
    return strew_release(ids), status;
  }
  *grouping = (strew_grouping){.references = 1, .released = {NULL, grouping_give_back}, .key_count = key_count};
  struct groups *groups = &grouping->groups;
  *groups = (struct groups){.index = *ids, .ids = ids, .dim_size = size};
  groups->addressing = (struct addressing)ADDRESSING(
      &groups->index, &groups->index, {size, 0, "the grouping", drops ? STREW_DROP : STREW_ERROR, false});
  groups->addressing.checked = true;
  if (ids->dtype == STREW_INT64) groups->wide = strew_retain(ids);
  for (int i = 0; i < key_count; i++) grouping->keys[i] = NULL;
  *out = grouping;
  return STREW_OK;
}

strew_tensor *grouping_seal(strew_tensor *tensor) {
  tensor->storage->constant = true;
  return tensor;
}

static void complete_wide(struct groups *groups) {
  if (!groups->wide) return;
  grouping_seal(groups->wide);
  if (!groups_drop(groups)) groups->wide->storage->index_size = groups_size(groups);
  groups->index = *groups->wide;
}

void grouping_complete(strew_grouping *grouping) {
  complete_wide(&grouping->groups);
  for (int i = 0; i < grouping->key_count; i++) grouping_seal(grouping->keys[i]);
}

static strew_status check_ids(const struct call *call, const strew_tensor *index, strew_mode mode) {
  RETURN_IF_FAILED(check_words(call, STREW_ASSIGN, mode));
  if (strew_tensor_numel(index)) RETURN_IF_FAILED(check_index_dtype(call, index, "index"));
  if (index->rank > 1)
    return fail(call, HINTED(STREW_ESHAPE, "index", "strew_flatten(index)"), "has %d dimensions, expected 1",
                index->rank);
  return STREW_OK;
}

/* Writes the values that the mode makes of copied ids, which are checked. *drops: some are -1. */
static void settle_ids(struct steps *steps, strew_tensor *ids, int64_t size, strew_mode mode, bool *drops) {
  struct addressing addressing = ADDRESSING(ids, ids, {size, 0, "the grouping", mode, false});
  struct index_range range = {0, 0};
  if (steps->status != STREW_OK || !strew_tensor_numel(ids)) return;
  STEP(steps, addressing_check(steps->call, &addressing));
  if (mode != STREW_ERROR) STEP(steps, groups_apply_mode(steps->call, ids, mode, size, &ids));
  if (mode == STREW_DROP) STEP(steps, find_index_range(steps->call, ids, &range));
  *drops = range.lowest < 0;
}

/* Ids are copied first: a copy is checked, which nobody else can change (others may write to memory that a file is
   mapped to). */
strew_status strew_grouping_create_with(strew_tensor *index, const strew_grouping_options *options,
                                        strew_grouping **out, strew_error *error) {
  CALL_STEPS(call, steps, "grouping", error, {"index", index});
  OPTIONS(strew_grouping_options);
  INDEX(&call, index);
  const struct shape1 shape = shape_at_least_1d(index);
  int64_t dim_size;
  bool drops = false;
  STEP(&steps, check_ids(&call, index, options->mode));
  STEP(&steps, read_dim_size(&call, options->dim_size, &dim_size));
  strew_tensor *ids = step_new(&steps, index->storage->device, STREW_INT64, 1, shape.sizes);
  if (shape.sizes[0]) STEP(&steps, copy_tensor(&call, ids, index));
  if (steps.status == STREW_OK && dim_size < 0) STEP(&steps, find_index_size(&call, ids, &dim_size));
  settle_ids(&steps, ids, dim_size, options->mode, &drops);
  STEP(&steps, grouping_create(&call, strew_retain(ids), dim_size, drops, 0, out));
  if (steps.status == STREW_OK) grouping_complete(*out);
  return steps_status(&steps);
}

strew_grouping *strew_grouping_retain(strew_grouping *grouping) {
  atomic_fetch_add_explicit(&grouping->references, 1, memory_order_relaxed);
  return grouping;
}

void strew_grouping_release(strew_grouping *grouping) {
  if (!grouping || !drop_reference(&grouping->references)) return;
  strew_context *context = strew_context_retain(tensor_context(grouping->groups.ids));
  groups_close(&grouping->groups);
  for (int i = 0; i < grouping->key_count; i++) strew_release(grouping->keys[i]);
  context_give_back(context, &grouping->released);
  strew_context_release(context);
}

/* ------------------------------------------------------------------------------------------------------- properties */

static int64_t length_of(const struct groups *groups) { return groups->ids->sizes[0]; }
static strew_device *device_of(const struct groups *groups) { return groups->index.storage->device; }

int64_t strew_grouping_size(const strew_grouping *grouping) { return groups_size(&grouping->groups); }
int64_t strew_grouping_length(const strew_grouping *grouping) { return length_of(&grouping->groups); }
int strew_grouping_key_count(const strew_grouping *grouping) { return grouping->key_count; }
bool strew_grouping_drops(const strew_grouping *grouping) { return groups_drop(&grouping->groups); }
strew_device *strew_grouping_device(const strew_grouping *grouping) { return device_of(&grouping->groups); }

const struct group_ops *groups_walks(const struct groups *groups) {
  static const struct group_ops none;
  const int64_t size = groups_size(groups);
  return !groups->src && size && size <= INT32_MAX && length_of(groups) ? device_of(groups)->ops->groups : &none;
}

struct group_ids groups_narrow(const struct groups *groups) {
  return (struct group_ids){groups->ids, groups_size(groups), groups_drop(groups)};
}

/* ---------------------------------------------------------------------------------------------------------- derived */

strew_status groups_widen(const struct call *call, struct groups *groups) {
  if (groups->src || groups->wide) return STREW_OK;
  RETURN_IF_FAILED(copy_as(call, groups->ids, STREW_INT64, &groups->wide));
  return complete_wide(groups), STREW_OK;
}

/* By a walk over the ids, or joined. */
static strew_status make_counts(const struct call *call, struct groups *groups) {
  const struct group_ops *walks = groups_walks(groups);
  const struct group_ids ids = groups_narrow(groups);
  struct aggregate_column column = {.computed = STREW_INT64};
  STEPS(steps, call);
  if (!walks->group_aggregate) {
    STEP(&steps, groups_widen(call, groups));
    return STEP(&steps, groups_join(call, groups, STREW_SUM, NULL, &groups->counts));
  }
  strew_tensor *made = step_new(&steps, device_of(groups), STREW_INT64, 1, &ids.size);
  column.out[STREW_SUM] = made;
  STEP(&steps, walks->group_aggregate(call, device_of(groups), &ids, 1, &column));
  return steps_give(&steps, made, &groups->counts);
}

static strew_status make_positions(const struct call *call, struct groups *groups) {
  const int64_t length = length_of(groups);
  STEPS(steps, call);
  strew_tensor *all = step_count(&steps, device_of(groups), length);
  STEP(&steps, groups_widen(call, groups));
  return STEP(&steps,
              groups_join_from(call, groups, STREW_AMIN, (union element){.i64 = length}, all, &groups->positions));
}

static strew_status make_starts(const struct call *call, struct groups *groups) {
  const int dim = groups->addressing.limits.dim;
  STEPS(steps, call);
  strew_tensor **counts = steps_place(&steps);
  if (STEP(&steps, groups_counts(call, groups, counts)) != STREW_OK) return steps.status;
  struct shape1 shape = shape_at_least_1d(*counts);
  shape.sizes[dim]++; /* no overflow: there are counts */
  strew_tensor *made = step_full(&steps, device_of(groups), STREW_INT64, shape.rank, shape.sizes, strew_int(0));
  strew_tensor *rest = step_narrow(&steps, made, dim, 1, groups_size(groups));
  STEP(&steps, strew_cumsum_with(*counts, dim, NULL, &rest, steps.error));
  return steps_give(&steps, made, &groups->starts);
}

strew_status groups_keep_last(const struct call *call, strew_tensor *order, int64_t count, strew_tensor **out) {
  const int64_t length = order->sizes[0];
  if (count == length) return *out = strew_retain(order), STREW_OK;
  STEPS(steps, call);
  const strew_tensor *kept = step_narrow(&steps, order, 0, length - count, count);
  return STEP(&steps, strew_clone(kept, out, steps.error));
}

/* Elements without a group, whose id is -1, come first in a stable sort. */
static void sort_ids(struct steps *steps, struct groups *groups, int64_t members) {
  strew_tensor **order = steps_place(steps);
  STEP(steps, groups_widen(steps->call, groups));
  STEP(steps, strew_sort_with(groups->wide, 0, NULL, NULL, order, steps->error));
  STEP(steps, groups_keep_last(steps->call, *order, members, &groups->order));
}

static void place_ids(struct steps *steps, struct groups *groups, const strew_tensor *starts, int64_t members) {
  strew_device *device = device_of(groups);
  const struct group_ids ids = groups_narrow(groups);
  strew_tensor *made = step_new(steps, device, STREW_INT64, 1, &members);
  if (members) STEP(steps, device->ops->groups->group_order(steps->call, device, &ids, starts, made));
  steps_give(steps, made, &groups->order);
}

static strew_status make_order(const struct call *call, struct groups *groups) {
  const bool is_placed = groups_walks(groups)->group_order, drops = groups_drop(groups);
  const int64_t size = groups_size(groups);
  STEPS(steps, call);
  strew_tensor **starts = steps_place(&steps);
  strew_scalar members = strew_int(length_of(groups));
  if (is_placed || drops) STEP(&steps, groups_starts(call, groups, starts));
  if (drops) STEP(&steps, strew_get(*starts, 1, &size, &members, steps.error));
  if (is_placed)
    place_ids(&steps, groups, *starts, members.as.i);
  else
    sort_ids(&steps, groups, members.as.i);
  return steps.status;
}

/* Defines the function that passes on a tensor, which `make` makes if it is NULL, and that of a grouping. */
#define DERIVED(name, kept, make)                                                                                      \
  strew_status groups_##name(const struct call *call, struct groups *groups, strew_tensor **out) {                     \
    strew_status status = groups->kept ? STREW_OK : make(call, groups);                                                \
    if (status == STREW_OK) *out = strew_retain(grouping_seal(groups->kept));                                          \
    return status;                                                                                                     \
  }                                                                                                                    \
  strew_status strew_grouping_##name(strew_grouping *grouping, strew_tensor **out, strew_error *error) {               \
    return derive(grouping, #name, groups_##name, out, error);                                                         \
  }

static strew_status derive(strew_grouping *grouping, const char *name, groups_derive *make, strew_tensor **out,
                           strew_error *error) {
  CALL_STEPS(call, steps, name, error, IDS_OF(grouping));
  STEP(&steps, make(&call, &grouping->groups, out));
  return steps_status(&steps);
}

DERIVED(ids, wide, groups_widen)
DERIVED(counts, counts, make_counts)
DERIVED(positions, positions, make_positions)
DERIVED(starts, starts, make_starts)
DERIVED(order, order, make_order)

strew_status grouping_counts_along(strew_grouping *grouping, int rank, int dim, strew_tensor **out,
                                   strew_error *error) {
  int64_t sizes[MAX_RANK];
  strew_tensor *counts = NULL;
  strew_status status = strew_grouping_counts(grouping, &counts, error);
  for (int d = 0; d < rank; d++) sizes[d] = d == dim ? strew_grouping_size(grouping) : 1;
  if (status == STREW_OK) status = strew_view(counts, rank, sizes, out, error);
  strew_release(counts);
  return status;
}

strew_status strew_grouping_key(strew_grouping *grouping, int which, strew_tensor **out, strew_error *error) {
  CALL(call, "key", error, IDS_OF(grouping));
  if (which < 0 || which >= grouping->key_count)
    return fail(&call, FAULT(STREW_EARGUMENT, "which"), "is %d, the grouping has %d key%s", which, grouping->key_count,
                grouping->key_count == 1 ? "" : "s");
  return *out = strew_retain(grouping->keys[which]), STREW_OK;
}

/* ------------------------------------------------------------------------------------------------ to another device */

strew_status groups_ids_on(const struct call *call, const struct groups *groups, strew_device *device,
                           strew_tensor **out) {
  const strew_device *from = device_of(groups);
  strew_tensor *ids = device == from && groups->wide ? groups->wide : groups->ids;
  int64_t bad = -1;
  RETURN_IF_FAILED(strew_to(ids, device, STREW_INT64, &ids, call->error));
  strew_status status = STREW_OK;
  if (!from->ops->host_memory)
    status = find_outside(call, ids, -(int64_t)groups_drop(groups), groups_size(groups) - 1, &bad);
  if (status == STREW_OK && bad >= 0)
    status = fail(call, FAULT(STREW_EDEVICE, "ids"),
                  "returned by %s have a value out of range at [%" PRId64 "]: its driver is faulty", from->name, bad);
  RETURN_IF_FAILED(release_if_failed(status, &ids));
  return *out = ids, STREW_OK;
}

/* Copies a tensor, unless it is NULL. */
static void move(struct steps *steps, strew_tensor *tensor, strew_device *device, strew_tensor **out) {
  if (tensor && STEP(steps, strew_to(tensor, device, tensor->dtype, out, steps->error)) == STREW_OK)
    grouping_seal(*out);
}

/* What a device with memory of its own has derived is not trusted elsewhere, but derived again. */
static void move_all(struct steps *steps, const strew_grouping *from, strew_device *device, strew_grouping *to) {
  const struct groups *groups = &from->groups;
  const bool is_trusted = strew_grouping_device(from)->ops->host_memory;
  if (steps->status != STREW_OK) return;
  strew_tensor *const derived[] = {groups->counts, groups->positions, groups->order, groups->starts};
  strew_tensor **const places[] = {&to->groups.counts, &to->groups.positions, &to->groups.order, &to->groups.starts};
  for (int i = 0; i < 4 && is_trusted; i++) move(steps, derived[i], device, places[i]);
  for (int i = 0; i < from->key_count; i++) move(steps, from->keys[i], device, &to->keys[i]);
}

strew_status strew_grouping_to(strew_grouping *grouping, strew_device *device, strew_grouping **out,
                               strew_error *error) {
  const struct groups *groups = &grouping->groups;
  CALL_STEPS(call, steps, "to", error, IDS_OF(grouping));
  strew_tensor *ids = NULL;
  strew_grouping *made = NULL;
  if (device == device_of(groups)) return *out = strew_grouping_retain(grouping), STREW_OK;
  STEP(&steps, groups_ids_on(&call, groups, device, &ids));
  STEP(&steps, grouping_create(&call, ids, groups_size(groups), groups_drop(groups), grouping->key_count, &made));
  move_all(&steps, grouping, device, made);
  if (steps.status == STREW_OK)
    grouping_complete(*out = made);
  else
    strew_grouping_release(made);
  return steps_status(&steps);
}

/* ----------------------------------------------------------------------------------------------- a grouping's calls */

strew_status grouping_check_line(const struct call *call, const strew_grouping *grouping, const strew_tensor *src) {
  const int64_t length = strew_grouping_length(grouping);
  struct fault fault = {.code = STREW_ESHAPE, .argument = "src"};
  if (src->rank != 1) return fail(call, fault, "has %d dimensions, expected 1", src->rank);
  if (src->sizes[0] == length) return check_devices(call);
  return fail(call, fault, "has %" PRId64 " elements, the grouping has %" PRId64, src->sizes[0], length);
}

strew_status grouping_take_options(const struct call *call, const strew_grouping *grouping, const strew_tensor *src,
                                   const struct group_options *options, struct group_options *own) {
  const int64_t length = strew_grouping_length(grouping), groups = strew_grouping_size(grouping);
  *own = *options;
  if (own->dim_size != -1 && own->dim_size != groups)
    return fail(call, FAULT(STREW_EARGUMENT, "dim_size"), "is %" PRId64 ", the grouping has %" PRId64 " groups",
                own->dim_size, groups);
  if (own->mode != STREW_ERROR)
    return fail(call, FAULT(STREW_EARGUMENT, "mode"), "cannot be combined with a grouping, which has checked its ids");
  int dim = own->dim;
  RETURN_IF_FAILED(check_dim(call, src->rank, &dim));
  const int64_t size = src->rank ? src->sizes[dim] : 1;
  if (size != length)
    return fail(call, FAULT(STREW_ESHAPE, "src"),
                "has size %" PRId64 " in dim %d, the grouping has %" PRId64 " elements", size, dim, length);
  own->dim_size = groups;
  own->mode = grouping->groups.addressing.limits.mode;
  return STREW_OK;
}
