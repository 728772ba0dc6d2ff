/* reader.c: strew_reader: tables or tensors one after the other, whatever they are made of, and what a failure leaves. */
#include "table.h"

#include <string.h>

struct strew_reader {
  strew_context *context; /* retained */
  const struct reader_functions *functions;
  void *state;
  bool is_lost; /* input is lost: every later call fails like the one that lost it */
  strew_error failure;
};

strew_status reader_create(const struct call *call, strew_context *context, const struct reader_functions *functions,
                           const void *state, strew_reader **out) {
  ALLOCATE_NEW(strew_reader *, reader, call, context, sizeof *reader);
  memset(reader, 0, sizeof *reader);
  reader->context = strew_context_retain(context);
  reader->functions = functions;
  reader->state = memory_allocate(context, functions->state_bytes);
  if (!reader->state) return strew_reader_close(reader), fail_memory(call, context, functions->state_bytes);
  if (state)
    memcpy(reader->state, state, functions->state_bytes);
  else
    memset(reader->state, 0, functions->state_bytes);
  return *out = reader, STREW_OK;
}

void *reader_state(strew_reader *reader) { return reader->state; }

void strew_reader_close(strew_reader *reader) {
  if (!reader) return;
  strew_context *context = reader->context;
  if (reader->state) reader->functions->close(reader->state);
  memory_free(context, reader->state, reader->functions->state_bytes);
  memory_free(context, reader, sizeof *reader);
  strew_context_release(context);
}

strew_status strew_reader_next(strew_reader *reader, strew_tensor **out, strew_table **table, strew_error *error) {
  strew_error inner = {.alias = error ? error->alias : NULL};
  CALL(call, "reader_next", &inner, {0});
  strew_tensor *tensor = NULL;
  strew_table *columns = NULL;
  if (reader->is_lost) return report_inner(reader->failure.code, &reader->failure, error);
  const strew_status status = reader->functions->next(&call, reader->state, &tensor, &columns, &reader->is_lost);
  if (status != STREW_OK) {
    if (reader->is_lost) reader->failure = inner;
    return report_inner(status, &inner, error);
  }
  *out = tensor;
  *table = columns;
  return STREW_OK;
}
