/* check_copy.c: data movement without arithmetic: copies, conversions of whole tensors, concatenation, host memory in
   and out, single elements, comparison; against plain loops over dense host memory. */
#include "testing.h"

static size_t size_of(strew_dtype dtype) { return strew_dtype_size_bytes(dtype); }

static void convert(strew_dtype from, const char *elements, int64_t i, strew_dtype to, char *converted, int64_t at) {
  strew_scalar number = strew_scalar_load(from, elements + (size_t)i * size_of(from));
  ok(strew_scalar_store(number, STREW_SATURATE, to, converted + (size_t)at * size_of(to), &failure));
}

/* Numbers that every dtype can hold. */
static strew_tensor *small_numbers(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout) {
  return random_integers(dtype, rank, sizes, layout, 0, dtype == STREW_BOOL ? 2 : 100);
}

static int draw_sizes(int64_t *sizes, int64_t most) {
  int rank = (int)draw_below(5);
  for (int d = 0; d < rank; d++) sizes[d] = draw_below(12) ? 1 + draw_below(most) : 0;
  return rank;
}

static enum layout draw_layout(int layouts) { return (enum layout)draw_below(layouts); }

/* ------------------------------------------------------------------------------------------- copy_, broadcasting */

/* Removes leading dimensions and sets some sizes to 1. */
static int shrink(int rank, const int64_t *sizes, int64_t *smaller) {
  int dropped = (int)draw_below(rank + 1);
  if (draw_below(2)) dropped = 0;
  for (int d = dropped; d < rank; d++) smaller[d - dropped] = draw_below(4) ? sizes[d] : 1;
  return rank - dropped;
}

/* Returns the row-major position in the smaller shape that broadcasts to element i of the larger one. */
static int64_t broadcast_place(int64_t i, int rank, const int64_t *sizes, int smaller_rank, const int64_t *smaller) {
  int64_t at[STREW_MAX_RANK], place = 0;
  coordinates(i, rank, sizes, at);
  for (int d = 0; d < smaller_rank; d++)
    place = place * smaller[d] + (smaller[d] == 1 ? 0 : at[rank - smaller_rank + d]);
  return place;
}

static void check_copy(strew_dtype to, strew_dtype from, const char *what) {
  int64_t sizes[STREW_MAX_RANK], smaller[STREW_MAX_RANK];
  int rank = draw_sizes(sizes, 5), smaller_rank = shrink(rank, sizes, smaller);
  strew_tensor *target = random_tensor(to, rank, sizes, draw_layout(EXPANDED));
  strew_tensor *src = small_numbers(from, smaller_rank, smaller, draw_layout(LAYOUT_COUNT));
  int64_t count = strew_tensor_numel(target);
  char *elements = host_of(src), *expected = malloc((size_t)(count + 1) * size_of(to));
  for (int64_t i = 0; i < count; i++)
    convert(from, elements, broadcast_place(i, rank, sizes, smaller_rank, smaller), to, expected, i);
  ok(strew_copy(target, src, &failure));
  assert_elements(target, to, expected, "%s", what);
  free(elements), free(expected);
  strew_release(target), strew_release(src);
}

START_TEST(copies_broadcast_and_convert) {
  strew_dtype to = (strew_dtype)(_i / STREW_DTYPE_COUNT), from = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(to) || lacks(from) || !chosen(_i, 3)) return;
  char what[64];
  snprintf(what, sizeof what, "%s from %s", strew_dtype_name(to), strew_dtype_name(from));
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(30); n++) {
    if (n == 0) use_threads((const int[]){2, 3, 7}[_i % 3]);
    if (n == 5) use_threads(1);
    check_copy(to, from, what);
  }
}
END_TEST

