/* elementwise.c: arithmetic, comparisons and choices, element by element, with broadcasting and type promotion.

   Operands are converted, as strew_to does, to their promoted dtype (dtype_of_operands). Results have that dtype, or
   are bool. 16-bit floats are computed in float32 and rounded once (nextafter takes their bits); in a product with a number, or a quotient by one,
   the number is a float32, as in PyTorch. The common dtype must hold a number, so that no operation turns a finite
   number into an infinity.

   Comparisons store no number, so they take any. Integers are compared with its value; floats with its rounded value
   (a float16 tensor made from 0.1 equals 0.1) or, if only that is infinite, with its value. */
#include "elementwise.h"

#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/operations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------- numbers among the elements of a dtype */

const double largest_floats[STREW_DTYPE_COUNT] = {[STREW_FLOAT16] = 65504,
                                                  [STREW_BFLOAT16] = 0x1.fep127,
                                                  [STREW_FLOAT32] = 0x1.fffffep127,
                                                  [STREW_FLOAT64] = 0x1.fffffffffffffp1023};

static enum standing standing_among_floats(strew_scalar number, strew_dtype dtype, strew_scalar *element) {
  union element stored;
  *element = number;
  dtype_saturate(number, dtype, stored.bytes);
  const bool is_infinite = number.dtype == STREW_FLOAT64 && isinf(number.as.f);
  if (is_infinite || !isinf(dtype_load(dtype, stored.bytes).as.f)) return STANDS_AT;
  bool negative = number.dtype == STREW_FLOAT64 ? number.as.f < 0 : number.dtype == STREW_INT64 && number.as.i < 0;
  *element = strew_float(negative ? -(double)INFINITY : largest_floats[dtype]);
  return STANDS_ABOVE;
}

/* Above INT64_MAX, among uint64. */
static enum standing standing_above(double below, strew_scalar number, strew_scalar *element) {
  if (number.dtype == STREW_UINT64) return *element = number, STANDS_AT;
  *element = unsigned_number(below < 0x1p64 ? (uint64_t)below : UINT64_MAX);
  return below < 0x1p64 ? STANDS_AT : STANDS_ABOVE;
}

enum standing number_standing(strew_scalar number, strew_dtype dtype, strew_scalar *element) {
  if (dtype_is_float(dtype)) return standing_among_floats(number, dtype, element);
  bool is_bool = dtype == STREW_BOOL;
  int64_t least = strew_scalar_load(dtype, element_identity(STREW_AMAX, dtype).bytes).as.i;
  int64_t greatest =
      dtype == STREW_UINT64 ? INT64_MAX : strew_scalar_load(dtype, element_identity(STREW_AMIN, dtype).bytes).as.i;
  int64_t whole = number.as.i;
  bool beyond_above = number.dtype == STREW_UINT64, beyond_below = false, between = false;
  *element = is_bool ? strew_bool(least != 0) : strew_int(least);
  if (number.dtype == STREW_FLOAT64) {
    double below = floor(number.as.f);
    if (isnan(below)) return STANDS_NOWHERE;
    beyond_above = below >= 0x1p63;
    beyond_below = below < -0x1p63;
    between = below != number.as.f;
    whole = beyond_above || beyond_below ? 0 : (int64_t)below;
  }
  if (beyond_above && dtype == STREW_UINT64)
    return standing_above(number.dtype == STREW_FLOAT64 ? number.as.f : 0, number, element);
  if (beyond_below || (!beyond_above && whole < least)) return STANDS_BELOW;
  if (beyond_above || whole > greatest) whole = greatest, between = true;
  *element = is_bool ? strew_bool(whole != 0) : strew_int(whole);
  return between ? STANDS_ABOVE : STANDS_AT;
}

/* -------------------------------------------------------------------------------------------- arguments, checked */

static strew_status fail_domain(const struct elementwise *work, const char *argument, const char *is, const char *takes,
                                const char *hint) {
  return fail(work->call, HINTED(STREW_EDTYPE, argument, hint), "is %s, %s takes %s", is, work->call->op, takes);
}

