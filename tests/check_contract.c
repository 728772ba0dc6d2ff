/* check_contract.c: the failures that strew.h documents: a row for each error code; *out is unchanged. (Results are
   tested family by family.) */
#include "testing.h"

#include <math.h>
#include <string.h>

static strew_tensor *floats, *ints, *bools, *empty, *square, *wide, *spread;
static strew_tensor *out, *second;
static bool answer;

static strew_tensor *make(strew_dtype dtype, int rank, const int64_t *sizes) {
  strew_tensor *tensor = NULL;
  ok(strew_full(device, dtype, rank, sizes, strew_int(1), &tensor, &failure));
  return tensor;
}

static void start(void) {
  floats = make(STREW_FLOAT32, 1, (int64_t[]){3});
  ints = make(STREW_INT64, 1, (int64_t[]){3});
  bools = make(STREW_BOOL, 1, (int64_t[]){3});
  empty = make(STREW_FLOAT32, 1, (int64_t[]){0});
  square = make(STREW_FLOAT32, 2, (int64_t[]){3, 3});
  wide = make(STREW_FLOAT32, 2, (int64_t[]){2, 4});
  out = NULL;
  ok(strew_expand(floats, 2, (int64_t[]){2, 3}, &spread, &failure));
  out = second = NULL;
}

static void end(void) {
  ck_assert_ptr_null(out);
  ck_assert_ptr_null(second);
  strew_tensor *all[] = {floats, ints, bools, empty, square, wide, spread};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}

#define fails(code, call) assert_fails(call, code, NULL)
static strew_operand one(void) { return strew_number(strew_int(1)); }

START_TEST(test_contexts_and_words) {
  start();
  strew_context *other = NULL;
  strew_options many = {.threads = 1000}, nowhere = {.device = "abacus"};
  strew_device *found = NULL;
  strew_expr *expr = NULL;
  strew_dtype dtype;
  int reduction, mode, colormap;
  unsigned char byte;
  fails(STREW_EARGUMENT, strew_context_create(&many, &other, &failure));
  fails(STREW_EDEVICE, strew_context_create(&nowhere, &other, &failure));
  fails(STREW_EARGUMENT, strew_context_set_threads(context, -1, &failure));
  fails(STREW_EDEVICE, strew_device_find(context, "abacus", &found, &failure));
  fails(STREW_EARGUMENT, strew_dtype_from_word("float128", &dtype, &failure));
  fails(STREW_EARGUMENT, strew_dtype_from_word(NULL, &dtype, &failure));
  fails(STREW_EARGUMENT, strew_enum_from_word(STREW_WORDS_REDUCTION, NULL, &reduction, &failure));
  fails(STREW_EARGUMENT, strew_enum_from_word(STREW_WORDS_MODE, NULL, &mode, &failure));
  fails(STREW_EARGUMENT, strew_enum_from_word(STREW_WORDS_COLORMAP, NULL, &colormap, &failure));
  fails(STREW_EDEVICE, strew_device_find(context, "opencl:abacus", &found, &failure));
  fails(STREW_EARGUMENT, strew_expr_parse(context, NULL, 0, &expr, &failure));
  fails(STREW_EARGUMENT, strew_expr_parse(context, "x +", 3, &expr, &failure));
  fails(STREW_EVALUE, strew_scalar_store(strew_int(256), STREW_EXACT, STREW_UINT8, &byte, &failure));
  fails(STREW_EARGUMENT, strew_scalar_store(strew_int(1), STREW_EXACT, (strew_dtype)99, &byte, &failure));
  ck_assert(!other && !found && !expr);
  int devices = strew_device_count(context), problems = strew_problem_count(context);
  ck_assert_str_eq(strew_device_name(strew_device_at(context, 0)), "cpu");
  for (int i = 0; i < devices; i++) ck_assert_ptr_nonnull(strew_device_at(context, i));
  for (int i = 0; i < problems; i++) ck_assert_ptr_nonnull(strew_problem_at(context, i));
  ck_assert(!strew_device_at(context, -1) && !strew_device_at(context, devices));
  ck_assert(!strew_problem_at(context, -1) && !strew_problem_at(context, problems));
  ck_assert(!strew_enum_name(STREW_WORDS_STATUS, 99) && !strew_enum_name(STREW_WORDS_STATUS, -1));
  ck_assert_str_eq(strew_version(), STREW_VERSION);
  strew_context_release(NULL);
  strew_release(NULL);
  end();
}
END_TEST

