/* filter.c: an owner's part of a tile, of which it joins what its values bring and passes over the others.

   It reads the whole index, twice as much as it joins, or more. So it goes block by block: first it lists the rows that
   are its own, without branches, which would be guesses, and meanwhile asks for the next block's values; then it joins
   them, and meanwhile asks for what the next block brings. Otherwise it would wait for memory first, and then work
   while memory waits. */
#include "runtime/cpu/loops/index_loops.h"
#include "scattering.h"

CHOOSE_LOOPS(index)

enum { BLOCK = 2048, BATCH = 128 };

/* What rows begin .. end - 1 bring, which may lie beyond the tile, whose rows the next tile's follow as a rule. Of a
   src whose elements share no lines, only those of listed rows are worth asking for; that is left to the processor. */
ALWAYS_INLINE void fetch_rows(const struct tile *t, int64_t begin, int64_t end) {
  const uintptr_t rows = (uintptr_t)(end - begin), first = (uintptr_t)begin, src_row = (uintptr_t)t->src_row;
  if (src_row < CACHE_LINE) prefetch_l2((uintptr_t)t->src + first * src_row, rows * src_row);
}

/* Joins the listed rows; meanwhile rows next .. next + ahead - 1 are asked for. */
static void join_listed(const struct scatter_loops *loops, const struct tile *tile, const int64_t *list, int64_t count,
                        int64_t next, int64_t ahead) {
  int64_t batches = (count - 1) / BATCH + 1;
  for (int64_t b = 0; b < batches; b++, list += BATCH, count -= BATCH) {
    fetch_rows(tile, next + part_begin(ahead, batches, b), next + part_begin(ahead, batches, b + 1));
    loops->join(tile, count < BATCH ? count : BATCH, list);
  }
}

int64_t scatter_list_owned(const struct tile *tile, int64_t begin, int64_t end, int64_t *list, bool *nobodys) {
  const struct owned owned = {(uint64_t)tile->lowest, (uint64_t)tile->count, (uint64_t)tile->size};
  return index_loops()->list_owned(tile->index, begin, end, &owned, list, nobodys);
}

bool scatter_join_owned(const struct scatter_loops *loops, const struct tile *tile) {
  int64_t list[BLOCK];
  bool nobodys = false;
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = tile->rows - begin < BLOCK ? tile->rows : begin + BLOCK;
    int64_t count = scatter_list_owned(tile, begin, end, list, &nobodys);
    if (tile->columns == 1)
      join_listed(loops, tile, list, count, end, end - begin);
    else
      loops->join(tile, count, list);
  }
  return nobodys;
}
