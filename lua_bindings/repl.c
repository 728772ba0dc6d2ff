/* repl.c: the prompt. What needs the terminal, the system or the runtime is here; what is about text, which is most of
   it, is in prompt/: files of Lua that share one table, in which they find these functions as `host`. One entry is read
   (prompt.read says what to do with it), run and its results are shown (prompt.results), again and again. */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"
#include "call.h"
#include "devices.h"
#include "hint.h"
#include "history.h"
#include "interrupt.h"
#include "line.h"
#include "progress.h"
#include "prompts.h"
#include "strew_lua.h"
#include "terminal.h"

#include <dirent.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_NAME "strew prompt"
enum { USUAL_COLUMNS = 80, BANNER_COLUMNS = 50 };
static const double long_seconds = 0.5; /* what takes longer is told */

/* In the registry: the table that the files share; the function of the entry that runs; the locals that an error left;
   the lines above the one that is typed. */
static const char prompt_key[] = "strew.prompt", entry_key[] = "strew.entry", left_key[] = "strew.left",
                  above_key[] = "strew.above";

static lua_State *session; /* the editor's completion is given no argument */

/* ---------------------------------------------------------------------------------------------------- for prompt/
 */

static int to_string(lua_State *L) { return luaL_tolstring(L, 1, NULL), 1; }

/* Which prompt: a global _PROMPT or _PROMPT2 replaces the usual one, as in stock Lua. One that fails is dropped, or no
   line could be read any more; and no metamethod of the globals is asked. */
static const char *push_prompt(lua_State *L, bool is_first) {
  const char *name = is_first ? "_PROMPT" : "_PROMPT2";
  lua_pushglobaltable(L);
  int globals = lua_gettop(L);
  lua_pushcfunction(L, to_string);
  lua_pushstring(L, name);
  bool is_usual = lua_rawget(L, globals) == LUA_TNIL;
  if (!is_usual && lua_pcall(L, 1, 1, 0) == LUA_OK) return lua_tostring(L, -1);
  if (!is_usual) {
    lua_pushstring(L, name);
    lua_pushnil(L);
    lua_rawset(L, globals);
  }
  return lua_pushstring(L, is_first ? "> " : ">> ");
}

/* Keeps a history's trouble from being silent. */
static void complain(const char *problem) {
  if (problem) fprintf(stderr, "%s\n", problem);
}

/* Reads a line and pushes it; what the entry has above it, or nil, is at `above`, and completion sees it. nil and a
   word where there is none. */
static int push_line(lua_State *L, int above) {
  char *line;
  lua_pushvalue(L, above);
  lua_setfield(L, LUA_REGISTRYINDEX, above_key);
  line_got what = line_read(push_prompt(L, lua_isnil(L, above)), &line);
  if (what != LINE_TYPED) {
    lua_pushnil(L);
    lua_pushstring(L, what == LINE_INTERRUPTED ? "interrupt" : "end");
    return 2;
  }
  lua_pushstring(L, line);
  free(line);
  return 1;
}

/* host.read(above): a line, with those that come together with it, and whether there were such: a paste is one piece,
   but then it may be several lines typed ahead. */
