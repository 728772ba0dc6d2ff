/* reduce.c: reductions of groups: the call, and those that join or choose values. */
#include "reduce.h"
#include "group_ops.h"

#include <inttypes.h>

static group_body *const bodies[] = {
#define ROW(ENUM, word, name, takes, empty, exact, options, passes, body, reduction)                                   \
  [STREW_GROUP_##ENUM] = group_##body,
    STREW_GROUP_REDUCTIONS(ROW)};

/* ------------------------------------------------------------------------------------------------------------- call */

const char *find_untaken(const struct group_row *row, const strew_group_reduce_options *given, bool has_out,
                         bool has_arg) {
  const unsigned takes = row->options;
  if (has_out && !(takes & WITH_OUT)) return "out";
  if (has_arg && !(takes & WITH_ARG)) return "arg";
  if (given->fill && !(takes & WITH_FILL)) return "fill";
  if (given->dtype && !(takes & (WITH_DTYPE | WITH_ARG))) return "dtype"; /* extremes: the group form says which */
  if (given->biased && !(takes & WITH_UNBIASED)) return "biased";
  if (given->correction && !(takes & WITH_UNBIASED)) return "correction";
  if (given->q != 0 && !(takes & WITH_Q)) return "q";
  if (given->interpolation && !(takes & WITH_Q)) return "interpolation";
  return given->exact && !(takes & WITH_EXACT) ? "exact" : NULL;
}

/* Every option with its value; an unknown one remains unknown. */
static struct group_options options_of(strew_reduction reduction, const strew_group_reduce_options *given) {
  return (struct group_options){.dim = given->dim ? *given->dim : -1,
                                .dim_size = given->dim_size ? *given->dim_size : -1,
                                .reduction = reduction,
                                .mode = given->mode,
                                .fill = given->fill,
                                .dtype = given->dtype,
                                .skip_nan = given->skip_nan,
                                .exact = given->exact};
}

/* Fails unless a reduction of floats can have src, as that dtype (NULL: its own). */
static strew_status check_wanted(const struct call *call, const strew_tensor *src, const strew_dtype *dtype) {
  if (!dtype || *dtype == src->dtype) return check_float(call, call->operands[0].name, src);
  strew_status status = check_number_dtype(call, *dtype);
  if (status != STREW_OK || *dtype == STREW_FLOAT64) return status;
  return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is %s, expected float64 or %s's own, %s", strew_dtype_name(*dtype),
              call->operands[0].name, strew_dtype_name(src->dtype));
}

strew_status group_take_options(const struct call *call, strew_group_reduction reduction,
                                const strew_group_reduce_options *given, bool has_out, bool has_arg,
                                struct group_options *options) {
  const struct group_row *row = &group_rows[reduction];
  const char *untaken = find_untaken(row, given, has_out, has_arg);
  *options = options_of(row->reduction, given);
  if (untaken) return fail(call, FAULT(STREW_EARGUMENT, untaken), "is given, but \"%s\" does not take it", row->word);
  RETURN_IF_FAILED(check_options(call, given));
  RETURN_IF_FAILED(check_words(call, row->reduction, given->mode));
  return read_dim_size(call, given->dim_size, &options->dim_size);
}

strew_status group_call_check(struct group_call *g, bool has_out) {
  const strew_group_reduce_options *given = g->given;
  const struct call *call = g->steps->call;
  strew_status status = group_take_options(call, g->reduction, given, has_out, g->arg != NULL, &g->options);
  if (!g->src)
    return g->reduction == STREW_GROUP_COUNT ? status
                                             : TRY(status, fail(call, FAULT(STREW_EARGUMENT, "src"), "is NULL"));
  if (g->row->takes == TAKES_FLOATS) TRY(status, check_wanted(call, g->src, given->dtype));
  if (g->grouping) TRY(status, grouping_take_options(call, g->grouping, g->src, &g->options, &g->options));
  return status;
}

void group_call_start(struct group_call *g, struct steps *steps, strew_group_reduction reduction, strew_groups groups,
                      strew_tensor *src, const strew_group_reduce_options *options) {
  *g = (struct group_call){.steps = steps, .row = &group_rows[reduction], .src = src, .index = groups.index};
  g->reduction = reduction;
  g->given = options;
  g->grouping = groups.grouping;
}

/* True of an exact sum or mean of a grouping: its ids are walked over. */
static bool walks_exactly(strew_groups groups, const struct group_row *row, const strew_tensor *src,
                          const strew_group_reduce_options *given, const strew_tensor *out) {
  const strew_dtype dtype = src && given->dtype ? *given->dtype : src ? src->dtype : STREW_BOOL;
  return given->exact && groups.grouping && !out && dtype_is_float(dtype) && row->options & WITH_SIZES;
}

