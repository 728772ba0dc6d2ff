/* strew_math.c: elementwise operations, comparisons and matrix products. Beside a tensor, operands may be numbers. */
#include "lua_bindings/core/strew_bind.h"
#include "runtime/core/shared/tables.h"

#include <string.h>

RUN(unary, strew_unary, (strew_unary_op)a->call->row->code, a->self)

static strew_status run_binary(struct arguments *a, strew_binary_op op) {
  const strew_dtype left = a->compared.number.dtype, right = a->beside.number.dtype;
  if (a->compared.tensor || a->beside.tensor || left == STREW_STRING || right == STREW_STRING)
    return strew_binary(op, a->compared, a->beside, a->out, a->error);
  bind_fail(a->call, STREW_EARGUMENT, "self", "is a number, and so is 'other', expected at least one tensor");
  return a->error->code;
}

/* With digits as in core/options.lua, whose messages know them. */
static int round_to(lua_State *L, struct script_call *call) {
  return call->arguments == 1 && lua_isuserdata(L, 1) ? bind_one(L, call) : bind_run_with_options(L, call);
}

/* Of text and an integer the characters from there on. */
static int subtract(lua_State *L, struct script_call *call) {
  const bool is_part = lua_isinteger(L, 2) && bind_dtype_at(L, call->binding, 1) == STREW_TEXT;
  return is_part && !(call->form & (INPLACE | SIGN)) ? bind_run_text(L, call, &bind_part_row) : bind_one(L, call);
}

static const char binary_parameters[] = "self:comparand other:comparand";

static strew_status binary(struct arguments *a) { return run_binary(a, (strew_binary_op)a->call->row->code); }

int bind_binary(lua_State *L, struct script_call *call, strew_binary_op op) {
  struct arguments a;
  a.out = bind_result(L, call);
  return bind_read_as(L, call, binary_parameters, &a) ? bind_end(run_binary(&a, op), 1) : -1;
}

RUN(where, strew_where, a->condition, a->a, a->b)
RUN(where_, strew_where, a->condition, a->compared, a->beside)
RUN(masked_fill, strew_masked_fill, a->self, a->mask, a->value)

bool bind_operand_bound(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct operand_bound *bound = out;
  return bound->is_given = bind_comparand(L, call, i, name, &bound->operand);
}

static strew_status clamp(struct arguments *a) {
  const strew_operand none = strew_no_operand();
  if (a->lower.is_given || a->upper.is_given)
    return strew_clamp_with(a->self, a->lower.is_given ? a->lower.operand : none,
                            a->upper.is_given ? a->upper.operand : none, a->out, a->error);
  bind_fail(a->call, STREW_EARGUMENT, "min", "and 'max' are missing, expected at least one");
  return a->error->code;
}

/* equal and allclose compare two tensors as a whole. */
static strew_status equal(struct arguments *a) {
  bool is_equal = false;
  const strew_status status = strew_equal(a->self, a->other, &is_equal, a->error);
  return lua_pushboolean(a->L, is_equal), status;
}

static strew_status allclose(struct arguments *a) {
  bool is_close = false;
  const strew_status status = strew_allclose(a->self, a->other, a->rtol, a->atol, &is_close, a->error);
  return lua_pushboolean(a->L, is_close), status;
}

RUN(isclose, strew_isclose_with, a->self, a->other, a->rtol, a->atol,
    &(strew_isclose_options){.equal_nan = a->equal_nan})
RUN(product, strew_matmul, (strew_product)a->call->row->code, a->self, a->other)

static strew_status dot(struct arguments *a) {
  if (a->exact) return strew_exact_dot(a->self, a->other, a->out, a->error);
  return strew_matmul(STREW_DOT, a->self, a->other, a->out, a->error);
}

RUN(inv, strew_inv, a->self)
RUN(solve, strew_solve, a->self, a->other)
RUN(det, strew_det, a->self)
RUN_TWO(slogdet, strew_slogdet, a->self)
RUN(cholesky, strew_cholesky, a->self, &(strew_linalg_options){.upper = a->is_upper})

static strew_status eigvalsh(struct arguments *a) {
  return strew_eigh(a->self, &(strew_linalg_options){.upper = a->is_upper}, a->out, NULL, a->error);
}

static strew_status svdvals(struct arguments *a) { return strew_svd(a->self, NULL, NULL, a->out, NULL, a->error); }

RUN_TWO(eigh, strew_eigh, a->self, &(strew_linalg_options){.upper = a->is_upper})

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

