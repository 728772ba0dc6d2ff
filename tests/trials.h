/* trials.h: calls of every family with failures injected everywhere. A source of failures (allocations, OpenCL's
   functions) makes the first, the second, the third ... event of a call fail (or all from there on), until the call has
   no more events. Each time the call fails properly or succeeds without the event; nothing is left over; operands and
   targets keep their bits; a successful result is right. */
#ifndef TRIALS_H
#define TRIALS_H

#include "testing.h"

struct source {
  const char *event;
  /* From now on the failing-th event fails, and if it `stays` all after it; 0: none. */
  void (*limit)(long failing, bool stays);
  long (*failed)(void); /* number of failures since then */
  /* True if a call may fail with this status. If it had an error struct, `failure` has the report. */
  void (*check)(const char *what, strew_status status, bool is_told);
  bool spoils; /* true if a failing call in place may have written a part of its result */
  long close;  /* number of events tried one by one, later ones at growing distances; 0: all */
};

/* The context's allocator, for test_allocator: checks its arguments, and counts. */
extern const strew_allocator counting_allocator;
extern const struct source allocations;
size_t blocks_held(void);
size_t bytes_held(void);
size_t blocks_in_use(void); /* without those that the context keeps, which it frees */
/* Makes the context free its kept blocks, by a failing allocation. */
void empty_context(void);
/* The source of failures; adds the tests of all families to a suite's case. */
extern const struct source *trial_source;
void add_trials(TCase *all);

#endif
