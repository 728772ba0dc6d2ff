/* reduce.c: folds of dimensions into one value each, cumulative sums and products, softmax. */
#include "exact.h"
#include "pieces.h"
#include "reduce_ops.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"
#include "times.h"

#include <inttypes.h>
#include <math.h>

/* ------------------------------------------------------------------------------------------------------------ folds */

const struct fold_row fold_rows[] = {
#define ROW(ENUM, f, takes, gives, empty, finish, ...)                                                                 \
  [STREW_FOLD_##ENUM] = {#f, TAKES_##takes, FOLD_##gives, EMPTY_##empty, FINISH_##finish},
    STREW_FOLDS(ROW)
#undef ROW
};
#define ROW(ENUM, ...) ROW_##ENUM,
enum { STREW_FOLDS(ROW) FOLD_ROWS };
#undef ROW
#define SAME(ENUM, ...) _Static_assert((int)ROW_##ENUM == (int)STREW_FOLD_##ENUM, "strew.h and a table differ: " #ENUM);
STREW_FOLDS(SAME)
#undef SAME
_Static_assert((int)FOLD_ROWS == (int)STREW_FOLD_COUNT, "a fold of strew.h has no row");

static strew_status result_dtype(const struct call *call, const struct fold_row *row, const strew_tensor *self,
                                 strew_dtype *out) {
  const strew_dtype dtype = self->dtype;
  if (row->takes == TAKES_FLOATS) RETURN_IF_FAILED(check_float(call, "self", self));
  const strew_dtype dtypes[] = {
      [FOLD_WIDE] = dtype_sums(dtype), [FOLD_SAME] = dtype, [FOLD_PLACE] = STREW_INT64, [FOLD_TRUTH] = STREW_BOOL};
  return *out = dtypes[row->gives], STREW_OK;
}

/* Fails if no elements are folded: they have no extreme. */
static strew_status check_not_empty(const struct call *call, const strew_tensor *tensor, const bool *folded) {
  for (int d = 0; d < tensor->rank; d++)
    if (folded[d] && tensor->sizes[d] == 0)
      return fail(call, FAULT(STREW_ESHAPE, "self"), "has size 0 in dimension %d, expected at least one element", d);
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
  return TRY(status, fill_tensor(call, out, element));
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
  PLAN(plan, 0, NULL, out, tensor);
  for (int i = 0; i < count; i++) append_dim(plan, tensor, kept[i], out, out_dim[kept[i]]);
  for (int d = 0; d < tensor->rank; d++)
    if (folded[d]) append_dim(plan, tensor, d, out, -1);
  plan_simplify(plan);
  /* out has stride 0 along folded dimensions only */
  for (reduce->kept = 0; reduce->kept < plan->rank; reduce->kept++)
    if (!plan->operands[0].strides[reduce->kept]) break;
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

/* A fold of a tensor along `count` dimensions. */
struct folding {
  strew_fold fold;
  strew_tensor *tensor;
  int count;
  const int64_t *dims;
  bool keepdim;
  double correction;
};
static strew_tensor *fold_tensor(struct steps *steps, const struct folding *folding, strew_tensor *given, bool widens);

/* True if all elements are in the range of their dtype. */
static bool are_in_range(struct steps *steps, strew_tensor *spreads) {
  const struct range *range = range_of(spreads->dtype);
  strew_scalar one = strew_float(0);
  if (strew_tensor_numel(spreads) == 1) {
    STEP(steps, strew_item(spreads, &one, steps->error));
    return one.as.f >= range->least && one.as.f <= range->most;
  }
  strew_tensor *above = step_binary(steps, STREW_GE, spreads, range->least, NULL);
  strew_tensor *below = step_binary(steps, STREW_LE, spreads, range->most, NULL);
  return step_number(steps, STREW_FOLD_ALL, step_binary(steps, STREW_LOGICAL_AND, above, below, above)).as.i != 0;
}

/* The scale of each line, by the magnitude of its largest element, in the computed dtype; NULL if they are all 1. */
static strew_tensor *make_scales(struct steps *steps, const struct folding *folding) {
  strew_tensor *tensor = folding->tensor,
               *largest = step_reduce(steps, STREW_FOLD_AMAX, tensor, folding->count, folding->dims);
  strew_tensor *least = step_reduce(steps, STREW_FOLD_AMIN, tensor, folding->count, folding->dims), *flags = NULL;
  step_unary(steps, STREW_ABS, largest, largest);
  step_unary(steps, STREW_ABS, least, least);
  step_binary(steps, STREW_MAXIMUM, largest, least, largest);
  if (!largest) return NULL;
  strew_tensor *scales =
      step_full(steps, tensor->storage->device, dtype_wide(tensor->dtype), largest->rank, largest->sizes, strew_int(1));
  const struct level *levels = range_of(tensor->dtype)->levels;
  for (const struct level *level = levels; level < levels + LEVELS && level->scale > 0; level++) {
    flags = step_binary(steps, level->op, largest, level->bound, flags);
    STEP(steps, strew_masked_fill(scales, flags, operand_of_float(level->scale), &scales, steps->error));
  }
  flags = step_binary(steps, STREW_EQ, scales, 1, flags);
  return step_number(steps, STREW_FOLD_ALL, flags).as.i ? NULL : scales;
}

/* Writes to `out` the fold of scaled elements, scaled back, if squares may have been lost. */
static void widen_spread(struct steps *steps, const struct folding *folding, strew_tensor *out) {
  if (steps->status != STREW_OK || are_in_range(steps, out)) return;
  strew_tensor *scales = make_scales(steps, folding);
  struct folding scaled = *folding;
  if (!scales) return;
  scaled.tensor = step_binary(steps, STREW_MUL, folding->tensor, scales, NULL);
  scaled.keepdim = true;
  strew_tensor *spreads = fold_tensor(steps, &scaled, NULL, false);
  for (int i = folding->fold == STREW_FOLD_STD; i < 2; i++) step_binary(steps, STREW_DIV, spreads, scales, spreads);
  strew_tensor *shaped = step_view(steps, spreads, out->rank, out->sizes);
  STEP(steps, copy_tensor(steps->call, out, shaped));
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static void fold_into(struct steps *steps, const struct folding *folding, const bool *folded, strew_tensor *out) {
  struct reduce_plan plan; /* not zeroed first: plans are large */
  plan.fold = folding->fold;
  plan.correction = folding->correction;
  if (strew_tensor_numel(folding->tensor)) {
    plan_fold(&plan, folding->tensor, folded, folding->keepdim, out);
    STEP(steps, RUN_ON(out, reduce->reduce, steps->call, &plan));
  } else {
    STEP(steps, fill_empty(steps->call, fold_row_of(folding->fold), out));
  }
}

strew_status fold_infer(const struct call *call, strew_fold fold, const strew_tensor *tensor,
                        const strew_reduce_options *options, struct fold_result *out) {
  const struct fold_row *row = fold_row_of(fold);
  RETURN_IF_FAILED(mark_dims(call, "dim", tensor->rank, options->dim_count, options->dims, out->folded));
  RETURN_IF_FAILED(result_dtype(call, row, tensor, &out->dtype));
  if (row->empty == EMPTY_NOTHING) RETURN_IF_FAILED(check_not_empty(call, tensor, out->folded));
  out->rank = result_sizes(tensor, out->folded, options->keepdim, out->sizes);
  return STREW_OK;
}

/* The fold: `given`, written once it is final, or a new tensor. widens: spreads are computed again where needed. */
static strew_tensor *fold_tensor(struct steps *steps, const struct folding *folding, strew_tensor *given, bool widens) {
  const strew_reduce_options options = {
      .dim_count = folding->count, .dims = folding->dims, .keepdim = folding->keepdim};
  strew_tensor *tensor = folding->tensor;
  struct fold_result result;
  if (STEP(steps, fold_infer(steps->call, folding->fold, tensor, &options, &result)) != STREW_OK) return NULL;
  strew_device *device = tensor->storage->device;
  const strew_dtype dtype = result.dtype;
  const int rank = result.rank;
  const int64_t *sizes = result.sizes;
  strew_tensor *target = steps_out(steps, "out", device, dtype, rank, sizes, given), *made = target;
  if (steps->status != STREW_OK || !strew_tensor_numel(target)) return target;
  widens = widens && fold_is_spread(folding->fold) && tensor->dtype != STREW_FLOAT16 && strew_tensor_numel(tensor);
  if (widens && given) made = step_new(steps, device, dtype, rank, sizes);
  if (made) fold_into(steps, folding, result.folded, made);
  if (widens) widen_spread(steps, folding, made);
  if (made != target) STEP(steps, copy_tensor(steps->call, target, made));
  return target;
}

/* ------------------------------------------------------------------------------------------------------ exact folds */

void exact_folds(struct steps *steps, void *user, int count, strew_tensor *const *terms, strew_tensor *const *sums) {
  for (int i = 0; i < count; i++) {
    strew_tensor *out = sums[i];
    STEP(steps, strew_reduce_with(STREW_FOLD_SUM, terms[i], user, &out, steps->error));
  }
}

/* Sums and means of adjacent elements, where the device adds them line by line. False: it does not. */
static bool fold_lines(struct steps *steps, const struct folding *folding, const bool *folded, strew_tensor *out) {
  strew_tensor *tensor = folding->tensor;
  const struct exact_ops *ops = tensor->storage->device->ops->exact;
  struct reduce_plan reduce;
  struct exact_lines_plan lines;
  if (!ops->exact_lines || steps->status != STREW_OK || !strew_tensor_numel(tensor)) return false;
  plan_fold(&reduce, tensor, folded, folding->keepdim, out);
  const struct plan *plan = &reduce.plan;
  if (plan->rank != reduce.kept + 1 || plan->operands[1].strides[reduce.kept] != 1) return false;
  plan_copy(&lines.plan, plan);
  lines.result = folding->fold == STREW_FOLD_SUM ? EXACT_SUM : EXACT_MEAN;
  return STEP(steps, ops->exact_lines(steps->call, tensor->storage->device, &lines)) == STREW_OK;
}

/* A sum, mean, variance or deviation of floats. */
static strew_tensor *fold_exactly(struct steps *steps, const struct folding *folding, bool skips_nan,
                                  strew_tensor *given) {
  strew_tensor *tensor = folding->tensor;
  bool folded[MAX_RANK];
  int64_t sizes[MAX_RANK], count = 1;
  STEP(steps, mark_dims(steps->call, "dim", tensor->rank, folding->count, folding->dims, folded));
  STEP(steps, check_float(steps->call, "self", tensor));
  if (steps->status != STREW_OK) return NULL;
  if (!strew_tensor_numel(tensor)) count = 0; /* of results, if there are any */
  for (int d = 0; d < tensor->rank && count; d++) count *= folded[d] ? tensor->sizes[d] : 1;
  const int rank = result_sizes(tensor, folded, folding->keepdim, sizes);
  if (given) steps_out(steps, "out", tensor->storage->device, tensor->dtype, rank, sizes, given);
  const bool is_spread = fold_is_spread(folding->fold);
  strew_tensor *made =
      is_spread || skips_nan ? NULL : step_new(steps, tensor->storage->device, tensor->dtype, rank, sizes);
  if (made && fold_lines(steps, folding, folded, made)) {
    if (given) STEP(steps, copy_tensor(steps->call, given, made));
    return given ? given : made;
  }
  strew_reduce_options options = {.dim_count = folding->count, .dims = folding->dims, .keepdim = folding->keepdim};
  strew_tensor *counts = NULL;
  if (skips_nan) {
    strew_tensor *is_number = step_binary(steps, STREW_EQ, tensor, tensor, NULL);
    STEP_INTO(steps, found, strew_reduce_with(STREW_FOLD_SUM, is_number, &options, found, steps->error));
    counts = *found;
  }
  struct exact_by by = {.out = given};
  for (int64_t d = tensor->rank - 1, step = 1; d >= 0; step *= folded[d] ? 1 : tensor->sizes[d], d--)
    by.numbers[d] = folded[d] ? 0 : step;
  const struct exact_job job = {.result = folding->fold == STREW_FOLD_SUM    ? EXACT_SUM
                                          : folding->fold == STREW_FOLD_MEAN ? EXACT_MEAN
                                          : folding->fold == STREW_FOLD_VAR  ? EXACT_VARIANCE
                                                                             : EXACT_DEVIATION,
                                .x = tensor,
                                .dtype = tensor->dtype,
                                .rank = rank,
                                .sizes = sizes,
                                .most = count,
                                .skips_nan = skips_nan,
                                .signs_zero = true,
                                .counts = skips_nan ? strew_of(counts) : operand_of_int(count),
                                .divisor = {.correction = folding->correction},
                                .join = exact_folds,
                                .user = &options,
                                .by = &by};
  strew_tensor *results = steps->status == STREW_OK ? exact_results(steps, &job) : NULL;
  if (given && results != given) STEP(steps, copy_tensor(steps->call, given, results));
  return given ? given : results;
}

/* Exact folds read elements more than once. Short rows are read one by one. (Sums of x * y over 1 M rows of 64: 90 ms, stored 63; over 1000 of 1000: 0.35, stored
   0.6.) */
bool fold_wants_stored(strew_fold fold, const strew_tensor *tensor, const strew_reduce_options *options) {
  enum { SHORT = 256 };
  if (options && options->exact) return true;
  const int last = tensor->rank - 1;
  bool is_short =
      options && options->dims && last >= 0 && tensor->storage->device->ops->host_memory && tensor->sizes[last] < SHORT;
  for (int i = 0; is_short && i < options->dim_count; i++)
    if (options->dims[i] == last || options->dims[i] == -1) return true;
  return (unsigned)fold < STREW_FOLD_COUNT && fold_is_spread(fold);
}

strew_tensor *times_seconds(struct steps *steps, strew_tensor *times) {
  strew_scalar first = strew_int(0);
  if (steps->status != STREW_OK) return NULL;
  if (strew_tensor_numel(times)) first = step_number(steps, STREW_FOLD_AMIN, step_key(steps, times, KEY_SORTED));
  first = (strew_scalar){.dtype = STREW_TIME, .as.i = (int64_t)((uint64_t)first.as.i + 1)};
  return step_binary(steps, STREW_SUB, times, first, NULL);
}

static strew_tensor *sum_along(struct steps *steps, void *options, strew_tensor *x) {
  STEP_INTO(steps, sums, strew_reduce_with(STREW_FOLD_SUM, x, options, sums, steps->error));
  return *sums;
}

strew_status strew_reduce_with(strew_fold fold, strew_tensor *tensor, const strew_reduce_options *options,
                               strew_tensor **out, strew_error *error) {
  const bool known = (unsigned)fold < STREW_FOLD_COUNT, is_extreme = known && fold_row_of(fold)->empty == EMPTY_NOTHING;
  const bool is_timed = known && fold_row_of(fold)->finish != FINISH_PLAIN && tensor->dtype == STREW_TIME;
  const int use = is_timed ? ORDERED : is_extreme ? READ_ONCE | ORDERED : READ_ONCE;
  CALL_STEPS(call, steps, known ? fold_row_of(fold)->name : "reduce", error, {"self", tensor, use},
             {"out", *out, is_extreme || is_timed ? RESULT : 0});
  OPTIONS(strew_reduce_options);
  if (!known) return fail_unknown(&call, "fold", (int)fold, STREW_FOLD_COUNT - 1);
  const enum fold_finish finish = fold_row_of(fold)->finish;
  if (options->skip_nan && !options->exact)
    return fail(&call, FAULT(STREW_EARGUMENT, "skip_nan"), "is given without 'exact'");
  if (options->exact && fold != STREW_FOLD_SUM && finish == FINISH_PLAIN)
    return fail(&call, FAULT(STREW_EARGUMENT, "exact"), "is given, but \"%s\" does not take it",
                fold_row_of(fold)->name);
  struct folding folding = {fold,          tensor,           options->dim_count,
                            options->dims, options->keepdim, options->correction ? *options->correction : 1};
  if (is_timed && fold == STREW_FOLD_MEAN) {
    strew_reduce_options along = *options;
    along.exact = along.skip_nan = false;
    strew_tensor *mean = times_mean_of(&steps, tensor, options->skip_nan, sum_along, &along);
    return steps_give_key(&steps, "out", mean, STREW_TIME, KEY_LEAST, out);
  }
  if (is_timed) folding.tensor = tensor = times_seconds(&steps, tensor);
  if (steps.status != STREW_OK) return steps_status(&steps);
  if (options->exact && dtype_is_float(tensor->dtype)) {
    STEP(&steps, operand_store(&call, tensor));
    return steps_give(&steps, fold_exactly(&steps, &folding, options->skip_nan, *out), out);
  }
  STEP(&steps, deferred_open(&call, tensor, fold_wants_stored(fold, tensor, options) ? 0 : READ_BY_REDUCE, *out));
  const strew_dtype dtype = is_extreme && fold_row_of(fold)->gives == FOLD_SAME ? tensor->dtype : STREW_INT64;
  const enum order_key kind = fold == STREW_FOLD_AMIN || fold == STREW_FOLD_ARGMIN ? KEY_LEAST : KEY_SORTED;
  folding.tensor = step_key(&steps, tensor, kind);
  strew_tensor *folded = fold_tensor(&steps, &folding, dtype_is_number(dtype) ? *out : NULL, true);
  STEP(&steps, deferred_close(&call, tensor));
  return steps_give_key(&steps, "out", folded, dtype, kind, out);
}

static strew_status check_vector(const struct call *call, const char *name, const strew_tensor *tensor) {
  if (tensor->rank == 1) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, name), "has %d dimensions, expected 1", tensor->rank);
}

static strew_status check_vectors(const struct call *call, const strew_tensor *a, const strew_tensor *b) {
  RETURN_IF_FAILED(check_vector(call, "self", a));
  RETURN_IF_FAILED(check_vector(call, "other", b));
  RETURN_IF_FAILED(check_devices(call));
  RETURN_IF_FAILED(check_equal_dtypes(call, "other", b->dtype, "self", a->dtype));
  RETURN_IF_FAILED(check_float(call, "self", a));
  if (a->sizes[0] == b->sizes[0]) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, "other"),
              "has size %" PRId64 " in dimension 0, expected %" PRId64 ", as self's last", b->sizes[0], a->sizes[0]);
}

