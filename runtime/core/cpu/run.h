/* run.h: sums of long runs of contributions to one destination, shared by threads, with the bits of one addition after
   the other: see core_loops.h.

   A run is cut into chunks, of tuning.h's run_chunk. Threads read them in any order, each with what it adds to the sum
   that is foreseen where it begins. They are added in order, by the thread that has a lock: a chunk whose sum is in the
   foreseen binade, and leaves it nowhere, takes one addition; others are added as one thread would add them. */
#ifndef STREW_RUN_H
#define STREW_RUN_H

#include "isa.h"

#include "runtime/core/base/context.h"

/* Elements of a chunk that the sum takes; memory of the chunk alone, until it is done. */
struct run_chunk {
  const void *x;
  int64_t count;
  char *room;
};

struct run_job {
  strew_context *context;
  strew_dtype dtype; /* float32 or float64 */
  void *held;        /* the sum, of that dtype, aligned */
  int64_t threads, chunks;
  size_t room_bytes; /* scratch of a chunk, aligned for int64_t */
  /* Finds the elements of chunk i; they may be in its room. */
  void (*read)(const struct run_job *job, int64_t i, struct run_chunk *chunk);
  /* What follows when chunk i has been added, in order; NULL: nothing */
  void (*done)(const struct run_job *job, int64_t i, const struct run_chunk *chunk);
  const void *argument; /* of these functions */
};

/* True if threads gain even where chunks need no more than to be added. */
static inline bool runs_are_foreseen(void) { return isa_in_use() != ISA_PLAIN; }

/* False, and nothing done, if memory lacks. A call that must stop leaves out the rest. */
bool run_add(struct run_job *job);

#endif
