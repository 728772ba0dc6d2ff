/* choose.c: which way a scatter goes.

   Threads share *destinations*, never contributions to one destination: each is joined in row-major order whatever
   their number. Only if order does not matter may they share contributions. The costs stand in tuning.h; those of
   several threads were estimated on one: each part timed by itself, of the parts the longest thread's, and 20 us for
   each time that workers wake. 10 M into 10 k and 1 M on 4, 8 and 16 threads: owners 6.5 and 8.9 ms, 7.0 and 7.4, 6.7
   and 7.3; by partition 9.9 and 12.5, 5.3 and 6.6, 3.2 and 4.3. Threads that wait for the same memory are not in that.
   */
#include "scattering.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------------------------------- shapes */

/* Returns the dimension to cut: an outer one along which self moves; else the last one, if the index moves along it,
   too, and a part is still some cache lines wide. -1: there is none. */
static int dim_to_cut(const struct plan *plan, int64_t threads) {
  const struct operand *self = &plan->operands[SELF];
  int last = plan->rank - 1;
  for (int d = 0; d < last; d++)
    if (self->strides[d] != 0 && plan->sizes[d] >= threads) return d;
  if (last < 0 || self->strides[last] == 0 || plan->operands[INDEX].strides[last] == 0) return -1;
  return plan->sizes[last] * operand_step(self, last) >= threads * CACHE_LINE ? last : -1;
}

static bool has_wide_rows(const struct plan *plan) {
  int last = plan->rank - 1;
  return last >= 0 && plan->operands[INDEX].strides[last] == 0 && plan->operands[SELF].strides[last] != 0 &&
         plan->sizes[last] >= WIDE_ROW;
}

static bool exceeds_caches(size_t bytes) { return bytes > (size_t)tuning_in_use()->llc_bytes; }

/* The time depends on the bytes that are read; if destinations exceed the caches it is longer. */
static int64_t parts_to_share(const strew_context *context, const struct scatter_plan *plan) {
  const int64_t bytes = scatter_operand_bytes(plan, INDEX) + scatter_operand_bytes(plan, SRC);
  return exceeds_caches(scatter_target_bytes(plan)) ? pool_parts(context, bytes) : pool_parts_light(context, bytes);
}

/* Owners load all of their destinations, block after block: few contributions are cheaper one by one. And whole blocks
   are distributed, so that each thread needs a few: with the usual L2 64 Ki contributions, two blocks. */
static bool pays_to_part(const struct scatter_plan *plan, int64_t count, int64_t threads) {
  return scatter_target_elements(plan) / threads <= count / 4 * PART_QUARTERS &&
         count / threads >= tuning_in_use()->l2_bytes / PART_L2S;
}

struct shape scatter_shape(const strew_context *context, const struct scatter_plan *plan) {
  const struct plan *p = &plan->plan;
  const int64_t count = plan_numel(p);
  struct shape shape = {.threads = context->threads, .alone = count < LEAST_SAMPLE};
  if (shape.alone) return shape;
  shape.parts = parts_to_share(context, plan);
  if (shape.parts < shape.threads) shape.threads = shape.parts;
  shape.rows = has_wide_rows(p);
  shape.can_part = !shape.rows && scatter_can_part(plan) && pays_to_part(plan, count, shape.threads);
  shape.spread = exceeds_caches((size_t)scatter_range_bytes(plan)) && shape.can_part &&
                 ((p->rank == 1 && p->operands[SELF].strides[0] == 0) || has_full_rows(p));
  shape.can_be_hot = shape.threads > 1 && scatter_can_be_hot(plan);
  shape.alone = shape.threads == 1 && !shape.spread;
  return shape;
}

/* --------------------------------------------------------------------------------------------------------- costs */

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

void scatter_sort_sample(struct sample *sample) {
  qsort(sample->values, (size_t)sample->count, sizeof *sample->values, by_value);
}

/* To test whether a contribution is one's own, by enum isa. Two owners of 10 k, 10 M values, Zen 4: AVX-512 8.8 in all,
   AVX2 10.2, plain with four owners 16. */
static const int look_cost[] = {110, 55, 40};

static int64_t cost_of_range(size_t bytes) {
  const struct tuning *tuning = tuning_in_use();
  const int *cost = tuning->join_cost;
  if (bytes <= (size_t)tuning->l1_bytes) return cost[0];
  return bytes <= (size_t)tuning->l2_bytes ? cost[1] : exceeds_caches(bytes) ? cost[3] : cost[2];
}

/* A destination that the sorted sample hits twice is hit so often that it stays in L2. *most: how often it hits the one
   that it hits most. */
static int64_t cost_of_joins(const struct scatter_plan *plan, const struct sample *sample, int64_t *most) {
  int64_t cost = cost_of_range((size_t)scatter_range_bytes(plan)), often = 0, run = 1;
  *most = 1;
  for (int64_t i = 1; i < sample->count; i++) {
    run = sample->values[i] == sample->values[i - 1] ? run + 1 : 1;
    often += run > 1;
    if (run > *most) *most = run;
  }
  return (often * least(cost, tuning_in_use()->join_cost[1]) + (sample->count - often) * cost) / sample->count;
}

