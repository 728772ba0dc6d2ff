/* walk.c: walks over plans, row by row, on one thread or on all. */
#include "cpu.h"

char *operand_address(const struct operand *operand) {
  if (!operand->storage) return (char *)(uintptr_t)operand->number.bytes;
  return (char *)operand->storage->data + (size_t)operand->offset * dtype_bytes(operand->dtype);
}

char *operand_at(const struct plan *plan, int i, int64_t number) {
  const struct operand *operand = &plan->operands[i];
  int64_t offset = 0;
  for (int d = plan->rank - 1; d > 0; d--) {
    offset += number % plan->sizes[d] * operand->strides[d];
    number /= plan->sizes[d];
  }
  if (plan->rank) offset += number * operand->strides[0];
  return operand_address(operand) + offset * (int64_t)dtype_bytes(operand->dtype);
}

/* The position of a walk: coordinates, and for each operand the address there and the steps in bytes. */
struct walker {
  const struct plan *plan;
  int64_t at[MAX_RANK];
  struct row row;
};

static void walker_seek(struct walker *walker, int64_t number) {
  const struct plan *plan = walker->plan;
  for (int i = 0; i < plan->count; i++) walker->row.address[i] = operand_at(plan, i, number);
  for (int d = plan->rank - 1; d >= 0; d--) {
    walker->at[d] = number % plan->sizes[d];
    number /= plan->sizes[d];
  }
}

/* Most walks start at 0, which needs no division. */
static void walker_start(struct walker *walker, const struct plan *plan, int64_t number) {
  walker->plan = plan;
  int last = plan->rank - 1;
  for (int i = 0; i < plan->count; i++) {
    const struct operand *operand = &plan->operands[i];
    walker->row.address[i] = operand_address(operand);
    walker->row.step_bytes[i] = last < 0 ? 0 : operand_step(operand, last);
  }
  for (int d = last; d >= 0; d--) walker->at[d] = 0;
  if (number) walker_seek(walker, number);
}

/* Advances by `count` coordinates of the last dimension, no further than the end of the row. */
static void walker_advance(struct walker *walker, int64_t count) {
  const struct plan *plan = walker->plan;
  int d = plan->rank - 1;
  if (d < 0) return;
  walker->at[d] += count;
  for (int i = 0; i < plan->count; i++) walker->row.address[i] += count * walker->row.step_bytes[i];
  for (; d > 0 && walker->at[d] == plan->sizes[d]; d--) {
    for (int i = 0; i < plan->count; i++) {
      const struct operand *operand = &plan->operands[i];
      walker->row.address[i] += operand_step(operand, d - 1) - plan->sizes[d] * operand_step(operand, d);
    }
    walker->at[d] = 0;
    walker->at[d - 1]++;
  }
}

/* (At least one operand is a tensor.) */
static strew_context *context_of(const struct plan *plan) {
  int i = 0;
  while (!plan->operands[i].storage) i++;
  return plan->operands[i].storage->device->context;
}

void walk_rows(const struct plan *plan, int64_t begin, int64_t end, int64_t longest,
               void (*visit)(void *argument, const struct row *row), void *argument) {
  struct walker walker;
  strew_context *context = context_of(plan);
  if (longest > CHUNK) longest = CHUNK;
  walker_start(&walker, plan, begin);
  for (int last = plan->rank - 1; begin < end && !context_stops(context);) {
    int64_t count = last < 0 ? 1 : plan->sizes[last] - walker.at[last];
    if (count > end - begin) count = end - begin;
    if (count > longest) count = longest;
    walker.row.place = begin;
    walker.row.count = count;
    visit(argument, &walker.row);
    begin += count;
    if (begin < end) walker_advance(&walker, count);
  }
}

struct rows_walk {
  const struct plan *plan;
  int64_t count, parts, longest;
  void (*visit)(void *argument, const struct row *row);
  void *argument;
};

static void walk_part(void *walk_, int64_t i) {
  const struct rows_walk *walk = walk_;
  int64_t begin = walk->count / walk->parts * i, end = begin + walk->count / walk->parts;
  walk_rows(walk->plan, begin, i == walk->parts - 1 ? walk->count : end, walk->longest, walk->visit, walk->argument);
}

static void walk_in_parts(strew_context *context, const struct plan *plan, int64_t parts, int64_t longest,
                          void (*visit)(void *argument, const struct row *row), void *argument) {
  struct rows_walk walk = {plan, plan_numel(plan), parts, longest, visit, argument};
  if (walk.parts > walk.count) walk.parts = walk.count;
  pool_run(context, walk.parts, walk_part, &walk);
}

void walk_rows_sized(strew_context *context, const struct plan *plan, int64_t bytes, int64_t longest,
                     void (*visit)(void *argument, const struct row *row), void *argument) {
  walk_in_parts(context, plan, pool_parts(context, bytes), longest, visit, argument);
}

int64_t walk_bytes(const struct plan *plan) {
  int64_t bytes_per_place = 0;
  for (int i = 0; i < plan->count; i++) bytes_per_place += (int64_t)dtype_bytes(plan->operands[i].dtype);
  return plan_numel(plan) * bytes_per_place;
}

void walk_rows_parallel(strew_context *context, const struct plan *plan, int64_t longest,
                        void (*visit)(void *argument, const struct row *row), void *argument) {
  walk_in_parts(context, plan, pool_parts_light(context, walk_bytes(plan)), longest, visit, argument);
}
