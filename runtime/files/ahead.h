/* ahead.h: a thread that reads a file ahead of its reader, into a ring of fixed size. */
#ifndef AHEAD_H
#define AHEAD_H

#include "file.h"

/* Starts to read ahead. Without a thread (the file is small, a read of it may block, or the system has none left)
   ahead_next reads by itself. ahead_stop ends the thread, before file_close; the file need not have one. */
strew_status ahead_start(const struct call *call, struct file *file);
void ahead_stop(struct file *file);
/* Reads the next bytes, at most size_bytes; *got 0: the end. Those that were read ahead, or else as file_next. Waits
   for the thread, and checks for interruption meanwhile. */
strew_status ahead_next(const struct call *call, struct file *file, void *to, size_t size_bytes, size_t *got);

#endif
