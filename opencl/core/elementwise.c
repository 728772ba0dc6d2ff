/* elementwise.c: programs of elementwise instructions through OpenCL, copies and conversions included. A program gets a
   kernel of its own (instructions.c), and so does a single instruction in a large call whose inputs have one dtype.
   Others use a kernel that chooses dtypes and operation at run time: there are many combinations, and compiling a
   kernel takes a tenth of a second. */
#include "opencl.h"
#include "runtime/core/base/operations.h"

#include <stdio.h>
#include <string.h>

ELEMENTWISE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

/* Number of elements that any kernel computes within the time of a launch. */
enum { SMALL = 1 << 14 };
/* Elements of a GPU's work-item: 8 of float32 from two operands are 64 bytes in flight, and 14 saturate an H200. The
   cost of a program that is unrolled over them. */
enum { GPU_ELEMENTS = 8, SHORT_PROGRAM = 16 };

/* A call before its launch. */
struct elementwise_launch {
  struct launch launch;
  const struct elementwise_plan *plan;
  struct space space;
  bool is_general;   /* dtypes and operation are chosen at run time */
  bool is_dense;     /* all operands are contiguous */
  int strip;         /* columns per work-item if not dense */
  int turns;         /* relative time of an element */
  struct block *bad; /* see taken_start */
};

static bool is_dense(const struct elementwise_plan *program) {
  const struct plan *plan = &program->plan;
  bool dense = plan->rank <= 1;
  for (int i = 0; i < plan->count && plan->rank == 1; i++)
    dense = dense && (plan->operands[i].strides[0] == 1 || program_has_table(program, i));
  return dense;
}

/* True if the instruction's inputs have several dtypes, conditions apart. */
static bool is_mixed(const struct instruction *instruction) {
  const struct instruction_input *found = NULL;
  bool mixed = false;
  for (int i = instruction->kind == ELEMENTWISE_WHERE; i < instruction->inputs; i++) {
    const struct instruction_input *in = &instruction->in[i];
    if (in->from == FROM_NUMBER) continue;
    mixed = mixed || (found && found->dtype != in->dtype);
    found = in;
  }
  return mixed;
}

static bool has_general(enum elementwise_kind kind) {
  return kind != ELEMENTWISE_TAKE && kind != ELEMENTWISE_LIMB && kind != ELEMENTWISE_PRODUCT;
}

static void elementwise_start(struct elementwise_launch *job, const struct call *call, strew_device *device,
                              const struct elementwise_plan *plan) {
  enum { LONGEST_STRIP = 1024 };
  const struct opencl *on = opencl_of(device);
  const bool is_small = plan_numel(&plan->plan) <= SMALL && !opencl_assumed("large");
  const bool is_wide = plan->plan.rank && plan->plan.sizes[plan->plan.rank - 1] >= GPU_ELEMENTS * GROUP;
  *job = (struct elementwise_launch){.launch = {.call = call, .device = device},
                                     .plan = plan,
                                     .space = space_of(&plan->plan),
                                     .is_general = plan->count == 1 && has_general(plan->instructions->kind) &&
                                                   (is_small || is_mixed(plan->instructions)),
                                     .is_dense = is_dense(plan),
                                     .strip = !on->is_gpu            ? LONGEST_STRIP
                                              : is_wide && !is_small ? GPU_ELEMENTS
                                                                     : 1,
                                     .turns = (int)program_cost(plan)};
  while (job->strip > on->longest_loop / LOOPS_PER_TURN / job->turns && job->strip > 1) job->strip /= 2;
}

/* True if a work-item computes a few elements of a dense call, at the group's distance. */
static bool takes_few(const struct elementwise_launch *job) {
  const struct opencl *on = opencl_of(job->launch.device);
  return on->is_gpu && on->longest_loop / LOOPS_PER_TURN / job->turns >= GPU_ELEMENTS;
}

static strew_status launch_dense(struct elementwise_launch *job) {
  const size_t group = opencl_large_group(job->launch.device);
  job->launch.turns = job->turns;
  if (!takes_few(job)) return launch_items(&job->launch, job->space.columns);
  const int64_t block = GPU_ELEMENTS * (int64_t)group;
  job->launch.turns *= block;
  return launch_groups(&job->launch, (job->space.columns - 1) / block + 1, group);
}

static strew_status launch_strips(struct elementwise_launch *job) {
  struct space strips = job->space;
  job->launch.turns = (strips.columns < job->strip ? strips.columns : job->strip) * job->turns;
  strips.columns = (strips.columns - 1) / job->strip + 1;
  return launch_rows(&job->launch, &strips);
}

/* ------------------------------------------------------------------------------------------------ generated kernels */

