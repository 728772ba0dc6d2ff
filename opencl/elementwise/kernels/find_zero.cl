/* find_zero.cl: the first zero among elements begin .. end - 1, in row-major order, in units of 2^shift elements. S is
   the dtype in which elements are compared. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"
#include "opencl/core/kernels/elements.h"

__kernel void find_zero(SPACE, OPERAND(const uchar, x), const int x_dtype, const long begin, const long end,
                        const int shift, volatile __global uint *first) {
  ROW_AND_COLUMN;
  const long position = row * columns + column;
  if (position >= begin && position < end && value_at(x_dtype, x, AT(x)) == 0)
    atomic_min(first, (uint)((position - begin) >> shift));
}