static const char *hint_of_mixed(const struct elementwise *work) {
  return work->operands[0].tensor->dtype == STREW_UINT64 ? "strew_to(self, int64)" : "strew_to(other, int64)";
}

/* The hint that converts operand i, or if that is a number the other one, to floats. */
static const char *to_floats(const struct elementwise *work, int i) {
  if (!work->operands[i].tensor) i = !i;
  return hint_to_floats(work->call, work->operands[i].tensor, i ? "other" : "self");
}

/* Checks that the operation takes the common dtype. */
static strew_status check_domain(const struct elementwise *work, enum takes takes) {
  for (int i = 0; i < work->inputs; i++) {
    const strew_tensor *tensor = work->operands[i].tensor;
    strew_dtype dtype = tensor ? tensor->dtype : work->operands[i].number.dtype;
    const char *is = tensor ? strew_dtype_name(dtype) : dtype_is_float(dtype) ? "a float" : "a boolean";
    const bool integers = takes == TAKES_INTEGERS;
    if (takes == TAKES_STORED && !dtype_is_float(work->common))
      return fail_domain(work, work->names[i], is, "floats", to_floats(work, i));
    if ((takes == TAKES_BITS || integers) && dtype_is_float(dtype))
      return fail_domain(work, work->names[i], is, integers ? "integers" : "integers and bools", NULL);
    if ((takes != TAKES_NUMBERS && !integers) || dtype != STREW_BOOL) continue;
    /* the meaning of - for bools is ambiguous, even with a number: PyTorch rejects it, too */
    bool minus = work->kind == ELEMENTWISE_BINARY ? work->op == STREW_SUB : work->op == STREW_NEG;
    if (minus)
      return fail_domain(work, work->names[i], is, "integers and floats",
                         "logical_not(x) inverts a bool, ne(a, b) tells where two differ");
    if (work->common == STREW_BOOL)
      return fail_domain(work, work->names[i], is, integers ? "integers" : "integers and floats", "strew_to(x, int64)");
  }
  if ((takes == TAKES_BITS || takes == TAKES_INTEGERS) && dtype_is_float(work->common))
    return fail(work->call, HINTED(STREW_EDTYPE, work->names[1], hint_of_mixed(work)),
                "is %s, %s %s: no integer dtype holds both", strew_dtype_name(work->operands[1].tensor->dtype),
                work->names[0], strew_dtype_name(work->operands[0].tensor->dtype));
  return STREW_OK;
}

/* True for a product with a number, or a quotient by one. */
static bool multiplies_by_number(const struct elementwise *work) {
  if (work->kind != ELEMENTWISE_BINARY) return false;
  return work->op == STREW_MUL || (work->op == STREW_DIV && work->operands[0].tensor);
}

/* True for a comparison of uint64 with signed integers, which no dtype holds both. */
static bool is_mixed(const struct elementwise *work) {
  const strew_tensor *a = work->operands[0].tensor, *b = work->operands[1].tensor;
  if (work->kind != ELEMENTWISE_BINARY || !a || !b || binary_operations[work->op].gives != GIVES_ORDER) return false;
  return dtypes_mix(a->dtype, b->dtype);
}

/* The dtype in which `count` operands meet. */
static strew_dtype meet(const struct elementwise *work, int count, const strew_operand *operands) {
  const strew_dtype common = dtype_of_operands(count, operands);
  bool has_floats = !dtype_is_float(common) || dtype_is_float(work->mixed);
  for (int i = 0; i < count; i++)
    has_floats |= dtype_is_float(operands[i].tensor ? operands[i].tensor->dtype : operands[i].number.dtype);
  return has_floats ? common : work->mixed;
}