strew_status strew_exact_dot(strew_tensor *a, strew_tensor *b, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "dot", error, {"self", a}, {"other", b}, {"out", *out});
  if (STEP(&steps, check_vectors(&call, a, b)) != STREW_OK) return steps.status;
  strew_tensor *target = steps_out(&steps, "out", a->storage->device, a->dtype, 0, NULL, *out);
  strew_reduce_options all = {.dims = NULL};
  struct exact_by by = {.out = target};
  const struct exact_job job = {.result = EXACT_SUM,
                                .x = a,
                                .y = b,
                                .dtype = a->dtype,
                                .most = a->sizes[0],
                                .join = exact_folds,
                                .user = &all,
                                .by = &by};
  strew_tensor *results = steps.status == STREW_OK ? exact_results(&steps, &job) : NULL;
  if (results != target) STEP(&steps, copy_tensor(&call, target, results));
  return steps_give(&steps, target, out);
}

/* ------------------------------------------------------------------------------------- cumulative sums and products */

/* Checks dim; returns the result to write, of tensor's shape. Integers give int64 or uint64; in place they keep their dtype, in
   which results wrap. */
static strew_tensor *scan_out(struct steps *steps, strew_tensor *tensor, int *dim, strew_tensor *given) {
  const bool in_place = given == tensor;
  STEP(steps, check_dim(steps->call, tensor->rank, dim));
  if (in_place && tensor->dtype == STREW_BOOL)
    STEP(steps,
         fail(steps->call, HINTED(STREW_EDTYPE, "self", "strew_to(self, int64) holds it; *out NULL makes a new tensor"),
              "is bool, which does not hold a result of int64"));
  const strew_dtype dtype = in_place ? tensor->dtype : dtype_sums(tensor->dtype);
  bool made;
  strew_tensor **out = given ? &given : steps_place(steps);
  STEP(steps, out_prepare(steps->call, tensor->storage->device, dtype, tensor->rank, tensor->sizes, out, &made));
  if (given) STEP(steps, check_overlap(steps->call, given, in_place ? "self" : "out", NULL, false));
  if (given) STEP(steps, check_overlap(steps->call, given, "self", tensor, true));
  return *out;
}

static void plan_scan(struct scan_plan *scan, const strew_tensor *out, const strew_tensor *tensor, int dim) {
  PLAN(&scan->plan, tensor->rank, tensor->sizes, out, tensor);
  plan_lines(&scan->plan, dim);
}

/* Products are made in the dtype that is computed, in which devices run; then rounded once. */
static strew_status scan_along(const struct call *call, strew_tensor *tensor, int dim, bool is_product,
                               strew_tensor **out) {
  STEPS(steps, call);
  const strew_dtype wide = dtype_wide(dtype_sums(tensor->dtype));
  strew_device *device = tensor->storage->device;
  strew_tensor *target = scan_out(&steps, tensor, &dim, *out), *from = tensor, *to = target;
  if (steps.status != STREW_OK || !strew_tensor_numel(tensor)) return steps_give(&steps, target, out);
  if (is_product && tensor->dtype != wide) from = to = step_copy(&steps, tensor, wide);
  if (to) {
    struct scan_plan scan;
    plan_scan(&scan, to, from, dim);
    STEP(&steps, (is_product ? device->ops->reduce->cumprod : device->ops->reduce->cumsum)(call, device, &scan));
  }
  if (to != target) STEP(&steps, copy_tensor(call, target, to));
  return steps_give(&steps, target, out);
}

