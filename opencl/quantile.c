/* quantile.c: elements at the ranks of quantiles: a work-item for each quantile. */
#include "opencl.h"

#include <string.h>

strew_status opencl_quantile(const struct call *call, strew_device *device, const struct quantile_plan *plan) {
  struct space space = space_of(&plan->plan);
  struct launch launch;
  const float narrow = (float)plan->q;
  int64_t q = 0, empty = plan->empty.i64;
  if (plan->in_float32)
    memcpy(&q, &narrow, sizeof narrow);
  else
    memcpy(&q, &plan->q, sizeof plan->q);
  launch_start(&launch, call, device, "quantile.cl", "quantile", "S=%s OUTER=%d IN_FLOAT32=%d MIXES=%d",
               dtype_suffix(plan->plan.operands[QUANTILE_SORTED].dtype), space.outer, plan->in_float32,
               plan->interpolation == STREW_LINEAR || plan->interpolation == STREW_MIDPOINT);
  launch_plan(&launch, &space, QUANTILE_OUT, QUANTILE_SORTED, QUANTILE_START, QUANTILE_COUNT);
  launch_ints(&launch, plan->step, q, (int64_t)plan->interpolation, empty);
  return launch_rows(&launch, &space);
}