/* Memory between the elements of a view does not change. */
START_TEST(copies_stay_inside) {
  const int64_t sizes[] = {3, 4};
  strew_tensor *base = tensor_of(STREW_INT16, 2, sizes, CONTIGUOUS, (int16_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  strew_tensor *view = NULL, *src = tensor_from_integers(STREW_INT64, 2, (const int64_t[]){-1, -2});
  ok(strew_slice(base, 1, 1, 4, 2, &view, &failure));
  ok(strew_copy(view, src, &failure));
  assert_elements(base, STREW_INT16, (int16_t[]){1, -1, 3, -2, 5, -1, 7, -2, 9, -1, 11, -2}, "copied between");
  strew_release(base), strew_release(view), strew_release(src);
}
END_TEST

START_TEST(copies_onto_themselves) {
  strew_tensor *t = tensor_from_integers(STREW_INT8, 4, (const int64_t[]){1, 2, 3, 4}), *low = NULL, *high = NULL;
  ok(strew_copy(t, t, &failure));
  ok(strew_narrow(t, 0, 0, 2, &low, &failure));
  ok(strew_narrow(t, 0, 2, 2, &high, &failure));
  ok(strew_copy(low, high, &failure));
  assert_elements(t, STREW_INT8, (int8_t[]){3, 4, 3, 4}, "its own other half");
  strew_release(t), strew_release(low), strew_release(high);
}
END_TEST

START_TEST(copy_errors) {
  strew_tensor *t = tensor_from_integers(STREW_INT8, 3, (const int64_t[]){1, 2, 3}), *low = NULL, *high = NULL;
  strew_tensor *two = tensor_from_doubles(STREW_FLOAT32, 2, (const double[]){1, 2}), *row = NULL, *wide = NULL;
  ok(strew_narrow(t, 0, 0, 2, &low, &failure));
  ok(strew_narrow(t, 0, 1, 2, &high, &failure));
  ok(strew_view(t, 2, (const int64_t[]){1, 3}, &row, &failure));
  ok(strew_expand(t, 2, (const int64_t[]){2, 3}, &wide, &failure));
  assert_fails(strew_copy(t, two, &failure), STREW_ESHAPE,
               "copy: 'src' has shape [2], which does not broadcast to self's [3]\n"
               "  self  int8[3] cpu\n"
               "  src   float32[2] cpu");
  assert_fails(strew_copy(t, row, &failure), STREW_ESHAPE,
               "copy: 'src' has shape [1, 3], which does not broadcast to self's [3]\n"
               "  self  int8[3] cpu\n"
               "  src   int8[1, 3] cpu");
  assert_fails(strew_copy(low, high, &failure), STREW_EOVERLAP,
               "copy: 'src' shares elements with the tensor written in place\n"
               "  self  int8[2] cpu\n"
               "  src   int8[2] cpu\n"
               "  hint  strew_clone(src)");
  assert_fails(strew_copy(wide, t, &failure), STREW_EOVERLAP,
               "copy: 'self' overlaps itself (an expanded view?) and cannot be written in place\n"
               "  self  int8[2, 3] cpu\n"
               "  src   int8[3] cpu\n"
               "  hint  write into strew_clone(self)");
  assert_elements(t, STREW_INT8, (int8_t[]){1, 2, 3}, "what was not copied");
  strew_release(t), strew_release(low), strew_release(high), strew_release(two), strew_release(row),
      strew_release(wide);
}
END_TEST

/* ------------------------------------------------------------------------------------ clone, contiguous, to */

static void check_duplicate(strew_tensor *copy, strew_tensor *original) {
  char *expected = host_of(original), *is = host_of(copy);
  size_t size_bytes = (size_t)strew_tensor_numel(original) * size_of(strew_tensor_dtype(original));
  assert_same(copy, original, "a duplicate");
  if (memcmp(expected, is, size_bytes) != 0) ck_abort_msg("the copy has other NaNs");
  ck_assert(strew_tensor_is_contiguous(copy));
  ck_assert_int_eq(strew_tensor_offset(copy), 0);
  free(expected), free(is);
}

START_TEST(duplicates) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int n = 0; n < 60; n++) {
    int64_t sizes[STREW_MAX_RANK];
    int rank = draw_sizes(sizes, 6);
    if (n % 20 == 0) use_threads(n ? 1 + n / 20 : 7);
    if (!chosen(60 * _i + n, 2)) continue;
    strew_tensor *t = random_tensor(dtype, rank, sizes, draw_layout(LAYOUT_COUNT)), *copy = NULL, *dense = NULL;
    strew_tensor *same = NULL;
    ok(strew_clone(t, &copy, &failure));
    check_duplicate(copy, t);
    ok(strew_contiguous(t, &dense, &failure));
    if (strew_tensor_is_contiguous(t)) ck_assert_ptr_eq(dense, t);
    if (dense != t) check_duplicate(dense, t);
    ok(strew_to(t, device, dtype, &same, &failure));
    ck_assert_ptr_eq(same, t);
    strew_release(t), strew_release(copy), strew_release(dense), strew_release(same);
  }
}
END_TEST

/* NaNs, quiet and signalling, are copied bit for bit. */
START_TEST(duplicates_keep_nans) {
  static const uint64_t nans[][2] = {
      {0x7f812345, 0xffc00001}, {0x7ff0000000000001, 0xfff8000000012345}, {0x7c01, 0xfe55}, {0x7f81, 0xffd5}};
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  const int64_t sizes[] = {2, 1};
  char elements[16];
  for (int i = 0; i < 2; i++) memcpy(elements + (size_t)i * size_of(dtype), &nans[_i][i], size_of(dtype));
  strew_tensor *t = tensor_of(dtype, 2, sizes, STRIDED, elements), *copy = NULL, *other = NULL;
  ok(strew_clone(t, &copy, &failure));
  check_duplicate(copy, t);
  ok(strew_full(device, dtype, 2, sizes, strew_int(0), &other, &failure));
  ok(strew_copy(other, t, &failure));
  check_duplicate(other, t);
  strew_release(t), strew_release(copy), strew_release(other);
}
END_TEST