/* The dtype in which operands meet that promotion gives `dtype`. */
static strew_dtype dtype_of_work(const struct elementwise *work, strew_dtype dtype) {
  if (!work->of_columns || !dtype_is_float(dtype)) return dtype;
  for (int i = work->kind == ELEMENTWISE_WHERE; i < work->inputs; i++)
    if (work->operands[i].tensor && dtype_is_long(work->operands[i].tensor->dtype)) return STREW_FLOAT64;
  return dtype;
}

/* Finds the dtype in which operands meet, the one in which they are computed, and the result's. */
static strew_status find_dtypes(struct elementwise *work) {
  const struct operation *operation = operation_of(work->kind, work->op);
  work->common = meet(work, work->inputs, work->operands);
  if (is_mixed(work)) work->kind = ELEMENTWISE_MIXED, work->common = STREW_UINT64;
  strew_status status = check_domain(work, operation->takes);
  if (operation->takes == TAKES_FLOATS && !dtype_is_float(work->common)) work->common = STREW_FLOAT32;
  work->common = dtype_of_work(work, work->common);
  work->compute = loop_dtype(work->kind, work->op, work->common);
  work->result = gives_bool(operation) ? STREW_BOOL : work->common;
  work->number_dtype = multiplies_by_number(work) ? dtype_wide(work->common) : work->common;
  return status;
}

static strew_status check_numbers(struct elementwise *work) {
  for (int i = 0; i < work->inputs; i++) {
    if (work->operands[i].tensor) continue;
    const strew_scalar number = work->operands[i].number;
    const char *name = work->names[i];
    RETURN_IF_FAILED(element_from(work->call, name, number, STREW_EXACT, work->common, &work->numbers[i]));
    if (work->number_dtype != work->common)
      RETURN_IF_FAILED(element_from(work->call, name, number, STREW_EXACT, work->number_dtype, &work->numbers[i]));
  }
  return STREW_OK;
}

/* Reports the last dimension in which shapes differ, by its number in the operand. broadcast_sizes has not changed it. */
static strew_status fail_broadcast(const struct elementwise *work, int i) {
  const strew_tensor *tensor = work->operands[i].tensor;
  const int64_t *sizes = work->sizes;
  int d = 1, rank = work->rank;
  while (tensor->sizes[tensor->rank - d] == sizes[rank - d] || tensor->sizes[tensor->rank - d] == 1 ||
         sizes[rank - d] == 1)
    d++;
  int64_t size = tensor->sizes[tensor->rank - d];
  return fail(work->call, VALUED(STREW_ESHAPE, work->names[i], strew_int(size)),
              "has size %" PRId64 " in dim %d where the others have %" PRId64 ", sizes must be equal or 1", size,
              tensor->rank - d, sizes[rank - d]);
}

static strew_status find_sizes(struct elementwise *work) {
  work->rank = 0;
  for (int i = 0; i < work->inputs; i++) {
    const strew_tensor *tensor = work->operands[i].tensor;
    if (tensor && !broadcast_sizes(&work->rank, work->sizes, tensor->rank, tensor->sizes))
      return fail_broadcast(work, i);
  }
  return check_sizes(work->call, work->result, work->rank, work->sizes);
}

/* Checks number operands, before anything is derived from them. */
static strew_status check_operands(const struct elementwise *work) {
  for (int i = 0; i < work->inputs; i++) RETURN_IF_FAILED(check_operand(work->call, work->names[i], work->operands[i]));
  return STREW_OK;
}

/* Swaps the operands of a comparison. */
static void swap_comparison(struct elementwise *work) {
  static const int swapped[STREW_BINARY_COUNT] = {[STREW_EQ] = STREW_EQ, [STREW_NE] = STREW_NE, [STREW_LT] = STREW_GT,
                                                  [STREW_LE] = STREW_GE, [STREW_GT] = STREW_LT, [STREW_GE] = STREW_LE};
  strew_operand first = work->operands[0];
  const char *name = work->names[0];
  work->op = swapped[work->op];
  work->operands[0] = work->operands[1], work->names[0] = work->names[1];
  work->operands[1] = first, work->names[1] = name;
}

