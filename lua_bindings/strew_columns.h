/* strew_columns.h: tables of tensors between Lua and the runtime; strew_columns.c. */
#ifndef STREW_COLUMNS_H
#define STREW_COLUMNS_H

#include "strew_bind.h"

/* Pushes {name = tensor, ...}, or a sequence of tensors if they have no names; false: call->error is filled. `known`:
   the stack position of a table of lists of words by column, which grow and are shared with the result; 0: none. */
bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table, int known);

/* Builds *out from the Lua table at position x; those of names and words, options or nil, are at these positions. Even on
   failure the caller releases *out unless it is NULL. */
bool bind_read_columns(lua_State *L, struct script_call *call, int x, int names, int words, strew_table **out);

/* missed(x, name), for Lua: keeps them for STREW_MISSED. */
extern const struct script_function bind_missed_row;

#endif
