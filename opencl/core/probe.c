/* probe.c: testing a device when it is opened. Chosen operands go through the device's own operators. Operations with
   wrong results are emulated with integers (softfloat.h) or not offered. */
#include "opencl.h"
#include "runtime/core/shared/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SUM, PRODUCT, SUM_OF_PRODUCT, QUOTIENT, ROOT, LESS, NEGATIVE, FROM_INT64, FUSED, BY_ZERO, OF_TRUTH, RESULTS };
enum { OPERANDS = 768, LOOP_TURNS = 200000, SHORT_LOOP = 32768 };

static uint64_t mixed(uint64_t i) {
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

/* Operand i, in turn: any bits; values near 1, where roundings differ; denormals and their neighbours. */
static uint64_t chosen(uint64_t i, int fraction, int width) {
  const uint64_t any = mixed(i + 1) >> (64 - width), one = ((1ull << (width - fraction - 2)) - 1) << fraction;
  const uint64_t part = any & ((1ull << fraction) - 1), sign = any & 1ull << (width - 1);
  switch (i / 3 % 4) {
  case 0: return any;
  case 1: return sign | (one + part);
  case 2: return sign | (part >> (any >> fraction & 7));
  default: return (one - ((uint64_t)(mixed(i) & 3) << fraction)) + part;
  }
}

/* EXPECT defines a function that computes an operand triple's results: their bits, and truth values as 0 or 1. The
   library is compiled without contraction. */
#define EXPECT(name, real, root, fused)                                                                                \
  static void name(const void *operands, uint64_t *expected) {                                                         \
    const real *x = operands, product = x[0] * x[1];                                                                   \
    int64_t whole;                                                                                                     \
    memcpy(&whole, x, sizeof whole);                                                                                   \
    const real results[RESULTS] = {                                                                                    \
        [SUM] = x[0] + x[1],        [PRODUCT] = product,  [SUM_OF_PRODUCT] = product + x[2],                           \
        [QUOTIENT] = x[0] / x[1],   [ROOT] = root(x[0]),  [FUSED] = fused(x[0], x[1], x[2]),                           \
        [FROM_INT64] = (real)whole, [BY_ZERO] = x[0] * 0, [OF_TRUTH] = x[0] < x[1] ? -1 : 0};                          \
    for (int r = 0; r < RESULTS; r++) expected[r] = 0, memcpy(&expected[r], &results[r], sizeof *results);             \
    expected[LESS] = x[0] < x[1];                                                                                      \
    expected[NEGATIVE] = signbit(x[0]) != 0;                                                                           \
  }
EXPECT(expect_floats, float, sqrtf, fused_f32)
EXPECT(expect_doubles, double, sqrt, fma)

static bool is_nan(uint64_t bits, bool is_single) {
  return is_single ? (bits & 0x7fffffffu) > 0x7f800000u : (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

/* ------------------------------------------------------------------------------------------------- running a kernel */

/* Operands and results of one kernel, on the host; size_bytes per element. */
struct arithmetic_trial {
  const char *kernel;
  size_t size_bytes;
  uint64_t operands[3 * OPERANDS], results[RESULTS * OPERANDS];
};

static void choose_operands(struct arithmetic_trial *trial) {
  uint32_t *singles = (uint32_t *)trial->operands;
  for (uint64_t i = 0; i < 3 * OPERANDS; i++)
    if (trial->size_bytes == sizeof(float))
      singles[i] = (uint32_t)chosen(i, 23, 32);
    else
      trial->operands[i] = chosen(i, 52, 64);
  if (trial->size_bytes != sizeof(float)) return;
  singles[0] = 1; /* the int64 just above the middle of two float32: rounded to float64 first, it falls on the middle */
  singles[1] = 0x40000040;
}

static strew_status run_trial(const struct call *call, strew_device *device, struct arithmetic_trial *trial) {
  const size_t operand_bytes = 3 * OPERANDS * trial->size_bytes, result_bytes = RESULTS * OPERANDS * trial->size_bytes;
  struct launch launch = {.call = call, .device = device};
  choose_operands(trial);
  struct block *operands = launch_scratch(&launch, operand_bytes), *results = launch_scratch(&launch, result_bytes);
  launch_write(&launch, operands, trial->operands, operand_bytes);
  launch_start(&launch, "probe.cl", trial->kernel, "%s", "");
  launch_blocks(&launch, operands, results);
  launch_flags(&launch, OPERANDS);
  launch_items(&launch, OPERANDS);
  launch_read(&launch, results, 0, trial->results, result_bytes);
  return launch_end(&launch);
}

/* A bit per operation of which a result is wrong. */
static unsigned wrong_results(const struct arithmetic_trial *trial) {
  const size_t size = trial->size_bytes;
  const bool is_single = size == sizeof(float);
  unsigned wrong = 0;
  for (size_t i = 0; i < OPERANDS; i++) {
    uint64_t expected[RESULTS], bits = 0;
    (is_single ? expect_floats : expect_doubles)((const char *)trial->operands + 3 * i * size, expected);
    for (size_t r = 0; r < RESULTS; r++) {
      memcpy(&bits, (const char *)trial->results + (RESULTS * i + r) * size, size);
      bool both_nan = r != LESS && r != NEGATIVE && is_nan(bits, is_single) && is_nan(expected[r], is_single);
      if (bits != expected[r] && !both_nan) wrong |= 1u << r;
    }
  }
  return wrong;
}

static strew_status probe_floats(const struct call *call, strew_device *device, const char *kernel, size_t size_bytes,
                                 unsigned *wrong) {
  strew_context *context = device->context;
  ALLOCATE_NEW(struct arithmetic_trial *, trial, call, context, sizeof *trial);
  trial->kernel = kernel;
  trial->size_bytes = size_bytes;
  strew_status status = run_trial(call, device, trial);
  if (status == STREW_OK) *wrong = wrong_results(trial);
  memory_free(context, trial, sizeof *trial);
  return status;
}

static strew_status probe_loop(const struct call *call, strew_device *device) {
  uint32_t expected = 1, state = 1;
  for (int i = 0; i < LOOP_TURNS; i++) expected = (expected * 1664525u + 1013904223u) ^ expected >> 7;
  struct launch launch = {.call = call, .device = device};
  struct block *block = launch_scratch(&launch, sizeof state);
  launch_write(&launch, block, &state, sizeof state);
  launch_start(&launch, "probe.cl", "probe_loop", "%s", "");
  launch_blocks(&launch, block);
  launch_flags(&launch, LOOP_TURNS);
  launch_groups(&launch, 1, 1);
  launch_read(&launch, block, 0, &state, sizeof state);
  strew_status status = launch_end(&launch);
  if (status == STREW_OK && (state != expected || opencl_assumed("shortloops")))
    opencl_of(device)->longest_loop = SHORT_LOOP;
  return status;
}

/* Maps wrong operations to SOFT_ flags. A product that the compiler fuses with a sum counts as wrong: computed with
   integers, it cannot be fused. */
static unsigned in_software(unsigned wrong) {
  unsigned software = 0;
  if (opencl_assumed("software")) wrong = ~0u;
#define BIT(result)                          (1u << (result))
#define ROW(flag, bit, results, macro, text) software |= wrong & (results) ? SOFT_##flag : 0u;
  SOFTWARE(ROW)
  return software;
}

/* ------------------------------------------------------------------------------------------ compilation of sorts */

static void key_of(strew_device *device, char *key, size_t size) {
  const struct opencl *on = opencl_of(device);
  snprintf(key, size, "sorts without optimisation | %s | %s | %s | " STREW_VERSION, strew_device_description(device),
           on->driver, on->options);
}

bool opencl_knows_plain_sorts(strew_device *device) {
  char key[640];
  size_t size_bytes;
  key_of(device, key, sizeof key);
  void *found = cache_find(device->context, key, &size_bytes);
  if (found) memory_free(device->context, found, size_bytes);
  return found != NULL;
}

void opencl_use_plain_sorts(strew_device *device) {
  char key[640];
  key_of(device, key, sizeof key);
  cache_store(key, "1", 1);
  program_release_all(device);
  opencl_of(device)->plain_sorts = true;
  opencl_of(device)->sorts_tried = 0;
}

strew_status opencl_probe(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  unsigned wrong = 0;
  strew_status status = probe_floats(call, device, "probe_float32", sizeof(float), &wrong);
  if (status != STREW_OK) return status;
  on->software = in_software(wrong);
  if (!device->lacks_float64) {
    RETURN_IF_FAILED(probe_floats(call, device, "probe_float64", sizeof(double), &wrong));
    if (wrong & 1u << FUSED || opencl_assumed("software")) on->software |= SOFT_FUSED64;
    on->software |= in_software(wrong) & SOFT_INTEGERS;
    if (wrong & ((1u << FUSED) - 1)) /* the others are emulated */
      device->lacks_float64 = "its float64 arithmetic is not exact";
  }
  on->plain_sorts = opencl_knows_plain_sorts(device);
  return probe_loop(call, device);
}
