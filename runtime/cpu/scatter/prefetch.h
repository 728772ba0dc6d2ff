/* prefetch.h: rows of a tile in turn, and what is asked for ahead of its own. */
#ifndef STREW_SCATTER_AHEAD_H
#define STREW_SCATTER_AHEAD_H

#include "scattering.h"

/* The k-th row of the list, or of the tile where there is none. */
ALWAYS_INLINE int64_t row_at(const int64_t *select, int64_t k) { return select ? select[k] : k; }

/* Over rows begin .. end - 1 of a tile or, with `select`, over those of that list, whose values are in range. Others
   are tested on the way, which costs nothing: loops wait for memory. `nobodys` is set where a value was nobody's. */
#define EACH_ROW(t, begin, end, select)                                                                                \
  for (int64_t k = (begin), i, value; k < (end); k++)                                                                  \
    if (i = row_at(select, k), value = (t)->index[i], !(select) && OUT_OF_RANGE(t, value))                             \
      nobodys = true;                                                                                                  \
    else

/* Where row i meets an operand. A wrong value gives a wrong address, which is never used: hence no pointer
   arithmetic. */
ALWAYS_INLINE uintptr_t address_ahead(const struct tile *t, const char *base, int64_t row, int64_t step, int64_t i) {
  return (uintptr_t)base + (uintptr_t)i * (uintptr_t)row + (uintptr_t)t->index[i] * (uintptr_t)step;
}

ALWAYS_INLINE void fetch_place(const struct tile *t, int64_t i) {
  __builtin_prefetch((const void *)address_ahead(t, t->self, t->self_row, t->step, i), 1);
}

/* Places of line k + lines->ahead, when line k is due. */
ALWAYS_INLINE void fetch_line_ahead(const struct tile *line, const struct lines *lines, int64_t k) {
  if (!lines->ahead || k + lines->ahead >= lines->count) return;
  const struct tile later = {.index = line->index + lines->ahead * lines->index_values,
                             .self = line->self + lines->ahead * lines->self_bytes,
                             .self_row = line->self_row,
                             .step = line->step};
  for (int64_t i = 0; i < line->rows; i++) fetch_place(&later, i);
}

ALWAYS_INLINE void go_to_line(struct tile *line, const struct tile *first, const struct lines *lines, int64_t k) {
  line->index = first->index + k * lines->index_values;
  line->self = first->self + k * lines->self_bytes;
  line->src = first->src + k * lines->src_bytes;
  fetch_line_ahead(line, lines, k);
}

/* Over lines, each of which *line is in turn. */
#define EACH_LINE(line, first, lines)                                                                                  \
  for (int64_t at = 0; at < (lines)->count && (go_to_line(line, first, lines, at), true); at++)

/* The first lines of so many bytes: the processor itself sees how it goes on. */
ALWAYS_INLINE int64_t first_bytes(int64_t bytes) { return least(bytes, MOST_FETCHED); }

ALWAYS_INLINE void fetch_bytes(uintptr_t address, int64_t bytes) {
  for (int64_t at = 0; at < first_bytes(bytes); at += CACHE_LINE)
    __builtin_prefetch((const void *)(address + (uintptr_t)at), 1);
}

/* Rows of src come from further away than those of places. */
ALWAYS_INLINE int64_t src_ahead(const struct tile *t) { return t->row_ahead + 16; }

/* Rows that an owner takes here and there, no processor foresees; those in order, not every one (1 M rows of 64 into
   100 k on an Intel Xeon: 30 ms, 35 if they are not asked for). */
ALWAYS_INLINE void fetch_src(const struct tile *t, int64_t i) {
  prefetch_l2((uintptr_t)t->src + (uintptr_t)i * (uintptr_t)t->src_row,
              (uintptr_t)first_bytes(t->columns * t->src_column));
}

/* So many lines of a row are asked for, and one more where it ends in a part of a line. In order 1 M rows of 64
   float64, which are 8 lines, take Zen 4 0.85 of the time if 4 are asked for; listed rows take 1.2 times as long. */
enum { MOST_AHEAD = MOST_FETCHED / CACHE_LINE, MOST_AHEAD_IN_ORDER = 4 };

/* The first lines, not yet asked for, of a row of places and of one of src that are due later. Where none is to be
   asked for it is the row's own, which costs less than to ask whether there is one. */
struct rows_ahead {
  uintptr_t place, src;
};

ALWAYS_INLINE struct rows_ahead rows_ahead_of(const struct tile *t, int64_t k, int64_t i, int64_t rows,
                                              const int64_t *select) {
  const int64_t last = t->far ? rows - t->row_ahead : 0;
  const int64_t n = k >= last ? i : row_at(select, k + t->row_ahead);
  const int64_t later = k + src_ahead(t), m = !select ? later : later < rows ? select[later] : i;
  return (struct rows_ahead){address_ahead(t, t->self, t->self_row, t->step, n),
                             (uintptr_t)t->src + (uintptr_t)m * (uintptr_t)t->src_row};
}

ALWAYS_INLINE void fetch_line(struct rows_ahead *ahead, const bool with_src) {
  __builtin_prefetch((const void *)ahead->place, 1);
  ahead->place += CACHE_LINE;
  if (!with_src) return;
  prefetch_l2(ahead->src, 1);
  ahead->src += CACHE_LINE;
}

ALWAYS_INLINE void fetch_row(const struct tile *t, int64_t k, int64_t rows, const int64_t *select) {
  if (k + t->row_ahead >= rows) return;
  int64_t i = row_at(select, k + t->row_ahead);
  fetch_bytes(address_ahead(t, t->self, t->self_row, t->step, i), t->columns * t->self_column);
  if (t->arg) fetch_bytes(address_ahead(t, t->arg, t->arg_row, t->arg_step, i), t->columns * t->arg_column);
  const int64_t later = k + src_ahead(t);
  if (select ? later < rows : t->processor != PROCESSOR_ZEN4) fetch_src(t, row_at(select, later));
}

#endif
