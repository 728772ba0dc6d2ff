/* radix.cl: one pass of a stable LSD radix sort: lines of items, by the digit of the key that starts at bit `shift`.
   count_digits writes the digits' counts; their prefix sums (prefix.cl) are the destinations of each block's items per
   digit, for all lines at once; distribute moves the items there, and clears the totals for the next pass. The first
   digit was counted by the kernel that made the items. BROAD: see items.h. */
#include "digits.h"

BLOCK_KERNEL count_digits(__global const item *items, COUNTS) { COUNT_DIGITS(items[i]); }

#ifdef IS_GPU
/* A group ranks EACH items per work-item, 4 bits at a time: counters for more do not fit in local memory. */
enum { EACH = BROAD ? 4 : 8, TILE = EACH * GROUP_SIZE, PART_BITS = 4, PART = 16 };

/* Sorts a tile by 4 bits of its keys, stably. Each work-item counts its EACH contiguous items in its own column of
   counters; their prefix sums, digit by digit, are the ranks. */
static inline void order_tile(__local item *tile, __local ushort *counters, __local ulong *sums, int shift) {
  const uint me = (uint)get_local_id(0);
  item own[EACH];
  ushort rank[EACH];
  ulong total, start = 0;
  for (uint d = 0; d < PART; d++) counters[d * GROUP_SIZE + me] = 0;
  for (uint e = 0; e < EACH; e++) {
    own[e] = tile[me * EACH + e];
    rank[e] = counters[((uint)(key_in(own[e]) >> shift) & (PART - 1)) * GROUP_SIZE + me]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 0; d < PART; d++) start += counters[me * PART + d];
  start = group_prefix_sum(start, sums, &total);
  for (uint d = 0; d < PART; d++) {
    const ushort count = counters[me * PART + d];
    counters[me * PART + d] = (ushort)start;
    start += count;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint e = 0; e < EACH; e++)
    tile[counters[((uint)(key_in(own[e]) >> shift) & (PART - 1)) * GROUP_SIZE + me] + rank[e]] = own[e];
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* The tile, sorted by digit in local memory, is written in runs: neighbouring work-items write neighbouring items.
   Padding of the last tile has the last digit and is not written. */
GROUP_KERNEL distribute(__global const item *items, __global item *sorted, COUNTS) {
  __local item tile[TILE];
  __local ushort counters[PART * GROUP_SIZE];
  __local ulong sums[GROUP_SIZE];
  __local uint starts[RADIX];
  const uint me = (uint)get_local_id(0);
  BLOCK_BOUNDS;
  const uint count = (uint)(end - begin);
  const long cleared = BLOCK_NUMBER * GROUP_SIZE + me;
  if (cleared < tiles) totals[cleared] = 0;
  for (uint i = me; i < TILE; i += GROUP_SIZE) tile[i] = i < count ? items[begin + i] : LAST_ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  /* a loop, since PoCL 3.1 confuses two copies of the call */
  for (int bits = 0; bits < RADIX_BITS; bits += PART_BITS) order_tile(tile, counters, sums, shift + bits);
  for (uint i = me; i < count; i += GROUP_SIZE) {
    const uint digit = radix_digit(tile[i], shift);
    if (i == 0 || radix_digit(tile[i - 1], shift) != digit) starts[digit] = counts[digit * blocks] - i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < count; i += GROUP_SIZE) sorted[starts[radix_digit(tile[i], shift)] + i] = tile[i];
}

#else
__kernel void distribute(__global const item *restrict items, __global item *restrict sorted, COUNTS) {
  BLOCK_BOUNDS;
  uint next[RADIX];
  for (int d = 0; d < RADIX; d++) next[d] = counts[d * blocks];
  for (long i = begin; i < end; i++) {
    const item x = items[i];
    sorted[next[radix_digit(x, shift)]++] = x;
  }
}
#endif
