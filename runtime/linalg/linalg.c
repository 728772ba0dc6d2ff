/* linalg.c: solutions, inverses, determinants and factorizations of batches of small matrices. The CPU
   computes those of other devices: they are copied there and back. 16-bit floats are widened first, and results rounded
   once. */
#include "linalg_ops.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/base/steps.h"
#include "runtime/reduce/reduce_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A call that factors: its results have self's batch dimensions, then their own. */
struct factoring {
  struct steps *steps;
  strew_device *device;
  strew_tensor *a, *b; /* b: NULL, or the right sides, of the result's batch */
  int batch_rank;
  int64_t batch[MAX_RANK];
  struct linalg_plan plan;
  const char *refusal, *hint; /* of a matrix without a result */
  struct {
    const char *name;
    strew_tensor **out, *target, *dense; /* out NULL: not wanted */
  } results[3];
};

/* ------------------------------------------------------------------------------------------------------- checks */

static strew_status check_matrices(const struct call *call, const char *name, const strew_tensor *tensor,
                                   bool is_square) {
  const int rank = tensor->rank;
  RETURN_IF_FAILED(check_float(call, name, tensor));
  if (rank < 2)
    return fail(call, FAULT(STREW_ESHAPE, name), "has %d dimension%s, expected at least 2: matrices", rank,
                rank == 1 ? "" : "s");
  if (is_square && tensor->sizes[rank - 2] != tensor->sizes[rank - 1])
    return fail(call, FAULT(STREW_ESHAPE, name), "has matrices of size %" PRId64 " x %" PRId64 ", expected square ones",
                tensor->sizes[rank - 2], tensor->sizes[rank - 1]);
  return STREW_OK;
}

static void start(struct factoring *f, struct steps *steps, enum factor factor, strew_tensor *a, bool is_square) {
  *f = (struct factoring){.steps = steps, .a = a, .device = a->storage->device, .plan = {.factor = factor}};
  if (STEP(steps, check_matrices(steps->call, "self", a, is_square)) != STREW_OK) return;
  f->batch_rank = a->rank - 2;
  memcpy(f->batch, a->sizes, sizeof f->batch);
  f->plan.m = a->sizes[a->rank - 2];
  f->plan.n = a->sizes[a->rank - 1];
}

/* Adds result i, of `rank` dimensions after those of the batch. */
static void add_result(struct factoring *f, int i, const char *name, strew_tensor **out, int rank, int64_t rows,
                       int64_t columns) {
  int64_t sizes[MAX_RANK + 2];
  if (!out || f->steps->status != STREW_OK) return;
  memcpy(sizes, f->batch, sizeof f->batch);
  sizes[f->batch_rank] = rows;
  sizes[f->batch_rank + 1] = columns;
  f->results[i].name = name;
  f->results[i].out = out;
  f->results[i].target = steps_out(f->steps, name, f->device, f->a->dtype, f->batch_rank + rank, sizes, *out);
}

static strew_status refuse(const struct factoring *f, int64_t bad, int64_t why) {
  const struct call *call = f->steps->call;
  char place[TEXT_BYTES], column[64] = "";
  int64_t position[MAX_RANK], left = bad;
  for (int d = f->batch_rank - 1; d >= 0; left /= f->batch[d], d--) position[d] = left % f->batch[d];
  struct fault fault = {.code = STREW_EVALUE,
                        .argument = "self",
                        .position = position,
                        .position_rank = f->batch_rank,
                        .hint = why >= 0 ? f->hint : NULL};
  const char *at = f->batch_rank ? text_of_sizes(f->batch_rank, position, place) : "";
  if (why >= 0) snprintf(column, sizeof column, ": column %" PRId64 " has no pivot", why);
  if (why >= 0 && f->plan.factor == FACTOR_CHOLESKY)
    snprintf(column, sizeof column, ": pivot %" PRId64 " is not above 0", why);
  return fail(call, fault, "%s%s%s%s%s", f->batch_rank ? "has at " : "is ", at, f->batch_rank ? " " : "",
              why == NOT_FINITE      ? "a matrix with infinite or NaN elements, expected finite ones"
              : why == NOT_CONVERGED ? "a matrix whose iteration does not converge"
                                     : f->refusal,
              column);
}

/* ---------------------------------------------------------------------------------------------------------- work */

/* A dense tensor on `device`, of the dtype that is computed. */
static strew_tensor *dense_on(struct factoring *f, strew_device *device, strew_tensor *x) {
  const strew_dtype wide = dtype_wide(x->dtype);
  if (x->dtype != wide || !strew_tensor_is_contiguous(x)) x = step_copy(f->steps, x, wide);
  return f->steps->status == STREW_OK ? step_to(f->steps, x, device, wide) : NULL;
}

