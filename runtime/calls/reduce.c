/* reduce.c: folds of dimensions into one value each, cumulative sums and products. */
#include "runtime/base/copy.h"
#include "runtime/base/operations.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static strew_status check_given(const struct call *call, const strew_tensor *out, const strew_tensor *tensor,
                                bool same_is_fine) {
  strew_status status = check_overlap(call, out, out == tensor ? "self" : "out", NULL, false);
  return status == STREW_OK ? check_overlap(call, out, "self", tensor, same_is_fine) : status;
}

/* ------------------------------------------------------------------------------------------------------------ folds */

static strew_status result_dtype(const struct call *call, const struct fold_row *row, strew_dtype dtype,
                                 strew_dtype *out) {
  if (row->takes == TAKES_FLOATS && !dtype_is_float(dtype))
    return fail(call, (struct fault){.code = STREW_EDTYPE, .argument = "self", .hint = "self:to(\"float32\")"},
                "is %s, expected a float dtype", strew_dtype_name(dtype));
  *out = dtype;
  switch (row->gives) {
  case FOLD_WIDE: *out = dtype_is_float(dtype) ? dtype : STREW_INT64; break;
  case FOLD_SAME: break;
  case FOLD_PLACE: *out = STREW_INT64; break;
  case FOLD_TRUTH: *out = STREW_BOOL; break;
  }
  return STREW_OK;
}

/* Marks the dimensions to fold: those listed, all without a list. */
static strew_status mark_folded(const struct call *call, int rank, int count, const int *dims, bool *folded) {
  if (count < 0 || (count && !dims))
    return fail(call, (struct fault){.code = STREW_EARGUMENT, .argument = "count"}, "is %d, expected %s", count,
                dims ? "0 or more" : "0 without dims");
  for (int d = 0; d < MAX_RANK; d++) folded[d] = !dims && d < rank;
  for (int i = 0; i < count; i++) {
    int dim = dims[i];
    strew_status status = check_dim(call, rank, &dim);
    if (status != STREW_OK) return status;
    strew_scalar value = strew_int(dims[i]);
    if (folded[dim])
      return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "dim", .value = &value},
                  "names dimension %d twice", dim);
    folded[dim] = true;
  }
  return STREW_OK;
}

/* Fails if no elements are folded: they have no extreme. */
static strew_status check_not_empty(const struct call *call, const strew_tensor *tensor, const bool *folded) {
  for (int d = 0; d < tensor->rank; d++)
    if (folded[d] && tensor->sizes[d] == 0)
      return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "self"},
                  "has size 0 in dimension %d, expected at least one element", d);
  return STREW_OK;
}

static int result_sizes(const strew_tensor *tensor, const bool *folded, bool keepdim, int64_t *sizes) {
  int rank = 0;
  for (int d = 0; d < tensor->rank; d++)
    if (!folded[d] || keepdim) sizes[rank++] = folded[d] ? 1 : tensor->sizes[d];
  return rank;
}

/* Fills out with the fold of no elements. */
static strew_status fill_empty(const struct call *call, const struct fold_row *row, strew_tensor *out) {
  strew_scalar value = row->empty == EMPTY_UNDEFINED ? strew_float((double)NAN) : strew_int(row->empty == EMPTY_ONE);
  union element element;
  strew_status status = element_from(call, "out", value, STREW_EXACT, out->dtype, &element);
  return status == STREW_OK ? fill_tensor(call, out, element) : status;
}

/* Appends dimension d of the tensor to the plan; out_dim: the dimension of out, -1 if d is folded. */
static void append_dim(struct plan *plan, const strew_tensor *tensor, int d, const strew_tensor *out, int out_dim) {
  int at = plan->rank++;
  plan->sizes[at] = tensor->sizes[d];
  plan->operands[0].strides[at] = out_dim < 0 ? 0 : out->strides[out_dim];
  plan->operands[1].strides[at] = tensor->strides[d];
}

