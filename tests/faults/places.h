/* places.h: where events come from. A place is a stack of calls: functions of C to the instruction, functions of Lua to
   the line. (Of a coroutine just the line that resumes it; with Lua 5.4.5 and later no lines at all, for it may not be
   asked for them while it allocates.) What a body does in a loop has few places, however often it runs. */
#ifndef PLACES_H
#define PLACES_H

#include <lua.h>

/* From now on places_note notes the events, numbered from 1, of what runs in this state. */
void places_begin(lua_State *L);
void places_note(void);
/* Of the events that were noted, `count`: gives how many are among the first `most` of their place, and in *events
   their numbers, as long as no others are noted. */
long places_end(long count, long most, const long **events);

#endif
