/* segment_loops.c: see segment_loops.h. */
#include "segment_loops.h"

#include "runtime/cpu/cpu.h"

enum {
  LANES_BYTES = 128,   /* vectors of a line whose order does not matter */
  AT_ONCE = 4,         /* elements of short segments, and rows of narrow ones */
  NARROW = 8,          /* lanes: most columns of a narrow row */
  WINNER_BLOCK = 2048, /* elements */
  STREAMS_AT_ONCE = 4, /* segments whose order matters are joined side by side, so that none waits for its last sum */
  SHORT_SEGMENT = 24   /* elements: the processor overlaps shorter ones by itself */
};

/* Integers of less than 32 bits and bool have loops in the plain file alone; 16-bit floats are joined as float32. */
#ifdef __AVX2__
#define WIDE_VECTORS 1
#else
#define WIDE_VECTORS 0
#endif
#define LOOPS "segment.inc"
#define LOOPS_WIDE
#include "each_dtype.h"

#define KERNEL(ENUM, r, s) [STREW_##ENUM] = {segment_reduce_##r##_##s, segment_join_##r##_##s}
#define WINNER(ENUM, s)    [STREW_##ENUM] = {segment_winners_amax_##s, segment_win_amax_##s}
#define PLAIN(s)           KERNEL(SUM, sum, s), KERNEL(AMAX, amax, s), KERNEL(AMIN, amax, s)
#define NARROW(ENUM, s)    [STREW_##ENUM] = {.plain = {PLAIN(s)}, .finish = finish_segment_##s},
#define WINNERS(s)         WINNER(AMAX, s), WINNER(AMIN, s)
#define ROW(ENUM, s)       [STREW_##ENUM] = {{PLAIN(s), KERNEL(PROD, prod, s)}, {WINNERS(s)}, finish_segment_##s},
const struct segment_loops LOOPS_TABLE(segment) = {
    .of = {ROW(FLOAT32, f32) ROW(FLOAT64, f64) ROW(INT64, i64) ROW(INT32, i32)
#if !WIDE_VECTORS
               NARROW(INT16, i16) NARROW(INT8, i8) NARROW(UINT8, u8) NARROW(BOOL, b8)
#endif
    }};
