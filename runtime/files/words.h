/* words.h: a list of words, each numbered from 0 in the order of coming, that finds a word's number quickly: the names
   of a table, and what the codes of a text column stand for. */
#ifndef WORDS_H
#define WORDS_H

#include "runtime/context.h"

struct words {
  int64_t count, capacity;
  size_t *starts; /* of each word in `text` */
  char *text;     /* all of them, each with a 0 behind it */
  size_t used_bytes, text_bytes;
  int64_t *slots; /* 2 * capacity, a power of two: see words.c */
};

/* Starts as all zeros. */
void words_release(struct words *words, strew_context *context);
/* The number of these bytes, of which none is 0: an old one, or words->count, which grows. */
strew_status words_number(const struct call *call, strew_context *context, struct words *words, const char *word,
                          size_t length, int64_t *out);
/* The same without adding: -1 where it is unknown. */
int64_t words_find(const struct words *words, const char *word, size_t length);
/* Word i of 0..count-1; borrowed until the next one is added. */
const char *words_at(const struct words *words, int64_t i);

#endif
