/* safetensors.c: tables of tensors as .safetensors files: the length of a header as 8 bytes, the header, JSON that names
   each tensor with its dtype, shape and place, and the elements, little-endian and row-major, without gaps. */
#include "file.h"
#include "format.h"
#include "json.h"
#include "npy.h"
#include "runtime/core/base/utf8.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8, HEADER_LIMIT = 100000000, PIECE_BYTES = 4 << 20 };
enum { IS_SWAPPED = !IS_LITTLE_ENDIAN };

static const char *const dtype_words[] = {
    [STREW_FLOAT32] = "F32", [STREW_FLOAT64] = "F64", [STREW_FLOAT16] = "F16", [STREW_BFLOAT16] = "BF16",
    [STREW_INT64] = "I64",   [STREW_INT32] = "I32",   [STREW_INT16] = "I16",   [STREW_INT8] = "I8",
    [STREW_UINT8] = "U8",    [STREW_BOOL] = "BOOL",   [STREW_UINT16] = "U16",  [STREW_UINT32] = "U32",
    [STREW_UINT64] = "U64"};
static const char metadata[] = "__metadata__";

/* --------------------------------------------------------------------------------------------------------- header */

/* A tensor of the header. Its shape is parsed again when it is made: it is small as text. */
struct entry {
  const char *shape;
  uint64_t begin, end; /* bytes after the header */
  strew_dtype dtype;
};

struct header {
  const struct call *call;
  strew_context *context;
  struct file *file;
  char *text;
  size_t text_bytes;
  const char *at, *end;
  uint64_t data_at, data_bytes;
  struct words names; /* of the entries */
  struct entry *entries;
  int64_t capacity;
};

static strew_status unexpected(const struct header *h, const char *expected) {
  return fail_file(h->call, h->file->path, NULL, "has an invalid header: expected %s at its byte %zd", expected,
                   h->at - h->text);
}

static void skip_blanks(struct header *h) { h->at = json_blanks(h->at, h->end); }

/* Skips blanks, and then this character if it is next; true if it was. */
static bool accept(struct header *h, char c) {
  skip_blanks(h);
  if (h->at == h->end || *h->at != c) return false;
  return h->at++, true;
}

static strew_status parse_string(struct header *h, const char **out, size_t *length) {
  if (!accept(h, '"')) return unexpected(h, "a string");
  char *at = h->text + (h->at - h->text);
  const char *expected = json_string(&at, h->end, out, length);
  h->at = at;
  return expected ? unexpected(h, expected) : STREW_OK;
}

static strew_status parse_whole(struct header *h, int64_t *out) {
  skip_blanks(h);
  const char *first = h->at;
  for (*out = 0; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
    if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *h->at - '0', out))
      return unexpected(h, "a number below 2^63");
  if (h->at == first || (*first == '0' && h->at > first + 1)) return unexpected(h, "a whole number");
  return STREW_OK;
}

/* Parses [1, 2, 3], at most `most` numbers. */
static strew_status parse_wholes(struct header *h, int most, int64_t *out, int *count) {
  *count = 0;
  if (!accept(h, '[')) return unexpected(h, "[");
  if (accept(h, ']')) return STREW_OK;
  do {
    if (*count == most)
      return fail_file(h->call, h->file->path, NULL, "has a list of more than %d numbers at byte %zd of its header",
                       most, h->at - h->text);
    RETURN_IF_FAILED(parse_whole(h, &out[(*count)++]));
  } while (accept(h, ','));
  return accept(h, ']') ? STREW_OK : unexpected(h, ", or ]");
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && memcmp(text, word, length) == 0;
}

static strew_status parse_dtype(struct header *h, const char *name, struct entry *entry) {
  const char *text;
  size_t length;
  char shown[TEXT_BYTES], word[32];
  RETURN_IF_FAILED(parse_string(h, &text, &length));
  for (int dtype = 0; dtype < STREW_DTYPE_COUNT; dtype++)
    if (is_word(text, length, dtype_words[dtype])) return entry->dtype = (strew_dtype)dtype, STREW_OK;
  snprintf(word, sizeof word, "%.*s", (int)(length < 20 ? length : 20), text);
  return fail_member(h->call, h->file->path, name, NULL, "has dtype \"%s\", which strew does not have",
                     text_of_name(word, shown));
}

