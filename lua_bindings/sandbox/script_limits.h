/* script_limits.h: what the files of the module share about Lua states with limits (script_limits.c) and sandboxes
 * (sandbox*.c). */
#ifndef STREW_SCRIPT_LIMITS_H
#define STREW_SCRIPT_LIMITS_H

#include <lauxlib.h>
#include <lua.h>

#include "strew.h"

struct limits;

/* Those of a state; NULL: it has none. */
struct limits *limits_of(lua_State *L);
/* Gives the state limits, those of `context`, and an allocator that keeps to them; NULL: there is no memory. The limits
   own the reference to the context from here on. The state finds them once limits_keep was called, which may raise. */
struct limits *limits_adopt(lua_State *L, strew_context *context);
void limits_keep(lua_State *L, struct limits *limits);
/* A call has failed with this status, which the script may now catch: the first time. */
void limits_note(struct limits *limits, strew_status status);
/* Has the hook raised an error? What the script left behind to be run then (handlers of errors, what a coroutine that
   ended has to close) is not run: Lua would do so with hooks switched off. */
bool limits_are_met(lua_State *L);
/* A coroutine runs from enter, which returns the thread that ran before, to leave. The state has limits. */
lua_State *limits_enter(lua_State *L, lua_State *co);
void limits_leave(lua_State *L, lua_State *before);
/* For C functions that scripts may call again and again, or that take long: raises where the script has to stop. */
void limits_check(lua_State *L);
/* luaL_addlstring, in pieces, with a check before each. sandbox_pieces.c */
void limits_add(lua_State *L, luaL_Buffer *to, const char *text, size_t length);

/* sandbox.c: opens the libraries that a sandbox has, in a fresh state. */
int sandbox_open(lua_State *L);
/* With the library on top of the stack: puts guarded functions in the place of those that could run for ever. */
void sandbox_guard_strings(lua_State *L);
void sandbox_guard_tables(lua_State *L);
/* The same for those of all libraries that go through a long text byte by byte (sandbox_pieces.c). */
void sandbox_guard_pieces(lua_State *L);

/* strew_module.c: opens the module in this state with a context that exists. */
void bind_open(lua_State *L, strew_context *context, struct limits *limits, bool sandbox);

#endif
