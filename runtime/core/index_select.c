/* index_select.c: index_select, index_copy, index_fill, index_reduce and take_along_dim: each the gather or
   scatter of an index that is the same along all other dimensions, a view with stride 0 there. */
#include "runtime/core/base/device.h"
#include "scatter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static strew_status check_line_index(const struct call *call, const strew_tensor *index) {
  if (index->rank > 1)
    return fail(call, HINTED(STREW_ESHAPE, "index", "strew_flatten(index)"), "has %d dimensions, expected 0 or 1",
                index->rank);
  return strew_tensor_numel(index) ? check_index_dtype(call, index, "index") : STREW_OK;
}

/* Makes the view of an index that is checked. */
static void widen_index(struct along *along, const strew_tensor *self, int dim, const strew_tensor *index,
                        const strew_scatter_options *options) {
  struct shape1 shape = shape_at_least_1d(self);
  strew_tensor *wide = &along->wide;
  along->addressing = (struct addressing)ADDRESSING(wide, index, {shape.sizes[dim], dim, "self", options->mode, false});
  along->job = scatter_job_of(&along->addressing, options);
  *wide = *index;
  wide->rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) wide->sizes[d] = shape.sizes[d], wide->strides[d] = 0;
  wide->sizes[dim] = strew_tensor_numel(index);
  wide->strides[dim] = index->rank ? index->strides[0] : 0;
}

static strew_status along_start(const struct call *call, struct along *along, const strew_tensor *self, int dim,
                                const strew_tensor *index, const strew_scatter_options *options) {
  RETURN_IF_FAILED(check_options(call, options));
  RETURN_IF_FAILED(check_words(call, options->reduction, options->mode));
  RETURN_IF_FAILED(check_devices(call));
  RETURN_IF_FAILED(check_mean(call, options->reduction, self->dtype));
  RETURN_IF_FAILED(check_dim(call, self->rank, &dim));
  RETURN_IF_FAILED(check_line_index(call, index));
  widen_index(along, self, dim, index, options);
  return check_sizes(call, self->dtype, along->wide.rank, along->wide.sizes);
}

/* ---------------------------------------------------------------------------------------------------- reading */

strew_status strew_index_select_with(strew_tensor *self, int dim, strew_tensor *index,
                                     const strew_index_options *options, strew_tensor **out, strew_error *error) {
  CALL(call, "index_select", error, {"self", self, MOVED}, {"index", index}, {"out", *out, MOVED});
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  struct along along;
  const strew_scatter_options reading = {.mode = options->mode};
  RETURN_IF_FAILED(along_start(&call, &along, self, dim, index, &reading));
  if (self->rank == 0 && along.wide.sizes[0] != 1)
    return fail(&call, FAULT(STREW_ESHAPE, "index"), "has %" PRId64 " elements, expected 1: self has no dimension",
                along.wide.sizes[0]);
  RETURN_IF_FAILED(check_gather_out(&call, *out, self, "index", index));
  return gather_call(&call, &along.addressing, self, self->rank ? along.wide.rank : 0, along.wide.sizes, out);
}

strew_status strew_take_along_dim_with(strew_tensor *self, int dim, strew_tensor *index,
                                       const strew_index_options *options, strew_tensor **out, strew_error *error) {
  CALL(call, "take_along_dim", error, {"self", self, MOVED}, {"index", index}, {"out", *out, MOVED});
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  struct shape1 shape = shape_at_least_1d(index), other = shape_at_least_1d(self);
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  struct fault fault = {.code = STREW_ESHAPE, .argument = "index"};
  RETURN_IF_FAILED(check_words(&call, STREW_ASSIGN, options->mode));
  RETURN_IF_FAILED(check_devices(&call));
  RETURN_IF_FAILED(check_dim(&call, self->rank, &dim));
  if (strew_tensor_numel(index)) RETURN_IF_FAILED(check_index_dtype(&call, index, "index"));
  if (index->rank != self->rank)
    return fail(&call, fault, "has %d dimension%s, self has %d", index->rank, index->rank == 1 ? "" : "s", self->rank);
  const int64_t count = shape.sizes[dim], size = other.sizes[dim];
  shape.sizes[dim] = other.sizes[dim] = 1;
  if (!broadcast_sizes(&shape.rank, shape.sizes, other.rank, other.sizes))
    return fail(&call, fault, "has shape %s, which does not broadcast with self's %s except in dim %d",
                text_of_sizes(index->rank, index->sizes, is), text_of_sizes(self->rank, self->sizes, expected), dim);
  RETURN_IF_FAILED(check_gather_out(&call, *out, self, "index", index));
  strew_tensor wide, wide_self;
  struct addressing addressing = ADDRESSING(&wide, index, {size, dim, "self", options->mode, false});
  shape.sizes[dim] = size;
  tensor_broadcast(&wide_self, self, &shape);
  shape.sizes[dim] = count;
  tensor_broadcast(&wide, index, &shape);
  return gather_call(&call, &addressing, &wide_self, index->rank, shape.sizes, out);
}

