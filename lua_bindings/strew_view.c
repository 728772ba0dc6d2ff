/* strew_view.c: views, joining and splitting. In place, the view replaces the tensor in self's box. */
#include "strew_bind.h"

#include <inttypes.h>

/* Pushes the result: a new box, or self, NULL if that is no tensor: reading the arguments fails then. */
static struct box *push_view(lua_State *L, struct script_call *call) {
  if (!(call->form & INPLACE)) return bind_push_box(L, call->binding);
  lua_pushvalue(L, 1);
  return bind_to_box(L, call->binding, 1);
}

static int end_view(strew_status status, struct box *box, strew_tensor *view) {
  if (status != STREW_OK) return -1;
  strew_release(box->tensor); /* NULL in a new box */
  box->tensor = view;
  return 1;
}

/* ------------------------------------------------------------------------------------------------------------ views */

typedef strew_status shape_function(strew_tensor *tensor, int rank, const int64_t *numbers, strew_tensor **out,
                                    strew_error *error);

enum { VIEW, RESHAPE, EXPAND, PERMUTE };

/* view(shape...), permute(dims...), ... */
static int reshaped(lua_State *L, struct script_call *call) {
  static shape_function *const functions[] = {strew_view, strew_reshape, strew_expand, strew_permute};
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  struct list numbers = {0};
  const char *name = call->row->code == PERMUTE ? "dims" : "shape";
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {name, REST, bind_list, &numbers}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = functions[call->row->code](self, numbers.count, numbers.at, &view, &call->error);
  return end_view(status, box, view);
}

static int expand_as(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *other, *view = NULL;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"other", REQUIRED, bind_tensor, &other}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_expand(self, strew_tensor_rank(other), strew_tensor_sizes(other), &view, &call->error);
  return end_view(status, box, view);
}

static int flatten(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int first = 0, last = -1;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"start_dim", OPTIONAL, bind_dim, &first},
                                         {"end_dim", OPTIONAL, bind_dim, &last},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_flatten(self, first, last, &view, &call->error);
  return end_view(status, box, view);
}

static int transpose(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int a, b;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim0", REQUIRED, bind_dim, &a},
                                         {"dim1", REQUIRED, bind_dim, &b},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_transpose(self, a, b, &view, &call->error);
  return end_view(status, box, view);
}

static int t(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_t(self, &view, &call->error);
  return end_view(status, box, view);
}

/* squeeze([dim]) */
static int squeeze(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  struct list dims = {0}; /* none or one */
  int dim;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"dim", OPTIONAL, bind_dims, &dims}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (dims.count > 1) return bind_fail(call, STREW_EARGUMENT, "dim", "names %d dimensions, expected one", dims.count);
  if (dims.count) dim = (int)dims.at[0];
  strew_status status = strew_squeeze(self, dims.count ? &dim : NULL, &view, &call->error);
  return end_view(status, box, view);
}

static int unsqueeze(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int dim;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"dim", REQUIRED, bind_dim, &dim}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_unsqueeze(self, dim, &view, &call->error);
  return end_view(status, box, view);
}

static int select_position(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int dim;
  int64_t position;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"position", REQUIRED, bind_integer, &position},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_select(self, dim, position, &view, &call->error);
  return end_view(status, box, view);
}

static int narrow(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int dim;
  int64_t start, length;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"start", REQUIRED, bind_integer, &start},
                                         {"length", REQUIRED, bind_integer, &length},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_narrow(self, dim, start, length, &view, &call->error);
  return end_view(status, box, view);
}

/* slice(dim [, start [, stop [, step]]]) */
static int slice(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  int dim;
  int64_t start = 0, stop = INT64_MAX, step = 1;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self},    {"dim", REQUIRED, bind_dim, &dim},
      {"start", OPTIONAL, bind_integer, &start}, {"stop", OPTIONAL, bind_integer, &stop},
      {"step", OPTIONAL, bind_integer, &step},   LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status status = strew_slice(self, dim, start, stop, step, &view, &call->error);
  return end_view(status, box, view);
}

/* as_strided(shape, strides [, offset]): offset defaults to self's. */
static int as_strided(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  strew_tensor *self, *view = NULL;
  struct list shape = {0}, strides = {0};
  int64_t offset = INT64_MIN;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"shape", REQUIRED, bind_list, &shape},
                                         {"strides", REQUIRED, bind_list, &strides},
                                         {"offset", OPTIONAL, bind_integer, &offset},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strides.count != shape.count)
    return bind_fail(call, STREW_ESHAPE, "strides", "has %d entr%s, shape has %d", strides.count,
                     strides.count == 1 ? "y" : "ies", shape.count);
  if (offset == INT64_MIN) offset = strew_tensor_offset(self);
  strew_status status = strew_as_strided(self, shape.count, shape.at, strides.at, offset, &view, &call->error);
  return end_view(status, box, view);
}

/* ---------------------------------------------------------------------------------------------------- joined, split */

/* The tensors to join: arguments, or the entries of a table at a stack position. */
struct joined {
  int table; /* 0: arguments */
  lua_Integer count;
};

