/* cumulative.c: cumulative products and extremes. A work-item takes the elements of a line in order; a launch takes as
   many of them as fit, and the next one continues from the last result. */
#include "opencl.h"

static strew_status scan_lines(const struct call *call, strew_device *device, const struct scan_plan *scan,
                               const char *kernel, const char *way) {
  const struct plan *plan = &scan->plan;
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1;
  int64_t n = plan->sizes[last], most = launch_iterations(device, 1), longest = opencl_of(device)->longest_loop / 4;
  int64_t chunk = most < longest ? most : longest;
  struct plan lines = *plan;
  lines.rank = last;
  struct space space = space_of(&lines);
  struct launch launch = {.call = call, .device = device};
  for (int64_t begin = 0; begin < n && launch.status == STREW_OK; begin += chunk) {
    launch_start(&launch, "cumulative.cl", kernel, "S=%s OUTER=%d %s", dtype_suffix(in->dtype), space.outer, way);
    launch_plan(&launch, &space, 0, 1);
    launch_ints(&launch, plan_numel(&lines), begin, begin + chunk < n ? begin + chunk : n, out->strides[last],
                in->strides[last]);
    launch.turns = chunk < n ? chunk : n;
    launch.continues = begin > 0;
    launch_items(&launch, plan_numel(&lines));
  }
  return launch.status;
}

strew_status opencl_cumprod(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  return scan_lines(call, device, scan, "products", "WAY=PRODUCTS");
}

strew_status opencl_cumextreme(const struct call *call, strew_device *device, const struct scan_plan *scan,
                               bool largest) {
  return scan_lines(call, device, scan, "extremes", largest ? "WAY=LARGEST" : "WAY=SMALLEST");
}
