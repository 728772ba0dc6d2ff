/* from_keys.c: groupings by keys; those of text and times are numbered by their order keys. A device may number keys in
   passes of its own (number_keys). Others are sorted stably, column by column, the last one first; a group begins where
   a key differs from the one before it. */
#include "groups.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>

/* ----------------------------------------------------------------------------------------------------------- checks */

/* A call and its keys. */
struct keyed {
  struct call *call;
  int count;
  strew_tensor *const *keys; /* as they are given, while they are checked; then their order keys */
  int64_t length;
  strew_device *device;
};

static strew_status check_key(const struct keyed *keyed, int i) {
  const strew_tensor *key = keyed->keys[i], *first = keyed->keys[0];
  RETURN_IF_FAILED(check_listed(keyed->call, "keys", i, key, MOVED));
  struct fault fault = {.code = STREW_ESHAPE, .argument = "keys"};
  if (key->rank > 1) fault.hint = "one key for each row: a column of the matrix, or several";
  if (key->rank != 1) return fail(keyed->call, fault, "has %d dimensions at [%d], expected 1", key->rank, i + 1);
  if (key->sizes[0] != first->sizes[0])
    return fail(keyed->call, fault, "has %" PRId64 " elements at [%d], %" PRId64 " at [1]: lengths must be equal",
                key->sizes[0], i + 1, first->sizes[0]);
  return check_listed_device(keyed->call, "keys", keyed->keys, i, 0);
}

