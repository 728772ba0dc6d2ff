/* hosting.h: what programs and sandboxes that run scripts share with the module: the files that they carry, where a script
   is, its coroutines, the terminal, settings as text. */
#ifndef STREW_HOSTING_H
#define STREW_HOSTING_H

#include "runtime/core/base/embedded.h"
#include "strew.h"

#include "other_lua.h"
#include <stdbool.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------- texts.c */

/* The files that the module and the program carry: the help, operations written in Lua, the prompt. */

/* The file of that name among text_files, which has it. */
const struct embedded_file *texts_find(const char *name);
/* Pushes a file as a string, or as a function named so. Both raise the error "out of memory". */
void texts_push(lua_State *L, const struct embedded_file *file);
void texts_load(lua_State *L, const struct embedded_file *file, const char *name);

/* Operations written in Lua, whose lines mean nothing to a script, are chunks with names that begin so: those of
   family/, and of modules that build on this one. */
#define OPERATION_CHUNK "=strew."
#define FAMILY_CHUNK    OPERATION_CHUNK "family"

/* Pushes "file:line: " of the nearest function of the script, in Lua, from this level of the call stack outwards; "" if
   there is none within 16 levels. */
void script_place_push(lua_State *L, int level);

/* ------------------------------------------------------------------------------------------------------ coroutine.c */

/* The library's functions that run coroutines, for a host that must know which thread runs. */

/* Lives as long as the Lua state. */
struct coroutine_host {
  /* `co` runs from here on. Returns the thread that ran before, for leave. */
  lua_State *(*enter)(lua_State *L, lua_State *co);
  void (*leave)(lua_State *L, lua_State *before);
  /* Raises an error if the script must stop; called before each function and after a failed resume. */
  void (*check)(lua_State *L);
  /* True if what a coroutine left to be closed must not run. */
  bool (*skips_closing)(lua_State *L);
};

/* Replaces resume, wrap and close of the coroutine library on top of the stack. */
void coroutine_guard(lua_State *L, const struct coroutine_host *host);

/* ------------------------------------------------------------------------------------------------------- terminal.c */

/* The capabilities of a stream's terminal. */

enum terminal_style {
  TERMINAL_ASCII,     /* ASCII, no colour */
  TERMINAL_BLOCKS,    /* UTF-8, no colour */
  TERMINAL_256,       /* UTF-8 and xterm's 256 colours */
  TERMINAL_TRUECOLOR, /* UTF-8 and 24 bits of colour */
  TERMINAL_SVG        /* the same, and it shows the text of an SVG as a picture: the page of make web */
};

struct terminal {
  int columns, lines; /* 0: unknown, or no terminal */
  enum terminal_style style;
};

/* Reads the system's and the environment's settings (LC_ALL, LC_CTYPE, LANG, TERM, COLORTERM, NO_COLOR) at each call:
   windows are resized. */
struct terminal terminal_at(int descriptor);

/* ----------------------------------------------------------- a number of threads as text: $STREW_THREADS, --threads */

/* What a message says of another text. */
#define THREADS_EXPECTED "expected a whole number in 1..256"
_Static_assert(STREW_MAX_THREADS == 256, "THREADS_EXPECTED names it");

/* Digits alone: strtol would take blanks and signs as well. */
static inline bool threads_of_text(const char *text, int *threads) {
  char *end;
  if (text[0] < '0' || text[0] > '9') return false;
  long number = strtol(text, &end, 10);
  if (*end || number < 1 || number > STREW_MAX_THREADS) return false;
  *threads = (int)number;
  return true;
}

#endif
