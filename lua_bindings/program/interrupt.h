/* interrupt.h: Ctrl-C in Lua code, in coroutines and in native calls. */
#ifndef STREW_INTERRUPT_H
#define STREW_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>

/* Makes Ctrl-C work in this state, the only one of the process, whose standard libraries and module strew are open.
   Without limits it replaces the functions that run coroutines; limits check the context's interruption themselves. */
void interrupt_open(lua_State *L, bool has_limits);

/* Between begin and end, Ctrl-C raises "interrupted!" in the running code. A script may catch it once; a second Ctrl-C
   ends the process. After interrupt_insist(true), as at the prompt, the error is raised again until nothing runs, and a
   Ctrl-C that came too late for a call is for the next one, unless interrupt_forget is called between the two. */
void interrupt_begin(lua_State *L);
void interrupt_end(lua_State *L);
void interrupt_insist(bool insists);
void interrupt_forget(void);

#endif
