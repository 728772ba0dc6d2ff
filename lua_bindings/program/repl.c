/* repl.c: the loop of the prompt: read an entry (prompt.read says what to do with it), run it, show its results
   (prompt.results). The files of prompt/, in Lua, handle texts; prompt.c is their host. */
#define _POSIX_C_SOURCE 200809L
#include "lua_bindings/core/hosting.h"
#include "program.h"
#include "prompt.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

enum { BANNER_COLUMNS = 50, ROOM = 1000 /* stack slots that the prompt needs above an entry's results */ };
static const double long_seconds = 0.5; /* longer times are shown */

/* Registry keys: the function of the running entry; the locals left by an error. */
static const char entry_key[] = "strew.entry", left_key[] = "strew.left";

/* ---------------------------------------------------------------------------------------------------------- entries */

/* Returns the outermost level of the stack by bisection. (Reaching a level takes that many steps: trying each would
   take minutes in an endless recursion.) */
static int last_level(lua_State *L) {
  lua_Debug frame;
  int there = 0, missing = 1;
  for (; lua_getstack(L, missing, &frame); missing *= 2) there = missing;
  while (missing - there > 1) {
    int middle = there + (missing - there) / 2;
    if (lua_getstack(L, middle, &frame))
      there = middle;
    else
      missing = middle;
  }
  return there;
}

/* Pushes a table of the locals of an entry's outermost block, between the first mark and the second. */
static void push_locals(lua_State *L, const lua_Debug *frame) {
  const char *name;
  int marks = 0;
  lua_newtable(L);
  for (int i = 1; marks < 2 && (name = lua_getlocal(L, frame, i)) != NULL; i++) {
    bool is_mark = strcmp(name, PROMPT_MARK) == 0;
    marks += is_mark;
    if (is_mark || marks != 1 || *name == '(') /* the compiler's internal locals */
      lua_pop(L, 1);
    else
      lua_setfield(L, -2, name);
  }
}

/* Called when an error is handled: keeps the entry's locals for the session. */
static void keep_locals(lua_State *L) {
  lua_Debug frame;
  int top = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, entry_key);
  for (int level = last_level(L); level > 0 && lua_getstack(L, level, &frame); level--) {
    lua_getinfo(L, "f", &frame);
    bool is_entry = lua_rawequal(L, -1, top + 1);
    lua_pop(L, 1);
    if (!is_entry) continue;
    push_locals(L, &frame);
    lua_setfield(L, LUA_REGISTRYINDEX, left_key);
    break;
  }
  lua_settop(L, top);
}

/* Calls a function of prompt/ with the nargs arguments on top; reports its error. */
static bool call_function(lua_State *L, const char *name, int nargs, int nresults) {
  strew_restart_limits(L); /* the entry's limits do not apply to the prompt */
  prompt_push(L, name);
  lua_insert(L, -(nargs + 1));
  return program_report(L, NULL, program_call(L, nargs, nresults)) == LUA_OK;
}

/* Colours the first line of the message on top red, if standard error shows colours. */
static void colour_message(lua_State *L) {
  if (terminal_at(STDERR_FILENO).style < TERMINAL_256) return;
  const char *message = lua_tostring(L, -1);
  size_t first = strcspn(message, "\n");
  lua_pushliteral(L, "\033[31m");
  lua_pushlstring(L, message, first);
  lua_pushliteral(L, "\033[0m");
  lua_pushstring(L, message + first);
  lua_concat(L, 4);
  lua_replace(L, -2);
}

/* Shows the error on top in the prompt's format. */
static void show_error(lua_State *L, int status) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_pushvalue(L, -1);
    if (status == LUA_ERRMEM || call_function(L, "shorten", 1, 1))
      lua_replace(L, -2); /* program_report has its reason */
    colour_message(L);
  }
  program_report(L, NULL, status);
}

/* Shows the error that ended an entry, and keeps the locals that it left. */
static void report(lua_State *L, int status) {
  interrupt_forget();
  show_error(L, status);
  call_function(L, "drop", 0, 0);
  if (lua_getfield(L, LUA_REGISTRYINDEX, left_key) == LUA_TTABLE) call_function(L, "rescue", 1, 0);
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, left_key);
}

static int wait_for_devices(lua_State *L) {
  strew_error error = {0};
  if (strew_context_finish(strew_context_of(L), &error) != STREW_OK) return luaL_error(L, "%s", error.message);
  return 0;
}

/* A hook set by an entry applies to entries only: in the prompt's own functions it could end the session. */
static struct {
  lua_Hook function;
  int mask, count;
} hook;

static void restore_hook(lua_State *L) { lua_sethook(L, hook.function, hook.mask, hook.count); }

static void remove_hook(lua_State *L) {
  hook.function = lua_gethook(L);
  hook.mask = lua_gethookmask(L);
  hook.count = lua_gethookcount(L);
  lua_sethook(L, NULL, 0, 0);
  strew_watch_limits(L);
}