static int host_read(lua_State *L) {
  lua_settop(L, 1);
  int above = 1, n = push_line(L, above);
  bool is_joined = false;
  while (n == 1 && line_waits()) {
    int piece = lua_gettop(L);
    is_joined = true;
    n = push_line(L, piece);
    if (n == 2) return 2;
    lua_pushfstring(L, "%s\n%s", lua_tostring(L, piece), lua_tostring(L, -1));
    lua_replace(L, piece);
    lua_settop(L, piece);
  }
  strew_restart_limits(L); /* what was waited for does not count */
  if (n == 2) return n;
  lua_pushboolean(L, is_joined);
  return 2;
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

/* host.device_names(): without opening them. */
static int host_device_names(lua_State *L) {
  strew_context *context = strew_context_of(L);
  lua_newtable(L);
  for (int i = 0; i < strew_device_count(context); i++) {
    lua_pushstring(L, strew_device_name(strew_device_at(context, i)));
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int host_compiling(lua_State *L) {
  lua_pushnumber(L, progress_seconds_compiling());
  return 1;
}

static int host_width(lua_State *L) {
  int columns = terminal_at(STDOUT_FILENO).columns;
  lua_pushinteger(L, columns > 0 ? columns : USUAL_COLUMNS);
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

/* host.guess_global(name): what was likely meant by a global that is nil. */
static int host_global(lua_State *L) {
  hint_push_global(L, luaL_checkstring(L, 1));
  return 1;
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

/* host.list(folder): what it has, folders with a slash at the end; empty where it cannot be read. */
static int host_list(lua_State *L) {
  DIR *open = opendir(luaL_checkstring(L, 1));
  if (!open) return lua_newtable(L), 1;
  lua_pushcfunction(L, list_names);
  lua_pushlightuserdata(L, open);
  lua_pushvalue(L, 1);
  int status = lua_pcall(L, 2, 1, 0); /* memory may not suffice */
  closedir(open);
  return status == LUA_OK ? 1 : lua_error(L);
}

/* The words of an enumeration, as a sequence in a field of the table on top. */
static void set_words(lua_State *L, const char *kind, const char *(*name)(int), int n) {
  lua_newtable(L);
  for (int i = 0; i < n; i++) {
    lua_pushstring(L, name(i));
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, kind);
}

static const char *dtype_word(int i) { return strew_dtype_name((strew_dtype)i); }
static const char *reduction_word(int i) { return strew_reduction_name((strew_reduction)i); }
static const char *mode_word(int i) { return strew_mode_name((strew_mode)i); }

/* Pushes `host`: the functions above, and what completion needs to know. */
static void push_host(lua_State *L) {
  static const luaL_Reg functions[] = {{"read", host_read},           {"remember", host_remember},
                                       {"devices", host_devices},     {"device_names", host_device_names},
                                       {"compiling", host_compiling}, {"width", host_width},
                                       {"nearest", host_nearest},     {"guess_global", host_global},
                                       {"list", host_list},           {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_newtable(L);
  set_words(L, "dtype", dtype_word, STREW_DTYPE_COUNT);
  set_words(L, "reduce", reduction_word, STREW_REDUCTION_COUNT);
  set_words(L, "mode", mode_word, STREW_MODE_COUNT);
  lua_setfield(L, -2, "words");
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "strew");
  lua_setfield(L, -3, "strew");
  lua_setfield(L, -2, "loaded");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_setfield(L, -2, "preload");
  lua_pushcfunction(L, luaopen_debug); /* scripts may have none */
  lua_call(L, 0, 1);
  lua_setfield(L, -2, "debug");
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_setfield(L, -2, "methods");
}

static int open_files(lua_State *L) {
  lua_newtable(L);
  push_host(L);
  lua_setfield(L, 1, "host");
  for (int i = 0; i < prompt_file_count; i++) {
    const char *text = prompt_files[i].text;
    if (luaL_loadbufferx(L, text, strlen(text), "=" CHUNK_NAME, "t") != LUA_OK) return lua_error(L);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
  }
  lua_getfield(L, 1, "cells");
  lua_setfield(L, LUA_REGISTRYINDEX, HINT_NAMES);
  lua_setfield(L, LUA_REGISTRYINDEX, prompt_key);
  return 0;
}

/* Pushes a function of prompt/. */
static void push_function(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, prompt_key);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

/* --------------------------------------------------------------------------------------------------------- completion
 */

static size_t shared_length(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n]) n++;
  return n;
}

/* The names in the table on top, all of them strings, each as what takes the place of line[start..): `from` is where
   they begin. First what they share, then all of them where there are several: readline's convention. */
static char **copy_names(lua_State *L, const char *line, size_t start, size_t from) {
  size_t n = lua_rawlen(L, -1), filled = 1;
  char **names = calloc(n + 2, sizeof *names);
  if (!names || n == 0) return free(names), NULL;
  for (size_t i = 1; i <= n; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    const char *name = lua_tostring(L, -1);
    size_t skip = start > from && start - from <= strlen(name) ? start - from : 0;
    size_t lead = from > start ? from - start : 0;
    char *copy = malloc(lead + strlen(name + skip) + 1);
    if (copy) {
      memcpy(copy, line + start, lead);
      strcpy(copy + lead, name + skip);
      names[filled++] = copy;
    }
    lua_pop(L, 1);
  }
  size_t shared = filled > 1 ? strlen(names[1]) : 0;
  for (size_t i = 2; i < filled; i++) {
    size_t both = shared_length(names[1], names[i]);
    if (both < shared) shared = both;
  }
  names[0] = filled > 1 ? strndup(names[1], shared) : NULL;
  if (!names[0]) {
    for (size_t i = 1; i < filled; i++) free(names[i]);
    return free(names), NULL;
  }
  if (filled == 2) free(names[1]), names[1] = NULL;
  return names;
}

struct question {
  const char *line;
  size_t start, end;
  char **names;
};

static int answer(lua_State *L) {
  struct question *asked = lua_touserdata(L, 1);
  push_function(L, "complete");
  lua_getfield(L, LUA_REGISTRYINDEX, above_key);
  lua_pushlstring(L, asked->line, asked->end);
  lua_call(L, 2, 2);
  if (lua_isinteger(L, -2) && lua_istable(L, -1))
    asked->names = copy_names(L, asked->line, asked->start, (size_t)lua_tointeger(L, -2) - 1);
  return 0;
}

/* Called by the editor, across which no error may be raised: what fails offers nothing. */
static char **complete(const char *line, size_t start, size_t end) {
  struct question question = {line, start, end, NULL};
  if (!lua_checkstack(session, LUA_MINSTACK)) return NULL;
  lua_pushcfunction(session, answer);
  lua_pushlightuserdata(session, &question);
  if (lua_pcall(session, 1, 0, 0) != LUA_OK) lua_pop(session, 1);
  return question.names;
}

/* ------------------------------------------------------------------------------------------------------------ entries
 */

/* The outermost level of the stack. (To reach a level takes as many steps: to try one after the other would take
   minutes where a recursion has no end.) */
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

/* Where an error is handled: the locals that the entry has by then are kept for the session. */
static void keep_locals(lua_State *L) {
  lua_Debug frame;
  int top = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, entry_key);
  for (int level = last_level(L); level > 0 && lua_getstack(L, level, &frame); level--) {
    lua_getinfo(L, "f", &frame);
    bool is_entry = lua_rawequal(L, -1, top + 1);
    lua_pop(L, 1);
    if (!is_entry) continue;
    const char *name;
    lua_newtable(L);
    for (int i = 1; (name = lua_getlocal(L, &frame, i)) != NULL; i++) {
      if (*name == '(') /* the compiler's own */
        lua_pop(L, 1);
      else
        lua_setfield(L, -2, name);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, left_key);
    break;
  }
  lua_settop(L, top);
}

/* Calls a function of prompt/ with the nargs arguments on top; an error of it is reported. */
static bool call_function(lua_State *L, const char *name, int nargs, int nresults) {
  strew_restart_limits(L); /* those of the entry are not ours */
  push_function(L, name);
  lua_insert(L, -(nargs + 1));
  return program_report(L, NULL, program_call(L, nargs, nresults)) == LUA_OK;
}

/* The message on top without the prompt's own functions: an entry is the main chunk. */
static void shorten_traceback(lua_State *L) {
  static const char own[] = CHUNK_NAME ":", none[] = "\nstack traceback:", entry[] = "in function <";
  const char *message = lua_tostring(L, -1),
             *place = strncmp(message, own, strlen(own)) == 0 ? strstr(message, ": ") : NULL;
  if (place) message = place + 2;
  const char *call = strstr(message, "\n\t" CHUNK_NAME ":");
  size_t length = call ? (size_t)(call - message) : strlen(message);
  if (length > strlen(none) && memcmp(message + length - strlen(none), none, strlen(none)) == 0) length -= strlen(none);
  lua_pushlstring(L, message, length);
  message = lua_tostring(L, -1);
  const char *last = strrchr(message, '\n'), *at = last ? strstr(last, entry) : NULL;
  if (at && strncmp(last, "\n\t", 2) == 0 && strstr(at, ":1>")) {
    lua_pushlstring(L, message, (size_t)(at - message));
    lua_pushliteral(L, "in main chunk");
    lua_concat(L, 2);
    lua_replace(L, -2);
  }
  lua_replace(L, -2);
}

/* The first line of the message on top in red, where standard error shows colours. */
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

/* Shows the error on top, in the prompt's way. */
static void show_error(lua_State *L, int status) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    shorten_traceback(L);
    colour_message(L);
  }
  program_report(L, NULL, status);
}

/* Shows the error that has ended an entry, and keeps the locals that it left. */
static void report(lua_State *L, int status) {
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

/* A hook that an entry has set is one of entries: in the prompt's own functions it could end the session. */
static struct {
  lua_Hook function;
  int mask, count;
} hook;

static void put_hook(lua_State *L) { lua_sethook(L, hook.function, hook.mask, hook.count); }

static void take_hook(lua_State *L) {
  hook.function = lua_gethook(L);
  hook.mask = lua_gethookmask(L);
  hook.count = lua_gethookcount(L);
  lua_sethook(L, NULL, 0, 0);
  strew_watch_limits(L);
}

/* Calls the function on top, and waits until devices are done with what it gave them. Its results are on top then, or
   its error is. */
static int run(lua_State *L) {
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, entry_key);
  put_hook(L);
  strew_restart_limits(L);
  program_on_error(keep_locals);
  int status = program_call(L, 0, LUA_MULTRET);
  program_on_error(NULL);
  if (status == LUA_OK && lua_checkstack(L, LUA_MINSTACK)) {
    lua_pushcfunction(L, wait_for_devices);
    status = program_call(L, 0, 0);
  }
  take_hook(L);
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, entry_key);
  return status;
}

