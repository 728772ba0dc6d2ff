/* gather.h: the engine below gather and the calls that read through an index (gather.c). */
#ifndef STREW_GATHER_H
#define STREW_GATHER_H

#include "runtime/base/index_checks.h"

/* Runs a checked call: gathers into *out, or into a new tensor, of that shape and self's dtype. The index has the shape
   of the result or, if that has rank 0, one of size 1; self has the index's rank. The index may be empty though the
   given one is not: its values are checked nevertheless. */
strew_status gather_call(const struct call *call, struct addressing *addressing, const strew_tensor *self, int rank,
                         const int64_t *sizes, strew_tensor **out);
/* Fails if a given result (NULL: passes) overlaps itself, self or the index, argument `name`. */
strew_status check_gather_out(const struct call *call, const strew_tensor *out, const strew_tensor *self,
                              const char *name, const strew_tensor *index);

#endif
