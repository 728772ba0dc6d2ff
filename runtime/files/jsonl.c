/* jsonl.c: tables of columns as .jsonl files: a flat JSON object a line.

   Loading walks through the text twice. The first walk finds the keys and what each of them holds; the second writes the
   rows as those of a .csv file, without names, which csv_load reads with the same options: dates, dtypes and missing
   values have one rule each. Lines keep their numbers. */
#include "format.h"
#include "json.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINES_BETWEEN_CHECKS = 256 };

/* What a value is, or a column holds. */
enum json_kind { ABSENT, TRUTH, NUMBER, WORD, NESTED };

struct json_column {
  enum json_kind kind;
  int64_t line;              /* of the first value */
  int64_t count;             /* of values */
  bool is_text, is_left_out; /* by the caller's options */
  bool is_date;              /* its first word is one of ISO 8601 */
  /* The value of the current line: */
  enum json_kind value;
  int64_t at_line;
  char *text;
  const char *end;
};

struct json_rows {
  const struct call *call;
  strew_context *context;
  const char *path;
  const strew_load_options *options;
  char *at;
  const char *end; /* of the line */
  int64_t line, rows, all_rows;
  struct words names;
  struct json_column *columns;
  int64_t capacity;
  char *key; /* scratch for one with escapes */
  size_t key_bytes;
  char *cells; /* the rows as text */
  size_t used_bytes, held_bytes;
};

static const char *quoted(const struct json_rows *r, int64_t i, char *text) {
  return text_of_name(words_at(&r->names, i), text);
}

/* Adds the line to an error. */
static strew_status at_line(const struct json_rows *r, strew_status status) {
  if (r->call->error) r->call->error->position_rank = 1, r->call->error->position[0] = r->line;
  return status;
}

static strew_status unexpected(const struct json_rows *r, const char *expected) {
  const bool is_list = r->line == 1 && r->at < r->end && *r->at == '[';
  return at_line(r, fail_file(r->call, r->path, is_list ? "jq -c '.[]' FILE.json writes an object a line" : NULL,
                              "has an invalid line %" PRId64 ": expected %s", r->line, expected));
}

/* ---------------------------------------------------------------------------------------------------------- values */

static const char *const kind_words[] = {"nothing", "true or false", "a number", "a word", "a table or list"};

/* Moves over a nested value; false: it does not end in its line. */
static bool skip_nested(struct json_rows *r) {
  int64_t depth = 0;
  bool is_string = false;
  for (; r->at < r->end; r->at++) {
    const char c = *r->at;
    if (is_string)
      r->at += c == '\\' && r->at + 1 < r->end, is_string = c != '"';
    else if (c == '"')
      is_string = true;
    else if (c == '{' || c == '[')
      depth++;
    else if ((c == '}' || c == ']') && !--depth)
      return r->at++, true;
  }
  return false;
}

/* Moves over the string behind its first quote; false: it does not end. */
static bool skip_string(struct json_rows *r) {
  for (; r->at < r->end && *r->at != '"'; r->at++) r->at += *r->at == '\\' && r->at + 1 < r->end;
  return r->at < r->end && *r->at == '"';
}

static bool accept_word(struct json_rows *r, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  return r->at += length, true;
}

/* Reads a value into column i. */
static strew_status read_value(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  char name[TEXT_BYTES];
  column->text = r->at, column->at_line = r->line;
  if (*r->at == '"') {
    r->at++, column->text++;
    if (!skip_string(r)) return unexpected(r, "the end of a string");
    column->end = r->at++;
    return column->value = WORD, STREW_OK;
  }
  if (*r->at == '{' || *r->at == '[') {
    if (!column->is_left_out)
      return at_line(r,
                     fail_file(r->call, r->path, "columns = {\"name\", ...} leaves other keys out",
                               "has %s at key \"%s\" in line %" PRId64 ", expected numbers, words, true, false or null",
                               *r->at == '{' ? "an object" : "a list", quoted(r, i, name), r->line));
    return skip_nested(r) ? (column->value = ABSENT, STREW_OK) : unexpected(r, "the end of a nested value in the line");
  }
  const bool is_word = accept_word(r, "true") || accept_word(r, "false");
  column->value = is_word ? TRUTH : ABSENT;
  if (is_word || accept_word(r, "null") || accept_word(r, "NaN")) return column->end = r->at, STREW_OK;
  if (!accept_word(r, "Infinity") && !accept_word(r, "-Infinity")) r->at += json_number(r->at, r->end) - r->at;
  column->end = r->at;
  return r->at > column->text ? (column->value = NUMBER, STREW_OK) : unexpected(r, "a value");
}

