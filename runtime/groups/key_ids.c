/* key_ids.c: strew_key_table: the ids of keys that come as tensors. On the CPU their words go through the hash table,
   block by block. On another device strew_group_by finds the distinct keys; only these, in order of appearance, are
   copied to the host and looked up there. */
#include "key_table.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_COLUMNS = STREW_MAX_RANK };

struct strew_key_table {
  struct key_table keys; /* retains its context */
  bool is_decided;       /* the dtypes */
  strew_dtype dtypes[MOST_COLUMNS];
};

static const char *const names[MOST_COLUMNS] = {"k1", "k2",  "k3",  "k4",  "k5",  "k6",  "k7",  "k8",
                                                "k9", "k10", "k11", "k12", "k13", "k14", "k15", "k16"};

strew_status strew_key_table_create(strew_context *context, int columns, strew_key_table **out, strew_error *error) {
  CALL(call, "key_table", error, {0});
  if (columns < 1 || columns > MOST_COLUMNS)
    return fail(&call, VALUED(STREW_EARGUMENT, "n", strew_int(columns)), "is %d, expected 1 to %d columns", columns,
                MOST_COLUMNS);
  ALLOCATE_NEW(strew_key_table *, table, &call, context, sizeof *table);
  *table = (strew_key_table){.keys = {.context = strew_context_retain(context), .columns = columns}};
  *out = table;
  return STREW_OK;
}

void strew_key_table_release(strew_key_table *table) {
  if (!table) return;
  strew_context *context = table->keys.context;
  key_table_release(&table->keys);
  memory_free(context, table, sizeof *table);
  strew_context_release(context);
}

int strew_key_table_columns(const strew_key_table *table) { return table->keys.columns; }
int64_t strew_key_table_size(const strew_key_table *table) { return table->keys.count; }

/* ---------------------------------------------------------------------------------------------------------- checks */

static strew_status check_key(const struct call *call, const strew_key_table *table, strew_tensor *const keys[],
                              int i) {
  const strew_tensor *key = keys[i];
  struct fault fault = {.code = STREW_ESHAPE, .argument = names[i]};
  char shape[TEXT_BYTES];
  RETURN_IF_FAILED(check_listed(call, "keys", i, key, 0));
  if (key->rank != 1)
    return fail(call, fault, "has shape %s, expected rank 1", text_of_sizes(key->rank, key->sizes, shape));
  if (key->sizes[0] != keys[0]->sizes[0])
    return fail(call, fault, "has %" PRId64 " elements, expected %" PRId64 ", as k1", key->sizes[0], keys[0]->sizes[0]);
  if (tensor_context(key) != table->keys.context) return fail_context(call, names[i], "belongs to");
  fault.code = STREW_EDEVICE;
  if (key->storage->device != keys[0]->storage->device)
    return fail(call, fault, "is on %s, expected %s, as k1", key->storage->device->name,
                keys[0]->storage->device->name);
  if (!table->is_decided || table->dtypes[i] == key->dtype) return STREW_OK;
  const strew_dtype promoted = dtype_promote(table->dtypes[i], key->dtype);
  const char *later = promoted == table->dtypes[i] ? "" : " from the first call on";
  const char *hint = hint_of(call, "strew_to(%s, %s)%s", names[i], strew_dtype_name(promoted), later);
  return fail(call, HINTED(STREW_EDTYPE, names[i], hint), "is %s, the keys before are %s", strew_dtype_name(key->dtype),
              strew_dtype_name(table->dtypes[i]));
}

/* --------------------------------------------------------------------------------------------------------- the CPU */

static strew_status ids_on_host(const struct call *call, struct key_table *table, strew_tensor *const keys[],
                                strew_tensor **out) {
  uint64_t rows[KEY_BLOCK * MOST_COLUMNS];
  int64_t n = keys[0]->sizes[0], before = table->count;
  strew_tensor *ids;
  strew_status status = tensor_create(call, keys[0]->storage->device, STREW_INT64, 1, &n, &ids);
  if (status != STREW_OK) return status;
  for (int64_t at = 0; at < n && status == STREW_OK; at += KEY_BLOCK) {
    int64_t length = n - at < KEY_BLOCK ? n - at : KEY_BLOCK;
    for (int c = 0; c < table->columns; c++) key_words_load(keys[c], at, length, rows + c, table->columns);
    status = key_table_ids(call, table, rows, length, (int64_t *)ids->storage->data + at);
  }
  if (status == STREW_OK) return *out = ids, STREW_OK;
  key_table_shrink(table, before);
  strew_release(ids);
  return status;
}

/* --------------------------------------------------------------------------------------------------- other devices */

/* Copies the distinct keys, in order of appearance, to the host, and looks them up there. */
static strew_tensor *look_up_groups(struct steps *steps, struct key_table *table, strew_grouping *grouping) {
  strew_tensor *here[MOST_COLUMNS], **ids = steps_place(steps);
  for (int c = 0; c < table->columns; c++) {
    STEP_INTO(steps, key, strew_grouping_key(grouping, c, key, steps->error));
    here[c] = NULL;
    if (steps->status == STREW_OK) here[c] = step_to(steps, *key, &tensor_context(*key)->cpu, (*key)->dtype);
  }
  STEP(steps, ids_on_host(steps->call, table, here, ids));
  return *ids;
}

static strew_status ids_on_device(const struct call *call, struct key_table *table, strew_tensor *const keys[],
                                  strew_tensor **out) {
  STEPS(steps, call);
  strew_grouping *grouping = NULL;
  const int64_t before = table->count;
  STEP(&steps, strew_group_by_with(table->columns, keys, &(strew_group_by_options){.order = STREW_KEYS_FIRST},
                                   &grouping, steps.error));
  strew_tensor *found = look_up_groups(&steps, table, grouping), **numbers = steps_place(&steps);
  strew_tensor *by_number = step_to(&steps, found, keys[0]->storage->device, STREW_INT64);
  STEP(&steps, strew_grouping_ids(grouping, numbers, steps.error));
  strew_tensor *ids = step_gather(&steps, by_number, 0, *numbers, STREW_ERROR);
  strew_grouping_release(grouping);
  if (steps.status != STREW_OK) key_table_shrink(table, before);
  return steps_give(&steps, ids, out);
}

/* -------------------------------------------------------------------------------------------------------- the call */

strew_status strew_key_table_ids(strew_key_table *table, strew_tensor *const keys[], strew_tensor **out,
                                 strew_error *error) {
  CALL(call, "key_table_ids", error, {"k1", keys[0]});
  for (int c = 1; c < table->keys.columns && c < MAX_OPERANDS; c++) {
    call.operands[c].name = names[c];
    call.operands[c].tensor = keys[c];
  }
  for (int c = 0; c < table->keys.columns; c++) RETURN_IF_FAILED(check_key(&call, table, keys, c));
  strew_device *device = keys[0]->storage->device;
  if (device->ops->host_memory)
    RETURN_IF_FAILED(ids_on_host(&call, &table->keys, keys, out));
  else if (!keys[0]->sizes[0])
    RETURN_IF_FAILED(tensor_create(&call, device, STREW_INT64, 1, keys[0]->sizes, out));
  else
    RETURN_IF_FAILED(ids_on_device(&call, &table->keys, keys, out));
  for (int c = 0; c < table->keys.columns; c++) table->dtypes[c] = keys[c]->dtype;
  table->is_decided = true;
  return STREW_OK;
}

strew_status strew_key_table_keys(const strew_key_table *table, int i, strew_device *device, strew_tensor **out,
                                  strew_error *error) {
  CALL(call, "key_table_keys", error, {0});
  const struct key_table *keys = &table->keys;
  if (i < 0 || i >= keys->columns)
    return fail(&call, VALUED(STREW_EINDEX, "i", strew_int(i)), "is %d, the table has %d columns", i, keys->columns);
  strew_dtype dtype = table->is_decided ? table->dtypes[i] : STREW_FLOAT32;
  strew_tensor *here;
  RETURN_IF_FAILED(tensor_create(&call, &keys->context->cpu, dtype, 1, &keys->count, &here));
  key_words_store(dtype, keys->rows + (keys->count ? i : 0), keys->columns, keys->count, here->storage->data);
  if (device == &keys->context->cpu) return *out = here, STREW_OK;
  strew_status status = strew_to(here, device, dtype, out, error);
  strew_release(here);
  return status;
}
