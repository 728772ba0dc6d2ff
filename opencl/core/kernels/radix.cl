/* radix.cl: one pass of a stable LSD radix sort: lines of items, by the digit of the key that starts at bit `shift`.
   count_digits writes the digits' counts; their prefix sums (prefix.cl) are the destinations of each block's items per
   digit, for all lines at once; distribute moves the items there, and clears the totals for the next pass. The first
   digit was counted by the kernel that made the items. BROAD: see items.h. */
#include "digits.h"

BLOCK_KERNEL count_digits(__global const item *items, COUNTS) { COUNT_DIGITS(item, items[i], given); }

#ifdef IS_GPU
/* A group ranks EACH items per work-item, 4 bits at a time: counters for more do not fit in local memory. */
enum { TILE = EACH * GROUP_SIZE, PART_BITS = 4, PART = 16, RANK_BITS = 4 };

/* Where item i and counter i are in local memory: in 32 banks of 4 bytes, neighbouring work-items, which have neighbouring
   runs of items and of counters, find theirs in different ones. */
#define ITEM_AT(i)    ((i) + (i) / EACH)
#define COUNTER_AT(i) ((i) + (i) / 64 * 2)

/* Sorts a tile by 4 bits of its keys, stably. Each work-item counts its EACH contiguous items in its own column of
   counters; their prefix sums, digit by digit, are the ranks. */
static inline void order_tile(__local item *tile, __local ushort *counters, __local ulong *sums, int shift) {
  const uint me = (uint)get_local_id(0);
  __local ushort2 *pairs = (__local ushort2 *)(counters + COUNTER_AT(me * PART));
  item own[EACH];
  uint ranks = 0; /* RANK_BITS each: among its own items of a digit */
  ulong total, start = 0;
  for (uint d = 0; d < PART; d++) counters[COUNTER_AT(d * GROUP_SIZE + me)] = 0;
  UNROLL for (uint e = 0; e < EACH; e++) {
    own[e] = tile[ITEM_AT(me * EACH + e)];
    ranks |= (uint)counters[COUNTER_AT(((uint)(key_in(own[e]) >> shift) & (PART - 1)) * GROUP_SIZE + me)]++
             << RANK_BITS * e;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint p = 0; p < PART / 2; p++) start += pairs[p].x + pairs[p].y;
  start = group_prefix_sum(start, sums, &total);
  for (uint p = 0; p < PART / 2; p++) {
    const ushort2 counts = pairs[p];
    pairs[p] = (ushort2)((ushort)start, (ushort)(start + counts.x));
    start += counts.x + counts.y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL for (uint e = 0; e < EACH; e++) {
    const uint digit = (uint)(key_in(own[e]) >> shift) & (PART - 1);
    const uint rank = ranks >> RANK_BITS * e & (EACH - 1), to = counters[COUNTER_AT(digit * GROUP_SIZE + me)] + rank;
    tile[ITEM_AT(to)] = own[e];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* The tile, sorted by digit in local memory, is written in runs: neighbouring work-items write neighbouring items.
   Padding of the last tile has the last digit and is not written. */
GROUP_KERNEL distribute(__global const item *items, __global item *sorted, COUNTS) {
  __local item tile[ITEM_AT(TILE)];
  __local ushort counters[COUNTER_AT(PART * GROUP_SIZE)];
  __local ulong sums[GROUP_SUMS];
  __local uint starts[RADIX];
  const uint me = (uint)get_local_id(0);
  BLOCK_BOUNDS;
  const uint count = (uint)(end - begin);
  const long cleared = BLOCK_NUMBER * GROUP_SIZE + me;
  if (cleared < tiles) totals[cleared] = 0;
  item loaded[EACH];
  UNROLL for (uint e = 0; e < EACH; e++) loaded[e] = items[begin + min(me + e * GROUP_SIZE, count - 1)];
  UNROLL for (uint e = 0; e < EACH; e++) {
    const uint i = me + e * GROUP_SIZE;
    tile[ITEM_AT(i)] = i < count ? loaded[e] : LAST_ITEM;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  /* a loop, since PoCL 3.1 confuses two copies of the call */
  for (int bits = 0; bits < RADIX_BITS; bits += PART_BITS) order_tile(tile, counters, sums, shift + bits);
  for (uint i = me; i < count; i += GROUP_SIZE) {
    const uint digit = radix_digit(tile[ITEM_AT(i)], shift);
    if (i == 0 || radix_digit(tile[ITEM_AT(i - 1)], shift) != digit) starts[digit] = counts[digit * blocks] - i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < count; i += GROUP_SIZE) {
    const item x = tile[ITEM_AT(i)];
    sorted[starts[radix_digit(x, shift)] + i] = x;
  }
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
