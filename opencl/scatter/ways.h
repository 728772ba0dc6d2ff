/* ways.h: the ways of doing a scatter, each in the file of its name. */
#ifndef STREW_SCATTER_WAYS_H
#define STREW_SCATTER_WAYS_H

#include "scattering.h"

/* The ways. */
strew_status scatter_alone(struct scattering *s);
/* If the index is sorted, or known to be bad, that is all; else nothing happened. Does not look at every index. */
strew_status scatter_if_sorted(struct scattering *s, bool *done);
/* `order`: look whether the index is sorted. */
strew_status scatter_walk(struct scattering *s, int64_t owners, bool order);
strew_status scatter_partition(struct scattering *s, bool order);
strew_status scatter_sort(struct scattering *s, bool order);
strew_status scatter_group(struct scattering *s);
strew_status scatter_atomic(struct scattering *s);
bool atomics_serve(const struct scattering *s);
/* Are places and contributions few enough to be numbered in 32 bits? */
bool sort_serves(const struct scattering *s);

#endif
