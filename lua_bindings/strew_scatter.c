/* strew_scatter.c: the scatter family: the position form of PyTorch (with index_select, which has gather's arguments),
   the group form of torch_scatter, which strew.scatter takes if its second argument is a tensor, and segments. */
#include "strew_bind.h"

#include <stdio.h>

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

/* The arguments that calls of this form share. */
struct scattering {
  strew_tensor *self, *index;
  strew_operand src;
  int dim;
  bool include_self;
  strew_scatter_options options;
};

#define SCATTERING(s)                                                                                                  \
  {"self", REQUIRED, bind_tensor, &(s).self}, {"dim", REQUIRED, bind_dim, &(s).dim},                                   \
      {"index", REQUIRED, bind_tensor, &(s).index}, {"src", REQUIRED, bind_operand, &(s).src}, {                       \
    "mode", KEYED, bind_mode, &(s).options.mode                                                                        \
  }

static int run_scatter(lua_State *L, struct script_call *call, struct scattering *s, strew_tensor **out) {
  s->options.exclude_self = !s->include_self;
  if (strew_scatter(s->self, s->dim, s->index, s->src, &s->options, out, &call->error) != STREW_OK) return -1;
  if (s->src.tensor) warn_of_prefix(L, call, s->index, s->src.tensor);
  return 1;
}

static int group(lua_State *L, struct script_call *call);

/* A sequence in the position of dim was meant as index. Among arguments by name, self and src tell the forms apart. */
static bool is_group_form(lua_State *L, const struct script_call *call) {
  const int last = call->arguments;
  if (call->form & INPLACE) return false;
  if (last > 1 && (bind_to_box(L, call->binding, 2) || bind_to_grouping(L, call->binding, 2))) return true;
  if (last <= 2 && bind_names(L, call, "index")) return !bind_names(L, call, last == 1 ? "self" : "src");
  return last > 1 && lua_istable(L, 2);
}

/* scatter(dim, index, src [, {reduce, mode}]), or the group form */
static int scatter(lua_State *L, struct script_call *call) {
  if (is_group_form(L, call)) return group(L, call);
  strew_tensor **out = bind_result(L, call);
  struct scattering s = {.include_self = true, .options = {.reduction = STREW_ASSIGN}};
  const struct parameter parameters[] = {
      SCATTERING(s), {"reduce", KEYED, bind_reduction, &s.options.reduction}, LAST_PARAMETER};
  return bind_arguments(L, call, parameters) ? run_scatter(L, call, &s, out) : -1;
}

/* scatter_add(dim, index, src [, {mode}]) */
static int scatter_add(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct scattering s = {.include_self = true, .options = {.reduction = STREW_SUM}};
  const struct parameter parameters[] = {SCATTERING(s), LAST_PARAMETER};
  return bind_arguments(L, call, parameters) ? run_scatter(L, call, &s, out) : -1;
}

/* scatter_reduce(dim, index, src, reduce [, {include_self, mode}]) */
static int scatter_reduce(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct scattering s = {.include_self = true};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &s.self},
                                         {"dim", REQUIRED, bind_dim, &s.dim},
                                         {"index", REQUIRED, bind_tensor, &s.index},
                                         {"src", REQUIRED, bind_operand, &s.src},
                                         {"reduce", REQUIRED, bind_reduction, &s.options.reduction},
                                         {"include_self", KEYED, bind_boolean, &s.include_self},
                                         {"mode", KEYED, bind_mode, &s.options.mode},
                                         LAST_PARAMETER};
  return bind_arguments(L, call, parameters) ? run_scatter(L, call, &s, out) : -1;
}

enum { GATHER, INDEX_SELECT };

/* gather(dim, index [, {mode}]), index_select(dim, index [, {mode}]) */
static int gather(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *index;
  int dim;
  strew_mode mode = STREW_ERROR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"index", REQUIRED, bind_tensor, &index},
                                         {"mode", KEYED, bind_mode, &mode},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (call->row->code == GATHER) return bind_end(strew_gather(self, dim, index, mode, out, &call->error), 1);
  return bind_end(strew_index_select(self, dim, index, mode, out, &call->error), 1);
}

