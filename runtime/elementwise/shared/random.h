/* random.h: random words, uniform numbers, ramps. C11 and OpenCL C. */
#ifndef STREW_RANDOM_H
#define STREW_RANDOM_H

#include "runtime/core/shared/scalar.h"

/* Philox 4x32-10, the counter-based generator of Salmon and others (SC 2011): 128 random bits as a function of a counter
   and a key, computed in 32-bit words, which every device has. */
struct philox {
  uint32_t words[4];
};

static inline struct philox philox(struct philox counter, uint32_t key0, uint32_t key1) {
  uint32_t a = counter.words[0], b = counter.words[1], c = counter.words[2], d = counter.words[3];
  for (int round = 0; round < 10; round++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u) {
    uint64_t left = (uint64_t)a * 0xd2511f53u, right = (uint64_t)c * 0xcd9e8d57u;
    a = (uint32_t)(right >> 32) ^ b ^ key0;
    c = (uint32_t)(left >> 32) ^ d ^ key1;
    b = (uint32_t)right;
    d = (uint32_t)left;
  }
  return (struct philox){{a, b, c, d}};
}

/* Block number `block` in the stream of a seed. */
static inline struct philox philox_block(uint64_t seed, uint64_t block) {
  struct philox counter = {{(uint32_t)block, (uint32_t)(block >> 32), 0, 0}};
  return philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

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
