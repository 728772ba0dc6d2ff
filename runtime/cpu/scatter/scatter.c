/* scatter.c: scatter's entries in the CPU's table: how values of the index are checked, and means.

   A walk tests values on the way, for nothing (scatter_loops.c), but writes while it does. So a check is a pass of its
   own, or a copy of self is kept to put back, or the way taken looks at all values before it writes. */
#include "scattering.h"

#include <string.h>

/* A call that has to stop leaves parts of the copy out, but then it has not begun to write either. By all threads:
   1000 x 10 k assigned along the last dimension to 1000 x 1000 take two threads 2.0 ms instead of 2.3. */
struct keeping {
  char *copy;
  const char *self;
  int64_t bytes, parts;
};

static void keep_part(void *keeping_, int64_t i) {
  const struct keeping *keeping = keeping_;
  const int64_t begin = part_begin(keeping->bytes, keeping->parts, i);
  memcpy(keeping->copy + begin, keeping->self + begin,
         (size_t)(part_begin(keeping->bytes, keeping->parts, i + 1) - begin));
}

static void keep(strew_context *context, char *copy, const char *self, size_t bytes) {
  struct keeping keeping = {copy, self, (int64_t)bytes, pool_parts_light(context, 2 * (int64_t)bytes)};
  pool_run(context, keeping.parts, keep_part, &keeping);
}

/* Checks values on the way, with a copy of self to put back. False where that does not pay or memory lacks: nothing was
   done then. */
static bool run_checking(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                         bool *bad) {
  char *self = operand_address(&plan->plan.operands[SELF]), little[1024];
  void *copy = NULL;
  size_t bytes = 0;
  if (plan->size < 1) return false;
  if (!plan->disposable && !scatter_looks_first(context, plan, way)) {
    bytes = scatter_target_bytes(plan);
    /* a host may be writing between the elements of what it wrapped */
    if (plan->plan.operands[SELF].storage->wrapped && !scatter_is_dense(plan)) return false;
    if (plan->plan.count > ARG) return false;
    if (bytes <= sizeof little)
      memcpy(copy = little, self, bytes);
    else if (scatter_is_little(plan, bytes) && (copy = memory_allocate(context, bytes)))
      keep(context, copy, self, bytes);
    else
      return false;
  }
  atomic_bool met;
  atomic_init(&met, false);
  bool done = scatter_share(context, plan, way, &met);
  *bad = atomic_load(&met);
  if (*bad && copy) memcpy(self, copy, bytes);
  if (copy != little) memory_free(context, copy, bytes);
  return done;
}

static strew_status scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  strew_status status = STREW_OK;
  struct scatter_way way;
  *bad = false;
  if (context_stops(device->context)) return context_end(call, device->context, NULL);
  scatter_choose(device->context, plan, &way);
  const struct storage *self = plan->plan.operands[SELF].storage;
  if (plan->check && run_checking(device->context, plan, &way, bad)) return context_end(call, device->context, self);
  if (plan->check) status = check_plan_values(call, device, &plan->plan, INDEX, plan->lowest, plan->size - 1, bad);
  if (status != STREW_OK || *bad) return status;
  if (!scatter_share(device->context, plan, &way, NULL)) cpu_scatter_walk(plan, 0, plan->size, NULL);
  return context_end(call, device->context, self);
}

strew_status cpu_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  struct scatter_plan collapsed;
  struct storage index;
  if (!scatter_collapse(device->context, plan, &collapsed, &index)) return scatter(call, device, plan, bad);
  strew_status status = scatter(call, device, &collapsed, bad);
  memory_free(device->context, index.data, index.size_bytes);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ means */

struct division {
  divide_row *divide;
  int64_t extra;
};

static void divide_visit(void *division_, const struct row *row) {
  const struct division *division = division_;
  division->divide(row, division->extra);
}

strew_status cpu_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                 int64_t extra) {
  struct division division = {scatter_divider(plan->operands[0].dtype), extra};
  walk_rows_sized(device->context, plan, walk_bytes(plan), INT64_MAX, divide_visit, &division);
  return context_end(call, device->context, plan->operands[0].storage);
}
