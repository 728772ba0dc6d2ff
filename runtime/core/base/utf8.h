/* utf8.h: characters of UTF-8. */
#ifndef STREW_UTF8_H
#define STREW_UTF8_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character at `at`, 1 to 4; 0: it is none. A byte behind the text must be readable, and no part of one. */
static inline int utf8_length(const unsigned char *at) {
  const int length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
  for (int i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  const bool is_long = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
  const bool is_beyond = (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf4 && at[1] >= 0x90);
  return is_long || is_beyond ? 0 : length;
}

/* True if all characters of a text have one byte. */
static inline bool utf8_is_ascii(const char *text, size_t length) {
  uint64_t all = 0, some;
  for (; length >= sizeof some; text += sizeof some, length -= sizeof some)
    memcpy(&some, text, sizeof some), all |= some;
  while (length) all |= (unsigned char)text[--length];
  return !(all & UINT64_C(0x8080808080808080));
}

/* True if a text is characters of UTF-8. */
static inline bool utf8_is_text(const char *text) {
  int length = 1;
  for (; *text && length; text += length) length = utf8_length((const unsigned char *)text);
  return length > 0;
}

/* Decodes a character of `length` bytes. */
static inline uint32_t utf8_decode(const unsigned char *at, int length) {
  static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = *at & first[length];
  for (int i = 1; i < length; i++) code = code << 6 | (at[i] & 0x3f);
  return code;
}

/* True for what UTF-8 has, but for the zero, which ends a text. */
static inline bool utf8_has(uint32_t code) { return code && code < 0x110000 && (code < 0xd800 || code >= 0xe000); }

/* Writes such a character; returns the byte behind it. */
static inline char *utf8_write(uint32_t code, char *to) {
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  *to++ = (char)(first[more] | code >> 6 * more);
  for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | (code >> 6 * i & 0x3f));
  return to;
}

#endif
