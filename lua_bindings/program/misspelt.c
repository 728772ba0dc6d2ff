/* misspelt.c: tables are read without metamethods, since an error is being handled. */
#include "program.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <string.h>

/* Considers all string keys of the table at i. */
static void guess_keys(lua_State *L, int i, strew_guess *guess) {
  i = lua_absindex(L, i);
  lua_pushnil(L);
  while (lua_next(L, i)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) strew_guess_name(guess, lua_tostring(L, -1));
  }
}

static void push_loaded(lua_State *L, const char *library) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushstring(L, library);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

static bool has_key(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  bool has = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

/* What a global of another language is here, or NULL. */
static const char *own_word(const char *name, bool at_prompt) {
  static const struct {
    const char *name, *here, *at_prompt /* NULL: the same */;
  } words[] = {{"null", "nil", NULL},
               {"NULL", "nil", NULL},
               {"None", "nil", NULL},
               {"True", "true", NULL},
               {"False", "false", NULL},
               {"quit", "os.exit", ":quit"},
               {"exit", "os.exit", ":quit"},
               {"help", "strew.help", ":help"},
               {"torch", "strew", NULL},
               {"np", "strew", NULL},
               {"numpy", "strew", NULL},
               {"pd", "strew", NULL},
               {"pandas", "strew", NULL},
               {"tf", "strew", NULL},
               {"jnp", "strew", NULL},
               {"len", "#t", NULL},
               {"str", "tostring", NULL},
               {"int", "math.tointeger", NULL},
               {"println", "print", NULL},
               {"printf", "string.format", NULL},
               {"range", "for i = 0, n - 1 do", NULL}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].name, name) == 0) return at_prompt && words[i].at_prompt ? words[i].at_prompt : words[i].here;
  return NULL;
}

/* Pushes "string.format" for "fromat"; or nil. */
static void push_library_function(lua_State *L, const char *name) {
  static const char *const libraries[] = {"string", "table", "math", "io", "os", "utf8", "coroutine", "debug"};
  const char *found = NULL;
  strew_guess best = {.wanted = name};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    const char *nearest = best.nearest;
    push_loaded(L, libraries[i]);
    if (lua_istable(L, -1)) guess_keys(L, -1, &best);
    if (best.nearest != nearest) found = libraries[i];
    lua_pop(L, 1);
  }
  if (found)
    lua_pushfstring(L, "%s.%s", found, best.nearest);
  else
    lua_pushnil(L);
}

/* Pushes the quoted name after `mark` in the message and returns it; NULL: pushes nothing. */
static const char *push_name(lua_State *L, const char *message, const char *mark) {
  const char *at = strstr(message, mark);
  if (!at) return NULL;
  at += strlen(mark);
  const char *end = strchr(at, '\'');
  return end ? lua_pushlstring(L, at, (size_t)(end - at)) : NULL;
}

/* If the message is about a call of a tensor's field, pushes what to write, and returns true. */
static bool push_field(lua_State *L, const char *message) {
  static const char *const marks[] = {"call a table value (method '", "call a table value (field '",
                                      "call a string value (method '", "call a string value (field '"};
  static const char *const fields[] = {"shape", "dtype", "device"};
  const char *name = NULL;
  for (size_t i = 0; i < sizeof marks / sizeof *marks && !name; i++) name = push_name(L, message, marks[i]);
  for (size_t i = 0; name && i < sizeof fields / sizeof *fields; i++)
    if (strcmp(name, fields[i]) == 0) return lua_pushfstring(L, "a field, not a method: t.%s", name) != NULL;
  return false;
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

/* Calls a function of hints.lua with the n values on top of the stack; returns true if it pushes a string. */
static bool push_hint(lua_State *L, const char *function, int n) {
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_HINTS);
  if (!lua_isfunction(L, -1)) return false;
  lua_call(L, 0, 1);
  lua_getfield(L, -1, function);
  lua_remove(L, -2);
  lua_insert(L, -(n + 1));
  return lua_pcall(L, n, 1, 0) == LUA_OK && lua_isstring(L, -1);
}

bool misspelt_push_hint(lua_State *L, const char *name) {
  strew_guess global = {.wanted = name}, function = {.wanted = name};
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_pushglobaltable(L);
  guess_keys(L, -1, &global);
  bool at_prompt = lua_getfield(L, LUA_REGISTRYINDEX, MISSPELT_NAMES) == LUA_TTABLE;
  if (at_prompt) guess_keys(L, -1, &global);
  push_loaded(L, "strew");
  bool is_table = lua_istable(L, -1), is_function = is_table && has_key(L, name);
  if (is_table) guess_keys(L, -1, &function);
  const char *word = own_word(name, at_prompt);
  if (word) return lua_pushfstring(L, "did you mean '%s'?", word) != NULL;
  if (!name[0] || !name[1]) return false; /* one letter: a variable */
  if (is_function) return lua_pushfstring(L, "did you mean 'strew.%s'?", name) != NULL;
  lua_pushstring(L, name);
  if (push_hint(L, "name", 1)) return true;
  if (global.nearest) return lua_pushfstring(L, "did you mean '%s'?", global.nearest) != NULL;
  return function.nearest && lua_pushfstring(L, "did you mean 'strew.%s'?", function.nearest) != NULL;
}

/* If the nil value called `name` was looked for in a table of columns, pushes a hint, and returns true. */
static bool push_column(lua_State *L, const char *name, bool is_called) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, STREW_MISSED) != LUA_TTABLE) return false;
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  int x = lua_gettop(L) - 1;
  if (!lua_istable(L, x) || !lua_isstring(L, -1) || strcmp(lua_tostring(L, -1), name) != 0) return false;
  int top = lua_gettop(L);
  push_name_of(L, x);
  lua_replace(L, top + 1); /* x, name, owner */
  lua_settop(L, top + 1);
  lua_pushboolean(L, is_called);
  return push_hint(L, "column", 4);
}

/* Pushes the hint for a name that a library of Lua lacks, or else the nearest name as a question; or returns false. */
static bool push_library_hint(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  if (push_hint(L, "lua", 1)) return true;
  push_library_function(L, name);
  return !lua_isnil(L, -1) && lua_pushfstring(L, "did you mean '%s'?", lua_tostring(L, -1));
}

/* If the message is about a name that is nil, pushes a hint, and returns true. */
static bool push_missing(lua_State *L, const char *message) {
  const char *name;
  if ((name = push_name(L, message, "a nil value (global '")) != NULL) return misspelt_push_hint(L, name);
  if ((name = push_name(L, message, "call a nil value (field '")) != NULL ||
      (name = push_name(L, message, "call a nil value (method '")) != NULL)
    return push_column(L, name, true) || push_library_hint(L, name);
  name = push_name(L, message, "a nil value (field '");
  return name && push_column(L, name, false);
}

void misspelt_add_hint(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  int top = lua_gettop(L);
  if (push_field(L, message) || push_missing(L, message)) {
    lua_pushfstring(L, "%s\n  hint  %s", message, lua_tostring(L, -1));
    lua_replace(L, top);
  }
  lua_settop(L, top);
}
