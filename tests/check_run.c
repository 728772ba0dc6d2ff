/* check_run.c: sums of many contributions to one destination have the bits of the plain loop, which adds one after the
   other: random runs of ties, powers of two, many binades, subnormal numbers, overflows and special values, by the loops
   of each instruction set with small and large tiles, and by calls on several threads. */
#include "runtime/core/cpu/core_loops.h"

#include "runtime/core/base/pool.h"
#include "testing.h"
#include "tuned.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LONGEST = 6000 };
static float singles[LONGEST];
static double doubles[LONGEST];

/* ------------------------------------------------------------------------------------------------------------ draws */

static double fraction(void) { return (double)(draw() >> 11) * 0x1p-53; }
static double normal(void) { return fraction() + fraction() + fraction() + fraction() - 2; }
static int power_below(int n) { return (int)draw_below(n); }

/* The sum begins near an end of a binade whose unit is 2, one step brings it there, and others are parts of units. */
static double edge(int64_t i, double grid) {
  static double left;
  static bool is_upper;
  double step = (double)draw_below(8) * 0.25;
  if (i == 0) {
    left = (double)draw_below(20) * 2, is_upper = draw_below(2);
    return is_upper ? 2 * grid - 2 - left : grid + left;
  }
  if (draw_below(50)) return 0;
  if (left > 0) step = left;
  left = 0;
  return is_upper ? step : -step;
}

/* Element i of a run of that kind. `grid` is the dtype's 2^24 or 2^53. */
static double draw_element(int kind, int64_t i, double grid) {
  switch (kind) {
  case 0: return (double)(draw_below(64) - 24) * 0.5;
  case 1: return normal() * ldexp(1, power_below(60) - 30);
  case 2: return i == 0 ? grid : (double)draw_below(5) * ldexp(1, power_below(4)); /* ties and powers of two */
  case 3: return normal() * ldexp(1, power_below(8)) + 3;
  case 4: return floor(fraction() * 10000) / 100;
  case 5: return (double)(draw_below(2001) - 1000);
  case 6: return i == 0 ? -grid : (double)draw_below(7) * 0.25 - 1.5;
  case 7: return draw_below(3) ? draw_below(2) ? -0.0 : 0.0 : normal();
  case 8: return sin((double)i * 0.01);
  case 9: return i == 0 ? grid * 1024 : (double)draw_below(4096); /* dense ties */
  case 10: return edge(i, grid);
  default: return normal() * 1e-3 - 1e-4;
  }
}

/* Draws a run into `singles` and `doubles`, and returns its length. Some are scaled, to subnormal numbers or near the
   largest ones, some have sudden factors, some infinities and NaN. */
static int64_t draw_run(void) {
  static const double specials[] = {INFINITY, -INFINITY, NAN, 3e38, -3e38, 1e-45, -1e-45};
  const int kind = power_below(12);
  const int scale = draw_below(3) ? 0 : draw_below(2) ? -100 - power_below(50) : power_below(128);
  const int64_t count = draw_below(3) ? draw_below(LONGEST) : draw_below(300);
  const bool leaps = draw_below(2), special = draw_below(16) == 0, negative = draw_below(2);
  for (int64_t i = 0; i < count; i++) {
    double x = draw_element(kind, i, 0x1p24), y = draw_element(kind, i, 0x1p53);
    if (leaps && draw_below(1000) == 0) x *= 0x1p20, y *= 0x1p20;
    x = ldexp(x, scale), y = ldexp(y, scale * 8);
    if (special && draw_below(1000) == 0) x = y = specials[power_below(7)];
    singles[i] = (float)(negative ? -x : x), doubles[i] = negative ? -y : y;
  }
  return count;
}

/* ------------------------------------------------------------------------------------------------------ plain loops */

static float plain_single(float held, int64_t count) {
  volatile float sum = held;
  for (int64_t i = 0; i < count; i++) sum = sum + singles[i];
  return sum;
}

static double plain_double(double held, int64_t count) {
  volatile double sum = held;
  for (int64_t i = 0; i < count; i++) sum = sum + doubles[i];
  return sum;
}

/* ------------------------------------------------------------------------------------------------------------ loops */

#define TABLE(ENUM, isa, name) [ISA_##ENUM] = &name##_loops_##isa,
static const struct run_loops *const run_of[] = {INSTRUCTION_SETS(TABLE, run)};

