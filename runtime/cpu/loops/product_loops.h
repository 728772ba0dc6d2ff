/* product_loops.h: tiles of matrix products of floats. Every element is the chain s = fma(a[k], b[k], s) in order of k,
   so the size of a tile, of a vector and of a block of k changes no bit. */
#ifndef STREW_PRODUCT_LOOPS_H
#define STREW_PRODUCT_LOOPS_H

#include "isa.h"

#include "runtime/base/call.h"

/* c[rows, columns] = a[rows, depth] b[depth, columns], or, unless is_first, added to c. Strides in elements. b has unit
   stride along columns; if is_padded, a tile's full width of them can be read. */
struct product_tile {
  const void *a, *b;
  void *c;
  int64_t rows, columns, depth, a_row, a_k, b_k, c_row, c_column;
  bool is_first, is_padded;
};
typedef void multiply_tile(const struct product_tile *tile);

/* The rows that a tile may have, most first, and its vectors of columns; vectors have `lanes` elements. `strip` takes a
   with a_row 1 and a_k strip_rows. */
enum { TILE_VECTORS = 2, LINE_VECTORS = 8 };
enum { SOME_ROWS = 4, THIN_ROWS = 8 };
struct product_tiles {
  int lanes, strip_rows;
  multiply_tile *strip, *some, *one; /* TILE_VECTORS; strip_rows, SOME_ROWS, a row */
  multiply_tile *thin, *single;      /* a vector; THIN_ROWS, a row. thin takes a_k 1 */
  multiply_tile *column;             /* one column; THIN_ROWS. It takes a_k 1 */
  multiply_tile *line;               /* a row of LINE_VECTORS */
};

struct product_loops {
  struct product_tiles f32, f64;
};
DECLARE_LOOPS(product)
CHOOSE_LOOPS(product)

#endif
