/* strew_view.c: views, joining, splitting and rearranging. In place, a view replaces the tensor in self's box. */
#include "strew_bind.h"

#include <inttypes.h>

/* Pushes the result: a new box, or self, NULL if that is no tensor: reading the arguments fails then. */
static struct box *push_view(lua_State *L, struct script_call *call) {
  if (!(call->form & INPLACE)) return bind_push_box(L, call->binding);
  lua_pushvalue(L, 1);
  return bind_to_box(L, call->binding, 1);
}

/* Calls the row's `run`, whose result is a view. */
static int view(lua_State *L, struct script_call *call) {
  struct box *box = push_view(L, call);
  struct arguments a;
  strew_tensor *made = NULL;
  a.out = &made;
  if (!bind_read(L, call, &a) || call->row->run(&a) != STREW_OK) return -1;
  strew_release(box->tensor); /* NULL in a new box */
  box->tensor = made;
  return 1;
}

/* ------------------------------------------------------------------------------------------------------------ views */

RUN(view_of_shape, strew_view, a->self, a->shape.count, a->shape.at)
RUN(view_as, strew_view_as, a->self, (strew_dtype)a->dtype)
RUN(reshape, strew_reshape, a->self, a->shape.count, a->shape.at)
RUN(expand, strew_expand, a->self, a->shape.count, a->shape.at)
RUN(permute, strew_permute, a->self, a->order.count, a->order.at)
RUN(expand_as, strew_expand, a->self, strew_tensor_rank(a->other), strew_tensor_sizes(a->other))
RUN(flatten, strew_flatten, a->self, a->start_dim, a->end_dim)
RUN(transpose, strew_transpose, a->self, a->dim0, a->dim1)
RUN(t, strew_t, a->self)

RUN(squeeze, strew_squeeze, a->self, a->dims.count, a->dims.is_given ? a->dims.at : NULL)
RUN(unsqueeze, strew_unsqueeze, a->self, a->dim)
RUN(select_position, strew_select, a->self, a->dim, a->position)
RUN(narrow, strew_narrow, a->self, a->dim, a->start, a->length)
RUN(slice, strew_slice, a->self, a->dim, a->start, a->stop, a->step)

/* A view, or, with a negative step, a copy. */
static int slice_of(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  lua_settop(L, call->arguments);
  return a.step > 0 ? view(L, call) : bind_run_row(L, call, &bind_slice_row);
}

RUN(diagonal, strew_diagonal, a->self, a->offset, a->dim1, a->dim2)

/* offset defaults to self's. */
static strew_status as_strided(struct arguments *a) {
  const int count = a->shape.count;
  const int64_t offset = a->offset == NO_INTEGER ? strew_tensor_offset(a->self) : a->offset;
  if (a->strides.count == count)
    return strew_as_strided(a->self, count, a->shape.at, a->strides.at, offset, a->out, a->error);
  bind_fail(a->call, STREW_ESHAPE, "strides", "has %d entr%s, shape has %d", a->strides.count,
            a->strides.count == 1 ? "y" : "ies", count);
  return STREW_ESHAPE;
}

/* ---------------------------------------------------------------------------------------------------- joined, split */

struct joined bind_find_tensors(lua_State *L, struct script_call *call) {
  struct joined joined = {0, 0};
  if (!lua_istable(L, 1)) {
    while (joined.count < call->arguments && bind_to_box(L, call->binding, (int)joined.count + 1)) joined.count++;
    bind_note_bound(L, call, (int)joined.count + 1);
    return joined;
  }
  joined.table = bind_position(L, 1, "tensors");
  if (lua_istable(L, joined.table)) joined.count = (lua_Integer)lua_rawlen(L, joined.table);
  return joined;
}

bool bind_read_tensors(lua_State *L, struct script_call *call, const struct joined *joined, const char *name,
                       strew_tensor **tensors) {
  for (lua_Integer i = 1; i <= joined->count; i++)
    if (!bind_may_continue(call, i) ||
        !(joined->table ? (tensors[i - 1] = bind_entry(L, call, joined->table, i, name)) != NULL
                        : bind_tensor(L, call, (int)i, name, &tensors[i - 1])))
      return false;
  return true;
}

