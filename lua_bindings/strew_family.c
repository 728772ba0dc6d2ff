/* strew_family.c: operations composed of others, written in Lua (family/ *.lua).

   A file of the family is a chunk called with the module and `fail`. It returns a table that maps each name to its
   parameters, as text, and a function of their values. The first call of one of its names loads it. Its functions run
   inside bind_dispatch, as C functions do: every failure in them carries the name of the script's call (binding->outer)
   and the script's line. Limits and Ctrl-C work as in any Lua code.

   Parameters are words, in the order of the function's arguments: "NAME:TYPE" (required), "NAME?TYPE" (optional),
   "NAME*" (the remaining integers, or one sequence of them: a table), "NAME=TYPE" (by name only). They are checked
   here, so the function gets values of its types only. After them it gets "_" if it is called in place, else "": the end
   of the names of the calls it is made of. */
#include "embedded.h"
#include "script_place.h"
#include "strew_bind.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 10, NAME_BYTES = 24 };

/* An argument: its check and its stack position (0: absent). */
struct argument {
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
  int position;
  struct list rest; /* for "NAME*" */
};

static const struct {
  const char *name;
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
} types[] = {{"tensor", bind_tensor}, {"operand", bind_operand}, {"integer", bind_integer}, {"dim", bind_dim},
             {"number", bind_float},  {"boolean", bind_boolean}, {"dims", bind_dims},       {"word", bind_string},
             {"table", bind_table},   {"dtype", bind_dtype},     {"mode", bind_mode},       {"reduce", bind_reduction},
             {"scalar", bind_scalar}};

/* Checks a value against its type and stores its position. */
static bool read_argument(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  union {
    strew_tensor *tensor;
    strew_operand operand;
    strew_scalar scalar;
    struct list list;
  } checked;
  struct argument *argument = out;
  argument->position = i;
  return argument->read(L, call, i, name, &checked);
}

/* Parses a parameter text; returns the number of parameters. */
static int parse(const char *text, struct parameter *parameters, struct argument *arguments, char names[][NAME_BYTES]) {
  int count = 0;
  for (; *(text += strspn(text, " ")); count++) {
    size_t name = strcspn(text, ":?*="), whole = strcspn(text, " ");
    snprintf(names[count], NAME_BYTES, "%.*s", (int)name, text);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      if (strlen(types[i].name) == whole - name - 1 && !strncmp(text + name + 1, types[i].name, whole - name - 1))
        arguments[count].read = types[i].read;
    arguments[count].position = arguments[count].rest.count = 0;
    enum presence presence = text[name] == ':' ? REQUIRED : text[name] == '?' ? OPTIONAL : KEYED;
    parameters[count] = (struct parameter){names[count], presence, read_argument, &arguments[count]};
    if (text[name] == '*')
      parameters[count] = (struct parameter){names[count], REST, bind_list, &arguments[count].rest};
    text += whole;
  }
  parameters[count] = (struct parameter)LAST_PARAMETER;
  return count;
}

static const char *text_of(const char *file) {
  for (int i = 0; i < text_file_count; i++)
    if (strcmp(text_files[i].name, file) == 0) return text_files[i].text;
  return "";
}

/* Adds the value at stack position 5 and its place, the sequence at 6, to the failure. */
static void add_value(lua_State *L, strew_error *error) {
  error->has_value = lua_isnumber(L, 5);
  error->value = lua_isinteger(L, 5) ? strew_int(lua_tointeger(L, 5)) : strew_float(lua_tonumber(L, 5));
  if (!lua_istable(L, 6)) return;
  error->position_rank = (int)lua_rawlen(L, 6);
  for (int d = 0; d < error->position_rank; d++) {
    lua_rawgeti(L, 6, d + 1);
    error->position[d] = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
}

/* fail(argument, fact [, hint [, code [, value [, position]]]]): raises an error of the script's call; argument may be
   nil. */
static int fail(lua_State *L, struct script_call *call) {
  const char *argument = lua_tostring(L, 1), *hint = lua_tostring(L, 3), *code = lua_tostring(L, 4);
  strew_status status = STREW_EARGUMENT;
  for (int i = 0; code && strew_status_name((strew_status)i); i++)
    if (strcmp(strew_status_name((strew_status)i), code) == 0) status = (strew_status)i;
  bind_fail(call, status, argument, "%s", lua_tostring(L, 2));
  add_value(L, &call->error);
  return hint ? bind_hint(call, "%s", hint) : -1;
}

static const struct script_function fail_row = {"fail", fail, 0, FUNCTION};

/* Runs the file and adds the table that it returns to the table of operations on top of the stack. */
static void load_file(lua_State *L, const char *file) {
  const char *text = text_of(file);
  int operations = lua_gettop(L);
  if (luaL_loadbufferx(L, text, strlen(text), FAMILY_CHUNK, "t") != LUA_OK) lua_error(L);
  lua_getfield(L, LUA_REGISTRYINDEX, bind_module_key);
  bind_push_upvalues(L, lua_upvalueindex(1), &fail_row, fail_row.name, FUNCTION);
  lua_pushcclosure(L, bind_dispatch, 4);
  lua_call(L, 2, 1);
  for (lua_pushnil(L); lua_next(L, operations + 1);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_settable(L, operations);
  }
  lua_settop(L, operations);
}

/* Pushes the operation's table {parameters, function}. */
static void push_operation(lua_State *L, const char *file, const char *name) {
  if (lua_getiuservalue(L, lua_upvalueindex(1), FAMILY) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, lua_upvalueindex(1), FAMILY);
  }
  if (lua_getfield(L, -1, name) != LUA_TTABLE) {
    lua_pop(L, 1);
    load_file(L, file);
    lua_getfield(L, -1, name);
  }
  lua_remove(L, -2);
}

