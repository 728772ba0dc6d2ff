/* join.cl: index values of one dimension, joined into row-major positions. I is the index type. */
#include "opencl/core/kernels/index.h"

/* `first`: positions are not read, they count as 0. `drops`: a position becomes negative, and stays so, where a value
   is out of range; else such a value sets *bad. */
__kernel void join(SPACE, OPERAND(long, positions), OPERAND(const I, index), LIMITS, const int first, const int drops,
                   __global int *bad) {
  ROW_AND_COLUMN;
  const long value = IN_MODE(WIDE(index[AT(index)]), size);
  const long before = first ? 0 : positions[AT(positions)];
  const bool is_in = (ulong)value < (ulong)size;
  if (!is_in && !drops) atomic_or(bad, 1);
  positions[AT(positions)] = drops && !is_in ? -1 : before * size + value;
}