/* A NaN of any bits becomes one of float16 with its sign, also in long rows, where it is rare. */
START_TEST(narrows_nans) {
  enum { COUNT = 70 };
  const uint32_t nans[] = {0x7f812345, 0xffc00001, 0xff812345};
  uint32_t bits[COUNT];
  uint16_t halves[COUNT];
  for (int i = 0; i < COUNT; i++) bits[i] = i % 17 == 3 ? nans[i / 17 % 3] : 0x3f800000;
  for (int i = 0; i < COUNT; i++) halves[i] = i % 17 == 3 ? (uint16_t)(bits[i] >> 31 << 15 | 0x7e00) : 0x3c00;
  strew_tensor *t = tensor_of(STREW_FLOAT32, 1, (int64_t[]){COUNT}, CONTIGUOUS, bits), *half = NULL;
  ok(strew_to(t, device, STREW_FLOAT16, &half, &failure));
  char *got = host_of(half);
  ck_assert_mem_eq(got, halves, sizeof halves);
  free(got);
  strew_release(t), strew_release(half);
}
END_TEST

START_TEST(clones_are_apart) {
  strew_tensor *t = tensor_from_integers(STREW_INT32, 2, (const int64_t[]){1, 2}), *copy = NULL, *wide = NULL;
  ok(strew_clone(t, &copy, &failure));
  ok(strew_fill(copy, strew_int(9), &failure));
  assert_elements(t, STREW_INT32, (int32_t[]){1, 2}, "the original");
  ok(strew_to(t, device, STREW_FLOAT32, &wide, &failure));
  assert_elements(wide, STREW_FLOAT32, (float[]){1, 2}, "to float32");
  strew_tensor *none = NULL;
  assert_fails(strew_to(t, device, STREW_DTYPE_END, &none, &failure), STREW_EARGUMENT,
               "to: 'dtype' is 15, valid 0..14\n  self  int32[2] cpu");
  ck_assert_ptr_null(none);
  strew_release(t), strew_release(copy), strew_release(wide);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- cat, stack */

/* The table of torch.promote_types. */
#define F32 STREW_FLOAT32
#define F64 STREW_FLOAT64
#define F16 STREW_FLOAT16
#define B16 STREW_BFLOAT16
#define I64 STREW_INT64
#define I32 STREW_INT32
#define I16 STREW_INT16
#define I08 STREW_INT8
#define U08 STREW_UINT8
#define BOO STREW_BOOL
#define U16 STREW_UINT16
#define U32 STREW_UINT32
#define U64 STREW_UINT64
static const strew_dtype promoted[STREW_DTYPE_COUNT][STREW_DTYPE_COUNT] = {
    /*          F32  F64  F16  B16  I64  I32  I16  I08  U08  BOO  U16  U32  U64 */
    /* F32 */ {F32, F64, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32},
    /* F64 */ {F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64},
    /* F16 */ {F32, F64, F16, F32, F16, F16, F16, F16, F16, F16, F16, F16, F16},
    /* B16 */ {F32, F64, F32, B16, B16, B16, B16, B16, B16, B16, B16, B16, B16},
    /* I64 */ {F32, F64, F16, B16, I64, I64, I64, I64, I64, I64, I64, I64, F64},
    /* I32 */ {F32, F64, F16, B16, I64, I32, I32, I32, I32, I32, I32, I64, F64},
    /* I16 */ {F32, F64, F16, B16, I64, I32, I16, I16, I16, I16, I32, I64, F64},
    /* I08 */ {F32, F64, F16, B16, I64, I32, I16, I08, I16, I08, I32, I64, F64},
    /* U08 */ {F32, F64, F16, B16, I64, I32, I16, I16, U08, U08, U16, U32, U64},
    /* BOO */ {F32, F64, F16, B16, I64, I32, I16, I08, U08, BOO, U16, U32, U64},
    /* U16 */ {F32, F64, F16, B16, I64, I32, I32, I32, U16, U16, U16, U32, U64},
    /* U32 */ {F32, F64, F16, B16, I64, I64, I64, I64, U32, U32, U32, U32, U64},
    /* U64 */ {F32, F64, F16, B16, F64, F64, F64, F64, U64, U64, U64, U64, U64},
};

START_TEST(joins_promote) {
  strew_dtype a = (strew_dtype)(_i / STREW_DTYPE_COUNT), b = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(a) || lacks(b) || lacks(promoted[a][b]) || !chosen(_i, 4)) return;
  strew_tensor *parts[] = {scalar_tensor(a, strew_int(1)), scalar_tensor(b, strew_int(0))}, *out = NULL;
  char expected[16];
  ok(strew_scalar_store(strew_int(1), STREW_EXACT, promoted[a][b], expected, &failure));
  ok(strew_scalar_store(strew_int(0), STREW_EXACT, promoted[a][b], expected + size_of(promoted[a][b]), &failure));
  ok(strew_stack(2, parts, 0, &out, &failure));
  assert_elements(out, promoted[a][b], expected, "%s with %s", strew_dtype_name(a), strew_dtype_name(b));
  strew_release(parts[0]), strew_release(parts[1]), strew_release(out);
}
END_TEST

enum { MOST_PARTS = 5 };
struct parts {
  int64_t count;
  strew_tensor *tensors[MOST_PARTS];
  strew_dtype dtype; /* promoted dtype */
};

