/* strew_expr.c: strew.expr(text), and expressions bound to their inputs.

   f = strew.expr(text) owns a strew_expr. e = f:with(inputs) has f, the values of its inputs and the codes of its words
   in its user value; expressions.lua finds them. Readers of tensors note e: bind_dispatch then replaces
   it by its values, and the call reads its arguments again, so that other calls pay nothing. One that it reads once may
   stay deferred. */
#include "lua_bindings/core/strew_bind.h"
#include "strew_lua.h"

#include <string.h>

/* Keys of e's user value; the inputs follow from 1 on. "columns" is true for a text of columns, "unmarked" for
   one of the library's, whose errors are those of the script's call. */
enum { CODES = -1, EXPRESSION, MOST_INPUTS = 64 };

static void release(union owned object) { strew_expr_release(object.expr); }

static const struct script_function field_row, call_row, with_row, bound_field_row;
static const struct owner_type expressions = {
    bind_expr_key,
    "expression",
    release,
    {{"__index", &field_row}, {"__call", &call_row}, {"__tostring", &bind_expr_tostring_row}}};
static const struct owner_type bounds = {bind_bound_key,
                                         "bound expression",
                                         release,
                                         {{"__index", &bound_field_row}, {"__tostring", &bind_expr_tostring_row}},
                                         true};

/* An expression, bound or not. */
bool bind_expression(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  char text[TEXT_BYTES];
  (void)out;
  if (bind_expr_text(L, i)) return true;
  bind_fail(call, STREW_EARGUMENT, name, "is %s, expected an expression", bind_text(L, call, i, text));
  return bind_hint(call, "use : to call a method: f:with(inputs)"), false;
}

/* The expression at position i; NULL: call->error is filled. */
static strew_expr *read_expr(lua_State *L, struct script_call *call, int i) {
  char text[TEXT_BYTES];
  const struct owner *owner = bind_owner_at(L, i, &expressions);
  if (owner && owner->object.any) return owner->object.expr;
  if (owner) return bind_fail(call, STREW_EFREED, NULL, "the expression is closed"), NULL;
  return bind_fail(call, STREW_EARGUMENT, "self", "is %s, expected an expression", bind_text(L, call, i, text)), NULL;
}

struct bound {
  strew_expr *expr;
  strew_expr_values values;
  strew_operand inputs[MOST_INPUTS];
};

/* Pushes input k of the table at `inputs`; names: the position of the names that are its keys, 0: numbers are. */
static void push_input(lua_State *L, int inputs, int names, int k) {
  lua_rawgeti(L, names ? names : inputs, k + 1);
  if (names) lua_rawget(L, inputs);
}

/* Reads out->expr's inputs from such a table, which keeps them alive. */
static bool read_inputs(lua_State *L, struct script_call *call, int inputs, int names, struct bound *out) {
  const int count = strew_expr_input_count(out->expr);
  out->values = (strew_expr_values){.inputs = out->inputs};
  for (int k = 0; k < count; k++, lua_pop(L, 1)) {
    push_input(L, inputs, names, k);
    if (!bind_operand(L, call, lua_gettop(L), strew_expr_input(out->expr, k), &out->inputs[k])) return false;
  }
  return true;
}

/* True if the table at position i has true at that key. */
static bool is_set(lua_State *L, int i, const char *key) {
  lua_pushstring(L, key);
  lua_rawget(L, i);
  const bool is = lua_toboolean(L, -1);
  return lua_pop(L, 1), is;
}

