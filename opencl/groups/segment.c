/* segment.c: reductions of segments, and the way back. A work-item takes the elements of one segment in order; on a GPU
   a group takes a long one. The size of a launch is limited, and one segment may have all elements: each launch takes the
   same part of every line of src. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/groups/group_ops.h"

#include <stdio.h>

GROUP_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

enum { CPU_STRIP = 16 }; /* columns of a work-item on a CPU, which loads them together */

struct segment_launch {
  struct launch *launch;
  const struct segment_plan *plan;
  struct space space;
  int strip;
  int64_t items;  /* work-items */
  int64_t across; /* elements that lie at one number of an element, in all lines and columns */
  int long_run;
  struct block *state; /* values under way, if out's dtype cannot hold them */
  struct computed *src;
};

/* Binds the space, the operands and the elements from .. to - 1 of each line. */
static void launch_elements(const struct segment_launch *job, int64_t from, int64_t to) {
  const struct segment_plan *plan = job->plan;
  struct launch *launch = job->launch;
  launch_space(launch, &job->space);
  for (int i = 0; i < plan->plan.count; i++) launch_operand(launch, &job->space, i);
  launch_ints(launch, plan->step, plan->ends_step, from, to);
  launch->continues = from > 0;
  launch->turns = job->strip + (to - from) * job->across / job->items; /* of an average work-item */
}

static void launch_segments(const struct segment_launch *job) {
  struct space strips = job->space;
  strips.columns = (strips.columns - 1) / job->strip + 1;
  launch_rows(job->launch, &strips);
}

/* True if a GPU's groups take segments of more than `long_run` elements: one work-item would take 25 ns for each. */
static bool has_long(const struct segment_launch *job) {
  const struct opencl *on = opencl_of(job->launch->device);
  return on->is_gpu && on->longest_loop == INT64_MAX && job->strip == 1 && job->plan->size > job->long_run;
}

/* How such a group joins the elements of a reduction, as a setting. */
static const char *long_way(const struct segment_plan *plan) {
  const bool is_float = dtype_is_float(plan->plan.operands[SEGMENT_OUT].dtype);
  if (is_float && (plan->reduction == STREW_SUM || plan->reduction == STREW_MEAN)) return " ADDS";
  return is_float && plan->reduction == STREW_PROD ? "" : " PAIRS";
}

static void long_settings(const struct segment_launch *job, const char *way, char settings[64]) {
  *settings = '\0';
  if (has_long(job))
    snprintf(settings, 64, " LONG=%d TILE=%d GROUP_SIZE=%zu%s", job->long_run,
             opencl_assumed("tiny") ? TINY_BLOCK : SORT_TILE, opencl_large_group(job->launch->device), way);
}

/* Enqueues a kernel for long segments, all of whose other arguments are bound. */
static void launch_long(const struct segment_launch *job) {
  const int64_t most = SEGMENT_GROUPS_PER_UNIT * (int64_t)opencl_of(job->launch->device)->units;
  const int64_t groups = job->items < most ? job->items : most;
  launch_ints(job->launch, groups);
  job->launch->continues = true;
  launch_groups(job->launch, groups, opencl_large_group(job->launch->device));
}

static void start_reduction(const struct segment_launch *job, const char *kernel) {
  const struct segment_plan *plan = job->plan;
  const strew_dtype dtype = plan->plan.operands[SEGMENT_OUT].dtype;
  const bool with_arg = plan->plan.count > SEGMENT_ARG, mean = plan->reduction == STREW_MEAN;
  char long_runs[64];
  long_settings(job, long_way(plan), long_runs);
  launch_start(job->launch, "segment.cl", kernel, "%s SRC=%s REDUCE=%s I=%s OUTER=%d STRIP=%d%s%s%s",
               job->src->described.settings, dtype_suffix(dtype), reduction_name(mean ? STREW_SUM : plan->reduction),
               index_type(plan->plan.operands[SEGMENT_ENDS].dtype), job->space.outer, job->strip,
               with_arg ? " ARG" : "", job->state ? " STATE" : "", long_runs);
}

static void launch_reduction(const struct segment_launch *job, int64_t from, int64_t to) {
  const struct segment_plan *plan = job->plan;
  const size_t element_bytes = dtype_bytes(plan->plan.operands[SEGMENT_OUT].dtype);
  struct launch *launch = job->launch;
  launch_elements(job, from, to);
  launch_ints(launch, plan->size);
  launch_flags(launch, plan->reduction == STREW_MEAN);
  launch_value(launch, plan->start.bytes, element_bytes);
  launch_value(launch, plan->empty.bytes, element_bytes);
  launch_blocks(launch, job->state);
  computed_bind(launch, job->src);
  launch->turns *= job->src->cost;
}

