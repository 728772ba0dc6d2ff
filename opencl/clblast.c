/* clblast.c: see clblast.h. The library is loaded once per process and never closed, because it caches kernels. The
   declarations follow clblast_c.h, versions 1.4 and 1.5 (CLBlastSgemmStridedBatched, CLBlastDgemmStridedBatched), so
   the build needs no header of it. */
#include "clblast.h"

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

bool clblast_multiply(strew_device *device, strew_dtype dtype, size_t m, size_t n, size_t k, size_t batches,
                      const struct clblast_matrices *c, const struct clblast_matrices *a,
                      const struct clblast_matrices *b) {
  static const char *const names[] = {"libclblast.so.1", NULL}, *const symbols[] = {"CLBlastSgemmStridedBatched",
                                                                                    "CLBlastDgemmStridedBatched", NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &found};
  if (library_find(&library) != LIBRARY_FOUND) return false;
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
