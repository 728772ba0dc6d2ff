/* strew_module.c: the module itself: what scripts see is made from rows here, every call comes through here, and errors
   are raised here alone.

   Memory: tensors lie outside of Lua's heap, and its collector would let gigabytes pile up behind a few small userdata.
   So what grows between two calls is a debt; a debt of a mebibyte is paid by a step of the collector that is as long as
   if Lua had allocated those bytes. In generational mode, the default of stock lua5.4, such steps never look at old
   objects again: when tensor memory has doubled since the last full collection, there is another one. */
#include "script_limits.h"
#include "strew_bind.h"
#include "strew_lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEBT_LIMIT_BYTES = 1 << 20,
  BOX_BYTES = 400, /* what a tensor takes besides its elements, about */
  BASELINE_SLACK_BYTES = 64 << 20,
  LONGEST_STEP_KIB = 1 << 20
};

/* Names in Lua's registry. The metatable of boxes is there under the binding's address. */
static const char module_key[] = "strew.module", binding_key[] = "strew.binding";

/* ------------------------------------------------------------------------------------------------------------ boxes */

static struct handle *to_handle(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = lua_touserdata(L, i);
  return handle && lua_rawlen(L, i) == sizeof *handle && handle->owner == binding ? handle : NULL;
}

struct box *bind_to_box(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = to_handle(L, binding, i);
  return handle ? handle->box : NULL;
}

static void link_box(struct box *box, struct box **list) {
  box->next = *list;
  box->link = list;
  if (box->next) box->next->link = &box->next;
  *list = box;
}

static void unlink_box(struct box *box) {
  *box->link = box->next;
  if (box->next) box->next->link = box->link;
}

/* Boxes are made in batches. Each batch keeps alive those that were made before it. */
static void make_boxes(lua_State *L, struct binding *binding) {
  enum { BATCH = 64 };
  struct box *boxes = lua_newuserdatauv(L, BATCH * sizeof *boxes, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, binding_key);
  lua_getiuservalue(L, -1, BOXES);
  lua_setiuservalue(L, -3, 1);
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, BOXES);
  lua_pop(L, 2);
  for (int i = 0; i < BATCH; i++) link_box(&boxes[i], &binding->free_boxes);
}

struct box *bind_push_box(lua_State *L, struct binding *binding) {
  struct handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
  if (!binding->free_boxes) make_boxes(L, binding);
  struct box *box = binding->free_boxes;
  unlink_box(box);
  link_box(box, &binding->boxes);
  box->tensor = NULL;
  *handle = (struct handle){binding, box};
  lua_rawgetp(L, LUA_REGISTRYINDEX, binding);
  lua_setmetatable(L, -2);
  binding->debt_bytes += BOX_BYTES;
  return box;
}

strew_tensor **bind_result(lua_State *L, struct call *call) {
  if (!(call->form & INPLACE)) return &bind_push_box(L, call->binding)->tensor;
  lua_pushvalue(L, 1);
  return &call->self;
}

static void empty_box(struct box *box) {
  strew_release(box->tensor);
  box->tensor = NULL;
}

static struct handle *handle_argument(lua_State *L) { return to_handle(L, lua_touserdata(L, lua_upvalueindex(1)), 1); }

static int box_close(lua_State *L) {
  struct handle *handle = handle_argument(L);
  if (handle) empty_box(handle->box);
  return 0;
}

/* __gc: the handle will be gone. */
static int box_gc(lua_State *L) {
  struct handle *handle = handle_argument(L);
  if (!handle) return 0;
  struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  empty_box(handle->box);
  unlink_box(handle->box);
  link_box(handle->box, &binding->free_boxes);
  *handle = (struct handle){NULL, NULL};
  return 0;
}

/* NULL: there is none. */
static struct binding *look_for_binding(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, binding_key);
  struct binding *binding = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return binding;
}

