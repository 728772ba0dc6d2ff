/* radix.h: a stable radix sort, of which sorts, scatters and searches are made. */
#ifndef STREW_RADIX_H
#define STREW_RADIX_H

#include "prefix.h"

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
