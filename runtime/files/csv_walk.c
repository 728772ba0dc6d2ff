/* csv_walk.c: see csv_walk.h. The work per cell is inlined into walk_line. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_walk.h"
#include "csv_cells.h"
#include "date.h"
#include "file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

/* ---------------------------------------------------------------------------------------------------------- words */

/* Replaces doubled quotes in a cell by single ones. */
static strew_status join_quotes(struct reader *reader, struct cell *cell) {
  size_t length = 0;
  if (!cell->has_quotes) return STREW_OK;
  if (cell->length > reader->unquoted_bytes) {
    memory_free(reader->context, reader->unquoted, reader->unquoted_bytes);
    reader->unquoted_bytes = 0;
    reader->unquoted = memory_allocate(reader->context, cell->length);
    if (!reader->unquoted) return fail_memory(reader->call, reader->context, cell->length);
    reader->unquoted_bytes = cell->length;
  }
  for (size_t i = 0; i < cell->length; i++) {
    reader->unquoted[length++] = cell->text[i];
    i += cell->text[i] == '"';
  }
  cell->text = reader->unquoted;
  cell->length = length;
  cell->has_quotes = false;
  return STREW_OK;
}

static bool is_missing(const struct cells *cells, const struct cell *cell) {
  static const char *const words[] = {"", "na", "n/a", "null"};
  const char *end = cell->text + cell->length, *text = skip_blanks(cells, cell->text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
  size_t length = text < end ? (size_t)(end - text) : 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0) return true;
  return false;
}

static bool is_nan(const struct cell *cell) { return cell->is_number && cell->number.kind == DECIMAL_NAN; }

/* ------------------------------------------------------------------------------------------------------- failures */

/* Writes "line 3, column 2 (price)" to `text` and returns it. */
static const char *text_of_position(const struct reader *reader, int64_t line, int64_t i, char *text) {
  char name[TEXT_BYTES];
  int length = snprintf(text, TEXT_BYTES, "line %" PRId64 ", column %" PRId64, line, i + 1);
  if (reader->options->header == STREW_HEADER_YES && i < reader->names.count)
    snprintf(text + length, (size_t)(TEXT_BYTES - length), " (%.100s)",
             text_of_name(words_at(&reader->names, i), name));
  return text;
}

/* Writes the beginning of a cell to `text`, escaped for messages, and returns it. */
static const char *text_of_cell(const struct cell *cell, char *text) {
  enum { MAX_BYTES = 60 };
  char start[MAX_BYTES + 1] = {0};
  memcpy(start, cell->text, cell->length < MAX_BYTES ? cell->length : MAX_BYTES);
  text_of_name(start, text);
  if (cell->length > MAX_BYTES) strcat(text, "...");
  return text;
}

static strew_status fail_cell(const struct reader *reader, int64_t line, int64_t i, const struct cell *cell,
                              const char *expected, const char *hint) {
  char position[TEXT_BYTES], text[TEXT_BYTES];
  return fail_file(reader->call, reader->path, hint, "has \"%s\" in %s, expected %s", text_of_cell(cell, text),
                   text_of_position(reader, line, i, position), expected);
}

/* Writes "price", with its quotes, or 2 to `text` and returns it: a column as options name it. */
static const char *text_of_column(const struct reader *reader, int64_t i, char *text) {
  char name[TEXT_BYTES];
  bool is_named = reader->options->header == STREW_HEADER_YES;
  snprintf(text, TEXT_BYTES, is_named ? "\"%.100s\"" : "%s", text_of_name(words_at(&reader->names, i), name));
  return text;
}

/* Words that are no words: numbers and dates in a form that needs an option. */
enum look { PLAIN, OTHER_POINT, GROUPED, DATE };

/* Writes what an option makes of cells of this look to `text` and returns it. */
static const char *text_of_remedy(const struct reader *reader, enum look look, const char *column, char *text) {
  *text = '\0';
  if (look == DATE) snprintf(text, TEXT_BYTES, "{dates = {%.120s}} reads seconds since 1970, ", column);
  if (look == OTHER_POINT)
    strcpy(text, reader->point == ',' ? "without decimal = \",\" it is a number, "
                                      : "{decimal = \",\"} reads decimal commas, ");
  return text;
}

