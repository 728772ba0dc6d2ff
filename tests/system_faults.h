/* system_faults.h: the operating system's functions for files, played by the test program: each goes on to the system's
   own, is counted, and fails when it is told to. (The linker puts them in the place of those that the library calls:
   --wrap, see the Makefile.) */
#ifndef SYSTEM_FAULTS_H
#define SYSTEM_FAULTS_H

#include <stdbool.h>

extern struct system_faults {
  long calls, failed; /* since system_faults_limit */
  long failing;       /* the number of the call that fails; 0: none does */
  int code;           /* with this errno */
  long on_call;       /* the number of the call during which `then` is called */
  void (*then)(void);
  void (*seen)(void); /* called at each call; NULL: nothing is */
  bool lacks_libraries;
  bool hiccups;      /* reads and writes are short or interrupted, every other time */
  long syncs;        /* of fsync: with hiccups the first is interrupted, the third ... */
  int creation_mode; /* of the last file that was made */
} system_faults;

/* From now on the failing-th call fails with this errno, or none (0). */
void system_faults_limit(long failing, int code);

#endif
