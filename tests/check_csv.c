/* check_csv.c: tables of columns in the C API, and failing allocations while text is read and written. The format
   itself: csv_spec.lua. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "trials.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void make_path(void) {
  strcpy(path, "/tmp/strew-check-XXXXXX.csv");
  int descriptor = mkstemps(path, 4);
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
}

static void remove_path(void) { unlink(path); }

static void put_text(const char *text) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

static void assert_text(const char *expected) {
  char is[4096];
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  is[fread(is, 1, sizeof is - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(is, expected);
}

static strew_status load(const strew_load_options *options, strew_table **out) {
  *out = NULL;
  return strew_load(device, path, options, NULL, out, &failure);
}

static const char *const no_words[] = {"a word that takes memory", "-"};
static const strew_csv_options with_missing = {.missing_count = 2, .missing = no_words};
static const strew_load_options with_header = {.header = STREW_HEADER_YES, .csv = &with_missing};

/* Many words, some with quotes, in columns of every kind; also as they are written. */
static const char *many_words(void) {
  static char text[3000];
  size_t length = (size_t)sprintf(text, "word,n,\"a \"\"b\"\"\",x\n");
  for (int i = 0; i < 60; i++)
    length +=
        (size_t)sprintf(text + length, "%c%d,%d,\"say \"\"%d\"\"\",%d.5\n", 'a' + i % 7, i % 50, i * 3 - 50, i % 41, i);
  return text;
}

START_TEST(test_table) {
  const int64_t last = 1;
  strew_table *table;
  strew_scalar code;
  const strew_tensor *text;
  size_t length;
  put_text(many_words());
  if (lacks(STREW_FLOAT64)) return;
  ok(load(&with_header, &table));
  ck_assert_int_eq(strew_table_count(table), 4);
  ck_assert(!strew_table_is_numbered(table));
  ck_assert_str_eq(strew_table_name(table, 2), "a \"b\"");
  ck_assert_ptr_eq(strew_table_find(table, "n"), strew_table_tensor(table, 1));
  for (int i = 0; i < 4; i++) {
    const strew_dtype dtypes[] = {STREW_TEXT, STREW_INT64, STREW_TEXT, STREW_FLOAT64};
    const int64_t words[] = {60, -1, 41, -1};
    ck_assert_int_eq(strew_tensor_dtype(strew_table_tensor(table, i)), dtypes[i]);
    ck_assert_int_eq(strew_word_count(strew_table_tensor(table, i)), words[i]);
  }
  text = strew_table_find(table, "a \"b\"");
  ck_assert_str_eq(strew_word(text, 40, &length), "say \"40\"");
  ck_assert_uint_eq(length, 8);
  ck_assert_int_eq(strew_word_code(text, "say \"1\"", 7), 1);
  ok(strew_get(text, 1, &last, &code, &failure));
  ck_assert_int_eq(code.dtype, STREW_TEXT);
  ck_assert_int_eq(code.as.i, 1);
  ok(strew_save_table(table, path, NULL, &failure));
  assert_text(many_words());
  strew_table_release(table);
}
END_TEST

START_TEST(test_words) {
  strew_table *table;
  strew_save_options options = {.separator = ';'};
  const char *const words[] = {"x;", ""};
  strew_tensor *codes = tensor_from_integers(STREW_INT16, 3, (int64_t[]){1, 0, 1}), *text;
  ok(strew_table_create(context, &table, &failure));
  ok(strew_table_add(table, NULL, codes, &failure));
  ck_assert(strew_table_is_numbered(table));
  ck_assert_str_eq(strew_table_name(table, 0), "1");
  ok(strew_save_table(table, path, NULL, &failure));
  assert_text("1\n0\n1\n");
  assert_fails(strew_text(codes, 1, words, NULL, false, &text, &failure), STREW_EINDEX, NULL);
  ok(strew_text(codes, 2, words, NULL, false, &text, &failure));
  ok(strew_table_add(table, "b", text, &failure));
  ck_assert(!strew_table_is_numbered(table));
  ok(strew_save_table(table, path, &options, &failure));
  assert_text("1;b\n1;\"\"\n0;\"x;\"\n1;\"\"\n");
  strew_release(codes), strew_release(text);
  strew_table_release(table);
}
END_TEST

