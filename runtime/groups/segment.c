/* segment.c: groups of consecutive elements, segments, given by their ends (csr), their lengths, or a sorted index (coo):
   values joined in order, the index that ends stand for, and the way back. Segments lie along the last dimension of the tensor that gives them; its others broadcast to
   the first ones of src. */
#include "segment.h"
#include "runtime/core/base/operations.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ shapes of given tensors */

struct segments segments_of(const char *name, strew_tensor *tensor, const char *src_name, strew_tensor *src) {
  return (struct segments){name, src_name, tensor, src, shape_at_least_1d(src), tensor->rank - 1};
}

strew_tensor segments_line(const strew_tensor *tensor) {
  strew_tensor line = *tensor;
  if (line.rank == 0) line.rank = 1, line.sizes[0] = 1, line.strides[0] = 0;
  return line;
}

/* Fails unless each leading dimension is 1 or src's size. */
static strew_status check_leading(const struct call *call, const struct segments *given) {
  const strew_tensor *tensor = given->tensor;
  struct fault fault = {.code = STREW_ESHAPE, .argument = given->name};
  char text[TEXT_BYTES];
  if (tensor->rank == 0) return fail(call, fault, "has no dimension, expected at least 1");
  if (tensor->rank > given->shape.rank)
    return fail(call, fault, "has %d dimensions, %s only %d", tensor->rank, given->src_name, given->shape.rank);
  for (int d = 0; d < given->dim; d++)
    if (tensor->sizes[d] != given->shape.sizes[d] && tensor->sizes[d] != 1)
      return fail(call, fault,
                  "has size %" PRId64 " where %s has %" PRId64 " in dim %d: it does not broadcast to %s's shape %s",
                  tensor->sizes[d], given->src_name, given->shape.sizes[d], d, given->src_name,
                  text_of_sizes(given->src->rank, given->src->sizes, text));
  return STREW_OK;
}

strew_status segments_check(const struct call *call, const struct segments *given) {
  strew_status status = check_devices(call);
  TRY(status, check_leading(call, given));
  return TRY(status, check_index_dtype(call, given->tensor, given->name));
}

/* The tensor as a view of src's rank: dimension dim has `size`, those after it are repeated. */
static strew_tensor aligned(const struct segments *given, int64_t size) {
  strew_tensor view = *given->tensor;
  view.rank = given->shape.rank;
  view.sizes[given->dim] = size;
  for (int d = given->dim + 1; d < view.rank; d++) view.sizes[d] = 1, view.strides[d] = 0;
  return view;
}

/* -------------------------------------------------------------------------------------------------- values in order */

/* A value of a given tensor, if there is such a one, and the one before it in its line. */
struct segment_value {
  bool exists;
  int64_t position[MAX_RANK], value, before;
  const char *hint; /* NULL: none */
};

static strew_status find_value(const struct call *call, const strew_tensor *tensor, int64_t number,
                               struct segment_value *found) {
  strew_scalar value = strew_int(0), before = strew_int(0);
  int last = tensor->rank - 1;
  found->exists = number >= 0;
  found->hint = NULL;
  if (!found->exists) return STREW_OK;
  RETURN_IF_FAILED(index_value(call, tensor, number, found->position, &value));
  if (last >= 0 && found->position[last] > 0) {
    found->position[last]--;
    RETURN_IF_FAILED(strew_get(tensor, tensor->rank, found->position, &before, call->error));
    found->position[last]++;
  }
  found->value = value.as.i;
  found->before = before.as.i;
  return STREW_OK;
}

/* Fails with "has value V at [P], FACT", where FACT is formatted. */
static strew_status __attribute__((format(printf, 4, 5)))
fail_value(const struct call *call, const struct segments *given, const struct segment_value *found, const char *format,
           ...) {
  strew_scalar value = strew_int(found->value);
  char is[TEXT_BYTES], at[TEXT_BYTES], fact[TEXT_BYTES];
  struct fault fault = {.code = STREW_EINDEX,
                        .argument = given->name,
                        .value = &value,
                        .position = found->position,
                        .position_rank = given->tensor->rank,
                        .hint = found->hint};
  va_list values;
  va_start(values, format);
  vsnprintf(fact, sizeof fact, format, values);
  va_end(values);
  RETURN_IF_FAILED(given_value(call, given->name, given->tensor->rank, found->position, &value));
  return fail(call, fault, "has value %s at %s, %s", text_of_scalar(value, is),
              text_of_sizes(given->tensor->rank, found->position, at), fact);
}

