/* strew_lua.h: the Lua module, for hosts with a Lua state of their own. */
#ifndef STREW_LUA_H
#define STREW_LUA_H

#include "strew.h"

#ifdef __cplusplus
extern "C" {
#endif

#include <lua.h> /* Lua's library has C linkage; its headers declare that on Debian 12 only */

/* Opens the module: luaL_requiref(L, "strew", luaopen_strew, 0). Creates a context for this Lua state; $STREW_DEVICE
   and $STREW_THREADS, if set, choose the default device and the number of threads. */
STREW_API int luaopen_strew(lua_State *L);

/* Opens the module with these options, and pushes it. Members that are 0 come from the environment, as above; options
   NULL: all of them. A module that is already open keeps its context. Raises an error if the context cannot be
   created. */
STREW_API void strew_open(lua_State *L, const strew_options *options);

/* Opens the module on a context that exists, and pushes it: the host's tensors and those of scripts work together, and
   have one seed and one set of limits. The state holds a reference. Several states may have one context, which one
   thread at a time uses. Raises an error if the module is open with another context. */
STREW_API void strew_open_on(lua_State *L, strew_context *context);

/* Returns the context of the module open in this state, borrowed; NULL: none is open. It lives as long as the state,
   and longer if tensors do. For strew_context_interrupt in a handler of Ctrl-C, which stops native calls; lua_sethook
   stops Lua code. */
STREW_API strew_context *strew_context_of(lua_State *L);

/* Registry key of the table of tensor methods, by name. */
#define STREW_METHODS "strew.methods"
/* Registry key of the environment of the library's own Lua (lua_bindings/core/strew_library.c), in which `strew` is the module
   as it was opened. */
#define STREW_LIBRARY "strew.library"
/* Registry key of a function that returns the table of functions which lua_bindings/help.lua ends with: pages and
   searches of the help, options of calls. It parses the help when first called. */
#define STREW_HELP "strew.help"
/* Registry key of a function that returns the table of functions which lua_bindings/hints.lua ends with: hints for
   names that are nil. */
#define STREW_HINTS "strew.hints"
/* Registry key of a table {table of columns, name}: the last name that scripts did not find in one; weak. */
#define STREW_MISSED "strew.missed"

/* Creates a Lua state with the standard libraries and the module (as the global strew), whose scripts run under the
   limits of options: memory, of Lua and tensors together, and time, counted from now. options->sandbox removes files,
   processes, loading of modules and bytecode, the debug library and scripts' finalizers (__gc); no library function
   then outlasts the time limit. strew.empty gives zeros, and texts of values, as from tostring, have a number in place
   of the address. Without it the limits hold for scripts that mean no harm: others can switch them off
   through the debug library, or leave the process. Environment variables are ignored. options NULL: no limits.
   Close it with lua_close. NULL: the reason is in *error.

   A script that exceeds a limit gets an error, which it may catch once, and a twentieth of its time to clean up. After
   that, or at a second such error, it ends: nothing keeps it running, and lua_pcall returns. A large block that could
   not be filled in time is refused: then lua_pcall returns LUA_ERRMEM, and strew_context_check the limit of time.
   strew_restart_limits clears that state before the next script and restarts the time; globals and tensors stay.
   strew_context_interrupt stops the Lua code of this state, too. The state uses lua_sethook and its allocator: a host
   that sets a hook of its own calls strew_watch_limits afterwards. */
STREW_API lua_State *strew_new_state(const strew_options *options, strew_error *error);
STREW_API void strew_restart_limits(lua_State *L);
STREW_API void strew_watch_limits(lua_State *L);

/* Pushes `tensor` as a Lua value with a reference of its own; the caller keeps its reference. The module must be open.
   Raises an error if out of memory. */
STREW_API void strew_push(lua_State *L, strew_tensor *tensor);

/* Returns the tensor at stack position `index`, borrowed: valid while the value stays on the stack and no Lua code
   runs. Raises an error for any other value. */
STREW_API strew_tensor *strew_check(lua_State *L, int index);

/* The same for any value and any state: NULL if the value is not a tensor, or a freed one, or if the module is not
   open. Raises no error, so it needs no protected call. */
STREW_API strew_tensor *strew_test(lua_State *L, int index);

/* For C modules and functions of a host that work on tensors.

   strew_raise raises `error` as the module's own functions do: strew.last_error() returns its details, and the message
   begins with the place of the nearest Lua function on the call stack, except those of chunks that are named "=strew."
   and more. It does not return; the int is for `return strew_raise(L, &error)`. error->message must be filled.

   strew_pcall calls a function as lua_pcall does, without a message handler. In it, errors of strew's functions name
   `op` as the operation: that of the script's call, for an operation that is made of others. In a nested call the outer
   name remains. */
STREW_API int strew_raise(lua_State *L, const strew_error *error);
STREW_API int strew_pcall(lua_State *L, const char *op, int arguments, int results);

/* True while strew.grad records the calls of a function. What a C function computes from elements that it reads itself
   has no gradient: it should fail then. The module must be open. */
STREW_API bool strew_is_recording(lua_State *L);

/* Sets the width of printed rows for scripts that do not set it: each print calls columns(user), so that a terminal may
   be resized; 80 if that returns 0 or `columns` is NULL (the default). It must not use the Lua state. The module must
   be open. */
STREW_API void strew_set_columns(lua_State *L, int (*columns)(void *user), void *user);

/* Chooses where a script's output goes: each print, and so strew.show and strew.help, calls write(user, text, length)
   once, with tabs between the values, a newline at the end and a 0 behind it; `write` NULL drops it. It must not use
   the Lua state, and may be called until lua_close returns. Replaces the global print, in a sandbox by one that hides
   addresses, too; call it before scripts run. The module must be open. lua_setwarnf is for warnings; what scripts write
   to files (io.write), which a sandbox lacks, stays as it is. */
STREW_API void strew_set_print(lua_State *L, void (*write)(void *user, const char *text, size_t length), void *user);

#ifdef __cplusplus
}
#endif
#endif
