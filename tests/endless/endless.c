/* usage: endless DEVICE SECONDS LOG2_BYTES WORKERS STEP NAME: every call of a script stops at its deadline.

   Makes the calls of cases.lua, each with a deadline of SECONDS, in sandboxes with one thread, and measures the
   processor time of each: at most the deadline and half a second. Calls that run longer are killed. Workers are
   processes, each with a state of its own; each takes the next function when it is free. NAME: only functions with this
   in their names; empty: all.

   A late call is repeated, and the second time counts: a driver compiles kernels at first use, and cannot be
   interrupted; and new pages of a busy machine may take long.

   Of the calls of a function only the first and every STEP-th of the others are made.

   Strings have 2^LOG2_BYTES bytes; memory is limited to 2 GiB and a multiple of that. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "strew_lua.h"

#include <fcntl.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 64, NAME_BYTES = 200, STRINGS = 8 };
#define TABLES ((size_t)2 << 30)
#define SLACK  0.5

/* Shared by the workers and the parent process. */
static struct shared {
  atomic_int next;                /* function */
  atomic_llong calls, full, late; /* counts: calls; stopped at their deadline; not stopped */
  struct slot {
    int function, tuple; /* its position */
    bool was_killed;     /* by the previous tuple */
    bool is_again;       /* the tuple was late once */
    char group[NAME_BYTES], name[NAME_BYTES];
  } slots[MOST_WORKERS];
} * shared;

