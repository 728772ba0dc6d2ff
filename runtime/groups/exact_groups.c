/* exact_groups.c: the groups of a reduction, and exact sums, means and variances of them: of a line in walks over the ids
   that all limbs share, else by an index. */
#include "reduce.h"
#include "runtime/reduce/exact.h"

void group_index(struct group_call *g) {
  if (g->index || g->steps->status != STREW_OK) return;
  STEP(g->steps, groups_widen(g->steps->call, &g->grouping->groups));
  g->index = g->grouping->groups.wide;
}

void group_open(struct group_call *g, const strew_tensor *out) {
  struct group_options options = g->options;
  const struct call *call = g->steps->call;
  int dim = options.dim;
  group_index(g);
  if (out && out->rank) STEP(g->steps, check_dim(call, out->rank, &dim));
  if (out && g->steps->status == STREW_OK) options.dim_size = out->rank ? out->sizes[dim] : 1;
  STEP(g->steps, groups_open(call, g->src, g->index, &options, g->given->exact, &g->groups));
}

void group_cut(struct steps *steps, strew_tensor *src, const struct exact_sums *sums, struct aggregate_column *out) {
  const struct exact_window *window = &sums->window;
  *out = (struct aggregate_column){.src = src, .computed = STREW_FLOAT64, .parts = window->limbs};
  for (int k = 0; k < window->limbs; k++) {
    out->part[k] = step_view(steps, step_narrow(steps, sums->sums, 0, k, 1), 1, &sums->sums->sizes[1]);
    out->cut[k] = exact_bound(src, window->low + (k + 1) * window->width);
  }
}

static void walk(struct steps *steps, const struct group_call *g, int count, const struct aggregate_column *columns) {
  struct groups *groups = &g->grouping->groups;
  const struct group_ids ids = groups_narrow(groups);
  STEP(steps, groups_walks(groups)->group_aggregate(steps->call, g->src->storage->device, &ids, count, columns));
}

void group_walk_terms(struct steps *steps, void *g, int count, strew_tensor *const *terms, strew_tensor *const *sums) {
  struct aggregate_column columns[EXACT_TOGETHER];
  for (int i = 0; i < count; i++) {
    columns[i] = (struct aggregate_column){.src = terms[i], .computed = terms[i]->dtype};
    columns[i].out[STREW_SUM] = sums[i];
  }
  walk(steps, g, count, columns);
}

/* The parts of terms, in one walk. */
static void walk_parts(struct steps *steps, void *g, const struct exact_sums *sums) {
  struct aggregate_column column;
  group_cut(steps, ((const struct group_call *)g)->src, sums, &column);
  walk(steps, g, 1, &column);
}

static void index_terms(struct steps *steps, void *user, int count, strew_tensor *const *terms,
                        strew_tensor *const *sums) {
  struct group_call *g = user;
  for (int i = 0; i < count; i++) {
    strew_tensor *joined = step_join(steps, g, STREW_SUM, terms[i]);
    STEP(steps, copy_tensor(steps->call, sums[i], joined));
  }
}

static bool walks_over_ids(const struct group_call *g) {
  return group_is_line(g) && groups_walks(&g->grouping->groups)->group_aggregate;
}

int64_t step_most(struct steps *steps, strew_grouping *grouping) {
  return step_number(steps, STREW_FOLD_AMAX, step_derived(steps, groups_counts, &grouping->groups)).as.i;
}

strew_dtype group_exact_open(struct group_call *g) {
  struct steps *steps = g->steps;
  const strew_dtype dtype = g->given->dtype ? *g->given->dtype : g->src->dtype;
  STEP(steps, check_devices(steps->call));
  STEP(steps, operand_store(steps->call, g->src));
  if (dtype_wide(g->src->dtype) != dtype_wide(dtype)) g->src = step_to(steps, g->src, NULL, dtype);
  if (steps->status == STREW_OK && !walks_over_ids(g)) group_index(g), group_open(g, NULL);
  return dtype;
}