/* Reads the bound expression at position i. */
static bool read_bound(lua_State *L, struct script_call *call, int i, struct bound *out) {
  char text[TEXT_BYTES];
  const int values = lua_gettop(L) + 1;
  if (!bind_is_bound(L, i)) {
    bind_fail(call, STREW_EARGUMENT, "self", "is %s, expected a bound expression", bind_text(L, call, i, text));
    return false;
  }
  lua_getiuservalue(L, i, 1);
  lua_rawgeti(L, values, EXPRESSION);
  out->expr = read_expr(L, call, values + 1);
  if (!out->expr || !read_inputs(L, call, values, 0, out)) return false;
  lua_rawgeti(L, values, CODES);
  out->values.codes = lua_touserdata(L, -1);
  out->values.columns = is_set(L, values, "columns");
  out->values.unmarked = is_set(L, values, "unmarked");
  return lua_settop(L, values - 1), true;
}

/* ---------------------------------------------------------------------------------------------------------- f and e */

/* Adds the names of inputs to the table at `to`. */
static void push_names(lua_State *L, const strew_expr *expr, int to) {
  for (int i = 0; i < strew_expr_input_count(expr); i++) {
    lua_pushstring(L, strew_expr_input(expr, i));
    lua_rawseti(L, to, i + 1);
  }
}

static bool has_calls(const strew_expr *expr) {
  strew_expr_node node;
  for (int i = 0; strew_expr_node_at(expr, i, &node); i++)
    if (node.is_call) return true;
  return false;
}

/* Pushes the expression of the text at position i. Its user value: the names of its inputs, and `calls`: an operation is
   left to programs/expressions.lua. */
static int push_expr(lua_State *L, struct script_call *call, int i) {
  size_t length;
  const char *text = lua_tolstring(L, i, &length);
  strew_expr **expr = &bind_push_owner(L, &expressions)->object.expr;
  if (strew_expr_parse(call->binding->context, text, length, expr, &call->error) != STREW_OK) return -1;
  lua_getiuservalue(L, -1, 1);
  push_names(L, *expr, lua_gettop(L));
  bind_set_boolean(L, "calls", has_calls(*expr));
  return lua_pop(L, 1), 1;
}

/* expr(text) */
static int expr(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  bind_push_given(L, call, 0, "text");
  return push_expr(L, call, lua_gettop(L));
}

static bool expand_arguments(lua_State *L, struct script_call *call);

/* Pushes a bound expression without inputs. */
static void push_bound(lua_State *L, struct script_call *call) {
  call->binding->expand = expand_arguments;
  bind_push_owner(L, &bounds);
}

/* The expression at position 1, if it has no words and calls; the names of its inputs are pushed. NULL:
   programs/expressions.lua reads it. */
static strew_expr *plain_expr(lua_State *L, const struct script_call *call) {
  const struct owner *self = bind_to_owner(L, &expressions);
  if (!self || !self->object.any || strew_expr_word_count(self->object.expr) || call->binding->recording) return NULL;
  lua_getiuservalue(L, 1, 1);
  const bool is_whole = lua_getfield(L, -1, "calls") == LUA_TBOOLEAN && !lua_toboolean(L, -1);
  return lua_pop(L, 1), is_whole ? self->object.expr : NULL;
}

/* The same of a call f(inputs) or f:with(inputs), with a plain table; position 4 has the names. To be called when the
   result is at position 3. */
static strew_expr *begin_plain(lua_State *L, struct script_call *call) {
  if (call->arguments != 2 || !lua_istable(L, 2) || lua_getmetatable(L, 2)) return NULL;
  if (lua_getfield(L, 2, "out") != LUA_TNIL || lua_getfield(L, 2, "device") != LUA_TNIL) return NULL;
  return lua_settop(L, 3), plain_expr(L, call);
}

/* Reads the inputs of a plain call, whose names are on top. False on an error, and for texts and times: the family handles
   both. */
static bool read_plain(lua_State *L, struct script_call *call, struct bound *e) {
  if (!read_inputs(L, call, 2, lua_gettop(L), e)) return false;
  for (int k = 0; k < strew_expr_input_count(e->expr); k++) {
    const strew_tensor *t = e->inputs[k].tensor;
    if (t && strew_tensor_dtype(t) >= STREW_DTYPE_COUNT) return false;
  }
  return true;
}

