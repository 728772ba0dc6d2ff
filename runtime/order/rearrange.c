/* rearrange.c: elements in another order, copies of a tensor or of its elements, differences of neighbours, triangles
   of matrices. Names and rules are PyTorch's. */
#include "order_ops.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t size_along(const strew_tensor *tensor, int dim) { return tensor->rank ? tensor->sizes[dim] : 1; }

/* Gives a contiguous result; of the operand itself, or of a view of it, a copy. */
static strew_status give_new(struct steps *steps, const strew_tensor *operand, strew_tensor *x, strew_tensor **out) {
  const bool is_new = steps->status == STREW_OK && x->storage != operand->storage && strew_tensor_is_contiguous(x);
  return steps_give(steps, is_new ? x : step_copy(steps, x, operand->dtype), out);
}

/* ------------------------------------------------------------------------------------------------------ flip, roll */

strew_status strew_flip(strew_tensor *tensor, int dim_count, const int64_t *dims, strew_tensor **out,
                        strew_error *error) {
  CALL(call, "flip", error, {"self", tensor, MOVED});
  struct strew_tensor reversed = *tensor; /* a view on the stack, without a reference to the storage */
  bool chosen[MAX_RANK];
  RETURN_IF_FAILED(mark_dims(&call, "dims", tensor->rank, dim_count, dims, chosen));
  for (int d = 0; d < tensor->rank; d++) {
    if (!chosen[d] || tensor->sizes[d] < 2) continue;
    reversed.offset += (tensor->sizes[d] - 1) * tensor->strides[d];
    reversed.strides[d] = -tensor->strides[d];
  }
  return copy_as(&call, &reversed, tensor->dtype, out);
}

/* Those that leave at one end enter at the other. */
static strew_tensor *roll_along(struct steps *steps, strew_tensor *x, int dim, int64_t shift) {
  const int64_t n = size_along(x, dim), first = !n ? 0 : shift % n > 0 ? n - shift % n : -(shift % n);
  if (!first) return x;
  const int mark = steps->count;
  strew_tensor *parts[] = {step_narrow(steps, x, dim, first, n - first), step_narrow(steps, x, dim, 0, first)};
  STEP_INTO(steps, joined, strew_cat(2, parts, dim, joined, steps->error));
  return steps_keep(steps, mark, *joined);
}

strew_status strew_roll(strew_tensor *tensor, int count, const int64_t *shifts, const int64_t *dims, strew_tensor **out,
                        strew_error *error) {
  CALL_STEPS(call, steps, "roll", error, {"self", tensor, MOVED});
  struct fault fault = HINTED(STREW_ESHAPE, "shifts", dims ? "" : "name as many dimensions in 'dims'");
  strew_tensor *x = tensor;
  if (count < 0) fault.code = STREW_EARGUMENT;
  if (count < 0 || (!dims && count != 1))
    STEP(&steps, fail(&call, fault, "has %d entries, expected %s", count, dims ? "0 or more" : "1"));
  if (!dims) x = step_reshape(&steps, tensor, 1, (int64_t[]){-1});
  for (int i = 0, dim = 0; i < count && steps.status == STREW_OK; i++) {
    if (dims && STEP(&steps, read_dim(&call, "dims", tensor->rank, dims[i], &dim)) != STREW_OK) break;
    x = roll_along(&steps, x, dim, shifts[i]);
  }
  if (!dims) x = step_view(&steps, x, tensor->rank, tensor->sizes);
  return give_new(&steps, tensor, x, out);
}

/* ---------------------------------------------------------------------------------------------------------- copies */

/* A copy of x with dim repeated `count` times: as a whole, or each of its positions. */
static strew_tensor *repeat_along(struct steps *steps, strew_tensor *x, int dim, int64_t count, bool whole) {
  if (!x) return NULL;
  struct strew_tensor wide = *x; /* a view on the stack, with a dimension of `count` before or after dim */
  const int rank = x->rank, at = whole ? dim : dim + 1;
  if (rank == MAX_RANK) { /* leading dimensions as one */
    const int mark = steps->count;
    const int64_t before = count_of_sizes(dim, x->sizes), after = count_of_sizes(rank - dim - 1, x->sizes + dim + 1);
    strew_tensor *few = step_reshape(steps, x, 3, (int64_t[]){before, x->sizes[dim], after});
    strew_tensor *repeated = repeat_along(steps, few, 1, count, whole);
    int64_t sizes[MAX_RANK];
    memcpy(sizes, x->sizes, sizeof sizes);
    sizes[dim] *= count;
    return steps_keep(steps, mark, step_view(steps, repeated, rank, sizes));
  }
  for (int d = rank; d > at; d--) wide.sizes[d] = wide.sizes[d - 1], wide.strides[d] = wide.strides[d - 1];
  wide.sizes[at] = count;
  wide.strides[at] = 0;
  wide.rank++;
  strew_tensor *made = step_copy(steps, &wide, x->dtype);
  if (!made) return NULL;
  made->rank = rank; /* a copy is contiguous, and nobody else has it yet */
  memcpy(made->sizes, x->sizes, (size_t)rank * sizeof *made->sizes);
  made->sizes[dim] *= count;
  dense_strides(rank, made->sizes, made->strides);
  return made;
}