/* The element of a column as float64. */
static double element_of(const strew_table *table, int64_t column, int64_t row) {
  strew_scalar element;
  ok(strew_get(strew_table_tensor(table, column), 1, &row, &element, &failure));
  return element.dtype == STREW_FLOAT64 ? element.as.f : (double)element.as.i;
}

START_TEST(test_commas_and_dates) {
  static const char *const dates[] = {"2"}, *const text[] = {"1", "2"};
  strew_load_options options = {
      .header = STREW_HEADER_NO, .separator = ';', .decimal = ',', .date_count = 1, .dates = dates};
  strew_table *table;
  if (lacks(STREW_FLOAT64)) return;
  put_text("0,1;1970-01-02\n12345678901234567890123,5e-30;1969-12-31T23:59:59Z\n");
  for (int turn = 0; turn < 2; turn++) { /* commas are back after the first */
    ok(load(&options, &table));
    ck_assert_double_eq(element_of(table, 0, 0), 0.1);
    ck_assert_double_eq(element_of(table, 0, 1), 12345678901234567890123.5e-30);
    ck_assert_int_eq(strew_tensor_dtype(strew_table_tensor(table, 1)), STREW_TIME);
    ck_assert_int_eq((int64_t)element_of(table, 1, 0), INT64_C(86400000000));
    ck_assert_int_eq((int64_t)element_of(table, 1, 1), -1000000);
    strew_table_release(table);
    strew_dtype single = STREW_FLOAT32;
    options.dtype = &single; /* numbers are converted twice, dates stay */
    ok(load(&options, &table));
    ck_assert_int_eq(strew_tensor_dtype(strew_table_tensor(table, 0)), STREW_FLOAT32);
    ck_assert_double_eq(element_of(table, 0, 1), (double)(float)12345678901234567890123.5e-30);
    ck_assert_int_eq(strew_tensor_dtype(strew_table_tensor(table, 1)), STREW_TIME);
    strew_table_release(table);
    options.dtype = NULL;
  }
  options.text = text, options.text_count = 2;
  assert_fails(load(&options, &table), STREW_EARGUMENT, "load: 'dates' has \"2\", which is in 'text', too");
  options = (strew_load_options){.header = STREW_HEADER_NO, .decimal = ','};
  assert_fails(load(&options, &table), STREW_EARGUMENT, NULL);
  options = (strew_load_options){.header = STREW_HEADER_NO, .separator = ';'};
  assert_fails(load(&options, &table), STREW_EFILE, NULL);
  ck_assert_str_eq(failure.hint, "{.decimal = \",\"} reads decimal commas, {.text = {1}} reads the column as words");
  options.text = text, options.text_count = 2;
  ok(load(&options, &table));
  ck_assert_str_eq(strew_word(strew_table_tensor(table, 1), 0, NULL), "1970-01-02");
  strew_table_release(table);
}
END_TEST

START_TEST(test_lines_and_words) {
  static const char *const names[] = {"a", "b"}, *const missing[] = {"?", "-999"};
  strew_csv_options csv = {
      .skip = 1, .comment = '#', .name_count = 2, .names = names, .missing_count = 2, .missing = missing};
  const strew_load_options options = {.header = STREW_HEADER_YES, .csv = &csv};
  strew_table *table;
  if (lacks(STREW_FLOAT64)) return;
  put_text("\"a title\n# note\nx,x\n1,?\n#,\n-999,0.5\n");
  ok(load(&options, &table));
  ck_assert_str_eq(strew_table_name(table, 1), "b");
  ck_assert_double_eq(element_of(table, 0, 0), 1);
  ck_assert_double_nan(element_of(table, 0, 1));
  ck_assert_double_nan(element_of(table, 1, 0));
  ck_assert_double_eq(element_of(table, 1, 1), 0.5);
  strew_table_release(table);
  csv.name_count = 1;
  assert_fails(load(&options, &table), STREW_EARGUMENT, "load: 'names' has 1 names, expected 2, the cells of line 3");
  csv.reserved[0] = 1;
  assert_fails(load(&options, &table), STREW_EARGUMENT, NULL);
}
END_TEST

