/* convert.c: conversion of words to dtypes, reductions and modes, of texts to times, and of single numbers to elements,
   with error reports. */
#define STREW_INLINE extern inline STREW_API /* this file has the symbols of strew_core.h's inline functions */
#include "runtime/strew_core.h"
#undef STREW_INLINE
#define STREW_INLINE static inline
#include "device.h"
#include "operations.h"
#include "runtime/core/shared/scalar.h"
#include "tensor.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- words */

/* Names in other libraries. */
static const struct {
  const char *kind, *word, *name;
} synonyms[] = {
    {"dtype", "float", "float32"}, {"dtype", "double", "float64"}, {"dtype", "half", "float16"},
    {"dtype", "long", "int64"},    {"dtype", "integer", "int64"},  {"dtype", "int", "int32"},
    {"dtype", "short", "int16"},   {"dtype", "char", "int8"},      {"dtype", "byte", "uint8"},
    {"dtype", "boolean", "bool"},  {"reduce", "avg", "mean"},      {"reduce", "average", "mean"},
    {"reduce", "product", "prod"}, {"reduce", "maximum", "amax"},  {"reduce", "minimum", "amin"},
    {"mode", "raise", "error"},    {"mode", "clamp", "clip"},
};

/* `known` lists the words. STREW_ASSIGN is a reduction without words: no call takes it by name. */
static strew_status fail_word(strew_error *error, const char *kind, strew_guess *guess, const char *known) {
  CALL(call, kind, error, {0});
  char text[TEXT_BYTES];
  const char *word = guess->wanted, *mark = word ? "\"" : "";
  for (size_t i = 0; word && i < sizeof synonyms / sizeof *synonyms; i++)
    if (!strcmp(kind, synonyms[i].kind) && !strcmp(word, synonyms[i].word)) guess->nearest = synonyms[i].name;
  return fail(&call, HINTED(STREW_EARGUMENT, kind, hint_of_guess(&call, guess)), "is %s%s%s, expected one of %s", mark,
              word ? text_of_name(word, text) : "missing", mark, known);
}

/* The names of an enumeration, in its order. */
struct vocabulary {
  const char *kind;
  int count;
  const char *const *names;
};

static const char *name_of(const struct vocabulary *words, int number) {
  return number >= 0 && number < words->count ? words->names[number] : NULL;
}

static strew_status number_of(const struct vocabulary *words, const char *word, int *out, strew_error *error) {
  for (int i = 0; word && i < words->count; i++)
    if (!strcmp(word, words->names[i])) return *out = i, STREW_OK;
  strew_guess guess = {.wanted = word};
  char known[TEXT_BYTES];
  for (int i = 0, at = 0; i < words->count; i++) {
    at += snprintf(known + at, sizeof known - (size_t)at, "%s%s", i ? ", " : "", words->names[i]);
    strew_guess_name(&guess, words->names[i]);
  }
  return fail_word(error, words->kind, &guess, known);
}

#define DTYPE(ENUM, s, name, ...)  name,
#define STORED(ENUM, name, ...)    name,
#define OPERATION(ENUM, name, ...) name,
#define FOLD(ENUM, f, ...)         #f,
#define GROUPS(ENUM, word, ...)    word,
#define VOCABULARY(kind, ...)                                                                                          \
  {                                                                                                                    \
    kind, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *), (const char *const[]) { __VA_ARGS__ }                  \
  }
