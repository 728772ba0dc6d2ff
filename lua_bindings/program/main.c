/* main.c: the program is stock Lua's stand-alone interpreter with the module strew. One table lists its options; all
   code runs through program_call. */
#define _POSIX_C_SOURCE 200809L
#include "lua_bindings/core/hosting.h"
#include "program.h"
#include "strew_lua.h"

#include <ctype.h>
#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------- the options */

enum {
  DEVICES = 256,
  VERSION,
  HELP,
  MEMORY,
  TIME,
  SANDBOX,
  DIGEST
}; /* keys of options without a letter, above all letters */

typedef struct option {
  int key;              /* its letter, if it has one */
  const char *word;     /* NULL: has none */
  const char *argument; /* NULL: takes none */
  const char *help;
} option;

static const option all_options[] = {
    {'e', NULL, "STAT", "execute the statement STAT"},
    {'i', NULL, NULL, "enter the prompt when the script is done"},
    {'l', NULL, "[G=]MOD", "require the library MOD into the global G (else MOD)"},
    {'v', NULL, NULL, "show the version and go on"},
    {'E', NULL, NULL, "ignore environment variables"},
    {'W', NULL, NULL, "turn warnings on"},
    {'d', "device", "SPEC", "default device of new tensors (else $STREW_DEVICE, else cpu)"},
    {DEVICES, "devices", NULL, "list the devices and exit"},
    {'t', "threads", "N", "CPU workers (else $STREW_THREADS, else every processor)"},
    {MEMORY, "memory", "SIZE", "most memory of Lua and tensors together: 500M, 2G, bytes"},
    {TIME, "time", "SECONDS", "most time of scripts and native operations"},
    {SANDBOX, "sandbox", NULL, "no files, processes, modules, bytecode, debug library"},
    {DIGEST, "digest", NULL, "print the digest of random calls, the same on every processor, and exit"},
    {VERSION, "version", NULL, "show the version and exit"},
    {HELP, "help", NULL, "show this text and exit"},
};
enum { OPTION_COUNT = sizeof all_options / sizeof all_options[0] };

typedef struct options {
  const char *name; /* of the program, in messages */
  int argc;
  char **argv;
  int script; /* index in argv; argc: none */
  bool prompt, version, no_environment, has_statement;
  int exit_after; /* DIGEST, DEVICES, VERSION, HELP or 0 */
  const char *device, *threads;
  strew_options limits; /* memory, time and sandbox */
} options;

static void print_help(const char *name) {
  printf("usage: %s [options] [script [args]]\n", name);
  for (int i = 0; i < OPTION_COUNT; i++) {
    const option *o = &all_options[i];
    char letter[] = {'-', (char)o->key, '\0'}, left[40];
    bool has_letter = o->key < DEVICES;
    snprintf(left, sizeof left, "%s%s%s%s %s", has_letter ? letter : "", has_letter && o->word ? ", " : "",
             o->word ? "--" : "", o->word ? o->word : "", o->argument ? o->argument : "");
    printf("  %-20s  %s\n", left, o->help);
  }
  printf("  %-20s  stop handling options\n", "--");
  printf("  %-20s  stop handling options and execute standard input\n", "-");
}

static void print_version(void) {
  printf("strew %s, %s\n", STREW_VERSION, LUA_RELEASE);
  fflush(stdout);
}

/* True if text ("-x...", "--word" or "--word=...") names this option; `rest` follows the name in the same word. */
static bool is_named(const option *o, const char *text, const char **rest) {
  if (text[1] != '-') {
    *rest = text + 2;
    return (unsigned char)text[1] == o->key && (o->argument != NULL || text[2] == '\0');
  }
  size_t length = strcspn(text + 2, "=");
  *rest = text + 2 + length;
  return o->word != NULL && strlen(o->word) == length && memcmp(text + 2, o->word, length) == 0 &&
         (o->argument != NULL || **rest == '\0');
}

