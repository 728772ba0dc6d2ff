/* scatter_walk.cl: contributions combined by work-items that walk the index in order. The plan's last dimension is the
   line, along which the order counts. Rows are the other dimensions, except the innermost one if self's stride along
   it is less than along dim: that one is a row's columns, of which a work-item takes `block`. Work-items also divide
   destinations by ranges of values: each of the `owners` walks the whole line and skips other owners' values. The host
   defines
     COLUMNS   one, dense (all operands that move along them have unit stride), or strided
     MOVING    index moves along the columns, too */
#include "join.h"

#define WALKED                                                                                                         \
  SPACE, TARGET, OPERAND(const I, index), SOURCE, LIMITS, const long width, const long block, const long self_column,  \
      const long index_column, const long src_column, const long arg_column

#define one     1
#define dense   2
#define strided 3

#if COLUMNS == dense
#define ALONG(column, stride) (column)
#else
#define ALONG(column, stride) ((column) * (stride))
#endif

#if COLUMNS == dense && !defined MOVING
/* A function, so that `restrict` tells the compiler that rows of self and src do not overlap. noinline concerns the
   front end only, whose notes about such pointers Oclgrind does not understand; drivers inline it later. */
#ifndef IS_GPU
__attribute__((noinline))
#endif
static void
join_dense(__global T *restrict dst, __global const TSRC *restrict src, long at, const T number, long count PROGRAM) {
  for (long c = 0; c < count; c++)
    dst[c] = CAT(store_, S)(JOIN(CAT(load_, S)(dst[c]), VALUE(ELEMENT_AT(src, at + c))));
}
#define JOIN_COLUMNS(self_at, src_at, arg_at, position, count)                                                         \
  join_dense(self + (self_at), src, src_at, number, count PROGRAM_PASSED)
#else
#define JOIN_COLUMNS(self_at, src_at, arg_at, position, count)                                                         \
  for (long c = 0; c < (count); c++)                                                                                   \
  JOIN_AT((self_at) + c * self_column, VALUE(ELEMENT_AT(src, (src_at) + c * src_column)),                              \
          (arg_at) + c * arg_column, position)
#endif

/* Columns from first_column on of one row; destinations lowest .. lowest + owned - 1; contributions from .. to - 1 of
   the line. Sets out_of_range if a value addresses no element. Macros, because they use the kernel's parameters. */
#define ROW_STARTS(row, first_column)                                                                                  \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const long self_at = ROW_OF(self) + (first_column)*self_column;                                                      \
  const long index_at = ROW_OF(index) + (first_column)*index_column;                                                   \
  const long src_at = ROW_OF(src) + (first_column)*src_column;                                                         \
  ARG_START((first_column)*arg_column)

#ifdef MOVING
#define EACH_CONTRIBUTION(from, to, lowest, owned, count)                                                              \
  for (long i = from; i < (to); i++)                                                                                   \
    for (long c = 0; c < (count); c++) {                                                                               \
      const long value = IN_MODE(WIDE(index[index_at + i * index_step + ALONG(c, index_column)]), size);               \
      out_of_range |= (ulong)value >= (ulong)size;                                                                     \
      if ((ulong)(value - (lowest)) < (ulong)(owned))                                                                  \
        JOIN_AT(self_at + value * self_dim_stride + ALONG(c, self_column),                                             \
                VALUE(ELEMENT_AT(src, src_at + i * src_step + ALONG(c, src_column))),                                  \
                ARG_AT(value) + c * arg_column, i);                                                                    \
    }
#else
#define EACH_CONTRIBUTION(from, to, lowest, owned, count)                                                              \
  for (long i = from; i < (to); i++) {                                                                                 \
    const long value = IN_MODE(WIDE(index[index_at + i * index_step]), size);                                          \
    out_of_range |= (ulong)value >= (ulong)size;                                                                       \
    if ((ulong)(value - (lowest)) < (ulong)(owned)) {                                                                  \
      JOIN_COLUMNS(self_at + value * self_dim_stride, src_at + i * src_step, ARG_AT(value), i, count);                 \
    }                                                                                                                  \
  }
#endif
#if COLUMNS == one
#define COUNT(first_column) 1
#else
#define COUNT(first_column) (width - (first_column) < block ? width - (first_column) : block)
#endif

__kernel void walk(WALKED, const long from, const long to, const long owners, const int check, __global int *verdict) {
  const long blocks = COLUMNS == one ? 1 : (width + block - 1) / block;
  const long item = (long)get_global_id(0), owner = item / (rows * blocks), row = item / blocks % rows;
  const long first_column = item % blocks * block;
  if (owner >= owners) return;
  const long lowest = size / owners * owner + size % owners * owner / owners;
  const long owned = size / owners * (owner + 1) + size % owners * (owner + 1) / owners - lowest;
  ROW_STARTS(row, first_column);
  int out_of_range = 0;
  EACH_CONTRIBUTION(from, to, lowest, owned, COUNT(first_column));
  if (check && out_of_range) verdict_add(WAY, BAD, verdict);
}
