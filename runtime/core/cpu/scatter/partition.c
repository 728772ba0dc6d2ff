/* partition.c: a scatter by ordered partition, for many threads and for destinations that no cache holds.

   Contributions are taken in blocks of row-major order. Each block is distributed, in order, to the owners of ranges of
   destinations; then each owner joins its share of block after block. So each destination is joined in row-major order,
   and an owner's range stays in its core's cache. Scratch is bounded: number and value of a turn's contributions, and
   for each worker the numbers of a block; longer calls take several turns. In one turn a wrong index value is found
   before the first destination is written. */
#include "scattering.h"

#include <string.h>

struct partition {
  const struct scatter_plan *plan;
  const struct scatter_loops *loops;
  atomic_bool *bad;
  int64_t begin, end; /* contributions of this turn, in the plan's row-major order */
  int64_t blocks, owners;
  int shift;   /* number >> shift is the owner; contributions to nothing (dropped, wrong) go to one more */
  bool is_fed; /* a program computes src */
  size_t size_bytes, self_size_bytes; /* of src's elements, 0 if src is a number; of self's */
  atomic_llong next_block;
  uint32_t *found;   /* per worker: the numbers of its block's destinations, elements from self's first on */
  uint32_t *starts;  /* per block: where each owner's share begins in it, and where the last ends */
  uint32_t *numbers; /* per contribution, distributed: number of its destination ... */
  char *values;      /* ... and its value */
};

/* Walks each block twice: pass 1 finds destinations and a histogram of owners, pass 2 distributes. */
struct worker {
  struct partition *partition;
  int64_t begin; /* of the block */
  bool counts, bad;
  struct window window; /* of src */
  uint32_t *found, *numbers;
  char *values;
  uint32_t next[PARTITION_COUNTERS][PARTITION_OWNERS + 1];
};

static uint32_t *starts_of(const struct partition *partition, int64_t block) {
  return partition->starts + block * (partition->owners + 2);
}

/* ------------------------------------------------------------------------------------------------- distribution */

/* Numbers of the destinations of a row. Index values out of range go past the last owner's range. */
static bool find_numbers(const struct partition *partition, const struct row *row, uint32_t *numbers) {
  const struct scatter_plan *plan = partition->plan;
  const struct operand *operands = plan->plan.operands;
  int64_t block[PARTITION_ROW], size_bytes = (int64_t)partition->self_size_bytes;
  const int64_t *values = index_values(row, INDEX, operands[INDEX].dtype, plan->mode, plan->size, block);
  struct placing placing = {
      .size = (uint64_t)plan->size,
      .first = (uint32_t)((row->address[SELF] - operand_address(&operands[SELF])) / size_bytes),
      .row_step = (uint32_t)(row->step_bytes[SELF] / size_bytes),
      .step = (uint32_t)plan->step,
      .none = (uint32_t)partition->owners << partition->shift,
  };
  return index_loops()->find_destinations(values, row->count, &placing, numbers);
}

static void count_row(struct worker *worker, const uint32_t *numbers, int64_t count) {
  const int shift = worker->partition->shift;
  int64_t i = 0;
  for (; i + PARTITION_COUNTERS <= count; i += PARTITION_COUNTERS)
    for (int c = 0; c < PARTITION_COUNTERS; c++) worker->next[c][numbers[i + c] >> shift]++;
  for (; i < count; i++) worker->next[0][numbers[i] >> shift]++;
}

#define DISTRIBUTE_ROW(T)                                                                                              \
  static void distribute_row_##T(struct worker *worker, const uint32_t *found, const struct row *row) {                \
    const int shift = worker->partition->shift;                                                                        \
    const int64_t count = row->count, step = row->step_bytes[SRC];                                                     \
    const char *src = row->address[SRC];                                                                               \
    uint32_t *restrict next = worker->next[0], *restrict numbers = worker->numbers;                                    \
    T *restrict values = (T *)(void *)worker->values;                                                                  \
    for (int64_t i = 0; i < count; i++, src += step) {                                                                 \
      const uint32_t at = next[found[i] >> shift]++;                                                                   \
      numbers[at] = found[i];                                                                                          \
      values[at] = *(const T *)(const void *)src;                                                                      \
    }                                                                                                                  \
  }
