/* sandbox_address.c: hides addresses, which the system makes hard to guess, from scripts: Lua shows them as the text of
   tables, functions, threads and userdata, and seeds math.random with one. Texts have a number instead: of the first
   value shown 1. */
#define _DEFAULT_SOURCE /* getentropy */
#include "script_limits.h"

#include <lualib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t secret_number(void) {
  uint64_t number = 0;
  if (getentropy(&number, sizeof number) != 0) number = (uint64_t)time(NULL); /* an old kernel */
  return number ? number : 1;
}

/* Registry key of the numbers by value, the last one at [0]. */
static const char numbers_key[] = "strew.numbers";

static lua_Integer number_of(lua_State *L, int i) {
  const int top = lua_gettop(L);
  lua_pushvalue(L, i);
  lua_rawgetp(L, LUA_REGISTRYINDEX, numbers_key);
  lua_pushvalue(L, top + 1);
  if (lua_rawget(L, top + 2) == LUA_TNIL) {
    lua_rawgeti(L, top + 2, 0);
    const lua_Integer next = lua_tointeger(L, -1) + 1;
    lua_pushvalue(L, top + 1);
    lua_pushinteger(L, next);
    lua_rawset(L, top + 2);
    lua_pushinteger(L, next);
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 2, 0);
  }
  const lua_Integer number = lua_tointeger(L, -1);
  lua_settop(L, top);
  return number;
}

/* True for a value whose text is an address. */
static bool shows_address(lua_State *L, int i) {
  if (lua_type(L, i) <= LUA_TSTRING && lua_type(L, i) != LUA_TLIGHTUSERDATA) return false;
  if (luaL_getmetafield(L, i, "__tostring") == LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

/* Replaces argument i by its text if that is an address. */
static void hide_address(lua_State *L, int i) {
  const int top = lua_gettop(L);
  char number[24];
  if (!shows_address(L, i)) return;
  const bool is_named = luaL_getmetafield(L, i, "__name") == LUA_TSTRING;
  snprintf(number, sizeof number, ": 0x%08llx", (unsigned long long)number_of(L, i));
  lua_pushfstring(L, "%s%s", is_named ? lua_tostring(L, -1) : luaL_typename(L, i), number);
  lua_replace(L, i);
  lua_settop(L, top); /* a caller's buffer may be on top of the stack */
}

/* tostring(value) */
static int to_string(lua_State *L) {
  luaL_checkany(L, 1);
  hide_address(L, 1);
  return call_original(L);
}

/* print(value, ...) */
static int print(lua_State *L) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  for (int i = 1, n = lua_gettop(L); i <= n; i++) hide_address(L, i);
  return call_original(L);
}

/* format(text, ...) */
static int format(lua_State *L) {
  size_t length = 0;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  limits_refuse_long_texts(L);
  const char *at = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &length) : NULL, *end = at + length;
  for (int i = 2, n = lua_gettop(L); i <= n && at && (at = memchr(at, '%', (size_t)(end - at))) != NULL;) {
    at += 1 + strspn(at + 1, "-+ #0123456789.");
    const char letter = at < end ? *at++ : '\0';
    if (letter == '%') continue;
    if (letter == 's') hide_address(L, i);
    if (letter == 'p' && lua_topointer(L, i))
      luaL_argerror(L, i, "'%p' writes an address, which a sandbox does not show: use %s");
    i++;
  }
  return call_original(L);
}

/* randomseed([x [, y]]): without arguments Lua takes the time and an address, and returns both. The library's function
   has an upvalue of its own. */
static int seed(lua_State *L) {
  if (lua_isnone(L, 1)) {
    lua_pushinteger(L, (lua_Integer)secret_number());
    lua_pushinteger(L, (lua_Integer)secret_number());
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

const struct guard sandbox_addresses[] = {{LUA_GNAME, "tostring", to_string},
                                          {LUA_GNAME, "print", print},
                                          {LUA_MATHLIBNAME, "randomseed", seed},
                                          {LUA_STRLIBNAME, "format", format},
                                          {NULL, NULL, NULL}};

void sandbox_hide_addresses(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, numbers_key);
  lua_getglobal(L, LUA_MATHLIBNAME);
  lua_getfield(L, -1, "randomseed");
  lua_call(L, 0, 0);
  lua_pop(L, 1);
}
