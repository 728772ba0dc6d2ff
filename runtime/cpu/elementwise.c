/* elementwise.c: elementwise operations on the CPU. Each operation and dtype has a kernel, one loop over contiguous
   rows that the compiler vectorises. Operands that are not contiguous, or of another dtype, are converted through
   blocks that stay in L1. */
#include "runtime/cpu/loops/elementwise_loops.h"

#include "cpu.h"
#include "runtime/base/operations.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

CHOOSE_LOOPS(elementwise)

static const struct kernels *kernels_of(strew_dtype dtype) { return elementwise_loops()->kernels[dtype]; }

/* ---------------------------------------------------------------------------------------------------- the blocks */

enum { BLOCK = 1024, MAX_INPUTS = MAX_OPERANDS - 1 };
typedef char block[BLOCK * sizeof(double)] __attribute__((aligned(64)));

/* How one operand is passed to the kernel. */
struct lane {
  convert_row *convert;           /* NULL: the kernel reads or writes memory directly */
  convert_row *narrow;            /* NULL, or the conversion to a 16-bit float, which `convert` then continues */
  int64_t size;                   /* of one element in the kernel */
  const char *number;             /* a block filled with the operand, if it is a number */
  int64_t row;                    /* length of short rows that were joined but are not adjacent; 0: none */
  int64_t row_step, element_step; /* in bytes */
  int64_t joined;                 /* all elements of the joined rows */
};

struct elementwise_job {
  kernel *run;
  int inputs;
  struct lane out, in[MAX_INPUTS];
};

/* Converts elements into or out of a block. */
static void convert(const struct lane *lane, int64_t count, char *to, const char *from, int64_t step) {
  uint16_t halves[BLOCK];
  if (lane->narrow) {
    lane->narrow(count, (char *)halves, sizeof *halves, from, step);
    from = (const char *)halves;
    step = sizeof *halves;
  }
  /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): callers that join rows set it */
  lane->convert(count, to, lane->size, from, step);
}

/* Gathers `count` elements of joined rows, from element `first` on. If all rows are the same, the first is doubled
   until they fill the block. */
static void gather_rows(const struct lane *lane, char *to, const char *from, int64_t first, int64_t count) {
  int64_t r = first / lane->row, c = first % lane->row, period = lane->row_step ? count : least(count, lane->row);
  for (int64_t done = 0, run; done < period; done += run, r++, c = 0) {
    run = least(lane->row - c, period - done);
    convert(lane, run, to + done * lane->size, from + r * lane->row_step + c * lane->element_step, lane->element_step);
  }
  for (int64_t done = period, more; done < count; done += more) {
    more = least(done, count - done);
    memcpy(to + done * lane->size, to, (size_t)(more * lane->size));
  }
}

static void elementwise_visit(void *job_, const struct row *row) {
  const struct elementwise_job *job = job_;
  block blocks[MAX_OPERANDS];
  const void *in[MAX_INPUTS];
  for (int i = 0; i < job->inputs; i++) {
    const struct lane *lane = &job->in[i];
    in[i] = lane->number ? lane->number : lane->convert ? blocks[i] : row->address[1 + i];
    if (lane->row)
      gather_rows(lane, blocks[i], row->address[1 + i], row->place % lane->joined, row->count);
    else if (!lane->number && lane->convert)
      convert(lane, row->count, blocks[i], row->address[1 + i], row->step_bytes[1 + i]);
  }
  void *out = job->out.convert ? blocks[MAX_INPUTS] : row->address[0];
  job->run(row->count, out, in);
  if (job->out.convert) job->out.convert(row->count, row->address[0], row->step_bytes[0], out, job->out.size);
}

/* True if the operand has unit stride along rows. */
static bool is_dense(const struct plan *plan, const struct operand *operand) {
  return plan->rank == 0 || operand->strides[plan->rank - 1] == 1;
}

static struct lane lane_in(const struct plan *plan, int i, strew_dtype common, strew_dtype computed, struct lane rows,
                           char *number) {
  const struct operand *operand = &plan->operands[i];
  struct lane lane = rows;
  lane.size = (int64_t)dtype_bytes(computed);
  if (operand->dtype != computed || !is_dense(plan, operand)) lane.convert = converter(computed, operand->dtype);
  if (operand->storage && common != computed && dtype_narrows(operand->dtype, common)) {
    lane.narrow = converter(common, operand->dtype);
    lane.convert = converter(computed, common);
  }
  if (operand->storage) return lane;
  int64_t longest = plan->rank ? plan->sizes[plan->rank - 1] : 1;
  lane.number = number;
  lane.convert = converter(computed, operand->dtype);
  lane.convert(longest < BLOCK ? longest : BLOCK, number, lane.size, operand_address(operand), 0);
  return lane;
}

