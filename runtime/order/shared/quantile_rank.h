/* quantile_rank.h: the rank of a quantile among sorted elements, and the value between two of them. C11 and OpenCL C.
   Ranks are computed by integers, the same on devices with and without float64. */
#ifndef STREW_QUANTILE_RANK_H
#define STREW_QUANTILE_RANK_H

#include "runtime/core/shared/scalar.h"

enum { RANK_LINEAR, RANK_LOWER, RANK_HIGHER, RANK_MIDPOINT, RANK_NEAREST, RANK_INVERTED_CDF };

/* The rank is below + rest * 2^exponent; rest 0: a whole number. */
struct rank {
  int64_t below, nearest; /* nearest: halves to even */
  uint64_t rest;
  int exponent;
};

/* q * last, rounded to the format that q is in; 0 <= q <= 1, of either sign if it is 0; last >= 0. */
static inline struct rank rank_of(uint64_t q, int64_t last, struct float_format f) {
  const struct unpacked product = unpack(soft_times(magnitude_in(q, f), round_integer(last, f), f), f);
  struct rank rank = {0, 0, product.significand, product.exponent};
  const int shift = -product.exponent; /* at least 0: last is below 2^52 */
  if (shift <= 0) {
    rank.below = rank.nearest = (int64_t)product.significand;
    rank.rest = 0;
  } else if (shift < 64) {
    const uint64_t middle = (uint64_t)1 << (shift - 1);
    rank.below = (int64_t)(product.significand >> shift);
    rank.rest = product.significand & (middle * 2 - 1);
    rank.nearest = rank.below + (rank.rest + (uint64_t)(rank.below & 1) > middle);
  }
  return rank;
}

/* The same among `count` sorted elements. RANK_INVERTED_CDF counts them from 1. */
static inline struct rank rank_among(uint64_t q, int64_t count, int interpolation, struct float_format f) {
  return rank_of(q, count - (interpolation != RANK_INVERTED_CDF), f);
}

/* The element at a rank that needs one only. */
static inline int64_t chosen_of(struct rank rank, int interpolation) {
  /* & rather than &&: the compiler of PoCL 6.0 (LLVM 19) aborts at that. */
  if (interpolation == RANK_INVERTED_CDF) return rank.below - ((rank.rest == 0) & (rank.below != 0));
  const int64_t is_above = (interpolation == RANK_HIGHER) & (rank.rest != 0);
  return interpolation == RANK_NEAREST ? rank.nearest : rank.below + is_above;
}

static inline float part_f32(struct rank rank) {
  return float_of_bits((uint32_t)round_to(FORMAT_FLOAT32, rank.rest, rank.exponent));
}
#ifdef HAS_FLOAT64
static inline double part_f64(struct rank rank) {
  return double_of_bits(round_to(FORMAT_FLOAT64, rank.rest, rank.exponent));
}
#endif

/* NumPy's interpolation at t, from the nearer of a and b; equal ones, infinities too, are the result. A gap that
   overflows is halved, and its share doubled. */
#define RANK_BETWEEN(s, type)                                                                                          \
  static inline type share_of_gap_##s(type a, type b, type share) {                                                    \
    const type gap = minus_##s(b, a), middle = (type)0.5;                                                              \
    if (less_##s(gap, (type)INFINITY)) return times_##s(gap, share);                                                   \
    return times_##s(minus_##s(times_##s(b, middle), times_##s(a, middle)), plus_##s(share, share));                   \
  }                                                                                                                    \
  static inline type between_##s(type a, type b, type t) {                                                             \
    if (t == 0 || equal_##s(a, b)) return a;                                                                           \
    if (less_##s(t, (type)0.5)) return plus_##s(a, share_of_gap_##s(a, b, t));                                         \
    return minus_##s(b, share_of_gap_##s(a, b, minus_##s(1, t)));                                                      \
  }
RANK_BETWEEN(f32, float)
#ifdef HAS_FLOAT64
RANK_BETWEEN(f64, double)
#endif

#endif