EACH_WIDTH(DISTRIBUTE_ROW)

static void distribute_numbers(struct worker *worker, const uint32_t *found, const struct row *row) {
  const int shift = worker->partition->shift;
  for (int64_t i = 0; i < row->count; i++) worker->numbers[worker->next[0][found[i] >> shift]++] = found[i];
}

/* The distributed contributions begin .. begin + count - 1 of this turn, written already or soon. */
static void prefetch_distributed(const struct partition *partition, int64_t begin, int64_t count) {
  const uintptr_t first = (uintptr_t)begin, many = (uintptr_t)count;
  const uintptr_t size = (uintptr_t)partition->size_bytes, number = sizeof *partition->numbers;
  prefetch_l2((uintptr_t)partition->numbers + first * number, many * number);
  prefetch_l2((uintptr_t)partition->values + first * size, many * size);
}

/* Pass 2 writes at random in the block: prefetch it, or every write misses (10 M float32 into 10 M: 104 ms -> 66). The
   index continues past the row, as a rule. */
static void prefetch_for_row(const struct partition *partition, const struct row *row) {
  const int64_t step = row->step_bytes[INDEX];
  const uintptr_t bytes = (uintptr_t)(row->count * step);
  prefetch_distributed(partition, row->place - partition->begin, row->count);
  if (step <= (int64_t)sizeof(int64_t)) prefetch_l2((uintptr_t)row->address[INDEX] + bytes, bytes);
}

static void partition_visit(void *worker_, const struct row *row) {
  static void (*const distribute[])(struct worker * worker, const uint32_t *found,
                                    const struct row *row) = {distribute_numbers, BY_WIDTH(distribute_row)};
  struct worker *worker = worker_;
  uint32_t *found = worker->found + (row->place - worker->begin);
  if (worker->counts) {
    worker->bad |= find_numbers(worker->partition, row, found);
    prefetch_for_row(worker->partition, row);
    count_row(worker, found, row->count);
    return;
  }
  struct row placed = *row;
  placed.address[SRC] = (char *)(uintptr_t)window_at(&worker->window, row->address[SRC], row->count);
  distribute[worker->partition->size_bytes](worker, found, &placed);
}

static void distribute_block(struct worker *worker, int64_t block) {
  struct partition *partition = worker->partition;
  int64_t begin = partition->begin + block * PARTITION_BLOCK, end = least(begin + PARTITION_BLOCK, partition->end);
  uint32_t *starts = starts_of(partition, block);
  worker->begin = begin;
  worker->numbers = partition->numbers + block * PARTITION_BLOCK;
  worker->values = partition->values + (size_t)block * PARTITION_BLOCK * partition->size_bytes;
  memset(worker->next, 0, sizeof worker->next);
  worker->counts = true;
  walk_rows(&partition->plan->plan, begin, end, PARTITION_ROW, partition_visit, worker);
  if (worker->bad) set_bad(partition->bad);
  starts[0] = 0;
  for (int64_t o = 0; o <= partition->owners; o++) {
    starts[o + 1] = starts[o];
    for (int c = 0; c < PARTITION_COUNTERS; c++) starts[o + 1] += worker->next[c][o];
    worker->next[0][o] = starts[o];
  }
  worker->counts = false;
  walk_rows(&partition->plan->plan, begin, end, PARTITION_ROW, partition_visit, worker);
}

static void distribute_with(struct partition *partition, int64_t i, char *room) {
  struct worker worker = {.partition = partition, .found = partition->found + i * PARTITION_BLOCK};
  window_open(&worker.window, &partition->plan->plan.operands[SRC], NULL, room);
  strew_context *context = partition->plan->plan.operands[SELF].storage->device->context;
  for (int64_t block;
       (block = atomic_fetch_add(&partition->next_block, 1)) < partition->blocks && !context_stops(context);) {
    if (bad_is_set(partition->bad)) return;
    distribute_block(&worker, block);
  }
}

static void distribute_blocks(void *partition, int64_t i) { distribute_with(partition, i, NULL); }

