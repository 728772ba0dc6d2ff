/* csv_looks.c: what a cell that is not a number may be instead of a word, for messages; csv_walk.h. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_walk.h"

#include <strings.h>

const char *trimmed(const struct cells *cells, const struct cell *cell, size_t *length) {
  const char *end = cell->text + cell->length, *text = skip_blanks(cells, cell->text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *length = text < end ? (size_t)(end - text) : 0;
  return text;
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

/* True for a number with % after it or a sign of currency before or after it. */
static bool has_unit(const struct csv_reader *reader, const char *at, const char *end) {
  static const char *const signs[] = {"$", "\xe2\x82\xac", "\xc2\xa3"}; /* dollar, euro, pound */
  struct decimal number;
  const char *first = at;
  bool has_sign = end > at && end[-1] == '%';
  end -= has_sign;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    size_t length = strlen(signs[i]);
    if ((size_t)(end - at) > length && memcmp(at, signs[i], length) == 0) at += length;
    if ((size_t)(end - at) > length && memcmp(end - length, signs[i], length) == 0) end -= length, has_sign = true;
  }
  while (end > at && end[-1] == ' ') end--;
  return (has_sign || at > first) && end > at &&
         (decimal_scan(at, reader->point, &number) == end || decimal_scan(at, ',', &number) == end ||
          groups_of(at, end));
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
  static const char *const days[] = {"%d?%m?%Y", "%m?%d?%Y", "%Y?%m?%d", "%d?%m?%y", "%m?%d?%y"},
                           *const hours[] = {"", " %R", " %T", " %T.%f", " %I:%M %p", " %I:%M:%S %p", "T%R", "T%T"};
  size_t length;
  const char *text = trimmed(cells, cell, &length), mark = text[strspn(text, "0123456789")];
  int64_t time;
  int count = 0;
  for (size_t d = 0; d < sizeof days / sizeof *days; d++)
    for (size_t h = 0; h < sizeof hours / sizeof *hours && count < MOST_FORMATS; h++) {
      char *format = strcat(strcpy(formats[count], days[d]), hours[h]);
      format[2] = format[5] = mark;
      count += time_read(text, length, format, &time) == TIME_READ;
    }
  return count;
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

enum look look_of(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  struct decimal other;
  int64_t time;
  size_t length;
  if (!cell->has_quotes && time_read(cell->text, cell->length, NULL, &time) == TIME_READ) return DATE;
  const char *text = trimmed(cells, cell, &length), *end = text + length;
  int groups = groups_of(text, end);
  bool is_number = length && decimal_scan(text, reader->point == ',' ? '.' : ',', &other) == end;
  if (groups) return groups == 1 && is_number ? AMBIGUOUS : GROUPED;
  if (is_number) return OTHER_POINT;
  if (has_unit(reader, text, end)) return UNIT;
  if (is_other_date(text, end)) return OTHER_DATE;
  return is_mark(text, length) ? MARK : PLAIN;
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
