/* check_scalar.c: conversion of numbers into, out of and between dtypes, against the rules written in exact arithmetic
   on values, independent of the library's rounding. */
#include "testing.h"

#include <inttypes.h>

/* ------------------------------------------------------------------------------------------------- the rules */

/* Bits of fraction, and the exponent of the smallest normal number; that of the largest is 1 - lowest. */
static const struct {
  int fraction, lowest;
} formats[] = {[STREW_FLOAT32] = {23, -126},
               [STREW_FLOAT64] = {52, -1022},
               [STREW_FLOAT16] = {10, -14},
               [STREW_BFLOAT16] = {7, -126}};

static double overflow_to_infinity(strew_dtype dtype, double x) {
  double largest = ldexp(2 - ldexp(1, -formats[dtype].fraction), 1 - formats[dtype].lowest);
  return fabs(x) > largest ? copysign(INFINITY, x) : x;
}

/* Returns the number of a float dtype nearest to x, ties to even: x in units in the last place, rounded. */
static double nearest(strew_dtype dtype, double x) {
  if (!isfinite(x) || x == 0 || dtype == STREW_FLOAT64) return x;
  int exponent = ilogb(x);
  if (exponent < formats[dtype].lowest) exponent = formats[dtype].lowest;
  int last_place = exponent - formats[dtype].fraction;
  return overflow_to_infinity(dtype, ldexp(nearbyint(ldexp(x, -last_place)), last_place));
}

static double nearest_to_integer(strew_dtype dtype, strew_scalar number) {
  const bool negative = number.dtype != STREW_UINT64 && number.as.i < 0;
  uint64_t magnitude = negative ? 0 - (uint64_t)number.as.i : (uint64_t)number.as.i;
  int lost = 0;
  while (magnitude >> lost >> (formats[dtype].fraction + 1)) lost++;
  uint64_t kept = magnitude >> lost, rest = magnitude - (kept << lost), half = lost ? 1ull << (lost - 1) : 1;
  kept += rest > half || (rest == half && kept % 2);
  double rounded = ldexp((double)kept, lost);
  return overflow_to_infinity(dtype, negative ? -rounded : rounded);
}

static int bits_in(strew_dtype dtype) { return 8 * (int)strew_dtype_size_bytes(dtype); }

static int64_t truncated(strew_dtype dtype, double x) {
  bool is_signed = !is_unsigned_dtype(dtype);
  double lowest = is_signed ? -ldexp(1, bits_in(dtype) - 1) : 0, end = ldexp(1, bits_in(dtype) - is_signed);
  if (isnan(x)) return 0;
  if (x <= lowest) return (int64_t)lowest;
  if (x < end && x < 0x1p63) return (int64_t)x;
  if (dtype == STREW_UINT64) return x < end ? (int64_t)(uint64_t)x : -1; /* as bits */
  return dtype == STREW_INT64 ? INT64_MAX : (int64_t)end - 1;
}

static int64_t wrapped(strew_dtype dtype, int64_t i) {
  uint64_t mask = UINT64_MAX >> (64 - bits_in(dtype)), kept = (uint64_t)i & mask;
  bool negative = !is_unsigned_dtype(dtype) && kept >> (bits_in(dtype) - 1);
  return (int64_t)(negative ? kept | ~mask : kept);
}

/* Converts a number to another dtype. */
static strew_scalar converted(strew_scalar number, strew_dtype dtype) {
  bool from_float = number.dtype == STREW_FLOAT64;
  if (is_float_dtype(dtype))
    return strew_float(from_float ? nearest(dtype, number.as.f) : nearest_to_integer(dtype, number));
  if (dtype == STREW_BOOL) return strew_bool(from_float ? number.as.f != 0 : number.as.i != 0);
  strew_scalar whole = strew_int(from_float ? truncated(dtype, number.as.f) : wrapped(dtype, number.as.i));
  if (dtype == STREW_UINT64 && whole.as.i < 0) whole.dtype = dtype;
  return whole;
}

static bool same_scalar(strew_scalar a, strew_scalar b) {
  if (a.dtype != b.dtype) return false;
  if (a.dtype != STREW_FLOAT64) return a.as.i == b.as.i;
  return (isnan(a.as.f) && isnan(b.as.f)) || bits_of_double(a.as.f) == bits_of_double(b.as.f);
}

