/* testing.c: see testing.h */
#include "testing.h"
#include "tuned.h"

#include <inttypes.h>
#include <stdarg.h>

strew_context *context;
strew_device *device;
strew_error failure;
strew_allocator test_allocator;

/* ----------------------------------------------------------------------------------------------- cases and main */

static void make_context(void) {
  enum { SMALL = 64 }; /* bytes: even small work is shared among threads, light work from 512 bytes on */
  const char *threads = getenv("STREW_TEST_THREADS");
  strew_options options = {.device = getenv("STREW_TEST_DEVICE"),
                           .threads = threads ? atoi(threads) : 2,
                           .grain_bytes = SMALL,
                           .allocator = test_allocator};
  use_tuning(NULL, SMALL);
  ok(strew_context_create(&options, &context, &failure));
  ok(strew_device_find(context, NULL, &device, &failure));
}

static void start_context(void) {
  if (!context) make_context();
  strew_context_seed(context, 0);
  seed_draws(1);
}

/* A context with leftovers is not reused by the next test. (A test may have closed it itself.) */
static void finish_context(void) {
  if (!context) return;
  size_t left = strew_context_bytes(context);
  bool is_kept = on_device() && !left && strew_device_finish(device, NULL) == STREW_OK; /* it may be lost */
  if (!is_kept) strew_context_release(context), context = NULL;
  ck_assert_msg(!left, "%zu bytes of tensor memory were not freed", left);
}

TCase *new_case(Suite *suite, const char *name) {
  TCase *made = tcase_create(name);
  tcase_add_checked_fixture(made, start_context, finish_context);
  tcase_set_timeout(made, 120);
  suite_add_tcase(suite, made);
  return made;
}

