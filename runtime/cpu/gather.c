/* gather.c: gathering, and the passes that look at an index: is it in range, what is its range.

   Gathering moves bits, so it knows sizes of elements, not dtypes. A line is one element per index value; where the
   index stands still along the last dimension, it is a row for each. */
#include "cpu.h"

#include <stdatomic.h>

enum { BLOCK = 1024 };
enum { OUT, INDEX, SELF };

struct gathering {
  const struct gather_plan *plan;
  int64_t columns, out_column, self_column, step; /* in bytes, but the number of columns */
  size_t size_bytes;
};

#define GATHER_LINE(T)                                                                                                 \
  static void gather_line_##T(const struct row *row, const int64_t *index, int64_t step) {                             \
    char *out = row->address[OUT];                                                                                     \
    const char *self = row->address[SELF];                                                                             \
    for (int64_t i = 0; i < row->count; i++, out += row->step_bytes[OUT], self += row->step_bytes[SELF])               \
      *(T *)(void *)out = index[i] < 0 ? 0 : *(const T *)(const void *)(self + index[i] * step);                       \
  }
GATHER_LINE(uint8_t)
GATHER_LINE(uint16_t)
GATHER_LINE(uint32_t)
GATHER_LINE(uint64_t)

static void gather_line(size_t size_bytes, const struct row *row, const int64_t *index, int64_t step) {
  switch (size_bytes) {
  case 1: gather_line_uint8_t(row, index, step); break;
  case 2: gather_line_uint16_t(row, index, step); break;
  case 4: gather_line_uint32_t(row, index, step); break;
  default: gather_line_uint64_t(row, index, step); break;
  }
}

static void gather_rows(const struct gathering *gathering, const struct row *row, const int64_t *index) {
  static const uint64_t zero;
  strew_dtype dtype = gathering->plan->plan.operands[OUT].dtype;
  convert_row *copy = converter(dtype, dtype);
  for (int64_t i = 0; i < row->count; i++) {
    char *out = row->address[OUT] + i * row->step_bytes[OUT];
    bool dropped = index[i] < 0;
    const char *from = (const char *)&zero;
    if (!dropped) from = row->address[SELF] + i * row->step_bytes[SELF] + index[i] * gathering->step;
    copy(gathering->columns, out, gathering->out_column, from, dropped ? 0 : gathering->self_column);
  }
}

static void gather_visit(void *gathering_, const struct row *row) {
  const struct gathering *gathering = gathering_;
  const struct gather_plan *plan = gathering->plan;
  int64_t block[BLOCK];
  const int64_t *index = block;
  strew_dtype dtype = plan->plan.operands[INDEX].dtype;
  if (dtype == STREW_INT64 && row->step_bytes[INDEX] == (int64_t)sizeof *index && plan->mode == STREW_ERROR) {
    index = (const int64_t *)(const void *)row->address[INDEX];
  } else {
    converter(STREW_INT64, dtype)(row->count, (char *)block, sizeof *block, row->address[INDEX],
                                  row->step_bytes[INDEX]);
    apply_mode(plan->mode, plan->size, row->count, block);
  }
  if (gathering->columns)
    gather_rows(gathering, row, index);
  else
    gather_line(gathering->size_bytes, row, index, gathering->step);
}

strew_status cpu_gather(const struct call *call, strew_device *device, const struct gather_plan *plan) {
  (void)call;
  struct plan outer;
  plan_copy(&outer, &plan->plan);
  const struct operand *operands = plan->plan.operands;
  struct gathering gathering = {.plan = plan, .size_bytes = strew_dtype_size_bytes(operands[OUT].dtype)};
  int64_t size = (int64_t)gathering.size_bytes;
  int last = outer.rank - 1;
  gathering.step = plan->step * size;
  if (last >= 0 && operands[INDEX].strides[last] == 0) {
    gathering.columns = outer.sizes[last];
    gathering.out_column = operands[OUT].strides[last] * size;
    gathering.self_column = operands[SELF].strides[last] * size;
    outer.rank--;
  }
  walk_rows_parallel(device->context, &outer, BLOCK, gather_visit, &gathering);
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------- index passes */

/* One row's verdict, or its range: both dtypes of indices in the same words. */
#define INDEX_LOOPS(T)                                                                                                 \
  /* v - lowest and highest - v both have a clear top bit just where v is in range: limits are close to 0 */           \
  static bool out_of_range_##T(const struct row *row, int64_t lowest, int64_t highest) {                               \
    const char *at = row->address[0];                                                                                  \
    uint64_t bad = 0;                                                                                                  \
    if (row->step_bytes[0] == (int64_t)sizeof(T)) {                                                                    \
      const T *values = (const T *)(const void *)at;                                                                   \
      for (int64_t i = 0; i < row->count; i++)                                                                         \
        bad |= ((uint64_t)(int64_t)values[i] - (uint64_t)lowest) | ((uint64_t)highest - (uint64_t)(int64_t)values[i]); \
    } else {                                                                                                           \
      for (int64_t i = 0; i < row->count; i++, at += row->step_bytes[0]) {                                             \
        const int64_t value = *(const T *)(const void *)at;                                                            \
        bad |= ((uint64_t)value - (uint64_t)lowest) | ((uint64_t)highest - (uint64_t)value);                           \
      }                                                                                                                \
    }                                                                                                                  \
    return bad >> 63;                                                                                                  \
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

/* Only asked once it is known that there is one. */
static int64_t first_bad(const struct plan *plan, int64_t lowest, int64_t highest) {
  int64_t count = plan_numel(plan);
  for (int64_t i = 0; i < count; i++) {
    int64_t value = strew_scalar_load(plan->operands[0].dtype, operand_at(plan, 0, i)).as.i;
    if (value < lowest || value > highest) return i;
  }
  return -1;
}

strew_status cpu_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad) {
  (void)call;
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct check check = {wide ? out_of_range_int64_t : out_of_range_int32_t, lowest, highest, false};
  walk_rows_parallel(device->context, plan, INT64_MAX, check_visit, &check);
  *bad = atomic_load(&check.bad) ? first_bad(plan, lowest, highest) : -1;
  return STREW_OK;
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
  (void)call, (void)device;
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct ranging ranging = {wide ? widen_int64_t : widen_int32_t, {INT64_MAX, INT64_MIN}};
  walk_rows(plan, 0, plan_numel(plan), INT64_MAX, range_visit, &ranging);
  *range = ranging.range;
  return STREW_OK;
}