static const char *text_of(strew_scalar number, char *text) {
  if (number.dtype == STREW_FLOAT64)
    snprintf(text, 64, "%a", number.as.f);
  else
    snprintf(text, 64, "%" PRId64, number.as.i);
  return text;
}

static void expect_scalar(strew_scalar is, strew_scalar expected, strew_scalar from, strew_dtype dtype) {
  char texts[3][64];
  if (same_scalar(is, expected)) return;
  ck_abort_msg("%s as %s is %s, not %s", text_of(from, texts[0]), strew_dtype_name(dtype), text_of(is, texts[1]),
               text_of(expected, texts[2]));
}

/* --------------------------------------------------------------------------------------------- 16-bit patterns */

enum { PATTERNS = 1 << 16, SIGN = 0x8000 };
static const strew_dtype halves[] = {STREW_FLOAT16, STREW_BFLOAT16};

/* The first pattern that is not a finite number, without its sign. */
static int infinity_pattern(strew_dtype dtype) { return SIGN - (1 << formats[dtype].fraction); }

/* sign, exponent, fraction; the pattern of infinity counts as the next power of two. */
static double value_of_pattern(strew_dtype dtype, int pattern) {
  int fraction = formats[dtype].fraction, magnitude = pattern & ~SIGN;
  int exponent = magnitude >> fraction, digits = magnitude & ((1 << fraction) - 1);
  double value = exponent ? ldexp(digits + (1 << fraction), exponent - 1) : digits;
  value = ldexp(value, formats[dtype].lowest - fraction);
  return pattern & SIGN ? -value : value;
}

START_TEST(every_pattern_loads_and_stores) {
  strew_dtype dtype = halves[_i];
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    uint16_t bits = (uint16_t)pattern, back = 0;
    int magnitude = pattern & ~SIGN, infinite = infinity_pattern(dtype);
    double value = value_of_pattern(dtype, pattern);
    if (magnitude == infinite) value = pattern & SIGN ? -INFINITY : INFINITY;
    if (magnitude > infinite) value = NAN;
    strew_scalar number = strew_scalar_load(dtype, &bits);
    expect_scalar(number, strew_float(value), strew_int(pattern), dtype);
    ok(strew_scalar_store(number, STREW_EXACT, dtype, &back, &failure));
    if (!same_element(dtype, &bits, &back)) ck_abort_msg("pattern %#x is stored as %#x", pattern, back);
  }
}
END_TEST

/* Through the loops of tensors, in both directions. */
START_TEST(every_pattern_converts) {
  strew_dtype dtype = halves[_i / 2], wide = _i % 2 ? STREW_FLOAT64 : STREW_FLOAT32;
  if (lacks(wide)) return;
  const int64_t count = PATTERNS;
  uint16_t *patterns = malloc(PATTERNS * sizeof *patterns);
  for (int i = 0; i < PATTERNS; i++) patterns[i] = (uint16_t)i;
  strew_tensor *narrow = NULL, *widened = NULL, *back = NULL;
  ok(strew_from(device, dtype, 1, &count, patterns, &narrow, &failure));
  ok(strew_to(narrow, device, wide, &widened, &failure));
  char *values = host_of(widened);
  for (int i = 0; i < PATTERNS; i++) {
    strew_scalar is = strew_scalar_load(wide, values + (size_t)i * strew_dtype_size_bytes(wide));
    expect_scalar(is, strew_scalar_load(dtype, &patterns[i]), strew_int(i), wide);
  }
  ok(strew_to(widened, device, dtype, &back, &failure));
  assert_elements(back, dtype, patterns, "%s there and back", strew_dtype_name(dtype));
  free(values), free(patterns);
  strew_release(narrow), strew_release(widened), strew_release(back);
}
END_TEST

/* Numbers around the midpoint of two neighbours: to the lower one, to the even one, to the higher one. */
struct middle {
  double below, at, above;
  uint16_t lower, even, higher;
};

static struct middle middle_after(strew_dtype dtype, int pattern, bool as_float32) {
  double low = value_of_pattern(dtype, pattern), high = value_of_pattern(dtype, pattern + 1), at = (low + high) / 2;
  struct middle middle = {.at = at, .lower = (uint16_t)pattern, .higher = (uint16_t)(pattern + 1)};
  middle.below = as_float32 ? (double)nextafterf((float)at, (float)low) : nextafter(at, low);
  middle.above = as_float32 ? (double)nextafterf((float)at, (float)high) : nextafter(at, high);
  middle.even = pattern % 2 ? middle.higher : middle.lower;
  return middle;
}

