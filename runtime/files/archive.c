/* archive.c: see archive.h. libzip reads and writes through two callbacks: one for the archive's own bytes, one for the
   members of a new archive. A callback that fails fills in the call's error. Its status is kept, and returned when
   libzip reports the failure. */
#include "archive.h"
#include "file.h"
#include "npy.h"
#include "runtime/core/base/library.h"
#include "stream.h"

#if __has_include(<zip.h>)
#define ZIP_DISABLE_DEPRECATED
#include <zip.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct archive {
  const struct call *call;
  strew_context *context;
  const char *path;
  zip_t *zip;
  zip_error_t error;       /* of the callbacks, for libzip */
  strew_status status;     /* of the first callback that failed */
  const struct file *file; /* of an archive that is read */
  zip_file_t *member;
  const char *member_name;
  uint64_t at;            /* offset of the next byte to read or write */
  struct draft draft;     /* of a new archive */
  uint64_t size_bytes;    /* of the draft so far */
  struct npy_image image; /* of a new archive's member that is open */
  bool is_new;
};

/* ---------------------------------------------------------------------------------------------------- the library */

#define ZIP_CALLS(X)                                                                                                   \
  X(zip_open_from_source)                                                                                              \
  X(zip_close)                                                                                                         \
  X(zip_discard)                                                                                                       \
  X(zip_get_error)                                                                                                     \
  X(zip_get_num_entries)                                                                                               \
  X(zip_stat_index)                                                                                                    \
  X(zip_fopen_index)                                                                                                   \
  X(zip_fread)                                                                                                         \
  X(zip_fclose)                                                                                                        \
  X(zip_file_get_error)                                                                                                \
  X(zip_file_add)                                                                                                      \
  X(zip_file_set_dostime)                                                                                              \
  X(zip_set_file_compression)                                                                                          \
  X(zip_source_function_create)                                                                                        \
  X(zip_source_free)                                                                                                   \
  X(zip_source_seek_compute_offset)                                                                                    \
  X(zip_stat_init)                                                                                                     \
  X(zip_error_init)                                                                                                    \
  X(zip_error_fini)                                                                                                    \
  X(zip_error_set)                                                                                                     \
  X(zip_error_strerror)                                                                                                \
  X(zip_error_code_zip)                                                                                                \
  X(zip_error_to_data)

static struct { ZIP_CALLS(LIBRARY_MEMBER) } zip;

static strew_status check_libzip(const struct call *call, const char *path) {
  static const char *const names[] = {"libzip.so.5", "libzip.so.4", NULL}, *const symbols[] = {ZIP_CALLS(LIBRARY_SYMBOL)
                                                                                                   NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &zip};
  if (library_find(&library) == LIBRARY_FOUND) return STREW_OK;
  return fail_file(call, path, "on Debian: apt install libzip-dev", "needs the library libzip, which is not installed");
}

/* ------------------------------------------------------------------------------------------------------- failures */

/* Returns the status of a failed callback; else fails with libzip's message. */
static strew_status fail_zip(const struct archive *archive, zip_error_t *error) {
  if (archive->status != STREW_OK) return archive->status;
  if (zip.zip_error_code_zip(error) == ZIP_ER_MEMORY)
    return fail(archive->call, (struct fault){.code = STREW_EMEMORY}, "out of memory: a zip archive");
  const char *words = zip.zip_error_strerror(error);
  if (archive->is_new) return fail_file(archive->call, archive->path, NULL, "cannot be written: %s", words);
  return fail_file(archive->call, archive->path, NULL, "is not a readable zip archive: %s", words);
}

/* ------------------------------------------------------------------------------------- the archive's own bytes */

/* Records a callback's failure, `code` for libzip; returns -1, the callback's result. */
static zip_int64_t record_failure(struct archive *archive, int code, strew_status status) {
  if (archive->status == STREW_OK) archive->status = status;
  zip.zip_error_set(&archive->error, code, 0);
  return -1;
}

