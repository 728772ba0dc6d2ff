/* jsonl.c: tables of columns as .jsonl files: a flat JSON object a line.

   Loading walks through the text twice. The first walk finds the keys and what each of them holds; the second writes the
   rows as those of a .csv file, without names, which its reader reads with the same options: dates, dtypes and missing
   values have one rule each. Lines keep their numbers. A whole file is one chunk; of several the first one decides the
   keys and what they hold. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_reader.h"
#include "format.h"
#include "json.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINES_BETWEEN_CHECKS = 256 };

/* What a value is, or a column holds. */
enum json_kind { ABSENT, TRUTH, NUMBER, WORD, NESTED };

struct json_column {
  enum json_kind kind;
  int64_t line;              /* of the first value */
  int64_t count;             /* of values */
  bool is_text, is_left_out; /* by the caller's options */
  bool is_date;              /* its first word is one of ISO 8601 */
  bool is_bool;              /* once the keys are decided: its cells are true and false */
  /* The value of the current line: */
  enum json_kind value;
  int64_t at_line;
  char *text;
  const char *end;
};

struct json_rows {
  const struct call *call;
  strew_context *context;
  const char *path;
  const strew_load_options *options;
  char *at;
  const char *end; /* of the line */
  int64_t line, rows;
  struct words names;
  int64_t count; /* of columns, once they are decided; 0: not yet. Later keys are left out, or an error */
  bool chooses;  /* the caller names the columns */
  struct json_column *columns;
  int64_t capacity;
  char *key; /* scratch for one with escapes */
  size_t key_bytes;
  char *cells; /* the rows as text */
  size_t used_bytes, held_bytes;
};

static const char *quoted(const struct json_rows *r, int64_t i, char *text) {
  return text_of_name(words_at(&r->names, i), text);
}

/* Adds the line to an error. */
static strew_status at_line(const struct json_rows *r, strew_status status) {
  if (r->call->error) r->call->error->position_rank = 1, r->call->error->position[0] = r->line;
  return status;
}

static strew_status unexpected(const struct json_rows *r, const char *expected) {
  const bool is_list = r->line == 1 && r->at < r->end && *r->at == '[';
  return at_line(r, fail_file(r->call, r->path, is_list ? "jq -c '.[]' FILE.json writes an object a line" : NULL,
                              "has an invalid line %" PRId64 ": expected %s", r->line, expected));
}

/* ---------------------------------------------------------------------------------------------------------- values */

static const char *const kind_words[] = {"nothing", "true or false", "a number", "a word", "a table or list"};

/* Moves over a nested value; false: it does not end in its line. */
static bool skip_nested(struct json_rows *r) {
  int64_t depth = 0;
  bool is_string = false;
  for (; r->at < r->end; r->at++) {
    const char c = *r->at;
    if (is_string)
      r->at += c == '\\' && r->at + 1 < r->end, is_string = c != '"';
    else if (c == '"')
      is_string = true;
    else if (c == '{' || c == '[')
      depth++;
    else if ((c == '}' || c == ']') && !--depth)
      return r->at++, true;
  }
  return false;
}

/* Moves over the string behind its first quote; false: it does not end. */
static bool skip_string(struct json_rows *r) {
  for (; r->at < r->end && *r->at != '"'; r->at++) r->at += *r->at == '\\' && r->at + 1 < r->end;
  return r->at < r->end && *r->at == '"';
}

static bool accept_word(struct json_rows *r, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  return r->at += length, true;
}

/* Reads a value into column i. */
static strew_status read_value(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  char name[TEXT_BYTES];
  column->text = r->at, column->at_line = r->line;
  if (*r->at == '"') {
    r->at++, column->text++;
    if (!skip_string(r)) return unexpected(r, "the end of a string");
    column->end = r->at++;
    return column->value = WORD, STREW_OK;
  }
  if (*r->at == '{' || *r->at == '[') {
    if (!column->is_left_out)
      return at_line(r,
                     fail_file(r->call, r->path, "columns = {\"name\", ...} leaves other keys out",
                               "has %s at key \"%s\" in line %" PRId64 ", expected numbers, words, true, false or null",
                               *r->at == '{' ? "an object" : "a list", quoted(r, i, name), r->line));
    return skip_nested(r) ? (column->value = ABSENT, STREW_OK) : unexpected(r, "the end of a nested value in the line");
  }
  const bool is_word = accept_word(r, "true") || accept_word(r, "false");
  column->value = is_word ? TRUTH : ABSENT;
  if (is_word || accept_word(r, "null") || accept_word(r, "NaN")) return column->end = r->at, STREW_OK;
  if (!accept_word(r, "Infinity") && !accept_word(r, "-Infinity")) r->at += json_number(r->at, r->end) - r->at;
  column->end = r->at;
  return r->at > column->text ? (column->value = NUMBER, STREW_OK) : unexpected(r, "a value");
}

