/* gather.c: gathering moves bits, so it knows sizes of elements, not dtypes. */
#include "index.h"

enum { OUT, INDEX, SELF };

/* A pass of its own, before the gathering. */
static strew_status check_index(const struct call *call, strew_device *device, const struct gather_plan *plan,
                                bool *bad) {
  struct plan values;
  int64_t place;
  plan_operand_values(&values, &plan->plan, INDEX);
  plan_simplify(&values);
  strew_status status = opencl_index_check(call, device, &values, plan->lowest, plan->size - 1, &place);
  *bad = status == STREW_OK && place >= 0;
  return status;
}

strew_status opencl_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  *bad = false;
  strew_status status = plan->check ? check_index(call, device, plan, bad) : STREW_OK;
  if (status != STREW_OK || *bad) return status;
  struct space space = space_of(&plan->plan);
  const struct operand *operands = plan->plan.operands;
  size_t size_bytes = strew_dtype_size_bytes(operands[OUT].dtype);
  const char *word = size_bytes == 8 ? "ulong" : size_bytes == 4 ? "uint" : size_bytes == 2 ? "ushort" : "uchar";
  struct launch launch;
  launch_start(&launch, call, device, "gather.cl", "gather", "WORD=%s I=%s OUTER=%d", word,
               index_type(operands[INDEX].dtype), space.outer);
  launch_space(&launch, &space);
  launch_operand(&launch, &space, OUT);
  launch_operand(&launch, &space, INDEX);
  launch_operand(&launch, &space, SELF);
  launch_int(&launch, plan->step);
  launch_limits(&launch, plan->size, plan->mode);
  return launch_rows(&launch, &space);
}
