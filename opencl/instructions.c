/* instructions.c: a program of elementwise instructions as text for kernels/elementwise.cl. Names are x1, x2, ... for
   inputs, n0, n1, ... for numbers and v0, v1, ... for results, so that equal programs share a kernel. */
#include "opencl.h"
#include "runtime/base/operations.h"

#include <stdarg.h>
#include <stdio.h>

/* Functions of arithmetic.inc, without their suffixes. */
#define ROW(ENUM, name, function, ...) [STREW_##ENUM] = #function,
static const char *const unary_functions[] = {STREW_UNARY(ROW)}, *const binary_functions[] = {STREW_BINARY(ROW)};
#undef ROW

struct text {
  char *end;
  size_t room;
};

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

/* Adds input i as an element of the computed dtype. */
static void add_input(struct text *text, const struct instruction *instruction, int number, int i) {
  const struct instruction_input *in = &instruction->in[i];
  const strew_dtype computed = computed_dtype(instruction, i);
  const strew_dtype common = computed == instruction->compute ? instruction->common : computed;
  int open = 0;
  if (in->from == FROM_NUMBER) {
    add(text, "n%d", number * MOST_INPUTS + i);
  } else {
    const bool narrows = common != computed && dtype_narrows(in->dtype, common);
    open += add_conversion(text, computed, narrows ? common : in->dtype);
    if (narrows) open += add_conversion(text, common, in->dtype);
    if (in->from > 0)
      add(text, "x%d_element", in->from);
    else
      add(text, "v%d", -1 - in->from);
  }
  add(text, "%.*s", open, "))");
}

/* Adds the instruction's value, as an element of dtype `to`. */
static void add_value(struct text *text, const struct instruction *instruction, int number, strew_dtype to) {
  const bool tests = gives_bool(operation_of(instruction->kind, instruction->op));
  const char *between = ",";
  const int open = add_conversion(text, to, tests ? STREW_BOOL : instruction->compute);
  switch (instruction->kind) {
  case ELEMENTWISE_UNARY: add(text, "%s_", unary_functions[instruction->op]); break;
  case ELEMENTWISE_BINARY: add(text, "%s_", binary_functions[instruction->op]); break;
  case ELEMENTWISE_CLAMP: add(text, "clamp_"); break;
  case ELEMENTWISE_WHERE: between = "?"; break;
  case ELEMENTWISE_TAKE:
  case ELEMENTWISE_CONVERT: between = ""; break;
  }
  if (*between == ',') add(text, "%s", dtype_suffix(instruction->compute));
  for (int i = 0; i < instruction->inputs; i++) {
    add(text, "%s", i == 0 ? "(" : i == 2 && *between == '?' ? ":" : between);
    add_input(text, instruction, number, i);
  }
  add(text, ")%.*s", open, ")");
}

static void add_numbers(struct text *text, const struct instruction *instruction, int number) {
  for (int i = 0; i < instruction->inputs; i++)
    if (instruction->in[i].from == FROM_NUMBER)
      add(text, "NUMBER(%s,n%d)", dtype_suffix(computed_dtype(instruction, i)), number * MOST_INPUTS + i);
}

void instructions_describe(const struct elementwise_plan *plan, char *settings) {
  struct text text = {settings, LONGEST_SETTINGS};
  const strew_dtype out = plan->plan.operands[0].dtype;
  const int last = plan->count - 1;
  add(&text, "OUT=%s OPERANDS(INPUT,NUMBER)=", dtype_suffix(out));
  for (int i = 1; i < plan->plan.count; i++) add(&text, "INPUT(%s,x%d)", dtype_suffix(plan->plan.operands[i].dtype), i);
  for (int k = 0; k < plan->count; k++) add_numbers(&text, &plan->instructions[k], k);
  add(&text, " STEPS=");
  for (int k = 0; k < last; k++) {
    const struct instruction *instruction = &plan->instructions[k];
    add(&text, "SET(%s,v%d,", dtype_suffix(instruction->result), k);
    add_value(&text, instruction, k, instruction->result);
    add(&text, ")");
  }
  add(&text, " RESULT=");
  add_value(&text, &plan->instructions[last], last, out);
}
