/* prefix.h: exclusive prefix sums on the device. */
#ifndef STREW_PREFIX_H
#define STREW_PREFIX_H

#include "opencl.h"

/* Replaces each of `count` numbers (uint, or ulong if `wide`) by the sum of those before it. A trailing 0 thus becomes
   the total. */
strew_status opencl_prefix_sums(const struct call *call, strew_device *device, const struct block *numbers,
                                int64_t count, bool wide);

#endif
