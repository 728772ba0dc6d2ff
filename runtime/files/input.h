/* input.h: standard input. Other processes share it, and its flags: O_NONBLOCK is not set. So a read waits, perhaps for
   ever, if another process takes the bytes that poll has found; here are reads that do not. */
#ifndef INPUT_H
#define INPUT_H

#include "file.h"

#include <sys/stat.h>
#include <sys/types.h>

/* Completes a file whose descriptor is standard input's, with these facts about it. */
void input_open(struct file *file, const struct stat *about);
/* Reads as read(2) does, but fails with EAGAIN if there is nothing, unless the file may block. */
ssize_t input_read(const struct file *file, void *to, size_t size_bytes);

#endif