static void distribute_fed(void *partition, int64_t i) {
  char block[PARTITION_ROW * sizeof(double)] __attribute__((aligned(64)));
  distribute_with(partition, i, block);
}

/* ------------------------------------------------------------------------------------------------------ joining */

/* An owner's share of a block: the distributed contributions begin .. end - 1. */
static void join_share(const struct partition *partition, struct tile *tile, int64_t begin, int64_t end) {
  const struct operand *operands = partition->plan->plan.operands;
  strew_dtype from = operands[SRC].dtype, to = operands[SELF].dtype;
  int64_t index[PARTITION_ROW];
  double converted[PARTITION_ROW];
  const bool by_destination = partition->shift == 0;
  for (int64_t i = begin; i < end; i += tile->rows) {
    tile->rows = end - i < PARTITION_ROW ? end - i : PARTITION_ROW;
    const int64_t different = by_destination ? 1 : tile->rows;
    for (int64_t k = 0; k < different; k++) index[k] = partition->numbers[i + k];
    tile->source.index = index;
    if (partition->size_bytes) tile->source.src = partition->values + (size_t)i * partition->size_bytes;
    if (from != to) {
      converter(to, from)(tile->rows, (char *)converted, (int64_t)partition->self_size_bytes, tile->source.src,
                          (int64_t)partition->size_bytes);
      tile->source.src = (const char *)converted;
    }
    if (by_destination) /* in a register */
      partition->loops->join_sorted(tile, NULL);
    else
      partition->loops->join(tile, tile->rows, NULL);
  }
}

/* A range in L2 of which most cache lines are hit: loaded in order, before it is hit at random (10 M float32 into 1 M:
   joined in 0.91 of the time, into 10 M 0.97). */
static void prefetch_range(const struct partition *partition, uintptr_t self, int64_t owner) {
  const size_t bytes = partition->self_size_bytes << partition->shift;
  const size_t contributions = (size_t)((partition->end - partition->begin) / partition->owners);
  if (bytes <= (size_t)tuning_in_use()->l2_bytes && contributions >= bytes / CACHE_LINE)
    prefetch_l2(self + (uintptr_t)owner * bytes, bytes);
}

static void join_owner(void *partition_, int64_t owner) {
  const struct partition *partition = partition_;
  const struct operand *operands = partition->plan->plan.operands;
  const int64_t size = (int64_t)partition->self_size_bytes;
  struct tile tile = {.columns = 1,
                      .flip = scatter_flip(operands[SELF].dtype, partition->plan->reduction),
                      .source = {.src = operand_address(&operands[SRC]), .row = partition->size_bytes ? size : 0},
                      .target = {.self = operand_address(&operands[SELF]),
                                 .step = size,
                                 .owned = {.count = INT64_MAX, .size = INT64_MAX}}};
  strew_context *context = operands[SELF].storage->device->context;
  prefetch_range(partition, (uintptr_t)tile.target.self, owner);
  for (int64_t block = 0; block < partition->blocks && !context_stops(context); block++) {
    const uint32_t *starts = starts_of(partition, block), *next = starts_of(partition, block + 1);
    if (block + 1 < partition->blocks)
      prefetch_distributed(partition, (block + 1) * PARTITION_BLOCK + next[owner], next[owner + 1] - next[owner]);
    join_share(partition, &tile, block * PARTITION_BLOCK + starts[owner], block * PARTITION_BLOCK + starts[owner + 1]);
  }
}

/* --------------------------------------------------------------------------------------------------- the whole */

bool scatter_parts_by_destination(const struct scatter_plan *plan) {
  return scatter_target_elements(plan) <= PARTITION_OWNERS;
}

/* Few destinations have an owner each. Else ranges grow to l2_bytes, as long as each thread has enough owners. */
static void choose_owners(struct partition *partition, const strew_context *context) {
  const struct tuning *tuning = tuning_in_use();
  int64_t destinations = scatter_target_elements(partition->plan);
  int64_t fewest = least(context->threads * OWNERS_PER_THREAD, PARTITION_OWNERS);
  partition->shift = 0;
  while (((destinations - 1) >> partition->shift) + 1 > PARTITION_OWNERS) partition->shift++;
  if (partition->shift > 0)
    while ((int64_t)(partition->self_size_bytes << partition->shift) < tuning->l2_bytes &&
           ((destinations - 1) >> (partition->shift + 1)) + 1 >= fewest)
      partition->shift++;
  partition->owners = ((destinations - 1) >> partition->shift) + 1;
}