/* Entry i, from 0, of the list `repeats`; 0-d: the number. */
static strew_status check_repeats(const struct call *call, int64_t size, int64_t count, int i, int rank) {
  const strew_scalar value = strew_int(count);
  struct fault fault = {.code = STREW_ESHAPE, .argument = "repeats", .value = &value};
  char at[32] = "";
  if (rank) snprintf(at, sizeof at, " at [%d]", i + 1);
  if (count < 0) fault.code = STREW_EVALUE;
  if (count < 0) return fail(call, fault, "%s %" PRId64 "%s, expected 0 or more", rank ? "has value" : "is", count, at);
  if (size > 0 && count > INT64_MAX / size)
    return fail(call, fault, "%s %" PRId64 "%s, the size of the result overflows", rank ? "has value" : "is", count,
                at);
  return STREW_OK;
}

strew_status strew_repeat(strew_tensor *tensor, int count, const int64_t *repeats, strew_tensor **out,
                          strew_error *error) {
  CALL_STEPS(call, steps, "repeat", error, {"self", tensor, MOVED});
  struct fault fault = FAULT(STREW_ESHAPE, "repeats");
  const int added = count < 0 ? -1 : count - tensor->rank;
  int64_t sizes[MAX_RANK];
  strew_tensor *x = tensor;
  if (count < 0) fault.code = STREW_EARGUMENT;
  if (added < 0)
    STEP(&steps, fail(&call, fault, "has %d entr%s, expected at least self's %d dimensions", count,
                      count == 1 ? "y" : "ies", tensor->rank));
  if (count > MAX_RANK) STEP(&steps, fail(&call, fault, "has %d entries, expected at most %d", count, MAX_RANK));
  for (int d = 0; d < count && steps.status == STREW_OK; d++) {
    sizes[d] = d < added ? 1 : tensor->sizes[d - added];
    STEP(&steps, check_repeats(&call, sizes[d], repeats[d], d, 1));
  }
  if (added > 0) x = step_view(&steps, x, count, sizes);
  for (int d = count > 0 ? count - 1 : -1; d >= 0 && steps.status == STREW_OK; d--)
    if (repeats[d] != 1) x = repeat_along(&steps, x, d, repeats[d], true);
  return give_new(&steps, tensor, x, out);
}

/* The elements of a line, each repeated as often as its count; NULL if the device declines. It reads counts twice:
   wrapped memory, which the host may change in between, is copied first. */
static strew_tensor *repeat_line(struct steps *steps, const strew_tensor *line, strew_tensor *counts) {
  if (steps->status != STREW_OK || !line->storage->device->ops->order->repeat || !line->sizes[0]) return NULL;
  if (counts->dtype != STREW_INT64 || counts->storage->wrapped) counts = step_copy(steps, counts, STREW_INT64);
  strew_tensor **made = steps_place(steps);
  if (steps->status != STREW_OK) return NULL;
  const strew_status status = RUN_ON(line, order->repeat, steps->call, line, counts, made);
  if (status != STREW_DECLINED) STEP(steps, status);
  return *made;
}

/* The position of each element of a result in which position i occurs as often as counts, integers, 1-D, says.
   `declined`: the device would decline these counts again. */
