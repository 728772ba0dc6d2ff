/* driver.c: usage: driver PROGRAM SESSION...
   Drives the program through a pseudo-terminal, by the commands of SESSION, one a line:

     run [NAME=VALUE...] [ARGUMENT...]   starts the program at a terminal of 80 x 24
     type TEXT                           types it; \r is Enter, \t Tab, \e Escape, \003 Ctrl-C, \\ a backslash
     enter TEXT                          waits for a prompt, "> " or ">> ", and types TEXT and Enter
     press TEXT                          the same without Enter
     show TEXT                           waits until the terminal shows it, after the text of the last wait
     not TEXT                            fails if it was shown between the last two `show`
     pause [MS]                          waits 10 ms, or MS
     size COLUMNS LINES                  resizes the window
     signal NUMBER                       sends it to the program
     cooked                              sets the terminal's mode as a shell leaves it
     end [STATUS]                        waits for the program's end, with that exit status (else 0)

   Lines that begin with # describe the next ones. Texts are compared without the terminal's control sequences and
   carriage returns. Times are not measured; a wait ends after three minutes. On failure it prints the command and all
   output of the terminal; exit status 1. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_SHOWN = 1 << 22, PATIENCE_MS = 180000, ECHO_MS = 1000, MOST_ARGUMENTS = 32 };

static const char *program;
static pid_t child;
static int terminal = -1;
static char shown[LONGEST_SHOWN];   /* output of the terminal, without control sequences */
static size_t length, seen, before; /* its length; the ends of the matches of the last two `show` */
static size_t typed;                /* its length when the last text was typed */
static const char *topic = "";

/* --------------------------------------------------------------------------------------------------------- terminal */

/* State in a control sequence: outside, after ESC, in "ESC [ ...", in "ESC ] ..." */
static enum { TEXT, ESCAPE, SEQUENCE, COMMAND } state;

static void take(char c) {
  switch (state) {
  case ESCAPE: state = c == '[' ? SEQUENCE : c == ']' ? COMMAND : TEXT; return;
  case SEQUENCE:
    if (c >= '@' && c <= '~') state = TEXT;
    return;
  case COMMAND:
    if (c == '\a' || c == '\\') state = TEXT;
    return;
  default: break;
  }
  if (c == '\033') {
    state = ESCAPE;
  } else if (c != '\r' && c != '\a' && length < LONGEST_SHOWN - 1) {
    shown[length++] = c;
    shown[length] = '\0';
  }
}

/* Reads the available output, waiting up to this time. False: the terminal is closed. */
static bool read_some(int wait_ms) {
  char bytes[4096];
  struct pollfd in = {terminal, POLLIN, 0};
  if (poll(&in, 1, wait_ms) <= 0) return true;
  ssize_t n = read(terminal, bytes, sizeof bytes);
  for (ssize_t i = 0; i < n; i++) take(bytes[i]);
  return n > 0;
}

static long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000L + time.tv_nsec / 1000000L;
}

static bool start(char **arguments, int columns, int lines) {
  terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return false;
  struct winsize size = {.ws_row = (unsigned short)lines, .ws_col = (unsigned short)columns};
  ioctl(terminal, TIOCSWINSZ, &size);
  const char *name = ptsname(terminal);
  child = fork();
  if (child != 0) return child > 0;
  setsid();
  int end = open(name, O_RDWR); /* becomes the controlling terminal */
  ioctl(end, TIOCSCTTY, 0);
  for (int i = 0; i < 3; i++) dup2(end, i);
  if (end > 2) close(end);
  int i = 1;
  while (arguments[i] && strchr(arguments[i], '=')) putenv(arguments[i++]);
  arguments[--i] = (char *)(size_t)program;
  execv(program, arguments + i);
  _exit(127);
}

/* ------------------------------------------------------------------------------------------------------ the session */

/* In place: \r, \n, \t, \e, \NNN, \\. */
static void unescape(char *text) {
  char *to = text;
  for (; *text; text++) {
    if (*text != '\\') {
      *to++ = *text;
      continue;
    }
    switch (*++text) {
    case 'r': *to++ = '\r'; break;
    case 'n': *to++ = '\n'; break;
    case 't': *to++ = '\t'; break;
    case 'e': *to++ = '\033'; break;
    case '\\': *to++ = '\\'; break;
    default: *to++ = (char)strtol((char[]){text[0], text[1], text[2], '\0'}, NULL, 8); text += 2;
    }
  }
  *to = '\0';
}

static bool type(const char *text) {
  size_t left = strlen(text);
  typed = length;
  while (left > 0) {
    ssize_t n = write(terminal, text, left);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text += n, left -= (size_t)n;
    read_some(0);
  }
  return true;
}

