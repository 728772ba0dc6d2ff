/* matmul.c: products of matrices on the CPU: floats by the machine's BLAS, which has threads of its own and is safe
   after fork(); integers, what is too large for BLAS to count, and everything where there is no BLAS, by plain loops,
   rows shared among the threads. */
#include "blas.h"
#include "cpu.h"
#include "scalar.h"

#include <limits.h>
#include <string.h>

/* One batch. Strides in elements. */
struct matrices {
  char *c;
  const char *a, *b;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
};

typedef void multiply_rows(const struct matrices *matrices, int64_t begin, int64_t end);

#define LOOPS_WIDE
#define LOOPS "matmul.inc"
#include "each_dtype.h"

/* --------------------------------------------------------------------------------------------------------- floats */

/* A matrix as BLAS takes it: dense by rows, or the transpose of one that is. */
struct blas_matrix {
  int transpose;
  int leading; /* from one dense line to the next */
};

static struct blas_matrix blas_of(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  bool by_rows = (columns <= 1 || column == 1) && (rows <= 1 || row >= (columns > 1 ? columns : 1));
  int64_t leading = by_rows ? (rows > 1 ? row : columns) : (columns > 1 ? column : rows);
  return (struct blas_matrix){by_rows ? BLAS_NO_TRANSPOSE : BLAS_TRANSPOSE, (int)(leading > 0 ? leading : 1)};
}

/* BLAS counts in int. */
static bool blas_can_count(const struct matrices *x) {
  const int64_t numbers[] = {x->m, x->n, x->k, x->a_row, x->a_column, x->b_row, x->b_column};
  for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
    if (numbers[i] > INT_MAX) return false;
  return true;
}

static void multiply_floats(const struct blas *blas, const struct matrices *x, strew_dtype dtype) {
  struct blas_matrix a = blas_of(x->m, x->k, x->a_row, x->a_column), b = blas_of(x->k, x->n, x->b_row, x->b_column);
  int m = (int)x->m, n = (int)x->n, k = (int)x->k;
  if (dtype == STREW_FLOAT32)
    blas->sgemm(BLAS_ROW_MAJOR, a.transpose, b.transpose, m, n, k, 1, (const float *)(const void *)x->a, a.leading,
                (const float *)(const void *)x->b, b.leading, 0, (float *)(void *)x->c, n);
  else
    blas->dgemm(BLAS_ROW_MAJOR, a.transpose, b.transpose, m, n, k, 1, (const double *)(const void *)x->a, a.leading,
                (const double *)(const void *)x->b, b.leading, 0, (double *)(void *)x->c, n);
}

/* A vector on the right, or on the left of the transposed matrix: `inner` elements of it meet each of `outer` lines. */
static void multiply_vector(const struct blas *blas, const struct matrices *x, strew_dtype dtype) {
  bool is_right = x->n == 1;
  struct blas_matrix matrix =
      is_right ? blas_of(x->m, x->k, x->a_row, x->a_column) : blas_of(x->n, x->k, x->b_column, x->b_row);
  const void *lines = is_right ? x->a : x->b, *vector = is_right ? x->b : x->a;
  int64_t outer = is_right ? x->m : x->n, step = is_right ? x->b_row : x->a_column;
  bool by_rows = matrix.transpose == BLAS_NO_TRANSPOSE;
  int rows = (int)(by_rows ? outer : x->k), columns = (int)(by_rows ? x->k : outer);
  memset(x->c, 0, (size_t)outer * dtype_bytes(dtype)); /* NaN * 0 is not 0 to every BLAS */
  if (dtype == STREW_FLOAT32)
    blas->sgemv(BLAS_ROW_MAJOR, matrix.transpose, rows, columns, 1, lines, matrix.leading, vector,
                (int)(step > 0 ? step : 1), 0, (float *)(void *)x->c, 1);
  else
    blas->dgemv(BLAS_ROW_MAJOR, matrix.transpose, rows, columns, 1, lines, matrix.leading, vector,
                (int)(step > 0 ? step : 1), 0, (double *)(void *)x->c, 1);
}

/* ------------------------------------------------------------------------------------------------------- integers */

struct share {
  struct matrices matrices;
  multiply_rows *multiply;
  int64_t parts;
};

static void multiply_part(void *share_, int64_t part) {
  const struct share *share = share_;
  const struct matrices *x = &share->matrices;
  int64_t begin = part_begin(x->m, share->parts, part), end = part_begin(x->m, share->parts, part + 1);
  share->multiply(x, begin, end);
}

static void multiply_plainly(strew_context *context, const struct matrices *x, strew_dtype dtype) {
  static multiply_rows *const loops[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, name, stored, bits, wide, ...) [STREW_##ENUM] = multiply_rows_##wide,
      STREW_DTYPES(ROW)
#undef ROW
  };
  /* a million products take about as long as a megabyte takes to pass */
  double products = (double)x->m * (double)x->n * (double)x->k;
  struct share share = {*x, loops[dtype], pool_parts(context, products < 0x1p62 ? (int64_t)products : INT64_MAX)};
  if (share.parts > x->m) share.parts = x->m;
  pool_run(context, share.parts, multiply_part, &share);
}

strew_status cpu_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k) {
  (void)call;
  int rows = plan->rank - 2, columns = plan->rank - 1;
  const struct operand *a = &plan->operands[1], *b = &plan->operands[2];
  struct matrices x = {.m = plan->sizes[rows], .n = plan->sizes[columns], .k = k};
  x.a_row = a->strides[rows], x.a_column = a->strides[columns];
  x.b_row = b->strides[rows], x.b_column = b->strides[columns];
  const struct blas *blas = dtype_is_float(a->dtype) && blas_can_count(&x) ? blas_library() : NULL;
  struct plan batches = *plan;
  batches.rank = rows;
  for (int64_t i = 0; i < plan_numel(&batches); i++) {
    x.c = operand_at(&batches, 0, i), x.a = operand_at(&batches, 1, i), x.b = operand_at(&batches, 2, i);
    if (!blas)
      multiply_plainly(device->context, &x, a->dtype);
    else if (x.m == 1 || x.n == 1)
      multiply_vector(blas, &x, a->dtype);
    else
      multiply_floats(blas, &x, a->dtype);
  }
  return STREW_OK;
}
