/* scatter.c: the position form, and the engine that it shares with the group form.

   The contract is a plain loop: contributions join their destinations in row-major order of index. The engine splits a
   call into at most five passes over the device, each of which keeps that order:
     1. count contributions                                           (mean)
     2. set destinations that receive a contribution to the identity  (include_self = false)
     3. join contributions
     4. divide sums by counts                                         (mean)
     5. round 16-bit results, joined as float32, into self, once
   A device may offer steps 1 to 4 of a mean in one pass (struct one_pass_mean). Steps 1, 2 and 5 need scratch of at most
   the size of the destinations, which is allocated before anything is written. */
#include "scatter.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/base/steps.h"

#include <string.h>

strew_status check_mean(const struct call *call, strew_reduction reduction, strew_dtype dtype) {
  if (reduction != STREW_ASSIGN && !dtype_is_number(dtype))
    return fail(call, FAULT(STREW_EDTYPE, "reduce"), "is \"%s\", which is not defined for %s",
                reduction_name(reduction), strew_dtype_name(dtype));
  if (reduction != STREW_MEAN || dtype != STREW_BOOL) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, "reduce"), "is \"mean\", which is not defined for bool");
}

const strew_scatter_options scatter_defaults = {.reduction = STREW_ASSIGN};

struct scatter_job scatter_job_of(struct addressing *addressing, const strew_scatter_options *options) {
  return (struct scatter_job){.addressing = addressing,
                              .reduction = options->reduction,
                              .start_from_identity = options->exclude_self && options->reduction != STREW_ASSIGN,
                              .count_self = !options->exclude_self,
                              .exact = options->exact};
}

/* ------------------------------------------------------------------------------------------------- one pass */

/* Adds a tensor that is addressed through the index: stride 0 along dim. Returns its step along dim. */
static int64_t plan_add_target(struct plan *plan, const strew_tensor *tensor, int dim) {
  struct operand *operand = plan_add(plan, tensor);
  operand->strides[dim] = 0;
  return tensor->rank ? tensor->strides[dim] : 0;
}

/* Sets every member: clearing a plan first would cost a small call more than its work. */
static void plan_pass(const struct scatter_job *job, strew_tensor *self, struct scatter_plan *plan) {
  const struct addressing *addressing = job->addressing;
  const int dim = addressing->limits.dim;
  plan->size = self->rank ? self->sizes[dim] : 1;
  plan->reduction = job->reduction == STREW_MEAN ? STREW_SUM : job->reduction;
  plan->mode = addressing->limits.mode;
  plan->arg_none = job->arg_none;
  plan->fresh = job->fresh;
  plan->arg_step = 0;
  plan->disposable = job->disposable;
  plan->check = addressing_needs_check(addressing, &plan->lowest);
  plan->unsorted = &job->addressing->unsorted;
  plan_start(&plan->plan, addressing->index->rank, addressing->index->sizes);
  plan->step = plan_add_target(&plan->plan, self, dim);
  plan_add(&plan->plan, addressing->index);
  if (job->src)
    plan_add(&plan->plan, job->src);
  else
    plan_add_number(&plan->plan, self->dtype, job->number);
  if (job->arg) {
    plan->arg_step = plan_add_target(&plan->plan, job->arg, dim);
    struct operand *position = plan_add_number(&plan->plan, STREW_INT64, (union element){.i64 = 0});
    position->strides[dim] = 1;
  }
  struct operand *target = &plan->plan.operands[SELF], *source = &plan->plan.operands[SRC];
  if (target->dtype == source->dtype) target->dtype = source->dtype = dtype_joined(target->dtype, plan->reduction);
  plan_simplify(&plan->plan);
}

/* The end of a pass that has checked the index, if that was needed. */
static strew_status pass_end(const struct call *call, struct addressing *addressing, strew_status status, bool bad) {
  if (status == STREW_OK && bad) return addressing_check(call, addressing);
  addressing->checked = addressing->checked || status == STREW_OK;
  return status;
}

static strew_status scatter_pass(const struct call *call, const struct scatter_job *job, strew_tensor *self) {
  struct scatter_plan plan;
  plan_pass(job, self, &plan);
  if (plan.size == 0) /* no value is in range, and such a self may have no memory */
    return plan.check ? addressing_check(call, job->addressing) : STREW_OK;
  bool bad;
  strew_status status = RUN_ON(self, scatter, call, &plan, &bad);
  return pass_end(call, job->addressing, status, bad);
}

