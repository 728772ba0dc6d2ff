/* system_faults.c: see system_faults.h */
#define _GNU_SOURCE
#include "system_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct system_faults system_faults;
static pthread_t owner; /* the thread that counts; has_owner false: every thread */
static bool has_owner;

void system_faults_limit(long failing, int code) {
  system_faults.calls = system_faults.failed = 0;
  system_faults.failing = failing;
  system_faults.code = code;
  owner = pthread_self();
  has_owner = true;
}

static bool is_foreign(void) { return has_owner && !system_faults.any_thread && !pthread_equal(owner, pthread_self()); }

static bool fails_now(void) {
  if (++system_faults.calls == system_faults.on_call) system_faults.then();
  if (system_faults.seen) system_faults.seen();
  if (system_faults.calls != system_faults.failing) return false;
  system_faults.failed++;
  errno = system_faults.code;
  return true;
}

static bool fails(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (is_foreign()) return false;
  pthread_mutex_lock(&lock);
  bool result = fails_now();
  int code = errno;
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

/* Returns how many bytes are transferred at once; 0: a signal interrupts first. */
static size_t shortened(size_t size_bytes) {
  if (!system_faults.hiccups || is_foreign()) return size_bytes;
  errno = EINTR;
  return system_faults.calls % 2 ? 0 : (size_bytes + 2) / 3;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (mode) system_faults.creation_mode = mode;
  return fails() ? -1 : __real_open(path, flags, mode);
}

int __real_poll(struct pollfd *wanted, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds) {
  if (fails()) return -1;
  errno = EINTR; /* every third, so that the reads after them are of both kinds */
  int found = system_faults.hiccups && system_faults.calls % 3 == 1 ? -1 : __real_poll(wanted, count, milliseconds);
  if (found > 0 && system_faults.ready) system_faults.ready();
  return found;
}

ssize_t __real_read(int descriptor, void *to, size_t size_bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t size_bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t size_bytes) {
  size_t bytes = fails() ? 0 : shortened(size_bytes);
  return bytes ? __real_read(descriptor, to, bytes) : -1;
}

ssize_t __real_recv(int descriptor, void *to, size_t size_bytes, int flags);
ssize_t __wrap_recv(int descriptor, void *to, size_t size_bytes, int flags);
ssize_t __wrap_recv(int descriptor, void *to, size_t size_bytes, int flags) {
  size_t bytes = fails() ? 0 : shortened(size_bytes);
  return bytes ? __real_recv(descriptor, to, bytes, flags) : -1;
}

ssize_t __real_preadv2(int descriptor, const struct iovec *pieces, int count, off_t at, int flags);
ssize_t __wrap_preadv2(int descriptor, const struct iovec *pieces, int count, off_t at, int flags);
ssize_t __wrap_preadv2(int descriptor, const struct iovec *pieces, int count, off_t at, int flags) {
  if (system_faults.lacks_nowait) return errno = EOPNOTSUPP, -1;
  struct iovec piece = {pieces->iov_base, fails() ? 0 : shortened(pieces->iov_len)};
  return piece.iov_len ? __real_preadv2(descriptor, &piece, count, at, flags) : -1;
}

ssize_t __real_pread(int descriptor, void *to, size_t size_bytes, off_t at);
ssize_t __wrap_pread(int descriptor, void *to, size_t size_bytes, off_t at);
ssize_t __wrap_pread(int descriptor, void *to, size_t size_bytes, off_t at) {
  size_t bytes = fails() ? 0 : shortened(size_bytes);
  return bytes ? __real_pread(descriptor, to, bytes, at) : -1;
}

ssize_t __real_pwrite(int descriptor, const void *from, size_t size_bytes, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *from, size_t size_bytes, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *from, size_t size_bytes, off_t at) {
  size_t bytes = fails() ? 0 : shortened(size_bytes);
  return bytes ? __real_pwrite(descriptor, from, bytes, at) : -1;
}

/* A descriptor is closed even if close reports an error. */
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor) {
  int result = __real_close(descriptor);
  return fails() ? -1 : result;
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
  errno = EINTR;
  if (system_faults.hiccups && ++system_faults.syncs % 2) return -1;
  return fails() ? -1 : __real_fsync(descriptor);
}

#define WRAP(name, parameters, arguments)                                                                              \
  int __real_##name parameters;                                                                                        \
  int __wrap_##name parameters;                                                                                        \
  int __wrap_##name parameters { return fails() ? -1 : __real_##name arguments; }
WRAP(fstat, (int descriptor, struct stat *about), (descriptor, about))
WRAP(lstat, (const char *path, struct stat *about), (path, about))
WRAP(fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WRAP(rename, (const char *from, const char *to), (from, to))

void *__real_mmap(void *address, size_t size_bytes, int protection, int flags, int descriptor, off_t at);
void *__wrap_mmap(void *address, size_t size_bytes, int protection, int flags, int descriptor, off_t at);
void *__wrap_mmap(void *address, size_t size_bytes, int protection, int flags, int descriptor, off_t at) {
  return fails() ? MAP_FAILED : __real_mmap(address, size_bytes, protection, flags, descriptor, at);
}

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags) {
  return system_faults.lacks_libraries ? NULL : __real_dlopen(name, flags);
}
