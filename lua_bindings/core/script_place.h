/* script_place.h: where the script is, for error messages. */
#ifndef STREW_SCRIPT_PLACE_H
#define STREW_SCRIPT_PLACE_H

#include "other_lua.h"

/* Operations written in Lua, whose lines mean nothing to a script, are chunks with names that begin so: those of
   family/, and of modules that build on this one. */
#define OPERATION_CHUNK "=strew."
#define FAMILY_CHUNK    OPERATION_CHUNK "family"

/* Pushes "file:line: " of the nearest function of the script, in Lua, from this level of the call stack outwards; "" if
   there is none within 16 levels. */
void script_place_push(lua_State *L, int level);

#endif