START_TEST(test_rules) {
  static const strew_dtype truth = STREW_BOOL, text = STREW_TEXT;
  static const strew_csv_rule rules[] = {
      {.column = "1", .unit = "%"}, {.column = "b", .dtype = &truth}, {.column = "c", .dtype = &text}};
  const strew_scalar numbers[] = {strew_float(-999), strew_float(0.1), {STREW_UINT64, {-1}}};
  strew_csv_lists lists = {.rule_count = 3, .rules = rules, .missing_count = 3, .missing = numbers};
  strew_csv_options csv = {.lists = &lists};
  strew_load_options options = {.header = STREW_HEADER_YES, .separator = STREW_BLANKS, .csv = &csv};
  strew_table *table;
  if (lacks(STREW_FLOAT64)) return;
  put_text("  a b\tc  d\n20% true -999 -999.0\n\t-9.99e2%  0 5 1.0e-1  \n   \n 1.5 FALSE 6 18446744073709551615\n");
  ok(load(&options, &table));
  ck_assert_double_eq(element_of(table, 0, 0), 20);
  ck_assert_double_nan(element_of(table, 0, 1));
  ck_assert_int_eq(strew_tensor_dtype(strew_table_tensor(table, 1)), STREW_BOOL);
  ck_assert_double_eq(element_of(table, 1, 0), 1);
  ck_assert_str_eq(strew_word(strew_table_tensor(table, 2), 0, NULL), "-999");
  for (int64_t i = 0; i < 3; i++) ck_assert_double_nan(element_of(table, 3, i));
  strew_table_release(table);
  lists.rule_count = -1;
  assert_fails(load(&options, &table), STREW_EARGUMENT, "load: 'unit' has -1 names, expected 0 or more");
  lists.rule_count = 1, lists.rules = &(const strew_csv_rule){.column = "a", .unit = ""};
  assert_fails(load(&options, &table), STREW_EARGUMENT, "load: 'unit' has an empty unit, expected one as \"%\"");
  lists.rules = &(const strew_csv_rule){.column = "5", .unit = "%"};
  assert_fails(load(&options, &table), STREW_EARGUMENT,
               "load: 'unit' has \"5\", not found among the columns: \"a\", \"b\", \"c\", \"d\"");
}
END_TEST

START_TEST(test_saved_forms) {
  const strew_save_options options = {.separator = ';', .decimal = ',', .missing = "n;a"};
  strew_tensor *numbers = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){1.5, NAN});
  ok(strew_save(numbers, path, NULL, &failure));
  assert_text("1.5\n\"\"\n");
  ok(strew_save(numbers, path, &options, &failure));
  assert_text("\"1,5\"\n\"n;a\"\n");
  assert_fails(strew_save(numbers, path, &(strew_save_options){.separator = STREW_BLANKS}, &failure), STREW_EARGUMENT,
               NULL);
  assert_fails(strew_save(numbers, path, &(strew_save_options){.decimal = ';'}, &failure), STREW_EARGUMENT, NULL);
  strew_release(numbers);
}
END_TEST

