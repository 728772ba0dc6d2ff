/* csv_parts.c: reads the rows of a long text in one walk, by all threads; see csv_walk.h.

   The text is cut into blocks at line ends outside quotes. For that, quotes and line ends are counted first, which also
   bounds the number of rows before each block: its rows are stored from there on. Each round walks as many blocks as
   there are threads, and moves rows together where there were fewer than the bound (empty lines, line ends in quotes).
   Words of text columns that earlier rounds have numbered are found meanwhile; those that are new get their numbers
   after it, a column for each thread, in the order of rows.

   The kinds of columns come from the text's beginning. A walk fails at the first cell that does not fit them, or that
   is an error: then the two walks of csv_walk.c begin again, and find the same error as ever, or other kinds. Workers
   allocate no memory. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_walk.h"
#include "runtime/base/pool.h"

/* How the cells of a column are read: in a way of their own, and other ones by csv_read_cell. */
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

/* What a worker walks: a block. */
struct part {
  struct csv_reader reader; /* a copy, with columns of its own, and */
  struct call call;         /* with this error, which nobody reads */
  strew_error error;
  struct column *columns;
  const char *begin, *end; /* of the text; `end` moves if the walk ends elsewhere */
  int64_t row, rows, lines;
  bool is_failed;
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
  struct column *before;        /* the columns as they were */
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
  return cells->at = end, true;
}

/* Notes the word of a cell. */
static bool note_word(struct part *part, const struct cells *cells, const struct cell *cell, const struct words *words,
                      struct word_search *search) {
  const char *text = cell->text;
  size_t length = cell->length;
  if (length > UINT32_MAX || cell->is_unclosed || cell->has_more || cells->at > part->end) return false;
  if (part->reader.missing.count && csv_is_absent(&part->reader, cells, cell)) length = 0;
  if (cell->has_quotes && length) {
    char *to = part->unquoted + part->unquoted_used;
    for (const char *at = cell->text, *end = at + cell->length; at < end; at++) {
      *to++ = *at;
      at += *at == '"';
    }
    text = part->unquoted + part->unquoted_used;
    length = (size_t)(to - text);
    part->unquoted_used += length;
  }
  search_add(search, words, text, length);
  return true;
}

static bool read_time_cell(const struct part *part, int64_t i, struct cells *cells, char *to) {
  struct cells next = *cells;
  struct cell cell;
  int64_t time;
  cells_next(&next, true, &cell);
  if (cell.has_quotes || cell.is_unclosed || cell.has_more ||
      csv_read_date(&part->reader, &part->columns[i], &cell, &time) != TIME_READ)
    return false;
  memcpy(to, &time, sizeof time);
  cells->at = next.at, cells->line = next.line;
  return true;
}

static bool read_any_cell(struct part *part, struct cells *cells, int64_t i) {
  struct cell cell;
  csv_next_cell(&part->reader, cells, i, &cell);
  return !cell.is_unclosed && !cell.has_more && csv_read_cell(&part->reader, cells, &cell) == STREW_OK;
}

