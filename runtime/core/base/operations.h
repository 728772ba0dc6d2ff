/* operations.h: the table rows of elementwise operations and reductions of groups, by number (operations.c). */
#ifndef STREW_OPERATIONS_H
#define STREW_OPERATIONS_H

#include "device.h"
#include "elementwise_ops.h"
#include "runtime/strew.h"

/* Dtypes that an operation takes besides floats. */
enum takes {
  TAKES_ANY,     /* integers and bools */
  TAKES_NUMBERS, /* integers */
  TAKES_FLOATS,  /* none; elementwise operations compute integers and bools as float32 */
  TAKES_BITS,    /* integers and bools, but no floats */
  TAKES_INTEGERS,
  TAKES_STORED /* none, and 16-bit floats as they are */
};

/* GIVES_COMMON: the dtype in which the operands meet; GIVES_LIMB: int64; the others are bool. */
enum gives { GIVES_COMMON, GIVES_LIMB, GIVES_ORDER, GIVES_TRUTH };

struct operation {
  const char *name;
  enum takes takes;
  enum gives gives;
  int cost; /* time of an element, in sums */
};

extern const struct operation unary_operations[], binary_operations[], other_operations[];
static inline const struct operation *operation_of(enum elementwise_kind kind, int op) {
  if (kind == ELEMENTWISE_UNARY) return &unary_operations[op];
  const bool is_binary = kind == ELEMENTWISE_BINARY || kind == ELEMENTWISE_MIXED;
  return is_binary ? &binary_operations[op] : &other_operations[kind];
}
/* Operations of integers whose bits do not depend on the sign of the dtype: a bit for each. Unsigned integers take the
   loops of signed ones. */
#define OPERATION_BIT(op) (UINT64_C(1) << (op))
#define SIGNLESS_UNARY                                                                                                 \
  (OPERATION_BIT(STREW_NEG) | OPERATION_BIT(STREW_FLOOR) | OPERATION_BIT(STREW_CEIL) | OPERATION_BIT(STREW_ROUND) |    \
   OPERATION_BIT(STREW_LOGICAL_NOT) | OPERATION_BIT(STREW_BITWISE_NOT))
#define SIGNLESS_BINARY                                                                                                \
  (OPERATION_BIT(STREW_ADD) | OPERATION_BIT(STREW_SUB) | OPERATION_BIT(STREW_MUL) | OPERATION_BIT(STREW_EQ) |          \
   OPERATION_BIT(STREW_NE) | OPERATION_BIT(STREW_LOGICAL_AND) | OPERATION_BIT(STREW_LOGICAL_OR) |                      \
   OPERATION_BIT(STREW_BITWISE_AND) | OPERATION_BIT(STREW_BITWISE_OR) | OPERATION_BIT(STREW_BITWISE_XOR) |             \
   OPERATION_BIT(STREW_BITWISE_LEFT_SHIFT))
/* The dtype in which operands that meet in `common` are computed. */
static inline strew_dtype loop_dtype(enum elementwise_kind kind, int op, strew_dtype common) {
  const bool signless = kind == ELEMENTWISE_WHERE || (kind == ELEMENTWISE_UNARY && SIGNLESS_UNARY >> op & 1) ||
                        (kind == ELEMENTWISE_BINARY && SIGNLESS_BINARY >> op & 1);
  const bool stored = kind == ELEMENTWISE_WHERE || operation_of(kind, op)->takes == TAKES_STORED;
  return signless && dtype_is_unsigned(common) ? dtype_signed(common) : stored ? common : dtype_wide(common);
}
/* True for a function of 16-bit floats that halves.h moves off ties. (hypot and those of one argument are right for
   bfloat16.) */
static inline bool breaks_ties(const struct instruction *instruction) {
  const int op = instruction->op;
  const bool is_half = dtype_is_half(instruction->common), is_float16 = instruction->common == STREW_FLOAT16;
  if (instruction->kind == ELEMENTWISE_BINARY)
    return (is_half && (op == STREW_POW || op == STREW_ATAN2 || op == STREW_LOGADDEXP)) ||
           (is_float16 && op == STREW_HYPOT);
  return instruction->kind == ELEMENTWISE_UNARY && is_float16 && unary_operations[op].takes == TAKES_FLOATS;
}
static inline bool gives_bool(const struct operation *operation) { return operation->gives > GIVES_LIMB; }
/* The dtype of what an instruction computes, before it is converted to `result`. */
static inline strew_dtype dtype_given(const struct instruction *instruction) {
  const enum gives gives = operation_of(instruction->kind, instruction->op)->gives;
  return gives == GIVES_COMMON ? instruction->compute : gives == GIVES_LIMB ? STREW_INT64 : STREW_BOOL;
}

/* Result of folding no elements: 0, 1, NaN or an error. */
enum fold_empty { EMPTY_ZERO, EMPTY_ONE, EMPTY_UNDEFINED, EMPTY_NOTHING };
struct group_row {
  const char *word, *call; /* call: its name in messages */
  enum takes takes;
  enum fold_empty empty, exact; /* exact: where no empty group passes for a number */
  unsigned options;             /* WITH_... */
  strew_reduction reduction;
};
extern const struct group_row group_rows[];
/* The row of the group form's reduction; NULL: there is none. */
const struct group_row *group_row_of(strew_reduction reduction);
/* The value of groups without elements, for results of that dtype; 0 without a row. */
strew_scalar group_empty(const struct group_row *row, bool is_exact, strew_dtype dtype);

#endif