/* Accepts a table that is a sequence; the caller reads it. */
static bool check_sequence(lua_State *L, struct script_call *call, int i, const char *name, const char *hint) {
  return bind_check_sequence(L, call, i, name, "") || (bind_hint(call, hint, call->row->name), false);
}

enum { CAT, CONCAT, STACK };

static bool read_sequence(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const bool is_of_columns = call->row->code == CONCAT && lua_istable(L, i + 1); /* concat(x, y) */
  return bind_table(L, call, i, name, out) &&
         check_sequence(L, call, i, name,
                        is_of_columns ? "tables are listed: strew.%s{a, b}"
                                      : "dim follows the sequence: strew.%s({...}, dim)");
}

/* True for a sequence whose first entry is a Lua table. */
static bool is_of_tables(lua_State *L) {
  if (!lua_istable(L, 1)) return false;
  const bool is_of_tables = lua_rawgeti(L, 1, 1) == LUA_TTABLE;
  return lua_pop(L, 1), is_of_tables;
}

/* cat(tensors [, dim]) of a table, or t:cat(u, ... [, dim]); concat(tables [, options]) */
static int join(lua_State *L, struct script_call *call) {
  if (call->row->code == CONCAT && is_of_tables(L)) return bind_run_row(L, call, &bind_concat_row);
  int dim = 0, table;
  struct joined joined = bind_find_tensors(L, call);
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
  if (!bind_read_tensors(L, call, &joined, "tensors", tensors)) return -1;
  if (call->row->code != STACK) return bind_end(strew_cat(joined.count, tensors, dim, out, &call->error), 1);
  return bind_end(strew_stack(joined.count, tensors, dim, out, &call->error), 1);
}

/* The tensor to split: its pieces are boxes, whose creation runs Lua code, so it is read again for each. */
struct whole {
  int self; /* its position */
  int dim;
  int64_t size;
};

/* Adds the view from `start` as entry k of the table on top. */
static bool add_piece(lua_State *L, struct script_call *call, const struct whole *whole, int64_t start, int64_t length,
                      int64_t k) {
  if (!bind_may_continue(call, k)) return false;
  struct box *box = bind_push_box(L, call->binding);
  strew_tensor *self;
  if (!bind_tensor(L, call, whole->self, "self", &self) ||
      strew_narrow(self, whole->dim, start, length, &box->tensor, &call->error) != STREW_OK)
    return false;
  lua_rawseti(L, -2, k);
  return true;
}

/* Pushes a table of `count` chunks of `length` (the last one may be shorter). */
static int push_chunks(lua_State *L, struct script_call *call, const struct whole *whole, int64_t length,
                       int64_t count) {
  lua_newtable(L);
  for (int64_t k = 0; k < count; k++) {
    int64_t start = k * length, rest = whole->size - start;
    if (!add_piece(L, call, whole, start, rest < length ? rest : length, k + 1)) return -1;
  }
  return 1;
}

static int64_t chunk_count(int64_t size, int64_t length) { return size / length + (size % length != 0); }

/* Accepts a length, or a table of lengths, which the caller reads. */
bool bind_lengths(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!lua_istable(L, i)) return bind_integer(L, call, i, name, out);
  return check_sequence(L, call, i, name, "dim follows the sequence: t:%s({...}, dim)");
}

