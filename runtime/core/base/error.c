/* error.c: error messages. All have one form:

     OP: 'ARGUMENT' FACT with value and position, RULE with the numbers
       NAME  DTYPE[SIZES] DEVICE      (a line per tensor argument)
       text  EXPRESSION               (of an operation in one, with a mark below)
       hint  WHAT TO DO

   Messages longer than the fixed buffer are truncated. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "number.h"
#include "tensor.h"
#include "utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_WIDTH = 4 }; /* of the names beside "text" and "hint" */

const char *text_of_sizes(int rank, const int64_t *sizes, char *text) {
  int length = sprintf(text, "[");
  for (int d = 0; d < rank; d++) length += sprintf(text + length, d ? ", %" PRId64 : "%" PRId64, sizes[d]);
  return strcpy(text + length, "]"), text;
}

/* Replaces the locale's decimal separator by a point. */
static void set_point(char *text) {
  char *to = text;
  for (const char *from = text; *from; from++) {
    bool is_known = strchr("+-0123456789einfa", *from) != NULL; /* all else is a separator, of one byte or more */
    if (is_known)
      *to++ = *from;
    else if (to == text || to[-1] != '.')
      *to++ = '.';
  }
  *to = '\0';
}

char *strew_format_float(char *text, size_t size_bytes, const char *format, int precision, double value) {
  struct float_mode host_mode;
  float_mode_enter(&host_mode);
  snprintf(text, size_bytes, format, precision, value);
  float_mode_leave(&host_mode);
  set_point(text);
  return text;
}

const char *strew_scalar_text(strew_scalar scalar, strew_dtype dtype, char *text) {
  if (scalar.dtype == STREW_BOOL) return strcpy(text, scalar.as.i ? "true" : "false");
  if (scalar.dtype == STREW_TIME && HAS_TEXT) return text_ops.show_time(scalar.as.i, text);
  const bool is_float = scalar.dtype == STREW_FLOAT64;
  union element element = {.i64 = scalar.as.i};
  struct float_mode host_mode;
  float_mode_enter(&host_mode);
  if (is_float) dtype_saturate(scalar, dtype, element.bytes);
  write_number(is_float ? dtype : scalar.dtype == STREW_UINT64 ? STREW_UINT64 : STREW_INT64, element.bytes, text);
  float_mode_leave(&host_mode);
  return text;
}

const char *text_of_scalar(strew_scalar scalar, char *text) { return strew_scalar_text(scalar, STREW_FLOAT64, text); }

/* True at a control character: C0, DEL, and C1, U+0080..U+009F, of which U+009B begins an escape sequence; and at those
   that break or reorder a line: U+061C, U+200E, U+200F, U+2028..U+202E, U+2066..U+2069. */
static bool is_control(const unsigned char *at) {
  if (at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c)) return true;
  if (at[0] != 0xe2 || (at[1] & 0xfe) != 0x80) return false;
  return at[1] == 0x80 ? at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae)
                       : at[2] >= 0xa6 && at[2] <= 0xa9;
}

char *strew_printable(char *text) {
  char *to = text;
  for (const unsigned char *from = (unsigned char *)text; *from;) {
    int length = utf8_length(from);
    if (length && !is_control(from))
      memmove(to, from, (size_t)length), to += length;
    else
      *to++ = '?';
    from += length ? length : 1;
  }
  *to = '\0';
  return text;
}

const char *text_of_name(const char *name, char *text) {
  enum { LONGEST = 240 };
  size_t length = strlen(name);
  const char *from = length > LONGEST ? name + length - LONGEST : name;
  while (from > name && (*from & 0xc0) == 0x80) from++; /* starts with a whole UTF-8 character */
  sprintf(text, "%s%s", from > name ? "..." : "", from);
  return strew_printable(text);
}

/* ----------------------------------------------------------------------------------------------- parts of a message */

/* Ends the message with a part that begins at byte `at`. Returns where it ends. */
static uint16_t put_list(strew_error *error, size_t at, const char *format, va_list arguments) {
  const size_t length = strnlen(error->message, sizeof error->message - 1);
  if (at > length) at = length; /* a host wrote the message */
  vsnprintf(error->message + at, sizeof error->message - at, format, arguments);
  return (uint16_t)(at + strlen(error->message + at));
}