static struct settings {
  const char *device, *only;
  double seconds;
  int log2_bytes, step;
} settings;

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* SIGPROF ends a process after this processor time; 0: never. */
static void kill_after(double seconds) {
  struct itimerval timer = {{0, 0}, {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
  setitimer(ITIMER_PROF, &timer, NULL);
}

static void give_up(const char *what) {
  fprintf(stderr, "endless: %s\n", what);
  _exit(2);
}

/* The stack: number of functions, prepare, name. */
enum { COUNT = 1, PREPARE, NAME };

static lua_State *open_state(void) {
  strew_options options = {.threads = 1,
                           .memory_limit_bytes = TABLES + ((size_t)STRINGS << settings.log2_bytes),
                           .time_limit_seconds = settings.seconds,
                           .sandbox = true};
  strew_error error = {.op = NULL};
  lua_State *L = strew_new_state(&options, &error);
  if (!L) give_up(error.message);
  strew_context_limit_time(strew_context_of(L), 0);
  if (luaL_loadfilex(L, "tests/endless/cases.lua", "t") != LUA_OK) give_up(lua_tostring(L, -1));
  lua_pushstring(L, settings.device);
  lua_pushinteger(L, (lua_Integer)1 << settings.log2_bytes);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  if (lua_pcall(L, 3, 3, 0) != LUA_OK) give_up(lua_tostring(L, -1));
  lua_gc(L, LUA_GCSTOP);
  return L;
}

/* The collector is stopped, because it would traverse all kept operands again and again. */
static void collect_sometimes(lua_State *L) {
  enum { CALLS = 20000 };
  static int calls;
  const strew_context *context = strew_context_of(L);
  size_t used = strew_context_bytes(context) + strew_context_charged_bytes(context);
  if (++calls % CALLS && used < strew_context_memory_limit_bytes(context) / 4 * 3) return;
  strew_context_limit_time(strew_context_of(L), 0);
  lua_gc(L, LUA_GCCOLLECT);
}

/* The next script has no deadline, or the measured one. */
static void begin(lua_State *L, double seconds) {
  strew_context *context = strew_context_of(L);
  strew_context_limit_time(context, seconds);
  strew_restart_limits(L);
}

static void set_name(lua_State *L, struct slot *slot) {
  begin(L, 1000);
  lua_settop(L, NAME);
  lua_pushvalue(L, NAME);
  lua_pushinteger(L, slot->function);
  lua_pushinteger(L, slot->tuple);
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) give_up(lua_tostring(L, -1));
  snprintf(slot->name, sizeof slot->name, "%s", lua_tostring(L, -1));
  lua_settop(L, NAME);
}

/* Calls the function above the group and returns its processor time. */
static double measure(lua_State *L, struct slot *slot) {
  const double dead = 20;
  int arguments = lua_gettop(L) - NAME - 3;
  snprintf(slot->group, sizeof slot->group, "%s", lua_tostring(L, NAME + 2));
  begin(L, settings.seconds);
  kill_after(dead);
  double began = processor_time();
  lua_pcall(L, arguments, 0, 0);
  double took = processor_time() - began;
  kill_after(0);
  if (strew_context_threads(strew_context_of(L)) != 1) strew_context_set_threads(strew_context_of(L), 1, NULL);
  return took;
}

/* True if the call is to be repeated. */
static bool may_repeat(struct slot *slot, double took) {
  bool is_first = took > settings.seconds + SLACK && !slot->is_again;
  slot->is_again = is_first;
  if (!is_first) return false;
  *slot->group = '\0';
  return true;
}

/* The next tuple of the function; false if there is none. */
static bool make_call(lua_State *L, struct slot *slot) {
  lua_settop(L, NAME);
  lua_pushvalue(L, PREPARE);
  lua_pushinteger(L, slot->function);
  lua_pushinteger(L, slot->tuple);
  if (*slot->group)
    lua_pushstring(L, slot->group);
  else
    lua_pushnil(L);
  begin(L, 1000);
  if (lua_pcall(L, 3, LUA_MULTRET, 0) != LUA_OK) give_up(lua_tostring(L, -1));
  *slot->group = '\0';
  if (lua_isnil(L, NAME + 1) || lua_gettop(L) == NAME) return false;
  if (!lua_toboolean(L, NAME + 1)) return true;
  double took = measure(L, slot);
  if (may_repeat(slot, took)) return true;
  bool is_late = took > settings.seconds + SLACK, is_full = took > settings.seconds / 2;
  bool is_long = took > settings.seconds / 5;
  atomic_fetch_add(&shared->calls, 1);
  if (is_full) atomic_fetch_add(&shared->full, 1);
  if (is_late) {
    atomic_fetch_add(&shared->late, 1);
    set_name(L, slot);
    fprintf(stderr, "endless: %s took %.2f s of processor time, its deadline was %g s\n", slot->name, took,
            settings.seconds);
  }
  if (!is_long) *slot->group = '\0'; /* otherwise it represents the others */
  return true;
}

static bool is_wanted(lua_State *L, struct slot *slot) {
  if (!*settings.only) return true;
  set_name(L, slot);
  return strstr(slot->name, settings.only) != NULL;
}

static void advance(struct slot *slot) {
  if (slot->is_again) return;
  slot->tuple += slot->tuple > 1 ? settings.step : 1 + slot->function % settings.step;
}

static void work(struct slot *slot) {
  lua_State *L = open_state();
  int count = (int)lua_tointeger(L, COUNT);
  if (slot->was_killed) {
    set_name(L, slot);
    fprintf(stderr, "endless: %s was killed\n", slot->name);
    slot->was_killed = false;
    slot->is_again = false;
    advance(slot);
  }
  for (; slot->function <= count; slot->function = atomic_fetch_add(&shared->next, 1), slot->tuple = 1) {
    if (slot->function < 1 || !is_wanted(L, slot)) continue;
    for (; make_call(L, slot); advance(slot)) collect_sometimes(L);
  }
  _exit(0);
}

static pid_t start(struct slot *slot) {
  fflush(stdout);
  pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with its parent */
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  work(slot);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 7) return fprintf(stderr, "usage: endless DEVICE SECONDS LOG2_BYTES WORKERS STEP NAME\n"), 2;
  settings = (struct settings){argv[1], argv[6], atof(argv[2]), atoi(argv[3]), atoi(argv[5]) > 1 ? atoi(argv[5]) : 1};
  int workers = atoi(argv[4]), running = 0, status;
  if (workers < 1 || workers > MOST_WORKERS) workers = 1;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return perror("endless"), 2;
  pid_t children[MOST_WORKERS];
  atomic_store(&shared->next, 1);
  for (int i = 0; i < workers; i++, running++) children[i] = start(&shared->slots[i]);
  while (running) {
    pid_t child = wait(&status);
    int i = 0;
    while (i < workers && children[i] != child) i++;
    if (i == workers) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      running--;
      continue;
    }
    if (WIFEXITED(status)) return 2;
    struct slot *slot = &shared->slots[i];
    atomic_fetch_add(&shared->calls, 1);
    atomic_fetch_add(&shared->late, 1);
    slot->was_killed = true;
    children[i] = start(slot);
  }
  long long calls = atomic_load(&shared->calls), late = atomic_load(&shared->late);
  printf("endless on %s: %lld calls, %lld of them stopped at their deadline of %g s; %s ended within %g s of processor "
         "time\n",
         settings.device, calls, (long long)atomic_load(&shared->full), settings.seconds, late ? "not all" : "all",
         settings.seconds + SLACK);
  printf("%lld passed, %lld failed\n", calls - late, late);
  return late != 0;
}
