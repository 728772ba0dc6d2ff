/* script.c: targets whose bytes are the choices of a generator written in Lua; see fuzz.h. */
#include "fuzz.h"
#include "strew_lua.h"
#include "tests/tuned.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* A tensor as a string: dtype, layout, and the elements of a small one. */
static int look(lua_State *L) {
  enum { MOST_BYTES = 512 };
  const strew_tensor *tensor = strew_check(L, 1);
  size_t rank = (size_t)strew_tensor_rank(tensor), layout_bytes = rank * sizeof(int64_t);
  size_t element_bytes = strew_dtype_size_bytes(strew_tensor_dtype(tensor));
  int64_t count = strew_tensor_numel(tensor), offset = strew_tensor_offset(tensor);
  char elements[MOST_BYTES];
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, strew_dtype_name(strew_tensor_dtype(tensor)));
  luaL_addlstring(&text, (const char *)&offset, sizeof offset);
  luaL_addlstring(&text, (const char *)strew_tensor_sizes(tensor), layout_bytes);
  luaL_addlstring(&text, (const char *)strew_tensor_strides(tensor), layout_bytes);
  if ((size_t)count <= MOST_BYTES / element_bytes) {
    size_t size_bytes = (size_t)count * element_bytes;
    if (strew_read(tensor, elements, size_bytes, NULL) != STREW_OK) return luaL_error(L, "time is over");
    luaL_addlstring(&text, elements, size_bytes);
  }
  luaL_pushresult(&text);
  return 1;
}

/* The stack holds only the generator, a function of the bytes. */
static lua_State *open_generator(const char *path) {
  enum { SMALL = 64 }; /* bytes: small operands go every way */
  const strew_options options = {
      .threads = 1, .grain_bytes = SMALL, .allocator = fuzz_allocator, .memory_limit_bytes = 64 << 20};
  strew_error error = {0};
  use_tuning(NULL, SMALL);
  lua_State *L = strew_new_state(&options, &error);
  if (!L) fprintf(stderr, "%s\n", error.message);
  PROMISE(L);
  bool is_open = luaL_loadfile(L, path) == LUA_OK;
  if (is_open) {
    lua_getglobal(L, "strew");
    lua_pushstring(L, fuzz_folder());
    lua_pushcfunction(L, look);
    is_open = lua_pcall(L, 3, 1, 0) == LUA_OK;
  }
  if (!is_open) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  PROMISE(is_open);
  strew_context_limit_time(strew_context_of(L), 1);
  return L;
}

static void close_generator(lua_State *L) {
  strew_context *context = strew_context_retain(strew_context_of(L));
  lua_close(L);
  PROMISE(strew_context_bytes(context) == 0);
  PROMISE(strew_context_charged_bytes(context) <= fuzz_held_bytes());
  strew_context_release(context);
  PROMISE(fuzz_held_bytes() == 0);
}

/* The limits of a state may be exceeded anywhere: the script ends there. */
static bool is_limit(const char *message) {
  return strstr(message, "not enough memory") || strstr(message, "out of memory") || strstr(message, "time limit") ||
         strstr(message, "after exceeding a limit"); /* on a slow machine, while the generator ends */
}

void fuzz_script(const char *path, const uint8_t *bytes, size_t size) {
  enum { MOST_RUNS = 200 };
  static lua_State *L; /* opening one takes longer than most scripts */
  static int runs;
  if (!L) L = open_generator(path);
  strew_restart_limits(L);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)bytes, size);
  bool is_done = lua_pcall(L, 1, 0, 0) == LUA_OK;
  const char *message = is_done ? "" : lua_tostring(L, -1);
  if (!is_done && !(message && is_limit(message))) {
    fprintf(stderr, "%s\n", message ? message : "an error that is no string");
    fuzz_break(path, 0, "the generator ends without an error");
  }
  lua_settop(L, 1);
  if (is_done && ++runs < MOST_RUNS) return;
  close_generator(L);
  L = NULL;
  runs = 0;
}
