/* index.c: passes over an index: range check, test for order, range of values. */
#include "opencl.h"
#include "tuning.h"

/* How an index is divided among work-groups. On a CPU a group is one work-item with a contiguous chunk, long enough to
   hide its start. On a GPU it is GROUP work-items with 32 values each. */
struct chunks {
  int lanes;
  int64_t size, count;
};

static struct chunks chunks_of(const struct index_pass *pass, int64_t most) {
  strew_device *device = pass->launch->device;
  const struct opencl *on = opencl_of(device);
  int64_t numel = plan_numel(&pass->values);
  struct chunks chunks = {.lanes = on->is_gpu ? GROUP : 1,
                          .size = on->is_gpu ? GROUP * INDEX_GPU_VALUES : INDEX_CPU_CHUNK};
  if (numel / chunks.size >= most) chunks.size = ((numel - 1) / most / chunks.lanes + 1) * chunks.lanes;
  int64_t run = launch_iterations(device, 1), longest = on->longest_loop / 2 < run ? on->longest_loop / 2 : run;
  if (chunks.size / chunks.lanes > longest) chunks.size = longest * chunks.lanes;
  chunks.count = (numel - 1) / chunks.size + 1;
  return chunks;
}

void index_pass_start(struct index_pass *pass, struct launch *launch, const struct plan *values) {
  *pass = (struct index_pass){.launch = launch, .values = *values};
  pass->space = space_of(&pass->values);
  pass->dense = values->rank == 0 || (values->rank == 1 && values->operands[0].strides[0] == 1);
}

static void launch_chunks(struct launch *launch, const struct chunks *chunks) {
  launch->turns = chunks->size;
  launch_groups(launch, chunks->count, (size_t)chunks->lanes);
}

static struct launch *pass_launch(const struct index_pass *pass, const char *kernel, int lanes) {
  launch_start(pass->launch, "index.cl", kernel, "I=%s OUTER=%d LANES=%d%s%s",
               index_type(pass->values.operands[0].dtype), pass->space.outer, lanes, pass->dense ? " DENSE" : "",
               pass->ordered ? " ORDERED" : "");
  launch_plan(pass->launch, &pass->space, 0);
  return pass->launch;
}

struct block *verdict_allocate(struct launch *launch) {
  return launch_scratch(launch, VERDICT_WORDS * sizeof(cl_int));
}

struct block *verdict_clear(struct launch *launch) {
  const cl_int words[VERDICT_WORDS] = {0};
  struct block *verdict = verdict_allocate(launch);
  if (verdict) launch_write(launch, verdict, words, sizeof words);
  return verdict;
}

struct block *verdict_sample(struct index_pass *pass) {
  struct block *verdict = verdict_allocate(pass->launch);
  struct launch *launch = pass_launch(pass, "sample", chunks_of(pass, INT64_MAX).lanes);
  launch_blocks(launch, verdict);
  launch_groups(launch, 1, GROUP);
  return verdict;
}

static struct launch *check_start(struct index_pass *pass, const char *kernel, const struct chunks *chunks,
                                  int64_t lowest, int64_t highest) {
  struct launch *launch = pass_launch(pass, kernel, chunks->lanes);
  launch_ints(launch, chunks->size, lowest, highest);
  return launch;
}

void verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest, int long_run,
                   const struct block *verdict) {
  struct chunks chunks = chunks_of(pass, INT64_MAX);
  struct launch *launch = check_start(pass, "check_order", &chunks, lowest, highest);
  launch_flags(launch, check, long_run);
  launch_blocks(launch, verdict);
  launch_chunks(launch, &chunks);
}

int verdict_read_counts(struct launch *launch, const struct block *verdict, uint32_t counts[VERDICT_COUNTS]) {
  cl_int words[VERDICT_WORDS] = {0};
  int known = 0;
  launch_read(launch, verdict, 0, words, sizeof words);
  for (int stage = 0; stage < VERDICT_STAGES; stage++) known |= words[stage];
  const bool is_read = launch->status == STREW_OK;
  for (int k = 0; k < VERDICT_COUNTS; k++) counts[k] = is_read ? (uint32_t)words[VERDICT_STAGES + k] : 0;
  return is_read ? known : 0;
}

