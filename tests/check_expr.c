/* check_expr.c: strew_expr_type, strew_expr_evaluate and strew_expr_reduce match the calls made one by one, bit for bit:
   random texts over all kinds of nodes, dtypes and layouts; their failures; results written to a given tensor; wrong
   arguments. */
#include "testing.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_INPUTS = 24, MOST_VALUES = 250, TEXT_BYTES = 4096, DRAFT_BYTES = 4 * TEXT_BYTES, MOST_ELEMENTS = 20000 };

/* A value of a part of the text, which calls made one by one have given. */
struct value {
  strew_operand operand;
  int depth;
  char text[TEXT_BYTES];
};

/* A call: of an operation, or of isnan, isinf or isfinite (TEST). */
enum kind { UNARY, BINARY, WHERE, CLAMP, MASKED_FILL, WRITES_OUT, CONVERT = WRITES_OUT, FOLD, ROWS, TEST };
struct operation {
  enum kind kind;
  int op;
  strew_operand in[3];
  bool has_dim, keepdim;
  int64_t dim;
};

/* Names of inputs are "v0", "v1", ...; a text that fails has a result without operand. */
struct drawn {
  int inputs, count;
  bool is_chain; /* most operations take the one before */
  struct value values[MOST_VALUES];
  const struct value *result; /* of the text */
  struct operation last;      /* that gives it */
  strew_error error;          /* of the last one tried */
};
static struct drawn drawn;

/* ----------------------------------------------------------------------------------------------------------- inputs */

static int rank;
static int64_t sizes[STREW_MAX_RANK];

static void draw_sizes(void) {
  const int64_t kind = draw_below(8);
  rank = kind == 0 ? 1 : (int)draw_below(4);
  for (int d = 0; d < rank; d++) sizes[d] = kind == 1 && draw_below(2) ? 0 : 1 + draw_below(6);
  if (kind == 0) sizes[0] = 1 + draw_below(3000);
}

/* Of the shape, of a part of its dimensions, or of size 1 in some. */
static strew_tensor *draw_tensor(void) {
  int64_t own[STREW_MAX_RANK];
  const int left_out = draw_below(3) ? 0 : (int)draw_below(rank + 1);
  for (int d = left_out; d < rank; d++) own[d - left_out] = draw_below(8) ? sizes[d] : 1;
  const strew_dtype dtype = dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT));
  const enum layout layout = draw_below(2) ? CONTIGUOUS : (enum layout)draw_below(LAYOUT_COUNT);
  const bool is_small = !is_float_dtype(dtype) && dtype != STREW_BOOL && draw_below(2);
  if (is_small) return random_integers(dtype, rank - left_out, own, layout, 0, 4);
  return random_tensor(dtype, rank - left_out, own, layout);
}

static strew_scalar draw_number(void) {
  static const double floats[] = {0.5, -2.5, 0.1, 3, 1e-3, 40000, 2};
  const int64_t kind = draw_below(5);
  if (kind == 0) return strew_bool(draw() & 1);
  return kind < 3 ? strew_int(draw_below(9) - 3) : strew_float(floats[draw_below(7)]);
}

/* ------------------------------------------------------------------------------------------------------------ texts */

static void write_text(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_text(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, DRAFT_BYTES, format, arguments);
  va_end(arguments);
}

static struct value *add_value(strew_operand operand, const char *text, int depth) {
  struct value *value = &drawn.values[drawn.count++];
  value->operand = operand;
  value->depth = depth;
  memcpy(value->text, text, strlen(text) + 1);
  return value;
}

static void add_inputs(int count) {
  char name[20];
  for (drawn.inputs = drawn.count = 0; drawn.inputs < count; drawn.inputs++) {
    snprintf(name, sizeof name, "v%d", drawn.inputs);
    const bool is_number = drawn.inputs && draw_below(5) == 0;
    add_value(is_number ? strew_number(draw_number()) : strew_of(draw_tensor()), name, 1);
  }
  drawn.result = drawn.values;
  drawn.last.kind = TEST; /* an input: no call */
}

/* A number of the text. */
static const struct value *add_number(void) {
  char text[40];
  const strew_scalar number = draw_number();
  if (number.dtype == STREW_BOOL)
    snprintf(text, sizeof text, "%s", number.as.i ? "true" : "false");
  else if (number.dtype == STREW_INT64)
    snprintf(text, sizeof text, "(%d)", (int)number.as.i);
  else
    snprintf(text, sizeof text, "(%a)", number.as.f);
  return add_value(strew_number(number), text, 2);
}

/* A value, the latest ones often; the inputs in turn at first; sometimes a number. */
static const struct value *draw_value(bool takes_number) {
  for (;;) {
    if (takes_number && draw_below(6) == 0) return add_number();
    const int64_t back = draw_below(draw_below(2) && drawn.count > 3 ? 3 : drawn.count);
    const struct value *value = &drawn.values[drawn.count - 1 - back];
    if (takes_number || value->operand.tensor) return value;
  }
}

/* ------------------------------------------------------------------------------------------------------- operations */

