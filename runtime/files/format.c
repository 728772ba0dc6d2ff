/* format.c: loading and saving: chooses the file format and checks the options for it. */
#include "format.h"
#include "runtime/core/base/device.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct format formats[] = {
    {".npy", npy_load, NULL, npy_save, NULL, TAKES_MAP, 0, &npy_chunks},
    {".npz", NULL, npz_load, NULL, npz_save, TAKES_COMPRESS | TAKES_MEMBER | TAKES_COLUMNS, 0, &npy_chunks},
    {".csv", NULL, csv_load, csv_save, csv_save_table, TAKES_CSV, ',', &csv_chunks},
    {".tsv", NULL, csv_load, csv_save, csv_save_table, TAKES_CSV, '\t', &csv_chunks},
    {".jsonl", NULL, jsonl_load, NULL, jsonl_save_table, TAKES_VALUES | TAKES_COLUMNS, 0, &jsonl_chunks},
    {".safetensors", NULL, safetensors_load, NULL, safetensors_save, TAKES_MAP | TAKES_COLUMNS, 0, NULL},
    {".png", png_load, NULL, png_save, NULL, 0, 0, NULL},
    {".npy.gz", npy_load, NULL, npy_save, NULL, TAKES_COMPRESS | IS_GZIP, 0, &npy_chunks},
    {".jsonl.gz", NULL, jsonl_load, NULL, jsonl_save_table, TAKES_VALUES | TAKES_COLUMNS | TAKES_COMPRESS | IS_GZIP, 0,
     &jsonl_chunks},
    {".csv.gz", NULL, csv_load, csv_save, csv_save_table, TAKES_CSV | TAKES_COMPRESS | IS_GZIP, ',', &csv_chunks},
    {".tsv.gz", NULL, csv_load, csv_save, csv_save_table, TAKES_CSV | TAKES_COMPRESS | IS_GZIP, '\t', &csv_chunks},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* What a format can do: its options, and a bit for each of its functions. */
enum { LOADS_TENSOR = 64, LOADS_TABLE = 128, SAVES_TENSOR = 256, SAVES_TABLE = 512, HAS_CHUNKS = 1024 };
static unsigned abilities(const struct format *format) {
  return format->options | (format->load ? LOADS_TENSOR : 0) | (format->load_table ? LOADS_TABLE : 0) |
         (format->save ? SAVES_TENSOR : 0) | (format->save_table ? SAVES_TABLE : 0) | (format->chunks ? HAS_CHUNKS : 0);
}

/* Writes ".npy, .npz" to `text` and returns it: the formats with this ability; 0: all. `from` 1: without points. */
static const char *list_of_formats(unsigned ability, int from, char *text) {
  size_t length = 0;
  for (int i = 0; i < FORMATS; i++)
    if (!ability || abilities(&formats[i]) & ability)
      length += (size_t)sprintf(text + length, "%s%s", length ? ", " : "", formats[i].suffix + from);
  return text;
}

/* Fails: the format, which the word named if there is one, lacks the ability that `what` needs. */
static strew_status fail_ability(const struct call *call, const struct format *format, const char *word,
                                 unsigned ability, const char *what) {
  char known[TEXT_BYTES];
  return fail(call, FAULT(STREW_EARGUMENT, word ? "format" : "path"),
              word ? "is %s, expected one of %s for %s" : "ends in %s, expected one of %s for %s", format->suffix,
              list_of_formats(ability, 0, known), what);
}

static strew_status check_ability(const struct call *call, const struct format *format, const char *word,
                                  unsigned ability, const char *what) {
  return abilities(format) & ability ? STREW_OK : fail_ability(call, format, word, ability, what);
}

static bool ends_in(const char *name, const char *suffix) {
  size_t length = strlen(name), suffix_length = strlen(suffix);
  return length >= suffix_length && strcasecmp(name + length - suffix_length, suffix) == 0;
}

/* Finds the format that a word names: a suffix without its point. */
static strew_status find_named(const struct call *call, const char *word, const struct format **out) {
  char text[TEXT_BYTES], known[TEXT_BYTES];
  for (int i = 0; i < FORMATS; i++)
    if (strcasecmp(word, formats[i].suffix + 1) == 0) return *out = &formats[i], STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "format"), "is \"%s\", expected one of %s", text_of_name(word, text),
              list_of_formats(0, 1, known));
}

