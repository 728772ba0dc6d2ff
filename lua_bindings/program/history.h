/* history.h: what was typed in earlier sessions, and in this one. */
#ifndef STREW_HISTORY_H
#define STREW_HISTORY_H

#include <stddef.h>

/* Reads $XDG_STATE_HOME/strew/history (else ~/.local/state/strew/history), for its owner alone; makes it and its
   folders where they are missing. NULL, or why it is not kept; the session has a history in any case. */
const char *history_open(void);
/* Adds an entry, in memory and to the file: at once, so that sessions at the same time lose nothing. An entry that is
   there already moves to the end. NULL, or why it was not kept: said once. */
const char *history_add(const char *entry);
/* All entries, the newest last; valid until the next call. */
const char *const *history_entries(size_t *count);
void history_close(void);

#endif