/* The same for inputs of every kind. */
static int call_family(lua_State *L, struct script_call *call, const struct script_function *row) {
  lua_settop(L, call->arguments);
  if (!bind_to_box(L, call->binding, 2)) return bind_call_family(L, call, row);
  bind_fail(call, STREW_EARGUMENT, "inputs", "is a tensor, expected a table");
  return bind_hint(call, "f{x = t}: the inputs by their names");
}

/* f(inputs [, {out, device}]) */
static int call_expr(lua_State *L, struct script_call *call) {
  struct box *box = bind_push_box(L, call->binding);
  struct bound e = {.expr = begin_plain(L, call)};
  if (e.expr && read_plain(L, call, &e)) {
    lua_settop(L, 3);
    return bind_end(strew_expr_evaluate(e.expr, &e.values, &box->tensor, &call->error), 1);
  }
  return call_family(L, call, &bind_expr_call_row);
}

/* f:with(inputs) */
static int with(lua_State *L, struct script_call *call) {
  push_bound(L, call);
  struct bound e = {.expr = begin_plain(L, call)};
  if (e.expr && read_plain(L, call, &e)) {
    const int count = strew_expr_input_count(e.expr);
    lua_getiuservalue(L, 3, 1);
    for (int k = 0; k < count; k++) {
      push_input(L, 2, 4, k);
      lua_rawseti(L, 5, k + 1);
    }
    lua_pushvalue(L, 1);
    lua_rawseti(L, 5, EXPRESSION);
    return lua_settop(L, 3), 1;
  }
  return call_family(L, call, &bind_expr_with_row);
}

static const struct script_function call_row = {"expression", call_expr, 0, GROUPED},
                                    with_row = {"with", with, 0, GROUPED};

/* replaces: the hint is given instead of one for tensors. */
static int fail_field(lua_State *L, struct script_call *call, const char *of, const char *const *names, bool replaces,
                      const char *hint) {
  char text[TEXT_BYTES];
  strew_guess guess = {.wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : bind_text(L, call, 2, text)};
  for (; *names; names++) strew_guess_name(&guess, *names);
  bind_fail_name(L, call, of, &guess);
  if (!call->error.hint[0] || (replaces && !guess.nearest)) strew_error_hint(&call->error, hint);
  return -1;
}

static bool is_key(lua_State *L, const char *name) {
  return lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), name) == 0;
}

/* f.inputs, f.text, f.with */
static int field(lua_State *L, struct script_call *call) {
  strew_expr *self = read_expr(L, call, 1);
  if (!self) return -1;
  if (is_key(L, "with")) return bind_push_kept(L, &with_row, GROUPED), 1;
  if (is_key(L, "text")) return lua_pushstring(L, strew_expr_text(self)), 1;
  if (!is_key(L, "inputs"))
    return fail_field(L, call, "an expression", (const char *[]){"inputs", "text", "with", NULL}, true,
                      "f:with(inputs) has the methods of tensors, dtype and shape");
  lua_newtable(L);
  lua_getiuservalue(L, 1, 1);
  for (lua_Unsigned i = 1, count = lua_rawlen(L, -1); i <= count; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    lua_rawseti(L, -3, (lua_Integer)i);
  }
  lua_pop(L, 1);
  return 1;
}

/* e.dtype, e.shape, and the methods of tensors */
static int bound_field(lua_State *L, struct script_call *call) {
  struct bound e;
  strew_dtype dtype;
  int rank;
  int64_t sizes[STREW_MAX_RANK];
  static const char to_clone[] = "e:clone() is a tensor of its values";
  const bool is_shape = is_key(L, "shape"), is_device = is_key(L, "device");
  if (lua_type(L, 2) != LUA_TSTRING) {
    call->error.alias = "e[i]";
    bind_fail(call, STREW_EARGUMENT, NULL, "elements of a bound expression are not stored");
    return bind_hint(call, "%s", to_clone);
  }
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (!is_shape && !is_key(L, "dtype"))
    return fail_field(L, call, "a bound expression", (const char *[]){"dtype", "shape", NULL}, is_device,
                      is_device ? "e:clone().device" : to_clone);
  if (!read_bound(L, call, 1, &e)) return -1;
  if (strew_expr_type(e.expr, &e.values, &dtype, &rank, sizes, &call->error) != STREW_OK) return -1;
  if (is_shape)
    bind_push_sizes(L, rank, sizes);
  else
    lua_pushstring(L, strew_dtype_name(dtype));
  return 1;
}

