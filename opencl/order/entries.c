/* entries.c: device entries of one kernel each. */
#include "opencl/core/opencl.h"
#include "runtime/order/order_ops.h"

#include <string.h>

ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

/* ----------------------------------------------------------------------------------------- elements of sorted lines */

/* Binary searches: a work-item for each value. */
strew_status opencl_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  struct space space = space_of(&search->plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "search.cl", "search", "S=%s OUTER=%d RIGHT=%d",
               dtype_suffix(search->plan.operands[SEARCH_SORTED].dtype), space.outer, search->right);
  launch_plan(&launch, &space, SEARCH_OUT, SEARCH_VALUES, SEARCH_SORTED);
  launch_ints(&launch, search->size, search->step);
  for (int64_t n = search->size; n; n /= 2) launch.turns++;
  launch_rows(&launch, &space);
  return launch_end(&launch);
}

/* Elements at the ranks of quantiles: a work-item for each quantile. */
strew_status opencl_quantile(const struct call *call, strew_device *device, const struct quantile_plan *plan) {
  struct space space = space_of(&plan->plan);
  struct launch launch = {.call = call, .device = device};
  const float narrow = (float)plan->q;
  int64_t q = 0, empty = plan->empty.i64;
  if (plan->in_float32)
    memcpy(&q, &narrow, sizeof narrow);
  else
    memcpy(&q, &plan->q, sizeof plan->q);
  launch_start(&launch, "quantile.cl", "quantile", "S=%s OUTER=%d FORMAT=FORMAT_FLOAT%d MIXES=%d",
               dtype_suffix(plan->plan.operands[QUANTILE_SORTED].dtype), space.outer, plan->in_float32 ? 32 : 64,
               plan->interpolation == STREW_LINEAR || plan->interpolation == STREW_MIDPOINT);
  launch_plan(&launch, &space, QUANTILE_OUT, QUANTILE_SORTED, QUANTILE_START, QUANTILE_COUNT);
  launch_ints(&launch, plan->step, q, (int64_t)plan->interpolation, empty);
  launch_rows(&launch, &space);
  return launch_end(&launch);
}

/* ----------------------------------------------------------------------- positions of the values of several indices */

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