/* Operations of numbers alone are those of 0-d tensors, and give numbers; those of floats take integers as float64. */
static strew_status apply_to_numbers(const struct operation *operation, strew_operand *out) {
  strew_tensor *in[2], *result = NULL;
  const bool is_float = operation->op == STREW_DIV || operation->op == STREW_POW;
  for (int i = 0; i < 2; i++) {
    const strew_scalar number = operation->in[i].number;
    const strew_dtype dtype = is_float ? STREW_FLOAT64 : number.dtype;
    ok(strew_full(strew_device_at(context, 0), dtype, 0, NULL, number, &in[i], &failure));
  }
  const strew_status status =
      strew_binary((strew_binary_op)operation->op, strew_of(in[0]), strew_of(in[1]), &result, &drawn.error);
  if (status == STREW_OK) ok(strew_item(result, &out->number, &failure));
  strew_release(in[0]), strew_release(in[1]), strew_release(result);
  return status;
}

static strew_status apply_test(int which, strew_operand x, strew_tensor **out) {
  const strew_operand high = strew_number(strew_float(INFINITY)), low = strew_number(strew_float(-INFINITY));
  const bool is_inf = which == 1;
  strew_tensor *a = NULL, *b = NULL;
  if (which == 0) return strew_binary(STREW_NE, x, x, out, &drawn.error);
  ok(strew_binary(is_inf ? STREW_EQ : STREW_GT, x, is_inf ? high : low, &a, &failure));
  ok(strew_binary(is_inf ? STREW_EQ : STREW_LT, x, is_inf ? low : high, &b, &failure));
  ok(strew_binary(is_inf ? STREW_BITWISE_OR : STREW_BITWISE_AND, strew_of(a), strew_of(b), out, &failure));
  strew_release(a), strew_release(b);
  return STREW_OK;
}

static strew_status apply(const struct operation *operation, strew_operand *out) {
  const strew_operand *in = operation->in;
  const int op = operation->op;
  const strew_reduce_options options = {
      .dim_count = operation->has_dim, .dims = operation->has_dim ? &operation->dim : NULL, operation->keepdim};
  switch (operation->kind) {
  case UNARY: return strew_unary((strew_unary_op)op, in[0].tensor, &out->tensor, &drawn.error);
  case BINARY:
    if (!in[0].tensor && !in[1].tensor) return apply_to_numbers(operation, out);
    return strew_binary((strew_binary_op)op, in[0], in[1], &out->tensor, &drawn.error);
  case WHERE: return strew_where(in[0].tensor, in[1], in[2], &out->tensor, &drawn.error);
  case CLAMP: return strew_clamp_with(in[0].tensor, in[1], in[2], &out->tensor, &drawn.error);
  case MASKED_FILL: return strew_masked_fill(in[0].tensor, in[1].tensor, in[2], &out->tensor, &drawn.error);
  case CONVERT: return strew_to(in[0].tensor, device, (strew_dtype)op, &out->tensor, &drawn.error);
  case FOLD: return strew_reduce_with((strew_fold)op, in[0].tensor, &options, &out->tensor, &drawn.error);
  case ROWS: return strew_get_rows(in[0].tensor, in[1].tensor, &out->tensor, &drawn.error);
  default: return apply_test(op, in[0], &out->tensor);
  }
}

/* ------------------------------------------------------------------------------------------------ random operations */

static bool is_bool(const struct value *value) {
  const strew_operand operand = value->operand;
  return (operand.tensor ? strew_tensor_dtype(operand.tensor) : operand.number.dtype) == STREW_BOOL;
}

static void draw_unary(const struct value *const *in, struct operation *operation, char *text) {
  const strew_unary_op op = (strew_unary_op)draw_below(STREW_UNARY_COUNT);
  const char *sign = op == STREW_NEG ? "-" : op == STREW_BITWISE_NOT ? "~" : NULL;
  if (op == STREW_LOGICAL_NOT && is_bool(in[0])) sign = "not";
  operation->op = (int)op;
  if (sign && draw_below(2))
    write_text(text, "(%s %s)", sign, in[0]->text);
  else
    write_text(text, "%s(%s)", strew_enum_name(STREW_WORDS_UNARY, op), in[0]->text);
}

static const struct {
  const char *sign;
  strew_binary_op op;
} signs[] = {
    {"+", STREW_ADD},         {"-", STREW_SUB},           {"*", STREW_MUL},
    {"/", STREW_DIV},         {"%", STREW_REMAINDER},     {"//", STREW_FLOOR_DIVIDE},
    {"^", STREW_POW},         {"==", STREW_EQ},           {"~=", STREW_NE},
    {"<", STREW_LT},          {"<=", STREW_LE},           {">", STREW_GT},
    {">=", STREW_GE},         {"&", STREW_BITWISE_AND},   {"|", STREW_BITWISE_OR},
    {"~", STREW_BITWISE_XOR}, {"and", STREW_LOGICAL_AND}, {"or", STREW_LOGICAL_OR},
};
enum { SIGNS = sizeof signs / sizeof *signs };

static void draw_binary(const struct value *const *in, struct operation *operation, char *text) {
  const int64_t i = draw_below(SIGNS - 2 * !(is_bool(in[0]) && is_bool(in[1])));
  operation->op = (int)signs[i].op;
  const bool is_beside_bool = is_bool(in[0]) != is_bool(in[1]) && i >= 7; /* maybe a comparison: an error */
  if (draw_below(2) && !is_beside_bool) {
    write_text(text, "(%s %s %s)", in[0]->text, signs[i].sign, in[1]->text);
    return;
  }
  operation->op = (int)draw_below(STREW_BINARY_COUNT);
  write_text(text, "%s(%s, %s)", strew_enum_name(STREW_WORDS_BINARY, (strew_binary_op)operation->op), in[0]->text,
             in[1]->text);
}

