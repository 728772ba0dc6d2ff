/* strew_keys.c: strew.key_table, a userdata. Its user value is a table for groups/keys.lua: the names and words of key
   columns that come from tables. */
#include "lua_bindings/core/strew_bind.h"

#include <inttypes.h>
#include <string.h>

static void release(union owned object) { strew_key_table_release(object.keys); }

static const struct script_function field_row;
static const struct owner_type key_tables = {"strew.key_table", "key_table", release, {{"__index", &field_row}}};

/* Returns the table of the call's first argument; NULL: call->error is filled. */
static strew_key_table *read_self(lua_State *L, struct script_call *call) {
  const struct owner *owner = bind_to_owner(L, &key_tables);
  if (owner && owner->object.any) return owner->object.keys;
  if (owner) return bind_fail(call, STREW_EFREED, NULL, "the key table is closed"), NULL;
  bind_fail_type(L, call, 1, "self", "a key table");
  return bind_hint(call, "use : to call a method: kt:ids(...)"), NULL;
}

/* -------------------------------------------------------------------------------------------------------------- ids */

/* key_ids(self, k1, ..., kn) for groups/keys.lua. */
static int inner_ids(lua_State *L, struct script_call *call) {
  strew_tensor *keys[STREW_MAX_RANK];
  char text[TEXT_BYTES];
  struct box *result = bind_push_box(L, call->binding);
  strew_key_table *table = read_self(L, call);
  if (!table) return -1;
  int count = strew_key_table_columns(table), given = call->arguments - 1;
  if (given != count)
    return bind_fail(call, STREW_EARGUMENT, NULL, "has %d key%s, expected %d, the columns of the key table", given,
                     given == 1 ? "" : "s", count);
  for (int c = 0; c < count; c++) {
    struct box *box = bind_to_box(L, call->binding, c + 2);
    bind_note_bound(L, call, c + 2);
    if (!box)
      return bind_fail(call, STREW_EARGUMENT, NULL, "key %d is %s, expected a tensor", c + 1,
                       bind_text(L, call, c + 2, text));
    if (!box->tensor) return bind_fail(call, STREW_EFREED, NULL, "key %d was freed", c + 1);
    keys[c] = box->tensor;
  }
  return bind_end(strew_key_table_ids(table, keys, &result->tensor, &call->error), 1);
}

/* True if the keys before came from tables, or among tensors were text or times. */
static bool has_names(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  bool is_named = lua_getfield(L, -1, "names") == LUA_TTABLE;
  lua_pop(L, 2);
  return is_named;
}

/* key_state(self): its user value, its number of columns and of keys. */
static int inner_state(lua_State *L, struct script_call *call) {
  strew_key_table *table = read_self(L, call);
  if (!table) return -1;
  lua_getiuservalue(L, 1, 1);
  lua_pushinteger(L, strew_key_table_columns(table));
  lua_pushinteger(L, strew_key_table_size(table));
  return 3;
}

/* True if a key is text or time. */
static bool has_stored(lua_State *L, const struct script_call *call) {
  for (int i = 2; i <= call->arguments; i++) {
    const struct box *box = bind_to_box(L, call->binding, i);
    const strew_dtype dtype = box && box->tensor ? strew_tensor_dtype(box->tensor) : STREW_DTYPE_END;
    if (dtype == STREW_TEXT || dtype == STREW_TIME) return true;
  }
  return false;
}

/* kt:ids(k1, ..., kn), or kt:ids(x, columns) for a table of columns. The family takes the keys in a sequence, and their
   number as n. */
static int ids(lua_State *L, struct script_call *call) {
  const bool is_table = lua_istable(L, 2);
  if (is_table && bind_to_owner(L, &key_tables)) return bind_call_family(L, call, &bind_table_ids_row);
  if (!read_self(L, call)) return -1;
  if (!has_names(L) && !has_stored(L, call)) return inner_ids(L, call);
  bind_stack(L, LUA_MINSTACK);
  bind_push_kept(L, &bind_tensor_ids_row, FUNCTION);
  lua_pushvalue(L, 1);
  lua_createtable(L, call->arguments, 1);
  bind_set_integer(L, "n", call->arguments - 1);
  for (int i = 2; i <= call->arguments; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i - 1);
  }
  lua_pushvalue(L, 1); /* in the place of columns: tells them from those of a script's table */
  lua_call(L, 3, 1);
  return 1;
}

static const struct script_function ids_row = {"ids", ids, 0, FUNCTION | CONSTANT};

/* ----------------------------------------------------------------------------------------------------------- fields */

/* keys_of(self): a sequence of tensors. */
static int keys(lua_State *L, struct script_call *call) {
  strew_key_table *table = read_self(L, call);
  if (!table) return -1;
  int count = strew_key_table_columns(table);
  lua_createtable(L, count, 0);
  for (int c = 0; c < count; c++) {
    struct box *box = bind_push_box(L, call->binding);
    if (!(table = read_self(L, call))) return -1; /* read again: see strew_bind.h */
    if (strew_key_table_keys(table, c, call->binding->device, &box->tensor, &call->error) != STREW_OK) return -1;
    lua_rawseti(L, -2, c + 1);
  }
  return 1;
}

/* kt.n, kt.keys, kt.ids */
static int field(lua_State *L, struct script_call *call) {
  static const char *const names[] = {"n", "keys", "ids"};
  char text[TEXT_BYTES];
  strew_key_table *table = read_self(L, call);
  if (!table) return -1;
  strew_guess guess = {.wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : bind_text(L, call, 2, text)};
  if (strcmp(guess.wanted, "n") == 0) return lua_pushinteger(L, strew_key_table_size(table)), 1;
  if (strcmp(guess.wanted, "keys") == 0)
    return has_names(L) ? bind_call_family(L, call, &bind_table_keys_row) : keys(L, call);
  if (strcmp(guess.wanted, "ids") == 0) {
    return bind_push_kept(L, &ids_row, FUNCTION), 1;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) strew_guess_name(&guess, names[i]);
  return bind_fail_name(L, call, "a key table", &guess);
}

static const struct script_function field_row = {"key_table[name]", field, 0, FUNCTION};

/* --------------------------------------------------------------------------------------------------------- creation */

/* key_table([n]) */
static int key_table(lua_State *L, struct script_call *call) {
  struct arguments a;
  struct owner *owner = bind_push_owner(L, &key_tables);
  if (!bind_read(L, call, &a)) return -1;
  const int64_t columns = a.n;
  if (columns != (int)columns) {
    bind_fail(call, STREW_EARGUMENT, "n", "is %" PRId64 ", expected 1 to %d columns", columns, STREW_MAX_RANK);
    return call->error.has_value = true, call->error.value = strew_int(columns), -1;
  }
  return bind_end(strew_key_table_create(call->binding->context, (int)columns, &owner->object.keys, &call->error), 1);
}

const struct script_function bind_key_rows[] = {
    {"key_table", key_table, 0, FUNCTION | CONSTANT, "n~integer(1)"},
    {"key_ids", inner_ids, 0, INNER | CONSTANT},
    {"key_state", inner_state, 0, INNER | CONSTANT},
    {"keys_of", keys, 0, INNER | CONSTANT},
    {NULL},
};
