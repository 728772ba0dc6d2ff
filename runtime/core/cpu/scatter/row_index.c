/* row_index.c: a full index with one value in each row, for instance a copy of an expanded index, is reduced to one
   value a row: contributions are then joined as rows. */
#include "scattering.h"

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
