/* index_loops.h: loops over lines of index values, as int64, for each instruction set. */
#ifndef STREW_INDEX_LOOPS_H
#define STREW_INDEX_LOOPS_H

#include "isa.h"

#include <stdbool.h>
#include <stdint.h>

struct index_loops {
  /* Are they neither negative nor descending? */
  bool (*ascends)(const int64_t *values, int64_t count);
  /* Are all equal? count > 0 */
  bool (*is_constant)(const int64_t *values, int64_t count);
  /* Lists the places begin .. end - 1 whose values are lowest .. lowest + owned - 1, returns how many those are; sets
   *beyond where a value is not 0 .. size - 1. The list has room for 8 more. */
  int64_t (*list_owned)(const int64_t *values, int64_t begin, int64_t end, uint64_t lowest, uint64_t owned,
                        uint64_t size, int64_t *list, bool *beyond);
};
DECLARE_LOOPS(index)

#endif
