#include "script_place.h"

#include <string.h>

void script_place_push(lua_State *L, int level) {
  enum { MOST_LEVELS = 16 };
  lua_Debug at;
  for (int end = level + MOST_LEVELS; level < end && lua_getstack(L, level, &at); level++) {
    lua_getinfo(L, "Sl", &at);
    if (at.currentline <= 0 || strncmp(at.source, OPERATION_CHUNK, strlen(OPERATION_CHUNK)) == 0) continue;
    lua_pushfstring(L, "%s:%d: ", at.short_src, at.currentline);
    return;
  }
  lua_pushliteral(L, "");
}