/* ------------------------------------------------------------------------------------------------------------ keys */

/* True if the list has the column's name or, if no column has that, its number. */
static bool is_listed(const struct json_rows *r, int64_t i, const char *const *names, int64_t count) {
  char number[24];
  sprintf(number, "%" PRId64, i + 1);
  for (int64_t k = 0; k < count; k++)
    if (strcmp(names[k], words_at(&r->names, i)) == 0 || strcmp(names[k], number) == 0) return true;
  return false;
}

static strew_status add_column(struct json_rows *r, int64_t i) {
  const strew_load_options *options = r->options;
  if (i == r->capacity) {
    const int64_t wider = 2 * r->capacity + 16;
    ALLOCATE_NEW(struct json_column *, columns, r->call, r->context, (size_t)wider * sizeof *columns);
    if (i) memcpy(columns, r->columns, (size_t)i * sizeof *columns);
    memory_free(r->context, r->columns, (size_t)r->capacity * sizeof *columns);
    r->columns = columns, r->capacity = wider;
  }
  r->columns[i] =
      (struct json_column){.is_text = is_listed(r, i, options->text, options->text_count),
                           .is_left_out = r->chooses && !is_listed(r, i, options->columns, options->column_count)};
  return STREW_OK;
}

/* Reads a key, and the number of its column, which may be new. */
static strew_status read_key(struct json_rows *r, int64_t guess, int64_t *out) {
  if (r->at == r->end || *r->at != '"') return unexpected(r, "a key");
  char *first = ++r->at;
  if (!skip_string(r)) return unexpected(r, "the end of a key");
  const char *text = first;
  size_t length = (size_t)(r->at - first);
  r->at++;
  if (words_is(&r->names, guess, text, length)) return *out = guess, STREW_OK;
  if (memchr(text, '\\', length)) {
    if (r->key_bytes < length + 1)
      RETURN_IF_FAILED(stream_grow(r->call, r->context, 0, length + 1, &r->key, &r->key_bytes));
    char *at = memcpy(r->key, text, length);
    r->key[length] = '"';
    const char *expected = json_string(&at, r->key + length + 1, &text, &length);
    if (expected) return unexpected(r, expected);
  }
  if (!length) return unexpected(r, "a key that is not empty");
  const int64_t count = r->names.count;
  if (r->count && !r->chooses && words_find(&r->names, text, length) < 0) {
    char name[TEXT_BYTES], start[TEXT_BYTES];
    snprintf(start, sizeof start, "%.*s", (int)(length < 100 ? length : 100), text);
    return at_line(r, fail_file(r->call, r->path, "columns = {\"name\", ...} leaves other keys out",
                                "has key \"%s\" in line %" PRId64 ", which the first chunk lacks",
                                text_of_name(start, name), r->line));
  }
  RETURN_IF_FAILED(words_number(r->call, r->context, &r->names, text, length, out));
  return *out == count ? add_column(r, count) : STREW_OK;
}

/* Reads `"key": value`. */
static strew_status read_field(struct json_rows *r, int64_t *i) {
  char name[TEXT_BYTES];
  RETURN_IF_FAILED(read_key(r, *i, i));
  if (r->columns[*i].at_line == r->line)
    return at_line(
        r, fail_file(r->call, r->path, NULL, "has key \"%s\" twice in line %" PRId64, quoted(r, *i, name), r->line));
  r->at += json_blanks(r->at, r->end) - r->at;
  if (r->at == r->end || *r->at != ':') return unexpected(r, ": behind a key");
  r->at++;
  r->at += json_blanks(r->at, r->end) - r->at;
  if (r->at == r->end) return unexpected(r, "a value");
  RETURN_IF_FAILED(read_value(r, *i));
  r->at += json_blanks(r->at, r->end) - r->at;
  return STREW_OK;
}