/* The suffix alone decides: it is cheaper to check than contents, and also known before a file is written. */
strew_status format_find(const struct call *call, const char *path, const char *word, const struct format **out) {
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "path"};
  char name[TEXT_BYTES], known[TEXT_BYTES];
  if (!path) return fail(call, fault, "is missing");
  if (word) return find_named(call, word, out);
  const char *slash = strrchr(path, '/');
  for (int i = 0; i < FORMATS; i++)
    if (ends_in(slash ? slash + 1 : path, formats[i].suffix)) return *out = &formats[i], STREW_OK;
  static const char *const foreign[] = {".parquet", ".feather", ".arrow",  ".orc",   ".xlsx",
                                        ".xls",     ".db",      ".sqlite", ".duckdb"};
  fault.hint = "{.format = \"csv\"} names the format of other files";
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (ends_in(path, foreign[i]))
      fault.hint =
          "DuckDB and pandas change such files to .csv; strew_table_from_arrow_stream takes their Arrow streams";
  if (ends_in(path, ".ndjson")) fault.hint = "{.format = \"jsonl\"} reads an object a line";
  if (ends_in(path, ".json")) fault.hint = "jq -c '.[]' FILE.json > FILE.jsonl writes an object a line";
  if (file_is_input(path)) return fail(call, fault, "is \"-\", standard input, which needs a format");
  return fail(call, fault, "is \"%s\", expected a name ending in one of %s", text_of_name(path, name),
              list_of_formats(0, 0, known));
}

/* Starts the progress line; its steps are bytes unless the format sets others. */
static void start_progress(strew_context *context, const char *doing, const char *path, uint64_t size_bytes) {
  char name[TEXT_BYTES], words[TEXT_BYTES + 16];
  if (!context->progress) return;
  snprintf(words, sizeof words, "%s %s", doing, text_of_name(path, name));
  progress_begin(context, words, size_bytes);
}

/* ------------------------------------------------------------------------------------------------------- loading */

/* Fails if an option of .csv files is given for another format; of_lines: an option of their lines and cells, of_values:
   one of values and columns. NULL: none. */
static strew_status check_csv_option(const struct call *call, const struct format *format, const char *of_lines,
                                     const char *of_values) {
  if (format->options & TAKES_VALUES) of_values = NULL;
  const char *given = of_lines ? of_lines : of_values;
  if (!given || format->options & TAKES_CSV) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, given), "is an option of %s files, not of %s files",
              strcmp(given, "columns") == 0 ? ".csv, .tsv, .jsonl, .npz and .safetensors"
              : given == of_lines           ? ".csv and .tsv"
                                            : ".csv, .tsv and .jsonl",
              format->suffix);
}

/* Fails for a decimal comma beside commas between cells that the call does not name. */
static strew_status check_decimal(const struct call *call, const struct format *format, char decimal, char separator) {
  if (decimal != ',' || separator || format->separator != ',') return STREW_OK;
  return fail(call, HINTED(STREW_EARGUMENT, "decimal", "separator = \";\""),
              "is \",\", as the separator of cells, which the call has to name then");
}

static const strew_csv_options *csv_options(const strew_load_options *options) {
  static const strew_csv_options defaults;
  return options->csv ? options->csv : &defaults;
}

static strew_status check_header(const struct call *call, strew_header header) {
  return (unsigned)header <= STREW_HEADER_YES ? STREW_OK : fail_unknown(call, "header", (int)header, STREW_HEADER_YES);
}

static strew_status check_count(const struct call *call, const char *list, int64_t count) {
  struct fault fault = {.code = STREW_EARGUMENT, .argument = list};
  return count >= 0 ? STREW_OK : fail(call, fault, "has %" PRId64 " names, expected 0 or more", count);
}

strew_status check_load_options(const struct call *call, const strew_load_options *options) {
  const strew_csv_options *csv = csv_options(options);
  strew_status status = check_options(call, options);
  TRY(status, check_header(call, options->header));
  TRY(status, check_count(call, "text", options->text_count));
  TRY(status, check_count(call, "dates", options->date_count));
  TRY(status, check_count(call, "columns", options->column_count));
  TRY(status, check_options(call, csv));
  TRY(status, check_count(call, "names", csv->name_count));
  TRY(status, check_count(call, "missing", csv->missing_count));
  if (csv->lists) {
    TRY(status, check_options(call, csv->lists));
    TRY(status, check_count(call, "missing", csv->lists->missing_count));
    TRY(status, check_count(call, "unit", csv->lists->rule_count));
    for (int64_t k = 0; status == STREW_OK && k < csv->lists->rule_count; k++) {
      const strew_csv_rule *rule = &csv->lists->rules[k];
      status = check_options(call, rule);
      if (status == STREW_OK && rule->unit && !*rule->unit)
        return fail(call, FAULT(STREW_EARGUMENT, "unit"), "has an empty unit, expected one as \"%%\"");
    }
  }
  if (status == STREW_OK && csv->rows < 0)
    return fail(call, FAULT(STREW_EARGUMENT, "rows"), "is %" PRId64 ", expected 0 or more", csv->rows);
  return TRY(status, options->dtype ? check_number_dtype(call, *options->dtype) : STREW_OK);
}