static void draw_fold(const struct value *x, struct operation *operation, char *text) {
  static const strew_fold folds[] = {STREW_FOLD_SUM,  STREW_FOLD_MEAN, STREW_FOLD_VAR, STREW_FOLD_STD, STREW_FOLD_AMIN,
                                     STREW_FOLD_AMAX, STREW_FOLD_ANY,  STREW_FOLD_ALL, STREW_FOLD_PROD};
  const strew_fold fold = folds[draw_below(9)];
  operation->op = (int)fold;
  operation->has_dim = draw_below(4) != 0;
  operation->keepdim = operation->has_dim && draw_below(3);
  operation->dim = draw_below(strew_tensor_rank(x->operand.tensor) + 1) - draw_below(2);
  if (operation->has_dim)
    write_text(text, "%s(%s, %d, %s)", strew_enum_name(STREW_WORDS_FOLD, fold), x->text, (int)operation->dim,
               operation->keepdim ? "true" : "false");
  else
    write_text(text, "%s(%s)", strew_enum_name(STREW_WORDS_FOLD, fold), x->text);
}

static void draw_conversion(const struct value *x, struct operation *operation, char *text) {
  operation->op = (int)dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT));
  write_text(text, "%s(%s)", strew_dtype_name((strew_dtype)operation->op), x->text);
}

static void draw_test(const struct value *x, struct operation *operation, char *text) {
  operation->op = (int)draw_below(3);
  write_text(text, "%s(%s)", (const char *const[]){"isnan", "isinf", "isfinite"}[operation->op], x->text);
}

/* Operands that are tensors alone; of the condition or mask, a bool if one is found; of the index, an integer. */
static void draw_operands(enum kind kind, const struct value **in) {
  const bool a_number = kind == BINARY && draw_below(4) == 0, b_tensor = kind == MASKED_FILL || kind == ROWS;
  in[0] = draw_value(a_number), in[1] = draw_value(!b_tensor), in[2] = draw_value(true);
  if (drawn.result->operand.tensor && draw_below(drawn.is_chain ? 8 : 2)) in[0] = drawn.result;
  for (int i = 0; i < 9 && kind == WHERE && !is_bool(in[0]); i++) in[0] = draw_value(false);
  for (int i = 0; i < 9 && kind == MASKED_FILL && !is_bool(in[1]); i++) in[1] = draw_value(false);
  for (int i = 0; i < 20 && kind == ROWS && is_float_dtype(strew_tensor_dtype(in[1]->operand.tensor)); i++)
    in[1] = draw_value(false);
}

/* False if the rows would have too many elements. */
static bool draw_operation(struct operation *operation, char *text, int *depth) {
  static const enum kind kinds[] = {UNARY, UNARY, UNARY,       BINARY,  BINARY,  BINARY, BINARY, BINARY,
                                    WHERE, CLAMP, MASKED_FILL, CONVERT, CONVERT, FOLD,   ROWS,   TEST};
  const struct value *in[3];
  const enum kind kind = operation->kind = kinds[draw_below(16)];
  draw_operands(kind, in);
  for (int i = 0; i < 3; i++) {
    operation->in[i] = in[i]->operand;
    if (in[i]->depth > *depth) *depth = in[i]->depth;
  }
  const strew_tensor *m = in[0]->operand.tensor, *index = in[1]->operand.tensor;
  switch (kind) {
  case UNARY: draw_unary(in, operation, text); break;
  case BINARY: draw_binary(in, operation, text); break;
  case CONVERT: draw_conversion(in[0], operation, text); break;
  case FOLD: draw_fold(in[0], operation, text); break;
  case TEST: draw_test(in[0], operation, text); break;
  case ROWS:
    write_text(text, "(%s)[%s]", in[0]->text, in[1]->text);
    return strew_tensor_numel(m) * strew_tensor_numel(index) < MOST_ELEMENTS &&
           strew_tensor_rank(m) + strew_tensor_rank(index) < STREW_MAX_RANK;
  default:
    write_text(text, "%s(%s, %s, %s)",
               kind == WHERE   ? "where"
               : kind == CLAMP ? "clamp"
                               : "masked_fill",
               in[0]->text, in[1]->text, in[2]->text);
  }
  return true;
}

/* Adds an operation, which becomes the result. One that is refused is left out, or is the last: returns false. */
static bool add_operation(bool may_fail) {
  static char text[DRAFT_BYTES];
  strew_operand out = strew_no_operand();
  struct operation operation = {.dim = 0};
  int depth = 0;
  drawn.error = (strew_error){0};
  if (!draw_operation(&operation, text, &depth) || strlen(text) >= TEXT_BYTES || depth > 190) return true;
  const strew_status status = apply(&operation, &out);
  if (status != STREW_OK && !may_fail) return true;
  drawn.last = operation;
  drawn.result = add_value(out, text, depth + 2);
  return status == STREW_OK;
}

static void release_drawn(void) {
  for (int i = 0; i < drawn.count; i++) strew_release(drawn.values[i].operand.tensor);
}

/* ------------------------------------------------------------------------------------------------------- comparison */

static strew_expr *expr;
static strew_operand given[MOST_INPUTS];
static strew_expr_values values;