/* Finds the tensors; the table of a call that names its arguments is pushed. */
static struct joined find_tensors(lua_State *L, const struct script_call *call) {
  struct joined joined = {0, 0};
  if (!lua_istable(L, 1)) {
    while (joined.count < call->arguments && bind_to_box(L, call->binding, (int)joined.count + 1)) joined.count++;
    return joined;
  }
  joined.table = bind_position(L, 1, "tensors");
  if (lua_istable(L, joined.table)) joined.count = (lua_Integer)lua_rawlen(L, joined.table);
  return joined;
}

/* Adds entry i of the table, which keeps its tensor alive. */
static bool read_entry(lua_State *L, struct script_call *call, int table, lua_Integer i, strew_tensor **out) {
  char text[TEXT_BYTES];
  lua_rawgeti(L, table, i);
  struct box *box = bind_to_box(L, call->binding, -1);
  if (!box)
    bind_fail(call, STREW_EARGUMENT, "tensors", "holds %s at [%lld], expected a tensor",
              bind_text(L, call, lua_gettop(L), text), (long long)i);
  else if (!box->tensor)
    bind_fail(call, STREW_EFREED, "tensors", "holds a tensor at [%lld] that was freed", (long long)i);
  else
    *out = box->tensor;
  lua_pop(L, 1);
  return box && box->tensor;
}

static bool read_tensors(lua_State *L, struct script_call *call, const struct joined *joined, strew_tensor **tensors) {
  for (lua_Integer i = 1; i <= joined->count; i++)
    if (!bind_may_continue(call, i) || !(joined->table ? read_entry(L, call, joined->table, i, &tensors[i - 1])
                                                       : bind_tensor(L, call, (int)i, "tensors", &tensors[i - 1])))
      return false;
  return true;
}

/* Accepts a table that is a sequence; the caller reads it. */
static bool check_sequence(lua_State *L, struct script_call *call, int i, const char *name, const char *hint) {
  char text[TEXT_BYTES];
  if (!bind_stray_key(L, i, lua_rawlen(L, i))) return true;
  bind_fail(call, STREW_EARGUMENT, name, "has key %s, expected a sequence", bind_text(L, call, lua_gettop(L), text));
  bind_hint(call, hint, call->row->name);
  return false;
}

static bool read_sequence(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return bind_table(L, call, i, name, out) &&
         check_sequence(L, call, i, name, "dim follows the sequence: strew.%s({...}, dim)");
}

enum { CAT, STACK };

/* cat(tensors [, dim]) of a table, or t:cat(u, ... [, dim]) */
static int join(lua_State *L, struct script_call *call) {
  int dim = 0, table;
  struct joined joined = find_tensors(L, call);
  strew_tensor **tensors = lua_newuserdatauv(L, ((size_t)joined.count + 1) * sizeof *tensors, 0);
  strew_tensor **out = bind_result(L, call);
  const struct parameter of_table[] = {
      {"tensors", REQUIRED, read_sequence, &table}, {"dim", OPTIONAL, bind_dim, &dim}, LAST_PARAMETER};
  const int last = call->arguments;
  if (joined.table || !joined.count) {
    if (!bind_arguments(L, call, of_table)) return -1;
    if (!joined.count) return bind_fail(call, STREW_EARGUMENT, "tensors", "is empty, expected at least one tensor");
  } else if (last > joined.count + 1) {
    return bind_fail(call, STREW_EARGUMENT, NULL, "%d arguments follow the tensors, only dim may",
                     (int)(last - joined.count));
  } else if (last > joined.count && !lua_isnil(L, last)) {
    const bool is_named = lua_istable(L, last) && lua_rawlen(L, last) == 0;
    if (is_named ? !bind_options(L, call, last, &of_table[1]) : !bind_dim(L, call, last, "dim", &dim)) return -1;
  }
  if (!read_tensors(L, call, &joined, tensors)) return -1;
  if (call->row->code == CAT) return bind_end(strew_cat(joined.count, tensors, dim, out, &call->error), 1);
  return bind_end(strew_stack(joined.count, tensors, dim, out, &call->error), 1);
}

/* The tensor to split: its pieces are boxes, whose creation runs Lua code, so it is read again for each. */
struct whole {
  struct kept self;
  int dim;
};

/* Adds the view from `start` as entry k of the table on top. */
static bool add_piece(lua_State *L, struct script_call *call, struct whole *whole, int64_t start, int64_t length,
                      int64_t k) {
  if (!bind_may_continue(call, k)) return false;
  struct box *box = bind_push_box(L, call->binding);
  if (!bind_read_again(L, call, &whole->self) ||
      strew_narrow(whole->self.tensor, whole->dim, start, length, &box->tensor, &call->error) != STREW_OK)
    return false;
  lua_rawseti(L, -2, k);
  return true;
}

/* Pushes a table of `count` chunks of `length` (the last one may be shorter). */
static int push_chunks(lua_State *L, struct script_call *call, struct whole *whole, int64_t size, int64_t length,
                       int64_t count) {
  lua_newtable(L);
  for (int64_t k = 0; k < count; k++) {
    int64_t start = k * length, rest = size - start;
    if (!add_piece(L, call, whole, start, rest < length ? rest : length, k + 1)) return -1;
  }
  return 1;
}

