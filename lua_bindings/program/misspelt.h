/* misspelt.h: the names that misspelt globals and library functions were meant to be. */
#ifndef STREW_MISSPELT_H
#define STREW_MISSPELT_H

#include <lua.h>
#include <stdbool.h>

/* A table in the registry whose keys are the names that a session knows besides the globals. */
#define MISSPELT_NAMES "strew.names"

/* Pushes a hint for a global which is nil, as "did you mean 'print'?", and returns true; or returns false. */
bool misspelt_push_hint(lua_State *L, const char *name);
/* Adds a hint to the error message on top if it is about a global, a library function or a column that is nil, or about
   a field of tensors that was called. */
void misspelt_add_hint(lua_State *L);

#endif
