/* order_ops.h: sorts, searches and quantiles: plans, and the functions of a device, which their plans describe. */
#ifndef ORDER_OPS_H
#define ORDER_OPS_H

#include "runtime/core/base/device.h"
#include "runtime/strew.h"

/* Operands: 0 values (storage NULL: not needed), 1 indices (int64), 2 input; the sorted dimension is the plan's last;
   out's last dimension may be shorter (topk): only the first `keep` of each line are written. */
struct sort_plan {
  struct plan plan;
  int64_t keep;
  bool descending;
};

/* Operands: SEARCH_OUT (int64), SEARCH_VALUES and SEARCH_SORTED, of one dtype. out is the place of each value in its
   line of `size` > 0 sorted elements, `step` apart: the number of smaller elements (right: or equal ones); NaN is the
   largest. All devices make the same comparisons, so that unsorted lines give the same places, too. Of n places, the
   first n / 2 are passed if the last of them is smaller than the value. This repeats while n > 1; the last place is
   compared, too. */
enum search_operand { SEARCH_OUT, SEARCH_VALUES, SEARCH_SORTED };
struct search_plan {
  struct plan plan;
  int64_t size, step;
  bool right;
};

/* Operands: QUANTILE_OUT and QUANTILE_SORTED, of one dtype, QUANTILE_START and QUANTILE_COUNT (int64). out is the
   q-quantile of the `count` elements from position `start` on of sorted, whose elements are `step` apart, NaN last: the
   last of them if it is NaN; `empty` if there is none. See runtime/order/shared/quantile_rank.h for the rank, which is computed
   in float32 or float64. unsorted, on the CPU: the number of elements in all if they are in any order, and may be moved;
   else 0. stays: they are those of one quantile, and may not be moved. */
enum quantile_operand { QUANTILE_OUT, QUANTILE_SORTED, QUANTILE_START, QUANTILE_COUNT };
struct quantile_plan {
  struct plan plan;
  int64_t step, unsorted;
  double q;
  bool in_float32, stays;
  strew_interpolation interpolation; /* of integers: one that chooses an element */
  union element empty;
};

/* Operands: 0 positions (int64, dense), 1.. index values, the first for a dimension of sizes[0]. With each, a position
   becomes position * size + value; it starts as 0, or `continues` from what it holds. STREW_DROP: a position is
   negative once a value is out of range. */
struct join_plan {
  struct plan plan;
  int64_t sizes[MAX_OPERANDS - 1];
  strew_mode mode;
  bool continues;
};

/* Its functions; see DEVICE_ENTRIES.

     sort, search, quantile  see their plans
     index_join  *bad: a value is out of range for the mode; positions are then undefined
     nonzero   makes *out, the coordinates of the nonzero elements of operand 0, int64[count, rank]. Takes a plan
               that is not simplified nor empty: rank and sizes are the tensor's
     compress  makes *out, rows of operand 1 where operand 0 is nonzero, whose number becomes sizes[0]. The plan
               has one dimension; a row is as long as operand 1's stride, and rows and their elements are
               contiguous. Optional
     repeat    makes *out: each element of a line, of rank 1 and not empty, repeated as often as its entry of
               counts (int64, of the same size). May decline. Optional */
#define ORDER_ENTRIES(X, OPTIONAL)                                                                                     \
  X(strew_status, sort, (ON_DEVICE, const struct sort_plan *plan))                                                     \
  X(strew_status, search, (ON_DEVICE, const struct search_plan *plan))                                                 \
  X(strew_status, quantile, (ON_DEVICE, const struct quantile_plan *plan))                                             \
  X(strew_status, index_join, (ON_DEVICE, const struct join_plan *plan, bool *bad))                                    \
  X(strew_status, nonzero, (ON_DEVICE, const struct plan *plan, strew_tensor **out))                                   \
  OPTIONAL(strew_status, compress, (ON_DEVICE, const struct plan *plan, int rank, int64_t *sizes, strew_tensor **out)) \
  OPTIONAL(strew_status, repeat, (ON_DEVICE, const strew_tensor *line, const strew_tensor *counts, strew_tensor **out))

struct order_ops {
  ORDER_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

/* Fails unless q is 0..1, and the interpolation is one. quantile.c */
strew_status check_rank(const struct call *call, double q, strew_interpolation interpolation);

#endif
