/* words.c: see words.h. The hash table uses open addressing and is at most half full; a slot holds a word's number + 1,
   or 0. The table's address seeds the hash, so that no file can be made whose words all collide. */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INITIAL_CAPACITY = 8, INITIAL_TEXT_BYTES = 64 };

void words_release(struct words *words, strew_context *context) {
  memory_free(context, words->starts, (size_t)words->capacity * sizeof *words->starts);
  memory_free(context, words->slots, (size_t)words->capacity * 2 * sizeof *words->slots);
  memory_free(context, words->text, words->text_bytes);
  *words = (struct words){0};
}

strew_status shared_words_create(const struct call *call, strew_context *context, struct shared_words **out) {
  ALLOCATE_NEW(struct shared_words *, shared, call, context, sizeof *shared);
  *shared = (struct shared_words){.references = 1};
  *out = shared;
  return STREW_OK;
}

void shared_words_release(struct shared_words *shared, strew_context *context) {
  if (!shared || --shared->references) return;
  words_release(&shared->words, context);
  memory_free(context, shared, sizeof *shared);
}

const char *words_at(const struct words *words, int64_t i) { return words->text + words->starts[i]; }

size_t words_length(const struct words *words, int64_t i) {
  size_t end = i + 1 < words->count ? words->starts[i + 1] : words->used_bytes;
  return end - words->starts[i] - 1;
}

bool words_is(const struct words *words, int64_t i, const char *word, size_t length) {
  return i >= 0 && i < words->count && words_length(words, i) == length &&
         memcmp(words_at(words, i), word, length) == 0;
}

/* Hashes 8 bytes at a time: multiplies by an odd number and folds the high half into the low one. */
static uint64_t hash(const int64_t *slots, const char *word, size_t length) {
  uint64_t state = (uint64_t)(uintptr_t)slots + length;
  for (uint64_t chunk; length; word += sizeof chunk) {
    size_t step = length < sizeof chunk ? length : sizeof chunk;
    chunk = 0;
    memcpy(&chunk, word, step);
    state = (state ^ chunk) * 0x9e3779b97f4a7c15u;
    state ^= state >> 32;
    length -= step;
  }
  state *= 0xd6e8feb86659fd93u;
  return state ^ state >> 32;
}

/* Returns the slot of this word, or an empty one for it. There always is one: half of the slots are empty. */
static int64_t *find_slot(const struct words *words, const char *word, size_t length) {
  uint64_t mask = (uint64_t)words->capacity * 2 - 1, at = hash(words->slots, word, length) & mask;
  while (words->slots[at] && !words_is(words, words->slots[at] - 1, word, length)) at = (at + 1) & mask;
  return &words->slots[at];
}

int64_t words_find(const struct words *words, const char *word, size_t length) {
  return words->capacity ? *find_slot(words, word, length) - 1 : -1;
}

static strew_status grow_list(const struct call *call, strew_context *context, struct words *words) {
  struct words larger = *words;
  larger.capacity = words->capacity ? 2 * words->capacity : INITIAL_CAPACITY;
  const uint64_t starts_bytes = (uint64_t)larger.capacity * sizeof *larger.starts;
  const uint64_t slots_bytes = (uint64_t)larger.capacity * 2 * sizeof *larger.slots;
  larger.starts = memory_allocate(context, starts_bytes);
  larger.slots = larger.starts ? memory_allocate(context, slots_bytes) : NULL;
  if (!larger.slots) {
    memory_free(context, larger.starts, (size_t)starts_bytes);
    return fail_memory(call, context, starts_bytes + slots_bytes);
  }
  memset(larger.slots, 0, (size_t)slots_bytes);
  if (words->count) memcpy(larger.starts, words->starts, (size_t)words->count * sizeof *larger.starts);
  for (int64_t i = 0; i < words->count; i++) *find_slot(&larger, words_at(words, i), words_length(words, i)) = i + 1;
  memory_free(context, words->starts, (size_t)words->capacity * sizeof *words->starts);
  memory_free(context, words->slots, (size_t)words->capacity * 2 * sizeof *words->slots);
  *words = larger;
  return STREW_OK;
}

static strew_status grow_text(const struct call *call, strew_context *context, struct words *words, size_t more_bytes) {
  size_t text_bytes = words->text_bytes ? 2 * words->text_bytes : INITIAL_TEXT_BYTES;
  if (text_bytes - words->used_bytes < more_bytes) text_bytes = words->used_bytes + more_bytes;
  ALLOCATE_NEW(char *, text, call, context, text_bytes);
  if (words->used_bytes) memcpy(text, words->text, words->used_bytes);
  memory_free(context, words->text, words->text_bytes);
  words->text = text;
  words->text_bytes = text_bytes;
  return STREW_OK;
}

