/* linalg_ops.h: products and factorizations of matrices: plans, and the functions of a device. */
#ifndef LINALG_OPS_H
#define LINALG_OPS_H

#include "runtime/core/base/device.h"

/* Factorizations of `count` matrices a[m][n], of float32 or float64. Tensors are dense: a batch of matrices, or of
   vectors of numbers. out[i] NULL: not wanted.
     FACTOR_SOLVE     out[0][n][columns]: the inverse of a times b[n][columns]; b NULL: the inverse itself
     FACTOR_PIVOTS    out[0][n]: the pivots of elimination; the sign of the exchanges of rows is the first one's; 0 from
                      the first one on that is 0
     FACTOR_CHOLESKY  out[0][n][n]: the triangle, is_upper or lower, of the symmetric matrix of that triangle
     FACTOR_QR        out: Q[m][columns], R[columns][n]
     FACTOR_EIGEN     out: values[n], vectors[n][n] of the symmetric matrix of that triangle
     FACTOR_SINGULAR  out: U, S[least of m and n], Vh; `columns` is the size of the square one of the larger of m and n
 */
enum factor { FACTOR_SOLVE, FACTOR_PIVOTS, FACTOR_CHOLESKY, FACTOR_QR, FACTOR_EIGEN, FACTOR_SINGULAR };
struct linalg_plan {
  enum factor factor;
  int64_t count, m, n, columns;
  bool is_upper;
  const strew_tensor *a, *b, *out[3];
};
/* Why a matrix has no result: its column without a pivot, or these. */
enum { FACTORED = -1, NOT_FINITE = -2, NOT_CONVERGED = -3 };

/* Its functions; see DEVICE_ENTRIES.

     matmul           c[m, n] = a[m, k] b[k, n], k > 0. m and n are the plan's last two dimensions, the others are
                      batches. Operands: 0 c (dense), 1 a, 2 b, of the dtype that is computed. The last two strides of a
                      and b are those of their own rows and columns: one of them is 1, the other at least as long
     linalg           see linalg_plan; *bad: the number of the first matrix without a result, and *why; -1: none. Optional: the CPU
                      alone has it */
#define LINALG_ENTRIES(X, OPTIONAL)                                                                                    \
  X(strew_status, matmul, (ON_DEVICE, const struct plan *plan, int64_t k))                                             \
  OPTIONAL(strew_status, linalg, (ON_DEVICE, const struct linalg_plan *plan, int64_t *bad, int64_t *why))

struct linalg_ops {
  LINALG_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

#endif
