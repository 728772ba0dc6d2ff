/* quantile.c: quantiles of lines and of groups: elements are sorted, and the device picks them by rank. Of a group the
   CPU selects them instead. */
#include "runtime/base/copy.h"
#include "runtime/base/device.h"
#include "runtime/base/steps.h"
#include "runtime/groups/group.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool mixes(strew_interpolation interpolation) {
  return interpolation == STREW_LINEAR || interpolation == STREW_MIDPOINT;
}

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

/* -------------------------------------------------------------------------------------------------------- of groups */

/* Scratch of a call. */
struct ordered {
  strew_tensor *values; /* in the order of their groups and, within each, ascending, or in order of position */
  strew_tensor *counts, *starts;
};

/* The groups' numbers, of src's shape; -1 or more, and less than `size`, for elements that have none: size. */
static strew_status number_groups(const struct groups *groups, strew_tensor **out, strew_error *error) {
  const struct index_limits *limits = &groups->addressing.limits;
  strew_tensor index = groups->index, *below = NULL, *above = NULL, *narrow = NULL;
  strew_device *device = index.storage->device;
  const strew_dtype dtype = limits->size < INT32_MAX ? STREW_INT32 : STREW_INT64;
  const strew_operand size = strew_number(strew_int(limits->size));
  strew_status status = STREW_OK;
  if (limits->mode != STREW_DROP) /* strew_to may return its argument, which lives no longer than this call */
    return dtype == index.dtype ? strew_clone(&index, out, error) : strew_to(&index, device, dtype, out, error);
  status = strew_binary(STREW_LT, strew_of(&index), strew_number(strew_int(0)), &below, error);
  if (status == STREW_OK) status = strew_binary(STREW_GE, strew_of(&index), size, &above, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(below), strew_of(above), &below, error);
  if (status == STREW_OK) status = strew_to(&index, device, dtype, &narrow, error);
  if (status == STREW_OK) status = strew_where(below, size, strew_of(narrow), out, error);
  strew_release(below);
  strew_release(above);
  strew_release(narrow);
  return status;
}

/* Sorts by value, then, stably, by group. */
static strew_status order_values(const struct groups *groups, strew_tensor **out, strew_error *error) {
  const int dim = groups->addressing.limits.dim;
  strew_tensor *sorted = NULL, *order = NULL, *number = NULL, *moved = NULL, *by_group = NULL;
  strew_status status = strew_sort(groups->src, dim, false, &sorted, &order, error);
  if (status == STREW_OK) status = number_groups(groups, &number, error);
  if (status == STREW_OK) status = strew_gather(number, dim, order, STREW_DROP, &moved, error);
  strew_release(number);
  strew_release(order);
  if (status == STREW_OK) status = strew_sort(moved, dim, false, NULL, &by_group, error);
  strew_release(moved);
  if (status == STREW_OK) status = strew_gather(sorted, dim, by_group, STREW_DROP, out, error);
  strew_release(by_group);
  strew_release(sorted);
  return status;
}

/* Sorts by group alone, stably. */
static strew_status collect_values(const struct groups *groups, strew_tensor **out, strew_error *error) {
  const int dim = groups->addressing.limits.dim;
  strew_tensor *number = NULL, *by_group = NULL;
  strew_status status = number_groups(groups, &number, error);
  if (status == STREW_OK) status = strew_sort(number, dim, false, NULL, &by_group, error);
  strew_release(number);
  if (status == STREW_OK) status = strew_gather(groups->src, dim, by_group, STREW_DROP, out, error);
  strew_release(by_group);
  return status;
}

static strew_status order_groups(const struct call *call, struct groups *groups, bool is_unsorted,
                                 struct ordered *ordered) {
  const int dim = groups->addressing.limits.dim;
  strew_tensor *ends = NULL;
  strew_status status = groups_join(call, groups, STREW_SUM, NULL, &ordered->counts);
  if (status == STREW_OK) status = strew_cumsum(ordered->counts, dim, &ends, call->error);
  if (status == STREW_OK)
    status = strew_binary(STREW_SUB, strew_of(ends), strew_of(ordered->counts), &ordered->starts, call->error);
  strew_release(ends);
  if (status != STREW_OK) return status;
  return (is_unsorted ? collect_values : order_values)(groups, &ordered->values, call->error);
}

static strew_status pick_quantiles(const struct call *call, struct quantile_plan *plan, const struct ordered *ordered,
                                   int dim, strew_tensor *out) {
  strew_tensor lines = *ordered->values;
  strew_device *device = out->storage->device;
  plan->step = lines.strides[dim];
  lines.sizes[dim] = 1;
  plan_start(&plan->plan, out->rank, out->sizes);
  plan_add(&plan->plan, out);
  plan_add(&plan->plan, &lines);
  plan_add(&plan->plan, ordered->starts);
  plan_add(&plan->plan, ordered->counts);
  plan_simplify_any_order(&plan->plan);
  return strew_tensor_numel(out) ? device->ops->quantile(call, device, plan) : STREW_OK;
}

