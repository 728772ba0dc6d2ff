/* gather.c: gathering moves bits, so it knows sizes of elements, not dtypes. A line has one element per index value; if
   the index stands still along the last dimension, each value selects a row. */
#include "core_loops.h"
#include "cpu.h"

#include <string.h>

/* Lines of `count` index values, and the elements that they select. Values out of range select zeros. */
struct gather_line {
  int64_t count, lines;
  struct selection from; /* base and steps in bytes; of one line */
  int64_t size;          /* of self along dim: index values are 0 .. size - 1 */
  char *out;
  int64_t out_step;
  int64_t index_line, self_line, out_line; /* from line to line: in values, in bytes */
  struct stream index_stream;              /* of a single line */
  int64_t lines_ahead; /* distance in which elements of sparse lines are prefetched; 0: they are not */
  bool prefetch;       /* elements are prefetched: self is larger than L2 along dim */
};

struct gathering {
  const struct gather_plan *plan;
  int64_t columns, out_column, self_column; /* steps in bytes */
  struct gather_line line;                  /* its members that are the same for all rows */
  size_t size_bytes;
  atomic_bool bad;
};

ALWAYS_INLINE void prefetch_element(const struct gather_line *line, int64_t i, int64_t ahead, int64_t bytes) {
  if (!line->prefetch || i + ahead >= line->count) return;
  prefetch_read(selected_address(&line->from, i + ahead), bytes);
}

/* All elements of line n. */
ALWAYS_INLINE void prefetch_line(const struct gather_line *first, int64_t n) {
  if (n >= first->lines) return;
  struct selection from = first->from;
  from.index += n * first->index_line;
  from.base += n * first->self_line;
  for (int64_t i = 0; i < first->count; i++) prefetch_read(selected_address(&from, i), 1);
}

/* Of one line: 10 M elements of 1 M 38 ms -> 28 (Xeon). Of several short ones it costs more than it saves: 100,000
   lines of 10 of 100 2.2 ms -> 2.8 (Zen 5). */
ALWAYS_INLINE void prefetch_index(const struct gather_line *line, int64_t i) {
  enum { PER_CACHE_LINE = CACHE_LINE / sizeof(int64_t) };
  if (line->lines == 1 && i % PER_CACHE_LINE == 0) prefetch_stream(line->index_stream, false, i, CACHE_LINE);
}