/* Checks all but the result's memory. */
static strew_status check_inputs(struct elementwise *work) {
  RETURN_IF_FAILED(check_devices(work->call));
  RETURN_IF_FAILED(find_dtypes(work));
  RETURN_IF_FAILED(check_numbers(work));
  RETURN_IF_FAILED(find_sizes(work));
  if (work->kind == ELEMENTWISE_MIXED && work->operands[0].tensor->dtype != STREW_UINT64) swap_comparison(work);
  return STREW_OK;
}

/* Name of the written tensor in messages: an operand's, or out. */
static const char *written_name(const struct elementwise *work, const strew_tensor *out) {
  return out == work->self ? "self" : "out";
}

/* Where the result's dtype is wider than self's: a float operand may be rounded; an integer one would wrap. Integers of
   32 and 64 bits are in no floats but float64. */
static const char *hint_to_hold(const struct elementwise *work, const strew_tensor *self) {
  const char *held = strew_dtype_name(self->dtype);
  for (int i = 1; i < work->inputs; i++) {
    const strew_tensor *other = work->operands[i].tensor;
    if (other && dtype_is_float(self->dtype) && !dtype_holds(self->dtype, other->dtype))
      return hint_of(work->call, "strew_to(%s, %s)", work->names[i], held);
  }
  const bool is_rounded =
      dtype_is_float(work->result) && !dtype_is_float(self->dtype) && dtype_bytes(self->dtype) >= sizeof(int32_t);
  const char *to = dtype_name_on(self->storage->device, is_rounded ? STREW_FLOAT64 : work->result);
  return hint_of(work->call, "strew_to(self, %s) holds it%s", to,
                 to == strew_dtype_name(work->result) ? "; *out NULL makes a new tensor" : "");
}

