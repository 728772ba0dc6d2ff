/* file.h: files: read whole, in part or in order, memory-mapped, or written beside their target and renamed. Pipes and
   standard input are read in order. Failures are STREW_EFILE with the path and the system's message. */
#ifndef FILE_H
#define FILE_H

#include "runtime/core/base/device.h"
#include "runtime/strew.h"

#include <sys/types.h>

/* Fails with "'path' is "PATH", which " + the formatted reason; hint may be NULL. Returns STREW_EFILE.
   fail_member: for a member of an archive; member NULL: for the file itself. */
strew_status fail_member(const struct call *call, const char *path, const char *member, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
#define fail_member(...)           failed(fail_member(__VA_ARGS__))
#define fail_file(call, path, ...) fail_member(call, path, NULL, __VA_ARGS__)

/* Fails with the system's message for errno. */
strew_status fail_system(const struct call *call, const char *path, const char *what);
#define fail_system(...) failed(fail_system(__VA_ARGS__))

/* A file, pipe or standard input, open for reading. */
struct ahead; /* a thread that reads ahead: below */
struct file {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  bool is_input;       /* standard input, which stays open: `descriptor` may be another one of the same pipe */
  bool is_socket;      /* as standard input */
  bool may_block;      /* a read may wait for ever: another process may take what poll has found */
  bool is_begun;       /* some of it was read in order */
  bool is_drained;     /* the latest read found nothing: the next one waits */
  bool is_regular;     /* can be read at any offset, and mapped */
  int64_t modified_ns; /* time of a regular file's latest change, when it was opened; 0: not a file */
  uint64_t size_bytes; /* of a regular file, or of `bytes`; 0: unknown */
  char *bytes;         /* NULL, or the whole contents, with a 0 after them: see file_hold */
  size_t held_bytes;   /* allocated for `bytes` */
  struct ahead *ahead; /* NULL: none */
  strew_context *context;
};

/* True for "-": standard input. */
bool file_is_input(const char *path);
/* True for "-", and for a name of standard output, as /dev/stdout. */
bool file_is_output(const char *path);
/* Returns the size in bytes, or 0 if it is unknown. */
uint64_t file_size(const char *path);
/* Opens a regular file, a pipe or standard input. Does not wait for a pipe's writer. */
strew_status file_open(const struct call *call, strew_context *context, const char *path, struct file *out);
void file_close(struct file *file);
/* True if a file, regular or as standard input, has changed in size or was written since it was opened. */
bool file_is_changed(const struct file *file);
/* Reads the next bytes, at most size_bytes; *got 0: the end. Waits for some time where there may be more later.
   Failures are in errno. Needs no context: for any thread. */
enum attempt { FILE_READ, FILE_WAITED, FILE_FAILED };
enum attempt file_try(struct file *file, void *to, size_t size_bytes, size_t *got);
/* The same, until there is something. Waits for a pipe, and checks for interruption meanwhile. */
strew_status file_next(const struct call *call, struct file *file, void *to, size_t size_bytes, size_t *got);
/* Reads exactly size_bytes at offset `at`, of a regular or held file: a file that ends earlier is an error. */
strew_status file_read(const struct call *call, const struct file *file, uint64_t at, void *to, size_t size_bytes);

/* --------------------------------------------------------------------------------------------------- mapped: file.c */

/* A file that is memory-mapped, and tensors over parts of it. The map is private: pages are read on first use, writes
   stay in memory. */
struct mapping;
/* Maps a whole regular file for tensors on the device, which must be the CPU. The caller has one reference. */
strew_status mapping_create(const struct call *call, strew_device *device, const struct file *file,
                            struct mapping **out);
void mapping_release(void *mapping);
/* The bytes of the file from byte `at` on. */
unsigned char *mapping_at(const struct mapping *mapping, uint64_t at);
/* A tensor over the map from byte `at` on, which keeps it; strides are in elements, NULL: row-major. Its last element is
   in the file, and its first one at a multiple of its size. */
strew_status mapping_tensor(const struct call *call, strew_device *device, struct mapping *mapping, uint64_t at,
                            strew_dtype dtype, int rank, const int64_t *sizes, const int64_t *strides,
                            strew_tensor **out);
/* Makes nonzero bools 1: NumPy takes any such byte for true. Writes only where necessary: mapped pages stay shared. */
strew_status normalize_bools(const struct call *call, strew_context *context, unsigned char *bytes, size_t size_bytes);

/* --------------------------------------------------------------------------------------------------------- input.c */

/* Standard input. Other processes share it, and its flags: O_NONBLOCK is not set. So a read waits, perhaps for ever, if
   another process takes the bytes that poll has found; here are reads that do not. */
struct stat;
/* Completes a file whose descriptor is standard input's, with these facts about it. */
void input_open(struct file *file, const struct stat *about);
/* Reads as read(2) does, but fails with EAGAIN if there is nothing, unless the file may block. */
ssize_t input_read(const struct file *file, void *to, size_t size_bytes);

/* ----------------------------------------------------------------------------------------------------- read_ahead.c */

/* Starts a thread that reads a file ahead of its reader, into a ring of fixed size. Without a thread (the file is
   small, a read of it may block, or the system has none left) ahead_next reads by itself. ahead_stop ends the thread,
   before file_close; the file need not have one. */
strew_status ahead_start(const struct call *call, struct file *file);
void ahead_stop(struct file *file);
/* Reads the next bytes, at most size_bytes; *got 0: the end. Those that were read ahead, or else as file_next. Waits
   for the thread, and checks for interruption meanwhile. */
strew_status ahead_next(const struct call *call, struct file *file, void *to, size_t size_bytes, size_t *got);

/* -------------------------------------------------------------------------------------------------- drafts: file.c */

/* A file that is being written, under a temporary name in its target's folder until it is complete. */
enum { PATH_BYTES = 4096 };
struct draft {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  int lock;                /* a duplicate of `descriptor`, which keeps the lock after that is closed; -1: none */
  bool replaces;           /* the target exists */
  strew_context *output;   /* standard output is written, in order; NULL: a file */
  char target[PATH_BYTES]; /* path, symbolic links followed */
  char temporary[PATH_BYTES];
};

/* Creates a draft, and removes drafts that killed saves left in its folder. The draft has the mode and owner of the
   file that it replaces, or those of a new file. draft_commit or draft_discard ends it. */
strew_status draft_create(const struct call *call, const char *path, struct draft *out);
/* The same for standard output: what was written stays there. */
void draft_open_output(strew_context *context, const char *path, struct draft *out);
strew_status draft_write(const struct call *call, const struct draft *draft, uint64_t at, const void *from,
                         size_t size_bytes);
/* Renames the draft to its target, atomically. On failure the target is unchanged and the draft is removed. */
strew_status draft_commit(const struct call *call, struct draft *draft);
void draft_discard(struct draft *draft);

#endif
