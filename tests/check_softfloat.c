/* check_softfloat.c: float arithmetic by integers (softfloat.h) against the processor's own, bit for bit.
   (devices: no, check_elementwise runs this arithmetic there.) */
#include "runtime/core/shared/softfloat.h"
#include "testing.h"

#include <inttypes.h>

enum { TURNS_EACH = 2000000 };

/* Bits with frequent corner cases: random ones, small exponents, neighbours of powers of two, few bits set, and
   exponents close to those of `near`. */
static uint64_t draw_any(struct float_format f, uint64_t near) {
  uint64_t bits = draw() & (2 * sign_of(f) - 1), fraction = ((uint64_t)1 << f.fraction) - 1;
  switch (draw_below(8)) {
  case 0: return bits & (sign_of(f) | (2 * fraction + 1));         /* denormal, or slightly larger */
  case 1: return (bits & ~fraction) + (uint64_t)draw_below(3) - 1; /* next to a power of two */
  case 2: return bits & ~fraction;                                 /* powers of two, zeros, infinities */
  case 3: return (near ^ (bits & (sign_of(f) | fraction))) + (bits & ~fraction & fraction * 4);
  case 4: return near ^ (bits & 7) ^ (draw_below(2) ? sign_of(f) : 0); /* nearly cancelling operands */
  case 5: return bits & draw();
  default: return bits;
  }
}

static uint64_t draw_bits(struct float_format f, uint64_t near) { return draw_any(f, near) & (2 * sign_of(f) - 1); }

/* An addend for a product: often close to it, of either sign. */
static uint64_t draw_addend(struct float_format f, uint64_t a, uint64_t b, uint64_t product) {
  return draw_bits(f, draw_below(2) ? product : a ^ b);
}

static uint64_t without_payload(uint64_t bits, struct float_format f) {
  return magnitude_in(bits, f) > infinity_of(f) ? nan_of(f) : bits;
}

static void expect_bits(struct float_format f, const char *what, uint64_t a, uint64_t b, uint64_t is,
                        uint64_t expected) {
  if (without_payload(is, f) == without_payload(expected, f)) return;
  ck_abort_msg("%s of %#" PRIx64 " and %#" PRIx64 " is %#" PRIx64 ", not %#" PRIx64, what, a, b, is, expected);
}

static void expect_integer(uint64_t bits, struct float_format f, int64_t expected) {
  int64_t is = truncate_float(bits, f);
  if (is != expected) ck_abort_msg("%#" PRIx64 " becomes %" PRId64 ", not %" PRId64, bits, is, expected);
}

static float single(uint64_t bits) { return float_of_bits((uint32_t)bits); }

static void start_draws(int i) { seed_draws((uint64_t)i + ((uint64_t)seed_of_third() << 32)); }

START_TEST(float32_is_the_processors) {
  const struct float_format f = FORMAT_FLOAT32;
  uint64_t a = 0;
  start_draws(_i);
  for (int turn = some(TURNS_EACH); turn > 0; turn--) {
    uint64_t b = a;
    a = draw_bits(f, b);
    const uint64_t c = draw_addend(f, a, b, soft_times(a, b, f));
    expect_bits(f, "sum", a, b, soft_plus(a, b, f), bits_of_float(single(a) + single(b)));
    expect_bits(f, "product", a, b, soft_times(a, b, f), bits_of_float(single(a) * single(b)));
    expect_bits(f, "fused product", a, b, soft_fused(a, b, c, f), bits_of_float(fmaf(single(a), single(b), single(c))));
    expect_bits(f, "fused product in float64", a, b, bits_of_float(fused_f32(single(a), single(b), single(c))),
                bits_of_float(fmaf(single(a), single(b), single(c))));
    expect_bits(f, "quotient", a, b, soft_divide(a, b, f), bits_of_float(single(a) / single(b)));
    expect_bits(f, "root", a, b, soft_root(a, f), bits_of_float(sqrtf(single(a))));
    expect_bits(f, "a < b", a, b, soft_less(a, b, f), single(a) < single(b));
    expect_bits(f, "a == b", a, b, soft_equal(a, b, f), single(a) == single(b));
  }
}
END_TEST

START_TEST(remainders_are_the_librarys) {
  const struct float_format f = FORMAT_FLOAT32;
  uint64_t a = 0;
  start_draws(_i);
  for (int turn = some(TURNS_EACH); turn > 0; turn--) {
    uint64_t b = a;
    a = draw_bits(f, b);
    expect_bits(f, "remainder", a, b, soft_fmod(a, b, f), bits_of_float(fmodf(single(a), single(b))));
  }
}
END_TEST

START_TEST(float64_is_the_processors) {
  const struct float_format f = FORMAT_FLOAT64;
  uint64_t a = 0;
  start_draws(_i);
  for (int turn = some(TURNS_EACH); turn > 0; turn--) {
    uint64_t b = a;
    a = draw_bits(f, b);
    const uint64_t c = draw_addend(f, a, b, soft_times(a, b, f));
    double x = double_of_bits(a), y = double_of_bits(b), z = double_of_bits(c);
    expect_bits(f, "sum", a, b, soft_plus(a, b, f), bits_of_double(x + y));
    expect_bits(f, "product", a, b, soft_times(a, b, f), bits_of_double(x * y));
    expect_bits(f, "fused product", a, b, soft_fused(a, b, c, f), bits_of_double(fma(x, y, z)));
    expect_bits(f, "a < b", a, b, soft_less(a, b, f), x < y);
  }
}
END_TEST

START_TEST(conversions_are_the_processors) {
  const struct float_format from = FORMAT_FLOAT64, to = FORMAT_FLOAT32;
  start_draws(_i);
  for (int turn = some(TURNS_EACH); turn > 0; turn--) {
    /* in the range of float32 with digits to round, and of any size */
    uint64_t single_bits = draw_bits(to, 0), bits = draw_bits(from, 0);
    if (turn % 2) bits = bits_of_double((double)single(single_bits)) ^ (draw() >> (35 + draw_below(29)));
    double x = double_of_bits(bits);
    int64_t i = (int64_t)(draw() >> draw_below(64));
    expect_bits(to, "float32 of float64", bits, 0, convert_format(bits, from, to), bits_of_float((float)x));
    expect_bits(from, "float64 of float32", single_bits, 0, convert_format(single_bits, to, from),
                bits_of_double((double)single(single_bits)));
    expect_bits(to, "float32 of int64", (uint64_t)i, 0, round_integer(i, to), bits_of_float((float)i));
    expect_bits(from, "float64 of int64", (uint64_t)i, 0, round_integer(i, from), bits_of_double((double)i));
    expect_integer(bits, from, i64_from_f64(x));
    expect_integer(single_bits, to, i64_from_f32(single(single_bits)));
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("softfloat");
  TCase *all = new_case(suite, "arithmetic by integers");
  tcase_add_loop_test(all, float32_is_the_processors, 0, 6);
  tcase_add_test(all, remainders_are_the_librarys);
  tcase_add_loop_test(all, float64_is_the_processors, 0, 3);
  tcase_add_test(all, conversions_are_the_processors);
  return suite;
}
