/* strew_box.c: boxes, which own the tensors and groupings of scripts, and the binding that owns the boxes. */
#include "strew_bind.h"
#include "strew_lua.h"

#include <string.h>

/* Registry keys. The metatables are stored there too: of tensors under the binding's mark, of groupings under the
   address of its list of boxes. */
const char bind_key[] = "strew.binding", bind_module_key[] = "strew.module";
const char bind_expr_key[] = "strew.expr", bind_bound_key[] = "strew.bound";

enum { BOX_BYTES = 400 }; /* bytes of a tensor besides its elements, roughly */

/* ------------------------------------------------------------------------------------------------------------ boxes */

/* The handle of a tensor or a grouping. */
static struct handle *to_any_handle(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = lua_touserdata(L, i);
  if (!handle) return NULL;
  const size_t size = lua_rawlen(L, i);
  const bool is_handle = size == sizeof *handle || size == sizeof(struct grouping_handle);
  return is_handle && handle->mark == binding->mark ? handle : NULL;
}

struct box *bind_to_grouping(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = to_any_handle(L, binding, i);
  return handle && lua_rawlen(L, i) != sizeof *handle ? handle->box : NULL;
}

struct box *bind_to_any_box(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = to_any_handle(L, binding, i);
  return handle ? handle->box : NULL;
}

struct box *bind_to_box(lua_State *L, const struct binding *binding, int i) {
  struct handle *handle = lua_touserdata(L, i);
  return handle && lua_rawlen(L, i) == sizeof *handle && handle->mark == binding->mark ? handle->box : NULL;
}

strew_dtype bind_dtype_at(lua_State *L, const struct binding *binding, int i) {
  const struct box *box = bind_to_box(L, binding, i);
  return box && box->tensor ? strew_tensor_dtype(box->tensor) : STREW_DTYPE_END;
}

void bind_mark_input(lua_State *L, struct script_call *call, int i) {
  strew_expr_node node;
  const struct owner *owner = lua_touserdata(L, i) ? luaL_testudata(L, i, bind_expr_key) : NULL;
  const char *name = lua_tostring(L, i + 1);
  for (int k = 0; owner && name && strew_expr_node_at(owner->object.expr, k, &node); k++)
    if (!strcmp(node.op, "input") && !strcmp(strew_expr_input(owner->object.expr, node.which), name))
      strew_expr_mark(owner->object.expr, k, &call->error);
}

bool bind_is_bound(lua_State *L, int i) {
  return lua_touserdata(L, i) && lua_rawlen(L, i) == sizeof(struct owner) && luaL_testudata(L, i, bind_bound_key);
}

bool bind_note_bound(lua_State *L, struct script_call *call, int i) {
  const bool is_written = i == 1 && (call->form & INPLACE || call->row->forms & WRITES);
  if (!bind_is_bound(L, i)) return false;
  call->meets_bound = true;
  if (i < 1 || i > call->arguments || is_written) return false;
  call->error.code = STREW_EARGUMENT;
  call->error.message[0] = call->error.hint[0] = '\0';
  return true;
}

/* True if the value on top, at this key, is a bound expression that a call reads. */
bool bind_is_read(lua_State *L, int key) {
  return bind_is_bound(L, -1) && !(lua_type(L, key) == LUA_TSTRING && strcmp(lua_tostring(L, key), "out") == 0);
}

/* True if one of the first entries of the table at i is such. */
bool bind_has_bound(lua_State *L, int i) {
  enum { MOST_ENTRIES = 100 };
  int entries = 0;
  for (lua_pushnil(L); entries < MOST_ENTRIES && lua_next(L, i); lua_pop(L, 1), entries++)
    if (bind_is_read(L, -2)) return lua_pop(L, 2), true;
  if (entries == MOST_ENTRIES) lua_pop(L, 1);
  return false;
}

const char *bind_expr_text(lua_State *L, int i) {
  if (bind_is_bound(L, i)) return "a bound expression";
  return luaL_testudata(L, i, bind_expr_key) ? "an expression" : NULL;
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

/* Boxes are allocated in batches. Each batch keeps the earlier ones alive. */
static void make_boxes(lua_State *L, struct binding *binding) {
  enum { BATCH = 64 };
  struct box *boxes = lua_newuserdatauv(L, BATCH * sizeof *boxes, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, bind_key);
  lua_getiuservalue(L, -1, BOXES);
  lua_setiuservalue(L, -3, 1);
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, BOXES);
  lua_pop(L, 2);
  for (int i = 0; i < BATCH; i++) link_box(&boxes[i], &binding->free_boxes);
}

/* Fills the handle on top of the stack with an empty box. `key`: of its metatable. */
static struct box *fill_handle(lua_State *L, struct binding *binding, struct handle *handle, const void *key) {
  if (!binding->free_boxes) make_boxes(L, binding);
  struct box *box = binding->free_boxes;
  unlink_box(box);
  link_box(box, &binding->boxes);
  box->tensor = NULL;
  box->grouping = NULL;
  box->recorded = box->held = 0;
  *handle = (struct handle){binding->mark, box};
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_setmetatable(L, -2);
  binding->box_bytes += BOX_BYTES;
  return box;
}

