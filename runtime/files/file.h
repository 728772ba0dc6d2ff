/* file.h: regular files: read whole or in part, memory-mapped, or written beside their target and renamed. Failures are
   STREW_EFILE with the path and the system's message. */
#ifndef FILE_H
#define FILE_H

#include "runtime/call.h"

/* Fails with "'path' is "PATH", which " + the formatted reason; hint may be NULL. Returns STREW_EFILE. */
strew_status fail_file(const struct call *call, const char *path, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a member of an archive; member NULL: for the file itself. */
strew_status fail_member(const struct call *call, const char *path, const char *member, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
#define fail_file(...)   failed(fail_file(__VA_ARGS__))
#define fail_member(...) failed(fail_member(__VA_ARGS__))

/* A regular file, open for reading. */
struct file {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  uint64_t size_bytes;
};

/* Returns the size in bytes, or 0 if it is unknown. */
uint64_t file_size(const char *path);
/* Opens a file for reading. Refuses anything but a regular file before it can block, as reading a pipe would. */
strew_status file_open(const struct call *call, const char *path, struct file *out);
void file_close(struct file *file);
/* Reads exactly size_bytes at offset `at`: a file that ends earlier is an error. */
strew_status file_read(const struct call *call, const struct file *file, uint64_t at, void *to, size_t size_bytes);
/* Maps the whole file, private: writes stay in memory. */
strew_status file_map(const struct call *call, const struct file *file, void **out);
void file_unmap(void *address, size_t size_bytes);

/* A file that is being written, under a temporary name in its target's folder until it is complete. */
enum { PATH_BYTES = 4096 };
struct draft {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  int lock;                /* a duplicate of `descriptor`, which keeps the lock after that is closed; -1: none */
  bool replaces;           /* the target exists */
  char target[PATH_BYTES]; /* path, symbolic links followed */
  char temporary[PATH_BYTES];
};

/* Creates a draft, and removes drafts that killed saves left in its folder. The draft has the mode and owner of the
   file that it replaces, or those of a new file. draft_commit or draft_discard ends it. */
strew_status draft_create(const struct call *call, const char *path, struct draft *out);
strew_status draft_write(const struct call *call, const struct draft *draft, uint64_t at, const void *from,
                         size_t size_bytes);
/* Renames the draft to its target, atomically. On failure the target is unchanged and the draft is removed. */
strew_status draft_commit(const struct call *call, struct draft *draft);
void draft_discard(struct draft *draft);

#endif
