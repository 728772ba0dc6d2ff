/* copy_loops.h: rows copied and converted. */
#ifndef STREW_COPY_LOOPS_H
#define STREW_COPY_LOOPS_H

#include "cpu.h"
#include "isa.h"

struct copy_loops {
  convert_row *copy8, *copy16, *copy32, *copy64; /* elements of so many bits, as they are */
  convert_row *const *convert_from[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(copy)

#endif