/* Parses the text of the result, and binds the inputs in the order of their names. */
static void parse_result(void) {
  const char *text = drawn.result->text;
  ok(strew_expr_parse(context, text, strlen(text), &expr, &failure));
  for (int i = 0; i < strew_expr_input_count(expr); i++)
    given[i] = drawn.values[atoi(strew_expr_input(expr, i) + 1)].operand;
  values = (strew_expr_values){.inputs = given};
}

static bool has_tensor(void) {
  for (int i = 0; i < strew_expr_input_count(expr); i++)
    if (given[i].tensor) return true;
  return false;
}

static void check_type(const strew_tensor *expected) {
  strew_dtype dtype;
  int type_rank;
  int64_t type_sizes[STREW_MAX_RANK];
  ok(strew_expr_type(expr, &values, &dtype, &type_rank, type_sizes, &failure));
  ck_assert_int_eq(dtype, strew_tensor_dtype(expected));
  assert_sizes(expected, type_rank, type_sizes);
  ok(strew_expr_type(expr, &values, NULL, NULL, NULL, &failure));
}

/* An index out of range is found by binding, or where elements are read. */
static void check_bound_failing(strew_status code) {
  strew_tensor *bound = NULL, *out = NULL;
  const strew_status status = strew_expr_bind(expr, &values, &bound, &failure);
  if (status == STREW_OK) assert_fails(strew_clone(bound, &out, &failure), code, NULL);
  if (status == STREW_OK) assert_fails(strew_cumsum_with(bound, 0, NULL, &out, &failure), code, NULL);
  ck_assert_int_eq(status == STREW_OK || status == code, true);
  ck_assert_ptr_null(out);
  strew_release(bound);
}

/* True if the text's word or sign is the operation's: m[i] of get_rows, "and" of logical_and. */
static bool names(const char *word, const char *op) {
  const bool is_logical = !strncmp(op, "logical_", 8);
  return !strcmp(word, strcmp(op, "get_rows") ? op : "m[i]") || (is_logical && !strcmp(word, op + 8));
}

/* The message of the operation by itself, with the operands as they are, begins that of the expression. */
static void check_failing(strew_status code) {
  strew_tensor *out = NULL, *written = random_tensor(STREW_FLOAT32, rank, sizes, CONTIGUOUS), *before = NULL;
  ok(strew_clone(written, &before, &failure));
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), code, NULL);
  ck_assert_ptr_null(out);
  ck_assert_msg(strstr(failure.message, "^") != NULL || !has_tensor(), "no mark: %s", failure.message);
  const char *op = has_tensor() ? drawn.error.op : "expr";
  ck_assert_msg(names(failure.op, op), "%s, not %s: %s", failure.op, op, failure.message);
  assert_fails(strew_expr_evaluate(expr, &values, &written, &failure), code, NULL);
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_ANY, NULL, &out, &failure), code, NULL);
  check_bound_failing(code);
  assert_fails(strew_expr_type(expr, &values, NULL, NULL, NULL, &failure), code, NULL);
  assert_same(written, before, "a tensor given to an expression that fails");
  strew_release(written), strew_release(before);
}

/* A tensor without memory: a fold reads it, then others store it. */
static void check_bound(strew_tensor *expected, const char *text) {
  strew_tensor *bound = NULL, *copy = NULL, *folds[2] = {NULL, NULL};
  ok(strew_expr_bind(expr, &values, &bound, &failure));
  ok(strew_reduce_with(STREW_FOLD_ALL, bound, NULL, &folds[0], &failure));
  ok(strew_reduce_with(STREW_FOLD_ALL, expected, NULL, &folds[1], &failure));
  ok(strew_tensor_rank(expected) ? strew_cat(1, &bound, 0, &copy, &failure) : strew_clone(bound, &copy, &failure));
  assert_same(folds[0], folds[1], text), assert_same(copy, expected, text);
  strew_release(bound), strew_release(copy), strew_release(folds[0]), strew_release(folds[1]);
}

/* A mask without memory is stored by what writes by it. */
static void check_bound_mask(strew_tensor *expected, const char *text) {
  const int mask_rank = strew_tensor_rank(expected);
  if (strew_tensor_dtype(expected) != STREW_BOOL || !mask_rank) return;
  strew_tensor *bound = NULL,
               *filled = random_tensor(STREW_FLOAT32, mask_rank, strew_tensor_sizes(expected), CONTIGUOUS);
  strew_tensor *wanted = NULL;
  ok(strew_clone(filled, &wanted, &failure));
  ok(strew_expr_bind(expr, &values, &bound, &failure));
  ok(strew_set_rows(filled, bound, strew_number(strew_int(7)), &failure));
  ok(strew_set_rows(wanted, expected, strew_number(strew_int(7)), &failure));
  assert_same(filled, wanted, text), assert_same(bound, expected, text);
  strew_release(bound), strew_release(filled), strew_release(wanted);
}

static void check_new(const strew_tensor *expected, const char *text) {
  strew_tensor *out = NULL;
  ok(strew_expr_evaluate(expr, &values, &out, &failure));
  ck_assert_int_eq(strew_tensor_is_contiguous(out), true);
  assert_same(out, expected, text);
  strew_release(out);
}

