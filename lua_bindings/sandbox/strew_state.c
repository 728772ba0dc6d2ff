/* strew_state.c: new Lua states with limits, or sandboxed. */
#include "script_limits.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

static int set_up(lua_State *L) {
  struct limits *limits = lua_touserdata(L, 1);
  strew_context *context = lua_touserdata(L, 2);
  bool sandbox = lua_toboolean(L, 3);
  limits_keep(L, limits);
  if (sandbox)
    sandbox_open(L);
  else
    luaL_openlibs(L);
  bind_open(L, context, limits, sandbox);
  lua_setglobal(L, "strew");
  return 0;
}

static lua_State *fail(lua_State *L, strew_context *context, strew_error *error, const char *reason) {
  if (error) {
    *error = (strew_error){.alias = error->alias, .op = "new_state", .code = STREW_EMEMORY, .position_rank = -1};
    snprintf(error->message, sizeof error->message, "new_state: %s", reason);
  }
  if (L) lua_close(L);
  strew_context_release(context);
  return NULL;
}

lua_State *strew_new_state(const strew_options *options, strew_error *error) {
  strew_context *context = NULL;
  if (strew_context_create(options, &context, error) != STREW_OK) return NULL;
  lua_State *L = luaL_newstate();
  struct limits *limits = L ? limits_adopt(L, context) : NULL;
  if (!limits) return fail(L, context, error, "out of memory: cannot create a Lua state");
  lua_pushcfunction(L, set_up);
  lua_pushlightuserdata(L, limits);
  lua_pushlightuserdata(L, context);
  lua_pushboolean(L, options && options->sandbox);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) return fail(L, NULL, error, lua_tostring(L, -1));
  strew_restart_limits(L);
  return L;
}
