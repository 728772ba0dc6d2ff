/* feed.h: operands read in blocks, of any dtype. */
#ifndef STREW_FEED_H
#define STREW_FEED_H

#include "runtime/core/cpu/program.h"

/* The elements of an operand, in blocks: converted from memory, or computed. */
struct feed {
  const struct program *program; /* NULL: in memory */
  const char *first;             /* of a program: the address of element 0, from which elements are counted */
  convert_row *convert;          /* to the dtype of blocks; NULL: the program gives it */
  int64_t from_bytes, to_bytes;  /* of an element */
};

/* Fills the feed of an operand. True if elements must pass through it: they are computed, or of another dtype than `to`. */
bool feed_open(struct feed *feed, const struct operand *operand, strew_dtype to);
/* Writes `count` elements to `to`, one after the other: those from address `from` on, `step` bytes apart. From any
   thread. */
void feed_read(const struct feed *feed, int64_t count, char *to, const char *from, int64_t step);

#endif
