/* random_loops.h: random words, and the numbers made from them, in vectors of each instruction set. */
#ifndef STREW_RANDOM_LOOPS_H
#define STREW_RANDOM_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include <stdint.h>

struct random_loops {
  /* The words of `blocks` blocks of a seed's stream, from number `first` on. */
  void (*draw)(uint64_t seed, uint64_t first, int64_t blocks, uint32_t *words);
  void (*uniform)(int64_t count, const uint32_t *words, int bits, float *to);
  void (*normal)(int64_t count, const uint32_t *words, float *to);
  void (*integer)(int64_t count, const uint32_t *words, int64_t low, uint64_t range, int64_t *to);
};
DECLARE_LOOPS(random)
CHOOSE_LOOPS(random)

#endif
