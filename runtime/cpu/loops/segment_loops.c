/* segment_loops.c: see segment_loops.h. */
#include "segment_loops.h"

#include "runtime/cpu/cpu.h"

enum {
  LANES_BYTES = 128,   /* vectors of a line whose order does not matter */
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
#define WINNER(ENUM, r, s) [STREW_##ENUM] = {segment_winners_##r##_##s, segment_win_##r##_##s}
#define PLAIN(s)           KERNEL(SUM, sum, s), KERNEL(AMAX, amax, s), KERNEL(AMIN, amin, s)
#define NARROW(ENUM, s)    [STREW_##ENUM] = {.plain = {PLAIN(s)}, .finish = finish_segment_##s},
#define WINNERS(s)         WINNER(AMAX, amax, s), WINNER(AMIN, amin, s)
#define ROW(ENUM, s)       [STREW_##ENUM] = {{PLAIN(s), KERNEL(PROD, prod, s)}, {WINNERS(s)}, finish_segment_##s},
const struct segment_loops LOOPS_TABLE(segment) = {
    .of = {ROW(FLOAT32, f32) ROW(FLOAT64, f64) ROW(INT64, i64) ROW(INT32, i32)
#if !WIDE_VECTORS
               NARROW(INT16, i16) NARROW(INT8, i8) NARROW(UINT8, u8) NARROW(BOOL, b8)
#endif
    }};