static struct binding *find_binding(lua_State *L) {
  struct binding *binding = look_for_binding(L);
  if (!binding) luaL_error(L, "strew: the module was not opened in this Lua state");
  return binding;
}

strew_context *strew_context_of(lua_State *L) {
  luaL_checkstack(L, 1, NULL);
  struct binding *binding = look_for_binding(L);
  return binding ? binding->context : NULL;
}

void strew_push(lua_State *L, strew_tensor *tensor) {
  luaL_checkstack(L, 4, NULL);
  struct box *box = bind_push_box(L, find_binding(L)); /* it may raise an error: nothing is held yet */
  box->tensor = strew_retain(tensor);
}

strew_tensor *strew_check(lua_State *L, int index) {
  luaL_checkstack(L, 2, NULL);
  struct box *box = bind_to_box(L, find_binding(L), index);
  if (!box) return luaL_typeerror(L, index, "tensor"), NULL;
  luaL_argcheck(L, box->tensor, index, "tensor was freed");
  return box->tensor;
}

void strew_set_columns(lua_State *L, int (*columns)(void *user), void *user) {
  struct print_options *options = &find_binding(L)->print;
  options->columns = columns;
  options->user = user;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void pay_debt(lua_State *L, struct binding *binding) {
  size_t kib = binding->debt_bytes >> 10, bytes = binding->bytes_seen, baseline = binding->bytes_baseline;
  int heap_kib = lua_gc(L, LUA_GCCOUNT); /* -1 while a finalizer runs */
  binding->debt_bytes = 0;
  if (heap_kib < 0 || !lua_gc(L, LUA_GCISRUNNING)) return; /* collectgarbage("stop") is respected */
  if (bytes - baseline > baseline + BASELINE_SLACK_BYTES + ((size_t)heap_kib << 10)) {
    lua_gc(L, LUA_GCCOLLECT);
    binding->bytes_baseline = strew_context_bytes(binding->context);
  } else {
    lua_gc(L, LUA_GCSTEP, kib < LONGEST_STEP_KIB ? (int)kib : LONGEST_STEP_KIB);
  }
  binding->bytes_seen = strew_context_bytes(binding->context);
}

static void account(lua_State *L, struct binding *binding) {
  size_t bytes = strew_context_bytes(binding->context);
  if (bytes > binding->bytes_seen) binding->debt_bytes += bytes - binding->bytes_seen;
  if (bytes < binding->bytes_baseline) binding->bytes_baseline = bytes;
  binding->bytes_seen = bytes;
  if (binding->debt_bytes >= DEBT_LIMIT_BYTES) pay_debt(L, binding);
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value); /* NULL pushes nil */
  lua_setfield(L, -2, key);
}

/* Pushes what strew.last_error() gives. */
static void push_detail(lua_State *L, const strew_error *error) {
  lua_createtable(L, 0, 7);
  set_string(L, "op", error->op);
  set_string(L, "arg", error->argument);
  set_string(L, "code", strew_status_name(error->code));
  set_string(L, "message", error->message);
  if (error->hint[0]) set_string(L, "hint", error->hint);
  if (error->has_value) {
    bind_push_scalar(L, error->value);
    lua_setfield(L, -2, "value");
  }
  if (error->position_rank >= 0) {
    bind_push_sizes(L, error->position_rank, error->position);
    lua_setfield(L, -2, "pos");
  }
}

static const char colon_hint[] = "use : to call a method: t:%s(...)";

/* Pushes "file:line: " of the nearest Lua function: not always that of level 1, which in "for i in ipairs(t)" is C. */
static void push_place(lua_State *L) {
  enum { FARTHEST = 4 };
  for (int level = 1; luaL_where(L, level), lua_rawlen(L, -1) == 0 && level < FARTHEST; level++) lua_pop(L, 1);
}

/* In t.add(u) for t:add(u), u is taken for self, and in strew:zeros(3) the module for the shape: how a call is written
   explains what is missing or too much. */