strew_status format_check_load(const struct call *call, const struct format *format,
                               const strew_load_options *options) {
  const strew_csv_options *csv = csv_options(options);
  const char *of_lines = options->header ? "header" : options->separator ? "separator" : NULL;
  if (!of_lines) of_lines = options->decimal ? "decimal" : csv->skip ? "skip" : csv->comment ? "comment" : NULL;
  if (!of_lines) of_lines = csv->names ? "names" : csv->thousands ? "thousands" : csv->ragged ? "ragged" : NULL;
  const char *given = options->dtype ? "dtype" : options->text_count ? "text" : NULL;
  if (!given) given = options->date_count || csv->all_dates ? "dates" : csv->missing_count ? "missing" : NULL;
  if (!given && csv->rows) given = "rows";
  const strew_csv_lists *lists = csv->lists;
  if (!given && lists)
    given = lists->missing_count ? "missing" : !lists->rule_count ? NULL : lists->rules->unit ? "unit" : "dtype";
  if (!given && !(format->options & TAKES_COLUMNS)) given = options->column_count ? "columns" : NULL;
  char known[TEXT_BYTES];
  if (options->map && !(format->options & TAKES_MAP))
    return fail(call, FAULT(STREW_EARGUMENT, "map"), "is true, but %s files cannot be mapped, only %s", format->suffix,
                list_of_formats(TAKES_MAP, 0, known));
  strew_status status = check_csv_option(call, format, of_lines, given);
  TRY(status, check_decimal(call, format, options->decimal, options->separator));
  const char *of_columns = options->header == STREW_HEADER_YES ? "header" : csv->names ? "names" : NULL;
  if (options->column_count) of_columns = "columns";
  if (status == STREW_OK && csv->ragged && of_columns)
    return fail(call, FAULT(STREW_EARGUMENT, of_columns), "is given, but lines of different lengths have no columns");
  return status;
}

strew_status format_check_chunks(const struct call *call, const struct format *format, const char *word) {
  return check_ability(call, format, word, HAS_CHUNKS, "chunks");
}

static strew_status load_file(const struct call *call, strew_device *device, const struct format *format,
                              const char *path, const strew_load_options *options, strew_tensor **tensor,
                              strew_table **table) {
  struct file file;
  strew_load_options chosen = *options;
  if (!chosen.separator) chosen.separator = format->separator;
  strew_status status = file_open(call, device->context, path, &file);
  if (status != STREW_OK) return status;
  const bool is_gzip = format->options & IS_GZIP;
  if (options->csv && options->csv->rows && !options->csv->ragged && format->options & TAKES_CSV) {
    status = csv_load_first(call, device, &file, is_gzip, &chosen, table);
  } else {
    if (!file.is_regular || is_gzip) status = file_hold(call, &file, is_gzip);
    TRY(status, format->load ? format->load(call, device, &file, &chosen, tensor)
                             : format->load_table(call, device, &file, &chosen, table));
  }
  file_close(&file);
  return status;
}

/* Lines of different lengths are read from a file of any name: between blanks, unless it is .csv or .tsv. */
static void choose_ragged(const char *path, strew_load_options *options) {
  for (int i = 0; i < FORMATS; i++)
    if (options->format || ends_in(path, formats[i].suffix)) return;
  options->format = ends_in(path, ".gz") ? "csv.gz" : "csv";
  if (!options->separator) options->separator = STREW_BLANKS;
}

