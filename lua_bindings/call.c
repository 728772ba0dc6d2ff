#define _POSIX_C_SOURCE 200809L
#include "call.h"
#include "progress.h"

#include "strew_lua.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The state that Ctrl-C interrupts: a signal handler is given no argument. */
static lua_State *running;

static void raise_interrupted(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  strew_watch_limits(L);
  luaL_error(L, "interrupted!");
}

/* lua_sethook is the one call that Lua allows here; the hook raises the error at the next safe point. */
static void interrupt(int signal_number) {
  (void)signal_number;
  lua_sethook(running, raise_interrupted, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* The innermost level that is Lua code: the user's own line. Above it are functions in C alone: what raised the error,
   which the message names. */
static int first_lua_level(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "S", &frame);
    if (*frame.what != 'C') return level;
  }
  return 1;
}

/* From the user's line to the chunk, without the program's own functions that called it. */
static void push_traceback(lua_State *L, const char *message) {
  static const char program[] = "\n\t[C]: in ?";
  size_t length, cut = sizeof program - 1;
  luaL_traceback(L, L, message, first_lua_level(L));
  const char *text = lua_tolstring(L, -1, &length);
  while (length > cut && memcmp(text + length - cut, program, cut) == 0) length -= cut;
  lua_pushlstring(L, text, length);
}

/* Strings get a traceback, so do values that no string can be made of; a __tostring speaks for itself. */
static int add_traceback(lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (message == NULL) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  push_traceback(L, message);
  return 1;
}

int program_call(lua_State *L, int nargs, int nresults) {
  int function = lua_gettop(L) - nargs;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, function);

  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  action.sa_flags = (int)SA_RESETHAND; /* and no SA_RESTART: a script that waits in io.read is interrupted, too */
  sigemptyset(&action.sa_mask);
  running = L;
  sigaction(SIGINT, &action, &before);
  int status = lua_pcall(L, nargs, nresults, function);
  sigaction(SIGINT, &before, NULL);
  /* Did Ctrl-C come too late for this call? It must not hit the next one. */
  if (lua_gethook(L) == raise_interrupted) {
    lua_sethook(L, NULL, 0, 0);
    strew_watch_limits(L);
  }

  lua_remove(L, function);
  return status;
}

int program_report(lua_State *L, const char *name, int status) {
  if (status == LUA_OK) return status;
  size_t length;
  const char *message = lua_tolstring(L, -1, &length);
  progress_show(NULL, NULL, 0); /* what failed may have left its line */
  fflush(stdout);
  if (name != NULL) fprintf(stderr, "%s: ", name);
  if (message != NULL)
    fwrite(message, 1, length, stderr);
  else /* only where making the message failed, too */
    fputs("(error message not a string)", stderr);
  fputc('\n', stderr);
  lua_pop(L, 1);
  return status;
}
