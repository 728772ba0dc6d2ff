/* strew_file.c: tensors and tables of them, from files and to files. Which kind of file it is knows the runtime. */
#include "strew_bind.h"

#include <stdlib.h>
#include <string.h>

/* A path is a C string. */
static bool bind_path(lua_State *L, struct call *call, int i, const char *name, void *out) {
  const char *path;
  if (!bind_string(L, call, i, name, &path)) return false;
  if (strlen(path) != lua_rawlen(L, i)) {
    bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\" and more behind a zero byte, no file is named so", path);
    return false;
  }
  *(const char **)out = path;
  return true;
}

/* --------------------------------------------------------------------------------------------------- tables held */

/* A table of the runtime as a Lua value that is seen by nobody: it is let go of whatever happens. */
static int release_held(lua_State *L) {
  strew_table **held = lua_touserdata(L, 1);
  strew_table_release(*held);
  *held = NULL;
  return 0;
}

static strew_table **push_holder(lua_State *L) {
  strew_table **held = lua_newuserdatauv(L, sizeof *held, 0);
  *held = NULL;
  if (luaL_newmetatable(L, "strew.held")) {
    lua_pushcfunction(L, release_held);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return held;
}

/* Pushes { name = tensor, ... }. */
static void push_table(lua_State *L, struct call *call, const strew_table *table) {
  int64_t count = strew_table_count(table);
  lua_createtable(L, 0, count < 1 << 20 ? (int)count : 1 << 20);
  for (int64_t i = 0; i < count; i++) {
    lua_pushstring(L, strew_table_name(table, i));
    bind_push_box(L, call->binding)->tensor = strew_retain(strew_table_tensor(table, i));
    lua_rawset(L, -3);
  }
}

/* load(path) */
static int load(lua_State *L, struct call *call) {
  const char *path;
  strew_device *device = call->binding->device;
  strew_load_options options = {0};
  const struct parameter parameters[] = {{"path", REQUIRED, bind_path, &path},
                                         {"device", KEYED, bind_device, &device},
                                         {"map", KEYED, bind_boolean, &options.map},
                                         LAST_PARAMETER};
  strew_table **held = push_holder(L);
  struct box *box = bind_push_box(L, call->binding);
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strew_load(device, path, &options, &box->tensor, held, &call->error) != STREW_OK) return -1;
  if (!*held) return 1;
  push_table(L, call, *held);
  strew_table_release(*held);
  *held = NULL;
  return 1;
}

/* --------------------------------------------------------------------------------------------------------- saving */

struct named {
  const char *name;
  strew_tensor *tensor;
};

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* What is saved: a tensor, or a table of them, in which case *table is its position on the stack. */
struct saved {
  strew_tensor *tensor;
  int table;
};

static bool bind_saved(lua_State *L, struct call *call, int i, const char *name, void *out) {
  struct saved *saved = out;
  if (lua_istable(L, i)) return bind_table(L, call, i, name, &saved->table);
  return bind_tensor(L, call, i, name, &saved->tensor);
}

/* Key and value of the table "x" on top of the stack, as a name and a tensor. */
static bool read_entry(lua_State *L, struct call *call, struct named *entry) {
  char text[TEXT_BYTES];
  int value = lua_gettop(L), key = value - 1;
  if (lua_type(L, key) != LUA_TSTRING) {
    bind_fail(call, STREW_EARGUMENT, "x", "has key %s, names of tensors are strings", bind_text(L, call, key, text));
    return false;
  }
  entry->name = lua_tostring(L, key);
  if (strlen(entry->name) != lua_rawlen(L, key)) {
    bind_fail(call, STREW_EARGUMENT, "x", "has key \"%.40s\" and more behind a zero byte, no tensor is named so",
              entry->name);
    return false;
  }
  struct box *box = bind_to_box(L, call->binding, value);
  if (box && box->tensor) return entry->tensor = box->tensor, true;
  if (box)
    bind_fail(call, STREW_EFREED, "x", "holds a tensor \"%.60s\" that was freed", entry->name);
  else
    bind_fail(call, STREW_EARGUMENT, "x", "holds %s as \"%.60s\", tensors are due", bind_text(L, call, value, text),
              entry->name);
  return false;
}

static size_t count_entries(lua_State *L, int table) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) count++;
  return count;
}

/* The Lua table at `table` as one of the runtime, in the order of names: Lua has none. There is room for `most`
   entries: a finalizer may have added some since they were counted. */
static bool read_table(lua_State *L, struct call *call, int table, struct named *entries, size_t most,
                       strew_table **out) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (count == most) return bind_fail(call, STREW_EARGUMENT, "x", "was changed while it was read"), false;
    if (!read_entry(L, call, &entries[count++])) return false;
  }
  qsort(entries, count, sizeof *entries, by_name);
  strew_error *error = &call->error;
  if (strew_table_create(call->binding->context, out, error) != STREW_OK) return false;
  for (size_t i = 0; i < count; i++)
    if (strew_table_add(*out, entries[i].name, entries[i].tensor, error) != STREW_OK) return false;
  return true;
}

/* save(path, x): gives nothing. */
static int save(lua_State *L, struct call *call) {
  const char *path;
  struct saved saved = {0};
  strew_save_options options = {0};
  const struct parameter parameters[] = {{"path", REQUIRED, bind_path, &path},
                                         {"x", REQUIRED, bind_saved, &saved},
                                         {"compress", KEYED, bind_boolean, &options.compress},
                                         LAST_PARAMETER};
  strew_table **held = push_holder(L);
  bool is_table = call->arguments >= 2 && lua_istable(L, 2);
  size_t count = is_table ? count_entries(L, 2) : 0;
  struct named *entries = lua_newuserdatauv(L, count * sizeof *entries, 0);
  if (!bind_arguments(L, call, parameters)) return -1;
  if (!is_table) return bind_end(strew_save(saved.tensor, path, &options, &call->error), 0);
  bool is_read = read_table(L, call, saved.table, entries, count, held);
  bool is_saved = is_read && strew_save_table(*held, path, &options, &call->error) == STREW_OK;
  strew_table_release(*held);
  *held = NULL;
  return is_saved ? 0 : -1;
}

const struct row bind_file_rows[] = {{"load", load, 0, FUNCTION}, {"save", save, 0, FUNCTION}, {NULL, NULL, 0, 0}};
