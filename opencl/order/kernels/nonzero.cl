/* nonzero.cl: positions of the nonzero elements. flag writes a byte per element of dtype S, in row-major order.
   count_flags counts the nonzero bytes of each block. write_positions gets the prefix sums of the counts and writes
   coordinates. A block belongs to a group on a GPU, else to one work-item. COUNT is an unsigned type. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"

__kernel void flag(SPACE, OPERAND(const CAT(T_, S), from), __global uchar *flags) {
  ROW_AND_COLUMN;
  flags[row * columns + column] = !CAT(equal_, S)(CAT(load_, S)(from[AT(from)]), 0);
}

/* Writes the `rank` coordinates of the element at `position`, the column last. */
static inline void write_coordinates(__global long *out, const int rank, const long position, const long columns,
                                     const long rows, const coordinates sizes) {
  long row = 0, column = position;
  if (rank > 1) {
    row = columns * rows <= 0x7fffffffL ? (long)((uint)position / (uint)columns) : position / columns;
    column = position - row * columns;
  }
  const coordinates at = coordinates_of(row, rows, sizes);
  long all[OUTER];
#if OUTER == 16
  vstore16(at, 0, all);
#elif OUTER == 4
  vstore4(at, 0, all);
#else
  all[0] = at;
#endif
  for (int d = OUTER - (rank - 1); d < OUTER; d++) *out++ = all[d];
  *out = column;
}

#define FLAGS  __global const uchar *flags, const long flags_offset, const long count, const long block
#define OUTPUT __global long *out, const long out_offset, const int rank

#ifdef IS_GPU
/* With `few` adds the counts to *all; else a 0 behind them becomes their total. */
GROUP_KERNEL count_flags(FLAGS, __global COUNT *counts, __global uint *all, const int few) {
  __local ulong sums[GROUP_SUMS];
  const long begin = (long)group_id() * block, end = min(begin + block, count);
  ulong found = 0, total;
  for (long i = begin + (long)get_local_id(0); i < end; i += GROUP_SIZE) found += flags[flags_offset + i] != 0;
  group_prefix_sum(found, sums, &total);
  if (get_local_id(0) == 0) counts[group_id()] = (COUNT)total;
  if (get_local_id(0) == 0 && few && total) atomic_add(all, (uint)total);
  if (get_global_id(0) == 0 && !few) counts[(count + block - 1) / block] = 0;
}

GROUP_KERNEL write_positions(SPACE, FLAGS, __global const COUNT *counts, const int few, OUTPUT) {
  __local ulong sums[GROUP_SUMS];
  ulong before = 0, start;
  for (long i = (long)get_local_id(0); few && i < (long)group_id(); i += GROUP_SIZE) before += counts[i];
  group_prefix_sum(before, sums, &start);
  const long each = block / GROUP_SIZE;
  const long begin = (long)group_id() * block + (long)get_local_id(0) * each, end = min(begin + each, count);
  ulong found = 0, total;
  for (long i = begin; i < end; i++) found += flags[flags_offset + i] != 0;
  ulong at = (few ? start : counts[group_id()]) + group_prefix_sum(found, sums, &total);
  for (long i = begin; i < end; i++)
    if (flags[flags_offset + i])
      write_coordinates(out + out_offset + (long)(at++) * rank, rank, i, columns, rows, sizes);
}

#else
__kernel void count_flags(FLAGS, __global COUNT *counts, __global uint *all, const int few) {
  const long begin = (long)get_global_id(0) * block, end = min(begin + block, count);
  uint found = 0;
  for (long i = begin; i < end; i++) found += flags[flags_offset + i] != 0;
  counts[get_global_id(0)] = (COUNT)found;
  if (get_global_id(0) == 0) counts[(count + block - 1) / block] = 0;
}

/* Collects positions in private memory FEW at a time, without a branch that depends on data. */
__kernel void write_positions(SPACE, FLAGS, __global const COUNT *counts, const int few, OUTPUT) {
  enum { FEW = 256 };
  const long begin = (long)get_global_id(0) * block, end = min(begin + block, count);
  __global long *to = out + out_offset + (long)counts[get_global_id(0)] * rank;
  uint positions[FEW];
  for (long at = begin; at < end; at += FEW) {
    const int few = (int)min((long)FEW, end - at);
    int found = 0;
    for (int i = 0; i < few; i++) {
      positions[found] = (uint)i;
      found += flags[flags_offset + at + i] != 0;
    }
    if (rank == 1)
      for (int i = 0; i < found; i++) *to++ = at + positions[i];
    else
      for (int i = 0; i < found; i++, to += rank) write_coordinates(to, rank, at + positions[i], columns, rows, sizes);
  }
}
#endif
