/* filter.c: the part of a tile that one owner joins; it skips the rows of others.

   An owner reads the whole index, twice as much as it joins, or more. It goes block by block. First it lists its own
   rows, without branches, which would be guesses, and prefetches the next block's index values. Then it joins them, and
   prefetches the next block's src. Otherwise it would wait for memory first, and memory for it later. */
#include "scattering.h"

/* The src of rows begin .. end - 1, which may lie past the tile: the next tile's rows follow as a rule. If elements
   share no cache line, only those of listed rows would be worth a prefetch: that is left to the hardware. */
ALWAYS_INLINE void prefetch_src(const struct tile *t, int64_t begin, int64_t end) {
  const uintptr_t rows = (uintptr_t)(end - begin), first = (uintptr_t)begin, row = (uintptr_t)t->source.row;
  if (row < CACHE_LINE) prefetch_l2((uintptr_t)t->source.src + first * row, rows * row);
}

/* Joins the listed rows; meanwhile prefetches rows next .. next + ahead - 1. */
static void join_listed(const struct scatter_loops *loops, const struct tile *tile, const int64_t *list, int64_t count,
                        int64_t next, int64_t ahead) {
  int64_t batches = (count - 1) / FILTER_BATCH + 1;
  for (int64_t b = 0; b < batches; b++, list += FILTER_BATCH, count -= FILTER_BATCH) {
    prefetch_src(tile, next + part_begin(ahead, batches, b), next + part_begin(ahead, batches, b + 1));
    loops->join(tile, count < FILTER_BATCH ? count : FILTER_BATCH, list);
  }
}

int64_t scatter_list_owned(const struct tile *tile, int64_t begin, int64_t end, int64_t *list, bool *out_of_range) {
  return index_loops()->list_owned(tile->source.index, begin, end, &tile->target.owned, list, out_of_range);
}

bool scatter_join_owned(const struct scatter_loops *loops, const struct tile *tile) {
  int64_t list[FILTER_BLOCK];
  bool out_of_range = false;
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = tile->rows - begin < FILTER_BLOCK ? tile->rows : begin + FILTER_BLOCK;
    int64_t count = scatter_list_owned(tile, begin, end, list, &out_of_range);
    if (tile->columns == 1)
      join_listed(loops, tile, list, count, end, end - begin);
    else
      loops->join(tile, count, list);
  }
  return out_of_range;
}
