/* cumsum.c: running sums. With enough lines to fill the device a work-item scans a whole line, or a tile of
   neighbouring lines. Otherwise lines are scanned block by block in three steps: totals of the blocks, carries (prefix
   sums of the totals), running sums. */
#include "opencl.h"

#include <stdio.h>

enum { TILE = 64, SPAN = 4, STAGED_ROWS = 16 };
enum way { WAY_ITEMS, WAY_TILE, WAY_STAGED };

struct job {
  const struct call *call;
  strew_device *device;
  struct plan lines;
  struct space space; /* of the lines */
  int64_t line_count, n, blocks, in_run, out_run;
  strew_dtype in, out;
  enum way way;
  bool dense;
  int64_t span; /* blocks per work-item */
};

static void lay_out(struct job *job, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1;
  job->lines = *plan;
  job->lines.rank = last;
  job->space = space_of(&job->lines);
  job->line_count = plan_numel(&job->lines);
  job->n = plan->sizes[last];
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->out_run = out->strides[last];
  job->in_run = in->strides[last];
  job->out = out->dtype;
  job->in = in->dtype;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Prefers a work-item per tile of neighbouring lines if those are closer in memory than neighbours along a line. */
static void choose_way(struct job *job) {
  const struct opencl *on = opencl_of(job->device);
  enum { SHORT = 32, LEAST_COLUMNS = 8, LINES_PER_UNIT = 4 };
  const struct operand *operands = job->lines.operands;
  int next = job->lines.rank - 1;
  bool closer = next >= 0 && operands[1].strides[next] < job->in_run && job->space.columns >= LEAST_COLUMNS;
  job->way = WAY_ITEMS;
  job->dense = job->in_run == 1 && job->out_run == 1;
  job->span = on->is_gpu ? 1 : SPAN;
  /* fewer programs to compile; coordinates are computed rarely enough not to matter */
  if (job->space.outer == 1 && job->n >= SHORT) job->space.outer = 4;
  if (on->is_gpu) {
    if (!closer && job->n >= SHORT) job->way = WAY_STAGED;
    return;
  }
  int64_t work_items = job->line_count, turns = job->n * 2 * SPAN;
  if (closer && on->longest_loop > (int64_t)4 * TILE * SUM_BLOCK) {
    job->way = WAY_TILE;
    job->dense = operands[0].strides[next] == 1 && operands[1].strides[next] == 1;
    work_items = job->space.rows * ((job->space.columns - 1) / TILE + 1);
    job->span = 1;
    turns *= TILE;
  }
  bool is_bounded = turns < on->longest_loop && turns / (2 * SPAN) <= longest_run(job->device, 1);
  if (work_items >= (int64_t)on->units * LINES_PER_UNIT && is_bounded) job->span = job->blocks;
}

/* ------------------------------------------------------------------------------------------------------- launches */

static void start(struct launch *launch, const struct job *job, const char *kernel, const char *settings) {
  launch_start(launch, job->call, job->device, "cumsum.cl", kernel, "S=%s OUT=%s OUTER=%d %s", dtype_suffix(job->in),
               dtype_suffix(job->out), job->space.outer, settings);
}

static strew_status scan(const struct job *job, const struct block *carries, bool totals) {
  static const char *const kernels[] = {"scan_items", "scan_tile", "scan_staged"};
  static const char *const ways[] = {"WAY_ITEMS", "WAY_TILE", "WAY_STAGED"};
  const struct opencl *on = opencl_of(job->device);
  char settings[96];
  struct launch launch;
  snprintf(settings, sizeof settings, "WAY=%s TOTALS=%d DENSE=%d TILE=%d", ways[job->way], totals, job->dense, TILE);
  start(&launch, job, kernels[job->way], settings);
  launch_space(&launch, &job->space);
  launch_operand(&launch, &job->space, 0);
  launch_operand(&launch, &job->space, 1);
  launch_int(&launch, job->line_count);
  launch_int(&launch, job->n);
  launch_int(&launch, job->out_run);
  launch_int(&launch, job->in_run);
  launch_int(&launch, job->blocks);
  launch_int(&launch, job->span);
  launch_block(&launch, carries);
  int64_t chunks = (job->blocks - 1) / job->span + 1, tiles = (job->space.columns - 1) / TILE + 1;
  launch.turns = least(job->span * SUM_BLOCK, job->n);
  launch.turns *= job->way == WAY_STAGED ? STAGED_ROWS : job->way == WAY_TILE ? TILE : 1;
  if (job->way == WAY_STAGED)
    return launch_groups(&launch, (job->line_count * job->blocks - 1) / STAGED_ROWS + 1, GROUP);
  if (job->way == WAY_TILE) return launch_groups(&launch, tiles * job->space.rows * chunks, 1);
  int64_t items = job->line_count * chunks;
  /* a few long work-items balance better in groups of one */
  bool spread = !on->is_gpu && items < (int64_t)on->units * GROUP * SPAN;
  return spread ? launch_groups(&launch, items, 1) : launch_items(&launch, items);
}

/* Replaces the blocks' totals by the sums of those before them. */
static strew_status carry(const struct job *job, const struct block *carries, const struct block *running) {
  enum { MANY_LINES = 1024, FEW_BLOCKS = 64 };
  const struct opencl *on = opencl_of(job->device);
  bool by_groups = on->is_gpu && job->line_count < MANY_LINES && job->blocks > FEW_BLOCKS;
  int64_t piece = least(on->longest_loop / 4, longest_run(job->device, 1));
  strew_status status = STREW_OK;
  for (int64_t begin = 0; begin < job->blocks && status == STREW_OK; begin += piece) {
    struct launch launch;
    start(&launch, job, by_groups ? "carry_group" : "carry_items", "WAY=WAY_CARRIES");
    launch_int(&launch, job->line_count);
    launch_int(&launch, begin);
    launch_int(&launch, begin + least(piece, job->blocks - begin));
    launch_block(&launch, carries);
    launch_block(&launch, running);
    launch.turns = piece < job->blocks ? piece : job->blocks;
    status = by_groups ? launch_groups(&launch, job->line_count, GROUP) : launch_items(&launch, job->line_count);
  }
  return status;
}

static strew_status scan_in_pieces(const struct job *job) {
  strew_dtype wide = dtype_is_float(job->in) ? dtype_wide(job->in) : STREW_INT64;
  size_t row_bytes = (size_t)job->line_count * 2 * strew_dtype_size_bytes(wide); /* pairs of (high, low) */
  struct block carries = {NULL, 0}, running = carries;
  strew_status status = block_allocate(job->call, job->device, (size_t)job->blocks * row_bytes, &carries);
  if (status == STREW_OK) status = block_allocate(job->call, job->device, row_bytes, &running);
  if (status == STREW_OK) status = scan(job, &carries, true);
  if (status == STREW_OK) status = carry(job, &carries, &running);
  if (status == STREW_OK) status = scan(job, &carries, false);
  block_free(job->device, &running);
  block_free(job->device, &carries);
  return status;
}

strew_status opencl_cumsum(const struct call *call, strew_device *device, const struct scan_plan *plan) {
  static const struct block none = {NULL, 0};
  struct job job = {.call = call, .device = device};
  lay_out(&job, &plan->plan);
  choose_way(&job);
  return job.blocks <= job.span ? scan(&job, &none, false) : scan_in_pieces(&job);
}