static void scan_terms(struct steps *steps, void *dim, int count, strew_tensor *const *terms,
                       strew_tensor *const *sums) {
  for (int i = 0; i < count; i++) {
    strew_tensor *out = sums[i];
    STEP(steps, strew_cumsum_with(terms[i], *(int *)dim, NULL, &out, steps->error));
  }
}

/* Each prefix is rounded once. */
static strew_status scan_exactly(const struct call *call, strew_tensor *tensor, int dim, strew_tensor **out) {
  STEPS(steps, call);
  strew_tensor *target = scan_out(&steps, tensor, &dim, *out);
  if (steps.status != STREW_OK || !strew_tensor_numel(tensor)) return steps_give(&steps, target, out);
  const struct exact_job job = {.result = EXACT_SUM,
                                .x = tensor,
                                .dtype = tensor->dtype,
                                .rank = tensor->rank,
                                .sizes = tensor->sizes,
                                .most = tensor->rank ? tensor->sizes[dim] : 1,
                                .signs_zero = true,
                                .join = scan_terms,
                                .user = &dim};
  strew_tensor *results = exact_results(&steps, &job);
  STEP(&steps, copy_tensor(call, target, results));
  return steps_give(&steps, target, out);
}

strew_status strew_cumsum_with(strew_tensor *tensor, int dim, const strew_cumsum_options *options, strew_tensor **out,
                               strew_error *error) {
  CALL(call, "cumsum", error, {"self", tensor}, {"out", *out == tensor ? NULL : *out});
  OPTIONS(strew_cumsum_options);
  if (options->exact && dtype_is_float(tensor->dtype)) return scan_exactly(&call, tensor, dim, out);
  return scan_along(&call, tensor, dim, false, out);
}