static strew_status set_to_identity(const struct call *call, const struct scatter_job *job, strew_tensor *self) {
  struct scatter_job assign = *job;
  assign.src = NULL;
  assign.number = element_identity(job->reduction, self->dtype);
  assign.reduction = STREW_ASSIGN;
  return scatter_pass(call, &assign, self);
}

/* ------------------------------------------------------------------------------------------------------ mean */

/* The part of self that the index can reach: all of dim; in other dimensions the index's size. */
static strew_tensor reachable(const struct scatter_job *job, const strew_tensor *self) {
  strew_tensor part = *self;
  struct shape1 index = shape_at_least_1d(job->addressing->index);
  for (int d = 0; d < part.rank; d++)
    if (d != job->addressing->limits.dim) part.sizes[d] = index.sizes[d];
  return part;
}

/* An expanded index without its repetitions: all counts along such dimensions are equal. */
static strew_tensor distinct_part(const struct addressing *addressing) {
  strew_tensor part = *addressing->index;
  for (int d = 0; d < part.rank; d++)
    if (d != addressing->limits.dim && part.strides[d] == 0 && part.sizes[d] > 1) part.sizes[d] = 1;
  return part;
}

/* True if the device's one_pass_mean takes the job. It writes every destination and the elements between them: these
   may not be many, and there may be none in wrapped memory, which a host may be writing. */
static bool takes_one_pass(const struct scatter_job *job, const strew_tensor *self) {
  strew_tensor part = reachable(job, self), index = distinct_part(job->addressing);
  int64_t destinations = strew_tensor_numel(&part), contributions = strew_tensor_numel(job->addressing->index);
  if (!self->storage->device->ops->mean || contributions >= INT32_MAX) return false;
  int64_t span = 1; /* cannot overflow: self's elements are in memory */
  for (int d = 0; d < part.rank; d++) span += (part.sizes[d] - 1) * part.strides[d];
  if (destinations <= 0 || (self->storage->wrapped ? span > destinations : span / 2 > destinations)) return false;
  return strew_tensor_numel(&index) == contributions && dtype_bytes(self->dtype) >= sizeof(uint32_t) &&
         !dtype_is_unsigned(self->dtype);
}

static strew_status counts_create(const struct call *call, const struct scatter_job *job, strew_tensor **counts) {
  strew_tensor part = reachable(job, job->self), index = distinct_part(job->addressing);
  for (int d = 0; d < part.rank; d++)
    if (d != job->addressing->limits.dim) part.sizes[d] = index.sizes[d];
  return tensor_create(call, part.storage->device, STREW_INT64, part.rank, part.sizes, counts);
}

static strew_status count_contributions(const struct call *call, const struct scatter_job *job, strew_tensor *counts) {
  strew_tensor index = distinct_part(job->addressing);
  struct addressing addressing = *job->addressing;
  addressing.index = &index;
  struct scatter_job count = {
      .addressing = &addressing, .self = counts, .number = {.i64 = 1}, .reduction = STREW_SUM, .disposable = true};
  strew_status status = fill_tensor(call, counts, (union element){.i64 = 0});
  TRY(status, scatter_pass(call, &count, counts));
  addressing_learn(job->addressing, &addressing);
  return status;
}

/* A mean, ready to run. */
struct mean {
  strew_tensor *pairs;    /* of sums and counts, in one pass; or NULL: by passes */
  strew_tensor *counts;   /* by passes */
  strew_tensor *received; /* counts as bool, if destinations start from the identity; or NULL */
  struct mean_scratch scratch;
  struct scatter_plan plan; /* in one pass */
};

/* Does everything that can run out of memory; by passes, also checks the index. */
static strew_status mean_prepare(const struct call *call, const struct scatter_job *job, strew_tensor *self,
                                 struct mean *mean) {
  strew_device *device = self->storage->device;
  if (takes_one_pass(job, self)) {
    plan_pass(job, self, &mean->plan);
    mean->scratch = device->ops->mean->choose(device, &mean->plan);
    return tensor_create(call, device, self->dtype, 1, &mean->scratch.elements, &mean->pairs);
  }
  strew_status status = counts_create(call, job, &mean->counts);
  TRY(status, count_contributions(call, job, mean->counts));
  if (status != STREW_OK || !job->start_from_identity) return status;
  return copy_as(call, mean->counts, STREW_BOOL, &mean->received);
}

static strew_status mean_in_one_pass(const struct call *call, const struct scatter_job *job, strew_tensor *self,
                                     struct mean *mean) {
  bool bad;
  strew_device *device = self->storage->device;
  mean->plan.check = addressing_needs_check(job->addressing, &mean->plan.lowest); /* may be checked by now */
  strew_status status = device->ops->mean->run(call, device, &mean->plan, &mean->scratch, mean->pairs->storage,
                                               job->start_from_identity, job->count_self, &bad);
  return pass_end(call, job->addressing, status, bad);
}

