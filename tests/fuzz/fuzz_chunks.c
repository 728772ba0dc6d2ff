/* fuzz_chunks.c: any bytes as a .csv or .npy in chunks. The first one selects format and options, the second the rows
   of a chunk, the third the size of reads, and whether the file is a pipe or compressed. What is read in chunks, to the
   end, is what is read at once; so is the reason of a failure, except what chunks cannot know or load does not mind. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads are short: chunks end and begin anywhere in the bytes read so far. (The linker substitutes it: see
   tests.mk.) */
static size_t most_bytes;
ssize_t __real_read(int descriptor, void *to, size_t size_bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t size_bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t size_bytes) {
  return __real_read(descriptor, to, size_bytes < most_bytes ? size_bytes : most_bytes);
}

/* A pipe that holds these bytes, which fit; it lasts until *held is closed. */
static const char *fill_pipe(const char *suffix, const uint8_t *bytes, size_t size, int *held) {
  static char path[128];
  snprintf(path, sizeof path, "%s/pipe%s", fuzz_folder(), suffix);
  unlink(path);
  PROMISE(mkfifo(path, 0600) == 0);
  *held = open(path, O_RDONLY | O_NONBLOCK);
  int to = open(path, O_WRONLY);
  PROMISE(*held >= 0 && to >= 0 && write(to, bytes, size) == (ssize_t)size);
  close(to);
  return path;
}

static const char *compress(const char *suffix, const uint8_t *bytes, size_t size) {
  char compressed[16];
  uint8_t *made = malloc(size + FUZZ_MEMBER_BYTES);
  PROMISE(made);
  snprintf(compressed, sizeof compressed, "%s.gz", suffix);
  const char *path = fuzz_file(compressed, made, (size_t)(fuzz_put_member(made, bytes, size) - made));
  free(made);
  return path;
}

/* Element i of a column as a number, and its word or NULL. */
static strew_scalar element_of(const strew_table *table, int64_t column, int64_t i, const char **word) {
  strew_scalar number;
  const strew_tensor *tensor = strew_table_tensor(table, column);
  PROMISE(strew_get(tensor, 1, &i, &number, NULL) == STREW_OK);
  *word = number.dtype == STREW_TEXT ? strew_word(tensor, number.as.i, NULL) : NULL;
  PROMISE(number.dtype != STREW_TEXT || *word);
  return number;
}

/* The chunk's rows are those of the whole from `row` on. Columns of the only chunk have the dtypes of the whole. */
static void compare_tables(const strew_table *whole, const strew_table *chunk, int64_t row, bool is_only) {
  int64_t rows = strew_tensor_sizes(strew_table_tensor(chunk, 0))[0];
  PROMISE(strew_table_count(whole) == strew_table_count(chunk));
  for (int64_t k = 0; k < strew_table_count(chunk); k++) {
    PROMISE(strcmp(strew_table_name(whole, k), strew_table_name(chunk, k)) == 0);
    for (int64_t i = 0; i < rows; i++) {
      const char *word, *expected_word;
      strew_scalar expected = element_of(whole, k, row + i, &expected_word), number = element_of(chunk, k, i, &word);
      PROMISE(!is_only || (expected.dtype == number.dtype && !word == !expected_word));
      if (word) PROMISE(expected_word && strcmp(word, expected_word) == 0);
      if (!word && expected_word) /* missing cells before the first word, which is an error of its chunk */
        PROMISE(number.dtype == STREW_FLOAT64 && number.as.f != number.as.f);
      else if (expected.dtype == number.dtype)
        PROMISE(memcmp(&number.as, &expected.as, sizeof number.as) == 0);
      else /* a later cell makes the whole column float64, and is an error of its chunk */
        PROMISE(number.dtype == STREW_INT64 && (double)number.as.i == expected.as.f);
    }
  }
}

