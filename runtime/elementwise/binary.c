/* binary.c: operations on pairs, and clamp. Those that order take text and times, by their order keys. Text meets in one
   list of words first; then equal codes are equal words, and numbers in the order of bytes compare as words do. NaT is
   the least number of microseconds. It wins in a minimum; in a maximum of keys, in which it is the greatest. In
   comparisons it is no element, as NaN: one side of < has it as the greatest number, the other as the least. Times and
   seconds are added, times subtracted, as microseconds. */
#include "elementwise.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"

#include <math.h>
#include <stdio.h>

/* Operands of text or times. */
static bool has_order_key(strew_operand x) { return x.tensor && !dtype_is_number(x.tensor->dtype); }
static bool is_extreme(strew_binary_op op) { return op == STREW_MINIMUM || op == STREW_MAXIMUM; }

/* True if the operation takes them: a comparison, though not in place, minimum and maximum. */
static bool orders(strew_binary_op op, strew_operand a, const strew_tensor *out) {
  return is_extreme(op) || (binary_operations[op].gives == GIVES_ORDER && !(out && out == a.tensor));
}

/* -------------------------------------------------------------------------------------------------------- operands */

/* Two operands of text or times, at least one a tensor. */
struct pair {
  struct steps *steps;
  struct call *call;
  strew_operand x[2]; /* numbers are times, or strings beside text */
};

static strew_dtype dtype_of_pair(const strew_operand *x, int count) {
  bool has_text = false;
  for (int i = 0; i < count; i++) has_text |= x[i].tensor && x[i].tensor->dtype == STREW_TEXT;
  return has_text ? STREW_TEXT : STREW_TIME;
}

/* Moves a result to *out, or writes it there. */
static strew_status give(struct steps *steps, const strew_tensor *self, strew_tensor *made, strew_tensor **out) {
  if (!*out || steps->status != STREW_OK) return steps_give(steps, made, out);
  struct call written = *steps->call;
  written.words = NULL; /* which strew_copy adds to those of *out */
  struct elementwise work = {.call = &written, .self = self, .result = made->dtype, .rank = made->rank};
  for (int d = 0; d < made->rank; d++) work.sizes[d] = made->sizes[d];
  STEP(steps, elementwise_check_written(&work, *out));
  STEP(steps, strew_copy(*out, made, steps->error));
  return steps_status(steps);
}

/* What an operation of numbers in the places of the operands gives; errors are those of the call. */
static strew_tensor *compute(struct pair *pair, strew_binary_op op, strew_operand a, strew_operand b) {
  struct elementwise work = {.call = pair->call};
  STEP(pair->steps, elementwise_binary(&work, op, a, b));
  STEP_INTO(pair->steps, out, elementwise_run(&work, out));
  return *out;
}

/* The keys of operand i, of which numbers are times. */
static strew_operand key_of(struct pair *pair, int i, enum order_key kind) {
  const strew_operand x = pair->x[i];
  if (x.tensor) return strew_of(step_key(pair->steps, x.tensor, kind));
  return operand_of_int(kind == KEY_SORTED ? (int64_t)((uint64_t)x.number.as.i - 1) : x.number.as.i);
}

/* ----------------------------------------------------------------------------------------------------- comparisons */

/* The same with NaT as the greatest number: the greater of both keys. */
static strew_operand greatest_of(struct pair *pair, int i) {
  const strew_operand later = key_of(pair, i, KEY_SORTED), x = key_of(pair, i, KEY_LEAST);
  if (!pair->x[i].tensor) return later.number.as.i > x.number.as.i ? later : x;
  return strew_of(step_binary(pair->steps, STREW_MAXIMUM, later, x, NULL));
}

/* a == b of times: and b is one. */
static strew_tensor *equal_times(struct pair *pair, bool is_equal) {
  const int one = pair->x[1].tensor != NULL, other = !one;
  strew_operand x = key_of(pair, one, KEY_EQUAL);
  strew_tensor *found =
      compute(pair, is_equal ? STREW_EQ : STREW_NE, key_of(pair, 0, KEY_EQUAL), key_of(pair, 1, KEY_EQUAL));
  if (!pair->x[other].tensor && pair->x[other].number.as.i != INT64_MIN) return found;
  strew_tensor *no_time = step_binary(pair->steps, is_equal ? STREW_NE : STREW_EQ, x, INT64_MIN, NULL);
  return step_binary(pair->steps, is_equal ? STREW_LOGICAL_AND : STREW_LOGICAL_OR, found, no_time, found);
}