strew_status strew_cumprod(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  CALL(call, "cumprod", error, {"self", tensor}, {"out", *out == tensor ? NULL : *out});
  return scan_along(&call, tensor, dim, true, out);
}

static strew_status cumulative_extremes(const char *name, strew_tensor *self, int dim, bool largest,
                                        strew_tensor **values, strew_tensor **indices, strew_error *error) {
  CALL_STEPS(call, steps, name, error, {"self", self, ORDERED});
  strew_device *device = self->storage->device;
  const enum order_key kind = largest ? KEY_SORTED : KEY_LEAST;
  STEP(&steps, check_dim(&call, self->rank, &dim));
  strew_tensor *tensor = step_key(&steps, self, kind);
  if (!tensor) return steps_status(&steps);
  strew_tensor *positions = step_new(&steps, device, STREW_INT64, tensor->rank, tensor->sizes);
  strew_tensor *found = step_new(&steps, device, tensor->dtype, tensor->rank, tensor->sizes);
  if (steps.status == STREW_OK && strew_tensor_numel(tensor)) {
    struct scan_plan scan;
    PLAN(&scan.plan, tensor->rank, tensor->sizes, positions, tensor, found);
    plan_lines(&scan.plan, dim);
    STEP(&steps, device->ops->reduce->cumextreme(&call, device, &scan, largest));
  }
  if (values) steps_give_key(&steps, "values", found, self->dtype, kind, values);
  if (indices) steps_give(&steps, positions, indices);
  return steps_status(&steps);
}

