/* elementwise.c: elementwise operations through OpenCL, copies and conversions included. Large calls whose inputs
   have one dtype get a kernel for that dtype, the result's and the operation. Others use a kernel that chooses these
   at run time: there are many combinations, and compiling a kernel takes a tenth of a second. */
#include "opencl.h"
#include "runtime/base/operations.h"

#include <stdio.h>

/* Number of elements that any kernel computes within the time of a launch. */
enum { SMALL = 1 << 14 };

/* Functions of arithmetic.inc, without their suffixes. */
#define ROW(ENUM, name, function, ...) [STREW_##ENUM] = #function,
static const char *const unary_functions[] = {STREW_UNARY(ROW)}, *const binary_functions[] = {STREW_BINARY(ROW)};
#undef ROW

/* A call before its launch. */
struct elementwise_launch {
  struct launch launch;
  const struct plan *plan;
  strew_dtype common, compute;
  int inputs;
  const char *function, *table; /* table: STREW_UNARY or STREW_BINARY; NULL: the operation has no row */
  int op;                       /* row in the table */
  bool moves, is_test;
  int condition; /* the input that is a condition, or -1 */
  struct space space;
  strew_dtype in; /* the dtype of all inputs, if is_direct */
  bool is_direct; /* inputs have one dtype, and a kernel for it is worthwhile */
  bool is_dense;  /* all operands are contiguous */
  int strip;      /* columns per work-item if not dense */
  int turns;      /* relative time of an element */
};

static void choose_function(struct elementwise_launch *job, const struct elementwise_plan *plan) {
  const struct operation *operation = operation_of(plan->kind, plan->op);
  job->op = plan->op;
  job->turns = operation->cost;
  job->is_test = gives_bool(operation);
  job->function = operation->name;
  switch (plan->kind) {
  case ELEMENTWISE_UNARY:
    job->function = unary_functions[plan->op];
    job->table = "STREW_UNARY";
    break;
  case ELEMENTWISE_BINARY:
    job->function = binary_functions[plan->op];
    job->table = "STREW_BINARY";
    break;
  case ELEMENTWISE_WHERE:
    job->moves = true;
    job->condition = 0;
    break;
  case ELEMENTWISE_CLAMP: break;
  }
}

static bool is_dense(const struct plan *plan, const struct operand *operand) {
  return !operand->storage || plan->rank == 0 || operand->strides[plan->rank - 1] == 1;
}

static void inspect_operands(struct elementwise_launch *job) {
  const struct plan *plan = job->plan;
  bool found = false;
  job->in = job->compute;
  job->is_direct = plan_numel(plan) > SMALL || opencl_assumed("large");
  job->is_dense = plan->rank <= 1 && is_dense(plan, &plan->operands[0]);
  for (int i = 0; i < job->inputs; i++) {
    const struct operand *operand = &plan->operands[1 + i];
    if (!operand->storage) continue;
    job->is_dense = job->is_dense && is_dense(plan, operand);
    if (i == job->condition) continue;
    if (found && operand->dtype != job->in) job->is_direct = false;
    job->in = operand->dtype;
    found = true;
  }
}

/* --------------------------------------------------------------------------------------------------------- kernel */

/* True if an input is converted to a 16-bit float, and so may be rounded, before it is computed with. */
static bool narrows(const struct elementwise_launch *job) {
  bool found = false;
  for (int i = 0; i < job->inputs && job->common != job->compute; i++) {
    const struct operand *operand = &job->plan->operands[1 + i];
    found = found || (operand->storage && dtype_narrows(operand->dtype, job->common));
  }
  return found;
}

/* Writes the settings of all kernels: dtypes of values and results, number of inputs. */
static void describe(const struct elementwise_launch *job, char *text, size_t size) {
  strew_dtype compute = job->compute;
  const char *layout = !job->is_direct ? " GENERAL" : job->is_dense ? " DENSE" : " ROWS";
  bool via = narrows(job);
  snprintf(text, size, "S=%s R=%s FLOATING=%d IS_BOOL=%d INPUTS=%d STRIP=%d%s%s%s%s%s", dtype_suffix(compute),
           dtype_suffix(job->is_test ? STREW_BOOL : compute), dtype_is_float(compute), compute == STREW_BOOL,
           job->inputs, job->strip, job->moves ? " MOVES" : "", job->is_test ? " TESTS" : "", layout,
           via ? " VIA=" : "", via ? dtype_suffix(job->common) : "");
}

static const char *kind_of_input(const struct elementwise_launch *job, int input) {
  if (input >= job->inputs || !job->plan->operands[1 + input].storage) return "number";
  return input == job->condition ? "condition" : "tensor";
}

/* Passes a number as a value of the computed dtype. */
static void launch_number(struct elementwise_launch *job, const struct operand *operand) {
  union element value = {.i64 = 0};
  if (!operand->storage)
    element_from(job->launch.call, "number", strew_scalar_load(operand->dtype, operand->number.bytes), STREW_SATURATE,
                 job->compute, &value);
  launch_value(&job->launch, value.bytes, strew_dtype_size_bytes(job->compute));
}

static strew_status launch_strips(struct elementwise_launch *job) {
  struct space strips = job->space;
  job->launch.turns = (strips.columns < job->strip ? strips.columns : job->strip) * job->turns;
  strips.columns = (strips.columns - 1) / job->strip + 1;
  return launch_rows(&job->launch, &strips);
}

