/* linalg_loops.c: steps of linear algebra on rows of matrices, for one instruction set. */
#include "linalg_loops.h"

#include "runtime/core/shared/scalar.h"

enum { DOT_LANES = 16 };

#define S f32
#define T float
#include "linalg_steps.inc"
#undef S
#undef T
#define S f64
#define T double
#include "linalg_steps.inc"

#define STEPS(S)                                                                                                       \
  { subtract_##S, combine_##S, rotate_##S, dot_##S }

const struct linalg_loops LOOPS_TABLE(linalg) = {.f32 = STEPS(f32), .f64 = STEPS(f64)};
