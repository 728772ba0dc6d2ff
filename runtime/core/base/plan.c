/* plan.c: iteration spaces: made from tensors and reduced to the fewest dimensions. */
#include "device.h"

#include <string.h>

void plan_start(struct plan *plan, int rank, const int64_t *sizes) {
  plan->rank = rank;
  plan->count = 0;
  for (int d = 0; d < rank; d++) plan->sizes[d] = sizes[d]; /* few: calling memcpy would cost more */
}

struct operand *plan_add(struct plan *plan, const strew_tensor *tensor) {
  struct operand *operand = &plan->operands[plan->count++];
  operand->storage = tensor->storage;
  operand->offset = tensor->offset;
  operand->dtype = dtype_stored(tensor->dtype);
  int added = plan->rank - tensor->rank;
  for (int d = 0; d < plan->rank; d++) {
    bool moves = d >= added && tensor->sizes[d - added] != 1;
    operand->strides[d] = moves ? tensor->strides[d - added] : 0;
  }
  return operand;
}

struct operand *plan_add_number(struct plan *plan, strew_dtype dtype, union element number) {
  struct operand *operand = &plan->operands[plan->count++];
  operand->storage = NULL;
  operand->offset = 0;
  operand->dtype = dtype_stored(dtype);
  operand->number = number;
  memset(operand->strides, 0, (size_t)plan->rank * sizeof *operand->strides);
  return operand;
}

void plan_tensors(struct plan *plan, int rank, const int64_t *sizes, int count, const strew_tensor *const *tensors) {
  plan_start(plan, rank, sizes);
  for (int i = 0; i < count; i++) plan_add(plan, tensors[i]);
}

static void move_dim(struct plan *plan, int to, int from) {
  plan->sizes[to] = plan->sizes[from];
  for (int i = 0; i < plan->count; i++) plan->operands[i].strides[to] = plan->operands[i].strides[from];
}

/* True if dimensions a (outer) and b (inner) can be merged for every operand. */
static bool merges(const struct plan *plan, int a, int b) {
  for (int i = 0; i < plan->count; i++) {
    const struct operand *operand = &plan->operands[i];
    if (operand->strides[a] != operand->strides[b] * plan->sizes[b]) return false;
  }
  return true;
}

void plan_simplify(struct plan *plan) {
  int rank = 0; /* dimensions kept so far */
  for (int d = 0; d < plan->rank; d++) {
    if (plan->sizes[d] == 1) continue;
    if (rank && merges(plan, rank - 1, d)) {
      int64_t outer = plan->sizes[rank - 1];
      move_dim(plan, rank - 1, d);
      plan->sizes[rank - 1] *= outer;
    } else {
      if (rank != d) move_dim(plan, rank, d);
      rank++;
    }
  }
  plan->rank = rank;
}

void plan_keep_last(struct plan *plan) {
  const int last = --plan->rank;
  plan_simplify(plan);
  move_dim(plan, plan->rank++, last);
}

/* True if dimension a belongs outside of b: the first operand whose strides differ decides. */
static bool belongs_outside(const struct plan *plan, int a, int b) {
  for (int i = 0; i < plan->count; i++) {
    const struct operand *operand = &plan->operands[i];
    if (operand->strides[a] != operand->strides[b]) return operand->strides[a] > operand->strides[b];
  }
  return true;
}

void plan_swap_dims(struct plan *plan, int a, int b) {
  int64_t size = plan->sizes[a];
  int64_t strides[PLAN_OPERANDS];
  const int count = plan->count;
  for (int i = 0; i < count; i++) strides[i] = plan->operands[i].strides[a];
  move_dim(plan, a, b);
  plan->sizes[b] = size;
  for (int i = 0; i < count; i++) plan->operands[i].strides[b] = strides[i];
}

void plan_simplify_any_order(struct plan *plan) {
  for (int d = 1; d < plan->rank; d++)
    for (int at = d; at > 0 && !belongs_outside(plan, at - 1, at); at--) plan_swap_dims(plan, at - 1, at);
  plan_simplify(plan);
}

void plan_lines(struct plan *plan, int dim) {
  struct plan whole;
  plan_copy(&whole, plan);
  if (plan->rank) plan->rank--;
  for (int d = dim; d < plan->rank; d++) move_dim(plan, d, d + 1);
  plan_simplify_any_order(plan);
  int last = plan->rank++;
  plan->sizes[last] = whole.rank ? whole.sizes[dim] : 1;
  for (int i = 0; i < plan->count; i++)
    plan->operands[i].strides[last] = whole.rank ? whole.operands[i].strides[dim] : 0;
}

int64_t plan_numel(const struct plan *plan) { return count_of_sizes(plan->rank, plan->sizes); }

static void operand_copy(struct operand *to, const struct operand *from, int rank) {
  to->storage = from->storage;
  to->offset = from->offset;
  to->dtype = from->dtype;
  to->number = from->number;
  for (int d = 0; d < rank; d++) to->strides[d] = from->strides[d];
}

void plan_copy(struct plan *to, const struct plan *from) {
  plan_start(to, from->rank, from->sizes);
  to->count = from->count;
  for (int i = 0; i < to->count; i++) operand_copy(&to->operands[i], &from->operands[i], to->rank);
}

void plan_operand_values(struct plan *values, const struct plan *plan, int operand) {
  plan_start(values, plan->rank, plan->sizes);
  values->count = 1;
  operand_copy(&values->operands[0], &plan->operands[operand], plan->rank);
  for (int d = 0; d < values->rank; d++)
    if (values->operands[0].strides[d] == 0) values->sizes[d] = 1;
}

size_t scatter_target_bytes(const struct scatter_plan *plan) {
  const struct operand *self = &plan->plan.operands[0];
  int64_t last = (plan->size - 1) * plan->step;
  for (int d = 0; d < plan->plan.rank; d++) last += (plan->plan.sizes[d] - 1) * self->strides[d];
  return (size_t)(last + 1) * dtype_bytes(self->dtype);
}

bool broadcast_sizes(int *rank, int64_t *sizes, int other_rank, const int64_t *other_sizes) {
  int added = other_rank - *rank;
  if (added > 0) {
    for (int d = *rank - 1; d >= 0; d--) sizes[d + added] = sizes[d];
    for (int d = 0; d < added; d++) sizes[d] = 1;
    *rank = other_rank;
  }
  int skipped = *rank - other_rank;
  for (int d = 0; d < other_rank; d++) {
    int64_t *size = &sizes[d + skipped];
    if (*size != other_sizes[d] && *size != 1 && other_sizes[d] != 1) return false;
    if (*size == 1) *size = other_sizes[d];
  }
  return true;
}
