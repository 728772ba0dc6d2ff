/* line.c: the editor is readline or libedit, which share readline's interface. They are loaded when the prompt starts,
   so that neither is linked or required. SIGINT is blocked except while waiting for the terminal, so that it finds the
   editor in a state that can be left. Only this file waits: the editors get their characters from here, and nothing
   reads before input is there. */
#define _GNU_SOURCE /* ppoll */
#include "line.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

typedef char **attempt(const char *text, int start, int end);
typedef int get_character(FILE *);

/* X(result or type, name, parameters) */
#define NEEDED_CALLS(X)                                                                                                \
  X(void, rl_callback_handler_install, (const char *prompt, void (*end_line)(char *line)))                             \
  X(void, rl_callback_handler_remove, (void))                                                                          \
  X(void, rl_callback_read_char, (void))                                                                               \
  X(void, using_history, (void))                                                                                       \
  X(int, add_history, (const char *entry)) /* libedit's result; readline has none */                                   \
  X(void, clear_history, (void))
#define OTHER_CALLS(X) /* missing in some versions, or in libedit */                                                   \
  X(void, rl_deprep_terminal, (void))                                                                                  \
  X(void, rl_reset_after_signal, (void))                                                                               \
  X(int, rl_on_new_line, (void))                                                                                       \
  X(int, rl_forced_update_display, (void)) /* libedit's has no result */                                               \
  X(void, rl_free_line_state, (void))                                                                                  \
  X(void, rl_callback_sigcleanup, (void))                                                                              \
  X(int, rl_clear_pending_input, (void))                                                                               \
  X(int, rl_variable_bind, (const char *name, const char *value))
#define OTHER_VARIABLES(X)                                                                                             \
  X(const char *, rl_basic_quote_characters)                                                                           \
  X(int, rl_eof_found)
#define VARIABLES(X)                                                                                                   \
  X(char *, rl_line_buffer)                                                                                            \
  X(int, rl_end)                                                                                                       \
  X(const char *, rl_readline_name)                                                                                    \
  X(const char *, rl_basic_word_break_characters)                                                                      \
  X(const char *, rl_completer_word_break_characters)                                                                  \
  X(attempt *, rl_attempted_completion_function)                                                                       \
  X(int, rl_attempted_completion_over)                                                                                 \
  X(int, rl_completion_append_character)                                                                               \
  X(int, rl_catch_signals)                                                                                             \
  X(get_character *, rl_getc_function)

static struct {
  bool is_there, is_readline;
#define CALL(type, name, parameters) type(*name) parameters;
#define VARIABLE(type, name)         type *name;
  NEEDED_CALLS(CALL)
  OTHER_CALLS(CALL)
  VARIABLES(VARIABLE)
  OTHER_VARIABLES(VARIABLE)
} editor;

static line_completer *completer;
static volatile sig_atomic_t interrupted, continued;

/* ---------------------------------------------------------------------------------------------------- what is typed */

static void note(int signal_number) {
  if (signal_number == SIGINT)
    interrupted = 1;
  else
    continued = 1;
}

static const int noted[] = {SIGINT, SIGCONT};
enum { NOTED = sizeof noted / sizeof *noted };

/* The signal settings from before a line is read. */
static struct {
  struct sigaction actions[NOTED];
  sigset_t mask;
} before;

static void note_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note; /* without SA_RESTART, so that it ends the wait */
  sigemptyset(&action.sa_mask);
  interrupted = continued = 0;
  for (int i = 0; i < NOTED; i++) sigaction(noted[i], &action, &before.actions[i]);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int i = 0; i < NOTED; i++) sigaddset(&blocked, noted[i]);
  sigprocmask(SIG_BLOCK, &blocked, &before.mask);
}

static void restore_signals(void) {
  sigprocmask(SIG_SETMASK, &before.mask, NULL);
  for (int i = 0; i < NOTED; i++) sigaction(noted[i], &before.actions[i], NULL);
}

/* Waits for input or a signal. Returns false if the terminal is gone. (If both are there, ppoll reports the input: it
   follows Ctrl-C, which discards earlier input.) */
static bool await_input(bool *is_there) {
  struct pollfd in = {STDIN_FILENO, POLLIN, 0};
  sigset_t blocked;
  *is_there = ppoll(&in, 1, NULL, &before.mask) > 0;
  if (!*is_there) return errno == EINTR;
  sigprocmask(SIG_SETMASK, &before.mask, &blocked);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  *is_there = !interrupted;
  return true;
}

