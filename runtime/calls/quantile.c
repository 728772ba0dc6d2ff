/* quantile.c: quantiles of lines: elements are sorted, and the device picks them by rank. */
#include "runtime/base/copy.h"
#include "runtime/base/device.h"
#include "runtime/base/operations.h"

#include <inttypes.h>

static strew_status check_interpolation(const struct call *call, strew_interpolation interpolation) {
  if ((unsigned)interpolation < STREW_INTERPOLATION_COUNT) return STREW_OK;
  return fail_unknown(call, "interpolation", (int)interpolation, STREW_INTERPOLATION_COUNT - 1);
}

static strew_status check_q(const struct call *call, double q) {
  char text[TEXT_BYTES];
  strew_scalar value = strew_float(q);
  if (q >= 0 && q <= 1) return STREW_OK;
  return fail(call, (struct fault){.code = STREW_EVALUE, .argument = "q", .value = &value},
              "is %s, expected a number from 0 to 1", text_of_scalar(value, text));
}

strew_status check_rank(const struct call *call, double q, strew_interpolation interpolation) {
  strew_status status = check_q(call, q);
  return status == STREW_OK ? check_interpolation(call, interpolation) : status;
}

enum { FLOAT32_EXACT = 1 << 24 }; /* the largest integer up to which float32 has all */

/* The quantiles that are wanted: `count` of them. */
struct wanted {
  const struct call *call;
  strew_tensor *tensor;
  int64_t count;
  double *q;
  bool is_list; /* of rank 1: they form a dimension */
};

static strew_status check_q_tensor(const struct wanted *wanted, const strew_tensor *q) {
  const strew_tensor *tensor = wanted->tensor;
  struct fault fault = {.code = STREW_ESHAPE, .argument = "q"};
  if (q->rank > 1) return fail(wanted->call, fault, "has %d dimensions, expected 0 or 1", q->rank);
  strew_status status = check_devices(wanted->call);
  return status == STREW_OK ? check_equal_dtypes(wanted->call, "q", q->dtype, "self", tensor->dtype) : status;
}

/* Reads one q from an element of the tensor's dtype. */
static strew_status set_q(const struct wanted *wanted, int64_t i, const void *element) {
  const double q = strew_scalar_load(wanted->tensor->dtype, element).as.f;
  char text[TEXT_BYTES];
  wanted->q[i] = q;
  if (!wanted->is_list || (q >= 0 && q <= 1)) return check_q(wanted->call, q);
  strew_scalar value = strew_float(q);
  struct fault fault = {.code = STREW_EVALUE, .argument = "q", .value = &value, .position = &i, .position_rank = 1};
  return fail(wanted->call, fault, "has value %s at [%" PRId64 "], expected numbers from 0 to 1",
              text_of_scalar(value, text), i);
}

static strew_status read_list(const struct wanted *wanted, const strew_tensor *q) {
  strew_context *context = wanted->tensor->storage->device->context;
  const size_t bytes = (size_t)wanted->count * dtype_bytes(q->dtype);
  char *elements = memory_allocate(context, bytes);
  if (!elements) return fail_memory(wanted->call, context, bytes);
  strew_status status = strew_read(q, elements, bytes, wanted->call->error);
  for (int64_t i = 0; i < wanted->count && status == STREW_OK; i++)
    status = set_q(wanted, i, elements + (size_t)i * dtype_bytes(q->dtype));
  memory_free(context, elements, bytes);
  return status;
}

