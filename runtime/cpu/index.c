/* index.c: index values as int64, with the mode applied, and the passes over an index: is it in range, what is its
   range. */
#include "cpu.h"
#include "runtime/cpu/loops/index_loops.h"

#include <stdatomic.h>
#include <string.h>

CHOOSE_LOOPS(index)

void apply_mode(strew_mode mode, int64_t size, int64_t count, int64_t *values) {
  if (mode != STREW_ERROR) index_loops()->apply_mode(mode, size, count, values);
}

bool index_is_direct(strew_dtype dtype, int64_t step_bytes, strew_mode mode) {
  return dtype == STREW_INT64 && step_bytes == (int64_t)sizeof(int64_t) && (mode == STREW_ERROR || mode == STREW_DROP);
}

const int64_t *index_values(const struct row *row, int i, strew_dtype dtype, strew_mode mode, int64_t size,
                            int64_t *block) {
  if (index_is_direct(dtype, row->step_bytes[i], mode)) return (const int64_t *)(const void *)row->address[i];
  converter(STREW_INT64, dtype)(row->count, (char *)block, sizeof *block, row->address[i], row->step_bytes[i]);
  apply_mode(mode, size, row->count, block);
  return block;
}

/* ------------------------------------------------------------------------------------------------------- passes */

/* For each dtype of an index: is a row out of range, and the range of a row. */
#define INDEX_LOOPS(T)                                                                                                 \
  static bool out_of_range_##T(const struct row *row, int64_t lowest, int64_t highest) {                               \
    const char *at = row->address[0];                                                                                  \
    if (row->step_bytes[0] == (int64_t)sizeof(T))                                                                      \
      return index_loops()->any_outside_##T((const T *)(const void *)at, row->count, lowest, highest);                 \
    bool bad = false;                                                                                                  \
    for (int64_t i = 0; i < row->count; i++, at += row->step_bytes[0]) {                                               \
      const int64_t value = *(const T *)(const void *)at;                                                              \
      bad |= value < lowest || value > highest;                                                                        \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }                                                                                                                    \
  static void widen_##T(const struct row *row, struct index_range *range) {                                            \
    const char *at = row->address[0];                                                                                  \
    for (int64_t i = 0; i < row->count; i++, at += row->step_bytes[0]) {                                               \
      const int64_t value = *(const T *)(const void *)at;                                                              \
      if (value < range->lowest) range->lowest = value;                                                                \
      if (value > range->highest) range->highest = value;                                                              \
    }                                                                                                                  \
  }
INDEX_LOOPS(int64_t)
INDEX_LOOPS(int32_t)

struct check {
  bool (*out_of_range)(const struct row *row, int64_t lowest, int64_t highest);
  int64_t lowest, highest;
  atomic_bool bad;
};

static void check_visit(void *check_, const struct row *row) {
  struct check *check = check_;
  if (check->out_of_range(row, check->lowest, check->highest))
    atomic_store_explicit(&check->bad, true, memory_order_relaxed);
}

/* Called if there is one. */
static int64_t first_bad(strew_context *context, const struct plan *plan, int64_t lowest, int64_t highest) {
  int64_t count = plan_numel(plan);
  for (int64_t i = 0; i < count; i++) {
    if (i % CHUNK == 0 && context_stops(context)) break;
    int64_t value = strew_scalar_load(plan->operands[0].dtype, operand_at(plan, 0, i)).as.i;
    if (value < lowest || value > highest) return i;
  }
  return -1;
}

strew_status cpu_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad) {
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct check check = {wide ? out_of_range_int64_t : out_of_range_int32_t, lowest, highest, false};
  walk_rows_parallel(device->context, plan, INT64_MAX, check_visit, &check);
  *bad = atomic_load(&check.bad) ? first_bad(device->context, plan, lowest, highest) : -1;
  return context_end(call, device->context, NULL);
}

struct ranging {
  void (*widen)(const struct row *row, struct index_range *range);
  struct index_range range;
};

static void range_visit(void *ranging_, const struct row *row) {
  struct ranging *ranging = ranging_;
  ranging->widen(row, &ranging->range);
}

strew_status cpu_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                             struct index_range *range) {
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct ranging ranging = {wide ? widen_int64_t : widen_int32_t, {INT64_MAX, INT64_MIN}};
  walk_rows(plan, 0, plan_numel(plan), INT64_MAX, range_visit, &ranging);
  *range = ranging.range;
  return context_end(call, device->context, NULL);
}

strew_status cpu_operand_check(const struct call *call, strew_device *device, const struct plan *plan, int operand,
                               int64_t lowest, int64_t highest, bool *bad) {
  struct plan values;
  int64_t position;
  plan_operand_values(&values, plan, operand);
  plan_simplify(&values);
  strew_status status = cpu_index_check(call, device, &values, lowest, highest, &position);
  *bad = status == STREW_OK && position >= 0;
  return status;
}

/* ------------------------------------------------------------------------------------------------------ positions */

struct joining {
  const struct join_plan *plan;
  atomic_bool bad;
};

/* Joins all values of a block of positions, which stays in cache. */
static void join_visit(void *joining_, const struct row *row) {
  struct joining *joining = joining_;
  const struct join_plan *plan = joining->plan;
  int64_t block[INDEX_BLOCK], *positions = (int64_t *)(void *)row->address[0];
  bool bad = false;
  if (!plan->continues) memset(positions, 0, (size_t)row->count * sizeof *positions);
  for (int i = 1; i < plan->plan.count; i++) {
    const int64_t size = plan->sizes[i - 1];
    const int64_t *values = index_values(row, i, plan->plan.operands[i].dtype, plan->mode, size, block);
    if (plan->mode == STREW_DROP)
      index_loops()->join_dropping(values, row->count, size, positions);
    else
      bad |= index_loops()->join(values, row->count, size, positions);
  }
  if (bad) atomic_store_explicit(&joining->bad, true, memory_order_relaxed);
}

strew_status cpu_index_join(const struct call *call, strew_device *device, const struct join_plan *plan, bool *bad) {
  struct joining joining = {.plan = plan};
  atomic_init(&joining.bad, false);
  walk_rows_parallel(device->context, &plan->plan, INDEX_BLOCK, join_visit, &joining);
  *bad = atomic_load(&joining.bad);
  return context_end(call, device->context, NULL);
}