/* Reads the row at cells->at; false: it cannot be one. */
static inline bool read_row(const struct parts *parts, struct part *part, struct cells *cells) {
  const int64_t count = part->reader.count, row = part->row + part->rows;
  struct block_words *words = part->words;
  part->reader.row = row;
  for (int64_t i = 0;; cells->at++) {
    const enum route route = parts->routes[i];
    char *to = part->columns[i].elements + row * 8;
    bool is_read = false;
    if (route == BY_WORD || route == BY_NONE) {
      struct cell cell;
      cells_next(cells, true, &cell);
      is_read = route == BY_NONE ? !cell.is_unclosed && !cell.has_more
                                 : note_word(part, cells, &cell, &part->columns[i].words->words, &words->search);
      if (!is_read) return false;
      words += route == BY_WORD;
    } else if (route == BY_TIME) {
      is_read = read_time_cell(part, i, cells, to);
    } else if (route != BY_CELL) {
      is_read = read_number_cell(part, cells, route, to);
    }
    if (!is_read && !read_any_cell(part, cells, i)) return false;
    const bool has_next = cells_has_next(cells);
    if (++i == count) return !has_next;
    if (!has_next) return false;
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
    part->is_failed = !read_row(parts, part, &cells);
    part->rows++;
    if (*cells.at && !part->is_failed) cells_end_line(&cells);
    if (part->rows % WORDS_AT_ONCE == 0 && !part->is_failed) find_words(parts, part);
  }
  for (int step = 0; step < WORD_BATCHES && !part->is_failed; step++) find_words(parts, part);
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
    if (!column->noted.line && of_part->noted.line) {
      column->noted = of_part->noted;
      column->noted.line += lines_before;
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

/* Gives the columns their dtypes, and memory for `rows` rows, the most there may be. */
static strew_status begin_columns(struct parts *parts, int64_t rows) {
  struct csv_reader *reader = parts->reader;
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < reader->count && status == STREW_OK; i++) {
    struct column *column = &reader->columns[i];
    if (!reader->is_decided) column->dtype = csv_dtype(reader, column);
    parts->routes[i] = (unsigned char)route_of(reader, column);
    if (parts->routes[i] != BY_WORD) continue;
    parts->numberings[parts->text_count++] = (struct numbering){.column = column};
    if (!column->words) status = shared_words_create(reader->call, reader->context, &column->words);
    if (status == STREW_OK && !column->words->words.capacity)
      status = words_grow(reader->call, reader->context, &column->words->words, 0);
  }
  reader->rows = rows;
  return TRY(status, csv_make_columns(reader));
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
    part->call.error = &part->error;
    part->reader = *reader;
    part->reader.call = &part->call;
    part->reader.columns = part->columns;
    part->reader.is_part = true;
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
  for (int64_t p = 0; p < most; p++) parts->parts[p].reader.is_decided = reader->is_decided;
  for (int64_t b = 0; b < parts->block_count && *is_read && status == STREW_OK; b += parts->part_count) {
    parts->part_count = least(most, parts->block_count - b);
    status = walk_round(parts, b, &rows, line, is_read);
  }
  return status == STREW_OK && *is_read ? end_columns(reader, rows) : status;
}

/* Finds the kinds of columns in the first rows; *is_short: these are all. */
static strew_status sample(struct csv_reader *reader, struct cells cells, size_t size_bytes, bool *is_short) {
  if (reader->is_decided) return STREW_OK;
  reader->rows = 0;
  reader->walk = 1;
  strew_status status = csv_walk_first(reader, &cells, cells.at + size_bytes);
  *is_short = !*cells.at;
  return status;
}

strew_status csv_read_parts(struct csv_reader *reader, struct cells *cells, bool *is_read) {
  const size_t grain = reader->context->grain_bytes, columns_bytes = (size_t)reader->count * sizeof *reader->columns;
  const int64_t block_bytes = BLOCK_GRAINS * (int64_t)grain, most = reader->context->threads;
  const char *end = reader->text + reader->size_bytes;
  struct cells first = *cells; /* that may be at the end of the line of names */
  cells_find_line(&first);
  const int64_t size_bytes = end - first.at;
  struct parts parts = {.reader = reader,
                        .cells = first,
                        .end = end,
                        .block_bytes = block_bytes,
                        .block_count = (size_bytes + block_bytes - 1) / block_bytes};
  bool is_short = false;
  int64_t line = first.line;
  *is_read = false;
  if (parts.block_count < 2 || reader->count > MOST_COLUMNS) return STREW_OK;
  ALLOCATE(parts.before, reader->call, reader->context, columns_bytes);
  memcpy(parts.before, reader->columns, columns_bytes);
  strew_status status = sample(reader, first, grain / SAMPLE_GRAINS_SHARE, &is_short);
  if (status == STREW_OK && !is_short) {
    status = begin_parts(&parts, most);
    TRY(status, walk_blocks(&parts, most, &line, is_read));
    end_parts(&parts, most);
  }
  if (*is_read && status == STREW_OK) {
    cells->at = end, cells->line = line;
  } else {
    csv_release_columns(reader);
    for (int64_t i = 0; i < reader->count; i++) parts.before[i].words = reader->columns[i].words;
    memcpy(reader->columns, parts.before, columns_bytes);
    *is_read = false;
  }
  memory_free(reader->context, parts.before, columns_bytes);
  return status;
}
