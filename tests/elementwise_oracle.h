/* elementwise_oracle.h: the specification of elementwise operations, written from their definitions and PyTorch's
   tables, without the library's loops. */
#ifndef ELEMENTWISE_ORACLE_H
#define ELEMENTWISE_ORACLE_H

#include "testing.h"

/* Rows of the tables. */
struct table_row {
  const char *name;
  enum { TAKES_ANY, TAKES_NUMBERS, TAKES_FLOATS, TAKES_BITS, TAKES_INTEGERS, TAKES_STORED } takes;
  enum { GIVES_COMMON, GIVES_ORDER, GIVES_TRUTH } gives; /* the last two: bool */
};
extern const struct table_row binary_rows[], unary_rows[];

bool is_half(strew_dtype dtype);
bool divides(strew_binary_op op);

/* Returns the dtype of the computation on two operands, at least one of them a tensor; and the dtype of the result. */
strew_dtype promoted_of(strew_dtype a, strew_dtype b);
strew_dtype common_of(strew_operand a, strew_operand b);
strew_dtype result_of(strew_binary_op op, strew_operand a, strew_operand b);
/* True if PyTorch refuses the operation for these dtypes. */
bool is_refused(strew_binary_op op, strew_operand a, strew_operand b);

/* A number converted to another dtype: floats in .f, the others in .i. */
strew_scalar convert(strew_scalar x, strew_dtype to);
strew_scalar apply_unary(strew_unary_op op, strew_dtype dtype, strew_scalar x);

/* An operand, opened for the loop: dense elements with strides for the result's shape. */
struct opened {
  strew_dtype dtype;
  char *host;
  strew_scalar number;
  int64_t strides[STREW_MAX_RANK];
};
/* For a result of `rank` dimensions; the caller frees host. */
struct opened open_operand(strew_operand x, int rank);
/* Returns the operand's element for element `place` of the result. */
strew_scalar element_at(const struct opened *x, int rank, const int64_t *sizes, int64_t place);

/* Returns the expected result, dense, with the shape of `like` and dtype; the caller frees it. */
char *expected_of(strew_binary_op op, strew_operand a, strew_operand b, const strew_tensor *like, strew_dtype dtype);

#endif
