/* check_number.c: numbers as text: read like the C library's strtod under the locale "C", under any locale, and written
   so that they read back with the same bits. (devices: no, there are no tensors.) */
#define _GNU_SOURCE /* newlocale */
#include "runtime/core/base/device.h"
#include "runtime/text_time/decimal.h"
#include "testing.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static locale_t plain;

static void make_locale(void) {
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  ck_assert(plain != (locale_t)0);
}

static void free_locale(void) { freelocale(plain); }

/* ---------------------------------------------------------------------------------------------------------- reading */

static void assert_reads(const char *text) {
  struct decimal decimal;
  char *expected_end;
  const char *end = decimal_scan(text, '.', &decimal);
  double expected = strtod_l(text, &expected_end, plain);
  if (end != expected_end)
    ck_abort_msg("\"%.200s\": %td bytes were read, expected %td", text, end - text, expected_end - text);
  double is = decimal_to_double(&decimal, plain);
  if (!same_element(STREW_FLOAT64, &is, &expected))
    ck_abort_msg("\"%.200s\" is read as %a, expected %a", text, is, expected);
}

START_TEST(test_texts) {
  static const char *const texts[] = {"0",
                                      "-0",
                                      "+0",
                                      "-0.0",
                                      "00",
                                      "007",
                                      "1.",
                                      ".5",
                                      "-.5e1",
                                      "1e5",
                                      "1E+5",
                                      "1e-5",
                                      "1e",
                                      "1e+",
                                      "1ex",
                                      "1.5.5",
                                      "1,5",
                                      "1 2",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "9999999999999999999",
                                      "99999999999999999999",
                                      "10000000000000000000000",
                                      "123456789012345678901234567890",
                                      "0.1",
                                      "0.30000000000000004",
                                      "9007199254740993",
                                      "9007199254740992.5",
                                      "9007199254740993.0000000000000000000000000000000001",
                                      "1.7976931348623157e308",
                                      "1.7976931348623159e308",
                                      "1e309",
                                      "-1e400",
                                      "1e99999999999999999999",
                                      "4.9e-324",
                                      "2.4e-324",
                                      "2.5e-324",
                                      "1e-400",
                                      "1e-99999999999999999999",
                                      "0e999999999999",
                                      "2.2250738585072014e-308",
                                      "2.2250738585072011e-308",
                                      "0.000000000000000000000000000000000000000000000000000000001",
                                      "1000000000000000000000000000000e-30",
                                      "0000000000000000000000000000000000000000000000001.5",
                                      "7.2057594037927933e16",
                                      "8.5899345920000005e+09",
                                      "inf",
                                      "-INF",
                                      "infinity",
                                      "Infinityx",
                                      "infinit",
                                      "nan",
                                      "NaN"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads(texts[i]);
}
END_TEST

/* An exponent that is compensated by as many zeros. */
START_TEST(test_far_exponents) {
  enum { ZEROS = 2000000 };
  static const char *const ends[] = {"1e2000001", "1e2000000", "1e20000000", "1e200000000000000000000", "1e-1"};
  char *text = malloc(ZEROS + 64);
  memset(text, '0', ZEROS + 2);
  text[1] = '.';
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    strcpy(text + 2 + ZEROS, ends[i]);
    assert_reads(text);
  }
  free(text);
}
END_TEST

START_TEST(test_no_numbers) {
  static const char *const texts[] = {"", "-", "+", ".", "-.", "e5", "x", " 1", "--1", "+-1", "in", "na", ".e5"};
  struct decimal decimal;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ck_assert_msg(decimal_scan(texts[i], '.', &decimal) == texts[i], "\"%s\" is a number", texts[i]);
  ck_assert_str_eq(decimal_scan("0x10", '.', &decimal), "x10");
}
END_TEST

/* Of every length and size, and the hardest cases of rounding: halfway between two neighbours. */
START_TEST(test_random) {
  char text[160];
  seed_draws(1 + ((uint64_t)seed_of_third() << 32));
  for (int i = some(200000); i > 0; i--) {
    double value = ldexp((double)draw(), (int)draw_below(200) - 160);
    snprintf(text, sizeof text, "%.*g", 1 + (int)draw_below(25), value);
    assert_reads(text);
    snprintf(text, sizeof text, "%.*f", (int)draw_below(30), value);
    assert_reads(text);
    double other = nextafter(value, INFINITY);
    snprintf(text, sizeof text, "%.*Lg", 15 + (int)draw_below(30), ((long double)value + (long double)other) / 2);
    assert_reads(text);
    snprintf(text, sizeof text, "%s%llue%d", i % 2 ? "-" : "", (unsigned long long)(draw() >> draw_below(64)),
             (int)draw_below(80) - 40);
    assert_reads(text);
  }
}
END_TEST