/* ------------------------------------------------------------------------------------------------------- group form */

bool bind_destination(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct destination *destination = out;
  if (!bind_tensor(L, call, i, name, &destination->given) || !bind_may_write(L, call, i, name)) return false;
  lua_pushvalue(L, i);
  lua_replace(L, destination->at);
  return true;
}

bool bind_fill(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct filling *fill = out;
  return fill->is_given = bind_scalar(L, call, i, name, &fill->value);
}

bool bind_size(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!bind_integer(L, call, i, name, out)) return false;
  if (*(int64_t *)out >= 0) return true;
  bind_fail(call, STREW_ESHAPE, name, "is %lld, expected 0 or more", (long long)*(int64_t *)out);
  return false;
}

/* scatter(src, index [, dim [, out [, dim_size]]] [, {reduce, ...}]); all but src and index by name, too. */
static int group(lua_State *L, struct script_call *call) {
  int dtype = -1;
  struct box *box = bind_push_box(L, call->binding);
  strew_tensor *src;
  struct given_index index;
  struct destination destination = {NULL, call->arguments + 1};
  struct filling fill = {false, strew_int(0)};
  strew_group_options options = STREW_GROUP_OPTIONS;
  const struct parameter parameters[] = {{"src", REQUIRED, bind_tensor, &src},
                                         {"index", REQUIRED, bind_index, &index},
                                         {"dim", OPTIONAL, bind_dim, &options.dim},
                                         {"out", OPTIONAL, bind_destination, &destination},
                                         {"dim_size", OPTIONAL, bind_size, &options.dim_size},
                                         {"fill", KEYED, bind_fill, &fill},
                                         {"mode", KEYED, bind_mode, &options.mode},
                                         {"skip_nan", KEYED, bind_boolean, &options.skip_nan},
                                         {"dtype", KEYED, bind_wanted_dtype, &dtype},
                                         {"reduce", KEYED, bind_reduction, &options.reduction},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !bind_check_grouping(call, &index, &options)) return -1;
  lua_settop(L, destination.at); /* drops what reading the options pushed */
  if (fill.is_given) options.fill = &fill.value;
  strew_dtype wanted = (strew_dtype)dtype;
  if (dtype >= 0) options.dtype = &wanted;
  strew_tensor **out = destination.given ? &destination.given : &box->tensor;
  strew_status status = index.grouping ? strew_grouping_reduce(index.grouping, src, &options, out, NULL, &call->error)
                                       : strew_group(src, index.tensor, &options, out, NULL, &call->error);
  if (status == STREW_OK && options.reduction == STREW_MEAN && dtype < 0) bind_warn_of_mean(L, call, src);
  return bind_end(status, 1);
}

/* --------------------------------------------------------------------------------------------------------- segments */

/* The arguments that reductions of segments share. The result goes to `out` or to the box at destination.at, and the
   positions of extremes behind it. */
struct segments {
  strew_tensor *src, *given;
  strew_reduction reduction;
  struct destination destination;
  struct box *box;
  int64_t dim_size;
};

static bool has_positions(const struct segments *s) { return s->reduction == STREW_AMAX || s->reduction == STREW_AMIN; }