/* True if a kernel takes the arguments, of which vectors are aligned to their size. */
static bool fits(const struct elementwise_launch *job, const struct described *described) {
  const size_t word = sizeof(int64_t), outer = (size_t)job->space.outer;
  const size_t operand = job->is_dense ? 2 * word : outer == 1 ? 4 * word : 2 * outer * word;
  const size_t operands = (size_t)job->plan->plan.count, space = operand;
  return space + operands * operand + (size_t)described->number_count * word <=
         opencl_of(job->launch.device)->argument_bytes;
}

static void launch_arguments(struct elementwise_launch *job, const struct described *described) {
  launch_numbers(&job->launch, described);
  if (job->bad) launch_blocks(&job->launch, job->bad);
}

static const char *unrolled(const struct elementwise_launch *job) {
  return job->turns <= SHORT_PROGRAM ? " UNROLLED" : "";
}

static strew_status run_dense(struct elementwise_launch *job, const struct described *described) {
  char each[48] = "";
  if (takes_few(job))
    snprintf(each, sizeof each, " EACH=%d GROUP_SIZE=%zu%s", GPU_ELEMENTS, opencl_large_group(job->launch.device),
             unrolled(job));
  launch_start(&job->launch, "elementwise.cl", "dense", "%s DENSE OUTER=1%s", described->settings, each);
  launch_ints(&job->launch, job->space.columns);
  for (int i = 0; i < job->plan->plan.count; i++) launch_memory(&job->launch, &job->plan->plan.operands[i]);
  launch_arguments(job, described);
  return launch_dense(job);
}

static strew_status run_rows(struct elementwise_launch *job, const struct described *described) {
  const bool is_few = job->strip == GPU_ELEMENTS && opencl_of(job->launch.device)->is_gpu;
  launch_start(&job->launch, "elementwise.cl", "rows", "%s ROWS STRIP=%d OUTER=%d%s%s", described->settings, job->strip,
               job->space.outer, space_width(job->launch.device, &job->plan->plan), is_few ? unrolled(job) : "");
  launch_space(&job->launch, &job->space);
  for (int i = 0; i < job->plan->plan.count; i++) launch_operand(&job->launch, &job->space, i);
  launch_arguments(job, described);
  return launch_strips(job);
}

/* Writes offset, step and strides of each operand, then the numbers. Returns the count of words. */
static size_t pack(const struct elementwise_launch *job, const struct described *described, int64_t *words) {
  const struct plan *plan = &job->plan->plan;
  size_t count = 0;
  for (int i = 0; i < plan->count; i++) {
    const struct operand *operand = &plan->operands[i];
    words[count++] = operand->offset;
    words[count++] = plan->rank ? operand->strides[plan->rank - 1] : 0;
    space_vector(&job->space, operand->strides, 0, words + count);
    count += (size_t)job->space.outer;
  }
  for (int i = 0; i < described->number_count; i++) words[count++] = described->numbers[i].i64;
  return count;
}

static strew_status run_packed(struct elementwise_launch *job, const struct described *described) {
  int64_t words[PLAN_OPERANDS * (2 + MAX_RANK) + MOST_NUMBERS];
  const size_t size_bytes = pack(job, described, words) * sizeof *words;
  struct block *packed = launch_scratch(&job->launch, size_bytes);
  launch_write(&job->launch, packed, words, size_bytes);
  launch_start(&job->launch, "elementwise.cl", "rows", "%s PACKED STRIP=%d OUTER=%d", described->settings, job->strip,
               job->space.outer);
  launch_space(&job->launch, &job->space);
  launch_blocks(&job->launch, packed);
  for (int i = 0; i < job->plan->plan.count; i++)
    launch_blocks(&job->launch, job->plan->plan.operands[i].storage->data);
  if (job->bad) launch_blocks(&job->launch, job->bad);
  return launch_strips(job);
}

static strew_status run_generated(struct elementwise_launch *job) {
  struct described described;
  instructions_describe(job->launch.call, job->plan, &described);
  job->bad = taken_start(&job->launch, job->plan);
  job->is_dense = job->is_dense && fits(job, &described);
  (job->is_dense ? run_dense : fits(job, &described) ? run_rows : run_packed)(job, &described);
  taken_end(&job->launch, job->plan, job->bad);
  return launch_end(&job->launch);
}

/* -------------------------------------------------------------------------------------------------- general kernels */

/* True if an input is converted to a 16-bit float, and so may be rounded, before it is computed with. */
static bool narrows(const struct instruction *instruction) {
  bool found = false;
  for (int i = 0; i < instruction->inputs && instruction->common != instruction->compute; i++)
    found = found ||
            (instruction->in[i].from != FROM_NUMBER && dtype_narrows(instruction->in[i].dtype, instruction->common));
  return found;
}

