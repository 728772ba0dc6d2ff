/* searchsorted.c: searches in sorted lines: searchsorted and bucketize. */
#include "runtime/base/copy.h"
#include "runtime/base/device.h"

#include <string.h>

/* A call: its arguments, and their names in messages. */
struct search {
  const struct call *call;
  strew_tensor *sorted;
  strew_operand values;
  const char *sorted_name, *values_name;
  bool right;
};

/* Fails unless there is one line, or a line for each of the values' last dimension. */
static strew_status check_shapes(const struct search *search) {
  const strew_tensor *sorted = search->sorted, *values = search->values.tensor;
  const int rank = values ? values->rank : 0;
  const size_t leading_bytes = (size_t)(sorted->rank - 1) * sizeof *sorted->sizes;
  if (sorted->rank == 1) return STREW_OK;
  if (values && rank == sorted->rank && !memcmp(values->sizes, sorted->sizes, leading_bytes)) return STREW_OK;
  char has[TEXT_BYTES], expected[TEXT_BYTES];
  return fail(search->call, (struct fault){.code = STREW_ESHAPE, .argument = search->values_name},
              "has shape %s, expected the leading sizes of %s, %s",
              text_of_sizes(rank, values ? values->sizes : NULL, has), search->sorted_name,
              text_of_sizes(sorted->rank, sorted->sizes, expected));
}

/* Makes a tensor of a number: of itself, or of the nearest smaller element, which is then to be passed (*right). */
static strew_status number_to_tensor(const struct search *search, bool *right, strew_tensor **out) {
  const strew_dtype dtype = search->sorted->dtype;
  strew_scalar number;
  union element element;
  const enum standing standing = number_standing(search->values.number, dtype, &number);
  strew_status status = element_from(search->call, search->values_name, number, STREW_EXACT, dtype, &element);
  if (standing == STANDS_NOWHERE) element = element_identity(STREW_AMIN, dtype); /* NaN is above all integers */
  if (standing == STANDS_NOWHERE || standing == STANDS_ABOVE) *right = true;
  if (standing == STANDS_BELOW) *right = false;
  if (status == STREW_OK) status = tensor_create(search->call, search->sorted->storage->device, dtype, 0, NULL, out);
  return status == STREW_OK ? fill_tensor(search->call, *out, element) : status;
}

static strew_status run(const struct search *search, const strew_tensor *values, bool right, strew_tensor *out) {
  const int last = search->sorted->rank - 1;
  strew_tensor lines = *search->sorted;
  struct search_plan plan = {.size = lines.sizes[last], .step = lines.strides[last], .right = right};
  if (!strew_tensor_numel(out)) return STREW_OK;
  if (!plan.size) return fill_tensor(search->call, out, (union element){.i64 = 0});
  lines.sizes[last] = 1;
  if (!last) lines.rank = 0;
  plan_start(&plan.plan, out->rank, out->sizes);
  plan_add(&plan.plan, out);
  plan_add(&plan.plan, values);
  plan_add(&plan.plan, &lines);
  plan_simplify_any_order(&plan.plan);
  strew_device *device = out->storage->device;
  return device->ops->search(search->call, device, &plan);
}

static strew_status prepare_out(const struct search *search, strew_tensor **out, bool *made) {
  const strew_tensor *values = search->values.tensor;
  strew_device *device = search->sorted->storage->device;
  const int rank = values ? values->rank : 0;
  return out_prepare(search->call, device, STREW_INT64, rank, values ? values->sizes : NULL, out, made);
}

/* Fails if a given result shares elements with itself or an operand. */
static strew_status check_given(const struct search *search, const strew_tensor *out) {
  const strew_tensor *values = search->values.tensor;
  if (!out) return STREW_OK;
  strew_status status = check_overlap(search->call, out, "out", NULL, false);
  if (status == STREW_OK) status = check_overlap(search->call, out, search->sorted_name, search->sorted, false);
  if (status == STREW_OK && values) status = check_overlap(search->call, out, search->values_name, values, false);
  return status;
}

static strew_status find_places(const struct search *search, strew_tensor **out) {
  bool made = false, right = search->right;
  strew_tensor *number = NULL;
  strew_status status = check_operand(search->call, search->values_name, search->values);
  if (status == STREW_OK) status = check_shapes(search);
  if (status == STREW_OK && !search->values.tensor) status = number_to_tensor(search, &right, &number);
  if (status == STREW_OK) status = prepare_out(search, out, &made);
  if (status == STREW_OK) status = run(search, number ? number : search->values.tensor, right, *out);
  strew_release(number);
  if (status != STREW_OK && made) strew_release(*out), *out = NULL;
  return status;
}

/* Converts tensor to dtype unless it has it; *out is to be released. */
static strew_status promote(const struct call *call, strew_tensor *tensor, strew_dtype dtype, strew_tensor **out) {
  if (tensor->dtype == dtype) return *out = strew_retain(tensor), STREW_OK;
  return copy_as(call, tensor, dtype, out);
}

/* Searches in the promoted dtype. */
static strew_status find_promoted(const struct search *search, strew_tensor **out) {
  strew_tensor *given = search->values.tensor, *sorted = NULL, *values = NULL;
  strew_status status = check_devices(search->call);
  if (status == STREW_OK) status = check_given(search, *out);
  if (status != STREW_OK) return status;
  if (!given || given->dtype == search->sorted->dtype) return find_places(search, out);
  const strew_dtype dtype = dtype_promote(given->dtype, search->sorted->dtype);
  struct search promoted = *search;
  status = promote(search->call, search->sorted, dtype, &sorted);
  if (status == STREW_OK) status = promote(search->call, given, dtype, &values);
  promoted.sorted = sorted, promoted.values = strew_of(values);
  if (status == STREW_OK) status = find_places(&promoted, out);
  strew_release(sorted);
  strew_release(values);
  return status;
}

strew_status strew_searchsorted(strew_tensor *sorted, strew_operand values, bool right, strew_tensor **out,
                                strew_error *error) {
  CALL(call, "searchsorted", error, {"sorted", sorted}, {"values", values.tensor}, {"out", *out});
  const struct search search = {&call, sorted, values, "sorted", "values", right};
  if (!sorted->rank)
    return fail(&call, (struct fault){.code = STREW_ESHAPE, .argument = "sorted"},
                "has no dimension, expected at least 1");
  return find_promoted(&search, out);
}

strew_status strew_bucketize(strew_operand values, strew_tensor *boundaries, bool right, strew_tensor **out,
                             strew_error *error) {
  CALL(call, "bucketize", error, {"values", values.tensor}, {"boundaries", boundaries}, {"out", *out});
  const struct search search = {&call, boundaries, values, "boundaries", "values", right};
  if (boundaries->rank != 1)
    return fail(&call, (struct fault){.code = STREW_ESHAPE, .argument = "boundaries"}, "has %d dimensions, expected 1",
                boundaries->rank);
  return find_promoted(&search, out);
}