static bool show(const char *text) {
  long deadline = now_ms() + PATIENCE_MS;
  const char *found;
  while ((found = strstr(shown + seen, text)) == NULL) {
    if (now_ms() > deadline) return false;
    if (!read_some(50) && !strstr(shown + seen, text)) return false;
  }
  before = seen;
  seen = (size_t)(found - shown) + strlen(text);
  return true;
}

/* True if a prompt is the last output, and no more follows. (What was typed is echoed first, on a busy machine late;
   not all of it is.) */
static bool await_prompt(void) {
  static const char prompt[] = "> ";
  size_t n = sizeof prompt - 1;
  long start_ms = now_ms(), deadline = start_ms + PATIENCE_MS;
  while (now_ms() < deadline) {
    size_t had = length;
    if (!read_some(30)) return false;
    bool is_quiet = length == had && (length > typed || now_ms() - start_ms > ECHO_MS);
    if (is_quiet && length >= n && memcmp(shown + length - n, prompt, n) == 0) return true;
  }
  return false;
}

static bool was_not_shown(const char *text) {
  const char *found = strstr(shown + before, text);
  return !found || found >= shown + seen;
}

/* The end: the exit status, or 128 + a signal's number; -1: the program did not end. */
static int finish(void) {
  long deadline = now_ms() + PATIENCE_MS;
  int status;
  while (now_ms() < deadline) {
    bool is_open = read_some(50);
    if (waitpid(child, &status, is_open ? WNOHANG : 0) != child) continue;
    while (read_some(0) && poll(&(struct pollfd){terminal, POLLIN, 0}, 1, 0) > 0) continue;
    close(terminal);
    terminal = -1;
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return -1;
}

static bool cook(void) {
  struct termios mode;
  if (tcgetattr(terminal, &mode) != 0) return false;
  mode.c_iflag |= ICRNL;
  mode.c_lflag |= ICANON | ECHO | ISIG;
  return tcsetattr(terminal, TCSANOW, &mode) == 0;
}

static bool run(char *text) {
  static char *arguments[MOST_ARGUMENTS];
  int n = 1;
  for (char *word = strtok(text, " "); word && n < MOST_ARGUMENTS - 1; word = strtok(NULL, " ")) arguments[n++] = word;
  arguments[n] = NULL;
  length = seen = before = typed = 0;
  shown[0] = '\0';
  state = TEXT;
  return start(arguments, 80, 24);
}

static bool obey(char *line) {
  char *rest = line + strcspn(line, " ");
  if (*rest) *rest++ = '\0';
  if (strcmp(line, "run") == 0) return run(rest);
  if (child <= 0) return false;
  if (strcmp(line, "end") == 0) return finish() == atoi(rest);
  if (strcmp(line, "pause") == 0) {
    const long ms = *rest ? strtol(rest, NULL, 10) : 10;
    return nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL) == 0;
  }
  if (strcmp(line, "signal") == 0) return kill(child, atoi(rest)) == 0;
  if (strcmp(line, "cooked") == 0) return cook();
  if (strcmp(line, "size") == 0) {
    struct winsize size = {0};
    char *end;
    size.ws_col = (unsigned short)strtol(rest, &end, 10);
    size.ws_row = (unsigned short)strtol(end, NULL, 10);
    return ioctl(terminal, TIOCSWINSZ, &size) == 0;
  }
  unescape(rest);
  if (strcmp(line, "type") == 0) return type(rest);
  if (strcmp(line, "enter") == 0) return await_prompt() && type(rest) && type("\r");
  if (strcmp(line, "press") == 0) return await_prompt() && type(rest);
  if (strcmp(line, "show") == 0) return show(rest);
  return strcmp(line, "not") == 0 && was_not_shown(rest);
}

static void stop_child(void) {
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  if (terminal >= 0) close(terminal);
  child = 0;
  terminal = -1;
}

static bool play(const char *path) {
  static char line[65536], copy[65536], last_topic[65536];
  FILE *file = fopen(path, "r");
  bool ok = file != NULL;
  for (int number = 1; ok && fgets(line, sizeof line, file); number++) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#') {
      strcpy(last_topic, line + 1);
      topic = last_topic;
    }
    if (line[0] == '#' || line[0] == '\0') continue;
    strcpy(copy, line);
    ok = obey(copy);
    if (!ok) fprintf(stderr, "%s:%d:%s: failed: %s\n---- shown:\n%s\n----\n", path, number, topic, line, shown);
  }
  if (!file) perror(path);
  if (file) fclose(file);
  stop_child();
  return ok;
}

int main(int argc, char **argv) {
  int failed = 0;
  program = argc > 1 ? argv[1] : "";
  for (int i = 2; i < argc; i++) failed += !play(argv[i]);
  return failed > 0;
}
