/* row_loops.h: rows of contributions joined with rows of destinations, both of unit stride, in vectors of each
   instruction set. The fewer instructions a row takes, the more rows are under way while a processor waits for memory:
   1 M rows of 64 float32 into 100 k, on busy machines: sums 29 to 36 ms by SSE2, 25 to 29 by AVX2; maxima with
   positions 166 ms -> 115 (loops of scatter.inc -> AVX-512). */
#ifndef STREW_ROW_LOOPS_H
#define STREW_ROW_LOOPS_H

#include "isa.h"

#include "runtime/core/base/call.h"

struct tile;

/* Joins in order all rows of the tile, 0 .. rows - 1, or the `rows` rows in the list `select`, whose index values are
   in range. True if an index value was out of range. */
typedef bool join_rows(const struct tile *tile, int64_t rows, const int64_t *select);
/* A maximum or minimum; where it differs from what self held, arg = position. */
typedef void winner_row(char *self, int64_t *arg, const char *src, int64_t columns, int64_t position);

/* By dtype; dtypes of less than 32 bits and unsigned ones are in the plain table alone. */
struct row_loops {
  struct joins {
    join_rows *join[STREW_REDUCTION_COUNT]; /* AMAX, AMIN, and SUM of what has sums of its own; else NULL */
    winner_row *win[STREW_REDUCTION_COUNT]; /* AMAX and AMIN */
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(row)
CHOOSE_LOOPS(row)

#endif
