/* check_misuse.c: what a C host can get wrong and a script cannot: enumerators that are none, tensors in *out and *arg
   that a failing call must leave alone, an error used for call after call, host memory that is not aligned. */
#include "testing.h"

static strew_tensor *vector;

static void make_vector(void) { vector = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 2, 1}); }

START_TEST(test_unknown_enumerators) {
  make_vector();
  strew_tensor *out = NULL;
  strew_scatter_options reduction = {.reduction = (strew_reduction)77}, mode = {.mode = (strew_mode)9};
  strew_group_options assign = {.reduction = STREW_ASSIGN, .dim_size = -1};
  strew_operand one = strew_number(strew_int(1));
  assert_fails(strew_unary((strew_unary_op)99, vector, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_binary((strew_binary_op)99, one, strew_of(vector), &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_reduce((strew_fold)99, vector, 0, NULL, false, 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_matmul((strew_product)9, vector, vector, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_scatter(vector, 0, vector, one, &reduction, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_scatter(vector, 0, vector, one, &mode, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_gather(vector, 0, vector, (strew_mode)9, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_gather(vector, -100, vector, STREW_ERROR, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_group(vector, vector, &assign, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  ck_assert_ptr_null(out);
  strew_release(vector);
}
END_TEST

START_TEST(test_failing_group_leaves_arg_alone) {
  make_vector();
  strew_scalar fill = strew_float(0.5);
  strew_group_options options = {.reduction = STREW_AMAX, .dim_size = -1, .fill = &fill};
  strew_tensor *out = NULL, *arg = vector;
  assert_fails(strew_group(vector, vector, &options, &out, &arg, &failure), STREW_EVALUE, NULL);
  ck_assert_ptr_eq(arg, vector);
  options.reduction = STREW_SUM;
  options.fill = NULL;
  assert_fails(strew_group(vector, vector, &options, &out, &arg, &failure), STREW_EARGUMENT, NULL);
  ck_assert_ptr_null(out);
  strew_release(vector);
}
END_TEST

START_TEST(test_an_error_serves_many_calls) {
  make_vector();
  strew_error error = {0};
  strew_tensor *out = NULL;
  strew_tensor *truth = scalar_tensor(STREW_BOOL, strew_bool(true));
  ck_assert_int_ne(strew_unary(STREW_NEG, truth, &out, &error), STREW_OK);
  ck_assert_str_eq(error.op, "neg");
  ck_assert_int_ne(strew_gather(vector, 5, vector, STREW_ERROR, &out, &error), STREW_OK);
  ck_assert_str_eq(error.op, "gather");
  bool answer;
  ck_assert_int_ne(strew_equal(vector, truth, &answer, &error), STREW_OK);
  ck_assert_str_eq(error.op, "equal");
  ck_assert_int_ne(strew_allclose(vector, vector, -1, 0, &answer, &error), STREW_OK);
  ck_assert_str_eq(error.op, "allclose");
  ck_assert_ptr_null(error.alias);
  error.alias = "take";
  ck_assert_int_ne(strew_gather(vector, 5, vector, STREW_ERROR, &out, &error), STREW_OK);
  ck_assert_str_eq(error.op, "take");
  strew_release(truth);
  strew_release(vector);
}
END_TEST

START_TEST(test_unaligned_host_memory) {
  double memory[4] = {0};
  strew_tensor *out = NULL;
  int64_t size = 2;
  assert_fails(strew_wrap(device, STREW_FLOAT64, 1, &size, NULL, (char *)memory + 4, 16, NULL, NULL, &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_wrap(device, STREW_FLOAT64, 1, &size, NULL, NULL, 16, NULL, NULL, &out, &failure), STREW_EARGUMENT,
               NULL);
  ok(strew_wrap(device, STREW_FLOAT32, 1, &size, NULL, (char *)memory + 4, 16, NULL, NULL, &out, &failure));
  strew_release(out);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("misuse");
  TCase *all = new_case(suite, "by a C host");
  tcase_add_test(all, test_unknown_enumerators);
  tcase_add_test(all, test_failing_group_leaves_arg_alone);
  tcase_add_test(all, test_an_error_serves_many_calls);
  if (!on_device()) tcase_add_test(all, test_unaligned_host_memory);
  return suite;
}
