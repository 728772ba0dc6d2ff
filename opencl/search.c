/* search.c: binary searches in sorted lines: a work-item for each value. */
#include "opencl.h"

strew_status opencl_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  struct space space = space_of(&search->plan);
  struct launch launch;
  launch_start(&launch, call, device, "search.cl", "search", "S=%s OUTER=%d RIGHT=%d",
               dtype_suffix(search->plan.operands[SEARCH_SORTED].dtype), space.outer, search->right);
  launch_plan(&launch, &space, SEARCH_OUT, SEARCH_VALUES, SEARCH_SORTED);
  launch_ints(&launch, search->size, search->step);
  launch.turns = 1;
  for (int64_t n = search->size; n; n /= 2) launch.turns++;
  return launch_rows(&launch, &space);
}
