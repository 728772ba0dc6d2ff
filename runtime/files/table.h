/* table.h: tables of named tensors, for the file formats, see strew.h. */
#ifndef TABLE_H
#define TABLE_H

#include "runtime/base/words.h"

/* --------------------------------------------------------------------------------------------------------- table.c */

strew_status table_create(const struct call *call, strew_context *context, strew_table **out);
strew_context *table_context(const strew_table *table);
/* Adds a tensor and retains it. name NULL: the number of the entry, counted from 1. */
strew_status table_add(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* The same for the name of a column that others may have, too: see words_add_name. */
strew_status table_add_column(const struct call *call, strew_table *table, const char *name, strew_tensor *tensor);
/* The words of entry i, those of its text or of its codes; NULL: it has none. */
const struct words *table_words(const strew_table *table, int64_t i);
/* Makes these the words of entry i; the table becomes one of their owners. */
void table_set_words(strew_table *table, int64_t i, struct shared_words *words);

#endif
