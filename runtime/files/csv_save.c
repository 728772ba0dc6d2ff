/* csv_save.c: saves tables of columns, and tensors of rank 1 or 2, as .csv files: line by line into a buffer, and from
   there into the draft. Numbers get the shortest text that reads back the same; words are quoted where necessary. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_cells.h"
#include "format.h"
#include "stream.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

enum { BUFFER_BYTES = 256 << 10 };

/* A column to write. */
struct csv_source {
  strew_tensor *dense; /* contiguous, on the CPU: a view or a copy */
  const char *elements;
  int64_t step;       /* elements from row to row */
  int64_t word_count; /* -1: a column of numbers */
};

struct writer {
  const struct call *call;
  strew_context *context;
  locale_t c_locale; /* "C" */
  char separator;
  struct sink sink;
  char *buffer;
  size_t used_bytes;
  const strew_table *table; /* NULL: a tensor */
  int64_t rows, count;
  struct csv_source *sources;
};

strew_status csv_separator(const struct call *call, char separator) {
  char text[TEXT_BYTES];
  bool is_letter = (separator | 0x20) >= 'a' && (separator | 0x20) <= 'z';
  bool is_digit = separator >= '0' && separator <= '9';
  if (!strchr("\"\n\r+-.", separator) && !is_letter && !is_digit && (unsigned char)separator < 0x80) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "separator"),
              "is \"%s\", expected an ASCII character other than a letter, digit, sign, point, quote or line end",
              text_of_name((char[]){separator, '\0'}, text));
}

/* ---------------------------------------------------------------------------------------------------------- bytes */

static strew_status flush(struct writer *writer) {
  strew_status status = sink_write(writer->call, &writer->sink, writer->buffer, writer->used_bytes);
  writer->used_bytes = 0;
  return status;
}

static strew_status put(struct writer *writer, const char *bytes, size_t length) {
  while (length) {
    size_t room = BUFFER_BYTES - writer->used_bytes, step = length < room ? length : room;
    memcpy(writer->buffer + writer->used_bytes, bytes, step);
    writer->used_bytes += step;
    bytes += step, length -= step;
    if (writer->used_bytes < BUFFER_BYTES) continue;
    RETURN_IF_FAILED(flush(writer));
  }
  return STREW_OK;
}

/* True if a word needs quotes. An empty one alone would be an empty line; byte EF may begin a byte order mark, 1F a
   compressed file; a single column with another separator would look like several. */
static bool needs_quotes(const struct writer *writer, const char *word) {
  const char special[] = {'"', '\n', '\r', writer->separator, '\0'};
  return !*word || *word == '\xef' || *word == '\x1f' || strpbrk(word, special) ||
         (writer->count == 1 && strpbrk(word, ",;\t|"));
}

static strew_status put_word(struct writer *writer, const char *word) {
  if (!needs_quotes(writer, word)) return put(writer, word, strlen(word));
  strew_status status = put(writer, "\"", 1);
  for (const char *quote; status == STREW_OK && (quote = strchr(word, '"')); word = quote + 1) {
    status = put(writer, word, (size_t)(quote - word));
    TRY(status, put(writer, "\"\"", 2));
  }
  TRY(status, put(writer, word, strlen(word)));
  return TRY(status, put(writer, "\"", 1));
}

static strew_status put_number(struct writer *writer, strew_dtype dtype, const void *element) {
  char text[NUMBER_BYTES];
  const strew_scalar number = strew_scalar_load(dtype, element);
  int length = dtype_is_float(dtype)
                   ? write_float(dtype, element, writer->c_locale, text)
                   : sprintf(text, number.dtype == STREW_UINT64 ? "%" PRIu64 : "%" PRId64, number.as.i);
  return put(writer, text, (size_t)length);
}

/* ---------------------------------------------------------------------------------------------------------- lines */

/* Writes the separator or line end after cell i. */
static strew_status put_end(struct writer *writer, int64_t i) {
  return put(writer, i + 1 < writer->count ? &writer->separator : "\n", 1);
}

static strew_status put_names(struct writer *writer) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < writer->count && status == STREW_OK; i++) {
    status = put_word(writer, strew_table_name(writer->table, i));
    TRY(status, put_end(writer, i));
  }
  return status;
}

