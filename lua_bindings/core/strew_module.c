/* strew_module.c: builds the module from the rows of functions. */
#include "hosting.h"
#include "lua_bindings/sandbox/script_limits.h"
#include "strew_bind.h"
#include "strew_lua.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* strew.NAME of an unknown name raises an error, as for a tensor, instead of returning nil; so does strew.optim.NAME. */
static int no_name(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  bool is_string = lua_type(L, 2) == LUA_TSTRING;
  strew_guess guess = {.wanted = is_string ? lua_tostring(L, 2) : bind_text(L, call, 2, text)};
  if (is_string) bind_guess_keys(L, 1, &guess);
  return bind_fail_name(L, call, luaL_getmetafield(L, 1, "__name") == LUA_TSTRING ? lua_tostring(L, -1) : "strew",
                        &guess);
}

static const struct script_function no_name_row = {"strew[name]", no_name, 0, FUNCTION};
static const struct script_function module_rows[] = {{"last_error", bind_last_error, 0, FUNCTION}, {NULL, NULL, 0, 0}};

/* ---------------------------------------------------------------------------------------------------------- opening */

/* clang-format off */
static const struct script_function *const all_rows[] = {
    module_rows, bind_create_rows, bind_table_rows, bind_text_rows, bind_tensor_rows, bind_view_rows, bind_math_rows, bind_reduce_rows,
    bind_scatter_rows, bind_device_rows, bind_help_rows, bind_print_rows, bind_file_rows, bind_show_rows,
    bind_gradient_rows, bind_family_rows, bind_key_rows, bind_exact_rows, bind_grouping_rows, bind_groups_rows, bind_expr_rows,
    bind_combination_rows, bind_interchange_rows, NULL};
/* clang-format on */

/* The function of each event. Lua passes the operand of a unary operator twice. */
static const struct {
  const char *event, *name;
  int form;
} operators[] = {{"__add", "add", FUNCTION | SIGN},
                 {"__sub", "sub", FUNCTION | SIGN},
                 {"__mul", "mul", FUNCTION | SIGN},
                 {"__div", "div", FUNCTION | SIGN},
                 {"__idiv", "floor_divide", FUNCTION | SIGN},
                 {"__mod", "remainder", FUNCTION | SIGN},
                 {"__pow", "pow", FUNCTION | SIGN},
                 {"__unm", "neg", OPERATOR},
                 {"__band", "bitwise_and", FUNCTION | SIGN},
                 {"__bor", "bitwise_or", FUNCTION | SIGN},
                 {"__bxor", "bitwise_xor", FUNCTION | SIGN},
                 {"__bnot", "bitwise_not", OPERATOR},
                 {"__shl", "bitwise_left_shift", FUNCTION | SIGN},
                 {"__shr", "bitwise_right_shift", FUNCTION | SIGN}};

static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"inf", HUGE_VAL}, {"nan", NAN}};

/* Stack positions while the module is being opened. */
enum { BINDING = 1, MODULE, METHODS, METATABLE };

static void set_function(lua_State *L, int table, const struct script_function *row, const char *name, int form) {
  bind_push_function(L, BINDING, row, name, form);
  lua_setfield(L, table, name);
}

/* Sets strew.GROUP.NAME of a row "GROUP.NAME". */
static void set_grouped(lua_State *L, const struct script_function *row, const char *point) {
  lua_pushlstring(L, row->name, (size_t)(point - row->name));
  lua_pushvalue(L, -1);
  if (lua_rawget(L, MODULE) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 2);
    lua_pushfstring(L, "strew.%s", lua_tostring(L, -3));
    lua_setfield(L, -2, "__name");
    bind_set_event(L, BINDING, "__index", &no_name_row);
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, MODULE);
  }
  set_function(L, lua_gettop(L), row, point + 1, FUNCTION);
  lua_pop(L, 2);
}

static void set_names(lua_State *L, const struct script_function *row) {
  char underscore[32];
  const char *point = row->forms & FUNCTION ? strchr(row->name, '.') : NULL;
  if (point) {
    set_grouped(L, row, point);
    return;
  }
  snprintf(underscore, sizeof underscore, "%s_", row->name);
  if (row->forms & FUNCTION) set_function(L, MODULE, row, row->name, FUNCTION | (row->forms & GROUPED));
  if (row->forms & METHOD) set_function(L, METHODS, row, row->name, METHOD);
  if (row->forms & INPLACE) {
    set_function(L, MODULE, row, underscore, FUNCTION | INPLACE);
    set_function(L, METHODS, row, underscore, METHOD | INPLACE);
  }
}

static const struct script_function *find_row(const char *name) {
  for (size_t i = 0; all_rows[i]; i++)
    for (const struct script_function *row = all_rows[i]; row->name; row++)
      if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

static void set_metamethods(lua_State *L) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const char *name = operators[i].name;
    bind_push_function(L, BINDING, find_row(name), name, operators[i].form);
    lua_setfield(L, METATABLE, operators[i].event);
  }
  bind_set_finalizers(L, BINDING);
  bind_set_event(L, BINDING, "__tostring", &bind_tostring_row);
  bind_set_name(L, "tensor");
  bind_index_metamethods(L, BINDING, METHODS);
}

/* Returns an environment variable; NULL: unset or empty. */
static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static int threads_setting(lua_State *L) {
  const char *text = setting("STREW_THREADS");
  int threads = 0;
  if (text && !threads_of_text(text, &threads))
    luaL_error(L, "strew: $STREW_THREADS is \"%s\", " THREADS_EXPECTED, text);
  return threads;
}

