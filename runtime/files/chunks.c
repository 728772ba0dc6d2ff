/* chunks.c: files that are read in chunks of rows: strew_reader. Each format makes its own chunks (format.h); here are
   the file, which is read ahead by a thread where it is read in order, and what a failure leaves. */
#include "format.h"
#include "stream.h"

#include <inttypes.h>
#include <string.h>

struct strew_reader {
  strew_context *context;      /* retained */
  const struct format *format; /* of a file */
  const struct chunk_functions *chunks;
  void *state; /* of chunks; NULL: not open */
  char *path;
  struct file file;
  struct stream stream;
  bool is_open; /* the file */
  strew_load_options options;
  strew_dtype dtype; /* where options.dtype points */
  int64_t rows;
  int64_t count; /* of rows so far */
  bool is_lost;  /* bytes of the file are lost: every later call fails like the one that lost them */
  strew_error failure;
};

enum { DEFAULT_ROWS = 1000000 };

/* ------------------------------------------------------------------------------------------------------------ open */

static strew_status check_reader_options(const struct call *call, const strew_reader_options *options) {
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "rows"};
  strew_status status = check_options(call, options);
  if (status == STREW_OK && options->load) status = check_load_options(call, options->load);
  if (status != STREW_OK) return status;
  if (options->rows < 0) return fail(call, fault, "is %" PRId64 ", expected 1 or more", options->rows);
  if (options->load && options->load->csv && options->load->csv->rows)
    return fail(call, fault, "is an option of load, expected that of chunks");
  fault.argument = "map";
  if (options->load && options->load->map) return fail(call, fault, "is true, but chunks are read, not mapped");
  return STREW_OK;
}

static strew_status check_member(const struct call *call, const struct format *format, const char *member,
                                 bool has_columns) {
  if (has_columns && format->options & TAKES_COLUMNS)
    return fail(call, FAULT(STREW_EARGUMENT, "columns"),
                "is an option of load for %s files, expected 'member' for chunks", format->suffix);
  if (!member || format->options & TAKES_MEMBER) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "member"), "is an option of .npz files, not of %s files", format->suffix);
}

/* Copies what the caller may release: the path, and options that are used after opening. */
static strew_status copy_arguments(const struct call *call, strew_reader *reader, const char *path,
                                   const strew_reader_options *options) {
  size_t path_bytes = strlen(path) + 1;
  ALLOCATE(reader->path, call, reader->context, path_bytes);
  memcpy(reader->path, path, path_bytes);
  if (options->load) reader->options = *options->load;
  if (reader->options.dtype) reader->dtype = *reader->options.dtype;
  if (reader->options.dtype) reader->options.dtype = &reader->dtype;
  if (!reader->options.separator) reader->options.separator = reader->format->separator;
  reader->rows = options->rows ? options->rows : DEFAULT_ROWS;
  return STREW_OK;
}

/* Opens the file, and its contents where they are read in order. */
static strew_status open_source(const struct call *call, strew_reader *reader, const char *member,
                                strew_device *device) {
  struct chunk_source source = {.device = device, .file = &reader->file, .options = &reader->options, .member = member};
  strew_status status = file_open(call, reader->context, reader->path, &reader->file);
  if (status != STREW_OK) return status;
  reader->is_open = true;
  if (!(reader->format->options & TAKES_MEMBER)) {
    status = ahead_start(call, &reader->file);
    TRY(status, stream_open(call, &reader->file, reader->format->options & IS_GZIP, &reader->stream));
    source.stream = &reader->stream;
  }
  if (status != STREW_OK) return status;
  ALLOCATE(reader->state, call, reader->context, reader->chunks->state_bytes);
  return reader->chunks->open(call, &source, memset(reader->state, 0, reader->chunks->state_bytes));
}

/* The lists of names are the caller's: they were used. */
static void forget_lists(strew_load_options *options) {
  options->text = options->dates = options->columns = NULL;
  options->text_count = options->date_count = options->column_count = 0;
  options->format = NULL;
  options->csv = NULL;
}

