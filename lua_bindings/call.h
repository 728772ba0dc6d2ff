/* call.h: the program's one door into Lua. Scripts, -e, -l, LUA_INIT and the prompt's lines all run through it. */
#ifndef STREW_CALL_H
#define STREW_CALL_H

#include <lua.h>

/* As lua_pcall of the function and the nargs arguments on top, with a traceback added to error messages and with
   Ctrl-C raising "interrupted!". A second Ctrl-C ends the process. */
int program_call(lua_State *L, int nargs, int nresults);

/* Writes the message on top, if status is a failure, to stderr after "NAME: " (name NULL: alone), and pops it.
   Returns status. */
int program_report(lua_State *L, const char *name, int status);

#endif
