/* arrow_import.c: tables from Arrow's arrays. Numbers, dates and times without missing elements are used in place, as
   read-only tensors that keep the array; bools, decimals, text and columns with missing elements are new tensors. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "arrow.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/number.h"
#include "runtime/text_time/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array that tensors share. */
struct shared_array {
  strew_context *context;
  struct ArrowArray array;
  int64_t references;
  bool is_owned; /* the import succeeded: the array is not the caller's */
};

static void shared_array_release(void *user) {
  struct shared_array *shared = user;
  if (--shared->references) return;
  if (shared->is_owned) shared->array.release(&shared->array);
  memory_free(shared->context, shared, sizeof *shared);
}

/* True if bytes from offset to end can be counted. */
static bool is_countable(const struct ArrowArray *array) {
  const int64_t most = INT64_MAX / 64;
  return array->length >= 0 && array->length <= most && array->offset >= 0 && array->offset <= most;
}

/* A column: `count` elements from element `at` on. */
struct column {
  const struct call *call;
  strew_device *device;
  const char *argument, *name;
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  int64_t at, count;
};

static strew_status fail_column(const struct column *c, strew_status code, const char *hint, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
static strew_status fail_column(const struct column *c, strew_status code, const char *hint, const char *format, ...) {
  char name[TEXT_BYTES], reason[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return fail(c->call, HINTED(code, c->argument, hint), "has a column \"%s\" %s", text_of_name(c->name, name), reason);
}

strew_status arrow_check(const struct call *call, const strew_device *device, int64_t i) {
  return i % 65536 ? STREW_OK : context_check(call, device->context);
}

/* ------------------------------------------------------------------------------------------------------- formats */

enum kind { NUMBERS, DECIMALS, TIMES, BITS, MISSING, TEXT, LARGE_TEXT, TEXT_VIEWS };

/* Formats, of which all or, for times of some zone and decimals, the beginning is given. */
static const struct {
  const char *format;
  enum kind kind;
  strew_dtype dtype;
  bool is_begin;
} formats[] = {
    {"c", NUMBERS, STREW_INT8, false},     {"C", NUMBERS, STREW_UINT8, false},   {"s", NUMBERS, STREW_INT16, false},
    {"S", NUMBERS, STREW_UINT16, false},   {"i", NUMBERS, STREW_INT32, false},   {"I", NUMBERS, STREW_UINT32, false},
    {"l", NUMBERS, STREW_INT64, false},    {"L", NUMBERS, STREW_UINT64, false},  {"e", NUMBERS, STREW_FLOAT16, false},
    {"f", NUMBERS, STREW_FLOAT32, false},  {"g", NUMBERS, STREW_FLOAT64, false}, {"tdD", TIMES, STREW_TIME, false},
    {"tdm", TIMES, STREW_TIME, false},     {"tts", NUMBERS, STREW_INT32, false}, {"ttm", NUMBERS, STREW_INT32, false},
    {"ttu", NUMBERS, STREW_INT64, false},  {"ttn", NUMBERS, STREW_INT64, false}, {"tss:", TIMES, STREW_TIME, true},
    {"tsm:", TIMES, STREW_TIME, true},     {"tsu:", TIMES, STREW_TIME, true},    {"tsn:", TIMES, STREW_TIME, true},
    {"tDs", NUMBERS, STREW_INT64, false},  {"tDm", NUMBERS, STREW_INT64, false}, {"tDu", NUMBERS, STREW_INT64, false},
    {"tDn", NUMBERS, STREW_INT64, false},  {"b", BITS, STREW_BOOL, false},       {"n", MISSING, STREW_FLOAT64, false},
    {"u", TEXT, STREW_TEXT, false},        {"U", LARGE_TEXT, STREW_TEXT, false}, {"vu", TEXT_VIEWS, STREW_TEXT, false},
    {"d:", DECIMALS, STREW_FLOAT64, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Decimals: integers of `bytes` bytes, in units of 10^-scale. */
struct decimals {
  int bytes, scale;
};

/* What "d:" begins: precision, scale and, unless it is 128, the number of bits. */
static bool read_decimals(const char *format, struct decimals *out) {
  enum { MOST_DIGITS = 76, MOST_SCALE = 9999 };
  long parts[3] = {0, 0, 128};
  const char *at = format + 2;
  char *end = NULL;
  for (int i = 0; i < 3; i++, at = end + 1) {
    parts[i] = strtol(at, &end, 10);
    if (end == at || (*end && *end != ',') || (!*end && i == 0) || (*end && i == 2)) return false;
    if (!*end) break;
  }
  *out = (struct decimals){(int)(parts[2] / 8), (int)parts[1]};
  const bool is_size = parts[2] == 32 || parts[2] == 64 || parts[2] == 128 || parts[2] == 256;
  return is_size && parts[0] > 0 && parts[0] <= MOST_DIGITS && parts[1] >= -MOST_SCALE && parts[1] <= MOST_SCALE;
}

static strew_status find_format(const struct column *c, const struct ArrowSchema *schema, int *out) {
  char text[TEXT_BYTES];
  const char *format = schema->format ? schema->format : "";
  for (int i = 0; i < FORMATS; i++) {
    const size_t length = strlen(formats[i].format) + !formats[i].is_begin;
    if (strncmp(format, formats[i].format, length) != 0) continue;
    if (formats[i].kind != DECIMALS || read_decimals(format, &(struct decimals){0})) return *out = i, STREW_OK;
  }
  return fail_column(c, STREW_EDTYPE, NULL, "of Arrow's format \"%s\", expected numbers, bools, times or text",
                     text_of_name(format, text));
}

/* The formats of a column and, if it has one, of its dictionary, which is of text. */
static strew_status find_formats(const struct column *c, int *out, int *of_words) {
  RETURN_IF_FAILED(find_format(c, c->schema, out));
  if (!c->schema->dictionary) return STREW_OK;
  RETURN_IF_FAILED(find_format(c, c->schema->dictionary, of_words));
  if (formats[*of_words].kind >= TEXT && formats[*out].kind == NUMBERS && !dtype_is_float(formats[*out].dtype))
    return STREW_OK;
  char text[TEXT_BYTES];
  return fail_column(c, STREW_EDTYPE, NULL, "with a dictionary of format \"%s\", expected one of text",
                     text_of_name(c->schema->dictionary->format, text));
}

/* Fails unless the array has the buffers of the format. */
static strew_status check_buffers(const struct column *c, const struct ArrowArray *array, int format) {
  static const int64_t expected[] = {[NUMBERS] = 2, [DECIMALS] = 2, [TIMES] = 2,      [BITS] = 2,
                                     [MISSING] = 0, [TEXT] = 3,     [LARGE_TEXT] = 3, [TEXT_VIEWS] = 3};
  const enum kind kind = formats[format].kind;
  const int64_t count = array->n_buffers;
  if (count < expected[kind] || (kind != TEXT_VIEWS && count > expected[kind] && kind != MISSING))
    return fail_column(c, STREW_EARGUMENT, NULL, "of format \"%s\" with %" PRId64 " buffers, expected %" PRId64,
                       formats[format].format, count, expected[kind]);
  if (kind == MISSING) return STREW_OK;
  if (!array->buffers || (array->length && !array->buffers[1]))
    return fail_column(c, STREW_EARGUMENT, NULL, "without its buffer 1");
  if (kind == TEXT_VIEWS && array->length && count > 3 && !array->buffers[count - 1])
    return fail_column(c, STREW_EARGUMENT, NULL, "without its last buffer");
  return STREW_OK;
}

static bool bit_at(const void *bits, int64_t i) { return ((const unsigned char *)bits)[i / 8] >> (i % 8) & 1; }

/* *present: the bits of missing elements; NULL: none is missing. */
static strew_status find_missing(const struct column *c, const void **present) {
  const struct ArrowArray *array = c->array;
  const void *bits = array->null_count && array->n_buffers > 0 && array->buffers ? array->buffers[0] : NULL;
  *present = NULL;
  for (int64_t i = 0; bits && i < c->count && !*present; i++) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    if (!bit_at(bits, c->at + i)) *present = bits;
  }
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- numbers */

static strew_status make_column(const struct column *c, strew_dtype dtype, strew_tensor **out) {
  return tensor_create(c->call, c->device, dtype, 1, &c->count, out);
}

static strew_status wrap_numbers(const struct column *c, strew_dtype dtype, struct shared_array *shared,
                                 strew_tensor **out) {
  const size_t element = dtype_bytes(dtype);
  const char *data = c->array->buffers[1];
  const struct storage memory = {.data = data ? (void *)(uintptr_t)(data + (size_t)c->at * element) : NULL,
                                 .size_bytes = (size_t)c->count * element,
                                 .constant = true,
                                 .release = shared_array_release,
                                 .user = shared};
  if ((uintptr_t)data % element) { /* rare: a copy is aligned */
    RETURN_IF_FAILED(make_column(c, dtype, out));
    if (c->count) memcpy(dense_at(*out, 0), data + (size_t)c->at * element, (size_t)c->count * element);
    return STREW_OK;
  }
  RETURN_IF_FAILED(tensor_wrap(c->call, c->device, dtype, 1, &c->count, NULL, &memory, out));
  return shared->references++, STREW_OK;
}

/* The element as a number; of BITS, true or false. */
static strew_scalar number_at(const struct column *c, int format, int64_t i) {
  const strew_dtype dtype = formats[format].dtype;
  const char *data = c->array->buffers[1];
  union element element = {{0}};
  if (formats[format].kind == BITS) return strew_bool(bit_at(data, c->at + i));
  memcpy(element.bytes, data + (size_t)(c->at + i) * dtype_bytes(dtype), dtype_bytes(dtype));
  return strew_scalar_load(dtype, element.bytes);
}

/* True if float64 holds the integer. */
static bool is_exact(strew_scalar number) {
  const uint64_t whole = (uint64_t)number.as.i;
  if (number.dtype == STREW_UINT64) return (double)whole < 0x1p64 && (uint64_t)(double)whole == whole;
  return (double)number.as.i < 0x1p63 && (int64_t)(double)number.as.i == number.as.i;
}

static strew_status fail_inexact(const struct column *c, strew_scalar number, int64_t i) {
  char text[TEXT_BYTES];
  return fail_column(c, STREW_EVALUE, "fill the missing elements first",
                     "with missing elements and %s at row %" PRId64 ", which float64 does not hold",
                     text_of_scalar(number, text), i);
}

/* Numbers of which some are missing: floats keep their dtype; others become float64, if it holds them. present NULL: those
   of an earlier array were missing. */
static strew_status fill_numbers(const struct column *c, int format, const void *present, strew_tensor *to) {
  char *place = dense_at(to, 0);
  for (int64_t i = 0; i < c->count; i++, place += dtype_bytes(to->dtype)) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    const bool is_missing = present && !bit_at(present, c->at + i);
    const strew_scalar number = is_missing ? strew_float(NAN) : number_at(c, format, i);
    union element element;
    RETURN_IF_FAILED(element_from(c->call, c->argument, number, STREW_SATURATE, to->dtype, &element));
    memcpy(place, element.bytes, dtype_bytes(to->dtype));
    if (number.dtype == STREW_FLOAT64 || is_exact(number)) continue;
    return fail_inexact(c, number, i);
  }
  return STREW_OK;
}

/* The dtype of a column in which elements are missing or not: that of the first array with rows. dtype: this array's, if
   none is missing. */
static strew_status decide_dtype(const struct column *c, strew_dtype dtype, bool has_missing, struct arrow_known *known,
                                 strew_dtype *out) {
  *out = has_missing && !dtype_is_float(dtype) ? STREW_FLOAT64 : dtype;
  if (!known->has_dtype)
    known->dtype = *out, known->has_dtype = c->count;
  else if (*out != known->dtype && *out == STREW_FLOAT64)
    return fail_column(c, STREW_EVALUE,
                       has_missing ? "let the producer fill the missing elements, or convert the column to float64"
                                   : "let the producer convert the column to float64",
                       "with %s, which earlier arrays of the stream did not have: it is %s",
                       has_missing ? "missing elements" : "integers beyond int64", strew_dtype_name(known->dtype));
  return *out = known->dtype, STREW_OK;
}

static strew_status import_numbers(const struct column *c, int format, struct shared_array *shared,
                                   struct arrow_known *known, strew_tensor **out) {
  const enum kind kind = formats[format].kind;
  const void *present = NULL;
  strew_dtype dtype;
  if (kind != MISSING) RETURN_IF_FAILED(find_missing(c, &present));
  RETURN_IF_FAILED(decide_dtype(c, formats[format].dtype, present, known, &dtype));
  const bool fills = present || dtype != formats[format].dtype;
  if (kind == NUMBERS && !fills) return wrap_numbers(c, dtype, shared, out);
  RETURN_IF_FAILED(make_column(c, dtype, out));
  if (fills) return fill_numbers(c, format, present, *out);
  for (int64_t i = 0; i < c->count; i++) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    if (kind == BITS)
      ((bool *)dense_at(*out, 0))[i] = bit_at(c->array->buffers[1], c->at + i);
    else
      ((double *)dense_at(*out, 0))[i] = NAN;
  }
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- decimals */

enum { LIMBS = 4 };
/* (-1)^negative * the limbs, the lowest first. */
struct whole {
  uint64_t limbs[LIMBS];
  bool negative;
};

/* The integer of `bytes` bytes in this machine's order. */
static struct whole load_whole(const char *from, int bytes) {
  const int count = bytes < 8 ? 1 : bytes / 8;
  uint64_t parts[LIMBS] = {0};
  int32_t narrow;
  memcpy(&narrow, from, sizeof narrow);
  if (bytes < 8)
    parts[0] = (uint64_t)(int64_t)narrow;
  else
    memcpy(parts, from, (size_t)bytes);
  struct whole out = {.negative = parts[IS_LITTLE_ENDIAN ? count - 1 : 0] >> 63};
  bool carry = out.negative;
  for (int i = 0; i < count; i++) {
    const uint64_t part = parts[IS_LITTLE_ENDIAN ? i : count - 1 - i];
    out.limbs[i] = out.negative ? ~part + carry : part;
    carry = carry && !out.limbs[i];
  }
  return out;
}

static bool is_one_limb(const struct whole *whole) { return !(whole->limbs[1] | whole->limbs[2] | whole->limbs[3]); }

static bool fits_int64(const struct whole *whole) {
  return is_one_limb(whole) && whole->limbs[0] <= (uint64_t)INT64_MAX + whole->negative;
}

/* The double nearest to whole * 10^-scale. Its text has no point, and is the same in every locale. */
static double decimal_value(struct whole whole, int scale) {
  enum { MOST = 27, BILLION = 1000000000, DIGITS = 81, EXPONENT_BYTES = 16 };
  if (is_one_limb(&whole) && scale >= -MOST && scale <= MOST)
    return decimal_of_digits(whole.limbs[0], -scale, whole.negative);
  char text[DIGITS + EXPONENT_BYTES], *at = text + DIGITS;
  snprintf(at, EXPONENT_BYTES, "e%d", -scale);
  uint64_t more;
  do {
    uint64_t rest = more = 0;
    for (int i = 2 * LIMBS - 1; i >= 0; i--) { /* halves of limbs */
      const int shift = i % 2 * 32;
      const uint64_t part = rest << 32 | (whole.limbs[i / 2] >> shift & UINT32_MAX), quotient = part / BILLION;
      rest = part % BILLION;
      whole.limbs[i / 2] = (whole.limbs[i / 2] & ~((uint64_t)UINT32_MAX << shift)) | quotient << shift;
      more |= quotient;
    }
    for (int i = 0; i < 9; i++, rest /= 10) *--at = (char)('0' + rest % 10);
  } while (more);
  const double value = strtod(at, NULL);
  return whole.negative ? -value : value;
}

/* Integers that all fit are those of int64, by the rules of missing ones; other decimals are float64, rounded once. */
static strew_status import_decimals(const struct column *c, struct arrow_known *known, strew_tensor **out) {
  struct decimals of;
  const void *present;
  strew_dtype dtype;
  if (!read_decimals(c->schema->format, &of)) return fail_column(c, STREW_EDTYPE, NULL, "of an unknown format");
  RETURN_IF_FAILED(find_missing(c, &present));
  const char *const data = c->count ? (const char *)c->array->buffers[1] + (size_t)c->at * (size_t)of.bytes : NULL;
  bool fits = of.scale == 0;
  for (int64_t i = 0; i < c->count && fits; i++) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    if (present && !bit_at(present, c->at + i)) continue;
    const struct whole whole = load_whole(data + (size_t)i * (size_t)of.bytes, of.bytes);
    fits = fits_int64(&whole);
  }
  RETURN_IF_FAILED(decide_dtype(c, fits ? STREW_INT64 : STREW_FLOAT64, present, known, &dtype));
  known->is_rounded |= !fits;
  RETURN_IF_FAILED(make_column(c, dtype, out));
  for (int64_t i = 0; i < c->count; i++) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    if (present && !bit_at(present, c->at + i)) {
      ((double *)dense_at(*out, 0))[i] = NAN;
      continue;
    }
    const struct whole whole = load_whole(data + (size_t)i * (size_t)of.bytes, of.bytes);
    const strew_scalar number = strew_int((int64_t)(whole.negative ? 0 - whole.limbs[0] : whole.limbs[0]));
    if (dtype == STREW_INT64) {
      ((int64_t *)dense_at(*out, 0))[i] = number.as.i;
      continue;
    }
    if (!known->is_rounded && !is_exact(number)) return fail_inexact(c, number, i);
    const double value = decimal_value(whole, of.scale);
    if (isinf(value)) return fail_column(c, STREW_EVALUE, NULL, "with a decimal at row %" PRId64 " beyond float64", i);
    ((double *)dense_at(*out, 0))[i] = value;
  }
  return STREW_OK;
}

/* ----------------------------------------------------------------------------------------------------------- times */

static int64_t integer_at(const struct column *c, strew_dtype dtype, int64_t i) {
  const size_t bytes = dtype_bytes(dtype);
  union element element;
  memcpy(element.bytes, (const char *)c->array->buffers[1] + (size_t)(c->at + i) * bytes, bytes);
  return strew_scalar_load(dtype, element.bytes).as.i;
}

/* Times and dates: those in microseconds without missing ones are used in place. */
static strew_status import_times(const struct column *c, struct shared_array *shared, strew_tensor **out) {
  const char unit = c->schema->format[2]; /* D: days, in 32 bits */
  const int64_t factor = unit == 'D' ? 86400000000 : unit == 's' ? 1000000 : unit == 'm' ? 1000 : 1;
  const void *present;
  RETURN_IF_FAILED(find_missing(c, &present));
  if (unit == 'u' && !present) return wrap_numbers(c, STREW_TIME, shared, out);
  RETURN_IF_FAILED(make_column(c, STREW_TIME, out));
  int64_t *to = c->count ? dense_at(*out, 0) : NULL;
  for (int64_t i = 0; i < c->count; i++) {
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    to[i] = integer_at(c, unit == 'D' ? STREW_INT32 : STREW_INT64, i);
    if (present && !bit_at(present, c->at + i)) to[i] = INT64_MIN;
    if (to[i] == INT64_MIN) continue;
    const int64_t given = to[i];
    const bool is_held = unit == 'n' ? given % 1000 == 0 : !__builtin_mul_overflow(given, factor, &to[i]);
    if (unit == 'n') to[i] = given / 1000;
    if (!is_held || to[i] == INT64_MIN)
      return fail_column(c, STREW_EVALUE, "let the producer cast it to microseconds",
                         "with %" PRId64 " at row %" PRId64 ", which microseconds in int64 do not hold", given, i);
  }
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------------------ text */

/* Element i of an array of text; false: it is not in its buffers. */
static bool word_at(const struct ArrowArray *array, enum kind kind, int64_t i, const char **word, int64_t *length) {
  const void *const *buffers = array->buffers;
  int64_t begin, end;
  if (kind == TEXT_VIEWS) {
    int32_t view[4]; /* length, the first bytes, buffer, offset; or up to 12 bytes after the length */
    const char *at = (const char *)buffers[1] + 16 * i;
    memcpy(view, at, sizeof view);
    *length = view[0], *word = at + 4;
    if (*length <= 12) return *length >= 0;
    if (view[2] < 0 || view[2] >= array->n_buffers - 3 || !buffers[2 + view[2]] || view[3] < 0) return false;
    int64_t size;
    memcpy(&size, (const char *)buffers[array->n_buffers - 1] + 8 * (int64_t)view[2], sizeof size);
    *word = (const char *)buffers[2 + view[2]] + view[3];
    return view[3] <= size && *length <= size - view[3];
  }
  const char *at = (const char *)buffers[1] + i * (kind == LARGE_TEXT ? 8 : 4);
  if (kind == LARGE_TEXT) {
    memcpy(&begin, at, sizeof begin), memcpy(&end, at + sizeof end, sizeof end);
  } else {
    int32_t both[2];
    memcpy(both, at, sizeof both);
    begin = both[0], end = both[1];
  }
  if (begin < 0 || end < begin || (end > begin && !buffers[2])) return false;
  *length = end - begin;
  *word = *length ? (const char *)buffers[2] + begin : "";
  return true;
}

/* The code of element i, or of the empty word if it is missing. It is looked up unless it is the `guess`. */
static strew_status number_word(const struct column *c, const struct ArrowArray *array, enum kind kind, int64_t i,
                                struct words *words, int64_t guess, int64_t *code) {
  const bool is_missing = array->null_count && array->buffers[0] && !bit_at(array->buffers[0], i);
  const char *word = "";
  int64_t length = 0;
  if (!is_missing && !word_at(array, kind, i, &word, &length))
    return fail_column(c, STREW_EARGUMENT, NULL, "with an invalid offset of element %" PRId64, i);
  if (words_is(words, guess, word, (size_t)length)) return *code = guess, STREW_OK;
  if (memchr(word, 0, (size_t)length))
    return fail_column(c, STREW_EVALUE, NULL, "with a zero byte in element %" PRId64 ", which no word has", i);
  return words_number(c->call, c->device->context, words, word, (size_t)length, code);
}

/* The codes of a text. */
static strew_status import_text(const struct column *c, enum kind kind, struct words *words, strew_tensor **out) {
  RETURN_IF_FAILED(make_column(c, STREW_INT32, out));
  int32_t *codes = dense_at(*out, 0);
  for (int64_t i = 0; i < c->count; i++) {
    int64_t code;
    RETURN_IF_FAILED(arrow_check(c->call, c->device, i));
    RETURN_IF_FAILED(number_word(c, c->array, kind, c->at + i, words, -1, &code));
    codes[i] = (int32_t)code;
  }
  return STREW_OK;
}

/* Indices of a dictionary, whose words get codes first. Arrays of a stream often have the same one: the codes of its words
   follow one another. */
static strew_status import_dictionary(const struct column *c, int format, int of_words, struct words *words,
                                      strew_tensor **out) {
  const struct ArrowArray *dictionary = c->array->dictionary;
  const enum kind kind = formats[of_words].kind;
  if (!dictionary || !dictionary->release || !is_countable(dictionary))
    return fail_column(c, STREW_EARGUMENT, NULL, "without its dictionary");
  RETURN_IF_FAILED(check_buffers(c, dictionary, of_words));
  const void *present;
  RETURN_IF_FAILED(find_missing(c, &present));
  const uint64_t size_bytes = (uint64_t)(dictionary->length + 1) * sizeof(int64_t);
  strew_context *context = c->device->context;
  RETURN_IF_FAILED(make_column(c, STREW_INT32, out));
  ALLOCATE_NEW(int64_t *, codes, c->call, context, size_bytes);
  strew_status status = STREW_OK;
  char text[TEXT_BYTES];
  for (int64_t i = 0; i < dictionary->length && status == STREW_OK; i++) {
    status = arrow_check(c->call, c->device, i);
    TRY(status, number_word(c, dictionary, kind, dictionary->offset + i, words, i ? codes[i - 1] + 1 : 0, &codes[i]));
  }
  int64_t *const empty = &codes[dictionary->length];
  if (present) TRY(status, words_number(c->call, context, words, "", 0, empty));
  for (int64_t i = 0; i < c->count && TRY(status, arrow_check(c->call, c->device, i)) == STREW_OK; i++) {
    const bool is_missing = present && !bit_at(present, c->at + i);
    const strew_scalar index = is_missing ? strew_int(dictionary->length) : number_at(c, format, i);
    if (!is_missing && (index.dtype == STREW_UINT64 || index.as.i < 0 || index.as.i >= dictionary->length))
      status =
          fail_column(c, STREW_EINDEX, NULL, "with index %s at row %" PRId64 ", its dictionary has %" PRId64 " words",
                      text_of_scalar(index, text), i, dictionary->length);
    else
      ((int32_t *)dense_at(*out, 0))[i] = (int32_t)codes[index.as.i];
  }
  memory_free(context, codes, size_bytes);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- columns */

/* A column becomes an entry of the table. known NULL: there is one array. */
static strew_status import_column(const struct column *c, struct shared_array *shared, struct arrow_known *known,
                                  strew_table *table, bool is_bare) {
  strew_context *context = c->device->context;
  strew_tensor *tensor = NULL;
  struct arrow_known alone = {0}, *k = known ? known : &alone;
  int format, of_words = 0;
  if (!c->array->release || !is_countable(c->array) || c->count > c->array->length - (c->at - c->array->offset))
    return fail_column(c, STREW_EARGUMENT, NULL, "of %" PRId64 " elements from %" PRId64 " on, expected %" PRId64,
                       c->array->length, c->array->offset, c->count);
  RETURN_IF_FAILED(find_formats(c, &format, &of_words));
  RETURN_IF_FAILED(check_buffers(c, c->array, format));
  const bool has_words = c->schema->dictionary || formats[format].kind >= TEXT;
  strew_status status = has_words && !k->words ? shared_words_create(c->call, context, &k->words) : STREW_OK;
  if (status == STREW_OK)
    status = c->schema->dictionary              ? import_dictionary(c, format, of_words, &k->words->words, &tensor)
             : has_words                        ? import_text(c, formats[format].kind, &k->words->words, &tensor)
             : formats[format].kind == TIMES    ? import_times(c, shared, &tensor)
             : formats[format].kind == DECIMALS ? import_decimals(c, k, &tensor)
                                                : import_numbers(c, format, shared, k, &tensor);
  if (status == STREW_OK && has_words) status = text_take(c->call, tensor, k->words);
  TRY(status, is_bare ? table_add(c->call, table, NULL, tensor) : table_add_column(c->call, table, c->name, tensor));
  shared_words_release(alone.words, context);
  strew_release(tensor);
  return status;
}

/* Column i of a schema of columns, whose name is the column's. */
static strew_status child_schema(struct column *c, const struct ArrowSchema *whole, int64_t i) {
  c->schema = whole->children ? whole->children[i] : NULL;
  if (!c->schema || !c->schema->release)
    return fail(c->call, FAULT(STREW_EARGUMENT, c->argument), "has no column %" PRId64, i);
  return c->name = c->schema->name ? c->schema->name : "", STREW_OK;
}

strew_status arrow_count_columns(const struct call *call, strew_device *device, const char *argument,
                                 const struct ArrowSchema *schema, int64_t *out) {
  const bool is_bare = strcmp(schema->format, "+s") != 0;
  const int64_t count = is_bare ? 1 : schema->n_children;
  struct column c = {call, device, argument, schema->name ? schema->name : "", schema, NULL, 0, 0};
  int format, of_words;
  if (count < 0 || count > INT32_MAX)
    return fail(call, FAULT(STREW_EARGUMENT, argument), "has %" PRId64 " columns", count);
  for (int64_t i = 0; i < count; i++) {
    if (!is_bare) RETURN_IF_FAILED(child_schema(&c, schema, i));
    RETURN_IF_FAILED(find_formats(&c, &format, &of_words));
  }
  return *out = count, STREW_OK;
}

static strew_status import_columns(const struct column *whole, struct shared_array *shared, struct arrow_known *known,
                                   strew_table *table) {
  const struct ArrowArray *array = whole->array;
  const struct ArrowSchema *schema = whole->schema;
  const struct fault fault = FAULT(STREW_EARGUMENT, whole->argument);
  const void *present;
  struct column c = *whole;
  if (strcmp(schema->format, "+s") != 0) return import_column(&c, shared, known, table, true);
  if (array->n_children < 0 || array->n_children != schema->n_children ||
      (array->n_children && (!array->children || !schema->children)))
    return fail(c.call, fault, "has %" PRId64 " columns, its schema %" PRId64, array->n_children, schema->n_children);
  RETURN_IF_FAILED(find_missing(whole, &present));
  if (present)
    return fail(c.call, FAULT(STREW_EVALUE, c.argument), "has missing rows, expected missing elements of columns");
  for (int64_t i = 0; i < array->n_children; i++) {
    RETURN_IF_FAILED(child_schema(&c, schema, i));
    if (!(c.array = array->children[i])) return fail(c.call, fault, "has no column %" PRId64, i);
    c.at = (int64_t)((uint64_t)c.array->offset + (uint64_t)array->offset); /* checked there */
    RETURN_IF_FAILED(import_column(&c, shared, known ? &known[i] : NULL, table, false));
  }
  return STREW_OK;
}

strew_status arrow_check_device(const struct call *call, const strew_device *device) {
  if (device->ops->host_memory) return STREW_OK;
  return fail(call, FAULT(STREW_EDEVICE, "device"), "is %s, expected cpu", device->name);
}

strew_status arrow_import(const struct call *call, strew_device *device, const char *argument, struct ArrowArray *array,
                          const struct ArrowSchema *schema, struct arrow_known *known, strew_table **out) {
  strew_context *context = device->context;
  strew_table *table;
  if (!is_countable(array))
    return fail(call, FAULT(STREW_EARGUMENT, argument), "has %" PRId64 " rows from row %" PRId64 " on", array->length,
                array->offset);
  const struct column whole = {call,   device, argument,      schema->name ? schema->name : "",
                               schema, array,  array->offset, array->length};
  ALLOCATE_NEW(struct shared_array *, shared, call, context, sizeof *shared);
  *shared = (struct shared_array){context, *array, 1, false};
  strew_status status = table_create(call, context, &table);
  if (status == STREW_OK) {
    status = import_columns(&whole, shared, known, table);
    if (status != STREW_OK) strew_table_release(table);
  }
  if (status == STREW_OK) {
    shared->is_owned = true;
    array->release = NULL;
    *out = table;
  }
  shared_array_release(shared);
  return status;
}

strew_status strew_table_from_arrow(strew_device *device, struct ArrowArray *array, struct ArrowSchema *schema,
                                    strew_table **out, strew_error *error) {
  CALL(call, "from_arrow", error, {0});
  RETURN_IF_FAILED(arrow_check_device(&call, device));
  if (!array || !array->release) return fail(&call, FAULT(STREW_EARGUMENT, "array"), "is NULL or was released");
  if (!schema || !schema->release || !schema->format)
    return fail(&call, FAULT(STREW_EARGUMENT, "schema"), "is NULL or was released");
  RETURN_IF_FAILED(arrow_import(&call, device, "array", array, schema, NULL, out));
  schema->release(schema);
  return STREW_OK;
}