static strew_status fail_descent(const struct call *call, const struct segments *given,
                                 const struct segment_value *found, const char *rule) {
  return fail_value(call, given, found, "less than the %" PRId64 " before it: expected %s", found->before, rule);
}

/* Finds the first value that is negative, greater than highest or less than the one before it. */
static strew_status first_disorder(const struct call *call, const strew_tensor *tensor, int64_t highest,
                                   struct segment_value *found) {
  struct shape1 shape = shape_at_least_1d(tensor);
  struct plan whole, values;
  int64_t number = -1;
  found->exists = false;
  if (strew_tensor_numel(tensor) == 0) return STREW_OK;
  PLAN(&whole, shape.rank, shape.sizes, tensor);
  plan_operand_values(&values, &whole, 0);
  plan_keep_last(&values);
  RETURN_IF_FAILED(RUN_ON(tensor, order_check, call, &values, 0, highest, &number));
  return find_value(call, tensor, number, found);
}

/* Finds the first value out of range. */
static strew_status first_outside(const struct call *call, const strew_tensor *tensor, int64_t lowest, int64_t highest,
                                  struct segment_value *found) {
  int64_t number;
  RETURN_IF_FAILED(find_outside(call, tensor, lowest, highest, &number));
  return find_value(call, tensor, number, found);
}

/* Fails unless the values are in order and in 0..highest. */
static strew_status check_order(const struct call *call, const struct segments *given, int64_t highest,
                                const char *rule) {
  struct segment_value found;
  RETURN_IF_FAILED(first_disorder(call, given->tensor, highest, &found));
  if (!found.exists) return STREW_OK;
  if (found.value >= 0 && found.value <= highest) return fail_descent(call, given, &found, rule);
  char valid[48] = "nothing is valid";
  if (highest >= 0) snprintf(valid, sizeof valid, "valid 0..%" PRId64, highest);
  return fail_value(call, given, &found, "out of range for dim %d of %s (%s)", given->dim, given->src_name, valid);
}

static const char ends_rule[] = "values that do not decrease", sorted_rule[] = "sorted values";

strew_status segments_check_ends(const struct call *call, const struct segments *ends) {
  return check_order(call, ends, ends->shape.sizes[ends->dim], ends_rule);
}

/* ------------------------------------------------------------------------------------------------------- reductions */

int64_t segments_between(const struct segments *given, const strew_tensor *ends) {
  const int64_t size = ends->sizes[given->dim];
  return size > 0 ? size - 1 : 0;
}

void segments_check_out(struct steps *steps, const struct segments *given, int64_t count, strew_dtype dtype,
                        strew_tensor *out) {
  struct shape1 shape = given->shape;
  shape.sizes[given->dim] = count;
  if (out && out->rank == shape.rank && out->sizes[given->dim] != count)
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "out"),
                     "has size %" PRId64 " in dim %d, expected %" PRId64 ", the number of segments",
                     out->sizes[given->dim], given->dim, count));
  if (out) steps_out(steps, "out", given->src->storage->device, dtype, shape.rank, shape.sizes, out);
}

/* A plan over segments: `out` has an element for each of them, src one for each of theirs. */
static void plan_segments(const struct segments *given, strew_tensor *ends, const strew_tensor *src,
                          const strew_tensor *out, const strew_tensor *arg, struct segment_plan *plan) {
  struct segments aligning = *given;
  aligning.tensor = ends;
  const int dim = given->dim;
  plan->size = src->rank ? src->sizes[dim] : 1;
  plan->step = src->rank ? src->strides[dim] : 0;
  plan->ends_step = ends->strides[dim];
  strew_tensor elements = plan->size ? *src : *out; /* no element of a src of size 0, which may have no memory */
  if (elements.rank) elements.sizes[dim] = 1;
  struct shape1 shape = shape_at_least_1d(out);
  strew_tensor view = aligned(&aligning, shape.sizes[dim]);
  PLAN(&plan->plan, shape.rank, shape.sizes, out, &elements, &view);
  if (arg) plan_add(&plan->plan, arg);
  plan_simplify(&plan->plan);
}