START_TEST(test_integers) {
  struct decimal decimal;
  int64_t is;
  char text[32];
  for (int i = 0; i < 10000; i++) {
    int64_t expected = (int64_t)draw() >> draw_below(64);
    snprintf(text, sizeof text, "%lld", (long long)expected);
    decimal_scan(text, '.', &decimal);
    if (!decimal_to_integer(&decimal, &is) || is != expected) ck_abort_msg("%s is read as a wrong int64", text);
  }
  static const char *const others[] = {"9223372036854775808",
                                       "-9223372036854775809",
                                       "18446744073709551617",
                                       "1.0",
                                       "1e3",
                                       "100000000000000000000",
                                       "nan",
                                       "inf"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    decimal_scan(others[i], '.', &decimal);
    ck_assert_msg(!decimal_to_integer(&decimal, &is), "%s is an int64", others[i]);
  }
}
END_TEST

/* Integers written in any way; nothing is rounded. */
START_TEST(test_values_that_are_integers) {
  static const struct {
    const char *text;
    int64_t expected;
  } whole[] = {{"1.0", 1},
               {"-2.50e1", -25},
               {"1e3", 1000},
               {"0e999999999999", 0},
               {"-0.000", 0},
               {"1000000000000000000000000000000e-30", 1},
               {"0.00000000000000000000000000000000001e36", 10},
               {"9007199254740993.0", 9007199254740993},
               {"9223372036854775807.00", INT64_MAX},
               {"-922337203685477580.8e1", INT64_MIN}};
  static const char *const others[] = {"0.5",
                                       "1e-400",
                                       "4.9e-324",
                                       "0.99999999999999999999999",
                                       "1.0000000000000000000000001",
                                       "9223372036854775807.5",
                                       "9223372036854775808.0",
                                       "1e19",
                                       "1e99999999999999999999",
                                       "nan",
                                       "inf"};
  struct decimal decimal;
  int64_t is;
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    decimal_scan(whole[i].text, '.', &decimal);
    ck_assert_msg(decimal_value_to_integer(&decimal, &is) && is == whole[i].expected, "%s is another int64",
                  whole[i].text);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    decimal_scan(others[i], '.', &decimal);
    ck_assert_msg(!decimal_value_to_integer(&decimal, &is), "%s is an int64", others[i]);
  }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- writing */

static void assert_comes_back(strew_dtype dtype, const void *element) {
  char text[NUMBER_BYTES];
  struct decimal decimal;
  union element is = {.i64 = 0};
  int length = write_float(dtype, element, text);
  const char *end = decimal_scan(text, '.', &decimal);
  if (end != text + length || *end || decimal.is_whole) ck_abort_msg("%s is written as a float", text);
  strew_scalar value = strew_float(decimal_to_double(&decimal, plain));
  strew_scalar_store(value, STREW_SATURATE, dtype, is.bytes, NULL);
  if (!same_element(dtype, is.bytes, element))
    ck_abort_msg("%s does not read back as %s", text, strew_dtype_name(dtype));
}

START_TEST(test_all_halves) {
  for (uint32_t bits = 0; bits < 1 << 16; bits++) {
    uint16_t half = (uint16_t)bits;
    assert_comes_back(STREW_FLOAT16, &half);
    assert_comes_back(STREW_BFLOAT16, &half);
  }
}
END_TEST

/* The value of `digits` decimal digits, the nearest ones plus `more` units of the last. */
static double nearest_of(double value, int digits, uint64_t more) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  uint64_t whole = 0;
  const char *at = text;
  for (; *at != 'e'; at++)
    if (*at != '.') whole = 10 * whole + (uint64_t)(*at - '0');
  const int exponent = atoi(at + 1) - digits + 1;
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)(whole + more), exponent);
  return strtod(text, NULL);
}

/* Of these the nearest decimal of a length may lie below, where elements are closer, and read back as another one. */
START_TEST(test_powers_of_two) {
  for (int exponent = -1074; exponent < 1024; exponent++) {
    char text[NUMBER_BYTES];
    const double value = ldexp(1, exponent);
    write_float(STREW_FLOAT64, &value, text);
    ck_assert_msg(strtod(text, NULL) == value, "%s reads back", text);
    struct decimal decimal;
    decimal_scan(text, '.', &decimal);
    uint64_t whole = decimal.digits;
    while (whole && whole % 10 == 0) whole /= 10;
    int digits = 0;
    for (; whole; whole /= 10) digits++;
    if (digits > 1 && (nearest_of(value, digits - 1, 0) == value || nearest_of(value, digits - 1, 1) == value))
      ck_abort_msg("%s is longer than needed", text);
  }
}
END_TEST

static struct decimal without_zeros(const char *text) {
  struct decimal decimal;
  decimal_scan(text, '.', &decimal);
  for (; decimal.digits && decimal.digits % 10 == 0; decimal.digits /= 10) decimal.exponent++;
  return decimal;
}