int main(void) {
  SRunner *runner = srunner_create(make_suite());
  if ((on_device() || is_emulated()) && !getenv("CK_FORK")) srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  strew_context_release(context);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------- the device */

bool on_device(void) {
  const char *name = getenv("STREW_TEST_DEVICE");
  return name && strcmp(name, "cpu") != 0;
}

bool is_emulated(void) { return getenv("STREW_TEST_EMULATED") != NULL; }

bool follows_forks(void) {
  if (is_emulated()) return false;
#if defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return false;
#endif
#endif
  return true;
}

static bool all_is_tried(void) {
  if (getenv("STREW_TEST_PROGRAMS")) return true;
  return on_device() ? getenv("STREW_TEST_ALL") != NULL : !getenv("STREW_TEST_FEW");
}

/* $STREW_TEST_THIN on a device other than the CPU, and under QEMU. */
static int thinning(void) {
  const char *text = on_device() || is_emulated() ? getenv("STREW_TEST_THIN") : NULL;
  return text && atoi(text) > 1 ? atoi(text) : 1;
}

unsigned seed_of_third(void) {
  const char *text = all_is_tried() ? getenv("STREW_TEST_SEED") : NULL;
  return text ? (unsigned)atoi(text) : 0;
}

/* Returns of how many cases one is tried, if `few` are where not all are tried. */
static int one_of(int few) {
  if (!all_is_tried()) return few * thinning();
  return !seed_of_third() ? 1 : few < 3 ? few : 3;
}

/* Mixes the bits of i, so that the sample covers every operation and every dtype. */
bool chosen(int i, int one_in) {
  return (((unsigned)i + seed_of_third()) * 2654435761u >> 12) % (unsigned)one_of(one_in) == 0;
}

int under_qemu(int count, int one_in) { return is_emulated() ? (count + one_in - 1) / one_in : count; }

int some(int count) {
  const int one_in = one_of(20);
  return (count + one_in - 1) / one_in;
}

struct cases program_cases(int usual, int each) {
  const char *text = getenv("STREW_TEST_PROGRAMS");
  int count = usual * each / (is_emulated() ? 10 * thinning() : 1), first = 0;
  if (text) sscanf(text, "%d,%d", &count, &first);
  return (struct cases){first, first + (count + each - 1) / each};
}

int sweep(int counts) { return on_device() ? 1 : counts; }

bool lacks(strew_dtype dtype) {
  static bool told;
  strew_capabilities can;
  if (dtype != STREW_FLOAT64 || !on_device()) return false;
  ok(strew_device_capabilities(device, &can, &failure));
  if (!can.float64 && !told) printf("without float64, which %s lacks\n", strew_device_description(device));
  told = true;
  return !can.float64;
}

strew_dtype dtype_here(strew_dtype dtype) { return lacks(dtype) ? STREW_FLOAT32 : dtype; }

void use_threads(int threads) {
  if (!on_device()) ok(strew_context_set_threads(context, threads, &failure));
}

void use_turn(int turn, int i) {
  if (!getenv("STREW_TEST_THREADS")) use_threads(turn ? (const int[]){2, 3, 7}[i % 3] : 1);
}

void clear_failure(void) {
  failure.op = NULL;
  failure.code = STREW_OK;
  failure.message[0] = 0;
}

/* The message, with the device name replaced by cpu. */
static const char *message_of_cpu(void) {
  static char text[sizeof failure.message];
  char place[64];
  int length = snprintf(place, sizeof place, "] %s", strew_device_name(device));
  size_t used = 0;
  for (const char *at = failure.message; *at && used + 8 < sizeof text;) {
    bool is_place = !strncmp(at, place, (size_t)length) && (at[length] == '\n' || !at[length]);
    used += (size_t)snprintf(text + used, sizeof text - used, is_place ? "] cpu" : "%c", *at);
    at += is_place ? length : 1;
  }
  text[used] = 0;
  return text;
}

void check_failure(const char *what, strew_status status, strew_status code, const char *message) {
  ck_assert_msg(status != STREW_OK, "%s succeeded, should fail with \"%s\"", what, message ? message : "");
  ck_assert_msg(status == code, "%s gave status %s, not %s: %s", what, strew_enum_name(STREW_WORDS_STATUS, status),
                strew_enum_name(STREW_WORDS_STATUS, code), failure.message);
  ck_assert_int_eq(failure.code, code);
  if (message) ck_assert_str_eq(on_device() ? message_of_cpu() : failure.message, message);
}

/* ----------------------------------------------------------------------------------------------- random numbers */

static uint64_t draw_state;

void seed_draws(uint64_t seed) { draw_state = seed; }

/* splitmix64 */
uint64_t draw(void) {
  uint64_t z = draw_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

int64_t draw_below(int64_t n) { return (int64_t)(draw() % (uint64_t)n); }

static double special_number(strew_dtype dtype) {
  static const double halves[] = {65504, -65504, 0x1p-24, -0x1p-24, 0x1p-14};
  static const double singles[] = {0x1.fffffep127, -0x1.fffffep127, 0x1p-149, -0x1p-149, 0x1p-126};
  static const double doubles[] = {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p-1074, -0x1p-1074, 0x1p-1022};
  static const double common[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INFINITY, -INFINITY, NAN, 3.0};
  int64_t i = draw_below(15);
  if (i >= 5) return common[i - 5];
  return dtype == STREW_FLOAT64 ? doubles[i] : dtype == STREW_FLOAT16 ? halves[i] : singles[i];
}

/* Newton's method: of an odd number, modulo 2^64. */
static uint64_t inverse_of(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
  return inverse;
}

uint64_t colliding_key(uint64_t i) {
  uint64_t state = i << 40;
  state = (state ^ state >> 32) * inverse_of(UINT64_C(0xd6e8feb86659fd93));
  return (state ^ state >> 32) * inverse_of(UINT64_C(0x9e3779b97f4a7c15));
}

static int64_t special_integer(strew_dtype dtype) {
  const int64_t highest = highest_of(dtype);
  const int64_t list[] = {0, 1, 2, -1, highest, -highest - 1, highest - 1, 3, 7, -2};
  return list[draw_below(10)];
}

/* Oracles compute in int64: no uint64 is greater. (unsigned_spec.lua has those.) */
static void halve(strew_dtype dtype, unsigned char *element) {
  const uint16_t one = 1;
  if (dtype == STREW_UINT64) element[*(const unsigned char *)&one ? 7 : 0] &= 0x7f;
}

void random_element(strew_dtype dtype, void *element) {
  int64_t kind = draw_below(4);
  strew_scalar number;
  if (kind == 0 && dtype != STREW_BOOL) { /* any bits */
    uint64_t bits = draw();
    memcpy(element, &bits, strew_dtype_size_bytes(dtype));
    halve(dtype, element);
    if (!is_nan_element(dtype, element)) return;
    kind = 2; /* NaN payloads are open, and some are signalling */
  }
  if (dtype == STREW_BOOL)
    number = strew_bool(draw() & 1);
  else if (!is_float_dtype(dtype))
    number = strew_int(kind == 1 ? special_integer(dtype) : draw_below(23) - 11);
  else
    number = strew_float(kind == 1 ? special_number(dtype) : (double)(draw_below(4001) - 2000) / 128);
  ok(strew_scalar_store(number, STREW_SATURATE, dtype, element, &failure));
  halve(dtype, element);
}

/* ------------------------------------------------------------------------------------------------------ layouts */

const char *layout_name(enum layout layout) {
  static const char *const names[] = {"contiguous", "permuted", "strided", "expanded"};
  return names[layout];
}

/* The layout of a tensor's elements in a block of `block` elements. */
struct placing {
  int64_t strides[STREW_MAX_RANK], offset, block;
};

static void place_permuted(int rank, const int64_t *sizes, struct placing *to) {
  int order[STREW_MAX_RANK];
  for (int d = 0; d < rank; d++) order[d] = d;
  for (int d = rank - 1; d > 0; d--) {
    int other = rank == 2 ? d : (int)draw_below(d + 1), kept = order[d];
    order[d] = order[other], order[other] = kept;
  }
  for (int i = 0; i < rank; i++) {
    to->strides[order[i]] = to->block;
    to->block *= sizes[order[i]];
  }
}

static struct placing place(int rank, const int64_t *sizes, enum layout layout) {
  struct placing to = {.block = 1};
  if (layout == PERMUTED) return place_permuted(rank, sizes, &to), to;
  bool still = false; /* at least one dimension has stride 0 */
  for (int d = rank - 1; d >= 0; d--) {
    int64_t step = layout == STRIDED ? 2 + draw_below(2) : 1;
    if (layout == EXPANDED && sizes[d] > 1 && (!still || draw_below(2))) still = true, step = 0;
    to.strides[d] = to.block * step;
    if (step) to.block *= sizes[d] * step + (layout == STRIDED);
  }
  if (layout == STRIDED) to.offset = 1 + draw_below(3), to.block += 8;
  return to;
}

static strew_tensor *place_tensor(strew_dtype dtype, int rank, const int64_t *sizes, const struct placing *placing,
                                  const void *block) {
  strew_tensor *base = NULL, *view = NULL;
  ok(strew_from(device, dtype, 1, &placing->block, block, &base, &failure));
  ok(strew_as_strided(base, rank, sizes, placing->strides, placing->offset, &view, &failure));
  strew_release(base);
  return view;
}

static strew_tensor *filled_tensor(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout,
                                   void (*fill)(strew_dtype dtype, void *element, const int64_t *range),
                                   const int64_t *range) {
  struct placing placing = place(rank, sizes, layout);
  size_t size = strew_dtype_size_bytes(dtype);
  char *block = malloc((size_t)placing.block * size + 1);
  for (int64_t i = 0; i < placing.block; i++) fill(dtype, block + (size_t)i * size, range);
  strew_tensor *made = place_tensor(dtype, rank, sizes, &placing, block);
  free(block);
  return made;
}

static void fill_random(strew_dtype dtype, void *element, const int64_t *range) {
  (void)range;
  random_element(dtype, element);
}

static void fill_between(strew_dtype dtype, void *element, const int64_t *range) {
  const int64_t low = range[0] < 0 && is_unsigned_dtype(dtype) ? 0 : range[0];
  strew_scalar number = strew_int(low + draw_below(range[1] - range[0]));
  ok(strew_scalar_store(number, STREW_EXACT, dtype, element, &failure));
}

strew_tensor *random_tensor(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout) {
  return filled_tensor(dtype, rank, sizes, layout, fill_random, NULL);
}

strew_tensor *random_integers(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout, int64_t low,
                              int64_t high) {
  return filled_tensor(dtype, rank, sizes, layout, fill_between, (int64_t[]){low, high});
}

/* Advances a position in row-major order, and its offset. */
static void step_on(int rank, const int64_t *sizes, const int64_t *strides, int64_t *position, int64_t *offset) {
  for (int d = rank - 1; d >= 0; d--) {
    *offset += strides[d];
    if (++position[d] < sizes[d]) return;
    *offset -= strides[d] * sizes[d];
    position[d] = 0;
  }
}

int64_t count_of(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int d = 0; d < rank; d++) count *= sizes[d];
  return count;
}

void coordinates(int64_t i, int rank, const int64_t *sizes, int64_t *at) {
  for (int d = rank - 1; d >= 0; d--) {
    at[d] = i % sizes[d];
    i /= sizes[d];
  }
}

int64_t offset_of(const strew_tensor *tensor, int64_t i) {
  int rank = strew_tensor_rank(tensor);
  int64_t at[STREW_MAX_RANK], offset = strew_tensor_offset(tensor);
  coordinates(i, rank, strew_tensor_sizes(tensor), at);
  for (int d = 0; d < rank; d++) offset += at[d] * strew_tensor_strides(tensor)[d];
  return offset;
}

strew_tensor *tensor_of(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout, const void *elements) {
  ck_assert(layout != EXPANDED);
  struct placing placing = place(rank, sizes, layout);
  size_t size = strew_dtype_size_bytes(dtype);
  char *block = calloc((size_t)placing.block + 1, size);
  int64_t position[STREW_MAX_RANK] = {0}, offset = placing.offset, count = count_of(rank, sizes);
  for (int64_t i = 0; i < count; i++) {
    memcpy(block + (size_t)offset * size, (const char *)elements + (size_t)i * size, size);
    step_on(rank, sizes, placing.strides, position, &offset);
  }
  strew_tensor *made = place_tensor(dtype, rank, sizes, &placing, block);
  free(block);
  return made;
}

/* One of the two lists is given. */
static strew_tensor *vector_of(strew_dtype dtype, int64_t count, const double *doubles, const int64_t *integers) {
  size_t size = strew_dtype_size_bytes(dtype);
  char *block = malloc((size_t)count * size + 1);
  for (int64_t i = 0; i < count; i++) {
    strew_scalar number = doubles ? strew_float(doubles[i]) : strew_int(integers[i]);
    ok(strew_scalar_store(number, STREW_SATURATE, dtype, block + (size_t)i * size, &failure));
  }
  strew_tensor *made = NULL;
  ok(strew_from(device, dtype, 1, &count, block, &made, &failure));
  free(block);
  return made;
}

strew_tensor *tensor_from_doubles(strew_dtype dtype, int64_t count, const double *values) {
  return vector_of(dtype, count, values, NULL);
}

strew_tensor *tensor_from_integers(strew_dtype dtype, int64_t count, const int64_t *values) {
  return vector_of(dtype, count, NULL, values);
}

strew_tensor *scalar_tensor(strew_dtype dtype, strew_scalar value) {
  unsigned char element[8];
  strew_tensor *made = NULL;
  ok(strew_scalar_store(value, STREW_SATURATE, dtype, element, &failure));
  ok(strew_from(device, dtype, 0, NULL, element, &made, &failure));
  return made;
}

/* --------------------------------------------------------------------------------------------------- comparison */

static int order_of_mixed(int64_t i, double f) {
  if (!(fabs(f) < 0x1p63)) return isnan(f) ? UNORDERED : f == -0x1p63 ? i > INT64_MIN : f < 0 ? 1 : -1;
  const int64_t whole = (int64_t)f; /* toward zero */
  return i != whole ? (i > whole) - (i < whole) : ((double)whole > f) - ((double)whole < f);
}

int order_of(strew_scalar a, strew_scalar b) {
  const bool floats[] = {a.dtype == STREW_FLOAT64, b.dtype == STREW_FLOAT64};
  if (floats[0] && floats[1]) return isnan(a.as.f) || isnan(b.as.f) ? UNORDERED : (a.as.f > b.as.f) - (a.as.f < b.as.f);
  if (!floats[0] && !floats[1]) return (a.as.i > b.as.i) - (a.as.i < b.as.i);
  const int order = floats[1] ? order_of_mixed(a.as.i, b.as.f) : order_of_mixed(b.as.i, a.as.f);
  return floats[1] || order == UNORDERED ? order : -order;
}

/* Copies the memory from the tensor's first element to its last, gaps included; the caller frees it. */
static char *read_span(const strew_tensor *tensor, size_t size) {
  int64_t span = 1, one = 1;
  for (int d = 0; d < strew_tensor_rank(tensor); d++)
    span += (strew_tensor_sizes(tensor)[d] - 1) * strew_tensor_strides(tensor)[d];
  char *memory = malloc((size_t)span * size);
  strew_tensor *flat = NULL, *viewed = (strew_tensor *)(uintptr_t)tensor;
  ok(strew_as_strided(viewed, 1, &span, &one, strew_tensor_offset(tensor), &flat, &failure));
  ok(strew_read(flat, memory, (size_t)span * size, &failure));
  strew_release(flat);
  return memory;
}

void *host_of(const strew_tensor *tensor) {
  int rank = strew_tensor_rank(tensor);
  const int64_t *sizes = strew_tensor_sizes(tensor), *strides = strew_tensor_strides(tensor);
  size_t size = strew_dtype_size_bytes(strew_tensor_dtype(tensor));
  int64_t count = strew_tensor_numel(tensor), position[STREW_MAX_RANK] = {0}, offset = 0;
  char *host = malloc((size_t)count * size + 1), *span = NULL;
  void *data = NULL;
  if (!on_device())
    ok(strew_data(tensor, &data, &failure));
  else if (count)
    data = span = read_span(tensor, size);
  for (int64_t i = 0; i < count; i++) {
    memcpy(host + (size_t)i * size, (const char *)data + (size_t)offset * size, size);
    step_on(rank, sizes, strides, position, &offset);
  }
  free(span);
  return host;
}

bool is_float_dtype(strew_dtype dtype) {
  enum { BOOLEAN, INTEGER, FLOATING };
  static const bool is_float[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = category == FLOATING,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return is_float[dtype];
}

bool is_nan_element(strew_dtype dtype, const void *element) {
  return is_float_dtype(dtype) && isnan(strew_scalar_load(dtype, element).as.f);
}

bool same_element(strew_dtype dtype, const void *a, const void *b) {
  if (memcmp(a, b, strew_dtype_size_bytes(dtype)) == 0) return true;
  return is_nan_element(dtype, a) && is_nan_element(dtype, b);
}

static void write_element(strew_dtype dtype, const void *element, char *text, size_t room) {
  strew_scalar number = strew_scalar_load(dtype, element);
  if (number.dtype == STREW_FLOAT64)
    snprintf(text, room, "%.17g (%a)", number.as.f, number.as.f);
  else
    snprintf(text, room, "%" PRId64, number.as.i);
}

void assert_elements(const strew_tensor *tensor, strew_dtype dtype, const void *expected, const char *format, ...) {
  char what[512], got_text[80], wanted_text[80];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  ck_assert_msg(strew_tensor_dtype(tensor) == dtype, "%s: dtype is %s, not %s", what,
                strew_dtype_name(strew_tensor_dtype(tensor)), strew_dtype_name(dtype));
  size_t size = strew_dtype_size_bytes(dtype);
  int64_t count = strew_tensor_numel(tensor);
  char *got = host_of(tensor);
  for (int64_t i = 0; i < count; i++) {
    const char *wanted = (const char *)expected + (size_t)i * size, *is = got + (size_t)i * size;
    if (same_element(dtype, wanted, is)) continue;
    write_element(dtype, is, got_text, sizeof got_text);
    write_element(dtype, wanted, wanted_text, sizeof wanted_text);
    ck_abort_msg("%s: element %" PRId64 " of %" PRId64 " is %s, not %s", what, i, count, got_text, wanted_text);
  }
  free(got);
}

void assert_sizes(const strew_tensor *tensor, int rank, const int64_t *sizes) {
  ck_assert_int_eq(strew_tensor_rank(tensor), rank);
  for (int d = 0; d < rank; d++) ck_assert_int_eq(strew_tensor_sizes(tensor)[d], sizes[d]);
}

void assert_same(const strew_tensor *a, const strew_tensor *b, const char *what) {
  assert_sizes(a, strew_tensor_rank(b), strew_tensor_sizes(b));
  void *expected = host_of(b);
  assert_elements(a, strew_tensor_dtype(b), expected, "%s", what);
  free(expected);
}
