/* index.cl: passes over an index: range check, test for order, range of values. A group takes `chunk` values, each of
   its LANES work-items every LANES-th one: a CPU then reads sequentially, and a GPU's loads are coalesced. I is the
   index type. DENSE: values are contiguous; else coordinates are computed for each. ORDERED: values that are less than
   the one before them in their row are bad, too. */
#include "index.h"

#ifdef DENSE
#define OFFSET_OF(i) (index_offset + (i))
#else
#define OFFSET_OF(i) offset_of(i, columns, rows, sizes, index_offset, index_step, index_strides)
static inline long offset_of(long i, long columns, long rows, coordinates sizes, long offset, long step,
                             coordinates strides) {
  const long row = i / columns;
  return offset + (i - row * columns) * step + inner_product(coordinates_of(row, rows, sizes), strides);
}
#endif

#ifdef ORDERED
#define DESCENDS(i, value)                                                                                             \
  ((i) != (rows == 1 ? 0 : quotient(i, columns) * columns) && (value) < WIDE(index[OFFSET_OF((i)-1)]))
#else
#define DESCENDS(i, value) false
#endif

#define CHUNK CHUNK_FROM(0)
#define CHUNK_FROM(first)                                                                                              \
  const long count = columns * rows, begin = ((first) + (long)group_id()) * chunk;                                     \
  const long end = count - begin < chunk ? count : begin + chunk;                                                      \
  const int lane = (int)get_local_id(0)

/* Initialises the verdict. One group of 64 work-items: they compare two neighbouring values each, and values a window
   apart. If some descend, testing the whole index for order is not worth while. */
__kernel void sample(SPACE, OPERAND(const I, index), __global int *verdict) {
  const long count = columns * rows;
  if (get_local_id(0) < STAGES) verdict[get_local_id(0)] = 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (count < 2) return;
  const long window = count / 64, at = (long)get_local_id(0) * window, next = at + window;
  const I value = index[OFFSET_OF(at)], after = index[OFFSET_OF(at + 1 < count ? at + 1 : at)];
  if (value > after || (window > 0 && value > index[OFFSET_OF(next < count ? next : count - 1)]))
    verdict_add(START, UNSORTED, verdict);
}

/* value - lowest and highest - value both have a clear top bit exactly if value is in range, because the limits are
   close to 0. */
__kernel void check(SPACE, OPERAND(const I, index), const long chunk, const long lowest, const long highest,
                    __global int *verdict) {
  CHUNK;
  ulong bad = 0;
  for (long i = begin + lane; i < end; i += LANES) {
    const long value = WIDE(index[OFFSET_OF(i)]);
    bad |= (ulong)(value - lowest) | (ulong)(highest - value);
    if (DESCENDS(i, value)) bad = ~0ul;
  }
  if (bad >> 63) verdict_add(CHECK, BAD, verdict);
}

/* Tests for ascending order; with `check`, the range as well; with `long_run` above 0, if a value equals that so many
   after it. */
__kernel void check_order(SPACE, OPERAND(const I, index), const long chunk, const long lowest, const long highest,
                          const int check, const int long_run, __global int *verdict) {
  CHUNK;
  if (verdict_before(CHECK, verdict) & UNSORTED) return;
  ulong bad = 0;
  int unsorted = 0, is_long = 0;
  const long last = end < count ? end : count - 1;
  for (long i = begin + lane; i < last; i += LANES) {
    const I value = index[OFFSET_OF(i)];
    unsorted |= value > index[OFFSET_OF(i + 1)];
    if (long_run && i + long_run < count) is_long |= value == index[OFFSET_OF(i + long_run)];
    bad |= (ulong)(WIDE(value) - lowest) | (ulong)(highest - WIDE(value));
  }
  if (end == count)
    bad |= (ulong)(WIDE(index[OFFSET_OF(last)]) - lowest) | (ulong)(highest - WIDE(index[OFFSET_OF(last)]));
  if (unsorted) verdict_add(CHECK, UNSORTED, verdict);
  if (is_long) verdict_add(CHECK, LONG_RUN, verdict);
  if (check && bad >> 63) verdict_add(CHECK, BAD, verdict);
}

/* One work-item per group: the first bad position of each chunk, or -1. */
__kernel void first_bad(SPACE, OPERAND(const I, index), const long chunk, const long lowest, const long highest,
                        __global long *first) {
  CHUNK;
  long found = -1;
  for (long i = begin; i < end; i++) {
    const long value = WIDE(index[OFFSET_OF(i)]);
    if (found < 0 && (value < lowest || value > highest || DESCENDS(i, value))) found = i;
  }
  if (lane == 0) first[group_id()] = found;
}

/* Each group's smallest and largest value. The first group takes chunk number `first`. */
__kernel void range(SPACE, OPERAND(const I, index), const long chunk, const long first, __global long2 *ranges) {
  CHUNK_FROM(first);
  __local I lowest[LANES], highest[LANES];
  I low = index[OFFSET_OF(begin)], high = low;
  for (long i = begin + lane; i < end; i += LANES) {
    const I value = index[OFFSET_OF(i)];
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  lowest[lane] = low, highest[lane] = high;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane) return;
  for (int k = 1; k < LANES; k++) {
    low = lowest[k] < low ? lowest[k] : low;
    high = highest[k] > high ? highest[k] : high;
  }
  ranges[group_id()] = (long2)(WIDE(low), WIDE(high));
}