START_TEST(test_new_tensors) {
  start();
  int64_t minus = -1, huge[] = {INT64_MAX, 4}, three = 3, far = 2;
  static float memory[4];
  strew_device *cpu = NULL;
  ok(strew_device_find(context, "cpu", &cpu, &failure));
  fails(STREW_ESHAPE, strew_empty(device, STREW_FLOAT32, 1, &minus, &out, &failure));
  fails(STREW_ESHAPE, strew_empty(device, STREW_FLOAT32, 2, huge, &out, &failure));
  fails(STREW_ESHAPE, strew_empty(device, STREW_FLOAT32, STREW_MAX_RANK + 1, huge, &out, &failure));
  fails(STREW_EARGUMENT, strew_empty(device, (strew_dtype)99, 1, &three, &out, &failure));
  fails(STREW_EVALUE, strew_full(device, STREW_INT8, 1, &three, strew_int(200), &out, &failure));
  fails(STREW_ESHAPE, strew_wrap(cpu, STREW_FLOAT32, 1, &three, NULL, memory, 8, NULL, NULL, &out, &failure));
  fails(STREW_ESHAPE, strew_wrap(cpu, STREW_FLOAT32, 1, &three, &far, memory, 16, NULL, NULL, &out, &failure));
  fails(STREW_EARGUMENT, strew_wrap(cpu, STREW_FLOAT32, 1, &three, NULL, NULL, 12, NULL, NULL, &out, &failure));
  const strew_map_options before = {.offset = -1}, swapped = {.byte_order = "middle"}, back = {.strides = &minus};
  fails(STREW_EFILE, strew_map(cpu, "/dev/null/x", STREW_UINT8, 1, &three, NULL, &out, &failure));
  fails(STREW_EARGUMENT, strew_map(cpu, NULL, STREW_UINT8, 1, &three, NULL, &out, &failure));
  fails(STREW_EARGUMENT, strew_map(cpu, "/x", STREW_UINT8, 1, &three, &before, &out, &failure));
  fails(STREW_EARGUMENT, strew_map(cpu, "/x", STREW_UINT8, 1, &three, &swapped, &out, &failure));
  fails(STREW_ESHAPE, strew_map(cpu, "runtime/strew.h", STREW_UINT8, 1, &three, &back, &out, &failure));
  strew_table *table = NULL;
  fails(STREW_EARGUMENT, strew_table_from_arrow(cpu, NULL, NULL, &table, &failure));
  strew_reader *chunks = NULL;
  fails(STREW_EARGUMENT, strew_table_from_arrow_stream(cpu, NULL, &chunks, &failure));
  strew_arrow_release(NULL, NULL), strew_arrow_stream_release(NULL);
  fails(STREW_EARGUMENT, strew_from_dlpack(cpu, NULL, &out, &failure));
  fails(STREW_EVALUE, strew_arange(device, STREW_INT64, strew_int(0), strew_int(9), strew_int(0), &out, &failure));
  fails(STREW_EVALUE, strew_arange(device, STREW_INT64, strew_int(0), strew_int(9), strew_int(-1), &out, &failure));
  fails(STREW_EVALUE, strew_arange(device, STREW_INT8, strew_int(0), strew_int(900), strew_int(1), &out, &failure));
  fails(STREW_EDTYPE, strew_arange(device, STREW_BOOL, strew_int(0), strew_int(1), strew_int(1), &out, &failure));
  fails(STREW_EARGUMENT, strew_linspace(device, STREW_FLOAT32, 0, 1, -1, &out, &failure));
  const double odd[][3] = {{NAN, 1, 1}, {0, INFINITY, 1}, {0, 1, NAN}, {0, 1, 0}, {0, -1, 1}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    fails(STREW_EVALUE, strew_arange(device, STREW_FLOAT32, strew_float(odd[i][0]), strew_float(odd[i][1]),
                                     strew_float(odd[i][2]), &out, &failure));
  fails(STREW_EVALUE, strew_randint(device, STREW_FLOAT16, -5000, 0, 1, &three, &out, &failure));
  fails(STREW_EDTYPE, strew_rand(device, STREW_INT64, 1, &three, &out, &failure));
  fails(STREW_EVALUE, strew_randint(device, STREW_INT64, 5, 5, 1, &three, &out, &failure));
  fails(STREW_EVALUE, strew_randint(device, STREW_INT8, 0, 500, 1, &three, &out, &failure));
  fails(STREW_EARGUMENT, strew_randperm(device, STREW_INT64, -1, &out, &failure));
  fails(STREW_EVALUE, strew_randperm(device, STREW_INT8, 500, &out, &failure));
  end();
}
END_TEST

START_TEST(test_elements) {
  start();
  int64_t at = 3, two[] = {0, 0};
  float room[3];
  strew_scalar number;
  fails(STREW_EARGUMENT, strew_read(floats, room, sizeof room - 1, &failure));
  fails(STREW_ESHAPE, strew_item(floats, &number, &failure));
  fails(STREW_EINDEX, strew_get(floats, 1, &at, &number, &failure));
  fails(STREW_ESHAPE, strew_get(floats, 2, two, &number, &failure));
  fails(STREW_EVALUE, strew_set(ints, 1, two, strew_float(0.5), &failure));
  end();
}
END_TEST

START_TEST(test_views) {
  start();
  int64_t four[] = {2, 2}, strides[] = {1, 9};
  fails(STREW_ESHAPE, strew_view(floats, 2, four, &out, &failure));
  fails(STREW_ESHAPE, strew_view(floats, -1, four, &out, &failure));
  fails(STREW_ESHAPE, strew_view(floats, STREW_MAX_RANK + 1, four, &out, &failure));
  fails(STREW_ESHAPE, strew_expand(floats, STREW_MAX_RANK + 1, four, &out, &failure));
  fails(STREW_ESHAPE, strew_reshape(floats, 2, four, &out, &failure));
  fails(STREW_ESHAPE, strew_flatten(square, 1, 0, &out, &failure));
  fails(STREW_ESHAPE, strew_permute(square, 2, (int64_t[]){0, 0}, &out, &failure));
  fails(STREW_ESHAPE, strew_transpose(square, 0, 5, &out, &failure));
  fails(STREW_ESHAPE, strew_unsqueeze(square, 4, &out, &failure));
  fails(STREW_ESHAPE, strew_expand(floats, 1, four, &out, &failure));
  fails(STREW_ESHAPE, strew_view_as(floats, STREW_INT64, &out, &failure));
  fails(STREW_EDTYPE, strew_view_as(floats, STREW_BOOL, &out, &failure));
  fails(STREW_EDTYPE, strew_view_as(floats, STREW_TIME, &out, &failure));
  fails(STREW_EINDEX, strew_select(floats, 0, 3, &out, &failure));
  fails(STREW_EINDEX, strew_narrow(floats, 0, 2, 2, &out, &failure));
  fails(STREW_EARGUMENT, strew_slice(floats, 0, 0, 3, 0, &out, &failure));
  fails(STREW_ESHAPE, strew_as_strided(square, 2, four, strides, 0, &out, &failure));
  fails(STREW_EOVERLAP, strew_fill(spread, strew_int(1), &failure));
  end();
}
END_TEST

START_TEST(test_copies) {
  start();
  strew_tensor *part = NULL, *pair[] = {square, wide};
  ok(strew_narrow(square, 0, 1, 2, &part, &failure));
  strew_tensor *other = NULL;
  ok(strew_narrow(square, 0, 0, 2, &other, &failure));
  fails(STREW_ESHAPE, strew_copy(floats, wide, &failure));
  fails(STREW_EOVERLAP, strew_copy(part, other, &failure));
  fails(STREW_EVALUE, strew_fill(ints, strew_float(0.5), &failure));
  fails(STREW_EARGUMENT, strew_cat(0, pair, 0, &out, &failure));
  fails(STREW_ESHAPE, strew_cat(2, pair, 0, &out, &failure));
  fails(STREW_ESHAPE, strew_stack(2, pair, 0, &out, &failure));
  strew_release(part);
  strew_release(other);
  end();
}
END_TEST

START_TEST(test_elementwise) {
  start();
  strew_tensor *given = wide, *integers = ints;
  strew_operand minus = strew_number(strew_int(-1)), zero = strew_number(strew_int(0));
  fails(STREW_EDTYPE, strew_unary(STREW_NEG, bools, &out, &failure));
  fails(STREW_EDTYPE, strew_unary(STREW_BITWISE_NOT, floats, &out, &failure));
  fails(STREW_EDTYPE, strew_unary(STREW_EXP, floats, &integers, &failure));
  fails(STREW_ESHAPE, strew_unary(STREW_EXP, floats, &given, &failure));
  fails(STREW_ESHAPE, strew_binary(STREW_ADD, strew_of(floats), strew_of(wide), &out, &failure));
  fails(STREW_EARGUMENT, strew_binary(STREW_ADD, one(), one(), &out, &failure));
  fails(STREW_EDTYPE, strew_binary(STREW_SUB, strew_of(bools), strew_of(bools), &out, &failure));
  fails(STREW_EDTYPE, strew_binary(STREW_BITWISE_OR, strew_of(floats), one(), &out, &failure));
  fails(STREW_EVALUE, strew_binary(STREW_FLOOR_DIVIDE, strew_of(ints), zero, &out, &failure));
  fails(STREW_EVALUE, strew_binary(STREW_POW, strew_of(ints), minus, &out, &failure));
  fails(STREW_EDTYPE, strew_where(floats, strew_of(floats), one(), &out, &failure));
  fails(STREW_EDTYPE, strew_masked_fill(floats, ints, one(), &out, &failure));
  fails(STREW_EVALUE, strew_masked_fill(ints, bools, strew_number(strew_float(0.5)), &out, &failure));
  fails(STREW_ESHAPE, strew_masked_fill(floats, bools, strew_of(floats), &out, &failure));
  fails(STREW_EARGUMENT, strew_clamp_with(floats, (strew_operand){0}, (strew_operand){0}, &out, &failure));
  fails(STREW_EDTYPE, strew_equal(floats, ints, &answer, &failure));
  fails(STREW_EDTYPE, strew_allclose(floats, ints, 0, 0, &answer, &failure));
  fails(STREW_EVALUE, strew_allclose(floats, floats, -1, 0, &answer, &failure));
  fails(STREW_EDTYPE, strew_isclose_with(floats, ints, 0, 0, NULL, &out, &failure));
  fails(STREW_EVALUE, strew_isclose_with(floats, floats, 0, -1, NULL, &out, &failure));
  fails(STREW_ESHAPE, strew_isclose_with(floats, wide, 0, 0, NULL, &out, &failure));
  end();
}
END_TEST

START_TEST(test_reductions) {
  start();
  int64_t twice[] = {0, 0};
  strew_tensor *whole = ints;
  fails(STREW_ESHAPE, strew_reduce_with(STREW_FOLD_SUM, square, &(strew_reduce_options){.dim_count = 2, .dims = twice},
                                        &out, &failure));
  fails(STREW_ESHAPE, strew_reduce_with(STREW_FOLD_AMAX, empty, NULL, &out, &failure));
  fails(STREW_EDTYPE, strew_reduce_with(STREW_FOLD_MEAN, ints, NULL, &out, &failure));
  fails(STREW_EDTYPE, strew_reduce_with(STREW_FOLD_SUM, square, &(strew_reduce_options){.dim_count = 1, .dims = twice},
                                        &whole, &failure));
  fails(STREW_ESHAPE, strew_cumsum_with(floats, 1, NULL, &out, &failure));
  fails(STREW_ESHAPE, strew_cumprod(floats, 1, &out, &failure));
  fails(STREW_ESHAPE, strew_cummax(floats, 1, &out, &second, &failure));
  fails(STREW_ESHAPE, strew_cummin(floats, -2, &out, &second, &failure));
  fails(STREW_EARGUMENT, strew_topk_with(floats, 4, 0, NULL, &out, &second, &failure));
  fails(STREW_EDTYPE, strew_matmul(STREW_MATMUL, floats, ints, &out, &failure));
  fails(STREW_EDTYPE, strew_matmul(STREW_DOT, bools, bools, &out, &failure));
  fails(STREW_ESHAPE, strew_matmul(STREW_MM, floats, square, &out, &failure));
  fails(STREW_ESHAPE, strew_matmul(STREW_MM, square, wide, &out, &failure));
  end();
}
END_TEST

START_TEST(test_linear_algebra) {
  start();
  strew_tensor *u = NULL, *whole = ints, *third = NULL;
  ok(strew_clone(square, &u, &failure));
  const strew_linalg_options plain = {.upper = false};
  strew_tensor *const wrong[] = {floats, wide, ints};
  const strew_status codes[] = {STREW_ESHAPE, STREW_ESHAPE, STREW_EDTYPE};
  for (int i = 0; i < 3; i++) {
    fails(codes[i], strew_inv(wrong[i], &out, &failure));
    fails(codes[i], strew_solve(wrong[i], wrong[i], &out, &failure));
    fails(codes[i], strew_det(wrong[i], &out, &failure));
    fails(codes[i], strew_slogdet(wrong[i], &out, &second, &failure));
    fails(codes[i], strew_cholesky(wrong[i], &plain, &out, &failure));
    fails(codes[i], strew_eigh(wrong[i], NULL, &out, &second, &failure));
    if (i == 1) continue; /* these take any matrices */
    fails(codes[i], strew_qr(wrong[i], &plain, &out, &second, &failure));
    fails(codes[i], strew_svd(wrong[i], NULL, &out, &second, &third, &failure));
  }
  fails(STREW_ESHAPE, strew_inv(u, &whole, &failure));
  fails(STREW_EDTYPE, strew_solve(u, ints, &out, &failure));
  ok(strew_fill(u, strew_float(0), &failure));
  fails(STREW_EVALUE, strew_inv(u, &out, &failure));
  ck_assert_str_eq(failure.hint, "strew_svd(self) takes any matrix");
  fails(STREW_EVALUE, strew_solve(u, u, &out, &failure));
  fails(STREW_EVALUE, strew_cholesky(u, NULL, &out, &failure));
  ok(strew_fill(u, strew_float((double)INFINITY), &failure));
  fails(STREW_EVALUE, strew_eigh(u, NULL, &out, NULL, &failure));
  fails(STREW_EVALUE, strew_svd(u, NULL, NULL, &out, NULL, &failure));
  strew_release(u);
  end();
}
END_TEST

START_TEST(test_scatter) {
  start();
  const strew_scatter_options add = {.reduction = STREW_SUM}, mean = {.reduction = STREW_MEAN};
  strew_tensor *self = floats, *five = make(STREW_INT64, 1, (int64_t[]){3});
  ok(strew_fill(five, strew_int(5), &failure));
  fails(STREW_ESHAPE, strew_scatter(square, 0, ints, strew_of(floats), &add, &out, &failure));
  fails(STREW_EDTYPE, strew_scatter(floats, 0, floats, strew_of(floats), &add, &out, &failure));
  fails(STREW_EDTYPE, strew_scatter(floats, 0, ints, strew_of(ints), &add, &out, &failure));
  fails(STREW_EVALUE, strew_scatter(ints, 0, five, strew_number(strew_float(0.5)), &add, &out, &failure));
  fails(STREW_EOVERLAP, strew_scatter(floats, 0, ints, strew_of(floats), &add, &self, &failure));
  fails(STREW_EINDEX, strew_scatter(floats, 0, five, strew_of(floats), &add, &out, &failure));
  fails(STREW_EDTYPE, strew_scatter(bools, 0, ints, strew_of(bools), &mean, &out, &failure));
  fails(STREW_EINDEX, strew_gather_with(floats, 0, five, NULL, &out, &failure));
  fails(STREW_EDTYPE, strew_gather_with(floats, 0, floats, NULL, &out, &failure));

  strew_scalar fill = strew_int(7);
  struct group_form sum = {.dim = 0, .dim_size = -1, .reduction = STREW_SUM}, filled = sum;
  filled.fill = &fill;
  struct group_form negative = {.reduction = STREW_SUM, .dim_size = -5};
  strew_tensor *last = scalar_tensor(STREW_INT64, strew_int(INT64_MAX));
  strew_tensor *lines = make(STREW_INT64, 2, (int64_t[]){1, 1});
  fails(STREW_ESHAPE, group_form(strew_by_index(ints), floats, &negative, &out, NULL, &failure));
  fails(STREW_ESHAPE, group_form(strew_by_index(lines), last, &sum, &out, NULL, &failure));
  fails(STREW_ESHAPE,
        group_form(strew_by_index(last), last, &sum, &out, NULL, &failure)); /* more elements than the maximum */
  strew_release(last);
  strew_release(lines);
  fails(STREW_ESHAPE, group_form(strew_by_index(ints), wide, &sum, &out, NULL, &failure));
  fails(STREW_EARGUMENT, group_form(strew_by_index(ints), floats, &sum, &out, &second, &failure));
  self = make(STREW_FLOAT32, 1, (int64_t[]){8});
  fails(STREW_EARGUMENT, group_form(strew_by_index(ints), floats, &filled, &self, NULL, &failure));
  strew_release(self);
  self = floats;
  fails(STREW_EOVERLAP, group_form(strew_by_index(ints), floats, &sum, &self, NULL, &failure));
  fails(STREW_EINDEX, strew_group_reduce(strew_by_ends(five), STREW_GROUP_SUM, floats, NULL, &out, NULL, &failure));
  fails(STREW_EARGUMENT,
        strew_group_reduce(strew_by_ends(ints), STREW_GROUP_SUM, floats, NULL, &out, &second, &failure));
  fails(STREW_ESHAPE, strew_segment_reduce_with(floats, ints, NULL, 1, STREW_GROUP_SUM, NULL, NULL, &out, &failure));
  fails(STREW_EINDEX,
        strew_group_reduce(strew_by_sorted(five), STREW_GROUP_SUM, floats,
                           &(strew_group_reduce_options){.dim_size = &(int64_t){3}}, &out, NULL, &failure));
  fails(STREW_EINDEX, strew_gather_coo(floats, five, &out, &failure));
  fails(STREW_ESHAPE, strew_gather_csr(floats, five, &out, &failure));
  fails(STREW_EINDEX, strew_sum_ranges(floats, ints, five, NULL, &out, &failure));
  fails(STREW_EINDEX, strew_sum_ranges(floats, five, ints, NULL, &out, &failure));
  fails(STREW_EARGUMENT, strew_sum_ranges(floats, ints, NULL, NULL, &out, &failure));
  fails(STREW_EARGUMENT, strew_sum_ranges(floats, NULL, NULL, &(strew_range_options){.window = 100}, &out, &failure));
  fails(STREW_EDTYPE, strew_sum_ranges(ints, NULL, NULL, NULL, &out, &failure));
  strew_release(five);
  end();
}
END_TEST

START_TEST(test_rearranged) {
  start();
  strew_tensor *edges = spread, *parts[2] = {NULL};
  strew_tensor *nothing = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){NAN, NAN});
  strew_tensor *five = tensor_from_integers(STREW_INT64, 1, (int64_t[]){5});
  fails(STREW_ESHAPE, strew_flip(square, 1, (int64_t[]){2}, &out, &failure));
  fails(STREW_ESHAPE, strew_flip(square, 2, (int64_t[]){0, -2}, &out, &failure));
  fails(STREW_ESHAPE, strew_roll(square, 2, (int64_t[]){1, 1}, NULL, &out, &failure));
  fails(STREW_ESHAPE, strew_roll(square, 1, (int64_t[]){1}, (int64_t[]){2}, &out, &failure));
  fails(STREW_ESHAPE, strew_repeat(square, 1, (int64_t[]){2}, &out, &failure));
  fails(STREW_EVALUE, strew_repeat(floats, 1, (int64_t[]){-2}, &out, &failure));
  fails(STREW_EVALUE, strew_repeat_interleave(floats, strew_number(strew_int(-1)), 0, &out, &failure));
  fails(STREW_EDTYPE, strew_repeat_interleave(floats, strew_of(floats), 0, &out, &failure));
  fails(STREW_ESHAPE, strew_repeat_interleave(wide, strew_of(ints), 0, &out, &failure));
  fails(STREW_ESHAPE, strew_tril(floats, 0, &out, &failure));
  fails(STREW_EOVERLAP, strew_triu(spread, 0, &edges, &failure));
  fails(STREW_ESHAPE, strew_diagonal(floats, 0, 0, 1, &out, &failure));
  fails(STREW_ESHAPE, strew_diagonal(square, 0, 1, 1, &out, &failure));
  fails(STREW_ESHAPE, strew_split(floats, 0, 2, (int64_t[]){1, 1}, parts, &failure));
  fails(STREW_EARGUMENT, strew_diff(floats, -1, 0, &out, &failure));
  fails(STREW_ESHAPE, strew_diff(floats, 1, 1, &out, &failure));
  edges = ints;
  fails(STREW_EDTYPE, strew_histogram(1, &floats, &ints, NULL, &out, &second, &failure));
  fails(STREW_ESHAPE, strew_histogram(1, &floats, &wide, NULL, &out, &second, &failure));
  fails(STREW_ESHAPE, strew_histogram(1, &floats, &floats, wide, &out, &second, &failure));
  fails(STREW_EVALUE, strew_histogram(1, &floats, &nothing, NULL, &out, &second, &failure));
  fails(STREW_EDTYPE, strew_index_get(square, 1, &floats, NULL, &out, &failure));
  fails(STREW_EINDEX, strew_index_get(wide, 1, &five, NULL, &out, &failure));
  ck_assert(!parts[0] && !parts[1]);
  strew_release(nothing), strew_release(five);
  end();
}
END_TEST

