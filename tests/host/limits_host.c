/* limits_host.c: a host that runs untrusted scripts (strew_new_state in strew_lua.h).

   1. A stopped script leaves a usable state, again and again, and intact tensors.
   2. The host stops a script from another thread, in Lua, in a native call, or in a function of Lua's libraries.
   3. Lua's memory and the memory of tensors share a limit. Freed memory does not count, and in the end none is used.
   4. Several states, each on a thread of its own, keep to their limits and do not affect one another. */
#define _POSIX_C_SOURCE 200809L
#include "strew_lua.h"

#include <lauxlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static atomic_int passed, failed;

static void expect(bool fact, const char *what, const char *found) {
  atomic_fetch_add(fact ? &passed : &failed, 1);
  if (!fact) printf("limits_host: %s: %s\n", what, found);
}

static lua_State *new_state(size_t memory_bytes, double seconds) {
  strew_options options = {
      .threads = 2, .memory_limit_bytes = memory_bytes, .time_limit_seconds = seconds, .sandbox = true};
  strew_error error = {.op = NULL};
  lua_State *L = strew_new_state(&options, &error);
  if (!L) printf("limits_host: %s\n", error.message), exit(EXIT_FAILURE);
  return L;
}

/* Returns the script's error, or its result. */
static const char *run(lua_State *L, const char *script) {
  lua_settop(L, 0);
  if (luaL_loadbufferx(L, script, strlen(script), "=script", "t") != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
    return lua_tostring(L, -1);
  return luaL_tolstring(L, -1, NULL);
}

static void expect_run(lua_State *L, const char *script, const char *expected) {
  const char *said = run(L, script);
  expect(strstr(said, expected) != NULL, script, said);
}

enum { MEBIBYTE = 1 << 20, ROUNDS = 5 };

static void test_again(void) {
  lua_State *L = new_state(64 * MEBIBYTE, 0.1);
  strew_restart_limits(L);
  expect_run(L, "kept = strew.arange(5) return kept:sum():item()", "10");
  for (int round = 0; round < ROUNDS; round++) {
    expect_run(L, "while true do pcall(function() while true do end end) end", "stopped, it continued");
    expect_run(L, "return 1", "stopped, it continued"); /* until the host changes it */
    strew_restart_limits(L);
    expect_run(L, "local r = strew.rand(1000000) while true do r:sort() end", "time limit");
    strew_restart_limits(L);
    expect_run(L, "local t = {} while true do pcall(function() while true do t[#t + 1] = #t .. '' end end) end", "");
    strew_restart_limits(L);
    /* on a busy machine the collection may take longer than the limit, once */
    static const char collect[] = "collectgarbage() return 'collected'";
    for (int attempt = 1; attempt < ROUNDS && strstr(run(L, collect), "time limit"); attempt++) strew_restart_limits(L);
    strew_restart_limits(L);
    expect_run(L, collect, "collected");
    strew_restart_limits(L);
    expect_run(L, "return kept:sum():item()", "10");
  }
  lua_close(L);
}

static void *interrupt_soon(void *context) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  strew_context_interrupt(context);
  return NULL;
}

static void test_interrupts(void) {
  static const char *const scripts[] = {"while true do end", "local r = strew.rand(1000000) while true do r:sort() end",
                                        "(('a'):rep(99)):find(('.-'):rep(30) .. 'b')",
                                        "table.move({}, 1, (1 << 63) - 2, 2)",
                                        "coroutine.wrap(function() while true do end end)()"};
  lua_State *L = new_state(0, 0);
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_soon, strew_context_of(L));
    expect_run(L, scripts[i], "interrupted!");
    pthread_join(thread, NULL);
    strew_restart_limits(L);
    expect_run(L, "return 'fine'", "fine");
  }
  lua_close(L);
}

