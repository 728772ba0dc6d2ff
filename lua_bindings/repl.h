/* repl.h: the interactive prompt. */
#ifndef STREW_REPL_H
#define STREW_REPL_H

#include <lua.h>

/* Reads, runs and prints until the input ends. Errors are shown and the session goes on. */
void repl_run(lua_State *L);

#endif
