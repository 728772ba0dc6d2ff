/* scatter_sorted.cl: scatter through a sorted index, on CPUs. A work-item takes a chunk of contributions from .. to - 1
   of the line, moved to where a destination begins, so no two write the same one. A destination that began before
   `from` continues with its present value. SIMPLE: one column, no ARG. */
#include "columns.h"

__kernel void join_sorted(COLUMNWISE, OPERAND(const I, index), const long chunk, const long from, const long to) {
  const long row = 0, begin = from + (long)get_global_id(0) * chunk;
  if (begin >= to) return;
  ROW_STARTS
  const long end = to - begin < chunk ? to : begin + chunk;
  long i = begin;
#define DESTINATION_AT(i) IN_MODE(WIDE(index[index_offset + (i)*INDEX_STEP]), size)
  if (begin > from)
    while (i < end && DESTINATION_AT(i) == DESTINATION_AT(begin - 1)) i++;
  while (i < end) {
    const long dst = DESTINATION_AT(i);
    const bool in_range = (ulong)dst < (ulong)size;
#ifdef SIMPLE
    W joined = in_range ? CAT(load_, S)(self[self_at + dst * self_dim_stride]) : CAT(load_, S)(0);
    do {
      joined = JOIN(joined, VALUE(ELEMENT_AT(src, src_at + i * src_step)));
    } while (++i < to && DESTINATION_AT(i) == dst);
    if (in_range) self[self_at + dst * self_dim_stride] = CAT(store_, S)(joined);
#else
    do {
      if (in_range) {
        COLUMNS_OF(src_at + i * src_step, i)
      }
    } while (++i < to && DESTINATION_AT(i) == dst);
#endif
  }
}