static int64_t chunk_count(int64_t size, int64_t length) { return size / length + (size % length != 0); }

/* A length, or the stack position of a table of lengths. */
struct lengths {
  int64_t length;
  int slot;
};

/* Accepts a length, or a table of lengths, which is copied to the slot. */
static bool read_lengths(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct lengths *lengths = out;
  if (!lua_istable(L, i)) return bind_integer(L, call, i, name, &lengths->length);
  if (!check_sequence(L, call, i, name, "dim follows the sequence: t:%s({...}, dim)")) return false;
  lua_pushvalue(L, i);
  lua_replace(L, lengths->slot);
  return true;
}

/* Pushes chunks of the lengths in the table at `slot`. */
static int split_by_table(lua_State *L, struct script_call *call, struct whole *whole, int64_t size, int slot) {
  int64_t length, start = 0;
  lua_newtable(L);
  for (lua_Unsigned k = 1, n = lua_rawlen(L, slot); k <= n; k++) {
    lua_rawgeti(L, slot, (lua_Integer)k);
    bool is_read = bind_integer(L, call, lua_gettop(L), "sizes", &length);
    lua_pop(L, 1);
    if (!is_read) return -1;
    if (length < 0) return bind_fail(call, STREW_ESHAPE, "sizes", "holds %" PRId64 ", expected 0 or more", length);
    if (length > size - start)
      return bind_fail(call, STREW_ESHAPE, "sizes", "exceed the %" PRId64 " of dim %d", size, whole->dim);
    if (!add_piece(L, call, whole, start, length, (int64_t)k)) return -1;
    start += length;
  }
  if (start == size) return 1;
  return bind_fail(call, STREW_ESHAPE, "sizes", "sum to %" PRId64 ", expected %" PRId64 ", the size of dim %d", start,
                   size, whole->dim);
}

/* split(size or sizes, dim = 0) */
static int split(lua_State *L, struct script_call *call) {
  struct whole whole = {bind_push_kept(L), 0};
  struct lengths lengths = {0, bind_push_slot(L)};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_kept, &whole.self},
                                         {"size", REQUIRED, read_lengths, &lengths},
                                         {"dim", OPTIONAL, bind_dim, &whole.dim},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !bind_wrap_dim(call, whole.self.tensor, &whole.dim)) return -1;
  int64_t size = strew_tensor_sizes(whole.self.tensor)[whole.dim], length = lengths.length;
  if (lua_istable(L, lengths.slot)) return split_by_table(L, call, &whole, size, lengths.slot);
  if (length == 0 && size == 0) return push_chunks(L, call, &whole, size, length, 1);
  if (length < 1) return bind_fail(call, STREW_ESHAPE, "size", "is %" PRId64 ", expected 1 or more", length);
  return push_chunks(L, call, &whole, size, length, size ? chunk_count(size, length) : 1);
}

/* chunk(count, dim = 0): at most `count` equal chunks; the last one may be shorter, or chunks missing. */
static int chunk(lua_State *L, struct script_call *call) {
  enum { MOST_EMPTY = 1 << 20 };
  struct whole whole = {bind_push_kept(L), 0};
  int64_t count;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_kept, &whole.self},
                                         {"chunks", REQUIRED, bind_integer, &count},
                                         {"dim", OPTIONAL, bind_dim, &whole.dim},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !bind_wrap_dim(call, whole.self.tensor, &whole.dim)) return -1;
  if (count < 1) return bind_fail(call, STREW_EARGUMENT, "chunks", "is %" PRId64 ", expected at least 1", count);
  int64_t size = strew_tensor_sizes(whole.self.tensor)[whole.dim];
  if (!size && count > MOST_EMPTY)
    return bind_fail(call, STREW_EARGUMENT, "chunks", "is %" PRId64 ", a dimension of size 0 has at most %d", count,
                     MOST_EMPTY);
  if (!size) return push_chunks(L, call, &whole, 0, 0, count);
  int64_t length = chunk_count(size, count);
  return push_chunks(L, call, &whole, size, length, chunk_count(size, length));
}

const struct script_function bind_view_rows[] = {
    {"view", reshaped, VIEW, ALWAYS},
    {"reshape", reshaped, RESHAPE, ALWAYS},
    {"expand", reshaped, EXPAND, ALWAYS},
    {"permute", reshaped, PERMUTE, ALWAYS},
    {"expand_as", expand_as, 0, ALWAYS},
    {"flatten", flatten, 0, ALWAYS},
    {"transpose", transpose, 0, EVERY},
    {"t", t, 0, EVERY},
    {"squeeze", squeeze, 0, EVERY},
    {"unsqueeze", unsqueeze, 0, EVERY},
    {"select", select_position, 0, ALWAYS},
    {"narrow", narrow, 0, ALWAYS},
    {"slice", slice, 0, ALWAYS},
    {"as_strided", as_strided, 0, EVERY},
    {"cat", join, CAT, ALWAYS},
    {"stack", join, STACK, ALWAYS},
    {"split", split, 0, ALWAYS},
    {"chunk", chunk, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
