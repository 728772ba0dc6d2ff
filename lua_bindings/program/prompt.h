/* prompt.h: the parts of the interactive prompt: lines of the terminal, the history, and the files of prompt/. */
#ifndef STREW_PROMPT_H
#define STREW_PROMPT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- line.c: reads lines from a terminal, with an editor if readline is installed. */

typedef enum line_got { LINE_TYPED, LINE_INTERRUPTED, LINE_END } line_got;

/* Returns completion i, from 0, of line[start..end), where end is the cursor: a string allocated by malloc; NULL: there
   are no more. */
typedef char *line_completer(const char *line, size_t start, size_t end, int i);

/* Loads readline, unless $STREW_EDITOR is "none" or there is no terminal. Returns true if it is there; otherwise
   *trouble says why, if it was wanted. */
bool line_open(line_completer *complete, const char **trouble);

/* Shows the prompt and reads a line, without its newline; with an editor it may have several lines, pasted or recalled.
   The caller frees *line. Ctrl-C discards the input. */
line_got line_read(const char *prompt, char **line);
/* Shows the prompt, waits for a key, and erases the prompt. `key` (LINE_KEY_BYTES) gets the bytes that the key sent, as a
   string. False: Ctrl-C, or the end of input. Standard input is a terminal. */
enum { LINE_KEY_BYTES = 32 };
bool line_key(const char *prompt, char *key);
/* True if standard input has more. */
bool line_has_input(void);
/* True if more of a paste is already there: without an editor it comes line by line. */
bool line_waits(void);

/* The editor's history: entries of one or more lines. Adds one; a duplicate moves to the end, and the oldest above the
   maximum goes. Returns false if it is the newest already, or without an editor. */
enum { LINE_MAX_ENTRIES = 1000 };
bool line_remember(const char *entry);
/* Returns entry i, the oldest first, of 0 up to their number; NULL there. With an editor only. */
const char *line_entry(size_t i);

/* ---- history.c: the entries typed in this session and in earlier ones. */

/* Reads $XDG_STATE_HOME/strew/history (else ~/.local/state/strew/history), readable by its owner alone, into the editor's
   history; creates it and its folders if missing. Reports why entries are not saved; the editor has them anyway. */
void history_open(void);
/* Adds an entry to the editor's history, and to the file at once, so that concurrent sessions lose nothing. Reports why
   it was not saved, once. */
void history_add(const char *entry);

/* ---- prompt.c: the files of prompt/, which read, compile, complete and show entries. They share one table. */

#define PROMPT_CHUNK "strew prompt" /* chunk name of the files, in tracebacks */
#define PROMPT_MARK  "_strew_block" /* a local of an entry: see entry.lua */
#define PROMPT_ABOVE "strew.above"  /* in the registry: the lines of an entry above the current one, or nil */

/* A lua_CFunction: loads the files for this session; the stack is empty. */
int prompt_open(lua_State *L);
/* Pushes a function of the shared table. */
void prompt_push(lua_State *L, const char *name);
/* The completions at the editor's cursor: a line_completer. */
char *prompt_complete(const char *line, size_t start, size_t end, int i);
/* Prints a text in parentheses, dim if the terminal has colours. */
void prompt_note(const char *text);

#endif