static zip_int64_t read_bytes(struct archive *archive, void *to, zip_uint64_t length) {
  uint64_t left = archive->file->size_bytes - archive->at;
  size_t bytes = length < left ? (size_t)length : (size_t)left;
  strew_status status = file_read(archive->call, archive->file, archive->at, to, bytes);
  if (status != STREW_OK) return record_failure(archive, ZIP_ER_READ, status);
  archive->at += bytes;
  return (zip_int64_t)bytes;
}

static zip_int64_t write_bytes(struct archive *archive, const void *from, zip_uint64_t length) {
  strew_status status = draft_write(archive->call, &archive->draft, archive->at, from, (size_t)length);
  if (status != STREW_OK) return record_failure(archive, ZIP_ER_WRITE, status);
  archive->at += length;
  if (archive->at > archive->size_bytes) archive->size_bytes = archive->at;
  return (zip_int64_t)length;
}

static zip_int64_t seek(struct archive *archive, uint64_t size_bytes, void *data, zip_uint64_t length) {
  zip_int64_t at = zip.zip_source_seek_compute_offset(archive->at, size_bytes, data, length, &archive->error);
  if (at < 0) return -1;
  archive->at = (uint64_t)at;
  return 0;
}

/* A new archive does not exist yet: ENOENT. */
static zip_int64_t describe_bytes(struct archive *archive, zip_stat_t *about) {
  if (archive->is_new) return zip.zip_error_set(&archive->error, ZIP_ER_READ, ENOENT), -1;
  zip.zip_stat_init(about);
  about->size = archive->file->size_bytes;
  about->valid = ZIP_STAT_SIZE;
  return 0;
}

static zip_int64_t serve_archive(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command) {
  struct archive *archive = user;
  switch (command) {
  case ZIP_SOURCE_SUPPORTS: return archive->is_new ? ZIP_SOURCE_SUPPORTS_WRITABLE : ZIP_SOURCE_SUPPORTS_SEEKABLE;
  case ZIP_SOURCE_STAT: return describe_bytes(archive, data);
  case ZIP_SOURCE_ERROR: return zip.zip_error_to_data(&archive->error, data, length);
  case ZIP_SOURCE_OPEN:
  case ZIP_SOURCE_BEGIN_WRITE: archive->at = 0; return 0;
  case ZIP_SOURCE_READ: return read_bytes(archive, data, length);
  case ZIP_SOURCE_WRITE: return write_bytes(archive, data, length);
  case ZIP_SOURCE_SEEK: return seek(archive, archive->file->size_bytes, data, length);
  case ZIP_SOURCE_SEEK_WRITE: return seek(archive, archive->size_bytes, data, length);
  case ZIP_SOURCE_TELL:
  case ZIP_SOURCE_TELL_WRITE: return (zip_int64_t)archive->at;
  case ZIP_SOURCE_CLOSE:
  case ZIP_SOURCE_COMMIT_WRITE:
  case ZIP_SOURCE_ROLLBACK_WRITE:
  case ZIP_SOURCE_REMOVE:
  case ZIP_SOURCE_FREE: return 0;
  default: return record_failure(archive, ZIP_ER_OPNOTSUPP, STREW_OK);
  }
}

/* Opens archive->zip with serve_archive as its source. */
static strew_status open_zip(struct archive *archive, int flags) {
  zip_error_t error;
  zip.zip_error_init(&archive->error);
  zip.zip_error_init(&error);
  zip_source_t *source = zip.zip_source_function_create(serve_archive, archive, &error);
  if (source) archive->zip = zip.zip_open_from_source(source, flags, &error);
  strew_status status = archive->zip ? STREW_OK : fail_zip(archive, &error);
  if (source && !archive->zip) zip.zip_source_free(source);
  zip.zip_error_fini(&error);
  return status;
}