static void add_part(struct parts *parts, int rank, const int64_t *sizes, bool varied) {
  strew_dtype dtype = varied || !parts->count ? dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT)) : parts->dtype;
  if (parts->count && lacks(promoted[parts->dtype][dtype])) dtype = parts->dtype;
  parts->dtype = parts->count ? promoted[parts->dtype][dtype] : dtype;
  parts->tensors[parts->count++] = small_numbers(dtype, rank, sizes, draw_layout(LAYOUT_COUNT));
}

static void release_parts(struct parts *parts) {
  for (int64_t i = 0; i < parts->count; i++) strew_release(parts->tensors[i]);
}

/* Writes part i, which starts at `start` along dim, to its positions among the dense elements. */
static void place_part(const struct parts *parts, int64_t i, int rank, const int64_t *sizes, int dim, int64_t start,
                       const int64_t *part_sizes, char *elements) {
  strew_dtype from = strew_tensor_dtype(parts->tensors[i]);
  char *held = host_of(parts->tensors[i]);
  for (int64_t k = 0; k < count_of(rank, part_sizes); k++) {
    int64_t at[STREW_MAX_RANK], place = 0;
    coordinates(k, rank, part_sizes, at);
    at[dim] += start;
    for (int d = 0; d < rank; d++) place = place * sizes[d] + at[d];
    convert(from, held, k, parts->dtype, elements, place);
  }
  free(held);
}

static void use_other_threads(int n) {
  if (n % 20 == 0) use_threads((const int[]){1, 2, 1, 3, 1, 7}[n / 20 % 6]);
}

START_TEST(cats) {
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(120); n++) {
    struct parts parts = {.count = 0};
    int64_t sizes[STREW_MAX_RANK], part_sizes[STREW_MAX_RANK], lengths[MOST_PARTS], total = 0, start = 0, none = 0;
    int rank = 1 + (int)draw_below(4), dim = (int)draw_below(rank);
    int64_t count = 1 + draw_below(MOST_PARTS);
    bool varied = draw_below(2);
    use_other_threads(n);
    for (int d = 0; d < rank; d++) sizes[d] = draw_below(12) ? 1 + draw_below(5) : 0;
    for (int64_t i = 0; i < count; i++) {
      bool nothing = i < count - 1 && draw_below(6) == 0; /* an empty 1-D tensor can be joined with any shape */
      total += lengths[i] = sizes[dim] = nothing ? 0 : draw_below(5);
      add_part(&parts, nothing ? 1 : rank, nothing ? &none : sizes, varied);
    }
    memcpy(part_sizes, sizes, sizeof sizes);
    sizes[dim] = total;
    char *expected = malloc((size_t)(count_of(rank, sizes) + 1) * size_of(parts.dtype));
    for (int64_t i = 0; i < count; start += lengths[i++]) {
      part_sizes[dim] = lengths[i];
      place_part(&parts, i, rank, sizes, dim, start, part_sizes, expected);
    }
    strew_tensor *out = NULL;
    ok(strew_cat(count, parts.tensors, draw_below(2) ? dim : dim - rank, &out, &failure));
    assert_sizes(out, rank, sizes);
    assert_elements(out, parts.dtype, expected, "cat of %d along dim %d of %d", (int)count, dim, rank);
    strew_release(out), release_parts(&parts), free(expected);
  }
}
END_TEST

START_TEST(stacks) {
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(120); n++) {
    struct parts parts = {.count = 0};
    int64_t sizes[STREW_MAX_RANK], part_sizes[STREW_MAX_RANK], count = 1 + draw_below(MOST_PARTS);
    int rank = draw_sizes(part_sizes, 5), dim = (int)draw_below(rank + 1);
    bool varied = draw_below(2);
    use_other_threads(n);
    for (int64_t i = 0; i < count; i++) add_part(&parts, rank, part_sizes, varied);
    for (int d = 0; d <= rank; d++) sizes[d] = d == dim ? count : part_sizes[d - (d > dim)];
    for (int d = rank; d > dim; d--) part_sizes[d] = part_sizes[d - 1];
    part_sizes[dim] = 1;
    char *expected = malloc((size_t)(count_of(rank + 1, sizes) + 1) * size_of(parts.dtype));
    for (int64_t i = 0; i < count; i++) place_part(&parts, i, rank + 1, sizes, dim, i, part_sizes, expected);
    strew_tensor *out = NULL;
    ok(strew_stack(count, parts.tensors, draw_below(2) ? dim : dim - rank - 1, &out, &failure));
    assert_sizes(out, rank + 1, sizes);
    assert_elements(out, parts.dtype, expected, "stack of %d along dim %d of %d", (int)count, dim, rank + 1);
    strew_release(out), release_parts(&parts), free(expected);
  }
}
END_TEST

static strew_tensor *zeros(strew_dtype dtype, int rank, const int64_t *sizes) {
  strew_tensor *made = NULL;
  ok(strew_full(device, dtype, rank, sizes, strew_int(0), &made, &failure));
  return made;
}

