/* strew_columns.c: converts the runtime's tables to Lua tables and back.

   A table of columns holds its tensors and nothing else that pairs would visit: the order of its names, and the words
   of its text columns, are in its metatable, visible as x.names and x.words. Columns with those names hide them:
   strew.columns(x) and strew.words(x) read only the metatable, as strew.save does. The metatable also has the table's
   text, its length, and functions for other keys and new names: written in Lua (family/printing.lua, family/rows.lua).

   A list of words belongs to the tensor that was the column when it was set: a column that was replaced since is an
   error wherever its words are used. */
#include "strew_columns.h"
#include "strew_lua.h"

#include <stdlib.h>
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

/* Metamethods in Lua: of the table, and of the table of its names and words. */
enum { TEXT, LENGTH, NEW, MISSING };
static const struct script_function *const metamethods[] = {[TEXT] = &bind_columns_text_row,
                                                            [LENGTH] = &bind_columns_length_row,
                                                            [NEW] = &bind_new_column_row,
                                                            [MISSING] = &bind_missing_column_row};

static void set_metamethod(lua_State *L, const char *event, const struct script_function *row) {
  bind_push_function(L, lua_upvalueindex(1), row, row->name, FUNCTION);
  lua_setfield(L, -2, event);
}

/* Pushes the lists of words by column and, held weakly, the tensors of codes that they belong to. */
static void push_owners(lua_State *L, int x, int words) {
  lua_newtable(L);
  lua_newtable(L);
  if (luaL_newmetatable(L, "strew.codes")) {
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
  }
  lua_setmetatable(L, -2);
  const int codes = lua_gettop(L), lists = codes - 1;
  for (lua_pushnil(L); lua_next(L, words);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, lists);
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -1);
    lua_rawget(L, x);
    lua_rawset(L, codes);
  }
}

/* Pushes a field of the metatable of x's names and words, or nil. */
static int push_hidden(lua_State *L, int x, const char *name) {
  if (!lua_getmetatable(L, x)) return lua_pushnil(L), LUA_TNIL;
  lua_pushliteral(L, "__index");
  if (lua_rawget(L, -2) != LUA_TTABLE || !lua_getmetatable(L, -1)) return lua_pushnil(L), LUA_TNIL;
  lua_pushstring(L, name);
  return lua_rawget(L, -2);
}

/* True if the list at position `list`, of words of the column that the value at `key` names, is that of a former tensor
   x[key]. */
static bool is_replaced(lua_State *L, int x, int key, int list) {
  const int top = lua_gettop(L);
  bool result = false;
  bind_stack(L, LUA_MINSTACK);
  if (push_hidden(L, x, "lists") == LUA_TTABLE) {
    lua_pushvalue(L, key);
    lua_rawget(L, -2);
    const bool is_known = lua_rawequal(L, -1, list);
    if (is_known && push_hidden(L, x, "codes") == LUA_TTABLE) {
      lua_pushvalue(L, key);
      lua_rawget(L, -2);
      lua_pushvalue(L, key);
      lua_rawget(L, x);
      result = !lua_isnil(L, -1) && !lua_rawequal(L, -1, -2);
    }
  }
  lua_settop(L, top);
  return result;
}

/* What is wrong with a column that was replaced, and what to do. */
static const char problem[] = "has a new value as column %s, whose words belong to the former one",
                  remedy[] =
                      "x[%s] = nil before makes it a column of numbers; strew.columns(x, nil, {[%s] = {word, ...}}) "
                      "returns x with other words";

bool bind_check_words(lua_State *L, struct script_call *call, int x, int key, int list) {
  char text[TEXT_BYTES];
  if (!is_replaced(L, x, key, list)) return true;
  const char *name = bind_text(L, call, key, text);
  bind_fail(call, STREW_EVALUE, "x", problem, name);
  bind_hint(call, remedy, name, name);
  return false;
}