strew_tensor *group_call_run(struct group_call *g, strew_tensor *out) {
  return g->steps->status == STREW_OK ? bodies[g->reduction](g, out) : NULL;
}

/* The group form's own reductions go there without a detour, which small calls would feel. */
static strew_status join(strew_groups groups, const struct group_row *row, strew_tensor *src,
                         const strew_group_reduce_options *given, strew_tensor **out, strew_tensor **arg,
                         strew_error *error) {
  const struct group_options options = options_of(row->reduction, given);
  const char *alias = error ? error->alias : NULL;
  if (error && !alias) error->alias = row->call;
  strew_status status = groups.grouping ? group_by_grouping(groups.grouping, src, &options, out, arg, error)
                                        : group_by_index(src, groups.index, &options, out, arg, error);
  if (error) error->alias = alias;
  return status;
}

strew_status group_reduce(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                          const strew_group_reduce_options *options, bool of_table, strew_tensor **out,
                          strew_tensor **arg, strew_error *error) {
  static const struct call quiet;
  const bool is_known = (unsigned)reduction < STREW_GROUP_REDUCTION_COUNT;
  const strew_group_reduction known = is_known ? reduction : STREW_GROUP_SUM;
  const struct group_row *row = &group_rows[known];
  options = options ? options : &(const strew_group_reduce_options){0};
  const bool is_exact = is_known && walks_exactly(groups, row, src, options, *out);
  const bool is_right = is_known && src && !is_exact && !find_untaken(row, options, *out != NULL, arg != NULL);
  if (is_right && bodies[known] == group_join && !(options->dim_size && *options->dim_size < 0) &&
      check_options(&quiet, options) == STREW_OK)
    return join(groups, row, src, options, out, arg, error);
  CALL_STEPS(call, steps, row->call, error, {"src", src}, GROUPS_OF(groups), {"out", *out});
  struct group_call g;
  strew_tensor *index = groups.index;
  INDEX(&call, index);
  groups.index = index;
  group_call_start(&g, &steps, known, groups, src, options);
  g.arg = arg;
  g.of_table = of_table;
  if (!is_known) STEP(&steps, fail_unknown(&call, "reduction", (int)reduction, STREW_GROUP_REDUCTION_COUNT - 1));
  STEP(&steps, group_call_check(&g, *out != NULL));
  strew_tensor *result = is_exact && steps.status == STREW_OK ? group_exact_sums(&g) : group_call_run(&g, *out);
  groups_close(&g.groups);
  return steps_give(&steps, result == *out ? NULL : result, out);
}

/* ----------------------------------------------------------------------------------------------------------- joined */

/* Never called: join() takes these calls, if they are right. */
strew_tensor *group_join(struct group_call *g, strew_tensor *out) { return (void)g, out; }

/* Joins `values`, of src's shape, where elements of src take part. */
static strew_tensor *join_values(struct group_call *g, strew_tensor *values, strew_tensor *out) {
  struct group_options options = g->options;
  group_index(g);
  if (!group_skips(g)) return step_group(g->steps, values, g->index, &options, out);
  group_open(g, out);
  options.mode = g->groups.addressing.limits.mode;
  if (!out) options.dim_size = group_size(g);
  return step_group(g->steps, values, &g->groups.index, &options, out);
}

/* Any and all: sums and products of bools. */
strew_tensor *group_truth(struct group_call *g, strew_tensor *out) {
  const strew_scalar empty = group_empty(g->row, false, STREW_BOOL);
  if (!out) g->options.fill = &empty;
  return join_values(g, step_binary(g->steps, STREW_NE, g->src, 0, NULL), out);
}

/* ----------------------------------------------------------------------------------------------------------- chosen */

/* The positions along dim, as a view of src's shape. */
static strew_tensor *positions_of(struct group_call *g) {
  struct steps *steps = g->steps;
  int64_t sizes[MAX_RANK];
  if (steps->status != STREW_OK) return NULL;
  const strew_tensor *src = g->groups.src;
  const int dim = group_dim(g);
  for (int d = 0; d < src->rank; d++) sizes[d] = d == dim ? src->sizes[d] : 1;
  strew_tensor *line = step_count(steps, src->storage->device, sizes[dim]);
  return step_expand(steps, step_view(steps, line, src->rank, sizes), src->rank, src->sizes);
}

strew_tensor *group_ends(struct group_call *g, strew_reduction reduction) {
  if (reduction != STREW_AMIN || !group_is_line(g)) return step_join(g->steps, g, reduction, positions_of(g));
  return step_derived(g->steps, groups_positions, &g->grouping->groups);
}

