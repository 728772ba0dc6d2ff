/* pool.c: the worker threads of a context, created at first use by pthreadpool.

   After fork() the child has none of them, and waiting for them would hang. So forks are counted, and a pool of an
   earlier count is abandoned, with its memory: the next call creates a new one.

   Without memory or threads for a pool, the caller's thread does all the work, with the same bits.

   Workers are kept off the processor that the caller runs on. A kernel may wake a worker there although another
   processor is idle (Linux on virtual machines takes one that has slept for a while for one that its host has taken
   away), and then the two take turns: calls of 1 ms, 50 ms apart, 2.7 ms -> 1.1 (two threads). A caller that has moved
   since its last call pays 2 us for each worker. */
#define _GNU_SOURCE /* sched_getcpu, pthread_setaffinity_np */
#include "pool.h"

#include <pthreadpool.h>
#include <sched.h>
#include <signal.h>

enum { PARTS_PER_THREAD = 4 }; /* to even out what else the machine does. Unmeasured */

struct pool {
  pthreadpool_t threads;
  unsigned forks;     /* the count when it was created */
  cpu_set_t allowed;  /* processors of the workers at creation; none: unknown */
  cpu_set_t assigned; /* the same without `avoided`, if there is one */
  int avoided;        /* the processor that workers are kept off; -1: none yet */
  pthread_t member[]; /* [0] is the thread that created them */
};

