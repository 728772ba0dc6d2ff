/* elementwise.c: elementwise programs on the CPU. Each operation and dtype has a kernel, one loop over contiguous rows
   that the compiler vectorises. Operands that are not contiguous, or of another dtype, are converted through blocks that
   stay in L1, and so do the values that pass from one instruction to the next. */
#include "runtime/core/cpu/program.h"
#include "runtime/core/cpu/tuning.h"

#include "runtime/core/base/operations.h"
#include "runtime/elementwise/shared/halves.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

ELEMENTWISE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(elementwise_ops, ELEMENTWISE_ENTRIES)

CHOOSE_LOOPS(elementwise)

static const struct kernels *kernels_of(strew_dtype dtype) { return elementwise_loops()->kernels[dtype]; }

/* ------------------------------------------------------------------------------------------------------- operands */

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

/* gather_rows of rows of one element each: it is repeated in PIECE bytes, which end in the gap or in the next row. */
static void spread_rows(const struct lane *lane, char *to, const char *from, int64_t first, int64_t count) {
  enum { PIECE = 16 };
  const int64_t size = lane->size, r = first / lane->row, rows = (first + count - 1) / lane->row - r + 1;
  const uint64_t mask = UINT64_MAX >> (64 - 8 * size), times = UINT64_MAX / mask;
  char values[(BLOCK + 1) * sizeof(double)];
  int64_t left = ((r + 1) * lane->row - first) * size; /* bytes of this row */
  convert(lane, rows, values, from + r * lane->row_step, lane->row_step);
  for (char *end = to + count * size, *value = values; to < end; to += left, value += size, left = lane->row * size) {
    uint64_t word;
    memcpy(&word, value, sizeof word);
    word = (IS_LITTLE_ENDIAN ? word & mask : word >> (64 - 8 * size)) * times;
    const uint64_t piece[PIECE / sizeof word] = {word, word};
    left = least(left, end - to);
    for (int64_t at = 0; at < left; at += PIECE) memcpy(to + at, piece, PIECE);
  }
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

static APART const void *convert_lane(const struct lane *lane, const struct row *row, char *block) {
  const char *from = row->address[lane->operand];
  if (lane->row)
    (lane->element_step || !lane->row_step ? gather_rows : spread_rows)(lane, block, from, row->place % lane->joined,
                                                                        row->count);
  else
    convert(lane, row->count, block, from, row->step_bytes[lane->operand]);
  return block;
}

/* Returns the lane's elements in a row: in place, or in `block`. */
static inline const void *lane_elements(const struct lane *lane, const struct row *row, char *block) {
  return lane->convert ? convert_lane(lane, row, block) : row->address[lane->operand];
}

/* True if elements of one dtype are those of the other, bit by bit. */
static inline bool are_same_bits(strew_dtype a, strew_dtype b) { return dtype_signed(a) == dtype_signed(b); }

/* True if the operand has unit stride along rows. */
static bool is_dense(const struct plan *plan, const struct operand *operand) {
  return plan->rank == 0 || operand->strides[plan->rank - 1] == 1;
}

/* Describes how an input is computed with as `computed`; its rows are not joined. Returns true if loops read memory
   directly; false: a conversion is to follow. */
static inline bool lane_in(struct lane *lane, const struct plan *plan, int i, strew_dtype common,
                           strew_dtype computed) {
  const struct operand *operand = &plan->operands[i];
  lane->operand = i;
  lane->common = common;
  lane->computed = computed;
  lane->size = (int64_t)dtype_bytes(computed);
  lane->narrow = lane->convert = NULL;
  lane->row = lane->place = 0;
  return are_same_bits(operand->dtype, computed) && is_dense(plan, operand);
}

static void add_conversion(struct lane *lane, strew_dtype dtype) {
  const strew_dtype common = lane->common, computed = lane->computed;
  lane->convert = converter(computed, dtype);
  if (common == computed || !dtype_narrows(dtype, common)) return;
  lane->narrow = converter(common, dtype);
  lane->convert = converter(computed, common);
}

/* True if the operand's short rows are adjacent. */
static bool rows_are_even(const struct plan *space, const struct operand *operand) {
  const int last = space->rank - 1;
  return operand->strides[last - 1] == space->sizes[last] * operand->strides[last];
}

/* Joins the last two dimensions if rows are short and those of the result are adjacent. Inputs whose rows are not
   adjacent get stride 0, and lanes that gather them. */
static bool join_short_rows(struct plan *joined, const struct plan *space) {
  int last = space->rank - 1;
  if (last < 1 || space->sizes[last] >= JOINED_ROW) return false;
  const struct operand *out = &space->operands[0];
  if (out->strides[last] != 1 || !rows_are_even(space, out)) return false;
  plan_copy(joined, space);
  joined->rank = last;
  joined->sizes[last - 1] *= space->sizes[last];
  for (int i = 0; i < space->count; i++) {
    const struct operand *operand = &space->operands[i];
    joined->operands[i].strides[last - 1] = rows_are_even(space, operand) ? operand->strides[last] : 0;
  }
  return true;
}

/* Makes a lane gather the short rows of a space that was joined. */
static void gather_lane(struct lane *lane, const struct plan *space) {
  const int last = space->rank - 1;
  const struct operand *operand = &space->operands[lane->operand];
  if (rows_are_even(space, operand)) return;
  lane->row = space->sizes[last];
  lane->row_step = operand_step(operand, last - 1);
  lane->element_step = operand_step(operand, last);
  lane->joined = space->sizes[last - 1] * space->sizes[last];
}

/* ----------------------------------------------------------------------------------------------------- instructions */

static APART int value_converted_in(struct program *program, int number) {
  struct lane *lane = &program->lanes[number];
  add_conversion(lane, program->space->operands[lane->operand].dtype);
  lane->place = program->registers++;
  if (program->space == &program->joined) gather_lane(lane, program->whole);
  return FIRST_LANE + number;
}

/* The value of an input or number: the same one for each instruction that reads it in the same dtypes. */
static int value_of_operand(struct program *program, int operand, strew_dtype common, strew_dtype computed) {
  for (int i = 0; i < program->lane_count; i++) {
    const struct lane *lane = &program->lanes[i];
    if (lane->operand == operand && lane->common == common && lane->computed == computed) return FIRST_LANE + i;
  }
  const int number = program->lane_count++;
  const bool is_direct = lane_in(&program->lanes[number], program->space, operand, common, computed);
  return is_direct ? FIRST_LANE + number : value_converted_in(program, number);
}

static APART int value_of_number(struct program *program, const struct instruction_input *source,
                                 strew_dtype computed) {
  union element element = {.i64 = 0};
  converter(computed, source->dtype)(1, (char *)element.bytes, 0, (const char *)source->number.bytes, 0);
  for (int i = 0; i < program->number_count; i++)
    if (program->numbers[i].dtype == computed && program->numbers[i].element.i64 == element.i64)
      return FIRST_NUMBER + i;
  program->numbers[program->number_count] = (struct number){NULL, computed, element};
  return FIRST_NUMBER + program->number_count++;
}

static struct action *add_action(struct program *program, int inputs, strew_dtype gives) {
  struct action *action = &program->actions[program->action_count++];
  action->run = NULL;
  action->ties = NULL;
  action->rule = NULL;
  action->op = -1;
  action->inputs = inputs;
  action->size = (int)dtype_bytes(gives);
  return action;
}

/* The value of the last action. */
static int last_value(const struct program *program) { return FIRST_ACTION + program->action_count - 1; }

static int value_converted(struct program *program, int value, strew_dtype from, strew_dtype to) {
  if (are_same_bits(from, to)) return value;
  struct action *action = add_action(program, 1, to);
  action->convert = converter(to, from);
  action->from_size = (int)dtype_bytes(from);
  action->in[0] = value;
  return last_value(program);
}

static APART int value_of_result(struct program *program, const struct instruction_input *source, strew_dtype common,
                                 strew_dtype computed) {
  const int value = program->results[-1 - source->from];
  if (common == computed || !dtype_narrows(source->dtype, common))
    return value_converted(program, value, source->dtype, computed);
  return value_converted(program, value_converted(program, value, source->dtype, common), common, computed);
}

static inline int value_of_source(struct program *program, const struct instruction *instruction, int i) {
  const struct instruction_input *source = &instruction->in[i];
  const strew_dtype computed = computed_dtype(instruction, i);
  const strew_dtype common = computed == instruction->compute ? instruction->common : computed;
  if (source->from == FROM_NUMBER) return value_of_number(program, source, computed);
  if (source->from > 0) return value_of_operand(program, source->from, common, computed);
  return value_of_result(program, source, common, computed);
}

static kernel *kernel_in(const struct kernels *kernels, const struct instruction *instruction) {
  if (instruction->kind == ELEMENTWISE_WHERE) return kernels->where;
  if (instruction->kind == ELEMENTWISE_CLAMP) return kernels->clamp;
  if (instruction->kind == ELEMENTWISE_LIMB) return kernels->limb;
  if (instruction->kind == ELEMENTWISE_PRODUCT) return kernels->product;
  if (instruction->kind == ELEMENTWISE_PART) return kernels->part;
  if (instruction->kind == ELEMENTWISE_MIXED) return kernels->mixed[instruction->op - MIXED_FIRST];
  return instruction->kind == ELEMENTWISE_UNARY ? kernels->unary[instruction->op] : kernels->binary[instruction->op];
}

/* Where the sign does not matter, unsigned integers have the kernels of signed ones; long functions have scalar ones where
   vector loops are missing. */
static kernel *kernel_of(const struct instruction *instruction) {
  const strew_dtype compute = instruction->compute;
  const bool is_moved = instruction->kind == ELEMENTWISE_WHERE && dtype_is_half(compute); /* as integers */
  if (dtype_is_half(compute) && !is_moved) return nextafter_halves[compute == STREW_BFLOAT16];
  const bool is_signless = loop_dtype(instruction->kind, instruction->op, compute) == dtype_signed(compute);
  kernel *found = kernel_in(kernels_of(is_moved      ? STREW_INT16
                                       : is_signless ? dtype_signed(compute)
                                                     : compute),
                            instruction);
  if (found || is_moved) return found;
  const struct long_functions *scalar = compute == STREW_FLOAT32 ? &long_functions_f32 : &long_functions_f64;
  return instruction->kind == ELEMENTWISE_UNARY ? scalar->unary[instruction->op] : scalar->binary[instruction->op];
}

static int add_take(struct program *program, const struct instruction *instruction) {
  const struct operand *table = &program->space->operands[instruction->in[1].from];
  const int64_t bytes = (int64_t)dtype_bytes(table->dtype);
  const int index = value_of_source(program, instruction, 0);
  struct action *action = add_action(program, 1, table->dtype);
  action->convert = NULL;
  action->in[0] = index;
  action->table = (struct lookup){operand_address(table), instruction->size, instruction->step * bytes, (size_t)bytes,
                                  instruction->bad};
  program->cost += COST_OF_TAKE;
  return last_value(program);
}

/* Makes the last action and an instruction with the inputs `in` a pair, if there is such a kernel and nothing else reads
   that action's value. */
static bool join_pair(struct program *program, const struct elementwise_plan *plan, const struct instruction *next,
                      const int *in) {
  if (next->kind != ELEMENTWISE_BINARY || next->op >= PAIR_FIRSTS || !program->action_count) return false;
  struct action *last = &program->actions[program->action_count - 1];
  const int side = in[1] == last_value(program), from = -1 - next->in[side].from;
  if (last->op < 0 || in[side] != last_value(program)) return false;
  if (plan->instructions[from].kind == ELEMENTWISE_CONVERT || program->reads[from] > 1) return false;
  kernel *pair = kernels_of(next->compute)->pairs[last->op][side && next->op == STREW_SUB ? PAIR_SUB_FROM : next->op];
  if (!pair) return false;
  last->run = pair;
  last->op = -1;
  last->in[last->inputs++] = in[!side];
  return true;
}

static const tie_row ties_of[STREW_UNARY_COUNT] = {
#define ROW(ENUM, name, ...) [STREW_##ENUM] = {__VA_ARGS__},
    STREW_TIES(ROW)
#undef ROW
};

static void set_ties(struct action *action, const struct instruction *instruction) {
  action->dropped = instruction->common == STREW_FLOAT16 ? DROPPED_f16 : DROPPED_bf16;
  if (instruction->kind == ELEMENTWISE_BINARY)
    action->rule = &tie_rules[instruction->op];
  else if (ties_of[instruction->op][0])
    action->ties = ties_of[instruction->op];
}

/* The dtype of what the kernel of an instruction writes. */
static strew_dtype dtype_written(const struct instruction *instruction) {
  if (operation_of(instruction->kind, instruction->op)->gives != GIVES_COMMON) return dtype_given(instruction);
  const bool is_signless = dtype_signed(instruction->result) == instruction->compute; /* the result has the same bits */
  return is_signless ? instruction->result : instruction->compute;
}

/* Adds an operation of 16-bit floats in memory; -1: it is none. */
static int add_halves(struct program *program, const struct instruction *instruction) {
  const strew_dtype common = instruction->common;
  const int op = instruction->op;
  const bool is_unary = instruction->kind == ELEMENTWISE_UNARY;
  if (!dtype_is_half(common) || instruction->result != common) return -1;
  if (!is_unary && instruction->kind != ELEMENTWISE_BINARY) return -1;
  const struct halves *halves = &elementwise_loops()->halves[common == STREW_BFLOAT16];
  kernel *run = is_unary ? halves->unary[op] : halves->binary[op];
  int in[MOST_INPUTS];
  if (!run) return -1;
  for (int i = 0; i < instruction->inputs; i++)
    if (instruction->in[i].from <= 0) return -1;
  program->cost += operation_of(instruction->kind, op)->cost;
  for (int i = 0; i < instruction->inputs; i++)
    in[i] = value_of_operand(program, instruction->in[i].from, common, common);
  struct action *action = add_action(program, instruction->inputs, common);
  action->run = run;
  for (int i = 0; i < instruction->inputs; i++) action->in[i] = in[i];
  return last_value(program);
}

/* Adds an instruction; sets *gives to the dtype of its value. Returns the value; -1: there is no such kernel. */
static int add_instruction(struct program *program, const struct elementwise_plan *plan,
                           const struct instruction *instruction, strew_dtype *gives) {
  *gives = instruction->result;
  if (instruction->kind == ELEMENTWISE_CONVERT) return value_of_source(program, instruction, 0);
  if (instruction->kind == ELEMENTWISE_TAKE) return add_take(program, instruction);
  const int halves = add_halves(program, instruction);
  if (halves >= 0) return halves;
  const struct operation *operation = operation_of(instruction->kind, instruction->op);
  kernel *run = kernel_of(instruction);
  int in[MOST_INPUTS];
  if (!run) return -1;
  *gives = dtype_written(instruction);
  program->cost += operation->cost;
  for (int i = 0; i < instruction->inputs; i++) in[i] = value_of_source(program, instruction, i);
  if (join_pair(program, plan, instruction, in)) return last_value(program);
  struct action *action = add_action(program, instruction->inputs, *gives);
  action->run = run;
  if (breaks_ties(instruction)) set_ties(action, instruction);
  if (instruction->kind == ELEMENTWISE_BINARY && instruction->op < PAIR_FIRSTS) action->op = instruction->op;
  for (int i = 0; i < instruction->inputs; i++) action->in[i] = in[i];
  return last_value(program);
}

/* Gives each action's value that is kept in a block a register: one that no later action reads. */
static int assign_registers(struct program *program) {
  int last_use[MOST_ACTIONS], free[MOST_ACTIONS], free_count = 0, registers = program->registers;
  if (program->action_count < 2) return program->actions[0].place = registers, registers + (program->convert != NULL);
  for (int k = 0; k < program->action_count; k++) last_use[k] = k;
  for (int k = 0; k < program->action_count; k++)
    for (int i = 0; i < program->actions[k].inputs; i++)
      if (program->actions[k].in[i] >= FIRST_ACTION) last_use[program->actions[k].in[i] - FIRST_ACTION] = k;
  if (program->value >= FIRST_ACTION) last_use[program->value - FIRST_ACTION] = program->action_count;
  for (int k = 0; k < program->action_count; k++) {
    program->actions[k].place = free_count ? free[--free_count] : registers++;
    for (int j = 0; j <= k; j++)
      if (last_use[j] == k) free[free_count++] = program->actions[j].place;
  }
  return registers;
}

/* The registers of a block, in bytes, and room between two of them, lest all begin in one set of L1. */
enum { REGISTER_BYTES = 3 << 14, REGISTER_GAP = 192 };

/* Returns the elements of a block, such that `count` blocks of 8-byte elements fit into `bytes`. */
static int64_t block_length(int count, int64_t bytes) {
  const int64_t fits = count ? (bytes / count - REGISTER_GAP) / (int64_t)sizeof(double) : BLOCK;
  return fits / 8 * 8;
}

/* Chooses the length of blocks, and fills those of numbers. */
static void lay_out(struct program *program) {
  const int registers = assign_registers(program);
  program->block = INT64_MAX;
  program->register_bytes = 0;
  if (!registers && !program->number_count) return;
  const int64_t longest = program->space->rank ? program->space->sizes[program->space->rank - 1] : 1;
  int64_t block = program->action_count > 1 ? PROGRAM_BLOCK : BLOCK;
  block = least(block, block_length(registers, REGISTER_BYTES));
  block = least(block, block_length(program->number_count, sizeof program->constants));
  program->register_bytes = block * (int64_t)sizeof(double) + REGISTER_GAP;
  for (int i = 0; i < program->number_count; i++) {
    struct number *number = &program->numbers[i];
    char *to = program->constants + i * program->register_bytes;
    const int64_t size = (int64_t)dtype_bytes(number->dtype);
    converter(number->dtype, number->dtype)(least(longest, block), to, size, (const char *)number->element.bytes, 0);
    number->block = to;
  }
  program->block = block;
}

/* Counts how often instructions read each result. */
static void count_reads(struct program *program, const struct elementwise_plan *plan) {
  for (int k = 0; k < plan->count; k++) program->reads[k] = 0;
  for (int k = 0; k < plan->count; k++)
    for (int i = 0; i < plan->instructions[k].inputs; i++)
      if (plan->instructions[k].in[i].from < 0) program->reads[-1 - plan->instructions[k].in[i].from]++;
}

static void program_read(const struct program *program, int64_t begin, int64_t count, char *to);

strew_status cpu_program_start(const struct call *call, struct program *program, const struct elementwise_plan *plan) {
  strew_dtype gives = STREW_FLOAT32;
  program->read = program_read;
  program->lane_count = program->number_count = program->action_count = program->registers = program->cost = 0;
  program->whole = &plan->plan;
  program->space = join_short_rows(&program->joined, &plan->plan) ? &program->joined : &plan->plan;
  count_reads(program, plan);
  for (int k = 0; k < plan->count; k++) {
    const struct instruction *instruction = &plan->instructions[k];
    int value = add_instruction(program, plan, instruction, &gives);
    if (value < 0)
      return fail(call, (struct fault){.code = STREW_EDTYPE}, "is not made for %s",
                  strew_dtype_name(instruction->compute));
    if (k < plan->count - 1) value = value_converted(program, value, gives, instruction->result);
    program->results[k] = program->value = value;
  }
  const struct operand *out = &program->space->operands[0];
  const bool is_computed = program->value == last_value(program);
  program->gives_bytes = (int64_t)dtype_bytes(gives);
  program->convert = NULL;
  if (!are_same_bits(out->dtype, gives) || !is_dense(program->space, out) || !is_computed)
    program->convert = converter(out->dtype, gives);
  lay_out(program);
  return STREW_OK;
}

/* ---------------------------------------------------------------------------------------------------------- blocks */

static inline void run_kernel(const struct action *action, int64_t count, void *to, const void *const *in) {
  action->run(count, to, in);
  if (action->ties) elementwise_loops()->break_ties(count, to, in[0], action->ties);
  if (action->rule) elementwise_loops()->move_off_ties(count, to, in[0], in[1], action->rule, action->dropped);
}

static void run_action(const struct action *action, int64_t count, void *to, const void *const *values) {
  const void *in[MOST_INPUTS];
  for (int i = 0; i < action->inputs; i++) in[i] = values[action->in[i]];
  if (action->run)
    run_kernel(action, count, to, in);
  else if (!action->convert)
    lookup_take(&action->table, count, in[0], to);
  else
    action->convert(count, to, action->size, in[0], action->from_size);
}

/* Computes a row, of a block at most, and writes it to memory. */
static void run_row(const struct program *program, const struct row *row, char *out, int64_t out_step) {
  char registers[REGISTER_BYTES] __attribute__((aligned(64)));
  const void *values[MOST_VALUES];
  for (int i = 0; i < program->lane_count; i++)
    values[FIRST_LANE + i] =
        lane_elements(&program->lanes[i], row, registers + program->lanes[i].place * program->register_bytes);
  for (int i = 0; i < program->number_count; i++) values[FIRST_NUMBER + i] = program->numbers[i].block;
  for (int k = 0; k < program->action_count; k++) {
    const struct action *action = &program->actions[k];
    const bool is_last = !program->convert && k == program->action_count - 1;
    void *to = is_last ? out : registers + action->place * program->register_bytes;
    run_action(action, row->count, to, values);
    values[FIRST_ACTION + k] = to;
  }
  if (program->convert) program->convert(row->count, out, out_step, values[program->value], program->gives_bytes);
}

void program_run(const struct program *program, const struct row *row) {
  run_row(program, row, row->address[0], row->step_bytes[0]);
}

static void elementwise_visit(void *program, const struct row *row) { program_run(program, row); }

/* Returns an input's elements contiguously, in place or in `filled`; NULL if they need a conversion or a gather. */
static inline const void *few_elements(const struct plan *space, const struct instruction_input *input,
                                       strew_dtype computed, int64_t count, char *filled) {
  const int64_t size = (int64_t)dtype_bytes(computed);
  const void *from = input->number.bytes;
  strew_dtype dtype = input->dtype;
  if (input->from != FROM_NUMBER) {
    const struct operand *operand = &space->operands[input->from];
    if (!are_same_bits(operand->dtype, computed)) return NULL;
    from = operand_address(operand);
    if (is_dense(space, operand)) return from;
    if (operand->strides[0]) return NULL;
    dtype = computed;
  }
  converter(computed, dtype)(count, filled, size, from, 0);
  return filled;
}

/* Computes a few contiguous elements by one call of a loop. A program would take most of a small call's time.
   False if one is needed. */
static bool run_few(strew_context *context, const struct elementwise_plan *plan) {
  const struct instruction *instruction = plan->instructions;
  const struct plan *space = &plan->plan;
  const struct operand *out = space->operands;
  const int64_t count = space->rank ? space->sizes[0] : 1;
  char filled[MOST_INPUTS][BLOCK * sizeof(double)] __attribute__((aligned(64)));
  const void *in[MOST_INPUTS];
  if (plan->count > 1 || space->rank > 1 || count > BLOCK || breaks_ties(instruction) || context_stops(context))
    return false;
  if (instruction->kind == ELEMENTWISE_CONVERT || instruction->kind == ELEMENTWISE_TAKE) return false;
  if (!are_same_bits(out->dtype, instruction->result) || !is_dense(space, out)) return false;
  if (!are_same_bits(out->dtype, dtype_written(instruction))) return false;
  for (int i = 0; i < instruction->inputs; i++) {
    in[i] = few_elements(space, &instruction->in[i], computed_dtype(instruction, i), count, filled[i]);
    if (!in[i]) return false;
  }
  kernel *run = kernel_of(instruction);
  return run && (run(count, operand_address(out), in), true);
}

strew_status cpu_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan) {
  struct program program;
  if (run_few(device->context, plan)) return context_end(call, device->context, plan->plan.operands[0].storage);
  RETURN_IF_FAILED(cpu_program_start(call, &program, plan));
  if (program.cost > 1) /* computing an element takes longer than loading it */
    walk_rows_sized(device->context, program.space, walk_bytes(program.space), program.block, elementwise_visit,
                    &program);
  else
    walk_rows_parallel(device->context, program.space, program.block, elementwise_visit, &program);
  return context_end(call, device->context, plan->plan.operands[0].storage);
}

