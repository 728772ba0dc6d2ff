/* indexed_rows.h: calls that address a tensor's first dimensions by an index each, or its elements by row-major
   positions (indexed_rows.c). What they address is a *row*: the elements along the other dimensions. */
#ifndef STREW_ROWS_H
#define STREW_ROWS_H

#include "runtime/core/base/steps.h"
#include "runtime/core/scatter.h"

enum { MOST_COMPONENTS = MAX_RANK + 1 };

/* An index and the dimension that it addresses. The index is a view; its shape broadcasts to that of all. */
struct component {
  strew_tensor index;
  struct addressing addressing; /* of its own values */
};

/* The components of a call. Together they address the first `addressed` dimensions of self. */
struct rows {
  int addressed, count;
  int rank; /* of the shape to which the components broadcast */
  int64_t sizes[MAX_RANK];
  struct component at[MOST_COMPONENTS];
};

void rows_start(struct rows *rows, int addressed);
/* Appends a component for a dimension; its addressing may then be adapted. False if its shape does not broadcast with
   that of the others. */
bool rows_add(struct rows *rows, const strew_tensor *index, struct index_limits limits, const char *name);
/* The positions of a mask's true elements in row-major order, int64. */
strew_tensor *rows_mask(struct steps *steps, const strew_tensor *mask);
/* Makes *out of self's rows where a mask of its first dimensions is true, in one pass; false if the device has none, or
   strides do not allow it, or *out is given: then rows_mask and rows_gather do it. */
bool rows_compress(struct steps *steps, const strew_tensor *mask, const strew_tensor *self, strew_tensor **out);

/* The sizes of what the rows address: the components' shape, then self's other sizes. Fails if these are more than
   MAX_RANK. */
strew_status rows_shape(const struct call *call, const struct rows *rows, const strew_tensor *self,
                        struct shape1 *shape);

/* Run checked calls into *out, or into a new tensor of self's values. The job's source, unless it is NULL, broadcasts
   to `shape`, whose first `lead` dimensions number the rows in row-major order. Return the status.
   Scratch: the index, if it has several components or its strides do not allow a view of one dimension; the source, if
   its strides do not; and self, if the strides of the addressed dimensions do not. */
strew_status rows_scatter(struct steps *steps, struct rows *rows, strew_tensor *self, const struct scatter_job *given,
                          const struct shape1 *shape, int lead, strew_tensor **out);
strew_status rows_gather(struct steps *steps, struct rows *rows, strew_tensor *self, strew_tensor **out);

/* A tensor as one dimension: a view of it or of a copy. */
void flatten(struct steps *steps, const strew_tensor *tensor, strew_tensor *out);

#endif