static strew_status make_reader(const struct call *call, strew_context *context, const struct chunk_functions *chunks,
                                strew_reader **out) {
  ALLOCATE_NEW(strew_reader *, reader, call, context, sizeof *reader);
  memset(reader, 0, sizeof *reader);
  reader->context = strew_context_retain(context);
  reader->chunks = chunks;
  return *out = reader, STREW_OK;
}

strew_status reader_create(const struct call *call, strew_context *context, const struct chunk_functions *chunks,
                           const void *state, strew_reader **out) {
  strew_reader *reader;
  RETURN_IF_FAILED(make_reader(call, context, chunks, &reader));
  reader->state = memory_allocate(context, chunks->state_bytes);
  if (!reader->state) return strew_reader_close(reader), fail_memory(call, context, chunks->state_bytes);
  memcpy(reader->state, state, chunks->state_bytes);
  return *out = reader, STREW_OK;
}

strew_status strew_reader_open(strew_device *device, const char *path, const strew_reader_options *options,
                               strew_reader **out, strew_error *error) {
  static const strew_reader_options defaults;
  static const strew_load_options load_defaults;
  CALL(call, "reader_open", error, {0});
  const struct format *format;
  if (!options) options = &defaults;
  const strew_load_options *load = options->load ? options->load : &load_defaults;
  strew_status status = check_reader_options(&call, options);
  TRY(status, format_find(&call, path, load->format, &format));
  TRY(status, format_check_load(&call, format, load));
  TRY(status, format_check_chunks(&call, format, load->format));
  TRY(status, check_member(&call, format, options->member, load->column_count > 0));
  if (status != STREW_OK) return status;
  strew_reader *reader;
  RETURN_IF_FAILED(make_reader(&call, device->context, format->chunks, &reader));
  reader->format = format;
  status = copy_arguments(&call, reader, path, options);
  TRY(status, open_source(&call, reader, options->member, device));
  if (status != STREW_OK) return strew_reader_close(reader), status;
  forget_lists(&reader->options);
  *out = reader;
  return STREW_OK;
}

void strew_reader_close(strew_reader *reader) {
  if (!reader) return;
  strew_context *context = reader->context;
  if (reader->state) reader->chunks->close(reader->state);
  memory_free(context, reader->state, reader->chunks->state_bytes);
  stream_close(&reader->stream);
  if (reader->is_open) {
    ahead_stop(&reader->file);
    file_close(&reader->file);
  }
  if (reader->path) memory_free(context, reader->path, strlen(reader->path) + 1);
  memory_free(context, reader, sizeof *reader);
  strew_context_release(context);
}

/* ------------------------------------------------------------------------------------------------------------ next */

static int64_t rows_of(strew_tensor *tensor, const strew_table *table) {
  if (table) tensor = strew_table_tensor(table, 0);
  return tensor ? tensor->sizes[0] : 0;
}

/* The next chunk. A file that has changed explains a failure, and spoils a chunk. */
static strew_status read_chunk(const struct call *call, strew_reader *reader, strew_tensor **tensor,
                               strew_table **table) {
  strew_status status = reader->chunks->next(call, reader->state, reader->rows, tensor, table, &reader->is_lost);
  bool is_from_file = status == STREW_OK || status == STREW_EFILE;
  if (!is_from_file || !file_is_changed(&reader->file)) return status;
  strew_release(*tensor);
  strew_table_release(*table);
  reader->is_lost = true;
  return fail_file(call, reader->path, NULL, "was changed while it was read, after row %" PRId64, reader->count);
}

strew_status strew_reader_next(strew_reader *reader, strew_tensor **out, strew_table **table, strew_error *error) {
  strew_error inner = {.alias = error ? error->alias : NULL};
  CALL(call, "reader_next", &inner, {0});
  strew_tensor *tensor = NULL;
  strew_table *columns = NULL;
  if (reader->is_lost) return report_inner(reader->failure.code, &reader->failure, error);
  strew_status status = read_chunk(&call, reader, &tensor, &columns);
  if (status != STREW_OK) {
    if (reader->is_lost) reader->failure = inner;
    return report_inner(status, &inner, error);
  }
  reader->count += rows_of(tensor, columns);
  *out = tensor;
  *table = columns;
  return STREW_OK;
}