static atomic_uint forks;
static void count_fork(void) { atomic_fetch_add(&forks, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static void *pass_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* True if that many threads can live at once: pthreadpool would wait for ever for one that it could not create. */
static bool can_create_threads(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t made[STREW_MAX_THREADS];
  int i = 0;
  pthread_mutex_lock(&gate);
  while (i < count && !pthread_create(&made[i], NULL, pass_gate, &gate)) i++;
  pthread_mutex_unlock(&gate);
  for (int k = 0; k < i; k++) pthread_join(made[k], NULL);
  pthread_mutex_destroy(&gate);
  return i == count;
}

/* The workers block all signals: they are for the host's own threads. */
static pthreadpool_t make_threads(int count) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthreadpool_t threads = can_create_threads(count - 1) ? pthreadpool_create((size_t)count) : NULL;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return threads;
}

/* The two atomics order the caller's memory with the workers' for tools that do not know pthreadpool. */
struct pool_job {
  strew_context *context; /* of a call that may have to stop, or NULL */
  void (*part)(void *argument, int64_t i);
  void *argument;
  atomic_int published, done;
};

static void run_part(void *job_, size_t i) {
  struct pool_job *job = job_;
  atomic_load_explicit(&job->published, memory_order_acquire);
  if (!job->context || !context_stops(job->context)) job->part(job->argument, (int64_t)i);
  atomic_fetch_add_explicit(&job->done, 1, memory_order_release);
}

static void run_job(pthreadpool_t threads, struct pool_job *job, int64_t parts) {
  atomic_store_explicit(&job->published, 1, memory_order_release);
  /* idle workers sleep: spinning for the next call would take processors from the host */
  pthreadpool_parallelize_1d(threads, run_part, job, (size_t)parts, PTHREADPOOL_FLAG_YIELD_WORKERS);
  atomic_load_explicit(&job->done, memory_order_acquire);
}

struct meeting {
  pthread_barrier_t all;
  pthread_t *member;
};

static void meet(void *meeting_, int64_t i) {
  struct meeting *meeting = meeting_;
  meeting->member[i] = pthread_self();
  pthread_barrier_wait(&meeting->all);
}

/* One part for each of `count` threads; none ends before all have begun, so that no thread has two. */
static void learn_members(struct pool *pool, int count) {
  struct meeting meeting = {.member = pool->member};
  CPU_ZERO(&pool->allowed);
  CPU_ZERO(&pool->assigned);
  pool->avoided = -1;
  if (!pool->threads || pthreadpool_get_threads_count(pool->threads) != (size_t)count) return;
  if (pthread_barrier_init(&meeting.all, NULL, (unsigned)count)) return;
  run_job(pool->threads, &(struct pool_job){.part = meet, .argument = &meeting}, count);
  pthread_barrier_destroy(&meeting.all);
  if (sched_getaffinity(0, sizeof pool->allowed, &pool->allowed)) CPU_ZERO(&pool->allowed);
  pool->assigned = pool->allowed;
}

/* If there are enough processors. A refusal is no error: the next attempt comes when the caller has moved. Workers
   whose processors someone else has set keep them. */
static void avoid_caller(struct pool *pool, int count) {
  int here = sched_getcpu();
  if (here < 0 || here == pool->avoided) return;
  cpu_set_t others = pool->allowed, now;
  bool refused = false;
  CPU_CLR(here, &others);
  pool->avoided = here;
  if (CPU_COUNT(&others) < count - 1) return;
  for (int i = 1; i < count; i++)
    if (!pthread_getaffinity_np(pool->member[i], sizeof now, &now) && CPU_EQUAL(&now, &pool->assigned))
      refused |= pthread_setaffinity_np(pool->member[i], sizeof others, &others) != 0;
  if (!refused) pool->assigned = others;
}

static size_t pool_bytes(const strew_context *context) {
  return sizeof(struct pool) + (size_t)context->threads * sizeof(pthread_t);
}

static struct pool *pool_of(strew_context *context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct pool *pool = context->pool;
  if (pool && pool->forks == atomic_load(&forks)) return pool;
  pthread_once(&once, watch_forks);
  if (!pool) pool = memory_allocate(context, pool_bytes(context));
  if (!pool) return NULL;
  pool->threads = make_threads(context->threads);
  pool->forks = atomic_load(&forks);
  learn_members(pool, context->threads);
  return context->pool = pool;
}

/* Returns the threads, or NULL if there are none. */
static pthreadpool_t pool_threads(strew_context *context) {
  struct pool *pool = pool_of(context);
  if (!pool || !pool->threads) return NULL;
  avoid_caller(pool, context->threads);
  return pool->threads;
}

void pool_destroy(strew_context *context) {
  struct pool *pool = context->pool;
  if (!pool) return;
  if (pool->threads && pool->forks == atomic_load(&forks)) pthreadpool_destroy(pool->threads);
  memory_free(context, pool, pool_bytes(context));
  context->pool = NULL;
}

static void run_alone(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument) {
  for (int64_t i = 0; i < parts && !context_stops(context); i++) part(argument, i);
}

void pool_run(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument) {
  if (parts <= 1 || context->threads == 1) {
    run_alone(context, parts, part, argument);
    return;
  }
  struct pool_job job = {.context = context, .part = part, .argument = argument};
  run_job(pool_threads(context), &job, parts);
}

void pool_run_sized(strew_context *context, int64_t bytes, int64_t parts, void (*part)(void *argument, int64_t i),
                    void *argument) {
  if (pool_parts(context, bytes) > 1)
    pool_run(context, parts, part, argument);
  else
    run_alone(context, parts, part, argument);
}

struct pool_items {
  strew_context *context;
  int64_t count, parts;
  void (*item)(void *argument, int64_t i);
  void *argument;
};

static void run_items(void *items_, int64_t part) {
  const struct pool_items *items = items_;
  const int64_t end = part_begin(items->count, items->parts, part + 1);
  for (int64_t i = part_begin(items->count, items->parts, part); i < end && !context_stops(items->context); i++)
    items->item(items->argument, i);
}

void pool_run_items(strew_context *context, int64_t parts, int64_t count, void (*item)(void *argument, int64_t i),
                    void *argument) {
  struct pool_items items = {context, count, least(parts, count), item, argument};
  pool_run(context, items.parts, run_items, &items);
}

int64_t pool_parts_light(const strew_context *context, int64_t bytes) {
  return bytes / LIGHT / 2 < (int64_t)context->grain_bytes ? 1 : pool_parts(context, bytes);
}

int64_t pool_parts(const strew_context *context, int64_t bytes) {
  if (context->threads == 1) return 1;
  if (bytes / 2 < (int64_t)context->grain_bytes) return 1;
  int64_t most = bytes / (int64_t)context->grain_bytes, wanted = (int64_t)context->threads * PARTS_PER_THREAD;
  if (most > wanted) return wanted;
  return most > context->threads ? most - most % context->threads : most;
}
