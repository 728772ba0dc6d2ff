/* reduce.c: folds. Kernels of three kinds, for different devices and layouts, fold blocks of elements; others join
   block values as a tree, a few levels per launch (kernels/reduce.cl). A variance takes two folds: means of gaps,
   which are elements minus the first one, then squared differences from these. */
#include "opencl/core/opencl.h"
#include "runtime/core/base/operations.h"
#include "runtime/reduce/reduce_ops.h"

#include <stdio.h>

REDUCE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(reduce_ops, REDUCE_ENTRIES)

enum { FAN = 16, TILE = 64 };
enum way { WAY_ITEMS, WAY_TILE, WAY_LANES };

/* One fold. */
struct fold_launch {
  struct launch *launch;
  struct plan kept, folded;
  struct space outputs, elements; /* kept and folded, as kernels see them */
  int64_t n, output_count, blocks;
  const char *kind, *join; /* the kernels' FOLD_..., and the function that joins two values */
  size_t value_bytes;
  bool is_float;
  int finish; /* 1: divide by divisor; 2: then take the square root */
  int flip;   /* -1: the kernels compute amin as amax, and all as any, of flipped bits */
  double divisor;
  const struct block *means; /* for DEVIATIONS */
  enum way way;
  bool across, dense;
  int few, slots;
  struct computed *elements_read;
};

/* ------------------------------------------------------------------------------------------------------- geometry */

static void copy_dims(struct plan *to, const struct plan *from, int begin, int end) {
  *to = *from;
  to->rank = end - begin;
  for (int d = 0; d < to->rank; d++) {
    to->sizes[d] = from->sizes[begin + d];
    for (int i = 0; i < from->count; i++) to->operands[i].strides[d] = from->operands[i].strides[begin + d];
  }
}

static int64_t last_stride(const struct plan *plan) {
  return plan->rank ? plan->operands[1].strides[plan->rank - 1] : 0;
}

static void fold_prepare(struct fold_launch *job, const struct reduce_plan *reduce) {
  copy_dims(&job->kept, &reduce->plan, 0, reduce->kept);
  copy_dims(&job->folded, &reduce->plan, reduce->kept, reduce->plan.rank);
  job->outputs = space_of(&job->kept);
  job->elements = space_of(&job->folded);
  int outer = job->outputs.outer > job->elements.outer ? job->outputs.outer : job->elements.outer;
  job->outputs.outer = job->elements.outer = outer;
  job->n = plan_numel(&job->folded);
  job->output_count = plan_numel(&job->kept);
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->is_float = dtype_is_float(reduce->plan.operands[1].dtype);
}

/* On GPUs and for vectors, adjacent outputs are better than adjacent elements of one output if they are closer in
   memory. */
static void choose_fold(struct fold_launch *job) {
  const struct opencl *on = opencl_of(job->launch->device);
  enum {
    FEW = 4,
    SHORT = 64,
    MANY_PER_UNIT = 2048,
    MIN_COLUMNS = 8,
    SMALL = 1 << 14,
    NARROW_SLOTS = GROUP / SUM_LANES
  };
  int64_t columns = job->outputs.columns, work_items = job->output_count * job->blocks;
  int64_t kept_step = last_stride(&job->kept), step = last_stride(&job->folded);
  bool closer = job->kept.rank && kept_step < step;
  bool small = job->output_count * job->n <= SMALL && !opencl_assumed("large");
  job->way = WAY_ITEMS;
  job->few = job->n <= FEW && !small ? FEW : 0;
  if (job->few) return;
  /* fewer kernels, where coordinates are rarely computed or a launch takes longer than the work */
  if (job->outputs.outer == 1) job->outputs.outer = job->elements.outer = 4;
  if (small) return;
  job->dense = step == 1 && job->folded.rank <= 1;
  if (on->is_gpu) {
    job->slots = on->largest_group >= SUM_LANES * SUM_LANES ? SUM_LANES : NARROW_SLOTS;
    job->across = closer && columns >= MIN_COLUMNS;
    if (!job->across) job->slots = NARROW_SLOTS;
    bool enough = job->n < SHORT || work_items >= (int64_t)on->units * MANY_PER_UNIT;
    job->way = (closer || job->n < SHORT) && enough ? WAY_ITEMS : WAY_LANES;
  } else if (closer && columns >= MIN_COLUMNS && on->longest_loop > (int64_t)2 * TILE * SUM_BLOCK) {
    job->way = WAY_TILE;
    job->dense = kept_step == 1;
  }
}

