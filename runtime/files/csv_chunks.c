/* csv_chunks.c: .csv files in chunks of rows. A chunk's text is a window of the file: it grows until it holds the lines
   of the chunk, ends there by a 0 that meanwhile replaces the next byte, and is read as a whole file is (csv_load.c).
   Lines are found by a scan of their own, which knows quotes: a cell that is cut off must not decide anything. */
#define _XOPEN_SOURCE 700 /* locale_t */
#include "csv_reader.h"
#include "format.h"
#include "stream.h"

struct csv_state {
  struct csv_reader reader;
  struct window window;
  struct cells cells;
  bool is_cut; /* the last chunk ended between \r and, maybe, \n */
};

/* ---------------------------------------------------------------------------------------------------------- lines */

/* Where the scan is: between lines, in one that is skipped, at the beginning of a cell, in one without quotes or behind
   them, within quotes, or behind a quote that may be the first of a doubled one. */
enum scan { AT_LINE, IN_SKIPPED, AT_CELL, IN_CELL, IN_QUOTES, AT_QUOTE };

/* Scans from `at` on until *lines lines have ended, each of which is subtracted; returns the place behind the last one.
   Empty lines and comments do not count. *last: the place behind the last line that did; too many bytes that do not
   count after it end the chunk there, unless its lines are those that tell whether there are names. */
static size_t scan_lines(const struct csv_state *state, size_t at, enum scan *scan, int64_t *lines, size_t *last) {
  enum { MOST_SKIPPED_BYTES = 1 << 16 };
  const char *text = state->window.text;
  const unsigned char *stops = state->cells.stops;
  for (; at < state->window.end && *lines; at++) {
    char byte = text[at];
    if (*scan <= IN_SKIPPED && *last > state->window.begin && at - *last > MOST_SKIPPED_BYTES && state->reader.count)
      return *lines = 0, *last;
    if (*scan == IN_QUOTES) {
      if (byte == '"') *scan = AT_QUOTE;
    } else if (*scan == AT_LINE && state->cells.has_runs && (byte == ' ' || byte == '\t')) {
      continue;
    } else if (*scan <= IN_SKIPPED && byte != '\n' && byte != '\r' &&
               (*scan == IN_SKIPPED || cells_skips(&state->cells, byte))) {
      *scan = IN_SKIPPED;
    } else if (byte == '"' && *scan != IN_CELL) {
      *scan = IN_QUOTES;
    } else if (byte == '\n' || byte == '\r') {
      if (*scan > IN_SKIPPED) --*lines, *last = at + 1;
      *scan = AT_LINE;
    } else if (stops[(unsigned char)byte] == ENDS_CELL) {
      *scan = AT_CELL;
    } else {
      *scan = IN_CELL;
      while (at + 1 < state->window.end && !stops[(unsigned char)text[at + 1]]) at++;
    }
  }
  return at;
}

/* Skips empty lines, comments and the first `skip` lines at the window's beginning, up to `end`. state->is_cut: after
   \r, so that \n ends no further line. *is_inside: within such a line. False: another line begins. */
static bool skip_window(struct csv_state *state, bool *is_inside) {
  struct cells *cells = &state->cells;
  for (; state->window.begin < state->window.end; state->window.begin++) {
    char byte = state->window.text[state->window.begin];
    const bool is_end = byte == '\n' || byte == '\r', is_second = byte == '\n' && state->is_cut;
    if (!*is_inside && !is_second && !cells_skips(cells, byte)) return false;
    state->is_cut = byte == '\r';
    *is_inside = !is_end && !is_second;
    cells->line += is_end && !is_second;
    cells->skip -= is_end && !is_second && cells->skip;
  }
  return true;
}

static strew_status skip_lines(const struct call *call, struct csv_state *state, bool *is_lost) {
  bool is_inside = false;
  while (skip_window(state, &is_inside) && !state->window.is_at_end) {
    RETURN_IF_FAILED(window_fill(call, state->reader.context, &state->window, is_lost));
  }
  state->is_cut = false;
  return STREW_OK;
}

/* Fills the window with `lines` lines, or fewer at the end of the file or before many that are skipped. *end: behind
   them. */
static strew_status find_lines(const struct call *call, struct csv_state *state, int64_t lines, size_t *end,
                               bool *is_lost) {
  enum scan scan = AT_LINE;
  strew_status status = skip_lines(call, state, is_lost);
  if (status != STREW_OK) return status;
  size_t at = state->window.begin, last = at;
  for (;;) {
    at = scan_lines(state, at, &scan, &lines, &last);
    if (!lines || state->window.is_at_end) break;
    size_t moved = state->window.begin;
    RETURN_IF_FAILED(window_fill(call, state->reader.context, &state->window, is_lost));
    at -= moved - state->window.begin;
    last -= moved - state->window.begin;
  }
  *end = at;
  return STREW_OK;
}