/* ------------------------------------------------------------------------------------------------------------ keys */

/* True if the list has the column's name or, if no column has that, its number. */
static bool is_listed(const struct json_rows *r, int64_t i, const char *const *names, int64_t count) {
  char number[24];
  sprintf(number, "%" PRId64, i + 1);
  for (int64_t k = 0; k < count; k++)
    if (strcmp(names[k], words_at(&r->names, i)) == 0 || strcmp(names[k], number) == 0) return true;
  return false;
}

/* True if a rule of the caller decides the dtype of the column. */
static bool has_rule(const struct json_rows *r, int64_t i) {
  const strew_csv_lists *lists = r->options->csv ? r->options->csv->lists : NULL;
  for (int64_t k = 0; lists && k < lists->rule_count; k++)
    if (lists->rules[k].dtype && is_listed(r, i, &lists->rules[k].column, 1)) return true;
  return false;
}

static strew_status add_column(struct json_rows *r, int64_t i) {
  const strew_load_options *options = r->options;
  if (i == r->capacity) {
    const int64_t wider = 2 * r->capacity + 16;
    ALLOCATE_NEW(struct json_column *, columns, r->call, r->context, (size_t)wider * sizeof *columns);
    if (i) memcpy(columns, r->columns, (size_t)i * sizeof *columns);
    memory_free(r->context, r->columns, (size_t)r->capacity * sizeof *columns);
    r->columns = columns, r->capacity = wider;
  }
  r->columns[i] = (struct json_column){.is_text = is_listed(r, i, options->text, options->text_count),
                                       .is_left_out = options->column_count &&
                                                      !is_listed(r, i, options->columns, options->column_count)};
  return STREW_OK;
}

/* Reads a key, and the number of its column, which may be new. */
static strew_status read_key(struct json_rows *r, int64_t guess, int64_t *out) {
  if (r->at == r->end || *r->at != '"') return unexpected(r, "a key");
  char *first = ++r->at;
  if (!skip_string(r)) return unexpected(r, "the end of a key");
  const char *text = first;
  size_t length = (size_t)(r->at - first);
  r->at++;
  if (words_is(&r->names, guess, text, length)) return *out = guess, STREW_OK;
  if (memchr(text, '\\', length)) {
    if (r->key_bytes < length + 1)
      RETURN_IF_FAILED(stream_grow(r->call, r->context, 0, length + 1, &r->key, &r->key_bytes));
    char *at = memcpy(r->key, text, length);
    r->key[length] = '"';
    const char *expected = json_string(&at, r->key + length + 1, &text, &length);
    if (expected) return unexpected(r, expected);
  }
  if (!length) return unexpected(r, "a key that is not empty");
  const int64_t count = r->names.count;
  RETURN_IF_FAILED(words_number(r->call, r->context, &r->names, text, length, out));
  return *out == count ? add_column(r, count) : STREW_OK;
}

/* Reads `"key": value`. */
static strew_status read_field(struct json_rows *r, int64_t *i) {
  char name[TEXT_BYTES];
  RETURN_IF_FAILED(read_key(r, *i, i));
  if (r->columns[*i].at_line == r->line)
    return at_line(
        r, fail_file(r->call, r->path, NULL, "has key \"%s\" twice in line %" PRId64, quoted(r, *i, name), r->line));
  r->at += json_blanks(r->at, r->end) - r->at;
  if (r->at == r->end || *r->at != ':') return unexpected(r, ": behind a key");
  r->at++;
  r->at += json_blanks(r->at, r->end) - r->at;
  if (r->at == r->end) return unexpected(r, "a value");
  RETURN_IF_FAILED(read_value(r, *i));
  r->at += json_blanks(r->at, r->end) - r->at;
  return STREW_OK;
}

/* Reads the object of a line, or nothing of one without; *is_row: there is one. */
static strew_status read_line(struct json_rows *r, bool *is_row) {
  int64_t i = -1;
  r->at += json_blanks(r->at, r->end) - r->at;
  *is_row = r->at < r->end;
  if (!*is_row) return STREW_OK;
  if (*r->at != '{') return unexpected(r, "an object, as {\"a\": 1, \"b\": \"x\"}");
  do {
    r->at++;
    r->at += json_blanks(r->at, r->end) - r->at;
    if (i < 0 && r->at < r->end && *r->at == '}') break;
    i++;
    RETURN_IF_FAILED(read_field(r, &i));
  } while (r->at < r->end && *r->at == ',');
  if (r->at == r->end || *r->at != '}') return unexpected(r, "a comma or }");
  r->at++;
  r->at += json_blanks(r->at, r->end) - r->at;
  return r->at == r->end ? STREW_OK : unexpected(r, "the end of the line behind }");
}

