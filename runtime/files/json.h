/* json.h: parts of JSON texts, which formats read in place. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Moves over blanks, as JSON has them. */
static inline const char *json_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}
/* Reads a string behind its first quote, and moves *at behind its last one; what escapes stand for replaces them in the
   text, where it takes less. Returns NULL, or what was expected at *at. */
const char *json_string(char **at, const char *end, const char **out, size_t *length);
/* Returns the end of the number at `at`; `at` itself: there is none. */
const char *json_number(const char *at, const char *end);

#endif
