/* clblast.h: products of large matrices of floats by CLBlast, where that is installed. It is tuned for many GPUs, and
   takes a while at first use, when it compiles kernels of its own. */
#ifndef STREW_CLBLAST_H
#define STREW_CLBLAST_H

#include "opencl.h"

/* A batch of matrices: where the first one starts, from one dense line to the next, and from matrix to matrix, in
   elements; transposed where the lines are its columns. */
struct clblast_matrices {
  cl_mem memory;
  size_t offset, leading, stride;
  bool transposed;
};

/* c[m, n] = a[m, k] b[k, n], c dense by rows, dtype float32 or float64. False: it is not there, or it could not; c may
   have been written to. */
bool clblast_multiply(strew_device *device, strew_dtype dtype, size_t m, size_t n, size_t k, size_t batches,
                      const struct clblast_matrices *c, const struct clblast_matrices *a,
                      const struct clblast_matrices *b);

#endif
