/* reduce_loops.h: loops of folds and of exact sums. */
#ifndef STREW_REDUCE_LOOPS_H
#define STREW_REDUCE_LOOPS_H

#include "runtime/core/base/device.h"
#include "runtime/core/cpu/isa.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/reduce/exact_ops.h"
#include "runtime/reduce/reduce_ops.h"

/* Loops have the number of their strew_fold. For float dtypes only: GAPS sums what elements exceed the first of their
   column by, DEVIATIONS squares of these gaps' differences from their means. PRODUCTS sums products with `centers`. */
enum { GAPS = STREW_FOLD_COUNT, DEVIATIONS, PRODUCTS, FOLD_LOOPS };

/* Bytes from the first elements of columns to the means of gaps. */
enum { MEANS_AT = SUM_LANES * FOLD_TILE_BYTES };

/* Most blocks per call of `block`; interrupts are polled between calls. In cache, a call per block costs a quarter
   more. */
enum { BLOCKS_AT_ONCE = 64 };

/* Rows that `rows` joins at a time. */
enum { FOLD_ROWS_AT_ONCE = 8 };

struct fold {
  int64_t value_bytes;
  void (*start)(void *values, int64_t count);
  void (*join)(void *values, const void *others, int64_t count);
  /* Joins element i to value i. Winners: values are places as wide as elements, all ones at first; if the element
     is center i, the extreme of its column, the place is `place`, the row's among FOLD_SOON, unless there is one. */
  void (*row)(void *values, const void *elements, const void *centers, int64_t count, int64_t place);
  /* Winners only: true if one of the elements is its center. */
  bool (*has_winner)(const void *elements, const void *centers, int64_t count);
  /* Winners only: gives such places, behind `place`, to winners that have none yet, and starts them again. */
  void (*take_winners)(void *winners, void *places, const void *centers, int64_t count, int64_t place);
  /* Joins `rows` rows, `step` bytes apart, one after another; NULL: call `row` for each. */
  void (*rows)(void *values, const void *elements, int64_t step, int64_t rows, const void *centers, int64_t count);
  /* Folds contiguous elements, at most BLOCKS_AT_ONCE blocks, into one value; sums and products of floats by the
     tree of blocks. center: for winners, that of earlier blocks, or NULL; a block that does not beat it may give
     none. */
  void (*block)(void *value, const void *elements, const void *center, int64_t count, int64_t place);
};

struct reduce_loops {
  const struct fold *const *folds[STREW_DTYPE_COUNT];
  /* Turns sums into means, and sums of squared differences into variances or standard deviations. */
  void (*finish_f32)(void *values, int64_t count, double divisor, bool root);
  void (*finish_f64)(void *values, int64_t count, double divisor, bool root);
};
DECLARE_LOOPS(reduce)

/* Loops of exact sums. */

enum { EXACT_BLOCK = 1024, EXACT_PARTS = 3 }; /* 2^10 elements: what the cuts leave room for */
struct exact_kernels {
  void (*survey)(int64_t count, const void *row, struct exact_survey *out);
  bool (*block)(int64_t count, const void *row, double *parts);
  void (*round)(int64_t count, const double *parts, int64_t step, int limbs, void *out);
};
struct exact_loops {
  struct exact_kernels f32, f64;
};
DECLARE_LOOPS(exact)

/* x + y, rounded, and what is lost. */
static inline double add_wholly(double x, double y, double *rest) {
  const double sum = x + y, back = sum - x;
  *rest = (x - (sum - back)) + (y - back);
  return sum;
}

#endif
