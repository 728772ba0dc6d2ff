/* hot.c: a scatter of floats to whose key, one destination, most contributions go. They are added as a run, chunk by
   chunk (../run.h), which threads share; the others of a chunk after them. A destination is joined in row-major order in
   either case. */
#include "runtime/core/cpu/core_loops.h"
#include "runtime/core/cpu/run.h"
#include "scattering.h"

struct hot {
  const struct scatter_plan *plan;
  const struct run_kernels *kernels;
  int64_t key, rows, chunk, size_bytes;
  const int64_t *index;
  const char *src;
  atomic_bool *bad;
};

/* The room of a chunk: rows of the other destinations, and behind them the elements of the key. */
static int64_t *others_of(const struct run_chunk *chunk) { return (int64_t *)(void *)chunk->room; }

static int64_t rows_of(const struct hot *hot, int64_t i) { return least(hot->rows - i * hot->chunk, hot->chunk); }

static void read_hot(const struct run_job *job, int64_t i, struct run_chunk *chunk) {
  const struct hot *hot = job->argument;
  const int64_t *index = hot->index + i * hot->chunk;
  chunk->x = hot->src + i * hot->chunk * hot->size_bytes;
  chunk->count = rows_of(hot, i);
  if (index[0] == hot->key && index_loops()->is_constant(index, chunk->count)) return;
  char *own = chunk->room + (hot->chunk + 1) * (int64_t)sizeof(int64_t);
  chunk->count = hot->kernels->split(index, hot->key, chunk->x, chunk->count, own, others_of(chunk));
  chunk->x = own;
}

static void join_others(const struct run_job *job, int64_t i, const struct run_chunk *chunk) {
  const struct hot *hot = job->argument;
  const struct operand *self = &hot->plan->plan.operands[SELF];
  const uint64_t size = (uint64_t)hot->plan->size;
  const struct tile tile = {.rows = rows_of(hot, i),
                            .columns = 1,
                            .source = {.index = hot->index + i * hot->chunk,
                                       .src = hot->src + i * hot->chunk * hot->size_bytes,
                                       .row = hot->size_bytes},
                            .target = {.self = operand_address(self),
                                       .step = hot->plan->step * hot->size_bytes,
                                       .owned = {.count = size, .size = size}}};
  const int64_t others = tile.rows - chunk->count, *rows = others_of(chunk);
  for (int64_t k = 0; k < others; k++)
    if (OUT_OF_RANGE(&tile.target.owned, tile.source.index[rows[k]])) {
      set_bad(hot->bad);
      return;
    }
  if (others) scatter_loops(self->dtype, hot->plan->reduction, false)->join(&tile, others, rows);
}

bool scatter_can_be_hot(const struct scatter_plan *plan) {
  const struct plan *p = &plan->plan;
  const struct operand *index = &p->operands[INDEX], *self = &p->operands[SELF], *src = &p->operands[SRC];
  return plan->reduction == STREW_SUM && (self->dtype == STREW_FLOAT32 || self->dtype == STREW_FLOAT64) &&
         p->count <= ARG && p->rank == 1 && self->strides[0] == 0 && src->strides[0] == 1 &&
         src->dtype == self->dtype && src->storage && !src->storage->program && index->strides[0] == 1 &&
         index_is_direct(index->dtype, sizeof(int64_t), plan->mode);
}

bool cpu_scatter_hot(strew_context *context, const struct scatter_plan *plan, int64_t key, int64_t threads,
                     atomic_bool *bad) {
  const struct operand *operands = plan->plan.operands;
  const int64_t size_bytes = (int64_t)dtype_bytes(operands[SELF].dtype), chunk = tuning_in_use()->run_chunk;
  const struct hot hot = {.plan = plan,
                          .kernels = &run_loops()->of[operands[SELF].dtype == STREW_FLOAT64],
                          .key = key,
                          .rows = plan->plan.sizes[0],
                          .chunk = chunk,
                          .size_bytes = size_bytes,
                          .index = (const int64_t *)(const void *)operand_address(&operands[INDEX]),
                          .src = operand_address(&operands[SRC]),
                          .bad = bad};
  struct run_job job = {.context = context,
                        .dtype = operands[SELF].dtype,
                        .held = operand_address(&operands[SELF]) + key * plan->step * size_bytes,
                        .threads = threads,
                        .chunks = (hot.rows - 1) / chunk + 1,
                        .room_bytes = (size_t)((chunk + 1) * (size_bytes + (int64_t)sizeof(int64_t))),
                        .read = read_hot,
                        .done = join_others,
                        .argument = &hot};
  return run_add(&job);
}
