/* find_zero.c: the first zero of a tensor through OpenCL; the table of the family. */
#include "opencl/core/opencl.h"

ELEMENTWISE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(elementwise_ops, ELEMENTWISE_ENTRIES)

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
