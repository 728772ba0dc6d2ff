/* radix.h: exclusive prefix sums and a stable radix sort on the device. */
#ifndef STREW_RADIX_H
#define STREW_RADIX_H

#include "opencl.h"

/* Replaces each of `count` numbers (uint, or ulong if `wide`) by the sum of those before it. A trailing 0 thus becomes
   the total. */
void opencl_prefix_sums(struct launch *launch, const struct block *numbers, int64_t count, bool wide);

/* Bytes of an item of kernels/items.h, a key and a position: 8 (key << 32 | position), or 16 if broad (ulong2(key,
   position)). */
static inline size_t item_bytes(bool broad) { return broad ? 16 : 8; }

/* `lines` contiguous lines of n items each. */
struct item_lines {
  int64_t lines, n; /* lines * n < 2^32 */
  bool broad;
  uint64_t bits; /* in which keys may differ: fewer take fewer passes */
};

/* Sorts every line by key, stably: equal keys stay in memory order, whatever their positions. *items becomes the block
   that holds the result, the original or another of the same size. */
void opencl_radix_sort(struct launch *launch, struct block *items, const struct item_lines *shape);

#endif
