/* strew_device.c: devices, threads, memory, time, progress, and the generator's seed. */
#include "lua_bindings/sandbox/script_limits.h"
#include "strew_bind.h"

#include <inttypes.h>
#include <limits.h>

/* Pushes {name =, description =, units =, ...}; a device that does not open has `error` instead of its capabilities. */
static void push_device(lua_State *L, strew_device *device) {
  strew_capabilities can;
  strew_error error = {0};
  lua_createtable(L, 0, 13);
  bind_set_string(L, "name", strew_device_name(device));
  bind_set_string(L, "description", strew_device_description(device));
  if (strew_device_capabilities(device, &can, &error) != STREW_OK) {
    bind_set_string(L, "error", error.message);
    return;
  }
  bind_set_integer(L, "units", can.units);
  bind_set_integer(L, "launches", can.launches);
  bind_set_integer(L, "read_bytes", can.read_bytes);
  bind_set_boolean(L, "float64", can.float64);
  bind_set_boolean(L, "int64_atomics", can.int64_atomics);
  bind_set_boolean(L, "exact_division", can.exact_division);
  bind_set_boolean(L, "denormals", can.denormals);
  if (can.memory_bytes) bind_set_integer(L, "memory", (lua_Integer)can.memory_bytes); /* 0: unknown, or unset */
  if (can.largest_block_bytes) bind_set_integer(L, "largest_tensor", (lua_Integer)can.largest_block_bytes);
  if (can.work_group_size) bind_set_integer(L, "work_group", (lua_Integer)can.work_group_size);
  if (*can.driver) bind_set_string(L, "driver", can.driver);
  if (*can.promise) bind_set_string(L, "promise", can.promise);
}

/* devices() -> a sequence of devices, and a sequence of problems as text. */
static strew_status devices(struct arguments *a) {
  strew_context *context = a->call->binding->context;
  lua_newtable(a->L);
  for (int i = 0; i < strew_device_count(context); i++) {
    push_device(a->L, strew_device_at(context, i));
    lua_rawseti(a->L, -2, i + 1);
  }
  lua_newtable(a->L);
  for (int i = 0; i < strew_problem_count(context); i++) {
    lua_pushstring(a->L, strew_problem_at(context, i));
    lua_rawseti(a->L, -2, i + 1);
  }
  return STREW_OK;
}

PUSH(get_num_threads, lua_pushinteger(a->L, strew_context_threads(a->call->binding->context)))

static strew_status set_num_threads(struct arguments *a) {
  if (a->threads >= INT_MIN && a->threads <= INT_MAX)
    return strew_context_set_threads(a->call->binding->context, (int)a->threads, a->error);
  bind_fail(a->call, STREW_EARGUMENT, "threads", "is %" PRId64 ", expected 0..256", a->threads);
  return STREW_EARGUMENT;
}

/* memory() -> bytes of tensor memory in use, and their peak. */
PUSH(memory, lua_pushinteger(a->L, (lua_Integer)strew_context_bytes(a->call->binding->context)),
     lua_pushinteger(a->L, (lua_Integer)strew_context_peak_bytes(a->call->binding->context)))

/* clock() -> monotonic seconds, after all work of devices has finished. */
static strew_status monotonic_clock(struct arguments *a) {
  const strew_status status = strew_context_finish(a->call->binding->context, a->error);
  lua_pushnumber(a->L, limits_now());
  return status;
}

/* progress([doing [, done]]): reports to the host what runs, and the fraction done; no argument: the end. */
PUSH(progress, strew_context_progress(a->call->binding->context, a->doing, a->done))
PUSH(manual_seed, strew_context_seed(a->call->binding->context, (uint64_t)a->seed))

/* deterministic([b]) -> the setting. The CPU keeps the order of sums either way. */
static strew_status deterministic(struct arguments *a) {
  strew_context *context = a->call->binding->context;
  if (a->call->given[0]) strew_context_set_deterministic(context, a->enabled);
  lua_pushboolean(a->L, strew_context_deterministic(context));
  return STREW_OK;
}

const struct script_function bind_device_rows[] = {
    {"devices", bind_values, 0, FUNCTION, "", devices},
    {"get_num_threads", bind_values, 0, FUNCTION, "", get_num_threads},
    {"set_num_threads", bind_values, 0, FUNCTION, "threads:integer", set_num_threads},
    {"memory", bind_values, 0, FUNCTION, "", memory},
    {"clock", bind_values, 0, FUNCTION, "", monotonic_clock},
    {"progress", bind_values, 0, FUNCTION | CONSTANT, "doing?word done?number(-1)", progress},
    {"manual_seed", bind_values, 0, FUNCTION, "seed:integer", manual_seed},
    {"deterministic", bind_values, 0, FUNCTION, "enabled?boolean", deterministic},
    {NULL},
};