static strew_status put_cell(struct writer *writer, int64_t row, int64_t i) {
  const struct csv_source *source = &writer->sources[i];
  strew_dtype dtype = source->dense->dtype;
  const char *element = source->elements + (size_t)(row * source->step) * dtype_bytes(dtype);
  if (dtype == STREW_TIME) {
    char text[STREW_TIME_BYTES];
    strew_time_text(strew_scalar_load(dtype, element).as.i, text);
    return *text || writer->count == 1 ? put_word(writer, text) : STREW_OK;
  }
  if (source->word_count < 0) return put_number(writer, dtype, element);
  return put_word(writer, strew_table_word(writer->table, i, strew_scalar_load(dtype, element).as.i));
}

/* Checks for interruption and reports progress, per cell: a row may have any number of cells. */
static strew_status check_cell(const struct writer *writer, int64_t row, int64_t i) {
  if ((row * writer->count + i) % CSV_CELLS_BETWEEN_CHECKS) return STREW_OK;
  progress_reach(writer->context, (uint64_t)row);
  return context_check(writer->call, writer->context);
}

static strew_status put_rows(struct writer *writer) {
  strew_status status = STREW_OK;
  progress_resize(writer->context, (uint64_t)writer->rows);
  for (int64_t row = 0; row < writer->rows; row++)
    for (int64_t i = 0; i < writer->count; i++) {
      status = check_cell(writer, row, i);
      TRY(status, put_cell(writer, row, i));
      TRY(status, put_end(writer, i));
      if (status != STREW_OK) return status;
    }
  return status;
}

/* -------------------------------------------------------------------------------------------------------- columns */

static strew_status open_rows(struct writer *writer, strew_tensor *tensor, struct csv_source *out) {
  strew_tensor *on_cpu = NULL;
  strew_status status = strew_to(tensor, &writer->context->cpu, tensor->dtype, &on_cpu, writer->call->error);
  TRY(status, strew_contiguous(on_cpu, &out->dense, writer->call->error));
  strew_release(on_cpu);
  void *data = NULL;
  TRY(status, strew_data(out->dense, &data, writer->call->error));
  *out = (struct csv_source){out->dense, data, 1, -1};
  return status;
}

/* Fails unless each code of column i is that of a word. */
static strew_status check_codes(const struct writer *writer, int64_t i) {
  enum { CODES_BETWEEN_CHECKS = 1 << 17 };
  const struct csv_source *source = &writer->sources[i];
  char text[TEXT_BYTES];
  size_t step = dtype_bytes(source->dense->dtype);
  for (int64_t row = 0; row < writer->rows; row++) {
    if (row % CODES_BETWEEN_CHECKS == 0) {
      RETURN_IF_FAILED(context_check(writer->call, writer->context));
    }
    strew_scalar code = strew_scalar_load(source->dense->dtype, source->elements + (size_t)row * step);
    if (code.as.i < 0 || code.as.i >= source->word_count)
      return fail(
          writer->call,
          (struct fault){.code = STREW_EVALUE, .argument = "x", .value = &code, .position = &row, .position_rank = 1},
          "has code %" PRId64 " at [%" PRId64 "] of column \"%s\", valid 0..%" PRId64, code.as.i, row,
          text_of_name(strew_table_name(writer->table, i), text), source->word_count - 1);
  }
  return STREW_OK;
}

static strew_status check_column(const struct writer *writer, int64_t i, const strew_tensor *tensor) {
  char name[TEXT_BYTES], first[TEXT_BYTES];
  text_of_name(strew_table_name(writer->table, i), name);
  if (tensor->rank != 1)
    return fail(writer->call, FAULT(STREW_ESHAPE, "x"), "has a column \"%s\" of rank %d, expected rank 1", name,
                tensor->rank);
  if (tensor->sizes[0] != writer->rows)
    return fail(writer->call, FAULT(STREW_ESHAPE, "x"),
                "has a column \"%s\" of %" PRId64 " elements, expected %" PRId64 ", as in the first one, \"%s\"", name,
                tensor->sizes[0], writer->rows, text_of_name(strew_table_name(writer->table, 0), first));
  if (strew_table_word_count(writer->table, i) >= 0 && dtype_category(tensor->dtype) >= FLOATING)
    return fail(writer->call, FAULT(STREW_EDTYPE, "x"),
                "has words for a column \"%s\" of %s, expected an integer dtype", name,
                strew_dtype_name(tensor->dtype));
  return STREW_OK;
}

