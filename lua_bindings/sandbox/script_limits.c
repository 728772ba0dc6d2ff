/* script_limits.c: Lua states with limits of memory and time.

   Memory: Lua's allocator charges the context, as tensors do, so both share one limit. Time: a hook checks the
   context's limit every few instructions; native calls and slow C functions check it themselves.

   A script may catch the failure once, to clean up. When it runs on after a twentieth of its time, or fails a second
   time, it ends: the hook raises an error at every instruction until no Lua code runs.

   While an error raised by a hook propagates, hooks are switched off: see limits_are_exceeded. */
#define _DEFAULT_SOURCE /* MADV_HUGEPAGE */
#include "script_limits.h"
#include "lua_bindings/core/hosting.h"
#include "strew_lua.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Instructions between checks; fewer with large strings, where each may take long. */
enum { PACE = 1000, CAREFUL_PACE = 50, LARGE = 1 << 20, RESERVE = 1 << 16 };

struct limits {
  strew_context *context;
  lua_State *running;   /* the running thread as last reported; always alive */
  size_t reserve_bytes; /* charged; released when the script is over, for its last errors */
  size_t lua_bytes;     /* as Lua counts; 0: the state is freed */
  size_t charged_bytes; /* including overhead of the C library */
  size_t large_bytes;   /* in large blocks */
  size_t refused;       /* size of the last refused block; 0 after a success */
  size_t struck;        /* size of a block whose refusal was a strike; 0 after a success */
  bool may_be_names;    /* the refused block may have been Lua's table of short strings: see refuse */
  int strikes;          /* failures reported to the script */
  double patience_ends; /* end of the time for handling the first one */
  bool over;
  bool raised; /* true once the hook or a check raised an error */
};

static const char limits_key[] = "strew.limits";
static void watch(lua_State *L, lua_Debug *activation);

struct limits *limits_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, limits_key);
  struct limits *limits = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return limits;
}

double limits_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Calls the hook at the next instruction. (lua_sethook may be called at any time, even from signal handlers.) */
static void hurry(struct limits *limits) { lua_sethook(limits->running, watch, LUA_MASKCOUNT, 1); }

static void strike(struct limits *limits) {
  const double share = 0.05;
  limits->patience_ends = limits_now() + share * strew_context_time_limit(limits->context);
  if (limits->strikes++ == 0) return;
  limits->over = true;
  strew_context_discharge(limits->context, limits->reserve_bytes);
  limits->reserve_bytes = 0;
  hurry(limits);
}

lua_State *limits_enter(lua_State *L, lua_State *co) {
  struct limits *limits = limits_of(L);
  lua_State *before = limits->running;
  limits->running = co;
  return before;
}

void limits_leave(lua_State *L, lua_State *before) { limits_of(L)->running = before; }

void limits_note(struct limits *limits, strew_status status) {
  if (!limits) return;
  if (status == STREW_EMEMORY && strew_context_memory_limit_bytes(limits->context)) strike(limits);
  if (status == STREW_ETIME && limits->strikes == 0) strike(limits);
}

bool limits_are_exceeded(lua_State *L) {
  const struct limits *limits = limits_of(L);
  return limits && limits->raised;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Returns what the C library allocates for a block: a header word, in steps of two words, at least four. */
static size_t whole_bytes(size_t size_bytes) {
  size_t words = (size_bytes + sizeof(size_t) - 1) / sizeof(size_t) + 1;
  return (words < 4 ? 4 : (words + 1) / 2 * 2) * sizeof(size_t);
}

static void discharge(struct limits *limits, size_t bytes) {
  if (bytes > limits->charged_bytes) bytes = limits->charged_bytes; /* earlier memory is known only roughly */
  limits->charged_bytes -= bytes;
  strew_context_discharge(limits->context, bytes);
}

/* True while Lua runs a finalizer, as those of tensors. */
static bool runs_finalizer(const struct limits *limits) { return lua_gc(limits->running, LUA_GCCOUNT) < 0; }

/* Gives a finalizer memory from the reserve: a tensor whose finalizer fails would never be freed. */
static bool lend(struct limits *limits, size_t more) {
  if (more > limits->reserve_bytes || !runs_finalizer(limits)) return false;
  limits->reserve_bytes -= more;
  strew_context_discharge(limits->context, more);
  return strew_context_charge(limits->context, more);
}

/* Refuses a block. Lua tries again after a full collection: the second refusal fails the script, unless the block is the
   table of short strings, which Lua then leaves as small as it is, and makes the string. Callers that try once more, as
   for room on the stack, fail once. */
static void *refuse(struct limits *limits, size_t old, size_t size_bytes) {
  const bool again = limits->refused == size_bytes;
  limits->refused = again ? 0 : size_bytes;
  if (runs_finalizer(limits)) return NULL; /* the script does not fail */
  limits->may_be_names = again && old && size_bytes == 2 * old;
  if (!again || limits->may_be_names || limits->struck == size_bytes) return NULL;
  limits->struck = size_bytes;
  strike(limits);
  return NULL;
}

/* True if memory may be allocated. Nothing stops Lua while it fills a large block, so there must be time for that: new
   pages take up to a second for a GiB. A lack of memory is found first: it does not end the script's time. */
static bool may_have(struct limits *limits, size_t more, size_t whole) {
  const double seconds = (double)more / ((size_t)1 << 30);
  if (!strew_context_charge(limits->context, more)) return false;
  if (whole < LARGE || strew_context_check(limits->context, seconds, NULL) == STREW_OK) return true;
  strew_context_discharge(limits->context, more);
  return false;
}

static void count(struct limits *limits, size_t old, size_t size_bytes) {
  limits->lua_bytes += size_bytes - old;
  if (old >= LARGE) limits->large_bytes -= old;
  if (size_bytes < LARGE) return;
  if (!limits->large_bytes) hurry(limits);
  limits->large_bytes += size_bytes;
}

/* Advises large pages for a large block: building a long text takes a third of the time with them. Errors are ignored.
   */
static void wish_large_pages(void *block, size_t size_bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = 2 << 20, begin = ((uintptr_t)block + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)block + size_bytes) / page * page;
  if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
}

