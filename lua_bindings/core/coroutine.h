/* coroutine.h: the library's functions that run coroutines, for a host that must know which thread runs. */
#ifndef STREW_COROUTINE_H
#define STREW_COROUTINE_H

#include "other_lua.h"
#include <stdbool.h>

/* Lives as long as the Lua state. */
struct coroutine_host {
  /* `co` runs from here on. Returns the thread that ran before, for leave. */
  lua_State *(*enter)(lua_State *L, lua_State *co);
  void (*leave)(lua_State *L, lua_State *before);
  /* Raises an error if the script must stop; called before each function and after a failed resume. */
  void (*check)(lua_State *L);
  /* True if what a coroutine left to be closed must not run. */
  bool (*skips_closing)(lua_State *L);
};

/* Replaces resume, wrap and close of the coroutine library on top of the stack. */
void coroutine_guard(lua_State *L, const struct coroutine_host *host);

#endif
