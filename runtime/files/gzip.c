/* gzip.c: see gzip.h. zlib's memory is the context's. */
#include "gzip.h"
#include "file.h"
#include "runtime/base/library.h"

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
  z_stream zlib;
  unsigned char buffer[BUFFER_BYTES];
};

static void prepare(struct codec *codec, strew_context *context, const char *path) {
  codec->context = context;
  codec->path = path;
  codec->zlib = (z_stream){.zalloc = allocate, .zfree = deallocate, .opaque = context};
}

/* The most bytes that zlib takes at once. */
static unsigned limited(size_t size_bytes) { return size_bytes < INT32_MAX ? (unsigned)size_bytes : INT32_MAX; }

/* -------------------------------------------------------------------------------------------------------- reading */

struct inflater {
  struct codec codec;
  struct file *file;
  uint64_t end_of_input; /* offset in the file of the buffer's end */
  bool is_between;       /* before a member: here the file may end */
  bool is_first;         /* before the end of the first member */
  bool has_more;         /* zlib may hold output that had no room */
};

strew_status inflater_create(const struct call *call, struct file *file, struct inflater **out) {
  strew_status status = check_zlib(call, file->path);
  if (status != STREW_OK) return status;
  struct inflater *inflater = memory_allocate(file->context, sizeof *inflater);
  if (!inflater) return fail_memory(call, file->context, sizeof *inflater);
  inflater->file = file;
  inflater->end_of_input = 0;
  inflater->is_first = inflater->is_between = true;
  inflater->has_more = false;
  prepare(&inflater->codec, file->context, file->path);
  z_stream *stream = &inflater->codec.zlib;
  if (zlib.inflateInit2_(stream, GZIP_WINDOW, ZLIB_VERSION, (int)sizeof *stream) != Z_OK) {
    memory_free(file->context, inflater, sizeof *inflater);
    return fail_memory(call, file->context, sizeof *inflater);
  }
  *out = inflater;
  return STREW_OK;
}

void inflater_free(struct inflater *inflater) {
  if (!inflater) return;
  zlib.inflateEnd(&inflater->codec.zlib);
  memory_free(inflater->codec.context, inflater, sizeof *inflater);
}

/* Offset of the next compressed byte. */
static uint64_t position(const struct inflater *inflater) {
  return inflater->end_of_input - inflater->codec.zlib.avail_in;
}

static strew_status fill_input(const struct call *call, struct inflater *inflater) {
  struct codec *codec = &inflater->codec;
  size_t got;
  strew_status status = ahead_next(call, inflater->file, codec->buffer, BUFFER_BYTES, &got);
  if (status != STREW_OK) return status;
  codec->zlib.next_in = codec->buffer;
  codec->zlib.avail_in = (unsigned)got;
  inflater->end_of_input += got;
  progress_step(codec->context, got);
  return STREW_OK;
}

/* Skips zeros, which may fill up the last block of a tape or disk, and begins the next member. */
static strew_status begin_member(const struct call *call, struct inflater *inflater) {
  z_stream *stream = &inflater->codec.zlib;
  while (!inflater->is_first && stream->avail_in && !*stream->next_in) stream->next_in++, stream->avail_in--;
  if (!stream->avail_in) return STREW_OK;
  inflater->is_between = false;
  if (*stream->next_in == 0x1f) return STREW_OK;
  if (inflater->is_first)
    return fail_file(call, inflater->codec.path, "{.format = \"...\"} overrides the suffix",
                     "is not compressed by gzip: it does not begin with the bytes 1f 8b");
  return fail_file(call, inflater->codec.path, NULL, "has bytes after the end of its gzip data, at byte %" PRIu64,
                   position(inflater));
}

/* The file has ended. */
static strew_status check_gzip_end(const struct call *call, const struct inflater *inflater) {
  if (!inflater->end_of_input) return fail_file(call, inflater->codec.path, NULL, "is empty, expected gzip data");
  if (inflater->is_between) return STREW_OK;
  return fail_file(call, inflater->codec.path, NULL, "is truncated: its gzip data has no end before byte %" PRIu64,
                   inflater->end_of_input);
}

/* Inflates some of the input. */
static strew_status advance(const struct call *call, struct inflater *inflater) {
  z_stream *stream = &inflater->codec.zlib;
  int code = zlib.inflate(stream, Z_NO_FLUSH);
  inflater->has_more = !stream->avail_out;
  if (code == Z_STREAM_END) {
    inflater->is_between = true;
    inflater->is_first = false;
    code = zlib.inflateReset(stream);
  }
  if (code == Z_OK || code == Z_BUF_ERROR) return STREW_OK;
  if (code == Z_MEM_ERROR) return fail_memory(call, inflater->codec.context, sizeof *inflater);
  return fail_file(call, inflater->codec.path, NULL, "is damaged: its gzip data is invalid before byte %" PRIu64 ": %s",
                   position(inflater), stream->msg ? stream->msg : "unknown error");
}