/* {"dtype": .., "shape": .., "data_offsets": ..}, in any order. */
static strew_status parse_entry(struct header *h, const char *name, struct entry *entry) {
  static const char *const keys[] = {"dtype", "shape", "data_offsets"};
  bool is_given[3] = {false};
  int64_t numbers[MAX_RANK];
  if (!accept(h, '{')) return unexpected(h, "{");
  do {
    const char *key;
    size_t length;
    int count, i = 0;
    RETURN_IF_FAILED(parse_string(h, &key, &length));
    while (i < 3 && !is_word(key, length, keys[i])) i++;
    if (i == 3 || is_given[i]) return unexpected(h, "one each of dtype, shape, data_offsets");
    is_given[i] = true;
    if (!accept(h, ':')) return unexpected(h, ":");
    skip_blanks(h);
    if (i == 1) entry->shape = h->at;
    RETURN_IF_FAILED(i == 0 ? parse_dtype(h, name, entry) : parse_wholes(h, i == 1 ? MAX_RANK : 2, numbers, &count));
    if (i == 2 && count != 2) return unexpected(h, "two offsets before here");
    if (i == 2) entry->begin = (uint64_t)numbers[0], entry->end = (uint64_t)numbers[1];
  } while (accept(h, ','));
  if (!accept(h, '}')) return unexpected(h, ", or }");
  for (int i = 0; i < 3; i++)
    if (!is_given[i]) return fail_member(h->call, h->file->path, name, NULL, "has no %s in the header", keys[i]);
  return STREW_OK;
}

/* {"key": "value", ...}, which is not used. */
static strew_status parse_metadata(struct header *h) {
  const char *text;
  size_t length;
  if (!accept(h, '{')) return unexpected(h, "{");
  if (accept(h, '}')) return STREW_OK;
  do {
    RETURN_IF_FAILED(parse_string(h, &text, &length));
    if (!accept(h, ':')) return unexpected(h, ":");
    RETURN_IF_FAILED(parse_string(h, &text, &length));
  } while (accept(h, ','));
  return accept(h, '}') ? STREW_OK : unexpected(h, ", or }");
}

/* The sizes of an entry, whose tensor has the bytes that it names. */
static strew_status entry_sizes(struct header *h, const char *name, const struct entry *entry, int *rank,
                                int64_t *sizes) {
  const struct header whole = *h;
  char text[TEXT_BYTES];
  h->at = entry->shape;
  strew_status status = parse_wholes(h, MAX_RANK, sizes, rank);
  h->at = whole.at;
  if (status != STREW_OK) return status;
  uint64_t bytes = dtype_bytes(entry->dtype);
  const bool is_countable = check_sizes(&(struct call){0}, entry->dtype, *rank, sizes) == STREW_OK;
  if (is_countable) bytes *= (uint64_t)count_of_sizes(*rank, sizes);
  if (is_countable && entry->begin <= entry->end && bytes == entry->end - entry->begin) return STREW_OK;
  return fail_member(h->call, h->file->path, name, NULL,
                     "is %s%s, but has the offsets %" PRIu64 " and %" PRIu64 ", expected the bytes of its elements",
                     strew_dtype_name(entry->dtype), text_of_sizes(*rank, sizes, text), entry->begin, entry->end);
}

