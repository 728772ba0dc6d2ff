#define _DEFAULT_SOURCE /* struct winsize */
#include "hosting.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Returns an environment variable, or "". */
static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/* True if the locale name ("de_DE.UTF-8@euro") has this codeset. */
static bool names_utf8(const char *locale) {
  static const char *const spellings[] = {"utf-8", "utf8"};
  const char *codeset = strchr(locale, '.');
  for (size_t i = 0; codeset && i < sizeof spellings / sizeof *spellings; i++) {
    size_t length = strlen(spellings[i]), k = 0;
    while (k < length && tolower((unsigned char)codeset[1 + k]) == spellings[i][k]) k++;
    if (k == length) return true;
  }
  return false;
}

/* Uses the environment only, since a program need not have called setlocale. The first variable that is set decides. */
static bool is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (*variable(names[i])) return names_utf8(variable(names[i]));
  return false;
}

static enum terminal_style style_of(bool is_terminal) {
  const char *term = variable("TERM"), *colors = variable("COLORTERM");
  if (!is_utf8()) return TERMINAL_ASCII;
  if (!is_terminal || *variable("NO_COLOR") || !*term || strcmp(term, "dumb") == 0) return TERMINAL_BLOCKS;
  return strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0 ? TERMINAL_TRUECOLOR : TERMINAL_256;
}

struct terminal terminal_at(int descriptor) {
  struct winsize size;
  bool is_terminal = isatty(descriptor);
  struct terminal terminal = {.style = style_of(is_terminal)};
  if (is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    terminal.columns = size.ws_col;
    terminal.lines = size.ws_row;
  }
  return terminal;
}
