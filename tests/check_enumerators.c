/* check_enumerators.c: unknown enumerators, numbers of unknown dtypes, negative counts and reserved bytes, in every
   call that takes them, fail with STREW_EARGUMENT. The last test reads the headers, so that a new function, or a new member
   of options, needs a row here. */
#include "testing.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static strew_tensor *floats, *matrix, *index, *bools, *two[2], *out, *second;
static strew_grouping *grouping;
static strew_key_table *table;

/* The names of functions and of "struct.member" that have been tried, with a blank around each: for the last test. */
static char tried[64 << 10] = " ";
static bool is_tried(const char *name) {
  char wanted[200];
  snprintf(wanted, sizeof wanted, " %s ", name);
  return strstr(tried, wanted) != NULL;
}
static void note(const char *name) {
  if (!is_tried(name)) strcat(strcat(tried, name), " ");
}

static void start(void) {
  floats = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3});
  ok(strew_unsqueeze(floats, 0, &matrix, &failure));
  index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 1, 2}); /* sorted, for segments */
  bools = tensor_from_integers(STREW_BOOL, 3, (int64_t[]){1, 0, 1});
  two[0] = two[1] = floats;
  out = second = NULL;
  ok(strew_grouping_create_with(index, NULL, &grouping, &failure));
  ok(strew_key_table_create(context, 1, &table, &failure));
}

static void end(void) {
  ck_assert(!out && !second);
  strew_key_table_release(table), strew_grouping_release(grouping);
  strew_release(floats), strew_release(matrix), strew_release(index), strew_release(bools);
}