START_TEST(joins_of_nothing) {
  const int64_t none = 0;
  strew_tensor *parts[] = {zeros(STREW_INT8, 1, &none), zeros(STREW_FLOAT16, 1, &none)}, *out = NULL;
  ok(strew_cat(2, parts, 0, &out, &failure));
  assert_sizes(out, 1, &none);
  ck_assert_int_eq(strew_tensor_dtype(out), STREW_FLOAT16);
  strew_release(out), strew_release(parts[0]), strew_release(parts[1]);
}
END_TEST

START_TEST(cat_errors) {
  const int64_t none = 0, wide[] = {2, 3}, tall[] = {3, 2};
  strew_tensor *nothing = zeros(STREW_INT8, 1, &none), *number = zeros(STREW_INT8, 0, NULL);
  strew_tensor *a = zeros(STREW_INT8, 2, wide), *b = zeros(STREW_INT8, 2, tall), *out = NULL, *large = NULL;
  assert_fails(strew_cat(0, NULL, 0, &out, &failure), STREW_EARGUMENT,
               "cat: 'tensors' is empty, expected at least one tensor");
  assert_fails(strew_cat(2, (strew_tensor *[]){nothing, number}, 0, &out, &failure), STREW_ESHAPE,
               "cat: 'tensors' has no dimension at [2], expected at least 1: stack joins single numbers");
  assert_fails(strew_cat(3, (strew_tensor *[]){nothing, a, b}, 0, &out, &failure), STREW_ESHAPE,
               "cat: 'tensors' has size 2 in dim 1 at [3], 3 at [2]: only in dim 0 may sizes differ");
  assert_fails(strew_cat(2, (strew_tensor *[]){a, number}, 0, &out, &failure), STREW_ESHAPE,
               "cat: 'tensors' has 0 dimensions at [2], 2 at [1]: ranks must be equal");
  assert_fails(strew_cat(2, (strew_tensor *[]){a, a}, -3, &out, &failure), STREW_ESHAPE,
               "cat: 'dim' is -3, out of range for 2 dimensions (valid -2..1)");
  ok(strew_expand(number, 1, (const int64_t[]){1ll << 62}, &large, &failure));
  assert_fails(strew_cat(2, (strew_tensor *[]){large, large}, 0, &out, &failure), STREW_ESHAPE,
               "cat: 'tensors' has more elements in dim 0 than can be addressed");
  ck_assert_ptr_null(out);
  strew_release(nothing), strew_release(number), strew_release(a), strew_release(b), strew_release(large);
}
END_TEST

START_TEST(stack_errors) {
  const int64_t none = 0, wide[] = {2, 3}, tall[] = {3, 2};
  int64_t ones[STREW_MAX_RANK];
  for (int d = 0; d < STREW_MAX_RANK; d++) ones[d] = 1;
  strew_tensor *nothing = zeros(STREW_INT8, 1, &none), *full = zeros(STREW_INT8, STREW_MAX_RANK, ones);
  strew_tensor *a = zeros(STREW_INT8, 2, wide), *b = zeros(STREW_INT8, 2, tall), *out = NULL;
  assert_fails(strew_stack(2, (strew_tensor *[]){a, b}, 0, &out, &failure), STREW_ESHAPE,
               "stack: 'tensors' has size 3 in dim 0 at [2], 2 at [1]: sizes must be equal");
  assert_fails(strew_stack(2, (strew_tensor *[]){nothing, a}, 0, &out, &failure), STREW_ESHAPE,
               "stack: 'tensors' has 2 dimensions at [2], 1 at [1]: ranks must be equal");
  assert_fails(strew_stack(1, &full, 0, &out, &failure), STREW_ESHAPE,
               "stack: 'tensors' has 16 dimensions, the largest rank: none can be added");
  assert_fails(strew_stack(1, &a, 3, &out, &failure), STREW_ESHAPE,
               "stack: 'dim' is 3, out of range for 3 dimensions (valid -3..2)");
  ck_assert_ptr_null(out);
  strew_release(nothing), strew_release(full), strew_release(a), strew_release(b);
}
END_TEST

/* ------------------------------------------------------------------------------------ in and out of host memory */

START_TEST(there_and_back) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int n = 0; n < 60; n++) {
    int64_t sizes[STREW_MAX_RANK];
    int rank = draw_sizes(sizes, 5);
    strew_tensor *t = random_tensor(dtype, rank, sizes, draw_layout(LAYOUT_COUNT)), *back = NULL;
    size_t size_bytes = (size_t)strew_tensor_numel(t) * size_of(dtype);
    char *held = host_of(t), *read = malloc(size_bytes + 1);
    ok(strew_read(t, read, size_bytes, &failure));
    if (memcmp(read, held, size_bytes) != 0) ck_abort_msg("read returns other values");
    ok(strew_from(device, dtype, rank, sizes, read, &back, &failure));
    memset(read, 0, size_bytes);
    assert_elements(back, dtype, held, "from host memory"); /* a copy */
    free(held), free(read);
    strew_release(t), strew_release(back);
  }
}
END_TEST

