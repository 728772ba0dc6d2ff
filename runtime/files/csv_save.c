/* csv_save.c: saves tables of columns, and tensors of rank 1 or 2, as .csv files, and tables as .jsonl files. Threads write parts of the cells into
   memory of their own, which goes into the draft in order. Numbers get the shortest text that reads back the same; words
   are quoted where necessary. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "csv_cells.h"
#include "format.h"
#include "runtime/core/base/pool.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { PART_CELLS = 1 << 15, PART_BYTES = 24 * PART_CELLS, MOST_SPECIALS = 8 };

/* A column to write. */
struct csv_source {
  strew_tensor *dense; /* contiguous, on the CPU: a view or a copy */
  const char *elements;
  size_t step_bytes;         /* from row to row */
  const struct words *words; /* of a text; NULL: a column of numbers or times */
  bool is_float;
};

/* The text of a worker's cells, counted row by row: those before `done` are written, `end` is behind the last one. Once
   the lengths of the texts before it are known, it is placed: the worker writes it to the file before its next cells. */
struct part {
  char *bytes;
  size_t used_bytes, held_bytes;
  int64_t done, end;
  bool is_placed;
  uint64_t place; /* of the text in the file */
};

struct writer {
  const struct call *call;
  strew_context *context;
  char separator, point;
  const char *missing; /* NaN and NaT */
  struct sink sink;
  struct part *parts;
  int64_t part_count;
  bool is_special[256]; /* bytes for which a word needs quotes */
  int special_count;    /* these bytes, each eight times */
  uint64_t specials[MOST_SPECIALS];
  const strew_table *table; /* NULL: a tensor */
  int64_t rows, count;
  struct csv_source *sources;
  struct words keys; /* of .jsonl: what stands before each column's value; else none */
};

strew_status csv_point(const struct call *call, char point) {
  char text[TEXT_BYTES];
  if (point == '.' || point == ',') return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "decimal"), "is \"%s\", expected a point or a comma",
              text_of_name((char[]){point, '\0'}, text));
}

strew_status csv_separator(const struct call *call, char separator) {
  char text[TEXT_BYTES];
  bool is_letter = (separator | 0x20) >= 'a' && (separator | 0x20) <= 'z';
  bool is_digit = separator >= '0' && separator <= '9';
  if (!strchr("\"\n\r+-.", separator) && !is_letter && !is_digit && (unsigned char)separator < 0x80) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "separator"),
              "is \"%s\", expected an ASCII character other than a letter, digit, sign, point, quote or line end",
              text_of_name((char[]){separator, '\0'}, text));
}

/* ---------------------------------------------------------------------------------------------------------- cells */

static char *put_quoted(const char *word, size_t length, char end, char *to, const char *limit) {
  size_t quotes = 0;
  for (size_t i = 0; i < length; i++) quotes += word[i] == '"';
  if ((size_t)(limit - to) < length + quotes + 3) return NULL;
  *to++ = '"';
  for (size_t i = 0; i < length; i++) {
    if (word[i] == '"') *to++ = '"';
    *to++ = word[i];
  }
  return *to++ = '"', *to++ = end, to;
}

/* Copies eight bytes; nonzero: one of them is special. */
static inline uint64_t copy_eight(const struct writer *writer, const char *from, char *to) {
  const uint64_t ones = 0x0101010101010101;
  uint64_t eight, found = 0;
  memcpy(&eight, from, sizeof eight);
  memcpy(to, &eight, sizeof eight);
  for (int i = 0; i < writer->special_count; i++) {
    const uint64_t differs = eight ^ writer->specials[i];
    found |= (differs - ones) & ~differs;
  }
  return found & ones << 7;
}

/* Writes a word and `end`, the byte behind the cell, to `to`; returns where they end, or NULL: there is no room before
   `limit`. A word needs quotes with special bytes in it. An empty one alone would be an empty line; byte EF may begin a
   byte order mark, 1F a compressed file. */