/* The call fails, and names the argument. */
static void check(const char *function, const char *argument, strew_status status, int bad) {
  note(function);
  ck_assert_msg(status == STREW_EARGUMENT, "%s with %s = %d gives %s: %s", function, argument, bad,
                strew_enum_name(STREW_WORDS_STATUS, status), failure.message);
  ck_assert_msg(failure.argument && !strcmp(failure.argument, argument), "%s with %s = %d names %s: %s", function,
                argument, bad, failure.argument, failure.message);
}
#define REFUSES(argument, function, ...)                                                                               \
  clear_failure();                                                                                                     \
  check(#function, argument, function(__VA_ARGS__, &failure), bad)
/* A member of options, given by name for the last test. */
#define REFUSES_MEMBER(member, argument, function, ...)                                                                \
  note(member);                                                                                                        \
  REFUSES(argument, function, __VA_ARGS__)

/* For each unknown value of an enumeration of `count` values. */
#define EACH(count)                                                                                                    \
  for (int bads[] = {-1, (int)(count), (int)(count) + 1, 99, INT_MAX, INT_MIN}, at = 0, bad = bads[0]; at < 6;         \
       bad = bads[++at % 6])

/* ---------------------------------------------------------------------------------------------------- enumerators */

static void dtypes(void) {
  start();
  const int64_t size = 3;
  int64_t element;
  static float memory[3];
  EACH(STREW_DTYPE_END) {
    const strew_dtype dtype = (strew_dtype)bad;
    REFUSES("dtype", strew_empty, device, dtype, 1, &size, &out);
    REFUSES("dtype", strew_full, device, dtype, 1, &size, strew_int(1), &out);
    REFUSES("dtype", strew_from, device, dtype, 1, &size, memory, &out);
    REFUSES("dtype", strew_arange, device, dtype, strew_int(0), strew_int(3), strew_int(1), &out);
    REFUSES("dtype", strew_linspace, device, dtype, 0, 1, 3, &out);
    REFUSES("dtype", strew_eye, device, dtype, 3, 3, &out);
    REFUSES("dtype", strew_rand, device, dtype, 1, &size, &out);
    REFUSES("dtype", strew_randn, device, dtype, 1, &size, &out);
    REFUSES("dtype", strew_randint, device, dtype, 0, 3, 1, &size, &out);
    REFUSES("dtype", strew_randperm, device, dtype, 3, &out);
    REFUSES("dtype", strew_to, floats, device, dtype, &out);
    REFUSES("dtype", strew_view_as, floats, dtype, &out);
    REFUSES("dtype", strew_wrap, device, dtype, 1, &size, NULL, memory, sizeof memory, NULL, NULL, &out);
    REFUSES("dtype", strew_wrap_const, device, dtype, 1, &size, NULL, memory, sizeof memory, NULL, NULL, &out);
    REFUSES("dtype", strew_map, device, "/dev/null", dtype, 1, &size, NULL, &out);
    REFUSES("dtype", strew_scalar_store, strew_int(1), STREW_EXACT, dtype, &element);
    strew_dtype promoted = STREW_INT8;
    REFUSES("dtypes", strew_result_type, 1, &dtype, 0, NULL, &promoted);
    ck_assert_int_eq(promoted, STREW_INT8);
    note("strew_scalar_load"), note("strew_dtype_name"), note("strew_dtype_size_bytes");
    ck_assert_int_eq(strew_scalar_load(dtype, memory).as.i, 0);
    char text[STREW_SCALAR_BYTES];
    note("strew_scalar_text");
    ck_assert_str_eq(strew_scalar_text(strew_int(3), dtype, text), "3");
    ck_assert(!strew_dtype_name(dtype) && !strew_dtype_size_bytes(dtype));
  }
  end();
}

static void operations(void) {
  start();
  int64_t element;
  EACH(STREW_UNARY_COUNT) { REFUSES("op", strew_unary, (strew_unary_op)bad, floats, &out); }
  EACH(STREW_BINARY_COUNT) {
    REFUSES("op", strew_binary, (strew_binary_op)bad, strew_of(floats), strew_of(floats), &out);
  }
  EACH(STREW_FOLD_COUNT) { REFUSES("fold", strew_reduce_with, (strew_fold)bad, floats, NULL, &out); }
  EACH(STREW_PRODUCT_COUNT) { REFUSES("kind", strew_matmul, (strew_product)bad, floats, floats, &out); }
  EACH(STREW_KEYS_FIRST + 1) {
    strew_grouping *made = NULL;
    REFUSES_MEMBER("strew_group_by_options.order", "order", strew_group_by_with, 1, &index,
                   &(strew_group_by_options){.order = (strew_key_order)bad}, &made);
  }
  EACH(STREW_SATURATE + 1) {
    REFUSES("how", strew_scalar_store, strew_int(1), (strew_conversion)bad, STREW_INT64, &element);
  }
  EACH(STREW_INTERPOLATION_COUNT) {
    const strew_interpolation interpolation = (strew_interpolation)bad;
    REFUSES_MEMBER("strew_quantile_options.interpolation", "interpolation", strew_quantile_with, floats,
                   strew_number(strew_float(0.5)), &(strew_quantile_options){.interpolation = interpolation}, &out);
    const strew_group_reduce_options options = {.interpolation = interpolation};
    note("strew_group_reduce_options.interpolation");
    REFUSES("interpolation", strew_group_reduce, strew_by_index(index), STREW_GROUP_QUANTILE, floats, &options, &out,
            NULL);
  }
  EACH(STREW_COLORMAP_COUNT) {
    strew_image_options options = {.colormap = (strew_colormap)bad};
    REFUSES_MEMBER("strew_image_options.colormap", "colormap", strew_image, matrix, &options, &out);
  }
  EACH(STREW_REDUCTION_COUNT) {
    note("strew_error_set");
    ck_assert(strew_error_set(&failure, (strew_status)bad, NULL, "fails") == (strew_status)bad);
    ck_assert(bad == STREW_REDUCTION_COUNT || bad == STREW_REDUCTION_COUNT + 1 ||
              !strew_enum_name(STREW_WORDS_STATUS, (strew_status)bad));
  }
  end();
}

/* An unknown enumeration, and unknown values of each; the counts are in check_contract.c. */
static void words(void) {
  start();
  int value;
  EACH(STREW_WORDS_COUNT) {
    note("strew_enum_name");
    ck_assert(!strew_enum_name((strew_words)bad, 0));
    REFUSES("of", strew_enum_from_word, (strew_words)bad, "sum", &value);
  }
  ck_assert(!strew_enum_name(STREW_WORDS_REDUCTION, -1));
  for (int of = 0; of < STREW_WORDS_COUNT; of++)
    ck_assert(!strew_enum_name((strew_words)of, INT_MAX) && !strew_enum_name((strew_words)of, INT_MIN));
  end();
}

/* The calls that take options of an index, given to each function that has them. */
static void refuse_index_options(const char *argument, const strew_index_options *options, int bad) {
  const strew_operand one = strew_number(strew_int(1));
  strew_tensor *column = NULL;
  ok(strew_unsqueeze(index, 1, &column, &failure));
  REFUSES(argument, strew_gather_with, floats, 0, index, options, &out);
  REFUSES(argument, strew_index_select_with, floats, 0, index, options, &out);
  REFUSES(argument, strew_index_add_with, floats, 0, index, floats, strew_int(1), options, &out);
  REFUSES(argument, strew_index_fill_with, floats, 0, index, one, options, &out);
  REFUSES(argument, strew_take_along_dim_with, floats, 0, index, options, &out);
  REFUSES(argument, strew_index_get, floats, 1, &index, options, &out);
  REFUSES(argument, strew_take_with, floats, index, options, &out);
  REFUSES(argument, strew_gather_nd_with, floats, column, 0, options, &out);
  strew_release(column);
}

static void refuse_segments(const char *argument, strew_group_reduction reduction, int bad) {
  strew_tensor *starts = NULL;
  ok(strew_grouping_starts(grouping, &starts, &failure));
  REFUSES(argument, strew_group_reduce, strew_by_ends(starts), reduction, floats, NULL, &out, NULL);
  REFUSES(argument, strew_segment_reduce_with, floats, NULL, starts, 0, reduction, NULL, NULL, &out);
  REFUSES(argument, strew_group_reduce, strew_by_sorted(index), reduction, floats, NULL, &out, NULL);
  strew_release(starts);
}

/* The calls that take options of scatter, given to each function that has them. */
static void refuse_scatter_options(const char *argument, const strew_scatter_options *options, int bad) {
  const strew_operand source = strew_of(floats);
  REFUSES(argument, strew_scatter, floats, 0, index, source, options, &out);
  REFUSES(argument, strew_index_reduce, floats, 0, index, floats, options, &out);
  REFUSES(argument, strew_index_put, floats, 1, &index, source, options, &out);
  REFUSES(argument, strew_put, floats, index, floats, options, &out);
  strew_tensor *column = NULL;
  ok(strew_unsqueeze(index, 1, &column, &failure));
  REFUSES(argument, strew_scatter_nd, floats, column, floats, options, &out);
  REFUSES(argument, strew_scatter_nd_new, 1, (int64_t[]){3}, column, floats, options, &out);
  strew_release(column);
}

/* The same for strew_group_reduce, by an index and by a grouping. */
static void refuse_reduce_options(const char *argument, strew_group_reduction reduction,
                                  const strew_group_reduce_options *options, int bad) {
  REFUSES(argument, strew_group_reduce, strew_by_index(index), reduction, floats, options, &out, NULL);
  REFUSES(argument, strew_group_reduce, strew_by_grouping(grouping), reduction, floats, options, &out, NULL);
  const strew_group_aggregate aggregates[] = {
      {floats, STREW_GROUP_SUM, {0}}, {floats, reduction, options ? *options : (strew_group_reduce_options){0}}};
  strew_tensor *results[2] = {NULL, NULL};
  note("strew_group_aggregate.reduction"), note("strew_group_aggregate.options");
  REFUSES(argument, strew_grouping_aggregate_with, grouping, 2, aggregates, results);
  ck_assert(!results[0] && !results[1]);
}

static void refuse_softmax_options(const char *argument, const strew_group_softmax_options *options, int bad) {
  REFUSES(argument, strew_group_softmax_with, strew_by_index(index), floats, options, &out);
  REFUSES(argument, strew_group_softmax_with, strew_by_grouping(grouping), floats, options, &out);
}

static strew_exact_sums *exact_sums_of(int64_t n) {
  strew_exact_sums *sums = NULL;
  ok(strew_exact_sums_create(device, n, NULL, &sums, &failure));
  return sums;
}

static void reductions(void) {
  start();
  strew_exact_sums *sums = exact_sums_of(3);
  EACH(STREW_GROUP_REDUCTION_COUNT) {
    refuse_reduce_options("reduction", (strew_group_reduction)bad, NULL, bad);
    refuse_segments("reduction", (strew_group_reduction)bad, bad);
    REFUSES("reduction", strew_exact_sums_result, sums, (strew_group_reduction)bad, NULL, &out);
  }
  EACH(STREW_REDUCTION_COUNT) {
    const strew_reduction reduction = (strew_reduction)bad;
    const strew_scatter_options scattering = {.reduction = reduction};
    note("strew_scatter_options.reduction");
    refuse_scatter_options("reduce", &scattering, bad);
  }
  strew_exact_sums_release(sums);
  end();
}

static void modes(void) {
  start();
  strew_tensor *column = NULL;
  strew_exact_sums *sums = exact_sums_of(3);
  ok(strew_unsqueeze(index, 1, &column, &failure));
  EACH(STREW_MODE_COUNT) {
    const strew_mode mode = (strew_mode)bad;
    const strew_scatter_options scattering = {.reduction = STREW_SUM, .mode = mode};
    strew_grouping *made = NULL;
    note("strew_scatter_options.mode");
    refuse_scatter_options("mode", &scattering, bad);
    const strew_group_reduce_options reducing = {.mode = mode};
    note("strew_group_reduce_options.mode");
    refuse_reduce_options("mode", STREW_GROUP_NUNIQUE, &reducing, bad);
    REFUSES("mode", strew_group_ids, strew_by_index(index), floats, &reducing, &out);
    note("strew_group_softmax_options.mode");
    refuse_softmax_options("mode", &(strew_group_softmax_options){.mode = mode}, bad);
    note("strew_index_options.mode");
    refuse_index_options("mode", &(strew_index_options){.mode = mode}, bad);
    REFUSES_MEMBER("strew_grouping_options.mode", "mode", strew_grouping_create_with, index,
                   &(strew_grouping_options){.mode = mode}, &made);
    REFUSES_MEMBER("strew_exact_sums_add_options.mode", "mode", strew_exact_sums_add, sums, floats,
                   strew_by_index(index), &(strew_exact_sums_add_options){.mode = mode});
  }
  strew_exact_sums_release(sums);
  strew_release(column);
  end();
}

/* -------------------------------------------------------------------------------------------------------- numbers */

/* All dtypes but the three of strew_scalar are unknown, whether they are enumerators or not. */
static const int no_numbers[] = {-1,          STREW_FLOAT32, STREW_INT32,    STREW_INT16,     STREW_INT8,
                                 STREW_UINT8, STREW_FLOAT16, STREW_BFLOAT16, STREW_DTYPE_END, 99,
                                 INT_MAX,     INT_MIN};

static void refuse_number(strew_scalar number, int bad) {
  const int64_t size = 3, none = 0;
  const strew_operand operand = strew_number(number), tensor = strew_of(floats);
  int64_t element;
  strew_tensor *empty = NULL;
  ok(strew_empty(device, STREW_FLOAT32, 1, &none, &empty, &failure));
  REFUSES("value", strew_scalar_store, number, STREW_SATURATE, STREW_INT64, &element);
  REFUSES("value", strew_full, device, STREW_FLOAT32, 1, &size, number, &out);
  REFUSES("value", strew_full, device, STREW_FLOAT32, 1, &none, number, &out);
  REFUSES("value", strew_fill, floats, number);
  REFUSES("value", strew_set, floats, 1, &none, number);
  strew_dtype promoted;
  REFUSES("numbers", strew_result_type, 0, NULL, 1, &number, &promoted);
  REFUSES("start", strew_arange, device, STREW_INT64, number, strew_int(3), strew_int(1), &out);
  REFUSES("stop", strew_arange, device, STREW_INT64, strew_int(0), number, strew_int(1), &out);
  REFUSES("step", strew_arange, device, STREW_INT64, strew_int(0), strew_int(3), number, &out);
  for (int op = 0; op < STREW_BINARY_COUNT; op++) {
    const bool integers = op >= STREW_BITWISE_LEFT_SHIFT && op <= STREW_LCM;
    strew_tensor *numbers =
        integers || op == STREW_BITWISE_AND || op == STREW_BITWISE_OR || op == STREW_BITWISE_XOR ? index : floats;
    REFUSES("other", strew_binary, (strew_binary_op)op, strew_of(numbers), operand, &out);
    REFUSES("self", strew_binary, (strew_binary_op)op, operand, strew_of(numbers), &out);
    REFUSES("other", strew_binary, (strew_binary_op)op, strew_of(bools), operand, &out);
    REFUSES("other", strew_binary, (strew_binary_op)op, strew_of(empty), operand, &out);
  }
  REFUSES("a", strew_where, bools, operand, tensor, &out);
  REFUSES("b", strew_where, bools, tensor, operand, &out);
  REFUSES("a", strew_where, bools, operand, operand, &out);
  REFUSES("value", strew_masked_fill, floats, bools, operand, &out);
  REFUSES("min", strew_clamp_with, floats, operand, strew_no_operand(), &out);
  REFUSES("max", strew_clamp_with, floats, strew_no_operand(), operand, &out);
  REFUSES("q", strew_quantile_with, floats, operand, NULL, &out);
  REFUSES("values", strew_searchsorted_with, floats, operand, NULL, &out);
  REFUSES("values", strew_bucketize_with, operand, floats, NULL, &out);
  REFUSES("src", strew_scatter, floats, 0, index, operand, NULL, &out);
  REFUSES("alpha", strew_index_add_with, index, 0, index, index, number, NULL, &out);
  REFUSES("value", strew_index_fill_with, floats, 0, index, operand, NULL, &out);
  REFUSES("values", strew_index_put, floats, 1, &index, operand, NULL, &out);
  REFUSES("value", strew_set_rows, floats, index, operand);
  REFUSES("value", strew_set_row, floats, 0, operand);
  REFUSES("repeats", strew_repeat_interleave, floats, operand, 0, &out);
  REFUSES("fill", strew_grouping_shift, grouping, floats, 1, number, &out);
  const strew_group_reduce_options reducing = {.fill = &number};
  note("strew_group_reduce_options.fill");
  for (int what = STREW_GROUP_SUM; what < STREW_GROUP_REDUCTION_COUNT; what++)
    refuse_reduce_options("fill", (strew_group_reduction)what, &reducing, bad);
  REFUSES("initial", strew_segment_reduce_with, floats, NULL, index, 0, STREW_GROUP_SUM, &number, NULL, &out);
  strew_release(empty);
}

static void numbers(void) {
  start();
  for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
    const int bad = no_numbers[i];
    refuse_number((strew_scalar){.dtype = (strew_dtype)bad, .as.i = 1}, bad);
    refuse_number((strew_scalar){.dtype = (strew_dtype)bad, .as.i = -1}, bad);
  }
  assert_elements(floats, STREW_FLOAT32, (float[]){1, 2, 3}, "unchanged");
  end();
}

