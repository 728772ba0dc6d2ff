/* scatter_alone.cl: a whole small scatter in one work-item and one launch: the check, then contributions in order.
   Reduction, index type and operands are arguments here, where other kernels have macros: one program per dtype serves
   all small calls, since compiling costs more than thousands of them. Rows, columns and line are those of
   scatter_walk.cl. The host defines
     S      suffix of self's dtype
     SRC    suffix of src's dtype */
#include "join.h"

/* Numbered by the table, as strew_reduction is. */
enum reduction {
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops) REDUCTION_##ENUM,
  STREW_REDUCTIONS(ROW)
#undef ROW
};

static inline W joined(W a, W b, int reduction) {
  switch (reduction) {
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops)                                            \
  case REDUCTION_##ENUM: return (W)(joined);
    STREW_REDUCTIONS(ROW)
#undef ROW
  }
  return a;
}

/* An index value: int64 if `wide`, else int32. */
static inline long index_value(__global const int *index, long at, int wide) {
  return wide ? ((__global const long *)index)[at] : wide_int(index[at]);
}
#define VALUE(index_at, i, c)                                                                                          \
  IN_MODE(index_value(index, (index_at) + (i)*index_step + (c)*index_column, index_is_wide), size)

__kernel void scatter_alone(SPACE, OPERAND(T, self), const long self_dim_stride, OPERAND(long, arg),
                            const long arg_dim_stride, const long none, const int fresh, const int with_arg,
                            OPERAND(const int, index), const int index_is_wide, OPERAND(const TSRC, src),
                            const T number, const int with_src, LIMITS, const long width, const long self_column,
                            const long index_column, const long src_column, const long arg_column, const int reduction,
                            const int check, __global int *verdict) {
  int out_of_range = 0;
  for (long row = 0; check && row < rows; row++) {
    const long index_at = index_offset + inner_product(coordinates_of(row, rows, sizes), index_strides);
    for (long i = 0; i < columns; i++)
      for (long c = 0; c < (index_column ? width : 1); c++) out_of_range |= (ulong)VALUE(index_at, i, c) >= (ulong)size;
  }
  for (int k = 0; check && k < STAGES; k++) verdict[k] = out_of_range ? BAD : 0;
  if (out_of_range) return;
  for (long row = 0; row < rows; row++) {
    const coordinates at = coordinates_of(row, rows, sizes);
    const long self_at = ROW_OF(self), index_at = ROW_OF(index), src_at = ROW_OF(src), arg_at = ROW_OF(arg);
    for (long i = 0; i < columns; i++)
      for (long c = 0; c < width; c++) {
        const long value = VALUE(index_at, i, c);
        if ((ulong)value >= (ulong)size) continue;
        __global T *dst = self + (self_at + value * self_dim_stride + c * self_column);
        const W contribution =
            with_src ? CAT(load_, SRC)(src[src_at + i * src_step + c * src_column]) : CAT(load_, S)(number);
        const W held = CAT(load_, S)(*dst), combined = joined(held, contribution, reduction);
        if (with_arg) { /* as join_with_arg of join.h */
          __global long *winner = arg + (arg_at + value * arg_dim_stride + c * arg_column);
          if (!(fresh && *winner == none) && !CAT(differs_, S)(held, combined)) continue;
          *winner = i;
        }
        *dst = CAT(store_, S)(with_arg ? contribution : combined);
      }
  }
}
