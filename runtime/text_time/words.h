/* words.h: words: the names of a table, and what the codes of a text stand for (words.c); texts (text.c). */
#ifndef STREW_WORDS_H
#define STREW_WORDS_H

#include "runtime/core/base/tensor.h"
#include "runtime/strew.h"

/* Different words, numbered from 0 in order of insertion, with a hash table to find a word's number. */
struct words {
  int64_t count, capacity;
  size_t *starts; /* of each word in `text` */
  char *text;     /* all words, each ending in a 0 */
  size_t used_bytes, text_bytes;
  uint64_t *slots;  /* 2 * capacity of them, a power of two: see words.c */
  uint64_t seed;    /* of the hash, from the first slots on */
  int64_t expected; /* words that may come, of which those so far suggest that most are new; 0: not known */
};

/* Such words with several owners, which may add to them: texts, and what reads them in chunks. */
struct shared_words {
  size_t references;
  bool is_ordered; /* their order is that of their numbers: no other word but the empty one comes to them */
  struct words words;
};
/* A new empty list with one owner. */
strew_status shared_words_create(const struct call *call, strew_context *context, struct shared_words **out);
void shared_words_release(struct shared_words *shared, strew_context *context); /* NULL is fine */
/* A new list of the first `count` words, in which they have the same hashes. */
strew_status shared_words_copy(const struct call *call, strew_context *context, const struct shared_words *from,
                               int64_t count, struct shared_words **out);

/* Frees the memory and leaves an empty list: all zeros, as at the start. */
void words_release(struct words *words, strew_context *context);
/* Stores the number of a word in *out; adds the word if it is new. None of its bytes may be 0. */
strew_status words_number(const struct call *call, strew_context *context, struct words *words, const char *word,
                          size_t length, int64_t *out);
/* Makes room for one more word of that length. */
strew_status words_grow(const struct call *call, strew_context *context, struct words *words, size_t length);
enum { WORDS_PER_LOOK = 4096, WORDS_AHEAD = 12 }; /* between two looks for an interruption; to prefetch */
/* A word that is to be numbered, and its hash. words_hash needs room for a word. */
struct found_word {
  const char *text;
  uint32_t length, hash;
};
uint32_t words_hash(const struct words *words, const char *word, size_t length);
/* The same as words_number of a word whose hash is known, of at most 2^32 - 1 bytes. */
strew_status words_number_hashed(const struct call *call, strew_context *context, struct words *words, const char *word,
                                 size_t length, uint32_t hash, int64_t *out);
/* Numbers a word as words_number does, without allocating memory: false if it has no room. From any thread. */
bool words_number_found(struct words *words, const struct found_word *found, int64_t *number);
/* Adds a name. A repeated one gets a number behind it that makes it new: x, x_2. */
strew_status words_add_name(const struct call *call, strew_context *context, struct words *words, const char *name,
                            size_t length);
/* Returns the number of a word, or -1 if it is unknown. */
int64_t words_find(const struct words *words, const char *word, size_t length);
/* True if word i is this one; false if there is no word i. */
bool words_is(const struct words *words, int64_t i, const char *word, size_t length);
/* Returns word i of 0..count-1; borrowed until the next one is added. */
static inline const char *words_at(const struct words *words, int64_t i) { return words->text + words->starts[i]; }
/* The number of bytes of word i. */
static inline size_t words_length(const struct words *words, int64_t i) {
  const size_t end = i + 1 < words->count ? words->starts[i + 1] : words->used_bytes;
  return end - words->starts[i] - 1;
}

