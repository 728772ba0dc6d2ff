/* scattering.h: one scatter, as the ways of doing it on OpenCL devices see it. */
#ifndef STREW_SCATTERING_H
#define STREW_SCATTERING_H

#include "opencl/index.h"

/* The plan's dimensions, put in this order:
     rows     self moves along them, so they do not meet; first those along which index moves, too (batches)
     line     the last, of size 1 where there is none: self stands still, contributions join in its order */
struct scattering {
  const struct call *call;
  strew_device *device;
  const struct scatter_plan *given;
  struct plan plan;
  struct index_pass pass;
  int64_t line, rows; /* sizes */
  int64_t batches;    /* rows that have index values of their own */
  struct block verdict;
  bool bad;               /* values of the index are out of range: nothing is written */
  struct block draft;     /* what is written in self's place, until nothing can fail any more ... */
  struct storage drafted; /* ... as a storage */
  bool with_arg;
  bool tiny; /* for tests: blocks so small that few contributions fill several */
};

void scattering_start(struct scattering *s, const struct call *call, strew_device *device,
                      const struct scatter_plan *given);

/* The settings of kernels/join.h, and `more`. */
void scatter_launch_start(struct launch *launch, const struct scattering *s, const char *file, const char *kernel,
                          int outer, const char *more);
/* TARGET and SOURCE of kernels/join.h. */
void launch_target(struct launch *launch, const struct scattering *s, const struct space *space);
void launch_source(struct launch *launch, const struct scattering *s, const struct space *space);

/* COLUMNWISE of kernels/columns.h, after the space. */
struct walked;
void launch_columnwise(struct launch *launch, const struct scattering *s, const struct walked *walked);

/* The innermost row dimension taken out as columns, if self moves through it in shorter steps than from place to place:
   what one index value brings there lies close together. */
struct walked {
  struct plan plan; /* without the columns */
  struct space space;
  int64_t width, block; /* columns, and those of one work-item */
  int64_t column[ARG + 1];
  const char *columns; /* COLUMNS of kernels/scatter_walk.cl */
};
/* `moving`: the index may move along them, too. */
void walk_shape(const struct scattering *s, bool moving, int64_t block, struct walked *walked);

/* A call that fails changes nothing: a tensor that is not disposable is written by one launch, the last of all that may
   fail, when the index is known to be good. Where that cannot be, a draft is written, and copied at last. (Launches
   that are several just because contributions are many need none: an interruption may leave a part, and the device is
   lost where OpenCL fails after the first.) */
strew_status draft_start(struct scattering *s);
strew_status draft_finish(struct scattering *s);
/* Checks the index, if that is asked for, and waits for the answer. */
strew_status scatter_check(struct scattering *s);
/* Reads the verdict of a check in passing. */
strew_status scatter_checked(struct scattering *s);

#endif