/* ---------------------------------------------------------------------------------------------------- writing */

/* source has the view's shape; one of a single element may have rank 0, as self may. */
static strew_status check_shape(const struct call *call, const struct along *along, const strew_tensor *source) {
  const strew_tensor *wide = &along->wide;
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  const bool same =
      source->rank == wide->rank && memcmp(source->sizes, wide->sizes, (size_t)wide->rank * sizeof *wide->sizes) == 0;
  if (same || (wide->rank == 1 && wide->sizes[0] == 1 && source->rank == 0)) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, "source"), "has shape %s, expected %s",
              text_of_sizes(source->rank, source->sizes, is), text_of_sizes(wide->rank, wide->sizes, expected));
}

strew_status index_join_start(const struct call *call, struct along *along, strew_tensor *self, int dim,
                              strew_tensor *index, strew_tensor *source, const strew_scatter_options *options,
                              strew_tensor *target) {
  strew_status status = along_start(call, along, self, dim, index, options);
  TRY(status, check_scatter_source(call, self, "source", strew_of(source), &along->job));
  TRY(status, check_shape(call, along, source));
  return TRY(status, check_scatter_out(call, self, target, "index", index, "source", source));
}

strew_status strew_index_reduce(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  if (!options) options = &scatter_defaults;
  const bool copies = options->reduction == STREW_ASSIGN;
  const unsigned flags = copies ? MOVED : 0;
  CALL(call, copies ? "index_copy" : "index_reduce", error, {"self", self, flags}, {"index", index},
       {"source", source, flags}, OTHER_OUT);
  INDEX(&call, index);
  struct along along;
  strew_status status = index_join_start(&call, &along, self, dim, index, source, options, *out);
  return TRY(status, scatter_call(&call, &along.job, self, out));
}

strew_status strew_index_fill_with(strew_tensor *self, int dim, strew_tensor *index, strew_operand value,
                                   const strew_index_options *options, strew_tensor **out, strew_error *error) {
  TAKE_WORD(word, "index_fill", error, self->dtype == STREW_TEXT, self, value);
  CALL(call, "index_fill", error, {"self", self, MOVED}, {"index", index},
       {"value", value.tensor, word ? MOVED | UNSEEN : MOVED}, OTHER_OUT);
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  struct along along;
  char is[TEXT_BYTES];
  const strew_scatter_options assign = {.mode = options->mode};
  strew_status status = along_start(&call, &along, self, dim, index, &assign);
  if (status == STREW_OK && value.tensor && value.tensor->rank)
    return fail(&call, FAULT(STREW_ESHAPE, "value"), "has shape %s, expected a number or a tensor of rank 0",
                text_of_sizes(value.tensor->rank, value.tensor->sizes, is));
  TRY(status, operand_settle(&call, "value", self->dtype, &value));
  TRY(status, check_scatter_source(&call, self, "value", value, &along.job));
  TRY(status, check_scatter_out(&call, self, *out, "index", index, "value", value.tensor));
  if (status != STREW_OK) return status;
  strew_tensor wide; /* of the view's shape: the engine may read src by sizes and strides */
  if (value.tensor) {
    wide = along.wide;
    wide.dtype = value.tensor->dtype, wide.storage = value.tensor->storage, wide.offset = value.tensor->offset;
    memset(wide.strides, 0, sizeof wide.strides);
    along.job.src = &wide;
  }
  return scatter_call(&call, &along.job, self, out);
}
