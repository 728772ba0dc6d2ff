/* scatter.h: the engine below the position form and the group form. */
#ifndef STREW_SCATTER_H
#define STREW_SCATTER_H

#include "index.h"

/* One scatter, checked but for the values of index, which is not empty and of self's rank (0 counts as 1). */
struct scatter_job {
  strew_tensor *self;
  const strew_tensor *start; /* what self holds at first: itself, or a tensor whose values it gets */
  int dim;
  const strew_tensor *index;
  const strew_tensor *given_index; /* as the user knows it, for messages */
  struct index_limits limits;
  bool disposable;         /* self is new: who calls drops it where the job fails */
  const strew_tensor *src; /* of self's dtype, not smaller than index; or NULL: ... */
  union element number;    /* ... this one, of self's dtype */
  strew_reduction reduction;
  bool start_from_identity; /* places that receive something forget what they held */
  bool count_self;          /* a mean divides by the count + 1 */
  strew_tensor *arg;        /* or NULL; filled with arg_none: positions of winners along dim */
  int64_t arg_none;
  bool fresh; /* arg: what self holds does not take part */
};

/* Runs it. Where values of index are out of range or memory does not suffice, self is as it was, or disposable. */
strew_status scatter_run(const struct call *call, const struct scatter_job *job);
strew_status check_mean(const struct call *call, strew_reduction reduction, strew_dtype dtype);

#endif
