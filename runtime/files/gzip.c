/* gzip.c: gzip's format (RFC 1952) through zlib, see stream.h. zlib's memory is the context's. */
#include "runtime/core/base/library.h"
#include "runtime/core/base/pool.h"
#include "stream.h"

#if __has_include(<zlib.h>)
#define ZLIB_CONST
#include <zlib.h>

#include <inttypes.h>
#include <string.h>

enum { BUFFER_BYTES = 64 << 10, GZIP_WINDOW = 15 + 16 /* the largest window; gzip's header and end */ };
/* What is written is cut into members, whatever the number of workers that deflate them; incompressible bytes grow by
   some in a thousand. */
enum { MEMBER_BYTES = 512 << 10, MADE_BYTES = MEMBER_BYTES + (MEMBER_BYTES >> 6), MOST_MEMBERS = 16 /* at once */ };

/* --------------------------------------------------------------------------------------------------- the library */

#define ZLIB_CALLS(X)                                                                                                  \
  X(inflateInit2_)                                                                                                     \
  X(inflate)                                                                                                           \
  X(inflateReset)                                                                                                      \
  X(inflateEnd)                                                                                                        \
  X(deflateInit2_)                                                                                                     \
  X(deflateReset)                                                                                                      \
  X(deflate)                                                                                                           \
  X(deflateEnd)

static struct { ZLIB_CALLS(LIBRARY_MEMBER) } zlib;

static strew_status check_zlib(const struct call *call, const char *path) {
  static const char *const names[] = {"libz.so.1", NULL}, *const symbols[] = {ZLIB_CALLS(LIBRARY_SYMBOL) NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &zlib};
  if (library_find(&library) == LIBRARY_FOUND) return STREW_OK;
  return fail_file(call, path, "on Debian: apt install zlib1g", "needs the library zlib, which is not installed");
}

/* zlib frees blocks without their size: it is kept before each. */
static void *allocate(void *context, unsigned count, unsigned item_bytes) {
  size_t size_bytes = MEMORY_ALIGNMENT + (size_t)count * item_bytes;
  char *block = memory_allocate(context, size_bytes);
  if (!block) return NULL;
  memcpy(block, &size_bytes, sizeof size_bytes);
  return block + MEMORY_ALIGNMENT;
}

static void deallocate(void *context, void *address) {
  char *block = (char *)address - MEMORY_ALIGNMENT;
  size_t size_bytes;
  memcpy(&size_bytes, block, sizeof size_bytes);
  memory_free(context, block, size_bytes);
}

struct member {
  z_stream zlib;
  size_t bytes, made;
  unsigned char from[MEMBER_BYTES], to[MADE_BYTES];
};

/* A draft and members that deflate into it, or a file, zlib's state and a buffer of compressed bytes. */
struct codec {
  strew_context *context;
  const char *path;
  struct file *file;                    /* to inflate; NULL: deflates into */
  const struct draft *draft;            /* this */
  struct member *members[MOST_MEMBERS]; /* as many as have been in use at once */
  int64_t full;                         /* members */
  uint64_t end;                         /* offset in the file of the buffer's end; bytes in the draft */
  bool is_between;                      /* before a member: here the file may end */
  bool is_first;                        /* before the end of the first member */
  bool has_more;                        /* zlib may hold output that had no room */
  z_stream zlib;
  unsigned char buffer[BUFFER_BYTES];
};

static z_stream stream_of(strew_context *context) {
  return (z_stream){.zalloc = allocate, .zfree = deallocate, .opaque = context};
}

strew_status codec_create(const struct call *call, strew_context *context, struct file *file, const struct draft *draft,
                          struct codec **out) {
  const char *path = file ? file->path : draft->path;
  RETURN_IF_FAILED(check_zlib(call, path));
  ALLOCATE_NEW(struct codec *, codec, call, context, sizeof *codec);
  memset(codec, 0, offsetof(struct codec, buffer));
  codec->context = context, codec->path = path, codec->file = file, codec->draft = draft;
  codec->is_first = codec->is_between = true;
  codec->zlib = stream_of(context);
  if (!file || zlib.inflateInit2_(&codec->zlib, GZIP_WINDOW, ZLIB_VERSION, (int)sizeof codec->zlib) == Z_OK)
    return *out = codec, STREW_OK;
  memory_free(context, codec, sizeof *codec);
  return fail_memory(call, context, sizeof *codec);
}

