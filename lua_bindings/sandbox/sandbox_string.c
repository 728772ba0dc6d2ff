/* sandbox_string.c: the functions of Lua's string library that could run without end in one call: those with patterns,
   by pattern.c, and rep. */
#define _GNU_SOURCE /* memmem: linear time for any needle */
#include "pattern.h"
#include "script_limits.h"

#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- patterns */

/* Pushes the compiled pattern. */
static struct pattern *push_pattern(lua_State *L, const char *text, size_t length) {
  limits_check(L);
  struct pattern *pattern = lua_newuserdatauv(L, pattern_bytes(length), 0);
  pattern_compile(L, text, length, pattern);
  return pattern;
}

/* Returns where a search begins by argument i, from 0; clipped to the end. */
static size_t begin_of(lua_State *L, int i, size_t length) {
  lua_Integer at = luaL_optinteger(L, i, 1);
  if (at > 0) return (size_t)at - 1;
  if (at == 0 || at < -(lua_Integer)length) return 0;
  return length - (size_t)-at;
}

/* memmem in windows of a text, with a check of the limits before each. A needle may be as long as a window: then its
   prefix is searched for, and the search continues after false matches. */
static const char *find_bytes(lua_State *L, const char *text, size_t length, const char *what, size_t bytes) {
  enum { WINDOW = 1 << 24, FIRST = 1 << 22 };
  size_t first = bytes < FIRST ? bytes : FIRST, skipped;
  for (; length >= bytes; text += skipped, length -= skipped) {
    limits_check(L);
    size_t window = length < WINDOW ? length : WINDOW;
    const char *found = memmem(text, window, what, first);
    bool fits = found && length - (size_t)(found - text) >= bytes;
    if (fits && memcmp(found + first, what + first, bytes - first) == 0) return found;
    skipped = found ? (size_t)(found - text) + 1 : window - first + 1;
  }
  return NULL;
}

static int find_plain(lua_State *L, const char *subject, size_t length, size_t begin, const char *what, size_t bytes) {
  limits_check(L);
  const char *found = bytes ? find_bytes(L, subject + begin, length - begin, what, bytes) : subject + begin;
  if (!found) return luaL_pushfail(L), 1;
  lua_pushinteger(L, found - subject + 1);
  lua_pushinteger(L, found - subject + (lua_Integer)bytes);
  return 2;
}

static bool is_plain(lua_State *L, const char *text, size_t length) {
  static const char magic[] = "^$*+?.([%-";
  enum { BYTES = 1 << 16 };
  for (size_t i = 0; i < length; i++) {
    if (text[i] && strchr(magic, text[i])) return false;
    if ((i + 1) % BYTES == 0) limits_check(L);
  }
  return true;
}

/* find and match differ in their results. */
static int search(lua_State *L, bool finds) {
  size_t length, bytes;
  const char *subject = luaL_checklstring(L, 1, &length), *text = luaL_checklstring(L, 2, &bytes);
  size_t begin = begin_of(L, 3, length);
  if (begin > length) return luaL_pushfail(L), 1;
  if (finds && (lua_toboolean(L, 4) || is_plain(L, text, bytes)))
    return find_plain(L, subject, length, begin, text, bytes);
  bool anchored = bytes > 0 && *text == '^';
  struct match match = {.L = L, .subject = subject, .end = subject + length};
  match.pattern = push_pattern(L, text + anchored, bytes - anchored);
  for (const char *at = subject + begin; at <= match.end; at++) {
    const char *end = pattern_match(&match, at);
    if (!end && anchored) break;
    if (!end) continue;
    if (!finds) return match_push_captures(&match, at, end);
    lua_pushinteger(L, at - subject + 1);
    lua_pushinteger(L, end - subject);
    return match_push_captures(&match, NULL, NULL) + 2;
  }
  luaL_pushfail(L);
  return 1;
}

static int find(lua_State *L) { return search(L, true); }
static int match_once(lua_State *L) { return search(L, false); }

