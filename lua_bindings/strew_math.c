/* strew_math.c: elementwise operations, comparisons and matrix products. Beside a tensor, operands may be numbers. */
#include "runtime/shared/tables.h"
#include "strew_bind.h"

bool bind_is_float(strew_dtype dtype) {
  enum { BOOLEAN, INTEGER, FLOATING };
  static const bool is_float[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = category == FLOATING,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return is_float[dtype];
}

static int unary(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_unary((strew_unary_op)call->row->code, self, out, &call->error), 1);
}

int bind_binary(lua_State *L, struct script_call *call, strew_binary_op op) {
  strew_tensor **out = bind_result(L, call);
  strew_operand self, other;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_operand, &self}, {"other", REQUIRED, bind_operand, &other}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (!self.tensor && !other.tensor)
    return bind_fail(call, STREW_EARGUMENT, "self", "is a number, and so is 'other', expected at least one tensor");
  return bind_end(strew_binary(op, self, other, out, &call->error), 1);
}

static int binary(lua_State *L, struct script_call *call) {
  return bind_binary(L, call, (strew_binary_op)call->row->code);
}

static int where(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *condition;
  strew_operand a, b;
  const struct parameter parameters[] = {{"condition", REQUIRED, bind_tensor, &condition},
                                         {"a", REQUIRED, bind_operand, &a},
                                         {"b", REQUIRED, bind_operand, &b},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_where(condition, a, b, out, &call->error), 1);
}

static int masked_fill(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *mask;
  strew_operand value;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"mask", REQUIRED, bind_tensor, &mask},
                                         {"value", REQUIRED, bind_operand, &value},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_masked_fill(self, mask, value, out, &call->error), 1);
}

/* An optional operand. */
struct bound {
  bool is_given;
  strew_operand operand;
};

static bool read_bound(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct bound *bound = out;
  return bound->is_given = bind_operand(L, call, i, name, &bound->operand);
}

/* clamp([min] [, max]) */
static int clamp(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  struct bound min = {false, strew_of(NULL)}, max = min;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"min", OPTIONAL, read_bound, &min},
                                         {"max", OPTIONAL, read_bound, &max},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (!min.is_given && !max.is_given)
    return bind_fail(call, STREW_EARGUMENT, "min", "and 'max' are missing, expected at least one");
  return bind_end(
      strew_clamp(self, min.is_given ? &min.operand : NULL, max.is_given ? &max.operand : NULL, out, &call->error), 1);
}

/* equal and allclose compare two tensors as a whole. */
static int equal(lua_State *L, struct script_call *call) {
  strew_tensor *self, *other;
  bool is_equal;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"other", REQUIRED, bind_tensor, &other}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strew_equal(self, other, &is_equal, &call->error) != STREW_OK) return -1;
  lua_pushboolean(L, is_equal);
  return 1;
}

static int allclose(lua_State *L, struct script_call *call) {
  strew_tensor *self, *other;
  double rtol = 1e-5, atol = 1e-8;
  bool is_close;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"other", REQUIRED, bind_tensor, &other},
                                         {"rtol", OPTIONAL, bind_float, &rtol},
                                         {"atol", OPTIONAL, bind_float, &atol},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strew_allclose(self, other, rtol, atol, &is_close, &call->error) != STREW_OK) return -1;
  lua_pushboolean(L, is_close);
  return 1;
}

/* isclose(other [, rtol [, atol [, equal_nan]]]) */
static int isclose(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *other;
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"other", REQUIRED, bind_tensor, &other},
                                         {"rtol", OPTIONAL, bind_float, &rtol},
                                         {"atol", OPTIONAL, bind_float, &atol},
                                         {"equal_nan", OPTIONAL, bind_boolean, &equal_nan},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_isclose(self, other, rtol, atol, equal_nan, out, &call->error), 1);
}

static int product(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *other;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"other", REQUIRED, bind_tensor, &other}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_matmul((strew_product)call->row->code, self, other, out, &call->error), 1);
}

/* What result_type has read: the promoted dtype of tensors and words, and the number of the highest category. */
struct operand_types {
  int dtypes, numbers;
  strew_dtype dtype;
  strew_scalar number;
};

static bool read_type(lua_State *L, struct script_call *call, int i, struct operand_types *types) {
  strew_operand operand = strew_of(NULL);
  strew_dtype dtypes[2] = {types->dtype};
  char text[TEXT_BYTES];
  if (lua_type(L, i) == LUA_TSTRING) {
    if (!bind_dtype(L, call, i, "dtype", &dtypes[types->dtypes])) return false;
  } else if (!bind_operand(L, call, i, "operands", &operand)) {
    if (call->error.code == STREW_EARGUMENT)
      bind_fail(call, STREW_EARGUMENT, NULL, "argument %d is %s, expected a tensor, a number, a boolean or a dtype", i,
                bind_text(L, call, i, text));
    return false;
  } else if (operand.tensor) {
    dtypes[types->dtypes] = strew_tensor_dtype(operand.tensor);
  } else { /* strew_dtype lists the higher categories first */
    if (!types->numbers || operand.number.dtype < types->number.dtype) types->number = operand.number;
    types->numbers = 1;
    return true;
  }
  const int count = types->dtypes + 1;
  types->dtypes = 1;
  return strew_result_type(count, dtypes, 0, NULL, &types->dtype, &call->error) == STREW_OK;
}

/* result_type(a [, b, ...]) */
static int result_type(lua_State *L, struct script_call *call) {
  struct operand_types types = {0};
  strew_dtype dtype;
  for (int i = 1; i <= call->arguments; i++)
    if (!read_type(L, call, i, &types)) return -1;
  if (!call->arguments) return bind_fail(call, STREW_EARGUMENT, "a", "is missing, the arguments are (a [, b, ...])");
  if (strew_result_type(types.dtypes, &types.dtype, types.numbers, &types.number, &dtype, &call->error) != STREW_OK)
    return -1;
  lua_pushstring(L, strew_dtype_name(dtype));
  return 1;
}

const struct script_function bind_math_rows[] = {
#define ROW(ENUM, name, function, takes, gives, cost, forms) {name, unary, STREW_##ENUM, forms},
    STREW_UNARY(ROW)
#undef ROW
#define ROW(ENUM, name, function, takes, gives, cost, forms) {name, binary, STREW_##ENUM, forms},
        STREW_BINARY(ROW)
#undef ROW
            {"where", where, 0, ALWAYS},
    {"masked_fill", masked_fill, 0, EVERY},
    {"clamp", clamp, 0, EVERY},
    {"equal", equal, 0, ALWAYS},
    {"allclose", allclose, 0, ALWAYS},
    {"isclose", isclose, 0, ALWAYS},
    {"result_type", result_type, 0, FUNCTION},
    {"matmul", product, STREW_MATMUL, ALWAYS},
    {"mm", product, STREW_MM, ALWAYS},
    {"mv", product, STREW_MV, ALWAYS},
    {"dot", product, STREW_DOT, ALWAYS},
    {NULL, NULL, 0, 0},
};