/* Runs the plan on a device, with results of its own unless they can be written in place. */
static strew_status run_on(struct factoring *f, strew_device *device, int64_t *bad, int64_t *why) {
  struct steps *steps = f->steps;
  const strew_tensor *a = f->plan.a = dense_on(f, device, f->a);
  f->plan.b = f->b ? dense_on(f, device, f->b) : NULL;
  for (int i = 0; i < 3 && steps->status == STREW_OK; i++) {
    strew_tensor *target = f->results[i].target;
    if (!target) continue;
    const bool is_own = !*f->results[i].out && target->dtype == a->dtype && f->device == device;
    f->plan.out[i] = f->results[i].dense =
        is_own ? target : step_new(steps, device, a->dtype, target->rank, target->sizes);
  }
  return steps->status == STREW_OK ? device->ops->linalg->linalg(steps->call, device, &f->plan, bad, why)
                                   : steps->status;
}

/* Makes the results. */
static void factor(struct factoring *f) {
  struct steps *steps = f->steps;
  int64_t bad = -1, why = 0, elements = 0;
  f->plan.count = count_of_sizes(f->batch_rank, f->batch);
  for (int i = 0; i < 3 && steps->status == STREW_OK; i++)
    if (f->results[i].target) elements |= strew_tensor_numel(f->results[i].target);
  if (steps->status != STREW_OK || !elements) return;
  STEP(steps, run_on(f, f->device->ops->linalg->linalg ? f->device : &f->device->context->cpu, &bad, &why));
  if (steps->status == STREW_OK && bad >= 0) STEP(steps, refuse(f, bad, why));
  for (int i = 0; i < 3 && steps->status == STREW_OK; i++) {
    strew_tensor *target = f->results[i].target, *dense = f->results[i].dense;
    if (!target || target == dense) continue;
    dense = step_to(steps, dense, f->device, dense->dtype);
    STEP(steps, copy_tensor(steps->call, target, dense));
  }
}

static strew_status give(struct factoring *f) {
  for (int i = 0; i < 3; i++)
    if (f->results[i].target) steps_give(f->steps, f->results[i].target, f->results[i].out);
  return steps_status(f->steps);
}

/* --------------------------------------------------------------------------------------------------------- calls */

static const strew_tensor *given(strew_tensor *const *out) { return out ? *out : NULL; }

static const char singular[] = "a singular matrix", pinv_hint[] = "strew_svd(self) takes any matrix";

/* The right sides of solve: b, of the batch of both, as matrices. */
static void broadcast_sides(struct factoring *f, strew_tensor *b) {
  const struct call *call = f->steps->call;
  const int64_t n = f->plan.n;
  const bool is_vector = b->rank == 1;
  const int batch_rank = is_vector ? 0 : b->rank - 2;
  char its[TEXT_BYTES], selfs[TEXT_BYTES];
  if (!b->rank) {
    STEP(f->steps, fail(call, FAULT(STREW_ESHAPE, "other"), "has no dimension, expected at least 1"));
    return;
  }
  if (b->sizes[batch_rank] != n) {
    const bool is_batch = b->rank > 1 && b->sizes[b->rank - 1] == n;
    STEP(f->steps,
         fail(call, HINTED(STREW_ESHAPE, "other", is_batch ? "of a batch of vectors strew_unsqueeze(other, -1)" : NULL),
              "has %" PRId64 " rows, expected %" PRId64 ", as self", b->sizes[batch_rank], n));
    return;
  }
  if (!broadcast_sizes(&f->batch_rank, f->batch, batch_rank, b->sizes)) {
    STEP(f->steps,
         fail(call, FAULT(STREW_ESHAPE, "other"), "has leading dimensions %s, self has %s: they do not broadcast",
              text_of_sizes(batch_rank, b->sizes, its), text_of_sizes(f->batch_rank, f->batch, selfs)));
    return;
  }
  int64_t sizes[MAX_RANK + 2];
  f->plan.columns = is_vector ? 1 : b->sizes[b->rank - 1];
  memcpy(sizes, f->batch, sizeof f->batch);
  sizes[f->batch_rank] = sizes[f->batch_rank + 1] = n;
  if (f->batch_rank != f->a->rank - 2 || memcmp(sizes, f->a->sizes, (size_t)f->batch_rank * sizeof *sizes))
    f->a = step_expand(f->steps, f->a, f->batch_rank + 2, sizes);
  if (is_vector) b = step_reshape(f->steps, b, 2, (int64_t[]){n, 1});
  sizes[f->batch_rank + 1] = f->plan.columns;
  f->b = step_expand(f->steps, b, f->batch_rank + 2, sizes);
}