/* Upvalues: subject, compiled pattern, next start, end of the last match (-1: none). */
static int match_next(lua_State *L) {
  size_t length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length);
  struct match match = {.L = L, .subject = subject, .end = subject + length};
  match.pattern = lua_touserdata(L, lua_upvalueindex(2));
  lua_Integer from = lua_tointeger(L, lua_upvalueindex(3)), last = lua_tointeger(L, lua_upvalueindex(4));
  limits_check(L);
  for (; from <= (lua_Integer)length; from++) {
    const char *end = pattern_match(&match, subject + from);
    if (!end || end - subject == last) continue;
    lua_pushinteger(L, end - subject);
    lua_pushvalue(L, -1);
    lua_replace(L, lua_upvalueindex(3));
    lua_replace(L, lua_upvalueindex(4));
    return match_push_captures(&match, subject + from, end);
  }
  return 0;
}

static int match_all(lua_State *L) {
  size_t length, bytes;
  luaL_checklstring(L, 1, &length);
  const char *text = luaL_checklstring(L, 2, &bytes);
  size_t begin = begin_of(L, 3, length);
  lua_settop(L, 2);
  push_pattern(L, text, bytes);
  lua_replace(L, 2);
  lua_pushinteger(L, begin > length ? (lua_Integer)length + 1 : (lua_Integer)begin);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, match_next, 4);
  return 1;
}

/* ----------------------------------------------------------------------------------------------------- substitution */

enum { SUBJECT = 1, PATTERN, REPLACEMENT, MOST };

/* Adds a text, whose bytes count as steps of the match: it may be long, and one of many. */
static void add_bytes(struct match *match, luaL_Buffer *out, const char *text, size_t length) {
  enum { PIECE = 1 << 16, BYTES_PER_STEP = 16 };
  for (size_t bytes; length; text += bytes, length -= bytes) {
    bytes = length < PIECE ? length : PIECE;
    luaL_addlstring(out, text, bytes);
    match_step(match, (int64_t)bytes / BYTES_PER_STEP);
  }
}

/* Adds the string or number on top of the stack. */
static void add_top(struct match *match, luaL_Buffer *out) {
  enum { BYTES_PER_STEP = 16 };
  size_t length;
  lua_tolstring(match->L, -1, &length);
  luaL_addvalue(out);
  match_step(match, 1 + (int64_t)length / BYTES_PER_STEP);
}

/* Adds the meaning of "%" and this byte in a replacement. */
static void add_escaped(struct match *match, luaL_Buffer *out, char byte, const char *begin, const char *end) {
  if (byte == '%') {
    luaL_addchar(out, '%');
  } else if (byte == '0') {
    add_bytes(match, out, begin, (size_t)(end - begin));
  } else if (byte >= '1' && byte <= '9') {
    match_push_capture(match, byte - '1', begin, end);
    luaL_tolstring(match->L, -1, NULL); /* a position is a number */
    lua_remove(match->L, -2);
    add_top(match, out);
  } else {
    luaL_error(match->L, "invalid use of '%%' in replacement string");
  }
}

/* Adds the text at REPLACEMENT, with "%0" to "%9" and "%%" replaced. */
static void add_text(struct match *match, luaL_Buffer *out, const char *begin, const char *end) {
  size_t length;
  const char *text = lua_tolstring(match->L, REPLACEMENT, &length), *stop = text + length;
  while (text < stop) {
    const char *percent = memchr(text, '%', (size_t)(stop - text));
    add_bytes(match, out, text, (size_t)((percent ? percent : stop) - text));
    if (!percent) break;
    char escaped = '\0';
    if (percent + 1 < stop) escaped = percent[1];
    add_escaped(match, out, escaped, begin, end);
    match_step(match, 1);
    text = percent + 2;
  }
}