static inline char *put_word(const struct writer *writer, const char *word, size_t length, char end, char *to,
                             const char *limit) {
  enum { STEP = sizeof(uint64_t) };
  if ((size_t)(limit - to) < length + 3) return NULL;
  uint64_t is_quoted = !length || *word == '\xef' || *word == '\x1f';
  if (length >= STEP) {
    for (size_t i = STEP; i < length; i += STEP) is_quoted |= copy_eight(writer, word + i - STEP, to + i - STEP);
    is_quoted |= copy_eight(writer, word + length - STEP, to + length - STEP);
  } else {
    for (size_t i = 0; i < length; i++) is_quoted |= writer->is_special[(unsigned char)(to[i] = word[i])];
  }
  if (is_quoted) return put_quoted(word, length, end, to, limit);
  to[length] = end;
  return to + length + 1;
}

static inline int64_t code_of(const char *element) {
  int32_t code;
  return memcpy(&code, element, sizeof code), code;
}

/* Ends the cell of a float that was written from `first` to `to`, with a decimal comma. */
static char *put_commas(const struct writer *writer, char *first, const char *to, char end, const char *limit) {
  char number[NUMBER_BYTES];
  const size_t length = (size_t)(to - first);
  memcpy(number, first, length);
  char *point = memchr(number, '.', length);
  if (point) *point = ',';
  return put_word(writer, number, length, end, first, limit);
}

/* Writes the cell of a row and `end` as put_word does. */
static inline char *put_cell(const struct writer *writer, const struct csv_source *source, int64_t row, char end,
                             char *to, const char *limit) {
  const char *element = source->elements + (size_t)row * source->step_bytes;
  const strew_dtype dtype = source->dense->dtype;
  if (source->words) {
    const int64_t code = code_of(element);
    return put_word(writer, words_at(source->words, code), words_length(source->words, code), end, to, limit);
  }
  if (limit - to < STREW_SCALAR_BYTES + 3 || limit - to <= NUMBER_BYTES + 3) return NULL;
  bool is_absent = false;
  if (dtype != STREW_TIME) {
    char *first = to;
    to += write_number(dtype, element, to);
    is_absent = *first == 'n';
    if (is_absent)
      to = first;
    else if (source->is_float && writer->point == ',')
      return put_commas(writer, first, to, end, limit);
  } else {
    char text[STREW_SCALAR_BYTES];
    strew_scalar_text(strew_scalar_load(dtype, element), STREW_TIME, text);
    if (*text) return put_word(writer, text, strlen(text), end, to, limit);
    is_absent = true;
  }
  if (is_absent && (*writer->missing || writer->count == 1))
    return put_word(writer, writer->missing, strlen(writer->missing), end, to, limit);
  *to++ = end;
  return to;
}

/* --------------------------------------------------------------------------------------------------- fields of JSON */

static char *put_text(const char *text, size_t length, char *to) { return memcpy(to, text, length), to + length; }

/* Writes a word as JSON's, of at most 6 bytes for each of its own, and two quotes. */
static char *put_json_word(const char *word, size_t length, char *to) {
  *to++ = '"';
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)word[i] < ' ') {
      to += sprintf(to, "\\u%04x", (unsigned)word[i]);
      continue;
    }
    if (word[i] == '"' || word[i] == '\\') *to++ = '\\';
    *to++ = word[i];
  }
  return *to++ = '"', to;
}

/* Writes the value of a row; missing ones are null. */
static char *put_json_value(const struct csv_source *source, const char *element, char *to) {
  const strew_dtype dtype = source->dense->dtype;
  char text[STREW_SCALAR_BYTES];
  if (dtype == STREW_BOOL) return *element ? put_text("true", 4, to) : put_text("false", 5, to);
  if (source->words) {
    const size_t length = words_length(source->words, code_of(element));
    return length ? put_json_word(words_at(source->words, code_of(element)), length, to) : put_text("null", 4, to);
  }
  if (dtype == STREW_TIME) {
    strew_scalar_text(strew_scalar_load(dtype, element), STREW_TIME, text);
    return *text ? put_json_word(text, strlen(text), to) : put_text("null", 4, to);
  }
  const size_t length = write_number(dtype, element, to);
  return *to == 'n' ? put_text("null", 4, to) : to + length;
}