static strew_tensor *compare_times(struct pair *pair, strew_binary_op op) {
  switch (op) {
  case STREW_LT: return compute(pair, STREW_LT, greatest_of(pair, 0), key_of(pair, 1, KEY_LEAST));
  case STREW_GT: return compute(pair, STREW_GT, key_of(pair, 0, KEY_LEAST), greatest_of(pair, 1));
  case STREW_LE: return compute(pair, STREW_LT, key_of(pair, 0, KEY_SORTED), key_of(pair, 1, KEY_LEAST));
  case STREW_GE: return compute(pair, STREW_GT, key_of(pair, 0, KEY_LEAST), key_of(pair, 1, KEY_SORTED));
  default: return equal_times(pair, op == STREW_EQ);
  }
}

/* Compares with a word, which may not be in the list: `below` words are. */
static strew_tensor *compare_word(struct pair *pair, strew_binary_op op) {
  static const strew_binary_op swapped[STREW_BINARY_COUNT] = {
      [STREW_EQ] = STREW_EQ, [STREW_NE] = STREW_NE, [STREW_LT] = STREW_GT,
      [STREW_LE] = STREW_GE, [STREW_GT] = STREW_LT, [STREW_GE] = STREW_LE};
  const int text = pair->x[0].tensor == NULL;
  const bool is_equality = op == STREW_EQ || op == STREW_NE;
  int64_t code = 0, below = 0;
  if (text) op = swapped[op];
  STEP(pair->steps, text_ops.find_word(pair->call, pair->x[!text].number.as.s, !is_equality, &code, &below));
  const strew_operand keys = key_of(pair, text, is_equality ? KEY_EQUAL : KEY_LEAST);
  if (is_equality) return compute(pair, op, keys, operand_of_int(code));
  if (code >= 0 && (op == STREW_LE || op == STREW_GT)) below++;
  return compute(pair, op == STREW_LT || op == STREW_LE ? STREW_LT : STREW_GE, keys, operand_of_int(below));
}

static strew_tensor *compare_texts(struct pair *pair, strew_binary_op op) {
  const enum order_key kind = op == STREW_EQ || op == STREW_NE ? KEY_EQUAL : KEY_LEAST;
  return compute(pair, op, key_of(pair, 0, kind), key_of(pair, 1, kind));
}

/* --------------------------------------------------------------------------------------------- arithmetic of times */

static const int64_t second = 1000000; /* microseconds */

static bool is_time(strew_operand x) { return x.tensor && x.tensor->dtype == STREW_TIME; }

static strew_operand as_float(struct steps *steps, strew_operand x) {
  return x.tensor ? strew_of(step_to(steps, x.tensor, NULL, STREW_FLOAT64)) : operand_of_float((double)x.number.as.i);
}

/* The seconds from b to a, NaN beside NaT. Their microseconds are exact in int64, unless they are 292,000 years apart, and
   those below 2^53 in float64; of others whole seconds and the rest are added. */