/* Text and times are moved, and chosen by position; numbers they are not. */
static void assert_no_numbers(strew_tensor *t) {
  const strew_operand self = strew_of(t);
  const strew_scatter_options add = {.reduction = STREW_SUM};
  const struct group_form sum = {.dim = 0, .dim_size = -1, .reduction = STREW_SUM};
  strew_tensor *pair[] = {t, ints};
  strew_operand low = one(), high = one();
  fails(STREW_EDTYPE, strew_unary(STREW_NEG, t, &out, &failure));
  fails(STREW_EDTYPE, strew_unary(STREW_EXP, t, &out, &failure));
  for (int op = 0; op < STREW_BINARY_COUNT; op++) { /* seconds are added to times, and subtracted (check_text) */
    if (strew_tensor_dtype(t) == STREW_TIME && (op == STREW_ADD || op == STREW_SUB)) continue;
    fails(STREW_EDTYPE, strew_binary((strew_binary_op)op, self, strew_of(ints), &out, &failure));
    fails(STREW_EDTYPE, strew_binary((strew_binary_op)op, self, one(), &out, &failure));
  }
  for (int fold = 0; fold < STREW_FOLD_COUNT; fold++) { /* words and times have an order, times means (check_text) */
    const bool is_mean = fold == STREW_FOLD_MEAN || fold == STREW_FOLD_VAR || fold == STREW_FOLD_STD;
    if (is_mean && strew_tensor_dtype(t) == STREW_TIME) continue;
    if (fold == STREW_FOLD_AMAX || fold == STREW_FOLD_AMIN || fold == STREW_FOLD_ARGMAX || fold == STREW_FOLD_ARGMIN)
      continue;
    fails(STREW_EDTYPE,
          strew_reduce_with((strew_fold)fold, t, &(strew_reduce_options){.correction = &(double){0}}, &out, &failure));
  }
  fails(STREW_EDTYPE, strew_where(bools, self, one(), &out, &failure));
  fails(STREW_EDTYPE, strew_where(t, one(), one(), &out, &failure));
  fails(STREW_EDTYPE, strew_clamp_with(t, low, high, &out, &failure));
  fails(STREW_EDTYPE, strew_masked_fill(t, bools, one(), &out, &failure));
  fails(STREW_EDTYPE, strew_masked_fill(ints, t, one(), &out, &failure));
  fails(STREW_EDTYPE, strew_equal(t, ints, &answer, &failure));
  fails(STREW_EDTYPE, strew_cat(2, pair, 0, &out, &failure));
  fails(STREW_EDTYPE, strew_copy(t, ints, &failure));
  fails(STREW_EDTYPE, strew_copy(ints, t, &failure));
  fails(STREW_EDTYPE, strew_fill(t, strew_int(1), &failure));
  fails(STREW_EDTYPE, strew_set(t, 1, (int64_t[]){0}, strew_int(1), &failure));
  fails(strew_tensor_dtype(t) == STREW_TEXT ? STREW_EVALUE : STREW_EDTYPE,
        strew_to(t, device, STREW_FLOAT32, &out, &failure));
  fails(STREW_EDTYPE, strew_cumsum_with(t, 0, NULL, &out, &failure));
  fails(STREW_EDTYPE, strew_cumprod(t, 0, &out, &failure));
  if (strew_tensor_dtype(t) == STREW_TEXT) fails(STREW_EDTYPE, strew_diff(t, 1, 0, &out, &failure));
  fails(STREW_EDTYPE, strew_matmul(STREW_DOT, t, t, &out, &failure));
  fails(STREW_EDTYPE, strew_histogram(1, &t, &floats, NULL, &out, &second, &failure));
  fails(STREW_EDTYPE, strew_scatter(t, 0, ints, self, &add, &out, &failure));
  fails(STREW_EDTYPE, strew_gather_with(floats, 0, t, NULL, &out, &failure));
  fails(STREW_EDTYPE, group_form(strew_by_index(ints), t, &sum, &out, NULL, &failure));
  fails(STREW_EDTYPE, group_form(strew_by_index(t), floats, &sum, &out, NULL, &failure));
  fails(STREW_EDTYPE, strew_group_reduce(strew_by_ends(ints), STREW_GROUP_SUM, t, NULL, &out, NULL, &failure));
  fails(STREW_EDTYPE, strew_index_get(square, 1, &t, NULL, &out, &failure));
  fails(STREW_EDTYPE, strew_inv(t, &out, &failure));
}

