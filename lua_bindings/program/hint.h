/* hint.h: what was meant by a name that is not there. */
#ifndef STREW_HINT_H
#define STREW_HINT_H

#include <lua.h>

/* A table in the registry whose keys are names that a session knows besides the globals. */
#define HINT_NAMES "strew.names"

/* Pushes the name that was likely meant by a global that is nil, as "print" or "strew.zeros"; or nil. */
void hint_push_global(lua_State *L, const char *name);
/* The error message on top gets a line with a hint, if it is about a global or a library's function that is nil. */
void hint_message(lua_State *L);

#endif
