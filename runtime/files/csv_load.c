/* csv_load.c: loads .csv files as tables of columns; strew.h has the rules. The text is walked twice, see csv_walk.h;
   the columns are allocated between the walks, when their sizes are known. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_cells.h"
#include "csv_walk.h"
#include "file.h"
#include "format.h"
#include "runtime/device.h"
#include "table.h"

#include <inttypes.h>

/* -------------------------------------------------------------------------------------------------------- columns */

static strew_dtype dtype_of(const struct reader *reader, const struct column *column) {
  if (column->kind == TEXTUAL) return STREW_INT64;
  if (column->kind == DATED) return column->missing_line ? STREW_FLOAT64 : STREW_INT64;
  if (reader->options->dtype) return *reader->options->dtype;
  return column->kind == WHOLE && !column->missing_line ? STREW_INT64 : STREW_FLOAT64;
}

static bool is_host(const struct reader *reader) { return reader->device->ops->host_memory; }

static strew_status make_column(struct reader *reader, struct column *column) {
  strew_dtype dtype = dtype_of(reader, column);
  size_t size_bytes = (size_t)reader->rows * dtype_bytes(dtype);
  column->element_bytes = dtype_bytes(dtype);
  strew_status status = tensor_create(reader->call, reader->device, dtype, 1, &reader->rows, &column->tensor);
  if (status != STREW_OK || is_host(reader)) {
    if (status == STREW_OK) column->elements = column->tensor->storage->data;
    return status;
  }
  column->elements = memory_allocate(reader->context, size_bytes);
  return column->elements ? STREW_OK : fail_memory(reader->call, reader->context, size_bytes);
}

static strew_status make_columns(struct reader *reader) {
  uint64_t size_bytes = 0;
  for (int64_t i = 0; i < reader->count; i++)
    size_bytes += (uint64_t)reader->rows * dtype_bytes(dtype_of(reader, &reader->columns[i]));
  strew_status status = check_machine_memory(reader->call, reader->device, size_bytes, NULL);
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    if (i % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(reader->call, reader->context);
    if (status == STREW_OK) status = make_column(reader, &reader->columns[i]);
  }
  return status;
}

/* -------------------------------------------------------------------------------------------------------- a table */

static strew_status add_column(struct reader *reader, strew_table *table, int64_t i) {
  struct column *column = &reader->columns[i];
  strew_status status = STREW_OK;
  if (!is_host(reader) && reader->rows)
    status = reader->device->ops->write(reader->call, column->tensor->storage, 0, column->elements,
                                        (size_t)reader->rows * column->element_bytes);
  const char *name = reader->options->header == STREW_HEADER_YES ? words_at(&reader->names, i) : NULL;
  if (status == STREW_OK) status = table_add(reader->call, table, name, column->tensor);
  if (status == STREW_OK && column->kind == TEXTUAL) status = table_set_words(reader->call, table, i, &column->words);
  return status;
}

static strew_status make_table(struct reader *reader, strew_table **out) {
  strew_table *table;
  strew_status status = table_create(reader->call, reader->context, &table);
  if (status != STREW_OK) return status;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    if (i % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(reader->call, reader->context);
    if (status == STREW_OK) status = add_column(reader, table, i);
  }
  if (status == STREW_OK)
    *out = table;
  else
    strew_table_release(table);
  return status;
}

static strew_status read_table(struct reader *reader, strew_table **out) {
  struct cells cells;
  cells_start(&cells, reader->text, reader->separator, reader->point);
  strew_status status = csv_read_head(reader, &cells);
  if (status == STREW_OK) status = csv_walk_first(reader, cells);
  if (status == STREW_OK) status = make_columns(reader);
  if (status == STREW_OK) status = csv_walk_second(reader, cells);
  return status == STREW_OK ? make_table(reader, out) : status;
}

/* --------------------------------------------------------------------------------------------------------- a file */

