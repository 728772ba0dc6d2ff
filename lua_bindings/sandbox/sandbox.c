/* sandbox.c: new Lua states with limits, and what untrusted scripts may call in a sandbox: pure Lua and strew, without
   files, processes, loading of modules or bytecode, and debugging.

   A hook stops Lua code, but no C function, and neither finalizers (__gc) nor code that runs while an error leaves a
   hook. So every function here either ends soon for any argument, or is replaced by one that checks the limits
   (limits_check), or is removed. */
#include "lua_bindings/core/hosting.h"
#include "script_limits.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The functions of os about time. */
static int open_time(lua_State *L) {
  static const char *const names[] = {"clock", "date", "difftime", "time"};
  lua_newtable(L);
  luaopen_os(L);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_getfield(L, -1, names[i]);
    lua_setfield(L, -3, names[i]);
  }
  lua_pop(L, 1);
  return 1;
}

static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
                                     {LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
                                     {LUA_UTF8LIBNAME, luaopen_utf8}, {LUA_COLIBNAME, luaopen_coroutine},
                                     {LUA_OSLIBNAME, open_time},      {NULL, NULL}};

static const struct guard guards[] = {
    {LUA_GNAME, "dofile", NULL},
    {LUA_GNAME, "loadfile", NULL},
    {LUA_GNAME, "setmetatable", set_metatable},
    {LUA_GNAME, "collectgarbage", collect},
    {LUA_GNAME, "pcall", guarded_pcall},
    {LUA_GNAME, "xpcall", guarded_xpcall},
    {LUA_GNAME, "load", load},
    {LUA_COLIBNAME, "create", checked},
    {LUA_MATHLIBNAME, "max", without_long_texts},
    {LUA_MATHLIBNAME, "min", without_long_texts},
    {LUA_OSLIBNAME, "date", without_long_texts},
    /* These process texts byte by byte: 1 GiB takes seconds, which nothing stops. */
    {LUA_STRLIBNAME, "upper", without_long_texts},
    {LUA_STRLIBNAME, "lower", without_long_texts},
    {LUA_STRLIBNAME, "reverse", without_long_texts},
    {LUA_STRLIBNAME, "packsize", without_long_texts},
    {LUA_STRLIBNAME, "pack", pack},
    {LUA_STRLIBNAME, "unpack", unpack},
    {LUA_STRLIBNAME, "dump", NULL},
    {LUA_UTF8LIBNAME, "len", without_long_texts},
    {LUA_UTF8LIBNAME, "offset", without_long_texts},
    {NULL, NULL, NULL},
};

static void guard_functions(lua_State *L, const struct guard *guard) {
  for (; guard->library; guard++) {
    lua_getglobal(L, guard->library);
    lua_getfield(L, -1, guard->name);
    if (guard->function)
      lua_pushcclosure(L, guard->function, 1);
    else
      lua_pop(L, 1), lua_pushnil(L);
    lua_setfield(L, -2, guard->name);
    lua_pop(L, 1);
  }
}

/* Opens the libraries of a sandbox. */
static void open_sandbox(lua_State *L) {
  static const struct coroutine_host host = {limits_enter, limits_leave, limits_check, limits_are_exceeded};
  for (const luaL_Reg *library = libraries; library->name; library++) {
    luaL_requiref(L, library->name, library->func, 1);
    lua_pop(L, 1);
  }
  guard_functions(L, guards);
  guard_functions(L, sandbox_strings);
  guard_functions(L, sandbox_tables);
  guard_functions(L, sandbox_addresses);
  lua_getglobal(L, LUA_COLIBNAME);
  coroutine_guard(L, &host);
  lua_pop(L, 1);
  sandbox_hide_addresses(L);
}

static int set_up(lua_State *L) {
  struct limits *limits = lua_touserdata(L, 1);
  strew_context *context = lua_touserdata(L, 2);
  bool sandbox = lua_toboolean(L, 3);
  limits_keep(L, limits);
  if (sandbox)
    open_sandbox(L);
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
