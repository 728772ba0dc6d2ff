/* pthreadpool.h: stands in for the library of that name where there are no threads: the caller does all the work. */
#ifndef STREW_WEB_PTHREADPOOL_H
#define STREW_WEB_PTHREADPOOL_H

#include <stddef.h>

typedef struct pthreadpool *pthreadpool_t;
enum { PTHREADPOOL_FLAG_YIELD_WORKERS };

static inline pthreadpool_t pthreadpool_create(size_t count) { return (void)count, (pthreadpool_t)NULL; }
static inline void pthreadpool_destroy(pthreadpool_t pool) { (void)pool; }
static inline size_t pthreadpool_get_threads_count(pthreadpool_t pool) { return (void)pool, (size_t)1; }
static inline void pthreadpool_parallelize_1d(pthreadpool_t pool, void (*part)(void *argument, size_t i),
                                              void *argument, size_t count, unsigned flags) {
  (void)pool, (void)flags;
  for (size_t i = 0; i < count; i++) part(argument, i);
}

#endif