static void dtypes_of_sums(void) {
  start();
  EACH(STREW_DTYPE_END) {
    const strew_dtype dtype = (strew_dtype)bad;
    note("strew_group_reduce_options.dtype");
    const strew_group_reduce_options reducing = {.dtype = &dtype};
    refuse_reduce_options("dtype", STREW_GROUP_SUM, &reducing, bad);
    refuse_reduce_options("dtype", STREW_GROUP_VAR, &reducing, bad);
    strew_exact_sums *sums = NULL, *some = exact_sums_of(3);
    REFUSES_MEMBER("strew_exact_sums_options.dtype", "dtype", strew_exact_sums_create, device, 3,
                   &(strew_exact_sums_options){.dtype = &dtype}, &sums);
    REFUSES_MEMBER("strew_exact_sums_result_options.dtype", "dtype", strew_exact_sums_result, some, STREW_GROUP_SUM,
                   &(strew_exact_sums_result_options){.dtype = &dtype}, &out);
    strew_exact_sums_release(some);
  }
  end();
}

/* ------------------------------------------------------------------------------------- files: options and counts */

#define FOLDER "/dev/null"
static void refuse_load_options(const char *argument, const strew_load_options *options, int bad) {
  const strew_reader_options reading = {.load = options};
  strew_table *loaded = NULL;
  strew_reader *reader = NULL;
  REFUSES(argument, strew_load, device, FOLDER "/x.csv", options, &out, &loaded);
  REFUSES_MEMBER("strew_reader_options.load", argument, strew_reader_open, device, FOLDER "/x.csv", &reading, &reader);
  ck_assert(!loaded && !reader);
}

