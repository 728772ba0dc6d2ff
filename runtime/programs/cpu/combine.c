/* combine.c: reductions of one's own on the CPU. Up to COMBINED_LANES sequences, or columns of a few, advance together:
   at step k their k-th elements are gathered into blocks, on which the programs run. The sequences of a tile are in
   order of length, longest first, so that those that go on are a prefix. */
#include "runtime/core/cpu/program.h"
#include "runtime/programs/combine_ops.h"

#include <stdlib.h>
#include <string.h>

COMBINE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
ELEMENTWISE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(combine_ops, COMBINE_ENTRIES)

enum { LANES = COMBINED_LANES, MOST_MEMBERS = 4096 };

struct work {
  const struct combine_plan *plan;
  strew_context *context;
  struct program *programs;
  int64_t members, width; /* sequences of a part; columns of a tile */
  _Atomic int64_t bad[COMBINED_PROGRAMS];
};

/* A sequence: its number, the place of its next element, and how many it has. */
struct member {
  int64_t number, next, length;
};

/* Sequences that advance together, from `first` column on; `block` holds each slot's elements, `changed` what
   accumulators become. */
struct tile {
  const struct work *work;
  struct member *members;
  int64_t active, first, width;
  int64_t places[LANES], numbers[LANES]; /* elements by member and by lane */
  char *block[COMBINED_SLOTS], *changed[COMBINED_SLOTS];
};

/* ----------------------------------------------------------------------------------------------------------- blocks */

static int64_t size_of(const strew_tensor *tensor) { return (int64_t)dtype_bytes(tensor->dtype); }

/* Copies member m's columns between its lanes and row `row` of a dense tensor. */
static void move_row(const struct tile *tile, const strew_tensor *tensor, char *block, int64_t m, int64_t row,
                     bool reads) {
  const int64_t size = size_of(tensor);
  char *at = dense_at(tensor, row * tile->work->plan->columns + tile->first);
  char *lanes = block + m * tile->width * size;
  memcpy(reads ? lanes : at, reads ? at : lanes, (size_t)(tile->width * size));
}

#define GATHER(type)                                                                                                   \
  for (int64_t m = 0; m < tile->active; m++) ((type *)(void *)to)[m] = *(const type *)(from + tile->places[m] * step)

/* Gathers the elements of a source. */
static void gather(struct tile *tile, const strew_tensor *source, char *to) {
  const int64_t size = size_of(source), step = source->strides[0] * size, column_step = source->strides[1] * size;
  const char *from = (const char *)dense_at(source, 0) + tile->first * column_step;
  if (tile->width > 1) {
    convert_row *copy = converter(source->dtype, source->dtype);
    for (int64_t m = 0; m < tile->active; m++)
      copy(tile->width, to + m * tile->width * size, size, from + tile->places[m] * step, column_step);
    return;
  }
  switch (size) {
  case 1: GATHER(uint8_t); return;
  case 2: GATHER(uint16_t); return;
  case 4: GATHER(uint32_t); return;
  default: GATHER(uint64_t); return;
  }
}

static void gather_slots(struct tile *tile) {
  const struct combine_plan *plan = tile->work->plan;
  const int64_t *order = plan->order ? dense_at(plan->order, 0) : NULL;
  for (int64_t m = 0; m < tile->active; m++) {
    const int64_t place = tile->members[m].next++;
    tile->places[m] = order ? order[place] : place;
  }
  for (int s = plan->accumulator_count; s < plan->slot_count; s++)
    if (plan->slots[s]) gather(tile, plan->slots[s], tile->block[s]);
}

/* The numbers of elements, for each lane. */
static void number_lanes(struct tile *tile) {
  int64_t *to = tile->numbers;
  for (int64_t m = 0; m < tile->active; m++)
    for (int64_t c = 0; c < tile->width; c++) *to++ = tile->places[m];
}

/* ------------------------------------------------------------------------------------------------------------ steps */

/* Runs a program on all lanes, whose results go to `to`. */
static void run_lanes(const struct tile *tile, int p, char *to) {
  const struct program *program = &tile->work->programs[p];
  const struct combine_program *source = &tile->work->plan->programs[p];
  const int64_t lanes = tile->active * tile->width;
  struct row row;
  for (int64_t at = 0; at < lanes; at += row.count) {
    row.count = least(lanes - at, program->block);
    for (int i = 0; i < source->plan.plan.count; i++) {
      row.step_bytes[i] = (int64_t)dtype_bytes(source->plan.plan.operands[i].dtype);
      row.address[i] = (i ? tile->block[source->slots[i]] : to) + at * row.step_bytes[i];
    }
    program_run(program, &row);
  }
}

/* Notes the first element whose test is false; later ones of its sequence come after it. */
static void test_lanes(const struct tile *tile, int p) {
  char holds[LANES];
  run_lanes(tile, p, holds);
  const int64_t lanes = tile->active * tile->width;
  _Atomic int64_t *bad = (_Atomic int64_t *)&tile->work->bad[p];
  for (int64_t i = 0; i < lanes; i++) {
    int64_t first = atomic_load(bad);
    const int64_t at = tile->places[i / tile->width];
    while (!holds[i] && at < first && !atomic_compare_exchange_weak(bad, &first, at)) continue;
  }
}

