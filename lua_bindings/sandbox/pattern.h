/* pattern.h: Lua's patterns, matched with checks of the limits; see pattern.c. */
#ifndef STREW_PATTERN_H
#define STREW_PATTERN_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CAPTURES = 32 };

/* A compiled pattern: an array of items without pointers. */
struct pattern;
size_t pattern_bytes(size_t length);
/* Compiles a text of this length into memory of pattern_bytes(length). Raises an error if the pattern is malformed. */
void pattern_compile(lua_State *L, const char *text, size_t length, struct pattern *pattern);

struct match {
  lua_State *L;
  const struct pattern *pattern;
  const char *subject, *end;
  int64_t steps; /* since the last check of the limits */
  int depth;     /* levels of recursion left */
  int level;     /* captures so far */
  struct capture {
    const char *begin;
    ptrdiff_t length; /* or CAPTURE_... */
  } captures[MAX_CAPTURES];
};
enum { CAPTURE_OPEN = -1, CAPTURE_POSITION = -2 };

/* Returns the end of the match that begins at `at`, or NULL. Raises an error if the pattern is too complex or the
   script must stop. */
const char *pattern_match(struct match *match, const char *at);
/* Counts steps, and checks the limits every 2^16 of them: about a millisecond. */
void match_step(struct match *match, int64_t steps);
/* Pushes capture i of a match from `begin` to `end`; without captures, capture 0 is the whole match. */
void match_push_capture(struct match *match, int i, const char *begin, const char *end);
/* Pushes all captures (the whole match if there are none and `begin` is not NULL) and returns their number. */
int match_push_captures(struct match *match, const char *begin, const char *end);

#endif
