/* clblast.h: products of large float matrices by CLBlast, if it is installed. It is tuned for many GPUs and compiles
   its own kernels at first use. */
#ifndef STREW_CLBLAST_H
#define STREW_CLBLAST_H

#include "opencl.h"

/* A batch of matrices. offset: of the first element; leading: distance of the contiguous lines; stride: distance of the
   matrices; all in elements. transposed: the contiguous lines are columns. */
struct clblast_matrices {
  cl_mem memory;
  size_t offset, leading, stride;
  bool transposed;
};

/* c[m, n] = a[m, k] b[k, n] with c contiguous in rows, dtype float32 or float64. False if CLBlast is absent or fails; c
   may have been written. */
bool clblast_multiply(strew_device *device, strew_dtype dtype, size_t m, size_t n, size_t k, size_t batches,
                      const struct clblast_matrices *c, const struct clblast_matrices *a,
                      const struct clblast_matrices *b);

#endif