/* replaced(x, name, list), for Lua: nil, or a problem and a hint: the list is that of a former tensor x[name]. */
static int replaced(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  if (!is_replaced(L, 1, 2, 3)) return lua_pushnil(L), 1;
  const char *name = bind_text(L, call, 2, text);
  lua_pushfstring(L, problem, name);
  lua_pushfstring(L, remedy, name, name);
  return 2;
}

const struct script_function bind_replaced_row = {"replaced", replaced, 0, FUNCTION | CONSTANT};

/* Sets the metatable of x: {__index = {names = ..., words = ...}, __tostring = ..., ...}. The names and the words are on
   top of the stack, and are removed. The inner table's metatable knows x. */
static void set_metatable(lua_State *L, int x) {
  int words = lua_gettop(L), names = words - 1;
  lua_createtable(L, 0, 3);
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, names);
  lua_setfield(L, -2, "names");
  lua_pushvalue(L, words);
  lua_setfield(L, -2, "words");
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, x);
  lua_setfield(L, -2, "columns");
  push_owners(L, x, words);
  lua_setfield(L, -3, "codes");
  lua_setfield(L, -2, "lists");
  set_metamethod(L, "__index", metamethods[MISSING]);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  set_metamethod(L, "__tostring", metamethods[TEXT]);
  set_metamethod(L, "__newindex", metamethods[NEW]);
  set_metamethod(L, "__len", metamethods[LENGTH]);
  lua_setmetatable(L, x);
  lua_settop(L, names - 1);
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
  int x = lua_gettop(L);
  if (!push_names_and_words(L, call, table, known)) return false;
  set_metatable(L, x);
  return true;
}

static int set_columns(lua_State *L, struct script_call *call) {
  (void)call;
  lua_settop(L, 3);
  set_metatable(L, 1);
  return 1;
}

const struct script_function bind_set_columns_row = {"set_columns", set_columns, 0, FUNCTION | CONSTANT};

