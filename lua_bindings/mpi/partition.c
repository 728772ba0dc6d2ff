/* partition.c: sorts index values stably by the rank that owns their row, as functions of distributed.lua. n rows are
   distributed in contiguous blocks; the first n % size ranks have one row more than the others. */
#include "ranks.h"

#include <math.h>
#include <string.h>

/* Values between checks for limits and Ctrl-C. */
enum { PACE = 1 << 20 };

/* Blocks of n rows, and the treatment of index values. */
struct blocks {
  int64_t n, *starts; /* starts[r] to starts[r + 1] - 1: rows of rank r */
  double ranks_per_row;
  strew_mode mode;
};

static struct blocks push_blocks(lua_State *L, int64_t n, const char *mode) {
  struct blocks blocks = {.n = n, .ranks_per_row = n ? (double)world.size / (double)n : 0};
  blocks.starts = lua_newuserdatauv(L, ((size_t)world.size + 1) * sizeof *blocks.starts, 0);
  for (int64_t r = 0; r <= world.size; r++)
    blocks.starts[r] = n / world.size * r + (r < n % world.size ? r : n % world.size);
  int value = STREW_ERROR;
  if (mode) strew_enum_from_word(STREW_WORDS_MODE, mode, &value, NULL);
  blocks.mode = (strew_mode)value;
  return blocks;
}

/* The row that a value names; -1: none, -2: the value is not valid. */
enum { DROPPED = -1, INVALID = -2 };
static inline int64_t row_of(const struct blocks *blocks, int64_t value) {
  if (value >= 0 && value < blocks->n) return value;
  switch (blocks->mode) {
  case STREW_WRAP: return value < 0 && value >= -blocks->n ? value + blocks->n : INVALID;
  case STREW_CLIP: return blocks->n == 0 ? INVALID : value < 0 ? 0 : blocks->n - 1;
  case STREW_DROP: return DROPPED;
  default: return INVALID;
  }
}

/* A division in float64 is wrong by one rank at most, at the border of a block. */
static inline int owner_of(const struct blocks *blocks, int64_t row) {
  int rank = (int)((double)row * blocks->ranks_per_row);
  if (rank >= world.size) rank = world.size - 1;
  while (row < blocks->starts[rank]) rank--;
  while (row >= blocks->starts[rank + 1]) rank++;
  return rank;
}

static void check_limits(lua_State *L) {
  strew_error error = {.alias = world.op};
  if (strew_context_check(strew_context_of(L), 0, &error) != STREW_OK) strew_raise(L, &error);
}

/* count(index, n, mode): the number of values for each rank, as a sequence; nil: a value is not valid. */
static int count(lua_State *L) {
  const int64_t *index = ranks_data(L, 1, STREW_INT64), k = strew_tensor_numel(strew_check(L, 1));
  struct blocks blocks = push_blocks(L, luaL_checkinteger(L, 2), lua_tostring(L, 3));
  int64_t *counts = lua_newuserdatauv(L, (size_t)world.size * sizeof *counts, 0);
  memset(counts, 0, (size_t)world.size * sizeof *counts);
  for (int64_t i = 0; i < k; i++) {
    int64_t row = row_of(&blocks, index[i]);
    if (row == INVALID) return 0;
    if (row >= 0) counts[owner_of(&blocks, row)]++;
    if (i % PACE == 0) check_limits(L);
  }
  return ranks_push(L, counts);
}

/* Others may write to the memory of a mapped file. */
static const char changed[] = "the index has changed during the call";

/* split(index, n, mode, counts, order, places): after count. The values, sorted by their owners: `order` (int64)
   receives the position of each in index, `places` (int64, or int32 if that holds all) its row in the owner's block. */
static int split(lua_State *L) {
  const int64_t *index = ranks_data(L, 1, STREW_INT64), k = strew_tensor_numel(strew_check(L, 1));
  struct blocks blocks = push_blocks(L, luaL_checkinteger(L, 2), lua_tostring(L, 3));
  bool is_narrow = strew_tensor_dtype(strew_check(L, 6)) == STREW_INT32;
  int64_t *order = ranks_data(L, 5, STREW_INT64);
  void *places = ranks_data(L, 6, is_narrow ? STREW_INT32 : STREW_INT64);
  int64_t *next = lua_newuserdatauv(L, 2 * (size_t)world.size * sizeof *next, 0), *end = next + world.size;
  const int64_t *counts = ranks_counts(L, 4, 1);
  int64_t total = 0, split_off = 0;
  for (int r = 0; r < world.size; r++) {
    next[r] = total;
    end[r] = total += counts[r];
  }
  for (int64_t i = 0; i < k; i++) {
    if (i % PACE == 0) check_limits(L);
    int64_t row = row_of(&blocks, index[i]);
    if (row < 0) continue;
    int rank = owner_of(&blocks, row);
    if (next[rank] == end[rank]) return luaL_error(L, changed);
    int64_t to = next[rank]++, place = row - blocks.starts[rank];
    split_off++;
    order[to] = i;
    if (is_narrow)
      ((int32_t *)places)[to] = (int32_t)place;
    else
      ((int64_t *)places)[to] = place;
  }
  return split_off == total ? 0 : luaL_error(L, changed);
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* A word with the value of a key: equal for keys that share a group. */
static uint64_t word_of(strew_scalar key) {
  uint64_t word;
  if (key.dtype != STREW_FLOAT64) return (uint64_t)key.as.i;
  double value = isnan(key.as.f) ? (double)NAN : key.as.f + 0.0; /* one NaN, and one zero */
  memcpy(&word, &value, sizeof word);
  return word;
}

/* Mixes a word into the hash of the words before it. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
  return hash ^ hash >> 32;
}

/* owners(owners, key, ...): writes for each element of the keys, of one dimension and equal length, the rank that owns
   it, by its hash, to the int64 tensor. */
static int owners(lua_State *L) {
  int64_t *to = ranks_data(L, 1, STREW_INT64), k = strew_tensor_numel(strew_check(L, 1));
  memset(to, 0, (size_t)k * sizeof *to);
  for (int column = 2; column <= lua_gettop(L); column++) {
    strew_dtype dtype = strew_tensor_dtype(strew_check(L, column));
    const char *key = ranks_data(L, column, dtype);
    for (int64_t i = 0; i < k; i++) {
      if (i % PACE == 0) check_limits(L);
      to[i] = (int64_t)mix((uint64_t)to[i], word_of(strew_scalar_load(dtype, key)));
      key += strew_dtype_size_bytes(dtype);
    }
  }
  for (int64_t i = 0; i < k; i++) to[i] = (int64_t)((uint64_t)to[i] % (uint64_t)world.size);
  return 0;
}

const luaL_Reg partition_functions[] = {{"count", count}, {"split", split}, {"owners", owners}, {NULL, NULL}};