static const struct vocabulary dtype_words = VOCABULARY("dtype", STREW_DTYPES(DTYPE) STREW_STORED_DTYPES(STORED));
/* kind: the argument in messages. Reductions have several words each: see below. */
static const struct vocabulary vocabularies[STREW_WORDS_COUNT] = {
    [STREW_WORDS_MODE] = VOCABULARY("mode", "error", "wrap", "clip", "drop"),
    [STREW_WORDS_INTERPOLATION] =
        VOCABULARY("interpolation", "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"),
    [STREW_WORDS_UNARY] = VOCABULARY("op", STREW_UNARY(OPERATION)),
    [STREW_WORDS_BINARY] = VOCABULARY("op", STREW_BINARY(OPERATION)),
    [STREW_WORDS_FOLD] = VOCABULARY("fold", STREW_FOLDS(FOLD)),
    [STREW_WORDS_PRODUCT] = VOCABULARY("kind", "matmul", "mm", "mv", "dot"),
    [STREW_WORDS_GROUP_REDUCTION] = VOCABULARY("reduce", STREW_GROUP_REDUCTIONS(GROUPS)),
    [STREW_WORDS_KEY_ORDER] = VOCABULARY("order", "sorted", "first"),
    [STREW_WORDS_COLORMAP] = VOCABULARY("colormap", "viridis", "magma", "inferno", "coolwarm", "grey"),
    [STREW_WORDS_STATUS] = VOCABULARY("code", "ok", "argument", "dtype", "shape", "index", "value", "overlap", "device",
                                      "memory", "freed", "interrupted", "time", "file"),
};

strew_status strew_dtype_from_word(const char *word, strew_dtype *out, strew_error *error) {
  int number = 0; /* its name: dtype.c, which messages use */
  strew_status status = number_of(&dtype_words, word, &number, error);
  if (status == STREW_OK) *out = (strew_dtype)number;
  return status;
}

/* The reduction of that word, one of several; STREW_ASSIGN: none. */
static strew_reduction find_reduction(const char *word) {
  const char *name;
  for (int i = 0; word && i < STREW_REDUCTION_COUNT; i++)
    for (int k = 0; i != STREW_ASSIGN && (name = reduction_word((strew_reduction)i, k)); k++)
      if (!strcmp(word, name)) return (strew_reduction)i;
  return STREW_ASSIGN;
}

static strew_status reduction_of(const char *word, int *out, strew_error *error) {
  const char *name;
  const strew_reduction found = find_reduction(word);
  if (found != STREW_ASSIGN) return *out = (int)found, STREW_OK;
  strew_guess guess = {.wanted = word};
  char known[TEXT_BYTES];
  int at = 0;
  for (int i = 0; i < STREW_REDUCTION_COUNT; i++)
    for (int k = 0; i != STREW_ASSIGN && (name = reduction_word((strew_reduction)i, k)); k++) {
      at += snprintf(known + at, sizeof known - (size_t)at, "%s%s", k ? " = " : (at ? ", " : ""), name);
      strew_guess_name(&guess, name);
    }
  return fail_word(error, "reduce", &guess, known);
}

const char *strew_enum_name(strew_words of, int value) {
  if (of == STREW_WORDS_REDUCTION) return reduction_name((strew_reduction)value);
  return (unsigned)of < STREW_WORDS_COUNT ? name_of(&vocabularies[of], value) : NULL;
}

strew_status strew_enum_from_word(strew_words of, const char *word, int *out, strew_error *error) {
  if (of == STREW_WORDS_REDUCTION) return reduction_of(word, out, error);
  CALL(call, "enum_from_word", error, {0});
  if ((unsigned)of >= STREW_WORDS_COUNT) return fail_unknown(&call, "of", (int)of, STREW_WORDS_COUNT - 1);
  if (of == STREW_WORDS_COLORMAP && word && !strcmp(word, "gray")) word = "grey";
  if (of == STREW_WORDS_GROUP_REDUCTION && find_reduction(word) != STREW_ASSIGN)
    word = group_row_of(find_reduction(word))->word;
  return number_of(&vocabularies[of], word, out, error);
}

/* --------------------------------------------------------------------------------------------------- promotion */

