/* times.c: means of times, and quantiles between two. Sums of microseconds are those of the halves of their bits, of up
   to 2^31 exact in int64. */
#include "times.h"

enum { HALF = 32 };
#define LOW_HALF      ((int64_t)UINT32_MAX)
#define OF(op, a, b)  step_binary(steps, STREW_##op, a, b, NULL)
#define UP(x)         OF(BITWISE_LEFT_SHIFT, x, HALF)
#define AS(dtype, x)  step_to(steps, x, NULL, STREW_##dtype)
#define WHOLE_PART(x) step_unary(steps, STREW_FLOOR, x, NULL)

strew_tensor *times_mean(struct steps *steps, strew_tensor *x, strew_tensor *counts, times_sums *sum, void *user) {
  int mark = steps->count;
  strew_tensor *high = steps_keep(steps, mark, sum(steps, user, OF(BITWISE_RIGHT_SHIFT, x, HALF)));
  mark = steps->count;
  strew_tensor *low = steps_keep(steps, mark, sum(steps, user, OF(BITWISE_AND, x, LOW_HALF)));
  strew_tensor *n = OF(MAXIMUM, counts, 1), *rest = OF(ADD, UP(OF(REMAINDER, high, n)), OF(REMAINDER, low, n));
  strew_tensor *mean = OF(ADD, UP(OF(FLOOR_DIVIDE, high, n)), OF(FLOOR_DIVIDE, low, n));
  mean = OF(ADD, mean, OF(FLOOR_DIVIDE, rest, n));
  rest = OF(MUL, OF(REMAINDER, rest, n), 2); /* more than n with the last bit of the mean: more, or half and odd */
  mean = OF(ADD, mean, OF(GT, OF(ADD, rest, OF(BITWISE_AND, mean, 1)), n));
  return step_where(steps, OF(EQ, counts, 0), INT64_MIN, mean);
}

strew_tensor *times_mean_of(struct steps *steps, strew_tensor *times, bool skips, times_sums *sum, void *user) {
  const int mark = steps->count;
  strew_tensor *x = step_key(steps, times, KEY_EQUAL), *is_gap = OF(EQ, x, INT64_MIN);
  strew_tensor *gaps = sum(steps, user, is_gap), *counts = sum(steps, user, OF(EQ, x, x));
  counts = skips ? OF(SUB, counts, gaps) : step_where(steps, OF(GT, gaps, 0), 0, counts);
  return steps_keep(steps, mark, times_mean(steps, step_where(steps, is_gap, 0, x), counts, sum, user));
}

/* The share of the gap between two elements at which a quantile of so many lies, on a device with float64. */
static strew_tensor *share_of(struct steps *steps, strew_tensor *counts, double q, bool is_midpoint) {
  if (steps->status != STREW_OK) return NULL;
  const int mark = steps->count;
  strew_device *own = counts->storage->device, *wide = own->lacks_float64 ? &own->context->cpu : own;
  strew_tensor *last = step_to(steps, OF(MAXIMUM, OF(SUB, counts, 1), 0), wide, STREW_INT64);
  strew_tensor *rank = OF(MUL, AS(FLOAT64, last), q), *share = OF(SUB, rank, WHOLE_PART(rank));
  return steps_keep(steps, mark, is_midpoint ? step_where(steps, OF(NE, share, 0.0), 0.5, share) : share);
}

strew_tensor *times_between(struct steps *steps, strew_tensor *a, strew_tensor *b, strew_tensor *counts, double q,
                            bool is_midpoint) {
  strew_tensor *share = share_of(steps, counts, q, is_midpoint);
  if (steps->status != STREW_OK) return NULL;
  strew_device *wide = share->storage->device, *own = a->storage->device;
  strew_tensor *gap = step_to(steps, OF(SUB, b, a), wide, STREW_INT64);
  strew_tensor *high = OF(MUL, AS(FLOAT64, OF(BITWISE_RIGHT_SHIFT, gap, HALF)), share), *whole = WHOLE_PART(high);
  strew_tensor *low = OF(MUL, AS(FLOAT64, OF(BITWISE_AND, gap, LOW_HALF)), share);
  strew_tensor *rest = OF(ADD, OF(MUL, OF(SUB, high, whole), 0x1p32), low), *rest_whole = WHOLE_PART(rest);
  strew_tensor *sum = OF(ADD, UP(AS(INT64, whole)), AS(INT64, rest_whole));
  sum = OF(ADD, sum, step_to(steps, a, wide, STREW_INT64));
  rest = OF(SUB, rest, rest_whole);
  strew_tensor *is_up = OF(ADD, OF(GT, rest, 0.5), OF(MUL, OF(EQ, rest, 0.5), OF(BITWISE_AND, sum, 1)));
  return step_to(steps, OF(ADD, sum, is_up), own, STREW_INT64);
}
