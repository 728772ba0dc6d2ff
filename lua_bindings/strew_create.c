/* strew_create.c: creation of tensors. All functions take dtype and device by name, in a table that comes last. */
#include "strew_bind.h"

#include <string.h>

/* The named arguments of every creation call. */
struct creation {
  int dtype; /* -1: the call's own default */
  strew_device *device;
};

#define CREATION(made)                                                                                                 \
  {"dtype", KEYED, bind_wanted_dtype, &(made).dtype}, { "device", KEYED, bind_device, &(made).device }

static struct creation creation_defaults(const struct script_call *call, int dtype) {
  return (struct creation){dtype, call->binding->device};
}

/* zeros(3, "int64"): fails with a hint that the word belongs in a table; returns -1. */
static int hint_options(lua_State *L, struct script_call *call) {
  strew_dtype dtype;
  const char *word = lua_type(L, call->arguments) == LUA_TSTRING ? lua_tostring(L, call->arguments) : "";
  bool is_dtype = strew_dtype_from_word(word, &dtype, NULL) == STREW_OK;
  if (is_dtype || strcmp(word, "cpu") == 0 || strncmp(word, "opencl", 6) == 0)
    bind_hint(call, "pass options in a table: {%s = \"%.60s\"}", is_dtype ? "dtype" : "device", word);
  return -1;
}

enum { ZEROS, ONES, EMPTY, RAND, RANDN };

/* zeros(shape...), ... */
static int shaped(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, STREW_FLOAT32);
  struct list shape = {0};
  const struct parameter parameters[] = {{"shape", REST, bind_list, &shape}, CREATION(made), LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return hint_options(L, call);
  strew_dtype dtype = (strew_dtype)made.dtype;
  strew_error *error = &call->error;
  const int code = call->row->code == EMPTY && call->binding->sandbox ? ZEROS : call->row->code;
  switch (code) {
  case EMPTY: return bind_end(strew_empty(made.device, dtype, shape.count, shape.at, out, error), 1);
  case RAND: return bind_end(strew_rand(made.device, dtype, shape.count, shape.at, out, error), 1);
  case RANDN: return bind_end(strew_randn(made.device, dtype, shape.count, shape.at, out, error), 1);
  }
  strew_scalar value = strew_int(code == ONES);
  return bind_end(strew_full(made.device, dtype, shape.count, shape.at, value, out, error), 1);
}

/* Returns the dtype of a tensor made from a Lua number or boolean. */
static strew_dtype dtype_of(strew_scalar value) { return value.dtype == STREW_FLOAT64 ? STREW_FLOAT32 : value.dtype; }

static int full(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, -1);
  struct list shape = {0};
  strew_scalar value = strew_int(0);
  const struct parameter parameters[] = {
      {"shape", REQUIRED, bind_list, &shape}, {"value", REQUIRED, bind_scalar, &value}, CREATION(made), LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return hint_options(L, call);
  strew_dtype dtype = made.dtype < 0 ? dtype_of(value) : (strew_dtype)made.dtype;
  return bind_end(strew_full(made.device, dtype, shape.count, shape.at, value, out, &call->error), 1);
}

/* eye(n [, m]) */
static int eye(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, STREW_FLOAT32);
  int64_t rows, columns = INT64_MIN; /* not given */
  const struct parameter parameters[] = {
      {"n", REQUIRED, bind_integer, &rows}, {"m", OPTIONAL, bind_integer, &columns}, CREATION(made), LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return hint_options(L, call);
  if (columns == INT64_MIN) columns = rows;
  return bind_end(strew_eye(made.device, (strew_dtype)made.dtype, rows, columns, out, &call->error), 1);
}

/* arange([start,] stop [, step]): integers, unless one of them is a float. */
static int arange(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, -1);
  strew_scalar start = strew_int(0), stop = start, step = strew_int(1);
  const struct parameter only_stop[] = {{"stop", REQUIRED, bind_scalar, &stop},
                                        CREATION(made),
                                        {bind_names(L, call, "step") ? "step" : NULL, KEYED, bind_scalar, &step},
                                        LAST_PARAMETER};
  const struct parameter all[] = {{"start", REQUIRED, bind_scalar, &start},
                                  {"stop", REQUIRED, bind_scalar, &stop},
                                  {"step", OPTIONAL, bind_scalar, &step},
                                  CREATION(made),
                                  LAST_PARAMETER};
  if (!bind_arguments(L, call, bind_positional(L, call) < 2 && !bind_names(L, call, "start") ? only_stop : all))
    return hint_options(L, call);
  bool is_float = start.dtype == STREW_FLOAT64 || stop.dtype == STREW_FLOAT64 || step.dtype == STREW_FLOAT64;
  strew_dtype dtype = made.dtype >= 0 ? (strew_dtype)made.dtype : is_float ? STREW_FLOAT32 : STREW_INT64;
  return bind_end(strew_arange(made.device, dtype, start, stop, step, out, &call->error), 1);
}

static int linspace(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, STREW_FLOAT32);
  double start, stop;
  int64_t steps;
  const struct parameter parameters[] = {{"start", REQUIRED, bind_float, &start},
                                         {"stop", REQUIRED, bind_float, &stop},
                                         {"steps", REQUIRED, bind_integer, &steps},
                                         CREATION(made),
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return hint_options(L, call);
  return bind_end(strew_linspace(made.device, (strew_dtype)made.dtype, start, stop, steps, out, &call->error), 1);
}

/* True for randint(high, shape), without low: the second argument is the shape, a table; or by name. */
static bool lacks_low(lua_State *L, const struct script_call *call) {
  if (!bind_names(L, call, "high")) return call->arguments > 1 && lua_istable(L, 2);
  return bind_positional(L, call) == 0 && !bind_names(L, call, "low");
}

/* randint([low,] high, shape...) */
static int randint(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, STREW_INT64);
  struct list shape = {0};
  int64_t low = 0, high = 0;
  const struct parameter only_high[] = {
      {"high", REQUIRED, bind_integer, &high}, {"shape", REQUIRED, bind_list, &shape}, CREATION(made), LAST_PARAMETER};
  const struct parameter both[] = {{"low", REQUIRED, bind_integer, &low},
                                   {"high", REQUIRED, bind_integer, &high},
                                   {"shape", REST, bind_list, &shape},
                                   CREATION(made),
                                   LAST_PARAMETER};
  if (!bind_arguments(L, call, lacks_low(L, call) ? only_high : both)) return hint_options(L, call);
  return bind_end(
      strew_randint(made.device, (strew_dtype)made.dtype, low, high, shape.count, shape.at, out, &call->error), 1);
}

static int randperm(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  struct creation made = creation_defaults(call, STREW_INT64);
  int64_t n;
  const struct parameter parameters[] = {{"n", REQUIRED, bind_integer, &n}, CREATION(made), LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return hint_options(L, call);
  return bind_end(strew_randperm(made.device, (strew_dtype)made.dtype, n, out, &call->error), 1);
}

const struct script_function bind_create_rows[] = {
    {"zeros", shaped, ZEROS, FUNCTION}, {"ones", shaped, ONES, FUNCTION},    {"empty", shaped, EMPTY, FUNCTION},
    {"rand", shaped, RAND, FUNCTION},   {"randn", shaped, RANDN, FUNCTION},  {"full", full, 0, FUNCTION},
    {"eye", eye, 0, FUNCTION},          {"arange", arange, 0, FUNCTION},     {"linspace", linspace, 0, FUNCTION},
    {"randint", randint, 0, FUNCTION},  {"randperm", randperm, 0, FUNCTION}, {NULL, NULL, 0, 0},
};
