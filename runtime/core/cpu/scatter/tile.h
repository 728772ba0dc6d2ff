/* tile.h: the unit of scatter's loops: a tile, whose rows are walked in turn, with what is prefetched on the way. */
#ifndef STREW_TILE_H
#define STREW_TILE_H

#include "runtime/core/cpu/core_loops.h"
#include "runtime/core/cpu/prefetch.h"

/* Where contributions lie: `columns` for each row, row i's at src + i row + j column, in bytes. */
struct source {
  const int64_t *index;
  const char *src;
  int64_t row, column;
};

/* Where they go: row i, column j of index value ix to self + i row + j column + ix step, in bytes. */
struct target {
  char *self;
  int64_t row, column, step;
  struct owned owned; /* index values that this thread joins; it skips the others' and those out of range */
};

/* Positions of winners, which lie as the target does. */
struct winners {
  char *arg; /* NULL: none are wanted */
  int64_t row, column, step;
  int64_t position, position_row; /* of the first row; from row to row. The columns of a row share it */
  int64_t none;                   /* the position of a destination that has received nothing, if `fresh` */
  bool fresh;
};

/* How memory is prefetched: the tuning, as it applies to one tile. */
struct prefetching {
  bool dst;                     /* each destination, some rows ahead: they do not fit in the caches */
  bool blocked;                 /* a line of unit stride goes in chunks, which prefetch destinations and streams */
  bool streams;                 /* chunks prefetch the streams even if they do not prefetch destinations */
  bool nta, foresees_order;     /* columns of the tuning */
  struct stream index, src;     /* the streams */
  int64_t dst_ahead, row_ahead; /* rows: distance of destinations in a blocked line; of rows of several columns */
};

struct tile {
  int64_t rows, columns;
  struct source source;
  struct target target;
  int64_t flip; /* of extremes: see scatter_flip */
  struct winners winners;
  winner_row *winner; /* of this instruction set, for rows of unit stride; NULL: there is none */
  struct prefetching prefetch;
};

/* Lines: the first is a tile, and each lies that far from the one before. */
struct lines {
  int64_t count, index_values, self_bytes, src_bytes;
  int64_t ahead; /* lines: distance in which their destinations are prefetched; 0: they are not */
};

/* --------------------------------------------------------------------------------------------------------- rows */

/* Returns the rows begin .. end - 1 of a tile. */
static inline struct tile tile_rows(const struct tile *tile, int64_t begin, int64_t end) {
  struct tile rows = *tile;
  rows.rows = end - begin;
  rows.source.index += begin;
  rows.target.self += begin * tile->target.row;
  rows.source.src += begin * tile->source.row;
  rows.prefetch.index.at += (uintptr_t)begin * rows.prefetch.index.step;
  rows.prefetch.src.at += (uintptr_t)begin * rows.prefetch.src.step;
  return rows;
}

/* Returns the k-th row of the list `select`, or of the tile if that is NULL. */
ALWAYS_INLINE int64_t row_at(const int64_t *select, int64_t k) { return select ? select[k] : k; }

/* Over rows begin .. end - 1 of a tile, or of the list `select`, whose index values are in range. Others are tested on
   the way, at no cost, because loops wait for memory: `out_of_range` is set if there is one. k counts the rows; i is
   the row, ix its index value. */
#define EACH_ROW(t, begin, end, select)                                                                                \
  for (int64_t k = (begin), i, ix; k < (end); k++)                                                                     \
    if (i = row_at(select, k), ix = (t)->source.index[i], !(select) && OUT_OF_RANGE(&(t)->target.owned, ix))           \
      out_of_range = true;                                                                                             \
    else

/* ------------------------------------------------------------------------------------------------- destinations */

ALWAYS_INLINE struct selection destinations(const struct tile *t) {
  return (struct selection){t->source.index, t->target.self, t->target.row, t->target.step};
}

ALWAYS_INLINE void prefetch_dst(const struct tile *t, int64_t i) {
  const struct selection dst = destinations(t);
  prefetch_write(selected_address(&dst, i), 1);
}

/* Returns the distance for a chunk with `left` rows after it: the same for all of its rows, or 0. A test for each row
   would cost more than the last ones that are not prefetched (amax, 10 M float32 into 1 M: 8.1 ms -> 7.8, int32 9.1 ->
   7.3; Zen 5). */
