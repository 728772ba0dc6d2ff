/* interrupt.h: Ctrl-C, wherever the program is just then: in Lua code, in one of its coroutines, in a native call. */
#ifndef STREW_INTERRUPT_H
#define STREW_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>

/* Replaces the functions that run coroutines by ones that tell which coroutine runs; not where there are limits, which
   look at the context's interruption by themselves. The standard libraries and the module strew are open in this state,
   the only one of the process that is interrupted. */
void interrupt_open(lua_State *L, bool has_limits);

/* From begin to end Ctrl-C raises "interrupted!" in what runs. Scripts may catch it, once, and a second Ctrl-C ends the
   process; where it insists, as at the prompt, it is raised again and again until nothing runs any more. */
void interrupt_begin(lua_State *L);
void interrupt_end(lua_State *L);
void interrupt_insist(bool insists);

#endif