static void compare_tensors(strew_tensor *whole, const strew_tensor *chunk, int64_t row) {
  strew_tensor *rows = NULL;
  PROMISE(strew_narrow(whole, 0, row, strew_tensor_sizes(chunk)[0], &rows, NULL) == STREW_OK);
  PROMISE(fuzz_is_same(rows, chunk));
  strew_release(rows);
}

struct whole {
  strew_status status;
  strew_tensor *tensor;
  strew_table *table;
  strew_error error;
};

static int64_t rows_of(strew_tensor *tensor, const strew_table *table) {
  return strew_tensor_sizes(table ? strew_table_tensor(table, 0) : tensor)[0];
}

/* Reads to the end, or to a failure; returns the number of rows. */
static int64_t read_chunks(const struct whole *whole, const char *path, const strew_reader_options *options,
                           bool is_only, strew_status *status, strew_error *error) {
  strew_reader *reader = NULL;
  int64_t row = 0;
  *status = strew_reader_open(fuzz_device(), path, options, &reader, error);
  while (*status == STREW_OK) {
    strew_tensor *tensor = NULL;
    strew_table *table = NULL;
    *status = strew_reader_next(reader, &tensor, &table, error);
    PROMISE(*status == STREW_OK || (!tensor && !table));
    if (!tensor && !table) break;
    if (whole->table) compare_tables(whole->table, table, row, is_only);
    if (whole->tensor) compare_tensors(whole->tensor, tensor, row);
    PROMISE(rows_of(tensor, table) <= options->rows);
    row += rows_of(tensor, table);
    strew_release(tensor);
    strew_table_release(table);
  }
  strew_reader_close(reader);
  return row;
}

/* The message without the function's name. */
static const char *reason_of(const strew_error *error) {
  const char *at = strstr(error->message, ": ");
  PROMISE(at);
  return at + 2;
}

/* The fact about the file: without its name, and without the hint, which may be of what chunks do not know. */
static const char *fact_of(const strew_error *error, size_t *length) {
  const char *reason = reason_of(error), *rest = strstr(reason, "\", which ");
  *length = strcspn(rest ? rest : reason, "\n");
  return rest ? rest : reason;
}

static bool has_any(const char *text, const char *const *words) {
  while (*words && !strstr(text, *words)) words++;
  return *words != NULL;
}

/* True if load fails for what chunks may read: a line of units is known by two numbers below it, and a column that has
   words as "-" in the first chunk is one of words, in which numbers, dates and units are words, too. */
static bool is_decided_later(const char *of_whole, bool is_only) {
  static const char *const facts[] = {"are they units?", "expected a number", "expected numbers or words", NULL};
  return !is_only && has_any(of_whole, facts);
}

/* Chunks do not know what follows: later cells decide dtypes, and of several faults the first one in the file counts,
   not the one that is looked for first. The size of a pipe or compressed file is unknown. */