/* Fails if the file has a 0 byte, which no text has, and names its line. */
static strew_status check_text(const struct reader *reader) {
  const char *zero = memchr(reader->text, '\0', reader->size_bytes);
  struct cells cells = {.at = reader->text, .line = 1};
  if (!zero) return STREW_OK;
  bool is_wide = reader->size_bytes > 1 &&
                 (reader->text[0] == '\0' || reader->text[1] == '\0' || memcmp(reader->text, "\xff\xfe", 2) == 0);
  while (cells.at < zero) {
    if (*cells.at == '\n' || *cells.at == '\r')
      cells_end_line(&cells);
    else
      cells.at++;
  }
  return fail_file(reader->call, reader->path,
                   is_wide ? "it may be UTF-16: iconv -f UTF-16 -t UTF-8 makes it UTF-8" : NULL,
                   "has a zero byte in line %" PRId64 " (byte %zu of the file), expected text", cells.line,
                   (size_t)(zero - reader->text));
}

static strew_status read_chunks(struct reader *reader, const struct file *file) {
  enum { CHUNK_BYTES = 4 << 20 };
  strew_status status = STREW_OK;
  progress_resize(reader->context, 3 * (uint64_t)reader->size_bytes);
  for (size_t at = 0; at < reader->size_bytes && status == STREW_OK; at += CHUNK_BYTES) {
    size_t left = reader->size_bytes - at;
    progress_reach(reader->context, at);
    status = context_check(reader->call, reader->context);
    if (status == STREW_OK)
      status = file_read(reader->call, file, at, reader->text + at, left < CHUNK_BYTES ? left : CHUNK_BYTES);
  }
  reader->text[reader->size_bytes] = '\0';
  return status;
}

/* Fails for a compressed file that is read as plain text. */
static strew_status check_magic(const struct reader *reader) {
  if (reader->size_bytes < 2 || memcmp(reader->text, "\x1f\x8b", 2) != 0) return STREW_OK;
  return fail_file(reader->call, reader->path, "{format = \"csv.gz\"} inflates it",
                   "is compressed by gzip, expected text");
}

static strew_status read_text(struct reader *reader, struct file *file) {
  strew_status status = check_machine_memory(reader->call, &reader->context->cpu, file->size_bytes, NULL);
  if (status != STREW_OK) return status;
  reader->size_bytes = (size_t)file->size_bytes;
  reader->is_held = file->bytes != NULL;
  reader->text = file->bytes;
  if (!reader->is_held) {
    reader->text = memory_allocate(reader->context, reader->size_bytes + 1);
    status =
        reader->text ? read_chunks(reader, file) : fail_memory(reader->call, reader->context, reader->size_bytes + 1);
  }
  progress_resize(reader->context, 3 * (uint64_t)reader->size_bytes);
  if (status == STREW_OK) status = check_magic(reader);
  return status == STREW_OK ? check_text(reader) : status;
}

static void release_column(struct reader *reader, struct column *column) {
  if (!is_host(reader)) memory_free(reader->context, column->elements, (size_t)reader->rows * column->element_bytes);
  strew_release(column->tensor);
  words_release(&column->words, reader->context);
}

static void release(struct reader *reader) {
  strew_context *context = reader->context;
  if (reader->columns)
    for (int64_t i = 0; i < reader->count; i++) release_column(reader, &reader->columns[i]);
  memory_free(context, reader->columns, (size_t)reader->count * sizeof *reader->columns);
  words_release(&reader->names, context);
  memory_free(context, reader->unquoted, reader->unquoted_bytes);
  if (!reader->is_held) memory_free(context, reader->text, reader->size_bytes + 1);
  if (reader->c_locale) freelocale(reader->c_locale);
}

static strew_status check_point(const struct call *call, char point) {
  char text[TEXT_BYTES];
  if (point == '.' || point == ',') return STREW_OK;
  return fail(call, (struct fault){.code = STREW_EARGUMENT, .argument = "decimal"},
              "is \"%s\", expected a point or a comma", text_of_name((char[]){point, '\0'}, text));
}

strew_status csv_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_table **out) {
  struct reader reader = {.call = call,
                          .context = device->context,
                          .device = device,
                          .path = file->path,
                          .options = options,
                          .separator = options->separator,
                          .point = (char)(options->decimal ? options->decimal : '.')};
  strew_status status = csv_separator(call, options->separator);
  if (status == STREW_OK) status = check_point(call, reader.point);
  if (status != STREW_OK) return status;
  reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  status = reader.c_locale ? read_text(&reader, file) : fail_memory(call, reader.context, sizeof reader);
  if (status == STREW_OK) status = read_table(&reader, out);
  release(&reader);
  return status;
}
