/* digits.h: sort items, and the 8-bit digits of items' keys, as radix.cl sorts by them, and their counts. A line of `n` items is cut
   into `blocks` of `block` items; a block belongs to a group on a GPU, else to one work-item. Counts are
   counts[line][digit][block]; on a GPU also the totals of the tiles of their prefix sums, 0 before. */
#include "prelude.h"

/* Sort items: an unsigned key and a position, which breaks ties, so the order is total and stable. Narrow
   items hold a 32-bit key and position in one 64-bit word; with BROAD=1 each has a word of its own. */
#if BROAD
typedef ulong2 item;
#define LAST_ITEM (item)(~0ul)
static inline item make_item(ulong key, ulong position) { return (item)(key, position); }
static inline ulong key_in(item x) { return x.x; }
static inline ulong position_in(item x) { return x.y; }
static inline bool is_before(item a, item b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
#else
typedef ulong item;
#define LAST_ITEM (~0ul)
static inline item make_item(ulong key, ulong position) { return key << 32 | position; }
static inline ulong key_in(item x) { return x >> 32; }
static inline ulong position_in(item x) { return x & 0xffffffffu; }
static inline bool is_before(item a, item b) { return a < b; }
#endif

enum { RADIX_BITS = 8, RADIX = 1 << RADIX_BITS };

static inline uint radix_digit(item x, int shift) { return (uint)(key_in(x) >> shift) & (RADIX - 1); }

/* A kernel of blocks, and the number of its block. */
#ifdef IS_GPU
#define BLOCK_KERNEL GROUP_KERNEL
#define BLOCK_NUMBER ((long)group_id())
#else
#define BLOCK_KERNEL __kernel void
#define BLOCK_NUMBER ((long)get_global_id(0))
#endif

#define BLOCKS const long n, const long block, const long blocks, const int shift
/* The block's line and its item range. */
#define BLOCK_BOUNDS                                                                                                   \
  const long line = BLOCK_NUMBER / blocks, at_block = BLOCK_NUMBER - line * blocks;                                    \
  const long begin = line * n + at_block * block, end = min(begin + block, line * n + n);                              \
  counts += line * blocks * RADIX + at_block

/* Totals, `tiles` of them, of `prefix_tile` counts each; none if that is 0. */
#define TOTALS __global uint *totals, const int tiles, const long prefix_tile
#define COUNTS __global uint *counts, TOTALS, BLOCKS

/* Counts the digits at `shift`, unless that is -1, of the block's items: `ITEM` is item number i, of `given`, a TYPE that
   is LOADED. A GPU's work-item takes EACH items, and loads all before it stores or counts the first. */
#ifdef IS_GPU
enum { EACH = BROAD ? 4 : 8 };
#define COUNT_DIGITS(TYPE, LOADED, ITEM)                                                                               \
  __local uint found[RADIX];                                                                                           \
  const uint me = (uint)get_local_id(0);                                                                               \
  BLOCK_BOUNDS;                                                                                                        \
  TYPE all[EACH];                                                                                                      \
  UNROLL for (int e = 0; e < EACH; e++) {                                                                              \
    const long i = min(begin + me + e * GROUP_SIZE, end - 1);                                                          \
    all[e] = LOADED;                                                                                                   \
  }                                                                                                                    \
  for (uint d = me; d < RADIX; d += GROUP_SIZE) found[d] = 0;                                                          \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  UNROLL for (int e = 0; e < EACH; e++) {                                                                              \
    const long i = begin + me + e * GROUP_SIZE;                                                                        \
    if (i >= end) continue;                                                                                            \
    const TYPE given = all[e];                                                                                         \
    const item x = ITEM;                                                                                               \
    if (shift >= 0) atomic_inc(&found[radix_digit(x, shift)]);                                                         \
  }                                                                                                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  for (uint d = me; d < RADIX && shift >= 0; d += GROUP_SIZE) {                                                        \
    counts[d * blocks] = found[d];                                                                                     \
    if (tiles && found[d])                                                                                             \
      atomic_add(&totals[(uint)(line * blocks * RADIX + at_block + d * blocks) / (uint)prefix_tile], found[d]);        \
  }
#else
/* Even and odd items have separate counters, so that a run of one digit does not serialise on one. */
#define COUNT_DIGITS(TYPE, LOADED, ITEM)                                                                               \
  BLOCK_BOUNDS;                                                                                                        \
  uint found[2][RADIX];                                                                                                \
  for (int d = 0; d < RADIX; d++) found[0][d] = found[1][d] = 0;                                                       \
  for (long i = begin; i < end; i++) {                                                                                 \
    const TYPE given = LOADED;                                                                                         \
    const item x = ITEM;                                                                                               \
    if (shift >= 0) found[i & 1][radix_digit(x, shift)]++;                                                             \
  }                                                                                                                    \
  for (int d = 0; d < RADIX && shift >= 0; d++) counts[d * blocks] = found[0][d] + found[1][d]
#endif
