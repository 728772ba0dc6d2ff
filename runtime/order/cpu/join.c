/* join.c: positions of the values of several indices: see join_plan. */
#include "compress_loops.h"
#include "runtime/core/cpu/cpu.h"
#include "runtime/order/order_ops.h"

#include <string.h>

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

struct joining {
  const struct join_plan *plan;
  atomic_bool bad;
};

/* Joins all values of a block of positions, which stays in cache. */
static void join_visit(void *joining_, const struct row *row) {
  struct joining *joining = joining_;
  const struct join_plan *plan = joining->plan;
  int64_t block[INDEX_BLOCK], *positions = (int64_t *)(void *)row->address[0];
  bool bad = false;
  if (!plan->continues) memset(positions, 0, (size_t)row->count * sizeof *positions);
  for (int i = 1; i < plan->plan.count; i++) {
    const int64_t size = plan->sizes[i - 1];
    const int64_t *values = index_values(row, i, plan->plan.operands[i].dtype, plan->mode, size, block);
    if (plan->mode == STREW_DROP)
      compress_loops()->join_dropping(values, row->count, size, positions);
    else
      bad |= compress_loops()->join(values, row->count, size, positions);
  }
  if (bad) atomic_store_explicit(&joining->bad, true, memory_order_relaxed);
}

strew_status cpu_index_join(const struct call *call, strew_device *device, const struct join_plan *plan, bool *bad) {
  struct joining joining = {.plan = plan};
  atomic_init(&joining.bad, false);
  walk_rows_parallel(device->context, &plan->plan, INDEX_BLOCK, join_visit, &joining);
  *bad = atomic_load(&joining.bad);
  return context_end(call, device->context, NULL);
}