/* Pushes parts of the sizes in the table on top of the stack. */
static int split_by_table(lua_State *L, struct script_call *call, const struct whole *whole) {
  const int slot = lua_gettop(L);
  const lua_Unsigned n = lua_rawlen(L, slot);
  if (n > INT_MAX) return bind_fail(call, STREW_ESHAPE, "sizes", "has more than %d entries", INT_MAX);
  int64_t *sizes = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *sizes, 0);
  strew_tensor **parts = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *parts, 0), *self;
  struct box **boxes = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *boxes, 0);
  lua_newtable(L);
  for (lua_Unsigned k = 0; k < n; k++) {
    lua_rawgeti(L, slot, (lua_Integer)k + 1);
    bool is_read = bind_integer(L, call, lua_gettop(L), "sizes", &sizes[k]);
    lua_pop(L, 1);
    if (!is_read || !bind_may_continue(call, (int64_t)k + 1)) return -1;
    boxes[k] = bind_push_box(L, call->binding);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  if (!bind_tensor(L, call, whole->self, "self", &self) ||
      strew_split(self, whole->dim, (int)n, sizes, parts, &call->error) != STREW_OK)
    return -1;
  for (lua_Unsigned k = 0; k < n; k++) boxes[k]->tensor = parts[k];
  return 1;
}

/* Reads the arguments. */
static bool read_whole(lua_State *L, struct script_call *call, struct arguments *a, struct whole *whole) {
  strew_tensor *self;
  if (!bind_read(L, call, a) || !(whole->self = bind_push_self(L, call, &self))) return false;
  if (!bind_wrap_dim(call, self, &a->dim)) return false;
  whole->dim = a->dim;
  whole->size = strew_tensor_sizes(self)[a->dim];
  return true;
}

/* split(size or sizes, dim = 0); of text split(separator, k) */
static int split(lua_State *L, struct script_call *call) {
  struct arguments a;
  struct whole whole;
  a.chunk = 0;
  if (lua_type(L, 2) == LUA_TSTRING && bind_dtype_at(L, call->binding, 1) == STREW_TEXT)
    return bind_run_text(L, call, &bind_split_row);
  if (!read_whole(L, call, &a, &whole)) return -1;
  bind_push_given(L, call, 1, "size");
  if (lua_istable(L, -1)) return split_by_table(L, call, &whole);
  if (a.chunk == 0 && whole.size == 0) return push_chunks(L, call, &whole, 0, 1);
  if (a.chunk < 1) return bind_fail(call, STREW_ESHAPE, "size", "is %" PRId64 ", expected 1 or more", a.chunk);
  return push_chunks(L, call, &whole, a.chunk, whole.size ? chunk_count(whole.size, a.chunk) : 1);
}

/* chunk(count, dim = 0): at most `count` equal chunks; the last one may be shorter, or chunks missing. */
static int chunk(lua_State *L, struct script_call *call) {
  enum { MOST_EMPTY = 1 << 20 };
  struct arguments a;
  struct whole whole;
  if (!read_whole(L, call, &a, &whole)) return -1;
  const int64_t count = a.chunks;
  if (count < 1) return bind_fail(call, STREW_EARGUMENT, "chunks", "is %" PRId64 ", expected at least 1", count);
  if (!whole.size && count > MOST_EMPTY)
    return bind_fail(call, STREW_EARGUMENT, "chunks", "is %" PRId64 ", a dimension of size 0 has at most %d", count,
                     MOST_EMPTY);
  if (!whole.size) return push_chunks(L, call, &whole, 0, count);
  int64_t length = chunk_count(whole.size, count);
  return push_chunks(L, call, &whole, length, chunk_count(whole.size, length));
}

/* ------------------------------------------------------------------------------------------------------- rearranged */

RUN(flip, strew_flip, a->self, a->order.count, a->order.is_given ? a->order.at : NULL)
RUN(repeat_interleave, strew_repeat_interleave, a->self, a->each, a->dim)
RUN(diff, strew_diff, a->self, a->n, a->dim)

static int diff_of(lua_State *L, struct script_call *call) {
  const bool is_optioned = bind_names(L, call, "prepend") || bind_names(L, call, "append");
  return is_optioned ? bind_run_with_options(L, call) : bind_one(L, call);
}

RUN(tril, strew_tril, a->self, a->diagonal)
RUN(triu, strew_triu, a->self, a->diagonal)

