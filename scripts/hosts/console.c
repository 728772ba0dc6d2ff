/* console.c: a program with a window, say, runs its user's scripts on a thread of their own. Their output, progress and
   errors, with a traceback, are shown where the program wants, and the user can cancel them.
   cc -pthread console.c $(pkg-config --cflags --libs strew-lua) -o console && ./console */
#include <strew_lua.h>

#include <lauxlib.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scripts[] = {"print('heights', strew.tensor{2, 3, 5}:sum())\n"
                                      "for i = 1, 4 do strew.progress('smoothing', i / 4) end\n",

                                      "function part(t, i)\n"
                                      "  return t:gather(0, strew.tensor{i})\n"
                                      "end\n"
                                      "function whole(t)\n"
                                      "  for i = 0, 9 do local p = part(t, i) end\n"
                                      "end\n"
                                      "whole(strew.tensor{2, 3, 5})\n",

                                      "strew.progress 'searching'\n"
                                      "while true do strew.rand(1000):sort() end\n",

                                      "print 'as before'\n"};

static sem_t is_searching; /* then the user has seen enough */

/* All of this runs on the script's thread: a window would post the texts to its own. */
static void show_text(void *user, const char *text, size_t length) {
  (void)user;
  printf("  | %.*s", (int)length, text);
}

static void show_progress(void *user, const char *doing, double done) {
  (void)user;
  if (doing && done >= 0) printf("  %s, %.0f %%\n", doing, 100 * done);
  if (doing && strcmp(doing, "searching") == 0) sem_post(&is_searching);
}

static int with_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

static void *run_scripts(void *state) {
  lua_State *L = state;
  strew_set_print(L, show_text, NULL);
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    printf("script %zu\n", i + 1);
    strew_restart_limits(L); /* after a cancelled one, too */
    lua_settop(L, 0);
    lua_pushcfunction(L, with_traceback);
    if (luaL_loadbufferx(L, scripts[i], strlen(scripts[i]), "=script", "t") == LUA_OK &&
        lua_pcall(L, 0, 0, 1) == LUA_OK)
      continue;
    const bool is_cancelled = strew_context_check(strew_context_of(L), 0, NULL) == STREW_EINTERRUPTED;
    printf("%s\n", is_cancelled ? "cancelled" : lua_tostring(L, -1));
  }
  return NULL;
}

int main(void) {
  const strew_options options = {.progress = show_progress, .memory_limit_bytes = 256 << 20, .sandbox = true};
  strew_error error = {0};
  pthread_t thread;
  lua_State *L = strew_new_state(&options, &error);
  if (!L) return fprintf(stderr, "%s\n", error.message), EXIT_FAILURE;
  strew_context *context = strew_context_of(L); /* before the thread has the state for itself */
  sem_init(&is_searching, 0, 0);
  if (pthread_create(&thread, NULL, run_scripts, L)) return EXIT_FAILURE;
  sem_wait(&is_searching);
  strew_context_interrupt(context); /* the button "Cancel" */
  pthread_join(thread, NULL);
  lua_close(L);
  return EXIT_SUCCESS;
}
