/* instructions.c: a program of elementwise instructions as text for kernels/program.h. Names are x1, x2, ... for
   inputs, n0, n1, ... for numbers and v0, v1, ... for results, so that equal programs share a kernel. */
#include "opencl.h"
#include "runtime/core/base/operations.h"
#include "runtime/programs/combine_ops.h"

#include <stdarg.h>
#include <stdio.h>

/* Functions of arithmetic.inc, without their suffixes. */
#define ROW(ENUM, name, function, ...) [STREW_##ENUM] = #function,
static const char *const unary_functions[] = {STREW_UNARY(ROW)}, *const binary_functions[] = {STREW_BINARY(ROW)};
#undef ROW

struct text {
  char *end;
  size_t room;
  int first;        /* number of a program's first instruction */
  const int *slots; /* numbers of its operands; NULL: their own */
};

static int operand_number(const struct text *text, int operand) { return text->slots ? text->slots[operand] : operand; }

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text->end, text->room, format, arguments);
  va_end(arguments);
  const size_t added = (size_t)length < text->room ? (size_t)length : text->room - 1;
  text->end += added, text->room -= added;
}

/* Adds the beginning of a conversion; returns the number of its closing parentheses. Elements of one dtype stay as they
   are, but a bool becomes 0 or 1. */
static int add_conversion(struct text *text, strew_dtype to, strew_dtype from) {
  if (to == from && to != STREW_BOOL) return 0;
  add(text, "TO(%s,%s,", dtype_suffix(to), dtype_suffix(from));
  return 1;
}

/* The name of an instruction's first number. */
static int number_name(const struct text *text, int number) { return (text->first + number) * MOST_INPUTS; }

/* Adds input i as an element of the computed dtype. */
static void add_input(struct text *text, const struct instruction *instruction, int number, int i) {
  const struct instruction_input *in = &instruction->in[i];
  const strew_dtype computed = computed_dtype(instruction, i);
  const strew_dtype common = computed == instruction->compute ? instruction->common : computed;
  int open = 0;
  if (in->from == FROM_NUMBER) {
    add(text, "n%d", number_name(text, number) + i);
  } else {
    const bool narrows = common != computed && dtype_narrows(in->dtype, common);
    open += add_conversion(text, computed, narrows ? common : in->dtype);
    if (narrows) open += add_conversion(text, common, in->dtype);
    if (in->from > 0)
      add(text, "x%d_element", operand_number(text, in->from));
    else
      add(text, "v%d", text->first - 1 - in->from);
  }
  add(text, "%.*s", open, "))");
}

/* Adds an element of a table, whose size and step are numbers. */
static void add_taken(struct text *text, const struct instruction *instruction, int number) {
  const int table = instruction->in[1].from, size = number_name(text, number);
  add(text, "(x%d[x%d_offset+TAKEN(%d,", table, table, number);
  add_input(text, instruction, number, 0);
  add(text, ",n%d)*n%d]", size, size + 1);
}

