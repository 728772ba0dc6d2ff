/* pool.c: the worker threads of a context, made at first use by pthreadpool.

   After fork() a child has none of them, and waiting for them would hang: the fork is counted, and a pool of an earlier
   count is forgotten (its memory with it), so that the next call makes a new one. */
#include "cpu.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <stdatomic.h>

struct pool {
  pthreadpool_t threads;
  unsigned forks; /* when it was made */
};

static atomic_uint forks;
static void count_fork(void) {
  atomic_fetch_add(&forks, 1);
}
static void watch_forks(void) {
  pthread_atfork(NULL, NULL, count_fork);
}

static pthreadpool_t pool_threads(strew_context *context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct pool *pool = context->pool;
  if (pool && pool->forks == atomic_load(&forks)) return pool->threads;
  pthread_once(&once, watch_forks);
  if (!pool) pool = memory_take(context, sizeof *pool);
  if (!pool) return NULL; /* the caller's thread then does all the work, with the same bits */
  pool->threads = pthreadpool_create((size_t)context->threads);
  pool->forks = atomic_load(&forks);
  context->pool = pool;
  return pool->threads;
}

void pool_destroy(strew_context *context) {
  struct pool *pool = context->pool;
  if (!pool) return;
  if (pool->threads && pool->forks == atomic_load(&forks)) pthreadpool_destroy(pool->threads);
  memory_give(context, pool, sizeof *pool);
  context->pool = NULL;
}

/* The two atomics order the caller's memory with the workers', where tools that do not know pthreadpool can see it. */
struct job {
  void (*part)(void *argument, int64_t i);
  void *argument;
  atomic_int published, done;
};

static void run_part(void *job_, size_t i) {
  struct job *job = job_;
  atomic_load_explicit(&job->published, memory_order_acquire);
  job->part(job->argument, (int64_t)i);
  atomic_fetch_add_explicit(&job->done, 1, memory_order_release);
}

void pool_run(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument) {
  if (parts <= 1 || context->threads == 1) {
    for (int64_t i = 0; i < parts; i++) part(argument, i);
    return;
  }
  struct job job = {.part = part, .argument = argument};
  atomic_store_explicit(&job.published, 1, memory_order_release);
  /* workers sleep when they are done: spinning for the next call would take processors from the host */
  pthreadpool_parallelize_1d(pool_threads(context), run_part, &job, (size_t)parts, PTHREADPOOL_FLAG_YIELD_WORKERS);
  atomic_load_explicit(&job.done, memory_order_acquire);
}

/* A few parts for each thread even out what the machine does beside. */
int64_t pool_parts(const strew_context *context, int64_t bytes) {
  enum { PARTS_PER_THREAD = 4 };
  if (context->threads == 1) return 1;
  int64_t most = bytes / (int64_t)context->grain_bytes, wanted = (int64_t)context->threads * PARTS_PER_THREAD;
  return most < 2 ? 1 : most < wanted ? most : wanted;
}
