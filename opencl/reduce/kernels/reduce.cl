/* reduce.cl: folds, in the order of reduce_ops.h, so that results have the CPU's bits. The elements of an
   output come in blocks of 1024. One of three kernels folds a block into a value:
     fold_items   one work-item per block of one output, with its 16 lanes in registers
     fold_tile    one work-item per block of TILE adjacent outputs: for processors with vectors
     fold_lanes   16 work-items per block, one for each lane: adjacent work-items read adjacent elements
   join_few and join_many join 16 or 1024 adjacent block values per launch. The kernel that computes an output's last
   value finishes it.

   The host defines
     S, OUT       suffixes of the dtypes of elements and outputs
     FOLD         FOLD_WIDE, ...
     JOINED       join_ and the name of a row of STREW_FOLDS (FOLD_WIDE and FOLD_TRUTH)
     IS_FLOAT     1: S is a float
     WAY          WAY_ITEMS, WAY_TILE, WAY_LANES or WAY_JOIN: the kernels to compile
     OUTER        see space.h
     FLAT         1: there is one folded dimension
     DENSE        1: unit stride between elements of an output (WAY_ITEMS, with FLAT) or between columns (WAY_TILE)
     FEW          WAY_ITEMS: most elements of an output; 0: any number
     SLOTS        WAY_LANES: blocks in a group of 16 * SLOTS
     ACROSS       WAY_LANES: 1: adjacent work-items have adjacent outputs, not elements
   and, in place of S, a program (computed.h) */
#include "opencl/core/kernels/computed.h"

/* Columns `gives` of STREW_FOLDS; FOLD_SAME and FOLD_PLACE find the greatest. */
#define FOLD_WIDE       0
#define FOLD_GAPS       1 /* sums of what elements exceed the first one by */
#define FOLD_DEVIATIONS 2 /* sums of squares of the gaps' differences from their means */
#define FOLD_SAME       3
#define FOLD_PLACE      4
#define FOLD_TRUTH      5

#define WAY_ITEMS 0
#define WAY_TILE  1
#define WAY_LANES 2
#define WAY_JOIN  3

#define BLOCK 1024
#define LANES 16
#define FAN   16 /* block values per work-item */
#define GROUP 64

/* ----------------------------------------------------------------------------------------------------- the elements

   IN and OUT_OF are stored types, `element` is the type that folds compute with. Extremes compare integers: the bits of
   a float, changed so that they increase with it, -0 below +0, and NaN above all. So results do not depend on the float
   comparisons of a device. For amin and all, every bit is flipped on the way in and out: flip is -1. */
#define WIDE CAT(EXACT_, S)
typedef CAT(T_, WIDE) wide;
#define IS_WINNER  (FOLD == FOLD_PLACE)
#define IS_EXTREME (FOLD == FOLD_SAME || IS_WINNER)

#if IS_EXTREME && IS_FLOAT
#define INFINITE_f32  0x7f800000
#define INFINITE_f64  0x7ff0000000000000
#define INFINITE_f16  0x7c00
#define INFINITE_bf16 0x7f80
#define QUIET_f32     0x400000
#define QUIET_f64     0x8000000000000
#define QUIET_f16     0x200
#define QUIET_bf16    0x40
typedef int key_f32;
typedef long key_f64;
typedef short key_f16, key_bf16;
typedef CAT(B_, S) IN;
typedef CAT(key_, S) element;
#ifdef GIVES
#define BITS_f32(x)  as_uint(x)
#define BITS_f64(x)  as_ulong(x)
#define BITS_f16(x)  (x)
#define BITS_bf16(x) (x)
#define LOADED(at)   CAT(BITS_, S)(ELEMENT_AT(in, at))
#endif
#define LARGEST ((element)((IN) ~(IN)0 >> 1))
static inline element turned(element x) { return x < 0 ? x ^ LARGEST : x; }
static inline element element_of(IN bits, int flip) {
  const element magnitude = (element)(bits & (IN)LARGEST);
  return magnitude > CAT(INFINITE_, S) ? LARGEST : (element)(turned((element)bits) ^ flip);
}
static inline IN stored(element x, int flip) {
  return x == LARGEST ? (IN)(CAT(INFINITE_, S) | CAT(QUIET_, S)) : (IN)turned((element)(x ^ flip));
}
#elif IS_EXTREME
typedef CAT(T_, S) IN, element;
static inline element element_of(IN x, int flip) { return (element)(CAT(load_, S)(x) ^ flip); }
static inline IN stored(element x, int flip) { return (IN)(x ^ flip); }
#elif FOLD == FOLD_TRUTH
typedef CAT(T_, S) IN;
typedef uchar element;
static inline element element_of(IN x, int flip) {
  return (element)(CAT(b8_from_, WIDE)(CAT(load_, S)(x)) ^ (flip & 1));
}
static inline uchar stored(element x, int flip) { return (uchar)(x ^ (flip & 1)); }
#else
typedef CAT(T_, S) IN;
typedef CAT(W_, S) element;
static inline element element_of(IN x, int flip) { return CAT(load_, S)(x); }
#endif