START_TEST(test_names_and_thousands) {
  strew_error warning = {.code = STREW_EFILE, .message = "old"};
  strew_csv_options csv = {.rows = 2, .thousands = '\'', .warning = &warning};
  const strew_load_options options = {.separator = ';', .csv = &csv};
  strew_table *table;
  if (lacks(STREW_FLOAT64)) return;
  put_text("x;;x\n1'234;2;0.5\n-1'000.25;;1\ny;;\n");
  ok(load(&options, &table));
  ck_assert_str_eq(strew_table_name(table, 1), "2");
  ck_assert_str_eq(strew_table_name(table, 2), "x_2");
  ck_assert_int_eq(strew_tensor_sizes(strew_table_tensor(table, 0))[0], 2);
  ck_assert_double_eq(element_of(table, 0, 0), 1234);
  ck_assert_double_eq(element_of(table, 0, 1), -1000.25);
  ck_assert_double_nan(element_of(table, 1, 1));
  strew_table_release(table);
  ck_assert_int_eq(warning.code, STREW_OK);
  ck_assert_ptr_nonnull(strstr(warning.message, "\", which gives column 2 no name in line 1: it is \"2\""));
  ck_assert_str_eq(warning.hint, "{.names = {...}} names the 3 columns instead of line 1");
  csv.rows = 3;
  assert_fails(load(&options, &table), STREW_EFILE, NULL);
  csv.rows = 0;
  put_text("x;y\n1;2\n");
  ok(load(&options, &table));
  strew_table_release(table);
  ck_assert_str_eq(warning.message, "");
  strew_reader *reader = NULL;
  csv.rows = 1;
  assert_fails(strew_reader_open(device, path, &(strew_reader_options){.load = &options}, &reader, &failure),
               STREW_EARGUMENT, "reader_open: 'rows' is an option of load, expected that of chunks");
  ck_assert_ptr_null(reader);
  csv.rows = -1;
  assert_fails(load(&options, &table), STREW_EARGUMENT, "load: 'rows' is -1, expected 0 or more");
}
END_TEST

/* Control characters, overlong forms, surrogates, and what is cut off. */
START_TEST(test_printable) {
  static const struct {
    const char *text, *expected;
  } rows[] = {{"", ""},
              {"a\t\x1b[2J\x7f", "a??[2J?"},
              {"\xc2\x9b\xc2\xa0\xc3\xa9", "?\xc2\xa0\xc3\xa9"},
              {"\xe6\x9d\xb1\xf0\x9f\x99\x82\xef\xbf\xbf\xf4\x8f\xbf\xbf",
               "\xe6\x9d\xb1\xf0\x9f\x99\x82\xef\xbf\xbf\xf4\x8f\xbf\xbf"},
              {"\xff\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf0\x8f\xbf\xbf\xf4\x90\x80\x80", "?????????????????"},
              {"\xe6\x9d", "??"},
              {"\xe6\x9d\"", "??\""}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[64];
    strcpy(text, rows[i].text);
    ck_assert_ptr_eq(strew_printable(text), text);
    ck_assert_str_eq(text, rows[i].expected);
  }
}
END_TEST

/* Cells of random files: most fit their column, others change its kind, or are errors. Quotes within words make cuts of
   the text miss line ends outside quotes. */
static size_t put_cell(char *to, int kind, bool is_plain) {
  static const char *const cells[][8] = {
      {"1", "-20", "0", "12345", "-0", "123456789012345678", "7", "31"},
      {"1.5", "-0.25", "3", "1e5", "0.1234567890123456789", "-0", "12345678901.5", " 2.5"},
      {"a", "word", "\"two\nlines\"", "\"a \"\"b\"\"\"", "", "\"\"", "5\" nails", "\"\r\n\r\n\""},
      {"2024-05-17", "1969-12-31T23:59:59Z", "", "2024-02-29 12:30", "nan", "\"2024-05-17\"", "1970-01-01", ""},
      {"-", "-", "-", "-", "-", "-", "-", "-"},
      {"", "", "", "", "", "", "", ""},
      {"20%", "-3.5 %", "% 7", "1e2%", "8", "", "0.5%", "9007199254740993%"},
      {"true", "False", "0", "1", "TRUE", "1.0", "", "2"}};
  static const char *const rare[] = {"",       "x",   "9007199254740993", "2.5",   "-", "007", "nan",
                                     "\"open", "a,b", "\"a\"b",           "1'234", "#"};
  if (!is_plain && draw_below(60) == 0) return (size_t)sprintf(to, "%s", rare[draw_below(12)]);
  if (kind == 2 && draw_below(40) == 0) { /* a word that is longer than a block */
    size_t length = (size_t)sprintf(to, "\"");
    for (int64_t i = draw_below(150); i >= 0; i--) length += (size_t)sprintf(to + length, i % 9 ? "\"\"" : "\n");
    return length + (size_t)sprintf(to + length, "\"");
  }
  if (kind == 8) return (size_t)sprintf(to, "w%d", (int)draw_below(draw_below(2) ? 400 : 20));
  return (size_t)sprintf(to, "%s", cells[kind][draw_below(is_plain ? 5 : 8)]);
}