static uint16_t put(strew_error *error, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static uint16_t put(strew_error *error, size_t at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const uint16_t end = put_list(error, at, format, arguments);
  va_end(arguments);
  return end;
}

/* "OP: 'ARGUMENT' FACT"; has_lines: the fact's line ends stay. */
static void set(strew_error *error, const char *op, struct fault fault, const char *format, va_list arguments) {
  enum { MOST_FACT = sizeof error->message - 128 }; /* where it ends, so that some of the hint has room */
  const char *alias = error->alias;
  *error = (strew_error){
      .alias = alias, .op = alias ? alias : op, .code = fault.code, .argument = fault.argument, .position_rank = -1};
  error->fact_at = put(error, 0, "%.60s: ", error->op);
  if (fault.argument) error->fact_at = put(error, error->fact_at, "'%.60s' ", fault.argument);
  error->hint_at = put_list(error, error->fact_at, format, arguments);
  if (error->hint_at > MOST_FACT) error->hint_at = put(error, MOST_FACT, "%s", "");
  char *fact = error->message + error->fact_at;
  if (!fault.has_lines) error->hint_at = (uint16_t)(error->fact_at + strlen(strew_printable(fact)));
  error->lines_at = error->mark_at = error->hint_at;
}

strew_status strew_error_set(strew_error *error, strew_status code, const char *argument, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  set(error, error->alias ? "" : error->op, FAULT(code, argument), format, arguments);
  va_end(arguments);
  return code;
}

void strew_error_line(strew_error *error, const char *name, const char *line) {
  error->mark_at = error->hint_at = put(error, error->hint_at, "\n  %-*s  %s", error->name_width, name, line);
}

const char *hint_of(const struct call *call, const char *format, ...) {
  strew_error *error = call->error;
  if (!error) return "";
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(error->hint, sizeof error->hint, format, arguments) >= (int)sizeof error->hint)
    strcpy(error->hint + sizeof error->hint - sizeof "...", "...");
  va_end(arguments);
  return error->hint;
}

void strew_error_hint(strew_error *error, const char *hint) {
  if (hint != error->hint) hint_of(&(const struct call){.error = error}, "%s", hint);
  if (error->name_width < LEAST_WIDTH && *hint) error->name_width = LEAST_WIDTH;
  const uint16_t at = put(error, error->hint_at, "%s", *hint ? "\n  " : "");
  if (*hint) put(error, at, "%-*s  %s", error->name_width, "hint", strew_printable(error->hint));
}

/* A line for each operand. */
static void add_operands(strew_error *error, const struct call *call, int width) {
  char sizes[TEXT_BYTES], text[TEXT_BYTES];
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const int length = (int)strlen(call->operands[i].name);
    if (call->operands[i].tensor && !(call->operands[i].use & UNSEEN) && length > width) width = length;
  }
  error->name_width = (uint16_t)width;
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor || !tensor->storage || call->operands[i].use & UNSEEN) continue;
    const strew_dtype dtype = call->operands[i].use & IDS ? STREW_INT64 : tensor->dtype;
    snprintf(text, sizeof text, "%s%s %s", strew_dtype_name(dtype), text_of_sizes(tensor->rank, tensor->sizes, sizes),
             tensor->storage->device->name);
    strew_error_line(error, call->operands[i].name, text);
  }
}

/* Returns the byte after the character at `at`; one that is not UTF-8 is a byte. */
static const char *after_character(const char *at) {
  const int length = utf8_length((const unsigned char *)at);
  return at + (length ? length : 1);
}

/* Columns of a part of a line: each character takes one. */
static int columns(const char *from, const char *to) {
  int count = 0;
  for (; from < to; from = after_character(from)) count++;
  return count;
}