/* The terminal opened again, for non-blocking reads: Ctrl-C discards input even after ppoll reported it. (stdin itself
   cannot be made non-blocking: stdout often shares its state. If the terminal cannot be opened by name, a read may wait
   for one more key.) */
static int keys = -1;

static void open_keys(void) {
  const char *name = keys < 0 ? ttyname(STDIN_FILENO) : NULL;
  if (name) keys = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (keys < 0) keys = STDIN_FILENO;
}

/* Reads the next bytes; 0: a signal came first, or the terminal is gone. */
static size_t read_keys(char *bytes, size_t n) {
  bool is_there;
  while (await_input(&is_there) && !interrupted && !continued) {
    ssize_t got = is_there ? read(keys, bytes, n) : -1;
    if (got >= 0) return (size_t)got;
    if (is_there && errno != EINTR && errno != EAGAIN) break;
  }
  return 0;
}

static bool is_over;  /* the end of input */
static bool is_woken; /* readline was interrupted while it waited for a character */

/* At the end of its input readline ends the line and forgets to end a paste: a signal reaches it as NUL, which goes
   with the line or does nothing, and the end of input only reaches editors that continue. */
static int no_character(void) {
  is_over = !interrupted && !continued;
  if (is_over || !editor.is_readline || is_woken) return EOF;
  is_woken = true;
  return '\0';
}

/* The editors' character function: readline takes bytes, libedit wide characters. */
static int read_character(FILE *stream) {
  mbstate_t state;
  char byte;
  wchar_t wide;
  (void)stream;
  memset(&state, 0, sizeof state);
  while (read_keys(&byte, 1) == 1) {
    is_woken = false;
    if (editor.is_readline) return (unsigned char)byte;
    for (int turn = 0; turn < 2; turn++) {
      size_t n = mbrtowc(&wide, &byte, 1, &state);
      if (n <= 1) return (int)wide;
      if (n != (size_t)-1) break;
      memset(&state, 0, sizeof state); /* the bytes before are no character, but this one may begin one */
    }
  }
  return no_character();
}

/* ---------------------------------------------------------------------------------------------------- the libraries */

static bool look_up(void *library) {
  bool is_whole = true;
#define LOOK_UP(type, name, ...)     *(void **)&editor.name = dlsym(library, #name);
#define REQUIRE(type, name, ...)     LOOK_UP(type, name, ) is_whole = is_whole && editor.name;
#define LOOK_UP_VARIABLE(type, name) LOOK_UP(type, name, )
#define REQUIRE_VARIABLE(type, name) REQUIRE(type, name, )
  NEEDED_CALLS(REQUIRE)
  VARIABLES(REQUIRE_VARIABLE)
  OTHER_CALLS(LOOK_UP)
  OTHER_VARIABLES(LOOK_UP_VARIABLE)
  return is_whole;
}

static bool load(const char *const names[2]) {
  void *library = NULL;
  for (int i = 0; i < 2 && !library; i++) library = dlopen(names[i], RTLD_NOW);
  return library && look_up(library);
}

/* libedit remembers for good where its first line was, and writes a zero after the end of lines there, although a
   longer line moves. So its buffer is large enough (an entry of the history or killed text may come at once), and the
   line is read from there as long as no line has moved. */
static struct {
  char *text; /* NULL: a line has moved */
  char *room;
  size_t size_bytes;
} place;

/* Called before each character. Returns false if out of memory. */
static bool make_room(void) {
  enum { FIRST_PLACE = 1000, MOST_AT_ONCE = 1 << 20 };
  if (editor.is_readline) return true;
  size_t length = (size_t)*editor.rl_end, needed = 2 * length + MOST_AT_ONCE;
  if (length > FIRST_PLACE) place.text = NULL;
  if (needed > place.size_bytes) {
    char *grown = realloc(place.room, 2 * needed);
    if (!grown) return false;
    place.room = grown;
    place.size_bytes = 2 * needed;
  }
  *editor.rl_line_buffer = place.room;
  return true;
}

