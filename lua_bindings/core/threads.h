/* threads.h: a number of threads as text, $STREW_THREADS or --threads, for the module and the program. (Inline: the
   program uses none of the library's private functions.) */
#ifndef STREW_THREADS_H
#define STREW_THREADS_H

#include "strew.h"

#include <stdbool.h>
#include <stdlib.h>

/* What a message says of another text. */
#define THREADS_EXPECTED "expected a whole number in 1..256"
_Static_assert(STREW_MAX_THREADS == 256, "THREADS_EXPECTED names it");

/* Digits alone: strtol would take blanks and signs as well. */
static inline bool threads_of_text(const char *text, int *threads) {
  char *end;
  if (text[0] < '0' || text[0] > '9') return false;
  long number = strtol(text, &end, 10);
  if (*end || number < 1 || number > STREW_MAX_THREADS) return false;
  *threads = (int)number;
  return true;
}

#endif