/* Writes the key and value of column i, as put_cell does. */
static char *put_field(const struct writer *writer, int64_t i, int64_t row, char *to, const char *limit) {
  const struct csv_source *source = &writer->sources[i];
  const char *element = source->elements + (size_t)row * source->step_bytes;
  const size_t key_length = words_length(&writer->keys, i);
  const size_t most =
      source->words ? 6 * words_length(source->words, code_of(element)) : NUMBER_BYTES + STREW_SCALAR_BYTES;
  if ((size_t)(limit - to) < key_length + most + 8) return NULL;
  to = put_json_value(source, element, put_text(words_at(&writer->keys, i), key_length, to));
  return i + 1 < writer->count ? to : put_text("}\n", 2, to);
}

/* ---------------------------------------------------------------------------------------------------------- parts */

/* Prefetches the words of rows from `row` on; returns the row behind them. Inlined: gcc drops the prefetches of a call. */
static inline __attribute__((always_inline)) int64_t prefetch_rows(const struct writer *writer, int64_t row) {
  const int64_t end = least(row + WORDS_AT_ONCE, writer->rows);
  int64_t codes[WORDS_AT_ONCE];
  for (int64_t i = 0; i < writer->count; i++) {
    const struct csv_source *source = &writer->sources[i];
    if (!source->words || !words_are_many(source->words)) continue;
    for (int64_t k = row; k < end; k++) codes[k - row] = code_of(source->elements + (size_t)k * source->step_bytes);
    words_prefetch(source->words, (size_t)(end - row), codes);
  }
  return end;
}

/* Writes cells until the part's memory is full or they end. */
static void put_cells(const struct writer *writer, struct part *part) {
  const char *limit = part->bytes + part->held_bytes;
  char *to = part->bytes + part->used_bytes;
  int64_t row = part->done / writer->count, i = part->done % writer->count, prefetched = row;
  for (; part->done < part->end; part->done++) {
    if (row == prefetched) prefetched = prefetch_rows(writer, row);
    const bool is_last = i + 1 == writer->count;
    char *end = writer->keys.count
                    ? put_field(writer, i, row, to, limit)
                    : put_cell(writer, &writer->sources[i], row, is_last ? '\n' : writer->separator, to, limit);
    if (!end) break;
    to = end, i = is_last ? 0 : i + 1, row += is_last;
  }
  part->used_bytes = (size_t)(to - part->bytes);
}

static strew_status write_placed(const struct call *call, const struct writer *writer, struct part *part) {
  RETURN_IF_FAILED(draft_write(call, &writer->sink.draft, part->place, part->bytes, part->used_bytes));
  return part->is_placed = false, part->used_bytes = 0, STREW_OK;
}

/* Writes the text of the last round and the next cells; a text that cannot be written stays, for end_part. */
static void run_part(void *user, int64_t p) {
  const struct writer *writer = user;
  struct part *part = &writer->parts[p];
  struct call call = *writer->call;
  call.error = NULL;
  if (!part->is_placed || write_placed(&call, writer, part) == STREW_OK) put_cells(writer, part);
}

/* Places a text; one that is compressed is written at once. */
static strew_status place(struct writer *writer, struct part *part) {
  struct sink *sink = &writer->sink;
  if (sink->codec || sink->draft.output) {
    const size_t used_bytes = part->used_bytes;
    part->used_bytes = 0;
    return sink_write(writer->call, sink, part->bytes, used_bytes);
  }
  part->is_placed = true, part->place = sink->written;
  sink->written += part->used_bytes;
  return STREW_OK;
}