/* Completes the word at the cursor. It begins where the library thinks; the completions need not begin there. */
static char **attempt_completion(const char *text, int start, int end) {
  const char *line = editor.is_readline ? *editor.rl_line_buffer : place.text;
  (void)text;
  *editor.rl_attempted_completion_over = 1; /* no file names instead of these completions */
  *editor.rl_completion_append_character = '\0';
  return !line || start < 0 || end < start ? NULL : completer(line, (size_t)start, (size_t)end);
}

static void set_up(void) {
  static const char breaks[] = " \t\n\"\\'`@$><=;|&{}()[].:,+-*/%^#~!?";
  setlocale(LC_CTYPE, ""); /* letters of more than one byte */
  *editor.rl_readline_name = "strew";
  *editor.rl_catch_signals = 0;
  *editor.rl_getc_function = read_character; /* libedit reads it once, below */
  editor.using_history();                    /* libedit sets its variables here, so it comes first */
  place.text = *editor.rl_line_buffer;
  *editor.rl_basic_word_break_characters = breaks;
  if (editor.rl_basic_quote_characters) *editor.rl_basic_quote_characters = ""; /* or readline would close strings */
  *editor.rl_completer_word_break_characters = breaks;
  *editor.rl_attempted_completion_function = attempt_completion;
  if (editor.is_readline && editor.rl_variable_bind) editor.rl_variable_bind("page-completions", "off");
}

