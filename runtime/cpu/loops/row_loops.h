/* row_loops.h: rows of contributions joined with rows of places, both dense, by vectors of each instruction set. The
   fewer instructions a row takes, the more rows a processor has under way while it waits for memory. 1 M rows of 64
   float32 into 100 k, on busy machines: sums 29 to 36 ms by SSE2, 25 to 29 by AVX2; maxima with positions 166 by the
   loops of scatter.inc, 115 by AVX-512. */
#ifndef STREW_ROW_LOOPS_H
#define STREW_ROW_LOOPS_H

#include "isa.h"

#include "runtime/call.h"

struct tile;

/* Joins rows 0 .. rows - 1, all of the tile, or, with `select`, those of that list, whose values are in range: in
   order. Was a value nobody's? */
typedef bool join_rows(const struct tile *tile, int64_t rows, const int64_t *select);
/* An extreme; where it differs from what place held, arg = position. */
typedef void winner_row(char *place, int64_t *arg, const char *src, int64_t columns, int64_t position);

/* By dtype; of those of less than 32 bits, in the plain one alone. */
struct row_loops {
  struct joins {
    join_rows *join[STREW_REDUCTION_COUNT]; /* of SUM, AMAX and AMIN, or NULL; the 16-bit floats are never summed */
    winner_row *win[STREW_REDUCTION_COUNT]; /* of AMAX and AMIN */
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(row)

#endif
