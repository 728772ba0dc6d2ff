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
/* A column in the arrays of a stream so far; all zeros at first. */
struct arrow_known {
  struct shared_words *words; /* of text; NULL: none yet. Its owner releases them */
  strew_dtype dtype;          /* of numbers, that of the first array with rows */
  bool has_dtype, is_rounded; /* of decimals: some were no integers of int64 */
};
/* Before element i of a long loop: now and then a check for interruption. */
strew_status arrow_check(const struct call *call, const strew_device *device, int64_t i);
/* Fails unless the device is the CPU. */
strew_status arrow_check_device(const struct call *call, const strew_device *device);
/* The number of columns of a schema that has been filled; fails unless tables can have all of them. */
strew_status arrow_count_columns(const struct call *call, strew_device *device, const char *argument,
                                 const struct ArrowSchema *schema, int64_t *out);
/* A table of an array of a counted schema, which is moved on success. known: one for each column; NULL: there is one
   array. */
strew_status arrow_import(const struct call *call, strew_device *device, const char *argument, struct ArrowArray *array,
                          const struct ArrowSchema *schema, struct arrow_known *known, strew_table **out);

#endif
