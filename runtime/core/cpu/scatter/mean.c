/* mean.c: a mean in one walk; by a sum, a count and a division it would take three. Each destination is a pair of a sum
   and a count, side by side, so that a contribution touches one cache line: 10 M float32 into 1 M 33 ms -> 21. To
   scatter's ways the pairs are a target like any other, of twice the size.

   If pairs would take much memory, and the rows of dimension 0 have destinations of their own, a few rows at a time are
   joined from start to end. The next ones use the same pairs, which stay in L2. */
#include "scattering.h"

struct means {
  strew_context *context;
  const struct scatter_plan *plan;
  const struct mean_scratch *scratch; /* which joins pairs */
  const struct pair_loops *loops;
  char *self, *pairs;
  int64_t count, bytes; /* elements from self's first destination to its last; bytes of one */
  int64_t extra;        /* contributions that the divisor counts beside those that came */
  int64_t chunk;        /* elements started, or divided, at a time */
  bool from_identity;
};

static void start_pairs(const struct means *means, int64_t begin, int64_t count, char *pairs) {
  means->loops->start(count, means->from_identity ? NULL : means->self + begin * means->bytes, pairs);
}

static void divide_pairs(const struct means *means, int64_t begin, int64_t count, const char *pairs) {
  means->loops->divide(count, pairs, means->self + begin * means->bytes, means->extra);
}

static struct scatter_plan plan_of_pairs(const struct scatter_plan *plan, struct storage *pairs) {
  struct scatter_plan paired = *plan;
  struct operand *self = &paired.plan.operands[SELF];
  self->storage = pairs;
  self->offset = 0;
  for (int d = 0; d < paired.plan.rank; d++) self->strides[d] *= 2;
  paired.step *= 2;
  paired.reduction = STREW_MEAN;
  paired.disposable = true;
  return paired;
}

/* ------------------------------------------------------------------------------------------------------ all at once */

static void start_chunk(void *means_, int64_t i) {
  const struct means *means = means_;
  const int64_t begin = i * means->chunk;
  start_pairs(means, begin, least(means->count - begin, means->chunk), means->pairs + 2 * begin * means->bytes);
}

static void divide_chunk(void *means_, int64_t i) {
  const struct means *means = means_;
  const int64_t begin = i * means->chunk;
  divide_pairs(means, begin, least(means->count - begin, means->chunk), means->pairs + 2 * begin * means->bytes);
}

static void run_chunks(struct means *means, void (*chunk)(void *means, int64_t i)) {
  pool_run_sized(means->context, 3 * means->count * means->bytes, (means->count - 1) / means->chunk + 1, chunk, means);
}

static strew_status mean_at_once(const struct call *call, strew_device *device, struct means *means,
                                 struct storage *pairs, bool *bad) {
  struct scatter_plan paired = plan_of_pairs(means->plan, pairs);
  run_chunks(means, start_chunk);
  strew_status status = cpu_scatter(call, device, &paired, bad);
  if (status == STREW_OK && !*bad) run_chunks(means, divide_chunk);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- rows by rows */

/* True if a row's destinations are its own, and not too many for L2, with no elements between them, which other parts
   may be reading; unless all pairs are little: then a walk checks the index at no cost (10 M into 1000 x 1000: 7.8 ms,
   by rows 9.7). Sets the turns. */
static bool can_go_by_rows(const struct scatter_plan *plan, struct mean_scratch *scratch) {
  if (plan->plan.rank < 1 || !scatter_is_gapless(plan)) return false;
  const int64_t apart = plan->plan.operands[SELF].strides[0];
  const struct scatter_plan row = scatter_slice(plan, 0, 0, 1);
  if (apart < 1 || scatter_target_elements(&row) != apart || apart > MEAN_ROW_MAX) return false;
  scratch->rows = apart < MEAN_ROW_MIN ? MEAN_ROW_MIN / apart : 1;
  scratch->pairs = scratch->rows * apart;
  return !scatter_is_little(plan, 2 * scatter_target_bytes(plan));
}

/* Each part takes its share of dimension 0 in turns, with pairs of its own for their destinations. */
static void run_rows(void *means_, int64_t part) {
  const struct means *means = means_;
  const struct mean_scratch *scratch = means->scratch;
  const struct operand *self = &means->plan->plan.operands[SELF];
  const int64_t size = means->plan->plan.sizes[0], apart = self->strides[0];
  struct storage pairs = {.device = self->storage->device,
                          .data = means->pairs + 2 * part * scratch->pairs * means->bytes};
  struct scatter_plan paired = plan_of_pairs(means->plan, &pairs);
  const int64_t last = part_begin(size, scratch->parts, part + 1);
  for (int64_t row = part_begin(size, scratch->parts, part), next; row < last; row = next) {
    next = least(row + scratch->rows, last);
    struct scatter_plan rows = scatter_slice(&paired, 0, row, next);
    rows.plan.operands[SELF].offset = 0;
    start_pairs(means, row * apart, (next - row) * apart, pairs.data);
    cpu_scatter_walk(&rows, 0, rows.size, NULL);
    if (context_stops(means->context)) return; /* the walk may be incomplete */
    divide_pairs(means, row * apart, (next - row) * apart, pairs.data);
  }
}

static strew_status mean_by_rows(const struct call *call, strew_device *device, struct means *means, bool *bad) {
  const struct scatter_plan *plan = means->plan;
  struct program program;
  strew_status status = feed_begin(call, &plan->plan.operands[SRC], &program);
  if (status == STREW_OK && plan->check)
    status = cpu_operand_check(call, device, &plan->plan, INDEX, plan->lowest, plan->size - 1, bad);
  if (status == STREW_OK && !*bad) pool_run(device->context, means->scratch->parts, run_rows, means);
  feed_end(&plan->plan.operands[SRC]);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- both */

/* By rows: pairs for each part, if each has some turns; else for all destinations. */
static struct mean_scratch choose(const strew_device *device, const struct scatter_plan *plan) {
  struct mean_scratch scratch = {.parts = 0};
  const int64_t elements = scatter_target_elements(plan);
  const int64_t parts = pool_parts(device->context, elements * (int64_t)sizeof(int64_t));
  if (can_go_by_rows(plan, &scratch) && scratch.pairs * MEAN_TURNS * parts <= elements) scratch.parts = parts;
  scratch.elements = 2 * (scratch.parts ? scratch.pairs * parts : elements);
  return scratch;
}

static strew_status run_mean(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                             const struct mean_scratch *scratch, struct storage *memory, bool from_identity,
                             int64_t extra, bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF];
  struct means means = {.context = device->context,
                        .plan = plan,
                        .scratch = scratch,
                        .loops = scatter_pair_loops(self->dtype),
                        .self = operand_address(self),
                        .pairs = memory->data,
                        .count = scatter_target_elements(plan),
                        .chunk = MEAN_CHUNK,
                        .bytes = (int64_t)dtype_bytes(self->dtype),
                        .extra = extra,
                        .from_identity = from_identity};
  *bad = false;
  strew_status status =
      scratch->parts ? mean_by_rows(call, device, &means, bad) : mean_at_once(call, device, &means, memory, bad);
  return status == STREW_OK && !*bad ? context_end(call, device->context, self->storage) : status;
}

const struct one_pass_mean cpu_mean = {choose, run_mean};
