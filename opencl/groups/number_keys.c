/* number_keys.c: groups by one column of integers that are at least 0 and less than the elements, or than a bound, are
   numbered by a table of keys (kernels/number_keys.cl); others by sorting, above the devices. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/groups/group_ops.h"

#include <inttypes.h>

GROUP_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

struct numbering {
  struct launch *launch;
  const strew_tensor *key;
  int64_t count, range;
  struct block *first, *numbers;
};

static struct launch *numbering_start(const struct numbering *n, const char *kernel) {
  launch_start(n->launch, "number_keys.cl", kernel, "WORD=%s GROUP_SIZE=%zu", word_type(n->key->dtype),
               opencl_large_group(n->launch->device));
  return n->launch;
}

static void launch_keys(const struct numbering *n) {
  launch_blocks(n->launch, n->key->storage->data);
  launch_ints(n->launch, n->key->offset, n->key->strides[0], n->count);
}

/* Keys below 2^bits, half of them of a signed dtype; no more than the elements. */
static int64_t range_of(const strew_tensor *key) {
  const strew_dtype dtype = key->dtype;
  const size_t bits = 8 * dtype_bytes(dtype);
  int64_t range = KEYS_FEW_RANGE;
  while (range < KEYS_LARGEST_RANGE && range * 2 <= key->sizes[0]) range *= 2;
  if (bits > 16) return range;
  const int64_t most = (int64_t)1 << (dtype_is_unsigned(dtype) || dtype == STREW_BOOL ? bits : bits - 1);
  return range < most ? range : most;
}

static void find_first(const struct numbering *n) {
  const size_t group = opencl_large_group(n->launch->device);
  const bool is_gpu = opencl_of(n->launch->device)->is_gpu;
  const int64_t block = (int64_t)group * (is_gpu ? KEYS_GPU_EACH : KEYS_CPU_EACH);
  struct launch *launch = numbering_start(n, "start");
  launch_ints(launch, n->range);
  launch_blocks(launch, n->first);
  launch_items(launch, n->range + 1);
  numbering_start(n, "find_first");
  launch_keys(n);
  launch_ints(launch, block, n->range);
  launch_blocks(launch, n->first);
  launch->turns = block;
  launch_groups(launch, (n->count - 1) / block + 1, group);
}

/* Returns the number of groups, 0 if a key is out of range. Waits. */
static int64_t number_groups(const struct numbering *n) {
  cl_uint found[2] = {0, 0};
  struct launch *launch = numbering_start(n, "mark");
  launch_ints(launch, n->range);
  launch_blocks(launch, n->first, n->numbers);
  launch_items(launch, n->range + 1);
  opencl_prefix_sums(launch, n->numbers, n->range + 1, false);
  launch_read(launch, n->numbers, (size_t)n->range * sizeof *found, found, sizeof found);
  if (launch->status != STREW_OK || found[1]) return 0;
  if (found[0] >= 1 && found[0] <= n->range && found[0] <= n->count) return found[0];
  launch->status = fail(launch->call, FAULT(STREW_EDEVICE, "device"),
                        "%s (%s) returned nonsense: it counted %" PRIu32 " groups of %" PRId64 " elements",
                        launch->device->name, strew_device_description(launch->device), found[0], n->count);
  return 0;
}

static void write_numbers(const struct numbering *n, const strew_tensor *ids, const strew_tensor *positions) {
  struct launch *launch = numbering_start(n, "number");
  launch_keys(n);
  launch_blocks(launch, n->numbers, ids->storage->data);
  launch_items(launch, n->count);
  numbering_start(n, "place");
  launch_ints(launch, n->range);
  launch_blocks(launch, n->first, n->numbers, positions->storage->data);
  launch_items(launch, n->range);
}

static strew_status opencl_number_keys(const struct call *call, strew_device *device, int count,
                                       strew_tensor *const *keys, strew_key_order order, strew_tensor **ids,
                                       strew_tensor **positions) {
  struct launch launch = {.call = call, .device = device};
  struct numbering n = {.launch = &launch, .key = keys[0], .count = keys[0]->sizes[0]};
  const int64_t longest = opencl_of(device)->longest_loop;
  if (count > 1 || order != STREW_KEYS_SORTED || dtype_is_float(n.key->dtype) || n.count >= UINT32_MAX ||
      longest < INT64_MAX)
    return STREW_DECLINED;
  n.range = range_of(n.key);
  n.first = launch_scratch(&launch, (uint64_t)(n.range + 1) * sizeof(cl_uint));
  n.numbers = launch_scratch(&launch, (uint64_t)(n.range + 2) * sizeof(cl_uint));
  find_first(&n);
  const int64_t groups = number_groups(&n);
  if (launch.status == STREW_OK && !groups) return launch_end(&launch), STREW_DECLINED;
  TRY(launch.status, tensor_create(call, device, STREW_INT64, 1, &n.count, ids));
  TRY(launch.status, tensor_create(call, device, STREW_INT64, 1, &groups, positions));
  if (launch.status == STREW_OK) write_numbers(&n, *ids, *positions);
  return launch_end(&launch);
}

const struct group_ops opencl_group_ops = {GROUP_ENTRIES(OPENCL_ENTRY, OPENCL_NONE).number_keys = opencl_number_keys};
