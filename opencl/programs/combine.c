/* combine.c: reductions of one's own through OpenCL: a kernel for the programs of each. */
#include "opencl/core/opencl.h"
#include "runtime/programs/combine_ops.h"

COMBINE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(combine_ops, COMBINE_ENTRIES)

/* True if a program has float64 elements or numbers. */
static bool has_float64(const struct elementwise_plan *plan) {
  bool found = false;
  for (int k = 0; k < plan->count; k++) {
    const struct instruction *instruction = &plan->instructions[k];
    found = found || instruction->compute == STREW_FLOAT64 || instruction->result == STREW_FLOAT64;
    for (int i = 0; i < instruction->inputs; i++)
      found = found || (instruction->in[i].from != FROM_NUMBER && instruction->in[i].dtype == STREW_FLOAT64);
  }
  return found;
}

struct combine_launch {
  struct launch launch;
  const struct combine_plan *plan;
  struct described described;
  int64_t items;
  int turns; /* relative time of an element */
};

/* True if the kernel has few arguments enough, and the device all dtypes and enough work-items: one that is slow by
   itself, as those of GPUs, does not walk over a whole tensor. */
static bool fits(const struct combine_launch *job) {
  enum { FEW_ITEMS = 64, WORDS = 12, WORDS_OF_SLOT = 4 };
  const struct combine_plan *plan = job->plan;
  const struct opencl *on = opencl_of(job->launch.device);
  bool has_dtypes = true;
  for (int p = 0; p < plan->program_count && job->launch.device->lacks_float64; p++)
    has_dtypes = has_dtypes && !has_float64(&plan->programs[p].plan);
  const size_t words = WORDS + WORDS_OF_SLOT * (size_t)plan->slot_count + (size_t)job->described.number_count;
  return has_dtypes && words * sizeof(int64_t) <= on->argument_bytes && (!on->is_gpu || job->items >= FEW_ITEMS);
}

static void launch_tensor(struct launch *launch, const strew_tensor *tensor) {
  launch_blocks(launch, tensor ? tensor->storage->data : NULL);
  launch_ints(launch, tensor ? tensor->offset : 0);
}

static void combine_part(struct combine_launch *job, int64_t from, int64_t to, const struct block *bad) {
  const struct combine_plan *plan = job->plan;
  struct launch *launch = &job->launch;
  launch_start(launch, "combine.cl", "combine", "%s", job->described.settings);
  launch_ints(launch, plan->count, plan->columns, from, to);
  launch_tensor(launch, plan->starts);
  launch_tensor(launch, plan->order);
  launch_blocks(launch, bad);
  for (int s = 0; s < plan->slot_count; s++) {
    if (!plan->slots[s]) continue;
    launch_tensor(launch, plan->slots[s]);
    if (s >= plan->accumulator_count)
      launch_ints(launch, plan->slots[s]->strides[0], plan->slots[s]->strides[1]);
    else if (plan->partial[s])
      launch_tensor(launch, plan->partial[s]);
  }
  launch_numbers(launch, &job->described);
  launch->turns = 1 + (to - from) * plan->columns / job->items * job->turns; /* of an average work-item */
  launch_items(launch, job->items);
}

/* Each launch takes the same part of the elements: its size is limited, and one sequence may have all of them. */
static strew_status combine_parts(struct combine_launch *job, bool *holds) {
  struct launch *launch = &job->launch;
  const int64_t longest = opencl_of(launch->device)->longest_loop / LOOPS_PER_TURN / job->turns;
  int64_t most = launch_iterations(launch->device, job->plan->columns * job->turns);
  if (most > longest) most = longest > 1 ? longest : 1;
  cl_int found = 0;
  struct block *bad = launch_scratch(launch, sizeof found);
  launch_write(launch, bad, &found, sizeof found);
  for (int64_t from = 0, to; from < job->plan->length && launch->status == STREW_OK; from = to) {
    to = job->plan->length - from < most ? job->plan->length : from + most;
    combine_part(job, from, to, bad);
  }
  launch_read(launch, bad, 0, &found, sizeof found);
  *holds = !found;
  return launch_end(launch);
}

/* Declines where a test fails, too: the CPU finds the element. */
strew_status opencl_combine(const struct call *call, strew_device *device, const struct combine_plan *plan,
                            int64_t *bad, int *program) {
  struct combine_launch job = {
      .launch = {.call = call, .device = device}, .plan = plan, .items = plan->count * plan->columns};
  bool holds;
  *bad = -1, *program = 0;
  if (!combination_describe(call, plan, &job.described) || !fits(&job)) return STREW_DECLINED;
  for (int p = 0; p < plan->program_count; p++) job.turns += (int)program_cost(&plan->programs[p].plan);
  RETURN_IF_FAILED(combine_parts(&job, &holds));
  return holds ? STREW_OK : STREW_DECLINED;
}
