/* scatter_partition.cl: scattering for processors: no work-item meets another's places, and none reads what is not its
   own.
     partition   a work-item takes BLOCK contributions and puts them, each owner's together and in their order, into its
                 part of the scratch: places, and with KEEP values or positions
     join        owner j goes through all blocks and joins its part of each
     sorted      where the index is sorted, pieces of it moved to where a value begins are owners themselves
   Columns and rows are those of scatter_walk.cl. KEEP: nothing, values or positions. */
#include "prelude.h"
#include "space.h"
#include "verdict.h"
#include "join.h"

#define nothing   1
#define values    2
#define positions 3

/* Kept apart, so that runs of one owner's contributions do not wait for their own counter. */
#define QUARTERS 4
#define CLASSES  (OWNERS + 1) /* the last is for nobody's */

/* v * OWNERS / size, but for rounding: the same way up everywhere. */
#define OWNER(value) ((ulong)(value) < (ulong)size ? (uint)(((ulong)(value)*scale) >> 32) : (uint)OWNERS)
#define AT_QUARTER(q) index[index_at + (begin + (q)*quarter + i) * INDEX_STEP]
#if defined DENSE
#define INDEX_STEP 1
#else
#define INDEX_STEP index_step
#endif

__kernel void partition(SPACE, OPERAND(const I, index), SOURCE, const long size, const ulong scale, const int check,
                        __global int *verdict, __global uint *starts, __global uint *places,
                        __global KEPT *kept) {
  if (!(known_before(WAY, verdict) & UNSORTED)) return;
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / blocks, begin = item % blocks * BLOCK;
  if (row >= rows) return;
  const int count = columns - begin < BLOCK ? (int)(columns - begin) : BLOCK;
  const int quarter = (count + QUARTERS - 1) / QUARTERS, last = max(count - (QUARTERS - 1) * quarter, 0);
  const coordinates at = coordinates_of(row, rows, sizes);
  const long index_at = index_offset + inner_product(at, index_strides);

  uint next[QUARTERS][CLASSES];
  for (int q = 0; q < QUARTERS; q++)
    for (int class = 0; class < CLASSES; class++) next[q][class] = 0;
  /* all quarters side by side as far as the last one goes, then what the others have left */
#define COUNT_ONE(q)                                                                                                   \
  {                                                                                                                    \
    const long value = IN_MODE(WIDE(AT_QUARTER(q)), size);                                                             \
    next[q][OWNER(value)]++;                                                                                           \
  }
  for (int i = 0; i < last; i++) {
    COUNT_ONE(0) COUNT_ONE(1) COUNT_ONE(2) COUNT_ONE(3)
  }
  for (int q = 0; q < QUARTERS - 1; q++)
    for (int i = last; i < min(quarter, count - q * quarter); i++) COUNT_ONE(q)

  uint start = 0;
  for (int class = 0; class < CLASSES; class++) {
    starts[item * CLASSES + class] = start;
    for (int q = 0; q < QUARTERS; q++) {
      const uint met = next[q][class];
      next[q][class] = start;
      start += met;
    }
  }
  if (check && starts[item * CLASSES + OWNERS] < (uint)count) tell(WAY, BAD, verdict);

  const long to = row * columns + begin;
#if KEEP == values
  const long src_at = src_offset + inner_product(at, src_strides) + begin * src_step;
#define KEEP_ONE(q) kept[to + slot] = src[src_at + ((q)*quarter + i) * src_step];
#elif KEEP == positions
#define KEEP_ONE(q) kept[to + slot] = (uint)(begin + (q)*quarter + i);
#else
#define KEEP_ONE(q)
#endif
#define MOVE_ONE(q)                                                                                                    \
  {                                                                                                                    \
    const long value = IN_MODE(WIDE(AT_QUARTER(q)), size);                                                             \
    const uint slot = next[q][OWNER(value)]++;                                                                         \
    places[to + slot] = (uint)value;                                                                                   \
    KEEP_ONE(q)                                                                                                        \
  }
  for (int i = 0; i < last; i++) {
    MOVE_ONE(0) MOVE_ONE(1) MOVE_ONE(2) MOVE_ONE(3)
  }
  for (int q = 0; q < QUARTERS - 1; q++)
    for (int i = last; i < min(quarter, count - q * quarter); i++) MOVE_ONE(q)
}

#define COLUMNS_OF(source_at, position)                                                                                \
  for (long c = 0; c < width; c++)                                                                                     \
    JOIN_AT(self_at + place * self_place + c * self_column, VALUE(src[(source_at) + c * src_column]),                  \
            ARG_AT(place) + c * arg_column, position);
#ifdef ARG
#define ARG_AT(place) (arg_at + (place)*arg_place)
#else
#define ARG_AT(place) 0
#endif
#define SHARED                                                                                                         \
  SPACE, TARGET, SOURCE, const long size, const long width, const long self_column, const long src_column,             \
      const long arg_column
#ifdef ARG
#define ARG_START const long arg_at = arg_offset + inner_product(at, arg_strides);
#else
#define ARG_START
#endif
#define ROW_STARTS                                                                                                     \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const long self_at = self_offset + inner_product(at, self_strides);                                                  \
  const long src_at = src_offset + inner_product(at, src_strides);                                                     \
  ARG_START

__kernel void join(SHARED, __global const int *verdict, __global const uint *starts, __global const uint *places,
                   __global const KEPT *kept) {
  const int known = known_before(STAGES, verdict);
  if ((known & BAD) || !(known & UNSORTED)) return;
  const long blocks = (columns + BLOCK - 1) / BLOCK;
  const long item = (long)get_global_id(0), row = item / OWNERS, owner = item % OWNERS;
  if (row >= rows) return;
  ROW_STARTS
  for (long block = 0; block < blocks; block++) {
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

__kernel void sorted(SHARED, OPERAND(const I, index), const long chunk, __global const int *verdict) {
  if (known_before(WAY, verdict) & (BAD | UNSORTED)) return;
  const long row = 0, begin = (long)get_global_id(0) * chunk;
  if (begin >= columns) return;
  ROW_STARTS
  const long end = columns - begin < chunk ? columns : begin + chunk;
  long i = begin;
#define VALUE_AT(i) index[index_offset + (i) * INDEX_STEP]
  if (begin > 0)
    while (i < end && VALUE_AT(i) == VALUE_AT(begin - 1)) i++;
  while (i < end) {
    const I value = VALUE_AT(i);
    const long place = IN_MODE(WIDE(value), size);
    const bool is_ours = (ulong)place < (ulong)size;
#ifdef SIMPLE
    W joined = is_ours ? CAT(load_, S)(self[self_at + place * self_place]) : CAT(load_, S)(0);
    do {
      joined = JOIN(joined, VALUE(src[src_at + i * src_step]));
    } while (++i < columns && VALUE_AT(i) == value);
    if (is_ours) self[self_at + place * self_place] = CAT(store_, S)(joined);
#else
    do {
      if (is_ours) { COLUMNS_OF(src_at + i * src_step, i) }
    } while (++i < columns && VALUE_AT(i) == value);
#endif
  }
}
