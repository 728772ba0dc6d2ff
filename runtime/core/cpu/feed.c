/* feed.c: the elements of an operand in blocks: in memory, converted from it, or computed by a program. */
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

bool feed_open(struct feed *feed, const struct operand *operand, strew_dtype to) {
  feed->program = operand->storage ? operand->storage->started : NULL;
  feed->first = feed->program ? (const char *)operand->storage->data : NULL;
  feed->convert = operand->dtype == to && feed->program ? NULL : converter(to, operand->dtype);
  feed->from_bytes = (int64_t)dtype_bytes(operand->dtype);
  feed->to_bytes = (int64_t)dtype_bytes(to);
  return feed->program || operand->dtype != to;
}

/* Elements of a program are adjacent, but for single ones. */
static void compute(const struct feed *feed, int64_t count, char *to, const char *from) {
  double block[BLOCK];
  const int64_t begin = (from - feed->first) / feed->from_bytes;
  if (!feed->convert) {
    feed->program->read(feed->program, begin, count, to);
    return;
  }
  for (int64_t i = 0, n; i < count; i += n) {
    n = least(count - i, BLOCK);
    feed->program->read(feed->program, begin + i, n, (char *)block);
    feed->convert(n, to + i * feed->to_bytes, feed->to_bytes, (const char *)block, feed->from_bytes);
  }
}

void feed_read(const struct feed *feed, int64_t count, char *to, const char *from, int64_t step) {
  if (!feed->program)
    feed->convert(count, to, feed->to_bytes, from, step);
  else if (step == feed->from_bytes)
    compute(feed, count, to, from);
  else
    for (int64_t i = 0; i < count; i++) compute(feed, 1, to + i * feed->to_bytes, from + i * step);
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