START_TEST(single_elements) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int n = 0; n < 100; n++) {
    int64_t sizes[STREW_MAX_RANK], at[STREW_MAX_RANK];
    int rank = draw_sizes(sizes, 5);
    if (count_of(rank, sizes) == 0) continue;
    strew_tensor *t = small_numbers(dtype, rank, sizes, draw_layout(EXPANDED));
    char *held = host_of(t), *element = held + (size_t)draw_below(strew_tensor_numel(t)) * size_of(dtype);
    coordinates((element - held) / (int64_t)size_of(dtype), rank, sizes, at);
    for (int d = 0; d < rank; d++) at[d] -= draw_below(2) ? sizes[d] : 0;
    strew_scalar is, expected = strew_scalar_load(dtype, element), one = strew_int(1);
    ok(strew_get(t, rank, at, &is, &failure));
    ck_assert(is.dtype == expected.dtype && is.as.i == expected.as.i);
    ok(strew_set(t, rank, at, one, &failure));
    ok(strew_scalar_store(one, STREW_EXACT, dtype, element, &failure));
    assert_elements(t, dtype, held, "one element set");
    strew_release(t), free(held);
  }
}
END_TEST

START_TEST(items) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  const int64_t sizes[] = {1, 1, 1}, column[] = {3, 1};
  for (int rank = 0; rank <= 3; rank++) {
    strew_tensor *t = random_tensor(dtype, rank, sizes, draw_layout(LAYOUT_COUNT));
    char *held = host_of(t);
    strew_scalar is, expected = strew_scalar_load(dtype, held);
    ok(strew_item(t, &is, &failure));
    ck_assert(is.dtype == expected.dtype && (is.as.i == expected.as.i || is_nan_element(dtype, held)));
    strew_release(t), free(held);
  }
  strew_tensor *t = small_numbers(dtype, 2, column, STRIDED), *last = NULL;
  strew_scalar is, expected;
  ok(strew_select(t, 0, 2, &last, &failure));
  ok(strew_item(last, &is, &failure));
  ok(strew_get(t, 2, (const int64_t[]){2, 0}, &expected, &failure));
  ck_assert(is.dtype == expected.dtype && is.as.i == expected.as.i);
  strew_release(t), strew_release(last);
}
END_TEST

START_TEST(errors_of_reading) {
  const int64_t sizes[] = {2, 2}, beyond[] = {0, -3}, first = 0;
  strew_tensor *t = zeros(STREW_FLOAT32, 2, sizes), *none = zeros(STREW_BOOL, 1, &first);
  strew_scalar number = strew_int(77);
  float host[5] = {5, 5, 5, 5, 5};
  assert_fails(strew_item(t, &number, &failure), STREW_ESHAPE,
               "item: 'self' has 4 elements, expected 1\n  self  float32[2, 2] cpu");
  assert_fails(strew_item(none, &number, &failure), STREW_ESHAPE,
               "item: 'self' has 0 elements, expected 1\n  self  bool[0] cpu");
  assert_fails(strew_get(t, 2, beyond, &number, &failure), STREW_EINDEX,
               "get: 'position' -3 is out of range for dim 1 of self (size 2, valid -2..1)\n"
               "  self  float32[2, 2] cpu");
  assert_fails(strew_get(t, 3, sizes, &number, &failure), STREW_ESHAPE,
               "get: 'position' has 3 entries, self has 2 dimensions\n  self  float32[2, 2] cpu");
  assert_fails(strew_get(none, 1, &first, &number, &failure), STREW_EINDEX,
               "get: 'position' 0 is out of range for dim 0 of self, which has size 0\n"
               "  self  bool[0] cpu");
  assert_fails(strew_read(t, host, sizeof host, &failure), STREW_EARGUMENT,
               "read: 'size_bytes' is 20, expected 16, the bytes of all elements\n  self  float32[2, 2] cpu");
  ck_assert_int_eq(number.as.i, 77);
  ck_assert(host[0] == 5);
  strew_release(t), strew_release(none);
}
END_TEST

START_TEST(errors_of_making) {
  strew_tensor *out = NULL;
  assert_fails(strew_from(device, STREW_INT8, 1, (const int64_t[]){-1}, NULL, &out, &failure), STREW_ESHAPE,
               "from: 'shape' has size -1 in dimension 0, expected 0 or more");
  assert_fails(strew_eye(device, STREW_INT8, -1, 3, &out, &failure), STREW_ESHAPE,
               "eye: 'shape' has size -1 in dimension 0, expected 0 or more");
  assert_fails(strew_eye(device, STREW_DTYPE_END, 2, 3, &out, &failure), STREW_EARGUMENT,
               "eye: 'dtype' is 15, valid 0..14");
  assert_fails(strew_eye(device, STREW_INT16, 0, INT64_MAX, &out, &failure), STREW_ESHAPE,
               "eye: 'shape' is [0, 9223372036854775807], more bytes than can be addressed");
  ck_assert_ptr_null(out);
}
END_TEST

