/* from_index.c: groups of an index of any rank, and the group form of torch_scatter. A new result is filled, and
   destinations that receive a contribution start from the identity, so no value marks an empty row. A given result
   takes part. */
#include "runtime/strew_core.h"
#undef STREW_INLINE
#define STREW_INLINE extern inline STREW_API /* this file has the symbols of strew.h's inline functions */
#include "runtime/strew.h"

#include "groups.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

strew_status find_index_range(const struct call *call, const strew_tensor *index, struct index_range *range) {
  struct plan values;
  *range = (struct index_range){0, -1};
  if (!strew_tensor_numel(index)) return STREW_OK;
  plan_index_values(&values, index);
  return RUN_ON(index, index_range, call, &values, range);
}

int64_t index_size_of(const struct index_range *range) {
  return range->highest < 0 ? 0 : range->highest < INT64_MAX ? range->highest + 1 : INT64_MAX;
}

strew_status find_index_size(const struct call *call, const strew_tensor *index, int64_t *size) {
  struct index_range range;
  strew_status status = find_index_range(call, index, &range);
  *size = index_size_of(&range);
  return status;
}

/* Returns the hint for a 1-D index that lies along `dim`, but has the size of another dimension of src;
   returns NULL if no size fits. */
static const char *hint_of_dim(const struct call *call, const strew_tensor *index, const struct shape1 *src, int dim) {
  int fitting = 0;
  if (index->rank != 1) return NULL;
  while (fitting < src->rank && (fitting == dim || src->sizes[fitting] != index->sizes[0])) fitting++;
  if (fitting == src->rank) return NULL;
  return hint_of(call, "{.dim = %d}: index has the size of src's dimension %d", fitting, fitting);
}

/* The index as a view of src's shape: a 1-D index lies along dim, one of higher rank is aligned with src's leading
   dimensions, sizes 1 expand. */
static strew_status broadcast_index(const struct call *call, const strew_tensor *index, const struct shape1 *src,
                                    int dim, strew_tensor *out) {
  *out = *index;
  out->rank = src->rank;
  int first = index->rank <= 1 ? dim : 0;
  char text[TEXT_BYTES];
  for (int d = 0; d < src->rank; d++) {
    bool covered = d >= first && d < first + index->rank;
    int64_t size = covered ? index->sizes[d - first] : 1;
    if (size != src->sizes[d] && size != 1)
      return fail(call, HINTED(STREW_ESHAPE, "index", hint_of_dim(call, index, src, dim)),
                  "has size %" PRId64 " where src has %" PRId64 " in dim %d: it does not broadcast to src's shape %s",
                  size, src->sizes[d], d, text_of_sizes(src->rank, src->sizes, text));
    out->sizes[d] = src->sizes[d];
    out->strides[d] = size == 1 ? 0 : index->strides[d - first];
  }
  return STREW_OK;
}

strew_status check_joining(const struct call *call, strew_reduction reduction, strew_mode mode, bool with_arg) {
  RETURN_IF_FAILED(check_words(call, reduction, mode));
  if (!with_arg || reduction == STREW_AMAX || reduction == STREW_AMIN) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "reduce"), "is \"%s\", expected amax or amin: only they have arg",
              reduction_name(reduction));
}

/* The dtype of the result, in which values are joined: src's, or options->dtype. */
static strew_dtype dtype_of(const struct group_options *options, const strew_tensor *src) {
  return options->dtype ? *options->dtype : src->dtype;
}

static strew_status check_group_dtype(const struct call *call, const struct group_options *options, strew_dtype src,
                                      strew_dtype dtype) {
  struct fault fault = {.code = STREW_EDTYPE, .argument = "dtype"};
  const char *name = call->operands[0].name;
  RETURN_IF_FAILED(check_number_dtype(call, dtype));
  const bool is_extreme = options->reduction == STREW_AMAX || options->reduction == STREW_AMIN;
  if (dtype == src) return check_mean(call, options->reduction, src);
  if (is_extreme)
    return fail(call, fault, "is %s, valid for sum, prod and mean only; \"%s\" is computed in %s's dtype, %s",
                strew_dtype_name(dtype), reduction_name(options->reduction), name, strew_dtype_name(src));
  if (dtype == STREW_FLOAT64 || (dtype == STREW_INT64 && !dtype_is_float(src))) return STREW_OK;
  return fail(call, fault, "is %s, expected float64%s or %s's own, %s", strew_dtype_name(dtype),
              dtype_is_float(src) ? "" : ", int64", name, strew_dtype_name(src));
}

