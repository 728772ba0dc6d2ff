/* check_misuse.c: mistakes of a C host that a script cannot make: invalid enumerators, tensors in *out and *arg that a
   failing call must not change, one error struct for call after call, unaligned host memory. */
#include "testing.h"

static strew_tensor *vector;

static void make_vector(void) { vector = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 2, 1}); }

START_TEST(test_unknown_enumerators) {
  make_vector();
  strew_tensor *out = NULL;
  strew_scatter_options reduction = {.reduction = (strew_reduction)77}, mode = {.mode = (strew_mode)9};
  struct group_form assign = {.reduction = STREW_ASSIGN, .dim_size = -1};
  strew_operand one = strew_number(strew_int(1));
  assert_fails(strew_unary((strew_unary_op)99, vector, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_binary((strew_binary_op)99, one, strew_of(vector), &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(
      strew_reduce_with((strew_fold)99, vector, &(strew_reduce_options){.correction = &(double){0}}, &out, &failure),
      STREW_EARGUMENT, NULL);
  assert_fails(strew_matmul((strew_product)9, vector, vector, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_scatter(vector, 0, vector, one, &reduction, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_scatter(vector, 0, vector, one, &mode, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_gather_with(vector, 0, vector, &(strew_index_options){.mode = (strew_mode)9}, &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_gather_with(vector, -100, vector, NULL, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(group_form(strew_by_index(vector), vector, &assign, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  ck_assert_ptr_null(out);
  strew_release(vector);
}
END_TEST

START_TEST(test_failing_group_leaves_arg_alone) {
  make_vector();
  strew_scalar fill = strew_float(0.5);
  struct group_form options = {.reduction = STREW_AMAX, .dim_size = -1, .fill = &fill};
  strew_tensor *out = NULL, *arg = vector;
  assert_fails(group_form(strew_by_index(vector), vector, &options, &out, &arg, &failure), STREW_EVALUE, NULL);
  ck_assert_ptr_eq(arg, vector);
  options.reduction = STREW_SUM;
  options.fill = NULL;
  assert_fails(group_form(strew_by_index(vector), vector, &options, &out, &arg, &failure), STREW_EARGUMENT, NULL);
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
  ck_assert_int_ne(strew_gather_with(vector, 5, vector, NULL, &out, &error), STREW_OK);
  ck_assert_str_eq(error.op, "gather");
  bool answer;
  ck_assert_int_ne(strew_equal(vector, truth, &answer, &error), STREW_OK);
  ck_assert_str_eq(error.op, "equal");
  ck_assert_int_ne(strew_allclose(vector, vector, -1, 0, &answer, &error), STREW_OK);
  ck_assert_str_eq(error.op, "allclose");
  ck_assert_ptr_null(error.alias);
  error.alias = "take";
  ck_assert_int_ne(strew_gather_with(vector, 5, vector, NULL, &out, &error), STREW_OK);
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

/* Members of a later header, and structs that were not initialised. */
START_TEST(test_reserved_bytes) {
  make_vector();
  strew_tensor *out = NULL;
  strew_table *table = NULL;
  strew_context *other = NULL;
  strew_options options = {.reserved = {[7] = 1}};
  strew_scatter_options scattering = {.reserved = {[3] = 1}};
  strew_group_reduce_options grouping = {.reserved = {[3] = 1}};
  strew_load_options loading = {.reserved = {1}};
  strew_save_options saving = {.reserved = {1}};
  strew_image_options painting = {.reserved = {[3] = UINT64_MAX}};
  assert_fails(strew_context_create(&options, &other, &failure), STREW_EARGUMENT,
               "context_create: 'options' has reserved bytes that are not zero: strew " STREW_VERSION
               " knows no such option\n  hint  start with all zeros; members of a later "
               "strew.h need a later "
               "library");
  assert_fails(strew_scatter(vector, 0, vector, strew_of(vector), &scattering, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_group_reduce(strew_by_index(vector), STREW_GROUP_SUM, vector, &grouping, &out, NULL, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_load(device, "/dev/null.npy", &loading, &out, &table, &failure), STREW_EARGUMENT, NULL);
  ck_assert_str_eq(failure.argument, "options");
  assert_fails(strew_save(vector, "/dev/null/x.npy", &saving, &failure), STREW_EARGUMENT, NULL);
  ok(strew_table_create(strew_device_context(device), &table, &failure));
  assert_fails(strew_save_table(table, "/dev/null/x.npz", &saving, &failure), STREW_EARGUMENT, NULL);
  ck_assert_str_eq(failure.argument, "options");
  assert_fails(strew_image(vector, &painting, &out, &failure), STREW_EARGUMENT, NULL);
  ck_assert(!out && !other);
  strew_table_release(table), strew_release(vector);
}
END_TEST

/* Optional results that are NULL, and options that all have defaults. */
START_TEST(test_what_may_be_null) {
  make_vector();
  strew_tensor *values = NULL, *positions = NULL, *out = NULL;
  ok(strew_sort_with(vector, 0, NULL, &values, NULL, &failure));
  ok(strew_sort_with(vector, 0, NULL, NULL, &positions, &failure));
  assert_elements(values, STREW_INT64, (int64_t[]){0, 1, 2}, "values alone");
  assert_elements(positions, STREW_INT64, (int64_t[]){0, 2, 1}, "positions alone");
  strew_release(values), values = NULL;
  strew_release(positions), positions = NULL;
  ok(strew_topk_with(vector, 1, 0, NULL, &values, NULL, &failure));
  ok(strew_topk_with(vector, 1, 0, NULL, NULL, &positions, &failure));
  assert_elements(values, STREW_INT64, (int64_t[]){2}, "the largest alone");
  assert_elements(positions, STREW_INT64, (int64_t[]){1}, "its position alone");
  ok(strew_topk_with(vector, 1, 0, &(strew_topk_options){.smallest = true}, &values, NULL, &failure));
  assert_elements(values, STREW_INT64, (int64_t[]){0}, "into given values");
  ok(strew_sort_with(vector, 0, NULL, NULL, NULL, &failure));
  strew_release(values), values = NULL;
  strew_release(positions), positions = NULL;
  ok(strew_cummax(vector, 0, &values, NULL, &failure));
  ok(strew_cummin(vector, 0, NULL, &positions, &failure));
  assert_elements(values, STREW_INT64, (int64_t[]){0, 2, 2}, "the largest so far alone");
  assert_elements(positions, STREW_INT64, (int64_t[]){0, 0, 0}, "the position of the smallest so far alone");
  ok(strew_cummax(vector, 0, NULL, NULL, &failure));
  ok(strew_unique(vector, NULL, NULL, NULL, &failure));
  ok(strew_scatter(vector, 0, vector, strew_number(strew_int(7)), NULL, &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){7, 7, 7}, "assigned by default");
  strew_release(out), out = NULL;
  ok(group_form(strew_by_index(vector), vector, NULL, &out, NULL, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){0, 1, 2}, "summed by default");
  strew_release(out), out = NULL;
  struct group_form options = GROUP_FORM;
  ok(group_form(strew_by_index(vector), vector, &options, &out, NULL, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){0, 1, 2}, "by the initialiser");
  strew_release(out), strew_release(values), strew_release(positions), strew_release(vector);
}
END_TEST

#define MAKES(call)                                                                                                    \
  ok(call);                                                                                                            \
  strew_release(out), out = NULL

/* Lists of no entries, and memory of no bytes. */
START_TEST(test_null_without_elements) {
  strew_tensor *number = NULL, *empty = NULL, *out = NULL;
  strew_scalar value;
  void *data = &value;
  const int64_t none = 0;
  ok(strew_full(device, STREW_INT64, 0, NULL, strew_int(7), &number, &failure));
  ok(strew_from(device, STREW_INT64, 1, &none, NULL, &empty, &failure));
  ok(strew_read(empty, NULL, 0, &failure));
  ok(strew_get(number, 0, NULL, &value, &failure));
  ck_assert_int_eq(value.as.i, 7);
  ok(strew_set(number, 0, NULL, strew_int(8), &failure));
  MAKES(strew_view(number, 0, NULL, &out, &failure));
  MAKES(strew_reshape(number, 0, NULL, &out, &failure));
  MAKES(strew_expand(number, 0, NULL, &out, &failure));
  MAKES(strew_view_as(number, STREW_UINT64, &out, &failure));
  MAKES(strew_permute(number, 0, NULL, &out, &failure));
  MAKES(strew_squeeze(number, 0, NULL, &out, &failure));
  MAKES(strew_as_strided(number, 0, NULL, NULL, 0, &out, &failure));
  MAKES(strew_reduce_with(STREW_FOLD_SUM, number, NULL, &out, &failure));
  MAKES(strew_empty(device, STREW_INT64, 0, NULL, &out, &failure));
  if (!on_device()) {
    MAKES(strew_wrap(device, STREW_INT64, 1, &none, NULL, NULL, 0, NULL, NULL, &out, &failure));
    MAKES(strew_wrap(device, STREW_INT64, 0, NULL, NULL, &value.as.i, sizeof value.as.i, NULL, NULL, &out, &failure));
    ok(strew_data(empty, &data, &failure));
    ck_assert_ptr_null(data);
  }
  assert_fails(strew_cat(0, NULL, 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_stack(0, NULL, 0, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_clamp_with(number, (strew_operand){0}, (strew_operand){0}, &out, &failure), STREW_EARGUMENT, NULL);
  strew_operand low = strew_number(strew_int(9));
  MAKES(strew_clamp_with(number, low, (strew_operand){0}, &out, &failure));
  MAKES(strew_clamp_with(number, (strew_operand){0}, low, &out, &failure));
  strew_release(empty), strew_release(number);
}
END_TEST

START_TEST(test_null_options_and_words) {
  strew_context *other = NULL;
  strew_device *cpu = NULL;
  strew_dtype dtype;
  int reduction, mode, colormap;
  strew_table *table = NULL;
  ok(strew_context_create(NULL, &other, NULL));
  ok(strew_device_find(other, NULL, &cpu, NULL));
  strew_context_progress(other, NULL, 1);
  ok(strew_table_create(other, &table, NULL));
  ck_assert_ptr_null(strew_table_name(table, 0));
  ck_assert_ptr_null(strew_table_tensor(table, -1));
  ck_assert_ptr_null(strew_table_find(table, "x"));
  ck_assert_ptr_null(strew_table_find(table, NULL));
  ck_assert_int_eq(strew_dtype_from_word(NULL, &dtype, NULL), STREW_EARGUMENT);
  ck_assert_int_eq(strew_enum_from_word(STREW_WORDS_REDUCTION, NULL, &reduction, NULL), STREW_EARGUMENT);
  ck_assert_int_eq(strew_enum_from_word(STREW_WORDS_MODE, NULL, &mode, NULL), STREW_EARGUMENT);
  ck_assert_int_eq(strew_enum_from_word(STREW_WORDS_COLORMAP, NULL, &colormap, NULL), STREW_EARGUMENT);
  ck_assert_int_eq(strew_load(cpu, "x.npy", NULL, NULL, NULL, NULL), STREW_EARGUMENT);
  ck_assert_int_eq(strew_load(cpu, "x.csv", NULL, NULL, NULL, NULL), STREW_EARGUMENT);
  ck_assert_ptr_null(strew_device_at(other, -1));
  ck_assert_ptr_null(strew_problem_at(other, -1));
  strew_table_release(table), strew_table_release(NULL);
  strew_context_release(other), strew_context_release(NULL);
  strew_release(NULL);
}
END_TEST

#define FOREIGN "another context, all operands must belong to one"
#define HINT    "strew_to and strew_copy take a tensor of another context"

/* Operands of two contexts, whatever their devices are called; every function that takes them. */
START_TEST(test_operands_of_two_contexts) {
  strew_context *other = NULL;
  strew_device *cpu = NULL;
  strew_tensor *foreign = NULL, *out = NULL, *carried = NULL;
  make_vector();
  ok(strew_context_create(NULL, &other, &failure));
  ok(strew_device_find(other, NULL, &cpu, &failure));
  ok(strew_full(cpu, STREW_INT64, 1, (int64_t[]){3}, strew_int(5), &foreign, &failure));
  assert_fails(strew_binary(STREW_ADD, strew_of(vector), strew_of(foreign), &out, &failure), STREW_EDEVICE,
               "add: 'other' belongs to " FOREIGN "\n  self   int64[3] cpu\n  other  int64[3] cpu\n  hint   " HINT);
  assert_fails(strew_cat(2, (strew_tensor *[]){vector, foreign}, 0, &out, &failure), STREW_EDEVICE,
               "cat: 'tensors' has a tensor at [2] that belongs to " FOREIGN "\n  hint  " HINT);
  assert_fails(strew_stack(2, (strew_tensor *[]){foreign, vector}, 0, &out, &failure), STREW_EDEVICE, NULL);
  assert_fails(strew_gather_with(vector, 0, foreign, NULL, &out, &failure), STREW_EDEVICE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'index' belongs to " FOREIGN));
  assert_fails(strew_scatter(vector, 0, vector, strew_of(foreign), NULL, &out, &failure), STREW_EDEVICE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'src' belongs to " FOREIGN));
  assert_fails(group_form(strew_by_index(foreign), vector, NULL, &out, NULL, &failure), STREW_EDEVICE, NULL);
  assert_fails(strew_equal(vector, foreign, &(bool){false}, &failure), STREW_EDEVICE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'other' belongs to " FOREIGN));
  ck_assert_ptr_null(out);
  assert_fails(strew_sort_with(vector, 0, NULL, &foreign, NULL, &failure), STREW_EDEVICE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'out' belongs to " FOREIGN));
  ok(strew_to(foreign, device, STREW_INT64, &carried, &failure));
  ok(strew_binary(STREW_ADD, strew_of(vector), strew_of(carried), &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){5, 7, 6}, "copied");
  ok(strew_copy(vector, foreign, &failure));
  strew_release(carried), strew_release(out), strew_release(foreign), strew_release(vector);
  strew_context_release(other);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("misuse");
  TCase *all = new_case(suite, "by a C host");
  tcase_add_test(all, test_unknown_enumerators);
  tcase_add_test(all, test_failing_group_leaves_arg_alone);
  tcase_add_test(all, test_an_error_serves_many_calls);
  tcase_add_test(all, test_what_may_be_null);
  tcase_add_test(all, test_operands_of_two_contexts);
  tcase_add_test(all, test_reserved_bytes);
  tcase_add_test(all, test_null_without_elements);
  tcase_add_test(all, test_null_options_and_words);
  if (!on_device()) tcase_add_test(all, test_unaligned_host_memory);
  return suite;
}
