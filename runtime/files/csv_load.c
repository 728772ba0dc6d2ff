/* csv_load.c: loads .csv files as tables of columns; strew.h has the rules. The text is walked twice, see csv_walk.h;
   the columns are allocated between the walks, when their sizes are known. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_walk.h"
#include "format.h"
#include "runtime/base/tensor.h"
#include "stream.h"

#include <inttypes.h>

/* -------------------------------------------------------------------------------------------------------- columns */

/* From now on later chunks have these dtypes. A column without a number or word is one of floats. */
static strew_status decide(struct csv_reader *reader) {
  for (int64_t i = 0; i < reader->count; i++) {
    struct column *column = &reader->columns[i];
    column->dtype = csv_dtype(reader, column);
    if (column->kind == UNKNOWN) column->kind = FRACTIONAL;
    if (column->kind == MARKED) column->kind = TEXTUAL;
    if (column->kind != TEXTUAL || column->words) continue;
    RETURN_IF_FAILED(shared_words_create(reader->call, reader->context, &column->words));
  }
  reader->is_decided = true;
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- a table */

static strew_status add_column(struct csv_reader *reader, strew_table *table, int64_t i) {
  struct column *column = &reader->columns[i];
  strew_tensor *tensor = NULL;
  const bool is_text = column->dtype == STREW_TEXT;
  strew_status status = is_text ? text_take(reader->call, column->tensor, column->words) : STREW_OK;
  TRY(status, transfer(reader->call, column->tensor, reader->device, &tensor));
  const char *name = reader->is_named ? words_at(&reader->names, i) : NULL;
  TRY(status, table_add(reader->call, table, name, tensor));
  strew_release(tensor);
  return status;
}

static strew_status make_table(struct csv_reader *reader, strew_table **out) {
  strew_table *table;
  strew_status status = table_create(reader->call, reader->context, &table);
  if (status != STREW_OK) return status;
  for (int64_t k = 0; k < reader->chosen_count && status == STREW_OK; k++) {
    if (k % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(reader->call, reader->context);
    TRY(status, add_column(reader, table, reader->chosen[k]));
  }
  if (status == STREW_OK)
    *out = table;
  else
    strew_table_release(table);
  return status;
}

/* Reads the rows in two walks. */
static strew_status walk_twice(struct csv_reader *reader, struct cells *cells, bool skips_none) {
  struct cells first = *cells;
  reader->rows = reader->row = 0;
  reader->walk = 1;
  strew_status status = csv_walk_first(reader, &first, reader->text + reader->size_bytes);
  if (status == STREW_OK && !reader->rows && skips_none) return STREW_OK;
  if (status == STREW_OK && !reader->is_decided) status = decide(reader);
  TRY(status, csv_make_columns(reader));
  return TRY(status, csv_walk_second(reader, cells));
}

strew_status csv_read_rows(struct csv_reader *reader, struct cells *cells, bool skips_none, strew_table **out) {
  struct cells end = *cells;
  bool is_read = false;
  *out = NULL;
  strew_status status = csv_read_parts(reader, &end, &is_read);
  if (status == STREW_OK && !is_read) status = walk_twice(reader, &end, skips_none);
  if (status == STREW_OK && is_read && !reader->is_decided) status = decide(reader);
  if (status == STREW_OK && (reader->rows || !skips_none)) status = make_table(reader, out);
  if (status == STREW_OK && *out) *cells = end;
  csv_release_columns(reader);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- a file */

/* Fails for a compressed file that is read as plain text. */
static strew_status check_magic(const struct csv_reader *reader, const char *text, size_t size_bytes) {
  if (size_bytes < 2 || memcmp(text, "\x1f\x8b", 2) != 0) return STREW_OK;
  return fail_file(reader->call, reader->path, "{.format = \"csv.gz\"} inflates it",
                   "is compressed by gzip, expected text");
}

strew_status csv_check_text(const struct csv_reader *reader, const char *text, size_t size_bytes, int64_t line,
                            uint64_t before) {
  strew_status status = before ? STREW_OK : check_magic(reader, text, size_bytes);
  const char *zero = memchr(text, '\0', size_bytes);
  struct cells cells = {.at = text, .line = line};
  if (status != STREW_OK || !zero) return status;
  bool is_wide = !before && size_bytes > 1 && (text[0] == '\0' || text[1] == '\0' || memcmp(text, "\xff\xfe", 2) == 0);
  while (cells.at < zero) {
    if (*cells.at == '\n' || *cells.at == '\r')
      cells_end_line(&cells);
    else
      cells.at++;
  }
  return fail_file(reader->call, reader->path,
                   is_wide ? "it may be UTF-16: iconv -f UTF-16 -t UTF-8 makes it UTF-8" : NULL,
                   "has a zero byte in line %" PRId64 " (byte %" PRIu64 " of the file), expected text", cells.line,
                   before + (uint64_t)(zero - text));
}

/* Reads the whole text. */
static strew_status read_text(struct csv_reader *reader, struct file *file) {
  RETURN_IF_FAILED(file_hold(reader->call, file, false));
  reader->text = file->bytes;
  reader->size_bytes = (size_t)file->size_bytes;
  progress_resize(reader->context, 3 * (uint64_t)reader->size_bytes);
  return csv_check_text(reader, reader->text, reader->size_bytes, 1, 0);
}

/* True for a byte that neither begins nor ends a number, a word or a cell. */
static bool is_mark_of_thousands(char byte) {
  const int lower = byte | 0x20;
  return !(byte >= '0' && byte <= '9') && !(lower >= 'a' && lower <= 'z') && !strchr("+-\"\r\n", byte);
}

/* Checks the options of lines and cells, and copies the words for missing values. */
static strew_status take_csv_options(struct csv_reader *reader, const strew_csv_options *csv) {
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "skip"};
  char text[TEXT_BYTES];
  strew_status status = STREW_OK;
  if (!csv) return STREW_OK;
  if (csv->skip < 0) return fail(reader->call, fault, "is %" PRId64 ", expected 0 or more", csv->skip);
  fault.argument = "comment";
  if (csv->comment && (strchr("\"\r\n", csv->comment) || csv->comment == reader->separator ||
                       (reader->has_runs && csv->comment == '\t')))
    return fail(reader->call, fault, "is \"%s\", expected a character other than a quote, line end or separator",
                text_of_name((char[]){csv->comment, '\0'}, text));
  fault.argument = "thousands";
  if (csv->thousands && (csv->thousands == reader->point || !is_mark_of_thousands(csv->thousands)))
    return fail(reader->call, fault, "is \"%s\", expected a character that no number has, other than the decimal point",
                text_of_name((char[]){csv->thousands, '\0'}, text));
  if (csv->warning) *csv->warning->message = '\0', csv->warning->code = STREW_OK;
  for (int64_t i = 0; i < csv->missing_count && status == STREW_OK; i++) {
    int64_t number;
    status = words_number(reader->call, reader->context, &reader->missing, csv->missing[i], strlen(csv->missing[i]),
                          &number);
  }
  return status;
}

/* Copies the numbers for missing values; those that are int64 become it. */
static strew_status take_numbers(struct csv_reader *reader, const strew_csv_lists *lists) {
  const int64_t count = lists ? lists->missing_count : 0;
  if (!count) return STREW_OK;
  ALLOCATE(reader->numbers, reader->call, reader->context, (size_t)count * sizeof *reader->numbers);
  reader->number_count = count;
  for (int64_t i = 0; i < count; i++) {
    int64_t whole;
    const strew_scalar number = lists->missing[i];
    const bool is_whole = strew_scalar_store(number, STREW_EXACT, STREW_INT64, &whole, NULL) == STREW_OK;
    reader->numbers[i] = is_whole ? strew_int(whole) : number;
  }
  return STREW_OK;
}

strew_status csv_begin(const struct call *call, strew_device *device, const char *path,
                       const strew_load_options *options, struct csv_reader *out) {
  *out = (struct csv_reader){.call = call,
                             .context = device->context,
                             .device = device,
                             .path = path,
                             .options = options,
                             .separator = options->separator,
                             .has_runs = options->separator == STREW_BLANKS,
                             .all_dates = options->csv && options->csv->all_dates,
                             .point = (char)(options->decimal ? options->decimal : '.')};
  if (out->has_runs) out->separator = ' ';
  strew_status status = csv_separator(call, out->separator);
  TRY(status, csv_point(call, out->point));
  TRY(status, take_csv_options(out, options->csv));
  TRY(status, take_numbers(out, options->csv ? options->csv->lists : NULL));
  if (status != STREW_OK) return status;
  out->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return out->c_locale ? STREW_OK : fail_memory(call, out->context, sizeof *out);
}

void csv_end(struct csv_reader *reader) {
  strew_context *context = reader->context;
  for (int64_t i = 0; reader->columns && i < reader->count; i++)
    shared_words_release(reader->columns[i].words, context);
  memory_free(context, reader->columns, (size_t)reader->count * sizeof *reader->columns);
  memory_free(context, reader->chosen, (size_t)reader->count * sizeof *reader->chosen);
  words_release(&reader->names, context);
  words_release(&reader->missing, context);
  words_release(&reader->formats, context);
  words_release(&reader->units, context);
  memory_free(context, reader->numbers, (size_t)reader->number_count * sizeof *reader->numbers);
  memory_free(context, reader->unquoted, reader->unquoted_bytes);
  if (reader->c_locale) freelocale(reader->c_locale);
}

strew_status csv_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_table **out) {
  struct csv_reader reader;
  struct cells cells;
  strew_status status = csv_begin(call, device, file->path, options, &reader);
  TRY(status, read_text(&reader, file));
  if (status == STREW_OK) {
    cells_start(&cells, reader.text, options->separator, reader.point, options->csv);
    status = csv_read_head(&reader, &cells);
  }
  TRY(status, csv_read_rows(&reader, &cells, false, out));
  csv_end(&reader);
  return status;
}
