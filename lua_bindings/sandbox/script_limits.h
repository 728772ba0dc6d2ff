/* script_limits.h: Lua states with limits (script_limits.c), and sandboxes (sandbox*.c). */
#ifndef STREW_SCRIPT_LIMITS_H
#define STREW_SCRIPT_LIMITS_H

#include "lua_bindings/core/other_lua.h"
#include "strew.h"

struct limits;

/* Returns the limits of a state; NULL: none. */
struct limits *limits_of(lua_State *L);
/* Sets limits on the state, those of `context`, with an allocator that enforces them. Returns NULL if out of memory.
   The limits take over the reference to the context. limits_keep, which may raise an error, makes limits_of find them.
   */
struct limits *limits_adopt(lua_State *L, strew_context *context);
void limits_keep(lua_State *L, struct limits *limits);
/* Reports that a call failed with this status, which the script may catch once. */
void limits_note(struct limits *limits, strew_status status);
/* True if the hook raised an error. Then error handlers and pending closes of the script must not run: Lua would run
   them with hooks switched off. */
bool limits_are_exceeded(lua_State *L);
/* Monotonic seconds. */
double limits_now(void);
/* A coroutine runs from enter, which returns the thread that ran before, to leave. The state has limits. */
lua_State *limits_enter(lua_State *L, lua_State *co);
void limits_leave(lua_State *L, lua_State *before);
/* Raises an error if the script must stop. For C functions that take long or may be called repeatedly. */
void limits_check(lua_State *L);
/* Fails if the texts among the arguments have more than 1 MiB in all; checks the limits if they are not short. */
void limits_refuse_long_texts(lua_State *L);
enum { MAX_TEXT_BYTES = 1 << 20 };
#define TOO_LONG "texts of at most 1048576 bytes in all expected in a sandbox"

/* A function in place of a library's, which is its upvalue 1; NULL: removes that. The library NULL ends a list. */
struct guard {
  const char *library, *name;
  lua_CFunction function;
};
static inline int call_original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }
/* Functions in place of those that could run without end in one call (sandbox_string.c, sandbox_table.c), and of those
   that show addresses (sandbox_address.c). */
extern const struct guard sandbox_strings[], sandbox_tables[], sandbox_addresses[];
/* Sets up sandbox_addresses, once they guard the libraries. */
void sandbox_hide_addresses(lua_State *L);
/* A random number, not 0, that no script can guess. */
uint64_t secret_number(void);

/* strew_module.c: opens the module in this state with an existing context. */
void bind_open(lua_State *L, strew_context *context, struct limits *limits, bool sandbox);

#endif
