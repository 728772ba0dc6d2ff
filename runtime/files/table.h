/* table.h: tables of named tensors, for the files' formats: see strew.h. */
#ifndef TABLE_H
#define TABLE_H

#include "runtime/context.h"
#include "words.h"

strew_status table_create(const struct call *call, strew_context *context, strew_table **out);
strew_context *table_context(const strew_table *table);
/* name NULL: its number. The tensor is retained: its maker still holds its own reference. */
strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* Entry i takes the words over; they are the caller's where that fails. */
strew_status table_set_words(const struct call *call, strew_table *table, int64_t i, struct words *words);

#endif
