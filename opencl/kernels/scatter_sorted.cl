/* scatter_sorted.cl: scatter through a sorted index, on CPUs. A work-item takes a chunk of contributions from .. to - 1
   of the line, moved to where a destination begins, so no two write the same one. A destination that began before
   `from` continues with its present value. SIMPLE: one column, no ARG. */
#include "prelude.h"
#include "space.h"
#include "join.h"
#include "columns.h"

__kernel void join_sorted(COLUMNWISE, OPERAND(const I, index), const long chunk, const long from, const long to) {
  const long row = 0, begin = from + (long)get_global_id(0) * chunk;
  if (begin >= to) return;
  ROW_STARTS
  const long end = to - begin < chunk ? to : begin + chunk;
  long i = begin;
#define PLACE_AT(i) IN_MODE(WIDE(index[index_offset + (i)*INDEX_STEP]), size)
  if (begin > from)
    while (i < end && PLACE_AT(i) == PLACE_AT(begin - 1)) i++;
  while (i < end) {
    const long place = PLACE_AT(i);
    const bool is_ours = (ulong)place < (ulong)size;
#ifdef SIMPLE
    W joined = is_ours ? CAT(load_, S)(self[self_at + place * self_place]) : CAT(load_, S)(0);
    do {
      joined = JOIN(joined, VALUE(src[src_at + i * src_step]));
    } while (++i < to && PLACE_AT(i) == place);
    if (is_ours) self[self_at + place * self_place] = CAT(store_, S)(joined);
#else
    do {
      if (is_ours) {
        COLUMNS_OF(src_at + i * src_step, i)
      }
    } while (++i < to && PLACE_AT(i) == place);
#endif
  }
}