/* Returns the option at argv[*i], with its argument in *argument, and moves *i past both. NULL: *problem says why
   (NULL: no more options, *i is the script's index). */
static const option *next_option(char **argv, int *i, const char **argument, const char **problem) {
  const char *text = argv[*i], *rest = "";
  *problem = NULL;
  if (text == NULL || text[0] != '-' || text[1] == '\0') return NULL;
  if (strcmp(text, "--") == 0) {
    ++*i;
    return NULL;
  }
  for (const option *o = all_options; o < all_options + OPTION_COUNT; o++) {
    if (!is_named(o, text, &rest)) continue;
    ++*i;
    *argument = rest + (*rest == '=' && text[1] == '-');
    if (o->argument == NULL || *rest != '\0') return o;
    *argument = argv[*i];
    if (*argument != NULL && (**argument != '-' || isdigit((unsigned char)(*argument)[1]))) {
      ++*i;
      return o;
    }
    --*i;
    *problem = "needs an argument";
    return NULL;
  }
  *problem = "is not an option";
  return NULL;
}

static bool complain(const options *opts, const char *what, const char *problem) {
  fprintf(stderr, "%s: '%s' %s\nusage: %s [options] [script [args]], '%s --help' lists the options\n", opts->name, what,
          problem, opts->name, opts->name);
  return false;
}

/* Returns a size in bytes: "1.5G", with K, M or G in powers of 1024; 0: invalid. */
static size_t size_of(const char *text) {
  static const char units[] = "KMG";
  char *end;
  if (!isdigit((unsigned char)text[0])) return 0;
  double size = strtod(text, &end);
  const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
  for (const char *u = units; unit && u <= unit; u++) size *= 1024;
  return end[unit != NULL] == '\0' && size >= 1 && size < 0x1p62 ? (size_t)size : 0;
}

/* Returns a time in seconds; 0: invalid. */
static double seconds_of(const char *text) {
  char *end;
  if (!isdigit((unsigned char)text[0]) && text[0] != '.') return 0;
  double seconds = strtod(text, &end);
  return seconds > 0 && seconds < 1e9 && *end == '\0' ? seconds : 0;
}

static bool has_limits(const options *opts) {
  const strew_options *limits = &opts->limits;
  return limits->memory_limit_bytes != 0 || limits->time_limit_seconds > 0 || limits->sandbox;
}

static bool parse(int argc, char **argv, options *opts) {
  const option *o;
  const char *argument, *problem;
  int i = argc > 0;
  while ((o = next_option(argv, &i, &argument, &problem)) != NULL) {
    switch (o->key) {
    case 'e': opts->has_statement = true; break;
    case 'i': opts->prompt = true; break;
    case 'v': opts->version = true; break;
    case 'E': opts->no_environment = true; break;
    case 'd': opts->device = argument; break;
    case 't':
      if (!threads_of_text(argument, &(int){0}))
        return complain(opts, argument, "is not a number of threads, expected 1..256");
      opts->threads = argument;
      break;
    case MEMORY:
      opts->limits.memory_limit_bytes = size_of(argument);
      if (opts->limits.memory_limit_bytes == 0)
        return complain(opts, argument, "is not a size, expected bytes, or 500M, 1.5G");
      break;
    case TIME:
      opts->limits.time_limit_seconds = seconds_of(argument);
      if (!(opts->limits.time_limit_seconds > 0))
        return complain(opts, argument, "is not a time, expected seconds above 0");
      break;
    case SANDBOX: opts->limits.sandbox = true; break;
    case DIGEST:
    case DEVICES:
    case VERSION:
    case HELP:
      if (opts->exit_after == 0) opts->exit_after = o->key;
      break;
    default: break; /* -l and -W are handled once the state exists */
    }
  }
  if (problem != NULL) return complain(opts, argv[i], problem);
  opts->script = i;
  return true;
}

