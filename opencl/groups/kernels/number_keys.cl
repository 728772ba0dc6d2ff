/* number_keys.cl: groups by integer keys of a small range, which are numbered in order without a sort: `first` has the
   position of each key's first element, and the prefix sums of which keys there are have their numbers. WORD: the
   unsigned type of a key's size; a negative key, which is a large WORD, is out of range. Behind the numbers stand that
   of all groups and whether a key is out of range: then the rest is worthless. */
#include "opencl/core/kernels/prelude.h"

enum { OWN = 2048 }; /* keys whose first positions a group finds in local memory: few distinct ones contend */

#define KEYS   __global const WORD *keys, const long offset, const long step, const long count
#define KEY(i) (ulong) keys[offset + (i)*step]

__kernel void start(const long range, __global uint *first) {
  const long k = (long)get_global_id(0);
  if (k <= range) first[k] = k < range ? UINT32_MAX : 0;
}

GROUP_KERNEL find_first(KEYS, const long block, const long range, __global uint *first) {
  __local uint own[OWN];
  const uint me = (uint)get_local_id(0), near = (uint)min(range, (long)OWN);
  const long begin = (long)group_id() * block, end = min(begin + block, count);
  bool is_bad = false;
  for (uint k = me; k < near; k += GROUP_SIZE) own[k] = UINT32_MAX;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long i = begin + me; i < end; i += GROUP_SIZE) {
    const ulong key = KEY(i);
    if (key < near)
      atomic_min(&own[key], (uint)i);
    else if (key < (ulong)range)
      atomic_min(&first[key], (uint)i);
    else
      is_bad = true;
  }
  if (is_bad) atomic_or(&first[range], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = me; k < near; k += GROUP_SIZE)
    if (own[k] != UINT32_MAX) atomic_min(&first[k], own[k]);
}

__kernel void mark(const long range, __global const uint *first, __global uint *numbers) {
  const long k = (long)get_global_id(0);
  if (k <= range) numbers[k] = k < range && first[k] != UINT32_MAX;
  if (k == range) numbers[k + 1] = first[k];
}

__kernel void number(KEYS, __global const uint *numbers, __global long *ids) {
  const long i = (long)get_global_id(0);
  if (i < count) ids[i] = (long)numbers[KEY(i)];
}

__kernel void place(const long range, __global const uint *first, __global const uint *numbers,
                    __global long *positions) {
  const long k = (long)get_global_id(0);
  if (k < range && first[k] != UINT32_MAX) positions[numbers[k]] = (long)first[k];
}
