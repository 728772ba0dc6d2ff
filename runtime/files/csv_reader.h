/* csv_reader.h: reads the lines of a .csv file as rows: those of the whole file, or of one chunk after the other. */
#ifndef CSV_READER_H
#define CSV_READER_H

#include "csv_cells.h"
#include "runtime/text_time/table.h"

/* Kind of a column, as far as known. Rows change it to a later one only. */
enum kind {
  UNKNOWN,
  MARKED, /* its only words so far seem to stand for missing numbers, as "-", or may be numbers, as 1 234 */
  WHOLE,
  FRACTIONAL,
  DATED,
  TEXTUAL,
  SKIPPED /* by the option `columns` */
};

/* A cell for a message; it lives as long as the text. */
struct suspect {
  const char *text;
  size_t length;
  int64_t line; /* 0: none */
};

struct column {
  enum kind kind;
  struct suspect suspect;  /* of MARKED: its first word; of numbers: the first integer that float64 does not hold */
  int64_t fractional_line; /* of its first number with a point or an exponent; 0: none */
  int64_t first_line;      /* of its first number; 0: none in the chunk that decided the dtype */
  int64_t missing_line;    /* of its first missing cell; 0: none */
  const char *missing;     /* that cell, if it was inspected */
  strew_dtype dtype;       /* once reader->is_decided */
  strew_tensor *tensor;    /* on the CPU; of text its codes, until the table has it */
  char *elements;          /* its memory */
  size_t element_bytes;
  struct shared_words *words; /* of a text column; NULL: not made yet */
  int64_t format;             /* of DATED: its number in reader->formats, from 1; 0: ISO 8601 */
  bool has_dtype, has_unit;   /* by a rule of the caller: */
  strew_dtype wanted;
  int64_t unit; /* before or after its numbers: its number in reader->units */
};

struct csv_reader {
  const struct call *call;
  strew_context *context;
  strew_device *device;
  const char *path;
  const strew_load_options *options;
  locale_t c_locale; /* "C" */
  size_t size_bytes;
  char *text; /* size_bytes + 1 bytes; the last one is 0 */
  char separator, point;
  bool has_runs;  /* of blanks and tabs between cells */
  bool is_ragged; /* all cells are those of one column, a row each; lines have any number of them */
  int64_t count;  /* number of columns */
  struct column *columns;
  bool is_decided;               /* the dtypes: by the first chunk */
  bool is_chunked;               /* the rows are those of one chunk after the other */
  bool all_dates;                /* the option, also for chunks, which lack the others of csv by then */
  int64_t chosen_count, *chosen; /* numbers of the columns of the table, in its order */
  struct words names;
  bool has_header;      /* the first line is one of names */
  bool is_named;        /* by the file or the caller */
  struct words missing; /* words that the caller names */
  int64_t number_count;
  strew_scalar *numbers; /* that the caller names as missing: int64 if they are, else uint64 or float64 */
  struct words formats;  /* of dates */
  struct words units;    /* of numbers */
  const char *first_row; /* of the text that is inspected */
  char likely_separator; /* in a first line of one cell; 0: none */
  int64_t likely_count;  /* how often it is there */
  char first_byte;       /* of that line */
  int64_t rows;
  int64_t lines;        /* of a ragged text */
  strew_tensor *starts; /* of them, and the number of cells; NULL: not ragged */
  int64_t visited;      /* number of cells that have been inspected */
  int64_t width_line;   /* line that set the number of columns */
  char *unquoted;       /* scratch for a cell with its doubled quotes joined */
  size_t unquoted_bytes;
};