START_TEST(test_text_and_times) {
  start();
  const char *const words[] = {"b", "a", ""};
  const int64_t three = 3;
  strew_tensor *text = NULL, *times = NULL;
  strew_scalar time = {.dtype = STREW_TIME};
  ok(strew_text_from(device, 1, &three, words, NULL, &text, &failure));
  ok(strew_full(device, STREW_TIME, 1, &three, time, &times, &failure));
  assert_no_numbers(text);
  assert_no_numbers(times);
  strew_tensor *pair[] = {text, times};
  fails(STREW_EDTYPE, strew_cat(2, pair, 0, &out, &failure));
  fails(STREW_EDTYPE, strew_text_align(2, pair, true, (strew_tensor *[]){NULL, NULL}, &failure));
  fails(STREW_EDTYPE, strew_copy(text, times, &failure));
  fails(STREW_EDTYPE, strew_copy(times, text, &failure));
  fails(STREW_EVALUE, strew_to(text, device, STREW_TIME, &out, &failure));
  fails(STREW_EDTYPE, strew_text_codes(times, &out, &failure));
  fails(STREW_EDTYPE, strew_text_like(times, text, &out, &failure));
  fails(STREW_EDTYPE, strew_text(times, 3, words, NULL, false, &out, &failure));
  fails(STREW_EDTYPE, strew_fill(text, time, &failure));
  fails(STREW_EDTYPE, strew_fill(ints, time, &failure));
  fails(STREW_EDTYPE, strew_full(device, STREW_TIME, 1, &three, strew_int(0), &out, &failure));
  fails(STREW_EDTYPE, strew_full(device, STREW_FLOAT32, 1, &three, time, &out, &failure));
  for (strew_dtype dtype = STREW_TEXT; dtype; dtype = dtype == STREW_TEXT ? STREW_TIME : (strew_dtype)0) {
    fails(STREW_EDTYPE, strew_arange(device, dtype, strew_int(0), strew_int(3), strew_int(1), &out, &failure));
    fails(STREW_EDTYPE, strew_linspace(device, dtype, 0, 1, 3, &out, &failure));
    fails(STREW_EDTYPE, strew_eye(device, dtype, 2, 2, &out, &failure));
    fails(STREW_EDTYPE, strew_rand(device, dtype, 1, &three, &out, &failure));
    fails(STREW_EDTYPE, strew_randint(device, dtype, 0, 5, 1, &three, &out, &failure));
    fails(STREW_EDTYPE, strew_randperm(device, dtype, 5, &out, &failure));
  }
  fails(STREW_EVALUE, strew_time_parse("2023-02-29", NULL, &time, &failure));
  fails(STREW_EVALUE, strew_time_parse("May", NULL, &time, &failure));
  fails(STREW_EVALUE, strew_time_parse("+999999-01-01", NULL, &time, &failure));
  fails(STREW_EARGUMENT, strew_time_parse("May", "%Q", &time, &failure));
  fails(STREW_EARGUMENT, strew_time_parse("May", "month", &time, &failure));
  ck_assert_int_eq(time.as.i, INT64_MIN);
  strew_release(text), strew_release(times);
  end();
}
END_TEST

