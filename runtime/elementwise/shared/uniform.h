/* uniform.h: random words to uniform numbers; ramps. C11 and OpenCL C. */
#ifndef STREW_UNIFORM_H
#define STREW_UNIFORM_H

#include "runtime/core/shared/scalar.h"

/* Uses as many leading bits of the word as the dtype's significand has: no rounding, so the result is below 1. */
static inline float uniform_f32(uint32_t word, int bits) {
  float unit = float_of_bits((uint32_t)(127 - bits) << 23); /* 2^-bits */
  return times_f32((float)(int32_t)(word >> (32 - bits)), unit);
}

#ifdef HAS_FLOAT64
static inline double uniform_f64(uint64_t word) { return times_f64((double)(int64_t)(word >> 11), 0x1p-53); }
#endif

/* low + 0..range-1 */
static inline int64_t uniform_i64(uint64_t word, int64_t low, uint64_t range) {
  return (int64_t)((uint64_t)low + upper_product(word, range));
}

/* Element i of a ramp. */
static inline int64_t ramp_i64(int64_t start, int64_t step, int64_t i) { return plus_i64(start, times_i64(i, step)); }
#ifdef HAS_FLOAT64
static inline double ramp_f64(double start, double step, int64_t i) {
  return plus_f64(start, times_f64(f64_from_i64(i), step));
}
#endif

#endif