static void mean_release(struct mean *mean) {
  strew_release(mean->pairs);
  strew_release(mean->counts);
  strew_release(mean->received);
}

/* Sets destinations that received a contribution to 0. */
static strew_status clear_received(const struct call *call, const struct scatter_job *job, strew_tensor *self,
                                   const strew_tensor *received) {
  if (!self->storage->device->ops->elementwise) return set_to_identity(call, job, self);
  strew_tensor part = reachable(job, self);
  const strew_dtype dtype = self->dtype;
  struct elementwise_plan plan;
  plan.count = 1;
  plan.instructions[0] = (struct instruction){ELEMENTWISE_WHERE,
                                              0,
                                              dtype,
                                              dtype,
                                              dtype,
                                              3,
                                              .in = {{.from = 1, .dtype = received->dtype},
                                                     {.from = FROM_NUMBER, .dtype = dtype},
                                                     {.from = 2, .dtype = dtype}}};
  PLAN(&plan.plan, part.rank, part.sizes, &part, received, &part);
  if (plan_numel(&plan.plan) == 0) return STREW_OK;
  plan_simplify_any_order(&plan.plan);
  return RUN_ON(self, elementwise->elementwise, call, &plan);
}

static strew_status divide(const struct call *call, const struct scatter_job *job, strew_tensor *self,
                           const strew_tensor *counts) {
  strew_tensor part = reachable(job, self);
  struct plan plan;
  PLAN(&plan, part.rank, part.sizes, &part, counts);
  if (plan_numel(&plan) == 0) return STREW_OK;
  plan_simplify_any_order(&plan);
  return RUN_ON(self, divide_by_count, call, &plan, job->count_self);
}

/* ------------------------------------------------------------------------------------------------ all passes */

static strew_status scatter_passes(struct call *call, const struct scatter_job *job, strew_tensor *self) {
  strew_status status = job->start_from_identity ? set_to_identity(call, job, self) : STREW_OK;
  if (job->start_from_identity) call->begun = self->storage;
  return TRY(status, scatter_pass(call, job, self));
}

static strew_status mean_by_passes(struct call *call, const struct scatter_job *job, strew_tensor *self,
                                   const struct mean *mean) {
  strew_status status = mean->received ? clear_received(call, job, self, mean->received) : STREW_OK;
  if (mean->received) call->begun = self->storage;
  TRY(status, scatter_pass(call, job, self));
  call->begun = self->storage;
  return TRY(status, divide(call, job, self, mean->counts));
}

static strew_status scatter_into(struct call *call, const struct scatter_job *job, strew_tensor *self,
                                 struct mean *mean) {
  if (mean->pairs) return mean_in_one_pass(call, job, self, mean);
  return mean->counts ? mean_by_passes(call, job, self, mean) : scatter_passes(call, job, self);
}

static bool needs_float32(const struct scatter_job *job) {
  return reduction_widens_halves(job->reduction) && dtype_is_half(job->self->dtype);
}

static union element float32_number(const struct scatter_job *job) {
  union element element = {.i64 = 0};
  float number = (float)strew_scalar_load(job->self->dtype, job->number.bytes).as.f;
  memcpy(element.bytes, &number, sizeof number);
  return element;
}

/* On the CPU nothing fails once scratch and index are ready. Other devices may fail at each pass: several passes work
   on a draft there, unless self is disposable. */
static bool needs_draft(const struct scatter_job *job) {
  bool several = job->reduction == STREW_MEAN || job->start_from_identity || job->start != job->self;
  return several && !job->disposable && !job->self->storage->device->ops->host_memory;
}

/* Writes the initial values. A given tensor is written only after the index is checked. */
static strew_status copy_start(const struct call *call, const struct scatter_job *job) {
  strew_status status = job->disposable ? STREW_OK : addressing_check(call, job->addressing);
  return TRY(status, copy_tensor(call, job->self, job->start));
}

static bool scatter_is_exact(const struct scatter_job *job) {
  return dtype_is_float(job->self->dtype) && (job->reduction == STREW_SUM || job->reduction == STREW_MEAN);
}

/* Elements that are dropped may not be computed. */
static strew_status open_source(const struct call *call, const struct scatter_job *job) {
  if (!job->src || !is_deferred(job->src)) return STREW_OK;
  if (strew_tensor_numel(job->src) != strew_tensor_numel(job->addressing->index)) return tensor_store(call, job->src);
  const bool reads_all = job->disposable && job->addressing->limits.mode != STREW_DROP;
  return deferred_open(call, job->src, READ_BY_SCATTER, reads_all ? NULL : job->self);
}

