/* csv_parts.c: reads rows into columns; see csv_reader.h.

   A long text is read in one walk, by all threads. It is cut into blocks at line ends outside quotes. For that, quotes
   and line ends are counted first, which also bounds the number of rows before each block: its rows are stored from
   there on. Each round walks as many blocks as there are threads, and moves rows together where there were fewer than
   the bound (empty lines, line ends in quotes). Words of text columns that earlier rounds have numbered are found
   meanwhile; those that are new get their numbers after it, a column for each thread, in the order of rows. The kinds
   of columns come from the text's beginning. A walk fails at the first cell that does not fit them, or that is an
   error. Workers allocate no memory.

   A short text, and one that does not fit its beginning, is inspected first (csv_errors.c), which finds the error or
   the kinds and the number of rows. Then it is one part, whose words are numbered at once. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_reader.h"
#include "file.h"
#include "runtime/core/base/pool.h"
#include "runtime/core/base/tensor.h"
#include "stream.h"

#include <math.h>

/* How the cells of a column are read: in a way of their own, and other ones by read_any_cell. */
enum route { BY_CELL, BY_INTEGER, BY_FLOAT, BY_TIME, BY_WORD, BY_NONE };

/* A block's text, and what is before it. */
struct block {
  int64_t quotes, line_ends; /* in its bytes, before the block moves to a line end */
  const char *begin;
  int64_t row; /* the most rows that may be before it */
};

/* A word that no earlier round has numbered, and its row in the block. */
struct new_word {
  struct found_word word;
  int64_t row;
};

/* The words of a text column in a block. */
struct block_words {
  struct word_search search;
  int64_t done;         /* rows whose words the search has ended for */
  struct new_word *new; /* `count` of them, in the order of rows */
  size_t count;
};

/* What a worker walks: a block. Or the whole text, if it is inspected. */
struct part {
  struct csv_reader *reader; /* of an inspected text that of all parts; else */
  struct csv_reader own;     /* a copy, with columns of its own, and */
  struct call call;          /* without an error: only its status counts */
  struct column *columns;
  bool is_inspected;
  strew_status status;     /* of memory, and of interruption, if it is */
  const char *begin, *end; /* of the text; `end` moves if the walk ends elsewhere */
  int64_t row, rows, lines;
  bool is_failed;
  int64_t *start;            /* of the last line of a ragged text */
  struct block_words *words; /* of each text column */
  struct new_word *new;      /* room for theirs */
  size_t words_bytes, new_bytes;
  char *unquoted; /* words without their doubled quotes */
  size_t unquoted_used, unquoted_bytes;
};

/* How far the words of a text column have their numbers. */
struct numbering {
  struct column *column;
  int64_t part;
  size_t done;
};

struct parts {
  struct csv_reader *reader;
  struct cells cells; /* at the first row */
  const char *end;
  unsigned char *routes; /* of each column */
  int64_t block_bytes, block_count, text_count, part_count;
  bool has_quotes;
  struct block *blocks; /* and one that is the end */
  struct part *parts;
  struct numbering *numberings; /* of text columns */
};

enum { MOST_COLUMNS = 1 << 10, BLOCK_GRAINS = 2, SAMPLE_GRAINS_SHARE = 4 };

/* --------------------------------------------------------------------------------------------------------- blocks */

/* Counts quotes and line ends in RUN bytes, few enough for counters of a byte, which a vector has many of. */
enum { RUN = 1 << 7 };
static inline void count_run(const char *at, unsigned char *quotes, unsigned char *line_ends) {
  for (int i = 0; i < RUN; i++) {
    *quotes += at[i] == '"';
    *line_ends += (at[i] == '\n') | ((at[i] == '\r') & (at[i + 1] != '\n'));
  }
}

static void count_block(void *user, int64_t b) {
  struct parts *parts = user;
  const char *at = parts->cells.at + b * parts->block_bytes, *end = at + parts->block_bytes;
  struct block *block = &parts->blocks[b];
  if (end > parts->end) end = parts->end;
  block->quotes = block->line_ends = 0;
  for (; end - at >= RUN; at += RUN) {
    unsigned char quotes = 0, line_ends = 0;
    count_run(at, &quotes, &line_ends);
    block->quotes += quotes, block->line_ends += line_ends;
  }
  for (; at < end; at++) {
    block->quotes += *at == '"';
    block->line_ends += *at == '\n' || (*at == '\r' && at[1] != '\n');
  }
}

