/* misspelt.h: the names that misspelt globals and library functions were meant to be. */
#ifndef STREW_MISSPELT_H
#define STREW_MISSPELT_H

#include <lua.h>

/* A table in the registry whose keys are the names that a session knows besides the globals. */
#define MISSPELT_NAMES "strew.names"

/* Pushes the name that a global which is nil was likely meant to be, as "print" or "strew.zeros"; or nil. */
void misspelt_push_guess(lua_State *L, const char *name);
/* Adds a hint to the error message on top if it is about a global or a library function that is nil, or about a field
   of tensors that was called. */
void misspelt_add_hint(lua_State *L);

#endif
