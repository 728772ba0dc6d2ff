/* chunks.c: readers of files, in chunks of rows. Each format makes its own chunks (format.h); here is the file, which is
   read ahead by a thread where it is read in order. */
#include "format.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <string.h>

/* The state of a reader. */
struct file_chunks {
  strew_context *context;
  const struct format *format;
  void *state; /* of format->chunks; NULL: not open */
  char *path;
  struct file file;
  struct stream stream;
  bool is_open; /* the file */
  strew_load_options options;
  strew_dtype dtype; /* where options.dtype points */
  int64_t rows;
  int64_t count; /* of rows so far */
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
  fault.argument = "ragged";
  if (options->load && options->load->csv && options->load->csv->ragged)
    return fail(call, fault, "is true, an option of load, not of chunks");
  fault.argument = "map";
  if (options->load && options->load->map) return fail(call, fault, "is true, but chunks are read, not mapped");
  return STREW_OK;
}

static strew_status check_member(const struct call *call, const struct format *format, const char *member,
                                 bool has_columns) {
  if (has_columns && format->options & TAKES_MEMBER)
    return fail(call, FAULT(STREW_EARGUMENT, "columns"),
                "is an option of load for %s files, expected 'member' for chunks", format->suffix);
  if (!member || format->options & TAKES_MEMBER) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "member"), "is an option of .npz files, not of %s files", format->suffix);
}

/* Copies what the caller may release: the path, and options that are used after opening. */
static strew_status copy_arguments(const struct call *call, struct file_chunks *own, const char *path,
                                   const strew_reader_options *options) {
  size_t path_bytes = strlen(path) + 1;
  ALLOCATE(own->path, call, own->context, path_bytes);
  memcpy(own->path, path, path_bytes);
  if (options->load) own->options = *options->load;
  if (own->options.dtype) own->dtype = *own->options.dtype;
  if (own->options.dtype) own->options.dtype = &own->dtype;
  if (!own->options.separator) own->options.separator = own->format->separator;
  own->rows = options->rows ? options->rows : DEFAULT_ROWS;
  return STREW_OK;
}

/* Opens the file, and its contents where they are read in order. */
static strew_status open_source(const struct call *call, struct file_chunks *own, const char *member,
                                strew_device *device) {
  struct chunk_source source = {
      .device = device, .file = &own->file, .options = &own->options, .member = member, .rows = own->rows};
  strew_status status = file_open(call, own->context, own->path, &own->file);
  if (status != STREW_OK) return status;
  own->is_open = true;
  if (!(own->format->options & TAKES_MEMBER)) {
    status = ahead_start(call, &own->file);
    TRY(status, stream_open(call, &own->file, own->format->options & IS_GZIP, &own->stream));
    source.stream = &own->stream;
  }
  if (status != STREW_OK) return status;
  ALLOCATE(own->state, call, own->context, own->format->chunks->state_bytes);
  return own->format->chunks->open(call, &source, memset(own->state, 0, own->format->chunks->state_bytes));
}

/* The lists of names are the caller's: they were used. */
static void forget_lists(strew_load_options *options) {
  options->text = options->dates = options->columns = NULL;
  options->text_count = options->date_count = options->column_count = 0;
  options->format = NULL;
  options->csv = NULL;
}

static int64_t rows_of(strew_tensor *tensor, const strew_table *table) {
  if (table) tensor = strew_table_tensor(table, 0);
  return tensor ? tensor->sizes[0] : 0;
}

/* The next chunk. A file that has changed explains a failure, and spoils a chunk. */
static strew_status next_chunk(const struct call *call, void *state, strew_tensor **tensor, strew_table **table,
                               bool *is_lost) {
  struct file_chunks *own = state;
  strew_status status = own->format->chunks->next(call, own->state, own->rows, tensor, table, is_lost);
  bool is_from_file = status == STREW_OK || status == STREW_EFILE;
  if (is_from_file && file_is_changed(&own->file)) {
    strew_release(*tensor);
    strew_table_release(*table);
    *is_lost = true;
    return fail_file(call, own->path, NULL, "was changed while it was read, after row %" PRId64, own->count);
  }
  if (status == STREW_OK) own->count += rows_of(*tensor, *table);
  return status;
}

static void close_chunks(void *state) {
  struct file_chunks *own = state;
  if (own->state) own->format->chunks->close(own->state);
  if (own->state) memory_free(own->context, own->state, own->format->chunks->state_bytes);
  stream_close(&own->stream);
  if (own->is_open) {
    ahead_stop(&own->file);
    file_close(&own->file);
  }
  if (own->path) memory_free(own->context, own->path, strlen(own->path) + 1);
}

static const struct reader_functions file_functions = {sizeof(struct file_chunks), next_chunk, close_chunks};

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
  RETURN_IF_FAILED(reader_create(&call, device->context, &file_functions, NULL, &reader));
  struct file_chunks *own = reader_state(reader);
  own->context = device->context;
  own->format = format;
  status = copy_arguments(&call, own, path, options);
  TRY(status, open_source(&call, own, options->member, device));
  if (status != STREW_OK) return strew_reader_close(reader), status;
  forget_lists(&own->options);
  *out = reader;
  return STREW_OK;
}