static strew_tensor *seconds_between(struct pair *pair) {
  struct steps *steps = pair->steps;
  const strew_operand a = key_of(pair, 0, KEY_EQUAL), b = key_of(pair, 1, KEY_EQUAL);
  strew_tensor *gap = compute(pair, STREW_SUB, a, b);
  strew_tensor *far = step_binary(steps, STREW_SUB, as_float(steps, a), as_float(steps, b), NULL);
  strew_tensor *near = step_to(steps, gap, NULL, STREW_FLOAT64);
  strew_tensor *whole = step_binary(steps, STREW_FLOOR_DIVIDE, gap, second, NULL);
  strew_tensor *sum = step_to(steps, step_binary(steps, STREW_REMAINDER, gap, second, gap), NULL, STREW_FLOAT64);
  step_binary(steps, STREW_DIV, sum, second, sum);
  step_binary(steps, STREW_ADD, sum, step_to(steps, whole, NULL, STREW_FLOAT64), sum);
  strew_tensor *wraps = step_unary(steps, STREW_ABS, step_binary(steps, STREW_SUB, far, near, NULL), NULL);
  wraps = step_binary(steps, STREW_GT, wraps, 0x1p62, NULL);
  strew_tensor *is_exact = step_binary(steps, STREW_LT, step_unary(steps, STREW_ABS, near, NULL), 0x1p53, NULL);
  sum = step_where(steps, is_exact, step_binary(steps, STREW_DIV, near, second, near), sum);
  sum = step_where(steps, wraps, step_binary(steps, STREW_DIV, far, second, far), sum);
  for (int i = 0; i < 2; i++) {
    const strew_operand x = i ? b : a, none = operand_of_float((double)NAN);
    if (!x.tensor && x.number.as.i == INT64_MIN) STEP(steps, strew_fill(sum, none.number, steps->error));
    if (!pair->x[i].tensor) continue;
    strew_tensor *missing = step_binary(steps, STREW_EQ, x, INT64_MIN, NULL);
    STEP(steps, strew_masked_fill(sum, missing, none, &sum, steps->error));
  }
  return sum;
}

/* Makes seconds microseconds, of integers exact, of floats the nearest; true where int64 has none. */
static strew_tensor *to_microseconds(struct steps *steps, strew_tensor **x) {
  strew_device *device = (*x)->storage->device, *wide = device->lacks_float64 ? &device->context->cpu : device;
  const int64_t most = INT64_MAX / second;
  if (!dtype_is_float((*x)->dtype)) {
    strew_tensor *none = step_binary(steps, STREW_GT, *x, most, NULL);
    step_binary(steps, STREW_LOGICAL_OR, none, step_binary(steps, STREW_LT, *x, -most, NULL), none);
    *x = step_binary(steps, STREW_MUL, step_to(steps, *x, NULL, STREW_INT64), second, NULL);
    return none;
  }
  strew_tensor *all = step_to(steps, *x, wide, (*x)->dtype);
  if (steps->status == STREW_OK) all = step_to(steps, all, wide, STREW_FLOAT64);
  all = step_binary(steps, STREW_MUL, all, second, NULL);
  step_unary(steps, STREW_ROUND, all, all);
  strew_tensor *none = step_binary(steps, STREW_LT, step_unary(steps, STREW_ABS, all, NULL), 0x1p63, NULL);
  step_unary(steps, STREW_LOGICAL_NOT, none, none);
  if (steps->status != STREW_OK) return NULL;
  *x = step_to(steps, step_to(steps, all, wide, STREW_INT64), device, STREW_INT64);
  return step_to(steps, none, device, STREW_BOOL);
}

/* The same of a number; false: int64 has none. */
static bool number_to_microseconds(strew_scalar *x) {
  const int64_t most = INT64_MAX / second;
  const double near = x->dtype == STREW_FLOAT64 ? nearbyint(x->as.f * (double)second) : 0;
  const bool is_held =
      x->dtype == STREW_FLOAT64 ? fabs(near) < 0x1p63 : x->dtype == STREW_INT64 && x->as.i <= most && x->as.i >= -most;
  *x = strew_int(!is_held ? 0 : x->dtype == STREW_FLOAT64 ? (int64_t)near : x->as.i * second);
  return is_held;
}

