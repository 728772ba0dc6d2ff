/* mean.c: a mean in one walk, where a sum, a count and a division would take three. Each place has a pair of a
   sum and a count, side by side, so that a contribution fetches one line of cache: 10 M float32 into 1 M places take 21
   ms instead of 33. The pairs are a target like any other to scatter's ways, of twice the size.

   Where pairs would take much memory, and the rows of dimension 0 have places of their own, some rows are made at a
   time, from start to end, and the next ones use the same pairs, which stay in a core's cache (100,000 lines of 4 into
   1000 each, on Zen 5: 117 ms and 800 MB all at once; 75 ms and 16 KB so). */
#include "scattering.h"

enum { PIECE = 1 << 15 };

struct means {
  strew_context *context;
  const struct scatter_plan *plan; /* which joins pairs */
  const struct pair_loops *loops;
  char *self, *pairs;
  int64_t count, bytes, extra; /* of elements from self's first place to the last one; of an element */
  bool from_identity;
};

static void start_places(const struct means *means, int64_t begin, int64_t count, char *pairs) {
  means->loops->start(count, means->from_identity ? NULL : means->self + begin * means->bytes, pairs);
}

static void end_places(const struct means *means, int64_t begin, int64_t count, const char *pairs) {
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

static void start_piece(void *means_, int64_t i) {
  const struct means *means = means_;
  start_places(means, i * PIECE, least(means->count - i * PIECE, PIECE), means->pairs + 2 * i * PIECE * means->bytes);
}

static void end_piece(void *means_, int64_t i) {
  const struct means *means = means_;
  end_places(means, i * PIECE, least(means->count - i * PIECE, PIECE), means->pairs + 2 * i * PIECE * means->bytes);
}

static void run_pieces(struct means *means, void (*piece)(void *means, int64_t i)) {
  pool_run_sized(means->context, 3 * means->count * means->bytes, (means->count - 1) / PIECE + 1, piece, means);
}

static strew_status mean_at_once(const struct call *call, strew_device *device, struct means *means,
                                 struct storage *pairs, bool *bad) {
  struct scatter_plan paired = plan_of_pairs(means->plan, pairs);
  run_pieces(means, start_piece);
  strew_status status = cpu_scatter(call, device, &paired, bad);
  if (status == STREW_OK && !*bad) run_pieces(means, end_piece);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- rows by rows */

/* Each part takes its share of dimension 0 in turns of so many rows, whose places its own pairs are for. */
struct by_rows {
  const struct means *means;
  int64_t rows, places, parts;
};

/* False where a row's places are not its own, or too many for a core's cache, and where all pairs are little: a walk
   checks the index for nothing then (10 M into 1000 x 1000: 7.8 ms, by rows 9.7). Others' elements between places would
   be written while other parts may be reading them. */
static bool goes_by_rows(const struct scatter_plan *plan, struct by_rows *by) {
  enum { FEW_PLACES = 1 << 11, MOST_PLACES = 1 << 17 };
  if (plan->plan.rank < 1 || !scatter_is_dense(plan)) return false;
  const int64_t apart = plan->plan.operands[SELF].strides[0];
  const struct scatter_plan row = scatter_slice(plan, 0, 0, 1);
  if (scatter_places(&row) != apart || apart > MOST_PLACES) return false;
  by->rows = apart < FEW_PLACES ? FEW_PLACES / apart : 1;
  by->places = by->rows * apart;
  return !scatter_is_little(plan, 2 * scatter_target_bytes(plan));
}

static void run_rows(void *by_, int64_t part) {
  const struct by_rows *by = by_;
  const struct means *means = by->means;
  const struct operand *self = &means->plan->plan.operands[SELF];
  const int64_t size = means->plan->plan.sizes[0], apart = self->strides[0];
  struct storage pairs = {.device = self->storage->device, .data = means->pairs + 2 * part * by->places * means->bytes};
  struct scatter_plan paired = plan_of_pairs(means->plan, &pairs);
  const int64_t last = part_begin(size, by->parts, part + 1);
  for (int64_t row = part_begin(size, by->parts, part), next; row < last; row = next) {
    next = least(row + by->rows, last);
    struct scatter_plan rows = scatter_slice(&paired, 0, row, next);
    rows.plan.operands[SELF].offset = 0;
    start_places(means, row * apart, (next - row) * apart, pairs.data);
    cpu_scatter_walk(&rows, 0, rows.size, NULL);
    if (context_stops(means->context)) return; /* then it may not have joined all */
    end_places(means, row * apart, (next - row) * apart, pairs.data);
  }
}

static strew_status mean_by_rows(const struct call *call, strew_device *device, struct by_rows *by, bool *bad) {
  const struct scatter_plan *plan = by->means->plan;
  strew_status status = STREW_OK;
  if (plan->check) status = check_plan_values(call, device, &plan->plan, INDEX, plan->lowest, plan->size - 1, bad);
  if (status == STREW_OK && !*bad) pool_run(device->context, by->parts, run_rows, by);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- both */

/* By rows, pairs for each part, of which there are as many as have some turns each; else for all places. */
int64_t cpu_mean_scratch(const strew_device *device, const struct scatter_plan *plan) {
  enum { TURNS = 4 };
  struct by_rows by;
  const int64_t places = scatter_places(plan), parts = pool_parts(device->context, places * (int64_t)sizeof(int64_t));
  const bool by_rows = goes_by_rows(plan, &by) && by.places * TURNS * parts <= places;
  return 2 * (by_rows ? by.places * parts : places);
}

strew_status cpu_mean_by_pairs(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                               struct storage *pairs, bool from_identity, int64_t extra, bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF];
  struct means means = {.context = device->context,
                        .plan = plan,
                        .loops = scatter_pair_loops(self->dtype),
                        .self = operand_address(self),
                        .pairs = pairs->data,
                        .count = scatter_places(plan),
                        .bytes = (int64_t)dtype_bytes(self->dtype),
                        .extra = extra,
                        .from_identity = from_identity};
  struct by_rows by = {.means = &means};
  const int64_t room = (int64_t)pairs->size_bytes / 2 / means.bytes; /* which tells what was chosen, and for how many */
  const bool by_rows = room < means.count && goes_by_rows(plan, &by);
  if (by_rows) by.parts = room / by.places;
  *bad = false;
  strew_status status = by_rows ? mean_by_rows(call, device, &by, bad) : mean_at_once(call, device, &means, pairs, bad);
  return status == STREW_OK && !*bad ? context_end(call, device->context, self->storage) : status;
}