/* Kept dimensions are sorted by the tensor's strides, for speed. Folded ones keep their order, which sums depend on. */
static void plan_fold(struct reduce_plan *reduce, const strew_tensor *tensor, const bool *folded, bool keepdim,
                      const strew_tensor *out) {
  struct plan *plan = &reduce->plan;
  int kept[MAX_RANK], out_dim[MAX_RANK], count = 0;
  for (int d = 0; d < tensor->rank; d++) {
    if (folded[d] || tensor->sizes[d] == 1) continue;
    int at = count++;
    for (; at > 0 && tensor->strides[kept[at - 1]] < tensor->strides[d]; at--) kept[at] = kept[at - 1];
    kept[at] = d;
  }
  for (int d = 0, next = 0; d < tensor->rank; d++) out_dim[d] = folded[d] && !keepdim ? -1 : next++;
  plan_start(plan, 0, NULL);
  plan_add(plan, out);
  plan_add(plan, tensor);
  for (int i = 0; i < count; i++) append_dim(plan, tensor, kept[i], out, out_dim[kept[i]]);
  for (int d = 0; d < tensor->rank; d++)
    if (folded[d]) append_dim(plan, tensor, d, out, -1);
  plan_simplify(plan);
  /* out has stride 0 along folded dimensions only */
  for (reduce->kept = 0; reduce->kept < plan->rank; reduce->kept++)
    if (!plan->operands[0].strides[reduce->kept]) break;
}

/* True if a first result may be computed again: see wide spreads, below. */
static bool may_widen(strew_fold fold, const strew_tensor *tensor) {
  return fold_is_spread(fold) && tensor->dtype != STREW_FLOAT16;
}

/* Writes to `out`, which is checked, once the result is final. */
static strew_status reduce_into(strew_fold fold, strew_tensor *tensor, int count, const int *dims, bool keepdim,
                                double correction, strew_tensor *out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, fold_row_of(fold)->name)};
  CALL(call, fold_row_of(fold)->name, &inner, {"self", tensor}, {"out", out});
  strew_tensor *made = NULL;
  strew_status status = strew_reduce(fold, tensor, count, dims, keepdim, correction, &made, &inner);
  if (status == STREW_OK) status = strew_copy(out, made, &inner);
  strew_release(made);
  return report_inner(status, &inner, error);
}

static strew_status reduce(strew_fold fold, strew_tensor *tensor, int count, const int *dims, bool keepdim,
                           double correction, strew_tensor **out, strew_error *error) {
  bool known = (unsigned)fold < STREW_FOLD_COUNT;
  const struct fold_row *row = known ? fold_row_of(fold) : NULL;
  CALL(call, known ? row->name : "reduce", error, {"self", tensor}, {"out", *out});
  if (!known) return fail_unknown(&call, "fold", (int)fold, STREW_FOLD_COUNT - 1);
  struct reduce_plan plan = {.fold = fold, .correction = correction};
  strew_device *device = tensor->storage->device;
  strew_dtype dtype;
  bool folded[MAX_RANK], made = false;
  int64_t sizes[MAX_RANK];
  strew_status status = mark_folded(&call, tensor->rank, count, dims, folded);
  if (status == STREW_OK) status = result_dtype(&call, row, tensor->dtype, &dtype);
  if (status == STREW_OK && row->empty == EMPTY_NOTHING) status = check_not_empty(&call, tensor, folded);
  if (status != STREW_OK) return status;
  int rank = result_sizes(tensor, folded, keepdim, sizes);
  status = out_prepare(&call, device, dtype, rank, sizes, out, &made);
  if (status == STREW_OK && !made) status = check_given(&call, *out, tensor, false);
  if (status != STREW_OK || !strew_tensor_numel(*out)) return status;
  if (!made && may_widen(fold, tensor)) return reduce_into(fold, tensor, count, dims, keepdim, correction, *out, error);
  if (strew_tensor_numel(tensor)) {
    plan_fold(&plan, tensor, folded, keepdim, *out);
    status = device->ops->reduce(&call, device, &plan);
  } else {
    status = fill_empty(&call, row, *out);
  }
  if (status != STREW_OK && made) strew_release(*out), *out = NULL;
  return status;
}

