/* sort_loops.h: sorting of short lines side by side, in vectors of each instruction set. */
#ifndef STREW_SORT_LOOPS_H
#define STREW_SORT_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include <stdint.h>

enum { LANES = 8 };

struct sort_loops {
  /* Sorts LANES lines of `count` items each: items[i * LANES + lane]. No two of a line are equal, and none is NaN. */
  void (*sort_lanes)(double *items, int64_t count);
  /* Sorts one line of LANES * rows such items; rows: a power of 2, 8 or more. The item of rank i is then
     items[i % rows * LANES + i / rows]. NULL: not worth it without vectors of four. */
  void (*sort_line)(double *items, int64_t rows);
};
DECLARE_LOOPS(sort)
CHOOSE_LOOPS(sort)

#endif