/* qr(self [, mode]) -> q, r; mode "r": r alone */
static int qr(lua_State *L, struct script_call *call) {
  static const char *const modes[] = {"reduced", "complete", "r"};
  struct arguments a;
  char text[TEXT_BYTES];
  int mode = 0;
  strew_tensor **q = bind_result(L, call), **r = bind_result(L, call);
  if (!bind_read(L, call, &a)) return -1;
  while (a.form && mode < 3 && strcmp(a.form, modes[mode]) != 0) mode++;
  if (mode == 3)
    return bind_fail(call, STREW_EARGUMENT, "mode", "is %s, expected \"reduced\", \"complete\" or \"r\"",
                     bind_text(L, call, call->given[1], text));
  if (strew_qr(a.self, &(strew_linalg_options){.full = mode == 1}, mode == 2 ? NULL : q, r, a.error) != STREW_OK)
    return -1;
  if (mode == 2) lua_remove(L, -2);
  return mode == 2 ? 1 : 2;
}

/* svd(self [, full_matrices]) -> u, s, vh */
static int svd(lua_State *L, struct script_call *call) {
  struct arguments a;
  strew_tensor **u = bind_result(L, call), **s = bind_result(L, call), **vh = bind_result(L, call);
  if (!bind_read(L, call, &a)) return -1;
  return bind_end(strew_svd(a.self, &(strew_linalg_options){.full = a.full_matrices}, u, s, vh, a.error), 3);
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

/* Results of no gradient: bools. */
#define COMMON 0
#define ORDER  CONSTANT
#define TRUTH  CONSTANT

const struct script_function bind_math_rows[] = {
#define ROW(ENUM, name, function, takes, gives, cost, forms)                                                           \
  {name, STREW_##ENUM == STREW_ROUND ? round_to : bind_one, STREW_##ENUM, (forms) | gives, "self:tensor", unary},
    STREW_UNARY(ROW)
#undef ROW
#define ROW(ENUM, name, function, takes, gives, cost, forms)                                                           \
  {name, STREW_##ENUM == STREW_SUB ? subtract : bind_one, STREW_##ENUM, (forms) | gives, binary_parameters, binary},
        STREW_BINARY(ROW)
#undef ROW
            {"where", bind_one, 0, ALWAYS, "condition:tensor a:comparand b:comparand", where},
    {"where", bind_one, 0, INPLACE, "self:comparand condition:tensor other:comparand", where_},
    {"masked_fill", bind_one, 0, EVERY, "self:tensor mask:tensor value:comparand", masked_fill},
    {"clamp", bind_one, 0, EVERY, "self:tensor min?bound max?bound", clamp},
    {"equal", bind_values, 0, ALWAYS | CONSTANT, "self:tensor other:tensor", equal},
    {"allclose", bind_values, 0, ALWAYS | CONSTANT, "self:tensor other:tensor rtol?number(1e-5) atol?number(1e-8)",
     allclose},
    {"isclose", bind_one, 0, ALWAYS | CONSTANT,
     "self:tensor other:tensor rtol?number(1e-5) atol?number(1e-8) equal_nan?boolean", isclose},
    {"result_type", result_type, 0, FUNCTION | CONSTANT, NULL, NULL},
    {"matmul", bind_one, STREW_MATMUL, ALWAYS, "self:tensor other:tensor", product},
    {"mm", bind_one, STREW_MM, ALWAYS, "self:tensor other:tensor", product},
    {"mv", bind_one, STREW_MV, ALWAYS, "self:tensor other:tensor", product},
    {"dot", bind_one, 0, ALWAYS, "self:tensor other:tensor exact=boolean", dot},
    {"inv", bind_one, 0, ALWAYS, "self:tensor", inv},
    {"solve", bind_one, 0, ALWAYS, "self:tensor other:tensor", solve},
    {"det", bind_one, 0, ALWAYS, "self:tensor", det},
    {"slogdet", bind_two, 0, ALWAYS, "self:tensor", slogdet},
    {"cholesky", bind_one, 0, ALWAYS, "self:tensor upper?boolean", cholesky},
    {"qr", qr, 0, ALWAYS, "self:tensor mode?word", NULL},
    {"eigh", bind_two, 0, ALWAYS, "self:tensor upper?boolean", eigh},
    {"eigvalsh", bind_one, 0, ALWAYS, "self:tensor upper?boolean", eigvalsh},
    {"svd", svd, 0, ALWAYS, "self:tensor full_matrices?boolean(true)", NULL},
    {"svdvals", bind_one, 0, ALWAYS, "self:tensor", svdvals},
    {NULL},
};
