/* date.h: dates and times of ISO 8601 in text, of the proleptic Gregorian calendar. */
#ifndef DATE_H
#define DATE_H

#include <stddef.h>
#include <stdint.h>

enum date {
  DATE_NONE,    /* of another form */
  DATE_INVALID, /* of the form, but out of range: a month 13 */
  DATE_PARTIAL, /* with a part of a second */
  DATE_READ
};

/* Reads a whole text, apart from blanks around it: YYYY-MM-DD; after it T or a blank, HH:MM, :SS, a fraction of the
   second, and Z or an offset as +02:00, +0200 or +02; all but the date may be missing. Without an offset it is UTC.
   DATE_READ: *seconds are since 1970-01-01 UTC. Zeros are no part of a second; there are no leap seconds. */
enum date date_read(const char *text, size_t length, int64_t *seconds);

#endif
