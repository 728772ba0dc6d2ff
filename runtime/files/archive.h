/* archive.h: archives, by way of the library libzip, which is looked up when it is first needed. Files are read and
   written through file.c all the same. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "runtime/device.h"

struct archive;

/* ---------------------------------------------------------------------------------------------------------- reading */

strew_status archive_open(const struct call *call, strew_context *context, const char *path, struct archive **out);
void archive_close(struct archive *archive);
int64_t archive_count(const struct archive *archive);

/* size_bytes is what the archive says, and no more than its own bytes can hold. The name is UTF-8, and borrowed. */
struct archive_member {
  const char *name;
  uint64_t size_bytes;
};
strew_status archive_member_at(const struct call *call, struct archive *archive, int64_t i, struct archive_member *out);
/* One member at a time: opened, read from its beginning, ended. Only what is read to its end and ended is known to be
   what was written. */
strew_status archive_open_member(const struct call *call, struct archive *archive, int64_t i);
strew_status archive_read(const struct call *call, struct archive *archive, void *to, size_t size_bytes);
strew_status archive_end_member(const struct call *call, struct archive *archive);

/* ---------------------------------------------------------------------------------------------------------- writing */

/* What members are made from, one at a time: `read` gives bytes of the open one, each once and in order. */
struct archive_items {
  strew_status (*open)(const struct call *call, void *user, const void *item);
  strew_status (*read)(const struct call *call, void *user, uint64_t at, void *to, size_t size_bytes);
  void (*close)(void *user);
  void *user;
};

/* All borrow `call`, `path`, `items` and each `item` until archive_commit or archive_discard, which end it. */
strew_status archive_create(const struct call *call, strew_context *context, const char *path,
                            const struct archive_items *items, struct archive **out);
strew_status archive_add(struct archive *archive, const char *name, const void *item, uint64_t size_bytes,
                         bool is_deflated);
/* Makes the members and puts the file in its place. Ends the archive in any case. */
strew_status archive_commit(struct archive *archive);
void archive_discard(struct archive *archive);

#endif