strew_status group_check_dtype(const struct call *call, const struct group_options *options, const strew_tensor *src) {
  const strew_dtype dtype = dtype_of(options, src);
  strew_status status = check_group_dtype(call, options, src->dtype, dtype);
  return TRY(status, check_dtype_of_device(call, src->storage->device, dtype,
                                           dtype_is_float(src->dtype) ? NULL : "strew_to(src, float32)"));
}

static strew_status check_group(const struct call *call, strew_tensor *src, strew_tensor *index,
                                const struct group_options *options, const strew_tensor *out) {
  RETURN_IF_FAILED(check_devices(call));
  if (strew_tensor_numel(index)) RETURN_IF_FAILED(check_index_dtype(call, index, "index"));
  if (index->rank > (src->rank ? src->rank : 1))
    return fail(call, FAULT(STREW_ESHAPE, "index"), "has %d dimensions, src only %d: it does not broadcast to src",
                index->rank, src->rank);
  if (out && options->fill)
    return fail(call, FAULT(STREW_EARGUMENT, "fill"),
                "cannot be combined with 'out', which keeps the values of empty groups");
  return STREW_OK;
}

strew_status read_dim_size(const struct call *call, const int64_t *given, int64_t *dim_size) {
  *dim_size = given ? *given : -1;
  if (!given || *given >= 0) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, "dim_size"), "is %" PRId64 ", expected 0 or more", *given);
}

/* The number of groups: that of out's rows, or of the index. */
static strew_status find_size(const struct call *call, struct groups *groups, const strew_tensor *out) {
  struct index_limits *limits = &groups->addressing.limits;
  limits->size = groups->dim_size;
  if (out) limits->size = out->rank ? out->sizes[limits->dim < out->rank ? limits->dim : 0] : 1;
  return limits->size < 0 ? find_index_size(call, groups->addressing.given, &limits->size) : STREW_OK;
}

/* The same of an index that is checked anyway: in one pass, unless a value is wrong. */
static strew_status find_checked_size(const struct call *call, struct groups *groups, const strew_tensor *out) {
  struct addressing *addressing = &groups->addressing;
  struct index_range range;
  const bool is_read = !out && groups->dim_size < 0 && groups->index.storage->device->ops->host_memory;
  if (!is_read) return find_size(call, groups, out);
  const strew_status status = find_index_range(call, addressing->given, &range);
  addressing->limits.size = index_size_of(&range);
  addressing->checked = status == STREW_OK && range.lowest >= 0 && range.highest < INT64_MAX;
  return status;
}

/* All checks but those of the index values; the number of groups is not known yet. `src` is not retained. */
static strew_status check_form(const struct call *call, strew_tensor *src, strew_tensor *index,
                               const struct group_options *options, const strew_tensor *out, bool with_arg,
                               struct groups *groups) {
  int dim = options->dim;
  const struct shape1 shape = shape_at_least_1d(src);
  *groups = (struct groups){.src = src, .dim_size = options->dim_size};
  strew_status status = check_joining(call, options->reduction, options->mode, with_arg);
  TRY(status, check_dim(call, src->rank, &dim));
  TRY(status, check_group(call, src, index, options, out));
  TRY(status, out ? check_group_dtype(call, options, src->dtype, dtype_of(options, src))
                  : group_check_dtype(call, options, src));
  TRY(status, broadcast_index(call, index, &shape, dim, &groups->index));
  groups->addressing =
      (struct addressing)ADDRESSING(&groups->index, index, {0, dim, out ? "out" : "the result", options->mode, false});
  return status;
}

