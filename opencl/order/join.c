/* join.c: positions of the values of several indices: see join_plan. */
#include "opencl/core/opencl.h"
#include "runtime/order/order_ops.h"

ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

/* One launch for each index. `bad` is NULL if it is not needed. */
static void join_one(struct launch *launch, const struct join_plan *join, int i, const struct block *bad) {
  struct space space = space_of(&join->plan);
  launch_start(launch, "join.cl", "join", "I=%s OUTER=%d", index_type(join->plan.operands[i].dtype), space.outer);
  launch_plan(launch, &space, 0, i);
  launch_limits(launch, join->sizes[i - 1], join->mode);
  launch_flags(launch, i == 1 && !join->continues, join->mode == STREW_DROP);
  launch_blocks(launch, bad);
  launch_rows(launch, &space);
}

strew_status opencl_index_join(const struct call *call, strew_device *device, const struct join_plan *join, bool *bad) {
  const bool checks = join->mode == STREW_ERROR || join->mode == STREW_WRAP;
  struct launch launch = {.call = call, .device = device};
  struct block *flag = checks ? launch_scratch(&launch, sizeof(cl_int)) : NULL;
  cl_int found = 0;
  if (checks) launch_write(&launch, flag, &found, sizeof found);
  for (int i = 1; i < join->plan.count; i++) join_one(&launch, join, i, flag);
  if (checks) launch_read(&launch, flag, 0, &found, sizeof found);
  *bad = found != 0;
  return launch_end(&launch);
}
