/* spread.c: calls of groups about a value that each group has: squares about the mean, exponentials of differences from
   the largest element (logsumexp, softmax), of which none overflows. */
#include "group_ops.h"
#include "reduce.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/reduce/pieces.h"
#include "segment.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------------- squares */

/* The elements of a variance, and what is known of their groups. */
struct squares {
  struct group_call *g;
  const struct group_ops *walks; /* make sums of a line in passes over the ids; NULL: sums are composed */
  strew_device *device;
  strew_tensor *counts; /* float64, of sizes that broadcast to the result's */
};

/* Elements minus what their groups have. Walks go without groups that are opened. */
static strew_tensor *subtract(const struct squares *s, strew_tensor *values, strew_tensor *rows) {
  struct group_call *g = s->g;
  if (s->walks) group_index(g);
  strew_tensor *own = s->walks ? step_gather(g->steps, rows, 0, g->index, STREW_DROP) : step_spread(g->steps, g, rows);
  return step_binary(g->steps, STREW_SUB, values, own, own);
}

static strew_status walk(const struct squares *s, strew_tensor *values, strew_tensor *means, strew_tensor **out) {
  const struct call *call = s->g->steps->call;
  struct aggregate_column column = {.src = values, .computed = STREW_FLOAT64, .about = means};
  const struct group_ids ids = groups_narrow(&s->g->grouping->groups);
  strew_status status = tensor_create(call, s->device, STREW_FLOAT64, 1, &ids.size, out);
  column.out[STREW_SUM] = *out;
  return TRY(status, s->walks->group_aggregate(call, s->device, &ids, 1, &column));
}

/* Sums of the values in each group; with means, of the squares of their differences from them. */
static strew_tensor *sum_about(const struct squares *s, strew_tensor *values, strew_tensor *means) {
  struct steps *steps = s->g->steps;
  strew_tensor **sums = steps_place(steps);
  if (s->walks) return STEP(steps, walk(s, values, means, sums)), *sums;
  const int mark = steps->count;
  strew_tensor *gaps = means ? subtract(s, values, means) : values;
  if (means) step_binary(steps, STREW_MUL, gaps, gaps, gaps);
  STEP(steps, groups_join(steps->call, &s->g->groups, STREW_SUM, gaps, sums));
  return steps_keep(steps, mark, NULL), *sums;
}

/* Sums of squares about the mean. From float64 elements the first one of their group is subtracted before: what all
   have in common would take digits of the mean. Sums of narrower ones have digits to spare. */
static strew_tensor *make_squares(const struct squares *s, strew_tensor *src, bool is_wide) {
  struct steps *steps = s->g->steps;
  strew_tensor *values = src;
  if (is_wide) {
    const int dim = s->walks ? 0 : group_dim(s->g);
    values = subtract(s, src, step_gather(steps, src, dim, group_ends(s->g, STREW_AMIN), STREW_DROP));
  }
  strew_tensor *sums = sum_about(s, values, NULL), *most = step_binary(steps, STREW_MAXIMUM, s->counts, 1.0, NULL);
  return sum_about(s, values, step_binary(steps, STREW_DIV, sums, most, sums));
}

/* Opens the groups of src and counts them: as float64, on the CPU for a device without it. */
static strew_tensor *squares_open(struct squares *s) {
  struct group_call *g = s->g;
  struct steps *steps = g->steps;
  strew_device *device = g->src->storage->device;
  const bool is_far = device->lacks_float64;
  s->device = is_far ? &device->context->cpu : device;
  if (group_is_line(g) && !is_far && groups_walks(&g->grouping->groups)->group_aggregate) {
    STEP(steps, check_devices(steps->call));
    s->walks = device->ops->groups;
    s->counts = step_to(steps, step_derived(steps, groups_counts, &g->grouping->groups), NULL, STREW_FLOAT64);
    return g->src;
  }
  group_index(g);
  if (is_far) STEP(steps, check_devices(steps->call));
  if (is_far && steps->status == STREW_OK) g->index = step_to(steps, g->index, s->device, g->index->dtype);
  if (steps->status == STREW_OK) g->src = step_to(steps, g->src, s->device, STREW_FLOAT64);
  group_open(g, NULL);
  s->counts = step_to(steps, step_join(steps, g, STREW_SUM, NULL), s->device, STREW_FLOAT64);
  return g->groups.src;
}