START_TEST(test_images) {
  start();
  const double numbers[] = {NAN, 1, 2};
  const strew_image_options options[] = {{.colormap = (strew_colormap)77},
                                         {.scale = -1},
                                         {.scale = INT64_MAX},
                                         {.scale = INT64_MAX / 2},
                                         {.scale = (int64_t)1 << 28},
                                         {.min = &numbers[0]},
                                         {.max = &numbers[0]},
                                         {.min = &numbers[2], .max = &numbers[1]}};
  static const strew_status codes[] = {STREW_EARGUMENT, STREW_EVALUE, STREW_EVALUE, STREW_EVALUE,
                                       STREW_EMEMORY,   STREW_EVALUE, STREW_EVALUE, STREW_EVALUE};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    fails(codes[i], strew_image(wide, &options[i], &out, &failure));
  fails(STREW_ESHAPE, strew_image(floats, NULL, &out, &failure));
  ok(strew_image(wide, NULL, &out, &failure));
  assert_sizes(out, 3, (int64_t[]){2, 4, 3});
  strew_release(out);
  out = NULL;
  end();
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- options */

static strew_tensor *take_out(void) {
  strew_tensor *taken = out;
  out = NULL;
  return taken;
}

/* A call with options that are NULL or zeros gives what the call gives whose single arguments are the defaults. */
#define ZEROS(type, with_defaults, with_options)                                                                       \
  do {                                                                                                                 \
    const type zeros = {0}, *options = NULL;                                                                           \
    ok(with_defaults);                                                                                                 \
    strew_tensor *expected = take_out();                                                                               \
    for (int i = 0; i < 2; i++, options = &zeros) {                                                                    \
      ok(with_options);                                                                                                \
      strew_tensor *found = take_out();                                                                                \
      ok(strew_equal(found, expected, &answer, &failure));                                                             \
      ck_assert_msg(answer, #with_options " with %s", options ? "zeros" : "NULL");                                     \
      strew_release(found);                                                                                            \
    }                                                                                                                  \
    strew_release(expected);                                                                                           \
  } while (0)
#define E      &out, &failure
#define NO_ARG &out, NULL, &failure

START_TEST(test_zeros_are_defaults) {
  start();
  strew_tensor *x = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){3, 1, 4, 1});
  strew_tensor *at = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 2, 3}), *rows = NULL;
  strew_tensor *pair = tensor_from_integers(STREW_INT64, 2, (int64_t[]){2, 2}), *y = NULL;
  ok(strew_unsqueeze(at, 1, &rows, &failure));
  ok(strew_index_select_with(x, 0, at, NULL, &y, &failure));
  strew_tensor *key = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){2, 1});
  const strew_operand half = strew_number(strew_float(0.5));
  const strew_scatter_options assign = {.reduction = STREW_ASSIGN, .mode = STREW_ERROR};
  const struct group_form sum = {.dim = -1, .dim_size = -1, .reduction = STREW_SUM}, begun = GROUP_FORM;
  const strew_image_options painting = {.colormap = STREW_VIRIDIS, .scale = 1};

  ZEROS(strew_scatter_options, strew_scatter(x, 0, at, strew_of(y), &assign, E),
        strew_scatter(x, 0, at, strew_of(y), options, E));
  ZEROS(strew_index_options, strew_gather_with(x, 0, at, NULL, E), strew_gather_with(x, 0, at, options, E));
  ZEROS(strew_index_options, strew_index_select_with(x, 0, at, NULL, E), strew_index_select_with(x, 0, at, options, E));
  ZEROS(strew_index_options, strew_index_add_with(x, 0, at, y, strew_int(2), NULL, E),
        strew_index_add_with(x, 0, at, y, strew_int(2), options, E));
  ZEROS(strew_index_options, strew_index_fill_with(x, 0, at, half, NULL, E),
        strew_index_fill_with(x, 0, at, half, options, E));
  ZEROS(strew_index_options, strew_take_along_dim_with(x, 0, at, NULL, E),
        strew_take_along_dim_with(x, 0, at, options, E));
  ZEROS(strew_index_options, strew_take_with(x, at, NULL, E), strew_take_with(x, at, options, E));
  ZEROS(strew_index_options, strew_gather_nd_with(x, rows, 0, NULL, E), strew_gather_nd_with(x, rows, 0, options, E));
  ZEROS(strew_group_reduce_options, strew_group_reduce(strew_by_ends(at), STREW_GROUP_SUM, x, NULL, NO_ARG),
        strew_group_reduce(strew_by_ends(at), STREW_GROUP_SUM, x, options, NO_ARG));
  ZEROS(strew_group_reduce_options, strew_group_reduce(strew_by_sorted(at), STREW_GROUP_SUM, y, NULL, NO_ARG),
        strew_group_reduce(strew_by_sorted(at), STREW_GROUP_SUM, y, options, NO_ARG));
  ZEROS(strew_group_reduce_options, strew_segment_reduce_with(x, pair, NULL, 0, STREW_GROUP_SUM, NULL, NULL, E),
        strew_segment_reduce_with(x, pair, NULL, 0, STREW_GROUP_SUM, NULL, options, E));
  ZEROS(strew_range_options, strew_sum_ranges(y, NULL, NULL, NULL, E), strew_sum_ranges(y, NULL, NULL, options, E));
  ZEROS(strew_isclose_options, strew_isclose_with(x, x, 0, 0, NULL, E), strew_isclose_with(x, x, 0, 0, options, E));
  ZEROS(strew_reduce_options, strew_reduce_with(STREW_FOLD_VAR, x, NULL, E),
        strew_reduce_with(STREW_FOLD_VAR, x, options, E));
  ZEROS(strew_sort_options, strew_sort_with(x, 0, NULL, NO_ARG), strew_sort_with(x, 0, options, NO_ARG));
  ZEROS(strew_topk_options, strew_topk_with(x, 2, 0, NULL, NO_ARG), strew_topk_with(x, 2, 0, options, NO_ARG));
  ZEROS(strew_softmax_options, strew_softmax_with(x, 0, NULL, E), strew_softmax_with(x, 0, options, E));
  ZEROS(strew_quantile_options, strew_quantile_with(x, half, NULL, E), strew_quantile_with(x, half, options, E));
  ZEROS(strew_searchsorted_options, strew_searchsorted_with(y, strew_of(x), NULL, E),
        strew_searchsorted_with(y, strew_of(x), options, E));
  ZEROS(strew_isin_options, strew_isin(x, y, &(strew_isin_options){.invert = false}, E), strew_isin(x, y, options, E));
  ZEROS(strew_index_options, strew_get_rows(x, at, E), strew_index_get(x, 1, &at, options, E));
  ZEROS(strew_searchsorted_options, strew_bucketize_with(strew_of(x), y, NULL, E),
        strew_bucketize_with(strew_of(x), y, options, E));
  strew_grouping *g = NULL;
  ok(strew_grouping_create_with(pair, NULL, &g, &failure));
  ck_assert_int_eq(strew_grouping_size(g), 3);
  ZEROS(strew_sort_options, strew_grouping_argsort_with(g, key, NULL, E),
        strew_grouping_argsort_with(g, key, options, E));
  ZEROS(strew_group_softmax_options, strew_group_softmax_with(strew_by_index(pair), key, NULL, E),
        strew_group_softmax_with(strew_by_index(pair), key, options, E));
  const int64_t below = -1;
  strew_tensor *none = NULL;
  fails(STREW_ESHAPE, strew_group_softmax_with(strew_by_index(pair), key,
                                               &(strew_group_softmax_options){.dim_size = &below}, &none, &failure));
  ZEROS(strew_topk_options, strew_grouping_topk_with(g, key, 1, NULL, NO_ARG),
        strew_grouping_topk_with(g, key, 1, options, NO_ARG));
  strew_grouping_release(g), g = NULL;
  ZEROS(strew_grouping_options,
        (strew_grouping_release(g), g = NULL, strew_grouping_create_with(pair, NULL, &g, &failure))
            ? failure.code
            : strew_grouping_starts(g, E),
        (strew_grouping_release(g), g = NULL, strew_grouping_create_with(pair, options, &g, &failure))
            ? failure.code
            : strew_grouping_starts(g, E));
  ZEROS(strew_group_by_options,
        (strew_grouping_release(g), g = NULL, strew_group_by_with(1, &x, NULL, &g, &failure))
            ? failure.code
            : strew_grouping_ids(g, E),
        (strew_grouping_release(g), g = NULL, strew_group_by_with(1, &x, options, &g, &failure))
            ? failure.code
            : strew_grouping_ids(g, E));
  strew_grouping_release(g);
  strew_release(key);
  ZEROS(strew_image_options, strew_image(wide, &painting, E), strew_image(wide, options, E));
  ck_assert(begun.dim == sum.dim && begun.dim_size == sum.dim_size && begun.reduction == sum.reduction);
  strew_release(x), strew_release(at), strew_release(rows), strew_release(pair), strew_release(y);
  end();
}
END_TEST

