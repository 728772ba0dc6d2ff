#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "lua_bindings/core/hosting.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, USUAL_COLUMNS = 80 };
static const double between_drawings = 0.1; /* seconds */

static bool is_running, is_drawn;
static bool is_open;   /* the drawn line shows no fraction */
static double changed; /* time of the last drawing, or of the start */

/* True if standard error is a terminal on which a line can be erased. */
static bool can_show(void) {
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

double progress_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* While the line is drawn the terminal does not echo what is typed, which would land in it; the next prompt shows it.
   A job in the background changes no terminal. */
static void set_echo(bool has_echo) {
  static bool is_off;
  struct termios mode;
  if (has_echo != is_off) return;
  const bool is_ours = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
  if (!is_ours || tcgetattr(STDIN_FILENO, &mode) != 0 || has_echo == !!(mode.c_lflag & ECHO)) {
    is_off = false;
    return;
  }
  mode.c_lflag ^= ECHO;
  is_off = tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 && !has_echo;
}

static void erase(void) {
  set_echo(true);
  if (is_drawn) fputs("\r\033[K", stderr);
  is_running = is_drawn = is_open = false;
}

/* True if the byte begins a UTF-8 character. */
static bool is_first(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

/* Truncates the text to one line: a longer one could not be erased. Control characters become question marks. */
static void fit(char *text, int columns) {
  for (; *text; text++) {
    if (is_first(*text) && columns-- == 0) break;
    if ((unsigned char)*text < ' ' || *text == 0x7F) *text = '?';
  }
  *text = '\0';
}

static void draw(const char *doing, double done) {
  char line[LINE_BYTES], part[16] = " ...";
  int columns = terminal_at(STDERR_FILENO).columns;
  if (columns < 1) columns = USUAL_COLUMNS;
  if (done >= 0) snprintf(part, sizeof part, "  %.0f %%", done < 1 ? done * 100 : 100.0);
  snprintf(line, sizeof line, "%s", doing);
  int room = columns - 1 - (int)strlen(part);
  fit(line, room > 0 ? room : 0);
  fprintf(stderr, "\r\033[K%s%s", line, room >= 0 ? part : "");
  fflush(stderr);
  if (!is_drawn) set_echo(false);
  is_drawn = true;
  is_open = !(done >= 0);
}

static void show(const char *doing, double done) {
  static bool is_registered;
  if (!doing) {
    erase();
    return;
  }
  if (!is_registered) is_registered = atexit(erase) == 0;
  if (!is_running) changed = progress_clock();
  bool is_due = progress_clock() - changed >= between_drawings || (!(done >= 0) && !is_open);
  is_running = true;
  if (!is_due) return;
  draw(doing, done);
  changed = progress_clock();
}

static double compiling; /* seconds, so far */

double progress_seconds_compiling(void) { return compiling; }

void progress_note(void *user, const char *doing, double done) {
  static bool is_compiling;
  static double begun;
  (void)user;
  if (is_compiling) compiling += progress_clock() - begun;
  is_compiling = doing && strncmp(doing, "compiling", 9) == 0;
  begun = progress_clock();
  if (can_show()) show(doing, done);
}
