/* output.h: the program fails if its output is lost. */
#ifndef STREW_OUTPUT_H
#define STREW_OUTPUT_H

#include <lua.h>

/* Call first. At exit, write errors are reported on standard error after "NAME: ", and the exit status becomes
   EXIT_FAILURE. */
void output_guard(const char *name);
/* Does the same for io files closed by the garbage collector or at the end of a block, where a script gets no result.
   Does nothing without the library io. */
void output_watch(lua_State *L);

#endif