/* Makes the result: quantiles, or `empty` everywhere if there are no elements. */
static strew_status quantiles_of_groups(const struct call *call, struct groups *groups, struct quantile_plan *plan,
                                        strew_tensor **out) {
  const int dim = groups->addressing.limits.dim;
  const bool is_empty = strew_tensor_numel(groups->src) == 0;
  struct ordered ordered = {NULL, NULL, NULL};
  strew_tensor rows = *groups->src, *made = NULL;
  rows.sizes[dim] = groups->addressing.limits.size;
  if (rows.storage->device == &rows.storage->device->context->cpu) plan->unsorted = strew_tensor_numel(groups->src);
  strew_status status = is_empty ? STREW_OK : order_groups(call, groups, plan->unsorted > 0, &ordered);
  if (status == STREW_OK) status = tensor_create(call, rows.storage->device, rows.dtype, rows.rank, rows.sizes, &made);
  if (status == STREW_OK)
    status = is_empty ? fill_tensor(call, made, plan->empty) : pick_quantiles(call, plan, &ordered, dim, made);
  strew_release(ordered.values);
  strew_release(ordered.counts);
  strew_release(ordered.starts);
  if (status == STREW_OK)
    *out = made;
  else
    strew_release(made);
  return status;
}

static strew_status check_group_quantile(const struct call *call, const strew_tensor *src, double q,
                                         strew_interpolation interpolation, const strew_scalar *fill,
                                         union element *empty) {
  static const char *const names[] = {[STREW_LINEAR] = "linear", [STREW_MIDPOINT] = "midpoint"};
  const strew_scalar nothing = dtype_is_float(src->dtype) ? strew_float((double)NAN) : strew_int(0);
  strew_status status = check_q(call, q);
  if (status == STREW_OK) status = check_interpolation(call, interpolation);
  if (status != STREW_OK) return status;
  if (mixes(interpolation) && !dtype_is_float(src->dtype))
    return fail(call,
                (struct fault){.code = STREW_EDTYPE,
                               .argument = "src",
                               .hint = "interpolation = STREW_LOWER, STREW_HIGHER and STREW_NEAREST take all dtypes"},
                "is %s, expected a float dtype for interpolation = \"%s\"", strew_dtype_name(src->dtype),
                names[interpolation]);
  return element_from(call, "fill", fill ? *fill : nothing, STREW_EXACT, src->dtype, empty);
}

strew_status quantiles_of_collected(const struct call *call, strew_tensor *values, strew_tensor *starts,
                                    strew_tensor *counts, double q, strew_interpolation interpolation,
                                    const strew_scalar *fill, strew_tensor **out) {
  struct quantile_plan plan = {.q = q, .interpolation = interpolation, .unsorted = strew_tensor_numel(values)};
  const struct ordered ordered = {values, counts, starts};
  strew_tensor *made = NULL;
  strew_status status = check_group_quantile(call, values, q, interpolation, fill, &plan.empty);
  if (status == STREW_OK) status = tensor_create(call, values->storage->device, values->dtype, 1, counts->sizes, &made);
  if (status == STREW_OK) status = pick_quantiles(call, &plan, &ordered, 0, made);
  if (status != STREW_OK) return strew_release(made), status;
  return *out = made, STREW_OK;
}

strew_status strew_group_quantile(strew_tensor *src, strew_tensor *index, double q, strew_interpolation interpolation,
                                  const strew_group_options *options, strew_tensor **out, strew_error *error) {
  static const strew_group_options defaults = {.dim = -1, .dim_size = -1};
  strew_error inner = {.alias = alias_of(error, "scatter_quantile")};
  CALL(call, "scatter_quantile", &inner, {"src", src}, {"index", index});
  struct groups groups = {.src = NULL};
  struct quantile_plan plan = {.q = q, .interpolation = interpolation};
  if (!options) options = &defaults;
  strew_status status = check_group_quantile(&call, src, q, interpolation, options->fill, &plan.empty);
  if (status == STREW_OK) status = groups_open(&call, src, index, options, &groups);
  if (status == STREW_OK) status = quantiles_of_groups(&call, &groups, &plan, out);
  groups_close(&groups);
  return report_inner(status, &inner, error);
}

/* --------------------------------------------------------------------------------------------------------- of lines */

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
  struct fault fault = {.code = STREW_ESHAPE, .argument = "q"};
  if (q->rank > 1) return fail(list->call, fault, "has %d dimensions, expected 0 or 1", q->rank);
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
              text_of_scalar(value, text), i);
}

static strew_status read_q_tensor(const struct quantile_list *list, const strew_tensor *q) {
  strew_context *context = list->tensor->storage->device->context;
  const size_t bytes = (size_t)list->count * dtype_bytes(q->dtype);
  char *elements = memory_allocate(context, bytes);
  if (!elements) return fail_memory(list->call, context, bytes);
  strew_status status = strew_read(q, elements, bytes, list->call->error);
  for (int64_t i = 0; i < list->count && status == STREW_OK; i++)
    status = set_q(list, i, elements + (size_t)i * dtype_bytes(q->dtype));
  memory_free(context, elements, bytes);
  return status;
}