START_TEST(eyes) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int shape = 0; shape < 36; shape++) {
    const int64_t sizes[] = {shape / 6, shape % 6};
    char expected[25 * 8 + 8];
    for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) {
      strew_scalar number = strew_int(i / sizes[1] == i % sizes[1]);
      ok(strew_scalar_store(number, STREW_EXACT, dtype, expected + (size_t)i * size_of(dtype), &failure));
    }
    strew_tensor *out = NULL;
    ok(strew_eye(device, dtype, sizes[0], sizes[1], &out, &failure));
    assert_sizes(out, 2, sizes);
    assert_elements(out, dtype, expected, "eye of %d by %d", (int)sizes[0], (int)sizes[1]);
    strew_release(out);
  }
  strew_tensor *out = NULL;
  ok(strew_eye(device, STREW_INT8, 0, INT64_MAX, &out, &failure)); /* no elements, but a wide shape */
  strew_release(out);
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- wrap */

static void count_release(void *user) { ++*(int *)user; }

/* The memory is released once, with the last view, in any order. */
START_TEST(wrapped_memory_is_given_back_once) {
  int32_t memory[] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[] = {2, 2}, strides[] = {3, 2}, first[] = {0, 0};
  int released = 0;
  strew_tensor *t = NULL, *view = NULL;
  ok(strew_wrap(device, STREW_INT32, 2, sizes, strides, memory, sizeof memory, count_release, &released, &t, &failure));
  assert_elements(t, STREW_INT32, (int32_t[]){1, 3, 4, 6}, "wrapped");
  void *data = NULL;
  ok(strew_data(t, &data, &failure));
  ck_assert_ptr_eq(data, memory);
  ck_assert_uint_eq(strew_context_bytes(context), 0); /* not the context's memory */
  ok(strew_select(t, 0, _i ? 0 : 1, &view, &failure));
  ok(strew_set(t, 2, first, strew_int(-1), &failure));
  ck_assert_int_eq(memory[0], -1);
  strew_release(_i ? view : t);
  ck_assert_int_eq(released, 0);
  strew_release(_i ? t : view);
  ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(wrapped_without_a_callback) {
  double memory[] = {1, 2, 3};
  const int64_t three = 3, none = 0;
  strew_tensor *t = NULL;
  ok(strew_wrap(device, STREW_FLOAT64, 1, &three, NULL, memory, sizeof memory, NULL, NULL, &t, &failure));
  assert_elements(t, STREW_FLOAT64, (double[]){1, 2, 3}, "wrapped");
  strew_release(t), t = NULL;
  ok(strew_wrap(device, STREW_FLOAT64, 1, &none, NULL, NULL, 0, NULL, NULL, &t, &failure));
  assert_sizes(t, 1, &none);
  strew_release(t);
}
END_TEST

START_TEST(wrap_errors) {
  int16_t memory[6] = {0};
  const int64_t sizes[] = {2, 3}, wide[] = {4, 1}, backward[] = {-1, 1}, negative[] = {2, -3};
  int released = 0;
  strew_tensor *t = NULL;
#define WRAP(dtype, sizes, strides, size_bytes)                                                                        \
  strew_wrap(device, dtype, 2, sizes, strides, memory, size_bytes, count_release, &released, &t, &failure)
  assert_fails(WRAP(STREW_INT16, sizes, NULL, 11), STREW_ESHAPE,
               "wrap: 'shape' [2, 3] with strides [3, 1] from offset 0 reaches beyond the storage's 5 elements");
  assert_fails(WRAP(STREW_INT16, sizes, wide, sizeof memory), STREW_ESHAPE,
               "wrap: 'shape' [2, 3] with strides [4, 1] from offset 0 reaches beyond the storage's 6 elements");
  assert_fails(WRAP(STREW_INT16, sizes, backward, sizeof memory), STREW_ESHAPE,
               "wrap: 'strides' is [-1, 1], expected strides of 0 or more");
  assert_fails(WRAP(STREW_INT16, negative, NULL, sizeof memory), STREW_ESHAPE,
               "wrap: 'shape' has size -3 in dimension 1, expected 0 or more");
  assert_fails(WRAP(STREW_DTYPE_END, sizes, NULL, sizeof memory), STREW_EARGUMENT, "wrap: 'dtype' is 15, valid 0..14");
#undef WRAP
  ck_assert_int_eq(released, 0); /* on failure the memory stays the host's */
  ck_assert_ptr_null(t);
}
END_TEST

/* An allocator with a fixed number of blocks. */
struct purse {
  int left, given;
};
static void *take_counted(void *purse_, size_t size_bytes, size_t alignment) {
  struct purse *purse = purse_;
  if (purse->left-- == 0) return NULL;
  purse->given++;
  return aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment);
}
static void give_counted(void *purse_, void *block, size_t size_bytes) {
  (void)size_bytes;
  ((struct purse *)purse_)->given--;
  free(block);
}

static strew_device *cpu_of_poor(struct purse *purse) {
  strew_options options = {.threads = 1, .allocator = {take_counted, give_counted, purse}};
  strew_context *poor = NULL;
  ok(strew_context_create(&options, &poor, &failure));
  return strew_device_at(poor, 0);
}

