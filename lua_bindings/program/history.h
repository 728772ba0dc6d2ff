/* history.h: the entries typed in this session and in earlier ones. */
#ifndef STREW_HISTORY_H
#define STREW_HISTORY_H

#include <stddef.h>

/* Reads $XDG_STATE_HOME/strew/history (else ~/.local/state/strew/history), readable by its owner alone; creates it and
   its folders if missing. Returns NULL, or why entries are not saved; they are kept in memory anyway. */
const char *history_open(void);
/* Adds an entry in memory and appends it to the file at once, so that concurrent sessions lose nothing. A duplicate
   moves to the end. Returns NULL, or why it was not saved, once. */
const char *history_add(const char *entry);
/* All entries, newest last; valid until the next call. */
const char *const *history_entries(size_t *count);
void history_close(void);

#endif