static void end(struct limits *limits) {
  strew_context_discharge(limits->context, limits->reserve_bytes);
  strew_context_release(limits->context);
  free(limits);
}

/* A lua_Alloc. The last block freed is the state itself. */
static void *allocate(void *limits_, void *block, size_t old, size_t size_bytes) {
  struct limits *limits = limits_;
  const bool is_short_string = !block && old == LUA_TSTRING;
  if (limits->may_be_names && !is_short_string) strike(limits);
  limits->may_be_names = false;
  if (!block) old = 0; /* it encodes the kind of object */
  size_t before = old ? whole_bytes(old) : 0, after = size_bytes ? whole_bytes(size_bytes) : 0;
  if (after > before && !may_have(limits, after - before, size_bytes) && !lend(limits, after - before))
    return refuse(limits, old, size_bytes);
  void *moved = NULL;
  if (size_bytes)
    moved = realloc(block, size_bytes);
  else
    free(block);
  if (size_bytes && !moved) {
    if (after <= before) return block; /* Lua requires success */
    strew_context_discharge(limits->context, after - before);
    return NULL;
  }
  if (after > before && size_bytes >= LARGE) wish_large_pages(moved, size_bytes);
  if (after > before) limits->charged_bytes += after - before, limits->refused = limits->struck = 0;
  if (after < before) discharge(limits, before - after);
  count(limits, old, size_bytes);
  if (!limits->lua_bytes) end(limits);
  return moved;
}

/* ------------------------------------------------------------------------------------------------------------- time */

static void set_pace(lua_State *L, int instructions) {
  if (lua_gethook(L) != watch || lua_gethookcount(L) != instructions)
    lua_sethook(L, watch, LUA_MASKCOUNT, instructions);
}

static int raise(lua_State *L, struct limits *limits, int level, const char *message) {
  limits->raised = true;
  script_place_push(L, level);
  lua_pushstring(L, message);
  lua_concat(L, 2);
  return lua_error(L);
}

/* Raises an error if the script must stop. `level` as in luaL_where. */
static void look(lua_State *L, struct limits *limits, int level) {
  strew_error error;
  memset(&error, 0, sizeof error);
  error.alias = "script";
  strew_status status = limits->over ? STREW_OK : strew_context_check(limits->context, 0, &error);
  if (status == STREW_ETIME && limits->strikes > 0 && limits_now() < limits->patience_ends) return;
  if (status == STREW_ETIME) strike(limits);
  if (limits->over) {
    set_pace(L, 1);
    raise(L, limits, level, "script: stopped, it continued after exceeding a limit");
  }
  if (status != STREW_OK) raise(L, limits, level, error.message);
}

static void watch(lua_State *L, lua_Debug *activation) {
  (void)activation;
  struct limits *limits = limits_of(L);
  if (!limits) return;
  look(L, limits, 0);
  set_pace(L, limits->large_bytes ? CAREFUL_PACE : PACE);
}

void limits_check(lua_State *L) {
  struct limits *limits = limits_of(L);
  if (limits) look(L, limits, 1);
}

void strew_watch_limits(lua_State *L) {
  if (limits_of(L)) set_pace(L, PACE);
}

void strew_restart_limits(lua_State *L) {
  struct limits *limits = limits_of(L);
  if (!limits) return;
  limits->strikes = 0;
  limits->over = limits->raised = false;
  if (!limits->reserve_bytes && strew_context_charge(limits->context, RESERVE)) limits->reserve_bytes = RESERVE;
  strew_context_clear_interrupt(limits->context);
  strew_context_limit_time(limits->context, strew_context_time_limit(limits->context));
  strew_watch_limits(L);
}

/* ---------------------------------------------------------------------------------------------------------- a state */

struct limits *limits_adopt(lua_State *L, strew_context *context) {
  struct limits *limits = calloc(1, sizeof *limits);
  if (!limits) return NULL;
  limits->context = context;
  limits->running = L;
  limits->lua_bytes = (size_t)lua_gc(L, LUA_GCCOUNT) << 10 | (size_t)lua_gc(L, LUA_GCCOUNTB);
  if (!strew_context_charge(context, limits->lua_bytes)) {
    free(limits);
    return NULL;
  }
  limits->charged_bytes = limits->lua_bytes;
  lua_setallocf(L, allocate, limits);
  return limits;
}

void limits_keep(lua_State *L, struct limits *limits) {
  lua_pushlightuserdata(L, limits);
  lua_rawsetp(L, LUA_REGISTRYINDEX, limits_key);
}

void limits_refuse_long_texts(lua_State *L) {
  enum { SHORT = 1 << 12 };
  size_t bytes = 0;
  for (int i = 1; i <= lua_gettop(L); i++) {
    bytes += lua_type(L, i) == LUA_TSTRING ? lua_rawlen(L, i) : 0;
    luaL_argcheck(L, bytes <= MAX_TEXT_BYTES, i, TOO_LONG);
  }
  if (bytes > SHORT) limits_check(L);
}