strew_status strew_load(strew_device *device, const char *path, const strew_load_options *options, strew_tensor **out,
                        strew_table **table, strew_error *error) {
  CALL(call, "load", error, {0});
  const struct format *format;
  strew_tensor *tensor = NULL;
  strew_table *tensors = NULL;
  strew_load_options own = options ? *options : (strew_load_options){0};
  strew_status status = check_load_options(&call, &own);
  if (status == STREW_OK && path && csv_options(&own)->ragged) choose_ragged(path, &own);
  options = &own;
  TRY(status, format_find(&call, path, options->format, &format));
  TRY(status, format_check_load(&call, format, options));
  if (status == STREW_OK && !(format->load ? (void *)out : format->load_table ? (void *)table : NULL))
    status =
        fail_ability(&call, format, options->format, out ? LOADS_TENSOR : LOADS_TABLE, out ? "one tensor" : "a table");
  if (status != STREW_OK) return status;
  const bool is_cells = format->options & (TAKES_CSV | TAKES_VALUES);
  start_progress(device->context, "loading", path, file_size(path) * (is_cells ? 3 : 1));
  status = load_file(&call, device, format, path, options, &tensor, &tensors);
  progress_end(device->context);
  if (status != STREW_OK) return status;
  if (out) *out = tensor;
  if (table) *table = tensors;
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- saving */

/* Finds the format. Fails unless it has the ability, for `what`, and the options; completes them. */
static strew_status find_saver(const struct call *call, const char *path, strew_save_options *options, unsigned ability,
                               const char *what, const struct format **out) {
  char known[TEXT_BYTES];
  strew_status status = check_options(call, options);
  TRY(status, check_header(call, options->header));
  if (status == STREW_OK && path && file_is_input(path) && !options->format)
    return fail(call, HINTED(STREW_EARGUMENT, "path", "{.format = \"csv\"} names the format of other files"),
                "is \"-\", standard output, which needs a format");
  TRY(status, format_find(call, path, options->format, out));
  TRY(status, check_ability(call, *out, options->format, ability, what));
  if (status != STREW_OK) return status;
  if (file_is_input(path) && !((*out)->options & (TAKES_CSV | TAKES_VALUES)))
    return fail(call, HINTED(STREW_EARGUMENT, "path", "\"./-\" is a file of that name"),
                "is \"-\", standard output, which takes %s, not %s",
                list_of_formats(TAKES_CSV | TAKES_VALUES, 0, known), (*out)->suffix);
  if (options->compress && !((*out)->options & TAKES_COMPRESS))
    return fail(call, FAULT(STREW_EARGUMENT, "compress"), "is true, but %s files are not compressed, only %s",
                (*out)->suffix, list_of_formats(TAKES_COMPRESS, 0, known));
  if ((*out)->options & IS_GZIP) options->compress = true;
  const char *given = options->header ? "header" : options->separator ? "separator" : NULL;
  if (!given) given = options->missing ? "missing" : options->decimal ? "decimal" : NULL;
  status = check_csv_option(call, *out, given, NULL);
  TRY(status, check_decimal(call, *out, options->decimal, options->separator));
  if (!options->separator) options->separator = (*out)->separator;
  return status;
}

static uint64_t bytes_of(const strew_tensor *tensor) {
  return (uint64_t)strew_tensor_numel(tensor) * dtype_bytes(tensor->dtype);
}

strew_status strew_save(strew_tensor *tensor, const char *path, const strew_save_options *options, strew_error *error) {
  CALL(call, "save", error, {"x", tensor, MOVED});
  const struct format *format;
  strew_save_options chosen = options ? *options : (strew_save_options){0};
  RETURN_IF_FAILED(find_saver(&call, path, &chosen, SAVES_TENSOR, "one tensor", &format));
  if (format->save == png_save) RETURN_IF_FAILED(check_is_number(&call, "x", tensor));
  start_progress(tensor_context(tensor), "saving", path, bytes_of(tensor));
  strew_status status = format->save(&call, tensor, path, &chosen);
  progress_end(tensor_context(tensor));
  return status;
}

/* Fails if column i is text or times. */
static strew_status check_numbers(const struct call *call, const strew_table *table, int64_t i, const char *suffix) {
  const strew_dtype dtype = strew_table_tensor(table, i)->dtype;
  char name[TEXT_BYTES];
  if (dtype_is_number(dtype)) return STREW_OK;
  return fail(call, HINTED(STREW_EDTYPE, "x", ".npz files hold it"), "has %s, \"%s\", %s files take numbers",
              dtype == STREW_TEXT ? "text" : "times", text_of_name(strew_table_name(table, i), name), suffix);
}

strew_status strew_save_table(const strew_table *table, const char *path, const strew_save_options *options,
                              strew_error *error) {
  CALL(call, "save", error, {0});
  const struct format *format;
  strew_save_options chosen = options ? *options : (strew_save_options){0};
  RETURN_IF_FAILED(find_saver(&call, path, &chosen, SAVES_TABLE, "a table of tensors", &format));
  if (strew_table_is_numbered(table) && !(format->options & TAKES_CSV))
    return fail(&call, FAULT(STREW_EARGUMENT, "x"), "has no names, which %s files need", format->suffix);
  uint64_t bytes = 0;
  for (int64_t i = 0; i < strew_table_count(table); i++) {
    if (format->save_table == safetensors_save) RETURN_IF_FAILED(check_numbers(&call, table, i, format->suffix));
    bytes += bytes_of(strew_table_tensor(table, i));
  }
  start_progress(table_context(table), "saving", path, bytes);
  strew_status status = format->save_table(&call, table, path, &chosen);
  progress_end(table_context(table));
  return status;
}
