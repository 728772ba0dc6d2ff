/* system_faults.h: the operating system's functions for files, replaced in the test program: each calls the system's
   own, is counted, and fails on request. (The linker substitutes them: --wrap, see tests.mk.) */
#ifndef SYSTEM_FAULTS_H
#define SYSTEM_FAULTS_H

#include <stdbool.h>

/* Calls on other threads than that of system_faults_limit, which read files ahead, neither count nor fail, unless
   any_thread is set: their number varies. */
extern struct system_faults {
  long calls, failed; /* since system_faults_limit */
  long failing;       /* the number of the call that fails; 0: none */
  int code;           /* with this errno */
  long on_call;       /* the number of the call during which `then` is called */
  void (*then)(void);
  void (*seen)(void);  /* called at each call; NULL: not called */
  void (*ready)(void); /* called after poll has found something; NULL: not called */
  bool lacks_libraries;
  bool lacks_nowait; /* preadv2 knows no RWF_NOWAIT */
  bool any_thread;
  bool hiccups;      /* every other read or write is short or interrupted */
  long syncs;        /* of fsync: with hiccups the first is interrupted, the third ... */
  int creation_mode; /* of the latest new file */
} system_faults;

/* From now on the failing-th call fails with this errno; 0: none. */
void system_faults_limit(long failing, int code);

#endif
