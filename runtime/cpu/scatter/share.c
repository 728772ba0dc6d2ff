/* share.c: which way a scatter goes, and how threads share it.

   Threads share out *places*, never contributions to one place, so that each place is joined in row-major order
   whatever their number; only where order does not matter may they share contributions. The rule stands in
   scatter_choose, with what was measured. */
#include "runtime/cpu/loops/index_loops.h"
#include "scattering.h"

#include <stdlib.h>

/* Places that lie in a grain's bytes (256 KiB, a part of a core's own cache) are near, those in a NEAREST_PART of it
   (16 KiB, a part of its nearest) nearest, those in FAR_GRAINS of it (16 MiB, a part of the shared cache) in the
   middle, others far. */
enum { NEAREST_PART = 16, FAR_GRAINS = 64 };

CHOOSE_LOOPS(index)

/* ---------------------------------------------------------------------------------------------- a look at the index */

static int64_t value_at(const struct scatter_plan *plan, int64_t place) {
  int64_t value = strew_scalar_load(plan->plan.operands[INDEX].dtype, operand_at(&plan->plan, INDEX, place)).as.i;
  apply_mode(plan->mode, plan->size, 1, &value);
  return value;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

enum { LEAST_SAMPLE = 256, MOST_SAMPLE = 2048 };

struct sample {
  int64_t count, values[MOST_SAMPLE];
};

/* One value of each of `count` equal parts, in the order of the index; do they ascend? Here and there in its part: at
   even distances a repeated pattern might show always the same. */
static bool sample_index(const struct scatter_plan *plan, int64_t count, struct sample *sample) {
  const uint64_t scatter = UINT64_C(0x9E3779B97F4A7C15);
  int64_t contributions = plan_numel(&plan->plan);
  sample->count = count;
  for (int64_t i = 0; i < count; i++) {
    int64_t begin = part_begin(contributions, count, i), size = part_begin(contributions, count, i + 1) - begin;
    sample->values[i] = value_at(plan, begin + (int64_t)(((uint64_t)i * scatter >> 32) % (uint64_t)size));
  }
  return index_ascends(sample->values, count);
}

static void sort_sample(struct sample *sample) {
  qsort(sample->values, (size_t)sample->count, sizeof *sample->values, by_value);
}

/* A larger one, sorted, by which owners come out even: so many values for each, but few beside the contributions (with
   the usual grain one of 8 Ki). 10 M into 1 M random places took two owners 13.1 ms by a thousand values, 15.4 by 256.
 */
static void sample_for_owners(const strew_context *context, const struct scatter_plan *plan, int64_t owners,
                              struct sample *sample) {
  enum { PER_OWNER = 512, GRAIN_PART = 32 };
  int64_t one_of = (int64_t)context->grain_bytes / GRAIN_PART + 1;
  int64_t count = least(plan_numel(&plan->plan) / one_of, least(owners * PER_OWNER, MOST_SAMPLE));
  if (count <= sample->count) return;
  sample_index(plan, count, sample);
  sort_sample(sample);
}

/* Cuts the range of values so that each owner gets as much of the sorted sample. */
static void balance_owners(struct scatter_way *way, const struct scatter_plan *plan, const struct sample *sample) {
  way->cuts[0] = 0;
  for (int64_t i = 1; i < way->parts; i++) {
    int64_t cut = sample->values[part_begin(sample->count, way->parts, i)];
    way->cuts[i] = cut < way->cuts[i - 1] ? way->cuts[i - 1] : cut < plan->size ? cut : plan->size;
  }
  way->cuts[way->parts] = plan->size;
}

/* Is the whole index, one dense line of int64, in ascending order and in range? */
struct ascent {
  strew_context *context;
  const int64_t *values;
  int64_t count, parts;
  atomic_bool broken;
};

static void check_ascent(void *ascent_, int64_t i) {
  struct ascent *ascent = ascent_;
  int64_t begin = part_begin(ascent->count, ascent->parts, i), end = part_begin(ascent->count, ascent->parts, i + 1);
  if (end < ascent->count) end++; /* up to the next part's first */
  for (int64_t next; begin < end && !context_stops(ascent->context); begin = next) {
    next = end - begin <= CHUNK ? end : begin + CHUNK; /* a stretch's last is the next one's first */
    if (!index_ascends(ascent->values + begin, next == end ? end - begin : next + 1 - begin))
      atomic_store_explicit(&ascent->broken, true, memory_order_relaxed);
  }
}

static bool ascends_throughout(strew_context *context, const struct scatter_plan *plan, int64_t parts) {
  struct ascent ascent = {.context = context, .count = plan->plan.sizes[0], .parts = parts};
  ascent.values = (const int64_t *)(const void *)operand_address(&plan->plan.operands[INDEX]);
  atomic_init(&ascent.broken, false);
  if (ascent.values[ascent.count - 1] >= plan->size) return false;
  pool_run(context, parts, check_ascent, &ascent);
  return !atomic_load(&ascent.broken);
}

/* Cuts positions where a new value begins. */
static void cut_positions(struct scatter_way *way, const struct scatter_plan *plan) {
  const int64_t *values = (const int64_t *)(const void *)operand_address(&plan->plan.operands[INDEX]);
  int64_t count = plan->plan.sizes[0];
  way->cuts[0] = 0;
  for (int64_t i = 1; i <= way->parts; i++) {
    int64_t cut = part_begin(count, way->parts, i);
    if (cut < way->cuts[i - 1]) cut = way->cuts[i - 1];
    while (cut < count && cut > 0 && values[cut] == values[cut - 1]) cut++;
    way->cuts[i] = cut;
  }
}

/* One dense line of int64 values, each with one contribution or a row of them? */
static bool is_line(const struct scatter_plan *plan) {
  const struct plan *p = &plan->plan;
  const struct operand *index = &p->operands[INDEX], *self = &p->operands[SELF];
  bool rows = p->rank == 2 && index->strides[1] == 0;
  return (p->rank == 1 || rows) && index->dtype == STREW_INT64 && index->strides[0] == 1 && self->strides[0] == 0;
}

/* --------------------------------------------------------------------------------------------------------- the rule */

/* The dimension to cut: an outer one along which self moves; else the last one where index moves, too, and a share is
   still some cache lines wide. -1: none will do. */
static int dim_to_cut(const struct plan *plan, int64_t threads) {
  const struct operand *self = &plan->operands[SELF];
  int last = plan->rank - 1;
  for (int d = 0; d < last; d++)
    if (self->strides[d] != 0 && plan->sizes[d] >= threads) return d;
  if (last < 0 || self->strides[last] == 0 || plan->operands[INDEX].strides[last] == 0) return -1;
  return plan->sizes[last] * operand_step(self, last) >= threads * CACHE_LINE ? last : -1;
}

static bool has_wide_rows(const struct plan *plan) {
  enum { WIDE_ROW = 8 };
  int last = plan->rank - 1;
  return last >= 0 && plan->operands[INDEX].strides[last] == 0 && plan->operands[SELF].strides[last] != 0 &&
         plan->sizes[last] >= WIDE_ROW;
}

/* Do few places belong to the plan beside what arrives, in any order, and no others lie between them? */
static bool can_copy(const strew_context *context, const struct scatter_plan *plan, int64_t threads) {
  const struct plan *p = &plan->plan;
  const struct operand *self = &p->operands[SELF];
  int64_t bytes = (int64_t)scatter_target_bytes(plan);
  bool ordered = reduction_is_ordered(plan->reduction) && dtype_is_float(self->dtype);
  if (ordered || plan->reduction == STREW_ASSIGN || plan->reduction == STREW_MEAN) return false;
  if (p->count > ARG || p->rank < 1) return false;
  return scatter_is_dense(plan) && self->strides[0] == 0 && bytes <= (int64_t)context->grain_bytes &&
         scatter_places(plan) * threads * 4 <= plan_numel(p);
}

/* Hundredths of a nanosecond for a contribution that is joined by one thread, by the bytes that it chooses from (10 M
   float32 and int64: 100 places 5.3 ms, 10 k 10, 1 M 15, 10 M 60), or to a place that waits for its last sum, in memory
   (330) or in a register (110); for one that an owner reads, at the least, whether or not it is its own; for one that
   is dealt out and joined by partition (10 M places 42 ms on one thread, 25 on two). So on an AMD EPYC of Zen 4. One of
   Zen 5 takes 4.2 ms, 4.5, 7.2 and 44 and, by partition, 38 and 19, so that two owners gain nothing there but of 16-bit
   floats, a little (into 1 M places 8.8 ms instead of 9.7); an Intel Xeon, which goes by Zen 4's figures, 6.6 ms, 8.4,
   24 and, by partition, 55 and 27.

   What more threads take was estimated on one: their parts one after the other, each timed, of those the longest
   thread's, and 20 us for each time that workers wake (10 M into 10 k and 1 M on 4, 8 and 16 threads: owners 6.5 and
   8.9 ms, 7.0 and 7.4, 6.7 and 7.3; by partition 9.9 and 12.5, 5.3 and 6.6, 3.2 and 4.3). Threads that wait for the
   same memory are not in that. */
enum { CHAIN_COST = 330, RUN_COST = 110, READ_COST = 60, PARTITION_COST = 400 };
struct join_costs {
  int nearest, near, middle, far;
};
static const struct join_costs join_costs[PROCESSOR_COUNT] = {[PROCESSOR_OTHER] = {50, 100, 160, 600},
                                                              [PROCESSOR_ZEN4] = {50, 100, 160, 600},
                                                              [PROCESSOR_ZEN5] = {42, 45, 72, 440}};

static bool is_far(const strew_context *context, size_t bytes) { return bytes / FAR_GRAINS > context->grain_bytes; }

static int64_t cost_of_range(const strew_context *context, const struct join_costs *costs, size_t bytes) {
  if (bytes <= context->grain_bytes / NEAREST_PART) return costs->nearest;
  return bytes <= context->grain_bytes ? costs->near : is_far(context, bytes) ? costs->far : costs->middle;
}

/* Places that the sorted sample meets twice are met so often that they are near, wherever they lie; *most: how often it
   meets the one that it meets most. */
static int64_t cost_of_joins(const strew_context *context, const struct scatter_plan *plan, const struct sample *sample,
                             int64_t *most) {
  const struct join_costs *costs = &join_costs[processor_in_use()];
  int64_t cost = cost_of_range(context, costs, (size_t)scatter_range_bytes(plan)), often = 0, run = 1;
  *most = 1;
  for (int64_t i = 1; i < sample->count; i++) {
    run = sample->values[i] == sample->values[i - 1] ? run + 1 : 1;
    often += run > 1;
    if (run > *most) *most = run;
  }
  return (often * least(cost, costs->near) + (sample->count - often) * cost) / sample->count;
}

/* Owners fetch all of their places, block after block: few contributions are cheaper one by one (float32 into 10 M
   places, on one thread: 10 M contributions take 59 ms by partition, 69 alone; 5 M 35 and 32; 1 M 17 and 7.5). And
   blocks are dealt whole, so that each thread needs a few: with the usual grain 64 Ki contributions, two blocks. */
static bool pays_to_part(const strew_context *context, const struct scatter_plan *plan, int64_t count,
                         int64_t threads) {
  enum { GRAIN_PART = 4 };
  return scatter_places(plan) / threads <= count / 4 * 5 &&
         count / threads >= (int64_t)context->grain_bytes / GRAIN_PART;
}

/* What goes to one place again and again waits for its last sum: alone other contributions fill half of the wait, an
   owner has fewer of those, and by partition, whose ranges are equal, its neighbours wait with it, where each place has
   not an owner of its own. Zipf's index (1.3), a quarter of which is one value: 15 ms alone, 20 with two owners;
   estimated as above for 4 and 16 threads: owners 12 and 10, by partition 24 and 15. A mean's pairs take twice as long
   by partition. */
static enum way_kind cheapest(const strew_context *context, const struct scatter_plan *plan, int64_t threads,
                              bool can_part, const struct sample *sample) {
  int64_t most, join = cost_of_joins(context, plan, sample, &most), wait = most * CHAIN_COST / sample->count;
  if (most == sample->count) return WAY_ALONE; /* one thread joins one place, in a register, whatever the way */
  int64_t look = index_loops()->look_cost + join / threads;
  int64_t alone = join + wait / 2, owners = (look > READ_COST ? look : READ_COST) + wait, partition = INT64_MAX;
  if (can_part) {
    partition = PARTITION_COST * (plan->reduction == STREW_MEAN ? 2 : 1) / threads;
    partition += scatter_parts_by_place(plan) ? most * RUN_COST / sample->count : 2 * wait;
  }
  if (alone <= owners && alone <= partition) return WAY_ALONE;
  return owners <= partition ? WAY_OWNERS : WAY_PARTITION;
}

/* Do threads go by positions? */
static bool choose_positions(strew_context *context, const struct scatter_plan *plan, struct scatter_way *way) {
  if (!is_line(plan) || !ascends_throughout(context, plan, way->parts)) return false;
  if (way->parts > MOST_CUTS) way->parts = MOST_CUTS;
  cut_positions(way, plan);
  way->kind = WAY_POSITIONS;
  return true;
}

static bool choose_slices(const struct scatter_plan *plan, int64_t threads, struct scatter_way *way) {
  way->dim = dim_to_cut(&plan->plan, threads);
  if (way->dim < 0) return false;
  way->kind = WAY_SLICES;
  int64_t size = plan->plan.sizes[way->dim];
  if (way->dim == plan->plan.rank - 1) way->parts = threads; /* columns: the fewer of them, the longer they are */
  if (way->parts > size) way->parts = size;
  return true;
}

/* The bytes that are read tell how long it takes, but where places are far: that takes longer. */
static int64_t parts_to_share(const strew_context *context, const struct scatter_plan *plan) {
  const int64_t bytes = scatter_operand_bytes(plan, INDEX) + scatter_operand_bytes(plan, SRC);
  return is_far(context, scatter_target_bytes(plan)) ? pool_parts(context, bytes) : pool_parts_light(context, bytes);
}

/* Rows that no cache holds wait for memory, whatever the way (1 M rows of 64 float32 into 100 k: 22 ms alone, 20 with
   two owners, 40 where two threads cut the columns, 75 where rows are listed by ranges of places first, for src is then
   read here and there). */
void scatter_choose(strew_context *context, const struct scatter_plan *plan, struct scatter_way *way) {
  const struct plan *p = &plan->plan;
  struct sample sample;
  int64_t threads = context->threads, count = plan_numel(p);
  way->kind = WAY_ALONE;
  if (count < LEAST_SAMPLE) return;
  way->parts = parts_to_share(context, plan);
  if (way->parts < threads) threads = way->parts;
  bool far = is_far(context, (size_t)scatter_range_bytes(plan)), rows = has_wide_rows(p);
  bool can_part = !rows && scatter_can_part(plan) && pays_to_part(context, plan, count, threads);
  bool spread = far && can_part && ((p->rank == 1 && p->operands[SELF].strides[0] == 0) || has_full_rows(p));
  if (threads == 1 && !spread) return;
  bool ascends = sample_index(plan, LEAST_SAMPLE, &sample);
  bool one_value = sample.values[0] == sample.values[sample.count - 1]; /* one part would have it all */
  if (threads > 1 && ascends && !one_value && choose_positions(context, plan, way)) return;
  if (spread && !ascends) {
    way->kind = WAY_PARTITION;
    return;
  }
  if (threads == 1 || choose_slices(plan, threads, way)) return;
  sort_sample(&sample);
  way->parts = threads < MOST_CUTS ? threads : MOST_CUTS;
  way->kind = rows                               ? WAY_OWNERS
              : can_copy(context, plan, threads) ? WAY_COPIES
                                                 : cheapest(context, plan, threads, can_part, &sample);
  if (way->kind != WAY_OWNERS) return;
  sample_for_owners(context, plan, way->parts, &sample);
  balance_owners(way, plan, &sample);
}

bool scatter_looks_first(const strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way) {
  bool parts = way->kind == WAY_PARTITION && scatter_finds_first(context, plan);
  return parts || way->kind == WAY_POSITIONS || way->kind == WAY_COPIES;
}

/* ---------------------------------------------------------------------------------------------------------- sharing */

struct shares {
  const struct scatter_plan *plan;
  const struct scatter_way *way;
  atomic_bool *bad;
  char *copies; /* of the target, one per part, each in lines of its own */
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

/* Each part joins a copy of its own, which starts from the identity; the copies join self. Two parts never write to one
   line, nor to one that another's processor fetches beside its own (10 M int32 into 10 places on two threads: 5.4 ms
   alone, 11.4 where copies lay side by side). */
static bool run_copies(strew_context *context, struct shares *shares) {
  const struct scatter_plan *plan = shares->plan;
  const struct operand *self = &plan->plan.operands[SELF];
  int64_t parts = shares->way->parts, element = (int64_t)dtype_bytes(self->dtype), first = 0;
  shares->copy_bytes = scatter_target_bytes(plan);
  shares->copy_step = (shares->copy_bytes / CACHE_LINE + 3) * CACHE_LINE;
  size_t bytes = shares->copy_step * (size_t)parts;
  shares->copies = memory_allocate(context, bytes);
  if (!shares->copies) return false;
  pool_run(context, parts, run_copy, shares);
  struct tile tile = {.rows = 1, .index = &first, .count = 1, .size = 1, .self = operand_address(self)};
  tile.self_column = tile.src_column = element;
  tile.columns = (int64_t)shares->copy_bytes / element;
  bool good = !bad_is_set(shares->bad) && !context_stops(context);
  for (int64_t i = 0; good && i < parts; i++) {
    tile.src = shares->copies + (size_t)i * shares->copy_step;
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
  case WAY_COPIES: return run_copies(context, &shares);
  default: return cpu_scatter_partition(context, plan, bad);
  }
}