/* The line of the text with the place, or a part of it around that, and marks below. */
void error_mark(strew_error *error, const struct place *place, const char *hint) {
  enum { MOST = 70, BEFORE = 40 };
  char shown[4 * MOST + 1];
  static const char marks[] =
      "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^";
  const char *at = place->text + place->at, *from = at, *end = at + strcspn(at, "\r\n"), *to;
  while (from > place->text && !strchr("\r\n", from[-1])) from--;
  int cut = columns(from, end) > MOST ? columns(from, at) - BEFORE : 0;
  const char *dots = cut > 0 ? "..." : "";
  for (; cut > 0; cut--) from = after_character(from);
  to = from;
  for (int i = 0; i < MOST && to < end; i++) to = after_character(to);
  memcpy(shown, from, (size_t)(to - from));
  shown[to - from] = '\0';
  for (char *tab = shown; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  const char *last = place->length < to - at ? at + place->length : to;
  if (error->name_width < LEAST_WIDTH) error->name_width = LEAST_WIDTH;
  const int width = error->name_width;
  error->hint_at = put(error, error->mark_at, "\n  %-*s  %s%s%s\n  %*s  %*s%.*s", width, "text", dots,
                       strew_printable(shown), to < end ? "..." : "", width, "", (int)strlen(dots) + columns(from, at),
                       "", last > at ? columns(at, last) : 1, marks);
  strew_error_hint(error, hint);
}

/* The lines of the call, and the hint. */
static void add_tail(strew_error *error, const struct call *call, const char *hint) {
  add_operands(error, call, *hint || call->place ? LEAST_WIDTH : 0);
  if (call->place)
    error_mark(error, call->place, hint);
  else
    strew_error_hint(error, hint);
}

strew_status(fail)(const struct call *call, struct fault fault, const char *format, ...) {
  strew_error *error = call->error;
  char hint[sizeof error->hint] = "";
  if (!error) return fault.code;
  if (fault.hint) memcpy(hint, fault.hint == error->hint ? error->hint : hint_of(call, "%s", fault.hint), sizeof hint);
  va_list arguments;
  va_start(arguments, format);
  set(error, call->op, fault, format, arguments);
  va_end(arguments);
  if (fault.value) {
    error->has_value = true;
    error->value = *fault.value;
  }
  if (fault.position) {
    error->position_rank = fault.position_rank;
    memcpy(error->position, fault.position, (size_t)fault.position_rank * sizeof *fault.position);
  }
  add_tail(error, call, hint);
  return fault.code;
}

strew_status(fail_unknown)(const struct call *call, const char *argument, int value, int last) {
  return fail(call, FAULT(STREW_EARGUMENT, argument), "is %d, valid 0..%d", value, last);
}

#define HINT "a tensor is used after its last strew_release: retain it to keep it"
bool call_is_alive(const struct call *call) {
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor || tensor->storage) continue;
    return fail(call, HINTED(STREW_EFREED, call->operands[i].name, HINT), "was released"), false;
  }
  return true;
}

strew_status check_alive(const struct call *call, const char *name, int64_t i, const strew_tensor *tensor) {
  if (!IS_DEBUG || tensor->storage) return STREW_OK;
  return fail(call, HINTED(STREW_EFREED, name, HINT), "has a tensor at [%" PRId64 "] that was released", i + 1);
}

static strew_status fail_numbers(const struct call *call, const char *name, strew_dtype dtype) {
  const char *hint = NULL; /* codes of texts mean nothing: they are in no order, and belong to a list */
  if (!strcmp(name, "index"))
    return fail(call, FAULT(STREW_EDTYPE, name), "is %s, expected an integer dtype", strew_dtype_name(dtype));
  if (dtype != STREW_TEXT)
    hint = hint_of(call, "strew_to(%s, %s) gives its numbers", name, strew_dtype_name(dtype_stored(dtype)));
  return fail(call, HINTED(STREW_EDTYPE, name, hint), "is %s, %s takes numbers", strew_dtype_name(dtype),
              alias_of(call->error, call->op));
}

strew_status check_is_number(const struct call *call, const char *name, const strew_tensor *tensor) {
  return dtype_is_number(tensor->dtype) ? STREW_OK : fail_numbers(call, name, tensor->dtype);
}

strew_status check_kind(const struct call *call, const char *name, strew_dtype dtype, const char *first,
                        strew_dtype expected) {
  if (dtype == expected || (dtype_is_number(dtype) && dtype_is_number(expected))) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, name), "is %s, %s is %s: they do not mix", strew_dtype_name(dtype), first,
              strew_dtype_name(expected));
}

strew_status call_check(struct call *call) {
  int first = -1;
  bool has_text = false;
  for (int i = 0; i < MAX_OPERANDS; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor || !tensor->storage) continue;
    const char *name = call->operands[i].name;
    has_text |= tensor->dtype == STREW_TEXT && !(call->operands[i].use & (RESULT | OWN_LIST));
    if (call->operands[i].use & (ORDERED | RESULT | OWN_LIST)) {
      /* the call checks it */
    } else if (!(call->operands[i].use & MOVED))
      RETURN_IF_FAILED(check_is_number(call, name, tensor));
    else if (first < 0)
      first = i;
    else
      RETURN_IF_FAILED(
          check_kind(call, name, tensor->dtype, call->operands[first].name, call->operands[first].tensor->dtype));
    if (!(call->operands[i].use & READ_ONCE)) RETURN_IF_FAILED(operand_store(call, tensor));
  }
  return has_text ? text_ops.meet(call) : STREW_OK;
}