/* Calls `take` after each line, until as many rows as the caller wants were read. */
static strew_status walk(struct json_rows *r, const struct file *file,
                         strew_status (*take)(struct json_rows *r, bool is_row)) {
  const int64_t most = r->options->csv && r->options->csv->rows ? r->options->csv->rows : INT64_MAX;
  char *next = file->bytes + (strncmp(file->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
  const char *end = file->bytes + file->size_bytes;
  r->rows = 0;
  for (r->line = 1; next < end && r->rows < most; r->line++) {
    bool is_row;
    char *line_end = memchr(next, '\n', (size_t)(end - next));
    r->at = next, r->end = line_end ? line_end : end;
    next = line_end ? line_end + 1 : (char *)(uintptr_t)end;
    RETURN_IF_FAILED(read_line(r, &is_row));
    r->rows += is_row;
    RETURN_IF_FAILED(take(r, is_row));
    if (r->line % LINES_BETWEEN_CHECKS == 0) RETURN_IF_FAILED(context_check(r->call, r->context));
  }
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------- the first walk */

/* Adds the value of the line to what column i holds. */
static strew_status join_kind(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  char name[TEXT_BYTES], hint[TEXT_BYTES + 32];
  if (column->is_left_out || column->value == ABSENT) return STREW_OK;
  column->count++;
  if (column->kind == ABSENT) {
    const size_t length = (size_t)(column->end - column->text);
    int64_t time;
    column->kind = column->value, column->line = r->line;
    column->is_date = column->value == WORD && time_read(column->text, length, "", &time) == TIME_READ;
  }
  if (column->kind == column->value || column->is_text) return STREW_OK;
  quoted(r, i, name);
  snprintf(hint, sizeof hint, "text = {\"%s\"} reads words", name);
  return at_line(r, fail_file(r->call, r->path, hint,
                              "has %s at key \"%s\" in line %" PRId64 ", where line %" PRId64 " has %s",
                              kind_words[column->value], name, r->line, column->line, kind_words[column->kind]));
}

static strew_status take_kinds(struct json_rows *r, bool is_row) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; is_row && i < r->names.count && status == STREW_OK; i++)
    if (r->columns[i].at_line == r->line) status = join_kind(r, i);
  return status;
}

/* ------------------------------------------------------------------------------------------------ the second walk */

/* True if the column is written as bools; those with gaps become numbers, as rows of a script do. */
static bool is_bools(const struct json_rows *r, const struct json_column *column) {
  return column->kind == TRUTH && column->count == r->all_rows && !column->is_text;
}

static void put(struct json_rows *r, const char *text, size_t length) {
  memcpy(r->cells + r->used_bytes, text, length);
  r->used_bytes += length;
}

static void put_word(struct json_rows *r, const char *text, size_t length) {
  put(r, "\"", 1);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"') put(r, "\"", 1);
    put(r, &text[i], 1);
  }
  put(r, "\"", 1);
}

/* Writes the cell of column i, and the separator or line end behind it. */
static strew_status put_cell(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  const bool is_there = column->at_line == r->line && column->value != ABSENT && !column->is_left_out;
  size_t length = is_there ? (size_t)(column->end - column->text) : 0;
  const char *text = column->text;
  if (r->held_bytes - r->used_bytes < 2 * length + 8)
    RETURN_IF_FAILED(stream_grow(r->call, r->context, r->used_bytes, 2 * length + 8, &r->cells, &r->held_bytes));
  if (is_there && column->value == WORD) {
    char *at = column->text;
    r->at = column->text;
    const char *expected = json_string(&at, column->end + 1, &text, &length);
    if (expected) return unexpected(r, expected);
    put_word(r, text, length);
  } else if (is_there && column->value == TRUTH && !column->is_text && !is_bools(r, column)) {
    put(r, *text == 't' ? "1" : "0", 1);
  } else if (is_there) {
    put(r, text, length);
  } else if (r->names.count == 1) {
    put(r, column->kind == WORD || column->is_text ? "\"\"" : "nan", column->kind == WORD || column->is_text ? 2 : 3);
  }
  put(r, i + 1 < r->names.count ? "," : "\n", 1);
  return STREW_OK;
}