/* Reads the object of a line, or nothing of one without; *is_row: there is one. */
static strew_status read_line(struct json_rows *r, bool *is_row) {
  int64_t i = -1;
  r->at += json_blanks(r->at, r->end) - r->at;
  *is_row = r->at < r->end;
  if (!*is_row) return STREW_OK;
  if (*r->at != '{') return unexpected(r, "an object, as {\"a\": 1, \"b\": \"x\"}");
  do {
    r->at++;
    r->at += json_blanks(r->at, r->end) - r->at;
    if (i < 0 && r->at < r->end && *r->at == '}') break;
    i++;
    RETURN_IF_FAILED(read_field(r, &i));
  } while (r->at < r->end && *r->at == ',');
  if (r->at == r->end || *r->at != '}') return unexpected(r, "a comma or }");
  r->at++;
  r->at += json_blanks(r->at, r->end) - r->at;
  return r->at == r->end ? STREW_OK : unexpected(r, "the end of the line behind }");
}

/* Calls `take` after each line of the text, whose number is `line`, until as many rows as the caller wants were read. */
static strew_status walk(struct json_rows *r, char *next, const char *end, int64_t line,
                         strew_status (*take)(struct json_rows *r, bool is_row)) {
  const int64_t most = r->options->csv && r->options->csv->rows ? r->options->csv->rows : INT64_MAX;
  if (line == 1 && end - next > 2 && memcmp(next, "\xef\xbb\xbf", 3) == 0) next += 3;
  r->rows = 0;
  for (int64_t i = 0; i < r->names.count; i++) r->columns[i].at_line = 0;
  for (r->line = line; next < end && r->rows < most; r->line++) {
    bool is_row;
    char *line_end = memchr(next, '\n', (size_t)(end - next));
    r->at = next, r->end = line_end ? line_end : end;
    next = line_end ? line_end + 1 : (char *)(uintptr_t)end;
    RETURN_IF_FAILED(read_line(r, &is_row));
    r->rows += is_row;
    RETURN_IF_FAILED(take(r, is_row));
    if (r->line % LINES_BETWEEN_CHECKS == 0) RETURN_IF_FAILED(context_check(r->call, r->context));
  }
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------- the first walk */

/* Adds the value of the line to what column i holds. */
static strew_status join_kind(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  char name[TEXT_BYTES], hint[TEXT_BYTES + 32];
  if (column->is_left_out || column->value == ABSENT) return STREW_OK;
  column->count++;
  if (column->kind == ABSENT) {
    const size_t length = (size_t)(column->end - column->text);
    int64_t time;
    column->kind = column->value, column->line = r->line;
    column->is_date = column->value == WORD && time_read(column->text, length, "", &time) == TIME_READ;
  }
  if (column->kind == column->value || column->is_text) return STREW_OK;
  quoted(r, i, name);
  snprintf(hint, sizeof hint, "text = {\"%s\"} reads words", name);
  return at_line(r, fail_file(r->call, r->path, hint,
                              "has %s at key \"%s\" in line %" PRId64 ", where line %" PRId64 " has %s",
                              kind_words[column->value], name, r->line, column->line, kind_words[column->kind]));
}

static strew_status take_kinds(struct json_rows *r, bool is_row) {
  strew_status status = STREW_OK;
  for (int64_t i = 0; is_row && i < r->names.count && status == STREW_OK; i++)
    if (r->columns[i].at_line == r->line) status = join_kind(r, i);
  return status;
}

/* ------------------------------------------------------------------------------------------------ the second walk */

/* Decides what the columns are, by the rows of the first walk. Bools with gaps become numbers, as rows of a script do. */
static strew_status decide(struct json_rows *r) {
  if (!r->names.count)
    return fail_file(r->call, r->path, NULL, "has no %s, expected a JSON object a line", r->rows ? "keys" : "lines");
  r->count = r->names.count;
  for (int64_t i = 0; i < r->count; i++) {
    struct json_column *column = &r->columns[i];
    column->is_bool = column->kind == TRUTH && column->count == r->rows && !column->is_text;
  }
  return STREW_OK;
}

/* Makes room for so many bytes of cells. */
static strew_status make_room(struct json_rows *r, size_t bytes) {
  if (r->held_bytes - r->used_bytes >= bytes) return STREW_OK;
  return stream_grow(r->call, r->context, r->used_bytes, bytes, &r->cells, &r->held_bytes);
}

static void put(struct json_rows *r, const char *text, size_t length) {
  memcpy(r->cells + r->used_bytes, text, length);
  r->used_bytes += length;
}

static void put_word(struct json_rows *r, const char *text, size_t length) {
  put(r, "\"", 1);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"') put(r, "\"", 1);
    put(r, &text[i], 1);
  }
  put(r, "\"", 1);
}

