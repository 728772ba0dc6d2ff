/* segment_loops.c: see segment_loops.h. */
#include "segment_loops.h"

#include "runtime/core/cpu/core_loops.h"
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"

enum {
  VECTORS = 4,        /* of a line whose order does not matter */
  AT_ONCE = 4,        /* elements of short segments, and rows of narrow ones */
  NARROW = 8,         /* lanes: most columns of a narrow row */
  SEARCHED = 64,      /* elements that are compared at once */
  STREAMS_AT_ONCE = 4 /* segments whose order matters are joined side by side, so that none waits for its last sum */
};

/* How elements are joined: sums in order may be those of a run. */
enum joining { IN_ANY_ORDER, IN_ORDER, ADDED_IN_ORDER };

/* What short segments do not need, lest it take their registers. */
#define NOT_INLINE static __attribute__((noinline))

/* Returns a if chosen, else b, without a branch. */
static inline int64_t either(bool chosen, int64_t a, int64_t b) {
  const int64_t mask = -(int64_t)chosen;
  return (a & mask) | (b & ~mask);
}

/* Integers of less than 32 bits and bool have loops in the plain file alone; 16-bit floats are joined as float32. */
#ifdef __AVX2__
#define WIDE_VECTORS 1
#else
#define WIDE_VECTORS 0
#endif
#ifdef __AVX512F__
#define VECTOR_BYTES 64
#else
#define VECTOR_BYTES (WIDE_VECTORS ? 32 : 16)
#endif
/* Infinity as an integer of type W; 0: no float has that size. */
#define INFINITY_BITS(W) ((W)(sizeof(W) == 8 ? 0x7ff0000000000000 : sizeof(W) == 4 ? 0x7f800000 : 0))
#define LOOPS            "runtime/groups/cpu/segment.inc"
#define LOOPS_WIDE
#define LOOPS_SIGNED
#include "runtime/core/cpu/each_dtype.h"

#define KERNEL(ENUM, r, s)  [STREW_##ENUM] = {segment_reduce_##r##_##s, segment_join_##r##_##s, finish_segment_##s}
#define WINNER(ENUM, s)     [STREW_##ENUM] = {segment_winners_amax_##s, segment_win_amax_##s, finish_segment_##s}
#define PLAIN(s, integer)   KERNEL(SUM, sum, s), KERNEL(AMAX, amax, integer), KERNEL(AMIN, amax, integer)
#define NARROW_ROW(ENUM, s) [STREW_##ENUM] = {.plain = {PLAIN(s, s)}},
#define ROW(ENUM, s, integer)                                                                                          \
  [STREW_##ENUM] = {{PLAIN(s, integer), KERNEL(PROD, prod, s)}, {WINNER(AMAX, integer), WINNER(AMIN, integer)}},
const struct segment_loops LOOPS_TABLE(segment) = {
    .of = {ROW(FLOAT32, f32, i32) ROW(FLOAT64, f64, i64) ROW(INT64, i64, i64) ROW(INT32, i32, i32)
#if !WIDE_VECTORS
               NARROW_ROW(INT16, i16) NARROW_ROW(INT8, i8) NARROW_ROW(BOOL, b8)
#endif
    }};
