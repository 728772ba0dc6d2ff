/* sorted_ends.cl: for each v along the columns, the number of values of a sorted line of `size` values that are less
   than v. I is the index type. */
#include "opencl/core/kernels/index.h"

__kernel void sorted_ends(SPACE, OPERAND(long, ends), OPERAND(const I, index), const long size, const long run) {
  ROW_AND_COLUMN;
  const long first = AT(index);
  long low = 0, high = size;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (WIDE(index[first + middle * run]) < column)
      low = middle + 1;
    else
      high = middle;
  }
  ends[AT(ends)] = low;
}