static void test_memory(void) {
  lua_State *L = new_state(32 * MEBIBYTE, 0);
  strew_context *context = strew_context_retain(strew_context_of(L));
  size_t before = strew_context_charged_bytes(context);
  expect_run(L, "s = ('x'):rep(12 << 20) return #s", "12582912");
  expect(strew_context_charged_bytes(context) >= before + 12 * MEBIBYTE, "a string", "is not charged");
  expect_run(L, "return strew.zeros(6 << 20)", "limit 32 MiB");
  strew_restart_limits(L);
  expect_run(L, "s = nil collectgarbage() t = strew.zeros(6 << 20) return t:numel()", "6291456");
  expect_run(L, "return #('x'):rep(12 << 20)", "not enough memory");
  strew_restart_limits(L);
  expect_run(L, "t:free() collectgarbage() return #('x'):rep(12 << 20)", "12582912");
  expect(strew_context_charged_bytes(context) <= 32 * MEBIBYTE, "the limit", "is passed");
  lua_close(L);
  expect(strew_context_bytes(context) == 0, "tensors", "are left over");
  expect(strew_context_charged_bytes(context) < MEBIBYTE / 16, "a closed state", "is still charged");
  strew_context_release(context);
}

/* What one script had in memory, the next one does not see: nor does it see addresses. */
static void test_secrets(void) {
  static const char *const
      writes =
          "for i = 1, 20 do local t = {} for n = 4, 20 do t[n] = strew.full({1 << n}, 119, {dtype = 'uint8'}) end end "
          "collectgarbage() return 1",
      *const reads = "local seen = 0 for n = 4, 20 do local t = strew.empty(1 << n, {dtype = 'uint8'}) "
                     "seen = seen + t:ne(0):sum():item() end return seen == 0";
  lua_State *L = new_state(64 * MEBIBYTE, 0);
  expect_run(L, writes, "1");
  strew_restart_limits(L);
  expect_run(L, reads, "true");
  lua_close(L);
  L = new_state(64 * MEBIBYTE, 0);
  expect_run(L, reads, "true");
  expect_run(L,
             "local a, b = {}, {} assert(tostring(a) == tostring(a) and tostring(a) ~= tostring(b)) "
             "return ('%s %s'):format(a, tostring(print))",
             "table: 0x00000001 function: 0x00000003");
  expect_run(L, "return select(2, pcall(string.format, '%p', {}))", "which a sandbox does not show");
  strew_restart_limits(L);
  expect_run(L,
             "local a, s = setmetatable({}, {__name = 'Mine'}), ('x'):rep(300000) "
             "local text = ('%s|%s|%s|%s|%d'):format(a, s, a, s, 5) return text:gsub('x+', 'x')",
             "Mine: 0x00000004|x|Mine: 0x00000004|x|5");
  lua_close(L);
}

/* The seeds of math.random: Lua returns the time and the state's address. */
static void test_seeds(void) {
  lua_State *L = new_state(64 * MEBIBYTE, 0), *other = new_state(64 * MEBIBYTE, 0);
  char address[40];
  snprintf(address, sizeof address, "%lld", (long long)(intptr_t)L);
  const char *said = run(L, "local t = {math.randomseed()} return table.concat(t, ' ')");
  expect(strstr(said, address) == NULL, "randomseed", said);
  expect_run(L, "math.randomseed(7) local a = math.random(0) math.randomseed(7) return a == math.random(0)", "true");
  const char *first = run(other, "return math.random(0)");
  expect(strcmp(first, run(L, "math.randomseed() return math.random(0)")) != 0, "two states", first);
  lua_close(L);
  lua_close(other);
}

static void *serve(void *seed) {
  static const char *const scripts[] = {"while true do end", "while true do pcall(strew.zeros, 1e9) end",
                                        "local s = 'x' while true do s = s .. s end",
                                        "return strew.ones(100):sum():item()"};
  static const char *const expected[] = {"", "", "not enough memory", "100"};
  for (int i = 0; i < 2 * ROUNDS; i++) {
    size_t k = ((size_t)i + (size_t)(uintptr_t)seed) % 4;
    lua_State *L = new_state(16 * MEBIBYTE, k < 2 ? 0.03 : 60);
    expect_run(L, scripts[k], expected[k]);
    lua_close(L);
  }
  return NULL;
}

static void test_server(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, serve, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  test_again();
  test_interrupts();
  test_memory();
  test_secrets();
  test_seeds();
  test_server();
  printf("limits_host: %d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
