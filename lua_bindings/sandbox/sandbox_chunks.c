/* sandbox_chunks.c: the functions of Lua's string and utf8 libraries that process a long text byte by byte. A long text
   goes to the library's own function in chunks, with a check of the limits before each. For short arguments a guard
   calls the library's function, its upvalue 1, directly: at no cost, and with the same messages. */
#include "script_limits.h"

#include <ctype.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

void limits_add(lua_State *L, luaL_Buffer *to, const char *text, size_t length) {
  for (size_t bytes; length; text += bytes, length -= bytes) {
    bytes = length < CHUNK ? length : CHUNK;
    limits_check(L);
    luaL_addlstring(to, text, bytes);
  }
}

static bool is_long(lua_State *L, int i) { return lua_type(L, i) == LUA_TSTRING && lua_rawlen(L, i) > CHUNK; }

/* ------------------------------------------------------------------------------------------- upper, lower, reverse */

/* Adds the result of the library's function for a text. */
static void add_result(lua_State *L, luaL_Buffer *to, const char *text, size_t length) {
  limits_check(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushlstring(L, text, length);
  lua_call(L, 1, 1);
  luaL_addvalue(to);
}

static int change(lua_State *L, bool backwards) {
  if (!is_long(L, 1)) return call_original(L);
  size_t length, bytes;
  const char *text = lua_tolstring(L, 1, &length);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (size_t done = 0; done < length; done += bytes) {
    bytes = length - done < CHUNK ? length - done : CHUNK;
    add_result(L, &out, backwards ? text + length - done - bytes : text + done, bytes);
  }
  luaL_pushresult(&out);
  return 1;
}

static int change_letters(lua_State *L) { return change(L, false); }
static int reverse(lua_State *L) { return change(L, true); }

/* ----------------------------------------------------------------------------------------------------------- format */

/* Returns the length of the next chunk to quote with "%q". A control character is written with all its digits if a
   digit follows, so no chunk ends between the two. */
static size_t quoted_chunk(const char *text, size_t length) {
  if (length <= CHUNK) return length;
  size_t bytes = CHUNK;
  while (bytes > 1 && iscntrl((unsigned char)text[bytes - 1]) && isdigit((unsigned char)text[bytes])) bytes--;
  return bytes;
}

/* Adds a long text in the format "%q": each chunk without its quotes. */
static void add_quoted(lua_State *L, luaL_Buffer *to, const char *text, size_t length) {
  size_t bytes, quoted;
  luaL_addchar(to, '"');
  for (; length; text += bytes, length -= bytes) {
    bytes = quoted_chunk(text, length);
    limits_check(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushliteral(L, "%q");
    lua_pushlstring(L, text, bytes);
    lua_call(L, 2, 1);
    const char *chunk = lua_tolstring(L, -1, &quoted);
    lua_pushlstring(L, chunk + 1, quoted - 2);
    lua_remove(L, -2);
    luaL_addvalue(to);
  }
  luaL_addchar(to, '"');
}

/* Argument i of a conversion must not become an address. */
static void hide_address(lua_State *L, char letter, int i) {
  if (letter == 's') sandbox_hide_address(L, i);
  if (letter == 'p' && lua_topointer(L, i))
    luaL_argerror(L, i, "'%p' writes an address, which a sandbox does not show: use %s");
}

/* Adds argument i in the format of the conversion. */
static void add_converted(lua_State *L, luaL_Buffer *to, const char *conversion, size_t length, int i) {
  size_t bytes;
  hide_address(L, conversion[length - 1], i);
  const char *text = is_long(L, i) ? lua_tolstring(L, i, &bytes) : NULL;
  if (text && length == 2 && conversion[1] == 's') {
    limits_add(L, to, text, bytes);
  } else if (text && length == 2 && conversion[1] == 'q') {
    add_quoted(L, to, text, bytes);
  } else {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushlstring(L, conversion, length);
    lua_pushvalue(L, i);
    lua_call(L, 2, 1);
    luaL_addvalue(to);
  }
}

/* Returns the length of the conversion at `at`: flags, width, precision and letter. */
static size_t conversion_bytes(const char *at, const char *end) {
  const char *p = at + 1;
  while (p < end && *p && strchr("-+ #0123456789.", *p)) p++;
  return (size_t)((p < end ? p + 1 : p) - at);
}

/* Formats conversion by conversion, and copies the text between them in chunks. */
static int format_long(lua_State *L, int arguments) {
  size_t length, step;
  const char *text = lua_tolstring(L, 1, &length), *end = text + length;
  int i = 1;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (int64_t items = 0; text < end; text += step, items++) {
    const char *percent = memchr(text, '%', (size_t)(end - text));
    step = (size_t)((percent ? percent : end) - text);
    limits_add(L, &out, text, step);
    if (!percent) break;
    if (step) continue;
    if (items % 1024 == 0) limits_check(L);
    step = percent + 1 < end && percent[1] == '%' ? 2 : conversion_bytes(percent, end);
    if (step == 2 && percent[1] == '%')
      luaL_addchar(&out, '%');
    else if (++i > arguments)
      return luaL_argerror(L, i, "no value");
    else
      add_converted(L, &out, percent, step, i);
  }
  luaL_pushresult(&out);
  return 1;
}

/* Hides the addresses of all arguments. */
static void hide_addresses(lua_State *L, int arguments) {
  size_t length, step;
  const char *at = lua_tolstring(L, 1, &length), *end = at + length;
  for (int i = 1; (at = memchr(at, '%', (size_t)(end - at))) != NULL; at += step) {
    const bool is_percent = at + 1 < end && at[1] == '%';
    step = is_percent ? 2 : conversion_bytes(at, end);
    if (!is_percent && ++i <= arguments) hide_address(L, at[step - 1], i);
  }
}

static int format(lua_State *L) {
  int arguments = lua_gettop(L), i = 1;
  while (i <= arguments && !is_long(L, i)) i++;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (i <= arguments && lua_type(L, 1) == LUA_TSTRING) return format_long(L, arguments);
  if (lua_type(L, 1) == LUA_TSTRING) hide_addresses(L, arguments);
  return call_original(L);
}

/* ------------------------------------------------------------------------------------- formats of other functions */

/* Refuses long formats of pack, packsize, unpack and date, which have no use. */
static int with_short_format(lua_State *L) {
  luaL_argcheck(L, !is_long(L, 1), 1, "format is too long for a sandbox");
  return call_original(L);
}

/* "c" with a size pads a text with zeros, one by one. */
static int pack(lua_State *L) {
  static const char without_value[] = "0123456789!<>= x";
  luaL_argcheck(L, !is_long(L, 1), 1, "format is too long for a sandbox");
  const char *text = lua_tostring(L, 1);
  for (int i = 1; text && *text; text++) {
    if (*text == 'X' && text[1])
      text++; /* aligns for the next option, which takes no value */
    else if (!strchr(without_value, *text))
      i++;
    if (*text != 'c') continue;
    bool is_filled = strtoull(text + 1, NULL, 10) > lua_rawlen(L, i) + CHUNK;
    luaL_argcheck(L, lua_type(L, i) != LUA_TSTRING || !is_filled, i, "text is too short for its size in a sandbox");
  }
  return call_original(L);
}

/* ------------------------------------------------------------------------------------------------------------- utf8 */

static bool continues(char byte) { return (byte & 0xc0) == 0x80; }

/* Calls the library's function with the text, two numbers and the argument at 4. */
static void call_between(lua_State *L, lua_Integer a, lua_Integer b, int results) {
  limits_check(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushinteger(L, a);
  lua_pushinteger(L, b);
  lua_pushvalue(L, 4);
  lua_call(L, 4, results);
}

/* Returns the last byte of the chunk that begins at byte `begin`, counted from 1; no chunk ends within a character. */
static lua_Integer end_of_chunk(const char *text, lua_Integer begin, lua_Integer last) {
  enum { LONGEST = 6 };
  lua_Integer end = begin + CHUNK;
  if (end >= last) return last;
  for (int i = 0; i < LONGEST && end < last && continues(text[end]); i++) end++;
  return end;
}

/* len(s, i = 1, j = -1, lax) */
static int count_characters(lua_State *L) {
  if (!is_long(L, 1)) return call_original(L);
  lua_Integer length = (lua_Integer)lua_rawlen(L, 1), begin = luaL_optinteger(L, 2, 1),
              last = luaL_optinteger(L, 3, -1);
  if (begin < 0) begin = -begin > length ? 0 : length + begin + 1;
  if (last < 0) last = -last > length ? 0 : length + last + 1;
  if (begin < 1 || last > length || last - begin <= CHUNK) return call_original(L);
  lua_Integer count = 0;
  lua_settop(L, 4);
  for (lua_Integer end; begin <= last; begin = end + 1) {
    end = end_of_chunk(lua_tostring(L, 1), begin, last);
    call_between(L, begin, end, 2);
    if (lua_isnil(L, -2)) return 2; /* and the position of an invalid character */
    count += lua_tointeger(L, -2);
    lua_pop(L, 2);
  }
  lua_pushinteger(L, count);
  return 1;
}

/* offset(s, n, i): by a limited number of characters at a time. */
static int offset(lua_State *L) {
  if (!is_long(L, 1) || lua_type(L, 2) != LUA_TNUMBER) return call_original(L);
  lua_Integer n = luaL_checkinteger(L, 2), length = (lua_Integer)lua_rawlen(L, 1);
  lua_Integer at = luaL_optinteger(L, 3, n > 0 ? 1 : length + 1);
  lua_settop(L, 3);
  lua_pushnil(L);
  while (n > CHUNK || n < -CHUNK) {
    lua_Integer step = n > 0 ? CHUNK : -CHUNK;
    call_between(L, n > 0 ? step + 1 : step, at, 1);
    if (lua_isnil(L, -1)) return 1;
    at = lua_tointeger(L, -1);
    n -= step;
    lua_pop(L, 1);
  }
  call_between(L, n, at, 1);
  return 1;
}

/* ---------------------------------------------------------------------------------------------------------- opening */

void sandbox_guard_chunks(lua_State *L) {
  static const luaL_Reg of_string[] = {{"upper", change_letters},
                                       {"lower", change_letters},
                                       {"reverse", reverse},
                                       {"format", format},
                                       {"pack", pack},
                                       {"packsize", with_short_format},
                                       {"unpack", with_short_format},
                                       {NULL, NULL}};
  static const luaL_Reg of_utf8[] = {{"len", count_characters}, {"offset", offset}, {NULL, NULL}};
  static const luaL_Reg of_os[] = {{"date", with_short_format}, {NULL, NULL}};
  sandbox_guard(L, LUA_STRLIBNAME, of_string);
  sandbox_guard(L, LUA_UTF8LIBNAME, of_utf8);
  sandbox_guard(L, LUA_OSLIBNAME, of_os);
}
