/* entries.c: device entries of one kernel each. */
#include "opencl.h"
#include "tuning.h"

#include <stdio.h>

/* ----------------------------------------------------------------------------------------------------------- gather */

enum { GATHER_EACH = 4 }; /* elements of a GPU's work-item */

static bool is_dense(const struct plan *plan) {
  const struct operand *operands = plan->operands;
  return plan->rank == 1 && operands[GATHER_OUT].strides[0] == 1 && operands[GATHER_INDEX].strides[0] == 1 &&
         operands[GATHER_SELF].strides[0] == 0;
}

/* gather moves bits, so kernels depend on the element size, not on the dtype. */
static struct launch *gather_start(struct launch *launch, const struct gather_plan *plan, int outer, const char *more) {
  const struct operand *operands = plan->plan.operands;
  const int64_t step = plan->step < 0 ? -plan->step : plan->step;
  const char *width = step && plan->size > INT32_MAX / step ? "" : space_width(launch->device, &plan->plan);
  launch_start(launch, "gather.cl", "gather", "WORD=%s I=%s OUTER=%d%s%s", word_type(operands[GATHER_OUT].dtype),
               index_type(operands[GATHER_INDEX].dtype), outer, width, more);
  return launch;
}

static void gather_end(struct launch *launch, const struct gather_plan *plan, const struct block *verdict) {
  launch_ints(launch, plan->step);
  launch_limits(launch, plan->size, plan->mode);
  launch_flags(launch, plan->check);
  launch_blocks(launch, verdict);
}

static void gather_dense(struct launch *launch, const struct gather_plan *plan, const struct block *verdict) {
  const size_t group = opencl_large_group(launch->device);
  const int64_t count = plan->plan.sizes[0], block = GATHER_EACH * (int64_t)group;
  char more[48];
  snprintf(more, sizeof more, " DENSE EACH=%d GROUP_SIZE=%zu", GATHER_EACH, group);
  gather_start(launch, plan, 1, more);
  launch_ints(launch, count);
  for (int i = GATHER_OUT; i <= GATHER_SELF; i++) launch_memory(launch, &plan->plan.operands[i]);
  gather_end(launch, plan, verdict);
  launch->turns = block;
  launch_groups(launch, (count - 1) / block + 1, group);
}

/* The index is checked while it is read: out is dropped where a value is bad. */
strew_status opencl_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  struct launch launch = {.call = call, .device = device};
  struct block *verdict = plan->check ? verdict_clear(&launch) : NULL;
  if (opencl_of(device)->is_gpu && is_dense(&plan->plan)) {
    gather_dense(&launch, plan, verdict);
  } else {
    struct space space = space_of(&plan->plan);
    gather_start(&launch, plan, space.outer, "");
    launch_plan(&launch, &space, GATHER_OUT, GATHER_INDEX, GATHER_SELF);
    gather_end(&launch, plan, verdict);
    launch_rows(&launch, &space);
  }
  *bad = plan->check && verdict_read(&launch, verdict) != 0;
  return launch_end(&launch);
}

/* ------------------------------------------------------------------------------------------------------------ means */

strew_status opencl_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                    int64_t extra) {
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "divide.cl", "divide", "S=%s OUTER=%d", dtype_suffix(plan->operands[0].dtype), space.outer);
  launch_plan(&launch, &space, 0, 1);
  launch_ints(&launch, extra);
  launch_rows(&launch, &space);
  return launch_end(&launch);
}
