/* exact.c: exact sums through OpenCL: surveys. Their results are made on the CPU. */
#include "runtime/elementwise/shared/exact.h"
#include "opencl/core/opencl.h"
#include "runtime/reduce/exact_ops.h"

EXACT_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(exact_ops, EXACT_ENTRIES)

strew_status opencl_survey(const struct call *call, strew_device *device, const struct plan *plan,
                           struct exact_survey *out) {
  enum { STRIP = 64 };
  const strew_dtype dtype = plan->operands[0].dtype;
  struct space space = space_of(plan), strips = space;
  struct launch launch = {.call = call, .device = device};
  cl_int found[] = {EXACT_NONE, -1, 0};
  struct block *words = launch_scratch(&launch, sizeof found);
  launch_write(&launch, words, found, sizeof found);
  launch_start(&launch, "survey.cl", "survey", "S=%s R=%s STRIP=%d OUTER=%d", dtype_suffix(dtype),
               dtype_suffix(dtype_wide(dtype)), STRIP, space.outer);
  launch_plan(&launch, &space, 0);
  launch_blocks(&launch, words);
  strips.columns = (space.columns - 1) / STRIP + 1;
  launch.turns = STRIP;
  launch_rows(&launch, &strips);
  launch_read(&launch, words, 0, found, sizeof found);
  *out = (struct exact_survey){found[0], found[1], (unsigned)found[2]};
  return launch_end(&launch);
}
