/* prompt.c: `host`, the interface of the files of prompt/ to the terminal, the system and the runtime; and the
   completion function of the editor, which calls them. */
#define _POSIX_C_SOURCE 200809L
#include "prompt.h"
#include "lua_bindings/core/hosting.h"
#include "program.h"
#include "strew_lua.h"

#include <dirent.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80 };

/* Registry keys: the table that the files share; the last completions. */
static const char prompt_key[] = "strew.prompt", names_key[] = "strew.completions";

static lua_State *session; /* the editor's completion function takes no state */

/* host.read(prompt, above) -> a line; or nil and a word. Completion sees the entry's lines above it. */
static int host_read(lua_State *L) {
  char *line;
  lua_settop(L, 2);
  lua_setfield(L, LUA_REGISTRYINDEX, PROMPT_ABOVE);
  line_got what = line_read(luaL_checkstring(L, 1), &line);
  strew_restart_limits(L); /* waiting time does not count */
  if (what == LINE_TYPED) {
    lua_pushstring(L, line);
    free(line);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, what == LINE_INTERRUPTED ? "interrupt" : "end");
  return 2;
}

static int host_waits(lua_State *L) {
  lua_pushboolean(L, line_waits());
  return 1;
}

static int host_remember(lua_State *L) {
  history_add(luaL_checkstring(L, 1));
  return 0;
}

static int host_devices(lua_State *L) {
  devices_print(strew_context_of(L));
  fflush(stdout);
  return 0;
}

/* host.device_names(): does not open the devices. The CPU alone, if others cannot be found. */
static int host_device_names(lua_State *L) {
  strew_context *context = strew_context_of(L);
  char why[200];
  const int count = devices_can_be_found(why, sizeof why) ? strew_device_count(context) : 1;
  lua_newtable(L);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, strew_device_name(strew_device_at(context, i)));
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int host_compiling(lua_State *L) {
  lua_pushnumber(L, progress_seconds_compiling());
  return 1;
}

/* host.size() -> lines and columns of the terminal; 0 lines if it is none, or if what is typed there already is no answer
   to a page. */
static int host_size(lua_State *L) {
  struct terminal terminal = terminal_at(STDOUT_FILENO);
  bool is_free = isatty(STDIN_FILENO) && !line_has_input();
  lua_pushinteger(L, is_free ? terminal.lines : 0);
  lua_pushinteger(L, terminal.columns > 0 ? terminal.columns : USUAL_COLUMNS);
  return 2;
}

/* host.key(prompt) -> what the next key sends; nil: Ctrl-C, or the end of input. */
static int host_key(lua_State *L) {
  char key[LINE_KEY_BYTES];
  if (line_key(luaL_checkstring(L, 1), key))
    lua_pushstring(L, key);
  else
    lua_pushnil(L);
  strew_restart_limits(L); /* waiting time does not count */
  return 1;
}

void prompt_note(const char *text) {
  bool is_dim = terminal_at(STDOUT_FILENO).style >= TERMINAL_256;
  printf("%s(%s)%s\n", is_dim ? "\033[2m" : "", text, is_dim ? "\033[0m" : "");
  fflush(stdout);
}

/* host.note(text): nothing where nobody types. */
static int host_note(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) prompt_note(text);
  return 0;
}

static bool is_folder(const char *folder, const char *name) {
  char path[4096];
  struct stat about;
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int list_names(lua_State *L) {
  DIR *open = lua_touserdata(L, 1);
  const char *folder = lua_tostring(L, 2);
  struct dirent *found;
  lua_newtable(L);
  for (lua_Integer i = 1; (found = readdir(open)) != NULL;) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    lua_pushfstring(L, "%s%s", found->d_name, is_folder(folder, found->d_name) ? "/" : "");
    lua_rawseti(L, -2, i++);
  }
  return 1;
}

