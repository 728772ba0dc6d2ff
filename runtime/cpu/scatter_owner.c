/* scatter_owner.c: an owner's part of a tile, of which it joins what its values bring and passes over the others.

   It reads the whole index, twice as much as it joins, or more. So it goes block by block: first it lists the rows that
   are its own, without branches, which would be guesses; then it joins them, and meanwhile asks for the next block.
   Otherwise it would wait for memory first, and then work while memory waits: 10 M float32 into 10 k places took two
   owners 12 ms, into 1 M 12.7; so 7.2 and 10. */
#include "index_loops.h"
#include "scatter.h"

CHOOSE_LOOPS(index)

enum { ROWS = 2048, PASSAGE = 128 };

/* What rows begin .. end - 1 bring, once: it comes into the second cache. What is asked for beyond the tile's last row
   is not read: hence no pointer arithmetic. */
static void fetch_rows(const struct tile *t, int64_t begin, int64_t end) {
  const uintptr_t rows = (uintptr_t)(end - begin), first = (uintptr_t)begin, src_row = (uintptr_t)t->src_row;
  const uintptr_t index = (uintptr_t)t->index + first * sizeof *t->index, src = (uintptr_t)t->src + first * src_row;
  for (uintptr_t at = 0; at < rows * sizeof *t->index; at += CACHE_LINE)
    __builtin_prefetch((const void *)(index + at), 0, 2);
  for (uintptr_t at = 0; at < rows * src_row; at += CACHE_LINE) __builtin_prefetch((const void *)(src + at), 0, 2);
}

/* Joins the listed rows; meanwhile rows next .. next + ahead - 1 are asked for. */
static void join_listed(const struct scatter_loops *loops, const struct tile *tile, const int64_t *list, int64_t count,
                        int64_t next, int64_t ahead) {
  int64_t passages = (count - 1) / PASSAGE + 1;
  for (int64_t p = 0; p < passages; p++, list += PASSAGE, count -= PASSAGE) {
    fetch_rows(tile, next + part_begin(ahead, passages, p), next + part_begin(ahead, passages, p + 1));
    loops->join(tile, count < PASSAGE ? count : PASSAGE, list);
  }
}

bool scatter_join_owned(const struct scatter_loops *loops, const struct tile *tile) {
  const struct owned owned = {(uint64_t)tile->lowest, (uint64_t)tile->count, (uint64_t)tile->size};
  int64_t list[ROWS + LIST_ROOM];
  bool nobodys = false;
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = tile->rows - begin < ROWS ? tile->rows : begin + ROWS;
    int64_t count = index_loops()->list_owned(tile->index, begin, end, &owned, list, &nobodys);
    if (tile->columns == 1)
      join_listed(loops, tile, list, count, end, end - begin);
    else
      loops->join(tile, count, list);
  }
  return nobodys;
}
