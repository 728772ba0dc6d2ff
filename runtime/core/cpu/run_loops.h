/* run_loops.h: sums of runs, contributions to one destination, for each instruction set.

   Floats are added one by one in order, and each addition waits for the last one. But as long as a sum stays within a
   binade, it is a multiple of one unit, and rounding to nearest makes each contribution a number of units: integers,
   which may be added in any order. Only those of a half are up to the sum: it becomes even. Tiles are looked at so, by
   vectors, and their sum is taken if no sum on the way can have left the binade. Tiles of multiples of a unit that is
   so large that no sum is rounded may leave binades, too. Other elements are added one by one. 10 M float32, Sapphire
   Rapids: 0.67 ns an element -> 0.17. */
#ifndef STREW_RUN_LOOPS_H
#define STREW_RUN_LOOPS_H

#include "isa.h"

#include <stdint.h>

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