static void show_duration(lua_State *L, double seconds, double compiling) {
  const char *dim = "", *plain = "";
  if (seconds < long_seconds || !isatty(STDOUT_FILENO)) return;
  if (terminal_at(STDOUT_FILENO).style >= TERMINAL_256) dim = "\033[2m", plain = "\033[0m";
  lua_pushnumber(L, seconds);
  lua_pushnumber(L, compiling);
  if (!call_function(L, "duration", 2, 1)) return;
  printf("%s(%s)%s\n", dim, lua_tostring(L, -1), plain);
  lua_pop(L, 1);
}

/* Hands all that is on the stack above `base` to prompt.results. */
static void show_results(lua_State *L, int base, bool is_hidden) {
  int n = lua_gettop(L) - base;
  if (!lua_checkstack(L, LUA_MINSTACK)) {
    fputs("too many results to print\n", stderr);
    return;
  }
  lua_pushboolean(L, is_hidden);
  lua_insert(L, base + 1);
  push_function(L, "results");
  lua_insert(L, base + 1);
  int status = program_call(L, n + 1, 0);
  if (status == LUA_OK) return;
  lua_pushfstring(L, "error calling 'print': %s", lua_tostring(L, -1));
  show_error(L, status);
}

/* The function of an entry is on top; `how` is prompt.read's word for it. */
static void run_entry(lua_State *L, const char *how) {
  bool is_quiet = strcmp(how, "quiet") == 0;
  double start = progress_clock(), compiling = progress_seconds_compiling();
  int base = lua_gettop(L) - 1, status = run(L);
  double seconds = progress_clock() - start;
  compiling = progress_seconds_compiling() - compiling;
  if (status != LUA_OK)
    report(L, status);
  else if (!is_quiet)
    show_results(L, base, strcmp(how, "hide") == 0);
  lua_settop(L, base);
  if (!is_quiet) show_duration(L, seconds, compiling);
}

