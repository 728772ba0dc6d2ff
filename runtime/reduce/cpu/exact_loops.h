/* exact_loops.h: loops of exact sums. */
#ifndef EXACT_LOOPS_H
#define EXACT_LOOPS_H

#include "runtime/core/cpu/isa.h"
#include "runtime/reduce/exact_ops.h"

enum { EXACT_BLOCK = 1024, EXACT_PARTS = 3 }; /* 2^10 elements: what the cuts leave room for */
struct exact_kernels {
  void (*survey)(int64_t count, const void *row, struct exact_survey *out);
  bool (*block)(int64_t count, const void *row, double *parts);
};
struct exact_loops {
  struct exact_kernels f32, f64;
};
DECLARE_LOOPS(exact)

#endif