enum { MOST_ROWS = 600 };

static char *random_text(void) {
  static const char *const ends[] = {"\n", "\r\n", "\r"};
  static char text[1 << 17];
  const char *end = ends[draw_below(3)];
  const int64_t count = 1 + draw_below(4), rows = 1 + draw_below(draw_below(8) ? 60 : MOST_ROWS);
  const bool is_plain = draw_below(2);
  int kinds[4];
  size_t length = 0;
  for (int64_t i = 0; i < count; i++) kinds[i] = (int)draw_below(9);
  for (int64_t i = 0; i < count; i++) length += (size_t)sprintf(text + length, "%sc%d", i ? "," : "", (int)i);
  length += (size_t)sprintf(text + length, "%s", end);
  for (int64_t row = 0; row < rows; row++) {
    if (!is_plain && draw_below(20) == 0)
      length += (size_t)sprintf(text + length, draw_below(2) ? "#say \"%s" : "%s", end);
    for (int64_t i = 0; i < count; i++) {
      if (i) text[length++] = ',';
      length += put_cell(text + length, kinds[i], is_plain);
    }
    if (row + 1 < rows || draw_below(2)) length += (size_t)sprintf(text + length, "%s", end);
  }
  return text[length] = '\0', text;
}

static void assert_same_columns(const strew_table *a, const strew_table *b) {
  ck_assert_int_eq(strew_table_count(a), strew_table_count(b));
  for (int64_t i = 0; i < strew_table_count(a); i++) {
    const strew_tensor *x = strew_table_tensor(a, i), *y = strew_table_tensor(b, i);
    const int64_t words = strew_word_count(y);
    ck_assert_int_eq(strew_word_count(x), words);
    for (int64_t k = 0; k < words; k++) ck_assert_str_eq(strew_word(x, k, NULL), strew_word(y, k, NULL));
    const size_t size_bytes = (size_t)strew_tensor_numel(x) * 8;
    ck_assert_int_eq(strew_tensor_dtype(x), strew_tensor_dtype(y));
    ck_assert_int_eq(strew_tensor_numel(x), strew_tensor_numel(y));
    int64_t is[MOST_ROWS] = {0}, expected[MOST_ROWS] = {0};
    ck_assert_uint_le(size_bytes, sizeof is);
    ok(strew_read(x, is, (size_t)strew_tensor_numel(x) * strew_dtype_size_bytes(strew_tensor_dtype(x)), &failure));
    ok(strew_read(y, expected, (size_t)strew_tensor_numel(y) * strew_dtype_size_bytes(strew_tensor_dtype(y)),
                  &failure));
    ck_assert_mem_eq(is, expected, sizeof is);
  }
}

/* The chunks of the file, on both devices. */
static void assert_same_chunks(strew_device *one, strew_device *other, const strew_reader_options *options) {
  strew_reader *reader = NULL, *expected = NULL;
  strew_error error = {.alias = NULL};
  strew_status status = strew_reader_open(one, path, options, &reader, &failure);
  ck_assert_int_eq(strew_reader_open(other, path, options, &expected, &error), status);
  for (bool is_more = status == STREW_OK; is_more;) {
    strew_tensor *none;
    strew_table *table = NULL, *same = NULL;
    status = strew_reader_next(reader, &none, &table, &failure);
    ck_assert_int_eq(strew_reader_next(expected, &none, &same, &error), status);
    is_more = status == STREW_OK && table;
    if (is_more) assert_same_columns(table, same);
    strew_table_release(table);
    strew_table_release(same);
  }
  if (status != STREW_OK) ck_assert_str_eq(failure.message, error.message);
  strew_reader_close(reader);
  strew_reader_close(expected);
}

