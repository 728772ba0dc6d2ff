/* pool.c: the worker threads of a context, made at first use by pthreadpool.

   After fork() a child has none of them, and waiting for them would hang: the fork is counted, and a pool of an earlier
   count is forgotten (its memory with it), so that the next call makes a new one.

   Where there is none, for want of memory or of threads, the caller's thread does all the work, with the same bits.

   Workers are kept off the processor that the caller runs on. A kernel may wake a worker there although another is idle
   (Linux on virtual machines takes a processor that has slept for a while for one that its host has taken away), and
   then the two take turns: on two threads calls of 1 ms, 50 ms apart, took 2.7 ms, and take 1.1 so. Where the caller
   has moved since the last call, it costs 2 us a worker. */
#define _GNU_SOURCE /* sched_getcpu, pthread_setaffinity_np */
#include "cpu.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct pool {
  pthreadpool_t threads;
  unsigned forks;     /* when it was made */
  cpu_set_t allowed;  /* processors of the workers, as they were made; none: not known */
  cpu_set_t given;    /* the same without `avoided`, once there is one */
  int avoided;        /* the processor that they are kept off; -1: none yet */
  pthread_t member[]; /* [0] is whoever made them */
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

/* The two atomics order the caller's memory with the workers', where tools that do not know pthreadpool can see it. */
struct job {
  strew_context *context; /* whose call may have to stop, or NULL */
  void (*part)(void *argument, int64_t i);
  void *argument;
  atomic_int published, done;
};

static void run_part(void *job_, size_t i) {
  struct job *job = job_;
  atomic_load_explicit(&job->published, memory_order_acquire);
  if (!job->context || !context_stops(job->context)) job->part(job->argument, (int64_t)i);
  atomic_fetch_add_explicit(&job->done, 1, memory_order_release);
}

static void run_job(pthreadpool_t threads, struct job *job, int64_t parts) {
  atomic_store_explicit(&job->published, 1, memory_order_release);
  /* workers sleep when they are done: spinning for the next call would take processors from the host */
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

/* Each of `count` threads has one part of as many, and nobody is done before all have begun: so nobody has two. */
static void learn_members(struct pool *pool, int count) {
  struct meeting meeting = {.member = pool->member};
  CPU_ZERO(&pool->allowed);
  CPU_ZERO(&pool->given);
  pool->avoided = -1;
  if (!pool->threads || pthreadpool_get_threads_count(pool->threads) != (size_t)count) return;
  if (pthread_barrier_init(&meeting.all, NULL, (unsigned)count)) return;
  run_job(pool->threads, &(struct job){.part = meet, .argument = &meeting}, count);
  pthread_barrier_destroy(&meeting.all);
  if (sched_getaffinity(0, sizeof pool->allowed, &pool->allowed)) CPU_ZERO(&pool->allowed);
  pool->given = pool->allowed;
}

/* Where there are processors enough. A wish: what is refused is asked for again when the caller has moved, and workers
   whose processors were set by somebody else keep them. */
static void avoid_caller(struct pool *pool, int count) {
  int here = sched_getcpu();
  if (here < 0 || here == pool->avoided) return;
  cpu_set_t others = pool->allowed, now;
  bool refused = false;
  CPU_CLR(here, &others);
  pool->avoided = here;
  if (CPU_COUNT(&others) < count - 1) return;
  for (int i = 1; i < count; i++)
    if (!pthread_getaffinity_np(pool->member[i], sizeof now, &now) && CPU_EQUAL(&now, &pool->given))
      refused |= pthread_setaffinity_np(pool->member[i], sizeof others, &others) != 0;
  if (!refused) pool->given = others;
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

/* The threads, ready for work; NULL: there are none. */
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
  struct job job = {.context = context, .part = part, .argument = argument};
  run_job(pool_threads(context), &job, parts);
}

void pool_run_sized(strew_context *context, int64_t bytes, int64_t parts, void (*part)(void *argument, int64_t i),
                    void *argument) {
  if (pool_parts(context, bytes) > 1)
    pool_run(context, parts, part, argument);
  else
    run_alone(context, parts, part, argument);
}

int64_t pool_parts_light(const strew_context *context, int64_t bytes) {
  enum { LIGHT = 4 };
  return bytes / LIGHT / 2 < (int64_t)context->grain_bytes ? 1 : pool_parts(context, bytes);
}

/* A few parts for each thread even out what the machine does beside. */
int64_t pool_parts(const strew_context *context, int64_t bytes) {
  enum { PARTS_PER_THREAD = 4 };
  if (context->threads == 1) return 1;
  if (bytes / 2 < (int64_t)context->grain_bytes) return 1;
  int64_t most = bytes / (int64_t)context->grain_bytes, wanted = (int64_t)context->threads * PARTS_PER_THREAD;
  return most < wanted ? most : wanted;
}
