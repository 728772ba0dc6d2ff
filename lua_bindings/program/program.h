/* program.h: what the files of the program share. */
#ifndef STREW_PROGRAM_H
#define STREW_PROGRAM_H

#include <lua.h>
#include <stdbool.h>

#include "strew.h"

/* ---- call.c: how the program calls Lua. Scripts, -e, -l, LUA_INIT and entries of the prompt all run through it. */

/* lua_pcall with a traceback added to error messages, and with Ctrl-C raising "interrupted!". */
int program_call(lua_State *L, int nargs, int nresults);

/* Sets a function that is called when an error is handled, on the stack as it was when the error was raised; it must
   restore the stack. NULL: none. */
void program_on_error(void (*observe)(lua_State *L));

/* Pops the message on top if status is a failure, and writes it to stderr after "NAME: " (no prefix if name is NULL).
   Returns status. */
int program_report(lua_State *L, const char *name, int status);

/* A table in the registry whose keys are the names that a session knows besides the globals, for hints. */
#define PROGRAM_NAMES "strew.names"

/* ---- interrupt.c: Ctrl-C in Lua code, in coroutines and in native calls. */

/* Makes Ctrl-C work in this state, the only one of the process, whose standard libraries and module strew are open.
   Without limits it replaces the functions that run coroutines; limits check the context's interruption themselves. */
void interrupt_open(lua_State *L, bool has_limits);

/* Between begin and end, Ctrl-C raises "interrupted!" in the running code. A script may catch it once; a second Ctrl-C
   ends the process. After interrupt_insist(true), as at the prompt, the error is raised again until nothing runs, and a
   Ctrl-C that came too late for a call is for the next one, unless interrupt_forget is called between the two. */
void interrupt_begin(lua_State *L);
void interrupt_end(lua_State *L);
void interrupt_insist(bool insists);
void interrupt_forget(void);
/* In a browser alone: asks the page whether Ctrl-C was pressed, at most ten times a second. */
void interrupt_poll(void);

/* ---- output.c: the program fails if its output is lost. */

/* Call first. At exit, write errors are reported on standard error after "NAME: ", and the exit status becomes
   EXIT_FAILURE. */
void output_guard(const char *name);
/* Does the same for io files closed by the garbage collector or at the end of a block, where a script gets no result.
   Does nothing without the library io. */
void output_watch(lua_State *L);

/* ---- progress.c: the progress line of the terminal. */

/* The program's strew_options.progress: counts compile time, and shows the line if the terminal allows. Draws it at most
   ten times a second, so that short work never shows; work without a known end shows at once, since it may not report
   again. Erases it when the work ends (`doing` is NULL) and at exit. */
void progress_note(void *user, const char *doing, double done);
/* Seconds spent compiling kernels so far. */
double progress_seconds_compiling(void);
double progress_clock(void); /* monotonic seconds */

/* ---- devices.c: the list of devices, for --devices and the prompt. */

/* Finds the OpenCL devices in a child process first, unless drivers are loaded already: one that crashes, or never answers,
   ends that process. Returns true if they can be found; else writes the reason to `why`. One trial a process. */
bool devices_can_be_found(char *why, size_t size);

/* Returns a number of bytes in the unit KiB, MiB, ... that fits it, and the unit's name. */
double devices_scale(size_t bytes, const char **unit);

/* Prints each device with its capabilities, and the reason why a device is not usable. */
void devices_print(strew_context *context);

/* ---- repl.c: the interactive prompt. */

/* Shows the banner, then reads, runs and prints entries until the input ends; errors do not end the session. Returns
   false if the session could not start, which was reported under the program's name. */
bool repl_run(lua_State *L, const char *name, const char *banner);
/* The same in steps, for a host that cannot wait for input: opens the session; reads, runs and prints one entry. False:
   it could not start, which was reported; the input has ended. */
bool repl_open(lua_State *L, const char *name);
bool repl_step(lua_State *L);

#endif
