/* radix.c: a stable LSD radix sort, 8 bits a pass. Bits in which no keys differ are skipped. */
#include "radix.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct radix {
  const struct item_lines *what;
  int64_t block, blocks; /* items per block, blocks per line */
  size_t group;          /* work-items per block */
  struct block counts;
};

/* On a GPU a block is the tile that a group sorts in local memory (radix.cl: TILE). On a CPU one work-item takes a
   block: long, to repay the digit counters, but several for each compute unit. */
static void cut_lines(struct radix *radix, const strew_device *device) {
  enum { LONGEST_BLOCK = 16384, SHORTEST_BLOCK = 2048 };
  const struct opencl *on = opencl_of(device);
  const struct item_lines *what = radix->what;
  if (on->is_gpu) {
    radix->group = large_group(device);
    radix->block = (what->broad ? 4 : 8) * (int64_t)radix->group;
  } else {
    radix->group = 1;
    radix->block = on->longest_loop < 2 * LONGEST_BLOCK ? LONGEST_BLOCK / 4 : LONGEST_BLOCK;
    while (radix->block > SHORTEST_BLOCK && what->lines * what->n / radix->block < 4 * (int64_t)on->units)
      radix->block /= 2;
  }
  radix->blocks = (what->n + radix->block - 1) / radix->block;
}

static strew_status run(const struct call *call, strew_device *device, const struct radix *radix, const char *kernel,
                        const struct block *items, const struct block *dealt, int shift) {
  const cl_int first_bit = shift;
  struct launch launch;
  launch_start(&launch, call, device, "radix.cl", kernel, "BROAD=%d GROUP_SIZE=%zu", radix->what->broad,
               large_group(device));
  launch_block(&launch, items);
  if (dealt) launch_block(&launch, dealt);
  launch_block(&launch, &radix->counts);
  launch_int(&launch, radix->what->n);
  launch_int(&launch, radix->block);
  launch_int(&launch, radix->blocks);
  launch_value(&launch, &first_bit, sizeof first_bit);
  launch.turns = radix->block * 2;
  return launch_groups(&launch, radix->what->lines * radix->blocks, radix->group);
}

static strew_status pass(const struct call *call, strew_device *device, const struct radix *radix, struct block *items,
                         struct block *spare, int shift) {
  strew_status status = run(call, device, radix, "count_digits", items, NULL, shift);
  if (status == STREW_OK)
    status = sums_before(call, device, &radix->counts, radix->what->lines * radix->blocks * DIGITS, false);
  if (status == STREW_OK) status = run(call, device, radix, "deal", items, spare, shift);
  struct block dealt = *spare;
  *spare = *items;
  *items = dealt;
  return status;
}

strew_status radix_sort(const struct call *call, strew_device *device, struct block *items,
                        const struct item_lines *what) {
  struct radix radix = {.what = what};
  struct block spare = {0};
  cut_lines(&radix, device);
  strew_status status = block_allocate(call, device, (size_t)(what->lines * what->n) * item_bytes(what->broad), &spare);
  if (status == STREW_OK)
    status =
        block_allocate(call, device, (size_t)(what->lines * radix.blocks) * DIGITS * sizeof(cl_uint), &radix.counts);
  for (int shift = 0; status == STREW_OK && shift < 64 && what->bits >> shift;) {
    if (!(what->bits >> shift & 1)) {
      shift++;
      continue;
    }
    status = pass(call, device, &radix, items, &spare, shift);
    shift += DIGIT_BITS;
  }
  block_free(device, &spare);
  block_free(device, &radix.counts);
  return status;
}