/* The module reads its settings from the environment: options override it, -E hides it. */
static bool set_environment(const options *opts) {
  enum { SETTINGS = 3 };
  static const char *const names[SETTINGS] = {"STREW_DEVICE", "STREW_THREADS", "STREW_CPU"};
  const char *const values[SETTINGS] = {opts->device, opts->threads, NULL};
  for (int i = 0; i < SETTINGS; i++) {
    if (values[i] != NULL ? setenv(names[i], values[i], 1) : opts->no_environment && unsetenv(names[i])) {
      perror(opts->name);
      return false;
    }
  }
  return true;
}

/* Reads $STREW_THREADS, which --threads has set by now; 0: unset. Returns false if it is invalid. */
static bool read_threads(const options *opts, int *threads) {
  const char *text = getenv("STREW_THREADS");
  *threads = 0;
  if (text == NULL || *text == '\0') return true;
  if (threads_of_text(text, threads)) return true;
  fprintf(stderr, "%s: $STREW_THREADS is \"%s\", " THREADS_EXPECTED "\n", opts->name, text);
  return false;
}

static int list_devices(const options *opts, int threads) {
  strew_context *context = NULL;
  strew_error error = {0};
  strew_options settings = {.threads = threads};
  if (strew_context_create(&settings, &context, &error) != STREW_OK) {
    fprintf(stderr, "%s: %s\n", opts->name, error.message);
    return EXIT_FAILURE;
  }
  devices_print(context);
  strew_context_release(context);
  return EXIT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------ what runs */

/* Runs the loaded chunk, or reports why it was not loaded. */
static bool run_loaded(lua_State *L, const options *opts, int status, int nargs) {
  if (status == LUA_OK) status = program_call(L, nargs, 0);
  return program_report(L, opts->name, status) == LUA_OK;
}

/* A sandbox accepts no bytecode. */
static const char *kind_of_chunks(const options *opts) { return opts->limits.sandbox ? "t" : NULL; }

static bool run_file(lua_State *L, const options *opts, const char *path) {
  return run_loaded(L, opts, luaL_loadfilex(L, path, kind_of_chunks(opts)), 0);
}

static bool run_string(lua_State *L, const options *opts, const char *text, const char *chunk_name) {
  return run_loaded(L, opts, luaL_loadbuffer(L, text, strlen(text), chunk_name), 0);
}

/* "mod" or "global=mod" */
static bool run_library(lua_State *L, const options *opts, const char *text) {
  const char *equals = strchr(text, '=');
  lua_getglobal(L, "require");
  lua_pushstring(L, equals ? equals + 1 : text);
  if (program_report(L, opts->name, program_call(L, 1, 1)) != LUA_OK) return false;
  const char *global = lua_pushlstring(L, text, equals ? (size_t)(equals - text) : strlen(text));
  lua_insert(L, -2);
  lua_setglobal(L, global);
  lua_pop(L, 1);
  return true;
}

/* LUA_INIT_5_4 (of Lua 5.4), else LUA_INIT: a chunk, or @ and the name of a file. */
static bool run_init(lua_State *L, const options *opts) {
  static const char versioned[] = "=LUA_INIT_" LUA_VERSION_MAJOR "_" LUA_VERSION_MINOR, plain[] = "=LUA_INIT";
  const char *name = getenv(versioned + 1) ? versioned : plain;
  const char *text = getenv(name + 1);
  if (text == NULL) return true;
  return text[0] == '@' ? run_file(L, opts, text + 1) : run_string(L, opts, text, name);
}

/* Runs -e, -l and -W in their order. */
static bool run_options(lua_State *L, const options *opts) {
  const option *o;
  const char *argument, *problem;
  int i = opts->argc > 0;
  while ((o = next_option(opts->argv, &i, &argument, &problem)) != NULL) {
    if (o->key == 'e' && !run_string(L, opts, argument, "=(command line)")) return false;
    if (o->key == 'l' && !run_library(L, opts, argument)) return false;
    if (o->key == 'W') lua_warning(L, "@on", 0);
  }
  return true;
}

/* Creates `arg`: the script at 0, its arguments from 1, earlier words below; without a script the program is at 0. */
static void make_arg(lua_State *L, const options *opts) {
  int zero = opts->script < opts->argc ? opts->script : 0;
  lua_createtable(L, opts->argc - zero, zero + 1);
  for (int i = 0; i < opts->argc; i++) {
    lua_pushstring(L, opts->argv[i]);
    lua_rawseti(L, -2, i - zero);
  }
  lua_setglobal(L, "arg");
}

/* Pushes the present content of `arg` (LUA_INIT or -e may have changed it) as the script's "...". (A negative length,
   from a __len, counts as 0.) */
static int push_arg(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) luaL_error(L, "'arg' is not a table");
  int table = lua_gettop(L);
  lua_Integer length = luaL_len(L, table);
  int n = length < 0 ? 0 : length < INT_MAX - 3 ? (int)length : INT_MAX - 3;
  luaL_checkstack(L, n + 3, "too many arguments to script");
  for (int i = 1; i <= n; i++) lua_rawgeti(L, table, i);
  lua_remove(L, table);
  return n;
}

