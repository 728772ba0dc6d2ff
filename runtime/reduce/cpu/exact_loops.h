/* exact_loops.h: loops of exact sums. */
#ifndef EXACT_LOOPS_H
#define EXACT_LOOPS_H

#include "runtime/core/cpu/isa.h"
#include "runtime/reduce/exact_ops.h"

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