static strew_tensor *find_positions(struct steps *steps, strew_tensor *counts, int64_t n, bool declined) {
  static const strew_scatter_options add = {.reduction = STREW_SUM, .mode = STREW_DROP};
  strew_device *device = counts->storage->device;
  strew_tensor *positions = NULL;
  if (device->ops->order->repeat && !declined) positions = repeat_line(steps, step_count(steps, device, n), counts);
  if (positions) return positions;
  strew_scalar total = strew_int(0);
  const int64_t least = n ? step_number(steps, STREW_FOLD_AMIN, counts).as.i : 0;
  if (steps->status == STREW_OK && least < 0) {
    const strew_scalar value = strew_int(least);
    const int64_t at = step_number(steps, STREW_FOLD_ARGMIN, counts).as.i;
    struct fault fault = {STREW_EVALUE, "repeats", &value, &at, 1, NULL, false};
    STEP(steps, fail(steps->call, fault, "has value %" PRId64 " at [%" PRId64 "], expected 0 or more", least, at));
  }
  if (n && step_number(steps, STREW_FOLD_AMAX, counts).as.i > INT64_MAX / n)
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "repeats"), "adds up to more than int64 can hold"));
  strew_tensor *ends = step_cumsum(steps, counts, 0);
  if (n) STEP(steps, strew_get(ends, 1, (int64_t[]){-1}, &total, steps->error));
  /* Each start is marked in the result; the number of marks so far is the position. */
  strew_tensor *marks = step_full(steps, device, STREW_INT64, 1, &total.as.i, strew_int(0));
  if (!n || steps->status != STREW_OK) return marks;
  strew_tensor *starts = step_narrow(steps, ends, 0, 0, n - 1);
  STEP(steps, strew_scatter(marks, 0, starts, operand_of_int(1), &add, &marks, steps->error));
  STEP(steps, strew_cumsum_with(marks, 0, NULL, &marks, steps->error));
  return marks;
}

static strew_status check_counts(const struct call *call, const strew_tensor *repeats, int dim, int64_t n) {
  struct fault fault = FAULT(STREW_ESHAPE, "repeats");
  const int64_t count = strew_tensor_numel(repeats);
  RETURN_IF_FAILED(check_devices(call));
  if (repeats->rank > 1) return fail(call, fault, "has %d dimensions, expected 0 or 1", repeats->rank);
  if (count != 1 && count != n)
    return fail(call, fault, "has %" PRId64 " values, expected 1 or %" PRId64 ", the size of dim %d of self", count, n,
                dim);
  return check_index_dtype(call, repeats, "repeats");
}

strew_status strew_repeat_interleave(strew_tensor *tensor, strew_operand repeats, int dim, strew_tensor **out,
                                     strew_error *error) {
  CALL_STEPS(call, steps, "repeat_interleave", error, {"self", tensor, MOVED}, {"repeats", repeats.tensor});
  strew_tensor *x = tensor, *each = repeats.tensor;
  char text[TEXT_BYTES];
  INDEX(&call, each);
  if (!tensor->rank) x = step_view(&steps, tensor, 1, (int64_t[]){1});
  if (STEP(&steps, check_dim(&call, tensor->rank, &dim)) != STREW_OK) return steps_status(&steps);
  const int64_t n = x->sizes[dim];
  if (repeats.tensor) {
    STEP(&steps, check_counts(&call, repeats.tensor, dim, n));
    strew_tensor *counts = step_expand(&steps, step_reshape(&steps, each, 1, (int64_t[]){-1}), 1, &n);
    strew_tensor *made = x->rank == 1 ? repeat_line(&steps, x, counts) : NULL;
    if (made) return steps_give(&steps, made, out);
    strew_tensor *positions = steps.status == STREW_OK ? find_positions(&steps, counts, n, x->rank == 1) : NULL;
    STEP_INTO(&steps, chosen, strew_index_select_with(x, dim, positions, NULL, chosen, steps.error));
    return steps_give(&steps, *chosen, out);
  }
  STEP(&steps, check_scalar(&call, "repeats", repeats.number));
  if (steps.status == STREW_OK && repeats.number.dtype != STREW_INT64)
    STEP(&steps, fail(&call, VALUED(STREW_EARGUMENT, "repeats", repeats.number),
                      "is %s, expected an integer or a tensor of integers", text_of_scalar(repeats.number, text)));
  STEP(&steps, check_repeats(&call, n, repeats.number.as.i, 0, 0));
  return steps_give(&steps, steps.status == STREW_OK ? repeat_along(&steps, x, dim, repeats.number.as.i, false) : NULL,
                    out);
}

/* ------------------------------------------------------------------------------------------ differences, triangles */

