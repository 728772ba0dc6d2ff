/* old_forms.h: calls with single arguments in the place of options, which the calls with options stand on (options.c).
   The strew.h of version 0.1 declared them; libstrew.so.0 exports them for hosts built with it. */
#ifndef STREW_OLD_FORMS_H
#define STREW_OLD_FORMS_H

#include "strew.h"

STREW_API strew_status strew_squeeze(strew_tensor *tensor, const int *dim, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_clamp(strew_tensor *tensor, const strew_operand *low, const strew_operand *high,
                                   strew_tensor **out, strew_error *error);
STREW_API strew_status strew_isclose(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool equal_nan,
                                     strew_tensor **out, strew_error *error);
STREW_API strew_status strew_reduce(strew_fold fold, strew_tensor *tensor, int count, const int *dims, bool keepdim,
                                    double correction, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_sort(strew_tensor *tensor, int dim, bool descending, strew_tensor **values,
                                  strew_tensor **indices, strew_error *error);
STREW_API strew_status strew_topk(strew_tensor *tensor, int64_t k, int dim, bool largest, strew_tensor **values,
                                  strew_tensor **indices, strew_error *error);
STREW_API strew_status strew_softmax(strew_tensor *tensor, int dim, bool logarithm, strew_tensor **out,
                                     strew_error *error);
STREW_API strew_status strew_quantile(strew_tensor *tensor, strew_operand q, const int *dim, bool keepdim,
                                      strew_interpolation interpolation, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_searchsorted(strew_tensor *sorted, strew_operand values, bool right, strew_tensor **out,
                                          strew_error *error);
STREW_API strew_status strew_bucketize(strew_operand values, strew_tensor *boundaries, bool right, strew_tensor **out,
                                       strew_error *error);
STREW_API strew_status strew_gather(strew_tensor *self, int dim, strew_tensor *index, strew_mode mode,
                                    strew_tensor **out, strew_error *error);
STREW_API strew_status strew_index_select(strew_tensor *self, int dim, strew_tensor *index, strew_mode mode,
                                          strew_tensor **out, strew_error *error);
STREW_API strew_status strew_index_add(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                       strew_scalar alpha, strew_mode mode, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_index_copy(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                        strew_mode mode, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_index_fill(strew_tensor *self, int dim, strew_tensor *index, strew_operand value,
                                        strew_mode mode, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_take_along_dim(strew_tensor *self, int dim, strew_tensor *index, strew_mode mode,
                                            strew_tensor **out, strew_error *error);
STREW_API strew_status strew_take(strew_tensor *self, strew_tensor *index, strew_mode mode, strew_tensor **out,
                                  strew_error *error);
STREW_API strew_status strew_gather_nd(strew_tensor *self, strew_tensor *indices, int batch_dims, strew_mode mode,
                                       strew_tensor **out, strew_error *error);
STREW_API strew_status strew_segment_csr(strew_tensor *src, strew_tensor *indptr, strew_reduction reduction,
                                         strew_tensor **out, strew_tensor **arg, strew_error *error);
STREW_API strew_status strew_segment_reduce(strew_tensor *data, strew_reduction reduction, strew_tensor *lengths,
                                            strew_tensor *offsets, int axis, const strew_scalar *initial,
                                            strew_tensor **out, strew_error *error);
STREW_API strew_status strew_segment_coo(strew_tensor *src, strew_tensor *index, int64_t dim_size,
                                         strew_reduction reduction, strew_tensor **out, strew_tensor **arg,
                                         strew_error *error);
STREW_API strew_status strew_grouping_create(strew_tensor *index, int64_t dim_size, strew_mode mode,
                                             strew_grouping **out, strew_error *error);
STREW_API strew_status strew_group_by(int count, strew_tensor *const keys[], strew_key_order order,
                                      strew_grouping **out, strew_error *error);
STREW_API strew_status strew_grouping_argsort(strew_grouping *grouping, strew_tensor *src, bool descending,
                                              strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_topk(strew_grouping *grouping, strew_tensor *src, int64_t k, bool largest,
                                           strew_tensor **positions, strew_tensor **groups, strew_error *error);

/* Calls of groups whose options are not all zeros by default.

   Begin with strew_group_options options = STREW_GROUP_OPTIONS, then set members. `= {0}` and designated initialisers
   are not the defaults: they group along the first dimension, into a result of size 0, where every index value is out
   of range (STREW_EINDEX) or, with STREW_DROP, dropped; and all zeros mean STREW_ASSIGN (STREW_EARGUMENT). */
typedef struct strew_group_options {
  int dim;                   /* of src; default -1, the last; 0: the first */
  int64_t dim_size;          /* of the result along dim; default -1: max(index) + 1; 0: no rows */
  strew_reduction reduction; /* default STREW_SUM; not STREW_ASSIGN, which is 0 */
  strew_mode mode;
  const strew_scalar *fill; /* value of rows without contributions; NULL: 0, 1 for STREW_PROD */
  const strew_dtype *dtype; /* of a sum, product or mean, to join src in: STREW_FLOAT64, for integers and bools
                               STREW_INT64; NULL: src's */
  bool skip_nan;            /* elements that are NaN contribute nothing; their index values are checked like others */
  uint64_t reserved[4];
} strew_group_options;
/* An initialiser: the sum along the last dimension, of max(index) + 1 rows. */
/* clang-format off */
#define STREW_GROUP_OPTIONS {-1, -1, STREW_SUM, STREW_ERROR, NULL, NULL, false, {0}}
/* clang-format on */

/* strew_group_reduce for the reductions that scatter has. arg is for STREW_AMAX and STREW_AMIN only. Of the options a
   softmax uses dim, dim_size and mode; reduction and dtype do not count for a quantile. With a grouping, dim_size is -1
   or the number of groups, and mode STREW_ERROR (STREW_EARGUMENT). squares are the sums of squares about the means that
   a variance is made of, float64, of a 1-D src, and on the CPU for a device without float64. */
STREW_API strew_status strew_group(strew_tensor *src, strew_tensor *index, const strew_group_options *options,
                                   strew_tensor **out, strew_tensor **arg, strew_error *error);
STREW_API strew_status strew_group_softmax(strew_tensor *src, strew_tensor *index, const strew_group_options *options,
                                           bool logarithm, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_softmax(strew_grouping *grouping, strew_tensor *src,
                                              const strew_group_options *options, bool logarithm, strew_tensor **out,
                                              strew_error *error);
STREW_API strew_status strew_group_quantile(strew_tensor *src, strew_tensor *index, double q,
                                            strew_interpolation interpolation, const strew_group_options *options,
                                            strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_reduce(strew_grouping *grouping, strew_tensor *src,
                                             const strew_group_options *options, strew_tensor **out, strew_tensor **arg,
                                             strew_error *error);
STREW_API strew_status strew_grouping_quantile(strew_grouping *grouping, strew_tensor *src, double q,
                                               strew_interpolation interpolation, const strew_group_options *options,
                                               strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_squares(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                              strew_error *error);
/* strew_grouping_aggregate_with for these. */
typedef struct strew_aggregate {
  strew_tensor *src;           /* NULL: the counts; options are then ignored */
  strew_group_options options; /* begin with STREW_GROUP_OPTIONS */
} strew_aggregate;
STREW_API strew_status strew_grouping_aggregate(strew_grouping *grouping, int count, const strew_aggregate aggregates[],
                                                strew_tensor *out[], strew_error *error);

#endif