static void refuse_save_options(const char *argument, const strew_save_options *options, int bad) {
  strew_table *empty = NULL;
  ok(strew_table_create(strew_device_context(device), &empty, &failure));
  REFUSES(argument, strew_save, floats, FOLDER "/x.csv", options);
  REFUSES(argument, strew_save_table, empty, FOLDER "/x.csv", options);
  strew_table_release(empty);
}

static void files(void) {
  start();
  EACH(STREW_HEADER_YES + 1) {
    refuse_load_options("header", &(strew_load_options){.header = (strew_header)bad}, bad);
    refuse_save_options("header", &(strew_save_options){.header = (strew_header)bad}, bad);
    note("strew_load_options.header"), note("strew_save_options.header");
  }
  EACH(STREW_DTYPE_END) {
    refuse_load_options("dtype", &(strew_load_options){.dtype = &(strew_dtype){(strew_dtype)bad}}, bad);
    note("strew_load_options.dtype");
  }
  end();
}

static void counts(void) {
  start();
  static const int negative[] = {-1, -99, INT_MIN};
  for (int i = 0; i < 3; i++) {
    const int bad = negative[i];
    const char *name = "x";
    strew_grouping *made = NULL;
    strew_key_table *keys = NULL;
    refuse_load_options("text", &(strew_load_options){.text_count = bad, .text = &name}, bad);
    refuse_load_options("dates", &(strew_load_options){.date_count = bad, .dates = &name}, bad);
    refuse_load_options("columns", &(strew_load_options){.column_count = bad, .columns = &name}, bad);
    note("strew_load_options.text_count"), note("strew_load_options.date_count");
    refuse_load_options("names", &(strew_load_options){.csv = &(strew_csv_options){.name_count = bad}}, bad);
    refuse_load_options("missing", &(strew_load_options){.csv = &(strew_csv_options){.missing_count = bad}}, bad);
    note("strew_load_options.column_count"), note("strew_csv_options.name_count");
    refuse_load_options("rows", &(strew_load_options){.csv = &(strew_csv_options){.rows = bad}}, bad);
    note("strew_csv_options.missing_count"), note("strew_csv_options.rows");
    const strew_csv_lists numbers = {.missing_count = bad}, rules = {.rule_count = bad};
    refuse_load_options("missing", &(strew_load_options){.csv = &(strew_csv_options){.lists = &numbers}}, bad);
    refuse_load_options("unit", &(strew_load_options){.csv = &(strew_csv_options){.lists = &rules}}, bad);
    note("strew_csv_lists.missing_count"), note("strew_csv_lists.rule_count");
    REFUSES_MEMBER("strew_reduce_options.dim_count", "dim_count", strew_reduce_with, STREW_FOLD_SUM, floats,
                   &(strew_reduce_options){.dim_count = bad}, &out);
    strew_dtype promoted;
    REFUSES("dtypes", strew_result_type, bad, NULL, 1, &(strew_scalar){STREW_INT64, {1}}, &promoted);
    REFUSES("numbers", strew_result_type, 1, &(strew_dtype){STREW_INT8}, bad, NULL, &promoted);
    REFUSES("tensors", strew_cat, bad, two, 0, &out);
    REFUSES("tensors", strew_stack, bad, two, 0, &out);
    REFUSES("texts", strew_text_align, bad, two, false, &out);
    REFUSES("words", strew_text, index, bad < 0 ? bad : -1, NULL, NULL, false, &out);
    REFUSES("indices", strew_index_put, floats, bad, &index, strew_of(floats), NULL, &out);
    REFUSES("indices", strew_index_get, floats, bad, &index, NULL, &out);
    const int64_t three = 3;
    REFUSES("dim_count", strew_flip, floats, bad, NULL, &out);
    REFUSES("dim_count", strew_squeeze, floats, bad, NULL, &out);
    REFUSES("shifts", strew_roll, floats, bad, &three, &three, &out);
    REFUSES("repeats", strew_repeat, floats, bad, &three, &out);
    REFUSES("count", strew_split, floats, 0, bad, &three, &out);
    REFUSES("count", strew_histogram, bad, &floats, &floats, NULL, &out, NULL);
    REFUSES("keys", strew_group_by_with, bad, &index, NULL, &made);
    REFUSES("n", strew_key_table_create, context, bad, &keys);
    REFUSES("threads", strew_context_set_threads, context, bad);
    ck_assert(!made && !keys);
  }
  const int bad = 1; /* a list that is missing */
  REFUSES("dim_count", strew_reduce_with, STREW_FOLD_SUM, floats, &(strew_reduce_options){.dim_count = bad}, &out);
  end();
}

