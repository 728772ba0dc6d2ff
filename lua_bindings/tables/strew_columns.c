/* strew_columns.c: converts the runtime's tables to Lua tables and back.

   A table of columns holds its tensors and nothing else that pairs would visit: the order of its names is in its
   metatable, visible as x.names (tables/columns.lua). A column of that name hides it: strew.columns(x) reads only the
   metatable, as strew.save does. The metatable also has the table's text, its length, and functions for other keys and
   new names (tables/printing.lua, rows.lua). */
#include "lua_bindings/core/strew_bind.h"
#include "strew_lua.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- to Lua */

/* Pushes "price", or the number of an unnamed column. */
static void push_key(lua_State *L, const strew_table *table, int64_t i) {
  if (strew_table_is_numbered(table))
    lua_pushinteger(L, i + 1);
  else
    lua_pushstring(L, strew_table_name(table, i));
}

static int hint_of_size(int64_t count) { return count < 1 << 20 ? (int)count : 1 << 20; }

static bool push_names(lua_State *L, struct script_call *call, const strew_table *table) {
  int64_t count = strew_table_count(table);
  lua_createtable(L, hint_of_size(count), 0);
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1)) return false;
    push_key(L, table, i);
    lua_rawseti(L, -2, i + 1);
  }
  return true;
}

bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table) {
  int64_t count = strew_table_count(table);
  bind_stack(L, LUA_MINSTACK);
  lua_createtable(L, strew_table_is_numbered(table) ? hint_of_size(count) : 0, hint_of_size(count));
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1)) return false;
    push_key(L, table, i);
    struct box *box = bind_push_box(L, call->binding); /* it may raise an error: nothing is held yet */
    box->tensor = strew_retain(strew_table_tensor(table, i));
    lua_rawset(L, -3);
  }
  const int x = lua_gettop(L);
  bind_use(L, lua_upvalueindex(1), "columns.lua");
  lua_getfield(L, -1, "set");
  lua_replace(L, -2);
  lua_pushvalue(L, x);
  if (!push_names(L, call, table)) return false;
  lua_call(L, 2, 0);
  return true;
}

bool bind_push_imported(lua_State *L, struct script_call *call, const strew_table *table) {
  const bool is_bare = strew_table_count(table) == 1 && strew_table_is_numbered(table);
  if (!is_bare) return bind_push_table(L, call, table);
  struct box *box = bind_push_box(L, call->binding);
  return box->tensor = strew_retain(strew_table_tensor(table, 0)), true;
}

int bind_missed(lua_State *L, struct script_call *call) {
  (void)call;
  lua_settop(L, 2);
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, STREW_MISSED) == 0) {
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  lua_insert(L, 1);
  lua_rawseti(L, 1, 2);
  lua_rawseti(L, 1, 1);
  return 0;
}

int bind_column_method(lua_State *L, struct script_call *call) {
  (void)call;
  if (lua_tocfunction(L, 1) != bind_dispatch) return 1; /* a script's, in its place */
  lua_getupvalue(L, 1, ROW_UPVALUE);
  while (lua_type(L, -1) == LUA_TUSERDATA) lua_getiuservalue(L, -1, 1); /* a copy has the row before it */
  const struct script_function *row = lua_touserdata(L, -1);
  lua_getupvalue(L, 1, FORM_UPVALUE);
  const int form = (int)lua_tointeger(L, -1);
  lua_getupvalue(L, 1, NAME_UPVALUE);
  bind_push_function(L, lua_upvalueindex(1), row, lua_tostring(L, -1), form | OF_COLUMNS);
  return 1;
}

/* --------------------------------------------------------------------------------------------------------- from Lua */

bool bind_read_columns(lua_State *L, struct script_call *call, int x, strew_table **out) {
  bind_stack(L, LUA_MINSTACK);
  bind_push_function(L, lua_upvalueindex(1), &bind_saved_columns_row, call->error.alias, FUNCTION);
  lua_pushvalue(L, x);
  lua_rotate(L, -4, 2); /* function, x, names, words */
  lua_call(L, 3, 2);    /* tensors, names or nil */
  const int order = lua_gettop(L), tensors = order - 1;
  const lua_Integer count = (lua_Integer)lua_rawlen(L, tensors);
  strew_status status = strew_table_create(call->binding->context, out, &call->error);
  for (lua_Integer i = 1; i <= count && status == STREW_OK; i++, lua_pop(L, 1)) {
    strew_tensor *tensor = bind_entry(L, call, tensors, i, "x"); /* a finalizer may have freed it */
    if (!tensor) return false;
    if (lua_istable(L, order))
      lua_rawgeti(L, order, i);
    else
      lua_pushnil(L);
    status = strew_table_add(*out, lua_tostring(L, -1), tensor, &call->error);
  }
  return status == STREW_OK;
}
