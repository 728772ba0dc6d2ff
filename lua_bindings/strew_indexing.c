/* strew_indexing.c: reading and writing at the positions that an index, several indices, coordinates or a mask name. */
#include "strew_bind.h"

#include <limits.h>

enum { NO_DIM = INT_MIN };

/* index_add(dim, index, source [, {alpha, mode}]) */
static int index_add(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index, *source;
  int dim;
  strew_scalar alpha = strew_int(1);
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"index", REQUIRED, bind_tensor, &index},
                                         {"source", REQUIRED, bind_tensor, &source},
                                         {"alpha", KEYED, bind_scalar, &alpha},
                                         {"mode", KEYED, bind_mode, &mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_index_add(self, dim, index, source, alpha, mode, out, &call->error), 1);
}

/* index_copy(dim, index, source [, {mode}]) */
static int index_copy(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index, *source;
  int dim;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self},   {"dim", REQUIRED, bind_dim, &dim},
      {"index", REQUIRED, bind_tensor, &index}, {"source", REQUIRED, bind_tensor, &source},
      {"mode", KEYED, bind_mode, &mode},        LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_index_copy(self, dim, index, source, mode, out, &call->error), 1);
}

/* index_fill(dim, index, value [, {mode}]) */
static int index_fill(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index;
  int dim;
  strew_operand value;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self},   {"dim", REQUIRED, bind_dim, &dim},
      {"index", REQUIRED, bind_tensor, &index}, {"value", REQUIRED, bind_operand, &value},
      {"mode", KEYED, bind_mode, &mode},        LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_index_fill(self, dim, index, value, mode, out, &call->error), 1);
}

/* index_reduce(dim, index, source, reduce [, {include_self, mode}]) */
static int index_reduce(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index, *source;
  int dim;
  bool include_self = true;
  strew_scatter_options options = {.mode = STREW_ERROR};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"index", REQUIRED, bind_tensor, &index},
                                         {"source", REQUIRED, bind_tensor, &source},
                                         {"reduce", REQUIRED, bind_reduction, &options.reduction},
                                         {"include_self", KEYED, bind_boolean, &include_self},
                                         {"mode", KEYED, bind_mode, &options.mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  options.exclude_self = !include_self;
  return bind_end(strew_index_reduce(self, dim, index, source, &options, out, &call->error), 1);
}

/* ----------------------------------------------------------------------------------------------- several dimensions */

/* Entries of the table of indices; it keeps them alive. One more than can be right. */
struct entries {
  int count;
  strew_tensor *at[STREW_MAX_RANK + 1];
};

static bool read_entries(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct entries *entries = out;
  char text[TEXT_BYTES];
  int position;
  if (!bind_table(L, call, i, name, &position)) return false;
  lua_Unsigned count = lua_rawlen(L, i);
  for (entries->count = 0; entries->count <= STREW_MAX_RANK && (lua_Unsigned)entries->count < count; lua_pop(L, 1)) {
    const int k = ++entries->count;
    lua_rawgeti(L, i, k);
    struct box *box = bind_to_box(L, call->binding, -1);
    if (!box)
      return bind_fail(call, STREW_EARGUMENT, name, "holds %s at [%d], expected a tensor",
                       bind_text(L, call, lua_gettop(L), text), k) > 0;
    if (!box->tensor) return bind_fail(call, STREW_EFREED, name, "holds a tensor at [%d] that was freed", k) > 0;
    entries->at[k - 1] = box->tensor;
  }
  if (!bind_stray_key(L, i, count)) return true;
  return bind_fail(call, STREW_EARGUMENT, name, "has key %s, expected a sequence of tensors",
                   bind_text(L, call, lua_gettop(L), text)) > 0;
}

/* index_put(indices, values [, {accumulate, mode}]) */
static int index_put(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  struct entries indices;
  strew_operand values;
  bool accumulates = false;
  strew_scatter_options options = {.mode = STREW_ERROR};
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self},      {"indices", REQUIRED, read_entries, &indices},
      {"values", REQUIRED, bind_operand, &values}, {"accumulate", KEYED, bind_boolean, &accumulates},
      {"mode", KEYED, bind_mode, &options.mode},   LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  options.reduction = accumulates ? STREW_SUM : STREW_ASSIGN;
  return bind_end(strew_index_put(self, indices.count, indices.at, values, &options, out, &call->error), 1);
}

/* take(index [, {mode}]) */
static int take(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"index", REQUIRED, bind_tensor, &index},
                                         {"mode", KEYED, bind_mode, &mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_take(self, index, mode, out, &call->error), 1);
}