static strew_status add_entry(struct header *h, const char *name, size_t length) {
  const int64_t count = h->names.count;
  int64_t number, sizes[MAX_RANK];
  int rank;
  char text[TEXT_BYTES];
  RETURN_IF_FAILED(words_number(h->call, h->context, &h->names, name, length, &number));
  name = words_at(&h->names, number);
  if (number < count)
    return fail_file(h->call, h->file->path, NULL, "has two tensors named \"%s\"", text_of_name(name, text));
  if (count == h->capacity) {
    const int64_t capacity = count ? 2 * count : 8;
    const size_t old_bytes = (size_t)count * sizeof *h->entries;
    ALLOCATE_NEW(struct entry *, entries, h->call, h->context, (size_t)capacity * sizeof *entries);
    if (old_bytes) memcpy(entries, h->entries, old_bytes);
    memory_free(h->context, h->entries, old_bytes);
    h->entries = entries, h->capacity = capacity;
  }
  RETURN_IF_FAILED(parse_entry(h, name, &h->entries[count]));
  return entry_sizes(h, name, &h->entries[count], &rank, sizes);
}

static strew_status parse_header(struct header *h) {
  if (!accept(h, '{')) return unexpected(h, "{");
  bool is_empty = accept(h, '}'), has_metadata = false;
  for (bool has_next = !is_empty; has_next; has_next = accept(h, ',')) {
    const char *name;
    size_t length;
    if (h->names.count % 4096 == 4095) RETURN_IF_FAILED(context_check(h->call, h->context));
    RETURN_IF_FAILED(parse_string(h, &name, &length));
    if (!accept(h, ':')) return unexpected(h, ":");
    const bool is_metadata = is_word(name, length, metadata);
    if (is_metadata && has_metadata) return unexpected(h, "no second __metadata__ before here");
    has_metadata = has_metadata || is_metadata;
    RETURN_IF_FAILED(is_metadata ? parse_metadata(h) : add_entry(h, name, length));
  }
  if (!is_empty && !accept(h, '}')) return unexpected(h, ", or }");
  skip_blanks(h);
  return h->at == h->end ? STREW_OK : unexpected(h, "nothing more");
}