/* Returns an input of that shape that can be written, in a view of its own, or NULL. */
static strew_tensor *writable_input(const strew_tensor *result) {
  const int count = strew_tensor_rank(result);
  strew_tensor *view = NULL;
  for (int i = 0; i < strew_expr_input_count(expr); i++) {
    strew_tensor *input = given[i].tensor;
    bool fits = input && strew_tensor_rank(input) == count;
    for (int d = 0; d < count && fits; d++)
      fits = strew_tensor_sizes(input)[d] == strew_tensor_sizes(result)[d] &&
             (strew_tensor_strides(input)[d] || strew_tensor_sizes(input)[d] == 1);
    if (!fits) continue;
    ok(strew_expand(input, count, strew_tensor_sizes(input), &view, &failure));
    return view;
  }
  return NULL;
}

/* Writes what the last call gives: the call itself, if it takes a result to write; else a call that computes nothing. */
static strew_status write_last(strew_tensor *expected, strew_tensor **out) {
  strew_operand written = strew_of(*out);
  if (drawn.last.kind < WRITES_OUT) return apply(&drawn.last, &written);
  strew_tensor *truth = scalar_tensor(STREW_BOOL, strew_bool(true));
  const strew_status status = strew_where(truth, strew_of(expected), strew_of(expected), out, NULL);
  strew_release(truth);
  return status;
}

/* Into a tensor of another dtype or layout, or an input. */
static void check_written(strew_tensor *expected, const char *text) {
  strew_tensor *out = draw_below(2) ? writable_input(expected) : NULL, *copy = NULL;
  const strew_dtype dtype = dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT));
  if (!out)
    out = random_tensor(draw_below(2) ? dtype : strew_tensor_dtype(expected), strew_tensor_rank(expected),
                        strew_tensor_sizes(expected), (enum layout)draw_below(EXPANDED));
  ok(strew_clone(out, &copy, &failure));
  const strew_status status = write_last(expected, &copy);
  if (status == STREW_OK)
    ok(strew_expr_evaluate(expr, &values, &out, &failure));
  else
    assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), status, NULL);
  assert_same(out, copy, text);
  strew_release(out), strew_release(copy);
}

static void check_reduced(strew_tensor *expected, const char *text) {
  strew_tensor *a = NULL, *b = NULL;
  const strew_fold fold = (strew_fold)draw_below(STREW_FOLD_COUNT);
  const int64_t dim = draw_below(strew_tensor_rank(expected) + 1);
  const double correction = (double)draw_below(2);
  const strew_reduce_options options = {.dim_count = 1, .dims = &dim, .keepdim = draw() & 1, .correction = &correction};
  const strew_reduce_options *given_options = draw_below(4) ? &options : NULL;
  const strew_status status = strew_reduce_with(fold, expected, given_options, &a, NULL);
  if (status != STREW_OK) {
    assert_fails(strew_expr_reduce(expr, &values, fold, given_options, &b, &failure), status, NULL);
    return;
  }
  ok(strew_expr_reduce(expr, &values, fold, given_options, &b, &failure));
  assert_same(b, a, text);
  ok(strew_fill(b, strew_int(0), &failure));
  ok(strew_expr_reduce(expr, &values, fold, given_options, &b, &failure));
  assert_same(b, a, text);
  strew_release(a), strew_release(b);
}

static void check_result(void) {
  strew_tensor *expected = drawn.result->operand.tensor;
  const char *text = drawn.result->text;
  check_type(expected);
  check_new(expected, text);
  check_bound(expected, text);
  check_bound_mask(expected, text);
  if (draw_below(2)) check_reduced(expected, text);
  if (draw_below(2)) check_written(expected, text);
}

static void check_random(void) {
  const bool is_large = drawn.is_chain = draw_below(8) == 0;
  const int64_t refused_at = draw_below(2);
  bool is_refused = false;
  draw_sizes();
  add_inputs(1 + (int)draw_below(is_large ? MOST_INPUTS : 4));
  for (int left = 1 + (int)draw_below(is_large ? 80 : 10); left > 0 && drawn.count < MOST_VALUES - 4; left--)
    is_refused = !add_operation(left == refused_at);
  parse_result();
  if (is_refused)
    check_failing(has_tensor() ? drawn.error.code : STREW_EARGUMENT);
  else if (!drawn.result->operand.tensor)
    check_failing(STREW_EARGUMENT);
  else
    check_result();
  strew_expr_release(expr);
  release_drawn();
}

enum { PROGRAMS = 100 }; /* of a seed */

START_TEST(expressions_match_their_calls) {
  if (!chosen(_i, 10)) return;
  seed_draws((uint64_t)_i);
  use_turn(_i % 2, _i / 2);
  for (int i = 0; i < some(PROGRAMS); i++) check_random();
}
END_TEST

/* -------------------------------------------------------------------------------------------------- larger programs */

static void parse(const char *text, const strew_operand *inputs) {
  ok(strew_expr_parse(context, text, strlen(text), &expr, &failure));
  values = (strew_expr_values){.inputs = inputs};
}

/* More instructions than a program has, and more inputs: an operation after the other, on an input each. Kinds of
   _i: float32, float16 (rounded after each operation), int64, and one that needs the first results again at the end. */
