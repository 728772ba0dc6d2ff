/* gzip.h: gzip's format (RFC 1952) through the library zlib, which is loaded on first use. */
#ifndef GZIP_H
#define GZIP_H

#include "file.h"

/* Inflates a file that is read in order: one member, or several one after the other, as gzip does. */
struct inflater;
strew_status inflater_create(const struct call *call, struct file *file, struct inflater **out);
void inflater_free(struct inflater *inflater);
/* Reads the next bytes, at most size_bytes; *got 0: the end. Checks for interruption, and reports progress in bytes of
   the file. The data is verified only once the end was reached. */
strew_status inflater_read(const struct call *call, struct inflater *inflater, void *to, size_t size_bytes,
                           size_t *got);

/* Deflates what is written, into a draft, from its beginning on. Equal bytes make equal files. */
struct deflater;
strew_status deflater_create(const struct call *call, strew_context *context, const struct draft *draft,
                             struct deflater **out);
void deflater_free(struct deflater *deflater);
strew_status deflater_write(const struct call *call, struct deflater *deflater, const void *from, size_t size_bytes);
/* Writes the rest, after the last deflater_write. */
strew_status deflater_end(const struct call *call, struct deflater *deflater);

#endif
