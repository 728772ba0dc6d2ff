/* csv_guess.c: the value of a cell, and what one that is not a number may be instead of a word, for messages;
   csv_reader.h. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_reader.h"

#include <math.h>
#include <strings.h>

const char *trimmed(const struct cells *cells, const struct cell *cell, size_t *length) {
  const char *end = cell->text + cell->length, *text = skip_blanks(cells, cell->text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *length = text < end ? (size_t)(end - text) : 0;
  return text;
}

int64_t csv_count_bytes(const char *at, size_t length, char byte) {
  int64_t count = 0;
  for (const char *end = at + length; (at = memchr(at, byte, (size_t)(end - at))); at++) count++;
  return count;
}

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && is_digit(*at)) at++;
  return at;
}

/* Returns the end of the groups of three digits at `at`, each after the mark; NULL: one is shorter or longer. */
static const char *skip_groups(const char *at, const char *end, char mark) {
  for (; at < end && *at == mark; at += 4)
    if (end - at < 4 || skip_digits(at + 1, at + 4) != at + 4) return NULL;
  return at < end && is_digit(*at) ? NULL : at;
}

void read_grouped(struct cells *cells, struct cell *cell) {
  size_t length, count = 0;
  const char *text = trimmed(cells, cell, &length), *end = text + length;
  const char *first = text + (length && (*text == '-' || *text == '+')), *mark = skip_digits(first, end);
  if (length >= GROUPED_BYTES || mark == first || mark > first + 3 || mark == end || *mark != cells->thousands) return;
  const char *last = skip_groups(mark, end, cells->thousands);
  if (!last) return;
  for (const char *at = text; at < end; at++)
    if (at >= last || *at != cells->thousands)
      cells->ungrouped[count++] = (char)(at == last && *at == cells->point ? '.' : *at);
  cells->ungrouped[count] = '\0';
  cell->is_number = decimal_scan(cells->ungrouped, '.', &cell->number) == cells->ungrouped + count;
}

/* The number of groups of three digits after a mark, as in 1,234,567, 1.234,5, 1'234.5 or 1 234; 0: it is none. */
static int groups_of(const char *at, const char *end) {
  at += at < end && (*at == '-' || *at == '+');
  const char *first = at;
  at = skip_digits(at, end);
  char mark = (char)(at < end ? *at : '\0');
  const bool is_point = mark == ',' || mark == '.';
  if (at == first || at > first + 3 || (*first == '0' && (end - at == 4 || !is_point))) return 0;
  const char *last = is_point || mark == '\'' || mark == ' ' ? skip_groups(at, end, mark) : NULL;
  if (!last) return 0;
  int groups = (int)(last - at) / 4;
  at = last;
  if (at < end && (*at == ',' || *at == '.')) at++, groups += groups == 1; /* 1,234.5 is not ambiguous */
  return skip_digits(at, end) == end ? groups : 0;
}

const char *unit_of(const struct csv_reader *reader, const char *text, size_t length, size_t *unit_length,
                    const char **number, size_t *number_length) {
  static const char *const signs[] = {"%", "$", "\xe2\x82\xac", "\xc2\xa3"}; /* dollar, euro, pound */
  const char *at = text, *end = text + length, *unit = NULL;
  struct decimal decimal;
  for (size_t i = 0; i < sizeof signs / sizeof *signs && !unit; i++) {
    const size_t size = strlen(signs[i]);
    const char *first = text + (i && length > size && (*text == '-' || *text == '+')); /* -$5 */
    *unit_length = size;
    if (i && (size_t)(end - first) > size && memcmp(first, signs[i], size) == 0) unit = first, at = first + size;
    if (!unit && length > size && memcmp(end - size, signs[i], size) == 0) unit = end -= size;
  }
  while (end > at && end[-1] == ' ') end--;
  while (at < end && *at == ' ') at++;
  *number = at, *number_length = (size_t)(end - at);
  const bool is_number =
      end > at && (decimal_scan(at, reader->point, &decimal) == end || decimal_scan(at, ',', &decimal) == end ||
                   decimal_scan(at, '.', &decimal) == end || groups_of(at, end));
  return is_number ? unit : NULL;
}

