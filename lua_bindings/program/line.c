/* line.c: the editor is readline. It is loaded when the prompt starts, so that it is neither linked nor required. SIGINT
   is blocked except while waiting for the terminal, so that it finds the editor in a state that can be left. Only this
   file waits: the editor gets its characters from here, and nothing reads before input is there. */
#define _GNU_SOURCE /* ppoll */
#include "prompt.h"

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

typedef char **attempt(const char *text, int start, int end);
typedef int get_character(FILE *);
typedef char *next_match(const char *text, int state);
struct recalled {
  char *line, *time;
  void *changes;
};

/* X(name, result, parameters) */
#define CALLS(X)                                                                                                       \
  X(rl_callback_handler_install, void, (const char *prompt, void (*end_line)(char *line)))                             \
  X(rl_callback_handler_remove, void, (void))                                                                          \
  X(rl_callback_read_char, void, (void))                                                                               \
  X(rl_callback_sigcleanup, void, (void))                                                                              \
  X(rl_clear_pending_input, int, (void))                                                                               \
  X(rl_free_line_state, void, (void))                                                                                  \
  X(rl_deprep_terminal, void, (void))                                                                                  \
  X(rl_reset_after_signal, void, (void))                                                                               \
  X(rl_on_new_line, int, (void))                                                                                       \
  X(rl_forced_update_display, int, (void))                                                                             \
  X(rl_variable_bind, int, (const char *name, const char *value))                                                      \
  X(rl_completion_matches, char **, (const char *text, next_match *))                                                  \
  X(using_history, void, (void))                                                                                       \
  X(stifle_history, void, (int most))                                                                                  \
  X(add_history, void, (const char *entry))                                                                            \
  X(history_list, struct recalled **, (void))                                                                          \
  X(remove_history, struct recalled *, (int i))                                                                        \
  X(free_history_entry, void *, (struct recalled *))
/* X(name, type) */
#define VARIABLES(X)                                                                                                   \
  X(rl_line_buffer, char *)                                                                                            \
  X(rl_readline_name, const char *)                                                                                    \
  X(rl_basic_quote_characters, const char *)                                                                           \
  X(rl_completer_word_break_characters, const char *)                                                                  \
  X(rl_attempted_completion_function, attempt *)                                                                       \
  X(rl_attempted_completion_over, int)                                                                                 \
  X(rl_completion_append_character, int)                                                                               \
  X(rl_catch_signals, int)                                                                                             \
  X(rl_getc_function, get_character *)

static struct {
  bool is_there;
#define CALL(name, result, parameters) result(*name) parameters;
#define VARIABLE(name, type)           type *name;
  CALLS(CALL)
  VARIABLES(VARIABLE)
  int *rl_eof_found; /* NULL before readline 8.2 */
} editor;

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

/* At the end of its input readline ends the line and forgets to end a paste. So a signal reaches it as NUL, which goes
   with the line or does nothing; the end of input follows only if it reads more. */
static int no_character(void) {
  is_over = !interrupted && !continued;
  if (is_over || is_woken) return EOF;
  is_woken = true;
  return '\0';
}

static int read_character(FILE *stream) {
  char byte;
  (void)stream;
  if (read_keys(&byte, 1) != 1) return no_character();
  is_woken = false;
  return (unsigned char)byte;
}

/* ------------------------------------------------------------------------------------------------------- the editor */

static bool load(void) {
  void *library = dlopen("libreadline.so.8", RTLD_NOW);
  if (!library) library = dlopen("libreadline.so", RTLD_NOW);
  if (!library) return false;
#define LOOK_UP(name, ...)  *(void **)&editor.name = dlsym(library, #name);
#define IS_THERE(name, ...) &&editor.name
  CALLS(LOOK_UP)
  VARIABLES(LOOK_UP)
  LOOK_UP(rl_eof_found, )
  return true CALLS(IS_THERE) VARIABLES(IS_THERE);
}

static line_completer *completer;
static size_t word_start, word_end;

