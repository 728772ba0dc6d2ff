/* tensor.h: tensors without public checks (tensor.c), and which of them share elements (overlap.c). */
#ifndef STREW_TENSOR_H
#define STREW_TENSOR_H

#include "context.h"
#include "dtype.h"

/* Tensors without public checks. sizes and rank are valid; storage may be shared. */
strew_status tensor_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                           const int64_t *sizes, strew_tensor **out);
/* A view with another shape: `storage` is retained. */
strew_status tensor_view(const struct call *call, const strew_tensor *base, int rank, const int64_t *sizes,
                         const int64_t *strides, int64_t offset, strew_tensor **out);
/* Reads `count` elements in memory order, from element `offset` of the storage on. */
strew_status tensor_read(const struct call *call, const strew_tensor *tensor, int64_t offset, void *to, int64_t count);
int64_t count_of_sizes(int rank, const int64_t *sizes);
void dense_strides(int rank, const int64_t *sizes, int64_t *strides);
/* -1 is the last: brings *dim into 0..rank-1 (rank 0 counts as 1), or fails. */
strew_status check_dim(const struct call *call, int rank, int *dim);
strew_status check_named_dim(const struct call *call, const char *name, int rank, int *dim);
/* Position `at` lies outside of dimension dim; `position` (or NULL) has all coordinates. */
strew_status fail_position(const struct call *call, int dim, int64_t size, int rank, const int64_t *position,
                           int64_t at);
/* Valid rank and sizes whose elements can be addressed? */
strew_status check_sizes(const struct call *call, strew_dtype dtype, int rank, const int64_t *sizes);
/* "'ARGUMENT' FACT another context, ..." and what helps. */
strew_status fail_context(const struct call *call, const char *argument, const char *fact) __attribute__((cold));
#define fail_context(...) failed(fail_context(__VA_ARGS__))
/* All operands of the call on the device of the first one? */
strew_status check_devices(const struct call *call);
/* Makes *out as wanted where it is NULL (and sets *made), else checks that the given one fits in dtype, sizes and
 * device. Its elements are not initialised. */
strew_status out_prepare(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, strew_tensor **out, bool *made);

/* ------------------------------------------------------------------------------------------------------- overlap.c */

/* May two coordinates of one tensor share an element? May two tensors? Exact where a bounded search can tell, else the
   spans of memory decide. */
bool tensor_overlaps_itself(const strew_tensor *tensor);
bool tensors_overlap(const strew_tensor *a, const strew_tensor *b);
bool tensors_are_same_view(const strew_tensor *a, const strew_tensor *b);
/* For writing `self` in place: no overlap with itself (operand NULL, `name` its own), or none with operand `name`. One
   that is the very same view passes where `same_is_fine` (elementwise calls read a place before they write it). */
strew_status check_overlap(const struct call *call, const strew_tensor *self, const char *name,
                           const strew_tensor *operand, bool same_is_fine);

#endif