strew_status scatter_run(const struct call *given, const struct scatter_job *job) {
  static const struct exact_scatters *const exact = &exact_scatters;
  if (job->exact && scatter_is_exact(job)) {
    if (exact) return exact->run(given, job, scatter_run);
    return fail(given, FAULT(STREW_EARGUMENT, "exact"), "is given, which this build has no part for");
  }
  struct call own = *given, *call = &own; /* its `begun` changes */
  strew_tensor *draft = NULL, *target;
  struct mean mean; /* not cleared: see plan_pass */
  mean.pairs = mean.counts = mean.received = NULL;
  struct scatter_job draft_job;
  const struct scatter_job *run = job; /* or draft_job */
  strew_status status = open_source(call, job);
  if (status == STREW_OK && (needs_float32(job) || needs_draft(job))) {
    status = copy_as(call, job->start, needs_float32(job) ? STREW_FLOAT32 : job->self->dtype, &draft);
    draft_job = *job;
    run = &draft_job;
    draft_job.disposable = true;
    if (needs_float32(job)) draft_job.number = float32_number(job);
  }
  target = draft ? draft : job->self;
  if (status == STREW_OK && job->reduction == STREW_MEAN) status = mean_prepare(call, run, target, &mean);
  if (status == STREW_OK && !draft && job->start != job->self) {
    status = copy_start(call, job);
    call->begun = target->storage;
  }
  TRY(status, scatter_into(call, run, target, &mean));
  TRY(status, deferred_close(call, job->src));
  if (status == STREW_OK && draft) status = copy_tensor(call, job->self, draft);
  strew_release(draft);
  mean_release(&mean);
  return status;
}

/* ------------------------------------------------------------------------------------------------- whole calls */

strew_status check_scatter_source(const struct call *call, const strew_tensor *self, const char *name,
                                  strew_operand source, struct scatter_job *job) {
  if (is_string(source)) RETURN_IF_FAILED(operand_settle(call, name, self->dtype, &source));
  job->src = source.tensor;
  if (!source.tensor) return element_from(call, name, source.number, STREW_EXACT, self->dtype, &job->number);
  return check_stored_dtype(call, name, source.tensor->dtype, self->dtype);
}

strew_status check_scatter_target(const struct call *call, strew_tensor *self, strew_tensor *target) {
  bool made;
  if (!target) return STREW_OK;
  strew_status status = out_prepare(call, self->storage->device, self->dtype, self->rank, self->sizes, &target, &made);
  TRY(status, check_overlap(call, target, "self", NULL, false));
  if (status == STREW_OK && target != self) status = check_overlap(call, target, "self", self, true);
  return status;
}

strew_status check_scatter_overlap(const struct call *call, const strew_tensor *target, const char *name,
                                   const strew_tensor *operand) {
  return target && operand ? check_overlap(call, target, name, operand, false) : STREW_OK;
}

strew_status check_scatter_out(const struct call *call, strew_tensor *self, strew_tensor *target, const char *name,
                               const strew_tensor *operand, const char *other, const strew_tensor *other_operand) {
  RETURN_IF_FAILED(check_scatter_target(call, self, target));
  RETURN_IF_FAILED(check_scatter_overlap(call, target, name, operand));
  return check_scatter_overlap(call, target, other, other_operand);
}

strew_status scatter_call(const struct call *call, struct scatter_job *job, strew_tensor *self, strew_tensor **out) {
  strew_tensor *target = *out;
  const bool empty = strew_tensor_numel(job->addressing->index) == 0;
  strew_status status = STREW_OK;
  if (strew_tensor_numel(job->addressing->given))
    status = empty ? addressing_check(call, job->addressing) : check_clip(call, &job->addressing->limits);
  if (status == STREW_OK && !target)
    status = tensor_create(call, self->storage->device, self->dtype, self->rank, self->sizes, &target);
  if (status != STREW_OK) return status;
  job->self = target;
  job->start = self;
  job->disposable = !*out;
  if (!empty)
    status = scatter_run(call, job);
  else if (target != self)
    status = copy_tensor(call, target, self);
  if (!*out && status != STREW_OK) strew_release(target), target = NULL;
  *out = target;
  return status;
}

/* -------------------------------------------------------------------------------------------- position form */