/* Writes the part's text to the file. A cell that was longer than all of its memory gets more. */
static strew_status flush(struct writer *writer, struct part *part) {
  if (!part->used_bytes && part->done < part->end)
    return stream_grow(writer->call, writer->context, 0, part->held_bytes, &part->bytes, &part->held_bytes);
  RETURN_IF_FAILED(place(writer, part));
  return part->is_placed ? write_placed(writer->call, writer, part) : STREW_OK;
}

/* Writes the cells that are left, and places the text. */
static strew_status end_part(struct writer *writer, struct part *part) {
  strew_status status = part->is_placed ? write_placed(writer->call, writer, part) : STREW_OK;
  for (;;) {
    if (status == STREW_OK) put_cells(writer, part);
    if (part->done == part->end) return TRY(status, place(writer, part));
    TRY(status, flush(writer, part));
    TRY(status, context_check(writer->call, writer->context));
    if (status != STREW_OK) return status;
  }
}

static strew_status put_names(struct writer *writer) {
  strew_status status = STREW_OK;
  struct part *part = &writer->parts[0];
  part->done = 0, part->end = writer->count;
  while (part->done < part->end && status == STREW_OK) {
    const char *name = strew_table_name(writer->table, part->done);
    if (part->done % CSV_CELLS_BETWEEN_CHECKS == 0) status = context_check(writer->call, writer->context);
    const char end = part->done + 1 < writer->count ? writer->separator : '\n';
    char *to =
        put_word(writer, name, strlen(name), end, part->bytes + part->used_bytes, part->bytes + part->held_bytes);
    if (to)
      part->done++, part->used_bytes = (size_t)(to - part->bytes);
    else
      TRY(status, flush(writer, part));
  }
  return TRY(status, flush(writer, part));
}

/* Writes the next cells: a part for each thread, or fewer parts at the end. */
static strew_status put_round(struct writer *writer, int64_t first, int64_t *end) {
  const int64_t cells = writer->rows * writer->count;
  int64_t count = 0;
  for (*end = first; count < writer->part_count && *end < cells; count++) {
    struct part *part = &writer->parts[count];
    part->done = *end;
    part->end = *end = least(*end + PART_CELLS, cells);
  }
  pool_run(writer->context, count, run_part, writer);
  strew_status status = context_check(writer->call, writer->context);
  for (int64_t p = 0; p < count && status == STREW_OK; p++) status = end_part(writer, &writer->parts[p]);
  return status;
}

static strew_status put_rows(struct writer *writer) {
  strew_status status = STREW_OK;
  progress_resize(writer->context, (uint64_t)writer->rows);
  for (int64_t at = 0; at < writer->rows * writer->count && status == STREW_OK;) {
    status = put_round(writer, at, &at);
    progress_reach(writer->context, (uint64_t)(at / writer->count));
  }
  for (int64_t p = 0; p < writer->part_count && status == STREW_OK; p++)
    if (writer->parts[p].is_placed) status = write_placed(writer->call, writer, &writer->parts[p]);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- columns */

static strew_status open_rows(struct writer *writer, strew_tensor *tensor, struct csv_source *out) {
  strew_tensor *on_cpu = NULL;
  strew_status status = strew_to(tensor, &writer->context->cpu, tensor->dtype, &on_cpu, writer->call->error);
  TRY(status, strew_contiguous(on_cpu, &out->dense, writer->call->error));
  strew_release(on_cpu);
  if (status == STREW_OK)
    *out = (struct csv_source){out->dense, dense_at(out->dense, 0), dtype_bytes(tensor->dtype),
                               tensor->dtype == STREW_TEXT ? &tensor->storage->words->shared->words : NULL,
                               dtype_is_float(tensor->dtype)};
  return status;
}

static strew_status check_column(const struct writer *writer, int64_t i, const strew_tensor *tensor) {
  char name[TEXT_BYTES], first[TEXT_BYTES];
  text_of_name(strew_table_name(writer->table, i), name);
  if (tensor->rank != 1)
    return fail(writer->call, FAULT(STREW_ESHAPE, "x"), "has a column \"%s\" of rank %d, expected rank 1", name,
                tensor->rank);
  if (tensor->sizes[0] != writer->rows)
    return fail(writer->call, FAULT(STREW_ESHAPE, "x"),
                "has a column \"%s\" of %" PRId64 " elements, expected %" PRId64 ", as in the first one, \"%s\"", name,
                tensor->sizes[0], writer->rows, text_of_name(strew_table_name(writer->table, 0), first));
  return STREW_OK;
}

static strew_status open_columns(struct writer *writer) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < writer->count && status == STREW_OK; i++) {
    strew_tensor *tensor = strew_table_tensor(writer->table, i);
    if (i == 0 && tensor->rank == 1) writer->rows = tensor->sizes[0];
    status = check_column(writer, i, tensor);
    TRY(status, open_rows(writer, tensor, &writer->sources[i]));
  }
  return status;
}