void segments_reduce(struct steps *steps, const struct segment_reduction *reducing, strew_tensor **out,
                     strew_tensor **arg) {
  strew_tensor *src = reducing->given->src;
  strew_device *device = src->storage->device;
  struct shape1 shape = reducing->given->shape;
  shape.sizes[reducing->given->dim] = segments_between(reducing->given, reducing->ends);
  strew_tensor *target = *out ? *out : step_new(steps, device, src->dtype, shape.rank, shape.sizes);
  strew_tensor *winners = arg ? step_new(steps, device, STREW_INT64, shape.rank, shape.sizes) : NULL;
  /* elements outside of all segments are not read */
  if (STEP(steps, deferred_open(steps->call, src, READ_BY_SEGMENTS, target)) != STREW_OK) return;
  if (strew_tensor_numel(target)) {
    struct segment_plan plan;
    plan_segments(reducing->given, reducing->ends, src, target, winners, &plan);
    for (int i = SEGMENT_OUT; i <= SEGMENT_SRC; i++)
      plan.plan.operands[i].dtype = dtype_joined(plan.plan.operands[i].dtype, reducing->reduction);
    plan.reduction = reducing->reduction;
    plan.start = reducing->start;
    plan.empty = reducing->empty;
    STEP(steps, device->ops->groups->segments(steps->call, device, &plan));
    STEP(steps, deferred_close(steps->call, src));
  }
  steps_give(steps, target, out);
  if (arg) steps_give(steps, winners, arg);
}

struct segment_reduction segments_reduction(const struct segments *ends, strew_reduction reduction) {
  const strew_dtype dtype = ends->src->dtype;
  struct segment_reduction reducing = {
      .given = ends, .ends = ends->tensor, .reduction = reduction, .start = element_identity(reduction, dtype)};
  dtype_saturate(group_empty(group_row_of(reduction), false, dtype), dtype, reducing.empty.bytes);
  return reducing;
}

/* ---------------------------------------------------------------------------------------------------------- lengths */

/* Fails unless each line of lengths, which are in range, adds up to size. */
static strew_status check_sums(struct steps *steps, const struct segments *lengths, int64_t size) {
  int64_t number = -1, position[MAX_RANK];
  strew_scalar sum;
  char at[TEXT_BYTES];
  const strew_reduce_options along = {.dim_count = 1, .dims = (const int64_t[]){lengths->dim}};
  STEP_INTO(steps, sums, strew_reduce_with(STREW_FOLD_SUM, lengths->tensor, &along, sums, steps->error));
  STEP(steps, find_outside(steps->call, *sums, size, size, &number));
  if (steps->status != STREW_OK || number < 0) return steps->status;
  if (STEP(steps, index_value(steps->call, *sums, number, position, &sum)) != STREW_OK) return steps->status;
  const int rank = (*sums)->rank;
  return fail(steps->call, VALUED(STREW_ESHAPE, lengths->name, sum),
              "adds up to %" PRId64 "%s%s, expected %" PRId64 ", the size of %s in dim %d", sum.as.i,
              rank ? " at " : "", rank ? text_of_sizes(rank, position, at) : "", size, lengths->src_name, lengths->dim);
}

strew_status segments_check_lengths(struct steps *steps, const struct segments *lengths) {
  const struct call *call = steps->call;
  const int64_t size = lengths->shape.sizes[lengths->dim];
  struct segment_value found;
  RETURN_IF_FAILED(first_outside(call, lengths->tensor, 0, size, &found));
  if (!found.exists) return check_sums(steps, lengths, size);
  return fail_value(call, lengths, &found, "expected 0..%" PRId64 ", the size of %s in dim %d", size, lengths->src_name,
                    lengths->dim);
}

