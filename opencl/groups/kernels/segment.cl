/* segment.cl: reductions of consecutive elements. A work-item joins one segment's elements in order, of STRIP adjacent
   columns (STRIP is 1 if the last dimension is no columns). A launch takes elements from .. to - 1 of every line of
   src; a segment with later elements leaves its value so far in out, or in `state` if out's dtype cannot hold it.
   The host defines what join.h and space.h need, and
     ARG      positions of the winners are stored, too
     STATE    values under way are in `state`, one for each column of the plan, in row-major order
     LONG     segments with more elements are left to segments_long, in which a group adds one (run.h): of sums of
              float32 or float64, with TILE elements in local memory, by groups of GROUP_SIZE
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
  const long begin = WIDE(ends[ends_at]), end = WIDE(ends[ends_at + ends_run])

#ifdef SPREAD
__kernel void spread(SPACE, OPERAND(const T, out), OPERAND(T, src), OPERAND(const I, ends), const long src_run,
                     const long ends_run, const long from, const long to) {
  SEGMENT;
  const long low = begin < from ? from : begin, high = end < to ? end : to;
  for (long i = low; i < high; i++)
    for (int c = 0; c < count; c++) src[src_at + i * src_run + c * src_step] = out[out_at + c * out_step];
}
#else
#define REDUCED                                                                                                        \
  SPACE, OPERAND(T, out), OPERAND(const T, src), OPERAND(const I, ends) ARG_OPERAND, const long src_run,               \
      const long ends_run, const long from, const long to, const long size, const int mean, const T start,             \
      const T empty, __global W *state PROGRAM
__kernel void segments(REDUCED) {
  SEGMENT;
#ifdef LONG
  if (end - begin > LONG) return;
#endif
  FOR_ARG(const long arg_at = arg_offset + first * arg_step + inner_product(at, arg_strides);)
  if (begin == end) {
    for (int c = 0; from == 0 && c < count; c++) {
      out[out_at + c * out_step] = empty;
      FOR_ARG(arg[arg_at + c * arg_step] = size;)
    }
    return;
  }
  const long low = begin < from ? from : begin, high = end < to ? end : to;
  if (low >= high) return;
  W held[STRIP];
  FOR_ARG(long winner[STRIP];)
  for (int c = 0; c < count; c++) {
    held[c] = CAT(load_, S)(start);
#ifdef STATE
    if (begin < from) held[c] = state[row * columns + first + c];
#else
    if (begin < from) held[c] = CAT(load_, S)(out[out_at + c * out_step]);
#endif
#ifdef ARG
    if (begin >= from) held[c] = CAT(load_, S)(ELEMENT_AT(src, src_at + c * src_step + low * src_run));
    winner[c] = begin < from ? arg[arg_at + c * arg_step] : low;
#endif
  }
  IN_ORDER for (long i = low; i < high; i++) {
    const long element = src_at + i * src_run;
    for (int c = 0; c < count; c++) {
      const W joined = JOIN(held[c], CAT(load_, S)(ELEMENT_AT(src, element + c * src_step)));
      FOR_ARG(winner[c] = CAT(differs_, S)(held[c], joined) ? i : winner[c];)
      held[c] = joined;
    }
  }
  for (int c = 0; c < count; c++) {
    W result = held[c];
    if (end <= to && mean) result = CAT(divide_by_count_, S)(result, end - begin);
#ifdef STATE
    if (end > to) {
      state[row * columns + first + c] = result;
      continue;
    }
#endif
    out[out_at + c * out_step] = CAT(store_, S)(result);
    FOR_ARG(arg[arg_at + c * arg_step] = winner[c];)
  }
}

#ifdef LONG
#include "opencl/core/kernels/run.h"

/* A group's segments are numbers `group`, group + groups, ...: neighbours are different groups'. */
GROUP_KERNEL segments_long(REDUCED, const long groups) {
  __local W tile[TILE];
  __local struct run_scratch scratch;
  __local int found[GROUP_SIZE], count_found;
  const int lane = (int)get_local_id(0);
  const long group = (long)group_id(), all = columns * rows;
  for (long chunk = 0; chunk * groups + group < all; chunk += GROUP_SIZE) {
    if (lane == 0) count_found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long number = (chunk + lane) * groups + group;
    if (number < all) {
      const long row = quotient(number, columns), first = number - row * columns;
      SEGMENT_OF;
      if (end - begin > LONG && begin < to && end > from) found[atomic_inc(&count_found)] = lane;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < count_found; k++) {
      const long next = (chunk + found[k]) * groups + group, row = quotient(next, columns);
      const long first = next - row * columns;
      SEGMENT_OF;
      const long low = begin < from ? from : begin, high = end < to ? end : to;
      W held = CAT(load_, S)(begin < from ? out[out_at] : start);
      for (long i = low; i < high; i += TILE) {
        const int rows_here = high - i < TILE ? (int)(high - i) : TILE;
        for (int t = lane; t < rows_here; t += GROUP_SIZE)
          tile[t] = CAT(load_, S)(ELEMENT_AT(src, src_at + (i + t) * src_run));
        held = run_sum(held, tile, rows_here, &scratch);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (lane == 0)
        out[out_at] = CAT(store_, S)(end <= to && mean ? CAT(divide_by_count_, S)(held, end - begin) : held);
      (void)count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
#endif
