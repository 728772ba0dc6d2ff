/* elementwise.h: an elementwise operation whose arguments are checked (elementwise.c): calls run it at once, expressions
   make it an instruction of a program. */
#ifndef STREW_ELEMENTWISE_H
#define STREW_ELEMENTWISE_H

#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"

/* An operation: its arguments, and what is derived from them. */
struct elementwise {
  struct call *call;        /* its operands are the operation's, named */
  strew_tensor *given;      /* the result to write; NULL: none yet */
  const strew_tensor *self; /* the operand named self, if it is a tensor */
  enum elementwise_kind kind;
  int op;
  int inputs;
  strew_operand operands[MOST_INPUTS];
  const char *names[MOST_INPUTS];
  bool of_columns; /* integers of 32 and 64 bits beside floats are float64: dtype_of_fractions */
  strew_dtype common, compute, result;
  strew_dtype mixed;                  /* what uint64 and signed integers meet in: of integers, else float64 */
  union element numbers[MOST_INPUTS]; /* operands without a tensor ... */
  strew_dtype number_dtype;           /* ... in this dtype */
  int rank;                           /* of the result */
  int64_t sizes[MAX_RANK];
};

/* Each fills the operation, which holds its call, and `given`. They check all but the memory of the result. Elements
   that make the call fail (an integer divided by 0) are looked for in operands, which are read. */
strew_status elementwise_unary(struct elementwise *work, strew_unary_op op, strew_tensor *x);
strew_status elementwise_binary(struct elementwise *work, strew_binary_op op, strew_operand a, strew_operand b);
strew_status elementwise_where(struct elementwise *work, strew_tensor *condition, strew_operand a, strew_operand b);
strew_status elementwise_masked_fill(struct elementwise *work, strew_tensor *x, strew_tensor *mask,
                                     strew_operand value);
strew_status elementwise_clamp(struct elementwise *work, strew_tensor *x, const strew_operand *low,
                               const strew_operand *high);
/* True if elements of the second operand are read by that check. */
bool elementwise_reads(strew_binary_op op, strew_operand a, strew_operand b);

/* The instruction: its sources are numbers, or FROM_NUMBER with the operand's dtype, to be set by the caller. */
void elementwise_instruction(const struct elementwise *work, struct instruction *instruction);
/* Makes or checks the result, and computes it. */
strew_status elementwise_run(const struct elementwise *work, strew_tensor **out);
/* Fails unless the result may be written to `out`. */
strew_status elementwise_check_written(const struct elementwise *work, const strew_tensor *out);

/* The largest finite element of each float dtype. */
extern const double largest_floats[STREW_DTYPE_COUNT];

/* Position of a number among the elements of dtype: at *element (floats are rounded to one), between *element and
   the next greater one, below all (*element is the least), or nowhere (NaN among integers). */
enum standing { STANDS_AT, STANDS_ABOVE, STANDS_BELOW, STANDS_NOWHERE };
enum standing number_standing(strew_scalar number, strew_dtype dtype, strew_scalar *element);

#endif