/* A normal number is written as the nearest decimal with the fewest digits that reads back; 15 and 6 always may. */
static void assert_shortest(strew_dtype dtype, const void *element, double value) {
  const bool is_double = dtype == STREW_FLOAT64;
  int digits = is_double ? 15 : 6, exponent;
  if (!isfinite(value) || fabs(value) < (is_double ? DBL_MIN : FLT_MIN) || fabs(frexp(value, &exponent)) == 0.5) return;
  for (value = fabs(value);; digits++) {
    const double nearest = nearest_of(value, digits, 0);
    if ((is_double ? nearest : (double)(float)nearest) == value) break;
  }
  char text[NUMBER_BYTES], expected[64];
  write_float(dtype, element, text);
  snprintf(expected, sizeof expected, "%.*e", digits - 1, value);
  const struct decimal is = without_zeros(text), wanted = without_zeros(expected);
  if (is.digits != wanted.digits || is.exponent != wanted.exponent) ck_abort_msg("%s for %s", text, expected);
}

START_TEST(test_random_floats) {
  seed_draws(2 + ((uint64_t)seed_of_third() << 32));
  for (int i = some(200000); i > 0; i--) {
    uint64_t bits = draw();
    double usual = ldexp((double)(bits >> 11), (int)draw_below(150) - 120);
    float narrow = (float)usual;
    assert_comes_back(STREW_FLOAT64, &bits);
    assert_comes_back(STREW_FLOAT32, &bits);
    assert_comes_back(STREW_FLOAT64, &usual);
    assert_comes_back(STREW_FLOAT32, &narrow);
    if (i % 4) continue;
    const double price = (double)(draw() >> draw_below(60)) / pow(10, (double)draw_below(12));
    const float narrow_price = (float)price;
    assert_shortest(STREW_FLOAT64, &usual, usual);
    assert_shortest(STREW_FLOAT32, &narrow, (double)narrow);
    assert_shortest(STREW_FLOAT64, &price, price);
    assert_shortest(STREW_FLOAT32, &narrow_price, (double)narrow_price);
  }
}
END_TEST

static void assert_written(double value, const char *expected) {
  char text[NUMBER_BYTES];
  write_float(STREW_FLOAT64, &value, text);
  ck_assert_str_eq(text, expected);
}

START_TEST(test_layout) {
  assert_written(0.1, "0.1");
  assert_written(-0.0, "-0.0");
  assert_written(12, "12.0");
  assert_written(1e15, "1000000000000000.0");
  assert_written(1e16, "1e+16");
  assert_written(123456789012345680.0, "1.2345678901234568e+17");
  assert_written(0.0001, "0.0001");
  assert_written(0.00012, "0.00012");
  assert_written(0.00001, "1e-05");
  assert_written(1.0 / 3, "0.3333333333333333");
  assert_written(2.0 / 3, "0.6666666666666666");
  assert_written(5e-324, "5e-324");
  assert_written(DBL_MAX, "1.7976931348623157e+308");
  assert_written(-DBL_MIN, "-2.2250738585072014e-308");
  assert_written(1e22, "1e+22");
  assert_written(1125899906842624.25, "1125899906842624.2"); /* ties go to the even digit */
  assert_written(1125899906842624.75, "1125899906842624.8");
  assert_written(1e-8 + 0x1p-60, "1.0000000000867362e-08"); /* bits of the product are lost */
  assert_written(100, "100.0");
  assert_written(0.3 - 0.1, "0.19999999999999998");
  assert_written(9007199254740992, "9007199254740992.0");
  assert_written(INFINITY, "inf");
  assert_written(-INFINITY, "-inf");
  assert_written(-NAN, "nan");
  float narrow = 0.1f;
  char text[NUMBER_BYTES];
  write_float(STREW_FLOAT32, &narrow, text);
  ck_assert_str_eq(text, "0.1");
}
END_TEST

/* A locale with a decimal comma in strtod's and printf's numbers. */
START_TEST(test_locale) {
  char folder[] = "/tmp/strew-locale-XXXXXX", command[256];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 %s/comma 2>/dev/null", folder);
  bool is_made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "comma");
  if (is_made) {
    ck_assert_str_eq(localeconv()->decimal_point, ",");
    ck_assert_double_eq(strtod("1,5", NULL), 1.5);
    struct decimal decimal;
    decimal_scan("1.5e300", '.', &decimal); /* through the C library */
    double is = decimal_to_double(&decimal, plain);
    setlocale(LC_ALL, "C");
    ck_assert_double_eq(is, 1.5e300);
    setlocale(LC_ALL, "comma");
    assert_written(2.5e-300, "2.5e-300");
    assert_written(2.5, "2.5");
    setlocale(LC_ALL, "C");
  } else {
    printf("without a locale whose decimal point is a comma (localedef, or its de_DE, is missing)\n");
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("number");
  TCase *all = new_case(suite, "numbers");
  tcase_add_checked_fixture(all, make_locale, free_locale);
  tcase_add_test(all, test_texts);
  tcase_add_test(all, test_far_exponents);
  tcase_add_test(all, test_no_numbers);
  tcase_add_test(all, test_random);
  tcase_add_test(all, test_integers);
  tcase_add_test(all, test_values_that_are_integers);
  tcase_add_test(all, test_all_halves);
  tcase_add_test(all, test_powers_of_two);
  tcase_add_test(all, test_random_floats);
  tcase_add_test(all, test_layout);
  tcase_add_test(all, test_locale);
  return suite;
}