static bool run_script(lua_State *L, const options *opts) {
  const char *path = opts->argv[opts->script];
  bool is_stdin = strcmp(path, "-") == 0 && strcmp(opts->argv[opts->script - 1], "--") != 0;
  int status = luaL_loadfilex(L, is_stdin ? NULL : path, kind_of_chunks(opts));
  return run_loaded(L, opts, status, status == LUA_OK ? push_arg(L) : 0);
}

/* Pushes the default device as "cpu, 2 threads"; a tensor created on it names it. */
static int describe_device(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "strew");
  lua_getfield(L, -1, "empty");
  lua_pushinteger(L, 0);
  lua_call(L, 1, 1);
  strew_device *device = strew_tensor_device(strew_check(L, -1));
  int threads = strew_context_threads(strew_device_context(device));
  lua_pushfstring(L, "%s, %d thread%s", strew_device_name(device), threads, threads == 1 ? "" : "s");
  return 1;
}

static bool run_prompt(lua_State *L, const options *opts) {
  lua_pushcfunction(L, describe_device);
  if (program_report(L, opts->name, program_call(L, 0, 1)) != LUA_OK) return false;
  char banner[256];
  lua_warning(L, "@on", 0);
  snprintf(banner, sizeof banner, "strew %.3s · %s · %s", STREW_VERSION, LUA_RELEASE, lua_tostring(L, -1));
  return repl_run(L, opts->name, banner);
}

/* Calls tests/digest.lua with the module of tests/calls.lua. */
static int call_digest(lua_State *L) {
  for (int i = digest_file_count; i-- > 0;) texts_load(L, &digest_files[i], "=digest");
  lua_call(L, 0, 1);
  lua_call(L, 1, 0);
  return 0;
}

static bool run_digest(lua_State *L, const options *opts) {
  lua_pushcfunction(L, call_digest);
  return program_report(L, opts->name, program_call(L, 0, 0)) == LUA_OK;
}

/* Without script, -e and -v, standard input runs: typed or piped. */
static bool run_rest(lua_State *L, const options *opts) {
  bool has_script = opts->script < opts->argc;
  if (has_script && !run_script(L, opts)) return false;
  bool is_idle = !has_script && !opts->has_statement && !opts->version;
  if (opts->prompt || (is_idle && isatty(STDIN_FILENO))) return run_prompt(L, opts);
  return !is_idle || run_file(L, opts, NULL);
}

/* Returns the present width of the terminal; 0: unknown. */
static int terminal_columns(void *user) {
  (void)user;
  return terminal_at(STDOUT_FILENO).columns;
}

