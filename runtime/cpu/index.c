/* index.c: values of an index as int64, as the mode has them; how far ahead they are asked for, and the rows that they
   name; and the passes that look at an index: is it in range, what is its range. */
#include "cpu.h"
#include "runtime/cpu/loops/index_loops.h"

#include <stdatomic.h>

CHOOSE_LOOPS(index)

void apply_mode(strew_mode mode, int64_t size, int64_t count, int64_t *values) {
  if (mode != STREW_ERROR) index_loops()->apply_mode(mode, size, count, values);
}

bool index_is_straight(strew_dtype dtype, int64_t step_bytes, strew_mode mode) {
  return dtype == STREW_INT64 && step_bytes == (int64_t)sizeof(int64_t) && (mode == STREW_ERROR || mode == STREW_DROP);
}

const int64_t *index_values(const struct row *row, int i, strew_dtype dtype, strew_mode mode, int64_t size,
                            int64_t *block) {
  if (index_is_straight(dtype, row->step_bytes[i], mode)) return (const int64_t *)(const void *)row->address[i];
  converter(STREW_INT64, dtype)(row->count, (char *)block, sizeof *block, row->address[i], row->step_bytes[i]);
  apply_mode(mode, size, row->count, block);
  return block;
}

/* Rows to come, or those of blocks that are brought at once. Of 10 M float32, with int32 index, into 10 k places Zen 5
   adds 12 ms if only its own sight brings the blocks, 5.6 so; it gathers with int64 7.8 if asked 160 ahead, 6.3 so.
   (The others' figures are scatter's, see there.) */
struct stream stream_of(const char *first, int64_t step_bytes, int64_t at_once) {
  static const int64_t ahead[PROCESSOR_COUNT] = {
      [PROCESSOR_OTHER] = 320, [PROCESSOR_ZEN4] = 160, [PROCESSOR_ZEN5] = 640};
  const bool dense = step_bytes >= 0 && step_bytes <= (int64_t)sizeof(int64_t);
  const uintptr_t step = dense ? (uintptr_t)step_bytes : 0, rows = (uintptr_t)(ahead[processor_in_use()] + at_once - 1);
  return (struct stream){(uintptr_t)first + rows * step, step};
}

/* As many as are due until memory answers: the narrower, the more. 32 M float32 added to rows of 16 in 25.6 MB take Zen
   5 28 ms if asked for 8 rows ahead, 21 if 16, 14 if 32; to rows of 64 8.9, 6.5 and 7.9, to rows of 256 8.1, 8.6
   and 9.1. (Zen 4 and an Intel Xeon were measured with rows of 64, 8 ahead; by that they are asked for narrower ones,
   too.) */
int64_t rows_fetched_ahead(int64_t row_bytes) {
  enum { FEWEST = 8, MOST = LINE_AHEAD, BYTES = 2048, ZEN5_BYTES = 4096 };
  const int64_t rows = (processor_in_use() == PROCESSOR_ZEN5 ? ZEN5_BYTES : BYTES) / (row_bytes > 0 ? row_bytes : 1);
  return rows < FEWEST ? FEWEST : least(rows, MOST);
}

bool places_are_sparse(const strew_context *context, int64_t values, int64_t range_bytes, int64_t whole_bytes) {
  enum { FEW = 2 };
  /* a quotient, for an expanded index has more values than there are bytes */
  return values <= (FEW * range_bytes - 1) / CACHE_LINE && whole_bytes > (int64_t)context->grain_bytes;
}

int64_t lines_fetched_ahead(const strew_context *context, int64_t values, int64_t range_bytes, int64_t whole_bytes) {
  enum { AHEAD = 64 };
  return places_are_sparse(context, values, range_bytes, whole_bytes) ? (AHEAD - 1) / values + 1 : 0;
}

/* ------------------------------------------------------------------------------------------------------- passes */

/* One row's verdict, or its range: both dtypes of indices in the same words. */
#define INDEX_LOOPS(T)                                                                                                 \
  static bool out_of_range_##T(const struct row *row, int64_t lowest, int64_t highest) {                               \
    const char *at = row->address[0];                                                                                  \
    if (row->step_bytes[0] == (int64_t)sizeof(T))                                                                      \
      return index_loops()->any_outside_##T((const T *)(const void *)at, row->count, lowest, highest);                 \
    bool bad = false;                                                                                                  \
    for (int64_t i = 0; i < row->count; i++, at += row->step_bytes[0]) {                                               \
      const int64_t value = *(const T *)(const void *)at;                                                              \
      bad |= value < lowest || value > highest;                                                                        \
    }                                                                                                                  \
    return bad;                                                                                                        \
  }                                                                                                                    \
  static void widen_##T(const struct row *row, struct index_range *range) {                                            \
    const char *at = row->address[0];                                                                                  \
    for (int64_t i = 0; i < row->count; i++, at += row->step_bytes[0]) {                                               \
      const int64_t value = *(const T *)(const void *)at;                                                              \
      if (value < range->lowest) range->lowest = value;                                                                \
      if (value > range->highest) range->highest = value;                                                              \
    }                                                                                                                  \
  }
INDEX_LOOPS(int64_t)
INDEX_LOOPS(int32_t)

struct check {
  bool (*out_of_range)(const struct row *row, int64_t lowest, int64_t highest);
  int64_t lowest, highest;
  atomic_bool bad;
};

static void check_visit(void *check_, const struct row *row) {
  struct check *check = check_;
  if (check->out_of_range(row, check->lowest, check->highest))
    atomic_store_explicit(&check->bad, true, memory_order_relaxed);
}

/* Only asked once it is known that there is one. */
static int64_t first_bad(strew_context *context, const struct plan *plan, int64_t lowest, int64_t highest) {
  int64_t count = plan_numel(plan);
  for (int64_t i = 0; i < count; i++) {
    if (i % CHUNK == 0 && context_stops(context)) break;
    int64_t value = strew_scalar_load(plan->operands[0].dtype, operand_at(plan, 0, i)).as.i;
    if (value < lowest || value > highest) return i;
  }
  return -1;
}

strew_status cpu_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad) {
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct check check = {wide ? out_of_range_int64_t : out_of_range_int32_t, lowest, highest, false};
  walk_rows_parallel(device->context, plan, INT64_MAX, check_visit, &check);
  *bad = atomic_load(&check.bad) ? first_bad(device->context, plan, lowest, highest) : -1;
  return context_end(call, device->context, NULL);
}

struct ranging {
  void (*widen)(const struct row *row, struct index_range *range);
  struct index_range range;
};

static void range_visit(void *ranging_, const struct row *row) {
  struct ranging *ranging = ranging_;
  ranging->widen(row, &ranging->range);
}

strew_status cpu_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                             struct index_range *range) {
  bool wide = plan->operands[0].dtype == STREW_INT64;
  struct ranging ranging = {wide ? widen_int64_t : widen_int32_t, {INT64_MAX, INT64_MIN}};
  walk_rows(plan, 0, plan_numel(plan), INT64_MAX, range_visit, &ranging);
  *range = ranging.range;
  return context_end(call, device->context, NULL);
}