/* Fails because of a cell that the column cannot have. */
static strew_status fail_look(const struct reader *reader, int64_t line, int64_t i, const struct cell *cell,
                              enum look look, const char *expected) {
  char hint[TEXT_BYTES], column[TEXT_BYTES], remedy[TEXT_BYTES];
  text_of_column(reader, i, column);
  snprintf(hint, sizeof hint, "%.200s{text = {%.150s}} reads the column as words",
           text_of_remedy(reader, look, column, remedy), column);
  return fail_cell(reader, line, i, cell, expected, hint);
}

/* True if a cell is thousands in groups, as 1,234,567 or 1.234,5. */
static bool is_grouped(const char *at, const char *end) {
  at += at < end && (*at == '-' || *at == '+');
  const char *first = at;
  while (at < end && *at >= '0' && *at <= '9') at++;
  char mark = (char)(at < end ? *at : '\0');
  if (at == first || at > first + 3 || (mark != ',' && mark != '.')) return false;
  for (; at < end && *at == mark; at += 4)
    if (end - at < 4 || strspn(at + 1, "0123456789") < 3) return false;
  if (at < end && (*at == ',' || *at == '.')) at++;
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at == end;
}

/* The look of a cell that is no number. */
static enum look look_of(const struct reader *reader, const struct cells *cells, const struct cell *cell) {
  struct decimal other;
  int64_t seconds;
  enum date date = cell->has_quotes ? DATE_NONE : date_read(cell->text, cell->length, &seconds);
  if (date == DATE_READ || date == DATE_PARTIAL) return DATE;
  const char *end = cell->text + cell->length, *text = skip_blanks(cells, cell->text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (text < end && decimal_scan(text, reader->point == ',' ? '.' : ',', &other) == end) return OTHER_POINT;
  return is_grouped(text, end) ? GROUPED : PLAIN;
}

/* Fails because of text in a column of numbers. */
static strew_status fail_text(const struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                              const struct cell *cell) {
  char expected[TEXT_BYTES] = "a number: the first chunk has no words there";
  int64_t first_line = reader->columns[i].first_line;
  if (first_line) snprintf(expected, sizeof expected, "a number, as in line %" PRId64, first_line);
  return fail_look(reader, line, i, cell, look_of(reader, cells, cell), expected);
}

static strew_status fail_ragged(const struct reader *reader, int64_t line, int64_t count) {
  return fail_file(reader->call, reader->path, NULL,
                   "has %" PRId64 " cell%s in line %" PRId64 ", expected %" PRId64 ", as in line %" PRId64, count,
                   count == 1 ? "" : "s", line, reader->count, reader->width_line);
}

static strew_status fail_quotes(const struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                                const struct cell *cell) {
  char position[TEXT_BYTES];
  text_of_position(reader, cell->is_unclosed ? line : cells->line, i, position);
  if (cell->is_unclosed)
    return fail_file(reader->call, reader->path, NULL, "has a quote in %s that is never closed", position);
  return fail_file(reader->call, reader->path, "a quote inside of quotes is written twice: \"\"",
                   "has characters after a closing quote in %s, expected a separator or line end", position);
}

/* ----------------------------------------------------------------------------------------------- walk over a line */

/* Work on cell i of a row; the cell begins in this line. */
typedef strew_status visit(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                           struct cell *cell);

/* Checks for interruption at cell or column i, without reporting progress. */
static inline strew_status check_interrupted(const struct reader *reader, int64_t i) {
  return i % CSV_CELLS_BETWEEN_CHECKS ? STREW_OK : context_check(reader->call, reader->context);
}

/* Adds the number of cells in the rest of a line to *count. */
static strew_status count_cells(const struct reader *reader, struct cells *cells, int64_t *count) {
  struct cell cell;
  for (bool has_next = true; has_next; ++*count) {
    strew_status status = check_interrupted(reader, *count);
    if (status != STREW_OK) return status;
    cells_next(cells, true, &cell);
    has_next = *cells->at == cells->separator;
    cells->at += has_next;
  }
  return STREW_OK;
}

/* Fails because a line has more cells than there are columns. */
static strew_status fail_long(struct reader *reader, struct cells *cells, int64_t line) {
  int64_t count = reader->count;
  strew_status status = count_cells(reader, cells, &count);
  return status == STREW_OK ? fail_ragged(reader, line, count) : status;
}

/* Checks for interruption and reports progress, per cell: a line may have any number of cells. Reading the text is the
   first third of the progress, each walk another. */
static inline strew_status check_cell(struct reader *reader, const struct cells *cells) {
  if (reader->visited++ % CSV_CELLS_BETWEEN_CHECKS) return STREW_OK;
  progress_reach(reader->context, reader->size_bytes * (uint64_t)reader->walk + (uint64_t)(cells->at - reader->text));
  return context_check(reader->call, reader->context);
}

/* Walks one line and calls visit_cell for each of its cells. */
static inline strew_status walk_line(struct reader *reader, struct cells *cells, visit *visit_cell) {
  int64_t line = cells->line;
  for (int64_t i = 0;; i++, cells->at++) {
    if (i == reader->count) return fail_long(reader, cells, line);
    strew_status status = check_cell(reader, cells);
    if (status != STREW_OK) return status;
    struct cell cell;
    int64_t cell_line = cells->line;
    cells_next(cells, reader->columns[i].kind >= TEXTUAL, &cell);
    if (cell.is_unclosed || cell.has_more) return fail_quotes(reader, cells, cell_line, i, &cell);
    status = visit_cell(reader, cells, cell_line, i, &cell);
    if (status != STREW_OK) return status;
    if (*cells->at != cells->separator) return i + 1 == reader->count ? STREW_OK : fail_ragged(reader, line, i + 1);
  }
}

/* ------------------------------------------------------------------------------------------------- the first line */

/* Counts the cells of the first line: the number of columns. */
static strew_status count_columns(struct reader *reader, struct cells cells) {
  reader->width_line = cells.line;
  strew_status status = count_cells(reader, &cells, &reader->count);
  if (status != STREW_OK) return status;
  size_t size_bytes = (size_t)reader->count * sizeof *reader->columns;
  size_t chosen_bytes = (size_t)reader->count * sizeof *reader->chosen;
  status = check_machine_memory(reader->call, &reader->context->cpu, size_bytes, NULL);
  if (status != STREW_OK) return status;
  reader->columns = memory_allocate(reader->context, size_bytes);
  if (!reader->columns) return fail_memory(reader->call, reader->context, size_bytes);
  memset(reader->columns, 0, size_bytes);
  reader->chosen = memory_allocate(reader->context, chosen_bytes);
  if (!reader->chosen) return fail_memory(reader->call, reader->context, chosen_bytes);
  for (int64_t i = 0; i < reader->count; i++) reader->columns[i].kind = TEXTUAL; /* while names are read */
  return STREW_OK;
}

static strew_status visit_name(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                               struct cell *cell) {
  (void)cells;
  int64_t number;
  strew_status status = join_quotes(reader, cell);
  if (status == STREW_OK)
    status = words_number(reader->call, reader->context, &reader->names, cell->text, cell->length, &number);
  if (status != STREW_OK || number == i) return status;
  char text[TEXT_BYTES];
  return fail_file(reader->call, reader->path,
                   "give the columns different names in the file, or load it with header = false",
                   "gives columns %" PRId64 " and %" PRId64 " the name \"%s\" in line %" PRId64, number + 1, i + 1,
                   text_of_cell(cell, text), line);
}

static strew_status name_by_numbers(struct reader *reader) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    char name[24];
    int64_t number;
    status = check_interrupted(reader, i);
    if (status != STREW_OK) break;
    int length = sprintf(name, "%" PRId64, i + 1);
    status = words_number(reader->call, reader->context, &reader->names, name, (size_t)length, &number);
  }
  return status;
}