/* Ends the text at `end`, and points the reader to it. Returns the byte there, for restore. */
static char terminate(struct csv_state *state, size_t end) {
  char byte = state->window.text[end];
  state->window.text[end] = '\0';
  state->reader.text = state->window.text;
  state->reader.size_bytes = end;
  state->cells.at = state->window.text + state->window.begin;
  return byte;
}

/* ----------------------------------------------------------------------------------------------- open, next, close */

static void close_csv(void *user) {
  struct csv_state *state = user;
  csv_end(&state->reader);
  memory_free(state->reader.context, state->window.text, state->window.held_bytes);
}

/* Reads the first lines: the names, or what tells that they are missing. */
static strew_status read_head(const struct call *call, struct csv_state *state) {
  enum { MARK_BYTES = 3 };
  bool is_lost;
  size_t end;
  strew_status status = STREW_OK;
  while (status == STREW_OK && state->window.end < MARK_BYTES && !state->window.is_at_end)
    status = window_fill(call, state->reader.context, &state->window, &is_lost);
  const size_t first =
      state->window.end < MARK_BYTES ? state->window.end : MARK_BYTES; /* may be in a line that is skipped */
  TRY(status, csv_check_text(&state->reader, state->window.text, first, 1, 0));
  if (status != STREW_OK) return status;
  state->window.text[state->window.end] = '\0';
  cells_start(&state->cells, state->window.text, state->reader.options->separator, state->reader.point,
              state->reader.options->csv);
  state->window.begin = (size_t)(state->cells.at - state->window.text);
  char byte = '\0';
  bool is_open = true;
  for (int lines = 2; is_open && lines <= CSV_HEAD_LINES; lines++) {
    RETURN_IF_FAILED(find_lines(call, state, lines, &end, &is_lost));
    byte = terminate(state, end);
    is_open = false;
    if (lines < CSV_HEAD_LINES && !state->window.is_at_end)
      RETURN_IF_FAILED(csv_head_is_open(&state->reader, state->cells, &is_open));
    if (is_open) state->window.text[end] = byte;
  }
  const size_t from =
      state->window.before ? state->window.begin : 0; /* skipped lines are checked as far as they are still there */
  status = csv_check_text(&state->reader, state->window.text + from, end - from, from ? state->cells.line : 1,
                          state->window.before + from);
  TRY(status, csv_read_head(&state->reader, &state->cells));
  state->window.text[end] = byte;
  state->window.begin = (size_t)(state->cells.at - state->window.text);
  return status;
}

static strew_status open_csv(const struct call *call, const struct chunk_source *source, void *user) {
  struct csv_state *state = user;
  state->window.stream = source->stream;
  strew_status status = csv_begin(call, source->device, source->file->path, source->options, &state->reader);
  return TRY(status, read_head(call, state));
}

static strew_status open_chunks(const struct call *call, const struct chunk_source *source, void *user) {
  strew_status status = open_csv(call, source, user);
  ((struct csv_state *)user)->reader.is_chunked = true;
  return status;
}

/* Reads the next rows; *table is NULL if a chunk has none. */
static strew_status read_rows(const struct call *call, struct csv_state *state, int64_t rows, strew_table **table,
                              bool *is_lost) {
  size_t end;
  state->reader.call = call;
  RETURN_IF_FAILED(find_lines(call, state, rows, &end, is_lost));
  size_t begin = state->window.begin;
  RETURN_IF_FAILED(csv_check_text(&state->reader, state->window.text + begin, end - begin, state->cells.line,
                                  state->window.before + begin));
  char byte = terminate(state, end);
  strew_status status = csv_read_rows(&state->reader, &state->cells, table);
  state->window.text[end] = byte;
  if (status != STREW_OK || !*table) return status;
  state->window.begin = end;
  state->is_cut = end > begin && state->window.text[end - 1] == '\r';
  return STREW_OK;
}

static strew_status next_csv(const struct call *call, void *user, int64_t rows, strew_tensor **tensor,
                             strew_table **table, bool *is_lost) {
  (void)tensor;
  return read_rows(call, user, rows, table, is_lost);
}

strew_status csv_load_first(const struct call *call, strew_device *device, struct file *file, bool is_gzip,
                            const strew_load_options *options, strew_table **out) {
  struct stream stream;
  struct csv_state state = {.is_cut = false};
  const struct chunk_source source = {.device = device, .file = file, .stream = &stream, .options = options};
  bool is_lost;
  RETURN_IF_FAILED(stream_open(call, file, is_gzip, &stream));
  strew_status status = open_csv(call, &source, &state);
  TRY(status, read_rows(call, &state, options->csv->rows, out, &is_lost));
  close_csv(&state);
  stream_close(&stream);
  return status;
}

const struct chunk_functions csv_chunks = {sizeof(struct csv_state), open_chunks, next_csv, close_csv};
