/* stream.c: see stream.h. */
#include "stream.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- reading */

strew_status stream_open(const struct call *call, struct file *file, bool is_gzip, struct stream *out) {
  *out = (struct stream){.file = file};
  return is_gzip ? codec_create(call, file->context, file, NULL, &out->codec) : STREW_OK;
}

void stream_close(struct stream *stream) { codec_free(stream->codec); }

strew_status stream_read(const struct call *call, struct stream *stream, void *to, size_t size_bytes, size_t *got) {
  if (stream->codec) return codec_read(call, stream->codec, to, size_bytes, got);
  strew_status status = ahead_next(call, stream->file, to, size_bytes, got);
  if (status == STREW_OK) progress_step(stream->file->context, *got);
  return status;
}

/* Memory for the contents, with a 0 after them. */
struct contents {
  char *bytes;
  size_t length, held_bytes;
};

/* Grows by a half, and by at least min_bytes. */
static strew_status stream_grow(const struct call *call, strew_context *context, size_t min_bytes,
                                struct contents *contents) {
  size_t step = contents->held_bytes / 2 < min_bytes ? min_bytes : contents->held_bytes / 2;
  if (contents->held_bytes > SIZE_MAX - step) return fail_memory(call, context, SIZE_MAX);
  struct contents wider = {NULL, contents->length, contents->held_bytes + step};
  strew_status status = check_machine_memory(call, &context->cpu, wider.held_bytes, NULL);
  if (status != STREW_OK) return status;
  wider.bytes = memory_allocate(context, wider.held_bytes);
  if (!wider.bytes) return fail_memory(call, context, wider.held_bytes);
  if (contents->length) memcpy(wider.bytes, contents->bytes, contents->length);
  memory_free(context, contents->bytes, contents->held_bytes);
  *contents = wider;
  return STREW_OK;
}

/* Reads to the end. */
static strew_status read_contents(const struct call *call, struct stream *stream, struct contents *contents) {
  enum { PIECE_BYTES = 4 << 20, MIN_BYTES = 64 << 10 };
  uint64_t expected = stream->codec ? 0 : stream->file->size_bytes;
  size_t min_bytes = expected > MIN_BYTES && expected < SIZE_MAX - 1 ? (size_t)expected + 2 : MIN_BYTES;
  for (size_t got = 1; got;) {
    strew_status status = STREW_OK;
    if (contents->held_bytes - contents->length < 2)
      status = stream_grow(call, stream->file->context, min_bytes, contents);
    if (status != STREW_OK) return status;
    min_bytes = MIN_BYTES;
    size_t left = contents->held_bytes - contents->length - 1;
    status =
        stream_read(call, stream, contents->bytes + contents->length, left < PIECE_BYTES ? left : PIECE_BYTES, &got);
    if (status != STREW_OK) return status;
    contents->length += got;
  }
  contents->bytes[contents->length] = '\0';
  return STREW_OK;
}

strew_status file_hold(const struct call *call, struct file *file, bool is_gzip) {
  struct stream stream;
  struct contents contents = {0};
  if (file->is_regular && !is_gzip) return STREW_OK;
  strew_status status = stream_open(call, file, is_gzip, &stream);
  if (status != STREW_OK) return status;
  status = read_contents(call, &stream, &contents);
  stream_close(&stream);
  if (status != STREW_OK) return memory_free(file->context, contents.bytes, contents.held_bytes), status;
  file->bytes = contents.bytes;
  file->held_bytes = contents.held_bytes;
  file->size_bytes = contents.length;
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- writing */

strew_status sink_open(const struct call *call, strew_context *context, const char *path, bool is_gzip,
                       struct sink *out) {
  out->written = 0;
  out->codec = NULL;
  strew_status status = draft_create(call, path, &out->draft);
  if (status != STREW_OK || !is_gzip) return status;
  status = codec_create(call, context, NULL, &out->draft, &out->codec);
  if (status != STREW_OK) draft_discard(&out->draft);
  return status;
}

strew_status sink_write(const struct call *call, struct sink *sink, const void *from, size_t size_bytes) {
  if (sink->codec) return codec_write(call, sink->codec, from, size_bytes, false);
  strew_status status = draft_write(call, &sink->draft, sink->written, from, size_bytes);
  sink->written += size_bytes;
  return status;
}

strew_status sink_commit(const struct call *call, struct sink *sink) {
  strew_status status = sink->codec ? codec_write(call, sink->codec, NULL, 0, true) : STREW_OK;
  if (status != STREW_OK) return sink_discard(sink), status;
  codec_free(sink->codec);
  return draft_commit(call, &sink->draft);
}

void sink_discard(struct sink *sink) {
  codec_free(sink->codec);
  draft_discard(&sink->draft);
}