/* Adds the instruction's value, as an element of dtype `to`. */
static void add_value(struct text *text, const struct instruction *instruction, int number, strew_dtype to) {
  const char *between = ",";
  const int open = add_conversion(text, to, dtype_given(instruction));
  switch (instruction->kind) {
  case ELEMENTWISE_UNARY: add(text, "%s_", unary_functions[instruction->op]); break;
  case ELEMENTWISE_BINARY: add(text, "%s_", binary_functions[instruction->op]); break;
  case ELEMENTWISE_MIXED: add(text, "mixed_%s_", binary_functions[instruction->op]); break;
  case ELEMENTWISE_CLAMP: add(text, "clamp_"); break;
  case ELEMENTWISE_LIMB: add(text, "limb_"); break;
  case ELEMENTWISE_PRODUCT: add(text, "product_limb_"); break;
  case ELEMENTWISE_WHERE: between = "?"; break;
  case ELEMENTWISE_TAKE: add_taken(text, instruction, number), between = NULL; break;
  case ELEMENTWISE_CONVERT: between = ""; break;
  case ELEMENTWISE_PART: break; /* on the CPU alone */
  }
  if (between && *between == ',')
    add(text, "%s", dtype_suffix(breaks_ties(instruction) ? instruction->common : instruction->compute));
  for (int i = 0; i < instruction->inputs && between; i++) {
    add(text, "%s", i == 0 ? "(" : i == 2 && *between == '?' ? ":" : between);
    add_input(text, instruction, number, i);
  }
  add(text, ")%.*s", open, ")");
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

union element number_as(const struct call *call, const struct instruction_input *in, strew_dtype dtype) {
  union element value = {.i64 = 0};
  element_from(call, "number", strew_scalar_load(in->dtype, in->number.bytes), STREW_SATURATE, dtype, &value);
  return value;
}

static void add_number(struct text *text, int name, strew_dtype dtype, union element value, struct described *out) {
  add(text, "NUMBER(%s,n%d)", dtype_suffix(dtype), name);
  out->numbers[out->number_count] = value;
  out->number_bytes[out->number_count++] = dtype_bytes(dtype);
}

static void add_numbers(struct text *text, const struct call *call, const struct instruction *instruction, int number,
                        struct described *out) {
  const int first = number_name(text, number);
  if (instruction->kind == ELEMENTWISE_TAKE) {
    add_number(text, first, STREW_INT64, (union element){.i64 = instruction->size}, out);
    add_number(text, first + 1, STREW_INT64, (union element){.i64 = instruction->step}, out);
    return;
  }
  for (int i = 0; i < instruction->inputs; i++) {
    const strew_dtype dtype = computed_dtype(instruction, i);
    if (instruction->in[i].from == FROM_NUMBER)
      add_number(text, first + i, dtype, number_as(call, &instruction->in[i], dtype), out);
  }
}

/* ----------------------------------------------------------------------------------------------------------- tables */

/* The instructions that take elements of tables by an index that is not checked; a bit for each. */
static uint32_t takes(const struct elementwise_plan *plan) {
  uint32_t found = 0;
  for (int k = 0; k < plan->count; k++)
    found |= (uint32_t)(plan->instructions[k].kind == ELEMENTWISE_TAKE && plan->instructions[k].bad) << k;
  return found;
}

bool program_has_table(const struct elementwise_plan *plan, int operand) {
  bool found = false;
  for (int k = 0; k < plan->count; k++) {
    const struct instruction *instruction = &plan->instructions[k];
    found = found || (instruction->kind == ELEMENTWISE_TAKE && instruction->in[1].from == operand);
  }
  return found;
}

struct block *taken_start(struct launch *launch, const struct elementwise_plan *plan) {
  const cl_uint none = 0;
  struct block *bad = takes(plan) ? launch_scratch(launch, sizeof none) : NULL;
  if (bad) launch_write(launch, bad, &none, sizeof none);
  return bad;
}

void taken_end(struct launch *launch, const struct elementwise_plan *plan, const struct block *bad) {
  cl_uint found = 0;
  if (bad) launch_read(launch, bad, 0, &found, sizeof found);
  for (int k = 0; k < plan->count && launch->status == STREW_OK; k++)
    if (found & takes(plan) & 1u << k) atomic_store(plan->instructions[k].bad, true); /* a driver may give any bits */
}

/* --------------------------------------------------------------------------------------------------------- programs */

/* Adds the program's instructions but the last. */
static void add_steps(struct text *text, const struct elementwise_plan *plan) {
  for (int k = 0; k < plan->count - 1; k++) {
    const struct instruction *instruction = &plan->instructions[k];
    const bool is_float = dtype_is_float(instruction->result) && !dtype_is_half(instruction->result);
    add(text, "%s(%s,v%d,", is_float ? "SET" : "INT", dtype_suffix(instruction->result), text->first + k);
    add_value(text, instruction, k, instruction->result);
    add(text, ")");
  }
}

static void add_last(struct text *text, const struct elementwise_plan *plan) {
  const int last = plan->count - 1;
  add_value(text, &plan->instructions[last], last, plan->plan.operands[0].dtype);
}

void instructions_describe(const struct call *call, const struct elementwise_plan *plan, struct described *out) {
  struct text text = {out->settings, LONGEST_SETTINGS, 0, NULL};
  out->number_count = 0;
  add(&text, "GIVES=%s%s OPERANDS(INPUT,TABLE,NUMBER)=", dtype_suffix(plan->plan.operands[0].dtype),
      takes(plan) ? " TAKES" : "");
  for (int i = 1; i < plan->plan.count; i++)
    add(&text, "%s(%s,x%d)", program_has_table(plan, i) ? "TABLE" : "INPUT", dtype_suffix(plan->plan.operands[i].dtype),
        i);
  for (int k = 0; k < plan->count; k++) add_numbers(&text, call, &plan->instructions[k], k, out);
  add(&text, " STEPS=");
  add_steps(&text, plan);
  add(&text, " RESULT=");
  add_last(&text, plan);
}

static void add_slots(struct text *text, const struct combine_plan *plan) {
  const int position = plan->slot_count - 1;
  add(text, " ACCUMULATORS(FORM)=");
  for (int a = 0; a < plan->accumulator_count; a++) add(text, "FORM(%s,x%d)", dtype_suffix(plan->slots[a]->dtype), a);
  add(text, " SOURCES(FORM)=");
  for (int s = plan->accumulator_count; s < plan->slot_count; s++)
    if (plan->slots[s])
      add(text, "FORM(%s,%s,x%d)", dtype_suffix(seen_dtype(plan->slots[s]->dtype)), dtype_suffix(plan->slots[s]->dtype),
          s);
  if (!plan->slots[position]) add(text, " POSITION=x%d_element", position);
}

/* Adds all programs: each gives a value named p0, p1, ... */
static void add_programs(struct text *text, const struct combine_plan *plan) {
  text->first = 0;
  for (int p = 0; p < plan->program_count; p++) {
    const struct elementwise_plan *program = &plan->programs[p].plan;
    text->slots = plan->programs[p].slots;
    add_steps(text, program);
    add(text, "SET(%s,p%d,", dtype_suffix(program->plan.operands[0].dtype), p);
    add_last(text, program);
    add(text, ")");
    text->first += program->count;
  }
}

bool combination_describe(const struct call *call, const struct combine_plan *plan, struct described *out) {
  struct text text = {out->settings, LONGEST_SETTINGS, 0, NULL};
  int count = 0;
  out->number_count = 0;
  for (int p = 0; p < plan->program_count; p++) count += plan->programs[p].plan.count;
  if (count > MOST_INSTRUCTIONS) return false;
  add(&text, "OUTER=1%s%s", plan->order ? " ORDERED" : "", plan->partial[0] ? " PARTIAL" : "");
  add_slots(&text, plan);
  add(&text, " NUMBERS(NUMBER)=");
  for (int p = 0; p < plan->program_count; p++) {
    const struct elementwise_plan *program = &plan->programs[p].plan;
    for (int k = 0; k < program->count; k++) add_numbers(&text, call, &program->instructions[k], k, out);
    text.first += program->count;
  }
  add(&text, " STEPS=");
  add_programs(&text, plan);
  add(&text, " CHANGES(TEST,CHANGE)=");
  for (int p = 0; p < plan->program_count; p++) {
    const int a = plan->programs[p].accumulator;
    add(&text, a < 0 ? "TEST(p%d)" : "CHANGE(p%d,x%d)", p, a);
  }
  return text.room > 1;
}

void launch_numbers(struct launch *launch, const struct described *described) {
  for (int i = 0; i < described->number_count; i++)
    launch_value(launch, &described->numbers[i], described->number_bytes[i]);
}