/* ------------------------------------------------------------------------------------------------------- launches */

/* Starts a kernel with the settings of all kernels of a fold, those of its elements, and its own. */
static void fold_start(const struct fold_launch *job, const char *kernel, const char *elements, const char *settings) {
  const struct operand *out = &job->kept.operands[0];
  launch_start(job->launch, "reduce.cl", kernel, "%s OUT=%s FOLD=FOLD_%s JOINED=join_%s IS_FLOAT=%d OUTER=%d %s",
               elements, dtype_suffix(out->dtype), job->kind, job->join, job->is_float, job->outputs.outer, settings);
}

/* Binds OUTPUTS: single values per output go to the plan's output, several to `values`. */
static void bind_outputs(const struct fold_launch *job, int64_t nodes, const struct block *values) {
  struct launch *launch = job->launch;
  float single = (float)job->divisor;
  launch_plan(launch, &job->outputs, 0);
  launch_ints(launch, job->output_count, nodes);
  launch_blocks(launch, values);
  launch_flags(launch, job->flip, job->finish);
  if (!job->is_float)
    launch_ints(launch, 0);
  else if (job->kept.operands[1].dtype == STREW_FLOAT64)
    launch_value(launch, &job->divisor, sizeof job->divisor);
  else
    launch_value(launch, &single, sizeof single);
}

static void start_blocks(const struct fold_launch *job) {
  char settings[96];
  const char *elements = job->elements_read->described.settings;
  int flat = job->folded.rank <= 1, dense = job->dense;
  if (job->way == WAY_ITEMS) {
    snprintf(settings, sizeof settings, "WAY=WAY_ITEMS FLAT=%d DENSE=%d FEW=%d", dense, dense, job->few);
    fold_start(job, "fold_items", elements, settings);
  } else if (job->way == WAY_TILE) {
    snprintf(settings, sizeof settings, "WAY=WAY_TILE FLAT=0 DENSE=%d TILE=%d", dense, TILE);
    fold_start(job, "fold_tile", elements, settings);
  } else {
    snprintf(settings, sizeof settings, "WAY=WAY_LANES FLAT=%d ACROSS=%d SLOTS=%d", flat, job->across, job->slots);
    fold_start(job, "fold_lanes", elements, settings);
  }
}

/* Loop iterations of a work-item, or of a group of fold_lanes. */
static int64_t turns_of_blocks(const struct fold_launch *job) {
  int64_t block = job->n < SUM_BLOCK ? job->n : SUM_BLOCK;
  return block * (job->way == WAY_LANES ? job->slots : job->way == WAY_TILE ? TILE : 1);
}

static strew_status run_blocks(const struct fold_launch *job) {
  struct launch *launch = job->launch;
  const struct opencl *on = opencl_of(launch->device);
  int64_t items = job->output_count * job->blocks, tiles = (job->outputs.columns - 1) / TILE + 1;
  launch->turns = turns_of_blocks(job) * job->elements_read->cost;
  if (job->way == WAY_LANES) return launch_groups(launch, (items - 1) / job->slots + 1, SUM_LANES * (size_t)job->slots);
  if (job->way == WAY_TILE) return launch_groups(launch, tiles * job->outputs.rows * job->blocks, 1);
  /* few long work-items are balanced better one per group */
  bool spread = !on->is_gpu && !job->few && items < (int64_t)on->units * GROUP * FAN;
  return spread ? launch_groups(launch, items, 1) : launch_items(launch, items);
}

static void fold_blocks(const struct fold_launch *job, const struct block *values) {
  struct launch *launch = job->launch;
  start_blocks(job);
  bind_outputs(job, job->blocks, values);
  launch_operand(launch, &job->outputs, 1);
  launch_ints(launch, job->n);
  launch_space(launch, &job->elements);
  launch_strides(launch, &job->elements, 1);
  launch_blocks(launch, job->means);
  computed_bind(launch, job->elements_read);
  run_blocks(job);
}

/* Joins `count` values of each output into `nodes`. */
static strew_status fold_join(const struct fold_launch *job, const struct block *leaves, int64_t count, bool many,
                              int64_t nodes, const struct block *values) {
  struct launch *launch = job->launch;
  char elements[16];
  snprintf(elements, sizeof elements, "S=%s", dtype_suffix(job->kept.operands[1].dtype));
  fold_start(job, many ? "join_many" : "join_few", elements, "WAY=WAY_JOIN");
  bind_outputs(job, nodes, values);
  launch_blocks(launch, leaves);
  launch_ints(launch, count);
  int64_t items = job->output_count * nodes;
  launch->turns = many ? FAN * GROUP : FAN;
  return many ? launch_groups(launch, items, GROUP) : launch_items(launch, items);
}

