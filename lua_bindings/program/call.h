/* call.h: how the program calls Lua. Scripts, -e, -l, LUA_INIT and entries of the prompt all run through it. */
#ifndef STREW_CALL_H
#define STREW_CALL_H

#include <lua.h>

/* lua_pcall with a traceback added to error messages, and with Ctrl-C raising "interrupted!" (interrupt.h). */
int program_call(lua_State *L, int nargs, int nresults);

/* Sets a function that is called when an error is handled, on the stack as it was when the error was raised; it must
   restore the stack. NULL: none. */
void program_on_error(void (*observe)(lua_State *L));

/* Pops the message on top if status is a failure, and writes it to stderr after "NAME: " (no prefix if name is NULL).
   Returns status. */
int program_report(lua_State *L, const char *name, int status);

#endif
