/* partition.c: a scatter by ordered partition, for many threads and for places that no cache holds.

   Contributions are taken in blocks of row-major order. In each block they are dealt out, in order, to the owners of
   ranges of places; then each owner joins its share of block after block. So every place is joined in row-major order,
   and an owner's range stays in its core's cache. Memory for it is bounded: place and value of a turn's
   contributions, and for each thread the places of a block; longer calls take several turns. An index that is wrong is
   found before the first place is written, in one turn. */
#include "runtime/cpu/loops/index_loops.h"
#include "scattering.h"

#include <string.h>

CHOOSE_LOOPS(index)

/* Values, places and what was found lie a third of a page APART: whole pages apart they took each other's room in the
   nearest cache, in some processes (10 M by mean into 1 M places on one thread: dealt out in 66 ms instead of 27). */
enum { BLOCK = 1 << 15, ROW = 1024, MOST_OWNERS = 256, COUNTERS = 4, APART = 21 * CACHE_LINE };

struct deal {
  const struct scatter_plan *plan;
  const struct scatter_loops *loops;
  atomic_bool *bad;
  int64_t begin, end; /* places of the plan's row-major order that this turn takes */
  int64_t blocks, owners;
  int shift; /* place >> shift is the owner's number; wrong and dropped values go to one more */
  size_t size_bytes, self_size_bytes; /* of src's elements, 0 where it is a number; of self's */
  atomic_llong next_block;
  uint32_t *found;  /* per hand: the places of its block in row-major order, in elements after self's first */
  uint32_t *starts; /* per block: where each owner's share begins in it, and all end */
  uint32_t *places; /* per contribution, as dealt: its place ... */
  char *values;     /* ... and its value */
};

/* Takes block by block: one walk finds places and counts, one deals. */
struct hand {
  struct deal *deal;
  int64_t begin; /* of the block */
  bool counts, bad;
  uint32_t *found, *places;
  char *values;
  uint32_t next[COUNTERS][MOST_OWNERS + 1];
};

static uint32_t *starts_of(const struct deal *deal, int64_t block) { return deal->starts + block * (deal->owners + 2); }

/* ---------------------------------------------------------------------------------------------------------- dealing */

/* The places that a row of the plan meets. A value that is nobody's goes behind the last owner's range. */
static bool find_places(const struct deal *deal, const struct row *row, uint32_t *places) {
  const struct scatter_plan *plan = deal->plan;
  const struct operand *operands = plan->plan.operands;
  int64_t block[ROW], size_bytes = (int64_t)deal->self_size_bytes;
  const int64_t *values = index_values(row, INDEX, operands[INDEX].dtype, plan->mode, plan->size, block);
  struct placing placing = {
      .size = (uint64_t)plan->size,
      .first = (uint32_t)((row->address[SELF] - operand_address(&operands[SELF])) / size_bytes),
      .row_step = (uint32_t)(row->step_bytes[SELF] / size_bytes),
      .step = (uint32_t)plan->step,
      .nobodys = (uint32_t)deal->owners << deal->shift,
  };
  return index_loops()->find_places(values, row->count, &placing, places);
}

/* Several counters, for neighbours often have the same owner. */
static void count_row(struct hand *hand, const uint32_t *places, int64_t count) {
  const int shift = hand->deal->shift;
  int64_t i = 0;
  for (; i + COUNTERS <= count; i += COUNTERS)
    for (int c = 0; c < COUNTERS; c++) hand->next[c][places[i + c] >> shift]++;
  for (; i < count; i++) hand->next[0][places[i] >> shift]++;
}

