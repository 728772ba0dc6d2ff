/* signals.c: a terminal sends Ctrl-C to all processes in the foreground, among them compilers and linkers that a driver
   starts. PoCL aborts the whole process if one of them is killed. Threads and processes inherit the signal mask of the
   thread that creates them. */
#define _POSIX_C_SOURCE 200809L
#include "opencl.h"

void opencl_block_signals(sigset_t *before) {
  sigset_t from_terminal;
  sigemptyset(&from_terminal);
  sigaddset(&from_terminal, SIGINT);
  sigaddset(&from_terminal, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &from_terminal, before);
}

void opencl_restore_signals(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }
