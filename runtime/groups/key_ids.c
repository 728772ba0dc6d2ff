/* key_ids.c: strew_key_table: the ids of keys that come as tensors. On the CPU their words go through the hash table,
   block by block. On another device a sort numbers the distinct keys of each column, and of all columns together; only
   the distinct keys, in order of appearance, are copied to the host and looked up there. */
#include "key_table.h"
#include "runtime/base/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
  strew_scalar value = strew_int(columns);
  if (columns < 1 || columns > MOST_COLUMNS)
    return fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "n", .value = &value},
                "is %d, expected 1 to %d columns", columns, MOST_COLUMNS);
  strew_key_table *table = memory_allocate(context, sizeof *table);
  if (!table) return fail_memory(&call, context, sizeof *table);
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
  strew_status alive = check_alive(call, "keys", i, key);
  if (alive != STREW_OK) return alive;
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
  char hint[64];
  snprintf(hint, sizeof hint,
           promoted == table->dtypes[i] ? "strew_to(%s, %s)" : "strew_to(%s, %s) from the first call on", names[i],
           strew_dtype_name(promoted));
  return fail(call, (struct fault){.code = STREW_EDTYPE, .argument = names[i], .hint = hint},
              "is %s, the keys before are %s", strew_dtype_name(key->dtype), strew_dtype_name(table->dtypes[i]));
}

/* --------------------------------------------------------------------------------------------------------- the CPU */

static strew_status ids_on_host(const struct call *call, struct key_table *table, strew_tensor *const keys[],
                                strew_tensor **out) {
  enum { BLOCK = 256 };
  uint64_t rows[BLOCK * MOST_COLUMNS];
  int64_t n = keys[0]->sizes[0], before = table->count;
  strew_tensor *ids;
  strew_status status = tensor_create(call, keys[0]->storage->device, STREW_INT64, 1, &n, &ids);
  if (status != STREW_OK) return status;
  for (int64_t at = 0; at < n && status == STREW_OK; at += BLOCK) {
    int64_t length = n - at < BLOCK ? n - at : BLOCK;
    for (int c = 0; c < table->columns; c++) key_words_load(keys[c], at, length, rows + c, table->columns);
    status = key_table_ids(call, table, rows, length, (int64_t *)ids->storage->data + at);
  }
  if (status == STREW_OK) return *out = ids, STREW_OK;
  key_table_shrink(table, before);
  strew_release(ids);
  return status;
}

/* --------------------------------------------------------------------------------------------------- other devices */

/* Replaces *tensor by another one, which is owned. */
static void replace(strew_tensor **tensor, strew_tensor *other) {
  strew_release(*tensor);
  *tensor = other;
}

/* Numbers the distinct elements of a key. NaN are the last values of unique, a number for each: they get the first. */
static strew_status codes_of(strew_tensor *key, strew_tensor **codes, int64_t *count, strew_error *error) {
  strew_tensor *values = NULL, *is_number = NULL, *numbers = NULL;
  strew_scalar number_count;
  strew_status status = strew_unique(key, &values, codes, NULL, error);
  if (status == STREW_OK) *count = values->sizes[0];
  if (status == STREW_OK && dtype_is_float(key->dtype)) {
    status = strew_binary(STREW_EQ, strew_of(values), strew_of(values), &is_number, error);
    if (status == STREW_OK) status = strew_reduce(STREW_FOLD_SUM, is_number, 0, NULL, false, 0, &numbers, error);
    if (status == STREW_OK) status = strew_item(numbers, &number_count, error);
    if (status == STREW_OK && number_count.as.i < *count) {
      strew_operand highest = strew_number(number_count);
      *count = number_count.as.i + 1;
      status = strew_clamp(*codes, NULL, &highest, codes, error);
    }
  }
  strew_release(values);
  strew_release(is_number);
  strew_release(numbers);
  return status;
}

/* Joins the numbers so far with those of one more column, and numbers the pairs. */
static strew_status join_codes(strew_tensor **joined, strew_tensor *codes, int64_t count, strew_error *error) {
  strew_tensor *values = NULL, *numbers = NULL;
  strew_operand by = strew_number(strew_int(count));
  strew_status status = strew_binary(STREW_MUL, strew_of(*joined), by, joined, error);
  if (status == STREW_OK) status = strew_binary(STREW_ADD, strew_of(*joined), strew_of(codes), joined, error);
  if (status == STREW_OK) status = strew_unique(*joined, &values, &numbers, NULL, error);
  if (status == STREW_OK) replace(joined, numbers);
  strew_release(values);
  return status;
}

/* Numbers the distinct keys of all columns, in some order. */
static strew_status number_keys(int columns, strew_tensor *const keys[], strew_tensor **out, strew_error *error) {
  int64_t count;
  strew_status status = codes_of(keys[0], out, &count, error);
  for (int c = 1; c < columns && status == STREW_OK; c++) {
    strew_tensor *codes = NULL;
    status = codes_of(keys[c], &codes, &count, error);
    if (status == STREW_OK) status = join_codes(out, codes, count, error);
    strew_release(codes);
  }
  return status;
}