static strew_tensor *patterns_of(strew_dtype wide, int64_t count, const double *values, strew_dtype dtype) {
  strew_tensor *from = tensor_from_doubles(wide, count, values), *out = NULL;
  ok(strew_to(from, device, dtype, &out, &failure));
  strew_release(from);
  return out;
}

/* Both signs; up to the largest finite number and infinity. From float64, rounding to float32 first would move all
   three to the midpoint. */
START_TEST(rounding_goes_to_the_nearest) {
  strew_dtype dtype = halves[_i / 2], wide = _i % 2 ? STREW_FLOAT64 : STREW_FLOAT32;
  if (lacks(wide)) return;
  int64_t count = 0;
  double *values = malloc(3 * PATTERNS * sizeof *values);
  uint16_t *expected = malloc(3 * PATTERNS * sizeof *expected);
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    if ((pattern & ~SIGN) >= infinity_pattern(dtype)) continue;
    struct middle middle = middle_after(dtype, pattern, wide == STREW_FLOAT32);
    values[count] = middle.below, expected[count++] = middle.lower;
    values[count] = middle.at, expected[count++] = middle.even;
    values[count] = middle.above, expected[count++] = middle.higher;
  }
  strew_tensor *rounded = patterns_of(wide, count, values, dtype);
  assert_elements(rounded, dtype, expected, "%s from %s", strew_dtype_name(dtype), strew_dtype_name(wide));
  for (int64_t i = 0; i < count && wide == STREW_FLOAT32; i++) { /* as results of arithmetic are stored */
    uint16_t is = dtype == STREW_FLOAT16 ? store_f16((float)values[i]) : store_bf16((float)values[i]);
    if (is != expected[i]) ck_abort_msg("%a is stored as %#x, not %#x", values[i], is, expected[i]);
  }
  strew_release(rounded);
  free(values), free(expected);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ conversions */

static int64_t draw_sign(void) { return draw_below(2) ? 1 : -1; }

/* Close to the midpoint of two neighbours in a narrower float dtype: rounding twice gives a wrong result. */
static strew_scalar float_trap(void) {
  strew_dtype dtype = (const strew_dtype[]){STREW_FLOAT32, STREW_FLOAT16, STREW_BFLOAT16}[draw_below(3)];
  int fraction = formats[dtype].fraction, lowest = formats[dtype].lowest - fraction - 2;
  int64_t digits = (1ll << fraction) + draw_below(1ll << fraction);
  int exponent = lowest + (int)draw_below(3 - 2 * formats[dtype].lowest + fraction);
  double middle = (double)draw_sign() * ldexp((double)(2 * digits + 1), exponent - fraction - 1);
  int64_t nudge = draw_below(3);
  return strew_float(nudge == 2 ? middle : nextafter(middle, nudge ? INFINITY : -INFINITY));
}

static strew_scalar integer_trap(void) {
  int fraction = formats[draw_below(STREW_BFLOAT16 + 1)].fraction;
  int64_t digits = (1ll << fraction) + draw_below(1ll << fraction);
  int64_t middle = (2 * digits + 1) * (1ll << draw_below(62 - fraction));
  return strew_int(draw_sign() * (middle + draw_below(3) - 1));
}

/* Numbers around the ends of every integer dtype and of float16. */
static strew_scalar near_an_end(void) {
  static const double ends[] = {0, 1, 128, 255, 256, 32768, 65504, 65520, 0x1p31, 0x1p32, 0x1p53, 0x1p63, 0x1p64};
  double end = ends[draw_below(sizeof ends / sizeof *ends)], step = (double)draw_below(9) / 4 - 1;
  return strew_float((double)draw_sign() * (draw_below(3) ? end + step : nextafter(end, end + step)));
}

static void draw_number(strew_dtype dtype, void *element) {
  int64_t kind = draw_below(4);
  strew_scalar number = kind == 1 ? near_an_end() : is_float_dtype(dtype) ? float_trap() : integer_trap();
  if (kind == 0)
    random_element(dtype, element);
  else
    ok(strew_scalar_store(number, STREW_SATURATE, dtype, element, &failure));
}

