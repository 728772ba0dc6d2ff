/* gather.c: gathering moves bits, so it knows sizes of elements, not dtypes. A line is one element per index value;
   where the index stands still along the last dimension, it is a row for each. What is read soon is asked for ahead, as
   in scatter_loops.c: 1 M rows of 64 float32 of 100 k take 25 ms instead of 53, 10 M elements of 1 M 16 instead of 25.
 */
#include "cpu.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 1024, AT_ONCE = 4 };
/* Lines of `count` values and what they bring. Values that are not 0 .. size - 1 bring zeros: were there any? */
struct line {
  int64_t count, lines;
  const int64_t *index;
  int64_t size, step;
  char *out;
  int64_t out_step, out_line;
  const char *self;
  int64_t self_step, self_line;
  int64_t index_line;         /* in values; other steps in bytes */
  struct stream index_stream; /* of one line */
  int64_t lines_ahead;        /* where lines are few and far between: by so many their elements are asked for; else 0 */
  bool far;                   /* what a value chooses from does not fit in a core's cache */
};

struct gathering {
  const struct gather_plan *plan;
  int64_t columns, out_column, self_column; /* steps in bytes */
  struct line line;                         /* as far as it is the same for all rows */
  size_t size_bytes;
  atomic_bool bad;
};

/* No pointer arithmetic, for a value may be out of range. */
ALWAYS_INLINE void fetch_ahead(const struct line *line, int64_t i, int64_t ahead, int64_t bytes) {
  if (!line->far || i + ahead >= line->count) return;
  uintptr_t address = (uintptr_t)line->self + (uintptr_t)(i + ahead) * (uintptr_t)line->self_step +
                      (uintptr_t)line->index[i + ahead] * (uintptr_t)line->step;
  for (int64_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + (uintptr_t)at));
}

/* What line n brings. */
ALWAYS_INLINE void fetch_line_ahead(const struct line *line, int64_t n) {
  if (n >= line->lines) return;
  const int64_t *index = line->index + n * line->index_line;
  uintptr_t self = (uintptr_t)line->self + (uintptr_t)n * (uintptr_t)line->self_line;
  for (int64_t i = 0; i < line->count; i++, self += (uintptr_t)line->self_step)
    __builtin_prefetch((const void *)(self + (uintptr_t)index[i] * (uintptr_t)line->step));
}

/* Values that are due later: 10 M elements of 1 M take 28 ms on an Intel Xeon, 38 without. Not those of short lines
   (100,000 of 10 of 100 take Zen 5 2.2 ms, 2.8 if asked for). */
ALWAYS_INLINE void fetch_index(const struct line *line, int64_t i) {
  enum { SIDE_BY_SIDE = CACHE_LINE / sizeof(int64_t) };
  if (line->lines == 1 && i % SIDE_BY_SIDE == 0)
    prefetch_l2(line->index_stream.at + (uintptr_t)i * line->index_stream.step, CACHE_LINE);
}

