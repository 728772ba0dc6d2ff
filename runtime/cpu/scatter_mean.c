/* scatter_mean.c: a mean in one walk, where a sum, a count and a division would take three. Each place has a pair of a
   sum and a count, side by side, so that a contribution fetches one line of cache: 10 M float32 into 1 M places take 21
   ms instead of 33. The pairs are a target like any other to scatter's ways, of twice the size. */
#include "scatter.h"

enum { PIECE = 1 << 15 };

struct means {
  strew_context *context;
  const struct pair_loops *loops;
  char *self, *pairs;
  int64_t count, bytes, extra; /* of elements from self's first place to the last one; of an element */
  bool from_identity;
};

static int64_t piece_of(const struct means *means, int64_t begin) {
  return means->count - begin < PIECE ? means->count - begin : PIECE;
}

static void start_piece(void *means_, int64_t i) {
  const struct means *means = means_;
  int64_t begin = i * PIECE;
  means->loops->start(piece_of(means, begin), means->from_identity ? NULL : means->self + begin * means->bytes,
                      means->pairs + 2 * begin * means->bytes);
}

static void end_piece(void *means_, int64_t i) {
  const struct means *means = means_;
  int64_t begin = i * PIECE;
  means->loops->divide(piece_of(means, begin), means->pairs + 2 * begin * means->bytes,
                       means->self + begin * means->bytes, means->extra);
}

static void run_pieces(struct means *means, void (*piece)(void *means, int64_t i)) {
  pool_run_sized(means->context, 3 * means->count * means->bytes, (means->count - 1) / PIECE + 1, piece, means);
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

strew_status cpu_mean_by_pairs(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                               struct storage *pairs, bool from_identity, int64_t extra, bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF];
  struct scatter_plan paired = plan_of_pairs(plan, pairs);
  int64_t bytes = (int64_t)dtype_bytes(self->dtype);
  struct means means = {.context = device->context,
                        .loops = scatter_pair_loops(self->dtype),
                        .self = operand_address(self),
                        .pairs = pairs->data,
                        .count = (int64_t)scatter_target_bytes(plan) / bytes,
                        .bytes = bytes,
                        .extra = extra,
                        .from_identity = from_identity};
  run_pieces(&means, start_piece);
  strew_status status = cpu_scatter(call, device, &paired, bad);
  if (status != STREW_OK || *bad) return status;
  run_pieces(&means, end_piece);
  return context_end(call, device->context, self->storage);
}
