/* trials.h: calls of every family that are made to fail wherever they can. A source of failures (allocations, OpenCL's
   functions) makes the first, the second, the third ... event that a call brings about fail (or all from there on),
   until the call brings about no more: each time the call fails as it should, or does without; nothing is left over,
   operands and targets keep their bits, and what succeeds then is right. */
#ifndef TRIALS_H
#define TRIALS_H

#include "testing.h"

struct source {
  const char *event;
  /* From now on the failing-th event fails, and where it `stays` all after it; 0: none does. */
  void (*limit)(long failing, bool stays);
  long (*failed)(void); /* how many have failed since */
  /* May a call fail with this status? Where it was told why, `failure` has the report. */
  void (*check)(const char *what, strew_status status, bool is_told);
  bool spoils; /* may a call in place that fails have written a part of its result? */
  long close;  /* so many events are tried one by one, later ones at growing distances; 0: all */
};

/* The context's allocator, for test_allocator: it checks what it is asked for, and counts. */
extern const strew_allocator counting_allocator;
extern const struct source allocations;
size_t blocks_held(void);
size_t bytes_held(void);
/* Has the context give back the blocks that it keeps, by an allocation that fails. */
void empty_context(void);
/* Which source the trials are for; the tests of all families, to be added to a suite's case. */
extern const struct source *trial_source;
void add_trials(TCase *all);

#endif
