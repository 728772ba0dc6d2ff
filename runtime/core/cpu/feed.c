/* feed.c: the elements of an operand in order: in memory, or computed by a program, ahead. */
#include "program.h"

#include "tuning.h"

strew_status feed_begin(const struct call *call, const struct operand *operand, struct program *program) {
  struct storage *storage = operand->storage;
  if (!storage || !storage->program) return STREW_OK;
  RETURN_IF_FAILED(storage->device->ops->elementwise->program_start(call, program, storage->program));
  program->prefetch = walk_bytes(program->space) / PROGRAM_MIN_L2S > tuning_in_use()->l2_bytes;
  return storage->started = program, STREW_OK;
}

void feed_end(const struct operand *operand) {
  if (operand->storage && operand->storage->program) operand->storage->started = NULL;
}

void window_open(struct window *window, const struct operand *operand, const char *last, char *block) {
  const struct storage *storage = operand->storage;
  window->program = storage ? storage->started : NULL;
  if (!window->program) return;
  window->first = window->begin = window->end = storage->data;
  window->last = last;
  window->bytes = (int64_t)dtype_bytes(operand->dtype);
  window->block = block;
}

const char *window_at(struct window *window, const char *from, int64_t count) {
  if (!window->program) return from;
  if (from < window->begin || from + count * window->bytes > window->end) {
    int64_t ahead = window->last > from ? (window->last - from) / window->bytes : 0;
    ahead = least(ahead, FED_BYTES / window->bytes);
    if (ahead < count) ahead = count;
    window->program->read(window->program, (from - window->first) / window->bytes, ahead, window->block);
    window->begin = from;
    window->end = from + ahead * window->bytes;
  }
  return window->block + (from - window->begin);
}

const char *window_rows(struct window *window, const char *from, int64_t step, int64_t rows, int64_t count) {
  if (rows == 1 || step == count * window->bytes) return window_at(window, from, rows * count);
  for (int64_t i = 0; i < rows; i++)
    window->program->read(window->program, (from + i * step - window->first) / window->bytes, count,
                          window->block + i * count * window->bytes);
  window->begin = window->end;
  return window->block;
}
