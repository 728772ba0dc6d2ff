/* strew_tensor.c: properties of a tensor, single elements, copies, free. */
#include "strew_bind.h"

#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- described */

PUSH(dim, lua_pushinteger(a->L, strew_tensor_rank(a->self)))
PUSH(numel, lua_pushinteger(a->L, strew_tensor_numel(a->self)))
PUSH(is_contiguous, lua_pushboolean(a->L, strew_tensor_is_contiguous(a->self)))

enum { ASK_SIZE, ASK_STRIDE };

/* size([dim]): all sizes as multiple results, or the size of one dimension. */
static int per_dimension(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  const bool is_one = call->given[1] != 0;
  if (is_one && !bind_wrap_dim(call, a.self, &a.dim)) return -1;
  const int64_t *values = call->row->code == ASK_SIZE ? strew_tensor_sizes(a.self) : strew_tensor_strides(a.self);
  const int first = is_one ? a.dim : 0, count = is_one ? 1 : strew_tensor_rank(a.self);
  for (int d = first; d < first + count; d++) lua_pushinteger(L, values[d]);
  return count;
}

/* strew.type(x): like io.type and math.type, raises no error. */
static int type(lua_State *L, struct script_call *call) {
  if (call->arguments == 0) return bind_fail(call, STREW_EARGUMENT, "x", "is missing");
  if (bind_to_box(L, call->binding, 1))
    lua_pushliteral(L, "tensor");
  else
    lua_pushnil(L);
  return 1;
}

/* --------------------------------------------------------------------------------------------------------- elements */

void bind_note_read(lua_State *L, struct script_call *call, const strew_tensor *self) {
  enum { MANY = 1000 };
  struct binding *binding = call->binding;
  const strew_device *device = strew_tensor_device(self);
  bool is_counted = !binding->outer && binding->single_reads < MANY && device != strew_device_at(binding->context, 0);
  if (!is_counted || ++binding->single_reads < MANY) return;
  char message[300];
  snprintf(message, sizeof message,
           "%.60s: %d elements were read one by one from %.60s, which takes long; t:tolist() reads all at once",
           call->error.alias, MANY, strew_device_name(device));
  lua_warning(L, message, 0);
}

static strew_status push_element(struct arguments *a, strew_status status, strew_scalar element) {
  if (status != STREW_OK) return status;
  bind_note_read(a->L, a->call, a->self);
  return bind_push_element(a->L, a->call, a->self, element) ? STREW_OK : STREW_EVALUE;
}

static strew_status item(struct arguments *a) {
  strew_scalar element = strew_int(0);
  const strew_status status = strew_item(a->self, &element, a->error);
  return push_element(a, status, element);
}

static strew_status get(struct arguments *a) {
  strew_scalar element = strew_int(0);
  const strew_status status = strew_get(a->self, a->place.count, a->place.at, &element, a->error);
  return push_element(a, status, element);
}

/* set(t, i, j, ..., v): the value is the last argument. */
static int set(lua_State *L, struct script_call *call) {
  struct arguments a;
  strew_scalar value;
  int last = call->arguments;
  if (last < 2)
    return bind_fail(call, STREW_EARGUMENT, "value", "is missing, the arguments are (self, position..., value)");
  call->arguments--;
  bool is_read = bind_read(L, call, &a) && bind_element(L, call, last, "value", &value);
  call->arguments++;
  if (!is_read) return -1;
  return bind_end(strew_set(a.self, a.place.count, a.place.at, value, a.error), 0);
}

/* ----------------------------------------------------------------------------------------------------------- copies */

/* Fails for a word that is neither a dtype nor a device, as the one it was likely meant to be. The runtime's message
   about a device is kept if a device is likely: only device names have a colon, and "opencl" may be absent. */
static bool fail_target(struct script_call *call, const char *word) {
  strew_dtype dtype;
  strew_error device_error = call->error;
  if (strchr(word, ':') || strncmp(word, "opencl", 6) == 0) return false;
  strew_dtype_from_word(word, &dtype, &call->error);
  if (call->error.hint[0]) return false;
  if (device_error.hint[0])
    call->error = device_error;
  else
    bind_hint(call, "not a device either; strew.devices() lists them");
  return false;
}