static const struct script_function field_row = {"expr.name", field, 0, GROUPED},
                                    bound_field_row = {"expr.name", bound_field, 0, GROUPED | WRITES};

/* ------------------------------------------------------------------------------------- functions of expressions.lua */

/* Pushes node i for the interpreter: {op =, of =, written =, at =, length =, number =, is_call =, more = {dim, keepdim},
   its operands}, counted from 1. */
static void push_node(lua_State *L, const strew_expr_node *node) {
  const bool converts = strcmp(node->op, "to") == 0;
  lua_createtable(L, node->count, 6);
  bind_set_string(L, "op", node->op);
  bind_set_integer(L, "of", node->which + 1);
  if (node->written) bind_set_integer(L, "written", node->written);
  bind_set_integer(L, "at", node->at + 1);
  bind_set_integer(L, "length", node->length);
  bind_push_scalar(L, node->number);
  lua_setfield(L, -2, "number");
  for (int k = 0; k < node->count; k++) {
    lua_pushinteger(L, node->operands[k] + 1);
    lua_rawseti(L, -2, k + 1);
  }
  if (node->is_call) bind_set_boolean(L, "is_call", true);
  if (!converts && !node->has_dim) return;
  lua_createtable(L, 2, 0);
  if (converts)
    lua_pushstring(L, strew_dtype_name((strew_dtype)node->which));
  else
    lua_pushinteger(L, node->dim);
  lua_rawseti(L, -2, 1);
  if (!converts) {
    lua_pushboolean(L, node->keepdim);
    lua_rawseti(L, -2, 2);
  }
  lua_setfield(L, -2, "more");
}

/* expr_nodes(f): the nodes, the words and, of each word, the number of its input, from 1 on. (Each push may run a script
   that closes f.) */
static int nodes(lua_State *L, struct script_call *call) {
  strew_expr_node node;
  const strew_expr *self;
  for (int i = 0; i < 3; i++) lua_newtable(L);
  for (int i = 0; (self = read_expr(L, call, 1)) && strew_expr_node_at(self, i, &node); i++) {
    push_node(L, &node);
    lua_rawseti(L, -4, i + 1);
  }
  for (int i = 0, input; (self = read_expr(L, call, 1)) && i < strew_expr_word_count(self); i++) {
    lua_pushstring(L, strew_expr_word(self, i, &input));
    lua_rawseti(L, -3, i + 1);
    lua_pushinteger(L, input + 1);
    lua_rawseti(L, -2, i + 1);
  }
  return self ? 3 : -1;
}

/* Makes the value on top of the stack, an input, an operand: of a grouping its ids, of a bound expression its values. */
static bool settle(lua_State *L, struct script_call *call, const char *name) {
  strew_operand operand;
  const int value = lua_gettop(L);
  if (bind_to_grouping(L, call->binding, value)) {
    struct box *ids = bind_push_box(L, call->binding);
    strew_grouping *grouping;
    if (!bind_grouping(L, call, value, name, &grouping)) return false;
    if (strew_grouping_ids(grouping, &ids->tensor, &call->error) != STREW_OK) return false;
    lua_replace(L, value);
  }
  return (!bind_is_bound(L, value) || bind_expand(L, call, value, false)) &&
         bind_operand(L, call, value, name, &operand);
}