strew_tensor *segments_ends_of_lengths(struct steps *steps, const strew_tensor *lengths) {
  strew_tensor *given = (strew_tensor *)(uintptr_t)lengths;
  int64_t sizes[MAX_RANK], size = lengths->sizes[lengths->rank - 1];
  memcpy(sizes, lengths->sizes, sizeof sizes);
  sizes[lengths->rank - 1]++;
  strew_tensor *ends = step_full(steps, lengths->storage->device, STREW_INT64, lengths->rank, sizes, strew_int(0));
  strew_tensor *sums = step_narrow(steps, ends, -1, 1, size);
  STEP(steps, strew_cumsum_with(given, -1, NULL, &sums, steps->error));
  return ends;
}

/* The dimension along which segments lie is the last one of the tensor that gives them. axis NULL: passes. */
strew_status segments_check_axis(const struct call *call, const struct segments *given, const char *name,
                                 const int *axis) {
  int dim = axis ? *axis : given->dim;
  strew_status status = check_named_dim(call, name, given->src->rank, &dim);
  if (status != STREW_OK || dim == given->dim) return status;
  return fail(call, FAULT(STREW_ESHAPE, name), "is %d, expected %d, the last dimension of %s", *axis, given->dim,
              given->name);
}

/* ----------------------------------------------------------------------------------------------- the index of ends */

strew_tensor *segments_index(struct steps *steps, const struct segments *given, strew_tensor *ends) {
  const int64_t count = segments_between(given, ends);
  strew_device *device = ends->storage->device;
  struct segments own = *given;
  int64_t sizes[MAX_RANK];
  memcpy(sizes, ends->sizes, sizeof sizes);
  sizes[given->dim] = given->shape.sizes[given->dim];
  strew_tensor *index = step_full(steps, device, STREW_INT64, ends->rank, sizes, strew_int(-1));
  strew_tensor *line = step_count(steps, device, count);
  sizes[given->dim] = count;
  for (int d = 0; d < given->dim; d++) sizes[d] = 1;
  strew_tensor *numbers = step_view(steps, line, ends->rank, sizes);
  memcpy(sizes, ends->sizes, (size_t)given->dim * sizeof *sizes);
  numbers = step_expand(steps, numbers, ends->rank, sizes);
  if (steps->status != STREW_OK || !strew_tensor_numel(index) || !count) return index;
  struct segment_plan plan;
  own.shape = shape_at_least_1d(index);
  plan_segments(&own, ends, index, numbers, NULL, &plan);
  STEP(steps, device->ops->groups->spread(steps->call, device, &plan));
  return index;
}

strew_tensor *group_index_of_ends(struct steps *steps, strew_tensor *ends, strew_tensor *src,
                                  struct group_options *options) {
  const struct segments given = segments_of("indptr", ends, "src", src);
  STEP(steps, segments_check(steps->call, &given));
  STEP(steps, segments_check_ends(steps->call, &given));
  if (steps->status != STREW_OK) return NULL;
  options->dim = given.dim;
  options->dim_size = segments_between(&given, ends);
  options->mode = STREW_DROP;
  return segments_index(steps, &given, ends);
}

/* ----------------------------------------------------------------------------------------------------- sorted index */

/* Fails at the first value that is less than the one before it, unless a negative one, which is left to others, comes
   first. */
strew_status segments_check_sorted(const struct call *call, const struct segments *index, bool *has_negative) {
  struct segment_value found;
  RETURN_IF_FAILED(first_disorder(call, index->tensor, INT64_MAX, &found));
  *has_negative = found.exists && found.value < 0;
  if (!found.exists || *has_negative) return STREW_OK;
  return fail_descent(call, index, &found, sorted_rule);
}

/* Fails with the negative value that segments_check_sorted has found. */
strew_status segments_fail_negative(const struct call *call, const struct segments *index) {
  struct segment_value found;
  RETURN_IF_FAILED(first_disorder(call, index->tensor, INT64_MAX, &found));
  if (!found.exists) return fail(call, FAULT(STREW_EINDEX, index->name), "has changed while it was read");
  found.hint =
      hint_of(call, "strew_group_reduce(index, src, {.dim = %d, .mode = STREW_DROP}) skips negative values, as padding",
              index->dim);
  return fail_value(call, index, &found, "expected 0 or more");
}

