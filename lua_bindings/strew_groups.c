/* strew_groups.c: reductions of groups: scatter_NAME of every row of STREW_GROUP_REDUCTIONS, and the table for the family's
   files, from which methods of groupings and the words of agg are made. */
#include "runtime/shared/tables.h"
#include "strew_bind.h"

#include <stdio.h>

static const struct {
  const char *word, *name;
  unsigned takes;
  bool becomes_nan, has_gradient; /* becomes_nan: without elements, where no empty group passes for a number */
} reductions[] = {
/* clang-format off */
#define ZERO false
#define ONE false
#define UNDEFINED true
#define ROW(ENUM, word, name, dtypes, empty, exact, takes, passes, ...)                                                \
  [STREW_GROUP_##ENUM] = {word, "scatter_" name, takes, exact && !empty, passes},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
#undef ZERO
#undef ONE
#undef UNDEFINED
    /* clang-format on */
};

/* Warns once per Lua state, and only with warnings on, of a mean of integers that is rounded. */
static void warn_of_mean(lua_State *L, struct script_call *call, const strew_tensor *src) {
  strew_dtype dtype = strew_tensor_dtype(src);
  if (bind_is_float(dtype) || call->binding->has_warned_of_mean) return;
  char message[200];
  call->binding->has_warned_of_mean = true;
  snprintf(message, sizeof message,
           "%.60s: a mean of %s rounds toward minus infinity; {dtype = \"float64\"} gives it with its fraction",
           call->error.alias, strew_dtype_name(dtype));
  lua_warning(L, message, 0);
}

bool bind_destination(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct destination *destination = out;
  if (!bind_tensor(L, call, i, name, &destination->given) || !bind_may_write(L, call, i, name)) return false;
  lua_pushvalue(L, i);
  lua_replace(L, destination->at);
  return true;
}

/* scatter(src, index [, dim [, out [, dim_size]]] [, {reduce, ...}]); all but src and index by name, too. */
int bind_group_form(lua_State *L, struct script_call *call) {
  static const char parameters[] = "src:tensor index:index dim?dim(-1) out?destination dim_size?size(-1) fill=fill "
                                   "mode=mode skip_nan=boolean(false) dtype=dtype reduce=reduce(sum)";
  struct box *box = bind_push_box(L, call->binding);
  struct arguments a;
  a.destination.at = call->arguments + 1;
  if (!bind_read_as(L, call, parameters, &a)) return -1;
  strew_group_options options = {.dim = a.dim, .dim_size = a.dim_size, .mode = a.mode, .reduction = a.reduction};
  options.skip_nan = a.skip_nan;
  if (!bind_check_grouping(call, &a.groups, &options)) return -1;
  lua_settop(L, a.destination.at); /* drops what reading the options pushed */
  if (a.fill.is_given) options.fill = &a.fill.value;
  const strew_dtype dtype = (strew_dtype)a.dtype;
  if (a.dtype >= 0) options.dtype = &dtype;
  strew_tensor **out = a.destination.given ? &a.destination.given : &box->tensor;
  strew_status status = a.groups.grouping
                            ? strew_grouping_reduce(a.groups.grouping, a.src, &options, out, NULL, a.error)
                            : strew_group(a.src, a.groups.tensor, &options, out, NULL, a.error);
  if (status == STREW_OK && a.reduction == STREW_MEAN && a.dtype < 0) warn_of_mean(L, call, a.src);
  return bind_end(status, 1);
}

/* A call's arguments. */
struct reducing {
  strew_group_reduction what;
  strew_tensor *src;
  struct given_index index;
  struct destination destination;
  struct filling fill;
  int dim, dtype;
  int64_t dim_size;
  bool unbiased;
  strew_group_reduce_options options;
};

static bool read_reducing(lua_State *L, struct script_call *call, struct reducing *r) {
  const unsigned takes = reductions[r->what].takes;
  const enum presence sizes = takes & WITH_SIZES ? OPTIONAL : KEYED;
  const bool has_src = r->what != STREW_GROUP_COUNT || call->row == &bind_group_counts_row;
  struct parameter parameters[13], *p = parameters;
  if (has_src) *p++ = (struct parameter){"src", REQUIRED, bind_tensor, &r->src};
  *p++ = (struct parameter){"index", REQUIRED, bind_index, &r->index};
  if (takes & WITH_Q) *p++ = (struct parameter){"q", REQUIRED, bind_float, &r->options.q};
  if (has_src) *p++ = (struct parameter){"dim", OPTIONAL, bind_dim, &r->dim};
  if (takes & WITH_OUT) *p++ = (struct parameter){"out", sizes, bind_destination, &r->destination};
  *p++ = (struct parameter){"dim_size", sizes, bind_size, &r->dim_size};
  if (takes & WITH_Q) *p++ = (struct parameter){"interpolation", KEYED, bind_interpolation, &r->options.interpolation};
  if (takes & WITH_UNBIASED) *p++ = (struct parameter){"unbiased", KEYED, bind_boolean, &r->unbiased};
  if (takes & WITH_FILL) *p++ = (struct parameter){"fill", KEYED, bind_fill, &r->fill};
  *p++ = (struct parameter){"mode", KEYED, bind_mode, &r->options.mode};
  if (has_src) *p++ = (struct parameter){"skip_nan", KEYED, bind_boolean, &r->options.skip_nan};
  if (takes & WITH_DTYPE) *p++ = (struct parameter){"dtype", KEYED, bind_wanted_dtype, &r->dtype};
  *p = (struct parameter)LAST_PARAMETER;
  if (!bind_arguments(L, call, parameters)) return false;
  const strew_group_options fixed = {.dim_size = r->dim_size, .mode = r->options.mode};
  return bind_check_grouping(call, &r->index, &fixed);
}

/* scatter_NAME(src, index [, dim] [, options]) */
static int reduce(lua_State *L, struct script_call *call) {
  struct reducing r = {.what = (strew_group_reduction)call->row->code, .dim = -1, .dtype = -1, .dim_size = -1};
  const bool has_arg = reductions[r.what].takes & WITH_ARG;
  struct box *box = bind_push_box(L, call->binding), *arg = has_arg ? bind_push_box(L, call->binding) : NULL;
  r.destination.at = call->arguments + 1;
  r.unbiased = true;
  if (!read_reducing(L, call, &r)) return -1;
  lua_settop(L, r.destination.at + has_arg); /* drops what reading the options pushed */
  const strew_dtype dtype = (strew_dtype)r.dtype;
  r.options.dim = &r.dim;
  if (r.dim_size >= 0) r.options.dim_size = &r.dim_size;
  if (r.fill.is_given) r.options.fill = &r.fill.value;
  if (r.dtype >= 0) r.options.dtype = &dtype;
  r.options.biased = !r.unbiased;
  const strew_groups groups = {r.index.tensor, r.index.grouping};
  strew_tensor **out = r.destination.given ? &r.destination.given : &box->tensor;
  strew_status status =
      strew_group_reduce(groups, r.what, r.src, &r.options, out, arg ? &arg->tensor : NULL, &call->error);
  if (status != STREW_OK) return -1;
  if (r.what == STREW_GROUP_MEAN && r.dtype < 0) warn_of_mean(L, call, r.src);
  return 1 + has_arg;
}

/* scatter_softmax and scatter_log_softmax */
static strew_status softmax(struct arguments *a) {
  const strew_group_options own = {.dim_size = a->dim_size, .mode = a->mode};
  const strew_group_softmax_options options = {.dim = &a->dim,
                                               .dim_size = a->dim_size < 0 ? NULL : &a->dim_size,
                                               .mode = a->mode,
                                               .logarithm = a->call->row->code};
  if (!bind_check_grouping(a->call, &a->groups, &own)) return a->error->code;
  return strew_group_softmax_with((strew_groups){a->groups.tensor, a->groups.grouping}, a->src, &options, a->out,
                                  a->error);
}

#define SOFTMAX "src:tensor index:index dim?dim(-1) dim_size=size(-1) mode=mode"

const struct script_function bind_groups_rows[] = {
#define ROW(ENUM, word, name, dtypes, empty, exact, takes, passes, ...)                                                \
  {"scatter_" name, reduce, STREW_GROUP_##ENUM, ALWAYS | (passes ? 0 : CONSTANT)},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
        {"scatter_softmax", bind_one, false, ALWAYS, SOFTMAX, softmax},
    {"scatter_log_softmax", bind_one, true, ALWAYS, SOFTMAX, softmax},
    {NULL},
};

/* reductions(): the rows in order, as {word =, name =, has_gradient =, becomes_nan =, takes_sizes =, options = the names in
   alphabetical order of what takes them}. */
static int push_reductions(lua_State *L, struct script_call *call) {
  static const struct {
    unsigned option;
    const char *names[2];
  } all[] = {{WITH_DTYPE, {"dtype"}}, {WITH_FILL, {"fill"}}, {WITH_Q, {"interpolation", "q"}},
             {WITH_OUT, {"out"}},     {0, {"skip_nan"}},     {WITH_UNBIASED, {"unbiased"}}};
  (void)call;
  lua_newtable(L);
  for (int i = 0; i < STREW_GROUP_REDUCTION_COUNT; i++) {
    lua_newtable(L);
    bind_set_string(L, "word", reductions[i].word);
    bind_set_string(L, "name", reductions[i].name);
    bind_set_boolean(L, "has_gradient", reductions[i].has_gradient);
    bind_set_boolean(L, "becomes_nan", reductions[i].becomes_nan);
    bind_set_boolean(L, "takes_sizes", (reductions[i].takes & WITH_SIZES) != 0);
    lua_newtable(L);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      for (int n = 0; n < 2 && all[k].names[n]; n++)
        if (!all[k].option || reductions[i].takes & all[k].option) {
          lua_pushstring(L, all[k].names[n]);
          lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        }
    lua_setfield(L, -2, "options");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* group_ids(src, index, dim, dim_size, mode, skip_nan): the number of each element's group, -1: none. */
#define IDS "src:tensor index:index dim~dim(-1) dim_size~size(-1) mode~mode skip_nan~boolean"
RUN(group_ids, strew_group_ids, (strew_groups){a->groups.tensor, a->groups.grouping}, a->src,
    &(strew_group_reduce_options){
        .skip_nan = a->skip_nan, .mode = a->mode, .dim = &a->dim, .dim_size = a->dim_size < 0 ? NULL : &a->dim_size})

/* reduction(word): the first of the words of a reduction of the scatter family, or nil. */
static int reduction(lua_State *L, struct script_call *call) {
  strew_reduction found;
  if (lua_isnoneornil(L, 1)) return 0;
  if (!bind_reduction(L, call, 1, "reduce", &found)) return -1;
  lua_pushstring(L, strew_reduction_name(found));
  return 1;
}

/* group_counts(src, index [, dim] [, {skip_nan}]): scatter_count of src's elements. */
const struct script_function bind_group_counts_row = {"group_counts", reduce, STREW_GROUP_COUNT, FUNCTION | CONSTANT},
                             bind_reductions_row = {"reductions", push_reductions, 0, FUNCTION | CONSTANT},
                             bind_reduction_row = {"reduction", reduction, 0, FUNCTION | CONSTANT},
                             bind_group_ids_row = {"group_ids", bind_one, 0, FUNCTION | CONSTANT, IDS, group_ids};