static strew_status new_archive(const struct call *call, strew_context *context, const char *path,
                                struct archive **out) {
  RETURN_IF_FAILED(check_libzip(call, path));
  ALLOCATE_NEW(struct archive *, archive, call, context, sizeof *archive);
  memset(archive, 0, sizeof *archive);
  archive->call = call;
  archive->context = context;
  archive->path = path;
  *out = archive;
  return STREW_OK;
}

static void free_archive(struct archive *archive) {
  zip.zip_error_fini(&archive->error);
  memory_free(archive->context, archive, sizeof *archive);
}

/* -------------------------------------------------------------------------------------------------------- reading */

strew_status archive_open(const struct call *call, strew_context *context, const struct file *file,
                          struct archive **out) {
  struct archive *archive = NULL;
  strew_status status = new_archive(call, context, file->path, &archive);
  if (status != STREW_OK) return status;
  archive->file = file;
  if (!file->size_bytes) /* libzip takes it for an archive */
    status = fail_file(call, file->path, NULL, "is empty, expected a zip archive");
  TRY(status, open_zip(archive, ZIP_RDONLY));
  if (status != STREW_OK) return archive_close(archive), status;
  *out = archive;
  return STREW_OK;
}

void archive_close(struct archive *archive) {
  if (archive->member) zip.zip_fclose(archive->member);
  if (archive->zip) zip.zip_discard(archive->zip);
  if (archive->is_new) draft_discard(&archive->draft);
  free_archive(archive);
}

int64_t archive_count(const struct archive *archive) { return zip.zip_get_num_entries(archive->zip, 0); }

/* True if the compressed bytes can yield the claimed size: deflate's largest ratio is 1032. */
static bool can_hold(const zip_stat_t *about) {
  if (about->comp_method == ZIP_CM_STORE) return about->size == about->comp_size;
  return about->size / 1032 <= about->comp_size;
}

strew_status archive_member_at(const struct call *call, struct archive *archive, int64_t i,
                               struct archive_member *out) {
  enum { NEEDED = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD };
  zip_stat_t about;
  if (zip.zip_stat_index(archive->zip, (zip_uint64_t)i, 0, &about) != 0 || (about.valid & NEEDED) != NEEDED)
    return fail_zip(archive, zip.zip_get_error(archive->zip));
  archive->member_name = about.name;
  if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) && about.encryption_method != ZIP_EM_NONE)
    return fail_member(call, archive->path, archive->member_name, NULL, "is encrypted, which is not supported");
  if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
    return fail_member(call, archive->path, archive->member_name, NULL,
                       "is compressed by method %u, expected stored or deflated", (unsigned)about.comp_method);
  if (about.comp_size > archive->file->size_bytes || !can_hold(&about))
    return fail_member(call, archive->path, archive->member_name, NULL,
                       "claims %" PRIu64 " bytes, more than its %" PRIu64 " compressed ones can hold",
                       (uint64_t)about.size, (uint64_t)about.comp_size);
  *out = (struct archive_member){about.name, about.size};
  return STREW_OK;
}

strew_status archive_open_member(const struct call *call, struct archive *archive, int64_t i) {
  archive->call = call;
  archive->member = zip.zip_fopen_index(archive->zip, (zip_uint64_t)i, 0);
  return archive->member ? STREW_OK : fail_zip(archive, zip.zip_get_error(archive->zip));
}

static strew_status fail_reading(const struct call *call, const struct archive *archive) {
  if (archive->status != STREW_OK) return archive->status;
  return fail_member(call, archive->path, archive->member_name, NULL, "cannot be read: %s",
                     zip.zip_error_strerror(zip.zip_file_get_error(archive->member)));
}