/* ----------------------------------------------------------------------------------------------------- expressions */

static void expressions(void) {
  start();
  strew_expr *expr = NULL;
  strew_combination *combination = NULL;
  const strew_operand x = strew_of(floats);
  const strew_expr_values values = {.inputs = &x};
  const strew_accumulator sum = {.name = "acc", .init = strew_float(0), .combine = "acc + x"};
  ok(strew_expr_parse(context, "x", 1, &expr, &failure));
  ok(strew_combination_create(context, 1, &sum, NULL, &combination, &failure));
  note("strew_expr_type"); /* its dtype is a result */
  EACH(STREW_FOLD_COUNT) { REFUSES("fold", strew_expr_reduce, expr, &values, (strew_fold)bad, NULL, &out); }
  EACH(STREW_DTYPE_END) {
    strew_combination *made = NULL;
    strew_accumulator wrong = sum;
    wrong.dtype = &(strew_dtype){(strew_dtype)bad};
    REFUSES("dtype", strew_combination_create, context, 1, &wrong, NULL, &made);
  }
  for (int bad = -1; bad > -4; bad--) {
    strew_combination *made = NULL;
    REFUSES("count", strew_combination_create, context, bad, &sum, NULL, &made);
  }
  for (int bad = 0; bad < 4; bad++) {
    strew_expr_values given = values;
    strew_accumulator wrong = sum;
    strew_combine_options options = {.partial = false};
    strew_combination *made = NULL;
    given.reserved[bad % 3] = wrong.reserved[bad] = options.reserved[bad] = 1;
    REFUSES("options", strew_expr_evaluate, expr, &given, &out);
    REFUSES("options", strew_combination_create, context, 1, &wrong, NULL, &made);
    REFUSES_MEMBER("strew_combine_options.reserved", "options", strew_combine, combination, floats, &options, &out);
  }
  strew_combination_release(combination);
  strew_expr_release(expr);
  end();
}