#if IS_WINNER
typedef long OUT_OF;
#elif IS_EXTREME
typedef IN OUT_OF;
#else
typedef CAT(T_, OUT) OUT_OF;
#endif

/* ------------------------------------------------------------------------------------------------------ the folds

   A is the type of gathered values; STEP(a, x) joins an element x to a, JOIN(a, b) joins two. */
#define JOINING(A, name, identity, joined)                                                                             \
  static inline A CAT(name, _identity)(void) { return identity; }                                                      \
  static inline A name(A a, A b) { return (A)(joined); }
#define JOINING_SAME(name, identity, joined)
#define JOINING_PLACE(name, identity, joined)
#if FOLD == FOLD_TRUTH
#define JOINING_WIDE(name, identity, joined)
#define JOINING_TRUTH(name, identity, joined) JOINING(uchar, name, identity, joined)
#else
#define JOINING_WIDE(name, identity, joined) JOINING(wide, name, identity, joined)
#define JOINING_TRUTH(name, identity, joined)
#endif
#define ZERO        0
#define ONE         1
#define PLUS(a, b)  CAT(plus_, WIDE)(a, b)
#define TIMES(a, b) CAT(times_, WIDE)(a, b)
#define ROW(ENUM, f, takes, gives, empty, finish, loops, kernel, flip, identity, joined)                               \
  JOINING_##gives(join_##f, identity, joined)
#if FOLD == FOLD_WIDE || FOLD == FOLD_TRUTH
STREW_FOLDS(ROW)
#endif
#undef ROW

#if FOLD == FOLD_WIDE || FOLD == FOLD_TRUTH
#if FOLD == FOLD_WIDE
typedef wide A;
#else
typedef uchar A;
#endif
#define IDENTITY   CAT(JOINED, _identity)()
#define STEP(a, x) JOINED(a, x)
#define JOIN(a, b) JOINED(a, b)
#elif FOLD == FOLD_GAPS || FOLD == FOLD_DEVIATIONS
typedef wide A;
#define IDENTITY 0
#define GAP(x)   CAT(minus_, WIDE)(x, start)
#if FOLD == FOLD_GAPS
#define STEP(a, x) CAT(plus_, WIDE)(a, GAP(x))
#else
static inline A square(A x) { return CAT(times_, WIDE)(x, x); }
#define STEP(a, x) CAT(plus_, WIDE)(a, square(CAT(minus_, WIDE)(GAP(x), center)))
#endif
#define JOIN(a, b) CAT(plus_, WIDE)(a, b)
#else
#if IS_FLOAT
#define IDENTITY ((element)~LARGEST)
#else
#define IDENTITY CAT(lowest_, S)()
#endif
#if !IS_WINNER
typedef element A;
#define STEP(a, x) JOIN(a, x)
#define JOIN(a, b) ((b) > (a) ? (b) : (a))
#else
/* Winners with their places. The first of equals wins, so the order of joining does not matter. */
typedef struct {
  long place;
  element value;
} A;
#define WINS(value, place, best, best_place) ((value) > (best) || ((value) == (best) && (place) < (best_place)))
static inline A join_winners(A a, A b) { return WINS(b.value, b.place, a.value, a.place) ? b : a; }
#define JOIN(a, b)                           join_winners(a, b)
#endif
#endif

