/* strew_subscript.c: t.name, t[i], t[mask], t[index], their assignment, #t, and the operators, calls and pairs that
   tensors cannot support. */
#include "strew_bind.h"

#include <string.h>

static const char *const property_names[] = {"shape", "dtype", "device", "words"};

/* Returns the property of that name, or NULL. */
static const char *property_of(const char *name) {
  for (size_t i = 0; i < sizeof property_names / sizeof *property_names; i++)
    if (strcmp(name, property_names[i]) == 0) return property_names[i];
  return NULL;
}

/* Pushes the sequence of a text's words. A finalizer may free the text, whose box is at position 1. */
static bool push_words(lua_State *L, const struct box *box) {
  const int64_t count = strew_word_count(box->tensor);
  if (count < 0) return false;
  lua_createtable(L, (int)count, 0);
  for (int64_t i = 0; i < count && box->tensor; i++) {
    bind_push_word(L, box->tensor, i);
    lua_rawseti(L, -2, i + 1);
  }
  return true;
}

static bool push_property(lua_State *L, const struct box *box, const char *name) {
  const strew_tensor *self = box->tensor;
  if (strcmp(name, "shape") == 0)
    bind_push_sizes(L, strew_tensor_rank(self), strew_tensor_sizes(self));
  else if (strcmp(name, "dtype") == 0)
    lua_pushstring(L, strew_dtype_name(strew_tensor_dtype(self)));
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, strew_device_name(strew_tensor_device(self)));
  else
    return strcmp(name, "words") == 0 && push_words(L, box);
  return true;
}

/* Fails for an unknown name, with the nearest method or property. */
static int fail_field(lua_State *L, struct script_call *call, const char *name) {
  strew_guess guess = {.wanted = name};
  for (size_t i = 0; i < sizeof property_names / sizeof *property_names; i++)
    strew_guess_name(&guess, property_names[i]);
  bind_guess_keys(L, lua_upvalueindex(METHODS_UPVALUE), &guess);
  return bind_fail_name(L, call, "tensor", &guess);
}

/* --------------------------------------------------------------------------------------------------------- position */

static bool read_position(lua_State *L, struct script_call *call, int64_t *position) {
  if (bind_integer(L, call, 2, "position", position)) return true;
  if (lua_istable(L, 2)) bind_hint(call, "t[i][j], or t:get(i, j)");
  return false;
}

/* Off-by-one errors usually come from loops written for Lua tables: this hint replaces a more general one. */
static int fail_position(struct script_call *call, const strew_tensor *self, int64_t position) {
  if (call->error.code != STREW_EINDEX || !strew_tensor_rank(self) || position != strew_tensor_sizes(self)[0])
    return -1;
  return strew_error_hint(&call->error, "positions count from 0: for i = 0, #t - 1"), -1;
}

static int get_position(lua_State *L, struct script_call *call) {
  strew_tensor **out = NULL, *self;
  int64_t position;
  strew_scalar element;
  if (!bind_tensor(L, call, 1, "self", &self) || !read_position(L, call, &position)) return -1;
  if (strew_tensor_rank(self) == 1) {
    if (strew_get(self, 1, &position, &element, &call->error) != STREW_OK) return fail_position(call, self, position);
    bind_note_read(L, call, self);
    return bind_push_element(L, call, self, element) ? 1 : -1;
  }
  out = bind_result(L, call);
  if (!bind_tensor(L, call, 1, "self", &self)) return -1; /* read again: see strew_bind.h */
  if (strew_select(self, 0, position, out, &call->error) != STREW_OK) return fail_position(call, self, position);
  return 1;
}

/* t[index] and t[mask] */
static int get_rows(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index;
  if (!bind_tensor(L, call, 1, "self", &self) || !bind_tensor(L, call, 2, "index", &index)) return -1;
  return bind_end(strew_get_rows(self, index, out, &call->error), 1);
}

/* t[{i, j}] */
static int get_at(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  struct entries indices;
  if (!bind_tensor(L, call, 1, "self", &self) || !bind_entries(L, call, 2, "indices", &indices)) return -1;
  return bind_end(strew_index_get(self, indices.count, indices.at, NULL, out, &call->error), 1);
}

/* True if the key is a sequence that begins with a tensor: t[{i, j}] */
static bool has_indices(lua_State *L, struct script_call *call) {
  if (!lua_istable(L, 2)) return false;
  lua_rawgeti(L, 2, 1);
  const bool is_tensor = bind_to_box(L, call->binding, lua_gettop(L)) != NULL;
  bind_note_bound(L, call, -1);
  return lua_pop(L, 1), is_tensor;
}

static int get_field(lua_State *L, struct script_call *call) {
  if (bind_to_box(L, call->binding, 2)) return get_rows(L, call);
  if (has_indices(L, call)) return get_at(L, call);
  if (lua_type(L, 2) != LUA_TSTRING) return get_position(L, call);
  strew_tensor *self;
  const char *name = lua_tostring(L, 2), *property = property_of(name);
  if (property) call->error.alias = property; /* self was freed */
  return bind_tensor(L, call, 1, "self", &self) ? fail_field(L, call, name) : -1;
}

/* Properties of tensors are no calls: composed ones read several. */
int bind_get_method_or_field(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(METHODS_UPVALUE)) != LUA_TNIL) return 1;
    lua_pop(L, 1);
    const struct box *box = bind_to_box(L, lua_touserdata(L, lua_upvalueindex(1)), 1);
    if (box && box->tensor && push_property(L, box, lua_tostring(L, 2))) return 1;
  }
  return bind_dispatch(L);
}