const char *line_open(line_completer *complete) {
  static const struct {
    const char *word, *names[2], *absent;
  } libraries[] = {
      {"readline", {"libreadline.so.8", "libreadline.so"}, "libreadline.so.8 was not found (Debian: libreadline8)"},
      {"edit", {"libedit.so.2", "libedit.so.0"}, "libedit.so.2 was not found (Debian: libedit2)"}};
  const char *wanted = getenv("STREW_EDITOR"), *trouble = NULL;
  if (wanted && !*wanted) wanted = NULL;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || (wanted && strcmp(wanted, "none") == 0)) return NULL;
  completer = complete;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !editor.is_there; i++) {
    if (wanted && strcmp(wanted, libraries[i].word) != 0) continue;
    editor.is_there = load(libraries[i].names);
    editor.is_readline = i == 0;
    if (!editor.is_there) trouble = libraries[i].absent;
  }
  if (editor.is_there) return set_up(), NULL;
  if (wanted) return trouble ? trouble : "$STREW_EDITOR is none of readline, edit, none";
  return "neither libreadline.so.8 nor libedit.so.2 is there (Debian: libreadline8)";
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Returns the end of what a key like Up or F1 sends, which begins with Escape: ESC [ numbers letter, ESC O letter, or
   ESC and one byte of ASCII, for Alt. */
static const char *end_of_key(const char *at) {
  if (*++at == '[')
    for (at++; *at >= ' ' && *at < '@';) at++;
  else if (*at == 'O')
    at++;
  return *at && (unsigned char)*at < 0x80 ? at + 1 : at;
}

/* Removes keys that only an editor understands. Lua would take a text that begins with Escape for bytecode. */
static void drop_keys(char *line) {
  char *to = line;
  for (const char *at = line; *at;)
    if (*at == '\033')
      at = end_of_key(at);
    else
      *to++ = *at++;
  *to = '\0';
}

/* Reads a line from a terminal without an editor. */
static line_got read_terminal(const char *prompt, char **line) {
  enum { STEP = 4096 };
  size_t length = 0;
  for (char *grown; (grown = realloc(*line, length + STEP + 1)) != NULL;) {
    *line = grown;
    size_t n = read_keys(grown + length, STEP);
    if (n == 0 && continued) {
      continued = 0;
      fputs(prompt, stdout);
      fflush(stdout);
      continue;
    }
    if (interrupted) {
      putchar('\n');
      return LINE_INTERRUPTED;
    }
    length += n;
    if (n > 0 && grown[length - 1] != '\n') continue;
    if (length == 0) break;
    grown[length - (n > 0)] = '\0';
    drop_keys(grown);
    return LINE_TYPED;
  }
  return LINE_END;
}

/* Reads a line of a file or pipe; scripts read from it, too. */
static line_got read_plain(char **line) {
  size_t capacity = 0;
  ssize_t n = getline(line, &capacity, stdin);
  if (n < 0) return LINE_END;
  if ((*line)[n - 1] == '\n') (*line)[n - 1] = '\0';
  return LINE_TYPED;
}

static char *ended_line; /* the editor's line; NULL: end of input */
static bool is_ended;

static void end_line(char *line) {
  ended_line = line;
  is_ended = true;
  editor.rl_callback_handler_remove();
}

/* Discards the line after Ctrl-C; libedit may have ended it already, when it wanted one more character. */
static void drop_line(void) {
  if (is_ended) {
    free(ended_line);
  } else {
    if (editor.rl_free_line_state) editor.rl_free_line_state();
    if (editor.rl_callback_sigcleanup) editor.rl_callback_sigcleanup();
    if (editor.rl_clear_pending_input) editor.rl_clear_pending_input();
  }
  fputs("^C\n", stdout); /* at the cursor: when it ends a line, the editor returns to its first column */
  fflush(stdout);
  if (!is_ended) editor.rl_callback_handler_remove();
}

/* Redraws after Ctrl-Z and fg: the terminal is as the shell left it. (Editors do not prepare a terminal twice.) */
static void show_again(const char *prompt) {
  continued = 0;
  if (editor.rl_deprep_terminal && editor.rl_reset_after_signal && editor.rl_on_new_line &&
      editor.rl_forced_update_display) {
    editor.rl_deprep_terminal();
    editor.rl_reset_after_signal();
    editor.rl_on_new_line();
    editor.rl_forced_update_display();
  } else {
    editor.rl_callback_handler_remove();
    editor.rl_callback_handler_install(prompt, end_line);
  }
}

static line_got read_edited(const char *prompt, char **line) {
  is_ended = is_over = is_woken = false;
  if (editor.rl_eof_found) *editor.rl_eof_found = 0; /* readline 8.2 would end each later line with an empty one */
  editor.rl_callback_handler_install(prompt, end_line);
  while (!is_ended && !interrupted) {
    bool is_there;
    if (!await_input(&is_there) || (is_there && !make_room())) is_over = true;
    if (is_there && !is_over) editor.rl_callback_read_char();
    if (is_over && !is_ended) end_line(NULL);
    if (continued && !is_ended) show_again(prompt);
  }
  if (interrupted) {
    drop_line();
    return LINE_INTERRUPTED;
  }
  *line = ended_line;
  return ended_line ? LINE_TYPED : LINE_END;
}

line_got line_read(const char *prompt, char **line) {
  line_got what;
  *line = NULL;
  bool is_typed = isatty(STDIN_FILENO);
  if (is_typed) open_keys(), note_signals(); /* first, since Ctrl-C is possible once the prompt is visible */
  if (!editor.is_there) fputs(prompt, stdout);
  fflush(stdout);
  if (!is_typed) {
    what = read_plain(line);
  } else {
    what = editor.is_there ? read_edited(prompt, line) : read_terminal(prompt, line);
    restore_signals();
  }
  if (what == LINE_TYPED) return what;
  free(*line);
  *line = NULL;
  return what;
}

/* Without echo, each key at once; Ctrl-C still is a signal. Again after Ctrl-Z and fg: a shell changes the mode. */
bool line_key(const char *prompt, char *key) {
  struct termios usual, plain;
  size_t n = 0;
  if (tcgetattr(STDIN_FILENO, &usual) != 0) return false;
  plain = usual;
  plain.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  plain.c_cc[VMIN] = 1, plain.c_cc[VTIME] = 0;
  open_keys();
  note_signals();
  do {
    continued = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &plain);
    printf("\r%s", prompt);
    fflush(stdout);
    n = read_keys(key, LINE_KEY_BYTES - 1);
  } while (n == 0 && continued && !interrupted);
  key[n] = '\0';
  tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
  bool is_key = n > 0 && !interrupted;
  restore_signals();
  printf("\r%*s\r", (int)strlen(prompt), "");
  fflush(stdout);
  return is_key;
}

bool line_has_input(void) {
  struct pollfd in = {STDIN_FILENO, POLLIN, 0};
  return poll(&in, 1, 0) > 0 && in.revents & POLLIN;
}

bool line_waits(void) {
  bool has_brackets = editor.is_there && editor.is_readline; /* readline distinguishes a paste from typed-ahead input */
  return !has_brackets && isatty(STDIN_FILENO) && line_has_input();
}

void line_history(const char *const *entries, size_t count) {
  if (!editor.is_there) return;
  editor.clear_history();
  for (size_t i = 0; i < count; i++) editor.add_history(entries[i]);
}
