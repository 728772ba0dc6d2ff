/* strew_lua.h: the Lua module for a host with a Lua state of its own. */
#ifndef STREW_LUA_H
#define STREW_LUA_H

#include "strew.h"

#ifdef __cplusplus
extern "C" {
#endif

#include <lua.h> /* Lua's library has C linkage; its headers say so on Debian 12 only */

/* Pushes the module: luaL_requiref(L, "strew", luaopen_strew, 0). It makes a context of its own for this Lua state;
   the default device and the number of threads come from $STREW_DEVICE and $STREW_THREADS, where they are set. */
STREW_API int luaopen_strew(lua_State *L);

/* The same with a context as the host wants it; fields that are 0 come from the environment as above. A module that is
   open in this state already keeps its context. Raises where the context cannot be made. */
STREW_API void strew_open(lua_State *L, const strew_options *options);

/* The context of the module that is open in this state, borrowed: it lives as long as the state, and longer where
   tensors do. NULL where none is open. For strew_context_interrupt in a handler of Ctrl-C, which stops what runs
   natively; Lua code is stopped by lua_sethook. */
STREW_API strew_context *strew_context_of(lua_State *L);

/* In the registry: the table of methods that tensors have, by name. */
#define STREW_METHODS "strew.methods"

/* A new Lua state with its libraries and the module open (as the global strew), whose scripts keep to the limits of
   options: memory, of Lua and tensors together, and time, which begins now. With options->sandbox there are neither
   files nor processes, no loading of modules or bytecode, no debug library and no finalizers of the script's own
   (__gc), and no function of the libraries runs on when time is over. Without it the limits hold for scripts that mean
   no harm: one that does can switch them off through the debug library, or leave the process. The environment has no
   say. lua_close ends it; NULL: the reason is in *error.

   A script that meets a limit gets an error that it may catch once, and a twentieth of its time to clean up; what it
   does then, or a second such error, ends it: nothing that it does keeps it running, and lua_pcall returns. Before the
   next script, strew_restart_limits forgets that, and lets time begin anew; globals and tensors are as they were left.
   strew_context_interrupt stops Lua code of such a state, too. The state uses lua_sethook and its allocator: a host
   that has set a hook of its own calls strew_watch_limits after it. */
STREW_API lua_State *strew_new_state(const strew_options *options, strew_error *error);
STREW_API void strew_restart_limits(lua_State *L);
STREW_API void strew_watch_limits(lua_State *L);

/* Pushes a value through which scripts see `tensor`, with a reference of its own: the caller keeps the one it has. The
   module was opened in this state before. Raises where memory does not suffice. */
STREW_API void strew_push(lua_State *L, strew_tensor *tensor);

/* The tensor at `index` of the stack, borrowed: it is sure to live as long as the value stays on the stack and no Lua
   code runs. Raises where there is something else. */
STREW_API strew_tensor *strew_check(lua_State *L, int index);

/* How wide a printed row may be where scripts leave it open: columns(user) is asked at each print, so that a terminal
   may change its size; 80 where it gives 0, or columns is NULL (as it is at first). It may not use the Lua state. The
   module was opened before. */
STREW_API void strew_set_columns(lua_State *L, int (*columns)(void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