static int compare_places(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Fails unless the tensors take all bytes after the header, each once. */
static strew_status check_places(const struct header *h) {
  const int64_t count = h->names.count;
  const size_t size_bytes = (size_t)count * 2 * sizeof(uint64_t);
  uint64_t end = 0;
  ALLOCATE_NEW(uint64_t *, places, h->call, h->context, size_bytes);
  for (int64_t i = 0; i < count; i++) places[2 * i] = h->entries[i].begin, places[2 * i + 1] = h->entries[i].end;
  if (count) qsort(places, (size_t)count, 2 * sizeof *places, compare_places);
  int64_t i = 0;
  for (; i < count && places[2 * i] == end; i++) end = places[2 * i + 1];
  const uint64_t next = i < count ? places[2 * i] : h->data_bytes;
  memory_free(h->context, places, size_bytes);
  if (i < count)
    return fail_file(h->call, h->file->path, NULL,
                     "has a tensor from offset %" PRIu64 " on, expected %" PRIu64 ", the end of the one before", next,
                     end);
  if (end == next) return STREW_OK;
  return fail_file(h->call, h->file->path, NULL,
                   end > next ? "is truncated: its tensors end at offset %" PRIu64 ", found %" PRIu64 " bytes"
                              : "has tensors up to offset %" PRIu64 ", and %" PRIu64 " bytes",
                   end, next);
}

static strew_status read_header(struct header *h) {
  unsigned char length[LENGTH_BYTES];
  const struct file *file = h->file;
  uint64_t bytes = 0;
  if (file->size_bytes < LENGTH_BYTES)
    return fail_file(h->call, file->path, NULL, "has %" PRIu64 " bytes, too short for a .safetensors file",
                     file->size_bytes);
  RETURN_IF_FAILED(file_read(h->call, file, 0, length, sizeof length));
  for (int i = LENGTH_BYTES - 1; i >= 0; i--) bytes = bytes << 8 | length[i];
  if (bytes > HEADER_LIMIT || bytes > file->size_bytes - LENGTH_BYTES)
    return fail_file(h->call, file->path, NULL,
                     "claims a header of %" PRIu64 " bytes, expected at most %d, and %" PRIu64 " in all", bytes,
                     HEADER_LIMIT, file->size_bytes - LENGTH_BYTES);
  ALLOCATE(h->text, h->call, h->context, (size_t)bytes);
  h->text_bytes = (size_t)bytes;
  h->at = h->text, h->end = h->text + bytes;
  h->data_at = LENGTH_BYTES + bytes, h->data_bytes = file->size_bytes - h->data_at;
  strew_status status = file_read(h->call, file, LENGTH_BYTES, h->text, (size_t)bytes);
  TRY(status, parse_header(h));
  return TRY(status, check_places(h));
}

static void free_header(struct header *h) {
  words_release(&h->names, h->context);
  memory_free(h->context, h->entries, (size_t)h->capacity * sizeof *h->entries);
  memory_free(h->context, h->text, h->text_bytes);
}

/* -------------------------------------------------------------------------------------------------------- loading */

static strew_status make_tensor(struct header *h, strew_device *device, int64_t i, struct mapping *mapping,
                                strew_tensor **out) {
  const struct entry *entry = &h->entries[i];
  const char *name = words_at(&h->names, i);
  const uint64_t at = h->data_at + entry->begin;
  const size_t bytes = (size_t)(entry->end - entry->begin), element = dtype_bytes(entry->dtype);
  struct npy_position next = {h->file, at};
  const struct npy_source source = {h->file->path, name, bytes, npy_read_next, &next, NULL, 0};
  struct npy_header like = {.dtype = entry->dtype, .file_bytes = element, .is_swapped = IS_SWAPPED && element > 1};
  RETURN_IF_FAILED(entry_sizes(h, name, entry, &like.rank, like.sizes));
  if (!mapping) {
    strew_status status = npy_create(h->call, device, &like, like.sizes, out);
    TRY(status, npy_read_elements(h->call, &source, &like, *out, bytes));
    return release_if_failed(status, out);
  }
  if (like.is_swapped)
    return fail_member(h->call, h->file->path, name, "leave out map, to read it",
                       "cannot be mapped: its byte order is not this machine's");
  if (at % element)
    return fail_member(h->call, h->file->path, name, "leave out map, to read it",
                       "cannot be mapped: its elements begin at byte %" PRIu64 ", not a multiple of their %zu bytes",
                       at, element);
  if (entry->dtype == STREW_BOOL)
    RETURN_IF_FAILED(normalize_bools(h->call, h->context, mapping_at(mapping, at), bytes));
  return mapping_tensor(h->call, device, mapping, at, like.dtype, like.rank, like.sizes, NULL, out);
}

/* The tensors that the caller names, or all. */
static strew_status add_tensors(struct header *h, strew_device *device, const strew_load_options *options,
                                struct mapping *mapping, strew_table *table) {
  char text[TEXT_BYTES];
  const int64_t count = options->column_count ? options->column_count : h->names.count;
  for (int64_t k = 0; k < count; k++) {
    const char *wanted = options->column_count ? options->columns[k] : NULL;
    const int64_t i = wanted ? words_find(&h->names, wanted, strlen(wanted)) : k;
    if (i < 0 || (wanted && strew_table_find(table, wanted)))
      return fail(h->call, FAULT(STREW_EARGUMENT, "columns"),
                  i < 0 ? "has \"%s\", not found in the file" : "has \"%s\" twice", text_of_name(wanted, text));
    strew_tensor *tensor = NULL;
    strew_status status = make_tensor(h, device, i, mapping, &tensor);
    TRY(status, table_add(h->call, table, words_at(&h->names, i), tensor));
    strew_release(tensor);
    RETURN_IF_FAILED(status);
  }
  return STREW_OK;
}

/* Bytes of the tensors that the caller names, or of all. */
static uint64_t wanted_bytes(const struct header *h, const strew_load_options *options) {
  uint64_t bytes = 0;
  for (int64_t k = 0; k < options->column_count; k++) {
    const int64_t i = words_find(&h->names, options->columns[k], strlen(options->columns[k]));
    if (i >= 0) bytes += h->entries[i].end - h->entries[i].begin;
  }
  return options->column_count ? bytes : h->data_bytes;
}

strew_status safetensors_load(const struct call *call, strew_device *device, struct file *file,
                              const strew_load_options *options, strew_table **out) {
  struct header header = {.call = call, .context = device->context, .file = file};
  struct mapping *mapping = NULL;
  strew_table *table = NULL;
  strew_status status = read_header(&header);
  TRY(status, options->map ? mapping_create(call, device, file, &mapping)
                           : check_machine_memory(call, device, wanted_bytes(&header, options),
                                                  "it can be mapped: {.map = true}"));
  TRY(status, table_create(call, device->context, &table));
  TRY(status, add_tensors(&header, device, options, mapping, table));
  free_header(&header);
  mapping_release(mapping);
  if (status != STREW_OK) return strew_table_release(table), status;
  return *out = table, STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- saving */

/* Writes a name as JSON; to NULL: counts only. Returns the bytes; 0: it is not UTF-8. */
static size_t write_name(const char *name, char *to) {
  size_t bytes = 2;
  if (to) *to++ = '"';
  for (const unsigned char *at = (const unsigned char *)name; *at;) {
    char text[8];
    int length = utf8_length(at);
    if (!length) return 0;
    const bool is_plain = *at >= ' ' && *at != '"' && *at != '\\' && *at != 0x7f;
    if (is_plain)
      memcpy(text, at, (size_t)length);
    else
      sprintf(text, "\\u%04x", *at);
    at += length;
    if (!is_plain) length = 6;
    if (to) memcpy(to, text, (size_t)length), to += length;
    bytes += (size_t)length;
  }
  if (to) *to = '"';
  return bytes;
}

enum { INFO_BYTES = 100 + 21 * (MAX_RANK + 2) }; /* of a tensor in the header, without its name */

/* Writes a tensor's value in the header, and a comma. */
static size_t write_info(const strew_tensor *tensor, uint64_t begin, char *to) {
  size_t length = (size_t)sprintf(to, ":{\"dtype\":\"%s\",\"shape\":[", dtype_words[tensor->dtype]);
  for (int d = 0; d < tensor->rank; d++)
    length += (size_t)sprintf(to + length, d ? ",%" PRId64 : "%" PRId64, tensor->sizes[d]);
  const uint64_t end = begin + (uint64_t)strew_tensor_numel(tensor) * dtype_bytes(tensor->dtype);
  return length + (size_t)sprintf(to + length, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]},", begin, end);
}

/* Elements are in order of their size, largest first, so that all are aligned: the begin of each size's elements. */
static void find_begins(const strew_table *table, uint64_t *begins) {
  uint64_t bytes[9] = {0}, begin = 0;
  for (int64_t i = 0; i < strew_table_count(table); i++) {
    const strew_tensor *tensor = strew_table_tensor(table, i);
    bytes[dtype_bytes(tensor->dtype)] += (uint64_t)strew_tensor_numel(tensor) * dtype_bytes(tensor->dtype);
  }
  for (int size = 8; size; size /= 2) begins[size] = begin, begin += bytes[size];
}

/* Writes the length and the header to `to`; to NULL: counts only. Returns the bytes. The names are UTF-8. */
static size_t write_header(const strew_table *table, char *to) {
  const int64_t count = strew_table_count(table);
  uint64_t begins[9];
  char info[INFO_BYTES], *const text = to ? to + LENGTH_BYTES : NULL;
  size_t length = 1;
  find_begins(table, begins);
  for (int64_t i = 0; i < count; i++) {
    const strew_tensor *tensor = strew_table_tensor(table, i);
    const size_t size = dtype_bytes(tensor->dtype);
    length += write_name(strew_table_name(table, i), to ? text + length : NULL);
    length += write_info(tensor, begins[size], to ? text + length : info);
    begins[size] += (uint64_t)strew_tensor_numel(tensor) * size;
  }
  const size_t end = count ? length - 1 : length; /* the brace replaces the last comma */
  length = (end + 1 + 7) / 8 * 8;
  if (!to) return LENGTH_BYTES + length;
  memset(text + end, ' ', length - end);
  text[0] = '{', text[end] = '}';
  for (int i = 0; i < LENGTH_BYTES; i++) to[i] = (char)((uint64_t)length >> 8 * i); /* size_t may have 32 bits */
  return LENGTH_BYTES + length;
}

/* Fails unless the table has a header of *size_bytes, with the length before it. */
static strew_status check_names(const struct call *call, const strew_table *table, size_t *size_bytes) {
  char text[TEXT_BYTES];
  for (int64_t i = 0; i < strew_table_count(table); i++) {
    const char *name = strew_table_name(table, i);
    const bool is_metadata = strcmp(name, metadata) == 0;
    if (is_metadata || !write_name(name, NULL))
      return fail(call, FAULT(STREW_EVALUE, "x"), "has the name \"%s\", expected %s", text_of_name(name, text),
                  is_metadata ? "another one, as this is not a tensor's" : "UTF-8");
  }
  *size_bytes = write_header(table, NULL);
  if (*size_bytes - LENGTH_BYTES <= HEADER_LIMIT) return STREW_OK;
  return fail(call, FAULT(STREW_EVALUE, "x"), "has %" PRId64 " names, too many for a header of %d bytes",
              strew_table_count(table), HEADER_LIMIT);
}

/* Elements in the CPU's memory are written from there, others through `piece`. */
static strew_status write_elements(const struct call *call, const strew_tensor *dense, struct sink *sink, char *piece) {
  strew_device *device = dense->storage->device;
  const size_t element = dtype_bytes(dense->dtype), bytes = (size_t)strew_tensor_numel(dense) * element;
  for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
    const size_t size = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
    RETURN_IF_FAILED(context_check(call, device->context));
    const char *from = piece;
    if (device->ops->host_memory && !IS_SWAPPED)
      from = (const char *)dense_at(dense, 0) + at;
    else
      RETURN_IF_FAILED(
          tensor_read(call, dense, dense->offset + (int64_t)(at / element), piece, (int64_t)(size / element)));
    if (IS_SWAPPED) swap_bytes((unsigned char *)piece, size, element);
    RETURN_IF_FAILED(sink_write(call, sink, from, size));
    progress_step(device->context, size);
  }
  return STREW_OK;
}

