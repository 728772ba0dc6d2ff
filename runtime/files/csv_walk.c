/* csv_walk.c: see csv_walk.h. The work per cell is inlined into walk_line. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_walk.h"
#include "file.h"
#include "runtime/base/tensor.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

/* ---------------------------------------------------------------------------------------------------------- words */

/* Replaces doubled quotes in a cell by single ones. */
static strew_status join_quotes(struct csv_reader *reader, struct cell *cell) {
  size_t length = 0;
  if (!cell->has_quotes) return STREW_OK;
  if (cell->length > reader->unquoted_bytes) {
    memory_free(reader->context, reader->unquoted, reader->unquoted_bytes);
    reader->unquoted_bytes = 0;
    ALLOCATE(reader->unquoted, reader->call, reader->context, cell->length);
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

/* -------------------------------------------------------------------------------------------------------- numbers */

/* A comma is a point meanwhile: rare numbers are read again by the C library. */
static double double_of(const struct csv_reader *reader, const struct cell *cell) {
  char *text = reader->text + (cell->text - reader->text),
       *comma = reader->point == ',' ? memchr(text, ',', cell->length) : NULL;
  if (comma) *comma = '.';
  double number = decimal_to_double(&cell->number, reader->c_locale);
  if (comma) *comma = ',';
  return number;
}

/* True if the cell's number is this one, however written: of integers the digits decide, else the value. */
static bool is_number(const struct csv_reader *reader, const struct cell *cell, strew_scalar number) {
  int64_t whole;
  uint64_t positive;
  if (decimal_value_to_integer(&cell->number, &whole)) return number.dtype == STREW_INT64 && number.as.i == whole;
  if (number.dtype == STREW_UINT64)
    return decimal_value_to_unsigned(&cell->number, &positive) && positive == (uint64_t)number.as.i;
  const double value = double_of(reader, cell);
  if (isinf(value) && cell->number.kind == DECIMAL_FINITE) return false;
  return value == (number.dtype == STREW_INT64 ? (double)number.as.i : number.as.f);
}

/* True if the caller names the cell as one for a missing value: its text, or, unless it is read as text, its number. */
static inline bool is_named_missing(const struct csv_reader *reader, const struct cells *cells,
                                    const struct cell *cell) {
  if (!reader->missing.count && !reader->number_count) return false;
  size_t length;
  const char *text = trimmed(cells, cell, &length);
  bool is_found = reader->missing.count && words_find(&reader->missing, text, length) >= 0;
  for (int64_t i = 0; i < reader->number_count && cell->is_number && !is_found; i++)
    is_found = is_number(reader, cell, reader->numbers[i]);
  return is_found;
}

bool csv_is_absent(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  return is_named_missing(reader, cells, cell);
}

static bool is_missing(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  static const char *const words[] = {"", "na", "n/a", "null"};
  size_t length;
  const char *text = trimmed(cells, cell, &length);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0) return true;
  return is_named_missing(reader, cells, cell);
}

static bool is_nan(const struct cell *cell) { return cell->is_number && cell->number.kind == DECIMAL_NAN; }

static strew_scalar number_of(const struct csv_reader *reader, const struct cell *cell) {
  int64_t whole;
  if (decimal_to_integer(&cell->number, &whole)) return strew_int(whole);
  return strew_float(double_of(reader, cell));
}

/* ------------------------------------------------------------------------------------------------------- failures */

/* Adds the value, if it is not NULL, and the place to the error: a line and, unless it is negative, column i. Returns the
   status. */
static strew_status at_place(const struct csv_reader *reader, int64_t line, int64_t i, const strew_scalar *value,
                             strew_status status) {
  strew_error *error = reader->call->error;
  if (!error) return status;
  error->has_value = value != NULL;
  if (value) error->value = *value;
  error->position_rank = i < 0 ? 1 : 2;
  error->position[0] = line, error->position[1] = i + 1;
  return status;
}

/* Writes the first `most` bytes of a name to `text`, escaped for messages, and a mark if that is not all; returns it. */
static const char *text_of_start(const char *name, size_t most, char *text) {
  char start[TEXT_BYTES];
  size_t length = strlen(name);
  const bool is_cut = length > most;
  if (is_cut) length = most;
  while (is_cut && length && (name[length] & 0xc0) == 0x80) length--; /* ends with a whole UTF-8 character */
  sprintf(start, "%.*s", (int)length, name);
  sprintf(text, "%s%s", strew_printable(start), is_cut ? "..." : "");
  return text;
}

/* Writes "line 3, column 2 (price)" to `text` and returns it. */
static const char *text_of_position(const struct csv_reader *reader, int64_t line, int64_t i, char *text) {
  char name[TEXT_BYTES];
  int length = snprintf(text, TEXT_BYTES, "line %" PRId64 ", column %" PRId64, line, i + 1);
  if (reader->is_named && i < reader->names.count)
    snprintf(text + length, (size_t)(TEXT_BYTES - length), " (%s)",
             text_of_start(words_at(&reader->names, i), 100, name));
  return text;
}

/* Writes the beginning of a cell to `text`, escaped for messages, and returns it. */
static const char *text_of_cell(const struct cell *cell, char *text) {
  enum { MAX_BYTES = 60 };
  char start[MAX_BYTES + 2] = {0};
  memcpy(start, cell->text, cell->length <= MAX_BYTES ? cell->length : MAX_BYTES + 1);
  return text_of_start(start, MAX_BYTES, text);
}

static strew_status fail_cell(const struct csv_reader *reader, const struct cell *cell, const char *expected,
                              const char *hint) {
  char position[TEXT_BYTES], text[TEXT_BYTES];
  strew_status status =
      fail_file(reader->call, reader->path, hint, "has \"%s\" in %s, expected %s", text_of_cell(cell, text),
                text_of_position(reader, cell->line, cell->column, position), expected);
  const strew_scalar number = cell->is_number ? number_of(reader, cell) : strew_int(0);
  return at_place(reader, cell->line, cell->column, cell->is_number ? &number : NULL, status);
}

/* True if a message can quote the text as a script writes it, of `longest` bytes at most. */
static bool is_quotable(const char *text, size_t length, size_t longest) {
  char shown[TEXT_BYTES];
  if (!length || length > longest || memchr(text, '"', length) || memchr(text, '\\', length)) return false;
  sprintf(shown, "%.*s", (int)length, text);
  return memcmp(strew_printable(shown), text, length) == 0 && strlen(shown) == length;
}

/* Writes a column as options name it to `text` and returns it: "price", with its quotes, or 2. A name that is long, or
   that a script would write with escapes, is replaced by the number; if that is another name, nothing is left. */
static const char *text_of_column(const struct csv_reader *reader, int64_t i, char *text) {
  enum { LONGEST = 48 };
  const char *name = words_at(&reader->names, i);
  const bool is_shown = reader->is_named && is_quotable(name, strlen(name), LONGEST);
  const int length = is_shown ? sprintf(text, "\"%s\"", name) : sprintf(text, "%" PRId64, i + 1);
  const bool is_other = !is_shown && reader->is_named && words_find(&reader->names, text, (size_t)length) >= 0;
  return is_other ? NULL : text;
}

/* Writes a separator as a script writes it to `text`, of 4 bytes, and returns it. */
static const char *text_of_byte(char byte, char *text) {
  return strcpy(text, byte == '\t' ? "\\t" : (char[]){byte, '\0'});
}

/* Ways out of a failure, best first: a hint of the whole ways that have room. */
struct ways {
  char text[256];
};

static void add_way(struct ways *ways, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_way(struct ways *ways, const char *format, ...) {
  char way[TEXT_BYTES];
  size_t used = strlen(ways->text);
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(way, sizeof way, format, arguments);
  va_end(arguments);
  if (used + (size_t)length + sizeof ", " > sizeof ways->text) return;
  if (used) memcpy(ways->text + used, ", ", 2), used += 2;
  memcpy(ways->text + used, way, (size_t)length + 1);
}

/* The option that reads decimal commas. */
static const char *option_of_commas(const struct csv_reader *reader) {
  return reader->separator == ',' ? ".separator = \",\", .decimal = \",\"" : ".decimal = \",\"";
}

/* Writes the options that read the marks between the thousands of a number. */
static const char *options_of_thousands(const struct csv_reader *reader, const char *number, size_t length,
                                        char *text) {
  const char mark = number[strcspn(number, ",.' ")];
  const bool has_comma = mark == '.' || (mark != ',' && memchr(number, ',', length));
  const char point = has_comma ? ',' : '.'; /* the decimal point beside such marks */
  const bool is_other = mark == reader->point || (strchr("' ", mark) && point != reader->point);
  const char *separator = is_other && point == ',' && reader->separator == ',' ? ".separator = \",\", " : "";
  snprintf(text, TEXT_BYTES, "%s.thousands = \"%c\"%s", separator, mark,
           !is_other      ? ""
           : point == ',' ? ", .decimal = \",\""
                          : ", .decimal = \".\"");
  return text;
}

/* True for an integer, of digits, beyond int64 that uint64 holds. */
static bool is_unsigned(const struct cell *cell) {
  int64_t whole;
  uint64_t positive;
  return cell->is_number && cell->number.is_whole && !decimal_value_to_integer(&cell->number, &whole) &&
         decimal_value_to_unsigned(&cell->number, &positive);
}

/* Adds what reads dates of another form: of two forms that fit all rows, as 1/2/2024, both. */
static strew_status add_ways_of_dates(const struct csv_reader *reader, const struct cells *cells,
                                      const struct cell *cell, const char *column, struct ways *ways) {
  char formats[MOST_FORMATS][FORMAT_BYTES];
  int count = 0;
  RETURN_IF_FAILED(formats_of_column(reader, cells, cell, formats, &count));
  if (count)
    add_way(ways, "{.dates = {%s}, .date_formats = {\"%s\"}} reads dates%s%s%s", column, formats[0],
            count > 1 ? ", with the month first: \"" : "", count > 1 ? formats[1] : "", count > 1 ? "\"" : "");
  return STREW_OK;
}

/* Adds what reads the numbers of a column of dates: years, or counts from a day on. */
static void add_ways_of_counts(const struct csv_reader *reader, const struct cell *cell, const char *column,
                               struct ways *ways) {
  static const struct {
    double least;
    const char *unit;
  } units[] = {{1e17, "ns"}, {1e14, "us"}, {1e11, "ms"}, {1e8, "s"}};
  const double value = double_of(reader, cell), size = fabs(value);
  int64_t whole;
  const bool is_whole = decimal_to_integer(&cell->number, &whole), has_four = is_whole && whole > 999 && whole < 3000;
  if (has_four || (is_whole && whole > 99999 && whole < 300000 && whole % 100 - 1 < 12 && whole % 100)) {
    add_way(ways, "{.dates = {%s}, .date_formats = {\"%s\"}} reads %s", column, has_four ? "%Y" : "%Y%m",
            has_four ? "years" : "months");
    return;
  }
  if (reader->is_named && *column != '"') return; /* a script has no short name for the column */
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (size >= units[i].least) {
      add_way(ways, "without dates: strew.time(x[%s], \"%s\")", column, units[i].unit);
      return;
    }
  if (size >= 1e4 && size < 1e5) add_way(ways, "without dates: strew.time(\"1899-12-30\") + x[%s] * 86400", column);
}

/* Adds what reads a number with a unit. */
static void add_way_of_unit(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                            const char *column, struct ways *ways) {
  const struct column *own = &reader->columns[cell->column];
  size_t length, unit_length, number_length;
  const char *number, *text = trimmed(cells, cell, &length),
                      *unit = unit_of(reader, text, length, &unit_length, &number, &number_length);
  char bare[TEXT_BYTES], options[TEXT_BYTES] = "";
  if (!unit || number_length >= sizeof bare) return;
  if (own->has_unit && strncmp(words_at(&reader->units, own->unit), unit, unit_length) != 0) return; /* two units */
  sprintf(bare, "%.*s", (int)number_length, number);
  struct csv_reader plain = *reader;
  plain.columns = &(struct column){.kind = UNKNOWN};
  const enum look look = look_of(&plain, cells, &(struct cell){.text = bare, .length = number_length});
  if (look == GROUPED || look == AMBIGUOUS)
    options_of_thousands(reader, bare, number_length, options);
  else if (look == OTHER_POINT)
    strcpy(options, reader->point == ',' ? ".decimal = \".\"" : option_of_commas(reader));
  add_way(ways, "{.lists.rules = {{%s, .unit = \"%.*s\"}}%s%s} reads numbers", column, (int)unit_length, unit,
          *options ? ", " : "", options);
}

/* Adds what an option makes of a cell of this look. What drops a part of it comes after the column of words. */
static strew_status add_ways(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                             enum look look, const char *column, struct ways *ways) {
  enum { LONGEST_WORD = 24 };
  const struct column *own = &reader->columns[cell->column];
  const bool is_comma = reader->point == ',', has_numbers = own->first_line > 0;
  const char *before = look == OTHER_POINT && cells->thousands == ',' ? "without thousands = \",\" " : "";
  size_t length;
  const char *word = trimmed(cells, cell, &length);
  char shown[TEXT_BYTES];
  if (look == DATE && !has_numbers) add_way(ways, "{.dates = {%s}} reads dates", column);
  if (look == OTHER_DATE && !has_numbers) RETURN_IF_FAILED(add_ways_of_dates(reader, cells, cell, column, ways));
  if (look == COUNT) add_ways_of_counts(reader, cell, column, ways);
  if (is_unsigned(cell) && own->kind != FRACTIONAL && !own->missing_line && own->kind != DATED)
    add_way(ways, "{.dtype = STREW_UINT64} holds it");
  if (look == UNSPLIT) add_way(ways, "{.separator = \"%s\"} splits it", text_of_byte(reader->likely_separator, shown));
  if (look == GROUPED || look == AMBIGUOUS)
    add_way(ways, "{%s} reads thousands", options_of_thousands(reader, word, length, shown));
  if ((look == OTHER_POINT || look == AMBIGUOUS) && is_comma)
    add_way(ways, "without decimal = \",\" %s", look == AMBIGUOUS ? "they are decimal points" : "it is a number");
  if ((look == OTHER_POINT || look == AMBIGUOUS) && !is_comma)
    add_way(ways, "%s{%s} reads decimal commas", before, option_of_commas(reader));
  if (look == UNIT) add_way_of_unit(reader, cells, cell, column, ways);
  if (look == PLAIN && cell->column == 0 && length > 1 && *word == '#' && strchr(" \t#", word[1]))
    add_way(ways, "{.comment = \"#\"} skips its line");
  if ((look == PLAIN || look == MARK) && may_be_missing(word, length) && is_quotable(word, length, LONGEST_WORD))
    add_way(ways, "{.missing = {\"%.*s\"}} reads it as an empty cell", (int)length, word);
  add_way(ways, "{.text = {%s}} reads the column as words", column);
  if (look == ROUNDED) add_way(ways, "{.dtype = STREW_FLOAT64} rounds");
  if (look == LABEL)
    add_way(ways,
            "{.dtype = STREW_INT64}, with fractions STREW_FLOAT64, reads numbers without leading zeros and signs");
  return STREW_OK;
}

/* Fails because of a cell that the column cannot have. */
static strew_status fail_look(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                              enum look look, const char *expected) {
  struct ways ways = {""};
  char text[TEXT_BYTES];
  if (reader->is_part) return STREW_EFILE; /* the first walk says more */
  const char *column = text_of_column(reader, cell->column, text);
  if (!column)
    add_way(&ways, "{.names = {...}} gives the columns other names");
  else
    RETURN_IF_FAILED(add_ways(reader, cells, cell, look, column, &ways));
  return fail_cell(reader, cell, expected, ways.text);
}

/* Fails because of a noted cell. */
static strew_status fail_noted(const struct csv_reader *reader, const struct cells *cells, int64_t i, enum look look,
                               const char *expected) {
  const struct noted *noted = &reader->columns[i].noted;
  struct cell cell = {.text = noted->text, .length = noted->length, .line = noted->line, .column = i};
  cell.is_number = decimal_scan(noted->text, reader->point, &cell.number) == noted->text + noted->length;
  return fail_look(reader, cells, &cell, look, expected);
}

/* Fails because of text in a column of numbers. */
static strew_status fail_text(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  char expected[TEXT_BYTES] = "a number: the first chunk has no words there";
  int64_t first_line = reader->columns[cell->column].first_line;
  if (first_line) snprintf(expected, sizeof expected, "a number, as in line %" PRId64, first_line);
  return fail_look(reader, cells, cell, look_of(reader, cells, cell), expected);
}

/* Writes what may have made the first line of the table narrower than another to `text`; NULL: nothing known. */
static const char *hint_of_width(const struct csv_reader *reader, char byte, int64_t line, int64_t count, char *text) {
  char shown[4];
  int64_t first = reader->width_line;
  const enum kind kind = reader->columns[0].kind;
  if (byte == '#' || reader->first_byte == '#') return "{.comment = \"#\"} skips lines that begin with #";
  if (reader->likely_separator)
    snprintf(text, TEXT_BYTES, "line %" PRId64 " has '%s': {.separator = \"%s\"}", first,
             text_of_byte(reader->likely_separator, shown), shown);
  else if (reader->separator == ' ' && !reader->has_runs)
    return "{.separator = STREW_BLANKS} takes a run of blanks for one";
  else if (count > reader->count && reader->count == 1 && kind != WHOLE && kind != FRACTIONAL)
    snprintf(text, TEXT_BYTES, "{.skip = %" PRId64 "} skips the lines before line %" PRId64, line - 1, line);
  else if (count == reader->count + 1 && reader->has_header && !reader->rows && !reader->is_decided)
    snprintf(text, TEXT_BYTES,
             "{.skip = %" PRId64 ", .names = {...}} names %" PRId64 " columns, if line %" PRId64
             " lacks the first name",
             first, count, first);
  else if (reader->rows && !reader->is_chunked)
    snprintf(text, TEXT_BYTES, "{.rows = %" PRId64 "} reads the rows before it", reader->rows);
  else if (count > reader->count)
    snprintf(text, TEXT_BYTES, "a cell with '%s' in it is in quotes", text_of_byte(reader->separator, shown));
  else
    return NULL;
  return text;
}

/* Fails because of a line that begins with this byte. */
static strew_status fail_ragged(const struct csv_reader *reader, char byte, int64_t line, int64_t count) {
  char hint[TEXT_BYTES];
  strew_status status =
      fail_file(reader->call, reader->path, hint_of_width(reader, byte, line, count, hint),
                "has %" PRId64 " cell%s in line %" PRId64 ", expected %" PRId64 ", as in line %" PRId64, count,
                count == 1 ? "" : "s", line, reader->count, reader->width_line);
  const strew_scalar value = strew_int(count);
  return at_place(reader, line, -1, &value, status);
}

static strew_status fail_quotes(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  char position[TEXT_BYTES];
  const int64_t line = cell->is_unclosed ? cell->line : cells->line;
  text_of_position(reader, line, cell->column, position);
  strew_status status =
      cell->is_unclosed
          ? fail_file(reader->call, reader->path, NULL, "has a quote in %s that is never closed", position)
          : fail_file(reader->call, reader->path, "a quote inside of quotes is written twice: \"\"",
                      "has characters after a closing quote in %s, expected a separator or line end", position);
  return at_place(reader, line, cell->column, NULL, status);
}

/* ----------------------------------------------------------------------------------------------- walk over a line */

/* Work on a cell of a row. */
typedef strew_status visit(struct csv_reader *reader, const struct cells *cells, struct cell *cell);

/* Checks for interruption at cell or column i, without reporting progress. */
static inline strew_status check_interrupted(const struct csv_reader *reader, int64_t i) {
  return i % CSV_CELLS_BETWEEN_CHECKS ? STREW_OK : context_check(reader->call, reader->context);
}

/* Adds the number of cells in the rest of a line to *count. */
static strew_status count_cells(const struct csv_reader *reader, struct cells *cells, int64_t *count) {
  struct cell cell;
  for (bool has_next = true; has_next; ++*count) {
    RETURN_IF_FAILED(check_interrupted(reader, *count));
    cells_next(cells, true, &cell);
    has_next = cells_has_next(cells);
    cells->at += has_next;
  }
  return STREW_OK;
}

/* Fails because a line has more cells than there are columns. */
static strew_status fail_long(struct csv_reader *reader, struct cells *cells, char byte, int64_t line) {
  int64_t count = reader->count;
  strew_status status = count_cells(reader, cells, &count);
  return TRY(status, fail_ragged(reader, byte, line, count));
}

/* Checks for interruption and reports progress, per cell: a line may have any number of cells. Reading the text is the
   first third of the progress, each walk another. */
static inline strew_status check_cell(struct csv_reader *reader, const struct cells *cells) {
  if (reader->visited++ % CSV_CELLS_BETWEEN_CHECKS) return STREW_OK;
  progress_reach(reader->context, reader->size_bytes * (uint64_t)reader->walk + (uint64_t)(cells->at - reader->text));
  return context_check(reader->call, reader->context);
}

/* Walks one line and calls visit_cell for each of its cells. */
static inline strew_status walk_line(struct csv_reader *reader, struct cells *cells, visit *visit_cell) {
  int64_t line = cells->line;
  const char first_byte = *cells->at;
  for (int64_t i = 0;; i++, cells->at++) {
    if (i == reader->count) return fail_long(reader, cells, first_byte, line);
    RETURN_IF_FAILED(check_cell(reader, cells));
    struct cell cell;
    csv_next_cell(reader, cells, i, &cell);
    if (cell.is_unclosed || cell.has_more) return fail_quotes(reader, cells, &cell);
    RETURN_IF_FAILED(visit_cell(reader, cells, &cell));
    if (!cells_has_next(cells)) return i + 1 == reader->count ? STREW_OK : fail_ragged(reader, first_byte, line, i + 1);
  }
}

/* ------------------------------------------------------------------------------------------------- the first line */

static int64_t count_bytes(const char *at, size_t length, char byte) {
  int64_t count = 0;
  for (const char *end = at + length; (at = memchr(at, byte, (size_t)(end - at))); at++) count++;
  return count;
}

/* Finds the character that may separate the cells of a first line of one cell. */
static void find_separator(struct csv_reader *reader, const char *line, size_t length) {
  static const char separators[] = ";\t|";
  for (const char *one = separators; *one && !reader->likely_count; one++) {
    reader->likely_count = count_bytes(line, length, *one);
    if (reader->likely_count) reader->likely_separator = *one;
  }
}

/* Counts the cells of the first line: the number of columns. */
static strew_status count_columns(struct csv_reader *reader, struct cells cells) {
  const char *first = cells.at;
  reader->width_line = cells.line;
  RETURN_IF_FAILED(count_cells(reader, &cells, &reader->count));
  const uint64_t size_bytes = (uint64_t)reader->count * sizeof *reader->columns;
  const uint64_t chosen_bytes = (uint64_t)reader->count * sizeof *reader->chosen;
  RETURN_IF_FAILED(check_machine_memory(reader->call, &reader->context->cpu, size_bytes, NULL));
  ALLOCATE(reader->columns, reader->call, reader->context, size_bytes);
  memset(reader->columns, 0, (size_t)size_bytes);
  ALLOCATE(reader->chosen, reader->call, reader->context, chosen_bytes);
  for (int64_t i = 0; i < reader->count; i++) reader->columns[i].kind = TEXTUAL; /* while names are read */
  reader->first_byte = *first;
  if (reader->count == 1 && *first != '"') find_separator(reader, first, (size_t)(cells.at - first));
  return STREW_OK;
}

/* Tells the caller, once, that a name of the file is empty, or that of column `other`, and what replaces it. */
static void warn_of_name(const struct csv_reader *reader, const struct cell *cell, int64_t other) {
  char hint[TEXT_BYTES], fact[TEXT_BYTES], text[TEXT_BYTES], name[TEXT_BYTES];
  strew_error *warning = reader->options->csv ? reader->options->csv->warning : NULL;
  if (!warning || *warning->message) return;
  struct call call = *reader->call;
  call.error = warning;
  snprintf(hint, sizeof hint, "{.names = {...}} names the %" PRId64 " columns instead of line %" PRId64, reader->count,
           cell->line);
  snprintf(fact, sizeof fact, other < 0 ? "no name" : "the name of column %" PRId64 ", \"%s\",", other + 1,
           text_of_cell(cell, text));
  (void)fail_file(&call, reader->path, hint, "gives column %" PRId64 " %s in line %" PRId64 ": it is \"%s\"",
                  cell->column + 1, fact, cell->line, text_of_start(words_at(&reader->names, cell->column), 100, name));
  warning->code = STREW_OK;
}

static strew_status visit_name(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  char number[24];
  size_t length;
  RETURN_IF_FAILED(join_quotes(reader, cell));
  (void)trimmed(cells, cell, &length);
  const bool is_empty = !length;
  const char *name = is_empty ? number : cell->text;
  if (is_empty) sprintf(number, "%" PRId64, cell->column + 1);
  length = is_empty ? strlen(number) : cell->length;
  const int64_t other = words_find(&reader->names, name, length);
  strew_status status = words_add_name(reader->call, reader->context, &reader->names, name, length);
  if (status == STREW_OK && (is_empty || other >= 0)) warn_of_name(reader, cell, is_empty ? -1 : other);
  return status;
}

/* Names that the caller replaces. */
static strew_status skip_name(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  (void)reader, (void)cells, (void)cell;
  return STREW_OK;
}

/* Takes the caller's names. */
static strew_status name_by_list(struct csv_reader *reader, int64_t count, const char *const *names) {
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "names"};
  char text[TEXT_BYTES];
  if (count != reader->count)
    return fail(reader->call, fault, "has %" PRId64 " names, expected %" PRId64 ", the cells of line %" PRId64, count,
                reader->count, reader->width_line);
  for (int64_t i = 0; i < count; i++) {
    int64_t number;
    strew_status status = check_interrupted(reader, i);
    TRY(status, words_number(reader->call, reader->context, &reader->names, names[i], strlen(names[i]), &number));
    if (status != STREW_OK) return status;
    if (number != i) return fail(reader->call, fault, "has \"%s\" twice", text_of_name(names[i], text));
  }
  return STREW_OK;
}

static strew_status name_by_numbers(struct csv_reader *reader) {
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
  const char *const *formats; /* of dates, or NULL */
};

/* True if a cell of the line has this text. */
static bool is_in_line(const struct csv_reader *reader, struct cells line, const char *text) {
  struct cell cell = {.length = 0};
  bool is_found = false;
  for (int64_t i = 0; i < reader->count && !is_found; i++, line.at++) {
    cells_next(&line, true, &cell);
    is_found = cell.length == strlen(text) && memcmp(cell.text, text, cell.length) == 0;
  }
  return is_found;
}

/* Fails for a name that no column has; `first` is the first row. */
static strew_status fail_named(const struct csv_reader *reader, const struct cells *first, const struct named *named,
                               const char *name) {
  enum { MAX_SHOWN = 8, MOST_GUESSED = 4096 };
  char text[TEXT_BYTES], known[TEXT_BYTES], list[MAX_SHOWN * 120], hint[TEXT_BYTES];
  size_t length = 0;
  strew_guess guess = {.wanted = name};
  for (int64_t i = 0; i < reader->count && i < MOST_GUESSED; i++) strew_guess_name(&guess, words_at(&reader->names, i));
  for (int64_t i = 0; i < reader->count && i < MAX_SHOWN; i++)
    length += (size_t)sprintf(list + length, "%s\"%s\"", i ? ", " : "",
                              text_of_start(words_at(&reader->names, i), 32, known));
  const char *way_out = hint_of_guess(&guess, hint);
  if (!reader->is_named && is_in_line(reader, *first, name)) {
    snprintf(hint, sizeof hint, "header = true takes names from line %" PRId64, reader->width_line);
    way_out = hint;
  }
  return fail(reader->call, HINTED(STREW_EARGUMENT, named->option, way_out),
              "has \"%s\", not found among the columns: %s%s", text_of_name(name, text), list,
              reader->count > MAX_SHOWN ? ", ..." : "");
}

/* The column of this name, else of this number; -1: none. */
static int64_t find_column(const struct csv_reader *reader, const char *name) {
  const int64_t i = words_find(&reader->names, name, strlen(name));
  int64_t number = 0;
  if (i >= 0) return i;
  for (const char *at = name; *at; at++) {
    if (*at < '0' + (at == name) || *at > '9' || number > reader->count) return -1;
    number = 10 * number + (*at - '0');
  }
  return number > reader->count ? -1 : number - 1;
}

static strew_status mark(struct csv_reader *reader, const struct cells *first, const struct named *named) {
  char text[TEXT_BYTES];
  for (int64_t k = 0; k < named->count; k++) {
    const char *name = named->names[k];
    int64_t i = find_column(reader, name);
    if (i < 0) return fail_named(reader, first, named, name);
    if (reader->columns[i].kind == SKIPPED) continue;
    if (reader->columns[i].kind != UNKNOWN && reader->columns[i].kind != named->kind)
      return fail(reader->call, FAULT(STREW_EARGUMENT, named->option), "has \"%s\", which is in 'text', too",
                  text_of_name(name, text));
    reader->columns[i].kind = named->kind;
    const char *format = named->formats ? named->formats[k] : NULL;
    if (!format) continue;
    RETURN_IF_FAILED(check_time_format(reader->call, "dates", name, format));
    RETURN_IF_FAILED(words_number(reader->call, reader->context, &reader->formats, format, strlen(format),
                                  &reader->columns[i].format));
    reader->columns[i].format++;
  }
  return STREW_OK;
}

/* Chooses the columns of the table: those that the option names, or all. */
static strew_status choose_columns(struct csv_reader *reader, const struct cells *first) {
  const strew_load_options *options = reader->options;
  const struct named named = {"columns", options->column_count, options->columns, UNKNOWN, NULL};
  char text[TEXT_BYTES];
  for (int64_t i = 0; i < reader->count; i++) {
    reader->columns[i].kind = named.count ? SKIPPED : UNKNOWN;
    if (!named.count) reader->chosen[i] = i;
  }
  reader->chosen_count = named.count ? 0 : reader->count;
  for (int64_t k = 0; k < named.count; k++) {
    int64_t i = find_column(reader, named.names[k]);
    if (i < 0) return fail_named(reader, first, &named, named.names[k]);
    if (reader->columns[i].kind != SKIPPED)
      return fail(reader->call, FAULT(STREW_EARGUMENT, named.option), "has \"%s\" twice",
                  text_of_name(named.names[k], text));
    reader->columns[i].kind = UNKNOWN;
    reader->chosen[reader->chosen_count++] = i;
  }
  return STREW_OK;
}

/* Takes the rules of single columns. */
static strew_status take_rules(struct csv_reader *reader, const struct cells *first) {
  const strew_csv_lists *lists = reader->options->csv ? reader->options->csv->lists : NULL;
  for (int64_t k = 0; lists && k < lists->rule_count; k++) {
    const strew_csv_rule *rule = &lists->rules[k];
    const char *option = rule->unit ? "unit" : "dtype";
    const int64_t i = find_column(reader, rule->column);
    const bool is_kind = rule->dtype && (*rule->dtype == STREW_TEXT || *rule->dtype == STREW_TIME);
    const struct named named = {option, 1, &rule->column, is_kind && *rule->dtype == STREW_TEXT ? TEXTUAL : DATED,
                                NULL};
    if (i < 0) return fail_named(reader, first, &named, rule->column);
    struct column *column = &reader->columns[i];
    if (is_kind) RETURN_IF_FAILED(mark(reader, first, &named));
    if (rule->dtype && !is_kind) {
      RETURN_IF_FAILED(check_number_dtype(reader->call, *rule->dtype));
      column->has_dtype = true, column->wanted = *rule->dtype;
    }
    if (!rule->unit) continue;
    column->has_unit = true;
    RETURN_IF_FAILED(
        words_number(reader->call, reader->context, &reader->units, rule->unit, strlen(rule->unit), &column->unit));
  }
  return STREW_OK;
}

/* Marks the columns that the options name; `first` is the first row. */
static strew_status mark_columns(struct csv_reader *reader, const struct cells *first) {
  const strew_load_options *options = reader->options;
  const struct named text = {"text", options->text_count, options->text, TEXTUAL, NULL},
                     dates = {"dates", options->date_count, options->dates, DATED,
                              options->csv ? options->csv->date_formats : NULL};
  strew_status status = choose_columns(reader, first);
  TRY(status, mark(reader, first, &text));
  TRY(status, mark(reader, first, &dates));
  return TRY(status, take_rules(reader, first));
}

static bool is_word_look(enum look look) { return look == PLAIN || look >= DATE; }

/* True for a cell that may be a missing number: it leaves open what its column has. */
static bool is_open_cell(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  return is_nan(cell) || is_missing(reader, cells, cell) || (!cell->is_number && look_of(reader, cells, cell) == MARK);
}

/* True if the next cell of each line is such a cell. Goes to the cells after them. */
static bool are_open_cells(const struct csv_reader *reader, struct cells *lines, int count) {
  bool are_open = true;
  for (int k = 0; k < count; k++) {
    struct cell cell;
    cells_next(&lines[k], false, &cell);
    are_open = are_open && is_open_cell(reader, &lines[k], &cell);
    lines[k].at += cells_has_next(&lines[k]);
  }
  return are_open;
}

/* Returns the first column with a number in the last one of the lines below, no value in those before it, and a word
   above; -1: none. has_numbers and has_dates: of the line above, see column_below_words. *is_open: a column has no
   value yet. */
static int64_t number_below(const struct csv_reader *reader, struct cells above, const struct cells *begins, int count,
                            const bool *has_numbers, bool has_dates, bool *is_open) {
  struct cells lines[CSV_HEAD_LINES], *below = &lines[count - 1];
  struct cell cell, word;
  memcpy(lines, begins, (size_t)count * sizeof *lines);
  *is_open = false;
  for (int64_t i = 0; i < reader->count; i++, above.at++, below->at++) {
    cells_next(&above, false, &word);
    cells_next(below, false, &cell);
    const bool is_first = are_open_cells(reader, lines, count - 1);
    const enum look look = cell.is_number ? OTHER_POINT : look_of(reader, below, &cell);
    const bool is_number = cell.is_number ? !is_nan(&cell) : !has_dates && look != PLAIN && look != MARK;
    const enum look of_word = word.is_number ? OTHER_POINT : look_of(reader, &above, &word);
    const bool is_marked = of_word == MARK && (!has_numbers || *has_numbers || count > 1); /* a mark is no name then */
    const bool is_word = is_word_look(of_word) && !is_marked && !is_missing(reader, &above, &word);
    if (is_first && is_number && is_word && (has_numbers || reader->columns[i].kind == UNKNOWN)) return i;
    *is_open |= is_first && is_open_cell(reader, below, &cell);
    if (!cells_has_next(below)) break;
  }
  return -1;
}

static void skip_cells(struct cells *cells) {
  struct cell cell;
  for (bool has_next = true; has_next; cells->at += has_next) {
    cells_next(cells, true, &cell);
    has_next = cells_has_next(cells);
  }
}

enum { OPEN = -2 }; /* in place of a column: more lines are needed */

/* Returns the first column with a number in the second line below a word, if the first line has words only, and none in
   a column that the options read as text; words as "-" are none above a number. has_numbers, if not NULL, is for a line
   of names: whatever the options say, and it may have empty cells; true if it has others that are no words; a column
   without a value leaves it to the next lines, OPEN if there are none yet. Else -1. Dates are values below words, and
   may be names above numbers. */
static int64_t column_below_words(const struct csv_reader *reader, struct cells cells, bool *has_numbers) {
  const struct cells above = cells;
  struct cell cell;
  size_t length;
  bool has_dates = false;
  for (int64_t i = 0; i < reader->count; i++, cells.at++) {
    cells_next(&cells, false, &cell);
    if (i + 1 < reader->count && !cells_has_next(&cells)) return -1; /* a shorter line */
    enum look look = cell.is_number ? OTHER_POINT : look_of(reader, &cells, &cell);
    if (has_numbers && (trimmed(&cells, &cell, &length), !length)) continue;
    const bool is_other = !is_word_look(look) || is_missing(reader, &cells, &cell);
    if (is_other && !has_numbers) return -1;
    if (is_other) *has_numbers = true;
    has_dates |= look == DATE || look == OTHER_DATE;
  }
  cells.at--;
  struct cells lines[CSV_HEAD_LINES];
  bool is_open;
  for (int count = 1; count < CSV_HEAD_LINES; count++) {
    if (!cells_find_line(&cells)) return OPEN;
    lines[count - 1] = cells;
    const int64_t found = number_below(reader, above, lines, count, has_numbers, has_dates, &is_open);
    if (found >= 0 || !is_open || !has_numbers) return found;
    skip_cells(&cells);
  }
  return -1;
}

strew_status csv_head_is_open(const struct csv_reader *reader, struct cells cells, bool *is_open) {
  struct csv_reader head = *reader;
  bool has_numbers = false;
  *is_open = false;
  if (reader->options->header || !cells_find_line(&cells)) return STREW_OK;
  struct cells first = cells;
  head.count = 0;
  const strew_status status = count_cells(&head, &first, &head.count); /* csv_read_head reports what is wrong with it */
  if (is_stopped(status)) return status;
  *is_open = status == STREW_OK && column_below_words(&head, cells, &has_numbers) == OPEN;
  return STREW_OK;
}

/* Finds out whether the first line has names. Fails if some are numbers, but a word is above a number, too. */
static strew_status find_header(struct csv_reader *reader, const struct cells *cells) {
  const strew_header header = reader->options->header;
  bool has_numbers = false;
  const int64_t i = header ? -1 : column_below_words(reader, *cells, &has_numbers);
  reader->has_header = header == STREW_HEADER_YES || i >= 0;
  if (i < 0 || !has_numbers) return STREW_OK;
  return fail_file(reader->call, reader->path,
                   "header = true takes names from it, header = false reads it as all others",
                   "begins with words and numbers in line %" PRId64
                   ", and has a number below the word in column %" PRId64 ": are they the column names?",
                   reader->width_line, i + 1);
}

/* True for a word in a column of which nothing is known. */
static bool is_new_word(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                        int64_t i) {
  return reader->columns[i].kind == UNKNOWN && !cell->is_number && !is_missing(reader, cells, cell) &&
         look_of(reader, cells, cell) == PLAIN;
}

/* True if cell i of the line after the next one is a number; or if the next one is the last, and has no words. */
static bool is_number_later(const struct csv_reader *reader, struct cells cells, int64_t i) {
  struct cell cell = {.is_number = false};
  bool has_words = false;
  for (int skipped = 0; skipped < 2; skipped++) {
    for (int64_t k = 0; k < reader->count; k++, cells.at++) {
      cells_next(&cells, false, &cell);
      has_words |= skipped && is_new_word(reader, &cells, &cell, k);
      if (!cells_has_next(&cells)) break;
    }
    if (!cells_find_line(&cells)) return !has_words && !reader->is_chunked; /* a chunk may end before the next row */
  }
  for (int64_t k = 0; k <= i; k++, cells.at++) {
    cells_next(&cells, false, &cell);
    if (k < i && !cells_has_next(&cells)) return false;
  }
  return cell.is_number;
}

/* Writes the option that reads the columns of numbers in the next line as words; nothing if they are too many. */
static void remedy_of_numbers(const struct csv_reader *reader, struct cells cells, char *text) {
  enum { MOST_BYTES = 110 };
  char column[TEXT_BYTES];
  struct cell cell;
  size_t length = (size_t)sprintf(text, ", {.text = {");
  const size_t first = length;
  skip_cells(&cells);
  (void)cells_find_line(&cells);
  for (int64_t i = 0; i < reader->count && length < MOST_BYTES; i++, cells.at++) {
    cells_next(&cells, false, &cell);
    if (!is_new_word(reader, &cells, &cell, i) && reader->columns[i].kind == UNKNOWN)
      length += text_of_column(reader, i, column)
                    ? (size_t)snprintf(text + length, MOST_BYTES, "%s%s", length > first ? ", " : "", column)
                    : MOST_BYTES;
    if (!cells_has_next(&cells)) break;
  }
  strcpy(text + (length < MOST_BYTES ? length : 0), length < MOST_BYTES ? "}} reads words" : "");
}

/* Fails for a line of units: of words, below names and above two numbers or the only ones, in several columns. The names
   may be those of a first line that is not known to have them. */
static strew_status check_units(struct csv_reader *reader, struct cells first) {
  char hint[TEXT_BYTES], remedy[TEXT_BYTES] = "";
  int64_t ignored = 0;
  if (reader->options->header == STREW_HEADER_NO || reader->is_decided || reader->count < 2) return STREW_OK;
  if (!reader->is_named) RETURN_IF_FAILED(count_cells(reader, &first, &ignored));
  if (!cells_find_line(&first)) return STREW_OK;
  const int64_t i = column_below_words(reader, first, NULL);
  if (i < 0 || !is_number_later(reader, first, i)) return STREW_OK;
  if (reader->is_named) remedy_of_numbers(reader, first, remedy);
  snprintf(hint, sizeof hint, "{.skip = %" PRId64 ", .names = {...}}%s begins below it%.180s", first.line,
           reader->options->header ? " without header = true" : "", remedy);
  strew_status status = fail_file(reader->call, reader->path, hint,
                                  "has a line of words above numbers, line %" PRId64 ": are they units?", first.line);
  return at_place(reader, first.line, -1, NULL, status);
}

/* Fails for a first line "sep=;", which spreadsheets read. */
static strew_status check_separator_line(const struct csv_reader *reader, const struct cells *cells) {
  const char *at = cells->at;
  char hint[TEXT_BYTES], shown[4];
  if (strncasecmp(at, "sep=", 4) != 0 || !at[4] || !strchr(",;\t|", at[4]) || !strchr("\r\n", at[5])) return STREW_OK;
  snprintf(hint, sizeof hint, "{.skip = %" PRId64 ", .separator = \"%s\"}", cells->line, text_of_byte(at[4], shown));
  return fail_file(reader->call, reader->path, hint, "names its separator in line %" PRId64 ", expected cells",
                   cells->line);
}

/* Fails if the first two lines, of one cell each, have equal numbers of cells between blanks, and the second one numbers
   among them: most of them, or beside runs of blanks. */
static strew_status check_blanks(const struct csv_reader *reader, const struct cells *cells) {
  const strew_load_options *options = reader->options;
  const strew_csv_options *csv = options->csv;
  struct cells split = *cells, whole;
  struct cell cell;
  int64_t expected = 0, count = 0, numbers = 0;
  char formats[MOST_FORMATS][FORMAT_BYTES];
  const bool is_named =
      options->text_count || options->date_count || (csv && (csv->names || (csv->lists && csv->lists->rule_count)));
  if (reader->count != 1 || reader->has_runs || reader->likely_count || is_named) return STREW_OK;
  split.has_runs = true;
  split.stops[(unsigned char)reader->separator] = 0;
  split.stops[' '] = split.stops['\t'] = ENDS_CELL;
  cells_begin_line(&split);
  RETURN_IF_FAILED(count_cells(reader, &split, &expected));
  if (expected < 2 || !cells_find_line(&split)) return STREW_OK;
  const char *line = split.at;
  whole = *cells, whole.at = line;
  cells_next(&whole, false, &cell);
  if (cells_has_next(&whole) || cell.is_number || look_of(reader, &whole, &cell) != PLAIN) return STREW_OK;
  if (formats_of_date(&whole, &cell, formats)) return STREW_OK;
  for (bool has_next = true; has_next && count <= expected; count++, split.at += has_next) {
    cells_next(&split, false, &cell);
    numbers += cell.is_number && !is_nan(&cell) && !looks_like_label(&cell.number);
    has_next = cells_has_next(&split);
  }
  bool has_run = *cells->at == ' ' || strchr(" \t", line[-1]);
  for (const char *at = line; at < split.at && !has_run; at++) has_run = *at == '\t' || (*at == ' ' && at[1] == ' ');
  if (count != expected || !numbers || !(has_run || (numbers > 1 && numbers + 1 >= count))) return STREW_OK;
  return fail_file(
      reader->call, reader->path, "{.separator = STREW_BLANKS} splits them, {.text = {1}} reads the lines as words",
      "has %" PRId64 " cells between blanks in line %" PRId64 ", expected one cell in a line", count, split.line);
}

/* Reads or skips the line of names, if there is one, and names the columns. */
static strew_status name_columns(struct csv_reader *reader, struct cells *cells) {
  const strew_csv_options *csv = reader->options->csv;
  const bool has_line = reader->has_header, is_given = csv && csv->names;
  reader->is_named = has_line || is_given;
  strew_status status = has_line ? walk_line(reader, cells, is_given ? skip_name : visit_name) : STREW_OK;
  if (status != STREW_OK || (has_line && !is_given)) return status;
  return is_given ? name_by_list(reader, csv->name_count, csv->names) : name_by_numbers(reader);
}

strew_status csv_read_head(struct csv_reader *reader, struct cells *cells) {
  reader->walk = 1;
  if (!cells_find_line(cells)) return fail_file(reader->call, reader->path, NULL, "is empty, expected lines of cells");
  strew_status status = check_separator_line(reader, cells);
  TRY(status, count_columns(reader, *cells));
  TRY(status, check_blanks(reader, cells));
  TRY(status, find_header(reader, cells));
  TRY(status, name_columns(reader, cells));
  return TRY(status, mark_columns(reader, cells));
}

/* ------------------------------------------------------------------------------------------------- the first walk */

/* Stores a number as an element of dtype; false if dtype does not hold the number of the text. Integers are decided
   by the digits, before any rounding to float64: 1e-400 and 0.99999999999999999999 are not whole. */
static bool store_number(const struct csv_reader *reader, const struct cell *cell, strew_dtype dtype, void *element) {
  const struct decimal *decimal = &cell->number;
  strew_scalar number;
  if (dtype_is_float(dtype)) {
    number = number_of(reader, cell);
    if (decimal->kind == DECIMAL_FINITE && number.dtype == STREW_FLOAT64 && isinf(number.as.f)) return false;
  } else {
    int64_t whole;
    uint64_t positive = 0;
    const bool is_int64 = decimal_value_to_integer(decimal, &whole);
    if (!is_int64 && (dtype != STREW_UINT64 || !decimal_value_to_unsigned(decimal, &positive))) return false;
    number = strew_int(is_int64 ? whole : (int64_t)positive);
    if (!is_int64) number.dtype = STREW_UINT64;
  }
  return strew_scalar_store(number, STREW_EXACT, dtype, element, NULL) == STREW_OK;
}

/* Fails unless the requested dtype holds this number. */
static strew_status check_number(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  const strew_dtype dtype = *csv_wanted(reader, &reader->columns[cell->column]);
  char element[8], expected[TEXT_BYTES];
  if (store_number(reader, cell, dtype, element)) return STREW_OK;
  snprintf(expected, sizeof expected, "a number that %s holds", strew_dtype_name(dtype));
  return fail_look(reader, cells, cell, TOO_LARGE, expected);
}

/* Fails for a cell that would make a column of integers one of float64, whose dtype an earlier chunk has decided. */
static strew_status check_decided(const struct csv_reader *reader, const struct cell *cell) {
  const struct column *column = &reader->columns[cell->column];
  if (!reader->is_decided || column->dtype != STREW_INT64) return STREW_OK;
  if (csv_wanted(reader, column)) return STREW_OK; /* check_number and check_missing decide */
  return fail_cell(reader, cell, "an int64, as in all rows of the first chunk",
                   "{.dtype = STREW_FLOAT64} reads columns of numbers as float64, which rounds integers beyond 2^53");
}

static void note(struct column *column, const struct cell *cell) {
  if (!column->noted.line) column->noted = (struct noted){cell->text, cell->length, cell->line};
}

/* True if float64 holds the integer. */
static bool is_exact(int64_t whole) {
  const int64_t most = (int64_t)1 << 53;
  while (whole > most || whole < -most) {
    if (whole & 1) return false;
    whole /= 2;
  }
  return true;
}

/* Fails if a column has an integer that float64 does not hold, and is one of float64: another cell decides that. */
static strew_status check_exact(const struct csv_reader *reader, const struct cells *cells, int64_t i) {
  const struct column *column = &reader->columns[i];
  char expected[TEXT_BYTES];
  if (!column->noted.line || csv_wanted(reader, column) || (column->kind != FRACTIONAL && !column->missing_line))
    return STREW_OK;
  snprintf(expected, sizeof expected, "an integer that float64 holds: the column has %s in line %" PRId64,
           column->missing_line ? "no number" : "a fraction",
           column->missing_line ? column->missing_line : column->fractional_line);
  return fail_noted(reader, cells, i, ROUNDED, expected);
}

/* Notes a missing cell. */
static strew_status inspect_missing(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (!column->missing_line) column->missing_line = cell->line;
  strew_status status = check_decided(reader, cell);
  return status == STREW_OK && column->kind == WHOLE ? check_exact(reader, cells, cell->column) : status;
}

static strew_status inspect_date(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  static const char *const expected[] = {[TIME_NONE] = "a date, as 2024-05-17 or 2024-05-17T12:30:00Z",
                                         [TIME_INVALID] = "a date and time of the calendar",
                                         [TIME_BEYOND] = "a date that int64 microseconds can hold"};
  int64_t time;
  const struct column *column = &reader->columns[cell->column];
  char form[TEXT_BYTES], shown[TEXT_BYTES], formats[MOST_FORMATS][FORMAT_BYTES];
  if (is_nan(cell) || is_missing(reader, cells, cell)) return inspect_missing(reader, cells, cell);
  const enum time_reading date = csv_read_date(reader, column, cell, &time);
  if (date == TIME_READ) return STREW_OK;
  enum look look = cell->is_number ? COUNT : date == TIME_NONE ? look_of(reader, cells, cell) : PLAIN;
  if (look != DATE && look != COUNT && !reader->is_part && formats_of_date(cells, cell, formats)) look = OTHER_DATE;
  if (date != TIME_NONE || !column->format) return fail_look(reader, cells, cell, look, expected[date]);
  snprintf(form, sizeof form, "a date of the form \"%s\"",
           text_of_start(words_at(&reader->formats, column->format - 1), 60, shown));
  return fail_look(reader, cells, cell, look, form);
}

/* True if a line of one cell seems to be several with another separator, as its first line is. */
static bool is_unsplit(const struct csv_reader *reader, const struct cell *cell) {
  bool is_quoted = cell->text > reader->text && cell->text[-1] == '"';
  return reader->likely_count && !is_quoted &&
         count_bytes(cell->text, cell->length, reader->likely_separator) == reader->likely_count;
}

/* Makes the column one of words, unless this first word seems to be a number or a date, or for a missing one. */
static strew_status inspect_word(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  static const char *const expected[] = {[OTHER_POINT] = "a number with a decimal point",
                                         [GROUPED] = "a number without marks between thousands",
                                         [AMBIGUOUS] = "a number with a decimal point, without marks between thousands",
                                         [UNIT] = "a number without a unit",
                                         [DATE] = "numbers or words, not dates",
                                         [OTHER_DATE] = "numbers or words, not dates"};
  struct column *column = &reader->columns[cell->column];
  enum look look = is_unsplit(reader, cell) ? UNSPLIT : look_of(reader, cells, cell);
  if (look == UNSPLIT) return fail_look(reader, cells, cell, look, "one cell in a line");
  if (look == MARK || (look == GROUPED && groups_may_be_word(cells, cell)))
    return note(column, cell), column->kind = MARKED, STREW_OK;
  if (look == PLAIN) return column->kind = TEXTUAL, STREW_OK;
  if (look == DATE && reader->all_dates) return column->kind = DATED, STREW_OK;
  if (look == OTHER_DATE && reader->all_dates)
    return fail_look(reader, cells, cell, look, "a date of ISO 8601, or a format");
  bool is_point = look == OTHER_POINT && reader->point == ',';
  return fail_look(reader, cells, cell, look, is_point ? "a number with a decimal comma" : expected[look]);
}

/* Fails for a number above which there are words, as "-" or 1 234. */
static strew_status fail_marked(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  char expected[TEXT_BYTES];
  const struct noted *noted = &reader->columns[cell->column].noted;
  const struct cell word = {.text = noted->text, .length = noted->length};
  snprintf(expected, sizeof expected, "a number, as in line %" PRId64, cell->line);
  return fail_noted(reader, cells, cell->column, look_of(reader, cells, &word), expected);
}

/* Fails for a number that changes as an int64 or float64, or may be a label, unless the caller chose a dtype. */
static strew_status check_value(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  const struct decimal *number = &cell->number;
  enum { SURELY_FINITE = DBL_MAX_10_EXP - 20 }; /* exponents; there are 19 digits at most */
  int64_t whole;
  if (number->is_whole) {
    if (looks_like_label(number))
      return fail_look(reader, cells, cell, LABEL, "a number without leading zeros or plus sign");
    if (!decimal_to_integer(number, &whole))
      return fail_look(reader, cells, cell, ROUNDED, "an integer that int64 holds");
    if (is_exact(whole)) return STREW_OK;
    note(&reader->columns[cell->column], cell);
    return check_exact(reader, cells, cell->column);
  }
  if (number->kind != DECIMAL_FINITE || number->exponent < SURELY_FINITE || !isinf(double_of(reader, cell)))
    return STREW_OK;
  return fail_look(reader, cells, cell, TOO_LARGE, "a number that float64 holds");
}

static strew_status inspect_number(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (column->kind == MARKED) return fail_marked(reader, cells, cell);
  if (column->kind == UNKNOWN) column->first_line = cell->line, column->kind = WHOLE;
  strew_status status =
      csv_wanted(reader, column) ? check_number(reader, cells, cell) : check_value(reader, cells, cell);
  if (status != STREW_OK || column->kind != WHOLE || cell->number.is_whole) return status;
  RETURN_IF_FAILED(check_decided(reader, cell));
  column->kind = FRACTIONAL;
  column->fractional_line = cell->line;
  return check_exact(reader, cells, cell->column);
}

static inline strew_status inspect_cell(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (column->kind >= TEXTUAL) return STREW_OK;
  if (column->kind == DATED) return inspect_date(reader, cells, cell);
  if (is_named_missing(reader, cells, cell)) return inspect_missing(reader, cells, cell);
  if (!cell->is_number) {
    if (is_missing(reader, cells, cell)) return inspect_missing(reader, cells, cell);
    return column->kind <= MARKED ? inspect_word(reader, cells, cell) : fail_text(reader, cells, cell);
  }
  if (is_nan(cell)) return inspect_missing(reader, cells, cell); /* may be a name: decides nothing */
  return inspect_number(reader, cells, cell);
}

/* Fails if column i has missing cells and a dtype without NaN. */
static strew_status check_missing(const struct csv_reader *reader, int64_t i) {
  const struct column *column = &reader->columns[i];
  char position[TEXT_BYTES];
  const strew_dtype *dtype = csv_wanted(reader, column);
  if (column->kind >= DATED || !column->missing_line || !dtype || dtype_is_float(*dtype)) return STREW_OK;
  strew_status status =
      fail_file(reader->call, reader->path, NULL, "has no number in %s, expected %s, which has no NaN",
                text_of_position(reader, column->missing_line, i, position), strew_dtype_name(*dtype));
  return at_place(reader, column->missing_line, i, NULL, status);
}

strew_status csv_walk_first(struct csv_reader *reader, struct cells *cells, const char *end) {
  reader->first_row = cells->at;
  strew_status status = check_units(reader, *cells);
  for (; status == STREW_OK && cells->at < end && cells_find_line(cells); reader->rows++)
    status = walk_line(reader, cells, inspect_cell);
  for (int64_t i = 0; status == STREW_OK && !*cells->at && i < reader->count; i++) status = check_missing(reader, i);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- columns */

strew_dtype csv_dtype(const struct csv_reader *reader, const struct column *column) {
  if (column->kind == TEXTUAL || column->kind == MARKED) return STREW_TEXT;
  if (column->kind == DATED) return STREW_TIME;
  if (csv_wanted(reader, column)) return *csv_wanted(reader, column);
  return column->kind == WHOLE && !column->missing_line ? STREW_INT64 : STREW_FLOAT64;
}

static strew_status make_column(struct csv_reader *reader, struct column *column) {
  strew_device *cpu = &reader->context->cpu;
  const strew_dtype stored = column->dtype == STREW_TEXT ? STREW_INT32 : column->dtype; /* codes: it has no words yet */
  strew_status status = tensor_create(reader->call, cpu, stored, 1, &reader->rows, &column->tensor);
  column->element_bytes = dtype_bytes(column->dtype);
  if (status == STREW_OK) column->elements = column->tensor->storage->data;
  return status;
}

strew_status csv_make_columns(struct csv_reader *reader) {
  uint64_t size_bytes = 0;
  for (int64_t k = 0; k < reader->chosen_count; k++)
    size_bytes += (uint64_t)reader->rows * dtype_bytes(reader->columns[reader->chosen[k]].dtype);
  strew_status status = check_machine_memory(reader->call, reader->device, size_bytes, NULL);
  for (int64_t k = 0; k < reader->chosen_count && status == STREW_OK; k++) {
    if (k % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(reader->call, reader->context);
    TRY(status, make_column(reader, &reader->columns[reader->chosen[k]]));
  }
  return status;
}

void csv_release_columns(struct csv_reader *reader) {
  for (int64_t i = 0; reader->columns && i < reader->count; i++) {
    strew_release(reader->columns[i].tensor);
    reader->columns[i].tensor = NULL;
  }
}

/* ------------------------------------------------------------------------------------------------ the second walk */

/* Stores the date, which the first walk has checked, or NaT. */
static void store_date(const struct csv_reader *reader, const struct column *column, const struct cell *cell,
                       bool is_absent, char *to) {
  int64_t time;
  if (is_absent || csv_read_date(reader, column, cell, &time) != TIME_READ) time = INT64_MIN;
  memcpy(to, &time, sizeof time);
}

/* Stores a cell in row reader->row of its column. */
static inline strew_status store_cell(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (column->kind == SKIPPED) return STREW_OK;
  const bool is_absent = is_named_missing(reader, cells, cell);
  strew_dtype dtype = column->dtype;
  char *to = column->elements + (size_t)reader->row * column->element_bytes;
  int64_t whole;
  if (column->kind == TEXTUAL) {
    strew_status status = join_quotes(reader, cell);
    TRY(status, words_number(reader->call, reader->context, &column->words->words, cell->text,
                             is_absent ? 0 : cell->length, &whole));
    if (status == STREW_OK) memcpy(to, &(int32_t){(int32_t)whole}, sizeof(int32_t));
    return status;
  }
  if (column->kind == DATED) return store_date(reader, column, cell, is_absent, to), STREW_OK;
  if (is_absent) return strew_scalar_store(strew_float((double)NAN), STREW_EXACT, dtype, to, reader->call->error);
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

strew_status csv_walk_second(struct csv_reader *reader, struct cells *cells) {
  strew_status status = STREW_OK;
  reader->walk = 2;
  for (; status == STREW_OK && cells_find_line(cells); reader->row++) status = walk_line(reader, cells, store_cell);
  return status;
}

strew_status csv_read_cell(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  const struct column *column = &reader->columns[cell->column];
  const strew_dtype dtype = column->dtype;
  strew_status status = inspect_cell(reader, cells, cell);
  const bool is_word = column->kind == MARKED || column->kind == TEXTUAL;
  const bool has_no_nan = column->kind < DATED && column->missing_line && !dtype_is_float(dtype);
  if (status == STREW_OK && (is_word || has_no_nan || csv_dtype(reader, column) != dtype)) return STREW_EDTYPE;
  return TRY(status, store_cell(reader, cells, cell));
}