static struct lane lane_out(const struct plan *plan, strew_dtype gives) {
  const struct operand *out = &plan->operands[0];
  struct lane lane = {.size = (int64_t)dtype_bytes(gives)};
  if (out->dtype != gives || !is_dense(plan, out)) lane.convert = converter(out->dtype, gives);
  return lane;
}

/* Joins the last two dimensions if rows are short and those of the result are adjacent. Inputs whose rows are not
   adjacent get stride 0 and a lane that gathers them. */
static bool join_short_rows(struct plan *joined, struct lane *lanes, const struct plan *space) {
  enum { SHORT = 128 };
  int last = space->rank - 1;
  if (last < 1 || space->sizes[last] >= SHORT) return false;
  int64_t row = space->sizes[last];
  const int64_t *out = space->operands[0].strides;
  if (out[last] != 1 || out[last - 1] != row) return false;
  plan_copy(joined, space);
  joined->rank = last;
  joined->sizes[last - 1] *= row;
  for (int i = 0; i < space->count; i++) {
    const struct operand *operand = &space->operands[i];
    int64_t *stride = &joined->operands[i].strides[last - 1];
    bool even = operand->strides[last - 1] == row * operand->strides[last];
    *stride = even ? operand->strides[last] : 0;
    if (!even)
      lanes[i] = (struct lane){.row = row,
                               .row_step = operand_step(operand, last - 1),
                               .element_step = operand_step(operand, last),
                               .joined = joined->sizes[last - 1]};
  }
  return true;
}

static kernel *kernel_of(const struct elementwise_plan *plan) {
  strew_dtype compute = plan->compute;
  /* where only moves elements, 16-bit floats as integers */
  if (plan->kind == ELEMENTWISE_WHERE) return kernels_of(dtype_is_half(compute) ? STREW_INT16 : compute)->where;
  const struct kernels *kernels = kernels_of(compute);
  if (plan->kind == ELEMENTWISE_UNARY) return kernels->unary[plan->op];
  return plan->kind == ELEMENTWISE_BINARY ? kernels->binary[plan->op] : kernels->clamp;
}

strew_status cpu_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan) {
  const struct plan *space = &plan->plan;
  struct plan joined;
  struct lane rows[MAX_OPERANDS] = {{0}};
  struct elementwise_job job = {.run = kernel_of(plan), .inputs = space->count - 1};
  const struct operation *operation = operation_of(plan->kind, plan->op);
  block numbers[MAX_INPUTS];
  if (!job.run)
    return fail(call, (struct fault){.code = STREW_EDTYPE}, "is not made for %s", strew_dtype_name(plan->compute));
  if (join_short_rows(&joined, rows, space)) space = &joined;
  job.out = lane_out(space, gives_bool(operation) ? STREW_BOOL : plan->compute);
  bool direct = !job.out.convert;
  for (int i = 0; i < job.inputs; i++) {
    bool condition = plan->kind == ELEMENTWISE_WHERE && i == 0;
    strew_dtype computed = condition ? STREW_BOOL : plan->compute, common = condition ? STREW_BOOL : plan->common;
    job.in[i] = lane_in(space, 1 + i, common, computed, rows[1 + i], numbers[i]);
    direct = direct && !job.in[i].convert;
  }
  int64_t longest = direct ? INT64_MAX : BLOCK;
  if (operation->cost > 1) /* computing an element takes longer than loading it */
    walk_rows_sized(device->context, space, walk_bytes(space), longest, elementwise_visit, &job);
  else
    walk_rows_parallel(device->context, space, longest, elementwise_visit, &job);
  return context_end(call, device->context, space->operands[0].storage);
}

/* -------------------------------------------------------------------------------------------------------- find_zero */

struct zero_search {
  int64_t (*find_zero)(int64_t count, const void *row);
  struct lane lane;
  _Atomic int64_t first; /* index of the first zero so far */
};

static void search_visit(void *search_, const struct row *row) {
  struct zero_search *search = search_;
  if (row->place >= atomic_load(&search->first)) return;
  block converted;
  const void *elements = row->address[0];
  if (search->lane.convert) {
    search->lane.convert(row->count, converted, search->lane.size, row->address[0], row->step_bytes[0]);
    elements = converted;
  }
  int64_t at = search->find_zero(row->count, elements), first = atomic_load(&search->first);
  if (at < 0) return;
  while (row->place + at < first && !atomic_compare_exchange_weak(&search->first, &first, row->place + at)) continue;
}

strew_status cpu_find_zero(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                           int64_t *place) {
  struct zero_search search = {.find_zero = kernels_of(compute)->find_zero,
                               .lane = lane_in(plan, 0, compute, compute, (struct lane){0}, NULL)};
  atomic_init(&search.first, INT64_MAX);
  walk_rows_parallel(device->context, plan, BLOCK, search_visit, &search);
  int64_t first = atomic_load(&search.first);
  *place = first == INT64_MAX ? -1 : first;
  return context_end(call, device->context, NULL);
}
