/* entries.c: device entries of one kernel each. */
#include "opencl.h"
#include "runtime/groups/group_ops.h"
#include "tuning.h"

#include <string.h>

ELEMENTWISE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
GROUP_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

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

/* -------------------------------------------------------------------------------------------------- in sorted lines */

/* Binary searches: a work-item for each value. */
strew_status opencl_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  struct space space = space_of(&search->plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "search.cl", "search", "S=%s OUTER=%d RIGHT=%d",
               dtype_suffix(search->plan.operands[SEARCH_SORTED].dtype), space.outer, search->right);
  launch_plan(&launch, &space, SEARCH_OUT, SEARCH_VALUES, SEARCH_SORTED);
  launch_ints(&launch, search->size, search->step);
  for (int64_t n = search->size; n; n /= 2) launch.turns++;
  return launch_rows(&launch, &space);
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
  return launch_rows(&launch, &space);
}

strew_status opencl_sorted_ends(const struct call *call, strew_device *device, const struct plan *plan, int64_t size,
                                int64_t step) {
  enum { SEARCH_TURNS = 64 };
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "sorted_ends.cl", "sorted_ends", "I=%s OUTER=%d", index_type(plan->operands[1].dtype),
               space.outer);
  launch_plan(&launch, &space, 0, 1);
  launch_ints(&launch, size, step);
  launch.turns = SEARCH_TURNS;
  return launch_rows(&launch, &space);
}

/* ---------------------------------------------------------------------------------- means, random numbers and ramps */

strew_status opencl_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                    int64_t extra) {
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "divide.cl", "divide", "S=%s OUTER=%d", dtype_suffix(plan->operands[0].dtype), space.outer);
  launch_plan(&launch, &space, 0, 1);
  launch_ints(&launch, extra);
  return launch_rows(&launch, &space);
}

/* One block of random bits per work-item. */
strew_status opencl_random(const struct call *call, strew_device *device, const struct random_plan *plan) {
  static const char *const kinds[] = {
      [RANDOM_UNIFORM] = "UNIFORM", [RANDOM_NORMAL] = "NORMAL", [RANDOM_INTEGER] = "INTEGER", [RANDOM_BITS] = "BITS"};
  bool is_float = plan->kind == RANDOM_UNIFORM || plan->kind == RANDOM_NORMAL;
  const char *made = dtype_suffix(is_float ? dtype_wide(plan->out.dtype) : STREW_INT64);
  int64_t per_block = random_per_block(plan->kind, plan->out.dtype);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "random.cl", "draw", "S=%s R=%s OUT=%s %s PER_BLOCK=%d BITS_SHOWN=%d", made, made,
               dtype_suffix(plan->out.dtype), kinds[plan->kind], (int)per_block, dtype_digits(plan->out.dtype));
  launch_memory(&launch, &plan->out);
  launch_ints(&launch, plan->count, (int64_t)plan->seed, (int64_t)plan->block, plan->low, (int64_t)plan->range);
  launch.turns = per_block * RANDOM_TURNS;
  return launch_items(&launch, (plan->count - 1) / per_block + 1);
}

/* One number per work-item. A device without float64 computes float64 ramps from the bits, with integers. */
strew_status opencl_ramp(const struct call *call, strew_device *device, const struct ramp_plan *plan) {
  bool whole = plan->start.dtype != STREW_FLOAT64;
  const char *made = whole ? "i64" : "f64", *soft = whole || !device->lacks_float64 ? "" : " SOFT_FLOAT64";
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "ramp.cl", "ramp", "S=%s R=%s OUT=%s%s", made, made, dtype_suffix(plan->out.dtype), soft);
  launch_memory(&launch, &plan->out);
  launch_ints(&launch, plan->count);
  launch_value(&launch, &plan->start.as, sizeof plan->start.as);
  launch_value(&launch, &plan->step.as, sizeof plan->step.as);
  return launch_items(&launch, plan->count);
}
