/* strew_fail.c: error messages of the bindings, and hints. */
#include "strew_bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- failures */

int bind_hint(struct script_call *call, const char *format, ...) {
  char hint[sizeof call->error.hint + 1];
  if (call->error.hint[0]) return -1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(hint, sizeof hint, format, arguments);
  va_end(arguments);
  return strew_error_hint(&call->error, hint), -1;
}

/* Writes a string in quotes, shortened. */
static const char *text_of_string(const char *string, char *text) {
  enum { LONGEST = 40 };
  size_t length = strlen(string), shown = length > LONGEST ? LONGEST - 3 : length;
  while (shown < length && shown && (string[shown] & 0xc0) == 0x80) shown--; /* ends with a whole UTF-8 character */
  snprintf(text, TEXT_BYTES, "\"%.*s%s\"", (int)shown, string, shown < length ? "..." : "");
  return strew_printable(text);
}

const char *bind_text(lua_State *L, const struct script_call *call, int i, char *text) {
  switch (lua_type(L, i)) {
  case LUA_TNONE:
  case LUA_TNIL: return "nil";
  case LUA_TBOOLEAN: return lua_toboolean(L, i) ? "true" : "false";
  case LUA_TNUMBER:
    if (lua_isinteger(L, i)) return strew_scalar_text(strew_int(lua_tointeger(L, i)), STREW_INT64, text);
    return strew_scalar_text(strew_float(lua_tonumber(L, i)), STREW_FLOAT64, text);
  case LUA_TSTRING: return text_of_string(lua_tostring(L, i), text);
  case LUA_TUSERDATA:
    if (bind_to_box(L, call->binding, i)) return "a tensor";
    if (bind_to_grouping(L, call->binding, i)) return "a grouping";
    if (bind_expr_text(L, i)) return bind_expr_text(L, i);
    if (luaL_getmetafield(L, i, "__name") == LUA_TSTRING) {
      snprintf(text, TEXT_BYTES, "a %s", lua_tostring(L, -1));
      return lua_pop(L, 1), text;
    } /* fallthrough */
  default:
    if (lua_islightuserdata(L, i) && !lua_touserdata(L, i)) return "strew.null";
    snprintf(text, TEXT_BYTES, "a %s", luaL_typename(L, i));
    return text;
  }
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

/* The name of a column in the place of a tensor, of a method of groupings. */
static void hint_column(struct script_call *call, const char *column) {
  if (!*column || strlen(column) >= TEXT_BYTES || column[strspn(column, NAME_LETTERS)]) return;
  bind_hint(call, "x.%s is the column of a table x", column);
}

void bind_hint_tensor(lua_State *L, struct script_call *call, int i, const char *name) {
  if (bind_is_bound(L, i)) /* calls that read one have replaced it */
    bind_hint(call, "an expression has no memory to write into; e:clone() is a tensor of its values");
  else if (bind_expr_text(L, i))
    bind_hint(call, "f(inputs) makes a tensor; f:with(inputs) stands where a call reads one");
  if (lua_type(L, i) == LUA_TSTRING && call->form & GROUPED) hint_column(call, lua_tostring(L, i));
  if (!lua_istable(L, i)) return;
  if (lua_getmetatable(L, i)) /* an object, or the module itself */
    lua_pop(L, 1);
  else
    bind_hint(call, "strew.tensor(%s) makes a tensor of a table", name);
}

/* Scripts may add any number of names to the module, which has some hundreds itself. */
enum { MOST_KEYS = 4096 };

int bind_hint_guess(struct script_call *call, const strew_guess *guess) {
  return guess->nearest ? bind_hint(call, "did you mean '%s'?", guess->nearest) : -1;
}

void bind_guess_keys(lua_State *L, int i, strew_guess *guess) {
  int keys = 0;
  if (!lua_istable(L, i)) return; /* scripts call __index with what they like */
  lua_pushnil(L);
  while (keys++ < MOST_KEYS && lua_next(L, i)) {
    if (lua_type(L, -2) == LUA_TSTRING) strew_guess_name(guess, lua_tostring(L, -2));
    lua_pop(L, 1);
  }
}