/* Powers of two, one for each group, that bring the elements of float64 near 1, if their squares left the range. */
static strew_tensor *scales_of(struct squares *s, strew_tensor *src) {
  struct steps *steps = s->g->steps;
  if (s->walks) group_open(s->g, NULL);
  s->walks = NULL;
  strew_tensor *largest = step_join(steps, s->g, STREW_AMAX, step_unary(steps, STREW_ABS, src, NULL));
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *ones = step_full(steps, s->device, STREW_FLOAT64, largest->rank, largest->sizes, strew_float(1));
  strew_tensor *is_large = step_binary(steps, STREW_GT, largest, 0x1p500, NULL);
  strew_tensor *is_small = step_binary(steps, STREW_LT, largest, 0x1p-400, NULL);
  return step_where(steps, is_large, 0x1p-600, step_where(steps, is_small, 0x1p600, ones));
}

/* True unless squares of float64 may have overflowed or lost digits. */
static bool are_exact(const struct squares *s, strew_tensor *squares) {
  struct steps *steps = s->g->steps;
  strew_tensor *is = step_binary(steps, STREW_GE, squares, 0x1p-800, NULL);
  step_binary(steps, STREW_LOGICAL_AND, is, step_binary(steps, STREW_LE, squares, 0x1p1000, NULL), is);
  is = step_binary(steps, STREW_LOGICAL_OR, is, step_binary(steps, STREW_LE, s->counts, 1.0, NULL), NULL);
  const strew_scalar are = step_number(steps, STREW_FOLD_ALL, is);
  return steps->status != STREW_OK || are.as.i;
}

/* What squares are divided by: of tables NaN where no element is left; else torch_scatter's, with 1e-6 for deviations. */
static struct exact_divisor divisor_of(const struct group_call *g, bool is_deviation) {
  const strew_group_reduce_options *given = g->given;
  const double correction = given->correction ? *given->correction : given->biased ? 0 : 1;
  if (g->of_table) return (struct exact_divisor){correction, 0, (double)NAN, 0};
  return (struct exact_divisor){correction, 1, 1, is_deviation ? 1e-6 : 0};
}

static strew_tensor *finish(const struct squares *s, strew_tensor *squares, strew_tensor *scales, bool is_deviation) {
  struct steps *steps = s->g->steps;
  const struct exact_divisor divisor = divisor_of(s->g, is_deviation);
  strew_tensor *out = step_binary(steps, STREW_DIV, squares, exact_divisors(steps, &divisor, s->counts), NULL);
  if (is_deviation) step_unary(steps, STREW_SQRT, out, out);
  for (int i = 0; scales && i < 2 - is_deviation; i++) step_binary(steps, STREW_DIV, out, scales, out);
  return out;
}

static strew_tensor *squares_result(struct group_call *g, bool is_deviation) {
  if (g->given->exact) return group_exact_spread(g, is_deviation, divisor_of(g, is_deviation));
  struct steps *steps = g->steps;
  strew_device *device = g->src->storage->device;
  struct squares s = {.g = g};
  strew_tensor *scales = NULL;
  const strew_dtype dtype = g->given->dtype ? *g->given->dtype : g->src->dtype;
  g->src = step_to(steps, g->src, NULL, dtype);
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *src = squares_open(&s), *squares = make_squares(&s, src, dtype == STREW_FLOAT64);
  if (dtype == STREW_FLOAT64 && !are_exact(&s, squares)) {
    scales = scales_of(&s, src);
    src = step_binary(steps, STREW_MUL, src, step_spread(steps, g, scales), NULL);
    squares = make_squares(&s, src, true);
  }
  strew_tensor *out = step_to(steps, finish(&s, squares, scales, is_deviation), s.device, dtype);
  return step_to(steps, out, device, dtype);
}

strew_tensor *group_variance(struct group_call *g, strew_tensor *out) { return (void)out, squares_result(g, false); }
strew_tensor *group_deviation(struct group_call *g, strew_tensor *out) { return (void)out, squares_result(g, true); }

/* ----------------------------------------------------------------------------------------------------- exponentials */

/* What is subtracted from the elements of each group: the largest, so that no exponential overflows. Infinities and NaN
   reach the sum as they are. */
static strew_tensor *largest_of(struct group_call *g, strew_tensor *x, strew_tensor *start) {
  struct steps *steps = g->steps;
  strew_tensor *largest = step_join(steps, g, STREW_AMAX, x);
  if (start) step_binary(steps, STREW_MAXIMUM, largest, start, largest);
  strew_tensor *is_finite =
      step_binary(steps, STREW_LT, step_unary(steps, STREW_ABS, largest, NULL), (double)INFINITY, NULL);
  return step_where(steps, is_finite, largest, 0.0);
}

