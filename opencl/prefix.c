/* prefix.c: exclusive prefix sums, by tiles: total each tile, turn the totals into starts by recursion, sum each tile
   from its start. */
#include "radix.h"
#include "tuning.h"

static int64_t tile_of(const strew_device *device) {
  return opencl_of(device)->is_gpu ? PREFIX_GPU_NUMBERS * (int64_t)opencl_large_group(device) : PREFIX_CPU_TILE;
}

static void prefix_start(struct launch *launch, const struct call *call, strew_device *device, const char *kernel,
                         bool wide) {
  launch_start(launch, call, device, "prefix.cl", kernel, "NUMBER=%s GROUP_SIZE=%zu", wide ? "ulong" : "uint",
               opencl_large_group(device));
}

static strew_status prefix_run(struct launch *launch, int64_t tiles) {
  launch->turns = tile_of(launch->device);
  return launch_groups(launch, tiles, opencl_of(launch->device)->is_gpu ? opencl_large_group(launch->device) : 1);
}

static strew_status total_tiles(const struct call *call, strew_device *device, const struct block *numbers,
                                int64_t count, bool wide, const struct block *totals) {
  const int64_t tile = tile_of(device);
  struct launch launch;
  prefix_start(&launch, call, device, "total_tiles", wide);
  launch_blocks(&launch, numbers);
  launch_ints(&launch, count, tile);
  launch_blocks(&launch, totals);
  return prefix_run(&launch, (count + tile - 1) / tile);
}

static strew_status sum_tiles(const struct call *call, strew_device *device, const struct block *numbers, int64_t count,
                              bool wide, const struct block *starts) {
  const int64_t tile = tile_of(device);
  struct launch launch;
  prefix_start(&launch, call, device, "sum_tiles", wide);
  launch_blocks(&launch, numbers);
  launch_ints(&launch, count, tile);
  launch_blocks(&launch, starts ? starts : numbers);
  launch_flags(&launch, starts != NULL);
  return prefix_run(&launch, (count + tile - 1) / tile);
}

strew_status opencl_prefix_sums(const struct call *call, strew_device *device, const struct block *numbers,
                                int64_t count, bool wide) {
  const int64_t tile = tile_of(device), tiles = (count + tile - 1) / tile;
  if (tiles == 1) return sum_tiles(call, device, numbers, count, wide, NULL);
  struct block totals;
  strew_status status = block_allocate(call, device, (size_t)tiles * (wide ? 8 : 4), &totals);
  if (status != STREW_OK) return status;
  status = total_tiles(call, device, numbers, count, wide, &totals);
  TRY(status, opencl_prefix_sums(call, device, &totals, tiles, wide));
  TRY(status, sum_tiles(call, device, numbers, count, wide, &totals));
  block_free(device, &totals);
  return status;
}
