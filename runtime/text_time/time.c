/* time.c: times in text, of the proleptic Gregorian calendar, see dtype.h. Nothing depends on the locale or on the
   machine's time zone. */
#include "runtime/core/base/dtype.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MICROSECONDS = 1000000 };

/* --------------------------------------------------------------------------------------------------- the calendar */

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static int days_in(int64_t year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Days from the first of January of year 1, with leap years before it, too, to that of `year`. */
static int64_t days_before(int64_t year) {
  const int64_t last = year - 1;
  return 365 * last + floor_divide(last, 4) - floor_divide(last, 100) + floor_divide(last, 400);
}

/* ------------------------------------------------------------------------------------------------------- reading */

struct scanner {
  const char *at, *end;
};

/* The parts of a time as written; those that are missing have their first value. */
struct parts {
  int64_t year;
  int month, day, hour, minute, second, microsecond, offset_sign, offset_hour, offset_minute;
  int day_of_year;   /* 0: none */
  int week, weekday; /* of ISO 8601, from 1 */
  int half;          /* of the day, 1 and 2: of hours 1 to 12; 0: hours 0 to 23 */
  bool has_week;
  bool takes_24; /* 24:00 is the next day's 00:00 */
};

static bool accept(struct scanner *s, const char *any_of) {
  for (; s->at < s->end && *any_of; any_of++)
    if (*s->at == *any_of) return s->at++, true;
  return false;
}

static bool is_digit(const struct scanner *s) { return s->at < s->end && *s->at >= '0' && *s->at <= '9'; }

/* Reads a number of at least `least` and at most `most` digits. */
static bool read_digits(struct scanner *s, int least, int most, int *out) {
  const char *first = s->at;
  for (*out = 0; s->at - first < most && is_digit(s); s->at++) *out = *out * 10 + (*s->at - '0');
  return s->at - first >= least;
}

/* Four digits, or a sign and 5 or 6. */
static bool read_year(struct scanner *s, struct parts *parts) {
  const int sign = accept(s, "+") ? 1 : accept(s, "-") ? -1 : 0;
  int year;
  if (!read_digits(s, sign ? 5 : 4, sign ? 6 : 4, &year)) return false;
  return parts->year = sign < 0 ? -year : year, true;
}

/* A fraction of 3600, 60 or 1 seconds. Digits beyond microseconds are dropped. */
static bool read_fraction(struct scanner *s, int seconds, struct parts *parts) {
  enum { MOST = 1000000000 }; /* of which the product is an int64 */
  int64_t rest = 0, scale = 1;
  if (!is_digit(s)) return false;
  for (; is_digit(s); s->at++)
    if (scale < MOST) scale *= 10, rest = rest * 10 + (*s->at - '0');
  rest = rest * seconds * MICROSECONDS / scale;
  parts->microsecond = (int)(rest % MICROSECONDS);
  if (seconds > 1) parts->second = (int)(rest / MICROSECONDS % 60);
  if (seconds > 60) parts->minute = (int)(rest / MICROSECONDS / 60);
  return true;
}

static bool read_offset(struct scanner *s, struct parts *parts) {
  if (accept(s, "Zz")) return true;
  parts->offset_sign = accept(s, "+") ? 1 : accept(s, "-") ? -1 : 0;
  if (!parts->offset_sign || !read_digits(s, 2, 2, &parts->offset_hour)) return false;
  return accept(s, ":") || is_digit(s) ? read_digits(s, 2, 2, &parts->offset_minute) : true;
}

static bool read_iso(struct scanner *s, struct parts *parts) {
  if (!read_year(s, parts) || !accept(s, "-") || !read_digits(s, 2, 2, &parts->month) || !accept(s, "-") ||
      !read_digits(s, 2, 2, &parts->day))
    return false;
  if (s->at == s->end) return true;
  if (!accept(s, "Tt ") || !read_digits(s, 2, 2, &parts->hour) || !accept(s, ":") ||
      !read_digits(s, 2, 2, &parts->minute))
    return false;
  if (accept(s, ":")) {
    if (!read_digits(s, 2, 2, &parts->second)) return false;
    if (accept(s, ".,") && !read_fraction(s, 1, parts)) return false;
  }
  return s->at == s->end || read_offset(s, parts);
}

/* A date of any form: 20240517, 2024-05, 2024-W20-5, 2024W20, 2024-138. */
static bool read_any_date(struct scanner *s, struct parts *parts) {
  const bool has_sign = s->at < s->end && !is_digit(s);
  if (!read_year(s, parts)) return false;
  const bool has_dashes = accept(s, "-");
  if (has_sign && !has_dashes) return false;
  if (accept(s, "W")) {
    parts->has_week = true, parts->weekday = 1;
    if (!read_digits(s, 2, 2, &parts->week)) return false;
    return has_dashes ? !accept(s, "-") || read_digits(s, 1, 1, &parts->weekday)
                      : !is_digit(s) || read_digits(s, 1, 1, &parts->weekday);
  }
  struct scanner ahead = *s;
  int number;
  if (read_digits(&ahead, 3, 3, &number) && !is_digit(&ahead))
    return *s = ahead, parts->day_of_year = number, number > 0;
  if (!read_digits(s, 2, 2, &parts->month)) return false;
  return has_dashes ? !accept(s, "-") || read_digits(s, 2, 2, &parts->day) : read_digits(s, 2, 2, &parts->day);
}

/* Any form of ISO 8601. */
static bool read_any(struct scanner *s, struct parts *parts) {
  int seconds = 3600; /* of the last part */
  parts->takes_24 = true;
  if (!read_any_date(s, parts)) return false;
  if (s->at == s->end) return true;
  if (!accept(s, "Tt ") || !read_digits(s, 2, 2, &parts->hour)) return false;
  const bool has_colons = accept(s, ":");
  if (has_colons || is_digit(s)) {
    if (!read_digits(s, 2, 2, &parts->minute)) return false;
    seconds = 60;
    if (has_colons ? accept(s, ":") : is_digit(s)) {
      if (!read_digits(s, 2, 2, &parts->second)) return false;
      seconds = 1;
    }
  }
  if (accept(s, ".,") && !read_fraction(s, seconds, parts)) return false;
  return s->at == s->end || read_offset(s, parts);
}

/* Reads one of `count` names, or its first three letters, ignoring case; its number, from 1, or 0. */
static int read_name(struct scanner *s, int count, const char *const *names) {
  for (int i = 0; i < count; i++) {
    const size_t whole = strlen(names[i]), most = (size_t)(s->end - s->at);
    const size_t length = most >= whole && !strncasecmp(s->at, names[i], whole) ? whole : 3;
    if (most < length || strncasecmp(s->at, names[i], length) != 0) continue;
    return s->at += length, i + 1;
  }
  return 0;
}

static bool read_format(struct scanner *s, const char *format, struct parts *parts);

/* Reads what a letter of strftime stands for. */
static bool read_letter(struct scanner *s, char letter, struct parts *parts) {
  static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};
  static const char *const days[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
  static const char *const halves[] = {"AM", "PM"};
  int two;
  switch (letter) {
  case 'Y': return read_year(s, parts);
  case 'y': return read_digits(s, 2, 2, &two) && (parts->year = two < 69 ? 2000 + two : 1900 + two, true);
  case 'm': return read_digits(s, 1, 2, &parts->month);
  case 'b':
  case 'B':
  case 'h': return (parts->month = read_name(s, 12, months)) > 0;
  case 'a':
  case 'A': return read_name(s, 7, days) > 0;
  case 'e': accept(s, " "); /* fall through */
  case 'd': return read_digits(s, 1, 2, &parts->day);
  case 'j': return read_digits(s, 1, 3, &parts->day_of_year) && parts->day_of_year > 0;
  case 'H': return read_digits(s, 1, 2, &parts->hour);
  case 'I':
    if (!parts->half) parts->half = 1;
    return read_digits(s, 1, 2, &parts->hour);
  case 'p':
    for (int half = 0; half < 2; half++)
      if (s->end - s->at >= 2 && !strncasecmp(s->at, halves[half], 2)) return s->at += 2, parts->half = half + 1, true;
    return false;
  case 'M': return read_digits(s, 1, 2, &parts->minute);
  case 'S': return read_digits(s, 1, 2, &parts->second);
  case 'f': return read_fraction(s, 1, parts);
  case 'z': return read_offset(s, parts);
  case 'F': return read_format(s, "%Y-%m-%d", parts);
  case 'T': return read_format(s, "%H:%M:%S", parts);
  case 'R': return read_format(s, "%H:%M", parts);
  case 'D': return read_format(s, "%m/%d/%y", parts);
  case '%': return accept(s, "%");
  default: return false;
  }
}

static bool read_format(struct scanner *s, const char *format, struct parts *parts) {
  for (; *format; format++) {
    const char one[] = {*format, '\0'};
    if (*format == '%' ? !read_letter(s, *++format, parts) : !accept(s, one)) return false;
    if (!*format) return false;
  }
  return true;
}

const char *time_find_fault(const char *format) {
  bool has_part = false;
  for (const char *at = strchr(format, '%'); at; at = strchr(at + 2, '%')) {
    if (!at[1] || at[1] == ' ' || !strchr(TIME_LETTERS "%", at[1])) return at;
    has_part |= at[1] != '%';
  }
  return has_part ? NULL : format;
}

/* Days from 1970-01-01 to the first of January. */
static int64_t first_day(int64_t year) { return days_before(year) - days_before(1970); }

/* Days from the first of January to the day of a week; the first week is that of the first Thursday. */
static int64_t days_to_week(const struct parts *parts) {
  const int64_t days = first_day(parts->year) + 3; /* 1970-01-01 was a Thursday */
  const int64_t weekday = days - floor_divide(days, 7) * 7;
  return (weekday > 3 ? 7 : 0) - weekday + (parts->week - 1) * 7 + parts->weekday - 1;
}

static bool is_valid(struct parts *parts) {
  if (parts->half) {
    if (parts->hour < 1 || parts->hour > 12) return false;
    parts->hour = parts->hour % 12 + (parts->half == 2 ? 12 : 0);
  }
  if (parts->day_of_year > 365 + is_leap(parts->year)) return false;
  if (parts->has_week && (parts->week < 1 || parts->week > 53 || parts->weekday < 1 || parts->weekday > 7))
    return false;
  if (parts->week == 53 && days_to_week(parts) - parts->weekday + 4 >= 365 + is_leap(parts->year)) return false;
  const bool is_24 = parts->takes_24 && !parts->minute && !parts->second && !parts->microsecond;
  return parts->month >= 1 && parts->month <= 12 && parts->day >= 1 &&
         parts->day <= days_in(parts->year, parts->month) && parts->hour < 24 + is_24 && parts->minute < 60 &&
         parts->second < 60 && parts->offset_hour < 24 && parts->offset_minute < 60;
}

static int64_t seconds_of(const struct parts *parts) {
  int64_t days = first_day(parts->year) + parts->day - 1;
  for (int month = 1; month < parts->month; month++) days += days_in(parts->year, month);
  if (parts->day_of_year) days = first_day(parts->year) + parts->day_of_year - 1;
  if (parts->has_week) days = first_day(parts->year) + days_to_week(parts);
  int64_t minutes = (days * 24 + parts->hour) * 60 + parts->minute;
  minutes -= parts->offset_sign * (parts->offset_hour * 60 + parts->offset_minute);
  return minutes * 60 + parts->second;
}

enum time_reading time_read(const char *text, size_t length, const char *format, int64_t *time) {
  struct scanner scanner = {text, text + length};
  struct parts parts = {.year = 1970, .month = 1, .day = 1};
  while (accept(&scanner, " \t")) continue;
  while (scanner.end > scanner.at && (scanner.end[-1] == ' ' || scanner.end[-1] == '\t')) scanner.end--;
  const bool is_read = !format   ? read_iso(&scanner, &parts)
                       : *format ? read_format(&scanner, format, &parts)
                                 : read_any(&scanner, &parts);
  if (!is_read || scanner.at < scanner.end) return TIME_NONE;
  if (!is_valid(&parts)) return TIME_INVALID;
  int64_t seconds = seconds_of(&parts), rest = parts.microsecond;
  if (seconds < 0) seconds++, rest -= MICROSECONDS; /* of one sign, so that the product holds the least time, too */
  if (__builtin_mul_overflow(seconds, (int64_t)MICROSECONDS, time) || __builtin_add_overflow(*time, rest, time) ||
      *time == INT64_MIN)
    return TIME_BEYOND;
  return TIME_READ;
}

/* ------------------------------------------------------------------------------------------------------- writing */

/* Writes a separator and `count` digits; returns their end. */
static char *put_digits(char *to, const char *separator, int number, int count) {
  if (*separator) *to++ = *separator;
  for (int i = count; i-- > 0; number /= 10) to[i] = (char)('0' + number % 10);
  return to + count;
}

const char *text_of_time(int64_t time, char *text) {
  if (time == INT64_MIN) return strcpy(text, "");
  const int64_t seconds = floor_divide(time, MICROSECONDS), days = floor_divide(seconds, 86400);
  const int in_day = (int)(seconds - days * 86400);
  int microsecond = (int)(time % MICROSECONDS), month = 1;
  int64_t left = days + days_before(1970), year = floor_divide(left * 400, 146097) + 1;
  if (microsecond < 0) microsecond += MICROSECONDS;
  while (left < days_before(year)) year--;
  while (left >= days_before(year + 1)) year++;
  for (left -= days_before(year); left >= days_in(year, month); month++) left -= days_in(year, month);
  char *at = year < 0 || year > 9999 ? text + sprintf(text, "%+06" PRId64, year) : put_digits(text, "", (int)year, 4);
  at = put_digits(put_digits(at, "-", month, 2), "-", (int)left + 1, 2);
  if (in_day || microsecond) at = put_digits(put_digits(at, "T", in_day / 3600, 2), ":", in_day / 60 % 60, 2);
  if (in_day % 60 || microsecond) at = put_digits(at, ":", in_day % 60, 2);
  if (microsecond)
    for (at = put_digits(at, ".", microsecond, 6); at[-1] == '0';) at--;
  *at = '\0';
  return text;
}

/* ------------------------------------------------------------------------------------------------------- times */

strew_status check_time_format(const struct call *call, const char *argument, const char *column, const char *format) {
  char shown[TEXT_BYTES], name[TEXT_BYTES], fact[TEXT_BYTES] = "which has no part of a time, as %d";
  const char *fault = time_find_fault(format);
  if (!fault) return STREW_OK;
  if (*fault == '%' && fault[1] != '%')
    sprintf(fact, "in which %.8s is no part of a time", text_of_name((char[]){'%', fault[1], '\0'}, name));
  return fail(call, HINTED(STREW_EARGUMENT, argument, "\"%d.%m.%Y\" is a format; its letters are " TIME_LETTERS),
              "%s \"%s\"%s%s%s, %s", column ? "has the format" : "is", text_of_name(format, shown),
              column ? " for column \"" : "", column ? text_of_name(column, name) : "", column ? "\"" : "", fact);
}

const char *time_fact(enum time_reading reading) {
  static const char *const facts[] = {[TIME_NONE] = "which is no time",
                                      [TIME_INVALID] = "which is not in the calendar",
                                      [TIME_BEYOND] = "beyond what int64 microseconds can hold"};
  return facts[reading];
}

strew_status time_from(const struct call *call, const char *name, const char *text, const char *format,
                       strew_scalar *out) {
  char shown[TEXT_BYTES];
  *out = (strew_scalar){.dtype = STREW_TIME, .as.i = INT64_MIN};
  if (!*text || strcmp(text, "NaT") == 0) return STREW_OK;
  const enum time_reading reading = time_read(text, strlen(text), format ? format : "", &out->as.i);
  if (reading == TIME_READ) return STREW_OK;
  const char *hint = format ? hint_of(call, "the format is \"%.100s\"", format) : TIME_HINT;
  return fail(call, HINTED(STREW_EVALUE, name, reading == TIME_NONE ? hint : NULL), "is \"%s\", %s",
              text_of_name(text, shown), reading == TIME_NONE ? "expected a time" : time_fact(reading));
}

strew_status strew_time_parse(const char *text, const char *format, strew_scalar *out, strew_error *error) {
  CALL(call, "time", error, {0});
  *out = (strew_scalar){.dtype = STREW_TIME, .as.i = INT64_MIN};
  if (format) RETURN_IF_FAILED(check_time_format(&call, "format", NULL, format));
  return time_from(&call, "text", text, format, out);
}
