/* check_functions.c: the functions of shared/ against the C library in the next wider type, in
   units in the last place (ulp); their special values; and their bits, in C and on the device. STREW_TEST_EVERY=1:
   every float32. */
#include "runtime/elementwise/shared/halves.h"
#include "testing.h"

#include <float.h>
#include <string.h>

/* The functions, the largest error of each, and digests of results. */
#define FUNCTIONS(X)                                                                                                   \
  X(EXP, exp, 0.8, 0.8, 0x1a1c42becc33ab52u, 0x86acfb00e0cd81c3u)                                                      \
  X(LOG, log, 0.7, 0.7, 0x6f59824b21d2fefdu, 0xf5f250288e079aa9u)                                                      \
  X(LOG2, log2, 0.8, 0.8, 0x9e7500fb96dc59a4u, 0x33d7a8c51842b03du)                                                    \
  X(LOG10, log10, 0.7, 0.7, 0xbebd7384c7b1afa7u, 0x9f000efdbecd802eu)                                                  \
  X(LOG1P, log1p, 0.7, 0.7, 0x80dce9ce3799d978u, 0xad820da0045db631u)                                                  \
  X(EXPM1, expm1, 0.65, 0.65, 0x264e5fae9d2ea0eu, 0x7ee698383aa0a9b7u)                                                 \
  X(TANH, tanh, 1, 0.65, 0x95ae145b461b93ffu, 0x7d9e1100a61c933du)                                                     \
  X(SIN, sin, 0.8, 0.8, 0x5f7bd48c00a80dbu, 0x1bcbeebfc2aa92d7u)                                                       \
  X(COS, cos, 0.8, 0.8, 0xe97666b17e40ec58u, 0xbd5588e2fcada728u)                                                      \
  X(TAN, tan, 0.95, 0.95, 0x4cc24825cea48b12u, 0x51731329ed016beu)                                                     \
  X(ASIN, asin, 0.7, 0.75, 0xbbbbb5e4378bacc8u, 0xeff1dd375b643e1du)                                                   \
  X(ACOS, acos, 0.65, 0.7, 0x1749b6db1a590bb4u, 0xe02312463c506b2au)                                                   \
  X(ATAN, atan, 0.7, 0.75, 0x2a23bd54627a29fdu, 0x9f1002e8cec6ed9fu)                                                   \
  X(SINH, sinh, 0.8, 0.85, 0x18c77ebc5fc723e9u, 0xe7ec785e7b85f5afu)                                                   \
  X(COSH, cosh, 0.6, 0.6, 0x140fb16a05a2315fu, 0xb44cd04c86322740u)                                                    \
  X(ASINH, asinh, 0.7, 0.75, 0xcefd6926774bd59au, 0xe32dbf9e2cf98205u)                                                 \
  X(ACOSH, acosh, 0.65, 0.65, 0x50f4f9e51331b8c0u, 0x4c8fb28c226e72c7u)                                                \
  X(ATANH, atanh, 0.7, 0.65, 0x9cf5cd10d3cb6081u, 0xde5d428731696c80u)                                                 \
  X(EXP2, exp2, 0.8, 0.8, 0xbcb24d5dcb8f5b69u, 0x215e089b414d5fd3u)                                                    \
  X(ERF, erf, 0.85, 0.8, 0x3e57146d6762041cu, 0x11696977f64b85d6u)                                                     \
  X(ERFC, erfc, 0.85, 0.85, 0xab26ac19c34306eeu, 0x5c8473d7e1718267u)                                                  \
  X(GELU, gelu, 0.85, 0.85, 0x65763f983ac1dd3au, 0xb9db19be10c2c7a9u)                                                  \
  X(CBRT, cbrt, 0.55, 0.55, 0xe062a48ccf759324u, 0xe77979940a201e51u)                                                  \
  X(RSQRT, rsqrt, 0.51, 0.51, 0xae2c20807e913559u, 0x15ba2c4d47ab6757u)                                                \
  X(SIGMOID, sigmoid, 0.8, 0.8, 0x2c8c989c5e7a7022u, 0xe8e980d6827ad923u)                                              \
  X(SILU, silu, 0.85, 0.8, 0xd321ab9ecb175dc7u, 0x16d5c0cd466e2173u)                                                   \
  X(GELU_TANH, gelu_tanh, 0.95, 0.8, 0x858a16e1f0c29e42u, 0xe29c158849ae3271u)

/* x Phi(x) */
static double gelu(double x) { return x < -40 ? -0.0 : x / 2 * erfc(-x * sqrt(0.5)); }
static long double gelul(long double x) {
  const long double root = sqrtl(0.5L), rest = fmal(-root, root, 0.5L) / (2 * root), y = -x * root;
  const long double lost = fmal(-x, root, -y) - x * rest; /* erfc(y + lost) = erfc(y) e^(-2 y lost) */
  return x < -40 ? -0.0L : x > 40 ? x : x / 2 * erfcl(y) * expl(-2 * y * lost);
}