/* -------------------------------------------------------------------------------------------------------- reserved */

/* Word `bad` of each form with options. */
static void refuse_reserved_of_forms(int bad, uint64_t bit) {
  const strew_operand half = strew_number(strew_float(0.5));
  strew_index_options indexing = {.mode = STREW_ERROR};
  strew_group_reduce_options segments = {.q = 0};
  strew_isclose_options closeness = {.equal_nan = false};
  strew_reduce_options reducing = {.dim_count = 0};
  strew_sort_options sorting = {.descending = false};
  strew_topk_options choosing = {.smallest = false};
  strew_softmax_options softening = {.logarithm = false};
  strew_cumsum_options running = {.exact = false};
  strew_linalg_options factoring = {.upper = false};
  strew_quantile_options ranking = {.keepdim = false};
  strew_searchsorted_options searching = {.right = false};
  indexing.reserved[bad] = segments.reserved[bad] = closeness.reserved[bad] = reducing.reserved[bad] =
      sorting.reserved[bad] = choosing.reserved[bad] = softening.reserved[bad] = ranking.reserved[bad] =
          searching.reserved[bad] = factoring.reserved[bad] = running.reserved[bad] = bit;
  note("strew_index_options.reserved");
  refuse_index_options("options", &indexing, bad);
  strew_isin_options among = {.invert = true};
  among.reserved[bad] = bit;
  REFUSES_MEMBER("strew_isin_options.reserved", "options", strew_isin, floats, floats, &among, &out);
  REFUSES("options", strew_segment_reduce_with, floats, index, NULL, 0, STREW_GROUP_SUM, NULL, &segments, &out);
  REFUSES("options", strew_group_reduce, strew_by_ends(index), STREW_GROUP_SUM, floats, &segments, &out, NULL);
  REFUSES_MEMBER("strew_isclose_options.reserved", "options", strew_isclose_with, floats, floats, 0, 0, &closeness,
                 &out);
  REFUSES_MEMBER("strew_reduce_options.reserved", "options", strew_reduce_with, STREW_FOLD_SUM, floats, &reducing,
                 &out);
  REFUSES_MEMBER("strew_sort_options.reserved", "options", strew_sort_with, floats, 0, &sorting, &out, &second);
  REFUSES_MEMBER("strew_topk_options.reserved", "options", strew_topk_with, floats, 1, 0, &choosing, &out, &second);
  REFUSES_MEMBER("strew_softmax_options.reserved", "options", strew_softmax_with, floats, 0, &softening, &out);
  REFUSES_MEMBER("strew_cumsum_options.reserved", "options", strew_cumsum_with, floats, 0, &running, &out);
  REFUSES_MEMBER("strew_quantile_options.reserved", "options", strew_quantile_with, floats, half, &ranking, &out);
  REFUSES_MEMBER("strew_searchsorted_options.reserved", "options", strew_searchsorted_with, floats, half, &searching,
                 &out);
  REFUSES("options", strew_bucketize_with, half, floats, &searching, &out);
  REFUSES_MEMBER("strew_linalg_options.reserved", "options", strew_cholesky, matrix, &factoring, &out);
  REFUSES("options", strew_qr, matrix, &factoring, &out, &second);
  REFUSES("options", strew_eigh, matrix, &factoring, &out, &second);
  REFUSES("options", strew_svd, matrix, &factoring, &out, &second, NULL);
  strew_grouping_options ids = {.mode = STREW_ERROR};
  strew_group_by_options keys = {.order = STREW_KEYS_SORTED};
  strew_grouping *made = NULL;
  ids.reserved[bad] = keys.reserved[bad] = bit;
  REFUSES_MEMBER("strew_grouping_options.reserved", "options", strew_grouping_create_with, index, &ids, &made);
  REFUSES_MEMBER("strew_group_by_options.reserved", "options", strew_group_by_with, 1, &index, &keys, &made);
  REFUSES("options", strew_grouping_argsort_with, grouping, floats, &sorting, &out);
  REFUSES("options", strew_grouping_rank, grouping, floats, &sorting, &out);
  REFUSES("options", strew_grouping_topk_with, grouping, floats, 1, &choosing, &out, &second);
  ck_assert_ptr_null(made);
}

