/* key_table.h: a hash table of distinct keys, numbered in order of appearance (key_table.c): of strew_key_table, and of
   codes of wide ranges (groups/cpu/number_by_hash.c). A key is a row of `columns` words of 8 bytes, canonical: equal
   elements are equal words. */
#ifndef KEY_TABLE_H
#define KEY_TABLE_H

#include "runtime/core/base/tensor.h"

/* All zeros but `columns` and `context` at the start. */
struct key_table {
  strew_context *context;
  int columns;
  int64_t count, capacity;
  uint64_t *rows; /* the keys by id, capacity * columns words */
  struct key_slot {
    uint64_t code;  /* the key's hash */
    int64_t number; /* its id + 1; 0: free */
  } * slots;
  uint64_t slot_count; /* at least 2 * capacity, a power of two */
};

enum { KEY_BLOCK = 256 }; /* rows that key_table_find looks up together, at most */

/* The hash of a row; of one word a bijection. Per word: multiplies by an odd number and folds the high half into the low
   one; once more at the end. */
static inline uint64_t key_hash(uint64_t seed, const uint64_t *row, const int columns) {
  for (int c = 0; c < columns; c++) {
    seed = (seed ^ row[c]) * 0x9e3779b97f4a7c15u;
    seed ^= seed >> 32;
  }
  seed *= 0xd6e8feb86659fd93u;
  return seed ^ seed >> 32;
}

/* Makes room for `more` keys. */
strew_status key_table_reserve(const struct call *call, struct key_table *table, int64_t more);
/* True if there is room for `more` keys. */
static inline bool key_table_has_room(const struct key_table *table, int64_t more) {
  return table->count + more <= table->capacity;
}
/* Writes the ids of at most KEY_BLOCK rows, for which there is room; new keys get the next numbers. Allocates
   nothing: for any thread. `ids` may be the memory of `rows`, of one column. */
void key_table_find(struct key_table *table, const uint64_t *rows, int64_t count, int64_t *ids);
/* The same for any number of rows, for which room is made. On failure the table may have some of the new keys: see
   key_table_shrink. */
strew_status key_table_ids(const struct call *call, struct key_table *table, const uint64_t *rows, int64_t count,
                           int64_t *ids);
/* Removes the keys from `count` on. */
void key_table_shrink(struct key_table *table, int64_t count);
void key_table_release(struct key_table *table);

/* Writes elements first .. first + count - 1 of a 1-D tensor in host memory as words, `step` words apart: their bits,
   but NaN and zero of floats without sign and payload. */
void key_words_load(const strew_tensor *tensor, int64_t first, int64_t count, uint64_t *to, int step);
/* The reverse: writes `count` words, `step` apart, as dense elements of dtype. */
void key_words_store(strew_dtype dtype, const uint64_t *from, int step, int64_t count, void *to);

#endif