static strew_status repeat(struct arguments *a) {
  const strew_status status = strew_repeat(a->self, a->repeats.count, a->repeats.at, a->out, a->error);
  if (status != STREW_OK && a->repeats.count < strew_tensor_rank(a->self)) bind_hint(a->call, "tile takes fewer");
  return status;
}

static strew_status roll(struct arguments *a) {
  const int count = a->shifts.count, expected = a->along.count;
  if (!expected || count == expected)
    return strew_roll(a->self, count, a->shifts.at, expected ? a->along.at : NULL, a->out, a->error);
  bind_fail(a->call, STREW_ESHAPE, "shifts", "has %d entr%s, expected %d", count, count == 1 ? "y" : "ies", expected);
  return STREW_ESHAPE;
}

#define SHAPE "self:tensor shape*"

const struct script_function bind_view_rows[] = {
    {"view", view, 0, ALWAYS, SHAPE, view_of_shape},
    {"view_as", view, 0, ALWAYS, "self:tensor dtype:dtype", view_as},
    {"reshape", view, 0, ALWAYS, SHAPE, reshape},
    {"expand", view, 0, ALWAYS, SHAPE, expand},
    {"broadcast_to", view, 0, ALWAYS, SHAPE, expand},
    {"permute", view, 0, ALWAYS, "self:tensor dims*", permute},
    {"expand_as", view, 0, ALWAYS, "self:tensor other:tensor", expand_as},
    {"flatten", view, 0, ALWAYS, "self:tensor start_dim?dim(0) end_dim?dim(-1)", flatten},
    {"transpose", view, 0, EVERY, "self:tensor dim0:dim dim1:dim", transpose},
    {"swapaxes", view, 0, EVERY, "self:tensor dim0:dim dim1:dim", transpose},
    {"t", view, 0, EVERY, "self:tensor", t},
    {"squeeze", view, 0, EVERY, "self:tensor dim?dims", squeeze},
    {"unsqueeze", view, 0, EVERY, "self:tensor dim:dim", unsqueeze},
    {"select", view, 0, ALWAYS, "self:tensor dim:dim position:integer", select_position},
    {"narrow", view, 0, ALWAYS, "self:tensor dim:dim start:integer length:integer", narrow},
    {"slice", slice_of, 0, ALWAYS,
     "self:tensor dim:dim start?integer(0) stop?integer(9223372036854775807) step?integer(1)", slice},
    {"as_strided", view, 0, EVERY, "self:tensor shape:integers strides:integers offset?integer", as_strided},
    {"cat", join, CAT, ALWAYS, NULL, NULL},
    {"concat", join, CONCAT, ALWAYS, NULL, NULL},
    {"concatenate", join, CAT, ALWAYS, NULL, NULL},
    {"stack", join, STACK, ALWAYS, NULL, NULL},
    {"split", split, 0, ALWAYS, "self:tensor size:lengths dim?dim(0)", NULL},
    {"diagonal", view, 0, ALWAYS, "self:tensor offset?integer(0) dim1?dim(0) dim2?dim(1)", diagonal},
    {"flip", bind_one, 0, ALWAYS, "self:tensor dims*", flip},
    {"roll", bind_one, 0, ALWAYS, "self:tensor shifts:integers dims?dims", roll},
    {"repeat", bind_one, 0, ALWAYS, "self:tensor repeats*", repeat},
    {"repeat_interleave", bind_one, 0, INNER, "self:tensor repeats:operand dim:dim", repeat_interleave},
    {"diff", diff_of, 0, ALWAYS, "self:tensor n?integer(1) dim?dim(-1) prepend=operand append=operand", diff},
    {"tril", bind_one, 0, EVERY, "self:tensor diagonal?integer(0)", tril},
    {"triu", bind_one, 0, EVERY, "self:tensor diagonal?integer(0)", triu},
    {"chunk", chunk, 0, ALWAYS, "self:tensor chunks:integer dim?dim(0)", NULL},
    {NULL},
};
