/* scatter_sort.cl: scatter on GPUs: a stable sort makes contributions to the same destination adjacent. Each
   destination is then combined in order by one work-item, without atomics on floats.
     make_items      each contribution becomes an item (items.h): key the destination, position its own number, or its
                     value
     find_segments   in sorted items: where a key begins; keys with more than LONG items are listed apart
     join_short      one work-item per segment and column
     join_long       one group per segment and some columns: all work-items load, one per column combines
   ADDS: contributions are added, as float32 or float64: of a single column, by all work-items (run.h); with
   PAIRS others (join.h).
   CARRIED: of a single column, items have the bits of elements of src in place of positions, so that it is read once,
   in its own order.
   Row r * shared + c is column c of batch r: index is constant along `shared` rows. */
#include "join.h"
#include "digits.h"
#ifdef ADDS
#include "run.h"
#endif

static inline I index_of(const long i, SPACE, OPERAND(const I, index), const long shared) {
  const long batch = quotient(i, columns), at_line = i - batch * columns;
  const coordinates at = coordinates_of(batch * shared, rows, sizes);
  return index[ROW_OF(index) + at_line * index_step];
}
#define INDEX_OF(i) index_of(i, columns, rows, sizes, index, index_offset, index_step, index_strides, shared)

#ifdef CARRIED
typedef CAT(B_, SRC) word;
static inline word bits_at(const long i, SPACE, OPERAND(const word, src)) {
  PLACE_OF(i);
  return src[ROW_OF(src) + column * src_step];
}
static inline TSRC element_in(item x) {
  const union {
    word bits;
    TSRC element;
  } of = {.bits = (word)position_in(x)};
  return of.element;
}
struct given {
  I index;
  word bits;
};
#define GIVEN           struct given
#define GIVEN_OF(i)     (GIVEN){INDEX_OF(i), bits_at(i, columns, rows, sizes, src, src_offset, src_step, src_strides)}
#define INDEX_IN(x)     (x).index
#define REST(x, i)      (x).bits
#define MADE_FROM       OPERAND(const word, src),
#define JOINED_FROM
#define VALUE_IN(x, at) VALUE(element_in(x))
#else
#define GIVEN           I
#define GIVEN_OF(i)     INDEX_OF(i)
#define INDEX_IN(x)     (x)
#define REST(x, i)      (i)
#define MADE_FROM
#define JOINED_FROM     SOURCE,
#define VALUE_IN(x, at) VALUE(src[at])
#endif

static inline item contribution(const I given, const long i, const ulong rest, const long columns, LIMITS,
                                const ulong no_destination, const int check, __global int *verdict) {
  const long dst = IN_MODE(WIDE(given), size);
  const bool in_range = (ulong)dst < (ulong)size;
  if (check && !in_range) verdict_add(WAY, BAD, verdict);
  return make_item(in_range ? (ulong)(quotient(i, columns) * size + dst) : no_destination, rest);
}

BLOCK_KERNEL make_items(SPACE, OPERAND(const I, index), MADE_FROM LIMITS, const long shared,
                        const ulong no_destination, const int check, __global int *verdict, __global item *items,
                        COUNTS) {
  COUNT_DIGITS(GIVEN, GIVEN_OF(i),
               items[i] = contribution(INDEX_IN(given), i, (ulong)REST(given, i), columns, size, mode, no_destination,
                                       check, verdict));
}

/* The verdict counts the segments of either kind. They are listed in any order. */
__kernel void find_segments(__global const item *items, const long count, const ulong no_destination,
                            __global uint *starts, __global uint *long_starts, __global int *verdict) {
  __local uint counts[2], first[2];
  const long i = (long)get_global_id(0);
  const int lane = (int)get_local_id(0);
  if (lane < 2) counts[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool begins = false;
  if (i < count) {
    const ulong key = key_in(items[i]);
    begins = key < no_destination && (i == 0 || key_in(items[i - 1]) != key);
  }
  const int kind = begins && i + LONG < count && key_in(items[i + LONG]) == key_in(items[i]);
  const uint slot = begins ? atomic_inc(&counts[kind]) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 2) first[lane] = counts[lane] ? (uint)atomic_add(verdict + STAGES + lane, (int)counts[lane]) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (begins) (kind ? long_starts : starts)[first[kind] + slot] = (uint)i;
}

#define SEGMENTED                                                                                                      \
  SPACE, TARGET, JOINED_FROM LIMITS, const long shared, const long count, __global const item *items,                  \
      __global const uint *starts, __global const int *verdict