/* Reads the date of a cell of the column. */
static inline enum time_reading csv_read_date(const struct csv_reader *reader, const struct column *column,
                                              const struct cell *cell, int64_t *time) {
  const char *format = column->format ? words_at(&reader->formats, column->format - 1) : "";
  return time_read(cell->text, cell->length, format, time);
}
/* The dtype that the caller wants for a column of numbers; NULL: none. */
static inline const strew_dtype *csv_wanted(const struct csv_reader *reader, const struct column *column) {
  return column->has_dtype ? &column->wanted : reader->options->dtype;
}
/* Reads a cell that is no number by the rules of its column: with a unit, or as true or false. */
void csv_read_ruled(const struct csv_reader *reader, struct cells *cells, struct cell *cell);
/* Reads the cell of column i at cells->at as cells_next does, and by the rules of its column. */
static inline void csv_next_cell(const struct csv_reader *reader, struct cells *cells, int64_t i, struct cell *cell) {
  const struct column *column = &reader->columns[i];
  const int64_t line = cells->line;
  cells_next(cells, column->kind >= TEXTUAL, cell);
  cell->line = line, cell->column = i;
  if ((column->has_unit || column->has_dtype) && !cell->is_number && column->kind < TEXTUAL)
    csv_read_ruled(reader, cells, cell);
}
/* True if the caller names the cell as one for a missing value: its text, or, unless it is read as text, its number. */
bool csv_is_named_missing(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell);
static inline bool csv_is_absent(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell) {
  return (reader->missing.count || reader->number_count) && csv_is_named_missing(reader, cells, cell);
}
/* True if it is missing, by the caller or as empty cells are. */
bool csv_is_missing(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell);
static inline bool csv_is_nan(const struct cell *cell) { return cell->is_number && cell->number.kind == DECIMAL_NAN; }
double csv_double_of(const struct csv_reader *reader, const struct cell *cell);
strew_scalar csv_number_of(const struct csv_reader *reader, const struct cell *cell);
/* Stores a number as an element of dtype; false if dtype does not hold the number of the text. */
bool csv_store_number(const struct csv_reader *reader, const struct cell *cell, strew_dtype dtype, void *element);
/* Copies the cell's text with its doubled quotes joined to `to`, and returns the length. */
static inline size_t csv_join_quotes(const struct cell *cell, char *to) {
  size_t length = 0;
  for (const char *at = cell->text, *end = at + cell->length; at < end; at++) {
    to[length++] = *at;
    at += *at == '"';
  }
  return length;
}
/* The same in the cell, whose text is reader->unquoted then. */
strew_status csv_unquote(struct csv_reader *reader, struct cell *cell);

/* What a cell that is not a number may be instead of a word: a value in a form that needs an option. */
enum look {
  PLAIN,
  OTHER_POINT, /* 1,5 */
  GROUPED,     /* 1,234,567 */
  AMBIGUOUS,   /* 1,234: either of them */
  UNIT,        /* 12.5%, $5 */
  DATE,        /* of ISO 8601 */
  OTHER_DATE,  /* 12/31/2024 */
  MARK,        /* -, ?, unknown: may stand for a missing value */
  COUNT,       /* a number in a column of dates: a year, or a count of seconds or days */
  LABEL,       /* 00501 */
  TOO_LARGE,   /* 1e999, for its dtype */
  ROUNDED,     /* an integer that its column does not hold */
  UNSPLIT      /* several cells, for another separator */
};

enum { FORMAT_BYTES = 32, MOST_FORMATS = 6 };
enum look look_of(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell);
/* True if a GROUPED cell may be a word: blanks between its digits, no minus, no fraction, as in telephone numbers. */
bool groups_may_be_word(const struct cells *cells, const struct cell *cell);
/* True if an integer may be a label, whose leading zeros or plus sign are lost in a number: 00501, +4912345. */
bool looks_like_label(const struct decimal *number);
/* True if a word stands for a missing value in many files: a MARK, or #VALUE!, 0000-00-00 and their kind. */
bool may_be_missing(const char *text, size_t length);
/* Finds the formats that read a date of another form, as 12/31/2024, MOST_FORMATS at most; returns their number. */
int formats_of_date(const struct cells *cells, const struct cell *cell, char (*formats)[FORMAT_BYTES]);
/* The same for those that read all dates of the cell's column, as far as they are in the text; the first row is at
   reader->first_row. 0: none, also if others have another form. Fails only if the call must stop. */
strew_status formats_of_column(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                               char (*formats)[FORMAT_BYTES], int *count);
/* Returns the unit of a number, $, %, or a sign of currency, and its length and the number; NULL: there is none. */
const char *unit_of(const struct csv_reader *reader, const char *text, size_t length, size_t *unit_length,
                    const char **number, size_t *number_length);
