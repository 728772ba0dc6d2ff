/* groups.h: which element belongs to which of n groups: of an index (from_index.c), of ids (groups.c), of keys
   (from_keys.c), of ends (segment.c), which stand for an index; and what is derived from that (groups.c). */
#ifndef STREW_GROUPS_H
#define STREW_GROUPS_H

#include "group_ops.h"
#include "runtime/core/scatter.h"
#include "runtime/strew.h"

/* Groups of elements along limits.dim, limits.size of them. Derived tensors are NULL until they are needed, and
   constant. */
struct groups {
  strew_tensor *src;            /* the elements, of rank 1 or more; NULL: of a grouping */
  struct addressing addressing; /* checked. STREW_ERROR; or STREW_DROP: an id that is not 0 .. size - 1 is no group's */
  strew_tensor index;           /* the addressing's, of src's shape; of a grouping: int64 after groups_widen */
  strew_tensor *ids;            /* the index's memory; NULL: the caller's. Of a grouping: dense, of any dtype of ids */
  strew_tensor *wide;           /* of a grouping: the ids as int64 */
  int64_t dim_size;             /* as given; -1: none */
  strew_tensor *counts, *starts;   /* of the rows; starts: one more along dim */
  strew_tensor *positions, *order; /* of a grouping */
};

/* One line of ids, which nobody else can write. */
struct strew_grouping {
  atomic_size_t references;
  struct released released;
  struct groups groups;
  int key_count;
  strew_tensor *keys[]; /* the distinct ones, an element for each group */
};

/* Options of strew_group_reduce in which every one has its value. */
struct group_options {
  int dim;                   /* of src */
  int64_t dim_size;          /* of the result along dim; -1: max(index) + 1 */
  strew_reduction reduction; /* STREW_ASSIGN: one that does not join values */
  strew_mode mode;
  const strew_scalar *fill; /* value of rows without contributions; NULL: 0, 1 for STREW_PROD */
  const strew_dtype *dtype; /* of a sum, product or mean, to join src in; NULL: src's */
  bool skip_nan, exact;
};

/* A reduction of a grouping among several. */
struct aggregate {
  strew_tensor *src; /* NULL: the counts */
  struct group_options options;
  bool is_exact; /* an exact sum or mean of floats */
};

static inline int64_t groups_size(const struct groups *groups) { return groups->addressing.limits.size; }
static inline bool groups_drop(const struct groups *groups) { return groups->addressing.limits.mode == STREW_DROP; }
/* The ids of a grouping as an operand of CALL. */
#define IDS_OF(grouping)                                                                                               \
  { "ids", (grouping)->groups.ids, IDS }

/* The groups as an operand of CALL. */
#define GROUPS_OF(groups)                                                                                              \
  {                                                                                                                    \
    (groups).ends       ? "indptr"                                                                                     \
    : (groups).grouping ? "ids"                                                                                        \
                        : "index",                                                                                     \
        (groups).ends       ? (groups).ends                                                                            \
        : (groups).grouping ? (groups).grouping->groups.ids                                                            \
                            : (groups).index,                                                                          \
        (groups).grouping ? IDS : 0                                                                                    \
  }

/* ---------------------------------------------------------------------------------------------------- from_index.c */

/* Checks all operands; of the options dim, dim_size, mode and skip_nan. `groups` may not be moved afterwards. Close it
   after a failure, too. joins: what comes next joins all elements; there a device with memory of its own checks the
   values of the index. */
strew_status groups_open(const struct call *call, strew_tensor *src, strew_tensor *index,
                         const struct group_options *options, bool joins, struct groups *groups);
void groups_close(struct groups *groups);
/* Fails for an unknown reduction or mode and, with_arg, unless the reduction is an extreme. */
strew_status check_joining(const struct call *call, strew_reduction reduction, strew_mode mode, bool with_arg);
/* Fails unless src can be joined as the options' dtype, which the device has. */
strew_status group_check_dtype(const struct call *call, const struct group_options *options, const strew_tensor *src);
/* Reads an option dim_size: -1 for NULL; fails if it is negative. */
strew_status read_dim_size(const struct call *call, const int64_t *given, int64_t *dim_size);
/* Reduces groups by an index, or by a grouping: strew_group_reduce for the reductions that scatter has. `arg` is for
   STREW_AMAX and STREW_AMIN. The call's name is the alias that error has. */
strew_status group_by_index(strew_tensor *src, strew_tensor *index, const struct group_options *options,
                            strew_tensor **out, strew_tensor **arg, strew_error *error);
strew_status group_by_grouping(strew_grouping *grouping, strew_tensor *src, const struct group_options *options,
                               strew_tensor **out, strew_tensor **arg, strew_error *error);
/* True if group_by_index with these operands has no errors but those of index values. */
bool group_form_is_valid(strew_tensor *src, strew_tensor *index, const struct group_options *options, bool with_arg);
/* Of groups whose index is there. A new tensor, with a row for each group: the sum or an extreme of its values, which
   have src's shape; the reduction's identity for empty groups. values NULL: the number of its elements (int64), of size
   1 where the index is expanded. groups_join_from: rows begin with `start` instead. */
strew_status groups_join(const struct call *call, struct groups *groups, strew_reduction reduction,
                         const strew_tensor *values, strew_tensor **out);
