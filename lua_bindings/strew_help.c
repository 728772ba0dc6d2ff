/* strew_help.c: strew.help, and hints for unknown names. strew.lua is the text about every name, which.lua the table of
   calls by task, recipes.lua common tasks; help.lua parses the text and formats pages, hints.lua finds hints in
   which.lua. All are embedded, and read at the first call. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "strew_bind.h"
#include "strew_lua.h"

#include <stdio.h>
#include <string.h>

/* Pushes an embedded chunk as a function. */
static void push_chunk(lua_State *L, const char *name) {
  const char *code = bind_text_file(name);
  if (luaL_loadbufferx(L, code, strlen(code), "=strew.help", "t") != LUA_OK) lua_error(L);
}

/* The registry keeps the table under the address of this function's own key. */
int bind_help_pages(lua_State *L) {
  static const char key;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  push_chunk(L, "help.lua");
  lua_pushstring(L, bind_text_file("strew.lua"));
  push_chunk(L, "which.lua");
  lua_call(L, 0, 1);
  push_chunk(L, "recipes.lua");
  lua_call(L, 0, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_call(L, 4, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  return 1;
}

/* Likewise. */
int bind_hints(lua_State *L) {
  static const char key;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  push_chunk(L, "hints.lua");
  push_chunk(L, "which.lua");
  lua_call(L, 0, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, bind_module_key);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_call(L, 3, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  return 1;
}

/* Pushes the hint for a name of another library, and returns it; NULL: pushes nil, the name is not known. */
static const char *push_hint(lua_State *L, const char *name) {
  bind_stack(L, LUA_MINSTACK);
  bind_hints(L);
  lua_getfield(L, -1, "name");
  lua_remove(L, -2);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  return lua_tostring(L, -1);
}

int bind_fail_name(lua_State *L, struct script_call *call, const char *owner, const strew_guess *guess) {
  strew_dtype dtype;
  bind_fail(call, STREW_EARGUMENT, NULL, "-");
  snprintf(call->error.message, sizeof call->error.message, "%s has no '%.60s'", owner, guess->wanted);
  strew_printable(call->error.message);
  const char *hint = push_hint(L, guess->wanted);
  if (hint) return bind_hint(call, "%s", hint);
  if (strew_dtype_from_word(guess->wanted, &dtype, NULL) == STREW_OK)
    return bind_hint(call, "a dtype is a word: {dtype = \"%s\"}, t:to(\"%s\")", guess->wanted, guess->wanted);
  return bind_hint_guess(call, guess);
}

/* Calls a function of help.lua with a string (NULL: none); pushes the text, or nil if there is none. Very long names
   are not searched for: patterns would take long. */
static const char *push_page(lua_State *L, const char *function, const char *argument) {
  enum { LONGEST = 1000 };
  if (argument && strnlen(argument, LONGEST + 1) > LONGEST) return lua_pushnil(L), NULL;
  bind_help_pages(L);
  lua_getfield(L, -1, function);
  lua_remove(L, -2);
  lua_pushstring(L, argument);
  lua_call(L, 1, 1);
  return lua_tostring(L, -1);
}

/* Considers the names with help, a sequence on top of the stack. */
static void guess_name(lua_State *L, strew_guess *guess) {
  bind_help_pages(L);
  lua_getfield(L, -1, "names");
  lua_call(L, 0, 1);
  for (lua_Integer i = 1, n = luaL_len(L, -1); i <= n; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_type(L, -1) == LUA_TSTRING) strew_guess_name(guess, lua_tostring(L, -1)); /* the sequence holds it */
    lua_pop(L, 1);
  }
}

static int fail_unknown(lua_State *L, struct script_call *call, const char *name) {
  const char *dot = strrchr(name, '.'), *colon = strrchr(name, ':'), *last = dot > colon ? dot : colon;
  strew_guess guess = {.wanted = last ? last + 1 : name};
  guess_name(L, &guess);
  bind_fail(call, STREW_EARGUMENT, "name", "is \"%.60s\", no help found", name);
  if (guess.nearest) return bind_hint_guess(call, &guess);
  return bind_hint(call, "strew.help() lists all names, strew.help{search = \"word\"} searches their texts");
}

/* Reads a name, or a function of the module, whose name is an upvalue. */
static bool read_name(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_tocfunction(L, i) != bind_dispatch) return bind_string(L, call, i, name, out);
  lua_getupvalue(L, i, NAME_UPVALUE);
  *(const char **)out = lua_tostring(L, -1); /* the function holds it */
  lua_pop(L, 1);
  return true;
}

/* help([name] [, {search}]): prints, as at the prompt. */
static int help(lua_State *L, struct script_call *call) {
  const char *name = NULL, *words = NULL;
  const struct parameter parameters[] = {
      {"name", OPTIONAL, read_name, &name}, {"search", KEYED, bind_string, &words}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (name && words) return bind_fail(call, STREW_EARGUMENT, "search", "is given with 'name', expected one of the two");
  bind_stack(L, LUA_MINSTACK);
  lua_getglobal(L, "print");
  if (name && !push_page(L, "page", name)) return fail_unknown(L, call, name);
  if (words && !push_page(L, "search", words))
    return bind_fail(call, STREW_EARGUMENT, "search", "is \"%.60s\", nothing found", words);
  if (!name && !words) push_page(L, "overview", NULL);
  lua_call(L, 1, 0);
  return 0;
}

const struct script_function bind_help_rows[] = {{"help", help, 0, FUNCTION | CONSTANT}, {NULL, NULL, 0, 0}};