/* The library has none of these. */
static double rsqrt(double x) { return 1 / sqrt(x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static double silu(double x) { return isinf(x) && x < 0 ? -0.0 : x * sigmoid(x); }
static long double silul(long double x) { return isinf(x) && x < 0 ? -0.0L : x * sigmoidl(x); }
/* x sigmoid(z), where z is 2 sqrt(2 / pi) (x + 0.044715 x^3): rounding it would count. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 widest;
#else
typedef long double widest;
#endif
static long double gelu_tanhl(long double x) {
  if (!(fabsl(x) < 40)) return x < 0 ? -0.0L : x;
  const widest scale = (widest)0x1.9884533d43651p0 - (widest)0x1.cbc0d30ebfd15p-54, wide = x;
  const widest z = scale * (wide + wide * wide * wide * 44715 / 1000000);
  const long double power = expl(-fabsl((long double)z)), lost = (long double)(z - (long double)z);
  return z < 0 ? x * power * (1 + lost) / (1 + power) : x / (1 + power);
}
static double gelu_tanh(double x) { return (double)gelu_tanhl((long double)x); }

static const struct {
  strew_unary_op op;
  const char *name;
  float (*of_f32)(float);
  double (*wide_f32)(double);
  double most_f32;
  uint64_t digest_f32;
  double (*of_f64)(double);
  long double (*wide_f64)(long double);
  double most_f64;
  uint64_t digest_f64;
  float (*of_f16)(float);
} functions[] = {
#define ROW(ENUM, name, most_f32, most_f64, digest_f32, digest_f64)                                                    \
  {STREW_##ENUM, #name, name##_f32, name, most_f32, digest_f32, name##_f64, name##l, most_f64, digest_f64, name##_f16},
    FUNCTIONS(ROW)
#undef ROW
};
enum { COUNT = sizeof functions / sizeof *functions };

/* Returns the distance of `is` from `expected` in ulps of a format with that many digits and that lowest exponent. */
static double units_off(long double is, long double expected, int digits, int lowest) {
  if (isnan(is) && isnan(expected)) return 0;
  if (!signbit(is) != !signbit(expected)) return INFINITY;
  if (is == expected) return 0;
  if (!isfinite(is) || !isfinite(expected)) return INFINITY;
  int exponent = expected == 0 || ilogbl(expected) < lowest ? lowest : ilogbl(expected);
  return (double)(fabsl(is - expected) / ldexpl(1, exponent - digits + 1));
}

/* A value that would round to infinity is infinity. */
static double off_f32(float is, double expected) {
  if (fabs(expected) >= 0x1.ffffffp127) expected = copysign(INFINITY, expected);
  return units_off(is, expected, 24, -126);
}
static double off_f64(double is, long double expected) {
  if (fabsl(expected) - 0x1p970L >= (long double)DBL_MAX) expected = copysignl(INFINITY, expected);
  return units_off(is, expected, 53, -1022);
}

/* Floats of every magnitude: every n-th bit pattern, another subset in each of the SLICES tests. _i: function and
   slice */
enum { STEP = 997, SLICES = 4 };

START_TEST(float32_is_near) {
  if (!chosen(_i, 3)) return;
  const int f = _i / SLICES;
  const bool every = getenv("STREW_TEST_EVERY") != NULL;
  const uint64_t first = (uint64_t)(_i % SLICES) * (every ? 1 : STEP), step = every ? SLICES : STEP * SLICES;
  double worst = 0;
  float at = 0;
  for (uint64_t bits = first; bits <= UINT32_MAX; bits += step) {
    const float x = float_of_bits((uint32_t)bits);
    const double off = off_f32(functions[f].of_f32(x), functions[f].wide_f32((double)x));
    if (off > worst) worst = off, at = x;
  }
  if (every) printf("%s of float32, slice %d: %.4f units at %a\n", functions[f].name, _i % SLICES, worst, at);
  ck_assert_msg(worst < functions[f].most_f32, "%s of %a is off by %g units", functions[f].name, at, worst);
}
END_TEST

/* Valgrind computes long double with 64 bits instead of 80. */
static bool is_long_double_wider(void) {
  volatile long double one = 1;
  return one + 0x1p-60L != one;
}

/* Errors of float64 where long double is no wider, as on 32-bit ARM: what the C library computes is rounded, too, and by
   up to a unit wrong. (The sweeps of float64 are left out there: digests compare all bits.) */
static double by_library(double most) { return is_long_double_wider() ? most : most + 1; }

/* Returns x rounded to a 16-bit float; *unsure counts those too near a tie to tell. */
static unsigned rounded_to(struct float_format f, long double x, int *unsure) {
  const unsigned sign = signbit(x) ? 0x8000 : 0, infinity = (unsigned)infinity_of(f);
  if (isnan(x) || isinf(x) || x == 0) return isnan(x) ? 0xffff : sign | (isinf(x) ? infinity : 0);
  const int exponent = ilogbl(x) < f.lowest ? f.lowest : ilogbl(x);
  const long double scaled = ldexpl(fabsl(x), f.fraction - exponent), whole = floorl(scaled), part = scaled - whole;
  *unsure += part != 0.5L && fabsl(part - 0.5L) < 0x1p-40L;
  const bool up = part > 0.5L || (part == 0.5L && fmodl(whole, 2) == 1);
  const unsigned bits = ((unsigned)(exponent - f.lowest) << f.fraction) + (unsigned)whole + up;
  return sign | (bits < infinity ? bits : infinity);
}

/* Every 16-bit float. */
enum { HALVES = 65536 };
START_TEST(halves_are_rounded) {
  const unsigned step = HALVES / (unsigned)some(HALVES);
  int unsure = 0;
  if (!is_long_double_wider()) return;
  for (int is_brain = 0; is_brain < 2; is_brain++)
    for (unsigned i = (unsigned)_i % step; i < HALVES; i += step) {
      const struct float_format format = is_brain ? FORMAT_BFLOAT16 : FORMAT_FLOAT16;
      const float x = is_brain ? load_bf16((uint16_t)i) : load_f16((uint16_t)i);
      const float y = is_brain ? functions[_i].of_f32(x) : functions[_i].of_f16(x);
      const unsigned expected = rounded_to(format, functions[_i].wide_f64((long double)x), &unsure);
      const unsigned is = isnan(y) ? 0xffff : is_brain ? store_bf16(y) : store_f16(y);
      ck_assert_msg(is == expected, "%s of %a is %#x, not %#x", functions[_i].name, (double)x, is, expected);
    }
  ck_assert_int_eq(unsure, 0);
}
END_TEST

/* Random numbers of these ranges, and random bits. The last ranges: exp is denormal there. */
START_TEST(float64_is_near) {
  static const struct { double low, high; } ranges[] = {{-1, 1}, {0.5, 2}, {-40, 40}, {-708, 709.78}, {-746, -708}};
  enum { RANGES = sizeof ranges / sizeof *ranges };
  if (!is_long_double_wider()) {
    printf("float64 is not compared: long double has no more bits here\n");
    return;
  }
  seed_draws((uint64_t)_i);
  for (int i = 0; i < some(600000); i++) {
    const int range = i % (RANGES + 1);
    const uint64_t word = draw();
    double x = double_of_bits(word);
    if (range < RANGES)
      x = ranges[range].low + (ranges[range].high - ranges[range].low) * (double)(word >> 11) * 0x1p-53;
    const double off = off_f64(functions[_i].of_f64(x), functions[_i].wide_f64((long double)x));
    ck_assert_msg(off < functions[_i].most_f64, "%s of %a is off by %g units", functions[_i].name, x, off);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------------- pow */

static double between(double low, double high) { return low + (high - low) * (double)(draw() >> 11) * 0x1p-53; }

/* Any bits; common numbers; results of all magnitudes, also of x near 1; cubes. */
enum { KINDS = 6 };
static void draw_powers(int kind, double largest, double *x, double *y) {
  const double exponent = between(-1.1, 1.1) * largest;
  switch (kind) {
  case 0: *x = double_of_bits(draw()), *y = double_of_bits(draw()); break;
  case 1: *x = between(0, 10), *y = between(-10, 10); break;
  case 2: *x = ldexp(between(1, 2), (int)between(-largest, largest)), *y = exponent / log2(*x); break;
  case 3: *x = 1 + ldexp(between(-1, 1), -(int)draw_below(40)), *y = exponent / log2(*x); break;
  case 4: *x = ldexp(between(-2, 2), (int)between(-largest, largest) / 2), *y = 3; break;
  default: *x = -(double)draw_below(100), *y = (double)(draw_below(81) - 40) / 2;
  }
}

START_TEST(powers_are_near) {
  const bool wider = is_long_double_wider();
  seed_draws((uint64_t)_i);
  for (int i = 0; i < some(300000); i++) {
    double x, y;
    draw_powers(_i, 128, &x, &y);
    const float a = (float)x, b = (float)y;
    const double off = off_f32(pow_f32(a, b), pow((double)a, (double)b));
    ck_assert_msg(off < 0.8, "pow_f32(%a, %a) is off by %g units", a, b, off);
    draw_powers(_i, 1024, &x, &y);
    const double off_64 = wider ? off_f64(pow_f64(x, y), powl((long double)x, (long double)y)) : 0;
    ck_assert_msg(off_64 < 0.8, "pow_f64(%a, %a) is off by %g units", x, y, off_64);
  }
}
END_TEST

/* C11, F.10.4.4, and exact powers; the C library knows these, too. */
START_TEST(special_powers_are_exact) {
  const double x[] = {0,   -0.0, 1,   -1, 0.5,  -0.5, 2,  -2,    3,        -3,        10,
                      1.5, -1.5, 1e9, 7,  1e-5, NAN,  -8, 65536, INFINITY, -INFINITY, 0x1p-149};
  const double y[] = {0,         -0.0, 1,        -1,       2,       -2,       3,      -3,      0.5,
                      -0.5,      5,    -5,       10,       15,      -2.5,     1e9,    1e9 + 1, INFINITY,
                      -INFINITY, NAN,  16777216, 16777217, 8388609, -8388609, 0x1p53, 0x1p-149};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++)
    for (size_t j = 0; j < sizeof y / sizeof *y; j++) {
      const float a = (float)x[i], b = (float)y[j];
      const double f32 = pow_f32(a, b), f64 = pow_f64(x[i], y[j]);
      const double expected = pow((double)a, (double)b), exact = (double)(float)expected;
      ck_assert_msg(off_f32((float)f32, expected) < 0.8, "pow_f32(%a, %a) is %a, not %a", a, b, f32, expected);
      ck_assert_msg(exact != expected || f32 == expected, "pow_f32(%a, %a) is %a, not %a", a, b, f32, expected);
      ck_assert_msg(off_f64(f64, (long double)pow(x[i], y[j])) <= 1, "pow_f64(%a, %a) is %a", x[i], y[j], f64);
    }
  for (int base = 2; base < 20; base++) {
    double power = 1;
    for (int i = 0; power < 0x1p53; i++, power *= base)
      ck_assert(pow_f64(base, i) == power && pow_f64(-base, 2 * i) > 0);
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------ other pairs of numbers */

/* As for FUNCTIONS; digests of digest_pairs. */
#define PAIRS(X)                                                                                                       \
  X(ATAN2, atan2, 0.75, 0x6885d8849011bd62u, 0x9a96fdf24627e8dfu)                                                      \
  X(HYPOT, hypot, 0.75, 0x45160e6f5ebd77b7u, 0xf7bcb6a9abe3ea7fu)                                                      \
  X(LOGADDEXP, logaddexp, 0.95, 0x7f6eb4956b3ae65eu, 0xce1865a5c60a45a5u)

/* The library has no logaddexp. */
static long double logaddexpl(long double a, long double b) {
  const long double high = fmaxl(a, b), low = fminl(a, b);
  if (isnan(a) || isnan(b)) return NAN;
  return isinf(high) ? high : high + log1pl(expl(low - high));
}
static double logaddexp(double a, double b) { return (double)logaddexpl((long double)a, (long double)b); }

static const struct {
  strew_binary_op op;
  const char *name;
  float (*of_f32)(float, float);
  double (*wide_f32)(double, double), (*of_f64)(double, double);
  long double (*wide_f64)(long double, long double);
  double most;
  uint64_t digest_f32, digest_f64;
} pairs[] = {
#define ROW(ENUM, name, most, digest_f32, digest_f64)                                                                  \
  {STREW_##ENUM, #name, name##_f32, name, name##_f64, name##l, most, digest_f32, digest_f64},
    PAIRS(ROW)
#undef ROW
};
enum { PAIRS_COUNT = sizeof pairs / sizeof *pairs };

/* Any bits; small numbers; near each other in magnitude; whole numbers. */
static void draw_pair(int kind, bool positive, double *x, double *y) {
  const double scale = ldexp(1, (int)draw_below(200) - 100);
  switch (kind % 4) {
  case 0: *x = double_of_bits(draw()), *y = double_of_bits(draw()); break;
  case 1: *x = between(-4, 4), *y = between(-4, 4); break;
  case 2: *x = between(-1, 1) * scale, *y = between(-1, 1) * scale; break;
  default: *x = (double)draw_below(99) - 49, *y = (double)draw_below(99) - 49;
  }
  if (positive) *x = fabs(*x), *y = fabs(*y);
}

/* logaddexp of a negative number may cancel. */
START_TEST(pairs_are_near) {
  const bool wider = is_long_double_wider(), positive = pairs[_i].op == STREW_LOGADDEXP;
  seed_draws((uint64_t)_i);
  for (int i = 0; i < some(1000000); i++) {
    double x, y;
    draw_pair(i, positive, &x, &y);
    const float a = i % 4 ? (float)x : float_of_bits((uint32_t)draw()),
                b = i % 4 ? (float)y : float_of_bits((uint32_t)draw());
    if (!positive || (a >= 0 && b >= 0)) {
      const double off = off_f32(pairs[_i].of_f32(a, b), pairs[_i].wide_f32((double)a, (double)b));
      ck_assert_msg(off < pairs[_i].most, "%s of %a and %a is off by %g units", pairs[_i].name, (double)a, (double)b,
                    off);
    }
    const long double expected = pairs[_i].wide_f64((long double)x, (long double)y);
    const double off_64 = wider ? off_f64(pairs[_i].of_f64(x, y), expected) : 0;
    ck_assert_msg(off_64 < pairs[_i].most, "%s of %a and %a is off by %g units", pairs[_i].name, x, y, off_64);
  }
}
END_TEST

/* C11, F.10.1.4 and F.10.4.3: every pair of these. */
START_TEST(special_pairs_are_exact) {
  const double numbers[] = {0,       -0.0,     1,        -1,        0x1p-149, -0x1p-149, 0x1p-126, 3,         -4,
                            FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN,      0x1p60,    -0x1p-60, 0x1p-1074, DBL_MAX};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  for (int i = 0; i < NUMBERS * NUMBERS; i++) {
    const double x = numbers[i / NUMBERS], y = numbers[i % NUMBERS];
    const float a = (float)x, b = (float)y;
    const double f32 = (double)pairs[_i].of_f32(a, b), f64 = pairs[_i].of_f64(x, y);
    ck_assert_msg(off_f32((float)f32, pairs[_i].wide_f32((double)a, (double)b)) < 1, "%s_f32(%a, %a) is %a",
                  pairs[_i].name, (double)a, (double)b, f32);
    const double off = off_f64(f64, pairs[_i].wide_f64((long double)x, (long double)y));
    ck_assert_msg(off < by_library(1), "%s_f64(%a, %a) is %a", pairs[_i].name, x, y, f64);
  }
}
END_TEST

/* ------------------------------------------------------------------------------------------- pairs of 16-bit floats */

static const struct {
  strew_binary_op op;
  const char *name;
  float (*of_f32)(float, float), (*of_f16)(float, float), (*of_bf16)(float, float);
  long double (*wide)(long double, long double);
} settled[] = {
#define ROW(ENUM, name, cancels) {STREW_##ENUM, #name, name##_f32, name##_f16, name##_bf16, name##l},
    STREW_TIED(ROW)
#undef ROW
};
enum { SETTLED = 2 * sizeof settled / sizeof *settled }; /* of float16, of bfloat16 */

static float half_of(uint16_t bits, bool is_brain) { return is_brain ? load_bf16(bits) : load_f16(bits); }
static unsigned half_bits(float x, bool is_brain) {
  return isnan(x) ? 0xffff : is_brain ? store_bf16(x) : store_f16(x);
}

/* Exact powers and roots may be off by one long double. A tiny angle is below the quotient, by less than quotients
   are from the middle between two. */
static unsigned rounded_pair(int f, bool is_brain, float a, float b, int *unsure) {
  const long double x = (long double)a, y = (long double)b;
  long double expected = settled[f].wide(x, y);
  if (settled[f].op == STREW_POW || settled[f].op == STREW_HYPOT) expected = (long double)(double)expected;
  if (settled[f].op == STREW_ATAN2 && y > 0 && fabsl(x / y) < 0x1p-15L) expected = x / y * (1 - 0x1p-30L);
  return rounded_to(is_brain ? FORMAT_BFLOAT16 : FORMAT_FLOAT16, expected, unsure);
}
static void check_pair(int f, bool is_brain, float a, float b, int *unsure) {
  const unsigned expected = rounded_pair(f, is_brain, a, b, unsure);
  const unsigned is = half_bits((is_brain ? settled[f].of_bf16 : settled[f].of_f16)(a, b), is_brain);
  ck_assert_msg(is == expected, "%s of %a and %a is %#x, not %#x", settled[f].name, (double)a, (double)b, is, expected);
}

/* All second numbers of some first ones, or of all: those whose result is near the middle between two, or differs from
   that of float32. 0 is among the first: softplus. _i: function and dtype */
START_TEST(pairs_of_halves_are_rounded) {
  const bool every = getenv("STREW_TEST_EVERY") != NULL, is_brain = _i % 2;
  const int f = _i / 2, firsts = every ? HALVES : some(60);
  int unsure = 0;
  if (!is_long_double_wider()) return;
  seed_draws((uint64_t)_i);
  for (int i = 0; i < firsts; i++) {
    const uint64_t near_one = (is_brain ? 0x3c00 : 0x2c00) + draw_below(is_brain ? 0x600 : 0x2000);
    const float a = half_of((uint16_t)(every || i == 0 ? (uint64_t)i
                                       : i % 4         ? near_one | draw_below(2) << 15
                                                       : draw()),
                            is_brain);
    for (unsigned k = 0; k < HALVES; k++) {
      const float b = half_of((uint16_t)k, is_brain), y = settled[f].of_f32(a, b), size = fmaxf(fabsf(a), fabsf(b));
      const float off = fabsf(y) * 0x1p-20f + (settled[f].op == STREW_LOGADDEXP ? size * 0x1p-24f : 0);
      const float is = (is_brain ? settled[f].of_bf16 : settled[f].of_f16)(a, b);
      if (half_bits(y - off, is_brain) != half_bits(y + off, is_brain) ||
          half_bits(is, is_brain) != half_bits(y, is_brain))
        check_pair(f, is_brain, a, b, &unsure);
    }
  }
  ck_assert_int_eq(unsure, 0);
}
END_TEST

/* Pairs whose float32 result, a tie or near one, rounds to the farther 16-bit float. */
static const struct hard {
  strew_binary_op op;
  bool is_brain;
  float a, b;
} hard_pairs[] = {
    {STREW_POW, false, 0x1.514p10f, -0x1.ce8p-12f},
    {STREW_POW, false, 0x1.618p15f, 0x1.fc8p-4f},
    {STREW_POW, false, 0x1.124p0f, -0x1.d0cp-9f},
    {STREW_POW, false, 0x1.09cp-12f, 0x1.6ecp-6f},
    {STREW_POW, true, 0x1.eap-116f, -0x1.18p-3f},
    {STREW_POW, true, 0x1.04p76f, -0x1.bep-5f},
    {STREW_ATAN2, false, -0x1.008p-14f, 0x1.56p9f},
    {STREW_ATAN2, false, 0x1.8p-17f, 0x1p7f},
    {STREW_ATAN2, false, 0x1.9fcp6f, -0x1.e58p-12f},
    {STREW_ATAN2, false, 0x1.54cp-3f, 0x1p12f},
    {STREW_ATAN2, true, -0x1.02p-68f, 0x1.58p64f},
    {STREW_ATAN2, true, 0x1.aap-9f, 0x1.1cp124f},
    {STREW_ATAN2, true, 0x1.8p-126f, 0x1p7f},
    {STREW_HYPOT, false, 0x1.204p9f, -0x1.448p14f},
    {STREW_HYPOT, false, 0x1.448p-8f, -0x1.204p-13f},
    {STREW_HYPOT, false, 0x1.8p-12f, 0x1.9fp-16f},
    {STREW_HYPOT, false, -0x1.a28p3f, 0x1.2f8p7f},
    {STREW_LOGADDEXP, false, 0x1.e8p-16f, -0x1.86p-14f},
    {STREW_LOGADDEXP, false, -0x1.ba8p1f, 0x1.eecp-13f},
    {STREW_LOGADDEXP, false, -0x1.c8cp-4f, -0x1.81cp0f},
    {STREW_LOGADDEXP, false, 0x0p0f, -0x1.0cp-14f},
    {STREW_LOGADDEXP, true, 0x1.dap-13f, 0x1.ap-13f},
    {STREW_LOGADDEXP, true, -0x1.eap-6f, 0x1p-1f},
};
enum { HARD = sizeof hard_pairs / sizeof *hard_pairs };
START_TEST(hard_pairs_are_rounded) {
  const struct hard pair = hard_pairs[_i];
  int f = 0, unsure = 0;
  if (!is_long_double_wider()) return;
  while (settled[f].op != pair.op) f++;
  check_pair(f, pair.is_brain, pair.a, pair.b, &unsure);
  ck_assert_int_eq(unsure, 0);
  ck_assert(half_bits(settled[f].of_f32(pair.a, pair.b), pair.is_brain) !=
            rounded_pair(f, pair.is_brain, pair.a, pair.b, &unsure));
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- exact values */

static void check_exact(const char *name, float (*of_f32)(float), double (*of_f64)(double), double x, double expected) {
  const double f32 = of_f32((float)x), f64 = of_f64(x);
  ck_assert_msg(off_f32((float)f32, expected) == 0, "%s_f32(%a) is %a", name, x, f32);
  ck_assert_msg(off_f64(f64, expected) == 0, "%s_f64(%a) is %a", name, x, f64);
}
#define EACH(name, x, expected) check_exact(#name, name##_f32, name##_f64, x, expected)

START_TEST(ends_are_exact) {
  EACH(exp, 0.0, 1), EACH(exp, -0.0, 1), EACH(exp, INFINITY, INFINITY), EACH(exp, -INFINITY, 0.0), EACH(exp, NAN, NAN);
  ck_assert(exp_f32(88.73f) == INFINITY && exp_f32(FLT_MAX) == INFINITY);
  ck_assert(exp_f64(709.79) == INFINITY && exp_f64(DBL_MAX) == INFINITY);
  ck_assert(exp_f32(-104) == 0 && exp_f32(-FLT_MAX) == 0 && exp_f64(-745.14) == 0 && exp_f64(-DBL_MAX) == 0);
  ck_assert(exp_f32(-103.9f) == 0x1p-149f && exp_f64(-745.1) == 0x1p-1074);
  EACH(tanh, INFINITY, 1), EACH(tanh, -INFINITY, -1), EACH(tanh, FLT_MAX, 1), EACH(tanh, NAN, NAN);
  EACH(expm1, INFINITY, INFINITY), EACH(expm1, -INFINITY, -1), EACH(expm1, -FLT_MAX, -1), EACH(expm1, NAN, NAN);
  EACH(log1p, INFINITY, INFINITY), EACH(log1p, -1.0, -INFINITY), EACH(log1p, -1.5, NAN), EACH(log1p, -INFINITY, NAN);
  EACH(log1p, NAN, NAN);
  EACH(sin, INFINITY, NAN), EACH(sin, -INFINITY, NAN), EACH(sin, NAN, NAN);
  EACH(cos, INFINITY, NAN), EACH(cos, -INFINITY, NAN), EACH(cos, NAN, NAN), EACH(cos, 0.0, 1), EACH(cos, -0.0, 1);
  EACH(tan, INFINITY, NAN), EACH(tan, NAN, NAN), EACH(asin, 1.5, NAN), EACH(asin, INFINITY, NAN), EACH(asin, NAN, NAN);
  EACH(acos, 1.0, 0.0), EACH(acos, -1.5, NAN), EACH(acos, -INFINITY, NAN), EACH(acos, NAN, NAN), EACH(atan, NAN, NAN);
  EACH(sinh, INFINITY, INFINITY), EACH(sinh, -INFINITY, -INFINITY), EACH(sinh, NAN, NAN), EACH(cosh, 0.0, 1);
  EACH(cosh, -INFINITY, INFINITY), EACH(cosh, NAN, NAN), EACH(asinh, INFINITY, INFINITY), EACH(asinh, NAN, NAN);
  EACH(acosh, 1.0, 0.0), EACH(acosh, 0.5, NAN), EACH(acosh, -FLT_MAX, NAN), EACH(acosh, INFINITY, INFINITY);
  EACH(acosh, -INFINITY, NAN), EACH(acosh, NAN, NAN), EACH(atanh, 1.0, INFINITY), EACH(atanh, -1.0, -INFINITY);
  EACH(atanh, 1.5, NAN), EACH(atanh, INFINITY, NAN), EACH(atanh, NAN, NAN), EACH(exp2, INFINITY, INFINITY);
  EACH(exp2, -INFINITY, 0.0), EACH(exp2, NAN, NAN), EACH(exp2, -149.0, 0x1p-149), EACH(exp2, 10.0, 1024);
  EACH(erf, INFINITY, 1), EACH(erf, -INFINITY, -1), EACH(erf, NAN, NAN), EACH(erfc, 0.0, 1), EACH(erfc, INFINITY, 0.0);
  EACH(erfc, -INFINITY, 2), EACH(erfc, NAN, NAN), EACH(gelu, INFINITY, INFINITY), EACH(gelu, -INFINITY, -0.0);
  EACH(gelu, 0.0, 0.0), EACH(gelu, -0.0, -0.0), EACH(gelu, NAN, NAN), EACH(cbrt, -INFINITY, -INFINITY);
  EACH(cbrt, INFINITY, INFINITY), EACH(cbrt, NAN, NAN), EACH(cbrt, -27.0, -3), EACH(cbrt, 0.0, 0.0);
  EACH(cbrt, -0.0, -0.0), EACH(rsqrt, 0.0, INFINITY), EACH(rsqrt, -0.0, -INFINITY), EACH(rsqrt, INFINITY, 0.0);
  EACH(rsqrt, -1.0, NAN), EACH(rsqrt, -INFINITY, NAN), EACH(rsqrt, NAN, NAN), EACH(rsqrt, 0x1p-148, 0x1p74);
  EACH(sigmoid, INFINITY, 1), EACH(sigmoid, -INFINITY, 0.0), EACH(sigmoid, FLT_MAX, 1), EACH(sigmoid, -FLT_MAX, 0.0);
  EACH(sigmoid, NAN, NAN), EACH(sigmoid, -0.0, 0.5);
  ck_assert(signbit(gelu_f32(-0x1p-149f)) && !signbit(gelu_f32(0x1p-149f)));
#define OF_GATED(name)                                                                                                 \
  EACH(name, INFINITY, INFINITY), EACH(name, -INFINITY, -0.0), EACH(name, FLT_MAX, FLT_MAX), EACH(name, NAN, NAN);     \
  EACH(name, -FLT_MAX, -0.0), EACH(name, 0.0, 0.0), EACH(name, -0.0, -0.0), EACH(name, 0x1p-148, 0x1p-149)
  OF_GATED(silu);
  OF_GATED(gelu_tanh);
#define OF_LOG(name)                                                                                                   \
  EACH(name, 0.0, -INFINITY), EACH(name, -0.0, -INFINITY), EACH(name, 1.0, 0.0), EACH(name, INFINITY, INFINITY);       \
  EACH(name, -INFINITY, NAN), EACH(name, -1.0, NAN), EACH(name, -0x1p-149, NAN), EACH(name, NAN, NAN)
  OF_LOG(log);
  OF_LOG(log2);
  OF_LOG(log10);
  /* Zeros keep their sign, and small numbers are their own results. */
  const double small[] = {0.0, -0.0, 0x1p-149, -0x1p-149, 0x1p-126, -0x1p-60};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    EACH(tanh, small[i], small[i]), EACH(expm1, small[i], small[i]), EACH(log1p, small[i], small[i]);
    EACH(sin, small[i], small[i]), EACH(cos, small[i], 1), EACH(tan, small[i], small[i]);
    EACH(asin, small[i], small[i]), EACH(atan, small[i], small[i]), EACH(sinh, small[i], small[i]);
    EACH(asinh, small[i], small[i]), EACH(atanh, small[i], small[i]);
  }
}
END_TEST

START_TEST(powers_have_exact_logarithms) {
  for (int k = -149; k < 128; k++) EACH(log2, ldexp(1, k), k);
  for (int k = -1074; k < 1024; k++) ck_assert(log2_f64(ldexp(1, k)) == k);
  double power = 1;
  for (int k = 0; k <= 22; k++, power *= 10) {
    ck_assert_msg(log10_f64(power) == k, "log10(1e%d) is %a", k, log10_f64(power));
    if (k <= 10) ck_assert_msg(log10_f32((float)power) == (float)k, "log10(1e%d) is %a", k, log10_f32((float)power));
  }
}
END_TEST

/* The last two are the floats nearest to a multiple of pi / 2. The sine, cosine and tangent of float64, by mpmath, for
   machines without a wider one: near zero the C library's own cosine is 8 units off. */
START_TEST(large_angles_are_reduced) {
  const float f32[] = {1e10f, 0x1p100f, FLT_MAX, 0x1.921fb6p0f, 0x1.921fb6p1f, 16367173.0f * 0x1p72f};
  const double f64[] = {
      1e22, 0x1p1000, DBL_MAX, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 6381956970095103.0 * 0x1p797};
  const double known[][3] = {{-0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1, -0x1.a0f79c1b6b257p+0},
                             {-0x1.460b8ae1c886ep-3, 0x1.f9785160c8815p-1, -0x1.4a41d560c08ccp-3},
                             {0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1, -0x1.4530cfe729484p-8},
                             {1, 0x1.1a62633145c07p-54, 0x1.d02967c31cdb5p+53},
                             {0x1.1a62633145c07p-53, -1, -0x1.1a62633145c07p-53},
                             {1, -0x1.14ae72e6ba22fp-61, -0x1.d9ba9a7975636p+60}};
  for (int i = 0; i < 6; i++) {
    const bool wider = is_long_double_wider();
    const long double x = (long double)f64[i], *wide = (long double[]){sinl(x), cosl(x), tanl(x)};
    ck_assert(off_f32(sin_f32(f32[i]), sin((double)f32[i])) < 0.8);
    ck_assert(off_f32(cos_f32(f32[i]), cos((double)f32[i])) < 0.8);
    ck_assert(off_f32(tan_f32(f32[i]), tan((double)f32[i])) < 1);
    ck_assert(off_f64(sin_f64(f64[i]), wider ? wide[0] : (long double)known[i][0]) < by_library(0.8));
    ck_assert(off_f64(cos_f64(f64[i]), wider ? wide[1] : (long double)known[i][1]) < by_library(0.8));
    ck_assert(off_f64(tan_f64(f64[i]), wider ? wide[2] : (long double)known[i][2]) < by_library(1));
  }
  ck_assert(fabs(cos_f64(f64[5]) + 4.68716592425462761112e-19) < 1e-34);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------- bits */

/* Every 65521st float32, and as many float64 of all magnitudes. */
enum { MANY = 65552 };
static void inputs_f32(float *x) {
  for (uint32_t i = 0; i < MANY; i++) x[i] = float_of_bits(i * 65521u);
}
static void inputs_f64(double *x) {
  for (uint64_t i = 0; i < MANY; i++)
    x[i] = double_of_bits(i % 2 ? i * 0x9e3779b97f4a7c15u : 0x3c00000000000000u + i * 0xaa5a3a5c5a3u);
}
/* FNV-1a of 64-bit words */
static void add_word(uint64_t *digest, uint64_t word) { *digest = (*digest ^ word) * 0x100000001b3u; }

#define BITS_TEST(s, type, DTYPE)                                                                                      \
  START_TEST(bits_are_the_same_##s) {                                                                                  \
    static type x[MANY], expected[MANY];                                                                               \
    uint64_t digest = 0xcbf29ce484222325u;                                                                             \
    inputs_##s(x);                                                                                                     \
    for (int i = 0; i < MANY; i++) {                                                                                   \
      expected[i] = functions[_i].of_##s(x[i]);                                                                        \
      add_word(&digest, isnan(expected[i]) ? 1 : (uint64_t)bits_of_##s(expected[i]));                                  \
    }                                                                                                                  \
    ck_assert_msg(digest == functions[_i].digest_##s, "the digest of %s is 0x%llxu", functions[_i].name,               \
                  (unsigned long long)digest);                                                                         \
    if (lacks(DTYPE)) return;                                                                                          \
    strew_tensor *from = tensor_of(DTYPE, 1, (int64_t[]){MANY}, CONTIGUOUS, x), *out = NULL;                           \
    ok(strew_unary(functions[_i].op, from, &out, &failure));                                                           \
    assert_elements(out, DTYPE, expected, "%s", functions[_i].name);                                                   \
    strew_release(from), strew_release(out);                                                                           \
  }                                                                                                                    \
  END_TEST
/* The library's results of every float16: at once, and in small tensors. */
START_TEST(halves_are_the_same) {
  static uint16_t x[HALVES], expected[HALVES];
  for (int i = 0; i < HALVES; i++) x[i] = (uint16_t)i, expected[i] = store_f16(functions[_i].of_f16(load_f16(x[i])));
  for (int64_t rows = 256; rows >= 64; rows /= 4)
    for (int64_t first = 0; first < HALVES; first += rows * 256) {
      strew_tensor *out = NULL, *from = tensor_of(STREW_FLOAT16, 2, (int64_t[]){rows, 256},
                                                  rows < 256 ? STRIDED : CONTIGUOUS, x + first);
      ok(strew_unary(functions[_i].op, from, &out, &failure));
      assert_elements(out, STREW_FLOAT16, expected + first, "%s of float16", functions[_i].name);
      strew_release(from), strew_release(out);
    }
}
END_TEST

/* The same of pairs: random ones of near magnitudes, and the hard ones. */
START_TEST(pairs_of_halves_are_the_same) {
  static uint16_t x[HALVES], y[HALVES], expected[HALVES];
  const bool is_brain = _i % 2;
  const strew_dtype dtype = is_brain ? STREW_BFLOAT16 : STREW_FLOAT16;
  const int f = _i / 2, one = is_brain ? 0x3f80 : 0x3c00, near = is_brain ? 0x300 : 0x1800;
  seed_draws((uint64_t)_i);
  for (int i = 0; i < HALVES; i++) {
    const struct hard pair = hard_pairs[i % HARD];
    const bool is_hard = i % 16 == 0 && pair.op == settled[f].op && pair.is_brain == is_brain;
    x[i] = (uint16_t)((uint64_t)(one - near) + draw_below((uint64_t)near * 2) + (draw_below(2) << 15));
    y[i] = (uint16_t)((uint64_t)(one - near) + draw_below((uint64_t)near * 2) + (draw_below(2) << 15));
    if (is_hard) x[i] = (uint16_t)half_bits(pair.a, is_brain), y[i] = (uint16_t)half_bits(pair.b, is_brain);
    const float result =
        (is_brain ? settled[f].of_bf16 : settled[f].of_f16)(half_of(x[i], is_brain), half_of(y[i], is_brain));
    expected[i] = (uint16_t)(is_brain ? store_bf16(result) : store_f16(result));
  }
  for (int64_t rows = 256; rows >= 64; rows /= 4)
    for (int64_t first = 0; first < HALVES; first += rows * 256) {
      const enum layout layout = rows < 256 ? STRIDED : CONTIGUOUS;
      strew_tensor *out = NULL, *a = tensor_of(dtype, 2, (int64_t[]){rows, 256}, layout, x + first);
      strew_tensor *b = tensor_of(dtype, 2, (int64_t[]){rows, 256}, layout, y + first);
      ok(strew_binary(settled[f].op, strew_of(a), strew_of(b), &out, &failure));
      assert_elements(out, dtype, expected + first, "%s of %s", settled[f].name, strew_dtype_name(dtype));
      strew_release(a), strew_release(b), strew_release(out);
    }
}
END_TEST

/* Pairs of those numbers; the second ones, as exponents, are mostly between -8 and 8. */
#define PAIRS_TEST(s, type, DTYPE)                                                                                     \
  static void check_pairs_##s(strew_binary_op op, const char *name, type (*of)(type, type), uint64_t known) {          \
    static type x[MANY], y[MANY], expected[MANY];                                                                      \
    uint64_t digest = 0xcbf29ce484222325u;                                                                             \
    inputs_##s(x);                                                                                                     \
    for (int i = 0; i < MANY; i++) {                                                                                   \
      y[i] = i % 8 ? (type)(((int64_t)i * 40503 % MANY - MANY / 2) * 0x1p-12f) : x[(int64_t)i * 4099 % MANY];          \
      expected[i] = of(x[i], y[i]);                                                                                    \
      add_word(&digest, isnan(expected[i]) ? 1 : (uint64_t)bits_of_##s(expected[i]));                                  \
    }                                                                                                                  \
    ck_assert_msg(digest == known, "the digest of %s is 0x%llxu", name, (unsigned long long)digest);                   \
    if (lacks(DTYPE)) return;                                                                                          \
    strew_tensor *a = tensor_of(DTYPE, 1, (int64_t[]){MANY}, CONTIGUOUS, x), *out = NULL;                              \
    strew_tensor *b = tensor_of(DTYPE, 1, (int64_t[]){MANY}, CONTIGUOUS, y);                                           \
    ok(strew_binary(op, strew_of(a), strew_of(b), &out, &failure));                                                    \
    assert_elements(out, DTYPE, expected, "%s", name);                                                                 \
    strew_release(a), strew_release(b), strew_release(out);                                                            \
  }                                                                                                                    \
  START_TEST(pairs_are_the_same_##s) {                                                                                 \
    check_pairs_##s(pairs[_i].op, pairs[_i].name, pairs[_i].of_##s, pairs[_i].digest_##s);                             \
  }                                                                                                                    \
  END_TEST
BITS_TEST(f32, float, STREW_FLOAT32)
BITS_TEST(f64, double, STREW_FLOAT64)
PAIRS_TEST(f32, float, STREW_FLOAT32)
PAIRS_TEST(f64, double, STREW_FLOAT64)
START_TEST(powers_are_the_same_f32) { check_pairs_f32(STREW_POW, "pow", pow_f32, 0xecc6053cd17f9796u); }
END_TEST
START_TEST(powers_are_the_same_f64) { check_pairs_f64(STREW_POW, "pow", pow_f64, 0x36acc47641334e27u); }
END_TEST

/* Numbers as exponents; rows of other powers beside cubes. */
START_TEST(powers_by_numbers) {
  static const double exponents[] = {3, 2, 0.5, -1, 2.5};
  static float x[MANY], y[MANY], expected[MANY];
  inputs_f32(x);
  strew_tensor *a = tensor_of(STREW_FLOAT32, 1, (int64_t[]){MANY}, CONTIGUOUS, x), *out = NULL;
  for (int e = 0; e < 5; e++) {
    for (int i = 0; i < MANY; i++)
      expected[i] = e == 1 ? x[i] * x[i] : e == 3 ? 1 / x[i] : pow_f32(x[i], (float)exponents[e]);
    ok(strew_binary(STREW_POW, strew_of(a), strew_number(strew_float(exponents[e])), &out, &failure));
    assert_elements(out, STREW_FLOAT32, expected, "x ^ %g", exponents[e]);
    strew_release(out), out = NULL;
  }
  for (int i = 0; i < MANY; i++) y[i] = i % 1000 < 3 ? 2.5f : 3, expected[i] = pow_f32(x[i], y[i]);
  strew_tensor *b = tensor_of(STREW_FLOAT32, 1, (int64_t[]){MANY}, CONTIGUOUS, y);
  ok(strew_binary(STREW_POW, strew_of(a), strew_of(b), &out, &failure));
  assert_elements(out, STREW_FLOAT32, expected, "some cubes");
  strew_release(a), strew_release(b), strew_release(out);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("functions");
  TCase *near = new_case(suite, "against the library"), *bits = new_case(suite, "bits");
  if (!on_device()) {
    tcase_add_loop_test(near, float32_is_near, 0, SLICES * COUNT);
    tcase_add_loop_test(near, float64_is_near, 0, COUNT);
    tcase_add_loop_test(near, halves_are_rounded, 0, COUNT);
    tcase_add_test(near, ends_are_exact);
    tcase_add_test(near, powers_have_exact_logarithms);
    tcase_add_test(near, large_angles_are_reduced);
    tcase_add_loop_test(near, powers_are_near, 0, KINDS);
    tcase_add_test(near, special_powers_are_exact);
    tcase_add_loop_test(near, pairs_are_near, 0, PAIRS_COUNT);
    tcase_add_loop_test(near, special_pairs_are_exact, 0, PAIRS_COUNT);
    tcase_add_loop_test(near, pairs_of_halves_are_rounded, 0, SETTLED);
    tcase_add_loop_test(near, hard_pairs_are_rounded, 0, HARD);
  }
  tcase_add_loop_test(bits, bits_are_the_same_f32, 0, COUNT);
  tcase_add_loop_test(bits, bits_are_the_same_f64, 0, COUNT);
  tcase_add_loop_test(bits, halves_are_the_same, 0, COUNT);
  tcase_add_loop_test(bits, pairs_of_halves_are_the_same, 0, SETTLED);
  tcase_add_test(bits, powers_are_the_same_f32);
  tcase_add_test(bits, powers_are_the_same_f64);
  tcase_add_test(bits, powers_by_numbers);
  tcase_add_loop_test(bits, pairs_are_the_same_f32, 0, PAIRS_COUNT);
  tcase_add_loop_test(bits, pairs_are_the_same_f64, 0, PAIRS_COUNT);
  return suite;
}
