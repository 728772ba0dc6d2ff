/* grouping.h: groupings: which element belongs to which of n groups (grouping.c), made from keys (group_by.c). */
#ifndef STREW_GROUPING_H
#define STREW_GROUPING_H

#include "index.h"

/* Its tensors are dense, 1-D and constant. Those that are NULL are made when first needed. */
struct strew_grouping {
  size_t references;
  int64_t size;      /* groups */
  bool drops;        /* elements with the id -1 belong to no group */
  strew_tensor *ids; /* int64, of all elements */
  strew_tensor *counts, *positions, *order, *starts;
  int key_count;
  strew_tensor *keys[]; /* the distinct ones, of `size` elements */
};

/* A new grouping without groups, for that many keys. Takes ids over; releases them if it fails. */
strew_status grouping_create(const struct call *call, strew_tensor *ids, int64_t size, int key_count,
                             strew_grouping **out);
/* Marks a tensor of the grouping as one that no call writes. Returns it. */
strew_tensor *grouping_seal(strew_tensor *tensor);
/* Ends the creation: ids become constant, and known to be in range. */
void grouping_complete(strew_grouping *grouping);

#endif