strew_status archive_read(const struct call *call, void *user, void *to, size_t size_bytes) {
  struct archive *archive = user;
  archive->call = call;
  for (size_t done = 0; done < size_bytes;) {
    zip_int64_t got = zip.zip_fread(archive->member, (char *)to + done, size_bytes - done);
    if (got < 0) return fail_reading(call, archive);
    if (got == 0) return fail_member(call, archive->path, archive->member_name, NULL, "ends too early");
    done += (size_t)got;
  }
  return STREW_OK;
}

/* Reads beyond the last byte: libzip compares the checksum at the end of the data. */
strew_status archive_end_member(const struct call *call, struct archive *archive) {
  char more;
  archive->call = call;
  zip_int64_t got = zip.zip_fread(archive->member, &more, 1);
  strew_status status = got < 0 ? fail_reading(call, archive)
                        : got > 0
                            ? fail_member(call, archive->path, archive->member_name, NULL, "has bytes after its end")
                            : STREW_OK;
  zip.zip_fclose(archive->member);
  archive->member = NULL;
  return status;
}

/* -------------------------------------------------------------------------------------------------------- writing */

/* A member of a new archive: the .npy of a tensor. */
struct member {
  struct archive *archive;
  const strew_tensor *tensor;
  uint64_t size_bytes, at;
  bool is_open;
};

static zip_int64_t open_member(struct member *member) {
  struct archive *archive = member->archive;
  strew_status status = npy_describe(archive->call, member->tensor, &archive->image);
  TRY(status, npy_open(archive->call, member->tensor, &archive->image));
  if (status != STREW_OK) return record_failure(archive, ZIP_ER_OPEN, status);
  member->is_open = true;
  member->at = 0;
  return 0;
}

static zip_int64_t read_member(struct member *member, void *to, zip_uint64_t length) {
  struct archive *archive = member->archive;
  uint64_t left = member->size_bytes - member->at;
  size_t bytes = length < left ? (size_t)length : (size_t)left;
  progress_step(archive->context, bytes);
  strew_status status = npy_image_read(archive->call, &archive->image, member->at, to, bytes);
  if (status != STREW_OK) return record_failure(archive, ZIP_ER_READ, status);
  member->at += bytes;
  return (zip_int64_t)bytes;
}

static zip_int64_t close_member(struct member *member) {
  if (member->is_open) npy_close(&member->archive->image);
  member->is_open = false;
  return 0;
}

static zip_int64_t describe_member(const struct member *member, zip_stat_t *about) {
  zip.zip_stat_init(about);
  about->size = member->size_bytes;
  about->valid = ZIP_STAT_SIZE;
  return 0;
}

static zip_int64_t serve_member(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command) {
  struct member *member = user;
  struct archive *archive = member->archive;
  switch (command) {
  case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_READABLE;
  case ZIP_SOURCE_OPEN: return open_member(member);
  case ZIP_SOURCE_READ: return read_member(member, data, length);
  case ZIP_SOURCE_CLOSE: return close_member(member);
  case ZIP_SOURCE_STAT: return describe_member(member, data);
  case ZIP_SOURCE_ERROR: return zip.zip_error_to_data(&archive->error, data, length);
  case ZIP_SOURCE_FREE: close_member(member), memory_free(archive->context, member, sizeof *member); return 0;
  default: return record_failure(archive, ZIP_ER_OPNOTSUPP, STREW_OK);
  }
}

/* Fails because libzip refuses a name. */
static strew_status fail_name(const struct archive *archive, const char *name) {
  char text[TEXT_BYTES];
  zip_error_t *error = zip.zip_get_error(archive->zip);
  if (zip.zip_error_code_zip(error) != ZIP_ER_INVAL) return fail_zip(archive, error);
  return fail(archive->call, FAULT(STREW_EVALUE, "x"), "has the name \"%s\", expected UTF-8", text_of_name(name, text));
}