/* Times moved by seconds, the other operand: NaT where int64 does not hold them. */
static strew_tensor *move_times(struct pair *pair, int time, bool is_back) {
  struct steps *steps = pair->steps;
  strew_operand by = pair->x[!time];
  const strew_dtype dtype = by.tensor ? by.tensor->dtype : by.number.dtype;
  char text[TEXT_BYTES], quoted[TEXT_BYTES + 2];
  if (!dtype_is_number(dtype) || dtype == STREW_BOOL) {
    const char *is = by.tensor || !dtype_is_number(dtype) ? strew_dtype_name(dtype) : text_of_scalar(by.number, text);
    if (is_string(by)) sprintf(quoted, "\"%s\"", text_of_name(by.number.as.s, text)), is = quoted;
    STEP(steps, fail(pair->call, FAULT(STREW_EDTYPE, time ? "self" : "other"), "is %s, expected seconds", is));
    return NULL;
  }
  const strew_operand at = key_of(pair, time, KEY_EQUAL);
  strew_tensor *none = by.tensor ? to_microseconds(steps, &by.tensor) : NULL;
  const bool is_held = by.tensor || number_to_microseconds(&by.number);
  if (is_back && by.tensor) by.tensor = step_binary(steps, STREW_MUL, by.tensor, -1, NULL);
  if (is_back && !by.tensor) by.number.as.i = -by.number.as.i;
  strew_tensor *sum = compute(pair, STREW_ADD, time ? by : at, time ? at : by);
  strew_tensor *wraps = step_binary(steps, STREW_BITWISE_XOR, sum, at, NULL);
  step_binary(steps, STREW_BITWISE_AND, wraps, step_binary(steps, STREW_BITWISE_XOR, sum, by, NULL), wraps);
  wraps = step_binary(steps, STREW_LT, wraps, 0, NULL);
  step_binary(steps, STREW_LOGICAL_OR, wraps, step_binary(steps, STREW_EQ, at, INT64_MIN, NULL), wraps);
  if (none) step_binary(steps, STREW_LOGICAL_OR, wraps, none, wraps);
  STEP(steps, strew_masked_fill(sum, wraps, operand_of_int(INT64_MIN), &sum, steps->error));
  if (!is_held) STEP(steps, strew_fill(sum, strew_int(INT64_MIN), steps->error));
  STEP(steps, text_ops.from_key(pair->call, sum, STREW_TIME, KEY_LEAST));
  return sum;
}

