/* strew_indexing.c: reading and writing at the positions that an index, several indices, coordinates or a mask name. */
#include "strew_bind.h"

RUN(index_add, strew_index_add_with, a->self, a->dim, a->index, a->source, a->alpha,
    &(strew_index_options){.mode = a->mode})
RUN(index_copy, strew_index_copy_with, a->self, a->dim, a->index, a->source, &(strew_index_options){.mode = a->mode})
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

const struct script_function bind_indexing_rows[] = {
    {"index_add", bind_one, 0, EVERY, ALONG "source:tensor alpha=scalar(1) mode=mode", index_add},
    {"index_copy", bind_one, 0, EVERY, ALONG "source:tensor mode=mode", index_copy},
    {"index_fill", bind_one, 0, EVERY, ALONG "value:operand mode=mode", index_fill},
    {"index_reduce", bind_one, 0, EVERY, ALONG "source:tensor reduce:reduce include_self=boolean(true) mode=mode",
     index_reduce},
    {"index_put", bind_one, 0, EVERY, "self:tensor indices:entries values:operand accumulate=boolean mode=mode",
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
