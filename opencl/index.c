/* index.c: see index.h. */
#include "index.h"
#include "tuning.h"

/* How an index is divided among work-groups. On a CPU a group is one work-item with a contiguous chunk, long enough to
   hide its start. On a GPU it is GROUP work-items with 32 values each. */
struct chunks {
  int lanes;
  int64_t size, count;
};

static struct chunks chunks_of(const struct index_pass *pass, int64_t most) {
  const struct opencl *on = opencl_of(pass->device);
  int64_t numel = plan_numel(&pass->values);
  struct chunks chunks = {.lanes = on->is_gpu ? GROUP : 1,
                          .size = on->is_gpu ? GROUP * INDEX_GPU_VALUES : INDEX_CPU_CHUNK};
  if (numel / chunks.size >= most) chunks.size = ((numel - 1) / most / chunks.lanes + 1) * chunks.lanes;
  int64_t run = launch_iterations(pass->device, 1), longest = on->longest_loop / 2 < run ? on->longest_loop / 2 : run;
  if (chunks.size / chunks.lanes > longest) chunks.size = longest * chunks.lanes;
  chunks.count = (numel - 1) / chunks.size + 1;
  return chunks;
}

void index_pass_start(struct index_pass *pass, const struct call *call, strew_device *device,
                      const struct plan *values) {
  pass->call = call;
  pass->device = device;
  pass->values = *values;
  pass->space = space_of(&pass->values);
  pass->dense = values->rank == 0 || (values->rank == 1 && values->operands[0].strides[0] == 1);
  pass->ordered = false;
}

static strew_status launch_chunks(struct launch *launch, const struct chunks *chunks) {
  launch->turns = chunks->size;
  return launch_groups(launch, chunks->count, (size_t)chunks->lanes);
}

static void pass_launch(struct launch *launch, const struct index_pass *pass, const char *kernel, int lanes) {
  launch_start(launch, pass->call, pass->device, "index.cl", kernel, "I=%s OUTER=%d LANES=%d%s%s",
               index_type(pass->values.operands[0].dtype), pass->space.outer, lanes, pass->dense ? " DENSE" : "",
               pass->ordered ? " ORDERED" : "");
  launch_plan(launch, &pass->space, 0);
}

strew_status verdict_allocate(const struct call *call, strew_device *device, struct block *verdict) {
  return block_allocate(call, device, VERDICT_STAGES * sizeof(cl_int), verdict);
}

strew_status verdict_start(struct index_pass *pass, enum verdict initially, bool sampled, struct block *verdict) {
  strew_status status = verdict_allocate(pass->call, pass->device, verdict);
  if (status != STREW_OK) return status;
  struct launch launch;
  pass_launch(&launch, pass, "start", chunks_of(pass, INT64_MAX).lanes);
  launch_flags(&launch, (cl_int)initially, sampled);
  launch_blocks(&launch, verdict);
  status = launch_groups(&launch, 1, GROUP);
  if (status != STREW_OK) block_free(pass->device, verdict);
  return status;
}

static struct chunks check_launch(struct launch *launch, struct index_pass *pass, const char *kernel, int64_t lowest,
                                  int64_t highest) {
  struct chunks chunks = chunks_of(pass, INT64_MAX);
  pass_launch(launch, pass, kernel, chunks.lanes);
  launch_ints(launch, chunks.size, lowest, highest);
  return chunks;
}

strew_status verdict_check(struct index_pass *pass, int64_t lowest, int64_t highest, const struct block *verdict) {
  struct launch launch;
  struct chunks chunks = check_launch(&launch, pass, "check", lowest, highest);
  launch_flags(&launch, false);
  launch_blocks(&launch, verdict);
  return launch_chunks(&launch, &chunks);
}

/* Initialises and checks in one launch if one group can do it, since a second launch would cost more. */
static strew_status start_and_check(struct index_pass *pass, int64_t lowest, int64_t highest, struct block *verdict) {
  struct chunks chunks = chunks_of(pass, INT64_MAX);
  strew_status status = STREW_OK;
  if (chunks.count > 1) {
    status = verdict_start(pass, VERDICT_NONE, false, verdict);
    return TRY(status, verdict_check(pass, lowest, highest, verdict));
  }
  struct launch launch;
  status = verdict_allocate(pass->call, pass->device, verdict);
  if (status != STREW_OK) return status;
  chunks = check_launch(&launch, pass, "check", lowest, highest);
  launch_flags(&launch, true);
  launch_blocks(&launch, verdict);
  return launch_groups(&launch, 1, (size_t)chunks.lanes);
}

strew_status verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest,
                           const struct block *verdict) {
  struct launch launch;
  struct chunks chunks = check_launch(&launch, pass, "check_order", lowest, highest);
  launch_flags(&launch, check);
  launch_blocks(&launch, verdict);
  return launch_chunks(&launch, &chunks);
}

strew_status verdict_read(const struct call *call, strew_device *device, const struct block *verdict, int *out) {
  cl_int words[VERDICT_STAGES] = {0};
  strew_status status = block_read(call, device, verdict, 0, words, sizeof words);
  *out = 0;
  for (int stage = 0; stage < VERDICT_STAGES; stage++) *out |= words[stage];
  return status;
}

/* --------------------------------------------------------------------------------------------------- device entries */

/* Position of the first bad value, called once one is known to exist: each chunk finds its first, the host takes the
   smallest. */
