/* indexed_rows.h: calls that address a tensor's first dimensions by an index each, or its elements by row-major positions
   (indexed_rows.c). What they address is a *row*: the elements along the other dimensions. */
#ifndef STREW_ROWS_H
#define STREW_ROWS_H

#include "scatter.h"

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
  strew_tensor *made[MOST_COMPONENTS]; /* memory of components that the call has made, `made_count` of them */
  int made_count;
};

void rows_start(struct rows *rows, int addressed);
/* Appends a component for a dimension; its addressing may then be adapted. False if its shape does not broadcast with
   that of the others. */
bool rows_add(struct rows *rows, const strew_tensor *index, struct index_limits limits, const char *name);
/* Make what a component may be a view of; rows_release releases it. rows_mask: the positions of a mask's true elements in
   row-major order. rows_numbers: 0, 1, ... count - 1. */
strew_status rows_mask(const struct call *call, struct rows *rows, const strew_tensor *mask, strew_tensor **out);
strew_status rows_numbers(const struct call *call, struct rows *rows, strew_device *device, int64_t count,
                          strew_tensor **out);
void rows_release(struct rows *rows);

/* The sizes of what the rows address: the components' shape, then self's other sizes. Fails if these are more than
   MAX_RANK. */
strew_status rows_shape(const struct call *call, const struct rows *rows, const strew_tensor *self,
                        struct shape1 *shape);

/* Run checked calls into *out, or into a new tensor of self's values. The job's source, unless it is NULL, broadcasts
   to `shape`, whose first `lead` dimensions number the rows in row-major order.
   Scratch: the index, if it has several components or its strides do not allow a view of one dimension; the source, if
   its strides do not; and self, if the strides of the addressed dimensions do not. */
strew_status rows_scatter(const struct call *call, struct rows *rows, strew_tensor *self, struct scatter_job *job,
                          const struct shape1 *shape, int lead, strew_tensor **out);
strew_status rows_gather(const struct call *call, struct rows *rows, strew_tensor *self, strew_tensor **out);

/* A tensor as one dimension: a view, or one of a copy *made, which the caller releases. */
strew_status flatten(const struct call *call, const strew_tensor *tensor, strew_tensor *out, strew_tensor **made);

#endif