static void hint_punctuation(lua_State *L, struct call *call) {
  lua_Debug here;
  bool is_misfit = call->error.code == STREW_EARGUMENT && !strchr(call->error.message, '\n');
  if (!is_misfit || !lua_getstack(L, 0, &here) || !lua_getinfo(L, "n", &here)) return;
  if (call->form & METHOD && strcmp(here.namewhat, "field") == 0)
    bind_hint(call, colon_hint, call->error.alias);
  else if (call->form & FUNCTION && strcmp(here.namewhat, "method") == 0)
    bind_hint(call, "use . to call a function: strew.%s(...)", call->error.alias);
}

static int raise(lua_State *L, struct call *call) {
  hint_punctuation(L, call);
  lua_settop(L, 0);
  push_detail(L, &call->error);
  lua_setiuservalue(L, lua_upvalueindex(1), LAST_ERROR);
  push_place(L);
  lua_pushstring(L, call->error.message);
  lua_concat(L, 2);
  return lua_error(L);
}

/* Is there what every call of this form needs? Whether the userdata is a tensor is seen when arguments are read. */
static bool is_callable(lua_State *L, struct call *call) {
  if (!call->binding->context) {
    bind_fail(call, STREW_EFREED, NULL, "the Lua state is being closed");
    return false;
  }
  if (!(call->form & (METHOD | INPLACE)) || lua_isuserdata(L, 1)) return true;
  char text[TEXT_BYTES];
  bind_fail(call, STREW_EARGUMENT, "self", "is %s, a tensor is due",
            call->arguments ? bind_text(L, call, 1, text) : "missing");
  if (call->form & METHOD) bind_hint(call, colon_hint, call->error.alias);
  bind_hint_table(L, call, 1, "self");
  return false;
}

int bind_dispatch(lua_State *L) {
  struct call call;
  call.binding = lua_touserdata(L, lua_upvalueindex(1));
  call.row = lua_touserdata(L, lua_upvalueindex(2));
  call.form = (int)lua_tointeger(L, lua_upvalueindex(4));
  if (call.form & OPERATOR) lua_settop(L, 1);
  call.arguments = lua_gettop(L);
  call.error.alias = lua_tostring(L, lua_upvalueindex(NAME_UPVALUE));
  call.error.code = STREW_OK; /* the rest is filled on failure */

  int results = is_callable(L, &call) ? call.row->function(L, &call) : -1;
  if (results < 0 && call.error.code == STREW_EMEMORY) {
    lua_settop(L, call.arguments);
    lua_gc(L, LUA_GCCOLLECT);
    results = is_callable(L, &call) ? call.row->function(L, &call) : -1;
  }
  if (results < 0) {
    limits_note(call.binding->limits, call.error.code);
    return raise(L, &call);
  }
  account(L, call.binding);
  return results;
}

static int last_error(lua_State *L, struct call *call) {
  (void)call;
  lua_getiuservalue(L, lua_upvalueindex(1), LAST_ERROR);
  return 1;
}

/* strew.name, where there is none: as for a tensor, that is an error, and no nil that surprises later. */
static int no_name(lua_State *L, struct call *call) {
  char text[TEXT_BYTES];
  bool is_string = lua_type(L, 2) == LUA_TSTRING;
  strew_guess guess = {.wanted = is_string ? lua_tostring(L, 2) : bind_text(L, call, 2, text)};
  if (is_string) bind_guess_keys(L, 1, &guess);
  return bind_fail_name(call, "strew", &guess);
}

static const struct row no_name_row = {"strew[name]", no_name, 0, FUNCTION};
static const struct row module_rows[] = {{"last_error", last_error, 0, FUNCTION}, {NULL, NULL, 0, 0}};

/* ----------------------------------------------------------------------------------------------------------- opening
 */