ALWAYS_INLINE int64_t dst_distance(int64_t left, int64_t ahead) { return left < ahead ? 0 : ahead; }

/* Index and src of the rows from i on. For dtypes narrower than 8 bytes some lines are prefetched twice: a number of
   bytes that is not a constant would cost more. */
ALWAYS_INLINE void prefetch_chunk(const struct tile *t, int64_t i, const uintptr_t rows, const uintptr_t src_bytes) {
  prefetch_stream(t->prefetch.index, t->prefetch.nta, i, rows * sizeof *t->source.index);
  prefetch_stream(t->prefetch.src, t->prefetch.nta, i, rows * src_bytes);
}

/* -------------------------------------------------------------------------------------------------------- lines */

/* The destinations of line k + lines->ahead. */
ALWAYS_INLINE void prefetch_line(const struct tile *line, const struct lines *lines, int64_t k) {
  if (!lines->ahead || k + lines->ahead >= lines->count) return;
  struct selection later = destinations(line);
  later.index += lines->ahead * lines->index_values;
  later.base += lines->ahead * lines->self_bytes;
  for (int64_t i = 0; i < line->rows; i++) prefetch_write(selected_address(&later, i), 1);
}

ALWAYS_INLINE void go_to_line(struct tile *line, const struct tile *first, const struct lines *lines, int64_t k) {
  line->source.index = first->source.index + k * lines->index_values;
  line->target.self = first->target.self + k * lines->self_bytes;
  line->source.src = first->source.src + k * lines->src_bytes;
  prefetch_line(line, lines, k);
}

/* Over lines: *line is each in turn. */
#define EACH_LINE(line, first, lines)                                                                                  \
  for (int64_t at = 0; at < (lines)->count && (go_to_line(line, first, lines, at), true); at++)

/* ------------------------------------------------------------------------------------- rows of several columns */

ALWAYS_INLINE int64_t src_row_ahead(const struct tile *t) { return t->prefetch.row_ahead + SRC_ROWS_FURTHER; }

/* What row k prefetches: its successor's destination and, further ahead, src. Rows picked by a list defeat every
   hardware prefetcher, rows in order only some. */
ALWAYS_INLINE void prefetch_rows(const struct tile *t, int64_t k, int64_t rows, const int64_t *select) {
  if (k + t->prefetch.row_ahead >= rows) return;
  const int64_t i = row_at(select, k + t->prefetch.row_ahead), later = k + src_row_ahead(t);
  const struct selection dst = destinations(t);
  prefetch_write(selected_address(&dst, i), first_bytes(t->columns * t->target.column));
  if (t->winners.arg) {
    const struct selection arg = {t->source.index, t->winners.arg, t->winners.row, t->winners.step};
    prefetch_write(selected_address(&arg, i), first_bytes(t->columns * t->winners.column));
  }
  if (select ? later >= rows : t->prefetch.foresees_order) return;
  prefetch_l2((uintptr_t)t->source.src + (uintptr_t)row_at(select, later) * (uintptr_t)t->source.row,
              (uintptr_t)first_bytes(t->columns * t->source.column));
}

/* The next cache lines to prefetch, of a later row's destination and of a later row of src. With none left to prefetch
   they are the row's own: cheaper than a test. */
struct next_lines {
  uintptr_t dst, src;
};

ALWAYS_INLINE struct next_lines next_lines_of(const struct tile *t, int64_t k, int64_t i, int64_t rows,
                                              const int64_t *select) {
  const struct selection dst = destinations(t);
  const int64_t last = t->prefetch.dst ? rows - t->prefetch.row_ahead : 0;
  const int64_t n = k >= last ? i : row_at(select, k + t->prefetch.row_ahead);
  const int64_t later = k + src_row_ahead(t), m = !select ? later : later < rows ? select[later] : i;
  return (struct next_lines){selected_address(&dst, n),
                             (uintptr_t)t->source.src + (uintptr_t)m * (uintptr_t)t->source.row};
}

ALWAYS_INLINE void prefetch_next_line(struct next_lines *next, const bool with_src) {
  prefetch_write(next->dst, 1);
  next->dst += CACHE_LINE;
  if (!with_src) return;
  prefetch_l2(next->src, 1);
  next->src += CACHE_LINE;
}

#endif
