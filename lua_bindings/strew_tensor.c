/* strew_tensor.c: properties of a tensor, single elements, copies, free. */
#include "strew_bind.h"

#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- described */

enum { ASK_DIM, ASK_NUMEL, ASK_CONTIGUOUS };

static int ask(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  switch (call->row->code) {
  case ASK_DIM: lua_pushinteger(L, strew_tensor_rank(self)); break;
  case ASK_NUMEL: lua_pushinteger(L, strew_tensor_numel(self)); break;
  default: lua_pushboolean(L, strew_tensor_is_contiguous(self));
  }
  return 1;
}

enum { ASK_SIZE, ASK_STRIDE };

/* An optional dimension. */
struct given_dim {
  bool is_given;
  int dim;
};

static bool read_given_dim(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct given_dim *given = out;
  return given->is_given = bind_dim(L, call, i, name, &given->dim);
}

/* size([dim]): all sizes as multiple results, or the size of one dimension. */
static int per_dimension(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  struct given_dim one = {false, 0};
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"dim", OPTIONAL, read_given_dim, &one}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (one.is_given && !bind_wrap_dim(call, self, &one.dim)) return -1;
  const int64_t *values = call->row->code == ASK_SIZE ? strew_tensor_sizes(self) : strew_tensor_strides(self);
  const int first = one.dim, count = one.is_given ? 1 : strew_tensor_rank(self);
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

static int item(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  strew_scalar element;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || strew_item(self, &element, &call->error) != STREW_OK) return -1;
  bind_note_read(L, call, self);
  bind_push_scalar(L, element);
  return 1;
}

static int get(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  struct list position = {0};
  strew_scalar element;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"position", REST, bind_list, &position}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) ||
      strew_get(self, position.count, position.at, &element, &call->error) != STREW_OK)
    return -1;
  bind_note_read(L, call, self);
  bind_push_scalar(L, element);
  return 1;
}

/* set(t, i, j, ..., v): the value is the last argument. */
static int set(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  struct list position = {0};
  strew_scalar value;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"position", REST, bind_list, &position}, LAST_PARAMETER};
  int last = call->arguments;
  if (last < 2)
    return bind_fail(call, STREW_EARGUMENT, "value", "is missing, the arguments are (self, position..., value)");
  call->arguments--;
  bool is_read = bind_arguments(L, call, parameters) && bind_scalar(L, call, last, "value", &value);
  call->arguments++;
  if (!is_read) return -1;
  return bind_end(strew_set(self, position.count, position.at, value, &call->error), 0);
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

enum { COPY_CLONE, COPY_CONTIGUOUS };

static int copy_self(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (call->row->code == COPY_CLONE) return bind_end(strew_clone(self, out, &call->error), 1);
  return bind_end(strew_contiguous(self, out, &call->error), 1);
}

/* Makes the destination of copy, fill and zero: self, or a copy of it in *out. */
static bool make_destination(struct script_call *call, strew_tensor *self, strew_tensor **out) {
  return call->form & INPLACE || strew_clone(self, out, &call->error) == STREW_OK;
}

static int copy(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *src;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"src", REQUIRED, bind_tensor, &src}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !make_destination(call, self, out)) return -1;
  return bind_end(strew_copy(*out, src, &call->error), 1);
}

static int fill(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  strew_scalar value = strew_int(0);
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"value", REQUIRED, bind_scalar, &value}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !make_destination(call, self, out)) return -1;
  return bind_end(strew_fill(*out, value, &call->error), 1);
}

static int zero(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !make_destination(call, self, out)) return -1;
  return bind_end(strew_fill(*out, strew_int(0), &call->error), 1);
}

static int free_self(lua_State *L, struct script_call *call) {
  struct kept self = bind_push_kept(L);
  const struct parameter parameters[] = {{"self", REQUIRED, bind_kept, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  struct box *box = bind_to_box(L, call->binding, self.slot);
  if (!bind_may_free(call, box)) return -1;
  strew_release(self.tensor);
  box->tensor = NULL;
  return 0;
}

const struct script_function bind_tensor_rows[] = {
    {"type", type, 0, FUNCTION},
    {"dim", ask, ASK_DIM, ALWAYS},
    {"numel", ask, ASK_NUMEL, ALWAYS},
    {"is_contiguous", ask, ASK_CONTIGUOUS, ALWAYS},
    {"size", per_dimension, ASK_SIZE, ALWAYS},
    {"stride", per_dimension, ASK_STRIDE, ALWAYS},
    {"item", item, 0, ALWAYS},
    {"get", get, 0, ALWAYS},
    {"set", set, 0, ALWAYS | WRITES},
    {"to", to, 0, ALWAYS},
    {"clone", copy_self, COPY_CLONE, ALWAYS},
    {"contiguous", copy_self, COPY_CONTIGUOUS, ALWAYS},
    {"copy", copy, 0, EVERY},
    {"fill", fill, 0, EVERY},
    {"zero", zero, 0, EVERY},
    {"free", free_self, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