/* Contributions to one destination wait for its last sum. Alone, other contributions fill half of the wait; an owner
   has fewer of those; in a partition, whose ranges are equal, its neighbours wait with it, unless each destination has
   an owner. Zipf's index (1.3), a quarter of which is one value: 15 ms alone, 20 with two owners; estimated for 4 and
   16 threads: owners 12 and 10, by partition 24 and 15. On Zen 5 two owners gain little, and for 16-bit floats alone
   (into 1 M: 9.7 ms -> 8.8). */
static enum way_kind cheapest(const struct scatter_plan *plan, const struct shape *shape, const struct sample *sample) {
  const int64_t threads = shape->threads;
  int64_t most, join = cost_of_joins(plan, sample, &most), wait = most * CHAIN_COST / sample->count;
  if (most == sample->count) return WAY_ALONE; /* one thread joins one destination, in a register, whatever the way */
  int64_t look = look_cost[isa_in_use()] + join / threads;
  int64_t alone = join + wait / 2, owners = (look > READ_COST ? look : READ_COST) + wait;
  int64_t partition = INT64_MAX;
  if (shape->can_part) {
    partition = PARTITION_COST * (plan->reduction == STREW_MEAN ? MEAN_FACTOR : 1) / threads;
    partition += scatter_parts_by_destination(plan) ? 0 : 2 * wait;
  }
  if (alone <= owners && alone <= partition) return WAY_ALONE;
  return owners <= partition ? WAY_OWNERS : WAY_PARTITION;
}

/* ---------------------------------------------------------------------------------------------------------- rule */

/* True if order does not matter, and the plan has few destinations beside its contributions, with no other elements
   between them. */
static bool can_copy(const struct scatter_plan *plan, int64_t threads) {
  const struct plan *p = &plan->plan;
  const struct operand *self = &p->operands[SELF];
  const struct tuning *tuning = tuning_in_use();
  bool ordered = reduction_is_ordered(plan->reduction) && dtype_is_float(self->dtype);
  if (ordered || plan->reduction == STREW_ASSIGN || plan->reduction == STREW_MEAN) return false;
  if (p->count > ARG || p->rank < 1) return false;
  return scatter_is_gapless(plan) && self->strides[0] == 0 && (int64_t)scatter_target_bytes(plan) <= tuning->l2_bytes &&
         scatter_target_elements(plan) * threads <= plan_numel(p);
}

/* True if most of the sample is one value, which becomes the way's key. */
static bool is_hot(const struct scatter_plan *plan, const struct shape *shape, const struct sample *sample,
                   struct scatter_way *way) {
  int64_t ahead = 0, often = 0;
  if (!shape->can_be_hot) return false;
  for (int64_t i = 0; i < sample->count; i++) { /* a majority's vote */
    if (!ahead) way->key = sample->values[i];
    ahead += sample->values[i] == way->key ? 1 : -1;
  }
  for (int64_t i = 0; i < sample->count; i++) often += sample->values[i] == way->key;
  return often * 100 >= sample->count * HOT_PERCENT && !OUT_OF_RANGE(plan, way->key);
}

static bool choose_slices(const struct scatter_plan *plan, int64_t threads, struct scatter_way *way) {
  way->dim = dim_to_cut(&plan->plan, threads);
  if (way->dim < 0) return false;
  way->kind = WAY_SLICES;
  int64_t size = plan->plan.sizes[way->dim];
  if (way->dim == plan->plan.rank - 1) way->parts = threads; /* columns: the fewer parts, the longer they are */
  if (way->parts > size) way->parts = size;
  return true;
}

/* Rows that no cache holds wait for memory, whatever the way: owners are the least bad (tuning.h, WIDE_ROW). */
void scatter_decide(const struct scatter_plan *plan, const struct shape *shape, struct sample *sample,
                    struct scatter_way *way) {
  const int64_t threads = shape->threads;
  way->kind = WAY_ALONE;
  way->parts = shape->parts;
  if (is_hot(plan, shape, sample, way)) {
    way->kind = WAY_HOT;
    way->parts = threads;
    return;
  }
  if (sample->all_ascend) {
    way->kind = WAY_POSITIONS;
    if (way->parts > MOST_CUTS) way->parts = MOST_CUTS;
    return;
  }
  if (shape->spread && !sample->ascends) {
    way->kind = WAY_PARTITION;
    return;
  }
  if (threads == 1 || choose_slices(plan, threads, way)) return;
  scatter_sort_sample(sample);
  way->parts = threads < MOST_CUTS ? threads : MOST_CUTS;
  way->kind = shape->rows ? WAY_OWNERS : can_copy(plan, threads) ? WAY_COPIES : cheapest(plan, shape, sample);
}
