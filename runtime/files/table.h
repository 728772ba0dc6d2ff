/* table.h: tables of named tensors, for the file formats, see strew.h; and lists of words: the names of a table, and
   the words of a text column. */
#ifndef TABLE_H
#define TABLE_H

#include "runtime/base/context.h"

/* --------------------------------------------------------------------------------------------------------- words.c */

/* Different words, numbered from 0 in order of insertion, with a hash table to find a word's number. */
struct words {
  int64_t count, capacity;
  size_t *starts; /* of each word in `text` */
  char *text;     /* all words, each ending in a 0 */
  size_t used_bytes, text_bytes;
  uint64_t *slots; /* 2 * capacity of them, a power of two: see words.c */
  uint64_t seed;   /* of the hash, from the first slots on */
};

/* A list with several owners: a column that is read in chunks, and the tables of the chunks. */
struct shared_words {
  size_t references;
  struct words words;
};
/* A new empty list with one owner. */
strew_status shared_words_create(const struct call *call, strew_context *context, struct shared_words **out);
void shared_words_release(struct shared_words *shared, strew_context *context); /* NULL is fine */

/* Frees the memory and leaves an empty list: all zeros, as at the start. */
void words_release(struct words *words, strew_context *context);
/* Stores the number of a word in *out; adds the word if it is new. None of its bytes may be 0. */
strew_status words_number(const struct call *call, strew_context *context, struct words *words, const char *word,
                          size_t length, int64_t *out);
/* Makes room for one more word of that length. */
strew_status words_grow(const struct call *call, strew_context *context, struct words *words, size_t length);
/* A word that is to be numbered, and its hash. words_hash needs room for a word. */
struct found_word {
  const char *text;
  uint32_t length, hash;
};
uint32_t words_hash(const struct words *words, const char *word, size_t length);
/* Numbers words as words_number does, without allocating memory: returns how many, up to the first one that has no
   room. From any thread. */
size_t words_number_all(struct words *words, size_t count, const struct found_word *found, int64_t *codes);
/* Adds a name. A repeated one gets a number behind it that makes it new: x, x_2. */
strew_status words_add_name(const struct call *call, strew_context *context, struct words *words, const char *name,
                            size_t length);
/* Returns the number of a word, or -1 if it is unknown. */
int64_t words_find(const struct words *words, const char *word, size_t length);
/* True if word i is this one; false if there is no word i. */
bool words_is(const struct words *words, int64_t i, const char *word, size_t length);
/* Returns word i of 0..count-1; borrowed until the next one is added. */
const char *words_at(const struct words *words, int64_t i);

/* --------------------------------------------------------------------------------------------------------- table.c */

strew_status table_create(const struct call *call, strew_context *context, strew_table **out);
strew_context *table_context(const strew_table *table);
/* Adds a tensor and retains it. name NULL: the number of the entry, counted from 1. */
strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* The same for the name of a column that others may have, too: see words_add_name. */
strew_status table_add_column(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* Makes these the words of entry i; the table becomes one of their owners. */
void table_set_words(strew_table *table, int64_t i, struct shared_words *words);

#endif