strew_status strew_diff(strew_tensor *tensor, int64_t n, int dim, strew_tensor **out, strew_error *error) {
  const bool is_time = tensor->dtype == STREW_TIME;
  CALL_STEPS(call, steps, "diff", error, {"self", tensor, is_time ? ORDERED : 0});
  strew_tensor *x = tensor;
  if (is_time && n != 1)
    STEP(&steps,
         fail(&call, FAULT(STREW_EARGUMENT, "n"), "is %" PRId64 ", expected 1: differences of times are seconds", n));
  if (n < 0)
    STEP(&steps, fail(&call, VALUED(STREW_EARGUMENT, "n", strew_int(n)), "is %" PRId64 ", expected 0 or more", n));
  if (!tensor->rank) STEP(&steps, fail(&call, FAULT(STREW_ESHAPE, "self"), "has no dimension, expected at least 1"));
  STEP(&steps, check_dim(&call, tensor->rank, &dim));
  if (steps.status == STREW_OK && n > 0 && !is_time &&
      !strew_tensor_numel(x)) { /* without a step for each difference */
    x = step_narrow(&steps, x, dim, 0, n < x->sizes[dim] ? x->sizes[dim] - n : 0);
    n = 0;
  }
  for (; n > 0 && steps.status == STREW_OK && (x->sizes[dim] || is_time); n--) {
    const int64_t first = x->sizes[dim] > 0, size = x->sizes[dim] - first;
    strew_tensor *after = step_narrow(&steps, x, dim, first, size), *before = step_narrow(&steps, x, dim, 0, size);
    const strew_binary_op op = tensor->dtype == STREW_BOOL ? STREW_NE : STREW_SUB;
    x = steps_keep(&steps, 0, step_binary(&steps, op, after, before, NULL));
  }
  return give_new(&steps, tensor, x, out);
}

/* A copy of matrices with zeros beyond a diagonal, on the CPU. NULL if a step failed. */
static strew_tensor *copy_triangle(struct steps *steps, const strew_tensor *tensor, int64_t diagonal, bool is_lower) {
  const int64_t rows = tensor->sizes[tensor->rank - 2], columns = tensor->sizes[tensor->rank - 1];
  const size_t bytes = dtype_bytes(tensor->dtype);
  strew_context *context = tensor->storage->device->context;
  strew_tensor *made = step_copy(steps, tensor, tensor->dtype);
  if (!made || !strew_tensor_numel(made)) return made;
  char *at = made->storage->data;
  const int64_t lines = strew_tensor_numel(made) / columns;
  for (int64_t i = 0; i < lines && !context_stops(context); i++, at += (size_t)columns * bytes) {
    int64_t first = i % rows + diagonal + is_lower; /* of the upper triangle */
    first = first < 0 ? 0 : first > columns ? columns : first;
    if (is_lower)
      memset(at + (size_t)first * bytes, 0, (size_t)(columns - first) * bytes);
    else
      memset(at, 0, (size_t)first * bytes);
  }
  STEP(steps, context_end(steps->call, context, made->storage));
  return made;
}

/* Zeros where column - row - diagonal is less, or greater (op), than 0. */
static strew_status clear_triangle(const char *name, strew_tensor *tensor, int64_t diagonal, strew_binary_op op,
                                   strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, name, error, {"self", tensor}, {"out", *out == tensor ? NULL : *out});
  if (tensor->rank < 2)
    return fail(&call, FAULT(STREW_ESHAPE, "self"), "has %d dimension%s, expected at least 2", tensor->rank,
                tensor->rank == 1 ? "" : "s");
  const int64_t rows = tensor->sizes[tensor->rank - 2], columns = tensor->sizes[tensor->rank - 1];
  diagonal = diagonal < -rows - 1 ? -rows - 1 : diagonal > columns + 1 ? columns + 1 : diagonal; /* no sum wraps */
  if (!*out && tensor->storage->device->ops->host_memory)
    return steps_give(&steps, copy_triangle(&steps, tensor, diagonal, op == STREW_GT), out);
  STEP_INTO(&steps, row,
            strew_arange(tensor->storage->device, STREW_INT64, strew_int(diagonal), strew_int(diagonal + rows),
                         strew_int(1), row, steps.error));
  strew_tensor *mask = step_binary(&steps, op, step_count(&steps, tensor->storage->device, columns),
                                   step_view(&steps, *row, 2, (int64_t[]){rows, 1}), NULL);
  STEP(&steps, strew_masked_fill(tensor, mask, strew_number(strew_bool(false)), out, steps.error));
  return steps_status(&steps);
}

strew_status strew_tril(strew_tensor *tensor, int64_t diagonal, strew_tensor **out, strew_error *error) {
  return clear_triangle("tril", tensor, diagonal, STREW_GT, out, error);
}

strew_status strew_triu(strew_tensor *tensor, int64_t diagonal, strew_tensor **out, strew_error *error) {
  return clear_triangle("triu", tensor, diagonal, STREW_LT, out, error);
}
