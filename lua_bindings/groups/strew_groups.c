/* strew_groups.c: reductions of groups: scatter_NAME of every row of STREW_GROUP_REDUCTIONS, segments, and the table for the
   family's files, from which methods of groupings and the words of agg are made. */
#include "lua_bindings/core/strew_bind.h"
#include "runtime/core/shared/tables.h"

#include <stdio.h>

/* has_arg: it gives the positions of extremes. becomes_nan: without elements, where no empty group passes for a
   number. */
static const struct {
  bool has_arg, becomes_nan;
} reductions[] = {
/* clang-format off */
#define ZERO false
#define ONE false
#define UNDEFINED true
#define ROW(ENUM, word, name, dtypes, empty, exact, takes, ...)                                                        \
  [STREW_GROUP_##ENUM] = {((takes) & WITH_ARG) != 0, exact && !empty},
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
  strew_capabilities can = {.float64 = false};
  strew_device_capabilities(strew_tensor_device(src), &can, NULL);
  call->binding->has_warned_of_mean = true;
  snprintf(message, sizeof message, "%.60s: a mean of %s rounds toward minus infinity; %s gives it with its fraction",
           call->error.alias, strew_dtype_name(dtype), can.float64 ? "{dtype = \"float64\"}" : "src:to(\"float32\")");
  lua_warning(L, message, 0);
}

bool bind_destination(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct destination *destination = out;
  if (!bind_tensor(L, call, i, name, &destination->given) || !bind_may_write(L, call, i, name)) return false;
  lua_pushvalue(L, i);
  lua_replace(L, destination->at);
  return true;
}

/* Of the group form, the reductions that scatter has. */
static const strew_group_reduction joins[STREW_REDUCTION_COUNT] = {
    [STREW_PROD] = STREW_GROUP_PROD,
    [STREW_MEAN] = STREW_GROUP_MEAN,
    [STREW_AMAX] = STREW_GROUP_MAX,
    [STREW_AMIN] = STREW_GROUP_MIN,
};

/* scatter(src, index [, dim [, out [, dim_size]]] [, {reduce, ...}]); all but src and index by name, too. */
int bind_group_form(lua_State *L, struct script_call *call) {
  static const char parameters[] = "src:tensor! index:index dim?dim(-1) out?destination dim_size?size(-1) fill=fill "
                                   "mode=mode skip_nan=boolean(false) dtype=dtype exact=boolean reduce=reduce(sum)";
  struct box *box = bind_push_box(L, call->binding);
  struct arguments a;
  a.destination.at = call->arguments + 1;
  if (!bind_read_as(L, call, parameters, &a)) return -1;
  if (!bind_check_grouping(&a)) return -1;
  lua_settop(L, a.destination.at); /* drops what reading the options pushed */
  const strew_dtype dtype = (strew_dtype)a.dtype;
  const strew_group_reduce_options options = {.dim = &a.dim,
                                              .dim_size = a.dim_size < 0 ? NULL : &a.dim_size,
                                              .fill = a.fill.is_given ? &a.fill.value : NULL,
                                              .dtype = a.dtype < 0 ? NULL : &dtype,
                                              .mode = a.mode,
                                              .skip_nan = a.skip_nan,
                                              .exact = a.exact};
  strew_tensor **out = a.destination.given ? &a.destination.given : &box->tensor;
  strew_status status = strew_group_reduce(a.groups, joins[a.reduction], a.src, &options, out, NULL, a.error);
  if (status == STREW_OK && a.reduction == STREW_MEAN && a.dtype < 0) warn_of_mean(L, call, a.src);
  return bind_end(status, 1);
}

/* Sets the fields that the text of a reduction may lack. */
static void begin_reducing(struct arguments *a, int at) {
  a->src = a->lengths = a->offsets = NULL;
  a->destination = (struct destination){NULL, at};
  a->fill.is_given = a->fill_index.is_given = a->skip_nan = a->exact = false;
  a->unbiased = true;
  a->correction = 1;
  a->dim = a->dtype = -1;
  a->dim_size = -1;
  a->mode = STREW_ERROR;
  a->quantile = 0;
  a->interpolation = STREW_LINEAR;
}

/* The options among arguments, and their dtype. */
static strew_group_reduce_options options_of(struct arguments *a, strew_dtype *dtype) {
  *dtype = (strew_dtype)a->dtype;
  return (strew_group_reduce_options){.dim = &a->dim,
                                      .dim_size = a->dim_size < 0 ? NULL : &a->dim_size,
                                      .fill = a->fill.is_given ? &a->fill.value : NULL,
                                      .dtype = a->dtype < 0 ? NULL : dtype,
                                      .q = a->quantile,
                                      .interpolation = a->interpolation,
                                      .mode = a->mode,
                                      .skip_nan = a->skip_nan,
                                      .exact = a->exact,
                                      .correction = a->correction == 1 ? NULL : &a->correction};
}

/* Gives the places of groups without elements, or of none, the value of the option fill_index. */
static bool fill_places(struct script_call *call, const struct arguments *a, int dim, strew_tensor *places) {
  const int rank = strew_tensor_rank(a->src);
  if (!a->fill_index.is_given) return true;
  if (a->fill_index.value.dtype != STREW_INT64)
    return bind_fail(call, STREW_EARGUMENT, "fill_index", "is no integer"), false;
  const int64_t none = rank ? strew_tensor_sizes(a->src)[dim < 0 ? dim + rank : dim] : 1;
  strew_tensor *is_none = NULL;
  strew_status status = strew_binary(STREW_EQ, strew_of(places), strew_number(strew_int(none)), &is_none, &call->error);
  if (status == STREW_OK)
    status = strew_masked_fill(places, is_none, strew_number(a->fill_index.value), &places, &call->error);
  strew_release(is_none);
  return status == STREW_OK;
}

enum { TABLE = 64 }; /* in a row's code */

/* scatter_NAME(src, index [, dim] [, options]); TABLE: group_NAME(src, g, ...), by the rules of tables. */
static int reduce(lua_State *L, struct script_call *call) {
  struct arguments a;
  const strew_group_reduction what = (strew_group_reduction)(call->row->code & ~TABLE);
  const bool has_arg = reductions[what].has_arg;
  struct box *box = bind_push_box(L, call->binding), *arg = has_arg ? bind_push_box(L, call->binding) : NULL;
  begin_reducing(&a, call->arguments + 1);
  if (!bind_read(L, call, &a)) return -1;
  if (!bind_check_grouping(&a) || !bind_check_correction(L, call, &a)) return -1;
  lua_settop(L, a.destination.at + has_arg); /* drops what reading the options pushed */
  strew_dtype dtype;
  const strew_group_reduce_options options = options_of(&a, &dtype);
  strew_tensor **out = a.destination.given ? &a.destination.given : &box->tensor;
  const strew_group_aggregate aggregate = {a.src, what, options};
  if (call->row->code & TABLE)
    return bind_end(strew_grouping_aggregate_with(a.groups.grouping, 1, &aggregate, &box->tensor, a.error), 1);
  if (strew_group_reduce(a.groups, what, a.src, &options, out, arg ? &arg->tensor : NULL, a.error) != STREW_OK)
    return -1;
  if (arg && !fill_places(call, &a, a.dim, arg->tensor)) return -1;
  if (what == STREW_GROUP_MEAN && a.dtype < 0) warn_of_mean(L, call, a.src);
  return 1 + has_arg;
}

/* -------------------------------------------------------------------------------------------------------- segments */

/* Fails unless a quantile of segments has q. */
static bool check_q(lua_State *L, struct script_call *call, const struct arguments *a) {
  if (a->joining != STREW_GROUP_QUANTILE || bind_names(L, call, "q")) return true;
  bind_fail(call, STREW_EARGUMENT, "q", "is missing, expected a number");
  return bind_hint(call, "{q = 0.5}"), false;
}

/* segment_csr and segment_coo(src, ends or index [, reduce] [, options]): the result, of extremes with their positions
   behind it. */
static int segments(lua_State *L, struct script_call *call) {
  struct arguments a;
  struct box *box = bind_push_box(L, call->binding), *winners = NULL;
  begin_reducing(&a, call->arguments + 1);
  if (!bind_read(L, call, &a) || !bind_check_correction(L, call, &a)) return -1;
  if (!check_q(L, call, &a)) return -1;
  lua_settop(L, a.destination.at); /* drops what reading the options pushed */
  if (reductions[a.joining].has_arg) winners = bind_push_box(L, call->binding);
  if (a.fill_index.is_given && !winners)
    return bind_fail(call, STREW_EARGUMENT, "fill_index", "is given, but \"%s\" does not take it",
                     strew_enum_name(STREW_WORDS_GROUP_REDUCTION, (int)a.joining));
  strew_dtype dtype;
  strew_group_reduce_options options = options_of(&a, &dtype);
  options.dim = NULL;
  const strew_groups groups = call->row->code ? strew_by_sorted(a.index) : strew_by_ends(a.indptr);
  strew_tensor **out = a.destination.given ? &a.destination.given : &box->tensor;
  if (strew_group_reduce(groups, a.joining, a.src, &options, out, winners ? &winners->tensor : NULL, a.error) !=
      STREW_OK)
    return -1;
  const strew_tensor *along = call->row->code ? a.index : a.indptr;
  const int dim = strew_tensor_rank(along) ? strew_tensor_rank(along) - 1 : 0;
  if (winners && !fill_places(call, &a, dim, winners->tensor)) return -1;
  if (a.joining == STREW_GROUP_MEAN && a.dtype < 0) warn_of_mean(L, call, a.src);
  return 1 + (winners != NULL);
}

/* segment_reduce(data, reduce, {lengths = or offsets =, ...}) */
static int segment_reduce(lua_State *L, struct script_call *call) {
  struct arguments a;
  begin_reducing(&a, 0);
  a.out = bind_result(L, call);
  if (!bind_read(L, call, &a) || !bind_check_correction(L, call, &a)) return -1;
  if (!check_q(L, call, &a)) return -1;
  strew_dtype dtype;
  strew_group_reduce_options options = options_of(&a, &dtype);
  options.dim = NULL;
  return bind_end(strew_segment_reduce_with(a.data, a.lengths, a.offsets, a.axis, a.joining,
                                            a.initial.is_given ? &a.initial.value : NULL, &options, a.out, a.error),
                  1);
}

RUN(gather_csr, strew_gather_csr, a->src, a->indptr)
RUN(gather_coo, strew_gather_coo, a->src, a->index)

/* segment_ids(src, indptr): the number of each element's segment, -1: none. */
RUN(segment_ids, strew_group_ids, strew_by_ends(a->indptr), a->src, NULL)

/* segment_name(word): the name of the call of the group form, scatter_NAME, for a word of segments. */
static int segment_name(lua_State *L, struct script_call *call) {
  strew_group_reduction found;
  if (!bind_group_reduction(L, call, 1, "reduce", &found)) return -1;
  return lua_pushstring(L, bind_groups_rows[found].name), 1;
}

#define JOINED                                                                                                         \
  "q=number interpolation=interpolation dtype=dtype unbiased=boolean(true) correction=number(1) skip_nan=boolean "     \
  "exact=boolean fill=fill"

/* --------------------------------------------------------------------------------------------------------- softmax */

/* scatter_softmax and scatter_log_softmax */
static strew_status softmax(struct arguments *a) {
  const strew_group_softmax_options options = {.dim = &a->dim,
                                               .dim_size = a->dim_size < 0 ? NULL : &a->dim_size,
                                               .mode = a->mode,
                                               .logarithm = a->call->row->code};
  if (!bind_check_grouping(a)) return a->error->code;
  return strew_group_softmax_with(a->groups, a->src, &options, a->out, a->error);
}

#define SOFTMAX "src:tensor index:index dim?dim(-1) dim_size=size(-1) mode=mode"

/* The parameters of what takes WITH_...; groups/grouping.lua makes those of methods from them. */
#define ALONG   "src:tensor! index:index dim?dim(-1) "
#define OPTIONS " mode=mode skip_nan=boolean"
#define TAKING(takes)                                                                                                  \
  ((takes)&WITH_SIZES && (takes)&WITH_EXACT ? ALONG "out?destination dim_size?size(-1) fill=fill" OPTIONS              \
                                                    " dtype=dtype exact=boolean"                                       \
   : (takes)&WITH_SIZES && (takes)&WITH_DTYPE ? ALONG "out?destination dim_size?size(-1) fill=fill" OPTIONS            \
                                                      " dtype=dtype"                                                   \
   : (takes)&WITH_SIZES    ? ALONG "out?destination dim_size?size(-1) fill=fill" OPTIONS " fill_index=fill"            \
   : (takes)&WITH_UNBIASED ? ALONG "dim_size=size(-1) unbiased=boolean(true) correction=number(1)" OPTIONS             \
                                   " dtype=dtype exact=boolean"                                                        \
   : (takes)&WITH_Q                        ? "src:tensor index:index q:number dim?dim(-1) dim_size=size(-1) "          \
                                             "interpolation=interpolation fill=fill" OPTIONS                           \
   : (takes)&WITH_OUT && (takes)&WITH_FILL ? ALONG "out=destination dim_size=size(-1) fill=fill" OPTIONS               \
   : (takes)&WITH_OUT                      ? ALONG "out=destination dim_size=size(-1)" OPTIONS                         \
   : (takes)&WITH_FILL                     ? ALONG "dim_size=size(-1) fill=fill" OPTIONS                               \
                                           : COUNTED)
#define COUNTED ALONG "dim_size=size(-1)" OPTIONS

/* reductions(): the rows in order, as {word =, name =, parameters =, becomes_nan =}. */
static int push_reductions(lua_State *L, struct script_call *call) {
  (void)call;
  lua_newtable(L);
  for (int i = 0; i < STREW_GROUP_REDUCTION_COUNT; i++) {
    lua_newtable(L);
    bind_set_string(L, "word", strew_enum_name(STREW_WORDS_GROUP_REDUCTION, i));
    bind_set_string(L, "name", bind_groups_rows[i].name);
    bind_set_string(L, "parameters", i == STREW_GROUP_COUNT ? COUNTED : bind_groups_rows[i].parameters);
    bind_set_boolean(L, "becomes_nan", reductions[i].becomes_nan);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* group_ids(src, index, dim, dim_size, mode, skip_nan): the number of each element's group, -1: none. */
#define IDS "src:tensor index:index dim~dim(-1) dim_size~size(-1) mode~mode skip_nan~boolean"
RUN(group_ids, strew_group_ids, a->groups, a->src,
    &(strew_group_reduce_options){
        .skip_nan = a->skip_nan, .mode = a->mode, .dim = &a->dim, .dim_size = a->dim_size < 0 ? NULL : &a->dim_size})

/* sum_ranges(src, window, mean, skip_nan, starts, ends): exact */
#define OF_RANGES "src:tensor window:integer mean:boolean skip_nan:boolean starts~tensor ends~tensor"
RUN(sum_ranges, strew_sum_ranges, a->src, a->starts, a->ends,
    &(strew_range_options){.window = a->window, .mean = a->mean, .skip_nan = a->skip_nan})

/* reduction(word): the first of the words of a reduction of the scatter family, or nil. */
static int reduction(lua_State *L, struct script_call *call) {
  strew_reduction found;
  if (lua_isnoneornil(L, 1)) return 0;
  if (!bind_reduction(L, call, 1, "reduce", &found)) return -1;
  lua_pushstring(L, strew_enum_name(STREW_WORDS_REDUCTION, found));
  return 1;
}

const struct script_function bind_groups_rows[] = {
#define ROW(ENUM, word, name, dtypes, empty, exact, takes, passes, ...)                                                \
  {"scatter_" name, reduce, STREW_GROUP_##ENUM,                                                                        \
   (STREW_GROUP_##ENUM == STREW_GROUP_LOWER_MEDIAN ? INNER : ALWAYS) | (passes ? 0 : CONSTANT),                        \
   STREW_GROUP_##ENUM == STREW_GROUP_COUNT ? "index:index dim_size=size(-1) mode=mode" : TAKING(takes)},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
#define OF_TABLE(ENUM, word, takes)                                                                                    \
  { "group_" word, reduce, STREW_GROUP_##ENUM | TABLE, INNER, TAKING(takes) }
        OF_TABLE(VAR, "var", WITH_DTYPE | WITH_UNBIASED | WITH_EXACT),
    OF_TABLE(STD, "std", WITH_DTYPE | WITH_UNBIASED | WITH_EXACT),
    OF_TABLE(MEDIAN, "median", WITH_FILL),
    OF_TABLE(LOWER_MEDIAN, "lower_median", WITH_FILL),
    OF_TABLE(QUANTILE, "quantile", WITH_FILL | WITH_Q),
    {"segment_csr", segments, false, ALWAYS | COMBINED,
     "src:tensor! indptr:tensor reduce?joining out=destination " JOINED " fill_index=fill"},
    {"segment_coo", segments, true, ALWAYS,
     "src:tensor! index:tensor reduce?joining out=destination dim_size=size(-1) " JOINED " fill_index=fill"},
    {"segment_reduce", segment_reduce, 0, ALWAYS,
     "data:tensor! reduce:joining lengths=tensor offsets=tensor axis=dim(0) initial=fill " JOINED},
    {"gather_csr", bind_one, 0, ALWAYS, "src:tensor indptr:tensor", gather_csr},
    {"gather_coo", bind_one, 0, ALWAYS, "src:tensor index:tensor", gather_coo},
    {"segment_ids", bind_one, 0, INNER | CONSTANT, "src:tensor indptr:tensor", segment_ids},
    {"segment_name", segment_name, 0, INNER | CONSTANT},
    {"scatter_softmax", bind_one, false, ALWAYS, SOFTMAX, softmax},
    {"scatter_log_softmax", bind_one, true, ALWAYS, SOFTMAX, softmax},
    /* of src's elements, those without NaN */
    {"group_counts", reduce, STREW_GROUP_COUNT, INNER | CONSTANT, COUNTED},
    {"reductions", push_reductions, 0, INNER | CONSTANT},
    {"reduction", reduction, 0, INNER | CONSTANT},
    {"sum_ranges", bind_one, 0, INNER | CONSTANT, OF_RANGES, sum_ranges},
    {"group_ids", bind_one, 0, INNER | CONSTANT, IDS, group_ids},
    {NULL},
};
