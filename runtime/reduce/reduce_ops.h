/* reduce_ops.h: reductions along dimensions and cumulative operations: plans, and the functions of a device. */
#ifndef REDUCE_OPS_H
#define REDUCE_OPS_H

#include "runtime/core/base/device.h"
#include "runtime/core/base/operations.h"
#include "runtime/strew.h"

/* The order in which floats are added (or multiplied), the same on every device: the elements that meet, numbered in
   row-major order, are cut into blocks of SUM_BLOCK. In a block, lane l of SUM_LANES starts at 0 (or 1) and takes
   elements l, l + 16, l + 32, ... in order; lanes are joined by halving: lane l takes lane l + 8, then l + 4, l + 2,
   l + 1. Block values are joined as a binary tree: neighbours in pairs, level by level; an odd last one passes through
   unchanged. A mean is the sum divided by the count. A variance takes gaps, which are elements minus the first one, so
   that a common part does not matter: the mean of the gaps, then the sum of squares of their differences from it in the
   same order, divided by max(0, count - correction).

   cumsum has an order of its own. A line is cut into blocks of SUM_BLOCK, these into runs of SUM_RUN, and these into
   halves; in a half one element is added after the other, and a run's total is that of its first half plus that of its
   second. What comes before a run is a pair of floats, high and low, whose exact sum is meant (double-float
   arithmetic): pairs a and b add up to high = a.high + b.high, low = (a.low + b.low) + what the first sum has lost by
   rounding (Knuth's two-sum; 0 where it is not finite). From (0, 0) on, a block's runs are added one after the other,
   each as (total, 0), and a line's blocks likewise. With P the pair of the earlier blocks plus that of the block's
   earlier runs, and s the half's sum up to an element, the result is P.high + (P.low + s) in a run's first half and
   P.high + ((P.low + the first half's total) + s) in its second. Integers have no low part. */
enum { SUM_BLOCK = 1024, SUM_LANES = 16, SUM_RUN = 16, SUM_HALF = SUM_RUN / 2, SUM_RUNS = SUM_BLOCK / SUM_RUN };

/* Operands: 0 out, 1 input. Kept dimensions come first in the plan, `kept` of them; the others are folded in row-major
   order. out stands still along those. On the CPU a third operand may multiply the input, element by element, before it
   is summed: both contiguous, of one float dtype that is computed, none kept. */
struct reduce_plan {
  struct plan plan;
  int kept;
  strew_fold fold;
  double correction;
};

/* Operands: 0 out, 1 input, of extremes 2 values, of the input's dtype; the scanned dimension is the plan's last. */
enum { SCAN_VALUES = 2 };
struct scan_plan {
  struct plan plan;
};

/* Its functions; see DEVICE_ENTRIES.

     reduce, cumsum   see their plans
     cumprod          a scan_plan of one dtype: float32, float64 or int64. A line's elements are multiplied in order; in
                      and out may be the same elements
     cumextreme       a scan_plan of positions (int64), elements of any dtype and values: the position of the largest, or
                      smallest, so far, and that element; of equal elements the last one, and so of NaN, which win */
#define REDUCE_ENTRIES(X, OPTIONAL)                                                                                    \
  X(strew_status, reduce, (ON_DEVICE, const struct reduce_plan *plan))                                                 \
  X(strew_status, cumsum, (ON_DEVICE, const struct scan_plan *plan))                                                   \
  X(strew_status, cumprod, (ON_DEVICE, const struct scan_plan *plan))                                                  \
  X(strew_status, cumextreme, (ON_DEVICE, const struct scan_plan *plan, bool largest))

struct reduce_ops {
  REDUCE_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

/* Result of a fold: WIDE, sums' dtype: a float's own, else int64; SAME, the input's dtype; PLACE, int64; TRUTH,
   bool. */
enum fold_gives { FOLD_WIDE, FOLD_SAME, FOLD_PLACE, FOLD_TRUTH };
/* Last step, after joining. */
enum fold_finish { FINISH_PLAIN, FINISH_MEAN, FINISH_VARIANCE, FINISH_DEVIATION };

struct fold_row {
  const char *name;
  enum takes takes;
  enum fold_gives gives;
  enum fold_empty empty;
  enum fold_finish finish;
};

extern const struct fold_row fold_rows[];
static inline const struct fold_row *fold_row_of(strew_fold fold) { return &fold_rows[fold]; }
/* True if the fold takes two passes: one for means, one for squared differences from them. */
static inline bool fold_is_spread(strew_fold fold) {
  enum fold_finish finish = fold_row_of(fold)->finish;
  return finish == FINISH_VARIANCE || finish == FINISH_DEVIATION;
}

/* True if a fold over dimensions takes longer to read a deferred tensor. reduce/reduce.c */
bool fold_wants_stored(strew_fold fold, const strew_tensor *tensor, const strew_reduce_options *options);
/* What a fold gives, after its checks; folded: its dimensions. */
struct fold_result {
  strew_dtype dtype;
  int rank;
  int64_t sizes[MAX_RANK];
  bool folded[MAX_RANK];
};
strew_status fold_infer(const struct call *call, strew_fold fold, const strew_tensor *tensor,
                        const strew_reduce_options *options, struct fold_result *out);

#endif
