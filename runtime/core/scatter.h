/* scatter.h: the engines below the position form and the group form (scatter.c), and below gather and the calls that
   read through an index (gather.c). */
#ifndef STREW_SCATTER_H
#define STREW_SCATTER_H

#include "runtime/core/base/index_checks.h"

/* One scatter. All but the values of the index is checked; the index has self's rank (0 counts as 1). */
struct scatter_job {
  struct addressing *addressing; /* learns that the index is checked */
  strew_tensor *self;
  const strew_tensor *start; /* initial values: self, or a tensor that is copied to it */
  bool disposable;           /* self is new: the caller releases it if the job fails */
  const strew_tensor *src;   /* converted to self's dtype as it joins; not smaller than the index; NULL: `number` */
  union element number;      /* of self's dtype */
  strew_reduction reduction;
  bool start_from_identity; /* destinations that receive a contribution drop their initial value */
  bool count_self;          /* a mean divides by count + 1 */
  strew_tensor *arg;        /* positions of winners along dim, filled with arg_none before; or NULL */
  int64_t arg_none;
  bool fresh; /* arg: initial values of self are not compared */
  bool exact; /* sums and means of floats are exact: exact.c */
};

/* Runs the job. On failure self is unchanged, or disposable. */
strew_status scatter_run(const struct call *call, const struct scatter_job *job);

/* The same of an exact sum or mean of floats, by scatters of integers. runtime/groups/exact_scatter.c */
typedef strew_status scatter_runs(const struct call *call, const struct scatter_job *job);
struct exact_scatters {
  strew_status (*run)(const struct call *call, const struct scatter_job *job, scatter_runs *run);
};
extern const struct exact_scatters exact_scatters TABLE_OF_ROOM;

/* A job of the call's options, without self and src. */
struct scatter_job scatter_job_of(struct addressing *addressing, const strew_scatter_options *options);
extern const strew_scatter_options scatter_defaults; /* those of a call without options */
/* Runs a checked call: scatters into *out, or into a new tensor of self's values. The index may be empty though the
   given one is not: its values are checked nevertheless. */
strew_status scatter_call(const struct call *call, struct scatter_job *job, strew_tensor *self, strew_tensor **out);

/* Checks of the call's arguments. The source, argument `name`, becomes the job's src or number; it has self's dtype, or
   is a number that it can hold. A target (NULL: passes) is like self and does not overlap itself, self's other
   elements, or an operand (NULL: passes), argument `name`. */
strew_status check_scatter_source(const struct call *call, const strew_tensor *self, const char *name,
                                  strew_operand source, struct scatter_job *job);
strew_status check_scatter_target(const struct call *call, strew_tensor *self, strew_tensor *target);
strew_status check_scatter_overlap(const struct call *call, const strew_tensor *target, const char *name,
                                   const strew_tensor *operand);
/* A target and both operands of a call. */
strew_status check_scatter_out(const struct call *call, strew_tensor *self, strew_tensor *target, const char *name,
                               const strew_tensor *operand, const char *other, const strew_tensor *other_operand);
/* The result as an operand of CALL, unless it is self. */
#define OTHER_OUT                                                                                                      \
  { "out", *out == self ? NULL : *out, MOVED }
strew_status check_mean(const struct call *call, strew_reduction reduction, strew_dtype dtype);

/* --------------------------------------------------------------------------------------------------------- gather.c */

/* Runs a checked call: gathers into *out, or into a new tensor, of that shape and self's dtype. The index has the shape
   of the result or, if that has rank 0, one of size 1; self has the index's rank. The index may be empty though the
   given one is not: its values are checked nevertheless. */
strew_status gather_call(const struct call *call, struct addressing *addressing, const strew_tensor *self, int rank,
                         const int64_t *sizes, strew_tensor **out);
/* Fails if a given result (NULL: passes) overlaps itself, self or the index, argument `name`. */
strew_status check_gather_out(const struct call *call, const strew_tensor *out, const strew_tensor *self,
                              const char *name, const strew_tensor *index);

/* ---------------------------------------------------------------------------------------------- index_select.c */

/* A call: its index as a view of the shape of the elements that it addresses. */
struct along {
  strew_tensor wide;
  struct addressing addressing;
  struct scatter_job job;
};
/* All checks of a call with a source. */
strew_status index_join_start(const struct call *call, struct along *along, strew_tensor *self, int dim,
                              strew_tensor *index, strew_tensor *source, const strew_scatter_options *options,
                              strew_tensor *target);

#endif
