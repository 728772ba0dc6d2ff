/* fuzz_csv.c: any bytes as a .csv; the first one selects the options. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const strew_dtype half = STREW_FLOAT16, whole = STREW_INT32;
  static const char *const text[] = {"1", "a"};
  static const char *const names[] = {"a", "b"}, *const missing[] = {"?", "-999", "b"};
  static const strew_csv_options lines = {.skip = 1, .comment = '#'},
                                 words = {.name_count = 2, .names = names, .missing_count = 3, .missing = missing};
  static strew_error warning;
  static const strew_csv_options marks = {.thousands = ',', .warning = &warning}, points = {.thousands = '.'},
                                 first = {.rows = 2, .comment = '#', .thousands = '\''};
  static const strew_dtype wide = STREW_FLOAT64;
  static const char *const formats[] = {"%d.%m.%Y %I:%M:%S %p"};
  static const strew_csv_options days = {.date_formats = formats}, dates = {.all_dates = true};
  static const strew_dtype truth = STREW_BOOL;
  static const strew_csv_rule rules[] = {{.column = "1", .unit = "%"}, {.column = "2", .dtype = &truth}};
  static const strew_scalar numbers[] = {{STREW_INT64, {.i = -999}}, {STREW_FLOAT64, {.f = 0.5}}};
  static const strew_csv_lists lists = {.rule_count = 2, .rules = rules, .missing_count = 2, .missing = numbers};
  static const strew_csv_options ragged = {.comment = '#', .ragged = true, .rows = 3},
                                 ragged_words = {.skip = 1, .ragged = true, .missing_count = 3, .missing = missing};
  static const char *const values[] = {"values"};
  static const strew_csv_options ruled = {.comment = '#', .thousands = '.', .lists = &lists};
  static const strew_load_options ways[] = {
      {.header = STREW_HEADER_UNSAID},
      {.header = STREW_HEADER_YES},
      {.header = STREW_HEADER_NO, .separator = ';'},
      {.header = STREW_HEADER_NO, .separator = '\t', .dtype = &half},
      {.header = STREW_HEADER_NO, .separator = ' ', .dtype = &whole},
      {.header = STREW_HEADER_NO, .text_count = 1, .text = text},
      {.header = STREW_HEADER_YES, .text_count = 1, .text = text + 1},
      {.header = STREW_HEADER_NO, .separator = ';', .decimal = ','},
      {.header = STREW_HEADER_YES, .date_count = 1, .dates = text + 1},
      {.header = STREW_HEADER_YES, .csv = &lines},
      {.header = STREW_HEADER_YES, .csv = &words},
      {.header = STREW_HEADER_NO, .dtype = &wide, .csv = &words},
      {.csv = &marks},
      {.header = STREW_HEADER_YES, .separator = ';', .csv = &marks},
      {.separator = ';', .decimal = ',', .csv = &points},
      {.csv = &first},
      {.header = STREW_HEADER_NO, .dtype = &whole, .csv = &first},
      {.header = STREW_HEADER_YES, .date_count = 1, .dates = text + 1, .csv = &days},
      {.header = STREW_HEADER_YES, .csv = &dates},
      {.separator = STREW_BLANKS, .csv = &ruled},
      {.header = STREW_HEADER_YES, .separator = ';', .decimal = ',', .csv = &ruled},
      {.separator = STREW_BLANKS, .csv = &ragged},
      {.text_count = 1, .text = values, .csv = &ragged_words},
      {.date_count = 1, .dates = values, .csv = &ragged_words}};
  if (size == 0) return 0;
  const strew_load_options *way = &ways[(uint8_t)(*bytes - '1') % (sizeof ways / sizeof *ways)];
  const strew_save_options save = {.header = way->header, .separator = way->separator};
  /* Commas, dates, lines, names that are numbers, and words that are numbers with marks, are not read again as such. */
  bool is_same = way->header && !way->decimal && !way->date_count && (!way->csv || way->csv == &words);
  fuzz_load(".csv", bytes + 1, size - 1, way, is_same ? &save : NULL);
  PROMISE(warning.code == STREW_OK);
  return 0;
}
