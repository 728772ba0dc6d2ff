/* combine_ops.h: reductions of one's own: their plan, and the function of a device. */
#ifndef COMBINE_OPS_H
#define COMBINE_OPS_H

#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"

/* Sequences of elements, combined one by one: sequence s has elements starts[s] .. starts[s + 1] - 1 of `order`, or
   of all if that is NULL; both are int64 and dense. Slots are what programs read, an element for each column: first
   the accumulators, [sequences, columns] and dense, which hold what each begins with, then what it has become; then the
   sources, [elements, columns] of any strides, NULL: the number of the element. `partial`: [elements, columns] and
   dense, an accumulator's value after each element; NULL: not needed. At each element all programs run, then
   accumulators change. Operand i of a program's plan, which has one dimension and no storages, is slot slots[i]. It gives
   an accumulator's next value, or tests (`accumulator` -1) what operations are not defined for: a bool, false where
   they are not. Sets *bad to the first element where a test fails, and *program to the test. */
enum { COMBINED_SLOTS = PLAN_OPERANDS - 1, COMBINED_PROGRAMS = 24, COMBINED_LANES = 256 };
struct combine_program {
  struct elementwise_plan plan;
  int slots[PLAN_OPERANDS];
  int accumulator, expr, node; /* numbers; the node that is tested */
};
struct combine_plan {
  int64_t length, count, columns; /* elements; sequences; columns of each element */
  const strew_tensor *starts, *order;
  int accumulator_count, slot_count, program_count;
  const strew_tensor *slots[COMBINED_SLOTS];
  const strew_tensor *partial[COMBINED_SLOTS];
  struct combine_program programs[COMBINED_PROGRAMS];
};

/* What programs see of a source: integers as int64 or uint64, 16-bit floats as float32. */
static inline strew_dtype seen_dtype(strew_dtype dtype) {
  return dtype_category(dtype) == INTEGER ? dtype_sums(dtype) : dtype_wide(dtype);
}

/* Its functions; see DEVICE_ENTRIES.

     combine          see combine_plan; *bad: -1 if there is none. May decline */
#define COMBINE_ENTRIES(X, OPTIONAL)                                                                                   \
  X(strew_status, combine, (ON_DEVICE, const struct combine_plan *plan, int64_t *bad, int *program))

struct combine_ops {
  COMBINE_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

#endif