strew_status elementwise_check_written(const struct elementwise *work, const strew_tensor *out) {
  const struct call *call = work->call;
  struct fault fault = {.code = STREW_ESHAPE, .argument = written_name(work, out)};
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  if (out->rank != work->rank || memcmp(out->sizes, work->sizes, (size_t)out->rank * sizeof *out->sizes) != 0)
    return fail(call, fault, "has shape %s, the result has %s", text_of_sizes(out->rank, out->sizes, is),
                text_of_sizes(work->rank, work->sizes, expected));
  if (!dtype_holds(out->dtype, work->result)) {
    fault.code = STREW_EDTYPE;
    if (out == work->self) fault.hint = hint_to_hold(work, out);
    return fail(call, fault, "is %s, which does not hold a result of %s", strew_dtype_name(out->dtype),
                strew_dtype_name(work->result));
  }
  strew_status status = check_overlap(call, out, fault.argument, NULL, false);
  for (int i = 0; i < work->inputs && status == STREW_OK; i++)
    if (work->operands[i].tensor) status = check_overlap(call, out, work->names[i], work->operands[i].tensor, true);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- launch */

static strew_device *device_of(const struct elementwise *work) {
  for (int i = 0; i < work->inputs; i++)
    if (work->operands[i].tensor) return work->operands[i].tensor->storage->device;
  return NULL;
}

void elementwise_instruction(const struct elementwise *work, struct instruction *instruction) {
  instruction->kind = work->kind;
  instruction->op = work->op;
  instruction->common = dtype_stored(work->common);
  instruction->compute = work->compute;
  instruction->result = dtype_stored(work->result);
  instruction->inputs = work->inputs;
  for (int i = 0; i < work->inputs; i++) {
    const strew_tensor *tensor = work->operands[i].tensor;
    instruction->in[i] = (struct instruction_input){
        FROM_NUMBER, dtype_stored(tensor ? tensor->dtype : work->number_dtype), work->numbers[i]};
  }
}

static strew_status launch(const struct elementwise *work, strew_tensor *out) {
  if (count_of_sizes(work->rank, work->sizes) == 0) return STREW_OK;
  struct elementwise_plan plan; /* not zeroed first: it is large, and small calls are frequent */
  plan.count = 1;
  elementwise_instruction(work, &plan.instructions[0]);
  plan_start(&plan.plan, work->rank, work->sizes);
  plan_add(&plan.plan, out);
  for (int i = 0; i < work->inputs; i++) {
    if (!work->operands[i].tensor) continue;
    plan.instructions[0].in[i].from = plan.plan.count;
    plan_add(&plan.plan, work->operands[i].tensor);
  }
  plan_simplify_any_order(&plan.plan);
  return RUN_ON(out, elementwise->elementwise, work->call, &plan);
}

/* Makes or checks the result, and computes it. The inputs are checked. */
strew_status elementwise_run(const struct elementwise *work, strew_tensor **out) {
  if (*out) {
    RETURN_IF_FAILED(elementwise_check_written(work, *out));
    return launch(work, *out);
  }
  RETURN_IF_FAILED(tensor_create(work->call, device_of(work), work->result, work->rank, work->sizes, out));
  return release_if_failed(launch(work, *out), out);
}

static void add_input(struct elementwise *work, const char *name, strew_operand operand) {
  work->operands[work->inputs] = operand;
  work->names[work->inputs++] = name;
}

/* Adds the written tensor to those listed in messages, unless it is an operand. */
static void add_written(struct elementwise *work) {
  const strew_tensor *out = work->given;
  if (!out || out == work->self) return;
  int i = 0;
  while (work->call->operands[i].name && strcmp(work->call->operands[i].name, "out") != 0) i++;
  work->call->operands[i].name = "out";
  work->call->operands[i].tensor = out;
}

/* ------------------------------------------------------------------------------------------------------- unary */

strew_status elementwise_unary(struct elementwise *work, strew_unary_op op, strew_tensor *x) {
  work->self = x;
  work->kind = ELEMENTWISE_UNARY;
  work->op = (int)op;
  add_input(work, "self", strew_of(x));
  add_written(work);
  return check_inputs(work);
}

strew_status strew_unary(strew_unary_op op, strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL(call, "unary", error, {"self", tensor});
  struct elementwise work = {.call = &call, .given = *out};
  if ((unsigned)op >= STREW_UNARY_COUNT) return fail_unknown(&call, "op", (int)op, STREW_UNARY_COUNT - 1);
  call.op = unary_operations[op].name;
  strew_status status = elementwise_unary(&work, op, tensor);
  return TRY(status, elementwise_run(&work, out));
}

/* ------------------------------------------------------------------------------------------------------ binary */

/* Fails for operand 1, or its element at `position`, with which integers have no result. */
static strew_status fail_operand(const struct elementwise *work, strew_scalar value, const int64_t *position) {
  const strew_tensor *operand = work->operands[1].tensor;
  const bool is_power = work->op == STREW_POW;
  char text[TEXT_BYTES];
  struct fault fault = {.code = STREW_EVALUE,
                        .argument = work->names[1],
                        .value = &value,
                        .position = position,
                        .position_rank = operand ? operand->rank : 0,
                        .hint = is_power ? to_floats(work, 0) : "div gives floats, where x / 0 is inf or nan"};
  const char *rule = is_power ? "integers take exponents of 0 or more" : "integers cannot be divided by it";
  if (!operand) return fail(work->call, fault, "is %" PRId64 ", %s", value.as.i, rule);
  return fail(work->call, fault, "is %" PRId64 " at %s, %s", value.as.i,
              text_of_sizes(fault.position_rank, position, text), rule);
}

/* Finds the first zero among an integer operand's distinct elements; a power: the first negative one, in int32 or
   int64. */
static strew_status find_operand(const struct elementwise *work, const strew_tensor *operand, int64_t *number) {
  struct plan values;
  plan_index_values(&values, operand);
  if (work->op == STREW_POW) return RUN_ON(operand, index_check, work->call, &values, 0, INT64_MAX, number);
  return RUN_ON(operand, elementwise->find_zero, work->call, &values, work->compute, number);
}

static strew_status check_elements(const struct elementwise *work, strew_tensor *operand) {
  const bool is_power = work->op == STREW_POW, is_narrow = dtype_bytes(operand->dtype) < dtype_bytes(STREW_INT32);
  strew_tensor *wide = NULL;
  strew_scalar value = strew_int(0);
  int64_t number = -1, position[MAX_RANK];
  if (count_of_sizes(work->rank, work->sizes) == 0) return STREW_OK;
  if (is_power && (dtype_is_unsigned(operand->dtype) || operand->dtype == STREW_BOOL)) return STREW_OK;
  strew_status status = is_power && is_narrow ? copy_as(work->call, operand, STREW_INT32, &wide) : STREW_OK;
  if (wide) operand = wide;
  TRY(status, find_operand(work, operand, &number));
  if (status == STREW_OK && number >= 0) status = index_value(work->call, operand, number, position, &value);
  if (!is_power) value = strew_int(0); /* as converted */
  if (status == STREW_OK && number >= 0) status = fail_operand(work, value, position);
  strew_release(wide);
  return status;
}

static bool has_domain(strew_binary_op op) {
  return op == STREW_POW || op == STREW_FLOOR_DIVIDE || op == STREW_REMAINDER || op == STREW_FMOD;
}

bool elementwise_reads(strew_binary_op op, strew_operand a, strew_operand b) {
  return b.tensor && has_domain(op) && !dtype_is_float(dtype_of_operands(2, (strew_operand[]){a, b}));
}

/* Integers divided by 0, or raised to a negative power, are an error, found before anything is written. */
static strew_status check_second(const struct elementwise *work) {
  const bool is_power = work->op == STREW_POW;
  const strew_operand *second = &work->operands[1];
  if (!has_domain((strew_binary_op)work->op) || dtype_is_float(work->compute)) return STREW_OK;
  if (second->tensor) return check_elements(work, second->tensor);
  const bool is_fine = is_power ? second->number.as.i >= 0 : work->numbers[1].i64 != 0;
  return is_fine ? STREW_OK : fail_operand(work, second->number, NULL);
}

/* Turns x ^ 2 and, of floats, x ^ -1, with a number as exponent, into x * x and 1 / x: correctly rounded on every
   device, in a tenth of the time. (Not x ^ 0.5: pow gives +0 for -0 and infinity for -infinity, a root does not.) */
static strew_status choose_power(struct elementwise *work) {
  if (work->op != STREW_POW || work->operands[1].tensor) return STREW_OK;
  const strew_scalar number = strew_scalar_load(work->number_dtype, &work->numbers[1]);
  const double exponent = number.dtype == STREW_FLOAT64 ? number.as.f : (double)number.as.i;
  strew_status status = STREW_OK;
  if (exponent == 2) {
    work->op = STREW_MUL;
    work->operands[1] = work->operands[0];
  } else if (exponent == -1) {
    work->op = STREW_DIV;
    work->operands[1] = work->operands[0], work->operands[0] = strew_number(strew_int(1));
    work->names[1] = work->names[0];
    status = element_from(work->call, "self", strew_int(1), STREW_EXACT, work->number_dtype, &work->numbers[0]);
  }
  work->compute = loop_dtype(work->kind, work->op, work->common);
  return status;
}

static bool is_true(strew_scalar number) { return number.dtype == STREW_FLOAT64 ? number.as.f != 0 : number.as.i != 0; }

/* Replaces a number that the tensor's dtype cannot hold by the next smaller element, and the comparison to
   match. */
static void compare_by_value(struct elementwise *work) {
  if (!work->operands[0].tensor) swap_comparison(work);
  strew_dtype dtype = work->operands[0].tensor->dtype;
  strew_scalar *number = &work->operands[1].number, element;
  enum standing standing = number_standing(*number, dtype, &element);
  bool equality = work->op == STREW_EQ || work->op == STREW_NE;
  *number = element;
  if (standing == STANDS_AT) return;
  if (equality && dtype_is_float(dtype)) {
    *number = strew_float((double)NAN);                /* equals nothing */
  } else if (equality || standing == STANDS_NOWHERE) { /* true for no element, or for all */
    *number = strew_scalar_load(dtype, element_identity(STREW_AMAX, dtype).bytes);
    work->op = work->op == STREW_NE ? STREW_GE : STREW_LT;
  } else if (work->op == STREW_LT || work->op == STREW_LE) {
    work->op = standing == STANDS_ABOVE ? STREW_LE : STREW_LT;
  } else {
    work->op = standing == STANDS_ABOVE ? STREW_GT : STREW_GE;
  }
}

/* Converts a number beside a tensor, in operations that take any. */
static void adjust_number(struct elementwise *work) {
  if (work->operands[0].tensor && work->operands[1].tensor) return;
  strew_operand *number = &work->operands[work->operands[0].tensor ? 1 : 0];
  enum gives gives = operation_of(work->kind, work->op)->gives;
  if (gives == GIVES_TRUTH) number->number = strew_bool(is_true(number->number));
  if (gives == GIVES_ORDER) compare_by_value(work);
}

strew_status elementwise_binary(struct elementwise *work, strew_binary_op op, strew_operand a, strew_operand b) {
  work->self = a.tensor;
  work->kind = ELEMENTWISE_BINARY;
  work->op = (int)op;
  add_input(work, "self", a);
  add_input(work, "other", b);
  RETURN_IF_FAILED(check_operands(work));
  if (!a.tensor && !b.tensor)
    return fail(work->call, FAULT(STREW_EARGUMENT, "other"),
                "is a number, and so is 'self', expected at least one tensor");
  add_written(work);
  adjust_number(work);
  RETURN_IF_FAILED(check_inputs(work));
  RETURN_IF_FAILED(check_second(work));
  return choose_power(work);
}

/* ------------------------------------------------------------------------------------- where, masked_fill, clamp */

/* Without self: strew.where, or PyTorch's t.where(condition, b), in which t is a value. */
static strew_status check_mask(const struct elementwise *work) {
  const strew_tensor *mask = work->operands[0].tensor;
  if (mask->dtype == STREW_BOOL) return STREW_OK;
  struct fault fault = {
      .code = STREW_EDTYPE, .argument = work->names[0], .hint = "strew_binary(STREW_NE, x, 0) is a bool tensor"};
  if (!work->self)
    fault.hint = "strew_binary(STREW_NE, x, 0) is a bool tensor; strew_where(condition, t, b) chooses from t";
  return fail(work->call, fault, "is %s, expected bool", strew_dtype_name(mask->dtype));
}

/* The condition does not affect promotion: a, b and the result have dtype `common`. */
static strew_status choose(struct elementwise *work, strew_dtype common) {
  work->common = work->result = work->number_dtype = common;
  work->compute = loop_dtype(work->kind, 0, dtype_stored(common));
  add_written(work);
  strew_status status = check_devices(work->call);
  TRY(status, check_mask(work));
  for (int i = 1; i < work->inputs && status == STREW_OK; i++)
    if (work->operands[i].tensor)
      status = check_kind(work->call, work->names[i], work->operands[i].tensor->dtype, "the other", common);
  TRY(status, check_numbers(work));
  return TRY(status, find_sizes(work));
}

strew_status elementwise_where(struct elementwise *work, strew_tensor *condition, strew_operand a, strew_operand b) {
  work->kind = ELEMENTWISE_WHERE;
  work->self = work->given && work->given == a.tensor ? a.tensor : NULL;
  add_input(work, "condition", strew_of(condition));
  add_input(work, work->self ? "self" : "a", a);
  add_input(work, work->self ? "other" : "b", b);
  strew_status status = STREW_OK;
  for (int i = 1; i < work->inputs; i++) {
    const strew_tensor *other = work->operands[3 - i].tensor;
    if (is_string(work->operands[i]))
      TRY(status, operand_settle(work->call, work->names[i], other ? other->dtype : STREW_INT64, &work->operands[i]));
    else if (work->operands[i].tensor || work->operands[i].number.dtype != STREW_TIME)
      TRY(status, check_operand(work->call, work->names[i], work->operands[i]));
  }
  return TRY(status, choose(work, dtype_of_work(work, meet(work, 2, work->operands + 1))));
}

/* Strings alone are words, also those that are times. */
strew_status strew_where(strew_tensor *condition, strew_operand a, strew_operand b, strew_tensor **out,
                         strew_error *error) {
  const bool in_place = *out && *out == a.tensor, are_words = is_string(a) && is_string(b);
  TAKE_WORD(first, "where", error, are_words || is_text(b), condition, a);
  TAKE_WORD(second, "where", error, are_words || is_text(a), condition, b);
  CALL(call, "where", error, {"condition", condition},
       {in_place ? "self" : "a", a.tensor, first ? MOVED | UNSEEN : MOVED},
       {in_place ? "other" : "b", b.tensor, second ? MOVED | UNSEEN : MOVED},
       {"out", *out && !in_place && (*out)->dtype == STREW_TEXT ? *out : NULL, MOVED});
  struct elementwise work = {.call = &call, .given = *out};
  strew_status status = elementwise_where(&work, condition, a, b);
  return TRY(status, elementwise_run(&work, out));
}

strew_status elementwise_masked_fill(struct elementwise *work, strew_tensor *x, strew_tensor *mask,
                                     strew_operand value) {
  work->self = x;
  work->kind = ELEMENTWISE_WHERE;
  add_input(work, "mask", strew_of(mask));
  add_input(work, "value", value);
  add_input(work, "self", strew_of(x));
  if (value.tensor && value.tensor->rank)
    return fail(work->call, FAULT(STREW_ESHAPE, "value"),
                "has %d dimension%s, expected a number or a tensor without dimensions", value.tensor->rank,
                value.tensor->rank == 1 ? "" : "s");
  RETURN_IF_FAILED(check_devices(work->call));
  RETURN_IF_FAILED(operand_settle(work->call, "value", x->dtype, &work->operands[1]));
  return choose(work, x->dtype);
}

strew_status strew_masked_fill(strew_tensor *tensor, strew_tensor *mask, strew_operand value, strew_tensor **out,
                               strew_error *error) {
  TAKE_WORD(word, "masked_fill", error, tensor->dtype == STREW_TEXT, tensor, value);
  CALL(call, "masked_fill", error, {"self", tensor, MOVED}, {"mask", mask},
       {"value", value.tensor, word ? MOVED | UNSEEN : MOVED},
       {"out", *out && *out != tensor && (*out)->dtype == STREW_TEXT ? *out : NULL, MOVED});
  struct elementwise work = {.call = &call, .given = *out};
  strew_status status = elementwise_masked_fill(&work, tensor, mask, value);
  return TRY(status, elementwise_run(&work, out));
}

strew_status elementwise_clamp(struct elementwise *work, strew_tensor *x, const strew_operand *low,
                               const strew_operand *high) {
  work->self = x;
  work->kind = ELEMENTWISE_CLAMP;
  add_input(work, "self", strew_of(x));
  if (low) add_input(work, "min", *low);
  if (high) add_input(work, "max", *high);
  if (!low && !high)
    return fail(work->call, FAULT(STREW_EARGUMENT, "min"), "and 'max' are missing, expected at least one");
  if (!low || !high) {
    work->kind = ELEMENTWISE_BINARY;
    work->op = low ? STREW_MAXIMUM : STREW_MINIMUM;
  }
  add_written(work);
  strew_status status = check_operands(work);
  return TRY(status, check_inputs(work));
}
