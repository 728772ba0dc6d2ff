/* texts.c: the files that the module and the program carry, and where a script is outside of them. The Makefile's PACKED says
   that they are compressed: where a build has zlib. */
#include "hosting.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#if PACKED
#define ZLIB_CONST
#include <zlib.h>
#endif

/* A file that is read in pieces. */
struct reading {
  const struct embedded_file *file;
  bool is_read, failed; /* failed: memory was short */
#if PACKED
  z_stream stream;
  char piece[4096];
#endif
};

#if PACKED
static bool start(struct reading *reading) {
  reading->stream = (z_stream){.next_in = reading->file->data, .avail_in = (uInt)reading->file->packed};
  return inflateInit(&reading->stream) == Z_OK;
}

static const char *next_piece(lua_State *L, void *state, size_t *bytes) {
  (void)L;
  struct reading *reading = state;
  if (reading->is_read) return *bytes = 0, NULL;
  reading->stream.next_out = (unsigned char *)reading->piece;
  reading->stream.avail_out = sizeof reading->piece;
  const int status = inflate(&reading->stream, Z_NO_FLUSH);
  reading->is_read = status != Z_OK;
  reading->failed = status != Z_OK && status != Z_STREAM_END;
  *bytes = sizeof reading->piece - reading->stream.avail_out;
  return reading->piece;
}

static void stop(lua_State *L, struct reading *reading) {
  inflateEnd(&reading->stream);
  if (reading->failed) luaL_error(L, "strew: out of memory");
}
#else
static bool start(struct reading *reading) { return !reading->failed; }

static const char *next_piece(lua_State *L, void *state, size_t *bytes) {
  (void)L;
  struct reading *reading = state;
  if (reading->is_read) return *bytes = 0, NULL;
  reading->is_read = true;
  *bytes = reading->file->bytes;
  return (const char *)reading->file->data;
}

static void stop(lua_State *L, struct reading *reading) { (void)L, (void)reading; }
#endif

void texts_load(lua_State *L, const struct embedded_file *file, const char *name) {
  struct reading reading = {.file = file};
  if (!start(&reading)) luaL_error(L, "strew: out of memory");
  int status = lua_load(L, next_piece, &reading, name, "t");
  stop(L, &reading);
  if (status != LUA_OK) lua_error(L);
}

void texts_push(lua_State *L, const struct embedded_file *file) {
  luaL_Buffer buffer;
  struct reading reading = {.file = file};
  char *text = luaL_buffinitsize(L, &buffer, file->bytes);
  if (!start(&reading)) luaL_error(L, "strew: out of memory");
  size_t bytes, at = 0;
  for (const char *piece; (piece = next_piece(L, &reading, &bytes)) != NULL; at += bytes)
    memcpy(text + at, piece, bytes);
  stop(L, &reading);
  luaL_pushresultsize(&buffer, at);
}

const struct embedded_file *texts_find(const char *name) {
  const struct embedded_file *file = text_files;
  while (strcmp(file->name, name) != 0) file++;
  return file;
}

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
