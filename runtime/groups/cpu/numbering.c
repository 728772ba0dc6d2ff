/* numbering.c: what the ways to number codes share: the codes of a column, ids, positions of groups, sets of
   positions. */
#include "numbering.h"

#include <string.h>

/* A phase of work, with its argument. */
struct phase_job {
  const struct numbering *n;
  phase *run;
  void *argument;
};

static void run_part(void *job_, int64_t part) {
  const struct phase_job *job = job_;
  const struct numbering *n = job->n;
  int64_t begin = part_begin(n->count, n->parts, part);
  const int64_t end = part_begin(n->count, n->parts, part + 1);
  for (int64_t next; begin < end && !context_stops(n->context); begin = next) {
    next = least(begin + CHUNK, end);
    job->run(job->argument, part, begin, next);
  }
}

strew_status run_phase(const struct numbering *n, phase *run, void *argument) {
  struct phase_job job = {n, run, argument};
  pool_run(n->context, n->parts, run_part, &job);
  return context_end(n->call, n->context, NULL);
}

/* ------------------------------------------------------------------------------------------------- keys of a column */

static const char *key_at(const struct column *column, int64_t element, int64_t *step) {
  const strew_tensor *key = column->key;
  const int64_t bytes = (int64_t)dtype_bytes(key->dtype);
  *step = key->strides[0] * bytes;
  return (const char *)key->storage->data + key->offset * bytes + element * *step;
}

static void read_keys(const struct column *column, int64_t first, int64_t count, uint64_t *keys) {
  int64_t step;
  const char *at = key_at(column, first, &step);
  cpu_sort_keys(column->key->dtype, at, step, count, keys);
}

void read_codes(const struct column *column, int64_t first, int64_t count, uint64_t *codes) {
  const uint64_t lowest = column->least, highest = column->most - column->least;
  read_keys(column, first, count, codes);
  for (int64_t i = 0; i < count; i++) {
    const uint64_t code = codes[i] - lowest;
    codes[i] = code < highest ? code : highest;
  }
}

/* Dense integers of type T: as unsigned ones, of type U, and with the highest bit turned, if they have a sign, they are
   the sort keys. */
#define INTEGERS(T, U, turned)                                                                                         \
  static void bound_##T(const void *at, int64_t count, struct column *column) {                                        \
    const T *x = at;                                                                                                   \
    T lowest = x[0], highest = x[0];                                                                                   \
    for (int64_t i = 1; i < count; i++) {                                                                              \
      lowest = x[i] < lowest ? x[i] : lowest;                                                                          \
      highest = x[i] > highest ? x[i] : highest;                                                                       \
    }                                                                                                                  \
    const uint64_t least_key = (U)((U)lowest ^ (turned)), most_key = (U)((U)highest ^ (turned));                       \
    column->least = least_key < column->least ? least_key : column->least;                                             \
    column->most = most_key > column->most ? most_key : column->most;                                                  \
  }                                                                                                                    \
  static void code_##T(const struct column *column, const void *at, int64_t count, uint32_t *codes) {                  \
    const T *x = at;                                                                                                   \
    const U lowest = (U)((U)column->least ^ (turned)), highest = (U)(column->most - column->least);                    \
    for (int64_t i = 0; i < count; i++) {                                                                              \
      const U code = (U)((U)x[i] - lowest);                                                                            \
      codes[i] = (uint32_t)(code < highest ? code : highest);                                                          \
    }                                                                                                                  \
  }
INTEGERS(int8_t, uint8_t, 0x80)
INTEGERS(uint8_t, uint8_t, 0)
INTEGERS(int16_t, uint16_t, 0x8000)
INTEGERS(int32_t, uint32_t, 0x80000000)
INTEGERS(int64_t, uint64_t, UINT64_C(0x8000000000000000))

/* The loops for dense keys of a dtype; NULL: there are none. */
static const struct integer_loops {
  void (*bound)(const void *at, int64_t count, struct column *column);
  void (*code)(const struct column *column, const void *at, int64_t count, uint32_t *codes);
} * loops_of(const strew_tensor *key) {
  static const struct integer_loops of[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, T) [STREW_##ENUM] = {bound_##T, code_##T},
      ROW(INT8, int8_t) ROW(UINT8, uint8_t) ROW(INT16, int16_t) ROW(INT32, int32_t) ROW(INT64, int64_t)};
  return key->strides[0] == 1 && of[key->dtype].code ? &of[key->dtype] : NULL;
}

