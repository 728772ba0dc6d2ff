/* pool.h: the worker threads of a context (pool.c), for the CPU device and for files. */
#ifndef POOL_H
#define POOL_H

#include "tensor.h"

enum { LIGHT = 4 /* times: threads pay later where work only passes through memory */ };

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Runs part(argument, 0) .. part(argument, parts - 1) on the context's workers, the caller among them, and returns when
   all have ended. One part, or one worker, starts no thread. A call that must stop (interrupt.c) leaves out the parts
   that have not begun; parts that take long test for it themselves. */
void pool_run(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument);
/* The same, but on the caller's thread alone if the work is too little for threads. */
void pool_run_sized(strew_context *context, int64_t bytes, int64_t parts, void (*part)(void *argument, int64_t i),
                    void *argument);
/* Runs item(argument, 0) .. item(argument, count - 1), in `parts` parts of neighbours, at most. */
void pool_run_items(strew_context *context, int64_t parts, int64_t count, void (*item)(void *argument, int64_t i),
                    void *argument);
void pool_destroy(strew_context *context);
/* Returns the bytes of `count` elements, which may be a few repeated; INT64_MAX if they overflow. */
static inline int64_t work_bytes(int64_t count, size_t bytes) {
  return count_of_sizes(2, (int64_t[]){count, (int64_t)bytes});
}
/* Returns the number of parts for work on `bytes` of memory: 1 if threads would cost more than they save; above one for
   each thread, as many for each. */
int64_t pool_parts(const strew_context *context, int64_t bytes);
/* The same for work that does little more than pass through its memory, which needs more of it to pay for threads. */
int64_t pool_parts_light(const strew_context *context, int64_t bytes);

/* Returns where part number `part` begins, if 0 .. count - 1 is cut into `parts` that differ by one at most. Part
   number `parts` begins at the end. */
static inline int64_t part_begin(int64_t count, int64_t parts, int64_t part) {
  int64_t longer = count % parts;
  return count / parts * part + (part < longer ? part : longer);
}

#endif