/* Numbers have 32 bits, and so has the one of wrong index values: at most PARTITION_OWNERS + 1 ranges of the widest
   kind. */
bool scatter_can_part(const struct scatter_plan *plan) {
  return plan->plan.count <= ARG && plan->size > 0 && scatter_target_elements(plan) <= (int64_t)UINT32_MAX / 2;
}

/* Returns the contributions of one turn: few enough that they stay in the last-level cache, but as many as there are
   destinations, which each turn loads again. With the usual L2 1 M to 16 M, or 8 to 128 MiB for float32, and 128 KiB
   for each thread. */
static int64_t most_of_a_turn(const struct scatter_plan *plan) {
  const struct tuning *tuning = tuning_in_use();
  int64_t most = scatter_target_elements(plan);
  if (most > tuning->l2_bytes * TURN_MAX_L2S) most = tuning->l2_bytes * TURN_MAX_L2S;
  if (most < tuning->l2_bytes * TURN_MIN_L2S) most = tuning->l2_bytes * TURN_MIN_L2S;
  return most < PARTITION_BLOCK ? PARTITION_BLOCK : most;
}

bool scatter_finds_first(const struct scatter_plan *plan) { return plan_numel(&plan->plan) <= most_of_a_turn(plan); }

static void run_turns(strew_context *context, struct partition *partition, int64_t count, int64_t most,
                      int64_t workers) {
  for (; partition->begin < count && !context_stops(context); partition->begin = partition->end) {
    partition->end = count - partition->begin < most ? count : partition->begin + most;
    partition->blocks = (partition->end - partition->begin - 1) / PARTITION_BLOCK + 1;
    atomic_init(&partition->next_block, 0);
    pool_run(context, workers, partition->is_fed ? distribute_fed : distribute_blocks, partition);
    if (bad_is_set(partition->bad)) break;
    pool_run(context, partition->owners, join_owner, partition);
  }
}

bool cpu_scatter_partition(strew_context *context, const struct scatter_plan *plan, atomic_bool *bad) {
  const struct operand *operands = plan->plan.operands;
  struct partition partition = {.plan = plan, .bad = bad, .self_size_bytes = dtype_bytes(operands[SELF].dtype)};
  int64_t count = plan_numel(&plan->plan), most = most_of_a_turn(plan), turn = least(count, most);
  partition.loops = scatter_loops(operands[SELF].dtype, plan->reduction, false);
  partition.size_bytes = operands[SRC].storage ? dtype_bytes(operands[SRC].dtype) : 0;
  partition.is_fed = operands[SRC].storage && operands[SRC].storage->started;
  choose_owners(&partition, context);
  partition.blocks = (turn - 1) / PARTITION_BLOCK + 1;
  int64_t workers = least(context->threads, partition.blocks), numbers = partition.blocks + workers;
  const uint64_t values_bytes = (uint64_t)partition.blocks * PARTITION_BLOCK * partition.size_bytes + PARTITION_OFFSET;
  const uint64_t numbers_bytes = (uint64_t)(numbers * PARTITION_BLOCK) * sizeof *partition.numbers + PARTITION_OFFSET;
  const uint64_t starts_bytes = (uint64_t)(partition.blocks * (partition.owners + 2)) * sizeof *partition.starts;
  char *scratch = memory_allocate(context, values_bytes + numbers_bytes + starts_bytes);
  if (!scratch) return false;
  partition.values = scratch; /* first: they may be as wide as words get */
  partition.numbers = (uint32_t *)(void *)(scratch + values_bytes);
  partition.found =
      partition.numbers + partition.blocks * PARTITION_BLOCK + PARTITION_OFFSET / sizeof *partition.numbers;
  partition.starts = partition.found + workers * PARTITION_BLOCK;
  run_turns(context, &partition, count, most, workers);
  memory_free(context, scratch, values_bytes + numbers_bytes + starts_bytes);
  return true;
}
