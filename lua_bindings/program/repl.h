/* repl.h: the interactive prompt. */
#ifndef STREW_REPL_H
#define STREW_REPL_H

#include <lua.h>
#include <stdbool.h>

/* Shows the banner, then reads, runs and prints until the input ends. Errors are shown and the session goes on. False:
   there is no session, as was reported under the program's name. */
bool repl_run(lua_State *L, const char *name, const char *banner);

#endif