static void reserved(void) {
  start();
  for (int bad = 0; bad < 8; bad++) { /* the number of the word; structs have 1 to 8 */
    const uint64_t bit = (uint64_t)1 << (bad * 9 % 64);
    strew_context *other = NULL;
    strew_options options = {.threads = 1};
    options.reserved[bad] = bit;
    REFUSES_MEMBER("strew_options.reserved", "options", strew_context_create, &options, &other);
    ck_assert_ptr_null(other);
    if (bad < 7) {
      strew_group_reduce_options reducing = {.q = 0};
      reducing.reserved[bad] = bit;
      note("strew_group_reduce_options.reserved");
      refuse_reduce_options("options", STREW_GROUP_MEDIAN, &reducing, bad);
      REFUSES("options", strew_group_ids, strew_by_index(index), floats, &reducing, &out);
    }
    if (bad < 1) {
      strew_csv_options lines = {.skip = 1};
      strew_csv_rule rule = {.column = "1"};
      lines.reserved[bad] = bit;
      note("strew_csv_options.reserved"), note("strew_csv_rule.reserved");
      refuse_load_options("options", &(strew_load_options){.csv = &lines}, bad);
      rule.reserved[bad] = bit, lines.reserved[bad] = 0;
      lines.lists = &(strew_csv_lists){.rule_count = 1, .rules = &rule};
      refuse_load_options("options", &(strew_load_options){.csv = &lines}, bad);
    }
    if (bad >= 4) continue;
    strew_scatter_options scattering = {.reduction = STREW_SUM};
    strew_group_softmax_options softening = {.logarithm = true};
    softening.reserved[bad] = bit;
    note("strew_group_softmax_options.reserved");
    refuse_softmax_options("options", &softening, bad);
    strew_csv_lists lists = {.rule_count = 0};
    lists.reserved[bad] = bit;
    note("strew_csv_lists.reserved");
    refuse_load_options("options", &(strew_load_options){.csv = &(strew_csv_options){.lists = &lists}}, bad);
    strew_save_options saving = {.compress = false};
    strew_image_options painting = {.scale = 1};
    strew_reader_options reading = {.rows = 1};
    strew_reader *reader = NULL;
    scattering.reserved[bad] = painting.reserved[bad] = reading.reserved[bad] = bit;
    if (bad < 2) saving.reserved[bad] = bit;
    note("strew_scatter_options.reserved");
    refuse_reserved_of_forms(bad, bit);
    note("strew_save_options.reserved"), note("strew_load_options.reserved");
    refuse_scatter_options("options", &scattering, bad);
    if (bad < 2) refuse_save_options("options", &saving, bad);
    REFUSES_MEMBER("strew_image_options.reserved", "options", strew_image, matrix, &painting, &out);
    REFUSES_MEMBER("strew_reader_options.reserved", "options", strew_reader_open, device, FOLDER "/x.csv", &reading,
                   &reader);
    strew_range_options ranging = {.window = 1};
    strew_exact_sums_options summing = {.squares = false};
    strew_exact_sums_add_options adding = {.skip_nan = false};
    strew_exact_sums_result_options resulting = {.dtype = NULL};
    strew_exact_sums *sums = NULL, *some = exact_sums_of(3);
    ranging.reserved[bad] = summing.reserved[bad] = adding.reserved[bad] = resulting.reserved[bad] = bit;
    REFUSES_MEMBER("strew_range_options.reserved", "options", strew_sum_ranges, floats, NULL, NULL, &ranging, &out);
    REFUSES_MEMBER("strew_exact_sums_options.reserved", "options", strew_exact_sums_create, device, 3, &summing, &sums);
    REFUSES_MEMBER("strew_exact_sums_add_options.reserved", "options", strew_exact_sums_add, some, floats,
                   strew_by_index(index), &adding);
    REFUSES_MEMBER("strew_exact_sums_result_options.reserved", "options", strew_exact_sums_result, some,
                   STREW_GROUP_SUM, &resulting, &out);
    strew_exact_sums_release(some);
    strew_map_options mapping = {.offset = 0};
    const int64_t one = 1;
    mapping.reserved[bad] = bit;
    REFUSES_MEMBER("strew_map_options.reserved", "options", strew_map, device, "/x", STREW_UINT8, 1, &one, &mapping,
                   &out);
    strew_dlpack_options sharing = {.unversioned = true};
    void *managed = NULL;
    sharing.reserved[bad] = bit;
    REFUSES_MEMBER("strew_dlpack_options.reserved", "options", strew_to_dlpack, floats, &sharing, &managed);
    ck_assert_ptr_null(managed);
    if (bad >= 1) continue;
    strew_load_options loading = {.map = false};
    loading.reserved[bad] = bit;
    refuse_load_options("options", &loading, bad);
  }
  end();
}

