/* stream.h: the bytes of files in order, in pieces, as they are or compressed by gzip through the library zlib, which
   is loaded on first use. */
#ifndef STREAM_H
#define STREAM_H

#include "file.h"

/* -------------------------------------------------------------------------------------------------------- reading */

/* The contents of an open file, read in order. */
struct stream {
  struct file *file;   /* borrowed */
  struct codec *codec; /* NULL: bytes as they are */
};
strew_status stream_open(const struct call *call, struct file *file, bool is_gzip, struct stream *out);
void stream_close(struct stream *stream);
/* Reads the next bytes, at most size_bytes; *got 0: the end. Checks for interruption, and reports progress in bytes of
   the file. */
strew_status stream_read(const struct call *call, struct stream *stream, void *to, size_t size_bytes, size_t *got);

/* Most bytes of one stream_read into memory that has room for `left`. */
enum { STREAM_PIECE_BYTES = 4 << 20, STREAM_MIN_BYTES = 64 << 10 };
#define STREAM_PIECE(left) ((left) < STREAM_PIECE_BYTES ? (left) : STREAM_PIECE_BYTES)
/* Grows memory by a half, and by at least min_bytes; its first used_bytes stay. */
strew_status stream_grow(const struct call *call, strew_context *context, size_t used_bytes, size_t min_bytes,
                         char **bytes, size_t *held_bytes);

/* A part of a stream: bytes `begin` to `end` of `text` are not used yet. */
struct window {
  struct stream *stream;
  char *text;
  size_t begin, end, held_bytes;
  uint64_t before; /* bytes of the file before the window */
  bool is_at_end;  /* the window ends with the file */
};
/* Reads more of the file. The window's bytes move to the beginning first. One byte is left for a final 0. *is_lost: set
   if bytes of the file are lost. */
strew_status window_fill(const struct call *call, strew_context *context, struct window *window, bool *is_lost);

/* Reads the whole contents of a file into file->bytes, which file_close frees, unless they are there. */
strew_status file_hold(const struct call *call, struct file *file, bool is_gzip);

/* -------------------------------------------------------------------------------------------------------- writing */

/* A draft that is written in order. */
struct sink {
  struct draft draft;
  uint64_t written;    /* bytes in the draft */
  struct codec *codec; /* NULL: bytes as they are */
};
strew_status sink_open(const struct call *call, strew_context *context, const char *path, bool is_gzip,
                       struct sink *out);
strew_status sink_write(const struct call *call, struct sink *sink, const void *from, size_t size_bytes);
/* Ends the draft as draft_commit does, or discards it after a failure. Returns the status, or that of the end. */
strew_status sink_end(const struct call *call, struct sink *sink, strew_status status);

/* --------------------------------------------------------------------------------------------------------- gzip.c */

/* Inflates a file that is read in order: one member, or several one after the other, as gzip does. Or, file NULL,
   deflates what is written into a draft, from its beginning on: equal bytes make equal files. */
strew_status codec_create(const struct call *call, strew_context *context, struct file *file, const struct draft *draft,
                          struct codec **out);
void codec_free(struct codec *codec); /* NULL is fine */
/* As stream_read. The data is verified only once the end was reached. */
strew_status codec_read(const struct call *call, struct codec *codec, void *to, size_t size_bytes, size_t *got);
/* The size of all inflated data by the end of a regular file, if it fits the first `made` bytes, as a damaged or larger one
   may not; 0: unknown. */
uint64_t codec_expected(const struct codec *codec, uint64_t made);
strew_status codec_write(const struct call *call, struct codec *codec, const void *from, size_t size_bytes,
                         bool is_end);

/* -------------------------------------------------------------------------------------------------------- progress */

/* Begin work of `total` steps; change the total; report `done` steps in all, or `steps` more; end. Ignored while no
   work is begun. */
void progress_begin(strew_context *context, const char *doing, uint64_t total);
void progress_resize(strew_context *context, uint64_t total);
void progress_reach(strew_context *context, uint64_t done);
void progress_step(strew_context *context, uint64_t steps);
void progress_end(strew_context *context);

#endif