strew_status check_listed(const struct call *call, const char *name, int64_t i, const strew_tensor *tensor, int use) {
  RETURN_IF_FAILED(check_alive(call, name, i, tensor));
  if (!(use & MOVED)) RETURN_IF_FAILED(check_is_number(call, name, tensor));
  return operand_store(call, tensor);
}

strew_status check_reserved(const struct call *call, const uint64_t *reserved, size_t size_bytes) {
  const char *hint = "start with all zeros; members of a later strew.h need a later library";
  for (size_t i = 0; i < size_bytes / sizeof *reserved; i++)
    if (reserved[i])
      return fail(call, HINTED(STREW_EARGUMENT, "options", hint),
                  "has reserved bytes that are not zero: strew " STREW_VERSION " knows no such option");
  return STREW_OK;
}

/* True if the steps of a call had keys in place of its operands. */
static bool has_keys(const struct call *call) {
  for (int i = 0; i < MAX_OPERANDS; i++) {
    const strew_tensor *tensor = call->operands[i].use & ORDERED ? call->operands[i].tensor : NULL;
    if (tensor && tensor->storage && !dtype_is_number(tensor->dtype)) return true;
  }
  return false;
}

strew_status report_call(const struct call *call, strew_status status, const strew_error *inner, strew_error *error) {
  const char *alias = error ? error->alias : NULL;
  if (status == STREW_OK || !error) return status;
  *error = *inner;
  error->alias = alias;
  if (!is_stopped(status) && status != STREW_EMEMORY && !has_keys(call)) return status;
  error->mark_at = error->hint_at = error->lines_at; /* without the lines of the inner call */
  add_tail(error, call, error->hint);
  return status;
}

/* -------------------------------------------------------------------------------------------------- nearest names */

enum { LONGEST_NAME = 40 };

static int smaller(int a, int b) { return a < b ? a : b; }

static bool same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Returns the Damerau-Levenshtein distance of two names (optimal string alignment): the number of insertions,
   deletions, substitutions and swaps of neighbours. Case is ignored. */
static int distance(const char *a, int a_length, const char *b, int b_length) {
  int distances[LONGEST_NAME + 1][LONGEST_NAME + 1]; /* [i][j]: from the first i letters of a to the first j of b */
  for (int i = 0; i <= a_length; i++) distances[i][0] = i;
  for (int j = 0; j <= b_length; j++) distances[0][j] = j;
  for (int i = 1; i <= a_length; i++) {
    for (int j = 1; j <= b_length; j++) {
      int substituted = distances[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
      int least = smaller(substituted, smaller(distances[i - 1][j], distances[i][j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      distances[i][j] = swapped ? smaller(least, distances[i - 2][j - 2] + 1) : least;
    }
  }
  return distances[a_length][b_length];
}

/* The largest distance of a guess. More would be another word: "median" is not a misspelt "mean". */
static int max_distance(int length) { return length < 3 ? 0 : length < 8 ? 1 : 2; }

void strew_guess_name(strew_guess *guess, const char *name) {
  size_t wanted_length = guess->wanted ? strnlen(guess->wanted, LONGEST_NAME + 1) : 0, length = strlen(name);
  if (wanted_length == 0 || wanted_length > LONGEST_NAME || length > LONGEST_NAME) return;
  int limit = guess->nearest ? guess->distance : max_distance((int)wanted_length);
  int apart = distance(guess->wanted, (int)wanted_length, name, (int)length);
  if (wanted_length == length + 1 && guess->wanted[length] == '_' && !memcmp(guess->wanted, name, length))
    apart = 0; /* the same, not in place */
  if (apart > limit || (guess->nearest && apart == limit && strcmp(name, guess->nearest) >= 0)) return;
  guess->nearest = name;
  guess->distance = apart;
}

const char *hint_of_guess(const struct call *call, const strew_guess *guess) {
  return guess->nearest ? hint_of(call, "did you mean '%s'?", guess->nearest) : NULL;
}
