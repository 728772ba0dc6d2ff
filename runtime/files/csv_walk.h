/* csv_walk.h: walks the lines of a .csv file as rows, twice. The first walk finds all errors, the kind of each column
   and the number of rows; the second walk fills the columns. */
#ifndef CSV_WALK_H
#define CSV_WALK_H

#include "csv_cells.h"
#include "words.h"

/* Kind of a column, as far as known. A walk changes it to a later one only. */
enum kind { UNKNOWN, WHOLE, FRACTIONAL, DATED, TEXTUAL };

struct column {
  enum kind kind;
  int64_t first_line;   /* of its first number */
  int64_t missing_line; /* of its first missing cell; 0: none */
  strew_tensor *tensor;
  char *elements; /* the tensor's memory; host memory if that is on another device */
  size_t element_bytes;
  struct words words;
};

struct reader {
  const struct call *call;
  strew_context *context;
  strew_device *device;
  const char *path;
  const strew_load_options *options;
  locale_t c_locale; /* "C" */
  size_t size_bytes;
  char *text;   /* size_bytes + 1 bytes; the last one is 0 */
  bool is_held; /* by the file */
  char separator, point;
  int64_t count; /* number of columns */
  struct column *columns;
  struct words names;
  int64_t rows;
  int walk;           /* 1 or 2 */
  int64_t visited;    /* number of cells in both walks */
  int64_t row;        /* current row of the second walk */
  int64_t width_line; /* line that set the number of columns */
  char *unquoted;     /* scratch for a cell with its doubled quotes joined */
  size_t unquoted_bytes;
};

/* Reads the names, or numbers the columns, and leaves `cells` at the first row. */
strew_status csv_read_head(struct reader *reader, struct cells *cells);
/* Walks from the first row on: finds errors, kinds and the number of rows. */
strew_status csv_walk_first(struct reader *reader, struct cells cells);
/* Walks the same rows and fills the columns' elements. */
strew_status csv_walk_second(struct reader *reader, struct cells cells);

#endif
