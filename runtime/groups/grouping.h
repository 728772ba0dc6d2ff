/* grouping.h: groupings: which element belongs to which of n groups (grouping.c), made from keys (group_by.c). */
#ifndef STREW_GROUPING_H
#define STREW_GROUPING_H

#include "runtime/base/index_checks.h"

/* Its tensors are dense, 1-D and constant. Those that are NULL are made when first needed. */
struct strew_grouping {
  atomic_size_t references;
  struct released released;
  int64_t size;         /* groups */
  bool drops;           /* elements with the id -1 belong to no group */
  strew_tensor *narrow; /* the ids of all elements, of a dtype that may be narrow: see struct group_ids */
  strew_tensor *ids;    /* as int64 */
  strew_tensor shown;   /* as messages show them: int64, without elements to read */
  strew_tensor *counts, *positions, *order, *starts;
  int key_count;
  strew_tensor *keys[]; /* the distinct ones, of `size` elements */
};

/* A new grouping without groups, for that many keys. Takes ids over, of any dtype of ids; releases them if it fails. */
strew_status grouping_create(const struct call *call, strew_tensor *ids, int64_t size, int key_count,
                             strew_grouping **out);
/* Marks a tensor of the grouping as one that no call writes. Returns it. */
strew_tensor *grouping_seal(strew_tensor *tensor);
/* Ends the creation: ids become constant, and known to be in range. */
void grouping_complete(strew_grouping *grouping);
/* Fails unless src is 1-D and has as many elements. */
strew_status grouping_check_line(const struct call *call, const strew_grouping *grouping, const strew_tensor *src);
/* The options of a call of the group form by the ids. Fails if they say anything else, or if src has another length. */
strew_status grouping_take_options(const struct call *call, const strew_grouping *grouping, const strew_tensor *src,
                                   const strew_group_options *options, strew_group_options *own);
/* Makes grouping->ids. */
strew_status grouping_widen(const struct call *call, strew_grouping *grouping);
/* The functions of the grouping's device that walk over ids; none, if there are no groups or elements, or too many groups
   for them. grouping_narrow: the ids in the form that these functions take. */
const struct device_ops *grouping_walks(const strew_grouping *grouping);
struct group_ids grouping_narrow(const strew_grouping *grouping);
/* The counts as a view of that rank, with their dimension at dim and sizes 1. */
strew_status grouping_counts_along(strew_grouping *grouping, int rank, int dim, strew_tensor **out, strew_error *error);

/* group_integers.c. Of an aggregate with a src: the dtype of its result; true if it is a sum, a product or a mean of
   integers or bools whose elements join in int64. */
strew_dtype result_dtype(const strew_aggregate *aggregate);
bool joins_integers(const strew_aggregate *aggregate);
/* The elements of src, which has the shape of the aggregate's, joined in that dtype; wrapped in int64. */
strew_status grouping_join_integers(strew_grouping *grouping, const strew_aggregate *aggregate,
                                    strew_reduction reduction, strew_dtype dtype, strew_tensor *src, strew_tensor **out,
                                    strew_error *error);
/* The aggregate of these sums or products. A wrapped one is an error. *may_wrap: what is known of sums of src, or found. */
enum may_wrap { UNKNOWN_WRAP, MAY_WRAP, NEVER_WRAPS };
strew_status grouping_finish_integers(const struct call *call, strew_grouping *grouping,
                                      const strew_aggregate *aggregate, strew_tensor *values, enum may_wrap *may_wrap,
                                      strew_tensor **out);

#endif