START_TEST(long_chains_are_cut) {
  enum { LONG = 50 };
  static char text[DRAFT_BYTES], longer[DRAFT_BYTES];
  const strew_dtype dtype = (const strew_dtype[]){STREW_FLOAT32, STREW_FLOAT16, STREW_INT64, STREW_FLOAT32}[_i];
  const int64_t size = 700;
  strew_operand in[MOST_INPUTS];
  strew_tensor *steps[LONG], *out = NULL;
  use_turn(_i % 2, _i);
  for (int i = 0; i < MOST_INPUTS; i++) in[i] = strew_of(random_tensor(dtype, 1, &size, CONTIGUOUS));
  steps[0] = strew_retain(in[0].tensor);
  write_text(text, "v0");
  for (int k = 1; k < LONG; k++) {
    const strew_binary_op op = (const strew_binary_op[]){STREW_ADD, STREW_MUL, STREW_SUB}[k % 3];
    strew_tensor *other = _i == 3 && k > LONG / 2 ? steps[0] : in[k % MOST_INPUTS].tensor;
    write_text(longer, "(%s %c v%d)", text, "+*-"[k % 3], other == steps[0] ? 0 : k % MOST_INPUTS);
    memcpy(text, longer, strlen(longer) + 1);
    steps[k] = NULL;
    ok(strew_binary(op, strew_of(steps[k - 1]), strew_of(other), &steps[k], &failure));
  }
  strew_operand bound[MOST_INPUTS];
  parse(text, bound);
  for (int i = 0; i < strew_expr_input_count(expr); i++) bound[i] = in[atoi(strew_expr_input(expr, i) + 1)];
  ok(strew_expr_evaluate(expr, &values, &out, &failure));
  for (int i = 0; i < MOST_INPUTS; i++) strew_release(in[i].tensor); /* at once: the result needs none */
  assert_same(out, steps[LONG - 1], text);
  for (int k = 0; k < LONG; k++) strew_release(steps[k]);
  strew_release(out), strew_expr_release(expr);
}
END_TEST

/* A value with all the tensors that a program may have, of which another operation then stores a part: a tensor more.
   The sum of 11 inputs and of their products. */
START_TEST(stored_parts_are_tensors_more) {
  enum { LEAVES = 11 };
  static char text[DRAFT_BYTES];
  const int64_t size = 40;
  char *end = text;
  strew_operand in[LEAVES];
  strew_tensor *sum = NULL, *product = NULL, *spread = NULL, *out = NULL, *folded = NULL, *expected = NULL;
  for (int i = 0; i < LEAVES; i++) in[i] = strew_of(random_tensor(STREW_FLOAT32, 1, &size, CONTIGUOUS));
  end += sprintf(end, "v0 * v1");
  ok(strew_binary(STREW_MUL, in[0], in[1], &product, &failure));
  for (int i = 0; i < LEAVES; i++) {
    end += sprintf(end, " + v%d", i);
    ok(strew_binary(STREW_ADD, strew_of(sum ? sum : product), in[i], &sum, &failure));
  }
  sprintf(end, " + var(v0 * v1)");
  ok(strew_reduce_with(STREW_FOLD_VAR, product, NULL, &spread, &failure));
  ok(strew_binary(STREW_ADD, strew_of(sum), strew_of(spread), &sum, &failure));
  parse(text, in);
  ok(strew_expr_evaluate(expr, &values, &out, &failure));
  assert_same(out, sum, text);
  ok(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, NULL, &folded, &failure));
  ok(strew_reduce_with(STREW_FOLD_SUM, sum, NULL, &expected, &failure));
  assert_same(folded, expected, text);
  for (int i = 0; i < LEAVES; i++) strew_release(in[i].tensor);
  strew_release(sum), strew_release(product), strew_release(spread), strew_release(out), strew_release(folded);
  strew_release(expected), strew_expr_release(expr);
}
END_TEST

/* -------------------------------------------------------------------------------------------------- wrong arguments */

static strew_tensor *vector, *out;

static void start(const char *text, const strew_operand *inputs) {
  parse(text, inputs);
  out = NULL;
}

static void finish(void) {
  ck_assert_ptr_null(out);
  strew_expr_release(expr), strew_release(vector);
}

static strew_operand make_vector(void) {
  return strew_of(vector = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1, 2, 3, 4}));
}

START_TEST(test_overlapping_result) {
  const int64_t three = 3;
  strew_operand in[] = {make_vector(), strew_number(strew_int(2))};
  strew_tensor *written = NULL, *same = NULL;
  ok(strew_narrow(vector, 0, 1, 3, &written, &failure));
  ok(strew_narrow(vector, 0, 0, 3, &in[0].tensor, &failure));
  start("x * k + 1", in);
  assert_fails(strew_expr_evaluate(expr, &values, &written, &failure), STREW_EOVERLAP, NULL);
  assert_elements(vector, STREW_FLOAT32, (float[]){1, 2, 3, 4}, "an overlapping result");
  ok(strew_as_strided(vector, 1, &three, (int64_t[]){1}, 0, &same, &failure));
  ok(strew_expr_evaluate(expr, &values, &same, &failure));
  assert_elements(vector, STREW_FLOAT32, (float[]){3, 5, 7, 4}, "another view of the input");
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, NULL, &same, &failure), STREW_EOVERLAP, NULL);
  assert_elements(vector, STREW_FLOAT32, (float[]){3, 5, 7, 4}, "a reduction to its input");
  strew_release(written), strew_release(same), strew_release(in[0].tensor);
  finish();
}
END_TEST

