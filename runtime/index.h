/* index.h: checks of index tensors, shared by scatter.c, group.c and gather.c. */
#ifndef STREW_INDEX_H
#define STREW_INDEX_H

#include "plan.h"

/* A tensor's sizes where rank 0 counts as rank 1 of size 1. */
struct shape1 {
  int rank;
  int64_t sizes[MAX_RANK];
};
struct shape1 shape_at_least_1d(const strew_tensor *tensor);

/* Known ones? */
strew_status check_words(const struct call *call, strew_reduction reduction, strew_mode mode);
strew_status check_index_dtype(const struct call *call, const strew_tensor *index);
/* Same rank as `other`, which messages call `name`? No size above that of `other`, but in free_dim (-1: none)? */
strew_status check_index_rank(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                              const char *name, int dim);
strew_status check_index_sizes(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                               const char *name, int free_dim);

struct index_limits {
  int64_t size;   /* of the dimension that is indexed ... */
  int dim;        /* ... its number ... */
  const char *of; /* ... and whose it is, for messages */
  strew_mode mode;
};
/* Must values be looked at, and which is the lowest that is valid (the highest is size - 1)? */
bool index_needs_check(const struct index_limits *limits, int64_t *lowest);
/* Is there something to clip to? */
strew_status check_clip(const struct call *call, const struct index_limits *limits);
/* Every value in range for the mode? The index is not empty. */
strew_status check_index_values(const struct call *call, const strew_tensor *index, const struct index_limits *limits);
/* The value that check finds at `place` among the index's different ones, and its coordinates. */
strew_status index_value(const struct call *call, const strew_tensor *index, int64_t place, int64_t *position,
                         strew_scalar *value);
/* A plan over the different elements of an index: dimensions that an expanded view repeats count once. Simplified. */
void plan_index_values(struct plan *plan, const strew_tensor *index);

#endif