strew_status strew_solve(strew_tensor *a, strew_tensor *b, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "solve", error, {"self", a}, {"other", b}, {"out", *out});
  struct factoring f;
  start(&f, &steps, FACTOR_SOLVE, a, true);
  STEP(&steps, check_devices(&call));
  STEP(&steps, check_equal_dtypes(&call, "other", b->dtype, "self", a->dtype));
  if (steps.status == STREW_OK) broadcast_sides(&f, b);
  f.refusal = singular;
  f.hint = pinv_hint;
  add_result(&f, 0, "out", out, b->rank == 1 ? 1 : 2, f.plan.n, f.plan.columns);
  factor(&f);
  return give(&f);
}

strew_status strew_inv(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "inv", error, {"self", tensor}, {"out", *out});
  struct factoring f;
  start(&f, &steps, FACTOR_SOLVE, tensor, true);
  f.plan.columns = f.plan.n;
  f.refusal = singular;
  f.hint = pinv_hint;
  add_result(&f, 0, "out", out, 2, f.plan.n, f.plan.n);
  factor(&f);
  return give(&f);
}

/* The pivots of each matrix, in the dtype that is computed. */
static strew_tensor *pivots_of(struct steps *steps, strew_tensor *tensor) {
  struct factoring f;
  strew_tensor **pivots = steps_place(steps);
  if (dtype_is_half(tensor->dtype)) tensor = step_to(steps, tensor, NULL, dtype_wide(tensor->dtype));
  if (steps->status != STREW_OK) return NULL;
  start(&f, steps, FACTOR_PIVOTS, tensor, true);
  add_result(&f, 0, "out", pivots, 1, f.plan.n, 0);
  factor(&f);
  give(&f);
  return steps->status == STREW_OK ? *pivots : NULL;
}

/* Unary operations of pivots, one after the other: a single program of the device. */
static strew_tensor *map_pivots(struct steps *steps, strew_tensor *pivots, int count, const strew_unary_op *ops) {
  if (steps->status != STREW_OK) return NULL;
  const strew_dtype dtype = pivots->dtype;
  strew_tensor *out = step_new(steps, pivots->storage->device, dtype, pivots->rank, pivots->sizes);
  struct elementwise_plan plan = {.count = count};
  for (int i = 0; i < count; i++)
    plan.instructions[i] = (struct instruction){
        ELEMENTWISE_UNARY, (int)ops[i], dtype, dtype, dtype, 1, .in = {{.from = i ? -i : 1, .dtype = dtype}}};
  if (steps->status != STREW_OK || !strew_tensor_numel(out)) return out;
  PLAN(&plan.plan, out->rank, out->sizes, out, pivots);
  plan_simplify(&plan.plan);
  STEP(steps, RUN_ON(out, elementwise->elementwise, steps->call, &plan));
  return out;
}

/* The sum or product of each line of pivots, which are dense. */
static void fold_lines(struct steps *steps, strew_fold fold, const strew_tensor *pivots, strew_tensor *out) {
  struct reduce_plan plan = {.fold = fold};
  if (steps->status != STREW_OK || !strew_tensor_numel(out)) return;
  if (!strew_tensor_numel(pivots)) {
    const strew_scalar empty = strew_int(fold == STREW_FOLD_PROD);
    STEP(steps, strew_fill(out, empty, steps->error));
    return;
  }
  PLAN(&plan.plan, pivots->rank, pivots->sizes, out, pivots);
  plan_simplify(&plan.plan);
  while (plan.kept < plan.plan.rank && plan.plan.operands[0].strides[plan.kept]) plan.kept++;
  STEP(steps, RUN_ON(out, reduce->reduce, steps->call, &plan));
}

/* A fold of pivots, and where it goes, of the dtype of the matrices. */
struct folded {
  strew_tensor *made, *target, **out;
};

static struct folded fold_pivots(struct steps *steps, strew_fold fold, strew_tensor *pivots, const strew_tensor *tensor,
                                 const char *name, strew_tensor **out) {
  struct folded folded = {.out = out};
  int64_t sizes[MAX_RANK];
  if (steps->status == STREW_OK) {
    memcpy(sizes, pivots->sizes, sizeof sizes);
    sizes[pivots->rank - 1] = 1;
    folded.made = step_new(steps, pivots->storage->device, pivots->dtype, pivots->rank, sizes);
    fold_lines(steps, fold, pivots, folded.made);
  }
  folded.target = steps_out(steps, name, tensor->storage->device, tensor->dtype, tensor->rank - 2, tensor->sizes, *out);
  folded.made = step_reshape(steps, folded.made, tensor->rank - 2, tensor->sizes);
  return folded;
}

/* Both are made before one is written or given. */
static strew_status give_folds(struct steps *steps, const struct folded *folds) {
  for (int i = 0; i < 2; i++)
    if (folds[i].target) STEP(steps, copy_tensor(steps->call, folds[i].target, folds[i].made));
  for (int i = 0; i < 2; i++)
    if (folds[i].target) steps_give(steps, folds[i].target, folds[i].out);
  return steps_status(steps);
}