static void check_conversion(strew_dtype from, strew_dtype to, enum layout layout) {
  const int64_t sizes[] = {3, 7, 41}, count = 3 * 7 * 41;
  size_t size = strew_dtype_size_bytes(from), size_to = strew_dtype_size_bytes(to);
  char *elements = malloc((size_t)count * size);
  for (int64_t i = 0; i < count; i++) draw_number(from, elements + (size_t)i * size);
  strew_tensor *source = tensor_of(from, 3, sizes, layout, elements), *out = NULL;
  ok(strew_to(source, device, to, &out, &failure));
  ck_assert_int_eq(strew_tensor_dtype(out), to);
  assert_sizes(out, 3, sizes);
  char *results = host_of(out);
  for (int64_t i = 0; i < count; i++) {
    strew_scalar number = strew_scalar_load(from, elements + (size_t)i * size);
    expect_scalar(strew_scalar_load(to, results + (size_t)i * size_to), converted(number, to), number, to);
  }
  free(elements), free(results);
  strew_release(source), strew_release(out);
}

START_TEST(conversions_follow_the_rule) {
  strew_dtype from = (strew_dtype)(_i / STREW_DTYPE_COUNT), to = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(from) || lacks(to)) return;
  seed_draws((uint64_t)_i + 1);
  use_threads((const int[]){2, 3, 7}[_i % 3]);
  check_conversion(from, to, (enum layout)(_i / 3 % EXPANDED));
  use_threads(1);
  for (int layout = 0; layout < EXPANDED; layout++)
    if (chosen(_i * EXPANDED + layout, 4)) check_conversion(from, to, (enum layout)layout);
}
END_TEST

/* The same rule for single numbers. */
START_TEST(stores_follow_the_rule) {
  strew_dtype dtype = (strew_dtype)_i;
  for (int n = 0; n < 20000; n++) {
    strew_scalar number = n % 3 == 0 ? near_an_end() : n % 3 == 1 ? float_trap() : integer_trap();
    unsigned char element[8];
    ok(strew_scalar_store(number, STREW_SATURATE, dtype, element, &failure));
    expect_scalar(strew_scalar_load(dtype, element), converted(number, dtype), number, dtype);
  }
}
END_TEST

/* --------------------------------------------------------------------------------- numbers that a dtype cannot hold */

#define INT(x)                                                                                                         \
  {                                                                                                                    \
    STREW_INT64, { .i = (x) }                                                                                          \
  }
#define FLOAT(x)                                                                                                       \
  {                                                                                                                    \
    STREW_FLOAT64, { .f = (x) }                                                                                        \
  }
#define TRUTH(x)                                                                                                       \
  {                                                                                                                    \
    STREW_BOOL, { .i = (x) }                                                                                           \
  }
#define LARGE  "the number is too large"
#define WHOLE  "expected an integer in its range"
#define TRUTHS "bool takes true, false, 0 and 1"