/* An array x of lanes, in any address space. A winner's lane starts with the identity at its first place: no value
   loses to that, and lanes without elements lose to all others. */
#if IS_WINNER
#define LANE_ARRAY(kind, x, count)                                                                                     \
  kind element x[count];                                                                                               \
  kind int x##_places[count]
#define LANE_START(x, at, l) (x[at] = IDENTITY, x##_places[at] = (l))
#define LANE_ADD(x, at, added, i)                                                                                      \
  {                                                                                                                    \
    const element value = added;                                                                                       \
    const bool wins = value > x[at];                                                                                   \
    x[at] = wins ? value : x[at];                                                                                      \
    x##_places[at] = wins ? (i) : x##_places[at];                                                                      \
  }
#define LANE_JOIN(x, a, b)                                                                                             \
  {                                                                                                                    \
    const bool wins = WINS(x[b], x##_places[b], x[a], x##_places[a]);                                                  \
    x[a] = wins ? x[b] : x[a];                                                                                         \
    x##_places[a] = wins ? x##_places[b] : x##_places[a];                                                              \
  }
#define LANE_COPY(x, at, y, from) (x[at] = y[from], x##_places[at] = y##_places[from])
static inline A winner(long place, element value) {
  A a;
  a.place = place;
  a.value = value;
  return a;
}
#define LANE_VALUE(x, at, begin) winner((begin) + x##_places[at], x[at])
#else
#define LANE_ARRAY(kind, x, count) kind A x[count]
#define LANE_START(x, at, l)       (x[at] = IDENTITY)
#define LANE_ADD(x, at, added, i) x[at] = STEP(x[at], added);
#define LANE_JOIN(x, a, b)         x[a] = JOIN(x[a], x[b]);
#define LANE_COPY(x, at, y, from)  (x[at] = y[from])
#define LANE_VALUE(x, at, begin)   x[at]
#endif

#define FINISH const int flip, const int finish, const wide divisor
static inline OUT_OF finished(A a, FINISH) {
#if IS_WINNER
  return a.place;
#elif IS_EXTREME || FOLD == FOLD_TRUTH
  return stored(a, flip);
#else
#if IS_FLOAT
  /* sums become means or variances (1), then standard deviations (2) */
  if (finish) a = CAT(divide_, WIDE)(a, divisor);
  if (finish == 2) a = CAT(root_, WIDE)(a);
#endif
  return CAT(store_, OUT)(a);
#endif
}

/* Writes an output's value, or one of several that are joined later. */
#define WRITE_VALUE(a, node, output)                                                                                   \
  {                                                                                                                    \
    if (nodes > 1) {                                                                                                   \
      values[(node)*outputs + (output)] = a;                                                                           \
    } else {                                                                                                           \
      PLACE_OF(output);                                                                                                \
      out[AT(out)] = finished(a, flip, finish, divisor);                                                               \
    }                                                                                                                  \
  }
/* Kept dimensions: outputs, with `nodes` values for each. */
#define OUTPUTS SPACE, OPERAND(OUT_OF, out), const long outputs, const long nodes, __global A *restrict values, FINISH

/* -------------------------------------------------------------------------------------------------- blocks of elements

   Parameters for the kept dimensions of the input, then for the folded ones: n elements, in runs of the last one. */
#define BLOCKS                                                                                                         \
  OUTPUTS, OPERAND(const IN, in), const long n, const long run, const long runs, const coordinates run_sizes,          \
      STRIDES(run), __global const wide *restrict means PROGRAM
/* What the elements of an output, of which the first is at `first`, are compared with. */
#if FOLD == FOLD_DEVIATIONS
#define CENTER(output) const wide start = ELEMENT(first), center = means[output];
#elif FOLD == FOLD_GAPS
#define CENTER(output) const wide start = ELEMENT(first);
#else
#define CENTER(output)
#endif

#if FLAT
#define FOLDED_AT(e) ((e)*run_step)
#else
static inline long folded_at(long e, long run, long runs, coordinates run_sizes, STRIDES(run)) {
  const long above = quotient(e, run);
  return (e - above * run) * run_step + inner_product(coordinates_of(above, runs, run_sizes), run_strides);
}
#define FOLDED_AT(e) folded_at(e, run, runs, run_sizes, run_step, run_strides)
#endif
#ifndef LOADED
#define LOADED(at) ELEMENT_AT(in, at)
#endif
#define ELEMENT(at) element_of(LOADED(at), flip)

/* Position of an output's first element. */
#define FIRST_OF(output)                                                                                               \
  PLACE_OF(output);                                                                                                    \
  const long first = AT(in);

#if WAY == WAY_ITEMS
#if FEW
#define USED FEW /* lanes */
#else
#define USED LANES
#endif
/* One round of all lanes, from element i of the block at offset `turn` on. */
#define ADD_ROUND(turn, step)                                                                                          \
  UNROLL for (int l = 0; l < LANES; l++) LANE_ADD(lanes, l, ELEMENT((turn) + l * (step)), i + l)

#define JOIN_HALVES(distance) UNROLL for (int l = 0; l < distance; l++) LANE_JOIN(lanes, l, l + distance)

__kernel void fold_items(BLOCKS) {
  const long id = (long)get_global_id(0);
  if (id >= outputs * nodes) return;
  const long block = quotient(id, outputs), output = id - block * outputs, begin = block * BLOCK;
  const int count = (int)min((long)BLOCK, n - begin);
  FIRST_OF(output);
  CENTER(output)
  LANE_ARRAY(, lanes, USED);
  UNROLL for (int l = 0; l < USED; l++) LANE_START(lanes, l, l);
  int i = 0;
#if DENSE
  IN_ORDER for (; i + LANES <= count; i += LANES) ADD_ROUND(first + begin + i, 1)
#elif !FEW
  IN_ORDER for (; i + LANES <= count; i += LANES) {
    const long e = begin + i, turn = first + FOLDED_AT(e), left = run - (e - quotient(e, run) * run);
    if (left < LANES)
      UNROLL for (int l = 0; l < LANES; l++)
          LANE_ADD(lanes, l, ELEMENT(first + FOLDED_AT(e + l)), i + l) else if (run_step == 1)
              ADD_ROUND(turn, 1) else ADD_ROUND(turn, run_step)
  }
#endif
  UNROLL for (int l = 0; l < USED; l++) if (i + l < count)
      LANE_ADD(lanes, l, ELEMENT(first + FOLDED_AT(begin + i + l)), i + l)
#if USED == LANES
          JOIN_HALVES(8) JOIN_HALVES(4)
#endif
              JOIN_HALVES(2) JOIN_HALVES(1) WRITE_VALUE(LANE_VALUE(lanes, 0, begin), block, output)
}
#endif

#if WAY == WAY_TILE
#if DENSE
#define STEP_OF_COLUMN 1
#else
#define STEP_OF_COLUMN in_step
#endif
#define start  starts[c]
#define center means[outputs_before + c]

__kernel void fold_tile(BLOCKS) {
  const long tiles = (columns + TILE - 1) / TILE, id = (long)get_global_id(0);
  if (id >= tiles * rows * nodes) return;
  const long row_of_all = quotient(id, tiles), tile = id - row_of_all * tiles, column = tile * TILE;
  const long block = quotient(row_of_all, rows), row = row_of_all - block * rows, begin = block * BLOCK;
  const long outputs_before = row * columns + column;
  const int count = (int)min((long)BLOCK, n - begin), width = (int)min((long)TILE, columns - column);
  const coordinates at = coordinates_of(row, rows, sizes);
  LANE_ARRAY(, lanes, LANES * TILE);
#if FOLD == FOLD_GAPS || FOLD == FOLD_DEVIATIONS
  wide starts[TILE];
  for (int c = 0; c < TILE; c++) starts[c] = ELEMENT(AT(in) + min(c, width - 1) * STEP_OF_COLUMN);
#endif
  for (int l = 0; l < LANES; l++)
    for (int c = 0; c < TILE; c++) LANE_START(lanes, l * TILE + c, l);
  IN_ORDER for (int i = 0; i < count; i++) {
    const long first = AT(in) + FOLDED_AT(begin + i);
    const int lane = i % LANES * TILE;
    if (width == TILE)
      for (int c = 0; c < TILE; c++) LANE_ADD(lanes, lane + c, ELEMENT(first + c * STEP_OF_COLUMN), i)
    else
      for (int c = 0; c < width; c++) LANE_ADD(lanes, lane + c, ELEMENT(first + c * STEP_OF_COLUMN), i)
  }
  for (int distance = LANES / 2; distance; distance /= 2)
    for (int at_lane = 0; at_lane < distance * TILE; at_lane++) LANE_JOIN(lanes, at_lane, at_lane + distance * TILE)
  for (int c = 0; c < width; c++) WRITE_VALUE(LANE_VALUE(lanes, c, begin), block, outputs_before + c)
}
#undef start
#undef center
#endif

#if WAY == WAY_LANES
#if ACROSS
#define LANE_STEP SLOTS /* from one lane to the next of a slot */
#else
#define LANE_STEP 1
#endif

__kernel void fold_lanes(BLOCKS) {
  LANE_ARRAY(__local, lanes, LANES * SLOTS);
  const int id = (int)get_local_id(0), lane = id / LANE_STEP % LANES;
  const long slot = (long)group_id() * SLOTS + (ACROSS ? id % SLOTS : id / LANES);
  const bool is_used = slot < outputs * nodes;
  const long block = quotient(slot, outputs), output = slot - block * outputs, begin = block * BLOCK;
  LANE_ARRAY(, own, 1); /* in a register */
  LANE_START(own, 0, lane);
  if (is_used) {
    const int count = (int)min((long)BLOCK, n - begin);
    FIRST_OF(output);
    CENTER(output)
    IN_ORDER for (int i = lane; i < count; i += LANES) LANE_ADD(own, 0, ELEMENT(first + FOLDED_AT(begin + i)), i)
  }
  LANE_COPY(lanes, id, own, 0);
  for (int distance = LANES / 2; distance; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < distance) LANE_JOIN(lanes, id, id + distance * LANE_STEP)
  }
  if (is_used && lane == 0) WRITE_VALUE(LANE_VALUE(lanes, id, begin), block, output)
}
#endif