/* Columns that an option names. */
struct named {
  const char *option;
  int64_t count;
  const char *const *names;
  enum kind kind;
};

static strew_status fail_named(const struct reader *reader, const struct named *named, const char *name) {
  enum { MAX_SHOWN = 8 };
  char text[TEXT_BYTES], known[TEXT_BYTES], list[MAX_SHOWN * 40];
  size_t length = 0;
  for (int64_t i = 0; i < reader->count && i < MAX_SHOWN; i++)
    length += (size_t)snprintf(list + length, 40, "%s\"%.32s\"", i ? ", " : "",
                               text_of_name(words_at(&reader->names, i), known));
  return fail(reader->call, (struct fault){.code = STREW_EARGUMENT, .argument = named->option},
              "has \"%s\", not found among the columns: %s%s", text_of_name(name, text), list,
              reader->count > MAX_SHOWN ? ", ..." : "");
}

static strew_status mark(struct reader *reader, const struct named *named) {
  char text[TEXT_BYTES];
  for (int64_t k = 0; k < named->count; k++) {
    const char *name = named->names[k];
    int64_t i = words_find(&reader->names, name, strlen(name));
    if (i < 0) return fail_named(reader, named, name);
    if (reader->columns[i].kind == SKIPPED) continue;
    if (reader->columns[i].kind != UNKNOWN && reader->columns[i].kind != named->kind)
      return fail(reader->call, (struct fault){.code = STREW_EARGUMENT, .argument = named->option},
                  "has \"%s\", which is in 'text', too", text_of_name(name, text));
    reader->columns[i].kind = named->kind;
  }
  return STREW_OK;
}

