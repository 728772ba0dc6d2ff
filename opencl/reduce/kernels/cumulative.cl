/* cumulative.cl: cumulative products, and positions of cumulative extremes, of lines of dtype S. SPACE and the
   operands' strides are those of the lines; elements of a line are out_run and in_run apart. Elements begin .. end - 1
   of each line are taken in order, after those before them, whose last result an earlier launch has written.
     products    S is f32, f64 or i64. in and out may be the same elements
     extremes    of equal elements the last one wins; of NaN, which win, too
   A work-item takes a line; or, with TILE, a group of GROUP_SIZE, which moves TILE elements at a time through local
   memory: of few lines one alone would wait for each element. The host defines S, OUTER and WAY. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"

#define PRODUCTS 0
#define LARGEST  1
#define SMALLEST 2

typedef CAT(T_, S) element;

#define RANGE const long lines, const long begin, const long end, const long out_run, const long in_run
#define FIRSTS                                                                                                         \
  const long line = (long)get_global_id(0);                                                                            \
  if (line >= lines) return;                                                                                           \
  FIRSTS_OF(line)
#define FIRSTS_OF(line)                                                                                                \
  PLACE_OF(line);                                                                                                      \
  const long in_first = AT(in), out_first = AT(out)

#ifdef TILE
#define FIRSTS_OF_GROUP                                                                                                \
  FIRSTS_OF((long)group_id());                                                                                         \
  const int lane = (int)get_local_id(0)
#define TILES         long first = begin; first < end; first += TILE
#define COUNT         ((int)min((long)TILE, end - first))
#define MINE          int t = lane; t < count; t += GROUP_SIZE
#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

#if WAY == PRODUCTS
#define PRODUCT_SO_FAR                                                                                                 \
  element product = 1;                                                                                                 \
  if (begin) product = out[out_first + (begin - 1) * out_run]
#ifdef TILE
GROUP_KERNEL products(SPACE, OPERAND(element, out), OPERAND(const element, in), RANGE) {
  __local element tile[TILE];
  FIRSTS_OF_GROUP;
  PRODUCT_SO_FAR;
  for (TILES) {
    const int count = COUNT;
    for (MINE) tile[t] = in[in_first + (first + t) * in_run];
    LOCAL_BARRIER;
    IN_ORDER for (int t = 0; t < count && lane == 0; t++) tile[t] = product = CAT(times_, S)(product, tile[t]);
    LOCAL_BARRIER;
    for (MINE) out[out_first + (first + t) * out_run] = tile[t];
    LOCAL_BARRIER;
  }
}
#else
__kernel void products(SPACE, OPERAND(element, out), OPERAND(const element, in), RANGE) {
  FIRSTS;
  PRODUCT_SO_FAR;
  IN_ORDER for (long i = begin; i < end; i++) {
    product = CAT(times_, S)(product, in[in_first + i * in_run]);
    out[out_first + i * out_run] = product;
  }
}
#endif
#else
#define EXACT      CAT(EXACT_, S)
#define ELEMENT(i) CAT(exact_, S)(in[in_first + (i)*in_run])
#define LESS       CAT(less_, EXACT)
#define IS_NAN     CAT(isnan_, EXACT)

#define EXTREMES                                                                                                       \
  SPACE, OPERAND(long, out), OPERAND(const element, in), OPERAND(element, values), RANGE, const long value_run
#define BEST_SO_FAR                                                                                                    \
  const long value_first = AT(values);                                                                                 \
  long position = 0;                                                                                                   \
  if (begin) position = out[out_first + (begin - 1) * out_run];                                                        \
  CAT(T_, EXACT) best = ELEMENT(position)
#define STORE(i, winner)                                                                                               \
  {                                                                                                                    \
    out[out_first + (i)*out_run] = winner;                                                                             \
    values[value_first + (i)*value_run] = in[in_first + (winner)*in_run];                                              \
  }
#ifdef TILE
/* Whether x, a later element or the best of later ones, takes the place of the best so far. */
static inline bool wins(CAT(T_, EXACT) x, CAT(T_, EXACT) best) {
  const bool is_worse = WAY == LARGEST ? LESS(x, best) : LESS(best, x);
  return IS_NAN(x) || (!IS_NAN(best) && !is_worse);
}

/* Each work-item finds the best of neighbouring elements, `ends` of which are joined by a scan; then it takes its
   elements again, after the best before them. Places are those in the tile, -1 before it. */
GROUP_KERNEL extremes(EXTREMES) {
  enum { EACH = (TILE + GROUP_SIZE - 1) / GROUP_SIZE };
  __local CAT(T_, EXACT) tile[TILE];
  __local int places[TILE], ends[GROUP_SIZE];
  FIRSTS_OF_GROUP;
  BEST_SO_FAR;
  for (TILES) {
    const int count = COUNT, low = min(count, lane * EACH), high = min(count, low + EACH);
    for (MINE) tile[t] = ELEMENT(first + t);
    LOCAL_BARRIER;
    int place = low < high ? low : -1;
    for (int t = low + 1; t < high; t++)
      if (wins(tile[t], tile[place])) place = t;
    for (int step = 1; step < GROUP_SIZE; step *= 2) {
      ends[lane] = place;
      LOCAL_BARRIER;
      const int before = lane < step ? -1 : ends[lane - step];
      if (before >= 0 && (place < 0 || !wins(tile[place], tile[before]))) place = before;
      LOCAL_BARRIER;
    }
    ends[lane] = place;
    LOCAL_BARRIER;
    const int last = ends[GROUP_SIZE - 1];
    place = lane ? ends[lane - 1] : -1;
    if (place >= 0 && !wins(tile[place], best)) place = -1;
    for (int t = low; t < high; t++) {
      if (wins(tile[t], place < 0 ? best : tile[place])) place = t;
      places[t] = place;
    }
    LOCAL_BARRIER;
    for (MINE) {
      const long winner = places[t] < 0 ? position : first + places[t];
      STORE(first + t, winner)
    }
    if (wins(tile[last], best)) best = tile[last], position = first + last;
    LOCAL_BARRIER;
  }
}
#else
__kernel void extremes(EXTREMES) {
  FIRSTS;
  BEST_SO_FAR;
  /* not wins(): PoCL's compiler makes a loop of it that takes a seventh longer */
  IN_ORDER for (long i = begin; i < end; i++) {
    const CAT(T_, EXACT) x = ELEMENT(i);
    const bool is_worse = WAY == LARGEST ? LESS(x, best) : LESS(best, x);
    if (IS_NAN(x) || (!IS_NAN(best) && !is_worse)) best = x, position = i;
    STORE(i, position)
  }
}
#endif
#endif