static bool has_unit(const struct csv_reader *reader, const char *text, size_t length) {
  const char *number;
  size_t unit_length, number_length;
  return unit_of(reader, text, length, &unit_length, &number, &number_length) != NULL;
}

/* Reads a number with the unit before or after it, without which it stays in cells->bare. */
static void read_with_unit(struct cells *cells, const char *unit, struct cell *cell) {
  const size_t unit_length = strlen(unit);
  size_t length;
  const char *at = trimmed(cells, cell, &length), *end = at + length;
  char *to = cells->bare, *comma;
  if (length >= sizeof cells->bare) return;
  const bool is_signed = length && (*at == '-' || *at == '+');
  if (is_signed) *to++ = *at++;
  if ((size_t)(end - at) > unit_length && memcmp(at, unit, unit_length) == 0)
    at += unit_length;
  else if ((size_t)(end - at) > unit_length && memcmp(end - unit_length, unit, unit_length) == 0)
    end -= unit_length;
  else
    return;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (at == end || (is_signed && (*at == '-' || *at == '+'))) return;
  memcpy(to, at, (size_t)(end - at));
  to += end - at, *to = '\0';
  struct cell bare = {.text = cells->bare, .length = (size_t)(to - cells->bare)};
  bare.is_number = decimal_scan(bare.text, cells->point, &bare.number) == to;
  if (bare.is_number && cells->point == ',' && (comma = strchr(cells->bare, ',')) != NULL)
    *comma = '.', decimal_scan(bare.text, '.', &bare.number);
  if (!bare.is_number && cells->thousands) read_grouped(cells, &bare);
  cell->is_number = bare.is_number, cell->number = bare.number;
}

void csv_read_ruled(const struct csv_reader *reader, struct cells *cells, struct cell *cell) {
  static const char *const truths[] = {"false", "true"};
  const struct column *column = &reader->columns[cell->column];
  size_t length;
  if (cell->has_quotes) return;
  if (column->has_unit) read_with_unit(cells, words_at(&reader->units, column->unit), cell);
  if (!column->has_dtype || column->wanted != STREW_BOOL) return;
  const char *text = trimmed(cells, cell, &length);
  for (size_t i = 0; i < 2; i++)
    if (length == strlen(truths[i]) && strncasecmp(text, truths[i], length) == 0)
      cell->is_number = true, (void)decimal_scan(i ? "1" : "0", '.', &cell->number);
}

/* Reads up to four digits; returns the value, and -1 for none. */
static int read_part(const char **at, const char *end, int *count) {
  const char *first = *at;
  int value = 0;
  while (*at < end && is_digit(**at) && *at - first < 4) value = value * 10 + (*(*at)++ - '0');
  *count = (int)(*at - first);
  return *count ? value : -1;
}

/* True for 12/31/2024, 31.12.2024, 2024/1/31, 1-2-2024 and 12/31/24, with a time after it or not. */
static bool is_other_date(const char *at, const char *end) {
  int parts[3], counts[3];
  char mark = '\0';
  for (int i = 0; i < 3; i++) {
    if (i && (at == end || (mark && *at != mark) || !strchr("/.-", *at))) return false;
    if (i) mark = *at++;
    parts[i] = read_part(&at, end, &counts[i]);
  }
  bool is_year_first = counts[0] == 4, is_short = counts[2] == 2 && mark == '/' && !is_year_first;
  int a = is_year_first ? parts[2] : parts[0], b = parts[1];
  bool is_end = at == end || (end - at > 1 && (*at == ' ' || *at == 'T') && is_digit(at[1]));
  return is_end && is_year_first != (is_short || counts[2] == 4) && counts[1] < 3 &&
         counts[is_year_first ? 2 : 0] < 3 && a > 0 && b > 0 && a < 32 && b < 32 && (a < 13 || b < 13);
}

