/* entries.c: device entries of one kernel each. */
#include "opencl.h"
#include "tuning.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- gather */

/* gather moves bits, so kernels depend on the element size, not on the dtype. */
strew_status opencl_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  struct launch launch = {.call = call, .device = device};
  *bad = false;
  if (plan->check) {
    struct plan values;
    struct index_pass pass;
    plan_operand_values(&values, &plan->plan, GATHER_INDEX);
    plan_simplify(&values);
    index_pass_start(&pass, &launch, &values);
    *bad = index_pass_check(&pass, plan->lowest, plan->size - 1);
  }
  if (*bad) return launch.status;
  struct space space = space_of(&plan->plan);
  const struct operand *operands = plan->plan.operands;
  launch_start(&launch, "gather.cl", "gather", "WORD=%s I=%s OUTER=%d", word_type(operands[GATHER_OUT].dtype),
               index_type(operands[GATHER_INDEX].dtype), space.outer);
  launch_plan(&launch, &space, GATHER_OUT, GATHER_INDEX, GATHER_SELF);
  launch_ints(&launch, plan->step);
  launch_limits(&launch, plan->size, plan->mode);
  return launch_rows(&launch, &space);
}

/* ------------------------------------------------------------------------------------------------------------ means */

strew_status opencl_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                    int64_t extra) {
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "divide.cl", "divide", "S=%s OUTER=%d", dtype_suffix(plan->operands[0].dtype), space.outer);
  launch_plan(&launch, &space, 0, 1);
  launch_ints(&launch, extra);
  return launch_rows(&launch, &space);
}
