/* quantile.c: quantiles of lines: elements are sorted, and the device picks them by rank. For one quantile the CPU
   selects among unsorted ones. */
#include "order_ops.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>

static strew_status check_interpolation(const struct call *call, strew_interpolation interpolation) {
  if ((unsigned)interpolation < STREW_INTERPOLATION_COUNT) return STREW_OK;
  return fail_unknown(call, "interpolation", (int)interpolation, STREW_INTERPOLATION_COUNT - 1);
}

static strew_status check_q(const struct call *call, double q) {
  char text[TEXT_BYTES];
  strew_scalar value = strew_float(q);
  if (q >= 0 && q <= 1) return STREW_OK;
  return fail(call, VALUED(STREW_EVALUE, "q", value), "is %s, expected a number from 0 to 1",
              text_of_scalar(value, text));
}

strew_status check_rank(const struct call *call, double q, strew_interpolation interpolation) {
  RETURN_IF_FAILED(check_q(call, q));
  return check_interpolation(call, interpolation);
}

enum { FLOAT32_EXACT = 1 << 24 }; /* the largest integer up to which float32 has all */

/* The quantiles that are wanted: `count` of them. */
struct quantile_list {
  const struct call *call;
  strew_tensor *tensor;
  int64_t count;
  double *q;
  bool forms_dim; /* they are a tensor of rank 1 */
};

static strew_status check_q_tensor(const struct quantile_list *list, const strew_tensor *q) {
  const strew_tensor *tensor = list->tensor;
  if (q->rank > 1) return fail(list->call, FAULT(STREW_ESHAPE, "q"), "has %d dimensions, expected 0 or 1", q->rank);
  strew_status status = check_devices(list->call);
  return TRY(status, check_equal_dtypes(list->call, "q", q->dtype, "self", tensor->dtype));
}

/* Reads one q from an element of the tensor's dtype. */
static strew_status set_q(const struct quantile_list *list, int64_t i, const void *element) {
  const double q = strew_scalar_load(list->tensor->dtype, element).as.f;
  char text[TEXT_BYTES];
  list->q[i] = q;
  if (!list->forms_dim || (q >= 0 && q <= 1)) return check_q(list->call, q);
  strew_scalar value = strew_float(q);
  struct fault fault = {.code = STREW_EVALUE, .argument = "q", .value = &value, .position = &i, .position_rank = 1};
  return fail(list->call, fault, "has value %s at [%" PRId64 "], expected numbers from 0 to 1",
              strew_scalar_text(value, list->tensor->dtype, text), i);
}

static strew_status read_q_tensor(const struct quantile_list *list, const strew_tensor *q) {
  strew_context *context = list->tensor->storage->device->context;
  const uint64_t bytes = (uint64_t)list->count * dtype_bytes(q->dtype);
  ALLOCATE_NEW(char *, elements, list->call, context, bytes);
  strew_status status = strew_read(q, elements, (size_t)bytes, list->call->error);
  for (int64_t i = 0; i < list->count && status == STREW_OK; i++)
    status = set_q(list, i, elements + (size_t)i * dtype_bytes(q->dtype));
  memory_free(context, elements, bytes);
  return status;
}

/* Numbers are rounded to the tensor's dtype, too. */
static strew_status read_q(struct quantile_list *list, strew_operand q) {
  strew_context *context = list->tensor->storage->device->context;
  union element element;
  RETURN_IF_FAILED(q.tensor ? check_q_tensor(list, q.tensor) : check_scalar(list->call, "q", q.number));
  list->forms_dim = q.tensor && q.tensor->rank;
  list->count = q.tensor ? strew_tensor_numel(q.tensor) : 1;
  if (!list->count) return STREW_OK;
  ALLOCATE(list->q, list->call, context, (uint64_t)list->count * sizeof *list->q);
  if (q.tensor) return read_q_tensor(list, q.tensor);
  strew_status status = check_q(list->call, q.number.dtype == STREW_FLOAT64 ? q.number.as.f : (double)q.number.as.i);
  TRY(status, element_from(list->call, "q", q.number, STREW_EXACT, list->tensor->dtype, &element));
  return TRY(status, set_q(list, 0, element.bytes));
}

