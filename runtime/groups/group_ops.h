/* group_ops.h: segments, and groupings of elements: plans, and the functions of a device. */
#ifndef GROUP_OPS_H
#define GROUP_OPS_H

#include "runtime/core/base/device.h"
#include "runtime/reduce/exact_ops.h"
#include "runtime/strew.h"

/* Reductions of consecutive elements of src, the segments: at each coordinate, ENDS (int64 or int32) holds the first
   element's number, and `ends_step` elements further the number behind the last one; both are valid. Element number i
   is SEGMENT_SRC's at the coordinate + i * step. Along the segments' dimension SEGMENT_SRC has stride 0, along columns
   SEGMENT_ENDS has. Where the stride of SEGMENT_ENDS along a dimension is ends_step, a segment ends where the next one
   begins. out joins `start` and the elements in order; of no elements it is `empty`. SEGMENT_ARG (int64, of out's
   shape), for amax and amin: number of the first winner among the elements, without `start`; of no elements `size`.
   STREW_MEAN divides the sum by the number of elements. Sums, products and means of 16-bit floats are computed in
   float32 and rounded once. */
enum segment_operand { SEGMENT_OUT, SEGMENT_SRC, SEGMENT_ENDS, SEGMENT_ARG };
struct segment_plan {
  struct plan plan;
  int64_t size, step; /* of src along the segments' dimension */
  int64_t ends_step;
  strew_reduction reduction;
  union element start, empty; /* of out's dtype */
};

/* Reductions of a column in a walk that several columns share. src is 1-D, of any strides; its elements are converted
   to `computed` (float32, float64 or int64) and joined in order from the identity on. out, by reduction: dense, of that
   dtype, with an element for each group; NULL: not needed. STREW_SUM, STREW_AMAX and STREW_AMIN, or STREW_PROD
   alone. */
struct aggregate_column {
  const strew_tensor *src; /* NULL: ones, of which only the int64 sum is wanted */
  strew_dtype computed;
  /* Dense, an element for each group: squares of the differences from it join, of which only the sum is wanted,
     computed in float64; NULL: elements do. */
  const strew_tensor *about;
  strew_tensor *out[STREW_REDUCTION_COUNT];
  /* Exact sums, computed in float64: not of elements but of their parts, which are cut at multiples of 2^p (`cut`: 2^(p + 52)),
     the lowest first. Joined in any order, for their sums are not rounded. */
  int parts; /* 0: none */
  double cut[MOST_CUT_PARTS];
  strew_tensor *part[MOST_CUT_PARTS];
};

/* Ids of elements: the number of each one's group, of `size`, which is at most INT32_MAX; uint8, int16, int32 or int64.
   -1, only if `drops`: none. */
struct group_ids {
  const strew_tensor *ids;
  int64_t size;
  bool drops;
};

/* Its functions; see DEVICE_ENTRIES.

     sorted_ends      operand 0 (int64), at coordinate v along the plan's last dimension, which is not merged with
                      others: the number of the `size` values of operand 1, `step` apart, that are less than v. They
                      are in order and valid
     segments         see segment_plan
     spread           the reverse of segments: writes the value of each segment, in SEGMENT_OUT, to all its elements

   Optional, for groupings of elements, of which there are some. Tensors are dense and 1-D, except keys and src, which
   have any stride; starts, order, positions and groups are int64. There are groups.

     number_keys      makes *ids, of a dtype of ids: the number of each element's group by `count` keys; and *positions:
                      the position of each group's first element. May decline
     group_cumsum     out[i] = the sum, from +0 on, of the elements up to i of src whose id (int64) is that of element
                      i, which is less than `size`; 0 where it is -1. src and out: float32, float64 or int64, whose sums
                      are STREW_EVALUE if they leave it
     group_shift      out[i] = the element of src n before element i (-n behind it) in its group, of those with its id
                      (int64); `fill` has the one of the others. Of a group starts[g + 1] - starts[g]. src, fill and out
                      have one dtype
     group_order      writes to `order` the positions of the elements of group g, ascending, from starts[g] on
     group_collect    the same for the elements of src instead of their positions; out is of src's dtype
     group_order_within
                      out[starts[g]] .. out[starts[g + 1] - 1]: the positions of group g, those of `order`, in the order
                      of src's elements, ties by position. There are some. May decline
     group_topk       makes *positions and *groups (`groups` may be NULL): of each group those of the first k > 0
                      elements of src, greatest or least first, ties by position. May decline
     group_aggregate  reduces all columns in one walk over the ids */
#define GROUP_ENTRIES(X, OPTIONAL)                                                                                     \
  X(strew_status, sorted_ends, (ON_DEVICE, const struct plan *plan, int64_t size, int64_t step))                       \
  X(strew_status, segments, (ON_DEVICE, const struct segment_plan *plan))                                              \
  X(strew_status, spread, (ON_DEVICE, const struct segment_plan *plan))                                                \
  OPTIONAL(strew_status, number_keys,                                                                                  \
           (ON_DEVICE, int count, strew_tensor *const *keys, strew_key_order order, strew_tensor **ids,                \
            strew_tensor **positions))                                                                                 \
  OPTIONAL(strew_status, group_cumsum,                                                                                 \
           (ON_DEVICE, const strew_tensor *ids, int64_t size, const strew_tensor *src, strew_tensor *out))             \
  OPTIONAL(strew_status, group_shift,                                                                                  \
           (ON_DEVICE, const strew_tensor *ids, const strew_tensor *starts, const strew_tensor *src, int64_t n,        \
            const strew_tensor *fill, strew_tensor *out))                                                              \
  OPTIONAL(strew_status, group_order,                                                                                  \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *starts, strew_tensor *order))                  \
  OPTIONAL(strew_status, group_collect,                                                                                \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *starts, const strew_tensor *src,               \
            strew_tensor *out))                                                                                        \
  OPTIONAL(strew_status, group_order_within,                                                                           \
           (ON_DEVICE, const strew_tensor *src, const strew_tensor *order, const strew_tensor *starts,                 \
            bool descending, strew_tensor *out))                                                                       \
  OPTIONAL(strew_status, group_topk,                                                                                   \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *src, int64_t k, bool largest,                  \
            strew_tensor **positions, strew_tensor **groups))                                                          \
  OPTIONAL(strew_status, group_aggregate,                                                                              \
           (ON_DEVICE, const struct group_ids *ids, int count, const struct aggregate_column *columns))

struct group_ops {
  GROUP_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

#endif
