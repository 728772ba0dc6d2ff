/* strew_columns.h: tables of tensors between Lua and the runtime; strew_columns.c. */
#ifndef STREW_COLUMNS_H
#define STREW_COLUMNS_H

#include "strew_bind.h"

/* Pushes {name = tensor, ...}, or a sequence of tensors where they have no names; false: call->error is filled. */
bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table);

/* Pushes the table that stands as x.name through x's metatable, nil where there is none; returns its place. */
int bind_push_about(lua_State *L, int x, const char *name);

/* Names, or words, for a table that is saved: at a place of the stack, where they come to lie from the metatable of
   what is saved or as an option. */
struct about {
  int slot;
  bool is_given; /* as an option */
};
bool bind_about(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* struct about */

struct columns {
  int x; /* where on the stack */
  struct about names, words;
  size_t most, count, kept; /* entries that there is room for, that there are, that are saved */
  struct entry *entries, **order;
};

/* Takes all the memory that the table at position x needs, before any argument is read; it stays on the stack. */
void bind_prepare_columns(lua_State *L, int x, struct columns *out);
/* Makes *out of the Lua table; where that fails, too, *out is to be released unless it is NULL. */
bool bind_read_columns(lua_State *L, struct script_call *call, struct columns *columns, strew_table **out);

#endif
