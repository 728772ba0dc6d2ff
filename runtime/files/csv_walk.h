/* csv_walk.h: the lines of a .csv file as rows. They are walked twice: the first walk finds all that can be wrong, what
   each column is, and how many rows there are; the second one fills the columns. */
#ifndef CSV_WALK_H
#define CSV_WALK_H

#include "csv_cells.h"
#include "words.h"

/* What a column is known to be, each more than the one before. */
enum kind { UNKNOWN, WHOLE, FRACTIONAL, TEXTUAL };

struct column {
  enum kind kind;
  int64_t first_line;   /* of the cell that decided: that it is one of numbers */
  int64_t missing_line; /* of the first missing cell, 0: none */
  strew_tensor *tensor;
  char *elements; /* the tensor's, or on their way to another device than the CPU */
  size_t element_bytes;
  struct words words;
};

struct reader {
  const struct call *call;
  strew_context *context;
  strew_device *device;
  const char *path;
  const strew_load_options *options;
  locale_t plain; /* "C" */
  size_t size_bytes;
  char *text; /* size_bytes + 1 bytes, of which the last is 0 */
  char separator;
  int64_t count; /* of columns */
  struct column *columns;
  struct words names;
  int64_t rows;
  int walk;           /* 1 or 2 */
  int64_t visited;    /* cells of both */
  int64_t row;        /* of the second walk */
  int64_t width_line; /* whose cells were counted */
  char *spare;        /* a cell without its doubled quotes */
  size_t spare_bytes;
};

/* Reads names, or makes them, and leaves `cells` at the first row. */
strew_status csv_read_head(struct reader *reader, struct cells *cells);
/* From the first row on: kinds and rows. */
strew_status csv_walk_first(struct reader *reader, struct cells cells);
/* The same rows into the columns' elements. */
strew_status csv_walk_second(struct reader *reader, struct cells cells);

#endif