/* Options that are not the defaults reach the call. */
START_TEST(test_options) {
  start();
  strew_tensor *x = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){3, 1, 4, 1}), *line = NULL;
  strew_tensor *at = tensor_from_integers(STREW_INT64, 2, (int64_t[]){-1, 0}), *found;
  const double one = 0;
  const int64_t dim = 0, wrong = (int64_t)1 << 40, size = 3;
  const int first = 0;
  ok(strew_reduce_with(STREW_FOLD_VAR, x,
                       &(strew_reduce_options){.dim_count = 1, .dims = &dim, .keepdim = true, .correction = &one}, E));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){1.6875f}, "reduce_with");
  assert_sizes(found, 1, (int64_t[]){1});
  strew_release(found);
  fails(STREW_ESHAPE, strew_reduce_with(STREW_FOLD_SUM, x, &(strew_reduce_options){.dim_count = 1, .dims = &wrong}, E));
  fails(STREW_ESHAPE,
        strew_reduce_with(STREW_FOLD_SUM, x, &(strew_reduce_options){.dim_count = 99, .dims = (int64_t[99]){0}}, E));
  ok(strew_reduce_with(STREW_FOLD_SUM, x, &(strew_reduce_options){.dims = &dim}, E));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){3, 1, 4, 1}, "a list of no dimension");
  strew_release(found);
  ok(strew_gather_with(x, 0, at, &(strew_index_options){.mode = STREW_WRAP}, E));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){1, 3}, "gather_with");
  strew_release(found);
  ok(strew_sort_with(x, 0, &(strew_sort_options){.descending = true}, NO_ARG));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){4, 3, 1, 1}, "sort_with");
  strew_release(found);
  ok(strew_topk_with(x, 2, 0, &(strew_topk_options){.smallest = true}, NO_ARG));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){1, 1}, "topk_with");
  strew_release(found);
  ok(strew_quantile_with(x, strew_number(strew_int(1)), &(strew_quantile_options){.dim = &first, .keepdim = true}, E));
  assert_sizes(found = take_out(), 1, (int64_t[]){1});
  strew_release(found);
  strew_tensor *sorted = tensor_from_integers(STREW_INT64, 4, (int64_t[]){0, 0, 1, 1});
  ok(strew_group_reduce(strew_by_sorted(sorted), STREW_GROUP_MAX, x, &(strew_group_reduce_options){.dim_size = &size},
                        NO_ARG));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){3, 4, 0}, "by_sorted");
  strew_release(found), strew_release(sorted);
  ok(strew_clamp_with(x, strew_number(strew_int(2)), strew_no_operand(), E));
  assert_elements(found = take_out(), STREW_FLOAT32, (float[]){3, 2, 4, 2}, "clamp_with");
  strew_release(found);
  fails(STREW_EARGUMENT, strew_clamp_with(x, strew_no_operand(), strew_no_operand(), E));
  ok(strew_unsqueeze(x, 0, &line, &failure));
  ok(strew_squeeze(line, 1, (int64_t[]){1}, E));
  assert_sizes(found = take_out(), 2, (int64_t[]){1, 4});
  strew_release(found);
  ok(strew_squeeze(line, 0, NULL, E));
  assert_sizes(found = take_out(), 1, (int64_t[]){4});
  strew_release(found);
  fails(STREW_ESHAPE, strew_squeeze(line, 1, (int64_t[]){2}, E));
  strew_release(x), strew_release(at), strew_release(line);
  end();
}
END_TEST

