/* share.c: the parts of a scatter, run by the threads that share it. */
#include "scattering.h"

struct shares {
  const struct scatter_plan *plan;
  const struct scatter_way *way;
  atomic_bool *bad;
  char *copies; /* of the target, one per part, each in cache lines of its own */
  size_t copy_bytes, copy_step;
};

static void run_slice(void *shares_, int64_t i) {
  const struct shares *shares = shares_;
  const struct scatter_way *way = shares->way;
  int64_t size = shares->plan->plan.sizes[way->dim];
  struct scatter_plan cut =
      scatter_slice(shares->plan, way->dim, part_begin(size, way->parts, i), part_begin(size, way->parts, i + 1));
  cpu_scatter_walk(&cut, 0, cut.size, shares->bad);
}

static void run_positions(void *shares_, int64_t i) {
  const struct shares *shares = shares_;
  const int64_t *cuts = shares->way->cuts;
  if (cuts[i] == cuts[i + 1]) return;
  struct scatter_plan cut = scatter_slice(shares->plan, 0, cuts[i], cuts[i + 1]);
  cpu_scatter_walk(&cut, 0, cut.size, shares->bad);
}

static void run_owner(void *shares_, int64_t i) {
  const struct shares *shares = shares_;
  const int64_t *cuts = shares->way->cuts;
  if (cuts[i] < cuts[i + 1]) cpu_scatter_walk(shares->plan, cuts[i], cuts[i + 1] - cuts[i], shares->bad);
}

static void run_copy(void *shares_, int64_t i) {
  const struct shares *shares = shares_;
  int64_t size = shares->plan->plan.sizes[0], parts = shares->way->parts;
  struct scatter_plan cut = scatter_slice(shares->plan, 0, part_begin(size, parts, i), part_begin(size, parts, i + 1));
  struct operand *self = &cut.plan.operands[SELF];
  struct storage copy = {.device = self->storage->device, .data = shares->copies + (size_t)i * shares->copy_step};
  union element identity = element_identity(cut.reduction, self->dtype);
  int64_t element = (int64_t)dtype_bytes(self->dtype), count = (int64_t)shares->copy_bytes / element;
  converter(self->dtype, self->dtype)(count, copy.data, element, (const char *)identity.bytes, 0);
  self->storage = &copy;
  self->offset = 0;
  if (cut.plan.sizes[0]) cpu_scatter_walk(&cut, 0, cut.size, shares->bad);
}

/* Each part joins a copy of its own, which starts from the identity; then the copies join self. Two parts never write
   to one cache line, nor to one that another's processor loads with its own (10 M int32 into 10 on two threads: 5.4 ms
   alone, 11.4 with adjacent copies). */
static bool run_copies(strew_context *context, struct shares *shares) {
  const struct scatter_plan *plan = shares->plan;
  const struct operand *self = &plan->plan.operands[SELF];
  int64_t parts = shares->way->parts, element = (int64_t)dtype_bytes(self->dtype), first = 0;
  shares->copy_bytes = scatter_target_bytes(plan);
  shares->copy_step = (shares->copy_bytes / CACHE_LINE + 3) * CACHE_LINE;
  const uint64_t bytes = (uint64_t)shares->copy_step * (uint64_t)parts;
  shares->copies = memory_allocate(context, bytes);
  if (!shares->copies) return false;
  pool_run(context, parts, run_copy, shares);
  struct tile tile = {.rows = 1,
                      .columns = (int64_t)shares->copy_bytes / element,
                      .flip = scatter_flip(self->dtype, plan->reduction),
                      .source = {.index = &first, .column = element},
                      .target = {.self = operand_address(self), .column = element, .owned = {0, 1, 1}}};
  bool good = !bad_is_set(shares->bad) && !context_stops(context);
  for (int64_t i = 0; good && i < parts; i++) {
    tile.source.src = shares->copies + (size_t)i * shares->copy_step;
    scatter_loops(self->dtype, plan->reduction, false)->join(&tile, tile.rows, NULL);
  }
  memory_free(context, shares->copies, bytes);
  return true;
}

bool scatter_share(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                   atomic_bool *bad) {
  struct shares shares = {.plan = plan, .way = way, .bad = bad};
  switch (way->kind) {
  case WAY_ALONE: cpu_scatter_walk(plan, 0, plan->size, bad); return true;
  case WAY_SLICES: pool_run(context, way->parts, run_slice, &shares); return true;
  case WAY_POSITIONS: pool_run(context, way->parts, run_positions, &shares); return true;
  case WAY_OWNERS: pool_run(context, way->parts, run_owner, &shares); return true;
  case WAY_HOT: return cpu_scatter_hot(context, plan, way->key, way->parts, bad);
  case WAY_COPIES: return run_copies(context, &shares);
  default: return cpu_scatter_partition(context, plan, bad);
  }
}
