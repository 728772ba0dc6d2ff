/* tuning.c: a row of tuned numbers for each processor family, and the choice of one; how far ahead a call prefetches by it. */
#include "prefetch.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CACHES .l1_bytes = 1 << 14, .l2_bytes = 1 << 18, .llc_bytes = 1 << 24
#define RUNS   .run_tile = 2048, .run_tile_least = {64, 256}, .run_chunk = 1 << 14

const struct tuning tuning_rows[PROCESSOR_COUNT] = {
    [PROCESSOR_ZEN4] = {"zen4", CACHES, RUNS, .streams_nta = true, .stream_ahead = 160, .foresees_order = true,
                        .dst_min_l2s = 1, .dst_in_l2 = true, .dst_ahead_sums = DST_AHEAD, .row_bytes_ahead = 2048,
                        .join_cost = {50, 100, 160, 600}},
    [PROCESSOR_ZEN5] = {"zen5", CACHES, RUNS, .streams_nta = true, .stream_ahead = 640, .foresees_order = false,
                        .dst_min_l2s = 4, .dst_in_l2 = false, .dst_ahead_sums = 96, .row_bytes_ahead = 4096,
                        .join_cost = {42, 45, 72, 440}},
    [PROCESSOR_OTHER] = {"default", CACHES, RUNS, .streams_nta = false, .stream_ahead = 320, .foresees_order = false,
                         .dst_min_l2s = 1, .dst_in_l2 = true, .dst_ahead_sums = DST_AHEAD, .row_bytes_ahead = 2048,
                         .join_cost = {50, 100, 160, 600}}};

static enum processor find_processor(void) {
#if defined(__x86_64__)
  enum { ZEN5 = 0x1A }; /* the family by CPUID: a field of four bits plus one of eight */
  unsigned a, b, c, d;
  if (!__builtin_cpu_is("amd") || !__get_cpuid(1, &a, &b, &c, &d)) return PROCESSOR_OTHER;
  return (a >> 8 & 0xF) + (a >> 20 & 0xFF) < ZEN5 ? PROCESSOR_ZEN4 : PROCESSOR_ZEN5;
#else
  return PROCESSOR_OTHER;
#endif
}

/* NULL until the first call: on a virtual machine CPUID takes longer than a small scatter. Threads that find it at once
   find the same. */
static const struct tuning *_Atomic row_in_use;

const struct tuning *tuning_in_use(void) {
  const struct tuning *row = atomic_load_explicit(&row_in_use, memory_order_relaxed);
  if (row) return row;
  row = &tuning_rows[find_processor()];
  atomic_store_explicit(&row_in_use, row, memory_order_relaxed);
  return row;
}

void tuning_force(const struct tuning *row) { atomic_store_explicit(&row_in_use, row, memory_order_relaxed); }

/* ------------------------------------------------------------------------------------------------------- prefetch.h */

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
