/* from_keys.c: groupings by keys. The CPU numbers keys in passes of its own (number_keys). On other devices the keys
   are sorted stably, column by column, the last one first; a group begins where a key differs from the one before it. */
#include "groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- checks */

/* A call: its keys, and the frame for messages, which name one of them. */
struct keyed {
  struct call *call;
  int count;
  strew_tensor *const *keys;
  int64_t length;
  strew_device *device;
};

static strew_status check_key(const struct keyed *keyed, int i) {
  const strew_tensor *key = keyed->keys[i], *first = keyed->keys[0];
  char name[32];
  strew_status alive = check_alive(keyed->call, "keys", i, key);
  if (alive != STREW_OK) return alive;
  snprintf(name, sizeof name, "keys[%d]", i + 1);
  struct fault fault = {.code = STREW_ESHAPE, .argument = "keys"};
  if (key->rank > 1) fault.hint = "one key for each row: a column of the matrix, or several";
  if (key->rank != 1) return fail(keyed->call, fault, "has %d dimensions at [%d], expected 1", key->rank, i + 1);
  if (key->sizes[0] != first->sizes[0])
    return fail(keyed->call, fault, "has %" PRId64 " elements at [%d], %" PRId64 " at [1]: lengths must be equal",
                key->sizes[0], i + 1, first->sizes[0]);
  if (tensor_context(key) != tensor_context(first)) {
    char what[48];
    snprintf(what, sizeof what, "has a tensor at [%d] of", i + 1);
    return fail_context(keyed->call, "keys", what);
  }
  if (key->storage->device == first->storage->device) return STREW_OK;
  char hint[TEXT_BYTES];
  snprintf(hint, sizeof hint, "strew_to(%s, %s)", name, first->storage->device->name);
  fault = (struct fault){.code = STREW_EDEVICE, .argument = "keys", .hint = hint};
  return fail(keyed->call, fault, "is on %s at [%d], on %s at [1]: all must be on one device",
              key->storage->device->name, i + 1, first->storage->device->name);
}

