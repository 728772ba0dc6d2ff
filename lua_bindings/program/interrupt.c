/* interrupt.c: a signal handler can do little: set a hook, which raises the error at the next safe point of Lua code,
   and ask native calls to stop. A hook belongs to one coroutine, so the handler must know which one runs: coroutine.c
   keeps `running` up to date. */
#define _POSIX_C_SOURCE 200809L
#include "lua_bindings/core/hosting.h"
#include "program.h"
#include "strew_lua.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
  EVERY_EVENT = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT,
  GRACE = 1000 /* instructions for cleaning up after the first error */
};

static lua_State *running; /* handlers take no argument */
static strew_context *context;
static pthread_t thread;
static bool insisting, uses_hooks;
static volatile sig_atomic_t pending;
static volatile sig_atomic_t missed; /* a Ctrl-C that no call got: the next one gets it, until interrupt_forget */
static struct sigaction before;
static int raised; /* number of errors raised since */

static void raise_interrupted(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (insisting) {
    lua_sethook(L, raise_interrupted, LUA_MASKCOUNT, raised++ ? 1 : GRACE);
  } else {
    lua_sethook(L, NULL, 0, 0);
    pending = 0;
    if (context) strew_context_clear_interrupt(context);
  }
  script_place_push(L, 1);
  lua_pushliteral(L, "interrupted!");
  lua_concat(L, 2);
  lua_error(L);
}

/* Reports, at the third Ctrl-C or after two seconds, that the running call cannot be stopped: finalizers and slow C
   functions, as string.find with some patterns, do not check. (Half a second is more than any other call takes.) */
static void report_unstoppable(void) {
  static const char text[] = "\n(this call cannot be interrupted; Ctrl-\\ ends the program)\n";
  static double first;
  static int heeded, presses;
  double now = progress_clock();
  if (!pending) {
    first = now, heeded = raised, presses = 1;
    return;
  }
  bool is_late = ++presses >= 3 ? now - first >= 0.5 : now - first >= 2;
  if (raised == heeded && is_late && write(STDERR_FILENO, text, sizeof text - 1) > 0) heeded = -1; /* once */
}

static void interrupt(int signal_number) {
  int error = errno;
  if (!pthread_equal(pthread_self(), thread)) { /* a worker thread got the signal: Lua runs in another */
    pthread_kill(thread, signal_number);
  } else {
    if (insisting)
      report_unstoppable();
    else
      signal(signal_number, SIG_DFL);
    pending = 1;
    if (uses_hooks) lua_sethook(running, raise_interrupted, EVERY_EVENT, 1);
    if (context) strew_context_interrupt(context);
  }
  errno = error;
}

#ifdef __EMSCRIPTEN__ /* has no signals: a hook and running calls ask the page */
#include <emscripten.h>

enum { INSTRUCTIONS_BETWEEN = 10000 };

EM_JS(int, is_interrupted, (void), { return Module.isInterrupted && Module.isInterrupted() ? 1 : 0; })

void interrupt_poll(void) {
  static double asked;
  double now = progress_clock();
  if (!running || pending || now - asked < 0.1) return;
  asked = now;
  if (is_interrupted()) interrupt(SIGINT);
}

static void poll_in_hook(lua_State *L, lua_Debug *ar) {
  interrupt_poll();
  if (pending) raise_interrupted(L, ar);
}

static void watch(lua_State *L) {
  if (!lua_gethook(L)) lua_sethook(L, poll_in_hook, LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN);
}
static bool is_watching(lua_State *L) { return lua_gethook(L) == poll_in_hook; }
#else
static void watch(lua_State *L) { (void)L; }
static bool is_watching(lua_State *L) { return (void)L, false; }
#endif

/* Without SA_RESTART, so that a waiting io.read is interrupted, too. */
static void handle(void (*handler)(int), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, old);
}

/* The handler at the prompt when nothing runs. (Child processes inherit SIG_IGN, but no handler.) */
static void note(int signal_number) {
  (void)signal_number;
  missed = 1;
}

void interrupt_forget(void) { missed = 0; }

void interrupt_insist(bool insists) {
  static struct sigaction outside;
  if (insists)
    handle(note, &outside);
  else
    sigaction(SIGINT, &outside, NULL);
  insisting = insists;
}

void interrupt_begin(lua_State *L) {
  running = L;
  raised = 0;
  pending = 0;
  watch(L);
  handle(interrupt, &before);
  if (missed) {
    missed = 0;
    interrupt(SIGINT);
  }
}

static void unhook(lua_State *L) {
  if (lua_gethook(L) == raise_interrupted || is_watching(L)) lua_sethook(L, NULL, 0, 0);
}

void interrupt_end(lua_State *L) {
  sigaction(SIGINT, &before, NULL);
  unhook(L);
  if (pending && insisting && uses_hooks && !raised) missed = 1;
  if (pending && context) strew_context_clear_interrupt(context);
  pending = 0;
  running = NULL;
}

/* ------------------------------------------------------------------------------------------------------- coroutines */

static lua_State *enter(lua_State *L, lua_State *co) {
  (void)L;
  lua_State *resumer = running;
  if (!pending) unhook(co); /* left by an interruption during its last run */
  watch(co);
  running = co;
  return resumer;
}

/* An interruption of the coroutine is meant for its resumer, too. */
static void leave(lua_State *L, lua_State *resumer) {
  (void)L;
  running = resumer;
  if (pending) lua_sethook(resumer, raise_interrupted, EVERY_EVENT, 1);
}

static void check_nothing(lua_State *L) { (void)L; }
static bool skips_nothing(lua_State *L) { return (void)L, false; }

void interrupt_open(lua_State *L, bool has_limits) {
  static const struct coroutine_host host = {enter, leave, check_nothing, skips_nothing};
  context = strew_context_of(L);
  thread = pthread_self();
  uses_hooks = !has_limits;
  if (has_limits) return;
  lua_getglobal(L, LUA_COLIBNAME);
  coroutine_guard(L, &host);
  lua_pop(L, 1);
}
