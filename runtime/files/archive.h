/* archive.h: zip archives through the library libzip, which is loaded on first use. Their files are read and written
   through file.c. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "runtime/core/base/device.h"

struct archive;
struct file;

/* -------------------------------------------------------------------------------------------------------- reading */

/* The file is borrowed until archive_close. Later calls need not be `call`. */
strew_status archive_open(const struct call *call, strew_context *context, const struct file *file,
                          struct archive **out);
void archive_close(struct archive *archive);
int64_t archive_count(const struct archive *archive);

/* A member's name (UTF-8, borrowed) and its uncompressed size as the archive claims it. The size is checked: the
   compressed bytes can hold it. */
struct archive_member {
  const char *name;
  uint64_t size_bytes;
};
strew_status archive_member_at(const struct call *call, struct archive *archive, int64_t i, struct archive_member *out);
/* Opens member i, reads it in order, ends it; one member at a time. Its data is verified only once archive_end_member,
   called at its end, succeeds. */
strew_status archive_open_member(const struct call *call, struct archive *archive, int64_t i);
strew_status archive_read(const struct call *call, void *archive, void *to, size_t size_bytes);
strew_status archive_end_member(const struct call *call, struct archive *archive);

/* Finds the .npy of this name in an .npz, which `argument` gives; name NULL: the only one. npz.c */
strew_status npz_find(const struct call *call, struct archive *archive, const char *path, const char *argument,
                      const char *name, int64_t *index, struct archive_member *out);

/* -------------------------------------------------------------------------------------------------------- writing */

/* A new archive borrows `call`, `path` and each tensor until archive_end. Its members
   are .npy files, of size_bytes: see npy_describe. */
strew_status archive_create(const struct call *call, strew_context *context, const char *path, struct archive **out);
strew_status archive_add(struct archive *archive, const char *name, const strew_tensor *tensor, uint64_t size_bytes,
                         bool is_deflated);
/* Writes the members and renames the file to its target, unless there is a failure. Always frees the archive. */
strew_status archive_end(struct archive *archive, strew_status status);

#endif