#define DEAL_ROW(T)                                                                                                    \
  static void deal_row_##T(struct hand *hand, const uint32_t *places, const struct row *row) {                         \
    const int shift = hand->deal->shift;                                                                               \
    const int64_t count = row->count, step = row->step_bytes[SRC];                                                     \
    const char *src = row->address[SRC];                                                                               \
    uint32_t *restrict next = hand->next[0], *restrict dealt = hand->places;                                           \
    T *restrict values = (T *)(void *)hand->values;                                                                    \
    for (int64_t i = 0; i < count; i++, src += step) {                                                                 \
      const uint32_t at = next[places[i] >> shift]++;                                                                  \
      dealt[at] = places[i];                                                                                           \
      values[at] = *(const T *)(const void *)src;                                                                      \
    }                                                                                                                  \
  }
DEAL_ROW(uint8_t)
DEAL_ROW(uint16_t)
DEAL_ROW(uint32_t)
DEAL_ROW(uint64_t)

static void deal_places(struct hand *hand, const uint32_t *places, int64_t count) {
  const int shift = hand->deal->shift;
  for (int64_t i = 0; i < count; i++) hand->places[hand->next[0][places[i] >> shift]++] = places[i];
}

/* Numbers begin .. begin + count - 1 of what is dealt in this turn, or will be. */
static void fetch_dealt(const struct deal *deal, int64_t begin, int64_t count) {
  const uintptr_t first = (uintptr_t)begin, many = (uintptr_t)count;
  const uintptr_t size = (uintptr_t)deal->size_bytes, place = sizeof *deal->places;
  prefetch_l2((uintptr_t)deal->places + first * place, many * place);
  prefetch_l2((uintptr_t)deal->values + first * size, many * size);
}

/* Dealing writes here and there in a block: one that is not near by then would keep each write waiting for the one
   before (10 M float32 into 10 M: 104 ms, 66 so). The index goes on behind the row, as a rule. */
static void fetch_for_row(const struct deal *deal, const struct row *row) {
  const int64_t step = row->step_bytes[INDEX];
  const uintptr_t bytes = (uintptr_t)(row->count * step);
  fetch_dealt(deal, row->place - deal->begin, row->count);
  if (step <= (int64_t)sizeof(int64_t)) prefetch_l2((uintptr_t)row->address[INDEX] + bytes, bytes);
}

static void hand_visit(void *hand_, const struct row *row) {
  struct hand *hand = hand_;
  uint32_t *places = hand->found + (row->place - hand->begin);
  if (hand->counts) {
    hand->bad |= find_places(hand->deal, row, places);
    fetch_for_row(hand->deal, row);
    count_row(hand, places, row->count);
    return;
  }
  switch (hand->deal->size_bytes) {
  case 0: deal_places(hand, places, row->count); break;
  case 1: deal_row_uint8_t(hand, places, row); break;
  case 2: deal_row_uint16_t(hand, places, row); break;
  case 4: deal_row_uint32_t(hand, places, row); break;
  default: deal_row_uint64_t(hand, places, row); break;
  }
}

static void deal_block(struct hand *hand, int64_t block) {
  struct deal *deal = hand->deal;
  int64_t begin = deal->begin + block * BLOCK, end = begin + BLOCK < deal->end ? begin + BLOCK : deal->end;
  uint32_t *starts = starts_of(deal, block);
  hand->begin = begin;
  hand->places = deal->places + block * BLOCK;
  hand->values = deal->values + (size_t)block * BLOCK * deal->size_bytes;
  memset(hand->next, 0, sizeof hand->next);
  hand->counts = true;
  walk_rows(&deal->plan->plan, begin, end, ROW, hand_visit, hand);
  if (hand->bad) set_bad(deal->bad);
  starts[0] = 0;
  for (int64_t o = 0; o <= deal->owners; o++) {
    starts[o + 1] = starts[o];
    for (int c = 0; c < COUNTERS; c++) starts[o + 1] += hand->next[c][o];
    hand->next[0][o] = starts[o];
  }
  hand->counts = false;
  walk_rows(&deal->plan->plan, begin, end, ROW, hand_visit, hand);
}