START_TEST(wrap_without_memory) {
  struct purse purse = {.left = 1 + _i}; /* the context, and none or one of the two blocks that wrap needs */
  int released = 0;
  const int64_t one = 1;
  int8_t memory = 5;
  strew_tensor *t = NULL;
  strew_device *cpu = cpu_of_poor(&purse);
  assert_fails(strew_wrap(cpu, STREW_INT8, 1, &one, NULL, &memory, 1, count_release, &released, &t, &failure),
               STREW_EMEMORY, NULL);
  ck_assert_ptr_null(t);
  strew_context_release(strew_device_context(cpu));
  ck_assert_int_eq(purse.given, 0);
  ck_assert_int_eq(released, 0);
}
END_TEST

/* A call made of several others reports errors under its own name. */
START_TEST(names_in_messages_without_memory) {
  struct purse purse = {.left = 100};
  const int64_t sizes[] = {2, 2};
  strew_device *cpu = cpu_of_poor(&purse);
  strew_tensor *t = NULL, *turned = NULL, *out = NULL;
  ok(strew_full(cpu, STREW_INT8, 2, sizes, strew_int(0), &t, &failure));
  ok(strew_t(t, &turned, &failure));
  purse.left = 0;
  assert_fails(strew_flatten(turned, 0, 1, &out, &failure), STREW_EMEMORY, NULL);
  ck_assert_str_eq(failure.op, "flatten");
  purse.left = 0;
  assert_fails(strew_eye(cpu, STREW_INT8, 2, 2, &out, &failure), STREW_EMEMORY, NULL);
  ck_assert_str_eq(failure.op, "eye");
  ck_assert_ptr_null(out);
  strew_release(t), strew_release(turned), strew_context_release(strew_device_context(cpu));
  ck_assert_int_eq(purse.given, 0);
}
END_TEST

/* ---------------------------------------------------------------------------------------------- equal, any layout */

START_TEST(equal_in_any_layout) {
  strew_dtype dtype = (strew_dtype)(_i % STREW_DTYPE_COUNT);
  if (lacks(dtype)) return;
  use_threads((const int[]){1, 2, 3, 7}[_i / STREW_DTYPE_COUNT]);
  for (int n = 0; n < some(12); n++) {
    const int64_t sizes[] = {2 + draw_below(3), 7, 5};
    strew_tensor *a = small_numbers(dtype, 3, sizes, draw_layout(LAYOUT_COUNT));
    char *held = host_of(a);
    strew_tensor *b = tensor_of(dtype, 3, sizes, draw_layout(EXPANDED), held);
    int64_t at[3];
    bool is = false;
    ok(strew_equal(a, b, &is, &failure));
    ck_assert(is);
    coordinates(draw_below(count_of(3, sizes)), 3, sizes, at); /* a difference in a single element is found */
    strew_scalar number;
    ok(strew_get(b, 3, at, &number, &failure));
    bool zero = number.dtype == STREW_FLOAT64 ? number.as.f == 0 : number.as.i == 0;
    ok(strew_set(b, 3, at, strew_int(zero), &failure));
    ok(strew_equal(a, b, &is, &failure));
    ck_assert(!is);
    strew_release(a), strew_release(b), free(held);
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("copy");
  TCase *copies = new_case(suite, "copies");
  tcase_add_loop_test(copies, copies_broadcast_and_convert, 0, STREW_DTYPE_COUNT * STREW_DTYPE_COUNT);
  tcase_add_test(copies, copies_stay_inside);
  tcase_add_test(copies, copies_onto_themselves);
  tcase_add_test(copies, copy_errors);
  tcase_add_loop_test(copies, duplicates, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(copies, duplicates_keep_nans, 0, STREW_BFLOAT16 + 1);
  if (!on_device()) tcase_add_test(copies, narrows_nans);
  tcase_add_test(copies, clones_are_apart);
  tcase_add_loop_test(copies, equal_in_any_layout, 0, STREW_DTYPE_COUNT * sweep(4));
  TCase *joins = new_case(suite, "joins");
  tcase_add_loop_test(joins, joins_promote, 0, STREW_DTYPE_COUNT * STREW_DTYPE_COUNT);
  tcase_add_loop_test(joins, cats, 0, 4);
  tcase_add_loop_test(joins, stacks, 0, 4);
  tcase_add_test(joins, joins_of_nothing);
  tcase_add_test(joins, cat_errors);
  tcase_add_test(joins, stack_errors);
  TCase *host = new_case(suite, "host memory");
  tcase_add_loop_test(host, there_and_back, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(host, single_elements, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(host, items, 0, STREW_DTYPE_COUNT);
  tcase_add_test(host, errors_of_reading);
  tcase_add_test(host, errors_of_making);
  tcase_add_loop_test(host, eyes, 0, STREW_DTYPE_COUNT);
  if (on_device()) return suite;
  tcase_add_loop_test(host, wrapped_memory_is_given_back_once, 0, 2);
  tcase_add_test(host, wrapped_without_a_callback);
  tcase_add_test(host, wrap_errors);
  tcase_add_loop_test(host, wrap_without_memory, 0, 2);
  tcase_add_test(host, names_in_messages_without_memory);
  return suite;
}