/* How the module is opened: with an existing context, in a state with limits; or, context NULL, with a new context from
   options and environment. */
struct opening {
  const strew_options *options;
  strew_context *context;
  struct limits *limits;
  bool sandbox;
};

static void make_context(lua_State *L, const strew_options *given, strew_context **out) {
  strew_options options = given ? *given : (strew_options){.device = NULL};
  strew_error error = {0};
  error.alias = options.device || !setting("STREW_DEVICE") ? "strew" : "$STREW_DEVICE";
  if (!options.device) options.device = setting("STREW_DEVICE");
  if (!options.threads) options.threads = threads_setting(L);
  if (strew_context_create(&options, out, &error) != STREW_OK) luaL_error(L, "%s", error.message);
}

static struct binding *push_binding(lua_State *L, const struct opening *opening) {
  struct binding *binding = lua_newuserdatauv(L, sizeof *binding, BINDING_VALUES);
  *binding =
      (struct binding){.mark = (const void *)(uintptr_t)secret_number(), .sandbox = opening->sandbox, .rows = all_rows};
  bind_print_defaults(&binding->print);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, bind_close, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);

  binding->limits = opening->limits;
  if (opening->context)
    binding->context = strew_context_retain(opening->context);
  else
    make_context(L, opening->options, &binding->context);
  strew_device_find(binding->context, NULL, &binding->device, NULL); /* the default device was found with the context */
  return binding;
}

/* Called with an empty stack; leaves the module on it. */
static int make_module(lua_State *L) {
  const struct opening *opening = lua_touserdata(L, 1);
  struct binding *binding = push_binding(L, opening);
  lua_remove(L, 1);
  lua_createtable(L, 0, 300);
  lua_createtable(L, 0, 300);
  lua_createtable(L, 0, 24);
  lua_pushvalue(L, METATABLE);
  lua_rawsetp(L, LUA_REGISTRYINDEX, binding->mark);

  for (size_t i = 0; all_rows[i]; i++)
    for (const struct script_function *row = all_rows[i]; row->name; row++)
      if (!(opening->sandbox && row->forms & OUTSIDE)) set_names(L, row);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    lua_pushnumber(L, constants[i].value);
    lua_setfield(L, MODULE, constants[i].name);
  }
  lua_pushlightuserdata(L, NULL); /* as null of cjson and its kind */
  lua_setfield(L, MODULE, "null");
  set_metamethods(L);
  bind_open_groupings(L, BINDING);
  bind_open_family(L, BINDING, all_rows);
  lua_createtable(L, 0, 1);
  bind_set_event(L, BINDING, "__index", &no_name_row); /* rawget(strew, name) looks a name up without an error */
  lua_setmetatable(L, MODULE);
  lua_pushliteral(L, "strew " STREW_VERSION);
  lua_setfield(L, MODULE, "_VERSION");
  bind_open_library(L, MODULE, opening->sandbox);

  lua_pushvalue(L, BINDING);
  lua_setfield(L, LUA_REGISTRYINDEX, bind_key);
  lua_pushvalue(L, METHODS);
  lua_setfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_pushcfunction(L, bind_help_pages);
  lua_setfield(L, LUA_REGISTRYINDEX, STREW_HELP);
  lua_pushcfunction(L, bind_hints);
  lua_setfield(L, LUA_REGISTRYINDEX, STREW_HINTS);
  lua_pushvalue(L, MODULE);
  lua_pushvalue(L, MODULE);
  lua_setfield(L, LUA_REGISTRYINDEX, bind_module_key);
  return 1;
}

static void open_module(lua_State *L, const struct opening *opening) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, bind_module_key) == LUA_TTABLE) return; /* a second time: the same tensors */
  lua_pop(L, 1);
  lua_pushcfunction(L, make_module);
  lua_pushlightuserdata(L, (void *)(uintptr_t)opening);
  lua_call(L, 1, 1);
}

void strew_open(lua_State *L, const strew_options *options) { open_module(L, &(struct opening){.options = options}); }

void bind_open(lua_State *L, strew_context *context, struct limits *limits, bool sandbox) {
  open_module(L, &(struct opening){.context = context, .limits = limits, .sandbox = sandbox});
}

void strew_open_on(lua_State *L, strew_context *context) {
  bind_open(L, context, NULL, false);
  if (strew_context_of(L) != context) luaL_error(L, "strew: the module is already open, with another context");
}

/* Returns the minor version of the host's Lua 5 if this module was not built for it; else 0. An older one lacks functions,
   which are weak (other_lua.h). */
static int other_lua(lua_State *L) {
  if (!lua_getglobal) return 1;
  if (!luaopen_utf8) return 2;
  if (!lua_newuserdatauv) return 3;
  const int version = (int)lua_version(L);
  return version == LUA_VERSION_NUM ? 0 : version % 100;
}

int luaopen_strew(lua_State *L) {
  const int minor = other_lua(L);
  if (minor)
    return luaL_error(L,
                      "strew: this module is for Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR
                      ", the program has Lua 5.%d%s\n"
                      "  hint  strew is built for Lua 5.4 or 5.5, one at a time: make LUA=lua5.5 BUILD=build/5.5",
                      minor, minor == 1 ? " or LuaJIT" : "");
  strew_open(L, NULL);
  return 1;
}
