/* check_exponential.c: exponential.h against the C library in the next wider type, in units in the last place (ulp). */
#include "runtime/shared/exponential.h"
#include "testing.h"

#include <float.h>

/* Returns the distance of `is` from `expected` in ulps of a format with that many digits and that lowest exponent. */
static double units_off(long double is, long double expected, int digits, int lowest) {
  if (is == expected || (isnan(is) && isnan(expected))) return 0;
  if (!isfinite(is) || !isfinite(expected)) return INFINITY;
  int exponent = expected == 0 || ilogbl(expected) < lowest ? lowest : ilogbl(expected);
  return (double)(fabsl(is - expected) / ldexpl(1, exponent - digits + 1));
}

/* A value that would round to infinity is infinity. */
static double off_f32(float is, double expected) {
  if (expected > 0x1.ffffffp127) expected = INFINITY;
  return units_off(is, expected, 24, -126);
}
static double off_f64(double is, long double expected) {
  if (expected > 0x1.fffffffffffff8p1023L) expected = INFINITY;
  return units_off(is, expected, 53, -1022);
}

/* Floats of every magnitude: every n-th bit pattern, another subset in each of the SLICES tests. */
enum { STEP = 997, SLICES = 4 };

static double worst_of(float (*function)(float), double (*wide)(double), uint64_t first) {
  double worst = 0;
  for (uint64_t bits = first; bits <= UINT32_MAX; bits += STEP * SLICES) {
    float x = float_of_bits((uint32_t)bits);
    double off = off_f32(function(x), wide((double)x));
    if (off > worst) worst = off;
  }
  return worst;
}

START_TEST(float32_is_near) {
  uint64_t first = (uint64_t)_i * STEP;
  double of_exp = worst_of(exp_f32, exp, first), of_tanh = worst_of(tanh_f32, tanh, first);
  ck_assert_msg(of_exp < 0.8, "exp is off by %g units", of_exp);
  ck_assert_msg(of_tanh < 1, "tanh is off by %g units", of_tanh);
}
END_TEST

/* The ranges with normal and with denormal results. */
/* Valgrind computes long double with 64 bits instead of 80. */
static bool is_long_double_wider(void) {
  volatile long double one = 1;
  return one + 0x1p-60L != one;
}

START_TEST(float64_is_near) {
  static const struct { double low, high, most; } ranges[] = {{-1, 1, 0.7}, {-708, 709.78, 0.7}, {-746, -708, 0.8}};
  if (!is_long_double_wider()) {
    printf("float64 is not compared: long double has no more bits here\n");
    return;
  }
  seed_draws((uint64_t)_i);
  for (int i = 0; i < some(300000); i++) {
    double x = ranges[_i].low + (ranges[_i].high - ranges[_i].low) * (double)(draw() >> 11) * 0x1p-53;
    double off = off_f64(exp_f64(x), expl((long double)x));
    ck_assert_msg(off < ranges[_i].most, "exp of %a is off by %g units", x, off);
  }
}
END_TEST

START_TEST(ends_are_exact) {
  ck_assert(exp_f32(0) == 1 && exp_f32(-0.0f) == 1 && exp_f64(0) == 1 && exp_f64(-0.0) == 1);
  ck_assert(exp_f32(INFINITY) == INFINITY && exp_f32(88.73f) == INFINITY && exp_f32(FLT_MAX) == INFINITY);
  ck_assert(exp_f64(INFINITY) == INFINITY && exp_f64(709.79) == INFINITY && exp_f64(DBL_MAX) == INFINITY);
  ck_assert(exp_f32(-INFINITY) == 0 && exp_f32(-104) == 0 && exp_f32(-FLT_MAX) == 0);
  ck_assert(exp_f64(-INFINITY) == 0 && exp_f64(-745.14) == 0 && exp_f64(-DBL_MAX) == 0);
  ck_assert(exp_f32(-103.9f) == 0x1p-149f && exp_f64(-745.1) == 0x1p-1074);
  ck_assert(isnan(exp_f32(NAN)) && isnan(exp_f64(NAN)) && isnan(tanh_f32(NAN)) && isnan(tanh_f64(NAN)));
  ck_assert(tanh_f32(INFINITY) == 1 && tanh_f32(-INFINITY) == -1 && tanh_f32(FLT_MAX) == 1);
  ck_assert(bits_of_float(tanh_f32(-0.0f)) == 0x80000000u && bits_of_float(tanh_f32(0)) == 0);
  ck_assert(tanh_f32(0x1p-149f) == 0x1p-149f && tanh_f32(-0x1p-149f) == -0x1p-149f);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("exponential");
  TCase *all = new_case(suite, "against the library");
  tcase_add_loop_test(all, float32_is_near, 0, SLICES);
  tcase_add_loop_test(all, float64_is_near, 0, 3);
  tcase_add_test(all, ends_are_exact);
  return suite;
}
