/* sort.c: sort, topk, unique and nonzero. */
#include "runtime/base/copy.h"
#include "runtime/base/device.h"

#include <inttypes.h>

/* Sorts lines along dim and writes the first `keep` of each. Devices count elements, then read them again: memory that
   others may change in between (a host's, a mapped file) is copied first. */
static strew_status sort_lines(const struct call *call, strew_tensor *tensor, int dim, int64_t keep, bool descending,
                               strew_tensor *values, strew_tensor *indices) {
  if (!strew_tensor_numel(indices)) return STREW_OK;
  strew_device *device = tensor->storage->device;
  if (tensor->storage->wrapped) {
    strew_tensor *own;
    strew_status status = copy_as(call, tensor, tensor->dtype, &own);
    if (status != STREW_OK) return status;
    status = sort_lines(call, own, dim, keep, descending, values, indices);
    return strew_release(own), status;
  }
  struct sort_plan sort = {.keep = keep, .descending = descending};
  plan_start(&sort.plan, tensor->rank, tensor->sizes);
  plan_add(&sort.plan, values);
  plan_add(&sort.plan, indices);
  plan_add(&sort.plan, tensor);
  plan_lines(&sort.plan, dim);
  return device->ops->sort(call, device, &sort);
}

static strew_status check_given(const struct call *call, const char *name, const strew_tensor *out,
                                const strew_tensor *other, const strew_tensor *input) {
  strew_status status = check_overlap(call, out, name, NULL, false);
  if (status == STREW_OK && other) status = check_overlap(call, out, name, other, false);
  return status == STREW_OK ? check_overlap(call, out, "self", input, false) : status;
}

static strew_status sort_into(const struct call *call, strew_tensor *tensor, int dim, int64_t keep, bool descending,
                              strew_tensor **values, strew_tensor **indices) {
  strew_device *device = tensor->storage->device;
  int64_t sizes[MAX_RANK];
  bool made_values = false, made_indices = false;
  for (int d = 0; d < tensor->rank; d++) sizes[d] = d == dim ? keep : tensor->sizes[d];
  strew_status status = out_prepare(call, device, tensor->dtype, tensor->rank, sizes, values, &made_values);
  if (status == STREW_OK) status = out_prepare(call, device, STREW_INT64, tensor->rank, sizes, indices, &made_indices);
  if (status == STREW_OK && !made_values) status = check_given(call, "values", *values, *indices, tensor);
  if (status == STREW_OK && !made_indices) status = check_given(call, "indices", *indices, NULL, tensor);
  if (status == STREW_OK) status = sort_lines(call, tensor, dim, keep, descending, *values, *indices);
  if (status == STREW_OK) return STREW_OK;
  if (made_values) strew_release(*values), *values = NULL;
  if (made_indices) strew_release(*indices), *indices = NULL;
  return status;
}

/* A result that the host does not need is made and released. */
static strew_status sort_needed(const struct call *call, strew_tensor *tensor, int dim, int64_t keep, bool descending,
                                strew_tensor **values, strew_tensor **indices) {
  strew_tensor *unneeded[2] = {NULL, NULL};
  strew_status status =
      sort_into(call, tensor, dim, keep, descending, values ? values : &unneeded[0], indices ? indices : &unneeded[1]);
  strew_release(unneeded[0]);
  strew_release(unneeded[1]);
  return status;
}

static const strew_tensor *given(strew_tensor *const *out) { return out ? *out : NULL; }

static int64_t size_along(const strew_tensor *tensor, int dim) { return tensor->rank ? tensor->sizes[dim] : 1; }

strew_status strew_sort(strew_tensor *tensor, int dim, bool descending, strew_tensor **values, strew_tensor **indices,
                        strew_error *error) {
  CALL(call, "sort", error, {"self", tensor}, {"values", given(values)}, {"indices", given(indices)});
  strew_status status = check_dim(&call, tensor->rank, &dim);
  if (status != STREW_OK) return status;
  return sort_needed(&call, tensor, dim, size_along(tensor, dim), descending, values, indices);
}

strew_status strew_topk(strew_tensor *tensor, int64_t k, int dim, bool largest, strew_tensor **values,
                        strew_tensor **indices, strew_error *error) {
  CALL(call, "topk", error, {"self", tensor}, {"values", given(values)}, {"indices", given(indices)});
  strew_status status = check_dim(&call, tensor->rank, &dim);
  if (status != STREW_OK) return status;
  int64_t size = size_along(tensor, dim), least = tensor->rank ? 0 : 1;
  strew_scalar value = strew_int(k);
  if (k < least || k > size)
    return fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "k", .value = &value},
                "is %" PRId64 ", out of range for dim %d of self (size %" PRId64 ", valid %" PRId64 "..%" PRId64 ")", k,
                dim, size, least, size);
  return sort_needed(&call, tensor, dim, k, largest, values, indices);
}

/* Moves a result to the caller; releases it if the call failed or if it is not needed. */
static void pass_result(strew_tensor *tensor, strew_tensor **out, strew_status status) {
  if (out && status == STREW_OK)
    *out = tensor;
  else
    strew_release(tensor);
}

/* ------------------------------------------------------------------------------------------------------- nonzero */

