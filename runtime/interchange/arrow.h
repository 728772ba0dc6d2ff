/* arrow.h: the binary interface of Arrow's C data, columns of a table, and of its C stream, a sequence of tables. Who has
   a struct calls its `release` once, and the struct is empty then: release is NULL. A struct may be moved: copied, and the
   original emptied without a release. */
#ifndef ARROW_H
#define ARROW_H

#include "strew.h"

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

/* The two calls return 0 or an errno. At the end get_next leaves an empty array. One thread calls at a time. */
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *self, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *self, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *self); /* after a failure, until the next call; may be NULL */
  void (*release)(struct ArrowArrayStream *self);
  void *private_data;
};

/* ------------------------------------------------------------------------------------------------- arrow_import.c */

struct call;
struct shared_words;
/* Before element i of a long loop: now and then a check for interruption. */
strew_status arrow_check(const struct call *call, const strew_device *device, int64_t i);
/* Fails unless the device is the CPU. */
strew_status arrow_check_device(const struct call *call, const strew_device *device);
/* A table of an array, which is moved on success. known: for each column the words of earlier batches, or NULL, which
   the caller releases; or NULL: there is one batch. */
strew_status arrow_import(const struct call *call, strew_device *device, const char *argument, struct ArrowArray *array,
                          const struct ArrowSchema *schema, struct shared_words **known, strew_table **out);

#endif