/* t[index] = v and t[mask] = v */
static int set_rows(lua_State *L, struct script_call *call, strew_tensor *self) {
  strew_tensor *index;
  strew_operand value;
  if (!bind_tensor(L, call, 2, "index", &index) || !bind_comparand(L, call, 3, "value", &value)) return -1;
  return bind_end(strew_set_rows(self, index, value, &call->error), 0);
}

/* t[{i, j}] = v */
static int set_at(lua_State *L, struct script_call *call, strew_tensor *self) {
  struct entries indices;
  strew_operand value;
  if (!bind_entries(L, call, 2, "indices", &indices) || !bind_comparand(L, call, 3, "value", &value)) return -1;
  return bind_end(strew_index_put(self, indices.count, indices.at, value, NULL, &self, &call->error), 0);
}

static int set_field(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  strew_operand value;
  int64_t position;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  if (bind_to_box(L, call->binding, 2)) return set_rows(L, call, self);
  if (has_indices(L, call)) return set_at(L, call, self);
  if (lua_type(L, 2) == LUA_TSTRING)
    return bind_fail(call, STREW_EARGUMENT, NULL, "'%.60s' cannot be set, only elements can", lua_tostring(L, 2));
  if (!read_position(L, call, &position) || !bind_comparand(L, call, 3, "value", &value)) return -1;
  const bool is_element = !value.tensor && value.number.dtype != STREW_STRING && strew_tensor_rank(self) == 1;
  const strew_status status = is_element ? strew_set(self, 1, &position, value.number, &call->error)
                                         : strew_set_row(self, position, value, &call->error);
  return status == STREW_OK ? 0 : fail_position(call, self, position);
}

static int length(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  if (strew_tensor_rank(self) == 0)
    return bind_fail(call, STREW_ESHAPE, "self", "has no dimension, # is the size of dimension 0");
  lua_pushinteger(L, strew_tensor_sizes(self)[0]);
  return 1;
}

/* Lua converts the results of __lt and __le to one boolean. It turns t >= 5 round to 5 <= t, which is less common. */
static int no_order(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  const bool is_lt = call->row->code == STREW_LT, is_turned = !bind_to_box(L, call->binding, 1) && !bind_is_bound(L, 1);
  if (is_turned) call->error.alias = is_lt ? ">" : ">=";
  bind_fail(call, STREW_EARGUMENT, NULL, "gives one boolean in Lua, and cannot compare tensors");
  if (lua_type(L, is_turned ? 1 : 2) != LUA_TNUMBER) return bind_hint(call, is_lt ? "a:lt(b)" : "a:le(b)");
  return bind_hint(call, "t:%s(%s)", is_turned ? (is_lt ? "gt" : "ge") : (is_lt ? "lt" : "le"),
                   bind_text(L, call, is_turned ? 1 : 2, text));
}

/* Lua calls what follows `in`. */
static int no_call(lua_State *L, struct script_call *call) {
  lua_Debug here;
  bind_fail(call, STREW_EARGUMENT, NULL, "a tensor is not a function");
  const bool is_loop =
      lua_getstack(L, 0, &here) && lua_getinfo(L, "n", &here) && !strcmp(here.namewhat, "for iterator");
  if (is_loop) return bind_hint(call, "for i = 0, #t - 1 do, or for _, value in ipairs(t:tolist()) do");
  return bind_hint(call,
                   bind_is_bound(L, 1) ? "e has its inputs; f(inputs) takes others" : "t[i] is an element, or a row");
}

enum { NO_TEXT, NO_KEYS };
static const struct {
  const char *fact, *hint;
} refusals[] = {{.fact = "joins strings and numbers, a tensor is neither",
                 .hint = "tostring(t) is its text, t:item() the number of a tensor with just one"},
                {.fact = "tensors have positions, not keys",
                 .hint = "for i = 0, #t - 1 goes through them, pairs(t:tolist()) through a table's"}};

static int refuse(lua_State *L, struct script_call *call) {
  bind_fail(call, STREW_EARGUMENT, NULL, "%s", refusals[call->row->code].fact);
  if (bind_hint_text(L, call)) return -1;
  return bind_hint(call, "%s", refusals[call->row->code].hint);
}

/* Named as scripts write them. */
static const struct {
  const char *event;
  struct script_function row;
} metamethods[] = {{"__newindex", {"t[i] = v", set_field, 0, FUNCTION | WRITES}},
                   {"__len", {"#t", length, 0, FUNCTION | CONSTANT}},
                   {"__concat", {"..", refuse, NO_TEXT, FUNCTION | CONSTANT}},
                   {"__pairs", {"pairs", refuse, NO_KEYS, FUNCTION | CONSTANT}},
                   {"__call", {"t()", no_call, 0, FUNCTION | WRITES}},
                   {"__lt", {"<", no_order, STREW_LT, FUNCTION | CONSTANT}},
                   {"__le", {"<=", no_order, STREW_LE, FUNCTION | CONSTANT}}};
static const struct script_function index_row = {"t[i]", get_field, 0, FUNCTION};

void bind_index_metamethods(lua_State *L, int binding, int methods) {
  for (size_t i = 0; i < sizeof metamethods / sizeof *metamethods; i++)
    bind_set_event(L, binding, metamethods[i].event, &metamethods[i].row);
  bind_push_upvalues(L, binding, &index_row, index_row.name, index_row.forms);
  lua_pushvalue(L, methods);
  lua_pushcclosure(L, bind_get_method_or_field, METHODS_UPVALUE);
  lua_setfield(L, -2, "__index");
}
