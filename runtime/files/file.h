/* file.h: files as the operating system gives them: read whole or in part, mapped, written beside their target. What
   goes wrong is STREW_EFILE with the path and the system's own words. */
#ifndef FILE_H
#define FILE_H

#include "runtime/call.h"

/* "'path' is "PATH", which " + the formatted reason; hint may be NULL. Returns STREW_EFILE. */
strew_status fail_file(const struct call *call, const char *path, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a member of an archive; NULL: of the file itself. */
strew_status fail_member(const struct call *call, const char *path, const char *member, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
#define fail_file(...)   failed(fail_file(__VA_ARGS__))
#define fail_member(...) failed(fail_member(__VA_ARGS__))

/* A regular file that is being read. */
struct file {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  uint64_t size_bytes;
};

/* 0 where it cannot be told. */
uint64_t file_size(const char *path);
/* What is no regular file is refused before anything could wait for it, as reading a pipe does. */
strew_status file_open(const struct call *call, const char *path, struct file *out);
void file_close(struct file *file);
/* Exactly these bytes: a file that ends before them is an error. */
strew_status file_read(const struct call *call, const struct file *file, uint64_t at, void *to, size_t size_bytes);
/* The whole file as private memory: what is written there stays there. */
strew_status file_map(const struct call *call, const struct file *file, void **out);
void file_unmap(void *address, size_t size_bytes);

/* A file that is being written: under a name of its own in its target's folder, until all of it is there. */
enum { PATH_BYTES = 4096 };
struct draft {
  const char *path; /* borrowed, as the user gave it */
  int descriptor;
  int lock;                /* the same open file, which holds its lock when `descriptor` is closed already; -1: none */
  bool replaces;           /* there is a file of that name */
  char target[PATH_BYTES]; /* what path means, symbolic links followed */
  char aside[PATH_BYTES];
};

/* Begins one, and removes what killed saves have left in its folder. It has, in the end, the mode and owner of the file
   that it replaces, or those of a new one. Ended by draft_commit or draft_discard. */
strew_status draft_create(const struct call *call, const char *path, struct draft *out);
strew_status draft_write(const struct call *call, const struct draft *draft, uint64_t at, const void *from,
                         size_t size_bytes);
/* Puts it in its target's place, at once. Where that fails the target is as it was and the draft is gone. */
strew_status draft_commit(const struct call *call, struct draft *draft);
void draft_discard(struct draft *draft);

#endif