strew_status archive_create(const struct call *call, strew_context *context, const char *path, struct archive **out) {
  struct archive *archive = NULL;
  RETURN_IF_FAILED(new_archive(call, context, path, &archive));
  strew_status status = draft_create(call, path, &archive->draft);
  archive->is_new = status == STREW_OK;
  TRY(status, open_zip(archive, ZIP_CREATE | ZIP_TRUNCATE));
  if (status != STREW_OK) return archive_close(archive), status;
  *out = archive;
  return STREW_OK;
}

/* Every member gets the earliest time that the format can store, so that equal tensors make equal files. */
strew_status archive_add(struct archive *archive, const char *name, const strew_tensor *tensor, uint64_t size_bytes,
                         bool is_deflated) {
  enum { level = 6 }; /* zlib's default; libzip's is 9: 20 times the time for files 0.4 % smaller */
  enum { FIRST_DAY = 1 << 5 | 1 };
  strew_context *context = archive->context;
  ALLOCATE_NEW(struct member *, member, archive->call, context, sizeof *member);
  *member = (struct member){.archive = archive, .tensor = tensor, .size_bytes = size_bytes};
  zip_source_t *source = zip.zip_source_function_create(serve_member, member, &archive->error);
  if (!source) {
    memory_free(context, member, sizeof *member);
    return fail_zip(archive, &archive->error);
  }
  zip_int64_t i = zip.zip_file_add(archive->zip, name, source, ZIP_FL_ENC_UTF_8);
  if (i < 0) return zip.zip_source_free(source), fail_name(archive, name);
  if (zip.zip_file_set_dostime(archive->zip, (zip_uint64_t)i, 0, FIRST_DAY, 0) != 0 ||
      zip.zip_set_file_compression(archive->zip, (zip_uint64_t)i, is_deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, level) !=
          0)
    return fail_zip(archive, zip.zip_get_error(archive->zip));
  return STREW_OK;
}

strew_status archive_end(struct archive *archive, strew_status status) {
  static const char empty[22] = "PK\5\6"; /* an archive without members, for which libzip would write no file */
  if (status == STREW_OK && archive_count(archive) == 0)
    status = draft_write(archive->call, &archive->draft, 0, empty, sizeof empty);
  else if (status == STREW_OK && zip.zip_close(archive->zip) == 0)
    archive->zip = NULL;
  else if (status == STREW_OK)
    status = fail_zip(archive, zip.zip_get_error(archive->zip));
  if (status == STREW_OK) archive->is_new = false, status = draft_commit(archive->call, &archive->draft);
  archive_close(archive);
  return status;
}

#else /* built without libzip: no archive is ever open */

#pragma GCC diagnostic ignored "-Wunused-parameter"

static strew_status fail_absent(const struct call *call, const char *path) {
  return fail_file(call, path, "on Debian: apt install libzip-dev, and build strew again",
                   "is a zip archive, and strew was built without libzip");
}

strew_status archive_open(const struct call *call, strew_context *context, const struct file *file,
                          struct archive **out) {
  return fail_absent(call, file->path);
}
strew_status archive_create(const struct call *call, strew_context *context, const char *path, struct archive **out) {
  return fail_absent(call, path);
}
void archive_close(struct archive *archive) {}
int64_t archive_count(const struct archive *archive) { return 0; }
strew_status archive_member_at(const struct call *call, struct archive *archive, int64_t i,
                               struct archive_member *out) {
  return STREW_EFILE;
}
strew_status archive_open_member(const struct call *call, struct archive *archive, int64_t i) { return STREW_EFILE; }
strew_status archive_read(const struct call *call, void *user, void *to, size_t size_bytes) { return STREW_EFILE; }
strew_status archive_end_member(const struct call *call, struct archive *archive) { return STREW_EFILE; }
strew_status archive_add(struct archive *archive, const char *name, const strew_tensor *tensor, uint64_t size_bytes,
                         bool is_deflated) {
  return STREW_EFILE;
}
strew_status archive_end(struct archive *archive, strew_status status) { return status; }

#endif
