/* strew_exact_sums.c: strew.exact_sums, a userdata. */
#include "lua_bindings/core/strew_bind.h"

#include <string.h>

static void release(union owned object) { strew_exact_sums_release(object.exact); }

static const struct script_function field_row, text_row;
static const struct owner_type exact_sums = {
    "strew.exact_sums", "exact_sums", release, {{"__index", &field_row}, {"__tostring", &text_row}}};

/* The sums that are argument i; NULL: call->error is filled. */
static strew_exact_sums *read_sums(lua_State *L, struct script_call *call, int i, const char *name) {
  const struct owner *owner = bind_owner_at(L, i, &exact_sums);
  if (owner && owner->object.any) return owner->object.exact;
  if (owner) return bind_fail(call, STREW_EFREED, name, "was closed"), NULL;
  return bind_fail_type(L, call, i, name, "exact sums"), NULL;
}
static strew_exact_sums *read_self(lua_State *L, struct script_call *call) {
  strew_exact_sums *self = read_sums(L, call, 1, "self");
  if (!self && !bind_owner_at(L, 1, &exact_sums)) bind_hint(call, "use : to call a method: e:sum()");
  return self;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

/* Returns self. */
static int end_in_place(lua_State *L, strew_status status) {
  lua_pushvalue(L, 1);
  return bind_end(status, 1);
}

/* The index of add: a tensor, a grouping, or a number, which becomes a tensor in `box`. */
static bool read_index(lua_State *L, struct script_call *call, struct box *box, strew_groups *groups) {
  int64_t number;
  *groups = strew_by_index(NULL);
  bind_push_given(L, call, 2, "index");
  if (lua_isnil(L, -1)) return true;
  if (lua_type(L, -1) != LUA_TNUMBER) return bind_index(L, call, lua_gettop(L), "index", groups);
  if (!bind_integer(L, call, lua_gettop(L), "index", &number)) return false;
  strew_device *cpu = NULL;
  if (strew_device_find(call->binding->context, "cpu", &cpu, &call->error) != STREW_OK) return false;
  const strew_status status = strew_full(cpu, STREW_INT64, 0, NULL, strew_int(number), &box->tensor, &call->error);
  groups->index = box->tensor;
  return status == STREW_OK;
}

/* A number to add, as a tensor in `box`, and a number as the index, beside the other one. */
static bool make_tensors(struct script_call *call, struct arguments *a, strew_groups *groups, struct box *boxes[2]) {
  strew_device *device = NULL;
  const strew_scalar number = a->source_operand.number;
  if (a->source_operand.tensor && boxes[1]->tensor) {
    strew_tensor *there = NULL;
    device = strew_tensor_device(a->source_operand.tensor);
    if (strew_to(boxes[1]->tensor, device, STREW_INT64, &there, a->error) != STREW_OK) return false;
    strew_release(boxes[1]->tensor);
    groups->index = boxes[1]->tensor = there;
  }
  if (a->source_operand.tensor) return true;
  if (groups->grouping || groups->index)
    device = groups->grouping ? strew_grouping_device(groups->grouping) : strew_tensor_device(groups->index);
  else if (strew_device_find(call->binding->context, "cpu", &device, a->error) != STREW_OK)
    return false;
  return strew_full(device, number.dtype, 0, NULL, number, &boxes[0]->tensor, a->error) == STREW_OK;
}

/* add(src [, index] [, {mode, skip_nan}]) */
static int add(lua_State *L, struct script_call *call) {
  struct arguments a;
  struct box *boxes[] = {bind_push_box(L, call->binding), bind_push_box(L, call->binding)};
  if (!bind_read(L, call, &a) || !read_index(L, call, boxes[1], &a.groups)) return -1;
  strew_exact_sums *self = read_self(L, call); /* no Lua code runs from here on */
  if (!self || !make_tensors(call, &a, &a.groups, boxes)) return -1;
  a.src = a.source_operand.tensor ? a.source_operand.tensor : boxes[0]->tensor;
  a.dim_size = -1;
  if (!bind_check_grouping(&a)) return -1;
  const strew_exact_sums_add_options options = {.mode = a.mode, .skip_nan = a.skip_nan};
  return end_in_place(L, strew_exact_sums_add(self, a.src, a.groups, &options, a.error));
}

static int merge(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  bind_push_given(L, call, 1, "other");
  strew_exact_sums *self = read_self(L, call), *other = NULL;
  if (!self || !(other = read_sums(L, call, lua_gettop(L), "other"))) return -1;
  return end_in_place(L, strew_exact_sums_merge(self, other, a.index, a.error));
}

/* sum, mean, var, std, count: the row's code. */
static int result(lua_State *L, struct script_call *call) {
  struct arguments a;
  strew_exact_sums *self = NULL;
  struct box *box = bind_push_box(L, call->binding);
  const int top = lua_gettop(L);
  const strew_group_reduction what = (strew_group_reduction)call->row->code;
  a.unbiased = true, a.correction = 1, a.dtype = -1; /* count lacks them */
  if (!bind_read(L, call, &a) || !bind_check_correction(L, call, &a) || !(self = read_self(L, call))) return -1;
  lua_settop(L, top); /* drops what reading the options pushed */
  const strew_dtype dtype = (strew_dtype)a.dtype;
  const strew_exact_sums_result_options options = {.dtype = a.dtype < 0 ? NULL : &dtype,
                                                   .correction = a.correction == 1 ? NULL : &a.correction};
  return bind_end(strew_exact_sums_result(self, what, &options, &box->tensor, a.error), 1);
}

static int state(lua_State *L, struct script_call *call) {
  struct arguments a;
  strew_exact_sums *self = NULL;
  struct box *box = bind_push_box(L, call->binding);
  if (!bind_read(L, call, &a) || !(self = read_self(L, call))) return -1;
  return bind_end(strew_exact_sums_state(self, &box->tensor, a.error), 1);
}

#define SPREAD "self:any correction=number(1) unbiased=boolean(true) dtype=dtype"
static const struct script_function methods[] = {
    {"add", add, 0, FUNCTION | CONSTANT, "self:any src:operand index?any mode=mode skip_nan=boolean(false)"},
    {"merge", merge, 0, FUNCTION | CONSTANT, "self:any other:any index?tensor"},
    {"sum", result, STREW_GROUP_SUM, FUNCTION | CONSTANT, "self:any dtype=dtype"},
    {"mean", result, STREW_GROUP_MEAN, FUNCTION | CONSTANT, "self:any dtype=dtype"},
    {"var", result, STREW_GROUP_VAR, FUNCTION | CONSTANT, SPREAD},
    {"std", result, STREW_GROUP_STD, FUNCTION | CONSTANT, SPREAD},
    {"count", result, STREW_GROUP_COUNT, FUNCTION | CONSTANT, "self:any"},
    {"state", state, 0, FUNCTION | CONSTANT, "self:any"},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* ----------------------------------------------------------------------------------------------------------- fields */

/* e.n, e.dtype, e.device, e.squares, and methods */
static int field(lua_State *L, struct script_call *call) {
  static const char *const names[] = {"n", "dtype", "device", "squares"};
  char text[TEXT_BYTES];
  strew_exact_sums_description its;
  strew_exact_sums *self = read_self(L, call);
  if (!self) return -1;
  strew_exact_sums_describe(self, &its);
  strew_guess guess = {.wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : bind_text(L, call, 2, text)};
  for (int i = 0; i < METHODS; i++)
    if (strcmp(guess.wanted, methods[i].name) == 0) return bind_push_kept(L, &methods[i], FUNCTION), 1;
  if (strcmp(guess.wanted, "n") == 0) return lua_pushinteger(L, its.n), 1;
  if (strcmp(guess.wanted, "dtype") == 0) return lua_pushstring(L, strew_dtype_name(its.dtype)), 1;
  if (strcmp(guess.wanted, "device") == 0) return lua_pushstring(L, strew_device_name(its.device)), 1;
  if (strcmp(guess.wanted, "squares") == 0) return lua_pushboolean(L, its.squares), 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) strew_guess_name(&guess, names[i]);
  for (int i = 0; i < METHODS; i++) strew_guess_name(&guess, methods[i].name);
  return bind_fail_name(L, call, "exact sums", &guess);
}

static int to_string(lua_State *L, struct script_call *call) {
  const struct owner *owner = bind_to_owner(L, &exact_sums);
  strew_exact_sums_description its;
  (void)call;
  if (!owner || !owner->object.any) return lua_pushliteral(L, "exact sums (closed)"), 1;
  strew_exact_sums_describe(owner->object.exact, &its);
  lua_pushfstring(L, "exact sums: %I of %s, %s%s", (LUAI_UACINT)its.n, strew_dtype_name(its.dtype),
                  strew_device_name(its.device), its.squares ? ", with squares" : "");
  return 1;
}

static const struct script_function field_row = {"exact_sums[name]", field, 0, FUNCTION},
                                    text_row = {"tostring", to_string, 0, FUNCTION};

/* --------------------------------------------------------------------------------------------------------- creation */

/* exact_sums(n [, {dtype, device, squares}]), exact_sums(state [, {device}]) */
static int create(lua_State *L, struct script_call *call) {
  struct arguments a;
  struct owner *owner = bind_push_owner(L, &exact_sums);
  const int top = lua_gettop(L);
  if (bind_to_box(L, call->binding, 1)) {
    if (!bind_read_as(L, call, "data:tensor device=device", &a)) return -1;
    lua_settop(L, top); /* drops what reading the options pushed */
    if (!a.device) a.device = strew_tensor_device(a.data);
    return bind_end(strew_exact_sums_from_state(a.data, a.device, &owner->object.exact, &call->error), 1);
  }
  if (!bind_read(L, call, &a)) return -1;
  lua_settop(L, top);
  if (!a.device) a.device = call->binding->device;
  const strew_dtype dtype = (strew_dtype)a.dtype;
  const strew_exact_sums_options options = {.dtype = a.dtype < 0 ? NULL : &dtype, .squares = a.squares};
  return bind_end(strew_exact_sums_create(a.device, a.n, &options, &owner->object.exact, &call->error), 1);
}

const struct script_function bind_exact_rows[] = {
    {"exact_sums", create, 0, FUNCTION | CONSTANT, "n:integer dtype=dtype device=device squares=boolean(false)"},
    {NULL},
};
