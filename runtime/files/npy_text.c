/* npy_text.c: NumPy's texts of a fixed width, <U and S, as the elements of a .npy: characters of four bytes, or bytes,
   filled up with zeros. */
#include "file.h"
#include "npy.h"
#include "runtime/core/base/utf8.h"
#include "runtime/text_time/words.h"
#include "stream.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Elements of a chunk, as they are in the file, and their codes. */
struct reading {
  const struct call *call;
  const struct npy_source *source;
  strew_context *context;
  size_t unit, width;
  bool is_swapped;
  int64_t done;
  unsigned char *elements;
  int32_t *codes;
  char *word;
  struct shared_words *shared;
};

/* Writes an element to reading->word. */
static strew_status decode(const struct reading *reading, const unsigned char *element, size_t *length) {
  size_t count = reading->width;
  uint32_t code = 0;
  for (; count; count--) {
    memcpy(&code, element + (count - 1) * reading->unit, reading->unit == 1 ? 1 : sizeof code);
    if (reading->unit == 1 ? element[count - 1] : code) break;
  }
  char *to = reading->word;
  for (size_t i = 0; i < count; i++) {
    if (reading->unit == 1)
      code = element[i];
    else
      memcpy(&code, element + i * sizeof code, sizeof code);
    if (reading->is_swapped) code = __builtin_bswap32(code);
    if (!utf8_has(code))
      return fail_member(reading->call, reading->source->path, reading->source->member, NULL,
                         "has the number %" PRIu32 " among the characters of element %" PRId64
                         ", which is none in a text",
                         code, reading->done);
    if (reading->unit == 1)
      *to++ = (char)code;
    else
      to = utf8_write(code, to);
  }
  return *length = (size_t)(to - reading->word), STREW_OK;
}

static strew_status number_elements(struct reading *reading, size_t count) {
  strew_status status = STREW_OK;
  const size_t bytes = reading->unit * reading->width;
  for (size_t i = 0; i < count && status == STREW_OK; i++, reading->done++) {
    size_t length = 0;
    int64_t number;
    status = decode(reading, reading->elements + i * bytes, &length);
    TRY(status, words_number(reading->call, reading->context, &reading->shared->words, reading->word, length, &number));
    if (status == STREW_OK) reading->codes[i] = (int32_t)number;
  }
  return status;
}

static strew_status read_chunks(struct reading *reading, const struct npy_header *header, strew_tensor *to,
                                size_t count, size_t chunk) {
  strew_status status = STREW_OK;
  const struct call *call = reading->call;
  for (size_t at = 0; at < count && status == STREW_OK; at += chunk) {
    const size_t some = count - at < chunk ? count - at : chunk, bytes = some * header->file_bytes;
    status = context_check(call, reading->context);
    TRY(status, reading->source->read(call, reading->source->user, reading->elements, bytes));
    TRY(status, number_elements(reading, some));
    TRY(status, to->storage->device->ops->write(call, to->storage, at * sizeof *reading->codes, reading->codes,
                                                some * sizeof *reading->codes));
    progress_step(reading->context, bytes);
  }
  return status;
}

strew_status npy_read_texts(const struct call *call, const struct npy_source *source, const struct npy_header *header,
                            strew_tensor *to, size_t size_bytes) {
  strew_context *context = to->storage->device->context;
  const size_t element = header->file_bytes, chunk = element < CHUNK_BYTES ? CHUNK_BYTES / element : 1;
  struct reading reading = {.call = call,
                            .source = source,
                            .context = context,
                            .unit = header->text_unit,
                            .width = element / header->text_unit,
                            .is_swapped = header->is_swapped,
                            .done = source->done};
  reading.elements = memory_allocate(context, chunk * element);
  reading.codes = memory_allocate(context, chunk * sizeof *reading.codes);
  reading.word = memory_allocate(context, 4 * reading.width + 1);
  strew_status status = reading.elements && reading.codes && reading.word
                            ? shared_words_create(call, context, &reading.shared)
                            : fail_memory(call, context, chunk * (element + sizeof *reading.codes));
  TRY(status, read_chunks(&reading, header, to, size_bytes / element, chunk));
  TRY(status, text_take(call, to, reading.shared));
  shared_words_release(reading.shared, context);
  memory_free(context, reading.word, 4 * reading.width + 1);
  memory_free(context, reading.codes, chunk * sizeof *reading.codes);
  memory_free(context, reading.elements, chunk * element);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- saving */

/* The most characters of a word, at least 1. */
static strew_status width_of(const struct call *call, const struct word_list *list, size_t *width) {
  char text[TEXT_BYTES];
  *width = 1;
  for (int64_t i = 0; i < list->count; i++) {
    const unsigned char *at = (const unsigned char *)words_at(&list->shared->words, i);
    size_t count = 0;
    for (int length; *at; at += length, count++)
      if (!(length = utf8_length(at)))
        return fail(call,
                    HINTED(STREW_EVALUE, "x", "a .csv file keeps all bytes; iconv -f LATIN1 -t UTF-8 converts it"),
                    "has the word \"%s\", which is not UTF-8: NumPy's texts are made of its characters",
                    text_of_name(words_at(&list->shared->words, i), text));
    if (count > *width) *width = count;
  }
  return STREW_OK;
}

strew_status npy_text_bytes(const struct call *call, const strew_tensor *text, size_t *element_bytes) {
  RETURN_IF_FAILED(width_of(call, text->storage->words, element_bytes));
  *element_bytes *= sizeof(uint32_t);
  return STREW_OK;
}

strew_status npy_text_characters(const struct call *call, const strew_tensor *text, size_t element_bytes,
                                 strew_tensor **out) {
  strew_context *context = tensor_context(text);
  const struct words *words = &text->storage->words->shared->words;
  const size_t width = element_bytes / sizeof(uint32_t);
  const int64_t sizes[] = {strew_tensor_numel(text), (int64_t)width};
  strew_tensor *dense = NULL, *codes = NULL;
  strew_status status = transfer(call, text, &context->cpu, &dense); /* which checks codes of a device */
  TRY(status, copy_as(call, dense, STREW_INT32, &codes));
  TRY(status, tensor_create(call, &context->cpu, STREW_UINT32, 2, sizes, out));
  uint32_t *to = status == STREW_OK && sizes[0] ? dense_at(*out, 0) : NULL;
  const int32_t *code = to ? dense_at(codes, 0) : NULL;
  for (int64_t i = 0; to && i < sizes[0]; i++) {
    const unsigned char *at = (const unsigned char *)words_at(words, code[i]);
    for (size_t k = 0; k < width; k++) {
      const int length = *at ? utf8_length(at) : 0;
      *to++ = length ? utf8_decode(at, length) : 0;
      at += length;
    }
  }
  strew_release(codes);
  strew_release(dense);
  return status;
}
