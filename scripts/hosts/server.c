/* server.c: four threads serve untrusted scripts of clients, each in a Lua state and a context of its own, all at the
   same time. Each script has limits of memory and time, and no access to files or processes.
   cc -pthread server.c $(pkg-config --cflags --libs strew-lua) -o server && ./server */
#include <strew_lua.h>

#include <lauxlib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SECONDS
#define SECONDS 1 /* of wall-clock time for a script */
#endif

enum { CLIENTS = 4, SCRIPTS = 7, ANSWER_BYTES = 160 };

static const char *const scripts[SCRIPTS] = {
    "return strew.scatter(strew.tensor{1.5, 0.25, 3, 4}, strew.tensor{2, 0, 2, 1}):tolist()[3]",
    "while true do end",
    "local t = strew.rand(1 << 18) while true do t:sort() end",
    "local kept = {} for i = 1, 1e9 do kept[i] = strew.empty(1 << 19) end",
    "return strew.ones(4):gather(0, strew.tensor{0, 9})",
    "return io or os.execute or require or debug or 'neither files nor processes'",
    "pcall(function() while true do end end) while true do end",
};

static char answers[CLIENTS][SCRIPTS][ANSWER_BYTES];

/* A client's answer: the result, or the first line of an error without position and function, because the position of a
   script at its deadline is random. */
static const char *without_place(const char *text) {
  const char *rest = text;
  for (int i = 0; i < 2 && rest; i++) rest = (rest = strstr(rest, ": ")) ? rest + 2 : NULL;
  return rest ? rest : text;
}

static void serve(lua_State *L, const char *script, char *answer) {
  strew_restart_limits(L);
  bool is_result =
      luaL_loadbufferx(L, script, strlen(script), "=script", "t") == LUA_OK && lua_pcall(L, 0, 1, 0) == LUA_OK;
  const char *text = lua_type(L, -1) == LUA_TSTRING || lua_isnumber(L, -1) ? lua_tostring(L, -1) : "?";
  if (!is_result) text = without_place(text);
  snprintf(answer, ANSWER_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
  lua_settop(L, 0);
  lua_gc(L, LUA_GCCOLLECT);
}

static void *run_client(void *number) {
  int client = (int)((char(*)[SCRIPTS][ANSWER_BYTES])number - answers);
  strew_options options = {.threads = 2,
                           .memory_limit_bytes = 16 << 20,
                           .time_limit_seconds = SECONDS,
                           .sandbox = true,
                           .grain_bytes = 1 << 12};
  strew_error error = {0};
  lua_State *L = strew_new_state(&options, &error);
  if (!L) return fprintf(stderr, "%s\n", error.message), NULL;
  for (int i = 0; i < SCRIPTS; i++) {
    int script = (client + i) % SCRIPTS; /* so that different ones run together */
    serve(L, scripts[script], answers[client][script]);
  }
  lua_close(L);
  return NULL;
}

int main(void) {
  pthread_t threads[CLIENTS];
  for (int i = 0; i < CLIENTS; i++)
    if (pthread_create(&threads[i], NULL, run_client, answers[i])) return EXIT_FAILURE;
  for (int i = 0; i < CLIENTS; i++) pthread_join(threads[i], NULL);

  int strangers = 0; /* answers that differ from another client's */
  for (int script = 0; script < SCRIPTS; script++) {
    printf("%s\n", answers[0][script]);
    for (int i = 1; i < CLIENTS; i++) strangers += strcmp(answers[0][script], answers[i][script]) != 0;
  }
  printf("%d clients, %d scripts each, %d answers differ\n", CLIENTS, SCRIPTS, strangers);
  return strangers ? EXIT_FAILURE : EXIT_SUCCESS;
}
