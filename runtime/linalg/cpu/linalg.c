/* linalg.c: factorizations of batches of matrices on the CPU. One thread computes a matrix, so that the bits do not
   depend on their number. Loops along rows are those of the instruction set (linalg_loops.c). */
#include "linalg_loops.h"
#include "runtime/core/cpu/cpu.h"
#include "runtime/elementwise/shared/float_parts.h"
#include "runtime/linalg/linalg_ops.h"

enum { FACTOR_BLOCK = 8, FACTOR_TURNS = 60, FACTOR_MANY = 9 };
#define SUBTRACT linalg_loops()->S.subtract
#define COMBINE  linalg_loops()->S.combine
#define ROTATE   linalg_loops()->S.rotate
#define DOT      linalg_loops()->S.dot

/* Elements between two looks at whether the call must stop: of a row, and of short rows. Small matrices need none. */
enum { LOOK_ROW = 1 << 18, LOOK_SHORT = 1 << 11 };
/* At row i of `columns` elements: true if the call must stop. */
#define LOOKS(i, columns) (((columns) > LOOK_SHORT || (i) % LOOK_SHORT == LOOK_SHORT - 1) && context_stops(context))
/* For parts at .. end - 1 of `count` elements. */
#define CHUNKS(at, end, count)                                                                                         \
  for (int64_t at = 0, end;                                                                                            \
       (end = least((count), at + LOOK_ROW)) > at && !((count) > LOOK_SHORT && context_stops(context)); at = end)

/* Rows of a step of `depth` operations on each element. */
static inline int64_t rows_at_once(int64_t columns, int64_t depth) {
  const int64_t wide = least(columns, LOOK_ROW) * depth;
  return LOOK_ROW / (wide + 1) + 1;
}

#define S f32
#define T float
#include "linalg.inc"
#undef S
#undef T
#define S f64
#define T double
#include "linalg.inc"

LINALG_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(linalg_ops, LINALG_ENTRIES)

/* Elements of scratch for a matrix. */
static int64_t scratch_of(const struct linalg_plan *plan) {
  const int64_t m = plan->m, n = plan->n, columns = plan->columns;
  const int64_t most = m < n ? n : m, few = least(m, n), wide = columns < n ? n : columns;
  switch (plan->factor) {
  case FACTOR_SOLVE: return n * (n + columns);
  case FACTOR_PIVOTS:
  case FACTOR_CHOLESKY: return n * n;
  case FACTOR_QR: return m * n + few + m + wide;
  case FACTOR_EIGEN: return 2 * n * n + 5 * n;
  default: return most * few + 2 * few * few + most * columns + 2 * most + columns + 2 * few * few + 7 * few;
  }
}

/* The dense tensors of a plan: a, b and the results; NULL without one. */
enum { TENSORS = 5 };
struct batch {
  strew_context *context;
  const struct linalg_plan *plan;
  int64_t parts, scratch_bytes;
  char *scratch, *first[TENSORS];
  int64_t step_bytes[TENSORS]; /* from one matrix to the next */
  int64_t *bad;                /* of each part: the first matrix that cannot be factored, and why; -1: none */
};

static void add_tensor(struct batch *batch, int i, const strew_tensor *tensor) {
  if (!tensor) return;
  batch->first[i] = dense_at(tensor, 0);
  batch->step_bytes[i] = strew_tensor_numel(tensor) / batch->plan->count * (int64_t)dtype_bytes(tensor->dtype);
}

static void factor_part(void *batch_, int64_t part) {
  const struct batch *batch = batch_;
  const struct linalg_plan *plan = batch->plan;
  const int64_t end = part_begin(plan->count, batch->parts, part + 1);
  const bool is_narrow = plan->a->dtype == STREW_FLOAT32;
  int64_t *bad = batch->bad + 2 * part, why = FACTORED;
  char *scratch = batch->scratch + part * batch->scratch_bytes;
  *bad = -1;
  for (int64_t i = part_begin(plan->count, batch->parts, part); i < end && !context_stops(batch->context); i++) {
    char *at[TENSORS];
    for (int t = 0; t < TENSORS; t++) at[t] = batch->first[t] ? batch->first[t] + i * batch->step_bytes[t] : NULL;
    why = (is_narrow ? factor_f32 : factor_f64)(batch->context, plan, at, scratch);
    if (why == FACTORED) continue;
    bad[0] = i;
    bad[1] = why;
    return;
  }
}

/* The work as bytes, of which a processor passes about as many in that time. */
static int64_t work_of(const struct linalg_plan *plan) {
  static const double costs[] = {[FACTOR_SOLVE] = 2, [FACTOR_PIVOTS] = 1, [FACTOR_CHOLESKY] = 1,
                                 [FACTOR_QR] = 2,    [FACTOR_EIGEN] = 8,  [FACTOR_SINGULAR] = 32};
  const double m = (double)plan->m + 1, n = (double)plan->n + 1;
  const double work = (double)plan->count * costs[plan->factor] * m * n * ((m < n ? m : n) + (double)plan->columns / 2);
  return work < 0x1p62 ? (int64_t)work : INT64_MAX;
}

strew_status cpu_linalg(const struct call *call, strew_device *device, const struct linalg_plan *plan, int64_t *bad,
                        int64_t *why) {
  strew_context *context = device->context;
  struct batch batch = {.context = context,
                        .plan = plan,
                        .parts = least(pool_parts(context, work_of(plan)), plan->count),
                        .scratch_bytes = (scratch_of(plan) + 1) * (int64_t)dtype_bytes(plan->a->dtype)};
  const uint64_t bytes = (uint64_t)batch.parts * ((uint64_t)batch.scratch_bytes + 2 * sizeof *batch.bad);
  ALLOCATE(batch.bad, call, context, bytes);
  batch.scratch = (char *)(batch.bad + 2 * batch.parts);
  add_tensor(&batch, 0, plan->a);
  add_tensor(&batch, 1, plan->b);
  for (int i = 0; i < 3; i++) add_tensor(&batch, 2 + i, plan->out[i]);
  pool_run(context, batch.parts, factor_part, &batch);
  *bad = -1;
  for (int64_t part = 0; part < batch.parts && *bad < 0; part++) {
    *bad = batch.bad[2 * part];
    *why = batch.bad[2 * part + 1];
  }
  memory_free(context, batch.bad, bytes);
  return context_end(call, context, NULL);
}
