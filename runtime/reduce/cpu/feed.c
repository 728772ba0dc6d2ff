/* feed.c: see feed.h. */
#include "feed.h"

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