/* Chooses the columns of the table: those that the option names, or all. */
static strew_status choose_columns(struct reader *reader) {
  const strew_load_options *options = reader->options;
  const struct named named = {"columns", options->column_count, options->columns, UNKNOWN};
  char text[TEXT_BYTES];
  for (int64_t i = 0; i < reader->count; i++) {
    reader->columns[i].kind = named.count ? SKIPPED : UNKNOWN;
    if (!named.count) reader->chosen[i] = i;
  }
  reader->chosen_count = named.count ? 0 : reader->count;
  for (int64_t k = 0; k < named.count; k++) {
    int64_t i = words_find(&reader->names, named.names[k], strlen(named.names[k]));
    if (i < 0) return fail_named(reader, &named, named.names[k]);
    if (reader->columns[i].kind != SKIPPED)
      return fail(reader->call, (struct fault){.code = STREW_EARGUMENT, .argument = named.option}, "has \"%s\" twice",
                  text_of_name(named.names[k], text));
    reader->columns[i].kind = UNKNOWN;
    reader->chosen[reader->chosen_count++] = i;
  }
  return STREW_OK;
}

/* Marks the columns that the options name. */
static strew_status mark_columns(struct reader *reader) {
  const strew_load_options *options = reader->options;
  const struct named text = {"text", options->text_count, options->text, TEXTUAL},
                     dates = {"dates", options->date_count, options->dates, DATED};
  strew_status status = choose_columns(reader);
  if (status == STREW_OK) status = mark(reader, &text);
  return status == STREW_OK ? mark(reader, &dates) : status;
}

/* True if the first line has words only, and the second one a number. Dates are values below words, and may be names
   above numbers. */
static bool looks_like_header(struct reader *reader, struct cells cells) {
  struct cell cell;
  bool has_dates = false;
  for (int64_t i = 0; i < reader->count; i++, cells.at++) {
    cells_next(&cells, false, &cell);
    enum look look = cell.is_number ? OTHER_POINT : look_of(reader, &cells, &cell);
    if (look == OTHER_POINT || look == GROUPED || is_missing(&cells, &cell)) return false;
    has_dates |= look == DATE;
  }
  cells.at--;
  if (!cells_find_line(&cells)) return false;
  for (int64_t i = 0; i < reader->count; i++, cells.at++) {
    cells_next(&cells, false, &cell);
    if (cell.is_number || (!has_dates && look_of(reader, &cells, &cell) != PLAIN)) return true;
    if (*cells.at != cells.separator) break;
  }
  return false;
}

strew_status csv_read_head(struct reader *reader, struct cells *cells) {
  reader->walk = 1;
  if (!cells_find_line(cells)) return fail_file(reader->call, reader->path, NULL, "is empty, expected lines of cells");
  strew_status status = count_columns(reader, *cells);
  if (status == STREW_OK)
    status =
        reader->options->header == STREW_HEADER_YES ? walk_line(reader, cells, visit_name) : name_by_numbers(reader);
  if (status == STREW_OK) status = mark_columns(reader);
  if (status == STREW_OK && reader->options->header == STREW_HEADER_UNSAID && looks_like_header(reader, *cells))
    status = fail_file(reader->call, reader->path,
                       "header = true takes names from line 1, header = false reads it as all others",
                       "begins with a line of words above numbers: are they the column names?");
  return status;
}

/* ------------------------------------------------------------------------------------------------- the first walk */