static strew_status find_first(struct index_pass *pass, int64_t lowest, int64_t highest, int64_t *bad) {
  struct chunks chunks = {.lanes = 1, .size = INDEX_FIRST_CHUNK};
  chunks.count = (plan_numel(&pass->values) - 1) / chunks.size + 1;
  size_t bytes = (size_t)chunks.count * sizeof *bad;
  struct block block;
  int64_t *first = memory_allocate(pass->device->context, bytes);
  if (!first) return fail_memory(pass->call, pass->device->context, bytes);
  strew_status status = block_allocate(pass->call, pass->device, bytes, &block);
  if (status != STREW_OK) return memory_free(pass->device->context, first, bytes), status;
  struct launch launch;
  pass_launch(&launch, pass, "first_bad", chunks.lanes);
  launch_ints(&launch, chunks.size, lowest, highest);
  launch_blocks(&launch, &block);
  status = launch_chunks(&launch, &chunks);
  TRY(status, block_read(pass->call, pass->device, &block, 0, first, bytes));
  for (int64_t i = 0; status == STREW_OK && i < chunks.count && *bad < 0; i++) *bad = first[i];
  block_free(pass->device, &block);
  memory_free(pass->device->context, first, bytes);
  return status;
}

strew_status index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest, bool *bad) {
  struct block verdict = {NULL, 0};
  int known = 0;
  strew_status status = start_and_check(pass, lowest, highest, &verdict);
  TRY(status, verdict_read(pass->call, pass->device, &verdict, &known));
  block_free(pass->device, &verdict);
  *bad = known != 0;
  return status;
}

static strew_status check(struct index_pass *pass, int64_t lowest, int64_t highest, int64_t *bad) {
  bool found;
  *bad = -1;
  strew_status status = index_pass_check(pass, lowest, highest, &found);
  return status == STREW_OK && found ? find_first(pass, lowest, highest, bad) : status;
}

strew_status opencl_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                                int64_t highest, int64_t *bad) {
  struct index_pass pass;
  index_pass_start(&pass, call, device, plan);
  return check(&pass, lowest, highest, bad);
}

strew_status opencl_order_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                                int64_t highest, int64_t *bad) {
  struct index_pass pass;
  index_pass_start(&pass, call, device, plan);
  pass.ordered = true;
  return check(&pass, lowest, highest, bad);
}

/* Combines the ranges of chunks first .. first + count - 1. */
static strew_status combine_ranges(struct index_pass *pass, const struct chunks *chunks, int64_t first,
                                   const struct block *block, struct index_range *range) {
  struct index_range ranges[INDEX_MOST_RANGES];
  struct launch launch;
  pass_launch(&launch, pass, "range", chunks->lanes);
  launch_ints(&launch, chunks->size, first);
  launch_blocks(&launch, block);
  strew_status status = launch_chunks(&launch, chunks);
  size_t bytes = (size_t)chunks->count * sizeof *ranges;
  TRY(status, block_read(pass->call, pass->device, block, 0, ranges, bytes));
  for (int64_t i = 0; status == STREW_OK && i < chunks->count; i++) {
    if (ranges[i].lowest < range->lowest) range->lowest = ranges[i].lowest;
    if (ranges[i].highest > range->highest) range->highest = ranges[i].highest;
  }
  return status;
}

/* The host combines the results of a bounded number of groups at a time. */
strew_status opencl_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                                struct index_range *range) {
  struct index_pass pass;
  struct block block;
  index_pass_start(&pass, call, device, plan);
  struct chunks chunks = chunks_of(&pass, INDEX_MOST_RANGES);
  const int64_t count = chunks.count;
  strew_status status = block_allocate(
      call, device, (size_t)(count < INDEX_MOST_RANGES ? count : INDEX_MOST_RANGES) * sizeof *range, &block);
  *range = (struct index_range){INT64_MAX, INT64_MIN};
  for (int64_t first = 0; status == STREW_OK && first < count; first += chunks.count) {
    chunks.count = count - first < INDEX_MOST_RANGES ? count - first : INDEX_MOST_RANGES;
    status = combine_ranges(&pass, &chunks, first, &block, range);
  }
  block_free(device, &block);
  return status;
}

/* One launch for each index. If `bad` is not needed, it is bound anyway. */
static strew_status join_one(const struct call *call, strew_device *device, const struct join_plan *join, int i,
                             const struct block *bad) {
  struct space space = space_of(&join->plan);
  struct launch launch;
  launch_start(&launch, call, device, "join.cl", "join", "I=%s OUTER=%d", index_type(join->plan.operands[i].dtype),
               space.outer);
  launch_plan(&launch, &space, 0, i);
  launch_limits(&launch, join->sizes[i - 1], join->mode);
  launch_flags(&launch, i == 1 && !join->continues, join->mode == STREW_DROP);
  launch_blocks(&launch, bad);
  return launch_rows(&launch, &space);
}

strew_status opencl_index_join(const struct call *call, strew_device *device, const struct join_plan *join, bool *bad) {
  const bool checks = join->mode == STREW_ERROR || join->mode == STREW_WRAP;
  struct block flag = {NULL, 0};
  cl_int found = 0;
  strew_status status = STREW_OK;
  if (checks) status = block_allocate(call, device, sizeof found, &flag);
  if (status == STREW_OK && checks) status = block_write(call, device, &flag, 0, &found, sizeof found);
  for (int i = 1; i < join->plan.count && status == STREW_OK; i++) status = join_one(call, device, join, i, &flag);
  if (status == STREW_OK && checks) status = block_read(call, device, &flag, 0, &found, sizeof found);
  block_free(device, &flag);
  *bad = found != 0;
  return status;
}