strew_status inflater_read(const struct call *call, struct inflater *inflater, void *to, size_t size_bytes,
                           size_t *got) {
  z_stream *stream = &inflater->codec.zlib;
  unsigned wanted = limited(size_bytes);
  stream->next_out = to;
  stream->avail_out = wanted;
  while (stream->avail_out) {
    strew_status status = STREW_OK;
    if (!stream->avail_in && !inflater->has_more) {
      if (stream->avail_out < wanted) break; /* what is there is given before a pipe is waited for */
      status = fill_input(call, inflater);
      if (status == STREW_OK && !stream->avail_in) return *got = 0, check_gzip_end(call, inflater);
    }
    if (status == STREW_OK && inflater->is_between) status = begin_member(call, inflater);
    if (status == STREW_OK && (stream->avail_in || inflater->has_more)) status = advance(call, inflater);
    TRY(status, context_check(call, inflater->codec.context));
    if (status != STREW_OK) return status;
  }
  *got = wanted - stream->avail_out;
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- writing */

struct deflater {
  struct codec codec;
  const struct draft *draft;
  uint64_t written;
};

strew_status deflater_create(const struct call *call, strew_context *context, const struct draft *draft,
                             struct deflater **out) {
  enum { LEVEL = 6, MEMORY = 8 }; /* zlib's defaults */
  strew_status status = check_zlib(call, draft->path);
  if (status != STREW_OK) return status;
  struct deflater *deflater = memory_allocate(context, sizeof *deflater);
  if (!deflater) return fail_memory(call, context, sizeof *deflater);
  deflater->draft = draft;
  deflater->written = 0;
  prepare(&deflater->codec, context, draft->path);
  z_stream *stream = &deflater->codec.zlib;
  int code = zlib.deflateInit2_(stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                                (int)sizeof *stream);
  if (code != Z_OK) {
    memory_free(context, deflater, sizeof *deflater);
    return fail_memory(call, context, sizeof *deflater);
  }
  *out = deflater;
  return STREW_OK;
}

void deflater_free(struct deflater *deflater) {
  if (!deflater) return;
  zlib.deflateEnd(&deflater->codec.zlib);
  memory_free(deflater->codec.context, deflater, sizeof *deflater);
}

/* Deflates the input, until the buffer is not filled any more. */
static strew_status deflate_input(const struct call *call, struct deflater *deflater, int flush) {
  struct codec *codec = &deflater->codec;
  strew_status status = STREW_OK;
  do {
    codec->zlib.next_out = codec->buffer;
    codec->zlib.avail_out = BUFFER_BYTES;
    zlib.deflate(&codec->zlib, flush); /* always has room and, except at the end, input: no error is possible */
    size_t made = BUFFER_BYTES - codec->zlib.avail_out;
    status = context_check(call, codec->context);
    TRY(status, draft_write(call, deflater->draft, deflater->written, codec->buffer, made));
    deflater->written += made;
  } while (status == STREW_OK && !codec->zlib.avail_out);
  return status;
}

strew_status deflater_write(const struct call *call, struct deflater *deflater, const void *from, size_t size_bytes) {
  strew_status status = STREW_OK;
  for (const unsigned char *at = from; size_bytes && status == STREW_OK;) {
    unsigned step = limited(size_bytes);
    deflater->codec.zlib.next_in = at;
    deflater->codec.zlib.avail_in = step;
    status = deflate_input(call, deflater, Z_NO_FLUSH);
    at += step, size_bytes -= step;
  }
  return status;
}

strew_status deflater_end(const struct call *call, struct deflater *deflater) {
  return deflate_input(call, deflater, Z_FINISH);
}

#else /* built without zlib: nothing is ever created */

static strew_status fail_zlib(const struct call *call, const char *path) {
  return fail_file(call, path, "on Debian: apt install zlib1g-dev, and build strew again",
                   "is compressed by gzip, and strew was built without zlib");
}

strew_status inflater_create(const struct call *call, struct file *file, struct inflater **out) {
  (void)out;
  return fail_zlib(call, file->path);
}
void inflater_free(struct inflater *inflater) { (void)inflater; }
strew_status inflater_read(const struct call *call, struct inflater *inflater, void *to, size_t size_bytes,
                           size_t *got) {
  (void)call, (void)inflater, (void)to, (void)size_bytes, (void)got;
  return STREW_EFILE;
}
strew_status deflater_create(const struct call *call, strew_context *context, const struct draft *draft,
                             struct deflater **out) {
  (void)context, (void)out;
  return fail_zlib(call, draft->path);
}
void deflater_free(struct deflater *deflater) { (void)deflater; }
strew_status deflater_write(const struct call *call, struct deflater *deflater, const void *from, size_t size_bytes) {
  (void)call, (void)deflater, (void)from, (void)size_bytes;
  return STREW_EFILE;
}
strew_status deflater_end(const struct call *call, struct deflater *deflater) {
  return (void)call, (void)deflater, STREW_EFILE;
}

#endif