/* Writes the cell of column i, and the separator or line end behind it. */
static strew_status put_cell(struct json_rows *r, int64_t i) {
  struct json_column *column = &r->columns[i];
  const bool is_there = column->at_line == r->line && column->value != ABSENT && !column->is_left_out;
  size_t length = is_there ? (size_t)(column->end - column->text) : 0;
  const char *text = column->text;
  RETURN_IF_FAILED(make_room(r, 3 * length + 9)); /* for a word with its quotes doubled, and itself behind it */
  if (is_there && column->value == WORD) {
    char *at = r->cells + r->held_bytes - (length + 1); /* the text stays: a chunk may be read again */
    memcpy(at, column->text, length + 1);
    r->at = column->text;
    const char *expected = json_string(&at, at + length + 1, &text, &length);
    if (expected) return unexpected(r, expected);
    put_word(r, text, length);
  } else if (is_there && column->value == TRUTH && !column->is_text && !column->is_bool) {
    put(r, *text == 't' ? "1" : "0", 1);
  } else if (is_there) {
    put(r, text, length);
  } else if (r->count == 1) {
    put(r, column->kind == WORD || column->is_text ? "\"\"" : "nan", column->kind == WORD || column->is_text ? 2 : 3);
  }
  put(r, i + 1 < r->count ? "," : "\n", 1);
  return STREW_OK;
}