static void compare_failures(const struct whole *whole, const strew_error *error, bool is_only, bool is_stream) {
  static const char *const of_chunks[] = {"the first chunk", "has no number in", "holds a single number",
                                          "in Fortran's order", NULL};
  static const char *const of_streams[] = {"truncated", "has bytes after", "out of memory", NULL};
  const char *reason = reason_of(error);
  if (has_any(reason, of_chunks)) return;
  PROMISE(whole->status != STREW_OK);
  if (strstr(reason_of(&whole->error), "has a zero byte") || is_decided_later(reason_of(&whole->error), is_only))
    return;
  if (is_stream && has_any(reason, of_streams)) return;
  size_t expected_length, length;
  const char *expected = fact_of(&whole->error, &expected_length), *fact = fact_of(error, &length);
  const bool is_same = length == expected_length && memcmp(fact, expected, length) == 0;
  if (!is_same) fprintf(stderr, "%s\n%s\n", whole->error.message, error->message);
  PROMISE(is_same);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const strew_dtype half = STREW_FLOAT16, integer = STREW_INT32;
  static const char *const names[] = {"1", "a", "b", "2"};
  static const strew_csv_options csv = {.skip = 1, .comment = '#', .thousands = ','},
                                 points = {.thousands = '.', .missing_count = 1, .missing = names};
  static const char *const formats[] = {"%d %b %y %R"};
  static const strew_csv_options days = {.date_formats = formats};
  static const strew_scalar missing[] = {{STREW_INT64, {.i = 1}}, {STREW_FLOAT64, {.f = 0.5}}};
  static const strew_csv_lists lists = {.missing_count = 2, .missing = missing};
  static const strew_csv_options numbers = {.comment = '#', .lists = &lists};
  static const strew_load_options ways[] = {
      {.header = STREW_HEADER_UNSAID},
      {.header = STREW_HEADER_YES},
      {.header = STREW_HEADER_NO, .separator = ';', .decimal = ','},
      {.header = STREW_HEADER_NO, .separator = '\t', .dtype = &half},
      {.header = STREW_HEADER_NO, .text_count = 1, .text = names},
      {.header = STREW_HEADER_YES, .column_count = 1, .columns = names + 1},
      {.header = STREW_HEADER_YES, .date_count = 1, .dates = names + 1},
      {.header = STREW_HEADER_NO, .separator = ' ', .dtype = &integer},
      {.header = STREW_HEADER_YES, .column_count = 2, .columns = names + 1, .text_count = 1, .text = names + 2},
      {.format = "npy"},
      {.csv = &csv},
      {.header = STREW_HEADER_YES, .separator = ';', .csv = &csv},
      {.separator = ';', .decimal = ',', .csv = &points},
      {.header = STREW_HEADER_YES, .date_count = 1, .dates = names + 1, .csv = &days},
      {.separator = STREW_BLANKS, .csv = &numbers}};
  enum { WAYS = sizeof ways / sizeof *ways, ALL = 1 << 20, PLAIN = 6, PIPE = 8, COMPRESSED = 10, MOST_BYTES = 4096 };
  if (size < 3) return 0;
  strew_load_options way = ways[(uint8_t)(bytes[0] - '1') % WAYS];
  const strew_reader_options options = {.rows = bytes[1] % 6 ? bytes[1] % 6 : ALL, .load = &way};
  const int read_way = (uint8_t)(bytes[2] - '0') % COMPRESSED;
  const char *suffix = way.format ? ".npy" : ".csv";
  bytes += 3, size -= 3;
  bool is_stream = read_way >= PLAIN && size && size <= MOST_BYTES;
  int held = -1;
  struct whole whole = {STREW_OK, NULL, NULL, {0}};
  strew_status status;
  strew_error error = {0};
  most_bytes = SIZE_MAX;
  const char *path = fuzz_file(suffix, bytes, size);
  whole.status = strew_load(fuzz_device(), path, &way, &whole.tensor, &whole.table, &whole.error);
  way.format = NULL;
  if (is_stream) path = read_way < PIPE ? fill_pipe(suffix, bytes, size, &held) : compress(suffix, bytes, size);
  if (read_way % PLAIN) most_bytes = (size_t)read_way % PLAIN;
  int64_t rows = read_chunks(&whole, path, &options, options.rows == ALL, &status, &error);
  most_bytes = SIZE_MAX;
  if (held >= 0) close(held);
  if (status != STREW_OK) compare_failures(&whole, &error, options.rows == ALL, is_stream);
  const char *of_whole = whole.status ? whole.error.message : "";
  const bool is_unknown = is_decided_later(of_whole, options.rows == ALL) ||
                          (way.csv && strstr(of_whole, "has a zero byte")); /* in a line that chunks skip */
  PROMISE(status != STREW_OK || whole.status == STREW_OK || is_unknown);
  PROMISE(status != STREW_OK || is_unknown || rows == rows_of(whole.tensor, whole.table));
  strew_release(whole.tensor);
  strew_table_release(whole.table);
  fuzz_expect_nothing();
  return 0;
}