/* Pushes the values of the arguments in the order of the parameters. Those without a stack position come from the
   options, the last argument. */
static void push_values(lua_State *L, const struct script_call *call, const struct parameter *parameters,
                        const struct argument *arguments) {
  int options = call->arguments;
  while (options && lua_isnil(L, options)) options--;
  for (int i = 0; parameters[i].name; i++)
    if (parameters[i].presence == REST)
      bind_push_sizes(L, arguments[i].rest.count, arguments[i].rest.at);
    else if (!arguments[i].position)
      lua_pushnil(L);
    else if (arguments[i].position <= call->arguments)
      lua_pushvalue(L, arguments[i].position);
    else
      lua_getfield(L, options, parameters[i].name);
}

static int run(lua_State *L, struct script_call *call, const char *file) {
  struct parameter parameters[MAX_PARAMETERS + 1];
  struct argument arguments[MAX_PARAMETERS];
  char names[MAX_PARAMETERS][NAME_BYTES];
  luaL_checkstack(L, LUA_MINSTACK + MAX_PARAMETERS, NULL);
  push_operation(L, file, call->row->name);
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  int function = lua_gettop(L), count = parse(lua_tostring(L, -2), parameters, arguments, names);
  if (!bind_arguments(L, call, parameters)) return -1;
  push_values(L, call, parameters, arguments);
  lua_pushstring(L, call->form & INPLACE ? "_" : "");
  struct binding *binding = call->binding;
  const char *outer = binding->outer;
  if (!outer) binding->outer = call->error.alias;
  int status = lua_pcall(L, count + 1, LUA_MULTRET, 0);
  binding->outer = outer;
  if (status != LUA_OK) return lua_error(L);
  return lua_gettop(L) - function + 1;
}

static int segments(lua_State *L, struct script_call *call) { return run(L, call, "segments.lua"); }
static int groups(lua_State *L, struct script_call *call) { return run(L, call, "groups.lua"); }
static int searching(lua_State *L, struct script_call *call) { return run(L, call, "searching.lua"); }
static int choosing(lua_State *L, struct script_call *call) { return run(L, call, "choosing.lua"); }
static int counting(lua_State *L, struct script_call *call) { return run(L, call, "counting.lua"); }
static int moving(lua_State *L, struct script_call *call) { return run(L, call, "moving.lua"); }

const struct script_function bind_family_rows[] = {
    {"segment_csr", segments, 0, ALWAYS},
    {"gather_csr", segments, 0, ALWAYS},
    {"segment_coo", segments, 0, ALWAYS},
    {"gather_coo", segments, 0, ALWAYS},
    {"segment_reduce", segments, 0, ALWAYS},
    {"scatter_std", groups, 0, ALWAYS},
    {"scatter_var", groups, 0, ALWAYS},
    {"scatter_logsumexp", groups, 0, ALWAYS},
    {"scatter_softmax", groups, 0, ALWAYS},
    {"scatter_log_softmax", groups, 0, ALWAYS},
    {"scatter_quantile", groups, 0, ALWAYS},
    {"scatter_median", groups, 0, ALWAYS},
    {"scatter_count", groups, 0, ALWAYS},
    {"scatter_any", groups, 0, ALWAYS},
    {"scatter_all", groups, 0, ALWAYS},
    {"scatter_first", groups, 0, ALWAYS},
    {"scatter_last", groups, 0, ALWAYS},
    {"scatter_nunique", groups, 0, ALWAYS},
    {"histc", searching, 0, ALWAYS},
    {"searchsorted", searching, 0, ALWAYS},
    {"bucketize", searching, 0, ALWAYS},
    {"index_select", choosing, 0, ALWAYS},
    {"masked_select", choosing, 0, ALWAYS},
    {"bincount", counting, 0, ALWAYS},
    {"one_hot", counting, 0, ALWAYS},
    {"isnan", counting, 0, ALWAYS},
    {"flip", moving, 0, ALWAYS},
    {"diff", moving, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