/* ----------------------------------------------------------------------------------------------------- wide spreads */

/* Variances and deviations outside `least` .. `most` may come of squares that were not finite or lost digits. Lines are
   scaled then, by a power of two for the size of their largest element. float16 has no such squares. */
enum { LEVELS = 4 };
struct level {
  strew_binary_op op; /* beyond this bound */
  double bound, scale;
};
struct range {
  double least, most;
  struct level levels[LEVELS]; /* the last one with a scale is of a line of zeros */
};
static const struct range ranges[] = {
    {0x1p-50,
     1e38,
     {{STREW_GT, 0x1p48, 0x1p-87}, {STREW_LT, 0x1p-39, 0x1p87}, {STREW_LT, 0x1p-126, 0x1p110}, {STREW_LE, 0, 1}}},
    {0x1p-400, 1e300, {{STREW_GT, 0x1p500, 0x1p-600}, {STREW_LT, 0x1p-400, 0x1p600}, {STREW_LE, 0, 1}}}};
static const struct range *range_of(strew_dtype dtype) { return &ranges[dtype == STREW_FLOAT64]; }

strew_status all_true(strew_tensor *flags, bool *out, strew_error *error) {
  strew_tensor *all = NULL;
  strew_scalar value = strew_bool(false);
  strew_status status = reduce(STREW_FOLD_ALL, flags, 0, NULL, false, 0, &all, error);
  if (status == STREW_OK) status = strew_item(all, &value, error);
  strew_release(all);
  if (status == STREW_OK) *out = value.as.i != 0;
  return status;
}

/* True if all elements are in the range of their dtype. */
static strew_status are_in_range(strew_tensor *spreads, bool *out, strew_error *error) {
  const struct range *range = range_of(spreads->dtype);
  strew_tensor *above = NULL, *below = NULL;
  strew_scalar one = strew_float(0);
  if (strew_tensor_numel(spreads) == 1) {
    strew_status read = strew_item(spreads, &one, error);
    return *out = one.as.f >= range->least && one.as.f <= range->most, read;
  }
  strew_status status =
      strew_binary(STREW_GE, strew_of(spreads), strew_number(strew_float(range->least)), &above, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_LE, strew_of(spreads), strew_number(strew_float(range->most)), &below, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_AND, strew_of(above), strew_of(below), &above, error);
  if (status == STREW_OK) status = all_true(above, out, error);
  strew_release(above);
  strew_release(below);
  return status;
}

/* The magnitude of the largest element of each line of `count` dims, which are kept. */
static strew_status find_largest(strew_tensor *tensor, int count, const int *dims, strew_tensor **out,
                                 strew_error *error) {
  strew_tensor *least = NULL;
  strew_status status = reduce(STREW_FOLD_AMAX, tensor, count, dims, true, 0, out, error);
  if (status == STREW_OK) status = reduce(STREW_FOLD_AMIN, tensor, count, dims, true, 0, &least, error);
  if (status == STREW_OK) status = strew_unary(STREW_ABS, *out, out, error);
  if (status == STREW_OK) status = strew_unary(STREW_ABS, least, &least, error);
  if (status == STREW_OK) status = strew_binary(STREW_MAXIMUM, strew_of(*out), strew_of(least), out, error);
  strew_release(least);
  return status;
}

/* The scale of each line, in the computed dtype; *is_one: they are all 1. */
static strew_status make_scales(strew_tensor *tensor, int count, const int *dims, strew_tensor **scales, bool *is_one,
                                strew_error *error) {
  strew_tensor *largest = NULL, *flags = NULL;
  strew_status status = find_largest(tensor, count, dims, &largest, error);
  if (status == STREW_OK)
    status = strew_full(tensor->storage->device, dtype_wide(tensor->dtype), largest->rank, largest->sizes, strew_int(1),
                        scales, error);
  const struct level *levels = range_of(tensor->dtype)->levels;
  for (const struct level *level = levels; level < levels + LEVELS && level->scale > 0 && status == STREW_OK; level++) {
    status = strew_binary(level->op, strew_of(largest), strew_number(strew_float(level->bound)), &flags, error);
    if (status == STREW_OK)
      status = strew_masked_fill(*scales, flags, strew_number(strew_float(level->scale)), scales, error);
  }
  if (status == STREW_OK) status = strew_binary(STREW_EQ, strew_of(*scales), strew_number(strew_int(1)), &flags, error);
  if (status == STREW_OK) status = all_true(flags, is_one, error);
  strew_release(largest);
  strew_release(flags);
  return status;
}

