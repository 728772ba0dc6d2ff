/* softmax.c: softmax and its logarithm, along a dimension or within groups. The largest element is subtracted first, so
   that no exponential overflows. 16-bit floats are computed as float32 and rounded once. */
#include "runtime/base/steps.h"
#include "runtime/groups/groups.h"

/* A call: x is what is computed with, `out` the result in its dtype. */
struct soft {
  bool logarithm;
  strew_tensor *x, *out;
};

static void soft_start(struct steps *steps, struct soft *soft, strew_tensor *src) {
  strew_device *device = src->storage->device;
  const strew_dtype dtype = dtype_wide(src->dtype);
  soft->x = step_to(steps, src, device, dtype);
  soft->out = step_new(steps, device, dtype, src->rank, src->sizes);
}

/* ------------------------------------------------------------------------------------------------ along a dimension */

static void soften(struct steps *steps, bool logarithm, int dim, strew_tensor *x, strew_tensor *out) {
  strew_tensor *largest = step_reduce(steps, STREW_FOLD_AMAX, x, 1, &dim);
  step_binary(steps, STREW_SUB, x, largest, out);
  strew_tensor *powers = step_unary(steps, STREW_EXP, out, logarithm ? NULL : out);
  strew_tensor *sums = step_reduce(steps, STREW_FOLD_SUM, powers, 1, &dim);
  if (logarithm) step_unary(steps, STREW_LOG, sums, sums);
  step_binary(steps, logarithm ? STREW_SUB : STREW_DIV, out, sums, out);
}

static void soften_pieces(struct steps *steps, const struct soft *soft, int dim) {
  if (steps->status != STREW_OK || !strew_tensor_numel(soft->x)) return;
  const struct pieces pieces = pieces_of(soft->x, soft->x->rank ? dim : -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    strew_tensor *x = step_piece(steps, &pieces, at, soft->x), *out = step_piece(steps, &pieces, at, soft->out);
    soften(steps, soft->logarithm, dim, x, out);
    steps_keep(steps, mark, NULL);
  }
}

strew_status strew_softmax(strew_tensor *tensor, int dim, bool logarithm, strew_tensor **out, strew_error *error) {
  CALL(call, logarithm ? "log_softmax" : "softmax", error, {"self", tensor});
  STEPS(steps, &call);
  struct soft soft = {.logarithm = logarithm};
  STEP(&steps, check_float(&call, "self", tensor));
  STEP(&steps, check_dim(&call, tensor->rank, &dim));
  soft_start(&steps, &soft, tensor);
  soften_pieces(&steps, &soft, dim);
  return steps_give(&steps, step_to(&steps, soft.out, NULL, tensor->dtype), out);
}

/* ---------------------------------------------------------------------------------------------------- within groups */

STEP_MAKES(step_join, NULL, groups_join(steps->call, groups, reduction, src, out), struct groups *groups,
           strew_reduction reduction, strew_tensor *src)

/* Pieces of the tensors; `own` has the value of each element's group. */
struct part {
  strew_tensor *x, *out, *index, *own;
};

/* The index is checked, so nothing is dropped that has a group. */
static struct part part_at(struct steps *steps, const struct soft *soft, const struct pieces *pieces, int64_t at,
                           struct groups *groups, strew_tensor *rows) {
  const int dim = groups->addressing.limits.dim; /* rows are not cut along it */
  struct part part = {.x = step_piece(steps, pieces, at, soft->x),
                      .out = step_piece(steps, pieces, at, soft->out),
                      .index = step_piece(steps, pieces, at, &groups->index)};
  if (pieces->dim != dim) rows = step_piece(steps, pieces, at, rows);
  part.own = step_gather(steps, rows, dim, part.index, STREW_DROP);
  return part;
}

/* out = x - the largest of the group; for the softmax, its exponential. */
static void subtract_largest(struct steps *steps, bool logarithm, const struct index_limits *limits, struct part part) {
  (void)limits;
  step_binary(steps, STREW_SUB, part.x, part.own, part.out);
  if (!logarithm) step_unary(steps, STREW_EXP, part.out, part.out);
}

/* out /= the sum of the group; or out -= its logarithm. Elements without a group become 0. */
static void join_sums(struct steps *steps, bool logarithm, const struct index_limits *limits, struct part part) {
  step_binary(steps, logarithm ? STREW_SUB : STREW_DIV, part.out, part.own, part.out);
  if (limits->mode != STREW_DROP) return;
  strew_tensor *below = step_binary(steps, STREW_LT, part.index, 0, NULL);
  strew_tensor *above = step_binary(steps, STREW_GE, part.index, limits->size, NULL);
  strew_tensor *outside = step_binary(steps, STREW_LOGICAL_OR, below, above, below);
  STEP(steps, strew_masked_fill(part.out, outside, operand_of_int(0), &part.out, steps->error));
}

static void each_part(struct steps *steps, const struct soft *soft, struct groups *groups, strew_tensor *rows,
                      void (*run)(struct steps *steps, bool logarithm, const struct index_limits *limits,
                                  struct part part)) {
  const struct pieces pieces = pieces_of(soft->x, -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    run(steps, soft->logarithm, &groups->addressing.limits, part_at(steps, soft, &pieces, at, groups, rows));
    steps_keep(steps, mark, NULL);
  }
}

static void soften_groups(struct steps *steps, const struct soft *soft, struct groups *groups) {
  const int mark = steps->count;
  each_part(steps, soft, groups, step_join(steps, groups, STREW_AMAX, soft->x), subtract_largest);
  steps_keep(steps, mark, NULL);
  strew_tensor *powers = soft->logarithm ? step_unary(steps, STREW_EXP, soft->out, NULL) : soft->out;
  strew_tensor *sums = steps_keep(steps, mark, step_join(steps, groups, STREW_SUM, powers));
  if (soft->logarithm) step_unary(steps, STREW_LOG, sums, sums);
  each_part(steps, soft, groups, sums, join_sums);
}

strew_status strew_group_softmax(strew_tensor *src, strew_tensor *index, const strew_group_options *options,
                                 bool logarithm, strew_tensor **out, strew_error *error) {
  static const strew_group_options defaults = {.dim = -1, .dim_size = -1};
  CALL(call, logarithm ? "scatter_log_softmax" : "scatter_softmax", error, {"src", src}, {"index", index});
  STEPS(steps, &call);
  struct soft soft = {.logarithm = logarithm};
  struct groups groups = {.src = NULL};
  strew_group_options own = options ? *options : defaults;
  own.skip_nan = false;
  STEP(&steps, check_float(&call, "src", src));
  STEP(&steps, groups_open(&call, src, index, &own, &groups));
  if (groups.src) soft_start(&steps, &soft, groups.src);
  if (steps.status == STREW_OK && strew_tensor_numel(src)) soften_groups(&steps, &soft, &groups);
  strew_tensor *made = step_to(&steps, soft.out, NULL, src->dtype);
  strew_status status = steps_give(&steps, step_view(&steps, made, src->rank, src->sizes), out);
  groups_close(&groups);
  return status;
}
