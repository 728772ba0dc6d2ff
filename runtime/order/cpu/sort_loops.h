/* sort_loops.h: sorting of items, and of short lines side by side, in vectors of each instruction set. */
#ifndef STREW_SORT_LOOPS_H
#define STREW_SORT_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include <stdbool.h>
#include <stdint.h>

enum { LANES = 8 };

/* A word is also a double without sign, exponent 0 or NaN, as all instruction sets compare doubles in vectors. */
enum { WORD_BITS = 61 };
#define WORD_FLAG (UINT64_C(1) << WORD_BITS)

/* Memory of a line. */
struct sort_line {
  const char *in;
  char *values, *positions; /* values NULL: not needed */
  int64_t in_step, values_step, positions_step;
  int64_t n, keep;
  uint64_t flip, base;
  int shift, position_bits; /* bits of keys that words lack; bits of positions */
  bool exact;               /* those are zeros */
};

static inline uint64_t position_in(const struct sort_line *line, uint64_t word) {
  return word & ((UINT64_C(1) << line->position_bits) - 1);
}
static inline uint64_t key_in(const struct sort_line *line, uint64_t word) {
  return ((word & (WORD_FLAG - 1)) >> line->position_bits << line->shift) + line->base;
}

/* rises, falls: no key is less, or greater, than the one before. apart: nor equal to it; only of a line that falls. */
struct order {
  bool rises, falls, apart;
};

/* Bounds of keys, before the base is subtracted; `differ`: bits in which some differ from `first`, one of them. */
struct bounds {
  uint64_t least, most, first, differ;
  struct order order;
};

/* What a dtype has. */
struct keys {
  /* `load` makes keys of elements from `position` on; `store` writes values of exact, sorted words from `rank` on */
  void (*load)(uint64_t *keys, const struct sort_line *line, int64_t position, int64_t count);
  void (*find_order)(const struct sort_line *line, int64_t begin, int64_t end, struct order *order);
  void (*store)(const struct sort_line *line, const uint64_t *words, int64_t rank, int64_t count);
};

struct sort_loops {
  const struct keys *const *keys; /* by dtype, signed */
  void (*bound_keys)(struct bounds *bounds, const uint64_t *keys, int64_t count);
  /* Makes words of keys, `apart` from one another, 1 or LANES. 0: LANES keys of adjacent lines have one position. */
  void (*make_words)(const struct sort_line *line, uint64_t *words, const uint64_t *keys, int64_t position,
                     int64_t count, int64_t apart);
  /* Writes positions and, unless bytes is 0, values from rank `rank` on: those of words, `apart` from one another (0: for
     each rank those of LANES adjacent lines), which may be in the memory of the positions. */
  void (*store_picked)(const struct sort_line *line, const uint64_t *words, int64_t apart, int bytes, int64_t rank,
                       int64_t count);
  /* Sorts LANES lines of `count` items each: items[i * LANES + lane]. No two of a line are equal, and none is NaN. */
  void (*sort_lanes)(double *items, int64_t count);
  /* Sorts `count` such items; spare: scratch for as many. NULL: not worth it without vectors of four. */
  void (*sort_items)(double *items, double *spare, int64_t count);
  int digits_most; /* bits of keys that digits sort faster, of SORT_FEW items and more */
};
DECLARE_LOOPS(sort)
CHOOSE_LOOPS(sort)

#endif
