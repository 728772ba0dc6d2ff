/* csv_load.c: loads .csv files as tables of columns; strew.h has the rules. Here are the options, the first line, which
   may name the columns, and the table of them; csv_parts.c reads the rows. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_reader.h"
#include "format.h"
#include "runtime/core/base/tensor.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------- the first line */

/* Finds the character that may separate the cells of a first line of one cell. */
static void find_separator(struct csv_reader *reader, const char *line, size_t length) {
  static const char separators[] = ";\t|";
  for (const char *one = separators; *one && !reader->likely_count; one++) {
    reader->likely_count = csv_count_bytes(line, length, *one);
    if (reader->likely_count) reader->likely_separator = *one;
  }
}

/* Counts the cells of the first line: the number of columns. */
static strew_status count_columns(struct csv_reader *reader, struct cells cells) {
  const char *first = cells.at;
  reader->width_line = cells.line;
  if (reader->is_ragged)
    reader->count = 1;
  else
    RETURN_IF_FAILED(csv_count_cells(reader, &cells, &reader->count));
  const uint64_t size_bytes = (uint64_t)reader->count * sizeof *reader->columns;
  const uint64_t chosen_bytes = (uint64_t)reader->count * sizeof *reader->chosen;
  RETURN_IF_FAILED(check_machine_memory(reader->call, &reader->context->cpu, size_bytes, NULL));
  ALLOCATE(reader->columns, reader->call, reader->context, size_bytes);
  memset(reader->columns, 0, (size_t)size_bytes);
  ALLOCATE(reader->chosen, reader->call, reader->context, chosen_bytes);
  for (int64_t i = 0; i < reader->count; i++) reader->columns[i].kind = TEXTUAL; /* while names are read */
  reader->first_byte = *first;
  if (reader->count == 1 && *first != '"' && !reader->is_ragged)
    find_separator(reader, first, (size_t)(cells.at - first));
  return STREW_OK;
}

/* Tells the caller, once, that a name of the file is empty, or that of column `other`, and what replaces it. */
static void warn_of_name(const struct csv_reader *reader, const struct cell *cell, int64_t other) {
  char fact[TEXT_BYTES], text[TEXT_BYTES], name[TEXT_BYTES];
  strew_error *warning = reader->options->csv ? reader->options->csv->warning : NULL;
  if (!warning || *warning->message) return;
  struct call call = *reader->call;
  call.error = warning;
  const char *hint = hint_of(&call, "{.names = {...}} names the %" PRId64 " columns instead of line %" PRId64,
                             reader->count, cell->line);
  snprintf(fact, sizeof fact, other < 0 ? "no name" : "the name of column %" PRId64 ", \"%s\",", other + 1,
           csv_text_of_cell(cell, text));
  (void)fail_file(&call, reader->path, hint, "gives column %" PRId64 " %s in line %" PRId64 ": it is \"%s\"",
                  cell->column + 1, fact, cell->line,
                  csv_text_of_start(words_at(&reader->names, cell->column), 100, name));
  warning->code = STREW_OK;
}

