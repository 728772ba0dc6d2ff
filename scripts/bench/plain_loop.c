/* plain_loop.c: plain C loops for the cases of cases.lua, as a Lua module on the same tensors: the benchmark's
   comparison. float32 values and int64 indices, dense, unchecked. */
#include "strew_lua.h"

#include <lauxlib.h>

static void *elements(lua_State *L, int i) {
  void *data = NULL;
  if (strew_data(strew_check(L, i), &data, NULL)) luaL_argerror(L, i, "not a cpu tensor");
  return data;
}

/* self[index[i]] += src[i] */
static int line(lua_State *L) {
  float *self = elements(L, 1);
  const int64_t *index = elements(L, 2);
  const float *src = elements(L, 3);
  int64_t count = strew_tensor_numel(strew_check(L, 3));
  for (int64_t i = 0; i < count; i++) self[index[i]] += src[i];
  return 0;
}

/* self[index[i]][j] += src[i][j] */
static int rows(lua_State *L) {
  float *self = elements(L, 1);
  const int64_t *index = elements(L, 2);
  const float *src = elements(L, 3);
  const int64_t *sizes = strew_tensor_sizes(strew_check(L, 3));
  for (int64_t i = 0; i < sizes[0]; i++)
    for (int64_t j = 0; j < sizes[1]; j++) self[index[i] * sizes[1] + j] += src[i * sizes[1] + j];
  return 0;
}

/* self[index[i][j]][j] += src[i][j] */
static int full_rows(lua_State *L) {
  float *self = elements(L, 1);
  const int64_t *index = elements(L, 2);
  const float *src = elements(L, 3);
  const int64_t *sizes = strew_tensor_sizes(strew_check(L, 3));
  for (int64_t i = 0; i < sizes[0]; i++)
    for (int64_t j = 0; j < sizes[1]; j++) self[index[i * sizes[1] + j] * sizes[1] + j] += src[i * sizes[1] + j];
  return 0;
}

/* self[i][index[i][j]] += src[i][j] */
static int inner(lua_State *L) {
  float *self = elements(L, 1);
  const int64_t *index = elements(L, 2);
  const float *src = elements(L, 3);
  const int64_t *sizes = strew_tensor_sizes(strew_check(L, 3));
  int64_t width = strew_tensor_sizes(strew_check(L, 1))[1];
  for (int64_t i = 0; i < sizes[0]; i++)
    for (int64_t j = 0; j < sizes[1]; j++) self[i * width + index[i * sizes[1] + j]] += src[i * sizes[1] + j];
  return 0;
}

int luaopen_plain_loop(lua_State *L);
__attribute__((visibility("default"))) int luaopen_plain_loop(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"line", line}, {"rows", rows}, {"full_rows", full_rows}, {"inner", inner}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