struct reading {
  const struct program *program;
  int64_t begin;
  int64_t size;
  char *to;
};

/* Prefetches the inputs of a later row: hardware prefetchers pause while a block is computed. */
static void prefetch_lanes(const struct program *program, const struct row *row) {
  for (int i = 0; i < program->lane_count; i++) {
    const int operand = program->lanes[i].operand;
    const int64_t step = row->step_bytes[operand];
    if (step > 0 && step <= (int64_t)sizeof(double))
      prefetch_l2((uintptr_t)row->address[operand] + (uintptr_t)(PROGRAM_BLOCKS_AHEAD * row->count * step),
                  (uintptr_t)(row->count * step));
  }
}

static void read_visit(void *reading_, const struct row *row) {
  const struct reading *reading = reading_;
  if (reading->program->prefetch) prefetch_lanes(reading->program, row);
  run_row(reading->program, row, reading->to + (row->place - reading->begin) * reading->size, reading->size);
}

static void program_read(const struct program *program, int64_t begin, int64_t count, char *to) {
  struct reading reading = {program, begin, (int64_t)dtype_bytes(program->space->operands[0].dtype), to};
  walk_rows(program->space, begin, begin + count, program->block, read_visit, &reading);
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
  double converted[BLOCK];
  int64_t at = search->find_zero(row->count, lane_elements(&search->lane, row, (char *)converted)),
          first = atomic_load(&search->first);
  if (at < 0) return;
  while (row->place + at < first && !atomic_compare_exchange_weak(&search->first, &first, row->place + at)) continue;
}

strew_status cpu_find_zero(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                           int64_t *place) {
  struct zero_search search = {.find_zero = kernels_of(dtype_signed(compute))->find_zero};
  if (!lane_in(&search.lane, plan, 0, compute, compute)) add_conversion(&search.lane, plan->operands[0].dtype);
  atomic_init(&search.first, INT64_MAX);
  walk_rows_parallel(device->context, plan, BLOCK, search_visit, &search);
  int64_t first = atomic_load(&search.first);
  *place = first == INT64_MAX ? -1 : first;
  return context_end(call, device->context, NULL);
}
