/* radix.c: a stable LSD radix sort, 8 bits a pass. Bits in which no keys differ are skipped. */
#include "radix.h"
#include "tuning.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct item_sort {
  const struct item_lines *shape;
  int64_t block, blocks; /* items per block, blocks per line */
  size_t group;          /* work-items per block */
  struct block counts;
};

/* On a GPU a block is the tile that a group sorts in local memory (radix.cl: TILE). On a CPU one work-item takes a
   block: long, to repay the digit counters, but several for each compute unit. */
static void set_blocks(struct item_sort *sort, const strew_device *device) {
  const struct opencl *on = opencl_of(device);
  const struct item_lines *shape = sort->shape;
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

static strew_status radix_run(const struct call *call, strew_device *device, const struct item_sort *sort,
                              const char *kernel, const struct block *items, const struct block *sorted, int shift) {
  struct launch launch;
  launch_start(&launch, call, device, "radix.cl", kernel, "BROAD=%d GROUP_SIZE=%zu", sort->shape->broad,
               opencl_large_group(device));
  launch_blocks(&launch, items);
  if (sorted) launch_blocks(&launch, sorted);
  launch_blocks(&launch, &sort->counts);
  launch_ints(&launch, sort->shape->n, sort->block, sort->blocks);
  launch_flags(&launch, shift);
  launch.turns = sort->block * 2;
  return launch_groups(&launch, sort->shape->lines * sort->blocks, sort->group);
}

static strew_status pass(const struct call *call, strew_device *device, const struct item_sort *sort,
                         struct block *items, struct block *spare, int shift) {
  strew_status status = radix_run(call, device, sort, "count_digits", items, NULL, shift);
  TRY(status, opencl_prefix_sums(call, device, &sort->counts, sort->shape->lines * sort->blocks * DIGITS, false));
  TRY(status, radix_run(call, device, sort, "distribute", items, spare, shift));
  struct block sorted = *spare;
  *spare = *items;
  *items = sorted;
  return status;
}

strew_status opencl_radix_sort(const struct call *call, strew_device *device, struct block *items,
                               const struct item_lines *shape) {
  struct item_sort sort = {.shape = shape};
  struct block spare = {0};
  set_blocks(&sort, device);
  strew_status status =
      block_allocate(call, device, (size_t)(shape->lines * shape->n) * item_bytes(shape->broad), &spare);
  TRY(status,
      block_allocate(call, device, (size_t)(shape->lines * sort.blocks) * DIGITS * sizeof(cl_uint), &sort.counts));
  for (int shift = 0; status == STREW_OK && shift < 64 && shape->bits >> shift;) {
    if (!(shape->bits >> shift & 1)) {
      shift++;
      continue;
    }
    status = pass(call, device, &sort, items, &spare, shift);
    shift += DIGIT_BITS;
  }
  block_free(device, &spare);
  block_free(device, &sort.counts);
  return status;
}