/* Opens a tensor's columns; all share its memory. */
static strew_status open_tensor(struct writer *writer, const strew_tensor *tensor) {
  struct csv_source whole = {0};
  strew_status status = open_rows(writer, (strew_tensor *)tensor, &whole);
  for (int64_t i = 0; i < writer->count && status == STREW_OK; i++) {
    struct csv_source *source = &writer->sources[i];
    *source = whole;
    source->dense = strew_retain(whole.dense);
    source->elements += (size_t)i * whole.step_bytes;
    source->step_bytes *= (size_t)writer->count;
  }
  strew_release(whole.dense);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- files */

static strew_status open_writer(struct writer *writer, const strew_save_options *options) {
  const size_t sources_bytes = (size_t)writer->count * sizeof *writer->sources;
  if (options->separator == STREW_BLANKS)
    return fail(writer->call, HINTED(STREW_EARGUMENT, "separator", "{.separator = \" \"} writes one blank"),
                "is \"blanks\", which is for load: among runs of blanks an empty cell has no place");
  RETURN_IF_FAILED(csv_separator(writer->call, options->separator));
  writer->separator = options->separator;
  writer->missing = options->missing ? options->missing : "";
  writer->point = options->decimal ? options->decimal : '.';
  RETURN_IF_FAILED(csv_point(writer->call, writer->point));
  const char specials[MOST_SPECIALS] = {'"', '\n', '\r', writer->separator, ',', ';', '\t', '|'};
  writer->special_count = writer->count == 1 ? MOST_SPECIALS : 4; /* one column would look like several */
  for (int i = 0; i < writer->special_count; i++) {
    writer->is_special[(unsigned char)specials[i]] = true;
    writer->specials[i] = 0x0101010101010101 * (unsigned char)specials[i];
  }
  writer->part_count = writer->context->threads;
  ALLOCATE(writer->sources, writer->call, writer->context, sources_bytes);
  memset(writer->sources, 0, sources_bytes);
  const size_t parts_bytes = (size_t)writer->part_count * sizeof *writer->parts;
  ALLOCATE(writer->parts, writer->call, writer->context, parts_bytes);
  memset(writer->parts, 0, parts_bytes);
  for (int64_t p = 0; p < writer->part_count; p++) {
    ALLOCATE(writer->parts[p].bytes, writer->call, writer->context, PART_BYTES);
    writer->parts[p].held_bytes = PART_BYTES;
  }
  return STREW_OK;
}

static void close_writer(struct writer *writer) {
  for (int64_t i = 0; writer->sources && i < writer->count; i++) strew_release(writer->sources[i].dense);
  for (int64_t p = 0; writer->parts && p < writer->part_count; p++)
    memory_free(writer->context, writer->parts[p].bytes, writer->parts[p].held_bytes);
  memory_free(writer->context, writer->parts, (size_t)writer->part_count * sizeof *writer->parts);
  memory_free(writer->context, writer->sources, (size_t)writer->count * sizeof *writer->sources);
}

static strew_status write_csv(struct writer *writer, const char *path, const strew_save_options *options,
                              bool has_names) {
  strew_status status = sink_open(writer->call, writer->context, path, options->compress, &writer->sink);
  if (status != STREW_OK) return status;
  if (has_names) status = put_names(writer);
  TRY(status, put_rows(writer));
  return sink_end(writer->call, &writer->sink, status);
}

/* Adds the text before the value of column i: {"a": or ,"b": */
static strew_status add_key(struct writer *writer, int64_t i) {
  const char *name = strew_table_name(writer->table, i);
  const size_t length = strlen(name), bytes = 6 * length + 4;
  int64_t number;
  ALLOCATE_NEW(char *, key, writer->call, writer->context, bytes);
  *key = i ? ',' : '{';
  char *to = put_json_word(name, length, key + 1);
  *to++ = ':';
  strew_status status = words_number(writer->call, writer->context, &writer->keys, key, (size_t)(to - key), &number);
  memory_free(writer->context, key, bytes);
  return status;
}

/* Fails if column i has an infinity, which JSON does not. */
static strew_status check_finite(const struct writer *writer, int64_t i) {
  const struct csv_source *source = &writer->sources[i];
  char name[TEXT_BYTES];
  for (int64_t row = 0; source->is_float && row < writer->rows; row++) {
    const double x = strew_scalar_load(source->dense->dtype, source->elements + (size_t)row * source->step_bytes).as.f;
    if (isinf(x))
      return fail(writer->call, FAULT(STREW_EARGUMENT, "x"),
                  "has %s at [%" PRId64 "] of column \"%s\", which no .jsonl file holds", x < 0 ? "-inf" : "inf", row,
                  text_of_name(strew_table_name(writer->table, i), name));
    if (row % PART_CELLS == 0) RETURN_IF_FAILED(context_check(writer->call, writer->context));
  }
  return STREW_OK;
}

static strew_status save_table(const struct call *call, const strew_table *table, const char *path,
                               const strew_save_options *options, bool is_json, bool has_names) {
  struct writer writer = {
      .call = call, .context = table_context(table), .table = table, .count = strew_table_count(table)};
  if (!writer.count) return fail(call, FAULT(STREW_EARGUMENT, "x"), "is an empty table, expected columns");
  strew_status status = open_writer(&writer, options);
  TRY(status, open_columns(&writer));
  for (int64_t i = 0; is_json && i < writer.count && status == STREW_OK; i++) {
    status = check_finite(&writer, i);
    TRY(status, add_key(&writer, i));
  }
  TRY(status, write_csv(&writer, path, options, has_names));
  words_release(&writer.keys, writer.context);
  close_writer(&writer);
  return status;
}

strew_status jsonl_save_table(const struct call *call, const strew_table *table, const char *path,
                              const strew_save_options *options) {
  strew_save_options plain = *options;
  plain.separator = ',';
  return save_table(call, table, path, &plain, true, false);
}

strew_status csv_save_table(const struct call *call, const strew_table *table, const char *path,
                            const strew_save_options *options) {
  const bool is_unsaid = options->header == STREW_HEADER_UNSAID;
  return save_table(call, table, path, options, false,
                    is_unsaid ? !strew_table_is_numbered(table) : options->header == STREW_HEADER_YES);
}

strew_status csv_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options) {
  struct writer writer = {.call = call, .context = tensor_context(tensor)};
  if (options->header == STREW_HEADER_YES)
    return fail(call, FAULT(STREW_EARGUMENT, "header"), "is true, but a tensor has no column names: save a table");
  if (tensor->rank != 1 && tensor->rank != 2)
    return fail(call, FAULT(STREW_ESHAPE, "x"), "is of rank %d, expected rank 1 or 2", tensor->rank);
  writer.rows = tensor->sizes[0];
  writer.count = tensor->rank == 2 ? tensor->sizes[1] : 1;
  if (!writer.count) return fail(call, FAULT(STREW_ESHAPE, "x"), "has no columns, expected at least 1");
  strew_status status = open_writer(&writer, options);
  TRY(status, open_tensor(&writer, tensor));
  TRY(status, write_csv(&writer, path, options, false));
  close_writer(&writer);
  return status;
}
