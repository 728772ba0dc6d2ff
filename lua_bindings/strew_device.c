/* strew_device.c: devices, threads, memory, time, progress, and the generator's seed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "strew_bind.h"

#include <inttypes.h>
#include <limits.h>
#include <time.h>

static void set_bytes(lua_State *L, const char *name, size_t bytes) {
  if (!bytes) return; /* unknown, or unset */
  lua_pushinteger(L, (lua_Integer)bytes);
  lua_setfield(L, -2, name);
}

static void set_boolean(lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}

static void set_string(lua_State *L, const char *name, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

/* Pushes {name =, description =, units =, ...}; a device that does not open has `error` instead of its capabilities. */
static void push_device(lua_State *L, strew_device *device) {
  strew_capabilities can;
  strew_error error = {0};
  lua_createtable(L, 0, 13);
  set_string(L, "name", strew_device_name(device));
  set_string(L, "description", strew_device_description(device));
  if (strew_device_capabilities(device, &can, &error) != STREW_OK) {
    set_string(L, "error", error.message);
    return;
  }
  lua_pushinteger(L, can.units);
  lua_setfield(L, -2, "units");
  lua_pushinteger(L, can.launches);
  lua_setfield(L, -2, "launches");
  lua_pushinteger(L, can.read_bytes);
  lua_setfield(L, -2, "read_bytes");
  set_boolean(L, "float64", can.float64);
  set_boolean(L, "int64_atomics", can.int64_atomics);
  set_boolean(L, "exact_division", can.exact_division);
  set_boolean(L, "denormals", can.denormals);
  set_bytes(L, "memory", can.memory_bytes);
  set_bytes(L, "largest_tensor", can.largest_block_bytes);
  set_bytes(L, "work_group", can.work_group_size);
  if (*can.driver) set_string(L, "driver", can.driver);
  if (*can.promise) set_string(L, "promise", can.promise);
}

/* devices() -> a sequence of devices, and a sequence of problems as text. */
static int devices(lua_State *L, struct script_call *call) {
  strew_context *context = call->binding->context;
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  lua_newtable(L);
  for (int i = 0; i < strew_device_count(context); i++) {
    push_device(L, strew_device_at(context, i));
    lua_rawseti(L, -2, i + 1);
  }
  lua_newtable(L);
  for (int i = 0; i < strew_problem_count(context); i++) {
    lua_pushstring(L, strew_problem_at(context, i));
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
}

static int get_num_threads(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  lua_pushinteger(L, strew_context_threads(call->binding->context));
  return 1;
}

static int set_num_threads(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  const int64_t threads = a.threads;
  if (threads < INT_MIN || threads > INT_MAX)
    return bind_fail(call, STREW_EARGUMENT, "threads", "is %" PRId64 ", expected 0..256", threads);
  return bind_end(strew_context_set_threads(call->binding->context, (int)threads, &call->error), 0);
}

/* memory() -> bytes of tensor memory in use, and their peak. */
static int memory(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  lua_pushinteger(L, (lua_Integer)strew_context_bytes(call->binding->context));
  lua_pushinteger(L, (lua_Integer)strew_context_peak_bytes(call->binding->context));
  return 2;
}

/* clock() -> monotonic seconds, after all work of devices has finished. */
static int monotonic_clock(lua_State *L, struct script_call *call) {
  strew_context *context = call->binding->context;
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  if (strew_context_finish(context, &call->error) != STREW_OK) return -1;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec * 1e-9);
  return 1;
}

/* progress([doing [, done]]): reports to the host what runs, and the fraction done; no argument: the end. */
static int progress(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  strew_context_progress(call->binding->context, a.doing, a.done);
  return 0;
}

static int manual_seed(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  strew_context_seed(call->binding->context, (uint64_t)a.seed);
  return 0;
}

/* deterministic([b]) -> the setting. The CPU keeps the order of sums either way. */
static int deterministic(lua_State *L, struct script_call *call) {
  strew_context *context = call->binding->context;
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  if (call->given[0]) strew_context_set_deterministic(context, a.enabled);
  lua_pushboolean(L, strew_context_deterministic(context));
  return 1;
}

const struct script_function bind_device_rows[] = {
    {"devices", devices, 0, FUNCTION, ""},
    {"get_num_threads", get_num_threads, 0, FUNCTION, ""},
    {"set_num_threads", set_num_threads, 0, FUNCTION, "threads:integer"},
    {"memory", memory, 0, FUNCTION, ""},
    {"clock", monotonic_clock, 0, FUNCTION, ""},
    {"progress", progress, 0, FUNCTION | CONSTANT, "doing?word done?number(-1)"},
    {"manual_seed", manual_seed, 0, FUNCTION, "seed:integer"},
    {"deterministic", deterministic, 0, FUNCTION, "enabled?boolean"},
    {NULL},
};
