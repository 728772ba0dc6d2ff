/* check_float_mode.c: a host thread with another rounding direction, with denormals flushed to zero, or with
   floating-point exceptions that kill the process. Results have the usual bits, even if the workers start in that mode,
   and every call restores the mode, also if it fails. */
#define _GNU_SOURCE /* feenableexcept */
#include "testing.h"

#include <fenv.h>
#include <string.h>

#ifdef __x86_64__
#include <xmmintrin.h>
enum { DENORMALS_ARE_ZERO = 1 << 6, FLUSH_TO_ZERO = 1 << 15, EXCEPTIONS = 0x3f };
static void flush_denormals(void) { _mm_setcsr(_mm_getcsr() | DENORMALS_ARE_ZERO | FLUSH_TO_ZERO); }
static unsigned sse_mode(void) { return _mm_getcsr() & ~(unsigned)EXCEPTIONS; }
#else
static unsigned sse_mode(void) { return 0; }
#endif

static void round_up(void) { fesetround(FE_UPWARD); }
static void round_down(void) { fesetround(FE_DOWNWARD); }
static void cut_off(void) { fesetround(FE_TOWARDZERO); }
static void trap(void) { feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT); }

static const struct {
  const char *name;
  void (*set)(void);
} modes[] = {
    {"round up", round_up},
    {"round down", round_down},
    {"toward zero", cut_off},
    {"trap", trap},
#ifdef __x86_64__
    {"flush denormals", flush_denormals},
#endif
};
enum { MODES = sizeof modes / sizeof *modes };

/* The output of a computation: elements, then text. */
enum { LENGTH = 40000, RESULTS = 12 };
struct outcome {
  float elements[RESULTS][LENGTH];
  double read, loaded;
  char text[sizeof((strew_error *)0)->message];
};

static void keep(struct outcome *outcome, int i, strew_tensor *tensor) {
  strew_tensor *floats = NULL;
  ok(strew_to(tensor, device, STREW_FLOAT32, &floats, &failure));
  ok(strew_read(floats, outcome->elements[i], (size_t)strew_tensor_numel(floats) * sizeof(float), &failure));
  strew_release(floats);
  strew_release(tensor);
}

/* Numbers with fractions, from the smallest denormals up. */
static strew_tensor *operand(const float *elements) {
  int64_t size = LENGTH;
  strew_tensor *tensor = NULL;
  ok(strew_from(device, STREW_FLOAT32, 1, &size, elements, &tensor, &failure));
  return tensor;
}

static void compute(const float *elements, struct outcome *outcome) {
  static const strew_binary_op binary[] = {STREW_ADD, STREW_MUL, STREW_DIV};
  static const strew_unary_op unary[] = {STREW_SQRT, STREW_EXP, STREW_ROUND};
  strew_tensor *a = operand(elements), *out = NULL;
  int i = 0;
  for (int k = 0; k < 3; k++, out = NULL) {
    ok(strew_binary(binary[k], strew_of(a), strew_number(strew_float(1.1)), &out, &failure));
    keep(outcome, i++, out);
  }
  for (int k = 0; k < 3; k++, out = NULL) {
    ok(strew_unary(unary[k], a, &out, &failure));
    keep(outcome, i++, out);
  }
  ok(strew_to(a, device, STREW_FLOAT16, &out, &failure));
  keep(outcome, i++, out), out = NULL;
  ok(strew_cumsum_with(a, 0, NULL, &out, &failure));
  keep(outcome, i++, out), out = NULL;
  int dim = 0;
  ok(strew_reduce_with(STREW_FOLD_VAR, a, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}}, &out,
                       &failure));
  keep(outcome, i++, out), out = NULL;
  ok(strew_linspace(device, STREW_FLOAT32, 0.1, 0.3, LENGTH, &out, &failure));
  keep(outcome, i++, out), out = NULL;
  strew_tensor *index = NULL;
  ok(strew_arange(device, STREW_INT64, strew_int(0), strew_int(LENGTH), strew_int(1), &index, &failure));
  ok(strew_binary(STREW_REMAINDER, strew_of(index), strew_number(strew_int(7)), &index, &failure));
  strew_scatter_options sum = {.reduction = STREW_SUM};
  ok(strew_scatter(a, 0, index, strew_of(a), &sum, &out, &failure));
  keep(outcome, i++, out), out = NULL;
  strew_context_seed(context, 5);
  ok(strew_randn(device, STREW_FLOAT32, 1, strew_tensor_sizes(a), &out, &failure));
  keep(outcome, i++, out);
  ck_assert_int_eq(i, RESULTS);

  strew_scalar number;
  int64_t first = 0;
  ok(strew_get(a, 1, &first, &number, &failure));
  outcome->read = number.as.f;
  outcome->loaded = strew_scalar_load(STREW_FLOAT32, elements).as.f;
  ck_assert_int_eq(strew_fill(index, strew_float(0.1 + 0x1p-52), &failure), STREW_EVALUE);
  memcpy(outcome->text, failure.message, sizeof outcome->text);
  strew_release(index);
  strew_release(a);
}

static void make_elements(float *elements) {
  seed_draws(1);
  for (int i = 0; i < LENGTH; i++) {
    float fraction = (float)draw_below(1 << 20) / (1 << 19);
    elements[i] = i % 2 ? fraction : fraction * 0x1p-135f;
  }
  elements[0] = 0x1p-149f;
}

START_TEST(test_modes) {
  static float elements[LENGTH];
  static struct outcome plain, other;
  make_elements(elements);
  memset(&plain, 0, sizeof plain);
  memset(&other, 0, sizeof other);
  compute(elements, &plain);

  strew_context_set_threads(context, 1 + _i / MODES * 2, NULL); /* the workers are started again */
  fenv_t usual;
  fegetenv(&usual);
  modes[_i % MODES].set();
  int rounding = fegetround(), traps = fegetexcept();
  unsigned sse = sse_mode();
  compute(elements, &other);
  int rounding_after = fegetround(), traps_after = fegetexcept();
  unsigned sse_after = sse_mode();
  fesetenv(&usual);

  const char *name = modes[_i % MODES].name;
  ck_assert_msg(rounding == rounding_after && traps == traps_after && sse == sse_after, "%s: the mode was changed",
                name);
  for (int i = 0; i < RESULTS; i++)
    for (int k = 0; k < LENGTH && memcmp(plain.elements[i], other.elements[i], sizeof plain.elements[i]); k++)
      ck_assert_msg(!memcmp(&plain.elements[i][k], &other.elements[i][k], sizeof(float)),
                    "%s: result %d has %a at %d, not %a", name, i, (double)other.elements[i][k], k,
                    (double)plain.elements[i][k]);
  ck_assert_msg(plain.read == other.read && plain.loaded == other.loaded, "%s: an element is read as %a or %a", name,
                other.read, other.loaded);
  ck_assert_str_eq(plain.text, other.text);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("float_mode");
  tcase_add_loop_test(new_case(suite, "float modes of a host"), test_modes, 0, MODES * 2);
  return suite;
}