/* The slot at which the search for a word with this hash begins. */
static inline uint64_t *words_first_slot(const struct words *words, uint32_t hash) {
  return &words->slots[hash & ((uint64_t)words->capacity * 2 - 1)];
}
/* Functions that only prefetch are inlined, because gcc drops their calls. */
#define INLINED static inline __attribute__((always_inline))
/* Prefetches that slot. The list has had room for a word. */
INLINED void words_prefetch_slot(const struct words *words, uint32_t hash) {
  __builtin_prefetch(words_first_slot(words, hash));
}
/* Prefetches words by number whose starts are in a cache; negative numbers are skipped. */
INLINED void words_prefetch_text(const struct words *words, size_t count, const int64_t *numbers) {
  for (size_t i = 0; i < count; i++)
    if (numbers[i] >= 0) __builtin_prefetch(words_at(words, numbers[i]));
}
/* The same, of any words. */
INLINED void words_prefetch(const struct words *words, size_t count, const int64_t *numbers) {
  for (size_t i = 0; i < count; i++)
    if (numbers[i] >= 0) __builtin_prefetch(&words->starts[numbers[i]]);
  words_prefetch_text(words, count, numbers);
}
#undef INLINED
/* True if the words are probably beyond the L2 cache, so that words_prefetch pays. */
static inline bool words_are_many(const struct words *words) { return words->count > 1 << 10; }

static inline struct found_word found_word_of(const struct words *words, const char *word, size_t length) {
  return (struct found_word){word, (uint32_t)length, words_hash(words, word, length)};
}

/* The search for many words, in batches. While one batch is filled, others wait for the memory that their next step
   reads. The steps of a batch:
   1. search_add hashes each word, and prefetches its slot.
   2. The slots give the numbers of words with the same hashes; where these words start is prefetched.
   3. The words themselves are prefetched.
   4. They are compared: another word may have the same hash.
   Each search_step does step 2 for the batch that it ends, step 3 for the one before, and step 4 for the one before
   that. */
enum { WORDS_AT_ONCE = 32, WORD_BATCHES = 3 };
struct word_search {
  int64_t filled; /* number of batches */
  struct word_batch {
    size_t count;
    struct found_word found[WORDS_AT_ONCE];
    int64_t numbers[WORDS_AT_ONCE]; /* once all steps are done; -1: unknown */
  } batches[WORD_BATCHES];
};
/* Adds a word; true if the batch is full. The list has had room for a word. */
static inline bool search_add(struct word_search *search, const struct words *words, const char *word, size_t length) {
  struct word_batch *batch = &search->batches[search->filled % WORD_BATCHES];
  batch->found[batch->count] = found_word_of(words, word, length);
  words_prefetch_slot(words, batch->found[batch->count].hash);
  return ++batch->count == WORDS_AT_ONCE;
}
/* Ends a batch. Returns that of two calls before, with its numbers; the caller empties it (count = 0). From any
   threads, if none adds a word to the list. */
struct word_batch *search_step(struct word_search *search, const struct words *words);

/* The words of a text, which storages of codes own: the first `count` of words that others may add to. It never changes,
   so that codes stay valid; a text that gets a new word gets a list that begins with these. */
struct word_list {
  size_t references;
  strew_context *context;
  struct shared_words *shared;
  int64_t count;
  struct word_list *sorted; /* the words in the order of their bytes, once needed; itself: they are */
  int32_t *ranks;           /* of each word there; NULL: it is sorted */
};
/* The first `count` words; one owner. */
strew_status word_list_create(const struct call *call, strew_context *context, struct shared_words *shared,
                              int64_t count, struct word_list **out);
struct word_list *word_list_retain(struct word_list *list);
void word_list_release(struct word_list *list); /* NULL is fine */
int64_t word_list_count(const struct word_list *list);
static inline const struct words *words_of(const struct word_list *list) { return &list->shared->words; }
static inline struct word_list *list_of(const strew_tensor *text) { return text->storage->words; }
/* True if all words of `part` have the same codes in `list`. */
static inline bool word_list_begins(const struct word_list *list, const struct word_list *part) {
  return list->shared == part->shared && list->count >= part->count;
}
/* See text_ops. */
bool call_words_begin(const struct call *call, const struct word_list *part);
/* See text_ops. */
strew_status word_list_in(const struct call *call, strew_context *context, struct word_list *list,
                          struct word_list **out);
void storage_set_words(struct storage *storage, struct word_list *list);
void text_mark(strew_tensor *codes, struct word_list *list);

/* ---------------------------------------------------------------------------------------------------------- text.c */

