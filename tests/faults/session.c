/* session.c: see session.h */
#define _POSIX_C_SOURCE 200809L
#include "session.h"
#include "strew_lua.h"
#include "tests/system_faults.h"
#include "tests/tuned.h"

#if STREW_OPENCL
#include "tests/opencl_faults.h"
#endif

#include <dirent.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- events */

/* Allocations of one origin. */
struct heap {
  long events, failed, failing;
  int width;
  size_t blocks, bytes;
  void (*seen)(void);
};
static struct heap lua_heap, strew_heap;

static struct heap *heap_of(enum origin origin) { return origin == OF_LUA ? &lua_heap : &strew_heap; }

static bool fails(struct heap *heap) {
  long after = ++heap->events - heap->failing;
  if (heap->seen) heap->seen();
  bool fails = heap->failing && after >= 0 && (!heap->width || after < heap->width);
  heap->failed += fails;
  return fails;
}

static void (*watcher)(void);
void faults_watch(void (*seen)(void)) { watcher = seen; }

void faults_begin(const struct fault *fault) {
#if STREW_OPENCL
  if (fault->origin == OF_OPENCL) {
    faults.code = fault->code;
    faults.seen = watcher;
    opencl_faults_limit(fault->failing, !fault->width);
    faults.calls = faults.failed = 0;
  }
#endif
  if (fault->origin == OF_SYSTEM) {
    system_faults_limit(fault->failing, fault->code);
    system_faults.hiccups = !fault->width;
    system_faults.seen = watcher;
  }
  if (fault->origin > OF_STREW) return;
  struct heap *heap = heap_of(fault->origin);
  heap->events = heap->failed = 0;
  heap->failing = fault->failing;
  heap->width = fault->width;
  heap->seen = watcher;
}

long faults_end(enum origin origin, long *events) {
#if STREW_OPENCL
  if (origin == OF_OPENCL) {
    opencl_faults_limit(0, false);
    faults.seen = NULL;
    *events = faults.calls;
    return faults.failed;
  }
#endif
  if (origin == OF_SYSTEM) {
    *events = system_faults.calls;
    system_faults.hiccups = false;
    system_faults.seen = NULL;
    return system_faults.failing = 0, system_faults.failed;
  }
  struct heap *heap = heap_of(origin);
  heap->failing = 0;
  heap->seen = NULL;
  *events = heap->events;
  return heap->failed;
}

static void *allocate_for_lua(void *user, void *block, size_t old, size_t size_bytes) {
  (void)user;
  if (!block) old = 0; /* Lua passes the type of the new object */
  if (size_bytes > old && fails(&lua_heap)) return NULL;
  lua_heap.bytes += size_bytes - old;
  lua_heap.blocks += (size_bytes != 0) - (old != 0);
  if (size_bytes) return realloc(block, size_bytes);
  free(block);
  return NULL;
}

/* Fills new and freed memory, so that no code relies on zeros or on freed data. */
static void *allocate_for_strew(void *user, size_t size_bytes, size_t alignment) {
  enum { LARGE = 1 << 16 };                       /* untouched pages use no memory */
  static const size_t TOO_MUCH = (size_t)1 << 38; /* sanitizers print a warning */
  void *block = NULL;
  (void)user;
  if (fails(&strew_heap) || size_bytes > TOO_MUCH) return NULL;
  if (posix_memalign(&block, alignment < sizeof block ? sizeof block : alignment, size_bytes)) return NULL;
  memset(block, 0xa5, size_bytes < LARGE ? size_bytes : LARGE);
  strew_heap.bytes += size_bytes;
  strew_heap.blocks++;
  return block;
}

static void give_back_of_strew(void *user, void *block, size_t size_bytes) {
  (void)user;
  memset(block, 0x5a, size_bytes < 4096 ? size_bytes : 4096);
  free(block);
  strew_heap.bytes -= size_bytes;
  strew_heap.blocks--;
}

/* ----------------------------------------------------------------------------------------------- helpers for bodies */

static char folder[128];

void session_folder(const char *path) { snprintf(folder, sizeof folder, "%s", path); }

/* Commands and their output, cached for the life of the process. */
static struct said {
  char *command, *text;
  size_t length;
  int code;
  struct said *next;
} * first_said;

static struct said *run_command(const char *command) {
  struct said *said = calloc(1, sizeof *said);
  FILE *text = open_memstream(&said->text, &said->length), *pipe = popen(command, "r");
  char piece[4096];
  for (size_t length; pipe && (length = fread(piece, 1, sizeof piece, pipe));) fwrite(piece, 1, length, text);
  said->code = pipe ? pclose(pipe) : -1;
  fclose(text);
  said->command = strdup(command);
  said->next = first_said;
  return first_said = said;
}

static int say(lua_State *L) {
  const char *command = luaL_checkstring(L, 1);
  struct said *said = first_said;
  while (said && strcmp(said->command, command) != 0) said = said->next;
  if (!said) said = run_command(command);
  lua_pushlstring(L, said->text, said->length);
  lua_pushinteger(L, said->code);
  return 2;
}

/* Files with the names of strew_save's drafts. */
static int count_drafts(void) {
  DIR *entries = opendir(folder);
  int count = 0;
  for (struct dirent *entry; entries && (entry = readdir(entries));) count += strstr(entry->d_name, ".strew-") != NULL;
  if (entries) closedir(entries);
  return count;
}

