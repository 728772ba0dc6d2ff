/* radix.h: parts of which sorts, scatters and searches are made: sums of what lies before, and a stable radix sort. */
#ifndef STREW_RADIX_H
#define STREW_RADIX_H

#include "opencl.h"

/* How many work-items the groups of such kernels have, their setting GROUP_SIZE: GROUP where a device takes no more. */
static inline size_t large_group(const strew_device *device) {
  return opencl_of(device)->largest_group >= 256 ? 256 : GROUP;
}

/* Each of `count` numbers, uint or with `wide` ulong, becomes the sum of those before it. A last number that was 0 thus
   becomes the sum of all. */
strew_status sums_before(const struct call *call, strew_device *device, const struct block *numbers, int64_t count,
                         bool wide);

/* Items as kernels/items.h has them: a key and a position in 8 bytes, key << 32 | position, or in 16, ulong2(key,
   position), where they are broad. */
static inline size_t item_bytes(bool broad) { return broad ? 16 : 8; }

/* `lines` lines of n items each, one after the other in a block. */
struct item_lines {
  int64_t lines, n; /* lines * n < 2^32 */
  bool broad;
  uint64_t bits; /* those in which keys may differ: the fewer, the faster */
};

/* Sorts every line by its keys, stably: those with equal keys stay in the order in which they lie, whatever their
   positions. *items becomes the block that has the sorted ones: it, or another of the same size, is still the caller's
   to give back, after a failure, too. */
strew_status radix_sort(const struct call *call, strew_device *device, struct block *items,
                        const struct item_lines *what);

#endif
