/* prefix.h: prefix sums, of which sorts, scatters and searches are made. */
#ifndef STREW_PREFIX_H
#define STREW_PREFIX_H

#include "opencl.h"

/* Each of `count` numbers, uint or with `wide` ulong, becomes the sum of those before it. A last number that was 0 thus
   becomes the sum of all. */
strew_status sums_before(const struct call *call, strew_device *device, const struct block *numbers, int64_t count,
                         bool wide);

#endif