/* missed(x, name) */
static int missed(lua_State *L, struct script_call *call) {
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

const struct script_function bind_missed_row = {"missed", missed, 0, FUNCTION};

/* --------------------------------------------------------------------------------------------------------- from Lua */

struct entry {
  const char *name; /* NULL: a sequence has none */
  strew_tensor *tensor;
  int64_t column; /* index in the runtime's table; -1: absent */
};

int bind_push_about(lua_State *L, int x, const char *name) {
  int top = lua_gettop(L);
  bool found = lua_istable(L, x) && lua_getmetatable(L, x);
  if (found) {
    lua_pushliteral(L, "__index");
    found = lua_rawget(L, -2) == LUA_TTABLE;
  }
  if (found) {
    lua_pushstring(L, name);
    found = lua_rawget(L, -2) == LUA_TTABLE;
  }
  if (found)
    lua_replace(L, top + 1);
  else
    lua_settop(L, top);
  lua_settop(L, top + 1);
  return top + 1;
}

static int about(lua_State *L, struct script_call *call) {
  (void)call;
  bind_push_about(L, 1, lua_tostring(L, 2));
  return 1;
}

const struct script_function bind_about_row = {"about", about, 0, FUNCTION | CONSTANT};

void bind_prepare_columns(lua_State *L, int x, struct columns *out) {
  *out = (struct columns){.x = x};
  out->names.slot = bind_push_about(L, x, "names");
  out->words.slot = bind_push_about(L, x, "words");
  if (!lua_istable(L, x)) return;
  for (lua_pushnil(L); lua_next(L, x); lua_pop(L, 1)) out->most++;
  out->entries = lua_newuserdatauv(L, out->most * sizeof *out->entries, 0);
  out->order = lua_newuserdatauv(L, out->most * sizeof *out->order, 0);
}

bool bind_about(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct about *about = out;
  int position;
  if (!bind_table(L, call, i, name, &position)) return false;
  lua_copy(L, i, about->slot);
  about->is_given = true;
  return true;
}

/* Returns the string at i; NULL with a failure if it is not a string or has a zero byte. */
static const char *read_name(lua_State *L, struct script_call *call, int i, const char *argument) {
  char text[TEXT_BYTES];
  const char *name = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : NULL;
  if (!name)
    return bind_fail(call, STREW_EARGUMENT, argument, "has %s, expected a string", bind_text(L, call, i, text)), NULL;
  if (strlen(name) == lua_rawlen(L, i)) return name;
  return bind_fail(call, STREW_EARGUMENT, argument, "has \"%.40s\" and more after a zero byte, which no file can hold",
                   name),
         NULL;
}

/* Hints for "words" and "names" among the columns, where a loaded table shows them. */
static void hint_about(lua_State *L, struct script_call *call, int key) {
  const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : "";
  if (lua_istable(L, -1) && (strcmp(name, "words") == 0 || strcmp(name, "names") == 0))
    bind_hint(call, "%s is an option: strew.save(path, x, {%s = ...})", name, name);
}

static bool read_tensor(lua_State *L, struct script_call *call, int key, struct entry *entry) {
  char text[TEXT_BYTES], value[TEXT_BYTES];
  int top = lua_gettop(L);
  struct box *box = bind_to_box(L, call->binding, top);
  if (box && box->tensor) return entry->tensor = box->tensor, true;
  if (box)
    bind_fail(call, STREW_EFREED, "x", "has a tensor that was freed at key %s", bind_text(L, call, key, text));
  else
    bind_fail(call, STREW_EARGUMENT, "x", "has %s at key %s, expected a tensor", bind_text(L, call, top, value),
              bind_text(L, call, key, text));
  hint_about(L, call, key);
  return false;
}

static bool read_sequence(lua_State *L, struct script_call *call, struct columns *columns) {
  char text[TEXT_BYTES];
  lua_Unsigned count = lua_rawlen(L, columns->x);
  if (columns->names.is_given)
    return bind_fail(call, STREW_EARGUMENT, "names", "is given, but x is a sequence, which has none"), false;
  if (bind_stray_key(L, columns->x, count))
    return bind_fail(call, STREW_EARGUMENT, "x", "is a sequence with a key %s: names and numbers do not mix",
                     bind_text(L, call, lua_gettop(L), text)),
           false;
  for (; columns->count < count && columns->count < columns->most; columns->count++) {
    struct entry *entry = &columns->entries[columns->count];
    *entry = (struct entry){.column = (int64_t)columns->count};
    lua_pushinteger(L, (lua_Integer)columns->count + 1);
    lua_rawgeti(L, columns->x, (lua_Integer)columns->count + 1);
    if (!read_tensor(L, call, lua_gettop(L) - 1, entry)) return false;
    lua_pop(L, 2);
    columns->order[columns->count] = entry;
  }
  columns->kept = columns->count;
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static struct entry *find_entry(const struct columns *columns, const char *name) {
  struct entry wanted = {.name = name};
  return bsearch(&wanted, columns->entries, columns->count, sizeof wanted, by_name);
}

static void keep(struct columns *columns, struct entry *entry) {
  entry->column = (int64_t)columns->kept;
  columns->order[columns->kept++] = entry;
}

/* Sorts the entries into the order of names. Entries that are not among them come last, in an order of their own; if
   the names were given, they are dropped. */
static bool put_in_order(lua_State *L, struct script_call *call, struct columns *columns) {
  lua_Unsigned count = lua_istable(L, columns->names.slot) ? lua_rawlen(L, columns->names.slot) : 0;
  for (lua_Unsigned k = 1; k <= count; k++) {
    lua_rawgeti(L, columns->names.slot, (lua_Integer)k);
    const char *name = read_name(L, call, lua_gettop(L), "names");
    lua_pop(L, 1); /* the table still holds it */
    if (!name) return false;
    struct entry *entry = find_entry(columns, name);
    if (entry && entry->column < 0)
      keep(columns, entry);
    else if (columns->names.is_given)
      return bind_fail(call, STREW_EARGUMENT, "names", entry ? "has \"%.60s\" twice" : "has \"%.60s\", not found in x",
                       name),
             false;
  }
  for (size_t i = 0; i < columns->count && !columns->names.is_given; i++)
    if (columns->entries[i].column < 0) keep(columns, &columns->entries[i]);
  return true;
}

static bool read_named(lua_State *L, struct script_call *call, struct columns *columns) {
  for (lua_pushnil(L); lua_next(L, columns->x); lua_pop(L, 1)) {
    if (columns->count == columns->most)
      return bind_fail(call, STREW_EARGUMENT, "x", "was changed while it was read"), false;
    struct entry *entry = &columns->entries[columns->count++];
    *entry = (struct entry){.name = read_name(L, call, lua_gettop(L) - 1, "x"), .column = -1};
    if (!entry->name || !read_tensor(L, call, lua_gettop(L) - 1, entry)) return false;
  }
  qsort(columns->entries, columns->count, sizeof *columns->entries, by_name);
  return put_in_order(L, call, columns);
}

/* Returns the entry of the key at i of words, or NULL. */
static struct entry *entry_of_key(lua_State *L, const struct columns *columns, int i, bool is_sequence) {
  if (is_sequence) {
    lua_Unsigned at = lua_isinteger(L, i) ? (lua_Unsigned)lua_tointeger(L, i) - 1 : columns->count;
    return at < columns->count ? &columns->entries[at] : NULL;
  }
  return lua_type(L, i) == LUA_TSTRING ? find_entry(columns, lua_tostring(L, i)) : NULL;
}

/* Reads the list of words on top of the stack. */
static bool add_words(lua_State *L, struct script_call *call, strew_table *table, int64_t column) {
  int list = lua_gettop(L), ignored;
  if (!bind_table(L, call, list, "words", &ignored)) return false;
  for (lua_Unsigned k = 1; k <= lua_rawlen(L, list); k++) {
    lua_rawgeti(L, list, (lua_Integer)k);
    const char *word = read_name(L, call, lua_gettop(L), "words");
    if (!word || strew_table_add_word(table, column, word, &call->error) != STREW_OK) return false;
    lua_pop(L, 1);
  }
  return true;
}

/* Words of columns that are not saved are skipped: the words of a whole file may accompany a few of its columns. */
static bool read_words(lua_State *L, struct script_call *call, const struct columns *columns, bool is_sequence,
                       strew_table *table) {
  if (!lua_istable(L, columns->words.slot)) return true;
  for (lua_pushnil(L); lua_next(L, columns->words.slot); lua_pop(L, 1)) {
    const int list = lua_gettop(L), key = list - 1;
    const struct entry *entry = entry_of_key(L, columns, key, is_sequence);
    if (!columns->words.is_given && !bind_check_words(L, call, columns->x, key, list)) return false;
    if (entry && entry->column >= 0 && !add_words(L, call, table, entry->column)) return false;
  }
  return true;
}

bool bind_read_columns(lua_State *L, struct script_call *call, struct columns *columns, strew_table **out) {
  bool is_sequence = lua_rawlen(L, columns->x) > 0;
  columns->count = columns->kept = 0;
  if (!lua_checkstack(L, 16))
    return bind_fail(call, STREW_EMEMORY, NULL, "out of memory: Lua's stack cannot grow"), false;
  if (!(is_sequence ? read_sequence : read_named)(L, call, columns)) return false;
  if (strew_table_create(call->binding->context, out, &call->error) != STREW_OK) return false;
  for (size_t i = 0; i < columns->kept; i++)
    if (strew_table_add(*out, columns->order[i]->name, columns->order[i]->tensor, &call->error) != STREW_OK)
      return false;
  return read_words(L, call, columns, is_sequence, *out);
}
