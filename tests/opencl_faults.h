/* opencl_faults.h: OpenCL's functions, replaced in the test program: each calls the loader's own, is counted, and fails
   on request. (strew uses the functions that its process already has.) */
#ifndef OPENCL_FAULTS_H
#define OPENCL_FAULTS_H

#include <stdbool.h>

enum disguise { NO_DISGUISE, OTHER_NAME, OTHER_DRIVER, OTHER_ROUNDING, DISGUISES };
enum spoiling { NOTHING, OPTIMISED, EVERYTHING };
/* Calls from outside of drivers. A wait is the first query of an event, or a transfer that blocks. */
struct opencl_counts {
  _Atomic long launches, items, arguments, waits, blocking, markers, flushes;
};
enum made { MADE_CONTEXT, MADE_QUEUE, MADE_BUFFER, MADE_PROGRAM, MADE_KERNEL, MADE_EVENT, MADE_LOAN, MADE_COUNT };

extern struct opencl_faults {
  _Atomic long calls, failed;     /* counted functions, since opencl_faults_limit */
  long failing;                   /* the number of the call that fails; 0: none */
  bool stays;                     /* those after it fail, too */
  const char *only;               /* the one function that counts; NULL: all */
  void (*seen)(void);             /* called at each counted call; NULL: not called */
  int code;                       /* with which it fails; 0: an error that suits the function */
  enum spoiling spoils;           /* programs that sort in the wrong order, as if broken by a compiler */
  enum disguise disguise;         /* properties that the device reports wrongly */
  const char *function;           /* the first that failed, */
  const char *error;              /* and the name of its error, if known here */
  _Atomic long alive[MADE_COUNT]; /* created and not released; loans: host memory lent to calls that do not wait */
  _Atomic long compiled;          /* programs built from source since the process began */
  struct opencl_counts counts;    /* since the process began */
} faults;

/* From now on the failing-th call fails; 0: none, and the record of the last failure stays. */
void opencl_faults_limit(long failing, bool stays);

#endif