/* put(index, source [, {accumulate, mode}]) */
static int put(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index, *source;
  bool accumulates = false;
  strew_scatter_options options = {.mode = STREW_ERROR};
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self},     {"index", REQUIRED, bind_tensor, &index},
      {"source", REQUIRED, bind_tensor, &source}, {"accumulate", KEYED, bind_boolean, &accumulates},
      {"mode", KEYED, bind_mode, &options.mode},  LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  options.reduction = accumulates ? STREW_SUM : STREW_ASSIGN;
  return bind_end(strew_put(self, index, source, &options, out, &call->error), 1);
}

/* take_along_dim(index [, dim [, {mode}]]); without dim along the flattened tensors */
static int take_along_dim(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index;
  int dim = NO_DIM;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"index", REQUIRED, bind_tensor, &index},
                                         {"dim", OPTIONAL, bind_dim, &dim},
                                         {"mode", KEYED, bind_mode, &mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (dim != NO_DIM) return bind_end(strew_take_along_dim(self, dim, index, mode, out, &call->error), 1);
  strew_tensor *taken = NULL;
  strew_status status = strew_take(self, index, mode, &taken, &call->error);
  if (status == STREW_OK) status = strew_flatten(taken, 0, -1, out, &call->error);
  strew_release(taken);
  return bind_end(status, 1);
}

/* scatter_nd(indices, updates, shape [, {mode, reduce}]): of zeros */
static int scatter_nd_new(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *indices, *updates;
  struct list shape;
  strew_scatter_options options = {.reduction = STREW_SUM};
  const struct parameter parameters[] = {{"indices", REQUIRED, bind_tensor, &indices},
                                         {"updates", REQUIRED, bind_tensor, &updates},
                                         {"shape", REQUIRED, bind_list, &shape},
                                         {"mode", KEYED, bind_mode, &options.mode},
                                         {"reduce", KEYED, bind_reduction, &options.reduction},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_scatter_nd_new(shape.count, shape.at, indices, updates, &options, out, &call->error), 1);
}

/* scatter_nd(self, indices, updates [, {mode, reduce}]), or the form above */
static int scatter_nd(lua_State *L, struct script_call *call) {
  bool is_new = !(call->form & INPLACE) && (call->arguments == 2 || lua_istable(L, 3));
  if (bind_names(L, call, "indices")) is_new = bind_names(L, call, "shape");
  if (is_new) return scatter_nd_new(L, call);
  strew_tensor **out = bind_result(L, call), *self, *indices, *updates;
  strew_scatter_options options = {.reduction = STREW_ASSIGN};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"indices", REQUIRED, bind_tensor, &indices},
                                         {"updates", REQUIRED, bind_tensor, &updates},
                                         {"mode", KEYED, bind_mode, &options.mode},
                                         {"reduce", KEYED, bind_reduction, &options.reduction},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_scatter_nd(self, indices, updates, &options, out, &call->error), 1);
}

/* gather_nd(indices [, {batch_dims, mode}]) */
static int gather_nd(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *indices;
  int batch_dims = 0;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"indices", REQUIRED, bind_tensor, &indices},
                                         {"batch_dims", KEYED, bind_dim, &batch_dims},
                                         {"mode", KEYED, bind_mode, &mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_gather_nd(self, indices, batch_dims, mode, out, &call->error), 1);
}

/* ------------------------------------------------------------------------------------------------------------ masks */

/* masked_select(mask) */
static int masked_select(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *mask;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"mask", REQUIRED, bind_tensor, &mask}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_masked_select(self, mask, out, &call->error), 1);
}

/* masked_scatter(mask, source) */
static int masked_scatter(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *mask, *source;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"mask", REQUIRED, bind_tensor, &mask},
                                         {"source", REQUIRED, bind_tensor, &source},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_masked_scatter(self, mask, source, out, &call->error), 1);
}

const struct script_function bind_indexing_rows[] = {
    {"index_add", index_add, 0, EVERY},
    {"index_copy", index_copy, 0, EVERY},
    {"index_fill", index_fill, 0, EVERY},
    {"index_reduce", index_reduce, 0, EVERY},
    {"index_put", index_put, 0, EVERY},
    {"take", take, 0, ALWAYS},
    {"put", put, 0, EVERY},
    {"take_along_dim", take_along_dim, 0, ALWAYS},
    {"scatter_nd", scatter_nd, 0, EVERY},
    {"gather_nd", gather_nd, 0, ALWAYS},
    {"masked_select", masked_select, 0, ALWAYS},
    {"masked_scatter", masked_scatter, 0, EVERY},
    {NULL, NULL, 0, 0},
};
