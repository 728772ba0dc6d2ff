/* strew_record.c: records the calls of a function that strew.grad differentiates (programs/gradients.lua has the rules
   that go back through the record).

   While the function runs, binding->recording is set, and bind_dispatch calls bind_record_begin before each call and
   bind_record_end after it. A box is_recorded if its tensor is an argument of the function or depends on one. A call
   with a recorded argument whose result is a float tensor becomes an entry of the tape:
   {rule =, results = {...}, out = result 1, NAME = argument, ...}, with the names of the arguments in their order as a
   sequence; a call that reads its arguments without bind_arguments has them in `rest`. Boxes in entries are held: the
   tape keeps them alive, they cannot be freed, and no call may write to the memory that they lie in. So are the
   groupings in entries, but they have no memory that a call could write to. All this ends with the outermost
   strew.grad: the next record has another number. A call in place into a tensor that is neither recorded nor held
   becomes an entry with a copy of that tensor as its first argument and the tensor as its result. */
#include "lua_bindings/core/strew_bind.h"

/* Fields of the table in the binding's user value RECORD: entries; HELD or WRITTEN (by a recorded call) for the
   storages of held tensors, by address; rules by names of rows. */
enum { TAPE = 1, STORAGES, RULES };
enum { HELD = 1, WRITTEN };

static struct binding *binding_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* Pushes a table of the record. */
static void push_record(lua_State *L, int which) {
  lua_getiuservalue(L, lua_upvalueindex(1), RECORD);
  lua_rawgeti(L, -1, which);
  lua_remove(L, -2);
}

/* HELD, WRITTEN or 0. `storages` is the stack position of that table. */
static int state_of(lua_State *L, int storages, const struct box *box) {
  lua_rawgetp(L, storages, strew_tensor_storage(box->tensor));
  int state = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return state;
}

static void hold(lua_State *L, int storages, struct box *box, int state) {
  const uint64_t record = binding_of(L)->record;
  if (box->held == record && state == HELD) return;
  box->held = record;
  if (!box->tensor || (state == HELD && state_of(L, storages, box))) return;
  lua_pushinteger(L, state);
  lua_rawsetp(L, storages, strew_tensor_storage(box->tensor));
}

/* Pushes the rule of a row: a table or nil. `rules` has them by name and, once looked for, by its address. */
static int push_rule(lua_State *L, int rules, const struct script_function *row) {
  int type = lua_rawgetp(L, rules, row->name);
  if (type != LUA_TNIL) return type;
  lua_pop(L, 1);
  type = lua_getfield(L, rules, row->name);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, rules, row->name);
  return type;
}

typedef bool visitor(lua_State *L, struct script_call *call, struct box *box, void *user);

/* Calls `visit` for each tensor or grouping that is an argument or result at position i, an entry of a table there, or,
   `depth` 2, an entry of a table in that. */
static bool visit_to(lua_State *L, struct script_call *call, int i, int depth, void *user, visitor *visit) {
  struct box *box = bind_to_any_box(L, call->binding, i);
  if (box) return !(box->tensor || box->grouping) || visit(L, call, box, user);
  if (!depth || !lua_istable(L, i)) return true;
  bind_stack(L, LUA_MINSTACK);
  lua_pushnil(L);
  for (int64_t k = 1; lua_next(L, i); k++, lua_pop(L, 1))
    if (!visit_to(L, call, lua_gettop(L), depth - 1, user, visit) || !bind_may_continue(call, k)) return false;
  return true;
}

enum { DEPTH = 2 }; /* {indices = {i, j}} */

static bool visit_boxes(lua_State *L, struct script_call *call, int i, void *user, visitor *visit) {
  return visit_to(L, call, i, DEPTH, user, visit);
}

