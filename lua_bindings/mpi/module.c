/* module.c: opens strew.mpi, and runs its operations: see ranks.h. */
#include "ranks.h"
#include "runtime/core/base/embedded.h"

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- one rank's failure */

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Copies a string of the table on top of the stack; leaves `to` alone if there is none. */
static void copy_field(lua_State *L, const char *key, char *to, size_t bytes) {
  if (lua_getfield(L, -1, key) == LUA_TSTRING) snprintf(to, bytes, "%s", lua_tostring(L, -1));
  lua_pop(L, 1);
}

static void copy_value(lua_State *L, strew_error *error) {
  int type = lua_getfield(L, -1, "value");
  error->has_value = type == LUA_TNUMBER || type == LUA_TBOOLEAN;
  if (type == LUA_TBOOLEAN)
    error->value = strew_bool(lua_toboolean(L, -1));
  else if (error->has_value)
    error->value = lua_isinteger(L, -1) ? strew_int(lua_tointeger(L, -1)) : strew_float(lua_tonumber(L, -1));
  lua_pop(L, 1);
}

static void copy_position(lua_State *L, strew_error *error) {
  if (lua_getfield(L, -1, "pos") == LUA_TTABLE)
    for (error->position_rank = 0; error->position_rank < STREW_MAX_RANK; error->position_rank++) {
      bool is_entry = lua_rawgeti(L, -1, error->position_rank + 1) == LUA_TNUMBER;
      error->position[error->position_rank] = lua_tointeger(L, -1);
      lua_pop(L, 1);
      if (!is_entry) break;
    }
  lua_pop(L, 1);
}

static strew_status status_of(const char *word) {
  int status = STREW_OK;
  strew_enum_from_word(STREW_WORDS_STATUS, word, &status, NULL);
  return (strew_status)status;
}

/* (message, error): if the message is that of strew.last_error(), fills the error with its details. */
static int read_detail(lua_State *L) {
  struct failure *failure = lua_touserdata(L, 2);
  strew_error *error = &failure->error;
  char code[NAME_BYTES] = "", message[sizeof error->message] = "";
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_LIBRARY);
  lua_getfield(L, -1, "strew");
  lua_getfield(L, -1, "last_error");
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1)) return 0;
  copy_field(L, "message", message, sizeof message);
  if (!message[0] || !ends_with(lua_tostring(L, 1), message)) return 0;
  memcpy(error->message, message, sizeof message);
  copy_field(L, "code", code, sizeof code);
  copy_field(L, "hint", error->hint, sizeof error->hint);
  copy_field(L, "op", failure->op, sizeof failure->op);
  copy_field(L, "arg", failure->argument, sizeof failure->argument);
  copy_value(L, error);
  copy_position(L, error);
  error->code = status_of(code);
  return 0;
}

/* The code of an error that is not of a function of strew: of Lua, a limit or Ctrl-C. */
static strew_status code_of(lua_State *L, int status, const char *message) {
  strew_status now = strew_context_check(strew_context_of(L), 0, NULL);
  if (now != STREW_OK) return now;
  if (status == LUA_ERRMEM) return STREW_EMEMORY;
  return ends_with(message, "interrupted!") ? STREW_EINTERRUPTED : STREW_EARGUMENT;
}

/* Describes the error on top of the stack. Raises none itself. */
static void describe(lua_State *L, int status, struct failure *failure) {
  strew_error *error = &failure->error;
  const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error that is not text";
  memset(failure, 0, sizeof *failure);
  snprintf(failure->op, sizeof failure->op, "%s", world.op);
  snprintf(error->message, sizeof error->message, "%s", message);
  error->position_rank = -1;
  if (lua_type(L, -1) == LUA_TSTRING && lua_checkstack(L, LUA_MINSTACK)) {
    lua_pushcfunction(L, read_detail);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, failure);
    lua_pcall(L, 2, 0, 0); /* without memory the message alone remains */
  }
  if (error->code == STREW_OK) error->code = code_of(L, status, error->message);
  failure_complete(failure);
}

/* ------------------------------------------------------------------------------------------------------- operations */

