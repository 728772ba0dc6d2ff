/* repl.c: the prompt. What needs the terminal, the system or the runtime is here; what is about text, which is most of it,
   is in prompt/: files of Lua that share one table, in which they find these functions as `host`. One entry is read
   (prompt.read says what to do with it), run and its results are shown (prompt.results), again and again. */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"
#include "call.h"
#include "devices.h"
#include "history.h"
#include "interrupt.h"
#include "line.h"
#include "progress.h"
#include "prompts.h"
#include "strew_lua.h"
#include "terminal.h"

#include <dirent.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_NAME "strew prompt"
static const double LONG_SECONDS = 0.5; /* what takes longer is told */

/* In the registry: the table that the files share; the function of the entry that runs; the locals that an error left. */
static const char prompt_key[] = "strew.prompt", entry_key[] = "strew.entry", left_key[] = "strew.left";

static lua_State *session; /* the editor's completion is given no argument */

/* ---------------------------------------------------------------------------------------------------- for prompt/
 */

/* Which prompt: a global _PROMPT or _PROMPT2 replaces the usual one, as in stock Lua. */
static const char *push_prompt(lua_State *L, bool is_first) {
  if (lua_getglobal(L, is_first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL)
    return lua_pushstring(L, is_first ? "> " : ">> ");
  return luaL_tolstring(L, -1, NULL);
}

/* Keeps a history's trouble from being silent. */
static void complain(const char *problem) {
  if (problem) fprintf(stderr, "%s\n", problem);
}

/* Reads a line and pushes it, the end of the text at `above` (nil, or the entry so far) for the editor's completion; nil
   and a word where there is none. */
static int read_line(lua_State *L) {
  char *line;
  const char *shown = push_prompt(L, lua_isnil(L, 1));
  lua_pushvalue(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "strew.above");
  line_got what = line_read(shown, &line);
  if (what != LINE_TYPED) {
    lua_pushnil(L);
    lua_pushstring(L, what == LINE_INTERRUPTED ? "interrupt" : "end");
    return 2;
  }
  lua_pushstring(L, line);
  free(line);
  return 1;
}

/* host.read(above): a line, with those that came together with it: a paste is one piece. */
static int host_read(lua_State *L) {
  lua_settop(L, 1);
  int n = read_line(L);
  while (n == 1 && line_waits()) {
    lua_State *above = L;
    (void)above;
    lua_pushcfunction(L, read_line);
    lua_pushvalue(L, -2);
    lua_call(L, 1, 2);
    if (lua_isnil(L, -2)) return 2;
    lua_pop(L, 1);
    lua_pushliteral(L, "\n");
    lua_insert(L, -2);
    lua_concat(L, 3);
  }
  return n;
}

static void show_history(void) {
  size_t count;
  const char *const *entries = history_entries(&count);
  line_history(entries, count);
}

static int host_remember(lua_State *L) {
  complain(history_add(luaL_checkstring(L, 1)));
  show_history();
  return 0;
}

static int host_devices(lua_State *L) {
  devices_print(strew_context_of(L));
  fflush(stdout);
  return 0;
}

static int host_compiling(lua_State *L) {
  lua_pushnumber(L, progress_seconds());
  return 1;
}

static int host_width(lua_State *L) {
  lua_pushinteger(L, terminal_width());
  return 1;
}

/* host.nearest(wanted, names): the one that was likely meant, or nil. */
static int host_nearest(lua_State *L) {
  strew_guess guess = {.wanted = luaL_checkstring(L, 1)};
  luaL_checktype(L, 2, LUA_TTABLE);
  for (lua_Integer i = 1; lua_rawgeti(L, 2, i) == LUA_TSTRING; i++) {
    strew_guess_name(&guess, lua_tostring(L, -1)); /* the table holds it */
    lua_pop(L, 1);
  }
  lua_pushstring(L, guess.nearest);
  return 1;
}

static bool is_folder(const char *folder, const char *name) {
  char path[4096];
  struct stat about;
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* host.list(folder): what it has, folders with a slash at the end; empty where it cannot be read. */
static int host_list(lua_State *L) {
  const char *folder = luaL_checkstring(L, 1);
  lua_newtable(L);
  DIR *open = opendir(folder);
  if (!open) return 1;
  struct dirent *found;
  for (lua_Integer i = 1; (found = readdir(open)) != NULL;) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    lua_pushfstring(L, "%s%s", found->d_name, is_folder(folder, found->d_name) ? "/" : "");
    lua_rawseti(L, -2, i++);
  }
  closedir(open);
  return 1;
}
