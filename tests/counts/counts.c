/* counts.c: a Lua script whose first argument is a function that returns how often strew has called OpenCL since the process began (opencl_faults.h).
   usage: counts SCRIPT ARGUMENT... */
#include "strew_lua.h"
#include "tests/opencl_faults.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int counts(lua_State *L) {
  const struct opencl_counts *now = &faults.counts;
  lua_pushinteger(L, now->launches);
  lua_pushinteger(L, now->waits);
  lua_pushinteger(L, now->blocking);
  lua_pushinteger(L, now->markers);
  lua_pushinteger(L, now->flushes);
  lua_pushinteger(L, now->arguments);
  lua_pushinteger(L, now->items);
  return 7;
}

int main(int argc, char **argv) {
  strew_error error = {.op = NULL};
  lua_State *L = strew_new_state(&(strew_options){.threads = 1}, &error);
  if (!L || argc < 2) return fprintf(stderr, "counts: %s\n", L ? "no script" : error.message), EXIT_FAILURE;
  bool is_well = luaL_loadfile(L, argv[1]) == LUA_OK;
  lua_pushcfunction(L, counts);
  for (int i = 2; is_well && i < argc; i++) lua_pushstring(L, argv[i]);
  is_well = is_well && lua_pcall(L, argc - 1, 0, 0) == LUA_OK;
  if (!is_well) fprintf(stderr, "counts: %s\n", lua_tostring(L, -1));
  fflush(NULL);
  _exit(is_well ? EXIT_SUCCESS : EXIT_FAILURE); /* drivers do not exit cleanly */
}