/* The sums of exponentials below the largest; start: joined first, or NULL. */
static strew_tensor *sum_exponentials(struct group_call *g, strew_tensor *x, strew_tensor *largest,
                                      strew_tensor *start) {
  struct steps *steps = g->steps;
  strew_tensor *powers = step_binary(steps, STREW_SUB, x, step_spread(steps, g, largest), NULL);
  step_unary(steps, STREW_EXP, powers, powers);
  if (!start) return step_join(steps, g, STREW_SUM, powers);
  strew_tensor *sums = step_binary(steps, STREW_SUB, start, largest, NULL);
  step_unary(steps, STREW_EXP, sums, sums);
  const struct group_options options = {
      .dim = group_dim(g), .dim_size = -1, .reduction = STREW_SUM, .mode = g->groups.addressing.limits.mode};
  return step_group(steps, powers, &g->groups.index, &options, sums);
}

/* Checks a given result. */
static void check_given(struct group_call *g, strew_tensor *out) {
  struct steps *steps = g->steps;
  int64_t sizes[MAX_RANK];
  if (!out || steps->status != STREW_OK) return;
  const strew_tensor *src = g->groups.src;
  for (int d = 0; d < src->rank; d++) sizes[d] = d == group_dim(g) ? group_size(g) : src->sizes[d];
  steps_out(steps, "out", src->storage->device, src->dtype, src->rank, sizes, out);
}

strew_tensor *group_logsumexp(struct group_call *g, strew_tensor *out) {
  struct steps *steps = g->steps;
  const strew_scalar *fill = g->options.fill;
  union element checked;
  const strew_dtype wide = dtype_wide(g->src->dtype);
  if (out && fill)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "fill"),
                     "cannot be combined with 'out', which keeps the values of empty groups"));
  group_open(g, out);
  check_given(g, out);
  if (fill) STEP(steps, element_from(steps->call, "fill", *fill, STREW_EXACT, g->src->dtype, &checked));
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *x = step_to(steps, g->groups.src, NULL, wide), *start = out ? step_to(steps, out, NULL, wide) : NULL;
  strew_tensor *largest = largest_of(g, x, start), *sums = sum_exponentials(g, x, largest, start);
  strew_tensor *logs = step_binary(steps, STREW_ADD, step_unary(steps, STREW_LOG, sums, NULL), largest, NULL);
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, step_join(steps, g, STREW_SUM, NULL), 0, NULL);
  const strew_scalar empty = fill ? *fill : group_empty(g->row, false, wide);
  logs = start ? step_where(steps, is_empty, start, logs) : step_where(steps, is_empty, empty, logs);
  logs = step_to(steps, logs, NULL, g->src->dtype);
  if (out) STEP(steps, strew_copy(out, logs, steps->error));
  return out ? out : logs;
}

/* ---------------------------------------------------------------------------------------------------------- softmax */

/* A call of softmax: x is what is computed with, `out` the result in its dtype. */
struct soft {
  struct groups groups;
  bool logarithm;
  strew_tensor *x, *out;
};

/* out = a op own, then its exponential: the same pieces of the tensors; of a line, `own` is what the index chooses of
   the rows, in the same pass. */
struct joining {
  strew_binary_op op;
  bool exponential;
  strew_tensor *a, *rows;
};

/* The index is checked, so nothing is dropped that has a group. */
static strew_status join_line(const struct call *call, const struct joining *with, const strew_tensor *a,
                              const strew_tensor *index, const strew_tensor *out) {
  const strew_dtype dtype = out->dtype;
  struct elementwise_plan plan; /* not zeroed first: plans are large */
  PLAN(&plan.plan, 1, out->sizes, out, a, index, with->rows);
  plan.plan.operands[3].strides[0] = 0;
  plan.count = 2 + with->exponential;
  plan.instructions[0] = (struct instruction){.kind = ELEMENTWISE_TAKE,
                                              .common = STREW_INT64,
                                              .compute = dtype,
                                              .result = dtype,
                                              .inputs = 2,
                                              .in = {{.from = 2, .dtype = index->dtype}, {.from = 3, .dtype = dtype}},
                                              .size = with->rows->sizes[0],
                                              .step = with->rows->strides[0]};
  plan.instructions[1] = (struct instruction){.kind = ELEMENTWISE_BINARY,
                                              .op = with->op,
                                              .common = dtype,
                                              .compute = dtype,
                                              .result = dtype,
                                              .inputs = 2,
                                              .in = {{.from = 1, .dtype = dtype}, {.from = -1, .dtype = dtype}}};
  plan.instructions[2] = (struct instruction){.kind = ELEMENTWISE_UNARY,
                                              .op = STREW_EXP,
                                              .common = dtype,
                                              .compute = dtype,
                                              .result = dtype,
                                              .inputs = 1,
                                              .in = {{.from = -2, .dtype = dtype}}};
  return RUN_ON(out, elementwise->elementwise, call, &plan);
}

