/* late_read.c: for LD_PRELOAD: signals that arrive between two steps of the program. Terminal input is read 20 ms late,
   so that one can arrive between poll and read. After a line that ends in "now", __fpending sends a Ctrl-C: the prompt
   calls it when an entry has ended, before its results are shown. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int wanted;

#pragma GCC visibility push(default)
ssize_t read(int descriptor, void *to, size_t size_bytes) {
  if (!isatty(descriptor)) return (ssize_t)syscall(SYS_read, descriptor, to, size_bytes);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  ssize_t n = (ssize_t)syscall(SYS_read, descriptor, to, size_bytes);
  if (n >= 4 && memcmp((char *)to + n - 4, "now\n", 4) == 0) wanted = 1;
  return n;
}

size_t __fpending(FILE *file) {
  (void)file;
  if (wanted) raise(SIGINT);
  return wanted = 0;
}