/* Writes to `out` the fold of scaled elements, scaled back. */
static strew_status reduce_scaled(strew_fold fold, strew_tensor *tensor, int count, const int *dims, double correction,
                                  strew_tensor *scales, strew_tensor *out, strew_error *error) {
  strew_tensor *scaled = NULL, *spreads = NULL, *shaped = NULL;
  strew_status status = strew_binary(STREW_MUL, strew_of(tensor), strew_of(scales), &scaled, error);
  if (status == STREW_OK) status = reduce(fold, scaled, count, dims, true, correction, &spreads, error);
  for (int i = fold == STREW_FOLD_STD; i < 2 && status == STREW_OK; i++)
    status = strew_binary(STREW_DIV, strew_of(spreads), strew_of(scales), &spreads, error);
  if (status == STREW_OK) status = strew_view(spreads, out->rank, out->sizes, &shaped, error);
  if (status == STREW_OK) status = strew_copy(out, shaped, error);
  strew_release(scaled);
  strew_release(spreads);
  strew_release(shaped);
  return status;
}

static strew_status widen_spread(strew_fold fold, strew_tensor *tensor, int count, const int *dims, double correction,
                                 strew_tensor *out, strew_error *error) {
  bool is_fine = false;
  strew_tensor *scales = NULL;
  strew_status status = are_in_range(out, &is_fine, error);
  if (status == STREW_OK && !is_fine) status = make_scales(tensor, count, dims, &scales, &is_fine, error);
  if (status == STREW_OK && !is_fine) status = reduce_scaled(fold, tensor, count, dims, correction, scales, out, error);
  strew_release(scales);
  return status;
}

strew_status strew_reduce(strew_fold fold, strew_tensor *tensor, int count, const int *dims, bool keepdim,
                          double correction, strew_tensor **out, strew_error *error) {
  const bool made = !*out;
  strew_status status = reduce(fold, tensor, count, dims, keepdim, correction, out, error);
  if (status != STREW_OK || !made || !may_widen(fold, tensor)) return status;
  if (!strew_tensor_numel(tensor) || !strew_tensor_numel(*out)) return status;
  strew_error inner = {.alias = alias_of(error, fold_row_of(fold)->name)};
  CALL(call, fold_row_of(fold)->name, &inner, {"self", tensor});
  status = widen_spread(fold, tensor, count, dims, correction, *out, &inner);
  if (status != STREW_OK) strew_release(*out), *out = NULL;
  return report_inner(status, &inner, error);
}

/* ------------------------------------------------------------------------------------- cumulative sums and products */

/* Checks dim and makes *out, of tensor's shape. Integers give int64; in place they keep their dtype, in which results
   wrap. */
static strew_status scan_prepare(const struct call *call, strew_tensor *tensor, int *dim, strew_tensor **out,
                                 bool *made) {
  bool in_place = *out == tensor;
  strew_status status = check_dim(call, tensor->rank, dim);
  if (status == STREW_OK && in_place && tensor->dtype == STREW_BOOL)
    status =
        fail(call,
             (struct fault){.code = STREW_EDTYPE,
                            .argument = "self",
                            .hint = "self:to(\"int64\") holds it; without the underscore the result is a new tensor"},
             "is bool, which does not hold a result of int64");
  strew_dtype dtype = dtype_is_float(tensor->dtype) || in_place ? tensor->dtype : STREW_INT64;
  if (status == STREW_OK)
    status = out_prepare(call, tensor->storage->device, dtype, tensor->rank, tensor->sizes, out, made);
  return status == STREW_OK && !*made ? check_given(call, *out, tensor, true) : status;
}

