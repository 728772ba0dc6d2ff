/* exact_scatter.c: exact sums and means of a scatter: of a line in one walk over the index that all parts of a term share,
   else of the limbs of its terms, a scatter for each. */
#include "reduce.h"
#include "runtime/core/scatter.h"
#include "runtime/elementwise/shared/exact.h"

/* What terms are joined by. */
struct joining {
  struct scatter_job job;
  scatter_runs *run;
  strew_tensor *x, *self; /* the terms; those of destinations: NULL, or none */
};

static void scatter_terms(struct steps *steps, void *user, int count, strew_tensor *const *terms,
                          strew_tensor *const *sums) {
  const struct joining *joining = user;
  struct scatter_job job = joining->job;
  job.exact = false;
  job.reduction = STREW_SUM;
  job.disposable = true;
  for (int i = 0; i < count; i++) {
    job.self = sums[i];
    job.start = sums[i];
    job.src = terms[i];
    STEP(steps, joining->run(steps->call, &job));
  }
}

/* True of a line of terms, each of which joins its destination, in range. */
static bool is_line(const struct scatter_job *job, const strew_tensor *x) {
  const strew_tensor *index = job->addressing->index;
  const struct index_limits *limits = &job->addressing->limits;
  return index->rank == 1 && index->strides[0] == 1 && x->rank == 1 && limits->size <= INT32_MAX &&
         limits->mode == STREW_ERROR && !job->start_from_identity && x->storage->device->ops->groups->group_aggregate;
}

/* The parts of terms, in one walk; a single one, the whole term, by a scatter, which checks the index as it reads it. Then
   those of the destinations. */
static void join_line(struct steps *steps, void *joining_, const struct exact_sums *sums) {
  struct joining *joining = joining_;
  const struct scatter_job *job = &joining->job;
  const struct group_ids ids = {.ids = job->addressing->index, .size = job->addressing->limits.size};
  struct aggregate_column column;
  strew_device *device = joining->x->storage->device;
  group_cut(steps, joining->x, sums, &column);
  if (sums->window.limbs == 1 && !(sums->kinds & (EXACT_NAN | EXACT_INFINITIES)))
    scatter_terms(steps, joining, 1, &joining->x, column.part);
  else if (STEP(steps, addressing_check(steps->call, job->addressing)) == STREW_OK)
    STEP(steps, device->ops->groups->group_aggregate(steps->call, device, &ids, 1, &column));
  for (int k = 0; joining->self && k < sums->window.limbs; k++)
    step_binary(steps, STREW_ADD, column.part[k], exact_part(steps, joining->self, sums, k), column.part[k]);
}

/* The terms: src where the index is, or the number. */
static strew_tensor *terms_of(struct steps *steps, const struct scatter_job *job) {
  const strew_tensor *index = job->addressing->index;
  const strew_dtype dtype = job->self->dtype;
  strew_tensor **out = steps_place(steps);
  if (job->src) {
    STEP(steps, operand_store(steps->call, job->src));
    STEP(steps, tensor_view(steps->call, job->src, index->rank, index->sizes,
                            job->src->rank ? job->src->strides : (int64_t[]){1}, job->src->offset, out));
  } else {
    strew_tensor *one = step_full(steps, job->self->storage->device, dtype, 1, (int64_t[]){1},
                                  strew_scalar_load(dtype, job->number.bytes));
    STEP(steps, strew_expand(one, index->rank, index->sizes, out, steps->error));
  }
  const bool is_own = steps->status != STREW_OK || dtype_wide((*out)->dtype) == dtype_wide(dtype);
  return is_own ? *out : step_to(steps, *out, NULL, dtype);
}

/* The number of contributions to each destination, of self's shape. */
static strew_status count_wholly(const struct call *call, const struct scatter_job *job, scatter_runs *run,
                                 strew_tensor *counts) {
  const struct scatter_job counting = {.addressing = job->addressing,
                                       .self = counts,
                                       .start = counts,
                                       .number = {.i64 = 1},
                                       .reduction = STREW_SUM,
                                       .disposable = true};
  strew_status status = fill_tensor(call, counts, (union element){.i64 = 0});
  return TRY(status, run(call, &counting));
}

