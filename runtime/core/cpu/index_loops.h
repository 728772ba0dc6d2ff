/* index_loops.h: loops over lines of index values, as int64, for each instruction set. An index value is out of range
   if it is not 0 .. size - 1. */
#ifndef STREW_INDEX_LOOPS_H
#define STREW_INDEX_LOOPS_H

#include "isa.h"

#include "runtime/core/base/call.h"
#include "runtime/core/base/device.h"

/* True if an index value is not 0 .. size - 1, `size` being a member of *of. */
#define OUT_OF_RANGE(of, value) ((uint64_t)(value) >= (uint64_t)(of)->size)

/* The index values lowest .. lowest + count - 1, of 0 .. size - 1: those of one owner. */
struct owned {
  uint64_t lowest, count, size;
};

/* Numbers of destinations: that of row i, of index value ix, is first + i * row_step + ix * step, modulo 2^32; if the
   value is out of range, `none`. */
struct placing {
  uint64_t size;
  uint32_t first, row_step, step, none;
};

struct index_loops {
  /* True if they are neither negative nor descending. */
  bool (*ascends)(const int64_t *values, int64_t count);
  /* True if all are equal; count > 0. */
  bool (*is_constant)(const int64_t *values, int64_t count);
  /* True if one is below `lowest` or above `highest`. */
  bool (*any_outside_int64_t)(const int64_t *values, int64_t count, int64_t lowest, int64_t highest);
  bool (*any_outside_int32_t)(const int32_t *values, int64_t count, int64_t lowest, int64_t highest);
  /* True if one is less than the one before it. */
  bool (*any_descent_int64_t)(const int64_t *values, int64_t count);
  bool (*any_descent_int32_t)(const int32_t *values, int64_t count);
  /* Widens *range by all values. */
  void (*widen_int64_t)(const int64_t *values, int64_t count, struct index_range *range);
  void (*widen_int32_t)(const int32_t *values, int64_t count, struct index_range *range);
  /* As apply_mode of cpu.h. */
  void (*apply_mode)(strew_mode mode, int64_t size, int64_t count, int64_t *values);
  /* Lists the positions of owned values in begin .. end - 1, in order, and returns their number. Sets *out_of_range if
     a value is. The list has room for all. Meanwhile as many values after them are prefetched. */
  int64_t (*list_owned)(const int64_t *values, int64_t begin, int64_t end, const struct owned *owned, int64_t *list,
                        bool *out_of_range);
  /* The same for a block of at most 65536 ids: lists those of lowest .. lowest + owned - 1, and where they are in
     it. */
  int64_t (*list_ids)(const int32_t *ids, int64_t count, int32_t lowest, uint32_t owned, uint16_t *which,
                      int32_t *listed);
  /* Finds the number of each value's destination. True if a value is out of range. */
  bool (*find_destinations)(const int64_t *values, int64_t count, const struct placing *placing, uint32_t *numbers);
  /* numbers[i] = first + offsets[i] + values[i] * step, or -1 if the value is out of range. True if one is. */
  bool (*number_destinations)(const int64_t *values, const int64_t *offsets, int64_t count, int64_t size, int64_t first,
                              int64_t step, int64_t *numbers);
};
DECLARE_LOOPS(index)
CHOOSE_LOOPS(index)

#endif
