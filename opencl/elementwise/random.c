/* random.c: random numbers and ramps through OpenCL. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/elementwise/random_ops.h"

RANDOM_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(random_ops, RANDOM_ENTRIES)

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
  launch_items(&launch, (plan->count - 1) / per_block + 1);
  return launch_end(&launch);
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
  launch_items(&launch, plan->count);
  return launch_end(&launch);
}
