/* words.c: see words.h. The hash table uses open addressing and is at most half full. A slot is 0, or holds a word's
   number + 1 and above it the word's hash, which tells nearly all other words apart without a look at their text. An
   address seeds the hash, so that no file can be made whose words all collide. */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INITIAL_CAPACITY = 8, INITIAL_TEXT_BYTES = 64, MOST_WORDS = 1 << 30, MOST_TIMES = 8 /* as large, at once */ };

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

bool words_is(const struct words *words, int64_t i, const char *word, size_t length) {
  return i >= 0 && i < words->count && words_length(words, i) == length &&
         memcmp(words_at(words, i), word, length) == 0;
}

/* Up to 8 bytes as a number; no other bytes are read. */
static uint64_t load_bytes(const char *at, size_t count) {
  uint64_t whole = 0;
  uint32_t first, last;
  if (count == sizeof whole) return memcpy(&whole, at, sizeof whole), whole;
  if (count < sizeof first) {
    for (size_t i = 0; i < count; i++) whole = whole << 8 | (unsigned char)at[i];
    return whole;
  }
  memcpy(&first, at, sizeof first);
  memcpy(&last, at + count - sizeof last, sizeof last);
  return (uint64_t)last << 32 | first;
}

/* Hashes 8 bytes at a time: multiplies by an odd number and folds the high half into the low one. */
uint32_t words_hash(const struct words *words, const char *word, size_t length) {
  uint64_t state = words->seed + length;
  while (length) {
    const size_t step = length < sizeof state ? length : sizeof state;
    state = (state ^ load_bytes(word, step)) * 0x9e3779b97f4a7c15u;
    state ^= state >> 32;
    word += step, length -= step;
  }
  state *= 0xd6e8feb86659fd93u;
  return (uint32_t)(state ^ state >> 32);
}

static int64_t number_in(uint64_t slot) { return (int64_t)(uint32_t)slot - 1; }
static uint64_t *next_slot(const struct words *words, const uint64_t *slot) {
  const int64_t next = slot + 1 - words->slots;
  return words->slots + (next < words->capacity * 2 ? next : 0);
}

/* Returns the slot of this word, or an empty one for it. There always is one: half of the slots are empty. */
static uint64_t *find_slot(const struct words *words, const char *word, size_t length, uint32_t hash) {
  uint64_t *slot = words_first_slot(words, hash);
  while (*slot && (*slot >> 32 != hash || !words_is(words, number_in(*slot), word, length)))
    slot = next_slot(words, slot);
  return slot;
}

int64_t words_find(const struct words *words, const char *word, size_t length) {
  if (!words->capacity) return -1;
  return number_in(*find_slot(words, word, length, words_hash(words, word, length)));
}

/* Enters those of another table's slots whose words `words` has too, with the same seed; it has none of them. */
static void enter_slots(struct words *words, const struct words *from) {
  for (int64_t i = 0; i < 2 * from->capacity; i++) {
    uint64_t *slot = words_first_slot(words, (uint32_t)(from->slots[i] >> 32));
    if (!from->slots[i] || number_in(from->slots[i]) >= words->count) continue;
    while (*slot) slot = next_slot(words, slot);
    *slot = from->slots[i];
  }
}

static strew_status grow_list(const struct call *call, strew_context *context, struct words *words) {
  struct words larger = *words;
  larger.capacity = words->capacity ? 2 * words->capacity : INITIAL_CAPACITY;
  const int64_t wanted = words->count + words->expected;
  while (larger.capacity < wanted && larger.capacity < MOST_TIMES * words->capacity) larger.capacity *= 2;
  const uint64_t starts_bytes = (uint64_t)larger.capacity * sizeof *larger.starts;
  const uint64_t slots_bytes = (uint64_t)larger.capacity * 2 * sizeof *larger.slots;
  if (words->count == MOST_WORDS) return fail_memory(call, context, starts_bytes + slots_bytes);
  larger.starts = memory_allocate(context, starts_bytes);
  larger.slots = larger.starts ? memory_allocate(context, slots_bytes) : NULL;
  if (!larger.slots) {
    memory_free(context, larger.starts, (size_t)starts_bytes);
    return fail_memory(call, context, starts_bytes + slots_bytes);
  }
  memset(larger.slots, 0, (size_t)slots_bytes);
  if (!words->seed) larger.seed = (uintptr_t)larger.slots;
  if (words->count) memcpy(larger.starts, words->starts, (size_t)words->count * sizeof *larger.starts);
  enter_slots(&larger, words);
  memory_free(context, words->starts, (size_t)words->capacity * sizeof *words->starts);
  memory_free(context, words->slots, (size_t)words->capacity * 2 * sizeof *words->slots);
  *words = larger;
  return STREW_OK;
}

