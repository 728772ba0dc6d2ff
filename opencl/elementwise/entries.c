/* entries.c: device entries of one kernel each, and the tables of both families. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/elementwise/random_ops.h"

ELEMENTWISE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(elementwise_ops, ELEMENTWISE_ENTRIES)
RANDOM_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(random_ops, RANDOM_ENTRIES)

/* --------------------------------------------------------------------------------------------------- the first zero */

/* One round: sets *span to the number of the first span with a zero, or to -1. Spans are 2^shift positions long and
   counted from `begin`. */
static strew_status search(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                           int64_t begin, int64_t end, int shift, int64_t *span) {
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  cl_uint first = UINT32_MAX;
  struct block *word = launch_scratch(&launch, sizeof first);
  launch_write(&launch, word, &first, sizeof first);
  if (space.outer < 4) space.outer = 4; /* fewer kernels */
  launch_start(&launch, "find_zero.cl", "find_zero", "S=%s R=%s OUTER=%d", dtype_suffix(compute), dtype_suffix(compute),
               space.outer);
  launch_plan(&launch, &space, 0);
  launch_flags(&launch, (cl_int)plan->operands[0].dtype);
  launch_ints(&launch, begin, end);
  launch_flags(&launch, shift);
  launch_blocks(&launch, word);
  launch_rows(&launch, &space);
  launch_read(&launch, word, 0, &first, sizeof first);
  *span = first == UINT32_MAX ? -1 : (int64_t)first;
  return launch_end(&launch);
}

/* Few devices have 64-bit atomics, so positions beyond 32 bits are found in two rounds, by spans first. */
strew_status opencl_find_zero(const struct call *call, strew_device *device, const struct plan *plan,
                              strew_dtype compute, int64_t *position) {
  int64_t begin = 0, end = plan_numel(plan), span = -1;
  int shift = 0;
  while (end >> shift >= UINT32_MAX) shift++;
  for (;; shift = 0) {
    strew_status status = search(call, device, plan, compute, begin, end, shift, &span);
    if (status != STREW_OK) return status;
    *position = span < 0 ? -1 : begin + (span << shift);
    if (span < 0 || shift == 0) return STREW_OK;
    begin = *position;
    if (end - begin > (int64_t)1 << shift) end = begin + ((int64_t)1 << shift);
  }
}

/* ----------------------------------------------------------------------------------------- random numbers and ramps */

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