struct target {
  strew_device *device; /* NULL: unchanged */
  int dtype;            /* -1: unchanged */
};

/* Reads a word as a dtype or as a device. */
static bool read_target(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct target *target = out;
  const char *word;
  strew_dtype dtype;
  if (!bind_string(L, call, i, name, &word)) return false;
  if (strew_dtype_from_word(word, &dtype, NULL) == STREW_OK)
    target->dtype = dtype;
  else if (strew_device_find(call->binding->context, word, &target->device, &call->error) != STREW_OK)
    return fail_target(call, word);
  return true;
}

static int to(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  struct target target = {NULL, -1};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dtype or device", UNNAMED, read_target, &target},
                                         {"device or dtype", UNNAMED, read_target, &target},
                                         {"dtype", KEYED, bind_wanted_dtype, &target.dtype},
                                         {"device", KEYED, bind_device, &target.device},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (!target.device && target.dtype < 0)
    return bind_fail(call, STREW_EARGUMENT, NULL, "no arguments, expected a dtype or a device");
  if (!target.device) target.device = strew_tensor_device(self);
  if (target.dtype < 0) target.dtype = strew_tensor_dtype(self);
  return bind_end(strew_to(self, target.device, (strew_dtype)target.dtype, out, &call->error), 1);
}

RUN(clone, strew_clone, a->self)
RUN(contiguous, strew_contiguous, a->self)
RUN(codes, strew_text_codes, a->self)

/* Makes the destination of copy, fill and zero: self, or a copy of it in *out. */
static strew_status make_destination(struct arguments *a) {
  return a->call->form & INPLACE ? STREW_OK : strew_clone(a->self, a->out, a->error);
}

static strew_status copy(struct arguments *a) {
  const strew_status status = make_destination(a);
  if (status != STREW_OK) return status;
  if (a->copied.tensor) return strew_copy(*a->out, a->copied.tensor, a->error);
  return strew_fill(*a->out, a->copied.number, a->error);
}

static strew_status fill(struct arguments *a) {
  const strew_status status = make_destination(a);
  return status == STREW_OK ? strew_fill(*a->out, a->element, a->error) : status;
}

static strew_status zero(struct arguments *a) {
  a->element = strew_tensor_dtype(a->self) == STREW_TEXT ? strew_string("") : strew_int(0);
  return fill(a);
}

static int free_self(lua_State *L, struct script_call *call) {
  struct arguments a;
  strew_tensor *self;
  if (!bind_read(L, call, &a) || !bind_push_self(L, call, &self)) return -1;
  struct box *box = bind_to_box(L, call->binding, -1);
  if (!bind_may_free(call, box)) return -1;
  strew_release(self);
  box->tensor = NULL;
  return 0;
}

#define SELF "self:tensor"

const struct script_function bind_tensor_rows[] = {
    {"type", type, 0, FUNCTION | CONSTANT},
    {"dim", bind_values, 0, ALWAYS | CONSTANT, SELF, dim},
    {"numel", bind_values, 0, ALWAYS | CONSTANT, SELF, numel},
    {"is_contiguous", bind_values, 0, ALWAYS | CONSTANT, SELF, is_contiguous},
    {"size", per_dimension, ASK_SIZE, ALWAYS | CONSTANT, SELF " dim?dim"},
    {"stride", per_dimension, ASK_STRIDE, ALWAYS | CONSTANT, SELF " dim?dim"},
    {"item", bind_values, 0, ALWAYS, SELF, item},
    {"get", bind_values, 0, ALWAYS, SELF " position*", get},
    {"set", set, 0, ALWAYS | WRITES, SELF " position*"},
    {"to", to, 0, ALWAYS},
    {"clone", bind_one, 0, ALWAYS, SELF, clone},
    {"codes", bind_one, 0, ALWAYS | CONSTANT, SELF, codes},
    {"contiguous", bind_one, 0, ALWAYS, SELF, contiguous},
    {"copy", bind_one, 0, EVERY, SELF " src:copied", copy},
    {"fill", bind_one, 0, EVERY | CONSTANT, SELF " value:element", fill},
    {"zero", bind_one, 0, EVERY | CONSTANT, SELF, zero},
    {"free", free_self, 0, ALWAYS | CONSTANT, SELF},
    {NULL},
};