static strew_status check_keys(struct keyed *keyed, strew_key_order order) {
  if (keyed->count < 1) return fail(keyed->call, FAULT(STREW_EARGUMENT, "keys"), "has no tensor, expected at least 1");
  if ((unsigned)order > STREW_KEYS_FIRST) return fail_unknown(keyed->call, "order", (int)order, STREW_KEYS_FIRST);
  for (int i = 0; i < keyed->count; i++) RETURN_IF_FAILED(check_key(keyed, i));
  keyed->length = keyed->keys[0]->sizes[0];
  keyed->device = keyed->keys[0]->storage->device;
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------------- by sorting */

/* The ids, and the position of each group's first element. */
struct numbered {
  strew_tensor *ids, *positions;
};

/* What sorting finds: positions in the order of keys; at each whether a group begins there. */
struct sorted {
  strew_tensor *order, *is_start;
};

/* Sorts `order`, NULL for that of positions, by a key. */
static strew_tensor *sort_by_key(struct steps *steps, strew_tensor *key, strew_tensor *order) {
  if (!order) return step_argsort(steps, key, 0, false, NULL);
  strew_tensor *moved = step_gather(steps, key, 0, order, STREW_DROP);
  return step_gather(steps, order, 0, step_argsort(steps, moved, 0, false, NULL), STREW_DROP);
}

strew_tensor *find_changes(struct steps *steps, strew_tensor *tensor, int dim, strew_tensor *into) {
  if (steps->status != STREW_OK) return NULL;
  const int64_t rest = tensor->sizes[dim] - 1;
  strew_tensor *later = step_narrow(steps, tensor, dim, 1, rest), *earlier = step_narrow(steps, tensor, dim, 0, rest);
  strew_tensor *differs = step_binary(steps, STREW_NE, later, earlier, into);
  if (!dtype_is_float(tensor->dtype)) return differs;
  strew_tensor *is_number = step_binary(steps, STREW_EQ, later, later, NULL);
  step_binary(steps, STREW_LOGICAL_OR, is_number, step_binary(steps, STREW_EQ, earlier, earlier, NULL), is_number);
  return step_binary(steps, STREW_LOGICAL_AND, differs, is_number, differs);
}

/* Marks in is_start the changes of a key. */
static void mark_changes(struct steps *steps, const struct sorted *sorted, strew_tensor *key) {
  const int mark = steps->count;
  strew_tensor *values = step_gather(steps, key, 0, sorted->order, STREW_DROP);
  strew_tensor *changes = find_changes(steps, values, 0, NULL);
  strew_tensor *marks = step_narrow(steps, sorted->is_start, 0, 1, key->sizes[0] - 1);
  step_binary(steps, STREW_LOGICAL_OR, marks, changes, marks);
  steps_keep(steps, mark, NULL);
}

/* There are elements. */
static struct sorted sort_keys(struct steps *steps, const struct keyed *keyed) {
  struct sorted sorted = {NULL, NULL};
  const int mark = steps->count;
  for (int i = keyed->count - 1; i >= 0; i--)
    sorted.order = steps_keep(steps, mark, sort_by_key(steps, keyed->keys[i], sorted.order));
  sorted.is_start = step_full(steps, keyed->device, STREW_BOOL, 1, &keyed->length, strew_bool(false));
  strew_tensor *first = step_narrow(steps, sorted.is_start, 0, 0, 1);
  STEP(steps, strew_fill(first, strew_bool(true), steps->error));
  for (int i = 0; i < keyed->count; i++) mark_changes(steps, &sorted, keyed->keys[i]);
  return sorted;
}

/* A new tensor with number[i] at order[i], a permutation: of distinct positions devices add integers to 0 in any order,
   which assignments would sort for. */
static strew_tensor *put_back(struct steps *steps, strew_tensor *order, strew_tensor *number) {
  static const strew_scatter_options add = {.reduction = STREW_SUM, .mode = STREW_DROP};
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *made = step_full(steps, order->storage->device, STREW_INT64, 1, order->sizes, strew_int(0));
  STEP(steps, strew_scatter(made, 0, order, strew_of(number), &add, &made, steps->error));
  return made;
}

/* The number of each element's group: of the starts up to it, minus 1. */
static strew_tensor *number_elements(struct steps *steps, const struct sorted *sorted) {
  const int mark = steps->count;
  strew_tensor *number = step_cumsum(steps, sorted->is_start, 0);
  step_binary(steps, STREW_SUB, number, 1, number);
  return steps_keep(steps, mark, put_back(steps, sorted->order, number));
}

/* Renumbers groups by the positions of their first elements. */
static struct numbered number_by_position(struct steps *steps, const struct keyed *keyed, struct numbered by_key) {
  strew_tensor **in_order = steps_place(steps),
               *by_position = step_argsort(steps, by_key.positions, 0, false, in_order);
  const int64_t groups = steps->status == STREW_OK ? by_position->sizes[0] : 0;
  strew_tensor *number = put_back(steps, by_position, step_count(steps, keyed->device, groups));
  return (struct numbered){step_gather(steps, number, 0, by_key.ids, STREW_DROP), *in_order};
}

static struct numbered number_by_sorting(struct steps *steps, const struct keyed *keyed, strew_key_order order) {
  const struct sorted sorted = sort_keys(steps, keyed);
  strew_tensor **found = steps_place(steps), **starts = steps_place(steps);
  struct numbered numbered = {.ids = number_elements(steps, &sorted)};
  STEP(steps, strew_nonzero(sorted.is_start, found, steps->error));
  STEP(steps, strew_flatten(*found, 0, -1, starts, steps->error));
  numbered.positions = step_gather(steps, sorted.order, 0, *starts, STREW_DROP);
  return order == STREW_KEYS_FIRST ? number_by_position(steps, keyed, numbered) : numbered;
}

/* ------------------------------------------------------------------------------------------------------- whole call */

static struct numbered number_keys(struct steps *steps, const struct keyed *keyed, strew_key_order order) {
  const struct group_ops *ops = keyed->device->ops->groups;
  strew_tensor **ids = steps_place(steps), **positions = steps_place(steps);
  if (keyed->length) {
    strew_status status = steps->status;
    TRY(status, ops->number_keys(keyed->call, keyed->device, keyed->count, keyed->keys, order, ids, positions));
    if (status == STREW_DECLINED) return number_by_sorting(steps, keyed, order);
    STEP(steps, status);
  } else {
    STEP(steps, strew_empty(keyed->device, STREW_INT64, 1, &keyed->length, ids, steps->error));
    STEP(steps, strew_empty(keyed->device, STREW_INT64, 1, &keyed->length, positions, steps->error));
  }
  return (struct numbered){*ids, *positions};
}

/* The order keys of one key, which has a list of its own. */
static strew_status find_order(const struct keyed *keyed, strew_tensor *key, enum order_key kind, strew_tensor **out) {
  strew_error *error = keyed->call->error;
  CALL_STEPS(call, steps, "group_by", error, {"keys", key, ORDERED});
  return steps_give(&steps, step_key(&steps, key, kind), out);
}

static struct numbered number_in_order(struct steps *steps, struct keyed *keyed, strew_key_order order) {
  struct keyed own = *keyed;
  const size_t size_bytes = (size_t)keyed->count * sizeof *own.keys;
  strew_context *context = tensor_context(keyed->keys[0]);
  strew_tensor **keys = memory_allocate(context, size_bytes); /* retained: they may be more than steps have places */
  struct numbered numbered = {NULL, NULL};
  if (!keys) STEP(steps, fail_memory(keyed->call, context, size_bytes));
  for (int i = 0; i < keyed->count && keys; i++) {
    keys[i] = NULL;
    if (dtype_is_number(keyed->keys[i]->dtype))
      keys[i] = strew_retain(keyed->keys[i]);
    else
      STEP(steps, find_order(keyed, keyed->keys[i], order == STREW_KEYS_FIRST ? KEY_EQUAL : KEY_SORTED, &keys[i]));
  }
  own.keys = keys;
  if (steps->status == STREW_OK) numbered = number_keys(steps, &own, order);
  for (int i = 0; i < keyed->count && keys; i++) strew_release(keys[i]);
  if (keys) memory_free(context, keys, size_bytes);
  return numbered;
}

/* The keys are copies, so that later changes do not reach them. */
static strew_status group_keys(struct keyed *keyed, strew_key_order order, strew_grouping **out) {
  STEPS(steps, keyed->call);
  strew_grouping *made = NULL;
  const struct numbered numbered = number_in_order(&steps, keyed, order);
  STEP(&steps, grouping_create(keyed->call, strew_retain(numbered.ids), numbered.positions->sizes[0], false,
                               keyed->count, &made));
  if (steps.status == STREW_OK) made->groups.positions = grouping_seal(strew_retain(numbered.positions));
  for (int i = 0; i < keyed->count; i++) {
    const bool is_number = dtype_is_number(keyed->keys[i]->dtype); /* DROP would give others a 0 */
    const strew_index_options options = {.mode = is_number ? STREW_DROP : STREW_ERROR};
    STEP(&steps, strew_gather_with(keyed->keys[i], 0, numbered.positions, &options, &made->keys[i], steps.error));
  }
  if (steps.status == STREW_OK)
    grouping_complete(*out = made);
  else
    strew_grouping_release(made);
  return steps_status(&steps);
}

#define KEY(number)                                                                                                    \
  { "keys[" #number "]", count >= (number) ? keys[(number)-1] : NULL, OWN_LIST }
strew_status strew_group_by_with(int count, strew_tensor *const keys[], const strew_group_by_options *options,
                                 strew_grouping **out, strew_error *error) {
  CALL(call, "group_by", error, KEY(1), KEY(2), KEY(3), KEY(4), KEY(5));
  OPTIONS(strew_group_by_options);
  struct keyed keyed = {.call = &call, .count = count, .keys = keys};
  RETURN_IF_FAILED(check_keys(&keyed, options->order));
  return group_keys(&keyed, options->order, out);
}