/* Sorted lines [rows, n], or unsorted ones, whose elements may be moved if there are several; and where each begins, and
   its length, in memory for devices; NULL: the CPU takes numbers. */
struct sorted_lines {
  strew_tensor *values, *start, *count;
  int64_t rows, n;
  bool unsorted, is_copy;
};

static void make_lines(struct steps *steps, strew_tensor *tensor, const int *dim, struct sorted_lines *lines) {
  strew_device *device = tensor->storage->device;
  const int64_t sizes[] = {lines->rows, lines->n};
  const int mark = steps->count;
  strew_tensor **made = steps_place(steps), *moved = tensor;
  if (dim && tensor->rank > 1) {
    STEP_INTO(steps, turned, strew_transpose(tensor, *dim, -1, turned, steps->error));
    moved = *turned;
  }
  strew_tensor *matrix = step_reshape(steps, moved, 2, sizes);
  const bool is_copy = steps->status == STREW_OK && matrix->storage != tensor->storage;
  if (!lines->unsorted)
    STEP(steps, strew_sort_with(matrix, 1, NULL, made, NULL, steps->error));
  else if (!is_copy && lines->rows > 1)
    STEP(steps, strew_clone(matrix, made, steps->error));
  lines->is_copy = is_copy;
  lines->values = steps_keep(steps, mark, *made ? *made : matrix);
  if (device->ops->host_memory) return;
  lines->start = step_full(steps, device, STREW_INT64, 0, NULL, strew_int(0));
  lines->count = step_full(steps, device, STREW_INT64, 0, NULL, strew_int(lines->n));
}

/* Writes the quantile of each line to a row of out. */
static strew_status pick_row(const struct quantile_list *list, const struct sorted_lines *lines,
                             strew_interpolation interpolation, int64_t i, strew_tensor *out) {
  struct quantile_plan plan = {.q = list->q[i], .interpolation = interpolation, .step = lines->values->strides[1]};
  strew_tensor row = *out, line = *lines->values;
  if (lines->unsorted) plan.unsorted = strew_tensor_numel(lines->values);
  plan.stays = lines->unsorted && lines->rows == 1 && !lines->is_copy;
  plan.in_float32 = out->dtype != STREW_FLOAT64;
  row.offset += i * row.strides[0];
  row.rank = line.rank = 1;
  row.sizes[0] = lines->rows, row.strides[0] = 1;
  line.sizes[0] = lines->rows, line.strides[0] = lines->n;
  PLAN(&plan.plan, 1, row.sizes, &row, &line);
  if (lines->start) plan_add(&plan.plan, lines->start), plan_add(&plan.plan, lines->count);
  if (!lines->start) plan_add_number(&plan.plan, STREW_INT64, (union element){.i64 = 0});
  if (!lines->start) plan_add_number(&plan.plan, STREW_INT64, (union element){.i64 = lines->n});
  plan_simplify(&plan.plan);
  return RUN_ON(out, order->quantile, list->call, &plan);
}

/* Rows [count, lines], of a list of `count` quantiles. */
static strew_tensor *pick_rows(struct steps *steps, const struct quantile_list *list, const int *dim,
                               struct sorted_lines *lines, strew_interpolation interpolation) {
  const int64_t sizes[] = {list->count, lines->rows};
  strew_tensor *tensor = list->tensor;
  strew_tensor *rows = step_new(steps, tensor->storage->device, tensor->dtype, 2, sizes);
  const strew_context *context = tensor_context(tensor);
  /* threads share the sort of a line, but not its selection, which takes a fifth of the time */
  lines->unsorted = list->count == 1 && tensor->storage->device == &context->cpu && 5 * lines->rows >= context->threads;
  if (rows && list->count) make_lines(steps, tensor, dim, lines);
  for (int64_t i = 0; i < list->count; i++) STEP(steps, pick_row(list, lines, interpolation, i, rows));
  return rows;
}