static strew_status open_columns(struct writer *writer) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < writer->count && status == STREW_OK; i++) {
    strew_tensor *tensor = strew_table_tensor(writer->table, i);
    if (i == 0 && tensor->rank == 1) writer->rows = tensor->sizes[0];
    status = check_column(writer, i, tensor);
    TRY(status, open_rows(writer, tensor, &writer->sources[i]));
    if (status != STREW_OK) return status;
    writer->sources[i].word_count = strew_table_word_count(writer->table, i);
    if (writer->sources[i].word_count >= 0) status = check_codes(writer, i);
  }
  return status;
}

/* Opens a tensor's columns; all share its memory. */
static strew_status open_tensor(struct writer *writer, const strew_tensor *tensor) {
  struct csv_source whole = {0};
  strew_status status = open_rows(writer, (strew_tensor *)tensor, &whole);
  for (int64_t i = 0; i < writer->count && status == STREW_OK; i++) {
    size_t offset_bytes = (size_t)i * dtype_bytes(tensor->dtype);
    writer->sources[i] =
        (struct csv_source){strew_retain(whole.dense), whole.elements + offset_bytes, writer->count, -1};
  }
  strew_release(whole.dense);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- files */

static strew_status open_writer(struct writer *writer, const strew_save_options *options) {
  size_t sources_bytes = (size_t)writer->count * sizeof *writer->sources;
  RETURN_IF_FAILED(csv_separator(writer->call, options->separator));
  writer->separator = options->separator;
  writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  writer->buffer = memory_allocate(writer->context, BUFFER_BYTES);
  writer->sources = memory_allocate(writer->context, sources_bytes);
  if (writer->sources) memset(writer->sources, 0, sources_bytes);
  if (writer->c_locale && writer->buffer && writer->sources) return STREW_OK;
  return fail_memory(writer->call, writer->context, BUFFER_BYTES + sources_bytes);
}

static void close_writer(struct writer *writer) {
  for (int64_t i = 0; writer->sources && i < writer->count; i++) strew_release(writer->sources[i].dense);
  memory_free(writer->context, writer->sources, (size_t)writer->count * sizeof *writer->sources);
  memory_free(writer->context, writer->buffer, BUFFER_BYTES);
  if (writer->c_locale) freelocale(writer->c_locale);
}

static strew_status write_csv(struct writer *writer, const char *path, const strew_save_options *options,
                              bool has_names) {
  strew_status status = sink_open(writer->call, writer->context, path, options->compress, &writer->sink);
  if (status != STREW_OK) return status;
  if (has_names) status = put_names(writer);
  TRY(status, put_rows(writer));
  TRY(status, flush(writer));
  return sink_end(writer->call, &writer->sink, status);
}

strew_status csv_save_table(const struct call *call, const strew_table *table, const char *path,
                            const strew_save_options *options) {
  struct writer writer = {
      .call = call, .context = table_context(table), .table = table, .count = strew_table_count(table)};
  if (!writer.count) return fail(call, FAULT(STREW_EARGUMENT, "x"), "is an empty table, expected columns");
  strew_status status = open_writer(&writer, options);
  TRY(status, open_columns(&writer));
  TRY(status, write_csv(&writer, path, options,
                        options->header == STREW_HEADER_UNSAID ? !strew_table_is_numbered(table)
                                                               : options->header == STREW_HEADER_YES));
  close_writer(&writer);
  return status;
}

strew_status csv_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options) {
  struct writer writer = {.call = call, .context = tensor_context(tensor)};
  if (options->header == STREW_HEADER_YES)
    return fail(call, FAULT(STREW_EARGUMENT, "header"), "is true, but a tensor has no column names: save a table");
  if (tensor->rank != 1 && tensor->rank != 2)
    return fail(call, FAULT(STREW_ESHAPE, "x"), "is of rank %d, expected rank 1 or 2", tensor->rank);
  writer.rows = tensor->sizes[0];
  writer.count = tensor->rank == 2 ? tensor->sizes[1] : 1;
  if (!writer.count) return fail(call, FAULT(STREW_ESHAPE, "x"), "has no columns, expected at least 1");
  strew_status status = open_writer(&writer, options);
  TRY(status, open_tensor(&writer, tensor));
  TRY(status, write_csv(&writer, path, options, false));
  close_writer(&writer);
  return status;
}
