/* call.h: the program's one door into Lua. Scripts, -e, -l, LUA_INIT and the prompt's lines all run through it. */
#ifndef STREW_CALL_H
#define STREW_CALL_H

#include <lua.h>

/* As lua_pcall of the function and the nargs arguments on top, with a traceback added to error messages and with
   Ctrl-C raising "interrupted!", see interrupt.h. */
int program_call(lua_State *L, int nargs, int nresults);

/* `observe` is called where an error is handled, with the stack as it was when it was raised, and leaves it so. */
void program_on_error(void (*observe)(lua_State *L));

/* Writes the message on top, if status is a failure, to stderr after "NAME: " (name NULL: alone), and pops it.
   Returns status. */
int program_report(lua_State *L, const char *name, int status);

#endif