static int open_module(lua_State *L) {
  strew_options wanted = {.progress = progress_note};
  strew_open(L, &wanted);
  lua_pop(L, 1);
  luaL_requiref(L, "strew", luaopen_strew, 1);
  if (isatty(STDOUT_FILENO)) strew_set_columns(L, terminal_columns, NULL);
  return 0;
}

/* Lets scripts require strew's own modules in C, as strew.mpi: beside the program in a build, and where make install
   puts them. */
static void add_modules(lua_State *L) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0 || lua_getglobal(L, "package") != LUA_TTABLE || lua_getfield(L, -1, "cpath") != LUA_TSTRING) return;
  path[length] = '\0';
  *strrchr(path, '/') = '\0';
  lua_pushfstring(L, "%s;%s/modules/?.so;%s/../lib/lua/" LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "/?.so",
                  lua_tostring(L, -1), path, path);
  lua_setfield(L, -3, "cpath");
}

/* Raises the module's message, which blames the environment, after naming the option if that set the device. */
static int blame_option(lua_State *L, const options *opts) {
  if (opts->device != NULL) luaL_gsub(L, lua_tostring(L, -1), "$STREW_DEVICE", "--device");
  return lua_error(L);
}

/* Runs everything that may raise an error outside of program_call. Returns true if all went well. */
static int run(lua_State *L) {
  const options *opts = lua_touserdata(L, 1);
  luaL_checkversion(L);
  if (opts->no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  if (!has_limits(opts)) luaL_openlibs(L); /* else they are open */
  lua_pushcfunction(L, open_module);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) return blame_option(L, opts);
  interrupt_open(L, has_limits(opts));
  output_watch(L);
  add_modules(L);
  make_arg(L, opts);
  lua_settop(L, 0);
  lua_gc(L, LUA_GCGEN, 0, 0); /* as the stock program does */
  bool ok = opts->exit_after == DIGEST
                ? run_digest(L, opts)
                : (opts->no_environment || run_init(L, opts)) && run_options(L, opts) && run_rest(L, opts);
  lua_pushboolean(L, ok);
  return 1;
}

/* Creates the state. With limits its module is already open, so it gets the settings of the environment here. */
static lua_State *new_state(const options *opts, int threads) {
  strew_options wanted = opts->limits;
  strew_error error = {.alias = opts->device != NULL ? "--device" : "$STREW_DEVICE"};
  const char *device = getenv("STREW_DEVICE");
  if (device != NULL && *device != '\0') wanted.device = device;
  wanted.threads = threads;
  wanted.progress = progress_note;
  snprintf(error.message, sizeof error.message, "cannot create state: not enough memory");
  lua_State *L = has_limits(opts) ? strew_new_state(&wanted, &error) : luaL_newstate();
  if (L == NULL) fprintf(stderr, "%s: %s\n", opts->name, error.message);
  return L;
}

int main(int argc, char **argv) {
  options opts = {.name = argc > 0 && argv[0][0] ? argv[0] : "strew", .argc = argc, .argv = argv};
  output_guard(opts.name);
  if (!parse(argc, argv, &opts)) return EXIT_FAILURE;
  int threads;
  switch (opts.exit_after) {
  case VERSION: print_version(); return EXIT_SUCCESS;
  case HELP: print_help(opts.name); return EXIT_SUCCESS;
  default: break;
  }
  if (!set_environment(&opts) || !read_threads(&opts, &threads)) return EXIT_FAILURE;
  if (opts.exit_after == DEVICES) return list_devices(&opts, threads);
  if (opts.version) print_version();

  lua_State *L = new_state(&opts, threads);
  if (L == NULL) return EXIT_FAILURE;
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, &opts);
  int status = program_report(L, opts.name, lua_pcall(L, 1, 1, 0));
  bool ok = status == LUA_OK && lua_toboolean(L, -1);
  lua_close(L);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