struct box *bind_push_box(lua_State *L, struct binding *binding) {
  struct handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
  return fill_handle(L, binding, handle, binding->mark);
}

struct box *bind_push_grouping(lua_State *L, struct binding *binding) {
  struct grouping_handle *handle = lua_newuserdatauv(L, sizeof *handle, GROUPING_VALUES);
  return fill_handle(L, binding, &handle->handle, &binding->boxes);
}

void bind_set_grouping_metatable(lua_State *L, struct binding *binding) {
  lua_rawsetp(L, LUA_REGISTRYINDEX, &binding->boxes);
}

strew_tensor **bind_result(lua_State *L, struct script_call *call) {
  if (!(call->form & INPLACE)) return &bind_push_box(L, call->binding)->tensor;
  lua_pushvalue(L, 1);
  return &call->self;
}

static void empty_box(struct box *box) {
  strew_release(box->tensor);
  strew_grouping_release(box->grouping);
  box->tensor = NULL;
  box->grouping = NULL;
}

static struct handle *handle_argument(lua_State *L) {
  return to_any_handle(L, lua_touserdata(L, lua_upvalueindex(1)), 1);
}

static int close_box(lua_State *L) {
  struct handle *handle = handle_argument(L);
  const struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  if (handle && !bind_is_held(binding, handle->box)) empty_box(handle->box); /* else the collector does */
  return 0;
}

/* __gc: the handle goes away. */
static int collect_box(lua_State *L) {
  struct handle *handle = handle_argument(L);
  if (!handle) return 0;
  struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  empty_box(handle->box);
  unlink_box(handle->box);
  link_box(handle->box, &binding->free_boxes);
  *handle = (struct handle){NULL, NULL};
  return 0;
}

void bind_set_finalizers(lua_State *L, int binding) {
  const luaL_Reg ends[] = {{"__gc", collect_box}, {"__close", close_box}, {NULL, NULL}};
  lua_pushvalue(L, binding);
  luaL_setfuncs(L, ends, 1);
}

/* NULL: there is none. */
static struct binding *look_for_binding(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, bind_key);
  struct binding *binding = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return binding;
}

struct binding *bind_push_binding(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, bind_key);
  struct binding *binding = lua_touserdata(L, -1);
  if (!binding) luaL_error(L, "strew: the module was not opened in this Lua state");
  return binding;
}

static struct binding *find_binding(lua_State *L) {
  struct binding *binding = bind_push_binding(L);
  lua_pop(L, 1);
  return binding;
}

/* From Lua 5.4.6 on a stack grows without an emergency collection. */
void bind_stack(lua_State *L, int values) {
  if (lua_checkstack(L, values)) return;
  lua_gc(L, LUA_GCCOLLECT);
  luaL_checkstack(L, values, "too many values, or not enough memory");
}

strew_context *strew_context_of(lua_State *L) {
  bind_stack(L, 1);
  struct binding *binding = look_for_binding(L);
  return binding ? binding->context : NULL;
}

void strew_push(lua_State *L, strew_tensor *tensor) {
  bind_stack(L, 4);
  struct box *box = bind_push_box(L, find_binding(L)); /* it may raise an error: nothing is held yet */
  box->tensor = strew_retain(tensor);
}

strew_tensor *strew_check(lua_State *L, int index) {
  bind_stack(L, 2);
  struct box *box = bind_to_box(L, find_binding(L), index);
  if (!box) return luaL_typeerror(L, index, "tensor"), NULL;
  luaL_argcheck(L, box->tensor, index, "tensor was freed");
  return box->tensor;
}

/* Boxes are known by their metatable first: looking for the binding by its name could allocate the name. */
strew_tensor *strew_test(lua_State *L, int index) {
  const struct handle *handle = lua_touserdata(L, index);
  if (!handle || lua_rawlen(L, index) != sizeof *handle || !lua_checkstack(L, 2) || !lua_getmetatable(L, index))
    return NULL;
  bool is_box = lua_rawgetp(L, LUA_REGISTRYINDEX, handle->mark) == LUA_TTABLE && lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  const struct binding *binding = is_box ? look_for_binding(L) : NULL;
  return binding && binding->mark == handle->mark ? handle->box->tensor : NULL;
}

void strew_set_columns(lua_State *L, int (*columns)(void *user), void *user) {
  struct print_options *options = &find_binding(L)->print;
  options->columns = columns;
  options->user = user;
}

int bind_close(lua_State *L) {
  struct binding *binding = lua_touserdata(L, lua_upvalueindex(1));
  for (struct box *box = binding->boxes; box; box = box->next) empty_box(box);
  strew_context_release(binding->context);
  binding->context = NULL;
  return 0;
}
