/* history.h: the entries typed in this session and in earlier ones. */
#ifndef STREW_HISTORY_H
#define STREW_HISTORY_H

/* Reads $XDG_STATE_HOME/strew/history (else ~/.local/state/strew/history), readable by its owner alone, into the editor's
   history; creates it and its folders if missing. Reports why entries are not saved; the editor has them anyway. */
void history_open(void);
/* Adds an entry to the editor's history, and to the file at once, so that concurrent sessions lose nothing. Reports why
   it was not saved, once. */
void history_add(const char *entry);

#endif
