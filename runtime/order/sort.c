/* sort.c: sort, topk, unique and nonzero. */
#include "order_ops.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>

/* Sorts lines along dim and writes the first `keep` of each. Devices count elements, then read them again: memory that
   others may change in between (a host's, a mapped file) is copied first. */
static void sort_into(struct steps *steps, strew_tensor *tensor, int dim, int64_t keep, bool descending,
                      strew_tensor *values, strew_tensor *indices) {
  struct sort_plan sort; /* not zeroed first: plans are large */
  sort.keep = keep;
  sort.descending = descending;
  if (steps->status != STREW_OK || !strew_tensor_numel(indices)) return;
  if (tensor->storage->wrapped) tensor = step_copy(steps, tensor, tensor->dtype);
  if (!tensor) return;
  plan_start(&sort.plan, tensor->rank, tensor->sizes);
  if (values)
    plan_add(&sort.plan, values);
  else
    plan_add_number(&sort.plan, tensor->dtype, (union element){.i64 = 0});
  plan_add(&sort.plan, indices);
  plan_add(&sort.plan, tensor);
  plan_lines(&sort.plan, dim);
  STEP(steps, RUN_ON(tensor, order->sort, steps->call, &sort));
}

/* Indices that the host does not need, NULL, are made and released; values are not made. */
static strew_status sort_along(const struct call *call, strew_tensor *self, int dim, int64_t keep, bool descending,
                               strew_tensor **values, strew_tensor **indices) {
  strew_device *device = self->storage->device;
  int64_t sizes[MAX_RANK];
  STEPS(steps, call);
  strew_tensor *tensor = step_key(&steps, self, KEY_SORTED);
  if (!tensor) return steps_status(&steps);
  for (int d = 0; d < tensor->rank; d++) sizes[d] = d == dim ? keep : tensor->sizes[d];
  strew_tensor *sorted =
      values ? steps_out(&steps, "values", device, tensor->dtype, tensor->rank, sizes, given_number(self, *values))
             : NULL;
  strew_tensor *order =
      steps_out(&steps, "indices", device, STREW_INT64, tensor->rank, sizes, indices ? *indices : NULL);
  sort_into(&steps, tensor, dim, keep, descending, sorted, order);
  if (values) steps_give_key(&steps, "values", sorted, self->dtype, KEY_SORTED, values);
  if (indices) steps_give(&steps, order, indices);
  return steps_status(&steps);
}

static const strew_tensor *given(strew_tensor *const *out) { return out ? *out : NULL; }

static int64_t size_along(const strew_tensor *tensor, int dim) { return tensor->rank ? tensor->sizes[dim] : 1; }

strew_status strew_sort_with(strew_tensor *tensor, int dim, const strew_sort_options *options, strew_tensor **values,
                             strew_tensor **indices, strew_error *error) {
  CALL(call, "sort", error, {"self", tensor, ORDERED}, {"values", given(values), RESULT}, {"indices", given(indices)});
  OPTIONS(strew_sort_options);
  RETURN_IF_FAILED(check_dim(&call, tensor->rank, &dim));
  return sort_along(&call, tensor, dim, size_along(tensor, dim), options->descending, values, indices);
}

strew_status strew_topk_with(strew_tensor *tensor, int64_t k, int dim, const strew_topk_options *options,
                             strew_tensor **values, strew_tensor **indices, strew_error *error) {
  CALL(call, "topk", error, {"self", tensor, ORDERED}, {"values", given(values), RESULT}, {"indices", given(indices)});
  OPTIONS(strew_topk_options);
  RETURN_IF_FAILED(check_dim(&call, tensor->rank, &dim));
  int64_t size = size_along(tensor, dim), least = tensor->rank ? 0 : 1;
  if (k < least || k > size)
    return fail(&call, VALUED(STREW_EARGUMENT, "k", strew_int(k)),
                "is %" PRId64 ", out of range for dim %d of self (size %" PRId64 ", valid %" PRId64 "..%" PRId64 ")", k,
                dim, size, least, size);
  return sort_along(&call, tensor, dim, k, !options->smallest, values, indices);
}

/* ------------------------------------------------------------------------------------------------------- nonzero */