/* A comma is a point meanwhile: rare numbers are read again by the C library. */
static double double_of(const struct reader *reader, const struct cell *cell) {
  char *text = reader->text + (cell->text - reader->text),
       *comma = reader->point == ',' ? memchr(text, ',', cell->length) : NULL;
  if (comma) *comma = '.';
  double number = decimal_to_double(&cell->number, reader->c_locale);
  if (comma) *comma = ',';
  return number;
}

static strew_scalar number_of(const struct reader *reader, const struct cell *cell) {
  int64_t whole;
  if (decimal_to_integer(&cell->number, &whole)) return strew_int(whole);
  return strew_float(double_of(reader, cell));
}

/* Stores a number as an element of dtype; false if dtype does not hold the number of the text. Integers are decided
   by the digits, before any rounding to float64: 1e-400 and 0.99999999999999999999 are not whole. */
static bool store_number(const struct reader *reader, const struct cell *cell, strew_dtype dtype, void *element) {
  const struct decimal *decimal = &cell->number;
  strew_scalar number;
  if (dtype_is_float(dtype)) {
    number = number_of(reader, cell);
    if (decimal->kind == DECIMAL_FINITE && number.dtype == STREW_FLOAT64 && isinf(number.as.f)) return false;
  } else {
    int64_t whole;
    if (!decimal_value_to_integer(decimal, &whole)) return false;
    number = strew_int(whole);
  }
  return strew_scalar_store(number, STREW_EXACT, dtype, element, NULL) == STREW_OK;
}

/* Fails unless the requested dtype holds this number. */
static strew_status check_number(const struct reader *reader, int64_t line, int64_t i, const struct cell *cell) {
  strew_dtype dtype = *reader->options->dtype;
  char element[8], expected[TEXT_BYTES];
  if (store_number(reader, cell, dtype, element)) return STREW_OK;
  snprintf(expected, sizeof expected, "a number that %s holds", strew_dtype_name(dtype));
  return fail_cell(reader, line, i, cell, expected, NULL);
}

/* Fails for a cell that would make a column of integers one of float64, whose dtype an earlier chunk has decided. */
static strew_status check_decided(const struct reader *reader, int64_t line, int64_t i, const struct cell *cell) {
  const struct column *column = &reader->columns[i];
  if (!reader->is_decided || column->dtype != STREW_INT64) return STREW_OK;
  if (column->kind == DATED)
    return fail_cell(reader, line, i, cell, "a date, as in all rows of the first chunk",
                     "a first chunk with a missing cell, by more rows, makes the column float64");
  if (reader->options->dtype) return STREW_OK; /* check_number and check_missing decide */
  return fail_cell(reader, line, i, cell, "an int64, as in all rows of the first chunk",
                   "{dtype = \"float64\"} reads columns of numbers as float64");
}

/* Notes a missing cell. */
static strew_status inspect_missing(struct reader *reader, int64_t line, int64_t i, const struct cell *cell) {
  struct column *column = &reader->columns[i];
  if (!column->missing_line) column->missing_line = line;
  return check_decided(reader, line, i, cell);
}

static strew_status inspect_date(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                                 struct cell *cell) {
  static const char *const expected[] = {[DATE_NONE] = "a date, as 2024-05-17 or 2024-05-17T12:30:00Z",
                                         [DATE_INVALID] = "a date and time of the calendar",
                                         [DATE_PARTIAL] = "whole seconds"};
  int64_t seconds;
  if (is_nan(cell) || is_missing(cells, cell)) return inspect_missing(reader, line, i, cell);
  enum date date = date_read(cell->text, cell->length, &seconds);
  return date == DATE_READ ? STREW_OK : fail_look(reader, line, i, cell, PLAIN, expected[date]);
}

/* Makes the column one of words, unless this first word seems to be a number or a date. */
static strew_status inspect_word(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                                 const struct cell *cell) {
  static const char *const expected[] = {[OTHER_POINT] = "a number with a decimal point",
                                         [GROUPED] = "a number without marks between thousands",
                                         [DATE] = "numbers or words, not dates"};
  enum look look = look_of(reader, cells, cell);
  if (look == PLAIN) return reader->columns[i].kind = TEXTUAL, STREW_OK;
  bool is_point = look == OTHER_POINT && reader->point == ',';
  return fail_look(reader, line, i, cell, look, is_point ? "a number with a decimal comma" : expected[look]);
}

