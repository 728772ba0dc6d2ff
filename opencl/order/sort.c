/* sort.c: sorting lines by key and position, a total order, so all methods give the same result:
     local    lines that fit in local memory are sorted there, by a group on a GPU, else by one work-item
     top-k    for the first few of a long line it is cut into tiles; the first few of each form the next, shorter line
     radix    else elements become items in global memory, which are sorted by digits and become elements again */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/order/order_ops.h"

#include <inttypes.h>

struct sort {
  struct launch *launch;
  const struct sort_plan *plan;
  struct space space; /* of the input: columns are a line's elements */
  int64_t line;       /* items that fit in local memory */
  bool broad;
  uint64_t flip;
  int32_t shift;
  uint64_t common, differing; /* bits of keys: those outside of narrow items; those that differ */
};

static size_t key_bytes(const struct sort *sort) { return strew_dtype_size_bytes(sort->plan->plan.operands[2].dtype); }

static struct launch *sort_start(const struct sort *sort, const char *kernel) {
  launch_start(sort->launch, "sort.cl", kernel, "S=%s OUTER=%d BROAD=%d LINE=%d GROUP_SIZE=%zu",
               dtype_suffix(sort->plan->plan.operands[2].dtype), sort->space.outer, sort->broad, (int)sort->line,
               opencl_large_group(sort->launch->device));
  return sort->launch;
}

/* -------------------------------------------------------------------------------------------------- in local memory */

/* Lines during a top-k selection: elements of the input (no block), or items. */
struct candidates {
  struct block *block;
  int64_t columns; /* per line */
};

static int bits_for(int64_t count) {
  int bits = 0;
  while ((int64_t)1 << bits < count) bits++;
  return bits;
}

/* Sorts each tile and writes its first `keep` items to `kept`, or to the outputs if that is NULL. */
static void sort_tiles(const struct sort *sort, const struct candidates *from, int64_t tile, const struct block *kept) {
  const struct opencl *on = opencl_of(sort->launch->device);
  const struct block *unused = sort->plan->plan.operands[2].storage->data; /* some drivers reject a NULL buffer */
  const int64_t tiles = (from->columns + tile - 1) / tile, units = sort->space.rows * tiles;
  const int bits = bits_for(tile < from->columns ? tile : from->columns);
  struct space space = sort->space;
  space.columns = from->columns;
  struct launch *launch = sort_start(sort, "sort_tiles");
  launch_plan(launch, &space, 0, 1, 2);
  launch_blocks(launch, from->block ? from->block : unused);
  launch_flags(launch, from->block != NULL);
  launch_blocks(launch, kept ? kept : unused);
  launch_flags(launch, kept != NULL);
  launch_ints(launch, tile, tiles, sort->plan->keep, (int64_t)sort->flip);
  launch_flags(launch, bits);
  launch->turns = SORT_ITEM_TURNS * (on->is_gpu ? sort->line : (int64_t)1 << bits);
  const int64_t at_once = on->is_gpu ? sort->line >> bits : 1;
  launch_groups(launch, (units + at_once - 1) / at_once, on->is_gpu ? opencl_large_group(launch->device) : 1);
}

/* The tile length for a top-k selection, or 0 if radix sort is better. A CPU work-item without a bound on its loops
   selects from long tiles with a heap. */
static int64_t sort_tile_of(const struct sort *sort) {
  const struct opencl *on = opencl_of(sort->launch->device);
  const int64_t n = sort->space.columns, keep = sort->plan->keep;
  int64_t tile = sort->line;
  if (!on->is_gpu && on->longest_loop >= TOP_LONG_LOOP) {
    tile = TOP_LONGEST_TILE;
    while (tile > sort->line && sort->space.rows * n / tile < TOP_TILES_PER_UNIT * (int64_t)on->units) tile /= 2;
  }
  return keep <= tile / 8 && keep <= sort->line && keep <= n / 16 ? tile : 0;
}

static void select_first(const struct sort *sort, int64_t tile) {
  struct candidates from = {.columns = sort->space.columns};
  while (from.columns > tile) {
    struct candidates kept = {.columns = (from.columns + tile - 1) / tile * sort->plan->keep};
    kept.block = launch_scratch(sort->launch, (uint64_t)(sort->space.rows * kept.columns) * item_bytes(sort->broad));
    sort_tiles(sort, &from, tile, kept.block);
    launch_free(sort->launch, from.block);
    from = kept;
  }
  sort_tiles(sort, &from, tile, NULL);
}

/* ------------------------------------------------------------------------------------------------------- radix sort */

/* Finds the bits in which keys differ; 16-bit keys are taken to differ in all. If they span at most 32 bits, items can
   be narrow. */