strew_status strew_nonzero(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL(call, "nonzero", error, {"self", tensor});
  strew_device *device = tensor->storage->device;
  struct plan plan;
  int64_t count = 0;
  strew_tensor *made = NULL;
  strew_status status = STREW_OK;
  plan_start(&plan, tensor->rank, tensor->sizes);
  plan_add(&plan, tensor);
  if (strew_tensor_numel(tensor)) status = device->ops->nonzero(&call, device, &plan, NULL, &count);
  if (status == STREW_OK)
    status = tensor_create(&call, device, STREW_INT64, 2, (int64_t[]){count, tensor->rank}, &made);
  if (status != STREW_OK) return status;
  struct operand written = {.storage = made->storage, .dtype = STREW_INT64, .strides = {tensor->rank, 1}};
  if (strew_tensor_numel(made)) status = device->ops->nonzero(&call, device, &plan, &written, &count);
  pass_result(made, out, status);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- unique */

/* unique is composed of other operations. Their errors bear the name of unique. */
struct unique {
  strew_tensor *flat, *sorted, *order; /* all elements, 1-D; sorted; their positions in `flat` */
  strew_tensor *is_start, *starts;     /* bool: differs from the previous element; positions of true */
  strew_tensor *values, *inverse, *counts;
};

static strew_status find_starts(struct unique *u, int64_t n, strew_error *error) {
  strew_device *device = u->flat->storage->device;
  strew_tensor *later = NULL, *earlier = NULL, *differs = NULL, *found = NULL;
  strew_status status = strew_full(device, STREW_BOOL, 1, &n, strew_bool(true), &u->is_start, error);
  if (status == STREW_OK) status = strew_narrow(u->sorted, 0, 1, n - 1, &later, error);
  if (status == STREW_OK) status = strew_narrow(u->sorted, 0, 0, n - 1, &earlier, error);
  if (status == STREW_OK) status = strew_narrow(u->is_start, 0, 1, n - 1, &differs, error);
  if (status == STREW_OK) status = strew_binary(STREW_NE, strew_of(later), strew_of(earlier), &differs, error);
  if (status == STREW_OK) status = strew_nonzero(u->is_start, &found, error);
  if (status == STREW_OK) status = strew_view(found, 1, (int64_t[]){found->sizes[0]}, &u->starts, error);
  strew_release(later);
  strew_release(earlier);
  strew_release(differs);
  strew_release(found);
  return status;
}

/* The index of an element's value: the number of starts up to it in sorted order, minus 1. */
static strew_status find_inverse(struct unique *u, const strew_tensor *tensor, strew_error *error) {
  strew_device *device = u->flat->storage->device;
  strew_tensor *number = NULL, *back = NULL;
  const strew_scatter_options assign = {.reduction = STREW_ASSIGN, .mode = STREW_ERROR};
  strew_status status = strew_cumsum(u->is_start, 0, &number, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_SUB, strew_of(number), strew_number(strew_int(1)), &number, error);
  if (status == STREW_OK) status = strew_empty(device, STREW_INT64, 1, u->flat->sizes, &back, error);
  if (status == STREW_OK) status = strew_scatter(back, 0, u->order, strew_of(number), &assign, &back, error);
  if (status == STREW_OK) status = strew_view(back, tensor->rank, tensor->sizes, &u->inverse, error);
  strew_release(number);
  strew_release(back);
  return status;
}

/* A value's count: the distance from its start to the next one, or to the end. */
static strew_status find_counts(struct unique *u, int64_t n, strew_error *error) {
  strew_device *device = u->flat->storage->device;
  strew_tensor *next = NULL, *end = NULL, *ends = NULL;
  strew_status status = strew_narrow(u->starts, 0, 1, u->starts->sizes[0] - 1, &next, error);
  if (status == STREW_OK) status = strew_full(device, STREW_INT64, 1, (int64_t[]){1}, strew_int(n), &end, error);
  if (status == STREW_OK) status = strew_cat(2, (strew_tensor *[]){next, end}, 0, &ends, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(ends), strew_of(u->starts), &u->counts, error);
  strew_release(next);
  strew_release(end);
  strew_release(ends);
  return status;
}

static strew_status unique_of_none(struct unique *u, const strew_tensor *tensor, strew_error *error) {
  strew_device *device = tensor->storage->device;
  const int64_t none = 0;
  strew_status status = strew_empty(device, tensor->dtype, 1, &none, &u->values, error);
  if (status == STREW_OK) status = strew_empty(device, STREW_INT64, 1, &none, &u->counts, error);
  if (status == STREW_OK) status = strew_empty(device, STREW_INT64, tensor->rank, tensor->sizes, &u->inverse, error);
  return status;
}

static strew_status unique_of(struct unique *u, strew_tensor *tensor, bool inverse, bool counts, strew_error *error) {
  int64_t n = strew_tensor_numel(tensor);
  if (!n) return unique_of_none(u, tensor, error);
  strew_status status = strew_reshape(tensor, 1, &n, &u->flat, error);
  if (status == STREW_OK) status = strew_sort(u->flat, 0, false, &u->sorted, &u->order, error);
  if (status == STREW_OK) status = find_starts(u, n, error);
  if (status == STREW_OK) status = strew_gather(u->sorted, 0, u->starts, STREW_ERROR, &u->values, error);
  if (status == STREW_OK && inverse) status = find_inverse(u, tensor, error);
  if (status == STREW_OK && counts) status = find_counts(u, n, error);
  return status;
}

strew_status strew_unique(strew_tensor *tensor, strew_tensor **values, strew_tensor **inverse, strew_tensor **counts,
                          strew_error *error) {
  struct unique u = {.flat = NULL};
  const char *alias = error ? error->alias : NULL;
  if (error && !alias) error->alias = "unique";
  strew_status status = unique_of(&u, tensor, inverse != NULL, counts != NULL, error);
  if (error) error->alias = alias;
  strew_release(u.flat);
  strew_release(u.sorted);
  strew_release(u.order);
  strew_release(u.is_start);
  strew_release(u.starts);
  pass_result(u.values, values, status);
  pass_result(u.inverse, inverse, status);
  pass_result(u.counts, counts, status);
  return status;
}
