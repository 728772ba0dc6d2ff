/* table.c: named tensors in an order. Beside the entries lies an index by name: an open-addressing hash table, at most
   half full, whose slots hold an entry's number + 1, so that a file of a million names is no trouble. */
#include "table.h"

#include <string.h>

struct entry {
  char *name; /* a block of length + 1 bytes */
  strew_tensor *tensor;
};

struct strew_table {
  strew_context *context; /* retained */
  int64_t count, capacity;
  struct entry *entries;
  int64_t *slots; /* 2 * capacity, a power of two */
};

enum { FIRST_CAPACITY = 8 };

strew_status strew_table_create(strew_context *context, strew_table **out, strew_error *error) {
  struct call call = CALL("table_create", error, {0});
  return table_create(&call, context, out);
}

strew_status table_create(const struct call *call, strew_context *context, strew_table **out) {
  strew_table *table = memory_take(context, sizeof *table);
  if (!table) return fail_memory(call, context, sizeof *table);
  *table = (strew_table){.context = context};
  context->references++;
  *out = table;
  return STREW_OK;
}

static void give_lists(strew_table *table) {
  memory_give(table->context, table->entries, (size_t)table->capacity * sizeof *table->entries);
  memory_give(table->context, table->slots, (size_t)table->capacity * 2 * sizeof *table->slots);
}

void strew_table_release(strew_table *table) {
  if (!table) return;
  strew_context *context = table->context;
  for (int64_t i = 0; i < table->count; i++) {
    strew_release(table->entries[i].tensor);
    memory_give(context, table->entries[i].name, strlen(table->entries[i].name) + 1);
  }
  give_lists(table);
  memory_give(context, table, sizeof *table);
  strew_context_release(context);
}

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *name) {
  uint64_t state = 0xcbf29ce484222325u;
  for (; *name; name++) state = (state ^ (unsigned char)*name) * 0x100000001b3u;
  return state ^ state >> 29;
}

/* The slot that holds this name, or the empty one where it belongs. There is one: half of them are empty. */
static int64_t *find_slot(const strew_table *table, const char *name) {
  uint64_t mask = (uint64_t)table->capacity * 2 - 1, at = hash(name) & mask;
  while (table->slots[at] && strcmp(table->entries[table->slots[at] - 1].name, name) != 0) at = (at + 1) & mask;
  return &table->slots[at];
}

static strew_status grow(const struct call *call, strew_table *table) {
  strew_context *context = table->context;
  strew_table larger = *table;
  larger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
  size_t entries_bytes = (size_t)larger.capacity * sizeof *table->entries;
  size_t slots_bytes = (size_t)larger.capacity * 2 * sizeof *table->slots;
  larger.entries = memory_take(context, entries_bytes);
  larger.slots = larger.entries ? memory_take(context, slots_bytes) : NULL;
  if (!larger.slots) {
    memory_give(context, larger.entries, entries_bytes);
    return fail_memory(call, context, entries_bytes + slots_bytes);
  }
  memset(larger.slots, 0, slots_bytes);
  for (int64_t i = 0; i < table->count; i++) {
    larger.entries[i] = table->entries[i];
    *find_slot(&larger, table->entries[i].name) = i + 1;
  }
  give_lists(table);
  *table = larger;
  return STREW_OK;
}

strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor) {
  strew_status status = table->count == table->capacity ? grow(call, table) : STREW_OK;
  if (status != STREW_OK) return status;
  int64_t *slot = find_slot(table, name);
  char text[TEXT_BYTES];
  if (*slot)
    return fail(call, (struct fault){.code = STREW_EVALUE, .argument = "name"},
                "is \"%s\", which is in the table already", text_of_name(name, text));
  size_t name_bytes = strlen(name) + 1;
  char *copy = memory_take(table->context, name_bytes);
  if (!copy) return fail_memory(call, table->context, name_bytes);
  memcpy(copy, name, name_bytes);
  table->entries[table->count] = (struct entry){copy, strew_retain(tensor)};
  *slot = ++table->count;
  return STREW_OK;
}

strew_status strew_table_add(strew_table *table, const char *name, strew_tensor *tensor, strew_error *error) {
  struct call call = CALL("table_add", error, {0});
  return table_add(&call, table, name, tensor);
}

strew_context *table_context(const strew_table *table) { return table->context; }

int64_t strew_table_count(const strew_table *table) { return table->count; }

static bool is_entry(const strew_table *table, int64_t i) { return i >= 0 && i < table->count; }

const char *strew_table_name(const strew_table *table, int64_t i) {
  return is_entry(table, i) ? table->entries[i].name : NULL;
}
strew_tensor *strew_table_tensor(const strew_table *table, int64_t i) {
  return is_entry(table, i) ? table->entries[i].tensor : NULL;
}

strew_tensor *strew_table_find(const strew_table *table, const char *name) {
  int64_t i = table->capacity ? *find_slot(table, name) : 0;
  return i ? table->entries[i - 1].tensor : NULL;
}
