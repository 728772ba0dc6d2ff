/* sandbox.c: the functions that untrusted scripts may call: pure Lua and strew, without files, processes, loading of
   modules or bytecode, and debugging.

   A hook stops Lua code, but no C function, and neither finalizers (__gc) nor code that runs while an error leaves a
   hook. So every function here either ends soon for any argument, or is replaced by one that checks the limits
   (limits_check), or is removed. */
#include "coroutine.h"
#include "script_limits.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* Libraries, with the functions to drop or, if any are listed, the only ones to keep. */
static const struct library {
  const char *name;
  lua_CFunction open;
  const char *keep[8], *drop[8];
} libraries[] = {
    {LUA_GNAME, luaopen_base, {NULL}, {"dofile", "loadfile", NULL}},
    {LUA_STRLIBNAME, luaopen_string, {NULL}, {"dump", NULL}},
    {LUA_TABLIBNAME, luaopen_table, {NULL}, {NULL}},
    {LUA_MATHLIBNAME, luaopen_math, {NULL}, {NULL}},
    {LUA_UTF8LIBNAME, luaopen_utf8, {NULL}, {NULL}},
    {LUA_COLIBNAME, luaopen_coroutine, {NULL}, {NULL}},
    {LUA_OSLIBNAME, luaopen_os, {"time", "clock", "date", "difftime", NULL}, {NULL}},
};
enum { LIBRARY_COUNT = sizeof libraries / sizeof *libraries };

/* ---------------------------------------------------------------------------------------------- guarded functions */

/* Calls the library's function, upvalue 1, after a check of the limits. */
static int checked(lua_State *L) {
  limits_check(L);
  return call_original(L);
}

static int set_metatable(lua_State *L) {
  if (lua_istable(L, 2)) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL)
      return luaL_error(L, "setmetatable: 'metatable' has __gc, a sandbox runs no finalizers of scripts");
    lua_pop(L, 1);
  }
  return checked(L);
}

static int without_long_texts(lua_State *L) {
  limits_refuse_long_texts(L);
  return call_original(L);
}

static int collect(lua_State *L) {
  limits_check(L);
  return without_long_texts(L);
}

/* unpack(format, text): copies the parts of a text, which may be long. */
static int unpack(lua_State *L) {
  luaL_argcheck(L, lua_type(L, 1) != LUA_TSTRING || lua_rawlen(L, 1) <= MAX_TEXT_BYTES, 1, TOO_LONG);
  return checked(L);
}

/* pack(format, ...): "c" with a size pads a text with zeros, one by one. */
static int pack(lua_State *L) {
  unsigned long long bytes = 0;
  for (const char *text = lua_tostring(L, 1); text && (text = strchr(text, 'c')) != NULL && bytes <= MAX_TEXT_BYTES;) {
    const unsigned long long size = strtoull(++text, NULL, 10);
    bytes = size <= MAX_TEXT_BYTES ? bytes + size : size;
  }
  luaL_argcheck(L, bytes <= MAX_TEXT_BYTES, 1, TOO_LONG);
  return without_long_texts(L);
}

/* Calls the script's error handler, upvalue 1, unless the error is a limit. */
static int handle(lua_State *L) {
  if (limits_are_exceeded(L)) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* Returns the results of a protected call: `true` stands below them, and `extra` values below that. A script that must
   stop cannot catch its error. */
static int finish_call(lua_State *L, int status, lua_KContext extra) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)extra;
  limits_check(L);
  lua_pushboolean(L, 0);
  lua_pushvalue(L, -2);
  return 2;
}

/* pcall(f, ...) */
static int guarded_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_call(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call), 0);
}

/* xpcall(f, handler, ...) */
static int guarded_xpcall(lua_State *L) {
  int n = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2); /* function, handler, true, function, arguments */
  return finish_call(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_call), 2);
}

/* ------------------------------------------------------------------------------------------------------------- load */

/* A text, or a function that returns it in parts. It is parsed in chunks, since the parser has no hooks. */
struct source {
  const char *text;
  size_t left;
  int function; /* its position; 0: there is a text */
};

