/* line.h: lines typed at a terminal, with an editor where one of its libraries is there. */
#ifndef STREW_LINE_H
#define STREW_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum line_got { LINE_TYPED, LINE_INTERRUPTED, LINE_END } line_got;

/* What may stand in the place of line[start..end), where end is the cursor: a NULL-terminated array of strings, all of
   it by malloc; NULL: nothing. */
typedef char **line_completer(const char *line, size_t start, size_t end);

/* Looks for an editor: $STREW_EDITOR is "readline", "edit" or "none"; else the first of the two that is there. NULL, or
   why there is none although one was to be had. Without a terminal no editor is looked for. */
const char *line_open(line_completer *complete);

/* Shows the prompt and reads a line, without its end; with an editor it may have several, as pasted or recalled. *line
   is the caller's, to be freed. Ctrl-C drops what was typed. */
line_got line_read(const char *prompt, char **line);
/* Where an editor, or none, gives a paste line by line: is more there already? */
bool line_waits(void);

/* The editor's history: entries of one line or more, the newest last. */
void line_history(const char *const *entries, size_t count);

#endif
