/* scatter_loops.c: the loops of scatter.inc for every dtype, and what they share: lists of a tile's own rows, and
   places fetched ahead of their turn. Memory is what a scatter waits for: the places that are due soon are known from
   the index, and asking for them early brought 19 ms to 16 (10 M float32 into 1 M places) and 44 to 23 (1 M rows of 64
   into 100 k); where places fit in a core's own cache it costs a little (10 k places: 12 to 14). */
#include "scatter.h"

enum { SELECT_ROWS = 1024, CACHE_LINE = 64 };
#define IS_NOBODYS(t, v) ((uint64_t)(v) >= (uint64_t)(t)->size)

/* Lists the rows from `begin` on, SELECT_ROWS at the most, whose values are the tile's; returns how many they are.
   Without a branch: whether a value is this tile's is as good as random. */
static int64_t select_rows(const struct tile *tile, int64_t begin, int64_t *select, bool *nobodys) {
  int64_t end = tile->rows - begin < SELECT_ROWS ? tile->rows : begin + SELECT_ROWS, count = 0;
  uint64_t lowest = (uint64_t)tile->lowest, owned = (uint64_t)tile->count, met = 0;
  for (int64_t i = begin; i < end; i++) {
    uint64_t value = (uint64_t)tile->index[i];
    select[count] = i;
    count += value - lowest < owned;
    met |= IS_NOBODYS(tile, value);
  }
  *nobodys |= met != 0;
  return count;
}

/* Where row i meets an operand. A wrong value gives a wrong address, which is never used: hence no
   pointer arithmetic. */
ALWAYS_INLINE uintptr_t address_ahead(const struct tile *t, const char *base, int64_t row, int64_t step, int64_t i) {
  return (uintptr_t)base + (uintptr_t)i * (uintptr_t)row + (uintptr_t)t->index[i] * (uintptr_t)step;
}

/* How many rows ahead a line and rows ask for their places. */
enum { LINE_AHEAD = 32, ROW_AHEAD = 8 };

ALWAYS_INLINE void fetch_place(const struct tile *t, int64_t i) {
  __builtin_prefetch((const void *)address_ahead(t, t->self, t->self_row, t->step, i), 1);
}

/* The first lines of so many bytes: the processor itself sees how it goes on. */
ALWAYS_INLINE void fetch_bytes(uintptr_t address, int64_t bytes) {
  enum { MOST_BYTES = 8 * CACHE_LINE };
  for (int64_t at = 0; at < bytes && at < MOST_BYTES; at += CACHE_LINE)
    __builtin_prefetch((const void *)(address + (uintptr_t)at), 1);
}

ALWAYS_INLINE void fetch_row(const struct tile *t, int64_t k, int64_t rows, const int64_t *select) {
  if (k + ROW_AHEAD >= rows) return;
  int64_t i = select ? select[k + ROW_AHEAD] : k + ROW_AHEAD;
  fetch_bytes(address_ahead(t, t->self, t->self_row, t->step, i), t->columns * t->self_column);
  if (t->arg) fetch_bytes(address_ahead(t, t->arg, t->arg_row, t->arg_step, i), t->columns * t->arg_column);
}

/* arg[j] = position where wins[j] is 1, as it is where it is 0. */
static void take_positions(int64_t *restrict arg, const uint32_t *restrict wins, int64_t count, int64_t position) {
  for (int64_t j = 0; j < count; j++) {
    const int64_t mask = -(int64_t)wins[j];
    arg[j] = (position & mask) | (arg[j] & ~mask);
  }
}

#define UNUSED_AT_TIMES __attribute__((unused))
#define LOOPS           "scatter.inc"
#include "each_dtype.h"

const struct scatter_loops *scatter_loops(strew_dtype dtype, strew_reduction reduction, bool with_arg) {
  static const struct scatter_loops *const loops[STREW_DTYPE_COUNT][2] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = {scatter_loops_##s, scatter_arg_loops_##s},
      STREW_DTYPES(ROW)
#undef ROW
  };
  if (dtype_is_half(dtype) && reduction == STREW_ASSIGN) dtype = STREW_INT16;
  return &loops[dtype][with_arg][reduction];
}

divide_row *scatter_divider(strew_dtype dtype) {
  static divide_row *const divide[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = divide_row_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return divide[dtype];
}

/* A tile that does not own all values first lists the rows whose values it owns, for a branch on each would be a guess.
 */
bool scatter_join(const struct scatter_loops *loops, const struct tile *tile) {
  int64_t select[SELECT_ROWS];
  bool nobodys = false;
  if (tile->count == tile->size) return loops->join(tile, tile->rows, NULL);
  for (int64_t begin = 0; begin < tile->rows; begin += SELECT_ROWS)
    loops->join(tile, select_rows(tile, begin, select, &nobodys), select);
  return nobodys;
}
