/* index_loops.h: loops over lines of index values, as int64, for each instruction set. */
#ifndef STREW_INDEX_LOOPS_H
#define STREW_INDEX_LOOPS_H

#include "isa.h"

#include "runtime/call.h"

/* The values that somebody owns: lowest .. lowest + count - 1. Others are other owners' or, where they are not 0 ..
   size - 1, nobody's. */
struct owned {
  uint64_t lowest, count, size;
};

/* Where contributions in a line go: number i, of value v, to first + i * row_step + v * step, all modulo 2^32; one
   whose value is not 0 .. size - 1 to nobodys. */
struct placing {
  uint64_t size;
  uint32_t first, row_step, step, nobodys;
};

struct index_loops {
  /* Are they neither negative nor descending? */
  bool (*ascends)(const int64_t *values, int64_t count);
  /* Are all equal? count > 0 */
  bool (*is_constant)(const int64_t *values, int64_t count);
  /* Is any of them below the lowest that they may be, or above the highest? */
  bool (*any_outside_int64_t)(const int64_t *values, int64_t count, int64_t lowest, int64_t highest);
  bool (*any_outside_int32_t)(const int32_t *values, int64_t count, int64_t lowest, int64_t highest);
  /* As apply_mode of cpu.h. */
  void (*apply_mode)(strew_mode mode, int64_t size, int64_t count, int64_t *values);
  /* Lists where between begin and end - 1 owned values are, and returns how many of them; sets *nobodys where one is
     nobody's. The list has room for all of them. Meanwhile as many values behind them are asked for, which may lie
     beyond their tensor. */
  int64_t (*list_owned)(const int64_t *values, int64_t begin, int64_t end, const struct owned *owned, int64_t *list,
                        bool *nobodys);
  /* What that takes a value, in hundredths of a nanosecond. */
  int64_t look_cost;
  /* Finds the place of each value. Is any of them nobody's? */
  bool (*find_places)(const int64_t *values, int64_t count, const struct placing *placing, uint32_t *places);
  /* places[i] = first + offsets[i] + values[i] * step, and -1 where the value is not 0 .. size - 1. Is there one? */
  bool (*number_places)(const int64_t *values, const int64_t *offsets, int64_t count, int64_t size, int64_t first,
                        int64_t step, int64_t *places);
};
DECLARE_LOOPS(index)

#endif