static void join_piece(struct steps *steps, struct soft *soft, const struct joining *with, const struct pieces *pieces,
                       int64_t at) {
  const int dim = soft->groups.addressing.limits.dim; /* rows are not cut along it */
  strew_tensor *a = step_piece(steps, pieces, at, with->a), *out = step_piece(steps, pieces, at, soft->out);
  strew_tensor *index = step_piece(steps, pieces, at, &soft->groups.index), *rows = with->rows;
  if (soft->x->rank == 1 && groups_size(&soft->groups) > 0) {
    STEP(steps, join_line(steps->call, with, a, index, out));
  } else {
    if (pieces->dim != dim) rows = step_piece(steps, pieces, at, rows);
    step_binary(steps, with->op, a, step_gather(steps, rows, dim, index, STREW_DROP), out);
    if (with->exponential) step_unary(steps, STREW_EXP, out, out);
  }
  if (with->a == soft->x || !groups_drop(&soft->groups)) return;
  STEP_INTO(steps, outside, groups_mark_outside(steps->call, index, groups_size(&soft->groups), outside));
  STEP(steps, strew_masked_fill(out, *outside, operand_of_int(0), &out, steps->error));
}

/* Elements without a group become 0 in the end. */
static void join_rows(struct steps *steps, struct soft *soft, struct joining with) {
  const struct pieces pieces = pieces_of(soft->x, -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    join_piece(steps, soft, &with, &pieces, at);
    steps_keep(steps, mark, NULL);
  }
}

STEP_MAKES(step_join_soft, NULL, groups_join(steps->call, &soft->groups, reduction, x, out), struct soft *soft,
           strew_reduction reduction, strew_tensor *x)

static void soften(struct steps *steps, struct soft *soft) {
  const int mark = steps->count;
  join_rows(steps, soft,
            (struct joining){STREW_SUB, !soft->logarithm, soft->x, step_join_soft(steps, soft, STREW_AMAX, soft->x)});
  steps_keep(steps, mark, NULL);
  strew_tensor *powers = soft->logarithm ? step_unary(steps, STREW_EXP, soft->out, NULL) : soft->out;
  strew_tensor *sums = steps_keep(steps, mark, step_join_soft(steps, soft, STREW_SUM, powers));
  if (soft->logarithm) step_unary(steps, STREW_LOG, sums, sums);
  join_rows(steps, soft, (struct joining){soft->logarithm ? STREW_SUB : STREW_DIV, false, soft->out, sums});
}

strew_status strew_group_softmax_with(strew_groups groups, strew_tensor *src,
                                      const strew_group_softmax_options *options, strew_tensor **out,
                                      strew_error *error) {
  const bool logarithm = options && options->logarithm;
  strew_tensor *index = groups.index;
  CALL_STEPS(call, steps, logarithm ? "scatter_log_softmax" : "scatter_softmax", error, {"src", src},
             GROUPS_OF(groups));
  OPTIONS(strew_group_softmax_options);
  INDEX(&call, index);
  struct soft soft = {.logarithm = logarithm};
  struct group_options own = {.dim = options->dim ? *options->dim : -1, .mode = options->mode};
  const strew_dtype wide = dtype_wide(src->dtype);
  STEP(&steps, read_dim_size(&call, options->dim_size, &own.dim_size));
  if (groups.grouping) {
    STEP(&steps, grouping_take_options(&call, groups.grouping, src, &own, &own));
    STEP(&steps, groups_widen(&call, &groups.grouping->groups));
    index = groups.grouping->groups.wide;
  }
  STEP(&steps, check_float(&call, "src", src));
  if (groups.ends) index = group_index_of_ends(&steps, groups.ends, src, &own);
  STEP(&steps, groups_open(&call, src, index, &own, true, &soft.groups));
  if (steps.status == STREW_OK) {
    soft.x = step_to(&steps, soft.groups.src, NULL, wide);
    soft.out = step_new(&steps, src->storage->device, wide, soft.groups.src->rank, soft.groups.src->sizes);
  }
  if (steps.status == STREW_OK && strew_tensor_numel(src)) soften(&steps, &soft);
  strew_tensor *made = step_to(&steps, soft.out, NULL, src->dtype);
  strew_status status = steps_give(&steps, step_view(&steps, made, src->rank, src->sizes), out);
  groups_close(&soft.groups);
  return status;
}