/* The terms belong to the destinations that the index says. `start`: the initial values. */
static struct exact_by by_of(const struct scatter_job *job, const struct shape1 *shape, strew_tensor *start,
                             strew_tensor *out) {
  struct exact_by by = exact_by_index(job->addressing, shape->rank, shape->sizes);
  const bool keeps = job->start_from_identity;
  by.counts = keeps || job->reduction == STREW_MEAN;
  by.extra = job->count_self;
  by.from_start = keeps;
  by.start = start;
  by.out = out;
  return by;
}

/* The counts of a mean, where terms are not counted as they are added. Destinations without contributions keep their
   value, one term. */
static strew_tensor *counts_of(struct steps *steps, const struct scatter_job *job, scatter_runs *run,
                               const struct shape1 *shape) {
  strew_tensor *counts = step_new(steps, job->self->storage->device, STREW_INT64, shape->rank, shape->sizes);
  if (counts) STEP(steps, count_wholly(steps->call, job, run, counts));
  if (job->count_self) step_binary(steps, STREW_ADD, counts, 1, counts);
  return step_binary(steps, STREW_MAXIMUM, counts, 1, counts);
}

/* True of terms that are all of one new result: of a whole sum, which a device may add faster. */
static bool is_whole(const struct joining *joining) {
  const struct scatter_job *job = &joining->job;
  const strew_tensor *x = joining->x;
  return x && !joining->self && job->addressing->limits.size == 1 && x->dtype == job->self->dtype && is_line(job, x) &&
         x->storage->device->ops->exact->exact_lines;
}

/* The sum or mean of all terms; 0 without a sign. */
static strew_tensor *fold_whole(struct steps *steps, const struct joining *joining, enum exact_result result) {
  const strew_fold fold = result == EXACT_MEAN ? STREW_FOLD_MEAN : STREW_FOLD_SUM;
  STEP_INTO(steps, found,
            strew_reduce_with(fold, joining->x, &(strew_reduce_options){.keepdim = true, .exact = true}, found,
                              steps->error));
  return step_binary(steps, STREW_ADD, *found, 0.0, NULL);
}

static strew_status exact_scatter(const struct call *call, const struct scatter_job *job, scatter_runs *run) {
  STEPS(steps, call);
  const struct shape1 shape = shape_at_least_1d(job->self);
  struct joining own = {.job = *job, .run = run};
  strew_tensor **start = steps_place(&steps), **out = steps_place(&steps);
  STEP(&steps, strew_view((strew_tensor *)(uintptr_t)job->start, shape.rank, shape.sizes, start, steps.error));
  STEP(&steps, tensor_view(call, job->self, shape.rank, shape.sizes,
                           job->self->rank ? job->self->strides : (int64_t[]){1}, 0, out));
  strew_tensor *x = own.x = terms_of(&steps, job);
  if (steps.status != STREW_OK) return steps_status(&steps);
  struct exact_by by = by_of(job, &shape, *start, *out);
  own.self = job->fresh && !job->start_from_identity ? NULL : *start; /* which is 0 */
  struct exact_job exact = {.result = job->reduction == STREW_MEAN ? EXACT_MEAN : EXACT_SUM,
                            .x = x,
                            .self = own.self,
                            .dtype = job->self->dtype,
                            .rank = shape.rank,
                            .sizes = shape.sizes,
                            .most = strew_tensor_numel(job->addressing->index),
                            .signs_zero = !job->fresh, /* in groups 0 */
                            .join = scatter_terms,
                            .user = &own,
                            .by = &by};
  if (exact_goes_by(&exact)) {
    if (job->start_from_identity) exact.self = NULL;
  } else {
    if (is_line(job, x)) exact.cut = join_line;
    if (!exact.cut || !job->addressing->limits.size || is_whole(&own))
      STEP(&steps, addressing_check(call, job->addressing));
    if (exact.result == EXACT_MEAN && !is_whole(&own)) exact.counts.tensor = counts_of(&steps, job, run, &shape);
  }
  strew_tensor *results = steps.status != STREW_OK ? NULL
                          : is_whole(&own)         ? fold_whole(&steps, &own, exact.result)
                                                   : exact_results(&steps, &exact);
  if (by.bad) STEP(&steps, addressing_check(call, job->addressing));
  if (steps.status == STREW_OK && results != *out) STEP(&steps, copy_tensor(call, *out, results));
  return steps_status(&steps);
}

const struct exact_scatters exact_scatters = {exact_scatter};