/* Pushes the value at i, or, of a table, a copy, for the script may change its own. */
static bool push_kept(lua_State *L, struct script_call *call, int i, int depth) {
  lua_pushvalue(L, i);
  if (!depth || !lua_istable(L, i)) return true;
  bind_stack(L, LUA_MINSTACK);
  lua_pop(L, 1);
  lua_newtable(L);
  const int copy = lua_gettop(L);
  lua_pushnil(L);
  for (int64_t k = 1; lua_next(L, i); k++) {
    lua_pushvalue(L, -2);
    if (!bind_may_continue(call, k) || !push_kept(L, call, copy + 2, depth - 1)) return false;
    lua_rawset(L, copy);
    lua_settop(L, copy + 1);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------- before the call */

static bool note_argument(lua_State *L, struct script_call *call, struct box *box, void *user) {
  const bool is_recorded = bind_is_recorded(call->binding, box);
  call->is_recorded |= is_recorded;
  if (is_recorded || !box->tensor || state_of(L, *(int *)user, box) != WRITTEN) return true;
  bind_fail(call, STREW_EARGUMENT, NULL, "an operand shares memory with a tensor that a recorded call wrote to");
  bind_hint(call, "create the view after the write");
  return false;
}

/* Fails if the call writes to self, and a gradient needs its memory. */
static bool check_write(lua_State *L, struct script_call *call, int storages) {
  const struct box *box = bind_to_box(L, call->binding, 1);
  const bool is_written = call->form & INPLACE || call->row->forms & WRITES;
  if (!is_written || !box || !box->tensor || !state_of(L, storages, box)) return true;
  bind_fail(call, STREW_EARGUMENT, "self", "is needed for a gradient, it cannot be written to");
  bind_hint(call, "in a function that is differentiated: use the call without _, or write to t:clone()");
  return false;
}

bool bind_may_write(lua_State *L, struct script_call *call, int i, const char *name) {
  const struct box *box = bind_to_box(L, call->binding, i);
  if (!call->binding->recording || !box || !box->tensor) return true;
  push_record(L, STORAGES);
  const bool is_needed = call->is_recorded || state_of(L, lua_gettop(L), box);
  lua_pop(L, 1);
  if (!is_needed) return true;
  bind_fail(call, STREW_EARGUMENT, name, "cannot be written to by a call that is recorded");
  bind_hint(call, "omit '%s' in a function that is differentiated", name);
  return false;
}

bool bind_written(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!bind_is_bound(L, i)) return bind_tensor(L, call, i, name, out) && bind_may_write(L, call, i, name);
  bind_fail(call, STREW_EARGUMENT, name, "is a bound expression, expected a tensor");
  return bind_hint_tensor(L, call, i, name), false;
}

bool bind_may_free(struct script_call *call, const struct box *box) {
  if (!bind_is_held(call->binding, box)) return true;
  bind_fail(call, STREW_EARGUMENT, "self", "is needed for a gradient, it cannot be freed yet");
  return false;
}

/* Keeps a copy of self under the call's address, for the entry. */
static bool keep_self(lua_State *L, struct script_call *call, int storages) {
  struct box *copy = bind_push_box(L, call->binding), *self = bind_to_box(L, call->binding, 1);
  if (!self || !self->tensor) return true; /* the call fails */
  if (strew_clone(self->tensor, &copy->tensor, &call->error) != STREW_OK) return false;
  lua_rawsetp(L, storages, call);
  return true;
}

/* Finds how the call is recorded, by its row's rule. */
static bool find_rule(lua_State *L, struct script_call *call, int storages) {
  call->is_recorded = !(call->row->forms & CONSTANT);
  if (!call->is_recorded) return true;
  push_record(L, RULES);
  if (push_rule(L, lua_gettop(L), call->row) == LUA_TTABLE)
    return !(call->form & INPLACE) || keep_self(L, call, storages);
  bind_fail(call, STREW_EARGUMENT, NULL, "has no gradient, and depends on an argument that is differentiated");
  bind_hint(call, "t:detach() is the tensor as a constant");
  return false;
}

bool bind_record_begin(lua_State *L, struct script_call *call) {
  const int top = lua_gettop(L);
  int storages = top + 1;
  call->is_recorded = false;
  bind_stack(L, LUA_MINSTACK);
  push_record(L, STORAGES);
  for (int i = 1; i <= call->arguments; i++)
    if (!visit_boxes(L, call, i, &storages, note_argument)) return false;
  if (!check_write(L, call, storages) || (call->is_recorded && !find_rule(L, call, storages))) return false;
  lua_settop(L, top);
  return true;
}

void bind_record_drop(lua_State *L, struct script_call *call) {
  push_record(L, STORAGES);
  lua_pushnil(L);
  lua_rawsetp(L, -2, call);
  lua_pop(L, 1);
}

/* -------------------------------------------------------------------------------------------------- after the call */

static bool mark_result(lua_State *L, struct script_call *call, struct box *box, void *user) {
  (void)L;
  if (!box->tensor || !bind_is_float(strew_tensor_dtype(box->tensor))) return true;
  box->recorded = call->binding->record;
  *(bool *)user = true;
  return true;
}

struct holding {
  int storages, state;
};

static bool hold_operand(lua_State *L, struct script_call *call, struct box *box, void *user) {
  const struct holding *holding = user;
  (void)call;
  hold(L, holding->storages, box, holding->state);
  return true;
}

/* Appends the table on top to the tape and pops it. */
static void append(lua_State *L) {
  push_record(L, TAPE);
  lua_insert(L, -2);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_pop(L, 1);
}

/* Replaces the value on top by what an entry keeps of it; of self in place, argument 1, by the copy. */
static bool hold_value(lua_State *L, struct script_call *call, struct holding *held, bool is_self) {
  const int value = lua_gettop(L);
  if (is_self)
    lua_rawgetp(L, held->storages, call);
  else if (!push_kept(L, call, value, DEPTH))
    return false;
  lua_remove(L, value);
  return visit_boxes(L, call, value, held, hold_operand);
}

/* Adds the arguments to an entry: by their names, or, of a call that has none, as a sequence. */
static bool add_arguments(lua_State *L, struct script_call *call, int entry, struct holding *held) {
  const bool is_inplace = call->form & INPLACE;
  for (int k = 0, n = 0; k < MOST_PARAMETERS && call->names[k]; k++) {
    if (!call->given[k]) continue;
    bind_push_given(L, call, k, call->names[k]);
    if (!hold_value(L, call, held, is_inplace && call->given[k] == 1)) return false;
    lua_setfield(L, entry, call->names[k]);
    lua_pushstring(L, call->names[k]);
    lua_rawseti(L, entry, ++n);
  }
  if (call->names[0]) return true;
  lua_createtable(L, call->arguments, 0);
  for (int i = 1; i <= call->arguments; i++) {
    lua_pushvalue(L, i);
    if (!hold_value(L, call, held, is_inplace && i == 1)) return false;
    lua_rawseti(L, -2, i);
  }
  lua_setfield(L, entry, "rest");
  return true;
}

/* Adds the results, from stack position `first` on. */
static bool add_results(lua_State *L, struct script_call *call, int entry, int first, int results,
                        struct holding *held) {
  lua_createtable(L, results, 0);
  for (int i = 0; i < results; i++) {
    lua_pushvalue(L, first + i);
    if (!hold_value(L, call, held, false)) return false;
    if (i == 0) {
      lua_pushvalue(L, -1);
      lua_setfield(L, entry, "out");
    }
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, entry, "results");
  return true;
}

/* Appends the entry of the call, whose results begin at stack position `first`. */
static bool add_entry(lua_State *L, struct script_call *call, int first, int results) {
  lua_newtable(L);
  const int entry = lua_gettop(L);
  push_record(L, STORAGES);
  struct holding held = {entry + 1, HELD}, written = {entry + 1, call->form & INPLACE ? WRITTEN : HELD};
  push_record(L, RULES);
  push_rule(L, entry + 2, call->row);
  lua_setfield(L, entry, "rule");
  if (!add_arguments(L, call, entry, &held) || !add_results(L, call, entry, first, results, &written)) return false;
  lua_settop(L, entry);
  append(L);
  return true;
}

int bind_record_end(lua_State *L, struct script_call *call, int results) {
  const int first = lua_gettop(L) - results + 1;
  bool is_float = false;
  bind_stack(L, LUA_MINSTACK);
  for (int i = first; i < first + results; i++) visit_boxes(L, call, i, &is_float, mark_result);
  if (is_float) {
    bool is_added = add_entry(L, call, first, results);
    if (call->form & INPLACE) bind_record_drop(L, call);
    return is_added ? results : -1;
  }
  if (results == 0 || lua_type(L, first) != LUA_TNUMBER) return results;
  bind_fail(call, STREW_EARGUMENT, "self", "is needed for a gradient, which a number would lose");
  return bind_hint(call, "t:narrow(0, i, 1) is a tensor; t:detach() is the tensor as a constant");
}

/* --------------------------------------------------------------------------------------------- for strew_gradient.c */

void bind_record_new(lua_State *L) {
  lua_createtable(L, RULES, 0);
  for (int i = TAPE; i <= STORAGES; i++) {
    lua_newtable(L);
    lua_rawseti(L, -2, i);
  }
  lua_insert(L, -2);
  lua_rawseti(L, -2, RULES);
  lua_setiuservalue(L, lua_upvalueindex(1), RECORD);
}

void bind_record_tape(lua_State *L) { push_record(L, TAPE); }

void bind_record_watch(lua_State *L, struct box *box) {
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "out");
  append(L);
  push_record(L, STORAGES);
  hold(L, lua_gettop(L), box, HELD);
  box->recorded = binding_of(L)->record;
  lua_pop(L, 1);
}
