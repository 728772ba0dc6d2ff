/* error.c: error messages. All have one form:

     OP: 'ARGUMENT' FACT with value and position, RULE with the numbers
       NAME  DTYPE[SIZES] DEVICE      (a line per tensor argument)
       hint  WHAT TO DO

   Messages longer than the fixed buffer are truncated. */
#include "context.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const status_names[] = {
    [STREW_OK] = "ok",
    [STREW_EARGUMENT] = "argument",
    [STREW_EDTYPE] = "dtype",
    [STREW_ESHAPE] = "shape",
    [STREW_EINDEX] = "index",
    [STREW_EVALUE] = "value",
    [STREW_EOVERLAP] = "overlap",
    [STREW_EDEVICE] = "device",
    [STREW_EMEMORY] = "memory",
    [STREW_EFREED] = "freed",
    [STREW_EINTERRUPTED] = "interrupted",
    [STREW_ETIME] = "time",
    [STREW_EFILE] = "file",
};

const char *strew_status_name(strew_status status) {
  return (size_t)status < sizeof status_names / sizeof *status_names ? status_names[status] : NULL;
}

/* Appends to a buffer of fixed size. */
struct text {
  char *at, *end;
};

static void append_list(struct text *text, const char *format, va_list arguments) {
  if (text->at == text->end) return;
  size_t rest = (size_t)(text->end - text->at);
  int length = vsnprintf(text->at, rest, format, arguments);
  if (length > 0) text->at += (size_t)length < rest ? (size_t)length : rest - 1;
}

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append_list(text, format, arguments);
  va_end(arguments);
}

const char *text_of_sizes(int rank, const int64_t *sizes, char *text) {
  struct text out = {text, text + TEXT_BYTES};
  append(&out, "[");
  for (int d = 0; d < rank; d++) append(&out, d ? ", %" PRId64 : "%" PRId64, sizes[d]);
  append(&out, "]");
  return text;
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

/* Writes floats as Lua does: 14 digits, and ".0" appended to whole numbers. */
const char *text_of_scalar(strew_scalar scalar, char *text) {
  if (scalar.dtype == STREW_BOOL) {
    snprintf(text, TEXT_BYTES, "%s", scalar.as.i ? "true" : "false");
  } else if (scalar.dtype == STREW_INT64) {
    snprintf(text, TEXT_BYTES, "%" PRId64, scalar.as.i);
  } else {
    strew_format_float(text, TEXT_BYTES, "%.*g", 14, isnan(scalar.as.f) ? (double)NAN : scalar.as.f); /* no -nan */
    if (!text[strspn(text, "-0123456789")]) strcat(text, ".0");
  }
  return text;
}

/* True at a C1 control character, U+0080..U+009F in UTF-8. U+009B begins an escape sequence. */
static bool is_c1_control(const char *at) { return *at == '\xc2' && ((unsigned char)at[1] & 0xe0) == 0x80; }

const char *text_of_name(const char *name, char *text) {
  enum { LONGEST = 240 };
  size_t length = strlen(name);
  const char *from = length > LONGEST ? name + length - LONGEST : name;
  while (from > name && (*from & 0xc0) == 0x80) from++; /* starts with a whole UTF-8 character */
  char *to = text + sprintf(text, "%s", from > name ? "..." : "");
  for (; *from; from++) {
    bool is_c1 = is_c1_control(from);
    *to++ = (char)(is_c1 || (unsigned char)*from < ' ' || *from == 0x7f ? '?' : *from);
    from += is_c1;
  }
  *to = '\0';
  return text;
}

/* Width of the column of names; "hint" counts as one. */
static int width_of_names(const struct call *call, bool with_hint) {
  int width = with_hint ? 4 : 0;
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    int length = (int)strlen(call->operands[i].name);
    if (call->operands[i].tensor && length > width) width = length;
  }
  return width;
}

static void append_operands(struct text *text, const struct call *call, int width) {
  char sizes[TEXT_BYTES];
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor) continue;
    append(text, "\n  %-*s  %s%s %s", width, call->operands[i].name, strew_dtype_name(tensor->dtype),
           text_of_sizes(tensor->rank, tensor->sizes, sizes), tensor->storage->device->name);
  }
}

/* A line for each operand, and one for the hint unless it is empty. */
static void append_tail(struct text *text, const struct call *call, const char *hint) {
  const int width = width_of_names(call, *hint != '\0');
  append_operands(text, call, width);
  if (*hint) append(text, "\n  %-*s  %s", width, "hint", hint);
}

strew_status(fail)(const struct call *call, struct fault fault, const char *format, ...) {
  strew_error *error = call->error;
  if (!error) return fault.code;
  const char *alias = error->alias, *op = alias ? alias : call->op;
  *error = (strew_error){.alias = alias, .op = op, .code = fault.code, .argument = fault.argument, .position_rank = -1};
  if (fault.value) {
    error->has_value = true;
    error->value = *fault.value;
  }
  if (fault.position) {
    error->position_rank = fault.position_rank;
    memcpy(error->position, fault.position, (size_t)fault.position_rank * sizeof *fault.position);
  }
  if (fault.hint) snprintf(error->hint, sizeof error->hint, "%s", fault.hint);

  struct text text = {error->message, error->message + sizeof error->message};
  append(&text, "%s: ", op);
  if (fault.argument) append(&text, "'%s' ", fault.argument);
  va_list arguments;
  va_start(arguments, format);
  append_list(&text, format, arguments);
  va_end(arguments);
  append_tail(&text, call, error->hint);
  return fault.code;
}

strew_status(fail_unknown)(const struct call *call, const char *argument, int value, int last) {
  return fail(call, (struct fault){.code = STREW_EARGUMENT, .argument = argument}, "is %d, valid 0..%d", value, last);
}

strew_status check_reserved(const struct call *call, const uint64_t *reserved, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes / sizeof *reserved; i++)
    if (reserved[i])
      return fail(call,
                  (struct fault){.code = STREW_EARGUMENT,
                                 .argument = "options",
                                 .hint = "start with all zeros; members of a later strew.h need a later library"},
                  "has reserved bytes that are not zero: strew " STREW_VERSION " knows no such option");
  return STREW_OK;
}

strew_status report_call(const struct call *call, strew_status status, const strew_error *inner, strew_error *error) {
  const char *alias = error ? error->alias : NULL;
  if (status == STREW_OK || !error) return status;
  *error = *inner;
  error->alias = alias;
  if (status != STREW_EINTERRUPTED && status != STREW_ETIME && status != STREW_EMEMORY) return status;
  struct text text = {error->message + strcspn(error->message, "\n"), error->message + sizeof error->message};
  append_tail(&text, call, error->hint);
  return status;
}