static void check_loops(int isa, int64_t count, int64_t tile, int round) {
  const float start = draw_below(2) ? 0 : draw_below(2) ? -0.0f : (float)normal();
  const float x = plain_single(start, count), single = run_of[isa]->add_f32(start, singles, count);
  const double y = plain_double(start, count), real = run_of[isa]->add_f64(start, doubles, count);
  if (!same_element(STREW_FLOAT32, &single, &x) || !same_element(STREW_FLOAT64, &real, &y))
    ck_abort_msg("run %d of %" PRId64 ", tiles of %" PRId64 ", %s: %a and %a, expected %a and %a", round, count, tile,
                 isa_name((enum isa)isa), (double)single, real, (double)x, y);
}

/* The moves of a run's parts, for sums that may be wrong, are taken, or their elements added one by one. Returns how
   many were taken. */
static int64_t check_moves(int isa, int64_t count, strew_dtype dtype, int round) {
  const struct run_kernels *kernels = &run_of[isa]->of[dtype == STREW_FLOAT64];
  const bool is_single = dtype == STREW_FLOAT32;
  union {
    float single;
    double real;
  } held = {.real = 0}, expected = {.real = 0};
  int64_t taken = 0, size_bytes = is_single ? sizeof(float) : sizeof(double);
  is_single ? (expected.single = plain_single(0, count)) : (expected.real = plain_double(0, count));
  for (int64_t i = 0, step; i < count; i += step) {
    const double sum = is_single ? held.single : held.real;
    const char *x = (is_single ? (char *)singles : (char *)doubles) + i * size_bytes;
    struct run_move move = {.count = RUN_GROUP << draw_below(6), .exact = draw_below(2)};
    step = least(move.count, count - i);
    const double near = draw_below(4) ? sum : sum * ldexp(normal(), power_below(8) - 5);
    const bool is_taken = step == move.count && kernels->foresee(near, x, &move) && kernels->take(&held, &move);
    taken += is_taken;
    if (!is_taken) kernels->add(&held, x, step);
  }
  if (!same_element(dtype, &held, &expected))
    ck_abort_msg("run %d by moves, %s, %s: %a, expected %a", round, isa_name((enum isa)isa),
                 is_single ? "float32" : "float64", is_single ? held.single : held.real,
                 is_single ? expected.single : expected.real);
  return taken;
}