/* --------------------------------------------------------------------------------------------------------- sessions */

enum { NAMES = 1, RUN, FINISH, CLOSE, PROBE }; /* positions on the stack: the results of harness.lua */

void trouble(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static int prepare(lua_State *L) {
  enum { SMALL = 1 << 12 }; /* bytes: small operands go every way */
  strew_options options = {.threads = 2, .grain_bytes = SMALL};
  use_tuning(NULL, SMALL);
  options.allocator = (strew_allocator){allocate_for_strew, give_back_of_strew, NULL};
  luaL_openlibs(L);
  strew_open(L, &options);
  luaL_requiref(L, "strew", luaopen_strew, 1);
  return 0;
}

/* Lua continues with this warning if there is no memory to call a finalizer. The memory of this tensor is freed when
   the state is closed. */
static bool lacks_finalizer;
static void warn(void *user, const char *text, int continues) {
  (void)user, (void)continues;
  if (!strcmp(text, "__gc")) lacks_finalizer = true;
}

static bool call(lua_State *L, int function, int arguments, int results) {
  if (function) {
    lua_pushvalue(L, function);
    lua_insert(L, -1 - arguments);
  }
  if (lua_pcall(L, arguments, results, 0) == LUA_OK) return true;
  trouble("%s", lua_tostring(L, -1));
  lua_pop(L, 1);
  return false;
}

bool session_open(struct session *session, const char *file) {
  lua_State *L = lua_newstate(allocate_for_lua, NULL);
  *session = (struct session){.L = L, .file = file};
  lua_setwarnf(L, warn, NULL);
  lua_pushcfunction(L, prepare);
  if (!call(L, 0, 0, 0)) return false;
  if (luaL_loadfile(L, "tests/faults/harness.lua") != LUA_OK) return trouble("%s", lua_tostring(L, -1)), false;
  lua_pushstring(L, file);
  lua_pushstring(L, folder);
  lua_pushcfunction(L, say);
  if (!call(L, 0, 3, PROBE)) return false;
  session->bodies = (int)lua_rawlen(L, NAMES);
  session_rest(session);
  return true;
}

void session_rest(struct session *session) {
  for (int i = 0; i < 2; i++) lua_gc(session->L, LUA_GCCOLLECT);
  session->resting_bytes = strew_context_bytes(strew_context_of(session->L));
}

const char *session_body(struct session *session, int i) {
  lua_State *L = session->L;
  lua_rawgeti(L, NAMES, i);
  const char *name = lua_tostring(L, -1); /* which the table keeps alive */
  lua_pop(L, 1);
  return name;
}

long session_run(struct session *session, int i, const struct fault *fault, long *events, char *text, size_t size) {
  lua_State *L = session->L;
  long failed = 0;
  lacks_finalizer = false;
  lua_pushvalue(L, RUN);
  lua_pushinteger(L, i);
  if (fault) faults_begin(fault);
  int status = lua_pcall(L, 1, 0, 0);
  if (fault) failed = faults_end(fault->origin, events);
  snprintf(text, size, "%s", status == LUA_OK ? "" : luaL_tolstring(L, -1, NULL));
  lua_settop(L, PROBE);
  if (!call(L, FINISH, 0, 0)) snprintf(text, size, "cleanup failed");
  return failed;
}

bool session_is_sane(struct session *session, const char *device) {
  lua_State *L = session->L;
  lua_pushstring(L, device);
  bool is_sane = call(L, PROBE, 1, 1) && lua_toboolean(L, -1);
  if (!is_sane) trouble("the next call fails");
  lua_settop(L, PROBE);
  lua_gc(L, LUA_GCCOLLECT);
  if (strew_context_bytes(strew_context_of(L)) > session->resting_bytes) lua_gc(L, LUA_GCCOLLECT);
  size_t bytes = strew_context_bytes(strew_context_of(L));
  if (bytes > session->resting_bytes && lacks_finalizer)
    session->is_spent = true;
  else if (bytes > session->resting_bytes) {
    trouble("%zu bytes of tensors are left over beside %zu", bytes - session->resting_bytes, session->resting_bytes);
    session->resting_bytes = bytes;
    is_sane = false;
  }
  if (count_drafts() == 0) return is_sane;
  trouble("a draft of a file is left over");
  return false;
}

static bool is_back(const char *what, long count) {
  if (count) trouble("%ld %s are left over", count, what);
  return count == 0;
}

bool session_close(struct session *session) {
  bool is_whole = true;
  call(session->L, CLOSE, 0, 0);
  lua_close(session->L);
  is_whole &= is_back("blocks of Lua's", (long)lua_heap.blocks);
  is_whole &= is_back("bytes of Lua's", (long)lua_heap.bytes);
  is_whole &= is_back("blocks of strew's", (long)strew_heap.blocks);
  is_whole &= is_back("bytes of strew's", (long)strew_heap.bytes);
#if STREW_OPENCL
  static const char *const made[MADE_COUNT] = {"contexts", "queues", "buffers", "programs", "kernels", "events"};
  for (int i = 0; i < MADE_COUNT; i++) is_whole &= is_back(made[i], faults.alive[i]);
#endif
  lua_heap.blocks = lua_heap.bytes = strew_heap.blocks = strew_heap.bytes = 0;
  return is_whole;
}
