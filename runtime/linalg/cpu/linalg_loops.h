/* linalg_loops.h: steps of linear algebra on rows of matrices, see linalg_steps.inc. */
#ifndef STREW_LINALG_LOOPS_H
#define STREW_LINALG_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include <stdint.h>

#define ROW_STEPS(T)                                                                                                   \
  struct {                                                                                                             \
    void (*subtract)(int64_t rows, int64_t columns, T *c, int64_t ld, int64_t depth, const T *u, int64_t u_row,        \
                     int64_t u_step, const T *v, int64_t v_row, bool is_upper);                                        \
    void (*combine)(int64_t rows, int64_t columns, const T *c, int64_t ld, const T *v, T *w);                          \
    void (*rotate)(int64_t count, T *x, T *y, T cosine, T sine);                                                       \
    T (*dot)(int64_t count, const T *x, const T *y);                                                                   \
  }

struct linalg_loops {
  ROW_STEPS(float) f32;
  ROW_STEPS(double) f64;
};
DECLARE_LOOPS(linalg)
CHOOSE_LOOPS(linalg)

#endif
