/* date.c: dates in text, see number.h. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "number.h"

struct scanner {
  const char *at, *end;
};

static bool accept(struct scanner *s, const char *any_of) {
  for (; s->at < s->end && *any_of; any_of++)
    if (*s->at == *any_of) return s->at++, true;
  return false;
}

/* Reads a number of exactly `count` digits. */
static bool read_digits(struct scanner *s, int count, int *out) {
  if (s->end - s->at < count) return false;
  for (*out = 0; count--; s->at++) {
    if (*s->at < '0' || *s->at > '9') return false;
    *out = *out * 10 + (*s->at - '0');
  }
  return true;
}

/* The parts of a date as written; those that are missing are 0. */
struct parts {
  int year, month, day, hour, minute, second, offset_sign, offset_hour, offset_minute;
  bool has_fraction; /* not zero */
};

/* Skips a fraction of digits behind its point. */
static bool read_fraction(struct scanner *s, struct parts *parts) {
  const char *first = s->at;
  for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) parts->has_fraction |= *s->at != '0';
  return s->at > first;
}

static bool read_offset(struct scanner *s, struct parts *parts) {
  if (s->at == s->end || accept(s, "Zz")) return true;
  parts->offset_sign = accept(s, "+") ? 1 : accept(s, "-") ? -1 : 0;
  if (!parts->offset_sign || !read_digits(s, 2, &parts->offset_hour)) return false;
  if (s->at == s->end) return true;
  accept(s, ":");
  return read_digits(s, 2, &parts->offset_minute);
}

static bool read_parts(struct scanner *s, struct parts *parts) {
  if (!read_digits(s, 4, &parts->year) || !accept(s, "-") || !read_digits(s, 2, &parts->month) || !accept(s, "-") ||
      !read_digits(s, 2, &parts->day))
    return false;
  if (s->at == s->end) return true;
  if (!accept(s, "Tt ") || !read_digits(s, 2, &parts->hour) || !accept(s, ":") || !read_digits(s, 2, &parts->minute))
    return false;
  if (accept(s, ":")) {
    if (!read_digits(s, 2, &parts->second)) return false;
    if (accept(s, ".,") && !read_fraction(s, parts)) return false;
  }
  return read_offset(s, parts) && s->at == s->end;
}

static bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

static bool is_valid(const struct parts *parts) {
  return parts->month >= 1 && parts->month <= 12 && parts->day >= 1 &&
         parts->day <= days_in(parts->year, parts->month) && parts->hour < 24 && parts->minute < 60 &&
         parts->second < 60 && parts->offset_hour < 24 && parts->offset_minute < 60;
}

/* Days from 0000-01-01, a leap year's, to the first of January of a year. */
static int64_t days_before(int year) {
  int last = year - 1;
  return year ? 365 * (int64_t)year + last / 4 - last / 100 + last / 400 + 1 : 0;
}

static int64_t seconds_of(const struct parts *parts) {
  int64_t days = days_before(parts->year) - days_before(1970) + parts->day - 1;
  for (int month = 1; month < parts->month; month++) days += days_in(parts->year, month);
  int64_t minutes = (days * 24 + parts->hour) * 60 + parts->minute;
  minutes -= parts->offset_sign * (parts->offset_hour * 60 + parts->offset_minute);
  return minutes * 60 + parts->second;
}

enum date date_read(const char *text, size_t length, int64_t *seconds) {
  struct scanner scanner = {text, text + length};
  struct parts parts = {0};
  while (accept(&scanner, " \t")) continue;
  while (scanner.end > scanner.at && (scanner.end[-1] == ' ' || scanner.end[-1] == '\t')) scanner.end--;
  if (!read_parts(&scanner, &parts)) return DATE_NONE;
  if (!is_valid(&parts)) return DATE_INVALID;
  *seconds = seconds_of(&parts);
  return parts.has_fraction ? DATE_PARTIAL : DATE_READ;
}
