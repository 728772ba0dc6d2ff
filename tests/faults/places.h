/* places.h: where events come from. A place is a stack of calls: functions of C to the instruction, functions of Lua to
   the line. What a body does in a loop has few places, however often it runs. */
#ifndef PLACES_H
#define PLACES_H

#include <lua.h>

/* From now on places_note notes the events, numbered from 1, of what runs in this state. */
void places_begin(lua_State *L);
void places_note(void);
/* Gives how many there are, and in *events the numbers of those that are among the first `most` of their place: as long
   as no others are noted. */
long places_end(long most, const long **events);

#endif