/* Moves the beginnings of blocks to line ends outside quotes. */
static void cut_blocks(struct parts *parts) {
  const bool is_ended = parts->end[-1] == '\n' || parts->end[-1] == '\r';
  int64_t quotes = 0, row = 0;
  for (int64_t b = 0; b < parts->block_count; b++) {
    struct block *block = &parts->blocks[b];
    const char *at = parts->cells.at + b * parts->block_bytes;
    const int64_t block_quotes = block->quotes, line_ends = block->line_ends;
    bool is_inside = quotes % 2;
    block->begin = at, block->row = row;
    if (b && block[-1].begin > at) {
      block->begin = block[-1].begin, block->row = block[-1].row;
    } else if (b) {
      bool is_end = false;
      for (; at < parts->end && !is_end; at++) {
        is_inside ^= *at == '"';
        const bool is_line_end = *at == '\n' || (*at == '\r' && at[1] != '\n');
        block->row += is_line_end;
        is_end = is_line_end && !is_inside;
      }
      block->begin = at, block->row += !is_end && !is_ended; /* the last row is before it */
    }
    quotes += block_quotes, row += line_ends;
  }
  parts->blocks[parts->block_count] = (struct block){.begin = parts->end, .row = row + !is_ended};
  parts->has_quotes = quotes > 0;
}

/* Lowers the numbers of rows where many lines are empty or in quotes: a row has at least a byte for each column. */
static void bound_rows(struct parts *parts) {
  int64_t row = parts->blocks[0].row, lines;
  for (int64_t b = 0; b < parts->block_count; b++, row += lines) {
    struct block *block = &parts->blocks[b];
    lines = least(block[1].row - block->row, (block[1].begin - block->begin) / parts->reader->count + 1);
    block->row = row;
  }
  parts->blocks[parts->block_count].row = row;
}

/* ---------------------------------------------------------------------------------------------------------- cells */

