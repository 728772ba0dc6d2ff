/* late_read.c: for LD_PRELOAD: terminal input is read 20 ms late, so that a signal can arrive between poll and read. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)
ssize_t read(int descriptor, void *to, size_t size_bytes) {
  if (isatty(descriptor)) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  return (ssize_t)syscall(SYS_read, descriptor, to, size_bytes);
}