static strew_status put_row(struct json_rows *r, bool is_row) {
  strew_status status = STREW_OK;
  if (!is_row && r->held_bytes == r->used_bytes)
    status = stream_grow(r->call, r->context, r->used_bytes, 1, &r->cells, &r->held_bytes);
  if (!is_row && status == STREW_OK) put(r, "\n", 1);
  for (int64_t i = 0; is_row && i < r->names.count && status == STREW_OK; i++) status = put_cell(r, i);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Writes the rules of the columns behind those of the caller; returns their number. */
static int64_t put_rules(const struct json_rows *r, strew_csv_rule *rules, int64_t count) {
  static const strew_dtype text = STREW_TEXT, truth = STREW_BOOL;
  const strew_load_options *options = r->options;
  const bool all_dates = options->csv && options->csv->all_dates;
  for (int64_t i = 0; i < r->names.count; i++) {
    const struct json_column *column = &r->columns[i];
    const bool is_word = column->kind == WORD && !(all_dates && column->is_date);
    if (column->is_left_out || column->is_text || has_rule(r, i)) continue;
    if (is_listed(r, i, options->dates, options->date_count) || (!is_word && !is_bools(r, column))) continue;
    rules[count++] = (strew_csv_rule){.column = words_at(&r->names, i), .dtype = is_word ? &text : &truth};
  }
  return count;
}

/* Loads the rows that were written as a .csv file. */
static strew_status load_cells(struct json_rows *r, strew_device *device, const struct file *file, strew_table **out) {
  const strew_csv_options *given = r->options->csv;
  const int64_t count = r->names.count, given_count = given && given->lists ? given->lists->rule_count : 0;
  const size_t names_bytes = (size_t)count * sizeof(char *),
               rules_bytes = (size_t)(given_count + count) * sizeof(strew_csv_rule);
  ALLOCATE_NEW(const char **, names, r->call, r->context, names_bytes);
  strew_csv_rule *rules = memory_allocate(r->context, rules_bytes);
  strew_status status = rules ? STREW_OK : fail_memory(r->call, r->context, rules_bytes);
  if (rules) {
    if (given_count) memcpy(rules, given->lists->rules, (size_t)given_count * sizeof *rules);
    for (int64_t i = 0; i < count; i++) names[i] = words_at(&r->names, i);
    strew_csv_lists lists = given && given->lists ? *given->lists : (strew_csv_lists){0};
    lists.rules = rules, lists.rule_count = put_rules(r, rules, given_count);
    strew_csv_options csv = given ? *given : (strew_csv_options){0};
    csv.lists = &lists, csv.names = names, csv.name_count = count, csv.rows = 0;
    strew_load_options options = *r->options;
    options.csv = &csv, options.header = STREW_HEADER_NO, options.separator = ',';
    struct file cells = *file;
    cells.bytes = r->cells, cells.size_bytes = r->used_bytes;
    status = csv_load(r->call, device, &cells, &options, out);
  }
  memory_free(r->context, rules, rules_bytes);
  memory_free(r->context, names, names_bytes);
  return status;
}

static strew_status read_rows(struct json_rows *r, struct file *file) {
  RETURN_IF_FAILED(file_hold(r->call, file, false));
  RETURN_IF_FAILED(walk(r, file, take_kinds));
  if (!r->names.count)
    return fail_file(r->call, r->path, NULL, "has no %s, expected a JSON object a line", r->rows ? "keys" : "lines");
  for (int64_t i = 0; i < r->names.count; i++) r->columns[i].at_line = 0;
  r->all_rows = r->rows;
  RETURN_IF_FAILED(walk(r, file, put_row));
  if (r->held_bytes == r->used_bytes)
    RETURN_IF_FAILED(stream_grow(r->call, r->context, r->used_bytes, 1, &r->cells, &r->held_bytes));
  return r->cells[r->used_bytes] = '\0', STREW_OK;
}

strew_status jsonl_load(const struct call *call, strew_device *device, struct file *file,
                        const strew_load_options *options, strew_table **out) {
  struct json_rows r = {.call = call, .context = device->context, .path = file->path, .options = options};
  strew_status status = read_rows(&r, file);
  TRY(status, load_cells(&r, device, file, out));
  words_release(&r.names, r.context);
  memory_free(r.context, r.columns, (size_t)r.capacity * sizeof *r.columns);
  memory_free(r.context, r.key, r.key_bytes);
  memory_free(r.context, r.cells, r.held_bytes);
  return status;
}