strew_status strew_det(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "det", error, {"self", tensor}, {"out", *out});
  strew_tensor *pivots = pivots_of(&steps, tensor);
  const struct folded folds[2] = {fold_pivots(&steps, STREW_FOLD_PROD, pivots, tensor, "out", out)};
  return give_folds(&steps, folds);
}

strew_status strew_slogdet(strew_tensor *tensor, strew_tensor **sign, strew_tensor **logabsdet, strew_error *error) {
  CALL_STEPS(call, steps, "slogdet", error, {"self", tensor}, {"sign", given(sign)}, {"logabsdet", given(logabsdet)});
  strew_tensor *pivots = pivots_of(&steps, tensor);
  strew_tensor *logs = map_pivots(&steps, pivots, 2, (strew_unary_op[]){STREW_ABS, STREW_LOG});
  strew_tensor *signs = map_pivots(&steps, pivots, 1, (strew_unary_op[]){STREW_SIGN});
  struct folded folds[2] = {{0}};
  if (sign) folds[0] = fold_pivots(&steps, STREW_FOLD_PROD, signs, tensor, "sign", sign);
  if (logabsdet) folds[1] = fold_pivots(&steps, STREW_FOLD_SUM, logs, tensor, "logabsdet", logabsdet);
  return give_folds(&steps, folds);
}

/* Declares `chosen`: the options, or zeros. */
#define CHOSEN(options)                                                                                                \
  static const strew_linalg_options zeros;                                                                             \
  const strew_linalg_options *const chosen = (options) ? (options) : &zeros;                                           \
  STEP(&steps, check_options(&call, chosen))

strew_status strew_cholesky(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **out,
                            strew_error *error) {
  CALL_STEPS(call, steps, "cholesky", error, {"self", tensor}, {"out", *out});
  struct factoring f;
  CHOSEN(options);
  start(&f, &steps, FACTOR_CHOLESKY, tensor, true);
  f.plan.is_upper = chosen->upper;
  f.refusal = "a matrix that is not positive definite";
  f.hint = "strew_eigh(self) takes any symmetric matrix";
  add_result(&f, 0, "out", out, 2, f.plan.n, f.plan.n);
  factor(&f);
  return give(&f);
}

strew_status strew_qr(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **q, strew_tensor **r,
                      strew_error *error) {
  CALL_STEPS(call, steps, "qr", error, {"self", tensor}, {"q", given(q)}, {"r", given(r)});
  struct factoring f;
  CHOSEN(options);
  start(&f, &steps, FACTOR_QR, tensor, false);
  strew_tensor *unwanted = NULL;
  f.plan.columns = chosen->full || f.plan.m < f.plan.n ? f.plan.m : f.plan.n;
  add_result(&f, 0, "q", q, 2, f.plan.m, f.plan.columns);
  add_result(&f, 1, "r", r ? r : &unwanted, 2, f.plan.columns, f.plan.n);
  factor(&f);
  give(&f);
  strew_release(unwanted);
  return steps_status(&steps);
}

strew_status strew_eigh(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **values,
                        strew_tensor **vectors, strew_error *error) {
  CALL_STEPS(call, steps, "eigh", error, {"self", tensor}, {"values", given(values)}, {"vectors", given(vectors)});
  struct factoring f;
  CHOSEN(options);
  start(&f, &steps, FACTOR_EIGEN, tensor, true);
  f.plan.is_upper = chosen->upper;
  strew_tensor *unwanted = NULL;
  add_result(&f, 0, "values", values ? values : &unwanted, 1, f.plan.n, 0);
  add_result(&f, 1, "vectors", vectors, 2, f.plan.n, f.plan.n);
  factor(&f);
  give(&f);
  strew_release(unwanted);
  return steps_status(&steps);
}

strew_status strew_svd(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **u, strew_tensor **s,
                       strew_tensor **vh, strew_error *error) {
  CALL_STEPS(call, steps, "svd", error, {"self", tensor}, {"u", given(u)}, {"s", given(s)}, {"vh", given(vh)});
  struct factoring f;
  CHOSEN(options);
  start(&f, &steps, FACTOR_SINGULAR, tensor, false);
  strew_tensor *unwanted = NULL;
  const int64_t m = f.plan.m, n = f.plan.n, few = m < n ? m : n;
  f.plan.columns = !chosen->full ? few : m < n ? n : m;
  add_result(&f, 0, "u", u, 2, m, m > n ? f.plan.columns : m);
  add_result(&f, 1, "s", s ? s : &unwanted, 1, few, 0);
  add_result(&f, 2, "vh", vh, 2, m < n ? f.plan.columns : n, n);
  factor(&f);
  give(&f);
  strew_release(unwanted);
  return steps_status(&steps);
}
