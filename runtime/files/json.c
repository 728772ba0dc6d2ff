/* json.c: strings and numbers of JSON texts. */
#include "json.h"
#include "runtime/core/base/utf8.h"

#include <string.h>

/* The four digits of \uXXXX; -1: others. */
static int32_t parse_hexadecimal(char **at, const char *end) {
  int32_t code = 0;
  if (end - *at < 4) return -1;
  for (int i = 0; i < 4; i++, ++*at) {
    const char c = **at, small = (char)(c | 0x20);
    if (c >= '0' && c <= '9')
      code = code * 16 + (c - '0');
    else if (small >= 'a' && small <= 'f')
      code = code * 16 + (small - 'a' + 10);
    else
      return -1;
  }
  return code;
}

/* After \u: writes the character as UTF-8; false: no character, or the zero. */
static bool parse_unicode(char **at, const char *end, char **to) {
  int32_t code = parse_hexadecimal(at, end);
  if (code >= 0xd800 && code < 0xdc00) {
    const bool is_pair = end - *at >= 2 && (*at)[0] == '\\' && (*at)[1] == 'u';
    if (!is_pair) return false;
    *at += 2;
    const int32_t low = parse_hexadecimal(at, end);
    if (low < 0xdc00 || low >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code <= 0 || (code >= 0xdc00 && code < 0xe000)) {
    return false;
  }
  *to = utf8_write((uint32_t)code, *to);
  return true;
}

/* Reads the escape at *at; returns NULL, or what was expected. */
static const char *parse_escape(char **at, const char *end, char **to) {
  static const char escaped[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  const char *found = end - *at > 1 && (*at)[1] ? strchr(escaped, (*at)[1]) : NULL;
  const bool is_unicode = end - *at > 1 && (*at)[1] == 'u';
  *at += 1;
  if (!found && !is_unicode) return "an escape";
  *at += 1;
  if (found) *(*to)++ = meant[found - escaped];
  return found || parse_unicode(at, end, to) ? NULL : "a character other than zero";
}

const char *json_string(char **at, const char *end, const char **out, size_t *length) {
  char *to = *at;
  *out = to;
  while (*at < end && **at != '"') {
    if ((unsigned char)**at < ' ') return "no control character";
    if (**at != '\\') {
      *to++ = *(*at)++;
      continue;
    }
    const char *expected = parse_escape(at, end, &to);
    if (expected) return expected;
  }
  if (*at == end) return "the end of a string";
  ++*at;
  return *length = (size_t)(to - *out), NULL;
}

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

const char *json_number(const char *at, const char *end) {
  const char *first = at + (at < end && *at == '-'), *to = skip_digits(first, end);
  if (to == first || (*first == '0' && to > first + 1)) return at;
  if (to < end && *to == '.') {
    const char *fraction = to + 1;
    to = skip_digits(fraction, end);
    if (to == fraction) return at;
  }
  if (to < end && (*to | 0x20) == 'e') {
    const char *exponent = to + 1;
    exponent += exponent < end && (*exponent == '+' || *exponent == '-');
    to = skip_digits(exponent, end);
    if (to == exponent) return at;
  }
  return to;
}
