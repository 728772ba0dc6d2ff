/* options.c: public forms with options, of calls that take single arguments within the library: old_forms.h. */
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
  return fail(&call, FAULT(STREW_ESHAPE, "dim_size"), "is %" PRId64 ", expected 0 or more", dim_size);
}

/* Declares `given`: the options, or zeros; fails unless their reserved bytes are zeros. */
#define GIVEN(type, op)                                                                                                \
  static const type zeros;                                                                                             \
  const type *const given = options ? options : &zeros;                                                                \
  if (memcmp(given->reserved, zeros.reserved, sizeof zeros.reserved) != 0)                                             \
  return refuse(op, given->reserved, sizeof given->reserved, error)

/* The call with options, between its other parameters and the results; `arguments` are those of the call without. */
#define WITH(name, type, arguments, results, ...)                                                                      \
  strew_status strew_##name##_with(__VA_ARGS__, const type *options, results, strew_error *error) {                    \
    GIVEN(type, #name);                                                                                                \
    return strew_##name(SPREAD arguments, error);                                                                      \
  }
#define SPREAD(...) __VA_ARGS__
#define OUTS(a, b)  strew_tensor **a, strew_tensor **b

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

WITH(isclose, strew_isclose_options, (a, b, rtol, atol, given->equal_nan, out), strew_tensor **out, strew_tensor *a,
     strew_tensor *b, double rtol, double atol)

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

WITH(sort, strew_sort_options, (tensor, dim, given->descending, values, indices), OUTS(values, indices),
     strew_tensor *tensor, int dim)
WITH(topk, strew_topk_options, (tensor, k, dim, !given->smallest, values, indices), OUTS(values, indices),
     strew_tensor *tensor, int64_t k, int dim)
WITH(softmax, strew_softmax_options, (tensor, dim, given->logarithm, out), strew_tensor **out, strew_tensor *tensor,
     int dim)
WITH(quantile, strew_quantile_options, (tensor, q, given->dim, given->keepdim, given->interpolation, out),
     strew_tensor **out, strew_tensor *tensor, strew_operand q)
WITH(searchsorted, strew_searchsorted_options, (sorted, values, given->right, out), strew_tensor **out,
     strew_tensor *sorted, strew_operand values)
WITH(bucketize, strew_searchsorted_options, (values, boundaries, given->right, out), strew_tensor **out,
     strew_operand values, strew_tensor *boundaries)

/* --------------------------------------------------------------------------------------------------- at an index */

/* The call with an index, its other arguments, and a mode in the place of options. */
#define AT_INDEX(name, arguments, ...)                                                                                 \
  WITH(name, strew_index_options, (self, SPREAD arguments, given->mode, out), strew_tensor **out, strew_tensor *self,  \
       __VA_ARGS__)
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

WITH(segment_csr, strew_segment_options, (src, indptr, reduction_of(given), out, arg), OUTS(out, arg),
     strew_tensor *src, strew_tensor *indptr)
WITH(segment_reduce, strew_segment_options, (data, reduction_of(given), lengths, offsets, axis, given->initial, out),
     strew_tensor **out, strew_tensor *data, strew_tensor *lengths, strew_tensor *offsets, int axis)

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

WITH(group_by, strew_group_by_options, (count, keys, given->order, out), strew_grouping **out, int count,
     strew_tensor *const keys[])
WITH(grouping_argsort, strew_sort_options, (grouping, src, given->descending, out), strew_tensor **out,
     strew_grouping *grouping, strew_tensor *src)
WITH(grouping_topk, strew_topk_options, (grouping, src, k, !given->smallest, positions, groups),
     OUTS(positions, groups), strew_grouping *grouping, strew_tensor *src, int64_t k)
