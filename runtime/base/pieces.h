/* pieces.h: composed calls that work on one piece of a tensor after the other, so that what passes from step to step
   stays in cache, and scratch is small (pieces.c). On devices other than the CPU the whole tensor is one piece. */
#ifndef STREW_PIECES_H
#define STREW_PIECES_H

#include "tensor.h"

/* Pieces of a tensor along dim: `length` positions, the last one maybe fewer, of `size`. */
struct pieces {
  int dim;
  int64_t size, length;
};

/* Cuts a tensor with elements along its first dimension that is longer than 1; never along `whole` (-1: none). */
struct pieces pieces_of(const strew_tensor *tensor, int whole);
/* A view of the piece that begins at `at`, of a tensor of that size along dim. */
strew_status piece_at(const struct pieces *pieces, int64_t at, strew_tensor *tensor, strew_tensor **out,
                      strew_error *error);

#endif
