/* plan.c: the geometry of scatter plans: bytes that operands and index values reach, order of the index, parts of a
   plan. */
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
