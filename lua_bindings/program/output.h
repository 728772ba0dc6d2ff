/* output.h: output that is lost makes the program fail. */
#ifndef STREW_OUTPUT_H
#define STREW_OUTPUT_H

#include <lua.h>

/* To be called first. However the program exits, what it could not write is told on standard error after "NAME: ", and
   its exit status is EXIT_FAILURE then. */
void output_guard(const char *name);
/* The same for files of the library io that are closed by the garbage collector or at the end of a block: a script gets
   no result there. Without that library nothing happens. */
void output_watch(lua_State *L);

#endif
