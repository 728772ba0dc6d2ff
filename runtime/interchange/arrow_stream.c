/* arrow_stream.c: tables from Arrow's streams, as the chunks of a reader. The words of a column keep their codes. */
#include "arrow.h"
#include "runtime/core/base/device.h"
#include "runtime/text_time/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct incoming {
  strew_device *device;
  struct ArrowArrayStream stream; /* empty after its end, after a failure, and with an array that is none of a table */
  struct ArrowSchema schema;
  struct ArrowArray array; /* the next one, until its import succeeds */
  int64_t columns;
  struct arrow_known *known; /* of the columns */
};

/* The stream's own words, which are gone with its next call. */
static strew_status fail_stream(const struct call *call, struct ArrowArrayStream *stream, int code) {
  char text[TEXT_BYTES] = "";
  const char *said = stream->get_last_error ? stream->get_last_error(stream) : NULL;
  snprintf(text, sizeof text, "%s", said ? said : "no message");
  for (char *end = text; (end = strchr(end, '\n'));) *end = ' ';
  return fail(call, FAULT(code == ENOMEM ? STREW_EMEMORY : STREW_EFILE, "stream"), "failed with error %d: %s", code,
              text);
}

static void end_stream(struct incoming *in) {
  if (in->stream.release) in->stream.release(&in->stream);
  in->stream.release = NULL;
}

static void close_incoming(void *state) {
  struct incoming *in = state;
  strew_context *context = in->device->context;
  strew_arrow_release(&in->array, &in->schema);
  end_stream(in);
  for (int64_t i = 0; i < in->columns; i++) shared_words_release(in->known[i].words, context);
  memory_free(context, in->known, (size_t)in->columns * sizeof *in->known);
}

static strew_status next_array(const struct call *call, struct incoming *in, bool *is_lost) {
  RETURN_IF_FAILED(context_check(call, in->device->context));
  if (in->array.release || !in->stream.release) return STREW_OK;
  const int code = in->stream.get_next(&in->stream, &in->array);
  strew_status status = STREW_OK;
  if (code) {
    *is_lost = true;
    in->array.release = NULL; /* undefined after a failure */
    status = fail_stream(call, &in->stream, code);
  }
  if (!in->array.release) end_stream(in);
  return status;
}

static strew_status next_table(const struct call *call, void *state, strew_tensor **tensor, strew_table **table,
                               bool *is_lost) {
  struct incoming *in = state;
  RETURN_IF_FAILED(next_array(call, in, is_lost));
  if (!in->array.release) return STREW_OK;
  const strew_status status = arrow_import(call, in->device, "stream", &in->array, &in->schema, in->known, table);
  if (status != STREW_OK && status != STREW_EMEMORY && status != STREW_EINTERRUPTED) end_stream(in); /* for good */
  RETURN_IF_FAILED(status);
  if (!strew_table_is_numbered(*table)) return STREW_OK;
  *tensor = strew_retain(strew_table_tensor(*table, 0));
  strew_table_release(*table);
  return *table = NULL, STREW_OK;
}

static const struct reader_functions arrays = {sizeof(struct incoming), next_table, close_incoming};

static strew_status open_incoming(const struct call *call, struct incoming *in, strew_reader **out) {
  strew_context *context = in->device->context;
  const struct ArrowSchema *schema = &in->schema;
  if (!schema->release || !schema->format) return fail(call, FAULT(STREW_EARGUMENT, "stream"), "has an empty schema");
  RETURN_IF_FAILED(arrow_count_columns(call, in->device, "stream", schema, &in->columns));
  const size_t size_bytes = (size_t)in->columns * sizeof *in->known;
  ALLOCATE(in->known, call, context, size_bytes);
  if (in->columns) memset(in->known, 0, size_bytes);
  strew_status status = reader_create(call, context, &arrays, in, out);
  if (status != STREW_OK) memory_free(context, in->known, size_bytes);
  return status;
}

strew_status strew_table_from_arrow_stream(strew_device *device, struct ArrowArrayStream *stream, strew_reader **out,
                                           strew_error *error) {
  CALL(call, "from_arrow_stream", error, {0});
  struct incoming in = {.device = device};
  RETURN_IF_FAILED(arrow_check_device(&call, device));
  if (!stream || !stream->release || !stream->get_schema || !stream->get_next)
    return fail(&call, FAULT(STREW_EARGUMENT, "stream"), "is NULL or was released");
  const int code = stream->get_schema(stream, &in.schema);
  if (code) return fail_stream(&call, stream, code);
  in.stream = *stream;
  strew_status status = open_incoming(&call, &in, out);
  if (status == STREW_OK)
    stream->release = NULL;
  else
    strew_arrow_release(NULL, &in.schema);
  return status;
}