static char *complete_next(const char *text, int state) {
  static int i;
  (void)text;
  i = state ? i + 1 : 0;
  return completer(*editor.rl_line_buffer, word_start, word_end, i);
}

/* Completes the word at the cursor. It begins where readline thinks; the completions need not begin there. */
static char **attempt_completion(const char *text, int start, int end) {
  *editor.rl_attempted_completion_over = 1; /* no file names instead of these completions */
  *editor.rl_completion_append_character = '\0';
  word_start = (size_t)start, word_end = (size_t)end;
  return editor.rl_completion_matches(text, complete_next);
}

static void set_up(void) {
  setlocale(LC_CTYPE, ""); /* letters of more than one byte */
  *editor.rl_readline_name = "strew";
  *editor.rl_catch_signals = 0;
  *editor.rl_getc_function = read_character;
  *editor.rl_basic_quote_characters = ""; /* or readline would close strings */
  *editor.rl_completer_word_break_characters = " \t\n\"\\'`@$><=;|&{}()[].:,+-*/%^#~!?";
  *editor.rl_attempted_completion_function = attempt_completion;
  editor.rl_variable_bind("page-completions", "off");
  editor.rl_variable_bind("revert-all-at-newline", "on"); /* recalled entries that were changed, but not entered */
  editor.using_history();
  editor.stifle_history(LINE_MAX_ENTRIES);
}

bool line_open(line_completer *complete, const char **trouble) {
  const char *wanted = getenv("STREW_EDITOR");
  *trouble = NULL;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || (wanted && strcmp(wanted, "none") == 0)) return false;
  completer = complete;
  if (wanted && *wanted && strcmp(wanted, "readline") != 0)
    *trouble = "$STREW_EDITOR is neither readline nor none";
  else if (!load())
    *trouble = "libreadline.so.8 was not found (Debian: libreadline8)";
  editor.is_there = !*trouble;
  if (editor.is_there) set_up();
  return editor.is_there;
}

bool line_remember(const char *entry) {
  if (!editor.is_there) return false;
  struct recalled **all = editor.history_list();
  int i = 0;
  while (all && all[i] && strcmp(all[i]->line, entry) != 0) i++;
  bool is_old = all && all[i];
  if (is_old && !all[i + 1]) return false;
  if (is_old) editor.free_history_entry(editor.remove_history(i));
  editor.add_history(entry);
  return true;
}

const char *line_entry(size_t i) {
  struct recalled **all = editor.history_list();
  return all && all[i] ? all[i]->line : NULL;
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

/* Discards the line after Ctrl-C. */
static void drop_line(void) {
  if (is_ended) free(ended_line);
  editor.rl_free_line_state();
  editor.rl_callback_sigcleanup();
  editor.rl_clear_pending_input();
  fputs("^C\n", stdout); /* at the cursor: when it ends a line, the editor returns to its first column */
  fflush(stdout);
  editor.rl_callback_handler_remove();
}

/* Redraws after Ctrl-Z and fg: the terminal is as the shell left it. (readline does not prepare a terminal twice.) */
static void show_again(void) {
  continued = 0;
  editor.rl_deprep_terminal();
  editor.rl_reset_after_signal();
  editor.rl_on_new_line();
  editor.rl_forced_update_display();
}

static line_got read_edited(const char *prompt, char **line) {
  is_ended = is_over = is_woken = false;
  if (editor.rl_eof_found) *editor.rl_eof_found = 0; /* readline 8.2 would end each later line with an empty one */
  editor.rl_callback_handler_install(prompt, end_line);
  while (!is_ended && !interrupted) {
    bool is_there;
    if (!await_input(&is_there)) is_over = true;
    if (is_there) editor.rl_callback_read_char();
    if (is_over && !is_ended) end_line(NULL);
    if (continued && !is_ended) show_again();
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
  return !editor.is_there && isatty(STDIN_FILENO) && line_has_input(); /* readline distinguishes a paste by its marks */
}
