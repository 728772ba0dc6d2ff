/* sandbox_table.c: the functions of Lua's table library that could run without end in one call (a lying __len, a range
   of 2^62, a sort of millions), with regular checks of the limits. */
#include "script_limits.h"

#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdint.h>

static void look_at(lua_State *L, lua_Integer i) {
  enum { ELEMENTS = 1 << 12 };
  if (i % ELEMENTS == 0) limits_check(L);
}

/* Checks for a table, or a value with the metamethods of one. */
static void check_table(lua_State *L, int i, const char *const *metamethods) {
  if (lua_type(L, i) == LUA_TTABLE) return;
  for (; *metamethods; metamethods++) {
    if (luaL_getmetafield(L, i, *metamethods) == LUA_TNIL) luaL_typeerror(L, i, "table");
    lua_pop(L, 1);
  }
}

static const char *const read_length[] = {"__index", "__len", NULL};
static const char *const write_length[] = {"__index", "__newindex", "__len", NULL};

/* Moves the element at `from` to `to`. */
static void move_one(lua_State *L, int source, lua_Integer from, int target, lua_Integer to) {
  look_at(L, from);
  lua_geti(L, source, from);
  lua_seti(L, target, to);
}

static int insert(lua_State *L) {
  limits_check(L);
  check_table(L, 1, write_length);
  lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1), at = end;
  int n = lua_gettop(L);
  if (n != 2 && n != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
  if (n == 3) {
    at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)at - 1 < (lua_Unsigned)end, 2, "position out of bounds");
    for (lua_Integer i = end; i > at; i--) move_one(L, 1, i - 1, 1, i);
  }
  lua_seti(L, 1, at);
  return 0;
}

static int remove_one(lua_State *L) {
  limits_check(L);
  check_table(L, 1, write_length);
  lua_Integer size = luaL_len(L, 1), at = luaL_optinteger(L, 2, size);
  if (at != size) luaL_argcheck(L, (lua_Unsigned)at - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
  lua_geti(L, 1, at);
  for (; at < size; at++) move_one(L, 1, at + 1, 1, at);
  lua_pushnil(L);
  lua_seti(L, 1, at);
  return 1;
}

static int move(lua_State *L) {
  static const char *const reads[] = {"__index", NULL}, *const writes[] = {"__newindex", NULL};
  lua_Integer from = luaL_checkinteger(L, 2), end = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  limits_check(L);
  check_table(L, 1, reads);
  check_table(L, target, writes);
  if (end >= from) {
    luaL_argcheck(L, from > 0 || end < LUA_MAXINTEGER + from, 3, "too many elements to move");
    lua_Integer count = end - from + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    bool upwards = to > end || to <= from || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
    for (lua_Integer i = 0; i < count; i++) {
      lua_Integer k = upwards ? i : count - 1 - i;
      look_at(L, i);
      move_one(L, 1, from + k, target, to + k);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

/* Adds the string or number on top of the stack, and checks the limits every MiB: `bytes` since the last check. */
static void add_element(lua_State *L, luaL_Buffer *text, size_t *bytes) {
  enum { MANY = 1 << 20 };
  size_t length;
  lua_tolstring(L, -1, &length);
  *bytes += length;
  if (*bytes >= MANY) {
    limits_check(L);
    *bytes = 0;
  }
  luaL_addvalue(text);
}

static int concat(lua_State *L) {
  size_t separator_bytes, bytes = 0;
  limits_check(L);
  check_table(L, 1, read_length);
  lua_Integer size = luaL_len(L, 1);
  luaL_optlstring(L, 2, "", &separator_bytes);
  lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, size);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (lua_Integer i = first; i <= last; i++) {
    look_at(L, i);
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1))
      return luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1),
                        (LUAI_UACINT)i);
    add_element(L, &text, &bytes);
    if (i == last) break; /* which may be the largest integer */
    if (!separator_bytes) continue;
    lua_pushvalue(L, 2);
    add_element(L, &text, &bytes);
  }
  luaL_pushresult(&text);
  return 1;
}

/* The order for sort: upvalue 1, or < if that is nil. Upvalue 2 counts comparisons. */
static int is_less(lua_State *L) {
  lua_Integer compared = lua_tointeger(L, lua_upvalueindex(2)) + 1;
  lua_pushinteger(L, compared);
  lua_replace(L, lua_upvalueindex(2));
  look_at(L, compared);
  if (lua_isnil(L, lua_upvalueindex(1))) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* The library's sort, upvalue 1, with an order that checks the limits. */
static int sort(lua_State *L) {
  limits_check(L);
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, is_less, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 2, 0);
  return 0;
}

const struct guard sandbox_tables[] = {{LUA_TABLIBNAME, "insert", insert}, {LUA_TABLIBNAME, "remove", remove_one},
                                       {LUA_TABLIBNAME, "move", move},     {LUA_TABLIBNAME, "concat", concat},
                                       {LUA_TABLIBNAME, "sort", sort},     {NULL, NULL, NULL}};
