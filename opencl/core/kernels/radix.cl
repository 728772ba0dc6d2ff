/* radix.cl: one pass of a stable LSD radix sort: lines of `n` items, by the 8-bit digit of the key that starts at bit
   `shift`. A line is cut into blocks. count_digits writes the histograms counts[line][digit][block]; their prefix sums
   (prefix.cl) are the destinations of each block's items per digit, for all lines at once; distribute moves the items
   there. A block belongs to a group on a GPU, else to one work-item. There count_digits adds the totals of the prefix
   sums' tiles, too, and distribute clears them for the next pass. BROAD: see items.h. */
#include "prelude.h"
#include "items.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint digit_of(item x, int shift) { return (uint)(key_in(x) >> shift) & (DIGITS - 1); }

/* The block's line and its item range. */
#define BLOCK_BOUNDS(number)                                                                                           \
  const long line = (number) / blocks, at = (number)-line * blocks;                                                    \
  const long begin = line * n + at * block, end = min(begin + block, line * n + n);                                    \
  counts += line * blocks * DIGITS + at

#ifdef IS_GPU
/* A group ranks EACH items per work-item, 4 bits at a time: counters for more do not fit in local memory. */
enum { EACH = BROAD ? 4 : 8, TILE = EACH * GROUP_SIZE, PART_BITS = 4, PART = 16 };

GROUP_KERNEL count_digits(__global const item *items, __global uint *counts, TOTALS, const long n, const long block,
                          const long blocks, const int shift) {
  __local uint found[DIGITS];
  const uint me = (uint)get_local_id(0);
  BLOCK_BOUNDS((long)group_id());
  for (uint d = me; d < DIGITS; d += GROUP_SIZE) found[d] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long i = begin + me; i < end; i += GROUP_SIZE) atomic_inc(&found[digit_of(items[i], shift)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first = (uint)(line * blocks * DIGITS + at); /* all counts are fewer than 2^32 */
  for (uint d = me; d < DIGITS; d += GROUP_SIZE) {
    counts[d * blocks] = found[d];
    if (tiles && found[d]) atomic_add(&totals[(first + d * (uint)blocks) / PREFIX_TILE], found[d]);
  }
}

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
GROUP_KERNEL distribute(__global const item *items, __global item *sorted, __global const uint *counts, TOTALS,
                        const long n, const long block, const long blocks, const int shift) {
  __local item tile[TILE];
  __local ushort counters[PART * GROUP_SIZE];
  __local ulong sums[GROUP_SIZE];
  __local uint starts[DIGITS];
  const uint me = (uint)get_local_id(0);
  BLOCK_BOUNDS((long)group_id());
  const uint count = (uint)(end - begin);
  CLEAR_TOTALS((long)group_id() * GROUP_SIZE + me);
  for (uint i = me; i < TILE; i += GROUP_SIZE) tile[i] = i < count ? items[begin + i] : LAST_ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  /* a loop, since PoCL 3.1 confuses two copies of the call */
  for (int bits = 0; bits < DIGIT_BITS; bits += PART_BITS) order_tile(tile, counters, sums, shift + bits);
  for (uint i = me; i < count; i += GROUP_SIZE) {
    const uint digit = digit_of(tile[i], shift);
    if (i == 0 || digit_of(tile[i - 1], shift) != digit) starts[digit] = counts[digit * blocks] - i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < count; i += GROUP_SIZE) sorted[starts[digit_of(tile[i], shift)] + i] = tile[i];
}

#else
/* Even and odd items have separate counters, so that a run of one digit does not serialise on one. */
__kernel void count_digits(__global const item *items, __global uint *counts, TOTALS, const long n, const long block,
                           const long blocks, const int shift) {
  BLOCK_BOUNDS((long)get_global_id(0));
  uint found[2][DIGITS];
  for (int d = 0; d < DIGITS; d++) found[0][d] = found[1][d] = 0;
  long i = begin;
  for (; i + 1 < end; i += 2) {
    found[0][digit_of(items[i], shift)]++;
    found[1][digit_of(items[i + 1], shift)]++;
  }
  if (i < end) found[0][digit_of(items[i], shift)]++;
  for (int d = 0; d < DIGITS; d++) counts[d * blocks] = found[0][d] + found[1][d];
}

__kernel void distribute(__global const item *restrict items, __global item *restrict sorted,
                         __global const uint *counts, TOTALS, const long n, const long block, const long blocks,
                         const int shift) {
  BLOCK_BOUNDS((long)get_global_id(0));
  uint next[DIGITS];
  for (int d = 0; d < DIGITS; d++) next[d] = counts[d * blocks];
  for (long i = begin; i < end; i++) {
    const item x = items[i];
    sorted[next[digit_of(x, shift)]++] = x;
  }
}
#endif
