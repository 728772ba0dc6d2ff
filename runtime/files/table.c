/* table.c: named tensors in order, some with words for their codes. The number of a name in `names` is the index of its
   entry. */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct table_entry {
  strew_tensor *tensor;
  struct shared_words *words; /* of its codes; NULL: none */
};

struct strew_table {
  struct released released;
  strew_context *context; /* retained */
  int64_t count, capacity;
  struct table_entry *entries;
  struct words names;
  int64_t numbered; /* number of entries added without a name */
};

enum { INITIAL_CAPACITY = 8 };

/* All but its tensors, which are released. */
static void table_give_back(strew_context *context, struct released *released) {
  strew_table *table = (strew_table *)(void *)((char *)released - offsetof(strew_table, released));
  for (int64_t i = 0; i < table->count; i++) shared_words_release(table->entries[i].words, context);
  words_release(&table->names, context);
  memory_free(context, table->entries, (size_t)table->capacity * sizeof *table->entries);
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
  for (int64_t i = 0; i < table->count; i++) strew_release(table->entries[i].tensor);
  context_give_back(context, &table->released);
  strew_context_release(context);
}

/* -------------------------------------------------------------------------------------------------------- filling */

static strew_status table_grow(const struct call *call, strew_table *table) {
  int64_t capacity = table->capacity ? 2 * table->capacity : INITIAL_CAPACITY;
  size_t size_bytes = (size_t)capacity * sizeof *table->entries;
  size_t old_bytes = (size_t)table->capacity * sizeof *table->entries;
  ALLOCATE_NEW(struct table_entry *, entries, call, table->context, size_bytes);
  if (old_bytes) memcpy(entries, table->entries, old_bytes);
  memory_free(table->context, table->entries, old_bytes);
  table->entries = entries;
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
  table->entries[table->count++] = (struct table_entry){.tensor = strew_retain(tensor)};
  return STREW_OK;
}

strew_status table_add_column(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor) {
  if (table->count == table->capacity) RETURN_IF_FAILED(table_grow(call, table));
  RETURN_IF_FAILED(words_add_name(call, table->context, &table->names, name, strlen(name)));
  table->entries[table->count++] = (struct table_entry){.tensor = strew_retain(tensor)};
  return STREW_OK;
}

strew_status strew_table_add(strew_table *table, const char *name, strew_tensor *tensor, strew_error *error) {
  CALL(call, "table_add", error, {0});
  RETURN_IF_FAILED(operand_store(&call, tensor)); /* files read memory */
  return table_add(&call, table, name, tensor);
}

void table_set_words(strew_table *table, int64_t i, struct shared_words *words) {
  words->references++;
  shared_words_release(table->entries[i].words, table->context);
  table->entries[i].words = words;
}

/* The words of entry i as a list that no other table has. */
static strew_status own_words(const struct call *call, strew_table *table, int64_t i, struct shared_words **out) {
  struct shared_words *old = table->entries[i].words;
  if (!old) return shared_words_create(call, table->context, out);
  if (old->references > 1) return shared_words_copy(call, table->context, &old->words, old->words.count, out);
  old->references++;
  return *out = old, STREW_OK;
}

strew_status strew_table_add_word(strew_table *table, int64_t i, const char *word, strew_error *error) {
  CALL(call, "table_add_word", error, {0});
  int64_t number;
  char text[TEXT_BYTES];
  if (i < 0 || i >= table->count)
    return fail(&call, FAULT(STREW_EINDEX, "i"), "is %" PRId64 ", the table has %" PRId64 " tensors", i, table->count);
  if (table->entries[i].tensor->dtype == STREW_TEXT)
    return fail(&call, FAULT(STREW_EDTYPE, "i"), "is %" PRId64 ", a text, which has words of its own", i);
  struct shared_words *own;
  RETURN_IF_FAILED(own_words(&call, table, i, &own));
  int64_t count = own->words.count;
  strew_status status = words_number(&call, table->context, &own->words, word, strlen(word), &number);
  if (status == STREW_OK) table_set_words(table, i, own);
  shared_words_release(own, table->context);
  if (status != STREW_OK || number == count) return status;
  return fail(&call, FAULT(STREW_EVALUE, "words"), "has \"%s\" twice, expected different words",
              text_of_name(word, text));
}

/* -------------------------------------------------------------------------------------------------------- reading */

int64_t strew_table_count(const strew_table *table) { return table->count; }

bool strew_table_is_numbered(const strew_table *table) { return table->count && table->numbered == table->count; }

static const struct table_entry *find_entry(const strew_table *table, int64_t i) {
  return i >= 0 && i < table->count ? &table->entries[i] : NULL;
}

const char *strew_table_name(const strew_table *table, int64_t i) {
  return find_entry(table, i) ? words_at(&table->names, i) : NULL;
}

strew_tensor *strew_table_tensor(const strew_table *table, int64_t i) {
  const struct table_entry *entry = find_entry(table, i);
  return entry ? entry->tensor : NULL;
}

strew_tensor *strew_table_find(const strew_table *table, const char *name) {
  return name ? strew_table_tensor(table, words_find(&table->names, name, strlen(name))) : NULL;
}

const struct words *table_words(const strew_table *table, int64_t i) {
  const struct table_entry *entry = find_entry(table, i);
  if (!entry || strew_table_word_count(table, i) < 0) return NULL;
  return entry->words ? &entry->words->words : &entry->tensor->storage->words->shared->words;
}

int64_t strew_table_word_count(const strew_table *table, int64_t i) {
  const struct table_entry *entry = find_entry(table, i);
  if (!entry) return -1;
  return entry->words ? entry->words->words.count : strew_word_count(entry->tensor);
}

const char *strew_table_word(const strew_table *table, int64_t i, int64_t code) {
  return code < 0 || code >= strew_table_word_count(table, i) ? NULL : words_at(table_words(table, i), code);
}

strew_status strew_table_text(const strew_table *table, int64_t i, strew_tensor **out, strew_error *error) {
  const struct table_entry *entry = find_entry(table, i);
  struct word_list *list;
  CALL(call, "table_text", error, {"codes", entry ? entry->tensor : NULL, MOVED});
  if (strew_table_word_count(table, i) < 0)
    return fail(&call, FAULT(STREW_EINDEX, "i"), "is %" PRId64 ", expected a column with words", i);
  if (!entry->words) return *out = strew_retain(entry->tensor), STREW_OK;
  RETURN_IF_FAILED(text_list(&call, table->context, entry->words, &list));
  strew_status status = text_of_codes(&call, entry->tensor, list, out);
  word_list_release(list);
  return status;
}