strew_status strew_result_type(int dtype_count, const strew_dtype *dtypes, int number_count,
                               const strew_scalar *numbers, strew_dtype *out, strew_error *error) {
  CALL(call, "result_type", error, {0});
  int dtype = -1;
  if (dtype_count < 0 || number_count < 0 || (dtype_count == 0 && number_count == 0))
    return fail(&call, FAULT(STREW_EARGUMENT, number_count < 0 ? "numbers" : "dtypes"),
                "has %d dtypes and %d numbers, expected at least one dtype or number", dtype_count, number_count);
  for (int i = 0; i < dtype_count; i++) {
    if ((unsigned)dtypes[i] >= STREW_DTYPE_END)
      return fail_unknown(&call, "dtypes", (int)dtypes[i], STREW_DTYPE_END - 1);
    if (dtype >= 0) RETURN_IF_FAILED(check_kind(&call, "dtypes", dtypes[i], "another", (strew_dtype)dtype));
    dtype = (int)(dtype < 0 ? dtypes[i] : dtype_promote((strew_dtype)dtype, dtypes[i]));
  }
  for (int i = 0; i < number_count; i++) {
    RETURN_IF_FAILED(check_scalar(&call, "numbers", numbers[i]));
    if (dtype >= 0) RETURN_IF_FAILED(check_kind(&call, "numbers", numbers[i].dtype, "a dtype", (strew_dtype)dtype));
    dtype = (int)dtype_with_number(dtype, numbers[i]);
  }
  return *out = (strew_dtype)dtype, STREW_OK;
}

/* ----------------------------------------------------------------------------------------------- single numbers */

strew_scalar strew_scalar_load(strew_dtype dtype, const void *element) {
  struct float_mode host_mode;
  float_mode_enter(&host_mode);
  const bool is_known = (unsigned)dtype < STREW_DTYPE_END;
  strew_scalar number = is_known ? dtype_load(dtype_stored(dtype), element) : strew_int(0);
  if (is_known && !dtype_is_number(dtype)) number.dtype = dtype;
  float_mode_leave(&host_mode);
  return number;
}

/* Converts a number to one of integers by the rule `how`; false if none holds it. */
static bool whole_number(strew_scalar number, strew_conversion how, strew_scalar *out) {
  if (number.dtype != STREW_FLOAT64) return *out = number, true;
  double whole = trunc(number.as.f);
  if (how == STREW_EXACT && whole != number.as.f) return false;
  if (!(whole >= -0x1p63 && whole < 0x1p64)) return false;
  return *out = whole < 0x1p63 ? strew_int((int64_t)whole) : unsigned_number((uint64_t)whole), true;
}

/* True if dtype holds the number, by the rule `how`. */
static bool is_held(strew_scalar number, strew_conversion how, strew_dtype dtype, const void *element) {
  strew_scalar whole;
  if (how == STREW_SATURATE || dtype == STREW_TIME) return true;
  if (dtype_category(dtype) == FLOATING) {
    double stored = strew_scalar_load(dtype, element).as.f;
    return !isinf(stored) || (number.dtype == STREW_FLOAT64 && isinf(number.as.f));
  }
  if (dtype == STREW_BOOL) {
    if (how == STREW_TRUNCATE) return number.dtype != STREW_FLOAT64 || !isnan(number.as.f);
    return whole_number(number, how, &whole) && whole.dtype != STREW_UINT64 && (whole.as.i == 0 || whole.as.i == 1);
  }
  if (!whole_number(number, how, &whole)) return false;
  const strew_scalar held = strew_scalar_load(dtype, element);
  return held.as.i == whole.as.i && (held.dtype == STREW_UINT64) == (whole.dtype == STREW_UINT64);
}

strew_status check_dtype(const struct call *call, strew_dtype dtype) {
  if ((unsigned)dtype < STREW_DTYPE_END) return STREW_OK;
  return fail_unknown(call, "dtype", (int)dtype, STREW_DTYPE_END - 1);
}

strew_status check_number_dtype(const struct call *call, strew_dtype dtype) {
  RETURN_IF_FAILED(check_dtype(call, dtype));
  if (dtype_is_number(dtype)) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is %s, expected a number dtype", strew_dtype_name(dtype));
}

