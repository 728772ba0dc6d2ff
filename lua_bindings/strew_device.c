/* strew_device.c: devices, threads, memory, time, and the generator's seed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "strew_bind.h"

#include <limits.h>
#include <time.h>

/* A sequence of {name, description}. */
static int devices(lua_State *L, struct call *call) {
  strew_context *context = call->binding->context;
  const struct parameter parameters[] = {{0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  lua_newtable(L);
  for (int i = 0; i < strew_device_count(context); i++) {
    strew_device *device = strew_device_at(context, i);
    lua_createtable(L, 0, 2);
    lua_pushstring(L, strew_device_name(device));
    lua_setfield(L, -2, "name");
    lua_pushstring(L, strew_device_description(device));
    lua_setfield(L, -2, "description");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int get_num_threads(lua_State *L, struct call *call) {
  const struct parameter parameters[] = {{0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  lua_pushinteger(L, strew_context_threads(call->binding->context));
  return 1;
}

static int set_num_threads(lua_State *L, struct call *call) {
  int64_t threads;
  const struct parameter parameters[] = {{"threads", REQUIRED, bind_integer, &threads}, {0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  int clipped = threads < INT_MIN ? INT_MIN : threads > INT_MAX ? INT_MAX : (int)threads; /* wrong in any case */
  return bind_end(strew_context_set_threads(call->binding->context, clipped, &call->error), 0);
}

/* Bytes of tensor memory now held, and the most ever held. */
static int memory(lua_State *L, struct call *call) {
  const struct parameter parameters[] = {{0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  lua_pushinteger(L, (lua_Integer)strew_context_bytes(call->binding->context));
  lua_pushinteger(L, (lua_Integer)strew_context_peak_bytes(call->binding->context));
  return 2;
}

/* Monotonic seconds, when all work given to devices is done. */
static int monotonic_clock(lua_State *L, struct call *call) {
  strew_context *context = call->binding->context;
  const struct parameter parameters[] = {{0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strew_context_finish(context, &call->error) != STREW_OK) return -1;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec * 1e-9);
  return 1;
}

static int manual_seed(lua_State *L, struct call *call) {
  int64_t seed;
  const struct parameter parameters[] = {{"seed", REQUIRED, bind_integer, &seed}, {0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_context_seed(call->binding->context, (uint64_t)seed);
  return 0;
}

/* deterministic([b]) -> what is set. The CPU keeps the order of sums either way. */
static int deterministic(lua_State *L, struct call *call) {
  const struct parameter parameters[] = {{"enabled", UNNAMED, bind_boolean, &call->binding->deterministic}, {0}};
  if (!bind_arguments(L, call, parameters)) return -1;
  lua_pushboolean(L, call->binding->deterministic);
  return 1;
}

const struct row bind_device_rows[] = {
    {"devices", devices, 0, FUNCTION},
    {"get_num_threads", get_num_threads, 0, FUNCTION},
    {"set_num_threads", set_num_threads, 0, FUNCTION},
    {"memory", memory, 0, FUNCTION},
    {"clock", monotonic_clock, 0, FUNCTION},
    {"manual_seed", manual_seed, 0, FUNCTION},
    {"deterministic", deterministic, 0, FUNCTION},
    {NULL, NULL, 0, 0},
};