/* expr_bind(f, names, values, codes): e; sequences of its inputs, and of the codes of its words. */
static int bind(lua_State *L, struct script_call *call) {
  const strew_expr *self = read_expr(L, call, 1);
  if (!self) return -1;
  const int codes = strew_expr_word_count(self), inputs = strew_expr_input_count(self);
  int64_t *code = lua_newuserdatauv(L, (size_t)codes * sizeof *code, 0);
  for (int i = 0; i < codes; i++, lua_pop(L, 1))
    code[i] = lua_rawgeti(L, 4, i + 1) == LUA_TNUMBER ? lua_tointeger(L, -1) : -1;
  lua_rawseti(L, 3, CODES);
  for (int i = 1; i <= inputs; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, 2, i);
    lua_rawgeti(L, 3, i);
    if (lua_type(L, -2) != LUA_TSTRING) return bind_fail(call, STREW_EARGUMENT, "inputs", "has a name that is none");
    if (!settle(L, call, lua_tostring(L, -2))) return -1;
    lua_rawseti(L, 3, i);
  }
  lua_pushvalue(L, 1);
  lua_rawseti(L, 3, EXPRESSION);
  push_bound(L, call);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

/* expr_parts(e): f, and the values of its inputs. */
static int parts(lua_State *L, struct script_call *call) {
  struct bound e;
  if (!read_bound(L, call, 1, &e)) return -1;
  lua_getiuservalue(L, 1, 1);
  lua_rawgeti(L, -1, EXPRESSION);
  lua_insert(L, -2);
  return 2;
}

/* expr_evaluate(e, out, always): the values; nil while calls are recorded, unless `always`. */
static int evaluate(lua_State *L, struct script_call *call) {
  struct bound e;
  strew_tensor *given = NULL, **out = &given;
  if (call->binding->recording && !lua_toboolean(L, 3)) return lua_pushnil(L), 1;
  if (lua_isnoneornil(L, 2))
    out = &bind_push_box(L, call->binding)->tensor;
  else if (!bind_written(L, call, 2, "out", out))
    return -1;
  else
    lua_settop(L, 2);
  return bind_end(
      read_bound(L, call, 1, &e) ? strew_expr_evaluate(e.expr, &e.values, out, &call->error) : STREW_EARGUMENT, 1);
}

/* expr_line(f or its text, columns, rows, reads), expr_line(e, nil, rows, reads): f, or
   nothing if the text has errors; the values, and whether they are a line of so many. reads: they may be deferred. nil:
   programs/expressions.lua computes them. */
static int line(lua_State *L, struct script_call *call) {
  struct bound e;
  lua_settop(L, 4);
  if (lua_type(L, 1) == LUA_TSTRING) {
    if (push_expr(L, call, 1) < 0) return 0;
    lua_replace(L, 1);
  }
  lua_pushvalue(L, 1);
  strew_tensor **out = &bind_push_box(L, call->binding)->tensor;
  const int position = lua_gettop(L);
  if (call->binding->recording) return lua_settop(L, 5), 1;
  if (bind_is_bound(L, 1)) {
    if (!read_bound(L, call, 1, &e)) return -1;
  } else {
    e.expr = plain_expr(L, call);
    if (!e.expr || !strew_expr_input_count(e.expr) || !read_plain(L, call, &e)) return lua_settop(L, 5), 1;
    e.values.columns = true;
  }
  lua_settop(L, position);
  const strew_status status = lua_toboolean(L, 4) ? strew_expr_bind(e.expr, &e.values, out, &call->error)
                                                  : strew_expr_evaluate(e.expr, &e.values, out, &call->error);
  lua_pushboolean(L, *out && strew_tensor_rank(*out) == 1 && *strew_tensor_sizes(*out) == lua_tointeger(L, 3));
  return bind_end(status, 3);
}

/* expr_call(f, k, op, function, ...): what the function gives. Its errors are those of a call of the script, called `op`
   if that is no nil, and mark node k in f's text. */
