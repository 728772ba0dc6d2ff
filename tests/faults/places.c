/* places.c: see places.h. A place is identified by the hash of its stack; a collision, which is improbable, hides one
   place. */
#include "places.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* calls of C and of Lua that are examined */

static struct {
  lua_State *L;
  uint64_t *places; /* of each event */
  long count, room;
  long *chosen;
} noted;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
  return hash;
}

static uint64_t mix_lua(uint64_t hash, lua_State *L) {
  lua_Debug ar;
  int levels = LUA_VERSION_RELEASE_NUM < 50405 ? DEEPEST : 0;
  for (int level = 0; level < levels && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    hash = mix(hash, &ar.currentline, sizeof ar.currentline);
    hash = mix(hash, ar.short_src, strlen(ar.short_src));
  }
  return hash;
}

void places_begin(lua_State *L) {
  noted.L = L;
  noted.count = 0;
}

void places_note(void) {
  void *frames[DEEPEST];
  if (noted.count == noted.room) {
    noted.room = noted.room ? 2 * noted.room : 1 << 12;
    noted.places = realloc(noted.places, (size_t)noted.room * sizeof *noted.places);
    if (!noted.places) abort();
  }
  int depth = backtrace(frames, DEEPEST);
  uint64_t hash = mix(0xcbf29ce484222325, frames, (size_t)depth * sizeof *frames);
  noted.places[noted.count++] = mix_lua(hash, noted.L);
}

/* Counts the occurrences of this place, in a table with open addressing. */
static long count_place(uint64_t *keys, long *times, size_t size, uint64_t place) {
  size_t at = place & (size - 1);
  while (times[at] && keys[at] != place) at = (at + 1) & (size - 1);
  keys[at] = place;
  return ++times[at];
}

long places_end(long count, long most, const long **events) {
  size_t size = 16;
  long chosen = 0;
  if (count < 0) return 0;
  if (count != noted.count) abort(); /* or the numbers would be those of other events */
  while (size < 2 * (size_t)noted.count) size *= 2;
  uint64_t *keys = calloc(size, sizeof *keys);
  long *times = calloc(size, sizeof *times);
  noted.chosen = realloc(noted.chosen, ((size_t)noted.count + 1) * sizeof *noted.chosen);
  if (!keys || !times || !noted.chosen) abort();
  for (long i = 0; i < noted.count; i++)
    if (count_place(keys, times, size, noted.places[i]) <= most) noted.chosen[chosen++] = i + 1;
  free(keys);
  free(times);
  *events = noted.chosen;
  return chosen;
}
