/* interrupt.c: what a signal handler may do here is little: set a hook, which raises the error at the next safe point
   of Lua code, and ask native calls to stop. A hook belongs to one coroutine, so that the handler has to know which one
   runs: coroutine.resume and coroutine.wrap keep `running` up to date. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include "strew_lua.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  EVERY_EVENT = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT,
  GRACE = 1000 /* instructions for what cleans up behind the first error */
};

static lua_State *running; /* a handler is given no argument */
static strew_context *context;
static pthread_t thread;
static bool insisting, uses_hooks;
static volatile sig_atomic_t pending;
static struct sigaction before;
static int raised; /* how often, since interrupt_begin */

static void raise_interrupted(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (insisting) {
    lua_sethook(L, raise_interrupted, LUA_MASKCOUNT, raised++ ? 1 : GRACE);
  } else {
    lua_sethook(L, NULL, 0, 0);
    pending = 0;
    if (context) strew_context_clear_interrupt(context);
  }
  luaL_error(L, "interrupted!");
}

/* Finalizers and functions of C that take long do not look whether they are to stop: who asks again is told. */
static void tell_that_it_lasts(void) {
  static const char text[] = "\n(this call cannot be interrupted; Ctrl-\\ ends the program)\n";
  static struct timespec first;
  static int heeded;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!pending)
    first = now, heeded = raised;
  else if (raised == heeded && now.tv_sec - first.tv_sec >= 2 && write(STDERR_FILENO, text, sizeof text - 1) > 0)
    heeded = -1; /* once */
}

static void interrupt(int signal_number) {
  int error = errno;
  if (!pthread_equal(pthread_self(), thread)) { /* a worker's: Lua is another thread's */
    pthread_kill(thread, signal_number);
  } else {
    if (insisting)
      tell_that_it_lasts();
    else
      signal(signal_number, SIG_DFL);
    pending = 1;
    if (uses_hooks) lua_sethook(running, raise_interrupted, EVERY_EVENT, 1);
    if (context) strew_context_interrupt(context);
  }
  errno = error;
}

/* Without SA_RESTART: a script that waits in io.read is interrupted, too. */
static void handle(void (*handler)(int), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, old);
}

/* Between two entries nothing runs. (Programs that a script starts inherit SIG_IGN, but no handler.) */
static void ignore(int signal_number) { (void)signal_number; }

void interrupt_insist(bool insists) {
  static struct sigaction outside;
  if (insists)
    handle(ignore, &outside);
  else
    sigaction(SIGINT, &outside, NULL);
  insisting = insists;
}

void interrupt_begin(lua_State *L) {
  running = L;
  raised = 0;
  pending = 0;
  handle(interrupt, &before);
}

static void unhook(lua_State *L) {
  if (lua_gethook(L) == raise_interrupted) lua_sethook(L, NULL, 0, 0);
}

/* Did Ctrl-C come too late for this call? It must not hit the next one. */
void interrupt_end(lua_State *L) {
  sigaction(SIGINT, &before, NULL);
  unhook(L);
  if (pending && context) strew_context_clear_interrupt(context);
  pending = 0;
}

/* ------------------------------------------------------------------------------------------------------- coroutines */

/* `co` runs from here on; gives what has run. */
static lua_State *enter(lua_State *co) {
  lua_State *resumer = running;
  if (!pending) unhook(co); /* an interruption that came while it ran last */
  running = co;
  return resumer;
}

/* What stopped the one that ran is meant for its resumer, too. */
static void leave(lua_State *resumer) {
  running = resumer;
  if (pending) lua_sethook(resumer, raise_interrupted, EVERY_EVENT, 1);
}

static bool is_failure(int status) { return status != LUA_OK && status != LUA_YIELD; }

/* Runs co with the n arguments on top of L. Gives how many results are on top of L then; -1: an error is, and *status
   says of which kind. A wrapped one is closed by it. */
static int resume(lua_State *L, lua_State *co, int n, bool is_wrapped, int *status) {
  int results;
  *status = LUA_ERRRUN;
  if (!lua_checkstack(co, n)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, n);
  lua_State *resumer = enter(co);
  *status = lua_resume(co, L, n, &results);
  if (is_wrapped && is_failure(lua_status(co))) *status = lua_resetthread(co);
  leave(resumer);
  if (is_failure(*status)) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static lua_State *coroutine_argument(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  if (!co) luaL_typeerror(L, 1, "thread");
  return co;
}

static int coroutine_resume(lua_State *L) {
  int status, n = resume(L, coroutine_argument(L), lua_gettop(L) - 1, false, &status);
  lua_pushboolean(L, n >= 0);
  if (n < 0) n = 1;
  lua_insert(L, -(n + 1));
  return n + 1;
}

/* What coroutine.wrap gives. Its errors say where it was called. */
static int call_wrapped(lua_State *L) {
  int status, n = resume(L, lua_tothread(L, lua_upvalueindex(1)), lua_gettop(L), true, &status);
  if (n >= 0) return n;
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* One that waits may have variables to close, which runs Lua code; the others are the standard function's. */
static int coroutine_close(lua_State *L) {
  lua_State *co = coroutine_argument(L);
  if (lua_status(co) != LUA_YIELD) {
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, LUA_MULTRET);
    return lua_gettop(L);
  }
  lua_State *resumer = enter(co);
  int status = lua_resetthread(co);
  leave(resumer);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

static int coroutine_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

void interrupt_open(lua_State *L, bool has_limits) {
  static const luaL_Reg functions[] = {{"resume", coroutine_resume}, {"wrap", coroutine_wrap}, {NULL, NULL}};
  context = strew_context_of(L);
  thread = pthread_self();
  uses_hooks = !has_limits;
  if (has_limits) return;
  lua_getglobal(L, LUA_COLIBNAME);
  luaL_setfuncs(L, functions, 0);
  lua_getfield(L, -1, "close");
  lua_pushcclosure(L, coroutine_close, 1);
  lua_setfield(L, -2, "close");
  lua_pop(L, 1);
}
