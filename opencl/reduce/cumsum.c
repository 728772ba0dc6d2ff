/* cumsum.c: running sums, products and extremes. Sums: with enough lines to fill the device a work-item scans a whole line, or a tile of
   neighbouring lines. Otherwise lines are scanned block by block in three steps: totals of the blocks, carries (prefix
   sums of the totals), running sums. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/reduce/reduce_ops.h"

#include <stdio.h>

REDUCE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

enum { TILE = 64, STAGED_ROWS = 16 };
enum way { WAY_ITEMS, WAY_TILE, WAY_STAGED };

struct scan {
  struct launch *launch;
  struct plan lines;
  struct space space; /* of the lines */
  int64_t line_count, n, blocks, in_run, out_run;
  strew_dtype in, out;
  enum way way;
  bool dense;
  int64_t span; /* blocks per work-item */
};

static void scan_start(struct scan *scan, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1;
  scan->lines = *plan;
  scan->lines.rank = last;
  scan->space = space_of(&scan->lines);
  scan->line_count = plan_numel(&scan->lines);
  scan->n = plan->sizes[last];
  scan->blocks = (scan->n - 1) / SUM_BLOCK + 1;
  scan->out_run = out->strides[last];
  scan->in_run = in->strides[last];
  scan->out = out->dtype;
  scan->in = in->dtype;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Prefers a work-item per tile of neighbouring lines if those are closer in memory than neighbours along a line. */
static void choose_scan(struct scan *scan) {
  const struct opencl *on = opencl_of(scan->launch->device);
  const struct operand *operands = scan->lines.operands;
  int next = scan->lines.rank - 1;
  bool closer = next >= 0 && operands[1].strides[next] < scan->in_run && scan->space.columns >= CUMSUM_LEAST_COLUMNS;
  scan->way = WAY_ITEMS;
  scan->dense = scan->in_run == 1 && scan->out_run == 1;
  scan->span = on->is_gpu ? 1 : CUMSUM_SPAN;
  /* fewer programs to compile; coordinates are computed rarely enough not to matter */
  if (scan->space.outer == 1 && scan->n >= CUMSUM_SHORT) scan->space.outer = 4;
  if (on->is_gpu) {
    if (!closer && scan->n >= CUMSUM_SHORT) scan->way = WAY_STAGED;
    return;
  }
  int64_t work_items = scan->line_count, turns = scan->n * 2 * CUMSUM_SPAN;
  if (closer && on->longest_loop > (int64_t)4 * TILE * SUM_BLOCK) {
    scan->way = WAY_TILE;
    scan->dense = operands[0].strides[next] == 1 && operands[1].strides[next] == 1;
    work_items = scan->space.rows * ((scan->space.columns - 1) / TILE + 1);
    scan->span = 1;
    turns *= TILE;
  }
  bool is_bounded = turns < on->longest_loop && turns / (2 * CUMSUM_SPAN) <= launch_iterations(scan->launch->device, 1);
  if (work_items >= (int64_t)on->units * CUMSUM_LINES_PER_UNIT && is_bounded) scan->span = scan->blocks;
}

/* --------------------------------------------------------------------------------------------------------- launches */

static struct launch *cumsum_start(const struct scan *scan, const char *kernel, const char *settings) {
  launch_start(scan->launch, "cumsum.cl", kernel, "S=%s OUT=%s OUTER=%d %s", dtype_suffix(scan->in),
               dtype_suffix(scan->out), scan->space.outer, settings);
  return scan->launch;
}

static strew_status cumsum_lines(const struct scan *scan, const struct block *carries, bool totals) {
  static const char *const kernels[] = {"scan_items", "scan_tile", "scan_staged"};
  static const char *const ways[] = {"WAY_ITEMS", "WAY_TILE", "WAY_STAGED"};
  const struct opencl *on = opencl_of(scan->launch->device);
  char settings[96];
  snprintf(settings, sizeof settings, "WAY=%s TOTALS=%d DENSE=%d TILE=%d", ways[scan->way], totals, scan->dense, TILE);
  struct launch *launch = cumsum_start(scan, kernels[scan->way], settings);
  launch_plan(launch, &scan->space, 0, 1);
  launch_ints(launch, scan->line_count, scan->n, scan->out_run, scan->in_run, scan->blocks, scan->span);
  launch_blocks(launch, carries);
  int64_t chunks = (scan->blocks - 1) / scan->span + 1, tiles = (scan->space.columns - 1) / TILE + 1;
  launch->turns = least(scan->span * SUM_BLOCK, scan->n);
  launch->turns *= scan->way == WAY_STAGED ? STAGED_ROWS : scan->way == WAY_TILE ? TILE : 1;
  if (scan->way == WAY_STAGED)
    return launch_groups(launch, (scan->line_count * scan->blocks - 1) / STAGED_ROWS + 1, GROUP);
  if (scan->way == WAY_TILE) return launch_groups(launch, tiles * scan->space.rows * chunks, 1);
  int64_t items = scan->line_count * chunks;
  /* a few long work-items balance better in groups of one */
  bool spread = !on->is_gpu && items < (int64_t)on->units * GROUP * CUMSUM_SPAN;
  return spread ? launch_groups(launch, items, 1) : launch_items(launch, items);
}

/* Replaces the blocks' totals by the sums of those before them. */
static void carry(const struct scan *scan, const struct block *carries, const struct block *running) {
  const struct opencl *on = opencl_of(scan->launch->device);
  bool by_groups = on->is_gpu && scan->line_count < CUMSUM_MANY_LINES && scan->blocks > CUMSUM_FEW_BLOCKS;
  int64_t chunk = least(on->longest_loop / 4, launch_iterations(scan->launch->device, 1));
  for (int64_t begin = 0; begin < scan->blocks && scan->launch->status == STREW_OK; begin += chunk) {
    struct launch *launch = cumsum_start(scan, by_groups ? "carry_group" : "carry_items", "WAY=WAY_CARRIES");
    launch_ints(launch, scan->line_count, begin, begin + least(chunk, scan->blocks - begin));
    launch_blocks(launch, carries, running);
    launch->turns = least(chunk, scan->blocks);
    launch->status =
        by_groups ? launch_groups(launch, scan->line_count, GROUP) : launch_items(launch, scan->line_count);
  }
}

static void scan_by_blocks(const struct scan *scan) {
  strew_dtype wide = dtype_is_float(scan->in) ? dtype_wide(scan->in) : STREW_INT64;
  uint64_t row_bytes = (uint64_t)scan->line_count * 2 * strew_dtype_size_bytes(wide); /* pairs of (high, low) */
  struct block *carries = launch_scratch(scan->launch, (uint64_t)scan->blocks * row_bytes);
  struct block *running = launch_scratch(scan->launch, row_bytes);
  cumsum_lines(scan, carries, true);
  carry(scan, carries, running);
  cumsum_lines(scan, carries, false);
}

strew_status opencl_cumsum(const struct call *call, strew_device *device, const struct scan_plan *plan) {
  struct launch launch = {.call = call, .device = device};
  struct scan scan = {.launch = &launch};
  scan_start(&scan, &plan->plan);
  choose_scan(&scan);
  if (scan.blocks <= scan.span)
    cumsum_lines(&scan, NULL, false);
  else
    scan_by_blocks(&scan);
  return launch_end(&launch);
}

/* -------------------------------------------------------------------------------------------- products and extremes */

/* A work-item, or a GPU's group if lines are few and long, takes the elements of a line in order; a launch takes as many
   of them as fit, and the next one continues from the last result. */
static strew_status scan_lines(const struct call *call, strew_device *device, const struct scan_plan *scan,
                               const char *kernel, const char *way) {
  const struct plan *plan = &scan->plan;
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1;
  int64_t n = plan->sizes[last], chunk = least(launch_iterations(device, 1), opencl_of(device)->longest_loop / 4);
  struct plan lines = *plan;
  lines.rank = last;
  struct space space = space_of(&lines);
  struct launch launch = {.call = call, .device = device};
  const struct opencl *on = opencl_of(device);
  const size_t group = opencl_large_group(device);
  const bool by_groups =
      on->is_gpu && on->longest_loop == INT64_MAX && n > SORT_LONG_RUN && plan_numel(&lines) < CUMSUM_MANY_LINES;
  char tile[48] = "";
  if (by_groups) snprintf(tile, sizeof tile, " TILE=%d GROUP_SIZE=%zu", SORT_TILE, group);
  for (int64_t begin = 0; begin < n && launch.status == STREW_OK; begin += chunk) {
    launch_start(&launch, "cumulative.cl", kernel, "S=%s OUTER=%d %s%s", dtype_suffix(in->dtype), space.outer, way,
                 tile);
    launch_plan_list(&launch, &space, (int[]){0, 1, SCAN_VALUES}, (size_t)plan->count);
    launch_ints(&launch, plan_numel(&lines), begin, least(begin + chunk, n), out->strides[last], in->strides[last]);
    if (plan->count > SCAN_VALUES) launch_ints(&launch, plan->operands[SCAN_VALUES].strides[last]);
    launch.turns = least(chunk, n);
    launch.continues = begin > 0;
    if (by_groups)
      launch_groups(&launch, plan_numel(&lines), group);
    else
      launch_items(&launch, plan_numel(&lines));
  }
  return launch_end(&launch);
}

strew_status opencl_cumprod(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  return scan_lines(call, device, scan, "products", "WAY=PRODUCTS");
}

strew_status opencl_cumextreme(const struct call *call, strew_device *device, const struct scan_plan *scan,
                               bool largest) {
  return scan_lines(call, device, scan, "extremes", largest ? "WAY=LARGEST" : "WAY=SMALLEST");
}
