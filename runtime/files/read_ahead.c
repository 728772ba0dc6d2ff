/* read_ahead.c: reading ahead, see file.h. The thread calls nothing but the system and knows nothing of the context. The
   ring's bytes between `taken` and `written` are the reader's, the others the thread's; each changes its own count, under
   the lock. */
#define _XOPEN_SOURCE 700
#include "file.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RING_BYTES = 8 << 20, PIECE_BYTES = 1 << 20 };

struct ahead {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct file file; /* the thread's own view of it */
  pid_t process;    /* a child of fork has no such thread */
  uint64_t written, taken;
  bool stops;    /* the thread has to end */
  bool is_ended; /* it has read to the end, or failed */
  int code;      /* errno of its failure; 0: none */
  char ring[RING_BYTES];
};

/* ----------------------------------------------------------------------------------------------------- the thread */

/* Waits for room; returns the size of the next piece, or 0 if the thread has to end. */
static size_t wait_for_room(struct ahead *ahead) {
  pthread_mutex_lock(&ahead->lock);
  while (!ahead->stops && ahead->written - ahead->taken == RING_BYTES) pthread_cond_wait(&ahead->changed, &ahead->lock);
  size_t room = RING_BYTES - (size_t)(ahead->written - ahead->taken);
  size_t before_end = RING_BYTES - (size_t)(ahead->written % RING_BYTES);
  if (room > before_end) room = before_end;
  if (room > PIECE_BYTES) room = PIECE_BYTES;
  if (ahead->stops) room = 0;
  pthread_mutex_unlock(&ahead->lock);
  return room;
}

static void tell(struct ahead *ahead, enum attempt attempt, size_t got, int code) {
  pthread_mutex_lock(&ahead->lock);
  ahead->written += got;
  ahead->is_ended = attempt == FILE_FAILED || !got;
  ahead->code = attempt == FILE_FAILED ? code : 0;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
}

static void *read_ahead(void *user) {
  struct ahead *ahead = user;
  for (size_t room; (room = wait_for_room(ahead)) && !ahead->is_ended;) {
    size_t got = 0;
    enum attempt attempt = file_try(&ahead->file, ahead->ring + ahead->written % RING_BYTES, room, &got);
    if (attempt != FILE_WAITED) tell(ahead, attempt, got, errno);
  }
  return NULL;
}

/* Signals are for the host's own threads. */
static bool start_thread(struct ahead *ahead) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = pthread_create(&ahead->thread, NULL, read_ahead, ahead);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code == 0;
}

/* ----------------------------------------------------------------------------------------------------- the reader */

static bool make_lock(struct ahead *ahead) {
  pthread_condattr_t monotonic;
  if (pthread_mutex_init(&ahead->lock, NULL)) return false;
  bool is_made = !pthread_condattr_init(&monotonic);
  if (is_made) {
    is_made =
        !pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) && !pthread_cond_init(&ahead->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
  }
  if (!is_made) pthread_mutex_destroy(&ahead->lock);
  return is_made;
}

static void free_ahead(struct ahead *ahead) { memory_free(ahead->file.context, ahead, sizeof *ahead); }

static void destroy_lock(struct ahead *ahead) {
  pthread_cond_destroy(&ahead->changed);
  pthread_mutex_destroy(&ahead->lock);
}

strew_status ahead_start(const struct call *call, struct file *file) {
  if ((file->is_regular && file->size_bytes <= PIECE_BYTES) || file->may_block) return STREW_OK;
  ALLOCATE_NEW(struct ahead *, ahead, call, file->context, sizeof *ahead);
  memset(ahead, 0, offsetof(struct ahead, ring));
  ahead->file = *file;
  ahead->process = getpid();
  bool has_lock = make_lock(ahead);
  if (has_lock && start_thread(ahead)) return file->ahead = ahead, STREW_OK;
  if (has_lock) destroy_lock(ahead);
  free_ahead(ahead);
  return STREW_OK;
}

void ahead_stop(struct file *file) {
  struct ahead *ahead = file->ahead;
  if (!ahead) return;
  if (ahead->process == getpid()) {
    pthread_mutex_lock(&ahead->lock);
    ahead->stops = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    destroy_lock(ahead);
  }
  free_ahead(ahead);
  file->ahead = NULL;
}

/* Waits for some time, unless there is something to take or the thread has ended; returns the number of bytes. Those
   that were read before a failure come first. */
static size_t wait_for_bytes(struct ahead *ahead, bool *is_ended) {
  enum { MILLISECONDS = 50 };
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += MILLISECONDS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, until.tv_sec++;
  pthread_mutex_lock(&ahead->lock);
  if (ahead->written == ahead->taken && !ahead->is_ended) pthread_cond_timedwait(&ahead->changed, &ahead->lock, &until);
  size_t count = (size_t)(ahead->written - ahead->taken);
  *is_ended = !count && ahead->is_ended;
  pthread_mutex_unlock(&ahead->lock);
  return count;
}

/* Copies bytes out of the ring. */
static void take(struct ahead *ahead, char *to, size_t count) {
  size_t at = (size_t)(ahead->taken % RING_BYTES), first = RING_BYTES - at < count ? RING_BYTES - at : count;
  memcpy(to, ahead->ring + at, first);
  memcpy(to + first, ahead->ring, count - first);
  pthread_mutex_lock(&ahead->lock);
  ahead->taken += count;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
}

strew_status ahead_next(const struct call *call, struct file *file, void *to, size_t size_bytes, size_t *got) {
  struct ahead *ahead = file->ahead;
  if (!ahead) return file_next(call, file, to, size_bytes, got);
  if (ahead->process != getpid())
    return fail_file(call, file->path, "open it in the process that reads it", "was opened before a fork");
  for (;;) {
    bool is_ended;
    RETURN_IF_FAILED(context_check(call, file->context));
    size_t count = wait_for_bytes(ahead, &is_ended);
    if (is_ended) {
      errno = ahead->code;
      return errno ? fail_system(call, file->path, "cannot be read") : (*got = 0, STREW_OK);
    }
    if (!count) continue;
    *got = count < size_bytes ? count : size_bytes;
    return take(ahead, to, *got), STREW_OK;
  }
}