bool group_form_is_valid(strew_tensor *src, strew_tensor *index, const struct group_options *options, bool with_arg) {
  const struct call quiet = {.op = "scatter", .operands = {{"src", src}, {"index", index}}};
  struct groups groups;
  return check_form(&quiet, src, index, options, NULL, with_arg, &groups) == STREW_OK;
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* The shape of a result: that of the values but in dim. */
static struct shape1 rows_of(const struct groups *groups, const strew_tensor *values) {
  struct shape1 shape = shape_at_least_1d(values);
  shape.sizes[groups->addressing.limits.dim] = groups_size(groups);
  return shape;
}

/* Writes the size of a tensor in GiB to text (TEXT_BYTES) and returns it. */
static const char *text_of_gib(const struct shape1 *shape, strew_dtype dtype, char *text) {
  double bytes = (double)dtype_bytes(dtype);
  for (int d = 0; d < shape->rank; d++) bytes *= (double)shape->sizes[d];
  return strew_format_float(text, TEXT_BYTES, "%.*g", 4, bytes / (1 << 30));
}

/* Out of memory for rows sized by the index: names the largest index value, if it exceeds the number of index
   elements. */
static strew_status fail_size(const struct call *call, const struct groups *groups, const struct shape1 *rows,
                              strew_dtype dtype, strew_status failure) {
  const strew_tensor *index = groups->addressing.given;
  int64_t position[MAX_RANK], number, size = groups_size(groups);
  const bool is_plausible = groups->dim_size >= 0 || size <= strew_tensor_numel(index);
  if (is_plausible || (failure != STREW_EMEMORY && failure != STREW_ESHAPE)) return failure;
  strew_scalar value;
  char is[TEXT_BYTES], at[TEXT_BYTES], sizes[TEXT_BYTES], amount[TEXT_BYTES];
  RETURN_IF_FAILED(find_outside(call, index, INT64_MIN, size - 2, &number));
  if (number < 0) return failure; /* a host has changed the index meanwhile */
  RETURN_IF_FAILED(index_value(call, index, number, position, &value));
  struct fault fault = {.code = failure, .argument = "index", .value = &value, .position = position};
  fault.position_rank = index->rank;
  fault.hint = "dim_size = n sets the size of the result: an index value of n or more is an error then";
  RETURN_IF_FAILED(given_value(call, "index", index->rank, position, &value));
  return fail(call, fault, "has value %s at %s, so the result is %s%s and needs %s GiB: out of memory",
              text_of_scalar(value, is), text_of_sizes(fault.position_rank, position, at), strew_dtype_name(dtype),
              text_of_sizes(rows->rank, rows->sizes, sizes), text_of_gib(rows, dtype, amount));
}

/* Checks the given result, or makes one filled with the value of empty rows. *holds_identity: that value is the
   reduction's identity. */
static strew_status make_target(const struct call *call, const struct groups *groups,
                                const struct group_options *options, strew_tensor **target, bool *holds_identity) {
  bool made;
  strew_tensor *src = groups->src;
  const strew_dtype dtype = dtype_of(options, src);
  const struct shape1 rows = rows_of(groups, src);
  union element fill, identity = element_identity(options->reduction, dtype);
  const strew_scalar usual = group_empty(group_row_of(options->reduction), false, dtype);
  const strew_scalar empty = options->fill ? *options->fill : usual;
  RETURN_IF_FAILED(element_from(call, "fill", empty, STREW_EXACT, dtype, &fill));
  strew_status status = out_prepare(call, src->storage->device, dtype, rows.rank, rows.sizes, target, &made);
  if (status != STREW_OK) return made ? fail_size(call, groups, &rows, dtype, status) : status;
  *holds_identity = made && !memcmp(fill.bytes, identity.bytes, sizeof fill.bytes);
  if (made) {
    status = release_if_failed(fill_tensor(call, *target, fill), target);
    return status == STREW_EMEMORY ? fail_size(call, groups, &rows, dtype, status) : status;
  }
  status = check_overlap(call, *target, "out", NULL, false);
  TRY(status, check_overlap(call, *target, "src", src, false));
  return TRY(status, check_overlap(call, *target, "index", groups->addressing.given, false));
}

/* ----------------------------------------------------------------------------------------------------- index values */

strew_status groups_mark_outside(const struct call *call, strew_tensor *index, int64_t size, strew_tensor **out) {
  STEPS(steps, call);
  strew_tensor *below = step_binary(&steps, STREW_LT, index, 0, NULL);
  strew_tensor *above = step_binary(&steps, STREW_GE, index, size, NULL);
  return steps_give(&steps, step_binary(&steps, STREW_LOGICAL_OR, below, above, below), out);
}

strew_status groups_apply_mode(const struct call *call, strew_tensor *index, strew_mode mode, int64_t size,
                               strew_tensor **out) {
  const strew_operand low = operand_of_int(0), high = operand_of_int(size - 1), n = operand_of_int(size);
  STEPS(steps, call);
  strew_tensor *wide = step_to(&steps, index, NULL, STREW_INT64), **outside = steps_place(&steps);
  if (mode == STREW_DROP) STEP(&steps, groups_mark_outside(call, wide, size, outside));
  if (mode == STREW_DROP) STEP(&steps, strew_where(*outside, operand_of_int(-1), strew_of(wide), out, steps.error));
  if (mode == STREW_CLIP) STEP(&steps, strew_clamp_with(wide, low, high, out, steps.error));
  if (mode == STREW_WRAP) STEP(&steps, strew_binary(STREW_REMAINDER, strew_of(wide), n, out, steps.error));
  return *out ? steps.status : steps_give(&steps, wide, out);
}

static bool skips_nan(const struct group_options *options, const strew_tensor *src) {
  return options->skip_nan && dtype_is_float(src->dtype);
}

/* skip_nan: checks the index, then replaces it by one that is -1 where src is NaN, with STREW_DROP. */
static strew_status drop_nan(const struct call *call, struct groups *groups) {
  struct addressing *addressing = &groups->addressing;
  const strew_mode mode = addressing->limits.mode == STREW_DROP ? STREW_ERROR : addressing->limits.mode;
  STEPS(steps, call);
  strew_tensor **resolved = steps_place(&steps);
  STEP(&steps, addressing_check(call, addressing));
  strew_tensor *is_nan = step_binary(&steps, STREW_NE, groups->src, groups->src, NULL);
  STEP(&steps, groups_apply_mode(call, &groups->index, mode, groups_size(groups), resolved));
  STEP(&steps, strew_where(is_nan, operand_of_int(-1), strew_of(*resolved), &groups->ids, steps.error));
  steps_keep(&steps, 0, NULL); /* while the index, which may be one of them, is the old one */
  if (steps.status != STREW_OK) return steps.status;
  groups->index = *groups->ids;
  addressing->given = groups->ids;
  addressing->limits.mode = STREW_DROP;
  addressing->unsorted = false; /* of the other one */
  return STREW_OK;
}

/* Replaces the index by one whose values need no mode. An expanded index stays expanded. */
static strew_status resolve_mode(const struct call *call, struct groups *groups) {
  struct index_limits *limits = &groups->addressing.limits;
  if (limits->mode != STREW_WRAP && limits->mode != STREW_CLIP) return STREW_OK;
  strew_tensor wide = groups->index, distinct = wide;
  for (int d = 0; d < wide.rank; d++)
    if (wide.strides[d] == 0) distinct.sizes[d] = 1;
  RETURN_IF_FAILED(groups_apply_mode(call, &distinct, limits->mode, limits->size, &groups->ids));
  groups->index = *groups->ids;
  for (int d = 0; d < wide.rank; d++) {
    groups->index.sizes[d] = wide.sizes[d];
    if (wide.strides[d] == 0) groups->index.strides[d] = 0;
  }
  limits->mode = STREW_ERROR;
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------------------- the group form */

/* Runs the prepared call into *target, given or made here, and *arg, unless arg is NULL. */
static strew_status group_into(const struct call *call, struct groups *groups, const struct group_options *options,
                               strew_tensor **target, strew_tensor **arg) {
  const int64_t none = groups->index.sizes[groups->addressing.limits.dim];
  const bool is_new = !*target, empty = strew_tensor_numel(&groups->index) == 0;
  bool holds_identity = false;
  strew_status status = empty ? STREW_OK : check_clip(call, &groups->addressing.limits);
  TRY(status, make_target(call, groups, options, target, &holds_identity));
  if (status == STREW_OK && arg)
    status = tensor_full(call, (*target)->storage->device, STREW_INT64, (*target)->rank, (*target)->sizes,
                         (union element){.i64 = none}, arg);
  if (status == STREW_OK && !empty && skips_nan(options, groups->src)) status = drop_nan(call, groups);
  if (status != STREW_OK || empty) return status;
  struct scatter_job job = {.self = *target,
                            .start = *target,
                            .addressing = &groups->addressing,
                            .src = groups->src,
                            .reduction = options->reduction,
                            .disposable = is_new,
                            .start_from_identity = is_new && !arg && !holds_identity,
                            .arg = arg ? *arg : NULL,
                            .arg_none = none,
                            .fresh = is_new,
                            .exact = options->exact};
  return scatter_run(call, &job);
}

strew_status group_by_index(strew_tensor *src, strew_tensor *index, const struct group_options *options,
                            strew_tensor **out, strew_tensor **arg, strew_error *error) {
  CALL(call, "group", error, {"src", src, READ_ONCE}, {"index", index}, {"out", *out});
  INDEX(&call, index);
  struct groups groups;
  strew_tensor *target = *out, *made_arg = NULL;
  strew_status status = check_form(&call, src, index, options, *out, arg != NULL, &groups);
  TRY(status, (options->exact ? find_checked_size : find_size)(&call, &groups, *out));
  TRY(status, group_into(&call, &groups, options, &target, arg ? &made_arg : NULL));
  strew_release(groups.ids);
  if (status != STREW_OK) {
    strew_release(made_arg);
    if (!*out) strew_release(target);
    return status;
  }
  if (arg) *arg = made_arg;
  *out = target;
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------- calls of several steps */

strew_status groups_open(const struct call *call, strew_tensor *src, strew_tensor *index,
                         const struct group_options *options, bool joins, struct groups *groups) {
  struct group_options own = {.dim = options->dim, .dim_size = options->dim_size, .reduction = STREW_AMAX};
  own.mode = options->mode;
  strew_status status = check_form(call, src, index, &own, NULL, false, groups);
  TRY(status, find_checked_size(call, groups, NULL));
  groups->src = NULL;
  if (status != STREW_OK) return status;
  if (src->rank) groups->src = strew_retain(src);
  if (!src->rank) status = strew_view(src, 1, (int64_t[]){1}, &groups->src, call->error);
  if (status != STREW_OK || strew_tensor_numel(&groups->index) == 0) return status;
  const bool is_far = !src->storage->device->ops->host_memory;
  if (joins && is_far && own.mode == STREW_ERROR && !skips_nan(options, src)) return STREW_OK;
  RETURN_IF_FAILED(addressing_check(call, &groups->addressing));
  groups->addressing.checked = true;
  return skips_nan(options, src) ? drop_nan(call, groups) : resolve_mode(call, groups);
}

void groups_close(struct groups *groups) {
  strew_tensor *const owned[] = {groups->src,    groups->ids,       groups->wide, groups->counts,
                                 groups->starts, groups->positions, groups->order};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) strew_release(owned[i]);
}

strew_status groups_join_from(const struct call *call, struct groups *groups, strew_reduction reduction,
                              union element start, const strew_tensor *values, strew_tensor **out) {
  const int dim = groups->addressing.limits.dim;
  const strew_dtype dtype = values ? values->dtype : STREW_INT64;
  strew_tensor index = groups->index;
  const bool narrows = !values && strew_tensor_numel(&index); /* an index that nothing goes with is not read */
  for (int d = 0; narrows && d < index.rank; d++)
    if (d != dim && index.strides[d] == 0) index.sizes[d] = 1;
  const struct shape1 rows = rows_of(groups, &index);
  struct addressing addressing = groups->addressing;
  addressing.index = &index;
  strew_status status = tensor_create(call, index.storage->device, dtype, rows.rank, rows.sizes, out);
  if (status != STREW_OK) return fail_size(call, groups, &rows, dtype, status);
  struct scatter_job job = {.addressing = &addressing,
                            .self = *out,
                            .start = *out,
                            .disposable = true,
                            .src = values,
                            .number = {.i64 = 1},
                            .reduction = reduction};
  status = fill_tensor(call, *out, start);
  if (status == STREW_OK && strew_tensor_numel(&index)) status = scatter_run(call, &job);
  addressing_learn(&groups->addressing, &addressing);
  return release_if_failed(status, out);
}

strew_status groups_join(const struct call *call, struct groups *groups, strew_reduction reduction,
                         const strew_tensor *values, strew_tensor **out) {
  const union element identity = element_identity(reduction, values ? values->dtype : STREW_INT64);
  return groups_join_from(call, groups, reduction, identity, values, out);
}
