/* reduce_loops.h: the folds of reductions. */
#ifndef STREW_REDUCE_LOOPS_H
#define STREW_REDUCE_LOOPS_H

#include "isa.h"
#include "runtime/device.h"

/* Loops are numbered as strew_fold; DEVIATIONS, of float dtypes alone: squared differences from the columns' means. */
enum { DEVIATIONS = STREW_FOLD_COUNT, FOLD_LOOPS };

/* What `block` meets in one call at the most; before it, or before a tile of whole outputs, a look is taken at whether
   the call has to stop. For what is in the cache a call for each block costs a quarter more. */
enum { BLOCKS_AT_ONCE = 64 };

struct fold {
  int64_t value_bytes;
  void (*start)(void *values, int64_t count);
  void (*join)(void *values, const void *others, int64_t count);
  /* Element i joins value i. Of winners, whose row has that place: where it is center i, the extreme of its column, and
     none was met before. */
  void (*row)(void *values, const void *elements, const void *centers, int64_t count, int64_t place);
  /* `rows` rows, `step` bytes apart, one after the other; NULL: row after row will do. */
  void (*rows)(void *values, const void *elements, int64_t step, int64_t rows, const void *centers, int64_t count);
  /* Elements side by side, BLOCKS_AT_ONCE blocks at the most, into one value; of sums and products of floats, that of
     the blocks' tree.
     center: for winners, the one of the blocks before, or NULL; a block that does not beat it need not name its own. */
  void (*block)(void *value, const void *elements, const void *center, int64_t count, int64_t place);
};

struct reduce_loops {
  const struct fold *const *folds[STREW_DTYPE_COUNT];
  /* From sums to means, from sums of squared differences to variances, and on to standard deviations. */
  void (*finish_f32)(void *values, int64_t count, double divisor, bool root);
  void (*finish_f64)(void *values, int64_t count, double divisor, bool root);
};
DECLARE_LOOPS(reduce)

#endif
