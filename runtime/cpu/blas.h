/* blas.h: the system's BLAS, loaded by the first matrix product: programs without one load no library and start no
   threads. */
#ifndef STREW_BLAS_H
#define STREW_BLAS_H

/* Constants of CBLAS. */
enum { BLAS_ROW_MAJOR = 101, BLAS_NO_TRANSPOSE = 111, BLAS_TRANSPOSE = 112 };

struct blas {
  void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc);
  void (*dgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double *a,
                int lda, const double *b, int ldb, double beta, double *c, int ldc);
  void (*sgemv)(int order, int transpose, int m, int n, float alpha, const float *a, int lda, const float *x, int incx,
                float beta, float *y, int incy);
  void (*dgemv)(int order, int transpose, int m, int n, double alpha, const double *a, int lda, const double *x,
                int incx, double beta, double *y, int incy);
};

/* Returns NULL if the system has none. */
const struct blas *blas_library(void);

#endif