/* ------------------------------------------------------------------------------------------------------ the folds */

/* Scratch for the values; NULL if they go directly to the output. */
static struct block *allocate_values(const struct fold_launch *job, int64_t nodes) {
  return nodes == 1 ? NULL : launch_scratch(job->launch, (uint64_t)(job->output_count * nodes) * job->value_bytes);
}

static void fold(const struct fold_launch *job) {
  enum { FEW_OUTPUTS = 4096 };
  int64_t count = job->blocks;
  struct block *values = allocate_values(job, count), *joined;
  fold_blocks(job, values);
  while (count > 1) {
    bool many = count > FAN && job->output_count < FEW_OUTPUTS;
    int64_t fan = many ? FAN * GROUP : FAN, nodes = (count - 1) / fan + 1;
    joined = allocate_values(job, nodes);
    fold_join(job, values, count, many, nodes, joined);
    launch_free(job->launch, values);
    values = joined;
    count = nodes;
  }
}

/* Writes the means of the gaps of all outputs to `means`, contiguous, in the computed dtype. */
static void find_means(const struct fold_launch *job, struct block *means) {
  struct storage storage = {.device = job->launch->device, .data = means};
  struct fold_launch first = *job;
  struct operand *out = &first.kept.operands[0];
  out->storage = &storage;
  out->offset = 0;
  out->dtype = dtype_wide(out->dtype);
  dense_strides(first.kept.rank, first.kept.sizes, out->strides);
  first.outputs.plan = &first.kept;
  first.elements.plan = &first.folded;
  first.kind = "GAPS";
  first.finish = 1;
  first.divisor = (double)job->n;
  fold(&first);
}

static void fold_deviations(struct fold_launch *job, double correction, bool root) {
  struct block *means = launch_scratch(job->launch, (uint64_t)job->output_count * job->value_bytes);
  find_means(job, means);
  double divisor = (double)job->n - correction;
  job->kind = "DEVIATIONS";
  job->finish = root ? 2 : 1;
  job->divisor = divisor > 0 ? divisor : 0;
  job->means = means;
  fold(job);
}

/* Kernels of each fold. */
static const struct {
  const char *kind, *join;
  int flip;
} kernels[] = {
#define ROW(ENUM, f, takes, gives, empty, finish, loops, kernel, flip, ...)                                            \
  [STREW_FOLD_##ENUM] = {#gives, #kernel, flip},
    STREW_FOLDS(ROW)};

/* Size of the kernels' A. */
static size_t value_bytes(enum fold_gives gives, strew_dtype dtype) {
  switch (gives) {
  case FOLD_SAME: return strew_dtype_size_bytes(dtype_wide(dtype));
  case FOLD_PLACE: return 2 * sizeof(int64_t);
  case FOLD_TRUTH: return 1;
  default: return strew_dtype_size_bytes(dtype_is_float(dtype) ? dtype_wide(dtype) : STREW_INT64);
  }
}

strew_status opencl_reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan) {
  const struct fold_row *row = fold_row_of(plan->fold);
  struct launch launch = {.call = call, .device = device};
  struct fold_launch job = {.launch = &launch,
                            .kind = kernels[plan->fold].kind,
                            .join = kernels[plan->fold].join,
                            .flip = kernels[plan->fold].flip};
  enum { WORDS = 32, VECTORS = 5 };
  struct computed elements;
  fold_prepare(&job, plan);
  choose_fold(&job);
  job.elements_read = &elements;
  computed_start(&elements, &launch, &job.kept.operands[1], WORDS + VECTORS * (size_t)job.outputs.outer,
                 turns_of_blocks(&job));
  job.value_bytes = value_bytes(row->gives, plan->plan.operands[1].dtype);
  if (row->finish == FINISH_MEAN) job.finish = 1, job.divisor = (double)job.n;
  if (fold_is_spread(plan->fold))
    fold_deviations(&job, plan->correction, row->finish == FINISH_DEVIATION);
  else
    fold(&job);
  computed_end(&launch, &elements);
  return launch_end(&launch);
}
