/* segment.cl: reductions of consecutive elements. A work-item joins one segment's elements in order, of STRIP adjacent
   columns (STRIP is 1 if the last dimension is no columns). A launch takes elements from .. to - 1 of every line of
   src; a segment with later elements leaves its value so far in out, or in `state` if out's dtype cannot hold it.
   The host defines what join.h and space.h need, and
     ARG      positions of the winners are stored, too
     STATE    values under way are in `state`, one for each column of the plan, in row-major order
     LONG     segments with more elements are left to another kernel, in which a group of GROUP_SIZE takes one, TILE
              elements at a time in local memory: with ADDS sums of floats (run.h), with PAIRS all others (join.h), but
              products of floats by one work-item
     SPREAD   the reverse: the work-item writes the segment's value, in out, to its elements. S is an integer dtype */
#include "opencl/core/kernels/computed.h"
#include "opencl/core/kernels/join.h"

#ifdef ARG
#define ARG_OPERAND   , OPERAND(long, arg)
#define FOR_ARG(text) text
#else
#define ARG_OPERAND
#define FOR_ARG(text)
#endif

/* The work-item's segment and columns; those of `first` and `row`. */
#define SEGMENT                                                                                                        \
  const long first = (long)get_global_id(0) * STRIP, row = (long)get_global_id(1);                                     \
  if (first >= columns || row >= rows) return;                                                                         \
  SEGMENT_OF
#define SEGMENT_OF                                                                                                     \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const int count = STRIP == 1 || columns - first >= STRIP ? STRIP : (int)(columns - first);                           \
  const long out_at = out_offset + first * out_step + inner_product(at, out_strides);                                  \
  const long src_at = src_offset + first * src_step + inner_product(at, src_strides);                                  \
  const long ends_at = ends_offset + first * ends_step + inner_product(at, ends_strides);                              \
  const long begin = WIDE(ends[ends_at]), end = WIDE(ends[ends_at + ends_run]);                                        \
  const long low = begin < from ? from : begin, high = end < to ? end : to

#ifdef LONG
#define SHORT_SEGMENT                                                                                                  \
  SEGMENT;                                                                                                             \
  if (end - begin > LONG) return
/* Runs REST for each long segment of the group, whose segments are numbers `group`, group + groups, ...: neighbours
   are different groups'. */