strew_status words_number(const struct call *call, strew_context *context, struct words *words, const char *word,
                          size_t length, int64_t *out) {
  strew_status status = STREW_OK;
  *out = words_find(words, word, length);
  if (*out >= 0) return STREW_OK;
  if (words->count == words->capacity) status = grow_list(call, context, words);
  if (status == STREW_OK && words->text_bytes - words->used_bytes <= length)
    status = grow_text(call, context, words, length + 1);
  if (status != STREW_OK) return status;
  *out = words->count++;
  words->starts[*out] = words->used_bytes;
  if (length) memcpy(words->text + words->used_bytes, word, length);
  words->text[words->used_bytes + length] = '\0';
  words->used_bytes += length + 1;
  *find_slot(words, word, length) = *out + 1;
  return STREW_OK;
}

/* ----------------------------------------------------------------------------------------------------------- lists */

strew_status word_list_create(const struct call *call, strew_context *context, struct shared_words *shared,
                              int64_t count, const struct text_ops *ops, struct word_list **out) {
  if (count > INT32_MAX)
    return fail(call, FAULT(STREW_EVALUE, NULL), "makes %" PRId64 " different words, a text has at most %d", count,
                INT32_MAX);
  ALLOCATE_NEW(struct word_list *, list, call, context, sizeof *list);
  *list = (struct word_list){.references = 1, .context = context, .shared = shared, .count = count, .ops = ops};
  shared->references++;
  return *out = list, STREW_OK;
}

struct word_list *word_list_retain(struct word_list *list) {
  list->references++;
  return list;
}

void word_list_release(struct word_list *list) {
  if (!list || --list->references) return;
  if (list->sorted != list) word_list_release(list->sorted);
  memory_free(list->context, list->ranks, (size_t)list->count * sizeof *list->ranks);
  shared_words_release(list->shared, list->context);
  memory_free(list->context, list, sizeof *list);
}

strew_status shared_words_copy(const struct call *call, strew_context *context, const struct words *from, int64_t count,
                               struct shared_words **out) {
  int64_t number;
  strew_status status = shared_words_create(call, context, out);
  for (int64_t i = 0; i < count && status == STREW_OK; i++) {
    status = words_number(call, context, &(*out)->words, words_at(from, i), words_length(from, i), &number);
    if (status != STREW_OK) shared_words_release(*out, context);
  }
  return status;
}

strew_status word_list_in(const struct call *call, strew_context *context, struct word_list *list,
                          struct word_list **out) {
  struct shared_words *shared;
  if (list->context == context) return *out = word_list_retain(list), STREW_OK;
  RETURN_IF_FAILED(shared_words_copy(call, context, &list->shared->words, list->count, &shared));
  strew_status status = word_list_create(call, context, shared, list->count, list->ops, out);
  shared_words_release(shared, context);
  return status;
}

void storage_set_words(struct storage *storage, struct word_list *list) {
  struct word_list *old = storage->words;
  storage->words = word_list_retain(list);
  word_list_release(old);
}

void text_mark(strew_tensor *codes, struct word_list *list) {
  storage_set_words(codes->storage, list);
  codes->dtype = STREW_TEXT;
  codes->storage->device->context->has_others = true;
}

/* ----------------------------------------------------------------------------------------------------------- names */

/* `text`: a name with room behind its `length` bytes. */
static bool has_numbered(const struct words *words, char *text, size_t length, int64_t number) {
  sprintf(text + length, "_%" PRId64, number);
  return words_find(words, text, strlen(text)) >= 0;
}

/* Names with many numbers have all the first ones, or nearly: doubling and halving finds an unused one. */
strew_status words_add_name(const struct call *call, strew_context *context, struct words *words, const char *name,
                            size_t length) {
  const size_t size_bytes = length + sizeof "_9223372036854775807";
  int64_t taken = 1, unused = 2, number;
  if (words_find(words, name, length) < 0) return words_number(call, context, words, name, length, &number);
  ALLOCATE_NEW(char *, text, call, context, size_bytes);
  memcpy(text, name, length);
  while (has_numbered(words, text, length, unused)) taken = unused, unused *= 2;
  while (unused - taken > 1) {
    const int64_t middle = taken + (unused - taken) / 2;
    *(has_numbered(words, text, length, middle) ? &taken : &unused) = middle;
  }
  has_numbered(words, text, length, unused);
  strew_status status = words_number(call, context, words, text, strlen(text), &number);
  memory_free(context, text, size_bytes);
  return status;
}