strew_status groups_join_from(const struct call *call, struct groups *groups, strew_reduction reduction,
                              union element start, const strew_tensor *values, strew_tensor **out);
/* Marks the index values that are below 0, or at least `size`. */
strew_status groups_mark_outside(const struct call *call, strew_tensor *index, int64_t size, strew_tensor **out);
/* Writes what the mode makes of checked index values to *out, int64, or to a new tensor if that is NULL: with
   STREW_DROP -1 for those out of range; with STREW_ERROR *out, which is NULL, may become the index itself, retained. */
strew_status groups_apply_mode(const struct call *call, strew_tensor *index, strew_mode mode, int64_t size,
                               strew_tensor **out);

/* -------------------------------------------------------------------------------------------------------- groups.c */

/* A new grouping, with room for keys. Takes ids over, of any dtype of ids; releases them if it fails. drops: some are
   -1. grouping_complete ends the creation. */
strew_status grouping_create(const struct call *call, strew_tensor *ids, int64_t size, bool drops, int key_count,
                             strew_grouping **out);
void grouping_complete(strew_grouping *grouping);
/* Where an element along dim, from the second one on, differs from the one before it; all NaN are equal. from_keys.c */
struct steps;
strew_tensor *find_changes(struct steps *steps, strew_tensor *tensor, int dim, strew_tensor *into);
/* Marks a tensor as one that no call writes. Returns it. */
strew_tensor *grouping_seal(strew_tensor *tensor);
/* Fails unless src is 1-D and has as many elements. */
strew_status grouping_check_line(const struct call *call, const strew_grouping *grouping, const strew_tensor *src);
/* The options of a call of the group form by the ids. Fails if they say anything else, or if src has another length. */
strew_status grouping_take_options(const struct call *call, const strew_grouping *grouping, const strew_tensor *src,
                                   const struct group_options *options, struct group_options *own);

/* Makes the index of a grouping: its ids as int64. */
strew_status groups_widen(const struct call *call, struct groups *groups);
/* Derived tensors, with a reference for the caller: see strew_grouping_ids. */
typedef strew_status groups_derive(const struct call *call, struct groups *groups, strew_tensor **out);
groups_derive groups_ids, groups_counts, groups_starts, groups_positions, groups_order;

/* The ids of a grouping as int64 on a device: a new tensor, or its own, retained. Ids that a device with memory of its
   own returns are checked: with a faulty driver they would choose addresses on the host. */
strew_status groups_ids_on(const struct call *call, const struct groups *groups, strew_device *device,
                           strew_tensor **out);
/* A new tensor of the last `count` elements of a 1-D tensor, or the tensor itself, retained, if it has no more. */
strew_status groups_keep_last(const struct call *call, strew_tensor *order, int64_t count, strew_tensor **out);

/* The functions of the device that walk over the ids of a grouping; none, if there are no groups or elements, or too
   many groups for them. groups_narrow: the ids in the form that these functions take. */
const struct group_ops *groups_walks(const struct groups *groups);
struct group_ids groups_narrow(const struct groups *groups);

/* The counts as a view of that rank, with their dimension at dim and sizes 1. */
strew_status grouping_counts_along(strew_grouping *grouping, int rank, int dim, strew_tensor **out, strew_error *error);

/* group_integers.c. Fails if the device lacks float64, of which a result of integers is; word: the reduction's. */
strew_status check_floats_of_device(const struct call *call, const char *word, const strew_tensor *src);
/* Of an aggregate with a src: the dtype of its result; true if it is a sum, a product or a mean of integers or bools
   whose elements join in int64. */
strew_dtype result_dtype(const struct aggregate *aggregate);
bool joins_integers(const struct aggregate *aggregate);
/* The elements of src, which has the shape of the aggregate's, joined in that dtype; wrapped in int64. */
strew_status grouping_join_integers(strew_grouping *grouping, const struct aggregate *aggregate,
                                    strew_reduction reduction, strew_dtype dtype, strew_tensor *src, strew_tensor **out,
                                    strew_error *error);
/* The aggregate of these sums or products in int64. One that leaves 64 bits is an error. *may_wrap: what is known of sums
   of src, or found. */
enum may_wrap { UNKNOWN_WRAP, MAY_WRAP, NEVER_WRAPS };
strew_status grouping_finish_integers(const struct call *call, strew_grouping *grouping,
                                      const struct aggregate *aggregate, strew_tensor *values, enum may_wrap *may_wrap,
                                      strew_tensor **out);
/* The sums or products of src, integers or bools of a table's column, in dtype_table_sums. One that leaves 64 bits is an
   error. *out: a new tensor. */
strew_status table_fold_integers(strew_fold fold, strew_tensor *src, const strew_reduce_options *options,
                                 strew_tensor **out, strew_error *error);

/* The least and the greatest value of an index; 0 and -1 of an index without elements. And the number of rows that it needs: the
   greatest value + 1, at least 0, at most INT64_MAX. */
strew_status find_index_range(const struct call *call, const strew_tensor *index, struct index_range *range);
int64_t index_size_of(const struct index_range *range);
strew_status find_index_size(const struct call *call, const strew_tensor *index, int64_t *size);

#endif