/* Runs a kernel for one dtype of inputs. */
static strew_status run_direct(struct elementwise_launch *job, const char *settings) {
  const struct plan *plan = job->plan;
  launch_start(&job->launch, "elementwise.cl", job->is_dense ? "dense" : "rows",
               "%s IN=%s OUT=%s FUNCTION=%s_ A=%s B=%s C=%s OUTER=%d", settings, dtype_suffix(job->in),
               dtype_suffix(plan->operands[0].dtype), job->function, kind_of_input(job, 0), kind_of_input(job, 1),
               kind_of_input(job, 2), job->space.outer);
  if (job->is_dense)
    launch_ints(&job->launch, job->space.columns);
  else
    launch_space(&job->launch, &job->space);
  for (int i = 0; i < plan->count; i++) {
    if (!plan->operands[i].storage)
      launch_number(job, &plan->operands[i]);
    else if (job->is_dense)
      launch_memory(&job->launch, &plan->operands[i]);
    else
      launch_operand(&job->launch, &job->space, i);
  }
  if (!job->is_dense) return launch_strips(job);
  job->launch.turns = job->turns;
  return launch_items(&job->launch, job->space.columns);
}

static strew_status run_general(struct elementwise_launch *job, const char *settings) {
  const struct plan *plan = job->plan;
  const char *setting = job->table ? "TABLE" : "FUNCTION", *name = job->table ? job->table : job->function;
  if (job->space.outer == 1) job->space.outer = 4; /* fewer kernels */
  launch_start(&job->launch, "elementwise.cl", "general", "%s %s=%s%s OUTER=%d", settings, setting, name,
               job->table ? "" : "_", job->space.outer);
  launch_space(&job->launch, &job->space);
  for (int i = 0; i < plan->count; i++) {
    const struct operand *operand = &plan->operands[i];
    launch_operand(&job->launch, &job->space, i);
    launch_flags(&job->launch, operand->storage ? (cl_int)operand->dtype : -1);
    if (i == 0)
      launch_flags(&job->launch, job->op);
    else
      launch_number(job, operand);
  }
  return launch_strips(job);
}

static strew_status elementwise_run(struct elementwise_launch *job) {
  char settings[160];
  job->strip = opencl_of(job->launch.device)->is_gpu ? 1 : 1024;
  describe(job, settings, sizeof settings);
  return job->is_direct ? run_direct(job, settings) : run_general(job, settings);
}

strew_status opencl_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan) {
  struct elementwise_launch job = {.launch = {.call = call, .device = device},
                                   .plan = &plan->plan,
                                   .common = plan->common,
                                   .compute = plan->compute,
                                   .inputs = plan->plan.count - 1,
                                   .condition = -1,
                                   .space = space_of(&plan->plan)};
  choose_function(&job, plan);
  inspect_operands(&job);
  return elementwise_run(&job);
}

/* ----------------------------------------------------------------------------------------------------------- copy */

/* Intermediate dtype of conversions, which holds all of `dtype`: EXACT_S of scalar.h. */
static strew_dtype exact_of(strew_dtype dtype) { return dtype_is_float(dtype) ? dtype_wide(dtype) : STREW_INT64; }

strew_status opencl_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  struct plan words = *plan;
  struct operand *to = &words.operands[0], *from = &words.operands[1];
  bool converts = to->dtype != from->dtype;
  struct elementwise_launch job = {.launch = {.call = call, .device = device},
                                   .plan = &words,
                                   .compute = converts ? exact_of(from->dtype) : word_of(from->dtype),
                                   .inputs = 1,
                                   .function = "same",
                                   .moves = true,
                                   .condition = -1,
                                   .space = space_of(&words),
                                   .turns = 1};
  job.common = job.compute;
  if (!converts) to->dtype = from->dtype = job.compute;
  inspect_operands(&job);
  if (converts && job.space.outer > 1)
    job.is_direct = false; /* a hundred pairs of dtypes: compile few kernels for arbitrary strides */
  return elementwise_run(&job);
}

/* ------------------------------------------------------------------------------------------------------ find_zero */

/* One round: sets *span to the number of the first span with a zero, or to -1. Spans are 2^shift positions long and
   counted from `begin`. */
static strew_status search(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                           int64_t begin, int64_t end, int shift, int64_t *span) {
  struct space space = space_of(plan);
  struct launch launch = {.call = call, .device = device};
  cl_uint first = UINT32_MAX;
  struct block *word = launch_scratch(&launch, sizeof first);
  launch_write(&launch, word, &first, sizeof first);
  if (space.outer < 4) space.outer = 4; /* fewer kernels */
  launch_start(&launch, "find_zero.cl", "find_zero", "S=%s R=%s OUTER=%d", dtype_suffix(compute), dtype_suffix(compute),
               space.outer);
  launch_plan(&launch, &space, 0);
  launch_flags(&launch, (cl_int)plan->operands[0].dtype);
  launch_ints(&launch, begin, end);
  launch_flags(&launch, shift);
  launch_blocks(&launch, word);
  launch_rows(&launch, &space);
  launch_read(&launch, word, 0, &first, sizeof first);
  *span = first == UINT32_MAX ? -1 : (int64_t)first;
  return launch_end(&launch);
}

/* Few devices have 64-bit atomics, so positions beyond 32 bits are found in two rounds, by spans first. */
strew_status opencl_find_zero(const struct call *call, strew_device *device, const struct plan *plan,
                              strew_dtype compute, int64_t *position) {
  int64_t begin = 0, end = plan_numel(plan), span = -1;
  int shift = 0;
  while (end >> shift >= UINT32_MAX) shift++;
  for (;; shift = 0) {
    strew_status status = search(call, device, plan, compute, begin, end, shift, &span);
    if (status != STREW_OK) return status;
    *position = span < 0 ? -1 : begin + (span << shift);
    if (span < 0 || shift == 0) return STREW_OK;
    begin = *position;
    if (end - begin > (int64_t)1 << shift) end = begin + ((int64_t)1 << shift);
  }
}