/* First and last: the lowest and highest positions of the groups. */
strew_tensor *group_choice(struct group_call *g, strew_tensor *out) {
  struct steps *steps = g->steps;
  const bool is_first = g->row->reduction == STREW_AMIN;
  const strew_scalar *fill = g->options.fill;
  union element checked;
  (void)out;
  group_open(g, NULL);
  if (fill) STEP(steps, element_from(steps->call, "fill", *fill, STREW_EXACT, g->src->dtype, &checked));
  strew_tensor *chosen = group_ends(g, g->row->reduction);
  strew_tensor *result = step_gather(steps, g->groups.src, group_dim(g), chosen, STREW_DROP);
  if (!fill || steps->status != STREW_OK) return result;
  const int64_t limit = is_first ? g->groups.src->sizes[group_dim(g)] : 0;
  strew_tensor *is_empty = step_binary(steps, is_first ? STREW_GE : STREW_LT, chosen, limit, NULL);
  STEP(steps, strew_masked_fill(result, is_empty, strew_number(*fill), &result, steps->error));
  return result;
}

/* ---------------------------------------------------------------------------------------------------------- counted */

/* Ones of a shape, as a view of a single one. */
static strew_tensor *ones_of(struct steps *steps, const strew_tensor *like, int rank, const int64_t *sizes) {
  strew_tensor *one = step_full(steps, like->storage->device, STREW_INT64, 1, (int64_t[]){1}, strew_int(1));
  return step_expand(steps, one, rank, sizes);
}

/* Checks an index in its own shape, which an error's position is of. */
static void check_shaped(struct group_call *g) {
  struct steps *steps = g->steps;
  struct addressing addressing = ADDRESSING(g->index, g->index, {0, 0, "the result", g->options.mode, false});
  STEP(steps, check_index_dtype(steps->call, g->index, "index"));
  addressing.limits.size = g->options.dim_size;
  if (g->options.dim_size < 0) STEP(steps, find_index_size(steps->call, g->index, &addressing.limits.size));
  STEP(steps, check_clip(steps->call, &addressing.limits));
  STEP(steps, addressing_check(steps->call, &addressing));
}

/* The number of elements of an index. What the group form says of ones and a flat index is said of the index. */
static strew_tensor *count_index(struct group_call *g) {
  struct steps *steps = g->steps;
  const int64_t length = strew_tensor_numel(g->index);
  strew_tensor *flat = step_reshape(steps, g->index, 1, &length);
  strew_tensor *counts = step_group(steps, ones_of(steps, g->index, 1, &length), flat, &g->options, NULL);
  const strew_status failed = steps->status;
  if (failed == STREW_OK || !length) return counts;
  steps->status = STREW_OK;
  check_shaped(g);
  if (steps->status == STREW_OK) steps->status = failed;
  return NULL;
}

/* The counts of a grouping: of its line, or as rows of src's shape. */
static strew_tensor *count_members(struct group_call *g) {
  struct steps *steps = g->steps;
  struct shape1 rows = {.rank = 1, .sizes = {strew_grouping_size(g->grouping)}};
  int dim = g->src ? g->options.dim : 0;
  strew_tensor **counts = steps_place(steps);
  if (g->src) {
    rows = shape_at_least_1d(g->src);
    STEP(steps, check_devices(steps->call));
    STEP(steps, check_dim(steps->call, rows.rank, &dim));
    if (steps->status == STREW_OK) rows.sizes[dim] = strew_grouping_size(g->grouping);
  }
  STEP(steps, grouping_counts_along(g->grouping, rows.rank, dim, counts, steps->error));
  return step_copy(steps, step_expand(steps, *counts, rows.rank, rows.sizes), STREW_INT64);
}

strew_tensor *group_count(struct group_call *g, strew_tensor *out) {
  struct steps *steps = g->steps;
  (void)out;
  if (!g->src && !g->grouping) return count_index(g);
  if (g->grouping && (!g->src || !group_skips(g))) return count_members(g);
  group_index(g);
  if (!group_skips(g))
    return step_group(steps, ones_of(steps, g->src, g->src->rank, g->src->sizes), g->index, &g->options, NULL);
  g->options.skip_nan = false;
  strew_tensor *is_number = step_binary(steps, STREW_EQ, g->src, g->src, NULL);
  return step_group(steps, step_to(steps, is_number, NULL, STREW_INT64), g->index, &g->options, NULL);
}

/* -------------------------------------------------------------------------------------------------- the group form */

strew_status group_by_grouping(strew_grouping *grouping, strew_tensor *src, const struct group_options *options,
                               strew_tensor **out, strew_tensor **arg, strew_error *error) {
  CALL(call, "grouping_reduce", error, {"src", src, READ_ONCE}, IDS_OF(grouping), {"out", *out});
  struct group_options own;
  RETURN_IF_FAILED(grouping_take_options(&call, grouping, src, options, &own));
  RETURN_IF_FAILED(groups_widen(&call, &grouping->groups));
  return group_by_index(src, grouping->groups.wide, &own, out, arg, error);
}