/* A number in its usual form: digits, a point or none, up to 19 digits in all. */
struct usual {
  uint64_t digits;
  int decimals;
  bool is_negative, is_whole;
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Reads eight digits at once; false if there are other bytes. */
static inline bool read_eight(const char *at, uint64_t *digits) {
  uint64_t eight;
  memcpy(&eight, at, sizeof eight);
  const uint64_t above = eight + 0x0606060606060606;
  if (((eight & 0xf0f0f0f0f0f0f0f0) | (above & 0xf0f0f0f0f0f0f0f0) >> 4) != 0x3333333333333333) return false;
  eight = (eight & 0x0f0f0f0f0f0f0f0f) * (10 << 8 | 1) >> 8; /* pairs, then fours */
  eight = (eight & 0x00ff00ff00ff00ff) * (100 << 16 | 1) >> 16;
  *digits = *digits * 100000000 + ((eight & 0x0000ffff0000ffff) * ((uint64_t)10000 << 32 | 1) >> 32);
  return true;
}
#else
static inline bool read_eight(const char *at, uint64_t *digits) { return (void)at, (void)digits, false; }
#endif

static inline const char *read_digits(const char *at, const char *end, uint64_t *digits) {
  while (end - at >= 8 && read_eight(at, digits)) at += 8;
  for (; (unsigned char)(*at - '0') < 10; at++) *digits = *digits * 10 + (uint64_t)(*at - '0');
  return at;
}

/* Returns the end of the cell at `at`, or NULL if it is no such number. */
static inline const char *read_usual(const struct cells *cells, const char *at, const char *end, struct usual *out) {
  enum { MOST_DIGITS = 19 };
  *out = (struct usual){.is_negative = *at == '-', .is_whole = true};
  at += out->is_negative;
  const char *first = at;
  at = read_digits(at, end, &out->digits);
  const int64_t whole = at - first;
  if (!whole) return NULL;
  if (*at == cells->bare_point) {
    const char *fraction = at + 1;
    at = read_digits(fraction, end, &out->digits);
    out->is_whole = false;
    out->decimals = at - fraction <= MOST_DIGITS ? (int)(at - fraction) : MOST_DIGITS;
  }
  const bool is_label = out->is_whole && *first == '0' && whole > 1;
  return whole + out->decimals > MOST_DIGITS || is_label || !cells->stops[(unsigned char)*at] ? NULL : at;
}

/* Reads a number of its usual form; false: the cell is something else. */
static inline bool read_number_cell(struct part *part, struct cells *cells, enum route route, char *to) {
  const int64_t exact = (int64_t)1 << 53;
  struct usual usual;
  const char *end = read_usual(cells, cells->at, part->end, &usual);
  if (!end || (usual.is_whole && usual.digits >= (uint64_t)exact)) return false;
  if (route == BY_INTEGER) {
    if (!usual.is_whole) return false;
    const int64_t whole = usual.is_negative ? -(int64_t)usual.digits : (int64_t)usual.digits;
    memcpy(to, &whole, sizeof whole);
  } else {
    const double number = decimal_of_digits(usual.digits, -usual.decimals, usual.is_negative);
    memcpy(to, &number, sizeof number);
  }
  cells->at = end;
  if (cells->has_runs) skip_run(cells);
  return true;
}

/* Stores the number of a word. */
static bool number_word(struct part *part, const struct column *column, struct cell *cell, char *to) {
  struct csv_reader *reader = part->reader;
  int64_t number = 0;
  part->status = csv_unquote(reader, cell);
  TRY(part->status,
      words_number(reader->call, reader->context, &column->words->words, cell->text, cell->length, &number));
  memcpy(to, &(int32_t){(int32_t)number}, sizeof(int32_t));
  return part->status == STREW_OK;
}

/* Notes the word of a cell of column i, the k-th one of text. */
static bool read_word_cell(struct part *part, struct cells *cells, int64_t i, int64_t k, char *to) {
  const struct column *column = &part->columns[i];
  struct cell cell;
  cells_next(cells, true, &cell);
  if (cell.is_unclosed || cell.has_more || cells->at > part->end) return false;
  if (csv_is_absent(part->reader, cells, &cell)) cell.length = 0, cell.has_quotes = false;
  if (part->is_inspected) return number_word(part, column, &cell, to);
  if (cell.length > UINT32_MAX) return false;
  if (cell.has_quotes) {
    char *unquoted = part->unquoted + part->unquoted_used;
    cell.length = csv_join_quotes(&cell, unquoted), cell.text = unquoted;
    part->unquoted_used += cell.length;
  }
  search_add(&part->words[k].search, &column->words->words, cell.text, cell.length);
  return true;
}

static bool skip_cell(struct cells *cells) {
  struct cell cell;
  cells_next(cells, true, &cell);
  return !cell.is_unclosed && !cell.has_more;
}

static bool read_time_cell(const struct part *part, int64_t i, struct cells *cells, char *to) {
  struct cells next = *cells;
  struct cell cell;
  int64_t time;
  cells_next(&next, true, &cell);
  if (cell.has_quotes || cell.is_unclosed || cell.has_more ||
      csv_read_date(part->reader, &part->columns[i], &cell, &time) != TIME_READ)
    return false;
  memcpy(to, &time, sizeof time);
  cells->at = next.at, cells->line = next.line;
  return true;
}

static strew_dtype dtype_of(const struct csv_reader *reader, const struct column *column) {
  if (column->kind == TEXTUAL || column->kind == MARKED) return STREW_TEXT;
  if (column->kind == DATED) return STREW_TIME;
  if (csv_wanted(reader, column)) return *csv_wanted(reader, column);
  return column->kind == WHOLE && !column->missing_line ? STREW_INT64 : STREW_FLOAT64;
}

/* Takes a cell into account for its column; false: it is an error, or needs another dtype. */
static inline bool fits(struct part *part, const struct cells *cells, struct cell *cell) {
  const struct column *column = &part->columns[cell->column];
  const strew_dtype dtype = column->dtype;
  if (csv_inspect_cell(part->reader, cells, cell) != STREW_OK) return false;
  const bool is_word = column->kind == MARKED || column->kind == TEXTUAL;
  const bool has_no_nan = column->kind < DATED && column->missing_line && !dtype_is_float(dtype);
  return !is_word && !has_no_nan && dtype_of(part->reader, column) == dtype;
}

/* Stores a cell that fits its column, of numbers or dates: its dtype holds the number, and NaN if cells are missing. */
static inline void store_cell(const struct csv_reader *reader, const struct cells *cells, const struct cell *cell,
                              char *to) {
  const struct column *column = &reader->columns[cell->column];
  const bool is_absent = csv_is_absent(reader, cells, cell);
  const strew_dtype dtype = column->dtype;
  int64_t whole;
  if (column->kind == DATED) {
    if (is_absent || csv_read_date(reader, column, cell, &whole) != TIME_READ) whole = INT64_MIN;
    memcpy(to, &whole, sizeof whole);
  } else if (is_absent || !cell->is_number) {
    (void)strew_scalar_store(strew_float((double)NAN), STREW_EXACT, dtype, to, NULL);
  } else if (dtype == STREW_FLOAT64) {
    memcpy(to, &(double){csv_double_of(reader, cell)}, sizeof(double));
  } else if (dtype == STREW_INT64 && decimal_to_integer(&cell->number, &whole)) {
    memcpy(to, &whole, sizeof whole);
  } else {
    (void)csv_store_number(reader, cell, dtype, to);
  }
}

static bool read_any_cell(struct part *part, struct cells *cells, int64_t i, char *to) {
  struct cell cell;
  csv_next_cell(part->reader, cells, i, &cell);
  if (cell.is_unclosed || cell.has_more || (!part->is_inspected && !fits(part, cells, &cell))) return false;
  store_cell(part->reader, cells, &cell, to);
  return true;
}

/* Reports progress and checks for interruption, on the caller's thread. */
static bool goes_on(struct part *part, const struct cells *cells) {
  const struct csv_reader *reader = part->reader;
  progress_reach(reader->context, 2 * (uint64_t)reader->size_bytes + (uint64_t)(cells->at - reader->text));
  part->status = context_check(reader->call, reader->context);
  return part->status == STREW_OK;
}

/* Reads the cell of column i at cells->at, *k of text columns before it, into the next row; false: it cannot be one. */
static inline bool read_cell(const struct parts *parts, struct part *part, struct cells *cells, int64_t i, int64_t *k) {
  const struct column *column = &part->columns[i];
  const enum route route = parts->routes[i];
  char *to = column->elements + (size_t)(part->row + part->rows) * column->element_bytes;
  bool is_read = false;
  if (route == BY_INTEGER || route == BY_FLOAT)
    is_read = read_number_cell(part, cells, route, to);
  else if (route == BY_TIME)
    is_read = read_time_cell(part, i, cells, to);
  return is_read || (route == BY_WORD   ? read_word_cell(part, cells, i, (*k)++, to)
                     : route == BY_NONE ? skip_cell(cells)
                                        : read_any_cell(part, cells, i, to));
}

/* Reads a line of any number of cells, and stores where the next one starts; false: it cannot be one. */
static bool read_ragged(const struct parts *parts, struct part *part, struct cells *cells) {
  int64_t k = 0;
  for (bool has_next = !cells_at_end(cells); has_next; cells->at += has_next) {
    if (!read_cell(parts, part, cells, 0, &k)) return false;
    if (++part->rows % CSV_CELLS_BETWEEN_CHECKS == 0 && !goes_on(part, cells)) return false;
    has_next = cells_has_next(cells);
  }
  return *++part->start = part->rows, true;
}

/* Reads the row at cells->at; false: it cannot be one. */
static inline bool read_row(const struct parts *parts, struct part *part, struct cells *cells) {
  const int64_t count = part->reader->count;
  for (int64_t i = 0, k = 0;; cells->at++) {
    if (!read_cell(parts, part, cells, i, &k)) return false;
    const bool has_next = cells_has_next(cells);
    if (++i == count) return !has_next;
    if (!has_next || (i % CSV_CELLS_BETWEEN_CHECKS == 0 && part->is_inspected && !goes_on(part, cells))) return false;
  }
}

/* Ends a batch of the search in each text column; stores the numbers of an earlier one, and lists its new words. */
static void find_words(const struct parts *parts, struct part *part) {
  for (int64_t k = 0; k < parts->text_count; k++) {
    const struct column *column = parts->numberings[k].column;
    struct block_words *words = &part->words[k];
    struct word_batch *batch = search_step(&words->search, &column->words->words);
    int32_t *codes = (int32_t *)(void *)column->elements + part->row + words->done;
    for (size_t i = 0; i < batch->count; i++) {
      codes[i] = (int32_t)batch->numbers[i];
      if (batch->numbers[i] < 0)
        words->new[words->count++] = (struct new_word){batch->found[i], words->done + (int64_t)i};
    }
    words->done += (int64_t)batch->count, batch->count = 0;
  }
}

static void walk_part(void *user, int64_t i) {
  struct parts *parts = user;
  struct part *part = &parts->parts[i];
  struct cells cells = parts->cells;
  cells.at = part->begin, cells.line = 1; /* 0 is none */
  part->rows = 0, part->unquoted_used = 0;
  part->is_failed = false;
  while (cells.at < part->end && !part->is_failed) {
    cells_begin_line(&cells);
    if (!*cells.at || cells_skips(&cells, *cells.at)) {
      cells.at += strcspn(cells.at, "\r\n");
      if (*cells.at) cells_end_line(&cells);
      continue;
    }
    part->is_failed = part->start ? !read_ragged(parts, part, &cells) : !read_row(parts, part, &cells);
    part->rows += !part->start;
    if (*cells.at && !part->is_failed) cells_end_line(&cells);
    if (part->is_inspected && part->rows % CSV_CELLS_BETWEEN_CHECKS == 0) part->is_failed |= !goes_on(part, &cells);
    if (part->rows % WORDS_AT_ONCE == 0 && !part->is_failed && !part->is_inspected) find_words(parts, part);
  }
  for (int step = 0; step < WORD_BATCHES && !part->is_failed && !part->is_inspected; step++) find_words(parts, part);
  part->is_failed |= cells.at != part->end;
  part->lines = cells.line - 1;
}

/* ---------------------------------------------------------------------------------------------------------- words */

static void number_words(void *user, int64_t k) {
  struct parts *parts = user;
  struct numbering *numbering = &parts->numberings[k];
  struct words *words = &numbering->column->words->words;
  for (; numbering->part < parts->part_count; numbering->part++, numbering->done = 0) {
    const struct part *part = &parts->parts[numbering->part];
    const struct block_words *block = &part->words[k];
    int32_t *codes = (int32_t *)(void *)numbering->column->elements + part->row;
    int64_t code;
    for (; numbering->done < block->count; numbering->done++) {
      const struct new_word *new = &block->new[numbering->done];
      if (numbering->done + WORDS_AT_ONCE < block->count) words_prefetch_slot(words, new[WORDS_AT_ONCE].word.hash);
      if (!words_number_found(words, &new->word, &code)) return;
      codes[new->row] = (int32_t)code;
    }
  }
}

/* Numbers the new words of a round; the parts' rows begin at part->row. */
static strew_status number_all(struct parts *parts) {
  const struct csv_reader *reader = parts->reader;
  strew_status status = STREW_OK;
  for (int64_t k = 0; k < parts->text_count; k++) parts->numberings[k].part = 0, parts->numberings[k].done = 0;
  for (bool is_done = !parts->text_count; !is_done && status == STREW_OK;) {
    pool_run(reader->context, parts->text_count, number_words, parts);
    status = context_check(reader->call, reader->context);
    is_done = true;
    for (int64_t k = 0; k < parts->text_count && status == STREW_OK; k++) {
      const struct numbering *numbering = &parts->numberings[k];
      if (numbering->part == parts->part_count) continue;
      const struct part *part = &parts->parts[numbering->part];
      is_done = false;
      status = words_grow(reader->call, reader->context, &numbering->column->words->words,
                          part->words[k].new[numbering->done].word.length);
    }
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- rounds */

/* Replaces memory by larger one, without its contents. */
static strew_status widen(const struct csv_reader *reader, void *memory, size_t *held_bytes, size_t size_bytes) {
  void **block = memory;
  if (size_bytes <= *held_bytes) return STREW_OK;
  memory_free(reader->context, *block, *held_bytes);
  *held_bytes = 0;
  ALLOCATE(*block, reader->call, reader->context, size_bytes);
  *held_bytes = size_bytes;
  return STREW_OK;
}

/* Makes a part ready for block b. */
static strew_status begin_part(struct parts *parts, struct part *part, int64_t b) {
  const struct csv_reader *reader = parts->reader;
  const struct block *block = &parts->blocks[b];
  memcpy(part->columns, reader->columns, (size_t)reader->count * sizeof *part->columns);
  part->begin = block->begin, part->end = block[1].begin, part->row = block->row;
  if (!parts->text_count) return STREW_OK;
  const size_t rows = (size_t)(block[1].row - block->row), texts = (size_t)parts->text_count;
  strew_status status = widen(reader, &part->words, &part->words_bytes, texts * sizeof *part->words);
  TRY(status, widen(reader, &part->new, &part->new_bytes, rows * texts * sizeof *part->new));
  for (size_t k = 0; k < texts && status == STREW_OK; k++)
    memset(&part->words[k], 0, sizeof *part->words), part->words[k].new = part->new + k *rows;
  if (!parts->has_quotes) return status;
  return TRY(status, widen(reader, &part->unquoted, &part->unquoted_bytes, (size_t)(part->end - part->begin)));
}

static void take_line(int64_t *line, int64_t of_part, int64_t lines_before) {
  if (!*line && of_part) *line = of_part + lines_before;
}

/* Takes over what a part has learnt about the columns. */
static void take_columns(struct csv_reader *reader, const struct part *part, int64_t lines_before) {
  for (int64_t i = 0; i < reader->count; i++) {
    struct column *column = &reader->columns[i];
    const struct column *of_part = &part->columns[i];
    if (of_part->kind > column->kind) column->kind = of_part->kind;
    if (!column->suspect.line && of_part->suspect.line) {
      column->suspect = of_part->suspect;
      column->suspect.line += lines_before;
    }
    take_line(&column->fractional_line, of_part->fractional_line, lines_before);
    take_line(&column->first_line, of_part->first_line, lines_before);
    take_line(&column->missing_line, of_part->missing_line, lines_before);
  }
}

/* Moves a part's rows up to `row`. */
static void move_rows(const struct parts *parts, struct part *part, int64_t row) {
  const struct csv_reader *reader = parts->reader;
  for (int64_t i = 0; row < part->row && i < reader->count; i++) {
    const size_t step = part->columns[i].element_bytes;
    char *elements = part->columns[i].elements;
    if (parts->routes[i] == BY_NONE) continue;
    memmove(elements + (size_t)row * step, elements + (size_t)part->row * step, (size_t)part->rows * step);
  }
  part->row = row;
}

/* Walks blocks from b on, one for each part; *rows and *line are those after them. *is_read: false after a cell that
   does not fit. */
static strew_status walk_round(struct parts *parts, int64_t b, int64_t *rows, int64_t *line, bool *is_read) {
  struct csv_reader *reader = parts->reader;
  strew_status status = STREW_OK;
  for (int64_t p = 0; p < parts->part_count && status == STREW_OK; p++)
    status = begin_part(parts, &parts->parts[p], b + p);
  if (status != STREW_OK) return status;
  pool_run(reader->context, parts->part_count, walk_part, parts);
  RETURN_IF_FAILED(context_check(reader->call, reader->context));
  for (int64_t p = 0; p < parts->part_count && *is_read; p++) {
    struct part *part = &parts->parts[p];
    *is_read = !part->is_failed;
    take_columns(reader, part, *line - 1);
    move_rows(parts, part, *rows);
    *rows += part->rows, *line += part->lines;
  }
  if (*is_read) status = number_all(parts);
  progress_reach(reader->context,
                 reader->size_bytes + 2 * (uint64_t)(parts->blocks[b + parts->part_count].begin - reader->text));
  return status;
}

/* ------------------------------------------------------------------------------------------------- begin and end */

static enum route route_of(const struct csv_reader *reader, const struct column *column) {
  const bool is_number = column->kind == WHOLE || column->kind == FRACTIONAL;
  if (column->kind == SKIPPED) return BY_NONE;
  if (column->kind == TEXTUAL) return BY_WORD;
  if (reader->missing.count || reader->number_count) return BY_CELL;
  if (column->kind == DATED) return BY_TIME;
  if (column->kind == WHOLE && column->dtype == STREW_INT64 && !csv_wanted(reader, column)) return BY_INTEGER;
  return is_number && column->kind == FRACTIONAL && column->dtype == STREW_FLOAT64 ? BY_FLOAT : BY_CELL;
}

/* Gives the columns their dtypes by their kinds, unless an earlier chunk has. decides: for later chunks, too; a column
   without a number or word is one of floats. */
static strew_status give_dtypes(struct csv_reader *reader, bool decides) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    struct column *column = &reader->columns[i];
    if (!reader->is_decided) column->dtype = dtype_of(reader, column);
    if (decides && column->kind == UNKNOWN) column->kind = FRACTIONAL;
    if (decides && column->kind == MARKED) column->kind = TEXTUAL;
    if (column->kind == TEXTUAL && !column->words)
      status = shared_words_create(reader->call, reader->context, &column->words);
  }
  reader->is_decided |= decides && status == STREW_OK;
  return status;
}

static strew_status make_column(struct csv_reader *reader, struct column *column) {
  strew_device *cpu = &reader->context->cpu;
  const strew_dtype stored = column->dtype == STREW_TEXT ? STREW_INT32 : column->dtype; /* codes: it has no words yet */
  strew_status status = tensor_create(reader->call, cpu, stored, 1, &reader->rows, &column->tensor);
  column->element_bytes = dtype_bytes(column->dtype);
  if (status == STREW_OK) column->elements = column->tensor->storage->data;
  return status;
}

/* Makes the columns' tensors of `rows` elements. */
static strew_status make_columns(struct csv_reader *reader, int64_t rows) {
  uint64_t size_bytes = 0;
  reader->rows = rows;
  for (int64_t k = 0; k < reader->chosen_count; k++)
    size_bytes += (uint64_t)rows * dtype_bytes(reader->columns[reader->chosen[k]].dtype);
  strew_status status = check_machine_memory(reader->call, reader->device, size_bytes, NULL);
  for (int64_t k = 0; k < reader->chosen_count && status == STREW_OK; k++) {
    if (k % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(reader->call, reader->context);
    TRY(status, make_column(reader, &reader->columns[reader->chosen[k]]));
  }
  return status;
}

void csv_release_columns(struct csv_reader *reader) {
  for (int64_t i = 0; reader->columns && i < reader->count; i++) {
    strew_release(reader->columns[i].tensor);
    reader->columns[i].tensor = NULL;
  }
  strew_release(reader->starts);
  reader->starts = NULL;
}

/* Makes the columns ready for `rows` rows, the most there may be. */
static strew_status begin_columns(struct parts *parts, int64_t rows) {
  struct csv_reader *reader = parts->reader;
  strew_status status = give_dtypes(reader, !parts->numberings);
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    struct column *column = &reader->columns[i];
    parts->routes[i] = (unsigned char)route_of(reader, column);
    if (parts->routes[i] != BY_WORD || !parts->numberings) continue;
    parts->numberings[parts->text_count++] = (struct numbering){.column = column};
    if (!column->words->words.capacity) status = words_grow(reader->call, reader->context, &column->words->words, 0);
  }
  return TRY(status, make_columns(reader, rows));
}

/* Shortens the columns to `rows` rows. */
static strew_status end_columns(struct csv_reader *reader, int64_t rows) {
  strew_status status = STREW_OK;
  if (rows == reader->rows) return STREW_OK;
  struct column *columns = reader->columns;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    struct column *column = &columns[i];
    strew_tensor *tensor = NULL;
    if (!column->tensor) continue;
    status = tensor_create(reader->call, &reader->context->cpu, column->tensor->dtype, 1, &rows, &tensor);
    if (status != STREW_OK) break;
    memcpy(tensor->storage->data, column->elements, (size_t)rows * column->element_bytes);
    strew_release(column->tensor);
    column->tensor = tensor;
  }
  reader->rows = rows;
  return status;
}