START_TEST(test_wrong_result) {
  const strew_operand in[] = {make_vector()};
  strew_tensor *shorter = tensor_from_integers(STREW_FLOAT32, 3, (int64_t[]){7, 7, 7}), *whole = NULL, *spread = NULL;
  start("x + 1", in);
  assert_fails(strew_expr_evaluate(expr, &values, &shorter, &failure), STREW_ESHAPE, NULL);
  whole = tensor_from_integers(STREW_INT64, 4, (int64_t[]){7, 7, 7, 7});
  assert_fails(strew_expr_evaluate(expr, &values, &whole, &failure), STREW_EDTYPE, NULL);
  assert_elements(whole, STREW_INT64, (int64_t[]){7, 7, 7, 7}, "a result of another dtype");
  ok(strew_as_strided(shorter, 1, (int64_t[]){4}, (int64_t[]){0}, 0, &spread, &failure));
  assert_fails(strew_expr_evaluate(expr, &values, &spread, &failure), STREW_EOVERLAP, NULL);
  assert_elements(shorter, STREW_FLOAT32, (float[]){7, 7, 7}, "a wrong result");
  strew_release(shorter), strew_release(whole), strew_release(spread);
  finish();
}
END_TEST

START_TEST(test_reserved_bytes) {
  const strew_operand in[] = {make_vector()};
  start("x + 1", in);
  values.reserved[2] = 1;
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_expr_type(expr, &values, NULL, NULL, NULL, &failure), STREW_EARGUMENT, NULL);
  values.reserved[2] = 0;
  const strew_reduce_options options = {.reserved = {1}}, negative = {.dim_count = -1}, missing = {.dim_count = 1};
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, &options, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, &negative, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_expr_reduce(expr, &values, STREW_FOLD_SUM, &missing, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_expr_reduce(expr, &values, (strew_fold)99, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  finish();
}
END_TEST

/* Of more elements than any fold reads in the time limit: they have no memory of their own. */
START_TEST(test_types_without_elements) {
  const int64_t most = INT64_C(1) << 40;
  strew_operand in[] = {strew_no_operand()};
  strew_tensor *one = NULL;
  strew_dtype dtype;
  int type_rank;
  int64_t type_sizes[STREW_MAX_RANK];
  ok(strew_full(device, STREW_FLOAT32, 1, &(int64_t){1}, strew_int(1), &one, &failure));
  ok(strew_expand(one, 1, &most, &in[0].tensor, &failure));
  start("(x - mean(x)) / std(x) + sum(x > 2)", in);
  strew_context_limit_time(context, 1);
  ok(strew_expr_type(expr, &values, &dtype, &type_rank, type_sizes, &failure));
  strew_context_limit_time(context, 0);
  ck_assert_int_eq(dtype, STREW_FLOAT32);
  assert_sizes(in[0].tensor, type_rank, type_sizes);
  strew_release(one), strew_release(in[0].tensor);
  in[0] = make_vector();
  strew_expr_release(expr);
  start("7 // sum(int64(x - x))", in); /* what a check reads is computed */
  assert_fails(strew_expr_type(expr, &values, NULL, NULL, NULL, &failure), STREW_EVALUE, NULL);
  finish();
}
END_TEST

START_TEST(test_numbers_alone) {
  const strew_operand in[] = {strew_number(strew_int(2)), make_vector()};
  strew_operand wrong = strew_number(strew_int(2));
  wrong.number.dtype = (strew_dtype)77;
  start("k + 1", in);
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  values.inputs = &wrong;
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  strew_expr_release(expr);
  start("where(k > 1, 2, 3)", in);
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  strew_expr_release(expr);
  start("1 + 2", NULL); /* no inputs */
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  finish();
}
END_TEST

/* Tensors of another context, and of another device if there is one. */
START_TEST(test_two_devices) {
  strew_context *other = NULL;
  const int64_t four = 4;
  strew_operand in[] = {make_vector(), strew_no_operand()};
  ok(strew_context_create(NULL, &other, &failure));
  ok(strew_full(strew_device_at(other, 0), STREW_FLOAT32, 1, &four, strew_int(0), &in[1].tensor, &failure));
  start("x + y", in);
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EDEVICE, NULL);
  strew_tensor *foreign = in[1].tensor;
  in[1] = in[0];
  assert_fails(strew_expr_evaluate(expr, &values, &foreign, &failure), STREW_EDEVICE, NULL);
  if (on_device()) {
    ok(strew_full(strew_device_at(context, 0), STREW_FLOAT32, 1, &four, strew_int(0), &in[1].tensor, &failure));
    assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EDEVICE, NULL);
    strew_tensor *on_cpu = in[1].tensor;
    in[1] = in[0];
    assert_fails(strew_expr_evaluate(expr, &values, &on_cpu, &failure), STREW_EDEVICE, NULL);
    strew_release(on_cpu);
  }
  const strew_operand others[] = {strew_of(foreign), strew_of(foreign)};
  values.inputs = others;
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EDEVICE, NULL);
  strew_release(foreign), strew_context_release(other);
  finish();
}
END_TEST

