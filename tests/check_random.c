/* check_random.c: Philox against its published test vectors, random numbers against plain loops, the normal
   distribution against the C library's error function, and ramps. */
#include "runtime/elementwise/shared/normal.h"
#include "runtime/elementwise/shared/random.h"
#include "testing.h"

#include <inttypes.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts, FLOATS = 4 };
static const strew_dtype floats[FLOATS] = {STREW_FLOAT32, STREW_FLOAT64, STREW_FLOAT16, STREW_BFLOAT16};

/* ---------------------------------------------------------------------------------------------- the generator */

/* From Random123's kat_vectors. */
START_TEST(known_answers) {
  static const struct {
    struct philox counter;
    uint32_t key[2];
    struct philox answer;
  } known[] = {
      {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       {0xffffffff, 0xffffffff},
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       {0xa4093822, 0x299f31d0},
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (int i = 0; i < 3; i++) {
    struct philox got = philox(known[i].counter, known[i].key[0], known[i].key[1]);
    ck_assert_mem_eq(got.words, known[i].answer.words, sizeof got.words);
  }
}
END_TEST

/* Draw i of a call that starts at block `first`, of 32 and of 64 bits. */
static uint32_t word_at(uint64_t seed, uint64_t first, int64_t i) {
  return philox_block(seed, first + (uint64_t)i / 4).words[i % 4];
}
static uint64_t long_word_at(uint64_t seed, uint64_t first, int64_t i) {
  struct philox block = philox_block(seed, first + (uint64_t)i / 2);
  return block.words[i % 2 * 2] | (uint64_t)block.words[i % 2 * 2 + 1] << 32;
}

static void expected_float(strew_dtype dtype, bool normal, uint64_t seed, uint64_t first, int64_t i, void *to) {
  double x;
  if (dtype == STREW_FLOAT64) {
    uint64_t word = long_word_at(seed, first, i);
    x = normal ? normal_f64(word) : (double)(word >> 11) / 0x1p53;
  } else {
    uint32_t word = word_at(seed, first, i);
    int bits = dtype == STREW_FLOAT32 ? 24 : dtype == STREW_FLOAT16 ? 11 : 8;
    x = normal ? (double)normal_f32(word) : ldexp((double)(word >> (32 - bits)), -bits);
  }
  ok(strew_scalar_store(strew_float(x), STREW_SATURATE, dtype, to, &failure));
}

/* Two calls in sequence, then, with the seed set again, the first once more. */
START_TEST(floats_of_words) {
  strew_dtype dtype = floats[_i % FLOATS];
  bool normal = _i / FLOATS % 2;
  if (lacks(dtype)) return;
  const int64_t n = 5001, blocks = dtype == STREW_FLOAT64 ? 2501 : 1251;
  const uint64_t seed = 0x123456789abcdefu;
  size_t size = strew_dtype_size_bytes(dtype);
  char *expected = malloc((size_t)n * size);
  use_turn(_i / FLOATS / 2, _i);
  strew_context_seed(context, seed);
  for (int call = 0; call < 3; call++) {
    strew_tensor *out = NULL;
    if (call == 2) strew_context_seed(context, seed);
    for (int64_t i = 0; i < n; i++)
      expected_float(dtype, normal, seed, call == 1 ? (uint64_t)blocks : 0, i, expected + (size_t)i * size);
    ok((normal ? strew_randn : strew_rand)(device, dtype, 1, &n, &out, &failure));
    assert_elements(out, dtype, expected, "%s of %s, call %d", normal ? "randn" : "rand", strew_dtype_name(dtype),
                    call);
    strew_release(out);
  }
  free(expected);
}
END_TEST

static int64_t expected_integer(uint64_t word, int64_t low, uint64_t range) {
  uint64_t a = word >> 32, b = word & 0xffffffffu, c = range >> 32, d = range & 0xffffffffu;
  uint64_t carry = ((b * d >> 32) + (a * d & 0xffffffffu) + (b * c & 0xffffffffu)) >> 32;
  return (int64_t)((uint64_t)low + a * c + (a * d >> 32) + (b * c >> 32) + carry);
}

START_TEST(integers_of_words) {
  static const int64_t bounds[][2] = {{0, 10}, {-5, 6}, {INT64_MIN, INT64_MAX}, {7, 8}, {-3000000000, 4000000000}};
  const int64_t n = 999;
  uint64_t first = 0;
  use_threads(thread_counts[_i]);
  strew_context_seed(context, 7);
  for (int b = 0; b < 5; b++) {
    int64_t low = bounds[b][0], expected[999];
    strew_tensor *out = NULL;
    for (int64_t i = 0; i < n; i++)
      expected[i] = expected_integer(long_word_at(7, first, i), low, (uint64_t)bounds[b][1] - (uint64_t)low);
    ok(strew_randint(device, STREW_INT64, low, bounds[b][1], 1, &n, &out, &failure));
    assert_elements(out, STREW_INT64, expected, "randint %d", b);
    for (int64_t i = 0; i < n; i++) ck_assert(expected[i] >= low && expected[i] < bounds[b][1]);
    strew_release(out);
    first += 500;
  }
}
END_TEST

/* Every dtype gets the same integers. */
START_TEST(integers_of_every_dtype) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  const int64_t sizes[] = {7, 9}, high = dtype == STREW_BOOL ? 2 : 100;
  strew_tensor *a = NULL, *b = NULL, *converted = NULL;
  strew_context_seed(context, 3);
  ok(strew_randint(device, STREW_INT64, 0, high, 2, sizes, &a, &failure));
  strew_context_seed(context, 3);
  ok(strew_randint(device, dtype, 0, high, 2, sizes, &b, &failure));
  ok(strew_to(a, device, dtype, &converted, &failure));
  assert_same(b, converted, "randint");
  strew_release(a);
  strew_release(b);
  strew_release(converted);
}
END_TEST

START_TEST(permutations) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  /* a few draws of 200,000 have equal leading bits, 32 of them */
  const bool is_long = dtype == STREW_INT32 && !(is_emulated() && _i < STREW_DTYPE_COUNT);
  const int64_t n = dtype == STREW_BOOL ? 2 : dtype == STREW_INT8 ? 127 : is_long ? 200000 : 200;
  strew_tensor *out = NULL, *positions = NULL;
  if (lacks(dtype)) return;
  use_turn(_i / STREW_DTYPE_COUNT, _i);
  strew_context_seed(context, 5);
  ok(strew_randperm(device, dtype, n, &out, &failure));
  ok(strew_to(out, device, STREW_INT64, &positions, &failure));
  int64_t *found = host_of(positions), moved = 0;
  for (int64_t i = 0; i < n; i++) {
    ck_assert(found[i] >= 0 && found[i] < n);
    moved += found[i] != i;
    if (i) ck_assert((int64_t)long_word_at(5, 0, found[i - 1]) < (int64_t)long_word_at(5, 0, found[i]));
  }
  if (n > 2) ck_assert_int_gt(moved, n / 2);
  free(found);
  strew_release(out);
  strew_release(positions);
}
END_TEST

