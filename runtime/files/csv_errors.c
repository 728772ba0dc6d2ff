/* csv_errors.c: a walk over rows, one after the other, that finds the kinds of columns and the first error, and the
   messages of errors; csv_reader.h. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_reader.h"
#include "file.h"
#include "stream.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------------- failures */

strew_status csv_at_place(const struct csv_reader *reader, int64_t line, int64_t i, const strew_scalar *value,
                          strew_status status) {
  strew_error *error = reader->call->error;
  if (!error) return status;
  error->has_value = value != NULL;
  if (value) error->value = *value;
  error->position_rank = i < 0 ? 1 : 2;
  error->position[0] = line, error->position[1] = i + 1;
  return status;
}

const char *csv_text_of_start(const char *name, size_t most, char *text) {
  char start[TEXT_BYTES];
  size_t length = strlen(name);
  const bool is_cut = length > most;
  if (is_cut) length = most;
  while (is_cut && length && (name[length] & 0xc0) == 0x80) length--; /* ends with a whole UTF-8 character */
  sprintf(start, "%.*s", (int)length, name);
  sprintf(text, "%s%s", strew_printable(start), is_cut ? "..." : "");
  return text;
}

/* Returns the place in its line, from 0, of a cell of a ragged text; else column i. */
static int64_t place_of(const struct csv_reader *reader, const char *text, int64_t i) {
  struct cells cells;
  struct cell cell;
  if (!reader->is_ragged || !text) return i;
  cells_start(&cells, reader->text, reader->options->separator, reader->point, reader->options->csv);
  const char *line = text;
  while (line > cells.at && line[-1] != '\n' && line[-1] != '\r') line--;
  cells.at = line;
  cells_begin_line(&cells);
  for (int64_t place = 0;; place++, cells.at++) {
    cells_next(&cells, true, &cell);
    if (cell.text >= text || !cells_has_next(&cells)) return place;
  }
}

/* Writes "line 3, column 2 (price)" to `text` and returns it. */
static const char *text_of_position(const struct csv_reader *reader, int64_t line, int64_t i, char *text) {
  char name[TEXT_BYTES];
  int length = snprintf(text, TEXT_BYTES, "line %" PRId64 ", column %" PRId64, line, i + 1);
  if (reader->is_named && !reader->is_ragged && i < reader->names.count)
    snprintf(text + length, (size_t)(TEXT_BYTES - length), " (%s)",
             csv_text_of_start(words_at(&reader->names, i), 100, name));
  return text;
}

const char *csv_text_of_cell(const struct cell *cell, char *text) {
  enum { MAX_BYTES = 60 };
  char start[MAX_BYTES + 2] = {0};
  memcpy(start, cell->text, cell->length <= MAX_BYTES ? cell->length : MAX_BYTES + 1);
  return csv_text_of_start(start, MAX_BYTES, text);
}

static strew_status fail_cell(const struct csv_reader *reader, const struct cell *cell, const char *expected,
                              const char *hint) {
  char position[TEXT_BYTES], text[TEXT_BYTES];
  const int64_t place = place_of(reader, cell->text, cell->column);
  strew_status status =
      fail_file(reader->call, reader->path, hint, "has \"%s\" in %s, expected %s", csv_text_of_cell(cell, text),
                text_of_position(reader, cell->line, place, position), expected);
  const strew_scalar number = cell->is_number ? csv_number_of(reader, cell) : strew_int(0);
  return csv_at_place(reader, cell->line, place, cell->is_number ? &number : NULL, status);
}

/* True if a message can quote the text as a script writes it, of `longest` bytes at most. */
static bool is_quotable(const char *text, size_t length, size_t longest) {
  char shown[TEXT_BYTES];
  if (!length || length > longest || memchr(text, '"', length) || memchr(text, '\\', length)) return false;
  sprintf(shown, "%.*s", (int)length, text);
  return memcmp(strew_printable(shown), text, length) == 0 && strlen(shown) == length;
}