/* One entry. False: there is no more. */
static bool step(lua_State *L) {
  enum { TRIES = 100 }; /* to read an entry: out of memory, as it may be, it would go on for ever */
  static int failed;
  lua_settop(L, 0);
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

/* The left side has two characters of two bytes. */
static void show_banner(const char *banner) {
  int columns = (int)strlen(banner) - 2, blanks = columns < BANNER_COLUMNS ? BANNER_COLUMNS - columns : 3;
  printf("%s%*s? help · Ctrl-D quit\n", banner, blanks, "");
}

bool repl_run(lua_State *L, const char *name, const char *banner) {
  lua_settop(L, 0);
  lua_pushcfunction(L, open_files);
  if (program_report(L, name, program_call(L, 0, 0)) != LUA_OK) return false;
  session = L;
  take_hook(L);
  show_banner(banner);
  const char *trouble = line_open(complete);
  if (trouble) printf("no editing, history or completion of lines: %s\n", trouble);
  if (isatty(STDIN_FILENO)) complain(history_open());
  show_history();
  interrupt_insist(true);
  while (step(L)) continue;
  lua_settop(L, 0);
  call_function(L, "close", 0, 0);
  interrupt_insist(false);
  history_close();
  putchar('\n');
  fflush(stdout);
  return true;
}
