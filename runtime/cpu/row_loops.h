/* row_loops.h: a row of contributions joined with a row of places, both dense, where vectors of each instruction set
   pay: maxima and minima. 1 M rows of 64 float32 into 100 k, on a busy machine: 36 ms by the loops of scatter.inc, 32
   by AVX-512; with positions 166 and 115. (Sums of rows wait for memory, whatever their loops are.) */
#ifndef STREW_ROW_LOOPS_H
#define STREW_ROW_LOOPS_H

#include "isa.h"

#include "core.h"

/* The greatest of both, or the least, into place. */
typedef void extreme_row(char *place, const char *src, int64_t columns);
/* The same; where that differs from what place held, arg = position. */
typedef void winner_row(char *place, int64_t *arg, const char *src, int64_t columns, int64_t position);

/* By dtype; the first is for the greatest, the second for the least. The 16-bit floats, whose loops are long, have the
   plain ones alone. */
struct row_loops {
  struct extremes {
    extreme_row *join[2];
    winner_row *win[2];
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(row)

#endif