/* ------------------------------------------------------------------------------------------------------ the header */

/* Types that a caller may fill with what this file tries. */
static bool is_checked_type(const char *text) {
  static const char *const types[] = {"strew_dtype",
                                      "strew_reduction",
                                      "strew_mode",
                                      "strew_interpolation",
                                      "strew_status",
                                      "strew_conversion",
                                      "strew_unary_op",
                                      "strew_binary_op",
                                      "strew_fold",
                                      "strew_product",
                                      "strew_key_order",
                                      "strew_header",
                                      "strew_colormap",
                                      "strew_scalar",
                                      "strew_operand",
                                      "strew_options",
                                      "strew_scatter_options",
                                      "strew_group_reduction",
                                      "strew_group_reduce_options",
                                      "strew_group_softmax_options",
                                      "strew_group_aggregate",
                                      "strew_index_options",
                                      "strew_isclose_options",
                                      "strew_reduce_options",
                                      "strew_sort_options",
                                      "strew_topk_options",
                                      "strew_softmax_options",
                                      "strew_cumsum_options",
                                      "strew_linalg_options",
                                      "strew_quantile_options",
                                      "strew_searchsorted_options",
                                      "strew_isin_options",
                                      "strew_grouping_options",
                                      "strew_group_by_options",
                                      "strew_load_options",
                                      "strew_save_options",
                                      "strew_reader_options",
                                      "strew_image_options",
                                      "int count",
                                      "int64_t count",
                                      "int columns"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const size_t length = strlen(types[i]);
    if (!strncmp(text, types[i], length) && !isalnum((unsigned char)text[length]) && text[length] != '_') return true;
  }
  return false;
}

/* Skips blanks and "const". */
static const char *skip(const char *text) {
  text += strspn(text, " \n");
  return strncmp(text, "const ", 6) ? text : text + 6;
}

/* True if a parameter, other than a result, is of a checked type. */
static bool takes_checked(char *parameters) {
  for (char *one = strtok(parameters, ","); one; one = strtok(NULL, ","))
    if (is_checked_type(skip(one)) && !strstr(one, "*out")) return true;
  return false;
}

/* Fails for a function that takes what is tried here, and is not. */
static void find_functions(const char *header) {
  for (const char *at = header; (at = strstr(at, "\nSTREW_API ")) != NULL;) {
    const char *open = strchr(at, '('), *name = open;
    char declaration[4096], word[64];
    while (name[-1] == '_' || isalnum((unsigned char)name[-1])) name--;
    snprintf(word, sizeof word, "%.*s", (int)(open - name), name);
    at = strchr(open, ';');
    snprintf(declaration, sizeof declaration, "%.*s", (int)(at - open - 1), open + 1);
    if (takes_checked(declaration)) ck_assert_msg(is_tried(word), "%s has no row here", word);
  }
}

/* Fails for a member of options without a row: an enumerator, a count or reserved bytes. `line` begins its
   declaration. */
static void find_member(const char *options, const char *line) {
  char type[64], word[64], member[160];
  if (sscanf(skip(line), "%60[a-z0-9_] %60[*a-z_]", type, word) != 2) return;
  const char *name = word + strspn(word, "*");
  if (!is_checked_type(skip(line)) && !strstr(name, "_count") && strcmp(name, "reserved") != 0) return;
  snprintf(member, sizeof member, "%s.%s", options, name);
  ck_assert_msg(is_tried(member), "%s has no row here", member);
}

static void find_members(const char *header) {
  for (const char *at = header; (at = strstr(at, "\ntypedef struct strew_")) != NULL;) {
    char name[64];
    at += strlen("\ntypedef struct ");
    if (sscanf(at, "%60[a-z_] {", name) != 1 || !strstr(name, "options")) continue;
    const char *end = strstr(at, "\n}");
    for (const char *line = strchr(at, '\n'); line < end; line = strchr(line + 1, '\n')) find_member(name, line + 1);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void (*const parts[])(void) = {dtypes,         operations, words,  reductions,  modes,   numbers,
                                      dtypes_of_sums, files,      counts, expressions, reserved};
enum { PART_COUNT = sizeof parts / sizeof *parts };

START_TEST(test_part) { parts[_i](); }
END_TEST

START_TEST(test_nothing_is_left_out) {
  static char header[256 << 10];
  static const char *const headers[] = {"runtime/strew_core.h", "runtime/strew.h"};
  size_t length = 0;
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(headers[i], "r");
    ck_assert_ptr_nonnull(file);
    length += fread(header + length, 1, sizeof header - 1 - length, file);
    fclose(file);
  }
  header[length] = '\0';
  for (int i = 0; i < PART_COUNT; i++) parts[i]();
  find_functions(header);
  find_members(header);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("enumerators");
  TCase *all = new_case(suite, "unknown");
  tcase_add_loop_test(all, test_part, 0, PART_COUNT);
  tcase_add_test(all, test_nothing_is_left_out);
  return suite;
}