void read_small_codes(const struct column *column, int64_t first, int64_t count, uint32_t *codes) {
  const struct integer_loops *loops = loops_of(column->key);
  uint64_t wide[CODES_BLOCK];
  int64_t step;
  if (loops) {
    loops->code(column, key_at(column, first, &step), count, codes);
    return;
  }
  read_codes(column, first, count, wide);
  for (int64_t i = 0; i < count; i++) codes[i] = (uint32_t)wide[i];
}

/* ----------------------------------------------------------------------------------------------------------- bounds */

/* What parts of the elements found. */
struct bounding {
  const strew_tensor *key;
  struct column of[NUMBERING_PARTS];
};

static void bound_elements(void *bounding_, int64_t part, int64_t begin, int64_t end) {
  struct bounding *bounding = bounding_;
  struct column *column = &bounding->of[part];
  const struct integer_loops *loops = loops_of(bounding->key);
  uint64_t keys[CODES_BLOCK];
  int64_t step;
  if (loops) loops->bound(key_at(column, begin, &step), end - begin, column);
  for (int64_t count; !loops && begin < end; begin += count) {
    count = least(CODES_BLOCK, end - begin);
    read_keys(column, begin, count, keys);
    for (int64_t i = 0; i < count; i++) {
      column->least = keys[i] < column->least ? keys[i] : column->least;
      column->most = keys[i] > column->most ? keys[i] : column->most;
    }
  }
}

strew_status find_bounds(const struct numbering *n, struct column *column) {
  const struct column unknown = {.key = column->key, .least = UINT64_MAX};
  struct bounding bounding = {.key = column->key};
  for (int64_t part = 0; part < n->parts; part++) bounding.of[part] = unknown;
  strew_status status = run_phase(n, bound_elements, &bounding);
  *column = unknown;
  for (int64_t part = 0; part < n->parts; part++) {
    const struct column *found = &bounding.of[part];
    column->least = found->least < column->least ? found->least : column->least;
    column->most = found->most > column->most ? found->most : column->most;
  }
  column->range = column->most - column->least + 1;
  return status;
}

/* --------------------------------------------------------------------------------------------------- ids, positions */

strew_status make_ids(const struct numbering *n, uint64_t groups, strew_tensor **ids) {
  const strew_dtype dtype = groups <= 1 << 8              ? STREW_UINT8
                            : groups <= 1 << 15           ? STREW_INT16
                            : groups <= (uint64_t)1 << 31 ? STREW_INT32
                                                          : STREW_INT64;
  return tensor_create(n->call, n->device, dtype, 1, &n->count, ids);
}

strew_status make_positions(struct numbering *n, strew_tensor **positions) {
  if (!positions) return STREW_OK;
  RETURN_IF_FAILED(tensor_create(n->call, n->device, STREW_INT64, 1, &n->groups, positions));
  return n->positions = (*positions)->storage->data, STREW_OK;
}

/* ----------------------------------------------------------------------------------------------------------- bitmap */

static int64_t words_of(int64_t count) { return (count + 63) / 64; }

strew_status bitmap_open(const struct numbering *n, struct bitmap *bitmap) {
  const uint64_t words = (uint64_t)words_of(n->count);
  bitmap->bytes = words * (sizeof *bitmap->words + sizeof *bitmap->before);
  ALLOCATE(bitmap->words, n->call, n->context, bitmap->bytes);
  bitmap->before = (int64_t *)(bitmap->words + words);
  memset(bitmap->words, 0, words * sizeof *bitmap->words);
  return STREW_OK;
}

void bitmap_close(const struct numbering *n, struct bitmap *bitmap) {
  memory_free(n->context, bitmap->words, bitmap->bytes);
}

void bitmap_count(const struct numbering *n, struct bitmap *bitmap) {
  int64_t found = 0;
  for (int64_t w = 0; w < words_of(n->count) && (w % CHUNK || !context_stops(n->context)); w++) {
    bitmap->before[w] = found;
    for (uint64_t word = bitmap->words[w]; word; word &= word - 1, found++)
      if (n->positions) n->positions[found] = w * 64 + __builtin_ctzll(word);
  }
}
