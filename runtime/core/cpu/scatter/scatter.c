/* scatter.c: scatter's entries in the CPU's table: how index values are checked, and how a mean is divided.

   Where to read on, from the plan down to the loops:
     device.h        of core/base: struct scatter_plan: self, index, src (and arg) over one iteration space, made by
                     runtime/core/scatter.c
     plan.c          geometry of a plan: bytes, ranges, slices; an index that repeats one value along each row is reduced
                     to one value a row
     scatter.c       this file: looks, decides, checks index values if they are not checked yet, runs
     sample.c        the look at the index: a sample, whether it is sorted, where to cut it
     choose.c        the rule: plan, threads and sample give a way (scattering.h lists them). It reads no tensor
     share.c         runs the parts of a way on the workers; all but one end in a walk of a part of the plan:
     partition.c       the exception: contributions are distributed to owners of ranges first, which join them then
     hot.c           another: most contributions go to one destination, as a run
     mean.c          a mean, whose destinations are pairs of sum and count, goes the same ways, by rows if that saves
                     memory
     walk.c          one thread's walk: row after row of the plan becomes a tile
     short_rows.c      rows too short for that are joined as one line, or by loops over several lines
     convert.c         a src of another dtype is converted block by block first
     filter.c          an owner lists the rows that are its own
     tile.h          the tile: source, target, winners and prefetches of some rows
     loops.c         the loops over a tile, for each dtype and reduction: scatter.inc, pair.inc (means), winner.inc
                     (positions of winners); core/cpu/row.inc has those over rows of unit stride
   Prefetches stand in ../prefetch.h, numbers in ../tuning.h.

   A walk tests index values on the way, at no cost (tile.h), but writes meanwhile. So a check is a pass of its own, or
   a copy of self is kept to restore, or the way taken tests all index values before it writes. */
#include "scattering.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- the way */

/* Looks at the index, decides, and cuts. */
static void choose_way(strew_context *context, const struct scatter_plan *plan, struct scatter_way *way) {
  const struct shape shape = scatter_shape(context, plan);
  struct sample sample;
  way->kind = WAY_ALONE;
  if (shape.alone) return;
  scatter_sample(context, plan, shape.threads > 1 ? shape.parts : 1, &sample);
  scatter_decide(plan, &shape, &sample, way);
  if (way->kind == WAY_POSITIONS) scatter_cut_positions(plan, way);
  if (way->kind == WAY_OWNERS) scatter_cut_owners(plan, &sample, way);
}

/* True if this way finds a wrong index value before it writes. */
static bool looks_first(const struct scatter_plan *plan, const struct scatter_way *way) {
  bool parts = way->kind == WAY_PARTITION && scatter_finds_first(plan);
  return parts || way->kind == WAY_POSITIONS || way->kind == WAY_COPIES;
}

/* --------------------------------------------------------------------------------------------------------- checks */

/* A copy of self, by all threads: 1000 x 10 k assigned along the last dimension to 1000 x 1000 2.3 ms -> 2.0 (two
   threads). A call that must stop leaves parts of it out, but has not begun to write either. */
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

/* Checks index values on the way, with a copy of self to restore. False, and nothing done, if that does not pay or
   memory lacks. */
static bool run_checking(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                         bool *bad) {
  char *self = operand_address(&plan->plan.operands[SELF]), little[1024];
  void *copy = NULL;
  size_t bytes = 0;
  if (plan->size < 1) return false;
  if (!plan->disposable && !looks_first(plan, way)) {
    bytes = scatter_target_bytes(plan);
    /* a host may be writing between the elements of memory that it wrapped */
    if (plan->plan.operands[SELF].storage->wrapped && !scatter_is_gapless(plan)) return false;
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

static strew_status run(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  strew_status status = STREW_OK;
  struct scatter_way way;
  *bad = false;
  if (context_stops(device->context)) return context_end(call, device->context, NULL);
  choose_way(device->context, plan, &way);
  const struct storage *self = plan->plan.operands[SELF].storage;
  if (plan->check && run_checking(device->context, plan, &way, bad)) return context_end(call, device->context, self);
  if (plan->check) status = cpu_operand_check(call, device, &plan->plan, INDEX, plan->lowest, plan->size - 1, bad);
  if (status != STREW_OK || *bad) return status;
  if (!scatter_share(device->context, plan, &way, NULL)) cpu_scatter_walk(plan, 0, plan->size, NULL);
  return context_end(call, device->context, self);
}

static strew_status scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  struct scatter_plan collapsed;
  struct storage index;
  if (!scatter_collapse(device->context, plan, &collapsed, &index)) return run(call, device, plan, bad);
  strew_status status = run(call, device, &collapsed, bad);
  memory_free(device->context, index.data, index.size_bytes);
  return status;
}

/* A small call would pay for the room of a program. */
static __attribute__((noinline)) strew_status scatter_fed(const struct call *call, strew_device *device,
                                                          const struct scatter_plan *plan, bool *bad) {
  struct program program;
  RETURN_IF_FAILED(feed_begin(call, &plan->plan.operands[SRC], &program));
  const strew_status status = scatter(call, device, plan, bad);
  feed_end(&plan->plan.operands[SRC]);
  return status;
}

strew_status cpu_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  const struct storage *src = plan->plan.operands[SRC].storage;
  return (src && src->program ? scatter_fed : scatter)(call, device, plan, bad);
}

/* ------------------------------------------------------------------------------------------------------------ means */

strew_status cpu_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                 int64_t extra) {
  walk_rows_sized(device->context, plan, walk_bytes(plan), INT64_MAX, scatter_divider(plan->operands[0].dtype), &extra);
  return context_end(call, device->context, plan->operands[0].storage);
}
