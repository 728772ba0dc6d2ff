/* misspelt.c: tables are read without metamethods, since an error is being handled. */
#include "misspelt.h"
#include "strew.h"

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

void misspelt_push_guess(lua_State *L, const char *name) {
  int top = lua_gettop(L);
  strew_guess global = {.wanted = name}, function = {.wanted = name};
  luaL_checkstack(L, 6, NULL);
  lua_pushglobaltable(L);
  guess_keys(L, -1, &global);
  bool at_prompt = lua_getfield(L, LUA_REGISTRYINDEX, MISSPELT_NAMES) == LUA_TTABLE;
  if (at_prompt) guess_keys(L, -1, &global);
  push_loaded(L, "strew");
  bool is_table = lua_istable(L, -1), is_function = is_table && has_key(L, name);
  if (is_table) guess_keys(L, -1, &function);
  const char *word = own_word(name, at_prompt);
  if (word)
    lua_pushstring(L, word);
  else if (is_function)
    lua_pushfstring(L, "strew.%s", name);
  else if (global.nearest)
    lua_pushstring(L, global.nearest);
  else if (function.nearest)
    lua_pushfstring(L, "strew.%s", function.nearest);
  else
    lua_pushnil(L);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
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

/* If the message is about a global or a library function that is nil, pushes a question for the name likely meant, and
   returns true. */
static bool push_question(lua_State *L, const char *message) {
  const char *name;
  if ((name = push_name(L, message, "a nil value (global '")) != NULL)
    misspelt_push_guess(L, name);
  else if ((name = push_name(L, message, "call a nil value (field '")) != NULL ||
           (name = push_name(L, message, "call a nil value (method '")) != NULL)
    push_library_function(L, name);
  return name && !lua_isnil(L, -1) && lua_pushfstring(L, "did you mean '%s'?", lua_tostring(L, -1));
}

void misspelt_add_hint(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  int top = lua_gettop(L);
  if (push_field(L, message) || push_question(L, message)) {
    lua_pushfstring(L, "%s\n  hint  %s", message, lua_tostring(L, -1));
    lua_replace(L, top);
  }
  lua_settop(L, top);
}
