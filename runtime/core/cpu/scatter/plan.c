/* plan.c: the geometry of scatter plans: bytes that operands and index values reach, order of the index, parts of a
   plan, an index with one value in each row. */
#include "scattering.h"

int64_t scatter_operand_bytes(const struct scatter_plan *plan, int i) {
  struct plan values;
  plan_operand_values(&values, &plan->plan, i);
  return plan_numel(&values) * (int64_t)dtype_bytes(values.operands[0].dtype);
}

bool scatter_is_little(const struct scatter_plan *plan, size_t bytes) {
  return bytes * (size_t)LITTLE_INDEX <= (size_t)scatter_operand_bytes(plan, INDEX);
}

bool scatter_prefetches_streams(const struct tuning *tuning, bool by_blocks) {
  return by_blocks || !tuning->foresees_order;
}

int64_t scatter_range_bytes(const struct scatter_plan *plan) {
  return plan->size * plan->step * (int64_t)dtype_bytes(plan->plan.operands[SELF].dtype);
}

struct scatter_plan scatter_slice(const struct scatter_plan *plan, int d, int64_t begin, int64_t end) {
  struct scatter_plan cut = *plan;
  cut.plan.sizes[d] = end - begin;
  for (int k = 0; k < cut.plan.count; k++) cut.plan.operands[k].offset += begin * cut.plan.operands[k].strides[d];
  return cut;
}

/* Three values rule out most that do not ascend. */
bool index_ascends(const int64_t *values, int64_t count) {
  if (count > 2 && (values[0] > values[count / 2] || values[count / 2] > values[count - 1])) return false;
  return index_loops()->ascends(values, count);
}

/* -------------------------------------------------------------------------------------------- one value in each row */

/* A full index with one value in each row, for instance a copy of an expanded index, is reduced to one
   value a row: contributions are then joined as rows. */

/* True if the first and last values of ROW_SAMPLE rows are equal. */
static bool looks_constant(const struct plan *plan, int64_t rows) {
  int64_t columns = plan->sizes[plan->rank - 1];
  for (int64_t i = 0; i < ROW_SAMPLE; i++) {
    const char *row = operand_at(plan, INDEX, part_begin(rows, ROW_SAMPLE, i) * columns);
    const int64_t *values = (const int64_t *)(const void *)row;
    if (values[0] != values[columns - 1]) return false;
  }
  return true;
}

struct collapse {
  bool (*is_constant)(const int64_t *values, int64_t count);
  int64_t columns;
  atomic_bool varies; /* a row has several values */
};

static void collapse_visit(void *collapse_, const struct row *row) {
  struct collapse *collapse = collapse_;
  char *to = row->address[0];
  const char *from = row->address[1];
  if (atomic_load_explicit(&collapse->varies, memory_order_relaxed)) return;
  for (int64_t i = 0; i < row->count; i++, to += row->step_bytes[0], from += row->step_bytes[1]) {
    const int64_t *values = (const int64_t *)(const void *)from;
    prefetch_onward(values, (uintptr_t)least(collapse->columns, ROW_INDEX_AHEAD) * sizeof *values);
    if (!collapse->is_constant(values, collapse->columns))
      atomic_store_explicit(&collapse->varies, true, memory_order_relaxed);
    *(int64_t *)(void *)to = values[0];
  }
}

bool scatter_collapse(strew_context *context, const struct scatter_plan *plan, struct scatter_plan *collapsed,
                      struct storage *storage) {
  const struct plan *p = &plan->plan;
  int last = p->rank - 1;
  if (!has_full_rows(p) || p->operands[INDEX].strides[last] != 1 || p->operands[INDEX].dtype != STREW_INT64)
    return false;
  int64_t rows = plan_numel(p) / p->sizes[last];
  if (rows < ROW_INDEX_MIN_ROWS || !looks_constant(p, rows)) return false;
  const uint64_t size_bytes = (uint64_t)rows * sizeof(int64_t);
  *storage = (struct storage){.device = p->operands[SELF].storage->device, .size_bytes = (size_t)size_bytes};
  storage->data = memory_allocate(context, size_bytes);
  if (!storage->data) return false;
  struct operand index = {.storage = storage, .dtype = STREW_INT64};
  dense_strides(last, p->sizes, index.strides);
  struct plan values = {.rank = last, .count = 2, .operands = {index, p->operands[INDEX]}};
  for (int d = 0; d < last; d++) values.sizes[d] = p->sizes[d];
  struct collapse collapse = {.is_constant = index_loops()->is_constant, .columns = p->sizes[last]};
  atomic_init(&collapse.varies, false);
  walk_rows_sized(context, &values, plan_numel(p) * (int64_t)sizeof(int64_t),
                  rows_of_chunk(INT64_MAX, collapse.columns), collapse_visit, &collapse);
  *collapsed = *plan;
  collapsed->plan.operands[INDEX] = index;
  if (!atomic_load(&collapse.varies)) return plan_simplify(&collapsed->plan), true;
  memory_free(context, storage->data, storage->size_bytes);
  return false;
}