int formats_of_date(const struct cells *cells, const struct cell *cell, char (*formats)[FORMAT_BYTES]) {
  static const char *const days[] = {"%d?%m?%Y",  "%m?%d?%Y",    "%Y?%m?%d",     "%d?%m?%y",      "%m?%d?%y",
                                     "%b %d %Y",  "%b %d, %Y",   "%d %b %Y",     "%d-%b-%Y",      "%d-%b-%y",
                                     "%d %b, %Y", "%a %b %d %Y", "%a, %d %b %Y", "%a, %b %d, %Y", "%b %Y"},
                           *const hours[] = {"", " %R", " %T", " %T.%f", " %I:%M %p", " %I:%M:%S %p", "T%R", "T%T"};
  size_t length;
  const char *text = trimmed(cells, cell, &length), mark = text[strspn(text, "0123456789")];
  int64_t time;
  int count = 0;
  if (cell->has_quotes || !length) return 0;
  for (size_t d = 0; d < sizeof days / sizeof *days; d++)
    for (size_t h = 0; h < sizeof hours / sizeof *hours && count < MOST_FORMATS; h++) {
      char *format = strcat(strcpy(formats[count], days[d]), hours[h]);
      for (char *at = format; *at; at++)
        if (*at == '?') *at = mark; /* which may be ? itself */
      count += time_read(text, length, format, &time) == TIME_READ;
    }
  return count;
}

/* Drops the formats that do not read the cell. One without a date, or a missing one, drops none. */
static int formats_left(const struct cells *cells, const struct cell *cell, int count, char (*formats)[FORMAT_BYTES]) {
  char others[MOST_FORMATS][FORMAT_BYTES];
  int left = 0;
  int64_t time;
  for (int i = 0; i < count; i++)
    if (time_read(cell->text, cell->length, formats[i], &time) == TIME_READ && i != left++)
      memcpy(formats[left - 1], formats[i], FORMAT_BYTES);
  const bool is_date = left || time_read(cell->text, cell->length, NULL, &time) == TIME_READ;
  return is_date || formats_of_date(cells, cell, others) ? left : count;
}

strew_status formats_of_column(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                               char (*formats)[FORMAT_BYTES], int *count) {
  struct cells rows = *cells;
  *count = formats_of_date(cells, cell, formats);
  rows.at = reader->first_row;
  for (int64_t row = 0; *count && cells_find_line(&rows); row++) {
    struct cell other;
    if (row % CSV_CELLS_BETWEEN_CHECKS == 0) RETURN_IF_FAILED(context_check(reader->call, reader->context));
    for (int64_t i = 0;; i++, rows.at++) {
      cells_next(&rows, true, &other);
      if (i == cell->column && other.length && !other.has_quotes) *count = formats_left(&rows, &other, *count, formats);
      if (other.is_unclosed || other.has_more || !cells_has_next(&rows)) break;
    }
    rows.at += strcspn(rows.at, "\r\n");
  }
  return STREW_OK;
}

/* True if a word may stand for a missing value: one without letters and digits, or one of a list. */
static bool is_mark(const char *text, size_t length) {
  static const char *const words[] = {"unknown", "none", "nil", "missing", "n.a.", "n/d", "#n/a"};
  enum { LONGEST = 4 };
  size_t count = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0) return true;
  while (count < length && strchr("?.-*_/#~+=", text[count])) count++;
  return length && count == length && length <= LONGEST;
}

bool may_be_missing(const char *text, size_t length) {
  static const char *const words[] = {"nd",      "n.d.",     "n/k",           "unk",     "tba",      "tbd",
                                      "no data", "#n/a n/a", "#value!",       "#ref!",   "#div/0!",  "#null!",
                                      "#name?",  "#num!",    "<na>",          "(null)",  "#na",      "-nan",
                                      "1.#ind",  "-1.#ind",  "not available", "1.#qnan", "-1.#qnan", "undefined"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0) return true;
  return is_mark(text, length) || (length > 7 && strspn(text, "0-/.: ") >= length); /* 0000-00-00 */
}