static strew_status write_tensor(const struct call *call, const strew_tensor *tensor, struct sink *sink, char *piece) {
  strew_tensor *copy = NULL;
  if (strew_tensor_is_contiguous(tensor)) return write_elements(call, tensor, sink, piece);
  strew_status status = copy_as(call, tensor, tensor->dtype, &copy);
  TRY(status, write_elements(call, copy, sink, piece));
  strew_release(copy);
  return status;
}

strew_status safetensors_save(const struct call *call, const strew_table *table, const char *path,
                              const strew_save_options *options) {
  strew_context *context = table_context(table);
  struct sink sink;
  size_t header_bytes;
  RETURN_IF_FAILED(check_names(call, table, &header_bytes));
  ALLOCATE_NEW(char *, header, call, context, header_bytes + PIECE_BYTES);
  char *piece = header + header_bytes;
  strew_status status = sink_open(call, context, path, options->compress, &sink);
  if (status == STREW_OK) {
    status = sink_write(call, &sink, header, write_header(table, header));
    for (size_t size = 8; size; size /= 2)
      for (int64_t i = 0; i < strew_table_count(table) && status == STREW_OK; i++) {
        const strew_tensor *tensor = strew_table_tensor(table, i);
        if (dtype_bytes(tensor->dtype) == size) status = write_tensor(call, tensor, &sink, piece);
      }
    status = sink_end(call, &sink, status);
  }
  memory_free(context, header, header_bytes + PIECE_BYTES);
  return status;
}
