/* strew_library.c: the environment of the library's own Lua (family/ *.lua, help.lua, ...): copies of Lua's functions, and
   `strew`, one of the module. They are made when the module is opened, and no script reaches them: whatever a script
   puts in the place of a global, of a function of Lua's libraries or of the module, the library does not call it. */
#include "hosting.h"
#include "strew_bind.h"
#include "strew_lua.h"

#include <lualib.h>
#include <string.h>

static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
                                     {LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
                                     {LUA_UTF8LIBNAME, luaopen_utf8}, {NULL, NULL}};

static int open_libraries(lua_State *own) {
  for (const luaL_Reg *library = libraries; library->name; library++)
    luaL_requiref(own, library->name, library->func, 1);
  return 0;
}

/* Adds what the table on top of the stack of `own`, another state, has, to the table on top; that table is popped. */
static void add_new(lua_State *L, lua_State *own) {
  for (lua_pushnil(own); lua_next(own, -2); lua_pop(own, 1)) {
    if (!lua_isnumber(own, -1) && !lua_iscfunction(own, -1)) continue;
    if (lua_isinteger(own, -1))
      lua_pushinteger(L, lua_tointeger(own, -1));
    else if (lua_type(own, -1) == LUA_TNUMBER)
      lua_pushnumber(L, lua_tonumber(own, -1));
    else /* no function of these but random, which the library does not call, has upvalues */
      lua_pushcfunction(L, lua_tocfunction(own, -1));
    lua_setfield(L, -2, lua_tostring(own, -2));
  }
  lua_pop(own, 1);
}

/* Adds what the table at `from` has to the table on top. */
static void add_copy(lua_State *L, int from) {
  for (lua_pushnil(L); lua_next(L, from);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
}

/* make(own): the environment with the functions of `own`; NULL: with the globals, which are a new sandbox's. */
static int make(lua_State *L) {
  lua_State *own = lua_touserdata(L, 1);
  lua_settop(L, 0);
  lua_newtable(L);
  for (const luaL_Reg *library = libraries; library->name; library++) {
    const bool is_base = strcmp(library->name, LUA_GNAME) == 0;
    lua_newtable(L);
    if (own) {
      lua_getglobal(own, library->name);
      add_new(L, own);
    } else {
      lua_getglobal(L, library->name);
      lua_insert(L, -2);
      add_copy(L, lua_gettop(L) - 1);
      lua_remove(L, -2);
    }
    if (is_base)
      lua_replace(L, 1);
    else
      lua_setfield(L, 1, library->name);
  }
  lua_getfield(L, 1, LUA_STRLIBNAME);
  lua_getfield(L, -1, "format");
  lua_setfield(L, 1, "format");
  return lua_settop(L, 1), 1;
}

void bind_open_library(lua_State *L, int module, bool is_sandbox) {
  lua_State *own = is_sandbox ? NULL : luaL_newstate();
  int status = LUA_OK;
  if (!is_sandbox && !own) luaL_error(L, "strew: out of memory");
  if (own) {
    lua_pushcfunction(own, open_libraries);
    status = lua_pcall(own, 0, 0, 0);
  }
  if (status != LUA_OK) lua_close(own), luaL_error(L, "strew: out of memory");
  lua_pushcfunction(L, make);
  lua_pushlightuserdata(L, own);
  status = lua_pcall(L, 1, 1, 0);
  if (own) lua_close(own);
  if (status != LUA_OK) lua_error(L);
  lua_createtable(L, 0, 300);
  add_copy(L, module);
  lua_setfield(L, -2, "strew");
  lua_setfield(L, LUA_REGISTRYINDEX, STREW_LIBRARY);
}

void bind_push_chunk(lua_State *L, const char *file, const char *name) {
  texts_load(L, texts_find(file), name);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_LIBRARY);
  if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1); /* _ENV; a chunk without globals has it, too */
}

void bind_push_own_module(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_LIBRARY);
  lua_getfield(L, -1, "strew");
  lua_remove(L, -2);
}

/* Letters of CHECKED functions: t a table, s a string, n a number, T a tensor, g a grouping, f a function, * anything; in
   capitals but T, or nil: S, N; U a tensor or nil. */
static bool is_of(lua_State *L, struct binding *binding, int i, char letter) {
  const struct box *box;
  switch (letter) {
  case 't': return lua_istable(L, i);
  case 's': return lua_type(L, i) == LUA_TSTRING;
  case 'S': return lua_isnoneornil(L, i) || lua_type(L, i) == LUA_TSTRING;
  case 'n': return lua_type(L, i) == LUA_TNUMBER;
  case 'N': return lua_isnoneornil(L, i) || lua_type(L, i) == LUA_TNUMBER;
  case 'T': return (box = bind_to_box(L, binding, i)) != NULL && box->tensor;
  case 'U': return lua_isnoneornil(L, i) || is_of(L, binding, i, 'T');
  case 'g': return bind_to_grouping(L, binding, i) != NULL;
  case 'f': return lua_isfunction(L, i);
  default: return !lua_isnone(L, i);
  }
}

bool bind_check_inner(lua_State *L, struct script_call *call) {
  for (int i = 1; call->row->parameters[i - 1]; i++)
    if (!is_of(L, call->binding, i, call->row->parameters[i - 1]))
      return bind_fail(call, STREW_EARGUMENT, NULL, "argument %d of inner.%s is of another type", i, call->row->name),
             false;
  return true;
}
