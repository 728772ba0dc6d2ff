/* strew_call.c: every call of a script passes through here, and errors are raised here only.

   Memory: tensors live outside Lua's heap, so the collector would let gigabytes pile up behind a few small userdata.
   Growth above the lowest number of bytes since the last step is paid by a step as long as if Lua had allocated those
   bytes. In generational mode, the default of stock lua5.4, such steps never visit objects again that two of them found
   in use. So a step waits for twice the growth of the last call: temporaries of a loop die in between. And when tensor
   memory has grown enough since the last full collection, a full collection runs. */
#include "hosting.h"
#include "lua_bindings/sandbox/script_limits.h"
#include "strew_bind.h"
#include "strew_lua.h"

#include <stdio.h>
#include <string.h>

/* A full collection takes 0.09 ms for a heap of 0.3 MB, the smallest, and 200 ms for one of 140 MB (a million tables):
   its cost grows with the heap, not with tensors. Beside that large heap, 8 turns of Black-Scholes on 10^7 elements take
   4.9 s of processor time and 1.26 GB at 4 bytes of growth for each of the heap's, 5.4 s and 0.94 GB at 2. Beside the
   smallest, a full collection for each two temporaries of 40 MB is 1 to 2 % of the time: longer steps than
   LONGEST_STEP_BYTES would save less, and leave more garbage. */
enum { STEP_BYTES = 1 << 20, LONGEST_STEP_BYTES = 128 << 20, GARBAGE_BYTES = 32 << 20, GARBAGE_PER_HEAP_BYTE = 4 };
enum { LONGEST_STEP_KIB = 1 << 20, INCREMENT_BYTES = 256 << 10 };

/* ----------------------------------------------------------------------------------------------------------- memory */

/* A step as long as if Lua had allocated that much. Lua 5.5 takes bytes, and makes a step of the size that is set,
   however many they are. */
static void collect_step(lua_State *L, size_t kib) {
  if (kib > LONGEST_STEP_KIB) kib = LONGEST_STEP_KIB;
#if LUA_VERSION_NUM < 505
  lua_gc(L, LUA_GCSTEP, (int)kib);
#else
  const int size_before = lua_gc(L, LUA_GCPARAM, LUA_GCPSTEPSIZE, INCREMENT_BYTES);
  lua_gc(L, LUA_GCSTEP, kib << 10);
  lua_gc(L, LUA_GCPARAM, LUA_GCPSTEPSIZE, size_before);
#endif
}

static void collect(lua_State *L, struct binding *binding, size_t new_bytes) {
  const int heap_kib = lua_gc(L, LUA_GCCOUNT);             /* -1 while a finalizer runs */
  if (heap_kib < 0 || !lua_gc(L, LUA_GCISRUNNING)) return; /* collectgarbage("stop") is respected */
  const size_t kib = new_bytes >> 10, most = GARBAGE_BYTES + ((size_t)heap_kib << 10) * GARBAGE_PER_HEAP_BYTE;
  const bool is_full = binding->bytes_seen - binding->bytes_baseline + binding->imported_bytes > most;
  if (is_full)
    lua_gc(L, LUA_GCCOLLECT);
  else
    collect_step(L, kib);
  const size_t bytes = strew_context_bytes(binding->context);
  if (is_full || bytes < binding->bytes_baseline) binding->bytes_baseline = bytes;
  if (is_full) binding->imported_bytes = 0;
  binding->bytes_seen = binding->bytes_lowest = bytes;
  binding->box_bytes = 0;
}

static void account(lua_State *L, struct binding *binding) {
  const size_t bytes = strew_context_bytes(binding->context), seen = binding->bytes_seen;
  if (bytes < binding->bytes_lowest) binding->bytes_lowest = bytes;
  if (bytes < binding->bytes_baseline) binding->bytes_baseline = bytes;
  binding->bytes_seen = bytes;
  const size_t new_bytes = bytes - binding->bytes_lowest + binding->box_bytes;
  if (new_bytes < STEP_BYTES || new_bytes < binding->step_bytes) return;
  const size_t twice = bytes > seen ? 2 * (bytes - seen) : 0;
  binding->step_bytes = twice < LONGEST_STEP_BYTES ? twice : LONGEST_STEP_BYTES;
  collect(L, binding, new_bytes);
}

