/* matmul.c: matrix products on the CPU. Floats use the system's BLAS, which has its own threads and is safe after
   fork(). Integers, products too large for BLAS to count, and systems without BLAS use plain loops, with rows shared
   among threads. */
#include "blas.h"
#include "cpu.h"
#include "runtime/shared/scalar.h"

#include <limits.h>
#include <string.h>

/* Size of the product made between two polls for interrupts. */
struct chunk {
  int64_t rows, columns, depth;
};

/* One batch. Strides in elements. */
struct matrices {
  char *c;
  const char *a, *b;
  int64_t m, n, k, c_row, a_row, a_column, b_row, b_column;
};

/* Part of a product, of a chunk's size: rows from `row`, columns from `column`, inner elements from `at`. */
static struct matrices chunk_of(const struct matrices *x, int64_t row, int64_t column, int64_t at, struct chunk chunk,
                                int64_t size) {
  struct matrices cut = *x;
  cut.c += (row * x->c_row + column) * size;
  cut.a += (row * x->a_row + at * x->a_column) * size;
  cut.b += (at * x->b_row + column * x->b_column) * size;
  cut.m = least(chunk.rows, x->m - row);
  cut.n = least(chunk.columns, x->n - column);
  cut.k = least(chunk.depth, x->k - at);
  return cut;
}

typedef void multiply_rows(const struct matrices *matrices, int64_t begin, int64_t end);

#define LOOPS_WIDE
#define LOOPS "runtime/cpu/matmul.inc"
#include "runtime/cpu/loops/each_dtype.h"

/* --------------------------------------------------------------------------------------------------------- floats */