const char *csv_text_of_column(const struct csv_reader *reader, int64_t i, char *text) {
  enum { LONGEST = 48 };
  const char *name = words_at(&reader->names, i);
  const bool is_shown = reader->is_named && is_quotable(name, strlen(name), LONGEST);
  const int length = is_shown ? sprintf(text, "\"%s\"", name) : sprintf(text, "%" PRId64, i + 1);
  const bool is_other = !is_shown && reader->is_named && words_find(&reader->names, text, (size_t)length) >= 0;
  return is_other ? NULL : text;
}

const char *csv_text_of_byte(char byte, char *text) {
  return strcpy(text, byte == '\t' ? "\\t" : (char[]){byte, '\0'});
}

/* Adds a way out of a failure to its hint, best first, if the whole has room. */
static void add_way(const struct csv_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_way(const struct csv_reader *reader, const char *format, ...) {
  char way[TEXT_BYTES], *hint = reader->call->error->hint;
  const size_t used = strlen(hint), room = sizeof reader->call->error->hint - used;
  va_list arguments;
  va_start(arguments, format);
  const size_t length = (size_t)vsnprintf(way, sizeof way, format, arguments);
  va_end(arguments);
  if (length + sizeof ", " <= room) snprintf(hint + used, room, "%s%s", used ? ", " : "", way);
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
                                      const struct cell *cell, const char *column) {
  char formats[MOST_FORMATS][FORMAT_BYTES];
  int count = 0;
  RETURN_IF_FAILED(formats_of_column(reader, cells, cell, formats, &count));
  if (count)
    add_way(reader, "{.dates = {%s}, .date_formats = {\"%s\"}} reads dates%s%s%s", column, formats[0],
            count > 1 ? ", with the month first: \"" : "", count > 1 ? formats[1] : "", count > 1 ? "\"" : "");
  return STREW_OK;
}

/* Adds what reads the numbers of a column of dates: years, or counts from a day on. */
static void add_ways_of_counts(const struct csv_reader *reader, const struct cell *cell, const char *column) {
  static const struct {
    double least;
    const char *unit;
  } units[] = {{1e17, "ns"}, {1e14, "us"}, {1e11, "ms"}, {1e8, "s"}};
  const double value = csv_double_of(reader, cell), size = fabs(value);
  int64_t whole;
  const bool is_whole = decimal_to_integer(&cell->number, &whole), has_four = is_whole && whole > 999 && whole < 3000;
  if (has_four || (is_whole && whole > 99999 && whole < 300000 && whole % 100 - 1 < 12 && whole % 100)) {
    add_way(reader, "{.dates = {%s}, .date_formats = {\"%s\"}} reads %s", column, has_four ? "%Y" : "%Y%m",
            has_four ? "years" : "months");
    return;
  }
  if (reader->is_named && *column != '"') return; /* a script has no short name for the column */
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (size >= units[i].least) {
      add_way(reader, "without dates: strew.time(x[%s], \"%s\")", column, units[i].unit);
      return;
    }
  if (size >= 1e4 && size < 1e5) add_way(reader, "without dates: strew.time(\"1899-12-30\") + x[%s] * 86400", column);
}

/* Adds what reads a number with a unit. */
static void add_way_of_unit(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                            const char *column) {
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
  add_way(reader, "{.lists.rules = {{%s, .unit = \"%.*s\"}}%s%s} reads numbers", column, (int)unit_length, unit,
          *options ? ", " : "", options);
}

/* Adds what an option makes of a cell of this look. What drops a part of it comes after the column of words. */
static strew_status add_ways(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                             enum look look, const char *column) {
  enum { LONGEST_WORD = 24 };
  const struct column *own = &reader->columns[cell->column];
  const bool is_comma = reader->point == ',', has_numbers = own->first_line > 0;
  const char *before = look == OTHER_POINT && cells->thousands == ',' ? "without thousands = \",\" " : "";
  size_t length;
  const char *word = trimmed(cells, cell, &length);
  const strew_dtype *wanted = csv_wanted(reader, own);
  const bool may_be_empty = !wanted || dtype_is_float(*wanted) || own->kind == DATED; /* others have no NaN */
  char shown[TEXT_BYTES];
  if (look == DATE && !has_numbers) add_way(reader, "{.dates = {%s}} reads dates", column);
  if (look == OTHER_DATE && !has_numbers) RETURN_IF_FAILED(add_ways_of_dates(reader, cells, cell, column));
  if (look == COUNT) add_ways_of_counts(reader, cell, column);
  if (is_unsigned(cell) && own->kind != FRACTIONAL && !own->missing_line && own->kind != DATED)
    add_way(reader, "{.dtype = STREW_UINT64} holds it");
  if (look == UNSPLIT && reader->likely_separator == STREW_BLANKS)
    add_way(reader, "{.separator = STREW_BLANKS} splits it");
  else if (look == UNSPLIT)
    add_way(reader, "{.separator = \"%s\"} splits it", csv_text_of_byte(reader->likely_separator, shown));
  if (look == GROUPED || look == AMBIGUOUS)
    add_way(reader, "{%s} reads thousands", options_of_thousands(reader, word, length, shown));
  if ((look == OTHER_POINT || look == AMBIGUOUS) && is_comma)
    add_way(reader, "without decimal = \",\" %s", look == AMBIGUOUS ? "they are decimal points" : "it is a number");
  if ((look == OTHER_POINT || look == AMBIGUOUS) && !is_comma)
    add_way(reader, "%s{%s} reads decimal commas", before, option_of_commas(reader));
  if (look == UNIT) add_way_of_unit(reader, cells, cell, column);
  const bool is_first = *word == '#' && !place_of(reader, cell->text, cell->column);
  if (is_first && (reader->is_ragged || (look == PLAIN && length > 1 && strchr(" \t#", word[1]))))
    add_way(reader, "{.comment = \"#\"} skips its line");
  if ((look == PLAIN || look == MARK) && may_be_empty && may_be_missing(word, length) &&
      is_quotable(word, length, LONGEST_WORD))
    add_way(reader, "{.missing = {\"%.*s\"}} reads it as an empty cell", (int)length, word);
  add_way(reader, "{.text = {%s}} reads the column as words", column);
  if (look == ROUNDED) add_way(reader, "{.dtype = STREW_FLOAT64} rounds");
  if (look == LABEL)
    add_way(reader,
            "{.dtype = STREW_INT64}, with fractions STREW_FLOAT64, reads numbers without leading zeros and signs");
  return STREW_OK;
}

/* Fails because of a cell that the column cannot have. */
static strew_status fail_look(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                              enum look look, const char *expected) {
  char text[TEXT_BYTES];
  if (!reader->call->error) return STREW_EFILE; /* a worker's: only the status counts */
  hint_of(reader->call, "%s", "");
  const char *column = csv_text_of_column(reader, cell->column, text);
  if (!column)
    add_way(reader, "{.names = {...}} gives the columns other names");
  else
    RETURN_IF_FAILED(add_ways(reader, cells, cell, look, column));
  return fail_cell(reader, cell, expected, reader->call->error->hint);
}

/* Fails because of a suspect cell. */
static strew_status fail_suspect(const struct csv_reader *reader, const struct cells *cells, int64_t i, enum look look,
                                 const char *expected) {
  const struct suspect *suspect = &reader->columns[i].suspect;
  struct cell cell = {.text = suspect->text, .length = suspect->length, .line = suspect->line, .column = i};
  cell.is_number = decimal_scan(suspect->text, reader->point, &cell.number) == suspect->text + suspect->length;
  return fail_look(reader, cells, &cell, look, expected);
}

/* True if a cell of a ragged text begins with two numbers: the separator between them becomes the likely one. */
static bool has_numbers(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct decimal number;
  const char *end = cell->text + cell->length, *at = decimal_scan(cell->text, cells->bare_point, &number), *mark = at;
  if (!reader->is_ragged || at == cell->text || at >= end || !strchr(" \t,;|", *at)) return false;
  at += strspn(at, " \t");
  if (at < end && strchr(",;|", *at)) mark = at++, at += strspn(at, " \t");
  if (at >= end || decimal_scan(at, cells->bare_point, &number) == at) return false;
  reader->likely_separator = strchr(" \t", *mark) ? STREW_BLANKS : *mark;
  return true;
}

/* Fails because of text in a column of numbers. */
static strew_status fail_text(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  char expected[TEXT_BYTES] = "a number: the first chunk has no words there";
  int64_t first_line = reader->columns[cell->column].first_line;
  if (first_line) snprintf(expected, sizeof expected, "a number, as in line %" PRId64, first_line);
  const enum look look = has_numbers(reader, cells, cell) ? UNSPLIT : look_of(reader, cells, cell);
  return fail_look(reader, cells, cell, look, expected);
}

/* Returns what may have made the first line of the table narrower than another: a hint; NULL: nothing known. */
static const char *hint_of_width(const struct csv_reader *reader, char byte, int64_t line, int64_t count) {
  char shown[4];
  int64_t first = reader->width_line;
  const enum kind kind = reader->columns[0].kind;
  if (byte == '#' || reader->first_byte == '#') return "{.comment = \"#\"} skips lines that begin with #";
  if (reader->likely_separator)
    return hint_of(reader->call, "line %" PRId64 " has '%s': {.separator = \"%s\"}", first,
                   csv_text_of_byte(reader->likely_separator, shown), shown);
  if (reader->separator == ' ' && !reader->has_runs) return "{.separator = STREW_BLANKS} takes a run of blanks for one";
  if (count > reader->count && reader->count == 1 && kind != WHOLE && kind != FRACTIONAL)
    return hint_of(reader->call, "{.skip = %" PRId64 "} skips the lines before line %" PRId64, line - 1, line);
  if (count == reader->count + 1 && reader->has_header && !reader->rows && !reader->is_decided)
    return hint_of(reader->call,
                   "{.skip = %" PRId64 ", .names = {...}} names %" PRId64 " columns, if line %" PRId64
                   " lacks the first name",
                   first, count, first);
  if (reader->rows && !reader->is_chunked)
    return hint_of(reader->call, "{.rows = %" PRId64 "} reads the rows before it", reader->rows);
  if (count > reader->count)
    return hint_of(reader->call, "a cell with '%s' in it is in quotes", csv_text_of_byte(reader->separator, shown));
  return NULL;
}

/* Fails because of a line that begins with this byte. */
static strew_status fail_width(const struct csv_reader *reader, char byte, int64_t line, int64_t count) {
  strew_status status =
      fail_file(reader->call, reader->path, hint_of_width(reader, byte, line, count),
                "has %" PRId64 " cell%s in line %" PRId64 ", expected %" PRId64 ", as in line %" PRId64, count,
                count == 1 ? "" : "s", line, reader->count, reader->width_line);
  const strew_scalar value = strew_int(count);
  return csv_at_place(reader, line, -1, &value, status);
}

strew_status csv_fail_quotes(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  char position[TEXT_BYTES];
  const int64_t line = cell->is_unclosed ? cell->line : cells->line;
  const int64_t place = place_of(reader, cell->text, cell->column);
  text_of_position(reader, line, place, position);
  strew_status status =
      cell->is_unclosed
          ? fail_file(reader->call, reader->path, NULL, "has a quote in %s that is never closed", position)
          : fail_file(reader->call, reader->path, "a quote inside of quotes is written twice: \"\"",
                      "has characters after a closing quote in %s, expected a separator or line end", position);
  return csv_at_place(reader, line, place, NULL, status);
}

/* ------------------------------------------------------------------------------------------------ cells of a line */

strew_status csv_count_cells(const struct csv_reader *reader, struct cells *cells, int64_t *count) {
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
  strew_status status = csv_count_cells(reader, cells, &count);
  return TRY(status, fail_width(reader, byte, line, count));
}

/* -------------------------------------------------------------------------------------------------------- the walk */

/* Fails unless the requested dtype holds this number. */
static strew_status check_number(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  const strew_dtype dtype = *csv_wanted(reader, &reader->columns[cell->column]);
  char element[8], expected[TEXT_BYTES];
  if (csv_store_number(reader, cell, dtype, element)) return STREW_OK;
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
  if (!column->suspect.line) column->suspect = (struct suspect){cell->text, cell->length, cell->line};
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
  if (!column->suspect.line || csv_wanted(reader, column) || (column->kind != FRACTIONAL && !column->missing_line))
    return STREW_OK;
  snprintf(expected, sizeof expected, "an integer that float64 holds: the column has %s in line %" PRId64,
           column->missing_line ? "no number" : "a fraction",
           column->missing_line ? column->missing_line : column->fractional_line);
  return fail_suspect(reader, cells, i, ROUNDED, expected);
}

/* Notes a missing cell. */
static strew_status inspect_missing(struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (!column->missing_line) column->missing_line = cell->line, column->missing = cell->text;
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
  if (csv_is_nan(cell) || csv_is_missing(reader, cells, cell)) return inspect_missing(reader, cells, cell);
  const enum time_reading date = csv_read_date(reader, column, cell, &time);
  if (date == TIME_READ) return STREW_OK;
  enum look look = cell->is_number ? COUNT : date == TIME_NONE ? look_of(reader, cells, cell) : PLAIN;
  if (look != DATE && look != COUNT && reader->call->error && formats_of_date(cells, cell, formats)) look = OTHER_DATE;
  if (date != TIME_NONE || !column->format) return fail_look(reader, cells, cell, look, expected[date]);
  snprintf(form, sizeof form, "a date of the form \"%s\"",
           csv_text_of_start(words_at(&reader->formats, column->format - 1), 60, shown));
  return fail_look(reader, cells, cell, look, form);
}

/* True if a line of one cell seems to be several with another separator, as its first line is. */
static bool is_unsplit(const struct csv_reader *reader, const struct cell *cell) {
  bool is_quoted = cell->text > reader->text && cell->text[-1] == '"';
  return reader->likely_count && !is_quoted &&
         csv_count_bytes(cell->text, cell->length, reader->likely_separator) == reader->likely_count;
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
  const bool is_split = !is_unsplit(reader, cell) && !has_numbers(reader, cells, cell);
  enum look look = is_split ? look_of(reader, cells, cell) : UNSPLIT;
  if (!is_split) return fail_look(reader, cells, cell, look, reader->is_ragged ? "a number" : "one cell in a line");
  if (column->has_dtype) { /* for this column alone: for all, it is that of those with numbers */
    char wanted[TEXT_BYTES];
    snprintf(wanted, sizeof wanted,
             column->wanted == STREW_BOOL ? "true or false: the dtype is %s" : "a number: the dtype is %s",
             strew_dtype_name(column->wanted));
    return fail_look(reader, cells, cell, look, wanted);
  }
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
  const struct suspect *suspect = &reader->columns[cell->column].suspect;
  const struct cell word = {.text = suspect->text, .length = suspect->length};
  snprintf(expected, sizeof expected, "a number, as in line %" PRId64, cell->line);
  return fail_suspect(reader, cells, cell->column, look_of(reader, cells, &word), expected);
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
  if (number->kind != DECIMAL_FINITE || number->exponent < SURELY_FINITE || !isinf(csv_double_of(reader, cell)))
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

strew_status csv_inspect_cell(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  struct column *column = &reader->columns[cell->column];
  if (column->kind >= TEXTUAL) return STREW_OK;
  if (column->kind == DATED) return inspect_date(reader, cells, cell);
  if (csv_is_absent(reader, cells, cell)) return inspect_missing(reader, cells, cell);
  if (!cell->is_number) {
    if (csv_is_missing(reader, cells, cell)) return inspect_missing(reader, cells, cell);
    return column->kind <= MARKED ? inspect_word(reader, cells, cell) : fail_text(reader, cells, cell);
  }
  if (csv_is_nan(cell)) return inspect_missing(reader, cells, cell); /* may be a name: decides nothing */
  return inspect_number(reader, cells, cell);
}

/* Fails if column i has missing cells and a dtype without NaN. */
static strew_status check_missing(const struct csv_reader *reader, int64_t i) {
  const struct column *column = &reader->columns[i];
  char position[TEXT_BYTES], text[TEXT_BYTES];
  const strew_dtype *dtype = csv_wanted(reader, column);
  if (column->kind >= DATED || !column->missing_line || !dtype || dtype_is_float(*dtype)) return STREW_OK;
  const int64_t place = place_of(reader, column->missing, i);
  const bool is_bool = *dtype == STREW_BOOL;
  const char *name = is_bool && reader->call->error ? csv_text_of_column(reader, i, text) : NULL;
  if (name) hint_of(reader->call, "{.text = {%s}} reads the column as words", name);
  strew_status status =
      fail_file(reader->call, reader->path, name ? reader->call->error->hint : NULL,
                "has no %s in %s, expected %s, which has no NaN", is_bool ? "true or false" : "number",
                text_of_position(reader, column->missing_line, place, position), strew_dtype_name(*dtype));
  return csv_at_place(reader, column->missing_line, place, NULL, status);
}

/* Checks for interruption and reports progress, per cell: a line may have any number of cells. */
static inline strew_status check_cell(struct csv_reader *reader, const struct cells *cells) {
  if (reader->visited++ % CSV_CELLS_BETWEEN_CHECKS) return STREW_OK;
  progress_reach(reader->context, reader->size_bytes + (uint64_t)(cells->at - reader->text));
  return context_check(reader->call, reader->context);
}

/* Inspects the cell of column i at cells->at. */
static inline strew_status inspect_next(struct csv_reader *reader, struct cells *cells, int64_t i) {
  struct cell cell;
  RETURN_IF_FAILED(check_cell(reader, cells));
  csv_next_cell(reader, cells, i, &cell);
  if (cell.is_unclosed || cell.has_more) return csv_fail_quotes(reader, cells, &cell);
  return csv_inspect_cell(reader, cells, &cell);
}

/* Inspects a line of any number of cells, and moves behind it. */
static strew_status inspect_ragged(struct csv_reader *reader, struct cells *cells) {
  RETURN_IF_FAILED(check_cell(reader, cells));
  for (bool has_next = !cells_at_end(cells); has_next; cells->at += has_next) {
    RETURN_IF_FAILED(inspect_next(reader, cells, 0));
    reader->rows++;
    has_next = cells_has_next(cells);
  }
  if (*cells->at) cells_end_line(cells);
  return reader->lines++, STREW_OK;
}

static inline strew_status inspect_line(struct csv_reader *reader, struct cells *cells) {
  int64_t line = cells->line;
  const char first_byte = *cells->at;
  for (int64_t i = 0;; i++, cells->at++) {
    if (i == reader->count) return fail_long(reader, cells, first_byte, line);
    RETURN_IF_FAILED(inspect_next(reader, cells, i));
    if (!cells_has_next(cells)) return i + 1 == reader->count ? STREW_OK : fail_width(reader, first_byte, line, i + 1);
  }
}

strew_status csv_inspect(struct csv_reader *reader, struct cells cells, const char *end, bool *is_whole) {
  const int64_t most = reader->is_ragged && reader->options->csv->rows ? reader->options->csv->rows : INT64_MAX;
  reader->rows = reader->lines = 0;
  reader->first_row = cells.at;
  strew_status status = STREW_OK;
  while (status == STREW_OK && cells.at < end && reader->lines < most && cells_find_line(&cells)) {
    status = reader->is_ragged ? inspect_ragged(reader, &cells) : inspect_line(reader, &cells);
    reader->rows += !reader->is_ragged;
  }
  if (reader->is_ragged) reader->size_bytes = (size_t)(cells.at - reader->text); /* up to the last line */
  *is_whole = reader->is_ragged || !*cells.at;
  for (int64_t i = 0; status == STREW_OK && *is_whole && i < reader->count; i++) status = check_missing(reader, i);
  return status;
}