#define LONG_SEGMENTS(REST)                                                                                            \
  __local int found[GROUP_SIZE], count_found;                                                                          \
  const int lane = (int)get_local_id(0);                                                                               \
  const long group = (long)group_id(), all = columns * rows;                                                           \
  for (long chunk = 0; chunk * groups + group < all; chunk += GROUP_SIZE) {                                            \
    if (lane == 0) count_found = 0;                                                                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    const long number = (chunk + lane) * groups + group;                                                               \
    if (number < all) {                                                                                                \
      const long row = quotient(number, columns), first = number - row * columns;                                      \
      SEGMENT_OF;                                                                                                      \
      if (end - begin > LONG && low < high) found[atomic_inc(&count_found)] = lane;                                    \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (int k = 0; k < count_found; k++) {                                                                            \
      const long next = (chunk + found[k]) * groups + group, row = quotient(next, columns);                            \
      const long first = next - row * columns;                                                                         \
      SEGMENT_OF;                                                                                                      \
      REST                                                                                                             \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }
#else
#define SHORT_SEGMENT SEGMENT
#endif

#ifdef SPREAD
#define SPREADING                                                                                                      \
  SPACE, OPERAND(const T, out), OPERAND(T, src), OPERAND(const I, ends), const long src_run, const long ends_run,      \
      const long from, const long to
__kernel void spread(SPREADING) {
  SHORT_SEGMENT;
  for (long i = low; i < high; i++)
    for (int c = 0; c < count; c++) src[src_at + i * src_run + c * src_step] = out[out_at + c * out_step];
}
#ifdef LONG
GROUP_KERNEL spread_long(SPREADING, const long groups) {
  LONG_SEGMENTS(for (long i = low + lane; i < high; i += GROUP_SIZE) src[src_at + i * src_run] = out[out_at];)
}
#endif
#else
#define REDUCED                                                                                                        \
  SPACE, OPERAND(T, out), OPERAND(const T, src), OPERAND(const I, ends) ARG_OPERAND, const long src_run,               \
      const long ends_run, const long from, const long to, const long size, const int mean, const T start,             \
      const T empty, __global W *state PROGRAM
#define ARG_AT_FIRST const long arg_at = arg_offset + first * arg_step + inner_product(at, arg_strides);
#define OUT_AT(c)    out[out_at + (c)*out_step]
#define VALUE_AT(i)  CAT(load_, S)(ELEMENT_AT(src, i))
#ifdef STATE
#define SO_FAR(c)  state[row * columns + first + (c)]
#define LEAVE(c)   if (end > to) SO_FAR(c) = result; else
#else
#define SO_FAR(c)  CAT(load_, S)(OUT_AT(c))
#define LEAVE(c)
#endif
#define FINISH(c, held)                                                                                                \
  const W result = end <= to && mean ? CAT(divide_by_count_, S)(held, end - begin) : held;                             \
  LEAVE(c) OUT_AT(c) = CAT(store_, S)(result);

__kernel void segments(REDUCED) {
  SHORT_SEGMENT;
  FOR_ARG(ARG_AT_FIRST)
  if (begin == end) {
    for (int c = 0; from == 0 && c < count; c++) {
      OUT_AT(c) = empty;
      FOR_ARG(arg[arg_at + c * arg_step] = size;)
    }
    return;
  }
  if (low >= high) return;
  W held[STRIP];
  FOR_ARG(long winner[STRIP];)
  for (int c = 0; c < count; c++) {
    held[c] = CAT(load_, S)(start);
    if (begin < from) held[c] = SO_FAR(c);
#ifdef ARG
    if (begin >= from) held[c] = VALUE_AT(src_at + c * src_step + low * src_run);
    winner[c] = begin < from ? arg[arg_at + c * arg_step] : low;
#endif
  }
  IN_ORDER for (long i = low; i < high; i++) {
    const long element = src_at + i * src_run;
    for (int c = 0; c < count; c++) {
      const W joined = JOIN(held[c], VALUE_AT(element + c * src_step));
      FOR_ARG(winner[c] = CAT(differs_, S)(held[c], joined) ? i : winner[c];)
      held[c] = joined;
    }
  }
  for (int c = 0; c < count; c++) {
    FINISH(c, held[c])
    FOR_ARG(arg[arg_at + c * arg_step] = winner[c];)
  }
}

#ifdef LONG
#ifdef ADDS
#include "opencl/core/kernels/run.h"
#endif
#if defined(ADDS)
#define JOIN_TILE held = run_sum(held, tile, rows_here, &scratch);
#elif defined(PAIRS)
#define JOIN_TILE                                                                                                      \
  join_pairs(tile, rows_here POSITIONS_OF(position));                                                                  \
  const W joined = JOIN(held, tile[0]);                                                                                \
  FOR_ARG(if (CAT(differs_, S)(held, joined)) winner = i + position[0];)                                               \
  held = joined;
#else
#define JOIN_TILE                                                                                                      \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  IN_ORDER for (int t = 0; t < rows_here && lane == 0; t++) held = JOIN(held, tile[t]);
#endif

#define JOIN_LONG                                                                                                      \
  FOR_ARG(ARG_AT_FIRST)                                                                                                \
  W held = CAT(load_, S)(start);                                                                                       \
  if (begin < from) held = SO_FAR(0);                                                                                  \
  FOR_ARG(if (begin >= from) held = VALUE_AT(src_at + low * src_run);)                                                 \
  FOR_ARG(long winner = begin < from ? arg[arg_at] : low;)                                                             \
  for (long i = low; i < high; i += TILE) {                                                                            \
    const int rows_here = high - i < TILE ? (int)(high - i) : TILE;                                                    \
    for (int t = lane; t < rows_here; t += GROUP_SIZE) {                                                               \
      tile[t] = VALUE_AT(src_at + (i + t) * src_run);                                                                  \
      FOR_ARG(position[t] = (uint)t;)                                                                                  \
    }                                                                                                                  \
    JOIN_TILE                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }                                                                                                                    \
  if (lane == 0) {                                                                                                     \
    FINISH(0, held)                                                                                                    \
    FOR_ARG(arg[arg_at] = winner;)                                                                                     \
  }                                                                                                                    \
  (void)count;

GROUP_KERNEL segments_long(REDUCED, const long groups) {
  __local W tile[TILE];
  FOR_ARG(__local uint position[TILE];)
#ifdef ADDS
  __local struct run_scratch scratch;
#endif
  LONG_SEGMENTS(JOIN_LONG)
}
#endif
#endif
