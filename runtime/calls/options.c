/* options.c: public forms with options, of calls that take single arguments within the library (and, until version 0.2,
   as old forms). */
#include "runtime/base/call.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static strew_status refuse(const char *op, const uint64_t *reserved, size_t size_bytes, strew_error *error) {
  CALL(call, op, error, {0});
  return check_reserved(&call, reserved, size_bytes);
}

static strew_status refuse_size(const char *op, int64_t dim_size, strew_error *error) {
  CALL(call, op, error, {0});
  return fail(&call, (struct fault){.code = STREW_ESHAPE, .argument = "dim_size"}, "is %" PRId64 ", expected 0 or more",
              dim_size);
}

/* Declares `given`: the options, or zeros; fails unless their reserved bytes are zeros. */
#define GIVEN(type, op)                                                                                                \
  static const type zeros;                                                                                             \
  const type *const given = options ? options : &zeros;                                                                \
  if (memcmp(given->reserved, zeros.reserved, sizeof zeros.reserved) != 0)                                             \
  return refuse(op, given->reserved, sizeof given->reserved, error)

/* Declares `dim_size`: that of the options, or -1; fails if it is negative. */
#define GIVEN_SIZE(op)                                                                                                 \
  const int64_t dim_size = given->dim_size ? *given->dim_size : -1;                                                    \
  if (given->dim_size && dim_size < 0) return refuse_size(op, dim_size, error)

/* ---------------------------------------------------------------------------------------------------- elementwise */

static bool is_left_out(strew_operand operand) {
  return !operand.tensor && !operand.number.dtype && !operand.number.as.i;
}

strew_status strew_clamp_with(strew_tensor *tensor, strew_operand low, strew_operand high, strew_tensor **out,
                              strew_error *error) {
  return strew_clamp(tensor, is_left_out(low) ? NULL : &low, is_left_out(high) ? NULL : &high, out, error);
}

strew_status strew_isclose_with(strew_tensor *a, strew_tensor *b, double rtol, double atol,
                                const strew_isclose_options *options, strew_tensor **out, strew_error *error) {
  GIVEN(strew_isclose_options, "isclose");
  return strew_isclose(a, b, rtol, atol, given->equal_nan, out, error);
}

strew_status strew_squeeze_dim(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  return strew_squeeze(tensor, &dim, out, error);
}

strew_status strew_squeeze_all(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  return strew_squeeze(tensor, NULL, out, error);
}

/* ------------------------------------------------------------------------------------------ reductions and sorting */

/* More dimensions than a tensor has fail within the first MAX_RANK + 1. */
strew_status strew_reduce_with(strew_fold fold, strew_tensor *tensor, const strew_reduce_options *options,
                               strew_tensor **out, strew_error *error) {
  GIVEN(strew_reduce_options, "reduce");
  int dims[MAX_RANK + 1], count = given->dim_count <= MAX_RANK ? given->dim_count : MAX_RANK + 1;
  for (int i = 0; given->dims && i < count; i++)
    dims[i] = given->dims[i] > INT_MAX ? INT_MAX : given->dims[i] < INT_MIN ? INT_MIN : (int)given->dims[i];
  return strew_reduce(fold, tensor, count, given->dims ? dims : NULL, given->keepdim,
                      given->correction ? *given->correction : 1, out, error);
}

strew_status strew_sort_with(strew_tensor *tensor, int dim, const strew_sort_options *options, strew_tensor **values,
                             strew_tensor **indices, strew_error *error) {
  GIVEN(strew_sort_options, "sort");
  return strew_sort(tensor, dim, given->descending, values, indices, error);
}

strew_status strew_topk_with(strew_tensor *tensor, int64_t k, int dim, const strew_topk_options *options,
                             strew_tensor **values, strew_tensor **indices, strew_error *error) {
  GIVEN(strew_topk_options, "topk");
  return strew_topk(tensor, k, dim, !given->smallest, values, indices, error);
}

strew_status strew_softmax_with(strew_tensor *tensor, int dim, const strew_softmax_options *options, strew_tensor **out,
                                strew_error *error) {
  GIVEN(strew_softmax_options, "softmax");
  return strew_softmax(tensor, dim, given->logarithm, out, error);
}

strew_status strew_quantile_with(strew_tensor *tensor, strew_operand q, const strew_quantile_options *options,
                                 strew_tensor **out, strew_error *error) {
  GIVEN(strew_quantile_options, "quantile");
  return strew_quantile(tensor, q, given->dim, given->keepdim, given->interpolation, out, error);
}

strew_status strew_searchsorted_with(strew_tensor *sorted, strew_operand values,
                                     const strew_searchsorted_options *options, strew_tensor **out,
                                     strew_error *error) {
  GIVEN(strew_searchsorted_options, "searchsorted");
  return strew_searchsorted(sorted, values, given->right, out, error);
}

