/* scatter_mean.c: a mean in one walk, where a sum, a count and a division would take three. Each place has a pair of a
   sum and a count, side by side, so that a contribution fetches one line of cache: 10 M float32 into 1 M places take 21
   ms instead of 33. The pairs are a target like any other to scatter's ways, of twice the size.

   Where the rows of dimension 0 have places of their own, some of them are made at a time, from start to end: their
   pairs stay in a core's cache, and the next rows use the same memory (100,000 lines of 4 into 1000 each, on Zen 5: 117
   ms and 800 MB all at once; 75 ms and 16 KB so). */
#include "scatter.h"

enum { PIECE = 1 << 15 };

struct means {
  strew_context *context;
  const struct scatter_plan *plan; /* which joins pairs */
  const struct pair_loops *loops;
  char *self, *pairs;
  int64_t count, bytes, extra; /* of elements from self's first place to the last one; of an element */
  bool from_identity;
};

static void start(const struct means *means, int64_t begin, int64_t count, char *pairs) {
  means->loops->start(count, means->from_identity ? NULL : means->self + begin * means->bytes, pairs);
}

static void end(const struct means *means, int64_t begin, int64_t count, const char *pairs) {
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
  start(means, i * PIECE, least(means->count - i * PIECE, PIECE), means->pairs + 2 * i * PIECE * means->bytes);
}

static void end_piece(void *means_, int64_t i) {
  const struct means *means = means_;
  end(means, i * PIECE, least(means->count - i * PIECE, PIECE), means->pairs + 2 * i * PIECE * means->bytes);
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

/* Of so many rows of dimension 0 at a time each part makes its share, in pairs of its own for so many places. */
struct by_rows {
  struct means *means;
  int64_t rows, places, parts;
};

/* False where a row's places are not its own, or too many for a core's cache, where rows are too few to share, and
   where a cache holds all pairs: the walk checks the index for nothing then (10 M into 1000 x 1000: 7.8 ms, by
   rows 9.7).
 */
static bool goes_by_rows(const strew_context *context, const struct scatter_plan *plan, struct by_rows *by) {
  enum { FEW_PLACES = 1 << 11, MOST_PLACES = 1 << 17, LEAST_TURNS = 4, CACHE_GRAINS = 64 };
  if (plan->plan.rank < 1) return false;
  const int64_t apart = plan->plan.operands[SELF].strides[0], size = plan->plan.sizes[0];
  const struct scatter_plan row = scatter_slice(plan, 0, 0, 1);
  const int64_t bytes = 2 * (int64_t)scatter_target_bytes(plan), row_places = scatter_places(&row);
  if (row_places > apart || apart > MOST_PLACES || bytes / CACHE_GRAINS < (int64_t)context->grain_bytes) return false;
  by->rows = apart < FEW_PLACES ? FEW_PLACES / apart : 1;
  by->places = (by->rows - 1) * apart + row_places;
  by->parts = pool_parts(context, bytes);
  return size / by->rows >= LEAST_TURNS * by->parts;
}

static void run_rows(void *by_, int64_t part) {
  const struct by_rows *by = by_;
  const struct means *means = by->means;
  const int64_t size = means->plan->plan.sizes[0], apart = means->plan->plan.operands[SELF].strides[0];
  struct storage pairs = {.device = means->plan->plan.operands[SELF].storage->device,
                          .data = means->pairs + 2 * part * by->places * means->bytes};
  struct scatter_plan paired = plan_of_pairs(means->plan, &pairs);
  const int64_t last = part_begin(size, by->parts, part + 1);
  for (int64_t row = part_begin(size, by->parts, part), next; row < last && !context_stops(means->context);
       row = next) {
    next = least(row + by->rows, last);
    const int64_t places = by->places - (by->rows - (next - row)) * apart;
    struct scatter_plan rows = scatter_slice(&paired, 0, row, next);
    rows.plan.operands[SELF].offset = 0;
    start(means, row * apart, places, pairs.data);
    cpu_scatter_walk(&rows, 0, rows.size, NULL);
    end(means, row * apart, places, pairs.data);
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

int64_t cpu_mean_scratch(const strew_device *device, const struct scatter_plan *plan) {
  struct by_rows by;
  return 2 * (goes_by_rows(device->context, plan, &by) ? by.parts * by.places : scatter_places(plan));
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
  *bad = false;
  strew_status status = goes_by_rows(device->context, plan, &by) ? mean_by_rows(call, device, &by, bad)
                                                                 : mean_at_once(call, device, &means, pairs, bad);
  return status == STREW_OK && !*bad ? context_end(call, device->context, self->storage) : status;
}