static strew_status grow_text(const struct call *call, strew_context *context, struct words *words, size_t more_bytes) {
  size_t text_bytes = words->text_bytes ? 2 * words->text_bytes : INITIAL_TEXT_BYTES;
  if (words->expected) {
    const size_t each_bytes = words->used_bytes / (size_t)words->count + 1; /* rounded up */
    const size_t wanted_bytes = words->used_bytes + each_bytes * (size_t)words->expected;
    while (text_bytes < wanted_bytes && text_bytes < MOST_TIMES / 2 * words->text_bytes) text_bytes *= 2;
  }
  if (text_bytes - words->used_bytes < more_bytes) text_bytes = words->used_bytes + more_bytes;
  ALLOCATE_NEW(char *, text, call, context, text_bytes);
  if (words->used_bytes) memcpy(text, words->text, words->used_bytes);
  memory_free(context, words->text, words->text_bytes);
  words->text = text;
  words->text_bytes = text_bytes;
  return STREW_OK;
}

strew_status words_grow(const struct call *call, strew_context *context, struct words *words, size_t length) {
  strew_status status = words->count == words->capacity ? grow_list(call, context, words) : STREW_OK;
  if (status != STREW_OK || words->text_bytes - words->used_bytes > length) return status;
  return grow_text(call, context, words, length + 1);
}

/* The number of a word, which is added if it is new; -1: there is no room for it. */
static int64_t number_word(struct words *words, const char *word, size_t length, uint32_t hash) {
  uint64_t *slot = find_slot(words, word, length, hash);
  if (*slot) return number_in(*slot);
  if (words->count == words->capacity || words->text_bytes - words->used_bytes <= length) return -1;
  words->starts[words->count] = words->used_bytes;
  if (length) memcpy(words->text + words->used_bytes, word, length);
  words->text[words->used_bytes + length] = '\0';
  words->used_bytes += length + 1;
  *slot = (uint64_t)hash << 32 | (uint64_t)++words->count;
  return words->count - 1;
}

strew_status words_number(const struct call *call, strew_context *context, struct words *words, const char *word,
                          size_t length, int64_t *out) {
  if (length > UINT32_MAX)
    return fail(call, FAULT(STREW_EVALUE, NULL), "makes a word of %zu bytes, a text's have at most 2^32 - 1", length);
  strew_status status = words->capacity ? STREW_OK : words_grow(call, context, words, length);
  if (status != STREW_OK) return status;
  return words_number_hashed(call, context, words, word, length, words_hash(words, word, length), out);
}

strew_status words_number_hashed(const struct call *call, strew_context *context, struct words *words, const char *word,
                                 size_t length, uint32_t hash, int64_t *out) {
  while ((*out = number_word(words, word, length, hash)) < 0)
    RETURN_IF_FAILED(words_grow(call, context, words, length));
  return STREW_OK;
}

/* Step 2 of a search: stores the number of the first word with the same hash, or -1: the word is unknown. */
static void guess(const struct words *words, struct word_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    const uint32_t hash = batch->found[i].hash;
    const uint64_t *slot = words_first_slot(words, hash);
    while (*slot && *slot >> 32 != hash) slot = next_slot(words, slot);
    batch->numbers[i] = number_in(*slot);
    if (*slot) __builtin_prefetch(&words->starts[batch->numbers[i]]);
  }
}

/* Step 4. */
static void check(const struct words *words, struct word_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    const struct found_word *word = &batch->found[i];
    if (batch->numbers[i] >= 0 && !words_is(words, batch->numbers[i], word->text, word->length))
      batch->numbers[i] = number_in(*find_slot(words, word->text, word->length, word->hash));
  }
}

