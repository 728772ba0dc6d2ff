/* clblast.c: see clblast.h. The library is loaded once per process and never closed, because it caches kernels. The
   declarations follow clblast_c.h, versions 1.4 and 1.5 (CLBlastSgemmStridedBatched, CLBlastDgemmStridedBatched), so
   the build needs no header of it. */
#include "clblast.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

#define GEMM(name, T)                                                                                                  \
  typedef int name(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, T alpha,                \
                   cl_mem a_buffer, size_t a_offset, size_t a_leading, size_t a_stride, cl_mem b_buffer,               \
                   size_t b_offset, size_t b_leading, size_t b_stride, T beta, cl_mem c_buffer, size_t c_offset,       \
                   size_t c_leading, size_t c_stride, size_t batch_count, cl_command_queue *queue, cl_event *event)
GEMM(sgemm_batched, float);
GEMM(dgemm_batched, double);

static struct {
  sgemm_batched *sgemm;
  dgemm_batched *dgemm;
} found;
static bool is_found;

/* ISO C does not convert dlsym's result to a function pointer. */
static bool look_up(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

static void find_library(void) {
  void *library = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  is_found = library && look_up(library, "CLBlastSgemmStridedBatched", &found.sgemm) &&
             look_up(library, "CLBlastDgemmStridedBatched", &found.dgemm);
}

bool clblast_multiply(strew_device *device, strew_dtype dtype, size_t m, size_t n, size_t k, size_t batches,
                      const struct clblast_matrices *c, const struct clblast_matrices *a,
                      const struct clblast_matrices *b) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_library);
  if (!is_found) return false;
  struct opencl *on = opencl_of(device);
  strew_context *context = device->context;
  on->busy = true;
  int a_way = a->transposed ? TRANSPOSED : AS_IT_IS, b_way = b->transposed ? TRANSPOSED : AS_IT_IS, error;
  sigset_t before;
  opencl_block_signals(&before); /* CLBlast compiles kernels at first use */
  strew_context_progress(context, "compiling kernels", -1);
  if (dtype == STREW_FLOAT32)
    error = found.sgemm(ROW_MAJOR, a_way, b_way, m, n, k, 1, a->memory, a->offset, a->leading, a->stride, b->memory,
                        b->offset, b->leading, b->stride, 0, c->memory, c->offset, c->leading, c->stride, batches,
                        &on->queue, NULL);
  else
    error = found.dgemm(ROW_MAJOR, a_way, b_way, m, n, k, 1, a->memory, a->offset, a->leading, a->stride, b->memory,
                        b->offset, b->leading, b->stride, 0, c->memory, c->offset, c->leading, c->stride, batches,
                        &on->queue, NULL);
  strew_context_progress(context, NULL, 0);
  opencl_restore_signals(&before);
  return error == 0;
}
