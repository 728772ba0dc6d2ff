/* strew_create.c: creation of tensors. All functions take dtype and device by name, in a table that comes last. */
#include "strew_bind.h"

#include <string.h>

/* zeros(3, "int64"): fails with a hint that the word belongs in a table; returns -1. */
static int hint_options(lua_State *L, struct script_call *call) {
  strew_dtype dtype;
  const int last = call->arguments;
  const char *word = last && lua_type(L, last) == LUA_TSTRING ? lua_tostring(L, last) : "";
  bool is_dtype = strew_dtype_from_word(word, &dtype, NULL) == STREW_OK;
  if (is_dtype || strcmp(word, "cpu") == 0 || strncmp(word, "opencl", 6) == 0)
    bind_hint(call, "pass options in a table: {%s = \"%.60s\"}", is_dtype ? "dtype" : "device", word);
  return -1;
}

/* Reads the arguments; the device defaults to the module's. */
static bool read_as(lua_State *L, struct script_call *call, const char *parameters, struct arguments *a) {
  a->out = bind_result(L, call);
  if (!bind_read_as(L, call, parameters, a)) return hint_options(L, call), false;
  if (!a->device) a->device = call->binding->device;
  return true;
}

/* Calls the row's `run`. */
static int create(lua_State *L, struct script_call *call) {
  struct arguments a;
  return read_as(L, call, call->row->parameters, &a) ? bind_end(call->row->run(&a), 1) : -1;
}

static strew_status fill(struct arguments *a, strew_scalar value) {
  return strew_full(a->device, (strew_dtype)a->dtype, a->shape.count, a->shape.at, value, a->out, a->error);
}

/* Texts have a zero, the missing word, times none. */
static strew_status fill_number(struct arguments *a, int64_t number) {
  if (a->dtype != STREW_TIME && (a->dtype != STREW_TEXT || !number)) return fill(a, strew_int(number));
  bind_fail(a->call, STREW_EDTYPE, "dtype", "is %s, expected a number dtype", strew_dtype_name((strew_dtype)a->dtype));
  bind_hint(a->call, "strew.full(shape, %s) has missing elements",
            a->dtype == STREW_TIME ? "\"NaT\", {dtype = \"time\"}" : "\"\"");
  return STREW_EDTYPE;
}

static strew_status zeros(struct arguments *a) { return fill_number(a, 0); }
static strew_status ones(struct arguments *a) { return fill_number(a, 1); }

static strew_status empty(struct arguments *a) {
  const strew_scalar missing = {.dtype = STREW_TIME, .as.i = INT64_MIN}; /* NaT */
  if (a->call->binding->sandbox) return fill(a, a->dtype == STREW_TIME ? missing : strew_int(0));
  return strew_empty(a->device, (strew_dtype)a->dtype, a->shape.count, a->shape.at, a->out, a->error);
}

RUN(rand_of, strew_rand, a->device, (strew_dtype)a->dtype, a->shape.count, a->shape.at)
RUN(randn, strew_randn, a->device, (strew_dtype)a->dtype, a->shape.count, a->shape.at)

/* A Lua number, boolean or string gives the dtype, unless it is given. */
static strew_status full(struct arguments *a) {
  const strew_dtype dtype = a->element.dtype == STREW_FLOAT64  ? STREW_FLOAT32
                            : a->element.dtype == STREW_STRING ? STREW_TEXT
                                                               : a->element.dtype;
  if (a->dtype < 0) a->dtype = dtype;
  return fill(a, a->element);
}

RUN(eye, strew_eye, a->device, (strew_dtype)a->dtype, a->n, a->m == NO_INTEGER ? a->n : a->m)
RUN(linspace, strew_linspace, a->device, (strew_dtype)a->dtype, a->float_start, a->float_stop, a->steps)
RUN(randperm, strew_randperm, a->device, (strew_dtype)a->dtype, a->n)

/* Integers of a dtype as int64, or uint64 in its bits, evenly spaced from start to stop, exact, without fractions;
   false if the call has to stop. */
static bool space_integers(struct script_call *call, int64_t start, int64_t stop, int64_t steps, strew_dtype dtype,
                           unsigned char *to) {
  const bool is_unsigned = dtype == STREW_UINT64;
  const bool rises = is_unsigned ? (uint64_t)start <= (uint64_t)stop : start <= stop;
  const uint64_t span = rises ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  const uint64_t parts = steps > 1 ? (uint64_t)steps - 1 : 1;
  uint64_t distance = 0, rest = 0; /* from start: distance + rest / parts */
  for (int64_t i = 0; i < steps; i++, to += strew_dtype_size_bytes(dtype)) {
    if (!bind_may_continue(call, i)) return false;
    int64_t value = (int64_t)(rises ? (uint64_t)start + distance : (uint64_t)start - distance);
    const bool is_negative = value < 0 && !is_unsigned;
    if (rest && (rises ? is_negative : value && !is_negative)) value += rises ? 1 : -1; /* toward 0 */
    if (is_unsigned)
      memcpy(to, &value, sizeof value);
    else
      strew_scalar_store(strew_int(value), STREW_SATURATE, dtype, to, NULL);
    distance += span / parts, rest += span % parts;
    if (rest >= parts) rest -= parts, distance++;
  }
  return true;
}