static void start_general(struct elementwise_launch *job, const struct instruction *instruction) {
  const struct operation *operation = operation_of(instruction->kind, instruction->op);
  const strew_dtype compute = instruction->compute;
  const bool via = narrows(instruction), tests = gives_bool(operation), ties = breaks_ties(instruction);
  const char *table = dtype_is_half(compute)                             ? NULL
                      : instruction->kind == ELEMENTWISE_UNARY           ? "STREW_UNARY"
                      : instruction->kind == ELEMENTWISE_BINARY && !ties ? "STREW_BINARY"
                                                                         : NULL;
  const bool mixes = instruction->kind == ELEMENTWISE_MIXED;
  const bool moves = !table && !ties && !mixes && instruction->kind != ELEMENTWISE_CLAMP;
  if (job->space.outer == 1) job->space.outer = 4; /* fewer kernels */
  launch_start(&job->launch, "elementwise.cl", "general",
               "GENERAL S=%s R=%s INPUTS=%d STRIP=%d%s%s%s%s%s%s %s=%s%s%s OUTER=%d%s", dtype_suffix(compute),
               dtype_suffix(tests ? STREW_BOOL : compute), instruction->inputs, job->strip, moves ? " MOVES" : "",
               tests ? " TESTS" : "", ties ? " TIES=" : "", ties ? dtype_suffix(instruction->common) : "",
               via ? " VIA=" : "", via ? dtype_suffix(instruction->common) : "", table ? "TABLE" : "FUNCTION",
               mixes ? "mixed_" : "", table ? table : operation->name, table ? "" : "_", job->space.outer,
               space_width(job->launch.device, &job->plan->plan));
}

static strew_status run_general(struct elementwise_launch *job) {
  const struct instruction *instruction = job->plan->instructions;
  start_general(job, instruction);
  launch_space(&job->launch, &job->space);
  launch_operand(&job->launch, &job->space, 0);
  launch_flags(&job->launch, (cl_int)job->plan->plan.operands[0].dtype, instruction->op);
  for (int i = 0; i < instruction->inputs; i++) {
    const struct instruction_input *in = &instruction->in[i];
    const bool is_number = in->from == FROM_NUMBER;
    union element number = {.i64 = 0};
    if (is_number) number = number_as(job->launch.call, in, instruction->compute);
    launch_operand(&job->launch, &job->space, in->from); /* of a number operand 0, which is not read */
    launch_flags(&job->launch, is_number ? -1 : (cl_int)in->dtype);
    launch_value(&job->launch, number.bytes, dtype_bytes(instruction->compute));
  }
  launch_strips(job);
  return launch_end(&job->launch);
}

strew_status opencl_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan) {
  struct elementwise_launch job;
  elementwise_start(&job, call, device, plan);
  return job.is_general ? run_general(&job) : run_generated(&job);
}

/* ----------------------------------------------------------------------------------------------------------- copy */

/* Intermediate dtype of conversions, which holds all of `dtype`: EXACT_S of scalar.h. */
static strew_dtype exact_of(strew_dtype dtype) { return dtype_is_float(dtype) ? dtype_wide(dtype) : dtype_sums(dtype); }

/* Elements of one dtype are copied as words. */
static void copying(struct elementwise_plan *to, const struct plan *plan) {
  const struct operand *from = &plan->operands[1];
  const bool converts = plan->operands[0].dtype != from->dtype;
  const strew_dtype dtype = converts ? from->dtype : word_of(from->dtype);
  const strew_dtype compute = converts ? exact_of(dtype) : dtype;
  plan_copy(&to->plan, plan);
  to->count = 1;
  to->instructions[0] = (struct instruction){.kind = ELEMENTWISE_CONVERT,
                                             .common = compute,
                                             .compute = compute,
                                             .result = compute,
                                             .inputs = 1,
                                             .in = {{from->storage ? 1 : FROM_NUMBER, dtype, from->number}}};
  if (!from->storage) to->plan.count = 1;
  if (!converts) to->plan.operands[0].dtype = to->plan.operands[1].dtype = dtype;
}

strew_status opencl_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  struct elementwise_plan words;
  struct elementwise_launch job;
  copying(&words, plan);
  elementwise_start(&job, call, device, &words);
  /* a hundred pairs of dtypes: compile few kernels for arbitrary strides */
  if (plan->operands[0].dtype != plan->operands[1].dtype && job.space.outer > 1) job.is_general = true;
  return job.is_general ? run_general(&job) : run_generated(&job);
}
