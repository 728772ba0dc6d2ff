/* tuning.c: a row of tuned numbers for each processor family, and the choice of one. */
#include "tuning.h"

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
