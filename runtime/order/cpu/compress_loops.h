/* compress_loops.h: flags as bits, elements at the bits of a mask, and positions of index values, for each instruction
   set. */
#ifndef STREW_COMPRESS_LOOPS_H
#define STREW_COMPRESS_LOOPS_H

#include "runtime/core/cpu/isa.h"

#include <stdint.h>

/* Copies to `to` the elements of `from` that have a bit, the first element that of the first word's lowest bit; returns
   where they end. Memory ends at to_end; `from` ends behind the last element with a bit, or later. */
typedef char *compress_words(const uint64_t *bits, int64_t words, const char *from, char *to, const char *to_end);

struct compress_loops {
  /* Makes a bit of each flag, 64 a word, the first one the lowest; returns how many are set. */
  int64_t (*pack_flags)(int64_t words, const uint8_t *flags, uint64_t *bits);
  compress_words *by_size[sizeof(double) + 1]; /* elements of that many bytes */
  /* positions[i] = positions[i] * size + values[i]. True if a value is out of range. */
  bool (*join)(const int64_t *values, int64_t count, int64_t size, int64_t *positions);
  /* The same, but -1 where a value is out of range. Negative positions stay negative. */
  void (*join_dropping)(const int64_t *values, int64_t count, int64_t size, int64_t *positions);
};
DECLARE_LOOPS(compress)
CHOOSE_LOOPS(compress)

#endif