static strew_status check_keys(struct keyed *keyed, strew_key_order order) {
  strew_status status = STREW_OK;
  if (keyed->count < 1)
    return fail(keyed->call, (struct fault){.code = STREW_EARGUMENT, .argument = "keys"},
                "has no tensor, expected at least 1");
  if ((unsigned)order > STREW_KEYS_FIRST) return fail_unknown(keyed->call, "order", (int)order, STREW_KEYS_FIRST);
  for (int i = 0; i < keyed->count && status == STREW_OK; i++) status = check_key(keyed, i);
  if (status != STREW_OK) return status;
  keyed->length = keyed->keys[0]->sizes[0];
  keyed->device = keyed->keys[0]->storage->device;
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------------- by sorting */

/* What sorting finds: positions in the order of keys; at each whether a group begins there; where groups begin. */
struct sorted {
  strew_tensor *order, *is_start, *starts;
};

static void sorted_release(struct sorted *sorted) {
  strew_release(sorted->order);
  strew_release(sorted->is_start);
  strew_release(sorted->starts);
}

/* Sorts *order, NULL for that of positions, by a key. */
static strew_status sort_by_key(strew_tensor *key, strew_tensor **order, strew_error *error) {
  strew_tensor *moved = NULL, *by_key = NULL, *next = NULL;
  strew_status status = STREW_OK;
  if (!*order) return strew_sort(key, 0, false, NULL, order, error);
  status = strew_gather(key, 0, *order, STREW_DROP, &moved, error);
  if (status == STREW_OK) status = strew_sort(moved, 0, false, NULL, &by_key, error);
  strew_release(moved);
  if (status == STREW_OK) status = strew_gather(*order, 0, by_key, STREW_DROP, &next, error);
  strew_release(by_key);
  if (status != STREW_OK) return status;
  strew_release(*order);
  return *order = next, STREW_OK;
}

/* Where later differs from earlier by value; NaN equal NaN. */
static strew_status find_changes(strew_tensor *later, strew_tensor *earlier, strew_tensor **out, strew_error *error) {
  strew_tensor *differs = NULL, *is_number = NULL, *was_number = NULL;
  const strew_operand a = strew_of(later), b = strew_of(earlier);
  strew_status status = strew_binary(STREW_NE, a, b, &differs, error);
  if (status == STREW_OK && dtype_is_float(later->dtype)) {
    status = strew_binary(STREW_EQ, a, a, &is_number, error);
    if (status == STREW_OK) status = strew_binary(STREW_EQ, b, b, &was_number, error);
    if (status == STREW_OK)
      status = strew_binary(STREW_LOGICAL_OR, strew_of(is_number), strew_of(was_number), &is_number, error);
    if (status == STREW_OK)
      status = strew_binary(STREW_LOGICAL_AND, strew_of(differs), strew_of(is_number), &differs, error);
  }
  strew_release(is_number);
  strew_release(was_number);
  if (status != STREW_OK) return strew_release(differs), status;
  return *out = differs, STREW_OK;
}

/* Marks in sorted->is_start the changes of a key. */
static strew_status mark_changes(const struct sorted *sorted, strew_tensor *key, strew_error *error) {
  const int64_t rest = key->sizes[0] - 1;
  strew_tensor *values = NULL, *later = NULL, *earlier = NULL, *changes = NULL, *marks = NULL;
  strew_status status = strew_gather(key, 0, sorted->order, STREW_DROP, &values, error);
  if (status == STREW_OK) status = strew_narrow(values, 0, 1, rest, &later, error);
  if (status == STREW_OK) status = strew_narrow(values, 0, 0, rest, &earlier, error);
  if (status == STREW_OK) status = find_changes(later, earlier, &changes, error);
  if (status == STREW_OK) status = strew_narrow(sorted->is_start, 0, 1, rest, &marks, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(marks), strew_of(changes), &marks, error);
  strew_release(values);
  strew_release(later);
  strew_release(earlier);
  strew_release(changes);
  strew_release(marks);
  return status;
}

/* There are elements. */
static strew_status sort_keys(const struct keyed *keyed, struct sorted *sorted, strew_error *error) {
  strew_tensor *found = NULL, *first = NULL;
  strew_status status = STREW_OK;
  for (int i = keyed->count - 1; i >= 0 && status == STREW_OK; i--)
    status = sort_by_key(keyed->keys[i], &sorted->order, error);
  if (status == STREW_OK)
    status = strew_full(keyed->device, STREW_BOOL, 1, &keyed->length, strew_bool(false), &sorted->is_start, error);
  if (status == STREW_OK) status = strew_narrow(sorted->is_start, 0, 0, 1, &first, error);
  if (status == STREW_OK) status = strew_fill(first, strew_bool(true), error);
  strew_release(first);
  for (int i = 0; i < keyed->count && status == STREW_OK; i++) status = mark_changes(sorted, keyed->keys[i], error);
  if (status == STREW_OK) status = strew_nonzero(sorted->is_start, &found, error);
  if (status == STREW_OK) status = strew_flatten(found, 0, -1, &sorted->starts, error);
  strew_release(found);
  return status;
}

/* Writes number[i] to element order[i] of a new tensor. */
static strew_status put_back(strew_tensor *order, strew_tensor *number, strew_tensor **out, strew_error *error) {
  const strew_scatter_options assign = {.reduction = STREW_ASSIGN, .mode = STREW_DROP};
  strew_tensor *made = NULL;
  strew_status status = strew_empty(order->storage->device, STREW_INT64, 1, order->sizes, &made, error);
  if (status == STREW_OK) status = strew_scatter(made, 0, order, strew_of(number), &assign, &made, error);
  if (status != STREW_OK) return strew_release(made), status;
  return *out = made, STREW_OK;
}

/* The number of each element's group: of the starts up to it, minus 1. */
static strew_status number_elements(const struct sorted *sorted, strew_tensor **out, strew_error *error) {
  strew_tensor *number = NULL;
  strew_status status = strew_cumsum(sorted->is_start, 0, &number, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_SUB, strew_of(number), strew_number(strew_int(1)), &number, error);
  if (status == STREW_OK) status = put_back(sorted->order, number, out, error);
  strew_release(number);
  return status;
}

/* Renumbers groups by the positions of their first elements; both are replaced. */
static strew_status number_by_position(strew_tensor **ids, strew_tensor **positions, strew_error *error) {
  strew_tensor *in_order = NULL, *by_position = NULL, *all = NULL, *number = NULL, *renumbered = NULL;
  strew_status status = strew_sort(*positions, 0, false, &in_order, &by_position, error);
  if (status == STREW_OK)
    status = strew_arange((*ids)->storage->device, STREW_INT64, strew_int(0), strew_int(in_order->sizes[0]),
                          strew_int(1), &all, error);
  if (status == STREW_OK) status = put_back(by_position, all, &number, error);
  if (status == STREW_OK) status = strew_gather(number, 0, *ids, STREW_DROP, &renumbered, error);
  strew_release(by_position);
  strew_release(all);
  strew_release(number);
  if (status != STREW_OK) return strew_release(in_order), status;
  strew_release(*ids);
  strew_release(*positions);
  *ids = renumbered;
  *positions = in_order;
  return STREW_OK;
}

/* The ids, and the position of each group's first element. */
struct numbered {
  strew_tensor *ids, *positions;
};

static strew_status number_by_sorting(const struct keyed *keyed, strew_key_order order, struct numbered *numbered,
                                      strew_error *error) {
  struct sorted sorted = {NULL, NULL, NULL};
  strew_status status = sort_keys(keyed, &sorted, error);
  if (status == STREW_OK) status = number_elements(&sorted, &numbered->ids, error);
  if (status == STREW_OK)
    status = strew_gather(sorted.order, 0, sorted.starts, STREW_DROP, &numbered->positions, error);
  sorted_release(&sorted);
  if (status == STREW_OK && order == STREW_KEYS_FIRST)
    status = number_by_position(&numbered->ids, &numbered->positions, error);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- whole call */

static strew_status number_keys(const struct keyed *keyed, strew_key_order order, struct numbered *numbered,
                                strew_error *error) {
  const int64_t none = 0;
  const struct device_ops *ops = keyed->device->ops;
  if (keyed->length && !ops->number_keys) return number_by_sorting(keyed, order, numbered, error);
  if (keyed->length)
    return ops->number_keys(keyed->call, keyed->device, keyed->count, keyed->keys, order, &numbered->ids,
                            &numbered->positions);
  strew_status status = strew_empty(keyed->device, STREW_INT64, 1, &none, &numbered->ids, error);
  return status == STREW_OK ? strew_empty(keyed->device, STREW_INT64, 1, &none, &numbered->positions, error) : status;
}

/* The keys are copies, so that later changes do not reach them. */
static strew_status take_keys(const struct keyed *keyed, strew_grouping *grouping, strew_error *error) {
  strew_status status = STREW_OK;
  for (int i = 0; i < keyed->count && status == STREW_OK; i++)
    status = strew_gather(keyed->keys[i], 0, grouping->groups.positions, STREW_DROP, &grouping->keys[i], error);
  return status;
}

static strew_status group_keys(struct keyed *keyed, strew_key_order order, strew_grouping **out, strew_error *error) {
  struct numbered numbered = {NULL, NULL};
  strew_grouping *made = NULL;
  strew_status status = number_keys(keyed, order, &numbered, error);
  if (status == STREW_OK) {
    strew_tensor *ids = numbered.ids;
    numbered.ids = NULL;
    status = grouping_create(keyed->call, ids, numbered.positions->sizes[0], false, keyed->count, &made);
  }
  if (status == STREW_OK) {
    made->groups.positions = grouping_seal(strew_retain(numbered.positions));
    status = take_keys(keyed, made, error);
  }
  strew_release(numbered.ids);
  strew_release(numbered.positions);
  if (status != STREW_OK) return strew_grouping_release(made), status;
  grouping_complete(made);
  return *out = made, STREW_OK;
}

strew_status strew_group_by(int count, strew_tensor *const keys[], strew_key_order order, strew_grouping **out,
                            strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "group_by")};
  CALL(call, "group_by", &inner, {"keys[1]", count > 0 ? keys[0] : NULL}, {"keys[2]", count > 1 ? keys[1] : NULL},
       {"keys[3]", count > 2 ? keys[2] : NULL}, {"keys[4]", count > 3 ? keys[3] : NULL},
       {"keys[5]", count > 4 ? keys[4] : NULL});
  struct keyed keyed = {.call = &call, .count = count, .keys = keys};
  strew_status status = check_keys(&keyed, order);
  if (status == STREW_OK) status = group_keys(&keyed, order, out, &inner);
  return report_inner(status, &inner, error);
}
