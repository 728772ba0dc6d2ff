/* opencl_faults.h: OpenCL's functions, played by the test program: each goes on to the loader's own, is counted, and
   fails when it is told to. (strew takes the functions that its process already has.) */
#ifndef OPENCL_FAULTS_H
#define OPENCL_FAULTS_H

#include <stdbool.h>

enum disguise { NO_DISGUISE, OTHER_NAME, OTHER_DRIVER, OTHER_ROUNDING, DISGUISES };
enum spoiling { NOTHING, OPTIMISED, EVERYTHING };
enum made { MADE_CONTEXT, MADE_QUEUE, MADE_BUFFER, MADE_PROGRAM, MADE_KERNEL, MADE_EVENT, MADE_LOAN, MADE_COUNT };

extern struct opencl_faults {
  _Atomic long calls, failed;      /* of the functions that count, since opencl_faults_limit */
  long failing;                    /* the number of the call that fails; 0: none does */
  bool stays;                      /* those after it fail, too */
  const char *only;                /* the one function that counts; NULL: all do */
  void (*seen)(void);              /* called at each call that counts; NULL: nothing is */
  int code;                        /* with which it fails; 0: with one that suits it */
  enum spoiling spoils;            /* which programs come to sort the wrong way round, as if by a compiler's fault */
  enum disguise disguise;          /* what a device says of itself otherwise than it is */
  const char *function;            /* the first that failed, */
  const char *error;               /* and how its error is called, where that is known here */
  _Atomic long alive[MADE_COUNT];  /* made and not released; loans: memory of the host, by calls that don't wait */
  _Atomic long compiled, launched; /* programs built from source, kernels enqueued, since the process began */
} faults;

/* From now on the failing-th call fails, or none (0): then what is known of the last failure stays. */
void opencl_faults_limit(long failing, bool stays);

#endif
