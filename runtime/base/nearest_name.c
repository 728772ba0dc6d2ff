/* nearest_name.c: "did you mean": the nearest of several names to one that was not found.

   The distance of two names is their Damerau-Levenshtein distance (optimal string alignment): the number of insertions,
   deletions, substitutions and swaps of neighbours. Case is ignored. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "call.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 40 };

static int smaller(int a, int b) { return a < b ? a : b; }

static bool same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static int distance(const char *a, int a_length, const char *b, int b_length) {
  int distances[LONGEST_NAME + 1][LONGEST_NAME + 1]; /* [i][j]: from the first i letters of a to the first j of b */
  for (int i = 0; i <= a_length; i++) distances[i][0] = i;
  for (int j = 0; j <= b_length; j++) distances[0][j] = j;
  for (int i = 1; i <= a_length; i++) {
    for (int j = 1; j <= b_length; j++) {
      int substituted = distances[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
      int least = smaller(substituted, smaller(distances[i - 1][j], distances[i][j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      distances[i][j] = swapped ? smaller(least, distances[i - 2][j - 2] + 1) : least;
    }
  }
  return distances[a_length][b_length];
}

/* The largest distance of a guess. More would be another word: "median" is not a misspelt "mean". */
static int max_distance(int length) { return length < 3 ? 0 : length < 8 ? 1 : 2; }

void strew_guess_name(strew_guess *guess, const char *name) {
  size_t wanted_length = guess->wanted ? strnlen(guess->wanted, LONGEST_NAME + 1) : 0, length = strlen(name);
  if (wanted_length == 0 || wanted_length > LONGEST_NAME || length > LONGEST_NAME) return;
  int limit = guess->nearest ? guess->distance : max_distance((int)wanted_length);
  int apart = distance(guess->wanted, (int)wanted_length, name, (int)length);
  if (apart > limit || (guess->nearest && apart == limit && strcmp(name, guess->nearest) >= 0)) return;
  guess->nearest = name;
  guess->distance = apart;
}

const char *hint_of_guess(const strew_guess *guess, char *text) {
  if (!guess->nearest) return NULL;
  snprintf(text, TEXT_BYTES, "did you mean '%s'?", guess->nearest);
  return text;
}