/* Puts blanks and tabs in the place of commas. */
static const char *with_blanks(char *text) {
  for (char *at = text; *at; at++)
    if (*at == ',') *at = draw_below(3) ? ' ' : '\t';
  return text;
}

/* Random files, read by threads in blocks of a few rows or some hundred, and in two walks. */
START_TEST(test_parts) {
  const int trials = under_qemu(2000, 20);
  static const char *const dates[] = {"c0"}, *const missing[] = {"7", "word"}, *const formats[] = {"%Y-%m-%d"};
  static const strew_dtype truth = STREW_BOOL, wide = STREW_FLOAT32;
  static const strew_dtype dtypes[] = {STREW_INT64, STREW_FLOAT64, STREW_FLOAT32, STREW_INT32};
  const strew_options whole = {.threads = 1, .grain_bytes = (size_t)1 << 20},
                      blocks = {.threads = 3, .grain_bytes = 500};
  strew_context *other, *third;
  strew_device *cpu, *of_blocks;
  int loaded = 0;
  if (on_device()) return;
  ok(strew_context_create(&whole, &other, &failure));
  ok(strew_device_find(other, "cpu", &cpu, &failure));
  ok(strew_context_create(&blocks, &third, &failure));
  ok(strew_device_find(third, "cpu", &of_blocks, &failure));
  for (int trial = 0; trial < trials; trial++) {
    strew_error error = {.alias = NULL};
    strew_table *table = NULL, *expected = NULL;
    const strew_scalar numbers[] = {strew_int(1), strew_float(2.5), strew_float(-20), strew_int(9007199254740993)};
    const strew_csv_rule rules[] = {
        {.column = "c1", .unit = "%"}, {.column = "3", .dtype = &truth}, {.column = "2", .dtype = &wide}};
    const bool has_names = draw_below(3) == 0, has_blanks = draw_below(4) == 0;
    const strew_csv_lists lists = {.missing_count = draw_below(3) ? 0 : 1 + draw_below(4),
                                   .missing = numbers,
                                   .rule_count = has_names ? draw_below(4) : 0,
                                   .rules = rules};
    const strew_csv_options csv = {.lists = &lists,
                                   .comment = (char)(draw_below(2) ? '#' : 0),
                                   .skip = !has_names && draw_below(8) == 0,
                                   .rows = draw_below(4) ? 0 : 1 + draw_below(50),
                                   .missing = missing,
                                   .missing_count = draw_below(3) ? 0 : 2,
                                   .all_dates = draw_below(2),
                                   .date_formats = draw_below(2) ? formats : NULL};
    const strew_load_options options = {.header = csv.skip ? STREW_HEADER_NO : STREW_HEADER_YES,
                                        .dtype = draw_below(3) ? NULL : &dtypes[draw_below(4)],
                                        .dates = dates,
                                        .date_count = !csv.skip && draw_below(6) == 0,
                                        .separator = (char)(has_blanks ? STREW_BLANKS : 0),
                                        .columns = dates,
                                        .column_count = !csv.skip && draw_below(6) == 0,
                                        .csv = &csv};
    strew_device *one = draw_below(3) ? device : of_blocks;
    char *text = random_text();
    put_text(has_blanks ? with_blanks(text) : text);
    const strew_status status = strew_load(one, path, &options, NULL, &table, &failure);
    ck_assert_int_eq(strew_load(cpu, path, &options, NULL, &expected, &error), status);
    if (status == STREW_OK)
      assert_same_columns(table, expected), loaded++;
    else
      ck_assert_str_eq(failure.message, error.message);
    strew_table_release(table);
    strew_table_release(expected);
    if (!csv.rows) assert_same_chunks(one, cpu, &(strew_reader_options){.rows = 1 + draw_below(50), .load = &options});
  }
  strew_context_release(other);
  strew_context_release(third);
  ck_assert_int_gt(loaded, trials / 10);
}
END_TEST