static strew_status add_name(struct csv_reader *reader, const struct cells *cells, struct cell *cell) {
  char number[24];
  size_t length;
  RETURN_IF_FAILED(csv_unquote(reader, cell));
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
  char text[TEXT_BYTES], known[TEXT_BYTES], list[MAX_SHOWN * 120];
  size_t length = 0;
  strew_guess guess = {.wanted = name};
  for (int64_t i = 0; i < reader->count && i < MOST_GUESSED; i++) strew_guess_name(&guess, words_at(&reader->names, i));
  for (int64_t i = 0; i < reader->count && i < MAX_SHOWN; i++)
    length += (size_t)sprintf(list + length, "%s\"%s\"", i ? ", " : "",
                              csv_text_of_start(words_at(&reader->names, i), 32, known));
  const char *hint = !reader->is_named && is_in_line(reader, *first, name)
                         ? hint_of(reader->call, "header = true takes names from line %" PRId64, reader->width_line)
                         : hint_of_guess(reader->call, &guess);
  return fail(reader->call, HINTED(STREW_EARGUMENT, named->option, hint),
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
  return csv_is_nan(cell) || csv_is_missing(reader, cells, cell) ||
         (!cell->is_number && look_of(reader, cells, cell) == MARK);
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
    const bool is_number = cell.is_number ? !csv_is_nan(&cell) : !has_dates && look != PLAIN && look != MARK;
    const enum look of_word = word.is_number ? OTHER_POINT : look_of(reader, &above, &word);
    const bool is_marked = of_word == MARK && (!has_numbers || *has_numbers || count > 1); /* a mark is no name then */
    const bool is_word = is_word_look(of_word) && !is_marked && !csv_is_missing(reader, &above, &word);
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

/* In place of a column: more lines are needed; there are words and no other line. */
enum { OPEN = -2, WORDS_ALONE = -3 };

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
    const bool is_other = !is_word_look(look) || csv_is_missing(reader, &cells, &cell);
    if (is_other && !has_numbers) return -1;
    if (is_other) *has_numbers = true;
    has_dates |= look == DATE || look == OTHER_DATE;
  }
  cells.at--;
  struct cells lines[CSV_HEAD_LINES];
  bool is_open;
  for (int count = 1; count < CSV_HEAD_LINES; count++) {
    if (!cells_find_line(&cells)) return count > 1 || has_dates || (has_numbers && *has_numbers) ? OPEN : WORDS_ALONE;
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
  const strew_status status =
      csv_count_cells(&head, &first, &head.count); /* csv_read_head reports what is wrong with it */
  if (is_stopped(status)) return status;
  *is_open = status == STREW_OK && column_below_words(&head, cells, &has_numbers) == OPEN;
  return STREW_OK;
}

/* Finds out whether the first line has names: words above a number, or no other line, as a table without rows is
   saved. Fails if some are numbers, but a word is above a number, too. */
static strew_status find_header(struct csv_reader *reader, const struct cells *cells) {
  const strew_header header = reader->options->header;
  bool has_numbers = false;
  const int64_t i = header ? -1 : column_below_words(reader, *cells, &has_numbers);
  const bool is_named = reader->options->csv && reader->options->csv->names;
  reader->has_header = header == STREW_HEADER_YES || i >= 0 || (i == WORDS_ALONE && !is_named);
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
  return reader->columns[i].kind == UNKNOWN && !cell->is_number && !csv_is_missing(reader, cells, cell) &&
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
      length += csv_text_of_column(reader, i, column)
                    ? (size_t)snprintf(text + length, MOST_BYTES, "%s%s", length > first ? ", " : "", column)
                    : MOST_BYTES;
    if (!cells_has_next(&cells)) break;
  }
  strcpy(text + (length < MOST_BYTES ? length : 0), length < MOST_BYTES ? "}} reads words" : "");
}

/* Fails for a line of units: of words, below names and above two numbers or the only ones, in several columns. The names
   may be those of a first line that is not known to have them. */
static strew_status check_units(struct csv_reader *reader, struct cells first) {
  char remedy[TEXT_BYTES] = "";
  int64_t ignored = 0;
  if (reader->options->header == STREW_HEADER_NO || reader->is_decided || reader->count < 2) return STREW_OK;
  if (!reader->is_named) RETURN_IF_FAILED(csv_count_cells(reader, &first, &ignored));
  if (!cells_find_line(&first)) return STREW_OK;
  const int64_t i = column_below_words(reader, first, NULL);
  if (i < 0 || !is_number_later(reader, first, i)) return STREW_OK;
  if (reader->is_named) remedy_of_numbers(reader, first, remedy);
  const char *hint = hint_of(reader->call, "{.skip = %" PRId64 ", .names = {...}}%s begins below it%.180s", first.line,
                             reader->options->header ? " without header = true" : "", remedy);
  strew_status status = fail_file(reader->call, reader->path, hint,
                                  "has a line of words above numbers, line %" PRId64 ": are they units?", first.line);
  return csv_at_place(reader, first.line, -1, NULL, status);
}