/* Makes a text of an int32 tensor that has its storage for itself, and codes of the words that `words` has now. */
strew_status text_take(const struct call *call, strew_tensor *codes, struct shared_words *words);
/* A new text of the words' codes, integers, which are checked. */
strew_status text_of_codes(const struct call *call, strew_tensor *codes, struct word_list *words, strew_tensor **out);
/* A new text of codes that need no check, of the words that `words` has now. */
strew_status text_of_shared(const struct call *call, strew_device *device, int rank, const int64_t *sizes,
                            const int32_t *codes, struct shared_words *words, strew_tensor **out);
/* A new dense tensor: table[code] of each code, int32 or int64; `table` has `count` elements of the dtype. */
strew_status text_look_up(const struct call *call, const strew_tensor *codes, strew_dtype dtype, int64_t count,
                          const void *table, strew_tensor **out);
/* See text_ops. */
strew_status text_meet(struct call *call);
strew_status text_align(const struct call *call, int64_t count, strew_tensor *const *texts, strew_tensor **out,
                        struct word_list **list);
/* The same in a list that grows. */
strew_status text_align_in(const struct call *call, struct word_list *first, int64_t count, strew_tensor *const *texts,
                           strew_tensor **out, struct word_list **list);
/* The list, or one that begins with it and ends in the empty word, which has the code. The caller releases it. */
strew_status text_with_empty(const struct call *call, struct word_list *list, struct word_list **out, int64_t *code);
/* The list of the first text whose words are ordered, for codes that compare, or not, so that other words are no failure;
   if there is none, of the first one. */
struct word_list *text_first_list(int64_t count, strew_tensor *const *texts, bool ordered);
/* See text_ops. */
strew_status text_full(const struct call *call, strew_device *device, const char *word, int rank, const int64_t *sizes,
                       strew_tensor **out);

/* Fails unless the tensor, called `name`, is text. */
strew_status text_check(const struct call *call, const char *name, const strew_tensor *text);

/* --------------------------------------------------------------------------------------------------------- order.c */

/* See text_ops. */
strew_status order_key(const struct call *call, const strew_tensor *x, enum order_key kind, strew_tensor **out);
strew_status order_from_key(const struct call *call, strew_tensor *keys, strew_dtype dtype, enum order_key kind);
strew_status order_comparable(const struct call *call, const char *name, strew_dtype dtype, strew_operand *x);
strew_status order_find_word(const struct call *call, const char *word, bool ordered, int64_t *code, int64_t *below);

/* ---------------------------------------------------------------------------------------------------------- time.c */

enum time_reading {
  TIME_NONE,    /* of another form */
  TIME_INVALID, /* of the form, but not in the calendar: a month 13 */
  TIME_BEYOND,  /* more microseconds than int64 holds */
  TIME_READ
};
/* Reads a whole text, apart from blanks around it; see strew_time_parse. There are no leap seconds. NULL in place of the
   format: dates with all three numbers and dashes, as files are searched for; "": any form of ISO 8601. */
enum time_reading time_read(const char *text, size_t length, const char *format, int64_t *time);
/* Reads the text of a time, the argument `name`; see strew_time_parse. */
strew_status time_from(const struct call *call, const char *name, const char *text, const char *format,
                       strew_scalar *out);
/* Why a text is no time, and how one looks. */
const char *time_fact(enum time_reading reading);
#define TIME_HINT "as 2024-05-17 or 2024-05-17T12:30:00.25+02:00; format reads other forms"
/* The letters behind % in a format of times. */
#define TIME_LETTERS "Y y m b B h d e j H I p M S f z a A T F R D"
/* Returns the first % of a format without such a letter, or the format itself if it has no letters; NULL if valid. */
const char *time_find_fault(const char *format);
/* Fails for a format of times that strew_time_parse does not take; that of a column, or NULL. */
strew_status check_time_format(const struct call *call, const char *argument, const char *column, const char *format);
/* As strew_scalar_text writes it; time.c. */
const char *text_of_time(int64_t time, char *text);

#endif
