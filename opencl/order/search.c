/* search.c: elements of sorted lines by a kernel each: searches, and quantiles. */
#include "opencl/core/opencl.h"
#include "runtime/order/order_ops.h"

#include <string.h>

ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

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
