/* arrow.h: the binary interface of Arrow's C data: columns of a table. Who has a struct
   calls its `release` once, and the struct is empty then: release is NULL. A struct may be moved: copied, and the
   original emptied without a release. */
#ifndef ARROW_H
#define ARROW_H

#include <stdint.h>

struct ArrowSchema {
  const char *format, *name, *metadata; /* metadata: not used here */
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *self);
  void *private_data;
};
enum { ARROW_NULLABLE = 2 }; /* a flag */

struct ArrowArray {
  int64_t length, null_count /* -1: unknown */, offset, n_buffers, n_children;
  const void **buffers; /* the first: a bit for each element, 0 where it is missing; NULL: none is */
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *self);
  void *private_data;
};

#endif
