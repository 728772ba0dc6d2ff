/* index.c: index values as int64, with the mode applied, and the passes over an index: is it in range, what is its
   range. */
#include "core_loops.h"
#include "cpu.h"

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

/* Rows of values in place, or copied out as int64. */
static int64_t longest_row(const struct plan *plan) {
  return plan->rank && plan->operands[0].strides[plan->rank - 1] == 1 ? INT64_MAX : INDEX_BLOCK;
}

static const void *values_of(const struct row *row, strew_dtype dtype, int64_t *block, bool *wide) {
  const bool in_place = row->step_bytes[0] == (int64_t)dtype_bytes(dtype);
  *wide = !in_place || dtype == STREW_INT64;
  if (in_place) return row->address[0];
  converter(STREW_INT64, dtype)(row->count, (char *)block, sizeof *block, row->address[0], row->step_bytes[0]);
  return block;
}

/* Values are bad if they lie outside of lowest..highest or, in a line, are less than the one before them. */
struct check {
  const struct plan *plan;
  int64_t line; /* values of a line: 1 if their order does not matter */
  int64_t lowest, highest;
  atomic_bool bad;
};

static int64_t value_at(const struct plan *plan, int64_t i) {
  return strew_scalar_load(plan->operands[0].dtype, operand_at(plan, 0, i)).as.i;
}

static bool is_bad(const struct check *check, int64_t i) {
  int64_t value = value_at(check->plan, i);
  if (value < check->lowest || value > check->highest) return true;
  return i % check->line && value < value_at(check->plan, i - 1);
}

static void check_visit(void *check_, const struct row *row) {
  struct check *check = check_;
  int64_t block[INDEX_BLOCK];
  bool wide;
  const void *values = values_of(row, check->plan->operands[0].dtype, block, &wide);
  if (wide ? index_loops()->any_outside_int64_t(values, row->count, check->lowest, check->highest)
           : index_loops()->any_outside_int32_t(values, row->count, check->lowest, check->highest))
    atomic_store_explicit(&check->bad, true, memory_order_relaxed);
}

/* Part of a line, or a whole one: it is in range if it ascends and its ends are. */
static void order_visit(void *check_, const struct row *row) {
  struct check *check = check_;
  int64_t block[INDEX_BLOCK];
  bool wide;
  const void *values = values_of(row, check->plan->operands[0].dtype, block, &wide);
  if (is_bad(check, row->place) || is_bad(check, row->place + row->count - 1) ||
      (wide ? index_loops()->any_descent_int64_t(values, row->count)
            : index_loops()->any_descent_int32_t(values, row->count)))
    atomic_store_explicit(&check->bad, true, memory_order_relaxed);
}

/* Called if there is one. */
static int64_t first_bad(strew_context *context, const struct check *check) {
  int64_t count = plan_numel(check->plan);
  for (int64_t i = 0; i < count; i++) {
    if (i % CHUNK == 0 && context_stops(context)) break;
    if (is_bad(check, i)) return i;
  }
  return -1;
}

static strew_status check_end(const struct call *call, strew_device *device, struct check *check, int64_t *bad) {
  *bad = atomic_load(&check->bad) ? first_bad(device->context, check) : -1;
  return context_end(call, device->context, NULL);
}

strew_status cpu_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad) {
  struct check check = {.plan = plan, .line = 1, .lowest = lowest, .highest = highest};
  walk_rows_parallel(device->context, plan, longest_row(plan), check_visit, &check);
  return check_end(call, device, &check, bad);
}

strew_status cpu_order_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad) {
  struct check check = {.plan = plan, .line = plan->sizes[plan->rank - 1], .lowest = lowest, .highest = highest};
  walk_rows_parallel(device->context, plan, longest_row(plan), order_visit, &check);
  return check_end(call, device, &check, bad);
}

struct ranging {
  strew_dtype dtype;
  _Atomic int64_t lowest, highest;
};

static void range_visit(void *ranging_, const struct row *row) {
  struct ranging *ranging = ranging_;
  int64_t lowest = atomic_load_explicit(&ranging->lowest, memory_order_relaxed);
  int64_t highest = atomic_load_explicit(&ranging->highest, memory_order_relaxed);
  struct index_range range = {lowest, highest};
  int64_t block[INDEX_BLOCK];
  bool wide;
  const void *values = values_of(row, ranging->dtype, block, &wide);
  if (wide)
    index_loops()->widen_int64_t(values, row->count, &range);
  else
    index_loops()->widen_int32_t(values, row->count, &range);
  while (range.lowest < lowest && !atomic_compare_exchange_weak(&ranging->lowest, &lowest, range.lowest)) {
  }
  while (range.highest > highest && !atomic_compare_exchange_weak(&ranging->highest, &highest, range.highest)) {
  }
}

strew_status cpu_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                             struct index_range *range) {
  struct ranging ranging = {plan->operands[0].dtype, INT64_MAX, INT64_MIN};
  walk_rows_parallel(device->context, plan, longest_row(plan), range_visit, &ranging);
  *range = (struct index_range){ranging.lowest, ranging.highest};
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
