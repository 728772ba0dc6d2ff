/* gather.cl: out[c] = self[c with the index value along dim]. WORD is the unsigned type of the element size, I the
   index type. */
#include "index.h"

__kernel void gather(SPACE, OPERAND(WORD, out), OPERAND(const I, index), OPERAND(const WORD, self),
                     const long dim_stride, LIMITS) {
  ROW_AND_COLUMN;
  const long value = IN_MODE(WIDE(index[AT(index)]), size);
  WORD element = 0;
  if ((ulong)value < (ulong)size) element = self[AT(self) + value * dim_stride];
  out[AT(out)] = element;
}
