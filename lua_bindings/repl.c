/* The prompt. One entry is read, run and its results are printed, again and again. An entry is one line that is an
   expression, or as many lines as make whole statements: where Lua's message ends in <eof>, it waits for more. */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"
#include "call.h"

#include <errno.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  char *line; /* getline's */
  size_t capacity;
} reader;

typedef enum got { GOT_LINE, GOT_INTERRUPT, GOT_END } got;

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* A global _PROMPT or _PROMPT2 replaces the usual prompt, as in stock Lua. */
static void show_prompt(lua_State *L, bool first) {
  int top = lua_gettop(L);
  if (lua_getglobal(L, first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL)
    fputs(first ? "> " : ">> ", stdout);
  else
    fputs(luaL_tolstring(L, -1, NULL), stdout);
  fflush(stdout);
  lua_settop(L, top);
}

/* A line of input, without its end. Ctrl-C while it is typed drops it. */
static got read_line(reader *r, size_t *length) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = note_interrupt; /* without SA_RESTART, so that it ends getline */
  sigemptyset(&action.sa_mask);
  interrupted = 0;
  sigaction(SIGINT, &action, &before);
  ssize_t n;
  do {
    clearerr(stdin);
    errno = 0;
    n = getline(&r->line, &r->capacity, stdin);
  } while (n < 0 && errno == EINTR && !interrupted);
  sigaction(SIGINT, &before, NULL);

  if (n < 0) return interrupted ? GOT_INTERRUPT : GOT_END;
  if (n > 0 && r->line[n - 1] == '\n') n--;
  *length = (size_t)n;
  return GOT_LINE;
}

static int load(lua_State *L, int text) {
  size_t length;
  const char *chunk = lua_tolstring(L, text, &length);
  return luaL_loadbufferx(L, chunk, length, "=stdin", "t");
}

static bool is_incomplete(lua_State *L, int status) {
  static const char mark[] = "<eof>";
  size_t length;
  const char *message = lua_tolstring(L, -1, &length);
  return status == LUA_ERRSYNTAX && length >= sizeof mark - 1 &&
         strcmp(message + length - (sizeof mark - 1), mark) == 0;
}

/* Is the first line an expression? Then its function is pushed, else nothing. */
static bool load_expression(lua_State *L) {
  lua_pushliteral(L, "return ");
  lua_pushvalue(L, 1);
  lua_concat(L, 2);
  int status = load(L, 2);
  lua_remove(L, 2);
  if (status == LUA_OK) return true;
  lua_pop(L, 1);
  return false;
}

/* Loads the text at 1 as statements, adding lines to it while it is incomplete. Pushes the function or a message. */
static got load_statements(lua_State *L, reader *r, int *status) {
  while (*status = load(L, 1), is_incomplete(L, *status)) {
    size_t length;
    lua_pop(L, 1);
    show_prompt(L, false);
    got what = read_line(r, &length);
    if (what == GOT_INTERRUPT) return what;
    if (what == GOT_END) {
      *status = load(L, 1); /* nothing can complete it: its message is the answer */
      break;
    }
    lua_pushliteral(L, "\n");
    lua_pushlstring(L, r->line, length);
    lua_concat(L, 3);
  }
  return GOT_LINE;
}

/* Reads one entry; where there was one, its function or a message is at 1 of the stack, alone. */
static got read_entry(lua_State *L, reader *r, int *status) {
  size_t length;
  lua_settop(L, 0);
  show_prompt(L, true);
  got what = read_line(r, &length);
  if (what != GOT_LINE) return what;
  bool has_equals = length > 0 && r->line[0] == '=';
  lua_pushfstring(L, "%s", has_equals ? "return " : "");
  lua_pushlstring(L, r->line + has_equals, length - has_equals);
  lua_concat(L, 2);
  *status = LUA_OK;
  if (!load_expression(L)) what = load_statements(L, r, status);
  if (what == GOT_LINE) lua_replace(L, 1);
  return what;
}

/* Hands all that is on the stack to the global print. */
static void print_results(lua_State *L) {
  int n = lua_gettop(L);
  if (n == 0) return;
  if (!lua_checkstack(L, LUA_MINSTACK)) {
    fprintf(stderr, "too many results to print\n");
    return;
  }
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  if (program_call(L, n, 0) != LUA_OK) {
    lua_pushfstring(L, "error calling 'print' (%s)", lua_tostring(L, -1));
    program_report(L, NULL, LUA_ERRRUN);
  }
}

void repl_run(lua_State *L) {
  reader r = {NULL, 0};
  got what;
  int status = LUA_OK;
  while ((what = read_entry(L, &r, &status)) != GOT_END) {
    if (what == GOT_INTERRUPT) {
      putchar('\n');
      continue;
    }
    if (status == LUA_OK) status = program_call(L, 0, LUA_MULTRET);
    if (program_report(L, NULL, status) == LUA_OK) print_results(L);
  }
  lua_settop(L, 0);
  free(r.line);
  putchar('\n');
  fflush(stdout);
}
