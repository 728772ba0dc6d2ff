/* overlap.c: tests whether two views, or two coordinates of one view, share an element.

   Two views of a storage share an element if sum(a[k] i[k]) - sum(b[k] j[k]) = offset_b - offset_a for some coordinates
   i and j: a linear Diophantine equation with bounded unknowns. Terms of equal stride become one unknown of a larger
   range. The rest is a branch-and-bound search from the largest stride down. The span of the smaller strides leaves few
   candidates at each level, for all layouts that slicing and transposing make. After MAX_STEPS the answer is yes: the
   spans of memory overlap. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 4096 };

/* stride * x, lowest <= x <= highest */
struct term {
  int64_t stride, lowest, highest;
};

struct equation {
  int count;
  struct term terms[2 * MAX_RANK];
  int64_t below[2 * MAX_RANK + 1], above[2 * MAX_RANK + 1]; /* bounds of the sum of terms k.. */
  int steps;
  bool nonzero; /* the all-zero solution does not count */
};

static void add_terms(struct equation *equation, const strew_tensor *tensor, int64_t sign) {
  for (int d = 0; d < tensor->rank; d++) {
    int64_t last = tensor->sizes[d] - 1, stride = tensor->strides[d];
    if (last == 0 || stride == 0) continue;
    int k = 0;
    while (k < equation->count && equation->terms[k].stride != stride) k++;
    struct term *term = &equation->terms[k];
    if (k == equation->count) *term = (struct term){stride, 0, 0}, equation->count++;
    if (sign > 0)
      term->highest += last;
    else
      term->lowest -= last;
  }
}

static int descending(const void *a, const void *b) {
  int64_t x = ((const struct term *)a)->stride, y = ((const struct term *)b)->stride;
  return (x < y) - (x > y);
}

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool solve(struct equation *equation, int k, int64_t rest, bool all_zero) {
  if (k == equation->count) return rest == 0 && !(equation->nonzero && all_zero);
  const struct term *term = &equation->terms[k];
  int64_t from = -floor_divide(-(rest - equation->above[k + 1]), term->stride);
  int64_t to = floor_divide(rest - equation->below[k + 1], term->stride);
  if (from < term->lowest) from = term->lowest;
  if (to > term->highest) to = term->highest;
  for (int64_t x = from; x <= to; x++) {
    if (++equation->steps > MAX_STEPS) return true;
    if (solve(equation, k + 1, rest - x * term->stride, all_zero && x == 0)) return true;
  }
  return false;
}

static bool has_solution(struct equation *equation, int64_t sum) {
  qsort(equation->terms, (size_t)equation->count, sizeof *equation->terms, descending);
  equation->below[equation->count] = equation->above[equation->count] = 0;
  for (int k = equation->count - 1; k >= 0; k--) {
    const struct term *term = &equation->terms[k];
    equation->below[k] = equation->below[k + 1] + term->lowest * term->stride;
    equation->above[k] = equation->above[k + 1] + term->highest * term->stride;
  }
  return solve(equation, 0, sum, true);
}

bool tensor_overlaps_itself(const strew_tensor *tensor) {
  if (strew_tensor_numel(tensor) < 2 || strew_tensor_is_contiguous(tensor)) return false;
  struct equation equation = {.nonzero = true};
  for (int d = 0; d < tensor->rank; d++) {
    if (tensor->sizes[d] == 1) continue;
    if (tensor->strides[d] == 0) return true;
    for (int other = 0; other < d; other++)
      if (tensor->sizes[other] > 1 && tensor->strides[other] == tensor->strides[d]) return true;
  }
  add_terms(&equation, tensor, 1);
  add_terms(&equation, tensor, -1);
  return has_solution(&equation, 0);
}

/* The span of a view in memory: its first byte, and the one after its last. */
static void span(const strew_tensor *tensor, uintptr_t *begin, uintptr_t *end) {
  size_t size = dtype_bytes(tensor->dtype);
  int64_t last = 0;
  for (int d = 0; d < tensor->rank; d++) last += (tensor->sizes[d] - 1) * tensor->strides[d];
  *begin = (uintptr_t)tensor->storage->data + (size_t)tensor->offset * size;
  *end = *begin + (size_t)(last + 1) * size;
}

bool tensors_overlap(const strew_tensor *a, const strew_tensor *b) {
  if (a->storage->device != b->storage->device) return false;
  if (!storages_may_meet(a->storage, b->storage)) return false;
  if (strew_tensor_numel(a) == 0 || strew_tensor_numel(b) == 0) return false;
  uintptr_t a_begin, a_end, b_begin, b_end;
  span(a, &a_begin, &a_end);
  span(b, &b_begin, &b_end);
  if (a_end <= b_begin || b_end <= a_begin) return false;
  if (a->storage != b->storage || a->dtype != b->dtype) return true;
  struct equation equation = {.nonzero = false};
  add_terms(&equation, a, 1);
  add_terms(&equation, b, -1);
  return has_solution(&equation, b->offset - a->offset);
}

bool tensors_are_same_view(const strew_tensor *a, const strew_tensor *b) {
  if (a->storage != b->storage || a->dtype != b->dtype) return false;
  if (a->offset != b->offset || a->rank != b->rank) return false;
  for (int d = 0; d < a->rank; d++)
    if (a->sizes[d] != b->sizes[d] || (a->sizes[d] > 1 && a->strides[d] != b->strides[d])) return false;
  return true;
}

strew_status check_overlap(const struct call *call, const strew_tensor *self, const char *name,
                           const strew_tensor *operand, bool same_is_fine) {
  if (!operand) {
    strew_status status = check_writable(call, self, name);
    if (status != STREW_OK || !tensor_overlaps_itself(self)) return status;
    return fail(call, HINTED(STREW_EOVERLAP, name, hint_of(call, "write into strew_clone(%s)", name)),
                "overlaps itself (an expanded view?) and cannot be written in place");
  }
  if (same_is_fine && tensors_are_same_view(self, operand)) return STREW_OK;
  if (!tensors_overlap(self, operand)) return STREW_OK;
  return fail(call, HINTED(STREW_EOVERLAP, name, hint_of(call, "strew_clone(%s)", name)),
              "shares elements with the tensor written in place");
}

strew_status check_result(const struct call *call, const char *name, const strew_tensor *out) {
  strew_status status = check_overlap(call, out, name, NULL, false);
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *operand = call->operands[i].tensor;
    if (operand && strcmp(call->operands[i].name, name) != 0)
      TRY(status, check_overlap(call, out, call->operands[i].name, operand, false));
  }
  return status;
}
