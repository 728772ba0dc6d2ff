/* radix.c: prefix sums, and a stable LSD radix sort, 8 bits a pass. Bits in which no keys differ are skipped. The kernel
   that makes the items counts the first digit. */
#include "opencl.h"
#include "tuning.h"

/* ------------------------------------------------------------------------------------------------------ prefix sums */

enum { NO_STARTS, STARTS, STARTS_ARE_TOTALS }; /* as in prefix.cl */

static int64_t tile_of(const strew_device *device) {
  return opencl_of(device)->is_gpu ? PREFIX_GPU_NUMBERS * (int64_t)opencl_large_group(device) : PREFIX_CPU_TILE;
}

/* Writes the tiles' totals to `others`; or sums the tiles, whose starts are in `others`, with `totals` their totals.
   NULL: there is one tile. */
static void run_tiles(struct launch *launch, const struct block *numbers, int64_t count, bool wide,
                      const struct block *others, bool sums, bool totals) {
  const size_t group = opencl_large_group(launch->device);
  const int64_t tile = tile_of(launch->device);
  launch_start(launch, "prefix.cl", sums ? "sum_tiles" : "total_tiles", "NUMBER=%s GROUP_SIZE=%zu",
               wide ? "ulong" : "uint", group);
  launch_blocks(launch, numbers);
  launch_ints(launch, count, tile);
  launch_blocks(launch, others ? others : numbers);
  if (sums) launch_flags(launch, others ? totals ? STARTS_ARE_TOTALS : STARTS : NO_STARTS);
  launch->turns = tile + (totals ? (count + tile - 1) / tile : 0);
  launch_groups(launch, (count + tile - 1) / tile, opencl_of(launch->device)->is_gpu ? group : 1);
}

static int64_t tiles_of(const strew_device *device, int64_t count) {
  const int64_t tile = tile_of(device);
  return (count + tile - 1) / tile;
}

bool prefix_has_few(const strew_device *device, int64_t totals) {
  return opencl_of(device)->is_gpu && totals <= PREFIX_FEW_TOTALS;
}

/* By tiles: totals each tile, turns the totals into starts by recursion, sums each tile from its start. Of few totals a
   GPU's group sums those before its own. */
void opencl_prefix_sums(struct launch *launch, const struct block *numbers, int64_t count, bool wide) {
  const int64_t tiles = tiles_of(launch->device, count);
  const bool few = prefix_has_few(launch->device, tiles);
  struct block *totals = NULL;
  if (tiles > 1) {
    totals = launch_scratch(launch, (uint64_t)tiles * (wide ? 8 : 4));
    run_tiles(launch, numbers, count, wide, totals, false, false);
    if (!few) opencl_prefix_sums(launch, totals, tiles, wide);
  }
  run_tiles(launch, numbers, count, wide, totals, true, few);
  launch_free(launch, totals);
}

/* ------------------------------------------------------------------------------------------------------------- sort */

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* On a GPU a block is the tile that a group sorts in local memory (radix.cl: TILE). On a CPU one work-item takes a
   block: long, to repay the digit counters, but several for each compute unit. */
static void set_blocks(struct item_sort *sort, const strew_device *device) {
  const struct opencl *on = opencl_of(device);
  const struct item_lines *shape = &sort->shape;
  if (on->is_gpu) {
    sort->group = opencl_large_group(device);
    sort->block = (shape->broad ? 4 : 8) * (int64_t)sort->group;
  } else {
    sort->group = 1;
    sort->block = on->longest_loop < 2 * RADIX_LONGEST_BLOCK ? RADIX_LONGEST_BLOCK / 4 : RADIX_LONGEST_BLOCK;
    while (sort->block > RADIX_SHORTEST_BLOCK &&
           shape->lines * shape->n / sort->block < RADIX_BLOCKS_PER_UNIT * (int64_t)on->units)
      sort->block /= 2;
  }
  sort->blocks = (shape->n + sort->block - 1) / sort->block;
}

static int64_t counts_of(const struct item_sort *sort) { return sort->shape.lines * sort->blocks * DIGITS; }

void item_sort_start(struct item_sort *sort, struct launch *launch, const struct item_lines *shape) {
  static const cl_uint none[PREFIX_FEW_TOTALS];
  *sort = (struct item_sort){.shape = *shape};
  set_blocks(sort, launch->device);
  while (sort->shift < 64 && !(shape->bits >> sort->shift & 1)) sort->shift++;
  const int64_t tiles = tiles_of(launch->device, counts_of(sort));
  sort->counts = launch_scratch(launch, (uint64_t)counts_of(sort) * sizeof(cl_uint));
  if (tiles <= 1 || !prefix_has_few(launch->device, tiles)) return;
  sort->tiles = tiles;
  sort->totals = launch_scratch(launch, (uint64_t)tiles * sizeof(cl_uint));
  launch_write(launch, sort->totals, none, (size_t)tiles * sizeof *none);
}

static void launch_digits(struct launch *launch, const struct item_sort *sort, int shift) {
  launch_blocks(launch, sort->counts, sort->totals ? sort->totals : sort->counts); /* some drivers reject NULL */
  launch_flags(launch, (cl_int)sort->tiles);
  launch_ints(launch, tile_of(launch->device), sort->shape.n, sort->block, sort->blocks);
  launch_flags(launch, shift);
  launch->turns = sort->block * 2;
  launch_groups(launch, sort->shape.lines * sort->blocks, sort->group);
}

void item_sort_make(struct item_sort *sort, struct launch *launch, bool is_sorted) {
  launch_digits(launch, sort, is_sorted || sort->shift == 64 ? -1 : sort->shift);
}

static void radix_run(struct launch *launch, const struct item_sort *sort, const char *kernel,
                      const struct block *items, const struct block *sorted, int shift) {
  launch_start(launch, "radix.cl", kernel, "BROAD=%d GROUP_SIZE=%zu", sort->shape.broad,
               opencl_large_group(launch->device));
  launch_blocks(launch, items);
  if (sorted) launch_blocks(launch, sorted);
  launch_digits(launch, sort, shift);
}

static void pass(struct launch *launch, const struct item_sort *sort, struct block *items, struct block *spare,
                 int shift) {
  if (shift > sort->shift) radix_run(launch, sort, "count_digits", items, NULL, shift);
  if (sort->totals)
    run_tiles(launch, sort->counts, counts_of(sort), false, sort->totals, true, true);
  else
    opencl_prefix_sums(launch, sort->counts, counts_of(sort), false);
  radix_run(launch, sort, "distribute", items, spare, shift);
  if (launch->status != STREW_OK) return;
  const struct block sorted = *spare;
  *spare = *items;
  *items = sorted;
}

void item_sort_run(struct item_sort *sort, struct launch *launch, struct block *items) {
  const struct item_lines *shape = &sort->shape;
  struct block *spare = launch_scratch(launch, (uint64_t)(shape->lines * shape->n) * item_bytes(shape->broad));
  for (int shift = sort->shift; shift < 64 && shape->bits >> shift;) {
    const bool differs = shape->bits >> shift & 1;
    if (differs) pass(launch, sort, items, spare, shift);
    shift += differs ? DIGIT_BITS : 1;
  }
  launch_free(launch, spare);
}

void item_sort_end(struct item_sort *sort, struct launch *launch) {
  launch_free(launch, sort->counts);
  launch_free(launch, sort->totals);
}
