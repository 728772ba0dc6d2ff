/* line.h: reads lines from a terminal, with an editor if one of the libraries is installed. */
#ifndef STREW_LINE_H
#define STREW_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum line_got { LINE_TYPED, LINE_INTERRUPTED, LINE_END } line_got;

/* Returns the completions of line[start..end), where end is the cursor: a NULL-terminated array of strings, all
   allocated by malloc; NULL: none. */
typedef char **line_completer(const char *line, size_t start, size_t end);

/* Loads an editor: $STREW_EDITOR is "readline", "edit" or "none"; by default the first of the two that is installed.
   Returns NULL, or why there is none although one was wanted. Without a terminal no editor is loaded. */
const char *line_open(line_completer *complete);

/* Shows the prompt and reads a line, without its newline; with an editor it may have several lines, pasted or recalled.
   The caller frees *line. Ctrl-C discards the input. */
line_got line_read(const char *prompt, char **line);
/* Shows the prompt, waits for a key, and erases the prompt. `key` (LINE_KEY_BYTES) gets the bytes that the key sent, as a
   string. False: Ctrl-C, or the end of input. Standard input is a terminal. */
enum { LINE_KEY_BYTES = 32 };
bool line_key(const char *prompt, char *key);
/* True if standard input has more. */
bool line_has_input(void);
/* True if more of a paste is already there: some editors return it line by line. */
bool line_waits(void);

/* Sets the editor's history: entries of one or more lines, newest last. */
void line_history(const char *const *entries, size_t count);

#endif
