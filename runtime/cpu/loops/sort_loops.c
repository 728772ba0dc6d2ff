/* sort_loops.c: sorting of short lines side by side, for one instruction set: Batcher's network by merges of odd and
   even items (Knuth, The Art of Computer Programming 5.2.2, algorithm M), for any number of items. Which items are
   compared does not depend on them, so all lanes make the same steps, without branches. */
#include "sort_loops.h"

#ifndef __clang__ /* GCC needs leave to compare by minpd and maxpd; no item is NaN, and no two are equal */
#pragma GCC optimize("finite-math-only", "no-signed-zeros")
#endif

/* Puts items at .. at + count - 1 of each lane in order with those `apart` behind. */
static inline void order_pairs(double *items, int64_t at, int64_t count, int64_t apart) {
  double *low = items + at * LANES, *high = low + apart * LANES;
  for (int64_t i = 0; i < count; i++, low += LANES, high += LANES) {
    INDEPENDENT ROLLED for (int lane = 0; lane < LANES; lane++) {
      const double a = low[lane], b = high[lane];
      low[lane] = a < b ? a : b;
      high[lane] = b > a ? b : a;
    }
  }
}

static void sort_lanes(double *items, int64_t count) {
  int64_t top = 1;
  while (2 * top < count) top *= 2;
  for (int64_t run = top; run > 0; run /= 2)
    for (int64_t next = top, first = 0, apart = run;; apart = next - run, next /= 2, first = run) {
      for (int64_t at = first; at < count - apart; at += 2 * run)
        order_pairs(items, at, run < count - apart - at ? run : count - apart - at, apart);
      if (next == run) break;
    }
}

const struct sort_loops LOOPS_TABLE(sort) = {sort_lanes};