/* Numbers are rounded to the tensor's dtype, too. */
static strew_status read_wanted(struct wanted *wanted, strew_operand q) {
  strew_context *context = wanted->tensor->storage->device->context;
  union element element;
  strew_status status = q.tensor ? check_q_tensor(wanted, q.tensor) : check_scalar(wanted->call, "q", q.number);
  if (status != STREW_OK) return status;
  wanted->is_list = q.tensor && q.tensor->rank;
  wanted->count = q.tensor ? strew_tensor_numel(q.tensor) : 1;
  if (!wanted->count) return STREW_OK;
  wanted->q = memory_allocate(context, (size_t)wanted->count * sizeof *wanted->q);
  if (!wanted->q) return fail_memory(wanted->call, context, (size_t)wanted->count * sizeof *wanted->q);
  if (q.tensor) return read_list(wanted, q.tensor);
  status = check_q(wanted->call, q.number.dtype == STREW_FLOAT64 ? q.number.as.f : (double)q.number.as.i);
  if (status == STREW_OK)
    status = element_from(wanted->call, "q", q.number, STREW_EXACT, wanted->tensor->dtype, &element);
  return status == STREW_OK ? set_q(wanted, 0, element.bytes) : status;
}

/* Sorted lines [rows, n], and a number for each device that needs them in memory. */
struct sorted_lines {
  strew_tensor *values, *start, *count;
  int64_t rows, n;
};

static strew_status sort_lines(const struct wanted *wanted, const int *dim, struct sorted_lines *lines) {
  strew_error *error = wanted->call->error;
  strew_tensor *moved = NULL, *matrix = NULL;
  strew_device *device = wanted->tensor->storage->device;
  const int64_t sizes[] = {lines->rows, lines->n};
  strew_status status = dim && wanted->tensor->rank ? strew_transpose(wanted->tensor, *dim, -1, &moved, error)
                                                    : strew_reshape(wanted->tensor, 1, (int64_t[]){-1}, &moved, error);
  if (status == STREW_OK) status = strew_reshape(moved, 2, sizes, &matrix, error);
  strew_release(moved);
  if (status == STREW_OK) status = strew_sort(matrix, 1, false, &lines->values, NULL, error);
  strew_release(matrix);
  if (status == STREW_OK) status = strew_full(device, STREW_INT64, 0, NULL, strew_int(0), &lines->start, error);
  if (status == STREW_OK) status = strew_full(device, STREW_INT64, 0, NULL, strew_int(lines->n), &lines->count, error);
  return status;
}

/* Writes the quantile of each line to a row of out. */
static strew_status pick_row(const struct wanted *wanted, const struct sorted_lines *lines,
                             strew_interpolation interpolation, int64_t i, strew_tensor *out) {
  struct quantile_plan plan = {.q = wanted->q[i], .interpolation = interpolation, .step = 1};
  strew_tensor row = *out, line = *lines->values;
  strew_device *device = out->storage->device;
  plan.in_float32 = out->dtype != STREW_FLOAT64;
  row.offset += i * row.strides[0];
  row.rank = line.rank = 1;
  row.sizes[0] = lines->rows, row.strides[0] = 1;
  line.sizes[0] = lines->rows, line.strides[0] = lines->n;
  plan_start(&plan.plan, 1, row.sizes);
  plan_add(&plan.plan, &row);
  plan_add(&plan.plan, &line);
  plan_add(&plan.plan, lines->start);
  plan_add(&plan.plan, lines->count);
  plan_simplify(&plan.plan);
  return device->ops->quantile(wanted->call, device, &plan);
}

static strew_status pick_rows(const struct wanted *wanted, const int *dim, struct sorted_lines *lines,
                              strew_interpolation interpolation, strew_tensor **out) {
  const int64_t sizes[] = {wanted->count, lines->rows};
  strew_device *device = wanted->tensor->storage->device;
  strew_status status = tensor_create(wanted->call, device, wanted->tensor->dtype, 2, sizes, out);
  if (status != STREW_OK || !wanted->count) return status;
  status = sort_lines(wanted, dim, lines);
  for (int64_t i = 0; i < wanted->count && status == STREW_OK; i++)
    status = pick_row(wanted, lines, interpolation, i, *out);
  return status;
}