static strew_status run_times(struct call *call, strew_binary_op op, strew_operand a, strew_operand b,
                              strew_tensor **out) {
  STEPS(steps, call);
  struct pair pair = {&steps, call, {a, b}};
  strew_tensor *made = NULL;
  STEP(&steps, check_devices(call));
  if (op == STREW_ADD && is_time(a) && is_time(b))
    STEP(&steps, fail(call, HINTED(STREW_EDTYPE, "other", "b - a are the seconds between two times"),
                      "is time, expected seconds"));
  if (steps.status != STREW_OK) return steps_status(&steps);
  if (op == STREW_ADD || (is_time(a) && !is_time(b) && !is_string(b) && b.number.dtype != STREW_TIME)) {
    made = move_times(&pair, !is_time(a), op == STREW_SUB);
  } else {
    const strew_device *device = (is_time(a) ? a : b).tensor->storage->device;
    STEP(&steps, check_comparable(call, "self", STREW_TIME, &pair.x[0]));
    STEP(&steps, check_comparable(call, "other", STREW_TIME, &pair.x[1]));
    if (device->lacks_float64)
      STEP(&steps, fail(call, HINTED(STREW_EDTYPE, NULL, "strew_to(self, cpu) computes there"),
                        "needs seconds between times, which are float64: device %s does not have it", device->name));
    if (steps.status == STREW_OK) made = seconds_between(&pair);
  }
  if (made && steps.status == STREW_OK && *out && (*out)->dtype != made->dtype)
    STEP(&steps, fail(call, HINTED(STREW_EDTYPE, *out == a.tensor ? "self" : "out", "*out NULL makes a new tensor"),
                      "is %s, which does not hold a result of %s", strew_dtype_name((*out)->dtype),
                      strew_dtype_name(made->dtype)));
  return give(&steps, a.tensor, made, out);
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static strew_status run_ordered(struct call *call, strew_binary_op op, strew_operand a, strew_operand b,
                                strew_tensor **out) {
  STEPS(steps, call);
  struct pair pair = {&steps, call, {a, b}};
  const strew_dtype dtype = dtype_of_pair(pair.x, 2);
  STEP(&steps, check_comparable(call, "self", dtype, &pair.x[0]));
  STEP(&steps, check_comparable(call, "other", dtype, &pair.x[1]));
  STEP(&steps, check_devices(call));
  const bool has_string = dtype == STREW_TEXT && (!a.tensor || !b.tensor);
  const enum order_key kind = op == STREW_MAXIMUM ? KEY_SORTED : KEY_LEAST;
  strew_tensor *made = NULL;
  if (steps.status != STREW_OK) return steps_status(&steps);
  if (is_extreme(op)) {
    made = compute(&pair, op, key_of(&pair, 0, kind), key_of(&pair, 1, kind));
    STEP(&steps, text_ops.from_key(call, made, dtype, kind));
  } else if (has_string) {
    made = compare_word(&pair, op);
  } else {
    made = dtype == STREW_TIME ? compare_times(&pair, op) : compare_texts(&pair, op);
  }
  return give(&steps, a.tensor, made, out);
}

strew_status strew_binary(strew_binary_op op, strew_operand a, strew_operand b, strew_tensor **out,
                          strew_error *error) {
  const bool is_known = (unsigned)op < STREW_BINARY_COUNT, is_ordered = is_known && orders(op, a, *out);
  const bool is_choice = is_known && is_extreme(op), is_sum = op == STREW_ADD || op == STREW_SUB;
  const bool moves = is_sum && (is_time(a) || is_time(b)) && !is_text(a) && !is_text(b);
  const int use = is_ordered || moves ? ORDERED : 0;
  TAKE_WORD(left, "binary", error, is_choice && is_text(b), b.tensor, a);
  TAKE_WORD(right, "binary", error, is_choice && is_text(a), a.tensor, b);
  CALL(call, "binary", error, {"self", a.tensor, left ? use | UNSEEN : use},
       {"other", b.tensor, right ? use | UNSEEN : use});
  struct elementwise work = {.call = &call, .given = *out};
  if (!is_known) return fail_unknown(&call, "op", (int)op, STREW_BINARY_COUNT - 1);
  call.op = binary_operations[op].name;
  if (is_ordered && (has_order_key(a) || has_order_key(b))) return run_ordered(&call, op, a, b, out);
  if (moves) return run_times(&call, op, a, b, out);
  strew_status status = elementwise_binary(&work, op, a, b);
  return TRY(status, elementwise_run(&work, out));
}

/* A maximum with the lower bound, and a minimum with the upper one. */
static strew_status clamp_ordered(struct call *call, strew_tensor *x, const strew_operand *low,
                                  const strew_operand *high, strew_tensor **out) {
  STEPS(steps, call);
  strew_operand bounds[] = {strew_of(x), low ? *low : strew_of(x), high ? *high : strew_of(x)};
  const strew_dtype dtype = dtype_of_pair(bounds, 3);
  static const char *const names[] = {"self", "min", "max"};
  for (int i = 0; i < 3; i++) STEP(&steps, check_comparable(call, names[i], dtype, &bounds[i]));
  STEP(&steps, check_devices(call));
  if (!low && !high)
    STEP(&steps, fail(call, FAULT(STREW_EARGUMENT, "min"), "and 'max' are missing, expected at least one"));
  strew_tensor *made = x;
  if (low) made = step_binary(&steps, STREW_MAXIMUM, made, bounds[1], NULL);
  if (high) made = step_binary(&steps, STREW_MINIMUM, made, bounds[2], NULL);
  return give(&steps, x, made, out);
}

static bool is_left_out(strew_operand operand) {
  return !operand.tensor && !operand.number.dtype && !operand.number.as.i;
}

strew_status strew_clamp_with(strew_tensor *tensor, strew_operand low, strew_operand high, strew_tensor **out,
                              strew_error *error) {
  CALL(call, "clamp", error, {"self", tensor, ORDERED}, {"min", low.tensor, ORDERED}, {"max", high.tensor, ORDERED});
  struct elementwise work = {.call = &call, .given = *out};
  if (has_order_key(strew_of(tensor)) || has_order_key(low) || has_order_key(high))
    return clamp_ordered(&call, tensor, is_left_out(low) ? NULL : &low, is_left_out(high) ? NULL : &high, out);
  strew_status status =
      elementwise_clamp(&work, tensor, is_left_out(low) ? NULL : &low, is_left_out(high) ? NULL : &high);
  return TRY(status, elementwise_run(&work, out));
}