/* Names of numbers are words for them. */
static const int counts[STREW_WORDS_COUNT] = {
    [STREW_WORDS_MODE] = STREW_MODE_COUNT,         [STREW_WORDS_INTERPOLATION] = STREW_INTERPOLATION_COUNT,
    [STREW_WORDS_UNARY] = STREW_UNARY_COUNT,       [STREW_WORDS_BINARY] = STREW_BINARY_COUNT,
    [STREW_WORDS_FOLD] = STREW_FOLD_COUNT,         [STREW_WORDS_GROUP_REDUCTION] = STREW_GROUP_REDUCTION_COUNT,
    [STREW_WORDS_PRODUCT] = STREW_PRODUCT_COUNT,   [STREW_WORDS_KEY_ORDER] = STREW_KEYS_FIRST + 1,
    [STREW_WORDS_COLORMAP] = STREW_COLORMAP_COUNT, [STREW_WORDS_STATUS] = STREW_STATUS_COUNT};
START_TEST(test_words_both_ways) {
  for (int i = 0; i < STREW_DTYPE_COUNT; i++) {
    strew_dtype found = STREW_DTYPE_END;
    ok(strew_dtype_from_word(strew_dtype_name((strew_dtype)i), &found, &failure));
    ck_assert_int_eq((int)found, i);
    fails(STREW_EARGUMENT, strew_dtype_from_word("bogus", &found, &failure));
    fails(STREW_EARGUMENT, strew_dtype_from_word(NULL, &found, &failure));
    ck_assert_int_eq((int)found, i);
  }
  for (int w = STREW_WORDS_MODE; w < STREW_WORDS_COUNT; w++) {
    const strew_words words = (strew_words)w;
    ck_assert_int_gt(counts[w], 0);
    ck_assert(!strew_enum_name(words, counts[w]) && !strew_enum_name(words, -1));
    for (int i = 0, found = -1; i < counts[w]; i++) {
      ok(strew_enum_from_word(words, strew_enum_name(words, i), &found, &failure));
      ck_assert_int_eq(found, i);
      fails(STREW_EARGUMENT, strew_enum_from_word(words, "bogus", &found, &failure));
      ck_assert(strstr(failure.message, strew_enum_name(words, i)) != NULL);
      fails(STREW_EARGUMENT, strew_enum_from_word(words, NULL, &found, &failure));
      ck_assert_int_eq(found, i);
    }
  }
  ck_assert_str_eq(strew_enum_name(STREW_WORDS_BINARY, STREW_FLOOR_DIVIDE), "floor_divide");
  ck_assert_str_eq(strew_enum_name(STREW_WORDS_FOLD, STREW_FOLD_ARGMIN), "argmin");
  for (int i = STREW_SUM; i < STREW_REDUCTION_COUNT; i++) {
    int found = STREW_ASSIGN;
    ok(strew_enum_from_word(STREW_WORDS_REDUCTION, strew_enum_name(STREW_WORDS_REDUCTION, i), &found, &failure));
    ck_assert_int_eq(found, i);
  }
}
END_TEST