void codec_free(struct codec *codec) {
  if (!codec) return;
  for (int i = 0; i < MOST_MEMBERS && codec->members[i]; i++) {
    zlib.deflateEnd(&codec->members[i]->zlib);
    memory_free(codec->context, codec->members[i], sizeof *codec->members[i]);
  }
  if (codec->file) zlib.inflateEnd(&codec->zlib);
  memory_free(codec->context, codec, sizeof *codec);
}

/* The most bytes that zlib takes at once. */
static unsigned limited(size_t size_bytes) { return size_bytes < INT32_MAX ? (unsigned)size_bytes : INT32_MAX; }

/* -------------------------------------------------------------------------------------------------------- reading */

/* Offset of the next compressed byte. */
static uint64_t position(const struct codec *codec) { return codec->end - codec->zlib.avail_in; }

static strew_status fill_input(const struct call *call, struct codec *codec) {
  size_t got;
  RETURN_IF_FAILED(ahead_next(call, codec->file, codec->buffer, BUFFER_BYTES, &got));
  codec->zlib.next_in = codec->buffer;
  codec->zlib.avail_in = (unsigned)got;
  codec->end += got;
  progress_step(codec->context, got);
  return STREW_OK;
}

/* Skips zeros, which may fill up the last block of a tape or disk, and begins the next member. */
static strew_status begin_member(const struct call *call, struct codec *codec) {
  z_stream *stream = &codec->zlib;
  while (!codec->is_first && stream->avail_in && !*stream->next_in) stream->next_in++, stream->avail_in--;
  if (!stream->avail_in) return STREW_OK;
  codec->is_between = false;
  if (*stream->next_in == 0x1f) return STREW_OK;
  if (codec->is_first)
    return fail_file(call, codec->path, "{.format = \"...\"} overrides the suffix",
                     "is not compressed by gzip: it does not begin with the bytes 1f 8b");
  return fail_file(call, codec->path, NULL, "has bytes after the end of its gzip data, at byte %" PRIu64,
                   position(codec));
}

/* The file has ended. */
static strew_status check_gzip_end(const struct call *call, const struct codec *codec) {
  if (!codec->end) return fail_file(call, codec->path, NULL, "is empty, expected gzip data");
  if (codec->is_between) return STREW_OK;
  return fail_file(call, codec->path, NULL, "is truncated: its gzip data has no end before byte %" PRIu64, codec->end);
}

/* Inflates some of the input. */
static strew_status advance(const struct call *call, struct codec *codec) {
  z_stream *stream = &codec->zlib;
  int code = zlib.inflate(stream, Z_NO_FLUSH);
  codec->has_more = !stream->avail_out;
  if (code == Z_STREAM_END) {
    codec->is_between = true;
    codec->is_first = false;
    code = zlib.inflateReset(stream);
  }
  if (code == Z_OK || code == Z_BUF_ERROR) return STREW_OK;
  if (code == Z_MEM_ERROR) return fail_memory(call, codec->context, sizeof *codec);
  return fail_file(call, codec->path, NULL, "is damaged: its gzip data is invalid before byte %" PRIu64 ": %s",
                   position(codec), stream->msg ? stream->msg : "unknown error");
}

strew_status codec_read(const struct call *call, struct codec *codec, void *to, size_t size_bytes, size_t *got) {
  z_stream *stream = &codec->zlib;
  unsigned wanted = limited(size_bytes);
  stream->next_out = to;
  stream->avail_out = wanted;
  while (stream->avail_out) {
    strew_status status = STREW_OK;
    if (!stream->avail_in && !codec->has_more) {
      if (stream->avail_out < wanted) break; /* what is there is given before a pipe is waited for */
      status = fill_input(call, codec);
      if (status == STREW_OK && !stream->avail_in) return *got = 0, check_gzip_end(call, codec);
    }
    if (status == STREW_OK && codec->is_between) status = begin_member(call, codec);
    if (status == STREW_OK && (stream->avail_in || codec->has_more)) status = advance(call, codec);
    TRY(status, context_check(call, codec->context));
    if (status != STREW_OK) return status;
  }
  *got = wanted - stream->avail_out;
  return STREW_OK;
}