/* A given tensor that is not dense gets the same numbers; the elements between do not change. */
START_TEST(into_given) {
  const int64_t sizes[] = {6, 5};
  for (int layout = CONTIGUOUS; layout <= STRIDED; layout++) {
    strew_tensor *given = random_tensor(STREW_FLOAT32, 2, sizes, (enum layout)layout), *made = NULL;
    strew_context_seed(context, 9);
    ok(strew_rand(device, STREW_FLOAT32, 2, sizes, &given, &failure));
    strew_context_seed(context, 9);
    ok(strew_rand(device, STREW_FLOAT32, 2, sizes, &made, &failure));
    assert_same(given, made, layout_name((enum layout)layout));
    strew_release(given);
    strew_release(made);
  }
}
END_TEST

START_TEST(a_failed_call_draws_nothing) {
  const int64_t one = 1, too_many = INT64_MAX / 2;
  strew_tensor *a = NULL, *b = NULL, *none = NULL;
  strew_context_seed(context, 11);
  ok(strew_rand(device, dtype_here(STREW_FLOAT64), 1, &one, &a, &failure));
  strew_context_seed(context, 11);
  assert_fails(strew_rand(device, STREW_FLOAT32, 1, &too_many, &none, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_randint(device, STREW_INT8, 0, 300, 1, &one, &none, &failure), STREW_EVALUE, NULL);
  ok(strew_rand(device, dtype_here(STREW_FLOAT64), 1, &one, &b, &failure));
  assert_same(a, b, "the draw after failures");
  ck_assert_ptr_null(none);
  strew_release(a);
  strew_release(b);
}
END_TEST

/* ----------------------------------------------------------------------------------- the normal distribution */

/* Returns the distance of x from the quantile of tail probability p, by the library's erfc. */
static double error_of_tail(double x, double p) {
  double tail = 0.5 * erfc(x / sqrt(2)), density = exp(-x * x / 2) / sqrt(2 * acos(-1.0));
  return (tail - p) / density;
}

/* From the middle of the distribution to its ends. */
START_TEST(normal_words) {
  double worst_single = 0, worst_double = 0;
  for (int shift = 0; shift < 63; shift++)
    for (int i = 0; i < 200; i++) {
      uint64_t r = (draw() >> 1) >> shift, short_r = r >> 32;
      double x = normal_f64(r | 1ull << 63), p = ldexp(2 * (double)r + 1, -65);
      double y = (double)normal_f32((uint32_t)short_r | 1u << 31), q = ldexp(2 * (double)short_r + 1, -33);
      worst_double = fmax(worst_double, fabs(error_of_tail(x, p)) / fmax(fabs(x), 1e-2));
      worst_single = fmax(worst_single, fabs(error_of_tail(y, q)) / fmax(fabs(y), 1e-2));
      ck_assert_double_eq(normal_f64(r), -x); /* the sign bit mirrors */
      ck_assert_double_eq((double)normal_f32((uint32_t)short_r), -y);
    }
  ck_assert_msg(worst_double < 1e-14, "float64 is off by %g", worst_double);
  ck_assert_msg(worst_single < 5e-7, "float32 is off by %g", worst_single);
  ck_assert_double_lt(fabs(normal_f64(0) + 9.1), 0.2); /* the far tail: 2^-65 */
  ck_assert_double_lt(fabs((double)normal_f32(0) + 6.3), 0.2);
}
END_TEST

/* The library's own logarithm, over the whole range of tails. */
START_TEST(logarithms) {
  for (int exponent = -65; exponent < -1; exponent++)
    for (int i = 0; i < 200; i++) {
      double x = ldexp(1 + (double)(draw() >> 11) * 0x1p-53, exponent), expected = log(x);
      ck_assert_double_lt(fabs(normal_log_f64(x) / expected - 1), 5e-16);
      ck_assert_double_lt(fabs((double)normal_log_f32((float)x) / log((double)(float)x) - 1), 3e-7);
    }
}
END_TEST

START_TEST(moments) {
  enum { N = 400000 };
  const int64_t n = N;
  strew_dtype dtype = floats[_i];
  if (lacks(dtype)) return;
  strew_tensor *uniform = NULL, *normal = NULL, *wide[2] = {NULL};
  strew_context_seed(context, 1);
  ok(strew_rand(device, dtype, 1, &n, &uniform, &failure));
  ok(strew_randn(device, dtype, 1, &n, &normal, &failure));
  strew_device *widening = lacks(STREW_FLOAT64) ? strew_device_at(context, 0) : device;
  ok(strew_to(uniform, widening, STREW_FLOAT64, &wide[0], &failure));
  ok(strew_to(normal, widening, STREW_FLOAT64, &wide[1], &failure));
  double *u = host_of(wide[0]), *z = host_of(wide[1]), sum[2] = {0}, squares[2] = {0}, cubes = 0, fourth = 0, tail = 0;
  for (int64_t i = 0; i < n; i++) {
    if (u[i] < 0 || u[i] >= 1) ck_abort_msg("rand gives %.17g", u[i]);
    sum[0] += u[i], squares[0] += u[i] * u[i];
    sum[1] += z[i], squares[1] += z[i] * z[i];
    cubes += z[i] * z[i] * z[i], fourth += z[i] * z[i] * z[i] * z[i];
    tail += fabs(z[i]) > 3;
  }
  double half_step = dtype == STREW_BFLOAT16  ? 1 / 512.0
                     : dtype == STREW_FLOAT16 ? 1 / 4096.0
                                              : 0; /* draws are truncated */
  ck_assert_double_lt(fabs(sum[0] / N + half_step - 0.5), 0.0025);
  ck_assert_double_lt(fabs(squares[0] / N + half_step - 1 / 3.0), 0.0025);
  ck_assert_double_lt(fabs(sum[1] / N), 0.008);
  ck_assert_double_lt(fabs(squares[1] / N - 1), 0.012);
  ck_assert_double_lt(fabs(cubes / N), 0.03);
  ck_assert_double_lt(fabs(fourth / N - 3), 0.1);
  ck_assert_double_lt(fabs(tail / N - 0.0026998), 0.0004);
  free(u);
  free(z);
  strew_release(uniform);
  strew_release(normal);
  strew_release(wide[0]);
  strew_release(wide[1]);
}
END_TEST

START_TEST(refusals) {
  const int64_t one = 1;
  strew_tensor *out = NULL;
  assert_fails(strew_rand(device, STREW_INT32, 1, &one, &out, &failure), STREW_EDTYPE,
               "rand: 'dtype' is int32, expected a float dtype");
  assert_fails(strew_randint(device, STREW_INT64, 5, 5, 1, &one, &out, &failure), STREW_EVALUE,
               "randint: 'high' is 5, expected more than low, which is 5");
  assert_fails(strew_randint(device, STREW_FLOAT16, 0, 5000, 1, &one, &out, &failure), STREW_EVALUE,
               "randint: 'high' leads to 4999, float16 holds whole numbers exactly from -2048 to 2048");
  assert_fails(strew_randint(device, STREW_UINT8, -1, 5, 1, &one, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_randperm(device, STREW_INT64, -1, &out, &failure), STREW_EARGUMENT,
               "randperm: 'n' is -1, expected 0 or more");
  assert_fails(strew_randperm(device, STREW_INT8, 129, &out, &failure), STREW_EVALUE, NULL);
  ck_assert_ptr_null(out);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- ramps */

static void check_arange(strew_dtype dtype, strew_scalar start, strew_scalar stop, strew_scalar step, int64_t count,
                         const double *expected) {
  strew_tensor *out = NULL, *wanted = tensor_from_doubles(dtype, count, expected);
  ok(strew_arange(device, dtype, start, stop, step, &out, &failure));
  assert_sizes(out, 1, &count);
  assert_same(out, wanted, "arange");
  strew_release(out);
  strew_release(wanted);
}

START_TEST(aranges) {
  strew_dtype dtype = (strew_dtype)_i;
  if (dtype == STREW_BOOL || lacks(dtype)) return;
  check_arange(dtype, strew_int(0), strew_int(5), strew_int(1), 5, (double[]){0, 1, 2, 3, 4});
  check_arange(dtype, strew_int(7), strew_int(0), strew_int(-3), 3, (double[]){7, 4, 1});
  check_arange(dtype, strew_int(2), strew_int(2), strew_int(1), 0, NULL);
  check_arange(dtype, strew_float(1), strew_float(3), strew_float(0.5), 4, (double[]){1, 1.5, 2, 2.5});
  check_arange(dtype, strew_int(0), strew_float(2.1), strew_int(1), 3, (double[]){0, 1, 2});
}
END_TEST

/* Steps that are no binary fractions, and ends that rounding may reach: no element does, in float64 nor as held. */
START_TEST(aranges_end_before_stop) {
  enum { MOST = 60 };
  static const double steps[] = {0.1, 0.05, 0.3, 1.0 / 3, 3, 1, 0.7};
  const strew_dtype dtype = (strew_dtype)_i;
  if (dtype == STREW_BOOL || is_unsigned_dtype(dtype) || lacks(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 400; n++) {
    const int sign = draw_below(2) ? 1 : -1;
    const double start = (double)(draw_below(600) - 300) / 10, step = sign * steps[draw_below(7)];
    const double stop = draw_below(2) ? start + (double)draw_below(20) * step : start + 7 * step + sign * 1e-9;
    double x[MOST + 1], held[MOST + 1];
    for (int i = 0; i < MOST; i++) x[i] = start + i * step;
    x[MOST] = stop;
    for (int i = 0; i <= MOST; i++) {
      char element[8];
      ok(strew_scalar_store(strew_float(x[i]), STREW_SATURATE, dtype, element, &failure));
      const strew_scalar number = strew_scalar_load(dtype, element);
      held[i] = is_float_dtype(dtype) ? number.as.f : (double)number.as.i;
    }
    if (!is_float_dtype(dtype)) held[MOST] = stop;
    int64_t count = 0;
    while (sign * (stop - x[count]) > 0 && sign * (held[MOST] - held[count]) > 0) count++;
    check_arange(dtype, strew_float(start), strew_float(stop), strew_float(step), count, held);
  }
}
END_TEST

/* Counts and elements of ranges whose width, or whose last step, is no finite or exact number. */
START_TEST(wide_ranges) {
  const strew_scalar one = strew_int(1), large = strew_float(1e308), most = strew_float(1.7e308);
  const strew_scalar lowest = strew_int(INT64_MIN), highest = strew_int(INT64_MAX);
  const int64_t wide[] = {INT64_MIN, -1, INT64_MAX - 1}, three = 3;
  strew_tensor *out = NULL, *expected = tensor_from_integers(STREW_INT64, three, wide);
  ok(strew_arange(device, STREW_INT64, lowest, highest, highest, &out, &failure));
  assert_same(out, expected, "a range of all integers");
  strew_release(out), strew_release(expected);
  check_arange(STREW_FLOAT32, strew_int(1 << 24), strew_int((1 << 24) + 4), one, 3, /* the fourth is stop */
               (double[]){0x1p24, 0x1p24, 0x1p24 + 2});
  if (lacks(STREW_FLOAT64)) return;
  const strew_scalar minus = strew_float(-1.7e308), less = strew_float(-1e308);
  const double up[] = {-1.7e308, -1.7e308 + 1e308, 0, 0}, ends[] = {-1.5e308, -0.5e308, 0.5e308, 1.5e308};
  out = NULL, expected = NULL;
  ok(strew_arange(device, STREW_FLOAT64, minus, most, large, &out, &failure));
  double *x = host_of(out);
  ck_assert_int_eq(strew_tensor_numel(out), 4);
  ck_assert(x[0] == up[0] && x[1] == up[1] && fabs(x[2] - 0.3e308) < 1e294 && fabs(x[3] - 1.3e308) < 1e294);
  ok(strew_arange(device, STREW_FLOAT64, most, minus, less, &expected, &failure));
  double *down = host_of(expected);
  for (int i = 0; i < 4; i++) ck_assert(down[i] == -x[i]);
  free(x), free(down);
  strew_release(out), strew_release(expected), out = NULL;
  ok(strew_linspace(device, STREW_FLOAT64, ends[0], ends[3], 4, &out, &failure));
  x = host_of(out);
  for (int i = 0; i < 4; i++) ck_assert(fabs(x[i] - ends[i]) < 1e294);
  free(x), strew_release(out);
}
END_TEST

/* Long ramps on several threads: integers are exact to the end, floats are start + i * step in float64. */
START_TEST(long_ramps) {
  enum { N = 9000 };
  use_threads(thread_counts[_i]);
  int64_t whole[N];
  double doubles[N];
  float singles[N];
  const int64_t start = INT64_MAX - N;
  strew_tensor *out = NULL;
  for (int64_t i = 0; i < N; i++) {
    whole[i] = start + i;
    doubles[i] = 0.3 + (double)i * 0.1;
    singles[i] = (float)doubles[i];
  }
  ok(strew_arange(device, STREW_INT64, strew_int(start), strew_int(INT64_MAX), strew_int(1), &out, &failure));
  assert_elements(out, STREW_INT64, whole, "int64");
  strew_release(out), out = NULL;
  strew_scalar stop = strew_float(0.3 + (N - 0.5) * 0.1);
  ok(strew_arange(device, STREW_FLOAT32, strew_float(0.3), stop, strew_float(0.1), &out, &failure));
  assert_elements(out, STREW_FLOAT32, singles, "float32");
  strew_release(out), out = NULL;
  if (lacks(STREW_FLOAT64)) return;
  double step = (0.7 - 0.3) / (N - 1);
  for (int64_t i = 0; i < N; i++) doubles[i] = i == N - 1 ? 0.7 : 0.3 + (double)i * step;
  ok(strew_linspace(device, STREW_FLOAT64, 0.3, 0.7, N, &out, &failure));
  assert_elements(out, STREW_FLOAT64, doubles, "linspace");
  strew_release(out);
}
END_TEST

START_TEST(linspaces) {
  strew_tensor *out = NULL;
  ok(strew_linspace(device, STREW_FLOAT32, 0, 1, 5, &out, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){0, 0.25f, 0.5f, 0.75f, 1}, "linspace");
  strew_release(out), out = NULL;
  ok(strew_linspace(device, STREW_INT32, 0, 10, 4, &out, &failure));
  assert_elements(out, STREW_INT32, (int32_t[]){0, 3, 6, 10}, "linspace of integers");
  strew_release(out), out = NULL;
  ok(strew_linspace(device, STREW_FLOAT32, 3, 4, 1, &out, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){3}, "linspace of one");
  strew_release(out), out = NULL;
  ok(strew_linspace(device, STREW_FLOAT32, 3, 4, 0, &out, &failure));
  assert_sizes(out, 1, (int64_t[]){0});
  strew_release(out), out = NULL;
  if (lacks(STREW_FLOAT64)) return;
  ok(strew_linspace(device, STREW_FLOAT64, -1e308, 1e308, 3, &out, &failure));
  assert_elements(out, STREW_FLOAT64, (double[]){-1e308, 0, 1e308}, "linspace of a span beyond float64");
  strew_release(out), out = NULL;
  assert_fails(strew_linspace(device, STREW_FLOAT64, 3, 4, -1, &out, &failure), STREW_EARGUMENT,
               "linspace: 'steps' is -1, expected 0 or more");
  ck_assert_ptr_null(out);
}
END_TEST

START_TEST(arange_refusals) {
  strew_tensor *out = NULL;
  strew_scalar one = strew_int(1);
#define ARANGE(dtype, start, stop, step) strew_arange(device, dtype, start, stop, step, &out, &failure)
  assert_fails(ARANGE(STREW_INT64, one, strew_int(5), strew_int(0)), STREW_EVALUE,
               "arange: 'step' is 0, so that stop is never reached");
  assert_fails(ARANGE(STREW_INT64, one, strew_int(5), strew_int(-1)), STREW_EVALUE,
               "arange: 'step' is -1, which leads away from stop: start is 1, stop is 5");
  assert_fails(ARANGE(STREW_FLOAT32, one, strew_float(INFINITY), one), STREW_EVALUE,
               "arange: 'stop' is inf, expected a finite number");
  assert_fails(ARANGE(STREW_FLOAT32, strew_float(NAN), one, one), STREW_EVALUE, NULL);
  assert_fails(ARANGE(STREW_UINT8, one, strew_int(257), one), STREW_EVALUE, NULL);
  assert_fails(ARANGE(STREW_BOOL, one, strew_int(2), one), STREW_EDTYPE,
               "arange: 'dtype' is bool, expected a number dtype");
  assert_fails(ARANGE(STREW_INT64, strew_int(INT64_MIN), strew_int(INT64_MAX), one), STREW_ESHAPE, NULL);
  assert_fails(ARANGE(STREW_FLOAT64, strew_float(0), strew_float(1e300), one), STREW_ESHAPE, NULL);
#undef ARANGE
  ck_assert_ptr_null(out);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("random");
  TCase *generator = new_case(suite, "numbers");
  tcase_add_test(generator, known_answers);
  tcase_add_loop_test(generator, floats_of_words, 0, sweep(TURNS) * FLOATS * 2);
  tcase_add_loop_test(generator, integers_of_words, 0, sweep(THREAD_COUNTS));
  tcase_add_loop_test(generator, integers_of_every_dtype, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(generator, permutations, 0, sweep(TURNS) * STREW_DTYPE_COUNT);
  tcase_add_test(generator, into_given);
  tcase_add_test(generator, a_failed_call_draws_nothing);
  tcase_add_test(generator, refusals);
  TCase *normal = new_case(suite, "distributions");
  tcase_add_test(normal, logarithms);
  tcase_add_test(normal, normal_words);
  tcase_add_loop_test(normal, moments, 0, FLOATS);
  TCase *ramps = new_case(suite, "ramps");
  tcase_add_loop_test(ramps, aranges, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(ramps, aranges_end_before_stop, 0, STREW_DTYPE_COUNT);
  tcase_add_test(ramps, wide_ranges);
  tcase_add_loop_test(ramps, long_ramps, 0, sweep(THREAD_COUNTS));
  tcase_add_test(ramps, linspaces);
  tcase_add_test(ramps, arange_refusals);
  return suite;
}
