#include "lua_bindings/core/hosting.h"
#include "program.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* Returns the innermost level of the user's Lua code. Above it are functions that raised the error, which the message
   names. */
static int first_lua_level(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "S", &frame);
    if (*frame.what != 'C' && strncmp(frame.source, OPERATION_CHUNK, strlen(OPERATION_CHUNK)) != 0) return level;
  }
  return 1;
}

/* Pushes the message with a traceback from the user's line to the chunk, without the program's functions. */
static void push_traceback(lua_State *L, const char *message) {
  static const char program[] = "\n\t[C]: in ?";
  size_t length, cut = sizeof program - 1;
  luaL_traceback(L, L, message, first_lua_level(L));
  const char *text = lua_tolstring(L, -1, &length);
  while (length > cut && memcmp(text + length - cut, program, cut) == 0) length -= cut;
  lua_pushlstring(L, text, length);
}

/* Returns the name of a local or an upvalue of the script's running function that has the value at `wanted`, or NULL. */
static const char *name_of_local(lua_State *L, int wanted) {
  lua_Debug frame;
  const char *name;
  int level = 0;
  while (lua_getstack(L, level, &frame) && lua_getinfo(L, "S", &frame) && *frame.what == 'C') level++;
  if (!lua_getstack(L, level, &frame)) return NULL;
  for (int i = 1; (name = lua_getlocal(L, &frame, i)) != NULL; i++, lua_pop(L, 1))
    if (*name != '(' && lua_rawequal(L, -1, wanted)) return lua_pop(L, 1), name;
  lua_getinfo(L, "f", &frame);
  for (int i = 1; (name = lua_getupvalue(L, -1, i)) != NULL; i++, lua_pop(L, 1))
    if (lua_rawequal(L, -1, wanted)) return lua_pop(L, 2), name;
  return lua_pop(L, 1), NULL;
}

/* Pushes the name of a variable with the value at `wanted`, or "x". */
static void push_name_of(lua_State *L, int wanted) {
  const char *name = name_of_local(L, wanted);
  lua_pushglobaltable(L);
  for (lua_pushnil(L); !name && lua_next(L, -2); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, wanted)) name = lua_tostring(L, -2);
  lua_pushstring(L, name ? name : "x");
}

/* Pushes a sequence of the values that the script's running function gives a method of the value at `wanted`: they are
   temporary values behind it. */
static void push_given(lua_State *L, int wanted) {
  lua_Debug frame;
  int level = 0, count = 0;
  bool is_behind = false;
  lua_newtable(L);
  while (lua_getstack(L, level, &frame) && lua_getinfo(L, "S", &frame) && *frame.what == 'C') level++;
  if (!lua_getstack(L, level, &frame)) return;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, &frame, i)) != NULL; i++) {
    if (is_behind)
      lua_rawseti(L, -2, ++count);
    else
      is_behind = *name == '(' && lua_rawequal(L, -1, wanted), lua_pop(L, 1);
  }
}

/* Pushes the hint of hints.lua for the error message at 1, or nil. */
static int find_hint(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_HINTS);
  lua_call(L, 0, 1);
  lua_getfield(L, -1, "message");
  lua_pushvalue(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, PROGRAM_NAMES);
  if (lua_getfield(L, LUA_REGISTRYINDEX, STREW_MISSED) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    const int owner = lua_gettop(L);
    push_given(L, owner);
    push_name_of(L, owner);
    lua_replace(L, owner);
    lua_settop(L, owner + 1);
  } else {
    lua_pushnil(L);
    lua_pushnil(L);
  }
  lua_call(L, 5, 1);
  return 1;
}

/* Adds a hint to the error message on top if it is about a global, a library function or a column that is nil, about a
   field of tensors that was called, or about a tensor that a function of Lua's cannot take. */
static void add_hint(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  if (!strstr(message, " value (") && !strstr(message, " expected, got ")) return;
  if (!lua_checkstack(L, LUA_MINSTACK)) return;
  lua_pushcfunction(L, find_hint);
  lua_pushvalue(L, -2);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1)) {
    lua_pushfstring(L, "%s\n  hint  %s", lua_tostring(L, -2), lua_tostring(L, -1));
    lua_replace(L, -3);
  }
  lua_pop(L, 1);
}

static void (*observer)(lua_State *L);

void program_on_error(void (*observe)(lua_State *L)) { observer = observe; }

/* Message handler. Adds a traceback to strings and to values without a string form; the result of a __tostring stays as
   it is. */
static int add_traceback(lua_State *L) {
  if (observer) observer(L);
  const char *message = lua_tostring(L, 1);
  if (message == NULL) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  lua_pushstring(L, message);
  add_hint(L);
  push_traceback(L, lua_tostring(L, -1));
  return 1;
}

int program_call(lua_State *L, int nargs, int nresults) {
  int function = lua_gettop(L) - nargs;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, function);

  interrupt_begin(L);
  int status = lua_pcall(L, nargs, nresults, function);
  interrupt_end(L);
  lua_remove(L, function);
  return status;
}

/* Lua says "not enough memory" and no more, also near a limit of time and after Ctrl-C, when a state refuses large
   blocks. */
static const char *reason_of(lua_State *L, int status, strew_error *error) {
  strew_context *context = status == LUA_ERRMEM ? strew_context_of(L) : NULL;
  error->alias = "script";
  if (!context || strew_context_check(context, 0, error) != STREW_OK) return context ? error->message : NULL;
  const char *unit;
  const double limit = devices_scale(strew_context_memory_limit_bytes(context), &unit);
  if (!limit) return NULL;
  snprintf(error->message, sizeof error->message,
           "script: out of memory\n  hint  Lua's values and tensors together have a limit of %.4g %s", limit, unit);
  return error->message;
}

int program_report(lua_State *L, const char *name, int status) {
  if (status == LUA_OK) return status;
  strew_error error = {0};
  const char *message = reason_of(L, status, &error);
  size_t length = message ? strlen(message) : 0;
  if (!message) message = lua_tolstring(L, -1, &length);
  progress_note(NULL, NULL, 0); /* erases the progress line of a failed call */
  fflush(stdout);
  if (name != NULL) fprintf(stderr, "%s: ", name);
  if (message != NULL)
    fwrite(message, 1, length, stderr);
  else /* only if making the message failed, too */
    fputs("(error message not a string)", stderr);
  fputc('\n', stderr);
  lua_pop(L, 1);
  return status;
}