strew_tensor *group_exact_counts(struct group_call *g) {
  if (g->steps->status != STREW_OK) return NULL;
  return walks_over_ids(g) ? step_derived(g->steps, groups_counts, &g->grouping->groups)
                           : step_join(g->steps, g, STREW_SUM, NULL);
}

struct exact_job group_exact_job(struct group_call *g, int64_t *sizes) {
  struct steps *steps = g->steps;
  if (steps->status != STREW_OK) return (struct exact_job){.x = NULL};
  const bool walks = walks_over_ids(g);
  strew_tensor *src = walks ? g->src : g->groups.src;
  for (int d = 0; d < src->rank; d++) sizes[d] = src->sizes[d];
  sizes[walks ? 0 : group_dim(g)] = walks ? strew_grouping_size(g->grouping) : group_size(g);
  const int64_t most = walks ? step_most(steps, g->grouping) : strew_tensor_numel(src);
  return (struct exact_job){.x = src,
                            .dtype = src->dtype,
                            .rank = src->rank,
                            .sizes = sizes,
                            .most = most,
                            .skips_nan = group_skips(g),
                            .join = walks ? group_walk_terms : index_terms,
                            .cut = walks ? walk_parts : NULL,
                            .user = g};
}

void group_exact_by(struct group_call *g, struct exact_job *job, struct exact_by *by) {
  if (g->steps->status != STREW_OK || walks_over_ids(g)) return;
  *by = exact_by_index(&g->groups.addressing, job->rank, job->sizes);
  job->by = by;
}

/* Results of no error but that of a bad index value. */
static strew_tensor *results_of(struct group_call *g, const struct exact_job *job) {
  if (g->steps->status != STREW_OK) return NULL;
  strew_tensor *out = exact_results(g->steps, job);
  if (job->by && job->by->bad) STEP(g->steps, addressing_check(g->steps->call, &g->groups.addressing));
  return out;
}

strew_tensor *group_exact_spread(struct group_call *g, bool is_deviation, struct exact_divisor divisor) {
  struct steps *steps = g->steps;
  int64_t sizes[MAX_RANK];
  strew_tensor *counts = NULL;
  const strew_dtype dtype = group_exact_open(g);
  struct exact_job job = group_exact_job(g, sizes);
  struct exact_by by;
  job.result = is_deviation ? EXACT_DEVIATION : EXACT_VARIANCE;
  job.dtype = dtype;
  job.divisor = divisor;
  group_exact_by(g, &job, &by);
  by.counts = true;
  by.from_start = !g->of_table;
  if (steps->status == STREW_OK && !exact_goes_by(&job)) job.counts = strew_of(counts = group_exact_counts(g));
  strew_tensor *out = results_of(g, &job);
  if (!counts || g->of_table) return out;
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, counts, 0, NULL);
  STEP(steps, strew_masked_fill(out, is_empty, operand_of_int(0), &out, steps->error));
  return out;
}

/* Sums and means of a grouping, into a new result. */
strew_tensor *group_exact_sums(struct group_call *g) {
  struct steps *steps = g->steps;
  const bool is_mean = g->row->reduction == STREW_MEAN;
  const strew_scalar *fill = g->options.fill;
  const strew_dtype dtype = group_exact_open(g);
  union element checked;
  if (fill) STEP(steps, element_from(steps->call, "fill", *fill, STREW_EXACT, dtype, &checked));
  strew_tensor *counts = is_mean || fill ? group_exact_counts(g) : NULL;
  int64_t sizes[MAX_RANK];
  struct exact_job job = group_exact_job(g, sizes);
  struct exact_by by;
  job.result = is_mean ? EXACT_MEAN : EXACT_SUM;
  job.dtype = dtype;
  job.counts = strew_of(counts);
  group_exact_by(g, &job, &by);
  strew_tensor *result = results_of(g, &job);
  if (!counts) return result;
  const strew_scalar empty = fill ? *fill : group_empty(g->row, g->of_table, dtype);
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, counts, 0, NULL);
  STEP(steps, strew_masked_fill(result, is_empty, strew_number(empty), &result, steps->error));
  return result;
}
