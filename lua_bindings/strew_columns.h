/* strew_columns.h: tables of tensors between Lua and the runtime; strew_columns.c. */
#ifndef STREW_COLUMNS_H
#define STREW_COLUMNS_H

#include "strew_bind.h"

/* Pushes {name = tensor, ...}, or a sequence of tensors if they have no names; false: call->error is filled. `known`:
   the stack position of a table of lists of words by column, which grow and are shared with the result; 0: none. */
bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table, int known);

/* Pushes the table x.name from x's metatable, or nil; returns its stack position. */
int bind_push_about(lua_State *L, int x, const char *name);

/* Fails if the list at position `list`, of words of the column that the value at `key` names, is that of a former tensor
   x[key]. */
bool bind_check_words(lua_State *L, struct script_call *call, int x, int key, int list);

/* set_columns(x, names, words), for Lua: makes x a table of columns as strew.load returns it; returns x. about(x, "names")
   or "words": x.names or x.words from x's metatable, or nil. missed(x, name): keeps them for STREW_MISSED. */
extern const struct script_function bind_set_columns_row, bind_about_row, bind_missed_row, bind_replaced_row;

/* Names or words for a table to save, and their stack position: from the metatable of the saved table or from an
   option. */
struct about {
  int slot;
  bool is_given; /* as an option */
};
bool bind_about(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* struct about */

struct columns {
  int x; /* stack position */
  struct about names, words;
  size_t most, count, kept; /* allocated, present, and to be saved */
  struct entry *entries, **order;
};

/* Allocates all memory for the table at position x before any argument is read; it stays on the stack. */
void bind_prepare_columns(lua_State *L, int x, struct columns *out);
/* Builds *out from the Lua table. Even on failure the caller releases *out unless it is NULL. */
bool bind_read_columns(lua_State *L, struct script_call *call, struct columns *columns, strew_table **out);

#endif