/* Numbers are rounded to the tensor's dtype, too. */
static strew_status read_q(struct quantile_list *list, strew_operand q) {
  strew_context *context = list->tensor->storage->device->context;
  union element element;
  strew_status status = q.tensor ? check_q_tensor(list, q.tensor) : check_scalar(list->call, "q", q.number);
  if (status != STREW_OK) return status;
  list->forms_dim = q.tensor && q.tensor->rank;
  list->count = q.tensor ? strew_tensor_numel(q.tensor) : 1;
  if (!list->count) return STREW_OK;
  list->q = memory_allocate(context, (size_t)list->count * sizeof *list->q);
  if (!list->q) return fail_memory(list->call, context, (size_t)list->count * sizeof *list->q);
  if (q.tensor) return read_q_tensor(list, q.tensor);
  status = check_q(list->call, q.number.dtype == STREW_FLOAT64 ? q.number.as.f : (double)q.number.as.i);
  TRY(status, element_from(list->call, "q", q.number, STREW_EXACT, list->tensor->dtype, &element));
  return TRY(status, set_q(list, 0, element.bytes));
}

/* Sorted lines [rows, n], and a number for each device that needs them in memory. */
struct sorted_lines {
  strew_tensor *values, *start, *count;
  int64_t rows, n;
};

static void sort_lines(struct steps *steps, strew_tensor *tensor, const int *dim, struct sorted_lines *lines) {
  strew_device *device = tensor->storage->device;
  const int64_t sizes[] = {lines->rows, lines->n};
  const int mark = steps->count;
  strew_tensor **sorted = steps_place(steps), **moved = steps_place(steps);
  STEP(steps, dim && tensor->rank ? strew_transpose(tensor, *dim, -1, moved, steps->error)
                                  : strew_reshape(tensor, 1, (int64_t[]){-1}, moved, steps->error));
  strew_tensor *matrix = step_reshape(steps, *moved, 2, sizes);
  STEP(steps, strew_sort(matrix, 1, false, sorted, NULL, steps->error));
  lines->values = steps_keep(steps, mark, *sorted);
  lines->start = step_full(steps, device, STREW_INT64, 0, NULL, strew_int(0));
  lines->count = step_full(steps, device, STREW_INT64, 0, NULL, strew_int(lines->n));
}

/* Writes the quantile of each line to a row of out. */
static strew_status pick_row(const struct quantile_list *list, const struct sorted_lines *lines,
                             strew_interpolation interpolation, int64_t i, strew_tensor *out) {
  struct quantile_plan plan = {.q = list->q[i], .interpolation = interpolation, .step = 1};
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
  return device->ops->quantile(list->call, device, &plan);
}

/* Rows [count, lines], of a list of `count` quantiles. */
static strew_tensor *pick_rows(struct steps *steps, const struct quantile_list *list, const int *dim,
                               struct sorted_lines *lines, strew_interpolation interpolation) {
  const int64_t sizes[] = {list->count, lines->rows};
  strew_tensor *tensor = list->tensor;
  strew_tensor *rows = step_new(steps, tensor->storage->device, tensor->dtype, 2, sizes);
  if (rows && list->count) sort_lines(steps, tensor, dim, lines);
  for (int64_t i = 0; i < list->count; i++) STEP(steps, pick_row(list, lines, interpolation, i, rows));
  return rows;
}

/* The rows in the result's shape: the tensor's, with or without the dimensions that the quantile is taken of. The lines'
   dimension has changed places with the last one. */
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
  strew_tensor **shaped = steps_place(steps), **out = steps_place(steps);
  STEP(steps, strew_as_strided(rows, rank, sizes, strides, 0, shaped, steps->error));
  STEP(steps, strew_contiguous(*shaped, out, steps->error));
  return *out;
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
  fault.hint = "strew_to(self, float64)";
  return fail(call, fault, "has size %" PRId64 " along the dimension, quantiles in float32 take up to %d", lines->n,
              FLOAT32_EXACT);
}

strew_status strew_quantile(strew_tensor *tensor, strew_operand q, const int *dim, bool keepdim,
                            strew_interpolation interpolation, strew_tensor **out, strew_error *error) {
  CALL(call, "quantile", error, {"self", tensor}, {"q", q.tensor});
  STEPS(steps, &call);
  struct quantile_list list = {.call = &call, .tensor = tensor};
  struct sorted_lines lines = {.values = NULL};
  int along = dim ? *dim : 0, *positive = dim ? &along : NULL;
  STEP(&steps, check_float(&call, "self", tensor));
  STEP(&steps, check_interpolation(&call, interpolation));
  STEP(&steps, read_q(&list, q));
  STEP(&steps, check_quantile(&call, tensor, positive, &lines));
  if (steps.status == STREW_OK) {
    strew_tensor *rows = pick_rows(&steps, &list, positive, &lines, interpolation);
    steps_give(&steps, shape_rows(&steps, &list, positive, keepdim, rows), out);
  }
  if (list.q) memory_free(tensor_context(tensor), list.q, (size_t)list.count * sizeof *list.q);
  return steps_status(&steps);
}
