/* pool.c: the worker threads of a context, made at first use by pthreadpool.

   After fork() a child has none of them, and waiting for them would hang: the fork is counted, and a pool of an earlier
   count is forgotten (its memory with it), so that the next call makes a new one.

   Where there is none, for want of memory or of threads, the caller's thread does all the work, with the same bits. */
#include "cpu.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <signal.h>
#include <stdatomic.h>

struct pool {
  pthreadpool_t threads;
  unsigned forks; /* when it was made */
};

static atomic_uint forks;
static void count_fork(void) { atomic_fetch_add(&forks, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static void *pass_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* Can so many threads live at once? pthreadpool would wait for ever for one that could not be made. */
static bool threads_are_there(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t made[MAX_THREADS];
  int i = 0;
  pthread_mutex_lock(&gate);
  while (i < count && !pthread_create(&made[i], NULL, pass_gate, &gate)) i++;
  pthread_mutex_unlock(&gate);
  for (int k = 0; k < i; k++) pthread_join(made[k], NULL);
  pthread_mutex_destroy(&gate);
  return i == count;
}

/* The host's signals are its own threads' business. */
static pthreadpool_t make_threads(int count) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthreadpool_t threads = threads_are_there(count - 1) ? pthreadpool_create((size_t)count) : NULL;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return threads;
}

static pthreadpool_t pool_threads(strew_context *context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct pool *pool = context->pool;
  if (pool && pool->forks == atomic_load(&forks)) return pool->threads;
  pthread_once(&once, watch_forks);
  if (!pool) pool = memory_take(context, sizeof *pool);
  if (!pool) return NULL;
  pool->threads = make_threads(context->threads);
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
  strew_context *context;
  void (*part)(void *argument, int64_t i);
  void *argument;
  atomic_int published, done;
};

static void run_part(void *job_, size_t i) {
  struct job *job = job_;
  atomic_load_explicit(&job->published, memory_order_acquire);
  if (!context_stops(job->context)) job->part(job->argument, (int64_t)i);
  atomic_fetch_add_explicit(&job->done, 1, memory_order_release);
}

static void run_alone(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument) {
  for (int64_t i = 0; i < parts && !context_stops(context); i++) part(argument, i);
}

void pool_run(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument) {
  if (parts <= 1 || context->threads == 1) {
    run_alone(context, parts, part, argument);
    return;
  }
  struct job job = {.context = context, .part = part, .argument = argument};
  atomic_store_explicit(&job.published, 1, memory_order_release);
  /* workers sleep when they are done: spinning for the next call would take processors from the host */
  pthreadpool_parallelize_1d(pool_threads(context), run_part, &job, (size_t)parts, PTHREADPOOL_FLAG_YIELD_WORKERS);
  atomic_load_explicit(&job.done, memory_order_acquire);
}

void pool_run_sized(strew_context *context, int64_t bytes, int64_t parts, void (*part)(void *argument, int64_t i),
                    void *argument) {
  if (pool_parts(context, bytes) > 1)
    pool_run(context, parts, part, argument);
  else
    run_alone(context, parts, part, argument);
}

/* A few parts for each thread even out what the machine does beside. */
int64_t pool_parts(const strew_context *context, int64_t bytes) {
  enum { PARTS_PER_THREAD = 4 };
  if (context->threads == 1) return 1;
  if (bytes / 2 < (int64_t)context->grain_bytes) return 1;
  int64_t most = bytes / (int64_t)context->grain_bytes, wanted = (int64_t)context->threads * PARTS_PER_THREAD;
  return most < wanted ? most : wanted;
}
