/* output.c: print and the collector ignore write errors, so the streams are checked at exit. */
#define _POSIX_C_SOURCE 200809L
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program;
static int reason; /* errno of a failed write; 0: none known */

/* Opens a placeholder for a closed standard descriptor, which the next file would get, and with it what is printed.
   Using the placeholder is an error, as before. */
static void reserve_descriptors(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i) return;
}

/* (Calling exit again is the only way to change the exit status.) */
static void check_output(void) {
  bool is_flushed = fflush(NULL) == 0 && close(STDOUT_FILENO) == 0;
  if (!is_flushed && !reason) reason = errno;
  bool is_stdout = ferror(stdout) != 0;
  if (!is_stdout && !reason) return;
  fprintf(stderr, "%s: cannot write %s%s%s\n", program, is_stdout ? "standard output" : "a file", reason ? ": " : "",
          reason ? strerror(reason) : "");
  _exit(EXIT_FAILURE);
}

void output_guard(const char *name) {
  program = name;
  reserve_descriptors();
  atexit(check_output);
}

/* A file's __gc and __close; the library's own function is the upvalue. */
static int close_file(lua_State *L) {
  luaL_Stream *stream = luaL_testudata(L, 1, LUA_FILEHANDLE);
  bool is_open = stream && stream->closef && stream->f;
  if (is_open && __fpending(stream->f) > 0 && fflush(stream->f) != 0 && !reason) reason = errno;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

void output_watch(lua_State *L) {
  static const char *const events[] = {"__gc", "__close"};
  for (int i = 0; luaL_getmetatable(L, LUA_FILEHANDLE) == LUA_TTABLE && i < 2; i++) {
    lua_getfield(L, -1, events[i]);
    lua_pushcclosure(L, close_file, 1);
    lua_setfield(L, -2, events[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
