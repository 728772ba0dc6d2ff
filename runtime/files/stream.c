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

strew_status stream_grow(const struct call *call, strew_context *context, size_t used_bytes, size_t min_bytes,
                         char **bytes, size_t *held_bytes) {
  size_t step = *held_bytes / 2 < min_bytes ? min_bytes : *held_bytes / 2;
  if (*held_bytes > SIZE_MAX - step) return fail_memory(call, context, SIZE_MAX);
  size_t wider_bytes = *held_bytes + step;
  RETURN_IF_FAILED(check_machine_memory(call, &context->cpu, wider_bytes, NULL));
  ALLOCATE_NEW(char *, wider, call, context, wider_bytes);
  if (used_bytes) memcpy(wider, *bytes, used_bytes);
  memory_free(context, *bytes, *held_bytes);
  *bytes = wider;
  *held_bytes = wider_bytes;
  return STREW_OK;
}

strew_status window_fill(const struct call *call, strew_context *context, struct window *window, bool *is_lost) {
  strew_status status = STREW_OK;
  size_t got;
  if (window->begin) {
    window->end -= window->begin;
    window->before += window->begin;
    memmove(window->text, window->text + window->begin, window->end);
    window->begin = 0;
  }
  if (window->held_bytes - window->end < 2)
    status = stream_grow(call, context, window->end, STREAM_MIN_BYTES, &window->text, &window->held_bytes);
  if (status != STREW_OK) return status;
  const size_t room = window->held_bytes - window->end - 1;
  status = stream_read(call, window->stream, window->text + window->end, STREAM_PIECE(room), &got);
  if (status != STREW_OK) return *is_lost = true, status;
  window->end += got;
  window->is_at_end = !got;
  return STREW_OK;
}

strew_status file_hold(const struct call *call, struct file *file, bool is_gzip) {
  struct stream stream;
  const uint64_t expected = is_gzip ? 0 : file->size_bytes;
  size_t min_bytes = expected && expected < SIZE_MAX - 1 ? (size_t)expected + 2 : STREAM_MIN_BYTES, length = 0, got = 1;
  if (file->bytes) return STREW_OK;
  strew_status status = stream_open(call, file, is_gzip, &stream);
  for (; status == STREW_OK && got; length += got, min_bytes = STREAM_MIN_BYTES) {
    got = 0;
    const bool is_full = file->held_bytes - length < 2;
    const uint64_t whole = is_full && is_gzip && length ? codec_expected(stream.codec, length) : 0;
    if (whole) min_bytes = (size_t)whole + 2 - file->held_bytes;
    if (is_full) status = stream_grow(call, file->context, length, min_bytes, &file->bytes, &file->held_bytes);
    size_t left = file->held_bytes - length - 1;
    TRY(status, stream_read(call, &stream, file->bytes + length, STREAM_PIECE(left), &got));
  }
  stream_close(&stream);
  if (status != STREW_OK) return status;
  file->bytes[length] = '\0';
  file->size_bytes = length;
  if (!file->is_regular || length >= expected) return STREW_OK;
  return file_read(call, file, length, NULL, (size_t)(expected - length)); /* fails: the file has become shorter */
}

/* -------------------------------------------------------------------------------------------------------- writing */

strew_status sink_open(const struct call *call, strew_context *context, const char *path, bool is_gzip,
                       struct sink *out) {
  out->written = 0;
  out->codec = NULL;
  strew_status status = STREW_OK;
  if (file_is_output(path))
    draft_open_output(context, path, &out->draft);
  else
    status = draft_create(call, path, &out->draft);
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

strew_status sink_end(const struct call *call, struct sink *sink, strew_status status) {
  if (sink->codec) TRY(status, codec_write(call, sink->codec, NULL, 0, true));
  codec_free(sink->codec);
  if (status == STREW_OK) return draft_commit(call, &sink->draft);
  return draft_discard(&sink->draft), status;
}