static void step(struct tile *tile) {
  const struct combine_plan *plan = tile->work->plan;
  for (int p = 0; p < plan->program_count; p++) {
    const int a = plan->programs[p].accumulator;
    if (a < 0)
      test_lanes(tile, p);
    else
      run_lanes(tile, p, tile->changed[a]);
  }
  for (int a = 0; a < plan->accumulator_count; a++) {
    char *changed = tile->changed[a];
    tile->changed[a] = tile->block[a];
    tile->block[a] = changed;
    for (int64_t m = 0; plan->partial[a] && m < tile->active; m++)
      move_row(tile, plan->partial[a], changed, m, tile->places[m], false);
  }
}

static void move_accumulators(const struct tile *tile, int64_t m, bool reads) {
  const struct combine_plan *plan = tile->work->plan;
  for (int a = 0; a < plan->accumulator_count; a++)
    move_row(tile, plan->slots[a], tile->block[a], m, tile->members[m].number, reads);
}

/* Combines all elements of the tile's sequences. */
static void run_tile(struct tile *tile) {
  const struct combine_plan *plan = tile->work->plan;
  char blocks[2 * COMBINED_SLOTS][LANES * sizeof(double)] __attribute__((aligned(64)));
  bool is_numbered = false;
  for (int s = 0; s < plan->slot_count; s++) {
    const bool is_number = s >= plan->accumulator_count && !plan->slots[s];
    tile->block[s] = is_number ? (char *)tile->numbers : blocks[s];
    tile->changed[s] = blocks[COMBINED_SLOTS + s];
    is_numbered |= is_number;
  }
  for (int64_t m = 0; m < tile->active; m++) move_accumulators(tile, m, true);
  for (int64_t k = 0; tile->active; k++) {
    while (tile->active && tile->members[tile->active - 1].length == k) move_accumulators(tile, --tile->active, false);
    if (!tile->active || (k % 1024 == 0 && context_stops(tile->work->context))) return;
    gather_slots(tile);
    if (is_numbered) number_lanes(tile);
    step(tile);
  }
}

/* ------------------------------------------------------------------------------------------------------------ parts */

static int compare_lengths(const void *a_, const void *b_) {
  const struct member *a = a_, *b = b_;
  if (a->length != b->length) return a->length < b->length ? 1 : -1;
  return a->number < b->number ? -1 : 1;
}

/* Combines some sequences, in columns of one tile. */
static void run_part(void *work_, int64_t part) {
  const struct work *work = work_;
  const struct combine_plan *plan = work->plan;
  const int64_t chunks = (plan->columns - 1) / work->width + 1, *starts = dense_at(plan->starts, 0);
  const int64_t begin = part / chunks * work->members, count = least(plan->count - begin, work->members);
  struct member members[MOST_MEMBERS];
  for (int64_t m = 0; m < count; m++)
    members[m] = (struct member){begin + m, starts[begin + m], starts[begin + m + 1] - starts[begin + m]};
  qsort(members, (size_t)count, sizeof *members, compare_lengths);
  struct tile tile = {.work = work, .first = part % chunks * work->width};
  tile.width = least(plan->columns - tile.first, work->width);
  for (int64_t m = 0; m < count; m += LANES / work->width) {
    tile.members = members + m;
    tile.active = least(count - m, LANES / work->width);
    run_tile(&tile);
  }
}

static strew_status run(const struct call *call, struct work *work) {
  const struct combine_plan *plan = work->plan;
  const int64_t *starts = dense_at(plan->starts, 0), parts_wanted = 8 * work->context->threads;
  work->width = least(plan->columns, LANES);
  work->members = least((plan->count - 1) / parts_wanted + 1, MOST_MEMBERS);
  if (work->members < LANES / work->width) work->members = LANES / work->width;
  for (int p = 0; p < plan->program_count; p++) {
    atomic_init(&work->bad[p], INT64_MAX);
    RETURN_IF_FAILED(cpu_program_start(call, &work->programs[p], &plan->programs[p].plan));
  }
  const int64_t chunks = (plan->columns - 1) / work->width + 1;
  const int64_t elements = count_of_sizes(2, (int64_t[]){starts[plan->count] - starts[0], plan->columns});
  pool_run_sized(work->context, work_bytes(elements, sizeof(double) * (size_t)plan->program_count),
                 ((plan->count - 1) / work->members + 1) * chunks, run_part, work);
  return context_end(call, work->context, NULL);
}

strew_status cpu_combine(const struct call *call, strew_device *device, const struct combine_plan *plan, int64_t *bad,
                         int *program) {
  struct work work = {.plan = plan, .context = device->context};
  const size_t bytes = (size_t)plan->program_count * sizeof *work.programs;
  work.programs = memory_allocate(device->context, bytes);
  if (!work.programs) return fail_memory(call, device->context, bytes);
  const strew_status status = run(call, &work);
  memory_free(device->context, work.programs, bytes);
  int64_t first = INT64_MAX;
  for (int p = 0; p < plan->program_count && status == STREW_OK; p++)
    if (atomic_load(&work.bad[p]) < first) first = atomic_load(&work.bad[p]), *program = p;
  *bad = first == INT64_MAX ? -1 : first;
  return status;
}
