/* table.h: tables of named tensors, and readers of these, see strew.h. */
#ifndef TABLE_H
#define TABLE_H

#include "words.h"

/* --------------------------------------------------------------------------------------------------------- table.c */

strew_status table_create(const struct call *call, strew_context *context, strew_table **out);
strew_context *table_context(const strew_table *table);
/* Adds a tensor and retains it. name NULL: the number of the tensor, counted from 1. */
strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* The same for the name of a column that others may have, too: see words_add_name. */
strew_status table_add_column(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);

/* -------------------------------------------------------------------------------------------------------- reader.c */

/* What a reader reads: `state` is its own, of state_bytes. next makes a table or a tensor, or leaves both NULL at the
   end. A failed next can be repeated, unless input is lost: *is_lost. */
struct reader_functions {
  size_t state_bytes;
  strew_status (*next)(const struct call *call, void *state, strew_tensor **tensor, strew_table **table, bool *is_lost);
  void (*close)(void *state);
};
/* A reader with a copy of the state, which it owns on success, or, NULL, with zeros. */
strew_status reader_create(const struct call *call, strew_context *context, const struct reader_functions *functions,
                           const void *state, strew_reader **out);
void *reader_state(strew_reader *reader);

#endif
