/* ranges.c: exact sums and means of ranges of rows, which may overlap: differences of prefixes, which as whole numbers
   are not rounded. */
#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/operations.h"
#include "runtime/reduce/exact.h"
#include "runtime/reduce/times.h"

#include <inttypes.h>

struct range_sums {
  strew_tensor *starts, *ends; /* NULL: windows */
  int64_t window, count;
};

/* Rows begin + offset of the prefixes, for each range. */
static strew_tensor *prefixes_at(struct steps *steps, strew_tensor *prefixes, strew_tensor *at, int64_t offset,
                                 int64_t count) {
  if (!at) return step_narrow(steps, prefixes, 0, offset, count);
  strew_tensor **out = steps_place(steps);
  STEP(steps, strew_index_select_with(prefixes, 0, at, NULL, out, steps->error));
  return *out;
}

static void join_ranges(struct steps *steps, void *user, int count, strew_tensor *const *terms,
                        strew_tensor *const *sums) {
  const struct range_sums *ranges = user;
  for (int i = 0; i < count && steps->status == STREW_OK; i++) {
    const int mark = steps->count;
    strew_tensor *x = terms[i], *out = sums[i];
    int64_t sizes[MAX_RANK];
    for (int d = 0; d < x->rank; d++) sizes[d] = x->sizes[d];
    const int64_t rows = sizes[0]++;
    strew_tensor *prefixes = step_new(steps, x->storage->device, x->dtype, x->rank, sizes);
    strew_tensor *none = step_narrow(steps, prefixes, 0, 0, 1), *others = step_narrow(steps, prefixes, 0, 1, rows);
    if (none) STEP(steps, fill_tensor(steps->call, none, (union element){.i64 = 0}));
    STEP(steps, strew_cumsum_with(x, 0, NULL, &others, steps->error));
    strew_tensor *to = prefixes_at(steps, prefixes, ranges->ends, ranges->window, ranges->count);
    strew_tensor *from = prefixes_at(steps, prefixes, ranges->starts, 0, ranges->count);
    STEP(steps, strew_binary(STREW_SUB, strew_of(to), strew_of(from), &out, steps->error));
    steps_keep(steps, mark, NULL);
  }
}

static strew_tensor *sum_times(struct steps *steps, void *ranges, strew_tensor *x) {
  x = step_to(steps, x, NULL, STREW_INT64);
  if (!x) return NULL;
  int64_t sizes[MAX_RANK];
  for (int d = 0; d < x->rank; d++) sizes[d] = d ? x->sizes[d] : ((struct range_sums *)ranges)->count;
  strew_tensor *sums = step_new(steps, x->storage->device, STREW_INT64, x->rank, sizes);
  join_ranges(steps, ranges, 1, &x, &sums);
  return sums;
}

/* The number of terms of each range: an operand beside the results. */
static strew_operand counts_of(struct steps *steps, struct range_sums *ranges, const struct exact_job *job) {
  if (job->skips_nan) {
    strew_tensor *is = step_to(steps, step_binary(steps, STREW_EQ, job->x, job->x, NULL), NULL, STREW_INT64);
    strew_tensor *counts = step_new(steps, job->x->storage->device, STREW_INT64, job->rank, job->sizes);
    if (steps->status == STREW_OK) join_ranges(steps, ranges, 1, &is, &counts);
    return strew_of(counts);
  }
  if (!ranges->starts) return strew_number(strew_int(ranges->window));
  int64_t sizes[MAX_RANK] = {ranges->count};
  for (int d = 1; d < job->rank; d++) sizes[d] = 1;
  strew_tensor *lengths = step_binary(steps, STREW_SUB, ranges->ends, ranges->starts, NULL);
  return strew_of(step_expand(steps, step_view(steps, lengths, job->rank, sizes), job->rank, job->sizes));
}

static strew_status check_window(const struct call *call, const strew_tensor *src, int64_t window) {
  const int64_t rows = src->sizes[0];
  if (window >= 0 && window <= rows) return STREW_OK;
  return fail(call, VALUED(STREW_EARGUMENT, "window", strew_int(window)),
              "is %" PRId64 ", expected 0..%" PRId64 ", the rows of src", window, rows);
}

static strew_status check_end(const struct call *call, const char *name, int64_t value, int64_t most) {
  if (value >= 0 && value <= most) return STREW_OK;
  return fail(call, VALUED(STREW_EINDEX, name, strew_int(value)), "has %" PRId64 ", expected 0..%" PRId64, value, most);
}