#define FOUND(kind) ((long)(uint)verdict[STAGES + (kind)])
#define ROW_STARTS                                                                                                     \
  const coordinates at = coordinates_of(batch * shared + column, rows, sizes);                                         \
  const long self_at = ROW_OF(self) + dst * self_dim_stride;                                                           \
  ARG_START(dst * arg_dim_stride)

/* Combines in registers: `held`, and with ARG `won`, the winner's position. */
#ifdef ARG
#define JOIN_HELD(value, position)                                                                                     \
  {                                                                                                                    \
    const W new = value;                                                                                               \
    if ((fresh && won == none) || CAT(differs_, S)(held, JOIN(held, new))) held = new, won = position;                 \
  }
#define LOAD_HELD(joins)                                                                                               \
  W held = (joins) ? CAT(load_, S)(self[self_at]) : (W)0;                                                              \
  long won = (joins) ? arg[arg_at] : 0
#define STORE_HELD self[self_at] = CAT(store_, S)(held), arg[arg_at] = won
#else
#define JOIN_HELD(value, position) held = JOIN(held, value)
#define LOAD_HELD(joins)           W held = (joins) ? CAT(load_, S)(self[self_at]) : (W)0
#define STORE_HELD                 self[self_at] = CAT(store_, S)(held)
#endif

__kernel void join_short(SEGMENTED) {
  const long item_at = (long)get_global_id(0), segment = quotient(item_at, shared), column = item_at - segment * shared;
  if (segment >= FOUND(0)) return;
  long i = (long)starts[segment];
  item next = items[i];
  const ulong key = key_in(next);
  const long batch = quotient((long)key, size), dst = (long)key - batch * size;
  ROW_STARTS;
  LOAD_HELD(true);
  do {
    const long at_line = (long)position_in(next) - batch * columns;
    JOIN_HELD(VALUE_IN(next, ROW_OF(src) + at_line * src_step), at_line);
    if (++i >= count) break;
    next = items[i];
  } while (key_in(next) == key);
  STORE_HELD;
}

/* A group loads TILE values to local memory: `across` columns of TILE / across contributions. One work-item per column
   combines them, or all of a single one. Of each segment, contributions from_offset .. to_offset - 1. */
__kernel void join_long(SEGMENTED, const int across, const long from_offset, const long to_offset) {
  __local W tile[TILE];
#ifdef ARG
  __local uint from[TILE];
#define POSITION(t) from[t]
#else
#define POSITION(t) 0
#endif
#ifdef ADDS
  __local struct run_scratch scratch;
#endif
  __local int length;
  const long blocks = (shared + across - 1) / across;
  const long group = (long)group_id(), segment = group / blocks, first = (group - segment * blocks) * across;
  if (segment >= FOUND(1)) return;
  const long start = (long)starts[segment], end = min(count, start + to_offset);
  const int lane = (int)get_local_id(0), high = TILE / across;
  const int wide = shared - first < across ? (int)(shared - first) : across;
  long i = start + from_offset;
  const ulong key = key_in(items[start]);
  if (i >= end || key_in(items[i]) != key) return;
  const long batch = quotient((long)key, size), dst = (long)key - batch * size;
  const long column = first + (lane < wide ? lane : 0);
  ROW_STARTS;
  LOAD_HELD(lane < wide);
  for (bool more = true; more;) {
    if (lane == 0) length = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = lane; t < high * across; t += (int)get_local_size(0)) {
      const int row = t / across, c = t - row * across;
      if (c >= wide || i + row >= end || key_in(items[i + row]) != key) continue;
      const long at_line = (long)position_in(items[i + row]) - batch * columns;
      const coordinates of_column = coordinates_of(batch * shared + first + c, rows, sizes);
      tile[t] = VALUE_IN(items[i + row],
                         src_offset + inner_product(of_column, src_strides) + at_line * src_step);
#ifdef ARG
      from[t] = (uint)at_line;
#endif
      if (c == 0) atomic_max(&length, row + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int rows_here = length;
#ifdef ADDS
    if (across == 1) held = run_sum(held, tile, rows_here, &scratch);
#define BY_ALL (across == 1)
#elif defined(PAIRS)
    if (across == 1 && rows_here) {
      join_pairs(tile, rows_here POSITIONS_OF(from));
      JOIN_HELD(tile[0], (long)POSITION(0));
    }
#define BY_ALL (across == 1)
#else
#define BY_ALL false
#endif
    for (int row = 0; row < rows_here && lane < wide && !BY_ALL; row++)
      JOIN_HELD(tile[row * across + lane], (long)POSITION(row * across + lane));
    more = rows_here == high;
    i += high;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane < wide) STORE_HELD;
}
