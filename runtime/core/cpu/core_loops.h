/* core_loops.h: the core's loops that are compiled for each instruction set. */
#ifndef STREW_CORE_LOOPS_H
#define STREW_CORE_LOOPS_H

#include "cpu.h"
#include "isa.h"

/* --------------------------------------------------------------------- copy_loops.c: copies and conversions of rows */

/* Transposes: element r of from's row c becomes element c of to's row r, for `rows` rows of `columns` elements.
   Steps are those between rows, in bytes. */
typedef void transpose_block(int64_t rows, int64_t columns, char *to, int64_t to_step, const char *from,
                             int64_t from_step);

struct copy_loops {
  transpose_block *transpose[sizeof(double) + 1]; /* elements of that many bytes */
  convert_row *copy[sizeof(double) + 1];          /* the same, unconverted */
  convert_row *const *convert_from[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(copy)
CHOOSE_LOOPS(copy)

/* ---------------------------------------------------------------------------------------------------- index_loops.c */

/* Loops over lines of index values, as int64. An index value is out of range if it is not 0 .. size - 1. */

/* True if an index value is not 0 .. size - 1, `size` being a member of *of. */
#define OUT_OF_RANGE(of, value) ((uint64_t)(value) >= (uint64_t)(of)->size)

/* The index values lowest .. lowest + count - 1, of 0 .. size - 1: those of one owner. */
struct owned {
  uint64_t lowest, count, size;
};

/* Numbers of destinations: that of row i, of index value ix, is first + i * row_step + ix * step, modulo 2^32; if the
   value is out of range, `none`. */
struct placing {
  uint64_t size;
  uint32_t first, row_step, step, none;
};

struct index_loops {
  /* True if they are neither negative nor descending. */
  bool (*ascends)(const int64_t *values, int64_t count);
  /* True if all are equal; count > 0. */
  bool (*is_constant)(const int64_t *values, int64_t count);
  /* True if one is below `lowest` or above `highest`. */
  bool (*any_outside_int64_t)(const int64_t *values, int64_t count, int64_t lowest, int64_t highest);
  bool (*any_outside_int32_t)(const int32_t *values, int64_t count, int64_t lowest, int64_t highest);
  /* True if one is less than the one before it. */
  bool (*any_descent_int64_t)(const int64_t *values, int64_t count);
  bool (*any_descent_int32_t)(const int32_t *values, int64_t count);
  /* Widens *range by all values. */
  void (*widen_int64_t)(const int64_t *values, int64_t count, struct index_range *range);
  void (*widen_int32_t)(const int32_t *values, int64_t count, struct index_range *range);
  /* As apply_mode of cpu.h. */
  void (*apply_mode)(strew_mode mode, int64_t size, int64_t count, int64_t *values);
  /* Lists the positions of owned values in begin .. end - 1, in order, and returns their number. Sets *out_of_range if
     a value is. The list has room for all. Meanwhile as many values after them are prefetched. */
  int64_t (*list_owned)(const int64_t *values, int64_t begin, int64_t end, const struct owned *owned, int64_t *list,
                        bool *out_of_range);
  /* The same for a block of at most 65536 ids: lists those of lowest .. lowest + owned - 1, and where they are in
     it. */
  int64_t (*list_ids)(const int32_t *ids, int64_t count, int32_t lowest, uint32_t owned, uint16_t *which,
                      int32_t *listed);
  /* Finds the number of each value's destination. True if a value is out of range. */
  bool (*find_destinations)(const int64_t *values, int64_t count, const struct placing *placing, uint32_t *numbers);
  /* numbers[i] = first + offsets[i] + values[i] * step, or -1 if the value is out of range. True if one is. */
  bool (*number_destinations)(const int64_t *values, const int64_t *offsets, int64_t count, int64_t size, int64_t first,
                              int64_t step, int64_t *numbers);
};
DECLARE_LOOPS(index)
CHOOSE_LOOPS(index)

/* ------------------------------------------------------------------------------------------------------ row_loops.c */

/* Rows of contributions joined with rows of destinations, both of unit stride. The fewer instructions a row takes, the more rows are under way while a processor waits for memory:
   1 M rows of 64 float32 into 100 k, on busy machines: sums 29 to 36 ms by SSE2, 25 to 29 by AVX2; maxima with
   positions 166 ms -> 115 (loops of scatter.inc -> AVX-512). */
struct tile;

/* Joins in order all rows of the tile, 0 .. rows - 1, or the `rows` rows in the list `select`, whose index values are
   in range. True if an index value was out of range. */
typedef bool join_rows(const struct tile *tile, int64_t rows, const int64_t *select);
/* A maximum or minimum; where it differs from what self held, arg = position. */
typedef void winner_row(char *self, int64_t *arg, const char *src, int64_t columns, int64_t position, int64_t flip);

/* By dtype; dtypes of less than 32 bits and unsigned ones are in the plain table alone. */
struct row_loops {
  struct joins {
    join_rows *join[STREW_REDUCTION_COUNT]; /* AMAX, AMIN, and SUM of what has sums of its own; else NULL */
    winner_row *win[STREW_REDUCTION_COUNT]; /* AMAX and AMIN */
  } of[STREW_DTYPE_COUNT];
};
DECLARE_LOOPS(row)
CHOOSE_LOOPS(row)

/* ------------------------------------------------------------------------------------------------------ run_loops.c */

/* Sums of runs, contributions to one destination.

   Floats are added one by one in order, and each addition waits for the last one. But as long as a sum stays within a
   binade, it is a multiple of one unit, and rounding to nearest makes each contribution a number of units: integers,
   which may be added in any order. Only those of a half are up to the sum: it becomes even. Tiles are looked at so, by
   vectors, and their sum is taken if no sum on the way can have left the binade. Tiles of multiples of a unit that is
   so large that no sum is rounded may leave binades, too. Other elements are added one by one. 10 M float32, Sapphire
   Rapids: 0.67 ns an element -> 0.17. */

enum { RUN_GROUP = 64 }; /* elements: tiles, and moves, have a multiple of it */

/* What `count` elements add to an even sum that is near `near` before them, by how much more to an odd one, and how far
   they move it on the way, from `low` to `high`. `exact`: they are multiples of a unit so large that no sum is
   rounded. */
struct run_move {
  int64_t count;
  bool exact;
  double near, sum, turn, low, high;
};

/* Of one dtype, to which pointers point.

     add       adds x[0] .. x[count - 1] to *held in order
     foresee   fills the rest of a move of that count, for a sum near `near`. False: there is none
     take      adds a move. False, and nothing done, if that may not be what its elements add one by one
     split     copies the elements of `key` to own, and writes the positions of the others to others, each with room for
               one more than there are; returns the number of the key's */
struct run_kernels {
  void (*add)(void *held, const void *x, int64_t count);
  bool (*foresee)(double near, const void *x, struct run_move *move);
  bool (*take)(void *held, const struct run_move *move);
  int64_t (*split)(const int64_t *index, int64_t key, const void *x, int64_t count, void *own, int64_t *others);
};

/* add_...: return `held` with x[0] .. x[count - 1] added in order. */
struct run_loops {
  float (*add_f32)(float held, const float *x, int64_t count);
  double (*add_f64)(double held, const double *x, int64_t count);
  struct run_kernels of[2]; /* float32, float64 */
};
DECLARE_LOOPS(run)
CHOOSE_LOOPS(run)

#endif
