/* csv_save.c: saves tables of columns, and tensors of rank 1 or 2, as .csv files. Threads write parts of the cells into
   memory of their own, which goes into the draft in order. Numbers get the shortest text that reads back the same; words
   are quoted where necessary. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_cells.h"
#include "format.h"
#include "runtime/cpu/pool.h"
#include "stream.h"
#include "table.h"

#include <inttypes.h>

enum { PART_CELLS = 1 << 14, PART_BYTES = 24 * PART_CELLS };

/* A column to write. */
struct csv_source {
  strew_tensor *dense; /* contiguous, on the CPU: a view or a copy */
  const char *elements;
  int64_t step;       /* elements from row to row */
  int64_t word_count; /* -1: a column of numbers */
};

/* The text of a worker's cells, counted row by row: those before `done` are written, `end` is behind the last one. */
struct part {
  char *bytes;
  size_t used_bytes, held_bytes;
  int64_t done, end;
};

struct writer {
  const struct call *call;
  strew_context *context;
  locale_t c_locale; /* "C" */
  char separator;
  struct sink sink;
  struct part *parts;
  int64_t part_count;
  bool specials[256];       /* bytes for which a word needs quotes */
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

/* ---------------------------------------------------------------------------------------------------------- cells */

/* Appends a word and `end`, the byte behind the cell; false: there is no room. It needs quotes with special bytes in it.
   An empty one alone would be an empty line; byte EF may begin a byte order mark, 1F a compressed file. */
static bool put_word(const struct writer *writer, struct part *part, const char *word, char end) {
  size_t length = 0, quotes = 0;
  bool is_quoted = !*word || *word == '\xef' || *word == '\x1f';
  for (; word[length]; length++) {
    is_quoted |= writer->specials[(unsigned char)word[length]];
    quotes += word[length] == '"';
  }
  if (part->held_bytes - part->used_bytes < length + quotes + 3) return false;
  char *to = part->bytes + part->used_bytes;
  if (is_quoted) *to++ = '"';
  if (!quotes) to = (char *)memcpy(to, word, length) + length;
  for (const char *at = word; quotes && *at; at++) {
    if (*at == '"') *to++ = '"';
    *to++ = *at;
  }
  if (is_quoted) *to++ = '"';
  *to++ = end;
  part->used_bytes = (size_t)(to - part->bytes);
  return true;
}

static bool put_number(const struct writer *writer, struct part *part, strew_dtype dtype, const void *element,
                       char end) {
  if (part->held_bytes - part->used_bytes < NUMBER_BYTES + 1) return false;
  char *to = part->bytes + part->used_bytes;
  if (dtype_is_float(dtype)) {
    to += write_float(dtype, element, writer->c_locale, to);
  } else {
    const strew_scalar number = strew_scalar_load(dtype, element);
    const bool negative = number.dtype != STREW_UINT64 && number.as.i < 0;
    to += write_integer(negative ? 0 - (uint64_t)number.as.i : (uint64_t)number.as.i, negative, to);
  }
  *to++ = end;
  part->used_bytes = (size_t)(to - part->bytes);
  return true;
}

/* Appends the cell of column i in this row; false: there is no room. */
static bool put_cell(const struct writer *writer, struct part *part, int64_t row, int64_t i) {
  const struct csv_source *source = &writer->sources[i];
  const strew_dtype dtype = source->dense->dtype;
  const char *element = source->elements + (size_t)(row * source->step) * dtype_bytes(dtype);
  const char end = i + 1 < writer->count ? writer->separator : '\n';
  if (dtype == STREW_TIME) {
    char text[STREW_TIME_BYTES];
    strew_time_text(strew_scalar_load(dtype, element).as.i, text);
    if (*text || writer->count == 1) return put_word(writer, part, text, end);
    if (part->used_bytes == part->held_bytes) return false;
    return part->bytes[part->used_bytes++] = end, true;
  }
  if (source->word_count < 0) return put_number(writer, part, dtype, element, end);
  const int64_t code = strew_scalar_load(dtype_stored(dtype), element).as.i;
  return put_word(writer, part, strew_table_word(writer->table, i, code), end);
}

/* ---------------------------------------------------------------------------------------------------------- parts */

/* Writes cells until the part's memory is full or they end. */
static void write_part(void *user, int64_t p) {
  const struct writer *writer = user;
  struct part *part = &writer->parts[p];
  int64_t row = part->done / writer->count, i = part->done % writer->count;
  for (; part->done < part->end && put_cell(writer, part, row, i); part->done++)
    if (++i == writer->count) i = 0, row++;
}

/* Writes the part's text to the file. A cell that was longer than all of its memory gets more. */
static strew_status flush(struct writer *writer, struct part *part) {
  if (!part->used_bytes && part->done < part->end)
    return stream_grow(writer->call, writer->context, 0, part->held_bytes, &part->bytes, &part->held_bytes);
  strew_status status = sink_write(writer->call, &writer->sink, part->bytes, part->used_bytes);
  part->used_bytes = 0;
  return status;
}

static strew_status put_names(struct writer *writer) {
  strew_status status = STREW_OK;
  struct part *part = &writer->parts[0];
  part->done = 0, part->end = writer->count;
  while (part->done < part->end && status == STREW_OK) {
    const char *name = strew_table_name(writer->table, part->done);
    if (part->done % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(writer->call, writer->context);
    if (put_word(writer, part, name, part->done + 1 < writer->count ? writer->separator : '\n'))
      part->done++;
    else
      TRY(status, flush(writer, part));
  }
  return TRY(status, flush(writer, part));
}

/* Writes the next cells: a part for each thread, or fewer parts at the end. */
static strew_status put_round(struct writer *writer, int64_t first, int64_t *end) {
  const int64_t cells = writer->rows * writer->count;
  int64_t count = 0;
  for (*end = first; count < writer->part_count && *end < cells; count++) {
    struct part *part = &writer->parts[count];
    part->done = *end;
    part->end = *end = least(*end + PART_CELLS, cells);
  }
  pool_run(writer->context, count, write_part, writer);
  strew_status status = context_check(writer->call, writer->context);
  for (int64_t p = 0; p < count && status == STREW_OK; p++) {
    status = flush(writer, &writer->parts[p]);
    while (writer->parts[p].done < writer->parts[p].end && status == STREW_OK) {
      write_part(writer, p);
      status = context_check(writer->call, writer->context);
      TRY(status, flush(writer, &writer->parts[p]));
    }
  }
  return status;
}

static strew_status put_rows(struct writer *writer) {
  strew_status status = STREW_OK;
  progress_resize(writer->context, (uint64_t)writer->rows);
  for (int64_t at = 0; at < writer->rows * writer->count && status == STREW_OK;) {
    status = put_round(writer, at, &at);
    progress_reach(writer->context, (uint64_t)(at / writer->count));
  }
  return status;
}

/* -------------------------------------------------------------------------------------------------------- columns */

static strew_status open_rows(struct writer *writer, strew_tensor *tensor, struct csv_source *out) {
  strew_tensor *on_cpu = NULL;
  strew_status status = strew_to(tensor, &writer->context->cpu, tensor->dtype, &on_cpu, writer->call->error);
  TRY(status, strew_contiguous(on_cpu, &out->dense, writer->call->error));
  strew_release(on_cpu);
  if (status == STREW_OK) *out = (struct csv_source){out->dense, dense_at(out->dense, 0), 1, -1};
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
  if (strew_table_word_count(writer->table, i) >= 0 && tensor->dtype != STREW_TEXT &&
      dtype_category(tensor->dtype) >= FLOATING)
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
    if (writer->sources[i].word_count >= 0 && tensor->dtype != STREW_TEXT) status = check_codes(writer, i);
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
  const size_t sources_bytes = (size_t)writer->count * sizeof *writer->sources;
  RETURN_IF_FAILED(csv_separator(writer->call, options->separator));
  writer->separator = options->separator;
  const char specials[] = {'"', '\n', '\r', writer->separator}, of_one_column[] = {',', ';', '\t', '|'};
  for (size_t i = 0; i < sizeof specials; i++) writer->specials[(unsigned char)specials[i]] = true;
  for (size_t i = 0; i < sizeof of_one_column && writer->count == 1; i++) /* it would look like several */
    writer->specials[(unsigned char)of_one_column[i]] = true;
  writer->part_count = writer->context->threads;
  writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!writer->c_locale) return fail_memory(writer->call, writer->context, sizeof writer->c_locale);
  ALLOCATE(writer->sources, writer->call, writer->context, sources_bytes);
  memset(writer->sources, 0, sources_bytes);
  const size_t parts_bytes = (size_t)writer->part_count * sizeof *writer->parts;
  ALLOCATE(writer->parts, writer->call, writer->context, parts_bytes);
  memset(writer->parts, 0, parts_bytes);
  for (int64_t p = 0; p < writer->part_count; p++) {
    ALLOCATE(writer->parts[p].bytes, writer->call, writer->context, PART_BYTES);
    writer->parts[p].held_bytes = PART_BYTES;
  }
  return STREW_OK;
}

static void close_writer(struct writer *writer) {
  for (int64_t i = 0; writer->sources && i < writer->count; i++) strew_release(writer->sources[i].dense);
  for (int64_t p = 0; writer->parts && p < writer->part_count; p++)
    memory_free(writer->context, writer->parts[p].bytes, writer->parts[p].held_bytes);
  memory_free(writer->context, writer->parts, (size_t)writer->part_count * sizeof *writer->parts);
  memory_free(writer->context, writer->sources, (size_t)writer->count * sizeof *writer->sources);
  if (writer->c_locale) freelocale(writer->c_locale);
}

static strew_status write_csv(struct writer *writer, const char *path, const strew_save_options *options,
                              bool has_names) {
  strew_status status = sink_open(writer->call, writer->context, path, options->compress, &writer->sink);
  if (status != STREW_OK) return status;
  if (has_names) status = put_names(writer);
  TRY(status, put_rows(writer));
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