/* The rows in the result's shape: the tensor's, with or without the dimensions that the quantile is taken of. The
   lines' dimension has changed places with the last one. */
static strew_tensor *shape_rows(struct steps *steps, const struct quantile_list *list, const int *dim, bool keepdim,
                                strew_tensor *rows) {
  const strew_tensor *tensor = list->tensor;
  const int last = tensor->rank - 1;
  int64_t sizes[MAX_RANK + 1], strides[MAX_RANK + 1], dense[MAX_RANK + 1], from[MAX_RANK], step = 1;
  bool folded[MAX_RANK + 1] = {false};
  int rank = 0;
  if (!rows) return NULL;
  for (int d = last - 1; d >= 0 && dim; d--) from[d] = step, step *= tensor->sizes[d == *dim ? last : d];
  if (list->forms_dim) sizes[rank] = list->count, strides[rank++] = rows->strides[0];
  for (int d = 0; d <= last; d++) {
    folded[rank] = !dim || d == *dim;
    if (folded[rank] && !keepdim) continue;
    sizes[rank] = folded[rank] ? 1 : tensor->sizes[d];
    strides[rank] = folded[rank] ? 1 : from[d == last ? *dim : d];
    rank++;
  }
  dense_strides(rank, sizes, dense);
  for (int d = 0; d < rank; d++)
    if (folded[d]) strides[d] = dense[d];
  STEP_INTO(steps, shaped, strew_as_strided(rows, rank, sizes, strides, 0, shaped, steps->error));
  STEP_INTO(steps, out, strew_contiguous(*shaped, out, steps->error));
  return *out;
}

static strew_status check_quantile(const struct call *call, const strew_tensor *tensor, int *dim,
                                   struct sorted_lines *lines) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "self"};
  RETURN_IF_FAILED(dim ? check_dim(call, tensor->rank, dim) : STREW_OK);
  const int64_t numel = strew_tensor_numel(tensor);
  if (!numel) return fail(call, fault, "has no elements, expected at least 1");
  lines->n = dim && tensor->rank ? tensor->sizes[*dim] : numel;
  lines->rows = numel / lines->n;
  if (lines->n <= FLOAT32_EXACT || tensor->dtype == STREW_FLOAT64) return STREW_OK;
  fault.hint =
      tensor->storage->device->lacks_float64 ? "strew_to(strew_to(self, cpu), float64)" : "strew_to(self, float64)";
  return fail(call, fault, "has size %" PRId64 " along the dimension, quantiles in float32 take up to %d", lines->n,
              FLOAT32_EXACT);
}

strew_status strew_quantile_with(strew_tensor *tensor, strew_operand q, const strew_quantile_options *options,
                                 strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "quantile", error, {"self", tensor}, {"q", q.tensor});
  OPTIONS(strew_quantile_options);
  struct quantile_list list = {.call = &call, .tensor = tensor};
  struct sorted_lines lines = {.values = NULL};
  int along = options->dim ? *options->dim : 0, *positive = options->dim ? &along : NULL;
  STEP(&steps, check_float(&call, "self", tensor));
  STEP(&steps, check_interpolation(&call, options->interpolation));
  STEP(&steps, read_q(&list, q));
  STEP(&steps, check_quantile(&call, tensor, positive, &lines));
  if (steps.status == STREW_OK) {
    strew_tensor *rows = pick_rows(&steps, &list, positive, &lines, options->interpolation);
    steps_give(&steps, shape_rows(&steps, &list, positive, options->keepdim, rows), out);
  }
  if (list.q) memory_free(tensor_context(tensor), list.q, (size_t)list.count * sizeof *list.q);
  return steps_status(&steps);
}
