/* strew_hints.c: hints for names, and what strew_help.c reads. strew.lua is the text about every name, which.lua the table
   of calls by task, recipes.lua common tasks; help.lua parses the text and formats pages, hints.lua finds hints in
   which.lua. All are embedded, and read at the first call. */
#include "lua_bindings/core/hosting.h"
#include "lua_bindings/core/strew_bind.h"
#include "strew_lua.h"

#include <stdio.h>
#include <string.h>

/* nearest(wanted, table...) -> the string key of the tables that is most like it, and the number of its table; or nil */
static int nearest(lua_State *L) {
  strew_guess guess = {.wanted = luaL_checkstring(L, 1)};
  int found = 0;
  for (int i = 2, n = lua_gettop(L); i <= n; i++) {
    const char *before = guess.nearest;
    bind_guess_keys(L, i, &guess);
    if (guess.nearest != before) found = i - 1;
  }
  lua_pushstring(L, guess.nearest);
  lua_pushinteger(L, found);
  return 2;
}

static void push_chunk(lua_State *L, const char *name) { bind_push_chunk(L, name, "=strew.help"); }

/* Pushes what an embedded chunk without arguments returns. */
static void push_data(lua_State *L, const char *name) {
  push_chunk(L, name);
  lua_call(L, 0, 1);
}

/* Pushes what the chunk returns for the arguments that push_arguments pushes; the registry keeps it under the address of
   the name. */
static int push_once(lua_State *L, const char *name, int (*push_arguments)(lua_State *L)) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, name) == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  push_chunk(L, name);
  lua_call(L, push_arguments(L), 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, name);
  return 1;
}

static int push_texts(lua_State *L) {
  texts_push(L, texts_find("strew.lua"));
  push_data(L, "which.lua");
  push_data(L, "recipes.lua");
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  return 4;
}

static int push_names(lua_State *L) {
  push_data(L, "which.lua");
  bind_push_own_module(L);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushcfunction(L, nearest);
  lua_pushglobaltable(L);
  return 6;
}

static const char help_file[] = "help.lua", hints_file[] = "hints.lua";
int bind_help_pages(lua_State *L) { return push_once(L, help_file, push_texts); }
int bind_hints(lua_State *L) { return push_once(L, hints_file, push_names); }

/* Pushes the hint of that kind, "name" or "grouping", for a name of another library, and returns it; NULL: pushes nil,
   the name is not known. */
static const char *push_hint(lua_State *L, const char *kind, const char *name) {
  bind_stack(L, LUA_MINSTACK);
  bind_hints(L);
  lua_getfield(L, -1, kind);
  lua_remove(L, -2);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  return lua_tostring(L, -1);
}

bool bind_hint_text(lua_State *L, struct script_call *call) {
  int count = 0;
  for (int i = 1; i <= 2; i++) {
    const struct box *box = bind_to_box(L, call->binding, i);
    count += box && box->tensor && strew_tensor_dtype(box->tensor) == STREW_TEXT;
  }
  if (!count || call->error.hint[0]) return false;
  const char *hint = push_hint(L, count > 1 ? "texts" : "text", call->error.alias);
  if (hint) bind_hint(call, "%s", hint);
  return hint != NULL;
}

/* True for the name of a call that a sandbox lacks. */
static bool is_outside(const struct binding *binding, const char *name) {
  for (size_t i = 0; binding->rows[i]; i++)
    for (const struct script_function *row = binding->rows[i]; row->name; row++)
      if (row->forms & OUTSIDE && strcmp(row->name, name) == 0) return true;
  return false;
}

int bind_fail_name(lua_State *L, struct script_call *call, const char *owner, const strew_guess *guess) {
  strew_dtype dtype;
  strew_error *error = &call->error;
  bind_fail(call, STREW_EARGUMENT, NULL, "%s has no '%.60s'", owner, guess->wanted);
  error->lines_at = error->mark_at = error->hint_at -= error->fact_at; /* no call's name */
  memmove(error->message, error->message + error->fact_at, sizeof error->message - error->fact_at);
  error->fact_at = 0;
  if (call->binding->sandbox && is_outside(call->binding, guess->wanted))
    return bind_hint(call, "a sandbox has no files, and no memory of other libraries");
  const char *hint = push_hint(L, strcmp(owner, "grouping") == 0 ? owner : "name", guess->wanted);
  if (hint) return bind_hint(call, "%s", hint);
  if (strew_dtype_from_word(guess->wanted, &dtype, NULL) == STREW_OK)
    return bind_hint(call, "a dtype is a word: {dtype = \"%s\"}, t:to(\"%s\")", guess->wanted, guess->wanted);
  return bind_hint_guess(call, guess);
}
