/* blas.c: loads the system's BLAS (library.c). */
#include "blas.h"
#include "runtime/library.h"

#include <stddef.h>

/* The system's choice first, which Debian's alternatives set. */
const struct blas *blas_library(void) {
  static struct blas found;
  static const char *const names[] = {"libblas.so.3", "libopenblas.so.0", "libcblas.so.3", NULL},
                           *const symbols[] = {"cblas_sgemm", "cblas_dgemm", "cblas_sgemv", "cblas_dgemv", NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &found};
  return library_find(&library) == LIBRARY_FOUND ? &found : NULL;
}
