/* group.h: calls over groups that take several steps: softmax and quantiles (softmax.c, quantile.c). Their operands are those
   of the group form, checked once (group.c). */
#ifndef STREW_GROUP_H
#define STREW_GROUP_H

#include "runtime/calls/scatter.h"

/* The operands. The addressing's index has src's shape; its values are in range, or to be dropped. */
struct groups {
  strew_tensor *src; /* of rank 1 or more */
  struct addressing addressing;
  strew_tensor index; /* the addressing's */
  strew_tensor *kept; /* the index's memory, unless it is the caller's */
  int64_t dim_size;   /* as given; -1: none */
};

/* Checks all operands; of the options dim, dim_size, mode and skip_nan. `groups` may not be moved afterwards. Release
   it after a failure, too. */
strew_status groups_open(const struct call *call, strew_tensor *src, strew_tensor *index,
                         const strew_group_options *options, struct groups *groups);
void groups_close(struct groups *groups);
/* A new tensor, with a row for each group: the sum or an extreme of its values, which have src's shape; the reduction's
   identity for empty groups. values NULL: the number of its elements (int64), of size 1 where the index is expanded. */
strew_status groups_join(const struct call *call, struct groups *groups, strew_reduction reduction,
                         const strew_tensor *values, strew_tensor **out);

/* The quantiles of groups of 1-D elements on the CPU, `values` group after group, which are moved; counts: of each group,
   starts: where it begins. fill: as for strew_group_quantile. There are values and groups. quantile.c */
strew_status quantiles_of_collected(const struct call *call, strew_tensor *values, strew_tensor *starts,
                                    strew_tensor *counts, double q, strew_interpolation interpolation,
                                    const strew_scalar *fill, strew_tensor **out);

#endif
