/* strew_scatter.c: the scatter family: the position form of PyTorch (with index_select, which has gather's arguments),
   and reading and writing at the positions that an index, several indices, coordinates or a mask name. */
#include "strew_bind.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- position form */

/* A src larger than index is read at index's coordinates, as in PyTorch; silently, unless warn("@on") was called. */
static void warn_of_prefix(lua_State *L, const struct script_call *call, const strew_tensor *index,
                           const strew_tensor *src) {
  const int64_t *used = strew_tensor_sizes(index), *sizes = strew_tensor_sizes(src);
  int rank = strew_tensor_rank(src), smaller = 0;
  if (strew_tensor_rank(index) != rank) return;
  for (int d = 0; d < rank; d++) smaller |= used[d] < sizes[d];
  if (!smaller || strew_tensor_numel(index) == 0) return;
  char smaller_text[DESCRIPTION_BYTES], larger_text[DESCRIPTION_BYTES], message[2 * DESCRIPTION_BYTES + 100];
  snprintf(message, sizeof message, "%.60s: index %s is smaller than src %s: only a prefix of src was used",
           call->error.alias, bind_describe(index, smaller_text), bind_describe(src, larger_text));
  lua_warning(L, message, 0);
}

#define POSITIONS "self:tensor dim:dim index:tensor src:comparand! mode=mode "

/* After a failure: strew.scatter_add(src, index) is torch_scatter's sum of groups. */
static int hint_groups(lua_State *L, struct script_call *call) {
  const bool is_function = !(call->form & (METHOD | INPLACE)) && bind_to_box(L, call->binding, 2);
  const bool has_src = call->arguments > 2 && bind_to_box(L, call->binding, 3);
  if (!is_function || has_src || !bind_to_box(L, call->binding, 1)) return -1;
  return bind_hint(call, call->row->code == STREW_SUM ? "strew.scatter_sum(src, index)"
                                                      : "strew.scatter(src, index, {reduce = \"sum\"})");
}

/* Calls the runtime for arguments by a text that begins as POSITIONS. */
static int run_scatter(lua_State *L, struct script_call *call, const char *parameters, strew_reduction reduction) {
  struct arguments a;
  a.include_self = true;
  a.exact = false;
  a.reduction = reduction;
  a.out = bind_result(L, call);
  if (!bind_read_as(L, call, parameters, &a)) return hint_groups(L, call);
  const strew_scatter_options options = {
      .reduction = a.reduction, .mode = a.mode, .exclude_self = !a.include_self, .exact = a.exact};
  if (strew_scatter(a.self, a.dim, a.index, a.written, &options, a.out, a.error) != STREW_OK) return -1;
  if (a.written.tensor) warn_of_prefix(L, call, a.index, a.written.tensor);
  return 1;
}

/* A sequence in the position of dim was meant as index. Among arguments by name, self and src tell the forms apart. */
bool bind_is_group_form(lua_State *L, const struct script_call *call) {
  const int last = call->arguments;
  if (call->form & INPLACE) return false;
  if (last > 1 && (bind_to_box(L, call->binding, 2) || bind_to_grouping(L, call->binding, 2))) return true;
  if (last <= 2 && bind_names(L, call, "index")) return !bind_names(L, call, last == 1 ? "self" : "src");
  return last > 1 && lua_istable(L, 2);
}

/* scatter(dim, index, src [, {reduce, mode}]), or the group form */
static int scatter(lua_State *L, struct script_call *call) {
  if (bind_is_group_form(L, call)) return bind_group_form(L, call);
  return run_scatter(L, call, POSITIONS "reduce=reduce", STREW_ASSIGN);
}

/* scatter_add and scatter_reduce: the code is the reduction, STREW_ASSIGN if the call names it. */
static int scatter_joined(lua_State *L, struct script_call *call) {
  return run_scatter(L, call, call->row->parameters, (strew_reduction)call->row->code);
}

RUN(gather, strew_gather_with, a->self, a->dim, a->index, &(strew_index_options){.mode = a->mode})
RUN(index_select, strew_index_select_with, a->self, a->dim, a->index, &(strew_index_options){.mode = a->mode})