strew_status strew_nonzero(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "nonzero", error, {"self", tensor, READ_ONCE});
  strew_device *device = tensor->storage->device;
  strew_tensor **made = steps_place(&steps);
  struct plan plan;
  STEP(&steps, deferred_open(&call, tensor, READ_BY_NONZERO, NULL));
  PLAN(&plan, tensor->rank, tensor->sizes, tensor);
  if (strew_tensor_numel(tensor))
    STEP(&steps, device->ops->order->nonzero(&call, device, &plan, made));
  else
    STEP(&steps, tensor_create(&call, device, STREW_INT64, 2, (int64_t[]){0, tensor->rank}, made));
  STEP(&steps, deferred_close(&call, tensor));
  return steps_give(&steps, *made, out);
}

/* -------------------------------------------------------------------------------------------------------- unique */

struct unique {
  strew_tensor *sorted, *order;    /* all elements, 1-D, and their positions before */
  strew_tensor *is_start, *starts; /* bool: differs from the previous element; positions of true */
};

static void find_starts(struct steps *steps, struct unique *u, strew_device *device, int64_t n) {
  u->is_start = step_full(steps, device, STREW_BOOL, 1, &n, strew_bool(true));
  const int mark = steps->count;
  strew_tensor *later = step_narrow(steps, u->sorted, 0, 1, n - 1);
  strew_tensor *earlier = step_narrow(steps, u->sorted, 0, 0, n - 1);
  step_binary(steps, STREW_NE, later, earlier, step_narrow(steps, u->is_start, 0, 1, n - 1));
  STEP_INTO(steps, found, strew_nonzero(u->is_start, found, steps->error));
  u->starts = steps_keep(steps, mark, step_view(steps, *found, 1, (int64_t[]){-1}));
}

/* The index of an element's value: the number of starts up to it in sorted order, minus 1. */
static strew_tensor *find_inverse(struct steps *steps, const struct unique *u, const strew_tensor *tensor, int64_t n) {
  const strew_scatter_options assign = {.reduction = STREW_ASSIGN, .mode = STREW_ERROR};
  const int mark = steps->count;
  strew_tensor *number = step_cumsum(steps, u->is_start, 0);
  step_binary(steps, STREW_SUB, number, 1, number);
  strew_tensor *back = step_new(steps, tensor->storage->device, STREW_INT64, 1, &n);
  STEP(steps, strew_scatter(back, 0, u->order, strew_of(number), &assign, &back, steps->error));
  return steps_keep(steps, mark, step_view(steps, back, tensor->rank, tensor->sizes));
}

/* A value's count: the distance from its start to the next one, or to the end. */
static strew_tensor *find_counts(struct steps *steps, const struct unique *u, strew_device *device, int64_t n) {
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *next = step_narrow(steps, u->starts, 0, 1, u->starts->sizes[0] - 1), **ends = steps_place(steps);
  strew_tensor *end = step_full(steps, device, STREW_INT64, 1, (int64_t[]){1}, strew_int(n));
  STEP(steps, strew_cat(2, (strew_tensor *[]){next, end}, 0, ends, steps->error));
  return step_binary(steps, STREW_SUB, *ends, u->starts, NULL);
}

strew_status strew_unique(strew_tensor *self, strew_tensor **values, strew_tensor **inverse, strew_tensor **counts,
                          strew_error *error) {
  CALL_STEPS(call, steps, "unique", error, {"self", self, ORDERED});
  strew_device *device = self->storage->device;
  const int64_t n = strew_tensor_numel(self);
  strew_tensor *tensor = step_key(&steps, self, KEY_SORTED);
  if (!tensor) return steps_status(&steps);
  strew_tensor *firsts = NULL, *back = NULL, *sums = NULL;
  if (n) {
    struct unique u;
    strew_tensor **sorted = steps_place(&steps);
    u.order = step_argsort(&steps, step_reshape(&steps, tensor, 1, &n), 0, false, sorted);
    u.sorted = *sorted;
    find_starts(&steps, &u, device, n);
    firsts = step_gather(&steps, u.sorted, 0, u.starts, STREW_ERROR);
    if (inverse) back = find_inverse(&steps, &u, tensor, n);
    if (counts) sums = find_counts(&steps, &u, device, n);
  } else {
    firsts = step_new(&steps, device, tensor->dtype, 1, &n);
    sums = step_new(&steps, device, STREW_INT64, 1, &n);
    back = step_new(&steps, device, STREW_INT64, tensor->rank, tensor->sizes);
  }
  if (values) steps_give_key(&steps, "values", firsts, self->dtype, KEY_SORTED, values);
  if (inverse) steps_give(&steps, back, inverse);
  if (counts) steps_give(&steps, sums, counts);
  return steps_status(&steps);
}
