/* csv_cells.h: splits the text of a .csv file into cells. Inline, because a file has millions of them. */
#ifndef CSV_CELLS_H
#define CSV_CELLS_H

#include "runtime/strew.h"
#include "runtime/text_time/decimal.h"

#include <string.h>

/* Cells between two checks for interruption; of a number with marks between thousands. */
enum { CSV_CELLS_BETWEEN_CHECKS = 1024, GROUPED_BYTES = 512 };

struct cells {
  const char *at; /* the next byte; the text ends at its only 0 byte */
  int64_t line;   /* of `at`, counted from 1 */
  char separator;
  bool has_runs;                 /* any run of blanks and tabs separates cells; `separator` is a blank */
  bool is_ragged;                /* lines have any number of cells: empty ones have none, and are not skipped */
  int comment;                   /* lines that begin with this byte are skipped; 0: none */
  int64_t skip;                  /* lines still to skip, whatever is in them */
  int point, bare_point;         /* the decimal point; that of cells without quotes, in which it may be the separator */
  unsigned char stops[256];      /* of bytes that end a cell: ENDS_CELL of separators, ENDS_LINE of line ends and 0 */
  char thousands;                /* between groups of three digits; 0: nothing */
  char ungrouped[GROUPED_BYTES]; /* the last number with such marks, without them */
  char bare[GROUPED_BYTES];      /* the last number with a unit, without it */
};
enum { ENDS_LINE = 1, ENDS_CELL };

struct cell {
  const char *text; /* without enclosing quotes */
  size_t length;
  bool is_number;   /* its value is `number` */
  bool has_quotes;  /* contains doubled quotes: "" */
  bool is_unclosed; /* no closing quote */
  bool has_more;    /* text follows the closing quote, at cells->at */
  struct decimal number;
  int64_t line, column; /* in which it begins, if it is part of a walk */
};

static inline void cells_start(struct cells *cells, const char *text, char separator, char point,
                               const strew_csv_options *csv) {
  static const char mark[] = "\xef\xbb\xbf"; /* byte order mark in UTF-8 */
  const bool has_runs = separator == STREW_BLANKS;
  if (has_runs) separator = ' ';
  *cells = (struct cells){.at = text, .line = 1, .separator = separator, .has_runs = has_runs, .point = point};
  if (csv) cells->comment = (unsigned char)csv->comment, cells->skip = csv->skip, cells->thousands = csv->thousands;
  cells->is_ragged = csv && csv->ragged;
  cells->bare_point = point == separator ? NO_POINT : point;
  if (strncmp(text, mark, sizeof mark - 1) == 0) cells->at += sizeof mark - 1;
  cells->stops[0] = cells->stops['\n'] = cells->stops['\r'] = ENDS_LINE;
  cells->stops[(unsigned char)separator] = ENDS_CELL;
  if (has_runs) cells->stops['\t'] = ENDS_CELL;
}

/* True if another cell of the line follows the one that ends at cells->at. */
static inline bool cells_has_next(const struct cells *cells) {
  return cells->stops[(unsigned char)*cells->at] == ENDS_CELL;
}

/* True if no cell begins at cells->at: a line of no cells. */
static inline bool cells_at_end(const struct cells *cells) {
  return cells->stops[(unsigned char)*cells->at] == ENDS_LINE;
}

/* Reads a number with marks between thousands, which stays in cells->ungrouped, if the cell is one. csv_guess.c */
void read_grouped(struct cells *cells, struct cell *cell);

static inline const char *skip_blanks(const struct cells *cells, const char *at) {
  while ((*at == ' ' || *at == '\t') && !cells->stops[(unsigned char)*at]) at++;
  return at;
}

/* Moves over the blanks at the beginning of a line, if they separate cells. */
static inline void cells_begin_line(struct cells *cells) {
  if (cells->has_runs) cells->at += strspn(cells->at, " \t");
}

/* Moves to the last blank of a run between cells, or behind it at the end of the line. */
static inline void skip_run(struct cells *cells) {
  const char *end = cells->at + strspn(cells->at, " \t");
  cells->at = end - (end > cells->at && !cells->stops[(unsigned char)*end]);
}

/* Skips the line end at cells->at: \n, \r or \r\n. */
static inline void cells_end_line(struct cells *cells) {
  cells->at += cells->at[0] == '\r' && cells->at[1] == '\n' ? 2 : 1;
  cells->line++;
}

/* True if the line that begins with this byte is skipped. */
static inline bool cells_skips(const struct cells *cells, char byte) {
  const bool is_empty = (byte == '\n' || byte == '\r') && !cells->is_ragged;
  return is_empty || cells->skip || (cells->comment && (unsigned char)byte == cells->comment);
}

/* Skips empty lines, comments and the first `skip` lines; true if another line follows. */
static inline bool cells_find_line(struct cells *cells) {
  cells_begin_line(cells);
  while (*cells->at && cells_skips(cells, *cells->at)) {
    cells->at += strcspn(cells->at, "\r\n");
    if (*cells->at) cells_end_line(cells);
    cells->skip -= cells->skip > 0;
    cells_begin_line(cells);
  }
  return *cells->at != '\0';
}

/* True if the text from `from` to `end` is a number, apart from blanks around it. */
static inline bool read_number(const struct cells *cells, const char *from, const char *end, struct cell *cell) {
  from = skip_blanks(cells, from);
  const char *number_end = decimal_scan(from, cells->point, &cell->number);
  return number_end != from && skip_blanks(cells, number_end) == end;
}

/* Reads the quoted cell at cells->at. */
static inline void next_quoted(struct cells *cells, bool is_text, struct cell *cell) {
  const char *at = cells->at + 1;
  *cell = (struct cell){.text = at};
  for (; *at && (*at != '"' || at[1] == '"'); at++) {
    if (*at == '"') cell->has_quotes = true, at++;
    cells->line += *at == '\n' || (*at == '\r' && at[1] != '\n');
  }
  cell->length = (size_t)(at - cell->text);
  cell->is_unclosed = !*at;
  cells->at = at + (*at == '"');
  cell->has_more = !cells->stops[(unsigned char)*cells->at];
  if (cells->has_runs) skip_run(cells);
  if (is_text || cell->has_quotes) return;
  cell->is_number = read_number(cells, cell->text, at, cell);
  if (cells->thousands && !cell->is_number) read_grouped(cells, cell);
}

/* Reads the cell at cells->at and moves to the separator, line end or 0 byte after it. Cells of text are not parsed
   as numbers. */
static inline void cells_next(struct cells *cells, bool is_text, struct cell *cell) {
  const char *at = cells->at;
  if (*at == '"') {
    next_quoted(cells, is_text, cell);
    return;
  }
  cell->text = at;
  cell->is_number = cell->has_quotes = cell->is_unclosed = cell->has_more = false;
  if (!is_text) {
    const char *from = skip_blanks(cells, at), *number_end = decimal_scan(from, cells->bare_point, &cell->number);
    if (number_end != from) {
      const char *end = skip_blanks(cells, number_end);
      cell->is_number = cells->stops[(unsigned char)*end] != 0;
      if (cell->is_number) at = end;
    }
  }
  while (!cells->stops[(unsigned char)*at]) at++;
  cell->length = (size_t)(at - cell->text);
  cells->at = at;
  if (cells->has_runs) skip_run(cells);
  if (!cell->is_number && cells->thousands && !is_text) read_grouped(cells, cell);
}

#endif
