/* find_zero.cl: where is the first zero, among places begin .. end - 1? IN is the dtype of elements, S that in which they
   are looked at. */
#include "prelude.h"
#include "space.h"
#include "scalar.h"
#include "elements.h"

__kernel void find_zero(SPACE, OPERAND(const CAT(T_, IN), x), const long begin, const long end, const int shift,
                        volatile __global uint *first) {
  ROW_AND_COLUMN;
  const long place = row * columns + column;
  if (place >= begin && place < end && value_of(x[AT(x)]) == 0) atomic_min(first, (uint)((place - begin) >> shift));
}