/* Dense lines are read by fours, whose values are tested at once. */
#define GATHER_LINES(T)                                                                                                \
  ALWAYS_INLINE bool gather_one_##T(const struct line *whole, int64_t i) {                                             \
    const struct line line = *whole;                                                                                   \
    const int64_t value = line.index[i];                                                                               \
    const bool wrong = OUT_OF_RANGE(&line, value);                                                                     \
    const char *place = line.self + i * line.self_step + (wrong ? 0 : value * line.step);                              \
    *(T *)(void *)(line.out + i * line.out_step) = wrong ? 0 : *(const T *)(const void *)place;                        \
    return wrong;                                                                                                      \
  }                                                                                                                    \
  ALWAYS_INLINE bool gather_line_##T(const struct line *whole) {                                                       \
    const struct line line = *whole;                                                                                   \
    const bool dense = line.self_step == 0 && line.step == sizeof(T) && line.out_step == sizeof(T);                    \
    bool bad = false;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; dense && i + AT_ONCE <= line.count; i += AT_ONCE) {                                                         \
      const int64_t *v = line.index + i;                                                                               \
      for (int k = 0; k < AT_ONCE; k++) fetch_ahead(&line, i + k, LINE_AHEAD, 1);                                      \
      fetch_index(&line, i);                                                                                           \
      if (OUT_OF_RANGE(&line, v[0]) | OUT_OF_RANGE(&line, v[1]) | OUT_OF_RANGE(&line, v[2]) |                          \
          OUT_OF_RANGE(&line, v[3])) {                                                                                 \
        for (int k = 0; k < AT_ONCE; k++) bad |= gather_one_##T(&line, i + k);                                         \
        continue;                                                                                                      \
      }                                                                                                                \
      const T *self = (const T *)(const void *)line.self;                                                              \
      T *out = (T *)(void *)line.out + i;                                                                              \
      out[0] = self[v[0]], out[1] = self[v[1]], out[2] = self[v[2]], out[3] = self[v[3]];                              \
    }                                                                                                                  \
    for (; i < line.count; i++) {                                                                                      \
      fetch_ahead(&line, i, LINE_AHEAD, 1);                                                                            \
      fetch_index(&line, i);                                                                                           \
      bad |= gather_one_##T(&line, i);                                                                                 \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }                                                                                                                    \
  static bool gather_lines_##T(const struct line *first) {                                                             \
    struct line line = *first;                                                                                         \
    bool bad = false;                                                                                                  \
    for (int64_t n = 0; n < first->lines; n++) {                                                                       \
      if (first->lines_ahead) fetch_line_ahead(first, n + first->lines_ahead);                                         \
      line.index = first->index + n * first->index_line;                                                               \
      line.out = first->out + n * first->out_line;                                                                     \
      line.self = first->self + n * first->self_line;                                                                  \
      bad |= gather_line_##T(&line);                                                                                   \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }
GATHER_LINES(uint8_t)
GATHER_LINES(uint16_t)
GATHER_LINES(uint32_t)
GATHER_LINES(uint64_t)

static bool gather_lines(size_t size_bytes, const struct line *line) {
  switch (size_bytes) {
  case 1: return gather_lines_uint8_t(line);
  case 2: return gather_lines_uint16_t(line);
  case 4: return gather_lines_uint32_t(line);
  default: return gather_lines_uint64_t(line);
  }
}

/* A few words, of which the last two may share bytes: a call would take longer than they. */
ALWAYS_INLINE void copy_words(char *to, const char *from, int64_t bytes, const int64_t word) {
  for (int64_t at = 0; at < bytes - word; at += word) memcpy(to + at, from + at, (size_t)word);
  memcpy(to + bytes - word, from + bytes - word, (size_t)word);
}

ALWAYS_INLINE void copy_dense(char *to, const char *from, int64_t bytes) {
  enum { FEW_WORDS = 8 };
  if (bytes > FEW_WORDS * 16 || bytes < 4)
    memcpy(to, from, (size_t)bytes);
  else if (bytes >= 16)
    copy_words(to, from, bytes, 16);
  else if (bytes >= 8)
    copy_words(to, from, bytes, 8);
  else
    copy_words(to, from, bytes, 4);
}

static bool gather_rows(const struct gathering *gathering, const struct line *whole) {
  static const uint64_t zero;
  const struct line line = *whole;
  strew_dtype dtype = gathering->plan->plan.operands[GATHER_OUT].dtype;
  const int64_t size = (int64_t)gathering->size_bytes, bytes = gathering->columns * gathering->self_column;
  const int64_t ahead = rows_fetched_ahead(bytes);
  const bool dense = gathering->out_column == size && gathering->self_column == size;
  convert_row *copy = converter(dtype, dtype);
  bool bad = false;
  for (int64_t i = 0; i < line.count; i++) {
    const int64_t value = line.index[i];
    char *to = line.out + i * line.out_step;
    const char *from = line.self + i * line.self_step + (OUT_OF_RANGE(&line, value) ? 0 : value * line.step);
    fetch_ahead(&line, i, ahead, least(bytes, MOST_FETCHED));
    if (OUT_OF_RANGE(&line, value)) {
      copy(gathering->columns, to, gathering->out_column, (const char *)&zero, 0);
      bad = true;
    } else if (dense) {
      copy_dense(to, from, bytes);
    } else {
      copy(gathering->columns, to, gathering->out_column, from, gathering->self_column);
    }
  }
  return bad;
}

/* A row of lines, where they are short, or a line. */
static void gather_visit(void *gathering_, const struct row *row) {
  struct gathering *gathering = gathering_;
  const struct gather_plan *plan = gathering->plan;
  int64_t block[BLOCK];
  struct line line = gathering->line;
  line.out = row->address[GATHER_OUT], line.self = row->address[GATHER_SELF];
  if (line.count) {
    line.lines = row->count;
    line.index = (const int64_t *)(const void *)row->address[GATHER_INDEX];
    line.out_line = row->step_bytes[GATHER_OUT], line.self_line = row->step_bytes[GATHER_SELF];
    line.index_line = row->step_bytes[GATHER_INDEX] / (int64_t)sizeof *line.index;
    line.index_stream = stream_of(row->address[GATHER_INDEX], sizeof *line.index, 1);
  } else {
    line.lines = 1, line.count = row->count;
    line.index =
        index_values(row, GATHER_INDEX, plan->plan.operands[GATHER_INDEX].dtype, plan->mode, plan->size, block);
    line.out_step = row->step_bytes[GATHER_OUT], line.self_step = row->step_bytes[GATHER_SELF];
    line.index_stream =
        stream_of(row->address[GATHER_INDEX], row->step_bytes[GATHER_INDEX], line.index == block ? BLOCK : 1);
  }
  bool bad = gathering->columns ? gather_rows(gathering, &line) : gather_lines(gathering->size_bytes, &line);
  if (bad) atomic_store_explicit(&gathering->bad, true, memory_order_relaxed);
}

/* Short lines go several at a time, for each would take a while to begin (100,000 of 20: 3.3 ms one by one, 1.3 so).
   Where their values have to be brought first, each goes alone. */
static void split_lines(const strew_context *context, const struct gather_plan *plan, struct plan *outer,
                        struct line *line) {
  enum { LONGEST = 256 };
  const int last = outer->rank - 1;
  const struct operand *index = &outer->operands[GATHER_INDEX];
  if (last < 1 || outer->sizes[last] > LONGEST) return;
  if (!index_is_straight(index->dtype, operand_step(index, last), plan->mode)) return;
  line->count = outer->sizes[last];
  line->out_step = operand_step(&outer->operands[GATHER_OUT], last);
  line->self_step = operand_step(&outer->operands[GATHER_SELF], last);
  outer->rank = last;
  const int64_t whole = operand_step(&outer->operands[GATHER_SELF], last - 1) * outer->sizes[last - 1];
  line->lines_ahead = lines_fetched_ahead(context, line->count, line->size * line->step, whole);
}

strew_status cpu_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad) {
  struct plan outer;
  const struct operand *operands = plan->plan.operands;
  struct gathering gathering = {.plan = plan, .size_bytes = dtype_bytes(operands[GATHER_OUT].dtype)};
  int64_t size = (int64_t)gathering.size_bytes;
  plan_copy(&outer, &plan->plan);
  int last = outer.rank - 1;
  gathering.line.size = plan->size;
  gathering.line.step = plan->step * size;
  gathering.line.far = plan->size * gathering.line.step > (int64_t)device->context->grain_bytes;
  atomic_init(&gathering.bad, false);
  if (last >= 0 && operands[GATHER_INDEX].strides[last] == 0) {
    gathering.columns = outer.sizes[last];
    gathering.out_column = operand_step(&operands[GATHER_OUT], last);
    gathering.self_column = operand_step(&operands[GATHER_SELF], last);
    outer.rank--;
  } else {
    split_lines(device->context, plan, &outer, &gathering.line);
  }
  int64_t values = plan_numel(gathering.columns ? &outer : &plan->plan);
  int64_t bytes = plan_numel(&plan->plan) * 2 * size + values * (int64_t)dtype_bytes(operands[GATHER_INDEX].dtype);
  int64_t columns = gathering.columns + gathering.line.count; /* one of them is 0 */
  walk_rows_sized(device->context, &outer, bytes, rows_of_chunk(BLOCK, columns), gather_visit, &gathering);
  *bad = plan->check && atomic_load(&gathering.bad);
  return context_end(call, device->context, operands[GATHER_OUT].storage);
}
