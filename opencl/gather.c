/* gather.c: gather moves bits, so kernels depend on the element size, not on the dtype. */
#include "index.h"

/* Sets *bad if the index holds values out of range, in a pass of its own. */
static strew_status gather_check(const struct call *call, strew_device *device, const struct gather_plan *plan,
                                 bool *bad) {
  struct plan values;
  int64_t position;
  plan_operand_values(&values, &plan->plan, GATHER_INDEX);
  plan_simplify(&values);
  strew_status status = opencl_index_check(call, device, &values, plan->lowest, plan->size - 1, &position);
  *bad = status == STREW_OK && position >= 0;
  return status;
}

strew_status opencl_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  *bad = false;
  strew_status status = STREW_OK;
  if (plan->check) status = gather_check(call, device, plan, bad);
  if (status != STREW_OK || *bad) return status;
  struct space space = space_of(&plan->plan);
  const struct operand *operands = plan->plan.operands;
  size_t size_bytes = strew_dtype_size_bytes(operands[GATHER_OUT].dtype);
  const char *word = size_bytes == 8 ? "ulong" : size_bytes == 4 ? "uint" : size_bytes == 2 ? "ushort" : "uchar";
  struct launch launch;
  launch_start(&launch, call, device, "gather.cl", "gather", "WORD=%s I=%s OUTER=%d", word,
               index_type(operands[GATHER_INDEX].dtype), space.outer);
  launch_plan(&launch, &space, GATHER_OUT, GATHER_INDEX, GATHER_SELF);
  launch_ints(&launch, plan->step);
  launch_limits(&launch, plan->size, plan->mode);
  return launch_rows(&launch, &space);
}