static void count_imported(struct binding *binding, const strew_tensor *tensor) {
  const size_t bytes = (size_t)strew_tensor_numel(tensor) * strew_dtype_size_bytes(strew_tensor_dtype(tensor));
  binding->box_bytes += bytes, binding->imported_bytes += bytes;
}

void bind_count_imported(struct binding *binding, const strew_table *table, const strew_tensor *tensor) {
  if (tensor) count_imported(binding, tensor);
  for (int64_t i = 0; table && i < strew_table_count(table); i++) count_imported(binding, strew_table_tensor(table, i));
}

/* ------------------------------------------------------------------------------------------------------------ calls */

void bind_set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value); /* NULL pushes nil */
  lua_setfield(L, -2, key);
}

void bind_set_boolean(lua_State *L, const char *key, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, key);
}

void bind_set_integer(lua_State *L, const char *key, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

/* Pushes the table that strew.last_error() returns. */
static void push_detail(lua_State *L, int binding, const strew_error *error, const strew_tensor *self) {
  lua_createtable(L, 0, 7);
  bind_set_string(L, "op", error->op);
  bind_set_string(L, "arg", error->argument);
  bind_set_string(L, "code", strew_enum_name(STREW_WORDS_STATUS, error->code));
  bind_set_string(L, "message", error->message);
  if (error->hint[0]) bind_set_string(L, "hint", error->hint);
  if (error->has_value) {
    if (error->value.dtype == STREW_TEXT && error->value.as.i >= 0)
      lua_pushstring(L, self ? strew_word(self, error->value.as.i, NULL) : NULL);
    else if (error->value.dtype == STREW_TEXT)
      lua_getiuservalue(L, binding, ERROR_VALUE);
    else
      bind_push_scalar(L, error->value);
    lua_setfield(L, -2, "value");
  }
  if (error->position_rank >= 0) {
    bind_push_sizes(L, error->position_rank, error->position);
    lua_setfield(L, -2, "pos");
  }
}

static const char colon_hint[] = "use : to call a method: %c:%s(...)";

void bind_use(lua_State *L, int binding, const char *file) {
  lua_getiuservalue(L, binding, USE);
  lua_pushstring(L, file);
  lua_call(L, 1, 1);
}

/* In t.add(u) instead of t:add(u), u is taken for self; in strew:zeros(3), the module for the shape. The way a call is
   written explains what is missing or superfluous. */
static void hint_punctuation(lua_State *L, struct script_call *call) {
  lua_Debug here;
  bool is_misfit = call->error.code == STREW_EARGUMENT && !strchr(call->error.message, '\n');
  if (!is_misfit || !lua_getstack(L, 0, &here) || !lua_getinfo(L, "n", &here)) return;
  const bool is_of_columns = call->form & OF_COLUMNS && lua_type(L, 1) < LUA_TTABLE;
  const bool is_field = strcmp(here.namewhat, "field") == 0;
  if (strchr(call->error.alias, ':')) { /* of one kind of object, as o:step */
    if (is_field) bind_hint(call, "use : to call a method: %s(...)", call->error.alias);
  } else if ((call->form & METHOD || is_of_columns) && is_field)
    bind_hint(call, colon_hint, is_of_columns ? 'x' : call->form & GROUPED ? 'g' : 't', call->error.alias);
  else if ((call->form & (FUNCTION | OF_COLUMNS)) == FUNCTION && strcmp(here.namewhat, "method") == 0 &&
           lua_istable(L, 1)) /* in the place of the module */
    bind_hint(call, "use . to call a function: strew.%s(...)", call->error.alias);
}

static int do_nothing(lua_State *L) { return (void)L, 0; }

/* Pushes the message of an error; the binding is at this position. An interrupted call may have a hook pending, which raises an error
   of its own: a call lets it do so here. Later it would raise a second error, in a script that caught the first. */
static void push_error(lua_State *L, int binding, strew_error *error, const strew_tensor *self) {
  strew_error_script(error);
  push_detail(L, binding, error, self);
  lua_setiuservalue(L, binding, LAST_ERROR);
  if (error->code == STREW_EINTERRUPTED) {
    lua_pushcfunction(L, do_nothing);
    lua_call(L, 0, 0);
  }
  script_place_push(L, 1); /* not always level 1: in "for i in ipairs(t)" level 1 is C */
  lua_pushstring(L, error->message);
  lua_concat(L, 2);
}

/* Raises the error of the call: one failure, also where memory is too short for its message. */
static int raise_call(lua_State *L, struct script_call *call) {
  hint_punctuation(L, call);
  if (!call->binding->marked) bind_hint_text(L, call); /* in a text it would be no code */
  call->binding->raised = call->error;
  if (call->binding->marked) strew_expr_mark(call->binding->marked, call->binding->marked_node, &call->error);
  lua_settop(L, call->arguments); /* error->argument may be one of them (strew_family.c) */
  push_error(L, lua_upvalueindex(1), &call->error, call->self);
  limits_note(call->binding->limits, call->error.code);
  return lua_error(L);
}

int strew_raise(lua_State *L, const strew_error *error) {
  bind_stack(L, LUA_MINSTACK);
  strew_error copy = bind_push_binding(L)->raised = *error;
  push_error(L, lua_gettop(L), &copy, NULL);
  return lua_error(L);
}

bool strew_is_recording(lua_State *L) {
  bind_stack(L, 1);
  bool is_recording = bind_push_binding(L)->recording;
  lua_pop(L, 1);
  return is_recording;
}

int strew_pcall(lua_State *L, const char *op, int arguments, int results) {
  bind_stack(L, 2);
  struct binding *binding = bind_push_binding(L);
  lua_pop(L, 1);
  const char *outer = binding->outer;
  if (!outer) binding->outer = op;
  int status = lua_pcall(L, arguments, results, 0);
  binding->outer = outer;
  return status;
}

/* True if the state is open and self is a userdata where the form needs one. Whether it is a tensor is checked when
   arguments are read. */
static bool is_callable(lua_State *L, struct script_call *call) {
  if (!call->binding->context) {
    bind_fail(call, STREW_EFREED, NULL, "the Lua state is being closed");
    return false;
  }
  if (!(call->form & (METHOD | INPLACE)) || lua_isuserdata(L, 1)) return true;
  char text[TEXT_BYTES];
  const bool is_grouped = call->form & GROUPED;
  bind_fail(call, STREW_EARGUMENT, "self", "is %s, expected a %s",
            call->arguments ? bind_text(L, call, 1, text) : "missing", is_grouped ? "grouping" : "tensor");
  if (call->form & METHOD) bind_hint(call, colon_hint, is_grouped ? 'g' : 't', call->error.alias);
  bind_hint_tensor(L, call, 1, "self");
  return false;
}

/* Returns the number of results, or -1. */
static int run(lua_State *L, struct script_call *call) {
  if (call->row->forms & COMBINED && call->binding->combine) call->binding->combine(L, call);
  if (!is_callable(L, call) || (call->row->forms & CHECKED && !bind_check_inner(L, call))) return -1;
  /* methods of groupings are made of calls that are recorded */
  if (!call->binding->recording || call->form & GROUPED || call->row->forms & COMPOSED)
    return call->row->function(L, call);
  if (!bind_record_begin(L, call)) return -1;
  int results = call->row->function(L, call);
  if (!call->is_recorded) return results;
  if (results >= 0) return bind_record_end(L, call, results);
  bind_record_drop(L, call);
  return -1;
}

/* True if the call, which failed, is to run again: with tensors in place of bound expressions, or with more memory. */
static bool may_succeed(lua_State *L, struct script_call *call, bool *has_collected) {
  lua_settop(L, call->arguments);
  const bool meets_bound = call->meets_bound;
  call->meets_bound = false;
  if (meets_bound && call->binding->expand(L, call)) return true;
  if (call->error.code != STREW_EMEMORY || *has_collected) return false;
  lua_settop(L, call->arguments);
  lua_gc(L, LUA_GCCOLLECT);
  return *has_collected = true;
}

int bind_dispatch(lua_State *L) {
  struct script_call call;
  call.binding = lua_touserdata(L, lua_upvalueindex(1));
  call.row = lua_touserdata(L, lua_upvalueindex(ROW_UPVALUE));
  const bool is_copy = call.row->lists != NULL;
  call.form = is_copy ? call.row->form : (int)lua_tointeger(L, lua_upvalueindex(FORM_UPVALUE));
  if (call.form & OPERATOR) lua_settop(L, 1);
  call.arguments = lua_gettop(L);
  call.error.alias = call.binding->outer ? call.binding->outer
                     : is_copy           ? call.row->alias
                                         : lua_tostring(L, lua_upvalueindex(NAME_UPVALUE));
  call.error.code = STREW_OK; /* the rest is filled on failure */
  call.is_recorded = call.meets_bound = false;
  call.read_once = 0;
  call.names[0] = NULL;

  bool has_collected = false;
  int results = run(L, &call);
  while (results < 0 && may_succeed(L, &call, &has_collected)) results = run(L, &call);
  if (results < 0) return raise_call(L, &call);
  account(L, call.binding);
  return results;
}

int bind_call_within(lua_State *L, struct binding *binding, int arguments, bool records, const char *outer,
                     const struct family_operands *operands) {
  const int base = lua_gettop(L) - arguments - 1;
  const bool recording = binding->recording;
  const char *outer_before = binding->outer;
  const struct family_operands *operands_before = binding->operands;
  binding->recording = records;
  binding->outer = outer;
  binding->operands = operands;
  const int status = lua_pcall(L, arguments, LUA_MULTRET, 0);
  binding->recording = recording;
  binding->outer = outer_before;
  binding->operands = operands_before;
  return status == LUA_OK ? lua_gettop(L) - base : -1;
}

int bind_last_error(lua_State *L, struct script_call *call) {
  (void)call;
  lua_getiuservalue(L, lua_upvalueindex(1), LAST_ERROR);
  return 1;
}

void bind_push_upvalues(lua_State *L, int binding, const struct script_function *row, const char *name, int form) {
  lua_pushvalue(L, binding);
  lua_pushlightuserdata(L, (void *)row);
  lua_pushstring(L, name);
  lua_pushinteger(L, form);
}

void bind_push_function(lua_State *L, int binding, const struct script_function *row, const char *name, int form) {
  bind_push_upvalues(L, binding, row, name, form);
  lua_pushcclosure(L, bind_dispatch, UPVALUES);
}

void bind_set_event(lua_State *L, int binding, const char *event, const struct script_function *row) {
  bind_push_function(L, binding, row, row->name, row->forms);
  lua_setfield(L, -2, event);
}

void bind_set_name(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__name");
  lua_setfield(L, -2, "__metatable"); /* what getmetatable returns; without __gc, boxes would leave a gap */
}

struct owner *bind_owner_at(lua_State *L, int i, const struct owner_type *type) {
  if (!lua_touserdata(L, i) || lua_rawlen(L, i) != sizeof(struct owner)) return NULL; /* debug sets any metatable */
  return luaL_testudata(L, i, type->key);
}

void bind_end_owner(struct owner *owner, const struct owner_type *type) {
  const union owned object = owner->object;
  owner->object.any = NULL;
  if (object.any) type->release(object);
}

void bind_end_use(struct owner *owner, const struct owner_type *type) {
  owner->is_used = false;
  if (owner->is_over) bind_end_owner(owner, type);
}

static int close_owner(lua_State *L) {
  const struct owner_type *type = lua_touserdata(L, lua_upvalueindex(1));
  struct owner *owner = bind_to_owner(L, type);
  if (owner && owner->is_used)
    owner->is_over = true;
  else if (owner)
    bind_end_owner(owner, type);
  return 0;
}

static void set_tensor_events(lua_State *L) {
  const struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  const int to = lua_gettop(L), from = to + 1;
  lua_rawgetp(L, LUA_REGISTRYINDEX, binding->mark);
  for (lua_pushnil(L); lua_next(L, from);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, to);
  }
  lua_pop(L, 1);
}

/* The metatable is complete before the registry has it: a failed allocation leaves none without __gc. */
static void push_owner_metatable(lua_State *L, const struct owner_type *type) {
  const luaL_Reg ends[] = {{"__gc", close_owner}, {"__close", close_owner}, {NULL, NULL}};
  if (luaL_getmetatable(L, type->key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  if (type->has_operators) set_tensor_events(L);
  lua_pushlightuserdata(L, (void *)(uintptr_t)type);
  luaL_setfuncs(L, ends, 1);
  for (int i = 0; type->events[i].row; i++)
    bind_set_event(L, lua_upvalueindex(1), type->events[i].name, type->events[i].row);
  bind_set_name(L, type->name);
  if (type->hint) bind_set_string(L, "__hint", type->hint);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, type->key);
}

struct owner *bind_push_owner(lua_State *L, const struct owner_type *type) {
  struct owner *owner = lua_newuserdatauv(L, sizeof *owner, 1);
  *owner = (struct owner){.object = {.any = NULL}};
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  push_owner_metatable(L, type);
  lua_setmetatable(L, -2);
  return owner;
}
