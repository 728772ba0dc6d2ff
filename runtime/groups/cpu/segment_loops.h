/* segment_loops.h: reductions of consecutive elements, for each instruction set. Contributions join in order if the
   bits depend on it; else in vectors. */
#ifndef STREW_SEGMENT_LOOPS_H
#define STREW_SEGMENT_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include "runtime/core/base/call.h"

/* Extremes are those of signed integers: keys in the order of elements, whose bits `flip` are inverted (order_flip). Of
   floats, `mask` is all bits but the sign, of others 0. NaN is the highest key. */
struct segment_order {
  int64_t flip, mask;
};

/* Whether sums are divided by the number of elements, and as integers of which kind. */
enum segment_mean { NO_MEAN, MEAN_SIGNED, MEAN_UNSIGNED };

/* Consecutive segments: number s joins elements ends[s] .. ends[s + 1] - 1. Steps in bytes. */
struct segment_run {
  int64_t count, columns;
  const int64_t *ends; /* count + 1 */
  const char *src;     /* element i, column c at src + i * src_step + c * src_column */
  int64_t src_step, src_column;
  char *out; /* segment s, column c at out + s * out_step + c * out_column; so with arg */
  int64_t out_step, out_column;
  char *arg; /* int64: positions of winners */
  int64_t arg_step, arg_column;
  int64_t none;               /* arg of a segment without elements */
  struct segment_order order; /* of extremes; else 0 */
  const void *start, *empty;  /* of out's dtype: joined first; the value of a segment without elements */
  enum segment_mean mean;
};

/* A segment that is joined in pieces: columns 0 .. run->columns - 1, at most SEGMENT_COLUMNS of them. */
enum { SEGMENT_COLUMNS = 256 };
struct segment_state {
  int64_t joined; /* elements so far; 0 at the beginning */
  union {
    char bytes[8 * SEGMENT_COLUMNS];
    int64_t align;
  } held;
  int64_t at[SEGMENT_COLUMNS]; /* positions of winners */
};

struct segment_kernel {
  void (*reduce)(const struct segment_run *run);
  /* Joins elements begin .. end - 1 of one segment, begin < end < begin + 2^31. */
  void (*join)(struct segment_state *state, const struct segment_run *run, int64_t begin, int64_t end);
  /* Writes the result of the state, which has joined elements, to run->out and run->arg. */
  void (*finish)(const struct segment_state *state, const struct segment_run *run);
};

/* By dtype, of integers signed ones alone, and reduction: SUM, PROD, AMAX, AMIN; of AMAX and AMIN with arg, too. Integers
   of less than 32 bits and bool are in the plain table alone, and there without PROD and arg. What is missing is joined as float32 or int32. */
struct segment_loops {
  struct segment_kernels {
    struct segment_kernel plain[STREW_REDUCTION_COUNT], with_arg[STREW_REDUCTION_COUNT];
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(segment)
CHOOSE_LOOPS(segment)

#endif
