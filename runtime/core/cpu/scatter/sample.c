/* sample.c: a look at the index: a sample of its values, whether it ascends throughout, and where to cut it. */
#include "scattering.h"

static int64_t value_at(const struct scatter_plan *plan, int64_t number) {
  int64_t value = strew_scalar_load(plan->plan.operands[INDEX].dtype, operand_at(&plan->plan, INDEX, number)).as.i;
  apply_mode(plan->mode, plan->size, 1, &value);
  return value;
}

/* One value of each of `count` equal parts, in the order of the index, at a hashed position in its part: at even
   distances a repeated pattern might always show the same value. */
static void take_sample(const struct scatter_plan *plan, int64_t count, struct sample *sample) {
  const uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
  int64_t contributions = plan_numel(&plan->plan);
  sample->count = count;
  for (int64_t i = 0; i < count; i++) {
    int64_t begin = part_begin(contributions, count, i), size = part_begin(contributions, count, i + 1) - begin;
    sample->values[i] = value_at(plan, begin + (int64_t)(((uint64_t)i * hash >> 32) % (uint64_t)size));
  }
  sample->ascends = index_ascends(sample->values, count);
}

/* ------------------------------------------------------------------------------------------------ sorted indices */

struct ascent {
  strew_context *context;
  const int64_t *values;
  int64_t count, parts;
  atomic_bool broken;
};

static void check_ascent(void *ascent_, int64_t i) {
  struct ascent *ascent = ascent_;
  int64_t begin = part_begin(ascent->count, ascent->parts, i), end = part_begin(ascent->count, ascent->parts, i + 1);
  if (end < ascent->count) end++; /* up to the first of the next part */
  for (int64_t next; begin < end && !context_stops(ascent->context); begin = next) {
    next = end - begin <= CHUNK ? end : begin + CHUNK; /* the last of a chunk is the first of the next */
    if (!index_ascends(ascent->values + begin, next == end ? end - begin : next + 1 - begin))
      atomic_store_explicit(&ascent->broken, true, memory_order_relaxed);
  }
}

/* True if the index is one line of int64 values of unit stride, each with one contribution or a row of them. */
static bool is_line(const struct scatter_plan *plan) {
  const struct plan *p = &plan->plan;
  const struct operand *index = &p->operands[INDEX], *self = &p->operands[SELF];
  bool rows = p->rank == 2 && index->strides[1] == 0;
  return (p->rank == 1 || rows) && index->dtype == STREW_INT64 && index->strides[0] == 1 && self->strides[0] == 0;
}

static bool ascends_throughout(strew_context *context, const struct scatter_plan *plan, int64_t parts) {
  struct ascent ascent = {.context = context, .count = plan->plan.sizes[0], .parts = parts};
  ascent.values = (const int64_t *)(const void *)operand_address(&plan->plan.operands[INDEX]);
  atomic_init(&ascent.broken, false);
  if (ascent.values[ascent.count - 1] >= plan->size) return false;
  pool_run(context, parts, check_ascent, &ascent);
  return !atomic_load(&ascent.broken);
}

void scatter_sample(strew_context *context, const struct scatter_plan *plan, int64_t parts, struct sample *sample) {
  take_sample(plan, LEAST_SAMPLE, sample);
  const bool one_value = sample->values[0] == sample->values[sample->count - 1]; /* one part would have all of it */
  sample->all_ascend =
      parts > 1 && sample->ascends && !one_value && is_line(plan) && ascends_throughout(context, plan, parts);
}

/* --------------------------------------------------------------------------------------------------------- cuts */

/* Positions are cut where a new value begins. */
void scatter_cut_positions(const struct scatter_plan *plan, struct scatter_way *way) {
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

/* A larger sample balances the owners: owner_sample values for each, but few beside the contributions (with the usual
   L2 one of 8 Ki). */
static void enlarge_sample(const struct scatter_plan *plan, int64_t owners, struct sample *sample) {
  const struct tuning *tuning = tuning_in_use();
  const int64_t one_of = tuning->l2_bytes / SAMPLE_L2S + 1;
  const int64_t most = least(owners * OWNER_SAMPLE, MOST_SAMPLE);
  const int64_t count = least(plan_numel(&plan->plan) / one_of, most);
  if (count <= sample->count) return;
  take_sample(plan, count, sample);
  scatter_sort_sample(sample);
}

void scatter_cut_owners(const struct scatter_plan *plan, struct sample *sample, struct scatter_way *way) {
  enlarge_sample(plan, way->parts, sample);
  way->cuts[0] = 0;
  for (int64_t i = 1; i < way->parts; i++) {
    int64_t cut = sample->values[part_begin(sample->count, way->parts, i)];
    way->cuts[i] = cut < way->cuts[i - 1] ? way->cuts[i - 1] : cut < plan->size ? cut : plan->size;
  }
  way->cuts[way->parts] = plan->size;
}
