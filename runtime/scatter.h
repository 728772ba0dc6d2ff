/* scatter.h: the engine below the position form and the group form (scatter.c). */
#ifndef STREW_SCATTER_H
#define STREW_SCATTER_H

#include "index.h"

/* One scatter. All but the values of the index is checked; the index has self's rank (0 counts as 1). */
struct scatter_job {
  struct addressing *addressing; /* learns that the index is checked */
  strew_tensor *self;
  const strew_tensor *start; /* initial values: self, or a tensor that is copied to it */
  bool disposable;           /* self is new: the caller releases it if the job fails */
  const strew_tensor *src;   /* of self's dtype, not smaller than the index; NULL: `number` */
  union element number;      /* of self's dtype */
  strew_reduction reduction;
  bool start_from_identity; /* destinations that receive a contribution drop their initial value */
  bool count_self;          /* a mean divides by count + 1 */
  strew_tensor *arg;        /* positions of winners along dim, filled with arg_none before; or NULL */
  int64_t arg_none;
  bool fresh; /* arg: initial values of self are not compared */
};

/* Runs the job. On failure self is unchanged, or disposable. */
strew_status scatter_run(const struct call *call, const struct scatter_job *job);
strew_status check_mean(const struct call *call, strew_reduction reduction, strew_dtype dtype);
/* Fails for STREW_ASSIGN and, with_arg, unless the reduction is an extreme. group.c */
strew_status check_joining(const struct call *call, strew_reduction reduction, bool with_arg);

#endif
