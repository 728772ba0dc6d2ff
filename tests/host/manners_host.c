/* manners_host.c: a host with a decimal comma in its locale, signal handlers of its own and a rounding mode of its own.
   A script's output, input and error messages are the same as elsewhere, and strew changes none of the three. */
#define _GNU_SOURCE /* mkdtemp, NSIG */
#include "strew_lua.h"

#include <fenv.h>
#include <lauxlib.h>
#include <locale.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

static int passed, failed;

static void expect(bool fact, const char *what) {
  if (fact) {
    passed++;
    return;
  }
  failed++;
  printf("manners_host: %s\n", what);
}

/* Numbers with fractions, by every way of output and input. */
static const char script[] = "local strew, path = ...\n"
                             "local said = {}\n"
                             "local function say(x) said[#said + 1] = tostring(x) end\n"
                             "local t = strew.tensor{0.12345, -2.5, 1234.5, 0.00049}\n"
                             "say(t) say(t:exp()) say(t * 1e10) say(strew.tensor{1.0, 0.25})\n"
                             "say(strew.full(2, 3.0, {dtype = 'float64'}):div(2^1000):div(2^60))\n"
                             "say(select(2, pcall(strew.full, {2}, 0.5, {dtype = 'int64'})))\n"
                             "say(select(2, pcall(strew.zeros, 2, 2.5)))\n"
                             "say(select(2, pcall(strew.show, t, {min = 1.5, max = 0.5})))\n"
                             "strew.save(path, {a = t, b = strew.linspace(0.1, 0.3, 4)})\n"
                             "for line in io.lines(path) do say(line) end\n"
                             "local columns = strew.load(path, {header = true})\n"
                             "say(columns.a) say(strew.equal(columns.a:to('float32'), t))\n"
                             "local big = strew.arange(300000):to('float32'):div(7)\n"
                             "say(big:sum()) say(big:cumsum(0)) say(big:sort(0, true))\n"
                             "return table.concat(said, '\\n')\n";

/* Returns the script's output, in a state of its own; the caller frees it. */
static char *run(const char *path) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_loadstring(L, script);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  lua_pushstring(L, path);
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) expect(false, lua_tostring(L, -1));
  char *said = strdup(lua_tostring(L, -1));
  lua_close(L);
  return said;
}

static void expect_same(const char *plain, const char *path, const char *what) {
  char *said = run(path);
  expect(strcmp(plain, said) == 0, what);
  if (strcmp(plain, said) != 0) printf("expected\n%s\nnot\n%s\n", plain, said);
  free(said);
}

/* ------------------------------------------------------------------------------------------------------- the locale */

/* A locale of this machine, or one that is built for the test. */
static bool set_comma(const char *folder) {
  char command[512];
  if (setlocale(LC_ALL, "de_DE.UTF-8")) return true;
  snprintf(command, sizeof command, "localedef -f UTF-8 -i de_DE %s/de_DE.UTF-8 >%s/log 2>&1", folder, folder);
  if (system(command) == -1) return false;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void test_locale(const char *plain, const char *folder, const char *path) {
  if (!set_comma(folder)) {
    printf("manners_host: the locale is left out: de_DE.UTF-8 is not installed, and localedef cannot build it (Debian: "
           "locales)\n");
    return;
  }
  char *before = strdup(setlocale(LC_ALL, NULL));
  expect(strcmp(localeconv()->decimal_point, ",") == 0, "this host writes commas");
  expect_same(plain, path, "a locale with a comma changes what is said");
  expect(strcmp(before, setlocale(LC_ALL, NULL)) == 0, "the locale was changed");
  setlocale(LC_ALL, "C");
  free(before);
}

/* ------------------------------------------------------------------------------------------------ signals, rounding */

static void handle(int number) { (void)number; }

struct handlers {
  struct sigaction actions[NSIG];
  sigset_t mask;
};

static void look(struct handlers *handlers) {
  memset(handlers, 0, sizeof *handlers);
  for (int i = 1; i < NSIG; i++) sigaction(i, NULL, &handlers->actions[i]);
  sigprocmask(SIG_SETMASK, NULL, &handlers->mask);
}

static bool same_handlers(const struct handlers *a, const struct handlers *b) {
  for (int i = 1; i < NSIG; i++)
    if (a->actions[i].sa_handler != b->actions[i].sa_handler || a->actions[i].sa_flags != b->actions[i].sa_flags ||
        sigismember(&a->mask, i) != sigismember(&b->mask, i))
      return false;
  return true;
}

static void test_signals(const char *plain, const char *path) {
  static const int mine[] = {SIGINT, SIGFPE, SIGSEGV, SIGUSR2, SIGCHLD};
  static struct handlers before, after;
  for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) signal(mine[i], handle);
  look(&before);
  expect_same(plain, path, "handlers of signals change what is said");
  look(&after);
  expect(same_handlers(&before, &after), "a handler of a signal was changed");
  for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) signal(mine[i], SIG_DFL);
}

static void test_rounding(const char *plain, const char *path) {
  static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
    fesetround(roundings[i]);
    expect_same(plain, path, "the host's rounding changes what is said");
    expect(fegetround() == roundings[i], "the host's rounding was changed");
  }
  fesetround(FE_TONEAREST);
#ifdef __x86_64__
  const unsigned usual = _mm_getcsr(),
                 flushing = usual | 1 << 6 | 1 << 15; /* denormal operands and results flushed to zero */
  _mm_setcsr(flushing);
  expect_same(plain, path, "the host's treatment of denormals changes what is said");
  expect((_mm_getcsr() | 0x3f) == (flushing | 0x3f), "the host's treatment of denormals was changed");
  _mm_setcsr(usual);
#endif
}

int main(void) {
  char folder[] = "/tmp/manners.XXXXXX", path[64], command[64];
  if (!mkdtemp(folder)) return EXIT_FAILURE;
  snprintf(path, sizeof path, "%s/table.csv", folder);
  snprintf(command, sizeof command, "rm -r %s", folder);
  setenv("STREW_THREADS", "3", 1);
  char *plain = run(path);
  test_locale(plain, folder, path);
  test_signals(plain, path);
  test_rounding(plain, path);
  free(plain);
  if (system(command)) failed++;
  printf("manners_host: %d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