/* Reads the arguments; `given` is the name of the second one. */
static bool read_segments(lua_State *L, struct script_call *call, const char *given, bool takes_size,
                          struct segments *s) {
  *s = (struct segments){.reduction = STREW_SUM, .destination.at = call->arguments + 1, .dim_size = -1};
  s->box = bind_push_box(L, call->binding);
  const struct parameter parameters[] = {{"src", REQUIRED, bind_tensor, &s->src},
                                         {given, REQUIRED, bind_tensor, &s->given},
                                         {"reduce", KEYED, bind_reduction, &s->reduction},
                                         {"out", KEYED, bind_destination, &s->destination},
                                         {takes_size ? "dim_size" : NULL, KEYED, bind_size, &s->dim_size},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return false;
  lua_settop(L, s->destination.at); /* drops what reading the options pushed */
  return true;
}

static strew_tensor **segments_out(struct segments *s) {
  return s->destination.given ? &s->destination.given : &s->box->tensor;
}

/* segment_csr(src, indptr [, {reduce, out}]) */
static int segment_csr(lua_State *L, struct script_call *call) {
  struct segments s;
  if (!read_segments(L, call, "indptr", false, &s)) return -1;
  struct box *arg = has_positions(&s) ? bind_push_box(L, call->binding) : NULL;
  strew_tensor **out = segments_out(&s);
  return bind_end(strew_segment_csr(s.src, s.given, s.reduction, out, arg ? &arg->tensor : NULL, &call->error),
                  1 + (arg != NULL));
}

/* segment_coo(src, index [, {reduce, out, dim_size}]) */
static int segment_coo(lua_State *L, struct script_call *call) {
  struct segments s;
  if (!read_segments(L, call, "index", true, &s)) return -1;
  struct box *arg = has_positions(&s) ? bind_push_box(L, call->binding) : NULL;
  strew_tensor **out = segments_out(&s), **winners = arg ? &arg->tensor : NULL;
  return bind_end(strew_segment_coo(s.src, s.given, s.dim_size, s.reduction, out, winners, &call->error),
                  1 + (arg != NULL));
}

static int spread(lua_State *L, struct script_call *call, const char *name,
                  strew_status (*run)(strew_tensor *src, strew_tensor *given, strew_tensor **out, strew_error *error)) {
  strew_tensor **out = bind_result(L, call), *src, *given;
  const struct parameter parameters[] = {
      {"src", REQUIRED, bind_tensor, &src}, {name, REQUIRED, bind_tensor, &given}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(run(src, given, out, &call->error), 1);
}

/* gather_csr(src, indptr), gather_coo(src, index) */
static int gather_csr(lua_State *L, struct script_call *call) { return spread(L, call, "indptr", strew_gather_csr); }
static int gather_coo(lua_State *L, struct script_call *call) { return spread(L, call, "index", strew_gather_coo); }

/* segment_reduce(data, reduce, {lengths or offsets [, axis, initial]}) */
static int segment_reduce(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *data, *lengths = NULL, *offsets = NULL;
  strew_reduction reduction;
  int axis = 0;
  struct filling initial = {false, strew_int(0)};
  const struct parameter parameters[] = {{"data", REQUIRED, bind_tensor, &data},
                                         {"reduce", REQUIRED, bind_reduction, &reduction},
                                         {"lengths", KEYED, bind_tensor, &lengths},
                                         {"offsets", KEYED, bind_tensor, &offsets},
                                         {"axis", KEYED, bind_dim, &axis},
                                         {"initial", KEYED, bind_fill, &initial},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  const strew_scalar *start = initial.is_given ? &initial.value : NULL;
  return bind_end(strew_segment_reduce(data, reduction, lengths, offsets, axis, start, out, &call->error), 1);
}

const struct script_function bind_scatter_rows[] = {
    {"scatter", scatter, STREW_ASSIGN, EVERY},
    {"scatter_add", scatter_add, 0, EVERY},
    {"scatter_reduce", scatter_reduce, 0, EVERY},
    /* reads */
    {"gather", gather, GATHER, ALWAYS},
    {"index_select", gather, INDEX_SELECT, ALWAYS},
    /* segments */
    {"segment_csr", segment_csr, 0, ALWAYS},
    {"segment_coo", segment_coo, 0, ALWAYS},
    {"segment_reduce", segment_reduce, 0, ALWAYS},
    {"gather_csr", gather_csr, 0, ALWAYS},
    {"gather_coo", gather_coo, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
