/* pattern.h: Lua's patterns, matched in pieces of bounded length: see pattern.c. */
#ifndef STREW_PATTERN_H
#define STREW_PATTERN_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_CAPTURES = 32 };

/* A compiled pattern: items, one after the other. It holds no pointers. */
struct pattern;
size_t pattern_bytes(size_t length);
/* Compiles a text of this length into memory of pattern_bytes; raises where the pattern is malformed. */
void pattern_compile(lua_State *L, const char *text, size_t length, struct pattern *pattern);

struct match {
  lua_State *L;
  const struct pattern *pattern;
  const char *subject, *end;
  int64_t steps; /* since the last look at the limits */
  int depth;     /* of recursion that is left */
  int level;     /* captures so far */
  struct capture {
    const char *begin;
    ptrdiff_t length; /* or CAPTURE_... */
  } captures[MOST_CAPTURES];
};
enum { CAPTURE_OPEN = -1, CAPTURE_POSITION = -2 };

/* The end of the match that begins at `at`, or NULL. Raises where it is too complex or the script has to stop. */
const char *pattern_match(struct match *match, const char *at);
/* Counts steps of the match, and looks at the limits each 2^16 of them: about a millisecond. */
void match_step(struct match *match, int64_t steps);
/* Pushes capture i, of a match from `begin` to `end`; capture 0 of a pattern without any is all of it. */
void match_push_capture(struct match *match, int i, const char *begin, const char *end);
/* Pushes them all (the whole, where there is none and `begin` is not NULL), and gives how many. */
int match_push_captures(struct match *match, const char *begin, const char *end);

#endif
