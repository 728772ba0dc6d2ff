/* gather.cl: out[c] = self[c with the index value along dim]. WORD is the unsigned type of the element size, I the
   index type. `check`: values out of range are noted in the verdict; out is then void. DENSE: out and index are
   contiguous, self moves along dim alone; a work-item takes EACH elements, at the group's distance. */
#include "index.h"

#define CHECKED LIMITS, const int check, __global int *verdict

/* The place that an index value names: -1, and *bad, if it is out of range. */
static inline long place_of(long given, long size, int mode, bool *bad) {
  const long value = IN_MODE(given, size);
  if ((ulong)value < (ulong)size) return value;
  *bad = true;
  return -1;
}

#ifdef DENSE
GROUP_KERNEL gather(const long count, __global WORD *out, const long out_offset, __global const I *index,
                    const long index_offset, __global const WORD *self, const long self_offset, const long dim_stride,
                    CHECKED) {
  const long begin = (long)group_id() * (EACH * GROUP_SIZE), first = begin + (long)get_local_id(0);
  I given[EACH];
  long values[EACH];
  bool bad = false;
  UNROLL for (int e = 0; e < EACH; e++) {
    const long i = min(first + e * GROUP_SIZE, count - 1);
    given[e] = index[index_offset + i];
  }
  UNROLL for (int e = 0; e < EACH; e++) values[e] = place_of(WIDE(given[e]), size, mode, &bad);
  if (bad && check) verdict_add(CHECK, BAD, verdict);
  WORD elements[EACH];
  UNROLL for (int e = 0; e < EACH; e++)
    elements[e] = values[e] < 0 ? (WORD)0 : self[self_offset + PRODUCT(values[e], dim_stride)];
  UNROLL for (int e = 0; e < EACH; e++) {
    const long i = first + e * GROUP_SIZE;
    if (i < count) out[out_offset + i] = elements[e];
  }
}
#else
__kernel void gather(SPACE, OPERAND(WORD, out), OPERAND(const I, index), OPERAND(const WORD, self),
                     const long dim_stride, CHECKED) {
  ROW_AND_COLUMN;
  bool bad = false;
  const long value = place_of(WIDE(index[AT(index)]), size, mode, &bad);
  if (bad && check) verdict_add(CHECK, BAD, verdict);
  WORD element = 0;
  if (value >= 0) element = self[AT(self) + PRODUCT(value, dim_stride)];
  out[AT(out)] = element;
}
#endif