/* The kernels of long segments are made before the launches of others, which write. */
static void reduce_part(const struct segment_launch *job, int64_t from, int64_t to) {
  if (has_long(job)) start_reduction(job, "segments_long");
  start_reduction(job, "segments");
  launch_reduction(job, from, to);
  launch_segments(job);
  if (!has_long(job)) return;
  start_reduction(job, "segments_long");
  launch_reduction(job, from, to);
  launch_long(job);
}

static void start_spread(const struct segment_launch *job, const char *kernel, int64_t from, int64_t to) {
  const struct operand *operands = job->plan->plan.operands;
  const char *word = dtype_suffix(word_of(operands[SEGMENT_OUT].dtype));
  char long_runs[64];
  long_settings(job, "", long_runs);
  launch_start(job->launch, "segment.cl", kernel, "S=%s SRC=%s REDUCE=assign I=%s OUTER=%d STRIP=%d SPREAD%s", word,
               word, index_type(operands[SEGMENT_ENDS].dtype), job->space.outer, job->strip, long_runs);
  launch_elements(job, from, to);
}

static void spread_part(const struct segment_launch *job, int64_t from, int64_t to) {
  if (has_long(job)) start_spread(job, "spread_long", from, to);
  start_spread(job, "spread", from, to);
  launch_segments(job);
  if (!has_long(job)) return;
  start_spread(job, "spread_long", from, to);
  launch_long(job);
}

static struct segment_launch job_of(struct launch *launch, const struct segment_plan *segments) {
  const struct plan *plan = &segments->plan;
  const int last = plan->rank - 1;
  const bool has_columns = last >= 0 && plan->operands[SEGMENT_ENDS].strides[last] == 0;
  struct segment_launch job = {.launch = launch, .plan = segments, .space = space_of(plan), .across = 1};
  job.long_run = (opencl_assumed("tiny") ? TINY_RUN : SORT_LONG_RUN) * (has_columns ? SEGMENT_COLUMNS_LONGER : 1);
  job.strip = has_columns && !opencl_of(launch->device)->is_gpu ? CPU_STRIP : 1;
  job.items = job.space.rows * ((job.space.columns - 1) / job.strip + 1);
  for (int d = 0; d <= last; d++) {
    bool chained = plan->operands[SEGMENT_ENDS].strides[d] == segments->ends_step;
    if (!chained || plan->operands[SEGMENT_SRC].strides[d] != 0) job.across *= plan->sizes[d];
  }
  return job;
}

/* Runs a part for all elements. */
static strew_status run_parts(struct segment_launch *job, bool needs_state,
                              void (*run)(const struct segment_launch *job, int64_t from, int64_t to)) {
  struct launch *launch = job->launch;
  const int64_t cost = job->src ? job->src->cost : 1;
  const int64_t longest = opencl_of(launch->device)->longest_loop / 4 / job->strip / cost;
  int64_t most = launch_iterations(launch->device, job->across * cost), size = job->plan->size ? job->plan->size : 1;
  if (most > longest) most = longest;
  if (most < size && needs_state)
    job->state = launch_scratch(launch, (uint64_t)plan_numel(&job->plan->plan) * sizeof(float));
  for (int64_t from = 0; from < size && launch->status == STREW_OK; from += most)
    run(job, from, size - from < most ? size : from + most);
  return launch->status;
}

strew_status opencl_segments(const struct call *call, strew_device *device, const struct segment_plan *plan) {
  struct launch launch = {.call = call, .device = device};
  enum { WORDS = 32, VECTORS = 5, FEWEST = 16 };
  struct segment_plan own = *plan;
  struct segment_launch job = job_of(&launch, &own);
  struct computed src;
  job.src = &src;
  computed_start(&src, &launch, &own.plan.operands[SEGMENT_SRC], WORDS + VECTORS * (size_t)job.space.outer,
                 FEWEST * job.strip);
  bool widens = dtype_is_half(plan->plan.operands[SEGMENT_OUT].dtype) && reduction_widens_halves(plan->reduction);
  run_parts(&job, widens, reduce_part);
  computed_end(&launch, &src);
  return launch_end(&launch);
}

strew_status opencl_spread(const struct call *call, strew_device *device, const struct segment_plan *plan) {
  struct launch launch = {.call = call, .device = device};
  struct segment_launch job = job_of(&launch, plan);
  run_parts(&job, false, spread_part);
  return launch_end(&launch);
}

strew_status opencl_sorted_ends(const struct call *call, strew_device *device, const struct plan *plan, int64_t size,
                                int64_t step) {
  enum { SEARCH_TURNS = 64 };
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  launch_start(&launch, "sorted_ends.cl", "sorted_ends", "I=%s OUTER=%d", index_type(plan->operands[1].dtype),
               space.outer);
  launch_plan(&launch, &space, 0, 1);
  launch_ints(&launch, size, step);
  launch.turns = SEARCH_TURNS;
  launch_rows(&launch, &space);
  return launch_end(&launch);
}