/* Codes of words come by their numbers; a word without a code equals nothing. */
START_TEST(test_words) {
  strew_tensor *city = tensor_from_integers(STREW_INT64, 4, (int64_t[]){0, 2, 1, 2});
  const strew_operand in[] = {strew_of(city)};
  start("city == 'Rome' or city == \"Oslo\"", in);
  ck_assert_int_eq(strew_expr_word_count(expr), 2);
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EARGUMENT, NULL);
  values.codes = (const int64_t[]){2, -1};
  ok(strew_expr_evaluate(expr, &values, &out, &failure));
  assert_elements(out, STREW_BOOL, (bool[]){false, true, false, true}, "words");
  strew_release(out), strew_release(city), strew_expr_release(expr);
}
END_TEST

/* Of which no element is used. */
START_TEST(test_index_of_an_empty_result) {
  const int64_t none = 0;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 1, (int64_t[]){4}), *empty = NULL;
  const strew_operand in[] = {make_vector(), strew_of(index),
                              strew_of(empty = random_tensor(STREW_FLOAT32, 1, &none, CONTIGUOUS))};
  start("m[i] + e", in);
  assert_fails(strew_expr_evaluate(expr, &values, &out, &failure), STREW_EINDEX, NULL);
  strew_release(index), strew_release(empty);
  finish();
}
END_TEST

/* -------------------------------------------------------------------------------------------------- combinations */

static strew_combination *make_combination(const char *combine) {
  const strew_accumulator accumulator = {.name = "acc", .init = strew_int(0), .combine = combine};
  strew_combination *combination = NULL;
  ok(strew_combination_create(context, 1, &accumulator, NULL, &combination, &failure));
  return combination;
}

/* Tensors of a wrong shape or dtype, or of another context; none. */
START_TEST(test_wrong_tensors_of_a_combination) {
  const int64_t whole[] = {3, 2, 2}, shape[] = {1, 2, 2}, flat[] = {1, 4, 1};
  strew_combination *combination = make_combination("acc + x * i");
  strew_tensor *x = random_tensor(STREW_FLOAT32, 3, whole, CONTIGUOUS), *made = NULL;
  strew_tensor *self = random_tensor(STREW_FLOAT32, 3, shape, CONTIGUOUS);
  strew_tensor *wrong = random_tensor(STREW_FLOAT32, 3, flat, CONTIGUOUS);
  strew_tensor *floats = random_tensor(STREW_FLOAT32, 1, whole, CONTIGUOUS);
  strew_tensor *few = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 1});
  strew_combine_options options = {.sources = &x, .self = self};
  ok(strew_combine(combination, x, &options, &made, &failure));
  strew_release(made), made = NULL;
  options.self = wrong;
  assert_fails(strew_combine(combination, x, &options, &made, &failure), STREW_ESHAPE, NULL);
  options = (strew_combine_options){.sources = &x, .positions = floats};
  assert_fails(strew_combine(combination, x, &options, &made, &failure), STREW_ESHAPE, NULL);
  options.positions = few;
  assert_fails(strew_combine(combination, x, &options, &made, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_combine(combination, x, NULL, &made, &failure), STREW_EARGUMENT, NULL);
  for (int s = 0; s < 2; s++) { /* even without sources, whose dtypes could refuse it */
    strew_combination *count = make_combination(s ? "acc + x" : "acc + i");
    strew_tensor *time = NULL;
    ok(strew_to(few, device, STREW_TIME, &time, &failure));
    ok(strew_narrow(time, 0, 0, 1, &made, &failure));
    options = (strew_combine_options){.sources = &floats, .self = made};
    strew_tensor *result = NULL;
    assert_fails(strew_combine(count, floats, &options, &result, &failure), STREW_EDTYPE, NULL);
    ck_assert_ptr_nonnull(strstr(failure.message, "combine: 'self' is time, combine takes numbers"));
    strew_release(time), strew_release(made), made = NULL;
    strew_combination_release(count);
  }
  strew_context *other = NULL;
  strew_tensor *foreign = NULL;
  ok(strew_context_create(NULL, &other, &failure));
  ok(strew_full(strew_device_at(other, 0), STREW_FLOAT32, 3, whole, strew_int(0), &foreign, &failure));
  options = (strew_combine_options){.sources = &foreign};
  assert_fails(strew_combine(combination, foreign, &options, &made, &failure), STREW_EDEVICE, NULL);
  ck_assert_ptr_null(made);
  strew_release(x), strew_release(self), strew_release(wrong), strew_release(floats), strew_release(few);
  strew_release(foreign), strew_context_release(other), strew_combination_release(combination);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("expr");
  TCase *all = new_case(suite, "against calls one by one");
  const struct cases drawn_cases = program_cases(210, PROGRAMS);
  tcase_add_loop_test(all, expressions_match_their_calls, drawn_cases.first, drawn_cases.end);
  tcase_add_loop_test(all, long_chains_are_cut, 0, 4);
  tcase_add_test(all, stored_parts_are_tensors_more);
  TCase *wrong = new_case(suite, "arguments");
  tcase_add_test(wrong, test_overlapping_result);
  tcase_add_test(wrong, test_wrong_result);
  tcase_add_test(wrong, test_reserved_bytes);
  tcase_add_test(wrong, test_types_without_elements);
  tcase_add_test(wrong, test_numbers_alone);
  tcase_add_test(wrong, test_two_devices);
  tcase_add_test(wrong, test_words);
  tcase_add_test(wrong, test_index_of_an_empty_result);
  tcase_add_test(wrong, test_wrong_tensors_of_a_combination);
  return suite;
}