/* A matrix for BLAS: contiguous rows, or the transpose of one with contiguous rows. */
struct blas_matrix {
  int transpose;
  int leading; /* stride between contiguous lines */
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

/* adds: adds to c, else overwrites it. */
static void multiply_floats(const struct blas *blas, const struct matrices *x, strew_dtype dtype, bool adds) {
  struct blas_matrix a = blas_of(x->m, x->k, x->a_row, x->a_column), b = blas_of(x->k, x->n, x->b_row, x->b_column);
  int m = (int)x->m, n = (int)x->n, k = (int)x->k;
  if (dtype == STREW_FLOAT32)
    blas->sgemm(BLAS_ROW_MAJOR, a.transpose, b.transpose, m, n, k, 1, (const float *)(const void *)x->a, a.leading,
                (const float *)(const void *)x->b, b.leading, adds, (float *)(void *)x->c, (int)x->c_row);
  else
    blas->dgemm(BLAS_ROW_MAJOR, a.transpose, b.transpose, m, n, k, 1, (const double *)(const void *)x->a, a.leading,
                (const double *)(const void *)x->b, b.leading, adds, (double *)(void *)x->c, (int)x->c_row);
}

/* Product with a vector on the right, or on the left of the transposed matrix: `inner` elements for each of `outer`
   lines. */
static void multiply_vector(const struct blas *blas, const struct matrices *x, strew_dtype dtype, bool is_right,
                            bool adds) {
  struct blas_matrix matrix =
      is_right ? blas_of(x->m, x->k, x->a_row, x->a_column) : blas_of(x->n, x->k, x->b_column, x->b_row);
  const void *lines = is_right ? x->a : x->b, *vector = is_right ? x->b : x->a;
  int64_t outer = is_right ? x->m : x->n, step = is_right ? x->b_row : x->a_column;
  bool by_rows = matrix.transpose == BLAS_NO_TRANSPOSE;
  int rows = (int)(by_rows ? outer : x->k), columns = (int)(by_rows ? x->k : outer);
  if (!adds) memset(x->c, 0, (size_t)outer * dtype_bytes(dtype)); /* in some BLAS libraries NaN * 0 is not 0 */
  if (dtype == STREW_FLOAT32)
    blas->sgemv(BLAS_ROW_MAJOR, matrix.transpose, rows, columns, 1, lines, matrix.leading, vector,
                (int)(step > 0 ? step : 1), adds, (float *)(void *)x->c, 1);
  else
    blas->dgemv(BLAS_ROW_MAJOR, matrix.transpose, rows, columns, 1, lines, matrix.leading, vector,
                (int)(step > 0 ? step : 1), adds, (double *)(void *)x->c, 1);
}

/* BLAS cannot be interrupted: products of more than a few milliseconds, 2^28 multiplications per thread, are made in
   chunks, as square as possible (8192 x 8192 float32 on two threads: 256 x 256 at a time). An element of the result
   costs as much as 64 multiplications, for its memory may be touched for the first time. */
static struct chunk blas_chunk(const strew_context *context, const struct matrices *x) {
  enum { DEEPEST = 1 << 16, PRODUCTS = 1 << 28, ELEMENT = 64 };
  struct chunk chunk = {.depth = least(x->k, DEEPEST)};
  int64_t area = PRODUCTS / (chunk.depth + ELEMENT) * context->threads, side = 1;
  while (4 * side * side <= area) side *= 2;
  chunk.rows = least(x->m, side);
  chunk.columns = least(x->n, area / chunk.rows);
  chunk.rows = least(x->m, area / chunk.columns);
  return chunk;
}

static void multiply_by_blas(strew_context *context, const struct blas *blas, const struct matrices *x,
                             strew_dtype dtype) {
  struct chunk chunk = blas_chunk(context, x);
  int64_t size = (int64_t)dtype_bytes(dtype);
  for (int64_t row = 0; row < x->m; row += chunk.rows)
    for (int64_t column = 0; column < x->n; column += chunk.columns)
      for (int64_t at = 0; at < x->k; at += chunk.depth) {
        if (context_stops(context)) return;
        struct matrices cut = chunk_of(x, row, column, at, chunk, size);
        if (x->m == 1 || x->n == 1)
          multiply_vector(blas, &cut, dtype, x->n == 1, at > 0);
        else
          multiply_floats(blas, &cut, dtype, at > 0);
      }
}

/* ------------------------------------------------------------------------------------------------------- integers */

struct share {
  strew_context *context;
  strew_dtype dtype;
  struct matrices matrices;
  multiply_rows *multiply;
  int64_t parts;
};

enum { PLAIN_PRODUCTS = 1 << 23 }; /* of a chunk */

static void multiply_part(void *share_, int64_t part) {
  const struct share *share = share_;
  const struct matrices *x = &share->matrices;
  int64_t begin = part_begin(x->m, share->parts, part), end = part_begin(x->m, share->parts, part + 1);
  int64_t size = (int64_t)dtype_bytes(share->dtype);
  struct chunk chunk = {.depth = x->k, .columns = least(x->n, PLAIN_PRODUCTS / x->k + 1)};
  chunk.rows = PLAIN_PRODUCTS / (chunk.columns * x->k) + 1;
  for (int64_t row = begin; row < end; row += chunk.rows)
    for (int64_t column = 0; column < x->n && !context_stops(share->context); column += chunk.columns) {
      struct matrices cut = chunk_of(x, row, column, 0, chunk, size);
      share->multiply(&cut, 0, least(chunk.rows, end - row));
    }
}

static void multiply_plainly(strew_context *context, const struct matrices *x, strew_dtype dtype) {
  static multiply_rows *const loops[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, name, stored, bits, wide, ...) [STREW_##ENUM] = multiply_rows_##wide,
      STREW_DTYPES(ROW)
#undef ROW
  };
  /* a million products take about the time of a megabyte of memory traffic */
  double products = (double)x->m * (double)x->n * (double)x->k;
  struct share share = {context, dtype, *x, loops[dtype],
                        pool_parts(context, products < 0x1p62 ? (int64_t)products : INT64_MAX)};
  if (share.parts > x->m) share.parts = x->m;
  pool_run(context, share.parts, multiply_part, &share);
}

strew_status cpu_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k) {
  int rows = plan->rank - 2, columns = plan->rank - 1;
  const struct operand *a = &plan->operands[1], *b = &plan->operands[2];
  struct matrices x = {.m = plan->sizes[rows], .n = plan->sizes[columns], .k = k};
  x.c_row = x.n;
  x.a_row = a->strides[rows], x.a_column = a->strides[columns];
  x.b_row = b->strides[rows], x.b_column = b->strides[columns];
  const struct blas *blas = dtype_is_float(a->dtype) && blas_can_count(&x) ? blas_library() : NULL;
  struct plan batches = *plan;
  batches.rank = rows;
  for (int64_t i = 0; i < plan_numel(&batches) && !context_stops(device->context); i++) {
    x.c = operand_at(&batches, 0, i), x.a = operand_at(&batches, 1, i), x.b = operand_at(&batches, 2, i);
    if (blas)
      multiply_by_blas(device->context, blas, &x, a->dtype);
    else
      multiply_plainly(device->context, &x, a->dtype);
  }
  return context_end(call, device->context, plan->operands[0].storage);
}
