/* elementwise_ops.h: elementwise programs: plans, and the functions of a device. */
#ifndef ELEMENTWISE_OPS_H
#define ELEMENTWISE_OPS_H

#include "device.h"
#include "runtime/strew.h"

/* A program: instructions that compute each element from those of the inputs, one after another. Operands: 0 out (any
   dtype), 1.. the inputs. A single call is a program of one instruction.

   An instruction reads a number, an operand or an earlier instruction's result, which has dtype `result` as if it were
   stored. Inputs are converted to `common`, in which they meet, and from there to `compute`, which holds that (numbers,
   which have a dtype of their own, to `compute` alone). What the operation gives (`compute`, or bool for comparisons) is
   converted to `result`; that of the last instruction to out's dtype instead. */
enum elementwise_kind {
  ELEMENTWISE_UNARY,
  ELEMENTWISE_BINARY,
  ELEMENTWISE_MIXED,   /* comparison by value: inputs a (uint64), b (signed); computed as uint64 */
  ELEMENTWISE_WHERE,   /* inputs condition (bool), a, b; just moves elements, so that compute may be a 16-bit float */
  ELEMENTWISE_CLAMP,   /* inputs a, low, high: minimum(maximum(a, low), high) */
  ELEMENTWISE_LIMB,    /* inputs a, code: int64 digits of a float, see shared/exact.h */
  ELEMENTWISE_PRODUCT, /* inputs a, b, code: of a * b */
  ELEMENTWISE_PART,    /* inputs a, low, high: what lies between the multiples of 2^p nearest to a, computed as
                          float64; low and high are 2^(p + 52). On the CPU alone */
  ELEMENTWISE_CONVERT, /* to `result` by STREW_SATURATE, as copies do; only in programs of several instructions */
  ELEMENTWISE_TAKE /* inputs index (`common` is int64), table (an operand of strides 0): the element of the table that
                          the index chooses, moved; any for a value out of range. Only in programs */
};
enum { MOST_INPUTS = 3, MOST_INSTRUCTIONS = 32, FROM_NUMBER = 0, COST_OF_TAKE = 4 /* in sums */ };
struct instruction_input {
  int from;          /* FROM_NUMBER; n > 0: operand n of the plan; n < 0: the result of instruction -1 - n */
  strew_dtype dtype; /* of what is read */
  union element number;
};
struct instruction {
  enum elementwise_kind kind;
  int op; /* strew_unary_op or strew_binary_op */
  strew_dtype common, compute, result;
  int inputs;
  struct instruction_input in[MOST_INPUTS];
  int64_t size, step; /* of a table, which has an element; step in elements */
  atomic_bool *bad;   /* TAKE sets it if a value is out of range. NULL: the index is checked */
};
/* The dtype in which an instruction computes with input i. */
static inline strew_dtype computed_dtype(const struct instruction *instruction, int i) {
  if (i == 0 && instruction->kind == ELEMENTWISE_TAKE) return instruction->common;
  return instruction->kind == ELEMENTWISE_WHERE && i == 0 ? STREW_BOOL : instruction->compute;
}
/* The instructions in use are the first `count`; the last one gives the elements of out. */
struct elementwise_plan {
  struct plan plan;
  int count;
  struct instruction instructions[MOST_INSTRUCTIONS];
};

/* Its functions; see DEVICE_ENTRIES.

     elementwise      see elementwise_plan
     find_zero        *place: the first position whose value in operand 0, converted to `compute` (an integer dtype), is
                      zero; -1: none
     program_start    makes a plan ready, which stays in use, in *program (program.h); not cleared first: programs are
                      large, and small calls frequent. Optional */
struct program;
#define ELEMENTWISE_ENTRIES(X, OPTIONAL)                                                                               \
  X(strew_status, elementwise, (ON_DEVICE, const struct elementwise_plan *plan))                                       \
  X(strew_status, find_zero, (ON_DEVICE, const struct plan *plan, strew_dtype compute, int64_t *place))                \
  OPTIONAL(strew_status, program_start,                                                                                \
           (const struct call *call, struct program *program, const struct elementwise_plan *plan))

struct elementwise_ops {
  ELEMENTWISE_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

#endif
