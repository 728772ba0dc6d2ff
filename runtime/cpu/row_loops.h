/* row_loops.h: a row of contributions joined with a row of places, both dense, by vectors of each instruction set. The
   fewer instructions a row takes, the more rows a processor has under way while it waits for memory. 1 M rows of 64
   float32 into 100 k, on busy machines: sums 29 to 36 ms by SSE2, 25 to 29 by AVX2; maxima 36 by the loops of
   scatter.inc, 32 by AVX-512, with positions 166 and 115. */
#ifndef STREW_ROW_LOOPS_H
#define STREW_ROW_LOOPS_H

#include "isa.h"

#include "core.h"

/* place = place joined with src. */
typedef void join_row(char *place, const char *src, int64_t columns);
/* An extreme; where it differs from what place held, arg = position. */
typedef void winner_row(char *place, int64_t *arg, const char *src, int64_t columns, int64_t position);

/* By dtype: of SUM, MEAN (which is summed), AMAX and AMIN, others NULL. The 16-bit floats, whose loops are long, have
   the plain ones of the two extremes alone. */
struct row_loops {
  struct joins {
    join_row *join[STREW_REDUCTION_COUNT];
    winner_row *win[STREW_REDUCTION_COUNT];
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(row)

#endif
