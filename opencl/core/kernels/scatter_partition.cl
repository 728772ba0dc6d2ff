/* scatter_partition.cl: scatter on CPUs by block-local partition; no two work-items write the same destination.
     partition   a work-item partitions BLOCK contributions stably by owner, inside its part of the scratch memory:
                 destinations and, by KEEP, values or positions
     join        owner j combines its part of blocks from_block .. to_block - 1, in order
   Columns and rows are those of scatter_walk.cl. KEEP: nothing, values or positions. */
#include "columns.h"

#define nothing   1
#define values    2
#define positions 3

/* A block is walked in quarters side by side, each with its own counters, so that a run of one owner's contributions
   does not serialise on one counter. DO(q) runs for i up to the shortest, last quarter, then for the rest of the
   others. */
#define QUARTERS 4
#define CLASSES  (OWNERS + 1) /* the last for values out of range */
#define EACH_OF_QUARTERS(DO)                                                                                           \
  const int quarter = (count + QUARTERS - 1) / QUARTERS, last = max(count - (QUARTERS - 1) * quarter, 0);              \
  for (int i = 0; i < last; i++) {                                                                                     \
    DO(0) DO(1) DO(2) DO(3)                                                                                            \
  }                                                                                                                    \
  for (int q = 0; q < QUARTERS - 1; q++)                                                                               \
    for (int i = last; i < min(quarter, count - q * quarter); i++) DO(q)

/* value * OWNERS / size up to rounding: `scale` makes it the same everywhere. */
static inline uint owner_of(long value, long size, ulong scale) {
  return (ulong)value < (ulong)size ? (uint)(((ulong)value * scale) >> 32) : (uint)OWNERS;
}
#define VALUE_OF(q) IN_MODE(WIDE(index[((q)*quarter + i) * (INDEX_STEP)]), size)

static inline void count_owners(__global const I *index, long index_step, int count, long size, int mode, ulong scale,
                                uint next[QUARTERS][CLASSES]) {
#define COUNT(q) next[q][owner_of(VALUE_OF(q), size, scale)]++;
  EACH_OF_QUARTERS(COUNT)
}

/* Turns counts into starts, per quarter. Returns the number of values in range. */
static inline uint find_starts(uint next[QUARTERS][CLASSES], __global uint *starts) {
  uint start = 0;
  for (int class = 0; class < CLASSES; class ++) {
    starts[class] = start;
    for (int q = 0; q < QUARTERS; q++) {
      const uint count_here = next[q][class];
      next[q][class] = start;
      start += count_here;
    }
  }
  return starts[OWNERS];
}

/* `position` is that of the first contribution. */
static inline void distribute(__global const I *index, long index_step, int count, long size, int mode, ulong scale,
                              __global const TSRC *src, long src_at, long src_step, uint position,
                              uint next[QUARTERS][CLASSES], __global uint *destinations,
                              __global KEPT *kept PROGRAM) {
#if KEEP == values
#define KEPT_OF(q) kept[slot] = ELEMENT_AT(src, src_at + ((q)*quarter + i) * src_step);
#elif KEEP == positions
#define KEPT_OF(q) kept[slot] = position + (uint)((q)*quarter + i);
#else
#define KEPT_OF(q)
#endif
#define DISTRIBUTE(q)                                                                                                  \
  {                                                                                                                    \
    const long value = VALUE_OF(q);                                                                                    \
    const uint slot = next[q][owner_of(value, size, scale)]++;                                                         \
    destinations[slot] = (uint)value;                                                                                  \
    KEPT_OF(q)                                                                                                         \
  }
  EACH_OF_QUARTERS(DISTRIBUTE)
}

__kernel void partition(SPACE, OPERAND(const I, index), SOURCE, LIMITS, const ulong scale, const int check,
                        __global int *verdict, __global uint *starts, __global uint *destinations,
                        __global KEPT *kept) {
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / blocks, begin = item % blocks * BLOCK;
  if (row >= rows) return;
  const int count = columns - begin < BLOCK ? (int)(columns - begin) : BLOCK;
  const coordinates at = coordinates_of(row, rows, sizes);
  const long to = row * columns + begin;
  uint next[QUARTERS][CLASSES];
  for (int q = 0; q < QUARTERS; q++)
    for (int class = 0; class < CLASSES; class ++) next[q][class] = 0;
  index += ROW_OF(index) + begin * index_step;
  count_owners(index, index_step, count, size, mode, scale, next);
  if (find_starts(next, starts + item * CLASSES) < (uint)count && check) verdict_add(WAY, BAD, verdict);
  distribute(index, index_step, count, size, mode, scale, src, ROW_OF(src) + begin * src_step, src_step, (uint)begin,
             next, destinations + to, kept + to PROGRAM_PASSED);
}

__kernel void join(COLUMNWISE, __global const uint *starts, __global const uint *destinations,
                   __global const KEPT *kept, const long from_block, const long to_block) {
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / OWNERS, owner = item % OWNERS;
  if (row >= rows) return;
  ROW_STARTS
  for (long block = from_block; block < to_block; block++) {
    const long from = row * columns + block * BLOCK, start = (row * blocks + block) * CLASSES + owner;
    const uint end = starts[start + 1];
    for (uint k = starts[start]; k < end; k++) {
      const long dst = (long)destinations[from + k];
#if KEEP == values
      join_at(self + (self_at + dst * self_dim_stride), VALUE(kept[from + k]));
#elif KEEP == positions
      const long position = (long)kept[from + k];
      COLUMNS_OF(src_at + position * src_step, position)
#else
      COLUMNS_OF(0, 0)
#endif
    }
  }
}