/* Lines of unit stride are read by UNROLL elements, whose index values are tested at once. */
#define GATHER_LINES(T)                                                                                                \
  ALWAYS_INLINE bool gather_one_##T(const struct gather_line *whole, int64_t i) {                                      \
    const struct gather_line line = *whole;                                                                            \
    const int64_t ix = line.from.index[i];                                                                             \
    const bool wrong = OUT_OF_RANGE(&line, ix);                                                                        \
    const char *from = line.from.base + i * line.from.row + (wrong ? 0 : ix * line.from.step);                         \
    *(T *)(void *)(line.out + i * line.out_step) = wrong ? 0 : *(const T *)(const void *)from;                         \
    return wrong;                                                                                                      \
  }                                                                                                                    \
  ALWAYS_INLINE bool gather_line_##T(const struct gather_line *whole) {                                                \
    const struct gather_line line = *whole;                                                                            \
    const bool unit_stride = line.from.row == 0 && line.from.step == sizeof(T) && line.out_step == sizeof(T);          \
    bool bad = false;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; unit_stride && i + UNROLL <= line.count; i += UNROLL) {                                                     \
      const int64_t *v = line.from.index + i;                                                                          \
      for (int k = 0; k < UNROLL; k++) prefetch_element(&line, i + k, DST_AHEAD, 1);                                   \
      prefetch_index(&line, i);                                                                                        \
      if (OUT_OF_RANGE(&line, v[0]) | OUT_OF_RANGE(&line, v[1]) | OUT_OF_RANGE(&line, v[2]) |                          \
          OUT_OF_RANGE(&line, v[3])) {                                                                                 \
        for (int k = 0; k < UNROLL; k++) bad |= gather_one_##T(&line, i + k);                                          \
        continue;                                                                                                      \
      }                                                                                                                \
      const T *self = (const T *)(const void *)line.from.base;                                                         \
      T *out = (T *)(void *)line.out + i;                                                                              \
      out[0] = self[v[0]], out[1] = self[v[1]], out[2] = self[v[2]], out[3] = self[v[3]];                              \
    }                                                                                                                  \
    for (; i < line.count; i++) {                                                                                      \
      prefetch_element(&line, i, DST_AHEAD, 1);                                                                        \
      prefetch_index(&line, i);                                                                                        \
      bad |= gather_one_##T(&line, i);                                                                                 \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }                                                                                                                    \
  static bool gather_lines_##T(const struct gather_line *first) {                                                      \
    struct gather_line line = *first;                                                                                  \
    bool bad = false;                                                                                                  \
    for (int64_t n = 0; n < first->lines; n++) {                                                                       \
      if (first->lines_ahead) prefetch_line(first, n + first->lines_ahead);                                            \
      line.from.index = first->from.index + n * first->index_line;                                                     \
      line.from.base = first->from.base + n * first->self_line;                                                        \
      line.out = first->out + n * first->out_line;                                                                     \
      bad |= gather_line_##T(&line);                                                                                   \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }
EACH_WIDTH(GATHER_LINES)

static bool (*const gather_lines[])(const struct gather_line *line) = {BY_WIDTH(gather_lines)};

void lookup_take(const struct lookup *from, int64_t count, const int64_t *index, void *to) {
  const struct tuning *tuning = tuning_in_use();
  const struct gather_line line = {.count = count,
                                   .lines = 1,
                                   .from = {index, from->base, 0, from->step},
                                   .size = from->size,
                                   .out = to,
                                   .out_step = (int64_t)from->bytes,
                                   .index_stream = stream_of(tuning, (const char *)index, sizeof *index, 1),
                                   .prefetch = from->size * from->step > tuning->l2_bytes};
  if (gather_lines[from->bytes](&line) && from->bad) atomic_store_explicit(from->bad, true, memory_order_relaxed);
}

/* A few words, the last two of which may overlap: a call would take longer. */
ALWAYS_INLINE void copy_words(char *to, const char *from, int64_t bytes, const int64_t word) {
  for (int64_t at = 0; at < bytes - word; at += word) memcpy(to + at, from + at, (size_t)word);
  memcpy(to + bytes - word, from + bytes - word, (size_t)word);
}

ALWAYS_INLINE void copy_row(char *to, const char *from, int64_t bytes) {
  if (bytes > COPY_WORDS * 16 || bytes < 4)
    memcpy(to, from, (size_t)bytes);
  else if (bytes >= 16)
    copy_words(to, from, bytes, 16);
  else if (bytes >= 8)
    copy_words(to, from, bytes, 8);
  else
    copy_words(to, from, bytes, 4);
}

static bool gather_rows(const struct gathering *gathering, const struct gather_line *whole) {
  static const uint64_t zero;
  const struct gather_line line = *whole;
  strew_dtype dtype = gathering->plan->plan.operands[GATHER_OUT].dtype;
  const int64_t size = (int64_t)gathering->size_bytes, bytes = gathering->columns * gathering->self_column;
  const int64_t ahead = row_distance(tuning_in_use(), bytes);
  const bool unit_stride = gathering->out_column == size && gathering->self_column == size;
  convert_row *copy = converter(dtype, dtype);
  bool bad = false;
  for (int64_t i = 0; i < line.count; i++) {
    const int64_t ix = line.from.index[i];
    char *to = line.out + i * line.out_step;
    const char *from = line.from.base + i * line.from.row + (OUT_OF_RANGE(&line, ix) ? 0 : ix * line.from.step);
    prefetch_element(&line, i, ahead, first_bytes(bytes));
    if (OUT_OF_RANGE(&line, ix)) {
      copy(gathering->columns, to, gathering->out_column, (const char *)&zero, 0);
      bad = true;
    } else if (unit_stride) {
      copy_row(to, from, bytes);
    } else {
      copy(gathering->columns, to, gathering->out_column, from, gathering->self_column);
    }
  }
  return bad;
}

/* Visits a row of the walk: short lines, or one line. */
static void gather_visit(void *gathering_, const struct row *row) {
  struct gathering *gathering = gathering_;
  const struct gather_plan *plan = gathering->plan;
  const struct tuning *tuning = tuning_in_use();
  int64_t block[INDEX_BLOCK];
  struct gather_line line = gathering->line;
  const char *index = row->address[GATHER_INDEX];
  line.out = row->address[GATHER_OUT], line.from.base = row->address[GATHER_SELF];
  if (line.count) {
    line.lines = row->count;
    line.from.index = (const int64_t *)(const void *)index;
    line.out_line = row->step_bytes[GATHER_OUT], line.self_line = row->step_bytes[GATHER_SELF];
    line.index_line = row->step_bytes[GATHER_INDEX] / (int64_t)sizeof *line.from.index;
    line.index_stream = stream_of(tuning, index, sizeof *line.from.index, 1);
  } else {
    line.lines = 1, line.count = row->count;
    line.from.index =
        index_values(row, GATHER_INDEX, plan->plan.operands[GATHER_INDEX].dtype, plan->mode, plan->size, block);
    line.out_step = row->step_bytes[GATHER_OUT], line.from.row = row->step_bytes[GATHER_SELF];
    line.index_stream =
        stream_of(tuning, index, row->step_bytes[GATHER_INDEX], line.from.index == block ? INDEX_BLOCK : 1);
  }
  bool bad = gathering->columns ? gather_rows(gathering, &line) : gather_lines[gathering->size_bytes](&line);
  if (bad) atomic_store_explicit(&gathering->bad, true, memory_order_relaxed);
}

/* Short lines whose index is read in place share a call: each would take a while to begin. */
static void split_lines(const struct tuning *tuning, const struct gather_plan *plan, struct plan *outer,
                        struct gather_line *line) {
  const int last = outer->rank - 1;
  const struct operand *index = &outer->operands[GATHER_INDEX];
  if (last < 1 || outer->sizes[last] > GATHER_LINE_COLUMNS) return;
  if (!index_is_direct(index->dtype, operand_step(index, last), plan->mode)) return;
  line->count = outer->sizes[last];
  line->out_step = operand_step(&outer->operands[GATHER_OUT], last);
  line->from.row = operand_step(&outer->operands[GATHER_SELF], last);
  outer->rank = last;
  const int64_t whole = operand_step(&outer->operands[GATHER_SELF], last - 1) * outer->sizes[last - 1];
  line->lines_ahead = line_distance(tuning, line->count, line->size * line->from.step, whole);
}

strew_status cpu_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  struct plan outer;
  const struct operand *operands = plan->plan.operands;
  const struct tuning *tuning = tuning_in_use();
  struct gathering gathering = {.plan = plan, .size_bytes = dtype_bytes(operands[GATHER_OUT].dtype)};
  int64_t size = (int64_t)gathering.size_bytes;
  plan_copy(&outer, &plan->plan);
  int last = outer.rank - 1;
  gathering.line.size = plan->size;
  gathering.line.from.step = plan->step * size;
  gathering.line.prefetch = plan->size * gathering.line.from.step > tuning->l2_bytes;
  atomic_init(&gathering.bad, false);
  if (last >= 0 && operands[GATHER_INDEX].strides[last] == 0) {
    gathering.columns = outer.sizes[last];
    gathering.out_column = operand_step(&operands[GATHER_OUT], last);
    gathering.self_column = operand_step(&operands[GATHER_SELF], last);
    outer.rank--;
  } else {
    split_lines(tuning, plan, &outer, &gathering.line);
  }
  int64_t values = plan_numel(gathering.columns ? &outer : &plan->plan);
  int64_t bytes = plan_numel(&plan->plan) * 2 * size + values * (int64_t)dtype_bytes(operands[GATHER_INDEX].dtype);
  int64_t columns = gathering.columns + gathering.line.count; /* one of them is 0 */
  walk_rows_sized(device->context, &outer, bytes, rows_of_chunk(INDEX_BLOCK, columns), gather_visit, &gathering);
  *bad = plan->check && atomic_load(&gathering.bad);
  return context_end(call, device->context, operands[GATHER_OUT].storage);
}