/* The largest value of a sorted index that is not empty. */
static strew_status largest_of_sorted(const struct call *call, const struct segments *index, int64_t *largest) {
  strew_tensor last = *index->tensor;
  struct index_range range;
  last.offset += (last.sizes[index->dim] - 1) * last.strides[index->dim];
  last.sizes[index->dim] = 1;
  strew_status status = find_index_range(call, &last, &range);
  *largest = range.highest;
  return status;
}

/* The ends of the segments of a sorted, valid index: of `size` values. */
static strew_tensor *ends_of_sorted(struct steps *steps, const struct segments *index, int64_t size) {
  strew_tensor line = *index->tensor;
  int64_t sizes[MAX_RANK];
  for (int d = 0; d < index->dim; d++) sizes[d] = line.strides[d] == 0 ? 1 : line.sizes[d];
  sizes[index->dim] = size + 1;
  strew_device *device = line.storage->device;
  strew_tensor *ends = step_new(steps, device, STREW_INT64, line.rank, sizes);
  if (!ends) return NULL;
  struct plan plan;
  const int64_t count = line.sizes[index->dim];
  for (int d = 0; d < index->dim; d++) line.sizes[d] = sizes[d];
  line.sizes[index->dim] = 1;
  PLAN(&plan, line.rank, sizes, ends, &line);
  plan_keep_last(&plan);
  STEP(steps, device->ops->groups->sorted_ends(steps->call, device, &plan, count, line.strides[index->dim]));
  return ends;
}

/* A sorted index into a new result of no more rows than this share of the index's elements is reduced by its ends.
   Others, and all errors, are left to the group form, whose results are the same. */
enum { MOST_ROWS = 2 };
void segments_reduce_sorted(struct steps *steps, const struct segments *index, int64_t dim_size,
                            strew_reduction reduction, strew_tensor **out, strew_tensor **arg) {
  int64_t largest = 0, count = index->tensor->sizes[index->dim];
  STEP(steps, largest_of_sorted(steps->call, index, &largest));
  if (steps->status != STREW_OK || largest / MOST_ROWS >= count) return;
  if (dim_size < 0) dim_size = largest + 1;
  if (largest >= dim_size || dim_size / MOST_ROWS > count) return;
  struct segments by_ends = *index;
  by_ends.tensor = ends_of_sorted(steps, index, dim_size);
  const struct segment_reduction reducing = segments_reduction(&by_ends, reduction);
  if (steps->status == STREW_OK) segments_reduce(steps, &reducing, out, arg);
}

bool segments_are_plain(const struct segments *index, strew_tensor *src, const struct group_options *options,
                        bool with_arg) {
  strew_tensor *tensor = index->tensor;
  if (tensor->rank > index->shape.rank || strew_tensor_numel(tensor) == 0) return false;
  return tensor->sizes[index->dim] == index->shape.sizes[index->dim] &&
         group_form_is_valid(src, tensor, options, with_arg);
}

/* --------------------------------------------------------------------------------------------- back to the elements */

/* Fails unless value number `at` of each line of indptr, whose values are in order, is `expected`. */
static strew_status check_column(const struct call *call, const struct segments *indptr, int64_t at, int64_t expected) {
  strew_tensor column = *indptr->tensor;
  struct segment_value found;
  column.offset += at * column.strides[indptr->dim];
  column.sizes[indptr->dim] = 1;
  RETURN_IF_FAILED(first_outside(call, &column, expected, expected, &found));
  if (!found.exists) return STREW_OK;
  found.position[indptr->dim] = at;
  return fail_value(call, indptr, &found, "expected %" PRId64 ": every position belongs to a segment", expected);
}

/* Fails unless the lines of indptr begin with 0, do not decrease, and end with the same value: the size of the
   result. */
