/* softmax.c: softmax and its logarithm, along a dimension or within groups. The largest element is subtracted first, so
   that no exponential overflows. 16-bit floats are computed as float32 and rounded once. */
#include "runtime/base/pieces.h"
#include "runtime/groups/groups.h"

#include "runtime/base/device.h"

/* A call: x is what is computed with, `out` the result in its dtype. */
struct soft {
  bool logarithm;
  strew_error *error;
  strew_tensor *x, *out;
};

/* Makes x and, unless they are the same, the result. */
static strew_status soft_start(struct soft *soft, strew_tensor *src) {
  strew_device *device = src->storage->device;
  const strew_dtype dtype = dtype_wide(src->dtype);
  strew_status status = strew_to(src, device, dtype, &soft->x, soft->error);
  if (status != STREW_OK) return status;
  return strew_empty(device, dtype, src->rank, src->sizes, &soft->out, soft->error);
}

/* Moves the result to *out, as dtype; frees the rest. */
static strew_status soft_end(struct soft *soft, strew_status status, strew_dtype dtype, strew_tensor **out) {
  if (status == STREW_OK) status = strew_to(soft->out, soft->out->storage->device, dtype, out, soft->error);
  strew_release(soft->x);
  strew_release(soft->out);
  return status;
}

/* ------------------------------------------------------------------------------------------------ along a dimension */

static strew_status soften(const struct soft *soft, int dim, strew_tensor *x, strew_tensor *out) {
  strew_error *error = soft->error;
  strew_tensor *largest = NULL, *powers = soft->logarithm ? NULL : out, *sums = NULL;
  strew_status status = strew_reduce(STREW_FOLD_AMAX, x, 1, &dim, true, 0, &largest, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(x), strew_of(largest), &out, error);
  if (status == STREW_OK) status = strew_unary(STREW_EXP, out, &powers, error);
  if (status == STREW_OK) status = strew_reduce(STREW_FOLD_SUM, powers, 1, &dim, true, 0, &sums, error);
  if (status == STREW_OK && soft->logarithm) status = strew_unary(STREW_LOG, sums, &sums, error);
  const strew_binary_op op = soft->logarithm ? STREW_SUB : STREW_DIV;
  if (status == STREW_OK) status = strew_binary(op, strew_of(out), strew_of(sums), &out, error);
  strew_release(largest);
  strew_release(sums);
  if (powers != out) strew_release(powers);
  return status;
}

static strew_status soften_pieces(const struct soft *soft, int dim) {
  strew_status status = STREW_OK;
  if (!strew_tensor_numel(soft->x)) return STREW_OK;
  const struct pieces pieces = pieces_of(soft->x, soft->x->rank ? dim : -1);
  for (int64_t at = 0; at < pieces.size && status == STREW_OK; at += pieces.length) {
    strew_tensor *x = NULL, *out = NULL;
    status = piece_at(&pieces, at, soft->x, &x, soft->error);
    if (status == STREW_OK) status = piece_at(&pieces, at, soft->out, &out, soft->error);
    if (status == STREW_OK) status = soften(soft, dim, x, out);
    strew_release(x);
    strew_release(out);
  }
  return status;
}

strew_status strew_softmax(strew_tensor *tensor, int dim, bool logarithm, strew_tensor **out, strew_error *error) {
  const char *name = logarithm ? "log_softmax" : "softmax";
  strew_error inner = {.alias = alias_of(error, name)};
  CALL(call, name, &inner, {"self", tensor});
  struct soft soft = {.logarithm = logarithm, .error = &inner};
  strew_status status = check_float(&call, "self", tensor);
  if (status == STREW_OK) status = check_dim(&call, tensor->rank, &dim);
  if (status == STREW_OK) status = soft_start(&soft, tensor);
  if (status == STREW_OK) status = soften_pieces(&soft, dim);
  return report_inner(soft_end(&soft, status, tensor->dtype, out), &inner, error);
}

/* ---------------------------------------------------------------------------------------------------- within groups */

/* A piece of the tensors; rows has the value of each group. */
struct part {
  strew_tensor *x, *out, *index, *rows;
};

static void part_release(struct part *part) {
  strew_release(part->x);
  strew_release(part->out);
  strew_release(part->index);
  strew_release(part->rows);
}

static strew_status part_at(const struct soft *soft, const struct pieces *pieces, int64_t at, struct groups *groups,
                            strew_tensor *rows, struct part *part) {
  const bool whole = pieces->dim == groups->addressing.limits.dim; /* rows are not cut along the grouped dimension */
  strew_status status = piece_at(pieces, at, soft->x, &part->x, soft->error);
  if (status == STREW_OK) status = piece_at(pieces, at, soft->out, &part->out, soft->error);
  if (status == STREW_OK) status = piece_at(pieces, at, &groups->index, &part->index, soft->error);
  if (status == STREW_OK && whole) part->rows = strew_retain(rows);
  if (status == STREW_OK && !whole) status = piece_at(pieces, at, rows, &part->rows, soft->error);
  return status;
}