/* one_hot(self, n), for Lua, which says what is wrong: 1 at self's values along a new dimension of n, else 0. */
static strew_status one_hot(struct arguments *a) {
  const int rank = strew_tensor_rank(a->self);
  const strew_scatter_options options = {.reduction = STREW_ASSIGN};
  strew_tensor *index = NULL;
  int64_t sizes[STREW_MAX_RANK + 1];
  memcpy(sizes, strew_tensor_sizes(a->self), (size_t)rank * sizeof *sizes);
  sizes[rank] = a->n;
  strew_device *device = strew_tensor_device(a->self);
  strew_status status = strew_full(device, STREW_INT64, rank + 1, sizes, strew_int(0), a->out, a->error);
  if (status == STREW_OK) status = strew_unsqueeze(a->self, -1, &index, a->error);
  if (status == STREW_OK)
    status = strew_scatter(*a->out, -1, index, strew_number(strew_int(1)), &options, a->out, a->error);
  strew_release(index);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- indices */

RUN(index_add, strew_index_add_with, a->self, a->dim, a->index, a->source, a->alpha,
    &(strew_index_options){.mode = a->mode, .exact = a->exact})
RUN(index_copy, strew_index_reduce, a->self, a->dim, a->index, a->source, &(strew_scatter_options){.mode = a->mode})
RUN(index_fill, strew_index_fill_with, a->self, a->dim, a->index, a->value, &(strew_index_options){.mode = a->mode})
RUN(index_reduce, strew_index_reduce, a->self, a->dim, a->index, a->source,
    &(strew_scatter_options){.mode = a->mode, .reduction = a->reduction, .exclude_self = !a->include_self})

/* ----------------------------------------------------------------------------------------------- several dimensions */

bool bind_entries(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct entries *entries = out;
  int position;
  if (!bind_table(L, call, i, name, &position)) return false;
  lua_Unsigned count = lua_rawlen(L, i);
  for (entries->count = 0; entries->count <= STREW_MAX_RANK && (lua_Unsigned)entries->count < count; entries->count++)
    if (!(entries->at[entries->count] = bind_entry(L, call, i, entries->count + 1, name))) return false;
  return bind_check_sequence(L, call, i, name, " of tensors");
}

#define ACCUMULATING                                                                                                   \
  &(strew_scatter_options) { .mode = a->mode, .reduction = a->accumulate ? STREW_SUM : STREW_ASSIGN }
RUN(index_put, strew_index_put, a->self, a->entries.count, a->entries.at, a->values, ACCUMULATING)
RUN(take, strew_take_with, a->self, a->index, &(strew_index_options){.mode = a->mode})
RUN(put, strew_put, a->self, a->index, a->source, ACCUMULATING)

/* Without dim along the flattened tensors. */
static strew_status take_along_dim(struct arguments *a) {
  const strew_index_options options = {.mode = a->mode};
  if (a->dim != NO_DIM) return strew_take_along_dim_with(a->self, a->dim, a->index, &options, a->out, a->error);
  strew_tensor *taken = NULL;
  strew_status status = strew_take_with(a->self, a->index, &options, &taken, a->error);
  if (status == STREW_OK) status = strew_flatten(taken, 0, -1, a->out, a->error);
  strew_release(taken);
  return status;
}

/* scatter_nd(self, indices, updates [, {mode, reduce}]), or of zeros: (indices, updates, shape [, {mode, reduce}]) */
static int scatter_nd(lua_State *L, struct script_call *call) {
  struct arguments a;
  bool is_new = !(call->form & INPLACE) && (call->arguments == 2 || lua_istable(L, 3));
  if (bind_names(L, call, "indices")) is_new = bind_names(L, call, "shape");
  a.out = bind_result(L, call);
  if (!bind_read_as(L, call,
                    is_new ? "indices:tensor updates:tensor shape:integers mode=mode reduce=reduce(sum)"
                           : "self:tensor indices:tensor updates:tensor mode=mode reduce=reduce",
                    &a))
    return -1;
  const strew_scatter_options options = {.mode = a.mode, .reduction = a.reduction};
  if (!is_new) return bind_end(strew_scatter_nd(a.self, a.indices, a.updates, &options, a.out, a.error), 1);
  return bind_end(strew_scatter_nd_new(a.shape.count, a.shape.at, a.indices, a.updates, &options, a.out, a.error), 1);
}

RUN(gather_nd, strew_gather_nd_with, a->self, a->indices, a->batch_dims, &(strew_index_options){.mode = a->mode})

/* ------------------------------------------------------------------------------------------------------------ masks */

RUN(masked_select, strew_masked_select, a->self, a->mask)
RUN(masked_scatter, strew_masked_scatter, a->self, a->mask, a->source)

#define ALONG "self:tensor dim:dim index:tensor "

const struct script_function bind_scatter_rows[] = {
    {"scatter", scatter, STREW_ASSIGN, EVERY | COMBINED},
    {"scatter_add", scatter_joined, STREW_SUM, EVERY, POSITIONS "exact=boolean"},
    {"scatter_reduce", scatter_joined, STREW_ASSIGN, EVERY | COMBINED,
     "self:tensor dim:dim index:tensor src:comparand! reduce:reduce include_self=boolean(true) mode=mode "
     "exact=boolean"},
    /* reads */
    {"one_hot", bind_one, 0, INNER | CONSTANT, "self:tensor n:integer", one_hot},
    {"gather", bind_one, 0, ALWAYS, "self:tensor dim:dim index:tensor mode=mode", gather},
    {"index_select", bind_one, 0, ALWAYS, "self:tensor dim:dim index:tensor mode=mode", index_select},
    /* indices */
    {"index_add", bind_one, 0, EVERY, ALONG "source:tensor alpha=scalar(1) mode=mode exact=boolean", index_add},
    {"index_copy", bind_one, 0, EVERY, ALONG "source:tensor mode=mode", index_copy},
    {"index_fill", bind_one, 0, EVERY, ALONG "value:comparand mode=mode", index_fill},
    {"index_reduce", bind_one, 0, EVERY, ALONG "source:tensor reduce:reduce include_self=boolean(true) mode=mode",
     index_reduce},
    {"index_put", bind_one, 0, EVERY, "self:tensor indices:entries values:comparand accumulate=boolean mode=mode",
     index_put},
    {"take", bind_one, 0, ALWAYS, "self:tensor index:tensor mode=mode", take},
    {"put", bind_one, 0, EVERY, "self:tensor index:tensor source:tensor accumulate=boolean mode=mode", put},
    {"take_along_dim", bind_one, 0, ALWAYS, "self:tensor index:tensor dim?dim mode=mode", take_along_dim},
    {"scatter_nd", scatter_nd, 0, EVERY, NULL, NULL},
    {"gather_nd", bind_one, 0, ALWAYS, "self:tensor indices:tensor batch_dims=dim(0) mode=mode", gather_nd},
    {"masked_select", bind_one, 0, ALWAYS, "self:tensor mask:tensor", masked_select},
    {"masked_scatter", bind_one, 0, EVERY, "self:tensor mask:tensor source:tensor", masked_scatter},
    {NULL},
};
