/* oracle.h: the specification of the scatter family as plain nested loops over dense host memory, written independently
   of the library. */
#ifndef ORACLE_H
#define ORACLE_H

#include "testing.h"

struct scatter_case {
  strew_dtype dtype;
  strew_reduction reduction;
  strew_mode mode;
  bool exclude_self;
  int rank, dim; /* rank 0: everything is one element, dim 0 */
  int64_t self_sizes[STREW_MAX_RANK], index_sizes[STREW_MAX_RANK], src_sizes[STREW_MAX_RANK];
  strew_scalar number; /* the value if src is NULL */
};

/* Returns self after the call; the caller frees it. index values are valid for the mode. */
void *oracle_scatter(const struct scatter_case *c, const void *self, strew_dtype index_dtype, const void *index,
                     const void *src);
void *oracle_gather(const struct scatter_case *c, const void *self, strew_dtype index_dtype, const void *index);

/* The accumulator of one destination: arithmetic of each dtype, by the specification. */
struct cell {
  double f64;
  float f32;
  int64_t whole; /* of integers, wrapped when stored; of bools */
  int64_t count;
};
struct cell oracle_load(strew_dtype dtype, const void *element);
void oracle_store(strew_dtype dtype, const struct cell *cell, void *element);
struct cell oracle_identity(strew_reduction reduction, strew_dtype dtype);
void oracle_join(strew_reduction reduction, strew_dtype dtype, struct cell *a, const struct cell *b);
/* Divides a sum by its count, plus one if `extra`. */
void oracle_divide(strew_dtype dtype, struct cell *cell, int64_t extra);
/* Returns the position for an index value, or -1. */
int64_t oracle_place(strew_mode mode, int64_t size, int64_t value);

#endif
