/* double_sums.h: sums as pairs of floats, high and low, whose exact sum is the value: the low part collects rounding
   errors (double-float arithmetic, by Knuth's two-sum). They need neither float64 nor fused operations. Integers
   have no error. device.h says where pairs are used. C11 and OpenCL C. */
#ifndef STREW_DOUBLE_SUMS_H
#define STREW_DOUBLE_SUMS_H

#include "float_parts.h"

/* Rounding error of sum = a + b: exact, or 0 if the sum is not finite. */
#define PAIR_LOST(s)                                                                                                   \
  static inline W_##s lost_##s(W_##s a, W_##s b, W_##s sum) {                                                          \
    const W_##s of_b = minus_##s(sum, a);                                                                              \
    const W_##s lost = plus_##s(minus_##s(a, minus_##s(sum, of_b)), minus_##s(b, of_b));                               \
    return isnan_##s(minus_##s(lost, lost)) ? 0 : lost;                                                                \
  }
PAIR_LOST(f32)
#ifdef HAS_FLOAT64
PAIR_LOST(f64)
#endif
static inline int64_t lost_i64(int64_t a, int64_t b, int64_t sum) { return (void)a, (void)b, (void)sum, 0; }
static inline uint64_t lost_u64(uint64_t a, uint64_t b, uint64_t sum) { return (void)a, (void)b, (void)sum, 0; }

#define PAIR(s)                                                                                                        \
  typedef struct {                                                                                                     \
    W_##s high, low;                                                                                                   \
  } pair_##s;                                                                                                          \
  static inline pair_##s make_pair_##s(W_##s high, W_##s low) {                                                        \
    pair_##s pair;                                                                                                     \
    pair.high = high;                                                                                                  \
    pair.low = low;                                                                                                    \
    return pair;                                                                                                       \
  }                                                                                                                    \
  static inline pair_##s add_pairs_##s(pair_##s a, pair_##s b) {                                                       \
    const W_##s high = plus_##s(a.high, b.high);                                                                       \
    return make_pair_##s(high, plus_##s(plus_##s(a.low, b.low), lost_##s(a.high, b.high, high)));                      \
  }                                                                                                                    \
  /* (x, 0) is added. */                                                                                               \
  static inline pair_##s add_to_pair_##s(pair_##s a, W_##s x) {                                                        \
    const W_##s high = plus_##s(a.high, x);                                                                            \
    return make_pair_##s(high, plus_##s(a.low, lost_##s(a.high, x, high)));                                            \
  }                                                                                                                    \
  /* One float for a pair and a sum that follows it. */                                                                \
  static inline W_##s with_pair_##s(pair_##s before, W_##s sum) {                                                      \
    return plus_##s(before.high, plus_##s(before.low, sum));                                                           \
  }
PAIR(f32)
#ifdef HAS_FLOAT64
PAIR(f64)
#endif
PAIR(i64)
PAIR(u64)
#undef PAIR

/* Products, quotients and roots of pairs, with nearly twice the digits. Nothing may underflow. */
#define PAIR_PRODUCT(s)                                                                                                \
  INLINED pair_##s times_pairs_##s(pair_##s a, pair_##s b) {                                                           \
    const W_##s high = times_##s(a.high, b.high);                                                                      \
    const W_##s low = plus_##s(times_##s(a.high, b.low), times_##s(a.low, b.high));                                    \
    return make_pair_##s(high, plus_##s(rest_of_product_##s(a.high, b.high, high), low));                              \
  }                                                                                                                    \
  INLINED pair_##s divide_pairs_##s(pair_##s a, pair_##s b) {                                                          \
    const W_##s high = divide_##s(a.high, b.high), product = times_##s(high, b.high);                                  \
    const W_##s rest = minus_##s(minus_##s(a.high, product), rest_of_product_##s(high, b.high, product));              \
    const W_##s more = plus_##s(rest, minus_##s(a.low, times_##s(high, b.low)));                                       \
    return make_pair_##s(high, divide_##s(more, b.high));                                                              \
  }                                                                                                                    \
  INLINED pair_##s root_of_pair_##s(pair_##s a) {                                                                      \
    const W_##s high = root_##s(a.high), square = times_##s(high, high);                                               \
    const W_##s rest = minus_##s(minus_##s(a.high, square), rest_of_product_##s(high, high, square));                  \
    const W_##s low = divide_##s(plus_##s(rest, a.low), plus_##s(high, high));                                         \
    return make_pair_##s(high, equal_##s(high, 0) ? 0 : low);                                                          \
  }                                                                                                                    \
  INLINED pair_##s either_pair_##s(bool chosen, pair_##s a, pair_##s b) {                                              \
    return make_pair_##s(chosen ? a.high : b.high, chosen ? a.low : b.low);                                            \
  }                                                                                                                    \
  INLINED W_##s sum_of_pair_##s(pair_##s a) { return plus_##s(a.high, a.low); }                                        \
  /* The same pair, whose high part is the rounded sum. */                                                             \
  INLINED pair_##s settle_pair_##s(pair_##s a) {                                                                       \
    const W_##s sum = sum_of_pair_##s(a);                                                                              \
    return make_pair_##s(sum, rest_of_sum_##s(a.high, a.low, sum));                                                    \
  }
PAIR_PRODUCT(f32)
#ifdef HAS_FLOAT64
PAIR_PRODUCT(f64)
#endif
#undef PAIR_PRODUCT

#endif