/* Allocates for `most` parts. */
static strew_status begin_parts(struct parts *parts, int64_t most) {
  const struct csv_reader *reader = parts->reader;
  const size_t count = (size_t)reader->count;
  ALLOCATE(parts->routes, reader->call, reader->context, count);
  ALLOCATE(parts->numberings, reader->call, reader->context, count * sizeof *parts->numberings);
  ALLOCATE(parts->blocks, reader->call, reader->context, (size_t)(parts->block_count + 1) * sizeof *parts->blocks);
  ALLOCATE(parts->parts, reader->call, reader->context, (size_t)most * sizeof *parts->parts);
  memset(parts->parts, 0, (size_t)most * sizeof *parts->parts);
  for (int64_t p = 0; p < most; p++) {
    struct part *part = &parts->parts[p];
    ALLOCATE(part->columns, reader->call, reader->context, count * sizeof *part->columns);
    part->call = *reader->call;
    part->call.error = NULL;
    part->reader = &part->own;
    part->own = *reader;
    part->own.call = &part->call;
    part->own.columns = part->columns;
  }
  return STREW_OK;
}

static void end_parts(struct parts *parts, int64_t most) {
  const struct csv_reader *reader = parts->reader;
  const size_t count = (size_t)reader->count;
  for (int64_t p = 0; parts->parts && p < most; p++) {
    struct part *part = &parts->parts[p];
    memory_free(reader->context, part->columns, count * sizeof *part->columns);
    memory_free(reader->context, part->words, part->words_bytes);
    memory_free(reader->context, part->new, part->new_bytes);
    memory_free(reader->context, part->unquoted, part->unquoted_bytes);
  }
  memory_free(reader->context, parts->parts, (size_t)most * sizeof *parts->parts);
  memory_free(reader->context, parts->blocks, (size_t)(parts->block_count + 1) * sizeof *parts->blocks);
  memory_free(reader->context, parts->numberings, count * sizeof *parts->numberings);
  memory_free(reader->context, parts->routes, count);
}