uint64_t codec_expected(const struct codec *codec, uint64_t made) {
  enum { LEAST_BYTES = 18, SIZE_BYTES = 4, TRUSTED = 2 };
  struct file file = *codec->file;
  unsigned char end[SIZE_BYTES];
  const struct call call = {.op = "load"};
  uint64_t size = 0;
  file.bytes = NULL; /* not what is inflated so far */
  if (!file.is_regular || file.size_bytes < LEAST_BYTES || !position(codec) ||
      file_read(&call, &file, file.size_bytes - SIZE_BYTES, end, SIZE_BYTES) != STREW_OK)
    return 0;
  for (int i = SIZE_BYTES; i--;) size = size << 8 | end[i];
  const double estimate = (double)made * (double)file.size_bytes / (double)position(codec);
  return size >= made && (double)size <= TRUSTED * estimate ? size : 0;
}

/* -------------------------------------------------------------------------------------------------------- writing */

static void deflate_member(void *user, int64_t i) {
  struct member *member = ((struct codec *)user)->members[i];
  zlib.deflateReset(&member->zlib);
  member->zlib.next_in = member->from, member->zlib.avail_in = (unsigned)member->bytes;
  member->zlib.next_out = member->to, member->zlib.avail_out = MADE_BYTES;
  zlib.deflate(&member->zlib, Z_FINISH); /* has room for all: no error is possible */
  member->made = MADE_BYTES - member->zlib.avail_out;
}

/* Writes the first `count` members, which are empty then. */
static strew_status write_members(const struct call *call, struct codec *codec, int64_t count) {
  pool_run(codec->context, count, deflate_member, codec);
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < count; i++) {
    struct member *member = codec->members[i];
    TRY(status, context_check(call, codec->context));
    TRY(status, draft_write(call, codec->draft, codec->end, member->to, member->made));
    codec->end += member->made, member->bytes = 0;
  }
  return codec->full = 0, status;
}

/* Makes the member behind the full ones. */
static strew_status open_member(const struct call *call, struct codec *codec) {
  enum { LEVEL = 4 /* zlib's own, 6, takes 2 to 4 times as long for 2 to 10 % less */, MEMORY = 8 };
  if (codec->members[codec->full]) return STREW_OK;
  ALLOCATE_NEW(struct member *, member, call, codec->context, sizeof *member);
  member->bytes = 0, member->zlib = stream_of(codec->context);
  if (zlib.deflateInit2_(&member->zlib, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                         (int)sizeof member->zlib) == Z_OK)
    return codec->members[codec->full] = member, STREW_OK;
  memory_free(codec->context, member, sizeof *member);
  return fail_memory(call, codec->context, sizeof *member);
}

strew_status codec_write(const struct call *call, struct codec *codec, const void *from, size_t size_bytes,
                         bool is_end) {
  const int64_t most = least(codec->context->threads, MOST_MEMBERS);
  for (const unsigned char *at = from; size_bytes;) {
    RETURN_IF_FAILED(open_member(call, codec));
    struct member *member = codec->members[codec->full];
    const size_t step = (size_t)least((int64_t)size_bytes, MEMBER_BYTES - (int64_t)member->bytes);
    memcpy(member->from + member->bytes, at, step);
    member->bytes += step, at += step, size_bytes -= step;
    if (member->bytes == MEMBER_BYTES && ++codec->full == most) RETURN_IF_FAILED(write_members(call, codec, most));
  }
  if (!is_end) return STREW_OK;
  const bool is_empty = !codec->end && !codec->full;
  if (is_empty) RETURN_IF_FAILED(open_member(call, codec));
  struct member *last = codec->members[codec->full];
  return write_members(call, codec, codec->full + (is_empty || (last && last->bytes)));
}

#else /* built without zlib: nothing is ever created */

#pragma GCC diagnostic ignored "-Wunused-parameter"

strew_status codec_create(const struct call *call, strew_context *context, struct file *file, const struct draft *draft,
                          struct codec **out) {
  return fail_file(call, file ? file->path : draft->path, "on Debian: apt install zlib1g-dev, and build strew again",
                   "is compressed by gzip, and strew was built without zlib");
}
void codec_free(struct codec *codec) {}
strew_status codec_read(const struct call *call, struct codec *codec, void *to, size_t size_bytes, size_t *got) {
  return STREW_EFILE;
}
uint64_t codec_expected(const struct codec *codec, uint64_t made) { return 0; }
strew_status codec_write(const struct call *call, struct codec *codec, const void *from, size_t size_bytes,
                         bool is_end) {
  return STREW_EFILE;
}

#endif
