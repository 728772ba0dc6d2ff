/* table.h: tables of named tensors, for the file formats, see strew.h. */
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

#endif
