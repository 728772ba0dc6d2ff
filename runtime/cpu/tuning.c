/* tuning.c: a row of tuned numbers for each processor family, and the choice of one. */
#include "tuning.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The columns in which no family measured so far differs. One that does goes into the rows. */
#define COMMON                                                                                                         \
  .l1_bytes = 1 << 14, .l2_bytes = 1 << 18, .llc_bytes = 1 << 24, .rows_ahead_min = 8, .rows_ahead_max = 32,           \
  .sparse_values = 2, .lines_ahead = 64, .flat_columns = 96, .flat_columns_far = 128, .lines_columns = 1024,           \
  .row_index_min_rows = 256, .gather_line_columns = 256, .chain_cost = 330, .read_cost = 60, .partition_cost = 400,    \
  .mean_factor = 2, .look_cost = {110, 55, 40}, .sample_l2s = 32, .owner_sample = 512, .part_l2s = 4,                  \
  .part_quarters = 5, .wide_row = 8, .little = 10, .owners_per_thread = 4, .turn_min_l2s = 4, .turn_max_l2s = 64,      \
  .mean_chunk = 1 << 15, .mean_row_min = 1 << 11, .mean_row_max = 1 << 17, .mean_turns = 4,                            \
  .fold_tile_elements = 1 << 17, .fold_across_max = 16, .sort_few = 4096, .sort_few_bits = 8, .heap_max = 4096,        \
  .heap_part = 16, .shared_line = 1 << 20, .shared_lines = 8, .alone_line = 1 << 14, .bucket_parts = 8

const struct tuning tuning_rows[PROCESSOR_COUNT] = {[PROCESSOR_ZEN4] = {.name = "zen4",
                                                                        COMMON,
                                                                        .streams_nta = true,
                                                                        .stream_ahead = 160,
                                                                        .foresees_order = true,
                                                                        .dst_min_l2s = 1,
                                                                        .dst_in_l2 = true,
                                                                        .dst_ahead_sums = DST_AHEAD,
                                                                        .row_bytes_ahead = 2048,
                                                                        .join_cost = {50, 100, 160, 600}},
                                                    [PROCESSOR_ZEN5] = {.name = "zen5",
                                                                        COMMON,
                                                                        .streams_nta = true,
                                                                        .stream_ahead = 640,
                                                                        .foresees_order = false,
                                                                        .dst_min_l2s = 4,
                                                                        .dst_in_l2 = false,
                                                                        .dst_ahead_sums = 96,
                                                                        .row_bytes_ahead = 4096,
                                                                        .join_cost = {42, 45, 72, 440}},
                                                    [PROCESSOR_OTHER] = {.name = "default",
                                                                         COMMON,
                                                                         .streams_nta = false,
                                                                         .stream_ahead = 320,
                                                                         .foresees_order = false,
                                                                         .dst_min_l2s = 1,
                                                                         .dst_in_l2 = true,
                                                                         .dst_ahead_sums = DST_AHEAD,
                                                                         .row_bytes_ahead = 2048,
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
