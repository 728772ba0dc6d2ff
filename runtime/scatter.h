/* scatter.h: the engine below the position form and the group form. */
#ifndef STREW_SCATTER_H
#define STREW_SCATTER_H

#include "index.h"

/* One checked scatter: index is not empty and of self's rank (0 counts as 1), its values are valid for the mode. */
struct scatter_job {
  strew_tensor *self;
  int dim;
  const strew_tensor *index;
  const strew_tensor *src; /* of self's dtype, not smaller than index; or NULL: ... */
  union element number;    /* ... this one, of self's dtype */
  strew_reduction reduction;
  strew_mode mode;
  bool start_from_identity; /* places that receive something forget what they held */
  bool count_self;          /* a mean divides by the count + 1 */
  strew_tensor *arg;        /* or NULL; filled with arg_none: positions of winners along dim */
  int64_t arg_none;
  bool fresh; /* arg: what self holds does not take part */
};

/* Runs it. All that can fail for want of memory does so before the first write to self. */
strew_status scatter_run(const struct call *call, const struct scatter_job *job);
strew_status check_mean(const struct call *call, strew_reduction reduction, strew_dtype dtype);

#endif
