/* strew_columns.c: converts the runtime's tables to Lua tables and back.

   A table of columns holds its tensors and nothing else that pairs would visit: the order of its names, and the words
   of its text columns, are in its metatable, visible as x.names and x.words (family/columns.lua). Columns with those
   names hide them: strew.columns(x) and strew.words(x) read only the metatable, as strew.save does. The metatable also
   has the table's text, its length, and functions for other keys and new names (family/printing.lua, rows.lua). */
#include "strew_bind.h"
#include "strew_lua.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- to Lua */

/* Pushes "price", or the number of an unnamed column. */
static void push_key(lua_State *L, const strew_table *table, int64_t i) {
  if (strew_table_is_numbered(table))
    lua_pushinteger(L, i + 1);
  else
    lua_pushstring(L, strew_table_name(table, i));
}

static int hint_of_size(int64_t count) { return count < 1 << 20 ? (int)count : 1 << 20; }

/* Pushes the list of words of column i: that of `known`, with later words added, or a new one. */
static bool push_words(lua_State *L, struct script_call *call, const strew_table *table, int64_t i, int known) {
  int64_t count = strew_table_word_count(table, i);
  if (known) {
    push_key(L, table, i);
    lua_rawget(L, known);
  }
  if (!known || !lua_istable(L, -1)) {
    lua_settop(L, lua_gettop(L) - (known ? 1 : 0));
    lua_createtable(L, hint_of_size(count), 0);
  }
  for (int64_t code = (int64_t)lua_rawlen(L, -1); code < count; code++) {
    if (!bind_may_continue(call, code + 1)) return false;
    lua_pushstring(L, strew_table_word(table, i, code));
    lua_rawseti(L, -2, code + 1);
  }
  if (!known) return true;
  push_key(L, table, i);
  lua_pushvalue(L, -2);
  lua_rawset(L, known);
  return true;
}

static bool push_names_and_words(lua_State *L, struct script_call *call, const strew_table *table, int known) {
  int64_t count = strew_table_count(table);
  lua_createtable(L, hint_of_size(count), 0);
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1)) return false;
    push_key(L, table, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_newtable(L);
  for (int64_t i = 0; i < count; i++) {
    if (strew_table_word_count(table, i) < 0) continue;
    push_key(L, table, i);
    if (!push_words(L, call, table, i, known)) return false;
    lua_rawset(L, -3);
  }
  return true;
}

bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table, int known) {
  int64_t count = strew_table_count(table);
  bind_stack(L, LUA_MINSTACK);
  lua_createtable(L, strew_table_is_numbered(table) ? hint_of_size(count) : 0, hint_of_size(count));
  for (int64_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, i + 1)) return false;
    push_key(L, table, i);
    struct box *box = bind_push_box(L, call->binding); /* it may raise an error: nothing is held yet */
    box->tensor = strew_retain(strew_table_tensor(table, i));
    lua_rawset(L, -3);
  }
  const int x = lua_gettop(L);
  bind_use(L, lua_upvalueindex(1), "columns.lua");
  lua_getfield(L, -1, "set");
  lua_replace(L, -2);
  lua_pushvalue(L, x);
  if (!push_names_and_words(L, call, table, known)) return false;
  lua_call(L, 3, 0);
  return true;
}

int bind_missed(lua_State *L, struct script_call *call) {
  (void)call;
  lua_settop(L, 2);
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, STREW_MISSED) == 0) {
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  lua_insert(L, 1);
  lua_rawseti(L, 1, 2);
  lua_rawseti(L, 1, 1);
  return 0;
}

/* --------------------------------------------------------------------------------------------------------- from Lua */

/* Returns the word on top of the stack; NULL with a failure if it is not a string or has a zero byte. */
static const char *read_word(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  const int i = lua_gettop(L);
  const char *word = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : NULL;
  if (!word)
    return bind_fail(call, STREW_EARGUMENT, "words", "has %s, expected a string", bind_text(L, call, i, text)), NULL;
  if (strlen(word) == lua_rawlen(L, i)) return word;
  return bind_fail(call, STREW_EARGUMENT, "words", "has \"%.40s\" and more after a zero byte, which no file can hold",
                   word),
         NULL;
}

/* Adds the list of words on top of the stack, and pops it. */
static bool add_words(lua_State *L, struct script_call *call, strew_table *table, int64_t column) {
  int list = lua_gettop(L), ignored;
  if (lua_isnil(L, list)) return lua_pop(L, 1), true;
  if (!bind_table(L, call, list, "words", &ignored)) return false;
  for (lua_Unsigned k = 1; k <= lua_rawlen(L, list); k++) {
    lua_rawgeti(L, list, (lua_Integer)k);
    const char *word = read_word(L, call);
    if (!word || strew_table_add_word(table, column, word, &call->error) != STREW_OK) return false;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return true;
}

bool bind_read_columns(lua_State *L, struct script_call *call, int x, strew_table **out) {
  bind_stack(L, LUA_MINSTACK);
  bind_push_function(L, lua_upvalueindex(1), &bind_saved_columns_row, call->error.alias, FUNCTION);
  lua_pushvalue(L, x);
  lua_rotate(L, -4, 2); /* function, x, names, words */
  lua_call(L, 3, 3);    /* tensors, names or nil, lists of words */
  const int lists = lua_gettop(L), order = lists - 1, tensors = lists - 2;
  const lua_Integer count = (lua_Integer)lua_rawlen(L, tensors);
  strew_status status = strew_table_create(call->binding->context, out, &call->error);
  for (lua_Integer i = 1; i <= count && status == STREW_OK; i++, lua_pop(L, 1)) {
    strew_tensor *tensor = bind_entry(L, call, tensors, i, "x"); /* a finalizer may have freed it */
    if (!tensor) return false;
    if (lua_istable(L, order))
      lua_rawgeti(L, order, i);
    else
      lua_pushnil(L);
    status = strew_table_add(*out, lua_tostring(L, -1), tensor, &call->error);
  }
  for (lua_Integer i = 1; i <= count && status == STREW_OK; i++) {
    lua_rawgeti(L, lists, i);
    if (!add_words(L, call, *out, i - 1)) return false;
  }
  return status == STREW_OK;
}