static const struct row *const all_rows[] = {module_rows,      bind_create_rows, bind_table_rows,  bind_tensor_rows,
                                             bind_view_rows,   bind_math_rows,   bind_reduce_rows, bind_scatter_rows,
                                             bind_device_rows, bind_help_rows,   bind_print_rows,  bind_file_rows,
                                             bind_show_rows,   bind_image_rows};

/* Which function stands behind which event. Lua gives a unary operator its operand twice. */
static const struct {
  const char *event, *name;
  int form;
} operators[] = {
    {"__add", "add", FUNCTION},        {"__sub", "sub", FUNCTION},           {"__mul", "mul", FUNCTION},
    {"__div", "div", FUNCTION},        {"__idiv", "floor_divide", FUNCTION}, {"__mod", "remainder", FUNCTION},
    {"__pow", "pow", FUNCTION},        {"__unm", "neg", OPERATOR},           {"__band", "bitwise_and", FUNCTION},
    {"__bor", "bitwise_or", FUNCTION}, {"__bxor", "bitwise_xor", FUNCTION},  {"__bnot", "bitwise_not", OPERATOR}};

/* Positions of the stack while the module is being opened. */
enum { BINDING = 1, MODULE, METHODS, METATABLE };

void bind_push_upvalues(lua_State *L, int binding, const struct row *row, const char *name, int form) {
  lua_pushvalue(L, binding);
  lua_pushlightuserdata(L, (void *)row);
  lua_pushstring(L, name);
  lua_pushinteger(L, form);
}

static void set_function(lua_State *L, int table, const struct row *row, const char *name, int form) {
  bind_push_upvalues(L, BINDING, row, name, form);
  lua_pushcclosure(L, bind_dispatch, 4);
  lua_setfield(L, table, name);
}

static void set_names(lua_State *L, const struct row *row) {
  char underscore[32];
  snprintf(underscore, sizeof underscore, "%s_", row->name);
  if (row->forms & FUNCTION) set_function(L, MODULE, row, row->name, FUNCTION);
  if (row->forms & METHOD) set_function(L, METHODS, row, row->name, METHOD);
  if (row->forms & INPLACE) {
    set_function(L, MODULE, row, underscore, FUNCTION | INPLACE);
    set_function(L, METHODS, row, underscore, METHOD | INPLACE);
  }
}

static const struct row *find_row(const char *name) {
  for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++)
    for (const struct row *row = all_rows[i]; row->name; row++)
      if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

/* The module's own metatable. rawget(strew, name) asks for a name without an error. */
static void set_module_metatable(lua_State *L) {
  lua_createtable(L, 0, 1);
  bind_push_upvalues(L, BINDING, &no_name_row, no_name_row.name, FUNCTION);
  lua_pushcclosure(L, bind_dispatch, 4);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, MODULE);
}

static void set_metamethods(lua_State *L) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const char *name = operators[i].name;
    bind_push_upvalues(L, BINDING, find_row(name), name, operators[i].form);
    lua_pushcclosure(L, bind_dispatch, 4);
    lua_setfield(L, METATABLE, operators[i].event);
  }
  lua_pushvalue(L, BINDING);
  lua_pushcclosure(L, box_gc, 1);
  lua_setfield(L, METATABLE, "__gc");
  lua_pushvalue(L, BINDING);
  lua_pushcclosure(L, box_close, 1);
  lua_setfield(L, METATABLE, "__close");
  bind_push_upvalues(L, BINDING, &bind_tostring_row, bind_tostring_row.name, FUNCTION);
  lua_pushcclosure(L, bind_dispatch, 4);
  lua_setfield(L, METATABLE, "__tostring");
  lua_pushliteral(L, "tensor");
  lua_pushvalue(L, -1);
  lua_setfield(L, METATABLE, "__name");
  lua_setfield(L, METATABLE, "__metatable"); /* scripts get this word: without __gc, boxes would leave a gap behind */
  bind_index_metamethods(L, BINDING, METHODS);
}

