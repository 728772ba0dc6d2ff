/* quantile.cl: quantiles of sorted elements of dtype S, see quantile_plan in order_ops.h. q has the bits of a
   float32 or float64, `empty` those of an element. The host defines S, OUTER, and
     FORMAT   of ranks, to which they are rounded: FORMAT_FLOAT32 or FORMAT_FLOAT64
     MIXES    1 if a result may lie between two elements, which are floats then */
#include "opencl/core/kernels/space.h"
#include "runtime/order/shared/quantile_rank.h"

#define EXACT CAT(EXACT_, S)
typedef CAT(T_, S) element;
typedef CAT(B_, S) bits_of_element;

static inline element element_of_bits(long bits) {
  union {
    bits_of_element bits;
    element x;
  } both;
  both.bits = (bits_of_element)bits;
  return both.x;
}

static inline element pick(__global const element *first, long count, long step, long q, int interpolation) {
  const element last = first[(count - 1) * step];
  if (CAT(isnan_, EXACT)(CAT(exact_, S)(last))) return last;
  const struct rank rank = rank_among((ulong)q, count, interpolation, FORMAT);
#if MIXES
  if (!rank.rest) return first[rank.below * step];
  const CAT(T_, EXACT) a = CAT(exact_, S)(first[rank.below * step]);
  const CAT(T_, EXACT) b = CAT(exact_, S)(first[(rank.below + 1) * step]);
  const CAT(T_, EXACT) t = interpolation == RANK_LINEAR ? CAT(part_, EXACT)(rank) : (CAT(T_, EXACT))0.5f;
  return CAT(CAT(S, _from_), EXACT)(CAT(between_, EXACT)(a, b, t));
#else
  return first[chosen_of(rank, interpolation) * step];
#endif
}

__kernel void quantile(SPACE, OPERAND(element, out), OPERAND(const element, sorted), OPERAND(const long, start),
                       OPERAND(const long, count), const long step, const long q, const long interpolation,
                       const long empty) {
  ROW_AND_COLUMN;
  const long elements = count[AT(count)];
  element result = element_of_bits(empty);
  if (elements > 0) result = pick(sorted + AT(sorted) + start[AT(start)] * step, elements, step, q, (int)interpolation);
  out[AT(out)] = result;
}
