/* run_loops.c: see core_loops.h. */
#include "core_loops.h"

#include "prefetch.h"

#include "runtime/core/base/pool.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>

enum {
  GROUP = RUN_GROUP, /* whose halves are found together, as bits of a word: the smallest tile */
  EXACT_REACH = 3,   /* binades above a sum that may leave its own */
  /* least tiles between two attempts to leave a binade, after the last ones have failed; the same to stay within one */
  EXACT_DELAY_MAX = 255,
  TILE_DELAY_MAX = 31,
  VECTOR_BYTES = 32
};
#define FORGET_VECTORS _mm256_zeroupper()
#else
#define FORGET_VECTORS
#endif
#define NOT_INLINE static __attribute__((noinline))

#define LOOPS "runtime/core/cpu/run.inc"
#define LOOPS_WIDE
#define LOOPS_SIGNED
#include "runtime/core/cpu/each_dtype.h"

#define RUNS_OF(s)                                                                                                     \
  { add_##s, foresee_##s, take_##s, split_##s }
const struct run_loops LOOPS_TABLE(run) = {add_run_f32, add_run_f64, {RUNS_OF(f32), RUNS_OF(f64)}};