static int call_node(lua_State *L, struct script_call *call) {
  enum { ARGUMENTS = 4 };
  struct binding *binding = call->binding;
  struct owner *owner = bind_owner_at(L, 1, &expressions);
  const strew_expr *expr = read_expr(L, call, 1), *marked_before = binding->marked;
  if (!expr) return -1;
  const int node_before = binding->marked_node;
  const bool was_used = owner->is_used;
  owner->is_used = true; /* if a script closes f, it stays until then */
  binding->marked = expr, binding->marked_node = (int)lua_tointeger(L, 2) - 1;
  const int results =
      bind_call_within(L, binding, call->arguments - ARGUMENTS, binding->recording, lua_tostring(L, 3), NULL);
  binding->marked = marked_before, binding->marked_node = node_before;
  if (!was_used) bind_end_use(owner, &expressions);
  return results < 0 ? lua_error(L) : results;
}

/* is_bound(value) */
static int is_bound(lua_State *L, struct script_call *call) {
  (void)call;
  lua_pushboolean(L, bind_is_bound(L, 1));
  return 1;
}

/* ---------------------------------------------------------------------------------------------- in place of tensors */

bool bind_expand(lua_State *L, struct script_call *call, int i, bool deferred) {
  struct bound e;
  if (call->binding->recording) {
    const char *outer = call->binding->outer ? call->binding->outer : call->error.alias;
    bind_use(L, lua_upvalueindex(1), "expressions.lua");
    lua_getfield(L, -1, "one_by_one");
    lua_pushvalue(L, i);
    if (bind_call_within(L, call->binding, 1, true, outer, call->binding->operands) < 0) lua_error(L);
    lua_remove(L, -2);
  } else {
    struct box *box = bind_push_box(L, call->binding);
    if (!read_bound(L, call, i, &e)) return false;
    const strew_status status = deferred ? strew_expr_bind(e.expr, &e.values, &box->tensor, &call->error)
                                         : strew_expr_evaluate(e.expr, &e.values, &box->tensor, &call->error);
    if (status != STREW_OK) return false;
  }
  lua_replace(L, i);
  return true;
}

/* Replaces the table at i by a copy with tensors. */
static bool expand_table(lua_State *L, struct script_call *call, int i) {
  lua_newtable(L);
  const int copy = lua_gettop(L), key = copy + 1, value = key + 1;
  for (lua_pushnil(L); lua_next(L, i);) {
    if (bind_is_read(L, key) && !bind_expand(L, call, value, false)) return false;
    lua_pushvalue(L, key);
    lua_insert(L, value);
    lua_rawset(L, copy);
  }
  lua_replace(L, i);
  return true;
}

static bool expand_arguments(lua_State *L, struct script_call *call) {
  const bool is_written = call->form & INPLACE || call->row->forms & WRITES;
  bool is_any = false;
  bind_stack(L, LUA_MINSTACK);
  for (int i = is_written ? 2 : 1; i <= call->arguments; i++) {
    const bool is_table = lua_istable(L, i);
    if (!(is_table ? bind_has_bound(L, i) : bind_is_bound(L, i))) continue;
    if (!(is_table ? expand_table(L, call, i) : bind_expand(L, call, i, i == call->read_once))) return false;
    is_any = true;
  }
  return is_any;
}

const struct script_function bind_expr_rows[] = {
    {"expr", expr, 0, FUNCTION | CONSTANT, "text:word"},
    {"expr_nodes", nodes, 0, INNER | CONSTANT},
    {"expr_parts", parts, 0, INNER | CONSTANT},
    {"expr_bind", bind, 0, INNER | CONSTANT | CHECKED, "*ttt"},
    {"expr_evaluate", evaluate, 0, INNER | GROUPED | WRITES},
    {"expr_line", line, 0, INNER | CONSTANT | WRITES},
    {"expr_call", call_node, 0, INNER | COMPOSED | CHECKED, "*nS*"},
    {"is_bound", is_bound, 0, INNER | CONSTANT},
    {NULL},
};