static strew_status put_row(struct json_rows *r, bool is_row) {
  strew_status status = make_room(r, 1);
  if (!is_row && status == STREW_OK) put(r, "\n", 1);
  for (int64_t i = 0; is_row && i < r->count && status == STREW_OK; i++) status = put_cell(r, i);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Sets what the reader's column holds, unless the caller's options did. */
static void set_kind(const struct json_column *column, bool all_dates, struct column *out) {
  if (out->kind != UNKNOWN || out->has_dtype) return;
  if (column->kind == WORD && !(all_dates && column->is_date)) out->kind = TEXTUAL;
  if (column->is_bool) out->has_dtype = true, out->wanted = STREW_BOOL;
}

/* Writes the rows of the text as those of a .csv file. */
static strew_status put_rows(struct json_rows *r, char *begin, const char *end, int64_t line) {
  r->used_bytes = 0;
  RETURN_IF_FAILED(walk(r, begin, end, line, put_row));
  RETURN_IF_FAILED(make_room(r, 1));
  return r->cells[r->used_bytes] = '\0', STREW_OK;
}

struct jsonl_state {
  struct json_rows rows;
  struct csv_reader reader;
  strew_load_options options; /* of the reader */
  struct window window;
  int64_t line; /* the first one of the window */
  size_t end;   /* of the chunk in the window; 0: it is to be found */
  bool is_put;  /* its rows are written */
};

static void begin_jsonl(const struct call *call, strew_device *device, const char *path,
                        const strew_load_options *options, struct jsonl_state *state) {
  state->rows = (struct json_rows){
      .call = call, .context = device->context, .path = path, .options = options, .chooses = options->column_count > 0};
  state->reader.device = device, state->line = 1;
}

static void close_jsonl(void *user) {
  struct jsonl_state *state = user;
  struct json_rows *r = &state->rows;
  if (!r->context) return;
  if (state->reader.context) csv_end(&state->reader);
  memory_free(r->context, state->window.text, state->window.held_bytes);
  words_release(&r->names, r->context);
  memory_free(r->context, r->columns, (size_t)r->capacity * sizeof *r->columns);
  memory_free(r->context, r->key, r->key_bytes);
  memory_free(r->context, r->cells, r->held_bytes);
}

/* Returns the written rows, which the reader has. */
static struct cells begin_cells(struct jsonl_state *state) {
  struct cells cells;
  state->reader.text = state->rows.cells, state->reader.size_bytes = state->rows.used_bytes;
  cells_start(&cells, state->rows.cells, ',', state->reader.point, NULL);
  cells.line = state->line;
  return cells;
}

/* Begins the reader of the rows, with the caller's options. */
static strew_status begin_reader(struct jsonl_state *state) {
  struct json_rows *r = &state->rows;
  const strew_csv_options *given = r->options->csv;
  const size_t names_bytes = (size_t)r->count * sizeof(char *);
  ALLOCATE_NEW(const char **, names, r->call, r->context, names_bytes);
  for (int64_t i = 0; i < r->count; i++) names[i] = words_at(&r->names, i);
  strew_csv_options csv = given ? *given : (strew_csv_options){0};
  csv.names = names, csv.name_count = r->count, csv.rows = 0;
  state->options = *r->options;
  state->options.csv = &csv, state->options.header = STREW_HEADER_NO, state->options.separator = ',';
  strew_status status = csv_begin(r->call, state->reader.device, r->path, &state->options, &state->reader);
  struct cells cells = begin_cells(state);
  TRY(status, csv_read_head(&state->reader, &cells));
  for (int64_t i = 0; i < r->count && status == STREW_OK; i++)
    set_kind(&r->columns[i], csv.all_dates, &state->reader.columns[i]);
  state->options.csv = NULL; /* what is the caller's is not used again */
  memory_free(r->context, names, names_bytes);
  return status;
}

/* Decides by the window's rows up to state->end what the columns are. */
static strew_status begin_columns(struct jsonl_state *state) {
  struct json_rows *r = &state->rows;
  char *begin = state->window.text;
  strew_status status = walk(r, begin, begin + state->end, 1, take_kinds);
  TRY(status, decide(r));
  TRY(status, put_rows(r, begin, begin + state->end, 1));
  TRY(status, begin_reader(state));
  state->is_put = status == STREW_OK;
  return status;
}

/* Reads the rows of the window up to state->end, whose cells are written once. */
static strew_status read_chunk(struct jsonl_state *state, strew_table **table) {
  struct json_rows *r = &state->rows;
  char *begin = state->window.text + state->window.begin;
  const char *end = state->window.text + state->end;
  if (!state->is_put) {
    RETURN_IF_FAILED(walk(r, begin, end, state->line, take_kinds));
    RETURN_IF_FAILED(put_rows(r, begin, end, state->line));
  }
  state->is_put = true;
  const int64_t next_line = r->line;
  struct cells cells = begin_cells(state);
  RETURN_IF_FAILED(csv_read_rows(&state->reader, &cells, table));
  state->line = next_line, state->window.begin = state->end;
  state->end = 0, state->is_put = false;
  return STREW_OK;
}

strew_status jsonl_load(const struct call *call, strew_device *device, struct file *file,
                        const strew_load_options *options, strew_table **out) {
  struct jsonl_state state = {.is_put = false};
  begin_jsonl(call, device, file->path, options, &state);
  strew_status status = file_hold(call, file, false);
  if (status == STREW_OK) state.window.text = file->bytes, state.end = (size_t)file->size_bytes;
  TRY(status, begin_columns(&state));
  if (status == STREW_OK) progress_resize(device->context, 3 * (uint64_t)state.rows.used_bytes);
  TRY(status, read_chunk(&state, out));
  state.window.text = NULL; /* the file's */
  close_jsonl(&state);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- chunks */

/* Fills the window with lines of `rows` objects, or fewer at the end of the file. */
static strew_status find_chunk(const struct call *call, struct jsonl_state *state, int64_t rows, bool *is_lost) {
  struct window *window = &state->window;
  size_t at = window->begin;
  while (rows) {
    const char *from = window->text + at;
    const char *line_end = at < window->end ? memchr(from, '\n', window->end - at) : NULL;
    if (!line_end && !window->is_at_end) {
      at -= window->begin;
      RETURN_IF_FAILED(window_fill(call, state->rows.context, window, is_lost));
      continue;
    }
    if (!line_end) line_end = window->text + window->end;
    rows -= json_blanks(from, line_end) < line_end;
    at = (size_t)(line_end - window->text);
    at += at < window->end;
    if (at == window->end && window->is_at_end) break;
  }
  return state->end = at, STREW_OK;
}

/* The first chunk decides what the columns are. */
static strew_status open_jsonl(const struct call *call, const struct chunk_source *source, void *user) {
  struct jsonl_state *state = user;
  bool is_lost;
  begin_jsonl(call, source->device, source->file->path, source->options, state);
  state->window.stream = source->stream;
  strew_status status = find_chunk(call, state, source->rows, &is_lost);
  TRY(status, begin_columns(state));
  state->reader.is_chunked = true;
  return status;
}

static strew_status next_jsonl(const struct call *call, void *user, int64_t rows, strew_tensor **tensor,
                               strew_table **table, bool *is_lost) {
  struct jsonl_state *state = user;
  (void)tensor;
  state->rows.call = state->reader.call = call;
  if (!state->is_put) RETURN_IF_FAILED(find_chunk(call, state, rows, is_lost));
  return state->end > state->window.begin ? read_chunk(state, table) : STREW_OK;
}

const struct chunk_functions jsonl_chunks = {sizeof(struct jsonl_state), open_jsonl, next_jsonl, close_jsonl};