/* message NULL: `expected` is stored. */
static const struct {
  strew_conversion how;
  strew_dtype dtype;
  strew_scalar number;
  const char *message;
  strew_scalar expected;
} stores[] = {
    {STREW_EXACT, STREW_INT64, FLOAT(3), NULL, INT(3)},
    {STREW_EXACT, STREW_INT64, FLOAT(2.5), "is 2.5, which int64 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT64, FLOAT(-0x1p63), NULL, INT(INT64_MIN)},
    {STREW_EXACT, STREW_INT64, FLOAT(0x1p63), "is 9.223372036854776e+18, which int64 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT32, FLOAT(NAN), "is nan, which int32 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT32, FLOAT(INFINITY), "is inf, which int32 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT32, INT(2147483648), "is 2147483648, which int32 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT32, INT(-2147483648), NULL, INT(-2147483648)},
    {STREW_EXACT, STREW_INT16, INT(-32769), "is -32769, which int16 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT8, FLOAT(128), "is 128.0, which int8 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_INT8, TRUTH(1), NULL, INT(1)},
    {STREW_EXACT, STREW_UINT8, INT(255), NULL, INT(255)},
    {STREW_EXACT, STREW_UINT8, INT(256), "is 256, which uint8 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_UINT8, INT(-1), "is -1, which uint8 cannot hold: " WHOLE, INT(0)},
    {STREW_EXACT, STREW_BOOL, INT(1), NULL, TRUTH(1)},
    {STREW_EXACT, STREW_BOOL, FLOAT(0), NULL, TRUTH(0)},
    {STREW_EXACT, STREW_BOOL, INT(2), "is 2, which bool cannot hold: " TRUTHS, INT(0)},
    {STREW_EXACT, STREW_BOOL, FLOAT(0.5), "is 0.5, which bool cannot hold: " TRUTHS, INT(0)},
    {STREW_EXACT, STREW_BOOL, FLOAT(NAN), "is nan, which bool cannot hold: " TRUTHS, INT(0)},
    {STREW_EXACT, STREW_FLOAT32, FLOAT(1e38), NULL, FLOAT(0x1.2ced32p126)},
    {STREW_EXACT, STREW_FLOAT32, FLOAT(1e39), "is 1e+39, which float32 cannot hold: " LARGE, INT(0)},
    {STREW_EXACT, STREW_FLOAT32, FLOAT(-1e300), "is -1e+300, which float32 cannot hold: " LARGE, INT(0)},
    {STREW_EXACT, STREW_FLOAT32, FLOAT(-INFINITY), NULL, FLOAT(-INFINITY)},
    {STREW_EXACT, STREW_FLOAT32, FLOAT(NAN), NULL, FLOAT(NAN)},
    {STREW_EXACT, STREW_FLOAT32, INT(16777217), NULL, FLOAT(16777216)},
    {STREW_EXACT, STREW_FLOAT16, INT(65519), NULL, FLOAT(65504)},
    {STREW_EXACT, STREW_FLOAT16, INT(65520), "is 65520, which float16 cannot hold: " LARGE, INT(0)},
    {STREW_EXACT, STREW_FLOAT16, FLOAT(65520), "is 65520.0, which float16 cannot hold: " LARGE, INT(0)},
    {STREW_EXACT, STREW_FLOAT16, TRUTH(1), NULL, FLOAT(1)},
    {STREW_EXACT, STREW_BFLOAT16, FLOAT(3.4e38), "is 3.4e+38, which bfloat16 cannot hold: " LARGE, INT(0)},
    {STREW_EXACT, STREW_BFLOAT16, FLOAT(3.39e38), NULL, FLOAT(0x1.fep127)},
    {STREW_TRUNCATE, STREW_INT64, FLOAT(-2.5), NULL, INT(-2)},
    {STREW_TRUNCATE, STREW_INT64, FLOAT(NAN), "is nan, which int64 cannot hold: " WHOLE, INT(0)},
    {STREW_TRUNCATE, STREW_INT64, FLOAT(-1e19), "is -1e+19, which int64 cannot hold: " WHOLE, INT(0)},
    {STREW_TRUNCATE, STREW_INT8, FLOAT(127.9), NULL, INT(127)},
    {STREW_TRUNCATE, STREW_INT8, FLOAT(128.1), "is 128.1, which int8 cannot hold: " WHOLE, INT(0)},
    {STREW_TRUNCATE, STREW_INT8, FLOAT(-128.9), NULL, INT(-128)},
    {STREW_TRUNCATE, STREW_INT8, INT(128), "is 128, which int8 cannot hold: " WHOLE, INT(0)},
    {STREW_TRUNCATE, STREW_UINT8, FLOAT(-0.9), NULL, INT(0)},
    {STREW_TRUNCATE, STREW_UINT8, FLOAT(-1), "is -1.0, which uint8 cannot hold: " WHOLE, INT(0)},
    {STREW_TRUNCATE, STREW_BOOL, FLOAT(-0.5), NULL, TRUTH(1)},
    {STREW_TRUNCATE, STREW_BOOL, INT(7), NULL, TRUTH(1)},
    {STREW_TRUNCATE, STREW_BOOL, FLOAT(-0.0), NULL, TRUTH(0)},
    {STREW_TRUNCATE, STREW_BOOL, FLOAT(NAN), "is nan, which bool cannot hold: " TRUTHS, INT(0)},
    {STREW_TRUNCATE, STREW_FLOAT16, FLOAT(1e5), "is 100000.0, which float16 cannot hold: " LARGE, INT(0)},
    {STREW_SATURATE, STREW_BOOL, FLOAT(NAN), NULL, TRUTH(1)},
    {STREW_SATURATE, STREW_INT8, FLOAT(1e9), NULL, INT(127)},
    {STREW_SATURATE, STREW_INT8, INT(200), NULL, INT(-56)},
    {STREW_SATURATE, STREW_FLOAT16, FLOAT(1e5), NULL, FLOAT(INFINITY)},
};
enum { STORES = sizeof stores / sizeof *stores };

START_TEST(stores_hold_or_say_why) {
  unsigned char element[8] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5}, before[8];
  strew_dtype dtype = stores[_i].dtype;
  memcpy(before, element, sizeof before);
  clear_failure();
  strew_status status = strew_scalar_store(stores[_i].number, stores[_i].how, dtype, element, &failure);
  size_t kept = strew_dtype_size_bytes(dtype); /* bytes after the element do not change */
  if (!stores[_i].message) {
    ck_assert_msg(status == STREW_OK, "case %d: %s", _i, failure.message);
    expect_scalar(strew_scalar_load(dtype, element), stores[_i].expected, stores[_i].number, dtype);
  } else {
    char message[200];
    snprintf(message, sizeof message, "scalar_store: 'value' %s", stores[_i].message);
    check_failure("strew_scalar_store", status, STREW_EVALUE, message);
    ck_assert(failure.has_value && same_scalar(failure.value, stores[_i].number));
    kept = 0;
  }
  ck_assert_mem_eq(element + kept, before + kept, sizeof before - kept);
}
END_TEST

START_TEST(stores_need_a_dtype) {
  unsigned char element = 7;
  assert_fails(strew_scalar_store(strew_int(1), STREW_SATURATE, STREW_DTYPE_END, &element, &failure), STREW_EARGUMENT,
               "scalar_store: 'dtype' is 15, valid 0..14");
  ck_assert_int_eq(element, 7);
}
END_TEST

/* ------------------------------------------------------------------------------------------- full, fill, set */

START_TEST(full_fills_or_says_why) {
  const int64_t sizes[] = {3, 2};
  strew_tensor *out = NULL;
  ok(strew_full(device, STREW_FLOAT16, 2, sizes, strew_float(0.1), &out, &failure));
  assert_sizes(out, 2, sizes);
  uint16_t tenth = 0x2e66;
  assert_elements(out, STREW_FLOAT16, (uint16_t[]){tenth, tenth, tenth, tenth, tenth, tenth}, "full");
  strew_release(out), out = NULL;
  ok(strew_full(device, STREW_BOOL, 0, NULL, strew_int(1), &out, &failure));
  assert_elements(out, STREW_BOOL, (uint8_t[]){1}, "full of rank 0");
  strew_release(out), out = NULL;
  assert_fails(strew_full(device, STREW_INT32, 2, sizes, strew_float(0.5), &out, &failure), STREW_EVALUE,
               "full: 'value' is 0.5, which int32 cannot hold: " WHOLE);
  assert_fails(strew_full(device, STREW_FLOAT32, 2, sizes, strew_float(1e39), &out, &failure), STREW_EVALUE,
               "full: 'value' is 1e+39, which float32 cannot hold: " LARGE);
  assert_fails(strew_full(device, STREW_DTYPE_END, 2, sizes, strew_int(0), &out, &failure), STREW_EARGUMENT,
               "full: 'dtype' is 15, valid 0..14");
  ck_assert_ptr_null(out);
}
END_TEST

START_TEST(shapes_that_cannot_be) {
  const int64_t negative[] = {2, -3}, large[] = {1ll << 40, 1ll << 40}, empty[] = {0, 1ll << 40, 1ll << 40};
  strew_tensor *out = NULL;
  assert_fails(strew_empty(device, STREW_INT8, 2, negative, &out, &failure), STREW_ESHAPE,
               "empty: 'shape' has size -3 in dimension 1, expected 0 or more");
  assert_fails(strew_empty(device, STREW_INT8, 2, large, &out, &failure), STREW_ESHAPE,
               "empty: 'shape' is [1099511627776, 1099511627776], more bytes than can be addressed");
  assert_fails(strew_full(device, STREW_INT8, 3, empty, strew_int(0), &out, &failure), STREW_ESHAPE,
               "full: 'shape' is [0, 1099511627776, 1099511627776], more bytes than can be addressed");
  assert_fails(strew_empty(device, STREW_INT8, 17, (const int64_t[17]){0}, &out, &failure), STREW_ESHAPE,
               "empty: 'shape' has 17 dimensions, valid 0..16");
  assert_fails(strew_empty(device, STREW_INT8, -1, NULL, &out, &failure), STREW_ESHAPE,
               "empty: 'shape' has -1 dimensions, valid 0..16");
  ck_assert_ptr_null(out);
}
END_TEST

START_TEST(fill_fills_or_says_why) {
  const int64_t sizes[] = {2, 3};
  strew_tensor *t = tensor_of(STREW_INT16, 2, sizes, STRIDED, (const int16_t[]){1, 2, 3, 4, 5, 6}), *row = NULL;
  assert_fails(strew_fill(t, strew_int(40000), &failure), STREW_EVALUE,
               "fill: 'value' is 40000, which int16 cannot hold: " WHOLE "\n"
               "  self  int16[2, 3] cpu");
  assert_elements(t, STREW_INT16, (int16_t[]){1, 2, 3, 4, 5, 6}, "what was not filled");
  ok(strew_select(t, 0, 1, &row, &failure));
  ok(strew_fill(row, strew_float(-9), &failure));
  assert_elements(t, STREW_INT16, (int16_t[]){1, 2, 3, -9, -9, -9}, "a row filled");
  strew_release(t), strew_release(row);
}
END_TEST

START_TEST(fill_refuses_overlap) {
  strew_tensor *one = tensor_from_integers(STREW_INT32, 1, (const int64_t[]){5}), *wide = NULL;
  ok(strew_expand(one, 1, (const int64_t[]){3}, &wide, &failure));
  assert_fails(strew_fill(wide, strew_int(1), &failure), STREW_EOVERLAP,
               "fill: 'self' overlaps itself (an expanded view?) and cannot be written in place\n"
               "  self  int32[3] cpu\n"
               "  hint  write into strew_clone(self)");
  assert_elements(one, STREW_INT32, (int32_t[]){5}, "what was not filled");
  strew_release(one), strew_release(wide);
}
END_TEST

START_TEST(set_sets_or_says_why) {
  const int64_t sizes[] = {2, 3}, last[] = {-1, -1}, beyond[] = {1, 3};
  strew_tensor *t = tensor_of(STREW_UINT8, 2, sizes, PERMUTED, (const uint8_t[]){1, 2, 3, 4, 5, 6});
  ok(strew_set(t, 2, last, strew_int(255), &failure));
  assert_fails(strew_set(t, 2, last, strew_int(-1), &failure), STREW_EVALUE,
               "set: 'value' is -1, which uint8 cannot hold: " WHOLE "\n"
               "  self  uint8[2, 3] cpu");
  assert_fails(strew_set(t, 2, beyond, strew_int(0), &failure), STREW_EINDEX,
               "set: 'position' 3 is out of range for dim 1 of self (size 3, valid -3..2)\n"
               "  self  uint8[2, 3] cpu\n"
               "  hint  counted from 1? positions count from 0, and -1 is the last");
  ck_assert_int_eq(failure.position_rank, 2);
  ck_assert_int_eq(failure.position[0], 1);
  ck_assert_int_eq(failure.position[1], 3);
  ck_assert_int_eq(failure.value.as.i, 3);
  assert_fails(strew_set(t, 1, last, strew_int(0), &failure), STREW_ESHAPE,
               "set: 'position' has 1 entry, self has 2 dimensions\n"
               "  self  uint8[2, 3] cpu");
  assert_elements(t, STREW_UINT8, (uint8_t[]){1, 2, 3, 4, 5, 255}, "set");
  strew_release(t);
}
END_TEST

/* ---------------------------------------------------------------------------------------------- names and words */

START_TEST(names_and_sizes) {
  static const char *const names[] = {"float32", "float64", "float16", "bfloat16", "int64",  "int32", "int16",
                                      "int8",    "uint8",   "bool",    "uint16",   "uint32", "uint64"};
  static const size_t sizes[] = {4, 8, 2, 2, 8, 4, 2, 1, 1, 1, 2, 4, 8};
  static const char *const reductions[] = {"assign", "sum", "prod", "mean", "amax", "amin"};
  static const char *const modes[] = {"error", "wrap", "clip", "drop"};
  for (int i = 0; i < STREW_DTYPE_COUNT; i++) {
    strew_dtype dtype = STREW_DTYPE_COUNT;
    ck_assert_str_eq(strew_dtype_name((strew_dtype)i), names[i]);
    ck_assert_uint_eq(strew_dtype_size_bytes((strew_dtype)i), sizes[i]);
    ok(strew_dtype_from_word(names[i], &dtype, &failure));
    ck_assert_int_eq(dtype, i);
  }
  for (int i = 0; i < STREW_REDUCTION_COUNT; i++)
    ck_assert_str_eq(strew_enum_name(STREW_WORDS_REDUCTION, (strew_reduction)i), reductions[i]);
  for (int i = 0; i < STREW_MODE_COUNT; i++) {
    int mode = STREW_MODE_COUNT;
    ck_assert_str_eq(strew_enum_name(STREW_WORDS_MODE, (strew_mode)i), modes[i]);
    ok(strew_enum_from_word(STREW_WORDS_MODE, modes[i], &mode, &failure));
    ck_assert_int_eq(mode, i);
  }
  ck_assert_ptr_null(strew_dtype_name(STREW_DTYPE_END));
  ck_assert_uint_eq(strew_dtype_size_bytes(STREW_DTYPE_END), 0);
  ck_assert_ptr_null(strew_enum_name(STREW_WORDS_REDUCTION, STREW_REDUCTION_COUNT));
  ck_assert_ptr_null(strew_enum_name(STREW_WORDS_MODE, STREW_MODE_COUNT));
}
END_TEST

START_TEST(words_of_reductions) {
  static const struct {
    const char *word;
    strew_reduction expected;
  } words[] = {{"sum", STREW_SUM},   {"add", STREW_SUM},   {"prod", STREW_PROD}, {"multiply", STREW_PROD},
               {"mul", STREW_PROD},  {"mean", STREW_MEAN}, {"amax", STREW_AMAX}, {"max", STREW_AMAX},
               {"amin", STREW_AMIN}, {"min", STREW_AMIN}};
  int reduction = STREW_ASSIGN;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    ok(strew_enum_from_word(STREW_WORDS_REDUCTION, words[i].word, &reduction, &failure));
    ck_assert_int_eq(reduction, words[i].expected);
  }
  assert_fails(strew_enum_from_word(STREW_WORDS_REDUCTION, "assign", &reduction, &failure), STREW_EARGUMENT,
               "reduce: 'reduce' is \"assign\", expected one of sum = add, prod = multiply = mul, mean, amax = max, "
               "amin = min");
}
END_TEST

