/* scatter.h: what the loops of scatter.inc get: a tile of contributions. */
#ifndef STREW_CPU_SCATTER_H
#define STREW_CPU_SCATTER_H

#include "cpu.h"

/* `rows` index values, each of which brings `columns` contributions to as many places. Steps are in bytes. */
struct tile {
  int64_t rows, columns;
  const int64_t *index;
  char *self;
  int64_t self_row, self_column, step; /* row i, column j of value v: self + i self_row + j self_column + v step */
  const char *src;
  int64_t src_row, src_column;
  int64_t lowest, count; /* values lowest .. lowest + count - 1 are this tile's, others are passed over ... */
  int64_t size;          /* ... as other threads', or, where they are not 0 .. size - 1, as nobody's */
  /* positions of winners, where they are asked for */
  char *arg;
  int64_t arg_row, arg_column, arg_step;
  int64_t position, position_row; /* of the first row; from row to row. Columns share it */
  int64_t arg_none;
  bool fresh;
};

/* Was a value nobody's? */
typedef bool scatter_kernel(const struct tile *tile);
#define IS_NOBODYS(t, v) ((uint64_t)(v) >= (uint64_t)(t)->size)

enum { SELECT_ROWS = 1024 };
/* Lists the rows from `begin` on, SELECT_ROWS at the most, whose values are the tile's; returns how many they are. */
int64_t select_rows(const struct tile *tile, int64_t begin, int64_t *select, bool *nobodys);

#endif
