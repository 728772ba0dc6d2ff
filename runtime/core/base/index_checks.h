/* index_checks.h: index tensors: how a call addresses elements through one, and the checks that this needs
   (index_checks.c). */
#ifndef STREW_INDEX_H
#define STREW_INDEX_H

#include "plan.h"

/* A tensor's sizes; rank 0 counts as rank 1 of size 1. */
struct shape1 {
  int rank;
  int64_t sizes[MAX_RANK];
};
struct shape1 shape_at_least_1d(const strew_tensor *tensor);
/* The view of a tensor that is broadcast to a shape, which it must fit. */
void tensor_broadcast(strew_tensor *wide, const strew_tensor *tensor, const struct shape1 *shape);

/* The dimension that an index chooses positions of. */
struct index_limits {
  int64_t size;
  int dim;
  const char *of; /* name of the tensor that has the dimension, for messages */
  strew_mode mode;
  bool all_elements; /* it stands for the tensor's elements in row-major order */
};

/* How scatter, group and gather address elements: all that depends on the index alone. Other facts about an index, for
   example the order of its values, belong here, too. */
struct addressing {
  const strew_tensor *index; /* of the call's shape, maybe expanded; not empty */
  const strew_tensor *given; /* as the user passed it, for messages */
  struct index_limits limits;
  bool checked;     /* no value is out of range for limits.mode */
  bool unsorted;    /* some value is known to be less than the one before it along the dimension */
  const char *name; /* of the argument `given`, for messages */
  int coordinate;   /* `given` is that column of the argument's last dimension; -1: the whole argument */
};
#define ADDRESSING(index, given, ...)                                                                                  \
  { index, given, __VA_ARGS__, false, false, "index", -1 }

/* Takes over what calls by the other one, of the same index without its repetitions, have found. */
static inline void addressing_learn(struct addressing *addressing, const struct addressing *other) {
  addressing->checked = other->checked;
  addressing->unsorted = other->unsorted;
}
/* True if values have to be checked before, or while, they are used. *lowest: the smallest valid one; the largest is
   limits.size - 1. */
bool addressing_needs_check(const struct addressing *addressing, int64_t *lowest);
/* Checks all values in a pass of its own, if that is needed: fails with the first one out of range and its position. */
strew_status addressing_check(const struct call *call, struct addressing *addressing);

/* Checks of one property each. `other`, called `name` in messages, has the rank that index must have, and the sizes
   that index must not exceed in any dimension but free_dim (-1: none). `hint` (NULL: none) goes with a wrong rank,
   where src's does not give a better one. */
strew_status check_words(const struct call *call, strew_reduction reduction, strew_mode mode);
/* Fails unless the tensor is of integers. Calls begin with INDEX(call, index): it replaces an index of another dtype than
   int64 and int32, which has elements, by its values as int64, where a uint64 above INT64_MAX becomes that. */
strew_status settle_index(const struct call *call, strew_tensor **index, strew_tensor **settled);
void release_settled(strew_tensor **settled);
#define INDEX(call, index)                                                                                             \
  strew_tensor *index##_settled __attribute__((cleanup(release_settled))) = NULL;                                      \
  RETURN_IF_FAILED(settle_index(call, &index, &index##_settled))
/* Sets *value, of an index called `name`, to what the caller gave, if that was replaced. */
strew_status given_value(const struct call *call, const char *name, int rank, const int64_t *position,
                         strew_scalar *value);
strew_status check_index_dtype(const struct call *call, const strew_tensor *index, const char *name);
strew_status check_index_rank(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                              const char *name, int dim, const char *hint);
strew_status check_index_sizes(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                               const char *name, int free_dim);
/* Fails for STREW_CLIP and a dimension of size 0. */
strew_status check_clip(const struct call *call, const struct index_limits *limits);

/* A plan over the distinct elements of an index: dimensions of stride 0 count once. Simplified. */
void plan_index_values(struct plan *plan, const strew_tensor *index);
/* The number, in row-major order, of the first value out of lowest..highest; -1: there is none. */
strew_status find_outside(const struct call *call, const strew_tensor *index, int64_t lowest, int64_t highest,
                          int64_t *number);
/* The value of element number `number` of that plan, and its coordinates in the index. */
strew_status index_value(const struct call *call, const strew_tensor *index, int64_t number, int64_t *position,
                         strew_scalar *value);

/* Rows that an index chooses, of text programs: strew_get_rows. order/index_put.c */
struct row_ops {
  strew_status (*get)(strew_tensor *self, strew_tensor *index, strew_tensor **out, strew_error *error);
};
extern const struct row_ops row_ops TABLE_OF_ROOM;

#endif
