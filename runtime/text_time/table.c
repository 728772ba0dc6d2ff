/* table.c: named tensors in order. The number of a name in `names` is the index of its tensor. */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct strew_table {
  struct released released;
  strew_context *context; /* retained */
  int64_t count, capacity;
  strew_tensor **tensors;
  struct words names;
  int64_t numbered; /* number of tensors added without a name */
};

enum { INITIAL_CAPACITY = 8 };

/* All but its tensors, which are released. */
static void table_give_back(strew_context *context, struct released *released) {
  strew_table *table = (strew_table *)(void *)((char *)released - offsetof(strew_table, released));
  words_release(&table->names, context);
  memory_free(context, table->tensors, (size_t)table->capacity * sizeof *table->tensors);
  memory_free(context, table, sizeof *table);
}

strew_status strew_table_create(strew_context *context, strew_table **out, strew_error *error) {
  CALL(call, "table_create", error, {0});
  return table_create(&call, context, out);
}

strew_status table_create(const struct call *call, strew_context *context, strew_table **out) {
  ALLOCATE_NEW(strew_table *, table, call, context, sizeof *table);
  *table = (strew_table){.released = {NULL, table_give_back}, .context = strew_context_retain(context)};
  *out = table;
  return STREW_OK;
}

strew_context *table_context(const strew_table *table) { return table->context; }

void strew_table_release(strew_table *table) {
  if (!table) return;
  strew_context *context = table->context;
  for (int64_t i = 0; i < table->count; i++) strew_release(table->tensors[i]);
  context_give_back(context, &table->released);
  strew_context_release(context);
}

/* -------------------------------------------------------------------------------------------------------- filling */

static strew_status table_grow(const struct call *call, strew_table *table) {
  int64_t capacity = table->capacity ? 2 * table->capacity : INITIAL_CAPACITY;
  size_t size_bytes = (size_t)capacity * sizeof *table->tensors;
  size_t old_bytes = (size_t)table->capacity * sizeof *table->tensors;
  ALLOCATE_NEW(strew_tensor **, tensors, call, table->context, size_bytes);
  if (old_bytes) memcpy(tensors, table->tensors, old_bytes);
  memory_free(table->context, table->tensors, old_bytes);
  table->tensors = tensors;
  table->capacity = capacity;
  return STREW_OK;
}

strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor) {
  strew_status status = table->count == table->capacity ? table_grow(call, table) : STREW_OK;
  int64_t number = 0;
  char text[TEXT_BYTES], own[24];
  bool is_numbered = !name;
  if (is_numbered) {
    sprintf(own, "%" PRId64, table->count + 1);
    name = own;
  }
  TRY(status, words_number(call, table->context, &table->names, name, strlen(name), &number));
  if (status != STREW_OK) return status;
  if (number < table->count)
    return fail(call, FAULT(STREW_EVALUE, "name"), "is \"%s\", which is in the table already",
                text_of_name(name, text));
  table->numbered += is_numbered;
  table->tensors[table->count++] = strew_retain(tensor);
  return STREW_OK;
}

strew_status table_add_column(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor) {
  if (table->count == table->capacity) RETURN_IF_FAILED(table_grow(call, table));
  RETURN_IF_FAILED(words_add_name(call, table->context, &table->names, name, strlen(name)));
  table->tensors[table->count++] = strew_retain(tensor);
  return STREW_OK;
}

strew_status strew_table_add(strew_table *table, const char *name, strew_tensor *tensor, strew_error *error) {
  CALL(call, "table_add", error, {0});
  RETURN_IF_FAILED(operand_store(&call, tensor)); /* files read memory */
  return table_add(&call, table, name, tensor);
}

/* -------------------------------------------------------------------------------------------------------- reading */

int64_t strew_table_count(const strew_table *table) { return table->count; }

bool strew_table_is_numbered(const strew_table *table) { return table->count && table->numbered == table->count; }

const char *strew_table_name(const strew_table *table, int64_t i) {
  return i >= 0 && i < table->count ? words_at(&table->names, i) : NULL;
}

strew_tensor *strew_table_tensor(const strew_table *table, int64_t i) {
  return i >= 0 && i < table->count ? table->tensors[i] : NULL;
}

strew_tensor *strew_table_find(const strew_table *table, const char *name) {
  return name ? strew_table_tensor(table, words_find(&table->names, name, strlen(name))) : NULL;
}
