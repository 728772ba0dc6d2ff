/* scatter_partition.cl: scattering for processors: no work-item meets another's places, and none reads what is not its
   own.
     partition   a work-item takes BLOCK contributions and puts them, each owner's together and in their order, into its
                 part of the scratch: places, and with KEEP values or positions
     join        owner j goes through blocks from_block .. to_block - 1 and joins its part of each
   Columns and rows are those of scatter_walk.cl. KEEP: nothing, values or positions. */
#include "prelude.h"
#include "space.h"
#include "verdict.h"
#include "join.h"
#include "columns.h"

#define nothing   1
#define values    2
#define positions 3

/* A block is gone through in quarters side by side, each with its own counters, so that runs of one owner's
   contributions do not wait for one another: DO(q) for i as far as the last quarter goes, then for what the others have
   left. */
#define QUARTERS 4
#define CLASSES  (OWNERS + 1) /* the last is for nobody's */
#define EACH_OF_QUARTERS(DO)                                                                                           \
  const int quarter = (count + QUARTERS - 1) / QUARTERS, last = max(count - (QUARTERS - 1) * quarter, 0);              \
  for (int i = 0; i < last; i++) {                                                                                     \
    DO(0) DO(1) DO(2) DO(3)                                                                                            \
  }                                                                                                                    \
  for (int q = 0; q < QUARTERS - 1; q++)                                                                               \
    for (int i = last; i < min(quarter, count - q * quarter); i++) DO(q)

/* value * OWNERS / size, but for rounding: the same way up everywhere. */
static inline uint owner_of(long value, long size, ulong scale) {
  return (ulong)value < (ulong)size ? (uint)(((ulong)value * scale) >> 32) : (uint)OWNERS;
}
#define VALUE_OF(q) IN_MODE(WIDE(index[((q)*quarter + i) * (INDEX_STEP)]), size)

static inline void count_owners(__global const I *index, long index_step, int count, long size, int mode, ulong scale,
                                uint next[QUARTERS][CLASSES]) {
#define COUNT(q) next[q][owner_of(VALUE_OF(q), size, scale)]++;
  EACH_OF_QUARTERS(COUNT)
}

/* From counts to where each quarter's go; says how many are somebody's. */
static inline uint find_starts(uint next[QUARTERS][CLASSES], __global uint *starts) {
  uint start = 0;
  for (int class = 0; class < CLASSES; class ++) {
    starts[class] = start;
    for (int q = 0; q < QUARTERS; q++) {
      const uint met = next[q][class];
      next[q][class] = start;
      start += met;
    }
  }
  return starts[OWNERS];
}

/* `position` is that of the first one. */
static inline void deal(__global const I *index, long index_step, int count, long size, int mode, ulong scale,
                        __global const TSRC *src, long src_step, uint position, uint next[QUARTERS][CLASSES],
                        __global uint *places, __global KEPT *kept) {
#if KEEP == values
#define KEPT_OF(q) kept[slot] = src[((q)*quarter + i) * src_step];
#elif KEEP == positions
#define KEPT_OF(q) kept[slot] = position + (uint)((q)*quarter + i);
#else
#define KEPT_OF(q)
#endif
#define DEAL(q)                                                                                                        \
  {                                                                                                                    \
    const long value = VALUE_OF(q);                                                                                    \
    const uint slot = next[q][owner_of(value, size, scale)]++;                                                         \
    places[slot] = (uint)value;                                                                                        \
    KEPT_OF(q)                                                                                                         \
  }
  EACH_OF_QUARTERS(DEAL)
}

__kernel void partition(SPACE, OPERAND(const I, index), SOURCE, LIMITS, const ulong scale, const int check,
                        __global int *verdict, __global uint *starts, __global uint *places, __global KEPT *kept) {
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / blocks, begin = item % blocks * BLOCK;
  if (row >= rows) return;
  const int count = columns - begin < BLOCK ? (int)(columns - begin) : BLOCK;
  const coordinates at = coordinates_of(row, rows, sizes);
  const long to = row * columns + begin;
  uint next[QUARTERS][CLASSES];
  for (int q = 0; q < QUARTERS; q++)
    for (int class = 0; class < CLASSES; class ++) next[q][class] = 0;
  index += index_offset + inner_product(at, index_strides) + begin * index_step;
  src += src_offset + inner_product(at, src_strides) + begin * src_step;
  count_owners(index, index_step, count, size, mode, scale, next);
  if (find_starts(next, starts + item * CLASSES) < (uint)count && check) tell(WAY, BAD, verdict);
  deal(index, index_step, count, size, mode, scale, src, src_step, (uint)begin, next, places + to, kept + to);
}

__kernel void join(COLUMNWISE, __global const uint *starts, __global const uint *places, __global const KEPT *kept,
                   const long from_block, const long to_block) {
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / OWNERS, owner = item % OWNERS;
  if (row >= rows) return;
  ROW_STARTS
  for (long block = from_block; block < to_block; block++) {
    const long from = row * columns + block * BLOCK, start = (row * blocks + block) * CLASSES + owner;
    const uint end = starts[start + 1];
    for (uint k = starts[start]; k < end; k++) {
      const long place = (long)places[from + k];
#if KEEP == values
      join_at(self + (self_at + place * self_place), VALUE(kept[from + k]));
#elif KEEP == positions
      const long position = (long)kept[from + k];
      COLUMNS_OF(src_at + position * src_step, position)
#else
      COLUMNS_OF(0, 0)
#endif
    }
  }
}