/* Walks all blocks, in rounds of `most` parts. */
static strew_status walk_blocks(struct parts *parts, int64_t most, int64_t *line, bool *is_read) {
  struct csv_reader *reader = parts->reader;
  int64_t rows = 0;
  pool_run(reader->context, parts->block_count, count_block, parts);
  RETURN_IF_FAILED(context_check(reader->call, reader->context));
  cut_blocks(parts);
  const int64_t lines = parts->blocks[parts->block_count].row;
  *is_read = lines <= (parts->end - parts->cells.at) / reader->count; /* else many line ends are in quotes */
  if (!*is_read) return STREW_OK;
  bound_rows(parts);
  strew_status status = begin_columns(parts, parts->blocks[parts->block_count].row);
  for (int64_t b = 0; b < parts->block_count && *is_read && status == STREW_OK; b += parts->part_count) {
    parts->part_count = least(most, parts->block_count - b);
    status = walk_round(parts, b, &rows, line, is_read);
  }
  return status == STREW_OK && *is_read ? end_columns(reader, rows) : status;
}

/* Reads a long text from `cells` on to its end in one walk, with the kinds of its beginning. *is_read: false if the text
   is short, or has a cell that does not fit its column: nothing is changed. */
static strew_status read_at_once(struct csv_reader *reader, struct cells *cells, bool *is_read) {
  const size_t grain = reader->context->grain_bytes, columns_bytes = (size_t)reader->count * sizeof *reader->columns;
  const int64_t block_bytes = BLOCK_GRAINS * (int64_t)grain, most = reader->context->threads;
  const char *end = reader->text + reader->size_bytes;
  struct parts parts = {.reader = reader,
                        .cells = *cells,
                        .end = end,
                        .block_bytes = block_bytes,
                        .block_count = (end - cells->at + block_bytes - 1) / block_bytes};
  bool is_short = false;
  int64_t line = cells->line;
  if (parts.block_count < 2 || reader->count > MOST_COLUMNS || reader->is_ragged) return STREW_OK;
  ALLOCATE_NEW(struct column *, before, reader->call, reader->context, columns_bytes);
  memcpy(before, reader->columns, columns_bytes);
  strew_status status = STREW_OK;
  if (!reader->is_decided) status = csv_inspect(reader, *cells, cells->at + grain / SAMPLE_GRAINS_SHARE, &is_short);
  if (status == STREW_OK && !is_short) {
    status = begin_parts(&parts, most);
    TRY(status, walk_blocks(&parts, most, &line, is_read));
    end_parts(&parts, most);
  }
  if (status == STREW_OK && *is_read) {
    cells->at = end, cells->line = line;
  } else {
    csv_release_columns(reader);
    for (int64_t i = 0; i < reader->count; i++) before[i].words = reader->columns[i].words;
    memcpy(reader->columns, before, columns_bytes);
    *is_read = false;
  }
  memory_free(reader->context, before, columns_bytes);
  return *is_read ? give_dtypes(reader, true) : status;
}

