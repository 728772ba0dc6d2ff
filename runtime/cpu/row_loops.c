/* row_loops.c: see row_loops.h. */
#include "row_loops.h"

#include "cpu.h"

/* arg[j] = position where wins[j] is 1, as it is where it is 0. */
static void take_positions(int64_t *restrict arg, const uint32_t *restrict wins, int64_t count, int64_t position) {
  for (int64_t j = 0; j < count; j++) {
    const int64_t mask = -(int64_t)wins[j];
    arg[j] = (position & mask) | (arg[j] & ~mask);
  }
}

#ifdef __AVX2__
#define LOOPS_WIDE /* without the 16-bit floats */
#define HALVES(ROW)
#else
#define HALVES(ROW) ROW(FLOAT16, f16) ROW(BFLOAT16, bf16)
#endif
#define OTHERS(ROW)                                                                                                    \
  ROW(FLOAT32, f32)                                                                                                    \
  ROW(FLOAT64, f64) ROW(INT64, i64) ROW(INT32, i32) ROW(INT16, i16) ROW(INT8, i8) ROW(UINT8, u8) ROW(BOOL, b8)
#define LOOPS "row.inc"
#include "each_dtype.h"

#define EXTREMES(s, first) [STREW_AMAX] = first##greatest_##s, [STREW_AMIN] = first##least_##s
#define HALF_ROW(ENUM, s)  [STREW_##ENUM] = {{EXTREMES(s, )}, {EXTREMES(s, first_)}},
#define ROW(ENUM, s)                                                                                                   \
  [STREW_##ENUM] = {{[STREW_SUM] = sum_##s, [STREW_MEAN] = sum_##s, EXTREMES(s, )}, {EXTREMES(s, first_)}},
const struct row_loops LOOPS_TABLE(row) = {.of = {HALVES(HALF_ROW) OTHERS(ROW)}};
#undef ROW
