/* coroutine.c: resume, wrap and close as Lua's library has them, between enter and leave of a host. Upvalue 1 is the
   host. */
#include "hosting.h"

#include <lauxlib.h>
#include <stdint.h>

static const struct coroutine_host *host_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

static bool is_failure(int status) { return status != LUA_OK && status != LUA_YIELD; }

/* Resumes co with the n arguments on top of L. Returns the number of results on top of L; -1: an error is on top, and
   *status says which kind. A wrapped coroutine that failed is closed. */
static int run(lua_State *L, lua_State *co, int n, bool is_wrapped, int *status) {
  const struct coroutine_host *host = host_of(L);
  int results;
  *status = LUA_ERRRUN;
  if (!lua_checkstack(co, n)) return lua_pushliteral(L, "too many arguments to resume"), -1;
  lua_xmove(L, co, n);
  lua_State *before = host->enter(L, co);
  *status = lua_resume(co, L, n, &results);
  if (is_wrapped && is_failure(lua_status(co)) && !host->skips_closing(L)) *status = lua_resetthread(co);
  host->leave(L, before);
  if (is_failure(*status)) return lua_xmove(co, L, 1), -1;
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    return lua_pushliteral(L, "too many results to resume"), -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static lua_State *coroutine_argument(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  if (!co) luaL_typeerror(L, 1, "thread");
  return co;
}

static int resume(lua_State *L) {
  int status, n = run(L, coroutine_argument(L), lua_gettop(L) - 1, false, &status);
  bool is_fine = n >= 0;
  if (!is_fine) {
    host_of(L)->check(L);
    n = 1;
  }
  lua_pushboolean(L, is_fine);
  lua_insert(L, -(n + 1));
  return n + 1;
}

/* The function that wrap returns; its coroutine is upvalue 2. Errors say where it was called. */
static int call_wrapped(lua_State *L) {
  int status, n = run(L, lua_tothread(L, lua_upvalueindex(2)), lua_gettop(L), true, &status);
  if (n >= 0) return n;
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int wrap(lua_State *L) {
  host_of(L)->check(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 2);
  return 1;
}

/* The library's own function is upvalue 2. Only a coroutine that has begun and does not run has variables to close,
   which runs Lua code. */
static int close_coroutine(lua_State *L) {
  const struct coroutine_host *host = host_of(L);
  host->check(L);
  lua_State *co = coroutine_argument(L);
  if (host->skips_closing(L)) {
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "the script exceeded a limit, nothing is closed");
    return 2;
  }
  if (lua_status(co) == LUA_OK) {
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_call(L, 1, LUA_MULTRET);
    return lua_gettop(L);
  }
  lua_State *before = host->enter(L, co);
  int status = lua_resetthread(co);
  host->leave(L, before);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

void coroutine_guard(lua_State *L, const struct coroutine_host *host) {
  static const luaL_Reg functions[] = {{"resume", resume}, {"wrap", wrap}, {NULL, NULL}};
  void *upvalue = (void *)(uintptr_t)host;
  lua_pushlightuserdata(L, upvalue);
  luaL_setfuncs(L, functions, 1);
  lua_pushlightuserdata(L, upvalue);
  lua_getfield(L, -2, "close");
  lua_pushcclosure(L, close_coroutine, 2);
  lua_setfield(L, -2, "close");
}