/* Makes the starts of the lines of a ragged text: one more than there are lines. */
static strew_status begin_starts(struct csv_reader *reader, struct part *part) {
  const int64_t count = reader->lines + 1;
  strew_status status = check_machine_memory(reader->call, reader->device, (uint64_t)count * sizeof *part->start, NULL);
  TRY(status, tensor_create(reader->call, &reader->context->cpu, STREW_INT64, 1, &count, &reader->starts));
  if (status == STREW_OK) part->start = reader->starts->storage->data, *part->start = 0;
  return status;
}

/* Reads an inspected text from `cells` on to its end. */
static strew_status read_inspected(struct csv_reader *reader, struct cells *cells) {
  struct part part = {.reader = reader,
                      .columns = reader->columns,
                      .begin = cells->at,
                      .end = reader->text + reader->size_bytes,
                      .is_inspected = true};
  struct parts parts = {.reader = reader, .cells = *cells, .end = part.end, .parts = &part};
  ALLOCATE(parts.routes, reader->call, reader->context, (size_t)reader->count);
  strew_status status = begin_columns(&parts, reader->rows);
  if (reader->is_ragged) TRY(status, begin_starts(reader, &part));
  if (status == STREW_OK) walk_part(&parts, 0), status = part.status;
  if (status == STREW_OK && part.is_failed) /* never: csv_inspect has passed these bytes */
    status = fail_file(reader->call, reader->path, NULL, "was changed while it was read");
  memory_free(reader->context, parts.routes, (size_t)reader->count);
  cells->at = part.end, cells->line += part.lines;
  return status;
}

strew_status csv_read_columns(struct csv_reader *reader, struct cells *cells) {
  bool is_read = false, is_whole;
  (void)cells_find_line(cells);
  strew_status status = read_at_once(reader, cells, &is_read);
  if (is_read || status != STREW_OK) return status;
  status = csv_inspect(reader, *cells, reader->text + reader->size_bytes, &is_whole);
  return status == STREW_OK && (reader->rows || !reader->is_chunked) ? read_inspected(reader, cells) : status;
}
