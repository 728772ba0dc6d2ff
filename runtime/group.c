/* group.c: the group form of torch_scatter. A result made here is filled, and the places that receive something start
   from the identity: so emptiness is decided by counting, never by a value. A result that is given takes part. */
#include "scatter.h"

#include <inttypes.h>
#include <string.h>

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
      return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "index"},
                  "has size %" PRId64 " where src has %" PRId64 " in dim %d: it does not broadcast to src's shape %s",
                  size, src->sizes[d], d, text_of_sizes(src->rank, src->sizes, text));
    out->sizes[d] = src->sizes[d];
    out->strides[d] = size == 1 ? 0 : index->strides[d - first];
  }
  return STREW_OK;
}

/* Winners' positions go with AMAX and AMIN alone, and no group is assigned. */
static strew_status check_group_words(const struct call *call, const strew_group_options *options, bool with_arg) {
  strew_status status = check_words(call, options->reduction, options->mode);
  bool extreme = options->reduction == STREW_AMAX || options->reduction == STREW_AMIN;
  if (status != STREW_OK || (options->reduction != STREW_ASSIGN && (extreme || !with_arg))) return status;
  return fail(call, (struct fault){.code = STREW_EARGUMENT, .argument = "reduce"}, "is \"%s\", %s",
              strew_reduction_name(options->reduction),
              with_arg ? "only amax and amin have winners" : "which groups do not have");
}

static strew_status check_group(const struct call *call, strew_tensor *src, strew_tensor *index,
                                const strew_group_options *options, strew_tensor *out) {
  strew_status status = check_devices(call);
  if (status == STREW_OK) status = check_mean(call, options->reduction, src->dtype);
  if (status == STREW_OK && strew_tensor_numel(index)) status = check_index_dtype(call, index);
  if (status != STREW_OK) return status;
  if (index->rank > (src->rank ? src->rank : 1))
    return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "index"},
                "has %d dimensions, src only %d: it does not broadcast to src", index->rank, src->rank);
  if (out && options->fill)
    return fail(call, (struct fault){.code = STREW_EARGUMENT, .argument = "fill"},
                "does not go with 'out', which keeps its values where nothing arrives");
  if (options->dim_size < -1)
    return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "dim_size"},
                "is %" PRId64 ", sizes are 0 or more", options->dim_size);
  return STREW_OK;
}

/* The size of the result along dim: out's, else the one asked for, else just enough for the largest index. */
static strew_status group_size(const struct call *call, const strew_tensor *index, const strew_group_options *options,
                               const strew_tensor *out, int dim, int64_t *size) {
  *size = 0;
  if (out) return *size = out->rank ? out->sizes[dim < out->rank ? dim : 0] : 1, STREW_OK;
  if (options->dim_size >= 0) return *size = options->dim_size, STREW_OK;
  if (strew_tensor_numel(index) == 0) return STREW_OK;
  struct plan values;
  struct index_range range = {0, 0};
  plan_index_values(&values, index);
  strew_device *device = index->storage->device;
  strew_status status = device->ops->index_range(call, device, &values, &range);
  if (range.highest >= 0) *size = range.highest < INT64_MAX ? range.highest + 1 : INT64_MAX;
  return status;
}

/* The given result, checked, or a new one filled with what empty rows hold. Where that is the identity, rows that
   receive something may start from it as well. */
static strew_status group_target(const struct call *call, const strew_tensor *src, const strew_tensor *index,
                                 const strew_group_options *options, int rank, const int64_t *sizes,
                                 strew_tensor **target, bool *holds_identity) {
  bool made;
  union element fill, identity = element_identity(options->reduction, src->dtype);
  strew_scalar empty = options->fill ? *options->fill : strew_int(options->reduction == STREW_PROD);
  strew_status status = element_from(call, "fill", empty, STREW_EXACT, src->dtype, &fill);
  if (status == STREW_OK) status = out_prepare(call, src->storage->device, src->dtype, rank, sizes, target, &made);
  if (status != STREW_OK) return status;
  *holds_identity = made && !memcmp(fill.bytes, identity.bytes, sizeof fill.bytes);
  if (made) {
    status = fill_tensor(call, *target, fill);
    if (status != STREW_OK) strew_release(*target), *target = NULL;
    return status;
  }
  status = check_overlap(call, *target, "out", NULL, false);
  if (status == STREW_OK) status = check_overlap(call, *target, "src", src, false);
  if (status == STREW_OK) status = check_overlap(call, *target, "index", index, false);
  return status;
}

static strew_status arg_create(const struct call *call, const strew_tensor *target, int64_t none, strew_tensor **arg) {
  strew_status status = tensor_create(call, target->storage->device, STREW_INT64, target->rank, target->sizes, arg);
  if (status != STREW_OK) return status;
  status = fill_tensor(call, *arg, (union element){.i64 = none});
  if (status != STREW_OK) strew_release(*arg), *arg = NULL;
  return status;
}

strew_status strew_group(strew_tensor *src, strew_tensor *index, const strew_group_options *options, strew_tensor **out,
                         strew_tensor **arg, strew_error *error) {
  CALL(call, "scatter", error, {"src", src}, {"index", index}, {"out", *out});
  struct shape1 shape = shape_at_least_1d(src);
  strew_tensor flat_src = *src, wide_index, *target = *out, *made_arg = NULL;
  int dim = options->dim;
  strew_status status = check_group_words(&call, options, arg != NULL);
  if (status == STREW_OK) status = check_dim(&call, src->rank, &dim);
  if (status == STREW_OK) status = check_group(&call, src, index, options, *out);
  if (status == STREW_OK) status = broadcast_index(&call, index, &shape, dim, &wide_index);
  if (status == STREW_OK) status = group_size(&call, index, options, *out, dim, &shape.sizes[dim]);
  if (status != STREW_OK) return status;

  int64_t none = src->rank ? src->sizes[dim] : 1;
  struct index_limits limits = {shape.sizes[dim], dim, *out ? "out" : "the result", options->mode};
  bool holds_identity = false, empty = strew_tensor_numel(&wide_index) == 0;
  if (!empty) status = check_clip(&call, &limits);
  if (status == STREW_OK)
    status = group_target(&call, src, index, options, shape.rank, shape.sizes, &target, &holds_identity);
  if (status == STREW_OK && arg) status = arg_create(&call, target, none, &made_arg);
  struct scatter_job job = {.self = target,
                            .start = target,
                            .dim = dim,
                            .index = &wide_index,
                            .src = &flat_src,
                            .reduction = options->reduction,
                            .given_index = index,
                            .limits = limits,
                            .disposable = !*out,
                            .start_from_identity = !*out && !arg && !holds_identity,
                            .arg = made_arg,
                            .arg_none = none,
                            .fresh = !*out};
  if (status == STREW_OK && !empty) status = scatter_run(&call, &job);
  if (status != STREW_OK) {
    strew_release(made_arg);
    if (!*out) strew_release(target);
    return status;
  }
  if (arg) *arg = made_arg;
  *out = target;
  return STREW_OK;
}
