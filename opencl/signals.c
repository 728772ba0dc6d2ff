/* signals.c: a terminal sends Ctrl-C to every process of the foreground, and so to the compilers and linkers that
   drivers start; PoCL aborts the whole process where one of them was killed. Threads and processes inherit what the
   thread that makes them has blocked. */
#define _POSIX_C_SOURCE 200809L
#include "opencl.h"

void shield_raise(sigset_t *before) {
  sigset_t from_terminal;
  sigemptyset(&from_terminal);
  sigaddset(&from_terminal, SIGINT);
  sigaddset(&from_terminal, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &from_terminal, before);
}

void shield_lower(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }
