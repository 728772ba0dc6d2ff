/* random_ops.h: random numbers and ramps: plans, and the functions of a device. */
#ifndef RANDOM_OPS_H
#define RANDOM_OPS_H

#include "runtime/core/base/device.h"

enum random_kind { RANDOM_UNIFORM, RANDOM_NORMAL, RANDOM_INTEGER, RANDOM_BITS };

/* Fills `count` dense elements of out: element i is a function of (seed, first block + i's share, kind, dtype) alone.
 */
struct random_plan {
  struct operand out;
  int64_t count;
  enum random_kind kind;
  uint64_t seed, block;
  int64_t low;
  uint64_t range; /* of RANDOM_INTEGER: low + (draw scaled to 0..range-1) */
};

/* Elements per block of 128 random bits: an element takes 32 or 64 of them. */
static inline int64_t random_per_block(enum random_kind kind, strew_dtype dtype) {
  bool is_long = kind == RANDOM_INTEGER || kind == RANDOM_BITS || dtype == STREW_FLOAT64;
  return is_long ? 2 : 4;
}

/* Fills `count` dense elements of out with start + i * step: in int64 where both are integers, else in float64, rounded
   once to out's dtype. */
struct ramp_plan {
  struct operand out;
  int64_t count;
  strew_scalar start, step;
};

#define RANDOM_ENTRIES(X, OPTIONAL)                                                                                    \
  X(strew_status, random, (ON_DEVICE, const struct random_plan *plan))                                                 \
  X(strew_status, ramp, (ON_DEVICE, const struct ramp_plan *plan))

struct random_ops {
  RANDOM_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
};

#endif
