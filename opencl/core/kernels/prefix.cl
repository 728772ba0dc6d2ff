/* prefix.cl: exclusive prefix sums in tiles of `tile`: total_tiles sums each tile, these kernels turn the totals into
   starts, sum_tiles sums each tile from its start. A tile belongs to a group on a GPU, else to one work-item. NUMBER is
   an unsigned type. */
#include "prelude.h"

#ifdef IS_GPU
GROUP_KERNEL total_tiles(__global const NUMBER *numbers, const long count, const long tile, __global NUMBER *totals) {
  __local ulong sums[GROUP_SUMS];
  const long begin = (long)group_id() * tile, end = min(begin + tile, count);
  ulong sum = 0, total;
  for (long i = begin + (long)get_local_id(0); i < end; i += GROUP_SIZE) sum += numbers[i];
  group_prefix_sum(sum, sums, &total);
  if (get_local_id(0) == 0) totals[group_id()] = (NUMBER)total;
}

#define STARTS            1 /* as in radix.c */
#define STARTS_ARE_TOTALS 2

/* Each work-item sums contiguous numbers, so it can turn them into prefix sums by itself. */
GROUP_KERNEL sum_tiles(__global NUMBER *numbers, const long count, const long tile, __global const NUMBER *starts,
                       const int has_starts) {
  __local ulong sums[GROUP_SUMS];
  ulong start = has_starts == STARTS ? starts[group_id()] : 0;
  if (has_starts == STARTS_ARE_TOTALS) {
    ulong before = 0;
    for (long i = (long)get_local_id(0); i < (long)group_id(); i += GROUP_SIZE) before += starts[i];
    group_prefix_sum(before, sums, &start);
  }
  const long each = tile / GROUP_SIZE;
  const long begin = (long)group_id() * tile + (long)get_local_id(0) * each, end = min(begin + each, count);
  ulong sum = 0, total;
  for (long i = begin; i < end; i++) sum += numbers[i];
  sum = group_prefix_sum(sum, sums, &total) + start;
  for (long i = begin; i < end; i++) {
    const NUMBER number = numbers[i];
    numbers[i] = (NUMBER)sum;
    sum += number;
  }
}

#else
__kernel void total_tiles(__global const NUMBER *numbers, const long count, const long tile, __global NUMBER *totals) {
  const long begin = (long)get_global_id(0) * tile, end = min(begin + tile, count);
  NUMBER sum = 0;
  for (long i = begin; i < end; i++) sum += numbers[i];
  totals[get_global_id(0)] = sum;
}

__kernel void sum_tiles(__global NUMBER *numbers, const long count, const long tile, __global const NUMBER *starts,
                        const int has_starts) {
  const long begin = (long)get_global_id(0) * tile, end = min(begin + tile, count);
  NUMBER sum = has_starts ? starts[get_global_id(0)] : 0;
  for (long i = begin; i < end; i++) {
    const NUMBER number = numbers[i];
    numbers[i] = sum;
    sum += number;
  }
}
#endif
