/* reduce.c: reductions of groups: their table, the call, and those that join values. */
#include "reduce.h"

#include "runtime/base/copy.h"
#include "runtime/base/device.h"
#include "runtime/shared/tables.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------------ table */

const struct group_row group_rows[] = {
#define ROW(ENUM, word, name, takes, empty, exact, options, passes, body, reduction)                                   \
  [STREW_GROUP_##ENUM] = {word,          "scatter_" name, TAKES_##takes, EMPTY_##empty,                                \
                          EMPTY_##exact, (options),       &group_##body, STREW_##reduction},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
};
#define ROW(ENUM, ...) ROW_##ENUM,
enum { STREW_GROUP_REDUCTIONS(ROW) GROUP_ROWS };
#undef ROW
#define ROW(ENUM, ...) _Static_assert((int)ROW_##ENUM == (int)STREW_GROUP_##ENUM, "strew.h and a table differ: " #ENUM);
STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
_Static_assert((int)GROUP_ROWS == (int)STREW_GROUP_REDUCTION_COUNT, "a reduction of strew.h has no row");

const struct group_row *group_row_of(strew_reduction reduction) {
  for (int i = 0; i < GROUP_ROWS; i++)
    if (group_rows[i].run == group_join && group_rows[i].reduction == reduction) return &group_rows[i];
  return NULL;
}

strew_scalar group_empty(const struct group_row *row, bool is_exact, strew_dtype dtype) {
  const enum fold_empty empty = is_exact ? row->exact : row->empty;
  if (empty == EMPTY_UNDEFINED && dtype_is_float(dtype)) return strew_float((double)NAN);
  return strew_int(empty == EMPTY_ONE);
}

/* ------------------------------------------------------------------------------------------------------------- call */

/* Fails if an option is given that the reduction does not take. */
static strew_status check_taken(const struct group_call *g, const strew_tensor *out) {
  const strew_group_reduce_options *given = g->given;
  const struct {
    unsigned option;
    bool is_given;
    const char *name;
  } all[] = {{WITH_OUT, out != NULL, "out"},
             {WITH_ARG, g->arg != NULL, "arg"},
             {WITH_FILL, given->fill != NULL, "fill"},
             {WITH_DTYPE, given->dtype != NULL, "dtype"},
             {WITH_UNBIASED, given->biased, "biased"},
             {WITH_Q, given->q != 0, "q"},
             {WITH_Q, given->interpolation != 0, "interpolation"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].is_given && !(g->row->options & all[i].option))
      return fail(g->call, (struct fault){.code = STREW_EARGUMENT, .argument = all[i].name},
                  "is given, but \"%s\" does not take it", g->row->word);
  return STREW_OK;
}

/* Checks what does not depend on the reduction, and makes the options of the group form. */
static strew_status start(struct group_call *g, const strew_tensor *out) {
  const strew_group_reduce_options *given = g->given;
  g->options = (strew_group_options)STREW_GROUP_OPTIONS;
  g->options.reduction = g->row->reduction;
  g->options.mode = given->mode;
  g->options.fill = given->fill;
  g->options.dtype = given->dtype;
  g->options.skip_nan = given->skip_nan;
  if (given->dim) g->options.dim = *given->dim;
  if (given->dim_size) g->options.dim_size = *given->dim_size;
  strew_status status = check_options(g->call, given);
  if (status == STREW_OK) status = check_taken(g, out);
  if (status != STREW_OK) return status;
  if (!g->src && g->row->run != group_count)
    return fail(g->call, (struct fault){.code = STREW_EARGUMENT, .argument = "src"}, "is NULL, expected a tensor");
  if (g->options.dim_size < 0 && given->dim_size)
    return fail(g->call, (struct fault){.code = STREW_ESHAPE, .argument = "dim_size"}, "is %lld, expected 0 or more",
                (long long)g->options.dim_size);
  return g->grouping && g->src ? grouping_take_options(g->call, g->grouping, g->src, &g->options, &g->options)
                               : STREW_OK;
}

static strew_status run(struct group_call *g, strew_tensor **out) {
  strew_status status = start(g, *out);
  if (status == STREW_OK && g->row->takes == TAKES_FLOATS && !g->given->dtype)
    status = check_float(g->call, "src", g->src);
  if (status == STREW_OK) status = g->row->run(g, out);
  return status;
}

/* Composed calls have an error of their own. */
static strew_status run_composed(struct group_call *g, const struct call *outer, strew_tensor **out,
                                 strew_error *error) {
  strew_error inner = {.alias = alias_of(error, g->row->call)};
  struct call call = *outer;
  call.error = &inner;
  g->call = &call;
  return report_call(&call, run(g, out), &inner, error);
}

strew_status strew_group_reduce(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                                const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                                strew_error *error) {
  static const strew_group_reduce_options defaults;
  const bool is_known = (unsigned)reduction < STREW_GROUP_REDUCTION_COUNT;
  const struct group_row *row = &group_rows[is_known ? reduction : STREW_GROUP_SUM];
  CALL(call, row->call, error, {"src", src},
       {groups.grouping ? "ids" : "index", groups.grouping ? groups.grouping->groups.ids : groups.index,
        groups.grouping},
       {"out", *out});
  struct group_call g = {.call = &call, .row = row, .given = options ? options : &defaults, .src = src, .arg = arg};
  g.index = groups.index, g.grouping = groups.grouping;
  if (!is_known) return fail_unknown(&call, "reduction", (int)reduction, STREW_GROUP_REDUCTION_COUNT - 1);
  return row->run == group_join ? run(&g, out) : run_composed(&g, &call, out, error);
}

/* --------------------------------------------------------------------------------------------------------- operands */

strew_status group_call_index(struct group_call *g) {
  strew_status status = g->index ? STREW_OK : groups_widen(g->call, &g->grouping->groups);
  if (!g->index) g->index = g->grouping->groups.wide;
  return status;
}

strew_status group_call_open(struct group_call *g, const strew_tensor *out, struct groups *groups) {
  strew_group_options options = g->options;
  int dim = options.dim;
  strew_status status = group_call_index(g);
  if (status == STREW_OK && out && out->rank) status = check_dim(g->call, out->rank, &dim);
  if (status == STREW_OK && out) options.dim_size = out->rank ? out->sizes[dim] : 1;
  return status == STREW_OK ? groups_open(g->call, g->src, g->index, &options, groups) : status;
}

static bool skips(const struct group_call *g) { return g->options.skip_nan && dtype_is_float(g->src->dtype); }

/* ---------------------------------------------------------------------------------------------------------- joined */

strew_status group_join(struct group_call *g, strew_tensor **out) {
  strew_status status = group_call_index(g);
  return status == STREW_OK ? strew_group(g->src, g->index, &g->options, out, g->arg, g->call->error) : status;
}

/* Joins `values`, of src's shape, at the elements of src that take part. */
static strew_status join_values(struct group_call *g, strew_tensor *values, strew_tensor **out) {
  struct groups groups = {.src = NULL};
  strew_group_options options = g->options;
  strew_tensor *index = g->index;
  strew_status status = STREW_OK;
  if (skips(g)) {
    status = group_call_open(g, *out, &groups);
    options.mode = groups.addressing.limits.mode;
    if (!*out) options.dim_size = groups.addressing.limits.size;
    index = &groups.index;
  }
  if (status == STREW_OK) status = strew_group(values, index, &options, out, NULL, g->call->error);
  groups_close(&groups);
  return status;
}

/* Any and all: sums and products of bools. */
strew_status group_truth(struct group_call *g, strew_tensor **out) {
  const strew_scalar empty = group_empty(g->row, false, STREW_BOOL);
  strew_tensor *is_true = NULL;
  strew_status status = group_call_index(g);
  if (!*out) g->options.fill = &empty;
  if (status == STREW_OK)
    status = strew_binary(STREW_NE, strew_of(g->src), strew_number(strew_int(0)), &is_true, g->call->error);
  if (status == STREW_OK) status = join_values(g, is_true, out);
  strew_release(is_true);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- chosen */

/* The positions along dim, as a view of src's shape. */
static strew_status positions_of(const struct groups *groups, strew_tensor **out, strew_error *error) {
  const strew_tensor *src = groups->src;
  const int dim = groups->addressing.limits.dim;
  int64_t sizes[MAX_RANK];
  strew_tensor *line = NULL, *view = NULL;
  for (int d = 0; d < src->rank; d++) sizes[d] = d == dim ? src->sizes[d] : 1;
  strew_status status =
      strew_arange(src->storage->device, STREW_INT64, strew_int(0), strew_int(sizes[dim]), strew_int(1), &line, error);
  if (status == STREW_OK) status = strew_view(line, src->rank, sizes, &view, error);
  if (status == STREW_OK) status = strew_expand(view, src->rank, src->sizes, out, error);
  strew_release(line);
  strew_release(view);
  return status;
}

strew_status group_ends(struct group_call *g, struct groups *groups, strew_reduction reduction, strew_tensor **out) {
  strew_tensor *positions = NULL;
  if (reduction == STREW_AMIN && g->grouping && groups->src->rank == 1 && !skips(g))
    return strew_grouping_positions(g->grouping, out, g->call->error);
  strew_status status = positions_of(groups, &positions, g->call->error);
  if (status == STREW_OK) status = groups_join(g->call, groups, reduction, positions, out);
  strew_release(positions);
  return status;
}

/* Fills the rows of groups without elements, whose positions are out of range. */
static strew_status fill_unchosen(struct group_call *g, const struct groups *groups, strew_tensor *chosen,
                                  strew_tensor *result) {
  const bool is_first = g->row->reduction == STREW_AMIN;
  const strew_scalar limit = strew_int(is_first ? groups->src->sizes[groups->addressing.limits.dim] : 0);
  strew_error *error = g->call->error;
  strew_tensor *is_empty = NULL;
  if (!g->options.fill) return STREW_OK;
  strew_status status =
      strew_binary(is_first ? STREW_GE : STREW_LT, strew_of(chosen), strew_number(limit), &is_empty, error);
  if (status == STREW_OK) status = strew_masked_fill(result, is_empty, strew_number(*g->options.fill), &result, error);
  strew_release(is_empty);
  return status;
}

/* First and last: the lowest and highest positions of the groups. */
strew_status group_choice(struct group_call *g, strew_tensor **out) {
  struct groups groups = {.src = NULL};
  union element fill;
  strew_tensor *chosen = NULL, *result = NULL;
  strew_status status = group_call_open(g, NULL, &groups);
  if (status == STREW_OK && g->options.fill)
    status = element_from(g->call, "fill", *g->options.fill, STREW_EXACT, g->src->dtype, &fill);
  if (status == STREW_OK) status = group_ends(g, &groups, g->row->reduction, &chosen);
  if (status == STREW_OK)
    status = strew_gather(groups.src, groups.addressing.limits.dim, chosen, STREW_DROP, &result, g->call->error);
  if (status == STREW_OK) status = fill_unchosen(g, &groups, chosen, result);
  if (status == STREW_OK) *out = strew_retain(result);
  strew_release(result);
  strew_release(chosen);
  groups_close(&groups);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- counted */

/* Ones of a shape, as a view of a single one. */
static strew_status ones_of(const strew_tensor *like, int rank, const int64_t *sizes, strew_tensor **out,
                            strew_error *error) {
  strew_tensor *one = NULL;
  strew_status status = strew_full(like->storage->device, STREW_INT64, 1, (int64_t[]){1}, strew_int(1), &one, error);
  if (status == STREW_OK) status = strew_expand(one, rank, sizes, out, error);
  strew_release(one);
  return status;
}

/* The number of elements of an index. Values out of range are looked for in its own shape, for the error's position. */
static strew_status count_index(struct group_call *g, strew_tensor **out) {
  strew_error *error = g->call->error;
  const int64_t length = strew_tensor_numel(g->index);
  strew_tensor *flat = NULL, *ones = NULL;
  strew_status status = strew_flatten(g->index, 0, -1, &flat, error);
  if (status == STREW_OK) status = ones_of(g->index, 1, &length, &ones, error);
  if (status == STREW_OK) status = strew_group(ones, flat, &g->options, out, NULL, error);
  strew_release(flat);
  strew_release(ones);
  return status;
}

strew_status group_count(struct group_call *g, strew_tensor **out) {
  strew_error *error = g->call->error;
  strew_tensor *counts = NULL, *is_number = NULL, *values = NULL;
  if (!g->src && !g->grouping) return count_index(g, out);
  if (!g->src) {
    strew_status status = strew_grouping_counts(g->grouping, &counts, error);
    if (status == STREW_OK) status = strew_clone(counts, out, error);
    strew_release(counts);
    return status;
  }
  strew_status status = group_call_index(g);
  if (status == STREW_OK && !skips(g)) status = ones_of(g->src, g->src->rank, g->src->sizes, &values, error);
  if (status == STREW_OK && skips(g))
    status = strew_binary(STREW_EQ, strew_of(g->src), strew_of(g->src), &is_number, error);
  if (status == STREW_OK && skips(g))
    status = strew_to(is_number, is_number->storage->device, STREW_INT64, &values, error);
  if (status == STREW_OK) status = strew_group(values, g->index, &g->options, out, NULL, error);
  strew_release(is_number);
  strew_release(values);
  return status;
}

/* --------------------------------------------------------------------------------------------------- older functions */

/* Options of the group form as those of strew_group_reduce, without what a quantile ignores. */
static strew_group_reduce_options options_of(const strew_group_options *old) {
  strew_group_reduce_options options = {.fill = old->fill, .mode = old->mode, .skip_nan = old->skip_nan};
  options.dim = &old->dim;
  if (old->dim_size != -1) options.dim_size = &old->dim_size;
  for (size_t i = 0; i < sizeof old->reserved / sizeof *old->reserved; i++) options.reserved[i] = old->reserved[i];
  return options;
}

static strew_status quantile(strew_groups groups, strew_tensor *src, double q, strew_interpolation interpolation,
                             const strew_group_options *old, strew_tensor **out, strew_error *error) {
  static const strew_group_options defaults = STREW_GROUP_OPTIONS;
  strew_group_reduce_options options = options_of(old ? old : &defaults);
  strew_tensor *made = NULL;
  options.q = q;
  options.interpolation = interpolation;
  strew_status status = strew_group_reduce(groups, STREW_GROUP_QUANTILE, src, &options, &made, NULL, error);
  if (status == STREW_OK) *out = made;
  return status;
}

strew_status strew_group_quantile(strew_tensor *src, strew_tensor *index, double q, strew_interpolation interpolation,
                                  const strew_group_options *options, strew_tensor **out, strew_error *error) {
  return quantile(strew_by_index(index), src, q, interpolation, options, out, error);
}

strew_status strew_grouping_quantile(strew_grouping *grouping, strew_tensor *src, double q,
                                     strew_interpolation interpolation, const strew_group_options *options,
                                     strew_tensor **out, strew_error *error) {
  return quantile(strew_by_grouping(grouping), src, q, interpolation, options, out, error);
}

strew_status strew_grouping_reduce(strew_grouping *grouping, strew_tensor *src, const strew_group_options *options,
                                   strew_tensor **out, strew_tensor **arg, strew_error *error) {
  CALL(call, "grouping_reduce", error, {"src", src}, IDS_OF(grouping), {"out", *out});
  strew_group_options own;
  strew_status status = grouping_take_options(&call, grouping, src, options, &own);
  if (status == STREW_OK) status = groups_widen(&call, &grouping->groups);
  return status == STREW_OK ? strew_group(src, grouping->groups.wide, &own, out, arg, error) : status;
}