/* Hints are in the language of C. */
START_TEST(test_hints) {
  start();
  const int64_t far = 5;
  fails(STREW_EDTYPE, strew_matmul(STREW_MATMUL, floats, ints, &out, &failure));
  ck_assert_str_eq(failure.hint, lacks(STREW_FLOAT64) ? "strew_to(other, float32)"
                                                      : "strew_to(other, float64), strew_to(self, float64)");
  fails(STREW_EDTYPE, strew_where(floats, one(), one(), &out, &failure));
  ck_assert(strstr(failure.hint, "strew_binary(STREW_NE, x, 0)") && !strchr(failure.hint, ':'));
  struct group_form dims = {.dim = 0, .dim_size = -1, .reduction = STREW_SUM};
  strew_tensor *four = make(STREW_INT64, 1, (int64_t[]){4});
  fails(STREW_ESHAPE, group_form(strew_by_index(four), wide, &dims, &out, NULL, &failure));
  ck_assert_str_eq(failure.hint, "{.dim = 1}: index has the size of src's dimension 1");
  ck_assert_str_eq(failure.op, "scatter_sum");
  fails(STREW_EINDEX, strew_get(floats, 1, &far, &(strew_scalar){STREW_INT64, {0}}, &failure));
  strew_release(four);
  end();
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("contract");
  TCase *all = new_case(suite, "documented failures");
  tcase_add_test(all, test_contexts_and_words);
  tcase_add_test(all, test_new_tensors);
  tcase_add_test(all, test_elements);
  tcase_add_test(all, test_views);
  tcase_add_test(all, test_copies);
  tcase_add_test(all, test_elementwise);
  tcase_add_test(all, test_reductions);
  tcase_add_test(all, test_linear_algebra);
  tcase_add_test(all, test_scatter);
  tcase_add_test(all, test_rearranged);
  tcase_add_test(all, test_text_and_times);
  tcase_add_test(all, test_images);
  tcase_add_test(all, test_zeros_are_defaults);
  tcase_add_test(all, test_options);
  tcase_add_test(all, test_words_both_ways);
  tcase_add_test(all, test_hints);
  return suite;
}