/* For each element the value of its group. The index is checked, so nothing is dropped that has a group. */
static strew_status spread(const struct soft *soft, const struct groups *groups, const struct part *part,
                           strew_tensor **out) {
  return strew_gather(part->rows, groups->addressing.limits.dim, part->index, STREW_DROP, out, soft->error);
}

/* out = x - the largest of the group; for the softmax, its exponential. */
static strew_status subtract_largest(const struct soft *soft, const struct groups *groups, const struct part *part) {
  strew_tensor *largest = NULL, *out = part->out;
  strew_status status = spread(soft, groups, part, &largest);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(part->x), strew_of(largest), &out, soft->error);
  if (status == STREW_OK && !soft->logarithm) status = strew_unary(STREW_EXP, out, &out, soft->error);
  strew_release(largest);
  return status;
}

/* out /= the sum of the group; or out -= its logarithm. Elements without a group become 0. */
static strew_status join_sums(const struct soft *soft, const struct groups *groups, const struct part *part) {
  strew_tensor *sums = NULL, *out = part->out, *above = NULL, *below = NULL;
  const struct index_limits *limits = &groups->addressing.limits;
  const strew_binary_op op = soft->logarithm ? STREW_SUB : STREW_DIV;
  strew_operand zero = strew_number(strew_int(0)), index = strew_of(part->index);
  strew_status status = spread(soft, groups, part, &sums);
  if (status == STREW_OK) status = strew_binary(op, strew_of(out), strew_of(sums), &out, soft->error);
  if (status == STREW_OK && limits->mode == STREW_DROP) {
    status = strew_binary(STREW_LT, index, zero, &below, soft->error);
    if (status == STREW_OK)
      status = strew_binary(STREW_GE, index, strew_number(strew_int(limits->size)), &above, soft->error);
    if (status == STREW_OK)
      status = strew_binary(STREW_LOGICAL_OR, strew_of(below), strew_of(above), &below, soft->error);
    if (status == STREW_OK) status = strew_masked_fill(out, below, zero, &out, soft->error);
  }
  strew_release(sums);
  strew_release(above);
  strew_release(below);
  return status;
}

static strew_status each_part(const struct soft *soft, struct groups *groups, strew_tensor *rows,
                              strew_status (*run)(const struct soft *soft, const struct groups *groups,
                                                  const struct part *part)) {
  const struct pieces pieces = pieces_of(soft->x, -1);
  strew_status status = STREW_OK;
  for (int64_t at = 0; at < pieces.size && status == STREW_OK; at += pieces.length) {
    struct part part = {NULL, NULL, NULL, NULL};
    status = part_at(soft, &pieces, at, groups, rows, &part);
    if (status == STREW_OK) status = run(soft, groups, &part);
    part_release(&part);
  }
  return status;
}

static strew_status soften_groups(const struct call *call, const struct soft *soft, struct groups *groups) {
  strew_tensor *largest = NULL, *powers = NULL, *sums = NULL;
  strew_status status = groups_join(call, groups, STREW_AMAX, soft->x, &largest);
  if (status == STREW_OK) status = each_part(soft, groups, largest, subtract_largest);
  strew_release(largest);
  if (status == STREW_OK && soft->logarithm) status = strew_unary(STREW_EXP, soft->out, &powers, soft->error);
  if (status == STREW_OK) status = groups_join(call, groups, STREW_SUM, powers ? powers : soft->out, &sums);
  strew_release(powers);
  if (status == STREW_OK && soft->logarithm) status = strew_unary(STREW_LOG, sums, &sums, soft->error);
  if (status == STREW_OK) status = each_part(soft, groups, sums, join_sums);
  strew_release(sums);
  return status;
}

strew_status strew_group_softmax(strew_tensor *src, strew_tensor *index, const strew_group_options *options,
                                 bool logarithm, strew_tensor **out, strew_error *error) {
  static const strew_group_options defaults = {.dim = -1, .dim_size = -1};
  const char *name = logarithm ? "scatter_log_softmax" : "scatter_softmax";
  strew_error inner = {.alias = alias_of(error, name)};
  CALL(call, name, &inner, {"src", src}, {"index", index});
  struct soft soft = {.logarithm = logarithm, .error = &inner};
  struct groups groups = {.src = NULL};
  strew_group_options own = options ? *options : defaults;
  own.skip_nan = false;
  strew_tensor *made = NULL;
  strew_status status = check_float(&call, "src", src);
  if (status == STREW_OK) status = groups_open(&call, src, index, &own, &groups);
  if (status == STREW_OK) status = soft_start(&soft, groups.src);
  if (status == STREW_OK && strew_tensor_numel(src)) status = soften_groups(&call, &soft, &groups);
  status = soft_end(&soft, status, src->dtype, &made);
  if (status == STREW_OK) status = strew_view(made, src->rank, src->sizes, out, &inner);
  strew_release(made);
  groups_close(&groups);
  return report_inner(status, &inner, error);
}