enum look look_of(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct decimal other;
  int64_t time;
  size_t length;
  if (!cell->has_quotes && time_read(cell->text, cell->length, NULL, &time) == TIME_READ) return DATE;
  const char *text = trimmed(cells, cell, &length), *end = text + length;
  int groups = groups_of(text, end);
  const char point = reader->point == ',' ? '.' : ',';
  bool is_number = length && memchr(text, point, length) && decimal_scan(text, point, &other) == end;
  if (groups) return groups == 1 && is_number ? AMBIGUOUS : GROUPED;
  if (is_number) return OTHER_POINT;
  if (has_unit(reader, text, length)) return UNIT;
  if (is_other_date(text, end)) return OTHER_DATE;
  if (is_mark(text, length)) return MARK;
  char formats[MOST_FORMATS][FORMAT_BYTES];
  return reader->all_dates && formats_of_date(cells, cell, formats) ? OTHER_DATE : PLAIN;
}

bool groups_may_be_word(const struct cells *cells, const struct cell *cell) {
  size_t length;
  const char *text = trimmed(cells, cell, &length);
  return strspn(text, "+0123456789 ") >= length;
}

bool looks_like_label(const struct decimal *number) {
  enum { LEAST_DIGITS = 7 };
  const char *at = number->text;
  if (!number->is_whole) return false;
  bool has_plus = *at == '+';
  at += has_plus || *at == '-';
  size_t digits = strspn(at, "0123456789");
  return (*at == '0' && digits > 1) || (has_plus && digits >= LEAST_DIGITS);
}

/* --------------------------------------------------------------------------------------------------------- values */

/* A comma is a point meanwhile: rare numbers are read again by the C library. */
double csv_double_of(const struct csv_reader *reader, const struct cell *cell) {
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
  const double value = csv_double_of(reader, cell);
  if (isinf(value) && cell->number.kind == DECIMAL_FINITE) return false;
  return value == (number.dtype == STREW_INT64 ? (double)number.as.i : number.as.f);
}

bool csv_is_named_missing(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  size_t length;
  const char *text = trimmed(cells, cell, &length);
  bool is_found = reader->missing.count && words_find(&reader->missing, text, length) >= 0;
  for (int64_t i = 0; i < reader->number_count && cell->is_number && !is_found; i++)
    is_found = is_number(reader, cell, reader->numbers[i]);
  return is_found;
}

bool csv_is_missing(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  static const char *const words[] = {"", "na", "n/a", "null"};
  size_t length;
  const char *text = trimmed(cells, cell, &length);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && strncasecmp(text, words[i], length) == 0) return true;
  return csv_is_absent(reader, cells, cell);
}

strew_scalar csv_number_of(const struct csv_reader *reader, const struct cell *cell) {
  int64_t whole;
  if (decimal_to_integer(&cell->number, &whole)) return strew_int(whole);
  return strew_float(csv_double_of(reader, cell));
}

/* Integers are decided by the digits, before any rounding to float64: 1e-400 and 0.99999999999999999999 are not whole. */
bool csv_store_number(const struct csv_reader *reader, const struct cell *cell, strew_dtype dtype, void *element) {
  const struct decimal *decimal = &cell->number;
  strew_scalar number;
  if (dtype_is_float(dtype)) {
    number = csv_number_of(reader, cell);
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

strew_status csv_unquote(struct csv_reader *reader, struct cell *cell) {
  if (!cell->has_quotes) return STREW_OK;
  if (cell->length > reader->unquoted_bytes) {
    memory_free(reader->context, reader->unquoted, reader->unquoted_bytes);
    reader->unquoted_bytes = 0;
    ALLOCATE(reader->unquoted, reader->call, reader->context, cell->length);
    reader->unquoted_bytes = cell->length;
  }
  cell->length = csv_join_quotes(cell, reader->unquoted);
  cell->text = reader->unquoted;
  cell->has_quotes = false;
  return STREW_OK;
}
