/* ways.h: the scatter methods, each in the .c file of its name; group in alone.c. */
#ifndef STREW_SCATTER_WAYS_H
#define STREW_SCATTER_WAYS_H

#include "scattering.h"

strew_status opencl_scatter_alone(struct scattering *s);
/* Sets *done if the index is sorted, and then scatters, or known to be bad. Else does nothing. May not examine every
   index value. */
strew_status opencl_scatter_if_sorted(struct scattering *s, bool *done);
/* `owners`: ranges of destinations, a work-item for each. `order`: first test whether the index is sorted. */
strew_status opencl_scatter_walk(struct scattering *s, int64_t owners, bool order);
strew_status opencl_scatter_partition(struct scattering *s, bool order);
strew_status opencl_scatter_sort(struct scattering *s, bool order);
strew_status opencl_scatter_group(struct scattering *s);
strew_status opencl_scatter_atomic(struct scattering *s);
bool opencl_scatter_suits_atomics(const struct scattering *s);
/* True if destinations and contributions can be numbered in 32 bits. */
bool opencl_scatter_suits_sort(const struct scattering *s);

#endif