strew_status strew_cummax(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                          strew_error *error) {
  return cumulative_extremes("cummax", tensor, dim, true, values, indices, error);
}

strew_status strew_cummin(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                          strew_error *error) {
  return cumulative_extremes("cummin", tensor, dim, false, values, indices, error);
}

/* --------------------------------------------------------------------------------------------------------- softmax */

/* The largest element is subtracted first, so that no exponential overflows. 16-bit floats are computed as float32 and
   rounded once. */
static void soften(struct steps *steps, bool logarithm, int dim, strew_tensor *x, strew_tensor *out) {
  const int64_t along = dim;
  strew_tensor *largest = step_reduce(steps, STREW_FOLD_AMAX, x, 1, &along);
  step_binary(steps, STREW_SUB, x, largest, out);
  strew_tensor *powers = step_unary(steps, STREW_EXP, out, logarithm ? NULL : out);
  strew_tensor *sums = step_reduce(steps, STREW_FOLD_SUM, powers, 1, &along);
  if (logarithm) step_unary(steps, STREW_LOG, sums, sums);
  step_binary(steps, logarithm ? STREW_SUB : STREW_DIV, out, sums, out);
}

static void soften_pieces(struct steps *steps, bool logarithm, int dim, strew_tensor *x, strew_tensor *out) {
  if (steps->status != STREW_OK || !strew_tensor_numel(x)) return;
  const struct pieces pieces = pieces_of(x, x->rank ? dim : -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    soften(steps, logarithm, dim, step_piece(steps, &pieces, at, x), step_piece(steps, &pieces, at, out));
    steps_keep(steps, mark, NULL);
  }
}

strew_status strew_softmax_with(strew_tensor *tensor, int dim, const strew_softmax_options *options, strew_tensor **out,
                                strew_error *error) {
  const bool logarithm = options && options->logarithm;
  CALL_STEPS(call, steps, logarithm ? "log_softmax" : "softmax", error, {"self", tensor});
  OPTIONS(strew_softmax_options);
  STEP(&steps, check_float(&call, "self", tensor));
  STEP(&steps, check_dim(&call, tensor->rank, &dim));
  const strew_dtype wide = dtype_wide(tensor->dtype);
  strew_tensor *x = step_to(&steps, tensor, NULL, wide);
  strew_tensor *soft = step_new(&steps, tensor->storage->device, wide, tensor->rank, tensor->sizes);
  soften_pieces(&steps, logarithm, dim, x, soft);
  return steps_give(&steps, step_to(&steps, soft, NULL, tensor->dtype), out);
}