/* host.list(folder) -> its entries, folders with a slash at the end; empty if it cannot be read. */
static int host_list(lua_State *L) {
  DIR *open = opendir(luaL_checkstring(L, 1));
  if (!open) return lua_newtable(L), 1;
  lua_pushcfunction(L, list_names);
  lua_pushlightuserdata(L, open);
  lua_pushvalue(L, 1);
  int status = lua_pcall(L, 2, 1, 0); /* may run out of memory */
  closedir(open);
  return status == LUA_OK ? 1 : lua_error(L);
}

/* host.no_color(): texts have no colours from now on, here and in programs that a script runs. */
static int host_no_color(lua_State *L) {
  (void)L;
  setenv("NO_COLOR", "1", 1); /* out of memory: they have */
  return 0;
}

/* Pushes `host`: the functions above, and tables of the registry. */
static void push_host(lua_State *L) {
  static const luaL_Reg functions[] = {{"read", host_read},
                                       {"waits", host_waits},
                                       {"remember", host_remember},
                                       {"devices", host_devices},
                                       {"device_names", host_device_names},
                                       {"compiling", host_compiling},
                                       {"list", host_list},
                                       {"size", host_size},
                                       {"key", host_key},
                                       {"note", host_note},
                                       {"no_color", host_no_color},
                                       {NULL, NULL}};
  static const char *const tables[][2] = {{"loaded", LUA_LOADED_TABLE},
                                          {"preload", LUA_PRELOAD_TABLE},
                                          {"methods", STREW_METHODS},
                                          {"help", STREW_HELP},
                                          {"hints", STREW_HINTS}};
  luaL_newlib(L, functions);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    lua_getfield(L, LUA_REGISTRYINDEX, tables[i][1]);
    lua_setfield(L, -2, tables[i][0]);
  }
  lua_getfield(L, -1, "loaded");
  lua_getfield(L, -1, "strew");
  lua_setfield(L, -3, "strew");
  lua_pop(L, 1);
  lua_pushcfunction(L, luaopen_debug); /* scripts may have removed it */
  lua_call(L, 0, 1);
  lua_setfield(L, -2, "debug");
  lua_pushliteral(L, PROMPT_MARK);
  lua_setfield(L, -2, "mark");
}

int prompt_open(lua_State *L) {
  session = L;
  lua_newtable(L);
  push_host(L);
  lua_setfield(L, 1, "host");
  for (int i = 0; i < prompt_file_count; i++) {
    texts_load(L, &prompt_files[i], "=" PROMPT_CHUNK);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
  }
  lua_getfield(L, 1, "cells");
  lua_setfield(L, LUA_REGISTRYINDEX, PROGRAM_NAMES);
  lua_setfield(L, LUA_REGISTRYINDEX, prompt_key);
  return 0;
}

void prompt_push(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, prompt_key);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

/* ------------------------------------------------------------------------------------------------------- completion */

struct question {
  const char *line;
  size_t start, end;
  int i;
  char *name;
};

static int answer(lua_State *L) {
  struct question *question = lua_touserdata(L, 1);
  if (question->i == 0) {
    prompt_push(L, "completions");
    lua_getfield(L, LUA_REGISTRYINDEX, PROMPT_ABOVE);
    lua_pushlstring(L, question->line, question->end);
    lua_pushinteger(L, (lua_Integer)question->start + 1);
    lua_call(L, 3, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, names_key);
  }
  lua_getfield(L, LUA_REGISTRYINDEX, names_key);
  if (lua_rawgeti(L, -1, question->i + 1) == LUA_TSTRING) question->name = strdup(lua_tostring(L, -1));
  return 0;
}

/* Called by the editor, across which no error may be raised: on failure there are no more completions. */
char *prompt_complete(const char *line, size_t start, size_t end, int i) {
  struct question question = {line, start, end, i, NULL};
  if (!lua_checkstack(session, LUA_MINSTACK)) return NULL;
  lua_pushcfunction(session, answer);
  lua_pushlightuserdata(session, &question);
  if (lua_pcall(session, 1, 0, 0) != LUA_OK) lua_pop(session, 1);
  return question.name;
}