START_TEST(words_that_are_unknown) {
  strew_dtype dtype;
  int reduction, mode;
  assert_fails(
      strew_dtype_from_word("float", &dtype, &failure), STREW_EARGUMENT,
      "dtype: 'dtype' is \"float\", expected one of float32, float64, float16, bfloat16, int64, int32, int16, int8, "
      "uint8, bool, uint16, uint32, uint64, time, text\n  hint  did you mean 'float32'?");
  assert_fails(
      strew_dtype_from_word(NULL, &dtype, &failure), STREW_EARGUMENT,
      "dtype: 'dtype' is missing, expected one of float32, float64, float16, bfloat16, int64, int32, int16, int8, "
      "uint8, bool, uint16, uint32, uint64, time, text");
  assert_fails(
      strew_enum_from_word(STREW_WORDS_REDUCTION, "Sum", &reduction, &failure), STREW_EARGUMENT,
      "reduce: 'reduce' is \"Sum\", expected one of sum = add, prod = multiply = mul, mean, amax = max, amin = "
      "min\n  hint  did you mean 'sum'?");
  assert_fails(strew_enum_from_word(STREW_WORDS_MODE, "", &mode, &failure), STREW_EARGUMENT,
               "mode: 'mode' is \"\", expected one of error, wrap, clip, drop");
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("scalar");
  TCase *conversions = new_case(suite, "conversions");
  tcase_add_loop_test(conversions, every_pattern_loads_and_stores, 0, 2);
  tcase_add_loop_test(conversions, every_pattern_converts, 0, 4);
  tcase_add_loop_test(conversions, rounding_goes_to_the_nearest, 0, 4);
  tcase_add_loop_test(conversions, conversions_follow_the_rule, 0, STREW_DTYPE_COUNT * STREW_DTYPE_COUNT);
  tcase_add_loop_test(conversions, stores_follow_the_rule, 0, STREW_DTYPE_COUNT);
  TCase *errors = new_case(suite, "storing numbers");
  tcase_add_loop_test(errors, stores_hold_or_say_why, 0, STORES);
  tcase_add_test(errors, stores_need_a_dtype);
  tcase_add_test(errors, full_fills_or_says_why);
  tcase_add_test(errors, shapes_that_cannot_be);
  tcase_add_test(errors, fill_fills_or_says_why);
  tcase_add_test(errors, fill_refuses_overlap);
  tcase_add_test(errors, set_sets_or_says_why);
  TCase *words = new_case(suite, "names and words");
  tcase_add_test(words, names_and_sizes);
  tcase_add_test(words, words_of_reductions);
  tcase_add_test(words, words_that_are_unknown);
  return suite;
}