struct word_batch *search_step(struct word_search *search, const struct words *words) {
  const int64_t filled = search->filled++;
  struct word_batch *before = &search->batches[(filled + 2) % WORD_BATCHES],
                    *done = &search->batches[(filled + 1) % WORD_BATCHES];
  guess(words, &search->batches[filled % WORD_BATCHES]);
  words_prefetch_text(words, before->count, before->numbers);
  check(words, done);
  return done;
}

bool words_number_found(struct words *words, const struct found_word *found, int64_t *number) {
  return (*number = number_word(words, found->text, found->length, found->hash)) >= 0;
}

/* ----------------------------------------------------------------------------------------------------------- lists */

strew_status word_list_create(const struct call *call, strew_context *context, struct shared_words *shared,
                              int64_t count, struct word_list **out) {
  if (count > INT32_MAX)
    return fail(call, FAULT(STREW_EVALUE, NULL), "makes %" PRId64 " different words, a text has at most %d", count,
                INT32_MAX);
  ALLOCATE_NEW(struct word_list *, list, call, context, sizeof *list);
  *list = (struct word_list){.references = 1, .context = context, .shared = shared, .count = count};
  if (shared->is_ordered) list->sorted = list;
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

int64_t word_list_count(const struct word_list *list) { return list->count; }

/* Copies the first `count` words and the seed: hashes in one list are those of the other. `to` is empty, and then has
   room for slots, as `from` has. */
static strew_status copy_words(const struct call *call, strew_context *context, const struct words *from, int64_t count,
                               struct words *to) {
  const size_t used_bytes = count < from->count ? from->starts[count] : from->used_bytes;
  to->seed = from->seed;
  while (!to->capacity || to->capacity < count) RETURN_IF_FAILED(grow_list(call, context, to));
  RETURN_IF_FAILED(grow_text(call, context, to, used_bytes));
  memcpy(to->starts, from->starts, (size_t)count * sizeof *to->starts);
  if (used_bytes) memcpy(to->text, from->text, used_bytes);
  to->count = count, to->used_bytes = used_bytes;
  enter_slots(to, from);
  return STREW_OK;
}

strew_status shared_words_copy(const struct call *call, strew_context *context, const struct shared_words *from,
                               int64_t count, struct shared_words **out) {
  const struct words *words = &from->words;
  RETURN_IF_FAILED(shared_words_create(call, context, out));
  (*out)->is_ordered = from->is_ordered;
  const strew_status status = words->capacity ? copy_words(call, context, words, count, &(*out)->words) : STREW_OK;
  if (status != STREW_OK) shared_words_release(*out, context);
  return status;
}

strew_status word_list_in(const struct call *call, strew_context *context, struct word_list *list,
                          struct word_list **out) {
  struct shared_words *shared;
  if (list->context == context) return *out = word_list_retain(list), STREW_OK;
  RETURN_IF_FAILED(shared_words_copy(call, context, list->shared, list->count, &shared));
  strew_status status = word_list_create(call, context, shared, list->count, out);
  shared_words_release(shared, context);
  return status;
}

bool call_words_begin(const struct call *call, const struct word_list *part) {
  if (!call->words) return false;
  return word_list_begins(call->words, part) || (call->recoded && word_list_begins(call->recoded->from, part));
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

/* Names with many numbers have all the first ones, or nearly: doubling and halving finds an unused one. Each round of
   the search has another number, and finds one of finitely many words. */
strew_status words_add_name(const struct call *call, strew_context *context, struct words *words, const char *name,
                            size_t length) {
  const size_t size_bytes = length + sizeof "_9223372036854775807";
  int64_t taken = 1, unused = 2, number;
  if (words_find(words, name, length) < 0) return words_number(call, context, words, name, length, &number);
  ALLOCATE_NEW(char *, text, call, context, size_bytes);
  memcpy(text, name, length);
  while (has_numbered(words, text, length, unused)) taken = unused, unused += unused <= INT64_MAX / 2 ? unused : -1;
  while (unused - taken > 1) {
    const int64_t middle = taken + (unused - taken) / 2;
    *(has_numbered(words, text, length, middle) ? &taken : &unused) = middle;
  }
  has_numbered(words, text, length, unused);
  strew_status status = words_number(call, context, words, text, strlen(text), &number);
  memory_free(context, text, size_bytes);
  return status;
}