static const char *read_chunk(lua_State *L, void *source_, size_t *size) {
  enum { CHUNK = 1 << 12 };
  struct source *source = source_;
  limits_check(L);
  if (source->function && !source->left) {
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, source->function);
    lua_call(L, 0, 1);
    if (!lua_isnil(L, -1) && !lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
    lua_replace(L, source->function + 1); /* which keeps it alive while it is read */
    source->text = lua_tolstring(L, source->function + 1, &source->left);
    if (!source->text) source->left = 0;
  }
  *size = source->left < CHUNK ? source->left : CHUNK;
  const char *chunk = source->text;
  if (*size) source->text += *size;
  source->left -= *size;
  return *size ? chunk : NULL;
}

/* load(chunk [, name [, mode [, env]]]): text only */
static int load(lua_State *L) {
  enum { CHUNK = 1, NAME, MODE, ENVIRONMENT, FUNCTION, TEXT };
  bool has_environment = !lua_isnone(L, ENVIRONMENT);
  struct source source = {NULL, 0, 0};
  const char *mode = strchr(luaL_optstring(L, MODE, "t"), 't') ? "t" : "";
  lua_settop(L, ENVIRONMENT);
  if (lua_isstring(L, CHUNK))
    source.text = lua_tolstring(L, CHUNK, &source.left);
  else
    luaL_checktype(L, CHUNK, LUA_TFUNCTION);
  const char *name = luaL_optstring(L, NAME, source.text ? source.text : "=(load)");
  if (!source.text) source.function = FUNCTION;
  lua_pushvalue(L, CHUNK); /* at FUNCTION */
  lua_pushnil(L);          /* at TEXT */
  if (lua_load(L, read_chunk, &source, name, mode) != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_environment) {
    lua_pushvalue(L, ENVIRONMENT);
    lua_setupvalue(L, -2, 1); /* _ENV, the only upvalue of a chunk from text */
  }
  return 1;
}

/* ---------------------------------------------------------------------------------------------------------- opening */

static bool contains(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

/* Removes the dropped functions from the library on top of the stack. */
static void prune(lua_State *L, const struct library *library) {
  for (const char *const *name = library->drop; *name; name++) {
    lua_pushnil(L);
    lua_setfield(L, -2, *name);
  }
  if (!library->keep[0]) return;
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pop(L, 1);
    if (contains(library->keep, lua_tostring(L, -1))) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, -4); /* lua_next allows that */
  }
}

static const luaL_Reg of_base[] = {{"setmetatable", set_metatable},
                                   {"collectgarbage", collect},
                                   {"pcall", guarded_pcall},
                                   {"xpcall", guarded_xpcall},
                                   {"load", load},
                                   {NULL, NULL}};
static const luaL_Reg of_coroutines[] = {{"create", checked}, {NULL, NULL}};
/* These process texts byte by byte: 1 GiB takes seconds, which nothing stops. */
static const luaL_Reg of_strings[] = {{"upper", without_long_texts},
                                      {"lower", without_long_texts},
                                      {"reverse", without_long_texts},
                                      {"packsize", without_long_texts},
                                      {"pack", pack},
                                      {"unpack", unpack},
                                      {NULL, NULL}};
static const luaL_Reg of_utf8[] = {{"len", without_long_texts}, {"offset", without_long_texts}, {NULL, NULL}};
static const luaL_Reg of_math[] = {{"max", without_long_texts}, {"min", without_long_texts}, {NULL, NULL}};
static const luaL_Reg of_os[] = {{"date", without_long_texts}, {NULL, NULL}};

static const struct {
  const char *library;
  const luaL_Reg *guards;
} guarded[] = {{LUA_GNAME, of_base},
               {LUA_COLIBNAME, of_coroutines},
               {LUA_STRLIBNAME, of_strings},
               {LUA_STRLIBNAME, sandbox_strings},
               {LUA_TABLIBNAME, sandbox_tables},
               {LUA_UTF8LIBNAME, of_utf8},
               {LUA_MATHLIBNAME, of_math},
               {LUA_OSLIBNAME, of_os}};
enum { GUARDED_COUNT = sizeof guarded / sizeof *guarded };

int sandbox_open(lua_State *L) {
  static const struct coroutine_host host = {limits_enter, limits_leave, limits_check, limits_are_exceeded};
  for (int i = 0; i < LIBRARY_COUNT; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].open, 1);
    prune(L, &libraries[i]);
    lua_pop(L, 1);
  }
  for (int i = 0; i < GUARDED_COUNT; i++) sandbox_guard(L, guarded[i].library, guarded[i].guards);
  lua_getglobal(L, LUA_COLIBNAME);
  coroutine_guard(L, &host);
  lua_pop(L, 1);
  sandbox_hide_addresses(L);
  return 0;
}
