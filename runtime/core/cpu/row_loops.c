/* row_loops.c: see core_loops.h. */
#include "core_loops.h"

#include "runtime/core/cpu/scatter/tile.h"

/* arg[j] = position if wins[j] is 1; if it is 0, arg[j] stays. */
static void set_positions(int64_t *restrict arg, const uint32_t *restrict wins, int64_t count, int64_t position) {
  for (int64_t j = 0; j < count; j++) {
    const int64_t mask = -(int64_t)wins[j];
    arg[j] = (position & mask) | (arg[j] & ~mask);
  }
}

/* Processors that foresee rows in order have AVX2: only there such rows have a loop of their own. Dtypes of less than
   32 bits and unsigned ones have loops in the plain file alone. */
#ifdef __AVX2__
#define WIDE_VECTORS 1
#else
#define WIDE_VECTORS 0
#endif
#define LOOPS "row.inc"
#define LOOPS_UNSIGNED
#include "each_dtype.h"

#define EXTREMES(s, first)    [STREW_AMAX] = first##greatest_##s, [STREW_AMIN] = first##least_##s
#define TURNED(s, first)      [STREW_AMAX] = first##greatest_##s, [STREW_AMIN] = first##greatest_##s
#define HALF_ROW(ENUM, s)     [STREW_##ENUM] = {{TURNED(s, )}, {TURNED(s, first_)}},
#define EXTREMES_ROW(ENUM, s) [STREW_##ENUM] = {{EXTREMES(s, )}, {EXTREMES(s, first_)}},
#define BOOL_ROW(ENUM, s)     [STREW_##ENUM] = {{[STREW_SUM] = greatest_##s, EXTREMES(s, )}, {EXTREMES(s, first_)}},
#define ROW(ENUM, s)          [STREW_##ENUM] = {{[STREW_SUM] = sum_##s, EXTREMES(s, )}, {EXTREMES(s, first_)}},
const struct row_loops LOOPS_TABLE(row) = {
    .of = {ROW(FLOAT32, f32) ROW(FLOAT64, f64) ROW(INT64, i64) ROW(INT32, i32)
#if !WIDE_VECTORS
               HALF_ROW(FLOAT16, f16) HALF_ROW(BFLOAT16, bf16) ROW(INT16, i16) ROW(INT8, i8) BOOL_ROW(BOOL, b8)
                   EXTREMES_ROW(UINT8, u8) EXTREMES_ROW(UINT16, u16) EXTREMES_ROW(UINT32, u32) EXTREMES_ROW(UINT64, u64)
#endif
    }};