/* Fails for a first line "sep=;", which spreadsheets read. */
static strew_status check_separator_line(const struct csv_reader *reader, const struct cells *cells) {
  const char *at = cells->at;
  char shown[4];
  if (strncasecmp(at, "sep=", 4) != 0 || !at[4] || !strchr(",;\t|", at[4]) || !strchr("\r\n", at[5])) return STREW_OK;
  const char *hint =
      hint_of(reader->call, "{.skip = %" PRId64 ", .separator = \"%s\"}", cells->line, csv_text_of_byte(at[4], shown));
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
  RETURN_IF_FAILED(csv_count_cells(reader, &split, &expected));
  if (expected < 2 || !cells_find_line(&split)) return STREW_OK;
  const char *line = split.at;
  whole = *cells, whole.at = line;
  cells_next(&whole, false, &cell);
  if (cells_has_next(&whole) || cell.is_number || look_of(reader, &whole, &cell) != PLAIN) return STREW_OK;
  if (formats_of_date(&whole, &cell, formats)) return STREW_OK;
  for (bool has_next = true; has_next && count <= expected; count++, split.at += has_next) {
    cells_next(&split, false, &cell);
    numbers += cell.is_number && !csv_is_nan(&cell) && !looks_like_label(&cell.number);
    has_next = cells_has_next(&split);
  }
  bool has_run = *cells->at == ' ' || strchr(" \t", line[-1]);
  for (const char *at = line; at < split.at && !has_run; at++) has_run = *at == '\t' || (*at == ' ' && at[1] == ' ');
  if (count != expected || !numbers || !(has_run || (numbers > 1 && numbers + 1 >= count))) return STREW_OK;
  return fail_file(
      reader->call, reader->path, "{.separator = STREW_BLANKS} splits them, {.text = {1}} reads the lines as words",
      "has %" PRId64 " cells between blanks in line %" PRId64 ", expected one cell in a line", count, split.line);
}

/* Reads the line of names, or skips it. */
static strew_status read_names(struct csv_reader *reader, struct cells *cells, bool is_given) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    struct cell cell;
    cells->at += i > 0;
    status = check_interrupted(reader, i);
    if (status != STREW_OK) break;
    csv_next_cell(reader, cells, i, &cell);
    if (cell.is_unclosed || cell.has_more) return csv_fail_quotes(reader, cells, &cell);
    if (!is_given) status = add_name(reader, cells, &cell);
  }
  return status;
}

/* Names the columns by the first line, if it has names, by the caller's, or by numbers. */
static strew_status name_columns(struct csv_reader *reader, struct cells *cells) {
  const strew_csv_options *csv = reader->options->csv;
  const bool has_line = reader->has_header, is_given = csv && csv->names;
  reader->is_named = has_line || is_given;
  strew_status status = has_line ? read_names(reader, cells, is_given) : STREW_OK;
  if (status != STREW_OK || (has_line && !is_given)) return status;
  return is_given ? name_by_list(reader, csv->name_count, csv->names) : name_by_numbers(reader);
}

/* Names the one column of a ragged text, whatever its lines have. */
static strew_status name_values(struct csv_reader *reader, const struct cells *cells) {
  static const char name[] = "values";
  int64_t number;
  strew_status status = count_columns(reader, *cells);
  reader->is_named = true;
  TRY(status, words_number(reader->call, reader->context, &reader->names, name, sizeof name - 1, &number));
  return TRY(status, mark_columns(reader, cells));
}

strew_status csv_read_head(struct csv_reader *reader, struct cells *cells) {
  if (!cells_find_line(cells)) return fail_file(reader->call, reader->path, NULL, "is empty, expected lines of cells");
  strew_status status = check_separator_line(reader, cells);
  if (status == STREW_OK && reader->is_ragged) return name_values(reader, cells);
  TRY(status, count_columns(reader, *cells));
  TRY(status, check_blanks(reader, cells));
  TRY(status, find_header(reader, cells));
  TRY(status, name_columns(reader, cells));
  return TRY(status, mark_columns(reader, cells));
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

static strew_status add_starts(struct csv_reader *reader, strew_table *table) {
  strew_tensor *starts = NULL;
  strew_status status = transfer(reader->call, reader->starts, reader->device, &starts);
  TRY(status, table_add(reader->call, table, "starts", starts));
  strew_release(starts);
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
  if (status == STREW_OK && reader->starts) status = add_starts(reader, table);
  if (status == STREW_OK)
    *out = table;
  else
    strew_table_release(table);
  return status;
}

strew_status csv_read_rows(struct csv_reader *reader, struct cells *cells, strew_table **out) {
  struct cells end = *cells;
  *out = NULL;
  strew_status status = check_units(reader, end);
  TRY(status, csv_read_columns(reader, &end));
  if (status == STREW_OK && (reader->rows || !reader->is_chunked)) status = make_table(reader, out);
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
                             .is_ragged = options->csv && options->csv->ragged,
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
  TRY(status, csv_read_rows(&reader, &cells, out));
  csv_end(&reader);
  return status;
}