/* Writes an operation's result to the tensor that it works on in place. On the CPU that cannot fail. */
static strew_status commit(strew_tensor *target, strew_tensor *result, strew_error *error) {
  void *to = NULL, *from = NULL;
  if (target == result) return STREW_OK;
  if (strew_data(target, &to, NULL) != STREW_OK || strew_data(result, &from, NULL) != STREW_OK)
    return strew_copy(target, result, error);
  size_t bytes = (size_t)strew_tensor_numel(target) * strew_dtype_size_bytes(strew_tensor_dtype(target));
  if (bytes) memcpy(to, from, bytes);
  return STREW_OK;
}

/* False, and the error is filled: an operation is running, which a finalizer interrupts, or gradients are recorded. */
static bool may_begin(lua_State *L, strew_error *error) {
  const char *problem = NULL;
  if (world.op) problem = "called during another operation";
  if (strew_is_recording(L)) problem = "has no gradient, and is not allowed within strew.grad";
  if (!problem) return true;
  return strew_error_set(error, STREW_EARGUMENT, NULL, "%s", problem) == STREW_OK;
}

/* together(op, call, target, body, ...): runs body(...) on all ranks, and returns its results if it succeeded on all of
   them. `call` says what this rank does. target: a contiguous tensor that receives the first result, which is
   contiguous and of its shape, instead of together's caller; or nil. */
static int together(lua_State *L) {
  enum { OP = 1, CALL, TARGET, FIRST };
  const char *op = luaL_checkstring(L, OP), *call = luaL_checkstring(L, CALL);
  struct failure failure = {.error = {.alias = op}};
  if (!may_begin(L, &failure.error)) return strew_raise(L, &failure.error);
  ranks_say(call);
  world.op = op;
  world.failed = false;
  int status = strew_pcall(L, op, lua_gettop(L) - FIRST, LUA_MULTRET);
  strew_tensor *target = strew_test(L, TARGET), *result = target ? strew_test(L, FIRST) : NULL;
  if (status != LUA_OK && !world.failed) describe(L, status, &failure);
  if (!world.failed) ranks_agree(&failure.error);
  world.op = NULL;
  if (world.failed) return strew_raise(L, &world.failure.error);
  if (result && commit(target, result, &failure.error) != STREW_OK) return strew_raise(L, &failure.error);
  return lua_gettop(L) - TARGET - (target != NULL);
}

/* fail(op, argument, fact [, hint [, code]]): raises an error as strew's functions do; argument may be nil. */
static int fail(lua_State *L) {
  const char *op = luaL_checkstring(L, 1), *argument = lua_tostring(L, 2), *fact = luaL_checkstring(L, 3);
  strew_error error = {.alias = op};
  strew_error_set(&error, status_of(luaL_optstring(L, 5, "argument")), argument, "%s", fact);
  strew_error_hint(&error, luaL_optstring(L, 4, ""));
  return strew_raise(L, &error);
}

/* sent_bytes(): of exchanges, to other ranks, since the beginning. */
static int sent_bytes(lua_State *L) {
  lua_pushinteger(L, world.sent_bytes);
  return 1;
}

static const luaL_Reg module_functions[] = {
    {"together", together}, {"fail", fail}, {"sent_bytes", sent_bytes}, {NULL, NULL}};

LUAMOD_API int luaopen_strew_mpi(lua_State *L);

/* require "strew.mpi" */
__attribute__((visibility("default"))) int luaopen_strew_mpi(lua_State *L) {
  luaL_requiref(L, "strew", luaopen_strew, 0);
  world_open();
  if (luaL_loadbufferx(L, (const char *)mpi_files[0].data, mpi_files[0].bytes, "=strew.mpi", "t") != LUA_OK)
    return lua_error(L);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_LIBRARY);
  lua_pushvalue(L, -1);
  lua_setupvalue(L, -3, 1); /* _ENV */
  lua_getfield(L, -1, "strew");
  lua_remove(L, -2);
  lua_newtable(L);
  luaL_setfuncs(L, module_functions, 0);
  luaL_setfuncs(L, exchange_functions, 0);
  luaL_setfuncs(L, partition_functions, 0);
  lua_pushinteger(L, world.rank);
  lua_setfield(L, -2, "rank");
  lua_pushinteger(L, world.size);
  lua_setfield(L, -2, "size");
  lua_call(L, 2, 1);
  return 1;
}