/* The checks of an index that is not empty: its shape. */
static strew_status check_scatter_index(const struct call *call, const strew_tensor *self,
                                        const struct scatter_job *job) {
  const strew_tensor *index = job->addressing->index;
  const int dim = job->addressing->limits.dim;
  RETURN_IF_FAILED(check_index_dtype(call, index, "index"));
  if (job->src) RETURN_IF_FAILED(check_index_rank(call, index, job->src, "src", dim, NULL));
  RETURN_IF_FAILED(check_index_rank(call, index, self, "self", dim, NULL));
  if (job->src) RETURN_IF_FAILED(check_index_sizes(call, index, job->src, "src", -1));
  return check_index_sizes(call, index, self, "self", dim);
}

/* The source: of a word, src, that was a string, a view with the index's shape. */
static strew_operand widened(const strew_tensor *word, const strew_tensor *index, strew_tensor *wide,
                             strew_operand src) {
  if (!word) return src;
  *wide = *word;
  wide->rank = index->rank;
  memcpy(wide->sizes, index->sizes, (size_t)index->rank * sizeof *wide->sizes);
  memset(wide->strides, 0, sizeof wide->strides);
  return strew_of(wide);
}

/* Extremes of text and times: of their order keys. */
static strew_status scatter_in_order(strew_tensor *self, int dim, strew_tensor *index, strew_operand src,
                                     const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  strew_tensor wide, seen = *self; /* has codes of the call's list; self, which may be *out, those of its own */
  TAKE_WORD(word, "scatter", error, self->dtype == STREW_TEXT, self, src);
  src = widened(word, index, &wide, src);
  CALL_STEPS(call, steps, "scatter", error, {"self", &seen, ORDERED}, {"index", index},
             {"src", src.tensor, word ? ORDERED | UNSEEN : ORDERED}, {"out", *out == self ? NULL : *out, RESULT});
  const enum order_key kind = options->reduction == STREW_AMAX ? KEY_SORTED : KEY_LEAST;
  STEP(&steps, check_comparable(&call, "src", self->dtype, &src));
  if (steps.status != STREW_OK) return steps_status(&steps);
  strew_tensor *keys = step_key(&steps, &seen, kind);
  if (src.tensor)
    src = strew_of(step_key(&steps, src.tensor, kind));
  else
    src = operand_of_int((int64_t)((uint64_t)src.number.as.i - (kind == KEY_SORTED)));
  if (keys) keys = step_copy(&steps, keys, keys->dtype);
  STEP(&steps, strew_scatter(keys, dim, index, src, options, &keys, error));
  if (*out != self) return steps_give_key(&steps, "out", keys, self->dtype, kind, out);
  STEP(&steps, text_ops.from_key(&call, keys, self->dtype, kind));
  STEP(&steps, strew_copy(self, keys, error));
  return steps_status(&steps);
}

strew_status strew_scatter(strew_tensor *self, int dim, strew_tensor *index, strew_operand src,
                           const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  if (!options) options = &scatter_defaults;
  if (!dtype_is_number(self->dtype) && (options->reduction == STREW_AMAX || options->reduction == STREW_AMIN))
    return scatter_in_order(self, dim, index, src, options, out, error);
  strew_tensor wide;
  TAKE_WORD(word, "scatter", error, self->dtype == STREW_TEXT, self, src);
  src = widened(word, index, &wide, src);
  CALL(call, "scatter", error, {"self", self, MOVED}, {"index", index},
       {"src", src.tensor, READ_ONCE | MOVED | (word ? UNSEEN : 0)}, OTHER_OUT);
  INDEX(&call, index);
  struct addressing addressing = ADDRESSING(index, index, {0, 0, "self", options->mode, false});
  struct scatter_job job = scatter_job_of(&addressing, options);
  RETURN_IF_FAILED(check_options(&call, options));
  RETURN_IF_FAILED(check_words(&call, options->reduction, options->mode));
  RETURN_IF_FAILED(check_devices(&call));
  RETURN_IF_FAILED(check_dim(&call, self->rank, &dim));
  RETURN_IF_FAILED(check_mean(&call, job.reduction, self->dtype));
  RETURN_IF_FAILED(check_scatter_source(&call, self, "src", src, &job));
  RETURN_IF_FAILED(check_scatter_out(&call, self, *out, "index", index, "src", src.tensor));
  addressing.limits.dim = dim;
  addressing.limits.size = self->rank ? self->sizes[dim] : 1;
  if (strew_tensor_numel(index))
    RETURN_IF_FAILED(check_scatter_index(&call, self, &job));
  else if (job.src)
    RETURN_IF_FAILED(operand_store(&call, job.src));
  return scatter_call(&call, &job, self, out);
}
