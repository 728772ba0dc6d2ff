/* web.c: the program in a worker of a page. The page calls web_open, web_enter and prompt_complete; the prompt's terminal,
   lines and history (terminal.c, line.c, history.c) are the page. */
#define _GNU_SOURCE /* strdup, sched_getcpu */
#include "lua_bindings/core/hosting.h"
#include "lua_bindings/program/program.h"
#include "lua_bindings/program/prompt.h"
#include "runtime/core/base/context.h"
#include "strew_lua.h"

#include <emscripten.h>
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static lua_State *session;
static int page_columns;  /* 0: no page, but the program under node */
static const char *typed; /* the text to read next; NULL: it was read */
static bool is_asked;     /* the prompt asked for more than was typed */

/* What emscripten's C library lacks: there is one thread, on a processor that has no number. */
int sched_getcpu(void) { return -1; }
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) { return (void)process, (void)size, (void)set, -1; }
int __sched_cpucount(size_t size, const cpu_set_t *set) { return (void)size, (void)set, 0; }
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  return (void)thread, (void)size, (void)set, ENOSYS;
}
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
  return (void)thread, (void)size, (void)set, ENOSYS;
}
int pthread_kill(pthread_t thread, int signal_number) { return (void)thread, (void)signal_number, ENOSYS; }

/* ----------------------------------------------------------------------------------------- terminal, lines, history */

struct terminal terminal_at(int descriptor) {
  (void)descriptor;
  return (struct terminal){.columns = page_columns, .style = page_columns ? TERMINAL_SVG : TERMINAL_BLOCKS};
}

bool line_open(line_completer *complete, const char **trouble) {
  (void)complete;
  *trouble = NULL;
  return false;
}

line_got line_read(const char *prompt, char **line) {
  (void)prompt;
  is_asked = !typed;
  *line = typed ? strdup(typed) : NULL;
  typed = NULL;
  return *line ? LINE_TYPED : LINE_INTERRUPTED;
}

bool line_key(const char *prompt, char *key) { return (void)prompt, (void)key, false; }
bool line_has_input(void) { return true; }
bool line_waits(void) { return false; }
bool line_remember(const char *entry) { return (void)entry, false; }
const char *line_entry(size_t i) { return (void)i, NULL; }

EM_JS(void, remember, (const char *entry), {
  if (Module.remember) Module.remember(UTF8ToString(entry));
})

void history_open(void) {}
void history_add(const char *entry) { remember(entry); }

/* ----------------------------------------------------------------------------------------------------- interruption */

/* Calls that are running read the clock between chunks of work; interrupt_poll asks the page. */
static int64_t poll_clock(void) {
  interrupt_poll();
  return clock_ns();
}

static void watch_calls(lua_State *L) {
  strew_context *context = strew_context_of(L);
  context->now_ns = poll_clock;
  strew_context_limit_time(context, 1e9); /* or they would not read it */
}

/* --------------------------------------------------------------------------------------------------------- the page */

static int open_session(lua_State *L) {
  luaL_openlibs(L);
  luaL_requiref(L, "strew", luaopen_strew, 1);
  lua_settop(L, 0);
  interrupt_open(L, false);
  watch_calls(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  return 0;
}

/* Opens a session of the prompt for a page of that many columns. */
EMSCRIPTEN_KEEPALIVE bool web_open(int columns) {
  page_columns = columns;
  session = luaL_newstate();
  if (!session) return false;
  lua_pushcfunction(session, open_session);
  return program_report(session, NULL, lua_pcall(session, 0, 0, 0)) == LUA_OK && repl_open(session, "strew");
}

/* Runs the text. Returns the lines of an entry that continues, "" otherwise; NULL: the session has ended. */
EMSCRIPTEN_KEEPALIVE const char *web_enter(const char *text, int columns) {
  page_columns = columns;
  typed = text;
  is_asked = false;
  while (!is_asked)
    if (!repl_step(session)) return NULL;
  lua_getfield(session, LUA_REGISTRYINDEX, PROMPT_ABOVE);
  const char *above = lua_tostring(session, -1); /* the registry keeps it */
  lua_pop(session, 1);
  return above ? above : "";
}
