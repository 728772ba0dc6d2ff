/* strew_gradient.c: strew.grad and strew.value_and_grad. strew_record.c records the calls of the function;
   programs/gradients.lua goes back through the record. */
#include "lua_bindings/core/strew_bind.h"

/* --------------------------------------------------------------------------------------- functions of gradients.lua */

/* detach(t): the same tensor, which is no longer recorded; alias(t): the same tensor in another box. */
static strew_status share(struct arguments *a) {
  *a->out = strew_retain(a->self);
  return STREW_OK;
}

/* watch(t): t is recorded from now on. */
PUSH(watch, bind_record_watch(a->L, bind_to_box(a->L, a->call->binding, 1)))
PUSH(tape, bind_record_tape(a->L))
PUSH(offset, lua_pushinteger(a->L, strew_tensor_offset(a->self)))

static int is_recorded(lua_State *L, struct script_call *call) {
  const struct box *box = bind_to_box(L, call->binding, 1);
  lua_pushboolean(L, box && bind_is_recorded(call->binding, box));
  return 1;
}

/* call(f, ...): the script's function, whose calls are recorded. */
static int call_recorded(lua_State *L, struct script_call *call) {
  bind_stack(L, call->arguments + LUA_MINSTACK);
  for (int i = 1; i <= call->arguments; i++) lua_pushvalue(L, i);
  int results = bind_call_within(L, call->binding, call->arguments - 1, true, NULL, NULL);
  return results < 0 ? lua_error(L) : results;
}

/* ------------------------------------------------------------------------------------------------------ strew.grad */

enum { FUNCTION_UPVALUE = UPVALUES + 1 }; /* behind those of bind_dispatch */

enum { GRADIENTS, VALUE_TOO };

bool bind_function(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  (void)out;
  if (lua_isfunction(L, i)) return true;
  if (luaL_getmetafield(L, i, "__call") != LUA_TNIL) return lua_pop(L, 1), true;
  return bind_fail_type(L, call, i, name, "a function");
}

/* The function that strew.grad returned, called with f's arguments. */
static int apply(lua_State *L, struct script_call *call) {
  struct binding *binding = call->binding;
  bind_stack(L, call->arguments + LUA_MINSTACK);
  bind_use(L, lua_upvalueindex(1), "gradients.lua");
  if (!binding->record_depth) {
    lua_getfield(L, -1, "rules");
    bind_record_new(L);
  }
  lua_getfield(L, -1, "differentiate");
  lua_remove(L, -2);
  lua_pushvalue(L, lua_upvalueindex(FUNCTION_UPVALUE));
  lua_pushboolean(L, call->row->code == VALUE_TOO);
  for (int i = 1; i <= call->arguments; i++) lua_pushvalue(L, i);
  if (!binding->record_depth++) binding->record++;
  const int results = bind_call_within(L, binding, call->arguments + 2, binding->recording, call->error.alias, NULL);
  if (!--binding->record_depth) {
    lua_pushnil(L);
    lua_setiuservalue(L, lua_upvalueindex(1), RECORD); /* drops all of it */
  }
  return results < 0 ? lua_error(L) : results;
}

static const struct script_function apply_rows[] = {{"grad", apply, GRADIENTS, FUNCTION | CONSTANT},
                                                    {"value_and_grad", apply, VALUE_TOO, FUNCTION | CONSTANT}};

/* grad(f), value_and_grad(f) */
static int differentiate(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  const struct script_function *row = &apply_rows[call->row->code];
  bind_push_upvalues(L, lua_upvalueindex(1), row, row->name, FUNCTION);
  bind_push_given(L, call, 0, "f");
  lua_pushcclosure(L, bind_dispatch, FUNCTION_UPVALUE);
  return 1;
}

const struct script_function bind_gradient_rows[] = {
    {"grad", differentiate, GRADIENTS, FUNCTION | CONSTANT, "f:function"},
    {"value_and_grad", differentiate, VALUE_TOO, FUNCTION | CONSTANT, "f:function"},
    {"detach", bind_one, 0, ALWAYS | CONSTANT, "self:tensor", share},
    {"alias", bind_one, 0, INNER, "self:tensor", share},
    {"watch", bind_values, 0, INNER | CONSTANT, "self:tensor", watch},
    {"tape", bind_values, 0, INNER | CONSTANT, "", tape},
    {"is_recorded", is_recorded, 0, INNER | CONSTANT},
    {"offset", bind_values, 0, INNER | CONSTANT, "self:tensor", offset},
    {"call", call_recorded, 0, INNER | CONSTANT | CHECKED, "*"},
    {NULL},
};
