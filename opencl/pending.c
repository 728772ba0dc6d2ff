/* pending.c: to be emptied: each family's author takes away its lines. */
#include "opencl.h"
#define PENDING(name, ...)                                                                                             \
  strew_status name(__VA_ARGS__) { return fail(call, (struct fault){.code = STREW_EDEVICE}, "pending"); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CD const struct call *call, strew_device *device
PENDING(opencl_scatter, CD, const struct scatter_plan *plan, bool *bad)
PENDING(opencl_divide_by_count, CD, const struct plan *plan, int64_t extra)
PENDING(opencl_gather, CD, const struct gather_plan *plan)
PENDING(opencl_index_check, CD, const struct plan *plan, int64_t lowest, int64_t highest, int64_t *bad)
PENDING(opencl_index_range, CD, const struct plan *plan, struct index_range *range)
PENDING(opencl_elementwise, CD, const struct elementwise_plan *plan)
PENDING(opencl_find_zero, CD, const struct plan *plan, strew_dtype compute, int64_t *place)
PENDING(opencl_sort, CD, const struct sort_plan *plan)
PENDING(opencl_nonzero, CD, const struct plan *plan, struct operand *out, int64_t *count)
PENDING(opencl_random, CD, const struct random_plan *plan)
PENDING(opencl_ramp, CD, const struct ramp_plan *plan)
