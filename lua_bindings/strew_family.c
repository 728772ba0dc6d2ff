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

enum { MAX_PARAMETERS = 8, NAME_BYTES = 24 };

/* An argument: its check and its stack position (0: absent). */
struct argument {
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
  int position;
  struct list rest; /* for "NAME*" */
};

static const struct {
  const char *name;
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
} types[] = {{"tensor", bind_tensor},   {"operand", bind_operand}, {"integer", bind_integer}, {"dim", bind_dim},
             {"number", bind_float},    {"boolean", bind_boolean}, {"dims", bind_dims},       {"word", bind_string},
             {"integers", bind_list},   {"table", bind_table},     {"dtype", bind_dtype},     {"mode", bind_mode},
             {"reduce", bind_reduction}};

/* Checks a value against its type and stores its position. */
static bool read_argument(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  union {
    strew_tensor *tensor;
    strew_operand operand;
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

/* fail(argument, fact [, hint [, code]]): raises an error of the script's call; argument may be nil. */
static int fail(lua_State *L, struct script_call *call) {
  const char *argument = lua_tostring(L, 1), *hint = lua_tostring(L, 3), *code = lua_tostring(L, 4);
  strew_status status = STREW_EARGUMENT;
  for (int i = 0; code && strew_status_name((strew_status)i); i++)
    if (strcmp(strew_status_name((strew_status)i), code) == 0) status = (strew_status)i;
  bind_fail(call, status, argument, "%s", lua_tostring(L, 2));
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

static int choosing(lua_State *L, struct script_call *call) { return run(L, call, "choosing.lua"); }
static int counting(lua_State *L, struct script_call *call) { return run(L, call, "counting.lua"); }
static int finite(lua_State *L, struct script_call *call) { return run(L, call, "finite.lua"); }
static int matrices(lua_State *L, struct script_call *call) { return run(L, call, "matrices.lua"); }
static int moving(lua_State *L, struct script_call *call) { return run(L, call, "moving.lua"); }
static int repeating(lua_State *L, struct script_call *call) { return run(L, call, "repeating.lua"); }
static int soft(lua_State *L, struct script_call *call) { return run(L, call, "soft.lua"); }
static int statistics(lua_State *L, struct script_call *call) { return run(L, call, "statistics.lua"); }

const struct script_function bind_family_rows[] = {
    {"index_select", choosing, 0, ALWAYS},
    {"masked_select", choosing, 0, ALWAYS},
    {"bincount", counting, 0, ALWAYS},
    {"one_hot", counting, 0, ALWAYS},
    {"isnan", counting, 0, ALWAYS},
    {"flip", moving, 0, ALWAYS},
    {"diff", moving, 0, ALWAYS},
    {"roll", moving, 0, ALWAYS},
    {"repeat", repeating, 0, ALWAYS},
    {"tile", repeating, 0, ALWAYS},
    {"repeat_interleave", repeating, 0, ALWAYS},
    {"isinf", finite, 0, ALWAYS},
    {"isfinite", finite, 0, ALWAYS},
    {"isclose", finite, 0, ALWAYS},
    {"nan_to_num", finite, 0, EVERY},
    {"norm", statistics, 0, ALWAYS},
    {"median", statistics, 0, ALWAYS},
    {"quantile", statistics, 0, ALWAYS},
    {"logsumexp", soft, 0, ALWAYS},
    {"softmax", soft, 0, ALWAYS},
    {"log_softmax", soft, 0, ALWAYS},
    {"outer", matrices, 0, ALWAYS},
    {"tril", matrices, 0, EVERY},
    {"triu", matrices, 0, EVERY},
    {"diag", matrices, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
