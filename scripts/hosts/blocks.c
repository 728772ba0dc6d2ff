/* blocks.c: samples come in blocks, from a microphone or sensors. A script looks at each block and at a rolling window,
   the last samples, as tensors that are made once: later blocks arrive in the same memory.
   cc blocks.c $(pkg-config --cflags --libs strew-lua) -lm -o blocks && ./blocks */
#include <strew_lua.h>

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 8000, BLOCK = 400, WINDOW = 2000, BLOCKS = 20 };

/* Returns a function of the window and the block: how loud it is, and the string of a guitar that sounds. */
static const char script[] = "local rate, size = ...\n"
                             "local strings = {'E', 'A', 'd', 'g', 'b', 'e'}\n"
                             "local hertz = strew.tensor{82.41, 110, 146.83, 196, 246.94, 329.63}\n"
                             "local phase = hertz:unsqueeze(1) * strew.arange(size) * (2 * strew.pi / rate)\n"
                             "local waves = strew.stack({phase:sin(), phase:cos()}, 0)\n"
                             "local quiet = 0\n"
                             "return function(window, block)\n"
                             "  local level = (block * block):mean():sqrt():item()\n"
                             "  if level < 0.01 then quiet = quiet + 1 return level, 'quiet ' .. quiet end\n"
                             "  quiet = 0\n"
                             "  local power = waves:matmul(window):square():sum(0)\n"
                             "  return level, strings[power:argmax():item() + 1]\n"
                             "end\n";

static float window[WINDOW];

/* The next block: four strings, half a second each, then silence. */
static void record(float *block, int number) {
  static const double hertz[] = {82.41, 246.94, 110, 329.63};
  for (int i = 0; i < BLOCK; i++) {
    const int t = number * BLOCK + i, string = t / (RATE / 4);
    block[i] = string < 4 && number < 18 ? (float)(0.5 * sin(6.283185307179586 * hertz[string] * t / RATE)) : 0;
  }
}

static bool push_const(lua_State *L, const float *data, int64_t size, strew_error *error) {
  strew_device *cpu = NULL;
  strew_tensor *tensor = NULL;
  if (strew_device_find(strew_context_of(L), "cpu", &cpu, error) ||
      strew_wrap_const(cpu, STREW_FLOAT32, 1, &size, NULL, data, (size_t)size * sizeof *data, NULL, NULL, &tensor,
                       error))
    return false;
  strew_push(L, tensor), strew_release(tensor);
  return true;
}

int main(void) {
  const strew_options options = {.memory_limit_bytes = 64 << 20, .time_limit_seconds = 1, .sandbox = true};
  enum { LISTEN = 1, ALL, LATEST }; /* places on the stack */
  strew_error error = {0};
  lua_State *L = strew_new_state(&options, &error);
  if (!L) return fprintf(stderr, "%s\n", error.message), EXIT_FAILURE;
  bool is_fine = luaL_loadbufferx(L, script, strlen(script), "=script", "t") == LUA_OK;
  lua_pushinteger(L, RATE), lua_pushinteger(L, WINDOW);
  is_fine = is_fine && lua_pcall(L, 2, 1, 0) == LUA_OK;
  if (!is_fine) return fprintf(stderr, "%s\n", lua_tostring(L, -1)), EXIT_FAILURE;
  float *latest = window + WINDOW - BLOCK;
  if (!push_const(L, window, WINDOW, &error) || !push_const(L, latest, BLOCK, &error))
    return fprintf(stderr, "%s\n", error.message), EXIT_FAILURE;
  for (int i = 0; i < BLOCKS && is_fine; i++) {
    memmove(window, window + BLOCK, (WINDOW - BLOCK) * sizeof *window);
    record(latest, i);
    strew_restart_limits(L); /* a second for each block */
    for (int k = LISTEN; k <= LATEST; k++) lua_pushvalue(L, k);
    is_fine = lua_pcall(L, 2, 2, 0) == LUA_OK;
    if (is_fine)
      printf("%2d %.2f %s\n", i, lua_tonumber(L, -2), lua_tostring(L, -1));
    else
      printf("%s\n", lua_tostring(L, -1));
    lua_settop(L, LATEST);
  }
  lua_close(L);
  return is_fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
