/* pieces.h: tensors in pieces, which steps read one after the other. */
#ifndef STREW_PIECES_H
#define STREW_PIECES_H

#include "runtime/core/base/steps.h"

/* A tensor in pieces along dim, so that what passes from step to step stays in cache, and scratch is small: `length`
   positions of `size` each, the last one maybe fewer. On devices other than the CPU the whole tensor is one piece. */
struct pieces {
  int dim;
  int64_t size, length;
};

/* Cuts a tensor with elements along its first dimension that is longer than 1; never along `whole` (-1: none). */
struct pieces pieces_of(const strew_tensor *tensor, int whole);
static inline int64_t length_at(const struct pieces *pieces, int64_t at) {
  return pieces->size - at < pieces->length ? pieces->size - at : pieces->length;
}
/* The piece that begins at `at`, of a tensor of that size along dim: a view, or the tensor if it is one piece. */
static inline strew_tensor *step_piece(struct steps *steps, const struct pieces *pieces, int64_t at, strew_tensor *x) {
  return pieces->length == pieces->size ? x : step_narrow(steps, x, pieces->dim, at, length_at(pieces, at));
}

#endif
