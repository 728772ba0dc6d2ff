/* scatter_sort.cl: scatter on GPUs: a stable sort makes contributions to the same destination adjacent. Each
   destination is then combined in order by one work-item, without atomics on floats.
     make_items      each contribution becomes an item (items.h): the destination's number is the key, its own the position
     find_segments   in sorted items: where a key begins; keys with more than LONG items are listed apart
     join_short      one work-item per segment and column
     join_long       one group per segment and some columns: all work-items load, one per column combines
   Row r * still + c is column c of batch r: index is constant along `still` rows. */
#include "prelude.h"
#include "space.h"
#include "verdict.h"
#include "join.h"
#include "items.h"

__kernel void make_items(SPACE, OPERAND(const I, index), LIMITS, const long still, const long count, const ulong nobody,
                         const int check, __global int *verdict, __global item *items, __global uint *found) {
  const long i = (long)get_global_id(0);
  if (i < 2) found[i] = 0;
  if (i >= count) return;
  const long batch = i / columns, at_line = i - batch * columns;
  const coordinates at = coordinates_of(batch * still, rows, sizes);
  const long place = IN_MODE(WIDE(index[index_offset + inner_product(at, index_strides) + at_line * index_step]), size);
  const bool is_ours = (ulong)place < (ulong)size;
  if (check && !is_ours) tell(WAY, BAD, verdict);
  items[i] = make_item(is_ours ? (ulong)(batch * size + place) : nobody, (ulong)i);
}

/* `found` counts the segments of either kind. They are listed in any order. */
__kernel void find_segments(__global const item *items, const long count, const ulong nobody, __global uint *starts,
                            __global uint *long_starts, __global uint *found) {
  __local uint met[2], first[2];
  const long i = (long)get_global_id(0);
  const int lane = (int)get_local_id(0);
  if (lane < 2) met[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool begins = false;
  if (i < count) {
    const ulong key = key_in(items[i]);
    begins = key < nobody && (i == 0 || key_in(items[i - 1]) != key);
  }
  const int kind = begins && i + LONG < count && key_in(items[i + LONG]) == key_in(items[i]);
  const uint slot = begins ? atomic_inc(&met[kind]) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 2) first[lane] = met[lane] ? atomic_add(found + lane, met[lane]) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (begins) (kind ? long_starts : starts)[first[kind] + slot] = (uint)i;
}

#define SEGMENTED                                                                                                      \
  SPACE, TARGET, SOURCE, LIMITS, const long still, const long count, __global const item *items,                       \
      __global const uint *starts, __global const uint *found
#ifdef ARG
#define ARG_START const long arg_at = arg_offset + inner_product(at, arg_strides) + place * arg_place;
#else
#define ARG_START
#endif
#define ROW_STARTS                                                                                                     \
  const coordinates at = coordinates_of(batch * still + column, rows, sizes);                                          \
  const long self_at = self_offset + inner_product(at, self_strides) + place * self_place;                             \
  const long src_at = src_offset + inner_product(at, src_strides);                                                     \
  ARG_START

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
  const long item_at = (long)get_global_id(0), segment = item_at / still, column = item_at - segment * still;
  if (segment >= (long)found[0]) return;
  long i = (long)starts[segment];
  item next = items[i];
  const ulong key = key_in(next);
  const long batch = (long)(key / (ulong)size), place = (long)key - batch * size;
  ROW_STARTS;
  LOAD_HELD(true);
  do {
    const long at_line = (long)position_in(next) - batch * columns;
    JOIN_HELD(VALUE(src[src_at + at_line * src_step]), at_line);
    if (++i >= count) break;
    next = items[i];
  } while (key_in(next) == key);
  STORE_HELD;
}

/* A group loads TILE values to local memory: `across` columns of TILE / across contributions. One work-item per column
   combines them. Of each segment, contributions from_offset .. to_offset - 1. */
__kernel void join_long(SEGMENTED, const int across, const long from_place, const long to_place) {
  __local W tile[TILE];
  __local uint from[TILE];
  __local int length;
  const long blocks = (still + across - 1) / across;
  const long group = (long)group_id(), segment = group / blocks, first = (group - segment * blocks) * across;
  if (segment >= (long)found[1]) return;
  const long start = (long)starts[segment], end = min(count, start + to_place);
  const int lane = (int)get_local_id(0), high = TILE / across;
  const int wide = still - first < across ? (int)(still - first) : across;
  long i = start + from_place;
  const ulong key = key_in(items[start]);
  if (i >= end || key_in(items[i]) != key) return;
  const long batch = (long)(key / (ulong)size), place = (long)key - batch * size;
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
      const coordinates of_column = coordinates_of(batch * still + first + c, rows, sizes);
      tile[t] = VALUE(src[src_offset + inner_product(of_column, src_strides) + at_line * src_step]);
      from[t] = (uint)at_line;
      if (c == 0) atomic_max(&length, row + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int rows_here = length;
    if (lane < wide)
      for (int row = 0; row < rows_here; row++) JOIN_HELD(tile[row * across + lane], (long)from[row * across + lane]);
    more = rows_here == high;
    i += high;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane < wide) STORE_HELD;
}