static inline strew_status inspect_cell(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                                        struct cell *cell) {
  struct column *column = &reader->columns[i];
  int64_t whole;
  if (column->kind >= TEXTUAL) return STREW_OK;
  if (column->kind == DATED) return inspect_date(reader, cells, line, i, cell);
  if (!cell->is_number) {
    if (is_missing(cells, cell)) return inspect_missing(reader, line, i, cell);
    return column->kind == UNKNOWN ? inspect_word(reader, cells, line, i, cell)
                                   : fail_text(reader, cells, line, i, cell);
  }
  if (is_nan(cell)) return inspect_missing(reader, line, i, cell); /* may be a name: decides nothing */
  if (column->kind == UNKNOWN) column->first_line = line, column->kind = WHOLE;
  if (column->kind == WHOLE && !decimal_to_integer(&cell->number, &whole)) {
    strew_status status = check_decided(reader, line, i, cell);
    if (status != STREW_OK) return status;
    column->kind = FRACTIONAL;
  }
  return reader->options->dtype ? check_number(reader, line, i, cell) : STREW_OK;
}

/* Fails if column i has missing cells and a dtype without NaN. */
static strew_status check_missing(const struct reader *reader, int64_t i) {
  const struct column *column = &reader->columns[i];
  char position[TEXT_BYTES];
  const strew_dtype *dtype = reader->options->dtype;
  if (column->kind >= DATED || !column->missing_line || !dtype || dtype_is_float(*dtype)) return STREW_OK;
  return fail_file(reader->call, reader->path, NULL, "has no number in %s, expected %s, which has no NaN",
                   text_of_position(reader, column->missing_line, i, position), strew_dtype_name(*dtype));
}

strew_status csv_walk_first(struct reader *reader, struct cells cells) {
  strew_status status = STREW_OK;
  for (; status == STREW_OK && cells_find_line(&cells); reader->rows++)
    status = walk_line(reader, &cells, inspect_cell);
  for (int64_t i = 0; status == STREW_OK && i < reader->count; i++) status = check_missing(reader, i);
  return status;
}

/* ------------------------------------------------------------------------------------------------ the second walk */

/* Stores the date, which the first walk has checked, or NaN. */
static void store_date(const struct cell *cell, strew_dtype dtype, char *to) {
  int64_t seconds;
  double number = NAN;
  bool is_date = date_read(cell->text, cell->length, &seconds) == DATE_READ;
  if (is_date) number = (double)seconds;
  memcpy(to, dtype == STREW_INT64 ? (const void *)&seconds : &number, sizeof number);
}

/* Stores a cell in row reader->row of its column. */
static inline strew_status store_cell(struct reader *reader, const struct cells *cells, int64_t line, int64_t i,
                                      struct cell *cell) {
  (void)cells, (void)line;
  struct column *column = &reader->columns[i];
  if (column->kind == SKIPPED) return STREW_OK;
  strew_dtype dtype = column->dtype;
  char *to = column->elements + (size_t)reader->row * column->element_bytes;
  int64_t whole;
  if (column->kind == TEXTUAL) {
    strew_status status = join_quotes(reader, cell);
    if (status == STREW_OK)
      status = words_number(reader->call, reader->context, &column->words->words, cell->text, cell->length, &whole);
    if (status == STREW_OK) memcpy(to, &whole, sizeof whole);
    return status;
  }
  if (column->kind == DATED) return store_date(cell, dtype, to), STREW_OK;
  if (dtype == STREW_FLOAT64) {
    double number = cell->is_number ? double_of(reader, cell) : (double)NAN;
    memcpy(to, &number, sizeof number);
    return STREW_OK;
  }
  if (dtype == STREW_INT64 && decimal_to_integer(&cell->number, &whole)) {
    memcpy(to, &whole, sizeof whole);
    return STREW_OK;
  }
  /* the first walk checked that the dtype holds each number, and NaN if cells are missing */
  if (cell->is_number) return (void)store_number(reader, cell, dtype, to), STREW_OK;
  return strew_scalar_store(strew_float((double)NAN), STREW_EXACT, dtype, to, reader->call->error);
}

strew_status csv_walk_second(struct reader *reader, struct cells *cells) {
  strew_status status = STREW_OK;
  reader->walk = 2;
  for (; status == STREW_OK && cells_find_line(cells); reader->row++) status = walk_line(reader, cells, store_cell);
  return status;
}
