/* run.c: see run.h. */
#include "run.h"

#include "core_loops.h"

#include "runtime/core/base/pool.h"
#include "tuning.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum {
  CHUNKS_PER_THREAD = 2, /* that are read and not yet added */
  DELAY_MAX = 63         /* chunks that are not foreseen after one that could not be taken */
};

struct reading {
  struct run_chunk chunk;
  struct run_move move;
  bool is_foreseen, is_read;
  int64_t turn; /* failures when it was foreseen */
};

/* Chunk i is at readings[i % ahead]; chunks below `added` have been added, those below `next` are being read. */
struct team {
  struct run_job *job;
  const struct run_kernels *kernels;
  pthread_mutex_t lock;
  pthread_cond_t is_added;
  int64_t next, added, ahead, waiting;
  bool is_adding;
  /* What is foreseen: the sum, how far a chunk moves it, and a bound of that on the way. */
  bool foresees, exact;
  double sum, step, size;
  int64_t failures, delay, wait; /* `wait`: chunks that are not foreseen before the next one is */
  struct reading readings[];
};

static double value_of(const struct run_job *job) {
  float single;
  double real;
  if (job->dtype == STREW_FLOAT64) return memcpy(&real, job->held, sizeof real), real;
  return memcpy(&single, job->held, sizeof single), single;
}

/* Reads chunk i, and looks at it for a sum near `near`. */
static void read_chunk(const struct team *team, int64_t i, double near, struct reading *reading) {
  team->job->read(team->job, i, &reading->chunk);
  reading->move.count = reading->chunk.count - reading->chunk.count % RUN_GROUP;
  reading->is_foreseen = reading->is_foreseen && team->kernels->foresee(near, reading->chunk.x, &reading->move);
}

/* Adds the next chunk, by its move if it has one. True if that was so. */
static bool add_chunk(const struct team *team, const struct reading *reading) {
  const struct run_chunk *chunk = &reading->chunk;
  const bool is_taken = reading->is_foreseen && team->kernels->take(team->job->held, &reading->move);
  const int64_t taken = is_taken ? reading->move.count : 0;
  const size_t size_bytes = team->job->dtype == STREW_FLOAT64 ? sizeof(double) : sizeof(float);
  team->kernels->add(team->job->held, (const char *)chunk->x + (size_t)taken * size_bytes, chunk->count - taken);
  if (team->job->done) team->job->done(team->job, team->added, chunk);
  return is_taken;
}

/* After a move that could not be taken, a few chunks go without; then moves are tried of sums that leave the binade, or
   no longer. */
static void learn(struct team *team, const struct reading *reading, bool is_taken) {
  const double before = team->sum;
  team->sum = value_of(team->job);
  team->step = team->sum - before;
  team->size = is_taken ? reading->move.high - reading->move.low : fabs(team->step);
  if (team->wait) team->wait--;
  if (is_taken) team->delay = 0;
  if (is_taken || !reading->is_foreseen || reading->turn < team->failures) return;
  team->failures++;
  if (team->delay) team->exact = !team->exact;
  team->wait = team->delay;
  team->delay = least(2 * team->delay + 1, DELAY_MAX);
}

/* A thread that waits is woken when there is much to read. */
static void wake(struct team *team) {
  if (team->waiting && !team->wait && team->next - team->added <= team->ahead / 2)
    pthread_cond_broadcast(&team->is_added);
}

/* Locked, but not while a chunk is added. */
static void add_next(struct team *team) {
  struct reading *reading = &team->readings[team->added % team->ahead];
  team->is_adding = true;
  pthread_mutex_unlock(&team->lock);
  const bool is_taken = add_chunk(team, reading);
  pthread_mutex_lock(&team->lock);
  learn(team, reading, is_taken);
  reading->is_read = team->is_adding = false;
  team->added++;
  wake(team);
}

static void read_next(struct team *team) {
  const int64_t i = team->next++;
  struct reading *reading = &team->readings[i % team->ahead];
  const double from = team->sum + team->step * (double)(i - team->added);
  reading->is_foreseen = team->foresees && !team->wait;
  reading->turn = team->failures;
  reading->move.exact = team->exact;
  const double near = team->exact ? fabs(from) + team->size : from;
  pthread_mutex_unlock(&team->lock);
  read_chunk(team, i, near, reading);
  pthread_mutex_lock(&team->lock);
  reading->is_read = true;
}

static void wait_for_others(struct team *team) {
  team->waiting++;
  pthread_cond_wait(&team->is_added, &team->lock);
  team->waiting--;
}

/* Chunks whose moves are not foreseen are read ahead only if that is work, too. */
static bool can_read(const struct team *team) {
  const int64_t ahead = team->wait && !team->job->room_bytes ? !team->is_adding : team->ahead;
  return team->next < team->added + ahead;
}

/* Each thread adds what it can, else reads. The one that reads the last chunk, or adds the one before it, adds it. */
static void work(void *team_, int64_t i) {
  struct team *team = team_;
  (void)i;
  pthread_mutex_lock(&team->lock);
  while (team->added < team->job->chunks && !context_stops(team->job->context)) {
    if (!team->is_adding && team->readings[team->added % team->ahead].is_read)
      add_next(team);
    else if (team->next == team->job->chunks)
      break;
    else if (can_read(team))
      read_next(team);
    else
      wait_for_others(team);
  }
  pthread_cond_broadcast(&team->is_added);
  pthread_mutex_unlock(&team->lock);
}

bool run_add(struct run_job *job) {
  const int64_t threads = least(job->threads, job->chunks), ahead = CHUNKS_PER_THREAD * threads;
  const size_t bytes = sizeof(struct team) + (size_t)ahead * sizeof(struct reading);
  const size_t room_bytes = (job->room_bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  char *memory = memory_allocate(job->context, bytes + (size_t)ahead * room_bytes);
  struct team *team = (struct team *)(void *)memory;
  if (!memory) return false;
  *team = (struct team){.job = job,
                        .kernels = &run_loops()->of[job->dtype == STREW_FLOAT64],
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .is_added = PTHREAD_COND_INITIALIZER,
                        .ahead = ahead,
                        .foresees = threads > 1,
                        .sum = value_of(job)};
  for (int64_t i = 0; i < ahead; i++)
    team->readings[i] = (struct reading){.chunk.room = memory + bytes + (size_t)i * room_bytes};
  pool_run(job->context, threads, work, team);
  pthread_cond_destroy(&team->is_added);
  pthread_mutex_destroy(&team->lock);
  memory_free(job->context, memory, bytes + (size_t)ahead * room_bytes);
  return true;
}