static strew_status check_whole(const struct call *call, const struct segments *indptr, int64_t *total) {
  const int64_t count = indptr->tensor->sizes[indptr->dim] - 1;
  struct segment_value found;
  *total = 0;
  if (strew_tensor_numel(indptr->tensor) == 0) return STREW_OK;
  RETURN_IF_FAILED(first_disorder(call, indptr->tensor, INT64_MAX, &found));
  if (found.exists && found.value < 0) return fail_value(call, indptr, &found, "expected 0 or more");
  if (found.exists) return fail_descent(call, indptr, &found, ends_rule);
  RETURN_IF_FAILED(largest_of_sorted(call, indptr, total));
  RETURN_IF_FAILED(check_column(call, indptr, 0, 0));
  return check_column(call, indptr, count, *total);
}

static strew_status check_segment_count(const struct call *call, const struct segments *indptr) {
  const int64_t count = segments_between(indptr, indptr->tensor), size = indptr->shape.sizes[indptr->dim];
  if (size == count) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, indptr->src_name),
              "has size %" PRId64 " in dim %d, expected %" PRId64 ", the number of segments of indptr", size,
              indptr->dim, count);
}

/* Out of memory for the result: names the value that sizes it, the last of each line of indptr, if it is hardly
   meant. */
static strew_status fail_total(const struct call *call, const struct segments *indptr, int64_t total,
                               strew_status failure) {
  int64_t position[MAX_RANK] = {0};
  strew_scalar value = strew_int(total);
  char at[TEXT_BYTES];
  if (total <= INT32_MAX || (failure != STREW_EMEMORY && failure != STREW_ESHAPE)) return failure;
  struct fault fault = {.code = failure, .argument = indptr->name, .value = &value, .position = position};
  fault.position_rank = indptr->tensor->rank;
  position[indptr->dim] = indptr->tensor->sizes[indptr->dim] - 1;
  return fail(call, fault, "has value %" PRId64 " at %s, the result's size in dim %d: out of memory", total,
              text_of_sizes(fault.position_rank, position, at), indptr->dim);
}

strew_status strew_gather_csr(strew_tensor *src, strew_tensor *indptr, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "gather_csr", error, {"src", src, MOVED}, {"indptr", indptr}, {"out", *out, MOVED});
  INDEX(&call, indptr);
  const struct segments given = segments_of("indptr", indptr, "src", src);
  struct shape1 shape = given.shape;
  strew_device *device = src->storage->device;
  STEP(&steps, segments_check(&call, &given));
  STEP(&steps, check_segment_count(&call, &given));
  STEP(&steps, check_whole(&call, &given, &shape.sizes[given.dim]));
  if (steps.status != STREW_OK) return steps_status(&steps);
  strew_tensor *target = steps_out(&steps, "out", device, src->dtype, shape.rank, shape.sizes, *out);
  if (steps.status != STREW_OK && !*out) return fail_total(&call, &given, shape.sizes[given.dim], steps_status(&steps));
  if (steps.status == STREW_OK && strew_tensor_numel(target)) {
    struct segment_plan plan;
    plan_segments(&given, indptr, target, src, NULL, &plan);
    STEP(&steps, device->ops->groups->spread(&call, device, &plan));
  }
  return steps_give(&steps, target, out);
}

strew_status strew_gather_coo(strew_tensor *src, strew_tensor *index, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "gather_coo", error, {"src", src, MOVED}, {"index", index}, {"out", *out, MOVED});
  INDEX(&call, index);
  strew_tensor line = segments_line(index);
  struct segments given = segments_of("index", &line, "src", src);
  STEP(&steps, segments_check(&call, &given));
  STEP(&steps, check_order(&call, &given, given.shape.sizes[given.dim] - 1, sorted_rule));
  if (steps.status == STREW_OK) {
    struct shape1 shape = given.shape;
    shape.sizes[given.dim] = line.sizes[given.dim];
    strew_tensor few = aligned(&given, line.sizes[given.dim]), view, elements = segments_line(src);
    tensor_broadcast(&view, &few, &shape);
    STEP(&steps, strew_gather_with(&elements, given.dim, &view, NULL, out, error));
  }
  return steps_status(&steps);
}
