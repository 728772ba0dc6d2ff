/* linalg_loops.h: steps of linear algebra on rows of matrices, see linalg_steps.inc; tiles of matrix products. */
#ifndef STREW_LINALG_LOOPS_H
#define STREW_LINALG_LOOPS_H

#include "runtime/core/base/call.h"
#include "runtime/core/cpu/isa.h"

#include <stdint.h>

#define ROW_STEPS(T)                                                                                                   \
  struct {                                                                                                             \
    void (*subtract)(int64_t rows, int64_t columns, T *c, int64_t ld, int64_t depth, const T *u, int64_t u_row,        \
                     int64_t u_step, const T *v, int64_t v_row, bool is_upper);                                        \
    void (*combine)(int64_t rows, int64_t columns, const T *c, int64_t ld, const T *v, T *w);                          \
    void (*rotate)(int64_t count, T *x, T *y, T cosine, T sine);                                                       \
    T (*dot)(int64_t count, const T *x, const T *y);                                                                   \
  }

struct linalg_loops {
  ROW_STEPS(float) f32;
  ROW_STEPS(double) f64;
};
DECLARE_LOOPS(linalg)
CHOOSE_LOOPS(linalg)

/* Tiles of matrix products. Every element of floats is the chain s = fma(a[k], b[k], s) in order of k, so the size of a
   tile, of a vector and of a block of k changes no bit. Integers wrap. */

/* c[rows, columns] = a[rows, depth] b[depth, columns], or, unless is_first, added to c. Strides in elements. b has unit
   stride along columns; if is_padded, a tile's full width of them can be read. c_column is 1 for integers. */
struct product_tile {
  const void *a, *b;
  void *c;
  int64_t rows, columns, depth, a_row, a_k, b_k, c_row, c_column;
  bool is_first, is_padded;
};
typedef void multiply_tile(const struct product_tile *tile);

/* Rows and vectors of columns of tiles; vectors have `lanes` elements. All but `strip` take fewer rows, too. */
enum { TILE_VECTORS = 2, LINE_VECTORS = 8 };
enum { SOME_ROWS = 4, THIN_ROWS = 8, COLUMN_ROWS = 32 };
struct product_tiles {
  int lanes, strip_rows;
  multiply_tile *strip, *some; /* TILE_VECTORS; strip_rows, with a_row 1 and a_k strip_rows, or SOME_ROWS */
  multiply_tile *thin, *few;   /* a vector; THIN_ROWS, SOME_ROWS. NULL: `some` */
  multiply_tile *column;       /* one column; COLUMN_ROWS. It takes a_k 1 */
  multiply_tile *line;         /* a row of LINE_VECTORS */
};

struct product_loops {
  struct product_tiles tiles[2][sizeof(int64_t) + 1]; /* of integers, of floats; of that many bytes */
};
DECLARE_LOOPS(product)
CHOOSE_LOOPS(product)

#endif
