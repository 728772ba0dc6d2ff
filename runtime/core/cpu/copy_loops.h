/* copy_loops.h: copies and conversions of rows. */
#ifndef STREW_COPY_LOOPS_H
#define STREW_COPY_LOOPS_H

#include "cpu.h"
#include "isa.h"

/* Transposes: element r of from's row c becomes element c of to's row r, for `rows` rows of `columns` elements.
   Steps are those between rows, in bytes. */
typedef void transpose_block(int64_t rows, int64_t columns, char *to, int64_t to_step, const char *from,
                             int64_t from_step);

struct copy_loops {
  transpose_block *transpose[sizeof(double) + 1]; /* elements of that many bytes */
  convert_row *copy[sizeof(double) + 1];          /* the same, unconverted */
  convert_row *const *convert_from[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(copy)
CHOOSE_LOOPS(copy)

#endif