static void survey(struct sort *sort) {
  uint32_t bits[4] = {0, 0, ~0u, ~0u};
  sort->differing = UINT64_MAX >> (64 - 8 * key_bytes(sort));
  if (key_bytes(sort) < 4) return;
  const int64_t tiles = (sort->space.columns + SORT_SURVEY_TILE - 1) / SORT_SURVEY_TILE;
  struct block *block = launch_scratch(sort->launch, sizeof bits);
  launch_write(sort->launch, block, bits, sizeof bits);
  struct launch *launch = sort_start(sort, "survey");
  launch_plan(launch, &sort->space, 2);
  launch_ints(launch, (int64_t)sort->flip, SORT_SURVEY_TILE, tiles);
  launch_blocks(launch, block);
  launch->turns = SORT_SURVEY_TILE;
  launch_groups(launch, sort->space.rows * tiles, opencl_of(launch->device)->is_gpu ? GROUP : 1);
  launch_read(launch, block, 0, bits, sizeof bits);
  launch_free(launch, block);
  const uint64_t any = (uint64_t)bits[1] << 32 | bits[0], all = (uint64_t)bits[3] << 32 | bits[2];
  sort->differing = any ^ all;
  sort->common = all;
}

/* Packs 64-bit keys whose differing bits span at most 32 into narrow items. */
static void sort_narrow(struct sort *sort) {
  if (!sort->broad || sort->space.columns > UINT32_MAX) return;
  int32_t shift = 0;
  while (shift < 32 && !(sort->differing >> shift & 1)) shift++;
  if (sort->differing >> shift > UINT32_MAX) return;
  sort->broad = false;
  sort->shift = shift;
  sort->differing >>= shift;
  sort->common &= ~((uint64_t)UINT32_MAX << shift);
}

static void load_items(const struct sort *sort, const struct space *lines, int64_t first, const struct block *items,
                       struct item_sort *digits) {
  struct launch *launch = sort_start(sort, "load_items");
  launch_plan(launch, lines, 2);
  launch_ints(launch, first, (int64_t)sort->flip);
  launch_flags(launch, sort->shift);
  launch_blocks(launch, items);
  item_sort_make(digits, launch, false);
}

static void store_items(const struct sort *sort, const struct space *lines, int64_t first, const struct block *items) {
  struct space kept = *lines;
  kept.columns = sort->plan->keep;
  struct launch *launch = sort_start(sort, "store_items");
  launch_plan(launch, &kept, 0, 1, 2);
  launch_ints(launch, first, (int64_t)sort->flip);
  launch_flags(launch, sort->shift);
  launch_ints(launch, (int64_t)sort->common);
  launch_blocks(launch, items);
  launch_ints(launch, lines->columns);
  launch_rows(launch, &kept);
}

/* Sorts as many lines at once as fit into one large block. */
static void sort_by_digits(struct sort *sort) {
  struct launch *launch = sort->launch;
  const int64_t many = SORT_ITEMS_AT_ONCE, n = sort->space.columns, rows = sort->space.rows;
  if (n > UINT32_MAX)
    launch->status =
        fail(launch->call, FAULT(STREW_ESHAPE, "self"), "has lines of %" PRId64 " elements, %s sorts at most %" PRIu32,
             n, launch->device->name, UINT32_MAX);
  survey(sort);
  sort_narrow(sort);
  struct space lines = sort->space;
  lines.rows = n < many / rows ? rows : n < many ? many / n : 1;
  struct block *items = launch_scratch(launch, (uint64_t)(lines.rows * n) * item_bytes(sort->broad));
  for (int64_t first = 0; launch->status == STREW_OK && first < rows; first += lines.rows) {
    if (lines.rows > rows - first) lines.rows = rows - first;
    const struct item_lines what = {lines.rows, n, sort->broad, sort->differing};
    struct item_sort digits;
    item_sort_start(&digits, launch, &what);
    load_items(sort, &lines, first, items, &digits);
    item_sort_run(&digits, launch, items);
    item_sort_end(&digits, launch);
    store_items(sort, &lines, first, items);
  }
}

/* --------------------------------------------------------------------------------------------- choice of the method */

strew_status opencl_sort_untested(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  struct launch launch = {.call = call, .device = device};
  struct sort sort = {.launch = &launch, .plan = plan, .space = space_of(&plan->plan)};
  sort.flip = plan->descending ? UINT64_MAX : 0;
  sort.broad = key_bytes(&sort) > 4 || sort.space.columns > UINT32_MAX;
  if (sort.space.outer == 1)
    sort.space.outer = 4; /* fewer programs to compile; coordinates are computed once per line */
  sort.line = (opencl_of(device)->is_gpu ? 2 : 1) * SORT_LINE_BYTES / (int64_t)item_bytes(sort.broad);
  const int64_t tile = sort.space.columns <= sort.line ? sort.line : sort_tile_of(&sort);
  if (tile)
    select_first(&sort, tile);
  else
    sort_by_digits(&sort);
  return launch_end(&launch);
}
