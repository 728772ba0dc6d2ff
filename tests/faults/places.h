/* places.h: the origin of events. A place is a stack of calls: functions of C to the instruction, functions of Lua to
   the line. (For a coroutine, only the line that resumes it; with Lua 5.4.5 and later no lines at all, because they
   cannot be queried during an allocation.) A loop in a body has few places, however often it runs. */
#ifndef PLACES_H
#define PLACES_H

#include <lua.h>

/* From now on places_note records the events, numbered from 1, of this Lua state. */
void places_begin(lua_State *L);
void places_note(void);
/* Returns how many of the `count` recorded events are among the first `most` of their place, and in *events their
   numbers, valid until the next recording. */
long places_end(long count, long most, const long **events);

#endif
