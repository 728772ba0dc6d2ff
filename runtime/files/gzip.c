/* gzip.c: gzip's format (RFC 1952) through zlib, see stream.h. zlib's memory is the context's. */
#include "runtime/core/base/library.h"
#include "stream.h"

#if __has_include(<zlib.h>)
#define ZLIB_CONST
#include <zlib.h>

#include <inttypes.h>
#include <string.h>

enum { BUFFER_BYTES = 64 << 10, GZIP_WINDOW = 15 + 16 /* the largest window; gzip's header and end */ };

/* --------------------------------------------------------------------------------------------------- the library */

#define ZLIB_CALLS(X)                                                                                                  \
  X(inflateInit2_)                                                                                                     \
  X(inflate)                                                                                                           \
  X(inflateReset)                                                                                                      \
  X(inflateEnd)                                                                                                        \
  X(deflateInit2_)                                                                                                     \
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

/* zlib's state, its file or draft, and a buffer of compressed bytes. */
struct codec {
  strew_context *context;
  const char *path;
  struct file *file;         /* to inflate; NULL: deflates into */
  const struct draft *draft; /* this */
  uint64_t end;              /* offset in the file of the buffer's end; bytes in the draft */
  bool is_between;           /* before a member: here the file may end */
  bool is_first;             /* before the end of the first member */
  bool has_more;             /* zlib may hold output that had no room */
  z_stream zlib;
  unsigned char buffer[BUFFER_BYTES];
};

strew_status codec_create(const struct call *call, strew_context *context, struct file *file, const struct draft *draft,
                          struct codec **out) {
  enum { LEVEL = 4 /* zlib's own, 6, takes 2 to 4 times as long for 2 to 10 % less */, MEMORY = 8 };
  const char *path = file ? file->path : draft->path;
  RETURN_IF_FAILED(check_zlib(call, path));
  ALLOCATE_NEW(struct codec *, codec, call, context, sizeof *codec);
  memset(codec, 0, offsetof(struct codec, buffer));
  codec->context = context, codec->path = path, codec->file = file, codec->draft = draft;
  codec->is_first = codec->is_between = true;
  z_stream *stream = &codec->zlib;
  *stream = (z_stream){.zalloc = allocate, .zfree = deallocate, .opaque = context};
  int code = file ? zlib.inflateInit2_(stream, GZIP_WINDOW, ZLIB_VERSION, (int)sizeof *stream)
                  : zlib.deflateInit2_(stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                                       (int)sizeof *stream);
  if (code == Z_OK) return *out = codec, STREW_OK;
  memory_free(context, codec, sizeof *codec);
  return fail_memory(call, context, sizeof *codec);
}

void codec_free(struct codec *codec) {
  if (!codec) return;
  (codec->file ? zlib.inflateEnd : zlib.deflateEnd)(&codec->zlib);
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

/* Deflates the input, until the buffer is not filled any more. */
static strew_status deflate_input(const struct call *call, struct codec *codec, int flush) {
  strew_status status = STREW_OK;
  do {
    codec->zlib.next_out = codec->buffer;
    codec->zlib.avail_out = BUFFER_BYTES;
    zlib.deflate(&codec->zlib, flush); /* always has room and, except at the end, input: no error is possible */
    size_t made = BUFFER_BYTES - codec->zlib.avail_out;
    status = context_check(call, codec->context);
    TRY(status, draft_write(call, codec->draft, codec->end, codec->buffer, made));
    codec->end += made;
  } while (status == STREW_OK && !codec->zlib.avail_out);
  return status;
}

strew_status codec_write(const struct call *call, struct codec *codec, const void *from, size_t size_bytes,
                         bool is_end) {
  strew_status status = STREW_OK;
  for (const unsigned char *at = from; size_bytes && status == STREW_OK;) {
    unsigned step = limited(size_bytes);
    codec->zlib.next_in = at;
    codec->zlib.avail_in = step;
    status = deflate_input(call, codec, Z_NO_FLUSH);
    at += step, size_bytes -= step;
  }
  return is_end ? TRY(status, deflate_input(call, codec, Z_FINISH)) : status;
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
