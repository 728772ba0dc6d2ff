/* probe_sort.c: the device entry for sorts. The first sort of each dtype and rank sorts a few known items to test
   the device. Testing when the device is opened would cost far more than all else there, since the programs must be
   compiled. A program that sorts wrongly is compiled again without optimisation; if that does not help, the sort
   fails. */
#include "opencl/core/opencl.h"
#include "runtime/order/order_ops.h"

#include <stdio.h>
#include <string.h>

ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(order_ops, ORDER_ENTRIES)

enum { ROWS = 2, LONGEST = 300, MOST = ROWS * LONGEST, VALUES = 0, INDICES, FROM, OPERANDS };

/* Lines of one length. Elements are small numbers in their lowest byte, whose order is the same in all dtypes. */
struct sort_trial {
  strew_dtype dtype;
  size_t size_bytes; /* of an element */
  int64_t columns;
  struct storage storages[OPERANDS];
  unsigned char from[MOST * sizeof(int64_t)], values[MOST * sizeof(int64_t)];
  int64_t indices[MOST];
};

static void choose_elements(struct sort_trial *trial) {
  const int limit = trial->dtype == STREW_BOOL ? 2 : 61;
  memset(trial->from, 0, sizeof trial->from);
  for (int i = 0; i < ROWS * trial->columns; i++)
    trial->from[(size_t)i * trial->size_bytes] = (unsigned char)((i * i + 5 * i + 1) % 509 % limit);
}

/* True if each line's elements ascend, ties by position, and are the input's elements at the positions returned. */
static bool is_right(const struct sort_trial *trial) {
  const size_t size = trial->size_bytes;
  for (int64_t i = 0; i < ROWS * trial->columns; i++) {
    const int64_t column = i % trial->columns, at = trial->indices[i];
    const unsigned char *line = trial->from + (size_t)(i - column) * size;
    if (at < 0 || at >= trial->columns) return false;
    const unsigned char *here = line + (size_t)at * size;
    if (memcmp(trial->values + (size_t)i * size, here, size) != 0) return false;
    if (column == 0) continue;
    const int64_t at_before = trial->indices[i - 1];
    const unsigned char before = line[(size_t)at_before * size];
    if (before > *here || (before == *here && at_before >= at)) return false;
  }
  return true;
}

/* The lines as a plan of the rank that selects the program under test. */
static struct sort_plan plan_of(struct sort_trial *trial, int rank) {
  struct sort_plan sort = {.keep = trial->columns};
  int64_t sizes[MAX_RANK];
  for (int d = 0; d < rank; d++) sizes[d] = 1;
  sizes[rank - 2] = ROWS;
  sizes[rank - 1] = trial->columns;
  plan_start(&sort.plan, rank, sizes);
  sort.plan.count = OPERANDS;
  for (int i = 0; i < OPERANDS; i++) {
    struct operand *operand = &sort.plan.operands[i];
    *operand = (struct operand){.storage = &trial->storages[i], .dtype = i == INDICES ? STREW_INT64 : trial->dtype};
    dense_strides(rank, sizes, operand->strides);
  }
  return sort;
}

static strew_status run_sort(const struct call *call, strew_device *device, struct sort_trial *trial, int rank) {
  const size_t elements = (size_t)(ROWS * trial->columns), bytes = elements * trial->size_bytes;
  const size_t sizes[OPERANDS] = {[VALUES] = bytes, [INDICES] = elements * sizeof(int64_t), [FROM] = bytes};
  struct launch steps = {.call = call, .device = device};
  for (int i = 0; i < OPERANDS; i++)
    trial->storages[i] =
        (struct storage){.device = device, .data = launch_scratch(&steps, sizes[i]), .size_bytes = sizes[i]};
  launch_write(&steps, trial->storages[FROM].data, trial->from, bytes);
  const struct sort_plan plan = plan_of(trial, rank);
  TRY(steps.status, opencl_sort_untested(call, device, &plan));
  launch_read(&steps, trial->storages[VALUES].data, 0, trial->values, bytes);
  launch_read(&steps, trial->storages[INDICES].data, 0, trial->indices, sizes[INDICES]);
  return launch_end(&steps);
}

/* Tests a length that is sorted by merging and one that is sorted by digits. */
static strew_status try_sort(const struct call *call, strew_device *device, strew_dtype dtype, int rank, bool *right) {
  static const int64_t lengths[] = {29, LONGEST};
  strew_context *context = device->context;
  ALLOCATE_NEW(struct sort_trial *, trial, call, context, sizeof *trial);
  strew_status status = STREW_OK;
  *right = true;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths && status == STREW_OK && *right; i++) {
    *trial = (struct sort_trial){.dtype = dtype, .size_bytes = strew_dtype_size_bytes(dtype), .columns = lengths[i]};
    choose_elements(trial);
    status = run_sort(call, device, trial, rank);
    *right = status == STREW_OK && is_right(trial);
  }
  memory_free(context, trial, sizeof *trial);
  return status;
}

static strew_status probe(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  enum { FEW = 2, MANY = 6 }; /* ranks of at most and of more than 4 outer dimensions: see struct space */
  struct opencl *on = opencl_of(device);
  const strew_dtype dtype = plan->plan.operands[FROM].dtype;
  const bool is_deep = plan->plan.rank >= MANY;
  const uint64_t bit = (uint64_t)1 << (2 * (int)dtype + is_deep);
  bool right = false;
  if (on->sorts_tried & bit) return STREW_OK;
  on->sorts_tried |= bit;
  strew_status status = try_sort(call, device, dtype, is_deep ? MANY : FEW, &right);
  if (status == STREW_OK && !right && !on->plain_sorts) {
    opencl_use_plain_sorts(device);
    on->sorts_tried |= bit;
    status = try_sort(call, device, dtype, is_deep ? MANY : FEW, &right);
  }
  if (status == STREW_OK && right) return STREW_OK;
  on->sorts_tried &= ~bit;
  if (status != STREW_OK) return status;
  return fail(
      call, HINTED(STREW_EDEVICE, "device", "the CPU still works: device = \"cpu\"; updating the driver may help"),
      "%s (%s) sorts wrongly, with and without compiler optimisation", device->name, strew_device_description(device));
}

strew_status opencl_sort(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  strew_status status = probe(call, device, plan);
  return TRY(status, opencl_sort_untested(call, device, plan));
}
