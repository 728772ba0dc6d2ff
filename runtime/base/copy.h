/* copy.h: copies of tensors through their device, for all families. */
#ifndef STREW_COPY_H
#define STREW_COPY_H

#include "tensor.h"

/* Copies from into `to`: broadcast, converted by STREW_SATURATE. Both are on one device. */
strew_status copy_tensor(const struct call *call, strew_tensor *to, const strew_tensor *from);
/* Sets all elements to value, which has the tensor's dtype. */
strew_status fill_tensor(const struct call *call, strew_tensor *to, union element value);
/* The tensor itself if it is on the device; else a dense copy there, through host memory. */
strew_status transfer(const struct call *call, const strew_tensor *from, strew_device *device, strew_tensor **out);
/* A new dense tensor: `from`, converted to dtype, on its device. */
strew_status copy_as(const struct call *call, const strew_tensor *from, strew_dtype dtype, strew_tensor **out);

#endif
