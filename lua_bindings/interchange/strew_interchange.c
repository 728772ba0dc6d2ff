/* strew_interchange.c: tensors to and from other libraries of the process, by addresses of their structs. A script that
   gives a wrong address ends the process: none of this is in a sandbox. */
#include "lua_bindings/core/strew_bind.h"

#include <stdio.h>
#include <string.h>

/* Metatables of what to_arrow and to_arrow_stream return: "strew.arrow_" and the name of the argument that takes it. */
static const char array_name[] = "strew.arrow_array", schema_name[] = "strew.arrow_schema",
                  stream_name[] = "strew.arrow_stream";

/* An address: a light userdata, or an integer as other languages give it. The structs hold pointers and are aligned to
   them, and no address is in the first page. */
static bool bind_address(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  static const char expected[] = "an address: a light userdata or an integer";
  enum { FIRST = 4096 };
  uintptr_t address = (uintptr_t)lua_touserdata(L, i);
  int64_t number = 0;
  char own[40];
  snprintf(own, sizeof own, "strew.arrow_%s", name);
  if (lua_isinteger(L, i))
    address = (uintptr_t)(number = lua_tointeger(L, i));
  else if (!lua_islightuserdata(L, i) && !luaL_testudata(L, i, own))
    return bind_fail_type(L, call, i, name, expected);
  if (address < FIRST || address % sizeof(void *) || (number && (int64_t)address != number))
    return bind_fail(call, STREW_EARGUMENT, name, "is 0x%llx, which is no address of a struct",
                     (unsigned long long)address),
           false;
  *(void **)out = (void *)address;
  return true;
}

/* to_dlpack(self): the address of a struct that its consumer deletes. */
static int to_dlpack(lua_State *L, struct script_call *call) {
  strew_tensor *tensor;
  bool versioned = true;
  void *managed = NULL;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &tensor}, {"versioned", KEYED, bind_boolean, &versioned}, LAST_PARAMETER};
  bind_stack(L, 1);
  if (!bind_arguments(L, call, parameters)) return -1;
  const strew_dlpack_options options = {.unversioned = !versioned};
  if (strew_to_dlpack(tensor, &options, &managed, &call->error) != STREW_OK) return -1;
  lua_pushlightuserdata(L, managed);
  return 1;
}

/* from_dlpack(managed): a tensor on the CPU. */
static int from_dlpack(lua_State *L, struct script_call *call) {
  void *managed;
  const struct parameter parameters[] = {{"managed", REQUIRED, bind_address, &managed}, LAST_PARAMETER};
  strew_tensor **out = bind_result(L, call);
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_device *cpu = strew_device_at(call->binding->context, 0);
  if (strew_from_dlpack(cpu, managed, out, &call->error) != STREW_OK) return -1;
  bind_count_imported(call->binding, NULL, *out);
  return 1;
}

/* ----------------------------------------------------------------------------------------------------------- Arrow */

static void release_table(union owned object) { strew_table_release(object.table); }
static const struct owner_type held_tables = {"strew.held", "strew.held", release_table, {{NULL, NULL}}};

static int collect_array(lua_State *L) {
  struct ArrowArray *array = luaL_checkudata(L, 1, array_name);
  return strew_arrow_release(array, NULL), 0;
}
static int collect_schema(lua_State *L) {
  struct ArrowSchema *schema = luaL_checkudata(L, 1, schema_name);
  return strew_arrow_release(NULL, schema), 0;
}
static int collect_stream(lua_State *L) {
  struct ArrowArrayStream *stream = luaL_checkudata(L, 1, stream_name);
  return strew_arrow_stream_release(stream), 0;
}

/* Pushes an empty struct, which is released when it is collected, unless its consumer has moved it. */
static void *push_struct(lua_State *L, const char *name, lua_CFunction collect) {
  void *empty = memset(lua_newuserdatauv(L, STREW_ARROW_BYTES, 0), 0, STREW_ARROW_BYTES);
  if (luaL_getmetatable(L, name) != LUA_TTABLE) { /* complete before the registry has it, as that of owners */
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    bind_set_name(L, name);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, name);
  }
  lua_setmetatable(L, -2);
  return empty;
}

static bool bind_exported(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_istable(L, i)) return true;
  return lua_isuserdata(L, i) ? bind_tensor(L, call, i, name, out)
                              : bind_fail_type(L, call, i, name, "a tensor or a table of columns");
}

