/* mapping.h: a file that is memory-mapped, and tensors over parts of it. The map is private: pages are read on first
   use, writes stay in memory. */
#ifndef MAPPING_H
#define MAPPING_H

#include "runtime/core/base/device.h"

struct file;
struct mapping;

/* Maps a whole regular file for tensors on the device, which must be the CPU. The caller has one reference. */
strew_status mapping_create(const struct call *call, strew_device *device, const struct file *file,
                            struct mapping **out);
void mapping_release(void *mapping);
/* The bytes of the file from byte `at` on. */
unsigned char *mapping_at(const struct mapping *mapping, uint64_t at);
/* A tensor over the map from byte `at` on, which keeps it; strides are in elements, NULL: row-major. Its last element is
   in the file, and its first one at a multiple of its size. */
strew_status mapping_tensor(const struct call *call, strew_device *device, struct mapping *mapping, uint64_t at,
                            strew_dtype dtype, int rank, const int64_t *sizes, const int64_t *strides,
                            strew_tensor **out);
/* Makes nonzero bools 1: NumPy takes any such byte for true. Writes only where necessary: mapped pages stay shared. */
strew_status normalize_bools(const struct call *call, strew_context *context, unsigned char *bytes, size_t size_bytes);

#endif
