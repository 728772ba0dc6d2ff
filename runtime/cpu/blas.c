/* blas.c: see blas.h. Found once in a process, and never closed: its threads may be at work. */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct blas found;
static bool is_found;

/* ISO C has no conversion from dlsym's result to a function. */
static bool look_up(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

static bool is_whole(void *library) {
  return look_up(library, "cblas_sgemm", &found.sgemm) && look_up(library, "cblas_dgemm", &found.dgemm) &&
         look_up(library, "cblas_sgemv", &found.sgemv) && look_up(library, "cblas_dgemv", &found.dgemv);
}

/* The system's choice among its libraries first, as Debian's alternatives set it. */
static void find_library(void) {
  static const char *const names[] = {"libblas.so.3", "libopenblas.so.0", "libcblas.so.3"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !is_found; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    is_found = library && is_whole(library);
    if (library && !is_found) dlclose(library);
  }
}

const struct blas *blas_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_library);
  return is_found ? &found : NULL;
}