/* Gives rows [count, rows] the result's shape: with or without the dimensions that the quantile is taken of. */
static strew_status shape_rows(const struct wanted *wanted, const int *dim, bool keepdim, strew_tensor *rows,
                               strew_tensor **out) {
  const strew_tensor *tensor = wanted->tensor;
  strew_error *error = wanted->call->error;
  const int lead = wanted->is_list, first = tensor->rank ? (dim ? *dim : 0) : -1, last = tensor->rank - 1;
  strew_tensor *shaped = NULL, *turned = NULL;
  int64_t sizes[MAX_RANK + 1];
  int rank = 0;
  if (lead) sizes[rank++] = wanted->count;
  if (!dim || first < 0) {
    for (int d = 0; keepdim && d < tensor->rank; d++) sizes[rank++] = 1;
    return strew_view(rows, rank, sizes, out, error);
  }
  /* the lines' dimension changed places with the last one */
  for (int d = 0; d <= last; d++)
    if (d != last || keepdim || first != last) sizes[rank++] = d == last ? 1 : tensor->sizes[d == first ? last : d];
  if (first == last) return strew_view(rows, rank, sizes, out, error);
  int unwanted = lead + first;
  strew_status status = strew_view(rows, rank, sizes, &shaped, error);
  if (status == STREW_OK) status = strew_transpose(shaped, lead + first, lead + last, &turned, error);
  strew_release(shaped);
  shaped = NULL;
  if (status == STREW_OK)
    status = keepdim ? (shaped = strew_retain(turned), STREW_OK) : strew_squeeze(turned, &unwanted, &shaped, error);
  if (status == STREW_OK) status = strew_contiguous(shaped, out, error);
  strew_release(shaped);
  strew_release(turned);
  return status;
}

static strew_status check_quantile(const struct call *call, const strew_tensor *tensor, int *dim,
                                   struct sorted_lines *lines) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "self"};
  strew_status status = dim ? check_dim(call, tensor->rank, dim) : STREW_OK;
  if (status != STREW_OK) return status;
  const int64_t numel = strew_tensor_numel(tensor);
  if (!numel) return fail(call, fault, "has no elements, expected at least 1");
  lines->n = dim && tensor->rank ? tensor->sizes[*dim] : numel;
  lines->rows = numel / lines->n;
  if (lines->n <= FLOAT32_EXACT || tensor->dtype == STREW_FLOAT64) return STREW_OK;
  fault.hint = "self:to(\"float64\")";
  return fail(call, fault, "has size %" PRId64 " along the dimension, quantiles in float32 take up to %d", lines->n,
              FLOAT32_EXACT);
}

strew_status strew_quantile(strew_tensor *tensor, strew_operand q, const int *dim, bool keepdim,
                            strew_interpolation interpolation, strew_tensor **out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "quantile")};
  CALL(call, "quantile", &inner, {"self", tensor}, {"q", q.tensor});
  struct wanted wanted = {.call = &call, .tensor = tensor};
  struct sorted_lines lines = {NULL, NULL, NULL, 0, 0};
  strew_tensor *rows = NULL;
  int along = dim ? *dim : 0, *positive = dim ? &along : NULL;
  strew_status status = check_float(&call, "self", tensor);
  if (status == STREW_OK) status = check_interpolation(&call, interpolation);
  if (status == STREW_OK) status = read_wanted(&wanted, q);
  if (status == STREW_OK) status = check_quantile(&call, tensor, positive, &lines);
  if (status == STREW_OK) status = pick_rows(&wanted, positive, &lines, interpolation, &rows);
  if (status == STREW_OK) status = shape_rows(&wanted, positive, keepdim, rows, out);
  strew_release(rows);
  strew_release(lines.values);
  strew_release(lines.start);
  strew_release(lines.count);
  if (wanted.q) memory_free(tensor->storage->device->context, wanted.q, (size_t)wanted.count * sizeof *wanted.q);
  return report_inner(status, &inner, error);
}