/* Where one allocation fails, and not all after it, it succeeds once blocks that the context keeps are freed. */
static void assert_no_memory(strew_status status, bool stays, long *failing) {
  bool is_limited = allocations.failed() > 0;
  allocations.limit(0, false);
  if (stays || !is_limited || status != STREW_OK) ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
  *failing = is_limited ? *failing + 1 : 0;
}

START_TEST(test_memory_fails) {
  strew_table *table = NULL, *none;
  put_text(many_words());
  ok(load(&with_header, &table));
  for (int saves = 0; saves < 2; saves++)
    for (long failing = 1; failing;) {
      size_t blocks = blocks_in_use();
      allocations.limit(failing, _i);
      strew_status status = saves ? strew_save_table(table, path, NULL, &failure) : load(&with_header, &none);
      assert_no_memory(status, _i, &failing);
      if (!saves) strew_table_release(none);
      ck_assert_uint_eq(blocks_in_use(), blocks);
      assert_text(many_words());
    }
  strew_table_release(table);
}
END_TEST

START_TEST(test_first_rows_memory_fails) {
  static const char text[] =
      "x;x;;a name of more than a few letters;x\n1'234;a;1;\"q\"\"\";1.2.70\n5;b;2;c;2.2.70\n6;c;3;d;\n";
  static const char *const dates[] = {"x_3"}, *const formats[] = {"%d.%m.%y"};
  strew_error warning = {0};
  const strew_scalar number = strew_int(77);
  const strew_csv_rule rule = {.column = "2", .unit = "km"};
  const strew_csv_lists lists = {.rule_count = 1, .rules = &rule, .missing_count = 1, .missing = &number};
  const strew_csv_options csv = {
      .rows = 2, .thousands = '\'', .warning = &warning, .date_formats = formats, .lists = &lists};
  const strew_load_options options = {.separator = ';', .date_count = 1, .dates = dates, .csv = &csv};
  strew_table *table;
  long tries = 0;
  put_text(text);
  for (long failing = 1; failing; tries++) {
    size_t blocks = blocks_in_use();
    allocations.limit(failing, _i);
    const strew_status status = load(&options, &table);
    assert_no_memory(status, _i, &failing);
    ck_assert(status != STREW_OK ? !table : !strcmp(strew_table_name(table, 4), "x_3"));
    strew_table_release(table);
    ck_assert_uint_eq(blocks_in_use(), blocks);
  }
  ck_assert_int_gt(tries, 10);
}
END_TEST

START_TEST(test_adding_memory_fails) {
  strew_tensor *codes = tensor_from_integers(STREW_INT64, 1, (int64_t[]){0});
  strew_table *table;
  char name[64];
  ok(strew_table_create(context, &table, &failure));
  for (int i = 0; i < 100; i++) {
    long failing = 1;
    snprintf(name, sizeof name, "%d words that take a little room", i);
    while (failing) {
      int64_t count = strew_table_count(table);
      allocations.limit(failing, true);
      assert_no_memory(strew_table_add(table, i % 2 ? name : NULL, codes, &failure), true, &failing);
      ck_assert_int_eq(strew_table_count(table), count + !failing);
    }
    if (i % 2) ck_assert_str_eq(strew_table_name(table, i), name);
  }
  strew_release(codes);
  strew_table_release(table);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("csv");
  if (!on_device()) test_allocator = counting_allocator;
  TCase *all = new_case(suite, "csv");
  tcase_add_checked_fixture(all, make_path, remove_path);
  tcase_add_test(all, test_table);
  tcase_add_test(all, test_words);
  tcase_add_test(all, test_commas_and_dates);
  tcase_add_test(all, test_lines_and_words);
  tcase_add_test(all, test_rules);
  tcase_add_test(all, test_saved_forms);
  tcase_add_test(all, test_names_and_thousands);
  tcase_add_test(all, test_printable);
  tcase_add_test(all, test_parts);
  if (!on_device()) {
    tcase_add_loop_test(all, test_memory_fails, 0, 2);
    tcase_add_loop_test(all, test_first_rows_memory_fails, 0, 2);
    tcase_add_test(all, test_adding_memory_fails);
  }
  return suite;
}