static void deal_blocks(void *deal_, int64_t i) {
  struct deal *deal = deal_;
  struct hand hand = {.deal = deal, .found = deal->found + i * BLOCK};
  strew_context *context = deal->plan->plan.operands[SELF].storage->device->context;
  for (int64_t block; (block = atomic_fetch_add(&deal->next_block, 1)) < deal->blocks && !context_stops(context);) {
    if (bad_is_set(deal->bad)) return;
    deal_block(&hand, block);
  }
}

/* ---------------------------------------------------------------------------------------------------------- joining */

/* An owner's share of a block, contributions begin .. end - 1 of those dealt out. */
static void join_share(const struct deal *deal, struct tile *tile, int64_t begin, int64_t end) {
  const struct operand *operands = deal->plan->plan.operands;
  strew_dtype from = operands[SRC].dtype, to = operands[SELF].dtype;
  int64_t index[ROW];
  double converted[ROW];
  const bool by_place = deal->shift == 0;
  for (int64_t i = begin; i < end; i += tile->rows) {
    tile->rows = end - i < ROW ? end - i : ROW;
    const int64_t numbers = by_place ? 1 : tile->rows;
    for (int64_t k = 0; k < numbers; k++) index[k] = deal->places[i + k];
    tile->index = index;
    if (deal->size_bytes) tile->src = deal->values + (size_t)i * deal->size_bytes;
    if (from != to) {
      converter(to, from)(tile->rows, (char *)converted, (int64_t)deal->self_size_bytes, tile->src,
                          (int64_t)deal->size_bytes);
      tile->src = (const char *)converted;
    }
    if (by_place) /* in a register (10 M into 100 places: all owners together 12 ms instead of 36) */
      deal->loops->join_sorted(tile, NULL);
    else
      deal->loops->join(tile, tile->rows, NULL);
  }
}

/* A range whose lines most are met, and that a core's cache holds, comes in order before it is met here and there (10 M
   float32 into 1 M places are joined in 0.91 of the time, into 10 M in 0.97). */
static void fetch_range(const strew_context *context, const struct deal *deal, uintptr_t self, int64_t owner) {
  const size_t bytes = deal->self_size_bytes << deal->shift;
  const size_t contributions = (size_t)((deal->end - deal->begin) / deal->owners);
  if (bytes <= context->grain_bytes && contributions >= bytes / CACHE_LINE)
    prefetch_l2(self + (uintptr_t)owner * bytes, bytes);
}

static void join_owner(void *deal_, int64_t owner) {
  const struct deal *deal = deal_;
  const struct operand *operands = deal->plan->plan.operands;
  struct tile tile = {.columns = 1, .count = INT64_MAX, .size = INT64_MAX, .step = (int64_t)deal->self_size_bytes};
  tile.self = operand_address(&operands[SELF]);
  tile.src = operand_address(&operands[SRC]);
  tile.src_row = deal->size_bytes ? (int64_t)deal->self_size_bytes : 0;
  strew_context *context = operands[SELF].storage->device->context;
  fetch_range(context, deal, (uintptr_t)tile.self, owner);
  for (int64_t block = 0; block < deal->blocks && !context_stops(context); block++) {
    const uint32_t *starts = starts_of(deal, block), *next = starts_of(deal, block + 1);
    if (block + 1 < deal->blocks) fetch_dealt(deal, (block + 1) * BLOCK + next[owner], next[owner + 1] - next[owner]);
    join_share(deal, &tile, block * BLOCK + starts[owner], block * BLOCK + starts[owner + 1]);
  }
}

/* -------------------------------------------------------------------------------------------------------- the whole */

bool scatter_parts_by_place(const struct scatter_plan *plan) { return scatter_places(plan) <= MOST_OWNERS; }

/* As many owners as threads like to have, and ranges that half of a core's cache holds, where that is not too many; one
   for each of few places. */
