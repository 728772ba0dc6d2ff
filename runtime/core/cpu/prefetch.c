/* prefetch.c: how far ahead a call prefetches. */
#include "prefetch.h"

struct stream stream_of(const struct tuning *tuning, const char *first, int64_t step_bytes, int64_t at_once) {
  const bool is_narrow = step_bytes >= 0 && step_bytes <= (int64_t)sizeof(int64_t);
  const uintptr_t step = is_narrow ? (uintptr_t)step_bytes : 0, rows = (uintptr_t)(tuning->stream_ahead + at_once - 1);
  return (struct stream){(uintptr_t)first + rows * step, step};
}

/* The narrower the rows, the more of them are under way until memory answers. */
int64_t row_distance(const struct tuning *tuning, int64_t row_bytes) {
  const int64_t rows = tuning->row_bytes_ahead / (row_bytes > 0 ? row_bytes : 1);
  if (rows < ROWS_AHEAD_MIN) return ROWS_AHEAD_MIN;
  return rows < ROWS_AHEAD_MAX ? rows : ROWS_AHEAD_MAX;
}

bool is_sparse(const struct tuning *tuning, int64_t values, int64_t range_bytes, int64_t whole_bytes) {
  /* a quotient, because an expanded index has more values than there are bytes */
  return values <= (SPARSE_VALUES * range_bytes - 1) / CACHE_LINE && whole_bytes > tuning->l2_bytes;
}

/* Not for 30 values of 100: the processor reads all lines then, and prefetching them takes as long again. */
int64_t line_distance(const struct tuning *tuning, int64_t values, int64_t range_bytes, int64_t whole_bytes) {
  return is_sparse(tuning, values, range_bytes, whole_bytes) ? (LINES_AHEAD - 1) / values + 1 : 0;
}