/* ------------------------------------------------------------------------------------------------------- the tree

   Joins `count` values of each output into `nodes`: leaves in pairs, level by level; an odd last one passes through. */
#if WAY == WAY_JOIN
#define LEAVES OUTPUTS, __global const A *restrict leaves, const long count

static inline A join_fan(__global const A *leaves, long outputs, long count) {
  A a[FAN];
  UNROLL for (int i = 0; i < FAN; i++) if (i < count) a[i] = leaves[i * outputs];
  UNROLL for (int step = 1; step < FAN; step *= 2) UNROLL for (int i = 0; i < FAN; i += 2 * step) if (i + step < count)
      a[i] = JOIN(a[i], a[i + step]);
  return a[0];
}

__kernel void join_few(LEAVES) {
  const long id = (long)get_global_id(0);
  if (id >= outputs * nodes) return;
  const long node = quotient(id, outputs), output = id - node * outputs, begin = node * FAN;
  const A a = join_fan(leaves + begin * outputs + output, outputs, count - begin);
  WRITE_VALUE(a, node, output)
}

__kernel void join_many(LEAVES) {
  __local A joined[GROUP];
  const long group = (long)group_id(), node = quotient(group, outputs), output = group - node * outputs;
  const int id = (int)get_local_id(0);
  const long begin = (node * GROUP + id) * FAN;
  if (begin < count) joined[id] = join_fan(leaves + begin * outputs + output, outputs, count - begin);
  for (int step = 1; step < GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id % (2 * step) == 0 && id + step < GROUP && begin + step * FAN < count)
      joined[id] = JOIN(joined[id], joined[id + step]);
  }
  if (id == 0) WRITE_VALUE(joined[0], node, output)
}
#endif