/* Calls the function on top and waits until devices have finished. Leaves its results or its error on top. */
static int run(lua_State *L) {
  int base = lua_gettop(L) - 1;
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, entry_key);
  restore_hook(L);
  strew_restart_limits(L);
  program_on_error(keep_locals);
  int status = program_call(L, 0, LUA_MULTRET);
  program_on_error(NULL);
  if (status == LUA_OK && !lua_checkstack(L, ROOM)) {
    lua_settop(L, base);
    lua_pushliteral(L, "too many results");
    status = LUA_ERRRUN;
  }
  if (status == LUA_OK) {
    lua_pushcfunction(L, wait_for_devices);
    status = program_call(L, 0, 0);
  }
  remove_hook(L);
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, entry_key);
  return status;
}

static void show_duration(lua_State *L, double seconds, double compiling) {
  if (seconds < long_seconds || !isatty(STDOUT_FILENO)) return;
  lua_pushnumber(L, seconds);
  lua_pushnumber(L, compiling);
  if (!call_function(L, "duration", 2, 1)) return;
  prompt_note(lua_tostring(L, -1));
  lua_pop(L, 1);
}

/* Passes everything above `base` to prompt.results, which copies it once to count and once to show. */
static void show_results(lua_State *L, int base, bool is_hidden) {
  int n = lua_gettop(L) - base;
  if (!lua_checkstack(L, (is_hidden ? 1 : 2) * n + ROOM)) {
    fputs("too many results to print\n", stderr);
    return;
  }
  lua_pushboolean(L, is_hidden);
  lua_insert(L, base + 1);
  prompt_push(L, "results");
  lua_insert(L, base + 1);
  int status = program_call(L, n + 1, 0);
  if (status == LUA_OK) return;
  lua_pushfstring(L, "error calling 'print': %s", lua_tostring(L, -1));
  show_error(L, status);
}

/* Output of an entry that ends without a newline: what follows begins a line of its own. (Standard output is buffered by
   lines at a terminal. What was flushed by the script is not known here.) */
static void end_line(void) {
  if (isatty(STDOUT_FILENO) && __fpending(stdout) > 0) putchar('\n');
}

/* Runs the entry whose function is on top; `how` is prompt.read's word for it. */
static void run_entry(lua_State *L, const char *how) {
  bool is_quiet = strcmp(how, "quiet") == 0;
  double start = progress_clock(), compiling = progress_seconds_compiling();
  int base = lua_gettop(L) - 1, status = run(L);
  double seconds = progress_clock() - start;
  compiling = progress_seconds_compiling() - compiling;
  end_line();
  if (status != LUA_OK)
    report(L, status);
  else if (!is_quiet)
    show_results(L, base, strcmp(how, "hide") == 0);
  lua_settop(L, base);
  if (!is_quiet) show_duration(L, seconds, compiling);
}

bool repl_step(lua_State *L) {
  enum { TRIES = 100 }; /* attempts to read an entry: out of memory, it could fail for ever */
  static int failed;
  lua_settop(L, 0);
  interrupt_forget();
  if (!call_function(L, "read", 0, 3)) return ++failed < TRIES;
  failed = 0;
  const char *what = lua_tostring(L, 1);
  if (strcmp(what, "end") == 0) return false;
  if (strcmp(what, "run") == 0) {
    const char *how = lua_tostring(L, 3);
    lua_pushvalue(L, 2);
    run_entry(L, how);
  } else if (strcmp(what, "error") == 0) {
    lua_pushvalue(L, 2);
    report(L, LUA_ERRSYNTAX);
  }
  return true;
}

/* The left side has two two-byte characters. */
static void show_banner(const char *banner) {
  int columns = (int)strlen(banner) - 2, blanks = columns < BANNER_COLUMNS ? BANNER_COLUMNS - columns : 3;
  printf("%s%*s? help · Ctrl-D quit\n", banner, blanks, "");
}

/* Runs the user's file of settings, unless -E leaves the environment out or no user sits at a terminal. */
static void apply_settings(lua_State *L) {
  if (!lua_toboolean(L, (lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV"), -1)) && isatty(STDIN_FILENO))
    call_function(L, "settings", 0, 0);
  lua_settop(L, 0);
}

bool repl_open(lua_State *L, const char *name) {
  lua_settop(L, 0);
  lua_pushcfunction(L, prompt_open);
  if (program_report(L, name, program_call(L, 0, 0)) != LUA_OK) return false;
  remove_hook(L);
  interrupt_insist(true);
  return true;
}

bool repl_run(lua_State *L, const char *name, const char *banner) {
  if (!repl_open(L, name)) return false;
  show_banner(banner);
  apply_settings(L);
  const char *trouble;
  if (line_open(prompt_complete, &trouble)) history_open();
  if (trouble) printf("no editing, history or completion of lines: %s\n", trouble);
  while (repl_step(L)) continue;
  lua_settop(L, 0);
  call_function(L, "close", 0, 0);
  interrupt_insist(false);
  putchar('\n');
  fflush(stdout);
  return true;
}