/* Reads the end of that name, argument i, if it is an integer that dtype holds, as a float, too. */
static bool is_integer_end(lua_State *L, struct script_call *call, int i, const char *name, strew_dtype dtype,
                           int64_t *end) {
  unsigned char held[sizeof(int64_t)];
  bind_push_given(L, call, i, name);
  const strew_scalar number = lua_isinteger(L, -1) ? strew_int(lua_tointeger(L, -1)) : strew_float(lua_tonumber(L, -1));
  lua_pop(L, 1);
  if (strew_scalar_store(number, STREW_EXACT, dtype, held, NULL) != STREW_OK) return false;
  return strew_scalar_store(number, STREW_EXACT, dtype == STREW_UINT64 ? dtype : STREW_INT64, end, NULL) == STREW_OK;
}

/* linspace(start, stop, steps): integers of an integer dtype are exact. */
static int linspace_of(lua_State *L, struct script_call *call) {
  if (bind_names(L, call, "endpoint")) return bind_run_row(L, call, &bind_linspace_row);
  struct arguments a;
  int64_t start, stop;
  if (!read_as(L, call, call->row->parameters, &a)) return -1;
  const strew_dtype dtype = (strew_dtype)a.dtype;
  if (dtype < STREW_INT64 || dtype > STREW_UINT64 || dtype == STREW_BOOL || a.steps < 0 ||
      !is_integer_end(L, call, 0, "start", dtype, &start) || !is_integer_end(L, call, 1, "stop", dtype, &stop))
    return bind_end(linspace(&a), 1);
  void *elements;
  strew_status status = strew_empty(a.device, dtype, 1, &a.steps, a.out, a.error);
  if (status != STREW_OK) return bind_end(status, 1);
  if (strew_data(*a.out, &elements, NULL) == STREW_OK)
    return space_integers(call, start, stop, a.steps, dtype, elements) ? 1 : -1;
  elements = lua_newuserdatauv(L, (size_t)a.steps * strew_dtype_size_bytes(dtype), 0); /* of a device */
  if (!space_integers(call, start, stop, a.steps, dtype, elements)) return -1;
  strew_release(*a.out), *a.out = NULL;
  status = strew_from(a.device, dtype, 1, &a.steps, elements, a.out, a.error);
  lua_pop(L, 1);
  return bind_end(status, 1);
}

static int eye_of(lua_State *L, struct script_call *call) {
  return bind_names(L, call, "k") ? bind_run_row(L, call, &bind_eye_row) : create(L, call);
}

#define MADE           " dtype=dtype device=device"
#define MADE_OF(dtype) " dtype=dtype(" dtype ") device=device"

/* arange([start,] stop [, step]): integers, unless one of them is a float. */
static int arange(lua_State *L, struct script_call *call) {
  struct arguments a;
  const bool is_stop = bind_positional(L, call) < 2 && !bind_names(L, call, "start");
  const bool has_step = bind_names(L, call, "step");
  a.scalar_start = strew_int(0);
  a.scalar_step = strew_int(1);
  if (!read_as(L, call,
               !is_stop   ? "start:scalar stop:scalar step?scalar(1)" MADE
               : has_step ? "stop:scalar" MADE " step=scalar(1)"
                          : "stop:scalar" MADE,
               &a))
    return -1;
  const strew_scalar start = a.scalar_start, stop = a.scalar_stop, step = a.scalar_step;
  bool is_float = start.dtype == STREW_FLOAT64 || stop.dtype == STREW_FLOAT64 || step.dtype == STREW_FLOAT64;
  strew_dtype dtype = a.dtype >= 0 ? (strew_dtype)a.dtype : is_float ? STREW_FLOAT32 : STREW_INT64;
  return bind_end(strew_arange(a.device, dtype, start, stop, step, a.out, a.error), 1);
}

/* True for randint(high, shape), without low: the second argument is the shape, a table; or by name. */
static bool lacks_low(lua_State *L, const struct script_call *call) {
  if (!bind_names(L, call, "high")) return call->arguments > 1 && lua_istable(L, 2);
  return bind_positional(L, call) == 0 && !bind_names(L, call, "low");
}

/* randint([low,] high, shape...) */
static int randint(lua_State *L, struct script_call *call) {
  struct arguments a;
  a.low = 0;
  if (!read_as(L, call,
               lacks_low(L, call) ? "high:integer shape:integers" MADE_OF("int64")
                                  : "low:integer high:integer shape*" MADE_OF("int64"),
               &a))
    return -1;
  const strew_dtype dtype = (strew_dtype)a.dtype;
  return bind_end(strew_randint(a.device, dtype, a.low, a.high, a.shape.count, a.shape.at, a.out, a.error), 1);
}

#define SHAPED "shape*" MADE_OF("float32")

const struct script_function bind_create_rows[] = {
    {"zeros", create, 0, FUNCTION, SHAPED, zeros},
    {"ones", create, 0, FUNCTION, SHAPED, ones},
    {"empty", create, 0, FUNCTION, SHAPED, empty},
    {"rand", create, 0, FUNCTION, SHAPED, rand_of},
    {"randn", create, 0, FUNCTION, SHAPED, randn},
    {"full", create, 0, FUNCTION, "shape:integers value:element" MADE, full},
    {"eye", eye_of, 0, FUNCTION, "n:integer m?integer" MADE_OF("float32") " k=integer", eye},
    {"arange", arange, 0, FUNCTION},
    {"linspace", linspace_of, 0, FUNCTION,
     "start:number stop:number steps:integer" MADE_OF("float32") " endpoint=boolean", linspace},
    {"randint", randint, 0, FUNCTION},
    {"randperm", create, 0, FUNCTION, "n:integer" MADE_OF("int64"), randperm},
    {NULL},
};
