/* script_place.h: where the script is, for error messages. */
#ifndef STREW_SCRIPT_PLACE_H
#define STREW_SCRIPT_PLACE_H

#include <lua.h>

/* The chunk name of operations written in Lua (family/), whose lines mean nothing to a script. */
#define FAMILY_CHUNK "=strew.family"

/* Pushes "file:line: " of the nearest function of the script, in Lua, from this level of the call stack outwards; "" if
   there is none within 16 levels. */
void script_place_push(lua_State *L, int level);

#endif