/* _i: instruction set. STREW_TEST_RUNS: their number. */
START_TEST(loops_add_in_order) {
  enum { RUNS = 2000 };
  static const int64_t tiles[] = {64, 256, 2048};
  const char *given = getenv("STREW_TEST_RUNS");
  const int runs = given ? atoi(given) : some(RUNS);
  if (_i > (int)isa_in_use() || on_device()) return;
  seed_draws(17 + seed_of_third());
  struct tuning row = *tuning_in_use();
  tuning_force(&row);
  int64_t taken = 0;
  for (int round = 0; round < runs; round++) {
    row.run_tile = tiles[draw_below(3)];
    row.run_tile_least[0] = row.run_tile_least[1] = draw_below(2) ? 64 : row.run_tile;
    const int64_t count = draw_run();
    check_loops(_i, count, row.run_tile, round);
    taken += check_moves(_i, count, draw_below(2) ? STREW_FLOAT32 : STREW_FLOAT64, round);
  }
  tuning_force(NULL);
  if (_i != ISA_PLAIN) ck_assert_int_ge(taken, runs / 4);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ calls */

/* A run of `count` between two others, so that it is aligned in no way: the expected sums of the three. */
struct call_case {
  strew_dtype dtype;
  strew_tensor *src, *index, *ends;
  int64_t cuts[4];
  char expected[3 * sizeof(double)];
};

static struct call_case draw_call(strew_dtype dtype) {
  struct call_case c = {.dtype = dtype};
  const int64_t count = draw_run();
  c.cuts[1] = least(count, draw_below(5));
  c.cuts[2] = count - least(count - c.cuts[1], draw_below(draw_below(2) ? 5 : 2000));
  c.cuts[3] = count;
  int64_t *index = malloc((size_t)(count + 1) * sizeof *index);
  for (int g = 0; g < 3; g++) {
    volatile float x = 0;
    volatile double y = 0;
    for (int64_t i = c.cuts[g]; i < c.cuts[g + 1]; i++) index[i] = g, x = x + singles[i], y = y + doubles[i];
    const float single = x;
    const double real = y;
    if (dtype == STREW_FLOAT32) memcpy(c.expected + g * (int)sizeof single, &single, sizeof single);
    if (dtype == STREW_FLOAT64) memcpy(c.expected + g * (int)sizeof real, &real, sizeof real);
  }
  c.src = tensor_of(dtype, 1, &count, CONTIGUOUS, dtype == STREW_FLOAT32 ? (void *)singles : (void *)doubles);
  c.index = tensor_of(STREW_INT64, 1, &count, CONTIGUOUS, index);
  c.ends = tensor_of(STREW_INT64, 1, (int64_t[]){4}, CONTIGUOUS, c.cuts);
  free(index);
  return c;
}

static void check_call(const struct call_case *c, int threads) {
  strew_tensor *out = NULL, *sums = NULL;
  use_threads(threads);
  ok(strew_full(device, c->dtype, 1, (int64_t[]){3}, strew_int(0), &out, &failure));
  ok(strew_scatter(out, 0, c->index, strew_of(c->src), &(strew_scatter_options){.reduction = STREW_SUM}, &out,
                   &failure));
  assert_elements(out, c->dtype, c->expected, "scattered on %d threads", threads);
  ok(strew_group_reduce(strew_by_ends(c->ends), STREW_GROUP_SUM, c->src, NULL, &sums, NULL, &failure));
  assert_elements(sums, c->dtype, c->expected, "segments on %d threads", threads);
  strew_release(out), strew_release(sums);
}

/* Contributions of which most go to one of five destinations, on several threads. An index value out of range leaves
   all as it was. */
static void check_hot_call(strew_dtype dtype, int threads, bool is_wrong) {
  const int64_t count = draw_run(), five = 5, hot = draw_below(5), share = draw_below(4) ? 10 : 1000;
  int64_t *index = malloc((size_t)(count + 1) * sizeof *index);
  volatile float single[5] = {0};
  volatile double real[5] = {0};
  char expected[5 * sizeof(double)] = {0};
  for (int64_t i = 0; i < count; i++) index[i] = draw_below(share) < 3 ? draw_below(5) : hot;
  if (is_wrong && count) index[draw_below(count)] = 5;
  for (int64_t i = 0; i < count && !(is_wrong && count); i++)
    single[index[i]] += singles[i], real[index[i]] += doubles[i];
  for (int g = 0; g < 5; g++) {
    const float x = single[g];
    const double y = real[g];
    if (dtype == STREW_FLOAT32) memcpy(expected + g * (int)sizeof x, &x, sizeof x);
    if (dtype == STREW_FLOAT64) memcpy(expected + g * (int)sizeof y, &y, sizeof y);
  }
  strew_tensor *out = NULL;
  strew_tensor *src =
      tensor_of(dtype, 1, &count, CONTIGUOUS, dtype == STREW_FLOAT32 ? (void *)singles : (void *)doubles);
  strew_tensor *at = tensor_of(STREW_INT64, 1, &count, CONTIGUOUS, index);
  use_threads(threads);
  ok(strew_full(device, dtype, 1, &five, strew_int(0), &out, &failure));
  const strew_status status =
      strew_scatter(out, 0, at, strew_of(src), &(strew_scatter_options){.reduction = STREW_SUM}, &out, &failure);
  ck_assert_int_eq(status, is_wrong && count ? STREW_EINDEX : STREW_OK);
  clear_failure();
  assert_elements(out, dtype, expected, "most of %" PRId64 " into one on %d threads", count, threads);
  free(index), strew_release(src), strew_release(at), strew_release(out);
}

/* _i: dtype. */
START_TEST(calls_add_in_order) {
  enum { CALLS = 150 };
  const strew_dtype dtype = _i ? STREW_FLOAT64 : STREW_FLOAT32;
  if (lacks(dtype)) return;
  seed_draws(23 + seed_of_third());
  struct tuning row = *tuning_in_use();
  tuning_force(&row);
  for (int round = 0; round < some(CALLS); round++) {
    row.run_tile = draw_below(2) ? 64 : 2048;
    row.run_chunk = draw_below(2) ? 64 + draw_below(200) : 1024;
    check_hot_call(dtype, (const int[]){2, 3, 7}[round % 3], draw_below(8) == 0);
    struct call_case c = draw_call(dtype);
    for (int turn = 0; turn < sweep(4); turn++) check_call(&c, (const int[]){1, 2, 3, 7}[turn]);
    strew_release(c.src), strew_release(c.index), strew_release(c.ends);
  }
  tuning_force(NULL);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("run");
  TCase *tcase = new_case(suite, "runs");
  tcase_add_loop_test(tcase, loops_add_in_order, 0, ISA_COUNT);
  tcase_add_loop_test(tcase, calls_add_in_order, 0, 2);
  return suite;
}