/* An array and its schema, or a stream of them. */
static int export_table(lua_State *L, struct script_call *call, bool is_stream) {
  strew_tensor *tensor = NULL;
  const struct parameter parameters[] = {{"x", REQUIRED, bind_exported, &tensor}, LAST_PARAMETER};
  struct owner *held = bind_push_owner(L, &held_tables);
  struct ArrowArrayStream *stream = is_stream ? push_struct(L, stream_name, collect_stream) : NULL;
  struct ArrowArray *array = is_stream ? NULL : push_struct(L, array_name, collect_array);
  struct ArrowSchema *schema = is_stream ? NULL : push_struct(L, schema_name, collect_schema);
  const int results = lua_gettop(L), named = bind_position(L, 1, "x");
  const int x = lua_istable(L, named) ? named : 1; /* else a column of that name */
  if (!bind_arguments(L, call, parameters)) return -1;
  bool is_made;
  if (tensor) {
    is_made = strew_table_create(call->binding->context, &held->object.table, &call->error) == STREW_OK &&
              strew_table_add(held->object.table, NULL, tensor, &call->error) == STREW_OK;
  } else {
    lua_pushnil(L);
    lua_pushnil(L);
    is_made = bind_read_columns(L, call, x, &held->object.table);
  }
  if (is_made)
    is_made = (is_stream ? strew_table_to_arrow_stream(held->object.table, stream, &call->error)
                         : strew_table_to_arrow(held->object.table, array, schema, &call->error)) == STREW_OK;
  bind_end_owner(held, &held_tables);
  if (!is_made) return -1;
  if (!is_stream) lua_pushvalue(L, results - 1);
  lua_pushvalue(L, results);
  return is_stream ? 1 : 2;
}

static int to_arrow(lua_State *L, struct script_call *call) { return export_table(L, call, false); }
static int to_arrow_stream(lua_State *L, struct script_call *call) { return export_table(L, call, true); }

/* from_arrow(array, schema): a table, or a tensor if the array is no struct of columns. */
static int from_arrow(lua_State *L, struct script_call *call) {
  void *array, *schema;
  const struct parameter parameters[] = {
      {"array", REQUIRED, bind_address, &array}, {"schema", REQUIRED, bind_address, &schema}, LAST_PARAMETER};
  struct owner *held = bind_push_owner(L, &held_tables);
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_device *cpu = strew_device_at(call->binding->context, 0);
  if (strew_table_from_arrow(cpu, array, schema, &held->object.table, &call->error) != STREW_OK) return -1;
  const strew_table *table = held->object.table;
  bind_count_imported(call->binding, table, NULL);
  const bool is_pushed = bind_push_imported(L, call, table);
  bind_end_owner(held, &held_tables);
  return is_pushed ? 1 : -1;
}

/* from_arrow_stream(stream): the four values of a generic for. */
static int from_arrow_stream(lua_State *L, struct script_call *call) {
  void *stream;
  const struct parameter parameters[] = {{"stream", REQUIRED, bind_address, &stream}, LAST_PARAMETER};
  struct owner *iterator = bind_push_iterator(L, true);
  const int position = lua_gettop(L);
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_device *cpu = strew_device_at(call->binding->context, 0);
  if (strew_table_from_arrow_stream(cpu, stream, &iterator->object.reader, &call->error) != STREW_OK) {
    if (call->error.code != STREW_EMEMORY) strew_arrow_stream_release(stream); /* else the call may be repeated */
    return -1;
  }
  return bind_end_iterator(L, position);
}

const struct script_function bind_interchange_rows[] = {
    {"to_dlpack", to_dlpack, 0, ALWAYS | OUTSIDE | CONSTANT},
    {"from_dlpack", from_dlpack, 0, FUNCTION | OUTSIDE | CONSTANT},
    {"to_arrow", to_arrow, 0, FUNCTION | OUTSIDE | CONSTANT},
    {"from_arrow", from_arrow, 0, FUNCTION | OUTSIDE | CONSTANT},
    {"to_arrow_stream", to_arrow_stream, 0, FUNCTION | OUTSIDE | CONSTANT},
    {"from_arrow_stream", from_arrow_stream, 0, FUNCTION | OUTSIDE | CONSTANT},
    {NULL, NULL, 0, 0}};