static void choose_owners(struct deal *deal, const strew_context *context) {
  enum { OWNERS_PER_THREAD = 4 };
  int64_t threads = context->threads, range = (int64_t)context->grain_bytes, places = scatter_places(deal->plan);
  int64_t fewest = least(threads * OWNERS_PER_THREAD, MOST_OWNERS);
  deal->shift = 0;
  while (((places - 1) >> deal->shift) + 1 > MOST_OWNERS) deal->shift++;
  if (deal->shift > 0)
    while ((int64_t)(deal->self_size_bytes << deal->shift) < range && ((places - 1) >> (deal->shift + 1)) + 1 >= fewest)
      deal->shift++;
  deal->owners = ((places - 1) >> deal->shift) + 1;
}

/* Wrong values have a number, too, at most MOST_OWNERS + 1 ranges of the widest kind. */
bool scatter_can_part(const struct scatter_plan *plan) {
  return plan->plan.count <= ARG && plan->size > 0 && scatter_places(plan) <= (int64_t)UINT32_MAX / 2;
}

/* Contributions of one turn: so few that what is dealt stays in the shared cache, but as many as there are places, or
   each turn would fetch them all again; with the usual grain 1 M to 16 M, which take 8 to 128 MiB for float32, and 128
   KiB for each thread. */
static int64_t most_of_a_turn(const strew_context *context, const struct scatter_plan *plan) {
  enum { LEAST_GRAINS = 4, MOST_GRAINS = 64 };
  int64_t grain = (int64_t)context->grain_bytes, most = scatter_places(plan);
  if (most > grain * MOST_GRAINS) most = grain * MOST_GRAINS;
  if (most < grain * LEAST_GRAINS) most = grain * LEAST_GRAINS;
  return most < BLOCK ? BLOCK : most;
}

bool scatter_finds_first(const strew_context *context, const struct scatter_plan *plan) {
  return plan_numel(&plan->plan) <= most_of_a_turn(context, plan);
}

bool cpu_scatter_partition(strew_context *context, const struct scatter_plan *plan, atomic_bool *bad) {
  const struct operand *operands = plan->plan.operands;
  struct deal deal = {.plan = plan, .bad = bad, .self_size_bytes = dtype_bytes(operands[SELF].dtype)};
  int64_t count = plan_numel(&plan->plan), most = most_of_a_turn(context, plan);
  int64_t turn = count < most ? count : most;
  deal.loops = scatter_loops(operands[SELF].dtype, plan->reduction, false);
  deal.size_bytes = operands[SRC].storage ? dtype_bytes(operands[SRC].dtype) : 0;
  choose_owners(&deal, context);
  deal.blocks = (turn - 1) / BLOCK + 1;
  int64_t hands = context->threads < deal.blocks ? context->threads : deal.blocks;
  size_t values_bytes = (size_t)deal.blocks * BLOCK * deal.size_bytes + APART;
  size_t places_bytes = (size_t)((deal.blocks + hands) * BLOCK) * sizeof *deal.places + APART;
  size_t starts_bytes = (size_t)(deal.blocks * (deal.owners + 2)) * sizeof *deal.starts;
  char *scratch = memory_allocate(context, values_bytes + places_bytes + starts_bytes);
  if (!scratch) return false;
  deal.values = scratch; /* first, for they may be as wide as words get */
  deal.places = (uint32_t *)(void *)(scratch + values_bytes);
  deal.found = deal.places + deal.blocks * BLOCK + APART / sizeof *deal.places;
  deal.starts = deal.found + hands * BLOCK;
  for (; deal.begin < count && !context_stops(context); deal.begin = deal.end) {
    deal.end = count - deal.begin < most ? count : deal.begin + most;
    deal.blocks = (deal.end - deal.begin - 1) / BLOCK + 1;
    atomic_init(&deal.next_block, 0);
    pool_run(context, hands, deal_blocks, &deal);
    if (bad_is_set(bad)) break;
    pool_run(context, deal.owners, join_owner, &deal);
  }
  memory_free(context, scratch, values_bytes + places_bytes + starts_bytes);
  return true;
}
