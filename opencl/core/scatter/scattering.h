/* scattering.h: one scatter call, as all methods on OpenCL devices see it. */
#ifndef STREW_OPENCL_SCATTERING_H
#define STREW_OPENCL_SCATTERING_H

#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"

/* A scatter call. The plan's dimensions are reordered:
     rows     self moves along them, so they are independent; first those along which index moves, too (batches)
     line     the last, of size 1 if there is none: self is constant along it; contributions combine in its order */
struct scattering {
  struct launch *launch;
  const struct scatter_plan *given;
  struct plan plan;
  struct index_pass pass;
  struct computed *src;
  int64_t line, rows;     /* sizes */
  int64_t batches;        /* rows that have index values of their own */
  struct block *verdict;  /* NULL until one is needed */
  bool bad;               /* index has values out of range: nothing is written */
  struct block *draft;    /* written instead of self until nothing can fail any more ... */
  struct storage drafted; /* ... and its storage */
  bool with_arg;
  bool tiny; /* for tests: blocks of few contributions */
};

void scattering_start(struct scattering *s, struct launch *launch, const struct scatter_plan *given);

/* Starts a launch with the settings of kernels/join.h, then `more`. */
struct launch *scattering_launch(const struct scattering *s, const char *file, const char *kernel, int outer,
                                 const char *more);
/* Bind TARGET and SOURCE of kernels/join.h. */
void launch_target(struct launch *launch, const struct scattering *s, const struct space *space);
void launch_source(struct launch *launch, const struct scattering *s, const struct space *space);
/* Binds SPACE, TARGET, index, SOURCE and LIMITS. */
void launch_scatter(struct launch *launch, const struct scattering *s, const struct space *space);

/* Binds COLUMNWISE of kernels/columns.h. */
struct column_walk;
void launch_columnwise(struct launch *launch, const struct scattering *s, const struct column_walk *walk);

/* The plan with its innermost row dimension taken out as columns, if self's stride along it is less than along dim: the
   elements that one index value addresses there are close together. */
struct column_walk {
  struct plan plan; /* without the columns */
  struct space space;
  int64_t width, block; /* columns, and those of one work-item */
  int64_t column[ARG + 1];
  const char *columns; /* COLUMNS of kernels/scatter_walk.cl */
};
/* `moving`: index may move along the columns, too. */
void scattering_walk(const struct scattering *s, bool moving, int64_t block, struct column_walk *walk);

/* A call that fails leaves self unchanged, unless self is disposable: one launch writes it, the last that can fail,
   after the index has been checked. Where that is impossible, launches write a draft, a copy of self, which is copied
   back at the end. Launches split only because contributions are many, or because some runs are long, need no draft: an
   interrupt may leave a part, and if OpenCL fails after the first, the device is lost. */
void scattering_draft_start(struct scattering *s);
void scattering_draft_finish(struct scattering *s);
/* Checks the index if the call wants it, sets `bad`, waits. */
void scattering_check(struct scattering *s);
/* Reads the verdict of a kernel that checks while it runs; sets `bad`, and what is known of the order. */
void scattering_read_verdict(struct scattering *s);

/* ----------------------------------------------------------------------------------------------------- the methods

   Each is in the .c file of its name; group and atomic in alone.c, if_sorted in walk.c. */

void opencl_scatter_alone(struct scattering *s);
/* True if the index is sorted, and then scatters, or known to be bad, or after a failure. Else does nothing. May not
   examine every index value. */
bool opencl_scatter_if_sorted(struct scattering *s);
/* `owners`: ranges of destinations, a work-item for each. `order`: first test whether the index is sorted. */
void opencl_scatter_walk(struct scattering *s, int64_t owners, bool order);
void opencl_scatter_partition(struct scattering *s, bool order);
void opencl_scatter_sort(struct scattering *s, bool order);
void opencl_scatter_group(struct scattering *s);
void opencl_scatter_atomic(struct scattering *s);
bool opencl_scatter_suits_atomics(const struct scattering *s);
/* True if destinations and contributions can be numbered in 32 bits. */
bool opencl_scatter_suits_sort(const struct scattering *s);

#endif