static void plan_scan(struct scan_plan *scan, const strew_tensor *out, const strew_tensor *tensor, int dim) {
  plan_start(&scan->plan, tensor->rank, tensor->sizes);
  plan_add(&scan->plan, out);
  plan_add(&scan->plan, tensor);
  plan_lines(&scan->plan, dim);
}

strew_status strew_cumsum(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  bool made = false;
  CALL(call, "cumsum", error, {"self", tensor}, {"out", *out == tensor ? NULL : *out});
  strew_status status = scan_prepare(&call, tensor, &dim, out, &made);
  if (status != STREW_OK || !strew_tensor_numel(tensor)) return status;
  struct scan_plan scan;
  plan_scan(&scan, *out, tensor, dim);
  strew_device *device = tensor->storage->device;
  status = device->ops->cumsum(&call, device, &scan);
  if (status != STREW_OK && made) strew_release(*out), *out = NULL;
  return status;
}

/* Products in the dtype that is computed, in which devices run; then rounded once. */
static strew_status narrow_cumprod(const struct call *call, const strew_tensor *tensor, int dim, strew_tensor *out) {
  strew_device *device = tensor->storage->device;
  strew_dtype dtype = dtype_is_float(tensor->dtype) ? dtype_wide(tensor->dtype) : STREW_INT64;
  strew_tensor *wide = NULL;
  strew_status status = copy_as(call, tensor, dtype, &wide);
  if (status != STREW_OK) return status;
  struct scan_plan scan;
  plan_scan(&scan, wide, wide, dim);
  status = device->ops->cumprod(call, device, &scan);
  if (status == STREW_OK) status = copy_tensor(call, out, wide);
  strew_release(wide);
  return status;
}

strew_status strew_cumprod(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  bool made = false;
  CALL(call, "cumprod", error, {"self", tensor}, {"out", *out == tensor ? NULL : *out});
  strew_status status = scan_prepare(&call, tensor, &dim, out, &made);
  if (status != STREW_OK || !strew_tensor_numel(tensor)) return status;
  strew_dtype dtype = tensor->dtype;
  strew_device *device = tensor->storage->device;
  if (dtype == STREW_INT64 || dtype == STREW_FLOAT32 || dtype == STREW_FLOAT64) {
    struct scan_plan scan;
    plan_scan(&scan, *out, tensor, dim);
    status = device->ops->cumprod(&call, device, &scan);
  } else {
    status = narrow_cumprod(&call, tensor, dim, *out);
  }
  if (status != STREW_OK && made) strew_release(*out), *out = NULL;
  return status;
}

static strew_status cumulative_extremes(const char *name, strew_tensor *tensor, int dim, bool largest,
                                        strew_tensor **values, strew_tensor **indices, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, name)};
  CALL(call, name, &inner, {"self", tensor});
  strew_device *device = tensor->storage->device;
  strew_tensor *found = NULL, *positions = NULL;
  struct scan_plan scan;
  strew_status status = check_dim(&call, tensor->rank, &dim);
  if (status == STREW_OK) status = tensor_create(&call, device, STREW_INT64, tensor->rank, tensor->sizes, &positions);
  if (status == STREW_OK && strew_tensor_numel(tensor)) {
    plan_scan(&scan, positions, tensor, dim);
    status = device->ops->cumextreme(&call, device, &scan, largest);
  }
  if (status == STREW_OK && values) status = strew_gather(tensor, dim, positions, STREW_ERROR, &found, &inner);
  if (status == STREW_OK && values) *values = found;
  if (status == STREW_OK && indices)
    *indices = positions;
  else
    strew_release(positions);
  return report_inner(status, &inner, error);
}

strew_status strew_cummax(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                          strew_error *error) {
  return cumulative_extremes("cummax", tensor, dim, true, values, indices, error);
}

strew_status strew_cummin(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                          strew_error *error) {
  return cumulative_extremes("cummin", tensor, dim, false, values, indices, error);
}