int verdict_read(struct launch *launch, const struct block *verdict) {
  uint32_t counts[VERDICT_COUNTS];
  return verdict_read_counts(launch, verdict, counts);
}

bool index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest) {
  struct block *verdict = verdict_clear(pass->launch);
  struct chunks chunks = chunks_of(pass, INT64_MAX);
  struct launch *launch = check_start(pass, "check", &chunks, lowest, highest);
  launch_blocks(launch, verdict);
  launch_chunks(launch, &chunks);
  int known = verdict_read(pass->launch, verdict);
  launch_free(pass->launch, verdict);
  return known != 0;
}

/* --------------------------------------------------------------------------------------------------- device entries */

/* Position of the first bad value, called once one is known to exist: each chunk finds its first, the host takes the
   smallest. */
static void find_first(struct index_pass *pass, int64_t lowest, int64_t highest, int64_t *bad) {
  struct chunks chunks = {.lanes = 1, .size = INDEX_FIRST_CHUNK};
  chunks.count = (plan_numel(&pass->values) - 1) / chunks.size + 1;
  size_t bytes = (size_t)chunks.count * sizeof *bad;
  struct launch *launch = pass->launch;
  strew_context *context = launch->device->context;
  int64_t *first = memory_allocate(context, bytes);
  if (!first) launch->status = fail_memory(launch->call, context, bytes);
  struct block *block = launch_scratch(launch, bytes);
  pass_launch(pass, "first_bad", chunks.lanes);
  launch_ints(launch, chunks.size, lowest, highest);
  launch_blocks(launch, block);
  launch_chunks(launch, &chunks);
  launch_read(launch, block, 0, first, bytes);
  for (int64_t i = 0; launch->status == STREW_OK && i < chunks.count && *bad < 0; i++) *bad = first[i];
  memory_free(context, first, bytes);
}

/* `ordered`: see struct index_pass. */
static strew_status check(const struct call *call, strew_device *device, const struct plan *plan, bool ordered,
                          int64_t lowest, int64_t highest, int64_t *bad) {
  struct launch launch = {.call = call, .device = device};
  struct index_pass pass;
  index_pass_start(&pass, &launch, plan);
  pass.ordered = ordered;
  *bad = -1;
  if (index_pass_check(&pass, lowest, highest)) find_first(&pass, lowest, highest, bad);
  return launch_end(&launch);
}

strew_status opencl_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                                int64_t highest, int64_t *bad) {
  return check(call, device, plan, false, lowest, highest, bad);
}

strew_status opencl_order_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                                int64_t highest, int64_t *bad) {
  return check(call, device, plan, true, lowest, highest, bad);
}

/* Combines the ranges of chunks first .. first + count - 1. */
static void combine_ranges(struct index_pass *pass, const struct chunks *chunks, int64_t first,
                           const struct block *block, struct index_range *range) {
  struct index_range ranges[INDEX_MOST_RANGES];
  struct launch *launch = pass_launch(pass, "range", chunks->lanes);
  launch_ints(launch, chunks->size, first);
  launch_blocks(launch, block);
  launch_chunks(launch, chunks);
  launch_read(launch, block, 0, ranges, (size_t)chunks->count * sizeof *ranges);
  for (int64_t i = 0; launch->status == STREW_OK && i < chunks->count; i++) {
    if (ranges[i].lowest < range->lowest) range->lowest = ranges[i].lowest;
    if (ranges[i].highest > range->highest) range->highest = ranges[i].highest;
  }
}

/* The host combines the results of a bounded number of groups at a time. */
strew_status opencl_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                                struct index_range *range) {
  struct launch launch = {.call = call, .device = device};
  struct index_pass pass;
  index_pass_start(&pass, &launch, plan);
  struct chunks chunks = chunks_of(&pass, INDEX_MOST_RANGES);
  const int64_t count = chunks.count, most = count < INDEX_MOST_RANGES ? count : INDEX_MOST_RANGES;
  struct block *block = launch_scratch(&launch, (uint64_t)most * sizeof *range);
  *range = (struct index_range){INT64_MAX, INT64_MIN};
  for (int64_t first = 0; launch.status == STREW_OK && first < count; first += chunks.count) {
    chunks.count = count - first < most ? count - first : most;
    combine_ranges(&pass, &chunks, first, block, range);
  }
  return launch_end(&launch);
}
