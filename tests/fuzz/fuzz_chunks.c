/* fuzz_chunks.c: any bytes as a .csv in chunks; the first one selects the options, the second the rows of a chunk. What
   is read in chunks, to the end, is what is read at once. */
#include "fuzz.h"

#include <string.h>

/* Element i of a column as a number, and its word or NULL. */
static strew_scalar element_of(const strew_table *table, int64_t column, int64_t i, const char **word) {
  strew_scalar number;
  PROMISE(strew_get(strew_table_tensor(table, column), 1, &i, &number, NULL) == STREW_OK);
  bool has_words = strew_table_word_count(table, column) >= 0;
  *word = has_words ? strew_table_word(table, column, number.as.i) : NULL;
  PROMISE(!has_words || *word);
  return number;
}

/* The chunk's rows are those of the whole from `row` on. */
static int64_t compare(const strew_table *whole, const strew_table *chunk, int64_t row) {
  int64_t rows = strew_tensor_sizes(strew_table_tensor(chunk, 0))[0];
  PROMISE(strew_table_count(whole) == strew_table_count(chunk));
  for (int64_t k = 0; k < strew_table_count(chunk); k++) {
    PROMISE(strcmp(strew_table_name(whole, k), strew_table_name(chunk, k)) == 0);
    for (int64_t i = 0; i < rows; i++) {
      const char *word, *expected_word;
      strew_scalar expected = element_of(whole, k, row + i, &expected_word), number = element_of(chunk, k, i, &word);
      if (word) PROMISE(expected_word && strcmp(word, expected_word) == 0);
      if (!word && expected_word) /* missing cells before the first word, which is an error of its chunk */
        PROMISE(number.dtype == STREW_FLOAT64 && number.as.f != number.as.f);
      else if (expected.dtype == number.dtype)
        PROMISE(memcmp(&number.as, &expected.as, sizeof number.as) == 0);
      else /* a later cell makes the whole column float64, and is an error of its chunk */
        PROMISE(number.dtype == STREW_INT64 && (double)number.as.i == expected.as.f);
    }
  }
  return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const strew_dtype half = STREW_FLOAT16;
  static const char *const names[] = {"1", "a"};
  static const strew_load_options ways[] = {{.header = STREW_HEADER_UNSAID},
                                            {.header = STREW_HEADER_YES},
                                            {.header = STREW_HEADER_NO, .separator = ';', .decimal = ','},
                                            {.header = STREW_HEADER_NO, .separator = '\t', .dtype = &half},
                                            {.header = STREW_HEADER_NO, .text_count = 1, .text = names},
                                            {.header = STREW_HEADER_YES, .column_count = 1, .columns = names + 1},
                                            {.header = STREW_HEADER_YES, .date_count = 1, .dates = names + 1}};
  if (size < 2) return 0;
  const strew_load_options *way = &ways[(uint8_t)(bytes[0] - '1') % (sizeof ways / sizeof *ways)];
  const strew_reader_options options = {.rows = 1 + bytes[1] % 5, .load = way};
  const char *path = fuzz_file(".csv", bytes + 2, size - 2);
  strew_reader *reader = NULL;
  strew_table *whole = NULL, *chunk = NULL;
  strew_tensor *tensor = NULL;
  strew_status at_once = strew_load(fuzz_device(), path, way, NULL, &whole, NULL);
  strew_status status = strew_reader_open(fuzz_device(), path, &options, &reader, NULL);
  int64_t row = 0;
  while (status == STREW_OK) {
    chunk = NULL;
    status = strew_reader_next(reader, &tensor, &chunk, NULL);
    if (!chunk) break;
    if (whole) row += compare(whole, chunk, row);
    strew_table_release(chunk);
  }
  PROMISE(!tensor);
  PROMISE(status != STREW_OK || at_once == STREW_OK);
  PROMISE(status != STREW_OK || row == strew_tensor_sizes(strew_table_tensor(whole, 0))[0]);
  strew_table_release(whole);
  strew_reader_close(reader);
  fuzz_expect_nothing();
  return 0;
}