static void add_value(struct match *match, luaL_Buffer *out, const char *begin, const char *end) {
  lua_State *L = match->L;
  switch (lua_type(L, REPLACEMENT)) {
  case LUA_TFUNCTION:
    lua_pushvalue(L, REPLACEMENT);
    lua_call(L, match_push_captures(match, begin, end), 1);
    break;
  case LUA_TTABLE:
    match_push_capture(match, 0, begin, end);
    lua_gettable(L, REPLACEMENT);
    break;
  default: add_text(match, out, begin, end); return;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    lua_pushlstring(L, begin, (size_t)(end - begin));
  } else if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  add_top(match, out);
}

static int substitute(lua_State *L) {
  size_t length, bytes;
  const char *subject = luaL_checklstring(L, SUBJECT, &length), *text = luaL_checklstring(L, PATTERN, &bytes);
  int type = lua_type(L, REPLACEMENT);
  bool is_value = type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE;
  if (!is_value) luaL_typeerror(L, REPLACEMENT, "string/function/table");
  lua_Integer most = luaL_optinteger(L, MOST, (lua_Integer)length + 1), done = 0;
  bool anchored = bytes > 0 && *text == '^';
  struct match match = {.L = L, .subject = subject, .end = subject + length};
  lua_settop(L, MOST);
  match.pattern = push_pattern(L, text + anchored, bytes - anchored);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  const char *at = subject, *last = NULL;
  while (done < most) {
    const char *end = pattern_match(&match, at);
    if (end && end != last) {
      done++;
      add_value(&match, &out, at, end);
      at = last = end;
    } else if (at < match.end) {
      luaL_addchar(&out, *at++);
    } else {
      break;
    }
    if (anchored) break;
  }
  add_bytes(&match, &out, at, (size_t)(match.end - at));
  luaL_pushresult(&out);
  lua_pushinteger(L, done);
  return 2;
}

/* -------------------------------------------------------------------------------------------------------------- rep */

/* A long result: units (text and separator), then the text. The result doubles, where the library copies unit by unit.
   */
static int repeat_long(lua_State *L, lua_Unsigned units) {
  enum { TEXT = 1, UNIT = 3 };
  if (lua_isnil(L, UNIT)) {
    lua_pushvalue(L, TEXT);
    lua_replace(L, UNIT);
  } else {
    lua_pushvalue(L, TEXT);
    lua_insert(L, UNIT);
    lua_concat(L, 2);
  }
  int bit = 62;
  while (!(units >> bit)) bit--;
  for (lua_pushvalue(L, UNIT); bit-- > 1;) {
    limits_check(L);
    lua_pushvalue(L, -1);
    if (units >> bit & 1) lua_pushvalue(L, UNIT);
    lua_concat(L, lua_gettop(L) - UNIT);
  }
  if (units > 1) lua_pushvalue(L, -1);
  if (units > 1 && units & 1) lua_pushvalue(L, UNIT);
  lua_pushvalue(L, TEXT);
  limits_check(L);
  lua_concat(L, lua_gettop(L) - UNIT);
  return 1;
}

/* rep(s, n, sep): the library's function, upvalue 1, except for long results, and for empty texts repeated 2^62 times.
   */
static int repeat(lua_State *L) {
  enum { LONG = 1 << 18, LONGEST = INT_MAX };
  size_t length, separator;
  limits_check(L);
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separator);
  size_t unit = length + separator;
  if (unit == 0) return lua_pushliteral(L, ""), 1;
  if (count == 1) return lua_pushvalue(L, 1), 1;
  bool is_long = count > 1 && unit < LONGEST && (size_t)count <= LONGEST / unit && (size_t)count > LONG / unit;
  lua_settop(L, 3);
  return is_long ? repeat_long(L, (lua_Unsigned)count - 1) : call_original(L);
}

const struct guard sandbox_strings[] = {{LUA_STRLIBNAME, "find", find},        {LUA_STRLIBNAME, "match", match_once},
                                        {LUA_STRLIBNAME, "gmatch", match_all}, {LUA_STRLIBNAME, "gsub", substitute},
                                        {LUA_STRLIBNAME, "rep", repeat},       {NULL, NULL, NULL}};