strew_status strew_bucketize_with(strew_operand values, strew_tensor *boundaries,
                                  const strew_searchsorted_options *options, strew_tensor **out, strew_error *error) {
  GIVEN(strew_searchsorted_options, "bucketize");
  return strew_bucketize(values, boundaries, given->right, out, error);
}

/* --------------------------------------------------------------------------------------------------- at an index */

/* The call with an index, its other arguments, and a mode in the place of options. */
#define AT_INDEX(name, arguments, ...)                                                                                 \
  strew_status strew_##name##_with(strew_tensor *self, __VA_ARGS__, const strew_index_options *options,                \
                                   strew_tensor **out, strew_error *error) {                                           \
    GIVEN(strew_index_options, #name);                                                                                 \
    return strew_##name(self, SPREAD arguments, given->mode, out, error);                                              \
  }
#define SPREAD(...) __VA_ARGS__
AT_INDEX(gather, (dim, index), int dim, strew_tensor *index)
AT_INDEX(index_select, (dim, index), int dim, strew_tensor *index)
AT_INDEX(index_add, (dim, index, source, alpha), int dim, strew_tensor *index, strew_tensor *source, strew_scalar alpha)
AT_INDEX(index_copy, (dim, index, source), int dim, strew_tensor *index, strew_tensor *source)
AT_INDEX(index_fill, (dim, index, value), int dim, strew_tensor *index, strew_operand value)
AT_INDEX(take_along_dim, (dim, index), int dim, strew_tensor *index)
AT_INDEX(take, (index), strew_tensor *index)
AT_INDEX(gather_nd, (indices, batch_dims), strew_tensor *indices, int batch_dims)

/* ------------------------------------------------------------------------------------------------------- segments */

static strew_reduction reduction_of(const strew_segment_options *options) {
  return options->reduction == STREW_ASSIGN ? STREW_SUM : options->reduction;
}

strew_status strew_segment_csr_with(strew_tensor *src, strew_tensor *indptr, const strew_segment_options *options,
                                    strew_tensor **out, strew_tensor **arg, strew_error *error) {
  GIVEN(strew_segment_options, "segment_csr");
  return strew_segment_csr(src, indptr, reduction_of(given), out, arg, error);
}

strew_status strew_segment_reduce_with(strew_tensor *data, strew_tensor *lengths, strew_tensor *offsets, int axis,
                                       const strew_segment_options *options, strew_tensor **out, strew_error *error) {
  GIVEN(strew_segment_options, "segment_reduce");
  return strew_segment_reduce(data, reduction_of(given), lengths, offsets, axis, given->initial, out, error);
}

strew_status strew_segment_coo_with(strew_tensor *src, strew_tensor *index, const strew_segment_options *options,
                                    strew_tensor **out, strew_tensor **arg, strew_error *error) {
  GIVEN(strew_segment_options, "segment_coo");
  GIVEN_SIZE("segment_coo");
  return strew_segment_coo(src, index, dim_size, reduction_of(given), out, arg, error);
}

/* ------------------------------------------------------------------------------------------------------ groupings */

strew_status strew_grouping_create_with(strew_tensor *index, const strew_grouping_options *options,
                                        strew_grouping **out, strew_error *error) {
  GIVEN(strew_grouping_options, "grouping");
  GIVEN_SIZE("grouping");
  return strew_grouping_create(index, dim_size, given->mode, out, error);
}

strew_status strew_group_softmax_with(strew_groups groups, strew_tensor *src,
                                      const strew_group_softmax_options *options, strew_tensor **out,
                                      strew_error *error) {
  GIVEN(strew_group_softmax_options, "group_softmax");
  GIVEN_SIZE("group_softmax");
  const strew_group_options own = {.dim = given->dim ? *given->dim : -1, .dim_size = dim_size, .mode = given->mode};
  return groups.grouping ? strew_grouping_softmax(groups.grouping, src, &own, given->logarithm, out, error)
                         : strew_group_softmax(src, groups.index, &own, given->logarithm, out, error);
}

strew_status strew_group_by_with(int count, strew_tensor *const keys[], const strew_group_by_options *options,
                                 strew_grouping **out, strew_error *error) {
  GIVEN(strew_group_by_options, "group_by");
  return strew_group_by(count, keys, given->order, out, error);
}

strew_status strew_grouping_argsort_with(strew_grouping *grouping, strew_tensor *src, const strew_sort_options *options,
                                         strew_tensor **out, strew_error *error) {
  GIVEN(strew_sort_options, "grouping_argsort");
  return strew_grouping_argsort(grouping, src, given->descending, out, error);
}

strew_status strew_grouping_topk_with(strew_grouping *grouping, strew_tensor *src, int64_t k,
                                      const strew_topk_options *options, strew_tensor **positions,
                                      strew_tensor **groups, strew_error *error) {
  GIVEN(strew_topk_options, "grouping_topk");
  return strew_grouping_topk(grouping, src, k, !given->smallest, positions, groups, error);
}