strew_status check_scalar(const struct call *call, const char *argument, strew_scalar number) {
  if (number.dtype == STREW_INT64 || number.dtype == STREW_FLOAT64 || number.dtype == STREW_BOOL) return STREW_OK;
  if (number.dtype == STREW_UINT64 && number.as.i < 0) return STREW_OK;
  char text[TEXT_BYTES];
  if (number.dtype == STREW_STRING)
    return fail(call, FAULT(STREW_EARGUMENT, argument), "is \"%s\", expected a tensor, number or boolean",
                text_of_name(number.as.s, text));
  if (number.dtype == STREW_TIME || number.dtype == STREW_TEXT)
    return fail(call, FAULT(STREW_EDTYPE, argument), "is a %s, expected a number", strew_dtype_name(number.dtype));
  return fail(call, HINTED(STREW_EARGUMENT, argument, "strew_int, strew_float and strew_bool make numbers"),
              "is a number of dtype %d, expected STREW_BOOL, STREW_INT64 or STREW_FLOAT64", (int)number.dtype);
}

strew_status check_comparable(const struct call *call, const char *name, strew_dtype dtype, strew_operand *x) {
  if (HAS_TEXT) return text_ops.comparable(call, name, dtype, x);
  return x->tensor ? check_is_number(call, name, x->tensor) : STREW_OK;
}

strew_status element_from(const struct call *call, const char *argument, strew_scalar number, strew_conversion how,
                          strew_dtype dtype, union element *out) {
  char text[TEXT_BYTES];
  strew_operand x = strew_number(number);
  if (is_string(x) && dtype == STREW_TIME) {
    RETURN_IF_FAILED(check_comparable(call, argument, dtype, &x));
    number = x.number;
  } else if (is_string(x)) {
    return fail(call, FAULT(STREW_EARGUMENT, argument), "is \"%s\", expected a number or boolean",
                text_of_name(number.as.s, text));
  }
  if (number.dtype != STREW_TIME) RETURN_IF_FAILED(check_scalar(call, argument, number));
  if (dtype == STREW_TEXT)
    return fail(call, HINTED(STREW_EDTYPE, argument, "strew_string makes a word of a string"),
                "is %s, expected text or a string", text_of_scalar(number, text));
  if ((number.dtype == STREW_TIME) != (dtype == STREW_TIME))
    return fail(call,
                HINTED(STREW_EDTYPE, argument, dtype == STREW_TIME ? "strew_time_parse reads a time from text" : NULL),
                "is %s, expected a %s", number.dtype == STREW_TIME ? "a time" : "a number",
                dtype == STREW_TIME ? "time" : "number");
  *out = (union element){.i64 = 0};
  dtype_saturate(number, dtype, out->bytes);
  if (is_held(number, how, dtype, out->bytes)) return STREW_OK;
  const char *rule = dtype_category(dtype) == FLOATING ? "the number is too large"
                     : dtype == STREW_BOOL             ? "bool takes true, false, 0 and 1"
                                                       : "expected an integer in its range";
  return fail(call, VALUED(STREW_EVALUE, argument, number), "is %s, which %s cannot hold: %s",
              text_of_scalar(number, text), strew_dtype_name(dtype), rule);
}

strew_status strew_scalar_store(strew_scalar number, strew_conversion how, strew_dtype dtype, void *to,
                                strew_error *error) {
  CALL(call, "scalar_store", error, {0});
  union element value;
  RETURN_IF_FAILED(check_dtype(&call, dtype));
  if ((unsigned)how > STREW_SATURATE) return fail_unknown(&call, "how", (int)how, STREW_SATURATE);
  RETURN_IF_FAILED(element_from(&call, "value", number, how, dtype, &value));
  return memcpy(to, value.bytes, strew_dtype_size_bytes(dtype)), STREW_OK;
}

union element element_identity(strew_reduction reduction, strew_dtype dtype) {
  union element result = {.i64 = 0};
  switch (dtype_stored(dtype)) {
#define CASE(ENUM, s, ...)                                                                                             \
  case STREW_##ENUM: {                                                                                                 \
    const W_##s ZERO = 0, ONE = 1, HIGHEST = highest_##s(), LOWEST = lowest_##s();                                     \
    const W_##s identities[] = {STREW_REDUCTIONS(ROW)};                                                                \
    T_##s value = store_##s(identities[reduction]);                                                                    \
    memcpy(result.bytes, &value, sizeof value);                                                                        \
    break;                                                                                                             \
  }
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, ...) [STREW_##ENUM] = identity,
    STREW_DTYPES(CASE)
  default: break;
  }
  return result;
}