/* An environment variable, if it says anything. */
static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static int threads_setting(lua_State *L) {
  const char *text = setting("STREW_THREADS");
  if (!text) return 0;
  char *end;
  long threads = strtol(text, &end, 10);
  if (*end || threads < 1 || threads > 256)
    luaL_error(L, "strew: $STREW_THREADS is \"%s\", a whole number in 1..256 is due", text);
  return (int)threads;
}

static int binding_close(lua_State *L) {
  struct binding *binding = lua_touserdata(L, 1);
  for (struct box *box = binding->boxes; box; box = box->next) empty_box(box);
  strew_context_release(binding->context);
  binding->context = NULL;
  return 0;
}

/* How the module is opened: with a context that is there, in a state with limits; or, context NULL, with a new one as
   options and the environment want it. */
struct opening {
  const strew_options *options;
  strew_context *context;
  struct limits *limits;
  bool sandbox;
};

static void make_context(lua_State *L, strew_options options, strew_context **out) {
  strew_error error;
  error.alias = options.device || !setting("STREW_DEVICE") ? "strew" : "$STREW_DEVICE";
  if (!options.device) options.device = setting("STREW_DEVICE");
  if (!options.threads) options.threads = threads_setting(L);
  if (strew_context_create(&options, out, &error) != STREW_OK) luaL_error(L, "%s", error.message);
}

static struct binding *push_binding(lua_State *L, const struct opening *opening) {
  struct binding *binding = lua_newuserdatauv(L, sizeof *binding, BINDING_VALUES);
  *binding = (struct binding){0};
  bind_print_defaults(&binding->print);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, binding_close);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);

  binding->limits = opening->limits;
  if (opening->context)
    binding->context = strew_context_retain(opening->context);
  else
    make_context(L, *opening->options, &binding->context);
  strew_device_find(binding->context, NULL, &binding->device, NULL); /* the default device was found with the context */
  return binding;
}

/* With the stack empty; leaves the module on it. */
static int make_module(lua_State *L) {
  const struct opening *opening = lua_touserdata(L, 1);
  struct binding *binding = push_binding(L, opening);
  lua_remove(L, 1);
  lua_createtable(L, 0, 300);
  lua_createtable(L, 0, 300);
  lua_createtable(L, 0, 24);
  lua_pushvalue(L, METATABLE);
  lua_rawsetp(L, LUA_REGISTRYINDEX, binding);

  for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++)
    for (const struct row *row = all_rows[i]; row->name; row++)
      if (!(opening->sandbox && row->forms & OUTSIDE)) set_names(L, row);
  set_metamethods(L);
  set_module_metatable(L);
  lua_pushliteral(L, "strew " STREW_VERSION);
  lua_setfield(L, MODULE, "_VERSION");

  lua_pushvalue(L, BINDING);
  lua_setfield(L, LUA_REGISTRYINDEX, binding_key);
  lua_pushvalue(L, METHODS);
  lua_setfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_pushvalue(L, MODULE);
  lua_pushvalue(L, MODULE);
  lua_setfield(L, LUA_REGISTRYINDEX, module_key);
  return 1;
}

static void open_module(lua_State *L, const struct opening *opening) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, module_key) == LUA_TTABLE) return; /* a second time: the same tensors */
  lua_pop(L, 1);
  lua_pushcfunction(L, make_module);
  lua_pushlightuserdata(L, (void *)(uintptr_t)opening);
  lua_call(L, 1, 1);
}

void strew_open(lua_State *L, const strew_options *options) { open_module(L, &(struct opening){.options = options}); }

void bind_open(lua_State *L, strew_context *context, struct limits *limits, bool sandbox) {
  open_module(L, &(struct opening){.context = context, .limits = limits, .sandbox = sandbox});
}

int luaopen_strew(lua_State *L) {
  static const strew_options defaults;
  strew_open(L, &defaults);
  return 1;
}