/* Starts and ends are rows of src, or behind the last one; a range ends where it begins, or later. */
static void check_ranges(struct steps *steps, const strew_tensor *src, strew_tensor *starts, strew_tensor *ends) {
  const struct call *call = steps->call;
  const strew_tensor *both[] = {starts, ends};
  static const char *const names[] = {"starts", "ends"};
  for (int i = 0; i < 2; i++) {
    STEP(steps, check_index_dtype(call, both[i], names[i]));
    if (both[i]->rank != 1)
      STEP(steps, fail(call, FAULT(STREW_ESHAPE, names[i]), "has %d dimensions, expected 1", both[i]->rank));
  }
  if (steps->status == STREW_OK && starts->sizes[0] != ends->sizes[0])
    STEP(steps, fail(call, FAULT(STREW_ESHAPE, "ends"), "has %" PRId64 " elements, starts has %" PRId64, ends->sizes[0],
                     starts->sizes[0]));
  if (steps->status != STREW_OK || !strew_tensor_numel(starts)) return;
  const int64_t first = step_number(steps, STREW_FOLD_AMIN, starts).as.i;
  const int64_t last = step_number(steps, STREW_FOLD_AMAX, ends).as.i;
  STEP(steps, check_end(call, "starts", first, src->sizes[0]));
  STEP(steps, check_end(call, "ends", last, src->sizes[0]));
  strew_tensor *lengths = step_binary(steps, STREW_SUB, ends, starts, NULL);
  const int64_t least = step_number(steps, STREW_FOLD_AMIN, lengths).as.i;
  if (least < 0)
    STEP(steps, fail(call, FAULT(STREW_EARGUMENT, "ends"), "has one that is %" PRId64 " below its start", -least));
}

strew_status strew_sum_ranges(strew_tensor *src, strew_tensor *starts, strew_tensor *ends,
                              const strew_range_options *options, strew_tensor **out, strew_error *error) {
  const bool is_timed = src->dtype == STREW_TIME && options && options->mean;
  CALL_STEPS(call, steps, "sum_ranges", error, {"src", src, is_timed ? ORDERED : 0}, {"starts", starts}, {"ends", ends},
             {"out", *out, is_timed ? RESULT : 0});
  OPTIONS(strew_range_options);
  int64_t sizes[MAX_RANK];
  struct range_sums ranges = {.starts = starts, .ends = ends, .window = options->window};
  STEP(&steps, check_devices(&call));
  if (!is_timed) STEP(&steps, check_float(&call, "src", src));
  if (!src->rank) STEP(&steps, fail(&call, FAULT(STREW_ESHAPE, "src"), "has 0 dimensions, expected at least 1"));
  if (!starts != !ends) STEP(&steps, fail(&call, FAULT(STREW_EARGUMENT, starts ? "ends" : "starts"), "is NULL"));
  if (steps.status != STREW_OK) return steps_status(&steps);
  if (starts)
    check_ranges(&steps, src, starts, ends);
  else
    STEP(&steps, check_window(&call, src, options->window));
  STEP(&steps, operand_store(&call, src));
  if (steps.status != STREW_OK) return steps_status(&steps);
  for (int d = 0; d < src->rank; d++) sizes[d] = src->sizes[d];
  sizes[0] = ranges.count = starts ? starts->sizes[0] : src->sizes[0] - options->window + 1;
  if (is_timed) {
    strew_tensor *mean = times_mean_of(&steps, src, options->skip_nan, sum_times, &ranges);
    return steps_give_key(&steps, "out", mean, STREW_TIME, KEY_LEAST, out);
  }
  strew_tensor *target = steps_out(&steps, "out", src->storage->device, src->dtype, src->rank, sizes, *out);
  struct exact_job job = {.result = options->mean ? EXACT_MEAN : EXACT_SUM,
                          .x = src,
                          .dtype = src->dtype,
                          .rank = src->rank,
                          .sizes = sizes,
                          .most = src->sizes[0],
                          .skips_nan = options->skip_nan,
                          .join = join_ranges,
                          .user = &ranges};
  if (options->mean) job.counts = counts_of(&steps, &ranges, &job);
  strew_tensor *results = exact_results(&steps, &job);
  STEP(&steps, copy_tensor(&call, target, results));
  return steps_give(&steps, target, out);
}