/* The position of the first key of each number, ascending, and those numbers in that order. */
static strew_status find_first(strew_tensor *numbers, strew_tensor **positions, strew_tensor **order,
                               strew_error *error) {
  strew_group_options options = STREW_GROUP_OPTIONS;
  strew_device *device = numbers->storage->device;
  strew_tensor *all = NULL, *first = NULL;
  options.reduction = STREW_AMIN;
  strew_status status =
      strew_arange(device, STREW_INT64, strew_int(0), strew_int(numbers->sizes[0]), strew_int(1), &all, error);
  if (status == STREW_OK) status = strew_group(all, numbers, &options, &first, NULL, error);
  if (status == STREW_OK) status = strew_sort(first, 0, false, positions, order, error);
  strew_release(all);
  strew_release(first);
  return status;
}

/* The ids of the keys at these positions, looked up on the host, as a tensor on the keys' device. */
static strew_status ids_at(const struct call *call, struct key_table *table, strew_tensor *const keys[],
                           strew_tensor *positions, strew_tensor **out, strew_error *error) {
  strew_tensor *here[MOST_COLUMNS] = {NULL}, *ids = NULL;
  strew_device *device = keys[0]->storage->device;
  strew_status status;
  int column = 0;
  do {
    strew_tensor *chosen = NULL, *key = keys[column];
    status = strew_index_select(key, 0, positions, STREW_ERROR, &chosen, error);
    if (status == STREW_OK) status = strew_to(chosen, &device->context->cpu, key->dtype, &here[column], error);
    strew_release(chosen);
  } while (status == STREW_OK && ++column < table->columns);
  if (status == STREW_OK) status = ids_on_host(call, table, here, &ids);
  if (status == STREW_OK) status = strew_to(ids, device, STREW_INT64, out, error);
  for (int c = 0; c < table->columns; c++) strew_release(here[c]);
  strew_release(ids);
  return status;
}

/* Puts ids, those of the keys `order`, at their keys' numbers, and gathers them for all elements. */
static strew_status spread_ids(strew_tensor *ids, strew_tensor *order, strew_tensor *numbers, strew_tensor **out,
                               strew_error *error) {
  static const strew_scatter_options assign = {.reduction = STREW_ASSIGN, .mode = STREW_ERROR};
  strew_tensor *by_number = NULL;
  strew_status status = strew_scatter(ids, 0, order, strew_of(ids), &assign, &by_number, error);
  if (status == STREW_OK) status = strew_gather(by_number, 0, numbers, STREW_ERROR, out, error);
  strew_release(by_number);
  return status;
}

static strew_status ids_on_device(const struct call *call, struct key_table *table, strew_tensor *const keys[],
                                  strew_tensor **out) {
  strew_tensor *numbers = NULL, *positions = NULL, *order = NULL, *ids = NULL;
  int64_t before = table->count;
  strew_status status = number_keys(table->columns, keys, &numbers, call->error);
  if (status == STREW_OK) status = find_first(numbers, &positions, &order, call->error);
  if (status == STREW_OK) status = ids_at(call, table, keys, positions, &ids, call->error);
  if (status == STREW_OK) status = spread_ids(ids, order, numbers, out, call->error);
  if (status != STREW_OK) key_table_shrink(table, before);
  strew_release(numbers);
  strew_release(positions);
  strew_release(order);
  strew_release(ids);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- the call */

strew_status strew_key_table_ids(strew_key_table *table, strew_tensor *const keys[], strew_tensor **out,
                                 strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "key_table_ids")};
  CALL(call, "key_table_ids", &inner, {"k1", keys[0]});
  strew_status status = STREW_OK;
  for (int c = 1; c < table->keys.columns && c < MAX_OPERANDS; c++) {
    call.operands[c].name = names[c];
    call.operands[c].tensor = keys[c];
  }
  for (int c = 0; c < table->keys.columns && status == STREW_OK; c++) status = check_key(&call, table, keys, c);
  if (status == STREW_OK) {
    strew_device *device = keys[0]->storage->device;
    if (device->ops->host_memory)
      status = ids_on_host(&call, &table->keys, keys, out);
    else if (!keys[0]->sizes[0])
      status = tensor_create(&call, device, STREW_INT64, 1, keys[0]->sizes, out);
    else
      status = ids_on_device(&call, &table->keys, keys, out);
  }
  for (int c = 0; c < table->keys.columns && status == STREW_OK; c++) table->dtypes[c] = keys[c]->dtype;
  table->is_decided |= status == STREW_OK;
  return report_inner(status, &inner, error);
}

strew_status strew_key_table_keys(const strew_key_table *table, int i, strew_device *device, strew_tensor **out,
                                  strew_error *error) {
  CALL(call, "key_table_keys", error, {0});
  const struct key_table *keys = &table->keys;
  strew_scalar value = strew_int(i);
  if (i < 0 || i >= keys->columns)
    return fail(&call, (struct fault){.code = STREW_EINDEX, .argument = "i", .value = &value},
                "is %d, the table has %d columns", i, keys->columns);
  strew_dtype dtype = table->is_decided ? table->dtypes[i] : STREW_FLOAT32;
  strew_tensor *here;
  strew_status status = tensor_create(&call, &keys->context->cpu, dtype, 1, &keys->count, &here);
  if (status != STREW_OK) return status;
  key_words_store(dtype, keys->rows + (keys->count ? i : 0), keys->columns, keys->count, here->storage->data);
  if (device == &keys->context->cpu) return *out = here, STREW_OK;
  status = strew_to(here, device, dtype, out, error);
  strew_release(here);
  return status;
}
