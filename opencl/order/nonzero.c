/* nonzero.c: positions of the nonzero elements, in three steps: a flag per element, the number of flags in each block,
   and the prefix sums of these, at which the blocks write their positions. Of few blocks on a GPU each sums the numbers
   before its own by itself. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/order/order_ops.h"

#include <inttypes.h>

ORDER_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

struct nonzero_search {
  struct launch *launch;
  const struct plan *plan;
  struct space space;      /* of the plan before it is simplified: its coordinates are the result */
  int64_t elements, block; /* elements in all, and per block */
  int64_t blocks;
  size_t group;                 /* work-items per block */
  struct block *flags, *counts; /* flags is NULL if the tensor's own bytes serve as flags */
  struct block *total;          /* of few blocks; else NULL: it follows their prefix sums */
};

static bool is_wide(const struct nonzero_search *search) { return search->elements > UINT32_MAX; }

static size_t count_bytes(const struct nonzero_search *search) {
  return is_wide(search) ? sizeof(cl_ulong) : sizeof(cl_uint);
}

static struct launch *nonzero_start(const struct nonzero_search *search, const char *kernel, int outer) {
  launch_start(search->launch, "nonzero.cl", kernel, "S=%s OUTER=%d COUNT=%s GROUP_SIZE=%zu",
               dtype_suffix(search->plan->operands[0].dtype), outer, is_wide(search) ? "ulong" : "uint",
               opencl_large_group(search->launch->device));
  return search->launch;
}

static void set_flags(struct nonzero_search *search) {
  struct plan simple = *search->plan;
  plan_simplify(&simple);
  const bool is_dense = simple.rank == 0 || (simple.rank == 1 && simple.operands[0].strides[0] == 1);
  if (is_dense && strew_dtype_size_bytes(simple.operands[0].dtype) == 1) return;
  search->flags = launch_scratch(search->launch, (uint64_t)search->elements);
  struct space space = space_of(&simple);
  struct launch *launch = nonzero_start(search, "flag", space.outer);
  launch_plan(launch, &space, 0);
  launch_blocks(launch, search->flags);
  launch_rows(launch, &space);
}

static void bind_flags(struct launch *launch, const struct nonzero_search *search) {
  if (search->flags) {
    launch_blocks(launch, search->flags);
    launch_ints(launch, 0);
  } else {
    launch_memory(launch, &search->plan->operands[0]);
  }
  launch_ints(launch, search->elements, search->block);
}

static void count_flags(struct nonzero_search *search) {
  static const cl_uint none;
  const bool few = !is_wide(search) && prefix_has_few(search->launch->device, search->blocks);
  search->counts = launch_scratch(search->launch, (uint64_t)(search->blocks + 1) * count_bytes(search));
  if (few) search->total = launch_scratch(search->launch, sizeof none);
  if (search->total) launch_write(search->launch, search->total, &none, sizeof none);
  struct launch *launch = nonzero_start(search, "count_flags", 1);
  bind_flags(launch, search);
  launch_blocks(launch, search->counts, few ? search->total : search->counts);
  launch_flags(launch, few);
  launch->turns = search->block;
  launch_groups(launch, search->blocks, search->group);
  if (!few) opencl_prefix_sums(launch, search->counts, search->blocks + 1, is_wide(search));
}

static void read_total(const struct nonzero_search *search, int64_t *count) {
  struct launch *launch = search->launch;
  cl_ulong wide = 0;
  cl_uint total = 0;
  const size_t bytes = count_bytes(search), last = search->total ? 0 : (size_t)search->blocks * bytes;
  launch_read(launch, search->total ? search->total : search->counts, last, is_wide(search) ? (void *)&wide : &total,
              bytes);
  *count = (int64_t)(wide + total);
  if (wide + total > (cl_ulong)search->elements)
    launch->status = fail(launch->call, FAULT(STREW_EDEVICE, "device"),
                          "%s (%s) returned nonsense: it counted more nonzero elements than there are (%" PRId64 ")",
                          launch->device->name, strew_device_description(launch->device), search->elements);
}

static void write_positions(const struct nonzero_search *search, const struct operand *out) {
  const int rank = search->plan->rank;
  struct launch *launch = nonzero_start(search, "write_positions", search->space.outer);
  launch_space(launch, &search->space);
  bind_flags(launch, search);
  launch_blocks(launch, search->counts);
  launch_flags(launch, search->total != NULL);
  launch_memory(launch, out);
  launch_flags(launch, rank);
  launch->turns = search->block * (rank + 1);
  launch_groups(launch, search->blocks, search->group);
}

/* On a GPU a block is 8 elements for each work-item of a group. On a CPU one work-item takes a block and counts out the
   coordinates of each element it finds. */
static void set_nonzero_blocks(struct nonzero_search *search) {
  const struct opencl *on = opencl_of(search->launch->device);
  search->group = on->is_gpu ? opencl_large_group(search->launch->device) : 1;
  search->block = on->is_gpu ? NONZERO_GPU_ELEMENTS * (int64_t)search->group : NONZERO_CPU_BLOCK;
  while (!on->is_gpu && search->block * (search->plan->rank + 2) > on->longest_loop) search->block /= 2;
  search->blocks = (search->elements + search->block - 1) / search->block;
}

strew_status opencl_nonzero(const struct call *call, strew_device *device, const struct plan *plan,
                            strew_tensor **out) {
  struct launch launch = {.call = call, .device = device};
  struct nonzero_search search = {.launch = &launch, .plan = plan, .space = space_of(plan)};
  search.elements = plan_numel(plan);
  set_nonzero_blocks(&search);
  set_flags(&search);
  count_flags(&search);
  int64_t count = 0;
  read_total(&search, &count);
  TRY(launch.status, tensor_create(call, device, STREW_INT64, 2, (int64_t[]){count, plan->rank}, out));
  if (launch.status == STREW_OK && strew_tensor_numel(*out)) {
    const struct operand written = {.storage = (*out)->storage, .dtype = STREW_INT64, .strides = {plan->rank, 1}};
    write_positions(&search, &written);
  }
  return release_if_failed(launch_end(&launch), out);
}
