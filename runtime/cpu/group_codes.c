/* group_codes.c: what the ways to number codes share: codes of a single column, positions of groups, sets of positions. */
#include "group_keys.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------------- codes */

void group_read_keys(const strew_tensor *key, int64_t first, int64_t count, uint64_t *keys) {
  const int64_t bytes = (int64_t)dtype_bytes(key->dtype), step = key->strides[0] * bytes;
  cpu_sort_keys(key->dtype, (const char *)key->storage->data + key->offset * bytes + first * step, step, count, keys);
}

void group_code_keys(const struct column *column, uint64_t *keys, int64_t count) {
  const uint64_t lowest = column->least, highest = column->most - column->least;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t code = keys[i] - lowest;
    keys[i] = code < highest ? code : highest;
  }
}

void each_codes(const struct numbering *n, int64_t begin, int64_t end,
                void (*work)(void *argument, const uint64_t *codes, int64_t first, int64_t count), void *argument) {
  uint64_t codes[KEYS_AT_ONCE];
  if (!n->column) {
    work(argument, n->codes + begin, begin, end - begin);
    return;
  }
  for (int64_t count; begin < end; begin += count) {
    count = least(KEYS_AT_ONCE, end - begin);
    group_read_keys(n->column->key, begin, count, codes);
    group_code_keys(n->column, codes, count);
    work(argument, codes, begin, count);
  }
}

strew_status make_positions(struct numbering *n, strew_tensor **positions) {
  if (!positions) return STREW_OK;
  strew_status status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->groups, positions);
  if (status == STREW_OK) n->positions = (*positions)->storage->data;
  return status;
}

/* -------------------------------------------------------------------------------------------------------------- bitmap */

static int64_t words_of(int64_t count) { return (count + 63) / 64; }

strew_status bitmap_open(const struct numbering *n, struct bitmap *bitmap) {
  const size_t words = (size_t)words_of(n->count);
  bitmap->bytes = words * (sizeof *bitmap->words + sizeof *bitmap->before);
  bitmap->words = memory_allocate(n->context, bitmap->bytes);
  if (!bitmap->words) return fail_memory(n->call, n->context, bitmap->bytes);
  bitmap->before = (int64_t *)(bitmap->words + words);
  memset(bitmap->words, 0, words * sizeof *bitmap->words);
  return STREW_OK;
}

void bitmap_close(const struct numbering *n, struct bitmap *bitmap) {
  memory_free(n->context, bitmap->words, bitmap->bytes);
}

void bitmap_count(const struct numbering *n, struct bitmap *bitmap, int64_t *positions) {
  int64_t found = 0;
  for (int64_t w = 0; w < words_of(n->count) && (w % CHUNK || !context_stops(n->context)); w++) {
    bitmap->before[w] = found;
    for (uint64_t word = bitmap->words[w]; word; word &= word - 1, found++)
      if (positions) positions[found] = w * 64 + __builtin_ctzll(word);
  }
}