/* Returns the cell's text without blanks around it. */
const char *trimmed(const struct cells *cells, const struct cell *cell, size_t *length);

/* The number of such bytes. */
int64_t csv_count_bytes(const char *at, size_t length, char byte);

/* ---------------------------------------------------------------------------------------------------- csv_errors.c */

/* Inspects rows from `cells` on, up to `end`, without storing them: finds the first error, the kinds of columns and the
   number of rows, reader->rows. *is_whole: the text ends there. */
strew_status csv_inspect(struct csv_reader *reader, struct cells cells, const char *end, bool *is_whole);
/* The same of one cell. */
strew_status csv_inspect_cell(struct csv_reader *reader, const struct cells *cells, struct cell *cell);
/* Checks for interruption at cell or column i, without reporting progress. */
static inline strew_status check_interrupted(const struct csv_reader *reader, int64_t i) {
  return i % CSV_CELLS_BETWEEN_CHECKS ? STREW_OK : context_check(reader->call, reader->context);
}
/* Adds the number of cells in the rest of a line to *count. */
strew_status csv_count_cells(const struct csv_reader *reader, struct cells *cells, int64_t *count);
/* Fails because of a quote in the cell. */
strew_status csv_fail_quotes(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell);
/* Adds the value, if it is not NULL, and the place to the error: a line and, unless it is negative, column i. Returns the
   status. */
strew_status csv_at_place(const struct csv_reader *reader, int64_t line, int64_t i, const strew_scalar *value,
                          strew_status status);
/* These write to `text`, of TEXT_BYTES, and return it: the first `most` bytes of a name, escaped for messages, and a
   mark if that is not all; the beginning of a cell; */
const char *csv_text_of_start(const char *name, size_t most, char *text);
const char *csv_text_of_cell(const struct cell *cell, char *text);
/* a column as options name it: "price", with its quotes, or 2. A name that is long, or that a script would write with
   escapes, is replaced by the number; if that is another name, they return NULL; */
const char *csv_text_of_column(const struct csv_reader *reader, int64_t i, char *text);
/* a separator as a script writes it, in 4 bytes. */
const char *csv_text_of_byte(char byte, char *text);

/* ----------------------------------------------------------------------------------------------------- csv_parts.c */

/* Reads the rows from `cells` on to the end of the text, and leaves `cells` there. The first call decides the columns'
   dtypes. A chunk without rows leaves reader->rows 0. */
strew_status csv_read_columns(struct csv_reader *reader, struct cells *cells);
void csv_release_columns(struct csv_reader *reader);

/* ------------------------------------------------------------------------------------------------------ csv_load.c */

/* Lines that may be needed to tell whether the first one has names. */
enum { CSV_HEAD_LINES = 8 };
/* Sets *is_open if missing values in the lines at `cells` leave that open: the next line is needed, too. Fails only if
   the call must stop. */
strew_status csv_head_is_open(const struct csv_reader *reader, struct cells cells, bool *is_open);
/* Reads the names, or numbers the columns, and leaves `cells` at the first row. The text holds the first two lines, or
   those that csv_head_is_open needs. */
strew_status csv_read_head(struct csv_reader *reader, struct cells *cells);

/* Checks the options and begins without text. csv_end releases all but the text, after a failure, too. */
strew_status csv_begin(const struct call *call, strew_device *device, const char *path,
                       const strew_load_options *options, struct csv_reader *out);
void csv_end(struct csv_reader *reader);
/* Fails if text, which begins at this line after `before` bytes of the file, is compressed or has a 0 byte. */
strew_status csv_check_text(const struct csv_reader *reader, const char *text, size_t size_bytes, int64_t line,
                            uint64_t before);
/* Makes a table of the rows from `cells` on to the end of the text, and leaves `cells` there. *out is NULL if a chunk
   has no row. On failure `cells` stay. */
strew_status csv_read_rows(struct csv_reader *reader, struct cells *cells, strew_table **out);

#endif
