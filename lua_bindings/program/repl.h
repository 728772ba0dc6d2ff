/* repl.h: the interactive prompt. */
#ifndef STREW_REPL_H
#define STREW_REPL_H

#include <lua.h>
#include <stdbool.h>

/* Shows the banner, then reads, runs and prints entries until the input ends; errors do not end the session. Returns
   false if the session could not start, which was reported under the program's name. */
bool repl_run(lua_State *L, const char *name, const char *banner);

#endif
